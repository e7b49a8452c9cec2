/* Collectives against a simulation of their messages, and steps of data-parallel training
 * against event lists of their own. */
#include "../sgdperf.h"
#include "../sgdperf_parallel.h"

#include <float.h>
#include <math.h>

#include "exchange.h"
#include "oracle_collectives.h"

static const double BYTES = 3e6 + 1.0, LATENCY = 2e-5, BANDWIDTH = 1.25e9;

static net world;
static net_round turn;

static double predicted_s(sgdpar_collective what, sgdpar_algorithm how, size_t n,
                          uint32_t chunks)
{
    double s = -1.0;
    sgdpar_protocol by = {.algorithm = how, .chunks = chunks};
    sgdpar_topology on = {.machines = (uint32_t)n, .latency_s = LATENCY,
                          .bandwidth_bytes_per_s = BANDWIDTH};
    CHECK_STATUS(sgdpar_collective_time(what, &by, &on, BYTES, &s), SGDPAR_OK);
    return s;
}

static void open_world(size_t n, size_t blocks)
{
    net_open(&world, n, LATENCY, BANDWIDTH, BYTES, blocks);
}

static void expect(sgdpar_collective what, sgdpar_algorithm how, uint32_t chunks)
{
    CHECK_REL(predicted_s(what, how, world.n, chunks), net_end_s(&world), 1e-12);
}

/* ---- One level ------------------------------------------------------------------- */

TEST(rings_take_as_long_as_their_messages)
{
    for (size_t n = 2; n <= NET_MOST; n++) {
        open_world(n, n);
        net_contribute(&world, n);
        net_ring_scatter(&world, &turn);
        net_check_own(&world, net_all(n));
        expect(SGDPAR_COLLECTIVE_REDUCE_SCATTER, SGDPAR_ALGORITHM_RING, 0);
        net_ring_gather(&world, &turn);
        net_check_all(&world, n, net_all(n));
        expect(SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_ALGORITHM_RING, 0);
        memset(world.clock, 0, sizeof world.clock);
        net_ring_gather(&world, &turn);
        expect(SGDPAR_COLLECTIVE_ALL_GATHER, SGDPAR_ALGORITHM_RING, 0);
    }
}

TEST(chains_take_as_long_as_their_chunks)
{
    for (size_t n = 2; n <= NET_MOST; n++)
    for (size_t chunks = 1 + n % 5; chunks <= 64; chunks += TEST_SIZE(29, 7)) {
        open_world(n, chunks);
        for (size_t b = 0; b < chunks; b++) world.have[0][b] = 1;
        net_chain(&world, &turn, chunks);
        net_check_all(&world, chunks, 1);
        expect(SGDPAR_COLLECTIVE_BROADCAST, SGDPAR_ALGORITHM_RING, (uint32_t)chunks);
    }
}

TEST(all_to_all_takes_as_long_as_its_messages)
{
    for (size_t n = 2; n <= NET_MOST; n++) {
        open_world(n, n);
        net_all_to_all_open(&world);
        net_all_to_all_ring(&world, &turn);
        net_all_to_all_check(&world);
        expect(SGDPAR_COLLECTIVE_ALL_TO_ALL, SGDPAR_ALGORITHM_RING, 0);
        open_world(n, n);
        net_all_to_all_open(&world);
        net_all_to_all_pairwise(&world, &turn);
        net_all_to_all_check(&world);
        expect(SGDPAR_COLLECTIVE_ALL_TO_ALL, SGDPAR_ALGORITHM_PAIRWISE, 0);
        open_world(n, n);
        net_all_to_all_open(&world);
        net_all_to_all_bits(&world, &turn);
        net_all_to_all_check(&world);
        expect(SGDPAR_COLLECTIVE_ALL_TO_ALL, SGDPAR_ALGORITHM_DOUBLING, 0);
    }
}

TEST(doubling_and_halving_take_as_long_as_their_messages)
{
    for (size_t n = 2; n <= NET_MOST; n++) {
        size_t power;
        for (power = 1; power * 2 <= n; power *= 2) { }
        open_world(n, 1);
        net_contribute(&world, 1);
        net_doubling_reduce(&world, &turn);
        net_check_all(&world, 1, net_all(n));
        expect(SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_ALGORITHM_DOUBLING, 0);
        open_world(n, power);
        net_contribute(&world, power);
        net_halving_reduce(&world, &turn);
        net_check_all(&world, power, net_all(n));
        expect(SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_ALGORITHM_HALVING, 0);
        open_world(n, n);
        net_contribute(&world, n);
        net_halving_scatter(&world, &turn);
        net_check_own(&world, net_all(n));
        expect(SGDPAR_COLLECTIVE_REDUCE_SCATTER, SGDPAR_ALGORITHM_HALVING, 0);
        expect(SGDPAR_COLLECTIVE_REDUCE_SCATTER, SGDPAR_ALGORITHM_DOUBLING, 0);
        memset(world.clock, 0, sizeof world.clock);
        net_doubling_gather(&world, &turn);
        net_check_all(&world, n, net_all(n));
        expect(SGDPAR_COLLECTIVE_ALL_GATHER, SGDPAR_ALGORITHM_HALVING, 0);
        expect(SGDPAR_COLLECTIVE_ALL_GATHER, SGDPAR_ALGORITHM_DOUBLING, 0);
    }
}

TEST(trees_take_as_long_as_their_messages)
{
    for (size_t n = 2; n <= NET_MOST; n++) {
        open_world(n, 1);
        net_contribute(&world, 1);
        net_tree_reduce(&world, &turn, 1);
        net_tree_broadcast(&world, &turn, 1);
        net_check_all(&world, 1, net_all(n));
        expect(SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_ALGORITHM_TREE, 0);
        memset(world.clock, 0, sizeof world.clock);
        net_tree_broadcast(&world, &turn, 1);
        expect(SGDPAR_COLLECTIVE_BROADCAST, SGDPAR_ALGORITHM_TREE, 0);
        open_world(n, n);
        net_contribute(&world, n);
        net_tree_reduce(&world, &turn, net_all(n));
        net_tree_scatter(&world, &turn);
        net_check_own(&world, net_all(n));
        expect(SGDPAR_COLLECTIVE_REDUCE_SCATTER, SGDPAR_ALGORITHM_TREE, 0);
        open_world(n, n);
        for (size_t b = 0; b < n; b++) world.have[b][b] = 1;
        net_tree_gather(&world, &turn);
        net_tree_broadcast(&world, &turn, net_all(n));
        net_check_all(&world, n, 1);
        expect(SGDPAR_COLLECTIVE_ALL_GATHER, SGDPAR_ALGORITHM_TREE, 0);
        open_world(n, n);
        for (size_t b = 0; b < n; b++) world.have[0][b] = 1;
        net_tree_scatter(&world, &turn);
        net_doubling_gather(&world, &turn);
        net_check_all(&world, n, 1);
        expect(SGDPAR_COLLECTIVE_BROADCAST, SGDPAR_ALGORITHM_HALVING, 0);
    }
}

TEST(double_trees_keep_every_port_and_take_as_long_as_their_slots)
{
    size_t n, chunks;
    for (n = 2; n <= NET_MOST; n++) for (chunks = 1; chunks <= 32; chunks += TEST_SIZE(13, 5)) {
        open_world(n, 2 * chunks);
        for (size_t b = 0; b < 2 * chunks; b++) world.have[0][b] = 1;
        net_double_tree(&world, &turn, chunks, 0);
        net_check_all(&world, 2 * chunks, 1);
        expect(SGDPAR_COLLECTIVE_BROADCAST, SGDPAR_ALGORITHM_DOUBLE_TREE, (uint32_t)chunks);
        open_world(n, 2 * chunks);
        net_contribute(&world, 2 * chunks);
        net_double_tree(&world, &turn, chunks, 1);
        net_double_tree(&world, &turn, chunks, 0);
        net_check_all(&world, 2 * chunks, net_all(n));
        expect(SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_ALGORITHM_DOUBLE_TREE, (uint32_t)chunks);
    }
}

/* ---- Two levels ------------------------------------------------------------------ */

static sgdpar_topology machines(size_t m, size_t g)
{
    return (sgdpar_topology){.machines = (uint32_t)m, .gpus = (uint32_t)g, .latency_s = LATENCY,
                             .bandwidth_bytes_per_s = BANDWIDTH, .local_latency_s = 3e-6,
                             .local_bandwidth_bytes_per_s = 5e9};
}

static void open_machines(const sgdpar_topology *on, size_t blocks)
{
    net_open(&world, (size_t)on->machines * on->gpus, on->latency_s,
             on->bandwidth_bytes_per_s, BYTES, blocks);
    world.machine = on->gpus;
    world.local_latency_s = on->local_latency_s;
    world.local_bandwidth = on->local_bandwidth_bytes_per_s;
}

static double two_levels_s(sgdpar_collective what, sgdpar_form form, sgdpar_algorithm how,
                           const sgdpar_topology *on, uint32_t chunks)
{
    double s = -1.0;
    sgdpar_protocol by = {.algorithm = how, .form = form, .chunks = chunks};
    CHECK_STATUS(sgdpar_collective_time(what, &by, on, BYTES, &s), SGDPAR_OK);
    return s;
}

TEST(a_flat_ring_is_as_slow_as_its_slowest_link)
{
    for (size_t m = 2; m <= 8; m += TEST_SIZE(3, 1)) for (size_t g = 2; g <= 8; g++) {
        for (int slow = 0; slow < 2; slow++) {
            sgdpar_topology on = machines(m, g);
            if (slow) on.local_bandwidth_bytes_per_s = 1e8;
            open_machines(&on, m * g);
            net_contribute(&world, m * g);
            net_ring_scatter(&world, &turn);
            CHECK_REL(two_levels_s(SGDPAR_COLLECTIVE_REDUCE_SCATTER, SGDPAR_FORM_FLAT,
                                   SGDPAR_ALGORITHM_RING, &on, 0), net_end_s(&world), 1e-12);
            net_ring_gather(&world, &turn);
            net_check_all(&world, m * g, net_all(m * g));
            CHECK_REL(two_levels_s(SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_FORM_FLAT,
                                   SGDPAR_ALGORITHM_RING, &on, 0), net_end_s(&world), 1e-12);
            open_machines(&on, m * g);
            net_all_to_all_open(&world);
            net_all_to_all_pairwise(&world, &turn);
            net_all_to_all_check(&world);
            CHECK_REL(two_levels_s(SGDPAR_COLLECTIVE_ALL_TO_ALL, SGDPAR_FORM_FLAT,
                                   SGDPAR_ALGORITHM_PAIRWISE, &on, 0), net_end_s(&world),
                      1e-12);
        }
    }
}

