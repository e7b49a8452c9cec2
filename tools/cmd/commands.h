/* commands.h - the commands of the program */
#ifndef TOOLS_CMD_COMMANDS_H
#define TOOLS_CMD_COMMANDS_H

#include "base/program.h"

/* Each in a file or folder of its name; argv[0] is the command's name. Returns the exit status. */
int cmd_mva(int argc, char **argv);
int cmd_predict(int argc, char **argv);
int cmd_advise(int argc, char **argv);
int cmd_simulate(int argc, char **argv);
int cmd_trace_from_layers(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_profile(int argc, char **argv);
int cmd_calibrate(int argc, char **argv);
int cmd_fit(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_validate(int argc, char **argv);
int cmd_allocate(int argc, char **argv);
int cmd_cluster(int argc, char **argv);
int cmd_balance(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_report(int argc, char **argv);

extern const program commands_all;

#endif /* TOOLS_CMD_COMMANDS_H */
