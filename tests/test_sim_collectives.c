/* Simulated steps of data-parallel training against the analytic ones of sgdperf.h, and
 * what no formula knows: several streams, jobs and workers that vary. */
#include "../sgdperf_parallel.h"
#include "../sgdperf_sim.h"

#include <math.h>

#include "chance.h"
#include "oracle_groups.h"
#include "ring.h"
#include "test.h"

enum { MOST = 200, MOST_OPS = 5 * MOST + 4, MOST_STEPS = 64, MOST_WORKERS = 4096 };

/* ---- A job ------------------------------------------------------------------------- */

static sgdsim_layer layer[MOST];
static sgdpar_tensor tensor[MOST];
static sgdpar_unit unit[MOST];
static sgdsim_op op[MOST_STEPS][MOST_OPS];
static uint32_t waits[8 * MOST + 4];
static const sgdsim_draft into = {op[0], waits, NULL};
static double step_end_s[1000];
static sgdsim_waiting waiting[MOST_WORKERS];
static char *work;
static size_t work_bytes;

static sgdsim_status run_groups(const sgdsim_group *group, size_t groups,
                                sgdsim_group_result *out)
{
    size_t bytes = 0;
    const sgdsim_status status = sgdsim_run_groups_bytes(group, groups, &bytes);
    if (status != SGDSIM_OK) return status;
    if (bytes > work_bytes) {
        free(work);
        work = (char *)malloc(bytes);
        work_bytes = bytes;
    }
    return sgdsim_run_groups(group, groups, work, bytes, out);
}

static void random_layers(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        layer[i].bytes = floor(random_below(random_below(1.0) < 0.2 ? 4e7 : 2e6)) + 1.0;
        layer[i].forward_s = random_below(0.004);
        layer[i].backward_s = random_below(1.0) < 0.3 ? 0.0 : random_below(0.01);
        layer[i].update_s = random_below(0.001);
        tensor[i].bytes = (uint64_t)layer[i].bytes;
        tensor[i].backward_s = layer[i].backward_s;
        unit[i].bytes = layer[i].bytes;
        unit[i].forward_s = layer[i].forward_s;
        unit[i].backward_s = layer[i].backward_s;
    }
}

/* A ring on such machines, for both. */
static sgdpar_topology machines;
static sgdpar_protocol ways[3];

/* sgdsim_cost_of; an uplink reduces, unless gradients are scattered. */
static int scatters;

static int ring_cost(void *ctx, sgdsim_resource what, double bytes, sgdsim_cost *cost)
{
    const sgdpar_collective how = what == SGDSIM_DOWNLINK ? SGDPAR_COLLECTIVE_ALL_GATHER
        : scatters ? SGDPAR_COLLECTIVE_REDUCE_SCATTER : SGDPAR_COLLECTIVE_ALL_REDUCE;
    const sgdpar_network on = {.topology = machines, .protocol = ways, .protocols = 3};
    sgdpar_link_times t;
    (void)ctx;
    if (sgdpar_collective_links(how, &on, bytes, &t) != SGDPAR_OK) return 0;
    cost->alone_s = t.alone_s;
    for (size_t l = 0; l < SGDSIM_LEVELS; l++) {
        cost->latency_s[l] = t.latency_s[l];
        cost->busy_s[l] = t.busy_s[l];
        cost->share[l] = t.share[l];
    }
    return 1;
}

static void random_machines(sgdpar_replica *r)
{
    const int split = random_below(1.0) < 0.5;
    memset(r, 0, sizeof *r);
    memset(ways, 0, sizeof ways);
    memset(&machines, 0, sizeof machines);
    machines.machines = 1 + (uint32_t)random_below(40.0);
    machines.gpus = 1 + (uint32_t)random_below(9.0);
    machines.latency_s = random_below(1.0) < 0.2 ? 0.0 : random_below(1e-4);
    machines.local_latency_s = random_below(2e-5);
    machines.bandwidth_bytes_per_s = 1e8 + random_below(5e9);
    machines.local_bandwidth_bytes_per_s = 1e9 + random_below(3e10);
    scatters = 0;
    r->network.topology = machines;
    ways[1].collective = SGDPAR_COLLECTIVE_REDUCE_SCATTER;
    ways[2].collective = SGDPAR_COLLECTIVE_ALL_GATHER;
    for (size_t i = 0; i < 3; i++) ways[i].form = split ? SGDPAR_FORM_SPLIT : SGDPAR_FORM_FLAT;
    r->network.protocol = ways;
    r->network.protocols = 3;
}

static sgdsim_step steps[MOST_STEPS];
static sgdsim_trace trace;
static uint32_t workers;

static sgdsim_group a_group(size_t ops)
{
    steps[0].op = op[0];
    steps[0].ops = ops;
    trace.step = steps;
    trace.steps = 1;
    workers = machines.machines * machines.gpus;
    return (sgdsim_group){.workers.types = 1, .workers.trace = &trace, .workers.count = &workers,
                          .cost = ring_cost, .length.steps = 3};
}

static double analytic_s(const sgdpar_replica *r, sgdpar_replica_step *step)
{
    static double memory[12500];
    CHECK_STATUS(sgdpar_replica_time(r, memory, sizeof memory, step), SGDPAR_OK);
    return step->step_s;
}

/* ---- Against the analytic step ----------------------------------------------------- */

static void check_ring_with_buckets(sgdpar_sharding sharding)
{
    for (int i = 0; i < TEST_SIZE(150, 3000); i++) {
        const size_t n = 1 + (size_t)random_below(60.0);
        sgdpar_replica r;
        sgdpar_replica_step want;
        sgdsim_tensors model;
        size_t ops = 0;
        random_layers(n);
        random_machines(&r);
        scatters = sharding == SGDPAR_SHARDING_OPTIMIZER;
        r.sharding = sharding;
        r.layers.tensor = tensor;
        r.layers.tensors = n;
        r.compute.forward_s = random_below(0.1);
        r.compute.tail_s = random_below(0.01);
        r.compute.update_s = random_below(0.01);
        r.buckets.cap_bytes = 1 + (uint64_t)random_below(3e7);
        r.buckets.first_bytes = random_below(1.0) < 0.5 ? 0 : 1 + (uint64_t)random_below(2e6);
        model = (sgdsim_tensors){layer, n, r.compute.forward_s, r.compute.tail_s,
                                 r.compute.update_s, scatters};
        if (scatters) model.update_s /= machines.machines * machines.gpus;
        CHECK_STATUS(sgdsim_trace_tensors(&model, &into, &ops), SGDSIM_OK);
        sgdsim_group g = a_group(ops);
        g.gathers = scatters;
        g.bucket_bytes = (double)r.buckets.cap_bytes;
        g.first_bucket_bytes = (double)r.buckets.first_bytes;
        sgdsim_group_result out = {.step_end_s = step_end_s, .waiting = waiting};
        CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_OK);
        CHECK_REL(step_end_s[0], analytic_s(&r, &want), 1e-12);
        CHECK_REL(out.makespan_s, 3.0 * want.step_s, 1e-12);
        CHECK_REL(out.batches_per_s, workers / want.step_s, 1e-12);
        CHECK_REL(out.exchange_s + 1.0, want.exchange_s + 1.0, 1e-12);
        CHECK(workers == 1 || out.collectives == want.exchanges);
        CHECK_REL(waiting[workers - 1].computing_s, 3.0 * want.compute_s, 1e-9);
        CHECK(waiting[0].barrier_s <= 1e-9 * want.step_s);
        CHECK_REL(out.utilization[SGDSIM_WORKER] * want.step_s, want.compute_s, 1e-9);
    }
}

TEST(a_ring_with_buckets_takes_the_analytic_step) { check_ring_with_buckets(SGDPAR_SHARDING_NONE); }

TEST(zero_1_takes_the_analytic_step) { check_ring_with_buckets(SGDPAR_SHARDING_OPTIMIZER); }

TEST(sharded_units_take_the_analytic_step)
{
    for (int i = 0; i < TEST_SIZE(150, 3000); i++) {
        const size_t n = 1 + (size_t)random_below(40.0);
        const double gathered = random_below(1.0) < 0.5 ? 0.0 : 0.5 + random_below(2.0);
        sgdpar_replica r;
        sgdpar_replica_step want;
        random_layers(n);
        random_machines(&r);
        scatters = 1;
        r.sharding = SGDPAR_SHARDING_ALL;
        r.layers.unit = unit;
        r.layers.units = n;
        r.layers.gathered = gathered;
        r.schedule.prefetch = (uint32_t)random_below(5.0);
        for (size_t k = 0; k < n; k++)
            r.compute.update_s += layer[k].update_s * machines.machines * machines.gpus;
        CHECK_STATUS(sgdsim_trace_units(layer, n, r.schedule.prefetch, gathered, op[0], waits),
                     SGDSIM_OK);
        sgdsim_group g = a_group(5 * n + 1);
        g.gathers = 1;
        sgdsim_group_result out = {.step_end_s = step_end_s};
        CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_OK);
        CHECK_REL(step_end_s[0], analytic_s(&r, &want), 1e-12);
        CHECK_REL(step_end_s[2], 3.0 * want.step_s, 1e-12);
        CHECK(out.collectives == 3 * n);
    }
}

/* ---- Several micro-batches ----------------------------------------------------------- */

enum { MOST_PASSES = 5 };
static sgdsim_op passes_op[MOST_PASSES * (5 * MOST + 2) + 5 * MOST + 1];
static uint32_t passes_waits[MOST_PASSES * (20 * MOST + 4)];
static const sgdsim_draft passes_into = {passes_op, passes_waits, NULL};

