/* oracle_queue.h - the live queue of sgdperf_sched.h and the literal model of oracle_rigid.h
 * side by side, through whatever happens: jobs come, end early, late or never, are
 * cancelled and given other walltimes; nodes fail and return; calls that are not allowed
 * are refused, and change nothing. Times are whole, so that nothing is rounded. */
#ifndef TESTS_ORACLE_QUEUE_H
#define TESTS_ORACLE_QUEUE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_rigid.h"

enum { ORACLE_QUEUE_ROOM = 14, ORACLE_QUEUE_JOBS = 90, ORACLE_QUEUE_NODES = 12 };

/* Small whole numbers, one after the other, and whether there are more. */
typedef struct oracle_dice {
    unsigned (*next)(void *ctx);
    int (*more)(void *ctx);
    void *ctx;
} oracle_dice;

typedef struct oracle_queue {
    oracle_rigid_job job[ORACLE_QUEUE_JOBS];
    size_t jobs, of[ORACLE_QUEUE_ROOM]; /* JOBS: no job has this number               */
    long   most, nodes, idle;
    double now;
    int    early;
    sgdsched_queueing policy;
    sgdsched_queue *q;
} oracle_queue;

/* All plans of those that wait are given up. */
static void oracle_queue_scrap(oracle_queue *m)
{
    for (size_t i = 0; i < m->jobs; i++) if (m->job[i].state == 1) m->job[i].start = -1.0;
    m->early = 0;
}

static int oracle_queue_submit(oracle_queue *m, oracle_dice *d)
{
    const size_t slot = d->next(d->ctx) % (ORACLE_QUEUE_ROOM + 1);
    const uint32_t nodes = d->next(d->ctx) % (unsigned)(m->most + 2);
    const unsigned code = d->next(d->ctx);
    const double wall = code < 240 ? code % 16 + 1 : code < 246 ? 0.0 : (double)NAN;
    const sgdsched_status status = sgdsched_queue_submit(m->q, slot, nodes, wall);
    oracle_rigid_job *j = m->job + m->jobs;
    if (slot == ORACLE_QUEUE_ROOM || nodes == 0 || (long)nodes > m->most || !(wall > 0.0))
        return status == SGDSCHED_BAD_ARGUMENT;
    if (m->of[slot] < ORACLE_QUEUE_JOBS) return status == SGDSCHED_BAD_JOB;
    m->of[slot] = m->jobs++;
    j->asked = wall;
    j->nodes = (long)nodes;
    j->start = -1.0;
    j->state = j->nodes > m->nodes ? 4 : 1;
    return status == SGDSCHED_OK;
}

static int oracle_queue_end(oracle_queue *m, oracle_dice *d)
{
    const size_t slot = d->next(d->ctx) % (ORACLE_QUEUE_ROOM + 1);
    const sgdsched_status status = sgdsched_queue_leave(m->q, slot);
    if (slot == ORACLE_QUEUE_ROOM || m->of[slot] == ORACLE_QUEUE_JOBS)
        return status == SGDSCHED_BAD_JOB;
    oracle_rigid_job *j = m->job + m->of[slot];
    if (j->state == 2) m->idle += j->nodes;
    if (j->state != 4 && j->start >= 0.0 && j->until > m->now) m->early = 1;
    j->state = 3;
    m->of[slot] = ORACLE_QUEUE_JOBS;
    return status == SGDSCHED_OK;
}

static int oracle_queue_set_walltime(oracle_queue *m, oracle_dice *d)
{
    const size_t slot = d->next(d->ctx) % ORACLE_QUEUE_ROOM;
    const double wall = d->next(d->ctx) % 17;
    const sgdsched_status status = sgdsched_queue_set_walltime(m->q, slot, wall);
    if (!(wall > 0.0)) return status == SGDSCHED_BAD_ARGUMENT;
    if (m->of[slot] == ORACLE_QUEUE_JOBS) return status == SGDSCHED_BAD_JOB;
    oracle_rigid_job *j = m->job + m->of[slot];
    j->asked = wall;
    if (j->state == 2 && j->start + wall > j->until) oracle_queue_scrap(m);
    if (j->state != 4 && j->start >= 0.0 && j->until > m->now) m->early = 1;
    if (j->state == 1) j->start = -1.0;
    if (j->state == 2) j->until = j->start + wall;
    return status == SGDSCHED_OK;
}

static int oracle_queue_set_nodes(oracle_queue *m, oracle_dice *d)
{
    const long nodes = (long)(d->next(d->ctx) % (unsigned)(m->most + 2));
    const long used = m->nodes - m->idle;
    const sgdsched_status status = sgdsched_queue_set_nodes(m->q, (uint32_t)nodes);
    if (nodes > m->most || nodes < used) return status == SGDSCHED_BAD_ARGUMENT;
    if (nodes < m->nodes) oracle_queue_scrap(m);
    if (nodes > m->nodes) m->early = 1;
    m->nodes = nodes;
    m->idle = nodes - used;
    for (size_t i = 0; i < m->jobs; i++) {
        if (m->job[i].state == 1 && m->job[i].nodes > nodes) m->job[i].state = 4;
        if (m->job[i].state != 4 || m->job[i].nodes > nodes) continue;
        m->job[i].state = 1;
        m->job[i].start = -1.0;
    }
    return status == SGDSCHED_OK;
}

