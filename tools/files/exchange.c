/* exchange.c - what an exchange takes, of sgdperf_parallel.h, as other headers ask for it */
#include "files/exchange.h"
#include "sgdperf_parallel.h"

#include <math.h>

/* HUGE_VAL where it is beyond a double. */
static double ring_s(const sgdpar_topology *on, double bytes)
{
    const sgdpar_protocol ring = {0};
    double s = 0.0;
    return sgdpar_collective_time(SGDPAR_COLLECTIVE_ALL_REDUCE, &ring, on, bytes, &s) == SGDPAR_OK
               ? s : HUGE_VAL;
}

double exchange_ring_s(void *ctx, const sgdsim_config *config, double bytes)
{
    const sgdsim_links *links = &config->links;
    sgdpar_topology on = {.bandwidth_bytes_per_s = links->bandwidth_bytes_per_s};
    const double times = ctx ? *(const double *)ctx : 1.0;
    for (size_t t = 0; t < config->workers.types; t++) {
        on.machines += config->workers.count[t];
        if (links->worker_bandwidth_bytes_per_s)
            on.bandwidth_bytes_per_s =
                fmin(on.bandwidth_bytes_per_s, links->worker_bandwidth_bytes_per_s[t]);
        if (links->delay_s) on.latency_s = fmax(on.latency_s, links->delay_s[t]);
    }
    return bytes > 0.0 ? times * ring_s(&on, bytes) : 0.0; /* of nothing no message is sent */
}

double exchange_ring_share(double workers)
{
    const sgdpar_topology on = {.machines = (uint32_t)workers, .bandwidth_bytes_per_s = 1.0};
    return ring_s(&on, 1.0);
}

static sgdpar_machines machines_of(const sgdp_machines *on)
{
    return (sgdpar_machines){
        .workers = on->workers, .machines = on->machines, .gpus = on->gpus,
        .fullest = on->fullest, .emptiest = on->emptiest, .transfer_s = on->transfer_s,
        .local_transfer_s = on->local_transfer_s, .latency_s = on->latency_s,
        .flow_transfer_s = on->flow_transfer_s
    };
}

static sgdp_exchange told_of(const sgdpar_exchange *e)
{
    return (sgdp_exchange){.local_s = e->local_s, .link_s = e->link_s, .carried_s = e->carried_s,
                           .growth_s = e->growth_s};
}

int exchange_of(void *ctx, sgdp_model model, const sgdp_machines *on, sgdp_exchange *out)
{
    const uint32_t beside = ctx ? *(const uint32_t *)ctx : 0;
    const sgdpar_form form = model == SGDP_ALLREDUCE_FLAT ? SGDPAR_FORM_FLAT
        : model == SGDP_ALLREDUCE_HIERARCHICAL ? SGDPAR_FORM_SPLIT : SGDPAR_FORM_INSIDE;
    const sgdpar_machines all = machines_of(on);
    sgdpar_exchange e;
    if (form == SGDPAR_FORM_INSIDE && (beside == 0 || model != SGDP_ALLREDUCE_RING)) return 0;
    if (sgdpar_ring_exchange(form, beside, &all, &e) != SGDPAR_OK) return 0;
    *out = told_of(&e);
    return 1;
}

int exchange_alltoall(void *ctx, sgdp_model model, const sgdp_machines *on, sgdp_exchange *out)
{
    const sgdpar_machines all = machines_of(on);
    sgdpar_exchange e;
    (void)ctx, (void)model;
    if (sgdpar_pairwise_exchange(&all, &e) != SGDPAR_OK) return 0;
    *out = told_of(&e);
    return 1;
}

uint32_t exchange_beside(const sgdp_job *job)
{
    return job->collective.ctx ? *(const uint32_t *)job->collective.ctx : 0;
}
