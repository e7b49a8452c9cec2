/* replica_taken.c - steps of data-parallel training by layers: which ways collectives take */
#include "cmd/predict/replica.h"
#include "files/protocols.h"

#include <assert.h>
#include <string.h>

/* Adds the way of a collective of so many bytes. */
static void take(uint64_t *taken, const sgdp_replica *r, sgdp_collective what,
                 const sgdp_topology *on, double bytes)
{
    const sgdp_protocol *p;
    size_t chosen = 0;
    double time_s = 0.0;
    assert(SGDP_ALGORITHM_COUNT * SGDP_FORM_COUNT <= 64);
    if (on->machines <= 1 && on->gpus <= 1) return;
    if (sgdp_collective_least(what, r->protocol, r->protocols, on, bytes, &chosen, &time_s)
        != SGDP_OK)
        return;
    p = &r->protocol[chosen];
    *taken |= (uint64_t)1 << ((size_t)p->algorithm * SGDP_FORM_COUNT + (size_t)p->form);
}

static void take_buckets(uint64_t *taken, const sgdp_replica *r, sgdp_collective what)
{
    uint64_t *bytes = (uint64_t *)tool_alloc(r->tensors, sizeof *bytes);
    size_t buckets = 0, i;
    if (sgdp_buckets(r->tensor, r->tensors, r->first_bucket_bytes, r->bucket_bytes, bytes, NULL,
                     &buckets) == SGDP_OK)
        for (i = 0; i < buckets; i++) take(taken, r, what, &r->topology, (double)bytes[i]);
    tool_free(bytes);
}

/* Inside each machine if these are groups, which then all-reduce between machines. */
static void take_units(uint64_t *taken, const sgdp_replica *r)
{
    sgdp_topology group = r->topology, between = r->topology;
    const int hybrid = r->sharding == SGDP_SHARDING_HYBRID;
    size_t i;
    if (hybrid) group.machines = 1;
    between.bandwidth_bytes_per_s /= between.gpus;
    between.gpus = 1;
    for (i = 0; i < r->units; i++) {
        take(taken, r, SGDP_COLLECTIVE_ALL_GATHER, &group, r->unit[i].bytes);
        take(taken, r, SGDP_COLLECTIVE_REDUCE_SCATTER, &group, r->unit[i].bytes);
        if (hybrid)
            take(taken, r, SGDP_COLLECTIVE_ALL_REDUCE, &between,
                 r->unit[i].bytes / r->topology.gpus);
    }
}

uint64_t replica_taken(const sgdp_replica *r)
{
    uint64_t taken = 0;
    double bytes = 0.0;
    size_t i;
    if (r->topology.machines <= 1 && r->topology.gpus <= 1) return 0;
    for (i = 0; i < r->tensors; i++) bytes += (double)r->tensor[i].bytes;
    if (r->sharding > SGDP_SHARDING_GRADIENTS)
        take_units(&taken, r);
    else if (r->local_steps > 0)
        take(&taken, r, SGDP_COLLECTIVE_ALL_REDUCE, &r->topology, bytes);
    else
        take_buckets(&taken, r, r->sharding == SGDP_SHARDING_NONE ? SGDP_COLLECTIVE_ALL_REDUCE
                                                              : SGDP_COLLECTIVE_REDUCE_SCATTER);
    if (r->sharding == SGDP_SHARDING_OPTIMIZER || r->sharding == SGDP_SHARDING_GRADIENTS)
        take(&taken, r, SGDP_COLLECTIVE_ALL_GATHER, &r->topology, bytes);
    return taken;
}

const char *replica_taken_text(uint64_t taken)
{
    enum { WORD = 40, WAYS = SGDP_ALGORITHM_COUNT * SGDP_FORM_COUNT };
    char *text = (char *)tool_alloc(WAYS, WORD);
    size_t i;
    for (i = 0; i < WAYS; i++) {
        if ((taken >> i & 1) == 0) continue;
        if (text[0]) strcat(text, "+");
        strcat(text, protocol_algorithms[i / SGDP_FORM_COUNT]);
        strcat(text, ":");
        strcat(text, protocol_forms[i % SGDP_FORM_COUNT]);
    }
    return text;
}
