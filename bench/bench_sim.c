/* bench_sim.c - operations a second and bytes a worker of the simulator, 40 layers (200
 * operations a step), beside the textbook form; the prediction of [LYPG20] in seconds */
#include "bench.h"

#define SGDPERF_SIM_IMPLEMENTATION
#include "../sgdperf_sim.h"
#include "../tests/ring.h"

#include "naive_sim.h"
#include "sim_workload.h"

enum { LAYERS = 40, PROFILED = 20, NAIVE_STEPS = 2 };

typedef struct study {
    const char *what;
    sgdsim_mode mode;
    sgdsim_link link;
    uint32_t    servers;
    size_t      profiled;
    uint32_t    operations;    /* to simulate; of one step at least                  */
    uint32_t    workers_most;  /* beyond, an event costs too much                   */
    uint32_t    naive_most;    /* the same of the textbook form; 0: it cannot       */
} study;

#define ALL UINT32_MAX

static const study studies[] = {
    {"asynchronous, equal shares", SGDSIM_ASYNC, SGDSIM_LINK_EQUAL, 1, 1, 4000000, ALL, 1024},
    {"asynchronous, drawn steps", SGDSIM_ASYNC, SGDSIM_LINK_EQUAL, 1, PROFILED, 4000000, ALL, 0},
    {"asynchronous, TCP", SGDSIM_ASYNC, SGDSIM_LINK_TCP, 1, 1, 4000000, ALL, 0},
    {"asynchronous, TCP, drawn", SGDSIM_ASYNC, SGDSIM_LINK_TCP, 1, PROFILED, 4000000, ALL, 0},
    {"asynchronous, FCFS", SGDSIM_ASYNC, SGDSIM_LINK_FCFS, 1, 1, 4000000, ALL, 1024},
    {"asynchronous, FCFS, drawn", SGDSIM_ASYNC, SGDSIM_LINK_FCFS, 1, PROFILED, 4000000, ALL, 0},
    {"asynchronous, two servers", SGDSIM_ASYNC, SGDSIM_LINK_EQUAL, 2, 1, 4000000, ALL, 64},
    {"asynchronous, two, drawn", SGDSIM_ASYNC, SGDSIM_LINK_EQUAL, 2, PROFILED, 4000000, ALL, 0},
    {"asynchronous, four servers", SGDSIM_ASYNC, SGDSIM_LINK_EQUAL, 4, 1, 4000000, ALL, 0},
    {"asynchronous, eight servers", SGDSIM_ASYNC, SGDSIM_LINK_EQUAL, 8, 1, 4000000, ALL, 0},
    {"asynchronous, eight, drawn", SGDSIM_ASYNC, SGDSIM_LINK_EQUAL, 8, PROFILED, 4000000, ALL, 0},
    {"asynchronous, FCFS, two", SGDSIM_ASYNC, SGDSIM_LINK_FCFS, 2, 1, 4000000, ALL, 64},
    {"asynchronous, TCP, two", SGDSIM_ASYNC, SGDSIM_LINK_TCP, 2, 1, 4000000, ALL, 0},
    {"asynchronous, TCP, eight", SGDSIM_ASYNC, SGDSIM_LINK_TCP, 8, 1, 4000000, ALL, 0},
    {"asynchronous, FCFS, eight", SGDSIM_ASYNC, SGDSIM_LINK_FCFS, 8, 1, 4000000, ALL, 0},
    {"synchronous, equal shares", SGDSIM_SYNC, SGDSIM_LINK_EQUAL, 1, 1, 4000000, ALL, 1024},
    {"synchronous, drawn steps", SGDSIM_SYNC, SGDSIM_LINK_EQUAL, 1, PROFILED, 4000000, ALL, 0},
    {"synchronous, TCP", SGDSIM_SYNC, SGDSIM_LINK_TCP, 1, 1, 4000000, ALL, 0},
    {"synchronous, FCFS", SGDSIM_SYNC, SGDSIM_LINK_FCFS, 1, 1, 4000000, ALL, 1024},
    {"synchronous, FCFS, drawn", SGDSIM_SYNC, SGDSIM_LINK_FCFS, 1, PROFILED, 4000000, ALL, 0},
    {"synchronous, two servers", SGDSIM_SYNC, SGDSIM_LINK_EQUAL, 2, 1, 4000000, ALL, 64},
    {"synchronous, all-reduce", SGDSIM_SYNC, SGDSIM_LINK_EXCHANGE, 1, 1, 4000000, ALL, 1024},
    {"all-reduce, drawn steps", SGDSIM_SYNC, SGDSIM_LINK_EXCHANGE, 1, PROFILED, 4000000, ALL, 0}
};

typedef struct problem {
    sgdsim_config config;
    uint32_t      workers;
    void         *work;
    size_t        work_bytes;
    sgdsim_result out;
} problem;

static void fail(const char *what)
{
    fprintf(stderr, "bench_sim: %s\n", what);
    exit(EXIT_FAILURE);
}

static void run(void *ctx)
{
    problem *p = (problem *)ctx;
    if (sgdsim_run(&p->config, p->work, p->work_bytes, &p->out) != SGDSIM_OK) fail("run");
}