static void check_micro_batches(sgdpar_sharding sharding)
{
    const int sharded = sharding == SGDPAR_SHARDING_ALL;
    for (int trial = 0; trial < TEST_SIZE(100, 1000); trial++) {
        const size_t n = 1 + (size_t)random_below(30.0);
        const uint32_t passes = 1 + (uint32_t)random_below(MOST_PASSES);
        size_t ops = 5 * n + 1, k;
        sgdpar_replica_step want;
        sgdsim_tensors model;
        sgdpar_replica r;
        random_layers(n);
        random_machines(&r);
        scatters = sharding != SGDPAR_SHARDING_NONE;
        r.sharding = sharding;
        r.layers.unit = unit;
        r.layers.tensor = tensor;
        r.layers.units = r.layers.tensors = n;
        r.compute.forward_s = 0.02;
        r.compute.tail_s = 0.003;
        r.buckets.cap_bytes = 4000000;
        r.schedule.accumulate = passes;
        r.schedule.prefetch = (uint32_t)random_below(4.0);
        for (k = 0; k < n && sharded; k++)
            r.compute.update_s += layer[k].update_s * machines.machines * machines.gpus;
        model = (sgdsim_tensors){layer, n, r.compute.forward_s, r.compute.tail_s, 0.0, scatters};
        if (sharded)
            CHECK_STATUS(sgdsim_trace_units(layer, n, r.schedule.prefetch, 1.0, op[0], waits),
                         SGDSIM_OK);
        else
            CHECK_STATUS(sgdsim_trace_tensors(&model, &into, &ops), SGDSIM_OK);
        sgdsim_step one = {.op = op[0], .ops = ops};
        CHECK_STATUS(sgdsim_trace_accumulate(&one, sharded ? 5 * n : 2 * n + 2, passes, sharded,
                                             &passes_into, &ops), SGDSIM_OK);
        sgdsim_group g = a_group(ops);
        steps[0].op = passes_op;
        steps[0].ops = ops;
        g.gathers = scatters;
        g.bucket_bytes = sharded ? 0.0 : 4e6;
        sgdsim_group_result out = {.step_end_s = step_end_s};
        CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_OK);
        CHECK_REL(step_end_s[0], analytic_s(&r, &want), 1e-12);
        CHECK_REL(step_end_s[2], 3.0 * want.step_s, 1e-12);
    }
}

TEST(micro_batches_take_the_analytic_step)
{
    check_micro_batches(SGDPAR_SHARDING_NONE);
    check_micro_batches(SGDPAR_SHARDING_OPTIMIZER);
    check_micro_batches(SGDPAR_SHARDING_ALL);
}

/* A pass of three ops and one behind it: with barriers 65,532 ops are 16,383 passes. */
TEST(as_many_micro_batches_as_fit_are_written)
{
    static uint32_t before[3] = { 0, 1, 2 };
    sgdsim_op four[4], *out = (sgdsim_op *)malloc(65532 * sizeof *out);
    uint32_t *of = (uint32_t *)malloc(16383 * 9 * sizeof *of);
    const sgdsim_step step = { four, 4 };
    size_t ops = 7;
    memset(four, 0, sizeof four);
    for (size_t i = 0; i < 4; i++) {
        four[i].resource = i % 2 ? SGDSIM_UPLINK : SGDSIM_WORKER;
        four[i].waits_for = i > 0 ? before + i - 1 : NULL;
        four[i].waits = i > 0;
    }
    if (!out || !of) abort();
    CHECK_STATUS(sgdsim_trace_accumulate(&step, 3, 16384, 1, &(sgdsim_draft){out, of, NULL}, &ops),
                 SGDSIM_TOO_LARGE);
    CHECK(ops == 7);
    CHECK_STATUS(sgdsim_trace_accumulate(&step, 3, 16383, 1, &(sgdsim_draft){out, of, NULL}, &ops),
                 SGDSIM_OK);
    CHECK(ops == 65532 && out[65531].waits == 1 && out[65531].waits_for[0] == 65530);
    for (size_t i = 3; i + 4 < ops; i += 4) {
        CHECK(out[i].resource == SGDSIM_WORKER && out[i].waits == 3);
        CHECK(out[i].waits_for[0] == i - 3 && out[i].waits_for[2] == i - 1);
        CHECK(out[i + 1].waits == 1 && out[i + 1].waits_for[0] == i);
    }
    CHECK_STATUS(sgdsim_trace_accumulate(&step, 3, UINT32_MAX, 0, &(sgdsim_draft){out, of, NULL},
                                         &ops), SGDSIM_OK);
    CHECK(ops == 5 && out[0].waits == 0 && out[1].waits == 1 && out[1].waits_for[0] == 0);
    four[0].duration_s = 1.0;          /* what is behind the pass runs once           */
    four[2].duration_s = 4.0;
    CHECK_STATUS(sgdsim_trace_accumulate(&step, 2, 3, 0, &(sgdsim_draft){out, of, NULL}, &ops),
                 SGDSIM_OK);
    CHECK_REL(out[0].duration_s, 2.0, 1e-15);
    free(out);
    free(of);
}

/* Ops that wait for nothing wait for the micro-batch before: of 2 times (2 + 0) + 10
 * waits, here 11. */
TEST(ops_without_waits_are_written_within_their_room)
{
    sgdsim_op ten[10], *out = (sgdsim_op *)malloc((2 * 2 + 10) * sizeof *out);
    uint32_t *of = (uint32_t *)malloc((2 * 2 + 10) * sizeof *of);
    const sgdsim_step step = { ten, 10 };
    size_t ops = 7;
    memset(ten, 0, sizeof ten);
    for (size_t i = 0; i < 10; i++) ten[i].resource = SGDSIM_WORKER;
    if (!out || !of) abort();
    CHECK_STATUS(sgdsim_trace_accumulate(&step, 1, 2, 1, &(sgdsim_draft){out, of, NULL}, &ops),
                 SGDSIM_OK);
    CHECK(ops == 12 && out[11].waits == 1 && out[11].waits_for == of + 10);
    CHECK_STATUS(sgdsim_trace_accumulate(&step, 1, 2, 0, &(sgdsim_draft){out, of, NULL}, &ops),
                 SGDSIM_OK);
    CHECK(ops == 11 && out[10].waits == 1 && out[10].waits_for == of + 9);
    CHECK_STATUS(sgdsim_trace_accumulate(&step, 1, 1, 0, &(sgdsim_draft){out, of, NULL}, &ops),
                 SGDSIM_OK);
    CHECK(ops == 10 && out[9].waits == 0);         /* one pass is the step itself     */
    ops = 7;
    ten[1].waits = 1;                  /* for what is not said                        */
    CHECK_STATUS(sgdsim_trace_accumulate(&step, 1, 2, 1, &(sgdsim_draft){out, of, NULL}, &ops),
                 SGDSIM_BAD_ARGUMENT);
    CHECK(ops == 7);
    free(out);
    free(of);
}

TEST(micro_batches_that_are_none_are_refused)
{
    const uint32_t ahead[1] = { 1 }, last[8] = { 15, 15, 15, 15, 15, 15, 15, 15 };
    const sgdsim_step empty = { NULL, 16 };
    size_t ops = 7;
    random_layers(3);
    CHECK_STATUS(sgdsim_trace_units(layer, 3, 1, 1.0, op[0], waits), SGDSIM_OK);
    sgdsim_step one = {.op = op[0], .ops = 16};
    CHECK_STATUS(sgdsim_trace_accumulate(NULL, 15, 2, 1, &passes_into, &ops), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_accumulate(&one, 0, 2, 1, &passes_into, &ops), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_accumulate(&one, 17, 2, 1, &passes_into, &ops), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_accumulate(&one, 15, 0, 1, &passes_into, &ops), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_accumulate(&one, 15, 4096, 1, &passes_into, &ops), SGDSIM_TOO_LARGE);
    CHECK_STATUS(sgdsim_trace_accumulate(&one, 15, 2, 1, &(sgdsim_draft){NULL, passes_waits, NULL},
                                         &ops), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_accumulate(&one, 15, 2, 1, &(sgdsim_draft){passes_op, NULL, NULL},
                                         &ops), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_accumulate(&one, 15, 2, 1, &passes_into, NULL), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_accumulate(&empty, 15, 2, 1, &passes_into, &ops),
                 SGDSIM_BAD_ARGUMENT);
    one.ops = 65533;                   /* not looked at, as it is too large already   */
    CHECK_STATUS(sgdsim_trace_accumulate(&one, 15, 2, 1, &passes_into, &ops), SGDSIM_TOO_LARGE);
    one.ops = 16;
    op[0][0].duration_s = 1e300;
    op[0][0].resource = SGDSIM_WORKER;
    CHECK_STATUS(sgdsim_trace_accumulate(&one, 15, UINT32_MAX, 0, &passes_into, &ops),
                 SGDSIM_BAD_ARGUMENT);
    op[0][0].duration_s = 1.0;
    op[0][15].waits_for = last;        /* itself: not only the first op is looked at   */
    CHECK_STATUS(sgdsim_trace_accumulate(&one, 15, 2, 0, &passes_into, &ops), SGDSIM_BAD_ARGUMENT);
    op[0][0].waits_for = ahead;
    op[0][0].waits = 1;
    CHECK_STATUS(sgdsim_trace_accumulate(&one, 15, 2, 0, &passes_into, &ops), SGDSIM_BAD_ARGUMENT);
    CHECK(ops == 7);
}

/* ---- By hand ----------------------------------------------------------------------- */

/* A worker computes a second, then has two uplinks of 100 bytes. */
static sgdsim_group two_uplinks(sgdsim_cost_of cost)
{
    static uint32_t after[2] = { 0, 0 };
    memset(&machines, 0, sizeof machines);
    machines.machines = 2;
    memset(op[0], 0, 3 * sizeof op[0][0]);
    op[0][0].resource = SGDSIM_WORKER;
    op[0][0].duration_s = 1.0;
    for (size_t i = 1; i < 3; i++) {
        op[0][i].resource = SGDSIM_UPLINK;
        op[0][i].bytes = 100.0;
        op[0][i].waits_for = after;
        op[0][i].waits = 1;
    }
    machines.gpus = 1;
    sgdsim_group g = a_group(3);
    g.cost = cost;
    g.cost_ctx = NULL;
    g.length.steps = 1;
    return g;
}

