/* job_predict.c - predictions of the jobs of job.h, and what may go wrong with them */
#include "files/job.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

void job_fail(const job_set *set, size_t i, const char *reason, ...)
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
    size_t t;
    for (t = 0; t < job->types; t++) {
        const sgdp_worker_type *of = &job->type[t];
        if (!is_far(of->forward_s, TIME) && !is_far(of->backward_s, TIME) &&
            !is_far(of->delay_s, TIME)) continue;
        snprintf(text + used, bytes - used, "%s --worker-type has forward %g s, backward %g s, "
                 "delay %g s", used > 0 ? "," : ":", of->forward_s, of->backward_s, of->delay_s);
        return;
    }
}

const char *job_far_numbers(const job_set *set, size_t i, char *text, size_t bytes)
{
    static const struct { option_id option; const char *column; size_t field; int most; } of[] = {
        {OPTION_FORWARD, "forward_s", offsetof(sgdp_job, forward_s), TIME},
        {OPTION_BACKWARD, "backward_s", offsetof(sgdp_job, backward_s), TIME},
        {OPTION_UPDATE, "update_s", offsetof(sgdp_job, update_s), TIME},
        {OPTION_UPLINK, "uplink_s", offsetof(sgdp_job, uplink_s), TIME},
        {OPTION_DOWNLINK, "downlink_s", offsetof(sgdp_job, downlink_s), TIME},
        {OPTION_STEP, "step_s", offsetof(sgdp_job, one_worker_step_s), TIME},
        {OPTION_MODEL_SIZE, "model_bytes", offsetof(sgdp_job, model_bytes), 0},
        {OPTION_BATCH, "batch", offsetof(sgdp_job, batch), 0},
        {OPTION_BANDWIDTH, "bandwidth_bytes_per_s", offsetof(sgdp_job, bandwidth_bytes_per_s), 0},
        {OPTION_WORKER_BANDWIDTH, "", offsetof(sgdp_job, worker_bandwidth_bytes_per_s), 0},
        {OPTION_LOCAL_BANDWIDTH, "", offsetof(sgdp_job, local_bandwidth_bytes_per_s), 0},
        {OPTION_FLOW_CAP, "", offsetof(sgdp_job, flow_cap_bytes_per_s), 0},
        {OPTION_LATENCY, "", offsetof(sgdp_job, latency_s), TIME},
        {OPTION_DELAY, "", offsetof(sgdp_job, delay_s), TIME},
    };
    size_t used = 0, k;
    text[0] = '\0';
    for (k = 0; k < COUNT_OF(of) && used < bytes; k++) {
        const double most = of[k].most > 0 ? of[k].most : large;
        const int column =
            set->file && *of[k].column ? csv_column(set->file, of[k].column) : CSV_NONE;
        double value;
        memcpy(&value, (const char *)&set->job[i] + of[k].field, sizeof value);
        if (!is_far(value, most)) continue;
        used += (size_t)snprintf(text + used, bytes - used, "%s %s is %g", used > 0 ? "," : ":",
                                 column != CSV_NONE ? of[k].column : option_name(of[k].option),
                                 value);
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
        job_fail(set, i, "%lu workers are too many for --model %s, it would take too long; "
                 "hybrid approximates so many", count, model);
    if (status == SGDP_TOO_LARGE)
        job_fail(set, i, "%lu workers are too many for --model %s", count, model);
    if (status == SGDP_BAD_ARGUMENT)
        job_fail(set, i, "a step of %lu worker%s takes no time, or its numbers are too large "
                 "or too small together%s", count, count == 1 ? "" : "s",
                 job_far_numbers(set, i, far, sizeof far));
    job_fail(set, i, "%s", sgdp_status_text(status));
}

static uint32_t workers_of(const sgdp_job *job, uint32_t workers)
{
    uint32_t sum = 0;
    size_t i;
    for (i = 0; i < job->types; i++) sum += job->type[i].count;
    return job->types > 0 ? sum : workers;
}

/* Makes room in set->work for predictions with so many workers. */
static void reserve_work(job_set *set, size_t i, uint32_t workers)
{
    size_t bytes = 0;
    check_status(set, i, workers,
                 sgdp_predict_bytes(&set->job[i], set->model, workers, &bytes));
    if (bytes > set->work_bytes)
        set->work = tool_grow(NULL, 0, &set->work_bytes, bytes, 1);
}

sgdp_status job_predict(job_set *set, size_t i, uint32_t workers, sgdp_prediction *out)
{
    const uint32_t K = workers_of(&set->job[i], workers);
    reserve_work(set, i, K);
    return check_status(set, i, K, sgdp_predict(&set->job[i], set->model, K, set->work,
                                                set->work_bytes, out));
}

/* What a curve is refused for is said of the point that is to blame. */
sgdp_status job_predict_curve(job_set *set, size_t i, const uint32_t *workers, size_t points,
                              sgdp_prediction *out, sgdp_status *status)
{
    const sgdp_job *job = &set->job[i];
    size_t bytes = 0, k;
    sgdp_status worst = sgdp_predict_curve_bytes(job, set->model, workers, points, &bytes);
    if (worst == SGDP_OK && bytes > set->work_bytes)
        set->work = tool_grow(NULL, 0, &set->work_bytes, bytes, 1);
    if (worst == SGDP_OK)
        worst = sgdp_predict_curve(job, set->model, workers, points, set->work,
                                   set->work_bytes, out, status);
    if (worst == SGDP_OK || worst == SGDP_NOT_CONVERGED) return worst;
    for (k = 0, worst = SGDP_OK; k < points; k++) {
        status[k] = job_predict(set, i, workers[k], &out[k]);
        if (status[k] != SGDP_OK) worst = status[k];
    }
    return worst;
}

sgdp_status job_elasticity(job_set *set, size_t i, uint32_t workers, double *elasticity)
{
    const uint32_t K = workers_of(&set->job[i], workers);
    reserve_work(set, i, K);
    return check_status(set, i, K, sgdp_elasticity(&set->job[i], set->model, K, set->work,
                                                   set->work_bytes, elasticity));
}

sgdp_status job_remedies(job_set *set, size_t i, uint32_t workers, double *gain)
{
    const uint32_t K = workers_of(&set->job[i], workers);
    size_t bytes = 0;
    check_status(set, i, K, sgdp_remedies_bytes(&set->job[i], set->model, K, &bytes));
    if (bytes > set->work_bytes)
        set->work = tool_grow(NULL, 0, &set->work_bytes, bytes, 1);
    return check_status(set, i, K, sgdp_remedies(&set->job[i], set->model, K, set->work,
                                                 set->work_bytes, gain));
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
    double operations = 0.0;
    size_t k;
    if (set->job[i].types == 0 &&
        sgdp_predict_curve_operations(&set->job[i], set->model, workers, points,
                                      &operations) == SGDP_OK)
        return operations;
    for (k = 0, operations = 0.0; k < points; k++)
        operations += job_operations(set, i, workers[k]);
    return operations;
}

int job_uses(const job_set *set, size_t i, sgdp_input input)
{
    const sgdp_job *job = &set->job[i];
    const double transfer_s = job->uplink_s + job->downlink_s;
    switch (input) {
    case SGDP_INPUT_FORWARD:
    case SGDP_INPUT_BACKWARD:        return 1;
    case SGDP_INPUT_UPDATE:          return job->update_s > 0.0;
    case SGDP_INPUT_TRANSFER:        return transfer_s > 0.0 || job->model_bytes > 0.0;
    case SGDP_INPUT_BANDWIDTH:       return job->bandwidth_bytes_per_s > 0.0;
    case SGDP_INPUT_LATENCY:         return job->latency_s > 0.0;
    case SGDP_INPUT_FLOW_CAP:        return job->flow_cap_bytes_per_s > 0.0;
    case SGDP_INPUT_LOCAL_BANDWIDTH: return job->gpus > 1;
    case SGDP_INPUT_OVERLAP:         return job->overlap_exponent > 0.0;
    case SGDP_INPUT_THRESHOLD:
    case SGDP_INPUT_COUNT:           break;
    }
    return 0;
}
