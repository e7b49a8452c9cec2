/* gpu.c - sgdperf balance gpu: samples from the slowest worker to the fastest */
#include "base/columns.h"
#include "base/words.h"
#include "cmd/balance/balance.h"
#include "files/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf balance gpu --curves CURVES.csv --start X1,X2,... [option ...]\n"
    "\n"
    "Moves samples from the slowest worker to the fastest, iteration after iteration,\n"
    "until all take the same time (Algorithm 2 of LB-BSP).\n"
    "\n"
    "A batch of x samples takes a worker\n"
    "  max(floor_s, launch_s + slope_s x) + communication_s\n"
    "CURVES.csv (- is stdin) has one row per worker and the columns\n"
    "  worker           name\n"
    "  launch_s         seconds that a batch takes however small it is\n"
    "  slope_s          seconds per sample\n"
    "  floor_s          least seconds of a batch, which does not fill the worker\n"
    "  communication_s  seconds that do not depend on the batch\n"
    "  max_batch        samples that its memory holds, optional [no limit]\n"
    "\n"
    "The workers\n"),
    USE_AS(CURVES, PATH, NULL, NULL, "table of the workers' time curves, see above; required",
           NULL),
    USE(START),
    USE(ITERATIONS), USE(CHANGE),
    HEADING("Algorithm 2"),
    USE(RULE),
    USE_AS(STEP, AS_TABLE, "N", NULL, "number of samples per move", "5"),
    USE(WINDOW),
    USE(FINE_STEP), USE(FINE_WINDOW),
    HEADING("Output"),
    RANKS_FORMAT("output format: table, csv (all iterations), json or ranks (column optimum)"),
    ABOUT(
    "\n"
    "Prints the batches after the last iteration beside the best there are. trace has\n"
    "the batches after the update that follows each iteration. A worker may be so\n"
    "slow that it is best removed; then the shortest iteration of all workers stands\n"
    "beside that without it. ranks: rows rank,batch,gradient_weight of column\n"
    "optimum, as balance cpu --help explains; rank i is the i-th worker of --curves.\n"),
    ABOUT(
    "\n"
    "Example\n"
    "  $ printf '%s\\n' worker,launch_s,slope_s,floor_s,communication_s \\\n"
    "      fast,0.3,0.01,0,0.1 slow,0.5,0.04,0,0.1 | sgdperf balance gpu --curves \\\n"
    "      - --start 32,32\n"
    "  worker  batch  time_s  optimum\n"
    "  fast       55    0.95       55\n"
    "  slow        9    0.96        9\n"
    "\n"
    "  iteration 0.96 s, optimum 0.96 s; mean of 120 iterations 1.014 s\n")
};

static const option_rule rules[] = {MISSING(ONE(CURVES)), MISSING(ONE(START))};

typedef struct curve_change {
    uint64_t after;           /* iteration, from 1                                  */
    size_t   worker;
    size_t   column;          /* of curve_columns                                   */
    double   value_s;
} curve_change;

static const char *const curve_columns[] = {
    "launch_s", "slope_s", "floor_s", "communication_s"
};

typedef struct gpu_run {
    const csv_table *file;
    name_index       names;
    sgdbal_worker *curve;   /* [workers] as they are now                          */
    size_t           workers;
    uint32_t        *start;   /* [workers]                                          */
    uint64_t         total;
    curve_change    *change;
    size_t           changes;
    uint64_t         iterations;
    const uint32_t **batch;   /* [iterations + 1][workers] of them, and of the next */
    double         **time_s;  /* [iterations][workers]                              */
    double           mean_s, optimum_s;
    uint32_t        *best;    /* [workers] of the shortest iteration                */
    int              removes; /* a worker was found to be best removed, last ...    */
    uint64_t         removed_after; /* ... in this iteration, from 1                */
    size_t           removed;
    double           without_s; /* the optimum of the others; 0: they do not hold it all */
} gpu_run;

/* ---- Reading --------------------------------------------------------------- */

