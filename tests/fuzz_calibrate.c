/* fuzz_calibrate.c - any measured points, of jobs of any kind: what is sought is found or
 * refused, and what is found is a number that a job can have */
#define FUZZ_RUNS 300
#include "../sgdperf_fit.h"
#include "fuzz_job.h"
#include "fitted.h"

enum { POINTS = 3, NEXT = 2 };

static struct {
    fuzz_job    of[2];
    sgdp_model  model;
    sgdp_input  unknown[SGDFIT_UNKNOWNS];
    size_t      unknowns, points, candidates, next;
    sgdp_measurement point[POINTS], candidate[POINTS];
    uint32_t    workers;
    double      level;
    sgdfit_prior prior[SGDFIT_UNKNOWNS];
    double      value[SGDFIT_UNKNOWNS];
} in;

static struct {
    sgdfit_calibration found;
    sgdfit_calibration pooled;
    size_t      chosen[NEXT];
    double      spread[NEXT], step_s, told[SGDFIT_UNKNOWNS];
    sgdp_job    job;
} out;

static void read_point(fuzz_bytes *b, sgdp_measurement *p)
{
    p->job = &in.of[fuzz_byte(b) % 2].job;
    p->workers = 1 + fuzz_byte(b) % 4;
    p->batches_per_s = fuzz_number(b) + 0.0625;
}

/* Mostly one unknown, which takes the least time to find. */
static void read_all(fuzz_bytes *b)
{
    const unsigned code = fuzz_byte(b);
    in.model = fuzz_model(b);
    in.unknowns = code % 8 < 6 ? 1 : code % 8 == 6 ? 2 : code / 8 % 6;
    in.points = fuzz_byte(b) % 16 < 14 ? 1 + code / 16 % POINTS : 0;
    in.candidates = code / 64;
    in.next = fuzz_byte(b) % (NEXT + 1);
    in.workers = fuzz_count(b, 4);
    in.level = fuzz_byte(b) < 240 ? 0.9 : fuzz_number(b);
    for (size_t i = 0; i < SGDFIT_UNKNOWNS; i++)
        in.unknown[i] = (sgdp_input)(fuzz_byte(b) % (SGDP_INPUT_COUNT + 1));
    if (in.unknowns > SGDFIT_UNKNOWNS) in.unknowns = SGDFIT_UNKNOWNS + 1;
    fuzz_read_job(b, &in.of[0]);
    if (code % 4) in.of[1] = in.of[0];
    else fuzz_read_job(b, &in.of[1]);
    for (size_t i = 0; i < POINTS; i++) read_point(b, &in.point[i]);
    for (size_t i = 0; i < POINTS; i++) read_point(b, &in.candidate[i]);
    for (size_t i = 0; i < SGDFIT_UNKNOWNS; i++) {
        in.prior[i].normal = fuzz_byte(b) % 2;
        in.prior[i].spread = fuzz_number(b);
        in.prior[i].value = fuzz_number(b);
        in.value[i] = fuzz_number(b);
    }
}

/* Thousands of predictions: only of jobs that take few operations. */
static int is_quick(void)
{
    for (int j = 0; j < 2; j++) {
        const sgdp_job *job = &in.of[j].job;
        if (job->compute.vary.cv > 0.0 || job->links.delay_s > 0.0) return 0;
        if (job->workers.types > 0) return 0;
        if (job->overlap.rule == SGDP_OVERLAP_FIXED_POINT) return 0;
        if (!fuzz_is_quick(job, in.model, 4, 2e3)) return 0;
    }
    return in.model != SGDP_SYNC_STAGGERED && (in.unknowns <= 2 || in.points < 3);
}

static unsigned calibrate_need(size_t *need)
{
    if (!is_quick()) return FUZZ_TOO_COSTLY;
    return fit_bytes(runs_of(in.model, in.unknown, in.unknowns, in.point, in.points),
                     fit_level(0.0), need);
}

static unsigned calibrate(void *work, size_t bytes)
{
    return fit_runs(runs_of(in.model, in.unknown, in.unknowns, in.point, in.points), fit_level(0.0),
                    work, bytes, &out.found);
}

