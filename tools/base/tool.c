/* tool.c - how the program ends, its memory, its progress */
#define _POSIX_C_SOURCE 200809L /* isatty, fileno, clock_gettime */

#include "base/inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Ends ------------------------------------------------------------------ */

enum { TOOL_LINE = 1024 };    /* bytes of a message with its zero                   */

static void report_on_stderr(const char *line) { fprintf(stderr, "sgdperf: %s\n", line); }

void (*tool_report)(const char *line) = report_on_stderr;

/* The values quoted come from files and shells: they must not break the line. */
TOOL_PRINTF(2, 0)
static void write_line(char line[TOOL_LINE], const char *format, va_list arguments)
{
    const int length = vsnprintf(line, TOOL_LINE, format, arguments);
    size_t i;
    if (length < 0) line[0] = '\0';
    if (length >= TOOL_LINE) memcpy(line + TOOL_LINE - 4, "...", 4);
    for (i = 0; line[i] != '\0'; i++)
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f) line[i] = '?';
}

void tool_fail(const char *format, ...)
{
    char line[TOOL_LINE];
    va_list arguments;
    va_start(arguments, format);
    write_line(line, format, arguments);
    va_end(arguments);
    tool_report(line);
    exit(EXIT_BAD_INPUT);
}

typedef struct note { struct note *next; char line[TOOL_LINE]; } note;

static note *notes;           /* in the order of their coming                       */

void tool_note(const char *format, ...)
{
    note **end = &notes, *added = (note *)tool_alloc(1, sizeof *added);
    va_list arguments;
    va_start(arguments, format);
    write_line(added->line, format, arguments);
    va_end(arguments);
    while (*end && strcmp((*end)->line, added->line) != 0) end = &(*end)->next;
    if (!*end) *end = added;
}

void tool_print_notes(void)
{
    for (; notes; notes = notes->next) fprintf(stderr, "sgdperf: note: %s\n", notes->line);
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

void *tool_grow(const void *old, size_t count, size_t *capacity, size_t need, size_t size)
{
    size_t room = *capacity < 16 ? 16 : *capacity;
    void *grown;
    while (room < need && room <= (size_t)-1 / 2) room *= 2;
    if (room < need) room = need;
    grown = tool_alloc(room, size);
    if (count > 0) memcpy(grown, old, count * size);
    *capacity = room;
    return grown;
}

void tool_free_all(void)
{
    notes = NULL;
    csv_forget_columns();
    while (tool_blocks) {
        tool_block *next = tool_blocks->list.next;
        free(tool_blocks);
        tool_blocks = next;
    }
}

/* ---- Progress -------------------------------------------------------------- */

int tool_shows_progress(void) { return isatty(fileno(stderr)); }

void tool_progress(const char *what, size_t done, size_t total)
{
    static double shown_s = -1.0;
    struct timespec now;
    double now_s;
    if (!tool_shows_progress() || clock_gettime(CLOCK_MONOTONIC, &now) != 0) return;
    now_s = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
    if (done < total && shown_s >= 0.0 && now_s - shown_s < 0.2) return;
    shown_s = now_s;
    if (done < total) fprintf(stderr, "\r%s: %lu of %lu\033[K", what, (unsigned long)done,
                              (unsigned long)total);
    else fputs("\r\033[K", stderr);
    fflush(stderr);
}
