/* Steps of data-parallel training against event lists of their own, and what a worker holds
 * against the tables of the papers. */
#include "../sgdperf_parallel.h"

#include <float.h>
#include <math.h>

#include "chance.h"
#include "test.h"

enum { MOST = 96 };

/* ---- A step as tasks: one computes, one exchanges, each in order ------------------- */

/* Something to be done on one of two resources. It may begin when what it waits for has
 * ended; exchanges are served in the order in which they may begin, of equal ones in that
 * of the list. `slow` is how much longer it takes while the other resource works. */
typedef struct task {
    double left_s, slow;
    int    exchange, overlaps;         /* overlaps: does it slow, and is it slowed?      */
    size_t waits[2];                   /* indices of others, or NONE                     */
    double may_s, end_s;               /* -1: not yet                                    */
} task;

enum { NONE = 9999 };

typedef struct tasks { size_t n; task task[8 * MOST]; } tasks;

static size_t add_task(tasks *t, int exchange, double time_s, size_t a, size_t b)
{
    task *of = &t->task[t->n];
    of->left_s = time_s;
    of->slow = 1.0;
    of->exchange = exchange;
    of->overlaps = 1;
    of->waits[0] = a;
    of->waits[1] = b;
    of->may_s = of->end_s = -1.0;
    return t->n++;
}

static int has_ended(const tasks *t, size_t i) { return i == NONE || t->task[i].end_s >= 0.0; }

/* The task of a resource that is served now: of those that may, the one that could first. */
static size_t served(const tasks *t, int exchange)
{
    size_t best = NONE;
    for (size_t i = 0; i < t->n; i++) {
        const task *of = &t->task[i];
        if (of->exchange != exchange || of->may_s < 0.0 || of->end_s >= 0.0) continue;
        if (best == NONE || of->may_s < t->task[best].may_s) best = i;
    }
    return best;
}

static double run_tasks(tasks *t)
{
    double now_s = 0.0;
    for (;;) {
        size_t i, on[2];
        double by[2] = { 1.0, 1.0 }, dt = HUGE_VAL;
        for (i = 0; i < t->n; i++) {
            task *of = &t->task[i];
            if (of->may_s < 0.0 && has_ended(t, of->waits[0]) && has_ended(t, of->waits[1]))
                of->may_s = now_s;
        }
        for (i = 0; i < 2; i++) on[i] = served(t, (int)i);
        if (on[0] == NONE && on[1] == NONE) return now_s;
        for (i = 0; i < 2; i++) {
            if (on[i] == NONE) continue;
            if (on[1 - i] != NONE && t->task[on[0]].overlaps && t->task[on[1]].overlaps)
                by[i] = t->task[on[i]].slow;
            dt = fmin(dt, t->task[on[i]].left_s * by[i]);
        }
        now_s += dt;
        for (i = 0; i < 2; i++) {
            task *of = on[i] == NONE ? NULL : &t->task[on[i]];
            if (!of) continue;
            if (of->left_s * by[i] <= dt) {
                of->left_s = 0.0;
                of->end_s = now_s;
            } else {
                of->left_s -= dt / by[i];
            }
        }
    }
}

/* ---- Replicas ---------------------------------------------------------------------- */

static sgdpar_tensor tensor[MOST];
static sgdpar_unit unit[MOST];
static sgdpar_protocol ways[3];
static tasks list;

static sgdpar_replica random_replica(sgdpar_sharding sharding)
{
    memset(ways, 0, sizeof ways);
    ways[1].collective = SGDPAR_COLLECTIVE_REDUCE_SCATTER;
    ways[2].collective = SGDPAR_COLLECTIVE_ALL_GATHER;
    for (size_t i = 0; i < 3; i++) ways[i].form = SGDPAR_FORM_SPLIT;
    sgdpar_replica r = {.sharding = sharding};
    r.layers.tensors = r.layers.units = 1 + (size_t)random_below(40.0);
    r.layers.tensor = tensor;
    r.layers.unit = unit;
    for (size_t i = 0; i < r.layers.tensors; i++) {
        tensor[i].bytes = (uint64_t)random_below(3e6);
        tensor[i].backward_s = random_below(1.0) < 0.3 ? 0.0 : random_below(0.01);
        unit[i].bytes = (double)tensor[i].bytes;
        unit[i].forward_s = random_below(0.004);
        unit[i].backward_s = random_below(0.01);
    }
    tensor[r.layers.tensors] = (sgdpar_tensor){(uint64_t)1 << 60, (double)NAN};  /* not read */
    unit[r.layers.units] = (sgdpar_unit){(double)NAN, (double)NAN, (double)NAN};
    r.compute.forward_s = random_below(0.05);
    r.compute.tail_s = random_below(0.01);
    r.compute.update_s = random_below(0.01);
    r.buckets.cap_bytes = 1 + (uint64_t)random_below(8e6);
    r.buckets.first_bytes = 1 + (uint64_t)random_below(2e6);
    r.schedule.prefetch = (uint32_t)random_below(5.0);
    r.schedule.accumulate = (uint32_t)random_below(4.0);
    r.layers.gathered = random_below(1.0) < 0.5 ? 0.0 : 0.5;
    r.network.topology.machines = 1 + (uint32_t)random_below(5.0);
    r.network.topology.gpus = 1 + (uint32_t)random_below(5.0);
    r.network.topology.latency_s = 1e-5;
    r.network.topology.local_latency_s = 2e-6;
    r.network.topology.bandwidth_bytes_per_s = pow(10.0, 8.5 + random_below(1.5));
    r.network.topology.local_bandwidth_bytes_per_s = 2e9;
    r.network.protocol = ways;
    r.network.protocols = 3;
    return r;
}

static double workers_of(const sgdpar_replica *r)
{
    return (double)r->network.topology.machines * (double)r->network.topology.gpus;
}

static double exchange_of(sgdpar_collective what, const sgdpar_topology *on, double bytes)
{
    double s = 0.0;
    if (on->machines * on->gpus == 1) return 0.0;
    CHECK_STATUS(sgdpar_collective_time(what, &ways[0], on, bytes, &s), SGDPAR_OK);
    return s;
}

static sgdpar_replica_step predicted(const sgdpar_replica *r)
{
    static double work[4096];
    sgdpar_replica_step step = {0};
    size_t need = 0;
    CHECK_STATUS(sgdpar_replica_time_bytes(r, &need), SGDPAR_OK);
    CHECK(need <= sizeof work);
    CHECK_STATUS(sgdpar_replica_time(r, work, need, &step), SGDPAR_OK);
    CHECK_REL(step.compute_s + step.exposed_s, step.step_s, 1e-12);
    return step;
}

static double at_least_1(double x) { return x > 1.0 ? x : 1.0; }

static double scale_of(const sgdpar_replica *r)
{
    return r->compute.scale > 0.0 ? r->compute.scale : 1.0;
}

/* How many times as long as in the profile a pass of the slowest worker takes. */
static double stretch_of(const sgdpar_replica *r)
{
    return scale_of(r) * (r->compute.slowest > 0.0 ? r->compute.slowest : 1.0)
        * at_least_1(r->compute.growth);
}

static void vary_compute(sgdpar_replica *r)
{
    if (draw(2)) r->compute.scale = 0.1 + random_below(3.0);
    if (draw(2)) r->compute.slowest = 0.5 + random_below(1.0);
    if (draw(2)) r->compute.growth = 1.0 + random_below(0.5);
}

