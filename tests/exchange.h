/* exchange.h - exchanges of sgdperf_parallel.h for jobs: flat, hierarchical, and BytePS with as
 * many machines beside a ring as ctx tells */
#ifndef TESTS_EXCHANGE_H
#define TESTS_EXCHANGE_H

#include "../sgdperf.h"
#include "../sgdperf_parallel.h"

static inline int exchange_of(void *ctx, sgdp_model model, const sgdp_machines *on,
                              sgdp_exchange *out)
{
    const uint32_t beside = ctx ? *(const uint32_t *)ctx : 0;
    const sgdpar_form form = model == SGDP_ALLREDUCE_FLAT ? SGDPAR_FORM_FLAT
        : model == SGDP_ALLREDUCE_HIERARCHICAL ? SGDPAR_FORM_SPLIT : SGDPAR_FORM_INSIDE;
    const sgdpar_machines all = { on->workers, on->machines, on->gpus, on->fullest,
                                  on->emptiest, on->transfer_s, on->local_transfer_s,
                                  on->latency_s, on->flow_transfer_s };
    sgdpar_exchange e;
    if (form == SGDPAR_FORM_INSIDE && (beside == 0 || model != SGDP_ALLREDUCE_RING)) return 0;
    if (sgdpar_ring_exchange(form, form == SGDPAR_FORM_INSIDE ? beside : 0, &all, &e) != SGDPAR_OK)
        return 0;
    out->local_s = e.local_s;
    out->link_s = e.link_s;
    out->carried_s = e.carried_s;
    out->growth_s = e.growth_s;
    return 1;
}

/* An sgdp_exchange_of: all-to-alls. */
static inline int alltoall_of(void *ctx, sgdp_model model, const sgdp_machines *on,
                              sgdp_exchange *out)
{
    const sgdpar_machines all = { on->workers, on->machines, on->gpus, on->fullest,
                                  on->emptiest, on->transfer_s, on->local_transfer_s,
                                  on->latency_s, on->flow_transfer_s };
    sgdpar_exchange e;
    (void)ctx, (void)model;
    if (sgdpar_pairwise_exchange(&all, &e) != SGDPAR_OK) return 0;
    out->local_s = e.local_s;
    out->link_s = e.link_s;
    out->carried_s = e.carried_s;
    out->growth_s = e.growth_s;
    return 1;
}

#endif /* TESTS_EXCHANGE_H */
