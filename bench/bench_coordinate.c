/* bench_coordinate.c - worker-iterations a second of the coordination schemes, workers of
 * unequal and changing speed, beside the textbook form that looks at every worker; and how
 * their cost grows with the workers */
#define BENCH_SECONDS 0.4
#include "bench.h"

#define SGDPERF_BALANCE_IMPLEMENTATION
#include "../sgdperf_balance.h"

#include "../tests/oracle_coordinate.h"

/* 64 random bits of four numbers. */
static uint64_t random_of(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
    return sgdbal_priv_mix(sgdbal_priv_random(seed, a, b) ^ c);
}

enum { MOST = 16384, BATCH = 128, SIZES = 4, ROWS = SGDBAL_SCHEME_COUNT + 1 };

static const char *const scheme_name[SGDBAL_SCHEME_COUNT] = {
    "BSP", "ASP", "SSP, s = 4", "redundant, 2 to spare", "LB-BSP", "FlexRR"
};
static const uint32_t sizes[SIZES] = { 4, 64, 1024, MOST };
static double cost_s[ROWS][SIZES];                 /* of a worker-iteration           */

static uint32_t batch[MOST];
static double speed[MOST];                         /* samples a second                */

static double uniform(uint64_t a, uint64_t b)
{
    return (double)(random_of(1, a, b, 0) >> 11) / 9007199254740992.0;
}

/* Up to 15 % slower or faster from one iteration to the next. */
static double batch_time(void *ctx, uint32_t w, uint64_t k, double start_s, uint32_t x)
{
    const uint64_t noise = (w * 2654435761u + k * 40503u) >> 4 & 1023;
    (void)ctx;
    (void)start_s;
    return (double)x / speed[w] * (0.85 + 0.3 / 1023.0 * (double)noise);
}

/* In proportion to the speeds seen, rounded down, and the rest to the last: O(n). */
static void rule(void *ctx, const sgdbal_barrier *b, uint32_t *next)
{
    const double total = (double)BATCH * b->workers;
    double v = 0.0;
    uint32_t w, given = 0;
    (void)ctx;
    for (w = 0; w < b->workers; w++) v += b->batch[w] / b->time_s[w];
    for (w = 0; w < b->workers; w++) {
        next[w] = 1 + (uint32_t)((total - b->workers) * (b->batch[w] / b->time_s[w]) / v);
        given += next[w];
    }
    next[b->workers - 1] += BATCH * b->workers - given;
}

/* Speeds that are asked for at every check. */
static double sample_time(void *ctx, uint32_t w, uint64_t k, double now_s, uint32_t x)
{
    return batch_time(ctx, w, k + (uint64_t)(now_s * 8.0), now_s, x);
}

typedef struct problem {
    sgdbal_scheme_config config;
    void               *work;
    size_t              work_bytes;
    sgdbal_scheme_result  out;
} problem;

static void fail(const char *what)
{
    fprintf(stderr, "bench_coordinate: %s\n", what);
    exit(EXIT_FAILURE);
}

static void run(void *ctx)
{
    problem *p = (problem *)ctx;
    if (sgdbal_scheme_run(&p->config, p->work, p->work_bytes, &p->out) != SGDBAL_OK)
        fail("run");
}

/* The textbook form, with fewer iterations if that would take long: seconds for all. */
static double naive_s(const problem *p)
{
    sgdbal_scheme_config config = p->config;
    oracle o;
    double start;
    if (config.workers.count > 100) config.length.iterations = 1 + 3000 / config.workers.count;
    oracle_new(&o, &config);
    start = bench_now();
    oracle_run(&o);
    start = bench_now() - start;
    oracle_free(&o);
    return start * (double)p->config.length.iterations / (double)config.length.iterations;
}

/* What the callback alone takes when it is asked as often. */
typedef struct asking { uint64_t asked, left; uint32_t workers; double sum; } asking;

