/* replay_step.h - the steps of a measured row that replay.c has the workers run */
#ifndef TOOLS_CMD_VALIDATE_REPLAY_STEP_H
#define TOOLS_CMD_VALIDATE_REPLAY_STEP_H

#include "sgdperf_sim.h"
#include "base/numbers.h"
#include "files/dataset.h"

enum { REPLAY_SERVERS_MOST = 64 };

/* Columns that only replays read. */
double replay_number(const dataset_row *r, const char *column, number_rule rule);
const char *replay_word(const dataset_row *r, const char *column); /* "": empty, or no column  */

/* Steps of each worker while it was measured; 0: not told. */
uint64_t replay_measured(const dataset_row *r);

/* May all steps of a run be one chain, in which each of several servers goes on by itself?
 * Otherwise REPLAY_CHAIN is REPLAY_TCP. */
int replay_is_chained(const dataset_row *r);

/* Asks the row for all that a replay reads of it, or fails: what a process of its own asks
 * for, nobody else knows of, and notes on columns would be wrong. */
void replay_ask(const dataset_row *r);

/* What the workers of one type do, alone. */
typedef struct replay_steps {
    sgdsim_trace trace;
    uint32_t *order;          /* of transmission, NULL: as the layers come                */
    size_t    ordered;
    double    alone_s;        /* computation and updates of a step                        */
    size_t    copies, ops;    /* steps chained in one, all that were measured, or 1; of each */
} replay_steps;

/* type: NULL for that of the row; cv of the computation, 0: steps that are all alike; chained:
 * whether steps are, where they may be. */
replay_steps replay_build(const dataset_row *r, const sgdp_worker_type *type, double cv,
                          int chained, uint64_t seed);

/* The order of transmission, if the row has one that is not as the layers come; drawn by the
 * seed where it is random. */
void replay_order(replay_steps *p, const dataset_row *r, uint64_t seed);

#endif /* TOOLS_CMD_VALIDATE_REPLAY_STEP_H */
