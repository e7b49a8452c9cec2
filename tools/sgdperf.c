/* sgdperf.c - the program: finds the command and runs it */
#include "base/tool.h"
#include "cmd/commands.h"
#include "sgdperf.h"

#include <string.h>

static const struct command {
    const char *name;
    int       (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
    {"mva",               cmd_mva,               "solve any closed queueing network"},
    {"predict",           cmd_predict,           "one worker's profile to a throughput curve"},
    {"simulate",          cmd_simulate,          "one worker's operations replayed on many"},
    {"trace-from-layers", cmd_trace_from_layers, "a table of layers to a trace to simulate"},
    {"allocate",          cmd_allocate,          "nodes of a cluster for the jobs that wait"},
    {"cluster",           cmd_cluster,           "response times of jobs that share a cluster"},
    {"balance",           cmd_balance,           "batches for workers of uneven speed"},
    {"profile",           cmd_profile,           "time-stamped phases to one worker's profile"},
    {"calibrate",         cmd_calibrate,         "fit what a profile leaves unknown to points"},
    {"fit",               cmd_fit,               "fit a black box to measured points"},
    {"plan",              cmd_plan,              "split a network over machines"},
    {"validate",          cmd_validate,          "predictions against measured datasets"},
};

static int print_help(void)
{
    output out = {0};
    size_t i;
    output_print(&out, "usage: sgdperf COMMAND [OPTION...] [FILE...]\n\n"
                       "Predicts how fast distributed SGD runs on K workers from a profile "
                       "of one.\n\n");
    for (i = 0; i < COUNT_OF(commands); i++)
        output_print(&out, "  %-19s%s\n", commands[i].name, commands[i].summary);
    output_print(&out, "\nsgdperf COMMAND --help shows its options, units, defaults and an "
                       "example.\n"
                       "sgdperf --version shows the version.\n\n"
                       "Exit status: 0 done, 1 a check did not hold, 2 bad usage or input, "
                       "3 the answer\nwas not reached and the best estimate printed.\n");
    return output_flush(&out, EXIT_DONE);
}

static int print_version(void)
{
    output out = {0};
    output_print(&out, "sgdperf %d.%d.%d\n", SGDPERF_VERSION_MAJOR, SGDPERF_VERSION_MINOR,
                 SGDPERF_VERSION_PATCH);
    return output_flush(&out, EXIT_DONE);
}

int main(int argc, char **argv)
{
    size_t i;
    if (argc < 2) tool_fail("a command is missing, see sgdperf --help");
    if (strcmp(argv[1], "--help") == 0) return print_help();
    if (strcmp(argv[1], "--version") == 0) return print_version();
    for (i = 0; i < COUNT_OF(commands); i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    tool_fail("'%s' is not a command, see sgdperf --help", argv[1]);
}
