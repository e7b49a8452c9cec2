/* replica.h - steps of data-parallel training, layer by layer, with buckets or with sharded
 * parameters: what sgdperf predict --mode allreduce --layers prints, and advise compares */
#ifndef TOOLS_CMD_PREDICT_REPLICA_H
#define TOOLS_CMD_PREDICT_REPLICA_H

#include "base/args.h"
#include "base/csv.h"
#include "base/output.h"
#include "files/layers.h"
#include "files/topology.h"
#include "sgdperf.h"

#define REPLICA_OPTIONS                                                                  \
    {"--sharding", ARGS_VALUE}, {"--collective", ARGS_VALUE}, {"--protocols", ARGS_VALUE}, \
    {"--local-latency", ARGS_VALUE}, {"--bucket", ARGS_VALUE},                           \
    {"--first-bucket", ARGS_VALUE}, {"--unit", ARGS_VALUE}, {"--prefetch", ARGS_VALUE},  \
    {"--accumulate", ARGS_VALUE}, {"--local-steps", ARGS_VALUE},                         \
    {"--interference", ARGS_VALUE},                                                      \
    {"--precision", ARGS_VALUE}, {"--activations", ARGS_VALUE}, {"--memory", ARGS_VALUE}

/* Lines of --help for them: a sentence of their own first, and their defaults in brackets. */
#define REPLICA_HELP(which, sharding, bucket, accumulate)                                     \
    "  steps by layers, of --mode allreduce with --layers: " which "\n"                       \
    "  --layers FILE.csv      columns layer,bytes,forward_s,backward_s,update_s,tensors: bytes\n" \
    "                         of gradients, 4 a parameter, and of each tensor, as 8192+32\n" \
    "  --sharding S,...       ddp, zero-1, zero-2, fsdp, hsdp or any of them: what each\n"    \
    "                         worker keeps a part of [" sharding "]\n"                        \
    "  --collective A:F,...   by this algorithm (ring, doubling, halving, tree, double-tree,\n" \
    "                         pairwise) in this form (flat, split, inside, pipelined; streamed\n" \
    "                         only with --protocols that have it), or auto, the quickest\n"   \
    "                         [auto]\n"                                                      \
    "  --protocols FILE.csv   ways to do collectives, and what they cost a library: one of\n" \
    "                         those in validation/collectives [all ways, whose calls cost\n"  \
    "                         nothing; way is what is then taken]\n"                         \
    "  --local-latency T      of a message inside a machine [0]\n"                            \
    "  --bucket SIZE,...      of gradients exchanged together, or auto, the quickest power of\n" \
    "                         two, which needs a latency [" bucket "]\n"                      \
    "  --first-bucket SIZE    of the first of them [1MiB]\n"                                  \
    "  --unit SIZE            of layers that fsdp and hsdp gather together, at least [25MiB]\n" \
    "  --prefetch N           units that are gathered ahead [1]\n"                            \
    "  --accumulate N,...     micro-batches of a step [" accumulate "]\n"                     \
    "  --local-steps H        local SGD: parameters are averaged every H-th step alone, of\n" \
    "                         ddp; it trains otherwise [gradients are, every step]\n"         \
    "  --interference C[:D]   computing takes C times as long during an exchange, and an\n"   \
    "                         exchange D times as long during computing [1:1]\n"              \
    "  --precision P          single: 4 bytes a parameter, 4 its gradient, 8 for Adam (SGD\n" \
    "                         with momentum has 4 less); or mixed: 2, 2 and 12, and half of\n" \
    "                         the bytes of layers are sent; PyTorch's autocast sends all of\n" \
    "                         them: single [single]\n"                                        \
    "  --activations SIZE     that a worker holds besides [0]\n"                              \
    "  --memory SIZE          of an accelerator: says what fits; copies in buckets, of ddp 4\n" \
    "                         bytes more a parameter, are not counted [it is not said]\n"     \
    "\n"

