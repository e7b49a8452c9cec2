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

/* ---- Queues of rigid jobs ------------------------------------------------------ */

/* As they are described [MF01]: lists of the jobs that run and that wait, and of times and
 * the nodes free from each on; every one is gone through from its start, O(n) an event and
 * for each job that is planned. No time is to be another one but for rounding. */
typedef struct naive_step { double time_s; long free; } naive_step;

typedef struct naive_queue {
    const sgdsched_rigid *in;
    double *start_s;               /* [jobs] as planned, or as it was                 */
    size_t *running, *waiting;     /* [jobs]                                          */
    size_t  runs, waits, steps;
    naive_step *step;              /* [2 jobs + 2]                                    */
    long    idle;
} naive_queue;

static void naive_cut(naive_queue *q, double time_s)
{
    size_t i = q->steps;
    while (i > 0 && q->step[i - 1].time_s >= time_s) i--;
    if (i < q->steps && q->step[i].time_s <= time_s) return;
    memmove(q->step + i + 1, q->step + i, (q->steps - i) * sizeof *q->step);
    q->step[i].time_s = time_s;
    q->step[i].free = i > 0 ? q->step[i - 1].free : (long)q->in->nodes;
    q->steps++;
}

static void naive_add(naive_queue *q, double from_s, double to_s, long nodes)
{
    size_t i;
    if (!(from_s < to_s)) return;
    naive_cut(q, from_s);
    naive_cut(q, to_s);
    for (i = 0; i < q->steps; i++)
        if (q->step[i].time_s >= from_s && q->step[i].time_s < to_s)
            q->step[i].free += nodes;
}

static double naive_earliest(const naive_queue *q, size_t job)
{
    const long nodes = (long)q->in->job[job].nodes;
    size_t i, k;
    for (i = 0; i < q->steps; i++) {
        const double end_s = q->step[i].time_s + q->in->job[job].walltime_s;
        for (k = i; k < q->steps && q->step[k].time_s < end_s; k++)
            if (q->step[k].free < nodes) break;
        if (k == q->steps || q->step[k].time_s >= end_s) return q->step[i].time_s;
    }
    return HUGE_VAL;
}

static void naive_start(naive_queue *q, size_t at, double now_s)
{
    const size_t job = q->waiting[at];
    q->start_s[job] = now_s;
    q->idle -= (long)q->in->job[job].nodes;
    q->running[q->runs++] = job;
    memmove(q->waiting + at, q->waiting + at + 1, (--q->waits - at) * sizeof *q->waiting);
}

static void naive_easy(naive_queue *q, double now_s)
{
    const sgdsched_rigid_job *job = q->in->job;
    double shadow_s = now_s;
    long free_nodes;
    size_t i, k;
    while (q->waits > 0 && (long)job[q->waiting[0]].nodes <= q->idle)
        naive_start(q, 0, now_s);
    if (q->waits < 2) return;
    for (i = 1; i < q->runs; i++) {                /* in order of walltimes           */
        const size_t held = q->running[i];
        const double end_s = q->start_s[held] + job[held].walltime_s;
        for (k = i; k > 0 && q->start_s[q->running[k - 1]] +
                             job[q->running[k - 1]].walltime_s > end_s; k--)
            q->running[k] = q->running[k - 1];
        q->running[k] = held;
    }
    free_nodes = q->idle;
    for (i = 0; free_nodes < (long)job[q->waiting[0]].nodes; i++) {
        free_nodes += (long)job[q->running[i]].nodes;
        shadow_s = q->start_s[q->running[i]] + job[q->running[i]].walltime_s;
    }
    free_nodes -= (long)job[q->waiting[0]].nodes;
    for (i = 1; i < q->waits;) {
        const sgdsched_rigid_job *j = job + q->waiting[i];
        const int late = now_s + j->walltime_s > shadow_s;
        if ((long)j->nodes > q->idle || (late && (long)j->nodes > free_nodes)) {
            i++;
            continue;
        }
        if (late) free_nodes -= (long)j->nodes;
        naive_start(q, i, now_s);
    }
}

static void naive_conservative(naive_queue *q, double now_s, size_t arrived, int early)
{
    const sgdsched_rigid_job *job = q->in->job;
    size_t i;
    for (i = 0; i < q->waits; i++) {
        const size_t j = q->waiting[i];
        const int is_new = i + arrived >= q->waits;
        if (!early && !is_new) continue;
        if (!is_new)
            naive_add(q, q->start_s[j], q->start_s[j] + job[j].walltime_s, (long)job[j].nodes);
        q->start_s[j] = naive_earliest(q, j);
        naive_add(q, q->start_s[j], q->start_s[j] + job[j].walltime_s, -(long)job[j].nodes);
    }
    for (i = 0; i < q->waits;)
        if (q->start_s[q->waiting[i]] <= now_s) naive_start(q, i, now_s);
        else i++;
}

/* Walltimes are given, and kept. start_s[jobs]. */
static void naive_rigid(const sgdsched_rigid *in, double *start_s)
{
    const sgdsched_rigid_job *job = in->job;
    const int plans = in->policy == SGDSCHED_CONSERVATIVE;
    naive_queue q;
    size_t next = 0, i;
    memset(&q, 0, sizeof q);
    q.in = in;
    q.start_s = start_s;
    q.idle = (long)in->nodes;
    q.running = (size_t *)get_memory(in->jobs, sizeof *q.running);
    q.waiting = (size_t *)get_memory(in->jobs, sizeof *q.waiting);
    q.step = (naive_step *)get_memory(2 * in->jobs + 2, sizeof *q.step);
    while (next < in->jobs || q.runs > 0 || q.waits > 0) {
        double now_s = next < in->jobs ? job[next].arrival_s : HUGE_VAL;
        size_t ends = q.runs, arrived = 0;
        for (i = 0; i < q.runs; i++)
            if (start_s[q.running[i]] + job[q.running[i]].run_s < now_s) {
                now_s = start_s[q.running[i]] + job[q.running[i]].run_s;
                ends = i;
            }
        for (i = 0; i < q.waits && plans; i++)
            if (start_s[q.waiting[i]] < now_s) {
                now_s = start_s[q.waiting[i]];
                ends = q.runs;
            }
        for (i = 0; i + 1 < q.steps && q.step[i + 1].time_s <= now_s; i++) {}
        memmove(q.step, q.step + i, (q.steps -= i) * sizeof *q.step);
        if (q.steps > 0 && q.step[0].time_s < now_s) q.step[0].time_s = now_s;
        if (q.steps == 0) naive_cut(&q, now_s);
        if (ends < q.runs) {
            const size_t gone = q.running[ends];
            q.idle += (long)job[gone].nodes;
            if (plans) naive_add(&q, now_s, start_s[gone] + job[gone].walltime_s,
                                 (long)job[gone].nodes);
            q.running[ends] = q.running[--q.runs];
        } else if (next < in->jobs && job[next].arrival_s <= now_s) {
            q.waiting[q.waits++] = next++;
            arrived = 1;
        }
        if (plans) naive_conservative(&q, now_s, arrived, ends < q.runs + 1 && !arrived);
        else naive_easy(&q, now_s);
    }
    free(q.step);
    free(q.waiting);
    free(q.running);
}

#endif /* SGDPERF_NAIVE_SCHED_H */
