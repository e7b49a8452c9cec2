/* test_backup.c - the k-th fastest of n workers, and steps that do not wait for the last */
#include "../sgdperf.h"

#include <math.h>
#include <string.h>

#include "test.h"
#define CHANCE_SEED 20221
#include "chance.h"

static double uniform(void) { return ((double)(chance_next() >> 12) + 0.5) / 4503599627370496.0; }

static double kth(const sgdp_variation *v, uint32_t n, uint32_t k)
{
    double factor = -1.0;
    CHECK_STATUS(sgdp_kth_fastest(v, n, k, &factor), SGDP_OK);
    return factor;
}

static double harmonic(uint32_t n)
{
    double sum = 0.0;
    for (; n > 0; n--) sum += 1.0 / n;
    return sum;
}

static sgdp_variation varied(double cv, sgdp_shape shape)
{
    return (sgdp_variation){.cv = cv, .shape = shape};
}

static const double measured[] = { 0.8, 0.9, 0.9, 1.0, 1.1, 1.3, 2.5 };

static sgdp_variation sampled(size_t samples)
{
    sgdp_variation v = varied(0.0, SGDP_SHAPE_NORMAL);
    v.sample = measured;
    v.samples = samples;
    return v;
}

/* ---- Closed forms ------------------------------------------------------------------ */

TEST(exponential_times_are_differences_of_harmonic_numbers)
{
    const sgdp_variation whole = varied(1.0, SGDP_SHAPE_EXPONENTIAL);
    const sgdp_variation part = varied(0.25, SGDP_SHAPE_EXPONENTIAL);
    for (uint32_t n = 1; n <= 40; n++)
        for (uint32_t k = 1; k <= n; k++) {
            const double spread = harmonic(n) - harmonic(n - k);
            CHECK_REL(kth(&whole, n, k), spread, 1e-12);
            CHECK_REL(kth(&part, n, k), 0.75 + 0.25 * spread, 1e-12);
        }
    CHECK_REL(kth(&whole, 3000000, 2000000), log(3.0), 1e-6);
}

