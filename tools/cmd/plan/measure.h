/* measure.h - what the parts of sgdperf plan measure share */
#ifndef TOOLS_CMD_PLAN_MEASURE_H
#define TOOLS_CMD_PLAN_MEASURE_H

enum {
    MEASURE_LEAST_BYTES = 16384,           /* of the weights                         */
    MEASURE_CACHED_BYTES = 1 << 20,        /* C_act and C_err: of sizes up to here   */
    MEASURE_SIZES = 40,
    MEASURE_RUNS = 7,                      /* at most                                */
    MEASURE_THREADS = 4096
};

/* Of several runs: the result, and how much they differed, over it. */
typedef struct estimate { double value, spread; } estimate;

typedef struct measurement {
    size_t   runs, attempts;
    double   run_s;                    /* that a run lasts about                       */
    size_t   largest;                  /* bytes                                        */
    size_t   shared;
    size_t   threads;
    float   *weights;                  /* [the larger / 4] of largest and shared       */
    size_t   sizes;
    double   at[MEASURE_SIZES];
    estimate muladd[MEASURE_SIZES], activation, error;
    size_t   interfs;
    double   interf_at[MEASURE_SIZES];
    estimate interf[MEASURE_SIZES];
} measurement;

/* ---- The canonical program: canonical.c ------------------------------------ */

/* A number of neurons, and how long all of them take. */
typedef struct sample {
    const float *weights;
    size_t neurons, inputs, passes;
    int    function;
    float *input, *output;
    double pass_s;                     /* the result                                   */
} sample;

/* As many neurons as fill shared weights, of as many inputs as any. */
sample measure_shared_sample(const measurement *m);

/* One pass that does not count, and as many as a run lasts, into pass_s. */
void measure_warm(const sample *s);
void measure_run(sample *s);

/* As many passes as a run has to last; it is a warm-up as well. */
void measure_size(sample *s, double run_s);

/* Sorts and takes the median; over it, the range of the runs less the outer quarters. */
double measure_median(double *value, size_t n);
double measure_spread(double *value, size_t n);

/* C_muladd by size of the weights, C_act and C_err. */
void measure_computation(measurement *m);

/* ---- Threads: threads.c ---------------------------------------------------- */

/* C_interf: one thread and many at once. */
void measure_threads(measurement *m);

#endif /* TOOLS_CMD_PLAN_MEASURE_H */
