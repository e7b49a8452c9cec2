/* paint.c - colour on a terminal: the first word of what stderr is told, and headings */
#define _POSIX_C_SOURCE 200809L /* isatty, fileno */

#include "base/paint.h"


#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of each kind: what begins it, and whether it is to be seen. */
static const char *const paints[PAINT_KINDS] = {"\033[1;31m", "\033[1;36m", "\033[1m"};
static int painted[PAINT_KINDS];

/* As no-color.org says, and for a terminal that can. */
static int takes_paint(FILE *file)
{
    const char *const unwanted = getenv("NO_COLOR"), *const term = getenv("TERM");
    return !(unwanted && *unwanted != '\0') && term && *term != '\0' &&
           strcmp(term, "dumb") != 0 && isatty(fileno(file));
}

void paint_begin(void)
{
    painted[PAINT_ERROR] = painted[PAINT_NOTE] = takes_paint(stderr);
    painted[PAINT_HEADING] = takes_paint(stdout);
}

const char *paint(paint_kind kind) { return painted[kind] ? paints[kind] : ""; }

const char *paint_end(paint_kind kind) { return painted[kind] ? "\033[0m" : ""; }
