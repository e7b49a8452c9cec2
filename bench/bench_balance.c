/* bench_balance.c - microseconds of a decision about batches, beside the textbook form, of
 * the optimum beside the rule that hands out one sample after the other, and of learning
 * from 500 iterations and predicting the next speed */
#include "bench.h"

#define SGDPERF_BALANCE_IMPLEMENTATION
#include "../sgdperf_balance.h"
#define SGDPERF_FORECAST_IMPLEMENTATION
#include "../sgdperf_forecast.h"

enum { MOST = 10000, MEAN_BATCH = 64, NOISE = 1024, HISTORY = 64, TRAIN = 500 };

static double noise[NOISE];
static sgdbal_worker worker[MOST];

static void fail(const char *what)
{
    fprintf(stderr, "bench_balance: %s\n", what);
    exit(EXIT_FAILURE);
}

static void *get_memory(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) fail("out of memory");
    return memory;
}

static double uniform(uint64_t a, uint64_t b)
{
    return (double)(sgdbal_priv_random(1, a, b) >> 11) / 9007199254740992.0;
}

/* Accelerators of speeds 1 to 7, with a launch time, and 1 % of noise. */
static void make_workers(void)
{
    size_t i;
    for (i = 0; i < NOISE; i++) noise[i] = 1.0 + 0.01 * (uniform(i, 0) - 0.5);
    for (i = 0; i < MOST; i++) {
        worker[i].launch_s = 0.3;
        worker[i].slope_s = 0.005 + 0.03 * uniform(i, 1);
    }
}

/* ---- Decisions ----------------------------------------------------------------- */

/* A training loop: the library's balancer, or the naive state below. */
typedef struct loop {
    size_t             n, iteration;
    double            *time_s, *history;           /* naive: [HISTORY][n], a ring      */
    uint32_t          *batch, delta, window;       /* naive                            */
    struct share      *share;
    void              *work;
    size_t             work_bytes;
    sgdbal_balancer *balancer;
} loop;

static void measure(loop *l, const uint32_t *batch)
{
    size_t i;
    for (i = 0; i < l->n; i++)
        l->time_s[i] = (worker[i].launch_s + worker[i].slope_s * (double)batch[i]) *
                       noise[(i * 7 + l->iteration * 13) % NOISE];
    l->iteration++;
}

static void decide(void *ctx)
{
    loop *l = (loop *)ctx;
    sgdbal_iteration m = { NULL, NULL, NULL, NULL };
    measure(l, sgdbal_balancer_batches(l->balancer));
    m.time_s = l->time_s;
    if (sgdbal_balancer_step(l->balancer, &m, NULL, NULL) != SGDBAL_OK) fail("step");
}

typedef struct share { double rest; size_t i; } share;

static int by_rest(const void *a, const void *b)
{
    const share *x = (const share *)a, *y = (const share *)b;
    return x->rest > y->rest || (x->rest >= y->rest && x->i < y->i) ? -1 : 1;
}

/* Alg. 1 with remainders sorted. */
static void decide_speeds(void *ctx)
{
    loop *l = (loop *)ctx;
    const double total = (double)(MEAN_BATCH * l->n);
    double v = 0.0;
    uint64_t left = MEAN_BATCH * (uint64_t)l->n;
    size_t i;
    measure(l, l->batch);
    for (i = 0; i < l->n; i++) v += l->batch[i] / l->time_s[i];
    for (i = 0; i < l->n; i++) {
        const double x = total * (l->batch[i] / l->time_s[i]) / v;
        l->batch[i] = (uint32_t)x;
        l->share[i].rest = x - floor(x);
        l->share[i].i = i;
        left -= l->batch[i];
    }
    qsort(l->share, l->n, sizeof *l->share, by_rest);
    for (i = 0; i < left; i++) l->batch[l->share[i].i]++;
}

