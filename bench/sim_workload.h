/* sim_workload.h - what the simulator's benchmarks replay: steps of a layered network,
 * downloads, uploads and updates overlapped with computation */
#ifndef SGDPERF_SIM_WORKLOAD_H
#define SGDPERF_SIM_WORKLOAD_H

#include "../sgdperf_sim.h"

#include <stdlib.h>

typedef struct workload {
    sgdsim_op   *op;               /* [profiled][ops]                                  */
    uint32_t    *waits;            /* of all profiled steps, which have one graph      */
    sgdsim_step *step;             /* [profiled]                                       */
    sgdsim_trace trace;
    size_t       ops;              /* of a step                                        */
} workload;

static const double workload_bandwidth_bytes_per_s = 125e6;

static void workload_free(workload *w)
{
    free(w->op);
    free(w->waits);
    free(w->step);
}

/* Layers of 10 kB to 1 MB and 3 to 30 ms: five operations each. They take turns on the
 * servers. The first profiled step computes as given, each other one as much as 20 %
 * faster or slower. 1, or 0 if there is no memory. */
static int workload_make(workload *w, size_t layers, size_t profiled, uint32_t servers)
{
    sgdsim_layer *layer = (sgdsim_layer *)malloc(layers * sizeof *layer);
    sgdsim_status status = SGDSIM_BAD_ARGUMENT;
    size_t s, i;
    w->ops = 5 * layers;
    w->op = (sgdsim_op *)malloc(profiled * w->ops * sizeof *w->op);
    w->waits = (uint32_t *)malloc(6 * layers * sizeof *w->waits);
    w->step = (sgdsim_step *)malloc(profiled * sizeof *w->step);
    w->trace.step = w->step;
    w->trace.steps = profiled;
    for (i = 0; layer && i < layers; i++) {
        layer[i].bytes = 1e4 + (double)(sgdsim_random(1, i, 0, 0) % 1000000);
        layer[i].forward_s = 1e-3 * (double)(1 + sgdsim_random(1, i, 1, 0) % 10);
        layer[i].backward_s = 2e-3 * (double)(1 + sgdsim_random(1, i, 2, 0) % 10);
        layer[i].update_s = 1e-4 * (double)(1 + sgdsim_random(1, i, 3, 0) % 9);
    }
    if (layer && w->op && w->waits && w->step)
        status = sgdsim_trace_layers(layer, layers, 0, w->op, w->waits);
    for (s = 0; status == SGDSIM_OK && s < profiled; s++) {
        const double percent = s == 0 ? 100.0 : (double)(80 + sgdsim_random(2, s, 0, 0) % 41);
        w->step[s].op = w->op + s * w->ops;
        w->step[s].ops = w->ops;
        for (i = 0; i < w->ops; i++) {
            sgdsim_op *op = w->op + s * w->ops + i;
            *op = w->op[i];
            if (op->resource == SGDSIM_WORKER) op->duration_s *= percent / 100.0;
            else op->server = (uint32_t)(i < 3 * layers ? i : 5 * layers - 1 - i) % servers;
        }
    }
    free(layer);
    return status == SGDSIM_OK;
}

#endif /* SGDPERF_SIM_WORKLOAD_H */
