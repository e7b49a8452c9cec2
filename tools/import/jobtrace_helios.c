/* jobtrace_helios.c - the job trace of Helios, CSV */
#include "import/jobtrace_rows.h"

#include <string.h>

enum { HELIOS_JOB = 0, HELIOS_WIDTH, HELIOS_SUBMIT, HELIOS_RUN, HELIOS_START, HELIOS_FIELDS };

static const jobtrace_field fields[HELIOS_FIELDS] = {
    [HELIOS_JOB] = {{"job_id"}, JOBTRACE_REQUIRED, NULL},
    [HELIOS_WIDTH] = {{"gpu_num"}, JOBTRACE_REQUIRED, NULL},
    [HELIOS_SUBMIT] = {{"submit_time"}, JOBTRACE_REQUIRED, NULL},
    [HELIOS_RUN] = {{"duration"}, JOBTRACE_REQUIRED, jobtrace_is_none},
    [HELIOS_START] = {{"start_time"}, JOBTRACE_OPTIONAL, NULL}
};

static void read_row(jobtrace_reader *r, size_t row)
{
    const char *submit = jobtrace_cell(r, row, HELIOS_SUBMIT);
    const char *start = jobtrace_cell(r, row, HELIOS_START);
    jobtrace_job job = jobtrace_begin(r, row, HELIOS_JOB, 1);
    double nodes = 0.0, start_s;
    (void)jobtrace_number(r, row, HELIOS_WIDTH, NUMBER_NON_NEGATIVE, &nodes);
    job.nodes = jobtrace_whole_nodes(r, job.line, r->in->name[HELIOS_WIDTH], nodes);
    if (!jobtrace_date(submit, strlen(submit), &job.submit_s))
        jobtrace_fail_cell(r, row, HELIOS_SUBMIT, "is not a time like 2020-06-09 18:41:01");
    (void)jobtrace_number(r, row, HELIOS_RUN, NUMBER_NON_NEGATIVE, &job.run_s);
    if (jobtrace_date(start, strlen(start), &start_s) && start_s >= job.submit_s)
        job.wait_s = start_s - job.submit_s;
    jobtrace_keep(r, &job);
}

void jobtrace_read_helios(jobtrace_reader *r)
{
    jobtrace_load(r, r->text);
    jobtrace_open(r, &csv_commas, fields, HELIOS_FIELDS);
    for (size_t row = 0; row < r->in->csv.rows; row++) read_row(r, row);
}
