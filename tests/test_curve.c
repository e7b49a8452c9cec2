/* test_curve.c - the points of a curve are those that are predicted one by one, to the bit,
 * and those of equal workers are found in one pass
 *
 *     test_curve [jobs]        60 random jobs, 5000 in full */
#include "../sgdperf.h"
#include "job.h"

#include <math.h>

enum { MOST_POINTS = 40 };

static sgdp_prediction curve[4096];
static sgdp_status state[4096];
static uint32_t workers[4096];

static double draw(uint64_t job, uint64_t what) { return test_uniform(15, job, what); }

/* Mostly 10 us to 10 s. */
static double draw_time(uint64_t job, uint64_t what)
{
    const double u = draw(job, what);
    return u < 0.1 ? 0.0 : pow(10.0, 6.0 * draw(job, what + 100) - 5.0);
}

/* Networks that can be gone on with, and of each kind those that cannot. */
static sgdp_job draw_job(uint64_t n)
{
    sgdp_job job = {.compute.forward_s = draw_time(n, 1)};
    job.compute.backward_s = draw_time(n, 2);
    job.compute.update_s = draw_time(n, 3);
    job.links.uplink_s = draw_time(n, 4);
    job.links.downlink_s = draw_time(n, 5);
    job.links.bandwidth_bytes_per_s = 1e9;
    job.collective.exchange = exchange_of;
    job.model_bytes = draw(n, 6) < 0.5 ? 0.0 : 1e9 * draw_time(n, 6);
    job.servers.separate_updates = draw(n, 7) < 0.2;
    job.threshold = draw(n, 8) < 0.5 ? 0.0 : draw(n, 9);
    if (draw(n, 10) < 0.3) job.links.worker_bandwidth_bytes_per_s = 1e9 * draw(n, 11);
    if (draw(n, 12) < 0.3) job.links.flow_cap_bytes_per_s = 1e9 * draw(n, 13);
    if (draw(n, 14) < 0.3) job.compute.vary.cv = draw(n, 15);
    if (draw(n, 16) < 0.3) job.links.delay_s = 0.01 * draw_time(n, 17);
    if (draw(n, 18) < 0.2) job.compute.one_worker_step_s = draw_time(n, 19);
    if (draw(n, 20) < 0.2) job.overlap.rule = SGDP_OVERLAP_ONE_PASS;
    job.switch_anew = draw(n, 21) < 0.5;
    if (draw(n, 22) < 0.2) {
        job.machine.gpus = 1 + (uint32_t)(3.0 * draw(n, 23));
        job.machine.local_bandwidth_bytes_per_s = 1e9;
    }
    return job;
}

/* Rising, with gaps and points that come twice; or in any order. */
static size_t draw_workers(uint64_t n, size_t most)
{
    const size_t points = 1 + (size_t)(draw(n, 30) * (double)most);
    const int rises = draw(n, 31) < 0.8;
    uint32_t last = 0;
    for (size_t i = 0; i < points; i++) {
        const double u = draw(n, 40 + i);
        if (rises) last += u < 0.1 ? (i == 0) : u < 0.7 ? 1 : (uint32_t)(10.0 * u);
        else last = 1 + (uint32_t)(40.0 * u);
        workers[i] = last > 0 ? last : 1;
    }
    return points;
}

/* The status of the first point without an answer, from which on nothing is written, and
 * nothing at all if there are no bytes to say. */
static void check_points(const sgdp_job *job, sgdp_model model, size_t points)
{
    const sgdp_curve all = {workers, points, curve, state};
    sgdp_status want = SGDP_OK, got;
    sgdp_prediction untouched, one;
    size_t i, bytes = 0;
    memset(curve, 0, points * sizeof *curve);
    memset(&untouched, 0, sizeof untouched);
    for (i = 0; i < points; i++) state[i] = SGDP_STATUS_COUNT;
    got = sgdp_predict_curve_bytes(job, model, &all, &bytes);
    int written = got == SGDP_OK;
    if (written) got = sgdp_predict_curve(job, model, &all, work, bytes);
    for (i = 0; i < points; i++) {
        memset(&one, 0, sizeof one);
        sgdp_status status = sgdp_predict(job, model, workers[i], work, sizeof work, &one);
        if (status != SGDP_OK && status != SGDP_NOT_CONVERGED) { want = status; break; }
        if (status != SGDP_OK) want = status;
        if (!written) continue;
        CHECK(memcmp(&one, &curve[i], sizeof one) == 0);
        CHECK_STATUS(state[i], status);
    }
    CHECK_STATUS(got, want);
    for (i = written ? i : 0; i < points; i++) {
        CHECK(memcmp(&untouched, &curve[i], sizeof untouched) == 0);
        CHECK(state[i] == SGDP_STATUS_COUNT);
    }
}

static int jobs;

