/* run.c - the points of predict, predicted */
#include "cmd/predict/predict.h"

#include <math.h>

/* By sgdp_input; empty: has no elasticity. */
const char curves_input_names[SGDP_INPUT_COUNT][CURVES_INPUT_NAME] = {
    [SGDP_INPUT_FORWARD] = "forward", [SGDP_INPUT_BACKWARD] = "backward",
    [SGDP_INPUT_UPDATE] = "update", [SGDP_INPUT_TRANSFER] = "transfer",
    [SGDP_INPUT_BANDWIDTH] = "bandwidth", [SGDP_INPUT_LATENCY] = "latency",
    [SGDP_INPUT_FLOW_CAP] = "flow_cap", [SGDP_INPUT_LOCAL_BANDWIDTH] = "local_bandwidth",
    [SGDP_INPUT_OVERLAP] = "overlap_exponent"
};

/* ---- What is asked for -------------------------------------------------------- */

void curves_read_workers(curve_set *c, const args *a)
{
    const int types = c->jobs.job[0].types > 0;
    size_t i;
    if (types && args_given(a, "--workers"))
        args_fail("--workers", NULL, "not with --worker-type, whose counts add up");
    c->points = args_workers(a, "--workers", &c->workers);
    if (types) {                       /* one point, its workers are the types'     */
        c->points = 1;
        c->workers = (uint32_t *)tool_alloc(1, sizeof *c->workers);
    }
    if (c->points == 0) tool_fail("--workers is missing");
    for (i = 0; i < c->points; i++)
        if (c->jobs.job[0].backup > 0 && c->workers[i] <= c->jobs.job[0].backup)
            args_fail("--backup", args_text(a, "--backup", ""), "leaves none of %lu workers",
                      (unsigned long)c->workers[i]);
    for (i = 0; i < c->points && c->workers[i] == i + 1; i++) {}
    c->contiguous = i == c->points && c->points > 1;
}

void curves_note_sample(const curve_set *c)
{
    const size_t samples = c->jobs.job[0].vary.samples;
    uint32_t most = 0;
    size_t i;
    for (i = 0; i < c->points; i++)
        if (c->workers[i] > most) most = c->workers[i];
    if (samples > 0 && most > samples && c->jobs.mode != MODE_ASYNC)
        tool_note("--vary-sample: %lu times, and up to %lu workers: of so many the slowest may be "
                  "slower than any that was measured", (unsigned long)samples, (unsigned long)most);
}

void curves_read_band(curve_set *c, const args *a)
{
    c->band = band_read(a, c->jobs.mode != MODE_ALLREDUCE && c->jobs.job[0].servers > 1);
    /* The rows shipped were judged by the usual models, and are of one job. */
    if (!args_given(a, "--bands") &&
        (c->jobs.model != mode_usual_model(c->jobs.mode) || c->jobs.job[0].jobs > 1 ||
         c->jobs.job[0].backup > 0 || c->jobs.job[0].cpu_machines > 0))
        c->band.half_width = 0.0;
}

double curves_own_link(const curve_set *c, size_t at)
{
    const sgdp_job *of = &c->jobs.job[at / c->points];
    const sgdp_prediction *p = &c->prediction[at];
    double own = of->worker_bandwidth_bytes_per_s, share;
    if (!(own > 0.0) && of->servers > 1 &&
        (c->jobs.model == SGDP_ASYNC_RHYTHM || c->jobs.model == SGDP_SYNC_STAGGERED))
        own = of->bandwidth_bytes_per_s;
    if (!(own > 0.0)) return 0.0;
    share = of->model_bytes / own / p->step_s;
    return share > p->utilization[p->bottleneck] ? share : 0.0;
}

