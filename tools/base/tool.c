/* tool.c - how the program ends, what it notes, its memory */
#include "base/tool.h"

#include "base/paint.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Ends ------------------------------------------------------------------ */

enum { TOOL_LINE = 1024 };    /* bytes of a message with its zero                   */

static void report_on_stderr(const char *line)
{
    fprintf(stderr, "%ssgdperf:%s %s\n", paint(PAINT_ERROR), paint_end(PAINT_ERROR), line);
}

void (*tool_report)(const char *line) = report_on_stderr;

/* The values quoted come from files and shells: they must not break the line. */
TOOL_PRINTF(2, 0)
static void write_line(char line[TOOL_LINE], const char *format, va_list arguments)
{
    const int length = vsnprintf(line, TOOL_LINE, format, arguments);
    if (length < 0) line[0] = '\0';
    if (length >= TOOL_LINE) memcpy(line + TOOL_LINE - 4, "...", 4);
    for (size_t i = 0; line[i] != '\0'; i++)
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f) line[i] = '?';
}

int tool_end_status = EXIT_BAD_INPUT;

TOOL_NORETURN TOOL_PRINTF(2, 0)
static void end_with(int status, const char *format, va_list arguments)
{
    char line[TOOL_LINE];
    write_line(line, format, arguments);
    tool_end_status = status;
    tool_report(line);
    exit(status);
}

void tool_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    end_with(EXIT_BAD_INPUT, format, arguments);
}

void tool_lose(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    end_with(EXIT_LOST, format, arguments);
}

/* ---- Notes ----------------------------------------------------------------- */

enum {
    TOOL_KEY    = 32,         /* bytes of a note's key with its zero                */
    NOTES_SHOWN = 3           /* of those that can be spared                        */
};

static const struct { const char *key; note_effect effect; } ranks[] = {
#define NOTE(key, effect) {key, NOTE_##effect},
#include "base/notes.def"
#undef NOTE
};

typedef struct note {
    struct note *next;
    size_t       rank;        /* of its key: COUNT_OF(ranks) where there is none    */
    char         key[TOOL_KEY], line[TOOL_LINE];
} note;

static note *notes;           /* by rank; of equal rank in the order of their coming */

int tool_all_notes;

static size_t rank_of(const char *key)
{
    size_t i = 0;
    while (i < COUNT_OF(ranks) && strcmp(ranks[i].key, key) != 0) i++;
    return i;
}

const char *tool_note_rank(size_t rank, note_effect *effect)
{
    if (rank >= COUNT_OF(ranks)) return NULL;
    *effect = ranks[rank].effect;
    return ranks[rank].key;
}

void tool_note(const char *key, const char *format, ...)
{
    note **place = &notes, *added = (note *)tool_alloc(1, sizeof *added), *n;
    va_list arguments;
    va_start(arguments, format);
    write_line(added->line, format, arguments);
    va_end(arguments);
    snprintf(added->key, sizeof added->key, "%s", key);
    added->rank = rank_of(added->key);
    for (n = notes; n; n = n->next)
        if (strcmp(n->line, added->line) == 0) return;
    while (*place && (*place)->rank <= added->rank) place = &(*place)->next;
    added->next = *place;
    *place = added;
}

const char *tool_note_at(size_t i, const char **key)
{
    const note *n = notes;
    while (n && i-- > 0) n = n->next;
    *key = n ? n->key : NULL;
    return n ? n->line : NULL;
}

/* Can it stand behind --notes? */
static int is_spared(const note *n)
{
    return n->rank >= COUNT_OF(ranks) || ranks[n->rank].effect != NOTE_ANSWER;
}

void tool_print_notes(void)
{
    size_t shown = 0, left = 0;
    for (; notes; notes = notes->next) {
        if (!tool_all_notes && shown >= NOTES_SHOWN && is_spared(notes)) {
            left++;
            continue;
        }
        shown++;
        fprintf(stderr, "sgdperf: %snote:%s %s\n", paint(PAINT_NOTE), paint_end(PAINT_NOTE),
                notes->line);
    }
    if (left > 0) fprintf(stderr, "sgdperf: %lu more note%s: --notes prints all notes\n",
                          COUNTED(left));
}

void tool_say_notes(const char *lines, size_t length)
{
    const char *const end = length > 0 ? lines + length : lines; /* NULL + 0 is undefined */
    while (lines < end) {
        const char *stop = (const char *)memchr(lines, '\n', (size_t)(end - lines)), *text;
        char key[TOOL_KEY];
        if (!stop) stop = end;
        text = (const char *)memchr(lines, ' ', (size_t)(stop - lines));
        text = text ? text + 1 : lines;
        snprintf(key, sizeof key, "%.*s", text > lines ? (int)(text - lines) - 1 : 0, lines);
        tool_note(key, "%.*s", (int)(stop - text), text);
        lines = stop < end ? stop + 1 : end;
    }
}

