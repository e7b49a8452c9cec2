/* replay.c - a measured row, replayed by the simulator */
#include "model/replay.h"

#include "files/exchange.h"
#include "files/layers.h"
#include "files/status.h"
#include "sgdperf_sim.h"

#include <string.h>

enum { REPLAY_SERVERS_MOST = 64 };

/* What the workers of one type do, alone. */
typedef struct replay_steps {
    sgdsim_trace trace;
    uint32_t *order;          /* of transmission, NULL: as the layers come                */
    size_t    ordered;
    double    alone_s;        /* computation and updates of a step                        */
    size_t    copies, ops;    /* steps chained in one, all that were measured, or 1; of each */
} replay_steps;

typedef struct replay_chain {
    size_t  workers, copies, ops; /* ops: of each of the steps chained                   */
    size_t  warm;                 /* a worker is warm with its step of this number       */
    double *end_s;                /* [workers][copies] last update                       */
    double *rate_per_s;           /* [runs]                                              */
} replay_chain;

/* ---- Chains ------------------------------------------------------------------- */

static void replay_chain_note(void *ctx, const sgdsim_event *event)
{
    replay_chain *chain = (replay_chain *)ctx;
    double *end_s = chain->end_s + event->worker * chain->copies + event->op / chain->ops;
    if (event->resource == SGDSIM_SERVER && event->end_s > *end_s) *end_s = event->end_s;
}

/* Of all workers, each from its first to its last step between two times, so that no part of
 * a step counts. */
static double rate_between(const replay_chain *chain, double from_s, double until_s)
{
    double rate = 0.0;
    for (size_t w = 0; w < chain->workers; w++) {
        const double *end_s = chain->end_s + w * chain->copies;
        double first_s = 0.0, last_s = 0.0;
        size_t inside = 0;
        for (size_t k = 0; k < chain->copies; k++) {
            if (end_s[k] < from_s || end_s[k] > until_s) continue;
            if (inside++ == 0) first_s = end_s[k];
            last_s = end_s[k];
        }
        if (inside > 1 && last_s > first_s) rate += (double)(inside - 1) / (last_s - first_s);
    }
    return rate;
}

/* Each for sgdsim_watch and sgdsim_replications.on_run, ctx a replay_chain.
 *
 * From when all workers are warm until the first one has done all its steps. */
static void replay_chain_count(void *ctx, uint64_t run, sgdsim_result *result)
{
    replay_chain *chain = (replay_chain *)ctx;
    double from_s = 0.0, until_s = result->makespan_s;
    for (size_t w = 0; w < chain->workers; w++) {
        const double *end_s = chain->end_s + w * chain->copies;
        if (end_s[chain->warm] > from_s) from_s = end_s[chain->warm];
        if (end_s[chain->copies - 1] < until_s) until_s = end_s[chain->copies - 1];
    }
    chain->rate_per_s[run] = rate_between(chain, from_s, until_s);
    memset(chain->end_s, 0, chain->workers * chain->copies * sizeof *chain->end_s);
}

enum {
    REPLAY_PROFILES = 500,    /* profiled steps where the computation varies              */
    REPLAY_CHAINS = 40,       /* of chained ones, each as long as a run                   */
    REPLAY_OPS_MOST = 65000   /* of a chain                                               */
};

/* ---- Steps: columns that only replays read ------------------------------------ */

static double replay_number(const dataset_row *r, const char *column, number_rule rule)
{
    return csv_number_or(r->file, r->row, csv_column(r->file, column), rule, 0.0);
}

/* Columns that only replays read. */
static const char *replay_word(const dataset_row *r, const char *column)
{
    const int at = csv_column(r->file, column);
    return csv_text_or(r->file, r->row, at, "");
}

/* Steps of each worker while it was measured; 0: not told. */
static uint64_t replay_measured(const dataset_row *r)
{
    return csv_integer_or(r->file, r->row, csv_column(r->file, "steps"), 2, UINT32_MAX, 0);
}

/* ---- Steps: layers ------------------------------------------------------------ */

