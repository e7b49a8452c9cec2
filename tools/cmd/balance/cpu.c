/* cpu.c - sgdperf balance cpu: batches in proportion to speeds */
#include "base/columns.h"
#include "cmd/balance/balance.h"
#include "files/status.h"

#include <math.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf balance cpu --speeds V1,V2,... --total X [option ...]\n"
    "\n"
    "Shares X samples among workers in proportion to their speeds.\n"
    "\n"
    "This is Algorithm 1 of LB-BSP: shares are rounded down, then the largest\n"
    "remainders get one sample more, the first worker among equals. Speeds that are\n"
    "all 0 count as equal. Column optimum has the batches whose longest takes the\n"
    "least time.\n"
    "\n"
    "What to share\n"),
    USE(SPEEDS), USE(TOTAL), USE(LEAST_BATCH), USE(MAX_BATCH),
    HEADING("Output"),
    RANKS_FORMAT("output format: table, csv, json or ranks (of column optimum; see Ranks)"),
    SECTION("Ranks",
    "  Rows rank,batch,gradient_weight, as a launcher reads them. Rank i is worker i.\n"
    "  A rank multiplies its mean gradient by its weight before the all-reduce that\n"
    "  takes the mean of all ranks: the result is the mean over all samples.\n"),
    SECTION("Example: the second worker holds no more than 10 samples",
    "  $ sgdperf balance cpu --speeds 3.3,1.1,5.6 --total 128 --max-batch 128,10,128\n"
    "  worker  speed  batch  optimum\n"
    "       0    3.3     44       44\n"
    "       1    1.1     10       10\n"
    "       2    5.6     74       74\n")
};

static const option_rule rules[] = {MISSING(ONE(SPEEDS)), MISSING(ONE(TOTAL))};

/* The workers of positive speed: their time curves from the least batch of each on. */
typedef struct cpu_curves {
    sgdbal_worker *curve;
    size_t        *worker, count;
} cpu_curves;

static double longest(const cpu_curves *c, const uint32_t *batch)
{
    double most = 0.0;
    for (size_t i = 0; i < c->count; i++)
        most = fmax(most, c->curve[i].slope_s * batch[c->worker[i]]);
    return most;
}

/* The batches whose longest takes the least time. Without a speed a worker keeps its batch of
 * Algorithm 1. A note says by how much the latter is longer. */
static void find_optimum(const sgdbal_shares *of, const uint32_t *batch, uint32_t *best)
{
    cpu_curves c = {0};
    uint32_t *more = (uint32_t *)tool_alloc(of->workers, sizeof *more);
    uint64_t left = of->total;
    double fastest = 0.0, time_s;
    c.curve = (sgdbal_worker *)tool_alloc(of->workers, sizeof *c.curve);
    c.worker = (size_t *)tool_alloc(of->workers, sizeof *c.worker);
    for (size_t i = 0; i < of->workers; i++) fastest = fmax(fastest, of->speed[i]);
    for (size_t i = 0; i < of->workers; i++) {
        const uint32_t least = of->least_batch ? of->least_batch[i] : 0;
        const uint32_t most = of->max_batch ? of->max_batch[i] : UINT32_MAX;
        const int slow = !(of->speed[i] > fastest * 1e-200) || most == least;
        best[i] = slow ? batch[i] : least;
        left -= best[i];
        if (slow) continue;
        c.curve[c.count].slope_s = fastest / of->speed[i];
        c.curve[c.count].launch_s = c.curve[c.count].slope_s * least;
        c.curve[c.count].max_batch = most - least;
        c.worker[c.count++] = i;
    }
    if (left == 0) return;
    tool_check_balance(sgdbal_batches_optimal(c.curve, c.count, left, 0, more, &time_s),
                       NAME_OF(TOTAL));
    for (size_t i = 0; i < c.count; i++) best[c.worker[i]] += more[i];
    time_s = longest(&c, best);
    if (longest(&c, batch) > 1.1 * time_s)
        tool_note("approximated", "an iteration with the batches of Algorithm 1 takes %.3g times "
                                  "as long as with those of column 'optimum', as batches are "
                                  "rounded: use column 'optimum'", longest(&c, batch) / time_s);
}

static void print(output *out, const double *speed, const uint32_t *batch, const uint32_t *best,
                  size_t workers)
{
    json_object(out, NULL);
    json_batches(out, "batches", batch, workers);
    json_batches(out, "optimum", best, workers);
    json_end(out);
    columns c = columns_open(out, TABLES, NULL);
    for (size_t i = 0; columns_next(&c, i < workers); i++) {
        column_whole(&c, ALL, "worker", i);
        column_number(&c, ALL, "speed", speed[i]);
        column_whole(&c, ALL, "batch", batch[i]);
        column_whole(&c, ALL, "optimum", best[i]);
    }
}

static int run(args *a)
{
    output out = {.form = args_form(a)};
    double *speed;
    sgdbal_shares shares;
    size_t workers, bytes = 0;
    workers = args_numbers(a, OPTION_SPEEDS, &speed);
    uint64_t total = args_integer(a, OPTION_TOTAL, 1, UINT32_MAX, 0);
    const uint32_t *least = whole_list(a, OPTION_LEAST_BATCH, 0, workers);
    const uint32_t *most = whole_list(a, OPTION_MAX_BATCH, 1, workers);
    for (size_t i = 0; least && most && i < workers; i++)
        if (least[i] > most[i])
            args_fail(OPTION_LEAST_BATCH, NULL, "%lu is more than --max-batch %lu",
                      (unsigned long)least[i], (unsigned long)most[i]);
    uint32_t *batch = (uint32_t *)tool_alloc(workers, sizeof *batch);
    uint32_t *best = (uint32_t *)tool_alloc(workers, sizeof *best);
    shares.speed = speed;
    shares.least_batch = least;
    shares.max_batch = most;
    shares.workers = workers;
    shares.total = total;
    tool_check_balance(sgdbal_batches_proportional_bytes(&shares, &bytes), NAME_OF(SPEEDS));
    tool_check_balance(sgdbal_batches_proportional(&shares, tool_alloc(bytes, 1), bytes, batch),
                       NAME_OF(TOTAL));
    find_optimum(&shares, batch, best);
    if (!ranks_print(&out, a, best, workers)) print(&out, speed, batch, best, workers);
    return output_flush(&out, EXIT_DONE);
}

const args_command command_balance_cpu = {"cpu", NULL, run, uses,
                                          COUNT_OF(uses), rules, COUNT_OF(rules), 0, 0, NULL, 0,
                                          EACH(OPTION_SPEEDS, OPTION_TOTAL, OPTION_MAX_BATCH)};
