/* schemes.c - runs a cluster under a coordination scheme */
#include "cmd/balance/schemes.h"

#include <math.h>
#include <string.h>

const char *const scheme_names[SGDBAL_SCHEME_COUNT] = {
    "bsp", "asp", "ssp", "redundant", "lbbsp", "flexrr"
};

static double sample_s(void *cluster, uint32_t worker, uint64_t iteration, double now_s,
                       uint32_t samples)
{
    const balance_cluster *c = (const balance_cluster *)cluster;
    return samples / balance_cluster_speed(c, worker, iteration, now_s)->speed;
}

static void allocate(sgdbal_scheme_result *out, uint32_t workers)
{
    memset(out, 0, sizeof *out);
    out->waiting_share = (double *)tool_alloc(workers, sizeof *out->waiting_share);
    out->last_batch = (uint32_t *)tool_alloc(workers, sizeof *out->last_batch);
    out->pushed = (uint64_t *)tool_alloc(workers, sizeof *out->pushed);
}

/* Batches without room come of the least ones, if there are any. */
static void check(const scheme_plan *plan, sgdbal_scheme scheme, sgdbal_status status)
{
    const char *what = scheme_names[scheme];
    if (status == SGDBAL_OK) return;
    if (scheme == SGDBAL_LB_BSP && plan->balance.least_batch
        && (status == SGDBAL_NO_ROOM || status == SGDBAL_BAD_WORKER)) what = "--least-batch";
    tool_fail("%s: %s", what, sgdbal_status_text(status));
}

static void run(scheme_plan *plan, sgdbal_scheme scheme, uint32_t workers,
                sgdbal_scheme_result *out)
{
    balance_cluster *c = &plan->cluster;
    sgdbal_scheme_config config = plan->base;
    size_t bytes = 0;
    config.scheme = scheme;
    config.workers = workers;
    config.iterations = plan->iterations;
    config.batch = c->batch;
    config.batch_s = balance_cluster_batch_s;
    config.batch_s_ctx = config.usage_ctx = config.sample_s_ctx = c;
    config.spare = plan->late;
    config.balance = &plan->balance;
    config.predictor = &plan->predictor;
    config.usage = balance_cluster_usage;
    if (scheme == SGDBAL_FLEXRR && c->row_s > 0.0 && c->cpus) config.sample_s = sample_s;
    allocate(out, workers);
    check(plan, scheme, sgdbal_scheme_run_steady_bytes(&config, plan->warmup, &bytes));
    check(plan, scheme, sgdbal_scheme_run_steady(&config, plan->warmup, tool_alloc(bytes, 1),
                                                 bytes, out));
}

void scheme_run(scheme_plan *plan, sgdbal_scheme scheme, scheme_outcome *out)
{
    const int redundant = scheme == SGDBAL_REDUNDANT;
    const uint32_t n = plan->cluster.workers - (redundant ? 0 : plan->cluster.spare);
    sgdbal_scheme_result r;
    double sum = 0.0;
    uint32_t w;
    memset(out, 0, sizeof *out);
    run(plan, scheme, n, &r);
    out->scheme = scheme;
    out->workers = n;
    out->per_update_s = r.per_update_s;
    out->iteration_s = r.per_update_s * (n - (redundant ? plan->late : 0));
    out->samples_per_s = r.samples_per_s;
    out->staleness = r.staleness_mean;
    out->staleness_max = r.staleness_max;
    out->handed_over = r.handed_over;
    out->prediction_rmse = r.predictions > 0 ? r.prediction_rmse : (double)NAN;
    out->waiting_share = r.waiting_share;
    out->last_batch = r.last_batch;
    out->updates = r.pushed;
    for (w = 0; w < n; w++) sum += r.waiting_share[w];
    out->waiting = sum / n;
}
