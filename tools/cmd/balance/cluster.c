/* cluster.c - files of sgdperf balance run */
#include "cmd/balance/cluster.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

enum { BALANCE_MOST_WORKERS = 100000 };

typedef enum worker_kind { WORKER_CPU = 0, WORKER_GPU, WORKER_KINDS } worker_kind;

static const char *const kind_names[WORKER_KINDS] = {"cpu", "gpu"};

static uint64_t count_of(const csv_table *t, size_t row)
{
    return csv_integer_or(t, row, csv_column(t, "count"), 1, BALANCE_MOST_WORKERS, 1);
}

static int is_spare(const csv_table *t, size_t row)
{
    return (int)csv_integer_or(t, row, csv_column(t, "spare"), 0, 1, 0);
}

/* ---- Series ---------------------------------------------------------------- */

/* A path is one from the folder of the cluster's file. */
static const char *beside(const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');
    const size_t folder = slash && path[0] != '/' ? (size_t)(slash - file) + 1 : 0;
    const size_t bytes = strlen(path) + 1;
    char *joined = (char *)tool_alloc(folder + bytes, 1);
    memcpy(joined, file, folder);
    memcpy(joined + folder, path, bytes);
    return joined;
}

/* The number i worker of a row: a constant speed, seeded tasks, or a file's speeds. */
static void read_speed(balance_cluster *c, size_t row, uint64_t i, uint64_t seed, series *s)
{
    const csv_table *t = c->file;
    const int speed = csv_column(t, "speed"), from = csv_column(t, "series");
    const char *text = csv_is_empty(t, row, from) ? "" : csv_text(t, row, from);
    uint64_t number = 0;
    series_row constant = {0.0, 1.0, 1.0};
    if (*text != '\0' && number_whole(text, 0, UINT64_MAX, &number) != NULL) {
        if (!csv_is_empty(t, row, speed))
            csv_fail(t, row, speed, "%s, but '%s' has speeds", csv_text(t, row, speed), text);
        t = series_read(s, beside(t->name, text), NUMBER_POSITIVE, 0);
        if (csv_column(t, "cpu") == CSV_NONE || csv_column(t, "memory") == CSV_NONE)
            c->uses = 0;
        return;
    }
    constant.speed = csv_number(t, row, csv_require(t, "speed"), NUMBER_POSITIVE);
    if (*text == '\0') series_add(s, &constant);
    else series_generate(s, number + i + seed, constant.speed);
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
        csv_fail(t, row, at->worker, "'%s' is no worker of %s", csv_text(t, row, at->worker),
                 c->file->name);
    if (!(idle[w] > 0.0))
        csv_fail(t, row, at->worker, "'%s' is a gpu, or has a series",
                 csv_text(t, row, at->worker));
    if (k != c->speed[w].rows)
        csv_fail(t, row, at->iteration, "%s, but %lu is the next of '%s'",
                 csv_text(t, row, at->iteration), (unsigned long)c->speed[w].rows,
                 csv_text(t, row, at->worker));
    next.cpu = csv_number(t, row, at->cpu, NUMBER_NON_NEGATIVE);
    next.memory = csv_number(t, row, at->memory, NUMBER_NON_NEGATIVE);
    next.speed = at->speed != CSV_NONE ? csv_number(t, row, at->speed, NUMBER_POSITIVE)
                                       : busy_speed(idle[w], next.cpu, next.memory);
    if (!(next.speed > 0.0)) csv_fail(t, row, at->cpu, "the worker would stand still");
    series_add(&c->speed[w], &next);
}

/* Rows iteration,worker,cpu,memory[,speed] take the place of constant speeds. */
static void read_usage(balance_cluster *c, const char *path)
{
    const csv_table *t = csv_read(path, 0);
    double *idle = (double *)tool_alloc(c->workers, sizeof *idle);
    series_row *constant = (series_row *)tool_alloc(c->workers, sizeof *constant);
    usage_columns at;
    size_t i;
    at.iteration = csv_require(t, "iteration");
    at.worker = csv_require(t, "worker");
    at.cpu = csv_require(t, "cpu");
    at.memory = csv_require(t, "memory");
    at.speed = csv_column(t, "speed");
    for (i = 0; i < c->workers; i++) {
        if (c->speed[i].machine || c->speed[i].rows != 1) continue;
        constant[i] = c->speed[i].row[0];
        idle[i] = constant[i].speed;
        c->speed[i].rows = 0;
    }
    for (i = 0; i < t->rows; i++) add_usage(c, t, i, idle, &at);
    for (i = 0; i < c->workers; i++)
        if (idle[i] > 0.0 && c->speed[i].rows == 0) series_add(&c->speed[i], &constant[i]);
}

