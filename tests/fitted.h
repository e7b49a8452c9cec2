/* fitted.h - jobs calibrated by sgdfit_calibrate, through the functions of the program */
#ifndef TESTS_FITTED_H
#define TESTS_FITTED_H

#include "../tools/files/job_fit.h"

#include <stdlib.h>

static inline sgdp_runs runs_of(sgdp_model model, const sgdp_input *unknown, size_t unknowns,
                                const sgdp_measurement *run, size_t n)
{
    sgdp_runs runs = {.model = model, .run = run, .n = n, .unknown = unknown, .unknowns = unknowns};
    return runs;
}

/* With intervals of a level, or 0; parts dealt by `deal`, or NULL; beside priors, or NULL. */
typedef struct fit_how {
    double level;
    sgdfit_deal deal;
    void *ctx;
    const sgdfit_prior *prior; /* [SGDFIT_UNKNOWNS]                                 */
} fit_how;

static inline fit_how fit_level(double level)
{
    return (fit_how){.level = level, .deal = NULL, .ctx = NULL, .prior = NULL};
}

static inline fit_how fit_dealt(double level, sgdfit_deal deal, void *ctx)
{
    return (fit_how){.level = level, .deal = deal, .ctx = ctx, .prior = NULL};
}

static inline fit_how fit_beside(double level, const sgdfit_prior *prior)
{
    fit_how how = fit_level(level);
    how.prior = prior;
    return how;
}

/* Room for the rates is as large as they need, for the sanitizer to see. */
static inline sgdp_status fit_open(job_fit *f, sgdp_runs runs, fit_how how, double **measured)
{
    memset(f, 0, sizeof *f);
    *measured = (double *)malloc(runs.n > 0 ? runs.n * sizeof **measured : 1);
    if (!*measured) exit(EXIT_FAILURE);
    f->runs = runs;
    f->problem.level = how.level;
    f->problem.deal = how.deal;
    f->problem.deal_ctx = how.ctx;
    if (how.prior) memcpy(f->prior, how.prior, sizeof f->prior);
    sgdp_status status = job_fit_open(f, *measured);
    if (status != SGDP_OK) free(*measured);
    return status;
}

static inline sgdp_status fit_bytes(sgdp_runs runs, fit_how how, size_t *bytes)
{
    double *measured;
    job_fit f;
    sgdp_status status = fit_open(&f, runs, how, &measured);
    if (status != SGDP_OK) return status;
    status = (sgdp_status)sgdfit_calibrate_bytes(&f.problem, bytes);
    free(measured);
    return status;
}

static inline sgdp_status fit_runs(sgdp_runs runs, fit_how how, void *work, size_t bytes,
                                   sgdfit_calibration *out)
{
    double *measured;
    job_fit f;
    sgdp_status status = fit_open(&f, runs, how, &measured);
    if (status != SGDP_OK) return status;
    status = (sgdp_status)sgdfit_calibrate(&f.problem, work, bytes, out);
    free(measured);
    return status;
}

/* How much of each value the runs decide. */
static inline sgdp_status fit_told(sgdp_runs runs, fit_how how, const double *value, void *work,
                                   size_t bytes, double *told)
{
    double *measured;
    job_fit f;
    sgdp_status status = fit_open(&f, runs, how, &measured);
    if (status != SGDP_OK) return status;
    status = (sgdp_status)sgdfit_told(&f.problem, value, work, bytes, told);
    free(measured);
    return status;
}

/* Which of m candidates tell most beside runs had: what the program asks. */
static inline int fit_suggest(sgdp_runs runs, const sgdp_measurement *candidate, size_t m,
                              size_t count, size_t *chosen, double *spread)
{
    const size_t n = runs.n;
    sgdp_measurement *all = (sgdp_measurement *)malloc((n + m + 1) * sizeof *all);
    double *e = (double *)malloc((n + m + 1) * (runs.unknowns + 1) * sizeof *e);
    if (!all || !e) exit(EXIT_FAILURE);
    if (n > 0) memcpy(all, runs.run, n * sizeof *all);
    if (m > 0) memcpy(all + n, candidate, m * sizeof *all);
    runs.run = all;
    runs.n = n + m;
    int status = (int)sgdp_runs_open(&runs, NULL);
    sgdfit_design design = {.unknowns = runs.unknowns, .measured = e, .n = n,
                            .candidate = e + n * runs.unknowns, .m = m};
    if (status == 0) {
        void *own = malloc(runs.work_bytes);
        if (!own) exit(EXIT_FAILURE);
        status = job_fit_rows(&runs, own, e);
        if (status == 0) status = (int)sgdfit_suggest_runs(&design, count, chosen, spread);
        free(own);
    }
    free(all);
    free(e);
    return status;
}

/* The job of one worker alone, see job_fit.h; *out is set unless the status is a refusal. */
static inline sgdp_status find_alone(const sgdp_job *job, sgdp_model model, uint32_t workers,
                                     sgdp_job *out)
{
    size_t bytes = 0;
    job_alone of;
    sgdp_status status = job_alone_open(&of, job, model, workers, &bytes);
    if (status != SGDP_OK) return status;
    void *own = malloc(bytes);
    if (!own) exit(EXIT_FAILURE);
    status = job_alone_find(&of, own, bytes);
    free(own);
    if (status == SGDP_OK || status == SGDP_NOT_CONVERGED) *out = of.job;
    return status;
}

#endif /* TESTS_FITTED_H */
