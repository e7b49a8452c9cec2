/* collectives.c - simulate on machines of accelerators */
#include "cmd/simulate/simulate.h"

#include "files/status.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- Options ------------------------------------------------------------------ */

enum { COLLECTIVES_MOST = 1000000 };

int collectives_wanted(const args *a)
{
    static const option_id own[] = {COLLECTIVES_OPTIONS, MACHINES_OPTIONS};
    size_t i = 0;
    if (args_given(a, OPTION_JOBS) || mode_read(a) != MODE_ALLREDUCE) return 0;
    while (i < COUNT_OF(own) && !args_given(a, own[i])) i++;
    return i < COUNT_OF(own);
}

/* Are parameters kept in parts, and gathered? */
static int collectives_shards(const collectives *c)
{
    return c->sharding == SGDPAR_SHARDING_ALL || c->sharding == SGDPAR_SHARDING_HYBRID;
}

static void read_step(collectives *c, const args *a)
{
    const int layers = args_given(a, OPTION_LAYERS);
    c->sharding = (sgdpar_sharding)args_choice(a, OPTION_SHARDING, topology_shardings,
                                               SGDPAR_SHARDING_COUNT, SGDPAR_SHARDING_NONE);
    c->bucket_bytes = args_quantity(a, OPTION_BUCKET, UNIT_SIZE, NUMBER_POSITIVE,
                                  layers ? SGDPAR_BUCKET_BYTES : 0.0);
    c->first_bucket_bytes = args_number(a, OPTION_FIRST_BUCKET, 0.0);
    if (collectives_shards(c)) c->bucket_bytes = 0.0;
    c->streams = (uint32_t)args_integer(a, OPTION_STREAMS, 1, COLLECTIVES_MOST, 1);
    c->prefetch = (uint32_t)args_integer(a, OPTION_PREFETCH, 0, COLLECTIVES_MOST, 1);
    c->accumulate = (uint32_t)args_integer(a, OPTION_ACCUMULATE, 1, COLLECTIVES_MOST, 1);
    c->alltoall_bytes = topology_alltoall_bytes(a, 0.0);
    if (c->alltoall_bytes > 0.0 && c->sharding != SGDPAR_SHARDING_NONE)
        args_fail(OPTION_ALLTOALL_SIZE, NULL, "cannot be combined with %s %s: use predict",
                  NAME_OF(SHARDING), topology_shardings[c->sharding]);
    if (c->accumulate > 1 && c->sharding == SGDPAR_SHARDING_GRADIENTS)
        args_fail(OPTION_ACCUMULATE, NULL,
                  "cannot be combined with --sharding zero-2, where each micro-batch has its own "
                  "buckets: use predict");
}

static void read_tensors(collectives *c, const sgdsim_layer *layer)
{
    const sgdpar_tensor *tensor = layers_tensors(c->file, layer, &c->units, &c->tail_s);
    if (c->units > (TRACE_MOST_RUN - 4) / 2)
        tool_fail("%s: more than %d tensors", c->file->name, (TRACE_MOST_RUN - 4) / 2);
    c->unit = (sgdsim_layer *)tool_alloc(c->units, sizeof *c->unit);
    for (size_t i = 0; i < c->units; i++) {
        c->unit[i].bytes = (double)tensor[i].bytes;
        c->unit[i].backward_s = tensor[i].backward_s;
    }
}

static void read_layers(collectives *c, const args *a, const csv_table *t)
{
    const double least = args_number(a, OPTION_UNIT, SGDPAR_BUCKET_BYTES);
    sgdsim_layer *layer;
    int column;
    c->file = t;
    layers_take(t, &layer, &column);
    layers_check_sums(c->file, layer);
    for (size_t i = 0; i < c->file->rows; i++) {
        c->forward_s += layer[i].forward_s;
        c->update_s += layer[i].update_s;
    }
    if (!collectives_shards(c)) {
        read_tensors(c, layer);
        return;
    }
    c->unit = (sgdsim_layer *)tool_alloc(c->file->rows, sizeof *c->unit);
    tool_check_sim(sgdsim_trace_join(layer, c->file->rows, least, c->unit, &c->units),
                   c->file->name);
    for (size_t i = 0; i < c->units; i++) c->unit[i].update_s = 0.0; /* see collectives_trace */
}

