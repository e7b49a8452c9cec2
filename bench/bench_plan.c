/* bench_plan.c - the configuration search: mappings, the dynamic program, the whole, and
 * both beside looking at everything */
#include "bench.h"

#include <math.h>

#define SGDPERF_PLAN_IMPLEMENTATION
#include "../sgdperf_plan.h"
#define SGDPERF_PLAN_IMPLEMENTATION
#include "../sgdperf_plan.h"

static volatile double sink;

static void check(const char *what, int fine)
{
    if (fine) return;
    fprintf(stderr, "bench_plan: %s\n", what);
    exit(EXIT_FAILURE);
}

static void *room_for(size_t bytes)
{
    void *p = calloc(bytes > 0 ? bytes : 1, 1);
    check("out of memory", p != NULL);
    return p;
}

/* ---- Mapping --------------------------------------------------------------- */

typedef struct mapping {
    double  *cost;                     /* [n][n]                                       */
    size_t   n, work_bytes;
    void    *work;
    uint32_t worker[64];
    sgdplan_objective objective;
    sgdplan_mapping out;
} mapping;

static void run_mapping(void *ctx)
{
    mapping *m = (mapping *)ctx;
    check("mapping", sgdplan_map(m->cost, m->n, m->n, m->objective, m->work, m->work_bytes,
                                  m->worker, &m->out) == SGDPLAN_OK);
    sink = m->out.sum;
}

/* The least sum over all ways to give segments i, i + 1, ... free workers. */
static double least(const mapping *m, size_t i, unsigned used)
{
    double best = INFINITY;
    size_t j;
    if (i == m->n) return 0.0;
    for (j = 0; j < m->n; j++)
        if (!(used >> j & 1u)) {
            const double sum = m->cost[i * m->n + j] + least(m, i + 1, used | 1u << j);
            if (sum < best) best = sum;
        }
    return best;
}

static void run_permutations(void *ctx)
{
    const mapping *m = (const mapping *)ctx;
    sink = least(m, 0, 0);
    check("a mapping is not the best", fabs(sink - m->out.sum) <= 1e-9 * sink);
}

static void bench_mapping(const char *what, size_t n, sgdplan_objective objective, int alike)
{
    mapping m;
    uint64_t state = 1;
    double reference_s = 0.0;
    char size[32];
    bench_time t;
    size_t i;
    memset(&m, 0, sizeof m);
    m.n = n;
    m.objective = objective;
    m.cost = (double *)room_for(n * n * sizeof *m.cost);
    for (i = 0; i < n * n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        m.cost[i] = alike ? (double)((i / n + 1) * (i % n + 1))
                          : (double)(state >> 33) / 2147483648.0;
    }
    check("mapping", sgdplan_map_bytes(n, n, &m.work_bytes) == SGDPLAN_OK);
    m.work = room_for(m.work_bytes);
    t = bench_measure(run_mapping, &m);
    if (n <= 8) reference_s = bench_measure(run_permutations, &m).median_s;
    snprintf(size, sizeof size, "%lu workers", (unsigned long)n);
    bench_print(what, size, t, reference_s, (double)n, "segment", m.work_bytes);
    free(m.work);
    free(m.cost);
}

/* ---- A network ------------------------------------------------------------- */

/* Eight layers, as large as ImageNet-22K of [YRHC15], strides in the place of pooling. */
static const sgdplan_layer layers[] = {
    {SGDPLAN_LAYER_CONV, 3, 256, 256, 128, 63, 63, 11, 4, 2, 0, 0, 0},
    {SGDPLAN_LAYER_CONV, 128, 63, 63, 256, 32, 32, 5, 2, 2, 0, 0, 0},
    {SGDPLAN_LAYER_CONV, 256, 32, 32, 512, 16, 16, 3, 2, 1, 0, 0, 0},
    {SGDPLAN_LAYER_CONV, 512, 16, 16, 512, 16, 16, 3, 1, 1, 0, 0, 0},
    {SGDPLAN_LAYER_CONV, 512, 16, 16, 256, 16, 16, 3, 1, 1, 0, 0, 0},
    {SGDPLAN_LAYER_FC, 0, 0, 0, 0, 0, 0, 0, 0, 0, 65536, 4096, 0},
    {SGDPLAN_LAYER_FC, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4096, 4096, 0},
    {SGDPLAN_LAYER_SOFTMAX, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4096, 22000, 0},
};
enum { LAYERS = (int)(sizeof layers / sizeof layers[0]) };

static const double muladd_at[] = {1048576.0, 16777216.0}, muladd_s[] = {1.2e-10, 3e-10};

