/* job_fit.h - a job's unknown inputs as a problem of sgdperf_fit.h; inline, for tests and benches
 * too */
#ifndef TOOLS_FILES_JOB_FIT_H
#define TOOLS_FILES_JOB_FIT_H

#include "sgdperf.h"
#include "sgdperf_fit.h"

#include <string.h>

/* Stays where it is while the problem is solved, which refers to it. */
typedef struct job_fit {
    sgdp_runs      runs;               /* by the caller, but for its work_bytes     */
    sgdfit_unknown unknown[SGDFIT_UNKNOWNS];
    sgdfit_prior   prior[SGDFIT_UNKNOWNS]; /* by the caller, in the order of runs;  */
                                       /*   spread 0: none                          */
    sgdfit_problem problem;            /* level and deal by the caller              */
} job_fit;

/* What is known of an input before it is fitted: a declared bandwidth is right to a factor of
 * 1.65, h and growth are as the kinds of links and software say, or else as model cluster has
 * them. No prior: spread 0. */
static inline sgdfit_prior job_fit_prior(const sgdp_job *job, sgdp_input input)
{
    const double spread = 0.5;         /* FINDINGS.md, "Calibrated beside what is declared" */
    sgdfit_prior prior;
    memset(&prior, 0, sizeof prior);
    prior.normal = input == SGDP_INPUT_EXPOSURE || input == SGDP_INPUT_GROWTH
                || input == SGDP_INPUT_GROWTH_BETWEEN;
    if (input == SGDP_INPUT_BANDWIDTH) prior.value = job->links.bandwidth_bytes_per_s;
    if (input == SGDP_INPUT_LOCAL_BANDWIDTH)
        prior.value = job->machine.local_bandwidth_bytes_per_s;
    if (input == SGDP_INPUT_EXPOSURE)
        prior.value = job->overlap.exposure > 0.0 ? job->overlap.exposure : 1.25;
    if (input == SGDP_INPUT_GROWTH)
        prior.value = job->machine.growth > 0.0 ? job->machine.growth : 0.025;
    if (input == SGDP_INPUT_GROWTH_BETWEEN)
        prior.value = job->machine.growth_between > 0.0 ? job->machine.growth_between : 0.01;
    if (!(prior.value > 0.0)) return prior;
    prior.spread = !prior.normal ? spread : input == SGDP_INPUT_EXPOSURE ? 2.0 : 0.02;
    return prior;
}

static inline sgdfit_kind job_fit_kind(sgdp_model model, sgdp_input input)
{
    switch (input) {
    case SGDP_INPUT_BANDWIDTH:
    case SGDP_INPUT_FLOW_CAP:
    case SGDP_INPUT_LOCAL_BANDWIDTH: return SGDFIT_RATE;
    case SGDP_INPUT_OVERLAP:         return SGDFIT_EXPONENT;
    case SGDP_INPUT_THRESHOLD:
        return model == SGDP_ASYNC_SWITCH ? SGDFIT_STEPS : SGDFIT_SHARE;
    case SGDP_INPUT_FORWARD:
    case SGDP_INPUT_BACKWARD:
    case SGDP_INPUT_UPDATE:
    case SGDP_INPUT_TRANSFER:
    case SGDP_INPUT_LATENCY:
    case SGDP_INPUT_MESSAGE:
    case SGDP_INPUT_EXPOSURE:
    case SGDP_INPUT_GROWTH:
    case SGDP_INPUT_GROWTH_BETWEEN:
    case SGDP_INPUT_COUNT:
    default:                         return SGDFIT_TIME;
    }
}

