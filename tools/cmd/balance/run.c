/* run.c - sgdperf balance run: a cluster whose speeds change under coordination schemes */
#include "base/columns.h"
#include "base/words.h"
#include "cmd/balance/balance.h"
#include "files/status.h"
#include "jobs/parallel.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct balance_cluster {
    const csv_table *file;
    name_index       names;   /* of the workers; spare ones are the last            */
    uint32_t         workers, spare;
    size_t          *row;     /* [workers] of the file                              */
    sgdbal_worker   *curve;   /* [workers] of a CPU that has no series: slope alone */
    uint32_t        *batch;   /* [workers]                                          */
    series          *speed;   /* [workers] of CPUs                                  */
    int              cpus;    /* all workers are CPUs ...                           */
    int              uses;    /*   ... whose use of CPU and memory is known         */
    double           row_s;   /* a row of a series lasts so long; 0: one iteration  */
    double           task_length; /* mean, of seeded tasks, in iterations           */
} balance_cluster;

typedef struct scheme_plan {
    balance_cluster         cluster;
    uint64_t                warmup, iterations; /* those after the warm-up count    */
    sgdbal_scheme_config    base;      /* what all schemes share                    */
    uint32_t                late;      /* redundant: workers that are not waited for */
    sgdbal_balancer_config  balance;   /* lbbsp                                     */
    sgdfc_config            predictor; /* lbbsp by speed                            */
} scheme_plan;

typedef struct scheme_worker {
    double   waiting_share;
    uint64_t updates;
    uint32_t last_batch;
} scheme_worker;

/* Its workers stand behind it. */
typedef struct scheme_outcome {
    sgdbal_scheme        scheme;
    uint32_t             workers;
    double               iteration_s;
    double               waiting; /* mean share                                     */
    sgdbal_scheme_result is;      /* its pointers are not to be used                */
} scheme_outcome;

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf balance run CLUSTER.csv [--scheme S,...] [option ...]\n"
    "\n"
    "Simulates a job on a cluster under coordination schemes, one beside the other.\n"
    "\n"
    "CLUSTER.csv (- is stdin) has one row per kind of worker:\n"
    "  worker     name; of several NAME-1, NAME-2, ...\n"
    "  count      workers, optional [1]\n"
    "  kind       cpu: a batch of x samples takes x / speed;\n"
    "             gpu: max(floor_s, launch_s + slope_s x) + communication_s\n"
    "  speed      cpu: samples/s; with tasks beside it, of the idle machine\n"
    "  series     cpu: empty: the speed never changes; a whole number S: tasks of the\n"
    "             seeds S, S + 1, ... run beside the workers of the row (sgdperf\n"
    "             balance series prints them); or a file of rows speed[,cpu,memory],\n"
    "             in samples/s, beside CLUSTER.csv, that starts again when it ends\n"
    "  launch_s, slope_s, floor_s, communication_s\n"
    "             gpu: seconds, see sgdperf balance gpu\n"
    "  batch      samples of a batch, of the first if they change\n"
    "  max_batch  samples that the memory holds, optional [no limit]\n"
    "  spare      1: only redundant execution has these workers, optional [0]\n"
    "\n"
    "What to run\n"),
    USE(SCHEME),
    USE_HELP(ITERATIONS, "number of iterations after --warmup; asp, ssp: mean updates per worker",
             "1000"),
    USE_AS(WARMUP, AS_TABLE, "N", NULL, "number of first iterations that do not count", "0"),
    USE_HELP(SEED, "number added to the seeds of speed series and networks", "0"),
    HEADING("The cluster"),
    USE_HELP(BARRIER, "time that the barrier of each iteration takes", "0 s"),
    USE(SERIES), USE(ROW), USE(TASK_LENGTH),
    HEADING("The schemes"),
    USE(STALENESS), USE(SPARE), USE(CHECKS), USE(TRIGGER), USE(SHED), USE(MIGRATE),
    HEADING("lbbsp"),
    USE(BALANCE), USE(BLOCKING), USE(NON_BLOCKING),
    USE_HELP(UPDATE, "--blocking: time that setting new batches takes", "0 s"),
    USE_AS(LEAST_BATCH, WHOLE, "N", NULL, "--balance speed: smallest batch of a worker, in samples",
         "0"),
    HEADING("lbbsp: the predictor of --balance speed"),
    USE(PREDICTOR), USE(TRAIN), USE(SMOOTHING), USE(EPOCHS), USE(NO_LINE), USE(UNCLAMPED),
    HEADING("lbbsp: Algorithm 2 of --balance pairs"),
    USE(RULE),
    USE_AS(STEP, AS_TABLE, "N", NULL, "number of samples per move", "5"),
    USE(WINDOW),
    USE(FINE_STEP), USE(FINE_WINDOW),
    HEADING("Output"),
    USE(PER_WORKER), USE(FORMAT), PARALLEL_USES,
    SECTION("Units", TIME_UNITS),
    SECTION("Notes",
    "  series      Iterations of a worker go from 0 up; cpus of constant speed have\n"
    "              what is left to them; at the end of its rows a worker starts\n"
    "              again. Without a column speed it is the cluster's times cpu^0.9\n"
    "              min(1, memory / 0.45)^0.5.\n"
    "  staleness   Finished iterations differ by at most S + 1; 0 is bsp.\n"
    "  per-worker  csv prints its table alone; json always has it.\n"),
    SECTION("Results",
    "  per_update_s     time over gradients pushed\n"
    "  iteration_s      the same, for one of each worker that is waited for\n"
    "  waiting          mean share of the time in which workers do not compute\n"
    "  staleness        updates between pull and push\n"
    "  reduction        of per_update_s, against bsp\n"
    "  prediction_rmse  error of the predictor in iterations that count, samples/s,\n"
    "                   mean of the workers that had batches then\n"),
    SECTION("Example: two workers, one half as fast",
    "  $ printf '%s\\n' worker,kind,speed,batch fast,cpu,100,60 slow,cpu,50,60 |\n"
    "      sgdperf balance run - --scheme bsp,asp,lbbsp --warmup 10\n"
    "  scheme  per_update_s  iteration_s  samples_per_s  waiting  staleness  reduction\n"
    "  bsp              0.6          1.2            100     0.25          0          0\n"
    "  asp           0.3999       0.7998         150.04        0          1      0.333\n"
    "  lbbsp            0.4          0.8            150        0          0      0.333\n"
    "\n"
    "  memoryless predicts speeds within 0 samples/s (rmse)\n")
};

