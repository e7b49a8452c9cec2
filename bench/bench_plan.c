/* bench_plan.c - the configuration search: assignments, the dynamic program, the whole, and
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

/* ---- Assignment ------------------------------------------------------------ */

typedef struct assignment {
    double  *cost;                     /* [n][n]                                       */
    size_t   n, work_bytes;
    void    *work;
    uint32_t worker[64];
    sgdplan_objective objective;
    sgdplan_assignment out;
} assignment;

static void run_assignment(void *ctx)
{
    assignment *m = (assignment *)ctx;
    const sgdplan_matching in = {m->cost, m->n, m->n, m->objective};
    check("assignment", sgdplan_assign_segments(&in, m->work, m->work_bytes, m->worker,
                                                &m->out) == SGDPLAN_OK);
    sink = m->out.sum;
}

/* The least sum over all ways to give segments i, i + 1, ... free workers. */
static double least(const assignment *m, size_t i, unsigned used)
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
    const assignment *m = (const assignment *)ctx;
    sink = least(m, 0, 0);
    check("an assignment is not the best", fabs(sink - m->out.sum) <= 1e-9 * sink);
}

static void bench_assignment(const char *what, size_t n, sgdplan_objective objective, int alike)
{
    assignment m;
    sgdplan_matching in = {NULL, 0, 0, SGDPLAN_LEAST_SUM};
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
    in.segments = in.workers = n;
    check("assignment", sgdplan_assign_segments_bytes(&in, &m.work_bytes) == SGDPLAN_OK);
    m.work = room_for(m.work_bytes);
    t = bench_measure(run_assignment, &m);
    if (n <= 8) reference_s = bench_measure(run_permutations, &m).median_s;
    snprintf(size, sizeof size, "%lu workers", (unsigned long)n);
    bench_print(what, size, t, reference_s, (double)n, "segment", m.work_bytes);
    free(m.work);
    free(m.cost);
}

/* ---- A network ------------------------------------------------------------- */

/* Eight layers, as large as ImageNet-22K of [YRHC15], strides in the place of pooling. */
static const sgdplan_layer layers[] = {
    {SGDPLAN_LAYER_CONV, {3, 256, 256}, {128, 63, 63}, 11, 4, 2, 0, 0, 0},
    {SGDPLAN_LAYER_CONV, {128, 63, 63}, {256, 32, 32}, 5, 2, 2, 0, 0, 0},
    {SGDPLAN_LAYER_CONV, {256, 32, 32}, {512, 16, 16}, 3, 2, 1, 0, 0, 0},
    {SGDPLAN_LAYER_CONV, {512, 16, 16}, {512, 16, 16}, 3, 1, 1, 0, 0, 0},
    {SGDPLAN_LAYER_CONV, {512, 16, 16}, {256, 16, 16}, 3, 1, 1, 0, 0, 0},
    {SGDPLAN_LAYER_FC, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 65536, 4096, 0},
    {SGDPLAN_LAYER_FC, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 4096, 4096, 0},
    {SGDPLAN_LAYER_SOFTMAX, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 4096, 22000, 0},
};
enum { LAYERS = (int)(sizeof layers / sizeof layers[0]) };

static const double muladd_at[] = {1048576.0, 16777216.0}, muladd_s[] = {1.2e-10, 3e-10};

typedef struct problem {
    sgdplan_problem in;
    size_t        work_bytes;
    void         *work;
    sgdplan_plan  best;
    sgdplan_split split[LAYERS];
} problem;

static void problem_open(problem *p, size_t count, uint32_t machines, uint32_t cores,
                         uint32_t replications)
{
    sgdplan_machines *m = &p->in.job.machines;
    memset(p, 0, sizeof *p);
    p->in.job.layer = layers + LAYERS - count;
    p->in.job.layers = count;
    p->in.job.samples = 15e6;
    p->in.job.read_samples = 70.0;
    p->in.max_replications = replications;
    m->count = machines;
    m->cores = cores;
    m->connection_s.at = muladd_at;
    m->connection_s.value = muladd_s;
    m->connection_s.points = 2;
    m->activation_s = m->error_s = 1.2e-9;
    m->interference.number = 1.9;
    m->latency_s.number = 3e-4;
    m->bandwidth_bytes_per_s = 1.25e9;
    check("search", sgdplan_search_bytes(&p->in, 1, &p->work_bytes) == SGDPLAN_OK);
    p->work = room_for(p->work_bytes);
}

/* ---- The dynamic program, and the search ----------------------------------- */