collectives *collectives_read(const args *a, const csv_table *file, int stretches)
{
    collectives *c = (collectives *)tool_alloc(1, sizeof *c);
    c->gpus = topology_read(&c->topology, a, file);
    c->ways = topology_read_ways(a, args_text(a, OPTION_COLLECTIVE,
                                              topology_usual_ways(a, stretches)));
    read_step(c, a);
    if (args_given(a, OPTION_LAYERS)) read_layers(c, a, file);
    c->in_turn = !c->file && a->file_count == 1 && !collectives_shards(c);
    return c;
}

void collectives_check(const collectives *c, uint32_t workers)
{
    if (!topology_fills(c->gpus, workers))
        tool_fail("%lu workers do not fill machines of %lu accelerators: give a multiple of %s",
                  (unsigned long)workers, (unsigned long)c->gpus, NAME_OF(GPUS));
    if (workers > c->gpus && !(c->topology.bandwidth_bytes_per_s > 0.0))
        tool_fail("%s or %s is missing", NAME_OF(BANDWIDTH), NAME_OF(NETWORK));
}

void collectives_note(const collectives *c, uint32_t workers, const collectives_report *more)
{
    const sgdpar_topology *on = &c->topology;
    if (workers == 1 || more->count < 2 || on->latency_s > 0.0 || on->local_latency_s > 0.0)
        return;
    if (!topology_ways_cost(&c->ways.list)) topology_note_free();
}

/* ---- Runs: costs: asked from sgdperf_parallel.h ------------------------------- */

/* What a run needs to price its collectives, and the longest of them. */
typedef struct pricing {
    const collectives  *of;
    sgdpar_network      on;
    double              held;     /* what it takes, times as long                      */
    int                 lacks;    /* a way to do one of them                           */
    collectives_report *more;
} pricing;

/* Shards are gathered; the all-to-alls of others have the downlink, and nothing hides them. */
static sgdpar_status links_of(const pricing *p, sgdsim_resource what, const sgdpar_network *on,
                              double bytes, sgdpar_link_times *out)
{
    static const sgdpar_protocol by = {.collective = SGDPAR_COLLECTIVE_ALL_TO_ALL,
                                       .algorithm = SGDPAR_ALGORITHM_PAIRWISE};
    const sgdpar_network pairs = {on->topology, &by, 1};
    const int down = what == SGDSIM_DOWNLINK;
    if (down && p->of->sharding == SGDPAR_SHARDING_NONE)
        return sgdpar_collective_links(SGDPAR_COLLECTIVE_ALL_TO_ALL, &pairs, bytes, out);
    return sgdpar_exchange_links(p->of->sharding, down, on, bytes, out);
}

/* By what it takes longer; each micro-batch has its all-to-alls, which stand in one. */
static double held_of(const pricing *p, sgdsim_resource what)
{
    if (what != SGDSIM_DOWNLINK || p->of->sharding != SGDPAR_SHARDING_NONE) return p->held;
    return fmax(p->held, 1.0) * p->of->accumulate;
}

/* Of one that has no time: is that since none of the ways does it? */
static int lacks_way(const pricing *p, sgdsim_resource what, double bytes)
{
    const sgdpar_network quick = topology_quick(&p->on);
    sgdpar_link_times t;
    return links_of(p, what, &quick, bytes, &t) != SGDPAR_OK;
}

static void keep_longest(collectives_report *more, double bytes, double alone_s)
{
    if (!(alone_s > more->longest_s)) return;
    more->longest_bytes = bytes;
    more->longest_s = alone_s;
}

/* sgdsim_cost_of */
static int price(void *ctx, sgdsim_resource what, double bytes, sgdsim_cost *cost)
{
    pricing *p = (pricing *)ctx;
    const double held = held_of(p, what);
    sgdpar_link_times t;
    if (links_of(p, what, &p->on, bytes, &t) != SGDPAR_OK) {
        p->lacks = lacks_way(p, what, bytes);
        keep_longest(p->more, bytes, HUGE_VAL);
        return 0;
    }
    keep_longest(p->more, bytes, t.alone_s * held);
    assert((int)SGDSIM_LEVELS == (int)SGDPAR_LEVEL_COUNT
           && (int)SGDSIM_NETWORK == (int)SGDPAR_LEVEL_NETWORK);
    cost->alone_s = t.alone_s * held;
    for (size_t l = 0; l < SGDSIM_LEVELS; l++) {
        cost->latency_s[l] = t.latency_s[l] * held;
        cost->busy_s[l] = t.busy_s[l] * held;
        cost->share[l] = t.share[l];
    }
    return 1;
}

