/* sgdperf_sim.h against golden runs, a straightforward simulator, and the laws that every
 * run obeys. Against the exact solution of the queueing network: test_replicate.c. */
#include "../sgdperf_sim.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "oracle_sim.h"
#include "golden.h"
#include "scene.h"
#include "test.h"

static const char golden_path[] = "tests/golden/sim.json";

/* ---- A run with its outputs ---------------------------------------------- */

typedef struct outcome {
    sgdsim_status   status;
    sgdsim_result   out;
    uint32_t        workers;
    sgdsim_event   *event;         /* [events told]                                   */
    size_t          events, room;
} outcome;

static void keep_event(void *ctx, const sgdsim_event *event)
{
    outcome *o = (outcome *)ctx;
    if (o->events == o->room) {
        o->room = o->room * 2 + 64;
        o->event = (sgdsim_event *)realloc(o->event, o->room * sizeof *o->event);
        if (!o->event) abort();
    }
    o->event[o->events++] = *event;
}

static outcome run_all(const sgdsim_config *config)
{
    sgdsim_config told = *config;
    outcome o = {0};
    memset(&o.out, 0x5a, sizeof o.out);            /* all of it is written             */
    o.out.job_batches_per_s = NULL;
    for (size_t t = 0; t < config->workers.types; t++) o.workers += config->workers.count[t];
    o.out.step_end_s =
        (double *)get_memory((size_t)(o.workers * config->length.steps), sizeof(double));
    o.out.waiting = (sgdsim_waiting *)get_memory(o.workers, sizeof(sgdsim_waiting));
    told.watch.on_op = keep_event;
    told.watch.ctx = &o;
    o.status = run_in_dirt(&told, 0xa5, &o.out);
    return o;
}

static void outcome_free(outcome *o)
{
    free(o->out.step_end_s);
    free(o->out.waiting);
    free(o->event);
}

static double error_of(double got, double want)
{
    const double error = fabs(got - want);
    if (error <= 0.0) return 0.0;
    return error <= DBL_MAX ? error / fmax(fabs(want), 1e-300) : HUGE_VAL;
}

/* The largest error seen, counted as one check. */
typedef struct worst { double error; size_t count; } worst;

static void see(worst *w, double got, double want)
{
    const double error = error_of(got, want);
    w->count++;
    if (!(error <= w->error)) w->error = error;
}

#define CHECK_WORST(w, limit)                                                    \
    do {                                                                         \
        printf("    %-44s %8lu: largest error %.2e\n", #w, (unsigned long)(w).count, \
               (w).error);                                                       \
        CHECK((w).count > 0 && (w).error <= (limit));                            \
    } while (0)

/* ---- Golden runs --------------------------------------------------------- */

typedef struct golden {
    sgdsim_config config;
    uint32_t      workers, order[64], *sequence;
    sgdsim_overhead overhead;
    sgdsim_trace  trace;
    double        makespan_s, throughput[4], *end_s, op_end_s[16];
    uint64_t      events;
    size_t        op_ends, records;
    double       (*record)[8];
} golden;

/* "D0" is the downlink of server 0, "W" the worker. */
static sgdsim_resource golden_resource(const golden_value *v, size_t *server)
{
    static const char *const letters = "DWUS";
    const char *letter = v ? strchr(letters, *v->text) : NULL;
    CHECK(letter != NULL);
    *server = letter ? (size_t)strtoul(v->text + 1, NULL, 10) : 0;
    return (sgdsim_resource)(letter ? letter - letters : 0);
}

static sgdsim_step golden_step(const golden_value *from)
{
    const golden_value *one = golden_first(from), *dep;
    sgdsim_step step = {NULL, 0};
    sgdsim_op *op;
    size_t server;
    step.ops = golden_count(from);
    step.op = op = (sgdsim_op *)get_memory(step.ops, sizeof *op);
    for (size_t i = 0; i < step.ops; i++, one = one->next) {
        uint32_t *waits;
        op[i].resource = golden_resource(golden_get(one, "res"), &server);
        op[i].server = (uint32_t)server;
        if (oracle_is_transfer(op[i].resource))
            op[i].bytes = golden_number(golden_get(one, "size"));
        else
            op[i].duration_s = golden_number(golden_get(one, "dur"));
        op[i].waits = golden_count(golden_get(one, "deps"));
        op[i].waits_for = waits = (uint32_t *)get_memory(op[i].waits, sizeof *waits);
        dep = golden_first(golden_get(one, "deps"));
        for (size_t k = 0; k < op[i].waits; k++, dep = dep->next)
            waits[k] = (uint32_t)golden_whole(dep);
    }
    return step;
}

static void golden_config(const golden_value *from, golden *g)
{
    const golden_value *overhead = golden_get(from, "overhead");
    const golden_value *link = golden_get(from, "link"), *order;
    sgdsim_config *c = &g->config;
    c->workers.types = 1;
    c->workers.trace = &g->trace;
    c->workers.count = &g->workers;
    g->workers = (uint32_t)golden_whole(golden_get(from, "W"));
    c->servers.count = (uint32_t)golden_whole(golden_get(from, "M"));
    c->links.rule = golden_is(link, "PS") ? SGDSIM_LINK_EQUAL : SGDSIM_LINK_FCFS;
    if (golden_is(link, "ALL_REDUCE")) c->links.rule = SGDSIM_LINK_EXCHANGE;
    c->links.exchange_s = ring_s;
    c->mode = golden_is(golden_get(from, "mode"), "sync") ? SGDSIM_SYNC : SGDSIM_ASYNC;
    c->links.bandwidth_bytes_per_s = golden_number(golden_get(from, "B"));
    c->transfers.window_bytes = golden_number(golden_get(from, "win"));
    c->links.flow_cap = golden_number(golden_get(from, "cap"));
    c->length.warmup = golden_whole(golden_get(from, "drop"));
    if (golden_count(overhead) == 2) c->transfers.overhead = &g->overhead;
    g->overhead.s_per_byte = golden_or(golden_item(overhead, 0), 0.0);
    g->overhead.s = golden_or(golden_item(overhead, 1), 0.0);
    c->variants.reappend_at_selection = golden_is(golden_get(from, "reappend"), "select");
    c->variants.two_servers_unit = golden_is(golden_get(from, "two_ps"), "unit");
    c->variants.fcfs_spill = (int)golden_whole(golden_get(from, "fcfs_spill"));
    c->transfers.ordered = golden_count(golden_get(from, "order"));
    c->transfers.order = g->order;
    order = golden_first(golden_get(from, "order"));
    for (size_t i = 0; i < c->transfers.ordered; i++, order = order->next)
        g->order[i % 64] = (uint32_t)golden_whole(order);
}

/* The steps of each worker, their ends, and what all of it comes to. */
static void golden_expected(const golden_value *from, golden *g)
{
    static const char *const throughput[4] = {"steps_per_s", "steps_per_s_steady",
                                              "steps_per_s_drop0", "steps_per_s_drop0_steady"};
    const golden_value *want = golden_get(from, "expect"), *row, *one;
    const size_t ends = g->workers * (size_t)g->config.length.steps;
    size_t k;
    g->makespan_s = golden_number(golden_get(want, "makespan"));
    g->events = golden_whole(golden_get(want, "events"));
    for (size_t i = 0; i < 4; i++)
        g->throughput[i] = golden_number(golden_get(want, throughput[i]));
    g->end_s = (double *)get_memory(ends, sizeof(double));
    row = golden_first(golden_get(want, "step_end"));
    for (size_t i = 0; i < ends && row; i += g->config.length.steps, row = row->next)
        CHECK(golden_numbers(row, g->end_s + i, g->config.length.steps) == g->config.length.steps);
    one = golden_get(from, "closed_form.op_end");
    g->op_ends = golden_numbers(one, g->op_end_s, 16);
    row = golden_first(golden_get(want, "trace"));
    g->records = golden_count(golden_get(want, "trace"));
    g->record = (double(*)[8])get_memory(g->records, sizeof *g->record);
    for (size_t i = 0; i < g->records; i++, row = row->next) {
        double *record = g->record[i];
        size_t server = 0;
        for (k = 0, one = golden_first(row); one; one = one->next, k++) {
            if (k == 3) record[k++] = (double)golden_resource(one, &server);
            if (k == 4) record[k] = (double)server;
            else if (k < 8) record[k] = golden_number(one);
        }
        CHECK(k == 8);
    }
}

static void golden_read(const golden_value *from, golden *g)
{
    sgdsim_step *step;
    size_t i, k;
    memset(g, 0, sizeof *g);
    golden_config(from, g);
    g->trace.steps = golden_count(golden_get(from, "steps"));
    g->trace.step = step = (sgdsim_step *)get_memory(g->trace.steps, sizeof *step);
    const golden_value *row = golden_first(golden_get(from, "steps"));
    for (i = 0; i < g->trace.steps; i++, row = row->next) step[i] = golden_step(row);
    row = golden_first(golden_get(from, "seq"));
    g->config.length.steps = golden_count(row);
    k = g->workers * (size_t)g->config.length.steps;
    g->sequence = (uint32_t *)get_memory(k, sizeof *g->sequence);
    g->config.variation.sequence = g->sequence;
    for (i = 0; row; row = row->next) {
        const golden_value *one = golden_first(row);
        CHECK(golden_count(row) == g->config.length.steps);
        for (; one && i < k; one = one->next)
            g->sequence[i++] = (uint32_t)golden_whole(one);
    }
    CHECK(i == k);
    golden_expected(from, g);
}

static void golden_free(golden *g)
{
    for (size_t i = 0; i < g->trace.steps; i++) {
        union { const sgdsim_op *from; void *to; } op;
        for (size_t k = 0; k < g->trace.step[i].ops; k++) {
            union { const uint32_t *from; void *to; } waits;
            waits.from = g->trace.step[i].op[k].waits_for;
            free(waits.to);
        }
        op.from = g->trace.step[i].op;
        free(op.to);
    }
    {
        union { const sgdsim_step *from; void *to; } step;
        step.from = g->trace.step;
        free(step.to);
    }
    free(g->sequence);
    free(g->end_s);
    free(g->record);
}

/* Who did what, in the order of completion: exactly; when: within rounding. */
static void golden_records(const golden *g, const outcome *o, worst *times)
{
    CHECK(g->records == 0 || g->records == o->events || g->config.transfers.window_bytes > 0.0);
    for (size_t i = 0; i < g->records && i < o->events; i++) {
        const sgdsim_event *e = o->event + i;
        const double *r = g->record[i];
        CHECK(e->worker == (uint32_t)r[0] && e->step == (uint32_t)r[1]);
        CHECK(e->op == (uint32_t)r[2] && (uint32_t)e->resource == (uint32_t)r[3]);
        CHECK(e->server == (uint32_t)r[4]);
        see(times, e->ready_s, r[5]);
        see(times, e->start_s, r[6]);
        see(times, e->end_s, r[7]);
    }
}

static void golden_case(golden *g, worst *ends, worst *throughputs, worst *times)
{
    outcome o = run_all(&g->config);
    const size_t steps = g->workers * (size_t)g->config.length.steps;
    const uint64_t warmup = g->config.length.warmup;
    CHECK_STATUS(o.status, SGDSIM_OK);
    CHECK(o.out.events == g->events && o.out.operations == o.events);
    see(ends, o.out.makespan_s, g->makespan_s);
    for (size_t i = 0; i < steps; i++) see(ends, o.out.step_end_s[i], g->end_s[i]);
    for (size_t i = 0; i < o.events; i++)
        for (size_t k = 0; k < g->op_ends; k++)
            if (o.event[i].step == 0 && o.event[i].op == k)
                see(times, o.event[i].end_s, g->op_end_s[k]);
    golden_records(g, &o, times);
    for (size_t i = 0; i < 4; i++) {
        sgdsim_result out = {0};
        g->config.variants.steady_window = i % 2;
        g->config.length.warmup = i < 2 ? warmup : 0;
        CHECK_STATUS(run_in_dirt(&g->config, 0, &out), SGDSIM_OK);
        see(throughputs, out.batches_per_s, g->throughput[i]);
    }
    outcome_free(&o);
}

TEST(runs_are_the_golden_ones)
{
    worst ends = {0.0, 0}, throughputs = {0.0, 0}, times = {0.0, 0};
    golden_value *file = golden_open(golden_path);
    const golden_value *one = golden_first(golden_get(file, "cases"));
    size_t cases = 0;
    golden g;
    for (; one; one = one->next) {
        const unsigned failures = test_failures;
        golden_read(one, &g);
        golden_case(&g, &ends, &throughputs, &times);
        if (test_failures > failures)
            fprintf(stderr, "    in case %.*s\n", GOLDEN_TEXT(golden_get(one, "name")));
        golden_free(&g);
        cases++;
    }
    golden_close(file);
    CHECK(cases == 24);
    CHECK_WORST(ends, 1e-9);
    CHECK_WORST(throughputs, 1e-9);
    CHECK_WORST(times, 1e-9);
}

/* ---- Random small cases -------------------------------------------------- */

typedef struct dice { uint64_t seed, thrown; } dice;

static uint64_t bits(dice *d) { return sgdsim_random(d->seed, d->thrown++, 1, 2); }
static size_t below(dice *d, size_t n) { return (size_t)(bits(d) % n); }
static int chance(dice *d, size_t percent) { return below(d, 100) < percent; }
static double unit(dice *d) { return oracle_uniform(bits(d)); }

enum { SMALL_TYPES = 3, SMALL_STEPS = 3, SMALL_OPS = 14 };

typedef struct small {
    sgdsim_config config;
    sgdsim_trace  trace[SMALL_TYPES];
    sgdsim_step   step[SMALL_TYPES][SMALL_STEPS];
    sgdsim_op     op[SMALL_TYPES][SMALL_STEPS][SMALL_OPS];
    uint32_t      waits[SMALL_TYPES][SMALL_STEPS][SMALL_OPS][SMALL_OPS];
    uint32_t      workers[SMALL_TYPES], order[SMALL_OPS];
    sgdsim_tcp    tcp;
    sgdsim_overhead overhead;
    double        own[SMALL_TYPES], delay_s[SMALL_TYPES];
    uint32_t      job[SMALL_TYPES], lead[SMALL_TYPES];
    uint32_t      sequence[ORACLE_WORKERS * ORACLE_STEPS];
} small;

/* A random graph: op i waits for some of the ops at random places before it in a random
 * order, so that roots are of any kind and numbers say nothing. */
static void small_graph(dice *d, small *s, size_t t, size_t p)
{
    const uint32_t servers = s->config.servers.count > 0 ? s->config.servers.count : 1;
    sgdsim_op *op = s->op[t][p];
    size_t place[SMALL_OPS], n = 1 + below(d, SMALL_OPS), i, k;
    const size_t density = below(d, 60);
    for (i = 0; i < n; i++) place[i] = i;
    for (i = n; i > 1; i--) {
        const size_t j = below(d, i), swap = place[i - 1];
        place[i - 1] = place[j];
        place[j] = swap;
    }
    for (i = 0; i < n; i++) {
        op[i].resource = (sgdsim_resource)below(d, SGDSIM_RESOURCES);
        op[i].server = (uint32_t)below(d, servers);
        op[i].waits_for = s->waits[t][p][i];
        op[i].waits = 0;
        for (k = 0; k < n; k++)
            if (place[k] < place[i] && (place[k] + 1 == place[i] ? chance(d, 70)
                                                                 : chance(d, density)))
                s->waits[t][p][i][op[i].waits++] = (uint32_t)k;
    }
    s->step[t][p].op = op;
    s->step[t][p].ops = n;
}

static void small_amounts(dice *d, small *s, size_t t, size_t p)
{
    for (size_t i = 0; i < s->step[t][p].ops; i++) {
        const double amount = chance(d, 6) ? 0.0 : 0.001 + unit(d);
        s->op[t][p][i].duration_s = amount;
        s->op[t][p][i].bytes = amount * 1e6;
    }
}

static void small_traces(dice *d, small *s)
{
    size_t t, i, workers = 0;
    s->config.workers.types = 1 + below(d, SMALL_TYPES);
    s->config.workers.trace = s->trace;
    s->config.workers.count = s->workers;
    for (t = 0; t < s->config.workers.types; t++) {
        s->trace[t].step = s->step[t];
        s->trace[t].steps = 1 + below(d, SMALL_STEPS);
        s->workers[t] = (uint32_t)(1 + below(d, 2));
        workers += s->workers[t];
        for (size_t p = 0; p < s->trace[t].steps; p++) {
            if (p == 0 || chance(d, 50)) {
                small_graph(d, s, t, p);
            } else {                               /* the graph of the one before     */
                memcpy(s->op[t][p], s->op[t][p - 1], sizeof s->op[t][p]);
                s->step[t][p].op = s->op[t][p];
                s->step[t][p].ops = s->step[t][p - 1].ops;
            }
            small_amounts(d, s, t, p);
        }
    }
    s->config.length.steps = 1 + below(d, 4);
    if (chance(d, 50)) s->config.variation.sequence = s->sequence;
    for (t = 0, i = 0; t < s->config.workers.types; t++)
        for (size_t k = 0; k < s->workers[t] * s->config.length.steps; k++)
            s->sequence[i++] =
                chance(d, 10) ? UINT32_MAX : (uint32_t)below(d, s->trace[t].steps);
    if (chance(d, 30))
        s->config.length.warmup = below(d, workers * (size_t)s->config.length.steps / 2 + 1);
}

