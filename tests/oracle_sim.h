/* oracle_sim.h - the simulated cluster once more, straightforwardly: at each event every
 * chunk's rate is found anew, and everything goes on until the first of them ends. O(n)
 * an event, and no virtual clocks, heaps or shared graphs.
 *
 * An op is in two chunks where the window is smaller than it. Ends that differ by
 * rounding alone are taken for one, the chunk that entered service first being first. */
#ifndef TESTS_ORACLE_SIM_H
#define TESTS_ORACLE_SIM_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "ring.h"

enum { ORACLE_OPS = 40, ORACLE_WORKERS = 8, ORACLE_SERVERS = 3, ORACLE_STEPS = 8 };

typedef struct oracle_op {
    sgdsim_resource resource;
    uint32_t server;
    double   work_s;               /* alone on the whole resource                     */
    int      needs[ORACLE_OPS];    /* [op] does it wait for op?                       */
} oracle_op;

/* Behind a worker's queues at resources: those of its downloads and uploads that are sent
 * but have not arrived. */
enum { ORACLE_LATE = SGDSIM_RESOURCES, ORACLE_QUEUES = SGDSIM_RESOURCES + 2 };

/* A worker's queue at one resource of one server. */
typedef struct oracle_queue {
    uint32_t op[2 * ORACLE_OPS];   /* waiting, first come first                       */
    int      rest[2 * ORACLE_OPS]; /* number of chunks that it has sent               */
    size_t   waiting;
    int      busy, now_rest, now_split;
    uint32_t now;
    double   left_s;
    unsigned long turn;            /* when it entered service                         */
} oracle_queue;

typedef struct oracle_record { double ready_s, start_s, end_s; } oracle_record;

typedef struct oracle_worker {
    size_t   type;
    uint32_t profile;
    uint64_t steps;                /* completed                                       */
    size_t   ops, done;
    oracle_op op[ORACLE_OPS];
    int      finished[ORACLE_OPS];
    double   arrival_s[ORACLE_OPS];
    oracle_queue queue[ORACLE_QUEUES][ORACLE_SERVERS];
} oracle_worker;

typedef struct oracle_sim {
    const sgdsim_config *config;
    uint32_t W, M;
    oracle_worker worker[ORACLE_WORKERS];
    uint32_t active[SGDSIM_RESOURCES][ORACLE_SERVERS][ORACLE_WORKERS]; /* in order     */
    size_t   actives[SGDSIM_RESOURCES][ORACLE_SERVERS];
    double   now_s;
    unsigned long turn;
    uint64_t events, operations, waiting;
    int      ambiguous;            /* may rounding have decided which chunk was first? */
    double   step_end_s[ORACLE_WORKERS][ORACLE_STEPS];
    double   ended_s[ORACLE_WORKERS * ORACLE_STEPS]; /* of all steps, as they ended    */
    uint64_t ended, first_out;     /* steps ended when the first worker ran out       */
    oracle_record record[ORACLE_WORKERS][ORACLE_STEPS][ORACLE_OPS];
    uint32_t drawn[ORACLE_WORKERS][ORACLE_STEPS];
} oracle_sim;

