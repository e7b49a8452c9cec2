/* parallel.c - runs of tasks, dealt to children of fork or done here: see deal.h */
#define _DEFAULT_SOURCE        /* mmap without a file, recv                            */
#define _DARWIN_C_SOURCE

#include "jobs/parallel.h"

#include "base/forks.h"
#include "base/output.h"
#include "base/paint.h"
#include "base/progress.h"
#include "jobs/dealing.h"
#include "jobs/journal.h"

#include <errno.h>
#include <float.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t shard, shards;  /* from 1; 0: all                                     */
static size_t deals;          /* parallel_run so far                                */

size_t parallel_processors(void)
{
#ifdef _SC_NPROCESSORS_ONLN
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
#else
    return 1;
#endif
}

/* ---- Options --------------------------------------------------------------- */

static void read_shard(const args *a)
{
    const char *text = args_text(a, OPTION_SHARD, "");
    uint64_t i = 0, n = 0;
    char **part;
    if (!args_given(a, OPTION_SHARD)) return;
    if (args_split(text, '/', &part) != 2 || number_whole(part[1], 1, 1000000, &n) ||
        number_whole(part[0], 1, n, &i))
        args_fail(OPTION_SHARD, text, "is not I/N, with I from 1 to N");
    if (!args_given(a, OPTION_JOURNAL))
        args_fail(OPTION_SHARD, NULL, "needs --journal FILE, which stores the results of the part");
    if (deal_mpi) args_fail(OPTION_SHARD, NULL, "cannot be used under mpirun, which has ranks");
    shard = (size_t)i;
    shards = (size_t)n;
}

size_t parallel_read(const args *a)
{
    const size_t processes =
        (size_t)args_integer(a, OPTION_PROCESSES, 1, 4096, parallel_processors());
    if (deal_mpi && args_given(a, OPTION_PROCESSES))
        args_fail(OPTION_PROCESSES, NULL, "cannot be used under mpirun, which sets the number of "
                                          "processes");
    read_shard(a);
    if (args_given(a, OPTION_JOURNAL))
        journal_use(args_text(a, OPTION_JOURNAL, ""), shards > 0 ? shard : 1,
                    shards > 0 ? shards : 1);
    return deal_mpi ? 1 : processes;
}

static void check_dealt(void)
{
    if (shards > 0 && deals == 0)
        tool_fail("--shard: there is only one task: remove the option");
    if (deal_mpi && deals == 0)
        tool_note("one-task",
                  "there is only one task: each of the %lu ranks computed the whole task",
                  (unsigned long)deal_mpi->ranks);
    if (journal_is_used() && deals == 0)
        tool_note("one-task", "--journal has no effect: there is only one task");
}

void parallel_begin(int argc, char **argv, const char *version)
{
    output_check = check_dealt;
    journal_command(argc, argv, version);
}

int parallel_merge(char *const *files, size_t count, const char *format, char ***argv)
{
    return (int)journal_merge(files, count, format, argv);
}

/* ---- Children of fork ------------------------------------------------------------
 * A child reads a range from its socket, does it, and writes the length of the batch and
 * the batch. It ends when nothing comes any more: its parent has ended, or said so. */

typedef struct fork_child {
    int        socket;        /* -1: has ended                                      */
    deal_range range;         /* it is at                                           */
    char      *got;           /* [length] of what it writes, [room]                 */
    size_t     length, room;
} fork_child;

static int to_parent;

static int send_batch(const char *batch, size_t length)
{
    return forks_send(to_parent, &length, sizeof length) && forks_send(to_parent, batch, length);
}

TOOL_NORETURN static void serve(int socket, deal *d)
{
    deal_range range;
    to_parent = socket;
    while (forks_receive(socket, &range, sizeof range)) {
        size_t length = 0;
        const char *batch = deal_work(d, range, &length);
        if (!send_batch(batch, length)) _exit(EXIT_LOST);
    }
    _exit(EXIT_DONE);
}

/* 0 where the system has no process left. */
static int start(fork_child *child, size_t i, deal *d)
{
    int ends[2], started;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 0;
    started = forks_start(i);
    if (started == 0) {
        close(ends[0]);
        for (size_t k = 0; k < i; k++) close(child[k].socket);
        serve(ends[1], d);
    }
    close(ends[1]);
    if (started < 0) {
        close(ends[0]);
        return 0;
    }
    child[i].socket = ends[0];
    return 1;
}