/* As many accelerators in a machine as a count can hold: no loop goes over them. The link is
 * the slower from the first turn on, from the middle, or never. */
TEST(pairwise_turns_of_any_number_of_accelerators_are_told_at_once)
{
    const double g = 4294967295.0, h = 2147483647.0, part = BYTES / (2.0 * g);
    sgdpar_topology on = {.machines = 2, .gpus = UINT32_MAX, .bandwidth_bytes_per_s = 1.0,
                          .local_bandwidth_bytes_per_s = 1.0};
    const sgdpar_protocol by = {.collective = SGDPAR_COLLECTIVE_ALL_TO_ALL,
                                .algorithm = SGDPAR_ALGORITHM_PAIRWISE,
                                .form = SGDPAR_FORM_FLAT};
    double s = 0.0;
    CHECK_STATUS(sgdpar_collective_time(by.collective, &by, &on, BYTES, &s), SGDPAR_OK);
    CHECK_REL(s, part * (g * (g - 1.0) + g), 1e-12);
    on.local_bandwidth_bytes_per_s = 1.0 / h;
    CHECK_STATUS(sgdpar_collective_time(by.collective, &by, &on, BYTES, &s), SGDPAR_OK);
    CHECK_REL(s, part * (2.0 * h * h + h * (3.0 * h + 1.0) + g), 1e-12);
    on.bandwidth_bytes_per_s = 1e30;
    CHECK_STATUS(sgdpar_collective_time(by.collective, &by, &on, BYTES, &s), SGDPAR_OK);
    CHECK_REL(s, part * 2.0 * h * (g - 1.0), 1e-9);
}

/* Rings inside each machine over the g groups of m blocks, or between machines over the m
 * blocks of the group that a worker has. */
static uint64_t group_blocks(size_t group, size_t m)
{
    return net_range(group * m, (group + 1) * m, 64);
}

static void rings_inside(size_t m, size_t g, net_kind kind)
{
    for (size_t t = 0; t + 1 < g; t++) {
        for (size_t i = 0; i < m; i++) for (size_t k = 0; k < g; k++) {
            const size_t group = kind == NET_ADD ? (k + 2 * g - t - 1) % g : (k + g - t) % g;
            net_send(&turn, i * g + k, i * g + (k + 1) % g, group_blocks(group, m), kind);
        }
        net_run(&world, &turn);
    }
}

static void rings_between(size_t m, size_t g, net_kind kind)
{
    for (size_t t = 0; t + 1 < m; t++) {
        for (size_t i = 0; i < m; i++) for (size_t k = 0; k < g; k++) {
            const size_t part = kind == NET_ADD ? (i + 2 * m - t - 1) % m : (i + m - t) % m;
            net_send(&turn, i * g + k, (i + 1) % m * g + k, net_bit(k * m + part), kind);
        }
        net_run(&world, &turn);
    }
}

TEST(a_split_all_reduce_takes_as_long_as_the_rings_that_it_is)
{
    for (size_t m = 2; m <= 8; m += TEST_SIZE(3, 1)) for (size_t g = 2; g <= 8; g++) {
        const sgdpar_topology on = machines(m, g);
        open_machines(&on, m * g);
        net_contribute(&world, m * g);
        rings_inside(m, g, NET_ADD);
        rings_between(m, g, NET_ADD);
        double scattered_s = net_end_s(&world);
        CHECK_REL(two_levels_s(SGDPAR_COLLECTIVE_REDUCE_SCATTER, SGDPAR_FORM_SPLIT,
                               SGDPAR_ALGORITHM_RING, &on, 0), scattered_s, 1e-12);
        rings_between(m, g, NET_COPY);
        rings_inside(m, g, NET_COPY);
        net_check_all(&world, m * g, net_all(m * g));
        CHECK_REL(two_levels_s(SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_FORM_SPLIT,
                               SGDPAR_ALGORITHM_RING, &on, 0), net_end_s(&world), 1e-12);
        CHECK_REL(two_levels_s(SGDPAR_COLLECTIVE_ALL_GATHER, SGDPAR_FORM_SPLIT,
                               SGDPAR_ALGORITHM_RING, &on, 0),
                  net_end_s(&world) - scattered_s, 1e-9);
    }
}

/* One level of its own, as the parts of a form have. */
static double level_s(sgdpar_collective what, sgdpar_algorithm how, size_t n, double latency_s,
                      double bandwidth, double bytes, uint32_t chunks)
{
    double s = -1.0;
    sgdpar_protocol by = {.algorithm = how, .chunks = chunks};
    sgdpar_topology on = {.gpus = (uint32_t)n, .local_latency_s = latency_s,
                          .local_bandwidth_bytes_per_s = bandwidth};
    CHECK_STATUS(sgdpar_collective_time(what, &by, &on, bytes, &s), SGDPAR_OK);
    return s;
}

/* Round by round: which chunk is where, and how long both kinds of links are busy. */
static double pipeline_s(const sgdpar_topology *on, size_t chunks)
{
    const size_t g = on->gpus, m = on->machines;
    const double x = BYTES / (double)chunks;
    double now_s = 0.0;
    for (size_t r = 0; r < chunks + 2; r++) {
        double inside_s = 0.0, between_s = 0.0;
        if (r < chunks)
            inside_s += level_s(SGDPAR_COLLECTIVE_REDUCE_SCATTER, SGDPAR_ALGORITHM_RING, g,
                                on->local_latency_s, on->local_bandwidth_bytes_per_s, x, 1);
        if (r >= 1 && r - 1 < chunks)
            between_s = level_s(SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_ALGORITHM_HALVING, m,
                                on->latency_s, on->bandwidth_bytes_per_s / (double)g,
                                x / (double)g, 1);
        if (r >= 2)
            inside_s += level_s(SGDPAR_COLLECTIVE_ALL_GATHER, SGDPAR_ALGORITHM_RING, g,
                                on->local_latency_s, on->local_bandwidth_bytes_per_s, x, 1);
        now_s += fmax(inside_s, between_s);
    }
    return now_s;
}

TEST(a_pipelined_all_reduce_takes_as_long_as_its_rounds)
{
    size_t m, g, chunks;
    for (m = 2; m <= 9; m++) for (g = 2; g <= 8; g += 3) for (chunks = 1; chunks < 9; chunks++) {
        for (int fast = 0; fast < 2; fast++) {
            sgdpar_topology on = machines(m, g);
            if (fast) on.bandwidth_bytes_per_s = 4e10;
            CHECK_REL(two_levels_s(SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_FORM_PIPELINED,
                                   SGDPAR_ALGORITHM_HALVING, &on, (uint32_t)chunks),
                      pipeline_s(&on, chunks), 1e-12);
        }
    }
}

/* Chunk by chunk, when each is scattered, at the roots, at all, and gathered. */
static double trees_pipeline_s(const sgdpar_topology *on, size_t chunks)
{
    const size_t g = on->gpus;
    const double x = BYTES / (double)chunks, B = on->bandwidth_bytes_per_s;
    const double period_s = 2.0 * (on->latency_s + x / (2.0 * B));
    const double inside_s = level_s(SGDPAR_COLLECTIVE_ALL_GATHER, SGDPAR_ALGORITHM_RING, g,
                                    on->local_latency_s, on->local_bandwidth_bytes_per_s, x, 1);
    const double h = floor(log2((double)on->machines - 1.0)) + 1.0;
    double at_s = 0.0, all_s = 0.0, up_s, gathered_s = 0.0;
    for (size_t c = 0; c < chunks; c++)
        at_s = fmax((double)(c + 1) * inside_s, c > 0 ? at_s + period_s : 0.0);
    up_s = at_s + h * period_s;                     /* the last one is at the roots    */
    for (size_t c = 0; c < chunks; c++) {
        all_s = up_s + (h + (double)c) * period_s;
        gathered_s = fmax(all_s, gathered_s) + inside_s;
    }
    return gathered_s;
}

TEST(a_pipelined_double_tree_has_its_chunks_one_behind_the_other)
{
    size_t m, g, chunks;
    for (m = 2; m <= 9; m++) for (g = 2; g <= 8; g += 3) for (chunks = 1; chunks < 9; chunks++) {
        for (int fast = 0; fast < 2; fast++) {
            sgdpar_topology on = machines(m, g);
            if (fast) on.bandwidth_bytes_per_s = 4e10;
            CHECK_REL(two_levels_s(SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_FORM_PIPELINED,
                                   SGDPAR_ALGORITHM_DOUBLE_TREE, &on, (uint32_t)chunks),
                      trees_pipeline_s(&on, chunks), 1e-12);
            on.local_latency_s = 0.0;               /* and the trees alone, of messages */
            on.local_bandwidth_bytes_per_s = 1e30;
            double alone_s = level_s(SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_ALGORITHM_DOUBLE_TREE, m,
                                     on.latency_s, on.bandwidth_bytes_per_s / (double)g,
                                     BYTES / (double)g, (uint32_t)chunks);
            CHECK_REL(two_levels_s(SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_FORM_PIPELINED,
                                   SGDPAR_ALGORITHM_DOUBLE_TREE, &on, (uint32_t)chunks),
                      alone_s, 1e-9);
        }
    }
}

TEST(a_pipelined_double_tree_sends_a_large_vector_twice_however_many_machines)
{
    for (uint32_t m = 2; m <= 4096; m *= 2) {
        sgdpar_topology on = machines(m, 8);
        double s = -1.0;
        sgdpar_protocol by = {.algorithm = SGDPAR_ALGORITHM_DOUBLE_TREE,
                              .form = SGDPAR_FORM_PIPELINED};
        on.latency_s = on.local_latency_s = 1e-6;
        on.bandwidth_bytes_per_s = 12.5e9;
        on.local_bandwidth_bytes_per_s = 2e12;
        CHECK_STATUS(sgdpar_collective_time(SGDPAR_COLLECTIVE_ALL_REDUCE, &by, &on, 1e9, &s),
                     SGDPAR_OK);
        CHECK(s >= 0.16 && s < 0.167);
    }
}

