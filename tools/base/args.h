/* args.h - arguments of a command */
#ifndef TOOLS_BASE_ARGS_H
#define TOOLS_BASE_ARGS_H

#include "base/numbers.h"
#include "base/output.h"
#include "base/tool.h"

#include <stddef.h>
#include <stdint.h>

typedef enum args_kind {
    ARGS_FLAG = 0,            /* --overlap                                          */
    ARGS_VALUE,               /* --batch 32 or --batch=32, once                     */
    ARGS_REPEAT               /* a value, any number of times                       */
} args_kind;

typedef struct args_option { const char *name; args_kind kind; } args_option;

typedef struct args_command {
    const char        *help;  /* all that --help prints, ends in a newline          */
    const args_option *options; /* beside --help and --format, which all have       */
    size_t             option_count;
    size_t             files_min, files_max; /* positional arguments                */
} args_command;

typedef struct args {
    const args_command *command;
    char       **files;       /* [file_count] positional arguments, "-" among them  */
    size_t       file_count;
    const char **name;        /* [count] options as given, in order                 */
    const char **value;       /* [count] "" for a flag                              */
    size_t       count;
} args;

/* argv[0] is the command's name. --help and -h print the help and exit with EXIT_DONE. */
void args_parse(args *a, const args_command *command, int argc, char **argv);

/* A command of several parts, as "balance gpu": if argv[1] is the name of one, runs it,
 * with "balance gpu" for argv[0], and returns 1; *status is what it returns. 0: the
 * command goes on by itself. Where it takes no files, it fails over a word that is no part,
 * and without a word; where it does, over one that is nearly a part and no file. To be
 * called before args_parse, and with its `command`. */
typedef struct args_part { const char *name; int (*run)(int argc, char **argv); } args_part;

int args_run_part(const args_command *command, const args_part *parts, size_t count,
                  int argc, char **argv, int *status);

int args_given(const args *a, const char *name);

/* Fails over the first of names[count] that was given: "sgdperf: --uplink: not with
 * --mode allreduce". For options that would have no effect. */
void args_refuse(const args *a, const char *const *names, size_t count,
                 const char *reason);

const char *args_text(const args *a, const char *name, const char *fallback);

/* Occurrences of an ARGS_REPEAT option and their values, in order of appearance. */
size_t args_count(const args *a, const char *name);
const char *args_at(const args *a, const char *name, size_t i);

/* Values; `fallback`, which is not checked, where the option was not given. */
double args_number(const args *a, const char *name, number_unit unit, number_rule rule,
                   double fallback);
uint64_t args_integer(const args *a, const char *name, uint64_t min, uint64_t max,
                      uint64_t fallback);

/* Notes what a value that seems to have lost its unit is taken for; args_number(s) do. */
void args_note_unit(const char *name, const char *text, number_unit unit, double value);

/* Index of the value among words[count], or fails naming them all. */
size_t args_choice(const args *a, const char *name, const char *const *words,
                   size_t count, size_t fallback);

/* Comma-separated lists: their length, 0 if not given, and *list. Workers also take
 * ranges, "1-16" and "1-64:4", in any combination, each >= 1, 10^6 in all. */
size_t args_workers(const args *a, const char *name, uint32_t **list);
size_t args_numbers(const args *a, const char *name, number_unit unit, number_rule rule,
                    double **list);
size_t args_words(const args *a, const char *name, char ***list);

/* `text` cut at each `separator`, in fresh memory; empty parts are kept. */
size_t args_split(const char *text, char separator, char ***list);

/* Fails: "sgdperf: --workers: '0' reason"; without the value where it is NULL. */
TOOL_NORETURN void args_fail(const char *name, const char *value, const char *reason, ...)
    TOOL_PRINTF(3, 4);

output_format args_format(const args *a);

/* SCREEN, CSV or JSON, by --format. */
unsigned args_form(const args *a);

/* ---- Commands, for program.c ---------------------------------------------- */

/* The i-th option that the command knows, --help and --format behind its own; NULL
 * behind the last. */
const args_option *args_known(const args_command *command, size_t i);

typedef struct args_description {
    args_command     command;
    const args_part *parts;   /* [part_count] of args_run_part                      */
    size_t           part_count;
} args_description;

/* What `run` would give to args_parse: nothing else of it is done, so that it must do
 * nothing before. All zero if it does not get there. */
void args_describe(int (*run)(int argc, char **argv), int argc, char **argv,
                   args_description *found);

/* Where it is set: the commands and parts of commands that take this option, separated by
 * commas, and how many these are. */
extern size_t (*args_takers)(const char *option, char *list, size_t bytes);

/* Fails over a word that should be the name of a part; NULL: there is none. */
TOOL_NORETURN void args_fail_part(const args_part *parts, size_t count, const char *title,
                                  const char *word);

#endif /* TOOLS_BASE_ARGS_H */
