/* progress.h - how far a command is, on a terminal */
#ifndef TOOLS_BASE_PROGRESS_H
#define TOOLS_BASE_PROGRESS_H

#include <stddef.h>

/* "what: done of total" on stderr, overwriting itself at most every 0.2 s; only when
 * stderr is a terminal. done == total clears the line. */
void tool_progress(const char *what, size_t done, size_t total);

/* Is stderr a terminal? Where keeping count costs time, it is only kept then. */
int tool_shows_progress(void);

/* 1: this process shows no progress. */
extern int tool_is_quiet;

/* tool_progress, with the time that is left; negative: not known. */
void tool_progress_left(const char *what, size_t done, size_t total, double left_s);

double tool_clock_s(void);

#endif /* TOOLS_BASE_PROGRESS_H */
