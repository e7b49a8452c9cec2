/* measure.c - sgdperf plan measure: the constants of this machine, by the canonical
 * program of [YRHC15, fig. 5] */
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L /* clock_gettime, threads */
#include <pthread.h>
#define MEASURE_POSIX 1
#else
#define MEASURE_POSIX 0
#endif

#include "base/columns.h"
#include "base/progress.h"
#include "cmd/plan/plan.h"
#include "jobs/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MEASURE_LEAST_BYTES = 16384,           /* of the weights                         */
    MEASURE_CACHED_BYTES = 1 << 20,        /* C_act and C_err: of sizes up to here   */
    MEASURE_SIZES = 40,
    MEASURE_RUNS = 9,                      /* of a round                             */
    MEASURE_ROUNDS = 3,                    /* at most                                */
    MEASURE_MOST_RUNS = MEASURE_RUNS * MEASURE_ROUNDS,
    MEASURE_THREADS = 4096,
    COUNTS = 5,                            /* numbers of neurons                     */
    INPUTS_LEAST = 64,                     /* of a neuron; doubled for each          */
    INPUTS_MOST = INPUTS_LEAST << (COUNTS - 1),
    LANES = 8,                             /* sums that do not wait for each other   */
    PARTS = 3                              /* of a run                               */
};

enum { WITH_TANH, WITH_DERIVATIVE };

static const double SURE = 0.05;           /* a spread that is small enough          */

/* Of several runs: the median and, over it, half of its 95 % interval. */
typedef struct estimate { double value, spread; } estimate;

typedef struct measurement {
    size_t   runs, rounds;             /* of a round; at most                          */
    double   run_s;                    /* that a run lasts about                       */
    size_t   largest;                  /* bytes                                        */
    size_t   shared;
    size_t   threads;
    size_t   room;                     /* bytes: the larger of both                    */
    float   *weights;                  /* [room / 4]                                   */
    size_t   sizes;
    double   at[MEASURE_SIZES];
    estimate muladd[MEASURE_SIZES], activation, error;
    size_t   interfs;
    double   interf_at[MEASURE_SIZES];
    estimate interf[MEASURE_SIZES];
} measurement;

/* A number of neurons, and how long all of them take. */
typedef struct sample {
    const float *weights;
    size_t neurons, inputs, passes;
    int    function;
    float *input, *output;
    double pass_s;                     /* the result                                   */
} sample;

/* ---- Runs: the canonical program ---------------------------------------------- */

/* One pass: `neurons` neurons of `inputs` inputs, a multiple of LANES. */
static void evaluate(const sample *s)
{
    const size_t inputs = s->inputs, neurons = s->neurons;
    const float *const weight = s->weights, *const input = s->input;
    const int function = s->function;
    float *const result = s->output;
    for (size_t i = 0; i < neurons; i++) {
        const float *w = weight + i * inputs;
        float sum[LANES] = {0}, y = 0.0f;
        for (size_t j = 0; j < inputs; j += LANES)
            for (size_t lane = 0; lane < LANES; lane++) sum[lane] += w[j + lane] * input[j + lane];
        for (size_t lane = 0; lane < LANES; lane++) y += sum[lane];
        if (function == WITH_TANH) result[i] = tanhf(y);
        else result[i] = y * (1.0f - result[i] * result[i]);
    }
}

/* Seconds of this thread on a processor. */
static double now(void)
{
#if MEASURE_POSIX
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#else
    return (double)clock() / (double)CLOCKS_PER_SEC;
#endif
}

static sample sample_new(const measurement *m, size_t bytes, size_t inputs, int function)
{
    sample s = {.weights = m->weights, .neurons = bytes / sizeof *m->weights / inputs,
                .inputs = inputs, .passes = 1, .function = function};
    s.input = (float *)tool_alloc(inputs, sizeof *s.input);
    s.output = (float *)tool_alloc(s.neurons, sizeof *s.output);
    for (size_t i = 0; i < inputs; i++) s.input[i] = 0.01f * (float)(i % 17) - 0.08f;
    return s;
}

