/* naive_sim.h - the simulator's textbook form, as the papers print it: every event looks
 * at every chunk in service [LYPG20, 3.4], O(n). One profiled step, one or two servers. */
#ifndef SGDPERF_NAIVE_SIM_H
#define SGDPERF_NAIVE_SIM_H

#include <stdlib.h>
#include <string.h>

#include "../sgdperf_sim.h"

enum { NAIVE_QUEUES = 2 * SGDSIM_RESOURCES };     /* of two servers                   */

typedef struct naive_worker {
    size_t   left, steps;
    size_t  *waits;                               /* [ops]                            */
    size_t  *queue[NAIVE_QUEUES], head[NAIVE_QUEUES], tail[NAIVE_QUEUES]; /* FIFOs    */
} naive_worker;

/* The op in service at each queue of a worker. */
typedef struct naive_service { double remaining; int busy; } naive_service;

typedef struct naive_sim {
    const sgdsim_step *step;
    sgdsim_mode mode;
    sgdsim_link link;
    double   bandwidth;
    size_t   workers, steps, events, servers, queues;
    size_t  *line[NAIVE_QUEUES], active[NAIVE_QUEUES]; /* the busy workers, in order  */
    double   share[NAIVE_QUEUES];                 /* of each busy worker, if equal    */
    int      equal;
    size_t   running;                             /* workers before the barrier       */
    naive_worker  *worker;
    naive_service *service;                       /* [workers][queues]                */
    double   now;
} naive_sim;

static void naive_free(naive_sim *s)
{
    size_t w, q;
    for (w = 0; s->worker && w < s->workers; w++) {
        for (q = 0; q < NAIVE_QUEUES; q++) free(s->worker[w].queue[q]);
        free(s->worker[w].waits);
    }
    for (q = 0; q < NAIVE_QUEUES; q++) free(s->line[q]);
    free(s->worker);
    free(s->service);
}

/* Memory for the workers and step set; 0 if there is none. */
static int naive_make(naive_sim *s)
{
    size_t w, q;
    int made = 1;
    s->queues = SGDSIM_RESOURCES * s->servers;
    s->equal = s->servers == 1 && s->link != SGDSIM_LINK_FCFS;
    s->service = (naive_service *)calloc(s->workers * s->queues, sizeof *s->service);
    s->worker = (naive_worker *)calloc(s->workers, sizeof *s->worker);
    for (q = 0; q < NAIVE_QUEUES; q++) {
        s->line[q] = (size_t *)calloc(s->workers, sizeof(size_t));
        made = made && s->line[q];
    }
    for (w = 0; s->worker && w < s->workers; w++) {
        s->worker[w].waits = (size_t *)calloc(s->step->ops, sizeof(size_t));
        made = made && s->worker[w].waits;
        for (q = 0; q < NAIVE_QUEUES; q++) {
            s->worker[w].queue[q] = (size_t *)calloc(s->step->ops, sizeof(size_t));
            made = made && s->worker[w].queue[q];
        }
    }
    return made && s->worker && s->service;
}

static int naive_is_link(size_t q)
{
    const size_t resource = q % SGDSIM_RESOURCES;
    return resource == SGDSIM_DOWNLINK || resource == SGDSIM_UPLINK;
}

static double naive_work(const naive_sim *s, size_t op)
{
    const sgdsim_op *o = s->step->op + op;
    const double K = (double)s->workers;
    if (!naive_is_link((size_t)o->resource)) return o->duration_s;
    if (s->link != SGDSIM_LINK_EXCHANGE) return o->bytes / s->bandwidth;
    return o->resource == SGDSIM_DOWNLINK ? 0.0 : 2.0 * (K - 1.0) / K * o->bytes / s->bandwidth;
}

static void naive_equal_shares(naive_sim *s)
{
    size_t q;
    for (q = 0; q < s->queues; q++) {
        const int shared = naive_is_link(q) && s->link != SGDSIM_LINK_EXCHANGE;
        s->share[q] = shared ? 1.0 / (double)s->active[q] : 1.0;
    }
}

