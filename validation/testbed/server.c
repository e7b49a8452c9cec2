/* server.c - a parameter server: one thread for each worker */
#include "testbed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct server {
    const tb_job   *job;
    int             part;     /* how many layers are here                             */
    pthread_mutex_t mutex;
    pthread_cond_t  changed;
    double          busy_until_s; /* of the processor that all updates queue for      */
    int             present;  /* workers that said hello                              */
    int             stopped;  /* one is done: so are all                              */

    int             step;     /* sync: steps that are complete                        */
    int             summed;   /* layers of the next one that have all gradients       */
    int            *gradients;/* [layers] of the next one that are here               */
    double         *start_s, *end_s; /* [layers] update of the last step              */
    double          complete_s; /* when the last update of that step ends             */
    tb_log          log;      /* sync: when each step was complete                    */
    int            *clock;    /* [workers] ssp: steps done                            */
    tb_offset       common;   /* what server 0's clock is ahead, as worker 0 tells     */
} server;

/* The thread's own. */
typedef struct client {
    server  *s;
    int      fd, worker;
    double  *received_s, *start_s, *end_s; /* [layers] of its last gradient           */
} client;

/* ---- Updates ---------------------------------------------------------------------- */

/* Updates queue in the order in which gradients are complete. Under the mutex. Returns the
 * end; nobody sleeps for it yet, so that the next gradient is received meanwhile. */
static double reserve(server *s, double *busy_until_s, double received_s, int layer,
                      double *start_s)
{
    const double update_s = s->job->update_s[layer] * tb_share(s->job, s->job->index, layer);
    *start_s = received_s > *busy_until_s ? received_s : *busy_until_s;
    *busy_until_s = *start_s + update_s;
    return *busy_until_s;
}

/* A gradient of a step: the last one that is waited for starts the layer's update. Those
 * of former steps, and those beyond, are thrown away. */
static void add_gradient(server *s, int step, int layer, double received_s)
{
    const int wanted = s->job->workers - s->job->backup;
    tb_record r;
    int i;
    if (step < s->step || ++s->gradients[layer] != wanted) return;
    s->end_s[layer] = reserve(s, &s->busy_until_s, received_s, layer, &s->start_s[layer]);
    s->complete_s = s->busy_until_s;
    if (++s->summed < s->part) return;
    s->summed = 0;
    for (i = 0; i < s->job->layers; i++) s->gradients[i] = 0;
    r = tb_record_of(s->step++, TB_UPDATE, 0, s->complete_s, s->complete_s);
    r.server = s->job->index;
    tb_log_add(&s->log, r);
    pthread_cond_broadcast(&s->changed);
}

/* All layers of one gradient; -1: the worker is gone. */
static int receive_gradient(client *c, int *step)
{
    server *s = c->s;
    double own_busy_s = 0.0;
    int i;
    for (i = 0; i < s->part; i++) {
        tb_message m;
        int layer;
        if (tb_receive(c->fd, &m) != 0 || m.kind != TB_GRADIENT) return -1;
        if (tb_receive_bytes(c->fd, (size_t)m.bytes) != 0) return -1;
        layer = m.layer;
        if (layer < 0 || layer >= s->job->layers) return -1;
        *step = m.step;
        c->received_s[layer] = tb_now();
        pthread_mutex_lock(&s->mutex);
        if (s->job->mode == TB_SYNC)
            add_gradient(s, m.step, layer, c->received_s[layer]);
        else
            c->end_s[layer] = reserve(s, s->job->separate ? &own_busy_s : &s->busy_until_s,
                                      c->received_s[layer], layer, &c->start_s[layer]);
        pthread_mutex_unlock(&s->mutex);
    }
    return 0;
}

/* ---- Waiting ---------------------------------------------------------------------- */

static double latest(const double *time_s, int count)
{
    double most = 0.0;
    int i;
    for (i = 0; i < count; i++)
        if (time_s[i] > most) most = time_s[i];
    return most;
}

static int slowest(const server *s)
{
    int least = s->clock[0], i;
    for (i = 1; i < s->job->workers; i++)
        if (s->clock[i] < least) least = s->clock[i];
    return least;
}