/* As many neurons as fill shared weights, of as many inputs as any. */
static sample measure_shared_sample(const measurement *m)
{
    return sample_new(m, m->shared, INPUTS_MOST, WITH_TANH);
}

/* The weights of a run. Each run has other ones where there is room: which lines of a cache
 * they share depends on where they are, and another measurement has them elsewhere. */
static const float *measure_place(const measurement *m, size_t bytes, size_t run)
{
    return m->weights + run % (m->room / bytes) * (bytes / sizeof *m->weights);
}

/* A run, into pass_s: the best of its parts, which leaves out that another program had the
 * caches. */
static void measure_run(sample *s)
{
    for (size_t part = 0; part < PARTS; part++) {
        const double start = now();
        for (size_t i = 0; i < s->passes; i++) evaluate(s);
        double pass_s = (now() - start) / (double)s->passes;
        if (part == 0 || pass_s < s->pass_s) s->pass_s = pass_s;
    }
}

/* As many passes as a run has to last; it is a warm-up as well. */
static void measure_size(sample *s, double run_s)
{
    for (measure_run(s); s->pass_s * (double)(PARTS * s->passes) < run_s; measure_run(s))
        s->passes *= 2;
}

static double measure_median(double *value, size_t n)
{
    qsort(value, n, sizeof *value, number_compare);
    return n % 2 ? value[n / 2] : 0.5 * (value[n / 2 - 1] + value[n / 2]);
}

/* The interval ends with the `beyond` lowest and highest runs left out: the true median is
 * beyond one of its ends with probability P(B(n, 1/2) <= beyond) <= 0.025. Fewer than six
 * runs have no such interval; theirs is the range. */
static estimate measure_estimate(const double *runs, size_t n)
{
    double value[MEASURE_MOST_RUNS], term = pow(0.5, (double)n), tail = term;
    size_t beyond = 0;
    estimate e;
    memcpy(value, runs, n * sizeof *value);
    e.value = measure_median(value, n);
    for (;; beyond++) {
        term *= (double)(n - beyond) / (double)(beyond + 1);
        tail += term;
        if (tail > 0.025) break;
    }
    e.spread = e.value > 0.0 ? 0.5 * (value[n - 1 - beyond] - value[beyond]) / e.value : 0.0;
    return e;
}

