/* parallel.c - do the gradients hide behind the backward pass?
 *
 * Four layers of 25 MB are trained on 2 machines of 8 accelerators. A layer's gradient is
 * sent while the layers below it are still computed; what is left when computing ends
 * makes the step longer. Is a faster link between the machines worth buying? */
#include <stdio.h>
#define SGDPERF_PARALLEL_IMPLEMENTATION
#include "sgdperf_parallel.h"

int main(void)
{
    /* Static objects begin as zero, and a field that is 0 has its default. */
    static sgdpar_tensor layer[4];
    static sgdpar_protocol ring;
    static sgdpar_replica job;
    static sgdpar_replica_step step;
    static const double gbit_per_s[] = {10, 25, 100, 400};
    int i;

    ring.algorithm = SGDPAR_ALGORITHM_RING;
    for (i = 0; i < 4; i++) {
        layer[i].bytes = 25000000;
        layer[i].backward_s = 0.004;
    }
    job.layers.tensor = layer;
    job.layers.tensors = 4;
    job.compute.forward_s = 0.008;
    job.network.protocol = &ring;
    job.network.protocols = 1;
    job.network.topology.machines = 2;
    job.network.topology.gpus = 8;
    job.network.topology.local_bandwidth_bytes_per_s = 200e9;

    for (i = 0; i < 4; i++) {
        job.network.topology.bandwidth_bytes_per_s = gbit_per_s[i] * 1e9 / 8;
        if (sgdpar_replica_time(&job, NULL, 0, &step)) return 1;
        printf("%3.0f Gbit/s: %5.1f ms a step, %3.0f %% of it waiting for gradients\n",
               gbit_per_s[i], 1e3 * step.step_s, 100 * step.exposed_s / step.step_s);
    }
    return 0;
}

//  10 Gbit/s: 162.0 ms a step,  85 % of it waiting for gradients
//  25 Gbit/s:  72.0 ms a step,  67 % of it waiting for gradients
// 100 Gbit/s:  31.2 ms a step,  23 % of it waiting for gradients
// 400 Gbit/s:  24.9 ms a step,   4 % of it waiting for gradients
