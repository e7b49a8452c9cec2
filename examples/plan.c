/* plan.c - how are a network and its samples split over four machines?
 *
 * Two fully connected layers, 60,000 samples an epoch, four machines of two cores on
 * 10 Gbit/s. Some machines hold the weights (parameter servers); the others form
 * replicas, of one worker or of several that share the layers. */
#include <stdio.h>
#define SGDPERF_PLAN_IMPLEMENTATION
#include "sgdperf_plan.h"

int main(void)
{
    /* Static objects begin as zero, and a field that is 0 has its default. */
    static double work[4096];
    static sgdplan_layer layer[2];
    static sgdplan_problem problem;
    static sgdplan_plan plan[3];
    static sgdplan_ranking ranking;
    size_t i;

    layer[0].kind = SGDPLAN_LAYER_FC;
    layer[0].n_in = 4096;
    layer[0].n_out = 4096;
    layer[1].kind = SGDPLAN_LAYER_FC;
    layer[1].n_in = 4096;
    layer[1].n_out = 1000;
    problem.job.layer = layer;
    problem.job.layers = 2;
    problem.job.samples = 60000;
    problem.job.read_samples = 70; /* a replica fetches weights once in so many */
    problem.job.machines.count = 4;
    problem.job.machines.cores = 2;
    problem.job.machines.connection_s.number = 1e-9;
    problem.job.machines.bandwidth_bytes_per_s = 1.25e9;

    ranking.plan = plan;
    ranking.room = 3;
    if (sgdplan_search(&problem, work, sizeof work, &ranking)) return 1;
    for (i = 0; i < ranking.found; i++) {
        const sgdplan_configuration *of = &plan[i].configuration;
        printf("%.0f s an epoch: servers %u, replicas %u, workers of a replica %u\n",
               plan[i].epoch_s, (unsigned)of->servers, (unsigned)of->replicas,
               (unsigned)of->workers);
    }
    return 0;
}

// 573 s an epoch: servers 1, replicas 3, workers of a replica 1
// 574 s an epoch: servers 1, replicas 1, workers of a replica 3
// 745 s an epoch: servers 2, replicas 1, workers of a replica 2
