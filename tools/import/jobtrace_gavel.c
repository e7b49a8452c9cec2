/* jobtrace_gavel.c - traces of Gavel, and of Shockwave, which adds to them
 *
 * Fields between tabs, without a header row; how many tells which they are. A job is so many
 * steps, which take no time by themselves: a table of throughputs does. */
#include "base/digits.h"
#include "import/jobtrace_rows.h"

#include <string.h>

/* Where what is read stands, from 0; duration -1: there is none. */
typedef struct gavel_form { int fields, steps, width, arrival, duration; } gavel_form;

static const gavel_form forms[] = {
    /* job_type command num_steps_arg needs_data_dir total_steps arrival_time scale_factor */
    {7, 4, 6, 5, -1},
    /* the same with scale_factor priority_weight SLO arrival_time behind total_steps */
    {9, 4, 5, 8, -1},
    /* and working_directory behind command */
    {10, 5, 6, 9, -1},
    /* and mode behind scale_factor */
    {11, 5, 6, 10, -1},
    /* and duration before arrival_time */
    {12, 5, 6, 11, 10}
};

typedef struct gavel_log {
    jobtrace_reader *reader;
    csv_table      table;
    gavel_form     form;
    jobtrace_times times;
} gavel_log;

static int read_row(gavel_log *g, size_t row)
{
    jobtrace_reader *r = g->reader;
    const gavel_form *f = &g->form;
    const char *steps_text = csv_text(&g->table, row, f->steps);
    const char *width = csv_text(&g->table, row, f->width);
    char name[NUMBER_BYTES];
    jobtrace_job job = {0};
    double steps = 0.0, per_s = 0.0;
    uint64_t nodes = 0;
    const char *why = number_whole(width, 1, UINT32_MAX, &nodes);
    job.line = csv_line(&g->table, row);
    job.wait_s = -1.0;
    (void)number_write((double)row, name);
    if (!jobtrace_new_name(r, job.line, "job", name, strlen(name), &job.name)) return 0;
    if (why) return jobtrace_wrong(r, job.line, "column 'scale_factor': '%s' %s", width, why);
    job.nodes = (uint32_t)nodes;
    if (!jobtrace_number(r, job.line, "total_steps", steps_text, NUMBER_NON_NEGATIVE, &steps) ||
        !jobtrace_number(r, job.line, "arrival_time", csv_text(&g->table, row, f->arrival),
                         NUMBER_ANY, &job.submit_s))
        return 0;
    if (g->times.file) {
        const char *type = csv_text(&g->table, row, 0);
        if (!jobtrace_time_of(r, job.line, &g->times, type, job.nodes, &per_s)) return 0;
        job.run_s = steps / per_s;
    } else if (!jobtrace_number(r, job.line, "duration", csv_text(&g->table, row, f->duration),
                                NUMBER_NON_NEGATIVE, &job.run_s)) {
        return 0;
    }
    return jobtrace_keep(r, &job);
}

static int find_form(gavel_log *g)
{
    jobtrace_reader *r = g->reader;
    const size_t line = csv_line(&g->table, 0);
    size_t i = 0;
    while (i < COUNT_OF(forms) && forms[i].fields != g->table.columns) i++;
    if (i == COUNT_OF(forms))
        return jobtrace_wrong(r, line, "%d field%s between tabs, traces of Gavel have 7, 9 or 10, "
                              "and of Shockwave 11 or 12", g->table.columns,
                              g->table.columns == 1 ? "" : "s");
    g->form = forms[i];
    if (!r->options->times && g->form.duration < 0)
        return jobtrace_wrong(r, line, "its jobs are so many steps, which are no time: "
                              "--trace-times FILE says how many a job type does in a second");
    return !r->options->times || jobtrace_read_times(r, "throughput", &g->times);
}

int jobtrace_read_gavel(jobtrace_reader *r)
{
    static const jobtrace_layout layout = {'\t', 0, CSV_NO_HEADER, "", NULL};
    gavel_log g;
    size_t row;
    int done;
    memset(&g, 0, sizeof g);
    g.reader = r;
    if (!jobtrace_table(r, r->text, &layout, &g.table)) return 0;
    done = find_form(&g);
    for (row = 0; done && row < g.table.rows; row++) done = read_row(&g, row);
    csv_free(&g.table);
    jobtrace_free_times(&g.times);
    return done;
}