/* Without any of `words` among the schemes that run. */
#define SCHEMES               "bsp asp ssp lbbsp redundant flexrr"
#define UNLESS_RUN(words, ...) \
    UNLESS(IS(SCHEME, "all " words), EXCLUDES, EACH(__VA_ARGS__), IS(SCHEME, SCHEMES))

static const option_rule rules[] = {
    UNLESS_RUN("ssp", OPTION_STALENESS), UNLESS_RUN("redundant", OPTION_SPARE),
    UNLESS_RUN("flexrr", OPTION_CHECKS, OPTION_TRIGGER, OPTION_SHED, OPTION_MIGRATE),
    UNLESS_RUN("lbbsp", OPTION_BALANCE, OPTION_BLOCKING, OPTION_NON_BLOCKING, OPTION_UPDATE,
               PREDICTOR_OPTIONS, OPTION_LEAST_BATCH, PAIRS_OPTIONS),
    EXCLUDES(ONE(NON_BLOCKING), ONE(BLOCKING)),
    PREDICTOR_RULES
};

/* ---- Cluster ----------------------------------------------------------------- */

enum { MOST_WORKERS = 100000 };

typedef enum worker_kind { WORKER_CPU = 0, WORKER_GPU, WORKER_KINDS } worker_kind;

static const char *const kind_names[WORKER_KINDS] = {"cpu", "gpu"};

static uint64_t count_of(const csv_table *t, size_t row)
{
    return csv_integer_or(t, row, csv_column(t, "count"), 1, MOST_WORKERS, 1);
}

static int is_spare(const csv_table *t, size_t row)
{
    return (int)csv_integer_or(t, row, csv_column(t, "spare"), 0, 1, 0);
}

/* ---- Cluster: series -------------------------------------------------------- */

/* The number i worker of a row: a constant speed, seeded tasks, or a file's speeds. */
static void read_speed(balance_cluster *c, size_t row, uint64_t i, uint64_t seed, series *s)
{
    const csv_table *t = c->file;
    const int speed = csv_column(t, "speed"), from = csv_column(t, "series");
    const char *text = csv_text_or(t, row, from, "");
    uint64_t number = 0;
    series_row constant = {0.0, 1.0, 1.0};
    if (*text != '\0' && number_whole(text, 0, UINT64_MAX, &number) != NULL) {
        if (!csv_is_empty(t, row, speed))
            csv_fail(t, row, speed, "%s, but the speeds are in '%s': leave the cell empty",
                     csv_text(t, row, speed), text);
        t = series_read(s, csv_beside(t, text), NUMBER_POSITIVE, 0);
        if (csv_column(t, "cpu") == CSV_NONE || csv_column(t, "memory") == CSV_NONE)
            c->uses = 0;
        return;
    }
    constant.speed = csv_number(t, row, csv_require(t, "speed"), NUMBER_POSITIVE);
    if (*text == '\0') series_add(s, &constant);
    else series_generate(s, number + i + seed, constant.speed, c->task_length);
}

/* Where a worker's next row of --series stands, and what it is by. */
typedef struct usage_columns { int iteration, worker, cpu, memory, speed; } usage_columns;

