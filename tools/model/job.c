/* job.c - a job as the options and a profile tell it, and what is predicted of it */
#include "model/job.h"

#include "files/exchange.h"
#include "files/job_fit.h"
#include "files/status.h"
#include "model/declared.h"
#include "model/topology.h"
#include "options/rules.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbers ------------------------------------------------------------------ */

/* Up to QUANTITIES a profile may have them in columns. */
enum quantity {
    FORWARD = 0, BACKWARD, UPDATE, MODEL_SIZE, BANDWIDTH, UPLINK, DOWNLINK, BATCH, STEP,
    ALLTOALL, EXPONENT, EXPOSURE, GROWTH, GROWTH_BETWEEN, INPUT_RATE, QUANTITIES,
    WORKER_BANDWIDTH = QUANTITIES, LOCAL_BANDWIDTH, FLOW_CAP, LATENCY, DELAY, PORT_BUFFER,
    THRESHOLD, SERVER_COST, NUMBERS
};

#define NUMBER(option, name, field, input) \
    {OPTION_##option, name, offsetof(sgdp_job, field), SGDP_INPUT_##input}

static const struct {
    option_id   option;
    const char *name;         /* of the column, and of a result                     */
    size_t      field;        /* of sgdp_job                                        */
    sgdp_input  input;        /* SGDP_INPUT_COUNT: nothing that is fitted           */
} numbers[NUMBERS] = {
    [FORWARD] = NUMBER(FORWARD, "forward_s", compute.forward_s, FORWARD),
    [BACKWARD] = NUMBER(BACKWARD, "backward_s", compute.backward_s, BACKWARD),
    [UPDATE] = NUMBER(UPDATE, "update_s", compute.update_s, UPDATE),
    [MODEL_SIZE] = NUMBER(MODEL_SIZE, "model_bytes", model_bytes, TRANSFER),
    [BANDWIDTH] = NUMBER(BANDWIDTH, "bandwidth_bytes_per_s", links.bandwidth_bytes_per_s,
                         BANDWIDTH),
    [UPLINK] = NUMBER(UPLINK, "uplink_s", links.uplink_s, COUNT),
    [DOWNLINK] = NUMBER(DOWNLINK, "downlink_s", links.downlink_s, COUNT),
    [BATCH] = NUMBER(BATCH, "batch", compute.batch, COUNT),
    [STEP] = NUMBER(STEP, "step_s", compute.one_worker_step_s, COUNT),
    [ALLTOALL] = NUMBER(ALLTOALL_SIZE, "alltoall_bytes", collective.alltoall_bytes, COUNT),
    [EXPONENT] = NUMBER(OVERLAP_EXPONENT, "overlap_exponent", overlap.exponent, OVERLAP),
    [EXPOSURE] = NUMBER(EXPOSURE, "exposure", overlap.exposure, EXPOSURE),
    [GROWTH] = NUMBER(GROWTH, "growth", machine.growth, GROWTH),
    [GROWTH_BETWEEN] = NUMBER(GROWTH_BETWEEN, "growth_between", machine.growth_between,
                              GROWTH_BETWEEN),
    [INPUT_RATE] = NUMBER(INPUT_RATE, "input_rate", machine.input_examples_per_s, COUNT),
    [WORKER_BANDWIDTH] = NUMBER(WORKER_BANDWIDTH, "worker_bandwidth_bytes_per_s",
                                links.worker_bandwidth_bytes_per_s, COUNT),
    [LOCAL_BANDWIDTH] = NUMBER(LOCAL_BANDWIDTH, "local_bandwidth_bytes_per_s",
                               machine.local_bandwidth_bytes_per_s, LOCAL_BANDWIDTH),
    [FLOW_CAP] = NUMBER(FLOW_CAP, "flow_cap_bytes_per_s", links.flow_cap_bytes_per_s, FLOW_CAP),
    [LATENCY] = NUMBER(LATENCY, "latency_s", links.latency_s, LATENCY),
    [DELAY] = NUMBER(DELAY, "delay_s", links.delay_s, COUNT),
    [PORT_BUFFER] = NUMBER(PORT_BUFFER, "port_buffer_bytes", links.port_buffer_bytes, COUNT),
    [THRESHOLD] = NUMBER(THRESHOLD, "threshold", threshold, THRESHOLD),
    [SERVER_COST] = NUMBER(SERVER_COST, "server_cost_s", servers.message_s, MESSAGE)
};

static double *field_of(sgdp_job *job, size_t q)
{
    return (double *)(void *)((char *)job + numbers[q].field);
}

const char *job_input_name(sgdp_input input)
{
    size_t q = 0;
    while (numbers[q].input != input) q++;
    return numbers[q].name;
}

typedef struct job_reader {
    job_set    *set;
    const args *a;
    unsigned    fitted;
    int         column[QUANTITIES];    /* in set->file; CSV_NONE                    */
    int         given[QUANTITIES];     /* by the present row, or an option          */
    option_id   preferred[QUANTITIES]; /* in place of a column; OPTION_COUNT: none  */
} job_reader;

static int is_fitted(const job_reader *r, size_t q)
{
    const sgdp_input input = numbers[q].input;
    return input != SGDP_INPUT_COUNT && (r->fitted & JOB_FITTED(input)) != 0;
}

/* Fitted beside a prior, which is what the options or the profile declare. */
static int is_declarable(size_t q) { return q == BANDWIDTH || q == LOCAL_BANDWIDTH; }

/* ---- Predictions -------------------------------------------------------------- */

/* Fails over job i: "FILE:LINE: reason", without a profile the reason alone. */
TOOL_PRINTF(3, 4)
TOOL_NORETURN static void job_fail(const job_set *set, size_t i, const char *reason, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, reason);
    vsnprintf(text, sizeof text, reason, arguments);
    va_end(arguments);
    if (set->file) csv_fail(set->file, i, CSV_NONE, "%s", text);
    tool_fail("%s", text);
}

enum { TIME = 1000000000 };            /* seconds: 30 years                          */
static const double large = 1e18, least = 1e-18;

static int is_far(double value, double most)
{
    return value > 0.0 && !(value <= most && value >= least);
}

/* The first of the types of workers that has such a time. */
static void add_far_type(const sgdp_job *job, char *text, size_t bytes)
{
    const size_t used = strlen(text);
    for (size_t t = 0; t < job->workers.types; t++) {
        const sgdp_worker_type *of = &job->workers.type[t];
        if (!is_far(of->forward_s, TIME) && !is_far(of->backward_s, TIME) &&
            !is_far(of->delay_s, TIME)) continue;
        snprintf(text + used, bytes - used, "%s --worker-type has forward %g s, backward %g s, "
                 "delay %g s", used > 0 ? "," : ":", of->forward_s, of->backward_s, of->delay_s);
        return;
    }
}

const char *job_far_numbers(const job_set *set, size_t i, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t q = 0; q < NUMBERS && used < bytes; q++) {
        const option_id option = numbers[q].option;
        const double value = *field_of(&set->job[i], q);
        const int column = set->file && q < QUANTITIES
                         && csv_column(set->file, numbers[q].name) != CSV_NONE;
        if (!is_far(value, options_all[option].unit == UNIT_TIME ? TIME : large)) continue;
        used += (size_t)snprintf(text + used, bytes - used, "%s %s is %g", used > 0 ? "," : ":",
                                 column ? numbers[q].name : option_name(option), value);
    }
    if (used < bytes) add_far_type(&set->job[i], text, bytes);
    return text;
}

/* Options and cells have been checked: what the library still refuses is a step that
 * takes no time, or numbers beyond a double together. */
static sgdp_status check_status(const job_set *set, size_t i, uint32_t workers,
                                sgdp_status status)
{
    const char *model = sgdp_model_text(set->model);
    const unsigned long count = (unsigned long)workers;
    char far[400];
    if (status == SGDP_OK || status == SGDP_NOT_CONVERGED) return status;
    if (status == SGDP_OVER_BUDGET)
        job_fail(set, i, "%lu workers take too long with --model %s: use --model hybrid, an "
                         "approximation", count, model);
    if (status == SGDP_TOO_LARGE)
        job_fail(set, i, "%lu workers are too many for --model %s", count, model);
    if (status == SGDP_BAD_ARGUMENT && *job_far_numbers(set, i, far, sizeof far))
        job_fail(set, i, "a step of %lu worker%s is out of range%s", COUNTED(count), far);
    if (status == SGDP_BAD_ARGUMENT)
        job_fail(set, i, "a step of %lu worker%s takes no time: give times above 0",
                 COUNTED(count));
    job_fail(set, i, "%s", sgdp_status_text(status));
}

static uint32_t workers_of(const sgdp_job *job, uint32_t workers)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < job->workers.types; i++) sum += job->workers.type[i].count;
    return job->workers.types > 0 ? sum : workers;
}

static void *grow_work(job_set *set, size_t bytes)
{
    set->work = tool_grow(set->work, 0, &set->work_bytes, bytes, 1);
    return set->work;
}

/* Makes room in set->work for predictions with so many workers. */
static void reserve_work(job_set *set, size_t i, uint32_t workers)
{
    size_t bytes = 0;
    check_status(set, i, workers,
                 sgdp_predict_bytes(&set->job[i], set->model, workers, &bytes));
    (void)grow_work(set, bytes);
}

sgdp_status job_predict(job_set *set, size_t i, uint32_t workers, sgdp_prediction *out)
{
    const uint32_t K = workers_of(&set->job[i], workers);
    reserve_work(set, i, K);
    return check_status(set, i, K, sgdp_predict(&set->job[i], set->model, K, set->work,
                                                set->work_bytes, out));
}

/* What a curve is refused for is said of the point that is to blame. */
sgdp_status job_predict_curve(job_set *set, size_t i, const sgdp_curve *curve)
{
    const sgdp_job *job = &set->job[i];
    size_t bytes = 0, k;
    sgdp_status worst = sgdp_predict_curve_bytes(job, set->model, curve, &bytes);
    if (worst == SGDP_OK)
        worst = sgdp_predict_curve(job, set->model, curve, grow_work(set, bytes), bytes);
    if (worst == SGDP_OK || worst == SGDP_NOT_CONVERGED) return worst;
    for (k = 0, worst = SGDP_OK; k < curve->points; k++) {
        curve->status[k] = job_predict(set, i, curve->workers[k], &curve->out[k]);
        if (curve->status[k] != SGDP_OK) worst = curve->status[k];
    }
    return worst;
}

sgdp_status job_answer(const sgdp_job *job, sgdp_model model, uint32_t workers,
                       sgdp_prediction *out)
{
    size_t bytes = 0;
    sgdp_status status = sgdp_predict_bytes(job, model, workers, &bytes);
    void *work = status == SGDP_OK ? tool_resize(NULL, bytes, 1) : NULL;
    if (status == SGDP_OK) status = sgdp_predict(job, model, workers, work, bytes, out);
    tool_free(work);
    return status;
}

/* See network_doubled. */
static double doubled(const job_set *set, size_t i)
{
    const uint32_t cards = set->kinds[i].cards;
    return network_doubled(set->kinds[i].between, set->job[i].links.bandwidth_bytes_per_s
                                                      / (cards > 1 ? cards : 1));
}

sgdp_status job_elasticity(job_set *set, size_t i, uint32_t workers, double *elasticity)
{
    const uint32_t K = workers_of(&set->job[i], workers);
    sgdp_status status;
    reserve_work(set, i, K);
    status = check_status(set, i, K, sgdp_elasticity(&set->job[i], set->model, K, set->work,
                                                     set->work_bytes, elasticity));
    if (doubled(set, i) <= 1.0) elasticity[SGDP_INPUT_BANDWIDTH] = 0.0;
    return status;
}