static sgdsim_cost given;

/* 100 bytes cost what is given, others in proportion. */
static int given_cost(void *ctx, sgdsim_resource what, double bytes, sgdsim_cost *cost)
{
    (void)ctx;
    CHECK(what == SGDSIM_UPLINK || what == SGDSIM_DOWNLINK);
    *cost = given;
    cost->alone_s *= bytes / 100.0;
    for (size_t l = 0; l < SGDSIM_LEVELS; l++) {
        cost->latency_s[l] *= bytes / 100.0;
        cost->busy_s[l] *= bytes / 100.0;
    }
    return 1;
}

static void give(double alone, double local, double local_latency, double network,
                 double latency)
{
    memset(&given, 0, sizeof given);
    given.alone_s = alone;
    given.busy_s[SGDSIM_LOCAL] = local;
    given.latency_s[SGDSIM_LOCAL] = local_latency;
    given.busy_s[SGDSIM_NETWORK] = network;
    given.latency_s[SGDSIM_NETWORK] = latency;
}

TEST(no_memory_is_counted_for_an_op_that_does_not_say_what_it_waits_for)
{
    sgdsim_group g = two_uplinks(given_cost);
    size_t bytes = 7;
    memcpy(op[1], op[0], 3 * sizeof op[0][0]);
    steps[1].op = op[1];
    steps[1].ops = 3;
    trace.steps = 2;                               /* of any step                     */
    op[1][2].waits_for = NULL;
    CHECK_STATUS(sgdsim_run_groups_bytes(&g, 1, &bytes), SGDSIM_BAD_TRACE);
    op[0][2].waits_for = NULL;
    trace.steps = 1;
    CHECK_STATUS(sgdsim_run_groups_bytes(&g, 1, &bytes), SGDSIM_BAD_TRACE);
    CHECK(bytes == 7);
}

/* The first op waits for more than there is: in the memory that was asked for, that is what is
 * wrong with it. */
TEST(memory_is_counted_for_all_that_any_op_waits_for)
{
    static const uint32_t many[1000] = { 0 };
    sgdsim_group g = two_uplinks(given_cost);
    size_t bytes = 0;
    sgdsim_group_result out = {0};
    for (size_t i = 0; i < 3; i++) {
        g = two_uplinks(given_cost);
        op[0][i].waits_for = many;
        op[0][i].waits = 1000;
        CHECK_STATUS(sgdsim_run_groups_bytes(&g, 1, &bytes), SGDSIM_OK);
        CHECK(bytes >= sizeof many);
        char *room = (char *)malloc(bytes);
        if (!room) abort();
        CHECK_STATUS(sgdsim_run_groups(&g, 1, room, bytes, &out), SGDSIM_BAD_TRACE);
        free(room);
    }
}

/* A lone worker whose two steps compute so long, in whatever order they are drawn. */
static sgdsim_group computes(double first_s, double second_s)
{
    sgdsim_group g = two_uplinks(given_cost);
    op[1][0] = op[0][0];
    op[0][0].duration_s = first_s;
    op[1][0].duration_s = second_s;
    steps[1].op = op[1];
    steps[0].ops = steps[1].ops = 1;
    trace.steps = 2;
    workers = 1;
    g.length.steps = 2;
    g.length.warmup = 1;
    return g;
}

/* 1 s behind 10^13 s is none, which one run in four has. The rate of a short step may be
 * as large as a double. */
TEST(a_window_is_more_than_rounding_of_the_run)
{
    sgdsim_group g = computes(1e13, 1.0);
    unsigned none = 0;
    sgdsim_group_result out = {0};
    for (g.seed = 0; g.seed < 64; g.seed++) {
        const sgdsim_status status = run_groups(&g, 1, &out);
        CHECK(status == SGDSIM_OK || status == SGDSIM_NO_WINDOW);
        if (status != SGDSIM_OK) none++;
    }
    CHECK(none >= 8 && none <= 24);
    g = computes(1e12 - 1.0, 1.0);                 /* 1 s is a part of 1e-12, not more */
    for (none = 0, g.seed = 0; g.seed < 64; g.seed++)
        none += run_groups(&g, 1, &out) != SGDSIM_OK;
    CHECK(none >= 8 && none <= 24);
    g = computes(1e-308, 1e-308);
    CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_OK);
    CHECK_REL(out.batches_per_s, 1e308, 1e-12);
}

/* The first group ends; the second's exchange would be ready behind the largest double. */
TEST(a_second_group_that_takes_for_ever_is_refused)
{
    static uint32_t before[1] = { 1 };
    static sgdsim_op late[3];
    static const sgdsim_step step = { late, 3 };
    static const sgdsim_trace one = { &step, 1 };
    sgdsim_group g[2];
    sgdsim_group_result out[2] = {{0}};
    g[0] = g[1] = computes(1.0, 1.0);
    memset(late, 0, sizeof late);
    for (size_t i = 0; i < 2; i++) {
        late[i].resource = SGDSIM_WORKER;
        late[i].duration_s = 1e308;
    }
    late[2].resource = SGDSIM_UPLINK;
    late[2].bytes = 100.0;
    late[2].waits_for = before;
    late[2].waits = 1;
    g[1].workers.trace = &one;
    CHECK_STATUS(run_groups(g, 2, out), SGDSIM_BAD_ARGUMENT);
}

/* Twice the workers take no more than twice the memory, and streams beyond the exchanges
 * of a step none. */
TEST(memory_goes_by_the_workers_and_by_what_is_sent_at_once)
{
    sgdsim_group g = two_uplinks(given_cost);
    size_t one = 0, two = 0, sent = 0, more = 0;
    steps[1] = steps[0];
    trace.steps = 2;
    workers = 300;
    CHECK_STATUS(sgdsim_run_groups_bytes(&g, 1, &one), SGDSIM_OK);
    workers = 600;
    CHECK_STATUS(sgdsim_run_groups_bytes(&g, 1, &two), SGDSIM_OK);
    CHECK(one > 300 && two <= 2 * one);
    g.streams = 2;
    CHECK_STATUS(sgdsim_run_groups_bytes(&g, 1, &sent), SGDSIM_OK);
    g.streams = 100000;
    CHECK_STATUS(sgdsim_run_groups_bytes(&g, 1, &more), SGDSIM_OK);
    CHECK(more == sent);
}

/* ---- What is told ---------------------------------------------------------------------- */

typedef struct told { sgdsim_event event[MOST_WORKERS]; size_t count; } told;

static told log_of;

static void tell(void *ctx, const sgdsim_event *event)
{
    told *t = (told *)ctx;
    if (t->count < MOST_WORKERS) t->event[t->count++] = *event;
}

static const sgdsim_event *find_event(uint32_t worker, uint32_t step, uint32_t number)
{
    for (size_t i = 0; i < log_of.count; i++)
        if (log_of.event[i].worker == worker && log_of.event[i].step == step
            && log_of.event[i].op == number)
            return &log_of.event[i];
    return NULL;
}

/* Uplinks of 10 s each, number i behind op before[i] - 1, or behind none, and op 0 a second of
 * the worker. When each starts. */
static void starts_of(const uint32_t *before, size_t n, uint32_t streams, double *start_s)
{
    static uint32_t after[8];
    sgdsim_group g = two_uplinks(given_cost);
    sgdsim_group_result out = {0};
    give(10.0, 0.0, 0.0, 0.0, 0.0);
    for (size_t i = 1; i < n; i++) {
        op[0][i] = op[0][1];
        after[i] = before[i] - 1;
        op[0][i].waits_for = after + i;
        op[0][i].waits = before[i] > 0;
    }
    steps[0].ops = n;
    g.streams = streams;
    log_of.count = 0;
    g.watch.on_op = tell;
    g.watch.ctx = &log_of;
    CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_OK);
    for (size_t i = 0; i < n; i++) {
        const sgdsim_event *e = find_event(1, 0, (uint32_t)i);
        start_s[i] = e ? e->start_s : -1.0;
    }
}

/* Two streams end together. Two uplinks are behind the second and one, the last, behind the
 * first: all could start then, and the last waits. */
TEST(streams_that_end_together_leave_room_for_those_formed_first)
{
    static const uint32_t before[6] = {0, 0, 0, 3, 3, 2};
    double start_s[6];
    starts_of(before, 6, 2, start_s);
    CHECK_REL(start_s[1], 0.0, 0.0);
    CHECK_REL(start_s[2], 0.0, 0.0);
    CHECK_REL(start_s[3], 10.0, 0.0);
    CHECK_REL(start_s[4], 10.0, 0.0);
    CHECK_REL(start_s[5], 20.0, 0.0);
}

/* ---- Against a straightforward simulator ---------------------------------------------- */

enum { TEAM_TYPES = 3, TEAM_PROFILES = 3 };

typedef struct random_team {
    sgdsim_op    op[TEAM_TYPES][TEAM_PROFILES][TEAM_OPS];
    uint32_t     waits[TEAM_TYPES][TEAM_PROFILES][TEAM_OPS][3];
    sgdsim_step  step[TEAM_TYPES][TEAM_PROFILES];
    sgdsim_trace trace[TEAM_TYPES];
    uint32_t     count[TEAM_TYPES];
    double       end_s[TEAM_STEPS];
    sgdsim_waiting waiting[TEAM_WORKERS];
} random_team;

static random_team teams[TEAMS];
static team_world  world;

