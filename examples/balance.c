/* balance.c - four unequal accelerators: what do equal batches cost?
 *
 * At the end of an iteration all wait for the slowest. LB-BSP measures the workers while
 * the job runs, and gives each a batch such that all end at nearly the same time. */
#include <stdio.h>
#define SGDPERF_BALANCE_IMPLEMENTATION
#include "sgdperf_balance.h"

int main(void)
{
    /* Static objects begin as zero, and a field that is 0 has its default. */
    static const uint32_t equal[] = {32, 32, 32, 32};
    static const double launch_s[] = {0.28, 0.43, 0.46, 0.60};   /* of any batch */
    static const double slope_s[] = {0.0088, 0.03, 0.05, 0.077}; /* of each sample */
    static double work[1024];
    static sgdbal_worker worker[4];
    static sgdbal_balancer_config balance;
    static sgdbal_scheme_config job;
    static sgdbal_scheme_result result;
    uint32_t batch[4];
    int i;

    for (i = 0; i < 4; i++) {
        worker[i].launch_s = launch_s[i];
        worker[i].slope_s = slope_s[i];
        worker[i].communication_s = 0.1;
    }
    balance.method = SGDBAL_BY_PAIRS;
    job.scheme = SGDBAL_LB_BSP;
    job.balance.config = &balance;
    job.workers.count = 4;
    job.workers.curve = worker;
    job.workers.batch = equal;
    job.length.iterations = 1000;
    job.against_bsp = 1; /* run with equal batches too */
    result.workers.last_batch = batch;

    if (sgdbal_scheme_run(&job, work, sizeof work, &result)) return 1;
    printf("equal batches: %.2f s an iteration\n", result.bsp.per_update_s);
    printf("batches %u, %u, %u, %u: %.2f s, %.0f %% less\n", (unsigned)batch[0],
           (unsigned)batch[1], (unsigned)batch[2], (unsigned)batch[3],
           result.per_update_s, 100 * result.bsp.reduction);
    return 0;
}

// equal batches: 0.79 s an iteration
// batches 89, 21, 12, 6: 0.30 s, 62 % less