/* Of a neuron: time = constant + slope * inputs, least squares of relative errors. */
static void fit_line(const double *inputs, const double *time_s, double *constant,
                     double *slope)
{
    double w = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (size_t k = 0; k < COUNTS; k++) {
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
    sample   s[COUNTS];
    size_t   bytes, runs;
    double   neuron_s[MEASURE_MOST_RUNS], connection_s[MEASURE_MOST_RUNS];
    int      sure;
} job;

static void job_open(job *j, const measurement *m, size_t bytes, int function)
{
    j->bytes = bytes;
    for (size_t k = 0; k < COUNTS; k++) {
        j->s[k] = sample_new(m, bytes, (size_t)INPUTS_LEAST << k, function);
        measure_size(&j->s[k], m->run_s);
    }
}

static void job_run(job *j, const measurement *m)
{
    double inputs[COUNTS], time_s[COUNTS];
    for (size_t k = 0; k < COUNTS; k++) {
        sample *s = &j->s[k];
        s->weights = measure_place(m, j->bytes, j->runs);
        measure_run(s);
        inputs[k] = (double)s->inputs;
        time_s[k] = s->pass_s / (double)s->neurons;
    }
    fit_line(inputs, time_s, &j->neuron_s[j->runs], &j->connection_s[j->runs]);
    j->runs++;
}

/* Time of a neuron: of each run the median of all sizes. */
static estimate common(const job *jobs, size_t count)
{
    double value[MEASURE_SIZES], each[MEASURE_MOST_RUNS];
    const size_t runs = jobs[0].runs;
    for (size_t r = 0; r < runs; r++) {
        for (size_t i = 0; i < count; i++) value[i] = jobs[i].neuron_s[r];
        each[r] = measure_median(value, count);
    }
    return measure_estimate(each, runs);
}

/* What the runs say so far. Sizes that C_act and C_err come from are sure together.
 * derivatives: [cached]. */
static void measure_settle(measurement *m, job *jobs, job *derivatives, size_t cached)
{
    int sure;
    for (size_t i = 0; i < m->sizes; i++) {
        m->muladd[i] = measure_estimate(jobs[i].connection_s, jobs[i].runs);
        jobs[i].sure = m->muladd[i].spread <= SURE;
    }
    m->activation = common(jobs, cached);
    m->error = common(derivatives, cached);
    sure = m->activation.spread <= SURE && m->error.spread <= SURE;
    for (size_t i = 0; i < cached; i++) sure = sure && jobs[i].sure;
    for (size_t i = 0; i < cached; i++) jobs[i].sure = derivatives[i].sure = sure;
}

/* C_muladd by size of the weights, C_act and C_err. Each run goes through all sizes and
 * numbers of neurons, so that what slows the machine for a while costs each of them a run or
 * two, and not one of them all. */
static void measure_computation(measurement *m)
{
    job *jobs = (job *)tool_alloc(2 * MEASURE_SIZES, sizeof *jobs), *derivatives;
    size_t cached = 0, count, done = 0;
    for (size_t bytes = MEASURE_LEAST_BYTES; bytes <= m->largest; bytes *= 2) {
        m->at[m->sizes] = (double)bytes;
        job_open(&jobs[m->sizes++], m, bytes, WITH_TANH);
    }
    derivatives = jobs + m->sizes;
    for (; cached < m->sizes && m->at[cached] <= MEASURE_CACHED_BYTES; cached++)
        job_open(&derivatives[cached], m, (size_t)m->at[cached], WITH_DERIVATIVE);
    count = m->sizes + cached;
    for (size_t round = 0; round < m->rounds; round++) {
        for (size_t r = 0; r < m->runs; r++)
            for (size_t i = 0; i < count; i++) {
                tool_progress("runs", done++, m->rounds * m->runs * count);
                if (!jobs[i].sure) job_run(&jobs[i], m);
            }
        measure_settle(m, jobs, derivatives, cached);
    }
    tool_progress("runs", 1, 1);
}

/* ---- Threads ------------------------------------------------------------------ */

#if MEASURE_POSIX

/* Threads wait at the gate until all are warm. */
typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t  opened;
    size_t          waiting, threads;
} gate;

typedef struct runner { sample s; gate *g; } runner;