typedef struct problem {
    sgdplan_layered net;
    sgdplan_cluster_plan plan;
    sgdplan_segment message[64];          /* by threads                                   */
    size_t   shapes, *start;           /* of splits with fewer replications            */
    uint64_t *remote;                  /* [layers][shapes][shapes][2] values + 1       */
    size_t   work_bytes;
    void    *work;
    sgdplan_plan best;
    sgdplan_state state[LAYERS];
} problem;

static sgdplan_split split_of(const sgdplan_state *s)
{
    sgdplan_split split = {0, 0, 0, NULL};
    split.partitions = s->partitions;
    split.replications = s->replications;
    split.threads = s->threads > 0 ? s->threads : 1;
    return split;
}

static double layer_s(void *ctx, size_t l, const sgdplan_state *s)
{
    const problem *p = (const problem *)ctx;
    const sgdplan_split split = split_of(s);
    sgdplan_segment t;
    if (sgdplan_segment_time(&p->net, l, &split, &t) != SGDPLAN_OK) return INFINITY;
    return (t.forward_s + t.backward_s + t.update_s) * p->net.samples /
           ((double)s->threads * s->replications);
}

static double message_s(problem *p, size_t l, const sgdplan_state *below,
                        const sgdplan_state *s, const sgdplan_state *to)
{
    const size_t x = p->start[below->replications] + below->partitions - 1;
    const size_t y = p->start[s->replications] + s->partitions - 1;
    uint64_t *values = p->remote + 2 * ((l * p->shapes + x) * p->shapes + y);
    if (values[0] == 0) {
        const sgdplan_split lower = split_of(below), upper = split_of(s);
        const int fine = sgdplan_remote(&p->net, l, &lower, &upper, &values[0], &values[1]) == SGDPLAN_OK;
        values[0] = fine ? values[0] + 1 : UINT64_MAX;
    }
    if (values[0] == UINT64_MAX) return INFINITY;
    return sgdplan_message_time(&p->message[to->threads - 1],
                             to == s ? values[0] - 1 : values[1]) *
           p->net.samples / ((double)to->threads * to->replications);
}

static double forward_s(void *ctx, size_t l, const sgdplan_state *below,
                        const sgdplan_state *s)
{
    return message_s((problem *)ctx, l, below, s, s);
}

static double backward_s(void *ctx, size_t l, const sgdplan_state *below,
                         const sgdplan_state *s)
{
    return message_s((problem *)ctx, l, below, s, below);
}

static double weights_s(void *ctx, size_t l, const sgdplan_state *s,
                        const sgdplan_resources *r)
{
    const problem *p = (const problem *)ctx;
    const sgdplan_configuration c = {r->servers, r->replicas, r->workers, NULL};
    const sgdplan_split split = split_of(s);
    sgdplan_weight_reading w;
    if (sgdplan_weight_time(&p->net, l, &c, &split, &w) != SGDPLAN_OK) return INFINITY;
    return w.latency_s + w.transfer_s;
}

static void problem_open(problem *p, size_t count, uint32_t machines, uint32_t cores,
                         uint32_t replications)
{
    uint32_t R, H;
    memset(p, 0, sizeof *p);
    p->net.layer = layers + LAYERS - count;
    p->net.layers = count;
    p->net.machines = machines;
    p->net.cores = cores;
    p->net.muladd_s.at = muladd_at;
    p->net.muladd_s.value = muladd_s;
    p->net.muladd_s.points = 2;
    p->net.activation_s = p->net.error_s = 1.2e-9;
    p->net.interference.number = 1.9;
    p->net.latency_s.number = 3e-4;
    p->net.bandwidth_bits_per_s = 1e10;
    p->net.samples = 15e6;
    p->net.read_samples = 70.0;
    p->start = (size_t *)room_for((machines + 1) * sizeof *p->start);
    for (R = 1; R < machines; R++) {
        p->start[R] = p->shapes;
        if (replications == 0 || R <= replications) p->shapes += (machines - 1) / R;
    }
    p->remote = (uint64_t *)room_for(2 * count * p->shapes * p->shapes * sizeof *p->remote);
    for (H = 1; H <= cores; H++) {
        const sgdplan_split split = {1, 1, H, NULL};
        check("segment", sgdplan_segment_time(&p->net, 0, &split, &p->message[H - 1]) == SGDPLAN_OK);
    }
    p->plan.layers = count;
    p->plan.machines = machines;
    p->plan.cores = cores;
    p->plan.max_replications = replications;
    p->plan.costs.layer_s = layer_s;
    p->plan.costs.forward_s = forward_s;
    p->plan.costs.backward_s = backward_s;
    p->plan.costs.weights_s = weights_s;
    p->plan.costs.ctx = p;
    p->best.state = p->state;
    check("search", sgdplan_search_bytes(&p->plan, 1, &p->work_bytes) == SGDPLAN_OK);
    p->work = room_for(p->work_bytes);
}