/* Until the model may be sent. Returns the step that it is of. */
static int wait_for_model(client *c, int step)
{
    server *s = c->s;
    const tb_job *job = s->job;
    const size_t bytes = (size_t)job->layers * sizeof *c->start_s;
    double when_s;
    if (job->mode != TB_SYNC) tb_sleep_until(latest(c->end_s, job->layers));
    pthread_mutex_lock(&s->mutex);
    if (job->mode == TB_SSP) {
        s->clock[c->worker]++;
        pthread_cond_broadcast(&s->changed);
        while (!s->stopped && s->clock[c->worker] - slowest(s) > job->staleness)
            pthread_cond_wait(&s->changed, &s->mutex);
    }
    if (job->mode == TB_SYNC) {
        while (!s->stopped && s->step <= step) pthread_cond_wait(&s->changed, &s->mutex);
        memcpy(c->start_s, s->start_s, bytes);
        memcpy(c->end_s, s->end_s, bytes);
    }
    when_s = job->mode == TB_SYNC ? s->complete_s : 0.0;
    step = job->mode == TB_SYNC ? s->step : step + 1;
    pthread_mutex_unlock(&s->mutex);
    tb_sleep_until(when_s);
    return step;
}

static int send_model(client *c, int step)
{
    const tb_job *job = c->s->job;
    int i, stopped;
    for (i = 0; i < job->layers; i++) {
        const int layer = job->order[i];
        tb_message m;
        pthread_mutex_lock(&c->s->mutex);
        stopped = c->s->stopped;
        pthread_mutex_unlock(&c->s->mutex);
        memset(&m, 0, sizeof m);
        m.kind = stopped ? TB_STOP : TB_MODEL;
        m.step = step;
        m.layer = layer;
        m.bytes = m.kind == TB_STOP ? 0 : tb_bytes(job, job->index, layer);
        m.received_s = c->received_s[layer];
        m.update_start_s = c->start_s[layer];
        m.update_end_s = c->end_s[layer];
        m.sent_s = tb_now();
        if (m.bytes == 0 && m.kind == TB_MODEL) continue;
        if (tb_send(c->fd, &m) != 0 || m.kind == TB_STOP) return -1;
    }
    return 0;
}

/* ---- Threads ---------------------------------------------------------------------- */

/* Waits for all to be there, then a part of the stagger: workers that start together stay
 * together for long. */
static void start_together(client *c)
{
    server *s = c->s;
    tb_random random = tb_random_of(s->job->seed, 1000 + (uint64_t)c->worker);
    pthread_mutex_lock(&s->mutex);
    s->present++;
    pthread_cond_broadcast(&s->changed);
    while (s->present < s->job->workers) pthread_cond_wait(&s->changed, &s->mutex);
    pthread_mutex_unlock(&s->mutex);
    if (s->job->mode != TB_SYNC)
        tb_sleep_until(tb_now() + s->job->stagger_s * tb_uniform(&random));
}

static void *serve(void *argument)
{
    client *c = (client *)argument;
    server *s = c->s;
    tb_message hello = tb_greeted(s->job, c->fd);
    int step = 0;
    if (hello.kind == TB_CLOCK) {
        tb_offset others = {0, 0, {0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
        tb_offset_serve(c->fd, hello.worker == 0 ? &s->common : &others);
        return NULL;
    }
    c->worker = hello.worker;
    start_together(c);
    while (s->part > 0 && send_model(c, step) == 0 && receive_gradient(c, &step) == 0)
        step = wait_for_model(c, step);
    if (s->part == 0) tb_receive(c->fd, &hello); /* until it leaves */
    pthread_mutex_lock(&s->mutex);
    s->stopped = 1;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->mutex);
    shutdown(c->fd, SHUT_RDWR);
    return NULL;
}

static double *times(const tb_job *job)
{
    return (double *)tb_alloc((size_t)job->layers, sizeof(double));
}

int tb_run_server(const tb_job *job)
{
    const int listener = tb_listen(job->server[job->index].port);
    const int connections = 2 * job->workers; /* for gradients, and for the time */
    pthread_t thread[2 * TB_MOST_WORKERS];
    server s;
    int i;
    memset(&s, 0, sizeof s);
    s.job = job;
    pthread_mutex_init(&s.mutex, NULL);
    pthread_cond_init(&s.changed, NULL);
    for (i = 0; i < job->layers; i++) s.part += tb_bytes(job, job->index, i) > 0;
    s.gradients = (int *)tb_alloc((size_t)job->layers, sizeof(int));
    s.clock = (int *)tb_alloc((size_t)job->workers, sizeof(int));
    s.start_s = times(job);
    s.end_s = times(job);
    for (i = 0; i < connections; i++) {
        client *c = (client *)tb_alloc(1, sizeof *c);
        c->s = &s;
        c->fd = tb_accept(job, listener);
        c->received_s = times(job);
        c->start_s = times(job);
        c->end_s = times(job);
        tb_thread(&thread[i], serve, c);
    }
    for (i = 0; i < connections; i++) pthread_join(thread[i], NULL);
    tb_log_print(job, &s.log, 1, &s.common);
    return 0;
}
