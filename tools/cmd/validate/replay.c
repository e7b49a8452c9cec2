/* replay.c - a measured row, replayed by the simulator */
#include "cmd/validate/replay.h"
#include "files/status.h"

#include "files/layers.h"

#include <string.h>

const char *const replay_names[REPLAY_COUNT] = {
    "simulated", "simulated-exp", "simulated-tcp"
};

enum {
    REPLAY_STEPS_MOST = 5000,     /* of each worker; fewer where that takes more than    */
    REPLAY_STEPS_LEAST = 50,
    REPLAY_OPERATIONS = 2000000,  /* so many operations of all workers                   */
    REPLAY_WARMUP_PART = 5,       /* of the steps do not count                           */
    REPLAY_PROFILES = 500,        /* profiled steps where the computation varies         */
    REPLAY_WORKERS_MOST = 1000
};

static const uint64_t replay_seed = 1;

/* Asynchronous workers whose steps are all alike stay in step for ever. */
static const double replay_async_cv = 0.05;

/* What one worker does in a step, alone. */
typedef struct replay_profile {
    sgdsim_layer *layer;
    size_t        layers;
    int           whole;
    sgdsim_op    *op;             /* [steps][5 layers]                                   */
    sgdsim_step  *step;
    size_t        steps;
} replay_profile;

int replay_suits(const dataset_row *r, dataset_fit fit, replay_service service)
{
    const sgdp_job *job = &r->job;
    if (service == REPLAY_EXPONENTIAL && r->mode != MODE_ASYNC) return 0;
    if (service == REPLAY_TCP && (r->mode == MODE_ALLREDUCE || !r->layers)) return 0;
    if (service == REPLAY_TCP && job->flow_cap_bytes_per_s > 0.0) return 0;
    if (r->lacks || fit != FIT_NONE || r->workers > REPLAY_WORKERS_MOST) return 0;
    if (job->gpus > 1 || job->types > 0 || job->servers > 1) return 0;
    if (job->latency_s > 0.0 || job->one_worker_step_s > 0.0) return 0;
    if (job->delay_s > 0.0 || job->worker_bandwidth_bytes_per_s > 0.0) return 0;
    if (job->uplink_s > 0.0 || job->downlink_s > 0.0) return 0;
    return r->layers || job->overlap == SGDP_OVERLAP_NONE;
}

/* ---- The step -------------------------------------------------------------- */

/* Without layers the model is one: downlink, computation, uplink, update. */
static void one_layer(replay_profile *p, const sgdp_job *job)
{
    p->layers = 1;
    p->layer = (sgdsim_layer *)tool_alloc(1, sizeof *p->layer);
    p->layer->bytes = job->model_bytes;
    p->layer->forward_s = job->forward_s;
    p->layer->backward_s = job->backward_s;
    p->layer->update_s = job->update_s;
}

/* Steps that are alike but for computation, which a factor of mean 1 makes longer or
 * shorter as a whole. */
static void build_steps(replay_profile *p, const dataset_row *r, double cv)
{
    const size_t n = p->layers, ops = 5 * n;
    uint32_t *waits = (uint32_t *)tool_alloc(p->whole ? n + 5 : 6, n * sizeof *waits);
    size_t s, i;
    p->steps = cv > 0.0 ? REPLAY_PROFILES : 1;
    p->op = (sgdsim_op *)tool_alloc(p->steps * ops, sizeof *p->op);
    p->step = (sgdsim_step *)tool_alloc(p->steps, sizeof *p->step);
    if (sgdsim_trace_layers(p->layer, n, p->whole, p->op, waits) != SGDSIM_OK)
        csv_fail(r->file, r->row, CSV_NONE, "model simulated: a time is too large");
    for (s = p->steps; s-- > 0;) { /* the first, which the others copy, last */
        const double drawn = cv > 0.0 ? sgdsim_trace_variation(cv, replay_seed, s) : 1.0;
        sgdsim_op *op = p->op + s * ops;
        if (s > 0) memcpy(op, p->op, ops * sizeof *op);
        for (i = 0; i < ops; i++)
            if (op[i].resource == SGDSIM_WORKER) op[i].duration_s *= drawn;
        p->step[s].op = op;
        p->step[s].ops = ops;
    }
}

/* ---- The run --------------------------------------------------------------- */

static double run(const sgdsim_config *config, const dataset_row *r)
{
    sgdsim_result out;
    size_t bytes = 0;
    sgdsim_status status = sgdsim_run_bytes(config, &bytes);
    memset(&out, 0, sizeof out);
    if (status == SGDSIM_OK) status = sgdsim_run(config, tool_alloc(bytes, 1), bytes, &out);
    if (status != SGDSIM_OK)
        csv_fail(r->file, r->row, CSV_NONE, "model simulated: %s", sgdsim_status_text(status));
    return out.batches_per_s;
}

static void set_links(sgdsim_config *config, const dataset_row *r, replay_service service)
{
    const double bandwidth = r->job.bandwidth_bytes_per_s, cap = r->job.flow_cap_bytes_per_s;
    config->mode = r->mode == MODE_ASYNC ? SGDSIM_ASYNC : SGDSIM_SYNC;
    config->link = r->mode == MODE_ALLREDUCE ? SGDSIM_LINK_RING
                 : service == REPLAY_TCP ? SGDSIM_LINK_TCP : SGDSIM_LINK_EQUAL;
    /* Not known where there is nothing to send. */
    config->bandwidth_bytes_per_s = bandwidth > 0.0 ? bandwidth : 1.0;
    if (cap > 0.0 && cap < bandwidth) config->flow_cap = cap / bandwidth;
}

double replay_row(const dataset_row *r, replay_service service)
{
    double cv = r->job.vary.cv, x;
    replay_profile p;
    sgdsim_trace trace;
    sgdsim_config config;
    int column;
    memset(&p, 0, sizeof p);
    memset(&config, 0, sizeof config);
    p.whole = r->job.overlap == SGDP_OVERLAP_NONE;
    if (r->layers) p.layers = layers_read(r->layers, &p.layer, &column)->rows;
    else one_layer(&p, &r->job);
    if (service == REPLAY_TRACED && r->mode == MODE_ASYNC && !(cv > 0.0)) cv = replay_async_cv;
    build_steps(&p, r, service == REPLAY_EXPONENTIAL ? 0.0 : cv);
    trace.step = p.step;
    trace.steps = p.steps;
    set_links(&config, r, service);
    config.types = 1;
    config.trace = &trace;
    config.workers = &r->workers;
    if (service == REPLAY_EXPONENTIAL) config.service = SGDSIM_EXPONENTIAL;
    config.seed = replay_seed;
    config.variants.steady_window = r->mode == MODE_ASYNC;
    config.steps = REPLAY_OPERATIONS / (5 * p.layers * r->workers);
    if (config.steps > REPLAY_STEPS_MOST) config.steps = REPLAY_STEPS_MOST;
    if (r->steps > 0 && r->steps < config.steps) config.steps = r->steps;
    if (config.steps < REPLAY_STEPS_LEAST) config.steps = REPLAY_STEPS_LEAST;
    config.warmup = config.steps / REPLAY_WARMUP_PART * r->workers;
    x = run(&config, r);
    if (r->mode != MODE_SYNC || service == REPLAY_TCP) return x;
    config.link = SGDSIM_LINK_FCFS;
    return 0.5 * (x + run(&config, r));
}