/* Throughput with links so many times as fast, over the present one. */
static double rate_with(job_set *set, size_t i, uint32_t workers, double times)
{
    const sgdp_job kept = set->job[i];
    sgdp_prediction before = {0}, after = {0};
    (void)job_predict(set, i, workers, &before);
    if (sgdp_move_job(&kept, set->model, 1.0, times, &set->job[i]) == SGDP_OK)
        (void)job_predict(set, i, workers, &after);
    set->job[i] = kept;
    return after.batches_per_s > 0.0 ? after.batches_per_s / before.batches_per_s : 1.0;
}

sgdp_status job_remedies(job_set *set, size_t i, uint32_t workers, double *gain)
{
    const uint32_t K = workers_of(&set->job[i], workers);
    const double times = doubled(set, i);
    size_t bytes = 0;
    check_status(set, i, K, sgdp_remedies_bytes(&set->job[i], set->model, K, &bytes));
    sgdp_status status = check_status(set, i, K, sgdp_remedies(&set->job[i], set->model, K,
                                                               grow_work(set, bytes), bytes, gain));
    if (times <= 1.0) gain[SGDP_REMEDY_BANDWIDTH] = 0.0;
    else if (times < 2.0) gain[SGDP_REMEDY_BANDWIDTH] = rate_with(set, i, workers, times) - 1.0;
    return status;
}

void job_note_capped(job_set *set, size_t i, uint32_t workers)
{
    const network *of = set->kinds[i].between;
    const double line = set->kinds[i].line_bytes_per_s;
    const network *other = of && doubled(set, i) <= 1.0 ? network_better(of, line) : NULL;
    double times = 1.0, rate;
    char help[200] = "more flows or another kind of network would help";
    if (!of || doubled(set, i) > 1.0) return;
    rate = rate_with(set, i, workers, 2.0);
    if (rate < 1.01) return;           /* the link does not matter                      */
    if (other) times = network_carries(other, line) / network_carries(of, line);
    if (other)
        snprintf(help, sizeof help, "with --network %s (%s) %lu workers would be %.0f %% faster",
                 other->name, other->note, (unsigned long)workers,
                 100.0 * (rate_with(set, i, workers, times) - 1.0));
    tool_note("flows-capped",
              "--network %s: %g flow%s of %g Gbit/s carr%s less than the link, so twice the "
              "bandwidth gains nothing; %s", of->name, of->flows, of->flows > 1.0 ? "s" : "",
              of->flow_cap_bytes_per_s * 8e-9, of->flows > 1.0 ? "y" : "ies", help);
}

double job_operations(job_set *set, size_t i, uint32_t workers)
{
    const uint32_t K = workers_of(&set->job[i], workers);
    double operations = 0.0;
    check_status(set, i, K,
                 sgdp_predict_operations(&set->job[i], set->model, K, &operations));
    return operations;
}

double job_curve_operations(job_set *set, size_t i, const uint32_t *workers, size_t points)
{
    const sgdp_curve curve = {workers, points, NULL, NULL};
    double operations = 0.0;
    size_t k;
    if (set->job[i].workers.types == 0 &&
        sgdp_predict_curve_operations(&set->job[i], set->model, &curve, &operations) == SGDP_OK)
        return operations;
    for (k = 0, operations = 0.0; k < points; k++)
        operations += job_operations(set, i, workers[k]);
    return operations;
}

int job_uses(const job_set *set, size_t i, sgdp_input input)
{
    const sgdp_job *job = &set->job[i];
    const double transfer_s = job->links.uplink_s + job->links.downlink_s;
    switch (input) {
    case SGDP_INPUT_FORWARD:
    case SGDP_INPUT_BACKWARD:        return 1;
    case SGDP_INPUT_UPDATE:          return job->compute.update_s > 0.0;
    case SGDP_INPUT_TRANSFER:        return transfer_s > 0.0 || job->model_bytes > 0.0;
    case SGDP_INPUT_BANDWIDTH:       return job->links.bandwidth_bytes_per_s > 0.0;
    case SGDP_INPUT_LATENCY:         return job->links.latency_s > 0.0;
    case SGDP_INPUT_FLOW_CAP:        return job->links.flow_cap_bytes_per_s > 0.0;
    case SGDP_INPUT_LOCAL_BANDWIDTH: return job->machine.gpus > 1;
    case SGDP_INPUT_OVERLAP:         return job->overlap.exponent > 0.0;
    case SGDP_INPUT_MESSAGE:         return job->servers.message_s > 0.0;
    case SGDP_INPUT_EXPOSURE:
    case SGDP_INPUT_GROWTH:
    case SGDP_INPUT_GROWTH_BETWEEN:
    case SGDP_INPUT_THRESHOLD:
    case SGDP_INPUT_COUNT:           break;
    }
    return 0;
}

/* ---- Measured steps: measured with several workers ---------------------------- */

/* Row i's workers while it was measured: --measured-on or the column of that name; 0: one
 * alone, which is the default. */
static uint32_t read_measured_on(const job_set *set, const args *a, size_t i)
{
    const int column = set->file ? csv_column(set->file, "measured_on") : CSV_NONE;
    uint32_t workers = (uint32_t)args_integer(a, OPTION_MEASURED_ON, 1, UINT32_MAX, 1);
    if (column != CSV_NONE && !args_given(a, OPTION_MEASURED_ON))
        workers = (uint32_t)csv_integer_or(set->file, i, column, 1, UINT32_MAX, 1);
    return workers > 1 ? workers : 0;
}

/* What the transfers of several workers were taken for. */
static void note_found(const job_set *set, size_t i)
{
    const sgdp_job *job = &set->job[i];
    const char *name = set->name ? set->name[i] : "the profile";
    const unsigned long workers = (unsigned long)set->measured_on[i];
    const double step_s = set->measured_step_s[i];
    if (job->model_bytes > 0.0)
        tool_note("measured-transfers",
                  "%s: measured on %lu workers: the step of %.4g s in model %s implies a "
                  "bandwidth of %.4g B/s, which is used", name, workers, step_s,
                  sgdp_model_text(set->model), job->links.bandwidth_bytes_per_s);
    else
        tool_note("measured-transfers",
                  "%s: measured on %lu workers: the step of %.4g s in model %s implies "
                  "transfers of %.4g s up and %.4g s down for one worker alone, which are used",
                  name, workers, step_s, sgdp_model_text(set->model), job->links.uplink_s,
                  job->links.downlink_s);
}

sgdp_status job_take_waiting_out(const sgdp_job *job, sgdp_model model, uint32_t workers,
                                 sgdp_job *out)
{
    job_alone of;
    size_t bytes = 0;
    sgdp_status status = job_alone_open(&of, job, model, workers, &bytes);
    if (status == SGDP_OK) status = job_alone_find(&of, tool_alloc(bytes, 1), bytes);
    if (status == SGDP_OK) *out = of.job;
    return status;
}

/* Job i, measured with so many workers, to one worker's, if not `kept`: with its compute
 * time alone, for the bandwidth to be fitted. */
static void convert_measured(job_set *set, size_t i, int kept)
{
    sgdp_job alone, *job = &set->job[i];
    const uint32_t workers = set->measured_on[i];
    sgdp_status status = sgdp_measured_step(job, set->model, &alone, &set->measured_step_s[i]);
    if (status != SGDP_OK)
        job_fail(set, i, "--measured-on: update and transfers leave no compute time in the step: "
                         "if transfers overlap with computation, give --step");
    if (kept) {
        alone.links.uplink_s = alone.links.downlink_s = 0.0;
        *job = alone;
        return;
    }
    status = job_take_waiting_out(job, set->model, workers, &alone);
    if (status == SGDP_BAD_ARGUMENT)
        job_fail(set, i, "--measured-on: with %lu workers model %s counts no transfer, so no "
                         "bandwidth can be computed",
                 (unsigned long)workers, sgdp_model_text(set->model));
    if (status == SGDP_NOT_CONVERGED)
        job_fail(set, i, "--measured-on: %lu workers cannot have the measured step of %.4g s in "
                         "model %s at any bandwidth: check the step and the number of workers",
                         (unsigned long)workers,
                 set->measured_step_s[i], sgdp_model_text(set->model));
    if (status != SGDP_OK) job_fail(set, i, "--measured-on: %s", sgdp_status_text(status));
    *job = alone;
    note_found(set, i);
}

/* ---- Measured steps: a measured step ------------------------------------------ */

/* A step whose phases, as of training on one machine, leave no room for the transfers that size
 * and bandwidth tell: the phases count as measured. */
static int lacks_transfers(const job_reader *r, const sgdp_job *job, double sent_s,
                           const char *name)
{
    const sgdp_compute *of = &job->compute;
    const double phases_s = of->forward_s + of->backward_s + of->update_s;
    const double step_s = of->one_worker_step_s, sum_s = phases_s + 2.0 * sent_s;
    if (r->set->mode == MODE_ALLREDUCE || r->column[STEP] == CSV_NONE) return 0;
    if (r->given[UPLINK]) return 0;    /* and with it the other one */
    if (!(step_s > 1.02 * phases_s)) return 1;
    if (job->overlap.rule != SGDP_OVERLAP_NONE || !(sum_s > 1.02 * step_s)) return 0;
    tool_note("step-too-short",
              "%s: the step of %.4g s has no room for transfers of %.4g s beside phases of %.4g s: "
              "the step is assumed to be measured without transfers, which are added", name, step_s,
              2.0 * sent_s, phases_s);
    return 1;
}

/* Row i's measured step beside its phases: says what is assumed where they differ, and drops
 * the step where it cannot hold the transfers.
 *
 * A measured step beside its phases. What no phase explains is the worker's, as a host
 * that prepares the next mini-batch; phases that overlap add up to more than the step. */
static void check_step(const job_reader *r, size_t row, sgdp_job *job)
{
    const job_set *set = r->set;
    const int several = set->measured_on[row] > 0;
    const double bandwidth = job->links.bandwidth_bytes_per_s;
    const double sent_s = job->model_bytes > 0.0 && bandwidth > 0.0
                              ? job->model_bytes / bandwidth : 0.0;
    sgdp_compute *of = &job->compute;
    const double step_s = of->one_worker_step_s;
    const char *name = set->name ? set->name[row] : "the profile";
    double sum_s = of->forward_s + of->backward_s + of->update_s;
    if (!(step_s > 0.0) || !r->given[FORWARD] || job->machine.gpus > 1) return;
    if (set->mode != MODE_ALLREDUCE) {
        sum_s += r->given[UPLINK] ? job->links.uplink_s : sent_s;
        sum_s += r->given[DOWNLINK] ? job->links.downlink_s : sent_s;
    } else if (several) {
        sum_s += job->links.uplink_s;
    }
    if (several && !r->given[UPLINK] && !r->given[DOWNLINK]) return;
    if (!several && lacks_transfers(r, job, sent_s, name)) of->one_worker_step_s = 0.0;
    if (!(of->one_worker_step_s > 0.0)) return;
    if (sum_s < 0.9 * step_s)
        tool_note("phases-leave-gap",
                  "%s: the phases cover %.0f %% of the step of %.4g s: the other %.4g s count as "
                  "computation, which a faster network does not shorten",
                  name, 100.0 * sum_s / step_s,
                  step_s, step_s - sum_s);
    if (!(sum_s > 1.02 * step_s)) return;
    if (several && mode_overlaps(job)) return;
    if (job->overlap.rule != SGDP_OVERLAP_NONE) {
        of->one_worker_step_s = 0.0;
        tool_note("phases-overlap",
                  "%s: the phases sum to %.4g s in a step of %.4g s, so they overlap: with "
                  "--overlap each phase counts as measured, and column step_s is ignored",
                  name, sum_s, step_s);
    } else {
        tool_note("phases-overlap",
                  "%s: the phases sum to %.4g s in a step of %.4g s, so they overlap: compute is "
                  "the time that transfers and update leave; --overlap keeps the measured phases",
                  name, sum_s, step_s);
    }
}

