/* inside.h - what the files of base know of each other, beside tool.h */
#ifndef TOOLS_BASE_INSIDE_H
#define TOOLS_BASE_INSIDE_H

#include "base/tool.h"

#include <string.h>

/* ---- Ends -------------------------------------------------------------------- */

/* tool_fail with EXIT_LOST. */
TOOL_NORETURN void tool_lose(const char *format, ...) TOOL_PRINTF(1, 2);

/* With which of both the program ends, for tool_report. */
extern int tool_end_status;

/* ---- Colour on a terminal ------------------------------------------------------ */

/* "sgdperf:" before an error, "note:" before a note, and heads of tables and help. Nothing
 * else is painted, and nothing before paint_begin, for tests of what is printed. */
typedef enum paint_kind { PAINT_ERROR = 0, PAINT_NOTE, PAINT_HEADING, PAINT_KINDS } paint_kind;

/* Looks once where stderr and stdout lead: to a terminal other than TERM=dumb, and NO_COLOR
 * is not set or empty. */
void paint_begin(void);

/* What begins and ends it there; "" elsewhere. */
const char *paint(paint_kind kind);
const char *paint_end(paint_kind kind);

/* Appends a text of --help, with its headings: "usage:", and each single line at the margin
 * over lines that are further in. */
void paint_help(output *out, const char *help);

/* ---- Numbers, for output.c and table.c ---------------------------------------- */

/* number_write, %.*g of printf and a whole number; they return the length. */
size_t number_shortest(double value, char text[NUMBER_BYTES]);
size_t number_round(double value, int digits, char text[NUMBER_BYTES]);
size_t number_integer(uint64_t value, char text[NUMBER_BYTES]);

/* So long number_round's text is at most of all numbers in [from, to), the decade of the value;
 * NUMBER_BYTES and an empty one where that is not quickly said. */
size_t number_round_most(double value, int digits, double *from, double *to);

/* ---- Text of results, for table.c -------------------------------------------- */

/* Room for so many bytes more at least. */
void output_grow(output *out, size_t bytes);

/* The next `bytes` at the end, which the caller fills. */
static inline char *output_room(output *out, size_t bytes)
{
    if (bytes > out->capacity - out->length) output_grow(out, bytes);
    out->length += bytes;
    return out->text + out->length - bytes;
}

static inline void output_bytes(output *out, const char *bytes, size_t count)
{
    if (count > 0) memcpy(output_room(out, count), bytes, count);
}

/* ---- Cells and members, for fields.c ------------------------------------------- */

/* A cell of CSV; a string of JSON; what stands before a value of JSON, if key is not NULL with
 * the key. */
void csv_quote(output *out, const char *text);
void json_quote(output *out, const char *text);
void json_begin(output *out, const char *key);

/* ---- Results in parts, for rows.c ---------------------------------------------- */

/* Writes what there is so far to stdout, and goes on with nothing; output_flush ends. Fails
 * if stdout takes no more. */
void output_send(output *out);

/* ---- Notes, for output_flush and tool_free_all ------------------------------- */

/* Prints what tool_note kept. */
void tool_print_notes(void);

/* tool_note for each of lines[length]. */
void tool_say_notes(const char *lines, size_t length);

/* csv_read watches what is asked of a table; csv_note_columns notes the columns that are
 * called nearly like a missing one, of all tables so far; csv_leave_columns of one, which is
 * not watched any more. */
void csv_watch_columns(csv_table *table);
void csv_note_columns(void);
void csv_leave_columns(const csv_table *table);
void csv_forget_columns(void);

/* ---- Tasks, for parallel.c ----------------------------------------------------- */

/* What a task allocates lives until it ends, and what it notes is its own: its lines, by
 * malloc, as they came; NULL where there was no memory for it to begin. */
void tool_begin_task(void);
int tool_in_task(void);
char *tool_end_task(size_t *length);

/* Gives back what csv_read has read in it. */
void csv_end_task(void);

/* 1: this process shows no progress. */
extern int tool_is_quiet;

/* tool_progress, with the time that is left; negative: not known. */
void tool_progress_left(const char *what, size_t done, size_t total, double left_s);

double tool_clock_s(void);

/* Fails where tasks were to be dealt (--shard) and there were none. */
void parallel_check_dealt(void);

/* ---- Files, for output_flush -------------------------------------------------- */

/* Gives the files that out_commit has closed their names, or fails. */
void out_rename_all(void);

/* ---- Signals, for forks.c ------------------------------------------------------- */

/* From now on signals that end the program call this, and remove what out_open made. */
void file_watch_the_end(void (*at_signal)(void));

/* Removes it at once: for an end that neither exit nor a signal is. */
void file_remove_temporaries(void);

/* 1: out_open writes nothing (a rank of MPI that is not the first). */
extern int file_is_silent;

/* ---- Children, for rows.c ------------------------------------------------------- */

enum { FORKS_MOST = 4096 };

/* fork, of the child i below FORKS_MOST, which ends with this process: 1 in this process, 0
 * in the child, -1 where there is none. */
int forks_start(size_t i);

/* Waits for its end: its status, as waitpid has it. */
int forks_wait(size_t i);

/* All bytes through a socket: 1, or 0 where the other end is closed. */
int forks_send(int to, const void *data, size_t length);
int forks_receive(int from, void *data, size_t length);

/* ---- What has been read, for journal.c ------------------------------------------- */

/* Of all files, in order, but for those that tasks read; a journal tells by it whether
 * inputs are the same. Nothing is done unless it is set. */
extern int file_is_marking;
void file_mark(const char *data, size_t length);

/* ---- Files, for stream.c ------------------------------------------------------- */

/* The most that is read as a whole: an input without an end must not take all memory. */
#define FILE_MOST ((size_t)1 << 31)

/* What is open there is an input, which no output may be. Returns the size of a regular
 * file, else 0. */
uint64_t file_is_input(int descriptor);

/* ---- Commands, for program.c -------------------------------------------------- */

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

/* Fails over a word that should be the name of a part; NULL: there is none. */
TOOL_NORETURN void args_fail_part(const args_part *parts, size_t count, const char *title,
                                  const char *word);

#endif /* TOOLS_BASE_INSIDE_H */
