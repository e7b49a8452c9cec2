/* replay_chain.h - the rate of a run whose steps are chained, counted as the testbed does */
#ifndef TOOLS_CMD_VALIDATE_REPLAY_CHAIN_H
#define TOOLS_CMD_VALIDATE_REPLAY_CHAIN_H

#include "sgdperf_sim.h"

typedef struct replay_chain {
    size_t  workers, copies, ops; /* ops: of each of the steps chained                   */
    size_t  warm;                 /* a worker is warm with its step of this number       */
    double *end_s;                /* [workers][copies] last update                       */
    double *rate_per_s;           /* [runs]                                              */
} replay_chain;

/* Each for sgdsim_watch and sgdsim_replications.on_run, ctx a replay_chain. */
void replay_chain_note(void *ctx, const sgdsim_event *event);
void replay_chain_count(void *ctx, uint64_t run, sgdsim_result *result);

#endif /* TOOLS_CMD_VALIDATE_REPLAY_CHAIN_H */
