/* balance_schemes.c - runs a cluster under a coordination scheme
 *
 * A run does not depend on how long it goes on. So what comes after the warm-up is the
 * difference of two runs, of which one ends with the warm-up. */
#include "cmd/balance/schemes.h"
#include "files/status.h"

#include <math.h>
#include <string.h>

const char *const scheme_names[SGDBAL_SCHEME_COUNT] = {
    "bsp", "asp", "ssp", "redundant", "lbbsp", "flexrr"
};

/* ---- Balancing at the barrier ------------------------------------------------ */

/* LB-BSP's rule, with a predictor a worker under Alg. 1. Arrays are [workers]. */
typedef struct lb_rule {
    const scheme_plan   *plan;
    sgdbal_balancer   *balancer;
    sgdbal_predictor **predictor; /* NULL: Alg. 2                                 */
    series_row          *row[2];  /* that even and odd iterations ran with          */
    double              *seen;    /* speed of the last batch                        */
    double              *predicted, *squares, *time_s;
    uint64_t            *scored;  /* predictions, whose errors are in squares       */
    uint64_t             predicted_for;
} lb_rule;

static void open_predictors(lb_rule *r, uint32_t workers)
{
    sgdbal_forecast f = r->plan->forecast;
    size_t bytes = 0;
    uint32_t w;
    tool_check_balance(sgdbal_predictor_open_bytes(&f, &bytes), "lbbsp");
    r->predictor = (sgdbal_predictor **)tool_alloc(workers, sizeof *r->predictor);
    for (w = 0; w < workers; w++, f.seed++)
        tool_check_balance(sgdbal_predictor_open(&f, tool_alloc(bytes, 1), bytes, &r->predictor[w]),
                    "lbbsp");
}

static void open_rule(lb_rule *r, const scheme_plan *plan, uint32_t workers)
{
    const char *limits = plan->rules.least_batch ? "--least-batch" : "lbbsp";
    size_t bytes = 0;
    memset(r, 0, sizeof *r);
    r->plan = plan;
    tool_check_balance(sgdbal_balance_open_bytes(&plan->rules, &bytes), "lbbsp");
    tool_check_balance(sgdbal_balance_open(&plan->rules, tool_alloc(bytes, 1), bytes, &r->balancer),
                limits);
    if (plan->rules.rule != SGDBAL_BY_SPEED) return;
    open_predictors(r, workers);
    r->row[0] = (series_row *)tool_alloc(workers, sizeof **r->row);
    r->row[1] = (series_row *)tool_alloc(workers, sizeof **r->row);
    r->seen = (double *)tool_alloc(workers, sizeof *r->seen);
    r->predicted = (double *)tool_alloc(workers, sizeof *r->predicted);
    r->squares = (double *)tool_alloc(workers, sizeof *r->squares);
    r->scored = (uint64_t *)tool_alloc(workers, sizeof *r->scored);
    r->time_s = (double *)tool_alloc(workers, sizeof *r->time_s);
}

/* A worker's speed in the known iteration teaches its predictor the one in the next. What
 * is used as that begins is known at its barrier; a rule that is not waited for runs
 * beside it, and decides for the one after. */
static void predict(lb_rule *r, const sgdbal_barrier *b, uint32_t w)
{
    const balance_cluster *c = &r->plan->cluster;
    const series_row *known = &r->row[b->iteration % 2][w], *next = &r->row[b->next % 2][w];
    if (r->plan->non_blocking) next = &r->row[(b->iteration + 1) % 2][w];
    else if (c->cpus) next = balance_cluster_speed(c, w, b->next, b->now_s);
    if (b->batch[w] > 0) {
        r->seen[w] = b->batch[w] / b->time_s[w];
        if (r->predicted_for == b->iteration && b->iteration >= r->plan->warmup) {
            r->squares[w] += (r->predicted[w] - r->seen[w]) * (r->predicted[w] - r->seen[w]);
            r->scored[w]++;
        }
        tool_check_balance(sgdbal_predictor_observe(r->predictor[w], r->seen[w], known->cpu,
                                               known->memory), "lbbsp");
    }
    tool_check_balance(sgdbal_predictor_next(r->predictor[w], next->cpu, next->memory,
                                        &r->predicted[w]), "lbbsp");
}

/* Alg. 1 divides the batches that the balancer decided last by times. When the rule is
 * not waited for, those measured belong to the batches before: only speeds count. */
static void measure_speeds(lb_rule *r, const sgdbal_barrier *b, sgdbal_measured *measured)
{
    const uint32_t *decided = sgdbal_balance_batches(r->balancer);
    uint32_t w;
    for (w = 0; w < b->workers; w++) {
        predict(r, b, w);
        r->time_s[w] = decided[w] / r->seen[w];
    }
    r->predicted_for = b->iteration + 1;
    measured->time_s = r->time_s;
    measured->speed = r->predicted;
}

