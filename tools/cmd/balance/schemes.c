/* schemes.c - runs a cluster under a coordination scheme
 *
 * A run does not depend on how long it goes on. So what comes after the warm-up is the
 * difference of two runs, of which one ends with the warm-up. */
#include "cmd/balance/schemes.h"

#include <math.h>
#include <string.h>

const char *const scheme_names[SGDBAL_SCHEME_COUNT] = {
    "bsp", "asp", "ssp", "redundant", "lbbsp", "flexrr"
};

/* ---- One run ---------------------------------------------------------------- */

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
                uint64_t iterations, sgdbal_scheme_result *out)
{
    balance_cluster *c = &plan->cluster;
    sgdbal_scheme_config config = plan->base;
    size_t bytes = 0;
    config.scheme = scheme;
    config.workers = workers;
    config.iterations = iterations;
    config.batch = c->batch;
    config.batch_s = balance_cluster_batch_s;
    config.batch_s_ctx = config.usage_ctx = config.sample_s_ctx = c;
    config.spare = plan->late;
    config.balance = &plan->balance;
    config.predictor = &plan->predictor;
    config.usage = balance_cluster_usage;
    config.score_from = plan->warmup;
    if (scheme == SGDBAL_FLEXRR && c->row_s > 0.0 && c->cpus) config.sample_s = sample_s;
    allocate(out, workers);
    check(plan, scheme, sgdbal_scheme_bytes(&config, &bytes));
    check(plan, scheme, sgdbal_scheme_run(&config, tool_alloc(bytes, 1), bytes, out));
}

/* ---- Behind the warm-up ------------------------------------------------------ */

void scheme_run(scheme_plan *plan, sgdbal_scheme scheme, scheme_outcome *out)
{
    const int redundant = scheme == SGDBAL_REDUNDANT;
    const uint32_t n = plan->cluster.workers - (redundant ? 0 : plan->cluster.spare);
    sgdbal_scheme_result before, all;
    double total_s, updates, sum = 0.0;
    uint32_t w;
    memset(out, 0, sizeof *out);
    allocate(&before, n);
    if (plan->warmup > 0) run(plan, scheme, n, plan->warmup, &before);
    run(plan, scheme, n, plan->warmup + plan->iterations, &all);
    total_s = all.total_s - before.total_s;
    updates = (double)(all.updates - before.updates);
    out->scheme = scheme;
    out->workers = n;
    out->per_update_s = total_s / updates;
    out->iteration_s = out->per_update_s * (n - (redundant ? plan->late : 0));
    out->samples_per_s = (all.samples_per_s * all.total_s
                          - before.samples_per_s * before.total_s) / total_s;
    out->staleness = (all.staleness_mean * (double)all.updates
                      - before.staleness_mean * (double)before.updates) / updates;
    out->staleness_max = all.staleness_max;
    out->handed_over = all.handed_over;
    out->prediction_rmse = all.predictions > 0 ? all.prediction_rmse : (double)NAN;
    out->waiting_share = all.waiting_share;
    out->last_batch = all.last_batch;
    out->updates = all.pushed;
    for (w = 0; w < n; w++) {
        const double waited_s = all.waiting_share[w] * all.total_s
                              - before.waiting_share[w] * before.total_s;
        /* What rounding leaves of none is none. */
        out->waiting_share[w] = waited_s > 1e-12 * all.total_s ? waited_s / total_s : 0.0;
        sum += out->waiting_share[w];
        out->updates[w] -= before.pushed[w];
    }
    out->waiting = sum / n;
}