static void run_best_splits(void *ctx)
{
    problem *p = (problem *)ctx;
    const sgdplan_configuration c = {1, 1, p->in.job.machines.count - 1, NULL};
    check("best splits", sgdplan_best_splits(&p->in, &c, p->work, p->work_bytes, p->split,
                                             &p->best) == SGDPLAN_OK);
    sink = p->best.epoch_s;
}

static void run_search(void *ctx)
{
    problem *p = (problem *)ctx;
    sgdplan_ranking out = {&p->best, p->split, 1, 0};
    check("search", sgdplan_search(&p->in, p->work, p->work_bytes, &out) == SGDPLAN_OK &&
                    out.found == 1);
    sink = p->best.epoch_s;
}

/* The best of layers l, l + 1, ... above those split already: each split, one after the
 * other, by the epoch it takes. */
static double best_above(const problem *p, const sgdplan_configuration *c, size_t l,
                         sgdplan_split *split)
{
    double best = INFINITY;
    uint32_t P, R, H;
    if (l == p->in.job.layers) {
        sgdplan_epoch epoch;
        return sgdplan_epoch_time(&p->in.job, c, NULL, &epoch, NULL) == SGDPLAN_OK
            ? epoch.epoch_s : (double)INFINITY;
    }
    for (R = 1; R <= c->workers; R++)
        for (P = 1; P * R <= c->workers; P++)
            for (H = 1; H <= p->in.job.machines.cores; H++) {
                double epoch_s;
                if (l > 0 && H != split[0].threads) continue;
                split[l].partitions = P;
                split[l].replications = R;
                split[l].threads = H;
                split[l].worker = NULL;
                epoch_s = best_above(p, c, l + 1, split);
                if (epoch_s < best) best = epoch_s;
            }
    return best;
}

static void run_everything(void *ctx)
{
    const problem *p = (const problem *)ctx;
    const uint32_t N = p->in.job.machines.count;
    sgdplan_split split[LAYERS];
    sgdplan_configuration c = {0, 0, 0, split};
    double best = INFINITY;
    for (c.workers = 1; c.workers < N; c.workers++)
        for (c.replicas = 1; c.replicas * c.workers < N; c.replicas++)
            for (c.servers = 1; c.servers + c.replicas * c.workers <= N; c.servers++) {
                const double epoch_s = best_above(p, &c, 0, split);
                if (epoch_s < best) best = epoch_s;
            }
    check("a plan is not the best", fabs(best - p->best.epoch_s) <= 1e-12 * best);
    sink = best;
}

enum { BEST_SPLITS, SEARCH, EVERYTHING };

static void bench_search(const char *what, size_t count, uint32_t machines, uint32_t cores,
                         uint32_t replications, int kind)
{
    problem p;
    double reference_s = 0.0;
    char size[40];
    bench_time t;
    problem_open(&p, count, machines, cores, replications);
    t = bench_measure(kind == BEST_SPLITS ? run_best_splits : run_search, &p);
    if (kind == EVERYTHING) reference_s = bench_measure(run_everything, &p).median_s;
    snprintf(size, sizeof size, "N=%lu K=%lu L=%lu", (unsigned long)machines,
             (unsigned long)cores, (unsigned long)count);
    bench_print(what, size, t, reference_s,
                kind == BEST_SPLITS ? 1.0 : (double)sgdplan_search_count(&p.in),
                kind == BEST_SPLITS ? "split" : "configuration", p.work_bytes);
    free(p.work);
}

int main(int argc, char **argv)
{
    bench_start(argc, argv, "bench_plan");
    bench_assignment("assignment, all permutations", 7, SGDPLAN_LEAST_SUM, 0);
    bench_assignment("assignment, sum", 64, SGDPLAN_LEAST_SUM, 0);
    bench_assignment("assignment, largest", 64, SGDPLAN_LEAST_LARGEST, 0);
    bench_assignment("assignment, sum, hard", 64, SGDPLAN_LEAST_SUM, 1);
    bench_assignment("assignment, largest, hard", 64, SGDPLAN_LEAST_LARGEST, 1);
    bench_search("search, all splits", 5, 5, 2, 0, EVERYTHING);
    bench_search("dynamic program, N-1 workers", LAYERS, 20, 16, 0, BEST_SPLITS);
    bench_search("search", LAYERS, 20, 16, 0, SEARCH);
    bench_search("search, no replication", LAYERS, 20, 16, 1, SEARCH);
    bench_search("dynamic program, no repl.", LAYERS, 100, 16, 1, BEST_SPLITS);
    bench_search("search, no replication", LAYERS, 100, 16, 1, SEARCH);
    return bench_end();
}