static void gate_pass(gate *g)
{
    pthread_mutex_lock(&g->lock);
    if (++g->waiting == g->threads) pthread_cond_broadcast(&g->opened);
    while (g->waiting < g->threads) pthread_cond_wait(&g->opened, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

static void *runner_main(void *at)
{
    runner *r = (runner *)at;
    evaluate(&r->s);
    gate_pass(r->g);
    measure_run(&r->s);
    return NULL;
}

/* Mean time of a pass on `threads` threads at once. */
static double run_threads(const sample *alone, runner *r, pthread_t *id, size_t threads)
{
    gate g = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
    double sum = 0.0;
    g.threads = threads;
    for (size_t i = 0; i < threads; i++) {
        r[i].g = &g;
        r[i].s.passes = alone->passes;
        r[i].s.weights = alone->weights;
        if (pthread_create(&id[i], NULL, runner_main, &r[i]) != 0)
            tool_fail("plan measure: the system starts no more than %lu threads",
                      (unsigned long)i);
    }
    for (size_t i = 0; i < threads; i++) {
        pthread_join(id[i], NULL);
        sum += r[i].s.pass_s;
    }
    return sum / (double)threads;
}

/* One thread and many take turns; the median of the ratios. */
static estimate interference(const measurement *m, size_t threads)
{
    sample alone = measure_shared_sample(m);
    runner *r = (runner *)tool_alloc(threads, sizeof *r);
    pthread_t *id = (pthread_t *)tool_alloc(threads, sizeof *id);
    double ratio[MEASURE_MOST_RUNS];
    estimate e = {0.0, 1.0};
    measure_size(&alone, m->run_s);
    for (size_t i = 0; i < threads; i++) r[i].s = measure_shared_sample(m);
    for (size_t i = 0; e.spread > SURE && i < m->rounds * m->runs; i++) {
        alone.weights = measure_place(m, m->shared, i);
        const double one_s = run_threads(&alone, r, id, 1);
        ratio[i] = run_threads(&alone, r, id, threads) / one_s;
        if ((i + 1) % m->runs == 0) e = measure_estimate(ratio, i + 1);
    }
    return e;
}

#else

static estimate interference(const measurement *m, size_t threads)
{
    (void)m;
    tool_fail("plan measure: %lu threads need POSIX threads, which this system lacks: use "
              "--threads 1",
              (unsigned long)threads);
}

#endif

/* C_interf: one thread and many at once. */
static void measure_threads(measurement *m)
{
    static const estimate one = {1.0, 0.0};
    size_t threads = 1, i = 0;
    for (;;) {
        tool_progress("threads", threads, m->threads + 1);
        m->interf_at[i] = (double)threads;
        m->interf[i++] = threads > 1 ? interference(m, threads) : one;
        if (threads == m->threads) break;
        threads = 2 * threads < m->threads ? 2 * threads : m->threads;
    }
    m->interfs = i;
    tool_progress("threads", 1, 1);
}

/* ---- The command -------------------------------------------------------------- */

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf plan measure [--threads K] [--largest 512MiB] [--shared 4MiB]\n"
    "                            [--quick] [--format table|csv|json]\n"
    "\n"
    "Measures the constants of computation that sgdperf plan needs, on this machine.\n"
    "\n"
    "Neurons are y_i = sum of w_ij a_j, a_i = tanh(y_i), over weights of 4 bytes, in\n"
    "five numbers of neurons for each size of the weights.\n"
    "  C_muladd  time of a connection, over the bytes of weights: 16 KiB, 32 KiB, ...\n"
    "  C_act     time of a neuron beside its connections, from the sizes up to 1 MiB\n"
    "  C_err     the same with y_i (1 - a_i^2), the derivative, in place of tanh\n"
    "  C_interf  how many times longer H threads take that share weights and have\n"
    "            samples of their own, H = 1, 2, 4, ... and K\n"
    "C_ncost and C_nbw, of the network, are not measured.\n"
    "\n"
    "What to measure\n"),
    USE(THREADS), USE(LARGEST), USE(SHARED), USE(QUICK),
    HEADING("Output"),
    USE_AS(FORMAT, AS_TABLE, "table|csv|json", NULL,
         "output format; sgdperf plan --constants reads csv", NULL),
    SECTION("Units",
    SIZE_UNITS
    "\n"
    "Values are medians of nine runs, each the best of three parts, after one that\n"
    "does not count, in processor time. spread is half of the 95 % interval of the\n"
    "median, over the median. While it is above 0.05, nine more runs are made, up\n"
    "to 27. Where it stays above 0.05 a note says so: another program was in the\n"
    "way, and a second measurement will differ. --quick makes three runs, whose\n"
    "spread is half of their range.\n"),
    SECTION("Example: measure once, then plan with it",
    "  $ sgdperf plan measure --format csv > constants.csv\n"
    "  $ sgdperf plan layers.csv --constants constants.csv --machines 20 --cores 16 \\\n"
    "      --c-ncost 50us --c-nbw 10Gbps --n-sample 60000\n")
};

/* ---- The command: printing ---------------------------------------------------- */

