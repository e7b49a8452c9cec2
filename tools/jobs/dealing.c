/* dealing.c - who works and who deals: see deal.h */
#include "jobs/dealing.h"

#include "base/csv.h"
#include "base/progress.h"
#include "jobs/journal.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const deal_ranks *deal_mpi;

/* ---- Progress ------------------------------------------------------------------- */

void deal_show(const deal *d)
{
    const double spent_s = tool_clock_s() - d->began_s;
    const size_t done = d->watch                   ? d->watch(d->watch_ctx)
                        : d->began_left > d->left ? d->began_left - d->left : 0;
    const size_t all = d->watch ? d->watch_total : d->all;
    const size_t left = !d->watch ? d->left : done < all ? all - done : 0;
    if (!tool_shows_progress()) return;
    tool_progress_left(d->what, all - left, all,
                       done > 0 ? spent_s / (double)done * (double)left : -1.0);
}

/* ---- Who works ------------------------------------------------------------- */

/* The batch under way, in a process that works. */
static char  *batch;
static size_t batch_length, batch_room;

static void add_bytes(const void *data, size_t length)
{
    char *grown = (char *)tool_room(batch, &batch_room, batch_length + length, 1);
    if (!grown) tool_fail("out of memory");
    batch = grown;
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
    char *notes = end_task(&length);
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
            if (d->arrived) d->arrived(d->arrived_ctx, (size_t)head.task);
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