/* [LPGLY22, 4.4] is a model of sgdp_predict. */
TEST(without_latency_forms_are_the_models_of_a_step)
{
    static double work[4096];
    for (uint32_t m = 2; m <= 5; m++) for (uint32_t g = 2; g <= 4; g++) {
        sgdpar_topology on = machines(m, g);
        on.latency_s = on.local_latency_s = 0.0;
        sgdp_prediction p = {0};
        sgdp_job job = {.model_bytes = BYTES,
                        .links.bandwidth_bytes_per_s = on.bandwidth_bytes_per_s,
                        .machine.local_bandwidth_bytes_per_s = on.local_bandwidth_bytes_per_s,
                        .machine.gpus = g, .collective.exchange = exchange_of,
                        .compute.backward_s = 1e-9};
        CHECK_STATUS(sgdp_predict(&job, SGDP_ALLREDUCE_FLAT, m * g, work, sizeof work, &p),
                     SGDP_OK);
        CHECK_REL(two_levels_s(SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_FORM_FLAT,
                               SGDPAR_ALGORITHM_RING, &on, 0), p.step_s - 1e-9, 1e-9);
        CHECK_STATUS(sgdp_predict(&job, SGDP_ALLREDUCE_RING, m * g, work, sizeof work, &p),
                     SGDP_OK);
        CHECK_REL(two_levels_s(SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_FORM_INSIDE,
                               SGDPAR_ALGORITHM_RING, &on, 65536), p.step_s - 1e-9, 1e-4);
        job.links.bandwidth_bytes_per_s /= g; /* of the link of each accelerator */
        CHECK_STATUS(sgdp_predict(&job, SGDP_ALLREDUCE_HIERARCHICAL, m * g, work,
                                  sizeof work, &p), SGDP_OK);
        CHECK_REL(two_levels_s(SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_FORM_SPLIT,
                               SGDPAR_ALGORITHM_RING, &on, 0), p.step_s - 1e-9, 1e-9);
    }
}

/* A call of NCCL's on machines of eight with NVLink, by its own constants: what its model of
 * latencies says, in microseconds, and how many times S a link carries. */
typedef struct nccl_call {
    sgdpar_collective what;
    sgdpar_algorithm how;
    uint32_t m, g;
    double base, inter, intra, latency, times;
} nccl_call;

TEST(streamed_forms_are_what_nccl_reckons)
{
    static const nccl_call call[] = {
        { SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_ALGORITHM_RING, 2, 8, 6.6, 2.7, 1.0, 40.0, 1.875 },
        { SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_ALGORITHM_RING, 1, 8, 8.4, 14.0, 3.4, 56.0, 1.75 },
        { SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_ALGORITHM_RING, 4, 1, 14.0, 4.0, 1.9, 38.0, 1.5 },
        { SGDPAR_COLLECTIVE_ALL_GATHER, SGDPAR_ALGORITHM_RING, 2, 8, 14.0, 4.0, 1.9, 44.6, 0.9375 },
        { SGDPAR_COLLECTIVE_REDUCE_SCATTER, SGDPAR_ALGORITHM_RING, 4, 4, 6.6, 2.7, 1.0, 26.7,
          0.9375 },
        { SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_ALGORITHM_DOUBLE_TREE, 4, 8, 14.0, 8.5, 1.25, 65.5,
          2.0 },
        { SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_ALGORITHM_DOUBLE_TREE, 2, 8, 8.4, 14.0, 4.0, 92.4,
          1.0 },
        { SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_ALGORITHM_DOUBLE_TREE, 7, 1, 6.8, 5.0, 0.6, 26.8,
          2.0 },
        { SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_ALGORITHM_DOUBLE_TREE, 1, 8, 14.0, 8.5, 1.25, 31.5,
          2.0 }
    };
    for (size_t i = 0; i < sizeof call / sizeof call[0]; i++) {
        const nccl_call *c = &call[i];
        sgdpar_topology on = machines(c->m, c->g);
        double none_s = 0.0, s = 0.0, bandwidth = c->m > 1 ? BANDWIDTH : 5e9;
        on.latency_s = on.local_latency_s = 0.0;
        sgdpar_protocol by = {.algorithm = c->how, .form = SGDPAR_FORM_STREAMED,
                              .cost.base_s = c->base * 1e-6, .cost.latency_s = c->inter * 1e-6,
                              .cost.local_latency_s = c->intra * 1e-6};
        CHECK_STATUS(sgdpar_collective_time(c->what, &by, &on, 0.0, &none_s), SGDPAR_OK);
        CHECK_REL(none_s, c->latency * 1e-6, 1e-12);
        CHECK_STATUS(sgdpar_collective_time(c->what, &by, &on, BYTES, &s), SGDPAR_OK);
        CHECK_REL(s - none_s, c->times * BYTES / bandwidth, 1e-12);
        by.cost.fraction = 0.5;
        by.cost.most_bytes_per_s = 0.2 * bandwidth;
        CHECK_STATUS(sgdpar_collective_time(c->what, &by, &on, BYTES, &s), SGDPAR_OK);
        CHECK_REL(s - none_s, (c->m == 2 && c->how != SGDPAR_ALGORITHM_RING ? 2.0 : 1.0)
                  * c->times * BYTES / by.cost.most_bytes_per_s, 1e-12);
    }
}

TEST(the_least_of_what_is_no_collective_is_refused)
{
    const sgdpar_collective what = SGDPAR_COLLECTIVE_ALL_REDUCE;
    sgdpar_protocol by[2];
    const sgdpar_network on = {.topology = machines(16, 1), .protocol = by, .protocols = 2};
    sgdpar_network none = on, slow = on, lacking = on;
    double s = -7.0;
    size_t chosen = 9;
    none.topology.machines = 0;
    slow.topology.bandwidth_bytes_per_s = 0.0;
    lacking.protocol = NULL;
    memset(by, 0, sizeof by);
#define REFUSED(what, on, bytes, s) \
    CHECK_STATUS(sgdpar_best_protocol(what, on, bytes, &chosen, s), SGDPAR_BAD_ARGUMENT)
    REFUSED(what, NULL, 100.0, &s);
    REFUSED(what, &lacking, 100.0, &s);
    REFUSED(what, &on, 100.0, NULL);
    REFUSED(what, &on, (double)NAN, &s);
    REFUSED(SGDPAR_COLLECTIVE_COUNT, &on, 100.0, &s);
    REFUSED(what, &slow, 100.0, &s);
    by[1].cost.base_s = -1.0;
    REFUSED(what, &on, 100.0, &s);
#undef REFUSED
    CHECK(s < -6.0 && chosen == 9);
    by[1].cost.base_s = 0.0;
    CHECK_STATUS(sgdpar_best_protocol(what, &none, 100.0, &chosen, &s), SGDPAR_OK);
    CHECK_REL(s, 0.0, 0.0);                            /* nobody to exchange with */
}

/* ---- Divided over the links -------------------------------------------------------- */

/* The quickest of by[n] over the links of a topology. */
static sgdpar_status links_of(sgdpar_collective what, const sgdpar_protocol *by, size_t n,
                              const sgdpar_topology *on, double bytes, sgdpar_link_times *out)
{
    const sgdpar_network all = {.topology = *on, .protocol = by, .protocols = n};
    return sgdpar_collective_links(what, &all, bytes, out);
}

static sgdpar_status exchange_links(sgdpar_sharding sharding, int gathers,
                                    const sgdpar_protocol *by, const sgdpar_topology *on,
                                    sgdpar_link_times *out)
{
    const sgdpar_network all = {.topology = *on, .protocol = by, .protocols = 3};
    return sgdpar_exchange_links(sharding, gathers, &all, 1e8, out);
}

static double drawn(double from, double to)
{
    static uint64_t at = 7;
    at = at * 6364136223846793005u + 1442695040888963407u;
    return from * pow(to / from, (double)(at >> 11) / 9007199254740992.0);
}

static sgdpar_topology drawn_topology(void)
{
    sgdpar_topology on = {.machines = (uint32_t)drawn(2.0, 40.0)};
    on.gpus = (uint32_t)drawn(2.0, 17.0);
    on.latency_s = drawn(1e-6, 1e-3);
    on.local_latency_s = drawn(1e-7, 1e-4);
    on.bandwidth_bytes_per_s = drawn(1e8, 1e11);
    on.local_bandwidth_bytes_per_s = drawn(1e8, 1e12);
    if (drawn(1.0, 2.0) < 1.4) on.flow_cap_bytes_per_s = drawn(1e7, 1e11);
    on.channels = (uint32_t)drawn(1.0, 4.0);
    return on;
}

static sgdpar_protocol drawn_way(sgdpar_collective what, sgdpar_algorithm how, sgdpar_form form)
{
    sgdpar_protocol by = {.collective = what, .algorithm = how, .inside = how, .form = form,
                          .cost.base_s = drawn(1e-6, 1e-3)};
    by.cost.latency_s = drawn(1e-6, 1e-3);
    by.cost.local_latency_s = drawn(1e-7, 1e-4);
    return by;
}

/* A part of most / part is less than most by its last bit: a time at the end of doubles. */
TEST(a_time_of_links_beyond_a_double_is_refused)
{
    const double most = 0.49;
    sgdpar_topology on = machines(2, 1);
    double s = -7.0, bytes = most * DBL_MAX;
    sgdpar_link_times t = {.alone_s = -7.0};
    on.latency_s = 0.0;
    sgdpar_protocol by = {.collective = SGDPAR_COLLECTIVE_BROADCAST,
                          .algorithm = SGDPAR_ALGORITHM_TREE, .cost.fraction = 0.03,
                          .cost.most_bytes_per_s = most};
    CHECK_STATUS(sgdpar_collective_time(by.collective, &by, &on, bytes, &s), SGDPAR_OK);
    CHECK(s > 0.999 * DBL_MAX);
    CHECK_STATUS(links_of(by.collective, &by, 1, &on, bytes, &t),
                 SGDPAR_BAD_ARGUMENT);
    CHECK(t.alone_s < -6.0);
    bytes /= 2.0;
    CHECK_STATUS(links_of(by.collective, &by, 1, &on, bytes, &t), SGDPAR_OK);
    CHECK_REL(t.busy_s[SGDPAR_LEVEL_NETWORK], s / 2.0, 1e-12);
}

static void check_sum(const sgdpar_link_times *t, const sgdpar_link_times *a,
                      const sgdpar_link_times *b)
{
    CHECK_REL(t->alone_s, a->alone_s + b->alone_s, 1e-15);
    for (size_t l = 0; l < SGDPAR_LEVEL_COUNT; l++) {
        CHECK_REL(t->busy_s[l], a->busy_s[l] + b->busy_s[l], 1e-15);
        CHECK_REL(t->latency_s[l], a->latency_s[l] + b->latency_s[l], 1e-15);
        CHECK_REL(t->share[l], a->share[l] > 0.0 ? a->share[l] : b->share[l], 0.0);
    }
}

