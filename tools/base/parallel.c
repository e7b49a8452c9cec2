/* parallel.c - tasks dealt in ranges, and what comes of them: see deal.h */
#define _POSIX_C_SOURCE 200809L /* sysconf */

#include "base/parallel.h"

#include "base/csv.h"
#include "base/deal.h"
#include "base/paint.h"
#include "base/progress.h"

#include <float.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const deal_ranks *deal_mpi;

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
    const char *text = args_text(a, "--shard", "");
    uint64_t i = 0, n = 0;
    char **part;
    if (!args_given(a, "--shard")) return;
    if (args_split(text, '/', &part) != 2 || number_whole(part[1], 1, 1000000, &n) ||
        number_whole(part[0], 1, n, &i))
        args_fail("--shard", text, "is not I/N, with I from 1 to N");
    if (!args_given(a, "--journal"))
        args_fail("--shard", NULL, "needs --journal FILE, where its part is kept");
    if (deal_mpi) args_fail("--shard", NULL, "not under mpirun, which has ranks");
    shard = (size_t)i;
    shards = (size_t)n;
}

size_t parallel_read(const args *a)
{
    const size_t processes =
        (size_t)args_integer(a, "--processes", 1, 4096, parallel_processors());
    if (deal_mpi && args_given(a, "--processes"))
        args_fail("--processes", NULL, "not under mpirun, which says how many");
    read_shard(a);
    if (args_given(a, "--journal"))
        journal_use(args_text(a, "--journal", ""), shards > 0 ? shard : 1,
                    shards > 0 ? shards : 1);
    return processes;
}

