/* all.c - the commands of the program, and what it says of itself */
#include "cmd/commands.h"
#include "sgdperf.h"

static const args_command *const commands[] = {
    &command_mva, &command_predict, &command_advise, &command_simulate,
    &command_trace_from_layers, &command_allocate, &command_cluster, &command_balance,
    &command_import, &command_profile, &command_calibrate, &command_fit, &command_plan,
    &command_validate, &command_report, &command_merge, &command_plot, &command_networks,
    &command_stacks
};

#define TEXT_OF(number) #number
#define VERSION_OF(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const program commands_all = {
    commands, COUNT_OF(commands),
    VERSION_OF(SGDPERF_VERSION_MAJOR, SGDPERF_VERSION_MINOR, SGDPERF_VERSION_PATCH),
    "Predicts how fast distributed SGD runs on K workers from a profile of one."
};
