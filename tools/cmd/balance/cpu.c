/* cpu.c - sgdperf balance cpu: batches in proportion to speeds */
#include "base/columns.h"
#include "cmd/balance/balance.h"
#include "files/status.h"

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf balance cpu --speeds V1,V2,... --total X [option ...]\n"
    "\n"
    "Shares X samples among workers in proportion to their speeds.\n"
    "\n"
    "This is Algorithm 1 of LB-BSP: shares are rounded down, then the largest\n"
    "remainders get one sample more, the first worker among equals. Speeds that are\n"
    "all 0 count as equal.\n"
    "\n"
    "What to share\n"),
    USE(SPEEDS), USE(TOTAL), USE(LEAST_BATCH), USE(MAX_BATCH),
    ABOUT(
    "\n"
    "Output\n"),
    USE(FORMAT),
    ABOUT(
    "\n"
    "Example: the second worker holds no more than 10 samples\n"
    "  $ sgdperf balance cpu --speeds 3.3,1.1,5.6 --total 128 --max-batch 128,10,128\n"
    "  worker  speed  batch\n"
    "       0    3.3     44\n"
    "       1    1.1     10\n"
    "       2    5.6     74\n")
};

static const option_rule rules[] = {MISSING(ONE(SPEEDS)), MISSING(ONE(TOTAL))};

static void print(output *out, const double *speed, const uint32_t *batch, size_t workers)
{
    columns c;
    size_t i;
    json_object(out, NULL);
    json_batches(out, "batches", batch, workers);
    json_end(out);
    columns_open(&c, out, TABLES, NULL);
    for (i = 0; columns_next(&c, i < workers); i++) {
        column_whole(&c, ALL, "worker", i);
        column_number(&c, ALL, "speed", speed[i]);
        column_whole(&c, ALL, "batch", batch[i]);
    }
}

static int run(args *a)
{
    output out = {0};
    double *speed;
    const uint32_t *least, *most;
    uint32_t *batch;
    sgdbal_shares shares;
    uint64_t total;
    size_t workers, bytes = 0, i;
    workers = args_numbers(a, OPTION_SPEEDS, &speed);
    total = args_integer(a, OPTION_TOTAL, 1, UINT32_MAX, 0);
    least = whole_list(a, OPTION_LEAST_BATCH, 0, workers);
    most = whole_list(a, OPTION_MAX_BATCH, 1, workers);
    for (i = 0; least && most && i < workers; i++)
        if (least[i] > most[i])
            args_fail(OPTION_LEAST_BATCH, NULL, "%lu is more than --max-batch %lu",
                      (unsigned long)least[i], (unsigned long)most[i]);
    batch = (uint32_t *)tool_alloc(workers, sizeof *batch);
    shares.speed = speed;
    shares.least_batch = least;
    shares.max_batch = most;
    shares.workers = workers;
    shares.total = total;
    tool_check_balance(sgdbal_batches_proportional_bytes(&shares, &bytes),
                       option_name(OPTION_SPEEDS));
    tool_check_balance(sgdbal_batches_proportional(&shares, tool_alloc(bytes, 1), bytes, batch),
                       option_name(OPTION_TOTAL));
    out.form = args_form(a);
    print(&out, speed, batch, workers);
    return output_flush(&out, EXIT_DONE);
}

const args_command command_balance_cpu = {"cpu", NULL, run, uses,
                                          COUNT_OF(uses), rules, COUNT_OF(rules), 0, 0, NULL, 0,
                                          EACH(OPTION_SPEEDS, OPTION_TOTAL, OPTION_MAX_BATCH)};