static void small_order(dice *d, small *s)
{
    s->config.transfers.order = s->order;
    for (size_t i = 0; i < SMALL_OPS; i++) s->order[i] = (uint32_t)i;
    for (size_t i = SMALL_OPS; i > 1; i--) {
        const uint32_t swap = s->order[i - 1];
        size_t k = below(d, i);
        s->order[i - 1] = s->order[k];
        s->order[k] = swap;
    }
    s->config.transfers.ordered = 1 + below(d, SMALL_OPS);
}

/* Numbers of its own, the usual ones, or those that leave one thing out. */
static void small_tcp(dice *d, small *s)
{
    s->config.links.rule = SGDSIM_LINK_TCP;
    s->config.links.flow_cap = 0.0;
    s->tcp.two_way = chance(d, 30) ? 0.0 : unit(d);
    s->tcp.spread = chance(d, 30) ? 0.0 : unit(d);
    if (chance(d, 80)) s->config.links.tcp = &s->tcp;
}

/* Everything that a run can be told, but rules of the caller. */
static void small_new(dice *d, small *s)
{
    sgdsim_config *c = &s->config;
    memset(s, 0, sizeof *s);
    c->servers.count = chance(d, 50) ? (uint32_t)below(d, 2) : chance(d, 75) ? 2 : 3;
    c->links.bandwidth_bytes_per_s = 1e6 * (0.5 + unit(d));
    c->links.exchange_s = ring_s;
    c->mode = (sgdsim_mode)below(d, 2);
    c->links.rule = (sgdsim_link)(chance(d, 20) ? SGDSIM_LINK_EXCHANGE
                            : chance(d, 40) ? SGDSIM_LINK_FCFS : SGDSIM_LINK_EQUAL);
    c->variation.seed = bits(d);
    if (chance(d, 20)) c->variation.service = SGDSIM_EXPONENTIAL;
    if (chance(d, 35)) c->transfers.window_bytes = 0.4e6 * (0.1 + unit(d));
    c->transfers.every_turn = (int)(c->variation.seed % 2);
    c->variants.reappend_at_selection = chance(d, 50);
    if (chance(d, 35)) {
        c->transfers.overhead = &s->overhead;
        s->overhead.s_per_byte = 1e-6 * (unit(d) - 0.3);
        s->overhead.s = 0.2 * (unit(d) - 0.3);
    }
    if (chance(d, 40)) c->links.flow_cap = 0.1 + unit(d);
    if (c->links.rule == SGDSIM_LINK_EQUAL && c->servers.count < 2 && chance(d, 50))
        small_tcp(d, s);
    c->variants.fcfs_spill = chance(d, 50);
    c->variants.two_servers_unit = chance(d, 50);
    if (chance(d, 50))
        c->servers.updates = chance(d, 50) ? SGDSIM_UPDATES_QUEUED : SGDSIM_UPDATES_SHARED;
    small_traces(d, s);
    if (chance(d, 40)) small_order(d, s);
}

/* Links of the workers' own, streams of TCP to several servers or with a cap, delays. */
static void small_ends(dice *d, small *s)
{
    sgdsim_config *c = &s->config;
    if (c->links.rule == SGDSIM_LINK_EQUAL && chance(d, 70)) {
        const double cap = c->links.flow_cap;
        small_tcp(d, s);
        c->links.flow_cap = cap;
    }
    for (size_t t = 0; t < SMALL_TYPES; t++) {
        s->own[t] = c->links.bandwidth_bytes_per_s * (chance(d, 20) ? 1.0 : 0.2 + 1.3 * unit(d));
        s->delay_s[t] = chance(d, 20) ? 0.0 : 0.5 * unit(d);
    }
    if (chance(d, 60)) {
        c->links.worker_bandwidth_bytes_per_s = s->own;
        c->variants.fcfs_spill = c->variants.two_servers_unit = 0;
    }
    if (chance(d, 50)) c->links.delay_s = s->delay_s;
}

/* Several jobs, barriers and leads, staggered starts, machines of several accelerators, and
 * some crowds. */
static void small_jobs(dice *d, small *s)
{
    sgdsim_config *c = &s->config;
    const size_t most = chance(d, 20) ? ORACLE_WORKERS / SMALL_TYPES : 0;
    if (most > 0) c->variation.sequence = NULL;
    if (chance(d, 60) && c->links.rule != SGDSIM_LINK_EXCHANGE) c->workers.job = s->job;
    for (size_t t = 0; t < c->workers.types; t++) {
        s->job[t] = t > 0 ? s->job[t - 1] + (uint32_t)chance(d, 70) : 0;
        if (most > 0) s->workers[t] = (uint32_t)(most - below(d, 3));
        s->lead[t] = chance(d, 30) ? UINT32_MAX : (uint32_t)below(d, 3);
    }
    if (chance(d, 60)) c->workers.lead = s->lead;
    if (chance(d, 50)) c->variation.stagger_s = unit(d);
    c->workers.accelerators = (uint32_t)below(d, 4);
    c->length.warmup = chance(d, 50) ? 0 : below(d, (size_t)(c->length.steps + 1) / 2);
}

static void small_print(const small *s, size_t i)
{
    const sgdsim_config *c = &s->config;
    fprintf(stderr, "    in case %lu: link %d mode %d servers %u window %g select %d "
            "cap %g spill %d unit %d updates %d overhead %d service %d\n",
            (unsigned long)i, (int)c->links.rule, (int)c->mode, (unsigned)c->servers.count,
            c->transfers.window_bytes,
            c->variants.reappend_at_selection, c->links.flow_cap, c->variants.fcfs_spill,
            c->variants.two_servers_unit, (int)c->servers.updates, c->transfers.overhead != NULL,
                (int)c->variation.service);
}

/* ---- Against the straightforward simulator ------------------------------- */

static oracle_sim oracle;

static void compare_events(const outcome *o, worst *times)
{
    CHECK(o->events == oracle.operations);
    for (size_t i = 0; i < o->events; i++) {
        const sgdsim_event *e = o->event + i;
        const oracle_record *r = &oracle.record[e->worker][e->step][e->op];
        CHECK(e->traced_step == oracle.drawn[e->worker][e->step]);
        see(times, e->ready_s + 1.0, r->ready_s + 1.0);
        see(times, e->start_s + 1.0, r->start_s + 1.0);
        see(times, e->end_s + 1.0, r->end_s + 1.0);
    }
}

static void compare_throughput(sgdsim_config config, worst *throughputs)
{
    for (int steady = 0; steady < 2; steady++) {
        double least_s = HUGE_VAL, sum = 0.0, want[ORACLE_JOBS], of_job[ORACLE_JOBS];
        const double g = fmax(1.0, config.workers.accelerators);
        sgdsim_result out = {.job_batches_per_s = of_job};
        for (size_t j = 0; j < oracle.jobs; j++) {
            double window_s;
            want[j] = (double)oracle_window(&oracle, j, steady, &window_s) * g;
            want[j] /= window_s;
            sum += want[j];
            least_s = fmin(least_s, window_s);
        }
        config.variants.steady_window = steady;
        if (least_s > 1e-9 * oracle.now_s) {
            CHECK_STATUS(run_in_dirt(&config, 0x3c, &out), SGDSIM_OK);
            see(throughputs, out.batches_per_s, sum);
            for (size_t j = 0; j < oracle.jobs; j++) see(throughputs, of_job[j], want[j]);
        } else if (!(least_s > 1e-13 * oracle.now_s)) {
            CHECK_STATUS(run_in_dirt(&config, 0x3c, &out), SGDSIM_NO_WINDOW);
        }
    }
}

/* What a run sums up: how busy resources are, and what workers wait for. */
static void compare_sums(const outcome *o, worst *sums)
{
    const double span_s = oracle.now_s;
    CHECK(o->out.operations == oracle.operations);
    for (int r = 0; r < SGDSIM_RESOURCES; r++) {
        const int shared = oracle_is_shared(&oracle, (sgdsim_resource)r);
        double of = shared ? oracle.M : r == SGDSIM_WORKER ? oracle.W : oracle.W * oracle.M;
        if (shared && r == SGDSIM_SERVER) of *= (double)oracle.jobs;
        see(sums, o->out.utilization[r] + 1.0, oracle.carried_s[r] / span_s / of + 1.0);
        see(sums, o->out.contended[r] + 1.0, oracle.contended_s[r] / span_s / of + 1.0);
    }
    for (uint32_t w = 0; w < oracle.W; w++) {
        const sgdsim_waiting *got = o->out.waiting + w;
        const double *want_s = oracle.worker[w].spent_s;
        see(sums, got->computing_s + span_s, want_s[0] + span_s);
        see(sums, got->downlink_s + span_s, want_s[1] + span_s);
        see(sums, got->uplink_s + span_s, want_s[2] + span_s);
        see(sums, got->server_s + span_s, want_s[3] + span_s);
        see(sums, got->barrier_s + span_s, want_s[4] + span_s);
    }
}

/* One case; 0 if the two part where rounding alone decides which chunk is first. */
static int compare(const small *s, worst *ends, worst *times, worst *sums)
{
    const uint64_t steps = s->config.length.steps;
    worst e = {0.0, 0}, t = {0.0, 0}, sum = {0.0, 0};
    int same = 1;
    oracle_run(&oracle, &s->config);
    if (oracle.endless) return 0;
    outcome o = run_all(&s->config);
    for (size_t j = 0; j < oracle.jobs; j++)
        CHECK(oracle.job[j].ended >= oracle.job[j].workers * steps);
    if (oracle.now_s <= 0.0) CHECK_STATUS(o.status, SGDSIM_NO_WINDOW);
    if (o.status == SGDSIM_OK) {
        see(&e, o.out.makespan_s, oracle.now_s);
        for (size_t w = 0; w < oracle.W; w++)
            for (size_t k = 0; k < steps; k++)
                see(&e, o.out.step_end_s[w * steps + k] + 1.0, oracle.step_end_s[w][k] + 1.0);
        same = !oracle.ambiguous || (e.error <= 1e-9 && o.out.events == oracle.events);
    }
    if (same) compare_throughput(s->config, &sum);
    if (sum.error > 1e-9 && oracle.ambiguous) same = 0;
    if (same && o.status == SGDSIM_OK) {
        CHECK(o.out.events == oracle.events && o.out.seed == s->config.variation.seed);
        compare_events(&o, &t);
        compare_sums(&o, &sum);
        same = t.error <= 1e-9 || !oracle.ambiguous;
    }
    if (same) {
        ends->error = fmax(ends->error, e.error);
        times->error = fmax(times->error, t.error);
        sums->error = fmax(sums->error, sum.error);
        ends->count += e.count;
        times->count += t.count;
        sums->count += sum.count;
    }
    outcome_free(&o);
    return same;
}

/* What small_new leaves out, in further cases. */
typedef enum small_more { SMALL_PLAIN, SMALL_ENDS, SMALL_JOBS } small_more;

/* Compares `cases` random cases. Cases in which rounding decides the order, or a job runs too
 * long, are left out: at most most_left_out. */
static void compare_all(uint64_t seed, size_t cases, size_t most_left_out, small_more more)
{
    worst ends = {0.0, 0}, times = {0.0, 0}, sums = {0.0, 0};
    dice d = {seed, 0};
    size_t compared = 0, left_out = 0;
    while (compared < cases && left_out < most_left_out) {
        const unsigned failures = test_failures;
        const int good = ends.error <= 1e-9 && times.error <= 1e-9 && sums.error <= 1e-9;
        small s;
        small_new(&d, &s);
        if (more == SMALL_ENDS || (more == SMALL_JOBS && chance(&d, 40))) small_ends(&d, &s);
        if (more == SMALL_JOBS) small_jobs(&d, &s);
        if (compare(&s, &ends, &times, &sums)) compared++;
        else left_out++;
        if (test_failures > failures
            || (good && !(ends.error <= 1e-9 && times.error <= 1e-9 && sums.error <= 1e-9)))
            small_print(&s, compared);
    }
    CHECK(compared == cases);
    printf("    %lu more that were left out\n", (unsigned long)left_out);
    CHECK_WORST(ends, 1e-9);
    CHECK_WORST(times, 1e-9);
    CHECK_WORST(sums, 1e-9);
}

TEST(runs_are_those_of_a_straightforward_simulator)
{
    compare_all(20, TEST_SIZE(1500, 8000), 10, SMALL_PLAIN);
}

TEST(links_of_workers_and_delays_are_those_of_a_straightforward_simulator)
{
    compare_all(31, TEST_SIZE(800, 8000), 20, SMALL_ENDS);
}

TEST(jobs_leads_and_starts_are_those_of_a_straightforward_simulator)
{
    compare_all(47, TEST_SIZE(800, 8000), TEST_SIZE(100, 1000), SMALL_JOBS);
}

/* ---- Laws ---------------------------------------------------------------- */

/* When the step of an event began: the worker's last ended, or everybody's. */
static double step_start(const small *s, const outcome *o, const sgdsim_event *e)
{
    const uint64_t steps = s->config.length.steps;
    double start_s = 0.0;
    if (e->step == 0) return 0.0;
    for (uint32_t w = 0; w < o->workers; w++)
        if (w == e->worker || s->config.mode == SGDSIM_SYNC)
            start_s = fmax(start_s, o->out.step_end_s[w * steps + e->step - 1]);
    return start_s;
}

static int same_queue(const sgdsim_event *a, const sgdsim_event *b)
{
    return a->worker == b->worker && a->resource == b->resource
        && (a->resource == SGDSIM_WORKER || a->server == b->server);
}

/* The traced op of an event, or for an overhead its transfer's. */
static const sgdsim_op *traced(const small *s, const outcome *o, const sgdsim_event *e,
                               size_t *number_of)
{
    size_t t = 0, overheads;
    uint32_t w = e->worker;
    (void)o;
    while (w >= s->workers[t]) w -= s->workers[t++];
    const sgdsim_step *step = s->trace[t].step + e->traced_step;
    overheads = step->ops;
    for (size_t i = 0; i < step->ops; i++) {
        *number_of = i;
        if (e->op == i) return step->op + i;
        if (oracle_is_transfer(step->op[i].resource) && e->op == overheads++)
            return step->op + i;
    }
    return NULL;
}

static const sgdsim_event *event_of(const outcome *o, const sgdsim_event *like, size_t op)
{
    for (size_t i = 0; i < o->events; i++)
        if (o->event[i].worker == like->worker && o->event[i].step == like->step
            && o->event[i].op == op) return o->event + i;
    return NULL;
}

/* The event after which those that wait for op may go on: its overhead's, if any. */
static const sgdsim_event *end_of(const small *s, const outcome *o,
                                  const sgdsim_event *like, size_t op)
{
    size_t of;
    for (size_t i = 0; i < o->events; i++)
        if (o->event[i].worker == like->worker && o->event[i].step == like->step
            && o->event[i].op != op && traced(s, o, o->event + i, &of) && of == op)
            return o->event + i;
    return event_of(o, like, op);
}

/* An op is ready when the last of those it waits for ends, or its step starts. */
static void law_dependencies(const small *s, const outcome *o, worst *ready)
{
    size_t number_of = 0;
    for (size_t i = 0; i < o->events; i++) {
        const sgdsim_event *e = o->event + i;
        const sgdsim_op *op = traced(s, o, e, &number_of);
        double at_s = step_start(s, o, e);
        CHECK(op != NULL);
        if (!op) return;
        for (size_t k = 0; k < op->waits && number_of == e->op; k++)
            at_s = fmax(at_s, end_of(s, o, e, op->waits_for[k])->end_s);
        if (number_of != e->op) at_s = event_of(o, e, number_of)->end_s;
        see(ready, e->ready_s + 1.0, at_s + 1.0);
        CHECK(e->start_s >= e->ready_s && e->end_s >= e->start_s);
    }
}

/* A queue is first in, first out, and never idle while an op is ready; what is on a
 * worker's own resource takes its own time. Not with a window. */
static void law_queues(const small *s, const outcome *o, worst *starts, worst *services)
{
    size_t number_of = 0;
    for (size_t i = 0; i < o->events; i++) {
        const sgdsim_event *e = o->event + i;
        double free_s = e->ready_s;
        for (size_t k = 0; k < i; k++) {
            const sgdsim_event *before = o->event + k;
            if (!same_queue(before, e)) continue;
            CHECK(before->ready_s <= e->ready_s && before->end_s <= e->start_s);
            free_s = fmax(free_s, before->end_s);
        }
        see(starts, e->start_s, free_s);
        if (oracle_is_transfer(e->resource)) continue;
        if (e->resource == SGDSIM_SERVER && s->config.servers.updates != SGDSIM_UPDATES_SEPARATE)
            continue;
        if (s->config.variation.service == SGDSIM_TRACED && !s->config.transfers.overhead)
            see(services, e->end_s - e->start_s + 1.0,
                traced(s, o, e, &number_of)->duration_s + 1.0);
    }
}

static int by_start(const void *a, const void *b)
{
    const sgdsim_event *x = (const sgdsim_event *)a, *y = (const sgdsim_event *)b;
    return (x->start_s > y->start_s) - (x->start_s < y->start_s);
}

/* A link or a shared server that someone uses is used in full: the time in which it is in
 * use is the work that it does. One server, no cap, no traffic that slows the other way;
 * else, none does more than it can. */
