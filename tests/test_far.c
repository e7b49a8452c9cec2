/* Workers far away: what windows of TCP make of a delay. The oracle follows one worker's two
 * connections step by step, each with its window, halved by idle times and doubled by round
 * trips; the rest are closed forms, or a second job that must come out the same. */
#include "../sgdperf.h"
#include "job.h"

#include <math.h>
#include <stdlib.h>

static const sgdp_model ours[2] = { SGDP_ASYNC_RHYTHM, SGDP_SYNC_STAGGERED };

static sgdp_job make_job(double compute_s, double bytes, double delay_s)
{
    return (sgdp_job){.compute.forward_s = 0.4 * compute_s, .compute.backward_s = 0.6 * compute_s,
                      .compute.update_s = 0.003, .model_bytes = bytes,
                      .links.bandwidth_bytes_per_s = 125e6, .links.delay_s = delay_s};
}

/* ---- One worker ------------------------------------------------------------ */

typedef struct connection { double window, last_s; } connection;

/* Seconds of a transfer that begins at now_s; its last burst is on its way while there are
 * round trips to wait for. Windows are whole segments: where bursts add up to the transfer,
 * something is left. */
static double transfer_s(connection *c, const sgdp_job *job, double S, double now_s)
{
    const double R = 2.0 * job->links.delay_s;
    double least_s = S / job->links.bandwidth_bytes_per_s, length_s, left = S, burst;
    for (; now_s - c->last_s > R + 0.2; c->last_s += R + 0.2)
        c->window = c->window > 2.0 * 14480.0 ? c->window / 2.0 : 14480.0;
    length_s = S / (2.0 * c->window / R);                   /* paced                    */
    if (c->window <= S * (1.0 + 1e-9)) length_s = 0.0;
    for (burst = c->window; left >= burst * (1.0 - 1e-9); burst *= 2.0) {
        left -= burst;
        length_s += R;
    }
    c->window = c->window < S ? c->window + S : 2.0 * S;
    if (length_s > least_s) least_s = length_s;
    if (R / 4.0 > least_s) least_s = R / 4.0;
    c->last_s = now_s + least_s;
    return least_s;
}

static double follow(const sgdp_job *job, double bytes_up, double bytes_down)
{
    connection up = { 14480.0, 0.0 }, down = up;
    double now_s = 0.0, before_s = 0.0;
    for (int i = 0; i < 200; i++) {
        before_s = now_s;
        now_s += transfer_s(&down, job, bytes_down, now_s) + job->links.delay_s;
        now_s += job->compute.forward_s + job->compute.backward_s;
        if (i == 0) up.last_s = now_s;
        now_s += transfer_s(&up, job, bytes_up, now_s) + job->links.delay_s + job->compute.update_s;
    }
    return now_s - before_s;
}

TEST(one_worker_takes_as_long_as_its_windows_let_it)
{
    static const double compute_s[] = { 0.0093, 0.11, 0.29, 0.53, 1.07, 2.6, 9.1 };
    static const double bytes[] = { 5e3, 3.1e5, 2.1e6, 2.3e7 };
    static const double delay_s[] = { 0.00011, 0.0031, 0.0127, 0.041, 0.13 };
    for (size_t c = 0; c < sizeof compute_s / sizeof *compute_s; c++)
        for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++)
            for (size_t d = 0; d < sizeof delay_s / sizeof *delay_s; d++)
                for (size_t m = 0; m < 2; m++) {
                    const sgdp_job job = make_job(compute_s[c], bytes[b], delay_s[d]);
                    const sgdp_prediction p = predict(&job, ours[m], 1);
                    CHECK_REL(p.step_s, follow(&job, bytes[b], bytes[b]), 1e-6);
                    CHECK_REL(p.scaling.speedup, 1.0, 1e-9);
                }
}

/* More bytes one way than the other, in windows of their own. */
TEST(each_way_is_as_late_as_its_own_window_lets_it)
{
    static const double compute_s[] = { 0.0093, 0.29, 1.07 }, delay_s[] = { 0.0127, 0.13, 0.29 };
    static const double bytes[] = { 3.1e5, 2.1e6, 2.3e7 };
    for (size_t c = 0; c < 3; c++)
        for (size_t up = 0; up < 3; up++)
            for (size_t down = 0; down < 3; down++)
                for (size_t d = 0; d < 3; d++)
                    for (size_t m = 0; m < 2; m++) {
                        sgdp_job job = make_job(compute_s[c], 0.0, delay_s[d]);
                        job.links.uplink_s = bytes[up] / job.links.bandwidth_bytes_per_s;
                        job.links.downlink_s = bytes[down] / job.links.bandwidth_bytes_per_s;
                        CHECK_REL(step(&job, ours[m], 1), follow(&job, bytes[up], bytes[down]),
                                  1e-6);
                    }
}

