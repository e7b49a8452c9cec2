/* parallel.c - independent tasks in child processes: fork, and a pipe for the result */
#define _POSIX_C_SOURCE 200809L /* fork, pipe, kill, sysconf */

#include "base/parallel.h"

#include "base/tool.h"

#include <stdlib.h>

#if defined(__unix__) || defined(__APPLE__)
#define PARALLEL_FORK 1
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#else
#define PARALLEL_FORK 0
#endif

/* What a pipe holds at least until it is read, which is when its child has ended. */
enum { PARALLEL_BYTES = 4096 };

static void run_here(size_t count, parallel_task task, void *ctx, char *results,
                     size_t result_bytes, const char *what)
{
    size_t i;
    for (i = 0; i < count; i++) {
        tool_progress(what, i, count);
        task(ctx, i, results + i * result_bytes);
    }
    tool_progress(what, count, count);
}

#if PARALLEL_FORK

typedef struct parallel_child { pid_t process; int result; size_t task; } parallel_child;

size_t parallel_processors(void)
{
#ifdef _SC_NPROCESSORS_ONLN
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
#else
    return 1;
#endif
}

static void report_nothing(const char *line) { (void)line; }

/* In the child: works, writes its result and ends. What it fails over is said later. */
TOOL_NORETURN static void serve(int to, parallel_task task, void *ctx, size_t i, size_t bytes)
{
    char *result = (char *)tool_alloc(bytes, 1);
    size_t done = 0;
    tool_report = report_nothing;
    task(ctx, i, result);
    while (done < bytes) {
        const ssize_t n = write(to, result + done, bytes - done);
        if (n < 0 && errno != EINTR) _exit(EXIT_BAD_INPUT);
        if (n > 0) done += (size_t)n;
    }
    _exit(EXIT_DONE);
}

/* A child for task i; 0 where the system has none left. */
static int start(parallel_child *child, parallel_task task, void *ctx, size_t i, size_t bytes)
{
    int ends[2];
    if (pipe(ends) != 0) return 0;
    fflush(NULL);                      /* or a child that fails would write it again */
    child->task = i;
    child->result = ends[0];
    child->process = fork();
    if (child->process == 0) {
        close(ends[0]);
        serve(ends[1], task, ctx, i, bytes);
    }
    close(ends[1]);
    if (child->process > 0) return 1;
    close(ends[0]);
    return 0;
}

/* The result of a child that has ended: 0 if there is none. */
static int collect(const parallel_child *child, char *result, size_t bytes)
{
    size_t got = 0;
    ssize_t n = 1;
    while (got < bytes && n != 0) {
        n = read(child->result, result + got, bytes - got);
        if (n < 0 && errno != EINTR) break;
        if (n > 0) got += (size_t)n;
    }
    return got == bytes;
}

/* Ends the children of the task `from` and of those behind it. */
static void stop(parallel_child *child, size_t *running, size_t from)
{
    size_t i = 0;
    while (i < *running) {
        if (child[i].task < from) { i++; continue; }
        kill(child[i].process, SIGTERM);
        while (waitpid(child[i].process, NULL, 0) < 0 && errno == EINTR) { }
        close(child[i].result);
        child[i] = child[--*running];
    }
}

/* Waits for one of the children and takes its result. A task that fails stops those behind
 * it: *refused becomes the first such task. */
static void finish_one(parallel_child *child, size_t *running, char *results, size_t bytes,
                       size_t *refused)
{
    int status = 0, how, done;
    size_t i = 0, task;
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended < 0 && errno == EINTR) return;
    while (i < *running && child[i].process != ended) i++;
    if (ended > 0 && i == *running) return; /* of somebody else */
    how = ended > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    task = ended > 0 ? child[i].task : 0;
    done = how == EXIT_DONE && collect(&child[i], results + task * bytes, bytes);
    if (ended > 0) {
        close(child[i].result);
        child[i] = child[--*running];
    }
    if (done) return;
    if (how == EXIT_BAD_INPUT && task < *refused) *refused = task;
    stop(child, running, how == EXIT_BAD_INPUT ? *refused : 0);
    if (how != EXIT_BAD_INPUT) tool_fail("a process that did a part of the work ended early");
}

void parallel_run(size_t count, size_t processes, parallel_task task, void *ctx,
                  void *results, size_t result_bytes, const char *what)
{
    parallel_child *child;
    size_t running = 0, next = 0, refused = count;
    if (processes > count) processes = count;
    if (processes < 2 || result_bytes > PARALLEL_BYTES) {
        run_here(count, task, ctx, (char *)results, result_bytes, what);
        return;
    }
    child = (parallel_child *)tool_alloc(processes, sizeof *child);
    while ((next < count && refused == count) || running > 0) {
        tool_progress(what, next - running, count);
        if (next < count && refused == count && running < processes) {
            const int started = start(&child[running], task, ctx, next, result_bytes);
            if (started) { running++; next++; continue; }
            if (running == 0) tool_fail("no process can be started: %s", strerror(errno));
        }
        finish_one(child, &running, (char *)results, result_bytes, &refused);
    }
    tool_progress(what, count, count);
    if (refused == count) return;
    task(ctx, refused, tool_alloc(result_bytes, 1)); /* once more, to say why */
    tool_fail("a process that did a part of the work ended early");
}

#else

size_t parallel_processors(void) { return 1; }

void parallel_run(size_t count, size_t processes, parallel_task task, void *ctx,
                  void *results, size_t result_bytes, const char *what)
{
    (void)processes;
    run_here(count, task, ctx, (char *)results, result_bytes, what);
}

#endif