/* Tables of normal order statistics [H. L. Harter, Biometrika 48, 1961]. */
TEST(normal_times_are_those_of_the_tables)
{
    const sgdp_variation v = varied(0.001, SGDP_SHAPE_NORMAL);
    static const struct { uint32_t n, k; double mean; } known[] = {
        {2, 1, -0.56418958}, {3, 2, 0.0}, {4, 3, 0.29701138}, {5, 4, 0.49501897},
        {5, 5, 1.16296447}, {10, 9, 1.00135704}, {10, 8, 0.65605911}, {10, 6, 0.12266775},
        {20, 19, 1.40760410}, {20, 11, 0.06199629}
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        CHECK(fabs((kth(&v, known[i].n, known[i].k) - 1.0) / 0.001 - known[i].mean) < 2e-8);
}

/* The faster of two is done at 2 P(-s/sqrt 2) of the mean, s that of the logarithms: half of
 * what both exceed lies far beyond where the faster one mostly is, if times vary that much. */
TEST(the_faster_of_two_lognormal_times_is_its_closed_form)
{
    static const double cv[] = {0.01, 0.3, 1.0, 10.0, 100.0};
    for (size_t i = 0; i < sizeof cv / sizeof cv[0]; i++) {
        const sgdp_variation v = varied(cv[i], SGDP_SHAPE_LOGNORMAL);
        CHECK_REL(kth(&v, 2, 1), erfc(0.5 * sqrt(log1p(cv[i] * cv[i]))), 1e-12);
    }
}

/* A sixth of all normal times of cv 1 are none, and so is that of the second of 8192 but with
 * a probability of e^-1400: the sum goes on to the end of all deviations, and finds nothing. */
TEST(among_many_workers_the_first_take_no_time_where_some_take_none)
{
    const sgdp_variation v = varied(1.0, SGDP_SHAPE_NORMAL);
    CHECK(kth(&v, 8192, 2) <= 0.0);
    CHECK(kth(&v, 8192, 1400) > 0.0);
}

/* Of very many workers the k-th has the quantile k/n. */
TEST(of_many_workers_a_part_is_done_at_its_quantile)
{
    const sgdp_variation v = varied(0.2, SGDP_SHAPE_NORMAL);
    const sgdp_variation w = varied(0.5, SGDP_SHAPE_LOGNORMAL);
    const sgdp_variation s = sampled(7);
    CHECK_REL(kth(&v, 4000000000u, 2000000000u), 1.0, 1e-8);
    CHECK_REL(kth(&v, 1000000000u, 841344746u), 1.2, 1e-7);
    CHECK_REL(kth(&w, 1000000000u, 500000000u), 1.0 / sqrt(1.25), 1e-7);
    CHECK_REL(kth(&s, 1000000u, 500000u), 1.0 * 7.0 / 8.5, 1e-9);
    CHECK_REL(kth(&s, 1000000u, 100000u), 0.8 * 7.0 / 8.5, 1e-9);
}

/* The middle one of n is spread around the median by p (1 - p) / (n + 2) of a uniform number, and
 * its mean is half of that times the bend of the quantile above it [David and Johnson, Biometrika
 * 41, 1954]: s^2 2 pi of the median of lognormal times, so pi / 4 s^2 of it here. What they leave
 * out is 3e-9 at n = 10^4, and falls with n^2. */
TEST(the_middle_one_of_many_is_above_the_median_by_its_spread)
{
    const double squared = log1p(0.25);
    const sgdp_variation w = varied(0.5, SGDP_SHAPE_LOGNORMAL);
    for (uint32_t n = 9999; n < 100000000; n = 10 * n + 9)
        CHECK_REL(kth(&w, n, n / 2 + 1), exp(-0.5 * squared)
                  * (1.0 + 0.7853981633974483 * squared / (n + 2.0)), 0.5 / n / n + 1e-12);
}

/* All ranks together are all workers. */
TEST(ranks_have_the_mean_of_one_worker_together)
{
    sgdp_variation v[4];
    v[0] = varied(0.1, SGDP_SHAPE_NORMAL);
    v[1] = varied(0.7, SGDP_SHAPE_LOGNORMAL);
    v[2] = varied(0.6, SGDP_SHAPE_EXPONENTIAL);
    v[3] = sampled(7);
    for (size_t i = 0; i < 4; i++)
        for (uint32_t n = 1; n <= 64; n += n < 9 ? 1 : 11) {
            double sum = 0.0, before = 0.0;
            for (uint32_t k = 1; k <= n; k++) {
                const double factor = kth(&v[i], n, k);
                CHECK(factor >= before * (1.0 - 1e-12));
                before = factor;
                sum += factor;
            }
            CHECK_REL(sum, (double)n, i == 3 || i == 2 ? 1e-12 : 1e-9);
        }
}

/* The mean of 0 and the least double is 0 in doubles. */
TEST(samples_whose_mean_vanishes_are_refused)
{
    static const double least[] = { 0.0, 5e-324 };
    sgdp_variation v = varied(0.0, SGDP_SHAPE_NORMAL);
    double factor = -1.0;
    v.sample = least;
    v.samples = 2;
    CHECK_STATUS(sgdp_kth_fastest(&v, 3, 2, &factor), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_slowest(&v, 3, &factor), SGDP_BAD_ARGUMENT);
    CHECK(factor < 0.0);
}

/* Every way to draw 3 of a sample of 7, and 4 of 5, with replacement. */
TEST(samples_are_those_of_all_draws)
{
    double sum[4] = { 0.0, 0.0, 0.0, 0.0 };
    const sgdp_variation v = sampled(7), w = sampled(5);
    for (size_t i = 0; i < 7; i++)
        for (size_t j = 0; j < 7; j++)
            for (size_t m = 0; m < 7; m++) {
                const size_t low = i < j ? i : j, high = i < j ? j : i;
                const size_t middle = m < low ? low : m > high ? high : m;
                sum[0] += measured[m < low ? m : low] / 343.0;
                sum[1] += measured[middle] / 343.0;
                sum[2] += measured[m > high ? m : high] / 343.0;
            }
    for (uint32_t k = 1; k <= 3; k++) CHECK_REL(kth(&v, 3, k), sum[k - 1] * 7.0 / 8.5, 1e-12);
    memset(sum, 0, sizeof sum);
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++)
            for (size_t m = 0; m < 5; m++)
                for (size_t l = 0; l < 5; l++) {
                    size_t r[4], a, b;
                    r[0] = i; r[1] = j; r[2] = m; r[3] = l;
                    for (a = 0; a < 4; a++)
                        for (b = a + 1; b < 4; b++)
                            if (r[b] < r[a]) { const size_t h = r[a]; r[a] = r[b]; r[b] = h; }
                    for (a = 0; a < 4; a++) sum[a] += measured[r[a]] / 625.0;
                }
    for (uint32_t k = 1; k <= 4; k++) CHECK_REL(kth(&w, 4, k), sum[k - 1] * 5.0 / 4.7, 1e-12);
}