/* A measured step has in it what windows added. */
TEST(a_measured_step_of_one_worker_comes_out_again)
{
    static const double compute_s[] = { 0.02, 0.3, 1.3, 4.0 };
    for (size_t c = 0; c < sizeof compute_s / sizeof *compute_s; c++)
        for (size_t m = 0; m < 2; m++) {
            const sgdp_job job = make_job(compute_s[c], 2.1e6, 0.02);
            sgdp_job measured = job;
            measured.compute.one_worker_step_s = step(&job, ours[m], 1);
            CHECK_REL(step(&measured, ours[m], 1), measured.compute.one_worker_step_s, 1e-9);
            CHECK_REL(step(&measured, ours[m], 4), step(&job, ours[m], 4), 1e-9);
        }
}

/* ---- Streams that meet ----------------------------------------------------- */

/* Of K workers that do little else, each sends at its K-th part of 0.7 of path and buffer a
 * round trip; if their links have half the speed, from more than two on. */
TEST(streams_that_meet_have_a_part_of_path_and_buffer)
{
    static const double buffer[] = { 1e5, 5e5, 2e6 };
    for (uint32_t K = 3; K <= 8; K++)
        for (size_t b = 0; b < 3; b++)
            for (size_t half = 0; half < 2; half++)
                for (size_t m = 0; m < 2; m++) {
                    sgdp_job job = make_job(0.001, 20e6, 0.015);
                    const double window = 0.7 * (125e6 * 0.030 + buffer[b]) / K;
                    double least_s = 20e6 / (half ? 62.5e6 : 125e6);
                    if (K < 5 && half) continue;
                    if (20e6 * 0.030 / window > least_s) least_s = 20e6 * 0.030 / window;
                    if (half) job.links.worker_bandwidth_bytes_per_s = 62.5e6;
                    if (b != 1 || half)            /* else the usual one             */
                        job.links.port_buffer_bytes = buffer[b];
                    CHECK_REL(predict(&job, ours[m], K).time.service_s[SGDP_UPLINK],
                              0.015 + least_s, 1e-9);
                }
}

/* A port that keeps everything, transfers longer than a quarter of a round trip, and no idle
 * time: a delay is time outside all queues, as computing is. */
TEST(with_room_for_all_that_meet_a_delay_is_a_delay)
{
    for (uint32_t K = 1; K <= 6; K++) {
        sgdp_job far = make_job(0.010, 3e6, 0.020), slow = make_job(0.050, 3e6, 0.0);
        far.links.port_buffer_bytes = 1e30;
        CHECK_REL(step(&far, SGDP_ASYNC_RHYTHM, K), step(&slow, SGDP_ASYNC_RHYTHM, K), 1e-12);
    }
}

/* Faster uplinks begin more often against downlinks, which costs a staggered step a little. */
TEST(a_larger_port_is_never_slower)
{
    static const double slack[2] = { 1e-9, 0.005 };
    for (uint32_t K = 1; K <= 12; K++)
        for (size_t m = 0; m < 2; m++) {
            sgdp_job job = make_job(0.030, 3e6, 0.012);
            double last_s = HUGE_VAL, now_s;
            for (job.links.port_buffer_bytes = 1e4; job.links.port_buffer_bytes < 1e8;
                 job.links.port_buffer_bytes *= 3.0) {
                now_s = step(&job, ours[m], K);
                CHECK(now_s <= last_s * (1.0 + slack[m]));
                last_s = now_s;
            }
        }
}

/* Links of workers that a port has room for do not make streams meet. */
TEST(slow_links_of_workers_do_not_meet_at_the_port)
{
    sgdp_job far = make_job(0.010, 20e6, 0.020), slow = make_job(0.050, 20e6, 0.0);
    for (uint32_t K = 1; K <= 10; K++) {
        far.links.worker_bandwidth_bytes_per_s = slow.links.worker_bandwidth_bytes_per_s = 12.5e6;
        CHECK_REL(step(&far, SGDP_ASYNC_RHYTHM, K), step(&slow, SGDP_ASYNC_RHYTHM, K), 1e-12);
    }
}

/* ---- Who knows of it ------------------------------------------------------- */

/* The papers' models count the delay alone, and without one nobody looks at the port. */
TEST(a_port_is_nothing_to_those_who_do_not_know_it)
{
    for (size_t model = 0; model < SGDP_ALLREDUCE_RING; model++) {
        const int knows = model == SGDP_ASYNC_RHYTHM || model == SGDP_SYNC_STAGGERED;
        sgdp_job job = make_job(0.030, 3e6, knows ? 0.0 : 0.012), other = job;
        other.links.port_buffer_bytes = 1e3;
        double a = step(&job, (sgdp_model)model, 5);
        double b = step(&other, (sgdp_model)model, 5);
        CHECK(a >= b && a <= b);
    }
}

