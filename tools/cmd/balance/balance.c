/* balance.c - sgdperf balance: batches for uneven workers; its subcommands */
#include "cmd/balance/balance.h"
#include "cmd/commands.h"

#include <string.h>

static const char usage[] =
    "usage: sgdperf balance cpu|gpu|predict|run|fit|series [ARGUMENT...]\n"
    "\n"
    "Batches for workers of unequal or changing speed that meet at a barrier in every\n"
    "iteration, so that all arrive together; and what this is worth against other schemes.\n"
    "\n"
    "  cpu      batches in proportion to speeds\n"
    "  gpu      batches by moving samples from the slowest worker to the fastest\n"
    "  predict  the speed of a worker in the next iteration from those before\n"
    "  run      a cluster under BSP, ASP, SSP, balanced batches, redundant execution, FlexRR\n"
    "  fit      measured times of batches to the curves that gpu and run take\n"
    "  series   the speed of a worker beside seeded tasks, for predict and run\n"
    "\n"
    "sgdperf balance cpu --help and so on show options, units, defaults and an example.\n"
    "Batches are samples an iteration, speeds samples a second, times seconds.\n"
    "\n"
    "Example: 128 samples an iteration on three workers\n"
    "  $ sgdperf balance cpu --speeds 3.3,1.1,5.6 --total 128 --format json\n"
    "  {\"batches\":[42,14,72]}\n";

static const struct subcommand {
    const char *name;
    int       (*run)(int argc, char **argv);
    char        title[16];    /* what messages call it                              */
} subcommands[] = {
    {"cpu", balance_cpu, "balance cpu"},
    {"gpu", balance_gpu, "balance gpu"},
    {"predict", balance_predict, "balance predict"},
    {"run", balance_run, "balance run"},
    {"fit", balance_fit, "balance fit"},
    {"series", balance_series, "balance series"},
};

int cmd_balance(int argc, char **argv)
{
    static const args_command command = {usage, NULL, 0, 0, 0};
    static char title[sizeof subcommands[0].title];
    const char *name = argc > 1 ? argv[1] : "";
    char list[64] = "";
    size_t i;
    for (i = 0; i < COUNT_OF(subcommands); i++) {
        if (strcmp(name, subcommands[i].name) == 0) {
            argv[1] = (char *)memcpy(title, subcommands[i].title, sizeof title);
            return subcommands[i].run(argc - 1, argv + 1);
        }
        if (i > 0) strcat(list, " ");
        strcat(list, subcommands[i].name);
    }
    if (argc > 1 && name[0] != '-') tool_fail("balance: '%s' is none of %s", name, list);
    {
        args a;
        args_parse(&a, &command, argc, argv);
    }
    tool_fail("balance: a subcommand is missing, one of %s", list);
}