/* Without a table the model is one layer, or so many equal buckets of an all-reduce. */
static size_t read_layers(const dataset_row *r, sgdsim_layer **layer)
{
    const double buckets = replay_number(r, "buckets", NUMBER_ANY);
    const size_t n = r->mode == MODE_ALLREDUCE && buckets > 1.0 && buckets <= 1024.0
                   ? (size_t)buckets : 1;
    int column;
    if (r->layers) return layers_read(r->layers, layer, &column)->rows;
    *layer = (sgdsim_layer *)tool_alloc(n, sizeof **layer);
    for (size_t i = 0; i < n; i++) {
        (*layer)[i].bytes = r->job.model_bytes / (double)n;
        (*layer)[i].forward_s = r->job.compute.forward_s / (double)n;
        (*layer)[i].backward_s = r->job.compute.backward_s / (double)n;
        (*layer)[i].update_s = r->job.compute.update_s / (double)n;
    }
    return n;
}

void replay_ask(const dataset_row *r)
{
    sgdsim_layer *layer;
    (void)read_layers(r, &layer);
    (void)replay_measured(r);
    (void)replay_number(r, "bucket_bytes", NUMBER_NON_NEGATIVE);
    (void)replay_word(r, "order");
    (void)replay_word(r, "place");
    (void)replay_word(r, "updates");
}

/* The computation of layers in the proportions of a type of workers. */
static void scale_layers(sgdsim_layer *layer, size_t n, const sgdp_worker_type *type)
{
    double forward_s = 0.0, backward_s = 0.0;
    for (size_t i = 0; i < n; i++) {
        forward_s += layer[i].forward_s;
        backward_s += layer[i].backward_s;
    }
    for (size_t i = 0; i < n; i++) {
        layer[i].forward_s = forward_s > 0.0 ? layer[i].forward_s * type->forward_s / forward_s
                                             : type->forward_s / (double)n;
        layer[i].backward_s = backward_s > 0.0
                            ? layer[i].backward_s * type->backward_s / backward_s
                            : type->backward_s / (double)n;
    }
}

/* Of an all-reduce: gradients leave with the layer that makes them so many bytes. */
static void gather_layers(sgdsim_layer *layer, size_t n, double bucket_bytes)
{
    double bytes = 0.0;
    for (size_t i = n; i-- > 0;) {
        bytes += layer[i].bytes;
        layer[i].bytes = 0.0;
        if (i > 0 && bytes < bucket_bytes) continue;
        layer[i].bytes = bytes;
        bytes = 0.0;
    }
}

/* ---- Steps: operations -------------------------------------------------------- */

static void check(const dataset_row *r, sgdsim_status status)
{
    if (status != SGDSIM_OK)
        csv_fail(r->file, r->row, CSV_NONE, "model simulated: %s", sgdsim_status_text(status));
}

/* Each server's part of all layers; equal parts if the row does not tell. */
static const double *find_shares(const dataset_row *r, uint32_t servers)
{
    double *share = (double *)tool_alloc(servers, sizeof *share);
    if (r->job.servers.shares) return r->job.servers.shares;
    for (uint32_t m = 0; m < servers; m++) share[m] = 1.0 / servers;
    return share;
}

/* Whole layers on servers: the largest first, each where there is least. */
static void place_layers(sgdsim_op *op, size_t n, const sgdsim_layer *layer, uint32_t servers)
{
    double load[REPLAY_SERVERS_MOST] = {0.0};
    char *placed = (char *)tool_alloc(n, 1);
    uint32_t m, least;
    for (size_t k = 0; k < n; k++) {
        size_t most = n;
        for (size_t i = 0; i < n; i++)
            if (!placed[i] && (most == n || layer[i].bytes > layer[most].bytes)) most = i;
        for (m = 1, least = 0; m < servers; m++)
            if (load[m] < load[least]) least = m;
        placed[most] = 1;
        load[least] += layer[most].bytes;
        op[most].server = op[4 * n - 1 - most].server = op[5 * n - 1 - most].server = least;
    }
}

/* Writes the ops of a step to op, which has room for 5 n servers of them; how many. */
static size_t build_ops(const dataset_row *r, const sgdsim_layer *layer, size_t n, sgdsim_op *op)
{
    const int whole = r->job.overlap.rule == SGDP_OVERLAP_NONE;
    const uint32_t servers = r->job.servers.count > 1 ? r->job.servers.count : 1;
    const size_t edges = n * (whole ? n + 5 : 6);
    sgdsim_op *one = (sgdsim_op *)tool_alloc(5 * n, sizeof *one);
    uint32_t *waits = (uint32_t *)tool_alloc(edges, (servers + 1) * sizeof *waits);
    size_t *first = (size_t *)tool_alloc(5 * n + 1, sizeof *first);
    if (sgdsim_trace_layers(layer, n, whole, one, waits) != SGDSIM_OK)
        csv_fail(r->file, r->row, CSV_NONE, "model simulated: a time is too large");
    if (strcmp(replay_word(r, "place"), "balanced") == 0) {
        place_layers(one, n, layer, servers);
        memcpy(op, one, 5 * n * sizeof *op);
        return 5 * n;
    }
    check(r, sgdsim_trace_split(&(sgdsim_step){one, 5 * n}, find_shares(r, servers), servers, op,
                                waits + edges, first));
    return first[5 * n];
}