/* Each number is one that the job takes, and the error that of its predictions. */
static void check_found(void)
{
    require(out.found.mean_error >= 0.0 && out.found.evaluations > 0);
    require(out.found.mean_error <= out.found.max_error * (1.0 + 1e-12));
    for (size_t i = 0; i < in.unknowns; i++) {
        sgdp_job job = in.of[0].job;
        require(fuzz_is_size(out.found.value[i]));
        require(sgdp_set_input(&job, in.unknown[i], out.found.value[i]) == SGDP_OK);
    }
}

/* Parts from the last to the first, each with a work of its own. */
static void deal_backwards(void *ctx, sgdfit_part part, const void *search, size_t count,
                           void *results, size_t result_bytes)
{
    const size_t bytes = *(const size_t *)ctx;
    while (count-- > 0) {
        void *own = fuzz_area(bytes, 0);
        part(search, count, own, (char *)results + count * result_bytes);
        free(own);
    }
}

static unsigned calibrate_dealt(void *work, size_t bytes)
{
    return fit_runs(runs_of(in.model, in.unknown, in.unknowns, in.point, in.points),
                    fit_dealt(0.0, deal_backwards, &bytes), work, bytes, &out.found);
}

/* The same as in order. */
static void check_dealt(void)
{
    size_t need = 0;
    sgdfit_calibration plain = {0};
    require(calibrate_need(&need) == SGDP_OK);
    void *work = fuzz_area(need, 0);
    require(fit_runs(runs_of(in.model, in.unknown, in.unknowns, in.point, in.points),
                     fit_level(0.0), work, need, &plain) == SGDP_OK);
    free(work);
    require(memcmp(&plain, &out.found, sizeof plain) == 0);
}

static unsigned pooled_need(size_t *need)
{
    if (!is_quick() || in.unknowns > 1) return FUZZ_TOO_COSTLY;
    return fit_bytes(runs_of(in.model, in.unknown, in.unknowns, in.point, in.points),
                     fit_level(0.9), need);
}

static unsigned pooled(void *work, size_t bytes)
{
    return fit_runs(runs_of(in.model, in.unknown, in.unknowns, in.point, in.points),
                    fit_level(in.level), work, bytes, &out.pooled);
}

static unsigned pooled_dealt(void *work, size_t bytes)
{
    return fit_runs(runs_of(in.model, in.unknown, in.unknowns, in.point, in.points),
                    fit_dealt(in.level, deal_backwards, &bytes), work, bytes, &out.pooled);
}

static void check_pooled(void)
{
    const sgdfit_calibration *p = &out.pooled;
    size_t kept = 0;
    for (size_t i = 0; i < in.unknowns; i++) {
        kept += p->kept[i] != 0;
        if (!(in.level > 0.0)) continue;       /* values alone, without intervals */
        require(fuzz_is_size(p->value[i]) && p->low[i] >= 0.0 && p->high[i] >= p->low[i]);
        require(!p->kept[i] || (p->low[i] <= p->value[i] && p->value[i] <= p->high[i]));
    }
    require(p->fitted == kept && kept >= 1 && p->deviation >= 0.0 && p->mean_error >= 0.0);
}

static fit_how beside(void) { return fit_beside(in.level, in.prior); }

static unsigned beside_need(size_t *need)
{
    if (!is_quick() || in.unknowns > 1) return FUZZ_TOO_COSTLY;
    return fit_bytes(runs_of(in.model, in.unknown, in.unknowns, in.point, in.points), beside(),
                     need);
}

static unsigned pooled_beside(void *work, size_t bytes)
{
    return fit_runs(runs_of(in.model, in.unknown, in.unknowns, in.point, in.points), beside(),
                    work, bytes, &out.pooled);
}

static unsigned told(void *work, size_t bytes)
{
    return fit_told(runs_of(in.model, in.unknown, in.unknowns, in.point, in.points), beside(),
                    in.value, work, bytes, out.told);
}

static void check_told(void)
{
    for (size_t i = 0; i < in.unknowns; i++) require(out.told[i] >= 0.0 && out.told[i] <= 1.0);
}

static unsigned runs(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    if (!is_quick()) return FUZZ_TOO_COSTLY;
    return (unsigned)fit_suggest(runs_of(in.model, in.unknown, in.unknowns, in.point, in.points),
                                 in.candidate, in.candidates, in.next, out.chosen, out.spread);
}

