/* jobtrace_helios.c - the job trace of Helios, CSV */
#include "import/jobtrace_rows.h"

#include <string.h>

static int helios_job(jobtrace_reader *r, const csv_table *t, size_t row, const char *const *name,
                      const int *column)
{
    const int started = csv_column(t, "start_time");   /* not needed */
    const size_t line = csv_line(t, row);
    const char *job_id = csv_text(t, row, column[0]), *gpus = csv_text(t, row, column[1]);
    const char *submit = csv_text(t, row, column[2]), *run = csv_text(t, row, column[3]);
    jobtrace_job job = {0};
    double nodes = 0.0, start_s;
    if (!jobtrace_new_name(r, line, name[0], job_id, strlen(job_id), &job.name)) return 0;
    if (!jobtrace_number(r, line, name[1], gpus, NUMBER_NON_NEGATIVE, &nodes)) return 0;
    if (!jobtrace_whole_nodes(r, line, name[1], nodes, &job.nodes)) return 0;
    if (!jobtrace_date(submit, strlen(submit), &job.submit_s))
        return jobtrace_wrong(r, line, "column '%s': '%s' is no time like 2020-06-09 18:41:01",
                              name[2], submit);
    if (!jobtrace_is_none(run, strlen(run)) &&
        !jobtrace_number(r, line, name[3], run, NUMBER_NON_NEGATIVE, &job.run_s))
        return 0;
    job.line = line;
    job.wait_s = -1.0;
    if (started != CSV_NONE) {
        const char *start = csv_text(t, row, started);
        if (jobtrace_date(start, strlen(start), &start_s) && start_s >= job.submit_s)
            job.wait_s = start_s - job.submit_s;
    }
    return jobtrace_keep(r, &job);
}

int jobtrace_read_helios(jobtrace_reader *r)
{
    static const char *const name[] = {"job_id", "gpu_num", "submit_time", "duration"};
    int column[COUNT_OF(name)], done;
    csv_table t;
    size_t row;
    if (!csv_parse(&t, r->file, r->text->data, r->text->length, 0, r->message,
                   r->message_bytes))
        return 0;
    done = jobtrace_find_columns(r, &t, name, column, COUNT_OF(name));
    for (row = 0; done && row < t.rows; row++) done = helios_job(r, &t, row, name, column);
    csv_free(&t);
    return done;
}