TEST(exchanges_are_the_collectives_of_their_sharding)
{
    const sgdpar_topology on = drawn_topology();
    sgdpar_topology group = on, between = on;
    sgdpar_protocol by[3];
    sgdpar_link_times t, a, b, none = {0};
    for (size_t i = 0; i < 3; i++)
        by[i] = drawn_way((sgdpar_collective)i, SGDPAR_ALGORITHM_RING, SGDPAR_FORM_SPLIT);
    group.machines = 1;
    between.bandwidth_bytes_per_s /= on.gpus;
    between.gpus = 1;
    for (size_t i = 0; i < SGDPAR_SHARDING_COUNT; i++) {
        const sgdpar_sharding sharding = (sgdpar_sharding)i;
        const int hybrid = sharding == SGDPAR_SHARDING_HYBRID;
        const sgdpar_topology *own = hybrid ? &group : &on;
        const sgdpar_collective what = sharding == SGDPAR_SHARDING_NONE
            ? SGDPAR_COLLECTIVE_ALL_REDUCE : SGDPAR_COLLECTIVE_REDUCE_SCATTER;
        CHECK_STATUS(exchange_links(sharding, 1, by, &on, &t), SGDPAR_OK);
        CHECK_STATUS(links_of(SGDPAR_COLLECTIVE_ALL_GATHER, by, 3, own, 1e8, &a),
                     SGDPAR_OK);
        check_sum(&t, &a, &none);
        CHECK_STATUS(exchange_links(sharding, 0, by, &on, &t), SGDPAR_OK);
        CHECK_STATUS(links_of(what, by, 3, own, 1e8, &a), SGDPAR_OK);
        CHECK_STATUS(links_of(SGDPAR_COLLECTIVE_ALL_REDUCE, by, 3, &between, 1e8 / on.gpus, &b),
                     SGDPAR_OK);
        check_sum(&t, &a, hybrid ? &b : &none);
    }
}

TEST(what_cannot_be_divided_over_links_is_refused)
{
    const sgdpar_collective reduce = SGDPAR_COLLECTIVE_ALL_REDUCE;
    sgdpar_protocol by =
        drawn_way(SGDPAR_COLLECTIVE_BROADCAST, SGDPAR_ALGORITHM_RING, SGDPAR_FORM_SPLIT);
    sgdpar_network on = {.topology = drawn_topology(), .protocol = &by, .protocols = 1};
    sgdpar_network lacking = on, slow = on;
    sgdpar_link_times t = {.alone_s = 7.0};
    lacking.protocol = NULL;
    slow.topology.bandwidth_bytes_per_s = 0.0;
#define REFUSED(what, on, bytes, out) \
    CHECK_STATUS(sgdpar_collective_links(what, on, bytes, out), SGDPAR_BAD_ARGUMENT)
    REFUSED(SGDPAR_COLLECTIVE_BROADCAST, &on, 1.0, &t);
    by.collective = reduce;
    REFUSED(reduce, NULL, 1.0, &t);
    REFUSED(reduce, &lacking, 1.0, &t);
    REFUSED(reduce, &slow, 1.0, &t);
    REFUSED(reduce, &on, 1.0, NULL);
    REFUSED(reduce, &on, -1.0, &t);
    REFUSED(SGDPAR_COLLECTIVE_COUNT, &on, 1.0, &t);
#undef REFUSED
#define REFUSED(sharding, on, out) \
    CHECK_STATUS(sgdpar_exchange_links(sharding, 0, on, 1.0, out), SGDPAR_BAD_ARGUMENT)
    by.collective = SGDPAR_COLLECTIVE_REDUCE_SCATTER;
    REFUSED(SGDPAR_SHARDING_COUNT, &on, &t);
    by.collective = reduce;
    REFUSED(SGDPAR_SHARDING_NONE, NULL, &t);
    REFUSED(SGDPAR_SHARDING_NONE, &on, NULL);
    REFUSED(SGDPAR_SHARDING_HYBRID, &on, &t);
#undef REFUSED
    CHECK(t.alone_s >= 7.0 && t.alone_s <= 7.0);
    on.topology.machines = on.topology.gpus = 1;
    CHECK_STATUS(sgdpar_collective_links(reduce, &on, 1.0, &t), SGDPAR_OK);
    CHECK(!(t.alone_s > 0.0) && !(t.busy_s[0] > 0.0));
    CHECK_STATUS(sgdpar_collective_links(reduce, &on, -1.0, &t), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_collective_links(SGDPAR_COLLECTIVE_COUNT, &on, 1.0, &t),
                 SGDPAR_BAD_ARGUMENT);
}

TEST(one_machine_of_byteps_exchanges_nothing)
{
    sgdpar_division d;
    for (uint32_t k = 0; k < 3; k++) {
        CHECK_STATUS(sgdpar_byteps(1, k, 1e9, 1e9, &d), SGDPAR_OK);
        CHECK_REL(d.time_s + d.beside, 0.0, 0.0);
        CHECK_REL(d.own, 1.0, 0.0);
    }
    d.time_s = -7.0;
    CHECK_STATUS(sgdpar_byteps(2, 1, 1e9, 1e9, NULL), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_byteps(0, 1, 1e9, 1e9, &d), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_byteps(2, 1, -1.0, 1e9, &d), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_byteps(2, 1, 1e9, 0.0, &d), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_byteps(2, 1, 1e300, 1e-300, &d), SGDPAR_BAD_ARGUMENT);
    CHECK(d.time_s < -6.0);
}

TEST(what_is_no_collective_is_refused)
{
    sgdpar_topology on = machines(4, 4);
    double s = -7.0;
    sgdpar_protocol by = {0};
#define REFUSED(what) \
    CHECK_STATUS(sgdpar_collective_time(what, &by, &on, BYTES, &s), SGDPAR_BAD_ARGUMENT)
    CHECK_STATUS(sgdpar_collective_time(SGDPAR_COLLECTIVE_COUNT, &by, &on, 1.0, &s),
                 SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_collective_time(SGDPAR_COLLECTIVE_ALL_REDUCE, &by, &on, -1.0, &s),
                 SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_collective_time(SGDPAR_COLLECTIVE_ALL_REDUCE, NULL, &on, 1.0, &s),
                 SGDPAR_BAD_ARGUMENT);
    REFUSED(SGDPAR_COLLECTIVE_BROADCAST);                     /* no flat ring is one */
    by.algorithm = SGDPAR_ALGORITHM_HALVING;
    REFUSED(SGDPAR_COLLECTIVE_ALL_REDUCE);                    /* flat, but no ring */
    by.form = SGDPAR_FORM_SPLIT;
    REFUSED(SGDPAR_COLLECTIVE_BROADCAST);
    by.inside = SGDPAR_ALGORITHM_DOUBLE_TREE;
    REFUSED(SGDPAR_COLLECTIVE_ALL_REDUCE);
    by.inside = SGDPAR_ALGORITHM_RING;
    by.cost.fraction = 1.5;
    REFUSED(SGDPAR_COLLECTIVE_ALL_REDUCE);
    by.cost.fraction = 0.0;
    by.cost.most_bytes_per_s = -1.0;
    REFUSED(SGDPAR_COLLECTIVE_ALL_REDUCE);
    by.cost.most_bytes_per_s = 0.0;
    by.form = SGDPAR_FORM_STREAMED;
    REFUSED(SGDPAR_COLLECTIVE_ALL_REDUCE);                    /* no streamed halving */
    by.algorithm = SGDPAR_ALGORITHM_DOUBLE_TREE;
    REFUSED(SGDPAR_COLLECTIVE_ALL_GATHER);
    by.algorithm = SGDPAR_ALGORITHM_RING;
    REFUSED(SGDPAR_COLLECTIVE_BROADCAST);
    REFUSED(SGDPAR_COLLECTIVE_ALL_TO_ALL);
    on.local_bandwidth_bytes_per_s = 0.0;
    REFUSED(SGDPAR_COLLECTIVE_ALL_REDUCE);
    on = machines(4, 4);
    on.latency_s = -1.0;
    REFUSED(SGDPAR_COLLECTIVE_ALL_REDUCE);
#undef REFUSED
    CHECK(s < -6.0);
}

/* Two machines, and two accelerators of each, need a link even where nothing is to be sent. */
TEST(two_are_enough_to_need_a_link)
{
    sgdpar_topology on = machines(2, 2);
    double s = -7.0;
    sgdpar_protocol by = {0};
    on.bandwidth_bytes_per_s = 0.0;
    CHECK_STATUS(sgdpar_collective_time(SGDPAR_COLLECTIVE_ALL_REDUCE, &by, &on, 0.0, &s),
                 SGDPAR_BAD_ARGUMENT);
    on.machines = 1;
    CHECK_STATUS(sgdpar_collective_time(SGDPAR_COLLECTIVE_ALL_REDUCE, &by, &on, 0.0, &s),
                 SGDPAR_OK);
    CHECK_REL(s, 2.0 * on.local_latency_s, 1e-15);
    on = machines(2, 2);
    on.local_bandwidth_bytes_per_s = 0.0;
    CHECK_STATUS(sgdpar_collective_time(SGDPAR_COLLECTIVE_ALL_REDUCE, &by, &on, 0.0, &s),
                 SGDPAR_BAD_ARGUMENT);
    on.gpus = 1;
    CHECK_STATUS(sgdpar_collective_time(SGDPAR_COLLECTIVE_ALL_REDUCE, &by, &on, 0.0, &s),
                 SGDPAR_OK);
    CHECK_REL(s, 2.0 * on.latency_s, 1e-15);
}