static void add_usage(balance_cluster *c, const csv_table *t, size_t row, const double *idle,
                      const usage_columns *at)
{
    const size_t w = names_find(&c->names, csv_text(t, row, at->worker));
    const uint64_t k = csv_integer(t, row, at->iteration, 0, UINT32_MAX);
    series_row next;
    if (w == c->names.count)
        csv_fail(t, row, at->worker, "'%s' is not a worker of %s", csv_text(t, row, at->worker),
                 c->file->name);
    if (!(idle[w] > 0.0))
        csv_fail(t, row, at->worker, "worker '%s' is a gpu, or has a series already",
                 csv_text(t, row, at->worker));
    if (k != c->speed[w].rows)
        csv_fail(t, row, at->iteration, "%s, but %lu is the next iteration of worker '%s'",
                 csv_text(t, row, at->iteration), (unsigned long)c->speed[w].rows,
                 csv_text(t, row, at->worker));
    next.cpu = csv_number(t, row, at->cpu, NUMBER_NON_NEGATIVE);
    next.memory = csv_number(t, row, at->memory, NUMBER_NON_NEGATIVE);
    next.speed = at->speed != CSV_NONE ? csv_number(t, row, at->speed, NUMBER_POSITIVE)
                                       : busy_speed(idle[w], next.cpu, next.memory);
    if (!(next.speed > 0.0)) csv_fail(t, row, at->cpu, "0 would stop the worker: give a positive "
                                                       "value");
    series_add(&c->speed[w], &next);
}

/* Rows iteration,worker,cpu,memory[,speed] take the place of constant speeds. */
static void read_usage(balance_cluster *c, const char *path)
{
    const csv_table *t = csv_read(path, 0);
    double *idle = (double *)tool_alloc(c->workers, sizeof *idle);
    series_row *constant = (series_row *)tool_alloc(c->workers, sizeof *constant);
    usage_columns at;
    at.iteration = csv_require(t, "iteration");
    at.worker = csv_require(t, "worker");
    at.cpu = csv_require(t, "cpu");
    at.memory = csv_require(t, "memory");
    at.speed = csv_column(t, "speed");
    for (size_t i = 0; i < c->workers; i++) {
        if (c->speed[i].machine || c->speed[i].rows != 1) continue;
        constant[i] = c->speed[i].row[0];
        idle[i] = constant[i].speed;
        c->speed[i].rows = 0;
    }
    for (size_t i = 0; i < t->rows; i++) add_usage(c, t, i, idle, &at);
    for (size_t i = 0; i < c->workers; i++)
        if (idle[i] > 0.0 && c->speed[i].rows == 0) series_add(&c->speed[i], &constant[i]);
}

/* ---- Cluster: workers ------------------------------------------------------- */

/* Cells that belong to the other kind of worker are empty, or 0. */
static void refuse_cells(const csv_table *t, size_t row, const char *kind,
                         const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const int column = csv_column(t, names[i]);
        double value = 1.0;
        if (csv_is_empty(t, row, column)) continue;
        (void)number_parse(csv_text(t, row, column), NUMBER_NON_NEGATIVE, &value);
        if (value > 0.0)
            csv_fail(t, row, column, "%s, but a %s has no such value: leave the cell empty",
                     csv_text(t, row, column), kind);
    }
}

static void read_worker(balance_cluster *c, uint32_t w, size_t row, uint64_t i, uint64_t seed)
{
    static const char *const of_gpu[] = {"launch_s", "slope_s", "floor_s", "communication_s"};
    static const char *const of_cpu[] = {"speed", "series"};
    const csv_table *t = c->file;
    const int kind = csv_require(t, "kind"), batch = csv_require(t, "batch");
    sgdbal_worker *curve = &c->curve[w];
    c->row[w] = row;
    c->batch[w] = (uint32_t)csv_integer(t, row, batch, 1, UINT32_MAX);
    if (csv_choice(t, row, kind, kind_names, WORKER_KINDS) == WORKER_GPU) {
        refuse_cells(t, row, "gpu", of_cpu, COUNT_OF(of_cpu));
        worker_read(t, row, curve);
        c->cpus = 0;
    } else {
        refuse_cells(t, row, "cpu", of_gpu, COUNT_OF(of_gpu));
        read_speed(c, row, i, seed, &c->speed[w]);
        curve->max_batch = (uint32_t)csv_integer_or(t, row, csv_column(t, "max_batch"), 1,
                                                    UINT32_MAX, 0);
    }
    if (curve->max_batch > 0 && c->batch[w] > curve->max_batch)
        csv_fail(t, row, batch, "%s is above the max_batch %lu", csv_text(t, row, batch),
                 (unsigned long)curve->max_batch);
}

/* NAME, or NAME-1, NAME-2, ... of several. */
static void name_worker(balance_cluster *c, size_t row, uint64_t i, uint64_t count)
{
    const csv_table *t = c->file;
    const int column = csv_require(t, "worker");
    const char *text = csv_text(t, row, column);
    name_read(&c->names, t, row, column,
              count > 1 ? tool_text("%s-%lu", text, (unsigned long)i + 1) : text);
}

