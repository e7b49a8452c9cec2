/* replay.c - a measured row, replayed by the simulator */
#include "cmd/validate/replay.h"
#include "cmd/validate/replay_chain.h"
#include "cmd/validate/replay_step.h"
#include "files/status.h"
#include "files/exchange.h"

#include <string.h>

const char *const replay_names[REPLAY_COUNT] = {
    "simulated", "simulated-exp", "simulated-tcp", "simulated-chain"
};

enum {
    REPLAY_STEPS_MOST = 5000,     /* of each worker; fewer where that takes more than    */
    REPLAY_STEPS_LEAST = 50,
    REPLAY_OPERATIONS = 2000000,  /* so many operations of all workers                   */
    REPLAY_WARMUP_PART = 5,       /* of the steps do not count                           */
    REPLAY_WORKERS_MOST = 1000
};

static const uint64_t replay_seed = 1;

/* Asynchronous workers whose steps are all alike stay in step for ever. */
static const double replay_async_cv = 0.05;

int replay_suits(const dataset_row *r, dataset_fit fit, replay_service service)
{
    const sgdp_job *job = &r->job;
    const int ring = r->mode == MODE_ALLREDUCE;
    const int buckets = ring && replay_number(r, "buckets", NUMBER_ANY) > 1.0;
    if (service == REPLAY_EXPONENTIAL && r->mode != MODE_ASYNC) return 0;
    if (r->lacks || fit != FIT_NONE || r->workers > REPLAY_WORKERS_MOST) return 0;
    if (job->gpus > 1 || job->jobs > 1 || r->foreign) return 0;
    if (job->servers > REPLAY_SERVERS_MOST) return 0;
    if ((job->latency_s > 0.0 && !ring) || job->one_worker_step_s > 0.0) return 0;
    if (job->uplink_s > 0.0 || job->downlink_s > 0.0) return 0;
    return r->layers || buckets || job->overlap == SGDP_OVERLAP_NONE;
}

int replay_repeats_updates(const dataset_row *r)
{
    return r->mode != MODE_ASYNC && r->workers > 1 &&
           (r->job.update_s > 0.0 || r->layers) &&
           strcmp(replay_word(r, "updates"), "queued") == 0;
}

/* ---- Types of workers ------------------------------------------------------ */

/* The types of a run. */
typedef struct replay_types {
    size_t        count;
    sgdsim_trace *trace;          /* [count]                                             */
    uint32_t     *workers;
    double       *delay_s, *own;  /* bandwidth                                           */
    replay_steps  first;
} replay_types;

static replay_types build_types(const dataset_row *r, double cv, int chained)
{
    replay_types t;
    size_t i;
    t.count = r->job.types > 0 ? r->job.types : 1;
    t.trace = (sgdsim_trace *)tool_alloc(t.count, sizeof *t.trace);
    t.workers = (uint32_t *)tool_alloc(t.count, sizeof *t.workers);
    t.delay_s = (double *)tool_alloc(t.count, sizeof *t.delay_s);
    t.own = (double *)tool_alloc(t.count, sizeof *t.own);
    for (i = 0; i < t.count; i++) {
        const sgdp_worker_type *type = r->job.types > 0 ? &r->job.type[i] : NULL;
        const replay_steps steps = replay_build(r, type, cv, chained, replay_seed);
        if (i == 0) t.first = steps;
        t.trace[i] = steps.trace;
        t.workers[i] = type ? type->count : r->workers;
        t.delay_s[i] = type ? type->delay_s : r->job.delay_s;
        t.own[i] = r->job.worker_bandwidth_bytes_per_s;
    }
    return t;
}

/* ---- The run --------------------------------------------------------------- */

static void set_links(sgdsim_config *config, const dataset_row *r, const replay_types *t,
                      replay_service service)
{
    const double bandwidth = r->job.bandwidth_bytes_per_s, cap = r->job.flow_cap_bytes_per_s;
    const int ring = r->mode == MODE_ALLREDUCE;
    size_t i;
    config->mode = r->mode == MODE_ASYNC ? SGDSIM_ASYNC : SGDSIM_SYNC;
    config->links.rule = ring ? SGDSIM_LINK_EXCHANGE
                 : service >= REPLAY_TCP ? SGDSIM_LINK_TCP : SGDSIM_LINK_EQUAL;
    config->links.exchange_s = exchange_ring_s;
    /* Not known where there is nothing to send. */
    config->links.bandwidth_bytes_per_s = bandwidth > 0.0 ? bandwidth : 1.0;
    config->servers.count = r->job.servers > 1 ? r->job.servers : 1;
    if (cap > 0.0 && cap < bandwidth) config->links.flow_cap = cap / bandwidth;
    for (i = 0; i < t->count; i++) {
        if (config->servers.count > 1 && !(t->own[i] > 0.0))
            t->own[i] = config->links.bandwidth_bytes_per_s;
        if (ring && cap > 0.0 && !(t->own[i] > 0.0 && t->own[i] < cap)) t->own[i] = cap;
        if (ring) t->delay_s[i] = r->job.latency_s + 2.0 * t->delay_s[i]; /* over two links */
        if (t->own[i] > 0.0) config->links.worker_bandwidth_bytes_per_s = t->own;
        if (t->delay_s[i] > 0.0) config->links.delay_s = t->delay_s;
    }
    if (strcmp(replay_word(r, "updates"), "queued") == 0)
        config->servers.updates = SGDSIM_UPDATES_QUEUED;
}