/* p stays where it is: the configuration points into it. */
static void make_problem(problem *p, const workload *load, uint32_t workers, uint64_t steps)
{
    memset(p, 0, sizeof *p);
    p->workers = workers;
    p->config.workers.types = 1;
    p->config.workers.trace = &load->trace;
    p->config.workers.count = &p->workers;
    p->config.links.bandwidth_bytes_per_s = workload_bandwidth_bytes_per_s;
    p->config.length.steps = steps;
}

static void make_room(problem *p)
{
    if (sgdsim_run_bytes(&p->config, &p->work_bytes) != SGDSIM_OK) fail("bytes");
    p->work = malloc(p->work_bytes);
    if (!p->work) fail("malloc");
}

/* The textbook form on the same workload, shorter: seconds an operation. It must come to
 * the same end. */
static double naive_s_per_operation(problem *p)
{
    const uint64_t steps = p->config.length.steps;
    naive_sim s;
    double start, end_s;
    memset(&s, 0, sizeof s);
    s.step = p->config.workers.trace->step;
    s.mode = p->config.mode;
    s.link = p->config.links.rule;
    s.bandwidth = p->config.links.bandwidth_bytes_per_s;
    s.workers = p->workers;
    s.steps = NAIVE_STEPS;
    s.servers = p->config.servers.count;
    if (!naive_make(&s)) fail("calloc");
    start = bench_now();
    end_s = naive_run(&s);
    start = bench_now() - start;
    naive_free(&s);
    p->config.length.steps = NAIVE_STEPS;
    run(p);
    p->config.length.steps = steps;
    if (!(end_s > p->out.makespan_s * (1.0 - 1e-6) && end_s < p->out.makespan_s * (1.0 + 1e-6)))
        fail("the textbook form comes to another end");
    return start / (double)s.events;
}

static void bench_one(const study *of, uint32_t workers)
{
    workload load;
    problem p;
    bench_time t;
    char size[32];
    double naive_s = 0.0, operations;
    if (workers > of->workers_most) return;
    if (!workload_make(&load, LAYERS, of->profiled, of->servers)) fail("layers");
    make_problem(&p, &load, workers, 1 + of->operations / load.ops / workers);
    p.config.mode = of->mode;
    p.config.links.rule = of->link;
    p.config.links.exchange_s = ring_s;
    p.config.servers.count = of->servers;
    make_room(&p);
    t = bench_measure(run, &p);
    operations = (double)p.out.operations;
    if (workers <= of->naive_most) naive_s = naive_s_per_operation(&p) * operations;
    snprintf(size, sizeof size, "W=%u", (unsigned)workers);
    bench_print(of->what, size, t, naive_s, operations, "op", 0);
    printf("%56.1f M ops/s %12.0f bytes/worker\n", operations / t.median_s / 1e6,
           (double)p.work_bytes / workers);
    free(p.work);
    workload_free(&load);
}

/* ---- The prediction of [LYPG20]: 2 to 10 workers, 1000 steps each ------------ */

enum { PREDICTED_LEAST = 2, PREDICTED_MOST = 10, PREDICTED_STEPS = 1000 };

static void run_all(void *ctx)
{
    problem *p = (problem *)ctx;
    size_t i;
    for (i = 0; i <= PREDICTED_MOST - PREDICTED_LEAST; i++) run(p + i);
}

/* As sgdperf simulate runs it if `whole`: drawn steps, and what workers wait for. */
static void bench_prediction(int whole)
{
    static sgdsim_waiting waiting[PREDICTED_MOST];
    problem p[PREDICTED_MOST - PREDICTED_LEAST + 1];
    const size_t count = sizeof p / sizeof p[0];
    workload load;
    bench_time t;
    double operations = 0.0;
    size_t i;
    if (!workload_make(&load, 200, whole ? PROFILED : 1, 1)) fail("layers");
    for (i = 0; i < count; i++) {
        make_problem(&p[i], &load, (uint32_t)(PREDICTED_LEAST + i), PREDICTED_STEPS);
        make_room(&p[i]);
        if (whole) p[i].out.waiting = waiting;
    }
    t = bench_measure(run_all, p);
    for (i = 0; i < count; i++) {
        operations += (double)p[i].out.operations;
        free(p[i].work);
    }
    bench_print(whole ? "2..10 workers, waits" : "2..10 workers, 1000 ops",
                "1000 steps each", t, 0.0, operations, "op", 0);
    printf("%56.1f M ops/s %12.2f s in total\n", operations / t.median_s / 1e6, t.median_s);
    workload_free(&load);
}

int main(int argc, char **argv)
{
    static const uint32_t workers[] = { 4, 64, 1024, 16384 };
    size_t i, k;
    bench_start(argc, argv, "bench_sim");
    for (i = 0; i < sizeof workers / sizeof workers[0]; i++)
        for (k = 0; k < sizeof studies / sizeof studies[0]; k++)
            bench_one(&studies[k], workers[i]);
    bench_prediction(0);
    bench_prediction(1);
    return bench_end();
}