/* A micro-batch of a replicated model; with exchanges buckets are made here once more. */
static double replicated_pass_s(const sgdpar_replica *r, sgdpar_collective what, double *sum_s,
                                size_t *buckets)
{
    uint64_t held = 0, limit = r->buckets.first_bytes;
    list.n = 0;
    const double by = stretch_of(r);
    size_t last = add_task(&list, 0, by * r->compute.forward_s, NONE, NONE);
    for (size_t i = 0; i < r->layers.tensors; i++) {
        last = add_task(&list, 0, by * r->layers.tensor[i].backward_s, last, NONE);
        list.task[last].slow = at_least_1(r->overlap.compute_slowdown);
        held += r->layers.tensor[i].bytes;
        if (held >= limit || i + 1 == r->layers.tensors) {
            const double s = exchange_of(what, &r->network.topology, (double)held);
            const size_t e = add_task(&list, 1, s, last, NONE);
            list.task[e].slow = at_least_1(r->overlap.exchange_slowdown);
            *sum_s += s;
            ++*buckets;
            held = 0;
            limit = r->buckets.cap_bytes;
        }
    }
    last = add_task(&list, 0, by * r->compute.tail_s, last, NONE);
    list.task[last].slow = r->overlap.compute_slowdown > 1.0 ? r->overlap.compute_slowdown : 1.0;
    return run_tasks(&list);
}

static double pass_alone_s(const sgdpar_replica *r)
{
    double s = r->compute.forward_s + r->compute.tail_s;
    for (size_t i = 0; i < r->layers.tensors; i++) s += r->layers.tensor[i].backward_s;
    return stretch_of(r) * s;
}

static double model_bytes(const sgdpar_replica *r)
{
    double bytes = 0.0;
    for (size_t i = 0; i < r->layers.tensors; i++) bytes += (double)r->layers.tensor[i].bytes;
    return bytes;
}

TEST(steps_with_buckets_are_those_of_a_list_of_events)
{
    int trial, trials = TEST_SIZE(400, 20000);
    for (trial = 0; trial < trials; trial++) {
        sgdpar_replica r = random_replica((sgdpar_sharding)(trial % 3));
        const double passes = r.schedule.accumulate > 1 ? r.schedule.accumulate : 1.0;
        const double gathered = r.layers.gathered > 0.0 ? r.layers.gathered : 1.0;
        double pass_s, sum_s = 0.0, step_s, gather_s = 0.0;
        size_t exchanges = 0;
        vary_compute(&r);
        if (trial % 2) r.overlap.compute_slowdown = 1.0 + random_below(1.0);
        if (trial % 5 > 1) r.overlap.exchange_slowdown = 1.0 + random_below(1.0);
        pass_s = replicated_pass_s(&r, r.sharding == SGDPAR_SHARDING_NONE
                                   ? SGDPAR_COLLECTIVE_ALL_REDUCE
                                   : SGDPAR_COLLECTIVE_REDUCE_SCATTER, &sum_s, &exchanges);
        if (r.sharding == SGDPAR_SHARDING_GRADIENTS) {
            step_s = passes * pass_s;
            sum_s *= passes;
            exchanges *= (size_t)passes;
        } else {
            step_s = pass_s + (passes - 1.0) * pass_alone_s(&r);
        }
        if (r.sharding != SGDPAR_SHARDING_NONE)
            gather_s = exchange_of(SGDPAR_COLLECTIVE_ALL_GATHER, &r.network.topology,
                                   model_bytes(&r) * gathered);
        step_s += gather_s + scale_of(&r) * r.compute.update_s
            / (r.sharding == SGDPAR_SHARDING_NONE ? 1.0 : workers_of(&r));
        CHECK_REL(predicted(&r).step_s, step_s, 1e-12);
        CHECK_REL(predicted(&r).exchange_s, sum_s + gather_s, 1e-12);
        CHECK(predicted(&r).exchanges == (workers_of(&r) < 2.0 ? 0
              : exchanges + (r.sharding != SGDPAR_SHARDING_NONE)));
    }
}

/* The place of a gather among the tasks of a pass: what has to end before it is issued. */
static size_t ended_before(const size_t *computed, size_t i, uint32_t prefetch, size_t begin)
{
    return i > prefetch ? computed[i - 1 - prefetch] : begin;
}

/* Gathers and scatters are added in the order that holds among those of the same time. */
static double sharded_pass_s(const sgdpar_replica *r, const double *gather_s,
                             const double *scatter_s)
{
    size_t forward[MOST], backward[MOST], gathered[MOST], n = r->layers.units, i, last = NONE, next;
    const double by = stretch_of(r);
    list.n = 0;
    for (i = 0; i < n; i++) {
        gathered[i] = add_task(&list, 1, gather_s[i],
                               ended_before(forward, i, r->schedule.prefetch, NONE), NONE);
        last = forward[i] = add_task(&list, 0, by * unit[i].forward_s, last, gathered[i]);
    }
    for (next = 0; next < n && next <= r->schedule.prefetch; next++)
        gathered[next] = add_task(&list, 1, gather_s[n - 1 - next], last, NONE);
    for (i = 0; i < n; i++) {
        last = backward[i] =
            add_task(&list, 0, by * unit[n - 1 - i].backward_s, last, gathered[i]);
        (void)add_task(&list, 1, scatter_s[n - 1 - i], last, NONE);
        if (next < n) {
            const size_t ended = ended_before(backward, next, r->schedule.prefetch, NONE);
            gathered[next] = add_task(&list, 1, gather_s[n - 1 - next], ended, NONE);
            next++;
        }
    }
    for (i = 0; i < list.n; i++) {
        const double slow = list.task[i].exchange ? r->overlap.exchange_slowdown
                                                  : r->overlap.compute_slowdown;
        if (slow > 1.0) list.task[i].slow = slow;
    }
    return run_tasks(&list);
}

/* All times small multiples of 2^-11 s: computations and collectives often end at once. */
static void make_times_whole(sgdpar_replica *r)
{
    sgdpar_topology *on = &r->network.topology;
    for (size_t i = 0; i < r->layers.units; i++) {
        unit[i].bytes = 2097152.0 * floor(random_below(4.0));
        unit[i].forward_s = floor(random_below(4.0)) / 2048.0;
        unit[i].backward_s = floor(random_below(6.0)) / 2048.0;
    }
    on->latency_s = on->local_latency_s = 0.0;
    on->bandwidth_bytes_per_s = on->local_bandwidth_bytes_per_s = 1073741824.0;
    on->machines = 2;
    on->gpus = r->sharding == SGDPAR_SHARDING_HYBRID ? 2 : 1;
}