/* Notes a step that is shorter than the transfers and the update in it. */
static void note_short_step(const job_reader *r, size_t row, const sgdp_job *job)
{
    const double step_s = job->compute.one_worker_step_s, M = job->model_bytes;
    const double sent_s = M > 0.0 ? M / job->links.bandwidth_bytes_per_s : 0.0;
    const double others_s = job->compute.update_s + 2.0 * job->links.delay_s
                          + (r->given[UPLINK] ? job->links.uplink_s : sent_s)
                          + (r->given[DOWNLINK] ? job->links.downlink_s : sent_s);
    if (r->set->mode == MODE_ALLREDUCE || job->machine.gpus > 1 || job->servers.count > 1) return;
    if (job->overlap.rule != SGDP_OVERLAP_NONE || !(step_s > 0.0)) return;
    if (others_s > 1.02 * step_s && others_s < HUGE_VAL)
        tool_note("step-too-short",
                  "%s: the step of %.4g s is shorter than its transfers and update, %.4g s: "
                  "compute counts as 0; check the step, the size and the bandwidth",
                  r->set->name ? r->set->name[row] : "the profile", step_s, others_s);
}

/* ---- Measured steps: a sample of compute times -------------------------------- */

/* Notes a --vary-sample that cannot be of the computation.
 *
 * Its mean is not taken: a sample of whole steps, which vary by less, would not be noticed. */
static void check_sample(const job_set *set)
{
    const sgdp_variation *vary = &set->job[0].compute.vary;
    double mean_s = 0.0;
    for (size_t i = 0; i < vary->samples; i++) mean_s += vary->sample[i] / (double)vary->samples;
    for (size_t i = 0; i < set->count && vary->samples > 0; i++) {
        const sgdp_job *job = &set->job[i];
        const double compute_s = job->compute.forward_s + job->compute.backward_s;
        if (job->workers.types > 0 || !(compute_s > 0.0)) continue;
        if (job->compute.one_worker_step_s > 0.0) continue;
        if (mean_s > 0.9 * compute_s && mean_s < 1.1 * compute_s) continue;
        tool_note("sample-mean-differs",
                  "--vary-sample: the mean is %.4g s, but forward and backward%s%s take %.4g s: "
                  "only the spread is used; give compute times, not times of whole steps", mean_s,
                  set->name ? " of job " : "", set->name ? set->name[i] : "", compute_s);
        return;
    }
}

/* ---- Measured steps: how sure a profile is ------------------------------------ */

/* The intervals in row i's columns. */
static void read_unsure(job_set *set, const args *a, size_t i)
{
    sgdp_uncertainty *of = &set->unsure[i];
    const csv_table *t = set->file;
    const struct { const char *column; option_id option; double *half_width; } all[] = {
        {"forward_ci95_half_width_s", OPTION_FORWARD, &of->forward_s},
        {"backward_ci95_half_width_s", OPTION_BACKWARD, &of->backward_s},
        {"update_ci95_half_width_s", OPTION_UPDATE, &of->update_s},
        {"uplink_ci95_half_width_s", OPTION_UPLINK, &of->uplink_s},
        {"downlink_ci95_half_width_s", OPTION_DOWNLINK, &of->downlink_s},
        {"step_ci95_half_width_s", OPTION_STEP, &of->one_worker_step_s}
    };
    size_t some = 0;
    if (!t) return;
    for (size_t k = 0; k < COUNT_OF(all); k++) {
        *all[k].half_width = csv_number_or(t, i, csv_column(t, all[k].column),
                                           NUMBER_NON_NEGATIVE, 0.0);
        if (args_given(a, all[k].option)) *all[k].half_width = 0.0;
        some += *all[k].half_width > 0.0;
    }
    uint64_t steps = csv_integer_or(t, i, csv_column(t, "steps"), 0, UINT64_MAX, 0);
    if (steps < 2) steps = UINT64_MAX; /* of 95 %, to 90 %                          */
    if (some > 0)
        of->part = sgdfit_student(0.9, steps - 1) / sgdfit_student(0.95, steps - 1);
    if (set->measured_on[i] > 0) {     /* what was found is of the step, not of its parts   */
        of->uplink_s = of->downlink_s = of->one_worker_step_s = 0.0;
    }
}

double job_spread(job_set *set, size_t i, uint32_t workers)
{
    const sgdp_profile profile = {&set->job[i], &set->unsure[i]};
    double spread = 0.0;
    size_t bytes = 0;
    sgdp_status status;
    if (!set->file) return 0.0;
    if (sgdp_predict_bytes(&set->job[i], set->model, workers, &bytes) != SGDP_OK) return 0.0;
    status = sgdp_profile_spread(&profile, set->model, workers, grow_work(set, bytes), bytes,
                                 &spread);
    return status == SGDP_OK || status == SGDP_NOT_CONVERGED ? spread : 0.0;
}

/* ---- Clusters ----------------------------------------------------------------- */

enum { JOB_MOST_SERVERS = 1000000, JOB_MOST_JOBS = 100000 };

/* ---- Clusters: options against each other ------------------------------------- */

/* How updates of different workers meet at the server. To Eq. 1, that of the server in all
 * models but interleaved and cynthia, a queue of exponential updates and a server shared
 * equally are one. */
enum updates { UPDATES_QUEUED = 0, UPDATES_SEPARATE, UPDATES_SHARED };

static enum updates read_updates(const args *a)
{
    return (enum updates)args_word(a, OPTION_UPDATES, UPDATES_QUEUED);
}

/* Models of means alone take the same answer whatever the variation. */
static void note_variation(const job_set *set, const args *a)
{
    const option_id option = args_given(a, OPTION_VARY) ? OPTION_VARY : OPTION_VARY_SAMPLE;
    if (args_given(a, option) && set->mode == MODE_ASYNC && set->model != SGDP_ASYNC_RHYTHM)
        tool_note("option-without-effect",
                  "%s has no effect on model %s, which uses mean times only: use --model rhythm",
                  option_name(option), sgdp_model_text(set->model));
    else if (set->mode == MODE_ASYNC && args_given(a, OPTION_VARY_SHAPE))
        tool_note("option-without-effect",
                  "--vary-shape has no effect on model rhythm, which uses only the standard "
                  "deviation");
}

/* Is some worker far away, by option or by type? */
static int has_delays(const args *a)
{
    if (args_given(a, OPTION_DELAY)) return 1;
    for (size_t i = 0; i < args_count(a, OPTION_WORKER_TYPE); i++)
        if (strstr(args_at(a, OPTION_WORKER_TYPE, i), "delay=")) return 1;
    return 0;
}

void job_note_machines(const job_set *set)
{
    const sgdp_job *job = &set->job[0];
    if (job->machine.gpus > 1 && job->compute.one_worker_step_s > 0.0)
        tool_note("step-of-machine",
                  "the step of %.4g s is that of a full machine of %lu accelerators, with the "
                  "exchange inside; fewer of them are assumed to take as long. If it is the "
                  "compute of one accelerator, give it by --compute",
                  job->compute.one_worker_step_s, (unsigned long)job->machine.gpus);
    if (set->model == SGDP_ALLREDUCE_HIERARCHICAL && set->job[0].machine.gpus > 1)
        tool_note("links-of-their-own", "model hierarchical gives each of the %lu accelerators of "
                  "a machine its own link of --bandwidth: if accelerators share one link, as with "
                  "--layers and %s ring:split, give the part of one accelerator as --bandwidth",
                  (unsigned long)set->job[0].machine.gpus, NAME_OF(COLLECTIVE));
}

/* What the papers' models lack. */
static void note_links(const job_set *set, const sgdp_job *job, const args *a)
{
    const char *model = sgdp_model_text(set->model);
    const int ours = set->model == SGDP_ASYNC_RHYTHM || set->model == SGDP_SYNC_STAGGERED;
    if (ours || set->mode == MODE_ALLREDUCE) return;
    if (has_delays(a))
        tool_note("delay-without-windows",
                  "model %s counts the delay, but not the windows of TCP, which cost more time: "
                  "models rhythm and staggered count both", model);
    if (job->servers.count > 1 && !(job->links.worker_bandwidth_bytes_per_s > 0.0))
        tool_note("worker-link-unknown",
                  "model %s lets each worker send to all %lu servers at once, each at full speed, "
                  "as if the worker's link were %lu times as fast: give --worker-bandwidth", model,
                  (unsigned long)job->servers.count, (unsigned long)job->servers.count);
}

static const option_rule rules[] = {
    NEEDS(ONE(BACKUP), IS(MODE, "sync allreduce")),
    NEEDS(EACH(OPTION_UPDATES, OPTION_OVERLAP_ITERATE, OPTION_THRESHOLD, OPTION_SWITCH_ANEW),
          IS(MODE, "async")),
    NEEDS(EACH(OPTION_LATENCY, OPTION_RINGS, OPTION_CPU_MACHINES, OPTION_JOBS_ON_NETWORK,
               OPTION_OVERLAP_EXPONENT, OPTION_EXPOSURE, OPTION_GROWTH, OPTION_GROWTH_BETWEEN,
               OPTION_STACK, OPTION_ALLTOALL_SIZE),
          IS(MODE, "allreduce")),
    EXCLUDES(EACH(OPTION_ALLTOALL_SIZE, OPTION_TOKENS),
             EACH(OPTION_UPLINK, OPTION_DOWNLINK, OPTION_MEASURED_ON)),
    EXCLUDES(ONE(EXPOSURE), EACH(OPTION_OVERLAP, OPTION_OVERLAP_EXPONENT)),
    NEEDS(ONE(GROWTH_BETWEEN), ONE(GPUS)), EXCLUDES(ONE(CARDS), IS(FIT, "bandwidth")),
    EXCLUDES(ONE(STACK), EACH(OPTION_OVERLAP, OPTION_OVERLAP_EXPONENT, OPTION_MEASURED_ON)),
    EXCLUDES(ONE(STACK), IS(FIT, "overlap")),
    EXCLUDES(EACH(OPTION_SHARES, OPTION_LAYERS, OPTION_DELAY, OPTION_WORKER_BANDWIDTH,
                  OPTION_PORT_BUFFER, OPTION_SERVER_COST), IS(MODE, "allreduce")),
    EXCLUDES(ONE(BACKUP), IS(MODEL, "staggered")),
    EXCLUDES(IS(UPDATES, "shared"), IS(MODEL, "interleaved")),
    EXCLUDES(ONE(SWITCH_ANEW), IS(MODEL, "exact fcfs hybrid interleaved rhythm cynthia")),
    EXCLUDES(ONE(THRESHOLD), IS(MODEL, "exact fcfs interleaved rhythm cynthia")),
    EXCLUDES(ONE(PORT_BUFFER),
             IS(MODEL, "exact fcfs hybrid switch interleaved cynthia ps average")),
    NEEDS(ONE(PORT_BUFFER), EACH(OPTION_DELAY, OPTION_WORKER_TYPE)),
    EXCLUDES(ONE(PORT_BUFFER), EACH(OPTION_BACKUP, OPTION_THRESHOLD, OPTION_SWITCH_ANEW)),
    EXCLUDES(ONE(PORT_BUFFER), IS(FIT, "threshold")),
    EXCLUDES(EACH(OPTION_OVERLAP, OPTION_OVERLAP_ITERATE, OPTION_WORKER_TYPE, OPTION_UPDATES),
             IS(MODEL, "cynthia")),
    NEEDS(ONE(SWITCH_ANEW), ONE(OVERLAP)), NEEDS(ONE(VARY_SHAPE), ONE(VARY)),
    EXCLUDES(ONE(VARY), ONE(VARY_SAMPLE)), EXCLUDES(ONE(DELAY), ONE(WORKER_TYPE)),
    EXCLUDES(ONE(SERVER_COST), ONE(MEASURED_ON)), EXCLUDES(ONE(SHARES), ONE(LAYERS)),
    EXCLUDES(ONE(OVERLAP_EXPONENT), ONE(OVERLAP)),
    EXCLUDES(ONE(STEP), ONE(WORKER_TYPE)), NEEDS(ONE(RINGS), ONE(FLOW_CAP)),
    EXCLUDES(EACH(OPTION_FORWARD, OPTION_BACKWARD, OPTION_COMPUTE), ONE(WORKER_TYPE)),
    EXCLUDES(ONE(COMPUTE), EACH(OPTION_FORWARD, OPTION_BACKWARD, OPTION_STEP)),
    EXCLUDES(ONE(NETWORK), EACH(OPTION_UPLINK, OPTION_DOWNLINK, OPTION_FLOW_CAP, OPTION_RINGS)),
    NEEDS(ONE(LOCAL_NETWORK), ONE(GPUS)),
    NEEDS(ONE(LAYERS), ONE(SERVERS)), NEEDS(ONE(LOCAL_BANDWIDTH), ONE(GPUS)),
    EXCLUDES(EACH(OPTION_GPUS, OPTION_WORKER_TYPE, OPTION_MEASURED_ON), ONE(BACKUP))
};

