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
    REPLAY_WORKERS_MOST = 1000,
    REPLAY_SERVERS_MOST = 64
};

static const uint64_t replay_seed = 1;

/* Asynchronous workers whose steps are all alike stay in step for ever. */
static const double replay_async_cv = 0.05;

/* What a worker of one type does in a step, alone. */
typedef struct replay_profile {
    sgdsim_op    *op;             /* [steps][ops]                                        */
    size_t        ops;
    sgdsim_step  *step;
    size_t        steps;
} replay_profile;

/* ---- Columns that only replays read ---------------------------------------- */

static double number_in(const dataset_row *r, const char *name, number_rule rule)
{
    return csv_number_or(r->file, r->row, csv_column(r->file, name), rule, 0.0);
}

/* Steps of each worker while it was measured; 0: not told. */
static uint64_t measured_steps(const dataset_row *r)
{
    return csv_integer_or(r->file, r->row, csv_column(r->file, "steps"), 2, UINT32_MAX, 0);
}

static int updates_queue(const dataset_row *r)
{
    const int column = csv_column(r->file, "updates");
    if (csv_is_empty(r->file, r->row, column)) return 0;
    return strcmp(csv_text(r->file, r->row, column), "queued") == 0;
}

int replay_suits(const dataset_row *r, dataset_fit fit, replay_service service)
{
    const sgdp_job *job = &r->job;
    const int ring = r->mode == MODE_ALLREDUCE;
    if (service == REPLAY_EXPONENTIAL && r->mode != MODE_ASYNC) return 0;
    if (r->lacks || fit != FIT_NONE || r->workers > REPLAY_WORKERS_MOST) return 0;
    if (job->gpus > 1 || job->servers > REPLAY_SERVERS_MOST) return 0;
    if ((job->latency_s > 0.0 && !ring) || job->one_worker_step_s > 0.0) return 0;
    if (job->uplink_s > 0.0 || job->downlink_s > 0.0) return 0;
    return r->layers || job->overlap == SGDP_OVERLAP_NONE;
}

/* ---- The step -------------------------------------------------------------- */

/* The layers of a row; without layers the model is one: downlink, computation, uplink,
 * update. */
static size_t read_layers(const dataset_row *r, sgdsim_layer **layer)
{
    int column;
    if (r->layers) return layers_read(r->layers, layer, &column)->rows;
    *layer = (sgdsim_layer *)tool_alloc(1, sizeof **layer);
    (*layer)->bytes = r->job.model_bytes;
    (*layer)->forward_s = r->job.forward_s;
    (*layer)->backward_s = r->job.backward_s;
    (*layer)->update_s = r->job.update_s;
    return 1;
}

/* The computation of layers in the proportions of a type of workers. */
static void scale_layers(sgdsim_layer *layer, size_t n, const sgdp_worker_type *type)
{
    double forward_s = 0.0, backward_s = 0.0;
    size_t i;
    for (i = 0; i < n; i++) {
        forward_s += layer[i].forward_s;
        backward_s += layer[i].backward_s;
    }
    for (i = 0; i < n; i++) {
        layer[i].forward_s = forward_s > 0.0 ? layer[i].forward_s * type->forward_s / forward_s
                                             : type->forward_s / (double)n;
        layer[i].backward_s = backward_s > 0.0 ? layer[i].backward_s * type->backward_s / backward_s
                                               : type->backward_s / (double)n;
    }
}

static void check(const dataset_row *r, sgdsim_status status)
{
    if (status != SGDSIM_OK)
        csv_fail(r->file, r->row, CSV_NONE, "model simulated: %s", sgdsim_status_text(status));
}

