/* The coordination schemes in their textbook form: every event looks at every worker, every
 * check of work shedding is made, nothing is kept sorted. Include sgdperf_balance.h first. */
#ifndef TESTS_ORACLE_COORDINATE_H
#define TESTS_ORACLE_COORDINATE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct oracle_worker {
    uint32_t batch;
    uint64_t finished, version, seq;      /* seq: of its start, among all starts          */
    double   start_s, end_s;              /* of its batch; end_s infinite: it waits       */
    double   computing_s;
    double   left, pace_s, pause_s;       /* samples to do, from pause_s on               */
    int      gave, took;                  /* at this check                                */
} oracle_worker;

typedef struct oracle {
    const sgdbal_scheme_config *config;
    oracle_worker *worker;
    double  *time_s;                      /* [iterations][workers]                        */
    uint32_t *batch;                      /* [iterations + 1][workers]                    */
    double   now_s, last_s;
    uint64_t updates, seq, samples, staleness, staleness_max, handed_over, pushes;
} oracle;

static inline void oracle_new(oracle *o, const sgdbal_scheme_config *config)
{
    const size_t cells = (size_t)(config->length.iterations + 1) * config->workers.count;
    size_t w;
    *o = (oracle){.config = config};
    o->worker = (oracle_worker *)calloc(config->workers.count, sizeof *o->worker);
    o->time_s = (double *)calloc(cells, sizeof *o->time_s);
    o->batch = (uint32_t *)calloc(cells, sizeof *o->batch);
    if (!o->worker || !o->time_s || !o->batch) abort();
    for (w = 0; w < config->workers.count; w++) o->worker[w].batch = config->workers.batch[w];
}

static inline void oracle_free(oracle *o)
{
    free(o->worker);
    free(o->time_s);
    free(o->batch);
}

static inline double oracle_ask(const oracle *o, uint32_t w, uint64_t k, uint32_t samples)
{
    return o->config->workers.time_s(o->config->workers.ctx, w, k, o->now_s, samples);
}

/* ---- ASP and SSP --------------------------------------------------------------- */

static inline void oracle_start_all(oracle *o)
{
    const uint32_t n = o->config->workers.count;
    uint64_t least = UINT64_MAX;
    for (uint32_t w = 0; w < n; w++)
        if (o->worker[w].finished < least) least = o->worker[w].finished;
    for (uint32_t w = 0; w < n; w++) {
        oracle_worker *x = o->worker + w;
        if (x->end_s < HUGE_VAL) continue;
        if (o->config->scheme == SGDBAL_SSP
            && x->finished > least + o->config->staleness)
            continue;
        x->start_s = o->now_s;
        x->end_s = o->now_s + oracle_ask(o, w, x->finished, x->batch);
        x->version = o->updates;
        x->seq = o->seq++;
    }
}

static inline void oracle_free_run(oracle *o)
{
    const uint32_t n = o->config->workers.count;
    for (uint32_t w = 0; w < n; w++) o->worker[w].end_s = HUGE_VAL;
    while (o->updates < n * o->config->length.iterations) {
        oracle_worker *x = o->worker;
        oracle_start_all(o);
        for (uint32_t w = 1; w < n; w++) {
            oracle_worker *y = o->worker + w;
            if (y->end_s < x->end_s || (y->end_s <= x->end_s && y->seq < x->seq)) x = y;
        }
        o->now_s = x->end_s;
        x->computing_s += x->end_s - x->start_s;
        x->end_s = HUGE_VAL;
        x->finished++;
        o->samples += x->batch;
        o->staleness += o->updates - x->version;
        if (o->updates - x->version > o->staleness_max)
            o->staleness_max = o->updates - x->version;
        o->updates++;
        o->pushes++;
    }
    for (uint32_t w = 0; w < n; w++)
        if (o->worker[w].end_s < HUGE_VAL)
            o->worker[w].computing_s += o->now_s - o->worker[w].start_s;
}

/* ---- FlexRR -------------------------------------------------------------------- */

/* To now_s, counting the time spent on samples; end_s is when the worker was done. */
static inline void oracle_advance(oracle *o, oracle_worker *x)
{
    const double from_s = x->pause_s, able_s = o->now_s - from_s;
    if (!(able_s > 0.0) || !(x->left > 0.0)) return;
    if (x->left * x->pace_s <= able_s) {
        x->computing_s += x->left * x->pace_s;
        x->left = 0.0;
        return;
    }
    x->computing_s += able_s;
    x->left -= able_s / x->pace_s;
    x->pause_s = o->now_s;
}