/* ---- Runs: traces ------------------------------------------------------------- */

/* The step of --accumulate, of one of a micro-batch. */
static void accumulate(const collectives *c, sgdsim_step *step)
{
    const size_t n = c->units, passes = c->accumulate;
    const int each = collectives_shards(c);
    const size_t pass = each ? 5 * n : 2 * n + 2, copies = each ? passes : 1;
    const size_t most = copies * (pass + 1) + step->ops;
    size_t ops = 0;
    sgdsim_status status = SGDSIM_TOO_LARGE;
    if (passes == 1) return;
    if (most <= 2 * TRACE_MOST_RUN) {
        sgdsim_op *op = (sgdsim_op *)tool_alloc(most, sizeof *op);
        uint32_t *waits = (uint32_t *)tool_alloc(copies * (2 * pass + 8 * n + 4), sizeof *waits);
        status = sgdsim_trace_accumulate(step, pass, c->accumulate, each,
                                         &(sgdsim_draft){op, waits, NULL}, &ops);
        step->op = op;
        step->ops = ops;
    }
    if (status == SGDSIM_TOO_LARGE)
        tool_fail("%s: %lu micro-batches of %lu unit%s make more than %d operations: give fewer "
                  "micro-batches or a larger %s", NAME_OF(ACCUMULATE), (unsigned long)passes,
                  COUNTED(n), (int)TRACE_MOST_RUN, NAME_OF(UNIT));
    tool_check_sim(status, c->file->name);
}

/* Units that take so many times as long. */
static sgdsim_layer *grown_units(const collectives *c, double growth)
{
    sgdsim_layer *unit = (sgdsim_layer *)tool_alloc(c->units, sizeof *unit);
    for (size_t i = 0; i < c->units; i++) {
        unit[i] = c->unit[i];
        unit[i].forward_s *= growth;
        unit[i].backward_s *= growth;
    }
    return unit;
}

static void make_trace(const collectives *c, uint32_t workers, double growth, int exposed,
                       trace_file *trace)
{
    const size_t n = c->units;
    const uint32_t gpus = topology_on(&c->topology, c->gpus, workers).gpus;
    const uint32_t updaters = c->sharding == SGDPAR_SHARDING_NONE ? 1
        : c->sharding == SGDPAR_SHARDING_HYBRID ? gpus : workers; /* each, what it keeps */
    const double update_s = c->update_s / updaters;
    sgdsim_op *op = (sgdsim_op *)tool_alloc(5 * n + 4, sizeof *op);
    uint32_t *waits = (uint32_t *)tool_alloc(8 * n + 4, sizeof *waits);
    sgdsim_step *step = (sgdsim_step *)tool_alloc(1, sizeof *step);
    const uint32_t prefetch = exposed ? 0 : c->prefetch; /* each parameter when it is needed     */
    step->op = op;
    step->ops = 5 * n + 1;
    if (collectives_shards(c)) {
        tool_check_sim(sgdsim_trace_units(grown_units(c, growth), n, prefetch, 1.0, op, waits),
                       c->file->name);
        op[5 * n].duration_s = update_s;
    } else {
        const sgdsim_tensors model = {c->unit, n, c->forward_s, c->tail_s, update_s,
                                      c->sharding != SGDPAR_SHARDING_NONE};
        tool_check_sim(sgdsim_trace_tensors(&model, &(sgdsim_draft){op, waits, NULL}, &step->ops),
                       c->file->name);
    }
    accumulate(c, step);
    trace->file = c->file;
    trace->trace.step = step;
    trace->trace.steps = 1;
    trace->name = CSV_NONE;
}

/* Step s of a trace, with room for one more op; other downlinks take no time. Returns its ops. */
static size_t copy_step(const trace_file *trace, size_t s, sgdsim_op *op)
{
    const sgdsim_step *of = &trace->trace.step[s];
    for (size_t i = 0; i < of->ops; i++) {
        op[i] = of->op[i];
        if (op[i].resource == SGDSIM_DOWNLINK) op[i].resource = SGDSIM_WORKER;
        if (!trace_is_alltoall(trace, s, i)) continue;
        op[i].resource = SGDSIM_DOWNLINK;
        op[i].bytes *= 2.0;
    }
    return of->ops;
}

