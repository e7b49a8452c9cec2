/* tool.c - how the program ends, its memory, its progress */
#define _POSIX_C_SOURCE 200809L /* isatty, fileno, clock_gettime */

#include "base/tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Ends ------------------------------------------------------------------ */

static void report_on_stderr(const char *line) { fprintf(stderr, "sgdperf: %s\n", line); }

void (*tool_report)(const char *line) = report_on_stderr;

void tool_fail(const char *format, ...)
{
    char line[1024];
    va_list arguments;
    size_t i;
    int length;
    va_start(arguments, format);
    length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0) line[0] = '\0';
    if (length >= (int)sizeof line) memcpy(line + sizeof line - 4, "...", 4);
    /* The values quoted come from files and shells: they must not break the line. */
    for (i = 0; line[i] != '\0'; i++)
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f) line[i] = '?';
    tool_report(line);
    exit(EXIT_BAD_INPUT);
}

/* ---- Memory ---------------------------------------------------------------- */

typedef union tool_block {
    union tool_block *next;
    double   align_double;
    uint64_t align_integer;
    void    *align_pointer;
} tool_block;

/* Reachable until the end, so that a leak checker finds nothing to report. */
static tool_block *tool_blocks;

void *tool_alloc(uint64_t count, size_t size)
{
    tool_block *block = NULL;
    if (size == 0 || count <= ((size_t)-1 - sizeof *block) / size)
        block = (tool_block *)calloc(1, sizeof *block + (size_t)count * size);
    if (!block) tool_fail("out of memory");
    block->next = tool_blocks;
    tool_blocks = block;
    return block + 1;
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
    while (tool_blocks) {
        tool_block *next = tool_blocks->next;
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