TEST(the_last_of_all_is_the_slowest)
{
    sgdp_variation v[4];
    v[0] = varied(0.3, SGDP_SHAPE_NORMAL);
    v[1] = varied(2.0, SGDP_SHAPE_LOGNORMAL);
    v[2] = varied(0.6, SGDP_SHAPE_EXPONENTIAL);
    v[3] = sampled(7);
    for (size_t i = 0; i < 4; i++)
        for (uint32_t n = 1; n < 2000; n = 3 * n + 1) {
            double slowest = 0.0;
            CHECK_STATUS(sgdp_slowest(&v[i], n, &slowest), SGDP_OK);
            CHECK_REL(kth(&v[i], n, n), slowest, 0.0);
        }
}

/* ---- Drawn ------------------------------------------------------------------------- */

static double normal(void)
{
    return sqrt(-2.0 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* Times that are cut off at 0, and heavy tails. */
TEST(drawn_workers_have_these_times)
{
    enum { N = 12 };
    const int draws = TEST_SIZE(40000, 1500000);
    const sgdp_variation v = varied(1.0, SGDP_SHAPE_NORMAL);
    const sgdp_variation w = varied(1.0, SGDP_SHAPE_LOGNORMAL);
    double sum[2][N] = {{0}}, square[2][N] = {{0}};
    int b;
    for (int i = 0; i < draws; i++)
        for (int of = 0; of < 2; of++) {
            double x[N];
            for (int a = 0; a < N; a++) {
                const double z = normal();
                double time = of == 0 ? 1.0 + z : exp(sqrt(log(2.0)) * z - 0.5 * log(2.0));
                if (time < 0.0) time = 0.0;
                for (b = a; b > 0 && x[b - 1] > time; b--) x[b] = x[b - 1];
                x[b] = time;
            }
            for (int a = 0; a < N; a++) {
                sum[of][a] += x[a];
                square[of][a] += x[a] * x[a];
            }
        }
    for (int of = 0; of < 2; of++)
        for (int a = 0; a < N; a++) {
            const double mean = sum[of][a] / draws;
            const double error = sqrt((square[of][a] / draws - mean * mean) / draws);
            CHECK(fabs(kth(of == 0 ? &v : &w, N, (uint32_t)a + 1) - mean) < 4.5 * error + 1e-9);
        }
}

/* ---- Steps ------------------------------------------------------------------------- */

TEST(a_step_waits_for_those_that_count)
{
    const double H = 1.0 / 10 + 1.0 / 9 + 1.0 / 8 + 1.0 / 7 + 1.0 / 6 + 1.0 / 5 + 1.0 / 4 + 1.0 / 3;
    sgdp_prediction p = {0};
    sgdp_job job = {.compute.forward_s = 1.0, .compute.backward_s = 2.0, .compute.update_s = 0.5,
                    .model_bytes = 2.0, .links.bandwidth_bytes_per_s = 10.0, .compute.batch = 4.0,
                    .compute.vary = varied(1.0, SGDP_SHAPE_EXPONENTIAL), .workers.backup = 2};
    CHECK_STATUS(sgdp_predict(&job, SGDP_SYNC_PS, 10, NULL, 0, &p), SGDP_OK);
    CHECK_REL(p.step_s, 2.0 + 3.0 * H + 2.0 + 0.5, 1e-12);
    CHECK_REL(p.batches_per_s, 8.0 / p.step_s, 1e-12);
    CHECK_REL(p.examples_per_s, 32.0 / p.step_s, 1e-12);
    CHECK_REL(p.scaling.speedup, 8.0 * (0.2 + 3.0 + 0.2 + 0.5) / p.step_s, 1e-12);
    CHECK_REL(p.scaling.efficiency, p.scaling.speedup / 10.0, 1e-12);
    CHECK_STATUS(sgdp_predict(&job, SGDP_SYNC_FCFS, 10, NULL, 0, &p), SGDP_OK);
    CHECK_REL(p.step_s, 2.0 + 3.0 * H + 0.2 + 0.5, 1e-12);
    job.workers.backup = 9;            /* the fastest alone, faster than the mean       */
    CHECK_STATUS(sgdp_predict(&job, SGDP_SYNC_PS, 10, NULL, 0, &p), SGDP_OK);
    CHECK_REL(p.step_s, 2.0 + 0.3 + 2.0 + 0.5, 1e-12);
    CHECK(p.utilization[SGDP_WORKER] <= 1.0);
    {
        static const uint32_t workers[] = { 10, 12, 11 };
        sgdp_prediction curve[3];
        const sgdp_curve all = {workers, 3, curve, NULL};
        memset(curve, 0, sizeof curve);
        CHECK_STATUS(sgdp_predict_curve(&job, SGDP_SYNC_PS, &all, NULL, 0), SGDP_OK);
        CHECK_REL(curve[0].step_s, p.step_s, 0.0);
        CHECK_REL(curve[1].batches_per_s, 3.0 / curve[1].step_s, 1e-12);
        job.workers.backup = 11;
        CHECK_STATUS(sgdp_predict_curve(&job, SGDP_SYNC_PS, &all, NULL, 0), SGDP_BAD_ARGUMENT);
        job.workers.backup = 9;
    }
    job.compute.vary.cv = 0.0;         /* all alike: nothing is gained                  */
    CHECK_STATUS(sgdp_predict(&job, SGDP_SYNC_PS, 10, NULL, 0, &p), SGDP_OK);
    CHECK_REL(p.step_s, 2.0 + 3.0 + 2.0 + 0.5, 1e-12);
}

/* Two of ten workers are late: computing ends with the 8th, the ring passes through all ten. */
TEST(a_ring_with_backups_stays_whole)
{
    static const sgdp_model models[] = {
        SGDP_ALLREDUCE_RING, SGDP_ALLREDUCE_DOUBLING, SGDP_ALLREDUCE_CLUSTER
    };
    const double eighth = 1.0 / 10 + 1.0 / 9 + 1.0 / 8 + 1.0 / 7 + 1.0 / 6 + 1.0 / 5 + 1.0 / 4
                        + 1.0 / 3;
    sgdp_prediction p = {0}, all = {0};
    sgdp_job job = {.compute.forward_s = 1.0, .compute.backward_s = 2.0, .compute.update_s = 0.5,
                    .model_bytes = 20.0, .links.bandwidth_bytes_per_s = 10.0,
                    .links.latency_s = 0.25, .overlap.exposure = 1.0, .machine.growth = -1.0,
                    .compute.vary = varied(1.0, SGDP_SHAPE_EXPONENTIAL), .workers.backup = 2};
    for (size_t m = 0; m < 3; m++) {
        const double exchange_s = m == 1 ? 4.0 * (2.0 + 0.25) : 18.0 * (0.2 + 0.25);
        CHECK_STATUS(sgdp_predict(&job, models[m], 10, NULL, 0, &p), SGDP_OK);
        CHECK_REL(p.step_s, 3.0 * eighth + exchange_s + 0.5, 1e-12);
        CHECK_REL(p.batches_per_s, 8.0 / p.step_s, 1e-12);
        CHECK_REL(p.scaling.efficiency, p.scaling.speedup / 10.0, 1e-12);
    }
    job.compute.vary.cv = 0.0;         /* all alike: two gradients are lost for nothing */
    CHECK_STATUS(sgdp_predict(&job, SGDP_ALLREDUCE_RING, 10, NULL, 0, &p), SGDP_OK);
    job.workers.backup = 0;
    CHECK_STATUS(sgdp_predict(&job, SGDP_ALLREDUCE_RING, 10, NULL, 0, &all), SGDP_OK);
    CHECK_REL(p.step_s, all.step_s, 1e-15);
    CHECK_REL(p.batches_per_s, 0.8 * all.batches_per_s, 1e-12);
}

/* Of normal times so many are 0 that those of the fastest have no weight beyond it: each
 * is known by then, and not only 13 deviations later, in steps of a 10^-6th of one. */
TEST(the_fastest_of_very_many_take_nothing)
{
    const sgdp_variation v = varied(3.0, SGDP_SHAPE_NORMAL);
    for (uint32_t i = 1; i <= 30; i++) CHECK(kth(&v, UINT32_MAX, UINT32_MAX / 100 * i) < 1e-300);
    CHECK(kth(&v, UINT32_MAX, UINT32_MAX / 2) > 0.9);
}

TEST(what_has_no_backups_is_refused)
{
    sgdp_variation v = varied(0.1, SGDP_SHAPE_NORMAL);
    const sgdp_worker_type type[2] = { { 2, 1.0, 1.0, 0.0 }, { 2, 1.0, 2.0, 0.0 } };
    double factor = -7.0;
    sgdp_prediction p = {0};
    CHECK_STATUS(sgdp_kth_fastest(NULL, 2, 1, &factor), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_kth_fastest(&v, 2, 1, NULL), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_kth_fastest(&v, 2, 0, &factor), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_kth_fastest(&v, 2, 3, &factor), SGDP_BAD_ARGUMENT);
    v.cv = -1.0;
    CHECK_STATUS(sgdp_kth_fastest(&v, 2, 1, &factor), SGDP_BAD_ARGUMENT);
    CHECK(factor < -6.0);
    sgdp_job job = {.compute.forward_s = 1.0, .compute.backward_s = 1.0, .model_bytes = 1.0,
                    .links.bandwidth_bytes_per_s = 1.0, .workers.backup = 1};
    CHECK_STATUS(sgdp_predict(&job, SGDP_SYNC_PS, 2, NULL, 0, &p), SGDP_OK);
    CHECK_STATUS(sgdp_predict(&job, SGDP_SYNC_PS, 1, NULL, 0, &p), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_predict(&job, SGDP_SYNC_STAGGERED, 4, NULL, 0, &p), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_predict(&job, SGDP_ASYNC_EXACT, 4, NULL, 0, &p), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_predict(&job, SGDP_ASYNC_CYNTHIA, 4, NULL, 0, &p), SGDP_BAD_ARGUMENT);
    job.workers.types = 2;
    job.workers.type = type;
    CHECK_STATUS(sgdp_predict(&job, SGDP_SYNC_PS, 4, NULL, 0, &p), SGDP_BAD_ARGUMENT);
    job.workers.types = 0;
    job.machine.gpus = 2;
    job.machine.local_bandwidth_bytes_per_s = 1.0;
    CHECK_STATUS(sgdp_predict(&job, SGDP_SYNC_PS, 4, NULL, 0, &p), SGDP_BAD_ARGUMENT);
}

TEST_MAIN("test_backup");
