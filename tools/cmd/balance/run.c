/* run.c - sgdperf balance run: a cluster under coordination schemes */
#include "base/columns.h"
#include "base/output.h"
#include "base/words.h"
#include "cmd/balance/schemes.h"
#include "jobs/parallel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf balance run CLUSTER.csv [--scheme all|bsp|asp|ssp|lbbsp|redundant|flexrr]\n"
    "                           [option ...]\n"
    "\n"
    "Simulates a job on a cluster under coordination schemes, one beside the other. One row a\n"
    "kind of worker (- is stdin):\n"
    "  worker           name; of several NAME-1, NAME-2, ...\n"
    "  count            workers, optional [1]\n"
    "  kind             cpu: a batch of x samples takes x / speed;\n"
    "                   gpu: max(floor_s, launch_s + slope_s x) + communication_s\n"
    "  speed            cpu: samples a second; with tasks beside it, of the idle machine\n"
    "  series           cpu: empty: the speed never changes; a whole number S: tasks of the\n"
    "                   seeds S, S + 1, ... run beside the workers of the row (sgdperf balance\n"
    "                   series prints them); or a file of rows speed[,cpu,memory], in samples\n"
    "                   a second, that starts again when it ends, beside CLUSTER.csv\n"
    "  launch_s, slope_s, floor_s, communication_s\n"
    "                   gpu: seconds, see sgdperf balance gpu\n"
    "  batch            samples of a batch, of the first if they change\n"
    "  max_batch        samples that the memory holds, optional [no limit]\n"
    "  spare            1: only redundant execution has these workers, optional [0]\n"
    "\n"),
    USE(SCHEME), USE_HELP(ITERATIONS, "iterations that count; asp, ssp: as many updates", "1000"),
    USE_AS(WARMUP, AS_TABLE, "N", NULL, "iterations before those that count", "0"), USE(BARRIER),
    USE(STALENESS), USE(SPARE), USE(CHECKS), USE(TRIGGER), USE(SHED), USE(MIGRATE), USE(SERIES),
    USE(ROW), ABOUT("lbbsp:\n"), USE(BALANCE), USE(BLOCKING), USE(NON_BLOCKING),
    USE_HELP(UPDATE, "time that setting batches takes, with --blocking", "0 s"),
    USE_AS(LEAST_BATCH, WHOLE, "N", NULL, "speed: least batch of a worker", "0"),
    ABOUT("the predictor of --balance speed:\n"),
    USE(PREDICTOR), USE(TRAIN), USE(SMOOTHING), USE(EPOCHS), USE(NO_LINE), USE(UNCLAMPED),
    ABOUT("Alg. 2 of --balance pairs, and its constants:\n"),
    USE(RULE), USE_AS(STEP, AS_TABLE, "N", NULL, "samples of a move", "5"), USE(WINDOW),
    USE(FINE_STEP), USE(FINE_WINDOW), ABOUT("\n"),
    USE_HELP(SEED, "is added to the seeds of series, and of networks", "0"), USE(PER_WORKER),
    PARALLEL_USES,
    USE(FORMAT),
    ABOUT(
    "\n"
    "per_update_s: time over gradients pushed; iteration_s: that, for one of each worker that is\n"
    "waited for; waiting: mean share of the time that workers do not compute; staleness: updates\n"
    "between pull and push; reduction: of per_update_s, against bsp; prediction_rmse: error of\n"
    "the predictor in iterations that count, samples a second, mean of the workers that had\n"
    "batches then.\n"
    "\n"
    "Example: two workers, one half as fast\n"
    "  $ printf '%s\\n' worker,kind,speed,batch fast,cpu,100,60 slow,cpu,50,60 |\n"
    "      sgdperf balance run - --scheme bsp,asp,lbbsp --warmup 10\n"
    "  scheme  per_update_s  iteration_s  samples_per_s  waiting  staleness  reduction\n"
    "  bsp              0.6          1.2            100     0.25          0          0\n"
    "  asp           0.3999       0.7998         150.04        0          1      0.333\n"
    "  lbbsp            0.4          0.8            150        0          0      0.333\n"
    "\n"
    "  memoryless predicts speeds within 0 samples/s (rmse)\n")
};

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
    size_t count = 0, i;
    if (words == 0 || (words == 1 && strcmp(word[0], "all") == 0)) {
        for (i = 0; i < COUNT_OF(in_order); i++) /* somebody must be waited for */
            if (in_order[i] != SGDBAL_REDUNDANT || c->workers > 1)
                scheme[count++] = in_order[i];
        return count;
    }
    for (i = 0; i < words; i++) {
        const size_t s = words_find(scheme_names, SGDBAL_SCHEME_COUNT, word[i]);
        if (s == SGDBAL_SCHEME_COUNT)
            args_fail(OPTION_SCHEME, word[i], "is none of all %s",
                      words_join(scheme_names, SGDBAL_SCHEME_COUNT, list, sizeof list));
        if (count == SGDBAL_SCHEME_COUNT) args_fail(OPTION_SCHEME, NULL, "too many");
        scheme[count++] = (sgdbal_scheme)s;
        if (s == SGDBAL_REDUNDANT && c->workers < 2)
            args_fail(OPTION_SCHEME, word[i], "needs two workers");
    }
    return count;
}