static sgdsim_shape shape_of(const dataset_row *r)
{
    const sgdp_shape shape = r->job.compute.vary.shape;
    if (shape == SGDP_SHAPE_LOGNORMAL) return SGDSIM_SHAPE_LOGNORMAL;
    return shape == SGDP_SHAPE_EXPONENTIAL ? SGDSIM_SHAPE_EXPONENTIAL : SGDSIM_SHAPE_NORMAL;
}

/* Factors of the computation; their mean is 1 in a replay of the measured length. */
static double *draw_factors(const dataset_row *r, double cv, uint64_t seed, size_t n)
{
    double *factor = (double *)tool_alloc(n, sizeof *factor), sum = 0.0;
    for (size_t s = 0; s < n; s++) {
        factor[s] = cv > 0.0 ? sgdsim_trace_variation(shape_of(r), cv, seed, s) : 1.0;
        sum += factor[s];
    }
    for (size_t s = 0; s < n && replay_measured(r) > 0; s++) factor[s] *= (double)n / sum;
    return factor;
}

/* The order of transmission, if the row has one that is not as the layers come; drawn by the
 * seed where it is random. */
static void replay_order(replay_steps *p, const dataset_row *r, uint64_t seed)
{
    const char *word = replay_word(r, "order");
    const int random = strcmp(word, "random") == 0;
    const sgdsim_step *step = p->trace.step;
    const sgdsim_ordering by = {
        .rule = random ? SGDSIM_ORDER_RANDOM : SGDSIM_ORDER_REVERSE, .seed = seed,
        .bandwidth_bytes_per_s = r->job.links.bandwidth_bytes_per_s
    };
    size_t bytes = 0;
    if (!random && strcmp(word, "reverse") != 0) return;
    p->order = (uint32_t *)tool_alloc(step->ops, sizeof *p->order);
    check(r, sgdsim_order_transfers_bytes(step, by.rule, &bytes));
    check(r, sgdsim_order_transfers(step, &by, tool_alloc(bytes, 1), bytes, p->order,
                                    &p->ordered));
}

/* Of several servers each goes on by itself, as those of the testbed do. */
int replay_is_chained(const dataset_row *r)
{
    const char *order = replay_word(r, "order");
    if (r->mode != MODE_ASYNC || r->job.servers.count < 2 || replay_measured(r) < 5) return 0;
    return strcmp(order, "random") != 0 && strcmp(order, "reverse") != 0;
}

static size_t count_copies(const dataset_row *r, size_t ops, int chained)
{
    const uint64_t measured = replay_measured(r);
    if (!chained || !replay_is_chained(r)) return 1;
    return measured <= REPLAY_OPS_MOST / ops ? (size_t)measured : 1;
}

/* Chains of the step one[ops], alike but for computation, which a factor makes longer or
 * shorter step by step. */
static sgdsim_trace vary_chains(const dataset_row *r, const sgdsim_op *one, size_t ops,
                                size_t copies, const double *factor, size_t chains)
{
    const size_t n = ops * copies;
    sgdsim_op *all = (sgdsim_op *)tool_alloc(chains * n, sizeof *all);
    sgdsim_step *step = (sgdsim_step *)tool_alloc(chains, sizeof *step);
    size_t edges = ops;
    sgdsim_trace trace;
    for (size_t i = 0; i < ops; i++) edges += one[i].waits;
    check(r, sgdsim_trace_chain(&(sgdsim_step){one, ops}, copies, all,
                                (uint32_t *)tool_alloc(edges * copies, sizeof(uint32_t))));
    for (size_t c = chains; c-- > 0;) { /* the first, which the others copy, last */
        sgdsim_op *op = all + c * n;
        if (c > 0) memcpy(op, all, n * sizeof *op);
        for (size_t i = 0; i < n; i++)
            if (op[i].resource == SGDSIM_WORKER) op[i].duration_s *= factor[c * copies + i / ops];
        step[c].op = op;
        step[c].ops = n;
    }
    trace.step = step;
    trace.steps = chains;
    return trace;
}

