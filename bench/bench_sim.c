/* bench_sim.c - operations a second and bytes a worker of the simulator, 40 layers (200
 * operations a step), beside the textbook form */
#include "bench.h"

#define SGDPERF_SIM_IMPLEMENTATION
#include "../sgdperf_sim.h"

#include "naive_sim.h"

enum { LAYERS = 40, OPS = 5 * LAYERS, STEPS = 16 };

static sgdsim_op op[STEPS][OPS];
static uint32_t waits[6 * LAYERS];
static sgdsim_step step[STEPS];

/* One profiled step: the workers go through it in lockstep. Many: at random. */
static const sgdsim_trace one_step = { step, 1 }, drawn_steps = { step, STEPS };

typedef struct workload {
    const char         *what;
    const sgdsim_trace *trace;
    sgdsim_mode         mode;
    sgdsim_link         link;
} workload;

static const workload workloads[] = {
    { "asynchronous, equal shares", &one_step, SGDSIM_ASYNC, SGDSIM_PS },
    { "asynchronous, drawn steps", &drawn_steps, SGDSIM_ASYNC, SGDSIM_PS },
    { "asynchronous, FCFS", &one_step, SGDSIM_ASYNC, SGDSIM_FCFS },
    { "synchronous, equal shares", &one_step, SGDSIM_SYNC, SGDSIM_PS },
    { "synchronous, all-reduce", &one_step, SGDSIM_SYNC, SGDSIM_ALLREDUCE }
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

static void make_steps(void)
{
    sgdsim_layer layer[LAYERS];
    size_t i, k;
    for (k = 0; k < STEPS; k++) {
        for (i = 0; i < LAYERS; i++) {
            layer[i].bytes = 1e4 + (double)(sgdsim_random(1, i, 0, k) % 1000000);
            layer[i].forward_s = 1e-3 * (double)(1 + sgdsim_random(1, i, 1, k) % 10);
            layer[i].backward_s = 2e-3 * (double)(1 + sgdsim_random(1, i, 2, k) % 10);
            layer[i].update_s = 1e-4 * (double)(1 + sgdsim_random(1, i, 3, k) % 9);
        }
        if (sgdsim_layers(layer, LAYERS, 0, op[k], waits) != SGDSIM_OK) fail("layers");
        step[k].op = op[k];
        step[k].ops = OPS;
    }
}

static void run(void *ctx)
{
    problem *p = (problem *)ctx;
    if (sgdsim_run(&p->config, p->work, p->work_bytes, &p->out) != SGDSIM_OK) fail("run");
}

/* Steps for about `operations` operations. */
static problem make_problem(const workload *load, uint32_t workers, double operations)
{
    problem p;
    memset(&p, 0, sizeof p);
    p.workers = workers;
    p.config.types = 1;
    p.config.trace = load->trace;
    p.config.mode = load->mode;
    p.config.link = load->link;
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
    s.step = step;
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

static void bench_one(const workload *load, uint32_t workers, int naive)
{
    problem p = make_problem(load, workers, 4e6);
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
    bench_print(load->what, size, t, reference_s, (double)p.out.operations, "op", 0);
    printf("%56.1f M ops/s %12.0f bytes/worker\n",
           (double)p.out.operations / t.median_s / 1e6, (double)p.work_bytes / workers);
    free(p.work);
}

int main(int argc, char **argv)
{
    static const uint32_t workers[] = { 4, 64, 1024, 16384 };
    size_t i, k;
    make_steps();
    bench_start(argc, argv, "bench_sim");
    for (i = 0; i < sizeof workers / sizeof workers[0]; i++)
        for (k = 0; k < sizeof workloads / sizeof workloads[0]; k++)
            bench_one(workloads + k, workers[i], k == 0 && workers[i] <= 1024);
    return bench_end();
}