/* Of all that servers of gradients could be given: every y, and x from what is left. */
TEST(a_job_with_machines_of_cpus_takes_the_time_of_byteps)
{
    sgdp_prediction p = {0};
    uint32_t k;
    sgdp_job job = {.compute.forward_s = 1.0, .compute.backward_s = 2.0, .compute.update_s = 0.25,
                    .model_bytes = 3e9, .links.bandwidth_bytes_per_s = 2e9,
                    .collective.exchange = exchange_of};
    for (uint32_t n = 1; n <= 64; n++)
        for (k = 0; k <= n + 1; k++) {
            const double latency_s = k > 0 ? 0.125 : 0.0;
            sgdpar_division d = { -1.0, 0.0, 0.0 };
            CHECK_STATUS(sgdpar_byteps(n, k, 3e9, 2e9, &d), SGDPAR_OK);
            job.collective.ctx = &k;
            job.links.latency_s = latency_s;
            CHECK_STATUS(sgdp_predict(&job, SGDP_ALLREDUCE_RING, n, NULL, 0, &p), SGDP_OK);
            if (n > 1) d.time_s += 2.0 * latency_s;
            CHECK_REL(p.step_s, 3.25 + d.time_s, 1e-14);
        }
    CHECK_STATUS(sgdp_predict(&job, SGDP_ALLREDUCE_DOUBLING, 4, NULL, 0, &p), SGDP_OK);
    CHECK_REL(p.step_s, 3.25 + 2.0 * (1.5 + 0.125), 1e-14);    /* its own, as none is told */
    job.collective.exchange = NULL;
    CHECK_STATUS(sgdp_predict(&job, SGDP_ALLREDUCE_FLAT, 4, NULL, 0, &p), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_predict(&job, SGDP_ALLREDUCE_HIERARCHICAL, 4, NULL, 0, &p),
                 SGDP_BAD_ARGUMENT);
}

static int tell(void *ctx, sgdp_model model, const sgdp_machines *on, sgdp_exchange *out)
{
    const sgdp_exchange *told = (const sgdp_exchange *)ctx;
    (void)model;
    *out = *told;
    if (on->workers == 6) return 0;
    if (told->growth_s > 7.0) CHECK(on->fullest == on->gpus || on->workers == 5);
    return 1;
}

/* 5 accelerators on machines of 4: 4 and 1. What is told is in the step, and in it alone. */
TEST(a_step_takes_the_seconds_of_an_exchange_that_is_told)
{
    sgdp_exchange told = { 0.5, 2.0, 1.5, 8.0 }, bad;
    sgdp_prediction p = {0}, curve[2];
    const uint32_t workers[2] = { 5, 6 };
    const sgdp_curve both = {workers, 2, curve, NULL};
    memset(curve, 0, sizeof curve);
    sgdp_job job = {.compute.forward_s = 1.0, .model_bytes = 1e9,
                    .links.bandwidth_bytes_per_s = 1e9, .machine.local_bandwidth_bytes_per_s = 1e9,
                    .machine.gpus = 4, .collective.exchange = tell, .collective.ctx = &told};
    CHECK_STATUS(sgdp_predict(&job, SGDP_ALLREDUCE_FLAT, 5, NULL, 0, &p), SGDP_OK);
    CHECK_REL(p.step_s, 3.5, 1e-15);
    CHECK_REL(p.time.service_s[SGDP_LINK], 2.0, 1e-15);
    CHECK_REL(p.time.service_s[SGDP_LOCAL], 0.5, 1e-15);
    CHECK_REL(p.scaling.saturation_workers, 4.0 * (1.0 + 0.5 + 2.0) / 8.0, 1e-15);
    CHECK_STATUS(sgdp_predict_curve(&job, SGDP_ALLREDUCE_FLAT, &both, NULL, 0),
                 SGDP_BAD_ARGUMENT);                   /* of 6 nothing is told              */
    for (size_t i = 0; i < 8; i++) {
        const double odd = i % 2 ? -1.0 : (double)NAN;
        bad = told;
        if (i / 2 == 0) bad.local_s = odd;
        if (i / 2 == 1) bad.link_s = odd;
        if (i / 2 == 2) bad.carried_s = i % 2 ? 2.1 : odd;
        if (i / 2 == 3) bad.growth_s = odd;
        job.collective.ctx = &bad;
        CHECK_STATUS(sgdp_predict(&job, SGDP_ALLREDUCE_FLAT, 5, NULL, 0, &p), SGDP_BAD_ARGUMENT);
    }
}

TEST(a_ring_on_machines_is_refused_without_them)
{
    sgdpar_machines on = { 5, 2, 4, 4, 1, 1.0, 0.5, 0.125, 0.0 };
    sgdpar_exchange e = { -7.0, 0.0, 0.0, 0.0 };
    CHECK_STATUS(sgdpar_ring_exchange(SGDPAR_FORM_SPLIT, 1, &on, &e), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_ring_exchange(SGDPAR_FORM_STREAMED, 0, &on, &e), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_ring_exchange(SGDPAR_FORM_FLAT, 0, NULL, &e), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_ring_exchange(SGDPAR_FORM_FLAT, 0, &on, NULL), SGDPAR_BAD_ARGUMENT);
    on.emptiest = 0;
    CHECK_STATUS(sgdpar_ring_exchange(SGDPAR_FORM_FLAT, 0, &on, &e), SGDPAR_BAD_ARGUMENT);
    on.emptiest = 1;
    on.transfer_s = 1.7e308;
    CHECK_STATUS(sgdpar_ring_exchange(SGDPAR_FORM_FLAT, 0, &on, &e), SGDPAR_BAD_ARGUMENT);
    on.transfer_s = (double)NAN;
    CHECK_STATUS(sgdpar_ring_exchange(SGDPAR_FORM_INSIDE, 0, &on, &e), SGDPAR_BAD_ARGUMENT);
    CHECK(e.local_s < -6.0);
}

/* A ring of n takes 2 (n - 1) messages of a part 1/n each. Inside machines it is one of the
 * fullest's accelerators, between them one of machines, or of all, whose slowest link counts. */
static double rounds_s(double n, double whole_s, double latency_s)
{
    return 2.0 * (n - 1.0) * (whole_s / n + latency_s);
}

TEST(a_ring_on_machines_is_its_messages)
{
    for (int trial = 0; trial < 6000; trial++) {
        static const sgdpar_form forms[3] = {SGDPAR_FORM_FLAT, SGDPAR_FORM_SPLIT,
                                             SGDPAR_FORM_INSIDE};
        const sgdpar_form form = forms[trial % 3];
        const uint32_t m = (uint32_t)drawn(1.0, 7.0), g = (uint32_t)drawn(1.0, 9.0);
        const uint32_t rest = (uint32_t)drawn(1.0, g + 1.0), K = (m - 1) * g + rest;
        const uint32_t beside = form == SGDPAR_FORM_INSIDE ? (uint32_t)drawn(1.0, 5.0) - 1 : 0;
        const double vast = trial % 5 ? 1.0 : drawn(1e306, 4e307);
        const double times[3] = {trial % 2 ? vast : 1.0, trial % 4 ? vast : 1.0,
                                 trial % 7 ? vast : 1.0};
        const sgdpar_machines on = {K, m, g, m > 1 ? g : rest, rest, times[0] * drawn(0.1, 4.0),
                                    times[1] * drawn(0.1, 4.0),
                                    trial % 4 ? times[2] * drawn(0.01, 4.0) : 0.0, 0.0};
        const double T = form == SGDPAR_FORM_SPLIT ? on.transfer_s / on.emptiest : on.transfer_s;
        double local_s = rounds_s(on.fullest, on.local_transfer_s, 0.0);
        double link_s = rounds_s(m, T, on.latency_s), carried_s = rounds_s(m, T, 0.0);
        double growth_s = 2.0 * on.latency_s;
        sgdpar_exchange e;
        int tells;
        if (form == SGDPAR_FORM_FLAT) {
            growth_s *= g;
            link_s = m > 1 ? rounds_s(K, fmax(T, on.local_transfer_s), on.latency_s) : 0.0;
            carried_s = m > 1 ? rounds_s(K, T, 0.0) : 0.0;
            if (m > 1) local_s = 0.0;
        }
        if (form == SGDPAR_FORM_INSIDE && m > 1 && on.fullest > 1) local_s += on.local_transfer_s;
        if (beside > 0) growth_s = 0.0;
        if (beside > 0 && m > 1) {
            carried_s = beside >= m ? T
                : 2.0 * m * (m - 1.0) / (m * m + beside * (m - 2.0)) * T;
            link_s = carried_s + 2.0 * on.latency_s;
        }
        tells = local_s + link_s <= DBL_MAX && growth_s <= DBL_MAX;
        CHECK_STATUS(sgdpar_ring_exchange(form, beside, &on, &e),
                     tells ? SGDPAR_OK : SGDPAR_BAD_ARGUMENT);
        if (!tells) continue;
        CHECK_REL(e.local_s, local_s, 1e-12);
        CHECK_REL(e.link_s, link_s, 1e-12);
        CHECK_REL(e.carried_s, carried_s, 1e-12);
        CHECK_REL(e.growth_s, growth_s, 1e-12);
    }
}

/* Turn i of an all-to-all, with at least flow_s a message: worker r sends to r + i. The machine
 * with most messages on its link, and a message inside if there is one, tell how long it takes. */
static double turn_s(uint32_t K, uint32_t g, uint32_t i, double message_s, double flow_s,
                     double local_s, double latency_s)
{
    double most = 0.0, inside = 0.0;
    for (uint32_t first = 0; first < K; first += g) {
        double crossing = 0.0;
        for (uint32_t r = first; r < K && r < first + g; r++) {
            const int same = (r + i) % K / g == r / g;
            crossing += !same;
            if (same) inside = local_s;
        }
        most = fmax(most, crossing);
    }
    return fmax(most > 0.0 ? latency_s + fmax(most * message_s, flow_s) : 0.0, inside);
}

TEST(an_all_to_all_on_machines_is_its_turns_one_by_one)
{
    for (uint32_t g = 1; g <= 9; g++) for (uint32_t K = 1; K <= 40; K++)
        for (int quick = 0; quick < 4; quick++) {
            const uint32_t m = (K - 1) / g + 1;
            const double T = quick == 2 ? 0.0 : 3.0, local_s = quick == 1 ? 11.0 : 0.5;
            const double latency_s = quick == 0 ? 0.0 : 0.25, flow_s = quick == 3 ? 10.0 : 0.0;
            const sgdpar_machines on = {
                .workers = K, .machines = m, .gpus = g, .fullest = K < g ? K : g, .emptiest = 1,
                .transfer_s = T, .local_transfer_s = local_s, .latency_s = latency_s,
                .flow_transfer_s = flow_s
            };
            sgdpar_exchange e;
            double sum_s = 0.0, free_s = 0.0;
            for (uint32_t i = 1; i < K; i++) {
                sum_s += turn_s(K, g, i, T / K, flow_s / K, local_s / K, latency_s);
                free_s += turn_s(K, g, i, T / K, flow_s / K, 0.0, 0.0);
            }
            CHECK_STATUS(sgdpar_pairwise_exchange(&on, &e), SGDPAR_OK);
            CHECK(fabs((m == 1 ? e.local_s : e.link_s) - sum_s) <= 1e-12 * (1.0 + sum_s));
            CHECK(!((m == 1 ? e.link_s : e.local_s) > 0.0));
            CHECK(fabs(e.carried_s - (m == 1 ? 0.0 : free_s)) <= 1e-12 * (1.0 + free_s));
            CHECK_REL(e.growth_s, g * latency_s, 0.0);
            if (m > 1 && quick == 0 && g < K / 2)
                CHECK_REL(e.carried_s, g * (double)(K - g) / K * T, 1e-14);
        }
}

