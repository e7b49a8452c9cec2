/* pipeline.h - sgdperf predict --pipeline and simulate --pipeline: steps of pipelines and their
 * copies */
#ifndef TOOLS_CMD_PIPELINE_H
#define TOOLS_CMD_PIPELINE_H

#include "base/output.h"
#include "model/pipeline.h"
#include "model/replica.h"

/* Stages, micro-batches and copies on so many workers. */
typedef struct pipeline_point {
    uint32_t     workers;
    pipeline_way way;
    const size_t *first;           /* [devices * chunks]                               */
    sgdpar_pipeline_step step;
    double       unshared_s;       /* the step on links of its own                     */
    double       memory_bytes;     /* of the device that needs most                    */
    double       batches_per_s, efficiency;
    int          fits;
} pipeline_point;

/* What --schedule and --total-batch need and exclude. */
#define PIPELINE_RULES                                                              \
    NEEDS(EACH(OPTION_SCHEDULE, OPTION_TOTAL_BATCH), ONE(PIPELINE)),                \
    NEEDS(ONE(TOTAL_BATCH), ONE(BATCH)), EXCLUDES(ONE(TOTAL_BATCH), ONE(ACCUMULATE))

/* Pipelines of the layers that one group ran. */
typedef struct pipeline_set {
    pipeline_layers layers;
    sgdpar_topology links;
    uint32_t        gpus;          /* groups of a machine that is full                 */
    topology_ways   ways;
    pipeline_way    way;           /* what all points share                            */
    const char     *stages;        /* of --stages; may be NULL                         */
    declared        declared;      /* are links as their makers declare them?          */
    replica_set    *plain;         /* steps of one device; NULL: not known             */
    double          compute_scale; /* of their compute; see pipeline_move              */
    int             replays;
    const char     *timeline;      /* of --timeline, or NULL                           */
    double          memory_bytes, batch;
    double          total_batch;   /* examples of a step; 0: micro-batches are given   */
    pipeline_point *point;         /* [count]                                          */
    size_t          count;
} pipeline_set;

/* All but points and sharding: layers of one group, links, --schedule. */
void pipeline_read(pipeline_set *s, const args *a, const csv_table *t);

/* Moves what was read to other machines: the times of layers and the speed of links between
 * machines. Before pipeline_read_plain. */
void pipeline_move(pipeline_set *s, replica_scale scale);

/* What steps of one device need. */
void pipeline_read_plain(pipeline_set *s, const args *a);

/* Numbers of workers, without those beyond a machine in which the layers were traced if no link
 * between machines is given. Returns how many. */
size_t pipeline_workers(const pipeline_set *s, const args *a, uint32_t **workers);

/* Numbers of micro-batches of a step: of --accumulate, or one, which --total-batch replaces.
 * Returns how many. */
size_t pipeline_passes(const args *a, uint32_t **passes);

/* The least and the most micro-batches that a step of any point has, in all copies. */
typedef struct pipeline_totals { double least, most; } pipeline_totals;
void pipeline_count(pipeline_totals *of, const pipeline_way *way);

/* Notes that rows differ in total batch, if they do. */
void pipeline_note_totals(const pipeline_totals *of);

/* Sets the copies of a point that has workers, devices and micro-batches, and its micro-batches by
 * --total-batch; 0: these do not go together. */
int pipeline_offer(const pipeline_set *s, pipeline_point *p);

/* A throughput that the point cannot exceed, at the cost of a sum. */
double pipeline_most_batches(const pipeline_set *s, const pipeline_point *p);

/* The exact step, and the rest of the point. */
void pipeline_answer(const pipeline_set *s, pipeline_point *p);

/* Reads, predicts and prints; returns the status to exit with. replays: pass by pass, on links
 * that transfers and exchanges share. */
int pipeline_run(const args *a, int replays);

/* What points of all models have, of steps whose parts are the worker's and the link's: how busy
 * both are, seconds of both, and whether the link is the bottleneck. */
/* The parts of a step in JSON: utilizations, seconds, and what binds. */
typedef struct step_parts {
    double worker, link, worker_s, link_s, input_s;
    const char *bottleneck;
    int reads;                /* input_s is printed */
} step_parts;

void json_step_parts(output *out, double speedup, const step_parts *p);

#endif /* TOOLS_CMD_PIPELINE_H */
