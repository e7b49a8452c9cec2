/* replica.h - steps of data-parallel training, layer by layer, with buckets or with sharded
 * parameters: what sgdperf predict --mode allreduce --layers prints, and advise compares */
#ifndef TOOLS_MODEL_REPLICA_H
#define TOOLS_MODEL_REPLICA_H

#include "base/columns.h"
#include "files/bands.h"
#include "files/layers.h"
#include "model/declared.h"
#include "model/topology.h"
#include "sgdperf.h"

#define REPLICA_OPTIONS                                                           \
    OPTION_SHARDING, OPTION_COLLECTIVE, OPTION_PROTOCOLS, OPTION_LOCAL_LATENCY,   \
    OPTION_BUCKET, OPTION_FIRST_BUCKET, OPTION_UNIT, OPTION_PREFETCH,             \
    OPTION_ACCUMULATE, OPTION_LOCAL_STEPS, OPTION_INTERFERENCE, OPTION_PRECISION, \
    OPTION_OPTIMIZER, OPTION_ACTIVATIONS, OPTION_MEMORY

/* What an option has no effect on: shards have units in place of buckets. */
#define REPLICA_RULES                                                               \
    UNLESS(IS(SHARDING, "all"), NEEDS, EACH(OPTION_BUCKET, OPTION_FIRST_BUCKET),    \
           IS(SHARDING, "ddp zero-1 zero-2")),                                      \
    UNLESS(IS(SHARDING, "all"), NEEDS, EACH(OPTION_UNIT, OPTION_PREFETCH),          \
           IS(SHARDING, "fsdp hsdp"))

/* Other machines: computing takes `compute` times as long, links between them are `link` times
 * as fast. */
typedef struct replica_scale { double compute, link; } replica_scale;

extern const replica_scale replica_as_is;      /* 1, 1                                 */

/* One way to run on so many workers. */
typedef struct replica_point {
    uint32_t          workers;
    replica_scale     scale;       /* of the machines                                  */
    sgdpar_sharding     sharding;
    uint32_t          accumulate;
    double            asked_bytes; /* of --bucket; 0: auto                             */
    size_t            ways;        /* index of replica_set.ways                        */
    size_t            group;       /* index of its number of workers                   */
    sgdpar_replica_step step;
    double            bucket_bytes; /* 0: it has none                                  */
    double            input_s;     /* of a step, that it waits for input               */
    double            batches_per_s, efficiency;
    sgdpar_memory       memory;
    int               fits;        /* in --memory, if that is given                    */
} replica_point;

typedef struct replica_set {
    const char     *file;
    sgdpar_replica    replica;     /* all but what a point tells                       */
    sgdp_variation  vary;          /* of what a worker computes in a step              */
    uint32_t        backup;        /* workers for which a step does not wait           */
    declared        links;         /* as their makers declare them?                    */
    int             traced;    /* the file is of a job that was traced                 */
    int             spread;    /* a profile is, evenly over pieces                     */
    const network  *between;   /* their kind between machines, or NULL                 */
    band_class      known_as;  /* BAND_CLASSES: by the links                           */
    uint32_t        gpus;
    double          parameters, largest_unit;
    sgdpar_precision  precision;
    double          activations_bytes, memory_bytes, batch; /* memory 0: not given     */
    double          input_rate;    /* examples/s of a machine; 0: no limit             */
    double          alltoall_bytes; /* of a worker's mini-batch; 0: none               */
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

/* Are steps by layers asked for? */
int replica_wanted(const args *a);

/* A profile of so many bytes and times, with no layers: they are taken to be spread evenly. */
typedef struct replica_profile {
    const char *name;
    const csv_table *file;    /* NULL: of options                                   */
    double      bytes, forward_s, backward_s, update_s, batch, input_rate, alltoall_bytes;
    int         traced;
} replica_profile;

/* --precision, and --optimizer for tensors, or layers in their place, with gradients of so many
 * bytes at 4 a parameter. each: "tensor", "layer" or "piece". */
void replica_read_precision(sgdpar_precision *of, const args *a);
void replica_read_optimizer(sgdpar_precision *of, const args *a, const double *bytes, size_t n,
                            const char *each);
void replica_read_tensor_state(sgdpar_precision *of, const args *a, const sgdpar_tensor *tensor,
                               size_t n, const char *each);

/* The options, and a profile or else a table of layers (NULL: --layers), into points without an
 * answer. */
void replica_read(replica_set *s, const args *a, const csv_table *layers,
                  const replica_profile *profile, const replica_usual *usual);

/* What a point runs, with its size of buckets as it was asked for. */
sgdpar_replica replica_of(const replica_set *s, const replica_point *p);

/* Are gradients of a point exchanged in buckets? */
int replica_has_buckets(const replica_set *s, const replica_point *p);

/* The answers of point[count], by several processes. */
void replica_answer_all(const replica_set *s, replica_point *point, size_t count,
                        size_t processes);

/* The class of a point that is the same answer as that of the totals, or of FSDP on several
 * machines, of which 18 of 20 measured rows lie in the bands of declared links; else BAND_CLASSES.
 * And its band, zero if it has none; and a note if points have none. */
band_class replica_class(const replica_set *s, const replica_point *p);
band replica_band(const replica_set *s, const replica_point *p);
void replica_note_bands(const replica_set *s, const replica_point *point, size_t count);

/* Says what could be taken for more than it is: before and, of point[count], after the
 * answers. */
void replica_note(const replica_set *s, const args *a);
void replica_note_answers(const replica_point *point, size_t count);

/* Says what messages of units cost a point, if the units are of pieces. */
void replica_note_units(const replica_set *s, const replica_point *of, const args *a);

/* Says how quick a point would be if exchanges were hidden as far as buckets or units allow, or if
 * none were where that is what was taken, if it differs; of: NULL for none. */
void replica_note_hidden(const replica_set *s, const replica_point *of, const args *a);

/* The quickest of a group, of those that fit if that is asked; NULL: none does. */
const replica_point *replica_quickest(const replica_set *s, size_t group);

/* Words for the ways of a step, "ring:flat+tree:flat", in fresh memory; "": there is nothing
 * to exchange. */
const char *replica_ways_text(uint64_t ways);

/* Columns of a point that are more than its workers and throughput. */
void replica_print_members(columns *t, const replica_set *s, const replica_point *p);

/* Whether a worker's memory is enough: null, and no column, where there is no limit. */
void replica_print_fits(columns *t, double memory_bytes, int fits);

#endif /* TOOLS_MODEL_REPLICA_H */