static void law_conservation(const small *s, outcome *o, sgdsim_resource r, worst *work)
{
    const double B = s->config.links.bandwidth_bytes_per_s;
    const int capped = oracle_is_transfer(r)
        && ((s->config.links.flow_cap > 0.0 && s->config.links.flow_cap < 1.0)
            || (s->config.links.rule == SGDSIM_LINK_TCP
                && !(s->config.links.tcp && s->config.links.tcp->two_way <= 0.0)));
    double busy_s = 0.0, until_s = 0.0, work_s = 0.0;
    size_t number_of = 0;
    qsort(o->event, o->events, sizeof *o->event, by_start);
    for (size_t i = 0; i < o->events; i++) {
        const sgdsim_event *e = o->event + i;
        if (e->resource != r) continue;
        work_s += oracle_is_transfer(r) ? traced(s, o, e, &number_of)->bytes / B
                                        : traced(s, o, e, &number_of)->duration_s;
        busy_s += fmax(0.0, e->end_s - fmax(until_s, e->start_s));
        until_s = fmax(until_s, e->end_s);
    }
    if (s->config.servers.count < 2 && !capped)
        see(work, busy_s + 1.0, work_s + 1.0);
    else CHECK(work_s <= busy_s * fmax(1.0, s->config.servers.count) * (1.0 + 1e-9));
    see(work, o->out.utilization[r] + 1.0,
        work_s / o->out.makespan_s / fmax(1.0, s->config.servers.count) + 1.0);
}

/* Twice the work takes twice the time, to the bit. */
static void law_doubling(const small *s, const outcome *o)
{
    small twice = *s;
    sgdsim_result out = {0};
    twice.config.workers.trace = twice.trace;
    twice.config.transfers.window_bytes *= 2.0;
    twice.overhead.s *= 2.0;
    if (s->config.transfers.overhead) twice.config.transfers.overhead = &twice.overhead;
    for (size_t t = 0; t < s->config.workers.types; t++) {
        twice.trace[t].step = twice.step[t];
        for (size_t p = 0; p < s->trace[t].steps; p++) {
            twice.step[t][p].op = twice.op[t][p];
            for (size_t i = 0; i < s->step[t][p].ops; i++) {
                twice.op[t][p][i].bytes *= 2.0;
                twice.op[t][p][i].duration_s *= 2.0;
            }
        }
    }
    CHECK_STATUS(run_in_dirt(&twice.config, 1, &out), SGDSIM_OK);
    CHECK_REL(out.makespan_s, 2.0 * o->out.makespan_s, 0.0);
    CHECK_REL(2.0 * out.batches_per_s, o->out.batches_per_s, 0.0);
}

TEST(every_run_obeys_the_laws_of_queues)
{
    worst ready = {0.0, 0}, starts = {0.0, 0}, services = {0.0, 0}, work = {0.0, 0};
    worst servers = {0.0, 0};
    dice d = {21, 0};
    for (size_t i = 0; i < TEST_SIZE(200, 1500); i++) {
        const unsigned failures = test_failures;
        small s;
        small_new(&d, &s);
        s.config.length.warmup = 0;
        outcome o = run_all(&s.config);
        if (o.status == SGDSIM_OK) {
            law_dependencies(&s, &o, &ready);
            law_doubling(&s, &o);
            for (size_t r = 0; r < (size_t)SGDSIM_RESOURCES; r++)
                CHECK(o.out.utilization[r] >= 0.0 && o.out.utilization[r] <= 1.0 + 1e-9);
            if (!(s.config.transfers.window_bytes > 0.0)
                || s.config.links.rule == SGDSIM_LINK_EXCHANGE)
                law_queues(&s, &o, &starts, &services);
            if (s.config.links.rule != SGDSIM_LINK_EXCHANGE
                && s.config.variation.service == SGDSIM_TRACED
                && !(s.config.servers.count == 2 && s.config.variants.two_servers_unit)) {
                law_conservation(&s, &o, SGDSIM_DOWNLINK, &work);
                law_conservation(&s, &o, SGDSIM_UPLINK, &work);
            }
            if (s.config.servers.updates != SGDSIM_UPDATES_SEPARATE
                && s.config.variation.service == SGDSIM_TRACED && !s.config.transfers.overhead)
                law_conservation(&s, &o, SGDSIM_SERVER, &servers);
        }
        if (test_failures > failures) small_print(&s, i);
        outcome_free(&o);
    }
    CHECK_WORST(ready, 1e-12);
    CHECK_WORST(starts, 0.0);
    CHECK_WORST(services, 1e-12);
    CHECK_WORST(work, 1e-9);
    CHECK_WORST(servers, 1e-9);
}

/* ---- Shares -------------------------------------------------------------- */

static double share_sum(const sgdsim_flow *flow, size_t flows, int server, uint32_t at)
{
    double sum = 0.0;
    for (size_t i = 0; i < flows; i++)
        if ((server ? flow[i].server : flow[i].worker) == at) sum += flow[i].share;
    return sum;
}

static double share_most(const sgdsim_flow *flow, size_t flows, int server, uint32_t at)
{
    double most = 0.0;
    for (size_t i = 0; i < flows; i++)
        if ((server ? flow[i].server : flow[i].worker) == at)
            most = fmax(most, flow[i].share);
    return most;
}

/* [BG92]: an allocation is max-min fair where each flow has a bottleneck, full and on
 * which no other flow has more. */
TEST(every_max_min_flow_has_a_bottleneck)
{
    dice d = {22, 0};
    for (size_t c = 0; c < 2000; c++) {
        double cap = chance(&d, 50) ? 0.05 + unit(&d) : 1.0;
        const size_t W = 1 + below(&d, 12), M = 1 + below(&d, 5);
        sgdsim_flow flow[60];
        size_t flows = 0;
        for (size_t i = 0; i < W; i++)
            for (size_t k = 0; k < M; k++)
                if (chance(&d, 60)) {
                    flow[flows].worker = (uint32_t)i;
                    flow[flows].server = (uint32_t)k;
                    flow[flows++].share = (double)NAN;
                }
        sgdsim_share_max_min(&cap, flow, flows);
        for (size_t i = 0; i < flows; i++) {
            const double share = flow[i].share;
            int bottleneck = share >= cap * (1.0 - 1e-9);
            for (size_t k = 0; k < 2; k++) {
                const uint32_t at = k ? flow[i].server : flow[i].worker;
                const double sum = share_sum(flow, flows, (int)k, at);
                CHECK(sum <= 1.0 + 1e-12);
                bottleneck |= sum >= 1.0 - 1e-9
                           && share >= share_most(flow, flows, (int)k, at) - 1e-9;
            }
            CHECK(share > 0.0 && share <= cap && bottleneck);
        }
    }
    sgdsim_share_max_min(NULL, NULL, 0);
}

typedef struct rule { unsigned calls; int kind; double sum; } rule;

static void own_rule(void *ctx, sgdsim_flow *flow, size_t flows)
{
    rule *r = (rule *)ctx;
    double cap = 1.0;
    r->calls++;
    if (r->kind == 1) sgdsim_share_max_min(&cap, flow, flows);
    for (size_t i = 0; i < flows; i++) {
        if (r->kind == 0) flow[i].share = 1.0 / (double)flows;
        if (r->kind == 2) flow[i].share = 0.0;
        if (r->kind == 3) flow[i].share = (double)NAN;
        if (r->kind == 4) flow[i].share = -1.0;
        if (r->kind == 5) flow[i].share = i == 0 ? 1.0 : 0.0;
    }
    if (r->kind < 2) r->sum = fmax(r->sum, share_sum(flow, flows, 1, 0));
}

/* A rule of the caller that shares like a built-in one gives the same run, by the O(n)
 * path instead of the virtual clock; one that starves a flow is refused. */
TEST(a_rule_of_the_caller_gives_the_run_of_the_built_in_one)
{
    worst equal = {0.0, 0}, fair = {0.0, 0}, first = {0.0, 0};
    dice d = {23, 0};
    for (size_t i = 0; i < 600; i++) {
        small s;
        sgdsim_result want = {0}, got;
        rule r = {0, (int)(i % 3), 0.0};
        worst *w = r.kind == 0 ? &equal : r.kind == 1 ? &fair : &first;
        memset(&got, 0, sizeof got);
        small_new(&d, &s);
        s.config.variation.service = SGDSIM_EXPONENTIAL;     /* no ties                         */
        s.config.transfers.window_bytes = s.config.links.flow_cap = 0.0;
        s.config.transfers.overhead = NULL;
        s.config.links.tcp = NULL;
        s.config.links.rule = r.kind == 2 ? SGDSIM_LINK_FCFS : SGDSIM_LINK_EQUAL;
        s.config.variants.fcfs_spill = 0;
        if (s.config.servers.count == 2 || (r.kind != 1 && s.config.servers.count > 1)) continue;
        if (r.kind == 2) r.kind = 5;
        if (run_in_dirt(&s.config, 2, &want) != SGDSIM_OK) continue;
        s.config.links.share = own_rule;
        s.config.links.share_ctx = &r;
        CHECK_STATUS(run_in_dirt(&s.config, 3, &got), SGDSIM_OK);
        see(w, got.makespan_s, want.makespan_s);
        CHECK(got.events == want.events && r.sum <= 1.0 + 1e-12);
        if (r.calls == 0) continue;
        for (r.kind = 2; r.kind < 5; r.kind++)
            CHECK_STATUS(run_in_dirt(&s.config, 4, &got), SGDSIM_BAD_ARGUMENT);
    }
    CHECK_WORST(equal, 1e-9);
    CHECK_WORST(fair, 1e-9);
    CHECK_WORST(first, 1e-9);
}

/* ---- Updates at one server ----------------------------------------------- */

/* ---- Layers -------------------------------------------------------------- */

/* Equal workers with links of their own end together, to the last bit. */
TEST(equal_flows_have_equal_shares)
{
    const double own = 1e6;
    const sgdsim_op op = {DOWN(1e6)};
    scene s;
    SET_SCENE(&s, &op, 1);
    s.config.links.bandwidth_bytes_per_s = 1e6;
    s.config.links.worker_bandwidth_bytes_per_s = &own;
    for (uint32_t *workers = s.workers; ++*workers <= 32;) {
        play(&s);
        for (uint32_t w = 0; w < *workers; w++) CHECK_REL(s.end_s[w], s.end_s[0], 0.0);
    }
}

/* A download and an op of 1 s begin in this order, and so end in it: what waits for the
 * download is worked on first, and sent while the worker does the rest. */
TEST(what_began_first_ends_first)
{
    const sgdsim_op op[5] = {{DOWN(1.0)}, {WORK(1.0)}, {WORK(1.0), AFTER(0)},
                             {WORK(2.0), AFTER(1)}, {UP(1.0), AFTER(2)}};
    scene s;
    SET_SCENE(&s, op, 5);
    play(&s);
    CHECK_REL(s.out.makespan_s, 4.0, 0.0);         /* not 1 + 2 + 1 + 1               */
}

/* A download and an op end at 3 s; that began at 1 s, behind an upload, and this at 2 s, behind
 * another op. At 2.5 s its server begins a longer update, behind a first one: the op still ends
 * after the download, and the worker goes on with what has waited for that. */
TEST(what_began_first_ends_first_though_another_begins)
{
    const sgdsim_op op[9] = {
        {UP(1.0)}, {DOWN(2.0), AFTER(0)}, {WORK(2.0)}, {WORK(1.0), AFTER(2)}, {UPDATE(2.5)},
        {UPDATE(1.5), AFTER(4)}, {WORK(1.0), AFTER(1)}, {WORK(2.0), AFTER(3)}, {UP(1.0), AFTER(6)}};
    scene s;
    SET_SCENE(&s, op, 9);
    s.config.links.rule = SGDSIM_LINK_FCFS;
    play(&s);
    CHECK_REL(s.out.makespan_s, 6.0, 0.0);         /* not 3 + 2 + 1 + 1               */
}

/* Two steps end at 3 s: of the second worker with an op from 1 s on, of the first with one from
 * 2 s on, behind its download. So the second downloads first, 0.5 s, then the first, 2 s. */
TEST(what_began_first_on_another_worker_ends_first)
{
    static const double want_s[4] = {3.0, 6.5, 3.0, 6.0};
    const sgdsim_op op[5] = {{DOWN(2.0)}, {WORK(1.0), AFTER(0)},
                             {DOWN(0.5)}, {WORK(1.0)}, {WORK(2.0), AFTER(1)}};
    scene s;
    SET_SCENE(&s, op, 2, 3);
    s.config.links.rule = SGDSIM_LINK_FCFS;
    s.config.length.steps = 2;
    play(&s);
    ends_are(s.end_s, want_s, 4, 0.0);
}

/* What two servers' links share is found in one look at each flow: 32 are not worth an event. */
TEST(few_flows_to_two_servers_cost_no_event)
{
    const sgdsim_op op[2] = {{DOWN(1.0)}, {DOWN(1.0), AT(1)}};
    scene s;
    SET_SCENE(&s, op, 2);
    s.workers[0] = 16;
    s.config.servers.count = 2;
    play(&s);
    s.config.max_events = s.out.events;
    play(&s);
    s.config.max_events--;
    CHECK_STATUS(run_in_dirt(&s.config, 0, &s.out), SGDSIM_OVER_BUDGET);
}

TEST(layers_on_one_worker_end_when_found_by_hand)
{
    static const sgdsim_layer layer[2] = {{2e6, 1.0, 2.0, 0.5}, {3e6, 4.0, 8.0, 0.25}};
    sgdsim_op op[10];
    uint32_t waits[10], one = 1;
    double work[1024];
    sgdsim_step step = {op, 10};
    sgdsim_trace trace = {&step, 1};
    sgdsim_config config = layered(&trace, &one);
    sgdsim_waiting part;
    sgdsim_result out = {.waiting = &part};
    for (int whole_model = 0; whole_model < 2; whole_model++) {
        CHECK_STATUS(sgdsim_trace_layers(layer, 2, whole_model, op, waits), SGDSIM_OK);
        CHECK_STATUS(sgdsim_trace_check(&trace, 1, work, sizeof work, NULL), SGDSIM_OK);
        CHECK_STATUS(run_in_dirt(&config, 0, &out), SGDSIM_OK);
        /* Overlapped: downlinks end at 2 and 5, forward at 3 and 9, backward at 17 and
         * 19, uplinks at 20 and 22, updates at 20.25 and 22.5. */
        CHECK_REL(out.makespan_s, 3.0 * (whole_model ? 25.5 : 22.5), 1e-12);
        CHECK(out.operations == 30 && out.events == 30);
        CHECK_REL(part.computing_s, 45.0, 1e-12);
        CHECK_REL(part.downlink_s, 3.0 * (whole_model ? 5.0 : 4.0), 1e-12);
        CHECK_REL(part.uplink_s, 3.0 * (whole_model ? 5.0 : 3.0), 1e-12);
        CHECK_REL(part.server_s, 1.5, 1e-12);
        CHECK_REL(out.utilization[SGDSIM_WORKER], 45.0 / out.makespan_s, 1e-12);
        CHECK_REL(out.utilization[SGDSIM_UPLINK], 15.0 / out.makespan_s, 1e-12);
    }
}

/* ---- Streams of TCP ------------------------------------------------------ */

static double weight_of(uint64_t seed, uint32_t w, uint64_t step, uint64_t direction,
                        double spread)
{
    const double u = oracle_uniform(sgdsim_random(seed, w, step, direction));
    return exp(sqrt(3.0) * (2.0 * u - 1.0) * spread);
}

/* 34 workers begin a download from a link of 128 bytes/s, of which two are held to 1 byte/s,
 * one to 2, and all others have 4. The two would end at 8 s, as most would, the one ends
 * before, at 6 s. From then on most have more, but one of them, held to 4.0625 now. Of the
 * two, which end together then, the first that began ends first. */
TEST(streams_that_are_held_back_end_when_found_by_hand)
{
    static const uint32_t workers[4] = {30, 1, 2, 1};
    static const double own[4] = {128.0, 4.0625, 1.0, 2.0};
    const sgdsim_op op[4] = {{DOWN(32.0)}, {DOWN(32.0)}, {DOWN(8.0)}, {DOWN(12.0)}};
    scene s;
    SET_SCENE(&s, op, 1, 1, 1, 1);
    memcpy(s.workers, workers, sizeof workers);
    s.config.links.bandwidth_bytes_per_s = 128.0;
    s.config.links.worker_bandwidth_bytes_per_s = own;
    outcome o = run_all(&s.config);
    CHECK_STATUS(o.status, SGDSIM_OK);
    CHECK(o.events == 34 && o.event[0].worker == 33);
    CHECK_REL(o.out.step_end_s[33], 6.0, 0.0);
    CHECK_REL(o.out.step_end_s[0], 6.0 + 8.0 / ((128.0 - 4.0625 - 2.0) / 30.0), 1e-14);
    CHECK_REL(o.out.step_end_s[30], 6.0 + 8.0 / 4.0625, 1e-14);
    CHECK_REL(o.out.step_end_s[31], 8.0, 1e-14);
    CHECK_REL(o.out.step_end_s[32], o.out.step_end_s[31], 0.0);
    CHECK(o.events == 34 && o.event[32].worker == 31 && o.event[33].worker == 32);
    outcome_free(&o);
}

/* Two workers whose links are as wide but for rounding, a part of 10^12 at most, are as fast
 * to the bit; with ten such parts between them they are not. */
TEST(links_that_differ_by_rounding_are_as_wide)
{
    double own[3] = {128.0, 1.0, 1.0};
    const sgdsim_op op[3] = {{DOWN(8.0)}, {DOWN(8.0)}, {DOWN(8.0)}};
    scene s;
    SET_SCENE(&s, op, 1, 1, 1);
    s.workers[0] = 40;
    s.config.links.bandwidth_bytes_per_s = 128.0;
    s.config.links.worker_bandwidth_bytes_per_s = own;
    own[2] = 1.0 + 1e-12;
    play(&s);
    CHECK_REL(s.end_s[40], 8.0, 1e-14);
    CHECK_REL(s.end_s[41], s.end_s[40], 0.0);
    own[2] = 1.0 + 1e-11;
    play(&s);
    CHECK(s.end_s[41] < s.end_s[40]);
}

