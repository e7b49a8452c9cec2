/* oracle_collectives.h - collectives message by message, with what they carry
 *
 * Workers have a clock each. A round is a set of messages in which nobody sends or receives
 * twice; a message begins when both its ends are free, and both are free again when all of
 * theirs has ended. Every block that a worker has is a set of contributions, so that an
 * algorithm which forgets one, or adds one twice, is seen. Nothing here knows a formula. */
#ifndef SGDPERF_ORACLE_COLLECTIVES_H
#define SGDPERF_ORACLE_COLLECTIVES_H

#include <stdint.h>
#include <string.h>

#include "test.h"

enum { NET_MOST = 64, NET_MESSAGES = 128 };

typedef struct net {
    size_t n, machine;             /* workers, and how many of them are a machine        */
    double block_bytes;
    double latency_s, bandwidth;   /* between machines                                   */
    double local_latency_s, local_bandwidth;
    double clock[NET_MOST];
    uint64_t have[NET_MOST][NET_MOST];
} net;

typedef enum net_kind { NET_ADD, NET_COPY, NET_MOVE } net_kind;

typedef struct net_message {
    size_t from, to;
    uint64_t blocks;
    net_kind kind;
    uint64_t carried[NET_MOST];    /* of NET_MOVE: given; else what the sender has       */
} net_message;

typedef struct net_round { size_t count; net_message message[NET_MESSAGES]; } net_round;

static inline uint64_t net_bit(size_t i) { return (uint64_t)1 << i; }
static inline uint64_t net_all(size_t n) { return n == 64 ? ~(uint64_t)0 : net_bit(n) - 1; }

static inline double net_count(uint64_t set)
{
    double count = 0.0;
    for (; set; set &= set - 1) count += 1.0;
    return count;
}

/* n workers with a link each; total bytes in `blocks` parts. */
static inline void net_open(net *w, size_t n, double latency_s, double bandwidth,
                            double bytes, size_t blocks)
{
    *w = (net){.n = n, .machine = n, .block_bytes = bytes / (double)blocks};
    w->latency_s = w->local_latency_s = latency_s;
    w->bandwidth = w->local_bandwidth = bandwidth;
}

static inline net_message *net_send(net_round *r, size_t from, size_t to, uint64_t blocks,
                                    net_kind kind)
{
    net_message *m = &r->message[r->count++];
    CHECK(r->count <= NET_MESSAGES);
    if (kind == NET_MOVE) memset(m->carried, 0, sizeof m->carried);
    m->from = from;
    m->to = to;
    m->blocks = blocks;
    m->kind = kind;
    return m;
}

/* Messages that leave the machine of `worker` in this round. */
static inline double net_leaving(const net *w, const net_round *r, size_t worker)
{
    const size_t machine = worker / w->machine;
    double leaving = 0.0;
    for (size_t i = 0; i < r->count; i++)
        if (r->message[i].from / w->machine == machine
            && r->message[i].to / w->machine != machine)
            leaving += 1.0;
    return leaving;
}

static inline double net_message_s(const net *w, const net_round *r, const net_message *m)
{
    double parts = net_count(m->blocks);
    size_t b;
    if (m->kind == NET_MOVE)
        for (parts = 0.0, b = 0; b < w->n; b++) parts += net_count(m->carried[b]);
    if (m->from / w->machine == m->to / w->machine)
        return w->local_latency_s + parts * w->block_bytes / w->local_bandwidth;
    return w->latency_s
        + parts * w->block_bytes * net_leaving(w, r, m->from) / w->bandwidth;
}

static inline void net_deliver(net *w, const net_message *m)
{
    const uint64_t blocks = m->kind == NET_MOVE ? net_all(w->n) : m->blocks;
    for (size_t b = 0; b < NET_MOST && blocks >> b; b++) {
        uint64_t *to = &w->have[m->to][b];
        if (!(blocks & net_bit(b))) continue;
        if (m->kind != NET_COPY) CHECK((*to & m->carried[b]) == 0);
        if (m->kind != NET_MOVE) CHECK(m->carried[b] != 0);
        *to = m->kind == NET_COPY ? m->carried[b] : *to | m->carried[b];
    }
}