void job_check_backup(const args *a, uint32_t backup, uint32_t workers)
{
    if (backup > 0 && workers <= backup)
        args_fail(OPTION_BACKUP, args_text(a, OPTION_BACKUP, ""),
                  "leaves none of %lu worker%s: give a smaller number", COUNTED(workers));
}

void job_note_backup(void)
{
    tool_note("backup-without-variation",
              "--backup without --vary or --vary-sample has no effect: equal workers end a "
              "step at the same time");
}

/* Refuses what would be ignored; a value that changes nothing (--servers 1) may stand. */
static void check_options(const job_set *set, const args *a)
{
    args_check(a, rules, COUNT_OF(rules));
    if (set->mode == MODE_ALLREDUCE && args_integer(a, OPTION_SERVERS, 1, JOB_MOST_SERVERS, 1) > 1)
        args_fail(OPTION_SERVERS, NULL, "cannot be combined with --mode allreduce");
    if (set->model == SGDP_ASYNC_CYNTHIA && args_integer(a, OPTION_GPUS, 1, UINT32_MAX, 1) > 1)
        args_fail(OPTION_GPUS, NULL, "cannot be combined with --model cynthia");
    if (args_given(a, OPTION_BACKUP) && !args_given(a, OPTION_VARY) &&
        !args_given(a, OPTION_VARY_SAMPLE))
        job_note_backup();
    note_variation(set, a);
}

/* ---- Clusters: the cluster ---------------------------------------------------- */

static void read_layers(sgdp_job *job, const char *path)
{
    const csv_table *t = csv_read(path, 0);
    const int layer = csv_require(t, "layer"), bytes = csv_require(t, "bytes");
    double *size = (double *)tool_alloc(t->rows, sizeof *size);
    double *shares = (double *)tool_alloc(job->servers.count, sizeof *shares);
    double sum = 0.0;
    csv_unique(t, &layer, 1);
    if (csv_column(t, "server") != CSV_NONE)
        tool_fail("%s:%lu: column 'server' has no effect, as --layers places the layers: remove "
                  "the column, or give --shares in place of --layers",
                  t->name, (unsigned long)t->header_line);
    for (size_t row = 0; row < t->rows; row++) {
        if (csv_is_empty(t, row, layer)) csv_fail(t, row, layer, "the cell is empty");
        sum += size[row] = csv_number(t, row, bytes, NUMBER_NON_NEGATIVE);
    }
    if (sgdp_greedy_shares(size, t->rows, job->servers.count, shares, NULL) != SGDP_OK)
        tool_fail("%s:%lu: column 'bytes': %s", t->name, (unsigned long)t->header_line,
                  sum > 0.0 ? "the sum is too large" : "all cells are 0");
    job->servers.shares = shares;
}

static void read_servers(sgdp_job *job, const args *a)
{
    double *shares = NULL, sum = 0.0;
    const size_t count = args_numbers(a, OPTION_SHARES, &shares);
    const uint64_t servers = args_integer(a, OPTION_SERVERS, 1, JOB_MOST_SERVERS,
                                          count > 0 ? count : 1);
    job->servers.count = (uint32_t)servers;
    job->servers.separate_updates = read_updates(a) == UPDATES_SEPARATE;
    if (args_given(a, OPTION_LAYERS)) read_layers(job, args_text(a, OPTION_LAYERS, NULL));
    if (count == 0) return;
    if (count != servers)
        args_fail(OPTION_SHARES, NULL, "has %lu numbers, but --servers is %lu: give one number for "
                                       "each server", (unsigned long)count,
                  (unsigned long)servers);
    for (size_t i = 0; i < count; i++) sum += shares[i];
    if (!(fabs(sum - 1.0) <= 1e-6)) args_fail(OPTION_SHARES, NULL, "the sum is %.9g, not 1", sum);
    job->servers.shares = shares;
}

static double worker_time(const char *text)
{
    double value = 0.0;
    const char *wrong = number_quantity(text, UNIT_TIME, NUMBER_NON_NEGATIVE, &value);
    if (wrong) args_fail(OPTION_WORKER_TYPE, text, "%s", wrong);
    args_note_unit(OPTION_WORKER_TYPE, text, UNIT_TIME, value);
    return value;
}

static uint32_t worker_count(const char *text)
{
    uint64_t count = 0;
    const char *wrong = number_whole(text, 1, UINT32_MAX, &count);
    if (wrong) args_fail(OPTION_WORKER_TYPE, text, "%s", wrong);
    return (uint32_t)count;
}

/* COUNT:FORWARD:BACKWARD */
static sgdp_worker_type read_plain_type(const char *text)
{
    sgdp_worker_type type = {0};
    char **part;
    if (args_split(text, ':', &part) != 3)
        args_fail(OPTION_WORKER_TYPE, text, "is not COUNT:FORWARD:BACKWARD");
    type.count = worker_count(part[0]);
    type.forward_s = worker_time(part[1]);
    type.backward_s = worker_time(part[2]);
    return type;
}

/* KEY=VALUE,... */
static sgdp_worker_type read_named_type(const job_set *set, const char *text)
{
    enum { KEY_COUNT, KEY_FORWARD, KEY_BACKWARD, KEY_DELAY, KEYS };
    static const char *const keys[KEYS] = {"count", "forward", "backward", "delay"};
    int given[KEYS] = {0};
    sgdp_worker_type type = {0};
    double *const time_s[KEYS] = {NULL, &type.forward_s, &type.backward_s, &type.delay_s};
    char **words, **part;
    const size_t n = args_split(text, ',', &words);
    size_t i, k;
    for (i = 0; i < n; i++) {
        const size_t parts = args_split(words[i], '=', &part);
        for (k = 0; k < KEYS && strcmp(part[0], keys[k]) != 0; k++) {}
        if (k == KEYS || parts != 2)
            args_fail(OPTION_WORKER_TYPE, words[i], "is not one of count=N, forward=T, "
                      "backward=T, delay=T");
        if (given[k]++) args_fail(OPTION_WORKER_TYPE, words[i], "occurs twice in %s", text);
        if (k == KEY_COUNT) type.count = worker_count(part[1]);
        else *time_s[k] = worker_time(part[1]);
    }
    for (k = KEY_COUNT; k <= KEY_BACKWARD; k++)
        if (!given[k]) args_fail(OPTION_WORKER_TYPE, text, "has no %s", keys[k]);
    if (given[KEY_DELAY] && set->mode == MODE_ALLREDUCE)
        args_fail(OPTION_WORKER_TYPE, text, "has a delay, which --mode allreduce does not take");
    return type;
}

static void read_types(const job_set *set, sgdp_job *job, const args *a)
{
    const size_t types = args_count(a, OPTION_WORKER_TYPE);
    sgdp_worker_type *type = (sgdp_worker_type *)tool_alloc(types, sizeof *type);
    uint64_t sum = 0;
    for (size_t i = 0; i < types; i++) {
        const char *text = args_at(a, OPTION_WORKER_TYPE, i);
        type[i] = strchr(text, '=') ? read_named_type(set, text) : read_plain_type(text);
        sum += type[i].count;
        if (sum > UINT32_MAX) args_fail(OPTION_WORKER_TYPE, text, "makes more workers than can be "
                                                                  "counted");
    }
    job->workers.types = types;
    job->workers.type = types > 0 ? type : NULL;
}

/* Compute times, ascending, from the column time_s. */
static void read_sample(sgdp_variation *vary, const char *path)
{
    const csv_table *t = csv_read(path, 0);
    const int column = csv_require(t, "time_s");
    double *time = (double *)tool_alloc(t->rows, sizeof *time), sum = 0.0;
    for (size_t row = 0; row < t->rows; row++)
        sum += time[row] = csv_number(t, row, column, NUMBER_NON_NEGATIVE);
    if (!(sum > 0.0))
        tool_fail("%s:%lu: column 'time_s': the sum is 0", t->name,
                  (unsigned long)t->header_line);
    qsort(time, t->rows, sizeof *time, number_compare);
    vary->sample = time;
    vary->samples = t->rows;
}

void job_note_normal(const sgdp_variation *vary)
{
    if (vary->samples == 0 && vary->shape == SGDP_SHAPE_NORMAL && vary->cv > 0.5)
        tool_note("normal-below-zero",
                  "--vary %g: negative times of the normal distribution count as 0, which "
                  "lengthens steps of two or more workers by 0.4 %% with --vary 0.5 and 8 %% with "
                  "--vary 1: use --vary-shape lognormal",
                  vary->cv);
}

static void read_variation(const job_set *set, sgdp_variation *vary, const args *a)
{
    vary->shape = (sgdp_shape)args_word(a, OPTION_VARY_SHAPE, SGDP_SHAPE_NORMAL);
    vary->cv = args_number(a, OPTION_VARY,
                           mode_usual_cv(set->model));
    if (vary->cv > (vary->shape == SGDP_SHAPE_EXPONENTIAL ? 1.0 : 100.0))
        args_fail(OPTION_VARY, args_text(a, OPTION_VARY, NULL), "is more than %s",
                  vary->shape == SGDP_SHAPE_EXPONENTIAL ? "1, the largest value with --vary-shape "
                                                          "exponential" : "100");
    if (args_given(a, OPTION_VARY_SAMPLE))
        read_sample(vary, args_text(a, OPTION_VARY_SAMPLE, NULL));
    if (set->mode != MODE_ASYNC) job_note_normal(vary);
}