/* A collective costs what its bytes and its kind draw. */
static int drawn_cost(void *ctx, sgdsim_resource what, double bytes, sgdsim_cost *cost)
{
    const uint64_t seed = *(const uint64_t *)ctx + (uint64_t)what;
    double u[8], sum_s = 0.0, most_s = 0.0;
    for (uint64_t i = 0; i < 8; i++) u[i] = test_uniform(seed, (uint64_t)bytes, i);
    for (size_t l = 0; l < SGDSIM_LEVELS; l++) {
        cost->latency_s[l] = u[l] < 0.4 ? 0.0 : 0.01 * u[l];
        cost->busy_s[l] = u[l + 2] < 0.2 ? 0.0 : 0.02 * u[l + 2];
        cost->share[l] = u[l + 4] < 0.4 ? 0.0 : u[l + 4];
        sum_s += cost->latency_s[l] + cost->busy_s[l];
        most_s = fmax(most_s, cost->latency_s[l] + cost->busy_s[l]);
    }
    cost->alone_s = u[6] < 0.3 ? sum_s : most_s + u[7] * (1.3 * sum_s - most_s);
    return 1;
}

/* Steps that have the same exchanges; graphs, times and other ops may differ. */
static void draw_profile(random_team *r, size_t t, size_t p, size_t ops)
{
    const int same = p > 0 && random_below(1.0) < 0.5;
    sgdsim_op *to = r->op[t][p];
    for (size_t i = 0; i < ops; i++) {
        to[i] = r->op[0][0][i];
        if (t + p == 0) {
            to[i].resource = (sgdsim_resource)random_below(4.0);
            to[i].bytes = floor(random_below(3e6));
        } else if (!same && (to[i].resource == SGDSIM_WORKER || to[i].resource == SGDSIM_SERVER)) {
            to[i].resource = random_below(1.0) < 0.5 ? SGDSIM_WORKER : SGDSIM_SERVER;
        }
        to[i].duration_s = random_below(0.01);
        to[i].server = draw(3);
        to[i].waits = 0;
        to[i].waits_for = r->waits[t][p][i];
        for (size_t k = 0; k < i && to[i].waits < 3 && !same; k++)
            if (random_below((double)(i - k)) < 1.0) r->waits[t][p][i][to[i].waits++] = (uint32_t)k;
        if (!same) continue;
        to[i].resource = r->op[t][p - 1][i].resource;
        to[i].waits = r->op[t][p - 1][i].waits;
        memcpy(r->waits[t][p][i], r->waits[t][p - 1][i], sizeof r->waits[t][p][i]);
    }
    r->step[t][p] = (sgdsim_step){to, ops};
}

static sgdsim_group draw_team(random_team *r, const uint64_t *seed)
{
    const size_t ops = 1 + draw(TEAM_OPS);
    sgdsim_group g = {.workers.types = 1 + draw(TEAM_TYPES), .workers.trace = r->trace,
                      .workers.count = r->count, .cost = drawn_cost, .seed = chance_next()};
    g.cost_ctx = (void *)(uintptr_t)seed;
    for (size_t t = 0; t < TEAM_TYPES; t++) {
        r->trace[t] = (sgdsim_trace){r->step[t], 1 + draw(TEAM_PROFILES)};
        r->count[t] = 1 + draw(TEAM_WORKERS / TEAM_TYPES);
        for (size_t p = 0; p < r->trace[t].steps; p++) draw_profile(r, t, p, ops);
    }
    g.gathers = (int)draw(2);
    g.streams = draw(4);
    g.bucket_bytes = draw(2) ? 0.0 : random_below(6e6);
    g.first_bucket_bytes = draw(2) ? 0.0 : random_below(3e6);
    g.length.steps = 1 + draw(TEAM_STEPS);
    g.length.warmup = draw((uint32_t)g.length.steps);
    return g;
}

static void check_team(const sgdsim_group *g, const sgdsim_group_result *out, const team *t,
                       double all_s)
{
    const uint64_t warmup = g->length.warmup;
    const double K = t->W, end_s = t->step_end_s[g->length.steps - 1];
    double alone_s = 0.0, busy_s[2] = {0.0, 0.0};
    for (size_t k = 0; k < g->length.steps; k++)
        CHECK_REL(out->step_end_s[k], t->step_end_s[k], 1e-9);
    CHECK_REL(out->makespan_s, end_s, 1e-9);
    CHECK_REL(out->batches_per_s, K * (double)(g->length.steps - warmup)
              / (end_s - (warmup > 0 ? t->step_end_s[warmup - 1] : 0.0)), 1e-9);
    for (size_t i = 0; i < t->collectives; i++) alone_s += t->collective[i].cost.alone_s;
    CHECK(out->events == t->events && out->collectives == t->collectives);
    CHECK_REL(out->exchange_s, alone_s, 1e-12);
    for (uint32_t w = 0; w < t->W; w++) {
        const sgdsim_waiting *got = out->waiting + w, *want = &t->worker[w].spent;
        CHECK_REL(got->computing_s + end_s, want->computing_s + end_s, 1e-9);
        CHECK_REL(got->downlink_s + end_s, want->downlink_s + end_s, 1e-9);
        CHECK_REL(got->uplink_s + end_s, want->uplink_s + end_s, 1e-9);
        CHECK_REL(got->server_s + end_s, want->server_s + end_s, 1e-9);
        CHECK_REL(got->barrier_s + end_s, want->barrier_s + end_s, 1e-9);
        busy_s[0] += want->computing_s / K;
        busy_s[1] += t->worker[w].updating_s / K;
    }
    CHECK_REL(out->utilization[SGDSIM_WORKER] + 1.0, busy_s[0] / end_s + 1.0, 1e-9);
    CHECK_REL(out->utilization[SGDSIM_SERVER] + 1.0, busy_s[1] / end_s + 1.0, 1e-9);
    for (int r = SGDSIM_DOWNLINK; r <= SGDSIM_UPLINK; r += SGDSIM_UPLINK - SGDSIM_DOWNLINK)
        CHECK_REL(out->utilization[r] + 1.0, t->sent_s[r] / end_s + 1.0, 1e-9);
    for (size_t l = 0; l < SGDSIM_LEVELS; l++)
        CHECK_REL(out->link_utilization[l] + 1.0, world.carried_s[l] / all_s + 1.0, 1e-9);
}

/* What is told of an op, or of the op that closes a bucket. */
static void compare_told(void *ctx, const sgdsim_event *e)
{
    team *t = (team *)ctx;
    team_worker *w = t->worker + e->worker;
    const uint64_t bits = sgdsim_random(t->of->seed, e->worker, e->step, 0);
    const sgdsim_trace *of = t->of->workers.trace + w->type;
    const team_op *want = &w->op[e->step][e->op];
    const sgdsim_op *what = of->step[e->traced_step].op + e->op;
    CHECK(e->traced_step == (uint32_t)((double)(bits >> 11) * 0x1p-53 * (double)of->steps));
    CHECK(e->resource == what->resource);
    CHECK(e->server == (what->resource == SGDSIM_SERVER ? what->server : 0));
    CHECK_REL(e->ready_s + 1.0, want->ready_s + 1.0, 1e-9);
    CHECK_REL(e->start_s + 1.0, want->start_s + 1.0, 1e-9);
    CHECK_REL(e->end_s + 1.0, want->end_s + 1.0, 1e-9);
    t->turns++;
}

TEST(groups_are_those_of_a_straightforward_simulator)
{
    size_t good = 0;
    for (int i = 0; i < TEST_SIZE(1000, 8000); i++) {
        const size_t groups = 1 + draw(TEAMS);
        const uint64_t seed = chance_next();
        sgdsim_group g[TEAMS];
        sgdsim_group_result out[TEAMS];
        double all_s = 0.0;
        memset(out, 0x5a, sizeof out);             /* all of it is written             */
        for (size_t j = 0; j < groups; j++) {
            g[j] = draw_team(teams + j, &seed);
            out[j].step_end_s = teams[j].end_s;
            out[j].waiting = teams[j].waiting;
            g[j].watch.on_op = draw(2) ? compare_told : NULL;
            g[j].watch.ctx = world.of + j;
        }
        const int ends = team_run(&world, g, groups);
        const sgdsim_status status = run_groups(g, groups, out);
        CHECK(ends == (status != SGDSIM_BAD_TRACE));
        if (status != SGDSIM_OK) continue;
        good++;
        for (size_t j = 0; j < groups; j++) all_s = fmax(all_s, world.of[j].begin_s);
        for (size_t j = 0; j < groups; j++) check_team(g + j, out + j, world.of + j, all_s);
        for (size_t j = 0; j < groups; j++)
            CHECK(world.of[j].turns == (g[j].watch.on_op ? team_told(world.of + j) : 0));
        if (test_failures > 0) return;
    }
    CHECK(good > 100);
    printf("    %lu runs\n", (unsigned long)good);
}

/* ---- Servers beside workers ---------------------------------------------------------- */

enum { MOST_MACHINES = 9 };

/* Bytes that machine w sends to server s; those from the k-th on are the machines'. */
static double sent[MOST_MACHINES][2 * MOST_MACHINES];

/* Links of 1 at both ends; each is shared in proportion to what is to be sent. */
static void share_by_bytes(void *ctx, sgdsim_flow *flow, size_t flows)
{
    double from[MOST_MACHINES] = { 0.0 }, to[2 * MOST_MACHINES] = { 0.0 };
    (void)ctx;
    for (size_t i = 0; i < flows; i++) {
        from[flow[i].worker] += sent[flow[i].worker][flow[i].server];
        to[flow[i].server] += sent[flow[i].worker][flow[i].server];
    }
    for (size_t i = 0; i < flows; i++)
        flow[i].share = sent[flow[i].worker][flow[i].server]
            / fmax(from[flow[i].worker], to[flow[i].server]);
}

/* n machines of workers, each of which adds up the part y of all and sends the sum to the
 * others, and k beside them, each of which adds up x. What returns from those takes the
 * other direction, and is as much. */
