/* tool.h - what the files of the sgdperf program share: how it ends, what it notes, memory
 *
 * Every function below that finds something wrong ends the program with one line on
 * stderr and status 2. Because results are gathered in an `output` and written by
 * output_flush alone, stdout is then still empty. */
#ifndef TOOLS_BASE_TOOL_H
#define TOOLS_BASE_TOOL_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TOOL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define TOOL_NORETURN __attribute__((noreturn))
#else
#define TOOL_PRINTF(text, first)
#define TOOL_NORETURN
#endif

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The arguments of "%lu row%s". */
#define COUNTED(n) (unsigned long)(n), (n) == 1 ? "" : "s"

/* ---- Ends ----------------------------------------------------------------- */

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

/* tool_fail with EXIT_LOST. */
TOOL_NORETURN void tool_lose(const char *format, ...) TOOL_PRINTF(1, 2);

/* With which of both the program ends, for tool_report. */
extern int tool_end_status;

/* ---- Notes ---------------------------------------------------------------- */

/* What a note changes in the answer. */
typedef enum note_effect {
    NOTE_ANSWER,              /* the numbers may be wrong by more than their error  */
    NOTE_INPUT,               /* a part of what was given does not count as given   */
    NOTE_WIDTH,               /* how sure the numbers are                           */
    NOTE_ASSUMED,             /* what is assumed of the job or the cluster          */
    NOTE_MEANING              /* what the numbers mean, and where they came from    */
} note_effect;

/* Keeps a line for output_flush, which prints "sgdperf: note: ..." on stderr and adds
 * {"key":...,"text":...} to "notes" of a JSON object. The key names the kind of note, so that
 * programs need not read English; base/notes.def ranks it. Equal lines count once. A run that
 * fails prints none of its notes: its only line is tool_fail's. */
void tool_note(const char *key, const char *format, ...) TOOL_PRINTF(2, 3);

/* The i-th note that was kept, in order of rank, and its key; NULL behind the last. */
const char *tool_note_at(size_t i, const char **key);

/* Prints what tool_note kept: the three of the highest rank, and all of NOTE_ANSWER. One more
 * line counts the others. */
void tool_print_notes(void);

/* --notes: all of them are printed. */
extern int tool_all_notes;

/* The key of a rank, 0 the highest, and what it changes; NULL behind the last. */
const char *tool_note_rank(size_t rank, note_effect *effect);

/* tool_note for each of lines[length], as tool_end_task gives them. */
void tool_say_notes(const char *lines, size_t length);

/* ---- Memory --------------------------------------------------------------- */

/* `count` zeroed elements of `size` bytes, aligned for any type, never NULL (also
 * for 0). They live until the program ends: commands free nothing. */
void *tool_alloc(uint64_t count, size_t size);

/* What printf makes of it, in such memory. */
char *tool_text(const char *format, ...) TOOL_PRINTF(1, 2);

/* old[count] with room for at least `need` elements, or for one more than `count`; a copy where
 * it has less. *capacity is the room before and after. Arrays grow by appending in O(1) each. */
void *tool_grow(void *old, size_t count, size_t *capacity, size_t need, size_t size);
void *tool_one_more(void *old, size_t count, size_t *capacity, size_t size);

/* The same for what is large: old (NULL: nothing) of tool_alloc or tool_resize, moved to
 * room for `count`, of which new ones are not zeroed; and given back. */
void *tool_resize(void *old, size_t count, size_t size);
void tool_free(void *old);

/* array[*room], of malloc, with room for `need`, NULL where there is no memory: for what outlives
 * tool_free_all, or whose end is not that of a task. */
void *tool_room(void *array, size_t *room, size_t need, size_t size);

/* Frees all of it, for tests that run what a command runs many times. */
void tool_free_all(void);

/* What it calls first, where that is set: who has kept something in that memory forgets it. */
extern void (*tool_forget)(void);

/* ---- Tasks ---------------------------------------------------------------- */

/* What a task allocates lives until it ends, and what it notes is its own: its lines, "KEY TEXT"
 * by malloc, by rank; NULL where there was no memory for it to begin. */
void tool_begin_task(void);
int tool_in_task(void);
char *tool_end_task(size_t *length);

#endif /* TOOLS_BASE_TOOL_H */
