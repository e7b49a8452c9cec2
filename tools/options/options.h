/* options.h - THE table of options, and what a command says of those that it takes
 *
 * options.def has a row an option: its name, what kind of value it takes, with which unit and
 * in which range, the value's name in --help, its words, what it means, and its default. A
 * command lists what it takes, in the order of --help, with what else --help says between:
 *
 *     static const option_use uses[] = {
 *         ABOUT("usage: sgdperf wait --until T [--format table|csv|json]\n\nWaits.\n\n"),
 *         USE(UNTIL),                               as the table has it
 *         USE_DEFAULT(SEED, "7"),                   but another default
 *         USE_HELP(BATCH, "of what waits", "1"),    but another meaning and default
 *         USE_AS(ORDER, CHOICE, "O", "up down", "which first", "up"), but for the name
 *         HEADING("Output"), USE(FORMAT),
 *         SECTION("Example", "  $ sgdperf wait --until 10s\n")
 *     };
 *     static int run(args *a)
 *     {
 *         const double until_s = args_number(a, OPTION_UNTIL, 1.0);
 *         ...
 *         return output_flush(&out, EXIT_DONE);
 *     }
 *     const args_command command_wait = {"wait", "wait for something", run,
 *                                        uses, COUNT_OF(uses), rules, COUNT_OF(rules),
 *                                        0, 0, NULL, 0, EACH(OPTION_UNTIL, OPTION_BATCH)};
 *
 * and cmd/all.c lists the command. Parsing, --help, --options, the manual and the
 * completion of shells follow from that. */
#ifndef TOOLS_OPTIONS_OPTIONS_H
#define TOOLS_OPTIONS_OPTIONS_H

#include "base/numbers.h"
#include "base/tool.h"

#include <stddef.h>

typedef enum option_kind {
    KIND_AS_TABLE = 0,        /* of a use: what the table says                      */
    KIND_FLAG,                /* --overlap                                          */
    KIND_NUMBER,              /* --batch 32 or --batch=32, once; as all that follow */
    KIND_NUMBERS,             /* separated by commas                                */
    KIND_WHOLE,
    KIND_WORKERS,             /* 8, 1-16, 1-64:4 or 1,2,4                           */
    KIND_CHOICE,              /* one of the words                                   */
    KIND_LIST,                /* several of the words, or of names                  */
    KIND_PATH,                /* a file, or one of the words                        */
    KIND_FREE,                /* any text                                           */
    KIND_REPEATED             /* any text, any number of times                      */
} option_kind;

typedef enum option_id {
#define OPTION(id, name, kind, unit, rule, value, words, help, preset) OPTION_##id,
#include "options/options.def"
#undef OPTION
    OPTION_COUNT
} option_id;

typedef struct option_row {
    const char *name;         /* "--bandwidth"                                      */
    option_kind kind;
    number_unit unit;         /* of KIND_NUMBER, KIND_NUMBERS                       */
    number_rule rule;
    const char *value;        /* what --help calls it; NULL of a flag               */
    const char *words;        /* separated by blanks; one that ends in ':' goes on; NULL: none */
    const char *help;         /* "\n": a line of its own; "\nWORD\tTEXT": a choice  */
    const char *preset;       /* what --help shows in brackets, NULL: nothing       */
} option_row;

extern const option_row options_all[OPTION_COUNT];

const char *option_name(option_id id);

/* NAME_OF(BATCH) is "--batch", for messages. */
#define NAME_OF(id) option_name(OPTION_##id)

/* An option of a command; where id is OPTION_COUNT, help is text between options, of a SECTION
 * below its heading. What is NULL is as in the table, but the default of a use with a help of
 * its own. FIRST_WORDS may stand in place of the first file. */
typedef struct option_use {
    option_id   id;
    option_kind kind;
    const char *value, *words, *help, *preset;
} option_use;