TEST(sharded_steps_are_those_of_a_list_of_events)
{
    int trial, trials = TEST_SIZE(300, 20000);
    for (trial = 0; trial < trials; trial++) {
        sgdpar_replica r = random_replica(trial % 2 ? SGDPAR_SHARDING_ALL : SGDPAR_SHARDING_HYBRID);
        const double passes = r.schedule.accumulate > 1 ? r.schedule.accumulate : 1.0;
        const double whole = r.layers.gathered > 0.0 ? r.layers.gathered : 1.0;
        double gather_s[MOST], scatter_s[MOST], step_s, sum_s = 0.0, g;
        sgdpar_topology group, others;
        if (trial % 4 > 1) make_times_whole(&r);
        else vary_compute(&r);
        group = others = r.network.topology;
        g = r.network.topology.gpus;
        if (trial % 3) r.overlap.compute_slowdown = 1.0 + random_below(1.0);
        if (trial % 5 > 1) r.overlap.exchange_slowdown = 1.0 + random_below(1.0);
        if (r.sharding == SGDPAR_SHARDING_HYBRID) group.machines = 1;
        others.gpus = 1;
        others.bandwidth_bytes_per_s /= g;
        for (size_t i = 0; i < r.layers.units; i++) {
            gather_s[i] = exchange_of(SGDPAR_COLLECTIVE_ALL_GATHER, &group,
                                      whole * unit[i].bytes);
            scatter_s[i] = exchange_of(SGDPAR_COLLECTIVE_REDUCE_SCATTER, &group, unit[i].bytes);
            if (r.sharding == SGDPAR_SHARDING_HYBRID)
                scatter_s[i] += exchange_of(SGDPAR_COLLECTIVE_ALL_REDUCE, &others,
                                            unit[i].bytes / g);
            sum_s += 2.0 * gather_s[i] + scatter_s[i];
        }
        step_s = passes * sharded_pass_s(&r, gather_s, scatter_s)
            + scale_of(&r) * r.compute.update_s
            / (r.sharding == SGDPAR_SHARDING_HYBRID ? g : workers_of(&r));
        CHECK_REL(predicted(&r).step_s, step_s, 1e-12);
        CHECK_REL(predicted(&r).exchange_s, passes * sum_s, 1e-12);
        if (workers_of(&r) > 1.0) {    /* of each unit 2 gathers, a scatter, between machines */
            const int between = r.sharding == SGDPAR_SHARDING_HYBRID
                && r.network.topology.machines > 1;
            CHECK(predicted(&r).exchanges
                  == (size_t)passes * r.layers.units * (between ? 4 : 3));
        }
    }
}

/* ---- Closed forms ------------------------------------------------------------------ */

static void make_units_equal(sgdpar_replica *r, double bytes, double forward_s)
{
    for (size_t i = 0; i < r->layers.units; i++) {
        unit[i].bytes = bytes;
        unit[i].forward_s = forward_s;
        unit[i].backward_s = 2.0 * forward_s;
    }
    r->schedule.accumulate = 1;
    r->layers.gathered = 1.0;
}

/* G to gather or to scatter one of L units, F and 2 F to compute with it. */
TEST(fsdp_of_equal_units_is_a_closed_form_where_one_resource_is_always_busy)
{
    for (int trial = 0; trial < 200; trial++) {
        sgdpar_replica r = random_replica(SGDPAR_SHARDING_ALL);
        double G, F, L = (double)r.layers.units;
        if (workers_of(&r) < 2.0) continue;
        r.schedule.prefetch = 1 + (uint32_t)(trial % 3);
        make_units_equal(&r, 1e6, 1e-9);
        G = exchange_of(SGDPAR_COLLECTIVE_ALL_GATHER, &r.network.topology, 1e6);
        F = unit[0].forward_s;
        /* Computing is nothing: 3 L collectives one after the other. */
        CHECK_REL(predicted(&r).step_s, 3.0 * L * G + r.compute.update_s / workers_of(&r),
                  1e-9 + 4.0 * L * F / (3.0 * L * G));
        /* Exchanging is nothing: the first gather of each pass, and the last scatter. */
        make_units_equal(&r, 1e6, 10.0 * G);
        F = unit[0].forward_s;
        CHECK_REL(predicted(&r).step_s, 3.0 * L * F + 3.0 * G + r.compute.update_s / workers_of(&r),
                  1e-12);
        /* Nothing ahead: nothing of a gather is hidden, all but the last scatter is. */
        r.schedule.prefetch = 0;
        CHECK_REL(predicted(&r).step_s,
                  3.0 * L * F + 2.0 * L * G + L * G + r.compute.update_s / workers_of(&r), 1e-12);
    }
}

TEST(sharding_moves_what_zero_says_that_it_moves)
{
    sgdpar_replica r = random_replica(SGDPAR_SHARDING_NONE);
    r.network.topology.machines = 8;
    r.network.topology.gpus = 1;
    r.network.topology.latency_s = 0.0;
    r.schedule.accumulate = 1;
    r.layers.gathered = 1.0;
    double ddp_s = predicted(&r).exchange_s;
    double n = 8.0;
    CHECK_REL(ddp_s, 2.0 * (n - 1.0) / n * model_bytes(&r)
                         / r.network.topology.bandwidth_bytes_per_s, 1e-12);
    for (size_t i = 1; i <= 2; i++) {
        r.sharding = (sgdpar_sharding)i;
        double zero_s = predicted(&r).exchange_s;
        CHECK_REL(zero_s, ddp_s, 1e-12);
    }
    r.sharding = SGDPAR_SHARDING_ALL;
    CHECK_REL(predicted(&r).exchange_s, 1.5 * ddp_s, 1e-12);
}

TEST(local_sgd_and_a_norm_are_their_formulas)
{
    sgdpar_replica r = random_replica(SGDPAR_SHARDING_NONE);
    r.network.topology.machines = 4;
    r.schedule.accumulate = 3;
    r.schedule.local_steps = 7;
    double s = exchange_of(SGDPAR_COLLECTIVE_ALL_REDUCE, &r.network.topology,
                           model_bytes(&r) * (r.layers.gathered > 0.0 ? r.layers.gathered : 1.0));
    CHECK_REL(predicted(&r).step_s, 3.0 * pass_alone_s(&r) + r.compute.update_s + s / 7.0, 1e-12);
    CHECK(predicted(&r).exchanges == 1);
    r.schedule.local_steps = 0;
    double E = predicted(&r).exchange_s;
    double C = pass_alone_s(&r);
    r.overlap.exponent = 2.5;
    CHECK_REL(predicted(&r).step_s,
              2.0 * C + pow(pow(C, 2.5) + pow(E, 2.5), 0.4) + r.compute.update_s, 1e-12);
    r.overlap.exponent = 1.0;
    CHECK_REL(predicted(&r).step_s, 3.0 * C + E + r.compute.update_s, 1e-12);
}

/* What is exchanged is exchanged at once, and hides as far as the exposure says. */
TEST(an_exposure_is_its_formula)
{
    static const double exposures[5] = { 1.25, 1.0, 0.3, -1.0, 7.0 };
    for (int trial = 0; trial < TEST_SIZE(200, 5000); trial++) {
        const sgdpar_sharding sharding = (sgdpar_sharding)(trial % SGDPAR_SHARDING_COUNT);
        sgdpar_replica r = random_replica(sharding), whole;
        const double h = exposures[trial / 5 % 5], part = h > 0.0 ? h : 0.0;
        const double passes = at_least_1(r.schedule.accumulate);
        const double keepers = sharding == SGDPAR_SHARDING_NONE ? 1.0
            : sharding == SGDPAR_SHARDING_HYBRID ? r.network.topology.gpus : workers_of(&r);
        double compute_s, exchange_s, step_s;
        r.compute.growth = trial % 2 ? 1.0 + random_below(0.5) : 0.0;
        whole = r;
        whole.buckets.first_bytes = whole.buckets.cap_bytes = UINT64_MAX;
        exchange_s = predicted(&whole).exchange_s;
        compute_s = predicted(&whole).compute_s - r.compute.update_s / keepers;
        step_s = fmax(compute_s + part * exchange_s, exchange_s) + r.compute.update_s / keepers;
        r.overlap.exposure = h;
        CHECK_REL(predicted(&r).step_s, step_s, 1e-12);
        CHECK_REL(predicted(&r).exchange_s, at_least_1(h) * exchange_s, 1e-12);
        CHECK_REL(predicted(&r).compute_s, predicted(&whole).compute_s, 0.0);
        if (sharding != SGDPAR_SHARDING_NONE) continue;
        r.schedule.local_steps = whole.schedule.local_steps = 1 + (uint32_t)trial % 3;
        CHECK_REL(predicted(&r).step_s, passes * (compute_s / passes) + r.compute.update_s
                  + at_least_1(h) * predicted(&whole).exchange_s, 1e-12);
    }
}