static double exchange_s(uint32_t n, uint32_t k, double x, double y)
{
    static sgdsim_op ops[MOST_MACHINES][4 * MOST_MACHINES];
    static sgdsim_step step[MOST_MACHINES];
    static sgdsim_trace traces[MOST_MACHINES];
    static uint32_t ones[MOST_MACHINES];
    static double memory[125000];
    const double S = 1e6, B = 125e6;
    size_t bytes = 0;
    sgdsim_result out = {0};
    memset(ops, 0, sizeof ops);
    for (uint32_t w = 0; w < n; w++) {
        traces[w].step = &step[w];
        traces[w].steps = 1;
        ones[w] = 1;
        step[w].op = ops[w];
        step[w].ops = 0;
        for (uint32_t s = 0; s < k + n; s++) {
            sgdsim_op *of = &ops[w][step[w].ops];
            sent[w][s] = s < k ? x * S : s == k + w ? 0.0 : 2.0 * y * S;
            if (!(sent[w][s] > 0.0)) continue;
            of->resource = SGDSIM_UPLINK;
            of->server = s;
            of->bytes = sent[w][s];
            step[w].ops++;
            if (s >= k) continue;
            of[1] = *of;
            of[1].resource = SGDSIM_DOWNLINK;
            step[w].ops++;
        }
    }
    sgdsim_config c = {.workers.types = n, .workers.trace = traces, .workers.count = ones,
                       .mode = SGDSIM_SYNC, .servers.count = k + n,
                       .links.bandwidth_bytes_per_s = B, .length.steps = 1,
                       .links.share = share_by_bytes};
    CHECK_STATUS(sgdsim_run_bytes(&c, &bytes), SGDSIM_OK);
    CHECK(bytes <= sizeof memory);
    CHECK_STATUS(sgdsim_run(&c, memory, bytes, &out), SGDSIM_OK);
    return out.makespan_s;
}

TEST(servers_beside_workers_take_the_closed_form_and_no_other_parts_are_better)
{
    double ring_s = 0.0;
    sgdpar_protocol ring = {0};
    sgdpar_topology on = {.bandwidth_bytes_per_s = 125e6};
    for (uint32_t n = 2; n < MOST_MACHINES; n++)
        for (uint32_t k = 0; k <= n; k++) {
            const double N = n, K = k;
            sgdpar_division d = { 0.0, 0.0, 0.0 };
            double time_s, part;
            CHECK_STATUS(sgdpar_byteps(n, k, 1e6, 125e6, &d), SGDPAR_OK);
            time_s = d.time_s;
            CHECK_REL(exchange_s(n, k, d.beside, d.own), time_s, 1e-9);
            on.machines = n;
            if (k == 0) {                              /* a ring, whoever adds up       */
                CHECK_STATUS(sgdpar_collective_time(SGDPAR_COLLECTIVE_ALL_REDUCE, &ring, &on, 1e6,
                                                    &ring_s), SGDPAR_OK);
                CHECK_REL(ring_s, time_s, 1e-12);
            }
            if (k < n)
                CHECK_REL(time_s, 2.0 * N * (N - 1.0) * 1e6
                              / ((N * N + K * N - 2.0 * K) * 125e6), 1e-12);
            for (part = 0.0; k > 0 && part <= 1.0; part += 0.125)
                CHECK(exchange_s(n, k, part / K, (1.0 - part) / N) >= time_s * (1.0 - 1e-9));
        }
}

/* ---- Buckets, units, speed ----------------------------------------------------------- */

TEST(buckets_are_those_of_pytorch)
{
    static uint64_t bytes[MOST];
    static size_t first[MOST];
    const sgdpar_bucket_limits limits = {.first_bytes = 2000000, .cap_bytes = 9000000};
    for (int i = 0; i < TEST_SIZE(50, 500); i++) {
        const size_t n = 1 + (size_t)random_below(100.0);
        size_t ops = 0, buckets = 0, seen = 0;
        random_layers(n);
        scatters = 0;
        memset(&machines, 0, sizeof machines);
        machines.machines = 2;
        machines.gpus = 1;
        machines.bandwidth_bytes_per_s = 1e9;
        CHECK_STATUS(sgdpar_buckets(tensor, n, &limits, bytes, first, &buckets), SGDPAR_OK);
        CHECK_STATUS(sgdsim_trace_tensors(&(sgdsim_tensors){layer, n, 0.1, 0.0, 0.0, 0}, &into,
                                          &ops), SGDSIM_OK);
        sgdsim_group g = a_group(ops);
        g.length.steps = 1;
        g.bucket_bytes = 9e6;
        g.first_bucket_bytes = 2e6;
        g.watch.on_op = tell;
        g.watch.ctx = &log_of;
        sgdsim_group_result out = {0};
        log_of.count = 0;
        CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_OK);
        CHECK(out.collectives == buckets);
        for (size_t k = 0; k < log_of.count && seen < buckets; k++) {
            const sgdsim_event *e = &log_of.event[k];
            const size_t closes = seen + 1 < buckets ? first[seen + 1] - 1 : n - 1;
            if (e->resource != SGDSIM_UPLINK || e->worker != 0) continue;
            CHECK(e->op == 2 * closes + 2);
            CHECK_REL(e->end_s - e->start_s, (double)bytes[seen] / 1e9, 1e-9);
            seen++;
        }
        CHECK(seen == buckets);
    }
}

TEST(a_hundred_steps_of_512_accelerators_take_less_than_a_second)
{
    const clock_t began = clock();
    size_t ops = 0;
    random_layers(160);
    memset(&machines, 0, sizeof machines);
    machines.machines = 64;
    machines.gpus = 8;
    machines.bandwidth_bytes_per_s = 1e9;
    machines.local_bandwidth_bytes_per_s = 1e11;
    machines.latency_s = 1e-5;
    CHECK_STATUS(sgdsim_trace_tensors(&(sgdsim_tensors){layer, 160, 0.1, 0.0, 0.0, 0}, &into, &ops),
                 SGDSIM_OK);
    sgdsim_group g = a_group(ops);
    g.length.steps = 100;
    g.streams = 4;
    sgdsim_group_result out = {0};
    CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_OK);
    CHECK(workers == 512 && out.collectives == 160);
    CHECK((double)(clock() - began) < (double)CLOCKS_PER_SEC);
}

/* ---- Bad input ----------------------------------------------------------------------- */

TEST(costs_that_are_none_are_refused)
{
    const double odd[] = { -1.0, (double)NAN, HUGE_VAL };
    sgdsim_group g = two_uplinks(given_cost);
    sgdsim_group_result out = {0};
    for (size_t i = 0; i < 3; i++) {
        for (size_t l = 0; l < SGDSIM_LEVELS; l++) {
            give(9.0, 1.0, 1.0, 1.0, 1.0);
            given.busy_s[l] = odd[i];
            CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_BAD_ARGUMENT);
            give(9.0, 1.0, 1.0, 1.0, 1.0);
            given.latency_s[l] = odd[i];
            CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_BAD_ARGUMENT);
            give(9.0, 1.0, 1.0, 1.0, 1.0);
            given.share[l] = odd[i];
            CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_BAD_ARGUMENT);
        }
        give(odd[i], 0.0, 0.0, 0.0, 0.0);
        CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_BAD_ARGUMENT);
    }
    give(1.9, 1.0, 1.0, 0.0, 0.0);
    CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_BAD_ARGUMENT);
    give(2.0, 1.0, 1.0, 0.0, 0.0);
    CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_OK);
    give(1.7e308, 1.7e308, 0.0, 0.0, 0.0);
    CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_BAD_ARGUMENT);
}

/* A field set to what it must not be. */
#define REFUSED(change, status)                                   \
    do {                                                          \
        sgdsim_group g = good;                                    \
        change;                                                   \
        CHECK_STATUS(run_groups(&g, 1, &out), status);            \
    } while (0)

TEST(groups_that_are_none_are_refused)
{
    const sgdsim_group good = two_uplinks(given_cost);
    const sgdsim_trace no_steps = { NULL, 2 };
    const uint32_t none = 0, many[2] = { UINT32_MAX, 1 };
    static uint32_t later[1] = { 2 };
    size_t bytes = 0;
    give(2.0, 0.0, 0.0, 2.0, 0.0);
    sgdsim_group_result out = {0};
    REFUSED(g.workers.types = 0, SGDSIM_BAD_ARGUMENT);
    REFUSED(g.workers.trace = NULL, SGDSIM_BAD_ARGUMENT);
    REFUSED(g.workers.trace = &no_steps, SGDSIM_BAD_ARGUMENT);
    REFUSED(g.workers.count = NULL, SGDSIM_BAD_ARGUMENT);
    REFUSED(g.workers.count = &none, SGDSIM_BAD_ARGUMENT);
    REFUSED(g.workers.types = 2; g.workers.count = many, SGDSIM_BAD_ARGUMENT);
    REFUSED(g.workers.count = many, SGDSIM_OK);          /* all do the same                  */
    REFUSED(g.cost = NULL, SGDSIM_BAD_ARGUMENT);
    REFUSED(g.length.steps = 0, SGDSIM_BAD_ARGUMENT);
    REFUSED(g.length.steps = (uint64_t)1 << 32, SGDSIM_BAD_ARGUMENT);
    REFUSED(g.bucket_bytes = -1.0, SGDSIM_BAD_ARGUMENT);
    REFUSED(g.bucket_bytes = (double)NAN, SGDSIM_BAD_ARGUMENT);
    REFUSED(g.first_bucket_bytes = HUGE_VAL, SGDSIM_BAD_ARGUMENT);
    REFUSED(g.length.warmup = 1, SGDSIM_NO_WINDOW);
    REFUSED(op[0][1].waits_for = later, SGDSIM_BAD_TRACE);
    op[0][1].waits_for = op[0][2].waits_for;
    REFUSED(op[0][1].bytes = -1.0, SGDSIM_BAD_TRACE);
    op[0][1].bytes = 100.0;
    REFUSED((void)g, SGDSIM_OK);
    CHECK_STATUS(sgdsim_run_groups_bytes(&good, 0, &bytes), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_run_groups_bytes(NULL, 1, &bytes), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_run_groups_bytes(&good, 1, NULL), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_run_groups_bytes(&good, 1, &bytes), SGDSIM_OK);
    CHECK_STATUS(sgdsim_run_groups(&good, 1, work, bytes - 1, &out), SGDSIM_SMALL_WORKSPACE);
    CHECK_STATUS(sgdsim_run_groups(&good, 1, NULL, bytes, &out), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_run_groups(&good, 1, work, bytes, NULL), SGDSIM_BAD_ARGUMENT);
}

