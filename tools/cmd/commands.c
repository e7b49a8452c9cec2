/* commands.c - the commands of the program, and what it says of itself */
#include "cmd/commands.h"
#include "base/tool.h"
#include "sgdperf.h"

static const program_command commands[] = {
    {"mva",               cmd_mva,               "solve any closed queueing network"},
    {"predict",           cmd_predict,           "one worker's profile to a throughput curve"},
    {"advise",            cmd_advise,            "how many workers: time, cost, what would help"},
    {"simulate",          cmd_simulate,          "one worker's operations replayed on many"},
    {"trace-from-layers", cmd_trace_from_layers, "a table of layers to a trace to simulate"},
    {"allocate",          cmd_allocate,          "nodes of a cluster for the jobs that wait"},
    {"cluster",           cmd_cluster,           "response times of jobs that share a cluster"},
    {"balance",           cmd_balance,           "batches for workers of uneven speed"},
    {"import",            cmd_import,            "other programs' traces to profile and trace"},
    {"profile",           cmd_profile,           "time-stamped phases to one worker's profile"},
    {"calibrate",         cmd_calibrate,         "fit what a profile leaves unknown to points"},
    {"fit",               cmd_fit,               "fit a black box to measured points"},
    {"plan",              cmd_plan,              "split a network over machines"},
    {"validate",          cmd_validate,          "predictions against measured datasets"},
    {"report",            cmd_report,            "the same as one page of HTML with pictures"},
    {"merge",             cmd_merge,             "the shards of a run put together"},
    {"plot",              cmd_plot,              "a picture of what another command printed"},
};

#define TEXT_OF(number) #number
#define VERSION_OF(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const program commands_all = {
    commands, COUNT_OF(commands),
    VERSION_OF(SGDPERF_VERSION_MAJOR, SGDPERF_VERSION_MINOR, SGDPERF_VERSION_PATCH),
    "Predicts how fast distributed SGD runs on K workers from a profile of one."
};
