/* peer.c - a member of a ring or of a binary tree that sums gradients
 *
 * One thread computes, one exchanges. Layers are joined into buckets in the order in which
 * their gradients are ready; a bucket is exchanged when it is ready and the one before is
 * through. The next step starts after the last bucket and the update. */
#include "testbed.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

typedef struct bucket {
    size_t bytes;
    int    layers;            /* gradients of the step that must be ready             */
} bucket;

typedef struct peer {
    const tb_job   *job;
    pthread_mutex_t mutex;
    pthread_cond_t  changed;
    long            ready;    /* gradients of layers computed, over all steps         */
    int             done;     /* steps that are exchanged                             */
    int             next, before; /* ring: connections                                */
    int             parent, child[2], children; /* tree: connections; -1: none        */
    bucket         *bucket;
    int             buckets;
    tb_log          log[2];   /* of the computation, of the exchange                  */
} peer;

/* ---- Connections ------------------------------------------------------------------ */

static int never_blocks(int fd)
{
    if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) != 0) tb_fail("no socket");
    return fd;
}

static void connect_all(peer *p)
{
    const tb_job *job = p->job;
    const int n = job->workers, i = job->index;
    const int listener = tb_listen(job->peer[i].port);
    int k;
    p->parent = -1;
    if (n == 1) return;
    if (job->role == TB_RING) {
        p->next = never_blocks(tb_connect(job, &job->peer[(i + 1) % n]));
        p->before = never_blocks(tb_accept(job, listener));
        return;
    }
    if (i > 0) p->parent = never_blocks(tb_connect(job, &job->peer[(i - 1) / 2]));
    for (k = 2 * i + 1; k <= 2 * i + 2 && k < n; k++)
        p->child[p->children++] = never_blocks(tb_accept(job, listener));
}

/* ---- All-reduce ------------------------------------------------------------------- */

static tb_flow flow(int fd, int sends, size_t bytes)
{
    tb_flow f;
    f.socket = fd;
    f.sends = sends;
    f.bytes = bytes;
    return f;
}

static void exchange(tb_flow *f, int flows)
{
    if (tb_exchange(f, flows) != 0) tb_fail("a peer is gone");
}

/* n - 1 times a part is sent on to be summed, n - 1 times to be known to all. */
static void around_ring(const peer *p, size_t bytes)
{
    const size_t n = (size_t)p->job->workers, part = (bytes + n - 1) / n;
    size_t i;
    for (i = 0; i < 2 * (n - 1); i++) {
        tb_flow f[2];
        f[0] = flow(p->next, 1, part);
        f[1] = flow(p->before, 0, part);
        exchange(f, 2);
    }
}

/* Sums go up to the root, the total comes down; each time as a whole. */
static void through_tree(const peer *p, size_t bytes)
{
    tb_flow f[2];
    int i;
    for (i = 0; i < p->children; i++) f[i] = flow(p->child[i], 0, bytes);
    exchange(f, p->children);
    if (p->parent >= 0) {
        f[0] = flow(p->parent, 1, bytes);
        exchange(f, 1);
        f[0] = flow(p->parent, 0, bytes);
        exchange(f, 1);
    }
    for (i = 0; i < p->children; i++) f[i] = flow(p->child[i], 1, bytes);
    exchange(f, p->children);
}

static void make_buckets(peer *p)
{
    const tb_job *job = p->job;
    double bytes = 0.0;
    int layer;
    p->bucket = (bucket *)tb_alloc((size_t)job->layers, sizeof *p->bucket);
    for (layer = job->layers - 1; layer >= 0; layer--) {
        bytes += job->bytes[layer];
        if (layer > 0 && bytes < job->bucket_bytes) continue;
        p->bucket[p->buckets].bytes = (size_t)(bytes + 0.5);
        p->bucket[p->buckets++].layers = job->layers - layer;
        bytes = 0.0;
    }
}

static void note(tb_log *log, int step, tb_phase phase, int layer, double start_s, double end_s,
                 size_t bytes)
{
    tb_record r;
    r.step = step;
    r.layer = layer;
    r.server = 0;
    r.phase = phase;
    r.start_s = start_s;
    r.end_s = end_s;
    r.bytes = bytes;
    tb_log_add(log, r);
}

static void *exchange_all(void *argument)
{
    peer *p = (peer *)argument;
    const tb_job *job = p->job;
    int k, b;
    for (k = 0; k < job->steps; k++) {
        for (b = 0; b < p->buckets; b++) {
            const long wanted = (long)k * job->layers + p->bucket[b].layers;
            double start_s;
            pthread_mutex_lock(&p->mutex);
            while (p->ready < wanted) pthread_cond_wait(&p->changed, &p->mutex);
            pthread_mutex_unlock(&p->mutex);
            start_s = tb_now();
            if (job->workers > 1 && job->role == TB_RING) around_ring(p, p->bucket[b].bytes);
            if (job->workers > 1 && job->role == TB_TREE) through_tree(p, p->bucket[b].bytes);
            note(&p->log[1], k, TB_UPLINK, b, start_s, tb_now(), p->bucket[b].bytes);
        }
        pthread_mutex_lock(&p->mutex);
        p->done = k + 1;
        pthread_cond_broadcast(&p->changed);
        pthread_mutex_unlock(&p->mutex);
    }
    return NULL;
}

/* ---- Computing -------------------------------------------------------------------- */

static void work(peer *p, int k, tb_phase phase, int layer, double *clock_s, double length_s)
{
    const double start_s = *clock_s;
    if (!(length_s > 0.0)) return;
    *clock_s += length_s;
    tb_sleep_until(*clock_s);
    note(&p->log[0], k, phase, layer, start_s, *clock_s, 0);
}

static void step(peer *p, int k, tb_random *random)
{
    const tb_job *job = p->job;
    double clock_s = tb_now(), update_s = 0.0;
    int h, layer;
    for (h = 0; h < job->every; h++) {
        const double factor = tb_step_factor(job, k * job->every + h, random);
        for (layer = 0; layer < job->layers; layer++)
            work(p, k, TB_FORWARD, layer, &clock_s, factor * job->forward_s[layer]);
        for (layer = job->layers - 1; layer >= 0; layer--) {
            work(p, k, TB_BACKWARD, layer, &clock_s, factor * job->backward_s[layer]);
            if (h < job->every - 1) continue;
            pthread_mutex_lock(&p->mutex);
            p->ready++;
            pthread_cond_broadcast(&p->changed);
            pthread_mutex_unlock(&p->mutex);
        }
    }
    pthread_mutex_lock(&p->mutex);
    while (p->done < k + 1) pthread_cond_wait(&p->changed, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
    clock_s = tb_now();
    for (layer = 0; layer < job->layers; layer++) update_s += job->update_s[layer];
    work(p, k, TB_UPDATE, 0, &clock_s, update_s);
}

int tb_run_peer(const tb_job *job)
{
    static peer p;
    tb_random random = tb_random_of(job->seed, (uint64_t)job->index);
    pthread_t thread;
    int k;
    p.job = job;
    pthread_mutex_init(&p.mutex, NULL);
    pthread_cond_init(&p.changed, NULL);
    make_buckets(&p);
    connect_all(&p);
    tb_thread(&thread, exchange_all, &p);
    for (k = 0; k < job->steps; k++) step(&p, k, &random);
    pthread_join(thread, NULL);
    tb_log_print(job, p.log, 2);
    return 0;
}
