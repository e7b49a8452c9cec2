/* bench_sgd.c - predictions, fits and calibration: what a scheduler or a planner calls
 * in its inner loop */
#include "bench.h"

#define SGDPERF_IMPLEMENTATION
#include "../sgdperf.h"
#define SGDPERF_FIT_IMPLEMENTATION
#include "../sgdperf_fit.h"
#include "../tools/files/job_fit.h"

enum { POINTS = 100 };

static sgdfit_point curve[POINTS];
static sgdp_job job;
static sgdp_measurement measured[POINTS];
static double work[1 << 16];
static volatile double sink;

static void check(const char *what, sgdp_status status)
{
    if (status == SGDP_OK) return;
    fprintf(stderr, "bench_sgd: %s: %s\n", what, sgdp_status_text(status));
    exit(EXIT_FAILURE);
}

/* ---- One prediction -------------------------------------------------------- */

typedef struct prediction { sgdp_model model; uint32_t workers; } prediction;

static void run_prediction(void *ctx)
{
    const prediction *p = (const prediction *)ctx;
    sgdp_prediction out;
    memset(&out, 0, sizeof out);
    check("predict", sgdp_predict(&job, p->model, p->workers, work, sizeof work, &out));
    sink = out.batches_per_s;
}

static void bench_predictions(void)
{
    static const sgdp_model model[] = { SGDP_ASYNC_EXACT, SGDP_ASYNC_HYBRID,
                                        SGDP_ASYNC_SWITCH, SGDP_ASYNC_INTERLEAVED,
                                        SGDP_SYNC_AVERAGE, SGDP_SYNC_STAGGERED,
                                        SGDP_ALLREDUCE_RING };
    size_t i;
    for (i = 0; i < sizeof model / sizeof model[0]; i++) {
        prediction p;
        char what[64];
        p.model = model[i];
        p.workers = 16;
        snprintf(what, sizeof what, "predict, %s", sgdp_model_text(p.model));
        bench_print(what, "K=16", bench_measure(run_prediction, &p), 0.0, 16.0, "worker", 0);
    }
}

/* ---- A curve with intervals ------------------------------------------------- */

enum { CURVE = 64 };

/* Each point, and how far its profile may take it off, beside the band of its class. */
static void run_curve(void *ctx)
{
    sgdp_uncertainty unsure;
    const sgdp_profile profile = {&job, &unsure};
    uint32_t w;
    memset(&unsure, 0, sizeof unsure);
    unsure.forward_s = unsure.backward_s = unsure.update_s = 0.001;
    unsure.part = sgdfit_student(0.9, 9) / sgdfit_student(0.95, 9);
    for (w = 1; w <= CURVE; w++) {
        const sgdp_model model = *(const sgdp_model *)ctx;
        sgdp_prediction out;
        double half_width = 0.0;
        memset(&out, 0, sizeof out);
        check("predict", sgdp_predict(&job, model, w, work, sizeof work, &out));
        check("spread", sgdp_profile_spread(&profile, model, w, work, sizeof work, &half_width));
        sink = out.batches_per_s * (1.0 + half_width);
    }
}

static void bench_curves(void)
{
    sgdp_model model[] = { SGDP_SYNC_STAGGERED, SGDP_ASYNC_RHYTHM, SGDP_ALLREDUCE_RING };
    size_t i;
    job.compute.vary.cv = 0.02;        /* as predict takes it                             */
    for (i = 0; i < sizeof model / sizeof model[0]; i++) {
        char what[64];
        snprintf(what, sizeof what, "with intervals, %s", sgdp_model_text(model[i]));
        bench_print(what, "K=1..64", bench_measure(run_curve, &model[i]), 0.0, CURVE, "point", 0);
    }
    job.compute.vary.cv = 0.0;
}

/* ---- A long curve ------------------------------------------------------------ */

enum { LONG_CURVE = 100000, PLAIN_CURVE = 1000 };

static sgdp_prediction points[LONG_CURVE];
static uint32_t counts[LONG_CURVE];

static void run_long_curve(void *ctx)
{
    const prediction *p = (const prediction *)ctx;
    const sgdp_curve asked = {counts, p->workers, points, NULL};
    check("curve", sgdp_predict_curve(&job, p->model, &asked, work, sizeof work));
    sink = points[p->workers - 1].batches_per_s;
}

/* The same, each point by itself. */
static void run_points(void *ctx)
{
    const prediction *p = (const prediction *)ctx;
    uint32_t i;
    for (i = 0; i < p->workers; i++)
        check("predict", sgdp_predict(&job, p->model, counts[i], work, sizeof work,
                                      &points[i]));
    sink = points[p->workers - 1].batches_per_s;
}