/* Two far away, one farther: which is told first is nothing to either. */
TEST(types_far_away_may_be_told_in_any_order)
{
    double compute_s;
    for (compute_s = 0.1; compute_s < 7.0; compute_s *= 1.5) {
        sgdp_worker_type type[2] = { { 1, 0.0, 0.0, 0.050 }, { 1, 0.0, 0.0, 0.130 } };
        sgdp_job job = make_job(0.0, 2.3e7, 0.0);
        type[0].forward_s = type[1].forward_s = compute_s;
        job.workers.types = 2;
        job.workers.type = type;
        double forth_s = step(&job, SGDP_ASYNC_RHYTHM, 0);
        type[0].delay_s = 0.130;
        type[1].delay_s = 0.050;
        CHECK_REL(step(&job, SGDP_ASYNC_RHYTHM, 0), forth_s, 1e-9);
    }
}

/* Down go less than ten segments, in a quarter of a round trip; up go more, in one: what is idle
 * between, 2.5 s of a path of 2 s, halves a window once. */
TEST(each_way_of_a_path_has_its_own_window)
{
    static const double downlink_s[] = { 1e-5, 1e-4 };
    for (size_t d = 0; d < 2; d++)
        for (size_t m = 0; m < 2; m++) {
            sgdp_job job = make_job(0.001, 0.0, 1.0);
            job.links.uplink_s = 0.2;
            job.links.downlink_s = downlink_s[d];
            sgdp_prediction p = predict(&job, ours[m], 2);
            CHECK_REL(p.time.service_s[SGDP_DOWNLINK], 1.0 + 0.5, 1e-9);
            CHECK_REL(p.time.service_s[SGDP_UPLINK], 1.0 + 2.0, 1e-9);
        }
}

/* ---- The end of doubles ---------------------------------------------------- */

/* Two delays are a double, and what windows add to them is none; and so many bytes that no double
 * counts them, which take no longer than their transfer where nobody is far. */
TEST(windows_beyond_a_double_are_refused)
{
    sgdp_job job = make_job(0.030, 3e6, 7e307);
    sgdp_prediction p = {0};
    CHECK_STATUS(sgdp_predict(&job, SGDP_SYNC_STAGGERED, 1, work, sizeof work, &p),
                 SGDP_BAD_ARGUMENT);
    CHECK(p.step_s <= 0.0);
    job = make_job(0.030, 0.0, 1.0);
    job.links.bandwidth_bytes_per_s = 1e10;
    job.links.uplink_s = job.links.downlink_s = 1e300;
    CHECK_REL(step(&job, SGDP_SYNC_STAGGERED, 1), 2e300, 1e-14);
}

/* A thousand doublings, of round trips about as long as the idle times that end them: rounds
 * fall by one of a hundred each turn, and what they settle at is not found in a hundred turns.
 * Steps of two, who do not meet, are the transfers of j round trips and both delays. */
TEST(windows_that_do_not_settle_say_so)
{
    sgdp_job job = make_job(0.0, 1e304, 10.0);
    double rounds = floor(log(1e304 / 14480.0) / log(2.0));
    sgdp_prediction p = {0};
    job.compute.update_s = 0.0;
    job.links.bandwidth_bytes_per_s = 1e301;
    CHECK_STATUS(sgdp_predict(&job, SGDP_ASYNC_RHYTHM, 2, work, sizeof work, &p),
                 SGDP_NOT_CONVERGED);
    CHECK(p.solution.residual > 0.0 && p.solution.residual < 1.0);
    CHECK_STATUS(sgdp_predict(&job, SGDP_SYNC_STAGGERED, 2, work, sizeof work, &p),
                 SGDP_NOT_CONVERGED);
    for (int turn = 1; turn < 100; turn++)
        rounds = floor(20.0 * (rounds + 1.0) / 20.2);   /* idle: the other transfer, delays */
    CHECK_REL(p.step_s, 2.0 * (20.0 * rounds + 10.0), 1e-12);
    CHECK_REL(p.solution.residual,
              20.0 * (rounds - floor(20.0 * (rounds + 1.0) / 20.2)) / p.step_s, 1e-12);
}

TEST(a_port_must_be_a_number)
{
    double bad[3];
    bad[0] = -1.0;
    bad[1] = HUGE_VAL;
    bad[2] = (double)NAN;
    for (size_t i = 0; i < 3; i++) {
        sgdp_job job = make_job(0.030, 3e6, 0.012);
        sgdp_prediction p = {0};
        job.links.port_buffer_bytes = bad[i];
        CHECK_STATUS(sgdp_predict(&job, SGDP_ASYNC_RHYTHM, 2, work, sizeof work, &p),
                     SGDP_BAD_ARGUMENT);
    }
}

TEST_MAIN("test_far");
