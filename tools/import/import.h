/* import.h - traces and profiles of other programs: what a reader of a format provides,
 * and what it fills
 *
 *     static int recognises(const char *head, size_t length) { ... }
 *     static void read(stream *s, const import_options *options, import_found *found)
 *     {
 *         const size_t step = import_add_step(found, 7, start_s, end_s);
 *         import_op op = {0};
 *         op.step = (uint32_t)step;
 *         op.kind = IMPORT_COMPUTE;
 *         op.start_s = ...
 *         import_add_op(found, &op, name, name_length);
 *         import_drop(found, "events without a duration", 3);
 *     }
 *     const import_format import_kineto = {"kineto", "a trace of PyTorch's Kineto", recognises,
 *                                          read};
 *
 * A reader reads, and checks; it computes nothing: steps, operations and layers are handed
 * on as the file has them, in seconds and bytes, and sgdperf import finds with the headers
 * what they add up to. A new format is a line in formats.c. */
#ifndef TOOLS_IMPORT_IMPORT_H
#define TOOLS_IMPORT_IMPORT_H

#include "base/csv.h"
#include "base/json.h"
#include "base/names.h"
#include "base/output.h"
#include "base/stream.h"
#include "base/tool.h"
#include "sgdperf_sim.h"

/* ---- What is found --------------------------------------------------------- */

typedef enum import_kind {
    IMPORT_COMPUTE = 0,       /* of the worker: a kernel, an operation              */
    IMPORT_COLLECTIVE,        /* an exchange among the workers, of `bytes`          */
    IMPORT_UPLINK,            /* a transfer to a parameter server, of `bytes`       */
    IMPORT_DOWNLINK,          /* and from one                                       */
    IMPORT_UPDATE,            /* of a parameter server                              */
    IMPORT_WAIT,              /* the worker can go on only when what runs has ended: its  */
                              /*   next kernel is queued, or its host is blocked; not in  */
                              /*   a file that is linked                            */
    IMPORT_KINDS
} import_kind;

/* By these texts names tell a collective: one that holds another stands before it. */
#define IMPORT_COLLECTIVE_TABLE(X)                                                      \
    X(IMPORT_ALLREDUCE, "allreduce")                                                    \
    X(IMPORT_ALLGATHER, "allgather")                                                    \
    X(IMPORT_REDUCESCATTER, "reducescatter")                                            \
    X(IMPORT_BROADCAST, "broadcast")                                                    \
    X(IMPORT_REDUCE, "reduce")                                                          \
    X(IMPORT_ALLTOALL, "alltoall")                                                      \
    X(IMPORT_SENDRECV, "sendrecv")                                                      \
    X(IMPORT_BARRIER, "barrier")                                                        \
    X(IMPORT_OTHER_COLLECTIVE, "other")

#define IMPORT_X(name, text) name,
typedef enum import_collective {
    IMPORT_COLLECTIVE_TABLE(IMPORT_X) IMPORT_COLLECTIVES
} import_collective;
#undef IMPORT_X

const char *import_collective_text(import_collective collective);

/* Of a kernel or call of this name, as "ncclDevKernel_AllReduce_Sum_f32_RING_LL" or
 * "nccl:all_gather": IMPORT_OTHER_COLLECTIVE where it tells nothing. */
import_collective import_collective_named(const char *name);

typedef struct import_op {
    uint32_t    step;         /* index of found->step                               */
    import_kind kind;
    double      start_s;      /* on the clock of the trace; without a clock: 0      */
    double      end_s;        /* >= start_s; without a clock: the duration          */
    double      bytes;        /* of a transfer or collective; < 0: not known        */
    import_collective collective; /* of IMPORT_COLLECTIVE                           */
    uint32_t    server;       /* of a transfer or update, from 0                    */
    int         host;         /* of IMPORT_COMPUTE: by the processor, which goes on   */
                              /*   while an accelerator computes                    */
    uint32_t    name;         /* number in found->names                             */
    size_t      first_wait;   /* in found->wait: the ops of the step that come before, */
    size_t      waits;        /*   [waits] indices of found->op, each once          */
} import_op;

typedef struct import_step {
    uint64_t number;          /* that the trace gives it                            */
    double   start_s, end_s;  /* equal: the trace has no clock, or no steps         */
} import_step;

typedef struct import_layer {
    uint32_t name;            /* number in found->names                             */
    double   forward_s, backward_s, update_s;
    double   bytes;           /* of its parameters                                  */
    double   output_bytes;    /* of its activations; < 0: not known                 */
} import_layer;

typedef struct import_dropped { const char *why; uint64_t count; } import_dropped;

typedef struct import_found {
    const char   *file;       /* for messages                                       */
    uint64_t      events;     /* read, of whatever use                              */
    uint32_t      workers;    /* that took part; 0: the file does not say           */
    uint32_t      rank;       /* of them, from 1; 0: the file does not say          */
    double        origin_s;   /* of its clock, from which times count                */
    uint32_t      accelerators; /* of the worker's machine; 0: the file does not say */
    int           timed;      /* ops and steps have times of one clock              */
    int           linked;     /* ops say what they wait for; else their order does  */
    name_index    names;
    name_index    nodes;      /* for a reader: nodes of a graph, threads, steps     */
    import_step  *step;       /* [steps]                                            */
    size_t        steps, step_room;
    import_op    *op;         /* [ops], in any order                                */
    size_t        ops, op_room;
    uint32_t     *wait;       /* [waits]                                            */
    size_t        waits, wait_room;
    import_layer *layer;      /* [layers], of a file that has no steps              */
    size_t        layers, layer_room;
    import_dropped *dropped;  /* [drops], distinct reasons                          */
    size_t        drops, drop_room;
} import_found;