int collectives_add_alltoalls(const collectives *c, trace_file *trace)
{
    const size_t steps = trace->trace.steps, added = c->alltoall_bytes > 0.0;
    const trace_file from = *trace;
    sgdsim_step *step = (sgdsim_step *)tool_alloc(steps, sizeof *step);
    size_t ops, rows = 0;
    if (!added && !trace->alltoall) return 0;
    if (c->sharding != SGDPAR_SHARDING_NONE)
        args_fail(OPTION_SHARDING, topology_shardings[c->sharding], "cannot be combined with the "
                  "all-to-alls of %s", trace->file->name);
    if (from.row) trace->row = (size_t *)tool_alloc(from.first[steps] + steps, sizeof(size_t));
    if (from.row) trace->first = (size_t *)tool_alloc(steps + 1, sizeof(size_t));
    for (size_t s = 0; s < steps; s++) {
        sgdsim_op *op = (sgdsim_op *)tool_alloc(from.trace.step[s].ops + 1, sizeof *op);
        uint32_t *waits = (uint32_t *)tool_alloc(from.trace.step[s].ops, sizeof *waits);
        ops = copy_step(&from, s, op);
        for (size_t i = 0; i < ops; i++) waits[i] = (uint32_t)i;
        op[ops] = (sgdsim_op){.resource = SGDSIM_DOWNLINK, .bytes = c->alltoall_bytes,
                              .waits_for = waits, .waits = ops};
        step[s] = (sgdsim_step){.op = op, .ops = ops + added};
        for (size_t i = 0; i < ops + added && from.row; i++)
            trace->row[rows++] = from.row[from.first[s] + (i < ops ? i : ops - 1)];
        if (from.row) trace->first[s + 1] = rows;
    }
    trace->trace.step = step;
    return 1;
}

static int is_exchange(const collectives *c, const sgdsim_op *op)
{
    return op->resource == SGDSIM_UPLINK
        || (op->resource == SGDSIM_DOWNLINK && collectives_shards(c));
}

/* The op of a step's k-th exchange; the ops of the step if it has fewer. */
static size_t exchange_at(const collectives *c, const sgdsim_step *step, size_t k)
{
    size_t i;
    for (i = 0; i < step->ops; i++)
        if (is_exchange(c, &step->op[i]) && k-- == 0) break;
    return i;
}

static void check_waits(const trace_file *trace, const sgdsim_op *op, size_t i, size_t row)
{
    for (size_t k = 0; k < op->waits; k++)
        if (op->waits_for[k] > i)
            csv_fail(trace->file, row, csv_column(trace->file, "waits_for"),
                     "op %lu has a higher number, but an accelerator runs ops in the order of "
                     "their numbers", (unsigned long)op->waits_for[k]);
}

/* Workers run ops in the order of their numbers, and take part in the same exchanges, or all run
 * one step after the other. */
static void check_trace(const collectives *c, const trace_file *trace)
{
    const sgdsim_step *first = &trace->trace.step[0];
    for (size_t s = 0; s < trace->trace.steps; s++) {
        const sgdsim_step *step = &trace->trace.step[s];
        const size_t *row = trace->row + trace->first[s];
        size_t at = exchange_at(c, first, 0);
        for (size_t i = 0; i < step->ops; i++) {
            const sgdsim_op *op = &step->op[i];
            check_waits(trace, op, i, row[i]);
            if (c->in_turn || !is_exchange(c, op)) continue;
            if (at == first->ops || first->op[at].resource != op->resource
                || first->op[at].bytes < op->bytes || first->op[at].bytes > op->bytes)
                csv_fail(trace->file, row[i], csv_column(trace->file, "bytes"),
                         "the exchanges of step %lu differ from step 0: all steps need the same "
                         "exchanges; keep the rows of one step, or leave out %s and collectives",
                         (unsigned long)s, NAME_OF(GPUS));
            for (at++; at < first->ops && !is_exchange(c, &first->op[at]);) at++;
        }
        if (at < first->ops && !c->in_turn)
            csv_fail(trace->file, row[0], CSV_NONE, "step %lu lacks an exchange of step 0",
                     (unsigned long)s);
    }
}

int collectives_trace(const collectives *c, uint32_t workers, double growth, int exposed,
                      trace_file *trace)
{
    if (c->file) make_trace(c, workers, growth, exposed, trace);
    else check_trace(c, trace);
    return exposed && !(c->file && collectives_shards(c));
}

/* ---- Runs: run ---------------------------------------------------------------- */

