/* table_iii.h - the workload of [LPCG18], Table III: four networks that jobs train
 *
 * Data, and how it becomes curves and kinds of jobs. It needs sgdperf_sched.h alone, so that
 * tests and benchmarks include it as it is.
 *
 *   [LPCG18] S.-H. Lin, M. Paolieri, C.-F. Chou, L. Golubchik, A Model-Based Approach to
 *            Streamlining Distributed Training for Asynchronous SGD, MASCOTS 2018.
 *   [IMAK16] F. N. Iandola, M. W. Moskewicz, K. Ashraf, K. Keutzer, FireCaffe: Near-Linear
 *            Acceleration of Deep Neural Network Training on Compute Clusters, CVPR 2016. */
#ifndef TOOLS_CMD_CLUSTER_TABLE_III_H
#define TOOLS_CMD_CLUSTER_TABLE_III_H

#include "sgdperf_sched.h"

/* A network as printed; sizes and operations are those of [IMAK16]. */
typedef struct table_iii_network {
    const char *name;
    double examples;          /* of the data set                                    */
    double model_bytes;
    double flop_per_batch;    /* forward and backward, 1024 examples                */
    double epochs_mean, epochs_deviation;
} table_iii_network;

enum { TABLE_III_NETWORKS = 4 };

/* The i-th network; NULL past the last. Epochs have variance 2. */
static inline const table_iii_network *table_iii_at(size_t i)
{
    static const table_iii_network table[TABLE_III_NETWORKS] = {
        {"NiN",       50e3,  30e6,  6.7e12, 200.0, 1.4142135623730951},
        {"GoogLeNet", 1.2e6, 54e6,  9.7e12, 200.0, 1.4142135623730951},
        {"AlexNet",   1.2e6, 249e6, 7e12,   90.0,  1.4142135623730951},
        {"VGG19",     1.2e6, 575e6, 120e12, 74.0,  1.4142135623730951}
    };
    return i < TABLE_III_NETWORKS ? table + i : NULL;
}

/* One worker's step on nodes of the paper: 1.229 TFLOPS, 1 Gbit/s, batches of 1024. The
 * parameter server spends two operations on each 32-bit parameter. */
typedef struct table_iii_step {
    double compute_s, uplink_s, update_s, downlink_s;
} table_iii_step;

static inline table_iii_step table_iii_step_of(const table_iii_network *network)
{
    const double flop_per_s = 1.229e12, bits_per_s = 1e9;
    table_iii_step step;
    step.compute_s = network->flop_per_batch / flop_per_s;
    step.uplink_s = step.downlink_s = network->model_bytes * 8.0 / bits_per_s;
    step.update_s = 2.0 * (network->model_bytes / 4.0) / flop_per_s;
    return step;
}

/* The throughput of K workers and one parameter server, in steps a second, by a model of
 * the caller's; 0: it has no answer. */
typedef double (*table_iii_model)(void *ctx, const table_iii_step *step, uint32_t workers);

/* throughput_per_s[nodes] in steps a second: w > 1 nodes are w - 1 workers and a parameter
 * server, so that X(2) = X(1), the profile of one worker; servers_apart != 0: w workers.
 * Calls the model `nodes` times at most. 0 where it has no answer, else 1. */
static inline int table_iii_curve(const table_iii_network *network, table_iii_model model,
                                  void *ctx, uint32_t nodes, int servers_apart,
                                  double *throughput_per_s)
{
    const table_iii_step step = table_iii_step_of(network);
    uint32_t i;
    for (i = 0; i < nodes; i++) {
        const uint32_t workers = servers_apart || i == 0 ? i + 1 : i;
        const double x = i == 1 && workers == 1 ? throughput_per_s[0]
                                                : model(ctx, &step, workers);
        if (!(x > 0.0)) return 0;
        throughput_per_s[i] = x;
    }
    return 1;
}

/* Jobs that train it: sizes in steps, weight 1, all on the curve of number `curve`. */
static inline sgdsched_job_kind table_iii_kind(const table_iii_network *network, size_t curve)
{
    const double batch = 1024.0;
    sgdsched_job_kind kind = { 0, 0.0, 0.0, 0.0, SGDSCHED_NORMAL, 0, 0, 0 };
    kind.curve = curve;
    kind.weight = 1.0;
    kind.size_mean = network->examples * network->epochs_mean / batch;
    kind.size_deviation = network->examples * network->epochs_deviation / batch;
    return kind;
}

#endif /* TOOLS_CMD_CLUSTER_TABLE_III_H */