static inline double oracle_end(const oracle *o, const oracle_worker *x)
{
    if (!(x->left > 0.0)) return x->end_s;
    return (x->pause_s > o->now_s ? x->pause_s : o->now_s) + x->left * x->pace_s;
}

static inline oracle_worker *oracle_extreme(oracle *o, int latest)
{
    oracle_worker *best = NULL;
    for (uint32_t w = 0; w < o->config->workers.count; w++) {
        oracle_worker *x = o->worker + w;
        if (x->gave || x->took) continue;
        if (!best || (latest ? x->end_s >= best->end_s : x->end_s < best->end_s)) best = x;
    }
    return best;
}

static inline void oracle_hand_over(oracle *o, oracle_worker *from, oracle_worker *to)
{
    const sgdbal_scheme_config *c = o->config;
    const double shed = c->flexrr.shed > 0.0 ? c->flexrr.shed : 0.025;
    const double soonest_s = to->end_s > o->now_s ? to->end_s : o->now_s;
    const double slower_s = from->pace_s > to->pace_s ? from->pace_s : to->pace_s;
    const double half = 0.5 * (from->end_s - soonest_s - c->flexrr.migrate_s) / slower_s;
    double m = floor(shed * (double)c->workers.batch[from - o->worker] + 1e-9);
    if (m < 1.0) m = 1.0;
    if (m > floor(half + 1e-9)) m = floor(half + 1e-9);
    if (m > floor(from->left + 1e-9)) m = floor(from->left + 1e-9);
    from->gave = 1;
    if (m < 1.0 || m * from->pace_s <= c->flexrr.migrate_s) return;
    to->took = 1;
    from->batch -= (uint32_t)m;
    to->batch += (uint32_t)m;
    from->left = from->left > m ? from->left - m : 0.0;
    from->pause_s = (from->pause_s > o->now_s ? from->pause_s : o->now_s) + c->flexrr.migrate_s;
    to->pause_s = (to->pause_s > o->now_s ? to->pause_s : o->now_s) + c->flexrr.migrate_s;
    to->left += m;
    from->end_s = from->pause_s + from->left * from->pace_s;
    to->end_s = to->pause_s + to->left * to->pace_s;
    o->handed_over += (uint64_t)m;
}

static inline void oracle_check(oracle *o, double start_s, uint64_t k)
{
    const sgdbal_scheme_config *c = o->config;
    const double trigger = c->flexrr.trigger > 0.0 ? c->flexrr.trigger : 0.2;
    for (uint32_t w = 0; w < c->workers.count; w++) {
        oracle_worker *x = o->worker + w;
        oracle_advance(o, x);
        if (c->flexrr.sample_s && x->left > 0.0)
            x->pace_s = c->flexrr.sample_s(c->flexrr.ctx, w, k, o->now_s, 1);
        x->end_s = oracle_end(o, x);
        x->gave = x->took = 0;
    }
    for (;;) {
        oracle_worker *from = oracle_extreme(o, 1), *to = oracle_extreme(o, 0);
        if (!from || from == to) return;
        double soonest_s = to->end_s > o->now_s ? to->end_s : o->now_s;
        if (from->end_s - start_s <= (1.0 + trigger) * (soonest_s - start_s)) return;
        oracle_hand_over(o, from, to);
    }
}

static inline double oracle_shed(oracle *o, uint64_t k)
{
    const sgdbal_scheme_config *c = o->config;
    const double start_s = o->now_s;
    double latest_s = 0.0, every_s = 0.0;
    uint32_t w;
    for (w = 0; w < c->workers.count; w++) {
        oracle_worker *x = o->worker + w;
        x->batch = c->workers.batch[w];
        x->left = (double)x->batch;
        x->pause_s = start_s;
        x->pace_s = c->flexrr.sample_s ? c->flexrr.sample_s(c->flexrr.ctx, w, k, start_s, 1)
                                : oracle_ask(o, w, k, x->batch) / (double)x->batch;
    }
    for (uint64_t check = 0;; check++) {
        if (check > 0) oracle_check(o, start_s, k);
        for (latest_s = 0.0, w = 0; w < c->workers.count; w++) {
            oracle_worker *x = o->worker + w;
            x->end_s = oracle_end(o, x);
            if (x->end_s > latest_s) latest_s = x->end_s;
        }
        if (check == 0)
            every_s = (o->last_s > 0.0 ? o->last_s : latest_s - start_s)
                      / (double)(c->flexrr.checks > 0 ? c->flexrr.checks : 100);
        if (start_s + (double)(check + 1) * every_s >= latest_s) break;
        o->now_s = start_s + (double)(check + 1) * every_s;
    }
    o->now_s = latest_s;
    for (w = 0; w < c->workers.count; w++) oracle_advance(o, o->worker + w);
    return latest_s;
}