/* Alg. 2 as published does not mind that times belong to other batches; with `project` it
 * would take them for those of its last ones, and waits for these instead. */
static void rebalance(void *ctx, const sgdbal_barrier *b, uint32_t *next)
{
    lb_rule *r = (lb_rule *)ctx;
    const uint32_t *decided = sgdbal_balance_batches(r->balancer);
    sgdbal_measured measured = {0};
    if (r->predictor) measure_speeds(r, b, &measured);
    else if (r->plan->rules.project
             && memcmp(decided, b->batch, b->workers * sizeof *decided) != 0) return;
    else measured.time_s = b->time_s;
    tool_check_balance(sgdbal_balance_step(r->balancer, &measured, next, NULL), "lbbsp");
}

static double prediction_rmse(const lb_rule *r, uint32_t workers)
{
    double sum = 0.0;
    uint32_t known = 0, w;
    for (w = 0; r->predictor && w < workers; w++) {
        if (r->scored[w] == 0) continue;
        sum += sqrt(r->squares[w] / (double)r->scored[w]);
        known++;
    }
    return known > 0 ? sum / known : (double)NAN;
}

/* ---- Times ------------------------------------------------------------------ */

typedef struct time_source {
    const balance_cluster *cluster;
    lb_rule               *rule;  /* NULL: nobody predicts                          */
} time_source;

static double batch_s(void *ctx, uint32_t worker, uint64_t iteration, double start_s,
                      uint32_t samples)
{
    const time_source *from = (const time_source *)ctx;
    if (from->rule && from->rule->predictor && from->cluster->cpus)
        from->rule->row[iteration % 2][worker] =
            *balance_cluster_speed(from->cluster, worker, iteration, start_s);
    return balance_cluster_batch_s(from->cluster, worker, iteration, start_s, samples);
}

static double sample_s(void *ctx, uint32_t worker, uint64_t iteration, double now_s)
{
    const time_source *from = (const time_source *)ctx;
    return 1.0 / balance_cluster_speed(from->cluster, worker, iteration, now_s)->speed;
}

/* ---- Runs ------------------------------------------------------------------- */

static void allocate(sgdbal_coordinated *out, uint32_t workers)
{
    memset(out, 0, sizeof *out);
    out->waiting_share = (double *)tool_alloc(workers, sizeof *out->waiting_share);
    out->last_batch = (uint32_t *)tool_alloc(workers, sizeof *out->last_batch);
    out->pushed = (uint64_t *)tool_alloc(workers, sizeof *out->pushed);
}

static void sim_check(sgdbal_status status, sgdbal_scheme scheme)
{
    if (status != SGDBAL_OK)
        tool_fail("%s: %s", scheme_names[scheme], sgdbal_status_text(status));
}

/* The first `iterations` iterations; the mean error of predictions. */
static double run(const scheme_plan *plan, sgdbal_scheme scheme, uint32_t workers,
                  uint64_t iterations, sgdbal_coordinated *out)
{
    const balance_cluster *c = &plan->cluster;
    sgdbal_coordination config = plan->base;
    time_source from;
    lb_rule rule;
    size_t bytes = 0;
    from.cluster = c;
    from.rule = NULL;
    config.scheme = scheme;
    config.workers = workers;
    config.iterations = iterations;
    config.batch = c->batch;
    config.batch_s = batch_s;
    config.batch_s_ctx = &from;
    config.spare = plan->late;
    if (scheme == SGDBAL_SCHEME_LB_BSP) {
        open_rule(&rule, plan, workers);
        from.rule = &rule;
        config.rebalance = rebalance;
        config.rebalance_ctx = &rule;
        config.non_blocking = plan->non_blocking;
    }
    if (scheme == SGDBAL_SCHEME_FLEXRR && c->row_s > 0.0 && c->cpus) {
        config.sample_s = sample_s;
        config.sample_s_ctx = &from;
    }
    allocate(out, workers);
    sim_check(sgdbal_coordinate_bytes(&config, &bytes), scheme);
    sim_check(sgdbal_coordinate(&config, tool_alloc(bytes, 1), bytes, out), scheme);
    return from.rule ? prediction_rmse(&rule, workers) : (double)NAN;
}

void scheme_run(scheme_plan *plan, sgdbal_scheme scheme, scheme_outcome *out)
{
    const int redundant = scheme == SGDBAL_SCHEME_REDUNDANT;
    const uint32_t n = plan->cluster.workers - (redundant ? 0 : plan->cluster.spare);
    sgdbal_coordinated before, all;
    double total_s, updates, sum = 0.0;
    uint32_t w;
    memset(out, 0, sizeof *out);
    allocate(&before, n);
    if (plan->warmup > 0) run(plan, scheme, n, plan->warmup, &before);
    out->prediction_rmse = run(plan, scheme, n, plan->warmup + plan->iterations, &all);
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