TEST(steps_whose_exchanges_differ_and_buckets_behind_themselves_are_refused)
{
    sgdsim_group g = two_uplinks(given_cost);
    static uint32_t chain[5] = { 0, 1, 2, 3, 4 };
    sgdsim_group_result out = {0};
    give(2.0, 0.0, 0.0, 2.0, 0.0);
    memcpy(op[1], op[0], 3 * sizeof op[0][0]);
    steps[1].op = op[1];
    steps[1].ops = 3;
    trace.steps = 2;
    CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_OK);
    op[1][2].bytes = 99.0;
    CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_BAD_TRACE);
    op[1][2].bytes = 100.0;
    steps[1].ops = 2;
    CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_BAD_TRACE);
    steps[1].ops = 3;
    op[1][2].resource = SGDSIM_DOWNLINK;
    CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_BAD_TRACE);
    trace.steps = 1;
    for (size_t i = 1; i < 4; i++) {          /* an uplink, an op behind it, an uplink       */
        op[0][i] = op[0][1];
        op[0][i].waits_for = &chain[i - 1];
    }
    op[0][2].resource = SGDSIM_WORKER;
    steps[0].ops = 4;
    CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_OK);
    g.bucket_bytes = 1e9;
    CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_BAD_TRACE);
    g.first_bucket_bytes = 100.0;
    CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_OK);
    for (size_t i = 4; i < 6; i++) {          /* the same again, when a collective has ended  */
        op[0][i] = op[0][i - 2];
        op[0][i].waits_for = &chain[i - 1];
    }
    steps[0].ops = 6;
    CHECK_STATUS(run_groups(&g, 1, &out), SGDSIM_BAD_TRACE);
}

/* A trace of layers in which nothing overlaps: compute, longer by the growth, then exchanges one by
 * one, then the updates; and with `whole` it is the same. */
TEST(an_exposed_step_takes_what_its_ops_add_up_to)
{
    static sgdsim_op from[5 * 20], to[5 * 20];
    static uint32_t from_waits[7 * 20 + 400], to_waits[4 * 100 + 7 * 20 + 400], places[5 * 20];
    const uint32_t four = 4;
    for (int trial = 0; trial < 40; trial++) {
        const size_t n = 1 + (size_t)trial % 20;
        const double growth = 1.0 + 0.125 * (trial % 3);
        sgdsim_step step = {from, 5 * n}, exposed = {to, 5 * n};
        sgdsim_trace of_it = {&exposed, 1};
        sgdsim_config run = {
            .workers = {.types = 1, .trace = &of_it, .count = &four}, .mode = SGDSIM_SYNC,
            .links = {.rule = SGDSIM_LINK_EXCHANGE, .exchange_s = ring_s,
                      .bandwidth_bytes_per_s = 1e9}, .length = {.steps = 2}
        };
        static double area[1 << 13];
        sgdsim_result out = {0};
        double want_s = 0.0;
        size_t bytes = 0, i;
        random_layers(n);
        CHECK_STATUS(sgdsim_trace_layers(layer, n, trial % 2, from, from_waits), SGDSIM_OK);
        CHECK_STATUS(sgdsim_trace_expose(&step, growth, &(sgdsim_draft){to, to_waits, places}),
                     SGDSIM_OK);
        for (i = 0; i < 5 * n; i++) CHECK(places[i] == i); /* they are in order              */
        for (i = 0; i < n; i++)
            want_s += growth * (layer[i].forward_s + layer[i].backward_s) + layer[i].update_s
                + 1.5 * layer[i].bytes / 1e9;
        CHECK_STATUS(sgdsim_run_bytes(&run, &bytes), SGDSIM_OK);
        CHECK(bytes <= sizeof area);
        CHECK_STATUS(sgdsim_run(&run, area, sizeof area, &out), SGDSIM_OK);
        CHECK_REL(out.makespan_s, 2.0 * want_s, 1e-12);
    }
}

/* A machine of g accelerators: before an upload of n bytes 2 (g - 1) / g n / b seconds, behind a
 * download n / b. One of them alone is as it was. */
TEST(a_machine_reduces_before_it_sends_and_passes_on_what_came)
{
    static sgdsim_op from[5 * 20], to[10 * 20];
    static uint32_t from_waits[7 * 20], to_waits[12 * 20], places[10 * 20];
    const uint32_t one = 1;
    for (int trial = 0; trial < 40; trial++) {
        const size_t n = 1 + (size_t)trial % 20;
        const uint32_t gpus = 1 + (uint32_t)trial % 8;
        const sgdsim_draft draft = {to, to_waits, places};
        const sgdsim_step step = {from, 5 * n};
        sgdsim_step machine = {to, 0};
        sgdsim_trace of_it = {&machine, 1};
        const sgdsim_config run = {
            .workers = {.types = 1, .trace = &of_it, .count = &one, .accelerators = gpus},
            .links = {.bandwidth_bytes_per_s = 1e9}, .length = {.steps = 2}
        };
        static double area[1 << 13];
        sgdsim_result out = {0};
        double want_s = 0.0, inside_s = 0.0;
        size_t bytes = 0, i;
        random_layers(n);
        CHECK_STATUS(sgdsim_trace_layers(layer, n, 1, from, from_waits), SGDSIM_OK);
        CHECK_STATUS(sgdsim_trace_machine(&step, gpus, 1e10, &draft, &machine.ops), SGDSIM_OK);
        CHECK(machine.ops == (gpus > 1 ? 7 : 5) * n);
        for (i = 0; i < n; i++) {
            want_s += layer[i].forward_s + layer[i].backward_s + layer[i].bytes / 1e9;
            inside_s += layer[i].bytes / 1e10;
        }
        for (i = 5 * n; i < machine.ops; i++) {
            const sgdsim_op *of = &to[places[i]];
            const double part = of->resource == SGDSIM_UPLINK ? 2.0 * (gpus - 1.0) / gpus : 1.0;
            CHECK(to[i].resource == SGDSIM_WORKER);
            CHECK_REL(to[i].duration_s, part * of->bytes / 1e10, 1e-15);
        }
        CHECK_STATUS(sgdsim_run_bytes(&run, &bytes), SGDSIM_OK);
        CHECK(bytes <= sizeof area);
        CHECK_STATUS(sgdsim_run(&run, area, sizeof area, &out), SGDSIM_OK);
        CHECK_REL(out.batches_per_s, 2.0 * gpus / out.makespan_s, 1e-12);
        CHECK(out.makespan_s > 2.0 * want_s * (1.0 - 1e-12));
        CHECK(out.contended[SGDSIM_UPLINK] <= 0.0 && out.contended[SGDSIM_DOWNLINK] <= 0.0);
        CHECK_REL(out.utilization[SGDSIM_WORKER] * out.makespan_s,
                  2.0 * (want_s - inside_s * 10.0
                         + (gpus > 1 ? inside_s * (1.0 + 2.0 * (gpus - 1.0) / gpus) : 0.0)),
                  1e-12);
    }
}

TEST(machines_that_are_none_are_refused)
{
    static const uint32_t on1[1] = {1}, on7[1] = {7};
    sgdsim_op some[2] = {{SGDSIM_UPLINK, 0, 0.0, 8.0, on1, 1}, {.resource = SGDSIM_WORKER}}, to[4];
    uint32_t lists[3], places[4];
    sgdsim_step step = {some, 2}, empty = {some, 0}, missing = {NULL, 2};
    const sgdsim_draft draft = {to, lists, places}, all[3] = {
        {NULL, lists, places}, {to, NULL, places}, {to, lists, NULL}
    };
    const double bad[] = {0.0, -1.0, HUGE_VAL, (double)NAN, 1e-320};
    size_t ops = 77;
    for (size_t i = 0; i < 3; i++)
        CHECK_STATUS(sgdsim_trace_machine(&step, 2, 1.0, &all[i], &ops), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_machine(NULL, 2, 1.0, &draft, &ops), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_machine(&empty, 2, 1.0, &draft, &ops), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_machine(&missing, 2, 1.0, &draft, &ops), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_machine(&step, 2, 1.0, NULL, &ops), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_machine(&step, 2, 1.0, &draft, NULL), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_machine(&step, 0, 1.0, &draft, &ops), SGDSIM_BAD_ARGUMENT);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK_STATUS(sgdsim_trace_machine(&step, 2, bad[i], &draft, &ops), SGDSIM_BAD_ARGUMENT);
    step.ops = 65536;
    CHECK_STATUS(sgdsim_trace_machine(&step, 2, 1.0, &draft, &ops), SGDSIM_TOO_LARGE);
    for (size_t up = 32767; up < 32769; up++) {    /* 65,535 ops, or one more         */
        static sgdsim_op wide[32768], wider[65535];
        static uint32_t to_lists[65535], to_places[65535];
        const sgdsim_step whole = {wide, 32768};
        const sgdsim_draft room = {wider, to_lists, to_places};
        size_t got = 77;
        for (size_t i = 0; i < 32768; i++)
            wide[i].resource = i < up ? SGDSIM_UPLINK : SGDSIM_WORKER;
        CHECK_STATUS(sgdsim_trace_machine(&whole, 2, 1.0, &room, &got),
                     up == 32767 ? SGDSIM_OK : SGDSIM_TOO_LARGE);
        CHECK(got == (up == 32767 ? 65535 : 77));
    }
    step.ops = 2;
    some[0].waits_for = on7;
    CHECK_STATUS(sgdsim_trace_machine(&step, 2, 1.0, &draft, &ops), SGDSIM_BAD_TRACE);
    CHECK(ops == 77);
    some[0].waits_for = on1;
    CHECK_STATUS(sgdsim_trace_machine(&step, 2, 1.0, &draft, &ops), SGDSIM_OK);
    CHECK(ops == 3 && to[0].waits_for[0] == 2 && to[2].waits_for[0] == 1 && places[2] == 0);
}

