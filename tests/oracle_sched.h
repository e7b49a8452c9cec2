/* oracle_sched.h - scheduling decisions once more, to the letter of [LPCG18]: every job's
 * S, gain and S/E are found anew from its curve for every comparison, and all jobs are
 * looked at for every pick. O(M W) a pick.
 *
 * Numbers are quotients that are compared by their products, and so exactly, where jobs
 * and curves are small whole numbers. */
#ifndef TESTS_ORACLE_SCHED_H
#define TESTS_ORACLE_SCHED_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct oracle_ratio { double up, down; } oracle_ratio;

typedef struct oracle_task {
    const sgdsched_curve *curve;
    double   key;                  /* J0^gamma J^(1-gamma)                            */
    uint32_t held;
    uint32_t least, most, gang;    /* allowed: multiples of gang between them         */
} oracle_task;

static int oracle_less(oracle_ratio a, oracle_ratio b)
{
    return a.up * b.down < b.up * a.down;
}

static oracle_task oracle_take(const sgdsched_rules *rules, const sgdsched_curve *curve,
                               const sgdsched_job *job)
{
    const double size = job->size > 0.0 ? job->size : job->remaining;
    oracle_task t = {.curve = curve + job->curve};
    t.key = pow(size, rules->gamma) * pow(job->remaining, 1.0 - rules->gamma);
    t.held = job->held;
    t.gang = job->gang_nodes ? job->gang_nodes : 1;
    t.most = job->max_nodes && job->max_nodes < rules->nodes ? job->max_nodes : rules->nodes;
    for (t.least = t.gang; t.least < job->min_nodes; t.least += t.gang) {}
    return t;
}

static int oracle_allows(const oracle_task *t, uint32_t w)
{
    return w >= t->least && w <= t->most && w % t->gang == 0;
}

/* A job that is restricted gains nothing past its most nodes, one that is not past the end
 * of its table. */
static int oracle_is_limited(const sgdsched_rules *rules, const oracle_task *t)
{
    return t->gang > 1 || t->least > 1 || t->most < rules->nodes;
}

/* S(w) */
static oracle_ratio oracle_time(const oracle_task *t, uint32_t w)
{
    const uint32_t at = (w < t->curve->nodes ? w : t->curve->nodes) - 1;
    return (oracle_ratio){.up = t->key * (t->curve->service_s ? t->curve->service_s[at] : 1.0),
                          .down = t->curve->service_s ? 1.0 : t->curve->throughput_per_s[at]};
}

/* S(w) / E(w), E(w) = S(1) / (w S(w)) */
static oracle_ratio oracle_trade(const oracle_task *t, uint32_t w)
{
    const oracle_ratio one = oracle_time(t, 1), s = oracle_time(t, w);
    return (oracle_ratio){.up = s.up * (double)w * s.up * one.down / t->key,
                          .down = s.down * s.down * one.up / t->key};
}

/* R1, R3: the gain past the end of a table is 0, since S(w) = S(w - 1) there. */
static double oracle_gain(const sgdsched_rules *rules, const oracle_task *t, uint32_t w)
{
    const oracle_ratio before = oracle_time(t, w - t->gang), after = oracle_time(t, w);
    if (oracle_is_limited(rules, t) && w > t->most) return 0.0;
    return (before.up * after.down - after.up * before.down) / (before.up * after.down);
}

/* R7 and its defaults. */
static double oracle_alpha(const sgdsched_rules *rules)
{
    const int ends = fabs(rules->alpha_low) > 0.0 || fabs(rules->alpha_high) > 0.0;
    const double low = ends ? rules->alpha_low : 0.01;
    const double high = ends ? rules->alpha_high : 0.07;
    if (rules->policy == SGDSCHED_MOLDABLE_KNEE && rules->alpha_by_load)
        return fabs(low + rules->load * (high - low));
    return fabs(rules->alpha) > 0.0 ? fabs(rules->alpha) : 0.01;
}