/* ---- Workers --------------------------------------------------------------- */

/* Cells that belong to the other kind of worker are empty, or 0. */
static void refuse_cells(const csv_table *t, size_t row, const char *kind,
                         const char *const *names, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        const int column = csv_column(t, names[i]);
        double value = 1.0;
        if (csv_is_empty(t, row, column)) continue;
        (void)number_parse(csv_text(t, row, column), NUMBER_NON_NEGATIVE, &value);
        if (value > 0.0)
            csv_fail(t, row, column, "%s, but a %s has none", csv_text(t, row, column), kind);
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
    const size_t bytes = strlen(text) + 32;
    char *name = (char *)tool_alloc(bytes, 1);
    size_t number;
    if (*text == '\0') csv_fail(t, row, column, "the cell is empty");
    snprintf(name, bytes, count > 1 ? "%s-%lu" : "%s", text, (unsigned long)i + 1);
    switch (names_add(&c->names, name, strlen(name), &number)) {
    case NAMES_FULL: tool_fail("%s: out of memory", t->name);
    case NAMES_KNOWN: csv_fail(t, row, column, "'%s' occurs twice", name);
    default: break;
    }
}

static void count_workers(balance_cluster *c)
{
    const csv_table *t = c->file;
    uint64_t all = 0, spare = 0;
    size_t i;
    for (i = 0; i < t->rows; i++) {
        const uint64_t count = count_of(t, i);
        all += count;
        if (is_spare(t, i)) spare += count;
        if (all > BALANCE_MOST_WORKERS)
            csv_fail(t, i, csv_column(t, "count"), "more than %d workers in all",
                     (int)BALANCE_MOST_WORKERS);
    }
    if (spare == all) csv_fail(t, 0, csv_column(t, "spare"), "all workers are spare ones");
    c->workers = (uint32_t)all;
    c->spare = (uint32_t)spare;
}

void balance_cluster_read(balance_cluster *c, const char *path, const char *usage,
                          uint64_t seed)
{
    const csv_table *t = c->file = csv_read(path, 0);
    const int name[1] = {csv_require(t, "worker")};
    uint32_t w = 0;
    uint64_t i;
    size_t row;
    int spare;
    csv_unique(t, name, 1);
    count_workers(c);
    c->row = (size_t *)tool_alloc(c->workers, sizeof *c->row);
    c->curve = (sgdbal_worker *)tool_alloc(c->workers, sizeof *c->curve);
    c->batch = (uint32_t *)tool_alloc(c->workers, sizeof *c->batch);
    c->speed = (series *)tool_alloc(c->workers, sizeof *c->speed);
    c->cpus = c->uses = 1;
    for (spare = 0; spare <= 1; spare++)
        for (row = 0; row < t->rows; row++)
            for (i = 0; i < count_of(t, row) && is_spare(t, row) == spare; i++, w++) {
                name_worker(c, row, i, count_of(t, row));
                read_worker(c, w, row, i, seed);
            }
    if (usage) read_usage(c, usage);
    if (!c->cpus) c->uses = 0;
}

/* ---- Times ----------------------------------------------------------------- */

const series_row *balance_cluster_speed(const balance_cluster *c, uint32_t worker,
                                        uint64_t iteration, double now_s)
{
    if (!(c->row_s > 0.0)) return series_at(&c->speed[worker], iteration);
    if (now_s / c->row_s >= 1e18) tool_fail("--row: too short for a run of %g s", now_s);
    return series_at(&c->speed[worker], (uint64_t)(now_s / c->row_s));
}

double balance_cluster_batch_s(void *cluster, uint32_t worker, uint64_t iteration,
                               double start_s, uint32_t samples)
{
    const balance_cluster *c = (const balance_cluster *)cluster;
    if (samples == 0) return 0.0;
    if (c->speed[worker].rows > 0 || c->speed[worker].machine) {
        const double speed = balance_cluster_speed(c, worker, iteration, start_s)->speed;
        if (!(samples / speed <= DBL_MAX))
            time_is_too_long(c->file, c->row[worker], samples);
        return samples / speed;
    }
    return worker_time_s(&c->curve[worker], samples, c->file, c->row[worker]);
}

void balance_cluster_usage(void *cluster, uint32_t worker, uint64_t iteration, double start_s,
                           double *cpu, double *memory)
{
    const series_row *row = balance_cluster_speed((const balance_cluster *)cluster, worker,
                                                  iteration, start_s);
    *cpu = row->cpu;
    *memory = row->memory;
}
