/* peer_sgdperf.c - the workload of bench_sim as other simulators are given it
 *
 *     peer_sgdperf PROFILED WORKERS STEPS FOLDER
 *
 * Writes FOLDER/trace.csv, so many profiled steps of 40 layers, and FOLDER/sequence.csv,
 * which of them each worker runs: files of sgdperf simulate. Runs them and prints CSV:
 * program,workers,steps,operations,seconds,batches_per_s. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SGDPERF_SIM_IMPLEMENTATION
#include "sim_workload.h"

enum { LAYERS = 40 };

static void fail(const char *what)
{
    fprintf(stderr, "peer_sgdperf: %s\n", what);
    exit(EXIT_FAILURE);
}

static FILE *create(const char *folder, const char *name)
{
    char path[4096];
    FILE *file = NULL;
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length > 0 && length < (int)sizeof path) file = fopen(path, "w");
    if (!file) fail("a file cannot be written");
    return file;
}

static void write_trace(const workload *load, FILE *file)
{
    static const char *const names[] = {"downlink", "worker", "uplink", "server"};
    size_t s, i, k;
    fprintf(file, "step,op,resource,duration_s,bytes,waits_for\n");
    for (s = 0; s < load->trace.steps; s++)
        for (i = 0; i < load->ops; i++) {
            const sgdsim_op *op = load->step[s].op + i;
            fprintf(file, "%zu,%zu,%s,", s, i, names[op->resource]);
            if (op->resource == SGDSIM_DOWNLINK || op->resource == SGDSIM_UPLINK)
                fprintf(file, ",%.17g,", op->bytes);
            else
                fprintf(file, "%.17g,,", op->duration_s);
            for (k = 0; k < op->waits; k++)
                fprintf(file, "%s%lu", k > 0 ? " " : "", (unsigned long)op->waits_for[k]);
            fprintf(file, "\n");
        }
}

static uint32_t *make_sequence(size_t profiled, uint32_t workers, size_t steps, FILE *file)
{
    uint32_t *sequence = (uint32_t *)malloc(workers * steps * sizeof *sequence);
    size_t w, k;
    if (!sequence) fail("malloc");
    fprintf(file, "worker,k,step\n");
    for (w = 0; w < workers; w++)
        for (k = 0; k < steps; k++) {
            sequence[w * steps + k] = (uint32_t)(sgdsim_random(3, w, k, 0) % profiled);
            fprintf(file, "%zu,%zu,%lu\n", w, k, (unsigned long)sequence[w * steps + k]);
        }
    return sequence;
}

static void run(const sgdsim_config *config)
{
    sgdsim_result out;
    size_t bytes = 0;
    clock_t begin;
    void *work;
    memset(&out, 0, sizeof out);
    if (sgdsim_run_bytes(config, &bytes) != SGDSIM_OK) fail("bytes");
    work = malloc(bytes);
    if (!work) fail("malloc");
    begin = clock();
    if (sgdsim_run(config, work, bytes, &out) != SGDSIM_OK) fail("run");
    printf("sgdperf,%lu,%lu,%lu,%.9g,%.9g\n", (unsigned long)config->workers.count[0],
           (unsigned long)config->length.steps, (unsigned long)out.operations,
           (double)(clock() - begin) / (double)CLOCKS_PER_SEC, out.batches_per_s);
    free(work);
}

int main(int argc, char **argv)
{
    sgdsim_config config;
    workload load;
    uint32_t workers, *sequence;
    size_t profiled;
    FILE *file;
    if (argc != 5) fail("usage: peer_sgdperf PROFILED WORKERS STEPS FOLDER");
    memset(&config, 0, sizeof config);
    profiled = strtoul(argv[1], NULL, 10);
    workers = (uint32_t)strtoul(argv[2], NULL, 10);
    config.length.steps = strtoul(argv[3], NULL, 10);
    if (!workload_make(&load, LAYERS, profiled, 1)) fail("layers");
    file = create(argv[4], "trace.csv");
    write_trace(&load, file);
    if (fclose(file) != 0) fail("trace.csv cannot be written");
    file = create(argv[4], "sequence.csv");
    sequence = make_sequence(profiled, workers, (size_t)config.length.steps, file);
    if (fclose(file) != 0) fail("sequence.csv cannot be written");
    config.workers.types = 1;
    config.workers.trace = &load.trace;
    config.workers.count = &workers;
    config.variation.sequence = sequence;
    config.links.bandwidth_bytes_per_s = workload_bandwidth_bytes_per_s;
    run(&config);
    free(sequence);
    workload_free(&load);
    return EXIT_SUCCESS;
}
