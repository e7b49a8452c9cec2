/* deal.h - tasks, dealt in ranges of their indices, and their results as bytes
 *
 * parallel.c has the tasks of one parallel_run as a `deal`. Who works takes a range, does
 * it, and hands over a batch: one record for each task, as bytes. Who deals takes batches:
 * dealing.h. Between both are this process alone and children of fork (parallel.c), or ranks
 * of MPI (deal_mpi.c); journal.c writes and reads records. */
#ifndef TOOLS_JOBS_DEAL_H
#define TOOLS_JOBS_DEAL_H

#include <stddef.h>
#include <stdint.h>

/* Task i, from 0: fills the zeroed result[result_bytes], whose pointers mean nothing
 * outside. What it allocates is freed when it ends, and what csv_read has read. It must
 * not write files; a file that it reads is an input that a journal knows only if it was
 * read before. */
typedef void (*parallel_task)(void *ctx, size_t i, void *result);

/* A result of any length: the task allocates data[length]. */
typedef struct parallel_blob { char *data; size_t length; } parallel_blob;

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
    void         (*arrived)(void *ctx, size_t i); /* of parallel_arrive; NULL: none */
    void          *arrived_ctx;
} deal;

typedef struct deal_range { size_t from, to; } deal_range; /* of order; equal: none */

/* ---- Back ends ------------------------------------------------------------- */

/* NULL without MPI, or with one rank. run is called by all ranks, and fills all results
 * in all of them. */
typedef struct deal_ranks {
    size_t rank, ranks;
    void (*run)(deal *d, uint64_t print);
} deal_ranks;

extern const deal_ranks *deal_mpi;

#endif /* TOOLS_JOBS_DEAL_H */