/* Alg. 2 as it is printed. */
static void decide_pairs(void *ctx)
{
    loop *l = (loop *)ctx;
    double *row = l->history + l->iteration % HISTORY * l->n;
    size_t leader = 0, straggler = 0, rows, i, k;
    int leads = 1, behind = 0;
    measure(l, l->batch);
    rows = l->iteration < HISTORY ? l->iteration : HISTORY;
    memcpy(row, l->time_s, l->n * sizeof *row);
    for (i = 1; i < l->n; i++) {
        if (l->time_s[i] < l->time_s[leader]) leader = i;
        if (l->time_s[i] > l->time_s[straggler]) straggler = i;
    }
    for (k = 0; k < rows; k++) {
        const double *past = l->history + (l->iteration - 1 - k) % HISTORY * l->n;
        if (k < l->window && !(past[leader] < past[straggler])) leads = 0;
        if (past[leader] > past[straggler]) behind = 1;
    }
    if (l->batch[straggler] <= l->delta) return;
    if (leads && rows >= l->window) {
        l->batch[leader] += l->delta;
        l->batch[straggler] -= l->delta;
    } else if (behind) {
        l->delta = 1;
        l->window = 20;
    }
}

static void bench_decisions(const char *what, size_t n, sgdbal_method rule, int advised,
                            void (*naive)(void *))
{
    sgdbal_balancer_config rules;
    bench_time t, reference;
    char size[32];
    loop l;
    size_t i;
    memset(&rules, 0, sizeof rules);
    memset(&l, 0, sizeof l);
    rules.method = rule;
    rules.workers = l.n = n;
    rules.total = MEAN_BATCH * (uint64_t)n;
    if (advised) (void)sgdbal_pairs_preset(SGDBAL_ADVISED, &rules.pairs);
    if (sgdbal_balancer_bytes(&rules, &l.work_bytes) != SGDBAL_OK) fail("bytes");
    l.work = get_memory(l.work_bytes, 1);
    l.time_s = (double *)get_memory(n, sizeof *l.time_s);
    l.history = (double *)get_memory(HISTORY * n, sizeof *l.history);
    l.batch = (uint32_t *)get_memory(n, sizeof *l.batch);
    l.share = (share *)get_memory(n, sizeof *l.share);
    if (sgdbal_balancer_open(&rules, l.work, l.work_bytes, &l.balancer) != SGDBAL_OK)
        fail("open");
    for (i = 0; i < n; i++) l.batch[i] = MEAN_BATCH;
    l.delta = l.window = 5;
    t = bench_measure(decide, &l);
    l.iteration = 0;
    reference = bench_measure(naive, &l);
    snprintf(size, sizeof size, "n=%u", (unsigned)n);
    bench_print(what, size, t, reference.median_s, (double)n, "worker", l.work_bytes);
    free(l.work);
    free(l.time_s);
    free(l.history);
    free(l.batch);
    free(l.share);
}

/* ---- The optimum ---------------------------------------------------------------- */

typedef struct problem { size_t n; uint64_t total; uint32_t batch[MOST]; } problem;

static void search(void *ctx)
{
    problem *p = (problem *)ctx;
    double time_s;
    if (sgdbal_batches_optimal(worker, p->n, p->total, 0, p->batch, &time_s) != SGDBAL_OK)
        fail("optimum");
}

/* One sample after the other to the worker that has it done first; of all of them the
 * first ones, as all cost the same. */
static double greedy_s(const problem *p)
{
    static uint32_t x[MOST];
    const uint64_t samples = p->total < 1000 ? p->total : 1000;
    double start;
    uint64_t k;
    memset(x, 0, sizeof x);
    start = bench_now();
    for (k = 0; k < samples; k++) {
        double least_s = HUGE_VAL;
        size_t best = 0, i;
        for (i = 0; i < p->n; i++) {
            const double t = worker[i].launch_s + worker[i].slope_s * (x[i] + 1.0);
            if (t < least_s) { least_s = t; best = i; }
        }
        x[best]++;
    }
    return (bench_now() - start) * (double)p->total / (double)samples;
}

