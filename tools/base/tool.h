/* tool.h - what the commands of the sgdperf program share
 *
 * A command reads its arguments and files, computes through the public API of the
 * headers, and prints one result as a table, as CSV or as JSON:
 *
 *     int cmd_name(int argc, char **argv)
 *     {
 *         static const args_option options[] = {{"--method", ARGS_VALUE}, ...};
 *         static const args_command command = {help, options, COUNT_OF(options), 1, 1};
 *         args a;
 *         output out = {0};
 *         const csv_table *table;
 *         args_parse(&a, &command, argc, argv);
 *         table = csv_read(a.files[0], 0);
 *         ...
 *         if (args_format(&a) == FORMAT_JSON) { json_object(&out, NULL); ... }
 *         return output_flush(&out, EXIT_DONE);
 *     }
 *
 * Every function below that finds something wrong ends the program with one line on
 * stderr and status 2. Because results are gathered in an `output` and written by
 * output_flush alone, stdout is then still empty.
 *
 * CONTENTS
 *   Ends                 tool_fail  tool_report  tool_note
 *   Memory               tool_alloc  tool_grow  tool_resize  tool_free  tool_free_all
 *   Progress             tool_progress  tool_shows_progress
 *   Numbers              number_parse  number_quantity  number_whole  number_write
 *   Words                words_find  words_join  words_distance  words_consider
 *                        utf8_length
 *   Files                file_read  out_open  out_stream  out_commit  out_discard
 *   CSV                  csv_read  csv_column  csv_require  csv_text  csv_number ...
 *   Arguments            args_parse  args_run_part  args_given  args_refuse  args_text ...
 *   Output               output_flush  output_schema  json_...  table_... */
#ifndef TOOLS_BASE_TOOL_H
#define TOOLS_BASE_TOOL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define TOOL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define TOOL_NORETURN __attribute__((noreturn))
#else
#define TOOL_PRINTF(text, first)
#define TOOL_NORETURN
#endif

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Ends ------------------------------------------------------------------ */

enum tool_exit {
    EXIT_DONE        = 0,
    EXIT_CHECK       = 1, /* a check did not hold                                   */
    EXIT_BAD_INPUT   = 2,
    EXIT_NOT_REACHED = 3, /* the best estimate was printed, with its status         */
    EXIT_LOST        = 4  /* a process that did a part of the work ended early      */
};

/* Prints "sgdperf: ..." as one line on stderr (control characters become '?', an
 * overlong line is cut) and ends the program with EXIT_BAD_INPUT. */
TOOL_NORETURN void tool_fail(const char *format, ...) TOOL_PRINTF(1, 2);

/* What tool_fail does with that line, which comes without "sgdperf: ". A test can put
 * a function of its own here and leave it by longjmp (tests/trial.h); where that
 * returns, the program ends. */
extern void (*tool_report)(const char *line);

/* Keeps a line for output_flush, which prints "sgdperf: note: ..." on stderr once for
 * each that differs. Of a run that fails, whose only line is tool_fail's, none is seen. */
void tool_note(const char *format, ...) TOOL_PRINTF(1, 2);

/* ---- Memory ---------------------------------------------------------------- */

/* `count` zeroed elements of `size` bytes, aligned for any type, never NULL (also
 * for 0). They live until the program ends: commands free nothing. */
void *tool_alloc(uint64_t count, size_t size);

/* A copy of old[count] with room for at least `need` elements; *capacity is the room
 * before and after. For arrays that grow by appending, in O(1) each:
 *     if (n == room) list = (int *)tool_grow(list, n, &room, n + 1, sizeof *list); */
void *tool_grow(const void *old, size_t count, size_t *capacity, size_t need, size_t size);

/* The same for what is large: old (NULL: nothing) of tool_alloc or tool_resize, moved to
 * room for `count`, of which new ones are not zeroed; and given back. */
void *tool_resize(void *old, size_t count, size_t size);
void tool_free(void *old);

/* Frees all of it, for tests that run what a command runs many times. */
void tool_free_all(void);

/* ---- Progress -------------------------------------------------------------- */

/* "what: done of total" on stderr, overwriting itself at most every 0.2 s; only when
 * stderr is a terminal. done == total clears the line. */
void tool_progress(const char *what, size_t done, size_t total);

/* Is stderr a terminal? Where keeping count costs time, it is only kept then. */
int tool_shows_progress(void);

/* ---- Numbers --------------------------------------------------------------- */

typedef enum number_rule {
    NUMBER_ANY = 0,           /* finite                                             */
    NUMBER_NON_NEGATIVE,
    NUMBER_POSITIVE,
    NUMBER_FRACTION           /* in [0, 1]                                          */
} number_rule;

typedef enum number_unit {    /* of a quantity on the command line, and its default */
    UNIT_NONE = 0,
    UNIT_TIME,                /* ns us ms s min h d                     s           */
    UNIT_SIZE,                /* B kB MB GB TB KiB MiB GiB TiB          B           */
    UNIT_BANDWIDTH            /* Gbps Gb/s Gbit/s, GB/s GiB/s and such  B/s         */
} number_unit;

