/* collectives.h - sgdperf simulate --mode allreduce on machines of accelerators: gradients in
 * buckets, parameters perhaps in shards, exchanged by collectives that share two links */
#ifndef TOOLS_CMD_SIMULATE_COLLECTIVES_H
#define TOOLS_CMD_SIMULATE_COLLECTIVES_H

#include "base/args.h"
#include "base/csv.h"
#include "files/layers.h"
#include "files/modes.h"
#include "files/topology.h"
#include "files/trace.h"

/* Any of them asks for collectives; the options of one name in predict mean the same. */
#define COLLECTIVES_OPTIONS                                                              \
    {"--layers", ARGS_VALUE}, {"--gpus", ARGS_VALUE}, {"--latency", ARGS_VALUE},         \
    {"--local-bandwidth", ARGS_VALUE}, {"--local-latency", ARGS_VALUE},                  \
    {"--collective", ARGS_VALUE}, {"--protocols", ARGS_VALUE}, {"--rings", ARGS_VALUE},  \
    {"--bucket", ARGS_VALUE}, {"--first-bucket", ARGS_VALUE}, {"--streams", ARGS_VALUE}, \
    {"--sharding", ARGS_VALUE}, {"--unit", ARGS_VALUE}, {"--prefetch", ARGS_VALUE}, \
    {"--accumulate", ARGS_VALUE}

#define COLLECTIVES_HELP                                                                      \
    "  collectives, of --mode allreduce; any of these options asks for them\n"                \
    "  --layers FILE         a table of layers in place of a trace: one step, as predict\n"   \
    "                        --layers takes it\n"                                             \
    "  --gpus G              accelerators of a machine, which share its link [1]\n"           \
    "  --latency T           of a message between machines [0 s]\n"                           \
    "  --local-bandwidth B   of an accelerator's link inside its machine; required for\n"     \
    "                        --gpus above 1\n"                                                \
    "  --local-latency T     of a message inside a machine [0 s]\n"                           \
    "  --collective A:F      by this algorithm and in this form, as in predict (streamed\n" \
    "                        only with --protocols that have it), or auto, the quickest\n"    \
    "                        [auto]\n"                                                        \
    "  --protocols FILE.csv  ways to do collectives, and what they cost a library: one of\n"  \
    "                        those in validation/collectives [all ways, at no cost]\n"        \
    "  --rings N             flows of a collective between machines, for --flow-cap [1]\n"    \
    "  --bucket SIZE         of gradients exchanged together: uplinks are gathered in the\n"  \
    "                        order in which they are ready, none is split [25MiB with\n"      \
    "                        --layers; uplinks of a trace one by one]\n"                      \
    "  --first-bucket SIZE   of the first of them [1MiB]\n"                                   \
    "  --streams N           collectives at once, which share the links [1]\n"                \
    "  --sharding S          ddp, zero-1, zero-2, fsdp or hsdp; of a trace ddp, whose\n"      \
    "                        downlinks take no time, or fsdp and hsdp, whose downlinks\n"     \
    "                        gather parameters [ddp]\n"                                       \
    "  --unit SIZE           of layers that fsdp and hsdp gather together, at least [25MiB]\n" \
    "  --prefetch N          units that are gathered ahead [1]\n"                             \
    "  --accumulate N        micro-batches of a step, of --layers: only the last exchanges,\n" \
    "                        of fsdp and hsdp each; not of zero-2 [1]\n"                      \
    "\n"

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

/* Are parameters kept in parts, and gathered? */
int collectives_shards(const collectives *c);

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
