/* pipeline.h - a table of layers as stages of a pipeline: what plan stages prints, and predict
 * --pipeline times */
#ifndef TOOLS_MODEL_PIPELINE_H
#define TOOLS_MODEL_PIPELINE_H

#include "base/csv.h"
#include "files/layers.h"
#include "options/args.h"
#include "sgdperf_parallel.h"
#include "sgdperf_plan.h"

enum { PIPELINE_MOST = 4096 };         /* devices, stages of a device, accelerators    */

/* Layers, which a group of accelerators ran as one worker. */
typedef struct pipeline_layers {
    const csv_table *file;
    int           name;            /* its column                                       */
    size_t        count;
    sgdsim_layer *layer;           /* [count]                                          */
    double       *weight_s;        /* [count] column weight_s; NULL: there is none     */
    double       *output_bytes;    /* [count] column output_bytes; NULL: there is none */
    double       *activations_bytes; /* [count] its column, or --activations evenly    */
    uint32_t      group;           /* column group; 1: there is none                   */
    sgdpar_precision precision;
} pipeline_layers;

/* How the layers are run: a pipeline, and how many copies of it share the data. */
typedef struct pipeline_way {
    sgdpar_pipelining schedule;
    uint32_t        devices, chunks, micro_batches, copies;
    sgdpar_sharding sharding;      /* NONE or OPTIMIZER                                */
} pipeline_way;

/* The numbers of column group, each once, in their order; 1 if there is none. Returns how many. */
size_t pipeline_groups(const csv_table *t, uint32_t **group);

/* The rows of one of them. */
const csv_table *pipeline_rows(const csv_table *t, uint32_t group);

/* Of a table of layers of one group, --activations and --precision. */
void pipeline_read_layers(pipeline_layers *l, const args *a, const csv_table *t);

/* The split into devices * chunks stages whose largest takes least time; NULL: each needs more
 * than most_bytes, of which 0 is no limit. equal: the same number of layers a stage, without a
 * search; an embedding and a head stand beside them. */
size_t *pipeline_split(const pipeline_layers *l, const pipeline_way *way, double most_bytes,
                       int equal, sgdplan_largest *out);

/* Moves layers between neighbouring stages while that makes the passes of a step shorter, if a
 * device has several stages, whose largest does not tell how long they take, and few passes. */
void pipeline_improve(const pipeline_layers *l, const pipeline_way *way, double most_bytes,
                      size_t *first);

/* Stages of a split: times and activations; exchanges and transfers take no time. */
sgdpar_stage *pipeline_stages(const pipeline_layers *l, const pipeline_way *way,
                              const size_t *first);

/* Times a pipeline of these stages; device[devices]. */
sgdpar_pipeline_step pipeline_time(const pipeline_way *way, const sgdpar_stage *stage,
                                   sgdpar_device *device, const char *name);

/* Bytes of the gradients of stage s, and the first layer behind it. */
double pipeline_bytes(const pipeline_layers *l, const pipeline_way *way, const size_t *first,
                      size_t s);
size_t pipeline_end(const pipeline_layers *l, const pipeline_way *way, const size_t *first,
                    size_t s);

/* Memory of device p: its state, and what it keeps of micro-batches. */
double pipeline_memory(const pipeline_layers *l, const pipeline_way *way, const size_t *first,
                       const sgdpar_device *device, size_t p);

/* The text that Megatron's --pipeline-model-parallel-layout takes, in fresh memory; NULL where
 * a layer of the embedding or of the head stands between others. */
const char *pipeline_layout(const pipeline_layers *l, const pipeline_way *way,
                            const size_t *first);

/* Numbers of layers of the stages, "6,7,7,5", in fresh memory. */
const char *pipeline_counts(const pipeline_layers *l, const pipeline_way *way,
                            const size_t *first);

#endif /* TOOLS_MODEL_PIPELINE_H */