static uint32_t count_workers(const sgdsim_config *config)
{
    uint32_t workers = 0;
    for (size_t t = 0; t < config->workers.types; t++) workers += config->workers.count[t];
    return workers;
}

/* Where nothing overlaps, all gradients are exchanged at once. */
static sgdsim_group group_of(const simulation *point, const sgdsim_config *config,
                             uint32_t workers)
{
    const double most_bytes = 9007199254740992.0;
    const collectives *c = point->collectives;
    const int once = point->links.stretches && !collectives_shards(c);
    return (sgdsim_group){
        .workers = config->workers,
        .gathers = c->sharding != SGDPAR_SHARDING_NONE || point->alltoalls,
        .bucket_bytes = once ? most_bytes : c->bucket_bytes,
        .first_bucket_bytes = once ? most_bytes : c->first_bucket_bytes,
        .streams = c->streams, .seed = config->variation.seed, .watch = config->watch,
        .length = {.steps = config->length.steps, .warmup = config->length.warmup / workers}
    };
}

/* A step of several micro-batches is as many of each worker. */
static void take_result(const collectives *c, const sgdsim_config *config, uint32_t workers,
                        const sgdsim_group_result *from, sgdsim_result *out,
                        collectives_report *more)
{
    out->batches_per_s = c->accumulate * from->batches_per_s;
    out->makespan_s = from->makespan_s;
    out->events = from->events;
    memcpy(out->utilization, from->utilization, sizeof out->utilization);
    for (uint32_t w = 0; w < workers && out->step_end_s; w++)
        memcpy(out->step_end_s + w * config->length.steps, from->step_end_s,
               (size_t)config->length.steps * sizeof *from->step_end_s);
    more->count = from->collectives;
    more->exchange_s = from->exchange_s;
    memcpy(more->link_utilization, from->link_utilization, sizeof more->link_utilization);
}

static sgdsim_status run_steps(const simulation *point, const sgdsim_config *config,
                               sgdsim_result *out, collectives_report *more)
{
    const collectives *c = point->collectives;
    const uint32_t workers = count_workers(config);
    sgdsim_group g = group_of(point, config, workers);
    sgdsim_group_result got = {.waiting = out->waiting};
    pricing prices = {
        .of = c, .more = more, .held = point->held,
        .on = {topology_on(&c->topology, c->gpus, workers), c->ways.list.protocol,
               c->ways.list.count}
    };
    size_t bytes = 0;
    g.cost = price;
    g.cost_ctx = &prices;
    if (out->step_end_s)
        got.step_end_s = (double *)tool_alloc(config->length.steps, sizeof *got.step_end_s);
    tool_check_sim(sgdsim_run_groups_bytes(&g, 1, &bytes), "simulate");
    void *work = tool_alloc(bytes, 1);
    sgdsim_status status = sgdsim_run_groups(&g, 1, work, bytes, &got);
    if (status == SGDSIM_BAD_TRACE && g.bucket_bytes > c->bucket_bytes) { /* computing waits  */
        g.bucket_bytes = g.first_bucket_bytes = 0.0;      /*   for exchanges between         */
        status = sgdsim_run_groups(&g, 1, work, bytes, &got);
    }
    if (status == SGDSIM_BAD_TRACE) tool_fail("simulate: a bucket of --bucket waits for itself");
    if (prices.lacks)
        tool_fail("simulate: %lu workers: no algorithm of %s works on %lu machines with %s %lu: "
                  "add another algorithm", (unsigned long)workers, topology_ways_text(&c->ways),
                  (unsigned long)prices.on.topology.machines, NAME_OF(GPUS),
                  (unsigned long)prices.on.topology.gpus);
    if (status == SGDSIM_BAD_ARGUMENT) return status;
    tool_check_sim(status, "simulate");
    take_result(c, config, workers, &got, out, more);
    return status;
}

/* ---- Runs: steps in turn ------------------------------------------------------ */