TEST(points_are_those_predicted_one_by_one)
{
    for (size_t n = 0; n < (size_t)jobs; n++) {
        const sgdp_job job = draw_job(n);
        const size_t points = draw_workers(n, MOST_POINTS);
        for (size_t model = 0; model < (size_t)SGDP_MODEL_COUNT; model++) {
            if (model == (size_t)SGDP_SYNC_STAGGERED && n % 20 != 0) continue;
            check_points(&job, (sgdp_model)model, points);
        }
    }
}

/* Far beyond what is in registers at once, past the links' capacity and the switch. */
TEST(a_long_curve_is_its_points)
{
    sgdp_job job = paper_job();
    for (size_t i = 0; i < 120; i++) workers[i] = (uint32_t)(i < 60 ? i + 1 : 11 * i);
    job.compute.vary.cv = 0.02;
    job.links.worker_bandwidth_bytes_per_s = 7.5e6;
    for (size_t model = 0; model < (size_t)SGDP_MODEL_COUNT; model++)
        if (model != (size_t)SGDP_SYNC_STAGGERED && model != (size_t)SGDP_ASYNC_EXACT
            && model != (size_t)SGDP_ASYNC_SWITCH)
            check_points(&job, (sgdp_model)model, 120);
    job.links.worker_bandwidth_bytes_per_s = 0.0;
    check_points(&job, SGDP_ASYNC_EXACT, 120);
    check_points(&job, SGDP_ASYNC_SWITCH, 120);
}

/* What a caller asks of types is of every point, also where they share a pass. */
TEST(points_have_the_throughput_of_their_only_type)
{
    double rate[5], waiting[5], one_rate, one_waiting;
    const sgdp_curve all = {workers, 5, curve, state};
    const sgdp_job job = paper_job();
    sgdp_prediction one;
    for (size_t model = 0; model < (size_t)SGDP_MODEL_COUNT; model++) {
        memset(curve, 0, 5 * sizeof *curve);
        for (size_t i = 0; i < 5; i++) {
            workers[i] = (uint32_t)(2 * i + 1);
            rate[i] = waiting[i] = -1.0;
            if (i % 2 == 0) curve[i].types.batches_per_s = &rate[i];
            if (i > 1) curve[i].types.waiting_share = &waiting[i];
        }
        CHECK_STATUS(sgdp_predict_curve(&job, (sgdp_model)model, &all, work, sizeof work),
                     SGDP_OK);
        for (size_t i = 0; i < 5; i++) {
            one = (sgdp_prediction){.types.batches_per_s = &one_rate,
                                    .types.waiting_share = &one_waiting};
            CHECK_STATUS(sgdp_predict(&job, (sgdp_model)model, workers[i], work,
                                      sizeof work, &one), SGDP_OK);
            CHECK_REL(rate[i], i % 2 == 0 ? one_rate : -1.0, 0.0);
            CHECK_REL(waiting[i], i > 1 ? one_waiting : -1.0, 0.0);
        }
    }
}

static double operations_of(const sgdp_job *job, sgdp_model model, size_t points)
{
    const sgdp_curve all = {.workers = workers, .points = points};
    double operations = 0.0;
    CHECK_STATUS(sgdp_predict_curve_operations(job, model, &all, &operations), SGDP_OK);
    return operations;
}

static void count_up(size_t points)
{
    for (size_t i = 0; i < points; i++) workers[i] = (uint32_t)i + 1;
}

/* Batches so large that few workers' examples a second are a double, more workers' are not. */
TEST(a_pass_ends_where_rates_pass_the_largest_double)
{
    sgdp_job job = paper_job();
    count_up(40);
    job.compute.batch = 3e307;
    for (size_t model = 0; model < (size_t)SGDP_MODEL_COUNT; model++)
        check_points(&job, (sgdp_model)model, 40);
    check_points(&job, SGDP_ASYNC_EXACT, 40);
    CHECK_STATUS(state[0], SGDP_OK);
    CHECK_STATUS(state[39], SGDP_STATUS_COUNT);
}

/* Each fall counts, however little is before it. */
TEST(operations_of_a_curve_that_falls_at_its_end_are_those_of_its_points)
{
    static const uint32_t all[] = { 1, 40, 80, 60 };
    const sgdp_curve last = {.workers = all + 1, .points = 3};
    const sgdp_job job = paper_job();
    double sum = 0.0, whole = 0.0, one = 0.0;
    for (size_t i = 1; i < 4; i++) {
        CHECK_STATUS(sgdp_predict_operations(&job, SGDP_ASYNC_RHYTHM, all[i], &one), SGDP_OK);
        sum += one;
    }
    CHECK_STATUS(sgdp_predict_curve_operations(&job, SGDP_ASYNC_RHYTHM, &last, &whole),
                 SGDP_OK);
    CHECK_REL(whole, sum, 1e-12);
}