TEST(one_worker_exchanges_nothing)
{
    for (int i = 0; i < 4 * (int)SGDPAR_SHARDING_COUNT; i++) {
        sgdpar_replica r = random_replica((sgdpar_sharding)(i % (int)SGDPAR_SHARDING_COUNT));
        r.network.topology.machines = r.network.topology.gpus = 0;
        r.network.protocols = 0;
        CHECK(predicted(&r).exchange_s <= 0.0 && predicted(&r).exchanges == 0);
        CHECK_REL(predicted(&r).step_s, predicted(&r).compute_s, 1e-12);
        CHECK(predicted(&r).exposed_s <= 0.0); /* in whichever order compute is added up */
    }
}

/* A size_t of 32 bits counts a scatter of each micro-batch and the gather, but not one more. */
TEST(more_exchanges_than_a_size_t_counts_are_too_large)
{
    static double work[64];
    const int wide = sizeof(size_t) > 4;
    sgdpar_replica r = random_replica(SGDPAR_SHARDING_GRADIENTS);
    sgdpar_replica_step step = {0};
    r.layers.tensors = 1;
    r.network.topology.machines = 2;
    r.schedule.accumulate = UINT32_MAX - 1;
    CHECK(predicted(&r).exchanges == (size_t)UINT32_MAX);
    r.schedule.accumulate = UINT32_MAX;
    CHECK_STATUS(sgdpar_replica_time(&r, NULL, 0, &step), wide ? SGDPAR_OK : SGDPAR_TOO_LARGE);
    CHECK(step.exchanges == (wide ? (size_t)UINT32_MAX + 1 : 0));
    r.network.topology.machines = r.network.topology.gpus = 0;
    CHECK(predicted(&r).exchanges == 0);
    r = random_replica(SGDPAR_SHARDING_ALL);
    memset(&step, 0, sizeof step);
    r.layers.units = 2;
    r.network.topology.machines = 2;
    r.schedule.accumulate = UINT32_MAX / 6;
    CHECK(predicted(&r).exchanges == 6 * (size_t)r.schedule.accumulate);
    r.schedule.accumulate++;
    CHECK_STATUS(sgdpar_replica_time(&r, work, sizeof work, &step),
                 wide ? SGDPAR_OK : SGDPAR_TOO_LARGE);
    CHECK(step.exchanges == (wide ? 6 * (size_t)r.schedule.accumulate : 0));
}

TEST(the_best_bucket_is_the_best_of_those_tried)
{
    for (int trial = 0; trial < 40; trial++) {
        sgdpar_replica r = random_replica(SGDPAR_SHARDING_NONE);
        sgdpar_replica_step best, step;
        uint64_t bytes = 0, limit;
        r.network.topology.machines = 4;
        r.network.topology.latency_s = 1e-4;
        r.buckets.cap_bytes = trial % 2 == 0 ? 0 : (uint64_t)3 << trial / 2;
        limit = r.buckets.cap_bytes > 0 ? r.buckets.cap_bytes : 65536;
        CHECK_STATUS(sgdpar_best_bucket(&r, &bytes, &best), SGDPAR_OK);
        CHECK(bytes >= limit && bytes % limit == 0);
        r.buckets.cap_bytes = bytes;
        step = predicted(&r);
        CHECK_REL(step.step_s, best.step_s, 0.0);
        CHECK(step.exchanges == best.exchanges);
        for (; limit < 1u << 30; limit *= 2) {         /* the largest of the best */
            const int later = limit > bytes && (double)limit < 2.0 * model_bytes(&r);
            r.buckets.cap_bytes = limit;
            CHECK(predicted(&r).step_s >= best.step_s);
            CHECK(!later || predicted(&r).step_s > best.step_s);
        }
    }
}

/* With an exposure buckets make no difference: the best is that which hides most without. */
TEST(the_best_bucket_of_an_exposed_step_is_that_of_a_followed_one)
{
    for (int trial = 0; trial < 10; trial++) {
        sgdpar_replica r = random_replica((sgdpar_sharding)(trial % 3)), exposed;
        sgdpar_replica_step best, step;
        uint64_t bytes = 0, same = 0;
        r.network.topology.machines = 4;
        r.network.topology.latency_s = 1e-4;
        CHECK_STATUS(sgdpar_best_bucket(&r, &bytes, &best), SGDPAR_OK);
        exposed = r;
        exposed.overlap.exposure = trial % 2 ? 1.25 : 0.75;
        CHECK_STATUS(sgdpar_best_bucket(&exposed, &same, &step), SGDPAR_OK);
        CHECK(same == bytes);
        CHECK_REL(step.step_s, predicted(&exposed).step_s, 0.0);
    }
}

static int is_time(double x) { return x >= 0.0 && x <= DBL_MAX; }
static int is_factor(double x) { return is_time(x) && (x >= 1.0 || x <= 0.0); }

/* Mostly what it was, else something that may be wrong. */
static void mistake(double *x)
{
    static const double some[] = {0.0, 1.0, 1.5, 0.5, -1.0, -0.0, HUGE_VAL, -HUGE_VAL};
    if (draw(10) == 0) *x = some[draw(8)];
    if (draw(100) == 0) *x = (double)NAN;
}

/* Each number by itself, and options that exclude each other. */
TEST(options_are_taken_or_refused_as_the_header_says)
{
    static double work[4096];
    size_t taken = 0;
    for (int trial = 0; trial < TEST_SIZE(20000, 200000); trial++) {
        sgdpar_replica r = random_replica((sgdpar_sharding)draw(SGDPAR_SHARDING_COUNT));
        const int units = r.sharding >= SGDPAR_SHARDING_ALL;
        double *const number[] = {&r.overlap.exponent, &r.overlap.exposure, &r.compute.slowest,
            &r.overlap.compute_slowdown, &r.overlap.exchange_slowdown, &r.compute.growth,
            &r.compute.scale, &r.layers.gathered, &r.compute.update_s,
            &r.compute.forward_s, &r.compute.tail_s, &tensor[r.layers.tensors - 1].backward_s,
            &unit[draw((uint32_t)r.layers.units)].bytes,
            &unit[draw((uint32_t)r.layers.units)].forward_s,
            &unit[draw((uint32_t)r.layers.units)].backward_s};
        double *const *n = number;
        sgdpar_replica_step step = {.step_s = -7.0};
        const size_t own = units ? 12 : 9;
        int good = 1, slowed;
        for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) mistake(number[i]);
        if (draw(6) == 0) r.schedule.local_steps = 2;
        for (size_t i = own; i < own + 3; i++) good = good && is_time(*n[i]);
        for (size_t i = 6; i < 9; i++) good = good && is_time(*n[i]);
        for (size_t i = 3; i < 6; i++) good = good && is_factor(*n[i]);
        good = good && is_factor(*n[0]) && is_time(fabs(*n[1])) && is_time(*n[2]);
        slowed = *n[3] > 1.0 || *n[4] > 1.0;
        if (*n[0] > 0.0 && (units || r.schedule.local_steps > 0 || slowed)) good = 0;
        if (fabs(*n[1]) > 0.0 && (*n[0] > 0.0 || slowed)) good = 0;
        if (r.schedule.local_steps > 0 && (r.sharding != SGDPAR_SHARDING_NONE || *n[2] > 1.0
                                           || (*n[2] > 0.0 && *n[2] < 1.0))) good = 0;
        CHECK_STATUS(sgdpar_replica_time(&r, work, sizeof work, &step),
                     good ? SGDPAR_OK : SGDPAR_BAD_ARGUMENT);
        CHECK(good ? step.step_s >= 0.0 : step.step_s < -6.0);
        taken += good != 0;
    }
    CHECK(taken > 4000);
}

