/* job.h - a job and its predictions, for the tests of sgdp_predict */
#ifndef TESTS_JOB_H
#define TESTS_JOB_H

#include "exchange.h"
#include "test.h"

/* Enough for every network of these tests. */
static double work[1 << 18];

/* [LPCG18 III]: 29 ms of compute, 18 ms of update, 72 ms per transfer. */
static inline sgdp_job paper_job(void)
{
    return (sgdp_job){.compute.forward_s = 0.010, .compute.backward_s = 0.019,
                      .compute.update_s = 0.018, .model_bytes = 9e6,
                      .links.bandwidth_bytes_per_s = 125e6, .collective.exchange = exchange_of};
}

static inline sgdp_prediction predict(const sgdp_job *job, sgdp_model model, uint32_t workers)
{
    sgdp_prediction p = {0};
    CHECK_STATUS(sgdp_predict(job, model, workers, work, sizeof work, &p), SGDP_OK);
    return p;
}

static inline double rate(const sgdp_job *job, sgdp_model model, uint32_t workers)
{
    return predict(job, model, workers).batches_per_s;
}

static inline double step(const sgdp_job *job, sgdp_model model, uint32_t workers)
{
    return predict(job, model, workers).step_s;
}

#endif /* TESTS_JOB_H */