TEST(operations_of_one_pass_grow_with_its_points)
{
    static const sgdp_worker_type type[2] = { { 3, 0.1, 0.2, 0.0 }, { 5, 0.2, 0.3, 0.0 } };
    sgdp_job job = paper_job();
    double one = 0.0, sum;
    count_up(4000);
    CHECK_REL(operations_of(&job, SGDP_ASYNC_RHYTHM, 4000),
              4.0 * operations_of(&job, SGDP_ASYNC_RHYTHM, 1000), 0.05);
    sum = operations_of(&job, SGDP_ASYNC_RHYTHM, 4000);
    job.overlap.rule = SGDP_OVERLAP_ONE_PASS; /* is another network for each number         */
    CHECK(operations_of(&job, SGDP_ASYNC_RHYTHM, 4000) > 500.0 * sum);
    job.overlap.rule = SGDP_OVERLAP_NONE;
    workers[0] = 4001;                     /* falls                                      */
    CHECK(operations_of(&job, SGDP_ASYNC_RHYTHM, 4000) > 200.0 * sum);
    workers[0] = 100;
    CHECK_STATUS(sgdp_predict_operations(&job, SGDP_SYNC_PS, 100, &one), SGDP_OK);
    CHECK_REL(operations_of(&job, SGDP_SYNC_PS, 40), 40.0 * one, 1e-12);
    job.workers.types = 2;                 /* a formula of each type                     */
    job.workers.type = type;
    workers[0] = workers[1] = 8;
    CHECK_STATUS(sgdp_predict_operations(&job, SGDP_SYNC_PS, 8, &one), SGDP_OK);
    CHECK_REL(operations_of(&job, SGDP_SYNC_PS, 2), 2.0 * one, 1e-12);
}

static sgdp_status curve_status(const sgdp_job *job, sgdp_model model, const sgdp_curve *of)
{
    return sgdp_predict_curve(job, model, of, work, sizeof work);
}

TEST(bad_arguments_are_refused)
{
    const sgdp_model model = SGDP_ASYNC_RHYTHM;
    sgdp_job job = paper_job();
    size_t bytes = 7, most = 0;
    double operations;
    sgdp_curve of = {workers, 10, curve, NULL};
    count_up(10);
    CHECK_STATUS(sgdp_predict_curve_bytes(&job, model, &of, &bytes), SGDP_OK);
    CHECK_STATUS(sgdp_predict_bytes(&job, model, 10, &most), SGDP_OK);
    CHECK(bytes > most && bytes < most + 3000 && most > 0);
    CHECK_STATUS(sgdp_predict_curve(&job, model, &of, work, bytes - 1), SGDP_SMALL_WORKSPACE);
    CHECK_STATUS(sgdp_predict_curve(&job, model, &of, work, 8), SGDP_SMALL_WORKSPACE);
    CHECK_STATUS(sgdp_predict_curve(&job, model, &of, NULL, bytes), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(curve_status(NULL, model, &of), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(curve_status(&job, model, NULL), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_predict_curve_bytes(&job, model, &of, NULL), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_predict_curve_bytes(&job, model, NULL, &bytes), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_predict_curve_operations(&job, model, &of, NULL), SGDP_BAD_ARGUMENT);
    of.workers = NULL;
    CHECK_STATUS(curve_status(&job, model, &of), SGDP_BAD_ARGUMENT);
    of.workers = workers;
    of.points = 0;
    CHECK_STATUS(curve_status(&job, model, &of), SGDP_BAD_ARGUMENT);
    of.points = 10;
    of.out = NULL;
    CHECK_STATUS(curve_status(&job, model, &of), SGDP_BAD_ARGUMENT);
    of.out = curve;
    workers[5] = 0;
    memset(curve, 0, sizeof curve[0]);
    CHECK_STATUS(curve_status(&job, model, &of), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_predict_curve_bytes(&job, SGDP_SYNC_PS, &of, &bytes), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_predict_curve_operations(&job, SGDP_SYNC_PS, &of, &operations),
                 SGDP_BAD_ARGUMENT);
    job.compute.forward_s = -1.0;
    CHECK_STATUS(curve_status(&job, SGDP_SYNC_PS, &of), SGDP_BAD_ARGUMENT);
    CHECK(curve[0].workers == 0);
}

/* Too many for the lattice: the fixed point answers, of the points that need it. */
TEST(a_curve_past_the_lattice_is_its_points)
{
    const sgdp_job job = paper_job();
    workers[0] = 3;
    workers[1] = 4000000000u;
    if (sizeof(size_t) > 4) check_points(&job, SGDP_ASYNC_RHYTHM, 2);
    check_points(&job, SGDP_ASYNC_EXACT, 2);
}

TEST(types_are_all_the_workers_there_are)
{
    sgdp_worker_type type[2];
    sgdp_job job = paper_job();
    memset(type, 0, sizeof type);
    type[0].count = 2;
    type[1].count = 3;
    type[0].forward_s = type[1].backward_s = 0.02;
    job.workers.types = 2;
    job.workers.type = type;
    workers[0] = 0;
    workers[1] = 9;
    check_points(&job, SGDP_ASYNC_EXACT, 2);
    check_points(&job, SGDP_SYNC_AVERAGE, 2);
}

int main(int argc, char **argv)
{
    jobs = argc > 1 ? atoi(argv[1]) : TEST_SIZE(60, 1000);
    return test_all("test_curve");
}
