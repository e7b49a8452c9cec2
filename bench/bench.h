/* bench.h - timing for the benchmarks: median of many runs, one table, one CSV file
 *
 *     bench_start(argc, argv, "bench_mva");      // argv[1], if given: the CSV file
 *     bench_time t = bench_measure(run, ctx);
 *     bench_print("exact lattice", "K=20", t, naive_s, points, "point", work_bytes);
 *     return bench_end();
 *
 * A measurement repeats run(ctx) until it has lasted BENCH_SECONDS or was made
 * BENCH_RUNS times, at least BENCH_LEAST times, and takes the median. Runs shorter
 * than BENCH_RUN are repeated inside one. */
#ifndef SGDPERF_BENCH_H
#define SGDPERF_BENCH_H

#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L                    /* clock_gettime; include this first */
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if !defined(BENCH_SECONDS)
#define BENCH_SECONDS 1.0
#endif
#define BENCH_RUN 1e-4                             /* the clock itself takes 1e-6     */
#define BENCH_RUNS 1001
#define BENCH_LEAST 5

#if defined(__clang__)
#define BENCH_COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define BENCH_COMPILER "gcc " __VERSION__
#else
#define BENCH_COMPILER "unknown compiler"
#endif
#ifndef BENCH_FLAGS
#define BENCH_FLAGS "flags unknown"
#endif

typedef struct bench_time { double median_s; size_t runs; } bench_time;

static FILE *bench_csv;

/* The process's own time: other programs on the machine do not count. */
static double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void bench_start(int argc, char **argv, const char *title)
{
    printf("%s: %s, %s\n\n", title, BENCH_COMPILER, BENCH_FLAGS);
    printf("%-30s %-18s %12s %6s %12s %9s %22s\n", "what", "size", "median", "runs",
           "reference", "faster", "cost");
    if (argc > 1) bench_csv = fopen(argv[1], "w");
    if (bench_csv)
        fprintf(bench_csv, "# %s, %s\nwhat,size,median_s,runs,reference_s,per_unit_s,unit,"
                "work_bytes\n", BENCH_COMPILER, BENCH_FLAGS);
}

static int bench_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bench_time bench_measure(void (*run)(void *), void *ctx)
{
    static double sample[BENCH_RUNS];
    bench_time result;
    const double begin = bench_now();
    size_t inner = 1, n = 0, i;
    double once;
    run(ctx);                                      /* warm the caches, and guess      */
    run(ctx);
    once = 0.5 * (bench_now() - begin);
    while (once * (double)inner < BENCH_RUN) inner *= 2;
    while (n < BENCH_RUNS && (n < BENCH_LEAST || bench_now() - begin < BENCH_SECONDS)) {
        const double start = bench_now();
        for (i = 0; i < inner; i++) run(ctx);
        sample[n++] = (bench_now() - start) / (double)inner;
    }
    qsort(sample, n, sizeof sample[0], bench_compare);
    result.median_s = n % 2 ? sample[n / 2] : 0.5 * (sample[n / 2 - 1] + sample[n / 2]);
    result.runs = n;
    return result;
}

static const char *bench_text(char *text, size_t bytes, double seconds)
{
    if (!(seconds > 0.0)) snprintf(text, bytes, "-");
    else if (seconds < 1e-3) snprintf(text, bytes, "%.3g us", seconds * 1e6);
    else if (seconds < 1.0) snprintf(text, bytes, "%.3g ms", seconds * 1e3);
    else snprintf(text, bytes, "%.3g s", seconds);
    return text;
}

/* reference_s 0: none in this run. units: lattice points, workers, ... of one run. */
static void bench_print(const char *what, const char *size, bench_time t,
                        double reference_s, double units, const char *unit,
                        size_t work_bytes)
{
    char a[32], b[32], faster[32] = "-", cost[64];
    if (reference_s > 0.0) snprintf(faster, sizeof faster, "%.3gx", reference_s / t.median_s);
    snprintf(cost, sizeof cost, "%.3g ns/%s", t.median_s / units * 1e9, unit);
    printf("%-30s %-18s %12s %6zu %12s %9s %22s", what, size,
           bench_text(a, sizeof a, t.median_s), t.runs,
           bench_text(b, sizeof b, reference_s), faster, cost);
    if (work_bytes > 0) printf("  %.3g MB", (double)work_bytes / 1e6);
    printf("\n");
    fflush(stdout);
    if (bench_csv)
        fprintf(bench_csv, "%s,%s,%.9g,%zu,%.9g,%.9g,%s,%zu\n", what, size, t.median_s, t.runs,
                reference_s, t.median_s / units, unit, work_bytes);
}

static int bench_end(void)
{
    if (bench_csv && fclose(bench_csv) != 0) return EXIT_FAILURE;
    return EXIT_SUCCESS;
}

#endif /* SGDPERF_BENCH_H */