/* A job of the options for the cluster, the workers' types and the model; the rest is 0. */
static sgdp_job read_cluster(const job_set *set, const args *a)
{
    uint32_t *beside = (uint32_t *)tool_alloc(1, sizeof *beside);
    sgdp_job job = {.collective = {.exchange = exchange_of, .alltoall = exchange_alltoall,
                                   .ctx = beside}};
    read_servers(&job, a);
    read_types(set, &job, a);
    read_variation(set, &job.compute.vary, a);
    for (size_t q = QUANTITIES; q < NUMBERS; q++)
        *field_of(&job, q) = args_number(a, numbers[q].option, 0.0);
    if (args_given(a, OPTION_THRESHOLD) && !(job.threshold > 0.0)) job.threshold = -1.0;
    job.switch_anew = args_given(a, OPTION_SWITCH_ANEW);
    job.machine.gpus = (uint32_t)args_integer(a, OPTION_GPUS, 1, UINT32_MAX, 1);
    if (args_given(a, OPTION_OVERLAP)) job.overlap.rule = SGDP_OVERLAP_ONE_PASS;
    if (args_given(a, OPTION_OVERLAP_ITERATE)) job.overlap.rule = SGDP_OVERLAP_FIXED_POINT;
    job.collective.rings = (uint32_t)args_integer(a, OPTION_RINGS, 1, UINT32_MAX, 1);
    *beside = (uint32_t)args_integer(a, OPTION_CPU_MACHINES, 0, UINT32_MAX, 0);
    if (*beside > 0 && set->model != SGDP_ALLREDUCE_RING)
        args_fail(OPTION_CPU_MACHINES, NULL, "cannot be combined with --model "
                                             "%s", sgdp_model_text(set->model));
    job.workers.backup = (uint32_t)args_integer(a, OPTION_BACKUP, 0, UINT32_MAX, 0);
    job.collective.jobs = (uint32_t)args_integer(a, OPTION_JOBS_ON_NETWORK, 1, JOB_MOST_JOBS, 1);
    if (args_number(a, OPTION_OVERLAP_EXPONENT, 1.0) < 1.0)
        args_fail(OPTION_OVERLAP_EXPONENT, args_text(a, OPTION_OVERLAP_EXPONENT, NULL),
                  "is less than 1");
    note_links(set, &job, a);
    return job;
}

/* ---- Options: quantities of options and profiles ------------------------------ */

/* An option goes before the column of what it gives, as of a faster network; but not where a
 * step was measured, of which the column's value is a part. */
static void prefer_option(job_reader *r, size_t q, option_id option)
{
    static const char *const measured[] = {"step_s", "measured_on"};
    const csv_table *t = r->set->file;
    if (r->column[q] == CSV_NONE) return;
    for (size_t i = 0; i < COUNT_OF(measured) && q != BATCH && q != STEP && q != INPUT_RATE;
         i++)
        if (csv_column(t, measured[i]) != CSV_NONE)
            args_fail(option, NULL, "conflicts with the columns '%s' and '%s' of %s: the "
                                    "profile was measured at the value of '%s'; remove column "
                                    "'%s' to use the option", numbers[q].name, measured[i],
                      t->name, numbers[q].name, measured[i]);
    r->preferred[q] = option;
    r->column[q] = CSV_NONE;
}

/* A kind of network tells the bandwidth; what is left to fit is what the software makes of it. */
static void refuse_fitted_network(const job_reader *r)
{
    const unsigned told = JOB_FITTED(SGDP_INPUT_BANDWIDTH) | JOB_FITTED(SGDP_INPUT_FLOW_CAP);
    if ((r->fitted & told) != 0 && args_given(r->a, OPTION_NETWORK))
        args_fail(OPTION_NETWORK, NULL,
                  "cannot be combined with --fit bandwidth or flow-cap, which the kind of network "
                  "gives: use --fit exposure,growth%s",
                  args_given(r->a, OPTION_GPUS) ? "-between" : "");
}

/* Behind what can fail. */
static void note_preferred(const job_reader *r)
{
    const csv_table *t = r->set->file;
    size_t q;
    for (q = 0; q < QUANTITIES; q++)
        if (r->preferred[q] != OPTION_COUNT && !(q == BANDWIDTH && kinds_traced(r->a, t, 0) > 0.0))
            tool_note("option-before-column",
                      "%s is used in place of the column '%s' of %s", option_name(r->preferred[q]),
                      numbers[q].name, t->name);
    if (t && csv_column(t, "measured_on") != CSV_NONE && args_given(r->a, OPTION_MEASURED_ON))
        tool_note("option-before-column",
                  "--measured-on is used in place of the column 'measured_on' of %s", t->name);
}

static int has_cells(const csv_table *t, int column)
{
    size_t row = 0;
    while (row < t->rows && csv_is_empty(t, row, column)) row++;
    return row < t->rows;
}

static void note_column(const job_reader *r, const char *name, const char *why, const char *what)
{
    if (has_cells(r->set->file, csv_column(r->set->file, name)))
        tool_note("option-without-effect", "%s: column '%s' %s %s", r->set->file->name, name, why,
                  what);
}

/* Columns of a profile that have an option alone, or an effect in another mode alone. */
static void note_unread(const job_reader *r)
{
    static const char other[] = "has no effect on --mode", option[] = "is not read: use";
    const char *mode = mode_words[r->set->mode];
    const int allreduce = r->set->mode == MODE_ALLREDUCE;
    if (!r->set->file) return;
    for (size_t q = ALLTOALL; q < NUMBERS; q++) {
        const option_id id = numbers[q].option;
        if (q == INPUT_RATE || is_fitted(r, q) || args_given(r->a, id)) continue;
        if (q >= QUANTITIES) note_column(r, numbers[q].name, option, option_name(id));
        else if (!allreduce) note_column(r, numbers[q].name, other, mode);
    }
    if (!allreduce) note_column(r, "stack", other, mode);
    if (args_given(r->a, OPTION_GPUS)) return;
    note_column(r, "gpus", option, NAME_OF(GPUS));
    note_column(r, "local_network", "has no effect without", NAME_OF(GPUS));
}

static void refuse_fitted(const job_reader *r, size_t q)
{
    if (is_fitted(r, q) && !is_declarable(q) && args_given(r->a, numbers[q].option))
        args_fail(numbers[q].option, NULL, "is fitted by --fit: remove the option");
}

/* A kind of network with a line rate goes before the column's bandwidth, which may be of the
 * link that was traced. Others take the column as their line rate. */
static void prefer_network(job_reader *r)
{
    const network *of = network_find(args_text(r->a, OPTION_NETWORK, ""));
    if (!of || args_given(r->a, OPTION_BANDWIDTH)) return;
    if (kinds_traced(r->a, r->set->file, 0) > 0.0) return; /* of the link inside          */
    if (of->line_bytes_per_s > 0.0) prefer_option(r, BANDWIDTH, OPTION_NETWORK);
    else if (r->column[BANDWIDTH] != CSV_NONE)
        tool_note("link-kind", "the column '%s' of %s counts as the line rate of %s %s",
                  numbers[BANDWIDTH].name, r->set->file->name, NAME_OF(NETWORK), of->name);
}

static void find_columns(job_reader *r)
{
    const csv_table *t = r->set->file;
    for (size_t q = 0; q < QUANTITIES; q++) {
        const option_id option = numbers[q].option;
        r->preferred[q] = OPTION_COUNT;
        r->column[q] = t ? csv_column(t, numbers[q].name) : CSV_NONE;
        refuse_fitted(r, q);
        if (is_fitted(r, q) && !is_declarable(q)) r->column[q] = CSV_NONE;
        if (q >= ALLTOALL && q <= GROWTH_BETWEEN && r->set->mode != MODE_ALLREDUCE)
            r->column[q] = CSV_NONE;
        if (args_given(r->a, option)) prefer_option(r, q, option);
    }
    prefer_network(r);
    if (args_given(r->a, OPTION_TOKENS)) prefer_option(r, ALLTOALL, OPTION_TOKENS);
    if (args_given(r->a, OPTION_OVERLAP)) prefer_option(r, EXPONENT, OPTION_OVERLAP);
    if (args_given(r->a, OPTION_OVERLAP)) prefer_option(r, EXPOSURE, OPTION_OVERLAP);
    if (args_given(r->a, OPTION_OVERLAP_EXPONENT))
        prefer_option(r, EXPOSURE, OPTION_OVERLAP_EXPONENT);
    if (args_given(r->a, OPTION_EXPOSURE)) prefer_option(r, EXPONENT, OPTION_EXPOSURE);
    for (size_t q = FORWARD; q <= BACKWARD && args_given(r->a, OPTION_WORKER_TYPE); q++)
        prefer_option(r, q, OPTION_WORKER_TYPE);
}

/* Is the row's bandwidth that inside a machine, and another one sought between them? */
static int is_inside(const job_reader *r, size_t row)
{
    return (args_given(r->a, OPTION_NETWORK) || is_fitted(r, BANDWIDTH)) &&
           kinds_traced(r->a, r->set->file, row) > 0.0;
}

/* What the row and the options give, into the job; the rest stays 0. */
static void read_quantities(job_reader *r, size_t row, sgdp_job *job)
{
    for (size_t q = 0; q < QUANTITIES; q++) {
        const option_id option = numbers[q].option;
        const int given = args_given(r->a, option);
        r->given[q] = given || (!csv_is_empty(r->set->file, row, r->column[q]) &&
                                !(q == BANDWIDTH && is_inside(r, row)));
        if (given)
            *field_of(job, q) = args_number(r->a, option, 0.0);
        else if (r->given[q])
            *field_of(job, q) = csv_number(r->set->file, row, r->column[q],
                                           options_all[option].rule);
        if (r->given[q] && q >= EXPOSURE && q <= GROWTH_BETWEEN) /* 0 is told, too          */
            tool_check(sgdp_set_input(job, numbers[q].input, *field_of(job, q)), numbers[q].name);
    }
    if (!args_given(r->a, OPTION_TOKENS)) return;
    r->given[ALLTOALL] = 1;
    job->collective.alltoall_bytes = topology_alltoall_bytes(r->a, 0.0);
}

/* --batch N with times of another batch, that of the column. */
static void note_unscaled(const job_reader *r, size_t row, int column)
{
    static const option_id times[] = {OPTION_FORWARD, OPTION_BACKWARD, OPTION_COMPUTE, OPTION_STEP};
    const csv_table *t = r->set->file;
    const double of = csv_number_or(t, row, column, NUMBER_POSITIVE, 0.0);
    const double asked = args_number(r->a, OPTION_BATCH, of);
    for (size_t i = 0; i < COUNT_OF(times); i++)
        if (args_given(r->a, times[i])) return;
    if (of > 0.0 && (of < asked || of > asked))
        tool_note("batch-not-scaled", "%s: the times are those of a batch of %g, also with --batch "
                  "%g: give a column 'fixed_s' with the part of them that does not depend on the "
                  "batch, 0 for none, or measure with --batch %g", t->name, of, asked, asked);
}

/* Compute for --batch in place of the column's batch, where column fixed_s (calibrate --fit batch),
 * or else host_s (import), tells what of it does not depend on the batch. */
