/* program.h - a program of several commands: finds the one to run
 *
 *     static const args_command *const commands[] = {&command_mva, ...};
 *     static const program all = {commands, COUNT_OF(commands), "1.2.3", "Predicts ..."};
 *     int main(int argc, char **argv) { return program_run(&all, argc, argv); }
 *
 * COMMAND [ARGUMENT...] runs it; --help, -h and help print the commands, help COMMAND
 * [PART] what COMMAND [PART] --help prints; --version and -V the version; --options every
 * option of every command, as CSV. Words behind these are refused. --complete is for shells. */
#ifndef TOOLS_OPTIONS_PROGRAM_H
#define TOOLS_OPTIONS_PROGRAM_H

#include "options/listing.h"

/* Returns the exit status. */
int program_run(const program *p, int argc, char **argv);

/* Runs another command line of the program that runs, without its name. */
int program_again(int argc, char **argv);

#endif /* TOOLS_OPTIONS_PROGRAM_H */
