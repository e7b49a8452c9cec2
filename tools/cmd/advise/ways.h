/* ways.h - which way to train: shards, buckets, micro-batches, collectives, workers */
#ifndef TOOLS_CMD_ADVISE_WAYS_H
#define TOOLS_CMD_ADVISE_WAYS_H

#include "cmd/advise/advise.h"

/* Points of all offers, point i of offer j at j * replica.points + i. Choices of `advice`
 * are those among them that may be recommended, in the same order. */
typedef struct ways_set {
    advice_set     advice;
    replica_set    replica;
    size_t         offers, count;
    replica_point *point;      /* [count]                                              */
    sgdp_outlay   *outlay;     /* [count]                                              */
    double        *price_per_s; /* [count]                                             */
    size_t        *candidate;  /* [advice.count] indices of points                     */
    int            accumulates; /* more micro-batches may be recommended               */
    int            nothing_fits;
} ways_set;

/* May it be recommended, but for its memory? */
int ways_is_candidate(const ways_set *s, const replica_point *p);

/* The quickest of those on the workers of `group` of an offer that may be recommended, of
 * this sharding (SGDPAR_SHARDING_COUNT: of any); s->count: none. */
size_t ways_quickest(const ways_set *s, size_t offer, size_t group, sgdpar_sharding sharding,
                     int whatever_fits);

/* The point that is recommended. */
size_t ways_recommended(const ways_set *s);

/* Sentences, in fresh memory. */
const char *ways_name(const ways_set *s, const replica_point *p); /* "ddp, buckets of 4 MiB" */
const char *ways_reason(const ways_set *s);
const char *ways_against(const ways_set *s);  /* "zero-1 takes 3 % longer, ..."; or ""   */
const char *ways_stop(const ways_set *s);
const char *ways_help(const ways_set *s);

void ways_print(output *out, const ways_set *s);

#endif /* TOOLS_CMD_ADVISE_WAYS_H */