static double oracle_least(double a, double b) { return a < b ? a : b; }
static double oracle_uniform(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

static int oracle_is_transfer(sgdsim_resource r)
{
    return r == SGDSIM_DOWNLINK || r == SGDSIM_UPLINK;
}

/* ---- Steps ----------------------------------------------------------------- */

static void oracle_expand(oracle_sim *sim, oracle_worker *worker, const sgdsim_step *step)
{
    const sgdsim_config *c = sim->config;
    const int ring = c->links.rule == SGDSIM_LINK_EXCHANGE, parses = c->transfers.overhead && !ring;
    uint32_t stand_in[ORACLE_OPS];
    size_t n = step->ops, i, k;
    memset(worker->op, 0, sizeof worker->op);
    for (i = 0; i < step->ops; i++) {
        const sgdsim_op *from = step->op + i;
        oracle_op *op = worker->op + i;
        op->resource = from->resource;
        op->server = from->resource == SGDSIM_WORKER ? 0 : from->server;
        op->work_s = from->duration_s;
        stand_in[i] = (uint32_t)i;
        if (!oracle_is_transfer(from->resource)) continue;
        op->work_s = from->bytes / c->links.bandwidth_bytes_per_s;
        if (ring && from->resource == SGDSIM_DOWNLINK) op->work_s = 0.0;
        if (ring && from->resource == SGDSIM_UPLINK)
            op->work_s = sim->W > 1 ? ring_s(NULL, c, from->bytes) : 0.0;
        if (!parses) continue;
        op = worker->op + n;
        op->resource = from->resource == SGDSIM_DOWNLINK ? SGDSIM_WORKER : SGDSIM_SERVER;
        op->server = from->resource == SGDSIM_DOWNLINK ? 0 : from->server;
        op->work_s =
            fmax(0.0, c->transfers.overhead->s_per_byte * from->bytes + c->transfers.overhead->s);
        op->needs[i] = 1;
        stand_in[i] = (uint32_t)n++;
    }
    for (i = 0; i < step->ops; i++)
        for (k = 0; k < step->op[i].waits; k++)
            worker->op[i].needs[stand_in[step->op[i].waits_for[k]]] = 1;
    worker->ops = n;
}

static uint32_t oracle_draw(const oracle_sim *sim, uint32_t w)
{
    const sgdsim_config *c = sim->config;
    const uint64_t k = sim->worker[w].steps;
    const size_t n = c->workers.trace[sim->worker[w].type].steps;
    if (c->variation.sequence && c->variation.sequence[w * c->length.steps + k] != UINT32_MAX)
        return c->variation.sequence[w * c->length.steps + k];
    return (uint32_t)(oracle_uniform(sgdsim_random(c->variation.seed, w, k, 0)) * (double)n);
}

static int oracle_is_ready(const oracle_worker *worker, size_t op)
{
    for (size_t i = 0; i < worker->ops; i++)
        if (worker->op[op].needs[i] && !worker->finished[i]) return 0;
    return 1;
}

/* ---- Queues ---------------------------------------------------------------- */

static void oracle_append(oracle_queue *queue, uint32_t op, int rest)
{
    queue->op[queue->waiting] = op;
    queue->rest[queue->waiting++] = rest;
}

static void oracle_line_up(oracle_sim *sim, uint32_t w, sgdsim_resource r, uint32_t m)
{
    sim->active[r][m][sim->actives[r][m]++] = w;
}

static void oracle_leave(oracle_sim *sim, uint32_t w, sgdsim_resource r, uint32_t m)
{
    size_t from, to = 0;
    for (from = 0; from < sim->actives[r][m]; from++)
        if (sim->active[r][m][from] != w)
            sim->active[r][m][to++] = sim->active[r][m][from];
    sim->actives[r][m] = to;
}

static void oracle_serve(oracle_sim *sim, uint32_t w, sgdsim_resource r, uint32_t m)
{
    const sgdsim_config *c = sim->config;
    oracle_worker *worker = sim->worker + w;
    oracle_queue *queue = &worker->queue[r][m];
    const uint32_t op = queue->op[0];
    const double window_s = c->transfers.window_bytes / c->links.bandwidth_bytes_per_s;
    double work_s = worker->op[op].work_s;
    queue->now = op;
    queue->now_rest = queue->rest[0];
    queue->waiting--;
    memmove(queue->op, queue->op + 1, queue->waiting * sizeof queue->op[0]);
    memmove(queue->rest, queue->rest + 1, queue->waiting * sizeof queue->rest[0]);
    queue->now_split = oracle_is_transfer(r) && c->links.rule != SGDSIM_LINK_EXCHANGE
                    && c->transfers.window_bytes > 0.0
                    && (queue->now_rest == 0 || c->transfers.every_turn)
                    && work_s - window_s * queue->now_rest > window_s * (1.0 + 1e-10);
    work_s = queue->now_split ? window_s : work_s - window_s * queue->now_rest;
    if (c->variation.service == SGDSIM_EXPONENTIAL)
        work_s *= -log(1.0 - oracle_uniform(
                                 sgdsim_random(~c->variation.seed, w, worker->steps, op)));
    if (queue->now_split && c->variants.reappend_at_selection)
        oracle_append(queue, op, queue->now_rest + 1);
    if (!queue->now_rest) sim->record[w][worker->steps][op].start_s = sim->now_s;
    queue->left_s = work_s;
    queue->turn = sim->turn++;
    queue->busy = 1;
}

static void oracle_release(oracle_sim *sim, uint32_t w, uint32_t op)
{
    oracle_worker *worker = sim->worker + w;
    const sgdsim_resource r = worker->op[op].resource;
    const uint32_t m = worker->op[op].server;
    sim->record[w][worker->steps][op].ready_s = sim->now_s;
    oracle_append(&worker->queue[r][m], op, 0);
    if (worker->queue[r][m].busy) return;
    oracle_line_up(sim, w, r, m);
    oracle_serve(sim, w, r, m);
}

static void oracle_start(oracle_sim *sim, uint32_t w)
{
    const sgdsim_config *c = sim->config;
    oracle_worker *worker = sim->worker + w;
    size_t i, k;
    worker->profile = oracle_draw(sim, w);
    sim->drawn[w][worker->steps] = worker->profile;
    oracle_expand(sim, worker, c->workers.trace[worker->type].step + worker->profile);
    memset(worker->finished, 0, sizeof worker->finished);
    worker->done = 0;
    for (k = 0; k < c->transfers.ordered; k++)
        if (c->transfers.order[k] < worker->ops && oracle_is_ready(worker, c->transfers.order[k]))
            oracle_release(sim, w, c->transfers.order[k]);
    for (i = 0; i < worker->ops; i++) {
        for (k = 0; k < c->transfers.ordered && c->transfers.order[k] != i; k++) continue;
        if (k == c->transfers.ordered && oracle_is_ready(worker, i))
            oracle_release(sim, w, (uint32_t)i);
    }
}

static void oracle_step_over(oracle_sim *sim, uint32_t w)
{
    const sgdsim_config *c = sim->config;
    oracle_worker *worker = sim->worker + w;
    uint32_t i;
    sim->step_end_s[w][worker->steps++] = sim->now_s;
    sim->ended_s[sim->ended++] = sim->now_s;
    if (sim->first_out > 0
        && sim->now_s <= sim->ended_s[sim->first_out - 1] * (1.0 + 1e-12))
        sim->first_out = sim->ended;
    if (worker->steps == c->length.steps && sim->first_out == 0) sim->first_out = sim->ended;
    if (c->mode == SGDSIM_ASYNC) {
        if (worker->steps < c->length.steps) oracle_start(sim, w);
    } else if (++sim->waiting == sim->W) {
        sim->waiting = 0;
        for (i = 0; i < sim->W && worker->steps < c->length.steps; i++) oracle_start(sim, i);
    }
}

/* The first of those that are under way goes on to its arrival. */
static void oracle_await(oracle_sim *sim, uint32_t w, int late)
{
    oracle_queue *queue = &sim->worker[w].queue[late][0];
    queue->now = queue->op[0];
    queue->now_split = queue->now_rest = 0;
    queue->waiting--;
    memmove(queue->op, queue->op + 1, queue->waiting * sizeof queue->op[0]);
    queue->left_s = sim->worker[w].arrival_s[queue->now] - sim->now_s;
    queue->turn = sim->turn++;
    queue->busy = 1;
}

static void oracle_send(oracle_sim *sim, uint32_t w, sgdsim_resource r, uint32_t op)
{
    oracle_worker *worker = sim->worker + w;
    const int late = ORACLE_LATE + (r == SGDSIM_UPLINK);
    worker->arrival_s[op] = sim->now_s + sim->config->links.delay_s[worker->type];
    oracle_append(&worker->queue[late][0], op, 0);
    if (!worker->queue[late][0].busy) oracle_await(sim, w, late);
}

static void oracle_finish(oracle_sim *sim, uint32_t w, uint32_t op)
{
    oracle_worker *worker = sim->worker + w;
    sim->operations++;
    worker->finished[op] = 1;
    worker->done++;
    sim->record[w][worker->steps][op].end_s = sim->now_s;
    for (size_t i = 0; i < worker->ops; i++)
        if (worker->op[i].needs[op] && oracle_is_ready(worker, i))
            oracle_release(sim, w, (uint32_t)i);
}

/* Is a delay above 0? */
static int oracle_has_delays(const sgdsim_config *config)
{
    int some = 0;
    for (size_t t = 0; config->links.delay_s && t < config->workers.types; t++)
        some |= config->links.delay_s[t] > 0.0;
    return some && config->links.rule != SGDSIM_LINK_EXCHANGE;
}

static void oracle_complete(oracle_sim *sim, uint32_t w, sgdsim_resource r, uint32_t m)
{
    oracle_worker *worker = sim->worker + w;
    oracle_queue *queue = &worker->queue[r][m];
    const uint32_t op = queue->now;
    const int late = (int)r >= ORACLE_LATE;
    const int delayed = !late && oracle_is_transfer(r) && oracle_has_delays(sim->config);
    sim->events++;
    if (queue->now_split) {
        if (!sim->config->variants.reappend_at_selection)
            oracle_append(queue, op, queue->now_rest + 1);
    } else if (delayed) {
        oracle_send(sim, w, r, op);
    } else {
        oracle_finish(sim, w, op);
    }
    if (queue->waiting > 0 && late) {
        oracle_await(sim, w, (int)r);
        return;
    }
    if (queue->waiting > 0) {
        if (r == SGDSIM_SERVER && sim->config->servers.updates == SGDSIM_UPDATES_QUEUED) {
            oracle_leave(sim, w, r, m);
            oracle_line_up(sim, w, r, m);
        }
        oracle_serve(sim, w, r, m);
        return;
    }
    queue->busy = 0;
    if (!late) oracle_leave(sim, w, r, m);
    if (worker->done == worker->ops) oracle_step_over(sim, w);
}

/* ---- Shares ---------------------------------------------------------------- */

static double oracle_weight(const oracle_sim *sim, uint32_t w, sgdsim_resource r,
                            uint32_t m)
{
    const double spread = sim->config->links.tcp ? sim->config->links.tcp->spread : 0.2;
    const double u = oracle_uniform(sgdsim_random(sim->config->variation.seed, w,
                                                  sim->worker[w].steps,
                                                  (r == SGDSIM_DOWNLINK ? 1 : 2)
                                                      + 2 * (uint64_t)m));
    return exp(sqrt(3.0) * (2.0 * u - 1.0) * spread);
}

/* Of TCP: what a link with so many streams of worker w, or of server m (the other one
 * ORACLE_WORKERS), can carry in one direction. */
static double oracle_two_way(const oracle_sim *sim, sgdsim_resource r, uint32_t of_worker,
                             uint32_t of_server)
{
    const sgdsim_resource other = r == SGDSIM_DOWNLINK ? SGDSIM_UPLINK : SGDSIM_DOWNLINK;
    const double two_way = sim->config->links.tcp ? sim->config->links.tcp->two_way : 0.5;
    double with = 0.0, against = 0.0;
    if (sim->config->links.rule != SGDSIM_LINK_TCP) return 1.0;
    for (uint32_t w = 0; w < sim->W; w++)
        for (uint32_t m = 0; m < sim->M; m++) {
            if (w != of_worker && m != of_server) continue;
            with += sim->worker[w].queue[r][m].busy;
            against += sim->worker[w].queue[other][m].busy;
        }
    return with < against ? exp(two_way * log(with / against)) : 1.0;
}

/* What the links of all workers and of all servers carry, two-way traffic taken off. */
static void oracle_links(const oracle_sim *sim, sgdsim_resource r, double *worker_link,
                         double *server_link)
{
    const sgdsim_config *c = sim->config;
    for (uint32_t m = 0; m < sim->M; m++)
        server_link[m] = oracle_two_way(sim, r, ORACLE_WORKERS, m);
    for (uint32_t w = 0; w < sim->W; w++) {
        worker_link[w] = c->links.rule == SGDSIM_LINK_EQUAL ? 1.0 : 1e9;
        if (c->links.worker_bandwidth_bytes_per_s)
            worker_link[w] = c->links.worker_bandwidth_bytes_per_s[sim->worker[w].type]
                           / c->links.bandwidth_bytes_per_s;
        worker_link[w] *= oracle_two_way(sim, r, w, ORACLE_WORKERS);
    }
}

/* Raises all flows together, each as fast as its weight; a flow stops at its cap, or when
 * its server's link or its worker's is full. */
static void oracle_fill(const oracle_sim *sim, sgdsim_resource r, double cap,
                        double share[ORACLE_WORKERS][ORACLE_SERVERS])
{
    const sgdsim_config *c = sim->config;
    int on[ORACLE_WORKERS][ORACLE_SERVERS] = {{0}}, rising = 1;
    double weight[ORACLE_WORKERS][ORACLE_SERVERS];
    double worker_link[ORACLE_WORKERS], server_link[ORACLE_SERVERS];
    oracle_links(sim, r, worker_link, server_link);
    for (uint32_t w = 0; w < sim->W; w++)
        for (uint32_t m = 0; m < sim->M; m++) {
            on[w][m] = sim->worker[w].queue[r][m].busy;
            if (c->links.rule == SGDSIM_LINK_FCFS && on[w][m]) on[w][m] = sim->active[r][m][0] == w;
            share[w][m] = 0.0;
            weight[w][m] = c->links.rule == SGDSIM_LINK_TCP ? oracle_weight(sim, w, r, m) : 1.0;
        }
    while (rising) {
        double by = 10.0, of_worker[ORACLE_WORKERS] = {0.0}, of_server[ORACLE_SERVERS] = {0.0};
        double at_worker[ORACLE_WORKERS] = {0.0}, at_server[ORACLE_SERVERS] = {0.0};
        for (uint32_t w = 0; w < sim->W; w++)
            for (uint32_t m = 0; m < sim->M; m++) {
                of_worker[w] += share[w][m];
                of_server[m] += share[w][m];
                at_worker[w] += on[w][m] * weight[w][m];
                at_server[m] += on[w][m] * weight[w][m];
            }
        for (uint32_t w = 0; w < sim->W; w++)
            for (uint32_t m = 0; m < sim->M; m++)
                if (on[w][m]) {
                    by = oracle_least(by, (cap - share[w][m]) / weight[w][m]);
                    by = oracle_least(by, (worker_link[w] - of_worker[w]) / at_worker[w]);
                    by = oracle_least(by, (server_link[m] - of_server[m]) / at_server[m]);
                }
        rising = 0;
        for (uint32_t w = 0; w < sim->W; w++)
            for (uint32_t m = 0; m < sim->M; m++)
                if (on[w][m]) {
                    share[w][m] += by * weight[w][m];
                    of_worker[w] += by * weight[w][m];
                    of_server[m] += by * weight[w][m];
                }
        for (uint32_t w = 0; w < sim->W; w++)
            for (uint32_t m = 0; m < sim->M; m++) {
                if (share[w][m] > cap - 1e-13 || of_worker[w] > worker_link[w] - 1e-13
                    || of_server[m] > server_link[m] - 1e-13)
                    on[w][m] = 0;
                rising |= on[w][m];
            }
    }
}

/* One server. */
static double oracle_tcp(const oracle_sim *sim, uint32_t w, sgdsim_resource r)
{
    const sgdsim_resource other = r == SGDSIM_DOWNLINK ? SGDSIM_UPLINK : SGDSIM_DOWNLINK;
    const double two_way = sim->config->links.tcp ? sim->config->links.tcp->two_way : 0.5;
    const size_t n = sim->actives[r][0], m = sim->actives[other][0];
    double link = 1.0, sum = 0.0;
    if (n < m) link = exp(two_way * log((double)n / (double)m));
    for (size_t i = 0; i < n; i++) sum += oracle_weight(sim, sim->active[r][0][i], r, 0);
    return link * oracle_weight(sim, w, r, 0) / sum;
}

static double oracle_share(const oracle_sim *sim, uint32_t w, sgdsim_resource r,
                           uint32_t m)
{
    const sgdsim_config *c = sim->config;
    const double cap = c->links.flow_cap > 0.0 ? oracle_least(1.0, c->links.flow_cap) : 1.0;
    const double n = (double)sim->actives[r][m];
    double fill[ORACLE_WORKERS][ORACLE_SERVERS], there;
    double k = 0.0;
    if (c->links.worker_bandwidth_bytes_per_s
        || (c->links.rule == SGDSIM_LINK_TCP && (sim->M > 1 || cap < 1.0))) {
        oracle_fill(sim, r, cap, fill);
        return fill[w][m];
    }
    if (c->links.rule == SGDSIM_LINK_TCP) return oracle_tcp(sim, w, r);
    if (c->links.rule == SGDSIM_LINK_FCFS) {
        while (sim->active[r][m][(size_t)k] != w) k += 1.0;
        if (k > 0.0 && !c->variants.fcfs_spill) return 0.0;
        return fmax(0.0, oracle_least(cap, 1.0 - k * cap));
    }
    if (sim->M > 2) {
        oracle_fill(sim, r, cap, fill);
        return fill[w][m];
    }
    if (sim->M < 2 || n > 1.0 || !sim->worker[w].queue[r][1 - m].busy)
        return oracle_least(cap, 1.0 / n);
    there = (double)sim->actives[r][1 - m];
    if (there > 1.0) return oracle_least(cap, 1.0 - 1.0 / there);
    return oracle_least(cap, c->variants.two_servers_unit ? 1.0 : 0.5);
}

static double oracle_rate(const oracle_sim *sim, uint32_t w, sgdsim_resource r,
                          uint32_t m)
{
    if (oracle_is_transfer(r) && sim->config->links.rule != SGDSIM_LINK_EXCHANGE)
        return oracle_share(sim, w, r, m);
    if (r != SGDSIM_SERVER) return 1.0;
    switch (sim->config->servers.updates) {
    case SGDSIM_UPDATES_QUEUED: return sim->active[r][m][0] == w ? 1.0 : 0.0;
    case SGDSIM_UPDATES_SHARED: return 1.0 / (double)sim->actives[r][m];
    case SGDSIM_UPDATES_SEPARATE: break;
    }
    return 1.0;
}

/* ---- Events ---------------------------------------------------------------- */

/* Goes on to the next completion; 0 if nothing is in service. */
static int oracle_next(oracle_sim *sim)
{
    double rate[ORACLE_WORKERS][ORACLE_QUEUES][ORACLE_SERVERS];
    double passed_s = HUGE_VAL, end_s[ORACLE_WORKERS][ORACLE_QUEUES][ORACLE_SERVERS];
    uint32_t w, m, best_w = 0, best_m = 0;
    int r, best_r = -1;
    unsigned long turn = 0;
    for (w = 0; w < sim->W; w++)
        for (r = 0; r < (int)ORACLE_QUEUES; r++)
            for (m = 0; m < sim->M; m++) {
                const oracle_queue *queue = &sim->worker[w].queue[r][m];
                end_s[w][r][m] = HUGE_VAL;
                if (!queue->busy) continue;
                rate[w][r][m] = oracle_rate(sim, w, (sgdsim_resource)r, m);
                if (rate[w][r][m] > 0.0)
                    end_s[w][r][m] = fmax(0.0, queue->left_s) / rate[w][r][m];
                passed_s = oracle_least(passed_s, end_s[w][r][m]);
            }
    for (w = 0; w < sim->W; w++)
        for (r = 0; r < (int)ORACLE_QUEUES; r++)
            for (m = 0; m < sim->M; m++) {
                const double rounding_s = 1e-13 * (sim->now_s + passed_s);
                if (!(end_s[w][r][m] <= passed_s + rounding_s)
                    || !(end_s[w][r][m] <= DBL_MAX)) continue;
                if (best_r >= 0) sim->ambiguous = 1;
                if (best_r >= 0 && sim->worker[w].queue[r][m].turn > turn) continue;
                turn = sim->worker[w].queue[r][m].turn;
                best_w = w;
                best_r = r;
                best_m = m;
            }
    if (best_r < 0) return 0;
    passed_s = end_s[best_w][best_r][best_m];
    for (w = 0; w < sim->W; w++)
        for (r = 0; r < (int)ORACLE_QUEUES; r++)
            for (m = 0; m < sim->M; m++)
                if (sim->worker[w].queue[r][m].busy)
                    sim->worker[w].queue[r][m].left_s -= passed_s * rate[w][r][m];
    sim->now_s += passed_s;
    oracle_complete(sim, best_w, (sgdsim_resource)best_r, best_m);
    return 1;
}

static void oracle_run(oracle_sim *sim, const sgdsim_config *config)
{
    *sim = (oracle_sim){.config = config,
                        .M = config->servers.count > 0 ? config->servers.count : 1};
    for (size_t t = 0; t < config->workers.types; t++)
        for (uint32_t i = 0; i < config->workers.count[t]; i++) sim->worker[sim->W++].type = t;
    for (uint32_t w = 0; w < sim->W; w++) oracle_start(sim, w);
    while (oracle_next(sim)) continue;
}

/* The window of the throughput: its steps, and its length. steady: until the first worker
 * runs out. */
static uint64_t oracle_window(const oracle_sim *sim, int steady, double *window_s)
{
    const uint64_t d = sim->config->length.warmup, to = steady ? sim->first_out : sim->ended;
    *window_s = 0.0;
    if (to <= d) return 0;
    *window_s = sim->ended_s[to - 1] - (d > 0 ? sim->ended_s[d - 1] : 0.0);
    return to - d;
}

#endif
