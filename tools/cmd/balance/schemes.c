/* schemes.c - runs a cluster under a coordination scheme */
#include "cmd/balance/schemes.h"
#include "files/status.h"
#include "jobs/parallel.h"

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

/* A forecaster a worker. */
typedef struct foresight {
    sgdfc_config       config;
    size_t             bytes;      /* of each                                         */
    char              *work;
    sgdfc_forecaster **of;         /* [workers]                                       */
} foresight;

static void foresee_all(foresight *f, const sgdfc_config *config, uint32_t workers)
{
    f->config = *config;
    tool_check_forecast(sgdfc_bytes(config, &f->bytes), scheme_names[SGDBAL_LB_BSP]);
    f->work = (char *)tool_alloc(workers, f->bytes);
    f->of = (sgdfc_forecaster **)tool_alloc(workers, sizeof *f->of);
}

/* sgdbal_forecast_callback */
static double foresee(void *ctx, const sgdbal_known *k)
{
    foresight *f = (foresight *)ctx;
    sgdfc_forecaster **of = &f->of[k->worker];
    const char *what = scheme_names[SGDBAL_LB_BSP];
    double speed = 0.0;
    if (k->iteration == 0) {
        sgdfc_config config = f->config;
        config.seed += k->worker;
        tool_check_forecast(sgdfc_open(&config, f->work + k->worker * f->bytes, f->bytes, of),
                            what);
    }
    if (k->speed > 0.0)
        tool_check_forecast(sgdfc_observe(*of, k->speed, k->cpu[0], k->memory[0]), what);
    (void)sgdfc_predict(*of, k->cpu[1], k->memory[1], &speed);
    return speed;
}

static void allocate(sgdbal_scheme_result *out, uint32_t workers)
{
    memset(out, 0, sizeof *out);
    out->workers.waiting_share = (double *)tool_alloc(workers, sizeof *out->workers.waiting_share);
    out->workers.last_batch = (uint32_t *)tool_alloc(workers, sizeof *out->workers.last_batch);
    out->workers.pushed = (uint64_t *)tool_alloc(workers, sizeof *out->workers.pushed);
}

/* What else could be wrong has been checked. */
TOOL_NORETURN static void fail_large(const scheme_plan *plan, const char *scheme)
{
    const sgdbal_scheme_config *b = &plan->base;
    tool_fail("%s: times of %s are too large to be added up over %lu iterations, with --barrier "
              "%g s, --update %g s and --migrate %g s", scheme, plan->cluster.file->name,
              (unsigned long)(plan->warmup + plan->iterations), b->barrier_s, b->balance.update_s,
              b->flexrr.migrate_s);
}

/* Batches without room come of the least ones, if there are any. */
static void check(const scheme_plan *plan, sgdbal_scheme scheme, sgdbal_status status)
{
    const char *what = scheme_names[scheme];
    if (status == SGDBAL_OK) return;
    if (scheme == SGDBAL_LB_BSP && plan->balance.least_batch
        && (status == SGDBAL_NO_ROOM || status == SGDBAL_BAD_WORKER))
        what = option_name(OPTION_LEAST_BATCH);
    if (status == SGDBAL_BAD_ARGUMENT) fail_large(plan, what);
    tool_fail("%s: %s", what, sgdbal_status_text(status));
}

static void run(scheme_plan *plan, sgdbal_scheme scheme, uint32_t workers,
                sgdbal_scheme_result *out)
{
    balance_cluster *c = &plan->cluster;
    sgdbal_scheme_config config = plan->base;
    foresight f;
    size_t bytes = 0;
    config.scheme = scheme;
    config.workers.count = workers;
    config.length.iterations = plan->iterations;
    config.workers.batch = c->batch;
    config.workers.time_s = balance_cluster_batch_s;
    config.workers.ctx = config.balance.forecast.usage_ctx = config.flexrr.ctx = c;
    config.spare = plan->late;
    config.balance.config = &plan->balance;
    if (scheme == SGDBAL_LB_BSP && plan->balance.method == SGDBAL_BY_SPEED) {
        foresee_all(&f, &plan->predictor, workers);
        config.balance.forecast.speed = foresee;
        config.balance.forecast.speed_ctx = &f;
        if (predictor_reads_uses(plan->predictor.kind))
            config.balance.forecast.usage = balance_cluster_usage;
    }
    if (scheme == SGDBAL_FLEXRR && c->row_s > 0.0 && c->cpus) config.flexrr.sample_s = sample_s;
    allocate(out, workers);
    check(plan, scheme, sgdbal_scheme_run_steady_bytes(&config, plan->warmup, &bytes));
    check(plan, scheme, sgdbal_scheme_run_steady(&config, plan->warmup, tool_alloc(bytes, 1),
                                                 bytes, out));
}