static void read_start(gpu_run *g, const args *a)
{
    uint64_t most = 0;
    int limited = 1;
    g->start = whole_list(a, OPTION_START, 1, g->workers);
    for (size_t i = 0; i < g->workers; i++) {
        const uint32_t max_batch = g->curve[i].max_batch;
        g->total += g->start[i];
        most += max_batch;
        if (max_batch == 0) limited = 0;
    }
    if (limited && g->total > most)
        args_fail(OPTION_START, NULL, "the batches of --start add up to %lu samples, but the "
                                      "max_batch of all workers to only %lu: give smaller batches",
                  (unsigned long)g->total, (unsigned long)most);
    for (size_t i = 0; i < g->workers; i++)
        if (g->curve[i].max_batch > 0 && g->start[i] > g->curve[i].max_batch)
            args_fail(OPTION_START, NULL, "%lu is above the max_batch %lu of worker '%s'",
                      (unsigned long)g->start[i], (unsigned long)g->curve[i].max_batch,
                      names_text(&g->names, i));
}

static void read_changes(gpu_run *g, const args *a)
{
    g->changes = args_count(a, OPTION_CHANGE);
    g->change = (curve_change *)tool_alloc(g->changes, sizeof *g->change);
    for (size_t i = 0; i < g->changes; i++) {
        const char *text = args_at(a, OPTION_CHANGE, i), *wrong;
        curve_change *c = &g->change[i];
        char **part, **side;
        if (args_split(text, ':', &part) != 3 || args_split(part[2], '=', &side) != 2)
            args_fail(OPTION_CHANGE, text, "is not K:WORKER:COLUMN=SECONDS");
        wrong = number_whole(part[0], 0, UINT64_MAX, &c->after);
        if (wrong) args_fail(OPTION_CHANGE, part[0], "%s", wrong);
        if (c->after > g->iterations)
            args_fail(OPTION_CHANGE, part[0], "is after the last of %lu iterations",
                      (unsigned long)g->iterations);
        c->worker = names_find(&g->names, part[1]);
        if (c->worker == g->workers) args_fail(OPTION_CHANGE, part[1], "is not a worker of %s",
                                               NAME_OF(CURVES));
        c->column = words_find(curve_columns, COUNT_OF(curve_columns), side[0]);
        if (c->column == COUNT_OF(curve_columns))
            args_fail(OPTION_CHANGE, side[0],
                      "is not one of launch_s, slope_s, floor_s, communication_s");
        wrong = number_quantity(side[1], UNIT_TIME, NUMBER_NON_NEGATIVE, &c->value_s);
        if (wrong) args_fail(OPTION_CHANGE, side[1], "%s", wrong);
    }
}

static void read_workers(gpu_run *g, const args *a)
{
    const csv_table *t = g->file = csv_read(args_text(a, OPTION_CURVES, ""), 0);
    int name = csv_require(t, "worker");
    g->workers = t->rows;
    g->curve = (sgdbal_worker *)tool_alloc(t->rows, sizeof *g->curve);
    for (size_t i = 0; i < t->rows; i++) {
        name_read(&g->names, t, i, name, csv_text(t, i, name));
        worker_read(t, i, &g->curve[i]);
    }
}

/* ---- Running --------------------------------------------------------------- */

static void apply_changes(gpu_run *g, uint64_t after)
{
    for (size_t i = 0; i < g->changes; i++) {
        const curve_change *c = &g->change[i];
        sgdbal_worker *w = &g->curve[c->worker];
        double *const time_s[] = {&w->launch_s, &w->slope_s, &w->floor_s, &w->communication_s};
        if (c->after != after) continue;
        *time_s[c->column] = c->value_s;
        if (!(w->slope_s > 0.0 || w->floor_s > 0.0))
            args_fail(OPTION_CHANGE, names_text(&g->names, c->worker),
                      "has neither slope_s nor floor_s after iteration %lu",
                      (unsigned long)after);
    }
}