static void count_workers(balance_cluster *c)
{
    const csv_table *t = c->file;
    uint64_t all = 0, spare = 0;
    for (size_t i = 0; i < t->rows; i++) {
        const uint64_t count = count_of(t, i);
        all += count;
        if (is_spare(t, i)) spare += count;
        if (all > MOST_WORKERS)
            csv_fail(t, i, csv_column(t, "count"), "the counts sum to more than %d workers",
                     (int)MOST_WORKERS);
    }
    if (spare == all) csv_fail(t, 0, csv_column(t, "spare"), "all workers have spare 1: at least "
                                                             "one worker needs spare 0");
    c->workers = (uint32_t)all;
    c->spare = (uint32_t)spare;
}

/* The file at `path`; usage: rows iteration,worker,cpu,memory[,speed], or NULL. What is
 * seeded has the seed of the file plus `seed`. */
static void read_cluster(balance_cluster *c, const char *path, const char *usage, uint64_t seed)
{
    const csv_table *t = c->file = csv_read(path, 0);
    const int name[1] = {csv_require(t, "worker")};
    uint32_t w = 0;
    csv_unique(t, name, 1);
    count_workers(c);
    c->row = (size_t *)tool_alloc(c->workers, sizeof *c->row);
    c->curve = (sgdbal_worker *)tool_alloc(c->workers, sizeof *c->curve);
    c->batch = (uint32_t *)tool_alloc(c->workers, sizeof *c->batch);
    c->speed = (series *)tool_alloc(c->workers, sizeof *c->speed);
    c->cpus = c->uses = 1;
    for (int spare = 0; spare <= 1; spare++)
        for (size_t row = 0; row < t->rows; row++)
            for (uint64_t i = 0; i < count_of(t, row) && is_spare(t, row) == spare; i++, w++) {
                name_worker(c, row, i, count_of(t, row));
                read_worker(c, w, row, i, seed);
            }
    if (usage) read_usage(c, usage);
    if (!c->cpus) c->uses = 0;
}

/* ---- Cluster: times --------------------------------------------------------- */

/* The row of a worker's series in an iteration, or at a time where rows last row_s. */
static const series_row *speed_at(const balance_cluster *c, uint32_t worker, uint64_t iteration,
                                  double now_s)
{
    if (!(c->row_s > 0.0)) return series_at(&c->speed[worker], iteration);
    if (now_s / c->row_s >= 1e18) tool_fail("--row: is too short for a run of %g s: give a longer "
                                            "time", now_s);
    return series_at(&c->speed[worker], (uint64_t)(now_s / c->row_s));
}

/* Callbacks of sgdbal_scheme_run for a balance_cluster *: seconds of a batch, none for a
 * batch of 0, and, for CPUs alone, what a worker has of its machine. */
static double batch_s(void *cluster, uint32_t worker, uint64_t iteration, double start_s,
                      uint32_t samples)
{
    const balance_cluster *c = (const balance_cluster *)cluster;
    if (samples == 0) return 0.0;
    if (c->speed[worker].rows > 0 || c->speed[worker].machine) {
        const double speed = speed_at(c, worker, iteration, start_s)->speed;
        if (!(samples / speed <= DBL_MAX))
            time_is_too_long(c->file, c->row[worker], samples);
        return samples / speed;
    }
    return worker_time_s(&c->curve[worker], samples, c->file, c->row[worker]);
}

static void usage_at(void *cluster, uint32_t worker, uint64_t iteration, double start_s,
                     double *cpu, double *memory)
{
    const series_row *row = speed_at((const balance_cluster *)cluster, worker, iteration, start_s);
    *cpu = row->cpu;
    *memory = row->memory;
}

/* ---- Schemes ------------------------------------------------------------------ */

static const char *const scheme_names[SGDBAL_SCHEME_COUNT] = {
    "bsp", "asp", "ssp", "redundant", "lbbsp", "flexrr"
};

static double sample_s(void *cluster, uint32_t worker, uint64_t iteration, double now_s,
                       uint32_t samples)
{
    const balance_cluster *c = (const balance_cluster *)cluster;
    return samples / speed_at(c, worker, iteration, now_s)->speed;
}

/* A forecaster a worker. */
typedef struct foresight {
    sgdfc_config       config;
    size_t             bytes;      /* of each                                         */
    char              *work;
    sgdfc_forecaster **of;         /* [workers]                                       */
} foresight;

static void foresee_all(foresight *f, const sgdfc_config *config, uint32_t workers)
{
    f->config = *config;
    tool_check_forecast(sgdfc_bytes(config, &f->bytes), scheme_names[SGDBAL_LB_BSP]);
    f->work = (char *)tool_alloc(workers, f->bytes);
    f->of = (sgdfc_forecaster **)tool_alloc(workers, sizeof *f->of);
}

/* sgdbal_forecast_callback */
static double foresee(void *ctx, const sgdbal_known *k)
{
    foresight *f = (foresight *)ctx;
    sgdfc_forecaster **of = &f->of[k->worker];
    const char *what = scheme_names[SGDBAL_LB_BSP];
    double speed = 0.0;
    if (k->iteration == 0) {
        sgdfc_config config = f->config;
        config.seed += k->worker;
        tool_check_forecast(sgdfc_open(&config, f->work + k->worker * f->bytes, f->bytes, of),
                            what);
    }
    if (k->speed > 0.0)
        tool_check_forecast(sgdfc_observe(*of, k->speed, k->cpu[0], k->memory[0]), what);
    (void)sgdfc_predict(*of, k->cpu[1], k->memory[1], &speed);
    return speed;
}