/* A step of the trace, which runs so many times: its part in what all take. */
static void add_step(const sgdsim_result *of, const collectives_report *from, double times,
                     uint32_t workers, sgdsim_result *out, collectives_report *more)
{
    const double time_s = times * of->makespan_s;
    out->makespan_s += time_s;
    out->events += (uint64_t)times * of->events;
    for (size_t r = 0; r < SGDSIM_RESOURCES; r++)
        out->utilization[r] += time_s * of->utilization[r];
    for (size_t l = 0; l < SGDSIM_LEVELS; l++)
        more->link_utilization[l] += time_s * from->link_utilization[l];
    for (uint32_t w = 0; w < workers; w++) {
        out->waiting[w].computing_s += times * of->waiting[w].computing_s;
        out->waiting[w].downlink_s += times * of->waiting[w].downlink_s;
        out->waiting[w].uplink_s += times * of->waiting[w].uplink_s;
        out->waiting[w].server_s += times * of->waiting[w].server_s;
        out->waiting[w].barrier_s += times * of->waiting[w].barrier_s;
    }
    more->exchange_s += times * from->exchange_s;
    if (from->count > more->count) more->count = from->count;
    if (from->longest_s > more->longest_s) keep_longest(more, from->longest_bytes, from->longest_s);
}

/* Ends of steps, and the throughput behind the warm-up, of steps that take step_s[n] in turn. */
static void end_steps(const sgdsim_config *config, const double *step_s, size_t n, uint32_t workers,
                      sgdsim_result *out)
{
    const uint64_t steps = config->length.steps, warmup = config->length.warmup / workers;
    double now_s = 0.0, warm_s = 0.0;
    for (uint64_t k = 0; k < steps; k++) {
        now_s += step_s[k % n];
        if (k + 1 == warmup) warm_s = now_s;
        for (uint32_t w = 0; w < workers && out->step_end_s; w++)
            out->step_end_s[w * steps + k] = now_s;
    }
    out->batches_per_s = workers * (double)(steps - warmup) / (now_s - warm_s);
}

/* Tells of one step of a run what is told of all: its number, and when it starts. */
typedef struct step_watch {
    sgdsim_watch to;
    uint32_t     step, traced_step;
    double       start_s;
} step_watch;

static void watch_step(void *ctx, const sgdsim_event *event)
{
    const step_watch *w = (const step_watch *)ctx;
    sgdsim_event at = *event;
    at.step = w->step;
    at.traced_step = w->traced_step;
    at.ready_s += w->start_s;
    at.start_s += w->start_s;
    at.end_s += w->start_s;
    w->to.on_op(w->to.ctx, &at);
}

/* Each step of the trace alone, as workers of one type run it together; for a timeline each step of
 * the run. */
static sgdsim_status run_in_turn(const simulation *point, const sgdsim_config *config,
                                 sgdsim_result *out, collectives_report *more)
{
    const sgdsim_trace *all = config->workers.trace;
    const uint32_t workers = count_workers(config);
    const uint64_t steps = config->length.steps, runs = point->timeline ? steps : all->steps;
    double *step_s = (double *)tool_alloc(all->steps, sizeof *step_s);
    for (uint64_t k = 0; k < runs; k++) {
        const size_t s = (size_t)(k % all->steps);
        const double times = point->timeline
            ? 1.0 : (double)(steps / all->steps + (s < steps % all->steps));
        step_watch shown = {config->watch, (uint32_t)k, (uint32_t)s, out->makespan_s};
        const sgdsim_trace one = {.step = &all->step[s], .steps = 1};
        sgdsim_config config_of = *config;
        sgdsim_result of = {.waiting = tool_alloc(workers, sizeof *of.waiting)};
        collectives_report from = {0};
        config_of.workers.trace = &one;
        config_of.length.steps = 1;
        config_of.length.warmup = 0;
        if (config->watch.on_op) config_of.watch = (sgdsim_watch){watch_step, &shown};
        const sgdsim_status status = run_steps(point, &config_of, &of, &from);
        if (status != SGDSIM_OK) { *more = from; return status; }
        step_s[s] = of.makespan_s;
        add_step(&of, &from, times, workers, out, more);
    }
    for (size_t r = 0; r < SGDSIM_RESOURCES; r++) out->utilization[r] /= out->makespan_s;
    for (size_t l = 0; l < SGDSIM_LEVELS; l++) more->link_utilization[l] /= out->makespan_s;
    more->exchange_s /= (double)steps;
    end_steps(config, step_s, all->steps, workers, out);
    return SGDSIM_OK;
}

int collectives_in_turn(const simulation *point)
{
    return point->collectives->in_turn && point->traces[0].joint;
}

sgdsim_status collectives_run(const simulation *point, const sgdsim_config *config,
                              sgdsim_result *out, collectives_report *more)
{
    return collectives_in_turn(point) ? run_in_turn(point, config, out, more)
                                      : run_steps(point, config, out, more);
}