static int oracle_is_hell(const sgdsched_rules *rules)
{
    return rules->policy == SGDSCHED_HELL || rules->policy == SGDSCHED_MOLDABLE_HELL;
}

/* R1 to R4: the nodes for a job of at most `budget`, 0 if none are allowed. Nobody gains
 * from nodes past the end of the table. */
static uint32_t oracle_choice(const sgdsched_rules *rules, const oracle_task *t,
                              uint32_t budget)
{
    const double alpha = oracle_alpha(rules);
    uint32_t w, best = t->least;
    if (budget < t->least) return 0;
    if (oracle_is_hell(rules)) {
        for (w = 2; w <= budget; w++)
            if (oracle_allows(t, w) && oracle_less(oracle_trade(t, w), oracle_trade(t, best)))
                best = w;
        return best;
    }
    for (w = t->least + 1; w <= budget; w++)
        if (oracle_allows(t, w) && oracle_gain(rules, t, w) >= alpha &&
            oracle_gain(rules, t, w + t->gang) < alpha)
            return w;
    for (w = 2; w <= budget; w++)
        if (oracle_allows(t, w) && oracle_less(oracle_time(t, w), oracle_time(t, best)))
            best = w;
    return best;
}

static oracle_ratio oracle_metric(const sgdsched_rules *rules, const oracle_task *t,
                                  uint32_t w)
{
    return oracle_is_hell(rules) ? oracle_trade(t, w) : oracle_time(t, w);
}

/* The job of least metric(w(job)) of those not done that have a w, the first among equals;
 * jobs: none */
static size_t oracle_first(const sgdsched_rules *rules, const oracle_task *task,
                           size_t jobs, const int *done, const uint32_t *w)
{
    size_t i, best = jobs;
    for (i = 0; i < jobs; i++)
        if (!done[i] && w[i] > 0 &&
            (best == jobs || oracle_less(oracle_metric(rules, task + i, w[i]),
                                         oracle_metric(rules, task + best, w[best]))))
            best = i;
    return best;
}

/* R5 */
static uint32_t oracle_fill(const oracle_task *task, size_t jobs, uint32_t left,
                            uint32_t *nodes)
{
    for (;;) {
        oracle_ratio m = {1.0, 0.0};
        size_t i, best = jobs;
        uint32_t extra;
        for (i = 0; i < jobs; i++)
            if (nodes[i] > 0 && oracle_less(oracle_time(task + i, nodes[i]), m))
                m = oracle_time(task + i, nodes[i]);
        for (extra = 1; extra <= left && best == jobs; extra++)
            for (i = 0; i < jobs; i++) {
                const oracle_ratio s = oracle_time(task + i, nodes[i] + extra);
                if (nodes[i] > 0 && oracle_allows(task + i, nodes[i] + extra) &&
                    oracle_less(s, m) &&
                    (best == jobs ||
                     oracle_less(s, oracle_time(task + best, nodes[best] + extra))))
                    best = i;
            }
        if (best == jobs) return left;
        nodes[best] += extra - 1;
        left -= extra - 1;
    }
}

/* R6: a job that has not started wants what it would of an empty cluster. */
static uint32_t oracle_moldable(const sgdsched_rules *rules, const oracle_task *task,
                                size_t jobs, int *done, uint32_t *w, uint32_t *nodes)
{
    uint32_t left = rules->nodes;
    size_t i;
    for (i = 0; i < jobs; i++)
        w[i] = task[i].held ? task[i].held : oracle_choice(rules, task + i, rules->nodes);
    for (;;) {
        i = oracle_first(rules, task, jobs, done, w);
        if (i == jobs || (rules->head_of_line && w[i] > left)) return left;
        done[i] = 1;
        if (w[i] > left) continue;
        nodes[i] = w[i];
        left -= w[i];
    }
}

