/* job_read.c - jobs described by options and profiles */

#include "files/job_cluster.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- Quantities of options and profiles ------------------------------------ */

enum quantity {
    FORWARD = 0, BACKWARD, UPDATE, MODEL_SIZE, BANDWIDTH, UPLINK, DOWNLINK, BATCH, STEP,
    EXPONENT, QUANTITIES
};

static const struct {
    option_id   option;
    const char *column;
    size_t      field;        /* of sgdp_job                                        */
    sgdp_input  input;        /* SGDP_INPUT_COUNT: nothing that is fitted           */
} quantities[QUANTITIES] = {
    {OPTION_FORWARD, "forward_s", offsetof(sgdp_job, forward_s), SGDP_INPUT_FORWARD},
    {OPTION_BACKWARD, "backward_s", offsetof(sgdp_job, backward_s), SGDP_INPUT_BACKWARD},
    {OPTION_UPDATE, "update_s", offsetof(sgdp_job, update_s), SGDP_INPUT_UPDATE},
    {OPTION_MODEL_SIZE, "model_bytes", offsetof(sgdp_job, model_bytes), SGDP_INPUT_TRANSFER},
    {OPTION_BANDWIDTH, "bandwidth_bytes_per_s", offsetof(sgdp_job, bandwidth_bytes_per_s),
     SGDP_INPUT_BANDWIDTH},
    {OPTION_UPLINK, "uplink_s", offsetof(sgdp_job, uplink_s), SGDP_INPUT_COUNT},
    {OPTION_DOWNLINK, "downlink_s", offsetof(sgdp_job, downlink_s), SGDP_INPUT_COUNT},
    {OPTION_BATCH, "batch", offsetof(sgdp_job, batch), SGDP_INPUT_COUNT},
    {OPTION_STEP, "step_s", offsetof(sgdp_job, one_worker_step_s), SGDP_INPUT_COUNT},
    {OPTION_OVERLAP_EXPONENT, "overlap_exponent", offsetof(sgdp_job, overlap_exponent),
     SGDP_INPUT_OVERLAP},
};

typedef struct job_reader {
    job_set    *set;
    const args *a;
    unsigned    fitted;
    int         column[QUANTITIES];    /* in set->file; CSV_NONE                    */
    int         given[QUANTITIES];     /* by the present row, or an option          */
    option_id   preferred[QUANTITIES]; /* in place of a column; OPTION_COUNT: none  */
} job_reader;

static int is_fitted(const job_reader *r, enum quantity q)
{
    const sgdp_input input = quantities[q].input;
    return input != SGDP_INPUT_COUNT && (r->fitted & JOB_FITTED(input)) != 0;
}

/* An option goes before the column of what it gives, as of a faster network; but not where a
 * step was measured, of which the column's value is a part. */
static void prefer_option(job_reader *r, enum quantity q, option_id option)
{
    static const char *const measured[] = {"step_s", "measured_on"};
    const csv_table *t = r->set->file;
    size_t i;
    if (r->column[q] == CSV_NONE) return;
    for (i = 0; i < COUNT_OF(measured) && q != BATCH && q != STEP; i++)
        if (csv_column(t, measured[i]) != CSV_NONE)
            args_fail(option, NULL, "not with the columns '%s' and '%s' of %s: what was measured "
                      "holds for that value; leave out the second", quantities[q].column,
                      measured[i], t->name);
    r->preferred[q] = option;
    r->column[q] = CSV_NONE;
}

/* Behind what can fail. */
static void note_preferred(const job_reader *r)
{
    const csv_table *t = r->set->file;
    size_t q;
    for (q = 0; q < QUANTITIES; q++)
        if (r->preferred[q] != OPTION_COUNT)
            tool_note("option-before-column",
                      "%s: goes before the column '%s' of %s", option_name(r->preferred[q]),
                      quantities[q].column, t->name);
    if (t && csv_column(t, "measured_on") != CSV_NONE && args_given(r->a, OPTION_MEASURED_ON))
        tool_note("option-before-column",
                  "--measured-on: goes before the column 'measured_on' of %s", t->name);
}

