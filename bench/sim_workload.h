/* sim_workload.h - the step that the simulator's benchmarks replay: a layered network,
 * downloads, uploads and updates overlapped with computation */
#ifndef SGDPERF_SIM_WORKLOAD_H
#define SGDPERF_SIM_WORKLOAD_H

#include "../sgdperf_sim.h"

enum { WORKLOAD_LAYERS_MOST = 200 };

typedef struct workload {
    sgdsim_op    op[5 * WORKLOAD_LAYERS_MOST];
    uint32_t     waits[6 * WORKLOAD_LAYERS_MOST];
    sgdsim_step  step;
    sgdsim_trace trace;
} workload;

static const double workload_bandwidth_bytes_per_s = 125e6;

/* `layers` layers of 10 kB to 1 MB and 3 to 30 ms: five operations each. */
static sgdsim_status workload_make(workload *w, size_t layers)
{
    sgdsim_layer layer[WORKLOAD_LAYERS_MOST];
    size_t i;
    for (i = 0; i < layers; i++) {
        layer[i].bytes = 1e4 + (double)(sgdsim_random(1, i, 0, 0) % 1000000);
        layer[i].forward_s = 1e-3 * (double)(1 + sgdsim_random(1, i, 1, 0) % 10);
        layer[i].backward_s = 2e-3 * (double)(1 + sgdsim_random(1, i, 2, 0) % 10);
        layer[i].update_s = 1e-4 * (double)(1 + sgdsim_random(1, i, 3, 0) % 9);
    }
    w->step.op = w->op;
    w->step.ops = 5 * layers;
    w->trace.step = &w->step;
    w->trace.steps = 1;
    return sgdsim_layers(layer, layers, 0, w->op, w->waits);
}

#endif /* SGDPERF_SIM_WORKLOAD_H */
