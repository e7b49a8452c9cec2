/* command.c - sgdperf balance: batches for uneven workers; its subcommands */
#include "cmd/balance/balance.h"
#include "cmd/commands.h"

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf balance cpu|gpu|predict|run|fit|series [option ...]\n"
    "\n"
    "Sets batches for workers of unequal or changing speed that meet at a barrier in\n"
    "every iteration, and compares this with other schemes.\n"
    "  cpu      batches in proportion to speeds\n"
    "  gpu      batches by moving samples from the slowest worker to the fastest\n"
    "  predict  the speed of a worker in the next iteration from those before\n"
    "  run      a cluster under BSP, ASP, SSP, LB-BSP, redundant execution, FlexRR\n"
    "  fit      measured times of batches to the curves that gpu and run take\n"
    "  series   the speed of a worker beside seeded tasks, for predict and run\n"
    "\n"
    "sgdperf balance cpu --help and so on show options, units, defaults and an\n"
    "example. Batches are samples per iteration, speeds samples/s, times seconds.\n"),
    SECTION("Example: 128 samples an iteration on three workers",
    "  $ sgdperf balance cpu --speeds 3.3,1.1,5.6 --total 128 --format json\n"
    "  {\"schema\":\"sgdperf.balance.cpu/1\",\"batches\":[42,14,72],\"optimum\":[42,14,72]}\n")
};

static const args_command *const parts[] = {
    &command_balance_cpu, &command_balance_gpu, &command_balance_predict, &command_balance_run,
    &command_balance_fit, &command_balance_series
};

const args_command command_balance = {
    "balance", "set batches for workers of uneven speed", NULL, uses,
    COUNT_OF(uses), NULL, 0, 0, 0, parts, COUNT_OF(parts), NOTHING};
