/* progress.c - how far a command is, on a terminal */
#define _POSIX_C_SOURCE 200809L /* isatty, fileno, clock_gettime */

#include "base/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

int tool_is_quiet;

int tool_shows_progress(void) { return !tool_is_quiet && isatty(fileno(stderr)); }

double tool_clock_s(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0.0;
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* "3 min", of which the last digit that is shown moves slowly. */
static const char *time_text(double s, char *text, size_t bytes)
{
    const double up = s + 0.5;
    if (up < 90.0) snprintf(text, bytes, "%.0f s", s > 1.0 ? s : 1.0);
    else if (up < 5400.0) snprintf(text, bytes, "%.0f min", s / 60.0);
    else if (up < 129600.0) snprintf(text, bytes, "%.0f h", s / 3600.0);
    else snprintf(text, bytes, "%.0f d", s / 86400.0);
    return text;
}

void tool_progress_left(const char *what, size_t done, size_t total, double left_s)
{
    static double shown_s = -1.0;
    char left[32];
    if (!tool_shows_progress()) return;
    double now_s = tool_clock_s();
    if (done < total && shown_s >= 0.0 && now_s - shown_s < 0.2) return;
    shown_s = now_s;
    if (done >= total) fputs("\r\033[K", stderr);
    else if (left_s >= 0.0)
        fprintf(stderr, "\r%s: %lu of %lu, about %s left\033[K", what, (unsigned long)done,
                (unsigned long)total, time_text(left_s, left, sizeof left));
    else fprintf(stderr, "\r%s: %lu of %lu\033[K", what, (unsigned long)done,
                 (unsigned long)total);
    fflush(stderr);
}

void tool_progress(const char *what, size_t done, size_t total)
{
    tool_progress_left(what, done, total, -1.0);
}