/* Many streams of workers with slow links: as wide as all others, but no wider than those. */
TEST(streams_keep_to_the_links_of_their_workers_however_many_they_are)
{
    static const double own[2] = {1e-3, 1.0};
    const sgdsim_op op[2] = {{DOWN(1.0)}, {DOWN(1.0)}};
    double weight[20], least = HUGE_VAL, sum = 0.0;
    scene s;
    SET_SCENE(&s, op, 1, 1);
    s.workers[0] = s.workers[1] = 20;
    s.config.links.rule = SGDSIM_LINK_TCP;
    s.config.links.worker_bandwidth_bytes_per_s = own;
    play(&s);
    for (uint32_t w = 0; w < 20; w++) {
        CHECK_REL(s.end_s[w], 1e3, 1e-12);           /* a thousandth each, of all 2 %   */
        weight[w] = weight_of(0, 20 + w, 0, 1, 0.2);
        sum += weight[w];
    }
    for (uint32_t w = 0; w < 20; w++) least = fmin(least, sum / weight[w] / 0.98);
    for (uint32_t w = 0; w < 20; w++) CHECK(s.end_s[20 + w] > least * (1.0 - 1e-12));
    for (uint32_t w = 0; w < 20; w++)                       /* the widest of all ends first    */
        CHECK(sum / weight[w] / 0.98 > least * (1.0 + 1e-12)
              || fabs(s.end_s[20 + w] / least - 1.0) < 1e-12);
}

/* The logarithms of the weights, which the runs above have: mean 0, standard deviation
 * `spread`, and nothing in common down and up, of two workers, or of two steps. */
TEST(weights_have_the_spread_and_nothing_in_common)
{
    const double n = 20000.0;
    double sum = 0.0, squares = 0.0, across[3] = {0.0, 0.0, 0.0}, before = 0.0;
    for (size_t i = 0; i < 20000; i++) {
        const double down = log(weight_of(5, 0, i, 1, 0.3));
        const double up = log(weight_of(5, 0, i, 2, 0.3));
        const double other = log(weight_of(5, 1, i, 1, 0.3));
        sum += down;
        squares += down * down;
        across[0] += down * up;
        across[1] += down * other;
        across[2] += down * before;
        before = down;
    }
    CHECK(fabs(sum / n) < 4.0 * 0.3 / sqrt(n));
    CHECK_REL(squares / n, 0.09, 0.03);
    for (size_t i = 0; i < 3; i++) CHECK(fabs(across[i] / n) < 4.0 * 0.09 / sqrt(n));
}

/* Without its two effects a TCP link is one shared equally, to the bit; with them, the
 * defaults are those that are declared. */
TEST(tcp_without_its_effects_shares_equally)
{
    static const sgdsim_tcp none = {0.0, 0.0}, usual = {0.5, 0.2};
    dice d = {27, 0};
    size_t differ = 0;
    for (size_t i = 0; i < 400; i++) {
        small s;
        sgdsim_result out[4];
        size_t k;
        small_new(&d, &s);
        if (s.config.servers.count > 1) continue;
        s.config.links.flow_cap = 0.0;
        memset(out, 0, sizeof out);
        for (k = 0; k < 4; k++) {
            s.config.links.rule = k == 0 ? SGDSIM_LINK_EQUAL : SGDSIM_LINK_TCP;
            s.config.links.tcp = k == 1 ? &none : k == 2 ? &usual : NULL;
            if (run_in_dirt(&s.config, (int)k, out + k) != SGDSIM_OK) break;
        }
        if (k < 4) continue;
        CHECK(memcmp(out, out + 1, sizeof out[0]) == 0);
        CHECK(memcmp(out + 2, out + 3, sizeof out[0]) == 0);
        differ += memcmp(out, out + 2, sizeof out[0]) != 0;
    }
    CHECK(differ > 20);
}

/* ---- Several servers, delays, staggered starts ---------------------------- */

/* Two layers on three servers, of which the second has nothing: the parts of a layer add up
 * to it, wait on their own server, and hold up the computation together. */
TEST(layers_are_split_between_servers)
{
    static const sgdsim_layer layer[2] = {{1e6, 0.5, 0.75, 0.125}, {2e6, 0.25, 0.5, 0.25}};
    static const double share[3] = {0.25, 0.0, 0.75};
    sgdsim_op op[10], out[30];
    uint32_t waits[10], split[30];
    size_t first[11], i, k;
    sgdsim_step step;
    sgdsim_trace trace = {&step, 1};
    CHECK_STATUS(sgdsim_trace_layers(layer, 2, 0, op, waits), SGDSIM_OK);
    CHECK_STATUS(sgdsim_trace_split(&(sgdsim_step){op, 10}, share, 3, out, split, first),
                 SGDSIM_OK);
    CHECK(first[10] == 16);                        /* 4 of the worker, 6 in two parts */
    for (i = 0; i < 10; i++) {
        const int whole = op[i].resource == SGDSIM_WORKER;
        double bytes = 0.0, duration_s = 0.0;
        CHECK(first[i + 1] - first[i] == (whole ? 1u : 2u));
        for (k = first[i]; k < first[i + 1]; k++) {
            CHECK(out[k].resource == op[i].resource);
            CHECK(whole || out[k].server == (k == first[i] ? 0u : 2u));
            bytes += out[k].bytes;
            duration_s += out[k].duration_s;
        }
        CHECK_REL(bytes, op[i].bytes, 1e-15);
        CHECK_REL(duration_s, op[i].duration_s, 1e-15);
    }
    CHECK(out[first[2]].waits == 2 && out[first[2]].waits_for[1] == 1); /* forward 0       */
    CHECK(out[first[3]].waits == 3);               /* download 1 twice, forward 0     */
    CHECK(out[first[8] + 1].waits == 1);           /* update of server 2 ...          */
    CHECK(out[first[8] + 1].waits_for[0] == first[6] + 1); /* ... for its upload          */
    step.op = out;
    step.ops = first[10];
    {
        double work[512];
        CHECK_STATUS(sgdsim_trace_check(&trace, 3, work, sizeof work, NULL), SGDSIM_OK);
        CHECK_STATUS(sgdsim_trace_check(&trace, 2, work, sizeof work, NULL), SGDSIM_BAD_TRACE);
    }
}

/* Two layers on two servers, of which the second takes ten seconds to update: chained, the
 * first one sends its layer meanwhile, and the worker starts with it at once. */
TEST(chained_servers_go_on_by_themselves)
{
    static const sgdsim_layer layer[2] = {{3.0, 0.5, 0.5, 0.0}, {1.0, 0.5, 0.5, 10.0}};
    sgdsim_op op[10], out[30];
    uint32_t waits[10], chained[57];
    scene s;
    CHECK_STATUS(sgdsim_trace_layers(layer, 2, 0, op, waits), SGDSIM_OK);
    op[1].server = op[6].server = op[8].server = 1;
    SET_SCENE(&s, op, 10);
    s.config.links.rule = SGDSIM_LINK_FCFS;
    s.config.servers.count = 2;
    s.config.length.steps = 3;
    play(&s);
    CHECK_REL(s.out.makespan_s, 3.0 * 15.5, 1e-14);
    CHECK_STATUS(sgdsim_trace_chain(&(sgdsim_step){op, 10}, 3, out, chained), SGDSIM_OK);
    CHECK(out[10].waits == 1 && out[10].waits_for[0] == 9);  /* layer 0, its update    */
    CHECK(out[11].waits == 1 && out[11].waits_for[0] == 8);
    CHECK(out[12].waits == 2 && out[12].waits_for[1] == 5);  /* behind all computing   */
    s.step[0] = (sgdsim_step){out, 30};
    s.config.length.steps = 1;
    play(&s);
    CHECK_REL(s.out.makespan_s, 15.5 + 2.0 * 13.0, 1e-14);
}

/* With one server nothing is gained: the ops end when they did. */
TEST(a_chain_of_one_server_is_its_steps)
{
    static const sgdsim_layer layer[3] = {
        {1e6, 0.5, 0.75, 0.125}, {2e6, 0.25, 0.5, 0.25}, {5e5, 0.1, 0.3, 0.05}
    };
    sgdsim_op op[15], out[60];
    uint32_t waits[15], chained[120];
    scene s;
    CHECK_STATUS(sgdsim_trace_layers(layer, 3, 0, op, waits), SGDSIM_OK);
    SET_SCENE(&s, op, 15);
    s.config.links.bandwidth_bytes_per_s = 4e6;
    s.config.length.steps = 4;
    outcome a = run_all(&s.config);
    CHECK_STATUS(sgdsim_trace_chain(&(sgdsim_step){op, 15}, 4, out, chained), SGDSIM_OK);
    s.step[0] = (sgdsim_step){out, 60};
    s.config.length.steps = 1;
    outcome b = run_all(&s.config);
    CHECK(a.events == 60 && b.events == 60);
    for (size_t i = 0; i < a.events && i < b.events; i++) {
        CHECK(a.event[i].step * 15 + a.event[i].op == b.event[i].op);
        CHECK_REL(a.event[i].end_s, b.event[i].end_s, 1e-12);
    }
    outcome_free(&a);
    outcome_free(&b);
}

TEST(a_bad_chain_is_refused)
{
    static const sgdsim_layer layer = {1e6, 0.5, 0.75, 0.125};
    sgdsim_op op[5], out[10];
    uint32_t waits[5], chained[18], far[1] = {5};
    CHECK_STATUS(sgdsim_trace_layers(&layer, 1, 0, op, waits), SGDSIM_OK);
    CHECK_STATUS(sgdsim_trace_chain(&(sgdsim_step){NULL, 5}, 2, out, chained), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_chain(&(sgdsim_step){op, 0}, 2, out, chained), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_chain(&(sgdsim_step){op, 5}, 0, out, chained), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_chain(&(sgdsim_step){op, 5}, 2, NULL, chained), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_chain(&(sgdsim_step){op, 5}, 2, out, NULL), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_chain(&(sgdsim_step){op, 5}, 13108, out, chained), SGDSIM_TOO_LARGE);
    op[4].waits_for = far;
    CHECK_STATUS(sgdsim_trace_chain(&(sgdsim_step){op, 5}, 2, out, chained), SGDSIM_BAD_TRACE);
    op[4].waits_for = NULL;
    CHECK_STATUS(sgdsim_trace_chain(&(sgdsim_step){op, 5}, 2, out, chained), SGDSIM_BAD_TRACE);
    CHECK_STATUS(sgdsim_trace_layers(&layer, 1, 0, op, waits), SGDSIM_OK);
    op[0].waits_for = far;                         /* the first and all others        */
    op[0].waits = 1;
    CHECK_STATUS(sgdsim_trace_chain(&(sgdsim_step){op, 5}, 2, out, chained), SGDSIM_BAD_TRACE);
}

/* 656 transfers over 100 servers are 65,600 ops, and 655 of them all that a step may have.
 * What is refused is not begun. */
TEST(a_split_of_too_many_ops_writes_nothing)
{
    enum { OPS = 656, SERVERS = 100 };
    static sgdsim_op op[OPS], out[OPS * SERVERS];
    static const sgdsim_op none;
    static double share[SERVERS];
    static size_t first[OPS + 1];
    static uint32_t waits[1];
    for (size_t i = 0; i < OPS; i++) op[i].bytes = 1e6;
    for (size_t i = 0; i < SERVERS; i++) share[i] = 1.0 / SERVERS;
    first[1] = 7;
    CHECK_STATUS(sgdsim_trace_split(&(sgdsim_step){op, OPS}, share, SERVERS, out, waits, first),
                 SGDSIM_TOO_LARGE);
    CHECK(memcmp(out, &none, sizeof none) == 0 && first[1] == 7);
    static double each[65536] = {1.0};             /* one op, of a part for each server */
    CHECK_STATUS(sgdsim_trace_split(&(sgdsim_step){op, 1}, each, 65536, out, waits, first),
                 SGDSIM_OK);
    for (size_t i = 0; i < 65536; i++) each[i] = 1.0 / 65536.0;
    CHECK_STATUS(sgdsim_trace_split(&(sgdsim_step){op, 1}, each, 65536, out, waits, first),
                 SGDSIM_TOO_LARGE);
    CHECK_STATUS(sgdsim_trace_split(&(sgdsim_step){op, OPS - 1}, share, SERVERS, out, waits, first),
                 SGDSIM_OK);
    CHECK(first[OPS - 1] == (OPS - 1) * SERVERS);
}

TEST(a_bad_split_is_refused)
{
    static const double bad[4][2] = {{0.0, 0.0}, {-0.1, 0.5}, {0.5, 1.1}, {0.5, (double)NAN}};
    static const double good[2] = {0.5, 0.5};
    static const sgdsim_layer layer = {1e6, 0.5, 0.75, 0.125};
    sgdsim_op op[5], out[10];
    uint32_t waits[5], split[10], far[1] = {5};
    size_t first[6], i;
#define SPLIT(ops, share, servers, out, status) \
    CHECK_STATUS(sgdsim_trace_split(&(sgdsim_step){op, ops}, share, servers, out, split, first), \
                 status)
    CHECK_STATUS(sgdsim_trace_layers(&layer, 1, 0, op, waits), SGDSIM_OK);
    for (i = 0; i < 4; i++) SPLIT(5, bad[i], 2, out, SGDSIM_BAD_ARGUMENT);
    SPLIT(0, good, 2, out, SGDSIM_BAD_ARGUMENT);
    SPLIT(5, good, 0, out, SGDSIM_BAD_ARGUMENT);
    SPLIT(5, NULL, 2, out, SGDSIM_BAD_ARGUMENT);
    SPLIT(5, good, 2, NULL, SGDSIM_BAD_ARGUMENT);
    op[4].waits_for = far;
    SPLIT(5, good, 2, out, SGDSIM_BAD_TRACE);
    op[4].waits_for = NULL;
    SPLIT(5, good, 2, out, SGDSIM_BAD_TRACE);
#undef SPLIT
}

/* A worker starts where it is said to, and nothing else changes; synchronous ones wait for
 * the last at their first barrier alone. */
#define GATHER(layer, n, bytes, op, waits, status)                                                \
    CHECK_STATUS(sgdsim_trace_buckets(layer, n, bytes, &(sgdsim_draft){op, waits, NULL}, closing, \
                                      &buckets), status)

/* Three layers of 1, 2 and 4 MB. Backward, the first bucket is full with the last layer,
 * the second with the other two, or holds one of them each. */
TEST(gradients_are_gathered_in_buckets)
{
    static const sgdsim_layer layer[3] = {
        {1e6, 0.5, 0.75, 0.125}, {2e6, 0.25, 0.5, 0.25}, {4e6, 1.0, 2.0, 0.5}
    };
    sgdsim_op op[15];
    uint32_t waits[15], bucket_waits[6];
    size_t closing[3], buckets = 0, i;
    double work[512];
    sgdsim_step step = {op, 13};
    sgdsim_trace trace = {&step, 1};
    CHECK_STATUS(sgdsim_trace_layers(layer, 3, 0, op, waits), SGDSIM_OK);
    GATHER(layer, 3, 3e6, op, bucket_waits, SGDSIM_OK);
    CHECK(buckets == 2 && closing[0] == 2 && closing[1] == 0);
    CHECK(op[9].resource == SGDSIM_UPLINK && op[10].resource == SGDSIM_UPLINK);
    CHECK(op[11].resource == SGDSIM_SERVER && op[12].resource == SGDSIM_SERVER);
    CHECK_REL(op[9].bytes, 4e6, 0.0);
    CHECK_REL(op[10].bytes, 3e6, 0.0);
    CHECK_REL(op[11].duration_s, 0.5, 0.0);
    CHECK_REL(op[12].duration_s, 0.375, 0.0);
    CHECK(op[9].waits_for[0] == 6 && op[10].waits_for[0] == 8);
    CHECK(op[11].waits_for[0] == 9 && op[12].waits_for[0] == 10);
    for (i = 9; i < 13; i++) CHECK(op[i].waits == 1);
    CHECK_STATUS(sgdsim_trace_check(&trace, 1, work, sizeof work, NULL), SGDSIM_OK);
    CHECK_STATUS(sgdsim_trace_layers(layer, 3, 0, op, waits), SGDSIM_OK);
    GATHER(layer, 3, 1.0, op, bucket_waits, SGDSIM_OK);
    CHECK(buckets == 3 && closing[0] == 2 && closing[1] == 1 && closing[2] == 0);
    GATHER(layer, 2, 1e9, op, bucket_waits, SGDSIM_OK);
    CHECK(buckets == 2 && closing[0] == 1 && closing[1] == 0); /* the first at 1 MiB   */
}

