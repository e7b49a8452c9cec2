/* oracle_rigid.h - queues of rigid jobs once more, from the definitions: what is free at a
 * time is counted over all jobs, whenever it is asked for, and every time at which it may
 * change is tried. O(n^2) for each job that is planned. It shares nothing with the library.
 *
 *   FCFS          the first that waits starts while it fits.
 *   EASY          then, the first not fitting, its start is planned by the walltimes of the
 *                 jobs that run; others start, in order, that do not delay it.
 *   CONSERVATIVE  a job gets, on arrival, the earliest start at which all that is planned
 *                 leaves room for it; when one ended early, each job that waits is taken out
 *                 of the plan and put in again, in order of arrival.
 *   SJF, smallest the first that waits in order of walltime, or of nodes, while it fits. */
#ifndef TESTS_ORACLE_RIGID_H
#define TESTS_ORACLE_RIGID_H

#include <stddef.h>
#include <stdlib.h>

typedef struct oracle_rigid_job {
    double arrive, run, asked;     /* asked >= run                                    */
    double start, until;           /* as planned, or done; until = start + asked      */
    long   nodes;
    int    state;                  /* 0 to come, 1 waits, 2 runs, 3 has left, 4 waits */
                                   /*   until there are as many nodes                 */
} oracle_rigid_job;

typedef enum oracle_rigid_policy {
    ORACLE_FCFS, ORACLE_EASY, ORACLE_CONSERVATIVE, ORACLE_SJF, ORACLE_SMALLEST
} oracle_rigid_policy;

/* Not after, but for rounding. */
static int oracle_rigid_by(double a, double b) { return a <= b + 1e-12 * b; }

/* Nodes in use at a time by jobs other than `but`: of those that run, and, where `planned`
 * says so, of those that wait and have a plan. A job is gone at its end. */
static long oracle_rigid_used(const oracle_rigid_job *job, size_t n, size_t but, double at,
                              int planned)
{
    long used = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == but || !(job[i].state == 2 || (planned && job[i].state == 1))) continue;
        if (job[i].start >= 0.0 && oracle_rigid_by(job[i].start, at) &&
            !oracle_rigid_by(job[i].until, at))
            used += job[i].nodes;
    }
    return used;
}

/* Does job j fit from a time on, for as long as it asked? Use only rises where some job
 * starts. */
static int oracle_rigid_fits(const oracle_rigid_job *job, size_t n, size_t j, double at,
                             long nodes)
{
    if (oracle_rigid_used(job, n, j, at, 1) + job[j].nodes > nodes) return 0;
    for (size_t i = 0; i < n; i++) {
        if (i == j || job[i].state != 1 || job[i].start < 0.0) continue;
        if (oracle_rigid_by(job[i].start, at)) continue;
        if (oracle_rigid_by(at + job[j].asked, job[i].start)) continue;
        if (oracle_rigid_used(job, n, j, job[i].start, 1) + job[j].nodes > nodes) return 0;
    }
    return 1;
}

/* The earliest time from now on at which it does: now, or when some job ends. */
static double oracle_rigid_earliest(const oracle_rigid_job *job, size_t n, size_t j, double now,
                                    long nodes)
{
    double best = -1.0;
    if (oracle_rigid_fits(job, n, j, now, nodes)) return now;
    for (size_t i = 0; i < n; i++) {
        if (i == j || (job[i].state != 1 && job[i].state != 2) || job[i].start < 0.0) continue;
        if (oracle_rigid_by(job[i].until, now)) continue;
        if (best >= 0.0 && job[i].until >= best) continue;
        if (oracle_rigid_fits(job, n, j, job[i].until, nodes)) best = job[i].until;
    }
    return best;
}

static void oracle_rigid_plan(oracle_rigid_job *job, size_t n, size_t j, double now, long nodes)
{
    job[j].start = oracle_rigid_earliest(job, n, j, now, nodes);
    job[j].until = job[j].start + job[j].asked;
}

static void oracle_rigid_start(oracle_rigid_job *job, size_t j, double now, long *idle)
{
    job[j].state = 2;
    job[j].start = now;
    job[j].until = now + job[j].asked;
    *idle -= job[j].nodes;
}