static void find_columns(job_reader *r)
{
    const csv_table *t = r->set->file;
    size_t q;
    for (q = 0; q < QUANTITIES; q++) {
        const option_id option = quantities[q].option;
        r->preferred[q] = OPTION_COUNT;
        r->column[q] = t ? csv_column(t, quantities[q].column) : CSV_NONE;
        if (is_fitted(r, (enum quantity)q)) {
            if (args_given(r->a, option)) args_fail(option, NULL, "is to be fitted");
            r->column[q] = CSV_NONE;
        }
        if (q == EXPONENT && r->set->mode != MODE_ALLREDUCE) r->column[q] = CSV_NONE;
        if (args_given(r->a, option)) prefer_option(r, (enum quantity)q, option);
    }
    if (args_given(r->a, OPTION_OVERLAP)) prefer_option(r, EXPONENT, OPTION_OVERLAP);
    for (q = FORWARD; q <= BACKWARD && args_given(r->a, OPTION_WORKER_TYPE); q++)
        prefer_option(r, (enum quantity)q, OPTION_WORKER_TYPE);
}

/* What the row and the options give, into the job; the rest stays 0. */
static void read_quantities(job_reader *r, size_t row, sgdp_job *job)
{
    size_t q;
    for (q = 0; q < QUANTITIES; q++) {
        double *field = (double *)(void *)((char *)job + quantities[q].field);
        const int option = args_given(r->a, quantities[q].option);
        r->given[q] = option || !csv_is_empty(r->set->file, row, r->column[q]);
        if (option)
            *field = args_number(r->a, quantities[q].option, 0.0);
        else if (r->given[q])
            *field = csv_number(r->set->file, row, r->column[q],
                                options_all[quantities[q].option].rule);
    }
}

static void need(const job_reader *r, size_t row, enum quantity q)
{
    const csv_table *t = r->set->file;
    if (r->given[q] || is_fitted(r, q)) return;
    if (r->column[q] != CSV_NONE) csv_fail(t, row, r->column[q], "the cell is empty");
    if (t)
        tool_fail("%s:%lu: no column '%s', and no %s", t->name, (unsigned long)t->header_line,
                  quantities[q].column, option_name(quantities[q].option));
    tool_fail("%s is missing", option_name(quantities[q].option));
}

/* Limits of a flow, which are told as parts of the link. */
static int capped(const sgdp_job *job)
{
    return job->flow_cap_bytes_per_s > 0.0 || job->worker_bandwidth_bytes_per_s > 0.0;
}

/* Transfer times need no size and no bandwidth: an option that would only seem to
 * count is refused, and so is a time of 0 where the library would take the size. */
static void check_times(job_reader *r, size_t row, sgdp_job *job)
{
    const int local = job->gpus > 1, is_capped = capped(job);
    if (r->set->mode == MODE_ALLREDUCE) {
        if (job->uplink_s < job->downlink_s) job->uplink_s = job->downlink_s;
        job->downlink_s = job->uplink_s;
    } else {
        need(r, row, UPLINK);
        need(r, row, DOWNLINK);
    }
    if (!args_given(r->a, OPTION_GPUS) && args_given(r->a, OPTION_MODEL_SIZE))
        args_fail(OPTION_MODEL_SIZE, NULL, "not with transfer times, but for --gpus");
    if (!is_capped && args_given(r->a, OPTION_BANDWIDTH))
        args_fail(OPTION_BANDWIDTH, NULL,
                  "not with transfer times, but for --flow-cap or --worker-bandwidth");
    if (local && (!(job->uplink_s > 0.0) || !(job->downlink_s > 0.0)))
        job_fail(r->set, row, "with --gpus a transfer time of 0 cannot be");
    if (!local) job->model_bytes = 0.0;
    if (!is_capped) job->bandwidth_bytes_per_s = 0.0;
}

