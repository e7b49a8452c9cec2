/* exchange.c - what an exchange takes, of sgdperf_parallel.h, as other headers ask for it */
#include "model/exchange.h"
#include "sgdperf_parallel.h"

#include <math.h>
#include <string.h>

/* HUGE_VAL where it is beyond a double. */
static double ring_s(const sgdpar_topology *on, double bytes)
{
    sgdpar_protocol ring;
    double s = 0.0;
    memset(&ring, 0, sizeof ring);
    return sgdpar_collective_time(SGDPAR_COLLECTIVE_ALL_REDUCE, &ring, on, bytes, &s) == SGDPAR_OK
               ? s : HUGE_VAL;
}

double exchange_ring_s(void *ctx, const sgdsim_config *config, double bytes)
{
    const sgdsim_links *links = &config->links;
    sgdpar_topology on;
    size_t t;
    (void)ctx;
    memset(&on, 0, sizeof on);
    on.bandwidth_bytes_per_s = links->bandwidth_bytes_per_s;
    for (t = 0; t < config->workers.types; t++) {
        on.machines += config->workers.count[t];
        if (links->worker_bandwidth_bytes_per_s)
            on.bandwidth_bytes_per_s =
                fmin(on.bandwidth_bytes_per_s, links->worker_bandwidth_bytes_per_s[t]);
        if (links->delay_s) on.latency_s = fmax(on.latency_s, links->delay_s[t]);
    }
    return ring_s(&on, bytes);
}

double exchange_ring_share(double workers)
{
    sgdpar_topology on;
    memset(&on, 0, sizeof on);
    on.machines = (uint32_t)workers;
    on.bandwidth_bytes_per_s = 1.0;
    return ring_s(&on, 1.0);
}