static void check_runs(void)
{
    size_t i;
    for (i = 0; i < in.next; i++) require(out.chosen[i] < in.candidates && out.spread[i] >= 0.0);
}

/* As the jobs are. */
static unsigned rates_need(size_t *need)
{
    sgdp_runs runs = runs_of(in.model, in.unknown, in.unknowns, in.point, in.points);
    const sgdp_status status = is_quick() ? sgdp_runs_open(&runs, NULL) : SGDP_OK;
    if (!is_quick()) return FUZZ_TOO_COSTLY;
    if (status == SGDP_OK) *need = runs.work_bytes;
    return status;
}

static unsigned rates(void *work, size_t bytes)
{
    sgdp_runs runs = runs_of(in.model, in.unknown, in.unknowns, in.point, in.points);
    double rate[POINTS] = { 0.0 }, e[SGDP_INPUT_COUNT], value[SGDFIT_UNKNOWNS + 1];
    const sgdp_status status = sgdp_runs_open(&runs, NULL);
    size_t i;
    if (status != SGDP_OK) return status;
    if (bytes < runs.work_bytes) return SGDP_SMALL_WORKSPACE;
    if (!work || (uintptr_t)work % sizeof(double) != 0) return SGDP_BAD_ARGUMENT;
    for (i = 0; i <= SGDFIT_UNKNOWNS; i++) value[i] = -1.0;
    int failed = sgdp_runs_predict(&runs, value, 0, in.points, work, rate);
    for (i = 0; i < in.points && rate[i] > 0.0; i++) require(rate[i] <= DBL_MAX);
    require((i == in.points) == (failed == 0));
    if (sgdp_runs_elasticity(&runs, value, 0, work, e) == 0)
        for (i = 0; i < in.unknowns; i++) require(fabs(e[i]) <= DBL_MAX);
    return FUZZ_OK;
}

static unsigned measured_step(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdp_measured_step(&in.of[0].job, in.model, &out.job, &out.step_s);
}

static void check_measured(void)
{
    require(fuzz_is_size(out.job.compute.forward_s) && fuzz_is_size(out.job.compute.backward_s));
    require(!(out.job.compute.one_worker_step_s > 0.0));
}

static void check_step(void)
{
    require(out.step_s > 0.0 && out.step_s <= DBL_MAX);
    check_measured();
}

static unsigned alone(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    if (!is_quick()) return FUZZ_TOO_COSTLY;
    return find_alone(&in.of[0].job, in.model, in.workers, &out.job);
}

/* The model takes the measured step. */
static void check_on(void)
{
    sgdp_job job;
    double step_s = -1.0;
    size_t need = 0;
    sgdp_prediction p = {0};
    check_measured();
    require(sgdp_measured_step(&in.of[0].job, in.model, &job, &step_s) == SGDP_OK);
    require(sgdp_predict_bytes(&out.job, in.model, in.workers, &need) == SGDP_OK);
    void *work = fuzz_area(need, 0);
    require(sgdp_predict(&out.job, in.model, in.workers, work, need, &p) == SGDP_OK);
    free(work);
    require(fabs(p.step_s - step_s) <= 2e-6 * step_s);
}

enum { ITERATE = 1 << SGDP_NOT_CONVERGED };

static fuzz_call calls[] = {
    {"calibrate", calibrate_need, calibrate, check_found, ITERATE, 0},
    {"calibrate_pooled", pooled_need, pooled, check_pooled, ITERATE, 0},
    {"calibrate_dealt", calibrate_need, calibrate_dealt, check_dealt, ITERATE, 0},
    {"calibrate_pooled_dealt", pooled_need, pooled_dealt, check_pooled, ITERATE, 0},
    {"calibrate_beside_priors", beside_need, pooled_beside, check_pooled, ITERATE, 0},
    {"told", beside_need, told, check_told, 0, 0},
    {"suggest_runs", NULL, runs, check_runs, 0, 0},
    {"rates", rates_need, rates, NULL, 0, 0},
    {"measured_step", NULL, measured_step, check_step, 0, 0},
    {"alone", NULL, alone, check_on, ITERATE, 0},
};
static const fuzz_chapter chapter = FUZZ_CHAPTER(calls, read_all, NULL, in, out);
FUZZ_CALLS("fuzz_calibrate", chapter);
