/* collectives.h - sgdperf simulate --mode allreduce on machines of accelerators: gradients in
 * buckets, parameters perhaps in shards, exchanged by collectives that share two links */
#ifndef TOOLS_CMD_SIMULATE_COLLECTIVES_H
#define TOOLS_CMD_SIMULATE_COLLECTIVES_H

#include "options/args.h"
#include "base/csv.h"
#include "files/layers.h"
#include "files/modes.h"
#include "model/topology.h"
#include "files/trace.h"

/* Any of them asks for collectives; the options of one name in predict mean the same. */
#define COLLECTIVES_OPTIONS                                                  \
    OPTION_LAYERS, OPTION_GPUS, OPTION_LATENCY, OPTION_LOCAL_BANDWIDTH,      \
    OPTION_LOCAL_LATENCY, OPTION_COLLECTIVE, OPTION_PROTOCOLS, OPTION_RINGS, \
    OPTION_BUCKET, OPTION_FIRST_BUCKET, OPTION_STREAMS, OPTION_SHARDING,     \
    OPTION_UNIT, OPTION_PREFETCH, OPTION_ACCUMULATE

typedef struct collectives {
    topology_ways   ways;
    sgdpar_topology   topology;   /* but for its machines and accelerators             */
    uint32_t        gpus;         /* of a machine that is full                         */
    sgdpar_sharding   sharding;
    double          bucket_bytes, first_bucket_bytes; /* 0: none; the default          */
    uint32_t        streams;
    const csv_table *file;        /* of --layers, or NULL                              */
    sgdsim_layer   *unit;         /* [units] what is gathered at once; or tensors, in  */
    size_t          units;        /*   the order of the backward pass                  */
    uint32_t        prefetch, accumulate;
    double          forward_s, tail_s, update_s;
} collectives;

/* What is told of a run beside what all runs tell. */
typedef struct collectives_report {
    uint64_t count;               /* collectives of a step                             */
    double   exchange_s;          /* of a step: all of them, each alone                */
    double   longest_bytes;       /* of that which takes longest alone, or too long    */
    double   longest_s;           /*   for a number: infinite                          */
    double   link_utilization[SGDSIM_LEVELS];
} collectives_report;

/* Are collectives asked for? Else none of their options may be given: fails. */
int collectives_wanted(const args *a);

/* The options, and the table of layers; fails where other options do not go with them. */
collectives *collectives_read(const args *a);

/* Fails unless so many workers fill their machines, and have a link if they are several. */
void collectives_check(const collectives *c, uint32_t workers);

/* The trace of the table of layers for so many workers, or a check of one that was read. */
void collectives_trace(const collectives *c, uint32_t workers, trace_file *trace);

/* The run of a configuration, whose link is not read: SGDSIM_OK, or SGDSIM_BAD_ARGUMENT where
 * times are too large, with the longest exchange alone in *more; else it fails. */
sgdsim_status collectives_run(const collectives *c, const sgdsim_config *config,
                              sgdsim_result *out, collectives_report *more);

/* Notes what the result could be taken for and is not. */
void collectives_note(const collectives *c, uint32_t workers,
                      const collectives_report *more);

#endif /* TOOLS_CMD_SIMULATE_COLLECTIVES_H */
