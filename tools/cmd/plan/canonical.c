/* canonical.c - the canonical program of [YRHC15, fig. 5], and the constants of computation
 * that it shows: see measure.h */
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#define CANONICAL_POSIX 1
#else
#define CANONICAL_POSIX 0
#endif

#include "base/progress.h"
#include "base/tool.h"
#include "cmd/plan/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    COUNTS = 5,                        /* numbers of neurons                           */
    INPUTS_LEAST = 64,                 /* of a neuron; doubled for each                */
    INPUTS_MOST = INPUTS_LEAST << (COUNTS - 1),
    LANES = 8,                         /* sums that do not wait for each other         */
    PARTS = 3                          /* of a run                                     */
};

enum { WITH_TANH, WITH_DERIVATIVE };

static const double QUIET = 0.03;      /* a spread up to which runs agree              */

/* ---- The canonical program ------------------------------------------------- */

/* One sample: `neurons` neurons of `inputs` inputs, a multiple of LANES. */
static void evaluate(const float *weight, size_t neurons, size_t inputs, int function,
                     const float *input, float *result)
{
    size_t i, j, lane;
    for (i = 0; i < neurons; i++) {
        const float *w = weight + i * inputs;
        float sum[LANES] = {0}, y = 0.0f;
        for (j = 0; j < inputs; j += LANES)
            for (lane = 0; lane < LANES; lane++) sum[lane] += w[j + lane] * input[j + lane];
        for (lane = 0; lane < LANES; lane++) y += sum[lane];
        if (function == WITH_TANH) result[i] = tanhf(y);
        else result[i] = y * (1.0f - result[i] * result[i]);
    }
}

/* Seconds of this thread on a processor. */
static double now(void)
{
#if CANONICAL_POSIX
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#else
    return (double)clock() / (double)CLOCKS_PER_SEC;
#endif
}

static sample sample_new(const measurement *m, size_t bytes, size_t inputs, int function)
{
    sample s = {0};
    size_t i;
    s.weights = m->weights;
    s.neurons = bytes / sizeof *m->weights / inputs;
    s.inputs = inputs;
    s.passes = 1;
    s.function = function;
    s.input = (float *)tool_alloc(inputs, sizeof *s.input);
    s.output = (float *)tool_alloc(s.neurons, sizeof *s.output);
    for (i = 0; i < inputs; i++) s.input[i] = 0.01f * (float)(i % 17) - 0.08f;
    return s;
}

sample measure_shared_sample(const measurement *m)
{
    return sample_new(m, m->shared, INPUTS_MOST, WITH_TANH);
}

void measure_warm(const sample *s)
{
    evaluate(s->weights, s->neurons, s->inputs, s->function, s->input, s->output);
}

/* The best of its parts, which leaves out that another program had the caches. */
void measure_run(sample *s)
{
    size_t part, i;
    for (part = 0; part < PARTS; part++) {
        const double start = now();
        double pass_s;
        for (i = 0; i < s->passes; i++)
            evaluate(s->weights, s->neurons, s->inputs, s->function, s->input, s->output);
        pass_s = (now() - start) / (double)s->passes;
        if (part == 0 || pass_s < s->pass_s) s->pass_s = pass_s;
    }
}