/* Where not all have the same share of a link. */
static double naive_own_share(const naive_sim *s, size_t w, size_t q)
{
    const size_t other = q < SGDSIM_RESOURCES ? q + SGDSIM_RESOURCES : q - SGDSIM_RESOURCES;
    if (s->link == SGDSIM_LINK_FCFS)
        return !naive_is_link(q) || s->line[q][0] == w ? 1.0 : 0.0;
    if (!naive_is_link(q) || s->active[q] > 1 || !s->service[w * s->queues + other].busy)
        return s->share[q];
    return s->active[other] == 1 ? 0.5 : 1.0 - 1.0 / (double)s->active[other];
}

static double naive_share(const naive_sim *s, size_t w, size_t q)
{
    return s->equal ? s->share[q] : naive_own_share(s, w, q);
}

static void naive_release(naive_sim *s, size_t at, size_t op)
{
    naive_worker *w = s->worker + at;
    const size_t q = (size_t)s->step->op[op].resource
                   + SGDSIM_RESOURCES * s->step->op[op].server;
    naive_service *service = s->service + at * s->queues + q;
    w->queue[q][w->tail[q]++] = op;
    if (service->busy) return;
    service->busy = 1;
    service->remaining = naive_work(s, op);
    s->line[q][s->active[q]++] = at;
}

static void naive_start(naive_sim *s, size_t at)
{
    naive_worker *w = s->worker + at;
    size_t i;
    w->left = s->step->ops;
    for (i = 0; i < NAIVE_QUEUES; i++) w->head[i] = w->tail[i] = 0;
    for (i = 0; i < s->step->ops; i++) w->waits[i] = s->step->op[i].waits;
    for (i = 0; i < s->step->ops; i++)
        if (w->waits[i] == 0) naive_release(s, at, i);
}

static void naive_start_all(naive_sim *s)
{
    size_t w;
    s->running = s->workers;
    for (w = 0; w < s->workers; w++) naive_start(s, w);
}

static void naive_leave(naive_sim *s, size_t at, size_t q)
{
    size_t i = 0;
    s->service[at * s->queues + q].busy = 0;
    while (s->line[q][i] != at) i++;
    s->active[q]--;
    memmove(s->line[q] + i, s->line[q] + i + 1, (s->active[q] - i) * sizeof(size_t));
}

static void naive_complete(naive_sim *s, size_t at, size_t q)
{
    naive_worker *w = s->worker + at;
    naive_service *service = s->service + at * s->queues + q;
    const size_t op = w->queue[q][w->head[q]++];
    size_t i, k;
    s->events++;
    w->left--;
    for (i = 0; i < s->step->ops; i++)
        for (k = 0; k < s->step->op[i].waits; k++)
            if (s->step->op[i].waits_for[k] == op && --w->waits[i] == 0)
                naive_release(s, at, i);
    if (w->head[q] < w->tail[q]) service->remaining = naive_work(s, w->queue[q][w->head[q]]);
    else naive_leave(s, at, q);
    if (w->left > 0) return;
    w->steps++;
    s->running--;
    if (s->mode == SGDSIM_ASYNC && w->steps < s->steps) naive_start(s, at);
    if (s->mode == SGDSIM_SYNC && s->running == 0 && w->steps < s->steps) naive_start_all(s);
}

/* Time at which all steps are over. */
static double naive_run(naive_sim *s)
{
    const size_t queues = s->queues;
    size_t w, q;
    naive_start_all(s);
    for (;;) {
        double least = -1.0;
        size_t next_w = 0, next_q = 0;
        naive_equal_shares(s);
        for (w = 0; w < s->workers; w++)
            for (q = 0; q < queues; q++) {
                const naive_service *x = s->service + w * queues + q;
                const double share = x->busy ? naive_share(s, w, q) : 0.0;
                if (!(share > 0.0)) continue;
                if (least >= 0.0 && x->remaining / share >= least) continue;
                least = x->remaining / share;
                next_w = w;
                next_q = q;
            }
        if (least < 0.0) return s->now;
        s->now += least;
        for (w = 0; w < s->workers; w++)
            for (q = 0; q < queues; q++) {
                naive_service *x = s->service + w * queues + q;
                if (x->busy) x->remaining -= least * naive_share(s, w, q);
            }
        naive_complete(s, next_w, next_q);
    }
}

#endif /* SGDPERF_NAIVE_SIM_H */
