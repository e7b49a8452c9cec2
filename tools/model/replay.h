/* replay.h - a measured row, replayed by the simulator */
#ifndef TOOLS_MODEL_REPLAY_H
#define TOOLS_MODEL_REPLAY_H

#include "files/dataset.h"

enum { REPLAY_RUNS = 20 };   /* of a row that tells how many steps were measured        */

typedef enum replay_service {
    REPLAY_TRACED = 0,        /* times as profiled; computation varies from step to step */
    REPLAY_EXPONENTIAL,       /* all times exponential, as the queueing network has them */
    REPLAY_TCP,               /* as traced, links shared as by TCP                       */
    REPLAY_CHAIN,             /* as by TCP; of several servers each goes on by itself    */
    REPLAY_COUNT
} replay_service;

extern const char *const replay_names[REPLAY_COUNT]; /* of the models */

/* Mini-batches per second of all workers. */
typedef struct replay {
    double mean, low, high;   /* of the runs; low and high: the extremes                 */
    size_t runs;              /* 1 where the row does not tell its steps; 0: not replayed */
} replay;

/* Does a row tell all that a replay needs? fit: what the row's group fits. */
int replay_suits(const dataset_row *r, dataset_fit fit, replay_service service);

/* Has a replay of the row an update of each worker, one after the other, though all are at a
 * barrier? */
int replay_repeats_updates(const dataset_row *r);

/* Replays a row that suits, or fails. */
replay replay_row(const dataset_row *r, replay_service service);

/* Asks the row for all that a replay reads of it, or fails: what a process of its own asks
 * for, nobody else knows of, and notes on columns would be wrong. */
void replay_ask(const dataset_row *r);

/* May all steps of a run be one chain, in which each of several servers goes on by itself?
 * Otherwise REPLAY_CHAIN is REPLAY_TCP. */
int replay_is_chained(const dataset_row *r);

#endif /* TOOLS_MODEL_REPLAY_H */
