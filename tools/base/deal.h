/* deal.h - tasks, dealt in ranges of their indices, and their results as bytes
 *
 * parallel.c has the tasks of one parallel_run as a `deal`. Who works takes a range, does
 * it, and hands over a batch: one record for each task, as bytes. Who deals takes batches.
 * The back ends carry both to and fro: this process alone (parallel.c), children of fork
 * (forks.c), ranks of MPI (deal_mpi.c); journal.c writes and reads records. */
#ifndef TOOLS_BASE_DEAL_H
#define TOOLS_BASE_DEAL_H

#include "base/parallel.h"
#include "base/tool.h"

typedef enum deal_state {
    DEAL_OPEN = 0,
    DEAL_DEALT,
    DEAL_DONE,
    DEAL_ELSEWHERE            /* is of another shard                                */
} deal_state;

/* What a batch has of each task; its result[length] and notes[notes] follow. */
typedef struct deal_record {
    uint64_t task, length, notes;
    uint64_t failed;          /* 1: the notes are what it failed over               */
    double   spent_s;
} deal_record;

typedef struct deal {
    parallel_task  task;
    void          *ctx;
    const char    *what;
    size_t         count, bytes; /* tasks, and bytes of a result                    */
    char          *results;   /* [count][bytes]; NULL: blobs                        */
    parallel_blob *blobs;     /* [count]                                            */
    parallel_blob *notes;     /* [count]                                            */
    unsigned char *state;     /* [count] deal_state                                 */
    size_t        *order;     /* [count] tasks in the order in which they begin     */
    size_t         number;    /* of this deal in the run, from 0                    */
    size_t         next;      /* where in `order` the next range is looked for      */
    size_t         open;      /* tasks not yet dealt                                */
    size_t         left;      /* tasks not yet done, in this run                    */
    size_t         all;       /* these, and those that a journal had                */
    size_t         refused;   /* the first that failed, count: none                 */
    char          *why;       /* what it says                                       */
    double         task_s;    /* what a task took of late                           */
    double         began_s;
    size_t         began_left;
    size_t       (*watch)(const void *ctx); /* of parallel_watch; NULL: none        */
    const void    *watch_ctx;
    size_t         watch_total;
} deal;

typedef struct deal_range { size_t from, to; } deal_range; /* of order; equal: none */

/* The next range for one of so many who work. O(1) amortized. */
deal_range deal_next(deal *d, size_t workers);

/* Is all done, or all before the first that failed? Then deal_end. */
int deal_is_over(const deal *d);

/* Takes what parallel_watch has said. */
void deal_watch(deal *d);

/* Says on a terminal how far it is. */
void deal_show(const deal *d);

/* Does a range, also behind a task that fails. The batch is valid until the next. */
const char *deal_work(deal *d, deal_range range, size_t *length);

/* Takes a batch, which goes into the journal as well: 0 if it is none. */
int deal_take(deal *d, const char *batch, size_t length);

/* Takes what a journal has of one task: 0 if that is no result. */
int deal_keep(deal *d, const deal_record *head, const char *data);

/* Fails over a process that had this range. */
TOOL_NORETURN void deal_lose(const deal *d, deal_range range, const char *how);

/* ---- Back ends ------------------------------------------------------------- */

/* In children; 0 if none can be started. */
int forks_run(deal *d, size_t processes);

/* NULL without MPI, or with one rank. run is called by all ranks, and fills all results
 * in all of them. */
typedef struct deal_ranks {
    size_t rank, ranks;
    void (*run)(deal *d, uint64_t print);
} deal_ranks;

extern const deal_ranks *deal_mpi;

/* ---- journal.c ------------------------------------------------------------- */

void journal_command(int argc, char **argv, const char *version);
void journal_use(const char *path, size_t shard, size_t shards);
int journal_is_used(void);

/* From now on it is kept in mind what is read: for journal_print. */
void journal_mark_inputs(void);

size_t journal_merge(char *const *files, size_t count, const char *format, char ***argv);

/* A number that tells this run from others, by its command, version, inputs and tasks. */
uint64_t journal_print(const deal *d);

/* Takes what is done already; fails where it is of another run. With journals that are
 * merged, fails where something is missing. */
void journal_open(deal *d);

void journal_add(const deal *d, const deal_record *head, const char *data);
void journal_sync(void);

/* Says how much of a deal under way is kept; calls only what a signal handler may call. */
void journal_at_signal(void);

/* "; what was done is in FILE, ...", or "" */
const char *journal_text(void);

#endif /* TOOLS_BASE_DEAL_H */
