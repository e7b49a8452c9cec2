/* replica.h - sgdperf predict --mode allreduce --layers: steps of data-parallel training, layer
 * by layer, with buckets or with sharded parameters */
#ifndef TOOLS_CMD_PREDICT_REPLICA_H
#define TOOLS_CMD_PREDICT_REPLICA_H

#include "files/layers.h"
#include "files/protocols.h"

#define REPLICA_OPTIONS                                                                  \
    {"--sharding", ARGS_VALUE}, {"--collective", ARGS_VALUE}, {"--protocols", ARGS_VALUE}, \
    {"--local-latency", ARGS_VALUE}, {"--bucket", ARGS_VALUE},                           \
    {"--first-bucket", ARGS_VALUE}, {"--unit", ARGS_VALUE}, {"--prefetch", ARGS_VALUE},  \
    {"--accumulate", ARGS_VALUE}, {"--local-steps", ARGS_VALUE},                         \
    {"--slow-compute", ARGS_VALUE}, {"--slow-exchange", ARGS_VALUE},             \
    {"--precision", ARGS_VALUE}, {"--activations", ARGS_VALUE}, {"--memory", ARGS_VALUE}

/* Lines of --help for them. */
#define REPLICA_HELP                                                                          \
    "  steps by layers, of --mode allreduce with --layers: which of these to use\n"           \
    "  --sharding S,...       ddp, zero-1, zero-2, fsdp, hsdp or any of them: what each\n"    \
    "                         worker keeps a part of [ddp]\n"                                 \
    "  --collective A:F       by this algorithm (ring, doubling, halving, tree, double-tree,\n" \
    "                         pairwise) in this form (flat, split, inside, pipelined), or\n"  \
    "                         auto, the quickest [auto]\n"                                    \
    "  --protocols FILE.csv   ways to do collectives, and what they cost a library: one of\n" \
    "                         those in validation/collectives [all ways, at no cost]\n"       \
    "  --local-latency T      of a message inside a machine [0]\n"                            \
    "  --bucket SIZE          of gradients exchanged together, or best, the quickest power of\n" \
    "                         two [25MiB]\n"                                                  \
    "  --first-bucket SIZE    of the first of them [1MiB]\n"                                  \
    "  --unit SIZE            of layers that fsdp and hsdp gather together, at least [25MiB]\n" \
    "  --prefetch N           units that are gathered ahead [1]\n"                            \
    "  --accumulate N         micro-batches of a step [1]\n"                                  \
    "  --local-steps H        local SGD: parameters are averaged every H-th step alone, of\n" \
    "                         ddp [gradients are, every step]\n"                              \
    "  --slow-compute X       of the backward pass during an exchange [1]\n"                  \
    "  --slow-exchange X      of an exchange during the backward pass [1]\n"                  \
    "  --precision P          single: 4 bytes a parameter, 4 its gradient, 8 for Adam; or\n"  \
    "                         mixed: 2, 2 and 12 [single]\n"                                  \
    "  --activations SIZE     that a worker holds besides [0]\n"                              \
    "  --memory SIZE          of an accelerator: says what fits [it is not said]\n"           \
    "\n"

/* One way to run on so many workers. */
typedef struct replica_point {
    uint32_t          workers;
    sgdp_sharding     sharding;
    sgdp_replica_step step;
    double            bucket_bytes; /* 0: it has none                                  */
    double            batches_per_s, efficiency;
    sgdp_memory       memory;
    int               fits;        /* in --memory, if that is given                    */
} replica_point;

typedef struct replica_set {
    const char     *file;
    protocol_list   ways;
    sgdp_replica    replica;       /* all but its sharding and its machines            */
    uint32_t        gpus;
    int             best_bucket;
    double          parameters, largest_unit;
    sgdp_precision  precision;
    double          activations_bytes, memory_bytes, batch; /* memory 0: not given     */
    replica_point  *point;         /* [points] sharding after sharding of each workers */
    size_t          points, shardings;
} replica_set;

/* Are steps by layers asked for? Else none of the options may be given: fails. */
int replica_wanted(const args *a);

/* Reads, predicts and prints; returns the status to exit with. */
int replica_predict(const args *a);

void replica_print(output *out, const replica_set *s, output_format format);

#endif /* TOOLS_CMD_PREDICT_REPLICA_H */
