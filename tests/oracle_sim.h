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

enum { ORACLE_OPS = 40, ORACLE_WORKERS = 24, ORACLE_SERVERS = 3, ORACLE_STEPS = 12,
       ORACLE_JOBS = 3, ORACLE_PLACES = ORACLE_JOBS * ORACLE_SERVERS };

typedef struct oracle_op {
    sgdsim_resource resource;
    uint32_t server;
    double   work_s;               /* alone on the whole resource                     */
    int      needs[ORACLE_OPS];    /* [op] does it wait for op?                       */
} oracle_op;

/* Behind a worker's queues at resources: those of its downloads and uploads that are sent
 * but have not arrived, and that of its start. */
enum { ORACLE_LATE = SGDSIM_RESOURCES, ORACLE_SET_OUT = SGDSIM_RESOURCES + 2,
       ORACLE_QUEUES = SGDSIM_RESOURCES + 3 };

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
    size_t   type, job;
    int      idle;                 /* between two steps                               */
    double   spent_s[SGDSIM_RESOURCES + 1]; /* as in sgdsim_waiting                   */
    uint32_t profile;
    uint64_t steps;                /* completed                                       */
    size_t   ops, done;
    oracle_op op[ORACLE_OPS];
    int      finished[ORACLE_OPS];
    double   arrival_s[ORACLE_OPS];
    oracle_queue queue[ORACLE_QUEUES][ORACLE_SERVERS];
} oracle_worker;

typedef struct oracle_job {
    uint32_t workers, finished, lead;
    int      moves;                /* does anything of it take time?                  */
    uint64_t warmup, ended, counted, first_out; /* of its steps; counted: while some   */
                                   /*   job was not done; until a worker ran out      */
    double   ended_s[ORACLE_WORKERS * ORACLE_STEPS];
} oracle_job;

typedef struct oracle_sim {
    const sgdsim_config *config;
    uint32_t W, M;
    size_t   jobs;
    oracle_job job[ORACLE_JOBS];
    oracle_worker worker[ORACLE_WORKERS];
    uint32_t active[SGDSIM_RESOURCES][ORACLE_PLACES][ORACLE_WORKERS]; /* in order      */
    size_t   actives[SGDSIM_RESOURCES][ORACLE_PLACES];
    double   now_s;
    unsigned long turn;
    uint64_t events, operations;
    double   carried_s[SGDSIM_RESOURCES], contended_s[SGDSIM_RESOURCES];
    int      endless;              /* more steps than there is room for               */
    int      ambiguous;            /* may rounding have decided which chunk was first? */
    double   step_end_s[ORACLE_WORKERS][ORACLE_STEPS];
    oracle_record record[ORACLE_WORKERS][ORACLE_STEPS][ORACLE_OPS];
    uint32_t drawn[ORACLE_WORKERS][ORACLE_STEPS];
} oracle_sim;

