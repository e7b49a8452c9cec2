/* deal_mpi.c - tasks dealt to the ranks of MPI as these become free: see deal.h
 *
 * Rank 0 deals, takes what comes, and keeps the journal; the others work. A worker says
 * that it is there with the print of its run (journal_print), then hands over a batch for
 * each range that it gets. When all is done rank 0 sends everybody everything, so that all
 * ranks go on alike: a later deal may depend on this one.
 *
 * Who waits sleeps between two looks, at most WAIT_NS: a rank that waits costs no core. */
#define _POSIX_C_SOURCE 200809L /* nanosleep, dup */

#include "jobs/deal_mpi.h"

#include "base/file.h"
#include "base/progress.h"
#include "jobs/dealing.h"
#include "jobs/journal.h"

#include <mpi.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TAG_READY = 1, TAG_BATCH, TAG_RANGE };
enum { WAIT_NS = 50000, WAIT_LOOKS = 200, PIECE = 1 << 26 };

static deal_ranks self;
static FILE      *real_stderr; /* of a rank that is silent                          */

/* ---- Messages -------------------------------------------------------------- */

/* Waits for a message; returns its length, and whose and what it is. */
static size_t wait_for(int source, int tag, MPI_Status *status)
{
    const struct timespec pause = {0, WAIT_NS};
    int there = 0, looks = 0, length = 0;
    for (;;) {
        MPI_Iprobe(source, tag, MPI_COMM_WORLD, &there, status);
        if (there) break;
        if (++looks > WAIT_LOOKS) nanosleep(&pause, NULL);
    }
    MPI_Get_count(status, MPI_BYTE, &length);
    return (size_t)length;
}

/* The next message, in memory that the next call takes back. */
static char *receive(int source, int tag, MPI_Status *status, size_t *length)
{
    static char *buffer;
    static size_t room;
    *length = wait_for(source, tag, status);
    if (room < *length + 1) {
        free(buffer);
        room = 2 * *length + 4096;
        buffer = (char *)malloc(room);
        if (!buffer) tool_fail("out of memory");
    }
    MPI_Recv(buffer, (int)*length, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG,
             MPI_COMM_WORLD, status);
    return buffer;
}