/* A latency of a link that is there, or of a protocol, is enough. */
TEST(a_best_bucket_needs_some_latency)
{
    for (int trial = 0; trial < 400; trial++) {
        sgdpar_replica r = random_replica((sgdpar_sharding)draw(3));
        sgdpar_topology *on = &r.network.topology;
        sgdpar_cost *cost = &ways[draw(3)].cost;
        sgdpar_replica_step best = {.step_s = -7.0};
        uint64_t bytes = 7;
        on->machines = draw(4);
        on->gpus = draw(4);
        on->latency_s = draw(2) * 1e-4;
        on->local_latency_s = draw(2) * 1e-4;
        *cost = (sgdpar_cost){.base_s = draw(8) / 7 * 1e-4, .latency_s = draw(8) / 7 * 1e-4,
                              .local_latency_s = draw(8) / 7 * 1e-4};
        if (on->machines > 1 ? on->latency_s + on->gpus / 2 * on->local_latency_s > 0.0
                             : on->gpus / 2 * on->local_latency_s > 0.0) cost = NULL;
        if (!cost || cost->base_s + cost->latency_s + cost->local_latency_s > 0.0) {
            CHECK_STATUS(sgdpar_best_bucket(&r, &bytes, &best), SGDPAR_OK);
            CHECK(bytes >= r.buckets.cap_bytes && best.step_s > 0.0);
        } else {
            CHECK_STATUS(sgdpar_best_bucket(&r, &bytes, &best), SGDPAR_BAD_ARGUMENT);
            CHECK(bytes == 7 && best.step_s < -6.0);
        }
    }
}

/* ---- Other machines, and the ways that are taken ----------------------------------- */

static sgdpar_tensor slow_tensor[MOST];
static sgdpar_unit slow_unit[MOST];

/* The same with all that is computed, and the update, so many times as long. */
static sgdpar_replica made_slower(sgdpar_replica r, double by)
{
    for (size_t i = 0; i < r.layers.tensors; i++) {
        slow_tensor[i] = tensor[i];
        slow_tensor[i].backward_s *= by;
        slow_unit[i] = unit[i];
        slow_unit[i].forward_s *= by;
        slow_unit[i].backward_s *= by;
    }
    r.layers.tensor = slow_tensor;
    r.layers.unit = slow_unit;
    r.compute.forward_s *= by;
    r.compute.tail_s *= by;
    r.compute.update_s *= by;
    return r;
}

static sgdpar_protocol many[9];

/* Rings, trees and streams of each collective that a step has. */
static void offer_many(sgdpar_replica *r)
{
    static const sgdpar_collective what[3] = {
        SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_COLLECTIVE_REDUCE_SCATTER, SGDPAR_COLLECTIVE_ALL_GATHER
    };
    memset(many, 0, sizeof many);
    for (size_t i = 0; i < 9; i++) {
        many[i].collective = what[i % 3];
        many[i].algorithm = i < 6 ? SGDPAR_ALGORITHM_RING : SGDPAR_ALGORITHM_TREE;
        many[i].form = i < 3 ? SGDPAR_FORM_FLAT : SGDPAR_FORM_SPLIT;
    }
    r->network.protocol = many;
    r->network.protocols = 9;
}

static void take(uint64_t *bits, sgdpar_collective what, const sgdpar_topology *on, double bytes)
{
    double least_s = HUGE_VAL, s = 0.0;
    size_t chosen = 9;
    if (on->machines * on->gpus == 1) return;
    for (size_t i = 0; i < 9; i++) {
        if (many[i].collective != what) continue;
        if (sgdpar_collective_time(what, &many[i], on, bytes, &s) != SGDPAR_OK) continue;
        if (s < least_s) {
            least_s = s;
            chosen = i;
        }
    }
    CHECK(chosen < 9);
    *bits |= (uint64_t)1 << ((size_t)many[chosen].algorithm * SGDPAR_FORM_COUNT
                             + (size_t)many[chosen].form);
}

static void take_units(uint64_t *bits, const sgdpar_replica *r, int hybrid)
{
    sgdpar_topology group = r->network.topology, between = r->network.topology;
    if (hybrid) group.machines = 1;
    between.bandwidth_bytes_per_s /= between.gpus;
    between.gpus = 1;
    for (size_t i = 0; i < r->layers.units; i++) {
        const double bytes = r->layers.unit[i].bytes;
        take(bits, SGDPAR_COLLECTIVE_ALL_GATHER, &group, bytes * r->layers.gathered);
        take(bits, SGDPAR_COLLECTIVE_REDUCE_SCATTER, &group, bytes);
        if (hybrid)
            take(bits, SGDPAR_COLLECTIVE_ALL_REDUCE, &between, bytes / r->network.topology.gpus);
    }
}

static uint64_t ways_by_hand(const sgdpar_replica *r)
{
    const sgdpar_collective what = r->sharding == SGDPAR_SHARDING_NONE
        ? SGDPAR_COLLECTIVE_ALL_REDUCE : SGDPAR_COLLECTIVE_REDUCE_SCATTER;
    const sgdpar_topology *on = &r->network.topology;
    const double gathered = model_bytes(r) * r->layers.gathered;
    uint64_t bits = 0, bytes[MOST];
    size_t buckets = 0;
    if (r->sharding > SGDPAR_SHARDING_GRADIENTS) {
        take_units(&bits, r, r->sharding == SGDPAR_SHARDING_HYBRID);
        return bits;
    }
    CHECK_STATUS(sgdpar_buckets(r->layers.tensor, r->layers.tensors, &r->buckets, bytes, NULL,
                                &buckets), SGDPAR_OK);
    for (size_t i = 0; i < buckets && r->schedule.local_steps == 0; i++)
        take(&bits, what, on, (double)bytes[i]);
    if (r->schedule.local_steps > 0) take(&bits, what, on, gathered);
    if (r->sharding != SGDPAR_SHARDING_NONE)
        take(&bits, SGDPAR_COLLECTIVE_ALL_GATHER, on, gathered);
    return bits;
}

TEST(a_step_tells_the_ways_that_its_collectives_take)
{
    uint64_t all = 0;
    for (int trial = 0; trial < 200; trial++)
        for (size_t sharding = 0; sharding < SGDPAR_SHARDING_COUNT; sharding++) {
            sgdpar_replica r = random_replica((sgdpar_sharding)sharding);
            offer_many(&r);
            r.network.topology.latency_s = 1e-3;
            r.layers.gathered = 0.5;
            if (sharding == SGDPAR_SHARDING_NONE && trial % 4 == 0) r.schedule.local_steps = 3;
            sgdpar_replica_step step = predicted(&r);
            CHECK(step.ways == ways_by_hand(&r));
            all |= step.ways;
        }
    CHECK((all & SGDPAR_WAY(SGDPAR_ALGORITHM_RING, SGDPAR_FORM_SPLIT)) != 0);
    CHECK((all & SGDPAR_WAY(SGDPAR_ALGORITHM_TREE, SGDPAR_FORM_SPLIT)) != 0);
}

/* ---- Remedies ---------------------------------------------------------------------- */

static double rate_of(const sgdpar_replica *r, int best_bucket)
{
    const double passes = r->schedule.accumulate > 1 ? r->schedule.accumulate : 1.0;
    sgdpar_replica_step step;
    uint64_t bytes = 0;
    if (best_bucket) CHECK_STATUS(sgdpar_best_bucket(r, &bytes, &step), SGDPAR_OK);
    else step = predicted(r);
    return workers_of(r) * passes / step.step_s;
}