/* Waits for a child that has ended or is about to: its status. */
static int reap(fork_child *child, size_t i)
{
    close(child[i].socket);
    child[i].socket = -1;
    int status = forks_wait(i);
    free(child[i].got);
    child[i].got = NULL;
    return status;
}

static void stop(fork_child *child, size_t i)
{
    if (child[i].socket < 0) return;
    forks_kill(i);
    (void)reap(child, i);
}

/* A child that ended without a reason that it told. */
TOOL_NORETURN static void lose(const deal *d, fork_child *child, size_t count, size_t i)
{
    const deal_range range = child[i].range;
    const int status = reap(child, i);
    char how[64];
    for (size_t k = 0; k < count; k++) stop(child, k);
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "signal %d ended the process", WTERMSIG(status));
    else
        snprintf(how, sizeof how, "a process ended early, status %d,", WEXITSTATUS(status));
    deal_lose(d, range, how);
}

/* Gives a child its next range, or lets it end. */
static void give(deal *d, fork_child *child, size_t count, size_t i)
{
    child[i].range = deal_next(d, count);
    if (child[i].range.from == child[i].range.to) (void)reap(child, i);
    else if (!forks_send(child[i].socket, &child[i].range, sizeof child[i].range))
        lose(d, child, count, i);
}

/* What a child has written: 1 once that is a whole batch, which follows its length. */
static int read_some(deal *d, fork_child *child, size_t count, size_t i)
{
    fork_child *c = &child[i];
    size_t need = sizeof need, length;
    if (c->length >= sizeof need) {
        memcpy(&length, c->got, sizeof length);
        need += length;
    }
    char *grown = need > c->length ? (char *)tool_room(c->got, &c->room, need, 1) : NULL;
    if (!grown) tool_fail("out of memory");
    c->got = grown;
    ssize_t n = recv(c->socket, c->got + c->length, need - c->length, 0);
    if (n < 0 && errno == EINTR) return 0;
    if (n <= 0) lose(d, child, count, i);
    c->length += (size_t)n;
    if (c->length < sizeof need) return 0;
    memcpy(&length, c->got, sizeof length);
    return c->length == sizeof need + length;
}

static void take_from(deal *d, fork_child *child, size_t count, size_t i)
{
    if (!read_some(d, child, count, i)) return;
    if (!deal_take(d, child[i].got + sizeof(size_t), child[i].length - sizeof(size_t)))
        lose(d, child, count, i);
    child[i].length = 0;
    give(d, child, count, i);
}

/* In children; 0 if none can be started. */
static int run_forks(deal *d, size_t processes)
{
    const size_t most = processes < FORKS_MOST ? processes : FORKS_MOST;
    const size_t wanted = most < d->open ? most : d->open;
    fork_child *child = (fork_child *)tool_alloc(wanted, sizeof *child);
    struct pollfd *wait = (struct pollfd *)tool_alloc(wanted, sizeof *wait);
    size_t count = 0;
    while (count < wanted && start(child, count, d)) count++;
    if (count == 0) return 0;
    deal_show(d);
    for (size_t i = 0; i < count; i++) give(d, child, count, i);
    while (!deal_is_over(d)) {
        for (size_t i = 0; i < count; i++) {
            wait[i].fd = child[i].socket;
            wait[i].events = POLLIN;
            wait[i].revents = 0;
        }
        if (poll(wait, (nfds_t)count, d->watch ? 200 : -1) < 0) continue;
        if (d->watch) deal_show(d);
        for (size_t i = 0; i < count; i++)
            if (wait[i].revents != 0 && child[i].socket >= 0) take_from(d, child, count, i);
    }
    for (size_t i = 0; i < count; i++) stop(child, i);
    return 1;
}

/* ---- Progress ------------------------------------------------------------------- */

static size_t (*watch)(const void *ctx); /* the next deal, as parallel_watch has it  */
static const void *watch_ctx;
static size_t watch_total;

void parallel_watch(size_t (*done)(const void *ctx), const void *ctx, size_t total)
{
    watch = tool_shows_progress() ? done : NULL;
    watch_ctx = ctx;
    watch_total = total;
}

void *parallel_shared(size_t count, size_t size)
{
    const size_t bytes = count > 0 && size > 0 ? count * size : 1;
    if (deal_mpi || journal_is_used()) return NULL;
    if (size > 0 && count > (size_t)-1 / size) tool_fail("out of memory");
    void *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) tool_fail("out of memory");
    return made;
}

static void (*arrive)(void *ctx, size_t i); /* of the next deal                   */
static void *arrive_ctx;

