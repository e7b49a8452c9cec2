/* What measured clusters have and the papers' models do not: links of workers, delays,
 * steps that vary, streams that share unequally. Expected values are closed forms, tables of
 * order statistics (D. Teichroew, Annals of Mathematical Statistics 27, 1956), maxima drawn
 * here, or a second job that must come out the same. */
#include "../sgdperf.h"
#include "../sgdperf_fit.h"
#include "fitted.h"
#include "job.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static double slowest(double cv, sgdp_shape shape, uint32_t n)
{
    double factor = 0.0;
    sgdp_variation v = {.cv = cv, .shape = shape};
    CHECK_STATUS(sgdp_slowest(&v, n, &factor), SGDP_OK);
    return factor;
}

/* ---- The slowest of n ------------------------------------------------------ */

TEST(the_slowest_of_n_normal_times_is_that_of_tables)
{
    static const struct { uint32_t n; double maximum; } table[] = {
        {2, 0.56418958}, {3, 0.84628438}, {4, 1.02937537}, {5, 1.16296447}, {10, 1.53875273},
        {20, 1.86747506}, {100, 2.50759364}, {1000, 3.24143577}
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        CHECK_REL(slowest(0.1, SGDP_SHAPE_NORMAL, table[i].n), 1.0 + 0.1 * table[i].maximum,
                  1e-8);
}

TEST(the_slowest_of_n_exponential_times_is_the_harmonic_number)
{
    double harmonic = 0.0;
    for (uint32_t n = 1; n <= 3000; n++) {
        harmonic += 1.0 / n;
        CHECK_REL(slowest(1.0, SGDP_SHAPE_EXPONENTIAL, n), harmonic, 1e-12);
        CHECK_REL(slowest(0.3, SGDP_SHAPE_EXPONENTIAL, n), 0.7 + 0.3 * harmonic, 1e-12);
    }
}

/* All draws of n out of 5 times, each as likely as any. */
TEST(the_slowest_of_a_sample_is_exact)
{
    static const double time[5] = { 0.5, 1.0, 1.0, 2.5, 7.0 };
    uint32_t draws = 1, rest, i;
    sgdp_variation v = {.sample = time, .samples = 5};
    for (uint32_t n = 1; n <= 7; n++) {
        double sum = 0.0, factor = 0.0;
        draws *= 5;
        for (uint32_t draw = 0; draw < draws; draw++) {
            double most = 0.0;
            for (i = 0, rest = draw; i < n; i++, rest /= 5)
                if (time[rest % 5] > most) most = time[rest % 5];
            sum += most;
        }
        CHECK_STATUS(sgdp_slowest(&v, n, &factor), SGDP_OK);
        CHECK_REL(factor, sum / draws / 2.4, 1e-12);
    }
    CHECK_STATUS(sgdp_slowest(&v, 4000000000u, &v.cv), SGDP_OK);
    CHECK_REL(v.cv, 7.0 / 2.4, 1e-9);
}

static double uniform(uint64_t *state)
{
    const uint64_t bits = test_mix(*state += 0x9e3779b97f4a7c15u);
    return ((double)(bits >> 11) + 0.5) * (1.0 / 9007199254740992.0);
}

static double draw_factor(sgdp_shape shape, double cv, uint64_t *state)
{
    const double w = log(1.0 + cv * cv), u = uniform(state);
    const double z = sqrt(-2.0 * log(u)) * cos(6.283185307179586 * uniform(state));
    if (shape == SGDP_SHAPE_EXPONENTIAL) return 1.0 - cv - cv * log(u);
    if (shape == SGDP_SHAPE_LOGNORMAL) return exp(sqrt(w) * z - 0.5 * w);
    return 1.0 + cv * z > 0.0 ? 1.0 + cv * z : 0.0;
}

TEST(the_slowest_of_n_is_that_of_draws)
{
    const size_t draws = TEST_SIZE(200000, 10000000);
    const double tolerance = TEST_SIZE(0.02, 0.005);
    uint64_t state = 1;
    for (size_t shape = 0; shape < SGDP_SHAPE_COUNT; shape++)
        for (uint32_t n = 2; n <= 1024; n *= TEST_SIZE(8, 4)) {
            double sum = 0.0;
            size_t trials = draws / n;
            for (size_t trial = 0; trial < trials; trial++) {
                double most = 0.0;
                for (uint32_t i = 0; i < n; i++) {
                    const double x = draw_factor((sgdp_shape)shape, 0.4, &state);
                    if (x > most) most = x;
                }
                sum += most / (double)trials;
            }
            CHECK_REL(slowest(0.4, (sgdp_shape)shape, n), sum, tolerance);
        }
}

TEST(the_slowest_refuses_and_writes_nothing)
{
    static const double falling[2] = { 2.0, 1.0 }, zeros[2] = { 0.0, 0.0 };
    double factor = 5.0;
    sgdp_variation v = {0};
    CHECK_STATUS(sgdp_slowest(NULL, 1, &factor), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_slowest(&v, 0, &factor), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_slowest(&v, 1, NULL), SGDP_BAD_ARGUMENT);
    v.cv = -0.1;
    CHECK_STATUS(sgdp_slowest(&v, 1, &factor), SGDP_BAD_ARGUMENT);
    v.cv = (double)NAN;
    CHECK_STATUS(sgdp_slowest(&v, 1, &factor), SGDP_BAD_ARGUMENT);
    v.cv = 1.1;
    v.shape = SGDP_SHAPE_EXPONENTIAL;
    CHECK_STATUS(sgdp_slowest(&v, 1, &factor), SGDP_BAD_ARGUMENT);
    v.cv = 0.0;
    v.shape = SGDP_SHAPE_COUNT;
    CHECK_STATUS(sgdp_slowest(&v, 1, &factor), SGDP_BAD_ARGUMENT);
    v.shape = SGDP_SHAPE_NORMAL;
    v.samples = 2;
    CHECK_STATUS(sgdp_slowest(&v, 1, &factor), SGDP_BAD_ARGUMENT);
    v.sample = falling;
    CHECK_STATUS(sgdp_slowest(&v, 1, &factor), SGDP_BAD_ARGUMENT);
    v.sample = zeros;
    CHECK_STATUS(sgdp_slowest(&v, 1, &factor), SGDP_BAD_ARGUMENT);
    CHECK(factor >= 5.0 && factor <= 5.0);
}

/* ---- Links of workers, delays ---------------------------------------------- */

/* A flow to one of m servers has b/m, as if that were its cap. */
TEST(a_workers_link_caps_its_flows)
{
    for (size_t model = 0; model < SGDP_ALLREDUCE_RING; model++)
        for (uint32_t servers = 1; servers <= 4; servers++)
            for (uint32_t K = 1; K <= 6; K++) {
                sgdp_job linked = paper_job(), capped = paper_job();
                linked.servers.count = capped.servers.count = servers;
                linked.links.worker_bandwidth_bytes_per_s = 80e6;
                capped.links.worker_bandwidth_bytes_per_s = 1e30;
                capped.links.flow_cap_bytes_per_s = 80e6 / servers;
                CHECK_REL(step(&linked, (sgdp_model)model, K),
                          step(&capped, (sgdp_model)model, K), 1e-12);
            }
}

/* However the model is split, one worker downloads M over its own link. */
TEST(one_worker_gains_no_transfer_time_from_more_servers)
{
    static const double shares[3] = { 0.6, 0.3, 0.1 };
    static const sgdp_model ours[2] = { SGDP_ASYNC_RHYTHM, SGDP_SYNC_STAGGERED };
    for (size_t i = 0; i < 2; i++) {
        sgdp_job job = paper_job();
        job.servers.count = 3;
        CHECK_REL(step(&job, ours[i], 1), 0.029 + 0.006 + 2.0 * 0.072, 1e-12);
        job.servers.shares = shares;
        CHECK_REL(step(&job, ours[i], 1), 0.029 + 0.6 * 0.018 + 2.0 * 0.072, 1e-12);
        job.links.worker_bandwidth_bytes_per_s = 1e30;
        CHECK_REL(step(&job, ours[i], 1), 0.029 + 0.6 * 0.018 + 1.2 * 0.072, 1e-12);
    }
}

/* Asynchronous workers: a delay is time spent outside all queues, as computing is; but to
 * rhythm, see test_far.c. */
TEST(a_delay_is_time_outside_all_queues)
{
    for (size_t model = 0; model < SGDP_SYNC_PS; model++) {
        sgdp_job far = paper_job(), slow = paper_job();
        if (model == SGDP_ASYNC_CYNTHIA || model == SGDP_ASYNC_RHYTHM) continue;
        far.links.delay_s = 0.030;
        slow.compute.backward_s += 0.060;
        sgdp_prediction a = predict(&far, (sgdp_model)model, 5);
        sgdp_prediction b = predict(&slow, (sgdp_model)model, 5);
        CHECK_REL(a.step_s, b.step_s, 1e-12);
        CHECK_REL(a.time.service_s[SGDP_UPLINK], 0.102, 1e-12);
        CHECK_REL(a.time.service_s[SGDP_WORKER], 0.029, 1e-12);
    }
}

/* ---- Rhythm ---------------------------------------------------------------- */

TEST(rhythm_lies_between_interleaved_and_exact)
{
    sgdp_job job = paper_job();
    for (uint32_t K = 1; K <= 12; K++) {
        const double whole = step(&job, SGDP_ASYNC_INTERLEAVED, K);
        const double none = step(&job, SGDP_ASYNC_EXACT, K);
        double last = whole, cv;
        CHECK_REL(step(&job, SGDP_ASYNC_RHYTHM, K), whole, 1e-14);
        for (cv = 0.05; cv < 1.0 && K == 2; cv *= 2.0) {
            sgdp_job varied = job;
            varied.compute.vary.cv = cv;
            double now = step(&varied, SGDP_ASYNC_RHYTHM, K);
            CHECK(now > last && now < none);
            last = now;
        }
        job.compute.vary.cv = 100.0;
        CHECK_REL(step(&job, SGDP_ASYNC_RHYTHM, K), none, 1e-12);
        job.compute.vary.cv = 0.0;
    }
}

/* Workers whose steps differ by more than a transfer have no rhythm together. */
TEST(unequal_workers_have_no_rhythm)
{
    sgdp_worker_type type[2] = { { 3, 0.1, 0.1, 0.0 }, { 3, 1.0, 0.9, 0.0 } };
    sgdp_job job = paper_job();
    job.workers.types = 2;
    job.workers.type = type;
    CHECK_REL(step(&job, SGDP_ASYNC_RHYTHM, 0), step(&job, SGDP_ASYNC_EXACT, 0), 1e-9);
    type[1] = type[0];
    CHECK_REL(step(&job, SGDP_ASYNC_RHYTHM, 0), step(&job, SGDP_ASYNC_INTERLEAVED, 0), 1e-9);
}

/* ---- A synchronous step, event by event ------------------------------------ */

/* Links that carry all they can: no less than eq. 8 with both links full. */
TEST(a_staggered_step_is_between_its_bounds)
{
    double compute;
    for (compute = 0.003; compute < 10.0; compute *= 10.0)
        for (uint32_t K = 2; K <= 300; K = K * 3 / 2 + 1) {
            sgdp_job job = paper_job();
            job.compute.forward_s = compute;
            double staggered = step(&job, SGDP_SYNC_STAGGERED, K);
            CHECK(staggered >= step(&job, SGDP_SYNC_FCFS, K) * (1.0 - 1e-12));
            CHECK(staggered <= step(&job, SGDP_SYNC_PS, K) * (1.0 + 1e-12));
        }
}

/* Without transfers only the slowest counts; the draws of all pairings have its mean. */
TEST(a_staggered_step_without_transfers_is_that_of_the_slowest)
{
    for (size_t shape = 0; shape < SGDP_SHAPE_COUNT; shape++)
        for (uint32_t K = 2; K <= 4096; K *= 2) {
            sgdp_job job = paper_job();
            job.compute.vary.cv = 0.3;
            job.compute.vary.shape = (sgdp_shape)shape;
            job.model_bytes = 1e-3;
            CHECK_REL(step(&job, SGDP_SYNC_STAGGERED, K), step(&job, SGDP_SYNC_PS, K), 0.03);
            if (K == 64)               /* each has its rank: together the mean of one  */
                CHECK_REL(predict(&job, SGDP_SYNC_STAGGERED, K).time.service_s[SGDP_WORKER], 0.029,
                          shape == SGDP_SHAPE_NORMAL ? 1e-4 : 0.004);
        }
}

/* As many servers as workers, each worker on a link of a server's speed: nobody waits. */
TEST(workers_with_room_for_all_do_not_wait)
{
    sgdp_job job = paper_job();
    for (uint32_t K = 2; K <= 16; K++) {
        job.servers.count = K;
        CHECK_REL(step(&job, SGDP_SYNC_STAGGERED, K), 0.029 + 0.018 / K + 0.144, 1e-9);
    }
}

TEST(a_staggered_step_scales_with_its_times)
{
    sgdp_job job = paper_job(), twice = paper_job();
    twice.compute.forward_s *= 2.0;
    twice.compute.backward_s *= 2.0;
    twice.compute.update_s *= 2.0;
    twice.model_bytes *= 2.0;
    job.compute.vary.cv = twice.compute.vary.cv = 0.2;
    for (uint32_t K = 2; K <= 200; K += 33)
        CHECK_REL(step(&twice, SGDP_SYNC_STAGGERED, K), 2.0 * step(&job, SGDP_SYNC_STAGGERED, K),
                  1e-9);
}

/* A type cut in two is the same cluster; equal workers may be told as types, each of three or
 * four machines. */
TEST(types_that_are_equal_are_one)
{
    for (uint32_t gpus = 1; gpus <= 4; gpus++) {
        sgdp_worker_type type[2] = { { 0, 0.010, 0.019, 0.0 }, { 0, 0.010, 0.019, 0.0 } };
        sgdp_job job = paper_job(), split;
        double share[2] = { 0.0, 0.0 }, each[2] = { 0.0, 0.0 };
        job.machine.gpus = gpus;
        job.machine.local_bandwidth_bytes_per_s = 1e9;
        type[0].count = 3 * gpus;
        type[1].count = 4 * gpus;
        split = job;
        split.workers.types = 2;
        split.workers.type = type;
        sgdp_prediction p = {.types = {.batches_per_s = each, .waiting_share = share}};
        CHECK_STATUS(sgdp_predict(&split, SGDP_SYNC_STAGGERED, 0, work, sizeof work, &p), SGDP_OK);
        CHECK_REL(p.step_s, step(&job, SGDP_SYNC_STAGGERED, 7 * gpus), 1e-12);
        CHECK_REL((3.0 * share[0] + 4.0 * share[1]) / 7.0, p.time.barrier_s / p.step_s, 1e-9);
        CHECK_REL(p.utilization[SGDP_WORKER], 0.029 / p.step_s, 1e-12);
        CHECK_REL(p.utilization[SGDP_UPLINK], 7.0 * 0.072 / p.step_s, 1e-12);
        CHECK_REL(p.utilization[SGDP_DOWNLINK], 7.0 * 0.072 / p.step_s, 1e-12);
        CHECK_REL(p.utilization[SGDP_SERVER], 0.018 / p.step_s, 1e-12);
        CHECK_REL(p.utilization[SGDP_LOCAL], p.time.service_s[SGDP_LOCAL] / p.step_s, 1e-12);
        CHECK_REL(each[0] + each[1], p.batches_per_s, 1e-12);
        CHECK_REL(each[0], 3.0 * gpus / p.step_s, 1e-12);
    }
}

/* What is followed by about 64 flows: a step of a million workers takes no longer, and
 * the share of each in it hardly changes. */
TEST(many_workers_are_followed_in_groups)
{
    sgdp_job job = paper_job();
    const double sixty = step(&job, SGDP_SYNC_STAGGERED, 64) / 64.0;
    CHECK_REL(step(&job, SGDP_SYNC_STAGGERED, 1000000) / 1e6, sixty, 0.01);
    CHECK_REL(step(&job, SGDP_SYNC_STAGGERED, 70) / 70.0, sixty, 0.01);
}

/* The mean of some pairings: which ones, and how many, moves steps of unequal machines by
 * parts in a thousand, and no prediction is to move so without a word of it. Recorded from
 * sgdp_predict itself, to the digits that no order of sums moves. */
TEST(staggered_steps_are_those_recorded)
{
    static const uint32_t count[] = { 2, 3, 6, 8, 9, 16, 24, 32, 33, 40 };
    static const double recorded[] = {
        0.45379245681483321, 0.58600949414018066, 0.9222079116974875, 1.1747117113976726,
        1.3144908978768597,  2.2297330171310388,  3.3014497776312903, 4.3297664262040563,
        4.4640767316433942,  5.3840667460758924
    };
    sgdp_worker_type type[2] = { { 0, 0.09, 0.019, 0.0 }, { 0, 0.18, 0.050, 0.0 } };
    sgdp_job job = paper_job();
    job.workers.types = 2;
    job.workers.type = type;
    for (size_t i = 0; i < sizeof count / sizeof count[0]; i++) {
        type[0].count = count[i] / 2;
        type[1].count = count[i] - type[0].count;
        CHECK_REL(step(&job, SGDP_SYNC_STAGGERED, 0), recorded[i], 1e-9);
    }
}

TEST(more_types_than_flows_share_links_equally)
{
    static sgdp_worker_type type[200];
    sgdp_job job = paper_job();
    for (size_t i = 0; i < 200; i++) {
        type[i].count = 2;
        type[i].forward_s = 0.001 * (double)i;
    }
    job.workers.types = 200;
    job.workers.type = type;
    CHECK(predict(&job, SGDP_SYNC_STAGGERED, 0).solution.branch == SGDP_SYNC_PS);
    job.workers.types = 65;
    CHECK(predict(&job, SGDP_SYNC_STAGGERED, 0).solution.branch == SGDP_SYNC_PS);
    job.workers.types = 64;
    CHECK(predict(&job, SGDP_SYNC_STAGGERED, 0).solution.branch == SGDP_SYNC_STAGGERED);
}

/* ---- The switch ------------------------------------------------------------ */

/* 2 workers of 30 + 60 ms: fcfs at first, full links once compute is hidden. */
TEST(a_switch_may_choose_anew)
{
    sgdp_job job = paper_job();
    job.compute.forward_s = 0.030;
    job.compute.backward_s = 0.060;
    job.model_bytes = 8388608.0;
    job.links.bandwidth_bytes_per_s = 1.17685e8;
    job.overlap.rule = SGDP_OVERLAP_ONE_PASS;
    CHECK(predict(&job, SGDP_ASYNC_SWITCH, 2).solution.branch == SGDP_ASYNC_FCFS);
    job.switch_anew = 1;
    sgdp_prediction p = predict(&job, SGDP_ASYNC_SWITCH, 2);
    CHECK(p.solution.branch == SGDP_ASYNC_EXACT);
    CHECK(p.batches_per_s < 10.0);
}

/* ---- Profiles of several workers, and how sure they are -------------------- */

/* What four workers measure: their step, of which compute and update are known. */
static sgdp_job contended(const sgdp_job *job, sgdp_model model, uint32_t n, int with_step)
{
    const double step_s = step(job, model, n);
    const sgdp_compute *of = &job->compute;
    const double left_s = step_s - of->forward_s - of->backward_s - of->update_s;
    sgdp_job seen = *job;
    seen.links.bandwidth_bytes_per_s = 0.0;
    seen.links.uplink_s = model >= SGDP_ALLREDUCE_RING ? left_s : 0.6 * left_s;
    seen.links.downlink_s = model >= SGDP_ALLREDUCE_RING ? left_s : 0.4 * left_s;
    if (with_step) seen.compute.one_worker_step_s = step_s;
    return seen;
}

static sgdp_job measured_on(const sgdp_job *seen, sgdp_model model, uint32_t n,
                            sgdp_status expected)
{
    sgdp_job alone = *seen;
    CHECK_STATUS(find_alone(seen, model, n, &alone), expected);
    return alone;
}

TEST(a_profile_of_several_workers_gives_the_bandwidth_back)
{
    static const sgdp_model model[] = {
        SGDP_ASYNC_EXACT, SGDP_ASYNC_RHYTHM, SGDP_SYNC_PS, SGDP_SYNC_STAGGERED,
        SGDP_ALLREDUCE_RING, SGDP_ALLREDUCE_DOUBLING
    };
    for (size_t i = 0; i < sizeof model / sizeof model[0]; i++)
        for (uint32_t n = 2; n <= 8; n *= 2) {
            const sgdp_job job = paper_job();
            sgdp_job seen = contended(&job, model[i], n, n > 2), alone;
            alone = measured_on(&seen, model[i], n, SGDP_OK);
            CHECK_REL(alone.links.bandwidth_bytes_per_s, job.links.bandwidth_bytes_per_s, 1e-5);
            CHECK_REL(step(&alone, model[i], n), step(&job, model[i], n), 1e-6);
            CHECK_REL(step(&alone, model[i], 16), step(&job, model[i], 16), 1e-5);
        }
}

TEST(a_profile_of_workers_with_backups_gives_the_bandwidth_back)
{
    sgdp_job job = paper_job(), seen, alone;
    job.workers.backup = 1;
    seen = contended(&job, SGDP_SYNC_PS, 4, 1);
    alone = measured_on(&seen, SGDP_SYNC_PS, 4, SGDP_OK);
    CHECK_REL(alone.links.bandwidth_bytes_per_s, job.links.bandwidth_bytes_per_s, 1e-5);
    CHECK_REL(step(&alone, SGDP_SYNC_PS, 4), step(&job, SGDP_SYNC_PS, 4), 1e-6);
    CHECK_STATUS(find_alone(&seen, SGDP_SYNC_PS, 1, &alone), SGDP_BAD_ARGUMENT);
}

TEST(a_profile_of_several_workers_without_a_size_gives_transfer_times)
{
    const sgdp_job job = paper_job();
    sgdp_job seen = contended(&job, SGDP_SYNC_PS, 4, 0), alone;
    seen.model_bytes = 0.0;
    alone = measured_on(&seen, SGDP_SYNC_PS, 4, SGDP_OK);
    CHECK_REL(alone.links.uplink_s / alone.links.downlink_s, 1.5, 1e-9);
    CHECK_REL(4.0 * (alone.links.uplink_s + alone.links.downlink_s),
              seen.links.uplink_s + seen.links.downlink_s, 1e-5);
    CHECK(alone.links.uplink_s < 0.3 * seen.links.uplink_s);
}

TEST(what_no_phase_of_a_step_explains_is_the_workers)
{
    sgdp_job seen = paper_job(), alone;
    double step_s = 0.0;
    seen.links.uplink_s = 0.1;
    seen.links.downlink_s = 0.2;
    CHECK_STATUS(sgdp_measured_step(&seen, SGDP_SYNC_PS, &alone, &step_s), SGDP_OK);
    CHECK_REL(step_s, 0.347, 1e-12);
    CHECK_REL(alone.compute.forward_s + alone.compute.backward_s, 0.029, 1e-12);
    seen.compute.one_worker_step_s = 0.4;
    CHECK_STATUS(sgdp_measured_step(&seen, SGDP_SYNC_PS, &alone, &step_s), SGDP_OK);
    CHECK_REL(step_s, 0.4, 1e-12);
    CHECK_REL(alone.compute.forward_s, (0.029 + 0.053) / 2.9, 1e-12);
    CHECK_REL(alone.compute.backward_s, (0.029 + 0.053) * 1.9 / 2.9, 1e-12);
    CHECK_REL(alone.compute.one_worker_step_s, 0.0, 0.0);
    CHECK_REL(alone.links.uplink_s + alone.links.downlink_s, 0.0, 0.0);
    seen.compute.one_worker_step_s = 0.33; /* the phases overlap */
    CHECK_STATUS(sgdp_measured_step(&seen, SGDP_SYNC_PS, &alone, &step_s), SGDP_OK);
    CHECK_REL(alone.compute.forward_s + alone.compute.backward_s, 0.012, 1e-12);
    seen.overlap.rule = SGDP_OVERLAP_ONE_PASS;
    CHECK_STATUS(sgdp_measured_step(&seen, SGDP_SYNC_PS, &alone, &step_s), SGDP_OK);
    CHECK_REL(alone.compute.forward_s + alone.compute.backward_s, 0.029, 1e-12);
    CHECK_STATUS(sgdp_measured_step(&seen, SGDP_ALLREDUCE_RING, &alone, &step_s), SGDP_OK);
    CHECK_REL(alone.compute.forward_s + alone.compute.backward_s, 0.112, 1e-12);
}

TEST(profiles_of_several_workers_are_refused_and_nothing_written)
{
    sgdp_job seen = paper_job(), alone = seen;
    sgdp_worker_type type = {2, 0.01, 0.02, 0.0};
    double step_s = -1.0;
    CHECK_STATUS(sgdp_measured_step(&seen, SGDP_SYNC_PS, &alone, &step_s), SGDP_BAD_ARGUMENT);
    seen.compute.one_worker_step_s = 0.01; /* less than the update */
    seen.links.uplink_s = 0.001;
    CHECK_STATUS(sgdp_measured_step(&seen, SGDP_SYNC_PS, &alone, &step_s), SGDP_BAD_ARGUMENT);
    seen.compute.one_worker_step_s = 0.0;
    seen.overlap.rule = SGDP_OVERLAP_ONE_PASS;
    CHECK_STATUS(sgdp_measured_step(&seen, SGDP_SYNC_PS, &alone, &step_s), SGDP_BAD_ARGUMENT);
    seen.overlap.rule = SGDP_OVERLAP_NONE;
    CHECK_STATUS(sgdp_measured_step(&seen, SGDP_SYNC_PS, NULL, &step_s), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(find_alone(&seen, SGDP_SYNC_PS, 0, &alone), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(find_alone(&seen, SGDP_ALLREDUCE_RING, 1, &alone), SGDP_BAD_ARGUMENT);
    for (size_t i = 0; i < 2; i++) {   /* how many messages the step holds is not told   */
        seen.compute.one_worker_step_s = 0.4;
        seen.servers.message_s = i == 0 ? 0.002 : (double)NAN;
        CHECK_STATUS(sgdp_measured_step(&seen, SGDP_SYNC_PS, &alone, &step_s),
                     SGDP_BAD_ARGUMENT);
    }
    seen.servers.message_s = seen.compute.one_worker_step_s = 0.0;
    seen.workers.types = 1;
    seen.workers.type = &type;
    CHECK_STATUS(sgdp_measured_step(&seen, SGDP_SYNC_PS, &alone, &step_s), SGDP_BAD_ARGUMENT);
    CHECK_REL(step_s, -1.0, 0.0);
    CHECK_REL(alone.links.bandwidth_bytes_per_s, 125e6, 0.0);
    /* Stragglers alone take longer than the step. */
    seen = paper_job();
    seen.links.uplink_s = seen.links.downlink_s = 1e-4;
    seen.compute.vary.cv = 0.5;
    (void)measured_on(&seen, SGDP_SYNC_PS, 8, SGDP_NOT_CONVERGED);
}

static double spread(const sgdp_job *job, sgdp_model model, uint32_t n,
                     const sgdp_uncertainty *of)
{
    const sgdp_profile profile = {job, of};
    double half_width = -1.0;
    CHECK_STATUS(sgdp_profile_spread(&profile, model, n, work, sizeof work, &half_width),
                 SGDP_OK);
    return half_width;
}

TEST(the_spread_of_a_profile_is_that_of_its_parts)
{
    sgdp_job job = paper_job();        /* ring of 4: 0.029 + 1.5 (0.072) + 0.018 s */
    const double step_s = 0.155, to_90 = 1.6464 / 1.9623; /* Student's t of 1000 */
    sgdp_uncertainty of = {0};
    CHECK_REL(spread(&job, SGDP_ALLREDUCE_RING, 4, &of), 0.0, 0.0);
    of.update_s = 0.006;
    CHECK_REL(spread(&job, SGDP_ALLREDUCE_RING, 4, &of), log1p(0.006 / step_s), 1e-4);
    of.part = to_90;
    CHECK_REL(spread(&job, SGDP_ALLREDUCE_RING, 4, &of), log1p(to_90 * 0.006 / step_s), 1e-4);
    of.forward_s = 0.008;              /* 6, 8: together 10, but for the curvature */
    CHECK_REL(spread(&job, SGDP_ALLREDUCE_RING, 4, &of), to_90 * 0.010 / step_s, 0.03);
    of.part = sgdfit_student(0.9, 1) / sgdfit_student(0.95, 1); /* 6.3138 / 12.7062 */
    of.forward_s = 0.0;
    CHECK_REL(spread(&job, SGDP_ALLREDUCE_RING, 4, &of),
              log1p(0.496907 * 0.006 / step_s), 1e-5);
    of.part = to_90;
    job.compute.one_worker_step_s = 0.05; /* then forward is what the update leaves of it */
    of.update_s = 0.0;
    of.forward_s = 0.008;
    CHECK_REL(spread(&job, SGDP_ALLREDUCE_RING, 4, &of), 0.0, 0.0);
    of.one_worker_step_s = 0.005;
    CHECK_REL(spread(&job, SGDP_ALLREDUCE_RING, 4, &of), log1p(to_90 * 0.005 / 0.158), 1e-4);
}

/* 400 profiles of 10 cycles: predictions from their means lie within their own spread of the
 * truth in 90 % of cases. */
TEST(the_spread_of_a_profile_holds_the_truth_in_nine_cases_of_ten)
{
    enum { TRIALS = 400, CYCLES = 10 };
    const sgdp_job truth = paper_job();
    const double X = predict(&truth, SGDP_SYNC_PS, 4).batches_per_s, t = 2.262157;
    size_t held = 0;
    uint64_t draw = 1;
    for (size_t trial = 0; trial < TRIALS; trial++) {
        double mean[3] = {0.0, 0.0, 0.0}, square[3] = {0.0, 0.0, 0.0}, half[3];
        const double true_s[3] = {0.010, 0.019, 0.018};
        sgdp_job job = truth;
        for (size_t i = 0; i < CYCLES; i++)
            for (size_t k = 0; k < 3; k++) {
                const double x = true_s[k] * draw_factor(SGDP_SHAPE_NORMAL, 0.3, &draw);
                mean[k] += x / CYCLES;
                square[k] += x * x / CYCLES;
            }
        for (size_t k = 0; k < 3; k++)
            half[k] = t * sqrt((square[k] - mean[k] * mean[k]) / (CYCLES - 1));
        sgdp_uncertainty of = {0};
        job.compute.forward_s = mean[0];
        job.compute.backward_s = mean[1];
        job.compute.update_s = mean[2];
        of.forward_s = half[0];
        of.backward_s = half[1];
        of.update_s = half[2];
        of.part = sgdfit_student(0.9, CYCLES - 1) / sgdfit_student(0.95, CYCLES - 1);
        held += fabs(log(predict(&job, SGDP_SYNC_PS, 4).batches_per_s / X))
              <= spread(&job, SGDP_SYNC_PS, 4, &of);
    }
    CHECK((double)held >= 0.86 * TRIALS && (double)held <= 0.96 * TRIALS);
}

TEST(a_profile_that_is_sure_spreads_nothing_and_needs_no_work)
{
    const sgdp_model model = SGDP_ASYNC_EXACT;
    const sgdp_job job = paper_job();
    double half_width = 7.0;
    sgdp_uncertainty of = {0};
    const sgdp_profile profile = {&job, &of};
    CHECK_STATUS(sgdp_profile_spread(&profile, model, 8, NULL, 0, &half_width), SGDP_OK);
    CHECK_REL(half_width, 0.0, 0.0);
    of.uplink_s = 0.001;               /* of a job that tells bytes: does not count     */
    CHECK_STATUS(sgdp_profile_spread(&profile, model, 8, NULL, 0, &half_width), SGDP_OK);
    CHECK_REL(half_width, 0.0, 0.0);
    of.update_s = 0.001;
    CHECK_STATUS(sgdp_profile_spread(&profile, model, 8, work, 0, &half_width),
                 SGDP_SMALL_WORKSPACE);
}

TEST(the_spread_refuses_and_writes_nothing)
{
    const sgdp_job job = paper_job();
    double half_width = 7.0;
    sgdp_uncertainty of = {.part = -0.5};
    sgdp_profile profile = {&job, &of};
    CHECK_STATUS(sgdp_profile_spread(&profile, SGDP_SYNC_PS, 4, work, sizeof work, &half_width),
                 SGDP_BAD_ARGUMENT);
    of.part = 0.0;
    of.uplink_s = -1.0;
    CHECK_STATUS(sgdp_profile_spread(&profile, SGDP_SYNC_PS, 4, work, sizeof work, &half_width),
                 SGDP_BAD_ARGUMENT);
    of.uplink_s = 0.0;
    CHECK_STATUS(sgdp_profile_spread(&profile, SGDP_SYNC_PS, 0, work, sizeof work, &half_width),
                 SGDP_BAD_ARGUMENT);
    profile.unsure = NULL;
    CHECK_STATUS(sgdp_profile_spread(&profile, SGDP_SYNC_PS, 4, work, sizeof work, &half_width),
                 SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_profile_spread(NULL, SGDP_SYNC_PS, 4, work, sizeof work, &half_width),
                 SGDP_BAD_ARGUMENT);
    CHECK_REL(half_width, 7.0, 0.0);
}

/* Two phases of which one is negative may still have a sum that is a time. */
TEST(each_number_of_a_profile_of_several_workers_is_checked)
{
    static const sgdp_model model[] = { SGDP_SYNC_PS, SGDP_ALLREDUCE_RING };
    const double wrong[] = { -0.001, HUGE_VAL, (double)NAN };
    sgdp_job seen = paper_job(), alone = seen;
    double *const field[] = { &seen.compute.forward_s, &seen.compute.backward_s,
                              &seen.compute.update_s, &seen.links.uplink_s,
                              &seen.links.downlink_s, &seen.compute.one_worker_step_s };
    double step_s = -1.0;
    seen.links.uplink_s = 0.1;
    seen.links.downlink_s = 0.2;
    seen.compute.one_worker_step_s = 0.4;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < 6; i++) {
            const double good = *field[i];
            for (size_t j = 0; j < 3; j++) {
                *field[i] = wrong[j];
                CHECK_STATUS(sgdp_measured_step(&seen, model[k], &alone, &step_s),
                             SGDP_BAD_ARGUMENT);
            }
            *field[i] = good;
        }
    for (size_t i = 0; i < 4; i += 3) {       /* a sum beyond a double */
        const double good[2] = { *field[i], *field[i + 1] };
        *field[i] = *field[i + 1] = 1e308;
        CHECK_STATUS(sgdp_measured_step(&seen, SGDP_SYNC_PS, &alone, &step_s), SGDP_BAD_ARGUMENT);
        *field[i] = good[0];
        *field[i + 1] = good[1];
    }
    CHECK_STATUS(sgdp_measured_step(NULL, SGDP_SYNC_PS, &alone, &step_s), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_measured_step(&seen, SGDP_SYNC_PS, &alone, NULL), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_measured_step(&seen, SGDP_MODEL_COUNT, &alone, &step_s), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(find_alone(NULL, SGDP_SYNC_PS, 4, &alone), SGDP_BAD_ARGUMENT);
    seen.compute.one_worker_step_s = 0.0;
    for (seen.overlap.exponent = 1.0; seen.overlap.exponent < 3.0; seen.overlap.exponent++)
        CHECK_STATUS(sgdp_measured_step(&seen, SGDP_ALLREDUCE_RING, &alone, &step_s),
                     SGDP_BAD_ARGUMENT);   /* how much was hidden, nobody can tell */
    memset(&seen, 0, sizeof seen);
    seen.links.uplink_s = 1e-320;      /* no throughput is the reciprocal of this */
    CHECK_STATUS(find_alone(&seen, SGDP_SYNC_PS, 4, &alone), SGDP_BAD_ARGUMENT);
    CHECK_REL(step_s, -1.0, 0.0);
    CHECK_REL(alone.compute.forward_s, paper_job().compute.forward_s, 0.0);
}

TEST(a_measured_step_alone_leaves_the_phases_or_divides_itself)
{
    sgdp_job seen = paper_job(), alone;
    double step_s = 0.0;
    seen.compute.one_worker_step_s = 0.4; /* nothing sent was measured */
    CHECK_STATUS(sgdp_measured_step(&seen, SGDP_SYNC_PS, &alone, &step_s), SGDP_OK);
    CHECK_REL(step_s, 0.4, 0.0);
    CHECK_REL(alone.compute.forward_s, 0.010, 1e-15);
    CHECK_REL(alone.compute.backward_s, 0.019, 1e-15);
    seen.compute.forward_s = seen.compute.backward_s = seen.compute.update_s = 0.0;
    seen.links.uplink_s = seen.links.downlink_s = 0.05;
    CHECK_STATUS(sgdp_measured_step(&seen, SGDP_SYNC_PS, &alone, &step_s), SGDP_OK);
    CHECK_REL(alone.compute.forward_s, 0.1, 1e-15); /* a third of what is left */
    CHECK_REL(alone.compute.backward_s, 0.2, 1e-14);
}

TEST(each_number_of_an_uncertainty_is_checked)
{
    sgdp_job job = paper_job();
    sgdp_worker_type type = { 4, 0.01, 0.02, 0.0 };
    sgdp_uncertainty of;
    double *const field[] = { &of.forward_s, &of.backward_s, &of.update_s, &of.uplink_s,
                              &of.downlink_s, &of.one_worker_step_s };
    sgdp_profile profile = {&job, &of};
    double half_width = 7.0;
    memset(&of, 0, sizeof of);
#define REFUSED(whose, to) \
    profile.job = whose;   \
    CHECK_STATUS(sgdp_profile_spread(&profile, SGDP_SYNC_PS, 4, work, sizeof work, to), \
                 SGDP_BAD_ARGUMENT)
    for (size_t i = 0; i < 6; i++) {
        *field[i] = (double)NAN;
        REFUSED(&job, &half_width);
        *field[i] = 0.0;
    }
    REFUSED(NULL, &half_width);
    REFUSED(&job, NULL);
    job.compute.forward_s = 0.5 * DBL_MAX; /* and a little more is beyond a double */
    of.forward_s = DBL_MAX;
    REFUSED(&job, &half_width);
#undef REFUSED
    CHECK_REL(half_width, 7.0, 0.0);
    job = paper_job();
    job.workers.types = 1;
    job.workers.type = &type;          /* types have their own times */
    of.forward_s = 0.001;
    CHECK_REL(spread(&job, SGDP_SYNC_PS, 4, &of), 0.0, 0.0);
    job.workers.types = 0;
    CHECK(spread(&job, SGDP_SYNC_PS, 4, &of) > 0.0);
    CHECK_REL(spread(&job, SGDP_SYNC_STAGGERED, 4, &of), spread(&job, SGDP_SYNC_PS, 4, &of),
              0.0);
}

TEST(a_spread_tells_where_a_prediction_does_not_converge)
{
    sgdp_job job = paper_job();
    double half_width = -1.0;
    sgdp_uncertainty of = {0};
    const sgdp_profile profile = {&job, &of};
    job.compute.update_s = 0.0;
    job.compute.forward_s = job.compute.backward_s = 0.072 * 400.0 * 0.502;
    job.overlap.rule = SGDP_OVERLAP_FIXED_POINT;
    of.forward_s = 1e-4;
    CHECK_STATUS(sgdp_profile_spread(&profile, SGDP_ASYNC_EXACT, 400, work, sizeof work,
                                     &half_width), SGDP_NOT_CONVERGED);
    CHECK(half_width >= 0.0 && half_width < 1e-3);
}

TEST_MAIN("test_measured");