/* Every op of a bad call is as it was. */
TEST(bad_buckets_are_refused)
{
    sgdsim_layer layer[2] = {{1.0, 1.0, 1.0, 1.0}, {1.0, 1.0, 1.0, 1.0}};
    const double bad[] = {0.0, -1.0, (double)NAN, HUGE_VAL};
    sgdsim_op op[10], before[10];
    uint32_t waits[10], own[4];
    size_t closing[2] = {77, 77}, buckets = 77, i;
    CHECK_STATUS(sgdsim_trace_layers(layer, 2, 0, op, waits), SGDSIM_OK);
    memcpy(before, op, sizeof op);
#define BUCKETS(layer, n, bytes, op, own, closing, buckets) \
    CHECK_STATUS(sgdsim_trace_buckets(layer, n, bytes, &(sgdsim_draft){op, own, NULL}, closing, \
                                      buckets), \
                 SGDSIM_BAD_ARGUMENT)
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
        BUCKETS(layer, 2, bad[i], op, own, closing, &buckets);
    BUCKETS(NULL, 2, 1.0, op, own, closing, &buckets);
    BUCKETS(layer, 0, 1.0, op, own, closing, &buckets);
    BUCKETS(layer, 13108, 1.0, op, own, closing, &buckets);
    BUCKETS(layer, 2, 1.0, NULL, own, closing, &buckets);
    BUCKETS(layer, 2, 1.0, op, NULL, closing, &buckets);
    BUCKETS(layer, 2, 1.0, op, own, NULL, &buckets);
    BUCKETS(layer, 2, 1.0, op, own, closing, NULL);
    layer[0].update_s = layer[1].update_s = DBL_MAX;
    BUCKETS(layer, 2, 1.0, op, own, closing, &buckets);
    layer[0].update_s = -1.0;
    BUCKETS(layer, 2, 1.0, op, own, closing, &buckets);
#undef BUCKETS
    CHECK(memcmp(before, op, sizeof op) == 0);
    CHECK(closing[0] == 77 && closing[1] == 77 && buckets == 77);
}

static double variation(size_t shape, double cv, uint64_t seed, uint64_t step)
{
    return sgdsim_trace_variation((sgdsim_shape)shape, cv, seed, step);
}

/* Two steps by hand: of the first forward 1, backward 2 and 4, of the second all 8 forward. */
TEST(a_trace_adds_up_to_its_mean_profile)
{
    const sgdsim_op one[] = {{DOWN(100.0)}, {WORK(1.0)}, {WORK(2.0), AFTER(1)},
                             {WORK(4.0), AFTER(1)}, {UP(50.0), AFTER(2, 3)}, {UPDATE(0.5)}};
    const sgdsim_op two[] = {{WORK(8.0)}, {UP(30.0)}};
    const sgdsim_op most[2] = {{WORK(DBL_MAX)}, {WORK(DBL_MAX)}};
    const sgdsim_step step[] = {{one, 6}, {two, 2}}, large = {most, 2};
    const sgdsim_trace trace = {step, 2}, bad[] = {{step, 0}, {NULL, 2}, {&large, 1}};
    sgdsim_means m = {77.0, 0.0, 0.0, 0.0, 0.0};
    CHECK(sgdsim_trace_means(NULL, &m) == SGDSIM_BAD_ARGUMENT);
    CHECK(sgdsim_trace_means(&trace, NULL) == SGDSIM_BAD_ARGUMENT);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK(sgdsim_trace_means(bad + i, &m) == SGDSIM_BAD_ARGUMENT);
    CHECK_REL(m.forward_s, 77.0, 0.0);
    CHECK(sgdsim_trace_means(&trace, &m) == SGDSIM_OK);
    CHECK_REL(m.forward_s, 4.5, 0.0);
    CHECK_REL(m.backward_s, 3.0, 0.0);
    CHECK_REL(m.update_s, 0.25, 0.0);
    CHECK_REL(m.uplink_bytes, 40.0, 0.0);
    CHECK_REL(m.downlink_bytes, 50.0, 0.0);
}

/* Mean 1 and the coefficient of variation asked for; nothing below 0, nothing drawn for
 * 0, and other factors for other seeds and steps. */
TEST(steps_vary_as_much_as_they_are_told_to)
{
    const double n = 20000.0;
    for (size_t shape = SGDSIM_SHAPE_NORMAL; shape <= SGDSIM_SHAPE_EXPONENTIAL; shape++) {
        double sum = 0.0, squares = 0.0, least = 2.0;
        for (uint64_t i = 0; i < 20000; i++) {
            const double factor = variation(shape, 0.1, 3, i);
            sum += factor - 1.0;
            squares += (factor - 1.0) * (factor - 1.0);
            if (factor < least) least = factor;
            CHECK(variation(shape, 1.0, 3, i) >= 0.0);
            CHECK_REL(variation(shape, 0.0, 3, i), 1.0, 0.0);
        }
        CHECK(fabs(sum / n) < 4.0 * 0.1 / sqrt(n));
        CHECK_REL(squares / n, 0.01, 0.1);
        if (shape == SGDSIM_SHAPE_EXPONENTIAL) CHECK(least >= 0.9 && least < 0.901);
        else CHECK(least < 0.8);
        CHECK(fabs(variation(shape, 0.1, 3, 0) - variation(shape, 0.1, 4, 0)) > 0.0);
        CHECK(fabs(variation(shape, 0.1, 3, 0) - variation(shape, 0.1, 3, 1)) > 0.0);
    }
}

/* 1 + z of a normal z, 0 where that is negative: mean Phi(1) + phi(1), square Phi(1) more. */
TEST(steps_that_cannot_vary_so_much_take_longer_in_the_mean)
{
    const double n = 20000.0, Phi = 0.841345, phi = 0.241971;
    double sum = 0.0, squares = 0.0;
    for (uint64_t i = 0; i < 20000; i++) {
        const double factor = variation(SGDSIM_SHAPE_NORMAL, 1.0, 3, i);
        sum += factor;
        squares += factor * factor;
    }
    CHECK(fabs(sum / n - (Phi + phi)) < 4.0 * 0.87 / sqrt(n));
    CHECK_REL(squares / n, 2.0 * Phi + phi, 0.03);
}

TEST(layers_with_a_bad_value_are_refused)
{
    sgdsim_layer layer[1] = {{1.0, 1.0, 1.0, 1.0}};
    sgdsim_op op[5];
    uint32_t waits[5];
    const double bad[3] = {-1.0, (double)NAN, HUGE_VAL};
    double *const field[4] = {&layer[0].bytes, &layer[0].forward_s, &layer[0].backward_s,
                              &layer[0].update_s};
    CHECK_STATUS(sgdsim_trace_layers(layer, 1, 0, op, waits), SGDSIM_OK);
    CHECK_STATUS(sgdsim_trace_layers(layer, 1, 1, op, waits), SGDSIM_OK);
    CHECK_STATUS(sgdsim_trace_layers(NULL, 1, 0, op, waits), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_layers(layer, 0, 0, op, waits), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_layers(layer, 13107, 0, op, waits), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_layers(layer, 1, 0, NULL, waits), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_layers(layer, 1, 0, op, NULL), SGDSIM_BAD_ARGUMENT);
    for (size_t i = 0; i < 4; i++) {
        for (size_t k = 0; k < 3; k++) {
            *field[i] = bad[k];
            CHECK_STATUS(sgdsim_trace_layers(layer, 1, 0, op, waits), SGDSIM_BAD_ARGUMENT);
        }
        *field[i] = 0.0;
    }
}

/* ---- Faults -------------------------------------------------------------- */

/* A trace of two steps of three ops, of which the second is spoiled, and a run of it. */
typedef struct spoiled {
    uint32_t     waits[2][3][3];
    sgdsim_op    op[2][3];
    sgdsim_step  step[2];
    sgdsim_trace trace;
    uint32_t     workers;
    sgdsim_config config;
} spoiled;

static void spoiled_new(spoiled *s)
{
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < 3; k++) {
            s->op[i][k].resource = k == 1 ? SGDSIM_WORKER
                                          : k == 0 ? SGDSIM_DOWNLINK : SGDSIM_SERVER;
            s->op[i][k].bytes = s->op[i][k].duration_s = 1.0;
            s->op[i][k].waits_for = s->waits[i][k];
            s->op[i][k].waits = k > 0;
            s->waits[i][k][0] = (uint32_t)(k > 0 ? k - 1 : 0);
        }
        s->step[i].op = s->op[i];
        s->step[i].ops = 3;
    }
    s->trace = (sgdsim_trace){s->step, 2};
    s->workers = 2;
    s->config = layered(&s->trace, &s->workers);
}

/* Checks and runs the trace; both refuse it and touch nothing but the fault. */
static void refused(const spoiled *s, size_t op, const char *field, const char *reason)
{
    sgdsim_result out, before;
    double work[2048], ends[6] = {7.0, 7.0, 7.0, 7.0, 7.0, 7.0};
    sgdsim_fault fault = {0};
    memset(&out, 0x5a, sizeof out);
    out.step_end_s = ends;
    out.waiting = NULL;
    out.job_batches_per_s = NULL;
    before = out;
    CHECK_STATUS(sgdsim_trace_check(&s->trace, 1, work, sizeof work, NULL), SGDSIM_BAD_TRACE);
    CHECK_STATUS(sgdsim_trace_check(&s->trace, 1, work, sizeof work, &fault), SGDSIM_BAD_TRACE);
    CHECK(fault.step == 1 && fault.op == op);
    CHECK_TEXT(fault.field, field);
    CHECK_TEXT(fault.reason, reason);
    CHECK_STATUS(sgdsim_run(&s->config, work, sizeof work, &out), SGDSIM_BAD_TRACE);
    CHECK(memcmp(&out, &before, sizeof out) == 0);
    for (size_t i = 0; i < 6; i++) CHECK_REL(ends[i], 7.0, 0.0);
}

TEST(malformed_values_are_found)
{
    const struct { double value; const char *reason; } bad[] = {
        {-1.0, "is negative"},
        {-1e-300, "is negative"},
        {HUGE_VAL, "is not a finite number"},
        {-HUGE_VAL, "is not a finite number"},
        {(double)NAN, "is not a finite number"}};
    spoiled s;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (size_t k = 0; k < 3; k++) {
            spoiled_new(&s);
            *(k == 0 ? &s.op[1][k].bytes : &s.op[1][k].duration_s) = bad[i].value;
            refused(&s, k, k == 0 ? "bytes" : "duration_s", bad[i].reason);
        }
    spoiled_new(&s);                               /* not its field: not looked at    */
    s.op[1][0].duration_s = s.op[1][1].bytes = -1.0;
    s.op[1][1].server = 7;
    CHECK_STATUS(sgdsim_trace_check(&s.trace, 1, (double[256]){0}, 2048, NULL), SGDSIM_OK);
    spoiled_new(&s);
    s.op[1][2].server = 1;
    refused(&s, 2, "server", "is not below the number of servers");
    spoiled_new(&s);
    s.op[1][0].server = UINT32_MAX;
    refused(&s, 0, "server", "is not below the number of servers");
    spoiled_new(&s);
    s.op[1][1].resource = SGDSIM_RESOURCES;
    refused(&s, 1, "resource", "is no resource");
    spoiled_new(&s);
    s.step[1].ops = 0;
    refused(&s, 0, "step", "has no op");
}

TEST(malformed_graphs_are_found)
{
    spoiled s;
    spoiled_new(&s);
    s.waits[1][2][0] = 3;
    refused(&s, 2, "waits_for", "names an op that is not there");
    s.waits[1][2][0] = UINT32_MAX;
    refused(&s, 2, "waits_for", "names an op that is not there");
    s.waits[1][2][0] = 2;
    refused(&s, 2, "waits_for", "names the op itself");
    s.waits[1][2][0] = s.waits[1][2][1] = 1;
    s.op[1][2].waits = 2;
    refused(&s, 2, "waits_for", "names an op twice");
    s.op[1][2].waits_for = NULL;
    refused(&s, 2, "waits_for", "is missing");
    s.op[1][2].waits_for = NULL;                   /* beside one that is alike but it */
    s.op[1][2].waits = 1;
    refused(&s, 2, "waits_for", "is missing");
    spoiled_new(&s);
    s.op[1][1].waits = 2;                          /* 1 and 2 wait for each other     */
    s.waits[1][1][1] = 2;
    refused(&s, 1, "waits_for", "leads into a cycle");
    spoiled_new(&s);
    s.op[1][0].waits = 1;                          /* all three in a ring             */
    s.waits[1][0][0] = 2;
    refused(&s, 0, "waits_for", "leads into a cycle");
}

TEST(traces_beyond_a_limit_are_too_large)
{
    static const struct { uint32_t servers; sgdsim_status status; } row[] = {
        {21844, SGDSIM_OK}, {21845, SGDSIM_TOO_LARGE}, {UINT32_MAX, SGDSIM_TOO_LARGE}};
    static const sgdsim_overhead overhead = {0.0, 0.0};
    sgdsim_op *many = (sgdsim_op *)get_memory(65536, sizeof *many);
    size_t bytes = 77;
    double work[8];
    spoiled s;
    for (size_t i = 0; i < 65536; i++) many[i].resource = SGDSIM_DOWNLINK;
    spoiled_new(&s);
    s.workers = 1;
    s.step[1] = (sgdsim_step){many, 65536};
    CHECK_STATUS(sgdsim_trace_check_bytes(&s.trace, &bytes), SGDSIM_TOO_LARGE);
    CHECK_STATUS(sgdsim_trace_check(&s.trace, 1, work, sizeof work, NULL), SGDSIM_TOO_LARGE);
    CHECK_STATUS(sgdsim_run_bytes(&s.config, &bytes), SGDSIM_TOO_LARGE);
    s.step[1].ops = 65533;                         /* three are marks of the run      */
    CHECK_STATUS(sgdsim_run_bytes(&s.config, &bytes), SGDSIM_TOO_LARGE);
    CHECK(bytes == 77);
    s.step[1].ops = 65532;
    CHECK_STATUS(sgdsim_run_bytes(&s.config, &bytes), SGDSIM_OK);
    CHECK_STATUS(run_in_dirt(&s.config, 0, &(sgdsim_result){0}), SGDSIM_OK);
    s.config.transfers.overhead = &overhead;       /* two for one                     */
    CHECK_STATUS(sgdsim_run_bytes(&s.config, &bytes), SGDSIM_TOO_LARGE);
    free(many);
    spoiled_new(&s);
    s.workers = 1;
    s.op[1][1].waits = 65535;
    CHECK_STATUS(sgdsim_trace_check_bytes(&s.trace, &bytes), SGDSIM_OK);
    s.op[1][1].waits = 65536;
    CHECK_STATUS(sgdsim_trace_check_bytes(&s.trace, &bytes), SGDSIM_TOO_LARGE);
    CHECK_STATUS(sgdsim_run_bytes(&s.config, &bytes), SGDSIM_TOO_LARGE);
    s.op[1][1].waits = (size_t)-1;
    CHECK_STATUS(sgdsim_run_bytes(&s.config, &bytes), SGDSIM_TOO_LARGE);
    spoiled_new(&s);
    s.workers = 1;
    s.config.transfers.overhead = &overhead;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        s.config.servers.count = row[i].servers;
        CHECK_STATUS(sgdsim_run_bytes(&s.config, &bytes), row[i].status);
    }
    s.config.servers.count = 1;
    s.workers = UINT32_MAX;
    CHECK_STATUS(sgdsim_run_bytes(&s.config, &bytes), SGDSIM_TOO_LARGE);
}

TEST(a_check_refuses_bad_arguments)
{
    spoiled s;
    size_t bytes = 0;
    double work[64];
    spoiled_new(&s);
    CHECK_STATUS(sgdsim_trace_check_bytes(&s.trace, &bytes), SGDSIM_OK);
    CHECK(bytes > 0 && bytes <= sizeof work);
    CHECK_STATUS(sgdsim_trace_check_bytes(&s.trace, NULL), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_check_bytes(NULL, &bytes), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_check(NULL, 1, work, sizeof work, NULL), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_check(&s.trace, 0, work, sizeof work, NULL), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_check(&s.trace, 1, NULL, bytes, NULL), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_check(&s.trace, 1, (char *)work + 1, bytes, NULL),
                 SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_check(&s.trace, 1, work, bytes - 1, NULL), SGDSIM_SMALL_WORKSPACE);
    CHECK_STATUS(sgdsim_trace_check(&s.trace, 1, work, bytes, NULL), SGDSIM_OK);
    s.trace.steps = 0;
    CHECK_STATUS(sgdsim_trace_check_bytes(&s.trace, &bytes), SGDSIM_BAD_ARGUMENT);
    s.trace.steps = 2;
    s.step[1].op = NULL;
    CHECK_STATUS(sgdsim_trace_check_bytes(&s.trace, &bytes), SGDSIM_BAD_ARGUMENT);
    s.trace.step = NULL;
    CHECK_STATUS(sgdsim_trace_check_bytes(&s.trace, &bytes), SGDSIM_BAD_ARGUMENT);
}

/* ---- Runs refused -------------------------------------------------------- */

static void config_refused(const sgdsim_config *config, sgdsim_status status, int line)
{
    const unsigned failures = test_failures;
    sgdsim_refusal why = {SGDSIM_REASON_NONE, 0};
    sgdsim_result out, before;
    double work[2048], ends[6] = {7.0, 7.0, 7.0, 7.0, 7.0, 7.0};
    size_t bytes = 77;
    memset(&out, 0x5a, sizeof out);
    out.step_end_s = ends;
    out.waiting = NULL;
    out.job_batches_per_s = NULL;
    before = out;
    CHECK_STATUS(sgdsim_run_bytes(config, &bytes), status);
    CHECK_STATUS(sgdsim_run(config, work, sizeof work, &out), status);
    if (config && status == SGDSIM_BAD_ARGUMENT) {
        CHECK_STATUS(sgdsim_run_check(config, &why), status);
        CHECK(why.reason > SGDSIM_REASON_NONE && why.reason < SGDSIM_REASON_COUNT);
    }
    CHECK(bytes == 77 && memcmp(&out, &before, sizeof out) == 0);
    for (size_t i = 0; i < 6; i++) CHECK_REL(ends[i], 7.0, 0.0);
    if (test_failures > failures) fprintf(stderr, "    from line %d\n", line);
}

