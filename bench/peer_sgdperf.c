/* peer_sgdperf.c - the workload of bench_sim as the peers run it
 *
 *     peer_sgdperf                 prints it as a trace of sgdperf simulate
 *     peer_sgdperf WORKERS STEPS   runs it, and prints what the peers print, as CSV:
 *                                  program,workers,steps,operations,seconds,batches_per_s
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SGDPERF_SIM_IMPLEMENTATION
#include "sim_workload.h"

enum { LAYERS = 40 };

static workload work;

static int print_trace(void)
{
    static const char *const names[] = {"downlink", "worker", "uplink", "server"};
    size_t i, k;
    printf("step,op,resource,duration_s,bytes,waits_for\n");
    for (i = 0; i < work.step.ops; i++) {
        const sgdsim_op *op = work.op + i;
        if (op->resource == SGDSIM_DOWNLINK || op->resource == SGDSIM_UPLINK)
            printf("0,%zu,%s,,%.17g,", i, names[op->resource], op->bytes);
        else
            printf("0,%zu,%s,%.17g,,", i, names[op->resource], op->duration_s);
        for (k = 0; k < op->waits; k++)
            printf("%s%lu", k ? " " : "", (unsigned long)op->waits_for[k]);
        printf("\n");
    }
    return EXIT_SUCCESS;
}

static int fail(const char *what)
{
    fprintf(stderr, "peer_sgdperf: %s\n", what);
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    sgdsim_config config;
    sgdsim_result out;
    uint32_t workers;
    size_t bytes = 0;
    void *scratch;
    clock_t begin;
    if (workload_make(&work, LAYERS) != SGDSIM_OK) return fail("layers");
    if (argc < 3) return print_trace();
    memset(&config, 0, sizeof config);
    memset(&out, 0, sizeof out);
    workers = (uint32_t)strtoul(argv[1], NULL, 10);
    config.types = 1;
    config.trace = &work.trace;
    config.workers = &workers;
    config.bandwidth_bytes_per_s = workload_bandwidth_bytes_per_s;
    config.steps = strtoul(argv[2], NULL, 10);
    if (sgdsim_run_bytes(&config, &bytes) != SGDSIM_OK) return fail("bytes");
    scratch = malloc(bytes);
    if (!scratch) return fail("malloc");
    begin = clock();
    if (sgdsim_run(&config, scratch, bytes, &out) != SGDSIM_OK) return fail("run");
    begin = clock() - begin;
    free(scratch);
    printf("sgdperf,%lu,%lu,%lu,%.9g,%.9g\n", (unsigned long)workers,
           (unsigned long)config.steps, (unsigned long)out.operations,
           (double)begin / (double)CLOCKS_PER_SEC, out.batches_per_s);
    return EXIT_SUCCESS;
}