static void bench_long_curves(void)
{
    static const sgdp_model model[] = { SGDP_ASYNC_RHYTHM, SGDP_ASYNC_EXACT, SGDP_ASYNC_FCFS,
                                        SGDP_ASYNC_SWITCH, SGDP_SYNC_AVERAGE,
                                        SGDP_ALLREDUCE_RING };
    size_t i;
    for (i = 0; i < LONG_CURVE; i++) counts[i] = (uint32_t)i + 1;
    for (i = 0; i < sizeof model / sizeof model[0]; i++) {
        prediction p;
        char what[64];
        double plain_s;
        p.model = model[i];
        p.workers = PLAIN_CURVE;
        plain_s = bench_measure(run_points, &p).median_s;
        snprintf(what, sizeof what, "curve, %s", sgdp_model_text(p.model));
        bench_print(what, "K=1..1000", bench_measure(run_long_curve, &p), plain_s, PLAIN_CURVE,
                    "point", 0);
        p.workers = LONG_CURVE;
        bench_print(what, "K=1..100000", bench_measure(run_long_curve, &p), 0.0, LONG_CURVE,
                    "point", 0);
    }
}

/* ---- Fits and calibration -------------------------------------------------- */

static void run_fit(void *ctx)
{
    sgdfit_curve fit;
    check("fit", (sgdp_status)sgdfit_fit(*(const sgdfit_blackbox *)ctx, curve, POINTS, work,
                                         sizeof work, &fit));
    sink = fit.parameter[0];
}

static void run_calibration(void *ctx)
{
    const prediction *p = (const prediction *)ctx;
    const sgdp_input unknown = p->workers ? SGDP_INPUT_BANDWIDTH : SGDP_INPUT_THRESHOLD;
    double rates[POINTS];
    sgdfit_calibration out;
    job_fit of;
    memset(&of, 0, sizeof of);
    of.runs.model = p->model;
    of.runs.run = measured;
    of.runs.n = POINTS;
    of.runs.unknown = &unknown;
    of.runs.unknowns = 1;
    check("open", job_fit_open(&of, rates));
    check("calibrate", (sgdp_status)sgdfit_calibrate(&of.problem, work, sizeof work, &out));
    sink = out.value[0];
}

/* Throughputs of 1 to 100 workers by one model, with an error of some percent. */
static void make_points(sgdp_model model)
{
    size_t i;
    for (i = 0; i < POINTS; i++) {
        sgdp_prediction out;
        memset(&out, 0, sizeof out);
        check("predict", sgdp_predict(&job, model, (uint32_t)i + 1, work, sizeof work, &out));
        curve[i].workers = (double)(i + 1);
        curve[i].servers = (double)(i % 4 + 1);
        curve[i].batches_per_s = out.batches_per_s * (1.0 + 0.01 * (double)(i % 7) - 0.03);
        measured[i].job = &job;
        measured[i].workers = (uint32_t)i + 1;
        measured[i].batches_per_s = curve[i].batches_per_s;
    }
}

static void bench_fits(void)
{
    static const sgdp_model model[] = { SGDP_ALLREDUCE_RING, SGDP_SYNC_AVERAGE,
                                        SGDP_ASYNC_EXACT, SGDP_ASYNC_SWITCH };
    size_t i;
    make_points(SGDP_ALLREDUCE_RING);
    for (i = 0; i < SGDFIT_BLACKBOX_COUNT; i++) {
        sgdfit_blackbox box = (sgdfit_blackbox)i;
        char what[64];
        snprintf(what, sizeof what, "fit, %s", sgdfit_blackbox_text(box));
        bench_print(what, "100 points", bench_measure(run_fit, &box), 0.0, POINTS, "point", 0);
    }
    for (i = 0; i < sizeof model / sizeof model[0]; i++) {
        prediction p;
        char what[64];
        make_points(model[i]);
        p.model = model[i];
        p.workers = 1;
        snprintf(what, sizeof what, "calibrate bandwidth, %s", sgdp_model_text(p.model));
        bench_print(what, "100 points", bench_measure(run_calibration, &p), 0.0, POINTS,
                    "point", 0);
    }
}

int main(int argc, char **argv)
{
    job.compute.forward_s = 0.010;
    job.compute.backward_s = 0.019;
    job.compute.update_s = 0.018;
    job.model_bytes = 9e6;
    job.links.bandwidth_bytes_per_s = 125e6;
    bench_start(argc, argv, "bench_sgd");
    bench_predictions();
    bench_curves();
    bench_long_curves();
    bench_fits();
    return bench_end();
}