static void check_step(const job_reader *r, size_t row, sgdp_job *job)
{
    job_given given;
    given.forward = r->given[FORWARD];
    given.uplink = r->given[UPLINK];
    given.downlink = r->given[DOWNLINK];
    given.step_column = r->column[STEP] != CSV_NONE;
    job_check_step(r->set, row, job, &given);
}

/* Of several workers: the bandwidth is what is sought. */
static void read_measured(job_reader *r, size_t row, sgdp_job *job)
{
    const int kept = is_fitted(r, BANDWIDTH);
    if (job->types > 0) args_fail(OPTION_MEASURED_ON, NULL, "not with --worker-type");
    if (r->given[BANDWIDTH]) job_fail(r->set, row, "--measured-on: not with a bandwidth, which it "
                                      "finds");
    if (is_fitted(r, UPDATE) && !kept)
        args_fail(OPTION_MEASURED_ON, NULL, "with --fit server only together with bandwidth");
    if (kept || capped(job)) need(r, row, MODEL_SIZE);
    if (!r->given[STEP] && r->set->mode != MODE_ALLREDUCE) need(r, row, DOWNLINK);
    if (!r->given[STEP] && (r->set->mode != MODE_ALLREDUCE || !r->given[DOWNLINK]))
        need(r, row, UPLINK);
    if (r->set->mode == MODE_ALLREDUCE) {
        if (job->uplink_s < job->downlink_s) job->uplink_s = job->downlink_s;
        job->downlink_s = job->uplink_s;
    }
    if (!r->given[UPLINK] && !r->given[DOWNLINK]) need(r, row, MODEL_SIZE);
    check_step(r, row, job);
    job_convert_measured(r->set, row, kept);
}

static void read_job(job_reader *r, size_t row, sgdp_job *job)
{
    const int several = r->set->measured_on[row] > 0;
    read_quantities(r, row, job);
    if (r->given[EXPONENT] && job->overlap_exponent < 1.0)
        csv_fail(r->set->file, row, r->column[EXPONENT], "%s is below 1",
                 csv_text(r->set->file, row, r->column[EXPONENT]));
    if (job->types > 0) job->one_worker_step_s = 0.0;
    if (job->types == 0 && !(job->one_worker_step_s > 0.0 && !r->given[FORWARD])) {
        need(r, row, FORWARD);
        need(r, row, BACKWARD);
    }
    if (r->set->mode != MODE_ALLREDUCE) need(r, row, UPDATE);
    if (job->gpus > 1) need(r, row, MODEL_SIZE);
    if (job->gpus > 1 && !(job->one_worker_step_s > 0.0) &&
        !(job->local_bandwidth_bytes_per_s > 0.0) &&
        (r->fitted & JOB_FITTED(SGDP_INPUT_LOCAL_BANDWIDTH)) == 0)
        job_fail(r->set, row, "--local-bandwidth or --step is missing: --gpus is more than 1");
    if (several) {
        read_measured(r, row, job);
        return;
    }
    if (capped(job)) need(r, row, BANDWIDTH);
    if (r->given[UPLINK] || r->given[DOWNLINK]) {
        check_times(r, row, job);
    } else {
        need(r, row, MODEL_SIZE);
        need(r, row, BANDWIDTH);
    }
    check_step(r, row, job);
}

/* The names of the column job, distinct; without one, several rows are counted. */
static void read_names(job_set *set)
{
    const csv_table *t = set->file;
    const int column = csv_column(t, "job");
    size_t row;
    if (column == CSV_NONE && set->count == 1) return;
    if (column != CSV_NONE) csv_unique(t, &column, 1);
    set->name = (const char **)tool_alloc(set->count, sizeof *set->name);
    for (row = 0; row < set->count; row++) {
        if (column == CSV_NONE) {
            char *number = (char *)tool_alloc(24, 1);
            snprintf(number, 24, "%lu", (unsigned long)row);
            set->name[row] = number;
            continue;
        }
        if (csv_is_empty(t, row, column)) csv_fail(t, row, column, "the cell is empty");
        set->name[row] = csv_text(t, row, column);
    }
}

