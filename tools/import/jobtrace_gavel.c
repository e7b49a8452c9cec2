/* jobtrace_gavel.c - traces of Gavel, and of Shockwave, which adds to them
 *
 * Fields between tabs, without a header row; how many tells which they are. A job is so many
 * steps, which take no time by themselves: a table of throughputs does. */
#include "import/jobtrace_rows.h"

#include <string.h>

enum { GAVEL_JOB = 0, GAVEL_TYPE, GAVEL_STEPS, GAVEL_WIDTH, GAVEL_ARRIVAL, GAVEL_DURATION,
       GAVEL_FIELDS };

static const char *const names[GAVEL_FIELDS] = {
    [GAVEL_JOB] = "job", [GAVEL_TYPE] = "job_type", [GAVEL_STEPS] = "total_steps",
    [GAVEL_WIDTH] = "scale_factor", [GAVEL_ARRIVAL] = "arrival_time", [GAVEL_DURATION] = "duration"
};

/* Where these stand in a row of so many fields, from 0. */
static const struct { int fields, column[GAVEL_FIELDS]; } forms[] = {
    /* job_type command num_steps_arg needs_data_dir total_steps arrival_time scale_factor */
    {7, {CSV_NONE, 0, 4, 6, 5, CSV_NONE}},
    /* the same with scale_factor priority_weight SLO arrival_time behind total_steps */
    {9, {CSV_NONE, 0, 4, 5, 8, CSV_NONE}},
    /* and working_directory behind command */
    {10, {CSV_NONE, 0, 5, 6, 9, CSV_NONE}},
    /* and mode behind scale_factor */
    {11, {CSV_NONE, 0, 5, 6, 10, CSV_NONE}},
    /* and duration before arrival_time */
    {12, {CSV_NONE, 0, 5, 6, 11, 10}}
};

static void read_row(jobtrace_reader *r, size_t row)
{
    jobtrace_job job = jobtrace_begin(r, row, GAVEL_JOB, 0);
    double steps = 0.0;
    uint64_t nodes = 0;
    const char *why = number_whole(jobtrace_cell(r, row, GAVEL_WIDTH), 1, UINT32_MAX, &nodes);
    if (why) jobtrace_fail_cell(r, row, GAVEL_WIDTH, why);
    job.nodes = (uint32_t)nodes;
    (void)jobtrace_number(r, row, GAVEL_STEPS, NUMBER_NON_NEGATIVE, &steps);
    (void)jobtrace_number(r, row, GAVEL_ARRIVAL, NUMBER_ANY, &job.submit_s);
    if (r->times.file) job.run_s = steps / jobtrace_time_of(r, row, GAVEL_TYPE, job.nodes);
    else (void)jobtrace_number(r, row, GAVEL_DURATION, NUMBER_NON_NEGATIVE, &job.run_s);
    jobtrace_keep(r, &job);
}

static void find_form(jobtrace_reader *r)
{
    const csv_table *t = &r->in->csv;
    size_t i = 0;
    while (i < COUNT_OF(forms) && forms[i].fields != t->columns) i++;
    if (i == COUNT_OF(forms))
        jobtrace_fail(r, csv_line(t, 0), "%d field%s between tabs, traces of Gavel have 7, 9 or "
                      "10, and of Shockwave 11 or 12", t->columns, t->columns == 1 ? "" : "s");
    memcpy(r->in->column, forms[i].column, sizeof forms[i].column);
    memcpy(r->in->name, names, sizeof names);
    if (!r->options->times && !jobtrace_has(r, GAVEL_DURATION))
        jobtrace_fail(r, csv_line(t, 0), "the jobs are counted in steps: give the steps per second "
                                         "of each job type by --trace-times FILE");
}

void jobtrace_read_gavel(jobtrace_reader *r)
{
    static const csv_layout layout = {'\t', 0, CSV_NO_HEADER, "", NULL};
    jobtrace_load(r, r->text);
    jobtrace_open(r, &layout, NULL, 0);
    find_form(r);
    if (r->options->times) jobtrace_read_times(r, "throughput");
    for (size_t row = 0; row < r->in->csv.rows; row++) read_row(r, row);
}
