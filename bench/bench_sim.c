/* bench_sim.c - operations a second and bytes a worker of the simulator, 40 layers (200
 * operations a step), beside the textbook form */
#include "bench.h"

#define SGDPERF_SIM_IMPLEMENTATION
#include "../sgdperf_sim.h"

#include "naive_sim.h"

enum { LAYERS = 40, OPS = 5 * LAYERS };

static sgdsim_op op[OPS];
static uint32_t waits[6 * LAYERS];
static sgdsim_step step = { op, OPS };
static sgdsim_trace trace = { &step, 1 };

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

static void make_trace(void)
{
    sgdsim_layer layer[LAYERS];
    size_t i;
    for (i = 0; i < LAYERS; i++) {
        layer[i].bytes = 1e4 + (double)(sgdsim_random(1, i, 0, 0) % 1000000);
        layer[i].forward_s = 1e-3 * (double)(1 + sgdsim_random(1, i, 1, 0) % 10);
        layer[i].backward_s = 2e-3 * (double)(1 + sgdsim_random(1, i, 2, 0) % 10);
        layer[i].update_s = 1e-4 * (double)(1 + sgdsim_random(1, i, 3, 0) % 9);
    }
    if (sgdsim_layers(layer, LAYERS, 0, op, waits) != SGDSIM_OK) fail("layers");
}

static void run(void *ctx)
{
    problem *p = (problem *)ctx;
    if (sgdsim_run(&p->config, p->work, p->work_bytes, &p->out) != SGDSIM_OK) fail("run");
}

/* Steps for about `operations` operations. */
static problem make_problem(uint32_t workers, sgdsim_mode mode, sgdsim_link link,
                            double operations)
{
    problem p;
    memset(&p, 0, sizeof p);
    p.workers = workers;
    p.config.types = 1;
    p.config.trace = &trace;
    p.config.mode = mode;
    p.config.link = link;
    p.config.bandwidth_bytes_per_s = 125e6;
    p.config.steps = 1 + (uint64_t)(operations / OPS / workers);
    return p;
}

/* The textbook form on the same workload, shorter: seconds an operation. */
static double naive_s_per_operation(const problem *p)
{
    naive_sim s;
    size_t w, q;
    double start;
    memset(&s, 0, sizeof s);
    s.step = &step;
    s.bandwidth = p->config.bandwidth_bytes_per_s;
    s.workers = p->workers;
    s.steps = 2;
    s.worker = (naive_worker *)calloc(s.workers, sizeof *s.worker);
    if (!s.worker) fail("calloc");
    for (w = 0; w < s.workers; w++) {
        s.worker[w].waits = (size_t *)calloc(OPS, sizeof(size_t));
        for (q = 0; q < NAIVE_QUEUES; q++)
            s.worker[w].queue[q] = (size_t *)calloc(OPS, sizeof(size_t));
    }
    start = bench_now();
    naive_run(&s);
    start = bench_now() - start;
    for (w = 0; w < s.workers; w++) {
        for (q = 0; q < NAIVE_QUEUES; q++) free(s.worker[w].queue[q]);
        free(s.worker[w].waits);
    }
    free(s.worker);
    return start / (double)s.events;
}

static void bench_one(const char *what, uint32_t workers, sgdsim_mode mode, sgdsim_link link,
                      int naive)
{
    problem p = make_problem(workers, mode, link, 4e6);
    bench_time t;
    char size[32];
    double reference_s = 0.0;
    p.config.workers = &p.workers;
    if (sgdsim_run_bytes(&p.config, &p.work_bytes) != SGDSIM_OK) fail("bytes");
    p.work = malloc(p.work_bytes);
    if (!p.work) fail("malloc");
    t = bench_measure(run, &p);
    if (naive) reference_s = naive_s_per_operation(&p) * (double)p.out.operations;
    snprintf(size, sizeof size, "W=%u", (unsigned)workers);
    bench_print(what, size, t, reference_s, (double)p.out.operations, "op", 0);
    printf("%56.1f M ops/s %12.0f bytes/worker\n",
           (double)p.out.operations / t.median_s / 1e6, (double)p.work_bytes / workers);
    free(p.work);
}

int main(int argc, char **argv)
{
    static const uint32_t workers[] = { 4, 64, 1024, 16384 };
    size_t i;
    make_trace();
    bench_start(argc, argv, "bench_sim");
    for (i = 0; i < sizeof workers / sizeof workers[0]; i++) {
        const uint32_t W = workers[i];
        bench_one("asynchronous, equal shares", W, SGDSIM_ASYNC, SGDSIM_PS, W <= 1024);
        bench_one("asynchronous, FCFS", W, SGDSIM_ASYNC, SGDSIM_FCFS, 0);
        bench_one("synchronous, equal shares", W, SGDSIM_SYNC, SGDSIM_PS, 0);
        bench_one("synchronous, all-reduce", W, SGDSIM_SYNC, SGDSIM_ALLREDUCE, 0);
    }
    return bench_end();
}