#define ABOUT(text)                  {OPTION_COUNT, KIND_AS_TABLE, NULL, NULL, text, NULL}
#define HEADING(text)                ABOUT("\n" text "\n")
#define SECTION(heading, text)       ABOUT("\n" heading "\n" text)
#define FIRST_WORDS(words)           {OPTION_COUNT, KIND_AS_TABLE, NULL, words, "", NULL}
#define USE(id)                      {OPTION_##id, KIND_AS_TABLE, NULL, NULL, NULL, NULL}
#define USE_DEFAULT(id, preset)      {OPTION_##id, KIND_AS_TABLE, NULL, NULL, NULL, preset}
#define USE_HELP(id, help, preset)   {OPTION_##id, KIND_AS_TABLE, NULL, NULL, help, preset}
#define USE_AS(id, kind, value, words, help, preset) \
    {OPTION_##id, KIND_##kind, value, words, help, preset}

/* Lines of --help, under a heading: what T, SIZE and B of options may be. */
#define TIME_UNITS "  T     time: ns us ms s min h d [s]\n"
#define SIZE_UNITS "  SIZE  size: B kB MB GB KiB MiB GiB [B]\n"
#define BANDWIDTH_UNITS \
    "  B     bandwidth: bps kbps Mbps Gbps (or Gbit/s, Gb/s) B/s kB/s MB/s GB/s MiB/s\n" \
    "        [B/s]\n"

/* ---- What options need beside them, and what they exclude ------------------ */

/* Options. Where `words` is not NULL they have one of these values, separated by blanks, but
 * flags, which have none. */
typedef struct option_set {
    const option_id *ids;     /* [count]                                            */
    size_t           count;
    const char      *words;
} option_set;

typedef enum option_verb { RULE_NEEDS = 0, RULE_EXCLUDES } option_verb;

/* Each of `these` that is given needs one of `others`, or excludes all of them, but where one of
 * `unless` holds. Without any of `these` one of `others` must be given. Of others and unless an
 * option that is not given has the value that the table has in brackets, up to a blank or comma.
 *
 *     static const option_rule rules[] = {
 *         MISSING(EACH(OPTION_WORKERS, OPTION_SWEEP)),        --workers or --sweep is missing
 *         NEEDS(ONE(RINGS), ONE(FLOW_CAP)),                   --rings: needs --flow-cap
 *         NEEDS(ONE(TWO_PS), IS(LINK, "ps average")),         needs --link ps or average
 *         EXCLUDES(IS(LINK, "average"), ONE(TIMELINE)),       --link average: not with ...
 *         EXCLUDES(EACH(OPTION_QUIT, OPTION_SEED),
 *                  AMONG("fcfs easy", OPTION_RIGID, OPTION_POLICY, OPTION_POLICIES)),
 *         UNLESS(ONE(QUIT), EXCLUDES, ONE(SEED), ONE(JOBS))
 *     };
 *
 * Choices have one of their words then (args_check_words). */
typedef struct option_rule {
    option_set  these;
    option_verb verb;
    option_set  others, unless;
} option_rule;

#define AMONG(words, ...) \
    {(const option_id[]){__VA_ARGS__}, COUNT_OF(((const option_id[]){__VA_ARGS__})), words}
#define EACH(...)         AMONG(NULL, __VA_ARGS__)
#define IS(id, words)     AMONG(words, OPTION_##id)
#define ONE(id)           AMONG(NULL, OPTION_##id)
#define NOTHING           {NULL, 0, NULL}

#define NEEDS(these, others)    {these, RULE_NEEDS, others, NOTHING}
#define EXCLUDES(these, others) {these, RULE_EXCLUDES, others, NOTHING}
#define MISSING(others)         {NOTHING, RULE_NEEDS, others, NOTHING}

/* UNLESS(ONE(QUIT), EXCLUDES, ONE(SEED), ONE(JOBS)) */
#define UNLESS(unless, verb, these, others) {these, RULE_##verb, others, unless}

/* What the command says of the option, and else the table. */
option_row option_of(const option_use *use);

#endif /* TOOLS_OPTIONS_OPTIONS_H */
