/* bench_mva.c - the network solvers, each beside its textbook form in the same run */
#include "bench.h"
#include "naive.h"

#define SGDPERF_IMPLEMENTATION
#include "../sgdperf.h"

enum { MOST_WORKERS = 20000 };

static double think_s[MOST_WORKERS], demand_s[MOST_WORKERS * NAIVE_STATIONS];
static double throughput_per_s[MOST_WORKERS], response_s[MOST_WORKERS * NAIVE_STATIONS];
static double queue[NAIVE_STATIONS], utilization[NAIVE_STATIONS];
static volatile double sink;                       /* results are used                */

/* The network of one measurement; lean: throughputs only. */
typedef struct problem {
    sgdp_network     net;
    sgdp_mva_options options;
    sgdp_mva_result  out;
    uint32_t         population;
    int              approximate;
    void            *work;
    size_t           work_bytes;
    double           total;
} problem;

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* K distinct workers: compute times differ, and with `all` every demand does. */
static void make_workers(size_t K, int all)
{
    static const double demand[NAIVE_STATIONS] = { 0.072, 0.018, 0.072 };
    uint64_t state = 1;
    size_t k, l;
    for (k = 0; k < K; k++) {
        think_s[k] = 2.0 * uniform(&state);
        for (l = 0; l < NAIVE_STATIONS; l++)
            demand_s[k * NAIVE_STATIONS + l] = all ? 0.01 + 0.05 * uniform(&state) : demand[l];
    }
}

static void fail(const char *what, sgdp_status status)
{
    fprintf(stderr, "bench_mva: %s: %s\n", what, sgdp_status_text(status));
    exit(EXIT_FAILURE);
}

static void run_problem(void *ctx)
{
    problem *p = (problem *)ctx;
    const sgdp_status status =
        p->options.method >= SGDP_METHOD_SCHWEITZER
            ? sgdp_mva_approx(&p->net, &p->options, p->work, p->work_bytes, &p->out)
            : p->approximate
                  ? sgdp_mva_hybrid_approx(&p->net, &p->options, p->work, p->work_bytes, &p->out)
                  : sgdp_mva_exact(&p->net, &p->options, p->work, p->work_bytes, &p->out);
    if (status != SGDP_OK) fail("solve", status);
    sink = p->out.throughput_per_s[0];
}

/* Sizes the work of a problem over the workers made last; the caller frees it. */
static problem make_problem(size_t K, sgdp_method method, int lean)
{
    problem p;
    memset(&p, 0, sizeof p);
    p.net.classes = K;
    p.net.stations = NAIVE_STATIONS;
    p.net.think_s = think_s;
    p.net.demand_s = demand_s;
    p.options.method = method;
    p.options.max_operations = 1e12;
    p.out.throughput_per_s = throughput_per_s;
    if (!lean) {
        p.out.response_s = response_s;
        p.out.queue = queue;
        p.out.utilization = utilization;
    }
    return p;
}

static void allot(problem *p)
{
    const sgdp_status status =
        p->options.method >= SGDP_METHOD_SCHWEITZER
            ? sgdp_mva_approx_bytes(&p->net, &p->options, &p->work_bytes)
            : p->approximate
                  ? sgdp_mva_hybrid_approx_bytes(&p->net, &p->options, &p->work_bytes)
                  : sgdp_mva_exact_bytes(&p->net, &p->options, &p->work_bytes);
    if (status != SGDP_OK) fail("bytes", status);
    p->work = malloc(p->work_bytes);
    if (!p->work) fail("malloc", SGDP_TOO_LARGE);
}

static void report(const char *what, problem *p, double reference_s, double units,
                   const char *unit)
{
    char size[32];
    const size_t K = p->net.population ? p->population : p->net.classes;
    allot(p);
    snprintf(size, sizeof size, "K=%zu", K);
    bench_print(what, size, bench_measure(run_problem, p), reference_s, units, unit,
                p->work_bytes);
    free(p->work);
}

/* ---- References ------------------------------------------------------------ */

static void run_naive_lattice(void *ctx) { sink = naive_lattice((const naive_network *)ctx); }
static void run_naive_chain(void *ctx) { sink = naive_by_chain((const naive_network *)ctx); }
static void run_naive_class(void *ctx)
{
    sink = naive_one_class(*(const size_t *)ctx, think_s[0], demand_s);
}

