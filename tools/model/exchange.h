/* exchange.h - what an exchange takes, of sgdperf_parallel.h, as other headers ask for it */
#ifndef TOOLS_MODEL_EXCHANGE_H
#define TOOLS_MODEL_EXCHANGE_H

#include "sgdperf_sim.h"

/* An sgdsim_exchange_s: a ring of all workers, on the slowest of their links and with the
 * longest of their delays for each message; ctx is not read. */
double exchange_ring_s(void *ctx, const sgdsim_config *config, double bytes);

/* Bytes that a ring of n > 1 workers sends over each link, for each byte of theirs. */
double exchange_ring_share(double workers);

#endif /* TOOLS_MODEL_EXCHANGE_H */