/* Algorithms 1 and 2 */
static uint32_t oracle_malleable(const sgdsched_rules *rules, const oracle_task *task,
                                 size_t jobs, int *done, uint32_t *w, uint32_t *nodes)
{
    uint32_t left = rules->nodes;
    size_t i;
    while (left > 0) {
        for (i = 0; i < jobs; i++) w[i] = oracle_choice(rules, task + i, left);
        i = oracle_first(rules, task, jobs, done, w);
        if (i == jobs) break;
        nodes[i] = w[i];
        left -= w[i];
        done[i] = 1;
    }
    return rules->fill ? oracle_fill(task, jobs, left, nodes) : left;
}

/* The same three where jobs have limits. In order of S on all that are allowed, or on the
 * least: as many as are left, or the least; then, for equal shares, gang after gang. */
static uint32_t oracle_simple_limited(const sgdsched_rules *rules, const oracle_task *task,
                                      size_t jobs, int *done, uint32_t *w, uint32_t *nodes)
{
    const int all = rules->policy == SGDSCHED_SRPT;
    uint32_t left = rules->nodes, some;
    size_t i, best;
    for (i = 0; i < jobs; i++)
        w[i] = all ? task[i].most / task[i].gang * task[i].gang : task[i].least;
    while ((i = oracle_first(rules, task, jobs, done, w)) < jobs) {
        done[i] = 1;
        for (some = all ? left : task[i].least; some > 0 && nodes[i] == 0; some--)
            if (some <= left && oracle_allows(task + i, some)) nodes[i] = some;
        left -= nodes[i];
    }
    if (rules->policy == SGDSCHED_WATERFILL) return oracle_fill(task, jobs, left, nodes);
    while (!all) {
        for (best = jobs, i = 0; i < jobs; i++) {
            if (nodes[i] == 0 || task[i].gang > left ||
                !oracle_allows(task + i, nodes[i] + task[i].gang))
                continue;
            if (best == jobs || nodes[i] < nodes[best] ||
                (nodes[i] == nodes[best] &&
                 oracle_less(oracle_time(task + i, w[i]), oracle_time(task + best, w[best]))))
                best = i;
        }
        if (best == jobs) break;
        nodes[best] += task[best].gang;
        left -= task[best].gang;
    }
    return left;
}

/* R8, R9: SRPT, Waterfill and equal shares, all in order of S(w) at one w. */
static uint32_t oracle_simple(const sgdsched_rules *rules, const oracle_task *task,
                              size_t jobs, int *done, uint32_t *w, uint32_t *nodes)
{
    const uint32_t all = rules->nodes;
    uint32_t left = all;
    size_t i;
    for (i = 0; i < jobs; i++)
        if (oracle_is_limited(rules, task + i))
            return oracle_simple_limited(rules, task, jobs, done, w, nodes);
    for (i = 0; i < jobs; i++) {
        w[i] = rules->policy == SGDSCHED_SRPT ? all : 1;
        if (rules->policy == SGDSCHED_EQUAL) nodes[i] = all / (uint32_t)jobs;
        left -= nodes[i];
    }
    while (left > 0) {
        i = oracle_first(rules, task, jobs, done, w);
        if (i == jobs) break;
        nodes[i] += w[i];
        left -= w[i];
        done[i] = 1;
    }
    return rules->policy == SGDSCHED_WATERFILL ? oracle_fill(task, jobs, left, nodes)
                                               : left;
}

/* Returns the idle nodes. done and w: [jobs] scratch. */
static uint32_t oracle_decide(const sgdsched_rules *rules, const oracle_task *task,
                              size_t jobs, int *done, uint32_t *w, uint32_t *nodes)
{
    for (size_t i = 0; i < jobs; i++) {
        done[i] = 0;
        nodes[i] = 0;
    }
    switch (rules->policy) {
    case SGDSCHED_HELL:
    case SGDSCHED_KNEE:
        return oracle_malleable(rules, task, jobs, done, w, nodes);
    case SGDSCHED_MOLDABLE_HELL:
    case SGDSCHED_MOLDABLE_KNEE:
        return oracle_moldable(rules, task, jobs, done, w, nodes);
    default:
        return oracle_simple(rules, task, jobs, done, w, nodes);
    }
}

#endif /* TESTS_ORACLE_SCHED_H */
