/* trace.h - files of traced operations, as sgdperf simulate replays them */
#ifndef TOOLS_FILES_TRACE_H
#define TOOLS_FILES_TRACE_H

#include "sgdperf_sim.h"

#include "base/csv.h"

typedef struct trace_file {
    const csv_table *file;
    sgdsim_trace     trace;   /* steps and ops in the order of their numbers        */
    size_t          *first;   /* [steps + 1] the first op of each step, in `row`    */
    size_t          *row;     /* [ops of all steps] of the file                     */
    int              name;    /* column, or CSV_NONE                                */
    unsigned char   *alltoall; /* [rows of the file] is it an all-to-all? NULL: none is. Half its */
                              /*   bytes are in the op: what a ring of all-reduce has of it      */
    int              joint;   /* traced on several workers, or exchanges differ by steps */
} trace_file;

enum { TRACE_MOST_OPS = 65535, /* of a step: the simulator's limits, to be checked    */
       TRACE_MOST_RUN = 65532 }; /* and to run                                        */

/* "downlink", "worker", "uplink" or "server" */
const char *trace_resource_text(sgdsim_resource resource);

/* Rows step,op,resource[,server],duration_s,bytes,waits_for[,name][,collective] in any order,
 * checked for so many parameter servers. The file must outlive the trace. */
void trace_parse(trace_file *trace, const csv_table *file, uint32_t servers);

/* What the links of the traced workers carried: the column bandwidth_bytes_per_s; 0: not told. */
double trace_bandwidth(const csv_table *file);

/* A number that a file tells once, in any row of this column; 0: it does not. */
double trace_told(const csv_table *file, const char *column);

/* The columns that tell of a trace of several workers, of the trace and of its layers. */
enum { TRACE_FACTS = 11 };
extern const char *const trace_facts[TRACE_FACTS];

/* How many workers were traced together: the column traced_workers; 0: not told. */
double trace_workers(const csv_table *file);

/* Sizes that nobody knows cannot be scaled to another link. */
void trace_note_made_up(const csv_table *file);

/* The trace of several ranks is that of the late one. */
void trace_note_late(const csv_table *file);

/* The profiled steps in turn, as the steps of a worker: [steps], of `count`. */
void trace_in_turn(uint32_t *sequence, uint64_t steps, size_t count);

/* Is an op an all-to-all? */
int trace_is_alltoall(const trace_file *trace, size_t step, size_t op);

/* The op's name; "" if it has none. */
const char *trace_name(const trace_file *trace, size_t step, size_t op);

#endif /* TOOLS_FILES_TRACE_H */
