/* exchange.h - what an exchange takes, of sgdperf_parallel.h, as other headers ask for it */
#ifndef TOOLS_FILES_EXCHANGE_H
#define TOOLS_FILES_EXCHANGE_H

#include "sgdperf.h"
#include "sgdperf_sim.h"

/* An sgdsim_exchange_s: a ring of all workers, on the slowest of their links and with the
 * longest of their delays for each message; ctx: a double, times as long, NULL: 1. */
double exchange_ring_s(void *ctx, const sgdsim_config *config, double bytes);

/* An sgdp_exchange_of: of flat and hierarchical, and of a ring with machines beside it that
 * only add up; ctx: how many these are, a uint32_t, NULL: none. */
int exchange_of(void *ctx, sgdp_model model, const sgdp_machines *on, sgdp_exchange *out);

/* An sgdp_exchange_of: of the all-to-alls of a job, sgdp_collective.alltoall. */
int exchange_alltoall(void *ctx, sgdp_model model, const sgdp_machines *on, sgdp_exchange *out);

/* How many machines a job has beside its ring. */
uint32_t exchange_beside(const sgdp_job *job);

/* Bytes that a ring of n > 1 workers sends over each link, for each byte of theirs. */
double exchange_ring_share(double workers);

#endif /* TOOLS_FILES_EXCHANGE_H */