/* Each fails where memory ends, or over what is no number: an end before its start, a time
 * that is not finite, more bytes than numbers can add up. */
size_t import_add_step(import_found *f, uint64_t number, double start_s, double end_s);
size_t import_add_op(import_found *f, const import_op *op, const char *name, size_t length);
void import_add_wait(import_found *f, size_t op); /* of the op that was added last  */
void import_add_layer(import_found *f, const import_layer *l, const char *name, size_t length);

/* Room for one more element behind array[count], which it may move; tool_free releases it. */
void *import_grow(void *array, size_t count, size_t *room, size_t size);

/* Where the next element of an array goes that grows so; it is not zeroed. */
#define IMPORT_ADD(array, count, room)                                                  \
    ((array) = import_grow(array, count, &(room), sizeof *(array)), &(array)[(count)++])

/* Of `count` doubles that ascend, each `stride` bytes behind the one before: how many are below
 * `value`, or with `equal` not above it. */
size_t import_below(const double *first, size_t count, size_t stride, double value, int equal);

/* The number of a name among those of a file; fails where memory ends. */
uint32_t import_name(const char *file, name_index *names, const char *text, size_t length);

/* For qsort and bsearch: elements by the uint64_t that they begin with. */
int import_compare_ids(const void *a, const void *b);

/* {0} begins; this ends. */
void import_free(import_found *f);

/* The ops of step s are by[first[s]] to by[first[s + 1] - 1], in the order of the file. */
void import_group(const import_found *f, size_t **first, uint32_t **by);

/* What an op runs on, and which kind of op runs there: a collective takes the uplink. */
sgdsim_resource import_resource(import_kind kind);
import_kind import_kind_on(sgdsim_resource resource);

/* Leaves steps out whose out[f->steps] is not 0, not all, and what belongs to them; or the
 * first so many, fewer than all. */
void import_leave_out(import_found *f, const unsigned char *out);
void import_skip_steps(import_found *f, size_t steps);

/* Gives ops of a processor and an accelerator that have durations, dependencies and no times
 * those of a run in which processor, accelerator and network each take one at a time, first
 * come first served: 1; 0: the ops have times, or one processor has them all. Fails over
 * cycles, and over a step that is too long. */
int import_schedule(import_found *f);

/* A value as it reads in decimals: the next multiple of 1 / per_unit, where numbers of this size
 * tell such apart; else itself. Sums of decimals that should be equal then are. */
double import_on_grid(double value, double per_unit);

/* Counts what was left out, for the report; `why` names it, a text that lasts. */
void import_drop(import_found *f, const char *why, uint64_t count);

/* "FILE:LINE: byte N: what", or what the reader found wrong. */
TOOL_NORETURN void import_fail_json(const json_reader *r, const char *what);

/* Reads to the end of the value that began with the token, or fails. */
void import_skip_json(json_reader *r, json_token token);

/* The text of the last token, terminated, in `room` bytes: 1; 0: it is longer, and to is "". */
int import_json_text(const json_reader *r, char *to, size_t room);

enum { IMPORT_MOST_SERVERS = 21844 }; /* that a replay takes                          */
enum { IMPORT_MOST_WORKERS = 1000000 };
#define IMPORT_MOST_BYTES 1e280 /* of an operation or layer: they can be added up      */

/* ---- Formats --------------------------------------------------------------- */

typedef enum import_view {    /* of a trace of host and accelerator                 */
    IMPORT_VIEW_HOST = 0,     /* a step is what its annotation says, gaps and all   */
    IMPORT_VIEW_GPU           /* a step is what its kernels take                    */
} import_view;

typedef struct import_options { import_view view; } import_options;

typedef struct import_format {
    const char *name;         /* for FORMAT, and "source" of the output             */
    const char *title;        /* "a trace of PyTorch's Kineto"                      */
    int       (*recognises)(const char *head, size_t length);
    void      (*read)(stream *s, const import_options *options, import_found *found);
} import_format;

extern const import_format import_kineto, import_pipedream, import_transfers, import_chakra,
                           import_tensorflow, import_own;

/* The i-th; NULL behind the last. */
const import_format *import_formats(size_t i);

enum { IMPORT_HEAD = 1 << 16 }; /* bytes that `recognises` is given, if there are so many */

/* The first format that recognises the head of a file; NULL: none. */
const import_format *import_guess(const char *head, size_t length);

/* Of a log of a cluster's jobs, which is no trace of steps: what it is, and what reads it;
 * NULL: it is something else. */
const char *import_jobs(const char *head, size_t length);

/* For csv_foreign: what a file is that should be CSV, and what reads it; NULL: it is of no
 * format known, or of one that is CSV. */
const char *import_foreign(const char *head, size_t length);

/* Of formats that are CSV: does the first line that is no comment hold these names? The
 * whole table, which csv_free releases; fails over a stream that is cut off. */
int import_has_header(const char *head, size_t length, const char *const *column, size_t count);
csv_table *import_read_csv(stream *s);

/* Does the text occur in the head? For `recognises`. */
int import_has(const char *head, size_t length, const char *text);

#endif /* TOOLS_IMPORT_IMPORT_H */