static void scale_to_batch(const job_reader *r, size_t row, sgdp_job *job)
{
    const csv_table *t = r->set->file;
    const int batch = t ? csv_column(t, numbers[BATCH].name) : CSV_NONE;
    const char *const part = t && csv_column(t, "fixed_s") == CSV_NONE && batch != CSV_NONE
                                 ? "host_s" : "fixed_s";
    const int fixed = t ? csv_column(t, part) : CSV_NONE;
    sgdp_compute *of = &job->compute;
    const double compute_s = of->forward_s + of->backward_s > 0.0 ? of->forward_s + of->backward_s
                                                                  : of->one_worker_step_s;
    if (csv_is_empty(t, row, fixed)) {
        note_unscaled(r, row, batch);
        return;
    }
    double fixed_s = csv_number(t, row, fixed, NUMBER_NON_NEGATIVE);
    if (fixed_s > compute_s)
        csv_fail(t, row, fixed, "%g s is more than the computation of %g s", fixed_s, compute_s);
    if (!args_given(r->a, OPTION_BATCH) || !(compute_s > 0.0)) return;
    if (csv_is_empty(t, row, batch))
        csv_fail(t, row, fixed, "needs column 'batch', the measured batch size, if --batch is "
                                "given");
    double scaled_s = fixed_s + (compute_s - fixed_s) * of->batch
                                    / csv_number(t, row, batch, NUMBER_POSITIVE);
    job->collective.alltoall_bytes *= of->batch / csv_number(t, row, batch, NUMBER_POSITIVE);
    of->forward_s *= scaled_s / compute_s;
    of->backward_s *= scaled_s / compute_s;
    if (of->one_worker_step_s > compute_s) of->one_worker_step_s += scaled_s - compute_s;
    else of->one_worker_step_s *= scaled_s / compute_s;
    tool_note("batch-scaled", "computation takes %.4g s with --batch %g and %.4g s with the batch "
                              "of the profile: %.4g s of it do not depend on the batch",
                              scaled_s, of->batch, compute_s, fixed_s);
}

/* ", nor are A, B" of the columns behind q that any job needs; "": none is missing. */
static const char *others_missing(const job_reader *r, size_t q)
{
    static const size_t all[] = {FORWARD, BACKWARD, UPDATE, MODEL_SIZE, BANDWIDTH};
    const char *text = "";
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        const size_t k = all[i];
        if (k <= q || q >= UPLINK || r->given[k] || is_fitted(r, k)) continue;
        if (r->column[k] != CSV_NONE || (k == UPDATE && r->set->mode == MODE_ALLREDUCE)) continue;
        if (k >= MODEL_SIZE && (r->given[UPLINK] || r->given[DOWNLINK])) continue;
        text = tool_text("%s%s '%s'", text, *text ? "," : "; also missing:", numbers[k].name);
    }
    return text;
}

static void need(const job_reader *r, size_t row, size_t q)
{
    const csv_table *t = r->set->file;
    const char *other = q == BANDWIDTH && !args_given(r->a, OPTION_FLOW_CAP) ? " or --network" : "";
    if (r->given[q] || is_fitted(r, q)) return;
    if (q == MODEL_SIZE && r->given[ALLTOALL]) return; /* nothing is reduced              */
    if (r->column[q] != CSV_NONE) csv_fail(t, row, r->column[q], "the cell is empty");
    if (t)
        tool_fail("%s:%lu: column '%s' is missing, and %s%s is not given%s",
                  t->name, (unsigned long)t->header_line, numbers[q].name,
                  option_name(numbers[q].option), other, others_missing(r, q));
    tool_fail("%s%s is missing%s", option_name(numbers[q].option), other,
              q == FORWARD || q == BACKWARD
                  ? ": give --forward and --backward, or their sum by --compute" : "");
}

/* Limits of a flow, which are told as parts of the link. */
static int capped(const sgdp_job *job)
{
    return job->links.flow_cap_bytes_per_s > 0.0 || job->links.worker_bandwidth_bytes_per_s > 0.0;
}

/* The longer transfer time of an all-reduce is that of its whole exchange. */
static void take_longer(sgdp_links *links)
{
    if (links->uplink_s < links->downlink_s) links->uplink_s = links->downlink_s;
    links->downlink_s = links->uplink_s;
}

/* Transfer times need no size and no bandwidth: an option that would only seem to
 * count is refused, and so is a time of 0 where the library would take the size. */
static void check_times(job_reader *r, size_t row, sgdp_job *job)
{
    const int local = job->machine.gpus > 1, is_capped = capped(job);
    if (r->set->mode == MODE_ALLREDUCE) {
        take_longer(&job->links);
    } else {
        need(r, row, UPLINK);
        need(r, row, DOWNLINK);
    }
    if (!args_given(r->a, OPTION_GPUS) && args_given(r->a, OPTION_MODEL_SIZE))
        args_fail(OPTION_MODEL_SIZE, NULL, "cannot be combined with transfer times, unless %s is "
                  "given", NAME_OF(GPUS));
    if (!is_capped && args_given(r->a, OPTION_BANDWIDTH))
        args_fail(OPTION_BANDWIDTH, NULL,
                  "cannot be combined with transfer times, unless --flow-cap or --worker-bandwidth "
                  "is given");
    if (local && (!(job->links.uplink_s > 0.0) || !(job->links.downlink_s > 0.0)))
        job_fail(r->set, row, "a transfer time of 0 is not possible with %s", NAME_OF(GPUS));
    if (!local) job->model_bytes = 0.0;
    if (!is_capped) job->links.bandwidth_bytes_per_s = 0.0;
}

/* Of several workers: the bandwidth is what is sought. */
static void read_measured(job_reader *r, size_t row, sgdp_job *job)
{
    const int kept = is_fitted(r, BANDWIDTH);
    if (job->workers.types > 0) args_fail(OPTION_MEASURED_ON, NULL, "cannot be "
                                                                    "combined with --worker-type");
    if (r->given[BANDWIDTH] && !kept)
        job_fail(r->set, row, "--measured-on: cannot be combined with a bandwidth: the option "
                              "computes the bandwidth from the step");
    if (is_fitted(r, UPDATE) && !kept)
        args_fail(OPTION_MEASURED_ON, NULL, "needs --fit bandwidth,server in place of --fit "
                                            "server");
    if (kept || capped(job)) need(r, row, MODEL_SIZE);
    if (!r->given[STEP] && r->set->mode != MODE_ALLREDUCE) need(r, row, DOWNLINK);
    if (!r->given[STEP] && (r->set->mode != MODE_ALLREDUCE || !r->given[DOWNLINK]))
        need(r, row, UPLINK);
    if (r->set->mode == MODE_ALLREDUCE) take_longer(&job->links);
    if (!r->given[UPLINK] && !r->given[DOWNLINK]) need(r, row, MODEL_SIZE);
    check_step(r, row, job);
    convert_measured(r->set, row, kept);
}

/* What model cluster loses over a link of which the share is known, which replaces 0.8: by a step
 * of a full machine beside phases that is what the machine lost inside. */
static void tell_exposure(const job_set *set, const job_kinds *k, sgdp_job *job)
{
    sgdp_stretch of = {0};
    if (set->model != SGDP_ALLREDUCE_CLUSTER || !k->between || k->stack) return;
    if (job->overlap.rule != SGDP_OVERLAP_NONE || job->overlap.exponent > 0.0 ||
        fabs(job->overlap.exposure) > 0.0) return;
    if (sgdp_stretch_of(job, set->model, 1, &of) == SGDP_OK)
        job->overlap.exposure = 0.8 * of.exposure;
}

/* A step of a full machine that is shorter than the phases of one accelerator. */
static void note_short_machine(const job_reader *r, size_t row, const sgdp_job *job)
{
    const sgdp_compute *of = &job->compute;
    const double sum_s = of->forward_s + of->backward_s + of->update_s;
    if (job->machine.gpus > 1 && of->one_worker_step_s > 0.0 && r->given[FORWARD] &&
        sum_s > 1.02 * of->one_worker_step_s)
        tool_note("step-too-short",
                  "%s: the step of %.4g s of a full machine is shorter than the phases of one "
                  "accelerator, %.4g s: exchanges inside the machine count as free; check the step "
                  "and the phases", r->set->name ? r->set->name[row] : "the profile",
                  of->one_worker_step_s, sum_s);
}

/* A kind of link that stands inside machines, between them. */
static void note_inside(const job_kinds *k, const sgdp_job *job)
{
    if (k->between && job->machine.gpus > 1 && network_is_inside(k->between))
        tool_note("link-kind",
                  "--network %s is a link inside a machine, but --network joins the machines of "
                  "%lu accelerators: move the name to --local-network, and name the network "
                  "between machines by --network",
                  k->between->name, (unsigned long)job->machine.gpus);
}

/* The workers that were traced; 0: not told. */
static uint64_t traced_on(const job_set *set, size_t row)
{
    const csv_table *t = set->file;
    return t ? csv_integer_or(t, row, csv_column(t, "traced_workers"), 1, UINT32_MAX, 0) : 0;
}

/* Did a trace of several workers tell how exchange and computation overlap? */
static int is_traced(const job_set *set, size_t row)
{
    const csv_table *t = set->file;
    return set->mode == MODE_ALLREDUCE && set->model != SGDP_ALLREDUCE_CLUSTER && t &&
           csv_number_or(t, row, csv_column(t, "traced_workers"), NUMBER_POSITIVE, 0.0) > 1.0 &&
           !csv_is_empty(t, row, csv_column(t, numbers[EXPONENT].name));
}

/* Of a job whose overlap was traced, what its all-reduces get of declared links. */
static void take_traced(const job_reader *r, size_t row, const job_kinds *k, sgdp_job *job)
{
    const csv_table *t = r->set->file;
    traced_links of = {.inside = kinds_traced(r->a, t, row)};
    if (!is_traced(r->set, row)) return;
    if (!(of.inside > 0.0))
        of.between = csv_number_or(t, row, csv_column(t, numbers[BANDWIDTH].name),
                                   NUMBER_POSITIVE, 0.0);
    r->set->traced = 1;
    if (declared_take_traced(r->a, k, &of, job)) r->set->declared = 1;
}

/* What sets the overlap beside a stack: an option, or a column of the profile. */
static const char *name_overlap(const job_reader *r)
{
    static const option_id options[] = {OPTION_OVERLAP, OPTION_OVERLAP_EXPONENT,
                                        OPTION_MEASURED_ON};
    for (size_t i = 0; i < COUNT_OF(options); i++)
        if (args_given(r->a, options[i])) return option_name(options[i]);
    return r->given[EXPONENT] ? "column 'overlap_exponent'" : "column 'measured_on'";
}

/* What the kinds of links and software of the row say, but for what is fitted. */
static void take_kinds(job_reader *r, size_t row, sgdp_job *job)
{
    const int allreduce = r->set->mode == MODE_ALLREDUCE;
    const double latency_s = job->links.latency_s;
    job_kinds k = r->set->kinds[row];
    if (is_fitted(r, BANDWIDTH)) k.between = NULL;
    if (is_fitted(r, LOCAL_BANDWIDTH)) k.inside = NULL;
    if (k.between && (r->given[UPLINK] || r->given[DOWNLINK]))
        job_fail(r->set, row, "network '%s' needs the size of the model: give --model-size in "
                              "place of transfer times", k.between->name);
    if (allreduce && k.stack && (mode_overlaps(job) || r->set->measured_on[row] > 0))
        job_fail(r->set, row, "stack '%s' sets the overlap of exchanges: remove %s, or the stack",
                 k.stack->name, name_overlap(r));
    r->set->kinds[row].line_bytes_per_s =
        network_line(k.between, job->links.bandwidth_bytes_per_s);
    note_inside(&k, job);
    if (!is_fitted(r, LOCAL_BANDWIDTH) && !(job->compute.one_worker_step_s > 0.0))
        kinds_take_traced(&k, r->a, r->set->file, row, &job->machine.local_bandwidth_bytes_per_s);
    take_traced(r, row, &k, job);
    if (!is_fitted(r, EXPOSURE)) tell_exposure(r->set, &k, job);
    if (k.cards > 1 && (r->given[UPLINK] || r->given[DOWNLINK]
                        || (!k.between && !r->given[BANDWIDTH])))
        job_fail(r->set, row, "%s needs the bandwidth of a card: give %s or %s in place of "
                 "transfer times", NAME_OF(CARDS), NAME_OF(BANDWIDTH), NAME_OF(NETWORK));
    const network *lacks = kinds_apply(&k, allreduce, job);
    if (lacks)
        job_fail(r->set, row, "%s: " NETWORK_HAS_NO_LINE,
                 option_name(lacks == k.between ? OPTION_NETWORK : OPTION_LOCAL_NETWORK),
                 lacks->name);
    if (k.between) r->given[BANDWIDTH] = 1;
    if (args_given(r->a, OPTION_LATENCY)) job->links.latency_s = latency_s;
}