/* The ops of a step, each layer in equal parts on all servers. */
static void build_ops(replay_profile *p, const dataset_row *r, const sgdsim_layer *layer, size_t n)
{
    const int whole = r->job.overlap == SGDP_OVERLAP_NONE;
    const uint32_t servers = r->job.servers > 1 ? r->job.servers : 1;
    const size_t edges = n * (whole ? n + 5 : 6);
    sgdsim_op *op = (sgdsim_op *)tool_alloc(5 * n, sizeof *op);
    uint32_t *waits = (uint32_t *)tool_alloc(edges, (servers + 1) * sizeof *waits);
    size_t *first = (size_t *)tool_alloc(5 * n + 1, sizeof *first);
    double *share = (double *)tool_alloc(servers, sizeof *share);
    uint32_t m;
    if (sgdsim_trace_layers(layer, n, whole, op, waits) != SGDSIM_OK)
        csv_fail(r->file, r->row, CSV_NONE, "model simulated: a time is too large");
    for (m = 0; m < servers; m++) share[m] = 1.0 / servers;
    p->op = (sgdsim_op *)tool_alloc(p->steps * 5 * n, servers * sizeof *p->op);
    check(r, sgdsim_trace_split(op, 5 * n, share, servers, p->op, waits + edges, first));
    p->ops = first[5 * n];
}

/* Steps that are alike but for computation, which a factor of mean 1 makes longer or
 * shorter as a whole. */
static void build_steps(replay_profile *p, const dataset_row *r, const sgdp_worker_type *type,
                        double cv)
{
    sgdsim_layer *layer;
    const size_t n = read_layers(r, &layer);
    size_t s, i;
    if (type) scale_layers(layer, n, type);
    p->steps = cv > 0.0 ? REPLAY_PROFILES : 1;
    build_ops(p, r, layer, n);
    p->step = (sgdsim_step *)tool_alloc(p->steps, sizeof *p->step);
    for (s = p->steps; s-- > 0;) { /* the first, which the others copy, last */
        const double drawn = cv > 0.0 ? sgdsim_trace_variation(cv, replay_seed, s) : 1.0;
        sgdsim_op *op = p->op + s * p->ops;
        if (s > 0) memcpy(op, p->op, p->ops * sizeof *op);
        for (i = 0; i < p->ops; i++)
            if (op[i].resource == SGDSIM_WORKER) op[i].duration_s *= drawn;
        p->step[s].op = op;
        p->step[s].ops = p->ops;
    }
}

/* ---- The run --------------------------------------------------------------- */

static double *of_all_types(const sgdsim_config *config, double value)
{
    double *list = (double *)tool_alloc(config->types, sizeof *list);
    size_t t;
    for (t = 0; t < config->types; t++) list[t] = value;
    return list;
}

static void set_links(sgdsim_config *config, const dataset_row *r, replay_service service)
{
    const double bandwidth = r->job.bandwidth_bytes_per_s, cap = r->job.flow_cap_bytes_per_s;
    const int ring = r->mode == MODE_ALLREDUCE;
    double own = number_in(r, "worker_bandwidth_bytes_per_s", NUMBER_POSITIVE);
    double delay_s = number_in(r, "delay_s", NUMBER_NON_NEGATIVE);
    if (ring) delay_s = r->job.latency_s;
    config->mode = r->mode == MODE_ASYNC ? SGDSIM_ASYNC : SGDSIM_SYNC;
    config->link = ring ? SGDSIM_LINK_RING
                 : service == REPLAY_TCP ? SGDSIM_LINK_TCP : SGDSIM_LINK_EQUAL;
    /* Not known where there is nothing to send. */
    config->bandwidth_bytes_per_s = bandwidth > 0.0 ? bandwidth : 1.0;
    config->servers = r->job.servers > 1 ? r->job.servers : 1;
    if (cap > 0.0 && cap < bandwidth) config->flow_cap = cap / bandwidth;
    if (config->servers > 1 && !(own > 0.0)) own = config->bandwidth_bytes_per_s;
    if (own > 0.0) config->worker_bandwidth_bytes_per_s = of_all_types(config, own);
    if (delay_s > 0.0) config->delay_s = of_all_types(config, delay_s);
    if (updates_queue(r)) config->updates = SGDSIM_UPDATES_QUEUED;
}

/* A row that tells its steps was measured from staggered starts; a tenth of the steps, 3
 * at least, and the one after it are warm-up. */
