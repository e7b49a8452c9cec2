/* test_random_jobs.c - random jobs, curves and logs, of times from 1e-308 s to 1e308 s: every
 * function of sgdperf.h but the networks' own (fuzz_network) answers in exactly the bytes
 * that it asks for; what it answers are numbers, and the parts of a step add up to it.
 *
 *     test_random_jobs [runs [first]]      800 runs, 20000 in full; from run first */
#include "../sgdperf.h"
#include "../sgdperf_fit.h"
#include "exchange.h"
#include "fitted.h"
#include "test.h"

#include <float.h>
#include <math.h>

typedef struct dice {
    uint64_t state;
    double   range;                    /* times are 10^-range to 10^range               */
} dice;

static double unit(dice *d)            /* splitmix64                                    */
{
    return (double)(test_mix(d->state += UINT64_C(0x9E3779B97F4A7C15)) >> 11) / 9007199254740992.0;
}

static size_t below(dice *d, size_t n) { return (size_t)(unit(d) * (double)n); }
static int chance(dice *d, double p) { return unit(d) < p; }

static double number(dice *d)
{
    if (chance(d, 0.1)) return 0.0;
    if (chance(d, 0.1)) return 1.0;
    return pow(10.0, (2.0 * unit(d) - 1.0) * (chance(d, 0.2) ? 2.0 : d->range));
}

static int is_number(double x) { return x >= -DBL_MAX && x <= DBL_MAX; }

static int are_numbers(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_number(x[i])) return 0;
    return 1;
}

static int answers(unsigned status)
{
    return status == SGDP_OK || status == SGDP_NOT_CONVERGED;
}

/* Exactly so many bytes, so that a sanitizer sees what is beyond them. */
static void *get(size_t bytes)
{
    void *work = malloc(bytes > 0 ? bytes : 1);
    if (!work) abort();
    return work;
}

/* ---- Jobs ------------------------------------------------------------------ */

typedef struct random_job {
    sgdp_job         job;
    sgdp_worker_type type[4];
    double           share[4];
} random_job;

static void draw_cluster(dice *d, random_job *r)
{
    sgdp_job *job = &r->job;
    double sum = 0.0;
    job->overlap.rule = (sgdp_overlap_rule)below(d, 3);
    job->collective.exchange = exchange_of;
    job->servers.separate_updates = chance(d, 0.2);
    if (chance(d, 0.3)) job->links.latency_s = number(d);
    if (chance(d, 0.3)) job->links.flow_cap_bytes_per_s = number(d);
    if (chance(d, 0.3)) job->links.worker_bandwidth_bytes_per_s = number(d);
    if (chance(d, 0.3)) job->links.delay_s = number(d);
    if (chance(d, 0.2)) job->links.port_buffer_bytes = number(d);
    if (chance(d, 0.3)) job->compute.vary.cv = chance(d, 0.8) ? unit(d) : number(d);
    job->compute.vary.shape = (sgdp_shape)below(d, SGDP_SHAPE_COUNT);
    job->switch_anew = chance(d, 0.2);
    if (chance(d, 0.3)) {
        job->machine.gpus = (uint32_t)below(d, 5);
        job->machine.local_bandwidth_bytes_per_s = number(d);
    }
    if (chance(d, 0.7)) return;
    job->servers.count = 1 + (uint32_t)below(d, 4);
    if (chance(d, 0.5)) return;
    for (size_t i = 0; i < job->servers.count; i++) sum += r->share[i] = unit(d) + 1e-3;
    for (size_t i = 0; i < job->servers.count; i++) r->share[i] /= sum;
    job->servers.shares = r->share;
}

/* Of an all-reduce; an exposure goes with no other overlap. */
static void draw_growth(dice *d, sgdp_job *job)
{
    if (chance(d, 0.3)) job->machine.growth = chance(d, 0.7) ? unit(d) : number(d);
    if (chance(d, 0.3)) job->machine.growth_between = chance(d, 0.7) ? unit(d) : number(d);
    if (chance(d, 0.2)) job->collective.jobs = (uint32_t)below(d, 5);
    if (chance(d, 0.2)) job->servers.message_s = number(d);
    if (chance(d, 0.2)) job->machine.input_examples_per_s = number(d);
    job->collective.alltoall = alltoall_of;
    if (chance(d, 0.2)) job->collective.alltoall_bytes = number(d);
    if (chance(d, 0.7)) return;
    job->overlap.exposure = chance(d, 0.6) ? 2.0 * unit(d) : number(d);
    if (chance(d, 0.2)) job->overlap.exposure *= -1.0;
    if (chance(d, 0.9)) job->overlap.rule = SGDP_OVERLAP_NONE;
}