/* Examples/s are no mini-batches/s. */
static void check_input(const job_reader *r, size_t row, const sgdp_job *job)
{
    if (job->machine.input_examples_per_s > 0.0 && !(job->compute.batch > 0.0))
        job_fail(r->set, row, "--input-rate counts examples: give --batch or a column 'batch'");
}

/* The step of a full machine has its exchange in it. */
static void note_local(const job_reader *r, const sgdp_job *job)
{
    const option_id ids[] = {OPTION_LOCAL_BANDWIDTH, OPTION_LOCAL_NETWORK};
    for (size_t i = 0; i < COUNT_OF(ids) && job->compute.one_worker_step_s > 0.0; i++)
        if (args_given(r->a, ids[i]) && job->machine.gpus > 1)
            tool_note("option-without-effect",
                      "%s has no effect: the step of a full machine of %lu accelerators contains "
                      "the exchange inside the machine", option_name(ids[i]),
                      (unsigned long)job->machine.gpus);
}

/* Column overlap_part (import): what of the computation can hide an exchange is its end, and the
 * backward pass. It goes with the column overlap_exponent. */
static void read_overlap_part(const job_reader *r, size_t row, sgdp_job *job)
{
    const csv_table *t = r->set->file;
    const int column = t ? csv_column(t, "overlap_part") : CSV_NONE;
    const double compute_s = job->compute.forward_s + job->compute.backward_s;
    if (csv_is_empty(t, row, column)) return;
    double part = csv_number(t, row, column, NUMBER_NON_NEGATIVE);
    if (part > 1.0) csv_fail(t, row, column, "%s is above 1", csv_text(t, row, column));
    if (csv_is_empty(t, row, r->column[EXPONENT]) || args_given(r->a, OPTION_OVERLAP_EXPONENT))
        return;
    job->compute.backward_s = compute_s * part;
    job->compute.forward_s = compute_s - job->compute.backward_s;
    job->overlap.rule = SGDP_OVERLAP_ONE_PASS;
}

/* What joins the accelerators of a machine. A step that other workers were traced in is not that of
 * one machine. */
static void need_local(const job_reader *r, size_t row, const sgdp_job *job)
{
    const char *step = traced_on(r->set, row) > 1 ? " or" : ",";
    if (job->machine.gpus < 2 || job->compute.one_worker_step_s > 0.0 ||
        job->machine.local_bandwidth_bytes_per_s > 0.0 ||
        (r->fitted & JOB_FITTED(SGDP_INPUT_LOCAL_BANDWIDTH)) != 0) return;
    job_fail(r->set, row, "--local-bandwidth%s --local-network%s is missing: %s is more than 1",
             step, *step == ',' ? " or --step" : "", NAME_OF(GPUS));
}

/* Column vary (import, of several ranks): how compute times vary, a coefficient of variation. */
static void read_vary(const job_reader *r, size_t row, sgdp_job *job)
{
    const csv_table *t = r->set->file;
    const int column = t ? csv_column(t, "vary") : CSV_NONE;
    if (csv_is_empty(t, row, column)) return;
    if (args_given(r->a, OPTION_VARY) || args_given(r->a, OPTION_VARY_SAMPLE)) return;
    job->compute.vary.cv = csv_number(t, row, column, NUMBER_NON_NEGATIVE);
    if (job->compute.vary.cv > 100.0)
        csv_fail(t, row, column, "%s is more than 100", csv_text(t, row, column));
}

static void read_job(job_reader *r, size_t row, sgdp_job *job)
{
    const int several = r->set->measured_on[row] > 0;
    read_vary(r, row, job);
    read_quantities(r, row, job);
    scale_to_batch(r, row, job);
    read_overlap_part(r, row, job);
    take_kinds(r, row, job);
    check_input(r, row, job);
    if (r->given[GROWTH_BETWEEN] && job->machine.gpus <= 1)
        job_fail(r->set, row, "--growth-between (column 'growth_between') needs machines of "
                 "several accelerators: give %s above 1, or use --growth", NAME_OF(GPUS));
    note_local(r, job);
    note_short_machine(r, row, job);
    if (r->given[EXPONENT] && job->overlap.exponent < 1.0)
        csv_fail(r->set->file, row, r->column[EXPONENT], "%s is below 1",
                 csv_text(r->set->file, row, r->column[EXPONENT]));
    if (r->given[EXPONENT] && r->given[EXPOSURE])
        csv_fail(r->set->file, row, r->column[EXPOSURE], "cannot be used beside column '%s'",
                 numbers[EXPONENT].name);
    if (job->workers.types > 0) job->compute.one_worker_step_s = 0.0;
    if (job->workers.types == 0 && !(job->compute.one_worker_step_s > 0.0 && !r->given[FORWARD])) {
        need(r, row, FORWARD);
        need(r, row, BACKWARD);
    }
    if (r->set->mode != MODE_ALLREDUCE) need(r, row, UPDATE);
    if (job->machine.gpus > 1) need(r, row, MODEL_SIZE);
    need_local(r, row, job);
    if (job->collective.alltoall_bytes > 0.0 && (several || r->given[UPLINK] || r->given[DOWNLINK]))
        job_fail(r->set, row, "%s (column 'alltoall_bytes') needs a bandwidth, and cannot be "
                 "combined with %s", NAME_OF(ALLTOALL_SIZE),
                 several ? NAME_OF(MEASURED_ON) : "transfer times");
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
    note_short_step(r, row, job);
}

/* The names of the column job, distinct; without one, several rows are counted. */
static void read_names(job_set *set)
{
    const csv_table *t = set->file;
    const int column = csv_column(t, "job");
    if (column == CSV_NONE && set->count == 1) return;
    if (column != CSV_NONE) csv_unique(t, &column, 1);
    set->name = (const char **)tool_alloc(set->count, sizeof *set->name);
    for (size_t row = 0; row < set->count; row++) {
        if (column == CSV_NONE) {
            set->name[row] = tool_text("%lu", (unsigned long)row);
            continue;
        }
        if (csv_is_empty(t, row, column)) csv_fail(t, row, column, "the cell is empty");
        set->name[row] = csv_text(t, row, column);
    }
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
                  "--backup: model average replaces model staggered, which has no backup workers: "
                  "there are no intervals, and transfers of dropped workers count");
    if (set->chosen && set->mode == MODE_ASYNC &&
        (args_given(a, OPTION_THRESHOLD) || args_given(a, OPTION_SWITCH_ANEW) ||
         (fitted & JOB_FITTED(SGDP_INPUT_THRESHOLD)) != 0))
        set->model = SGDP_ASYNC_SWITCH;
}

/* Does an option, or a cell of the row, give the number? */
static int gives(const job_set *set, const args *a, size_t row, size_t q)
{
    return args_given(a, numbers[q].option) ||
           (set->file &&
            !csv_is_empty(set->file, row, csv_column(set->file, numbers[q].name)));
}

/* Are the links of an all-reduce known as their makers declare them? */
static int is_declared(const job_set *set, const args *a, size_t row)
{
    const csv_table *t = set->file;
    const int column = t ? csv_column(t, numbers[BANDWIDTH].name) : CSV_NONE;
    const job_kinds *k = &set->kinds[row];
    if (set->mode != MODE_ALLREDUCE) return 0;
    if (!args_given(a, OPTION_INPUTS) && (k->between || k->inside || k->stack)) return 1;
    return declared_links(a, csv_number_or(t, row, column, NUMBER_POSITIVE, 0.0));
}

/* Is it said how exchange and computation overlap? */
static int has_overlap(const job_set *set, const args *a, size_t row)
{
    return args_given(a, OPTION_OVERLAP) || gives(set, a, row, EXPONENT);
}

/* Are exposure or growth, which model cluster has, given or fitted? */
static int has_growth(const job_set *set, const args *a, unsigned fitted, size_t row)
{
    size_t q = EXPOSURE;
    while (q <= GROWTH_BETWEEN && !gives(set, a, row, q) &&
           (fitted & JOB_FITTED(numbers[q].input)) == 0) q++;
    return q <= GROWTH_BETWEEN;
}

/* A bandwidth that was fitted beside a declared one is that of model cluster. */
static void note_calibrated(const job_set *set, const args *a, unsigned fitted)
{
    const csv_table *t = set->file;
    const int column = t ? csv_column(t, numbers[BANDWIDTH].name) : CSV_NONE;
    const double bandwidth = csv_number_or(t, 0, column, NUMBER_POSITIVE, 0.0);
    if (!set->chosen || set->model != SGDP_ALLREDUCE_RING || fitted != 0) return;
    if (has_overlap(set, a, 0) || read_measured_on(set, a, 0) > 0) return;
    if (strcmp(args_text(a, OPTION_INPUTS, ""), "calibrated") != 0) return;
    if (args_integer(a, OPTION_GPUS, 1, UINT32_MAX, 1) > 1 ||
        args_number(a, OPTION_BANDWIDTH, bandwidth) >= MODE_DECLARED_BANDWIDTH)
        tool_note("calibrated-model",
                  "--inputs calibrated: the prediction is by model %s; if sgdperf calibrate "
                  "fitted the bandwidth in model cluster, add --model cluster",
                  sgdp_model_text(set->model));
}

/* The model of a row, and whether its links are declared: as predict has them, but where the
 * bandwidth is fitted, unless it is fitted beside what is declared. */
static sgdp_model model_of_row(const job_set *set, const args *a, unsigned fitted, size_t row,
                               int *stated)
{
    const int told = (fitted & JOB_FITTED(SGDP_INPUT_BANDWIDTH)) == 0
                         || gives(set, a, row, BANDWIDTH);
    *stated = told && is_declared(set, a, row);
    if ((fitted & JOB_FITTED(SGDP_INPUT_OVERLAP)) != 0) return set->model;
    if (!set->chosen || set->mode != MODE_ALLREDUCE || has_overlap(set, a, row)) return set->model;
    if (has_growth(set, a, fitted, row)) return SGDP_ALLREDUCE_CLUSTER;
    /* A step of several workers finds its bandwidth. */
    if (args_given(a, OPTION_CPU_MACHINES) || read_measured_on(set, a, row) > 0) return set->model;
    return mode_usual_model(set->mode, *stated);
}

/* What auto takes, which is one model, and one kind of bands, for all rows. */
static void read_declared(job_set *set, const args *a, unsigned fitted)
{
    const stack *noted = NULL;
    sgdp_model first = set->model;
    for (size_t row = 0; row < set->count; row++) {
        const stack *told = set->mode == MODE_ALLREDUCE ? set->kinds[row].stack : NULL;
        int stated = 0;
        const sgdp_model model = model_of_row(set, a, fitted, row, &stated);
        if (is_traced(set, row)) stated = row > 0 && set->declared; /* see take_traced       */
        if (told && told != noted) stack_note(told);
        noted = told;
        if (row == 0) set->declared = stated;
        if (row == 0) first = model;
        if (stated != set->declared)
            job_fail(set, row, "the links of this job are taken as %s, those of line %lu as %s: "
                     "%sput the jobs into two files", stated ? "declared" : "measured",
                     (unsigned long)csv_line(set->file, 0), set->declared ? "declared" : "measured",
                     fitted == 0 ? "give --inputs, or " : "");
        if (model != first)
            job_fail(set, row, "--model auto chooses %s for this job, but %s for the job of line "
                     "%lu: give --model, or put the jobs into two files", sgdp_model_text(model),
                     sgdp_model_text(first), (unsigned long)csv_line(set->file, 0));
    }
    job_kinds of = set->kinds[0];
    if (kinds_traced(a, set->file, 0) > 0.0) of.inside = NULL;
    if (set->model != first && set->declared && !of.stack && !has_growth(set, a, fitted, 0))
        declared_note(a, &of, gives(set, a, 0, STEP));
    for (size_t row = 0; row < set->count && set->mode == MODE_ALLREDUCE &&
                  !network_note_untested(set->kinds[row].between); row++) continue;
    if (set->mode == MODE_ALLREDUCE) cards_note(a, &set->kinds[0]);
    set->model = first;
    note_calibrated(set, a, fitted);
}