static inline void net_check_ports(const net_round *r)
{
    uint64_t sends = 0, receives = 0;
    for (size_t i = 0; i < r->count; i++) {
        const net_message *m = &r->message[i];
        CHECK(!(sends & net_bit(m->from)) && !(receives & net_bit(m->to)));
        sends |= net_bit(m->from);
        receives |= net_bit(m->to);
    }
}

/* All messages of a round at once; the round is empty afterwards. */
static inline void net_run(net *w, net_round *r)
{
    double after[NET_MOST];
    net_check_ports(r);
    memcpy(after, w->clock, sizeof after);
    for (size_t i = 0; i < r->count; i++) {
        net_message *m = &r->message[i];
        const double a = w->clock[m->from], c = w->clock[m->to];
        const double end_s = (a > c ? a : c) + net_message_s(w, r, m);
        if (end_s > after[m->from]) after[m->from] = end_s;
        if (end_s > after[m->to]) after[m->to] = end_s;
        for (size_t b = 0; b < NET_MOST && (m->kind == NET_MOVE || m->blocks >> b); b++) {
            if (m->kind != NET_MOVE) m->carried[b] = w->have[m->from][b];
            else w->have[m->from][b] &= ~m->carried[b];
        }
    }
    for (size_t i = 0; i < r->count; i++) net_deliver(w, &r->message[i]);
    memcpy(w->clock, after, sizeof after);
    r->count = 0;
}

static inline double net_end_s(const net *w)
{
    double end_s = 0.0;
    for (size_t i = 0; i < w->n; i++) if (w->clock[i] > end_s) end_s = w->clock[i];
    return end_s;
}

/* Everybody waits for the slowest. */
static inline void net_barrier(net *w)
{
    const double end_s = net_end_s(w);
    for (size_t i = 0; i < w->n; i++) w->clock[i] = end_s;
}

/* Before a reduction: each has a contribution of its own to every block. */
static inline void net_contribute(net *w, size_t blocks)
{
    size_t i, b;
    for (i = 0; i < w->n; i++) for (b = 0; b < blocks; b++) w->have[i][b] = net_bit(i);
}

static inline void net_check_all(const net *w, size_t blocks, uint64_t want)
{
    size_t i, b;
    for (i = 0; i < w->n; i++) for (b = 0; b < blocks; b++) CHECK(w->have[i][b] == want);
}

static inline void net_check_own(const net *w, uint64_t want)
{
    for (size_t i = 0; i < w->n; i++) CHECK(w->have[i][i] == want);
}

/* ---- Rings --------------------------------------------------------------------- */

/* Worker i has the sum of block i in the end. */
static inline void net_ring_scatter(net *w, net_round *r)
{
    const size_t n = w->n;
    for (size_t t = 0; t + 1 < n; t++) {
        for (size_t i = 0; i < n; i++)
            net_send(r, i, (i + 1) % n, net_bit((i + 2 * n - t - 1) % n), NET_ADD);
        net_run(w, r);
    }
}

static inline void net_ring_gather(net *w, net_round *r)
{
    const size_t n = w->n;
    for (size_t t = 0; t + 1 < n; t++) {
        for (size_t i = 0; i < n; i++)
            net_send(r, i, (i + 1) % n, net_bit((i + n - t) % n), NET_COPY);
        net_run(w, r);
    }
}

static inline void net_chain(net *w, net_round *r, size_t chunks)
{
    for (size_t t = 0; t < w->n - 2 + chunks; t++) {
        for (size_t i = 0; i + 1 < w->n; i++)
            if (t >= i && t - i < chunks) net_send(r, i, i + 1, net_bit(t - i), NET_COPY);
        net_run(w, r);
    }
}

/* ---- All-to-all: block b of a worker is what is for b, contributions from whom ---- */

static inline void net_all_to_all_open(net *w)
{
    for (size_t i = 0; i < w->n; i++) for (size_t b = 0; b < w->n; b++) w->have[i][b] = net_bit(i);
}