/* Of an all-reduce over links as declared, by the model that predict takes for it. */
static sgdp_stretch stretch_of(const dataset_row *r)
{
    sgdp_stretch by = {1.0, 0.0};
    if (r->mode == MODE_ALLREDUCE &&
        sgdp_stretch_of(&r->job, dataset_usual(r), r->workers, &by) != SGDP_OK)
        csv_fail(r->file, r->row, CSV_NONE, "model simulated: the exposure or growth of the row is "
                  "invalid");
    return by;
}

/* type: NULL for that of the row; cv of the computation, 0: steps that are all alike; chained:
 * whether steps are, where they may be. */
static replay_steps replay_build(const dataset_row *r, const sgdp_worker_type *type, double cv,
                                 int chained, uint64_t seed)
{
    const size_t servers = r->job.servers.count > 1 ? r->job.servers.count : 1;
    const double bucket_bytes = replay_number(r, "bucket_bytes", NUMBER_NON_NEGATIVE);
    const double growth = stretch_of(r).growth;
    replay_steps p = {{NULL, 0}, NULL, 0, 0.0, 1, 0};
    sgdsim_layer *layer;
    const size_t n = read_layers(r, &layer);
    sgdsim_op *one = (sgdsim_op *)tool_alloc(5 * n, servers * sizeof *one);
    if (type) scale_layers(layer, n, type);
    for (size_t i = 0; i < n; i++) {
        layer[i].forward_s *= growth;
        layer[i].backward_s *= growth;
    }
    if (r->mode == MODE_ALLREDUCE && bucket_bytes > 0.0) gather_layers(layer, n, bucket_bytes);
    for (size_t i = 0; i < n; i++)
        p.alone_s += layer[i].forward_s + layer[i].backward_s + layer[i].update_s;
    p.ops = build_ops(r, layer, n, one);
    p.copies = count_copies(r, p.ops, chained);
    size_t chains = !(cv > 0.0) ? 1 : p.copies > 1 ? REPLAY_CHAINS : REPLAY_PROFILES;
    p.trace = vary_chains(r, one, p.ops, p.copies, draw_factors(r, cv, seed, chains * p.copies),
                          chains);
    return p;
}

/* ---- Rows --------------------------------------------------------------------- */

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
    if (job->machine.gpus > 1 || job->collective.jobs > 1 || r->foreign) return 0;
    if (job->servers.count > REPLAY_SERVERS_MOST) return 0;
    if ((job->links.latency_s > 0.0 && !ring) || job->compute.one_worker_step_s > 0.0) return 0;
    if (job->links.uplink_s > 0.0 || job->links.downlink_s > 0.0) return 0;
    return r->layers || buckets || job->overlap.rule == SGDP_OVERLAP_NONE;
}

int replay_repeats_updates(const dataset_row *r)
{
    return r->mode != MODE_ASYNC && r->workers > 1 &&
           (r->job.compute.update_s > 0.0 || r->layers) &&
           strcmp(replay_word(r, "updates"), "queued") == 0;
}

/* ---- Rows: types of workers --------------------------------------------------- */

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
    t.count = r->job.workers.types > 0 ? r->job.workers.types : 1;
    t.trace = (sgdsim_trace *)tool_alloc(t.count, sizeof *t.trace);
    t.workers = (uint32_t *)tool_alloc(t.count, sizeof *t.workers);
    t.delay_s = (double *)tool_alloc(t.count, sizeof *t.delay_s);
    t.own = (double *)tool_alloc(t.count, sizeof *t.own);
    for (size_t i = 0; i < t.count; i++) {
        const sgdp_worker_type *type = r->job.workers.types > 0 ? &r->job.workers.type[i] : NULL;
        const replay_steps steps = replay_build(r, type, cv, chained, replay_seed);
        if (i == 0) t.first = steps;
        t.trace[i] = steps.trace;
        t.workers[i] = type ? type->count : r->workers;
        t.delay_s[i] = type ? type->delay_s : r->job.links.delay_s;
        t.own[i] = r->job.links.worker_bandwidth_bytes_per_s;
    }
    return t;
}

/* ---- Rows: the run ------------------------------------------------------------ */