/* As many passes as a run has to last; it is a warm-up as well. */
void measure_size(sample *s, double run_s)
{
    for (measure_run(s); s->pass_s * (double)(PARTS * s->passes) < run_s; measure_run(s))
        s->passes *= 2;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double measure_median(double *value, size_t n)
{
    qsort(value, n, sizeof *value, compare);
    return n % 2 ? value[n / 2] : 0.5 * (value[n / 2 - 1] + value[n / 2]);
}

/* Of a neuron: time = constant + slope * inputs, least squares of relative errors. */
static void fit_line(const double *inputs, const double *time_s, double *constant,
                     double *slope)
{
    double w = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    size_t k;
    for (k = 0; k < COUNTS; k++) {
        const double weight = 1.0 / (time_s[k] * time_s[k]);
        w += weight;
        x += weight * inputs[k];
        y += weight * time_s[k];
        xx += weight * inputs[k] * inputs[k];
        xy += weight * inputs[k] * time_s[k];
    }
    *slope = (w * xy - x * y) / (w * xx - x * x);
    *constant = (y - *slope * x) / w;
    if (*slope < 0.0) *slope = 0.0;
    if (*constant < 0.0) *constant = 0.0;
}

/* One size of the weights, by numbers of neurons. */
typedef struct job {
    sample s[COUNTS];
    double run[COUNTS][MEASURE_RUNS];  /* of a neuron                                  */
    estimate neuron, connection;
    int      function, settled;
} job;

static void job_open(job *j, const measurement *m, size_t bytes, int function)
{
    size_t k;
    j->function = function;
    for (k = 0; k < COUNTS; k++) {
        j->s[k] = sample_new(m, bytes, (size_t)INPUTS_LEAST << k, function);
        measure_size(&j->s[k], m->run_s);
    }
}

/* Sorts; over the median, the range of the runs less the outer quarters. */
double measure_spread(double *value, size_t n)
{
    const double middle = measure_median(value, n);
    return middle > 0.0 ? (value[n - 1 - n / 4] - value[n / 4]) / middle : 0.0;
}

static void job_fit(const job *j, size_t runs, estimate *neuron_s, estimate *connection_s)
{
    double inputs[COUNTS], time_s[COUNTS], constant[MEASURE_RUNS], slope[MEASURE_RUNS];
    size_t k, r;
    for (k = 0; k < COUNTS; k++) inputs[k] = (double)j->s[k].inputs;
    for (r = 0; r < runs; r++) {
        for (k = 0; k < COUNTS; k++) time_s[k] = j->run[k][r];
        fit_line(inputs, time_s, &constant[r], &slope[r]);
    }
    neuron_s->spread = measure_spread(constant, runs);
    connection_s->spread = measure_spread(slope, runs);
    for (k = 0; k < COUNTS; k++) {
        memcpy(constant, j->run[k], runs * sizeof *constant);
        time_s[k] = measure_median(constant, runs);
    }
    fit_line(inputs, time_s, &neuron_s->value, &connection_s->value);
}

/* Takes these runs if they differ less than those before. */
static void job_settle(job *j, size_t runs, int first)
{
    estimate neuron, connection;
    const estimate *old = j->function == WITH_TANH ? &j->connection : &j->neuron;
    const estimate *fresh = j->function == WITH_TANH ? &connection : &neuron;
    job_fit(j, runs, &neuron, &connection);
    if (!first && fresh->spread >= old->spread) return;
    j->neuron = neuron;
    j->connection = connection;
    j->settled = old->spread <= QUIET;
}

/* The median of what several sizes say of a neuron, and of how much it varied. */
static estimate common(const estimate *of, size_t n)
{
    double value[MEASURE_SIZES], varied[MEASURE_SIZES];
    estimate e = {0.0, 0.0};
    size_t i;
    for (i = 0; i < n; i++) {
        value[i] = of[i].value;
        varied[i] = of[i].spread;
    }
    e.value = measure_median(value, n);
    e.spread = measure_median(varied, n);
    return e;
}

/* Each run goes through all sizes and numbers of neurons, so that what slows the machine
 * for a while costs each of them a run or two, and not one of them all. */
static void measure_jobs(measurement *m, job *jobs, size_t count)
{
    size_t attempt, r, i, k;
    for (attempt = 0; attempt < m->attempts; attempt++) {
        for (r = 0; r < m->runs; r++)
            for (i = 0; i < count; i++) {
                if (jobs[i].settled) continue;
                tool_progress("runs", (attempt * m->runs + r) * count + i,
                              m->attempts * m->runs * count);
                for (k = 0; k < COUNTS; k++) {
                    sample *s = &jobs[i].s[k];
                    measure_run(s);
                    jobs[i].run[k][r] = s->pass_s / (double)s->neurons;
                }
            }
        for (i = 0; i < count; i++)
            if (!jobs[i].settled) job_settle(&jobs[i], m->runs, attempt == 0);
    }
    tool_progress("runs", 1, 1);
}

void measure_computation(measurement *m)
{
    job *jobs = (job *)tool_alloc(2 * MEASURE_SIZES, sizeof *jobs), *derivatives;
    estimate activation[MEASURE_SIZES], error[MEASURE_SIZES];
    size_t bytes, cached = 0, i;
    for (bytes = MEASURE_LEAST_BYTES; bytes <= m->largest; bytes *= 2) {
        m->at[m->sizes] = (double)bytes;
        job_open(&jobs[m->sizes++], m, bytes, WITH_TANH);
    }
    derivatives = jobs + m->sizes;
    for (; cached < m->sizes && m->at[cached] <= MEASURE_CACHED_BYTES; cached++)
        job_open(&derivatives[cached], m, (size_t)m->at[cached], WITH_DERIVATIVE);
    measure_jobs(m, jobs, m->sizes + cached);
    for (i = 0; i < m->sizes; i++) m->muladd[i] = jobs[i].connection;
    for (i = 0; i < cached; i++) {
        activation[i] = jobs[i].neuron;
        error[i] = derivatives[i].neuron;
    }
    m->activation = common(activation, cached);
    m->error = common(error, cached);
}