/* A job with all-to-alls of S bytes. */
static sgdp_job job_of(double model_bytes, double alltoall_bytes, uint32_t gpus)
{
    return (sgdp_job){
        .model_bytes = model_bytes, .compute = {.forward_s = 0.5, .backward_s = 1.0},
        .links = {.bandwidth_bytes_per_s = 1e9, .latency_s = 1e-3},
        .collective = {.exchange = exchange_of, .alltoall_bytes = alltoall_bytes,
                       .alltoall = alltoall_of},
        .machine = {.gpus = gpus, .local_bandwidth_bytes_per_s = 1e10, .growth = -1.0,
                    .growth_between = -1.0}
    };
}

static sgdp_prediction all_reduce(const sgdp_job *job, sgdp_model model, uint32_t workers)
{
    sgdp_prediction p = {0};
    CHECK_STATUS(sgdp_predict(job, model, workers, NULL, 0, &p), SGDP_OK);
    return p;
}

static double alltoall_s(double bytes, uint32_t gpus, uint32_t K, double B)
{
    const uint32_t m = (K - 1) / gpus + 1;
    const sgdpar_machines on = {K, m, gpus, K < gpus ? K : gpus, 1, bytes / B,
                                gpus > 1 ? bytes / 1e10 : 0.0, 1e-3, 0.0};
    sgdpar_exchange e;
    CHECK_STATUS(sgdpar_pairwise_exchange(&on, &e), SGDPAR_OK);
    return e.local_s + e.link_s;
}

/* Overlaps: none, one pass, exposure 1 and less than 0 (h = 0), exponent 2. */
static void take_overlap(sgdp_job *job, int overlap)
{
    if (overlap == 1) job->overlap.rule = SGDP_OVERLAP_ONE_PASS;
    if (overlap == 2) job->overlap.exposure = 1.0;
    if (overlap == 3) job->overlap.exposure = -1.0;
    if (overlap == 4) job->overlap.exponent = 2.0;
}

TEST(an_all_to_all_adds_its_time_to_a_step_and_only_an_exponent_hides_it)
{
    for (int model = SGDP_ALLREDUCE_RING; model <= SGDP_ALLREDUCE_CLUSTER; model++)
        for (uint32_t gpus = 1; gpus <= 8; gpus *= 2) for (uint32_t K = 1; K <= 33; K += 4)
            for (int overlap = 0; overlap < 5; overlap++) {
                sgdp_job without = job_of(2e9, 0.0, gpus), with = job_of(2e9, 3e9, gpus);
                sgdp_job alone = job_of(0.0, 3e9, gpus);
                const double all_s = alltoall_s(3e9, gpus, K, 1e9);
                const double held = overlap == 0 && model == SGDP_ALLREDUCE_CLUSTER ? 1.25 : 1.0;
                const double unit = 1.0 / 1099511627776.0;       /* of bytes and bandwidths */
                take_overlap(&without, overlap);
                take_overlap(&with, overlap);
                take_overlap(&alone, overlap);
                const sgdp_prediction a = all_reduce(&without, (sgdp_model)model, K);
                const sgdp_prediction b = all_reduce(&with, (sgdp_model)model, K);
                without.collective.alltoall = NULL;
                const sgdp_prediction c = all_reduce(&without, (sgdp_model)model, K);
                CHECK(memcmp(&a, &c, sizeof a) == 0);
                with.model_bytes *= unit;
                with.collective.alltoall_bytes *= unit;
                with.links.bandwidth_bytes_per_s *= unit;
                with.machine.local_bandwidth_bytes_per_s *= unit;
                CHECK_REL(all_reduce(&with, (sgdp_model)model, K).step_s, b.step_s, 1e-12);
                if (overlap < 4) CHECK_REL(b.step_s, a.step_s + held * all_s, 1e-12);
                else CHECK(b.step_s >= a.step_s && b.step_s <= (a.step_s + all_s) * (1.0 + 1e-12));
                without = alone;
                alone.links.latency_s = 0.0;
                alone.machine.local_bandwidth_bytes_per_s = 1e300;
                const sgdp_prediction d = all_reduce(&alone, (sgdp_model)model, K);
                const double n = K, g = K < gpus ? K : gpus; /* all of the last are full but 1    */
                if (overlap < 4 && K > gpus)
                    CHECK_REL(d.step_s, 1.5 + held * 3.0 * g * (n - g) / n, 1e-12);
                CHECK_REL(b.time.service_s[SGDP_LINK] + b.time.service_s[SGDP_LOCAL] +
                          b.time.service_s[SGDP_WORKER], b.step_s, 1e-12);
            }
}

TEST(an_all_to_all_takes_longer_with_more_bytes_and_less_bandwidth)
{
    for (int overlap = 0; overlap < 5; overlap++) for (uint32_t gpus = 1; gpus <= 4; gpus *= 4) {
        double last_s = 0.0;
        for (double bytes = 1e8; bytes < 1e11; bytes *= 2.0) {
            sgdp_job job = job_of(2e9, bytes, gpus);
            take_overlap(&job, overlap);
            const double step_s = all_reduce(&job, SGDP_ALLREDUCE_RING, 12).step_s;
            CHECK(step_s > last_s);
            last_s = step_s;
            job.links.bandwidth_bytes_per_s *= 1.5;
            CHECK(all_reduce(&job, SGDP_ALLREDUCE_RING, 12).step_s < step_s);
        }
    }
}

TEST(caps_of_flows_and_messages_of_machines_count_for_all_to_alls)
{
    sgdp_job job = job_of(2e9, 3e9, 1);
    sgdpar_machines on = {16, 4, 4, 4, 4, 3.0, 0.3, 1e-3, 12.0};
    sgdpar_exchange e;
    CHECK_REL(all_reduce(&job, SGDP_ALLREDUCE_RING, 4).scaling.saturation_workers, 8.5 / 3e-3,
              1e-12);                  /* 1.5 + 2 x 2 + 3 alone; a machine adds 3 messages   */
    job.links.flow_cap_bytes_per_s = 2.5e8;
    CHECK_REL(all_reduce(&job, SGDP_ALLREDUCE_RING, 4).step_s, 1.5 + 12.006 + 9.003, 1e-12);
    job = job_of(2e9, 3e9, 4);
    CHECK_REL(all_reduce(&job, SGDP_ALLREDUCE_RING, 16).scaling.saturation_workers,
              4.0 * (1.5 + 0.5 + 4.0 + 12.0) / 6e-3, 1e-12);
    job.links.flow_cap_bytes_per_s = 2.5e8;
    const sgdp_prediction with = all_reduce(&job, SGDP_ALLREDUCE_RING, 16);
    job.collective.alltoall_bytes = 0.0;
    CHECK_STATUS(sgdpar_pairwise_exchange(&on, &e), SGDPAR_OK);
    CHECK_REL(with.step_s - all_reduce(&job, SGDP_ALLREDUCE_RING, 16).step_s, e.link_s, 1e-9);
}

TEST(all_to_alls_of_several_jobs_share_the_links)
{
    sgdp_job job = job_of(0.0, 3e9, 1);
    job.links.latency_s = 0.0;
    const double alone_s = all_reduce(&job, SGDP_ALLREDUCE_RING, 4).step_s;
    CHECK_REL(alone_s, 1.5 + 3.0 * 0.75, 1e-12);
    job.collective.jobs = 3;
    const double shared_s = all_reduce(&job, SGDP_ALLREDUCE_RING, 4).step_s;
    CHECK(shared_s > alone_s && shared_s <= 1.5 + 3.0 * 3.0 * 0.75);
}

TEST(an_all_to_all_is_refused_without_what_it_needs)
{
    sgdp_prediction p;
    sgdp_job job = job_of(2e9, 3e9, 1);
    CHECK_STATUS(sgdp_predict(&job, SGDP_SYNC_PS, 4, NULL, 0, &p), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_predict(&job, SGDP_ASYNC_EXACT, 1, NULL, 0, &p), SGDP_BAD_ARGUMENT);
    job.collective.alltoall = NULL;
    CHECK_STATUS(sgdp_predict(&job, SGDP_ALLREDUCE_RING, 4, NULL, 0, &p), SGDP_BAD_ARGUMENT);
    job = job_of(2e9, -1.0, 1);
    CHECK_STATUS(sgdp_predict(&job, SGDP_ALLREDUCE_RING, 4, NULL, 0, &p), SGDP_BAD_ARGUMENT);
    job = job_of(0.0, 3e9, 1);
    job.links.bandwidth_bytes_per_s = 0.0;
    job.links.uplink_s = job.links.downlink_s = 1.0;
    CHECK_STATUS(sgdp_predict(&job, SGDP_ALLREDUCE_RING, 4, NULL, 0, &p), SGDP_BAD_ARGUMENT);
}

TEST(an_all_to_all_on_machines_is_refused_without_them)
{
    const sgdpar_machines good = { 5, 2, 4, 4, 1, 1.0, 0.5, 0.125, 0.0 };
    sgdpar_exchange e = { -7.0, 0.0, 0.0, 0.0 };
    CHECK_STATUS(sgdpar_pairwise_exchange(NULL, &e), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_pairwise_exchange(&good, NULL), SGDPAR_BAD_ARGUMENT);
    for (int i = 0; i < 6; i++) {
        sgdpar_machines on = good;
        if (i == 0) on.emptiest = 0;
        if (i == 1) on.fullest = 5;
        if (i == 2) on.transfer_s = (double)NAN;
        if (i == 3) on.latency_s = 1.7e308;
        if (i == 4) on.local_transfer_s = -1.0;
        if (i == 5) on.flow_transfer_s = (double)NAN;
        CHECK_STATUS(sgdpar_pairwise_exchange(&on, &e), SGDPAR_BAD_ARGUMENT);
        CHECK(e.local_s < -6.0);
    }
}