static inline void net_all_to_all_check(const net *w)
{
    for (size_t i = 0; i < w->n; i++) for (size_t b = 0; b < w->n; b++)
        CHECK(w->have[i][b] == (i == b ? net_all(w->n) : 0));
}

static inline void net_all_to_all_ring(net *w, net_round *r)
{
    for (size_t t = 0; t + 1 < w->n; t++) {
        for (size_t i = 0; i < w->n; i++) {
            net_message *m = net_send(r, i, (i + 1) % w->n, 0, NET_MOVE);
            for (size_t b = 0; b < w->n; b++)     /* what came in the last turn, and is not mine */
                if (b != i) m->carried[b] = w->have[i][b] & net_bit((i + w->n - t) % w->n);
        }
        net_run(w, r);
    }
}

static inline void net_all_to_all_pairwise(net *w, net_round *r)
{
    for (size_t t = 1; t < w->n; t++) {
        for (size_t i = 0; i < w->n; i++) {
            net_message *m = net_send(r, i, (i + t) % w->n, 0, NET_MOVE);
            m->carried[m->to] = w->have[i][m->to] & net_bit(i);
        }
        net_run(w, r);
        net_barrier(w);
    }
}

/* Bit by bit of how far each has to go. */
static inline void net_all_to_all_bits(net *w, net_round *r)
{
    for (size_t bit = 1; bit < w->n; bit *= 2) {
        for (size_t i = 0; i < w->n; i++) {
            net_message *m = net_send(r, i, (i + bit) % w->n, 0, NET_MOVE);
            for (size_t b = 0; b < w->n; b++) for (size_t from = 0; from < w->n; from++)
                if ((w->have[i][b] & net_bit(from)) && (((b + w->n - from) % w->n) & bit))
                    m->carried[b] |= net_bit(from);
        }
        net_run(w, r);
    }
}

/* ---- Partners at doubled distances; what is beyond a power of two is folded ------- */

typedef struct net_fold {
    size_t power, folded;
    size_t worker[NET_MOST];       /* of each group                                      */
    uint64_t blocks[NET_MOST];     /* that it and whom it stands for has in the end      */
} net_fold;

static inline net_fold net_fold_of(size_t n)
{
    net_fold f = {0};
    for (f.power = 1; f.power * 2 <= n; f.power *= 2) { }
    f.folded = n - f.power;
    for (size_t i = 0; i < f.power; i++) {
        f.worker[i] = i < f.folded ? 2 * i + 1 : i + f.folded;
        f.blocks[i] = net_bit(f.worker[i]);
        if (i < f.folded) f.blocks[i] |= net_bit(2 * i);
    }
    return f;
}

static inline uint64_t net_blocks_of(const net_fold *f, size_t from, size_t count)
{
    uint64_t blocks = 0;
    for (size_t i = from; i < from + count; i++) blocks |= f->blocks[i];
    return blocks;
}

static inline void net_doubling_reduce(net *w, net_round *r)
{
    const net_fold f = net_fold_of(w->n);
    for (size_t i = 0; i < f.folded; i++) net_send(r, 2 * i, 2 * i + 1, 1, NET_ADD);
    net_run(w, r);
    for (size_t reach = 1; reach < f.power; reach *= 2) {
        for (size_t i = 0; i < f.power; i++)
            net_send(r, f.worker[i], f.worker[i ^ reach], 1, NET_ADD);
        net_run(w, r);
    }
    for (size_t i = 0; i < f.folded; i++) net_send(r, 2 * i + 1, 2 * i, 1, NET_COPY);
    net_run(w, r);
}

static inline void net_doubling_gather(net *w, net_round *r)
{
    const net_fold f = net_fold_of(w->n);
    for (size_t i = 0; i < f.folded; i++) net_send(r, 2 * i, 2 * i + 1, net_bit(2 * i), NET_COPY);
    net_run(w, r);
    for (size_t reach = 1; reach < f.power; reach *= 2) {
        for (size_t i = 0; i < f.power; i++)
            net_send(r, f.worker[i], f.worker[i ^ reach],
                     net_blocks_of(&f, i & ~(reach - 1), reach), NET_COPY);
        net_run(w, r);
    }
    for (size_t i = 0; i < f.folded; i++)
        net_send(r, 2 * i + 1, 2 * i, net_all(w->n) & ~net_bit(2 * i), NET_COPY);
    net_run(w, r);
}