static void refused_for(const sgdsim_config *config, sgdsim_reason reason, size_t at)
{
    sgdsim_refusal why = {SGDSIM_REASON_NONE, 77};
    CHECK(sgdsim_run_check(config, &why) != SGDSIM_OK
          && sgdsim_run_check(config, NULL) != SGDSIM_OK);
    CHECK(why.reason == reason && why.at == at);
}

static double free_exchange(void *ctx, const sgdsim_config *config, double bytes)
{
    (void)ctx, (void)config;
    return 0.0 * bytes;
}

TEST(a_refusal_names_the_number)
{
    static const double ends[2] = {1.0, -1.0};
    static const uint32_t twice[3] = {0, 1, 0};
    sgdsim_op op[5];
    uint32_t waits[5], workers[2] = {1, 1}, none[2] = {1, 0}, many[2] = {UINT32_MAX, 1};
    sgdsim_layer layer = {1.0, 1.0, 1.0, 1.0};
    sgdsim_step step = {op, 5};
    sgdsim_trace trace[2] = {{&step, 1}, {&step, 1}};
    CHECK_STATUS(sgdsim_trace_layers(&layer, 1, 0, op, waits), SGDSIM_OK);
    sgdsim_config config = layered(trace, workers);
    config.workers.types = 2;
    CHECK_STATUS(sgdsim_run_check(&config, NULL), SGDSIM_OK);
    CHECK_STATUS(sgdsim_run_check(NULL, NULL), SGDSIM_BAD_ARGUMENT);
    config.workers.job = (const uint32_t[]){1, 1};
    refused_for(&config, SGDSIM_REASON_JOB, 0);
    config.workers.job = twice;
    config.workers.count = (const uint32_t[]){2, 1};
    CHECK_STATUS(sgdsim_run_check(&config, NULL), SGDSIM_OK);
    config.length.warmup = 3;                      /* of a job, not of both           */
    refused_for(&config, SGDSIM_REASON_WARMUP, 0);
    config.length.warmup = 0;
    config.links.rule = SGDSIM_LINK_EXCHANGE;
    config.links.exchange_s = free_exchange;
    refused_for(&config, SGDSIM_REASON_JOB, 0);
    config.links.rule = SGDSIM_LINK_EQUAL;
    config.workers.job = (const uint32_t[]){0, 2};
    refused_for(&config, SGDSIM_REASON_JOB, 1);
    config.workers.job = NULL;
    config.links.delay_s = ends;
    refused_for(&config, SGDSIM_REASON_DELAY, 1);
    config.links.worker_bandwidth_bytes_per_s = ends;
    refused_for(&config, SGDSIM_REASON_END, 1);
    config.links.worker_bandwidth_bytes_per_s = config.links.delay_s = NULL;
    config.transfers.ordered = 3;
    refused_for(&config, SGDSIM_REASON_ORDER, 0);
    config.transfers.order = twice;
    refused_for(&config, SGDSIM_REASON_TWICE, 2);
    config.links.flow_cap = -1.0;
    refused_for(&config, SGDSIM_REASON_CAP, 0);
    config.workers.count = many;
    refused_for(&config, SGDSIM_REASON_WORKERS, 0);
    config.workers.count = none;
    refused_for(&config, SGDSIM_REASON_NOBODY, 1);
    CHECK(strcmp(sgdsim_reason_text(SGDSIM_REASON_CAP), "links.flow_cap is out of domain") == 0);
}

#define REFUSED_AS(status, change) \
    (config = good, (change), config_refused(&config, status, __LINE__))
#define REFUSED(change) REFUSED_AS(SGDSIM_BAD_ARGUMENT, change)

TEST(a_bad_configuration_is_refused_at_once)
{
    static const uint32_t twice[3] = {0, 1, 0}, past[6] = {0, 1, 0, 1, 0, 2};
    static const uint32_t none[1] = {0};
    sgdsim_overhead overhead = {0.0, 0.0};
    spoiled s;
    sgdsim_config config;
    spoiled_new(&s);
    const sgdsim_config good = s.config;
    config_refused(NULL, SGDSIM_BAD_ARGUMENT, __LINE__);
    REFUSED(config.workers.types = 0);
    REFUSED(config.workers.trace = NULL);
    REFUSED(config.workers.count = NULL);
    REFUSED(config.workers.count = none);
    REFUSED(config.length.steps = 0);
    REFUSED(config.length.steps = (uint64_t)UINT32_MAX + 1);
    REFUSED_AS(SGDSIM_NO_WINDOW, config.length.warmup = 6);
    REFUSED_AS(SGDSIM_NO_WINDOW, config.length.warmup = UINT64_MAX);
    REFUSED(config.mode = (sgdsim_mode)2);
    REFUSED(config.links.rule = (sgdsim_link)4);
    REFUSED(config.variation.service = (sgdsim_service)2);
    REFUSED(config.links.bandwidth_bytes_per_s = 0.0);
    REFUSED(config.links.bandwidth_bytes_per_s = -1.0);
    REFUSED(config.links.bandwidth_bytes_per_s = HUGE_VAL);
    REFUSED(config.links.bandwidth_bytes_per_s = (double)NAN);
    REFUSED(config.transfers.window_bytes = -1.0);
    REFUSED(config.transfers.window_bytes = (double)NAN);
    REFUSED(config.servers.updates = (sgdsim_updates)3);
    REFUSED(config.links.flow_cap = -0.5);
    REFUSED(config.links.flow_cap = (double)NAN);
    REFUSED((overhead.s = HUGE_VAL, config.transfers.overhead = &overhead));
    overhead.s = 0.0;
    REFUSED((overhead.s_per_byte = (double)NAN, config.transfers.overhead = &overhead));
    REFUSED(config.transfers.ordered = 1);
    REFUSED((config.transfers.order = twice, config.transfers.ordered = 3));
    REFUSED(config.variation.sequence = past);
    s.trace.steps = 0;
    REFUSED((void)0);
    s.trace = (sgdsim_trace){NULL, 2};
    REFUSED((void)0);
}

TEST(a_bad_workspace_is_refused_at_once)
{
    double work[512];
    size_t bytes = 0;
    spoiled s;
    sgdsim_result out, before;
    spoiled_new(&s);
    memset(&out, 0, sizeof out);
    before = out;
    CHECK_STATUS(sgdsim_run_bytes(&s.config, NULL), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_run_bytes(&s.config, &bytes), SGDSIM_OK);
    CHECK(bytes > 0 && bytes <= sizeof work);
    CHECK_STATUS(sgdsim_run(&s.config, NULL, bytes, &out), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_run(&s.config, work, bytes, NULL), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_run(&s.config, (char *)work + 4, bytes, &out), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_run(&s.config, work, bytes - 1, &out), SGDSIM_SMALL_WORKSPACE);
    CHECK_STATUS(sgdsim_run(&s.config, work, 0, &out), SGDSIM_SMALL_WORKSPACE);
    CHECK(memcmp(&out, &before, sizeof out) == 0);
    CHECK_STATUS(sgdsim_run(&s.config, work, bytes, &out), SGDSIM_OK);
}

TEST(tcp_is_refused_with_numbers_that_are_no_fractions)
{
    const double bad[5] = {-0.1, 1.1, (double)NAN, HUGE_VAL, -HUGE_VAL};
    double work[2048];
    size_t bytes = 77;
    sgdsim_tcp tcp;
    spoiled s;
    sgdsim_result out, before;
    spoiled_new(&s);
    s.config.links.rule = SGDSIM_LINK_TCP;
    memset(&out, 0, sizeof out);
    before = out;
    for (size_t i = 0; i < 10; i++) {
        tcp.two_way = i < 5 ? bad[i] : 0.5;
        tcp.spread = i >= 5 ? bad[i - 5] : 0.3;
        s.config.links.tcp = &tcp;
        CHECK_STATUS(sgdsim_run_bytes(&s.config, &bytes), SGDSIM_BAD_ARGUMENT);
        CHECK_STATUS(sgdsim_run(&s.config, work, sizeof work, &out), SGDSIM_BAD_ARGUMENT);
        CHECK(bytes == 77 && memcmp(&out, &before, sizeof out) == 0);
    }
    tcp.two_way = tcp.spread = 1.0;
    CHECK_STATUS(run_in_dirt(&s.config, 0, &out), SGDSIM_OK);
    s.config.links.share = sgdsim_share_max_min;           /* goes before                     */
    CHECK_STATUS(run_in_dirt(&s.config, 0, &out), SGDSIM_OK);
}

TEST(links_of_workers_are_refused_where_they_are_not_known)
{
    const double bad[5] = {0.0, -1.0, (double)NAN, HUGE_VAL, -HUGE_VAL}, own[1] = {1.0};
    spoiled s;
    sgdsim_config config;
    spoiled_new(&s);
    sgdsim_result out = {0};
    sgdsim_config good = s.config;
    for (size_t i = 0; i < 5; i++) {
        config = good;
        config.links.worker_bandwidth_bytes_per_s = bad + i;
        CHECK_STATUS(run_in_dirt(&config, 0, &out), SGDSIM_BAD_ARGUMENT);
        config = good;
        config.links.delay_s = bad + i;
        CHECK_STATUS(run_in_dirt(&config, 0, &out), i == 0 ? SGDSIM_OK : SGDSIM_BAD_ARGUMENT);
    }
    good.links.worker_bandwidth_bytes_per_s = own;
    CHECK_STATUS(run_in_dirt(&good, 0, &out), SGDSIM_OK);
    config = good;
    config.variants.fcfs_spill = 1;
    CHECK_STATUS(run_in_dirt(&config, 0, &out), SGDSIM_BAD_ARGUMENT);
    config = good;
    config.variants.two_servers_unit = 1;
    CHECK_STATUS(run_in_dirt(&config, 0, &out), SGDSIM_BAD_ARGUMENT);
    config = good;
    config.links.share = sgdsim_share_max_min;
    CHECK_STATUS(run_in_dirt(&config, 0, &out), SGDSIM_BAD_ARGUMENT);
}

static void set_nothing(void *ctx, const sgdsim_event *event)
{
    (void)ctx;
    (void)event;
}

/* Workers of 200 operations a step take 1.2 kB each at most, whatever the links. */
TEST(a_worker_of_200_ops_takes_1200_bytes)
{
    static const sgdsim_link links[] = {
        SGDSIM_LINK_EQUAL, SGDSIM_LINK_FCFS, SGDSIM_LINK_EXCHANGE, SGDSIM_LINK_TCP
    };
    sgdsim_layer layer[40];
    sgdsim_op op[200];
    uint32_t waits[200], workers = 0;
    sgdsim_step step = {op, 200};
    sgdsim_trace trace = {&step, 1};
    sgdsim_config config = layered(&trace, &workers);
    size_t few = 0, many = 0;
    for (size_t i = 0; i < 40; i++) {
        layer[i].bytes = 1e6;
        layer[i].forward_s = layer[i].backward_s = layer[i].update_s = 0.01;
    }
    CHECK_STATUS(sgdsim_trace_layers(layer, 40, 0, op, waits), SGDSIM_OK);
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        config.links.rule = links[i];
        config.links.exchange_s = ring_s;
        workers = 24;
        CHECK_STATUS(sgdsim_run_bytes(&config, &few), SGDSIM_OK);
        workers = 1024;
        CHECK_STATUS(sgdsim_run_bytes(&config, &many), SGDSIM_OK);
        CHECK(many > few && (many - few) / 1000 <= 900);
    }
}

/* The work depends on fields that the declaration names, and on no other. (What a link adds
 * may be what another one saves.) */
TEST(the_work_depends_on_the_fields_that_are_named)
{
    static const uint32_t order[1] = {1}, sequence[12] = {0};
    static const sgdsim_tcp half = {0.5, 0.5};
    static const sgdsim_overhead parsing = {0.0, 0.0};
    static const double numbers[1] = {2.0};
    size_t plain = 0, bytes = 0;
    spoiled s;
    sgdsim_config config;
    spoiled_new(&s);
    s.workers = 4;
    sgdsim_config good = s.config;
    CHECK_STATUS(sgdsim_run_bytes(&good, &plain), SGDSIM_OK);
#define NEEDS(change, relation)                                                             \
    (config = good, (change), CHECK_STATUS(sgdsim_run_bytes(&config, &bytes), SGDSIM_OK), \
     CHECK(bytes relation plain))
    NEEDS(config.watch.on_op = set_nothing, !=);
    NEEDS(config.transfers.overhead = &parsing, !=);
    NEEDS(config.servers.count = 2, !=);
    NEEDS(config.servers.updates = SGDSIM_UPDATES_QUEUED, !=);
    NEEDS(config.servers.updates = SGDSIM_UPDATES_SHARED, !=);
    NEEDS(config.links.share = sgdsim_share_max_min, !=);
    NEEDS((config.links.rule = SGDSIM_LINK_FCFS, config.variants.fcfs_spill = 1), !=);
    NEEDS(config.links.rule = SGDSIM_LINK_TCP, >);
    NEEDS(config.links.tcp = &half, ==);
    NEEDS((config.links.rule = SGDSIM_LINK_TCP, config.links.flow_cap = 0.5), !=);
    NEEDS(config.links.worker_bandwidth_bytes_per_s = numbers, !=);
    NEEDS(config.links.delay_s = numbers, !=);
    NEEDS(config.variation.stagger_s = 1.0, !=);
    NEEDS((config.mode = SGDSIM_SYNC, config.variation.service = SGDSIM_EXPONENTIAL), ==);
    NEEDS((config.length.steps = 4000000000u, config.length.warmup = 3000), ==);
    NEEDS(config.variants.steady_window = 1, ==);
    NEEDS((config.variation.seed = 9, config.links.bandwidth_bytes_per_s = 7.0), ==);
    NEEDS(config.transfers.window_bytes = 0.1, >=);
    NEEDS((config.transfers.every_turn = 1, config.variants.reappend_at_selection = 1), ==);
    NEEDS((config.links.flow_cap = 0.5, config.variants.two_servers_unit = 1), ==);
    NEEDS((config.transfers.order = order, config.transfers.ordered = 1), ==);
    NEEDS((config.variation.sequence = sequence, config.max_events = 3), ==);
#undef NEEDS
    s.op[1][0].resource = SGDSIM_UPLINK;           /* a graph of its own, not shared  */
    CHECK_STATUS(sgdsim_run_bytes(&good, &bytes), SGDSIM_OK);
    CHECK(bytes > plain);
}

/* What shows only at the end: then the result is left alone, but for the steps that
 * ended. Two workers run three steps of three ops. */
typedef struct doomed {
    spoiled       s;
    double        end_s[6];
    sgdsim_result out, before;
} doomed;

static void doomed_new(doomed *d)
{
    memset(d, 0, sizeof *d);
    spoiled_new(&d->s);
    memset(&d->out, 0x5a, sizeof d->out);
    d->out.step_end_s = d->end_s;
    d->out.waiting = NULL;
    d->out.job_batches_per_s = NULL;
    d->before = d->out;
}

static void doomed_set(doomed *d, double compute_s)
{
    d->s.op[0][1].duration_s = d->s.op[1][1].duration_s = compute_s;
}

static void doomed_run(doomed *d, sgdsim_status status)
{
    CHECK_STATUS(run_in_dirt(&d->s.config, 0, &d->out), status);
    if (status != SGDSIM_OK) CHECK(memcmp(&d->out, &d->before, sizeof d->out) == 0);
    d->before = d->out;
}

TEST(a_run_over_its_budget_leaves_the_result_alone)
{
    doomed d;
    doomed_new(&d);
    d.s.config.max_events = 17;
    doomed_run(&d, SGDSIM_OVER_BUDGET);
    CHECK(d.end_s[0] > 0.0 && (!(d.end_s[2] > 0.0) || !(d.end_s[5] > 0.0)));
    d.s.config.max_events = 1;
    doomed_run(&d, SGDSIM_OVER_BUDGET);
    d.s.config.max_events = 18;
    doomed_run(&d, SGDSIM_OK);
    CHECK(d.out.events == 18);
}

TEST(times_past_the_largest_double_leave_the_result_alone)
{
    doomed d;
    doomed_new(&d);
    doomed_set(&d, DBL_MAX);
    doomed_run(&d, SGDSIM_BAD_ARGUMENT);
    doomed_set(&d, DBL_MAX / 4.0);                 /* 6 add up                        */
    doomed_run(&d, SGDSIM_BAD_ARGUMENT);
    doomed_set(&d, DBL_MAX / 8.0);
    doomed_run(&d, SGDSIM_OK);
    d.s.op[0][0].resource = d.s.op[1][0].resource = SGDSIM_UPLINK;
    d.s.op[0][0].bytes = d.s.op[1][0].bytes = DBL_MAX;
    d.s.config.links.bandwidth_bytes_per_s = 1e-3;
    for (size_t i = 0; i < 8; i++) {                      /* of one server, of several       */
        d.s.config.servers.count = i < 4 ? 1 : 3;
        d.s.config.links.rule = (sgdsim_link)(i % 4);
        doomed_run(&d, SGDSIM_BAD_ARGUMENT);
    }
    d.out.step_end_s = d.before.step_end_s = NULL;
    d.s.config.length.steps = UINT32_MAX;                   /* however many there are to come  */
    d.s.workers = 20;
    doomed_run(&d, SGDSIM_BAD_ARGUMENT);
}