static void allocate(sgdbal_scheme_result *out, uint32_t workers)
{
    memset(out, 0, sizeof *out);
    out->workers.waiting_share = (double *)tool_alloc(workers, sizeof *out->workers.waiting_share);
    out->workers.last_batch = (uint32_t *)tool_alloc(workers, sizeof *out->workers.last_batch);
    out->workers.pushed = (uint64_t *)tool_alloc(workers, sizeof *out->workers.pushed);
}

/* What else could be wrong has been checked. */
TOOL_NORETURN static void fail_large(const scheme_plan *plan, const char *scheme)
{
    const sgdbal_scheme_config *b = &plan->base;
    tool_fail("--scheme %s: times of %s are too large to be added up over %lu iterations, with "
              "--barrier %g s, --update %g s and --migrate %g s", scheme, plan->cluster.file->name,
              (unsigned long)(plan->warmup + plan->iterations), b->barrier_s, b->balance.update_s,
              b->flexrr.migrate_s);
}

/* Batches without room come of the least ones, if there are any. */
static void check(const scheme_plan *plan, sgdbal_scheme scheme, sgdbal_status status)
{
    if (status == SGDBAL_OK) return;
    if (scheme == SGDBAL_LB_BSP && plan->balance.least_batch
        && (status == SGDBAL_NO_ROOM || status == SGDBAL_BAD_WORKER))
        args_fail(OPTION_LEAST_BATCH, NULL, "%s", sgdbal_status_text(status));
    if (status == SGDBAL_BAD_ARGUMENT) fail_large(plan, scheme_names[scheme]);
    tool_fail("--scheme %s: %s", scheme_names[scheme], sgdbal_status_text(status));
}

static void simulate(scheme_plan *plan, sgdbal_scheme scheme, uint32_t workers,
                     sgdbal_scheme_result *out)
{
    balance_cluster *c = &plan->cluster;
    sgdbal_scheme_config config = plan->base;
    foresight f;
    size_t bytes = 0;
    config.scheme = scheme;
    config.workers.count = workers;
    config.length.iterations = plan->iterations;
    config.workers.batch = c->batch;
    config.workers.time_s = batch_s;
    config.workers.ctx = config.balance.forecast.usage_ctx = config.flexrr.ctx = c;
    config.spare = plan->late;
    config.balance.config = &plan->balance;
    if (scheme == SGDBAL_LB_BSP && plan->balance.method == SGDBAL_BY_SPEED) {
        foresee_all(&f, &plan->predictor, workers);
        config.balance.forecast.speed = foresee;
        config.balance.forecast.speed_ctx = &f;
        if (predictor_reads_uses(plan->predictor.kind))
            config.balance.forecast.usage = usage_at;
    }
    if (scheme == SGDBAL_FLEXRR && c->row_s > 0.0 && c->cpus) config.flexrr.sample_s = sample_s;
    allocate(out, workers);
    check(plan, scheme, sgdbal_scheme_run_steady_bytes(&config, plan->warmup, &bytes));
    check(plan, scheme, sgdbal_scheme_run_steady(&config, plan->warmup, tool_alloc(bytes, 1),
                                                 bytes, out));
}

static scheme_worker *workers_of(scheme_outcome *o) { return (scheme_worker *)(void *)(o + 1); }

static void scheme_run(scheme_plan *plan, sgdbal_scheme scheme, scheme_outcome *out)
{
    const int redundant = scheme == SGDBAL_REDUNDANT;
    const uint32_t n = plan->cluster.workers - (redundant ? 0 : plan->cluster.spare);
    const sgdbal_scheme_result *r = &out->is;
    scheme_worker *worker = workers_of(out);
    double sum = 0.0;
    simulate(plan, scheme, n, &out->is);
    out->scheme = scheme;
    out->workers = n;
    out->iteration_s = r->per_update_s * (n - (redundant ? plan->late : 0));
    for (uint32_t w = 0; w < n; w++) {
        worker[w].waiting_share = r->workers.waiting_share[w];
        worker[w].updates = r->workers.pushed[w];
        worker[w].last_batch = r->workers.last_batch[w];
        sum += worker[w].waiting_share;
    }
    out->waiting = sum / n;
}

/* ---- Schemes: several --------------------------------------------------------- */

/* bsp, and then the others that are wanted. */
typedef struct scheme_list {
    scheme_plan  *plan;
    sgdbal_scheme scheme[SGDBAL_SCHEME_COUNT + 1];
    size_t        count;
    char         *outcomes;   /* [count], each of `bytes`                           */
    size_t        bytes;
} scheme_list;

static scheme_outcome *outcome_at(const scheme_list *l, size_t i)
{
    return (scheme_outcome *)(void *)(l->outcomes + i * l->bytes);
}