TEST(byteps_divides_so_that_no_other_division_is_quicker)
{
    for (uint32_t n = 2; n <= 16; n++) for (uint32_t k = 0; k <= n + 2; k++) {
        sgdpar_division d = { 0.0, 0.0, 0.0 };
        double best = HUGE_VAL;
        CHECK_STATUS(sgdpar_byteps(n, k, 1e9, 1e9, &d), SGDPAR_OK);
        CHECK_REL(k * d.beside + n * d.own, 1.0, 1e-12);
        for (int i = 0; i <= 1000; i++) {
            const double own = i / 1000.0 / n, beside = k ? (1.0 - n * own) / k : 0.0;
            const double of_worker = 1.0 - own + (n - 1) * own, of_server = n * beside;
            if (k == 0 && i < 1000) continue;
            best = fmin(best, fmax(of_worker, of_server));
        }
        CHECK(d.time_s <= best * (1.0 + 1e-12));
        CHECK(d.time_s >= best * (1.0 - 3e-2));
        CHECK_REL(d.time_s, fmax(1.0 - d.own + (n - 1) * d.own, n * d.beside), 1e-12);
        if (k == 0) CHECK_REL(d.time_s, 2.0 * (n - 1) / n, 1e-12);
    }
}

/* ---- Measured -------------------------------------------------------------------- */

/* Microseconds out of place of 1, 2, 4 ... MiB by nccl-tests. The first and the last row tell
 * the time of a call and the bandwidth; the others are predicted. */
static double largest_error(sgdpar_collective what, uint32_t gpus, const double *us, size_t n)
{
    const double ratio = what == SGDPAR_COLLECTIVE_ALL_REDUCE ? 2.0 : 1.0;
    const double first = 1048576.0, last = ldexp(first, (int)n - 1);
    const double factor = ratio * (gpus - 1.0) / gpus;
    sgdpar_topology on = {0};
    double most = 0.0;
    sgdpar_protocol by = {0};
    on.gpus = gpus;
    on.local_bandwidth_bytes_per_s = factor * (last - first) / ((us[n - 1] - us[0]) * 1e-6);
    by.cost.base_s = us[0] * 1e-6 - factor * first / on.local_bandwidth_bytes_per_s;
    for (size_t i = 0; i < n; i++) {
        double s = 0.0;
        CHECK_STATUS(sgdpar_collective_time(what, &by, &on, ldexp(first, (int)i), &s), SGDPAR_OK);
        if (i == 0 || i + 1 == n) CHECK_REL(s, us[i] * 1e-6, 1e-9);
        most = fmax(most, fabs(s / (us[i] * 1e-6) - 1.0));
    }
    return most;
}

/* All-reduce of two H100 over NVLink: "NCCL Guide for DigitalOcean Bare Metal Machines",
 * step 6 (MIT). Reduce-scatter of eight GPUs of a machine: NVIDIA/nccl-tests, issue 128. */
TEST(tables_of_nccl_tests_are_met_between_their_ends)
{
    static const double h100[] = { 26.30, 30.67, 35.13, 47.86, 73.28, 127.7, 223.4, 415.0,
                                   792.7, 1541.7, 2996.1 };
    static const double eight[] = { 106.2, 152.5, 252.5, 461.2, 885.2, 1737.1, 3461.9, 6913.0,
                                    13882.0 };
    CHECK(largest_error(SGDPAR_COLLECTIVE_ALL_REDUCE, 2, h100, 11) < 0.09);
    CHECK(largest_error(SGDPAR_COLLECTIVE_REDUCE_SCATTER, 8, eight, 9) < 0.065);
}

/* ---- Buckets --------------------------------------------------------------------- */

enum { TENSORS_MOST = 320 };

typedef struct network { size_t n; sgdpar_tensor tensor[TENSORS_MOST]; } network;

static void parameter(network *net_of, uint64_t elements)
{
    net_of->tensor[net_of->n].bytes = 4 * elements;
    net_of->tensor[net_of->n++].backward_s = 0.0;
}

static void convolution(network *of, uint64_t from, uint64_t to, uint64_t area)
{
    parameter(of, from * to * area);
    parameter(of, to);                             /* of the batch norm behind it */
    parameter(of, to);
}

/* Parameters as torchvision registers them; blocks of 2 or 3 convolutions, of which the inner
 * one is in groups: of a ResNeXt, with so many channels for 64. */
static network resnet(const int *blocks, int bottleneck, uint64_t groups, uint64_t channels)
{
    network of = {0};
    uint64_t from = 64;
    convolution(&of, 3, 64, 49);
    for (int stage = 0; stage < 4; stage++) for (int b = 0; b < blocks[stage]; b++) {
        const uint64_t wide = (uint64_t)64 << stage, to = bottleneck ? 4 * wide : wide;
        const uint64_t width = wide * channels / 64;
        convolution(&of, from, width, bottleneck ? 1 : 9);
        convolution(&of, width / groups, width, 9);
        if (bottleneck) convolution(&of, width, to, 1);
        if (b == 0 && from != to) convolution(&of, from, to, 1);
        from = to;
    }
    parameter(&of, from * 1000);
    parameter(&of, 1000);
    return of;
}

static network reversed(const network *of)
{
    network back = *of;
    for (size_t i = 0; i < of->n; i++) back.tensor[i] = of->tensor[of->n - 1 - i];
    return back;
}

static network resnet50(void)
{
    static const int blocks[] = { 3, 4, 6, 3 };
    const network of = resnet(blocks, 1, 1, 64);
    return reversed(&of);
}

static void expect_buckets(const network *of, const uint64_t *want, size_t n)
{
    uint64_t bytes[TENSORS_MOST];
    size_t first[TENSORS_MOST], buckets = 0, i;
    CHECK_STATUS(sgdpar_buckets(of->tensor, of->n, NULL, bytes, first, &buckets), SGDPAR_OK);
    CHECK(buckets == n);
    for (i = 0; i < n && i < buckets; i++) {
        const size_t end = i + 1 < n ? first[i + 1] : of->n;
        uint64_t sum = 0;
        for (size_t k = first[i]; k < end; k++) sum += of->tensor[k].bytes;
        CHECK(bytes[i] == want[i]);
        CHECK(sum == want[i]);
    }
}

/* ResNet-50, and VGG-11 below: the vectors that public programs which replay the traffic of
 * PyTorch send. ResNet-18 by hand: 2052000 is its last layer; 28852224 goes back to the second
 * convolution of layer4.0, with which it passes 25 MiB. */
TEST(buckets_are_those_of_pytorch)
{
    static const int of_18[] = { 2, 2, 2, 2 };
    static const uint64_t want_18[] = { 2052000, 28852224, 15853824 };
    static const uint64_t want_50[] = { 8196000, 31502336, 26255360, 26550272, 9724160 };
    const network small = resnet(of_18, 0, 1, 64), back = reversed(&small), large = resnet50();
    CHECK(small.n == 62 && large.n == 161);
    expect_buckets(&back, want_18, 3);
    expect_buckets(&large, want_50, 5);
}

/* Gradients of a convolution are there weight first, then bias; of a linear layer bias
 * first. In the reverse of registration the fourth bucket would have one bias more. */
TEST(buckets_follow_the_order_in_which_gradients_are_there)
{
    static const uint64_t want[] = { 16388000, 67125248, 411058176, 28315648, 8566272 };
    static const uint64_t of[][2] = { { 512, 512 }, { 512, 512 }, { 512, 512 }, { 256, 512 },
                                      { 256, 256 }, { 128, 256 }, { 64, 128 }, { 3, 64 } };
    network vgg = {0};
    parameter(&vgg, 1000);
    parameter(&vgg, 4096 * 1000);
    parameter(&vgg, 4096);
    parameter(&vgg, 4096 * 4096);
    parameter(&vgg, 4096);
    parameter(&vgg, 512 * 49 * 4096);
    for (size_t i = 0; i < 8; i++) {
        parameter(&vgg, of[i][0] * of[i][1] * 9);
        parameter(&vgg, of[i][1]);
    }
    expect_buckets(&vgg, want, 5);
}

/* ---- Measured steps -------------------------------------------------------------- */

/* The step of a network on n GPUs in one ring, over that on fewer. */
static double growth(const network *of, double step_s, uint32_t n, uint32_t fewer)
{
    network timed = *of;
    sgdpar_replica_step step[2];
    sgdpar_protocol ring = {0};
    for (size_t i = 0; i < timed.n; i++)
        timed.tensor[i].backward_s = 2.0 / 3.0 * step_s / (double)timed.n;
    sgdpar_replica r = {.layers.tensor = timed.tensor, .layers.tensors = timed.n,
                        .compute.forward_s = step_s / 3.0, .network.protocol = &ring,
                        .network.protocols = 1,
                        .network.topology.local_bandwidth_bytes_per_s = 50e9};
    for (size_t i = 0; i < 2; i++) {
        r.network.topology.gpus = i == 0 ? n : fewer;
        CHECK_STATUS(sgdpar_replica_time(&r, NULL, 0, &step[i]), SGDPAR_OK);
    }
    return step[0].step_s / step[1].step_s;
}

/* One network of validation/datasets/pytorch_ddp.csv: mini-batches per second of 2, 4, 8 and
 * 16 GPUs, the step of one and of eight as measured. */
typedef struct measured_network {
    int blocks[4];
    uint64_t groups, channels, bytes;
    double step_s[2], batches_per_s[4];
} measured_network;

static const measured_network measured[] = {
    { { 3, 4, 6, 3 }, 1, 64, 102228128, { 0.10031348, 0.104234528 },
      { 19.375, 38.75, 76.75, 153.0 } },
    { { 3, 4, 23, 3 }, 1, 64, 178196640, { 0.171122995, 0.17877095 },
      { 11.375, 22.75, 44.75, 89.0 } },
    { { 3, 4, 6, 3 }, 32, 128, 100115616, { 0.147465438, 0.156862745 },
      { 13.0625, 26.0, 51.0, 101.5 } },
    { { 3, 4, 23, 3 }, 32, 256, 355165344, { 0.426666667, 0.450704225 },
      { 4.5625, 9.0, 17.75, 35.5 } }
};