static void send_bytes(int to, int tag, const void *data, size_t length)
{
    if (length > INT_MAX) tool_fail("a result has more than 2 GiB");
    MPI_Send(data, (int)length, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

static void spread(void *data, size_t length)
{
    char *at = (char *)data;
    while (length > 0) {
        const size_t piece = length < PIECE ? length : PIECE;
        MPI_Bcast(at, (int)piece, MPI_BYTE, 0, MPI_COMM_WORLD);
        at += piece;
        length -= piece;
    }
}

/* ---- A rank that works ------------------------------------------------------ */

static void work(deal *d, uint64_t print)
{
    MPI_Status status;
    size_t length;
    send_bytes(0, TAG_READY, &print, sizeof print);
    for (;;) {
        deal_range range;
        const char *batch;
        const char *message = receive(0, TAG_RANGE, &status, &length);
        memcpy(&range, message, sizeof range);
        if (range.from == range.to) return;
        batch = deal_work(d, range, &length);
        send_bytes(0, TAG_BATCH, batch, length);
    }
}

/* ---- The rank that deals ---------------------------------------------------- */

/* at: of each rank, its range */
static void give(deal *d, deal_range *at, int to)
{
    at[to] = deal_next(d, self.ranks - 1);
    if (at[to].from < at[to].to) send_bytes(to, TAG_RANGE, &at[to], sizeof at[to]);
}

/* Fails over the first task that failed, as soon as those before it are done. */
static void take(deal *d, deal_range *at, int from, const char *batch, size_t length)
{
    if (!deal_take(d, batch, length)) deal_lose(d, at[from], "a rank sent no result");
    give(d, at, from);
    if (d->refused < d->count && deal_is_over(d)) {
        journal_sync();
        tool_fail("%s", d->why);
    }
}

static void deal_out(deal *d, uint64_t print)
{
    const deal_range none = {0, 0};
    const int ranks = (int)self.ranks;
    deal_range *at = (deal_range *)tool_alloc(self.ranks, sizeof *at);
    MPI_Status status;
    uint64_t other = 0;
    size_t length;
    int ready = 1, i;
    while (ready < ranks || !deal_is_over(d)) {
        const char *message = receive(MPI_ANY_SOURCE, MPI_ANY_TAG, &status, &length);
        if (status.MPI_TAG == TAG_BATCH) {
            take(d, at, status.MPI_SOURCE, message, length);
            continue;
        }
        memcpy(&other, message, sizeof other);
        if (other != print)
            tool_fail("rank %d reads other inputs, or is another program", status.MPI_SOURCE);
        ready++;
        give(d, at, status.MPI_SOURCE);
    }
    for (i = 1; i < ranks; i++) send_bytes(i, TAG_RANGE, &none, sizeof none);
}

/* ---- All -------------------------------------------------------------------- */

/* What rank 0 has, as one batch. */
static char *all_results(const deal *d, size_t *length)
{
    size_t bytes = 0, i;
    char *all, *at;
    for (i = 0; i < d->count; i++)
        bytes += sizeof(deal_record) + d->notes[i].length +
                 (d->results ? d->bytes : d->blobs[i].length);
    at = all = (char *)tool_resize(NULL, bytes + 1, 1);
    for (i = 0; i < d->count; i++) {
        deal_record head = {0, 0, 0, 0, 0.0};
        head.task = i;
        head.length = d->results ? d->bytes : d->blobs[i].length;
        head.notes = d->notes[i].length;
        memcpy(at, &head, sizeof head);
        at += sizeof head;
        if (head.length > 0)
            memcpy(at, d->results ? d->results + i * d->bytes : d->blobs[i].data, head.length);
        at += head.length;
        if (head.notes > 0) memcpy(at, d->notes[i].data, head.notes);
        at += head.notes;
    }
    *length = bytes;
    return all;
}

static void run(deal *d, uint64_t print)
{
    unsigned long length = 0;
    size_t bytes = 0;
    char *all = NULL;
    if (self.rank == 0) {
        deal_out(d, print);
        all = all_results(d, &bytes);
        length = bytes;
    } else {
        work(d, print);
    }
    MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
    if (self.rank > 0) all = (char *)tool_resize(NULL, length + 1, 1);
    spread(all, length);
    if (self.rank > 0 && !deal_take(d, all, length)) tool_fail("rank 0 sent no results");
    tool_free(all);
}

/* ---- Beginning and end -------------------------------------------------------- */

/* tool_report of rank 0 */
static void end_all(const char *line)
{
    fprintf(stderr, "sgdperf: %s\n", line);
    fflush(stderr);
    file_remove_temporaries();
    journal_sync();
    MPI_Abort(MPI_COMM_WORLD, tool_end_status);
}

/* tool_report of the others. Most likely rank 0 fails over the same, says so and ends all. */
static void end_later(const char *line)
{
    enum { PATIENCE_S = 3 };
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int length = 0;
    sleep(PATIENCE_S);
    MPI_Get_processor_name(name, &length);
    fprintf(real_stderr, "sgdperf: rank %lu on %s: %s\n", (unsigned long)self.rank, name, line);
    fflush(real_stderr);
    MPI_Abort(MPI_COMM_WORLD, EXIT_BAD_INPUT);
}

static void finish(void)
{
    MPI_Finalize();
}

/* Standard input is that of rank 0 for all, in a file without a name. */
static void share_stdin(void)
{
    static char piece[1 << 16];
    FILE *file = tmpfile();
    size_t n = 1;
    unsigned long length = 0;
    if (!file) tool_fail("no temporary file for standard input");
    while (n > 0) {
        if (self.rank == 0) length = fread(piece, 1, sizeof piece, stdin);
        MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
        n = length;
        spread(piece, n);
        if (fwrite(piece, 1, n, file) != n) tool_fail("no room for standard input");
    }
    if (fflush(file) != 0 || fseek(file, 0, SEEK_SET) != 0 ||
        dup2(fileno(file), STDIN_FILENO) < 0)
        tool_fail("no room for standard input");
    clearerr(stdin);
    fclose(file);
}

static void be_silent(void)
{
    const int copy = dup(STDERR_FILENO);
    real_stderr = copy >= 0 ? fdopen(copy, "w") : stderr;
    file_is_silent = tool_is_quiet = 1;
    tool_report = end_later;
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        end_later("no /dev/null");
}

void deal_mpi_begin(int *argc, char ***argv)
{
    int ranks = 1, rank = 0, i, reads = 0;
    MPI_Init(argc, argv);
    if (atexit(finish) != 0) MPI_Abort(MPI_COMM_WORLD, EXIT_BAD_INPUT);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (ranks < 2) return;
    self.rank = (size_t)rank;
    self.ranks = (size_t)ranks;
    self.run = run;
    deal_mpi = &self;
    journal_mark_inputs();
    if (rank == 0) tool_report = end_all;
    else be_silent();
    for (i = 1; i < *argc; i++) {
        const size_t length = strlen((*argv)[i]);
        reads |= strcmp((*argv)[i], "-") == 0 ||
                 (length > 2 && strcmp((*argv)[i] + length - 2, "=-") == 0);
    }
    if (reads) share_stdin();
}
