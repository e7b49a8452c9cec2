/* jobtrace_sia.c - workloads of Pollux and Sia, and the jobs that they are drawn from
 *
 * A workload says what is trained, not how long: that is in a column duration or gpu_time,
 * or asked of a table by application and replicas. */
#include "base/digits.h"
#include "import/jobtrace_rows.h"

#include <string.h>

enum { SIA_NAME = 0, SIA_TIME, SIA_WIDTH, SIA_KIND, SIA_DURATION, SIA_GPU_TIME, SIA_COLUMNS };

static const char *const columns[SIA_COLUMNS][3] = {
    {"name", NULL, NULL}, {"time", "timestamp", NULL}, {"num_replicas", "num_gpus", NULL},
    {"application", NULL, NULL}, {"duration", NULL, NULL}, {"gpu_time", NULL, NULL}
};

typedef struct sia_log {
    jobtrace_reader *reader;
    csv_table      table;
    int            column[SIA_COLUMNS];
    jobtrace_times times;
} sia_log;

static const char *cell(const sia_log *s, size_t row, int which)
{
    return csv_text(&s->table, row, s->column[which]);
}

/* Nothing is known of an empty cell: *value stays. */
static int read_number(sia_log *s, size_t row, int which, double *value)
{
    const char *text = cell(s, row, which);
    return jobtrace_is_unknown(text) ||
           jobtrace_number(s->reader, csv_line(&s->table, row), s->table.header[s->column[which]],
                           text, NUMBER_NON_NEGATIVE, value);
}

static int read_duration(sia_log *s, size_t row, double width, jobtrace_job *job)
{
    if (s->times.file)
        return job->nodes == 0 ||
               jobtrace_time_of(s->reader, job->line, &s->times, cell(s, row, SIA_KIND),
                                job->nodes, &job->run_s);
    if (s->column[SIA_DURATION] != CSV_NONE) return read_number(s, row, SIA_DURATION, &job->run_s);
    if (!read_number(s, row, SIA_GPU_TIME, &job->run_s)) return 0;
    if (width > 0.0) job->run_s /= width;
    return 1;
}

static int read_row(sia_log *s, size_t row)
{
    jobtrace_reader *r = s->reader;
    const char *time = cell(s, row, SIA_TIME), *text;
    const char *width_name = s->table.header[s->column[SIA_WIDTH]];
    char number[NUMBER_BYTES];
    jobtrace_job job = {0};
    double width = 0.0;
    job.line = csv_line(&s->table, row);
    job.wait_s = -1.0;
    text = s->column[SIA_NAME] == CSV_NONE ? number_write((double)row + 1.0, number)
                                           : cell(s, row, SIA_NAME);
    if (!jobtrace_new_name(r, job.line, columns[SIA_NAME][0], text, strlen(text), &job.name))
        return 0;
    if (!jobtrace_stamp(time, &job.submit_s) &&
        !jobtrace_number(r, job.line, s->table.header[s->column[SIA_TIME]], time, NUMBER_ANY,
                         &job.submit_s))
        return 0;
    if (!read_number(s, row, SIA_WIDTH, &width) ||
        !jobtrace_whole_nodes(r, job.line, width_name, width, &job.nodes) ||
        !read_duration(s, row, width, &job))
        return 0;
    if (job.nodes == 0) job.run_s = 1.0;   /* it is counted as one without GPUs */
    return jobtrace_keep(r, &job);
}

static int find_columns(sia_log *s)
{
    jobtrace_reader *r = s->reader;
    const size_t line = s->table.header_line;
    int i;
    for (i = 0; i < SIA_COLUMNS; i++) s->column[i] = jobtrace_any_column(&s->table, columns[i]);
    for (i = SIA_TIME; i <= SIA_WIDTH; i++)
        if (s->column[i] == CSV_NONE)
            return jobtrace_wrong(r, line, "no column '%s', nor '%s'", columns[i][0],
                                  columns[i][1]);
    if (!r->options->times && s->column[SIA_DURATION] == CSV_NONE &&
        s->column[SIA_GPU_TIME] == CSV_NONE)
        return jobtrace_wrong(r, line, "no column says how long jobs run, 'duration' or "
                              "'gpu_time': --trace-times FILE does, by application");
    if (r->options->times && s->column[SIA_KIND] == CSV_NONE)
        return jobtrace_wrong(r, line, "no column '%s', by which --trace-times goes",
                              columns[SIA_KIND][0]);
    return !r->options->times || jobtrace_read_times(r, "duration_s", &s->times);
}

int jobtrace_read_sia(jobtrace_reader *r)
{
    sia_log s;
    size_t row;
    int done;
    memset(&s, 0, sizeof s);
    s.reader = r;
    if (!csv_parse(&s.table, r->file, r->text->data, r->text->length, 0, r->message,
                   r->message_bytes))
        return 0;
    done = find_columns(&s);
    for (row = 0; done && row < s.table.rows; row++) done = read_row(&s, row);
    csv_free(&s.table);
    jobtrace_free_times(&s.times);
    return done;
}