/* Iterations, with the batches that `b` decides after each. */
static void run(gpu_run *g, sgdbal_balancer *b)
{
    uint64_t k;
    g->batch = (const uint32_t **)tool_alloc(g->iterations + 1, sizeof *g->batch);
    g->time_s = (double **)tool_alloc(g->iterations, sizeof *g->time_s);
    g->batch[0] = g->start;
    for (k = 0; k < g->iterations; k++) {
        uint32_t *next = (uint32_t *)tool_alloc(g->workers, sizeof *next);
        sgdbal_iteration iteration = {0};
        sgdbal_decision decision;
        apply_changes(g, k);
        g->time_s[k] = (double *)tool_alloc(g->workers, sizeof **g->time_s);
        for (size_t i = 0; i < g->workers; i++)
            g->time_s[k][i] = worker_time_s(&g->curve[i], g->batch[k][i], g->file, i);
        iteration.time_s = g->time_s[k];
        tool_check_balance(sgdbal_balancer_step(b, &iteration, next, &decision), g->file->name);
        g->batch[k + 1] = next;
        if (decision.verdict != SGDBAL_STRAGGLER_TOO_SLOW) continue;
        g->removes = 1;
        g->removed_after = k + 1;
        g->removed = decision.straggler;
    }
    apply_changes(g, k);
}

/* The shortest iteration of the workers, without one of them unless it is `workers`;
 * 0 if the others cannot hold all samples. batch[workers] may be NULL. */
static double optimum_without(const gpu_run *g, size_t without, uint32_t *batch)
{
    sgdbal_worker *some = (sgdbal_worker *)tool_alloc(g->workers, sizeof *some);
    uint32_t *best = (uint32_t *)tool_alloc(g->workers, sizeof *best);
    double time_s = 0.0;
    size_t n = 0;
    for (size_t i = 0; i < g->workers; i++) if (i != without) some[n++] = g->curve[i];
    sgdbal_status status = sgdbal_batches_optimal(some, n, g->total, 0, best, &time_s);
    if (status == SGDBAL_NO_ROOM) return 0.0;
    tool_check_balance(status, g->file->name);
    if (batch) memcpy(batch, best, n * sizeof *batch);
    return time_s;
}

static double longest(const double *time_s, size_t count)
{
    double most = 0.0;
    for (size_t i = 0; i < count; i++) if (time_s[i] > most) most = time_s[i];
    return most;
}

static double mean_s(const gpu_run *g)
{
    const double n = (double)g->iterations;
    double sum = 0.0, mean = 0.0;
    for (uint64_t k = 0; k < g->iterations; k++) {
        const double time_s = longest(g->time_s[k], g->workers);
        sum += time_s;
        mean += time_s / n;
    }
    return sum <= DBL_MAX ? sum / n : fmin(mean, DBL_MAX);
}

static void judge(gpu_run *g)
{
    g->mean_s = mean_s(g);
    g->best = (uint32_t *)tool_alloc(g->workers, sizeof *g->best);
    g->optimum_s = optimum_without(g, g->workers, g->best);
    if (g->removes) g->without_s = optimum_without(g, g->removed, NULL);
}

/* ---- Printing -------------------------------------------------------------- */

static void print_json(output *out, const gpu_run *g)
{
    json_object(out, NULL);
    json_batches(out, "batches", g->batch[g->iterations], g->workers);
    json_array(out, "trace");
    for (uint64_t k = 1; k <= g->iterations; k++) json_batches(out, NULL, g->batch[k], g->workers);
    json_end(out);
    json_array(out, "times_s");
    for (uint64_t k = 0; k < g->iterations; k++) json_numbers(out, NULL, g->time_s[k], g->workers);
    json_end(out);
    json_number(out, "mean_iteration_s", g->mean_s);
    json_number(out, "optimum_s", g->optimum_s);
    json_batches(out, "optimum", g->best, g->workers);
    if (!g->removes) json_null(out, "remove");
    else {
        json_object(out, "remove");
        json_string(out, "worker", names_text(&g->names, g->removed));
        json_integer(out, "iteration", g->removed_after);
        json_number(out, "optimum_without_s", known_if(g->without_s > 0.0, g->without_s));
        json_end(out);
    }
    json_end(out);
}

