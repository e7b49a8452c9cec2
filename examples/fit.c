/* fit.c - how fast is the network really, and what will 16 workers reach?
 *
 * The link is sold as 10 Gbit/s. Two runs tell more: 2 workers process 9.7 batches/s and
 * 4 workers 15.6. The model is a ring all-reduce of 100 MB after 0.12 s of computing;
 * sgdfit_calibrate finds the bandwidth that brings it closest to both runs. */
#include <stdio.h>
#define SGDPERF_FIT_IMPLEMENTATION
#include "sgdperf_fit.h"

typedef struct run_list {
    const double *workers;
} run_list;

/* Batches per second of n workers, if each link carries that many bytes per second. */
static double rate_of(double n, double bytes_per_s)
{
    return n / (0.12 + 2 * (n - 1) / n * 100e6 / bytes_per_s);
}

/* The rates of the runs from `first` on, as sgdfit_calibrate asks for them. */
static int predict(const void *ctx, const double *value, size_t first, size_t count,
                   void *work, double *rate)
{
    const run_list *runs = (const run_list *)ctx;
    size_t i;
    (void)work;
    for (i = 0; i < count; i++) rate[i] = rate_of(runs->workers[first + i], value[0]);
    return SGDFIT_OK;
}

int main(void)
{
    static double work[4096];
    static sgdfit_unknown bandwidth;
    static sgdfit_problem problem;
    static sgdfit_calibration found;
    static const double workers[] = {2, 4}, measured[] = {9.7, 15.6};
    static run_list runs;

    runs.workers = workers;
    bandwidth.kind = SGDFIT_RATE; /* sought as 1/bandwidth: from 100 GB/s to 1 MB/s */
    bandwidth.least = 1e-12;
    bandwidth.low = 1e-11;
    bandwidth.high = 1e-6;
    problem.model.predict = predict;
    problem.model.ctx = &runs;
    problem.unknown = &bandwidth;
    problem.unknowns = 1;
    problem.measured = measured;
    problem.n = 2;
    if (sgdfit_calibrate(&problem, work, sizeof work, &found)) return 1;
    printf("the runs ask for %.1f Gbit/s, and are %.1f %% off in the mean\n",
           found.value[0] * 8e-9, 100 * found.mean_error);
    printf("16 workers will reach %.1f batches/s\n", rate_of(16, found.value[0]));
    return 0;
}

// the runs ask for 9.0 Gbit/s, and are 1.2 % off in the mean
// 16 workers will reach 55.7 batches/s