enum { EXPOSED = 12 };

/* Which ops come before which, at once or through others. */
static void come_before(const sgdsim_op *of, size_t n, int before[EXPOSED][EXPOSED])
{
    memset(before, 0, EXPOSED * sizeof before[0]);
    for (size_t round = 0; round < n; round++)
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < of[i].waits; k++)
                for (size_t j = 0; j < n; j++)
                    before[i][j] |= j == of[i].waits_for[k] || before[of[i].waits_for[k]][j];
}

/* Graphs of any kind: all that is behind no uplink comes first and before each uplink; what is
 * behind one and has nothing behind it comes last, and after the last uplink. */
TEST(exposed_ops_come_in_parts)
{
    for (int trial = 0; trial < TEST_SIZE(500, 5000); trial++) {
        static int was[EXPOSED][EXPOSED], is[EXPOSED][EXPOSED];
        static uint32_t lists[EXPOSED][EXPOSED], to_waits[EXPOSED * (4 + EXPOSED)], places[EXPOSED];
        static sgdsim_op some[EXPOSED], to[EXPOSED];
        const size_t n = 1 + draw(EXPOSED);
        uint32_t rank[EXPOSED];
        int part[EXPOSED], last = -1, before = -1;
        for (size_t i = 0; i < n; i++) rank[i] = (uint32_t)chance_next();
        for (size_t i = 0; i < n; i++) {
            some[i] = (sgdsim_op){.resource = (sgdsim_resource)draw(4), .duration_s = draw(9),
                                  .waits_for = lists[i]};
            for (uint32_t k = 0; k < n; k++)
                if (rank[k] < rank[i] && draw(4) == 0) lists[i][some[i].waits++] = k;
        }
        CHECK_STATUS(sgdsim_trace_expose(&(sgdsim_step){some, n}, 1.5,
                                         &(sgdsim_draft){to, to_waits, places}), SGDSIM_OK);
        come_before(some, n, was);
        come_before(to, n, is);
        for (size_t i = 0; i < n; i++) {
            int behind = some[i].resource == SGDSIM_UPLINK, wanted = behind;
            for (size_t k = 0; k < n; k++) {
                behind |= was[i][k] && some[k].resource == SGDSIM_UPLINK;
                wanted |= was[k][i];
            }
            part[i] = !behind ? 0 : wanted ? 1 : 2;
        }
        for (size_t i = 0; i < n; i++) {           /* parts in turn, in each as they were */
            const int key = part[places[i]] * EXPOSED + (int)places[i];
            CHECK(key > before);
            before = key;
            if (to[i].resource == SGDSIM_UPLINK) last = (int)i;
        }
        for (size_t i = 0; i < n; i++) {
            const sgdsim_op *of = some + places[i];
            const double longer = part[places[i]] == 0 && of->resource == SGDSIM_WORKER ? 1.5 : 1.0;
            CHECK(to[i].resource == of->resource);
            CHECK_REL(to[i].duration_s, of->duration_s * longer, 0.0);
            for (size_t k = 0; k < n; k++) {
                const int exposes = to[i].resource == SGDSIM_UPLINK && part[places[k]] == 0;
                const int ends = part[places[i]] == 2 && (int)k == last;
                if (was[places[i]][places[k]] || exposes || ends) CHECK(is[i][k]);
            }
        }
    }
}

TEST(exposed_steps_without_exchange_or_compute_are_steps)
{
    static const uint32_t on0[1] = {0};
    const sgdsim_op up[2] = {{SGDSIM_UPLINK, 0, 0.0, 8.0, NULL, 0},
                             {SGDSIM_SERVER, 0, 1.0, 0.0, on0, 1}};
    const sgdsim_op computes[1] = {{SGDSIM_WORKER, 0, 2.0, 0.0, NULL, 0}};
    const sgdsim_step exchange = {up, 2}, compute = {computes, 1};
    sgdsim_op to[2];
    uint32_t to_waits[9], places[2];
    const sgdsim_draft draft = {to, to_waits, places};
    CHECK_STATUS(sgdsim_trace_expose(&exchange, 2.0, &draft), SGDSIM_OK);
    CHECK(to[0].waits == 0 && to[0].waits_for == NULL && to[1].waits == 1);
    CHECK_STATUS(sgdsim_trace_expose(&compute, 2.0, &draft), SGDSIM_OK);
    CHECK(to[0].waits == 0 && places[0] == 0);
    CHECK_REL(to[0].duration_s, 4.0, 0.0);
}

/* Nothing comes before a cycle. It is left to whoever runs the step. */
TEST(a_cycle_of_an_exposed_step_stays_one)
{
    static const uint32_t on0[1] = {0}, on1[1] = {1};
    const sgdsim_op cycle[3] = {{SGDSIM_WORKER, 0, 2.0, 0.0, on1, 1},
                                {SGDSIM_WORKER, 0, 2.0, 0.0, on0, 1},
                                {SGDSIM_UPLINK, 0, 0.0, 8.0, on1, 1}};
    for (size_t ops = 2; ops <= 3; ops++) {
        const sgdsim_step step = {cycle, ops};
        sgdsim_op to[3];
        uint32_t to_waits[15], places[3];
        CHECK_STATUS(sgdsim_trace_expose(&step, 1.0, &(sgdsim_draft){to, to_waits, places}),
                     SGDSIM_OK);
        CHECK(to[0].waits == 1 && to[0].waits_for[0] == 1);
        CHECK(to[1].waits == 1 && to[1].waits_for[0] == 0);
        CHECK(ops == 2 || to[2].waits == 0);
    }
}

TEST(exposed_steps_that_are_none_are_refused)
{
    static const uint32_t far[1] = {9};
    sgdsim_op two[2] = {{SGDSIM_WORKER, 0, 2.0, 0.0, NULL, 0}}, to[4], *last = two + 1;
    sgdsim_step step = {two, 2}, empty = {two, 0}, missing = {NULL, 1};
    uint32_t to_waits[16], places[2] = {7, 7};
    const sgdsim_draft draft = {to, to_waits, places};
    *last = *two;
    CHECK_STATUS(sgdsim_trace_expose(NULL, 1.0, &draft), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_expose(&empty, 1.0, &draft), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_expose(&missing, 1.0, &draft), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_expose(&step, 1.0, NULL), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_expose(&step, 1.0, &(sgdsim_draft){NULL, to_waits, places}),
                 SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_expose(&step, 1.0, &(sgdsim_draft){to, NULL, places}),
                 SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_expose(&step, 1.0, &(sgdsim_draft){to, to_waits, NULL}),
                 SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_expose(&step, 0.5, &draft), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_expose(&step, HUGE_VAL, &draft), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_expose(&step, (double)NAN, &draft), SGDSIM_BAD_ARGUMENT);
    last->duration_s = 1e308;
    CHECK_STATUS(sgdsim_trace_expose(&step, 2.0, &draft), SGDSIM_BAD_ARGUMENT);
    last->duration_s = (double)NAN;
    CHECK_STATUS(sgdsim_trace_expose(&step, 2.0, &draft), SGDSIM_BAD_ARGUMENT);
    last->duration_s = 2.0;
    last->waits_for = far;
    last->waits = 1;
    CHECK_STATUS(sgdsim_trace_expose(&step, 2.0, &draft), SGDSIM_BAD_TRACE);
    CHECK(places[0] == 7);
    step.ops = 65536;
    CHECK_STATUS(sgdsim_trace_expose(&step, 2.0, &draft), SGDSIM_TOO_LARGE);
}

TEST(layers_that_are_none_make_no_step)
{
    size_t n = 0;
    random_layers(3);
    CHECK_STATUS(sgdsim_trace_tensors(&(sgdsim_tensors){layer, 0, 1.0, 1.0, 1.0, 0}, &into, &n),
                 SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_tensors(&(sgdsim_tensors){NULL, 3, 1.0, 1.0, 1.0, 0}, &into, &n),
                 SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_tensors(&(sgdsim_tensors){layer, 3, -1.0, 1.0, 1.0, 0}, &into, &n),
                 SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_tensors(&(sgdsim_tensors){layer, 3, 1.0, (double)NAN, 1.0, 0}, &into,
                                      &n), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_tensors(&(sgdsim_tensors){layer, 3, 1.0, 1.0, HUGE_VAL, 0}, &into,
                                      &n), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_tensors(&(sgdsim_tensors){layer, 32765, 1.0, 1.0, 1.0, 0}, &into, &n),
                 SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_units(layer, 0, 1, 1.0, op[0], waits), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_units(layer, 3, 1, -1.0, op[0], waits), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_units(layer, 3, UINT32_MAX, 0.0, op[0], waits), SGDSIM_OK);
    CHECK_STATUS(sgdsim_trace_join(layer, 3, -1.0, layer + 10, &n), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_join(layer, 3, 0.0, layer + 10, &n), SGDSIM_OK);
    CHECK(n == 3);
    CHECK_STATUS(sgdsim_trace_join(layer, 3, 1e300, layer + 10, &n), SGDSIM_OK);
    CHECK(n == 1);
    CHECK_REL(layer[10].bytes, layer[0].bytes + layer[1].bytes + layer[2].bytes, 1e-15);
    CHECK_REL(layer[10].update_s, layer[0].update_s + layer[1].update_s + layer[2].update_s,
              1e-15);
    layer[2].bytes = 0.0;              /* with the unit before                        */
    CHECK_STATUS(sgdsim_trace_join(layer, 3, 1.0, layer + 10, &n), SGDSIM_OK);
    CHECK(n == 2);
    CHECK_REL(layer[11].forward_s, layer[1].forward_s + layer[2].forward_s, 1e-15);
    layer[0].bytes = layer[2].bytes;   /* none is full of nothing                     */
    CHECK_STATUS(sgdsim_trace_join(layer, 3, 0.0, layer + 10, &n), SGDSIM_OK);
    CHECK(n == 1);
    layer[0].bytes = 1.0;              /* what joins the last unit late counts too     */
    layer[1].forward_s = layer[2].forward_s = 1.7e308;
    CHECK_STATUS(sgdsim_trace_join(layer, 3, 1.0, layer + 10, &n), SGDSIM_BAD_ARGUMENT);
    CHECK(n == 1 && layer[10].forward_s < 1.0);
    layer[1].forward_s = layer[2].forward_s = 0.0;
    layer[0].bytes = 0.0;
    layer[1].bytes = 1.7e308;
    layer[2].bytes = 1.7e308;
    CHECK_STATUS(sgdsim_trace_join(layer, 3, 1.79e308, layer + 10, &n), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_tensors(&(sgdsim_tensors){layer, 3, 1.0, 1.0, 1.0, 0}, &into, &n),
                 SGDSIM_BAD_ARGUMENT);
    layer[1].bytes = (double)NAN;
    CHECK_STATUS(sgdsim_trace_join(layer, 3, 1.0, layer + 10, &n), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_units(layer, 3, 1, 1.0, op[0], waits), SGDSIM_BAD_ARGUMENT);
}