/* Series that go on by themselves: what a task adds ends with it. */
static void own_series(balance_cluster *c)
{
    const series *from = c->speed;
    c->speed = (series *)tool_alloc(c->workers, sizeof *c->speed);
    for (uint32_t w = 0; w < c->workers; w++) {
        series *to = &c->speed[w];
        *to = from[w];
        to->room = to->rows;
        if (!from[w].machine) continue;
        to->machine = (busy_machine *)tool_alloc(1, sizeof *to->machine);
        *to->machine = *from[w].machine;
    }
}

/* Rows that all schemes will ask for are made once. */
static void make_series(scheme_plan *plan)
{
    balance_cluster *c = &plan->cluster;
    const uint64_t rows = plan->warmup + plan->iterations;
    for (uint32_t w = 0; w < c->workers && !(c->row_s > 0.0); w++)
        if (c->speed[w].machine) (void)series_at(&c->speed[w], rows - 1);
}

/* parallel_task */
static void run_task(void *ctx, size_t i, void *result)
{
    const scheme_list *l = (const scheme_list *)ctx;
    scheme_plan plan = *l->plan;
    own_series(&plan.cluster);
    scheme_run(&plan, l->scheme[i], (scheme_outcome *)result);
}

/* Runs bsp, and each of scheme[count], or fails; at most so many processes are at work.
 * out[count], and *bsp. */
static void schemes_run(scheme_plan *plan, const sgdbal_scheme *scheme, size_t count,
                        size_t processes, scheme_outcome **bsp, scheme_outcome **out)
{
    const double worth = 3e5;          /* some 10 ms: less is done here                */
    const double samples = (double)(plan->warmup + plan->iterations) * plan->cluster.workers;
    double cost[SGDBAL_SCHEME_COUNT + 1];
    scheme_list list = {plan, {SGDBAL_BSP}, 1, NULL, 0};
    size_t i, n = 1;
    for (i = 0; i < count; i++)
        if (scheme[i] != SGDBAL_BSP) list.scheme[list.count++] = scheme[i];
    list.bytes = sizeof(scheme_outcome) + plan->cluster.workers * sizeof(scheme_worker);
    list.outcomes = (char *)tool_alloc(list.count, list.bytes);
    for (i = 0; i < list.count; i++) cost[i] = list.scheme[i] == SGDBAL_FLEXRR ? 4.0 : 1.0;
    if (list.count > 1 && samples * (double)list.count >= worth) {
        make_series(plan);
        parallel_expect(cost);
        parallel_run(list.count, processes, run_task, &list, list.outcomes, list.bytes, "schemes");
    } else {
        for (i = 0; i < list.count; i++) scheme_run(plan, list.scheme[i], outcome_at(&list, i));
    }
    *bsp = outcome_at(&list, 0);
    for (i = 0; i < count; i++) out[i] = scheme[i] == SGDBAL_BSP ? *bsp : outcome_at(&list, n++);
}

/* ---- Options --------------------------------------------------------------- */

/* In the order of the usage line. */
static const sgdbal_scheme in_order[] = {
    SGDBAL_BSP, SGDBAL_ASP, SGDBAL_SSP, SGDBAL_LB_BSP,
    SGDBAL_REDUNDANT, SGDBAL_FLEXRR
};

static size_t read_schemes(const args *a, const balance_cluster *c, sgdbal_scheme *scheme)
{
    char **word, list[128];
    const size_t words = args_words(a, OPTION_SCHEME, &word);
    size_t count = 0;
    if (words == 0 || (words == 1 && strcmp(word[0], "all") == 0)) {
        for (size_t i = 0; i < COUNT_OF(in_order); i++) /* somebody must be waited for */
            if (in_order[i] != SGDBAL_REDUNDANT || c->workers > 1)
                scheme[count++] = in_order[i];
        return count;
    }
    for (size_t i = 0; i < words; i++) {
        const size_t s = words_find(scheme_names, SGDBAL_SCHEME_COUNT, word[i]);
        if (strcmp(word[i], "all") == 0)
            args_fail(OPTION_SCHEME, word[i], "cannot be combined with other schemes");
        if (s == SGDBAL_SCHEME_COUNT)
            args_fail(OPTION_SCHEME, word[i], "is not one of %s, all",
                      words_join(scheme_names, SGDBAL_SCHEME_COUNT, list, sizeof list));
        if (count == SGDBAL_SCHEME_COUNT) args_fail(OPTION_SCHEME, NULL, "names too many schemes");
        scheme[count++] = (sgdbal_scheme)s;
        if (s == SGDBAL_REDUNDANT && c->workers < 2)
            args_fail(OPTION_SCHEME, word[i], "needs at least two workers");
    }
    return count;
}

/* One row for all iterations is none. */
static int has_series(const balance_cluster *c)
{
    uint32_t w = 0;
    while (w < c->workers && c->speed[w].rows <= 1 && !c->speed[w].machine) w++;
    return w < c->workers;
}