/* One way to run on so many workers. */
typedef struct replica_point {
    uint32_t          workers;
    sgdpar_sharding     sharding;
    uint32_t          accumulate;
    double            asked_bytes; /* of --bucket; 0: auto                             */
    size_t            ways;        /* index of replica_set.ways                        */
    size_t            group;       /* index of its number of workers                   */
    sgdpar_replica_step step;
    double            bucket_bytes; /* 0: it has none                                  */
    double            batches_per_s, efficiency;
    sgdpar_memory       memory;
    int               fits;        /* in --memory, if that is given                    */
} replica_point;

typedef struct replica_set {
    const char     *file;
    sgdpar_replica    replica;     /* all but what a point tells                       */
    sgdp_variation  vary;          /* of what a worker computes in a step              */
    uint32_t        gpus;
    double          parameters, largest_unit;
    sgdpar_precision  precision;
    double          activations_bytes, memory_bytes, batch; /* memory 0: not given     */
    uint32_t       *workers;       /* [groups]                                         */
    size_t          groups;
    sgdpar_sharding   sharding[SGDPAR_SHARDING_COUNT];
    size_t          shardings;
    uint32_t       *accumulate;    /* [accumulates] ascending                          */
    size_t          accumulates;
    double         *bucket;        /* [buckets] 0: auto                                */
    size_t          buckets;
    double          least_bucket;  /* of auto, which begins there; 0: at 64 KiB        */
    topology_ways  *ways;          /* [collectives]                                    */
    size_t          collectives;
    replica_point  *point;         /* [points] group after group                       */
    size_t          points;
} replica_set;

/* What is compared where an option does not say. */
typedef struct replica_usual {
    const char *sharding, *accumulate, *bucket, *workers; /* workers NULL: required    */
} replica_usual;

/* Are steps by layers asked for? Else none of the options may be given: fails. */
int replica_wanted(const args *a);

/* The options, and a table of layers (NULL: --layers), into points without an answer. */
void replica_read(replica_set *s, const args *a, const csv_table *layers,
                  const replica_usual *usual);

/* The same of a profile of so many bytes and times, with no layers: they are taken to be
 * spread evenly. */
typedef struct replica_profile {
    const char *name;
    double      bytes, forward_s, backward_s, update_s;
} replica_profile;

void replica_read_profile(replica_set *s, const args *a, const replica_profile *profile,
                          const replica_usual *usual);

/* The points of what is read: of each number of workers every combination that differs. */
void replica_make_points(replica_set *s, const args *a, const replica_usual *usual);

/* A size of whole bytes, of an option. */
double replica_bytes(const char *name, const char *text);

/* Other machines: computing takes `compute` times as long, links between them are `link` times
 * as fast. */
typedef struct replica_scale { double compute, link; } replica_scale;

extern const replica_scale replica_as_is;      /* 1, 1                                 */

/* What a point runs, with its size of buckets as it was asked for. */
sgdpar_replica replica_of(const replica_set *s, const replica_point *p, const replica_scale *scale);

/* Are gradients of a point exchanged in buckets? */
int replica_has_buckets(const replica_set *s, const replica_point *p);

/* The answer of a point. */
void replica_answer(const replica_set *s, replica_point *p, const replica_scale *scale);

/* The answers of point[count], each with its own scale of `scale_of`, by several processes. */
void replica_answer_all(const replica_set *s, replica_point *point, size_t count,
                        replica_scale (*scale_of)(const void *ctx, size_t i), const void *ctx,
                        size_t processes);

/* Says what could be taken for more than it is: before and, of point[count], after the
 * answers. */
void replica_note(const replica_set *s, const args *a);
void replica_note_answers(const replica_set *s, const replica_point *point, size_t count);

/* Words for the ways of a step, "ring:flat+tree:flat", in fresh memory; "": there is nothing
 * to exchange. */
const char *replica_ways_text(uint64_t ways);

/* The quickest of a group, of those that fit if that is asked; NULL: none does. */
const replica_point *replica_quickest(const replica_set *s, size_t group);

/* Members of a point's JSON that are more than its workers and throughput. */
void replica_print_members(output *out, const replica_set *s, const replica_point *p);

/* Reads, predicts and prints; returns the status to exit with. */
int replica_predict(const args *a, size_t processes);

#endif /* TOOLS_CMD_PREDICT_REPLICA_H */
