/* test_inside.c - SGD on a cluster from inside: what no result shows but in a case that few
 * jobs come to, and that holds all the same. */
#define SGDPERF_STATIC
#define SGDPERF_IMPLEMENTATION
#include "../sgdperf.h"

#include "test.h"

/* Who takes longer to send than a cycle is always sending: three of three at once. */
TEST(no_worker_sends_for_more_than_its_cycle)
{
    static sgdp_priv_run run;
    static sgdp_priv_tasks tasks;
    static double room[64];
    sgdp_priv_arena arena = sgdp_priv_arena_at(room);
    sgdp_job job = {0};
    run.job = &job;
    run.types = 1;
    run.equal.delay_s = 1.0;
    run.uplink_s = 2.0;
    sgdp_priv_carve_tasks(&arena, 1, &tasks);
    CHECK(arena.used <= sizeof room);
    tasks.population[0] = 3;
    tasks.cycle_s[0] = 1.0;
    CHECK_REL(sgdp_priv_streams(&run, &tasks), 3.0, 1e-15);
    tasks.cycle_s[0] = 8.0;                /* a quarter of the time, or less than 3 at once */
    CHECK(sgdp_priv_streams(&run, &tasks) < 3.0);
}

/* The slowest of g accelerators stays below a time in a part F^g of all steps. */
TEST(a_machines_factor_is_that_of_its_slowest_accelerator)
{
    static sgdp_priv_run run;
    static sgdp_priv_steps of;
    sgdp_job job = {.compute.vary = {.shape = SGDP_SHAPE_EXPONENTIAL, .cv = 0.25}};
    run.job = &job;
    of.N = 5;
    of.pairings = 3;
    of.varies = 1;
    for (run.gpus = 1; run.gpus <= 8; run.gpus++)
        for (size_t k = 0; k < of.N * of.pairings; k++) {
            const double x = (sgdp_priv_factor_of(&run, &of, k) - 0.75) / 0.25;
            CHECK_REL(pow(1.0 - exp(-x), run.gpus), ((double)k + 0.5) / 15.0, 1e-12);
        }
}

TEST(utilizations_equal_but_for_rounding_tie)
{
    static sgdp_priv_run run;
    run.workers = 1;
    run.counted = 1;
    sgdp_prediction p = {.step_s = 1.0, .batches_per_s = 1.0, .time.service_s[0] = 1.0,
                         .utilization[0] = 0.5, .utilization[1] = 0.5 * (1.0 + 1e-14)};
    sgdp_priv_derive_from(&run, 1.0, &p);
    CHECK((int)p.bottleneck == 0);
    p.utilization[1] = 0.5 * (1.0 + 1e-11);
    sgdp_priv_derive_from(&run, 1.0, &p);
    CHECK((int)p.bottleneck == 1);
}

TEST(the_scales_of_points_do_not_depend_on_their_order)
{
    sgdp_measurement point[2] = {{0}};
    sgdp_job job = {0};
    point[0].job = point[1].job = &job;
    point[0].workers = point[1].workers = 1;
    point[0].batches_per_s = 8.0;
    point[1].batches_per_s = 2.0;
    CHECK_REL(sgdp_priv_read_scales(point, 2).short_s, 1e-3 / 8.0, 1e-15);
    point[0].batches_per_s = 2.0;
    point[1].batches_per_s = 8.0;
    CHECK_REL(sgdp_priv_read_scales(point, 2).short_s, 1e-3 / 8.0, 1e-15);
}

/* All 2^31 - 1 numbers below x, or all but one, 3 / 2^31 off 1: the limit between the two
 * fractions is rounded, and of the one that is taken the first denominator is 0. */
TEST(a_fraction_whose_first_denominator_is_rounded_away_is_found)
{
    const double n = 2147483647.0, y = 3.0 / 2147483648.0, a = n - 1.0;
    const double found = sgdp_priv_incomplete_beta(a, 2.0, -log(a) - log(n), 1.0 - y);
    CHECK_REL(found, exp(a * log1p(-y)) * (1.0 - y + n * y), 1e-9);
}

/* Factorials, and halves of them: (2 n)! sqrt(pi) / (4^n n!). */
TEST(the_logarithm_of_gamma_is_that_of_factorials)
{
    double factorial = 1.0, half = 1.7724538509055160273, x;
    for (x = 1.0; x < 23.0; factorial *= x, half *= x - 0.5, x += 1.0) {
        CHECK(fabs(sgdp_priv_log_gamma(x) - log(factorial)) < 5e-14);
        if (x > 1.0) CHECK(fabs(sgdp_priv_log_gamma(x - 0.5) - log(half)) < 5e-14);
    }
}

/* Two flows of 1 s; the room behind them has one that never ended, of a step before. */
TEST(a_step_ends_with_its_own_flows)
{
    static sgdp_priv_run run;
    static sgdp_priv_flow flow[3];
    uint32_t order[2] = { 1, 0 };
    sgdp_priv_steps two = {.N = 2, .flow = flow, .one_order = order};
    sgdp_job job = {0};
    sgdp_priv_course course = {0};
    run.job = &job;
    run.model = SGDP_SYNC_STAGGERED;
    run.workers = 2;
    for (size_t i = 0; i < 3; i++) {
        flow[i].workers = flow[i].machines = flow[i].factor = flow[i].backward_s = 1.0;
        flow[i].begin_s = HUGE_VAL;
        flow[i].weight[0] = flow[i].weight[1] = 1.0;
        flow[i].level[0] = flow[i].level[1] = HUGE_VAL;
        flow[i].end_s = -1.0;
    }
    sgdp_priv_follow_step(&run, &two, &course);
    CHECK_REL(course.step_s, 1.0, 1e-12);
    CHECK(flow[2].end_s < 0.0);
}

/* What is left out at the end changes no more than the last bit: the sums are those of all
 * weights, which begin elsewhere. */
TEST(of_the_slowest_no_weight_is_left_out_that_counts)
{
    sgdp_variation v = {.cv = 0.3};
    for (uint32_t n = 2; n < 4000; n += 1 + n / 4) {
        double sum = 0.0, mass = 0.0;
        for (int i = -768; i <= 768; i++) {
            const double weight = exp(sgdp_priv_log_weight(i, n, log((double)n)));
            sum += weight * sgdp_priv_factor_at(&v, i / 64.0);
            mass += weight;
        }
        CHECK_REL(sgdp_priv_slowest_normal(&v, n), sum / mass, 4e-16);
    }
}

TEST_MAIN("test_inside");