static void set_links(sgdsim_config *config, const dataset_row *r, const replay_types *t,
                      replay_service service)
{
    const double bandwidth = r->job.links.bandwidth_bytes_per_s;
    const double cap = r->job.links.flow_cap_bytes_per_s;
    const int ring = r->mode == MODE_ALLREDUCE;
    config->mode = r->mode == MODE_ASYNC ? SGDSIM_ASYNC : SGDSIM_SYNC;
    config->links.rule = ring ? SGDSIM_LINK_EXCHANGE
                 : service >= REPLAY_TCP ? SGDSIM_LINK_TCP : SGDSIM_LINK_EQUAL;
    config->links.exchange_s = exchange_ring_s;
    /* Not known where there is nothing to send. */
    config->links.bandwidth_bytes_per_s = bandwidth > 0.0 ? bandwidth : 1.0;
    config->servers.count = r->job.servers.count > 1 ? r->job.servers.count : 1;
    if (cap > 0.0 && cap < bandwidth) config->links.flow_cap = cap / bandwidth;
    for (size_t i = 0; i < t->count; i++) {
        if (config->servers.count > 1 && !(t->own[i] > 0.0))
            t->own[i] = config->links.bandwidth_bytes_per_s;
        if (ring && cap > 0.0 && !(t->own[i] > 0.0 && t->own[i] < cap)) t->own[i] = cap;
        if (ring) t->delay_s[i] = r->job.links.latency_s + 2.0 * t->delay_s[i]; /* over two links */
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

/* Writes the throughputs x[runs], of chained steps as they are counted. */
static void replicate(sgdsim_config *config, const dataset_row *r, const replay_steps *steps,
                      size_t runs, double *x)
{
    sgdsim_replications out = {.run_batches_per_s = x};
    replay_chain chain = {.workers = r->workers, .copies = steps->copies, .ops = steps->ops,
                          .warm = (size_t)count_warm(steps->copies)};
    size_t bytes = 0;
    if (steps->copies > 1) {
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
    if (!draws) replicate(&one, r, &t->first, runs, of_run);
    for (size_t i = 0; draws && i < runs; i++) {
        one.variation.seed = i > 0 ? sgdsim_random(config->variation.seed, i, 0, 0)
            : config->variation.seed;
        replay_order(&t->first, r, one.variation.seed);
        one.transfers.order = t->first.order;
        replicate(&one, r, &t->first, 1, of_run + i);
    }
    for (size_t i = 0; i < runs; i++) x[i] += part * of_run[i];
}

/* Synchronous: the mean of both ways to share a link, but for TCP. */
static replay simulate(sgdsim_config *config, const dataset_row *r, replay_types *t,
                       replay_service service)
{
    const size_t runs = replay_measured(r) > 0 ? REPLAY_RUNS : 1;
    const int both = r->mode == MODE_SYNC && service < REPLAY_TCP;
    double *x = (double *)tool_alloc(runs, sizeof *x);
    replay out = {0.0, 0.0, 0.0, 0};
    add_runs(config, r, t, runs, both ? 0.5 : 1.0, x);
    if (both) {
        config->links.rule = SGDSIM_LINK_FCFS;
        add_runs(config, r, t, runs, 0.5, x);
    }
    out.runs = runs;
    out.low = out.high = x[0];
    for (size_t i = 0; i < runs; i++) {
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
    double cv = r->job.compute.vary.cv;
    const double h = stretch_of(r).exposure;
    double held = h > 0.0 ? h : 1.0;
    replay_types t;
    if (service == REPLAY_TRACED && r->mode == MODE_ASYNC && !(cv > 0.0)) cv = replay_async_cv;
    t = build_types(r, service == REPLAY_EXPONENTIAL ? 0.0 : cv, service == REPLAY_CHAIN);
    sgdsim_config config = {.variation = {.seed = replay_seed}, .workers.types = t.count,
                            .workers.trace = t.trace, .workers.count = t.workers};
    replay_order(&t.first, r, replay_seed);
    config.transfers.order = t.first.order;
    config.transfers.ordered = t.first.ordered;
    if (service == REPLAY_EXPONENTIAL) config.variation.service = SGDSIM_EXPONENTIAL;
    set_links(&config, r, &t, service);
    config.links.exchange_ctx = &held;
    set_length(&config, r, &t);
    return simulate(&config, r, &t, service);
}
