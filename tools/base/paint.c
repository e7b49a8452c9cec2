/* paint.c - colour on a terminal: the first word of what stderr is told, and headings */
#define _POSIX_C_SOURCE 200809L /* isatty, fileno */

#include "base/deal.h"
#include "base/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of each kind: what begins it, and whether it is to be seen. */
static const char *const paints[PAINT_KINDS] = {"\033[1;31m", "\033[1;36m", "\033[1m"};
static int painted[PAINT_KINDS];

/* As no-color.org says, and for a terminal that can; to a rank of MPI what mpirun collects,
 * perhaps for a file, looks like one. */
static int takes_paint(FILE *file)
{
    const char *const unwanted = getenv("NO_COLOR"), *const term = getenv("TERM");
    return !deal_mpi && !(unwanted && *unwanted != '\0') && term && *term != '\0' &&
           strcmp(term, "dumb") != 0 && isatty(fileno(file));
}

void paint_begin(void)
{
    painted[PAINT_ERROR] = painted[PAINT_NOTE] = takes_paint(stderr);
    painted[PAINT_HEADING] = takes_paint(stdout);
}

const char *paint(paint_kind kind) { return painted[kind] ? paints[kind] : ""; }

const char *paint_end(paint_kind kind) { return painted[kind] ? "\033[0m" : ""; }

/* ---- Help -------------------------------------------------------------------- */

/* The end of the line that begins at `line`. */
static const char *line_end(const char *line)
{
    const char *const end = strchr(line, '\n');
    return end ? end : line + strlen(line);
}

/* Is it one line at the margin, behind none there, over others further in? */
static int is_heading(const char *line, int behind_text)
{
    const char *const end = line_end(line);
    return !behind_text && *line != ' ' && end > line && end[0] == '\n' && end[1] == ' ';
}

void paint_help(output *out, const char *help)
{
    static const char usage[] = "usage:";
    int behind_text = 0;
    if (strncmp(help, usage, sizeof usage - 1) == 0) {
        output_print(out, "%s%s%s", paint(PAINT_HEADING), usage, paint_end(PAINT_HEADING));
        help += sizeof usage - 1;
        behind_text = 1;
    }
    while (*help != '\0') {
        const char *const end = line_end(help);
        const int heading = is_heading(help, behind_text), length = (int)(end - help);
        output_print(out, "%s%.*s%s%s", heading ? paint(PAINT_HEADING) : "", length, help,
                     heading ? paint_end(PAINT_HEADING) : "", *end == '\n' ? "\n" : "");
        behind_text = *help != ' ' && length > 0;
        help = *end == '\n' ? end + 1 : end;
    }
}