/* However many bytes: a ring downloads in no time, and one worker alone sends nothing. */
TEST(what_a_ring_does_not_send_may_be_of_any_size)
{
    doomed d;
    for (size_t i = 0; i < 8; i++) {
        const int upload = i % 2 == 1;
        doomed_new(&d);
        d.s.config.links.rule = SGDSIM_LINK_EXCHANGE;
        d.s.config.links.exchange_s = ring_s;
        d.s.config.mode = i / 2 % 2 ? SGDSIM_SYNC : SGDSIM_ASYNC;
        d.s.config.variation.service = i / 4 ? SGDSIM_EXPONENTIAL : SGDSIM_TRACED;
        d.s.config.links.bandwidth_bytes_per_s = 0.25;
        d.s.op[0][0].bytes = d.s.op[1][0].bytes = DBL_MAX;
        if (upload) {
            d.s.op[0][0].resource = d.s.op[1][0].resource = SGDSIM_UPLINK;
            doomed_run(&d, SGDSIM_BAD_ARGUMENT);
            d.s.workers = 1;
        }
        doomed_run(&d, SGDSIM_OK);
    }
}

TEST(a_run_without_a_window_leaves_the_result_alone)
{
    doomed d;
    doomed_new(&d);
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 3; k++) d.s.op[i][k].duration_s = d.s.op[i][k].bytes = 0.0;
    doomed_run(&d, SGDSIM_NO_WINDOW);
    doomed_set(&d, 5e-324);                        /* 6 steps in 1.5e-323 s           */
    doomed_run(&d, SGDSIM_NO_WINDOW);
    doomed_set(&d, 1.0);
    doomed_run(&d, SGDSIM_OK);
    d.s.config.length.warmup = 4;                           /* the other worker's as well      */
    doomed_run(&d, SGDSIM_OK);
    d.s.config.length.warmup = 5;
    doomed_run(&d, SGDSIM_NO_WINDOW);
}

/* One worker, steps of the least normal time: their rate is a number, that of five is none. */
TEST(a_window_counts_its_own_steps)
{
    sgdsim_op op = {WORK(DBL_MIN)};
    scene s;
    SET_SCENE(&s, &op, 1);
    s.config.length.steps = 3;
    s.config.length.warmup = 2;
    play(&s);
    CHECK_REL(s.out.batches_per_s, 1.0 / DBL_MIN, 0.0);
    op.duration_s = DBL_MIN / 8.0;
    CHECK_STATUS(run_in_dirt(&s.config, 0, &s.out), SGDSIM_NO_WINDOW);
}

/* What ends at the largest double has ended: a download, and a worker's own op. */
TEST(a_run_may_end_at_the_largest_double)
{
    for (size_t i = 0; i < 8; i++) {
        const sgdsim_op op = {.resource = i % 2 ? SGDSIM_WORKER : SGDSIM_DOWNLINK,
                              .bytes = DBL_MAX, .duration_s = DBL_MAX};
        sgdsim_waiting waiting;
        scene s;
        SET_SCENE(&s, &op, 1);
        s.out = (sgdsim_result){.waiting = i / 2 % 2 ? &waiting : NULL};
        s.config.links.rule = i / 4 ? SGDSIM_LINK_FCFS : SGDSIM_LINK_EQUAL;
        play(&s);
        CHECK_REL(s.out.makespan_s, DBL_MAX, 0.0);
    }
}

static void count_op(void *ctx, const sgdsim_event *event)
{
    (void)event;
    ++*(uint64_t *)ctx;
}

/* Of 200 workers that download from 8 servers at once each server's link counts its own. */
TEST(an_event_counts_once_where_servers_are_many)
{
    sgdsim_op op[8];
    scene s;
    for (uint32_t i = 0; i < 8; i++) op[i] = (sgdsim_op){DOWN(1.0 + i), AT(i)};
    SET_SCENE(&s, op, 8);
    s.workers[0] = 200;
    s.config.servers.count = 8;
    s.config.length.steps = 3;
    s.config.max_events = 4800;
    s.out.step_end_s = NULL;
    play(&s);
    CHECK(s.out.events == 4800);
}

static void share_and_count(void *ctx, sgdsim_flow *flow, size_t flows)
{
    for (size_t i = 0; i < flows; i++) flow[i].share = 1.0 / (double)flows;
    ++*(unsigned *)ctx;
}

/* A rule that looks at 5000 flows counts as 4 events: of 4 it is not asked, of 5 once. */
TEST(a_rule_of_the_caller_is_not_asked_beyond_the_budget)
{
    const sgdsim_op op = {DOWN(1.0)};
    unsigned asked = 0;
    scene s;
    SET_SCENE(&s, &op, 1);
    s.workers[0] = 5000;
    s.out.step_end_s = NULL;
    s.config.links.share = share_and_count;
    s.config.links.share_ctx = &asked;
    for (unsigned more = 0; more < 2; more++) {
        s.config.max_events = 4 + more;
        CHECK_STATUS(run_in_dirt(&s.config, 0, &s.out), SGDSIM_OVER_BUDGET);
        CHECK(asked == more);
    }
}

/* So many workers on an FCFS link that spills, or with links of their own for TCP: an
 * event looks at all their flows, which is charged, so that max_events bounds the time
 * too. */
TEST(max_events_bounds_the_time_of_many_flows)
{
    static const double own[1] = {1.0};
    uint64_t told = 0;
    spoiled s;
    spoiled_new(&s);
    sgdsim_result out = {0};
    s.workers = 65535;
    s.config.links.rule = SGDSIM_LINK_FCFS;
    s.config.variants.fcfs_spill = 1;
    s.config.links.flow_cap = 0.375;
    s.config.watch.on_op = count_op;
    s.config.watch.ctx = &told;
    s.config.max_events = 2000;
    CHECK_STATUS(run_in_dirt(&s.config, 0, &out), SGDSIM_OVER_BUDGET);
    CHECK(told > 10 && told < 50);
    s.workers = 5000;                                /* looking is too much at once     */
    told = 0;
    s.config.max_events = 4;
    CHECK_STATUS(run_in_dirt(&s.config, 0, &out), SGDSIM_OVER_BUDGET);
    CHECK(told == 0);
    s.config.max_events = 2000;
    s.workers = 600;
    s.config.links.rule = SGDSIM_LINK_TCP;
    s.config.variants.fcfs_spill = 0;
    s.config.servers.count = 3;
    s.config.links.worker_bandwidth_bytes_per_s = own;
    CHECK_STATUS(run_in_dirt(&s.config, 0, &out), SGDSIM_OVER_BUDGET);
    CHECK(told < 20);
    s.config.links.rule = SGDSIM_LINK_EQUAL;               /* whom their links all hold back  */
    s.config.max_events = 5400;
    CHECK_STATUS(run_in_dirt(&s.config, 0, &out), SGDSIM_OVER_BUDGET);
    told = 0;
    s.config.links.worker_bandwidth_bytes_per_s = NULL;    /* no event looks at all flows     */
    CHECK_STATUS(run_in_dirt(&s.config, 0, &out), SGDSIM_OK);
    CHECK(told == 5400);
    told = 0;
    s.workers = 100;                                 /* few flows are free of charge    */
    s.config.servers.count = 2;
    s.config.max_events = 900;
    CHECK_STATUS(run_in_dirt(&s.config, 0, &out), SGDSIM_OK);
    CHECK(told == 900);
    s.config.servers.count = 3;                            /* nor is what looks at each once  */
    s.config.links.rule = SGDSIM_LINK_FCFS;
    s.config.variants.fcfs_spill = 1;
    CHECK_STATUS(run_in_dirt(&s.config, 0, &out), SGDSIM_OK);
}

/* A slow worker is warmed up only when the fast one has run out of steps. */
TEST(a_steady_window_without_steps_is_none)
{
    static const struct { int steady; uint64_t warmup; sgdsim_status status; } row[] = {
        {1, 2, SGDSIM_OK}, {1, 3, SGDSIM_NO_WINDOW},       /* ends as the window closes       */
        {1, 4, SGDSIM_NO_WINDOW}, {0, 4, SGDSIM_OK}};
    const uint32_t workers[2] = {1, 1};
    spoiled fast, slow;
    spoiled_new(&fast);
    spoiled_new(&slow);
    const sgdsim_trace trace[2] = {fast.trace, slow.trace};
    sgdsim_config config = layered(trace, workers);
    sgdsim_result out = {0};
    for (size_t k = 0; k < 2; k++) slow.op[k][1].duration_s = 100.0;
    config.workers.types = 2;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        config.variants.steady_window = row[i].steady;
        config.length.warmup = row[i].warmup;
        CHECK_STATUS(run_in_dirt(&config, 0, &out), row[i].status);
    }
}

/* A first step that takes no time is a step. */
TEST(a_first_step_without_duration_counts)
{
    static const uint32_t sequence[6] = {0, 1, 1, 0, 1, 1};
    spoiled s;
    sgdsim_result out = {0};
    spoiled_new(&s);
    for (size_t k = 0; k < 3; k++) s.op[0][k].duration_s = s.op[0][k].bytes = 0.0;
    s.config.variation.sequence = sequence;
    s.config.variants.steady_window = 1;
    s.config.links.bandwidth_bytes_per_s = 1.0;
    CHECK_STATUS(run_in_dirt(&s.config, 0, &out), SGDSIM_OK);
    CHECK_REL(out.makespan_s, 8.0, 0.0);           /* two steps: 2 down, 1, 1         */
    CHECK_REL(out.batches_per_s, 6.0 / 8.0, 0.0);
}

TEST(every_status_has_a_text_of_its_own)
{
    CHECK_TEXT(sgdsim_status_text(SGDSIM_OK), "success");
    for (int i = 0; i < (int)SGDSIM_STATUS_COUNT; i++)
        for (int k = 0; k < i; k++)
            CHECK(strcmp(sgdsim_status_text((sgdsim_status)i),
                         sgdsim_status_text((sgdsim_status)k)) != 0);
    CHECK_TEXT(sgdsim_status_text(SGDSIM_STATUS_COUNT), "no such value");
    CHECK_TEXT(sgdsim_status_text((sgdsim_status)-1), "no such value");
}

/* ---- Determinism --------------------------------------------------------- */

/* The same bits again, in another work area, with outputs and calls back or without. */
TEST(the_same_run_gives_the_same_bits)
{
    dice d = {24, 0};
    for (size_t i = 0; i < 500; i++) {
        small s;
        sgdsim_result bare = {0};
        small_new(&d, &s);
        outcome a = run_all(&s.config);
        outcome b = run_all(&s.config);
        size_t steps = a.workers * (size_t)s.config.length.steps;
        CHECK(a.status == b.status && run_in_dirt(&s.config, 0x7f, &bare) == a.status);
        CHECK(memcmp(a.out.step_end_s, b.out.step_end_s, steps * sizeof(double)) == 0);
        CHECK(memcmp(a.out.waiting, b.out.waiting, a.workers * sizeof *a.out.waiting) == 0);
        CHECK(a.events == b.events);
        bare.step_end_s = a.out.step_end_s;
        bare.waiting = a.out.waiting;
        CHECK(memcmp(&bare, &a.out, sizeof bare) == 0);
        outcome_free(&a);
        outcome_free(&b);
    }
}

/* A second step that ends within rounding behind the last of all first ones: too late. */
TEST(a_window_of_several_jobs_ends_with_the_last_first_step)
{
    static const uint32_t job[3] = {0, 0, 1};
    const sgdsim_op op[3] = {{WORK(0.5 + 1e-13)}, {WORK(1.0)}, {WORK(0.25)}};
    double rate[2];
    scene s;
    SET_SCENE(&s, op, 1, 1, 1);
    s.config.workers.job = job;
    s.out.job_batches_per_s = rate;
    play(&s);
    CHECK_REL(rate[0], 2.0, 1e-12);
    CHECK_REL(rate[1], 4.0, 1e-9);
}

/* ---- Ties ------------------------------------------------------------------------ */

/* Ops that end together are told in the order in which they entered service, unless rounding
 * decides. If ops wait in line, a worker may have several in a row. */
static void law_ties(const small *s, const outcome *o, size_t *ties, size_t *turned)
{
    if (s->config.transfers.window_bytes > 0.0 || s->config.links.rule == SGDSIM_LINK_FCFS
        || s->config.servers.updates == SGDSIM_UPDATES_QUEUED)
        return;
    for (size_t i = 1; i < o->events; i++) {
        const sgdsim_event *e = o->event + i, *before = e - 1;
        CHECK(e->end_s >= before->end_s);
        if (e->end_s > before->end_s) continue;
        *ties += 1;
        *turned += e->start_s < before->start_s;
    }
}

/* Times that are small integers, so that chunks of several workers end together: whoever
 * runs ahead by itself then comes to ties, which are to be broken as with calls back. */
TEST(ties_are_broken_alike_with_calls_back_or_without)
{
    dice d = {27, 0};
    size_t ties = 0, turned = 0;
    for (size_t i = 0; i < TEST_SIZE(1000, 8000); i++) {
        small s;
        double end_s[18 * 4];
        sgdsim_waiting waiting[18];
        const size_t kinds = 2 + below(&d, 3);
        const int many = chance(&d, 20);           /* more servers than bits in a word */
        small_new(&d, &s);
        if (many) s.config.servers.count = 11;
        if (i % 2) small_jobs(&d, &s);
        s.config.workers.job = NULL;               /* one might go on for ever        */
        s.config.variation.service = SGDSIM_TRACED;
        s.config.variation.sequence = NULL;
        for (size_t t = 0; t < s.config.workers.types; t++) {
            s.workers[t] = (uint32_t)(1 + below(&d, 6));
            for (size_t p = 0; p < s.trace[t].steps; p++)
                for (size_t k = 0; k < s.step[t][p].ops; k++) {
                    const double amount = (double)below(&d, kinds);
                    if (many) s.op[t][p][k].server = (uint32_t)(9 + below(&d, 2));
                    s.op[t][p][k].duration_s = amount;
                    s.op[t][p][k].bytes = amount * s.config.links.bandwidth_bytes_per_s;
                }
        }
        outcome a = run_all(&s.config);
        law_ties(&s, &a, &ties, &turned);
        sgdsim_result bare = {.step_end_s = end_s, .waiting = i % 2 ? waiting : NULL};
        CHECK(run_in_dirt(&s.config, 0x7f, &bare) == a.status);
        CHECK(memcmp(end_s, a.out.step_end_s, a.workers * s.config.length.steps * sizeof *end_s)
              == 0
              || a.status != SGDSIM_OK);
        CHECK(i % 2 == 0 || a.status != SGDSIM_OK
              || memcmp(waiting, a.out.waiting, a.workers * sizeof *waiting) == 0);
        bare.step_end_s = a.out.step_end_s;
        bare.waiting = a.out.waiting;
        CHECK(a.status != SGDSIM_OK || memcmp(&bare, &a.out, sizeof bare) == 0);
        if (test_failures > 0) small_print(&s, i);
        outcome_free(&a);
        if (test_failures > 0) return;
    }
    CHECK(ties > 1000 && turned <= ties / 4000);
    printf("    %lu ties, %lu of them turned by rounding\n", (unsigned long)ties,
           (unsigned long)turned);
}

/* A scene, watched and not: when its steps end. */
static void ends_of_ties(scene *s, sgdsim_link link, const double *want_s)
{
    s->config.links.rule = link;
    for (size_t i = 0; i < 2; i++) {
        s->config.watch.on_op = i == 0 ? set_nothing : NULL;
        play(s);
        ends_are(s->end_s, want_s, s->config.workers.types, 0.0);
    }
}

/* At 1 s the first worker's download ends, and an empty one behind it begins. The second
 * worker's, empty too, has had an earlier turn, but waits for the link; so its computation,
 * which began before the empty one, ends before both, and the download behind it lines up
 * on a link that the worker keeps: the third worker's comes last. */
TEST(what_waited_for_the_link_ends_behind_what_did_not)
{
    static const double want_s[3] = {1.0, 2.0, 3.0};
    const sgdsim_op op[7] = {
        {DOWN(1.0)}, {DOWN(0.0), AFTER(0)},
        {DOWN(0.0)}, {WORK(0.5)}, {WORK(0.5), AFTER(1)}, {DOWN(1.0), AFTER(2)},
        {DOWN(1.0)}};
    const sgdsim_op whole[6] = {
        {DOWN(1.0)}, {DOWN(0.0), AFTER(0)},
        {DOWN(0.0)}, {WORK(1.0)}, {DOWN(1.0), AFTER(1)},   /* without a part of its own       */
        {DOWN(1.0)}};
    scene s;
    SET_SCENE(&s, op, 2, 4, 1);
    ends_of_ties(&s, SGDSIM_LINK_FCFS, want_s);
    SET_SCENE(&s, whole, 2, 3, 1);
    ends_of_ties(&s, SGDSIM_LINK_FCFS, want_s);
}

/* At 4 s end an update of the first worker that began at 1 s and its upload, which began
 * at 3 s: the upload behind the update lines up on a link that the worker keeps.
 * Before both another computation, from 3 s to 3.5 s, nobody had to know of. */