static void print_iterations(output *out, const gpu_run *g)
{
    columns c = columns_open(out, CSV, NULL);
    for (uint64_t k = 0; k < g->iterations; k++)
        for (size_t i = 0; i < g->workers; i++) {
            columns_row(&c);
            column_whole(&c, ALL, "iteration", k + 1);
            column_text(&c, ALL, "worker", names_text(&g->names, i));
            column_whole(&c, ALL, "batch", g->batch[k][i]);
            column_number(&c, ALL, "time_s", g->time_s[k][i]);
        }
    columns_close(&c);
}

static void print_human(output *out, const gpu_run *g)
{
    double *time_s = (double *)tool_alloc(g->workers, sizeof *time_s);
    columns c = columns_open(out, SCREEN, NULL);
    for (size_t i = 0; columns_next(&c, i < g->workers); i++) {
        const uint32_t batch = g->batch[g->iterations][i];
        time_s[i] = worker_time_s(&g->curve[i], batch, g->file, i);
        column_text(&c, ALL, "worker", names_text(&g->names, i));
        column_whole(&c, ALL, "batch", batch);
        column_number(&c, ALL, "time_s", time_s[i]);
        column_whole(&c, ALL, "optimum", g->best[i]);
    }
    output_print(out, "\niteration %.5g s, optimum %.5g s; mean of %lu iteration%s %.5g s\n",
                 longest(time_s, g->workers), g->optimum_s, (unsigned long)g->iterations,
                 g->iterations == 1 ? "" : "s", g->mean_s);
    if (!g->removes) return;
    output_print(out, "after iteration %lu '%s' had no more than a step: ",
                 (unsigned long)g->removed_after, names_text(&g->names, g->removed));
    if (g->without_s > 0.0)
        output_print(out, "the optimum without it is %.5g s\n", g->without_s);
    else output_print(out, "the others do not hold its samples\n");
}

/* ---- The subcommand -------------------------------------------------------- */

static int run_command(args *a)
{
    static gpu_run g;
    sgdbal_balancer_config config = {0};
    sgdbal_balancer *balancer;
    output out = {.form = args_form(a)};
    size_t bytes = 0;
    g.iterations = args_integer(a, OPTION_ITERATIONS, 1, 10000000, 120);
    pairs_read(&config.pairs, a);
    read_workers(&g, a);
    read_start(&g, a);
    read_changes(&g, a);
    uint32_t *most = (uint32_t *)tool_alloc(g.workers, sizeof *most);
    for (size_t i = 0; i < g.workers; i++) most[i] = g.curve[i].max_batch;
    config.method = SGDBAL_BY_PAIRS;
    config.workers = g.workers;
    config.start = g.start;
    config.max_batch = most;
    tool_check_balance(sgdbal_balancer_bytes(&config, &bytes), NAME_OF(START));
    tool_check_balance(sgdbal_balancer_open(&config, tool_alloc(bytes, 1), bytes, &balancer),
                       NAME_OF(START));
    run(&g, balancer);
    judge(&g);
    if (ranks_print(&out, a, g.best, g.workers)) return output_flush(&out, EXIT_DONE);
    if (out.form == JSON) print_json(&out, &g);
    else if (out.form == CSV) print_iterations(&out, &g);
    else print_human(&out, &g);
    return output_flush(&out, EXIT_DONE);
}

const args_command command_balance_gpu = {
    "gpu", NULL, run_command, uses, COUNT_OF(uses), rules, COUNT_OF(rules), 0, 0, NULL, 0,
    EACH(OPTION_CURVES, OPTION_START, OPTION_ITERATIONS, OPTION_RULE)};
