/* naive_sim.h - the simulator's textbook form, as the papers print it: every event looks
 * at every chunk in service [LYPG20 3.4], O(n). Equal sharing, asynchronous, one server. */
#ifndef SGDPERF_NAIVE_SIM_H
#define SGDPERF_NAIVE_SIM_H

#include <stdlib.h>
#include <string.h>

#include "../sgdperf_sim.h"

enum { NAIVE_QUEUES = 4 };

typedef struct naive_worker {
    size_t   left, steps;
    size_t  *waits;                               /* [ops]                            */
    size_t  *queue[NAIVE_QUEUES], head[NAIVE_QUEUES], tail[NAIVE_QUEUES]; /* FIFOs    */
    int      busy[NAIVE_QUEUES];
    double   remaining[NAIVE_QUEUES];             /* of the op in service             */
} naive_worker;

typedef struct naive_sim {
    const sgdsim_step *step;
    double   bandwidth;
    size_t   workers, steps, active[NAIVE_QUEUES], events;
    naive_worker *worker;
    double   now;
} naive_sim;

static double naive_work(const naive_sim *s, size_t op)
{
    const sgdsim_op *o = s->step->op + op;
    const int link = o->resource == SGDSIM_DOWNLINK || o->resource == SGDSIM_UPLINK;
    return link ? o->bytes / s->bandwidth : o->duration_s;
}

static double naive_share(const naive_sim *s, size_t q)
{
    return q == SGDSIM_DOWNLINK || q == SGDSIM_UPLINK ? 1.0 / (double)s->active[q] : 1.0;
}

static void naive_release(naive_sim *s, naive_worker *w, size_t op)
{
    const size_t q = (size_t)s->step->op[op].resource;
    w->queue[q][w->tail[q]++] = op;
    if (w->busy[q]) return;
    w->busy[q] = 1;
    s->active[q]++;
    w->remaining[q] = naive_work(s, op);
}

static void naive_start(naive_sim *s, naive_worker *w)
{
    size_t i;
    w->left = s->step->ops;
    for (i = 0; i < NAIVE_QUEUES; i++) w->head[i] = w->tail[i] = 0;
    for (i = 0; i < s->step->ops; i++) w->waits[i] = s->step->op[i].waits;
    for (i = 0; i < s->step->ops; i++)
        if (w->waits[i] == 0) naive_release(s, w, i);
}

static void naive_complete(naive_sim *s, naive_worker *w, size_t q)
{
    const size_t op = w->queue[q][w->head[q]++];
    size_t i, k;
    s->events++;
    w->left--;
    for (i = 0; i < s->step->ops; i++)
        for (k = 0; k < s->step->op[i].waits; k++)
            if (s->step->op[i].waits_for[k] == op && --w->waits[i] == 0)
                naive_release(s, w, i);
    if (w->head[q] < w->tail[q]) {
        w->remaining[q] = naive_work(s, w->queue[q][w->head[q]]);
    } else {
        w->busy[q] = 0;
        s->active[q]--;
    }
    if (w->left == 0 && ++w->steps < s->steps) naive_start(s, w);
}

/* Time at which all steps are over. */
static double naive_run(naive_sim *s)
{
    size_t w, q;
    for (w = 0; w < s->workers; w++) naive_start(s, s->worker + w);
    for (;;) {
        double least = -1.0;
        size_t next_w = 0, next_q = 0;
        for (w = 0; w < s->workers; w++)
            for (q = 0; q < NAIVE_QUEUES; q++) {
                const naive_worker *x = s->worker + w;
                const double eta = x->busy[q] ? x->remaining[q] / naive_share(s, q) : -1.0;
                if (!x->busy[q] || (least >= 0.0 && eta >= least)) continue;
                least = eta;
                next_w = w;
                next_q = q;
            }
        if (least < 0.0) return s->now;
        s->now += least;
        for (w = 0; w < s->workers; w++)
            for (q = 0; q < NAIVE_QUEUES; q++)
                if (s->worker[w].busy[q])
                    s->worker[w].remaining[q] -= least * naive_share(s, q);
        naive_complete(s, s->worker + next_w, next_q);
    }
}

#endif /* SGDPERF_NAIVE_SIM_H */
