/* ring.h - a ring of all workers for runs of the simulator: as fast as the slowest of their
 * links, and each of its 2 (K-1) messages as late as the latest one */
#ifndef TESTS_RING_H
#define TESTS_RING_H

#include "../sgdperf_sim.h"

static double ring_s(void *ctx, const sgdsim_config *c, double bytes)
{
    double K = 0.0, B = c->links.bandwidth_bytes_per_s, delay_s = 0.0;
    (void)ctx;
    for (size_t t = 0; t < c->workers.types; t++) {
        K += c->workers.count[t];
        if (c->links.worker_bandwidth_bytes_per_s && c->links.worker_bandwidth_bytes_per_s[t] < B)
            B = c->links.worker_bandwidth_bytes_per_s[t];
        if (c->links.delay_s && c->links.delay_s[t] > delay_s) delay_s = c->links.delay_s[t];
    }
    return bytes / B * (2.0 * (K - 1.0) / K) + 2.0 * (K - 1.0) * delay_s;
}

#endif /* TESTS_RING_H */