static void expect_gain(const double *gain, sgdpar_remedy remedy, double times, double before)
{
    CHECK(fabs(gain[remedy] + 1.0 - times / before) <= 1e-12 * (times / before));
}

static void check_remedies(const sgdpar_replica *r, int best_bucket)
{
    static double work[4096];
    sgdpar_replica varied = *r;
    double gain[SGDPAR_REMEDY_COUNT];
    const double before = rate_of(r, best_bucket);
    CHECK_STATUS(sgdpar_remedies(r, best_bucket, work, sizeof work, gain), SGDPAR_OK);
    varied.network.topology.bandwidth_bytes_per_s *= 2.0;
    expect_gain(gain, SGDPAR_REMEDY_BANDWIDTH, rate_of(&varied, best_bucket), before);
    varied = *r;
    varied.network.topology.local_bandwidth_bytes_per_s *= 2.0;
    if (r->network.topology.gpus > 1)
        expect_gain(gain, SGDPAR_REMEDY_LOCAL, rate_of(&varied, best_bucket), before);
    else
        CHECK_REL(gain[SGDPAR_REMEDY_LOCAL], 0.0, 0.0);
    varied = made_slower(*r, 0.5);
    expect_gain(gain, SGDPAR_REMEDY_COMPUTE, rate_of(&varied, best_bucket), before);
    varied = made_slower(*r, 2.0);
    expect_gain(gain, SGDPAR_REMEDY_BATCH, 2.0 * rate_of(&varied, best_bucket), before);
    varied = *r;
    varied.schedule.accumulate = r->schedule.accumulate > 1 ? 2 * r->schedule.accumulate : 2;
    expect_gain(gain, SGDPAR_REMEDY_PASSES, rate_of(&varied, best_bucket), before);
}

TEST(a_remedy_gains_what_the_changed_step_is_predicted_to)
{
    for (int trial = 0; trial < 60; trial++)
        for (size_t sharding = 0; sharding < SGDPAR_SHARDING_COUNT; sharding++) {
            sgdpar_replica r = random_replica((sgdpar_sharding)sharding);
            if (trial % 5 == 4) r.compute.scale = 1.5;
            check_remedies(&r, 0);
            if (sharding <= SGDPAR_SHARDING_GRADIENTS && workers_of(&r) > 1.0)
                check_remedies(&r, 1);
        }
}

TEST(remedies_of_what_is_no_step_are_refused)
{
    static double work[4096];
    double gain[SGDPAR_REMEDY_COUNT] = { 7.0 };
    sgdpar_replica r = random_replica(SGDPAR_SHARDING_ALL);
    CHECK_STATUS(sgdpar_remedies(NULL, 0, work, sizeof work, gain), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_remedies(&r, 0, work, sizeof work, NULL), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_remedies(&r, 0, work, 0, gain), SGDPAR_SMALL_WORKSPACE);
    CHECK_STATUS(sgdpar_remedies(&r, 1, work, sizeof work, gain), SGDPAR_BAD_ARGUMENT);
    r.compute.scale = -1.0;
    CHECK_STATUS(sgdpar_remedies(&r, 0, work, sizeof work, gain), SGDPAR_BAD_ARGUMENT);
    r = random_replica(SGDPAR_SHARDING_NONE);
    r.schedule.accumulate = UINT32_MAX / 2 + 1;  /* twice as many cannot be counted */
    CHECK_STATUS(sgdpar_remedies(&r, 0, NULL, 0, gain), SGDPAR_OK);
    CHECK_REL(gain[SGDPAR_REMEDY_PASSES], 0.0, 0.0);
    r.schedule.accumulate = UINT32_MAX / 2;
    CHECK_STATUS(sgdpar_remedies(&r, 0, NULL, 0, gain), SGDPAR_OK);
    CHECK(gain[SGDPAR_REMEDY_PASSES] > 0.0);
    gain[0] = 7.0;
    r.schedule.accumulate = 0;
    r.compute.scale = DBL_MAX;
    r.compute.forward_s = 2.0;
    CHECK_STATUS(sgdpar_remedies(&r, 0, NULL, 0, gain), SGDPAR_BAD_ARGUMENT);
    CHECK_REL(gain[0], 7.0, 0.0);
}

TEST(what_is_no_step_is_refused)
{
    static double work[64];
    const sgdpar_replica good = random_replica(SGDPAR_SHARDING_NONE);
    sgdpar_protocol second[2] = { good.network.protocol[0], good.network.protocol[1] };
    sgdpar_replica_step out;
    sgdpar_replica r;
    out.step_s = -7.0;
#define REFUSED(change) do { \
        r = good; \
        r.network.topology.machines = 4; \
        change; \
        CHECK_STATUS(sgdpar_replica_time(&r, work, sizeof work, &out), SGDPAR_BAD_ARGUMENT); \
    } while (0)
    REFUSED(r.layers.tensor = NULL);
    REFUSED(r.layers.tensors = 0);
    REFUSED(r.network.protocol = NULL);
    REFUSED((r.sharding = SGDPAR_SHARDING_ALL, r.layers.unit = NULL));
    REFUSED(r.sharding = SGDPAR_SHARDING_COUNT);
    REFUSED(r.network.protocols = 0);
    REFUSED((second[1].cost.most_bytes_per_s = -1.0, r.network.protocol = second,
             r.network.protocols = 2));
    REFUSED((r.compute.forward_s = 1e300, r.compute.scale = 1e10));
    REFUSED((r.sharding = SGDPAR_SHARDING_ALL, r.layers.units = 0));
    REFUSED(r.network.topology.bandwidth_bytes_per_s = 0.0);
#undef REFUSED
    CHECK_STATUS(sgdpar_replica_time(NULL, work, sizeof work, &out), SGDPAR_BAD_ARGUMENT);
    r = good;
    r.sharding = SGDPAR_SHARDING_ALL;
    CHECK_STATUS(sgdpar_replica_time(&r, work, 1, &out), SGDPAR_SMALL_WORKSPACE);
    CHECK(out.step_s < -6.0);
}

/* ---- Memory ------------------------------------------------------------------------ */

/* [RRRH20, fig. 1]: 7.5e9 parameters, mixed precision and Adam, 64 workers. */
TEST(memory_is_that_of_the_figure_of_zero)
{
    static const sgdpar_precision mixed = { 2.0, 2.0, 12.0 };
    static const double gb[] = { 120.0, 31.4, 16.6, 1.9 };
    sgdpar_memory m;
    for (int i = 0; i < 4; i++) {
        CHECK_STATUS(sgdpar_memory_of(&(sgdpar_model){mixed, 7.5e9, 0.0, 0.0, 64, 0, 0,
                                                      (sgdpar_sharding)i}, &m), SGDPAR_OK);
        CHECK(fabs(m.total_bytes / 1e9 - gb[i]) < 0.05);
    }
}