static void scheme_run(scheme_plan *plan, sgdbal_scheme scheme, scheme_outcome *out)
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
    out->staleness = r.staleness.mean;
    out->staleness_max = r.staleness.max;
    out->handed_over = r.handed_over;
    out->prediction_rmse = r.predictions.count > 0 ? r.predictions.rmse : (double)NAN;
    out->waiting_share = r.workers.waiting_share;
    out->last_batch = r.workers.last_batch;
    out->updates = r.workers.pushed;
    for (w = 0; w < n; w++) sum += r.workers.waiting_share[w];
    out->waiting = sum / n;
}

/* ---- Several ----------------------------------------------------------------- */

typedef struct scheme_list {
    scheme_plan   *plan;
    sgdbal_scheme *scheme;
} scheme_list;

/* Series that go on by themselves: what a task adds ends with it. */
static void own_series(balance_cluster *c)
{
    const series *from = c->speed;
    uint32_t w;
    c->speed = (series *)tool_alloc(c->workers, sizeof *c->speed);
    for (w = 0; w < c->workers; w++) {
        series *to = &c->speed[w];
        *to = from[w];
        to->room = to->rows;
        if (!from[w].machine) continue;
        to->machine = (busy_machine *)tool_alloc(1, sizeof *to->machine);
        *to->machine = *from[w].machine;
    }
}

/* Rows that all schemes will ask for are made once. */
static void make_series(scheme_plan *plan)
{
    balance_cluster *c = &plan->cluster;
    const uint64_t rows = plan->warmup + plan->iterations;
    uint32_t w;
    for (w = 0; w < c->workers && !(c->row_s > 0.0); w++)
        if (c->speed[w].machine) (void)series_at(&c->speed[w], rows - 1);
}

/* What the pointers of an outcome have, to or from what is handed over. */
static void move_lists(scheme_outcome *o, char *at, int out)
{
    at = parallel_move(at, o->waiting_share, o->workers * sizeof *o->waiting_share, out);
    at = parallel_move(at, o->updates, o->workers * sizeof *o->updates, out);
    (void)parallel_move(at, o->last_batch, o->workers * sizeof *o->last_batch, out);
}

static size_t lists_bytes(const scheme_outcome *o)
{
    return o->workers *
           (sizeof *o->waiting_share + sizeof *o->updates + sizeof *o->last_batch);
}

/* parallel_task */
static void run_task(void *ctx, size_t i, void *result)
{
    const scheme_list *l = (const scheme_list *)ctx;
    scheme_plan plan = *l->plan;
    parallel_blob *blob = (parallel_blob *)result;
    scheme_outcome o;
    own_series(&plan.cluster);
    scheme_run(&plan, l->scheme[i], &o);
    blob->length = sizeof o + lists_bytes(&o);
    blob->data = (char *)tool_alloc(blob->length, 1);
    memcpy(blob->data, &o, sizeof o);
    move_lists(&o, blob->data + sizeof o, 1);
}

static void take(scheme_outcome *o, char *data)
{
    sgdbal_scheme_result lists;
    memcpy(o, data, sizeof *o);
    allocate(&lists, o->workers);      /* pointers of another process mean nothing    */
    o->waiting_share = lists.workers.waiting_share;
    o->updates = lists.workers.pushed;
    o->last_batch = lists.workers.last_batch;
    move_lists(o, data + sizeof *o, 0);
}

/* All in `list`, of which there is work for several processes. */
static void deal_schemes(scheme_list *list, size_t count, size_t processes, scheme_outcome *out)
{
    parallel_blob *done = (parallel_blob *)tool_alloc(count, sizeof *done);
    double *cost = (double *)tool_alloc(count, sizeof *cost);
    size_t i;
    make_series(list->plan);
    for (i = 0; i < count; i++) cost[i] = list->scheme[i] == SGDBAL_FLEXRR ? 4.0 : 1.0;
    parallel_expect(cost);
    parallel_gather(count, processes, run_task, list, done, "schemes");
    for (i = 0; i < count; i++) take(&out[i], done[i].data);
}

void schemes_run(scheme_plan *plan, const sgdbal_scheme *scheme, size_t count,
                 size_t processes, scheme_outcome *bsp, scheme_outcome *out)
{
    const double worth = 3e5;          /* some 10 ms: less is done here                */
    const double samples = (double)(plan->warmup + plan->iterations) * plan->cluster.workers;
    sgdbal_scheme each[SGDBAL_SCHEME_COUNT + 1];
    scheme_outcome *all;
    scheme_list list;
    size_t n = 1, i;
    each[0] = SGDBAL_BSP;
    for (i = 0; i < count; i++)
        if (scheme[i] != SGDBAL_BSP) each[n++] = scheme[i];
    all = (scheme_outcome *)tool_alloc(n, sizeof *all);
    list.plan = plan;
    list.scheme = each;
    if (n > 1 && samples * (double)n >= worth) deal_schemes(&list, n, processes, all);
    else for (i = 0; i < n; i++) scheme_run(plan, each[i], &all[i]);
    *bsp = all[0];
    for (i = 0, n = 1; i < count; i++) out[i] = scheme[i] == SGDBAL_BSP ? *bsp : all[n++];
}