static naive_network naive_of(size_t K, int fcfs)
{
    naive_network n;
    n.K = K;
    n.Z = think_s;
    n.D = demand_s;
    n.fcfs = fcfs;
    return n;
}

/* ---- The table ------------------------------------------------------------- */

static void bench_one_class(void)
{
    static const size_t size[] = { 10, 1000, 100000 };
    size_t i;
    make_workers(1, 0);
    for (i = 0; i < sizeof size / sizeof size[0]; i++) {
        problem p = make_problem(1, SGDP_METHOD_AUTO, 0);
        size_t K = size[i];
        const double naive_s = bench_measure(run_naive_class, &K).median_s;
        p.population = (uint32_t)K;
        p.net.population = &p.population;
        report("one class, exact", &p, naive_s, (double)K, "worker");
    }
}

static void bench_lattice(void)
{
    static const size_t size[] = { 12, 16, 20, 24 };
    static const sgdp_discipline eq2[] = { SGDP_FCFS, SGDP_PS, SGDP_FCFS };
    static const sgdp_discipline eq3[] = { SGDP_HYBRID, SGDP_PS, SGDP_HYBRID };
    size_t i;
    for (i = 0; i < sizeof size / sizeof size[0]; i++) {
        const size_t K = size[i];
        const double points = (double)((size_t)1 << K);
        naive_network naive = naive_of(K, 0);
        double naive_s = 0.0;
        problem p;
        make_workers(K, 1);
        p = make_problem(K, SGDP_METHOD_LATTICE, 0);
        if (K <= 16) naive_s = bench_measure(run_naive_lattice, &naive).median_s;
        report("lattice, Eq. 1", &p, naive_s, points, "point");
        p.net.discipline = eq2;
        p.approximate = 1;
        naive.fcfs = 1;
        if (K <= 16) naive_s = bench_measure(run_naive_lattice, &naive).median_s;
        report("lattice, Eq. 2 on links", &p, naive_s, points, "point");
        p.net.discipline = eq3;
        if (K <= 16) report("lattice, Eqs. 3-4 on links", &p, 0.0, points, "point");
    }
}

static void bench_polynomial(void)
{
    static const size_t one[] = { 100, 1000, 5000, 20000 }, many[] = { 20, 50, 100, 200 };
    size_t i;
    for (i = 0; i < sizeof one / sizeof one[0]; i++) {
        const size_t K = one[i];
        naive_network naive = naive_of(K, 0);
        double naive_s = 0.0;
        problem p;
        make_workers(K, 0);
        if (K <= 1000) naive_s = bench_measure(run_naive_chain, &naive).median_s;
        p = make_problem(K, SGDP_METHOD_AUTO, 1);
        report("distinct workers, throughput", &p, naive_s, (double)K, "worker");
        p = make_problem(K, SGDP_METHOD_AUTO, 0);
        report("distinct workers, all means", &p, naive_s, (double)K, "worker");
    }
    for (i = 0; i < sizeof many / sizeof many[0]; i++) {
        const size_t K = many[i];
        problem p;
        make_workers(K, 1);
        p = make_problem(K, SGDP_METHOD_AUTO, 0);
        report("arbitrary demands, all means", &p, 0.0, (double)K, "worker");
    }
}

static void bench_fixed_points(void)
{
    static const size_t size[] = { 20, 200 };
    size_t i;
    for (i = 0; i < sizeof size / sizeof size[0]; i++) {
        problem p;
        make_workers(size[i], 1);
        p = make_problem(size[i], SGDP_METHOD_SCHWEITZER, 0);
        report("Schweitzer", &p, 0.0, (double)size[i], "worker");
        p = make_problem(size[i], SGDP_METHOD_LINEARIZER, 0);
        report("Linearizer", &p, 0.0, (double)size[i], "worker");
    }
}

int main(int argc, char **argv)
{
    bench_start(argc, argv, "bench_mva");
    bench_one_class();
    bench_lattice();
    bench_polynomial();
    bench_fixed_points();
    return bench_end();
}