static void draw_job(dice *d, random_job *r)
{
    sgdp_job *job = &r->job;
    memset(r, 0, sizeof *r);
    job->compute.forward_s = number(d);
    job->compute.backward_s = number(d);
    job->compute.update_s = number(d);
    job->model_bytes = number(d);
    job->links.bandwidth_bytes_per_s = number(d);
    if (chance(d, 0.3)) { job->links.uplink_s = number(d); job->links.downlink_s = number(d); }
    if (chance(d, 0.2)) job->compute.one_worker_step_s = number(d);
    if (chance(d, 0.2)) job->compute.batch = number(d);
    if (chance(d, 0.3)) job->threshold = chance(d, 0.5) ? unit(d) : number(d);
    draw_cluster(d, r);
    draw_growth(d, job);
    if (chance(d, 0.7)) return;
    job->workers.types = 1 + below(d, 4);
    job->workers.type = r->type;
    for (size_t i = 0; i < job->workers.types; i++) {
        r->type[i].count = 1 + (uint32_t)below(d, 4);
        r->type[i].forward_s = chance(d, 0.5) ? job->compute.forward_s : number(d);
        r->type[i].backward_s = number(d);
        r->type[i].delay_s = chance(d, 0.7) ? 0.0 : number(d);
    }
}

static void check_prediction(const sgdp_prediction *p)
{
    double sum = p->time.barrier_s;
    CHECK(are_numbers(p->time.service_s, SGDP_RESOURCE_COUNT));
    CHECK(are_numbers(p->time.waiting_s, SGDP_RESOURCE_COUNT));
    CHECK(are_numbers(p->utilization, SGDP_RESOURCE_COUNT));
    for (size_t r = 0; r < SGDP_RESOURCE_COUNT; r++) {
        CHECK(p->time.service_s[r] >= 0.0 && p->time.waiting_s[r] >= 0.0);
        sum += p->time.service_s[r] + p->time.waiting_s[r];
    }
    CHECK_REL(sum, p->step_s, 1e-9);
    CHECK(is_number(p->batches_per_s) && is_number(p->examples_per_s));
    CHECK(is_number(p->scaling.speedup) && is_number(p->scaling.efficiency));
    CHECK(p->scaling.saturation_workers >= 0.0 && is_number(p->solution.residual));
}

static void predict(dice *d)
{
    random_job r;
    draw_job(d, &r);
    for (size_t m = 0; m < SGDP_MODEL_COUNT; m++) {
        const sgdp_model model = (sgdp_model)m;
        const uint32_t workers = 1 + (uint32_t)below(d, chance(d, 0.1) ? 60 : 9);
        double elasticity[SGDP_INPUT_COUNT], rate[4], share[4];
        size_t bytes = 0;
        sgdp_status status = sgdp_predict_bytes(&r.job, model, workers, &bytes);
        void *work = get(bytes);
        sgdp_prediction p = {.types = {.batches_per_s = rate, .waiting_share = share}};
        if (status == SGDP_OK)
            status = sgdp_predict(&r.job, model, workers, work, bytes, &p);
        CHECK(status != SGDP_SMALL_WORKSPACE);
        if (answers(status)) {
            check_prediction(&p);
            CHECK(are_numbers(rate, r.job.workers.types > 0 ? r.job.workers.types : 1));
            CHECK(are_numbers(share, r.job.workers.types > 0 ? r.job.workers.types : 1));
        }
        if (answers(status) && workers < 9 && chance(d, 0.2)) {
            status = sgdp_elasticity(&r.job, model, workers, work, bytes, elasticity);
            CHECK(status != SGDP_SMALL_WORKSPACE);
            if (answers(status)) CHECK(are_numbers(elasticity, SGDP_INPUT_COUNT));
        }
        free(work);
    }
}

static void calibrate(dice *d)
{
    const size_t n = 1 + below(d, 4), unknowns = n > 1 && chance(d, 0.3) ? 2 : 1;
    const sgdp_model model = (sgdp_model)below(d, SGDP_MODEL_COUNT);
    sgdp_input unknown[2];
    sgdp_measurement point[4];
    sgdfit_calibration out;
    random_job r;
    size_t bytes = 0;
    sgdp_status status;
    draw_job(d, &r);
    if (r.job.overlap.rule == SGDP_OVERLAP_FIXED_POINT) r.job.overlap.rule = SGDP_OVERLAP_NONE;
    for (size_t i = 0; i < 2; i++) unknown[i] = (sgdp_input)below(d, SGDP_INPUT_COUNT);
    for (size_t i = 0; i < n; i++) {
        point[i].job = &r.job;
        point[i].workers = (uint32_t)i + 1;
        point[i].batches_per_s = number(d);
    }
    status = fit_bytes(runs_of(model, unknown, unknowns, point, n), fit_level(0.0), &bytes);
    void *work = get(bytes);
    if (status == SGDP_OK)
        status = fit_runs(runs_of(model, unknown, unknowns, point, n), fit_level(0.0), work, bytes,
                          &out);
    CHECK(status != SGDP_SMALL_WORKSPACE);
    if (answers(status)) {
        CHECK(are_numbers(out.value, unknowns));
        CHECK(is_number(out.mean_error) && is_number(out.max_error));
    }
    free(work);
}

/* ---- Curves, errors and logs ----------------------------------------------- */