static void note_no_task(const args *a, const balance_cluster *c)
{
    uint32_t w = 0;
    while (w < c->workers && !c->speed[w].machine) w++;
    if (w == c->workers && args_given(a, OPTION_TASK_LENGTH))
        tool_note("option-without-effect", "%s has no effect: no worker of %s has seeded tasks, "
                  "a number in column 'series'", NAME_OF(TASK_LENGTH), c->file->name);
}

/* Options of the way to balance that does not run would do nothing. */
static void refuse_others(const args *a, sgdbal_method method)
{
    static const option_id speed[] = {PREDICTOR_OPTIONS, OPTION_LEAST_BATCH};
    static const option_id pairs[] = {PAIRS_OPTIONS};
    if (method == SGDBAL_BY_PAIRS)
        args_refuse(a, speed, COUNT_OF(speed), "needs --balance speed");
    else
        args_refuse(a, pairs, COUNT_OF(pairs), "needs --balance pairs");
}

/* Greater than 0, where the library takes 0 for the default. */
static double positive(const args *a, option_id name, double fallback)
{
    return args_quantity(a, name, UNIT_NONE, NUMBER_POSITIVE, fallback);
}

static void read_spare(scheme_plan *plan, const args *a)
{
    const uint32_t n = plan->cluster.workers;
    plan->late = plan->cluster.spare > 0 ? plan->cluster.spare : n > 2 ? 2 : 1;
    plan->late = (uint32_t)args_integer(a, OPTION_SPARE, 1, UINT32_MAX, plan->late);
    if (args_given(a, OPTION_SPARE) && plan->late >= n)
        args_fail(OPTION_SPARE, args_text(a, OPTION_SPARE, ""), "leaves none of %lu worker%s: give "
                                                                "a smaller number",
                  (unsigned long)n, n == 1 ? "" : "s");
}

static void read_base(scheme_plan *plan, const args *a)
{
    sgdbal_scheme_config *b = &plan->base;
    plan->iterations = args_integer(a, OPTION_ITERATIONS, 1, 1000000000, 1000);
    plan->warmup = args_integer(a, OPTION_WARMUP, 0, 1000000000, 0);
    b->barrier_s = args_number(a, OPTION_BARRIER, 0.0);
    b->balance.update_s = args_number(a, OPTION_UPDATE, 0.0);
    b->flexrr.migrate_s = args_number(a, OPTION_MIGRATE, 0.0);
    b->staleness = (uint32_t)args_integer(a, OPTION_STALENESS, 0, UINT32_MAX, 4);
    b->flexrr.checks = (uint32_t)args_integer(a, OPTION_CHECKS, 1, 1000000, 100);
    b->flexrr.trigger = positive(a, OPTION_TRIGGER, 0.2);
    b->flexrr.shed = positive(a, OPTION_SHED, 0.025);
    if (b->flexrr.shed > 1.0) args_fail(OPTION_SHED, args_text(a, OPTION_SHED, ""), "is above 1");
}

static void read_balance(scheme_plan *plan, const args *a, uint64_t seed)
{
    const balance_cluster *c = &plan->cluster;
    const uint32_t n = c->workers - c->spare;
    sgdbal_balancer_config *balance = &plan->balance;
    uint32_t *most = (uint32_t *)tool_alloc(n, sizeof *most), w;
    const char *predictor = args_text(a, OPTION_PREDICTOR, "");
    predictor_read(&plan->predictor, a);
    if (args_given(a, OPTION_TRAIN) && plan->predictor.kind < SGDFC_ARIMA)
        tool_note("option-without-effect",
                  "--train has no effect on predictor %s, which is not trained",
                  predictor_names[plan->predictor.kind]);
    plan->predictor.seed = seed + 1;
    pairs_read(&balance->pairs, a);
    balance->method = (sgdbal_method)args_word(a, OPTION_BALANCE,
                                               c->cpus ? SGDBAL_BY_SPEED : SGDBAL_BY_PAIRS);
    for (w = 0; w < n; w++) most[w] = c->curve[w].max_batch;
    balance->max_batch = most;
    balance->least_batch = whole_list(a, OPTION_LEAST_BATCH, 0, n);
    plan->base.balance.non_blocking =
        !args_given(a, OPTION_BLOCKING) &&
        (args_given(a, OPTION_NON_BLOCKING) || balance->method != SGDBAL_BY_SPEED);
    if (!predictor_reads_uses(plan->predictor.kind) || balance->method != SGDBAL_BY_SPEED)
        return;
    if (!c->cpus) args_fail(OPTION_PREDICTOR, predictor, "can only be used if all workers have "
                                                         "kind cpu, but the cluster has gpus");
    if (!c->uses)
        args_fail(OPTION_PREDICTOR, predictor, "needs series with columns cpu and memory");
}

/* ---- Printing -------------------------------------------------------------- */

/* What rounding leaves of none is none. */
static double reduction(const scheme_outcome *o, const scheme_outcome *bsp)
{
    const double part = 1.0 - o->is.per_update_s / bsp->is.per_update_s;
    return fabs(part) < 1e-12 ? 0.0 : part;
}