/* ---- Memory ---------------------------------------------------------------- */

typedef union tool_block {
    struct { union tool_block *next, *before; } list;
    double   align_double;
    uint64_t align_integer;
    void    *align_pointer;
} tool_block;

/* Reachable until the end, so that a leak checker finds nothing to report. */
static tool_block *tool_blocks;

static void *link_block(tool_block *block, tool_block *before, tool_block *next)
{
    block->list.before = before;
    block->list.next = next;
    if (before) before->list.next = block;
    else tool_blocks = block;
    if (next) next->list.before = block;
    return block + 1;
}

void *tool_alloc(uint64_t count, size_t size)
{
    tool_block *block = NULL;
    if (size == 0 || count <= ((size_t)-1 - sizeof *block) / size)
        block = (tool_block *)calloc(1, sizeof *block + (size_t)count * size);
    if (!block) tool_fail("out of memory");
    return link_block(block, NULL, tool_blocks);
}

void *tool_resize(void *old, size_t count, size_t size)
{
    tool_block *block = old ? (tool_block *)old - 1 : NULL, *before, *next;
    if (!old) return tool_alloc(count, size);
    before = block->list.before;
    next = block->list.next;
    block = NULL;
    if (size == 0 || count <= ((size_t)-1 - sizeof *block) / size)
        block = (tool_block *)realloc((tool_block *)old - 1, sizeof *block + count * size);
    if (!block) tool_fail("out of memory");
    return link_block(block, before, next);
}

void tool_free(void *old)
{
    tool_block *block = old ? (tool_block *)old - 1 : NULL;
    if (!block) return;
    if (block->list.next) block->list.next->list.before = block->list.before;
    if (block->list.before) block->list.before->list.next = block->list.next;
    else tool_blocks = block->list.next;
    free(block);
}

char *tool_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) tool_fail("out of memory");
    char *text = (char *)tool_alloc((uint64_t)length + 1, 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

void *tool_grow(void *old, size_t count, size_t *capacity, size_t need, size_t size)
{
    size_t room = *capacity < 16 ? 16 : *capacity;
    if (need <= *capacity) return old;
    while (room < need && room <= (size_t)-1 / 2) room *= 2;
    if (room < need) room = need;
    void *grown = tool_alloc(room, size);
    if (count > 0) memcpy(grown, old, count * size);
    *capacity = room;
    return grown;
}

void *tool_one_more(void *old, size_t count, size_t *capacity, size_t size)
{
    return tool_grow(old, count, capacity, count + 1, size);
}

void *tool_room(void *array, size_t *room, size_t need, size_t size)
{
    size_t more = *room < 64 ? 64 : *room;
    if (need <= *room) return array;
    while (more < need && more <= (size_t)-1 / 2 / size) more *= 2;
    array = more < need ? NULL : realloc(array, more * size);
    if (array) *room = more;
    return array;
}

/* ---- Tasks ----------------------------------------------------------------- */

static void *task_mark;       /* allocated as the task began; NULL: no task         */
static note *task_outer;      /* the notes of before                                */

void tool_begin_task(void)
{
    task_mark = tool_alloc(0, 1);
    task_outer = notes;
    notes = NULL;
}

int tool_in_task(void) { return task_mark != NULL; }

char *tool_end_task(size_t *length)
{
    const tool_block *mark = task_mark ? (tool_block *)task_mark - 1 : NULL;
    size_t bytes = 0;
    *length = 0;
    if (!mark) return NULL;            /* not even that could be allocated */
    for (const note *n = notes; n; n = n->next) bytes += strlen(n->key) + strlen(n->line) + 2;
    char *lines = (char *)malloc(bytes + 1);
    if (!lines) tool_fail("out of memory");
    for (const note *n = notes; n; n = n->next)
        *length += (size_t)sprintf(lines + *length, "%s %s\n", n->key, n->line);
    notes = task_outer;
    while (tool_blocks != mark) tool_free(tool_blocks + 1);
    tool_free(task_mark);
    task_mark = NULL;
    return lines;
}

/* ---- All memory ------------------------------------------------------------ */

void (*tool_forget)(void);

void tool_free_all(void)
{
    task_mark = NULL;
    notes = NULL;
    tool_all_notes = 0;
    if (tool_forget) tool_forget();
    while (tool_blocks) {
        tool_block *next = tool_blocks->list.next;
        free(tool_blocks);
        tool_blocks = next;
    }
}
