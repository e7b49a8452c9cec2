/* parallel.h - independent tasks, dealt to processes as these become free
 *
 *     static const option_use uses[] = {..., PARALLEL_USES};
 *     ...
 *     parallel_run(count, parallel_read(&a), task, ctx, results, sizeof *results, "points");
 *
 * The processes are children of this one, or with MPI the ranks (docs/many-machines.md). */
#ifndef TOOLS_JOBS_PARALLEL_H
#define TOOLS_JOBS_PARALLEL_H

#include "jobs/deal.h"
#include "options/args.h"
#include "options/options.h"

#include <string.h>

#define PARALLEL_USES USE(PROCESSES), USE(JOURNAL), USE(SHARD)

/* Processors that are online, at least 1. */
size_t parallel_processors(void);

/* Takes these options for all runs that follow; returns how many processes there are to be
 * in one process's stead, of a run without MPI. */
size_t parallel_read(const args *a);

/* Runs `count` tasks, at most `processes` at a time, into results[count][result_bytes].
 * What comes out, notes among it, does not depend on `processes`, nor on what else does the
 * work. If tasks fail, so does the program, with what the first of them says; if a process
 * ends early, with EXIT_LOST. `what` names the work while it goes on. */
void parallel_run(size_t count, size_t processes, parallel_task task, void *ctx,
                  void *results, size_t result_bytes, const char *what);

/* The same where results are parallel_blob: results[count], whose data live until the
 * program ends. */
void parallel_gather(size_t count, size_t processes, parallel_task task, void *ctx,
                     parallel_blob *results, const char *what);

/* One piece of what a task hands over: from `own` to `at` if out, else from there to it.
 * Returns where the next one is. */
static inline char *parallel_move(char *at, void *own, size_t bytes, int out)
{
    if (bytes > 0) memcpy(out ? at : (char *)own, out ? (char *)own : at, bytes);
    return at + bytes;
}

/* What the tasks of the next run cost, beside each other: those that cost most begin first,
 * so that none is waited for in the end. */
void parallel_expect(const double *cost);

/* The next run may be little work: it begins in this process, and others are started for
 * what is left after some milliseconds. */
void parallel_begin_here(void);

/* Where the tasks of the next run are few and long: on a terminal `done` is asked several
 * times a second how much of `total` is done, also of a task alone, which is then left to
 * another process. What it looks at, and tasks change, is parallel_shared. */
void parallel_watch(size_t (*done)(const void *ctx), const void *ctx, size_t total);

/* In the next run `arrived` is called in this process as soon as the result of task i is there,
 * in any order; never with ranks or a journal. */
void parallel_arrive(void (*arrived)(void *ctx, size_t i), void *ctx);

/* Zeroed memory that is one for all processes at work; NULL where results are handed over in
 * any case, to ranks or a journal. */
void *parallel_shared(size_t count, size_t size);

/* ---- For program.c and sgdperf merge ----------------------------------------- */

/* The command line, as main has it. */
void parallel_begin(int argc, char **argv, const char *version);

/* Journals in place of work: all parts of one run. *argv[] is its command line, with the
 * format given (NULL: its own); returns its length. Fails over files that are not all parts
 * of one run. */
int parallel_merge(char *const *files, size_t count, const char *format, char ***argv);

#endif /* TOOLS_JOBS_PARALLEL_H */