static void set_length(sgdsim_config *config, const dataset_row *r)
{
    const uint64_t measured = measured_steps(r);
    const size_t ops = config->trace->step->ops;
    const sgdp_job *job = &r->job;
    config->variants.steady_window = r->mode == MODE_ASYNC;
    if (measured > 0) {
        uint64_t warmup = (measured / 10 > 3 ? measured / 10 : 3) + 1;
        if (warmup >= measured) warmup = measured - 1;
        config->steps = measured;
        config->warmup = warmup * r->workers;
        config->stagger_s = job->forward_s + job->backward_s + job->update_s
                          + 2.0 * job->model_bytes / config->bandwidth_bytes_per_s;
        return;
    }
    config->steps = REPLAY_OPERATIONS / (ops * r->workers);
    if (config->steps > REPLAY_STEPS_MOST) config->steps = REPLAY_STEPS_MOST;
    if (config->steps < REPLAY_STEPS_LEAST) config->steps = REPLAY_STEPS_LEAST;
    config->warmup = config->steps / REPLAY_WARMUP_PART * r->workers;
}

/* Adds part of the runs' throughputs to x[runs]. */
static void add_runs(const sgdsim_config *config, const dataset_row *r, size_t runs, double part,
                     double *x)
{
    sgdsim_replications out;
    size_t bytes = 0, i;
    memset(&out, 0, sizeof out);
    out.run_batches_per_s = (double *)tool_alloc(runs, sizeof *x);
    check(r, sgdsim_run_bytes(config, &bytes));
    check(r, sgdsim_replicate(config, runs, tool_alloc(bytes, 1), bytes, &out));
    for (i = 0; i < runs; i++) x[i] += part * out.run_batches_per_s[i];
}

/* Synchronous: the mean of both ways to share a link, but for TCP. */
static replay simulate(sgdsim_config *config, const dataset_row *r, replay_service service)
{
    const size_t runs = measured_steps(r) > 0 ? REPLAY_RUNS : 1;
    const int both = r->mode == MODE_SYNC && service != REPLAY_TCP;
    double *x = (double *)tool_alloc(runs, sizeof *x);
    replay out = {0.0, 0.0, 0.0, 0};
    size_t i;
    add_runs(config, r, runs, both ? 0.5 : 1.0, x);
    if (both) {
        config->link = SGDSIM_LINK_FCFS;
        add_runs(config, r, runs, 0.5, x);
    }
    out.runs = runs;
    out.low = out.high = x[0];
    for (i = 0; i < runs; i++) {
        out.mean += x[i] / (double)runs;
        if (x[i] < out.low) out.low = x[i];
        if (x[i] > out.high) out.high = x[i];
    }
    if (out.mean < out.low) out.mean = out.low; /* by rounding */
    if (out.mean > out.high) out.mean = out.high;
    return out;
}

replay replay_row(const dataset_row *r, replay_service service)
{
    const size_t types = r->job.types > 0 ? r->job.types : 1;
    replay_profile *p = (replay_profile *)tool_alloc(types, sizeof *p);
    sgdsim_trace *trace = (sgdsim_trace *)tool_alloc(types, sizeof *trace);
    uint32_t *workers = (uint32_t *)tool_alloc(types, sizeof *workers);
    double cv = r->compute_cv;
    sgdsim_config config;
    size_t t;
    if (service == REPLAY_TRACED && r->mode == MODE_ASYNC && !(cv > 0.0)) cv = replay_async_cv;
    for (t = 0; t < types; t++) {
        const sgdp_worker_type *type = r->job.types > 0 ? &r->job.type[t] : NULL;
        build_steps(&p[t], r, type, service == REPLAY_EXPONENTIAL ? 0.0 : cv);
        trace[t].step = p[t].step;
        trace[t].steps = p[t].steps;
        workers[t] = type ? type->count : r->workers;
    }
    memset(&config, 0, sizeof config);
    config.types = types;
    config.trace = trace;
    config.workers = workers;
    config.seed = replay_seed;
    if (service == REPLAY_EXPONENTIAL) config.service = SGDSIM_EXPONENTIAL;
    set_links(&config, r, service);
    set_length(&config, r);
    return simulate(&config, r, service);
}
