/* commands.h - the commands of the program */
#ifndef TOOLS_CMD_COMMANDS_H
#define TOOLS_CMD_COMMANDS_H

#include "options/args.h"
#include "options/listing.h"

/* Each in a file or folder of its name; stacks in networks.c. */
extern const args_command command_mva, command_predict, command_advise, command_simulate,
    command_trace_from_layers, command_allocate, command_cluster,
    command_balance, command_import, command_profile, command_calibrate,
    command_fit, command_plan, command_validate, command_report,
    command_merge, command_plot, command_networks, command_stacks;

extern const program commands_all;

#endif /* TOOLS_CMD_COMMANDS_H */
