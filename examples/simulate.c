/* simulate.c - when is the link of the parameter server full?
 *
 * A step of two layers is replayed, operation by operation, on 1 to 8 workers that share
 * the link of one server, 1 Gbit/s. It serves one worker after the other. */
#include <stdio.h>
#define SGDPERF_SIM_IMPLEMENTATION
#include "sgdperf_sim.h"

int main(void)
{
    /* Static objects begin as zero, and a field that is 0 has its default. */
    static double work[8192];
    static sgdsim_layer layer[2];
    static sgdsim_op op[10]; /* a layer: downlink, forward, backward, uplink, update */
    static uint32_t waits_for[10], workers;
    static sgdsim_step step;
    static sgdsim_trace trace;
    static sgdsim_config run;
    static sgdsim_result result;

    layer[0].bytes = 4e6;
    layer[0].forward_s = 0.004;
    layer[0].backward_s = 0.008;
    layer[0].update_s = 0.006;
    layer[1].bytes = 5e6;
    layer[1].forward_s = 0.006;
    layer[1].backward_s = 0.011;
    layer[1].update_s = 0.012;
    if (sgdsim_trace_layers(layer, 2, 0, op, waits_for)) return 1;
    step.op = op;
    step.ops = 10;
    trace.step = &step;
    trace.steps = 1;

    run.workers.types = 1;
    run.workers.trace = &trace;
    run.workers.count = &workers;
    run.links.bandwidth_bytes_per_s = 125e6;
    run.links.rule = SGDSIM_LINK_FCFS;
    run.length.steps = 1000;
    for (workers = 1; workers <= 8; workers *= 2) {
        if (sgdsim_run(&run, work, sizeof work, &result)) return 1;
        printf("%u workers: %5.2f batches/s, uplink busy %3.0f %% of the time\n",
               (unsigned)workers, result.batches_per_s,
               100 * result.utilization[SGDSIM_UPLINK]);
    }
    return 0;
}

// 1 workers:  5.99 batches/s, uplink busy  43 % of the time
// 2 workers: 11.97 batches/s, uplink busy  86 % of the time
// 4 workers: 13.88 batches/s, uplink busy 100 % of the time
// 8 workers: 13.89 batches/s, uplink busy 100 % of the time