TEST(memory_of_what_is_no_model_is_refused)
{
    const double bad[] = { -1.0, (double)NAN, (double)INFINITY };
    sgdpar_memory m;
    m.total_bytes = -7.0;
#define MEMORY(sharding, p, parameters, unit, workers, gpus, activations, m) \
    CHECK_STATUS(sgdpar_memory_of(&(sgdpar_model){p, parameters, unit, activations, workers, \
                                                  gpus, 0, sharding}, m), SGDPAR_BAD_ARGUMENT)
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 6; k++) {
            sgdpar_precision p = { 2.0, 2.0, 12.0 };
            double parameters = 100.0, largest = 10.0, activations = 5.0;
            if (i == 0 && k == 2) continue;            /* an optimizer without state       */
            double *const field[] = { &p.parameter, &p.gradient, &p.optimizer,
                                      &parameters,  &largest,    &activations };
            *field[k] = bad[i];
            MEMORY(SGDPAR_SHARDING_NONE, p, parameters, largest, 4, 2, activations, &m);
        }
    {
        static const sgdpar_precision p = { 2.0, 2.0, 12.0 };
        CHECK_STATUS(sgdpar_memory_of(NULL, &m), SGDPAR_BAD_ARGUMENT);
        MEMORY(SGDPAR_SHARDING_NONE, p, 100.0, 10.0, 4, 2, 5.0, NULL);
        MEMORY(SGDPAR_SHARDING_COUNT, p, 100.0, 10.0, 4, 2, 5.0, &m);
        MEMORY(SGDPAR_SHARDING_NONE, p, 100.0, 101.0, 4, 2, 5.0, &m);
        MEMORY(SGDPAR_SHARDING_NONE, p, 100.0, 10.0, 0, 2, 5.0, &m);
        MEMORY(SGDPAR_SHARDING_HYBRID, p, 100.0, 10.0, 4, 0, 5.0, &m);
        MEMORY(SGDPAR_SHARDING_HYBRID, p, 100.0, 10.0, 4, 3, 5.0, &m);
        MEMORY(SGDPAR_SHARDING_NONE, p, DBL_MAX, 10.0, 4, 2, 5.0, &m);
        CHECK(m.total_bytes < -6.0);
        CHECK_STATUS(sgdpar_memory_of(&(sgdpar_model){p, 100.0, 10.0, 5.0, 1, 0, 0,
                                                      SGDPAR_SHARDING_ALL}, &m), SGDPAR_OK);
        CHECK_REL(m.gathered_bytes, 0.0, 0.0);         /* one worker has all */
        CHECK_REL(m.total_bytes, 1605.0, 1e-15);
    }
#undef MEMORY
}

/* Bytes that the papers give, of 3 tensors with 1, 4 and 9 parameters: Adafactor has 1, 4 (rows
 * and columns, or all) and 6 (rows and columns) numbers. */
