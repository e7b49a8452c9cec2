/* peer.c - a member of a ring or of a binary tree that sums gradients
 *
 * One thread computes, one exchanges. Layers are joined into buckets in the order in which
 * their gradients are ready; a bucket is exchanged when it is ready and the one before is
 * through. The next step starts after the last bucket and the update. */
#include "testbed.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

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
    tb_offset       common;   /* member 0's clock                                     */
    pthread_t       asked[TB_MOST_WORKERS]; /* member 0 answers the others            */
    int             others;
} peer;

/* ---- Connections ------------------------------------------------------------------ */

static int never_blocks(int fd)
{
    if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) != 0) tb_fail("no socket");
    return fd;
}

static void *answer(void *argument)
{
    tb_offset unused = {0, 0, {0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
    const int fd = *(int *)argument;
    free(argument);
    tb_offset_serve(fd, &unused);
    return NULL;
}

/* Who sends us data: so many; and, if this is member 0, who asks for the time: all others. */
static void accept_all(peer *p, int listener, int data, int *fd)
{
    int asking = p->job->index == 0 ? p->job->workers - 1 : 0, count = 0;
    while (count < data || asking > 0) {
        const int one = tb_accept(p->job, listener);
        if (tb_greeted(p->job, one).kind == TB_CLOCK) {
            int *own = (int *)tb_alloc(1, sizeof *own);
            *own = one;
            tb_thread(&p->asked[p->others++], answer, own);
            asking--;
        } else if (count < data) {
            fd[count++] = never_blocks(one);
        } else {
            tb_fail("a connection too many");
        }
    }
}

static void connect_all(peer *p)
{
    const tb_job *job = p->job;
    const int n = job->workers, i = job->index;
    const int listener = tb_listen(job->peer[i].port);
    p->parent = -1;
    if (n == 1) return;
    if (job->role == TB_RING) {
        p->next = never_blocks(tb_greet(job, &job->peer[(i + 1) % n], TB_HELLO));
    } else {
        p->children = 2 * i + 2 < n ? 2 : 2 * i + 1 < n ? 1 : 0;
        if (i > 0) p->parent = never_blocks(tb_greet(job, &job->peer[(i - 1) / 2], TB_HELLO));
    }
    if (i == 0) accept_all(p, listener, job->role == TB_RING ? 1 : p->children,
                           job->role == TB_RING ? &p->before : p->child);
    if (i > 0) tb_offset_open(job, &p->common, &job->peer[0]);
    if (i > 0) accept_all(p, listener, job->role == TB_RING ? 1 : p->children,
                          job->role == TB_RING ? &p->before : p->child);
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

static void *exchange_all(void *argument)
{
    peer *p = (peer *)argument;
    const tb_job *job = p->job;
    int k, b;
    for (k = 0; k < job->steps; k++) {
        for (b = 0; b < p->buckets; b++) {
            const long wanted = (long)k * job->layers + p->bucket[b].layers;
            tb_record r;
            double start_s;
            pthread_mutex_lock(&p->mutex);
            while (p->ready < wanted) pthread_cond_wait(&p->changed, &p->mutex);
            pthread_mutex_unlock(&p->mutex);
            start_s = tb_now();
            if (job->workers > 1 && job->role == TB_RING) around_ring(p, p->bucket[b].bytes);
            if (job->workers > 1 && job->role == TB_TREE) through_tree(p, p->bucket[b].bytes);
            r = tb_record_of(k, TB_UPLINK, b, start_s, tb_now());
            r.bytes = p->bucket[b].bytes;
            tb_log_add(&p->log[1], r);
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
    if (!(length_s > 0.0) && layer > 0) return; /* a phase that takes no time is known */
    *clock_s += length_s;
    tb_sleep_until(*clock_s);
    tb_log_add(&p->log[0], tb_record_of(k, phase, layer, start_s, *clock_s));
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
    if (p.common.measured > 0) {
        tb_offset_again(job, &p.common);
        shutdown(p.common.fd, SHUT_WR);
    }
    for (k = 0; k < p.others; k++) pthread_join(p.asked[k], NULL);
    tb_log_print(job, p.log, 2, &p.common);
    return 0;
}
