/* run.h - runs a command, or a part of it */
#ifndef TOOLS_OPTIONS_RUN_H
#define TOOLS_OPTIONS_RUN_H

#include "options/args.h"

/* Runs the command, or the part of it that argv[1] names; argv[0] is the command's name. Of a
 * word that is no part: a command that takes no files fails; one that takes files fails over
 * one that is nearly a part and no file. */
int args_run(const args_command *command, int argc, char **argv);

/* Fails over a word that should be the name of a part; NULL: there is none. */
TOOL_NORETURN void args_fail_part(const args_command *command, const char *word);

#endif /* TOOLS_OPTIONS_RUN_H */