static void problem_close(problem *p)
{
    free(p->work);
    free(p->remote);
    free(p->start);
}

/* ---- The dynamic program, and the search ----------------------------------- */

static void run_compose(void *ctx)
{
    problem *p = (problem *)ctx;
    const sgdplan_resources r = {1, 1, p->plan.machines - 1};
    check("compose", sgdplan_compose(&p->plan, &r, p->work, p->work_bytes, &p->best) ==
                         SGDPLAN_OK);
    sink = p->best.epoch_s;
}

/* Remote values are looked up anew each time, as a program does that plans once. */
static void run_search(void *ctx)
{
    problem *p = (problem *)ctx;
    size_t found = 0;
    memset(p->remote, 0, 2 * p->net.layers * p->shapes * p->shapes * sizeof *p->remote);
    check("search", sgdplan_search(&p->plan, p->work, p->work_bytes, &p->best, 1, &found) ==
                            SGDPLAN_OK && found == 1);
    sink = p->best.epoch_s;
}

/* The best of layers l, l + 1, ... above state[l - 1]: all splits, one after the other. */
static double best_above(problem *p, const sgdplan_resources *r, size_t l,
                         sgdplan_state *state)
{
    double best = INFINITY;
    uint32_t P, R, H;
    if (l == p->net.layers) return 0.0;
    for (R = 1; R <= r->workers; R++)
        for (P = 1; P * R <= r->workers; P++)
            for (H = 1; H <= p->plan.cores; H++) {
                double sum;
                if (l > 0 && H != state[0].threads) continue;
                state[l].partitions = P;
                state[l].replications = R;
                state[l].threads = H;
                sum = layer_s(p, l, &state[l]);
                if (l > 0) sum += forward_s(p, l, &state[l - 1], &state[l]) +
                                  backward_s(p, l, &state[l - 1], &state[l]);
                sum = sum / r->replicas + weights_s(p, l, &state[l], r) +
                      best_above(p, r, l + 1, state);
                if (sum < best) best = sum;
            }
    return best;
}

static void run_everything(void *ctx)
{
    problem *p = (problem *)ctx;
    const uint32_t N = p->plan.machines;
    sgdplan_state state[LAYERS];
    sgdplan_resources r;
    double best = INFINITY;
    for (r.workers = 1; r.workers < N; r.workers++)
        for (r.replicas = 1; r.replicas * r.workers < N; r.replicas++)
            for (r.servers = 1; r.servers + r.replicas * r.workers <= N; r.servers++) {
                const double epoch_s = best_above(p, &r, 0, state);
                if (epoch_s < best) best = epoch_s;
            }
    check("a plan is not the best", fabs(best - p->best.epoch_s) <= 1e-12 * best);
    sink = best;
}

enum { COMPOSE, SEARCH, EVERYTHING };

static void bench_search(const char *what, size_t count, uint32_t machines, uint32_t cores,
                         uint32_t replications, int kind)
{
    problem p;
    double reference_s = 0.0;
    char size[40];
    bench_time t;
    problem_open(&p, count, machines, cores, replications);
    t = bench_measure(kind == COMPOSE ? run_compose : run_search, &p);
    if (kind == EVERYTHING) reference_s = bench_measure(run_everything, &p).median_s;
    snprintf(size, sizeof size, "N=%lu K=%lu L=%lu", (unsigned long)machines,
             (unsigned long)cores, (unsigned long)count);
    bench_print(what, size, t, reference_s,
                kind == COMPOSE ? 1.0 : (double)sgdplan_search_count(&p.plan),
                kind == COMPOSE ? "split" : "configuration", p.work_bytes);
    problem_close(&p);
}

int main(int argc, char **argv)
{
    bench_start(argc, argv, "bench_plan");
    bench_mapping("mapping, all permutations", 7, SGDPLAN_LEAST_SUM, 0);
    bench_mapping("mapping, sum", 64, SGDPLAN_LEAST_SUM, 0);
    bench_mapping("mapping, largest", 64, SGDPLAN_LEAST_LARGEST, 0);
    bench_mapping("mapping, sum, hard", 64, SGDPLAN_LEAST_SUM, 1);
    bench_mapping("mapping, largest, hard", 64, SGDPLAN_LEAST_LARGEST, 1);
    bench_search("search, all splits", 5, 5, 2, 0, EVERYTHING);
    bench_search("dynamic program, N-1 workers", LAYERS, 20, 16, 0, COMPOSE);
    bench_search("search", LAYERS, 20, 16, 0, SEARCH);
    bench_search("search, no replication", LAYERS, 20, 16, 1, SEARCH);
    bench_search("dynamic program, no repl.", LAYERS, 100, 16, 1, COMPOSE);
    bench_search("search, no replication", LAYERS, 100, 16, 1, SEARCH);
    return bench_end();
}