/* Decimal text, all of it, to a number: no hexadecimal, infinity, NaN or blanks.
 * Returns NULL, or what is wrong as the end of a sentence about the text: "is
 * negative". *value is written only on NULL. */
const char *number_parse(const char *text, number_rule rule, double *value);
const char *number_quantity(const char *text, number_unit unit, number_rule rule,
                            double *value);
const char *number_whole(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/* Is it a number with one of the units above, as "10ms"? */
int number_has_unit(const char *text);

/* The finite value with the fewest of 15 to 17 digits that number_parse reads as the
 * same double; returns text. */
enum { NUMBER_BYTES = 40 };
const char *number_write(double value, char text[NUMBER_BYTES]);

/* ---- Words ----------------------------------------------------------------- */

/* Index of `text` among words[count]; count if it is none of them. */
size_t words_find(const char *const *words, size_t count, const char *text);

/* The words separated by blanks, as many as fit into list[bytes]; returns list. */
const char *words_join(const char *const *words, size_t count, char *list, size_t bytes);

/* Typing errors that make b of a: characters left out, added, replaced or swapped with
 * their neighbour. 40, as if far apart, where either is longer than that. */
size_t words_distance(const char *a, const char *b);

/* The known word that a misspelt or shortened one may stand for:
 *     words_guess guess = {text, NULL, 0};
 *     for each known word: words_consider(&guess, word);
 * `nearest` stays NULL where every word differs too much: in more than 1 of up to 3
 * characters, 2 of up to 6, or 3. Dashes in front do not count. */
typedef struct words_guess { const char *text, *nearest; size_t distance; } words_guess;

void words_consider(words_guess *guess, const char *word);

/* Bytes of the UTF-8 character that a terminated text starts with; 0 if it is none. */
size_t utf8_length(const char *text);

/* ---- Files ----------------------------------------------------------------- */

/* All bytes of the file at `path`, "-" being stdin, in memory that the caller frees;
 * *name is what to call it in messages. Fails over more than 2 GiB. */
char *file_read(const char *path, const char **name, size_t *length);

/* A file that is written whole or not at all:
 *     out_file *out = out_open("--timeline", path);
 *     fprintf(out_stream(out), ...);
 *     out_commit(out);
 *     return output_flush(&results, EXIT_DONE);
 * The text goes to a temporary file in the folder of `path`. out_commit closes it, and
 * output_flush gives it its name once stdout has taken the results. Whatever ends the
 * program before, a failure, exit or a signal, removes the temporary, and what was there
 * stays (SIGKILL leaves a file .sgdperf-PID-N behind).
 *
 * A symbolic link stays, and the file that it names is replaced, with its permissions;
 * other hard links keep the old file. What is no regular file (a device, a pipe,
 * /dev/stdout) is written directly.
 *
 * Fails where nothing can be written, and where `path` is, under any name, an input that
 * file_read or csv_read has read, or one that is open already; an input that is read
 * later must be another file too. `option`, for messages, and `path` must outlive it. */
typedef struct out_file out_file;

out_file *out_open(const char *option, const char *path);
FILE *out_stream(out_file *out);
void out_commit(out_file *out);  /* or fails, also over an earlier error in writing; */
                                 /*   `out` is then not to be used any more          */
void out_discard(out_file *out); /* leaves what was there                           */

/* ---- CSV ------------------------------------------------------------------- */

/* A file in memory: UTF-8 (a byte order mark is skipped), RFC 4180 quoting, LF or CRLF,
 * header row, lines starting with '#' and empty ones skipped. All columns are kept. */
typedef struct csv_table {
    const char *name;         /* of the file, for messages                          */
    size_t      rows;         /* without the header                                 */
    int         columns;
    size_t      header_line;  /* in the file, from 1                                */
    char      **header;       /* [columns] names, distinct                          */
    char      **cells;        /* [rows][columns] unquoted text                      */
    size_t     *line;         /* [rows] in the file, from 1                         */
    char       *text;         /* what header and cells point into                   */
    struct csv_wanted *wanted; /* columns asked for, of a file; else NULL           */
} csv_table;

enum {                        /* flags                                              */
    CSV_ALLOW_EMPTY = 1,      /* a table without rows is fine                       */
    CSV_NO_HEADER   = 2,      /* the first line is a row: columns have no names,    */
                              /*   and `header` is its cells                        */
    CSV_WATCH       = 4       /* of csv_parse: columns misspelt are noted, as by    */
};                            /*   csv_read, by csv_free at the latest              */
enum { CSV_NONE = -1 };       /* the column that is not there                       */

/* The file at `path`, "-" being stdin; lives until the program ends. */
const csv_table *csv_read(const char *path, unsigned flags);

/* Where it is set: what a file is that is no CSV, as the end of a sentence about it; NULL:
 * nothing is known against it. csv_read fails over such a file. */
extern const char *(*csv_foreign)(const char *data, size_t length);

/* The parser itself: 1 and the table, which csv_free releases, or 0 and in `message`
 * what is wrong and where: "name:3: a row of 4 cells under a header of 6". `name`
 * must outlive the table, `data` need not. */
int csv_parse(csv_table *table, const char *name, const char *data, size_t length,
              unsigned flags, char *message, size_t message_bytes);
void csv_free(csv_table *table);

/* Index or CSV_NONE. Where a column of the file that nobody asks for is called nearly
 * like one that is not there, a note says so in the end. */
int csv_column(const csv_table *table, const char *name);
int csv_require(const csv_table *table, const char *name); /* index, or fails       */

const char *csv_text(const csv_table *table, size_t row, int column);
size_t csv_line(const csv_table *table, size_t row);

/* True also for a column that is not there (CSV_NONE). */
int csv_is_empty(const csv_table *table, size_t row, int column);

/* A cell as a number, or fails: "FILE:LINE: column 'think_s': -3 is negative". */
double csv_number(const csv_table *table, size_t row, int column, number_rule rule);
uint64_t csv_integer(const csv_table *table, size_t row, int column, uint64_t min,
                     uint64_t max);

/* The same; `fallback` where csv_is_empty. */
double csv_number_or(const csv_table *table, size_t row, int column, number_rule rule,
                     double fallback);
uint64_t csv_integer_or(const csv_table *table, size_t row, int column, uint64_t min,
                        uint64_t max, uint64_t fallback);

/* Index of a cell's word among words[count], or fails naming them all. */
size_t csv_choice(const csv_table *table, size_t row, int column,
                  const char *const *words, size_t count);

/* Fails unless the texts in column[count] together differ from row to row. */
void csv_unique(const csv_table *table, const int *column, size_t count);

/* Fails with a reason of the caller's: "FILE:LINE: column 'x': reason"; without the
 * column for CSV_NONE. */
TOOL_NORETURN void csv_fail(const csv_table *table, size_t row, int column,
                            const char *reason, ...) TOOL_PRINTF(4, 5);

/* ---- Arguments ------------------------------------------------------------- */

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

typedef enum output_format { FORMAT_TABLE = 0, FORMAT_CSV, FORMAT_JSON } output_format;

output_format args_format(const args *a);

/* ---- Output ---------------------------------------------------------------- */

enum { OUTPUT_DEPTH = 16 };   /* of nested JSON                                     */

/* The result under construction; {0} to begin. */
typedef struct output {
    char  *text;              /* [length], not terminated                           */
    size_t length, capacity;
    char   closing[OUTPUT_DEPTH]; /* the brackets still open                        */
    size_t depth;
    int    comma;             /* something stands before the next JSON value        */
    int    is_object;         /* JSON, which output_flush gives its schema          */
} output;

/* Appends text for a human reader. */
void output_print(output *out, const char *format, ...) TOOL_PRINTF(2, 3);

/* Writes everything to stdout, gives the files of out_commit their names, then writes the
 * notes, and returns exit_status, to be returned by the command. Fails if stdout takes no
 * more, and files then are as they were. */
int output_flush(output *out, int exit_status);

/* What output_flush puts first into a JSON object: "schema":"sgdperf.balance.gpu/1" for
 * the command "balance gpu", which args_parse sets; NULL: nothing. */
void output_schema(const char *command);

/* JSON, on one line. key: the member's name; NULL in an array and outermost. */
void json_object(output *out, const char *key);
void json_array(output *out, const char *key);
void json_end(output *out);   /* of the innermost object or array                   */
void json_number(output *out, const char *key, double value); /* not finite: null  */
void json_integer(output *out, const char *key, uint64_t value);
void json_bool(output *out, const char *key, int value);
void json_null(output *out, const char *key);
void json_string(output *out, const char *key, const char *text); /* NULL: null     */
void json_numbers(output *out, const char *key, const double *value, size_t count);

/* A table is filled cell by cell, row after row, and printed for a human (aligned,
 * numbers to `digits` significant digits) or as CSV (all digits). */
typedef struct table_column {
    const char *name;
    int         digits;       /* of a number in the human table; 0: 5               */
} table_column;

typedef struct result_table result_table;
result_table *table_new(const table_column *columns, size_t count); /* columns are copied  */
void table_text(result_table *t, const char *text);
void table_number(result_table *t, double value); /* not finite: "-", in CSV empty         */
void table_integer(result_table *t, uint64_t value);
void table_empty(result_table *t);                /* the same                              */

/* Appends it; format is FORMAT_TABLE or FORMAT_CSV. */
void table_print(result_table *t, output *out, output_format format);
void table_free(result_table *t);                 /* its cells, of which there are many     */

#endif /* TOOLS_BASE_TOOL_H */