/* ---- With barriers ---------------------------------------------------------------- */

static inline void oracle_rebalance(oracle *o, uint64_t k)
{
    const sgdbal_scheme_config *c = o->config;
    const uint64_t known = c->balance.non_blocking ? k - 1 : k;
    if (c->balance.non_blocking && k == 0) return;
    sgdbal_barrier b = {.workers = c->workers.count, .iteration = known, .next = k + 1,
                        .now_s = o->now_s, .time_s = o->time_s + known * c->workers.count,
                        .batch = o->batch + known * c->workers.count};
    for (uint32_t w = 0; w < c->workers.count; w++)
        o->batch[(k + 1) * c->workers.count + w] = o->worker[w].batch;
    c->balance.rebalance(c->balance.ctx, &b, o->batch + (k + 1) * c->workers.count);
    for (uint32_t w = 0; w < c->workers.count && k + 1 < c->length.iterations; w++)
        o->worker[w].batch = o->batch[(k + 1) * c->workers.count + w];
}

/* When as many batches have ended as are needed: every end is counted against all. */
static inline double oracle_kth_end(const oracle *o, uint32_t needed)
{
    const uint32_t n = o->config->workers.count;
    double best = HUGE_VAL;
    for (uint32_t w = 0; w < n; w++) {
        uint32_t by_then = 0;
        for (uint32_t v = 0; v < n; v++) by_then += o->worker[v].end_s <= o->worker[w].end_s;
        if (by_then >= needed && o->worker[w].end_s < best) best = o->worker[w].end_s;
    }
    return best;
}

static inline void oracle_iteration(oracle *o, uint64_t k, uint32_t needed)
{
    const sgdbal_scheme_config *c = o->config;
    const double start_s = o->now_s;
    uint32_t w, left = needed;
    double end_s;
    if (c->scheme == SGDBAL_FLEXRR) {
        end_s = oracle_shed(o, k);
    } else {
        for (w = 0; w < c->workers.count; w++) {
            o->time_s[k * c->workers.count + w] = oracle_ask(o, w, k, o->worker[w].batch);
            o->batch[k * c->workers.count + w] = o->worker[w].batch;
            o->worker[w].end_s = start_s + o->time_s[k * c->workers.count + w];
        }
        end_s = oracle_kth_end(o, needed);
        for (w = 0; w < c->workers.count; w++)
            o->worker[w].computing_s +=
                (o->worker[w].end_s < end_s ? o->worker[w].end_s : end_s) - start_s;
    }
    for (w = 0; w < c->workers.count && left > 0; w++) {
        if (o->worker[w].end_s > end_s) continue;
        o->worker[w].finished++;
        o->samples += o->worker[w].batch;
        o->pushes++;
        left--;
    }
    o->last_s = end_s - start_s;
    o->now_s = end_s + c->barrier_s;
    if (c->scheme != SGDBAL_LB_BSP) return;
    if (!c->balance.non_blocking) o->now_s += c->balance.update_s;
    oracle_rebalance(o, k);
}

static inline void oracle_run(oracle *o)
{
    const sgdbal_scheme_config *c = o->config;
    const uint32_t spare = c->spare > 0 ? c->spare : 2;
    if (c->scheme == SGDBAL_ASP || c->scheme == SGDBAL_SSP) {
        oracle_free_run(o);
        return;
    }
    for (uint64_t k = 0; k < c->length.iterations; k++)
        oracle_iteration(o, k, c->scheme == SGDBAL_REDUNDANT ? c->workers.count - spare
                                                                   : c->workers.count);
}

#endif