TEST(optimizers_have_the_state_of_their_papers)
{
    static const double three[] = { 1.0, 4.0, 9.0 }, odd[] = { 1.0, -1.0 }, none[] = { 0.0 };
    static const struct { sgdpar_optimizer how; double bytes; } wanted[] = {
        { SGDPAR_OPTIMIZER_ADAM, 8.0 }, { SGDPAR_OPTIMIZER_SGD, 0.0 },
        { SGDPAR_OPTIMIZER_MOMENTUM, 4.0 }, { SGDPAR_OPTIMIZER_ADAFACTOR, 4.0 * 11.0 / 14.0 },
        { SGDPAR_OPTIMIZER_ADAM_8BIT, 2.0 * (2048.0 + 4.0) / 2048.0 },
        { SGDPAR_OPTIMIZER_MOMENTUM_8BIT, (2048.0 + 4.0) / 2048.0 }
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        for (int half = 0; half < 3; half++) {
            sgdpar_precision p = { half ? 2.5 - half : 0.0, 0.0, 7.0 };
            sgdpar_memory m;
            CHECK_STATUS(sgdpar_set_optimizer(&p, wanted[i].how, three, 3), SGDPAR_OK);
            CHECK_STATUS(sgdpar_memory_of(&(sgdpar_model){p, 14.0, 0.0, 0.0, 2, 0, 0,
                                                          SGDPAR_SHARDING_NONE}, &m), SGDPAR_OK);
            CHECK_REL(m.optimizer_bytes, 14.0 * (wanted[i].bytes + (half ? 4.0 : 0.0)), 1e-14);
            CHECK_STATUS(sgdpar_memory_of(&(sgdpar_model){p, 14.0, 0.0, 0.0, 2, 0, 0,
                                                          SGDPAR_SHARDING_OPTIMIZER}, &m),
                         SGDPAR_OK);
            CHECK_REL(m.optimizer_bytes, 7.0 * (wanted[i].bytes + (half ? 4.0 : 0.0)), 1e-14);
        }
    sgdpar_precision p = { 0.0, 0.0, 7.0 };
    const sgdpar_optimizer by_rows = SGDPAR_OPTIMIZER_ADAFACTOR;
    CHECK_STATUS(sgdpar_set_optimizer(NULL, by_rows, three, 3), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_set_optimizer(&p, SGDPAR_OPTIMIZER_COUNT, three, 3), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_set_optimizer(&p, by_rows, NULL, 3), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_set_optimizer(&p, by_rows, three, 0), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_set_optimizer(&p, by_rows, odd, 2), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_set_optimizer(&p, by_rows, none, 1), SGDPAR_BAD_ARGUMENT);
    CHECK_REL(p.optimizer, 7.0, 0.0);
    p.gradient = (double)NAN;
    CHECK_STATUS(sgdpar_set_optimizer(&p, SGDPAR_OPTIMIZER_SGD, NULL, 0), SGDPAR_BAD_ARGUMENT);
    CHECK(strcmp(sgdpar_optimizer_text(SGDPAR_OPTIMIZER_ADAM_8BIT), "adam-8bit") == 0);
    CHECK(strcmp(sgdpar_optimizer_text(SGDPAR_OPTIMIZER_COUNT), "no such value") == 0);
}

/* With ZeRO-1 states, with ZeRO-2 gradients too and with ZeRO-3 all are split over the workers,
 * or over a machine; of what is gathered a worker has prefetch + 1 units and one's gradients. */
TEST(memory_is_what_each_worker_keeps)
{
    for (int trial = 0; trial < 500; trial++) {
        const sgdpar_sharding sharding = (sgdpar_sharding)(trial % SGDPAR_SHARDING_COUNT);
        const uint32_t gpus = 1 + draw(4), workers = gpus * (1 + draw(3)), prefetch = draw(3);
        const double n = sharding == SGDPAR_SHARDING_NONE ? 1.0
            : sharding == SGDPAR_SHARDING_HYBRID ? gpus : workers;
        const double P = trial % 10 ? floor(random_below(1e6)) : pow(10.0, between(306.0, 308.2));
        const double most = floor(random_below(P));
        const sgdpar_precision p = {draw(3) ? 0.5 * (1 + draw(8)) : 0.0, draw(2) * 2.0,
                                    draw(3) * 6.0 - 6.0};
        const double each = p.parameter > 0.0 ? p.parameter : 4.0;
        const double grads = p.gradient > 0.0 ? p.gradient : each;
        const double state = p.optimizer > 0.0 ? p.optimizer : p.optimizer < 0.0 ? 0.0
            : each > 2.0 || each < 2.0 ? 8.0 : 12.0;
        const double split[3] = {n, sharding > SGDPAR_SHARDING_OPTIMIZER ? n : 1.0,
                                 sharding > SGDPAR_SHARDING_GRADIENTS ? n : 1.0};
        const double held = P * state / n + P * grads / split[1] + P * each / split[2] + (
            split[2] > 1.0 ? each * fmin(P, most * (prefetch + 1.0)) + grads * most : 0.0) + 7.0;
        sgdpar_memory m = {.total_bytes = -7.0};
        CHECK_STATUS(sgdpar_memory_of(&(sgdpar_model){p, P, most, 7.0, workers, gpus, prefetch,
                                                      sharding}, &m),
                     held <= DBL_MAX ? SGDPAR_OK : SGDPAR_BAD_ARGUMENT);
        CHECK_REL(m.total_bytes, held <= DBL_MAX ? held : -7.0, 1e-12);
        if (m.total_bytes < 0.0) continue;
        CHECK_REL(m.optimizer_bytes, P * state / split[0], 1e-12);
        CHECK_REL(m.gradients_bytes, P * grads / split[1], 1e-12);
        CHECK_REL(m.parameters_bytes, P * each / split[2], 1e-12);
        CHECK_REL(m.gathered_bytes, split[2] > 1.0
                  ? each * fmin(P, most * (prefetch + 1.0)) + grads * most : 0.0, 1e-12);
    }
}

/* Two times whose sum is beyond a double. */
TEST(steps_beyond_a_double_are_refused)
{
    static double work[4096];
    for (int trial = 0; trial < TEST_SIZE(500, 20000); trial++) {
        sgdpar_replica r = random_replica((sgdpar_sharding)(trial % SGDPAR_SHARDING_COUNT));
        const int units = r.sharding == SGDPAR_SHARDING_ALL || r.sharding == SGDPAR_SHARDING_HYBRID;
        double *replicated[4] = {&r.compute.forward_s, &r.compute.tail_s, &tensor[0].backward_s,
                                 &tensor[r.layers.tensors - 1].backward_s};
        double *sharded[4] = {&unit[0].forward_s, &unit[0].backward_s,
                              &unit[r.layers.units - 1].backward_s,
                              &unit[r.layers.units - 1].forward_s};
        const size_t one = (size_t)random_below(4.0), other = (size_t)random_below(4.0);
        double *const *time = units ? sharded : replicated;
        sgdpar_replica_step step = {.step_s = -7.0};
        *time[one] = *time[other] = 1e308;
        if (trial % 3 == 0) r.overlap.exposure = 0.5;
        if (sgdpar_replica_time(&r, work, sizeof work, &step) == SGDPAR_OK)
            CHECK(time[one] == time[other] && step.step_s <= DBL_MAX);
        else CHECK(step.step_s < -6.0);
    }
}

/* Every time of a tensor and every number of a unit, wrong by itself; and what only fails
 * on the way. */
TEST(a_replica_is_checked_to_its_last_tensor_and_unit)
{
    static double work[2 * MOST];
    const double times_of_all = 1e308;
    sgdpar_replica_step out;
    uint64_t bytes = 7;
    size_t need = 7;
    double *field[5];
    sgdpar_replica r = random_replica(SGDPAR_SHARDING_NONE);
    sgdpar_replica all = random_replica(SGDPAR_SHARDING_ALL);
    r.network.topology.machines = all.network.topology.machines = 4;
    sgdpar_replica slow = all;
    field[0] = &tensor[r.layers.tensors - 1].backward_s;
    field[1] = &ways[0].cost.base_s;
    field[2] = &unit[all.layers.units - 1].bytes;
    field[3] = &unit[all.layers.units - 1].forward_s;
    field[4] = &unit[all.layers.units - 1].backward_s;
    out.step_s = -7.0;
    for (size_t i = 0; i < 5; i++) {
        const double good = *field[i];
        const sgdpar_replica *of = i < 2 ? &r : &all;
        *field[i] = -1e-9;                             /* the sum is still a time      */
        CHECK_STATUS(sgdpar_replica_time(of, work, sizeof work, &out), SGDPAR_BAD_ARGUMENT);
        CHECK_STATUS(sgdpar_best_bucket(of, &bytes, &out), SGDPAR_BAD_ARGUMENT);
        *field[i] = good;
        CHECK_STATUS(sgdpar_replica_time(of, work, sizeof work, NULL), SGDPAR_BAD_ARGUMENT);
        CHECK_STATUS(sgdpar_replica_time_bytes(of, NULL), SGDPAR_BAD_ARGUMENT);
    }
    CHECK_STATUS(sgdpar_replica_time_bytes(NULL, &need), SGDPAR_BAD_ARGUMENT);
    slow.network.topology.gpus = 4;
    slow.network.topology.local_bandwidth_bytes_per_s = 0.0;
    CHECK_STATUS(sgdpar_replica_time_bytes(&slow, &need), SGDPAR_BAD_ARGUMENT);
    r.network.protocols = all.network.protocols = 0;  /* no way to exchange anything */
    CHECK_STATUS(sgdpar_replica_time(&all, work, sizeof work, &out), SGDPAR_BAD_ARGUMENT);
    r.sharding = SGDPAR_SHARDING_OPTIMIZER;
    CHECK_STATUS(sgdpar_replica_time(&r, NULL, 0, &out), SGDPAR_BAD_ARGUMENT);
    r.sharding = SGDPAR_SHARDING_NONE;
    r.network.topology.latency_s = 1e-4;
    CHECK_STATUS(sgdpar_best_bucket(&r, &bytes, &out), SGDPAR_BAD_ARGUMENT);
    r.network.topology.machines = r.network.topology.gpus = 1;
    r.schedule.accumulate = 100;
    r.compute.forward_s = times_of_all;                        /* the step is beyond a double  */
    CHECK_STATUS(sgdpar_replica_time(&r, NULL, 0, &out), SGDPAR_BAD_ARGUMENT);
    CHECK(out.step_s < -6.0 && bytes == 7 && need == 7);
}

TEST(more_than_a_double_counts_exactly_is_too_large)
{
    static const sgdpar_tensor huge[2] = { { (uint64_t)1 << 53, 0.0 }, { 1, 0.0 } };
    sgdpar_replica r = random_replica(SGDPAR_SHARDING_NONE);
    sgdpar_replica_step out;
    out.step_s = -7.0;
    r.layers.tensor = huge;
    r.layers.tensors = 2;
    CHECK_STATUS(sgdpar_replica_time(&r, NULL, 0, &out), SGDPAR_TOO_LARGE);
    CHECK(out.step_s < -6.0);
    r.layers.tensors = 1;
    CHECK_STATUS(sgdpar_replica_time(&r, NULL, 0, &out), SGDPAR_OK);
}

TEST(where_nothing_is_done_an_overlap_leaves_the_update)
{
    static const sgdpar_tensor nothing = { 0, 0.0 };
    sgdpar_replica r = {.layers = {.tensor = &nothing, .tensors = 1}, .compute.update_s = 0.25,
                        .overlap.exponent = 2.0};
    CHECK_REL(predicted(&r).step_s, 0.25, 0.0);
}

TEST(a_best_bucket_is_one_of_a_step_with_buckets)
{
    const sgdpar_replica good = random_replica(SGDPAR_SHARDING_NONE);
    sgdpar_replica_step best;
    uint64_t bytes = 7;
    sgdpar_replica r;
    memset(ways, 0, sizeof ways);
    best.step_s = -7.0;
#define REFUSED(change, bytes, best) do { \
        r = good; \
        r.network.topology.machines = 4; \
        r.network.topology.latency_s = 1e-4; \
        change; \
        CHECK_STATUS(sgdpar_best_bucket(&r, bytes, best), SGDPAR_BAD_ARGUMENT); \
    } while (0)
    REFUSED((void)0, NULL, &best);
    REFUSED((void)0, &bytes, NULL);
    REFUSED(r.schedule.local_steps = 2, &bytes, &best);
    REFUSED(r.overlap.exponent = 2.0, &bytes, &best);
    REFUSED(r.overlap.exponent = 1.0, &bytes, &best);
    REFUSED(r.sharding = SGDPAR_SHARDING_ALL, &bytes, &best);
#undef REFUSED
    CHECK(bytes == 7 && best.step_s < -6.0);
}

TEST_MAIN("test_replica");