/* A unit is the sum of the layers that it takes to fill it; the rest is one too, but for layers
 * without bytes, which the last has with its own. */
TEST(layers_join_until_a_unit_is_full)
{
    for (int trial = 0; trial < 300; trial++) {
        const size_t n = 1 + draw(12);
        const double least = draw(4);
        size_t units = 0, i = 0;
        random_layers(n);
        for (size_t k = 0; k < n; k++) layer[k].bytes = draw(3);
        CHECK_STATUS(sgdsim_trace_join(layer, n, least, layer + 20, &units), SGDSIM_OK);
        for (size_t u = 0; u < units; u++) {
            sgdsim_layer sum = {0.0, 0.0, 0.0, 0.0};
            int more = 1;
            for (; i < n && (more || u + 1 == units); i++) {
                sum.bytes += layer[i].bytes;
                sum.forward_s += layer[i].forward_s;
                sum.backward_s += layer[i].backward_s;
                sum.update_s += layer[i].update_s;
                if (!more) CHECK(!(layer[i].bytes > 0.0));
                more = more && (sum.bytes <= 0.0 || sum.bytes < least);
            }
            CHECK_REL(layer[20 + u].bytes, sum.bytes, 0.0);
            CHECK_REL(layer[20 + u].forward_s, sum.forward_s, 1e-15);
            CHECK_REL(layer[20 + u].backward_s, sum.backward_s, 1e-15);
            CHECK_REL(layer[20 + u].update_s, sum.update_s, 1e-15);
        }
        CHECK(i == n);
    }
}

/* Who waits for nothing names nothing: of steps of any maker. */
TEST(ops_that_wait_for_nothing_have_no_list)
{
    size_t n = 0, i;
    random_layers(5);
    for (uint32_t prefetch = 0; prefetch < 6; prefetch++) {
        CHECK_STATUS(sgdsim_trace_units(layer, 5, prefetch, 1.0, op[0], waits), SGDSIM_OK);
        for (i = 0; i < 25; i++) CHECK((op[0][i].waits == 0) == (op[0][i].waits_for == NULL));
    }
    CHECK_STATUS(sgdsim_trace_tensors(&(sgdsim_tensors){layer, 5, 1.0, 1.0, 1.0, 1}, &into, &n),
                 SGDSIM_OK);
    for (i = 0; i < n; i++) CHECK((op[0][i].waits == 0) == (op[0][i].waits_for == NULL));
}

/* Of two tensors: forward, a pass and an upload of each, the rest of the pass behind the
 * last, an update behind all, and what is gathered behind it. */
TEST(tensors_wait_for_the_pass_before_them)
{
    static const uint32_t want[8][3] = { { 0 }, { 0 }, { 1 }, { 1 }, { 3 }, { 3 }, { 2, 4, 5 },
                                         { 6 } };
    size_t n = 0;
    random_layers(2);
    CHECK_STATUS(sgdsim_trace_tensors(&(sgdsim_tensors){layer, 2, 1.0, 1.0, 1.0, 1}, &into, &n),
                 SGDSIM_OK);
    CHECK(n == 8);
    for (size_t i = 0; i < 8; i++) {
        CHECK(op[0][i].waits == (i == 0 ? 0u : i == 6 ? 3u : 1u));
        for (size_t k = 0; k < op[0][i].waits; k++) CHECK(op[0][i].waits_for[k] == want[i][k]);
    }
}

/* Nothing to write to, sums past the largest double: every sum of every call. */
TEST(steps_past_the_largest_double_are_refused)
{
    static sgdsim_layer large[2];
    double *field[4];
    size_t n = 7;
    field[0] = &large[1].bytes;
    field[1] = &large[1].forward_s;
    field[2] = &large[1].backward_s;
    field[3] = &large[1].update_s;
    for (size_t i = 0; i < 4; i++) {
        memset(large, 0, sizeof large);
        large[0].bytes = large[0].forward_s = large[0].backward_s = large[0].update_s = 1e308;
        *field[i] = 1e308;
        CHECK_STATUS(sgdsim_trace_join(large, 2, 0.0, layer, &n), SGDSIM_BAD_ARGUMENT);
    }
    CHECK_STATUS(sgdsim_trace_units(large, 2, 1, 0.0, op[0], waits), SGDSIM_BAD_ARGUMENT);
    large[1].update_s = 0.0;
    CHECK_STATUS(sgdsim_trace_units(large, 2, 1, 2.0, op[0], waits), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_units(large, 2, 1, 1.0, NULL, waits), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_units(large, 2, 1, 1.0, op[0], NULL), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_join(large, 2, 0.0, NULL, &n), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_join(large, 2, 0.0, layer, NULL), SGDSIM_BAD_ARGUMENT);
#define TENSORS(op, waits, ops)                                                 \
    sgdsim_trace_tensors(&(sgdsim_tensors){large, 2, 1.0, 1.0, 1.0, 0},         \
                         &(sgdsim_draft){op, waits, NULL}, ops)
    CHECK_STATUS(TENSORS(NULL, waits, &n), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(TENSORS(op[0], NULL, &n), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(TENSORS(op[0], waits, NULL), SGDSIM_BAD_ARGUMENT);
    large[1].bytes = -1.0;
    CHECK_STATUS(TENSORS(op[0], waits, &n), SGDSIM_BAD_ARGUMENT);
    large[1].bytes = 1.0;
    large[1].backward_s = -1.0;
    CHECK_STATUS(TENSORS(op[0], waits, &n), SGDSIM_BAD_ARGUMENT);
#undef TENSORS
    CHECK(n == 7);
}

static int no_cost(void *ctx, sgdsim_resource what, double bytes, sgdsim_cost *cost)
{
    (void)ctx;
    (void)what;
    (void)bytes;
    memset(cost, 0, sizeof *cost);
    return 0;
}

/* A callback that knows no cost; buckets, times and steps past the largest double; a second
 * step with an exchange more, of another kind, or one that the first has behind its last. */
TEST(groups_whose_sums_are_none_are_refused)
{
    const sgdsim_group good = two_uplinks(given_cost);
    sgdsim_group_result out = {0}, before;
    before = out;
    give(2.0, 0.0, 0.0, 2.0, 0.0);
    REFUSED(g.cost = no_cost, SGDSIM_BAD_ARGUMENT);
    REFUSED((op[0][1].bytes = op[0][2].bytes = 1e308, g.bucket_bytes = 1.7e308,
             g.first_bucket_bytes = 1.7e308), SGDSIM_BAD_ARGUMENT);
    op[0][1].bytes = op[0][2].bytes = 100.0;
    REFUSED((op[0][0].duration_s = 1e308, g.length.steps = 3), SGDSIM_BAD_ARGUMENT);
    op[0][0].duration_s = 1.0;
    REFUSED((op[0][1].waits = 65536), SGDSIM_TOO_LARGE);
    op[0][1].waits = 1;
    memcpy(op[1], op[0], 3 * sizeof op[0][0]);
    op[1][3] = op[1][2];
    steps[1].op = op[1];
    steps[1].ops = 4;
    trace.steps = 2;
    REFUSED((void)g, SGDSIM_BAD_TRACE);
    op[1][3].resource = SGDSIM_WORKER;             /* an op that is no exchange        */
    REFUSED((void)g, SGDSIM_OK);
    op[1][1].resource = SGDSIM_DOWNLINK;
    REFUSED((void)g, SGDSIM_BAD_TRACE);
    REFUSED(g.gathers = 1, SGDSIM_BAD_TRACE);      /* an exchange of another kind      */
    steps[1].ops = 2;
    op[1][1].resource = SGDSIM_UPLINK;
    REFUSED((void)g, SGDSIM_BAD_TRACE);
    trace.steps = 1;
    op[0][0].duration_s = 0.0;                     /* no time: no rate                 */
    give(1e-310, 0.0, 0.0, 1e-310, 0.0);
    REFUSED((void)g, SGDSIM_NO_WINDOW);
    for (size_t i = 0; i < 3; i++) op[0][i].resource = SGDSIM_WORKER;
    for (size_t i = 0; i < 3; i++) op[0][i].duration_s = 1e308; /* no exchange to stop at     */
    REFUSED((void)g, SGDSIM_BAD_ARGUMENT);
    (void)before;
}

int main(void)
{
    const int failed = test_all("test_sim_collectives");
    free(work);
    return failed;
}