static void check_dealt(void)
{
    if (shards > 0 && deals == 0)
        tool_fail("--shard: there is only one task here, leave it out");
    if (deal_mpi && deals == 0)
        tool_note("only one task here: all %lu ranks did it", (unsigned long)deal_mpi->ranks);
    if (journal_is_used() && deals == 0)
        tool_note("--journal: nothing to keep, there is only one task here");
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

/* ---- Who works ------------------------------------------------------------- */

/* The batch under way, in a process that works. */
static char  *batch;
static size_t batch_length, batch_room;

static void add_bytes(const void *data, size_t length)
{
    if (batch_room - batch_length < length) {
        const size_t room = 2 * batch_room + length + 4096;
        char *grown = (char *)realloc(batch, room);
        if (!grown) tool_fail("out of memory");
        batch = grown;
        batch_room = room;
    }
    if (length > 0) memcpy(batch + batch_length, data, length);
    batch_length += length;
}

static jmp_buf task_failed;
static size_t  task_began;    /* of its record in the batch                          */
static void  (*report_outside)(const char *line);

/* In place of tool_report: ends the task. Where there is no memory for that, the program. */
static void keep_failure(const char *line)
{
    deal_record head = {0, 0, 0, 1, 0.0};
    tool_report = report_outside;
    batch_length = task_began;         /* what the task has added is no record       */
    head.notes = strlen(line);
    add_bytes(&head, sizeof head);
    add_bytes(line, strlen(line));
    longjmp(task_failed, 1);
}

/* What it notes, by malloc. */
static char *end_task(size_t *length)
{
    csv_end_task();
    return tool_end_task(length);
}

static void do_task(deal *d, size_t i)
{
    const double began_s = tool_clock_s();
    deal_record head = {0, 0, 0, 0, 0.0};
    parallel_blob blob = {NULL, 0};
    char *notes;
    size_t length = 0;
    tool_begin_task();
    if (d->results) {
        blob.length = d->bytes;
        blob.data = (char *)tool_alloc(d->bytes, 1);
        d->task(d->ctx, i, blob.data);
    } else {
        d->task(d->ctx, i, &blob);
    }
    head.task = i;
    head.length = blob.length;
    head.spent_s = tool_clock_s() - began_s;
    add_bytes(&head, sizeof head);
    add_bytes(blob.data, blob.length);
    notes = end_task(&length);
    head.notes = length;
    memcpy(batch + batch_length - blob.length - sizeof head, &head, sizeof head);
    add_bytes(notes, length);
    free(notes);
}

/* The record of a task that failed, which keep_failure has added. */
static void end_failed(size_t task)
{
    deal_record head;
    size_t ignored;
    memcpy(&head, batch + task_began, sizeof head);
    head.task = task;
    memcpy(batch + task_began, &head, sizeof head);
    free(end_task(&ignored));
    tool_report = keep_failure;
}

const char *deal_work(deal *d, deal_range range, size_t *length)
{
    volatile size_t at = range.from;
    batch_length = 0;
    report_outside = tool_report;
    tool_report = keep_failure;
    if (setjmp(task_failed) != 0) end_failed(d->order[at++]);
    for (; at < range.to; at++) {
        task_began = batch_length;
        do_task(d, d->order[at]);
    }
    tool_report = report_outside;
    *length = batch_length;
    return batch;
}

/* ---- Who deals ------------------------------------------------------------- */

/* Behind a task that failed nothing is. */
static int is_wanted(const deal *d, size_t at)
{
    return d->state[d->order[at]] == DEAL_OPEN && d->order[at] < d->refused;
}

/* As many as take about 20 ms, so that to deal them costs next to nothing, but not so many
 * that others would wait in the end. */
deal_range deal_next(deal *d, size_t workers)
{
    const double worth_s = 0.02, most_bytes = 1e6;
    deal_range range;
    size_t most = d->open / (4 * workers);
    if (d->task_s <= 0.0) most = 1;
    else if ((double)most > worth_s / d->task_s) most = (size_t)(worth_s / d->task_s);
    if ((double)most * (double)d->bytes > most_bytes)
        most = (size_t)(most_bytes / (double)d->bytes);
    if (most == 0) most = 1;
    while (d->next < d->count && !is_wanted(d, d->next)) d->next++;
    range.from = range.to = d->next;
    while (range.to < d->count && range.to - range.from < most && is_wanted(d, range.to))
        d->state[d->order[range.to++]] = DEAL_DEALT;
    d->next = range.to;
    d->open -= range.to - range.from;
    return range;
}

int deal_is_over(const deal *d)
{
    size_t i;
    if (d->left == 0) return 1;
    if (d->refused == d->count) return 0;
    for (i = 0; i < d->refused && d->state[i] != DEAL_DEALT && d->state[i] != DEAL_OPEN; i++)
        continue;
    return i == d->refused;
}

static void refuse(deal *d, size_t task, const char *why, size_t length)
{
    if (task >= d->refused) return;
    d->refused = task;
    d->why = (char *)tool_alloc(length + 1, 1);
    memcpy(d->why, why, length);
}

static int fits(const deal *d, const deal_record *head)
{
    return head->task < d->count && (!d->results || head->length == d->bytes);
}

static void keep(deal *d, const deal_record *head, const char *data)
{
    const size_t i = (size_t)head->task, length = (size_t)head->length;
    char *to = d->results ? d->results + i * d->bytes : (char *)tool_alloc(length, 1);
    if (length > 0) memcpy(to, data, length);
    if (!d->results) { d->blobs[i].data = to; d->blobs[i].length = length; }
    d->notes[i].length = (size_t)head->notes;
    if (head->notes > 0) {
        d->notes[i].data = (char *)tool_alloc(head->notes, 1);
        memcpy(d->notes[i].data, data + length, (size_t)head->notes);
    }
    if (d->state[i] == DEAL_OPEN) d->open--;
    if (d->state[i] < DEAL_DONE) d->left--;
    d->state[i] = DEAL_DONE;
}

int deal_keep(deal *d, const deal_record *head, const char *data)
{
    if (!fits(d, head)) return 0;
    if (d->state[head->task] != DEAL_DONE) keep(d, head, data);
    return 1;
}

int deal_take(deal *d, const char *from, size_t length)
{
    deal_record head;
    double spent_s = 0.0;
    size_t tasks = 0, at = 0;
    while (at < length) {
        if (length - at < sizeof head) return 0;
        memcpy(&head, from + at, sizeof head);
        at += sizeof head;
        if (head.length > length - at || head.notes > length - at - head.length) return 0;
        if (head.task >= d->count || (!head.failed && !fits(d, &head))) return 0;
        if (head.failed) {
            refuse(d, (size_t)head.task, from + at, (size_t)head.notes);
        } else if (d->state[head.task] != DEAL_DONE) {
            journal_add(d, &head, from + at);
            keep(d, &head, from + at);
            spent_s += head.spent_s;
            tasks++;
        }
        at += (size_t)(head.length + head.notes);
    }
    if (tasks > 0) d->task_s = spent_s / (double)tasks > 1e-9 ? spent_s / (double)tasks : 1e-9;
    deal_show(d);
    return 1;
}

void deal_lose(const deal *d, deal_range range, const char *how)
{
    char which[64];
    tool_progress(d->what, d->count, d->count);
    snprintf(which, sizeof which, "task %lu%s",
             range.from < d->count ? (unsigned long)d->order[range.from] + 1 : 0,
             range.to - range.from < 2 ? "" : " or one of the next");
    journal_sync();
    tool_lose("%s: %s with %s of %lu%s", d->what, how, which, (unsigned long)d->count,
              journal_text());
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
    size_t i;
    d->task = task;
    d->ctx = ctx;
    d->what = what;
    d->count = d->refused = count;
    d->number = deals++;
    deal_watch(d);
    d->notes = (parallel_blob *)tool_alloc(count, sizeof *d->notes);
    d->state = (unsigned char *)tool_alloc(count, 1);
    for (i = 0; i < count; i++)
        if (shards > 0 && i % shards != shard - 1) d->state[i] = DEAL_ELSEWHERE;
        else d->left++;
    d->open = d->all = d->left;
    d->order = (size_t *)tool_alloc(count, sizeof *d->order);
    for (i = 0; i < count; i++) d->order[i] = i;
    if (expected) qsort(d->order, count, sizeof *d->order, costs_more);
    expected = NULL;
}

TOOL_NORETURN static void end_shard(const deal *d)
{
    size_t i, own = 0;
    for (i = 0; i < d->count; i++) own += d->state[i] == DEAL_DONE;
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
    if (alone || !forks_run(d, processes)) run_here(d, 1, DBL_MAX);
}

static void deal_run(deal *d, size_t processes)
{
    size_t i;
    journal_open(d);
    d->began_s = tool_clock_s();
    d->began_left = d->left;
    if (deal_mpi) deal_mpi->run(d, journal_print(d));
    else run_local(d, processes);
    tool_progress(d->what, d->count, d->count);
    journal_sync();
    if (d->refused < d->count) tool_fail("%s", d->why);
    if (shards > 0) end_shard(d);
    for (i = 0; i < d->count; i++)
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