static inline void net_halving_scatter(net *w, net_round *r)
{
    const net_fold f = net_fold_of(w->n);
    for (size_t i = 0; i < f.folded; i++)
        net_send(r, 2 * i, 2 * i + 1, net_all(w->n) & ~net_bit(2 * i), NET_ADD);
    net_run(w, r);
    for (size_t reach = f.power / 2; reach >= 1; reach /= 2) {
        for (size_t i = 0; i < f.power; i++)
            net_send(r, f.worker[i], f.worker[i ^ reach],
                     net_blocks_of(&f, (i ^ reach) & ~(reach - 1), reach), NET_ADD);
        net_run(w, r);
    }
    for (size_t i = 0; i < f.folded; i++) net_send(r, 2 * i + 1, 2 * i, net_bit(2 * i), NET_ADD);
    net_run(w, r);
}

/* Blocks: one for each group. */
static inline void net_halving_reduce(net *w, net_round *r)
{
    net_fold f = net_fold_of(w->n);
    const uint64_t all = net_all(f.power);
    for (size_t i = 0; i < f.power; i++) f.blocks[i] = net_bit(i);
    for (size_t i = 0; i < f.folded; i++) net_send(r, 2 * i, 2 * i + 1, all, NET_ADD);
    net_run(w, r);
    for (size_t reach = f.power / 2; reach >= 1; reach /= 2) {
        for (size_t i = 0; i < f.power; i++)
            net_send(r, f.worker[i], f.worker[i ^ reach],
                     net_blocks_of(&f, (i ^ reach) & ~(reach - 1), reach), NET_ADD);
        net_run(w, r);
    }
    for (size_t reach = 1; reach < f.power; reach *= 2) {
        for (size_t i = 0; i < f.power; i++)
            net_send(r, f.worker[i], f.worker[i ^ reach],
                     net_blocks_of(&f, i & ~(reach - 1), reach), NET_COPY);
        net_run(w, r);
    }
    for (size_t i = 0; i < f.folded; i++) net_send(r, 2 * i + 1, 2 * i, all, NET_COPY);
    net_run(w, r);
}

/* ---- Binomial trees, rooted at worker 0 -------------------------------------------- */

static inline uint64_t net_range(size_t from, size_t to, size_t n)
{
    return net_all(to < n ? to : n) & ~(from ? net_all(from) : 0);
}

static inline void net_tree_broadcast(net *w, net_round *r, uint64_t blocks)
{
    for (size_t reach = 1; reach < w->n; reach *= 2) {
        for (size_t i = 0; i < reach && i + reach < w->n; i++)
            net_send(r, i, i + reach, blocks, NET_COPY);
        net_run(w, r);
    }
}

static inline void net_tree_reduce(net *w, net_round *r, uint64_t blocks)
{
    size_t reach, i;
    for (reach = 1; reach < w->n; reach *= 2) { }
    for (reach /= 2; reach >= 1; reach /= 2) {
        for (i = 0; i < reach && i + reach < w->n; i++)
            net_send(r, i + reach, i, blocks, NET_ADD);
        net_run(w, r);
    }
}

static inline void net_tree_scatter(net *w, net_round *r)
{
    size_t reach, i;
    for (reach = 1; reach < w->n; reach *= 2) { }
    for (reach /= 2; reach >= 1; reach /= 2) {
        for (i = 0; i + reach < w->n; i += 2 * reach)
            net_send(r, i, i + reach, net_range(i + reach, i + 2 * reach, w->n), NET_COPY);
        net_run(w, r);
    }
}