static void fit(dice *d)
{
    const size_t n = 1 + below(d, 8), columns = 1 + below(d, 4);
    double a[32], b[8], x[4], residual = 0.0;
    const sgdfit_system of = {.a = a, .b = b, .rows = n, .columns = columns};
    size_t bytes = 0;
    for (size_t i = 0; i < n * columns; i++) a[i] = chance(d, 0.3) ? -number(d) : number(d);
    for (size_t i = 0; i < n; i++) b[i] = number(d);
    CHECK_STATUS(sgdfit_nnls_bytes(&of, &bytes), SGDFIT_OK);
    void *work = get(bytes);
    if (answers(sgdfit_nnls(&of, work, bytes, x, &residual)))
        CHECK(are_numbers(x, columns) && is_number(residual));
    free(work);
}

static void fit_points(dice *d)
{
    const size_t n = 1 + below(d, 12), count = 1 + below(d, 4);
    const sgdfit_blackbox model = (sgdfit_blackbox)below(d, SGDFIT_BLACKBOX_COUNT);
    sgdfit_point point[12];
    sgdfit_point_design of = {.model = model, .measured = point, .n = n / 2,
                              .candidate = point, .m = n};
    size_t bytes = 0, chosen[4], i;
    double spread[4];
    sgdfit_curve curve;
    for (i = 0; i < n; i++) {
        point[i].workers = 1.0 + (chance(d, 0.7) ? (double)below(d, 20) : number(d));
        point[i].servers = chance(d, 0.9) ? (double)below(d, 5) : 1.0 + number(d);
        point[i].batches_per_s = number(d);
    }
    CHECK_STATUS(sgdfit_fit_bytes(model, n, &bytes), SGDFIT_OK);
    void *work = get(bytes);
    int fitted = answers(sgdfit_fit(model, point, n, work, bytes, &curve));
    if (fitted) {
        CHECK(are_numbers(curve.parameter, curve.parameters));
        CHECK(is_number(curve.mean_error) && is_number(curve.max_error));
        CHECK(is_number(sgdfit_curve_at(&curve, 1.0 + number(d), (double)below(d, 9))));
    }
    free(work);
    if (fitted) of.fit = &curve;
    CHECK_STATUS(sgdfit_suggest_points_bytes(&of, &bytes), SGDFIT_OK);
    work = get(bytes);
    if (answers(sgdfit_suggest_points(&of, count, work, bytes, chosen, spread)))
        for (i = 0; i < count; i++) CHECK(chosen[i] < n && is_number(spread[i]));
    free(work);
}

static void measure(dice *d)
{
    const size_t n = 1 + below(d, 8);
    sgdfit_phase_record record[8];
    sgdfit_phase_statistics phase[SGDFIT_PHASE_COUNT];
    sgdfit_error_statistics errors;
    double predicted[8], measured[8], share[4];
    const sgdfit_rows rows = {.predicted = predicted, .measured = measured, .n = n};
    size_t bytes = 0, knee = 1;
    void *work = get(8 * sizeof(void *) + 8 * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        predicted[i] = number(d);
        measured[i] = number(d);
        record[i].step = below(d, 3);
        record[i].phase = (sgdfit_phase)below(d, SGDFIT_PHASE_COUNT);
        record[i].start_s = chance(d, 0.2) ? -number(d) : number(d);
        record[i].end_s = record[i].start_s + number(d);
    }
    CHECK_STATUS(sgdfit_errors_bytes(&rows, &bytes), SGDFIT_OK);
    if (answers(sgdfit_errors(&rows, work, bytes, &errors))) {
        CHECK(is_number(errors.mean) && is_number(errors.bias) && is_number(errors.max));
        CHECK(errors.p5 <= errors.median && errors.median <= errors.p95);
    }
    CHECK_STATUS(sgdfit_profile_phases_bytes(n, &bytes), SGDFIT_OK);
    if (answers(sgdfit_profile_phases(record, n, work, bytes, phase, NULL)))
        for (size_t i = 0; i < SGDFIT_PHASE_COUNT; i++)
            CHECK(is_number(phase[i].mean_s) && is_number(phase[i].ci95_half_width_s));
    if (answers(sgdp_knee(measured, n, number(d), &knee))) CHECK(knee >= 1 && knee <= n);
    if (answers(sgdp_greedy_shares(measured, n, 1 + (uint32_t)below(d, 4), share, NULL)))
        CHECK(share[0] >= 0.0 && share[0] <= 1.0 + 1e-9);
    free(work);
}

int main(int argc, char **argv)
{
    static const double ranges[4] = { 20.0, 300.0, 100.0, 308.0 };
    const unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    const unsigned long runs = argc > 1 ? strtoul(argv[1], NULL, 10)
                                        : (unsigned long)TEST_SIZE(400, 4000);
    unsigned long run;
    for (run = first; run < first + runs && test_failures == 0; run++) {
        dice d = {.state = run, .range = ranges[run % 4]};
        predict(&d);
        if (run % 20 < 4) calibrate(&d);
        fit(&d);
        fit_points(&d);
        measure(&d);
        if (test_failures > 0) fprintf(stderr, "    in test_random_jobs 1 %lu\n", run);
    }
    printf("test_random_jobs: %d passed, %d failed\n", test_failures == 0, test_failures > 0);
    return test_failures > 0;
}