static int is_among(const sgdbal_scheme *scheme, size_t count, sgdbal_scheme one)
{
    size_t i = 0;
    while (i < count && scheme[i] != one) i++;
    return i < count;
}

/* One row for all iterations is none. */
static int has_series(const balance_cluster *c)
{
    uint32_t w = 0;
    while (w < c->workers && c->speed[w].rows <= 1 && !c->speed[w].machine) w++;
    return w < c->workers;
}

/* Options of a scheme, or of a way to balance, that does not run would do nothing. */
static void refuse_others(const args *a, const sgdbal_scheme *scheme, size_t count,
                          sgdbal_method method)
{
    static const option_id ssp[] = {OPTION_STALENESS}, redundant[] = {OPTION_SPARE};
    static const option_id flexrr[] = {OPTION_CHECKS, OPTION_TRIGGER, OPTION_SHED, OPTION_MIGRATE};
    static const option_id lbbsp[] = {OPTION_BALANCE, OPTION_BLOCKING, OPTION_NON_BLOCKING,
                                      OPTION_UPDATE};
    static const option_id speed[] = {PREDICTOR_OPTIONS, OPTION_LEAST_BATCH};
    static const option_id pairs[] = {PAIRS_OPTIONS};
    const int balances = is_among(scheme, count, SGDBAL_LB_BSP);
    size_t i;
    if (!is_among(scheme, count, SGDBAL_SSP))
        args_refuse(a, ssp, COUNT_OF(ssp), "is for --scheme ssp");
    if (!is_among(scheme, count, SGDBAL_REDUNDANT))
        args_refuse(a, redundant, COUNT_OF(redundant), "is for --scheme redundant");
    if (!is_among(scheme, count, SGDBAL_FLEXRR))
        args_refuse(a, flexrr, COUNT_OF(flexrr), "is for --scheme flexrr");
    if (!balances) args_refuse(a, lbbsp, COUNT_OF(lbbsp), "is for --scheme lbbsp");
    for (i = 0; i < COUNT_OF(speed) && !(balances && method == SGDBAL_BY_SPEED); i++)
        if (args_given(a, speed[i]))
            args_fail(speed[i], NULL, "is for --scheme lbbsp with --balance speed");
    for (i = 0; i < COUNT_OF(pairs) && !(balances && method == SGDBAL_BY_PAIRS); i++)
        if (args_given(a, pairs[i]))
            args_fail(pairs[i], NULL, "is for --scheme lbbsp with --balance pairs");
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
        args_fail(OPTION_SPARE, args_text(a, OPTION_SPARE, ""), "leaves none of %lu worker%s",
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

static int read_blocking(const args *a, sgdbal_method method)
{
    if (args_given(a, OPTION_BLOCKING) && args_given(a, OPTION_NON_BLOCKING))
        args_fail(OPTION_NON_BLOCKING, NULL, "contradicts --blocking");
    if (args_given(a, OPTION_BLOCKING)) return 1;
    return !args_given(a, OPTION_NON_BLOCKING) && method == SGDBAL_BY_SPEED;
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
                  "--train has no effect on predictor %s, which trains nothing",
                  predictor_names[plan->predictor.kind]);
    plan->predictor.seed = seed + 1;
    pairs_read(&balance->pairs, a);
    balance->method = (sgdbal_method)args_word(a, OPTION_BALANCE,
                                               c->cpus ? SGDBAL_BY_SPEED : SGDBAL_BY_PAIRS);
    for (w = 0; w < n; w++) most[w] = c->curve[w].max_batch;
    balance->max_batch = most;
    balance->least_batch = whole_list(a, OPTION_LEAST_BATCH, 0, n);
    plan->base.balance.non_blocking = !read_blocking(a, balance->method);
    if (!predictor_reads_uses(plan->predictor.kind) || balance->method != SGDBAL_BY_SPEED)
        return;
    if (!c->cpus) args_fail(OPTION_PREDICTOR, predictor, "is for cpus");
    if (!c->uses)
        args_fail(OPTION_PREDICTOR, predictor, "needs series with columns cpu and memory");
}

/* ---- Printing -------------------------------------------------------------- */

/* What rounding leaves of none is none. */
static double reduction(const scheme_outcome *o, const scheme_outcome *bsp)
{
    const double part = 1.0 - o->per_update_s / bsp->per_update_s;
    return fabs(part) < 1e-12 ? 0.0 : part;
}

static void print_workers(columns *c, const scheme_plan *plan, const scheme_outcome *o)
{
    size_t w;
    for (w = 0; w < o->workers; w++) {
        columns_row(c);
        column_text(c, TABLES, "scheme", scheme_names[o->scheme]);
        column_text(c, ALL, "worker", names_text(&plan->cluster.names, w));
        column_round(c, TABLES, "waiting", 3, o->waiting_share[w]);
        column_number(c, JSON, "waiting_share", o->waiting_share[w]);
        column_whole(c, ALL, "updates", o->updates[w]);
        column_whole(c, ALL, "last_batch", o->last_batch[w]);
    }
}

static void print_scheme(columns *c, const scheme_outcome *o, const scheme_outcome *bsp)
{
    columns_row(c);
    column_text(c, ALL, "scheme", scheme_names[o->scheme]);
    column_number(c, ALL, "per_update_s", o->per_update_s);
    column_number(c, ALL, "iteration_s", o->iteration_s);
    column_number(c, ALL, "samples_per_s", o->samples_per_s);
    column_round(c, TABLES, "waiting", 3, o->waiting);
    column_number(c, JSON, "waiting_share", o->waiting);
    column_round(c, TABLES, "staleness", 4, o->staleness);
    column_number(c, JSON, "staleness_mean", o->staleness);
    column_whole(c, JSON, "staleness_max", o->staleness_max);
    column_round(c, ALL, "reduction", 3, reduction(o, bsp));
    column_whole(c, CSV, "staleness_max", o->staleness_max);
    column_whole(c, DATA, "handed_over", o->handed_over);
    column_number(c, DATA, "prediction_rmse", o->prediction_rmse);
}

static void print_all_workers(output *out, const scheme_plan *plan, const scheme_outcome *o,
                              size_t count)
{
    columns c;
    size_t i;
    columns_open(&c, out, TABLES, NULL);
    for (i = 0; i < count; i++) print_workers(&c, plan, &o[i]);
    columns_close(&c);
}

static void print_schemes(output *out, const scheme_plan *plan, const scheme_outcome *o,
                          size_t count, const scheme_outcome *bsp)
{
    columns c, workers;
    size_t i;
    columns_open(&c, out, ALL, "schemes");
    for (i = 0; i < count; i++) {
        print_scheme(&c, &o[i], bsp);
        columns_open(&workers, out, JSON, "workers");
        print_workers(&workers, plan, &o[i]);
        columns_close(&workers);
    }
    columns_close(&c);
}

static void print(output *out, const scheme_plan *plan, const scheme_outcome *o, size_t count,
                  const scheme_outcome *bsp, int workers)
{
    size_t i;
    json_object(out, NULL);
    json_integer(out, "iterations", plan->iterations);
    json_integer(out, "warmup", plan->warmup);
    if (!workers || out->form != CSV) print_schemes(out, plan, o, count, bsp);
    json_end(out);
    for (i = 0; i < count; i++)
        if (o[i].prediction_rmse >= 0.0)
            output_print(out, "\n%s predicts speeds within %.4g samples/s (rmse)\n",
                         predictor_names[plan->predictor.kind], o[i].prediction_rmse);
    if (!workers) return;
    output_print(out, "\n");
    print_all_workers(out, plan, o, count);
}

/* ---- The subcommand -------------------------------------------------------- */

static int run(args *a)
{
    static scheme_plan plan;
    sgdbal_scheme scheme[SGDBAL_SCHEME_COUNT];
    scheme_outcome outcome[SGDBAL_SCHEME_COUNT], bsp;
    output out = {0};
    uint64_t seed;
    size_t count, processes;
    processes = parallel_read(a);
    seed = args_integer(a, OPTION_SEED, 0, UINT64_MAX, 0);
    read_base(&plan, a);
    balance_cluster_read(&plan.cluster, a->files[0], args_text(a, OPTION_SERIES, NULL), seed);
    plan.cluster.row_s = args_number(a, OPTION_ROW, 0.0);
    if (args_given(a, OPTION_ROW) && !has_series(&plan.cluster))
        args_fail(OPTION_ROW, NULL, "needs a series");
    read_spare(&plan, a);
    read_balance(&plan, a, seed);
    count = read_schemes(a, &plan.cluster, scheme);
    refuse_others(a, scheme, count, plan.balance.method);
    schemes_run(&plan, scheme, count, processes, &bsp, outcome);
    out.form = args_form(a);
    print(&out, &plan, outcome, count, &bsp, args_given(a, OPTION_PER_WORKER));
    return output_flush(&out, EXIT_DONE);
}

const args_command command_balance_run = {"run", NULL, run, uses,
                                          COUNT_OF(uses), NULL, 0, 1, 1, NULL, 0};