static void print_workers(columns *c, const scheme_plan *plan, scheme_outcome *o)
{
    const scheme_worker *worker = workers_of(o);
    for (size_t w = 0; w < o->workers; w++) {
        columns_row(c);
        column_text(c, TABLES, "scheme", scheme_names[o->scheme]);
        column_text(c, ALL, "worker", names_text(&plan->cluster.names, w));
        column_round(c, TABLES, "waiting", 3, worker[w].waiting_share);
        column_number(c, JSON, "waiting_share", worker[w].waiting_share);
        column_whole(c, ALL, "updates", worker[w].updates);
        column_whole(c, ALL, "last_batch", worker[w].last_batch);
    }
}

static void print_scheme(columns *c, const scheme_outcome *o, const scheme_outcome *bsp)
{
    columns_row(c);
    column_text(c, ALL, "scheme", scheme_names[o->scheme]);
    column_number(c, ALL, "per_update_s", o->is.per_update_s);
    column_number(c, ALL, "iteration_s", o->iteration_s);
    column_number(c, ALL, "samples_per_s", o->is.samples_per_s);
    column_round(c, TABLES, "waiting", 3, o->waiting);
    column_number(c, JSON, "waiting_share", o->waiting);
    column_round(c, TABLES, "staleness", 4, o->is.staleness.mean);
    column_number(c, JSON, "staleness_mean", o->is.staleness.mean);
    column_whole(c, JSON, "staleness_max", o->is.staleness.max);
    column_round(c, ALL, "reduction", 3, reduction(o, bsp));
    column_whole(c, CSV, "staleness_max", o->is.staleness.max);
    column_whole(c, DATA, "handed_over", o->is.handed_over);
    column_number(c, DATA, "prediction_rmse",
                  known_if(o->is.predictions.count > 0, o->is.predictions.rmse));
}

static void print_schemes(output *out, const scheme_plan *plan, scheme_outcome **o,
                          size_t count, const scheme_outcome *bsp)
{
    columns c, workers;
    c = columns_open(out, ALL, "schemes");
    for (size_t i = 0; i < count; i++) {
        print_scheme(&c, o[i], bsp);
        workers = columns_open(out, JSON, "workers");
        print_workers(&workers, plan, o[i]);
        columns_close(&workers);
    }
    columns_close(&c);
}

static void print(output *out, const scheme_plan *plan, scheme_outcome **o, size_t count,
                  const scheme_outcome *bsp, int workers)
{
    json_object(out, NULL);
    json_integer(out, "iterations", plan->iterations);
    json_integer(out, "warmup", plan->warmup);
    if (!workers || out->form != CSV) print_schemes(out, plan, o, count, bsp);
    json_end(out);
    for (size_t i = 0; i < count; i++)
        if (o[i]->is.predictions.count > 0)
            output_print(out, "\n%s predicts speeds within %.4g samples/s (rmse)\n",
                         predictor_names[plan->predictor.kind], o[i]->is.predictions.rmse);
    if (!workers) return;
    output_print(out, "\n");
    columns c = columns_open(out, TABLES, NULL);
    for (size_t i = 0; i < count; i++) print_workers(&c, plan, o[i]);
    columns_close(&c);
}

/* ---- The subcommand -------------------------------------------------------- */

static int run(args *a)
{
    static scheme_plan plan;
    sgdbal_scheme scheme[SGDBAL_SCHEME_COUNT];
    scheme_outcome *outcome[SGDBAL_SCHEME_COUNT], *bsp;
    output out = {.form = args_form(a)};
    size_t processes = parallel_read(a);
    uint64_t seed = args_integer(a, OPTION_SEED, 0, UINT64_MAX, 0);
    read_base(&plan, a);
    plan.cluster.task_length = task_length_read(a);
    read_cluster(&plan.cluster, a->files[0], args_text(a, OPTION_SERIES, NULL), seed);
    plan.cluster.row_s = args_number(a, OPTION_ROW, 0.0);
    note_no_task(a, &plan.cluster);
    if (args_given(a, OPTION_ROW) && !has_series(&plan.cluster))
        args_fail(OPTION_ROW, NULL,
                  "needs a worker whose speeds are a file, named in column series");
    read_spare(&plan, a);
    read_balance(&plan, a, seed);
    size_t count = read_schemes(a, &plan.cluster, scheme);
    refuse_others(a, plan.balance.method);
    schemes_run(&plan, scheme, count, processes, &bsp, outcome);
    print(&out, &plan, outcome, count, bsp, args_given(a, OPTION_PER_WORKER));
    return output_flush(&out, EXIT_DONE);
}

const args_command command_balance_run = {
    "run", NULL, run, uses, COUNT_OF(uses), rules, COUNT_OF(rules), 1, 1, NULL, 0,
    EACH(OPTION_SCHEME, OPTION_ITERATIONS, OPTION_BALANCE, OPTION_PREDICTOR)};
