/* predict.c - how many workers are worth their price?
 *
 * A model of 9 MB is trained by asynchronous SGD: each worker computes for 29 ms, and one
 * parameter server behind 1 Gbit/s applies each gradient in 18 ms. Workers are worth
 * their price while each runs at half of the speed that it has alone. */
#include <stdio.h>
#define SGDPERF_IMPLEMENTATION
#include "sgdperf.h"

int main(void)
{
    /* Static objects begin as zero, and a field that is 0 has its default. */
    static double work[4096];
    static sgdp_job job;
    static sgdp_prediction point;
    uint32_t workers, worth = 0;

    job.model_bytes = 9e6;
    job.compute.forward_s = 0.010;
    job.compute.backward_s = 0.019;
    job.compute.update_s = 0.018;
    job.compute.vary.cv = 0.02; /* steps vary by 2 % */
    job.links.bandwidth_bytes_per_s = 125e6;

    for (workers = 1; workers <= 16; workers *= 4) {
        if (sgdp_predict(&job, SGDP_ASYNC_RHYTHM, workers, work, sizeof work, &point))
            return 1;
        printf("%2u workers: %5.2f batches/s, limited by the %s\n", (unsigned)workers,
               point.batches_per_s, sgdp_resource_text(point.bottleneck));
        if (point.scaling.efficiency >= 0.5) worth = workers;
    }
    printf("worth their price: %u\n", (unsigned)worth);
    return 0;
}

//  1 workers:  5.24 batches/s, limited by the uplink
//  4 workers: 10.71 batches/s, limited by the uplink
// 16 workers: 13.03 batches/s, limited by the uplink
// worth their price: 4