void job_note_even(double bytes, uint64_t traced)
{
    char from[64] = "";
    if (traced > 0) snprintf(from, sizeof from, " (%lu were traced)", (unsigned long)traced);
    tool_note("alltoall-even",
              "all-to-all: on any number of workers%s each has %.4g bytes to send, in equal parts "
              "for all, itself included: the balance of experts is not known", from, bytes);
}

void job_note_alltoall(const job_set *set, size_t i, uint32_t workers)
{
    const double bytes = set->job[i].collective.alltoall_bytes;
    const uint64_t traced = traced_on(set, i);
    if (!(bytes > 0.0) || workers == 1 || workers == traced) return;
    job_note_even(bytes, traced);
}

/* Throughput over links of this kind, as --network of its name tells. */
static double rate_over(job_set *set, size_t i, uint32_t workers, const network *of)
{
    const sgdp_job kept = set->job[i];
    sgdp_job *job = &set->job[i];
    sgdp_prediction p = {0};
    job->links.bandwidth_bytes_per_s = network_carries(of, set->kinds[i].line_bytes_per_s);
    if (!(job->links.latency_s > 0.0)) job->links.latency_s = of->latency_s;
    if (!mode_overlaps(job)) job->overlap.exposure = 1.0;
    (void)job_predict(set, i, workers, &p);
    *job = kept;
    return p.batches_per_s;
}

void job_note_kinds(job_set *set, size_t i, uint32_t workers, double batches_per_s)
{
    const double most = 5e10;          /* bytes/s: no Ethernet is faster                */
    const sgdp_job *job = &set->job[i];
    const double line = set->kinds[i].line_bytes_per_s;
    const network *kind[2] = {network_slowest(line), line > most ? NULL : network_find("ec2")};
    char text[300] = "";
    if (set->model != SGDP_ALLREDUCE_CLUSTER && !(set->declared && set->traced)) return;
    if (set->kinds[i].between) return;
    if (workers <= job->machine.gpus || fabs(job->overlap.exposure) > 0.0) return;
    if (job->links.flow_cap_bytes_per_s > 0.0 || line < MODE_DECLARED_BANDWIDTH) return;
    for (size_t k = 0; k < COUNT_OF(kind); k++) {
        const double rate = kind[k] ? rate_over(set, i, workers, kind[k]) : batches_per_s;
        const size_t used = strlen(text);
        if (!(rate < 0.99 * batches_per_s)) continue;
        snprintf(text + used, sizeof text - used, "%s%.3g Gbit/s on %s%s, where %lu workers would "
                 "reach %.4g batches/s, %.0f %% less", used > 0 ? "; " : "",
                 8e-9 * network_carries(kind[k], line), kind[k]->name,
                 k > 0 ? " (rented machines, one flow)" : "", (unsigned long)workers, rate,
                 100.0 * (1.0 - rate / batches_per_s));
    }
    if (text[0] != '\0')
        tool_note("link-kind", "an all-reduce gets less of a link of %.4g Gbit/s on some networks: "
                  "%s; name the network by %s, as ec2-nccl for NCCL on EC2 (sgdperf networks lists "
                  "the names)", 8e-9 * line, text, NAME_OF(NETWORK));
}

/* Exchanges of a step by a model, without what is assumed of links; 0: it has no answer. */
static double exchange_by(const job_set *set, size_t i, uint32_t workers, sgdp_model model)
{
    sgdp_job job = set->job[i];
    sgdp_prediction p = {0};
    job.overlap = (sgdp_overlap){0};
    if (job_answer(&job, model, workers, &p) != SGDP_OK) return 0.0;
    return p.time.service_s[SGDP_LINK] + p.time.service_s[SGDP_LOCAL];
}

void job_note_flat(const job_set *set, size_t i, uint32_t workers)
{
    if (set->mode != MODE_ALLREDUCE || !set->chosen) return;
    if (workers <= set->job[i].machine.gpus || set->job[i].machine.gpus < 2) return;
    const double ours_s = exchange_by(set, i, workers, SGDP_ALLREDUCE_RING);
    const double flat_s = exchange_by(set, i, workers, SGDP_ALLREDUCE_FLAT);
    if (ours_s > 0.0 && flat_s > 0.0)
        tool_note("model-of-machines", "model %s reduces inside a machine, then exchanges the "
                  "whole model between machines; with --model flat, one ring of all accelerators "
                  "as in NCCL, the exchanges of %lu workers take %.2g times as long",
                  sgdp_model_text(set->model), (unsigned long)workers, flat_s / ours_s);
}

void job_note_overlap(job_set *set, size_t i, uint32_t workers, double batches_per_s)
{
    const sgdp_job kept = set->job[i];
    const sgdp_model model = set->model;
    sgdp_overlap *overlap = &set->job[i].overlap;
    sgdp_prediction p = {0};
    if (!set->chosen || !set->declared || set->mode != MODE_ALLREDUCE || workers == 1 ||
        overlap->rule == SGDP_OVERLAP_NONE || kept.links.uplink_s > 0.0) return;
    if (overlap->exponent > 0.0) return; /* traced, not assumed                         */
    if (set->traced) {
        tool_note("overlap-linear", "%s: --overlap replaces the overlap that was traced: leave it "
                  "out, and exchanges overlap as in the trace", set->file->name);
        return;
    }
    overlap->rule = SGDP_OVERLAP_NONE;
    if (set->kinds[i].between) overlap->exposure = 1.0; /* of what the kind carries     */
    set->model = SGDP_ALLREDUCE_CLUSTER;
    (void)job_predict(set, i, workers, &p);
    set->model = model;
    set->job[i] = kept;
    if (p.batches_per_s < batches_per_s)
        tool_note("overlap-linear",
                  "--overlap assumes that computation hides as much of an exchange as it can, "
                  "without becoming slower (model %s in place of cluster): without --overlap %lu "
                  "workers reach %.4g batches/s, %.0f %% less",
                  sgdp_model_text(model), (unsigned long)workers,
                  p.batches_per_s, 100.0 * (1.0 - p.batches_per_s / batches_per_s));
}

void job_read(job_set *set, const args *a, unsigned fitted)
{
    job_read_profile(set, a, fitted, NULL);
}

/* --gpus as the machine has in which the profile was traced, without a link: the bandwidth is that
 * inside, as without the option. */
static int repeats_machine(const args *a, const csv_table *t)
{
    static const option_id links[] = {
        OPTION_BANDWIDTH, OPTION_NETWORK, OPTION_LOCAL_BANDWIDTH, OPTION_LOCAL_NETWORK, OPTION_STEP
    };
    const uint64_t gpus = args_integer(a, OPTION_GPUS, 1, UINT32_MAX, 0);
    const int column = t && gpus > 0 ? csv_column(t, "machine_accelerators") : CSV_NONE;
    if (column == CSV_NONE || csv_find(t, "local_bandwidth_bytes_per_s") != CSV_NONE) return 0;
    for (size_t i = 0; i < COUNT_OF(links); i++)
        if (args_given(a, links[i])) return 0;
    for (size_t row = 0; row < t->rows; row++)
        if (csv_integer_or(t, row, column, 1, UINT32_MAX, 0) != gpus) return 0;
    return 1;
}

/* The arguments without an option. */
static args *without(const args *a, option_id id)
{
    args *out = args_with(a, id, "");
    out->count = 0;
    for (size_t i = 0; i < a->count; i++) {
        if (a->id[i] == id) continue;
        out->id[out->count] = a->id[i];
        out->value[out->count++] = a->value[i];
    }
    return out;
}

/* --compute as the --forward and --backward that it is. */
static const args *in_parts(const args *a)
{
    const double compute_s = args_number(a, OPTION_COMPUTE, 0.0);
    const args *out = args_with(without(a, OPTION_COMPUTE), OPTION_FORWARD,
                                tool_text("%.17gs", compute_s / 3.0));
    return args_with(out, OPTION_BACKWARD, tool_text("%.17gs", 2.0 * compute_s / 3.0));
}

void job_refuse_log(const csv_table *t)
{
    if (csv_find(t, "phase") != CSV_NONE && csv_find(t, "start_s") != CSV_NONE)
        tool_fail("%s:%lu: the file is a log of phases, not a profile: run sgdperf profile %s "
                  "--format csv and give its output instead",
                  t->name, (unsigned long)t->header_line, t->name);
}

/* What a prediction of a traced job is not. */
static void note_traced(const job_set *set, unsigned fitted)
{
    if (set->declared && (fitted & JOB_FITTED(SGDP_INPUT_BANDWIDTH)) == 0)
        declared_note_traced(set->kinds[0].between);
    declared_note_replay(set->file);
    if (set->job[0].links.latency_s > 0.0)
        tool_note("one-exchange", "%s: a step counts as one exchange, whose messages have the "
                  "latency; simulate of the trace counts the messages of each of its exchanges, "
                  "and is slower", set->file->name);
}

void job_read_profile(job_set *set, const args *a, unsigned fitted, const csv_table *profile)
{
    job_reader reader = {.set = set, .a = a, .fitted = fitted};
    memset(set, 0, sizeof *set);
    read_model(set, a, fitted);
    check_options(set, a);
    if (args_given(a, OPTION_COMPUTE)) reader.a = a = in_parts(a);
    for (size_t q = QUANTITIES; q < NUMBERS; q++) refuse_fitted(&reader, q);
    refuse_fitted_network(&reader);
    set->count = 1;
    if (profile || args_given(a, OPTION_PROFILE)) {
        set->file = profile ? profile : csv_read(args_text(a, OPTION_PROFILE, NULL), 0);
        set->count = set->file->rows;
        job_refuse_log(set->file);
        read_names(set);
    }
    if (repeats_machine(a, set->file)) reader.a = a = without(a, OPTION_GPUS);
    set->kinds = (job_kinds *)tool_alloc(set->count, sizeof *set->kinds);
    for (size_t row = 0; row < set->count; row++) set->kinds[row] = kinds_read(a, set->file, row);
    read_declared(set, a, fitted);
    sgdp_job cluster = read_cluster(set, a);
    find_columns(&reader);
    set->job = (sgdp_job *)tool_alloc(set->count, sizeof *set->job);
    set->measured_on = (uint32_t *)tool_alloc(set->count, sizeof *set->measured_on);
    set->measured_step_s = (double *)tool_alloc(set->count, sizeof *set->measured_step_s);
    set->unsure = (sgdp_uncertainty *)tool_alloc(set->count, sizeof *set->unsure);
    for (size_t row = 0; row < set->count; row++) {
        set->job[row] = cluster;
        set->measured_on[row] = read_measured_on(set, a, row);
        read_unsure(set, a, row);
        read_job(&reader, row, &set->job[row]);
    }
    if (set->traced) note_traced(set, fitted);
    note_preferred(&reader);
    note_unread(&reader);
    check_sample(set);
}
