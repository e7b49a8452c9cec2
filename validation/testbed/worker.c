/* worker.c - a worker of parameter servers
 *
 * It computes in one thread and has two more for each server: one sends the layers whose
 * gradients are ready, one receives layers. Forward of a layer starts when the layer has
 * arrived from all servers and the layer before is done; gradients are ready in reverse. */
#include "testbed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

typedef struct worker worker;

typedef struct wire {
    worker *w;
    int     server, fd;
    int     step;             /* the server's number of the step in progress          */
    double *sent_s;           /* [layers] when the gradient began to be sent          */
    tb_offset offset;         /* of the server's clock                                */
    tb_log  log;
} wire;

struct worker {
    const tb_job   *job;
    pthread_mutex_t mutex;
    pthread_cond_t  changed;
    long            ready;    /* gradients of layers computed, over all steps         */
    int            *have;     /* [servers][layers] models of the layer received       */
    int             stopped;
    wire            wire[TB_MOST_SERVERS];
    tb_log          log;      /* of the computation                                   */
};

static void stop(worker *w)
{
    int i;
    pthread_mutex_lock(&w->mutex);
    w->stopped = 1;
    for (i = 0; i < w->job->servers; i++) shutdown(w->wire[i].fd, SHUT_RDWR);
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mutex);
}

/* ---- Sending ---------------------------------------------------------------------- */

/* Until so many gradients of layers are computed; 0: it is stopped. */
static int wait_ready(worker *w, long count)
{
    int stopped;
    pthread_mutex_lock(&w->mutex);
    while (!w->stopped && w->ready < count) pthread_cond_wait(&w->changed, &w->mutex);
    stopped = w->stopped;
    pthread_mutex_unlock(&w->mutex);
    return !stopped;
}

static void *send_gradients(void *argument)
{
    wire *e = (wire *)argument;
    worker *w = e->w;
    const int layers = w->job->layers;
    long k;
    for (k = 0; wait_ready(w, k + 1); k++) {
        const int layer = layers - 1 - (int)(k % layers);
        tb_message m;
        memset(&m, 0, sizeof m);
        m.kind = TB_GRADIENT;
        m.worker = w->job->index;
        pthread_mutex_lock(&w->mutex);
        m.step = e->step;
        pthread_mutex_unlock(&w->mutex);
        m.layer = layer;
        m.bytes = tb_bytes(w->job, e->server, layer);
        if (m.bytes == 0) continue;
        e->sent_s[layer] = tb_now();
        if (tb_send(e->fd, &m) != 0) break;
    }
    return NULL;
}

/* ---- Receiving -------------------------------------------------------------------- */

static void note(wire *e, int step, tb_phase phase, int layer, double start_s, double end_s,
                 size_t bytes)
{
    tb_record r = tb_record_of(step, phase, layer, start_s, end_s);
    r.server = e->server;
    r.bytes = bytes;
    tb_log_add(&e->log, r);
}

/* What the server tells of the gradient before, in its clock. */
static void note_gradient(wire *e, int step, const tb_message *m)
{
    note(e, step, TB_UPLINK, m->layer, e->sent_s[m->layer], m->received_s, (size_t)m->bytes);
    note(e, step, TB_UPDATE, m->layer, m->update_start_s, m->update_end_s, 0);
}

/* The layers of one model, the k-th; -1: the server is gone, or has enough. */
static int receive_model(wire *e, int k, int part)
{
    worker *w = e->w;
    int i;
    for (i = 0; i < part; i++) {
        tb_message m;
        double start_s;
        if (tb_receive(e->fd, &m) != 0 || m.kind != TB_MODEL) return -1;
        start_s = tb_now();
        if (m.layer < 0 || m.layer >= w->job->layers) return -1;
        if (tb_receive_bytes(e->fd, (size_t)m.bytes) != 0) return -1;
        if (k > 0) note_gradient(e, k - 1, &m);
        note(e, k, TB_DOWNLINK, m.layer, start_s, tb_now(), (size_t)m.bytes);
        pthread_mutex_lock(&w->mutex);
        e->step = m.step;
        w->have[e->server * w->job->layers + m.layer] = k + 1;
        pthread_cond_broadcast(&w->changed);
        pthread_mutex_unlock(&w->mutex);
    }
    return 0;
}

static void *receive_models(void *argument)
{
    wire *e = (wire *)argument;
    int part = 0, i, k = 0;
    for (i = 0; i < e->w->job->layers; i++) part += tb_bytes(e->w->job, e->server, i) > 0;
    if (part == 0) return NULL;
    while (receive_model(e, k, part) == 0) k++;
    stop(e->w);
    return NULL;
}

/* ---- Computing -------------------------------------------------------------------- */

/* Until the layer's k-th parameters have arrived from every server; 0: it is stopped. Who
 * had to wait goes on from now; who woke up late, from when he should have. */
static int wait_layer(worker *w, int layer, int k, double *clock_s)
{
    int waited = 0, i, stopped;
    pthread_mutex_lock(&w->mutex);
    for (i = 0; i < w->job->servers; i++)
        while (!w->stopped && tb_bytes(w->job, i, layer) > 0 &&
               w->have[i * w->job->layers + layer] < k + 1) {
            pthread_cond_wait(&w->changed, &w->mutex);
            waited = 1;
        }
    stopped = w->stopped;
    pthread_mutex_unlock(&w->mutex);
    if (waited) *clock_s = tb_now();
    return !stopped;
}

