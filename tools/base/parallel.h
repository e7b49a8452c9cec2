/* parallel.h - independent tasks in child processes */
#ifndef TOOLS_BASE_PARALLEL_H
#define TOOLS_BASE_PARALLEL_H

#include <stddef.h>

/* Task i, from 0: fills result[result_bytes], whose pointers mean nothing outside. */
typedef void (*parallel_task)(void *ctx, size_t i, void *result);

/* Processors that are online, at least 1. */
size_t parallel_processors(void);

/* Runs `count` tasks, at most `processes` at a time, into results[count][result_bytes].
 * What comes out does not depend on `processes`. One process, a result of more than 4096
 * bytes, or a system that has no fork: they run here, one after the other. If tasks fail,
 * so does the program, with what the first of them says; their notes are lost, so that a
 * task must take none. `what` names the work while it goes on. */
void parallel_run(size_t count, size_t processes, parallel_task task, void *ctx,
                  void *results, size_t result_bytes, const char *what);

#endif /* TOOLS_BASE_PARALLEL_H */
