/* naive_sched.h - decisions and the cluster simulation as the papers print them: for
 * every node count S, gain and S/E of every job anew, for every job that is picked, and
 * every event looks at every job that is present [LPCG18 IV] */
#ifndef SGDPERF_NAIVE_SCHED_H
#define SGDPERF_NAIVE_SCHED_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../sgdperf_sched.h"

typedef struct naive_job {
    const sgdsched_curve *curve;                   /* throughputs                     */
    double   remaining, arrival_s;
    uint32_t nodes, held, wants;
    size_t   chunk;                                /* JSQ                             */
} naive_job;

static double naive_time(const naive_job *j, uint32_t w)
{
    return j->remaining / j->curve->throughput_per_s[(w < j->curve->nodes ? w
                                                      : j->curve->nodes) - 1];
}

static double naive_metric(const sgdsched_rules *rules, const naive_job *j, uint32_t w)
{
    const double s = naive_time(j, w);             /* S, or S/E                       */
    return rules->policy == SGDSCHED_HELL ? s * ((double)w * s) / naive_time(j, 1) : s;
}

static double naive_gain(const naive_job *j, uint32_t w)
{
    return (naive_time(j, w - 1) - naive_time(j, w)) / naive_time(j, w - 1);
}

/* HELL, KNEE, moldable KNEE. */
static uint32_t naive_choice(const sgdsched_rules *rules, const naive_job *j, uint32_t budget)
{
    const double alpha = rules->policy == SGDSCHED_MOLDABLE_KNEE ? 0.01 + rules->load * 0.06
                                                                 : 0.01;
    uint32_t best = 1, w;
    if (budget > j->curve->nodes) budget = j->curve->nodes;
    for (w = 2; w <= budget && rules->policy != SGDSCHED_HELL; w++)
        if (naive_gain(j, w) >= alpha && naive_gain(j, w + 1) < alpha) return w;
    for (w = 2; w <= budget; w++)
        if (naive_metric(rules, j, w) < naive_metric(rules, j, best)) best = w;
    return best;
}

/* [LPCG18 eq. 5] */
static uint32_t naive_fill(naive_job *job, size_t jobs, uint32_t left)
{
    for (;;) {
        double m = HUGE_VAL;
        size_t i, best = jobs;
        uint32_t extra;
        for (i = 0; i < jobs; i++)
            if (job[i].nodes > 0 && naive_time(job + i, job[i].nodes) < m)
                m = naive_time(job + i, job[i].nodes);
        for (extra = 1; extra <= left && best == jobs; extra++)
            for (i = 0; i < jobs; i++) {
                const double s = naive_time(job + i, job[i].nodes + extra);
                if (s < m && (best == jobs || s < naive_time(job + best,
                                                             job[best].nodes + extra)))
                    best = i;
            }
        if (best == jobs) return left;
        job[best].nodes += extra - 1;
        left -= extra - 1;
    }
}

/* Returns the idle nodes. */
static uint32_t naive_decide(const sgdsched_rules *rules, naive_job *job, size_t jobs)
{
    const int moldable = rules->policy == SGDSCHED_MOLDABLE_KNEE;
    uint32_t left = rules->nodes;
    size_t i;
    for (i = 0; i < jobs; i++) job[i].nodes = 0;
    while (left > 0) {
        size_t best = jobs;
        for (i = 0; i < jobs; i++) {
            naive_job *j = job + i;
            if (j->nodes > 0) continue;
            if (!moldable) j->wants = naive_choice(rules, j, left);
            else j->wants = j->held > 0 ? j->held : naive_choice(rules, j, rules->nodes);
            if (j->wants <= left && (best == jobs || naive_metric(rules, j, j->wants) <
                                     naive_metric(rules, job + best, job[best].wants)))
                best = i;
        }
        if (best == jobs) break;
        job[best].nodes = job[best].held = job[best].wants;
        left -= job[best].nodes;
    }
    return rules->fill ? naive_fill(job, jobs, left) : left;
}

/* The first job of every chunk runs. */
static void naive_run_chunks(naive_job *job, size_t jobs, size_t chunks, uint32_t nodes)
{
    size_t chunk, i;
    for (i = 0; i < jobs; i++) job[i].nodes = 0;
    for (chunk = 0; chunk < chunks; chunk++)
        for (i = 0; i < jobs; i++)
            if (job[i].chunk == chunk) { job[i].nodes = nodes; break; }
}

static size_t naive_shortest(const naive_job *job, size_t jobs, size_t chunks)
{
    size_t best = 0, fewest = (size_t)-1, chunk, i;
    for (chunk = 0; chunk < chunks; chunk++) {
        size_t count = 0;
        for (i = 0; i < jobs; i++) count += job[i].chunk == chunk;
        if (count < fewest) { fewest = count; best = chunk; }
    }
    return best;
}

/* The mean response time of jobs that arrive[jobs]; present: room for as many. */
static double naive_cluster(const sgdsched_cluster *in, const sgdsched_arrival *arrive,
                            size_t jobs, naive_job *present)
{
    const int jsq = in->rules.policy == SGDSCHED_JSQ;
    const size_t chunks = jsq ? in->rules.nodes / in->chunk : 0;
    double now_s = 0.0, sum_s = 0.0;
    size_t count = 0, next = 0, i;
    while (next < jobs || count > 0) {
        double least_s = next < jobs ? arrive[next].time_s - now_s : HUGE_VAL;
        size_t first = count;
        for (i = 0; i < count; i++)
            if (present[i].nodes > 0 && naive_time(present + i, present[i].nodes) < least_s) {
                first = i;
                least_s = naive_time(present + i, present[i].nodes);
            }
        now_s += least_s;
        for (i = 0; i < count; i++)
            if (present[i].nodes > 0)
                present[i].remaining *= 1.0 - least_s / naive_time(present + i,
                                                                   present[i].nodes);
        if (first < count) {
            sum_s += now_s - present[first].arrival_s;
            memmove(present + first, present + first + 1,
                    (--count - first) * sizeof *present);
        } else {
            naive_job *j = present + count;
            memset(j, 0, sizeof *j);
            j->curve = in->curve + arrive[next].curve;
            j->remaining = arrive[next].size;
            j->arrival_s = arrive[next++].time_s;
            if (jsq) j->chunk = naive_shortest(present, count, chunks);
            count++;
        }
        if (jsq) naive_run_chunks(present, count, chunks, in->chunk);
        else (void)naive_decide(&in->rules, present, count);
    }
    return sum_s / (double)jobs;
}

#endif /* SGDPERF_NAIVE_SCHED_H */