/* The first that waits: by arrival, by time asked for, or by nodes. n: none does. */
static size_t oracle_rigid_first(const oracle_rigid_job *job, size_t n,
                                 oracle_rigid_policy policy)
{
    size_t first = n, i;
    for (i = 0; i < n; i++) {
        if (job[i].state != 1) continue;
        if (first == n || (policy == ORACLE_SJF && job[i].asked < job[first].asked) ||
            (policy == ORACLE_SMALLEST && job[i].nodes < job[first].nodes))
            first = i;
    }
    return first;
}

/* The earliest time, now or the end of one that runs, at which enough are free for it. A
 * job that runs beyond what it asked for may end now. */
static double oracle_rigid_shadow(const oracle_rigid_job *job, size_t n, size_t head,
                                  double now, long nodes)
{
    double shadow = -1.0;
    for (size_t i = 0; i < n; i++) {
        const double end = job[i].until > now ? job[i].until : now;
        if (job[i].state != 2 || (shadow >= 0.0 && end >= shadow)) continue;
        if (nodes - oracle_rigid_used(job, n, n, end, 0) >= job[head].nodes) shadow = end;
    }
    return shadow;
}

static void oracle_rigid_backfill(oracle_rigid_job *job, size_t n, size_t head, double now,
                                  long nodes, long *idle)
{
    const double shadow = oracle_rigid_shadow(job, n, head, now, nodes);
    long extra = nodes - oracle_rigid_used(job, n, n, shadow, 0) - job[head].nodes;
    for (size_t i = head + 1; i < n; i++) {
        if (job[i].state != 1 || job[i].nodes > *idle) continue;
        if (!oracle_rigid_by(now + job[i].asked, shadow)) {
            if (job[i].nodes > extra) continue;
            extra -= job[i].nodes;
        }
        oracle_rigid_start(job, i, now, idle);
    }
}

static void oracle_rigid_decide(oracle_rigid_job *job, size_t n, oracle_rigid_policy policy,
                                double now, int early, long nodes, long *idle)
{
    if (policy != ORACLE_CONSERVATIVE) {
        size_t head;
        while ((head = oracle_rigid_first(job, n, policy)) < n && job[head].nodes <= *idle)
            oracle_rigid_start(job, head, now, idle);
        if (head < n && policy == ORACLE_EASY)
            oracle_rigid_backfill(job, n, head, now, nodes, idle);
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (job[i].state == 1 && early && job[i].start >= 0.0)
            oracle_rigid_plan(job, n, i, now, nodes);
    for (size_t i = 0; i < n; i++)
        if (job[i].state == 1 && job[i].start < 0.0) oracle_rigid_plan(job, n, i, now, nodes);
    for (size_t i = 0; i < n; i++)
        if (job[i].state == 1 && oracle_rigid_by(job[i].start, now) && job[i].nodes <= *idle)
            oracle_rigid_start(job, i, now, idle);
}

/* start of every job; they come in order of arrival. */
static void oracle_rigid_run(oracle_rigid_job *job, size_t n, oracle_rigid_policy policy,
                             long nodes)
{
    long idle = nodes;
    size_t left = 0, i;
    for (i = 0; i < n; i++) { job[i].state = 0; job[i].start = -1.0; }
    while (left < n) {
        double now = -1.0;
        int early = 0;
        for (i = 0; i < n; i++) {  /* the next arrival, end, or planned start         */
            const double at = job[i].state == 0 ? job[i].arrive
                            : job[i].state == 2 ? job[i].start + job[i].run
                            : job[i].state == 1 ? job[i].start : -1.0;
            if (at >= 0.0 && (now < 0.0 || at < now)) now = at;
        }
        for (i = 0; i < n; i++) {
            if (job[i].state == 2 && oracle_rigid_by(job[i].start + job[i].run, now)) {
                job[i].state = 3;
                idle += job[i].nodes;
                left++;
                if (!oracle_rigid_by(job[i].until, now)) early = 1;
            }
            if (job[i].state == 0 && oracle_rigid_by(job[i].arrive, now)) job[i].state = 1;
        }
        oracle_rigid_decide(job, n, policy, now, early, nodes, &idle);
        if (idle < 0) abort();
    }
}

#endif /* TESTS_ORACLE_RIGID_H */