static inline void net_tree_gather(net *w, net_round *r)
{
    for (size_t reach = 1; reach < w->n; reach *= 2) {
        for (size_t i = 0; i + reach < w->n; i += 2 * reach)
            net_send(r, i + reach, i, net_range(i + reach, i + 2 * reach, w->n), NET_COPY);
        net_run(w, r);
    }
}

/* ---- Two trees [Sanders, Speck, Traeff 2009] ----------------------------------------
 * Worker 0 feeds both. In order, an even place is inside a tree and an odd one a leaf; the
 * second tree is the first one mirrored, or shifted where their number is odd. */

typedef struct net_edge { size_t from, to, tree, depth; int color; } net_edge;

typedef struct net_trees { size_t edges, height; net_edge edge[2 * NET_MOST]; } net_trees;

static inline size_t net_place(size_t worker, size_t m, size_t tree)
{
    if (tree == 0) return worker;
    return m % 2 == 0 ? m + 1 - worker : worker % m + 1;
}

static inline size_t net_at_place(size_t place, size_t m, size_t tree)
{
    for (size_t i = 1; i <= m; i++) if (net_place(i, m, tree) == place) return i;
    CHECK(0);
    return 0;
}

/* The places low..high: the one that is the multiple of the largest power of two is their
 * root. */
static inline void net_plant(net_trees *t, size_t m, size_t tree, size_t from, size_t low,
                             size_t high, size_t depth)
{
    size_t power = 1, root;
    net_edge *e = &t->edge[t->edges++];
    while (high / (power * 2) * (power * 2) >= low) power *= 2;
    root = high / power * power;
    e->from = from;
    e->to = net_at_place(root, m, tree);
    e->tree = tree;
    e->depth = depth;
    e->color = -1;
    if (depth > t->height) t->height = depth;
    if (low < root) net_plant(t, m, tree, net_at_place(root, m, tree), low, root - 1, depth + 1);
    if (root < high)
        net_plant(t, m, tree, net_at_place(root, m, tree), root + 1, high, depth + 1);
}

/* Edges that share a sender, or a receiver, have different colors. */
static inline void net_paint(net_trees *t, size_t e, int color)
{
    if (t->edge[e].color >= 0) {
        CHECK(t->edge[e].color == color);
        return;
    }
    t->edge[e].color = color;
    for (size_t i = 0; i < t->edges; i++)
        if (i != e && (t->edge[i].from == t->edge[e].from || t->edge[i].to == t->edge[e].to))
            net_paint(t, i, !color);
}

static inline net_trees net_trees_of(size_t n)
{
    net_trees t = {0};
    for (size_t tree = 0; tree < 2; tree++) net_plant(&t, n - 1, tree, 0, 1, n - 1, 1);
    for (size_t e = 0; e < t.edges; e++) if (t.edge[e].color < 0) net_paint(&t, e, 0);
    return t;
}

/* Slot s of the broadcast: two slots are a period, in which chunk j goes down an edge of
 * depth j less than its number. Blocks: chunks of the first tree, then of the second. */
static inline void net_trees_slot(const net_trees *t, net_round *r, size_t slot,
                                  size_t chunks, int up)
{
    const size_t period = slot / 2 + 1;
    for (size_t e = 0; e < t->edges; e++) {
        const net_edge *d = &t->edge[e];
        const size_t chunk = period - d->depth;
        if (d->color != (int)(slot % 2) || period < d->depth || chunk >= chunks) continue;
        if (up) net_send(r, d->to, d->from, net_bit(d->tree * chunks + chunk), NET_ADD);
        else net_send(r, d->from, d->to, net_bit(d->tree * chunks + chunk), NET_COPY);
    }
}

static inline void net_double_tree(net *w, net_round *r, size_t chunks, int up)
{
    const net_trees t = net_trees_of(w->n);
    const size_t slots = 2 * (t.height + chunks - 1);
    for (size_t s = 0; s < slots; s++) {
        net_trees_slot(&t, r, up ? slots - 1 - s : s, chunks, up);
        net_run(w, r);
        net_barrier(w);
    }
}

#endif /* SGDPERF_ORACLE_COLLECTIVES_H */