static void refuse_fitted(const job_reader *r, sgdp_input input, option_id option)
{
    if ((r->fitted & JOB_FITTED(input)) != 0 && args_given(r->a, option))
        args_fail(option, NULL, "is to be fitted");
}

/* The mode and the model, which auto takes by what is asked for. */
static void read_model(job_set *set, const args *a, unsigned fitted)
{
    set->mode = mode_read(a);
    set->model = mode_read_model(a, set->mode, &set->chosen);
    if (set->chosen && set->mode == MODE_SYNC && args_given(a, OPTION_BACKUP))
        set->model = SGDP_SYNC_AVERAGE;
    if (set->model == SGDP_SYNC_AVERAGE && set->chosen)
        tool_note("model-replaced",
                  "--backup: model average in place of staggered, which does not know it: there "
                  "are no intervals, and transfers of the workers dropped count all the same");
    if (fitted != 0 && args_given(a, OPTION_BACKUP))
        args_fail(OPTION_BACKUP, NULL, "not with --fit");
    if (set->chosen && set->mode == MODE_ASYNC &&
        (args_given(a, OPTION_THRESHOLD) || args_given(a, OPTION_SWITCH_ANEW) ||
         (fitted & JOB_FITTED(SGDP_INPUT_THRESHOLD)) != 0))
        set->model = SGDP_ASYNC_SWITCH;
}

void job_read(job_set *set, const args *a, unsigned fitted)
{
    job_read_profile(set, a, fitted, NULL);
}

void job_read_profile(job_set *set, const args *a, unsigned fitted, const csv_table *profile)
{
    job_reader reader = {0};
    sgdp_job cluster;
    size_t row;
    memset(set, 0, sizeof *set);
    reader.set = set;
    reader.a = a;
    reader.fitted = fitted;
    read_model(set, a, fitted);
    job_check_options(set, a);
    refuse_fitted(&reader, SGDP_INPUT_LATENCY, OPTION_LATENCY);
    refuse_fitted(&reader, SGDP_INPUT_THRESHOLD, OPTION_THRESHOLD);
    refuse_fitted(&reader, SGDP_INPUT_OVERLAP, OPTION_OVERLAP_EXPONENT);
    refuse_fitted(&reader, SGDP_INPUT_FLOW_CAP, OPTION_FLOW_CAP);
    refuse_fitted(&reader, SGDP_INPUT_LOCAL_BANDWIDTH, OPTION_LOCAL_BANDWIDTH);
    cluster = job_read_cluster(set, a);
    set->count = 1;
    if (profile || args_given(a, OPTION_PROFILE)) {
        set->file = profile ? profile : csv_read(args_text(a, OPTION_PROFILE, NULL), 0);
        set->count = set->file->rows;
        read_names(set);
    }
    find_columns(&reader);
    set->job = (sgdp_job *)tool_alloc(set->count, sizeof *set->job);
    set->measured_on = (uint32_t *)tool_alloc(set->count, sizeof *set->measured_on);
    set->measured_step_s = (double *)tool_alloc(set->count, sizeof *set->measured_step_s);
    set->unsure = (sgdp_uncertainty *)tool_alloc(set->count, sizeof *set->unsure);
    for (row = 0; row < set->count; row++) {
        set->job[row] = cluster;
        set->measured_on[row] = job_read_measured_on(set, a, row);
        job_read_unsure(set, a, row);
        read_job(&reader, row, &set->job[row]);
    }
    note_preferred(&reader);
    job_check_sample(set);
}