static double oracle_least(double a, double b) { return a < b ? a : b; }
static double oracle_uniform(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

static int oracle_is_transfer(sgdsim_resource r)
{
    return r == SGDSIM_DOWNLINK || r == SGDSIM_UPLINK;
}

/* Is the resource one of a station, which workers share? */
static int oracle_is_shared(const oracle_sim *sim, sgdsim_resource r)
{
    if (r == SGDSIM_SERVER) return sim->config->servers.updates != SGDSIM_UPDATES_SEPARATE;
    return oracle_is_transfer(r) && sim->config->links.rule != SGDSIM_LINK_EXCHANGE;
}

/* Jobs share links; each has its own servers. */
static size_t oracle_place(const oracle_sim *sim, uint32_t w, sgdsim_resource r, uint32_t m)
{
    return r == SGDSIM_SERVER ? m + ORACLE_SERVERS * sim->worker[w].job : m;
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

/* The step that a worker replays next, of a machine the one that computes longest. */
static uint32_t oracle_draw(oracle_sim *sim, uint32_t w)
{
    const sgdsim_config *c = sim->config;
    oracle_worker *worker = sim->worker + w;
    const uint64_t k = sim->worker[w].steps;
    const sgdsim_trace *trace = c->workers.trace + sim->worker[w].type;
    const uint32_t g = c->workers.accelerators > 0 ? c->workers.accelerators : 1;
    double longest_s = -1.0;
    uint32_t best = 0;
    if (c->variation.sequence && k < c->length.steps
        && c->variation.sequence[w * c->length.steps + k] != UINT32_MAX)
        return c->variation.sequence[w * c->length.steps + k];
    for (uint32_t a = 0; a < g; a++) {
        const uint32_t step =
            (uint32_t)(oracle_uniform(sgdsim_random(c->variation.seed, w * g + a, k, 0))
                       * (double)trace->steps);
        double own_s = 0.0;
        oracle_expand(sim, worker, trace->step + step);
        for (size_t i = 0; i < worker->ops; i++)
            if (worker->op[i].resource == SGDSIM_WORKER) own_s += worker->op[i].work_s;
        if (own_s > longest_s) best = step;
        longest_s = fmax(longest_s, own_s);
    }
    return best;
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
    const size_t at = oracle_place(sim, w, r, m);
    sim->active[r][at][sim->actives[r][at]++] = w;
}

static void oracle_leave(oracle_sim *sim, uint32_t w, sgdsim_resource r, uint32_t m)
{
    const size_t at = oracle_place(sim, w, r, m);
    size_t from, to = 0;
    for (from = 0; from < sim->actives[r][at]; from++)
        if (sim->active[r][at][from] != w)
            sim->active[r][at][to++] = sim->active[r][at][from];
    sim->actives[r][at] = to;
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
    sim->carried_s[r] += work_s;
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
    worker->idle = 0;
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

/* May an idle worker start a step? */
static int oracle_may_start(const oracle_sim *sim, uint32_t w)
{
    const oracle_worker *worker = sim->worker + w;
    const oracle_job *job = sim->job + worker->job;
    uint64_t slowest = UINT64_MAX;
    int open = 0;
    for (size_t j = 0; sim->jobs > 1 && j < sim->jobs; j++)
        open |= sim->job[j].finished < sim->job[j].workers;
    for (uint32_t i = 0; i < sim->W; i++)
        if (sim->worker[i].job == worker->job && sim->worker[i].steps < slowest)
            slowest = sim->worker[i].steps;
    return worker->idle && worker->steps - slowest <= job->lead
        && (worker->steps < sim->config->length.steps || (open && job->moves));
}

static void oracle_step_over(oracle_sim *sim, uint32_t w)
{
    const uint64_t steps = sim->config->length.steps;
    oracle_worker *worker = sim->worker + w;
    oracle_job *job = sim->job + worker->job;
    int open = sim->jobs == 1;
    for (size_t j = 0; j < sim->jobs; j++) open |= sim->job[j].finished < sim->job[j].workers;
    if (worker->steps < steps) sim->step_end_s[w][worker->steps] = sim->now_s;
    if (++worker->steps == ORACLE_STEPS) sim->endless = 1;
    worker->idle = 1;
    job->ended_s[job->ended++] = sim->now_s;
    if (open) job->counted = job->ended;
    if (job->first_out > 0
        && sim->now_s <= job->ended_s[job->first_out - 1] * (1.0 + 1e-12))
        job->first_out = job->ended;
    if (worker->steps == steps && job->first_out == 0) job->first_out = job->ended;
    job->finished += worker->steps == steps;
    for (uint32_t i = 0; i < sim->W && !sim->endless; i++)
        if (sim->worker[i].job == worker->job && oracle_may_start(sim, i)) oracle_start(sim, i);
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
    if ((int)r == ORACLE_SET_OUT) {
        queue->busy = 0;
        oracle_start(sim, w);
        return;
    }
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
    const size_t at = oracle_place(sim, w, r, m);
    if (oracle_is_transfer(r) && oracle_is_shared(sim, r)) return oracle_share(sim, w, r, m);
    if (r != SGDSIM_SERVER) return 1.0;
    switch (sim->config->servers.updates) {
    case SGDSIM_UPDATES_QUEUED: return sim->active[r][at][0] == w ? 1.0 : 0.0;
    case SGDSIM_UPDATES_SHARED: return 1.0 / (double)sim->actives[r][at];
    case SGDSIM_UPDATES_SEPARATE: break;
    }
    return 1.0;
}

/* ---- Events ---------------------------------------------------------------- */

/* Counts what a worker spends time on, and where several are, for so long. */
static void oracle_pass(oracle_sim *sim, double passed_s)
{
    static const int order[SGDSIM_RESOURCES][2] = {
        {SGDSIM_WORKER, SGDSIM_WORKER}, {SGDSIM_DOWNLINK, ORACLE_LATE},
        {SGDSIM_UPLINK, ORACLE_LATE + 1}, {SGDSIM_SERVER, SGDSIM_SERVER}};
    for (uint32_t w = 0; w < sim->W; w++) {
        int kind, busy = 0;
        for (kind = 0; kind < SGDSIM_RESOURCES && !busy; kind += !busy)
            for (uint32_t m = 0; m < 2 * sim->M; m++)
                busy |= sim->worker[w].queue[order[kind][m % 2]][m / 2].busy;
        sim->worker[w].spent_s[kind] += passed_s;
    }
    for (int r = 0; r < SGDSIM_RESOURCES; r++)
        for (size_t at = 0; at < ORACLE_PLACES && oracle_is_shared(sim, (sgdsim_resource)r); at++)
            sim->contended_s[r] += sim->actives[r][at] > 1 ? passed_s : 0.0;
}

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
    oracle_pass(sim, passed_s);
    oracle_complete(sim, best_w, (sgdsim_resource)best_r, best_m);
    return 1;
}

/* Who is in which job, and how far its workers may lead. */
static void oracle_set_jobs(oracle_sim *sim)
{
    const sgdsim_config *c = sim->config;
    for (size_t t = 0; t < c->workers.types; t++) {
        const size_t at = c->workers.job ? c->workers.job[t] : 0;
        oracle_job *job = sim->job + at;
        job->workers += c->workers.count[t];
        job->lead = c->workers.lead ? c->workers.lead[at]
                  : c->mode == SGDSIM_SYNC ? 0 : UINT32_MAX;
        job->moves |= c->links.delay_s && c->links.delay_s[t] > 0.0;
        for (uint32_t i = 0; i < c->workers.count[t]; i++) {
            sim->worker[sim->W].job = at;
            sim->worker[sim->W++].type = t;
        }
        for (size_t p = 0; p < c->workers.trace[t].steps; p++) {
            oracle_worker *any = sim->worker;
            oracle_expand(sim, any, c->workers.trace[t].step + p);
            for (size_t i = 0; i < any->ops; i++) job->moves |= any->op[i].work_s > 0.0;
        }
        sim->jobs = at + 1;
    }
    for (size_t j = 0; j < sim->jobs; j++) {
        oracle_job *job = sim->job + j;
        job->warmup = c->length.warmup;
        if (c->workers.lead && job->lead == 0) job->warmup -= job->warmup % job->workers;
    }
}

static void oracle_run(oracle_sim *sim, const sgdsim_config *config)
{
    const double stagger_s = config->variation.stagger_s;
    memset(sim, 0, sizeof *sim);                   /* too large for a stack           */
    sim->config = config;
    sim->M = config->servers.count > 0 ? config->servers.count : 1;
    oracle_set_jobs(sim);
    for (uint32_t w = 0; w < sim->W; w++) {
        oracle_queue *start = &sim->worker[w].queue[ORACLE_SET_OUT][0];
        start->left_s = stagger_s * oracle_uniform(
                            sgdsim_random(config->variation.seed, w, UINT64_MAX, 0));
        start->turn = sim->turn;
        start->busy = stagger_s > 0.0;
        if (start->busy) sim->turn++;
        else oracle_start(sim, w);
    }
    while (!sim->endless && oracle_next(sim)) continue;
}

/* The window of a job's throughput: its steps, and its length. steady: until the first
 * worker runs out. */
static uint64_t oracle_window(const oracle_sim *sim, size_t of, int steady, double *window_s)
{
    const oracle_job *job = sim->job + of;
    const uint64_t d = job->warmup, to = steady ? job->first_out : job->counted;
    *window_s = 0.0;
    if (to <= d) return 0;
    *window_s = job->ended_s[to - 1] - (d > 0 ? job->ended_s[d - 1] : 0.0);
    return to - d;
}

#endif