void curves_note_limits(const curve_set *c)
{
    size_t points = 0, at, machines = 0;
    double most = 0.0;
    for (at = 0; at < c->jobs.count * c->points; at++) {
        const sgdp_job *job = &c->jobs.job[at / c->points];
        const double share = curves_own_link(c, at);
        machines += job->gpus > 1 && job->one_worker_step_s > 0.0;
        points += share > 0.0;
        if (share > most) most = share;
    }
    if (points > 0)
        tool_note("of %lu of %lu points the bottleneck is a worker's own link, which no column "
                  "shows, busy for up to %.0f %% of a step each way", (unsigned long)points,
                  (unsigned long)(c->jobs.count * c->points), 100.0 * most);
    if (machines > 0)
        tool_note("the step is that of a full machine of %lu: of one worker, to which speedup and "
                  "efficiency relate, and of fewer than a machine it is not known and taken to be "
                  "the same", (unsigned long)c->jobs.job[0].gpus);
}

void curves_choose_resources(curve_set *c)
{
    int server = 0;
    size_t i;
    for (i = 0; i < c->jobs.count; i++) server |= c->jobs.job[i].update_s > 0.0;
    c->resource[c->resources++] = SGDP_WORKER;
    if (c->jobs.mode == MODE_ALLREDUCE) {
        c->resource[c->resources++] = SGDP_LINK;
        if (server) c->resource[c->resources++] = SGDP_SERVER;
    } else {
        c->resource[c->resources++] = SGDP_UPLINK;
        c->resource[c->resources++] = SGDP_SERVER;
        c->resource[c->resources++] = SGDP_DOWNLINK;
    }
    if (c->jobs.job[0].gpus > 1) c->resource[c->resources++] = SGDP_LOCAL;
}

void curves_choose_inputs(curve_set *c)
{
    size_t job, i;
    for (i = 0; i < SGDP_INPUT_COUNT; i++)
        for (job = 0; job < c->jobs.count && curves_input_names[i][0] && !c->shown[i]; job++)
            c->shown[i] = job_uses(&c->jobs, job, (sgdp_input)i);
}

/* ---- Predicting ------------------------------------------------------------ */

static sgdp_status predict_types(curve_set *c, size_t job)
{
    const size_t types = c->jobs.job[job].types;
    sgdp_prediction *p = &c->prediction[job];
    p->type_batches_per_s = (double *)tool_alloc(types, sizeof(double));
    p->type_waiting_share = (double *)tool_alloc(types, sizeof(double));
    return c->status[job] = job_predict(&c->jobs, job, c->workers[0], p);
}

static sgdp_status predict_elasticities(curve_set *c, size_t job, size_t from, size_t to)
{
    sgdp_status worst = SGDP_OK;
    size_t i;
    for (i = from; i < to; i++) {
        const size_t at = job * c->points + i;
        const sgdp_status last = job_elasticity(&c->jobs, job, c->workers[i],
                                                c->elasticity + at * SGDP_INPUT_COUNT);
        if (last != SGDP_OK) worst = last;
    }
    return worst;
}

/* Operations of one job's points, estimated, of about a nanosecond. */
static double count_operations(curve_set *c, size_t job, int elasticity)
{
    double sum = job_curve_operations(&c->jobs, job, c->workers, c->points), each = 0.0;
    size_t i;
    for (i = 0; i < SGDP_INPUT_COUNT && elasticity; i++) each += c->shown[i] ? 2.0 : 0.0;
    for (i = 0; i < c->points && elasticity; i++)
        sum += each * job_operations(&c->jobs, job, c->workers[i]);
    return sum;
}

/* A curve that would take for ever is refused. */
static double check_operations(curve_set *c, int elasticity)
{
    const double most = 1e11;
    double sum = 0.0;
    size_t job;
    for (job = 0; job < c->jobs.count; job++) sum += count_operations(c, job, elasticity);
    if (sum > most)
        tool_fail("these points would take about %.1g hours to solve: leave some out, as in "
                  "--workers 1-1000:50", sum / 3.6e12);
    return sum;
}

/* Points of a job, of which points[from] to points[to - 1] share their pass. */
static sgdp_status predict_points(curve_set *c, size_t job, size_t from, size_t to)
{
    const size_t at = job * c->points + from;
    sgdp_status status, last;
    if (c->jobs.job[job].types > 0) status = predict_types(c, job);
    else status = job_predict_curve(&c->jobs, job, c->workers + from, to - from,
                                    &c->prediction[at], &c->status[at]);
    if (!c->elasticity) return status;
    last = predict_elasticities(c, job, from, to);
    return last != SGDP_OK ? last : status;
}