/* The problem of f->runs; measured[n] is its room for their rates. */
static inline sgdp_status job_fit_open(job_fit *f, double *measured)
{
    sgdp_range range[SGDP_INPUT_COUNT];
    sgdfit_problem *of = &f->problem;
    sgdp_status status;
    size_t i;
    if (f->runs.unknowns > SGDFIT_UNKNOWNS) return SGDP_BAD_ARGUMENT;
    status = sgdp_runs_open(&f->runs, range);
    if (status != SGDP_OK) return status;
    for (i = 0; i < f->runs.unknowns; i++) {
        f->unknown[i].kind = job_fit_kind(f->runs.model, f->runs.unknown[i]);
        f->unknown[i].least = range[i].least;
        f->unknown[i].low = range[i].low;
        f->unknown[i].high = range[i].high;
    }
    for (i = 0; i < f->runs.n; i++) measured[i] = f->runs.run[i].batches_per_s;
    of->model.predict = sgdp_runs_predict;
    of->model.elasticity = sgdp_runs_elasticity;
    of->model.ctx = &f->runs;
    of->model.work_bytes = f->runs.work_bytes;
    of->unknown = f->unknown;
    of->unknowns = f->runs.unknowns;
    of->prior = f->prior;
    of->measured = measured;
    of->n = f->runs.n;
    return SGDP_OK;
}

/* Elasticities of all runs, to e[n][unknowns], for a design; the runs are open. */
static inline int job_fit_rows(const sgdp_runs *runs, void *work, double *e)
{
    size_t i;
    int status = 0;
    for (i = 0; i < runs->n && status == 0; i++)
        status = sgdp_runs_elasticity(runs, NULL, i, work, e + i * runs->unknowns);
    return status;
}

/* The profile of one worker from one that was taken while several ran: its bandwidth
 * (model_bytes given) or its transfer times, in proportion, are those with which the model takes
 * the measured step with so many workers, on the cluster that the job describes, to 1e-6. */
typedef struct job_alone {
    sgdp_job         job;              /* of sgdp_measured_step, then what is found */
    sgdp_measurement run;
    sgdp_input       unknown;
    double           rate;
    job_fit          fit;
} job_alone;

/* *bytes: of work for job_alone_find. */
static inline sgdp_status job_alone_open(job_alone *a, const sgdp_job *job, sgdp_model model,
                                         uint32_t workers, size_t *bytes)
{
    double step_s;
    sgdp_status status = sgdp_measured_step(job, model, &a->job, &step_s);
    if (status != SGDP_OK) return status;
    if (workers <= job->workers.backup) return SGDP_BAD_ARGUMENT;
    memset(&a->fit, 0, sizeof a->fit);
    a->unknown = a->job.model_bytes > 0.0 ? SGDP_INPUT_BANDWIDTH : SGDP_INPUT_TRANSFER;
    a->run.job = &a->job;
    a->run.workers = workers;
    a->run.batches_per_s = (workers - job->workers.backup) / step_s;
    a->fit.runs.model = model;
    a->fit.runs.run = &a->run;
    a->fit.runs.unknown = &a->unknown;
    a->fit.runs.n = a->fit.runs.unknowns = 1;
    status = job_fit_open(&a->fit, &a->rate);
    if (status != SGDP_OK) return status;
    return (sgdp_status)sgdfit_calibrate_bytes(&a->fit.problem, bytes);
}

/* SGDP_NOT_CONVERGED: it takes longer without any transfer, or jumps past that step (SWITCH);
 * a->job is the closest. SGDP_BAD_ARGUMENT also where no transfer counts, as in an all-reduce of
 * one machine. */
static inline sgdp_status job_alone_find(job_alone *a, void *work, size_t work_bytes)
{
    sgdfit_calibration found;
    const sgdfit_status status = sgdfit_calibrate(&a->fit.problem, work, work_bytes, &found);
    if (status != SGDFIT_OK) return (sgdp_status)status;
    if (sgdp_set_input(&a->job, a->unknown, found.value[0]) != SGDP_OK) return SGDP_BAD_ARGUMENT;
    return found.max_error > 1e-5 ? SGDP_NOT_CONVERGED : SGDP_OK;
}

#endif /* TOOLS_FILES_JOB_FIT_H */