static int oracle_queue_advance(oracle_queue *m, oracle_dice *d)
{
    const unsigned code = d->next(d->ctx);
    const double next = sgdsched_queue_next_s(m->q);
    double now = m->now + code % 4;
    if (code >= 128 && next <= 1e9) now = next;            /* not before m->now       */
    if (code >= 252) return now <= 0.0 ||
                            sgdsched_queue_advance(m->q, code == 252 ? m->now - 1.0
                                                   : (double)NAN) == SGDSCHED_BAD_ARGUMENT;
    if (now < m->now) return 0;
    m->now = now;
    return sgdsched_queue_advance(m->q, now) == SGDSCHED_OK;
}

/* Do both know the same of a job? */
static int oracle_queue_agrees(const oracle_queue *m, size_t slot)
{
    const double at = sgdsched_queue_start_s(m->q, slot);
    const oracle_rigid_job *j = m->job + m->of[slot];
    const size_t first = oracle_rigid_first(m->job, m->jobs, ORACLE_EASY);
    double want = HUGE_VAL;
    if (m->of[slot] == ORACLE_QUEUE_JOBS) return at > 1e300;
    if (j->state == 2) want = j->start;
    if (j->state == 1 && m->policy == SGDSCHED_CONSERVATIVE) want = j->start;
    if (j->state == 1 && m->policy == SGDSCHED_EASY && m->of[slot] == first)
        want = oracle_rigid_shadow(m->job, m->jobs, first, m->now, m->nodes);
    return at <= want && at >= want;
}

static int oracle_queue_decide(oracle_queue *m)
{
    size_t start[ORACLE_QUEUE_ROOM], starts = 0, ran = 0, i, k;
    long used = 0;
    for (i = 0; i < m->jobs; i++) ran += m->job[i].state == 2;
    for (i = 0; i < m->jobs && m->policy == SGDSCHED_CONSERVATIVE; i++)
        if (m->job[i].state == 1 && m->job[i].start >= 0.0 && m->job[i].start < m->now)
            oracle_queue_scrap(m);
    oracle_rigid_decide(m->job, m->jobs, (oracle_rigid_policy)m->policy, m->now, m->early,
                        m->nodes, &m->idle);
    m->early = 0;
    if (sgdsched_queue_decide(m->q, start, &starts) != SGDSCHED_OK) return 0;
    for (i = 0; i < m->jobs; i++) {
        ran -= m->job[i].state == 2;
        if (m->job[i].state == 2) used += m->job[i].nodes;
    }
    if (ran + starts != 0 || used + m->idle != m->nodes || m->idle < 0) return 0;
    for (k = 0; k < starts; k++) {
        const oracle_rigid_job *j = m->job + m->of[start[k]];
        if (m->of[start[k]] == ORACLE_QUEUE_JOBS || j->state != 2 || j->start < m->now)
            return 0;
    }
    for (i = 0; i < ORACLE_QUEUE_ROOM; i++) if (!oracle_queue_agrees(m, i)) return 0;
    return (long)sgdsched_queue_idle_nodes(m->q) == m->idle;
}

/* Plays until the dice are out; 0: the two disagree. */
static int oracle_queue_play(oracle_dice *d)
{
    static oracle_queue m;
    size_t need = 0, i;
    int good = 1;
    memset(&m, 0, sizeof m);
    m.policy = (sgdsched_queueing)(d->next(d->ctx) % SGDSCHED_QUEUEING_COUNT);
    m.most = m.nodes = m.idle = 1 + (long)(d->next(d->ctx) % ORACLE_QUEUE_NODES);
    for (i = 0; i < ORACLE_QUEUE_ROOM; i++) m.of[i] = ORACLE_QUEUE_JOBS;
    if (sgdsched_queue_open_bytes((uint32_t)m.most, m.policy, ORACLE_QUEUE_ROOM, &need) !=
        SGDSCHED_OK)
        return 0;
    void *work = malloc(need);
    if (!work) abort();
    memset(work, 0xa5, need);
    good = sgdsched_queue_open((uint32_t)m.most, m.policy, ORACLE_QUEUE_ROOM, work, need,
                               &m.q) == SGDSCHED_OK;
    while (good && d->more(d->ctx) && m.jobs + 1 < ORACLE_QUEUE_JOBS) {
        const unsigned code = d->next(d->ctx) % 32;
        if (code < 9) good = oracle_queue_submit(&m, d);
        else if (code < 15) good = oracle_queue_end(&m, d);
        else if (code < 17) good = oracle_queue_set_walltime(&m, d);
        else if (code < 18) good = oracle_queue_set_nodes(&m, d);
        else if (code < 24) good = oracle_queue_advance(&m, d);
        else good = oracle_queue_decide(&m);
    }
    if (good) good = oracle_queue_decide(&m);
    free(work);
    return good;
}

#endif /* TESTS_ORACLE_QUEUE_H */