static void print_value(columns *t, const char *constant, double at, estimate e,
                        const char *unit)
{
    columns_row(t);
    column_text(t, ALL, "constant", constant);
    column_round(t, ALL, "at", 10, known_if(at > 0.0, at));
    column_round(t, ALL, "value", 4, e.value);
    column_text(t, ALL, "unit", unit);
    column_round(t, ALL, "spread", 2, e.spread);
}

/* Notes how many constants are not within SURE, and the worst of them. */
static void note_spread(const measurement *m)
{
    size_t all = 0, unsure = 0;
    double worst = 0.0;
    const estimate *const list[] = {m->muladd, &m->activation, &m->error, m->interf};
    const size_t count[] = {m->sizes, 1, 1, m->interfs};
    for (size_t k = 0; k < COUNT_OF(list); k++)
        for (size_t i = 0; i < count[k]; i++, all++) {
            if (list[k][i].spread > SURE) unsure++;
            worst = fmax(worst, list[k][i].spread);
        }
    if (unsure > 0)
        tool_note("unsteady-measurement",
                  "%lu of %lu constants are not known within %g %%, the worst only within "
                  "%.2g %%: measure again while no other program runs",
                  (unsigned long)unsure, (unsigned long)all, 100.0 * SURE, 100.0 * worst);
}

static void print_measured(output *out, const measurement *m)
{
    json_object(out, NULL);
    columns t = columns_open(out, ALL, "constants");
    for (size_t i = 0; i < m->sizes; i++) print_value(&t, "C_muladd", m->at[i], m->muladd[i], "s");
    print_value(&t, "C_act", 0.0, m->activation, "s");
    print_value(&t, "C_err", 0.0, m->error, "s");
    for (size_t i = 0; i < m->interfs; i++)
        print_value(&t, "C_interf", m->interf_at[i], m->interf[i], "");
    columns_close(&t);
    json_end(out);
}

static size_t size_option(const args *a, option_id name, size_t fallback)
{
    const double bytes = args_quantity(a, name, UNIT_SIZE, NUMBER_POSITIVE, (double)fallback);
    size_t size = MEASURE_LEAST_BYTES;
    while ((double)size < bytes && size <= SIZE_MAX / 4) size *= 2;
    if ((double)size < bytes || (double)size > bytes)
        args_fail(name, args_text(a, name, ""), "is not a power of two from 16KiB up");
    return size;
}

static int run(args *a)
{
    const size_t quick_bytes = MEASURE_CACHED_BYTES;
    measurement m = {0};
    output out = {.form = args_form(a)};
    int quick = args_given(a, OPTION_QUICK);
    m.runs = quick ? 3 : MEASURE_RUNS;
    m.rounds = quick ? 1 : MEASURE_ROUNDS;
    m.run_s = quick ? 0.0005 : 0.02;
    m.threads = (size_t)args_integer(a, OPTION_THREADS, 1, MEASURE_THREADS, parallel_processors());
    m.largest = size_option(a, OPTION_LARGEST, quick ? quick_bytes : (size_t)1 << 29);
    m.shared = size_option(a, OPTION_SHARED, quick ? quick_bytes : (size_t)1 << 22);
    m.room = m.largest > m.shared ? m.largest : m.shared;
    m.weights = (float *)tool_alloc(m.room / sizeof *m.weights, sizeof *m.weights);
    for (size_t i = 0; i < m.room / sizeof *m.weights; i++)
        m.weights[i] = 0.001f * (float)(i % 31) - 0.015f;
    measure_computation(&m);
    measure_threads(&m);
    note_spread(&m);
    print_measured(&out, &m);
    return output_flush(&out, EXIT_DONE);
}

const args_command command_plan_measure = {
    "measure", NULL, run, uses, COUNT_OF(uses), NULL, 0, 0, 0, NULL, 0,
    EACH(OPTION_THREADS, OPTION_LARGEST, OPTION_QUICK, OPTION_FORMAT)};