static double count_ask(void *ctx, uint32_t w, uint64_t k, double now_s, uint32_t x)
{
    ((asking *)ctx)->asked++;
    return sample_time(NULL, w, k, now_s, x);
}

static void only_ask(void *ctx)
{
    sgdbal_time_callback volatile ask = sample_time;
    asking *a = (asking *)ctx;
    uint32_t w = 0;
    for (a->left = a->asked; a->left > 0; a->left--) {
        a->sum += ask(NULL, w, 1, 1.5, 1);
        if (++w == a->workers) w = 0;
    }
}

static void print_asks(const problem *from, double batches)
{
    problem p = *from;
    asking a = { 0, 0, p.config.workers.count, 0.0 };
    bench_time t;
    p.config.flexrr.sample_s = count_ask;
    p.config.flexrr.ctx = &a;
    run(&p);
    t = bench_measure(only_ask, &a);
    printf("%52.3g asks a worker-iteration, which alone take %.3g ns\n",
           (double)a.asked / batches, t.median_s / batches * 1e9);
}

static void bench_one(sgdbal_scheme scheme, int by_sample, size_t i)
{
    const uint32_t workers = sizes[i];
    const uint64_t iterations = 65536 / workers + 4;
    const char *what = by_sample ? "FlexRR, speeds by check" : scheme_name[scheme];
    problem p;
    bench_time t;
    char size[32];
    double batches;
    memset(&p, 0, sizeof p);
    p.config.scheme = scheme;
    p.config.workers.count = workers;
    p.config.length.iterations = iterations;
    p.config.workers.batch = batch;
    p.config.workers.time_s = batch_time;
    p.config.staleness = 4;
    p.config.balance.rebalance = rule;
    if (by_sample) p.config.flexrr.sample_s = sample_time;
    if (sgdbal_scheme_bytes(&p.config, &p.work_bytes) != SGDBAL_OK) fail("bytes");
    p.work = malloc(p.work_bytes);
    if (!p.work) fail("malloc");
    t = bench_measure(run, &p);
    batches = (double)workers * (double)iterations;
    snprintf(size, sizeof size, "n=%u k=%u", (unsigned)workers, (unsigned)iterations);
    bench_print(what, size, t, naive_s(&p), batches, "batch", 0);
    cost_s[by_sample ? ROWS - 1 : (int)scheme][i] = t.median_s / batches;
    printf("%52.3g M worker-iterations/s %6.0f bytes/worker\n", batches / t.median_s / 1e6,
           (double)p.work_bytes / workers);
    if (by_sample) print_asks(&p, batches);
    free(p.work);
}

static void print_growth(void)
{
    size_t row, i;
    printf("\n%-30s", "ns a worker-iteration, n =");
    for (i = 0; i < SIZES; i++) printf(" %8u", (unsigned)sizes[i]);
    printf("  grows from %u to %u by\n", (unsigned)sizes[1], (unsigned)sizes[SIZES - 1]);
    for (row = 0; row < ROWS; row++) {
        printf("%-30s", row + 1 < ROWS ? scheme_name[row] : "FlexRR, speeds by check");
        for (i = 0; i < SIZES; i++) printf(" %8.3g", cost_s[row][i] * 1e9);
        printf("  %.2g\n", cost_s[row][SIZES - 1] / cost_s[row][1]);
    }
}

int main(int argc, char **argv)
{
    size_t i;
    int scheme;
    uint32_t w;
    for (w = 0; w < MOST; w++) {
        batch[w] = BATCH;
        speed[w] = 50.0 + 100.0 * uniform(w, 0);
    }
    bench_start(argc, argv, "bench_coordinate");
    for (i = 0; i < SIZES; i++) {
        for (scheme = 0; scheme < SGDBAL_SCHEME_COUNT; scheme++)
            bench_one((sgdbal_scheme)scheme, 0, i);
        bench_one(SGDBAL_FLEXRR, 1, i);
    }
    print_growth();
    return bench_end();
}