TEST(an_update_ends_before_an_upload_that_began_later)
{
    static const double want_s[2] = {5.0, 6.0};
    const sgdsim_op op[10] = {
        {UPDATE(1.0)}, {UPDATE(3.0), AFTER(0)}, {WORK(2.0)}, {DOWN(1.0), AFTER(2)},
        {DOWN(1.0), AFTER(2)}, {UP(1.0), AFTER(3)}, {WORK(0.5), AFTER(3)}, {UP(1.0), AFTER(1)},
        {WORK(3.25)}, {UP(1.0), AFTER(0)}};
    scene s;
    SET_SCENE(&s, op, 8, 2);
    ends_of_ties(&s, SGDSIM_LINK_FCFS, want_s);
}

/* At 2 s end a computation, and a download that began behind it: so 3 s of the worker line
 * up before 1 s, and are over at 5 s and 6 s. An upload has the link until 10 s; those
 * behind the two follow, until 15 s and 16 s, and 7 s behind the first of them. */
TEST(a_computation_ends_before_a_download_that_began_later)
{
    static const double want_s[1] = {22.0};
    const sgdsim_op op[8] = {
        {WORK(2.0)}, {DOWN(2.0)}, {UP(10.0)}, {WORK(3.0), AFTER(0)}, {WORK(1.0), AFTER(1)},
        {UP(5.0), AFTER(3)}, {UP(1.0), AFTER(4)}, {WORK(7.0), AFTER(5)}};
    scene s;
    SET_SCENE(&s, op, 8);
    ends_of_ties(&s, SGDSIM_LINK_EQUAL, want_s);
}

/* The second download begins at 1 s, an upload at 2 s; both end at 3 s, the download first:
 * 3 s of the worker are behind it, 1 s behind the upload, and an upload of 4 s from 6 s. */
TEST(a_second_download_ends_before_an_upload_that_began_later)
{
    static const double want_s[1] = {10.0};
    const sgdsim_op op[7] = {
        {DOWN(1.0)}, {DOWN(2.0)}, {WORK(2.0)}, {UP(1.0), AFTER(2)}, {WORK(3.0), AFTER(1)},
        {WORK(1.0), AFTER(3)}, {UP(4.0), AFTER(4)}};
    scene s;
    SET_SCENE(&s, op, 7);
    ends_of_ties(&s, SGDSIM_LINK_EQUAL, want_s);
}

/* At 4 s end the work of the first worker since 1 s, which nobody had to know of, and that of
 * the second since 2 s, when its download has ended: so the first uploads first. */
TEST(work_that_began_unseen_ends_before_what_began_later)
{
    static const double want_s[2] = {5.0, 6.0}, turned_s[2] = {6.0, 5.0};
    const sgdsim_op op[9] = {
        {WORK(1.0)}, {WORK(3.0), AFTER(0)}, {UP(1.0), AFTER(1)},
        {DOWN(2.0)}, {WORK(2.0), AFTER(0)}, {UP(1.0), AFTER(1)},
        {WORK(1.0)}, {WORK(3.0), AFTER(0)}, {UP(1.0), AFTER(1)}};
    scene s;
    SET_SCENE(&s, op, 3, 3);
    ends_of_ties(&s, SGDSIM_LINK_FCFS, want_s);
    SET_SCENE(&s, op + 3, 3, 3);
    ends_of_ties(&s, SGDSIM_LINK_FCFS, turned_s);
}

/* At 4 s end the work of the second worker since 1 s, which nobody had to know of, and the
 * download of the third since 2 s: so the second uploads first. The first worker has had
 * the same link before both. */
TEST(work_that_began_unseen_ends_before_a_download_that_began_later)
{
    static const double want_s[3] = {0.5, 5.0, 6.0};
    const sgdsim_op op[7] = {
        {DOWN(0.5)},
        {WORK(1.0)}, {WORK(3.0), AFTER(0)}, {UP(1.0), AFTER(1)},
        {WORK(2.0)}, {DOWN(2.0), AFTER(0)}, {UP(1.0), AFTER(1)}};
    scene s;
    SET_SCENE(&s, op, 1, 3, 3);
    ends_of_ties(&s, SGDSIM_LINK_FCFS, want_s);
}

/* An upload ends before the worker's own op, the last of its step. */
TEST(a_step_may_end_with_what_a_worker_does_by_itself)
{
    const sgdsim_op op[2] = {{UP(1.0)}, {WORK(2.0)}};
    scene s;
    SET_SCENE(&s, op, 2);
    s.config.length.steps = 3;
    play(&s);
    CHECK_REL(s.out.makespan_s, 6.0, 0.0);
}

/* Twelve servers, the tenth and the eleventh with FCFS links in use: a worker busy at one
 * comes to the other as its own second is over, before one that comes at 1.5 s. */
TEST(a_worker_of_many_servers_comes_to_each_in_time)
{
    static const double want_s[2] = {10.0, 12.0};
    const sgdsim_op op[5] = {{DOWN(10.0), AT(10)}, {WORK(1.0)}, {DOWN(1.0), AT(11), AFTER(1)},
                             {WORK(1.5)}, {DOWN(10.0), AT(11), AFTER(0)}};
    scene s;
    SET_SCENE(&s, op, 3, 2);
    s.config.servers.count = 12;
    s.config.links.rule = SGDSIM_LINK_FCFS;
    play(&s);
    ends_are(s.end_s, want_s, 2, 0.0);
}

/* Ten servers, updates at the last: a worker that has been there, and downloads 10 s from
 * the first, comes back as its own 2 s are over, before one that comes at 2.5 s. */
TEST(a_worker_comes_back_to_the_tenth_server_in_time)
{
    static const double want_s[2] = {10.0, 13.0};
    const sgdsim_op op[6] = {
        {UPDATE(1.0), AT(9)}, {DOWN(10.0)}, {WORK(2.0)}, {UPDATE(1.0), AT(9), AFTER(2)},
        {WORK(2.5)}, {UPDATE(10.0), AT(9), AFTER(0)}};
    scene s;
    SET_SCENE(&s, op, 4, 2);
    s.config.servers.count = 10;
    for (int shared = 0; shared < 2; shared++) {
        s.config.servers.updates = shared ? SGDSIM_UPDATES_SHARED : SGDSIM_UPDATES_QUEUED;
        play(&s);
        ends_are(s.end_s, want_s, 2, 0.0);
    }
}

/* FNV-1a of the bits of doubles, goes on from `hash`. */
static uint64_t hash_doubles(uint64_t hash, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        for (int shift = 0; shift < 64; shift += 8)
            hash = (hash ^ (bits >> shift & 0xff)) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* The bits of all step ends, waits and events of random runs, as gcc and clang found them
 * with and without optimization. Those that need no exp, log or pow of a library. */
TEST(same_bits_everywhere)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    dice d = {25, 0};
    size_t compared = 0;
    for (size_t i = 0; i < 500; i++) {
        small s;
        small_new(&d, &s);
        if (s.config.variation.service == SGDSIM_EXPONENTIAL
            || s.config.links.rule == SGDSIM_LINK_TCP) continue;
        outcome o = run_all(&s.config);
        if (o.status == SGDSIM_OK) {
            compared++;
            hash = hash_doubles(hash, o.out.step_end_s, o.workers * (size_t)s.config.length.steps);
            for (size_t k = 0; k < o.workers; k++)
                hash = hash_doubles(hash, &o.out.waiting[k].computing_s, 1);
            for (size_t k = 0; k < o.events; k++)
                hash = hash_doubles(hash, &o.event[k].start_s, 1);
        }
        outcome_free(&o);
    }
    CHECK(compared > 200);
    CHECK(hash == UINT64_C(0xc70dc8abaf78b029));
    if (test_failures > 0) printf("    hash 0x%016llx\n", (unsigned long long)hash);
}

/* The first outputs of SplitMix64 as published, and that each number matters. */
TEST(random_numbers_are_those_of_splitmix64)
{
    double sum = 0.0;
    const uint64_t zero = UINT64_C(0xe220a8397b1dcdaf);
    CHECK(sgdsim_random(0, zero, zero, zero) == zero);
    CHECK(sgdsim_random(0, 1, 0, 0) != sgdsim_random(0, 0, 1, 0));
    CHECK(sgdsim_random(0, 0, 1, 0) != sgdsim_random(0, 0, 0, 1));
    CHECK(sgdsim_random(1, 0, 0, 0) != sgdsim_random(2, 0, 0, 0));
    for (uint64_t i = 0; i < 10000; i++) sum += oracle_uniform(sgdsim_random(1, 2, i, 0));
    CHECK_REL(sum / 10000.0, 0.5, 0.02);
}

/* ---- Rare ways ------------------------------------------------------------- */

/* Downloads of a copy wait for their own server, by hand; one whose server does nothing for
 * none, and one that waits for a worker for nothing else. */
TEST(copies_wait_for_their_own_server_by_hand)
{
    const sgdsim_op op[9] = {
        {DOWN(1.0)}, {DOWN(1.0), AT(2)}, {WORK(1.0), AFTER(0, 1)}, {DOWN(1.0), AT(1), AFTER(2)},
        {WORK(1.0), AFTER(3)}, {UP(1.0), AFTER(4)}, {UPDATE(1.0), AFTER(5)},
        {UP(1.0), AT(1), AFTER(4)}, {UPDATE(1.0), AT(1), AFTER(7)}};
    sgdsim_op out[18];
    uint32_t waits[2 * (9 + 10)];
    CHECK_STATUS(sgdsim_trace_chain(&(sgdsim_step){op, 9}, 2, out, waits), SGDSIM_OK);
    CHECK(out[9].waits == 1 && out[9].waits_for[0] == 6);
    CHECK(out[10].waits == 0);
    CHECK(out[12].waits == 1 && out[12].waits_for[0] == 11);
    CHECK(out[11].waits >= 2 && out[11].waits_for[0] == 9 && out[11].waits_for[1] == 10);
}

/* Pieces of an op for many servers are more than a step holds; nothing to write to. */
TEST(splits_that_are_too_many_are_refused)
{
    enum { SERVERS = 21846 };
    static const double half[2] = {0.5, 0.5};
    static const sgdsim_layer layer = {1e6, 0.5, 0.75, 0.125};
    sgdsim_op op[5], *out = (sgdsim_op *)get_memory(65535, sizeof *out);
    double *share = (double *)get_memory(SERVERS, sizeof *share);
    uint32_t own[5], waits[10];
    size_t first[6], i;
    for (i = 0; i < SERVERS; i++) share[i] = 1.0 / SERVERS;
    CHECK_STATUS(sgdsim_trace_layers(&layer, 1, 0, op, own), SGDSIM_OK);
    CHECK_STATUS(sgdsim_trace_split(&(sgdsim_step){op, 5}, share, SERVERS, out, waits, first),
                 SGDSIM_TOO_LARGE);
    CHECK_STATUS(sgdsim_trace_split(&(sgdsim_step){NULL, 5}, half, 2, out, waits, first),
                 SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_split(&(sgdsim_step){op, 5}, half, 2, out, NULL, first),
                 SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_split(&(sgdsim_step){op, 5}, half, 2, out, waits, NULL),
                 SGDSIM_BAD_ARGUMENT);
    free(share);
    free(out);
}

/* Every sum of a profile past the largest double; an uplink that also waits for a download. */
TEST(profiles_past_the_largest_double_are_refused)
{
    const sgdsim_op row[3][2] = {{{UPDATE(DBL_MAX)}, {UPDATE(DBL_MAX)}},
                                 {{UP(DBL_MAX)}, {UP(DBL_MAX)}},
                                 {{DOWN(DBL_MAX)}, {DOWN(DBL_MAX)}}};
    const sgdsim_op op[4] = {{DOWN(0.0)}, {WORK(3.0)}, {WORK(5.0)}, {UP(0.0), AFTER(0, 2)}};
    sgdsim_step step;
    const sgdsim_trace trace = {&step, 1};
    sgdsim_layer layer[2] = {{DBL_MAX, 1.0, 1.0, 1.0}, {DBL_MAX, 1.0, 1.0, 1.0}};
    sgdsim_op of[10];
    uint32_t waits[10], own[4];
    sgdsim_means m = {77.0, 77.0, 77.0, 77.0, 77.0};
    size_t closing[2] = {77, 77}, buckets = 77;
    for (size_t i = 0; i < 3; i++) {
        step = (sgdsim_step){row[i], 2};
        CHECK_STATUS(sgdsim_trace_means(&trace, &m), SGDSIM_BAD_ARGUMENT);
        CHECK_REL(m.update_s, 77.0, 0.0);
    }
    step = (sgdsim_step){op, 4};
    CHECK_STATUS(sgdsim_trace_means(&trace, &m), SGDSIM_OK);
    CHECK_REL(m.forward_s, 3.0, 0.0);
    CHECK_REL(m.backward_s, 5.0, 0.0);
    CHECK_STATUS(sgdsim_trace_layers(layer, 2, 0, of, waits), SGDSIM_OK);
    GATHER(layer, 2, DBL_MAX, of, own, SGDSIM_OK);          /* one each: the first is full      */
    CHECK(buckets == 2 && closing[0] == 1 && closing[1] == 0);
}

/* The second bucket alone is too large: nothing is written. */
TEST(buckets_past_the_largest_double_are_refused)
{
    static const sgdsim_layer layer[3] = {
        {1.7e308, 1.0, 1.0, 1.0}, {1.7e308, 1.0, 1.0, 1.0}, {2e6, 1.0, 1.0, 1.0}};
    sgdsim_op op[15];
    uint32_t waits[15], own[6];
    size_t closing[3] = {77, 77, 77}, buckets = 77;
    CHECK_STATUS(sgdsim_trace_layers(layer, 3, 0, op, waits), SGDSIM_OK);
    GATHER(layer, 3, DBL_MAX, op, own, SGDSIM_BAD_ARGUMENT);
    CHECK(buckets == 77 && closing[0] == 77);
}

/* More workers than 32 bits count, a step without ops, ids of ops past the rest. */
TEST(runs_of_too_many_workers_are_refused)
{
    static const uint32_t many[2] = {UINT32_MAX, 1};
    spoiled s;
    sgdsim_trace both[2];
    spoiled_new(&s);
    both[0] = both[1] = s.trace;
    sgdsim_config config = layered(both, many);
    config.workers.types = 2;
    config_refused(&config, SGDSIM_TOO_LARGE, __LINE__);
    config.workers.types = 1;
    s.step[1].ops = 0;
    config_refused(&config, SGDSIM_BAD_TRACE, __LINE__);
}

static void nobody(void *ctx, const sgdsim_event *event)
{
    (void)event;
    ++*(size_t *)ctx;
}

/* Ops that wait for all before them: their check takes more memory than a run of one. */
TEST(a_dense_step_runs_in_the_work_that_its_check_takes)
{
    enum { N = 200 };
    static uint32_t before[N];
    static sgdsim_op op[N];
    size_t run = 0, check = 0;
    scene s;
    for (size_t i = 0; i < N; i++) {
        before[i] = (uint32_t)i;
        op[i] = (sgdsim_op){WORK(1.0), .waits_for = before, .waits = i};
    }
    SET_SCENE(&s, op, N);
    s.config.length.steps = 2;
    CHECK_STATUS(sgdsim_trace_check_bytes(s.trace, &check), SGDSIM_OK);
    CHECK_STATUS(sgdsim_run_bytes(&s.config, &run), SGDSIM_OK);
    CHECK(run == check);
    play(&s);
    CHECK_REL(s.out.makespan_s, 2.0 * N, 0.0);
}

/* More workers than a cache holds, whose steps differ or are all the same: as by the closed
 * form, and the same bits whether a run is watched, which takes another loop, or not. */
TEST(runs_of_hundreds_of_workers_are_the_same_when_watched)
{
    enum { MANY = 300, KINDS = 4 };
    static const sgdsim_link link[2] = {SGDSIM_LINK_EQUAL, SGDSIM_LINK_TCP};
    const uint32_t workers = MANY;
    sgdsim_layer layer = {1e6, 0.5, 0.75, 0.0};
    sgdsim_op op[KINDS][5];
    uint32_t waits[KINDS][5];
    sgdsim_step step[KINDS];
    sgdsim_trace trace = {step, KINDS};
    sgdsim_config config = layered(&trace, &workers);
    size_t told;
    for (size_t i = 0; i < 6; i++) {
        sgdsim_result out[2];
        const int equal = i >= 4;
        for (size_t k = 0; k < KINDS; k++) {
            layer.forward_s = 0.5 + (equal ? 0.0 : (double)(k * k));
            CHECK_STATUS(sgdsim_trace_layers(&layer, 1, 0, op[k], waits[k]), SGDSIM_OK);
            step[k].op = op[k];
            step[k].ops = 5;
        }
        config.links.rule = link[i % 2];
        config.variation.stagger_s = i == 0 ? 0.2 : 0.0;
        config.mode = equal ? SGDSIM_SYNC : SGDSIM_ASYNC;
        config.variation.service = i == 2 || i == 3 ? SGDSIM_EXPONENTIAL : SGDSIM_TRACED;
        memset(out, 0, sizeof out);
        told = 0;
        for (size_t k = 0; k < 2; k++) {
            config.watch.on_op = k > 0 ? nobody : NULL;
            config.watch.ctx = &told;
            CHECK_STATUS(run_in_dirt(&config, 0, &out[k]), SGDSIM_OK);
        }
        CHECK(told == 3 * 5 * MANY && out[0].events == out[1].events);
        CHECK_REL(out[0].batches_per_s, out[1].batches_per_s, 0.0);
        if (equal && config.links.rule == SGDSIM_LINK_EQUAL)
            CHECK_REL(out[0].batches_per_s, MANY / (2.0 * MANY + 0.5 + 0.75), 1e-9);
    }
}

TEST_MAIN("test_sim");