/* What the profiles tell of how sure they are. */
static void find_spreads(curve_set *c)
{
    const size_t total = c->jobs.count * c->points;
    size_t at;
    double most = 0.0;
    c->spread = (double *)tool_alloc(total, sizeof *c->spread);
    for (at = 0; at < total; at++) {
        c->spread[at] = job_spread(&c->jobs, at / c->points, c->workers[at % c->points]);
        if (c->spread[at] > most) most = c->spread[at];
    }
    if (!(most > 0.0)) c->spread = NULL;
}

double curves_half_width(const curve_set *c, const sgdp_prediction *p)
{
    const double h = c->band.half_width;
    if (!(h > 0.0) || !c->spread) return h;
    return hypot(h, c->spread[p - c->prediction]);
}

/* Intervals that reach down to nothing. */
static void note_wide(const curve_set *c)
{
    const size_t total = c->jobs.count * c->points;
    size_t wide = 0, at;
    for (at = 0; at < total; at++) wide += curves_half_width(c, &c->prediction[at]) >= 1.0;
    if (wide > 0)
        tool_note("the intervals of %lu of %lu points are wider than their mean: the profile is "
                  "of too few steps, or of steps too unlike each other", (unsigned long)wide,
                  (unsigned long)total);
}

/* What answers in place of the model asked for, where that would take too much. */
static void note_other_model(curve_set *c)
{
    const size_t total = c->jobs.count * c->points;
    const char *model = sgdp_model_text(c->jobs.model);
    int branch = 0, approximated = 0;
    size_t at;
    for (at = 0; at < total; at++) {
        const sgdp_prediction *p = &c->prediction[at];
        if (p->method == SGDP_METHOD_LINEARIZER) approximated = 1;
        if (c->jobs.model == SGDP_ASYNC_SWITCH || p->branch == c->jobs.model) continue;
        branch = 1;
        c->band.half_width = 0.0;      /* which is of the model asked for              */
    }
    if (branch)
        tool_note("model %s follows at most 64 types of workers: these are predicted by model ps, "
                  "without a band", model);
    if (approximated)
        tool_note("so many workers: the equations of model %s are approximated by the Linearizer, "
                  "0.5 %% off in the mean of small networks, 10 %% at worst", model);
}

sgdp_status curves_predict(curve_set *c, int elasticity)
{
    const size_t total = c->jobs.count * c->points;
    const double operations = check_operations(c, elasticity);
    const double blocks = 1.0 + operations / 2e8; /* of 0.2 s, to tell how far it is      */
    size_t block = (size_t)((double)total / blocks) + 1, job, i;
    sgdp_status worst = SGDP_OK;
    c->prediction = (sgdp_prediction *)tool_alloc(total, sizeof *c->prediction);
    c->status = (sgdp_status *)tool_alloc(total, sizeof *c->status);
    if (elasticity)
        c->elasticity = (double *)tool_alloc(total, SGDP_INPUT_COUNT * sizeof(double));
    for (job = 0; job < c->jobs.count; job++)
        for (i = 0; i < c->points; i += block) {
            const size_t to = block < c->points - i ? i + block : c->points;
            tool_progress("predict", job * c->points + i, total);
            if (predict_points(c, job, i, to) != SGDP_OK) worst = SGDP_NOT_CONVERGED;
        }
    tool_progress("predict", total, total);
    find_spreads(c);
    note_other_model(c);
    note_wide(c);
    return worst;
}

size_t curves_knee(const curve_set *c, size_t job)
{
    double *X;
    size_t knee = 0, i;
    if (!c->contiguous) return 0;
    X = (double *)tool_alloc(c->points, sizeof *X);
    for (i = 0; i < c->points; i++) X[i] = c->prediction[job * c->points + i].batches_per_s;
    if (sgdp_knee(X, c->points, 0.01, &knee) != SGDP_OK) return 0;
    return knee < c->points ? knee : 0;
}