static void bench_optimum(size_t n)
{
    static problem p;
    char size[32];
    bench_time t;
    p.n = n;
    p.total = MEAN_BATCH * (uint64_t)n;
    t = bench_measure(search, &p);
    snprintf(size, sizeof size, "n=%u", (unsigned)n);
    bench_print("optimum", size, t, greedy_s(&p), (double)n, "worker", 0);
}

/* ---- Predictors ----------------------------------------------------------------- */

typedef struct learner {
    sgdfc_config      forecast;
    sgdfc_forecaster *p;
    void               *work;
    size_t              work_bytes;
} learner;

static double speed[2 * TRAIN], cpu[2 * TRAIN], memory[2 * TRAIN];

/* A worker that gets more or less of a machine every 40 iterations. */
static void make_series(void)
{
    size_t k;
    for (k = 0; k < 2 * TRAIN; k++) {
        cpu[k] = 0.3 + 0.7 * uniform(k / 40, 2) + 0.05 * uniform(k, 3);
        memory[k] = 0.2 + 0.8 * uniform(k / 40, 4) + 0.01 * uniform(k, 5);
        speed[k] = 110.0 * pow(cpu[k], 0.9) * sqrt(fmin(1.0, memory[k] / 0.45)) +
                   8.0 * (uniform(k, 6) - 0.5);
    }
}

static void learn(void *ctx)
{
    learner *l = (learner *)ctx;
    size_t k;
    if (sgdfc_open(&l->forecast, l->work, l->work_bytes, &l->p) != SGDFC_OK)
        fail("predictor");
    for (k = 0; k < TRAIN; k++)
        if (sgdfc_observe(l->p, speed[k], cpu[k], memory[k]) != SGDFC_OK)
            fail("observe");
}

/* Iterations of one worker: what is asked as each begins, and told when it has ended. */
static void predict(void *ctx)
{
    learner *l = (learner *)ctx;
    size_t k;
    for (k = TRAIN; k < 2 * TRAIN; k++) {
        double v;
        if (sgdfc_predict(l->p, cpu[k], memory[k], &v) != SGDFC_OK) fail("next");
        if (sgdfc_observe(l->p, speed[k], cpu[k], memory[k]) != SGDFC_OK)
            fail("observe");
    }
}

static void bench_predictor(sgdfc_kind method, const char *name)
{
    learner l;
    bench_time t;
    char what[48];
    memset(&l, 0, sizeof l);
    l.forecast.kind = method;
    if (sgdfc_bytes(&l.forecast, &l.work_bytes) != SGDFC_OK)
        fail("bytes");
    l.work = get_memory(l.work_bytes, 1);
    t = bench_measure(learn, &l);
    snprintf(what, sizeof what, "learn, %s", name);
    if (sgdfc_weights(method) > 0)
        bench_print(what, "rows=500", t, 0.0, TRAIN, "row", l.work_bytes);
    t = bench_measure(predict, &l);
    snprintf(what, sizeof what, "predict, %s", name);
    bench_print(what, "rows=500", t, 0.0, TRAIN, "prediction", 0);
    free(l.work);
}

int main(int argc, char **argv)
{
    static const char *const name[SGDFC_KIND_COUNT] = {
        "memoryless", "EMA", "ARIMA", "RNN", "LSTM", "NARX", "ARX"
    };
    static const size_t workers[] = { 96, MOST };
    size_t i;
    int method;
    make_workers();
    make_series();
    bench_start(argc, argv, "bench_balance");
    for (i = 0; i < sizeof workers / sizeof workers[0]; i++) {
        bench_decisions("Alg. 1", workers[i], SGDBAL_BY_SPEED, 0, decide_speeds);
        bench_decisions("Alg. 2, literal", workers[i], SGDBAL_BY_PAIRS, 0, decide_pairs);
        bench_decisions("Alg. 2, advised options", workers[i], SGDBAL_BY_PAIRS, 1,
                        decide_pairs);
        bench_optimum(workers[i]);
    }
    for (method = 0; method < SGDFC_KIND_COUNT; method++)
        bench_predictor((sgdfc_kind)method, name[method]);
    return bench_end();
}