static void work(worker *w, int k, tb_phase phase, int layer, double *clock_s, double length_s)
{
    const double start_s = *clock_s;
    if (!(length_s > 0.0) && layer > 0) return; /* a phase that takes no time is known */
    *clock_s += length_s;
    tb_sleep_until(*clock_s);
    tb_log_add(&w->log, tb_record_of(k, phase, layer, start_s, *clock_s));
}

/* One exchange: `every` mini-batches, of which the last gives gradients; 0: stopped. */
static int step(worker *w, int k, tb_random *random, double *clock_s)
{
    const tb_job *job = w->job;
    int h, layer;
    *clock_s = tb_now();
    for (h = 0; h < job->every; h++) {
        const double factor = tb_step_factor(job, k * job->every + h, random);
        const int last = h == job->every - 1;
        for (layer = 0; layer < job->layers; layer++) {
            if (h == 0 && !wait_layer(w, layer, k, clock_s)) return 0;
            work(w, k, TB_FORWARD, layer, clock_s, factor * job->forward_s[layer]);
        }
        for (layer = job->layers - 1; layer >= 0; layer--) {
            work(w, k, TB_BACKWARD, layer, clock_s, factor * job->backward_s[layer]);
            if (!last) continue;
            pthread_mutex_lock(&w->mutex);
            w->ready++;
            pthread_cond_broadcast(&w->changed);
            pthread_mutex_unlock(&w->mutex);
        }
    }
    return 1;
}

/* ---- The whole -------------------------------------------------------------------- */

static void open_wire(worker *w, int server)
{
    wire *e = &w->wire[server];
    e->w = w;
    e->server = server;
    e->sent_s = (double *)tb_alloc((size_t)w->job->layers, sizeof *e->sent_s);
    tb_offset_open(w->job, &e->offset, &w->job->server[server]);
    e->fd = tb_greet(w->job, &w->job->server[server], TB_HELLO);
}

/* A time of the server's clock, by this one. */
static double own_time(const wire *e, double server_s)
{
    return server_s - tb_offset_at(&e->offset, server_s - e->offset.ahead_s[0]);
}

/* The server's times into this clock. A transfer is on its way when its first byte could be
 * there, so that delays of the network are part of no transfer, up or down. */
static void shift(wire *e)
{
    size_t i;
    for (i = 0; i < e->log.count; i++) {
        tb_record *r = &e->log.record[i];
        if (r->phase == TB_UPDATE) r->start_s = own_time(e, r->start_s);
        if (r->phase == TB_UPDATE || r->phase == TB_UPLINK) r->end_s = own_time(e, r->end_s);
        if (r->phase == TB_UPLINK) r->start_s += tb_offset_unsure(&e->offset);
        if (r->phase == TB_UPLINK && r->end_s < r->start_s) r->end_s = r->start_s;
    }
}

/* Server 0's clock is the common one: the others are told how far they are from it. */
static void compare_clocks(worker *w)
{
    tb_offset *common = &w->wire[0].offset;
    int i;
    for (i = 0; i < w->job->servers; i++) tb_offset_again(w->job, &w->wire[i].offset);
    for (i = 0; i < w->job->servers; i++) {
        tb_offset *o = &w->wire[i].offset;
        const double now_s = tb_now();
        if (i > 0 && w->job->index == 0 && !w->job->one_clock)
            tb_offset_tell(o, tb_offset_at(common, now_s) - tb_offset_at(o, now_s),
                           tb_offset_unsure(o) + tb_offset_unsure(common));
        shutdown(o->fd, SHUT_WR);
    }
}

static void print(worker *w)
{
    tb_log log[TB_MOST_SERVERS + 1];
    int i;
    for (i = 0; i < w->job->servers; i++) {
        shift(&w->wire[i]);
        log[i] = w->wire[i].log;
    }
    log[w->job->servers] = w->log;
    tb_log_print(w->job, log, (size_t)w->job->servers + 1, &w->wire[0].offset);
}

int tb_run_worker(const tb_job *job)
{
    static worker w;
    pthread_t thread[2 * TB_MOST_SERVERS];
    tb_random random = tb_random_of(job->seed, (uint64_t)job->index);
    double clock_s = 0.0;
    int i, k;
    w.job = job;
    pthread_mutex_init(&w.mutex, NULL);
    pthread_cond_init(&w.changed, NULL);
    w.have = (int *)tb_alloc((size_t)(job->servers * job->layers), sizeof *w.have);
    for (i = 0; i < job->servers; i++) open_wire(&w, i);
    for (i = 0; i < job->servers; i++) {
        tb_thread(&thread[2 * i], send_gradients, &w.wire[i]);
        tb_thread(&thread[2 * i + 1], receive_models, &w.wire[i]);
    }
    for (k = 0; k < job->steps && step(&w, k, &random, &clock_s); k++) continue;
    for (i = 0; i < job->layers && wait_layer(&w, i, job->steps, &clock_s); i++) continue;
    stop(&w);
    for (i = 0; i < 2 * job->servers; i++) pthread_join(thread[i], NULL);
    compare_clocks(&w);
    print(&w);
    return 0;
}