void parallel_arrive(void (*arrived)(void *ctx, size_t i), void *ctx)
{
    arrive = deal_mpi || journal_is_used() ? NULL : arrived;
    arrive_ctx = ctx;
}

static void take_watch(deal *d)
{
    d->arrived = arrive;
    d->arrived_ctx = arrive_ctx;
    arrive = NULL;
    d->watch = watch;
    d->watch_ctx = watch_ctx;
    d->watch_total = watch_total;
    watch = NULL;
}

/* ---- Runs ------------------------------------------------------------------ */

/* Here, one after the other, as long as no more time has passed than that. */
static void run_here(deal *d, size_t workers, double most_s)
{
    deal_range range = deal_next(d, workers);
    deal_show(d);
    while (range.from < range.to) {
        size_t length = 0;
        const char *done = deal_work(d, range, &length);
        (void)deal_take(d, done, length);
        if (tool_clock_s() - d->began_s > most_s) break;
        range = deal_next(d, workers);
    }
}

static int begins_here;       /* the next deal                                      */

void parallel_begin_here(void) { begins_here = 1; }

static const double *expected; /* for the next deal                                  */

void parallel_expect(const double *cost) { expected = cost; }

/* For qsort: what costs more, then by index. */
static int costs_more(const void *a, const void *b)
{
    const size_t i = *(const size_t *)a, k = *(const size_t *)b;
    if (expected && (expected[i] > expected[k] || expected[i] < expected[k]))
        return expected[i] > expected[k] ? -1 : 1;
    return i < k ? -1 : i > k;
}

static void deal_new(deal *d, size_t count, parallel_task task, void *ctx, const char *what)
{
    d->task = task;
    d->ctx = ctx;
    d->what = what;
    d->count = d->refused = count;
    d->number = deals++;
    take_watch(d);
    d->notes = (parallel_blob *)tool_alloc(count, sizeof *d->notes);
    d->state = (unsigned char *)tool_alloc(count, 1);
    for (size_t i = 0; i < count; i++)
        if (shards > 0 && i % shards != shard - 1) d->state[i] = DEAL_ELSEWHERE;
        else d->left++;
    d->open = d->all = d->left;
    d->order = (size_t *)tool_alloc(count, sizeof *d->order);
    for (size_t i = 0; i < count; i++) d->order[i] = i;
    if (expected) qsort(d->order, count, sizeof *d->order, costs_more);
    expected = NULL;
}

TOOL_NORETURN static void end_shard(const deal *d)
{
    size_t own = 0;
    for (size_t i = 0; i < d->count; i++) own += d->state[i] == DEAL_DONE;
    fprintf(stderr, "sgdperf: %snote:%s shard %lu/%lu: %lu of %lu tasks%s\n", paint(PAINT_NOTE),
            paint_end(PAINT_NOTE), (unsigned long)shard, (unsigned long)shards,
            (unsigned long)own, (unsigned long)d->count, journal_text());
    exit(EXIT_DONE);
}

static void run_local(deal *d, size_t processes)
{
    const double little_s = 0.003;     /* beside which a process would be dear         */
    const int alone = (processes < 2 || d->left < 2) && !d->watch;
    if (begins_here && !alone) run_here(d, processes, little_s);
    begins_here = 0;
    if (deal_is_over(d)) return;
    if (alone || !run_forks(d, processes)) run_here(d, 1, DBL_MAX);
}

static void deal_run(deal *d, size_t processes)
{
    journal_open(d, deal_keep);
    d->began_s = tool_clock_s();
    d->began_left = d->left;
    if (deal_mpi) deal_mpi->run(d, journal_print(d));
    else run_local(d, processes);
    tool_progress(d->what, d->count, d->count);
    journal_sync();
    if (d->refused < d->count) tool_fail("%s", d->why);
    if (shards > 0) end_shard(d);
    for (size_t i = 0; i < d->count; i++)
        tool_say_notes(d->notes[i].data, d->notes[i].length);
}

void parallel_run(size_t count, size_t processes, parallel_task task, void *ctx,
                  void *results, size_t result_bytes, const char *what)
{
    deal d = {0};
    deal_new(&d, count, task, ctx, what);
    d.results = (char *)results;
    d.bytes = result_bytes;
    deal_run(&d, processes);
}

void parallel_gather(size_t count, size_t processes, parallel_task task, void *ctx,
                     parallel_blob *results, const char *what)
{
    deal d = {0};
    deal_new(&d, count, task, ctx, what);
    d.blobs = results;
    deal_run(&d, processes);
}
