/* schemes.h - a cluster under a coordination scheme */
#ifndef TOOLS_CMD_BALANCE_SCHEMES_H
#define TOOLS_CMD_BALANCE_SCHEMES_H

#include "cmd/balance/cluster.h"
#include "sgdperf_balance.h"
#include "sgdperf_forecast.h"

typedef struct scheme_plan {
    balance_cluster         cluster;
    uint64_t                warmup, iterations; /* those after the warm-up count    */
    sgdbal_scheme_config    base;      /* what all schemes share                    */
    uint32_t                late;      /* redundant: workers that are not waited for */
    sgdbal_balancer_config  balance;   /* lbbsp                                     */
    sgdfc_config            predictor; /* lbbsp by speed                            */
} scheme_plan;

typedef struct scheme_outcome {
    sgdbal_scheme scheme;
    uint32_t      workers;
    double        iteration_s, per_update_s, samples_per_s;
    double        waiting;    /* mean share                                         */
    double        staleness;  /* mean                                               */
    uint64_t      staleness_max, handed_over; /* of the whole run                   */
    double        prediction_rmse; /* mean of all workers; NaN: none                */
    double       *waiting_share; /* [workers]                                       */
    uint64_t     *updates;    /* [workers]                                          */
    uint32_t     *last_batch; /* [workers]                                          */
} scheme_outcome;

extern const char *const scheme_names[SGDBAL_SCHEME_COUNT];

/* Runs bsp, and each of scheme[count], or fails; at most so many processes are at work. */
void schemes_run(scheme_plan *plan, const sgdbal_scheme *scheme, size_t count,
                 size_t processes, scheme_outcome *bsp, scheme_outcome *out);

#endif /* TOOLS_CMD_BALANCE_SCHEMES_H */