TEST(pytorch_is_met_without_anything_calibrated)
{
    double sum = 0.0;
    for (size_t i = 0; i < 4; i++) {
        const measured_network *m = &measured[i];
        const network of = resnet(m->blocks, 1, m->groups, m->channels);
        const network back = reversed(&of);
        uint64_t bytes = 0;
        for (size_t k = 0; k < of.n; k++) bytes += of.tensor[k].bytes;
        CHECK(bytes == m->bytes);
        for (size_t k = 0; k < 4; k++) {
            const uint32_t n = (uint32_t)2 << k, fewer = n > 8 ? 8 : 1;
            const double alone_s = m->step_s[n > 8];
            const double s = alone_s * growth(&back, alone_s, n, fewer);
            sum += fabs(n / s / m->batches_per_s[k] - 1.0);
        }
    }
    CHECK(sum / 16.0 < 0.03);
}

TEST(a_bucket_closes_as_it_reaches_its_limit_and_no_tensor_is_split)
{
    static const sgdpar_tensor tensor[] = { { 9, 0.0 }, { 0, 0.0 }, { 1, 0.0 }, { 19, 0.0 },
                                          { 1, 0.0 }, { 50, 0.0 }, { 3, 0.0 }, { 0, 0.0 } };
    sgdpar_bucket_limits limits = {.first_bytes = 10, .cap_bytes = 20};
    uint64_t bytes[8];
    size_t first[8], buckets = 0;
    CHECK_STATUS(sgdpar_buckets(tensor, 8, &limits, bytes, first, &buckets), SGDPAR_OK);
    CHECK(buckets == 4 && bytes[0] == 10 && bytes[1] == 20 && bytes[2] == 50 && bytes[3] == 3);
    CHECK(first[0] == 0 && first[1] == 3 && first[2] == 5 && first[3] == 6);
    limits.first_bytes = limits.cap_bytes = 1;
    CHECK_STATUS(sgdpar_buckets(tensor, 8, &limits, bytes, first, &buckets), SGDPAR_OK);
    CHECK(buckets == 7 && bytes[1] == 1 && bytes[2] == 19); /* a byte closes each           */
    CHECK_STATUS(sgdpar_buckets(tensor, 1, &limits, bytes, NULL, &buckets), SGDPAR_OK);
    CHECK(buckets == 1);
}

TEST(buckets_of_nothing_or_of_too_much_are_refused)
{
    static const sgdpar_tensor huge[] = { { (uint64_t)1 << 53, 0.0 }, { 1, 0.0 } };
    const sgdpar_bucket_limits none = {0};
    uint64_t bytes[2] = { 7, 7 };
    size_t buckets = 7;
    CHECK_STATUS(sgdpar_buckets(huge, 2, NULL, bytes, NULL, &buckets), SGDPAR_TOO_LARGE);
    CHECK_STATUS(sgdpar_buckets(huge, 0, NULL, bytes, NULL, &buckets), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_buckets(NULL, 2, NULL, bytes, NULL, &buckets), SGDPAR_BAD_ARGUMENT);
    CHECK(bytes[0] == 7 && buckets == 7);
    CHECK_STATUS(sgdpar_buckets(huge, 1, &none, bytes, NULL, &buckets), SGDPAR_OK);
    CHECK(buckets == 1 && bytes[0] == huge[0].bytes);
}

typedef struct way {
    sgdpar_collective what;
    sgdpar_form       form;
    sgdpar_algorithm  between, inside;
} way;

/* Of what is not there none is found, and a protocol's own time does not make one. */
TEST(what_an_algorithm_does_not_do_is_refused_in_every_form)
{
    static const way none[] = {
        { SGDPAR_COLLECTIVE_ALL_TO_ALL, SGDPAR_FORM_FLAT, SGDPAR_ALGORITHM_RING,
          SGDPAR_ALGORITHM_RING },
        { SGDPAR_COLLECTIVE_ALL_GATHER, SGDPAR_FORM_SPLIT, SGDPAR_ALGORITHM_RING,
          SGDPAR_ALGORITHM_DOUBLE_TREE },
        { SGDPAR_COLLECTIVE_ALL_TO_ALL, SGDPAR_FORM_SPLIT, SGDPAR_ALGORITHM_PAIRWISE,
          SGDPAR_ALGORITHM_RING },
        { SGDPAR_COLLECTIVE_ALL_GATHER, SGDPAR_FORM_INSIDE, SGDPAR_ALGORITHM_RING,
          SGDPAR_ALGORITHM_RING },
        { SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_FORM_INSIDE, SGDPAR_ALGORITHM_RING,
          SGDPAR_ALGORITHM_PAIRWISE },
        { SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_FORM_INSIDE, SGDPAR_ALGORITHM_PAIRWISE,
          SGDPAR_ALGORITHM_RING },
        { SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_FORM_INSIDE, SGDPAR_ALGORITHM_RING,
          SGDPAR_ALGORITHM_DOUBLING },
        { SGDPAR_COLLECTIVE_ALL_REDUCE, SGDPAR_FORM_PIPELINED, SGDPAR_ALGORITHM_PAIRWISE,
          SGDPAR_ALGORITHM_RING },
        { SGDPAR_COLLECTIVE_ALL_GATHER, SGDPAR_FORM_PIPELINED, SGDPAR_ALGORITHM_RING,
          SGDPAR_ALGORITHM_RING } };
    static const way alone[] = {
        { SGDPAR_COLLECTIVE_BROADCAST, SGDPAR_FORM_FLAT, SGDPAR_ALGORITHM_DOUBLING,
          SGDPAR_ALGORITHM_RING },
        { SGDPAR_COLLECTIVE_ALL_TO_ALL, SGDPAR_FORM_FLAT, SGDPAR_ALGORITHM_HALVING,
          SGDPAR_ALGORITHM_RING },
        { SGDPAR_COLLECTIVE_ALL_TO_ALL, SGDPAR_FORM_FLAT, SGDPAR_ALGORITHM_TREE,
          SGDPAR_ALGORITHM_RING } };
    const size_t n = sizeof none / sizeof none[0], m = sizeof alone / sizeof alone[0];
    const sgdpar_topology on = machines(4, 4), single = machines(4, 1);
    double s = -7.0;
    for (size_t i = 0; i < n + m; i++) {
        const way *of = i < n ? &none[i] : &alone[i - n];
        sgdpar_protocol by = {.form = of->form, .algorithm = of->between, .inside = of->inside};
        CHECK_STATUS(sgdpar_collective_time(of->what, &by, i < n ? &on : &single, BYTES, &s),
                     SGDPAR_BAD_ARGUMENT);
        by.cost.base_s = 2.0;
        CHECK_STATUS(sgdpar_collective_time(of->what, &by, i < n ? &on : &single, BYTES, &s),
                     SGDPAR_BAD_ARGUMENT);
    }
    CHECK(s < -6.0);
}

/* Every number of a topology and of a protocol, wrong by itself. */
TEST(each_field_of_a_topology_and_of_a_protocol_is_checked)
{
    sgdpar_topology on = machines(4, 4);
    sgdpar_protocol by;
    double s = -7.0;
    double *const time[] = { &on.latency_s, &on.local_latency_s, &on.bandwidth_bytes_per_s,
                             &on.local_bandwidth_bytes_per_s, &on.flow_cap_bytes_per_s,
                             &by.range.from_bytes, &by.range.below_bytes, &by.cost.base_s,
                             &by.cost.latency_s, &by.cost.local_latency_s,
                             &by.cost.most_bytes_per_s, &by.cost.fraction };
    memset(&by, 0, sizeof by);
#define STATUS_OF(by, on, bytes, s) \
    sgdpar_collective_time(SGDPAR_COLLECTIVE_ALL_REDUCE, by, on, bytes, s)
    for (size_t i = 0; i < sizeof time / sizeof time[0]; i++) {
        const double wrong[] = { -1.0, HUGE_VAL, (double)NAN }, good = *time[i];
        for (size_t j = 0; j < 3; j++) {
            *time[i] = wrong[j];
            CHECK_STATUS(STATUS_OF(&by, &on, BYTES, &s), SGDPAR_BAD_ARGUMENT);
        }
        *time[i] = good;
    }
    by.inside = SGDPAR_ALGORITHM_COUNT;
    CHECK_STATUS(STATUS_OF(&by, &on, BYTES, &s), SGDPAR_BAD_ARGUMENT);
    by.inside = SGDPAR_ALGORITHM_RING;
    by.form = SGDPAR_FORM_COUNT;
    CHECK_STATUS(STATUS_OF(&by, &on, BYTES, &s), SGDPAR_BAD_ARGUMENT);
    by.form = SGDPAR_FORM_FLAT;
    by.algorithm = SGDPAR_ALGORITHM_COUNT;
    CHECK_STATUS(STATUS_OF(&by, &on, BYTES, &s), SGDPAR_BAD_ARGUMENT);
    by.algorithm = SGDPAR_ALGORITHM_RING;
    CHECK_STATUS(STATUS_OF(&by, NULL, BYTES, &s), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(STATUS_OF(&by, &on, BYTES, NULL), SGDPAR_BAD_ARGUMENT);
    CHECK(s < -6.0);
    CHECK_STATUS(STATUS_OF(&by, &on, BYTES, &s), SGDPAR_OK);
    CHECK(s > 0.0);
#undef STATUS_OF
}

TEST(buckets_without_a_place_to_be_put_are_refused)
{
    static const sgdpar_tensor one[] = { { 1, 0.0 } };
    uint64_t bytes = 7;
    size_t buckets = 7;
    CHECK_STATUS(sgdpar_buckets(one, 1, NULL, NULL, NULL, &buckets), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_buckets(one, 1, NULL, &bytes, NULL, NULL), SGDPAR_BAD_ARGUMENT);
    CHECK(bytes == 7 && buckets == 7);
}

/* What is not in its table has a text as well, and no two of a table have the same. */
TEST(enumerations_have_their_texts)
{
    CHECK_TEXT(sgdpar_collective_text(SGDPAR_COLLECTIVE_ALL_REDUCE), "all-reduce");
    CHECK_TEXT(sgdpar_algorithm_text(SGDPAR_ALGORITHM_HALVING), "halving");
    CHECK_TEXT(sgdpar_form_text(SGDPAR_FORM_STREAMED), "streamed");
    CHECK_TEXT(sgdpar_sharding_text(SGDPAR_SHARDING_HYBRID), "hsdp");
    CHECK_TEXT(sgdp_shape_text(SGDP_SHAPE_EXPONENTIAL), "exponential");
    CHECK_TEXT(sgdpar_collective_text(SGDPAR_COLLECTIVE_COUNT),
               sgdp_shape_text(SGDP_SHAPE_COUNT));
}

TEST_MAIN("test_collectives");
