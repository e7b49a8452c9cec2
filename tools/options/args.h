/* args.h - arguments of a command */
#ifndef TOOLS_OPTIONS_ARGS_H
#define TOOLS_OPTIONS_ARGS_H

#include "base/tool.h"
#include "options/options.h"

#include <stddef.h>
#include <stdint.h>

typedef struct args_command args_command;

typedef struct args {
    const args_command *command;
    char       **files;       /* [file_count] positional arguments, "-" among them  */
    size_t       file_count;
    option_id   *id;          /* [count] options as given, in order                 */
    const char **value;       /* [count] "" for a flag                              */
    size_t       count;
} args;

struct args_command {
    const char        *name;  /* "predict"; of a part "gpu"                         */
    const char        *summary; /* in the list of commands; NULL of a part          */
    int              (*run)(args *a); /* returns the exit status; NULL: a part must be named */
    const option_use  *uses;  /* beside --help, --format and --notes, which all have */
    size_t             use_count;
    const option_rule *rules; /* [rule_count] checked in this order before it runs    */
    size_t             rule_count;
    size_t             files_min, files_max; /* positional arguments                */
    const args_command *const *parts; /* [part_count] such as "balance gpu"; NULL   */
    size_t             part_count;
    option_set         first; /* what a first run needs: the options that -h shows  */
};

/* What is given, as the command takes it. --help prints all of it, -h the first
 * ten lines, and both exit. argv[0] is
 * the name in messages. */
void args_parse(args *a, const args_command *command, int argc, char **argv);

int args_given(const args *a, option_id id);

/* Fails over the first of ids[count] that was given: "sgdperf: --uplink: not with
 * --mode allreduce". For options that would have no effect. */
void args_refuse(const args *a, const option_id *ids, size_t count, const char *reason);

/* The same arguments, and one more option. */
args *args_with(const args *a, option_id id, const char *value);

const char *args_text(const args *a, option_id id, const char *fallback);

/* Occurrences of a repeated option and their values, in order of appearance. */
size_t args_count(const args *a, option_id id);
const char *args_at(const args *a, option_id id, size_t i);

/* Values, with the unit and range that the table says; `fallback`, which is not checked, where
 * the option was not given. */
double args_number(const args *a, option_id id, double fallback);
uint64_t args_integer(const args *a, option_id id, uint64_t min, uint64_t max,
                      uint64_t fallback);

/* The same with another unit or range. */
double args_quantity(const args *a, option_id id, number_unit unit, number_rule rule,
                     double fallback);

/* Notes what a value that seems to have lost its unit is taken for; args_number(s) do. */
void args_note_unit(option_id id, const char *text, number_unit unit, double value);

/* Fails over a choice whose value is none of the words that the table has for the command,
 * naming them all: before rules are checked. */
void args_check_words(const args *a);

/* Index of the value among the words that the table has for the command; and among other words,
 * or fails naming them all. */
size_t args_word(const args *a, option_id id, size_t fallback);
size_t args_choice(const args *a, option_id id, const char *const *words,
                   size_t count, size_t fallback);

/* Comma-separated lists: their length, 0 if not given, and *list. Workers also take
 * ranges, "1-16" and "1-64:4", in any combination, each >= 1, 10^6 in all. */
size_t args_workers(const args *a, option_id id, uint32_t **list);
size_t args_numbers(const args *a, option_id id, double **list);
size_t args_quantities(const args *a, option_id id, number_unit unit, number_rule rule,
                       double **list);
size_t args_words(const args *a, option_id id, char ***list);

/* `text` cut at each `separator`, in fresh memory; empty parts are kept. */
size_t args_split(const char *text, char separator, char ***list);

/* Fails: "sgdperf: --workers: '0' reason"; without the value where it is NULL. */
TOOL_NORETURN void args_fail(option_id id, const char *value, const char *reason, ...)
    TOOL_PRINTF(3, 4);

/* SCREEN, CSV or JSON, by --format; SCREEN for what the command has behind these. */
unsigned args_form(const args *a);

/* ---- Commands ------------------------------------------------------------- */

/* The options that the command knows, each once: its own, then --help and --format. Returns
 * their number. */
size_t args_known(const args_command *command, const option_use *known[OPTION_COUNT]);

/* Where it is set: the commands and parts of commands that take this option, separated by
 * commas, and how many these are. */
extern size_t (*args_takers)(const char *option, char *list, size_t bytes);

/* What the command says of an option, by its number or called name[length]; NULL: it does not
 * take it. */
const option_use *args_find(const args_command *command, const char *name, size_t length);
const option_use *args_use(const args_command *command, option_id id);

#endif /* TOOLS_OPTIONS_ARGS_H */
