/* run.h - sgdperf import: what its files share */
#ifndef TOOLS_CMD_IMPORT_RUN_H
#define TOOLS_CMD_IMPORT_RUN_H

#include "sgdperf.h"
#include "base/output.h"
#include "sgdperf_fit.h"
#include "import/import.h"
#include "sgdperf_sim.h"
#include "options/options.h"

/* At which the exchanges of a trace take their time, where their sizes are not known. */
#define IMPORT_ANY_BANDWIDTH 1e9

typedef struct import_run {
    const import_format *format;
    import_found    found;
    import_view     view;
    uint32_t        workers;  /* that were traced together; 0: not known            */
    /* Of measure.c */
    size_t         *first;    /* [steps + 1] of a step's ops in `by`                */
    uint32_t       *by;       /* [ops] ops by step, and as the file has them        */
    sgdfit_step_parts *parts; /* [steps]; NULL: the file has no clock               */
    double         *bytes;    /* [steps] that were exchanged; < 0: some not known   */
    double         *stalled_from_s; /* [ops] up to whose end the worker waited    */
    sgdfit_step_parts mean;
    double          exchanged_bytes; /* mean of what a ring would have; < 0: unknown */
    double          alltoall_bytes; /* mean of all-to-alls, half of which is in that  */
    double          reduced_bytes; /* the rest of it                                  */
    int             sends;    /* there are transfers to parameter servers           */
    int             processor; /* which computes, and no accelerator                */
    int             gaps;     /* transfers alone: the rest is the gaps between them */
    size_t          collectives; /* ops of them                                     */
    sgdfit_phase_statistics phase[SGDFIT_PHASE_COUNT]; /* where there are transfers     */
    sgdp_job        job;      /* what predict is given                              */
    int             has_job;
    double          given_bytes_per_s; /* --bandwidth; 0: not given                 */
    double          link_bytes_per_s; /* of a server's link                         */
    uint32_t        servers;
    int             nominal;  /* no sizes: a byte of `traced` is a second           */
    int             has_overhead;
    sgdsim_overhead overhead;
    double          bandwidth_bytes_per_s; /* for simulate: of the job, or 1e9      */
    const struct import_ranks *ranks; /* of which this is the late one; NULL: one file  */
    double          predicted_s, replayed_s; /* the step by both; 0: not known      */
    double          overlap_error; /* of predict from replays over other links; 0: < 3 % */
    double          layers_step_s, layers_exposed_s; /* of the buckets; 0: none     */
    int             layers_differ; /* from the trace by more than 3 % of a step     */
    struct import_traced *traced; /* [traces] of trace.c; NULL: no trace            */
    size_t          traces;   /* steps of the trace: all, of transfers alone whole ones */
} import_run;

/* A rank of several that were traced together. */
typedef struct import_rank {
    import_run run;
    uint32_t   rank;
    double     clock_s;       /* its clock is ahead of that of the first file's rank  */
    size_t    *first;         /* [steps + 1] of a step's exchanges in `of`            */
    uint32_t  *of;            /* [exchanges] ops that are one                         */
    int64_t   *partner;       /* [exchanges] which of the first file's it is; -1: none */
    sgdfit_step_parts mean;   /* exposed_s: of transfers alone                        */
    double     waiting_s;     /* a step: for other ranks, doing nothing               */
    double    *own_s;         /* [steps] what neither is                              */
    double     caused_s;      /* for which others waited, in all                      */
    size_t     last;          /* exchanges at which it arrived last                   */
} import_rank;

typedef struct import_ranks {
    import_rank *rank;        /* [count], as the files are given                      */
    size_t count, late;       /* the one for which the others waited most             */
    size_t exchanges, met;    /* of all files; of which other files have the same     */
    double cv;                /* of own times over ranks and steps                    */
} import_ranks;

/* A step as simulate replays it. */
typedef struct import_traced {
    sgdsim_op   *op;          /* [ops]                                              */
    const char **name;        /* [ops]                                              */
    unsigned char *alltoall;  /* [ops] is it one? Half its bytes are in the op      */
    uint32_t    *of;          /* [ops] in found.op, of recorded operations; or NULL */
    size_t       ops;
} import_traced;

/* What the operations of each step add up to. */
void import_measure(import_run *r);

/* The parts of each step, and their mean. */
void import_parts(import_run *r);

/* Of files that were read: which exchanges are the same, who arrives last, and what of each step is
 * waiting. From then on exchanges begin with their last rank. Fails unless they are of one job. */
void import_meet(import_ranks *all);

/* How much longer than the mean rank the slowest takes, by their spread; of one file 1. */
double import_slowest(const import_run *r);

/* The traced job of workers that exchange among themselves; of a step's computation alone_s
 * hides no exchange. */
void import_exchange(import_run *r, double alone_s);

/* The steps as traces, in r->traced; `why`: NULL, or why there are none. */
void import_trace(import_run *r, const char **why);

/* Of a worker with parameter servers whose operations say what they wait for, traced
 * before: when its transfers had the link, what they tell of it, and the step again. */
void import_serve(import_run *r, double bandwidth_bytes_per_s);

/* Writes the traced steps as a Chakra execution trace. */
void import_write_chakra(const import_run *r, const char *path);

/* What predict and simulate give for the traced number of workers. */
void import_compare(import_run *r);

/* What a step takes as simulate has it, if it is more than 3 % off the trace; else 0. */
double import_differs(const import_run *r);

void import_write_profile(const import_run *r, const char *path);
void import_write_trace(const import_run *r, const char *path);
/* alone: nothing else is written, so what makes no layers is refused, and else noted. */
void import_write_layers(import_run *r, const char *path, int whole, int alone);
void import_write_points(const import_run *r, const char *path);

void import_print(output *out, const import_run *r);

/* What a ring of all-reduce would have of a collective's bytes; 0 of what is none. */
double import_exchanged(const import_op *op);

/* Is it an all-to-all, or a step of one, and no part of a reduction? */
int import_is_alltoall(const import_op *op);

/* Is it a transfer to or from a parameter server, as traced and as replayed? */
int import_is_sent(const import_op *op);
int import_is_moved(const sgdsim_op *op);

/* What a step takes if one worker replays each traced one once, as *run has it beside workers and
 * steps; 0: nobody knows. */
double import_replay(const import_run *r, sgdsim_config *run);

/* Of a step of a worker that sends to no server: in how much of the time from its start to
 * time_s[n] something ran, in place of these. */
void import_busy(const import_run *r, size_t step, double *time_s, size_t n);

/* Times and parameters of all layers. */
import_layer import_sum(const import_found *f);

/* What bounds the mean step, of r->parts. */
const char *import_bound_text(const import_run *r);

/* Of a step's computation for predict what nothing computed in: launches, gaps. */
double import_idle_s(const import_run *r);

/* Did several workers share the servers? Then transfers hold the waiting of all of them. */
int import_is_shared(const import_run *r);

/* Does it go on from the step before? Then it has been counted there. */
int import_goes_on(const import_run *r, const import_op *op);

#endif /* TOOLS_CMD_IMPORT_RUN_H */