/* The step with which a worker is warm. */
static uint64_t count_warm(uint64_t measured)
{
    return measured / 10 > 3 ? measured / 10 : 3;
}

/* A row that tells its steps was measured from staggered starts; a tenth of the steps, 3
 * at least, and the one after it are warm-up. */
static void set_length(sgdsim_config *config, const dataset_row *r, const replay_types *t)
{
    const uint64_t measured = replay_measured(r);
    config->variants.steady_window = r->mode == MODE_ASYNC && t->first.copies == 1;
    if (measured > 0) {
        uint64_t warmup = count_warm(measured) + 1;
        if (warmup >= measured) warmup = measured - 1;
        config->length.steps = measured / t->first.copies;
        config->length.warmup = t->first.copies > 1 ? 0 : warmup * r->workers;
        config->variation.stagger_s =
            t->first.alone_s + 2.0 * r->job.model_bytes / config->links.bandwidth_bytes_per_s;
        return;
    }
    config->length.steps = REPLAY_OPERATIONS / (config->workers.trace->step->ops * r->workers);
    if (config->length.steps > REPLAY_STEPS_MOST) config->length.steps = REPLAY_STEPS_MOST;
    if (config->length.steps < REPLAY_STEPS_LEAST) config->length.steps = REPLAY_STEPS_LEAST;
    config->length.warmup = config->length.steps / REPLAY_WARMUP_PART * r->workers;
}

static void check(const dataset_row *r, sgdsim_status status)
{
    if (status != SGDSIM_OK)
        csv_fail(r->file, r->row, CSV_NONE, "model simulated: %s", sgdsim_status_text(status));
}

/* Writes the throughputs x[runs], of chained steps as they are counted. */
static void replicate(sgdsim_config *config, const dataset_row *r, const replay_steps *steps,
                      size_t runs, double *x)
{
    sgdsim_replications out;
    replay_chain chain;
    size_t bytes = 0;
    memset(&out, 0, sizeof out);
    memset(&chain, 0, sizeof chain);
    out.run_batches_per_s = x;
    if (steps->copies > 1) {
        chain.workers = r->workers;
        chain.copies = steps->copies;
        chain.ops = steps->ops;
        chain.warm = (size_t)count_warm(steps->copies);
        chain.end_s = (double *)tool_alloc(chain.workers * chain.copies, sizeof(double));
        chain.rate_per_s = (double *)tool_alloc(runs, sizeof(double));
        config->watch.on_op = replay_chain_note;
        config->watch.ctx = &chain;
        out.on_run = replay_chain_count;
        out.on_run_ctx = &chain;
    }
    check(r, sgdsim_run_bytes(config, &bytes));
    check(r, sgdsim_replicate(config, runs, tool_alloc(bytes, 1), bytes, &out));
    if (steps->copies > 1) memcpy(x, chain.rate_per_s, runs * sizeof *x);
    config->watch.on_op = NULL;
    config->watch.ctx = NULL;
}

/* Adds part of the runs' throughputs to x[runs]. Where layers are sent in random order each
 * run draws one, as each of the testbed did. */
static void add_runs(const sgdsim_config *config, const dataset_row *r, replay_types *t,
                     size_t runs, double part, double *x)
{
    const int draws = runs > 1 && config->variation.service == SGDSIM_TRACED &&
                      strcmp(replay_word(r, "order"), "random") == 0;
    sgdsim_config one = *config;
    double *of_run = (double *)tool_alloc(runs, sizeof *x);
    size_t i;
    if (!draws) replicate(&one, r, &t->first, runs, of_run);
    for (i = 0; draws && i < runs; i++) {
        one.variation.seed = i > 0 ? sgdsim_random(config->variation.seed, i, 0, 0)
            : config->variation.seed;
        replay_order(&t->first, r, one.variation.seed);
        one.transfers.order = t->first.order;
        replicate(&one, r, &t->first, 1, of_run + i);
    }
    for (i = 0; i < runs; i++) x[i] += part * of_run[i];
}

/* Synchronous: the mean of both ways to share a link, but for TCP. */
static replay simulate(sgdsim_config *config, const dataset_row *r, replay_types *t,
                       replay_service service)
{
    const size_t runs = replay_measured(r) > 0 ? REPLAY_RUNS : 1;
    const int both = r->mode == MODE_SYNC && service < REPLAY_TCP;
    double *x = (double *)tool_alloc(runs, sizeof *x);
    replay out = {0.0, 0.0, 0.0, 0};
    size_t i;
    add_runs(config, r, t, runs, both ? 0.5 : 1.0, x);
    if (both) {
        config->links.rule = SGDSIM_LINK_FCFS;
        add_runs(config, r, t, runs, 0.5, x);
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
    double cv = r->job.vary.cv;
    sgdsim_config config;
    replay_types t;
    if (service == REPLAY_TRACED && r->mode == MODE_ASYNC && !(cv > 0.0)) cv = replay_async_cv;
    t = build_types(r, service == REPLAY_EXPONENTIAL ? 0.0 : cv, service == REPLAY_CHAIN);
    memset(&config, 0, sizeof config);
    config.workers.types = t.count;
    config.workers.trace = t.trace;
    config.workers.count = t.workers;
    replay_order(&t.first, r, replay_seed);
    config.transfers.order = t.first.order;
    config.transfers.ordered = t.first.ordered;
    config.variation.seed = replay_seed;
    if (service == REPLAY_EXPONENTIAL) config.variation.service = SGDSIM_EXPONENTIAL;
    set_links(&config, r, &t, service);
    set_length(&config, r, &t);
    return simulate(&config, r, &t, service);
}
