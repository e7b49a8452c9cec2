/* cluster.h - the cluster of sgdperf balance run: workers whose speeds change */
#ifndef TOOLS_CMD_BALANCE_CLUSTER_H
#define TOOLS_CMD_BALANCE_CLUSTER_H

#include "cmd/balance/balance.h"

typedef struct balance_cluster {
    const csv_table *file;
    name_index       names;   /* of the workers; spare ones are the last            */
    uint32_t         workers, spare;
    size_t          *row;     /* [workers] of the file                              */
    sgdbal_worker   *curve;   /* [workers] of a CPU that has no series: slope alone */
    uint32_t        *batch;   /* [workers]                                          */
    series          *speed;   /* [workers] of CPUs                                  */
    int              cpus;    /* all workers are CPUs ...                           */
    int              uses;    /*   ... whose use of CPU and memory is known         */
    double           row_s;   /* a row of a series lasts so long; 0: one iteration  */
} balance_cluster;

/* The file at `path`; usage: rows iteration,worker,cpu,memory[,speed], or NULL. What is
 * seeded has the seed of the file plus `seed`. Fails like all that reads files. */
void balance_cluster_read(balance_cluster *c, const char *path, const char *usage,
                          uint64_t seed);

/* The row of a worker's series in an iteration, or at a time where rows last row_s. Only
 * for CPUs. */
const series_row *balance_cluster_speed(const balance_cluster *c, uint32_t worker,
                                        uint64_t iteration, double now_s);

/* Callbacks of sgdbal_scheme_run for a balance_cluster *: seconds of a batch, none for a
 * batch of 0, and, for CPUs alone, what a worker has of its machine. */
double balance_cluster_batch_s(void *cluster, uint32_t worker, uint64_t iteration,
                               double start_s, uint32_t samples);
void balance_cluster_usage(void *cluster, uint32_t worker, uint64_t iteration,
                           double start_s, double *cpu, double *memory);

#endif /* TOOLS_CMD_BALANCE_CLUSTER_H */
