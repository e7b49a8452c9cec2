/* jobtrace_sia.c - workloads of Pollux and Sia, and the jobs that they are drawn from
 *
 * A workload says what is trained, not how long: that is in a column duration or gpu_time,
 * or asked of a table by application and replicas. */
#include "import/jobtrace_rows.h"

enum { SIA_NAME = 0, SIA_TIME, SIA_WIDTH, SIA_KIND, SIA_DURATION, SIA_GPU_TIME, SIA_FIELDS };

static const jobtrace_field fields[SIA_FIELDS] = {
    [SIA_NAME] = {{"name"}, JOBTRACE_OPTIONAL, NULL},
    [SIA_TIME] = {{"time", "timestamp"}, JOBTRACE_EITHER, NULL},
    [SIA_WIDTH] = {{"num_replicas", "num_gpus"}, JOBTRACE_EITHER, jobtrace_is_unknown},
    [SIA_KIND] = {{"application"}, JOBTRACE_OPTIONAL, NULL},
    [SIA_DURATION] = {{"duration"}, JOBTRACE_OPTIONAL, jobtrace_is_unknown},
    [SIA_GPU_TIME] = {{"gpu_time"}, JOBTRACE_OPTIONAL, jobtrace_is_unknown}
};

static void read_row(jobtrace_reader *r, size_t row)
{
    jobtrace_job job = jobtrace_begin(r, row, SIA_NAME, 1);
    double width = 0.0;
    if (!jobtrace_stamp(jobtrace_cell(r, row, SIA_TIME), &job.submit_s))
        (void)jobtrace_number(r, row, SIA_TIME, NUMBER_ANY, &job.submit_s);
    (void)jobtrace_number(r, row, SIA_WIDTH, NUMBER_NON_NEGATIVE, &width);
    job.nodes = jobtrace_whole_nodes(r, job.line, r->in->name[SIA_WIDTH], width);
    if (r->times.file) {
        if (job.nodes > 0) job.run_s = jobtrace_time_of(r, row, SIA_KIND, job.nodes);
    } else if (jobtrace_has(r, SIA_DURATION)) {
        (void)jobtrace_number(r, row, SIA_DURATION, NUMBER_NON_NEGATIVE, &job.run_s);
    } else {
        (void)jobtrace_number(r, row, SIA_GPU_TIME, NUMBER_NON_NEGATIVE, &job.run_s);
        if (width > 0.0) job.run_s /= width;
    }
    if (job.nodes == 0) job.run_s = 1.0;   /* it is counted as one without GPUs */
    jobtrace_keep(r, &job);
}

void jobtrace_read_sia(jobtrace_reader *r)
{
    const int times = r->options->times != NULL;
    jobtrace_load(r, r->text);
    jobtrace_open(r, &csv_commas, fields, SIA_FIELDS);
    if (!times && !jobtrace_has(r, SIA_DURATION) && !jobtrace_has(r, SIA_GPU_TIME))
        jobtrace_fail(r, r->in->csv.header_line, "column 'duration' or 'gpu_time' is missing: "
                                                 "give the run times by application with "
                                                 "--trace-times FILE");
    if (times && !jobtrace_has(r, SIA_KIND))
        jobtrace_fail(r, r->in->csv.header_line, "column '%s' is missing, which --trace-times "
                                                 "needs",
                      r->in->name[SIA_KIND]);
    if (times) jobtrace_read_times(r, "duration_s");
    for (size_t row = 0; row < r->in->csv.rows; row++) read_row(r, row);
}
