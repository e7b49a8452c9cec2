/* linked.h - what a reader has found with what waits for what, as a trace to replay */
#ifndef TOOLS_IMPORT_LINKED_H
#define TOOLS_IMPORT_LINKED_H

#include "import/import.h"
#include "sgdperf_sim.h"

typedef struct linked_trace {
    sgdsim_step *step;        /* [steps] of an sgdsim_trace                         */
    size_t     **from;        /* [steps][ops] of found->op                          */
    size_t       steps;
    double      *step_s;      /* [steps] as traced; 0: not known                    */
    uint32_t     servers;
    int          rings;       /* uplinks are exchanges among the workers            */
    uint64_t     transfers;   /* of all steps                                       */
    uint64_t     unsized;     /* of these, without bytes                            */
    double       bytes;       /* sum over transfers with bytes and a time           */
    double       transfer_s;  /* sum of the times that they had a link              */
} linked_trace;

/* Gives ops of a processor and an accelerator that have durations, dependencies and no times
 * those of a run in which processor, accelerator and network each take one at a time, first
 * come first served: 1; 0: the ops have times, or one processor has them all. Fails over
 * cycles, and over a step that is too long. */
int linked_schedule(import_found *f);

/* Every op of found->op becomes one, in the step that it is of. Where the file has times
 * of several ops at once, sgdsim_trace_recorded makes them ops of one at a time; where it
 * has none, and but one processor, they are as the file has them. Collectives become
 * uplinks of the bytes that an all-reduce of the same traffic would have. Transfers
 * without bytes have as many as `bandwidth` carries in their time, none if it is 0. Fails
 * over cycles, and over a step that is too long. */
void linked_make(const import_found *f, double bandwidth_bytes_per_s, linked_trace *t);

/* Bytes a second at which the transfers, or rings among so many workers, take the time that
 * they took; 0: not known. */
double linked_bandwidth(const linked_trace *t, uint32_t workers);

/* Mean time of a step when `workers` workers replay all steps, each once and in order; with
 * rings synchronously, else each for itself with `overhead` (may be NULL). */
double linked_replay(const linked_trace *t, uint32_t workers, double bandwidth_bytes_per_s,
                     const sgdsim_overhead *overhead);

/* [LYPG20, 3.2.1] from the times of all transfers: 0 if there are none with bytes. */
int linked_overhead(const linked_trace *t, double bandwidth_bytes_per_s,
                    sgdsim_overhead *overhead);

/* Rows step,op,resource,server,duration_s,bytes,waits_for,name. */
void linked_write(FILE *to, const import_found *f, const linked_trace *t);

#endif /* TOOLS_IMPORT_LINKED_H */
