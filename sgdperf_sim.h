/* sgdperf_sim.h - v0.1.0 - replays traced SGD steps on shared links - C99, one file
 *
 *   Simulates how fast distributed SGD runs on many workers. Each worker replays steps
 *   that were profiled on ONE worker. An operation starts when the operations that it
 *   depends on have ended. Transfers share links.
 *
 * USE
 *   In exactly one C or C++ file:
 *       #define SGDPERF_SIM_IMPLEMENTATION
 *       #include "sgdperf_sim.h"
 *   Elsewhere include it without the define; a second inclusion is harmless.
 *   SGDPERF_SIM_STATIC, defined in that file, makes all symbols private. Link with -lm.
 *
 * EXAMPLE   two layers, transfers overlap with compute, four workers served in turn
 *       static double  work[8192];
 *       size_t         bytes = 0;
 *       sgdsim_layer   layer[2] = {
 *           {.bytes = 4e6, .forward_s = 0.004, .backward_s = 0.008, .update_s = 0.006},
 *           {.bytes = 5e6, .forward_s = 0.006, .backward_s = 0.011, .update_s = 0.012}};
 *       sgdsim_op      op[10];
 *       uint32_t       waits[10], workers = 4;
 *       sgdsim_step    step = {.op = op, .ops = 10};
 *       sgdsim_trace   trace = {.step = &step, .steps = 1};
 *       sgdsim_config  run = {0};  sgdsim_result out = {0};
 *       run.workers.types = 1;  run.workers.trace = &trace;
 *       run.workers.count = &workers;  run.length.steps = 1000;
 *       run.links.bandwidth_bytes_per_s = 125e6;  run.links.rule = SGDSIM_LINK_FCFS;
 *       if (sgdsim_trace_layers(layer, 2, 0, op, waits) == SGDSIM_OK
 *           && sgdsim_run_bytes(&run, &bytes) == SGDSIM_OK && bytes <= sizeof work
 *           && sgdsim_run(&run, work, bytes, &out) == SGDSIM_OK)
 *           printf("%.2f batches/s\n", out.batches_per_s);
 *           // 13.88 batches/s
 *
 * CONTENTS
 *   Status               sgdsim_status_text
 *   Random numbers       sgdsim_random
 *   Traces               sgdsim_trace_check  sgdsim_trace_layers, _buckets, _split,
 *                        _chain, _machine, _variation, _means, _recorded, _exchanges
 *   Links                sgdsim_share_max_min
 *   Run                  sgdsim_run_check  sgdsim_run
 *   Replications         sgdsim_replicate  sgdsim_estimate_mean  sgdsim_find_rates
 *   Collectives          sgdsim_run_groups
 *                        sgdsim_trace_tensors, _join, _units, _accumulate, _expose
 *   Transmission orders  sgdsim_order_transfers  sgdsim_order_search
 *   Library              sgdsim_version, _struct_bytes
 *
 * CONVENTIONS
 *   Units     seconds, bytes; a name ends in its unit: duration_s.
 *   Words     an op is an operation of a step; its prerequisites are ops, too.
 *   Defaults  zero every struct, in C++ by sgdsim_config run{}: a 0 is a default.
 *   Memory    nothing is allocated or kept; only inputs may alias. F_bytes() writes the
 *             size of the work area that F needs, aligned for double. With less memory F
 *             fails with SGDSIM_SMALL_WORKSPACE.
 *
 *   Errors    bad input returns a status, listed after "Fails", and writes no output.
 *             SGDSIM_ASSERT checks only the library's own invariants.
 *   Threads   no globals: calls with distinct work areas and outputs may run at once.
 *   Floats    With -ffp-contract=off and without -ffast-math, a seed gives equal bits on
 *             every platform. Exceptions use the platform's log, exp or pow: exponential
 *             service times, SGDSIM_LINK_TCP and the shapes LOGNORMAL and EXPONENTIAL.
 *
 * CONFIGURE   define beforehand: SGDPERF_SIM_STATIC, SGDSIM_API, SGDSIM_ASSERT(x)
 * REFERENCES (cited by key), HISTORY and LICENSE are at the end of this file.
 */
#ifndef SGDPERF_SIM_H
#define SGDPERF_SIM_H

#define SGDPERF_SIM_VERSION_MAJOR 0
#define SGDPERF_SIM_VERSION_MINOR 1
#define SGDPERF_SIM_VERSION_PATCH 0
#define SGDPERF_SIM_VERSION                                                        \
    (SGDPERF_SIM_VERSION_MAJOR * 10000 + SGDPERF_SIM_VERSION_MINOR * 100 +         \
     SGDPERF_SIM_VERSION_PATCH)

#include <stddef.h>
#include <stdint.h>
#if defined(SGDSIM_API)
#elif !defined(SGDPERF_SIM_STATIC)
#define SGDSIM_API extern
#elif defined(__GNUC__)
#define SGDSIM_API static __attribute__((unused))
#else
#define SGDSIM_API static
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ---------------------------------------------------------------- */

/* Statuses. The first six are the same in all headers. NOT_CONVERGED is not used. */
#define SGDSIM_STATUS_TABLE(X)                                                      \
    X(SGDSIM_OK,              "success")                                            \
    X(SGDSIM_BAD_ARGUMENT,    "null pointer, zero size, or value out of domain")    \
    X(SGDSIM_TOO_LARGE,       "more ops, servers or bytes than can be numbered")    \
    X(SGDSIM_SMALL_WORKSPACE, "work_bytes smaller than the _bytes() answer")        \
    X(SGDSIM_NOT_CONVERGED,   "iteration limit reached before the tolerance")       \
    X(SGDSIM_OVER_BUDGET,     "more events than max_events")                        \
    X(SGDSIM_BAD_TRACE,       "malformed trace: see sgdsim_trace_check")            \
    X(SGDSIM_NO_WINDOW,       "the warm-up leaves no time to measure")

#define SGDSIM_X(name, text) name,
typedef enum sgdsim_status {
    SGDSIM_STATUS_TABLE(SGDSIM_X) SGDSIM_STATUS_COUNT
} sgdsim_status;
#undef SGDSIM_X

/* Text of a status; never NULL. A value that is not a status has a text, too. */
SGDSIM_API const char *sgdsim_status_text(sgdsim_status status);

/* ---- Random numbers -------------------------------------------------------- */

/* Returns 64 random bits that depend only on the numbers seed, a, b and c. Method: the
 * mixing function of SplitMix64 [SLF14], applied once for each of the four numbers. The
 * function keeps no state. Hence each worker of a run has random numbers of its own. */
SGDSIM_API uint64_t sgdsim_random(uint64_t seed, uint64_t a, uint64_t b, uint64_t c);

/* ---- Traces ---------------------------------------------------------------- */

/* Resource of an op: a worker's download link, the worker, its upload link, a server. */
typedef enum sgdsim_resource {
    SGDSIM_DOWNLINK = 0, SGDSIM_WORKER, SGDSIM_UPLINK, SGDSIM_SERVER, SGDSIM_RESOURCES
} sgdsim_resource;

/* One operation (op) of a step. The resource tells what the op does:
 *   DOWNLINK  carries bytes from a server to the worker
 *   UPLINK    carries bytes from the worker to a server
 *   WORKER    computes on the worker
 *   SERVER    updates the model on a server */
typedef struct sgdsim_op {
    sgdsim_resource resource;
    uint32_t        server;    /* number of the parameter server, from 0            */
    double          duration_s; /* seconds of a WORKER or SERVER op, >= 0           */
    double          bytes;     /* bytes of a DOWNLINK or UPLINK op, >= 0            */
    const uint32_t *waits_for; /* [waits] prerequisites: distinct ops of the step   */
    size_t          waits;     /* number of prerequisites                           */
} sgdsim_op;

typedef struct sgdsim_step { const sgdsim_op *op; size_t ops; } sgdsim_step;

/* A trace: the profiled steps of one worker. Its steps may have different ops, durations
 * and dependencies. In a run, steps with equal dependency graphs share memory. */
typedef struct sgdsim_trace { const sgdsim_step *step; size_t steps; } sgdsim_trace;

/* Tells what is wrong with a trace, and in which op of which step. */
typedef struct sgdsim_fault {
    size_t      step, op;      /* numbers, from 0                                   */
    const char *field;         /* name of the wrong field of the op: "resource",    */
                               /*   "server", "duration_s", "bytes" or "waits_for"; */
                               /*   "step": the step has no op                      */
    const char *reason;        /* "is negative", "is on a cycle", ...               */
} sgdsim_fault;

/* Checks a trace for a run with `servers` parameter servers. *fault receives the first
 * fault found; fault may be NULL. Time: O(ops + dependencies).
 * Fails with SGDSIM_BAD_TRACE (the trace has a fault), SGDSIM_TOO_LARGE (a step has more
 * than 65,535 ops, or an op more than 65,535 prerequisites) or SGDSIM_BAD_ARGUMENT (a
 * required pointer is NULL, or there is no step or no server). */
SGDSIM_API sgdsim_status sgdsim_trace_check(const sgdsim_trace *trace, uint32_t servers,
                                            void *work, size_t work_bytes,
                                            sgdsim_fault *fault);
SGDSIM_API sgdsim_status sgdsim_trace_check_bytes(const sgdsim_trace *trace,
                                                  size_t *bytes);

/* A layer of a network: the bytes of its parameters, and the seconds of its forward pass,
 * of its backward pass and of its update. All numbers are >= 0. */
typedef struct sgdsim_layer {
    double bytes, forward_s, backward_s, update_s;
} sgdsim_layer;

/* Writes the ops of one step of a network of n layers [LPGLY22, 2.2.1]. The step has five
 * ops for each layer. Layer 0 is first in the forward pass, last in the backward pass.
 *
 * OPS of layer i of n layers; j = n - 1 - i is its position in the backward pass:
 *   op of layer i   its number  its prerequisites
 *   download        i           none
 *   forward pass    n + i       its download; the forward pass of layer i - 1
 *   backward pass   2n + j      the backward pass of layer i + 1; for the last layer, its
 *                               own forward pass
 *   upload          3n + j      its backward pass
 *   update          4n + j      its upload
 *
 * OVERLAP. With whole = 0, transfers can overlap with computation. With whole != 0, all
 * downloads end before the first forward pass. All uploads follow the last backward pass.
 *
 * MEMORY. The caller provides op[5n] and waits[5n]; the ops point into waits. Time: O(n).
 * Fails with SGDSIM_BAD_ARGUMENT: a pointer is NULL, n is 0 or above 13,106, or a value
 * of a layer is negative or not finite. */
SGDSIM_API sgdsim_status sgdsim_trace_layers(const sgdsim_layer *layer, size_t n,
                                             int whole, sgdsim_op *op, uint32_t *waits);

/* The caller's arrays into which a function writes a step. The function writes the ops to
 * the array `op`, and the prerequisites of all ops to the array `waits`. Each written op
 * points to its prerequisites in `waits`. */
typedef struct sgdsim_draft {
    sgdsim_op *op;
    uint32_t  *waits;
    uint32_t  *from;           /* [ops] record or exchange that became the op; only */
                               /*   functions that say so write it                  */
} sgdsim_draft;

/* Writes a step in which gradients travel in buckets, as in PyTorch's
 * DistributedDataParallel. Layers join the open bucket in the order of the backward pass.
 * The first bucket closes when it holds SGDSIM_FIRST_BUCKET_BYTES or more. Each later
 * bucket closes when it holds bucket_bytes or more. The end of the pass closes the last.
 *
 * OPS. On entry, out->op[5n] holds the ops that sgdsim_trace_layers wrote with whole = 0.
 * The function keeps the first 3n ops: downloads, forward and backward passes. It then
 * writes *buckets uploads and *buckets updates, of server 0. An upload waits for the
 * backward pass of the layer that closed its bucket, an update for its bucket's upload.
 *
 * LAYERS. Bucket b holds the layers closing[b] to closing[b - 1] - 1. Bucket 0 holds the
 * layers closing[0] to n - 1 of the n layers. The caller provides closing[n].
 *
 * MEMORY. For n layers, the caller provides out->waits[2n], not the array `waits` given
 * to sgdsim_trace_layers. Time: O(n). Fails with SGDSIM_BAD_ARGUMENT: sgdsim_trace_layers
 * refuses the layers, bucket_bytes is not > 0 and finite, or a sum overflows. */
SGDSIM_API sgdsim_status sgdsim_trace_buckets(const sgdsim_layer *layer, size_t n,
                                              double bucket_bytes,
                                              const sgdsim_draft *out, size_t *closing,
                                              size_t *buckets);
#define SGDSIM_FIRST_BUCKET_BYTES 1048576.0

/* Distributes the transfers and updates of a step with one server over `servers` servers.
 * Each DOWNLINK, UPLINK and SERVER op is split into parts. Server m gets the fraction
 * share[m] of the bytes or duration; no part if share[m] is 0. WORKER ops are not split.
 *
 * PREREQUISITES. A part on server m waits for the WORKER ops that its op waits for, and
 * for the parts on server m of other ops that its op waits for. A WORKER op waits for all
 * parts of its prerequisites.
 *
 * MEMORY. Let n be the number of ops of *step, and W the sum of their numbers of
 * prerequisites. Op i becomes out[first[i]] to out[first[i + 1] - 1], in the order of
 * servers; first[n] is the number of ops written. The caller provides out[n * servers],
 * first[n + 1] and waits[servers * W]; the ops point into waits. Time: O(servers n +
 * servers^2 W).
 *
 * Fails with SGDSIM_BAD_ARGUMENT (a pointer is NULL, there are no ops or servers, a share
 * is outside 0 .. 1, or all shares are 0), SGDSIM_BAD_TRACE (a prerequisite is not an op
 * of the step) or SGDSIM_TOO_LARGE (more than 65,535 ops). */
SGDSIM_API sgdsim_status sgdsim_trace_split(const sgdsim_step *step, const double *share,
                                            uint32_t servers, sgdsim_op *out,
                                            uint32_t *waits, size_t *first);

/* Concatenates `copies` steps without the barrier between them. In sgdsim_run, a worker
 * starts a step only when its previous step has ended. In a chain, a server does not wait
 * for the other servers. It sends a worker its part of the next model as soon as it has
 * applied the worker's gradients.
 *
 * PREREQUISITES. Op i of copy k is out[k n + i], where n is the number of ops of *step.
 * From the second copy on, two kinds of ops get a prerequisite in the previous copy:
 *   a DOWNLINK op without prerequisites      the last SERVER op of its server
 *   a WORKER op that waits for no WORKER op  the last WORKER op
 * "Last" means the highest number. *step comes from sgdsim_trace_layers or _split.
 *
 * MEMORY. Let n be the number of ops of *step, and W the sum of their numbers of
 * prerequisites. The caller provides out[n * copies] and waits[(n + W) * copies]; the ops
 * point into waits. Time: O(copies (n + W) + n^2).
 *
 * Fails with SGDSIM_BAD_ARGUMENT (a pointer is NULL, or there are no ops or copies),
 * SGDSIM_BAD_TRACE (a prerequisite is not an op of the step) or SGDSIM_TOO_LARGE (more
 * than 65,535 ops). */
SGDSIM_API sgdsim_status sgdsim_trace_chain(const sgdsim_step *step, size_t copies,
                                            sgdsim_op *out, uint32_t *waits);

/* Writes the step of a machine with several accelerators from the step of one accelerator
 * [LPGLY22, 4.4]. All accelerators compute. Before each upload they reduce its bytes
 * among themselves, and one of them sends the result. After each download, the
 * accelerator that received the bytes passes them on to the others.
 *
 * DURATIONS. Let g be the number of accelerators, b the bandwidth inside the machine in
 * bytes/s, and S the bytes of a transfer. Reducing is a WORKER op of 2 (g - 1) / g S / b
 * seconds. Passing on is a WORKER op of S / b seconds. The machine does not compute
 * during these ops. With g = 1 no op is added.
 *
 * NUMBERS. Op i of *step remains op i; out->from[i] is i. The added ops follow, in the
 * order of their transfers. out->from[i] of an added op i is the number of its transfer.
 *
 * MEMORY. Let n be the number of ops of *step, and W the sum of their numbers of
 * prerequisites. The caller provides out->op[2n], out->from[2n] and out->waits[n + W].
 * The function writes *ops ops. Time: O(n + W).
 *
 * Fails with SGDSIM_BAD_ARGUMENT (a pointer is NULL, there are no ops or accelerators,
 * the bandwidth is not positive and finite, or a time overflows), SGDSIM_BAD_TRACE (a
 * prerequisite is not an op of the step) or SGDSIM_TOO_LARGE (more than 65,535 ops). */
SGDSIM_API sgdsim_status sgdsim_trace_machine(const sgdsim_step *step,
                                              uint32_t accelerators,
                                              double local_bandwidth_bytes_per_s,
                                              const sgdsim_draft *out, size_t *ops);

/* Distributions by which compute times vary from step to step. sgdp_variation in
 * sgdperf.h has the same distributions. */
typedef enum sgdsim_shape {
    SGDSIM_SHAPE_NORMAL = 0, SGDSIM_SHAPE_LOGNORMAL, SGDSIM_SHAPE_EXPONENTIAL
} sgdsim_shape;

/* Returns a random factor >= 0 by which a caller multiplies the compute times of profiled
 * step number `step`. The factor has mean 1 and coefficient of variation cv. Time: O(1).
 *
 * METHOD. sgdsim_random(seed, step, k, 0) with k = 0 to 11 gives u1 to u12, uniform in
 * [0, 1). Their sum minus 6 is z, nearly standard normal. Let w = ln(1 + cv^2).
 *   shape        factor
 *   NORMAL       max(0, 1 + cv z)
 *   LOGNORMAL    exp(sqrt(w) z - w / 2)
 *   EXPONENTIAL  1 - cv - cv ln(1 - u1); cv must be at most 1
 *
 * ACCURACY. NORMAL: factors below 0 become 0, which matters for cv above 1/6. With cv =
 * 0.5 the mean is 1.004 and the coefficient of variation 0.49; with cv = 1 they are 1.08
 * and 0.80. LOGNORMAL: at cv = 1 the mean is 1 within 0.3 %.
 *
 * BITS. Shape NORMAL gives equal bits on every platform. LOGNORMAL uses the platform's
 * exp and log, EXPONENTIAL its log. */
SGDSIM_API double sgdsim_trace_variation(sgdsim_shape shape, double cv, uint64_t seed,
                                         uint64_t step);

/* Sums over the ops of a step, averaged over the steps of a trace. */
typedef struct sgdsim_means {
    double forward_s;          /* seconds of the WORKER ops before the first WORKER */
                               /*   op that an uplink waits for; of all WORKER ops, */
                               /*   if no uplink waits for one                      */
    double backward_s;         /* seconds of all other WORKER ops                   */
    double update_s;           /* seconds of the SERVER ops                         */
    double uplink_bytes, downlink_bytes; /* bytes of UPLINK, of DOWNLINK ops        */
} sgdsim_means;

/* Writes the mean profile of a trace, for models that describe a step by a few sums. Each
 * op counts in full, even if ops overlap. The trace must be one that sgdsim_trace_check
 * accepts. Time: O(ops + dependencies), without work area.
 *
 * In the comments of sgdsim_means, ops "before" an op are those with a lower number.
 * Fails with SGDSIM_BAD_ARGUMENT: a pointer is NULL, there is no step, or a sum
 * overflows. */
SGDSIM_API sgdsim_status sgdsim_trace_means(const sgdsim_trace *trace,
                                            sgdsim_means *means);

/* A record: an operation of a step as a profiler saw it. Records of one resource may
 * overlap, for example if they come from several threads or processors. */
typedef struct sgdsim_record {
    sgdsim_resource resource;
    uint32_t        server;    /* number of the parameter server, from 0            */
    double          start_s, end_s; /* start and end, in seconds. WORKER and        */
                               /*   DOWNLINK records share one clock; each server   */
                               /*   and its UPLINK records share another            */
    double          bytes;     /* bytes of a DOWNLINK or UPLINK                     */
    const uint32_t *waits_for; /* [waits] prerequisites: records of the step        */
    size_t          waits;     /* number of prerequisites                           */
} sgdsim_record;

/* The records of one step. */
typedef struct sgdsim_records {
    const sgdsim_record *record;   /* [records]                                     */
    size_t               records;  /* number of records                             */
    uint32_t             servers;  /* number of parameter servers, >= 1             */
} sgdsim_records;

/* Writes the step that a profiler recorded, for replay by sgdsim_run. In the replay a
 * worker runs one op at a time, and so does each server. Op i comes from record
 * out->from[i]. Ops stand in the order in which their records ended, except that each op
 * stands after its prerequisites.
 *
 * PREREQUISITES. An op waits for the prerequisites of its record. A WORKER or SERVER op
 * also waits for the previous op of its worker or server. Replays therefore keep the
 * recorded order of the ops of a worker or server.
 *
 * DURATIONS. duration_s of an op is the time until its record ends. It counts from the
 * latest of these times:
 *   every op     the ends of the records of the ops that it waits for
 *   WORKER op    the first start of all WORKER and DOWNLINK records
 *   SERVER op    the start of its record
 *   transfer     the start of its record; the end of the previous transfer on its link
 * sgdsim_run does not read the duration_s of transfers.
 *
 * OVERLAPS AND GAPS. Time in which records overlap counts once. Between records of the
 * worker there may be a gap that no prerequisite explains, for example before a kernel
 * launch. Such a gap is added to the op after it. A gap of a server is added to no op.
 *
 * ACCURACY. In a run of one worker, each op ends when its record ended, under two
 * conditions. First, every transfer takes its duration_s. Second, every transfer was
 * recorded to start as soon as it could.
 *
 * MEMORY. Let n be the number of records, and W the sum of their numbers of
 * prerequisites. The caller provides out->op[n], out->from[n] and out->waits[n + W].
 * Time: O(W + n log n + servers).
 *
 * Fails with SGDSIM_BAD_TRACE if a record has an unknown resource or server, an end
 * before its start, a time or bytes not finite, negative bytes, or a waits_for that
 * sgdsim_trace_check refuses; *fault (unless NULL) names it. Fails with
 * SGDSIM_BAD_ARGUMENT (a pointer is NULL, or there is no server or record) or
 * SGDSIM_TOO_LARGE (above 65,532 records, or one with more prerequisites than records).
 */
SGDSIM_API sgdsim_status sgdsim_trace_recorded(const sgdsim_records *in, void *work,
                                               size_t work_bytes, const sgdsim_draft *out,
                                               sgdsim_fault *fault);
SGDSIM_API sgdsim_status sgdsim_trace_recorded_bytes(const sgdsim_records *in,
                                                     size_t *bytes);

/* An exchange among all workers, as traced in a step of one worker. A worker is stalled
 * while it does nothing but wait for exchanges. The stall that this exchange ends lasts
 * from stalled_from_s to end_s. */
typedef struct sgdsim_exchange {
    double start_s, end_s;     /* start and end, in seconds                         */
    double bytes;              /* bytes exchanged, >= 0                             */
    double stalled_from_s;     /* when the stall began; as end_s: no stall          */
} sgdsim_exchange;

/* The exchanges of one step. */
typedef struct sgdsim_exchanges {
    const sgdsim_exchange *exchange; /* [exchanges] in any order                    */
    size_t                 exchanges; /* number of exchanges                        */
    double                 start_s, end_s; /* start and end of the step, in seconds */
} sgdsim_exchanges;

/* Writes the ops of a traced step that has n exchanges among all workers. Each exchange
 * becomes an UPLINK op. The time in which the worker is not stalled becomes WORKER ops,
 * which run one after the other.
 *
 * PREREQUISITES. An UPLINK op, an exchange, waits for the WORKER op (computation), if
 * any, that ended when its exchange started. A WORKER op waits for the previous WORKER
 * op. The WORKER op after a stall also waits for the exchange that caused the stall.
 *
 * DURATIONS. duration_s of an UPLINK op is the time for which its exchange had the link.
 * This time ends when the exchange ends. It begins when the exchange has started and all
 * exchanges that started earlier have ended. No run reads this duration_s. In a run in
 * which exchanges take these times, a step takes as long as the traced step.
 *
 * NUMBERS. out->from[i] of an UPLINK op i is the index of its exchange, 0 to n - 1.
 * out->from[i] of a WORKER op i is n. The function writes *ops ops. Times outside the
 * step are clipped to the step.
 *
 * MEMORY. For n exchanges the caller provides out->op[3n + 1], out->waits[5n + 2] and
 * out->from[3n + 1]. Time: O(n log n). Fails with SGDSIM_BAD_ARGUMENT: a pointer is NULL,
 * an end is before its start, a value is not finite, bytes are negative, a stall begins
 * after its end, stalls overlap, or n is above 21,843. */
SGDSIM_API sgdsim_status sgdsim_trace_exchanges(const sgdsim_exchanges *in, void *work,
                                                size_t work_bytes,
                                                const sgdsim_draft *out, size_t *ops);
SGDSIM_API sgdsim_status sgdsim_trace_exchanges_bytes(size_t n, size_t *bytes);

/* ---- Links ----------------------------------------------------------------- */

/* Rules by which the transfers of workers share a server's link. */
typedef enum sgdsim_link {
    SGDSIM_LINK_EQUAL = 0,     /* workers share a link equally (processor sharing)  */
    SGDSIM_LINK_FCFS,          /* first come, first served: a worker keeps the link */
                               /*   until it has no more to send                    */
    SGDSIM_LINK_EXCHANGE,      /* no servers: an uplink is an exchange of all       */
                               /*   workers, which takes links.exchange_s; a        */
                               /*   downlink takes no time [LPGLY22, 3.2.2]         */
    SGDSIM_LINK_TCP            /* TCP streams share a link, one for each worker,    */
                               /*   server and direction; see sgdsim_tcp            */
} sgdsim_link;

/* Two numbers from 0 to 1 that tell how TCP streams differ from equal sharing. `two_way`
 * tells how much traffic in the opposite direction slows a stream. `spread` tells how
 * much the weights of streams differ. If both numbers are 0 and there is one server,
 * results equal those of SGDSIM_LINK_EQUAL to the last bit.
 *
 * SEVERAL SERVERS, or links of workers: `two_way`, the slowdown by opposite traffic,
 * counts the streams of each link separately. Streams share the links max-min fair, in
 * proportion to their weights: a stream gets what its slowest link leaves it. In a ring
 * every link has one stream each way. Neither number then has an effect.
 *
 * DEFAULTS. The defaults fit one testbed: one server, TCP cubic, 1 Gbit/s. For other
 * speeds, queues and round-trip times they are a guess (validation/FINDINGS.md). */
typedef struct sgdsim_tcp {
    double two_way;            /* exponent, 0 to 1: n busy streams, against m > n   */
                               /*   in the other direction, get only the part       */
                               /*   (n/m)^two_way of their link, as                 */
                               /*   acknowledgements wait behind data [ZSC91]       */
    double spread;             /* 0 to 1: standard deviation of the logarithm of a  */
                               /*   stream's weight. The logarithm is uniform,      */
                               /*   drawn by worker, server, step and direction     */
} sgdsim_tcp;
#define SGDSIM_TCP_TWO_WAY 0.5 /* defaults of links.tcp = NULL                      */
#define SGDSIM_TCP_SPREAD 0.2

/* A transfer under way. */
typedef struct sgdsim_flow {
    uint32_t worker;           /* number of the worker, from 0                      */
    uint32_t server;           /* number of the server, from 0                      */
    double   share;            /* part of a link's bandwidth that the flow gets;    */
                               /*   set by the sharing rule                         */
} sgdsim_flow;

/* A sharing rule of the caller. The callback sets the share, >= 0, of all flows in one
 * direction. Flows are in the order in which their workers began to use the link. */
typedef void (*sgdsim_share)(void *ctx, sgdsim_flow *flow, size_t flows);

/* The max-min fair sharing rule [BG92], for any number of servers: no flow can get more
 * unless one with no larger share gets less. Each server's link and each worker's link
 * has capacity 1. ctx points to a double, the largest share that one flow may get; if ctx
 * is NULL, this largest share is 1. Time: O(flows^2) for each distinct value of the
 * shares. */
SGDSIM_API void sgdsim_share_max_min(void *ctx, sgdsim_flow *flow, size_t flows);

/* ---- Run ------------------------------------------------------------------- */

/* Rules for the start of a worker's next step. */
typedef enum sgdsim_mode {
    SGDSIM_ASYNC = 0,          /* a worker starts a step when its last has ended    */
    SGDSIM_SYNC                /* all workers start their next step when the last   */
                               /*   worker has ended its step                       */
} sgdsim_mode;

/* Rules for the durations of ops. */
typedef enum sgdsim_service {
    SGDSIM_TRACED = 0,         /* durations and bytes are as profiled               */
    SGDSIM_EXPONENTIAL         /* each profiled duration or size is multiplied by   */
                               /*   an exponential random number of mean 1, as      */
                               /*   queueing networks assume                        */
} sgdsim_service;

/* Ways in which a server runs the updates of workers. */
typedef enum sgdsim_updates {
    SGDSIM_UPDATES_SEPARATE = 0, /* each worker's updates have cores of their own   */
    SGDSIM_UPDATES_QUEUED,     /* a server runs one update op at a time; waiting    */
                               /*   workers take turns in the order in which they   */
                               /*   joined the queue, one op each                   */
    SGDSIM_UPDATES_SHARED      /* workers with updates share the server equally     */
} sgdsim_updates;

/* Time for parsing received data [LYPG20, 3.2.1]. After each transfer of n bytes, the
 * receiver, a worker or a server, runs one more op. This op takes max(0, s_per_byte n +
 * s) seconds. Exchanges have no such op. */
typedef struct sgdsim_overhead {
    double s_per_byte, s;      /* alpha in seconds per byte, beta in seconds        */
} sgdsim_overhead;

/* Other readings of published algorithms. A field is 0 (the usual reading) or 1. */
typedef struct sgdsim_variants {
    int steady_window;         /* 1: the throughput counts until the first worker   */
                               /*   has ended its steps (with steps that end at the */
                               /*   same time within 1e-12); 0: until the run ends  */
    int reappend_at_selection; /* when the rest of a transfer that HTTP/2 cuts      */
                               /*   joins the queue: 1: as its first part starts;   */
                               /*   0: as its first part ends                       */
    int fcfs_spill;            /* 1: the part of an FCFS link that flow_cap leaves  */
                               /*   goes to the next in the queue; 0: it is unused  */
    int two_servers_unit;      /* LINK_EQUAL, a worker alone on both of two servers */
                               /*   has 1: all of each link, as if its own link had */
                               /*   no limit; 0: half of each link                  */
} sgdsim_variants;

/* A completed op, as passed to the callback of sgdsim_watch. Op numbers from the number
 * of ops of the profiled step upwards stand for the parsing of received transfers: see
 * sgdsim_overhead. */
typedef struct sgdsim_event {
    uint32_t worker, step;     /* numbers of worker and of its step, from 0         */
    uint32_t traced_step;      /* number of the profiled step that it replays       */
    uint32_t op;               /* number of the op in the step                      */
    sgdsim_resource resource;
    uint32_t server;           /* number of the server, from 0                      */
    double   ready_s, start_s, end_s; /* seconds: when its prerequisites were done, */
                               /*   its service began, and it ended                 */
} sgdsim_event;

/* The workers of a run, of one type or of several types. An sgdsim_group is one job; it
 * reads only the first three fields: types, trace and count.
 *
 * ACCELERATORS. Let A be the field `accelerators`. If A > 1, each worker of sgdsim_run is
 * a machine with A accelerators that start each step together. Accelerator a of machine w
 * draws the profiled step that worker number A w + a would draw. The machine replays the
 * drawn step that computes longest. batches_per_s counts the mini-batches of all
 * accelerators. */
typedef struct sgdsim_workers {
    size_t              types;     /* number of worker types, >= 1                  */
    const sgdsim_trace *trace;     /* [types] trace that a type replays; machines:  */
                                   /*   see sgdsim_trace_machine                    */
    const uint32_t     *count;     /* [types] number of workers of a type, >= 1     */
    uint32_t            accelerators; /* of a machine; 0: 1                         */
    const uint32_t     *job;       /* [types] job of a type: 0 for type 0, then as  */
                                   /*   for the type before, or 1 more; NULL: all 0 */
    const uint32_t     *lead;      /* [jobs] most steps by which a worker leads the */
                                   /*   slowest of its job at the start of a step:  */
                                   /*   0: SYNC; UINT32_MAX: ASYNC; NULL: as `mode` */
} sgdsim_workers;

/* Callback that returns the seconds of an exchange of `bytes` bytes among all workers.
 * It must count the latency of messages and the bandwidth of workers' own links itself.
 * It is called only if there are two workers or more. If the result is negative or not
 * finite, the run fails with SGDSIM_BAD_ARGUMENT. */
struct sgdsim_config;
typedef double (*sgdsim_exchange_s)(void *ctx, const struct sgdsim_config *config,
                                    double bytes);

/* The links between workers and servers, and the rule by which transfers share them. A
 * worker may also have a link of its own, which its transfers to and from all servers
 * share. The delay of a transfer is the time from its end on the link to its arrival; the
 * link is free in this time. */
typedef struct sgdsim_links {
    sgdsim_link       rule;
    const sgdsim_tcp *tcp;         /* numbers for LINK_TCP; NULL: the defaults      */
    double            bandwidth_bytes_per_s; /* of a server's link, each way; > 0   */
    double            flow_cap;    /* largest part of a server's link that one      */
                                   /*   worker can have; 0, or above 1: 1           */
    const double     *worker_bandwidth_bytes_per_s; /* [types] of a worker's own    */
                                   /*   link, each way. NULL: no limit; with        */
                                   /*   LINK_EQUAL and several servers, the         */
                                   /*   bandwidth of a server's link                */
    const double     *delay_s;     /* [types] delay of a transfer; NULL: none      */
    sgdsim_share      share;       /* sharing rule of the caller, used in place of  */
                                   /*   `rule`; NULL: `rule` is used                */
    void             *share_ctx;   /* passed to share                               */
    sgdsim_exchange_s exchange_s;  /* SGDSIM_LINK_EXCHANGE: time of an exchange     */
    void             *exchange_ctx; /* passed to exchange_s                         */
} sgdsim_links;

/* Describes how a worker or a server sends its transfers. With window_bytes > 0,
 * transfers are cut as by HTTP/2 [LYPG20, 3.2.2]. A transfer first sends window_bytes
 * bytes. Its remaining bytes then go to the end of the queue of waiting transfers. */
typedef struct sgdsim_transfers {
    double                 window_bytes; /* bytes sent first; 0: all                */
    int                    every_turn; /* 0: at its second turn a transfer sends    */
                                   /*   all its rest; 1: window_bytes at each turn  */
    const sgdsim_overhead *overhead; /* time for parsing received data; NULL: none  */
    const uint32_t        *order;  /* [ordered] ops to queue first when a step      */
                                   /*   starts, in this order. Those that a step    */
                                   /*   lacks, or that have prerequisites, are      */
                                   /*   skipped                                     */
    size_t                 ordered; /* number of these ops                          */
} sgdsim_transfers;

/* The parameter servers. */
typedef struct sgdsim_servers {
    uint32_t       count;          /* number of servers; 0: 1                       */
    sgdsim_updates updates;        /* how a server runs the updates of workers      */
} sgdsim_servers;

/* Length of a run, or of an sgdsim_group. A step of a group is one step of all its
 * workers, and counts once in its warm-up.
 *
 * WARM-UP in mode SYNC. It should be a multiple of the number of workers: it then ends
 * when all workers have ended the same step. A synchronous job (sgdsim_workers.lead 0)
 * rounds its warm-up down to a multiple. */
typedef struct sgdsim_length {
    uint64_t steps;            /* steps of each worker, 1 to 2^32 - 1               */
    uint64_t warmup;           /* steps that the workers of a job together complete */
                               /*   before the job's throughput counts              */
} sgdsim_length;

/* Random variation of the steps of a run. Worker w draws numbers u(s, k, c), uniform in
 * [0, 1), from a seed s, a step k and a number c. u(s, k, c) is the upper 53 bits of
 * sgdsim_random(s, w, k, c), divided by 2^53.
 *
 * DRAWS of a worker, from its uniform random numbers u(s, k, c):
 *   profiled step, of n, for step k     floor(n u(seed, k, 0))
 *   factor of the service of op i in    -ln(1 - u(~seed, k, i)), drawn if service is
 *     step k                            SGDSIM_EXPONENTIAL
 *   weight of a TCP stream in step k    exp(sqrt(3) spread (2 u(seed, k, c) - 1)), where
 *                                       c = 1 + 2 m for downloads from server m, and
 *                                       c = 2 + 2 m for uploads to server m
 *   time at which it starts             stagger_s u(seed, 2^64 - 1, 0) */
typedef struct sgdsim_variation {
    uint64_t        seed;      /* any number                                        */
    sgdsim_service  service;
    const uint32_t *sequence;  /* [all workers][steps] profiled step to replay;     */
                               /*   UINT32_MAX: it is drawn; NULL: all are drawn    */
    double          stagger_s; /* seconds; each worker starts at a random time      */
                               /*   between 0 and this; 0: all start at 0           */
} sgdsim_variation;

/* Callback of a run. on_op is called for each op as it completes. */
typedef struct sgdsim_watch {
    void (*on_op)(void *ctx, const sgdsim_event *event); /* NULL: not called        */
    void  *ctx;                /* passed to on_op                                   */
} sgdsim_watch;

/* Input of sgdsim_run.
 *
 * EVENTS. max_events limits the work of a run. The end of a service is one event. Each
 * call of a sharing rule adds one event for every 1,024 flows that the rule looks at. The
 * max-min rule looks at the square of the number of flows. */
typedef struct sgdsim_config {
    sgdsim_workers   workers;
    sgdsim_mode      mode;
    sgdsim_links     links;
    sgdsim_transfers transfers;
    sgdsim_servers   servers;
    sgdsim_length    length;
    sgdsim_variation variation;
    sgdsim_variants  variants;
    uint64_t         max_events;   /* most events; 0: 10^12                         */
    sgdsim_watch     watch;
} sgdsim_config;

/* Reasons why a config is refused. */
#define SGDSIM_REASON_TABLE(X)                                                      \
    X(SGDSIM_REASON_NONE,      "nothing")                                           \
    X(SGDSIM_REASON_TYPES,     "workers: no types, traces or counts")               \
    X(SGDSIM_REASON_NOBODY,    "workers.count of a type is 0")                      \
    X(SGDSIM_REASON_TRACE,     "workers.trace of a type has no steps")              \
    X(SGDSIM_REASON_WORKERS,   "more than 2^32 - 1 workers")                        \
    X(SGDSIM_REASON_STEPS,     "length.steps is not in 1 .. 2^32 - 1")              \
    X(SGDSIM_REASON_WARMUP,    "length.warmup leaves no step")                      \
    X(SGDSIM_REASON_CHOICE,    "no such mode, links.rule, service or updates")      \
    X(SGDSIM_REASON_BANDWIDTH, "links.bandwidth_bytes_per_s is out of domain")      \
    X(SGDSIM_REASON_WINDOW,    "transfers.window_bytes is out of domain")           \
    X(SGDSIM_REASON_STAGGER,   "variation.stagger_s is out of domain")              \
    X(SGDSIM_REASON_CAP,       "links.flow_cap is out of domain")                   \
    X(SGDSIM_REASON_OVERHEAD,  "transfers.overhead is not finite")                  \
    X(SGDSIM_REASON_ORDER,     "transfers.order is missing")                        \
    X(SGDSIM_REASON_EXCHANGE,  "links.exchange_s is missing")                       \
    X(SGDSIM_REASON_ENDS,      "workers' links with a rule that knows none")        \
    X(SGDSIM_REASON_END,       "a worker's bandwidth is out of domain")             \
    X(SGDSIM_REASON_DELAY,     "links.delay_s of a type is out of domain")          \
    X(SGDSIM_REASON_TCP,       "links.tcp is not in 0 .. 1")                        \
    X(SGDSIM_REASON_TWICE,     "transfers.order has an op twice")                   \
    X(SGDSIM_REASON_SEQUENCE,  "variation.sequence has a step that is none")        \
    X(SGDSIM_REASON_JOB,       "workers.job is out of order, or of exchanges above 0")

#define SGDSIM_X(name, text) name,
typedef enum sgdsim_reason {
    SGDSIM_REASON_TABLE(SGDSIM_X) SGDSIM_REASON_COUNT
} sgdsim_reason;
#undef SGDSIM_X

/* Reason why sgdsim_run_check refuses a config. */
typedef struct sgdsim_refusal {
    sgdsim_reason reason;
    size_t        at;          /* index of the worker type, of the op in `order`,   */
                               /*   or of the element of `sequence` that is wrong;  */
                               /*   0 for other reasons                             */
} sgdsim_refusal;

/* Text of a reason; never NULL. */
SGDSIM_API const char *sgdsim_reason_text(sgdsim_reason reason);

/* Checks whether sgdsim_run accepts a config. If not, *refusal tells why; refusal may be
 * NULL. A NULL config leaves *refusal as it is. The function does not check the traces:
 * sgdsim_trace_check does. Time: O(types + variation.sequence + transfers.ordered^2).
 *
 * Fails with SGDSIM_BAD_ARGUMENT (the config is refused: *refusal tells why),
 * SGDSIM_NO_WINDOW (the warm-up covers all steps) or SGDSIM_TOO_LARGE (too many workers).
 * sgdsim_run then fails in the same way. */
SGDSIM_API sgdsim_status sgdsim_run_check(const sgdsim_config *config,
                                          sgdsim_refusal *refusal);

/* How one worker spent its time in a run, in seconds. A moment to which several fields
 * apply counts only for the first of these fields. */
typedef struct sgdsim_waiting {
    double computing_s;        /* it computes                                       */
    double downlink_s;         /* a download runs or queues                         */
    double uplink_s;           /* an upload runs or queues                          */
    double server_s;           /* an update runs or queues                          */
    double barrier_s;          /* it waits for other workers                        */
} sgdsim_waiting;

/* Result of sgdsim_run. The caller sets the pointers; NULL means that an array is not
 * wanted. sgdsim_run sets all other fields.
 *
 * UTILIZATION. The utilization of a resource is the part of the makespan (time of the
 * run) in which it is busy. `utilization` has the mean over all resources of a kind:
 * servers, workers, or pairs of a worker and a server, if each pair has a resource.
 * `contended` is the part of the makespan in which several workers use a resource or
 * queue for it. For resources that workers do not share, `contended` is 0. */
typedef struct sgdsim_result {
    double   batches_per_s;    /* mini-batches per second after the warm-up         */
    double   makespan_s;       /* seconds until the last step has ended             */
    uint64_t events;           /* service completions                               */
    uint64_t operations;       /* ops completed                                     */
    uint64_t seed;             /* seed of the run                                   */
    double   utilization[SGDSIM_RESOURCES]; /* busy part of the makespan            */
    double   contended[SGDSIM_RESOURCES]; /* part with two workers or more          */
    double  *step_end_s;       /* [all workers][steps] seconds: end of each step    */
    sgdsim_waiting *waiting;   /* [all workers] a worker's times sum to makespan_s  */
    double  *job_batches_per_s; /* [jobs] batches_per_s of each job                 */
} sgdsim_result;

/* Simulates the steps of all workers [LYPG20, 3.4; LPGLY22, 2.2.2 and 3.2]. All workers
 * start at time 0, or each at a random time up to variation.stagger_s. The throughput
 * counts from time 0, or from the end of the warm-up.
 *
 * CHUNKS. A chunk is an op, or the part of a transfer that HTTP/2 sends at once. A worker
 * has one chunk at a time in service at each resource. Its other chunks wait there in
 * FIFO order. Chunks of several workers on one link share the link. If chunks end at the
 * same time, the chunk that entered service first ends first.
 *
 * COST of one event, with n flows under way and L distinct values of their shares. The
 * first line that applies counts.
 *   config                                                        cost
 *   n <= 32, with several servers or with worker links            O(n L)
 *   SGDSIM_LINK_TCP, with worker links or flow_cap < 1            O(n L)
 *   variants.fcfs_spill, or a rule links.share                    O(n), and the rule
 *   SGDSIM_LINK_EQUAL, SGDSIM_LINK_FCFS or SGDSIM_LINK_TCP        O(log n)
 *
 * COST of worker links. Let M be the number of servers whose flows can be held back by
 * worker links. Let c be the bandwidth of a worker's link divided by that of a server's
 * link, and L the number of distinct rates of flows. A server with fewer than 2 M / c
 * flows adds O(M L) to an event for each of its flows; with FCFS, for its first flow.
 *
 * COST of ops that concern one worker alone: O(1) each. If on_op, links.share and
 * SGDSIM_EXPONENTIAL are not used, these ops are simulated before their turn, with
 * results equal to the bit. If the order of simultaneous ends turns out to matter, the
 * run starts again with all ops in order. It then takes at most twice the time.
 *
 * JOBS. Several jobs share the servers' links, but each job has servers of its own. All
 * jobs run until each worker of every job has done length.steps steps. batches_per_s is
 * the sum over the jobs. step_end_s has the first length.steps steps of each worker.
 *
 * TCP. SGDSIM_LINK_TCP is not work-conserving: with two_way > 0 a link may carry less
 * than its bandwidth while transfers wait. A rule links.share replaces SGDSIM_LINK_TCP.
 *
 * WORKER LINKS. Transfers between one worker and several servers share the worker's own
 * link: equally, or with TCP by the weights of their streams. A transfer gets at most
 * what its server's link gives it. With FCFS, transfers that wait for their server's link
 * get no share. links.share, variants.fcfs_spill and variants.two_servers_unit are
 * refused beside worker links.
 *
 * LOCKSTEP. Asynchronous workers do the same at the same time (lockstep) if they share
 * links equally, start together, and have steps that never vary. Their throughput is then
 * that of SGDSIM_SYNC, however long the run. Differences of 1e-9 between workers end the
 * lockstep. Real workers vary: give steps that vary by, say, 5 %, or use SGDSIM_LINK_FCFS
 * or SGDSIM_EXPONENTIAL.
 *
 * CHAOS. Asynchronous runs on equally shared links are chaotic: a rounding difference
 * grows about tenfold in 3 to 30 steps. Another program rounds differently, so compare
 * step times with it for short runs only. In long runs, throughputs differ as between
 * two seeds: by a few percent if workers stay in lockstep or take turns for many steps.
 *
 * Fails before the run with SGDSIM_BAD_TRACE (see sgdsim_trace_check),
 * SGDSIM_BAD_ARGUMENT (see sgdsim_run_check), SGDSIM_NO_WINDOW (the warm-up covers all
 * steps) or SGDSIM_TOO_LARGE (a size overflows, there are more than 21,844 servers, or a
 * step has more than 65,532 ops; with transfers.overhead a transfer is two ops).
 *
 * Fails during the run, or at its end, with SGDSIM_BAD_ARGUMENT (times or their sums over
 * all workers overflow, or links.share starves a flow forever), SGDSIM_NO_WINDOW (no step
 * is left to count, or the time to count is only rounding: 1e-12 of the run) or
 * SGDSIM_OVER_BUDGET (more than max_events events). By then, on_op has been called for
 * completed ops, and step_end_s has the ends of completed steps; all else is unchanged.
 *
 * MEMORY. The work area takes 2 bytes for each op of each worker; 16 more with the
 * callback on_op, 8 more with a delay_s, 4 more with window_bytes above 0. It also takes
 * about 350 bytes for each worker (with one server), and a copy of the traces. */
SGDSIM_API sgdsim_status sgdsim_run(const sgdsim_config *config, void *work,
                                    size_t work_bytes, sgdsim_result *out);

/* Writes the bytes of work area that sgdsim_run needs for a config. They do not depend on
 * seed, number of steps, warm-up, order and bandwidth.
 *
 * WHAT COUNTS. The size depends on the fields workers, servers, links.rule and
 * variants.fcfs_spill. It also depends on whether these are set: transfers.overhead,
 * links.share, watch.on_op, variation.stagger_s, links.worker_bandwidth_bytes_per_s. It
 * depends on whether a links.delay_s or transfers.window_bytes is above 0 and, with
 * SGDSIM_LINK_TCP, on whether links.flow_cap is below 1.
 *
 * TIME. O(ops + dependencies) if all profiled steps have one dependency graph. If graphs
 * differ, this time is multiplied by the number of profiled steps. The checks of the
 * config take O(sequence + ordered^2) more.
 *
 * Fails with
 *   SGDSIM_BAD_TRACE  a step has no ops, or a waits_for is NULL; no other fault is sought
 *   other statuses    as sgdsim_run_check */
SGDSIM_API sgdsim_status sgdsim_run_bytes(const sgdsim_config *config, size_t *bytes);

/* ---- Replications ---------------------------------------------------------- */

/* Mean of samples, and how precisely it is known. */
typedef struct sgdsim_estimate {
    double mean;
    double deviation;          /* sample standard deviation; 0 for one sample       */
    double ci95_half_width;    /* half-width of the mean's 95 % confidence          */
                               /*   interval; infinite for one sample               */
} sgdsim_estimate;

/* Estimates the mean of the n samples x[0] to x[n - 1], and its 95 % confidence interval.
 * The samples must be independent and about normal, for example the throughputs of
 * replications. Equal samples have deviation and half-width 0. Time: O(n).
 *
 * METHOD. The half-width is t deviation / sqrt(n). Here t is Student's t with n - 1
 * degrees of freedom, exact within 1e-7. Mean and sum of squares are updated with each
 * sample, without cancellation [W62]. Fails with SGDSIM_BAD_ARGUMENT: a pointer is NULL,
 * n = 0, a value is not finite, or the squares overflow. */
SGDSIM_API sgdsim_status sgdsim_estimate_mean(const double *x, size_t n,
                                              sgdsim_estimate *out);

/* Throughputs of runs, summarized as one rate, or as two rates if runs are bimodal. */
typedef struct sgdsim_rates {
    size_t rates;              /* number of rates, 1 or 2                           */
    double mean[2];            /* mean of the runs near each rate, lower first      */
    size_t runs[2];            /* number of runs near each rate                     */
} sgdsim_rates;

/* Tests whether the throughputs x[n] of n runs lie around two rates (bimodal). Example:
 * two or three workers may stay in lockstep, or take turns, for hundreds of steps. The
 * mean over such runs is a rate that no run has. The function sorts x. Time: O(n log n).
 *
 * RULE. The function splits the sorted throughputs into two parts with the least sum of
 * squared deviations from the parts' means (exact two-means clustering). There are two
 * rates if all of these conditions hold:
 *   the sum of squared deviations is below a tenth of that from the mean of all runs
 *   the means of the parts differ by more than 1 % of the mean of all runs
 *   each part has at least a tenth of the runs, and at least 2 runs
 *   n is at least SGDSIM_RATES_LEAST
 *
 * ERROR RATES. Sets of samples were drawn from one normal distribution: 1 % of sets of
 * 10, and no set of 20, seemed to have two rates. Sets of 20 were drawn from two normal
 * distributions with means 8 standard deviations apart: 97 % seemed to have two rates.
 *
 * Fails with SGDSIM_BAD_ARGUMENT: a pointer is NULL, n = 0, or a value is negative or not
 * finite. */
SGDSIM_API sgdsim_status sgdsim_find_rates(double *x, size_t n, sgdsim_rates *out);
#define SGDSIM_RATES_LEAST 10

/* Result of sgdsim_replicate. The caller sets the pointers, also those in `result`; NULL
 * means not wanted. sgdsim_replicate sets all other fields.
 *
 * CALLBACK. on_run is called after each run; runs are numbered from 0. The callback may
 * change the pointers in *result for the following runs. */
typedef struct sgdsim_replications {
    uint64_t        runs;              /* number of runs                            */
    sgdsim_estimate batches_per_s;     /* mean throughput, in steps per second      */
    uint64_t        events;            /* number of events of all runs              */
    double         *run_batches_per_s; /* [runs] throughput of each run             */
    sgdsim_result   result;            /* result of the last run                    */
    void          (*on_run)(void *ctx, uint64_t run, sgdsim_result *result);
    void           *on_run_ctx;        /* passed to on_run                          */
} sgdsim_replications;

/* Runs a config `runs` times with different seeds, and estimates the mean throughput.
 * Runs differ in what is drawn at random: profiled steps, exponential times, TCP weights
 * and start times. If nothing is random, all runs are equal. The half-width is then 0,
 * which is no measure of the model's error.
 *
 * SEEDS. Let s be config->variation.seed. Run 0 has the seed s; run i has the seed
 * sgdsim_random(s, i, 0, 0). sgdsim_run can therefore repeat any run alone.
 *
 * BIAS. The confidence interval is for the mean of runs of the length in `config`. If the
 * warm-up is too short, the start of each run biases its throughput. More runs do not
 * help.
 *
 * Fails with SGDSIM_BAD_ARGUMENT if `runs` is 0, or with the status of the first run that
 * fails; no other run follows. *out is then unchanged, but the arrays to which its fields
 * point may have changed. The size of the work area is that of sgdsim_run_bytes(config).
 */
SGDSIM_API sgdsim_status sgdsim_replicate(const sgdsim_config *config, uint64_t runs,
                                          void *work, size_t work_bytes,
                                          sgdsim_replications *out);

/* ---- Collectives ----------------------------------------------------------- */

/* The two levels of links: LOCAL inside machines, NETWORK between machines. All machines
 * are alike and do the same at the same time. Hence one link stands for all links inside
 * machines. Another link stands for all links between machines: the network card that the
 * accelerators of a machine share. */
typedef enum sgdsim_level {
    SGDSIM_LOCAL = 0, SGDSIM_NETWORK, SGDSIM_LEVELS
} sgdsim_level;

/* Cost of a collective. A collective does half of its work inside machines, then its work
 * between machines, then the other half inside machines. On each link it first waits for
 * messages (latency_s), then sends (busy_s). Collectives that send share a link equally.
 *
 * OVERLAP. alone_s is the time of the collective without others. It must be at least
 * latency_s + busy_s of each link. Let T be these two sums added up:
 *   alone_s < T  T - alone_s seconds of the work inside machines overlap the work between
 *                machines
 *   alone_s > T  a wait of alone_s - T seconds comes before the work between machines */
typedef struct sgdsim_cost {
    double alone_s;            /* seconds of a collective alone on the links        */
    double latency_s[SGDSIM_LEVELS]; /* seconds of waiting for messages, in which   */
                                     /*   it does not use the link                  */
    double busy_s[SGDSIM_LEVELS];    /* seconds of sending, alone on the link       */
    double share[SGDSIM_LEVELS];     /* largest part of a link that it can use,     */
                                     /*   at most 1; 0: 1                           */
} sgdsim_cost;

/* Callback that writes the cost of a collective of `bytes` bytes. `what` is the kind of
 * the collective: UPLINK reduces gradients, DOWNLINK gathers parameters. The callback
 * returns 1, or 0 if the collective cannot be done. */
typedef int (*sgdsim_cost_of)(void *ctx, sgdsim_resource what, double bytes,
                              sgdsim_cost *cost);

/* A group: one data-parallel job. Each worker has one accelerator. All workers exchange
 * gradients, and perhaps parameters, by collectives. */
typedef struct sgdsim_group {
    sgdsim_workers workers;
    int            gathers;        /* 1: a DOWNLINK op is a collective that gathers */
                                   /*   parameters; 0: DOWNLINK ops take no time    */
    double         bucket_bytes;   /* a bucket takes UPLINK ops, in the order in    */
                                   /*   which they are ready, until it holds this   */
                                   /*   many bytes; 0: one op per bucket            */
    double         first_bucket_bytes; /* bucket_bytes of the first bucket; 0:      */
                                   /*   SGDSIM_FIRST_BUCKET_BYTES                   */
    uint32_t       streams;        /* most collectives at the same time; 0: 1       */
    sgdsim_cost_of cost;           /* returns the cost of a collective              */
    void          *cost_ctx;       /* passed to cost                                */
    sgdsim_length  length;
    uint64_t       seed;           /* draws profiled steps: see sgdsim_variation    */
    sgdsim_watch   watch;
} sgdsim_group;

/* Result of a group. The caller sets the pointers step_end_s and waiting; NULL means not
 * wanted. sgdsim_run_groups sets all other fields.
 *
 * UTILIZATION. Each element of `utilization` is a part of makespan_s:
 *   WORKER    a worker computes; mean over the workers
 *   SERVER    a worker updates its model; mean over the workers
 *   UPLINK    collectives of the group reduce gradients
 *   DOWNLINK  collectives of the group gather parameters */
typedef struct sgdsim_group_result {
    double   batches_per_s;    /* completed steps per second after the warm-up      */
    double   makespan_s;       /* seconds until the group's last step has ended     */
    uint64_t events;           /* completed collectives and ops, of all workers     */
    uint64_t collectives;      /* collectives in a step: buckets and gathers        */
    double   exchange_s;       /* sum of alone_s of the collectives of a step       */
    double   utilization[SGDSIM_RESOURCES]; /* busy part of the makespan            */
    double   link_utilization[SGDSIM_LEVELS]; /* busy part of the time until the    */
                                              /*   last group ends, by all groups   */
    double  *step_end_s;       /* [steps] seconds: end of each step                 */
    sgdsim_waiting *waiting;   /* [all workers]. Until all workers are ready for a  */
                               /*   collective, waiting for it counts as barrier_s  */
} sgdsim_group_result;

/* Simulates groups: data-parallel jobs that share the links inside and between machines.
 * A worker runs its WORKER ops in the order of their numbers, as an accelerator runs its
 * kernels. At the same time it runs its SERVER ops, also in order. The workers of a group
 * start the next step when the last op of all of them has ended.
 *
 * COLLECTIVES. A collective can start when all workers of its group are ready for it. At
 * most `streams` collectives of a group run at once, in the order in which they became
 * ready; in a tie, in the order in which their buckets close.
 *
 * BUCKETS are formed once, from the first profiled step of the first trace, as by
 * DistributedDataParallel [LZV20]. UPLINK ops join the open bucket in the order in which
 * a worker would have them ready if exchanges took no time. A bucket closes when it holds
 * bucket_bytes or more. The last bucket closes in any case. No op is split.
 *
 * CONDITION. All profiled steps of a group must have the same number of UPLINK ops. Their
 * bytes, in the order of op numbers, must be equal, too. If `gathers` is set, both
 * conditions hold for DOWNLINK ops, too.
 *
 * COST. A type with one profiled step takes O(steps ops), as its workers all do the same
 * and are simulated once. Other types take O(steps ops) for each worker. A collective
 * takes O(groups + collectives under way or waiting).
 * Fails with SGDSIM_BAD_TRACE (sgdsim_trace_check finds a fault, an op waits for a higher
 * number, exchanges of steps differ, or a bucket waits for itself), SGDSIM_BAD_ARGUMENT
 * (NULL pointer, number out of range, invalid cost, times overflow), SGDSIM_NO_WINDOW
 * (the warm-up leaves no step or no time to count) or SGDSIM_TOO_LARGE (a size
 * overflows). Outputs are then as after a failure of sgdsim_run.
 *
 * CALLBACK. on_op is called for each op of a worker, in order for each resource. For a
 * collective it is called with the op that closed its bucket.
 * MEMORY. The work area has 16 bytes for each op of each simulated worker, and about 200
 * for each such worker. It also has 150 bytes for each exchange, and the traces. */
SGDSIM_API sgdsim_status sgdsim_run_groups(const sgdsim_group *group, size_t groups,
                                           void *work, size_t work_bytes,
                                           sgdsim_group_result *out);
/* Writes the bytes of work area that sgdsim_run_groups needs. The size depends only on
 * the traces, workers, `gathers` and `streams` of the groups. */
SGDSIM_API sgdsim_status sgdsim_run_groups_bytes(const sgdsim_group *group,
                                                 size_t groups, size_t *bytes);

/* A replicated model: its tensors, in the order in which their gradients are complete. */
typedef struct sgdsim_tensors {
    const sgdsim_layer *tensor;    /* [tensors] only bytes and backward_s are read  */
    size_t              tensors;   /* number of tensors                             */
    double              forward_s; /* seconds of the forward pass of all tensors    */
    double              tail_s;    /* seconds of backward after the last gradient   */
    double              update_s;  /* seconds of the update                         */
    int                 gather;    /* 1: a worker updates a part, then all parts    */
                                   /*   are gathered (ZeRO-1); 0: it updates all    */
} sgdsim_tensors;

/* Writes the step of a worker with a replica of a model of n tensors. The ops are, in
 * order: the forward pass; for each tensor, a WORKER op of its backward pass and an
 * UPLINK op; the rest of the backward pass; an update on the worker, when all gradients
 * are exchanged. If `gather` is set, a DOWNLINK op of all bytes follows.
 *
 * MEMORY. The caller provides out->op[2n + 4] and out->waits[3n + 4]. The function writes
 * *ops ops. Time: O(n). Fails with SGDSIM_BAD_ARGUMENT: a pointer is NULL, n is 0 or
 * above 32,764, a value is negative or not finite, or the sum of the bytes overflows. */
SGDSIM_API sgdsim_status sgdsim_trace_tensors(const sgdsim_tensors *in,
                                              const sgdsim_draft *out, size_t *ops);

/* Joins consecutive layers into units. A sharded model gathers all parameters of a unit
 * at once. A unit is complete when it holds at least least_bytes bytes and more than 0
 * bytes. If the last unit has no bytes, it is joined to the previous unit.
 *
 * MEMORY. The caller provides unit[n] for n layers. The function writes *units units,
 * each the sum of its layers. Time: O(n). Fails with SGDSIM_BAD_ARGUMENT:
 * sgdsim_trace_layers refuses the layers, least_bytes is negative or not finite, or sums
 * overflow. */
SGDSIM_API sgdsim_status sgdsim_trace_join(const sgdsim_layer *layer, size_t n,
                                           double least_bytes, sgdsim_layer *unit,
                                           size_t *units);

/* Writes the step of a sharded model (ZeRO-3, FSDP [ZGVL23]) of n units, which stand in
 * the order of the forward pass. A DOWNLINK op gathers each unit before its forward pass,
 * and again before its backward pass. An UPLINK op scatters the gradients of the unit
 * after its backward pass. At the end, one op updates all units.
 *
 * PREFETCH. A pass takes the units in order; the backward pass, in reverse order. The
 * gathers of its first prefetch + 1 units may begin with the pass. Each other gather may
 * begin when the pass is through the unit prefetch + 1 places earlier. A scatter goes
 * before a gather that is ready at the same time. `gathered` is the bytes of a parameter
 * divided by those of its gradient; 0 means 1.
 *
 * MEMORY. The caller provides op[5n + 1] and waits[8n]; the ops point into waits. Time:
 * O(n). Fails with SGDSIM_BAD_ARGUMENT: a pointer is NULL, n is 0 or above 13,106, a
 * value is negative or not finite, or the bytes or time of an update overflow. */
SGDSIM_API sgdsim_status sgdsim_trace_units(const sgdsim_layer *unit, size_t n,
                                            uint32_t prefetch, double gathered,
                                            sgdsim_op *op, uint32_t *waits);

/* Gradient accumulation: writes a step of `passes` micro-batches, where *step has one.
 * The first `pass` ops of *step are its forward and backward pass, and are repeated. For
 * n tensors, sgdsim_trace_tensors writes 2n + 2 of them; for n units, sgdsim_trace_units
 * writes 5n. The other ops follow the last micro-batch. Micro-batches do not overlap.
 *
 * EXCHANGES. With exchanges != 0, every micro-batch exchanges data, as in FSDP. With
 * exchanges = 0, only the last micro-batch does, as in DistributedDataParallel and
 * ZeRO-1. Each earlier micro-batch is then one op of resource WORKER.
 *
 * MEMORY. Let W be the sum of the numbers of prerequisites of all ops of *step. out->op
 * has room for passes * (pass + 1) + step->ops ops, out->waits for passes * (2 * pass +
 * W) + step->ops numbers. The function writes *ops ops. Time: O(ops).
 *
 * Fails with SGDSIM_BAD_ARGUMENT (a pointer is NULL, pass is 0 or above step->ops, passes
 * is 0, an op waits for a higher number, times overflow) or SGDSIM_TOO_LARGE (over 65,532
 * ops). */
SGDSIM_API sgdsim_status sgdsim_trace_accumulate(const sgdsim_step *step, size_t pass,
                                                 uint32_t passes, int exchanges,
                                                 const sgdsim_draft *out, size_t *ops);

/* Writes an all-reduce step in which exchanges (UPLINK ops) do not overlap with
 * computation. It has three kinds of ops, in this order. To depend is to wait for an op
 * directly or through others:
 *   early    ops that depend on no UPLINK; every UPLINK waits for all of them
 *   later    UPLINK ops, and ops that depend on an UPLINK and that another op waits for
 *   updates  other ops that depend on an UPLINK; they also wait for the last UPLINK
 * Ops of a kind keep their order. Op i comes from op out->from[i] of *step.
 *
 * GROWTH. The durations of WORKER ops that depend on no UPLINK are multiplied by
 * `growth`: several accelerators compute slower than one alone. sgdp_stretch_of
 * (sgdperf.h) computes it, and an exposure, by which the callback links.exchange_s or
 * cost multiplies the times of exchanges.
 *
 * MEMORY. Let n be the number of ops of *step, and W the sum of their numbers of
 * prerequisites. The caller provides out->op[n], out->from[n] and out->waits[4 n + W];
 * the ops point into waits. Time: O(n + W) if no op waits for a higher number, otherwise
 * at most O(n (n + W)).
 *
 * Fails with SGDSIM_BAD_ARGUMENT (a pointer is NULL, there are no ops, growth is below 1,
 * or a time overflows), SGDSIM_BAD_TRACE (a prerequisite is not an op of the step) or
 * SGDSIM_TOO_LARGE (more than 65,535 ops). A cycle of ops is copied, not found. */
SGDSIM_API sgdsim_status sgdsim_trace_expose(const sgdsim_step *step, double growth,
                                             const sgdsim_draft *out);

/* ---- Transmission orders --------------------------------------------------- */

/* Rules for the order of the downloads of a step. TIC and TAC are the rules of TicTac
 * [HJC19]. They use four quantities:
 *   D(o)   the downloads, not yet ordered, on which op o depends, directly or indirectly
 *   M(o)   the sum of the times of the downloads in D(o)
 *   M+(r)  for download r: the least M(o) over ops o for which D(o) has r and another
 *          download; infinite if there is none
 *   P(r)   for download r: the sum of the durations of WORKER ops o with D(o) = {r}
 *
 * TIES. If a rule prefers neither of two downloads, the one goes first that is the only
 * download for which some op still waits. Otherwise the download with the lower number
 * goes first. */
typedef enum sgdsim_order {
    SGDSIM_ORDER_GIVEN = 0,    /* by op number                                      */
    SGDSIM_ORDER_REVERSE,      /* by descending op number                           */
    SGDSIM_ORDER_RANDOM,       /* a random order; all are equally likely            */
    SGDSIM_ORDER_TIC,          /* least M+ first, where each download takes time 1; */
                               /*   depends only on the graph. On a chain of layers */
                               /*   this is the order of layers                     */
    SGDSIM_ORDER_TAC,          /* from measured times, one download after the       */
                               /*   other: download a comes before b if min(P(b),   */
                               /*   M(a)) < min(P(a), M(b)), or if both minima are  */
                               /*   equal and M+(a) < M+(b)                         */
    SGDSIM_ORDER_COUNT
} sgdsim_order;

/* A rule for ordering downloads, and what it needs. */
typedef struct sgdsim_ordering {
    sgdsim_order rule;
    uint64_t     seed;             /* RANDOM: any number                            */
    double       bandwidth_bytes_per_s; /* TAC: of the link, > 0                    */
} sgdsim_ordering;

/* Orders the DOWNLINK ops that have no prerequisites, for sgdsim_transfers. Their numbers
 * are written to order[*ordered]; *ordered is at most step->ops. DOWNLINK ops with
 * prerequisites are not ordered: they count as ops that wait for downloads.
 *
 * QUALITY. TIC and TAC are optimal on a chain of layers. On other graphs they may be
 * slower than REVERSE, which goes by descending op number. Of 2,000 random graphs, TIC
 * was slower on 179 (by up to 20 %), TAC on 38 (by up to 12 %). sgdsim_order_search finds
 * no order slower than REVERSE.
 *
 * COST, for T downloads, N ops and E dependencies:
 *   rule                    time                        bytes of work area, about
 *   GIVEN, REVERSE, RANDOM  O(N + E)                    4 (3 N + E)
 *   TIC                     O((N + E) T / 64 + N T)     the larger of 4 (3 N + E) and
 *                                                       N T / 8 + 20 N + 32 T
 *   TAC                     O(N T^2)                    as TIC
 * Fails with SGDSIM_BAD_TRACE (sgdsim_trace_check refuses the step), SGDSIM_BAD_ARGUMENT
 * (a pointer is NULL, the rule is unknown, or the bandwidth is out of range) or
 * SGDSIM_TOO_LARGE (there are too many ops). */
SGDSIM_API sgdsim_status sgdsim_order_transfers(const sgdsim_step *step,
                                                const sgdsim_ordering *by, void *work,
                                                size_t work_bytes, uint32_t *order,
                                                size_t *ordered);
SGDSIM_API sgdsim_status sgdsim_order_transfers_bytes(const sgdsim_step *step,
                                                      sgdsim_order rule, size_t *bytes);

/* Searches for an order of downloads that makes the steps of one worker short. The time
 * of an order is found by simulation: one worker of the first type, alone, runs each of
 * its profiled steps once, as traced. The simulation uses the links, windows and
 * overheads of config. It ignores types after the first, counts of workers, length,
 * order, sequence, stagger, service, mode and callback.
 *
 * METHOD. The search starts from the best of four orders of the first profiled step:
 * GIVEN, REVERSE, TIC and TAC. Then, `tries` times, it swaps two random downloads, drawn
 * with the seed of config; half of the time they are neighbours. It keeps a swap that
 * does not make the steps longer. The result is never slower than the four orders.
 *
 * COST. tries + 4 simulations of the steps, and one ordering by TAC. The caller provides
 * room in `order` for all ops of the first profiled step. Fails as sgdsim_run and
 * sgdsim_order_transfers do, and with SGDSIM_NO_WINDOW if the steps take no time. */
SGDSIM_API sgdsim_status sgdsim_order_search(const sgdsim_config *config, uint64_t tries,
                                             void *work, size_t work_bytes,
                                             uint32_t *order, size_t *ordered);
SGDSIM_API sgdsim_status sgdsim_order_search_bytes(const sgdsim_config *config,
                                                   size_t *bytes);

/* ---- Library --------------------------------------------------------------- */

/* Returns SGDPERF_SIM_VERSION of the compiled implementation. A program that loads a
 * shared library can compare this number with the version of its own header.
 *
 * EXPORT. To export or import the functions, define SGDSIM_API before every inclusion of
 * the header, as __attribute__((visibility("default"))) or __declspec(dllimport). */
SGDSIM_API int sgdsim_version(void);

/* Returns the size in bytes of the public struct called `name` in the compiled
 * implementation, or 0 if no struct has this name. A binding that declares structs in
 * another language can compare this size with its own. */
SGDSIM_API size_t sgdsim_struct_bytes(const char *name);

#define SGDSIM_STRUCT_TABLE(X) \
    X(sgdsim_op) X(sgdsim_step) X(sgdsim_trace) X(sgdsim_fault) X(sgdsim_layer) \
    X(sgdsim_draft) X(sgdsim_means) X(sgdsim_record) X(sgdsim_records) \
    X(sgdsim_exchange) X(sgdsim_exchanges) X(sgdsim_tcp) X(sgdsim_flow) \
    X(sgdsim_overhead) X(sgdsim_variants) X(sgdsim_event) X(sgdsim_workers) \
    X(sgdsim_links) X(sgdsim_transfers) X(sgdsim_servers) X(sgdsim_length) \
    X(sgdsim_variation) X(sgdsim_watch) X(sgdsim_refusal) X(sgdsim_config) \
    X(sgdsim_waiting) X(sgdsim_result) X(sgdsim_estimate) X(sgdsim_rates) \
    X(sgdsim_replications) X(sgdsim_cost) X(sgdsim_group) X(sgdsim_group_result) \
    X(sgdsim_tensors) X(sgdsim_ordering)

#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_SIM_H */

#if defined(SGDPERF_SIM_IMPLEMENTATION) && !defined(SGDPERF_SIM_IMPLEMENTED)
#define SGDPERF_SIM_IMPLEMENTED
/* ============================================================================
 *   IMPLEMENTATION
 *   Contents, in the order of the code: chapters, each with its parts
 *   Common block
 *   Random numbers
 *   Traces        checks; layers, buckets, servers, chains, variation; what they add up
 *                 to; recorded steps; steps with exchanges
 *   Links         max-min shares
 *   Run           graphs; state; layout of the work; compiling the traces; chunks in
 *                 service; stations, equal shares; stations, first come first served;
 *                 stations, shares by a rule; stations, links at both ends; stations, any
 *                 shares; stations, links to several servers; stations of any kind;
 *                 workers; chains; the event loop; checks; begin and results
 *   Replications
 *   Collectives   steps made for them; what they cost; under way; groups; checks, and
 *                 layout of the work; compiling the traces; workers; steps; links;
 *                 results
 *   Orders        downloads that ops wait for; rules; search
 * ==========================================================================*/

#ifndef SGDSIM_ASSERT
#include <assert.h>
#define SGDSIM_ASSERT(x) assert(x)
#endif
#include <float.h>
#include <math.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Common block -----------------------------------------------------------------
 * These lines stand in each header, equal up to the prefix, so that each header works
 * alone. The functions are inline because not every header uses all of them. */

/* Text of an enumeration value; "no such value" if i is out of range. */
static inline const char *sgdsim_priv_text(const char *const *text, size_t count,
                                           size_t i)
{
    return i < count ? text[i] : "no such value";
}

SGDSIM_API const char *sgdsim_status_text(sgdsim_status status)
{
#define SGDSIM_X(name, text) text,
    static const char *const text[] = { SGDSIM_STATUS_TABLE(SGDSIM_X) };
#undef SGDSIM_X
    return sgdsim_priv_text(text, SGDSIM_STATUS_COUNT, (size_t)status);
}

SGDSIM_API int sgdsim_version(void) { return SGDPERF_SIM_VERSION; }

SGDSIM_API size_t sgdsim_struct_bytes(const char *name)
{
#define SGDSIM_X(type) { #type, sizeof(type) },
    static const struct { const char *name; size_t bytes; } known[] = {
        SGDSIM_STRUCT_TABLE(SGDSIM_X) };
#undef SGDSIM_X
    size_t i;
    for (i = 0; name && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0) return known[i].bytes;
    return 0;
}

/* A time is finite and >= 0, a rate finite and > 0. NaN is neither, as it fails every
 * comparison. Ranges are tested because -ffast-math may take isfinite for true. */
static inline int sgdsim_priv_is_time(double x) { return x >= 0.0 && x <= DBL_MAX; }
static inline int sgdsim_priv_is_rate(double x) { return x > 0.0 && x <= DBL_MAX; }

/* True if a equals b. Written without ==, so that -Wfloat-equal finds mistakes. */
static inline int sgdsim_priv_same(double a, double b) { return a <= b && a >= b; }

/* Divides the caller's work area into arrays. With base NULL it only counts bytes, so one
 * routine both answers ..._bytes() and lays out the work area. */
typedef struct sgdsim_priv_arena {
    char  *base;
    size_t used;
    int    overflow;
} sgdsim_priv_arena;

static inline sgdsim_priv_arena sgdsim_priv_arena_at(void *base)
{
    sgdsim_priv_arena arena;
    arena.base = (char *)base;
    arena.used = 0;
    arena.overflow = 0;
    return arena;
}

#ifndef SGDSIM_PRIV_TAKEN
#define SGDSIM_PRIV_TAKEN(arena, at, bytes) ((void)0)  /* of tests/gaps.h */
#endif
/* Takes `count` elements of `size` bytes, aligned for double. NULL while counting. */
static inline void *sgdsim_priv_take(sgdsim_priv_arena *arena, size_t count,
                                     size_t size)
{
    const size_t limit = (size_t)-1 / sizeof(double) * sizeof(double), at = arena->used;
    SGDSIM_ASSERT(size > 0 && at % sizeof(double) == 0);
    if (arena->overflow || count > (limit - at) / size) {
        arena->overflow = 1;
        return NULL;
    }
    arena->used = (at + count * size + sizeof(double) - 1) / sizeof(double);
    arena->used *= sizeof(double);
    SGDSIM_PRIV_TAKEN(arena, at, count * size);
    return arena->base ? arena->base + at : NULL;
}

static inline double *sgdsim_priv_doubles(sgdsim_priv_arena *arena, size_t count)
{
    return (double *)sgdsim_priv_take(arena, count, sizeof(double));
}

/* Answers a ..._bytes() from an arena that has counted. */
static inline sgdsim_status sgdsim_priv_answer(const sgdsim_priv_arena *arena,
                                             size_t *bytes)
{
    if (!bytes) return SGDSIM_BAD_ARGUMENT;
    if (arena->overflow) return SGDSIM_TOO_LARGE;
    *bytes = arena->used;
    return SGDSIM_OK;
}

/* Checks that the caller's work area is not NULL, is aligned, and is large enough. */
static inline sgdsim_status sgdsim_priv_check_work(const void *work,
                                                 size_t work_bytes, size_t need)
{
    if (need == 0) return SGDSIM_OK;
    if (!work || (uintptr_t)work % sizeof(double) != 0) return SGDSIM_BAD_ARGUMENT;
    return work_bytes < need ? SGDSIM_SMALL_WORKSPACE : SGDSIM_OK;
}

/* The mixing function of SplitMix64 [SLF14]: 64 random bits that depend only on x. */
static inline uint64_t sgdsim_priv_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* 64 random bits that depend only on (seed, a, b). There is no state: a draw does not
 * depend on the draws before it. */
static inline uint64_t sgdsim_priv_random(uint64_t seed, uint64_t a, uint64_t b)
{
    return sgdsim_priv_mix(sgdsim_priv_mix(sgdsim_priv_mix(seed) ^ a) ^ b);
}

/* Uniform in [0, 1): the upper 53 of the random bits. */
static inline double sgdsim_priv_uniform(uint64_t random)
{
    return (double)(random >> 11) / 9007199254740992.0;
}

/* Two-sided 95 % point of Student's t. Beyond the table: the expansion of Cornish and
 * Fisher in 1 / degrees [AS64, 26.7.5], with a relative error below 1e-7. */
static inline double sgdsim_priv_student95(uint64_t degrees)
{
    static const double table[] = {
        12.7062047361747, 4.30265272974946, 3.18244630528371, 2.77644510519779,
        2.57058183563632, 2.44691185114497, 2.36462425159279, 2.30600413520417,
        2.26215716279821, 2.22813885198627, 2.20098516009164, 2.17881282966723,
        2.16036865646279, 2.1447866879178,  2.13144954555978, 2.11990529922125,
        2.10981557783332, 2.10092204024104, 2.09302405440831, 2.08596344726586
    };
    const double x = 1.95996398454005424, x2 = x * x; /* of the normal distribution */
    const double g1 = x * (x2 + 1.0) / 4.0;
    const double g2 = x * ((5.0 * x2 + 16.0) * x2 + 3.0) / 96.0;
    const double g3 = x * (((3.0 * x2 + 19.0) * x2 + 17.0) * x2 - 15.0) / 384.0;
    const double g4 = x * ((((79.0 * x2 + 776.0) * x2 + 1482.0) * x2 - 1920.0) * x2
                           - 945.0) / 92160.0;
    const double v = (double)degrees;
    SGDSIM_ASSERT(degrees >= 1);
    if (degrees <= sizeof table / sizeof table[0]) return table[degrees - 1];
    return x + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

/* Largest size of an element that sgdsim_priv_sort can sort, in bytes. */
#define SGDSIM_PRIV_SORTED_BYTES 32

/* Tells whether element a comes before element b. */
typedef int (*sgdsim_priv_sort_order)(const void *ctx, const void *a, const void *b);

static inline void sgdsim_priv_swap(char *a, char *b, size_t size)
{
    char held[SGDSIM_PRIV_SORTED_BYTES];
    memcpy(held, a, size);
    memcpy(a, b, size);
    memcpy(b, held, size);
}

/* Sinks element `at` to its place in the heap base[n]. The top of the heap is the
 * element that comes last in order. */
static inline void sgdsim_priv_sort_sink(char *base, size_t at, size_t n, size_t size,
                                         sgdsim_priv_sort_order before,
                                         const void *ctx)
{
    while (at < n / 2) {                   /* while `at` has a child */
        char *here = base + at * size, *child = base + (2 * at + 1) * size;
        if (2 * at + 2 < n && before(ctx, child, child + size)) child += size;
        if (!before(ctx, here, child)) return;
        sgdsim_priv_swap(here, child, size);
        at = (size_t)(child - base) / size;
    }
}

/* Heap sort in place: O(n log n) for every order of the input. qsort may call malloc. */
static inline void sgdsim_priv_sort(void *elements, size_t n, size_t size,
                                    sgdsim_priv_sort_order before,
                                    const void *ctx)
{
    char *base = (char *)elements;
    size_t i;
    SGDSIM_ASSERT(size <= SGDSIM_PRIV_SORTED_BYTES);
    for (i = 1; i < n; i++)
        if (before(ctx, base + i * size, base + (i - 1) * size)) break;
    if (i >= n) return;                    /* already in order, as logs often are */
    for (i = n / 2; i-- > 0;) sgdsim_priv_sort_sink(base, i, n, size, before, ctx);
    for (i = n; i-- > 1;) {
        sgdsim_priv_swap(base, base + i * size, size);
        sgdsim_priv_sort_sink(base, 0, i, size, before, ctx);
    }
}
/* ---- End of the Common block ------------------------------------------------------ */

/* Takes `count` elements of a type. */
#define SGDSIM_PRIV_TAKE(arena, count, type) \
    ((type *)sgdsim_priv_take(arena, count, sizeof(type)))

/* ---- Random numbers -------------------------------------------------------- */

SGDSIM_API uint64_t sgdsim_random(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
    return sgdsim_priv_mix(sgdsim_priv_random(seed, a, b) ^ c);
}

/* ---- Traces: checks -------------------------------------------------------- */

#define SGDSIM_PRIV_COUNTED_OPS 65535u   /* most ops of a step, and prerequisites of */
                                         /*   an op: 16 bits                         */

static int sgdsim_priv_is_transfer(sgdsim_resource resource)
{
    return resource == SGDSIM_DOWNLINK || resource == SGDSIM_UPLINK;
}

static const char *sgdsim_priv_value_fault(double value)
{
    if (!(value >= -DBL_MAX && value <= DBL_MAX)) return "is not a finite number";
    return value < 0.0 ? "is negative" : NULL;
}

static sgdsim_status sgdsim_priv_blame(sgdsim_fault *fault, size_t step, size_t op,
                                       const char *field, const char *reason)
{
    const sgdsim_fault found = { step, op, field, reason };
    if (fault) *fault = found;
    return SGDSIM_BAD_TRACE;
}

/* Arrays for checking one step. */
typedef struct sgdsim_priv_checker {
    uint32_t *waits_left;           /* [ops] prerequisites not done                   */
    uint32_t *stack;                /* [ops] ops whose prerequisites are done         */
    uint32_t *dependants_at;        /* [ops + 2]                                      */
    uint32_t *dependant;            /* [edges] op i's start at dependants_at[i]       */
} sgdsim_priv_checker;

static void sgdsim_priv_carve_checker(sgdsim_priv_arena *arena, size_t ops, size_t edges,
                                      sgdsim_priv_checker *check)
{
    check->waits_left = SGDSIM_PRIV_TAKE(arena, ops, uint32_t);
    check->stack = SGDSIM_PRIV_TAKE(arena, ops, uint32_t);
    check->dependants_at = SGDSIM_PRIV_TAKE(arena, ops + 2, uint32_t);
    check->dependant = SGDSIM_PRIV_TAKE(arena, edges, uint32_t);
}

SGDSIM_API sgdsim_status sgdsim_trace_check_bytes(const sgdsim_trace *trace,
                                                  size_t *bytes)
{
    sgdsim_priv_arena arena = sgdsim_priv_arena_at(NULL);
    sgdsim_priv_checker check;
    size_t s, i, ops = 0, edges = 0;
    if (!trace || !bytes || trace->steps == 0 || !trace->step) return SGDSIM_BAD_ARGUMENT;
    for (s = 0; s < trace->steps; s++) {
        size_t sum = 0;
        if (!trace->step[s].op) return SGDSIM_BAD_ARGUMENT;
        if (trace->step[s].ops > SGDSIM_PRIV_COUNTED_OPS) return SGDSIM_TOO_LARGE;
        for (i = 0; i < trace->step[s].ops; i++) {
            if (trace->step[s].op[i].waits > SGDSIM_PRIV_COUNTED_OPS)
                return SGDSIM_TOO_LARGE;
            sum += trace->step[s].op[i].waits;
        }
        if (trace->step[s].ops > ops) ops = trace->step[s].ops;
        if (sum > edges) edges = sum;
    }
    SGDSIM_ASSERT(edges <= UINT32_MAX);            /* under 2^16 ops x 2^16 waits     */
    sgdsim_priv_carve_checker(&arena, ops, edges, &check);
    return sgdsim_priv_answer(&arena, bytes);
}

/* What is wrong with the prerequisites of op i of n. seen[j] is the last op that waits
 * for op j, plus one. */
static const char *sgdsim_priv_waits_fault(const sgdsim_op *op, size_t n, size_t i,
                                           uint32_t *seen)
{
    size_t k;
    if (op->waits > 0 && !op->waits_for) return "is missing";
    for (k = 0; k < op->waits; k++) {
        const uint32_t other = op->waits_for[k];
        if (other >= n) return "names an op that is not there";
        if (other == i) return "names the op itself";
        if (seen[other] == i + 1) return "names an op twice";
        seen[other] = (uint32_t)(i + 1);
    }
    return NULL;
}

/* Checks the values and prerequisites of op i of n, in step s. */
static sgdsim_status sgdsim_priv_check_op(const sgdsim_op *op, size_t n, size_t s,
                                          size_t i, uint32_t servers, uint32_t *seen,
                                          sgdsim_fault *fault)
{
    const int transfer = sgdsim_priv_is_transfer(op->resource);
    const char *reason = sgdsim_priv_value_fault(transfer ? op->bytes : op->duration_s);
    if ((size_t)op->resource >= (size_t)SGDSIM_RESOURCES)
        return sgdsim_priv_blame(fault, s, i, "resource", "is no resource");
    if (op->server >= servers && op->resource != SGDSIM_WORKER)
        return sgdsim_priv_blame(fault, s, i, "server",
                                 "is not below the number of servers");
    if (reason)
        return sgdsim_priv_blame(fault, s, i, transfer ? "bytes" : "duration_s", reason);
    reason = sgdsim_priv_waits_fault(op, n, i, seen);
    return reason ? sgdsim_priv_blame(fault, s, i, "waits_for", reason) : SGDSIM_OK;
}

/* Finds the dependants of all ops, in order: those of op i are dependant[at[i]] to
 * dependant[at[i + 1] - 1]. */
static void sgdsim_priv_find_dependants(const sgdsim_step *step, uint32_t *at,
                                        uint32_t *dependant)
{
    const size_t n = step->ops;
    size_t i, k;
    memset(at, 0, (n + 2) * sizeof *at);
    for (i = 0; i < n; i++)
        for (k = 0; k < step->op[i].waits; k++) at[step->op[i].waits_for[k] + 2]++;
    for (i = 2; i < n + 2; i++) at[i] += at[i - 1];
    for (i = 0; i < n; i++)
        for (k = 0; k < step->op[i].waits; k++)
            dependant[at[step->op[i].waits_for[k] + 1]++] = (uint32_t)i;
    SGDSIM_ASSERT(at[0] == 0 && at[n] == at[n + 1]);     /* every place was filled    */
}

/* Does every op get its turn? An op that does not is on a cycle, or behind one. */
static sgdsim_status sgdsim_priv_check_cycles(const sgdsim_step *step, size_t s,
                                              const sgdsim_priv_checker *check,
                                              sgdsim_fault *fault)
{
    const size_t n = step->ops;
    uint32_t *at = check->dependants_at;
    size_t i, k, top = 0, done = 0;
    sgdsim_priv_find_dependants(step, at, check->dependant);
    for (i = 0; i < n; i++) {
        check->waits_left[i] = (uint32_t)step->op[i].waits;
        if (step->op[i].waits == 0) check->stack[top++] = (uint32_t)i;
    }
    while (top > 0) {
        const uint32_t op = check->stack[--top];
        done++;
        for (k = at[op]; k < at[op + 1]; k++)
            if (--check->waits_left[check->dependant[k]] == 0) {
                SGDSIM_ASSERT(done + top < n);
                check->stack[top++] = check->dependant[k];
            }
    }
    if (done == n) return SGDSIM_OK;
    for (i = 0; check->waits_left[i] == 0; i++) SGDSIM_ASSERT(i + 1 < n);
    return sgdsim_priv_blame(fault, s, i, "waits_for", "leads into a cycle");
}

SGDSIM_API sgdsim_status sgdsim_trace_check(const sgdsim_trace *trace, uint32_t servers,
                                            void *work, size_t work_bytes,
                                            sgdsim_fault *fault)
{
    sgdsim_priv_checker check;
    size_t need = 0, s, i;
    sgdsim_status status = sgdsim_trace_check_bytes(trace, &need);
    if (status == SGDSIM_OK && servers == 0) status = SGDSIM_BAD_ARGUMENT;
    if (status == SGDSIM_OK) status = sgdsim_priv_check_work(work, work_bytes, need);
    if (status != SGDSIM_OK) return status;
    for (s = 0; s < trace->steps; s++) {
        const sgdsim_step *step = trace->step + s;
        sgdsim_priv_arena arena = sgdsim_priv_arena_at(work);
        size_t edges = 0;
        if (step->ops == 0) return sgdsim_priv_blame(fault, s, 0, "step", "has no op");
        for (i = 0; i < step->ops; i++) edges += step->op[i].waits;
        sgdsim_priv_carve_checker(&arena, step->ops, edges, &check);
        SGDSIM_ASSERT(!arena.overflow && arena.used <= need);
        for (i = 0; i < step->ops; i++) check.stack[i] = 0;
        for (i = 0; i < step->ops; i++) {
            status = sgdsim_priv_check_op(step->op + i, step->ops, s, i, servers,
                                          check.stack, fault);
            if (status != SGDSIM_OK) return status;
        }
        status = sgdsim_priv_check_cycles(step, s, &check, fault);
        if (status != SGDSIM_OK) return status;
    }
    return SGDSIM_OK;
}

/* ---- Traces: layers, buckets, servers, chains, variation ------------------- */

static void sgdsim_priv_set_op(sgdsim_op *op, sgdsim_resource resource, double amount,
                               const uint32_t *waits_for, size_t waits)
{
    op->resource = resource;
    op->server = 0;
    op->duration_s = sgdsim_priv_is_transfer(op->resource) ? 0.0 : amount;
    op->bytes = sgdsim_priv_is_transfer(op->resource) ? amount : 0.0;
    op->waits_for = waits_for;
    op->waits = waits;
}

#define SGDSIM_PRIV_MOST_OPS 65532u      /* most ops of a step that runs; larger      */
                                         /*   numbers may be marks, see Run: graphs   */
#define SGDSIM_PRIV_NONE 0xffffu         /* no op                                     */

/* Where the next op goes, and its list. */
typedef struct sgdsim_priv_writer {
    sgdsim_op *op;
    uint32_t  *wait;
    size_t     ops;
} sgdsim_priv_writer;

/* Writes an op behind up to two others (SGDSIM_PRIV_NONE: none). Returns its number. */
static size_t sgdsim_priv_put_op(sgdsim_priv_writer *to, sgdsim_resource resource,
                                 double amount, size_t a, size_t b)
{
    uint32_t *from = to->wait;
    if (a != SGDSIM_PRIV_NONE) *to->wait++ = (uint32_t)a;
    if (b != SGDSIM_PRIV_NONE) *to->wait++ = (uint32_t)b;
    SGDSIM_ASSERT(a == SGDSIM_PRIV_NONE || a < to->ops);
    sgdsim_priv_set_op(to->op + to->ops, resource, amount,
                       to->wait > from ? from : NULL, (size_t)(to->wait - from));
    return to->ops++;
}

/* Are all arrays there, of which some functions do not write `from`? */
static int sgdsim_priv_is_draft(const sgdsim_draft *out, int from)
{
    return out && out->op && out->waits && (out->from || !from);
}

static int sgdsim_priv_is_layer(const sgdsim_layer *of)
{
    return sgdsim_priv_is_time(of->bytes) && sgdsim_priv_is_time(of->forward_s)
        && sgdsim_priv_is_time(of->backward_s) && sgdsim_priv_is_time(of->update_s);
}

static int sgdsim_priv_are_layers(const sgdsim_layer *layer, size_t n)
{
    size_t i;
    if (!layer || n == 0 || n > SGDSIM_PRIV_MOST_OPS / 5) return 0;
    for (i = 0; i < n && sgdsim_priv_is_layer(layer + i);) i++;
    return i == n;
}

SGDSIM_API sgdsim_status sgdsim_trace_layers(const sgdsim_layer *layer, size_t n,
                                             int whole, sgdsim_op *op, uint32_t *waits)
{
    uint32_t *w = waits;
    size_t i, k;
    if (!op || !waits || !sgdsim_priv_are_layers(layer, n)) return SGDSIM_BAD_ARGUMENT;
    for (i = 0; i < n; i++) {
        const size_t back = n - 1 - i;             /* layer of the i-th backward op   */
        const uint32_t *from;
        sgdsim_priv_set_op(op + i, SGDSIM_DOWNLINK, layer[i].bytes, NULL, 0);
        from = w;
        if (whole && i == 0)
            for (k = 0; k < n; k++) *w++ = (uint32_t)k;
        else if (!whole) *w++ = (uint32_t)i;
        if (i > 0) *w++ = (uint32_t)(n + i - 1);
        sgdsim_priv_set_op(op + n + i, SGDSIM_WORKER, layer[i].forward_s, from,
                           (size_t)(w - from));
        from = w;
        *w++ = (uint32_t)(2 * n + i - 1);          /* the pass before it              */
        sgdsim_priv_set_op(op + 2 * n + i, SGDSIM_WORKER, layer[back].backward_s, from,
                           1);
        from = w;
        *w++ = (uint32_t)(whole ? 3 * n - 1 : 2 * n + i);
        sgdsim_priv_set_op(op + 3 * n + i, SGDSIM_UPLINK, layer[back].bytes, from, 1);
        from = w;
        *w++ = (uint32_t)(3 * n + i);
        sgdsim_priv_set_op(op + 4 * n + i, SGDSIM_SERVER, layer[back].update_s, from, 1);
    }
    SGDSIM_ASSERT((size_t)(w - waits) == 5 * n - 1);
    return SGDSIM_OK;
}

/* Does a bucket of `bytes` close? If so, the limit of the next one is `cap`. */
static int sgdsim_priv_closes(double bytes, double cap, double *limit)
{
    if (bytes < *limit) return 0;
    *limit = cap;
    return 1;
}

/* Fills the bucket that layer `first` opens: writes its sums, returns the layer that
 * closes it. */
static size_t sgdsim_priv_fill_bucket(const sgdsim_layer *layer, size_t first, double cap,
                                      double *limit, double *bytes, double *update_s)
{
    size_t i = first;
    *bytes = layer[i].bytes;
    *update_s = layer[i].update_s;
    while (!sgdsim_priv_closes(*bytes, cap, limit) && i > 0) {
        i--;
        *bytes += layer[i].bytes;
        *update_s += layer[i].update_s;
    }
    return i;
}

SGDSIM_API sgdsim_status sgdsim_trace_buckets(const sgdsim_layer *layer, size_t n,
                                              double bucket_bytes,
                                              const sgdsim_draft *out, size_t *closing,
                                              size_t *buckets)
{
    sgdsim_op *op;
    uint32_t *waits;
    double limit, bytes = 0.0, update_s = 0.0;
    size_t count = 0, open = n, pass, b;
    if (!sgdsim_priv_is_draft(out, 0) || !closing || !buckets
        || !sgdsim_priv_are_layers(layer, n) || !sgdsim_priv_is_rate(bucket_bytes))
        return SGDSIM_BAD_ARGUMENT;
    op = out->op + 3 * n;
    waits = out->waits;
    for (pass = 0; pass < 2; pass++) {             /* checks all, then writes         */
        limit = SGDSIM_FIRST_BUCKET_BYTES;
        for (b = 0, open = n; open > 0; b++) {     /* layers not yet in a bucket      */
            open = sgdsim_priv_fill_bucket(layer, open - 1, bucket_bytes, &limit, &bytes,
                                           &update_s);
            if (!sgdsim_priv_is_time(bytes) || !sgdsim_priv_is_time(update_s))
                return SGDSIM_BAD_ARGUMENT;
            if (pass == 0) continue;
            closing[b] = open;
            waits[2 * b] = (uint32_t)(2 * n + (n - 1 - open));
            waits[2 * b + 1] = (uint32_t)(3 * n + b);
            sgdsim_priv_set_op(op + b, SGDSIM_UPLINK, bytes, waits + 2 * b, 1);
            sgdsim_priv_set_op(op + b + count, SGDSIM_SERVER, update_s,
                               waits + 2 * b + 1, 1);
        }
        count = b;
    }
    SGDSIM_ASSERT(open == 0 && count >= 1 && count <= n);
    *buckets = count;
    return SGDSIM_OK;
}

static int sgdsim_priv_are_shares(const double *share, uint32_t servers)
{
    uint32_t m;
    double sum = 0.0;
    for (m = 0; m < servers; m++) {
        if (!(share[m] >= 0.0 && share[m] <= 1.0)) return 0;
        sum += share[m];
    }
    return sum > 0.0;
}

/* Writes the prerequisites of a part of op i from w on: on the part's server, or, for a
 * WORKER op, all parts. Returns where the next list goes. */
static uint32_t *sgdsim_priv_split_waits(const sgdsim_op *op, size_t i, sgdsim_op *part,
                                         const sgdsim_op *out, const size_t *first,
                                         uint32_t *w)
{
    size_t k, at;
    part->waits_for = w;
    for (k = 0; k < op[i].waits; k++) {
        const uint32_t other = op[i].waits_for[k];
        const int whole = op[i].resource == SGDSIM_WORKER
                       || op[other].resource == SGDSIM_WORKER;
        for (at = first[other]; at < first[other + 1]; at++)
            if (whole || out[at].server == part->server) *w++ = (uint32_t)at;
    }
    part->waits = (size_t)(w - part->waits_for);
    return w;
}

/* Number of ops of a step that is split over `parts` servers, at most one above what a
 * step may have. */
static size_t sgdsim_priv_split_ops(const sgdsim_step *step, size_t parts)
{
    size_t i, ops = 0;
    for (i = 0; i < step->ops && ops <= SGDSIM_PRIV_COUNTED_OPS; i++) {
        const size_t more = step->op[i].resource == SGDSIM_WORKER ? 1 : parts;
        ops += more <= SGDSIM_PRIV_COUNTED_OPS ? more : SGDSIM_PRIV_COUNTED_OPS + 1;
    }
    return ops;
}

/* Is each prerequisite an op of the step? back: and an op with a lower number? */
static int sgdsim_priv_waits_within(const sgdsim_step *step, int back)
{
    size_t i, k;
    for (i = 0; i < step->ops; i++)
        for (k = 0; k < step->op[i].waits; k++)
            if (!step->op[i].waits_for
                || step->op[i].waits_for[k] >= (back ? i : step->ops)) return 0;
    return 1;
}

SGDSIM_API sgdsim_status sgdsim_trace_split(const sgdsim_step *step, const double *share,
                                            uint32_t servers, sgdsim_op *out,
                                            uint32_t *waits, size_t *first)
{
    const size_t n = step ? step->ops : 0;
    const sgdsim_op *op = step ? step->op : NULL;
    size_t i, k, parts = 0, ops = 0;
    uint32_t m;
    if (!op || n == 0 || !share || servers == 0 || !out || !waits || !first)
        return SGDSIM_BAD_ARGUMENT;
    if (!sgdsim_priv_are_shares(share, servers)) return SGDSIM_BAD_ARGUMENT;
    if (!sgdsim_priv_waits_within(step, 0)) return SGDSIM_BAD_TRACE;
    for (m = 0; m < servers; m++) parts += share[m] > 0.0;
    if (sgdsim_priv_split_ops(step, parts) > SGDSIM_PRIV_COUNTED_OPS)
        return SGDSIM_TOO_LARGE;
    for (i = 0; i < n; i++) {
        const int whole = op[i].resource == SGDSIM_WORKER;
        first[i] = ops;
        for (m = 0; m < (whole ? 1 : servers); m++) {
            if (!whole && !(share[m] > 0.0)) continue;
            out[ops] = op[i];
            out[ops].server = whole ? op[i].server : m;
            if (!whole) out[ops].bytes *= share[m];
            if (!whole) out[ops].duration_s *= share[m];
            ops++;
        }
    }
    first[n] = ops;
    SGDSIM_ASSERT(ops > 0 || n == 0);
    for (i = 0; i < n; i++)
        for (k = first[i]; k < first[i + 1]; k++)
            waits = sgdsim_priv_split_waits(op, i, out + k, out, first, waits);
    return SGDSIM_OK;
}

/* The op of the copy before that op i waits for; n: none. */
static size_t sgdsim_priv_chained_to(const sgdsim_op *op, size_t n, size_t i)
{
    const int down = op[i].resource == SGDSIM_DOWNLINK && op[i].waits == 0;
    int first = op[i].resource == SGDSIM_WORKER;
    size_t k;
    for (k = 0; k < op[i].waits; k++)
        if (op[op[i].waits_for[k]].resource == SGDSIM_WORKER) first = 0;
    SGDSIM_ASSERT(!down || !first);
    for (k = n; k-- > 0 && (down || first);) {
        if (first && op[k].resource == SGDSIM_WORKER) return k;
        if (down && op[k].resource == SGDSIM_SERVER && op[k].server == op[i].server)
            return k;
    }
    return n;
}

SGDSIM_API sgdsim_status sgdsim_trace_chain(const sgdsim_step *step, size_t copies,
                                            sgdsim_op *out, uint32_t *waits)
{
    const size_t n = step ? step->ops : 0;
    const sgdsim_op *op = step ? step->op : NULL;
    size_t copy, i, k;
    if (!op || n == 0 || copies == 0 || !out || !waits) return SGDSIM_BAD_ARGUMENT;
    if (n > SGDSIM_PRIV_COUNTED_OPS / copies) return SGDSIM_TOO_LARGE;
    if (!sgdsim_priv_waits_within(step, 0)) return SGDSIM_BAD_TRACE;
    for (i = 0; i < n; i++) {
        const size_t to = sgdsim_priv_chained_to(op, n, i);
        for (copy = 0; copy < copies; copy++) {
            sgdsim_op *at = out + copy * n + i;
            *at = op[i];
            at->waits_for = waits;
            for (k = 0; k < op[i].waits; k++)
                *waits++ = (uint32_t)(copy * n + op[i].waits_for[k]);
            if (copy > 0 && to < n) *waits++ = (uint32_t)((copy - 1) * n + to);
            at->waits = (size_t)(waits - at->waits_for);
            if (at->waits == 0) at->waits_for = NULL;
        }
    }
    return SGDSIM_OK;
}

/* The exchange inside a machine for transfer `at`, as op number `number`. Before an
 * UPLINK it waits in the place of the UPLINK. Returns the end of the prerequisites. */
static uint32_t *sgdsim_priv_add_local(const sgdsim_draft *out, size_t at, size_t number,
                                       double seconds, uint32_t *waits)
{
    sgdsim_op *op = out->op + at, *local = out->op + number;
    const int sends = op->resource == SGDSIM_UPLINK;
    memset(local, 0, sizeof *local);
    local->resource = SGDSIM_WORKER;
    local->duration_s = seconds;
    local->waits_for = waits;
    local->waits = 1;
    *waits = (uint32_t)(sends ? number : at);
    if (!sends) return waits + 1;
    local->waits_for = op->waits_for;
    local->waits = op->waits;
    op->waits_for = waits;
    op->waits = 1;
    return waits + 1;
}

SGDSIM_API sgdsim_status sgdsim_trace_machine(const sgdsim_step *step,
                                              uint32_t accelerators,
                                              double local_bandwidth_bytes_per_s,
                                              const sgdsim_draft *out, size_t *ops)
{
    const size_t n = step ? step->ops : 0;
    const double b = local_bandwidth_bytes_per_s, g = accelerators;
    size_t i, k, added = n;
    uint32_t *w;
    if (n == 0 || !step->op || !sgdsim_priv_is_draft(out, 1) || !ops || accelerators == 0
        || !sgdsim_priv_is_rate(b))
        return SGDSIM_BAD_ARGUMENT;
    if (n > SGDSIM_PRIV_COUNTED_OPS) return SGDSIM_TOO_LARGE;
    if (!sgdsim_priv_waits_within(step, 0)) return SGDSIM_BAD_TRACE;
    for (i = 0; i < n && accelerators > 1; i++) {
        if (!sgdsim_priv_is_transfer(step->op[i].resource)) continue;
        if (!sgdsim_priv_is_time(2.0 * (step->op[i].bytes / b)))
            return SGDSIM_BAD_ARGUMENT;
        added++;
    }
    if (added > SGDSIM_PRIV_COUNTED_OPS) return SGDSIM_TOO_LARGE;
    for (i = 0, added = n; i < n; i++) {           /* from: the op to wait for        */
        out->from[i] = (uint32_t)i;
        if (accelerators == 1 || !sgdsim_priv_is_transfer(step->op[i].resource)) continue;
        if (step->op[i].resource == SGDSIM_DOWNLINK) out->from[i] = (uint32_t)added;
        out->from[added++] = (uint32_t)i;
    }
    *ops = added;
    for (i = 0, added = n, w = out->waits; i < n; i++) {
        sgdsim_op *op = out->op + i;
        double seconds = step->op[i].bytes / b;
        *op = step->op[i];
        op->waits_for = op->waits > 0 ? w : NULL;
        for (k = 0; k < op->waits; k++) *w++ = out->from[step->op[i].waits_for[k]];
        if (accelerators == 1 || !sgdsim_priv_is_transfer(op->resource)) continue;
        if (op->resource == SGDSIM_UPLINK) seconds *= 2.0 * (g - 1.0) / g;
        w = sgdsim_priv_add_local(out, i, added++, seconds, w);
    }
    for (i = 0; i < n; i++) out->from[i] = (uint32_t)i;
    SGDSIM_ASSERT(added == *ops);
    return SGDSIM_OK;
}

/* Nearly normal: the sum of twelve uniform numbers, of variance 1, less its mean 6. */
static double sgdsim_priv_normal(uint64_t seed, uint64_t step)
{
    double normal = -6.0;
    uint64_t k;
    for (k = 0; k < 12; k++)
        normal += sgdsim_priv_uniform(sgdsim_random(seed, step, k, 0));
    SGDSIM_ASSERT(normal >= -6.0 && normal <= 6.0);
    return normal;
}

SGDSIM_API double sgdsim_trace_variation(sgdsim_shape shape, double cv, uint64_t seed,
                                         uint64_t step)
{
    const double w = log(1.0 + cv * cv);
    double factor;
    if (shape == SGDSIM_SHAPE_LOGNORMAL)
        factor = exp(sqrt(w) * sgdsim_priv_normal(seed, step) - w / 2.0);
    else if (shape == SGDSIM_SHAPE_EXPONENTIAL)
        factor = 1.0 - cv
               - cv * log(1.0 - sgdsim_priv_uniform(sgdsim_random(seed, step, 0, 0)));
    else
        factor = 1.0 + cv * sgdsim_priv_normal(seed, step);
    return factor > 0.0 ? factor : 0.0;
}

/* ---- Traces: what they add up to ------------------------------------------- */

/* The first WORKER op that an uplink waits for: its gradient is ready. */
static size_t sgdsim_priv_first_gradient(const sgdsim_step *step)
{
    size_t first = step->ops, i, k;
    for (i = 0; i < step->ops; i++) {
        const sgdsim_op *op = step->op + i;
        if (op->resource != SGDSIM_UPLINK) continue;
        for (k = 0; k < op->waits; k++) {
            const size_t other = op->waits_for[k];
            SGDSIM_ASSERT(other < step->ops);
            if (step->op[other].resource == SGDSIM_WORKER && other < first) first = other;
        }
    }
    return first;
}

static void sgdsim_priv_add_means(sgdsim_means *m, const sgdsim_step *step, double share)
{
    const size_t first = sgdsim_priv_first_gradient(step);
    size_t i;
    for (i = 0; i < step->ops; i++) {
        const sgdsim_op *op = step->op + i;
        switch (op->resource) {
        case SGDSIM_DOWNLINK: m->downlink_bytes += share * op->bytes; break;
        case SGDSIM_UPLINK:   m->uplink_bytes += share * op->bytes; break;
        case SGDSIM_SERVER:   m->update_s += share * op->duration_s; break;
        default:
            if (i < first) m->forward_s += share * op->duration_s;
            else m->backward_s += share * op->duration_s;
        }
    }
}

SGDSIM_API sgdsim_status sgdsim_trace_means(const sgdsim_trace *trace,
                                            sgdsim_means *means)
{
    sgdsim_means m = {0.0, 0.0, 0.0, 0.0, 0.0};
    size_t s;
    if (!trace || !trace->step || trace->steps == 0 || !means) return SGDSIM_BAD_ARGUMENT;
    for (s = 0; s < trace->steps; s++)
        sgdsim_priv_add_means(&m, trace->step + s, 1.0 / (double)trace->steps);
    if (!sgdsim_priv_is_time(m.forward_s + m.backward_s)
        || !sgdsim_priv_is_time(m.update_s) || !sgdsim_priv_is_time(m.uplink_bytes)
        || !sgdsim_priv_is_time(m.downlink_bytes))
        return SGDSIM_BAD_ARGUMENT;
    *means = m;
    return SGDSIM_OK;
}

/* ---- Traces: recorded steps ------------------------------------------------ */

#define SGDSIM_PRIV_NOT_YET UINT32_MAX

typedef struct sgdsim_priv_recorder {
    const sgdsim_record *record;
    size_t    n;
    uint32_t  servers;
    double    begin_s;              /* first start of a WORKER or DOWNLINK record     */
    size_t    heap_size;
    uint32_t *heap;                 /* [n] records whose prerequisites are done, the  */
                                    /*   first end on top                             */
    uint32_t *waits_left;           /* [n]                                            */
    uint32_t *dependants_at;        /* [n + 2]                                        */
    uint32_t *dependant;            /* [sum of waits]                                 */
    uint32_t *place;                /* [n] number of a record's op                    */
    uint32_t *last;                 /* [queues] the last op there so far              */
    uint32_t *wanted;               /* [queues] the last prerequisite of an op there  */
    double   *end_s;                /* [queues] the last end there so far             */
} sgdsim_priv_recorder;

/* Number of queues: the worker's; for each server its own and two of its link. */
static size_t sgdsim_priv_record_queues(uint32_t servers)
{
    return 1 + 3 * (size_t)servers;
}

static size_t sgdsim_priv_record_queue(const sgdsim_priv_recorder *rec, size_t i)
{
    const sgdsim_record *r = rec->record + i;
    const size_t servers = rec->servers;
    if (r->resource == SGDSIM_WORKER) return 0;
    SGDSIM_ASSERT(r->server < servers);
    if (r->resource == SGDSIM_SERVER) return 1 + r->server;
    return 1 + (r->resource == SGDSIM_DOWNLINK ? servers : 2 * servers) + r->server;
}

/* A record as an op, with all of its time. */
static sgdsim_op sgdsim_priv_op_of(const sgdsim_record *r)
{
    const sgdsim_op op = { r->resource, r->server, r->end_s - r->start_s, r->bytes,
                           r->waits_for, r->waits };
    return op;
}

static void sgdsim_priv_carve_recorder(sgdsim_priv_arena *arena, size_t n, size_t edges,
                                       uint32_t servers, sgdsim_priv_recorder *rec)
{
    const size_t queues = sgdsim_priv_record_queues(servers);
    rec->end_s = sgdsim_priv_doubles(arena, queues);
    rec->heap = SGDSIM_PRIV_TAKE(arena, n, uint32_t);
    rec->waits_left = SGDSIM_PRIV_TAKE(arena, n, uint32_t);
    rec->dependants_at = SGDSIM_PRIV_TAKE(arena, n + 2, uint32_t);
    rec->dependant = SGDSIM_PRIV_TAKE(arena, edges, uint32_t);
    rec->place = SGDSIM_PRIV_TAKE(arena, n, uint32_t);
    rec->last = SGDSIM_PRIV_TAKE(arena, queues, uint32_t);
    rec->wanted = SGDSIM_PRIV_TAKE(arena, queues, uint32_t);
}

SGDSIM_API sgdsim_status sgdsim_trace_recorded_bytes(const sgdsim_records *in,
                                                     size_t *bytes)
{
    const sgdsim_record *record = in ? in->record : NULL;
    const size_t n = in ? in->records : 0;
    sgdsim_priv_arena arena = sgdsim_priv_arena_at(NULL);
    sgdsim_priv_recorder rec;
    size_t edges = 0, i;
    if (!record || n == 0 || in->servers == 0) return SGDSIM_BAD_ARGUMENT;
    if (n > SGDSIM_PRIV_MOST_OPS) return SGDSIM_TOO_LARGE;
    for (i = 0; i < n; i++) {
        if (record[i].waits > n) return SGDSIM_TOO_LARGE;
        edges += record[i].waits;
    }
    SGDSIM_ASSERT(edges <= UINT32_MAX);            /* under 2^16 ops x 2^16 waits     */
    sgdsim_priv_carve_recorder(&arena, n, edges, in->servers, &rec);
    return sgdsim_priv_answer(&arena, bytes);
}

/* Checks one record. The time of a transfer counts, too. */
static sgdsim_status sgdsim_priv_check_record(const sgdsim_priv_recorder *rec, size_t i,
                                              uint32_t *seen, sgdsim_fault *fault)
{
    const sgdsim_op op = sgdsim_priv_op_of(rec->record + i);
    const char *reason = sgdsim_priv_value_fault(op.duration_s);
    if (reason && sgdsim_priv_is_transfer(op.resource) && op.server < rec->servers)
        return sgdsim_priv_blame(fault, 0, i, "duration_s", reason);
    return sgdsim_priv_check_op(&op, rec->n, 0, i, rec->servers, seen, fault);
}

/* Did record a end before record b? Equal ends: by number. */
static int sgdsim_priv_ended_before(const sgdsim_priv_recorder *rec, uint32_t a,
                                    uint32_t b)
{
    const double x = rec->record[a].end_s, y = rec->record[b].end_s;
    return x < y || (!(y < x) && a < b);
}

static void sgdsim_priv_push_record(sgdsim_priv_recorder *rec, uint32_t i)
{
    size_t at = rec->heap_size++;
    SGDSIM_ASSERT(at < rec->n);
    while (at > 0 && sgdsim_priv_ended_before(rec, i, rec->heap[(at - 1) / 2])) {
        rec->heap[at] = rec->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    rec->heap[at] = i;
}

static uint32_t sgdsim_priv_pop_record(sgdsim_priv_recorder *rec)
{
    const uint32_t top = rec->heap[0], i = rec->heap[--rec->heap_size];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < rec->heap_size) {
        if (child + 1 < rec->heap_size
            && sgdsim_priv_ended_before(rec, rec->heap[child + 1], rec->heap[child]))
            child++;
        if (!sgdsim_priv_ended_before(rec, rec->heap[child], i)) break;
        rec->heap[at] = rec->heap[child];
        at = child;
    }
    rec->heap[at] = i;
    return top;
}

/* Finds the dependants of all records. Records without prerequisites go on the heap. */
static void sgdsim_priv_link_records(sgdsim_priv_recorder *rec)
{
    uint32_t *at = rec->dependants_at;
    size_t i, k;
    for (i = 0; i < rec->n + 2; i++) at[i] = 0;
    for (i = 0; i < rec->n; i++)
        for (k = 0; k < rec->record[i].waits; k++) at[rec->record[i].waits_for[k] + 2]++;
    for (i = 2; i < rec->n + 2; i++) at[i] += at[i - 1];
    rec->heap_size = 0;
    for (i = 0; i < rec->n; i++) {
        rec->waits_left[i] = (uint32_t)rec->record[i].waits;
        for (k = 0; k < rec->record[i].waits; k++)
            rec->dependant[at[rec->record[i].waits_for[k] + 1]++] = (uint32_t)i;
        if (rec->record[i].waits == 0) sgdsim_priv_push_record(rec, (uint32_t)i);
    }
    SGDSIM_ASSERT(at[0] == 0 && at[rec->n] == at[rec->n + 1]);
    for (i = 0; i < sgdsim_priv_record_queues(rec->servers); i++) {
        rec->last[i] = rec->wanted[i] = SGDSIM_PRIV_NOT_YET;
        rec->end_s[i] = -DBL_MAX;
    }
    rec->begin_s = DBL_MAX;
    for (i = 0; i < rec->n; i++)
        if ((rec->record[i].resource == SGDSIM_WORKER
             || rec->record[i].resource == SGDSIM_DOWNLINK)
            && rec->record[i].start_s < rec->begin_s)
            rec->begin_s = rec->record[i].start_s;
}

/* Writes what the op of record i waits for. Among several prerequisites on one worker or
 * server only the last op counts, as it comes after the others. Returns where the next
 * list goes. */
static uint32_t *sgdsim_priv_record_waits(sgdsim_priv_recorder *rec, size_t i,
                                          sgdsim_op *op, uint32_t *w)
{
    const sgdsim_record *r = rec->record + i;
    const size_t queue = sgdsim_priv_record_queue(rec, i);
    size_t k;
    op->waits_for = w;
    if (!sgdsim_priv_is_transfer(r->resource) && rec->last[queue] != SGDSIM_PRIV_NOT_YET)
        *w++ = rec->last[queue];
    for (k = 0; k < r->waits; k++) {
        const uint32_t other = r->waits_for[k];
        const size_t at = sgdsim_priv_record_queue(rec, other);
        const uint32_t place = rec->place[other];
        if (sgdsim_priv_is_transfer(rec->record[other].resource)) *w++ = place;
        else if (rec->wanted[at] == SGDSIM_PRIV_NOT_YET || rec->wanted[at] < place)
            rec->wanted[at] = place;
    }
    for (k = 0; k < r->waits; k++) {
        const size_t at = sgdsim_priv_record_queue(rec, r->waits_for[k]);
        const int own = at == queue && !sgdsim_priv_is_transfer(r->resource);
        if (rec->wanted[at] != SGDSIM_PRIV_NOT_YET && !own) *w++ = rec->wanted[at];
        rec->wanted[at] = SGDSIM_PRIV_NOT_YET;
    }
    op->waits = (size_t)(w - op->waits_for);
    if (op->waits == 0) op->waits_for = NULL;
    return w;
}

static double sgdsim_priv_record_time(const sgdsim_priv_recorder *rec, size_t i)
{
    const sgdsim_record *r = rec->record + i;
    double begin_s = r->resource == SGDSIM_WORKER ? rec->begin_s : r->start_s;
    size_t k;
    if (rec->end_s[sgdsim_priv_record_queue(rec, i)] > begin_s)
        begin_s = rec->end_s[sgdsim_priv_record_queue(rec, i)];
    for (k = 0; k < r->waits; k++)
        if (rec->record[r->waits_for[k]].end_s > begin_s)
            begin_s = rec->record[r->waits_for[k]].end_s;
    return r->end_s > begin_s ? r->end_s - begin_s : 0.0;
}

static void sgdsim_priv_place_record(sgdsim_priv_recorder *rec, uint32_t i, size_t place)
{
    const size_t queue = sgdsim_priv_record_queue(rec, i);
    size_t k;
    rec->place[i] = (uint32_t)place;
    rec->last[queue] = (uint32_t)place;
    if (rec->record[i].end_s > rec->end_s[queue])
        rec->end_s[queue] = rec->record[i].end_s;
    for (k = rec->dependants_at[i]; k < rec->dependants_at[i + 1]; k++)
        if (--rec->waits_left[rec->dependant[k]] == 0)
            sgdsim_priv_push_record(rec, rec->dependant[k]);
}

/* Are all records valid, and is none on a cycle? The work has been laid out. */
static sgdsim_status sgdsim_priv_check_records(sgdsim_priv_recorder *rec,
                                               sgdsim_fault *fault)
{
    size_t i, done = 0;
    sgdsim_status status;
    for (i = 0; i < rec->n; i++) rec->heap[i] = 0;
    for (i = 0; i < rec->n; i++) {
        status = sgdsim_priv_check_record(rec, i, rec->heap, fault);
        if (status != SGDSIM_OK) return status;
    }
    sgdsim_priv_link_records(rec);
    while (rec->heap_size > 0)
        sgdsim_priv_place_record(rec, sgdsim_priv_pop_record(rec), done++);
    if (done == rec->n) return SGDSIM_OK;
    for (i = 0; rec->waits_left[i] == 0; i++) SGDSIM_ASSERT(i + 1 < rec->n);
    return sgdsim_priv_blame(fault, 0, i, "waits_for", "leads into a cycle");
}

SGDSIM_API sgdsim_status sgdsim_trace_recorded(const sgdsim_records *in, void *work,
                                               size_t work_bytes, const sgdsim_draft *out,
                                               sgdsim_fault *fault)
{
    sgdsim_priv_arena arena = sgdsim_priv_arena_at(work);
    sgdsim_priv_recorder rec;
    const sgdsim_record *record;
    uint32_t *waits;
    size_t need = 0, edges = 0, i;
    sgdsim_status status = sgdsim_trace_recorded_bytes(in, &need);
    if (status == SGDSIM_OK)
        status = sgdsim_priv_is_draft(out, 1)
               ? sgdsim_priv_check_work(work, work_bytes, need) : SGDSIM_BAD_ARGUMENT;
    if (status != SGDSIM_OK) return status;
    memset(&rec, 0, sizeof rec);
    rec.record = record = in->record;
    rec.n = in->records;
    rec.servers = in->servers;
    for (i = 0; i < rec.n; i++) edges += record[i].waits;
    sgdsim_priv_carve_recorder(&arena, rec.n, edges, rec.servers, &rec);
    SGDSIM_ASSERT(!arena.overflow && arena.used == need);
    status = sgdsim_priv_check_records(&rec, fault);
    if (status != SGDSIM_OK) return status;
    sgdsim_priv_link_records(&rec);
    waits = out->waits;
    for (i = 0; i < rec.n; i++) {
        const uint32_t at = sgdsim_priv_pop_record(&rec);
        sgdsim_op *op = out->op + i;
        op->resource = record[at].resource;
        op->server = record[at].resource == SGDSIM_WORKER ? 0 : record[at].server;
        op->duration_s = sgdsim_priv_record_time(&rec, at);
        op->bytes = sgdsim_priv_is_transfer(record[at].resource) ? record[at].bytes : 0.0;
        waits = sgdsim_priv_record_waits(&rec, at, op, waits);
        out->from[i] = at;
        sgdsim_priv_place_record(&rec, at, i);
    }
    return SGDSIM_OK;
}

/* ---- Traces: steps with exchanges ------------------------------------------ */

/* The kinds of cuts of a step, in the order in which they come at one time: the worker
 * resumes; starts an exchange; resumes behind an exchange that takes no time; stalls. */
enum sgdsim_priv_cut_kind {
    SGDSIM_PRIV_CUT_RESUME = 0, SGDSIM_PRIV_CUT_START, SGDSIM_PRIV_CUT_RESUME_AT_ONCE,
    SGDSIM_PRIV_CUT_STALL
};

typedef struct sgdsim_priv_cut {
    double time_s;
    size_t exchange;
    int    kind;
} sgdsim_priv_cut;

typedef struct sgdsim_priv_cutter {
    sgdsim_priv_cut *cut;           /* [3 n]                                          */
    size_t           cuts;
    size_t          *uplink;        /* [n] number of an exchange's op                 */
    sgdsim_priv_writer to;
    uint32_t        *of;
    size_t           n, last;       /* last: the last WORKER op; NONE: none           */
    size_t           pending;       /* the op of the last stall's exchange; NONE      */
    double           from_s;        /* end of the last WORKER op, or of the stall     */
    double           link_s;        /* last end of the exchanges so far               */
} sgdsim_priv_cutter;

static int sgdsim_priv_cut_before(const void *ctx, const void *a, const void *b)
{
    const sgdsim_priv_cut *p = (const sgdsim_priv_cut *)a;
    const sgdsim_priv_cut *q = (const sgdsim_priv_cut *)b;
    (void)ctx;
    if (p->time_s < q->time_s || q->time_s < p->time_s) return p->time_s < q->time_s;
    if (p->kind != q->kind) return p->kind < q->kind;
    return p->exchange < q->exchange;
}

static int sgdsim_priv_is_resume(int kind)
{
    return kind == SGDSIM_PRIV_CUT_RESUME || kind == SGDSIM_PRIV_CUT_RESUME_AT_ONCE;
}

static void sgdsim_priv_carve_cutter(sgdsim_priv_arena *arena, size_t n,
                                     sgdsim_priv_cutter *c)
{
    c->cut = SGDSIM_PRIV_TAKE(arena, 3 * n, sgdsim_priv_cut);
    c->uplink = SGDSIM_PRIV_TAKE(arena, n, size_t);
}

SGDSIM_API sgdsim_status sgdsim_trace_exchanges_bytes(size_t n, size_t *bytes)
{
    sgdsim_priv_arena arena = sgdsim_priv_arena_at(NULL);
    sgdsim_priv_cutter cutter;
    if (n > (SGDSIM_PRIV_MOST_OPS - 1) / 3) return SGDSIM_BAD_ARGUMENT;
    sgdsim_priv_carve_cutter(&arena, n, &cutter);
    return sgdsim_priv_answer(&arena, bytes);
}

static void sgdsim_priv_add_cut(sgdsim_priv_cutter *c, double time_s, size_t exchange,
                                int kind)
{
    const sgdsim_priv_cut cut = { time_s, exchange, kind };
    SGDSIM_ASSERT(c->cuts < 3 * c->n);
    c->cut[c->cuts++] = cut;
}

/* Sorts all cuts. Returns 0 if an exchange is invalid, or if stalls overlap. */
static int sgdsim_priv_cut_step(sgdsim_priv_cutter *c, const sgdsim_exchanges *in)
{
    const double start_s = in->start_s, end_s = in->end_s;
    size_t i, stalled = 0;
    for (i = 0; i < c->n; i++) {
        const sgdsim_exchange *x = in->exchange + i;
        double begin_s = x->start_s, close_s = x->end_s, stall_s = x->stalled_from_s;
        if (!(fabs(begin_s) <= DBL_MAX) || !sgdsim_priv_is_time(close_s - begin_s)
            || !sgdsim_priv_is_time(x->bytes) || !(fabs(stall_s) <= DBL_MAX)
            || stall_s > close_s)
            return 0;
        if (begin_s < start_s) begin_s = start_s;
        if (begin_s > end_s) begin_s = end_s;
        if (close_s > end_s) close_s = end_s;
        if (stall_s < start_s) stall_s = start_s;
        sgdsim_priv_add_cut(c, begin_s, i, SGDSIM_PRIV_CUT_START);
        if (!(stall_s < close_s)) continue;
        sgdsim_priv_add_cut(c, stall_s, i, SGDSIM_PRIV_CUT_STALL);
        sgdsim_priv_add_cut(c, close_s, i, begin_s < close_s ? SGDSIM_PRIV_CUT_RESUME
                                           : SGDSIM_PRIV_CUT_RESUME_AT_ONCE);
    }
    sgdsim_priv_sort(c->cut, c->cuts, sizeof c->cut[0], sgdsim_priv_cut_before, NULL);
    for (i = 0; i < c->cuts; i++) {
        if (c->cut[i].kind == SGDSIM_PRIV_CUT_STALL && stalled++ > 0) return 0;
        if (sgdsim_priv_is_resume(c->cut[i].kind)) stalled--;
    }
    SGDSIM_ASSERT(stalled == 0);
    return 1;
}

static sgdsim_op *sgdsim_priv_add_op(sgdsim_priv_cutter *c, sgdsim_resource resource,
                                     double amount, size_t exchange)
{
    const int works = resource == SGDSIM_WORKER;
    const size_t at = sgdsim_priv_put_op(&c->to, resource, amount, c->last,
                                         works ? c->pending : SGDSIM_PRIV_NONE);
    SGDSIM_ASSERT(at < 3 * c->n + 1);
    if (works) c->last = at;
    if (works) c->pending = SGDSIM_PRIV_NONE;
    c->of[at] = (uint32_t)exchange;
    return c->to.op + at;
}

static void sgdsim_priv_add_exchange(sgdsim_priv_cutter *c, const sgdsim_exchange *x,
                                     size_t i, double time_s, double end_s)
{
    sgdsim_op *op = sgdsim_priv_add_op(c, SGDSIM_UPLINK, x->bytes, i);
    const double close_s = x->end_s < end_s ? x->end_s : end_s;
    const double begin_s = c->link_s > time_s ? c->link_s : time_s;
    op->duration_s = close_s > begin_s ? close_s - begin_s : 0.0;
    if (close_s > c->link_s) c->link_s = close_s;
    SGDSIM_ASSERT(sgdsim_priv_is_time(op->duration_s));
}

/* Adds a WORKER op up to time_s, if there is anything that it does or waits for. */
static void sgdsim_priv_work_until(sgdsim_priv_cutter *c, double time_s)
{
    SGDSIM_ASSERT(time_s >= c->from_s);
    if (time_s > c->from_s || c->pending != SGDSIM_PRIV_NONE)
        (void)sgdsim_priv_add_op(c, SGDSIM_WORKER, time_s - c->from_s, c->n);
    c->from_s = time_s;
}

/* Is all valid but the exchanges themselves? */
static int sgdsim_priv_are_exchanges(const sgdsim_exchanges *in)
{
    return in && (in->exchange || in->exchanges == 0) && fabs(in->start_s) <= DBL_MAX
        && sgdsim_priv_is_time(in->end_s - in->start_s);
}

SGDSIM_API sgdsim_status sgdsim_trace_exchanges(const sgdsim_exchanges *in, void *work,
                                                size_t work_bytes,
                                                const sgdsim_draft *out, size_t *ops)
{
    const size_t n = in ? in->exchanges : 0;
    sgdsim_priv_arena arena = sgdsim_priv_arena_at(work);
    sgdsim_priv_cutter c;
    size_t need = 0, k;
    int stalled = 0;
    sgdsim_status status = sgdsim_trace_exchanges_bytes(n, &need);
    if (status != SGDSIM_OK) return status;
    if (!sgdsim_priv_are_exchanges(in) || !sgdsim_priv_is_draft(out, 1) || !ops)
        return SGDSIM_BAD_ARGUMENT;
    status = n > 0 ? sgdsim_priv_check_work(work, work_bytes, need) : SGDSIM_OK;
    if (status != SGDSIM_OK) return status;
    memset(&c, 0, sizeof c);
    sgdsim_priv_carve_cutter(&arena, n, &c);
    c.n = n;
    if (n > 0 && !sgdsim_priv_cut_step(&c, in)) return SGDSIM_BAD_ARGUMENT;
    c.to.op = out->op;
    c.to.wait = out->waits;
    c.of = out->from;
    c.last = c.pending = SGDSIM_PRIV_NONE;
    c.from_s = c.link_s = in->start_s;
    for (k = 0; k < c.cuts; k++) {
        const sgdsim_priv_cut *cut = c.cut + k;
        const size_t i = cut->exchange;
        if (sgdsim_priv_is_resume(cut->kind)) {
            stalled = 0;
            c.from_s = cut->time_s;
            c.pending = c.uplink[i];
            continue;
        }
        if (!stalled) sgdsim_priv_work_until(&c, cut->time_s);
        stalled |= cut->kind == SGDSIM_PRIV_CUT_STALL;
        if (cut->kind == SGDSIM_PRIV_CUT_STALL) continue;
        c.uplink[i] = c.to.ops;
        sgdsim_priv_add_exchange(&c, in->exchange + i, i, cut->time_s, in->end_s);
    }
    SGDSIM_ASSERT(!stalled);
    sgdsim_priv_work_until(&c, in->end_s);
    if (c.to.ops == 0) (void)sgdsim_priv_add_op(&c, SGDSIM_WORKER, 0.0, n);
    *ops = c.to.ops;
    return SGDSIM_OK;
}

/* ---- Links: max-min shares ------------------------------------------------- */

/* The share that flow i could have. The capacity left of its server's link, or of its
 * worker's link, is split evenly among the flows there without a share (share < 0); the
 * lesser split counts. */
static double sgdsim_priv_fair_share(const sgdsim_flow *flow, size_t flows, size_t i)
{
    double server = 1.0, worker = 1.0, fair;
    size_t at_server = 0, at_worker = 0, j;
    for (j = 0; j < flows; j++) {
        if (flow[j].server == flow[i].server) {
            if (flow[j].share < 0.0) at_server++;
            else server -= flow[j].share;
        }
        if (flow[j].worker == flow[i].worker) {
            if (flow[j].share < 0.0) at_worker++;
            else worker -= flow[j].share;
        }
    }
    SGDSIM_ASSERT(at_server > 0 && at_worker > 0); /* flow i itself                   */
    fair = server / (double)at_server;
    if (worker / (double)at_worker < fair) fair = worker / (double)at_worker;
    return fair > 0.0 ? fair : 0.0;
}

SGDSIM_API void sgdsim_share_max_min(void *ctx, sgdsim_flow *flow, size_t flows)
{
    const double cap = ctx ? *(const double *)ctx : 1.0;
    size_t given = 0, i;
    for (i = 0; i < flows; i++) flow[i].share = -1.0;
    while (given < flows) {
        double least = cap;
        for (i = 0; i < flows; i++)
            if (flow[i].share < 0.0 && sgdsim_priv_fair_share(flow, flows, i) < least)
                least = sgdsim_priv_fair_share(flow, flows, i);
        for (i = 0; i < flows; i++)
            if (flow[i].share < 0.0
                && (!(least < cap)                 /* only the cap binds              */
                    || sgdsim_priv_fair_share(flow, flows, i) <= least * (1.0 + 1e-12))) {
                flow[i].share = least;
                given++;
            }
        SGDSIM_ASSERT(given <= flows);
    }
}

/* ---- Run: graphs ----------------------------------------------------------- */

#define SGDSIM_PRIV_QUEUED 1u            /* of a transfer's part: its rest is queued, */
#define SGDSIM_PRIV_TURN 2u              /*   and this for each turn that is over     */
#define SGDSIM_PRIV_LAST_TURN 0x80000000u /* at this one it sends all the rest        */
#define SGDSIM_PRIV_MOST_SERVERS 21844u  /* so that queue numbers fit 16 bits         */

/* The state of an op in a worker's step. */
typedef union sgdsim_priv_mark {
    uint16_t waits;                 /* prerequisites not yet done                     */
    uint16_t next;                  /* when they are: the op behind it in its queue   */
} sgdsim_priv_mark;

/* Roles of ops towards stations, see Run: chains. */
#define SGDSIM_PRIV_FEEDS 1u        /* own op of a worker that station ops wait for   */
#define SGDSIM_PRIV_GATE 2u         /* an op on a station that all FEEDS ops wait for */

/* What profiled steps with the same graph share. Ops beyond the traced ones are the
 * overheads of transfers. */
typedef struct sgdsim_priv_graph {
    size_t    ops, roots;
    uint16_t *queue;                /* [ops] the worker's queue that serves it        */
    uint8_t  *role;                 /* [ops] FEEDS, GATE; 0: neither                  */
    sgdsim_priv_mark *start;        /* [ops] marks at the start of a step             */
    uint32_t *dependants_at;        /* [ops + 1] where its dependants start           */
    uint16_t *dependant;            /* in the order of their numbers                  */
    uint16_t *root;                 /* [roots] ops to queue first when a step starts  */
    uint16_t  gates;                /* number of GATE ops                             */
    uint32_t  fed;                  /* bits of the station queues that FEEDS ops feed */
} sgdsim_priv_graph;

typedef struct sgdsim_priv_profile {
    const sgdsim_priv_graph *graph;
    double  *work_s;                /* [ops] time alone on the whole resource         */
    double   own_s;                 /* sum of the worker's own                        */
    uint64_t drawn;                 /* number of steps that replayed it               */
} sgdsim_priv_profile;

/* A worker's queues: its own processor, and three for each server. */
enum {
    SGDSIM_PRIV_OWN = 0,
    SGDSIM_PRIV_DOWN = 1,
    SGDSIM_PRIV_UP = 2,
    SGDSIM_PRIV_APPLY = 3,
    SGDSIM_PRIV_PER_SERVER = 3
};

static sgdsim_resource sgdsim_priv_resource_of(size_t queue)
{
    static const sgdsim_resource of[SGDSIM_PRIV_PER_SERVER] = {
        SGDSIM_DOWNLINK, SGDSIM_UPLINK, SGDSIM_SERVER
    };
    return queue == SGDSIM_PRIV_OWN ? SGDSIM_WORKER
                                    : of[(queue - 1) % SGDSIM_PRIV_PER_SERVER];
}

/* The server of a queue that is not the worker's own. */
static size_t sgdsim_priv_server_of(size_t queue)
{
    SGDSIM_ASSERT(queue != SGDSIM_PRIV_OWN);
    return (queue - 1) / SGDSIM_PRIV_PER_SERVER;
}

static size_t sgdsim_priv_queue_of(const sgdsim_op *op)
{
    static const uint8_t of[SGDSIM_RESOURCES] = {
        SGDSIM_PRIV_DOWN, SGDSIM_PRIV_OWN, SGDSIM_PRIV_UP, SGDSIM_PRIV_APPLY
    };
    SGDSIM_ASSERT(op->resource < SGDSIM_RESOURCES); /* the trace was checked           */
    if (op->resource == SGDSIM_WORKER) return SGDSIM_PRIV_OWN;
    return (size_t)op->server * SGDSIM_PRIV_PER_SERVER + of[op->resource];
}

static int sgdsim_priv_has_overhead(const sgdsim_config *config)
{
    return config->transfers.overhead && config->links.rule != SGDSIM_LINK_EXCHANGE;
}

/* Counts the ops of a step, overheads included, and its dependencies. */
static size_t sgdsim_priv_count_ops(const sgdsim_config *config, const sgdsim_step *step,
                                    size_t *edges)
{
    size_t ops = step->ops, i;
    *edges = 0;
    for (i = 0; i < step->ops; i++) {
        *edges += step->op[i].waits;
        if (!sgdsim_priv_has_overhead(config)
            || !sgdsim_priv_is_transfer(step->op[i].resource))
            continue;
        ops++;
        (*edges)++;
    }
    return ops;
}

/* Profiled step i, counted through the traces of all types. It must exist. */
static const sgdsim_step *sgdsim_priv_step_at(const sgdsim_trace *trace, size_t i)
{
    while (i >= trace->steps) i -= trace++->steps;
    SGDSIM_ASSERT(trace->step);
    return trace->step + i;
}

static int sgdsim_priv_same_graph(const sgdsim_step *a, const sgdsim_step *b)
{
    size_t i;
    if (a->ops != b->ops) return 0;
    for (i = 0; i < a->ops; i++) {
        const sgdsim_op *x = a->op + i, *y = b->op + i;
        if (x->resource != y->resource || x->server != y->server || x->waits != y->waits)
            return 0;
        if (x->waits > 0 && x->waits_for != y->waits_for
            && memcmp(x->waits_for, y->waits_for, x->waits * sizeof *x->waits_for) != 0)
            return 0;
    }
    return 1;
}

/* The first profiled step with the graph of step i. */
static size_t sgdsim_priv_first_alike(const sgdsim_config *config, size_t i)
{
    const sgdsim_step *step = sgdsim_priv_step_at(config->workers.trace, i);
    size_t j;
    for (j = 0; j < i; j++)
        if (sgdsim_priv_same_graph(sgdsim_priv_step_at(config->workers.trace, j), step))
            break;
    return j;
}

/* ---- Run: state ------------------------------------------------------------ */

/* A chunk in service. key: when it ends; id: whose it is; turn: its number in the run. */
typedef struct sgdsim_priv_entry { double key; uint32_t id, turn; } sgdsim_priv_entry;

/* Chunks in service: the least key first, then the least turn. Those that came in this
 * order stand in a row. The others stand in a 4-ary heap or, where each id has one chunk
 * at most, in a tournament: leaf `room + id` is the chunk of id, place i the first of
 * places 2 i and 2 i + 1. */
typedef struct sgdsim_priv_pending {
    const sgdsim_priv_entry *top;   /* the first chunk; NULL: none                    */
    sgdsim_priv_entry *row, *heap;  /* [room] each; the row is a ring                 */
    sgdsim_priv_entry *tree;        /* [2 room], in place of the heap, or NULL        */
    size_t room, row_front, row_length;
    size_t heap_count;
    int    changed;                 /* top must be found again                        */
    int    hole;                    /* the heap's top was taken, its place is open;   */
                                    /*   tree: the place of id `gone`                 */
    uint32_t gone;
    int    rows;                    /* tree: > 0: the row is used, as chunks mostly   */
                                    /*   come in order; else it counts up as they do  */
    sgdsim_priv_entry last;         /* tree: the last chunk that came                 */
} sgdsim_priv_pending;

/* How a station serves the chunks of workers. */
typedef enum sgdsim_priv_kind {
    SGDSIM_PRIV_EQUAL,              /* shares by weight, mostly 1; a virtual clock    */
    SGDSIM_PRIV_FIFO,               /* one at a time                                  */
    SGDSIM_PRIV_FLOWS,              /* shares by a rule, O(n) an event                */
    SGDSIM_PRIV_LINKS               /* links to several servers, each EQUAL or FIFO   */
} sgdsim_priv_kind;

/* A flow that its worker's own link holds back: the station's clock is not its own. */
typedef struct sgdsim_priv_apart {
    double   left_s, share;         /* work left; part of a link's bandwidth          */
    uint32_t worker, turn;
} sgdsim_priv_apart;

/* A server's link, or a worker's, while levels of shares are found. */
typedef struct sgdsim_priv_side {
    double   left, level;           /* capacity left; share of each open flow         */
    uint32_t worker, open;          /* flows without a share yet                      */
    uint32_t place;                 /* rank of its level as found, from 1; 0: not yet */
} sgdsim_priv_side;

/* What workers share: one direction of the links, or a server's processor. */
typedef struct sgdsim_priv_station sgdsim_priv_station;
struct sgdsim_priv_station {
    sgdsim_priv_kind kind;
    size_t   way;                   /* 0: down, 1: up, 2: a server's processor        */
    sgdsim_priv_station *against;   /* of TCP: the link's other direction             */
    sgdsim_priv_station *hub;       /* to which this link belongs, or NULL            */
    double   next_end_s;            /* of its next completion; infinite if idle       */
    double   slowdown_alone;        /* seconds per second of work, for a lone flow    */
    double   slowdown;              /* the same for a flow in service (EQUAL, FIFO)   */
    double   clock, since_s;        /* EQUAL: work done per weight, at time since_s   */
    double  *weight;                /* TCP: [workers][servers]; NULL: all 1           */
    double   weight_sum;            /* EQUAL: of the busy flows                       */
    size_t   busy;                  /* number of flows                                */
    int      changed;               /* next_end_s must be found again                 */
    int      requeues;              /* does a worker queue again after each op?       */
    size_t   queue_of;              /* its queue; of server 0, if it serves all       */
    sgdsim_priv_pending pending;    /* EQUAL: key = clock at the end                  */
    uint32_t *queue;                /* FIFO: [workers] ring of the busy workers       */
    size_t   queue_front;           /* FIFO: where the ring starts                    */
    double  *left_s;                /* work left. FIFO: [workers]; FLOWS: [flows]     */
    uint32_t *turn;                 /* FIFO: [workers]; FLOWS: [flows]                */
    double  *since_of_s;            /* FIFO: [workers] when that turn was given       */
    sgdsim_flow *flow;              /* FLOWS: [flows] in the order of becoming busy   */
    size_t   next_flow;             /* FLOWS: the one that ends next                  */
    double  *taken;                 /* FLOWS: [servers] while FCFS shares are found   */
    double   given;                 /* slowdown of a link by worker links; 0: none    */
    sgdsim_priv_apart *apart;       /* flows of a link that worker links hold back    */
    size_t   aparts, next_apart;    /* their number; the one to end next, or `aparts` */
    sgdsim_priv_station *link;      /* LINKS: [servers]                               */
    uint32_t *first;                /* LINKS: [2 leaves] tournament of links:         */
    size_t   leaves;                /* first[1] completes next                        */
    uint32_t *touched;              /* LINKS: [servers] links to plan                 */
    size_t   touches;
    int      mixed;                 /* LINKS, FLOWS: flows came or went               */
    int      bound;                 /* LINKS: are some flows held back?               */
    size_t   with, seen;            /* TCP: flows each way, when last planned         */
    double   two_way;               /* TCP: the part of the link that they can use    */
    uint32_t *flows_of;             /* LINKS: [workers] number of flows, EQUAL only   */
    size_t   several;               /* LINKS: number of workers with several flows    */
    uint64_t crowd;                 /* LINKS: sum of 2^40 / busy, each rounded up     */
    double   least_own;             /* LINKS: least bandwidth of a worker's link,     */
                                    /*   over that of a server's                      */
    double   few;                   /* LINKS: a link with flows that are held back    */
                                    /*   has fewer flows than this                    */
    sgdsim_priv_side *server_side;  /* LINKS: [servers]                               */
    sgdsim_priv_side *worker_side;  /* LINKS: [workers, or fewer]                     */
    size_t   worker_sides;
    uint32_t *side_of;              /* LINKS: [workers] place of a worker's side      */
    sgdsim_priv_entry *sorted;      /* LINKS: [workers, or fewer] flows of a link     */
};

/* One end of flows, a server's link or a worker's, while shares are found. */
typedef struct sgdsim_priv_end {
    double left, weights;           /* capacity left; of flows without a share yet    */
    double level;                   /* left per weight                                */
    size_t with, against;           /* number of flows this way, the other way        */
} sgdsim_priv_end;

/* A worker. Its own chunks, queues and ops follow it in memory. */
typedef struct sgdsim_priv_worker {
    uint32_t number, type, steps_done;
    uint32_t profile;               /* profiled step that it runs                     */
    uint32_t ops_left, gates_left;  /* ops and gates of the step that are not done    */
    uint32_t fed;                   /* bits of its queues with a chunk on a station   */
    uint16_t shared_busy, own_busy; /* number of these; own chunks in service         */
} sgdsim_priv_worker;

/* A queue of a worker's ops. */
typedef struct sgdsim_priv_line {
    uint16_t serving;               /* op in service; NONE: idle                      */
    uint16_t head, tail;            /* ops that wait: the first and the last          */
} sgdsim_priv_line;

/* A chunk in service on a resource of the worker's own. All but its times is one number,
 * written and soon read as a whole: a processor waits if what it reads was just written
 * in parts. */
typedef struct sgdsim_priv_own {
    double   end_s;
    uint64_t rest;                  /* 2^32 turn + 2^16 queue + PLACED, CALLED        */
    double   start_s;               /* when it entered service                        */
} sgdsim_priv_own;
#define SGDSIM_PRIV_PLACED 1u       /* its turn orders it among the chunks of all     */
                                    /*   workers                                      */
#define SGDSIM_PRIV_CALLED 2u       /* it is among the calls                          */

/* The workers at a server's link, or at its processor. */
typedef struct sgdsim_priv_crowd {
    double   since_s;               /* when they became two                           */
    uint32_t workers;
} sgdsim_priv_crowd;

/* What a worker has spent its time on, by kind: the fields of sgdsim_waiting. */
typedef struct sgdsim_priv_tally {
    double   since_s;
    double   spent_s[SGDSIM_RESOURCES + 1];
    uint16_t busy_queues[SGDSIM_RESOURCES];
    uint16_t kind;                  /* the first that is busy, else the last          */
} sgdsim_priv_tally;

typedef struct sgdsim_priv_job {
    uint32_t first, workers;        /* its first worker, and the number of all        */
    uint32_t lead;                  /* as in sgdsim_workers                           */
    int      moves;                 /* its steps take time: else it is not repeated   */
    uint64_t warmup;                /* steps of all its workers before the window     */
    uint32_t slowest, behind;       /* fewest steps of a worker, if there is a        */
                                    /*   barrier; number of workers with no more      */
    uint32_t finished;              /* number of workers that did length.steps        */
    uint64_t steps_done, counted;   /* counted: steps until the window's end; 0: none */
    double   from_s, until_s;       /* the window, in which the throughput counts     */
} sgdsim_priv_job;

typedef struct sgdsim_priv_run {
    const sgdsim_config *config;
    uint32_t workers, servers;
    size_t   queues;                /* number of queues of one worker                 */
    size_t   late;                  /* first of two queues of transfers on their way, */
                                    /*   down and up; without delays: `start`         */
    size_t   start;                 /* the last queue, of starts; `queues`: none      */
    size_t   ops;                   /* most ops in a step                             */
    size_t   profiles;
    sgdsim_priv_profile *profile;   /* [profiles] over all types                      */
    size_t  *first_profile;         /* [types + 1]                                    */
    sgdsim_priv_graph   *graph;     /* [profiles] filled for the first with a graph   */
    uint32_t *stand_in;             /* [ops] compiling: the op that others wait for   */
    uint32_t *cursor;               /* [ops] compiling                                */
    char    *workers_at;            /* [workers] of worker_bytes each: a worker, then */
    size_t   worker_bytes;          /*   `owns` own chunks, the next to end last; at  */
    size_t   line_at, mark_at;      /*   line_at its queues, at mark_at its ops, at   */
    size_t   part_at;               /*   part_at its parts, with windows of HTTP/2    */
    size_t   owns;                  /* number of queues that no station serves        */
    sgdsim_priv_tally *tally;       /* [workers], NULL: not wanted                    */
    double   *ready_s, *start_s;    /* [workers][ops] for on_op                       */
    double   *arrival_s;            /* [workers][ops] of transfers, only with delays  */
    sgdsim_priv_pending calls;      /* own chunks whose ends wait for their turn      */
                                    /*   among all workers: key = time of the end     */
    int      chains;                /* may workers run chunks of their own ahead?     */
    int      placed;                /* is the order known in which chunks now start?  */
    int      unclear;               /* did a turn matter that is not known?           */
    int      timed;                 /* may times stand for turns? Not if the budget   */
                                    /*   may end the run: turns decide at what        */
    int      ordered;               /* does the order of calls at one time matter?    */
    double   called_s;              /* if so: time of the last call without a place   */
    sgdsim_priv_station *station;   /* [stations] downlinks, uplinks, shared servers  */
    size_t   stations;
    sgdsim_priv_end *end;           /* [servers + workers] if both ends limit flows   */
    sgdsim_priv_station **station_of; /* [jobs][queues] NULL: the worker's own        */
    sgdsim_resource *resource;      /* [queues]                                       */
    double   http2_window_s;        /* 0: transfers are served whole                  */
    int      chunks;                /* may an op go on after its chunk has ended?     */
    int      special;               /* is there more to a chunk than its work?        */
    int      plain;                 /* not special                                    */
    sgdsim_tcp tcp;                 /* zeros for other links                          */
    double   now_s;
    double   before_s;              /* time of the event before this one              */
    uint32_t turn;                  /* of the next chunk to enter service             */
    sgdsim_priv_job *job;           /* [jobs]                                         */
    size_t   jobs, jobs_left;       /* jobs_left: several jobs that others wait for   */
    uint64_t events, operations;    /* operations: of steps that ended                */
    uint64_t budget, charged;       /* most events; events charged for looks at flows */
    double   carried_s[SGDSIM_RESOURCES];
    double   contended_s[SGDSIM_RESOURCES];
    sgdsim_priv_crowd *crowd;       /* [jobs][queues] of those that stations serve    */
    sgdsim_result *out;
} sgdsim_priv_run;

static size_t sgdsim_priv_job_of(const sgdsim_config *config, size_t type)
{
    return config->workers.job ? config->workers.job[type] : 0;
}

static int sgdsim_priv_is_shared(const sgdsim_config *config, sgdsim_resource resource)
{
    if (resource == SGDSIM_SERVER)
        return config->servers.updates != SGDSIM_UPDATES_SEPARATE;
    return resource != SGDSIM_WORKER && config->links.rule != SGDSIM_LINK_EXCHANGE;
}

static sgdsim_priv_worker *sgdsim_priv_worker_at(const sgdsim_priv_run *run, uint32_t w)
{
    SGDSIM_ASSERT(w < run->workers);
    return (sgdsim_priv_worker *)(void *)(run->workers_at + w * run->worker_bytes);
}

static sgdsim_priv_own *sgdsim_priv_owns_of(sgdsim_priv_worker *worker)
{
    return (sgdsim_priv_own *)(void *)(worker + 1);
}

static sgdsim_priv_line *sgdsim_priv_line_of(const sgdsim_priv_run *run,
                                             sgdsim_priv_worker *worker, size_t q)
{
    SGDSIM_ASSERT(q < run->queues);
    return (sgdsim_priv_line *)(void *)((char *)worker + run->line_at) + q;
}

static sgdsim_priv_mark *sgdsim_priv_marks_of(const sgdsim_priv_run *run,
                                              sgdsim_priv_worker *worker)
{
    return (sgdsim_priv_mark *)(void *)((char *)worker + run->mark_at);
}

/* How far is a transfer in parts: TURN for each that is sent, and perhaps QUEUED. */
static uint32_t *sgdsim_priv_part_of(const sgdsim_priv_run *run,
                                     sgdsim_priv_worker *worker, size_t op)
{
    SGDSIM_ASSERT(run->http2_window_s > 0.0 && op < run->ops);
    return (uint32_t *)(void *)((char *)worker + run->part_at) + op;
}

/* Does a station serve queue q? */
static int sgdsim_priv_is_common(const sgdsim_priv_run *run, size_t q)
{
    return q < run->late
        && sgdsim_priv_is_shared(run->config, sgdsim_priv_resource_of(q));
}

static int sgdsim_priv_is_tcp(const sgdsim_config *config)
{
    return config->links.rule == SGDSIM_LINK_TCP && !config->links.share;
}

static double sgdsim_priv_cap(const sgdsim_config *config)
{
    const double cap = config->links.flow_cap;
    return cap > 0.0 && cap < 1.0 ? cap : 1.0;
}

/* Up to this number flows are looked at one by one. */
#ifndef SGDSIM_PRIV_FEW_FLOWS
#define SGDSIM_PRIV_FEW_FLOWS 32u
#endif

/* Has each server's link a station of its own? */
static int sgdsim_priv_has_links(const sgdsim_priv_run *run)
{
    const sgdsim_config *config = run->config;
    const int own = config->links.worker_bandwidth_bytes_per_s != NULL;
    if (config->links.share || (run->servers < 2 && !own)) return 0;
    if (run->workers <= SGDSIM_PRIV_FEW_FLOWS / run->servers) return 0;
    if (config->links.rule == SGDSIM_LINK_FCFS) return !config->variants.fcfs_spill;
    if (config->links.rule == SGDSIM_LINK_TCP)
        return !own && !(sgdsim_priv_cap(config) < 1.0);
    return config->links.rule == SGDSIM_LINK_EQUAL;
}

/* Do shares depend on the links at both ends of a flow? */
static int sgdsim_priv_has_ends(const sgdsim_priv_run *run)
{
    const sgdsim_config *config = run->config;
    if (config->links.share || config->links.rule == SGDSIM_LINK_EXCHANGE) return 0;
    if (sgdsim_priv_has_links(run)) return 0;
    if (config->links.worker_bandwidth_bytes_per_s) return 1;
    if (config->links.rule == SGDSIM_LINK_EQUAL) return run->servers > 1;
    return config->links.rule == SGDSIM_LINK_TCP
        && (run->servers > 1 || sgdsim_priv_cap(config) < 1.0);
}

/* The kind of station i. Stations 0 and 1 are the two directions of the links. */
static sgdsim_priv_kind sgdsim_priv_kind_of(const sgdsim_priv_run *run, size_t i)
{
    const sgdsim_config *config = run->config;
    if (i >= 2)
        return config->servers.updates == SGDSIM_UPDATES_SHARED ? SGDSIM_PRIV_EQUAL
                                                        : SGDSIM_PRIV_FIFO;
    if (sgdsim_priv_has_links(run)) return SGDSIM_PRIV_LINKS;
    if (config->links.share || run->servers > 1 || sgdsim_priv_has_ends(run))
        return SGDSIM_PRIV_FLOWS;
    if (config->links.rule != SGDSIM_LINK_FCFS) return SGDSIM_PRIV_EQUAL;
    return config->variants.fcfs_spill ? SGDSIM_PRIV_FLOWS : SGDSIM_PRIV_FIFO;
}

/* ---- Run: layout of the work ----------------------------------------------- */

static void sgdsim_priv_carve_graph(sgdsim_priv_arena *arena, size_t ops, size_t edges,
                                    sgdsim_priv_graph *graph)
{
    sgdsim_priv_graph none;
    if (!graph) graph = &none;
    graph->ops = ops;
    graph->queue = SGDSIM_PRIV_TAKE(arena, ops, uint16_t);
    graph->role = SGDSIM_PRIV_TAKE(arena, ops, uint8_t);
    graph->start = SGDSIM_PRIV_TAKE(arena, ops, sgdsim_priv_mark);
    graph->root = SGDSIM_PRIV_TAKE(arena, ops, uint16_t);
    graph->dependants_at = SGDSIM_PRIV_TAKE(arena, ops + 1, uint32_t);
    graph->dependant = SGDSIM_PRIV_TAKE(arena, edges, uint16_t);
}

static void sgdsim_priv_carve_pending(sgdsim_priv_arena *arena, size_t room, int tree,
                                      sgdsim_priv_pending *p)
{
    p->room = room;
    p->row = SGDSIM_PRIV_TAKE(arena, room, sgdsim_priv_entry);
    p->heap = p->tree = NULL;
    if (!tree) p->heap = SGDSIM_PRIV_TAKE(arena, room, sgdsim_priv_entry);
    else p->tree = SGDSIM_PRIV_TAKE(arena, 2 * room, sgdsim_priv_entry);
}

/* tree: in place of the heap; not for links of a hub, which looks into the heap. */
static void sgdsim_priv_carve_station(sgdsim_priv_arena *arena, sgdsim_priv_kind kind,
                                      const sgdsim_priv_run *run, int tree, int weighted,
                                      sgdsim_priv_station *station)
{
    const size_t workers = run->workers, flows = workers * run->servers;
    sgdsim_priv_station none;
    if (!station) station = &none;
    station->kind = kind;
    if (kind == SGDSIM_PRIV_EQUAL) {
        sgdsim_priv_carve_pending(arena, workers, tree, &station->pending);
        station->weight = weighted ? sgdsim_priv_doubles(arena, workers) : NULL;
    } else if (kind == SGDSIM_PRIV_FIFO) {
        station->queue = SGDSIM_PRIV_TAKE(arena, workers, uint32_t);
        station->left_s = sgdsim_priv_doubles(arena, workers);
        station->turn = SGDSIM_PRIV_TAKE(arena, workers, uint32_t);
        station->since_of_s = sgdsim_priv_doubles(arena, workers);
    } else {
        station->left_s = sgdsim_priv_doubles(arena, flows);
        station->turn = SGDSIM_PRIV_TAKE(arena, flows, uint32_t);
        station->flow = SGDSIM_PRIV_TAKE(arena, flows, sgdsim_flow);
        station->taken = sgdsim_priv_doubles(arena, run->servers);
        station->weight = weighted ? sgdsim_priv_doubles(arena, flows) : NULL;
    }
}

/* Lays out what finds levels where workers' links hold flows back. */
static void sgdsim_priv_carve_sides(sgdsim_priv_arena *arena, const sgdsim_priv_run *run,
                                    sgdsim_priv_kind kind, sgdsim_priv_station *hub)
{
    const size_t M = run->servers, W = run->workers;
    const int own = run->config->links.worker_bandwidth_bytes_per_s != NULL;
    const size_t most = !own && 2 * M + 2 < W ? 2 * M + 2 : W;    /* see hub->few     */
    const size_t sides = most < W / M ? most * M : W;
    size_t m;
    hub->server_side = SGDSIM_PRIV_TAKE(arena, M, sgdsim_priv_side);
    hub->worker_side = SGDSIM_PRIV_TAKE(arena, sides, sgdsim_priv_side);
    hub->side_of = SGDSIM_PRIV_TAKE(arena, W, uint32_t);
    if (kind == SGDSIM_PRIV_FIFO) return;
    hub->flows_of = SGDSIM_PRIV_TAKE(arena, W, uint32_t);
    hub->sorted = SGDSIM_PRIV_TAKE(arena, most, sgdsim_priv_entry);
    for (m = 0; m < M; m++) {
        sgdsim_priv_apart *apart = SGDSIM_PRIV_TAKE(arena, most, sgdsim_priv_apart);
        if (hub->link) hub->link[m].apart = apart;
    }
}

static void sgdsim_priv_carve_hub(sgdsim_priv_arena *arena, const sgdsim_priv_run *run,
                                  int weighted, sgdsim_priv_station *hub)
{
    const sgdsim_config *config = run->config;
    const sgdsim_priv_kind kind =
        config->links.rule == SGDSIM_LINK_FCFS ? SGDSIM_PRIV_FIFO : SGDSIM_PRIV_EQUAL;
    const size_t M = run->servers;
    sgdsim_priv_station none;
    size_t m;
    if (!hub) hub = &none;
    memset(hub, 0, sizeof *hub);
    hub->kind = SGDSIM_PRIV_LINKS;
    for (hub->leaves = 1; hub->leaves < M;) hub->leaves *= 2;
    hub->link = SGDSIM_PRIV_TAKE(arena, M, sgdsim_priv_station);
    if (hub->link) memset(hub->link, 0, M * sizeof *hub->link);
    hub->first = SGDSIM_PRIV_TAKE(arena, 2 * hub->leaves, uint32_t);
    hub->touched = SGDSIM_PRIV_TAKE(arena, M, uint32_t);
    for (m = 0; m < M; m++)
        sgdsim_priv_carve_station(arena, kind, run, 0, weighted,
                                  hub->link ? hub->link + m : NULL);
    if (config->links.worker_bandwidth_bytes_per_s
        || (config->links.rule == SGDSIM_LINK_EQUAL && M > 2))
        sgdsim_priv_carve_sides(arena, run, kind, hub);
}

static void sgdsim_priv_carve_stations(sgdsim_priv_arena *arena, sgdsim_priv_run *run)
{
    const sgdsim_config *config = run->config;
    size_t i;
    run->station_of =
        SGDSIM_PRIV_TAKE(arena, run->jobs * run->queues, sgdsim_priv_station *);
    run->resource = SGDSIM_PRIV_TAKE(arena, run->queues, sgdsim_resource);
    run->stations = 2;
    if (sgdsim_priv_is_shared(config, SGDSIM_SERVER))
        run->stations += run->jobs * run->servers;
    run->station = SGDSIM_PRIV_TAKE(arena, run->stations, sgdsim_priv_station);
    if (run->station) memset(run->station, 0, run->stations * sizeof *run->station);
    for (i = 0; i < run->stations; i++) {
        sgdsim_priv_station *station = run->station ? run->station + i : NULL;
        const sgdsim_priv_kind kind = sgdsim_priv_kind_of(run, i);
        const int weighted = i < 2 && sgdsim_priv_is_tcp(config);
        if (i < 2 && config->links.rule == SGDSIM_LINK_EXCHANGE) continue;
        if (kind == SGDSIM_PRIV_LINKS)
            sgdsim_priv_carve_hub(arena, run, weighted, station);
        else sgdsim_priv_carve_station(arena, kind, run, 1, weighted, station);
    }
    if (sgdsim_priv_has_ends(run))
        run->end =
            SGDSIM_PRIV_TAKE(arena, (size_t)run->servers + run->workers, sgdsim_priv_end);
}

#define SGDSIM_PRIV_CACHE_LINE ((size_t)64)

/* Each worker starts at a cache line. What is used most comes first. */
static void sgdsim_priv_carve_workers(sgdsim_priv_arena *arena, sgdsim_priv_run *run)
{
    sgdsim_priv_arena one = sgdsim_priv_arena_at(NULL);
    (void)sgdsim_priv_take(&one, 1, sizeof(sgdsim_priv_worker));
    SGDSIM_ASSERT(one.used == sizeof(sgdsim_priv_worker)); /* own chunks follow       */
    (void)sgdsim_priv_take(&one, run->owns, sizeof(sgdsim_priv_own));
    run->line_at = one.used;
    (void)sgdsim_priv_take(&one, run->queues, sizeof(sgdsim_priv_line));
    run->mark_at = one.used;
    (void)sgdsim_priv_take(&one, run->ops, sizeof(sgdsim_priv_mark));
    run->part_at = one.used;
    if (run->config->transfers.window_bytes > 0.0)
        (void)sgdsim_priv_take(&one, run->ops, sizeof(uint32_t));
    run->worker_bytes = (one.used + SGDSIM_PRIV_CACHE_LINE - 1)
                      / SGDSIM_PRIV_CACHE_LINE * SGDSIM_PRIV_CACHE_LINE;
    run->workers_at = (char *)sgdsim_priv_take(arena, run->workers, run->worker_bytes);
    (void)sgdsim_priv_take(arena, SGDSIM_PRIV_CACHE_LINE, 1);
    if (run->workers_at)
        run->workers_at += (SGDSIM_PRIV_CACHE_LINE
                            - (uintptr_t)run->workers_at % SGDSIM_PRIV_CACHE_LINE)
                         % SGDSIM_PRIV_CACHE_LINE;
}

/* Lays out what changes as a run goes. */
static void sgdsim_priv_carve_state(sgdsim_priv_arena *arena, sgdsim_priv_run *run)
{
    const sgdsim_config *config = run->config;
    const size_t K = run->workers, N = K * run->ops;
    size_t i;
    if (run->ops > 0 && K > (size_t)-1 / run->ops) arena->overflow = 1;
    run->stand_in = SGDSIM_PRIV_TAKE(arena, run->ops, uint32_t);
    run->cursor = SGDSIM_PRIV_TAKE(arena, run->ops, uint32_t);
    run->tally = SGDSIM_PRIV_TAKE(arena, K, sgdsim_priv_tally);
    run->crowd = SGDSIM_PRIV_TAKE(arena, run->jobs * run->queues, sgdsim_priv_crowd);
    if (config->watch.on_op) {
        run->ready_s = sgdsim_priv_doubles(arena, N);
        run->start_s = sgdsim_priv_doubles(arena, N);
    }
    run->owns = 0;
    for (i = 0; i < run->queues; i++) run->owns += (size_t)!sgdsim_priv_is_common(run, i);
    SGDSIM_ASSERT(run->owns >= 1);                 /* the worker's processor is one   */
    if (run->late < run->start) run->arrival_s = sgdsim_priv_doubles(arena, N);
    sgdsim_priv_carve_workers(arena, run);
    sgdsim_priv_carve_pending(arena, K * run->owns, 0, &run->calls);
    run->job = SGDSIM_PRIV_TAKE(arena, run->jobs, sgdsim_priv_job);
    sgdsim_priv_carve_stations(arena, run);
}

static void sgdsim_priv_carve_profiles(sgdsim_priv_arena *arena, sgdsim_priv_run *run)
{
    size_t i, edges, ops;
    for (i = 0; i < run->profiles && !arena->overflow; i++) {
        const sgdsim_step *step = sgdsim_priv_step_at(run->config->workers.trace, i);
        double *work_s;
        ops = sgdsim_priv_count_ops(run->config, step, &edges);
        if (ops > run->ops) run->ops = ops;
        if (ops > SGDSIM_PRIV_MOST_OPS) return;
        if (sgdsim_priv_first_alike(run->config, i) == i)
            sgdsim_priv_carve_graph(arena, ops, edges,
                                    run->graph ? run->graph + i : NULL);
        work_s = sgdsim_priv_doubles(arena, ops);
        if (run->profile) run->profile[i].work_s = work_s;
    }
}

/* Do transfers of some type arrive late? Delays of exchanges are in their own time. */
static int sgdsim_priv_delays(const sgdsim_config *config)
{
    size_t t;
    if (!config->links.delay_s || config->links.rule == SGDSIM_LINK_EXCHANGE) return 0;
    for (t = 0; t < config->workers.types; t++)
        if (config->links.delay_s[t] > 0.0) return 1;
    return 0;
}

/* Lays out what the traces say, which no run changes. */
static sgdsim_status sgdsim_priv_carve_traces(const sgdsim_config *config,
                                              sgdsim_priv_arena *arena,
                                              sgdsim_priv_run *run)
{
    size_t t, K = 0;
    memset(run, 0, sizeof *run);
    run->config = config;
    run->jobs = sgdsim_priv_job_of(config, config->workers.types - 1) + 1;
    run->servers = config->servers.count > 0 ? config->servers.count : 1;
    if (run->servers > SGDSIM_PRIV_MOST_SERVERS) return SGDSIM_TOO_LARGE;
    run->queues = 1 + (size_t)run->servers * SGDSIM_PRIV_PER_SERVER;
    run->late = run->queues;
    if (sgdsim_priv_delays(config)) run->queues += 2;
    run->start = run->queues;
    if (config->variation.stagger_s > 0.0) run->queues++;
    for (t = 0; t < config->workers.types; t++) {
        K += config->workers.count[t];
        run->profiles += config->workers.trace[t].steps;
    }
    if (K > UINT32_MAX / run->queues || run->profiles > UINT32_MAX)
        return SGDSIM_TOO_LARGE;
    run->workers = (uint32_t)K;
    run->profile = SGDSIM_PRIV_TAKE(arena, run->profiles, sgdsim_priv_profile);
    run->graph = SGDSIM_PRIV_TAKE(arena, run->profiles, sgdsim_priv_graph);
    run->first_profile = SGDSIM_PRIV_TAKE(arena, config->workers.types + 1, size_t);
    sgdsim_priv_carve_profiles(arena, run);
    if (run->ops > SGDSIM_PRIV_MOST_OPS || arena->overflow) return SGDSIM_TOO_LARGE;
    return SGDSIM_OK;
}

/* ---- Run: compiling the traces --------------------------------------------- */

/* Finds the queues of ops. Overheads stand behind the ops of the trace. stand_in[i] is
 * the op that dependants of op i wait for: its overhead, or op i itself. */
static void sgdsim_priv_compile_ops(sgdsim_priv_run *run, const sgdsim_step *step,
                                    sgdsim_priv_graph *graph)
{
    size_t i, at = step->ops;
    for (i = 0; i < step->ops; i++) {
        graph->queue[i] = (uint16_t)sgdsim_priv_queue_of(step->op + i);
        graph->start[i].waits = (uint16_t)step->op[i].waits;
        run->stand_in[i] = (uint32_t)i;
        SGDSIM_ASSERT(graph->queue[i] < run->queues);
        if (!sgdsim_priv_has_overhead(run->config)
            || !sgdsim_priv_is_transfer(step->op[i].resource))
            continue;
        graph->queue[at] = SGDSIM_PRIV_OWN;
        if (step->op[i].resource == SGDSIM_UPLINK)
            graph->queue[at] = (uint16_t)(graph->queue[i] + SGDSIM_PRIV_APPLY
                                          - SGDSIM_PRIV_UP);
        graph->start[at].waits = 1;
        run->stand_in[i] = (uint32_t)at++;
    }
    SGDSIM_ASSERT(at == graph->ops);
}

static void sgdsim_priv_compile_edges(sgdsim_priv_run *run, const sgdsim_step *step,
                                      sgdsim_priv_graph *graph)
{
    size_t i, k;
    for (i = 0; i <= graph->ops; i++) graph->dependants_at[i] = 0;
    for (i = 0; i < step->ops; i++) {
        if (run->stand_in[i] != i) graph->dependants_at[i + 1]++;
        for (k = 0; k < step->op[i].waits; k++)
            graph->dependants_at[run->stand_in[step->op[i].waits_for[k]] + 1]++;
    }
    for (i = 0; i < graph->ops; i++) {
        graph->dependants_at[i + 1] += graph->dependants_at[i];
        run->cursor[i] = graph->dependants_at[i];
    }
    for (i = 0; i < step->ops; i++)
        for (k = 0; k < step->op[i].waits; k++) {
            const uint32_t before = run->stand_in[step->op[i].waits_for[k]];
            graph->dependant[run->cursor[before]++] = (uint16_t)i;
        }
    for (i = 0; i < step->ops; i++)
        if (run->stand_in[i] != i)
            graph->dependant[run->cursor[i]++] = (uint16_t)run->stand_in[i];
    for (i = 0; i < graph->ops; i++)
        SGDSIM_ASSERT(run->cursor[i] == graph->dependants_at[i + 1]);
}

static void sgdsim_priv_compile_roots(const sgdsim_config *config,
                                      const sgdsim_step *step, sgdsim_priv_graph *graph)
{
    size_t i, k;
    graph->roots = 0;
    for (k = 0; k < config->transfers.ordered; k++) {
        const size_t op = config->transfers.order[k];
        if (op < step->ops && graph->start[op].waits == 0)
            graph->root[graph->roots++] = (uint16_t)op;
    }
    for (i = 0; i < step->ops; i++) {
        for (k = 0; k < config->transfers.ordered && config->transfers.order[k] != i;)
            k++;
        if (graph->start[i].waits == 0 && k == config->transfers.ordered)
            graph->root[graph->roots++] = (uint16_t)i;
    }
    SGDSIM_ASSERT(graph->roots >= 1 && graph->roots <= step->ops);
}

/* An invalid time becomes infinite, and the run is refused at its end. */
static double sgdsim_priv_exchange_s(const sgdsim_config *config, double bytes)
{
    const double s = config->links.exchange_s(config->links.exchange_ctx, config, bytes);
    return s >= 0.0 ? s : HUGE_VAL;
}

static void sgdsim_priv_compile_work(const sgdsim_priv_run *run, const sgdsim_step *step,
                                     double *work_s)
{
    const sgdsim_config *config = run->config;
    const sgdsim_overhead *overhead = config->transfers.overhead;
    size_t i, at = step->ops;
    for (i = 0; i < step->ops; i++) {
        const sgdsim_op *op = step->op + i;
        work_s[i] = op->duration_s;
        if (!sgdsim_priv_is_transfer(op->resource)) continue;
        work_s[i] = op->bytes / config->links.bandwidth_bytes_per_s;
        if (config->links.rule == SGDSIM_LINK_EXCHANGE)
            work_s[i] = op->resource == SGDSIM_DOWNLINK || run->workers < 2
                      ? 0.0 : sgdsim_priv_exchange_s(config, op->bytes);
        if (!sgdsim_priv_has_overhead(config)) continue;
        work_s[at] = overhead->s_per_byte * op->bytes + overhead->s;
        if (work_s[at] < 0.0) work_s[at] = 0.0;
        at++;
    }
    SGDSIM_ASSERT(at <= run->ops);
}

/* Sorts the ops of a graph: each behind its prerequisites. */
static uint32_t *sgdsim_priv_sorted(sgdsim_priv_run *run, const sgdsim_priv_graph *graph)
{
    uint32_t *sorted = run->cursor, *waits = run->stand_in, k;
    size_t i, n = 0;
    for (i = 0; i < graph->ops; i++) {
        waits[i] = graph->start[i].waits;
        if (waits[i] == 0) sorted[n++] = (uint32_t)i;
    }
    for (i = 0; i < n; i++)
        for (k = graph->dependants_at[sorted[i]]; k < graph->dependants_at[sorted[i] + 1];
             k++)
            if (--waits[graph->dependant[k]] == 0) sorted[n++] = graph->dependant[k];
    SGDSIM_ASSERT(n == graph->ops);                /* the trace was checked           */
    return sorted;
}

/* Finds the gates. If one FEEDS op comes before all others, they are the ops on stations
 * that it waits for, directly or through others. Otherwise there are none. */
static void sgdsim_priv_compile_gates(sgdsim_priv_run *run, sgdsim_priv_graph *graph)
{
    const uint32_t *sorted = sgdsim_priv_sorted(run, graph);
    uint32_t *mark = run->stand_in, k;
    size_t i, firsts = 0;
    for (i = 0; i < graph->ops; i++) mark[i] = 0;
    for (i = 0; i < graph->ops; i++) {             /* 1: behind a FEEDS op            */
        const size_t op = sorted[i];
        firsts += (graph->role[op] & SGDSIM_PRIV_FEEDS) && !mark[op];
        for (k = graph->dependants_at[op]; k < graph->dependants_at[op + 1]; k++)
            mark[graph->dependant[k]] |= mark[op] | (graph->role[op] & SGDSIM_PRIV_FEEDS);
    }
    if (firsts != 1) return;
    for (i = graph->ops; i-- > 0;) {               /* 2: up to the first FEEDS op     */
        const size_t op = sorted[i];
        if ((graph->role[op] & SGDSIM_PRIV_FEEDS) && !mark[op]) mark[op] = 2;
        for (k = graph->dependants_at[op]; k < graph->dependants_at[op + 1]; k++)
            mark[op] |= mark[graph->dependant[k]] & 2u;
        if (!(mark[op] & 2u) || !sgdsim_priv_is_common(run, graph->queue[op])) continue;
        graph->role[op] |= SGDSIM_PRIV_GATE;
        graph->gates++;
    }
}

/* The bit of a station's queue in a worker's `fed`. Queues from 31 on share a bit that is
 * never set there. */
static uint32_t sgdsim_priv_bit(size_t q)
{
    return (uint32_t)1 << (q < 31 ? q : 31);
}

/* Finds the roles of ops. With delays the ops of transfers end like a worker's own, so
 * they may feed stations, and there are no gates. */
static void sgdsim_priv_compile_roles(sgdsim_priv_run *run, sgdsim_priv_graph *graph)
{
    const int late = run->late < run->start;
    size_t i;
    uint32_t k;
    graph->fed = 0;
    graph->gates = 0;
    for (i = 0; i < graph->ops; i++) {
        graph->role[i] = 0;
        if (!late && sgdsim_priv_is_common(run, graph->queue[i])) continue;
        for (k = graph->dependants_at[i]; k < graph->dependants_at[i + 1]; k++) {
            const size_t q = graph->queue[graph->dependant[k]];
            if (!sgdsim_priv_is_common(run, q)) continue;
            graph->role[i] = SGDSIM_PRIV_FEEDS;
            graph->fed |= sgdsim_priv_bit(q);
        }
    }
    if (!late) sgdsim_priv_compile_gates(run, graph);
}

static void sgdsim_priv_compile(sgdsim_priv_run *run)
{
    const sgdsim_config *config = run->config;
    size_t i, t, edges;
    run->first_profile[0] = 0;
    for (t = 0; t < config->workers.types; t++)
        run->first_profile[t + 1] =
            run->first_profile[t] + config->workers.trace[t].steps;
    SGDSIM_ASSERT(run->first_profile[config->workers.types] == run->profiles);
    for (i = 0; i < run->profiles; i++) {
        const sgdsim_step *step = sgdsim_priv_step_at(config->workers.trace, i);
        const size_t first = sgdsim_priv_first_alike(config, i);
        run->profile[i].graph = run->graph + first;
        if (first == i) {
            run->graph[i].ops = sgdsim_priv_count_ops(config, step, &edges);
            sgdsim_priv_compile_ops(run, step, run->graph + i);
            sgdsim_priv_compile_edges(run, step, run->graph + i);
            sgdsim_priv_compile_roots(config, step, run->graph + i);
            sgdsim_priv_compile_roles(run, run->graph + i);
        }
        SGDSIM_ASSERT(run->graph[first].ops >= step->ops);
        sgdsim_priv_compile_work(run, step, run->profile[i].work_s);
        for (t = 0, run->profile[i].own_s = 0.0; t < run->graph[first].ops; t++)
            if (run->graph[first].queue[t] == SGDSIM_PRIV_OWN)
                run->profile[i].own_s += run->profile[i].work_s[t];
    }
    if (config->links.rule != SGDSIM_LINK_EXCHANGE)
        run->http2_window_s =
            config->transfers.window_bytes / config->links.bandwidth_bytes_per_s;
    run->chunks = run->http2_window_s > 0.0 || run->late < run->queues;
    if (sgdsim_priv_is_tcp(config)) {
        static const sgdsim_tcp usual = { SGDSIM_TCP_TWO_WAY, SGDSIM_TCP_SPREAD };
        run->tcp = config->links.tcp ? *config->links.tcp : usual;
    }
}

/* ---- Run: chunks in service ------------------------------------------------ */

/* Does a come before b? Keys are not negative, so they are in the order of their bits.
 * Integers are compared without a branch, which could not be predicted. An earlier turn
 * counts as one unit in the last place. */
static int sgdsim_priv_before(const sgdsim_priv_entry *a, const sgdsim_priv_entry *b)
{
    uint64_t x, y;
    memcpy(&x, &a->key, sizeof x);
    memcpy(&y, &b->key, sizeof y);
    return x < y + ((a->turn - b->turn) >> 31);
}

/* Replaces the heap's top by e, and puts what is less than e above it. */
static void sgdsim_priv_sink(sgdsim_priv_pending *p, sgdsim_priv_entry e)
{
    sgdsim_priv_entry *h = p->heap;
    const size_t count = p->heap_count;
    size_t at = 0, child = 1;
    for (; child + 3 < count; child = 4 * at + 1) {
        const sgdsim_priv_entry *c = h + child;
        const sgdsim_priv_entry *low = c + sgdsim_priv_before(c + 1, c);
        const sgdsim_priv_entry *high = c + 2 + sgdsim_priv_before(c + 3, c + 2);
        const sgdsim_priv_entry *best = sgdsim_priv_before(high, low) ? high : low;
        if (!sgdsim_priv_before(best, &e)) break;
        h[at] = *best;
        at = (size_t)(best - h);
    }
    if (child + 3 >= count && child < count) {     /* fewer than four children       */
        size_t best = child;
        for (child++; child < count; child++)
            if (sgdsim_priv_before(h + child, h + best)) best = child;
        if (sgdsim_priv_before(h + best, &e)) {
            h[at] = h[best];
            at = best;
        }
    }
    SGDSIM_ASSERT(at < count);
    SGDSIM_ASSERT(at == 0 || !sgdsim_priv_before(&e, h + (at - 1) / 4));
    h[at] = e;
}

/* Where place i of the row is, i < 2 room. */
static size_t sgdsim_priv_place(const sgdsim_priv_pending *p, size_t i)
{
    SGDSIM_ASSERT(i < 2 * p->room);
    return i < p->room ? i : i - p->room;
}

/* No chunk. Its key, the bits of a NaN, is larger than that of any chunk. */
static sgdsim_priv_entry sgdsim_priv_no_entry(void)
{
    const uint64_t bits = (uint64_t)0x7ff8 << 48;
    sgdsim_priv_entry e;
    memcpy(&e.key, &bits, sizeof bits);
    e.id = UINT32_MAX;
    e.turn = 0;
    return e;
}

/* Makes e the chunk of id. The way to the top is known, so a comparison waits only for
 * the one before it. */
static inline void sgdsim_priv_play(sgdsim_priv_pending *p, uint32_t id,
                                    sgdsim_priv_entry e)
{
    sgdsim_priv_entry *tree = p->tree;
    uint64_t key, rest = (uint64_t)e.turn << 32 | e.id;
    size_t i = p->room + id;
    SGDSIM_ASSERT(id < p->room);
    memcpy(&key, &e.key, sizeof key);
    for (tree[i] = e; i > 1;) {
        const sgdsim_priv_entry *other = tree + (i ^ 1);
        const uint64_t its = (uint64_t)other->turn << 32 | other->id;
        uint64_t x, first;
        memcpy(&x, &other->key, sizeof x);
        first = (uint64_t)0 - (uint64_t)(x < key + ((its - rest) >> 63));
        key ^= (key ^ x) & first;
        rest ^= (rest ^ its) & first;
        i /= 2;
        memcpy(&tree[i].key, &key, sizeof key);
        tree[i].id = (uint32_t)rest;
        tree[i].turn = (uint32_t)(rest >> 32);
    }
}

/* A row is used while most chunks come in order. It is used again when this many have
 * come in order, one after the other. */
#define SGDSIM_PRIV_IN_ORDER 32
#define SGDSIM_PRIV_NO_ROW 16u           /* not for this many workers or fewer        */

static inline void sgdsim_priv_push_tree(sgdsim_priv_pending *p, sgdsim_priv_entry e)
{
    const size_t end = p->row_front + p->row_length;
    SGDSIM_ASSERT(!(e.key < 0.0) && e.id < p->room && p->row_length < p->room);
    if (p->rows > 0) {
        if (p->row_length == 0
            || !sgdsim_priv_before(&e, p->row + sgdsim_priv_place(p, end - 1))) {
            p->row[sgdsim_priv_place(p, end)] = e;
            p->row_length++;
            p->rows += p->rows < SGDSIM_PRIV_IN_ORDER;
            return;
        }
        p->rows = p->rows > 4 ? p->rows - 4 : -SGDSIM_PRIV_IN_ORDER;
    } else {
        const int late = sgdsim_priv_before(&e, &p->last);
        p->rows = late ? -SGDSIM_PRIV_IN_ORDER : p->rows + (p->room > SGDSIM_PRIV_NO_ROW);
    }
    p->last = e;
    SGDSIM_ASSERT(p->tree[p->room + e.id].id == UINT32_MAX
                  || (p->hole && p->gone == e.id));
    if (p->hole && p->gone == e.id) p->hole = 0;
    sgdsim_priv_play(p, e.id, e);
}

/* Adds a chunk. This takes O(1) if it does not come before the last chunk of the row,
 * else O(log n), in the heap or tree. Where workers run the same steps side by side,
 * nearly every chunk ends later than those before it, or at the same time with a larger
 * turn. */
static void sgdsim_priv_push(sgdsim_priv_pending *p, sgdsim_priv_entry e)
{
    const size_t end = p->row_front + p->row_length;
    size_t at;
    p->changed = 1;
    if (p->tree) {
        sgdsim_priv_push_tree(p, e);
        return;
    }
    SGDSIM_ASSERT(!(e.key < 0.0));
    SGDSIM_ASSERT(p->row_length + p->heap_count - (size_t)p->hole < p->room);
    if (p->row_length == 0
        || !sgdsim_priv_before(&e, p->row + sgdsim_priv_place(p, end - 1))) {
        p->row[sgdsim_priv_place(p, end)] = e;
        p->row_length++;
        return;
    }
    if (p->hole) {
        p->hole = 0;
        sgdsim_priv_sink(p, e);
        return;
    }
    at = p->heap_count++;
    while (at > 0 && sgdsim_priv_before(&e, p->heap + (at - 1) / 4)) {
        p->heap[at] = p->heap[(at - 1) / 4];
        at = (at - 1) / 4;
    }
    p->heap[at] = e;
}

/* Removes the top and returns its id. sgdsim_priv_settle finds the next top. */
static uint32_t sgdsim_priv_pop(sgdsim_priv_pending *p)
{
    const uint32_t id = p->top->id;
    p->changed = 1;
    if (p->top == (p->tree ? p->tree + 1 : p->heap)) {
        SGDSIM_ASSERT(p->tree || p->heap_count > 0);
        SGDSIM_ASSERT(!p->hole);
        p->hole = 1;
        p->gone = id;
    } else {
        SGDSIM_ASSERT(p->row_length > 0 && p->top == p->row + p->row_front);
        p->row_front = sgdsim_priv_place(p, p->row_front + 1);
        p->row_length--;
    }
    return id;
}

static inline void sgdsim_priv_settle_tree(sgdsim_priv_pending *p)
{
    if (p->hole) sgdsim_priv_play(p, p->gone, sgdsim_priv_no_entry());
    p->hole = p->changed = 0;
    p->top = p->tree + 1;
    if (p->row_length > 0) {
        const sgdsim_priv_entry *first = p->row + p->row_front;
        if (!sgdsim_priv_before(p->top, first)) p->top = first;
    } else if (p->tree[1].id == UINT32_MAX) {
        p->top = NULL;
    }
}

static void sgdsim_priv_settle(sgdsim_priv_pending *p)
{
    const sgdsim_priv_entry *first = p->row + p->row_front;
    p->changed = 0;
    if (p->tree) {
        sgdsim_priv_settle_tree(p);
        return;
    }
    if (p->hole && --p->heap_count > 0) sgdsim_priv_sink(p, p->heap[p->heap_count]);
    p->hole = 0;
    SGDSIM_ASSERT(p->row_length > 0 || p->heap_count == 0);
    p->top = p->row_length > 0 ? first : NULL;     /* chunks of the heap came before  */
    if (p->heap_count > 0 && sgdsim_priv_before(p->heap, first)) /* the row's last    */
        p->top = p->heap;
}

/* ---- Run: stations, equal shares ------------------------------------------- */

static void sgdsim_priv_aparts_advance(sgdsim_priv_station *station, double passed_s)
{
    size_t i;
    SGDSIM_ASSERT(passed_s >= 0.0);
    for (i = 0; i < station->aparts; i++) {
        sgdsim_priv_apart *apart = station->apart + i;
        apart->left_s -= passed_s * apart->share;
        if (apart->left_s < 0.0) apart->left_s = 0.0;
    }
}

/* The clock is the work per weight that each flow has had since the station was last
 * idle. A chunk ends when the clock has advanced by its work over its flow's weight. This
 * holds whoever comes or goes: only the rate of the clock changes [BG92]. */
static void sgdsim_priv_equal_advance(sgdsim_priv_run *run, sgdsim_priv_station *station)
{
    SGDSIM_ASSERT(run->now_s >= station->since_s);
    if (!(run->now_s > station->since_s)) return;
    if (station->aparts > 0)
        sgdsim_priv_aparts_advance(station, run->now_s - station->since_s);
    if (station->busy > 0)
        station->clock += (run->now_s - station->since_s) / station->slowdown;
    station->since_s = run->now_s;
}

/* TCP: draws the weight of worker w's flow from or to a server in the worker's step. */
static double sgdsim_priv_weigh(const sgdsim_priv_run *run,
                                const sgdsim_priv_station *station, uint32_t w,
                                size_t server)
{
    const uint64_t direction = 1 + station->way + 2 * (uint64_t)server;
    const uint32_t step = sgdsim_priv_worker_at(run, w)->steps_done;
    const uint64_t seed = run->config->variation.seed;
    const uint64_t random = sgdsim_random(seed, w, step, direction);
    const double normed = 1.7320508075688772 * (2.0 * sgdsim_priv_uniform(random) - 1.0);
    SGDSIM_ASSERT(normed > -1.74 && normed < 1.74);
    return exp(run->tcp.spread * normed);
}

/* TCP: the part of a link that `with` flows can use; `against`: flows the other way. */
static double sgdsim_priv_two_way(const sgdsim_priv_run *run, size_t with, size_t against)
{
    SGDSIM_ASSERT(with > 0);
    return with < against ? pow((double)with / (double)against, run->tcp.two_way) : 1.0;
}

/* Finds the next end among the flows that worker links hold back. */
static void sgdsim_priv_aparts_plan(sgdsim_priv_station *station)
{
    const sgdsim_priv_entry *top = station->pending.top;
    uint32_t turn = top ? top->turn : 0;
    size_t i;
    for (i = 0; i < station->aparts; i++) {
        const sgdsim_priv_apart *apart = station->apart + i;
        const double end_s = station->since_s + apart->left_s / apart->share;
        if (end_s > station->next_end_s || !(end_s <= DBL_MAX)) continue;
        if (end_s >= station->next_end_s && (int32_t)(apart->turn - turn) > 0) continue;
        station->next_end_s = end_s;
        station->next_apart = i;
        turn = apart->turn;
    }
}

/* TCP: finds the slowdown of a flow of weight 1. */
static void sgdsim_priv_weigh_all(const sgdsim_priv_run *run,
                                  sgdsim_priv_station *station)
{
    const size_t against = station->against->busy;
    if (station->with != station->busy || station->seen != against) {
        station->with = station->busy;
        station->seen = against;
        station->two_way = sgdsim_priv_two_way(run, station->busy, against);
    }
    station->slowdown = station->weight_sum / station->two_way;
}

/* TCP: finds the next end at a station where only the other direction has changed. */
static void sgdsim_priv_equal_replan(sgdsim_priv_run *run, sgdsim_priv_station *station)
{
    if (station->busy == 0) {
        station->since_s = run->now_s;
        return;
    }
    sgdsim_priv_equal_advance(run, station);
    if (station->seen != station->against->busy) sgdsim_priv_weigh_all(run, station);
    SGDSIM_ASSERT(station->pending.top && !station->pending.hole);
    station->next_end_s =
        station->since_s
        + (station->pending.top->key - station->clock) * station->slowdown;
    if (station->next_end_s < run->now_s) station->next_end_s = run->now_s;
}

static void sgdsim_priv_equal_plan(const sgdsim_priv_run *run,
                                   sgdsim_priv_station *station)
{
    sgdsim_priv_settle(&station->pending);
    SGDSIM_ASSERT((station->busy == station->aparts) == (station->pending.top == NULL));
    if (station->busy == 0) {
        station->clock = 0.0;
        station->weight_sum = 0.0;
        station->next_end_s = HUGE_VAL;
        return;
    }
    station->slowdown = (double)station->busy;
    if (station->given > 0.0) station->slowdown = station->given;
    if (station->slowdown < station->slowdown_alone)
        station->slowdown = station->slowdown_alone;
    if (station->weight) sgdsim_priv_weigh_all(run, station);
    SGDSIM_ASSERT(station->slowdown > 0.0);
    station->next_end_s = HUGE_VAL;
    station->next_apart = station->aparts;
    if (station->pending.top)
        station->next_end_s =
            station->since_s
            + (station->pending.top->key - station->clock) * station->slowdown;
    if (station->aparts > 0) sgdsim_priv_aparts_plan(station);
    if (station->next_end_s < run->now_s) station->next_end_s = run->now_s;
}

/* ---- Run: stations, first come first served -------------------------------- */

/* The worker whose chunk is in service. */
static uint32_t sgdsim_priv_front(const sgdsim_priv_station *station)
{
    SGDSIM_ASSERT(station->busy > 0);
    return station->queue[station->queue_front];
}

static void sgdsim_priv_fifo_advance(const sgdsim_priv_run *run,
                                     sgdsim_priv_station *station)
{
    double *left_s = station->left_s + sgdsim_priv_front(station);
    SGDSIM_ASSERT(run->now_s >= station->since_s);
    *left_s -= (run->now_s - station->since_s) / station->slowdown;
    if (*left_s < 0.0) *left_s = 0.0;
    station->since_s = run->now_s;
}

static void sgdsim_priv_fifo_plan(const sgdsim_priv_run *run,
                                  sgdsim_priv_station *station)
{
    station->next_end_s = HUGE_VAL;
    if (station->busy == 0) return;
    if (station->given > 0.0) station->slowdown = station->given;
    station->next_end_s =
        run->now_s + station->left_s[sgdsim_priv_front(station)] * station->slowdown;
    SGDSIM_ASSERT(!(station->next_end_s < run->now_s));
}

/* ---- Run: stations, shares by a rule --------------------------------------- */

/* This many looks at flows count as one event of the budget. */
#define SGDSIM_PRIV_LOOKS_AN_EVENT 1024u

static void sgdsim_priv_flows_advance(sgdsim_priv_run *run, sgdsim_priv_station *station)
{
    const double passed_s = run->now_s - station->since_s;
    size_t i;
    SGDSIM_ASSERT(passed_s >= 0.0);
    station->since_s = run->now_s;
    if (!(passed_s > 0.0)) return;
    for (i = 0; i < station->busy; i++) {
        station->left_s[i] -= passed_s * station->flow[i].share;
        if (station->left_s[i] < 0.0) station->left_s[i] = 0.0;
    }
}

/* Each server's first flow has the link, up to the cap. If flows may spill, what is left
 * goes to the next flows. */
static void sgdsim_priv_share_fcfs(const sgdsim_config *config, double cap, double *taken,
                                   sgdsim_flow *flow, size_t flows)
{
    size_t i;
    for (i = 0; i < flows; i++) taken[flow[i].server] = 0.0;
    for (i = 0; i < flows; i++) {
        double *of_server = taken + flow[i].server;
        const double left = 1.0 - *of_server;
        flow[i].share = left < cap ? left : cap;
        if (*of_server > 0.0 && !config->variants.fcfs_spill) flow[i].share = 0.0;
        if (flow[i].share < 0.0) flow[i].share = 0.0;
        *of_server += flow[i].share;
        SGDSIM_ASSERT(*of_server > 0.0 && *of_server <= 1.0 + 1e-9);
    }
}

/* ---- Run: stations, links at both ends ------------------------------------- */

static sgdsim_priv_end *sgdsim_priv_server_end(const sgdsim_priv_run *run,
                                               const sgdsim_flow *flow)
{
    SGDSIM_ASSERT(flow->server < run->servers);
    return run->end + flow->server;
}

static sgdsim_priv_end *sgdsim_priv_worker_end(const sgdsim_priv_run *run,
                                               const sgdsim_flow *flow)
{
    SGDSIM_ASSERT(flow->worker < run->workers);
    return run->end + run->servers + flow->worker;
}

static double sgdsim_priv_weight_of(const sgdsim_priv_run *run,
                                    const sgdsim_priv_station *station,
                                    const sgdsim_flow *flow)
{
    if (!station->weight) return 1.0;
    return station->weight[(size_t)flow->worker * run->servers + flow->server];
}

/* Clears the ends. With two-way TCP, counts the flows of both directions there. */
static void sgdsim_priv_count_ends(sgdsim_priv_run *run,
                                   const sgdsim_priv_station *station)
{
    const sgdsim_priv_station *other = run->station + (station == run->station);
    size_t i;
    memset(run->end, 0, ((size_t)run->servers + run->workers) * sizeof *run->end);
    if (!(run->tcp.two_way > 0.0)) return;
    for (i = 0; i < station->busy; i++) {
        sgdsim_priv_server_end(run, station->flow + i)->with++;
        sgdsim_priv_worker_end(run, station->flow + i)->with++;
    }
    for (i = 0; i < other->busy; i++) {
        sgdsim_priv_server_end(run, other->flow + i)->against++;
        sgdsim_priv_worker_end(run, other->flow + i)->against++;
    }
}

/* The bandwidth of worker w's link, over that of a server's link. */
static double sgdsim_priv_own_link(const sgdsim_priv_run *run, uint32_t w)
{
    const sgdsim_config *config = run->config;
    if (!config->links.worker_bandwidth_bytes_per_s) return 1.0;
    return config->links.worker_bandwidth_bytes_per_s[sgdsim_priv_worker_at(run, w)->type]
         / config->links.bandwidth_bytes_per_s;
}

/* Takes a share and its flow's weight from what is left at an end. */
static void sgdsim_priv_spend(sgdsim_priv_end *end, double share, double weight)
{
    end->left -= share;
    end->weights -= weight;
    if (end->weights > 0.0) end->level = end->left / end->weights;
}

/* Returns the number of flows that are to have shares, marked by a share < 0: all, or
 * with FCFS the first at each server. Sums their weights at both ends and sets what the
 * links can carry. */
static size_t sgdsim_priv_open_ends(sgdsim_priv_run *run, sgdsim_priv_station *station)
{
    const sgdsim_links *links = &run->config->links;
    const int unit = run->config->variants.two_servers_unit && run->servers == 2
                  && station->busy == 2
                  && station->flow[0].worker == station->flow[1].worker;
    const double own = links->rule == SGDSIM_LINK_EQUAL && !unit ? 1.0 : HUGE_VAL;
    size_t i, open = 0;
    sgdsim_priv_count_ends(run, station);
    for (i = 0; i < station->busy; i++) {
        sgdsim_flow *flow = station->flow + i;
        const double weight = sgdsim_priv_weight_of(run, station, flow);
        sgdsim_priv_end *server = sgdsim_priv_server_end(run, flow);
        flow->share = 0.0;
        if (links->rule == SGDSIM_LINK_FCFS && server->weights > 0.0) continue;
        flow->share = -1.0;
        open++;
        server->weights += weight;
        sgdsim_priv_worker_end(run, flow)->weights += weight;
    }
    for (i = 0; i < (size_t)run->servers + run->workers; i++) {
        sgdsim_priv_end *end = run->end + i;
        if (!(end->weights > 0.0)) continue;
        end->left = i < run->servers ? 1.0 : own;
        if (i >= run->servers && links->worker_bandwidth_bytes_per_s)
            end->left = sgdsim_priv_own_link(run, (uint32_t)i - run->servers);
        if (run->tcp.two_way > 0.0)
            end->left *= sgdsim_priv_two_way(run, end->with, end->against);
        sgdsim_priv_spend(end, 0.0, 0.0);
    }
    return open;
}

/* What a flow without a share could have per unit of its weight. */
static double sgdsim_priv_level(const sgdsim_priv_run *run, const sgdsim_flow *flow)
{
    const double server = sgdsim_priv_server_end(run, flow)->level;
    const double worker = sgdsim_priv_worker_end(run, flow)->level;
    const double level = server < worker ? server : worker;
    return level > 0.0 ? level : 0.0;
}

/* Shares in proportion to weights, max-min fair [BG92]. The shares of flows without one
 * rise together until a flow reaches the cap, or the link at one of its ends is full. */
static void sgdsim_priv_share_ends(sgdsim_priv_run *run, sgdsim_priv_station *station,
                                   double cap)
{
    size_t open = sgdsim_priv_open_ends(run, station), i;
    while (open > 0) {
        double least = HUGE_VAL, heaviest = 0.0;
        int capped;
        for (i = 0; i < station->busy; i++) {
            const sgdsim_flow *flow = station->flow + i;
            const double weight = sgdsim_priv_weight_of(run, station, flow);
            if (!(flow->share < 0.0)) continue;
            if (sgdsim_priv_level(run, flow) < least)
                least = sgdsim_priv_level(run, flow);
            if (weight > heaviest) heaviest = weight;
        }
        SGDSIM_ASSERT(least <= DBL_MAX);
        capped = heaviest * least >= cap;
        for (i = 0; i < station->busy; i++) {
            sgdsim_flow *flow = station->flow + i;
            const double weight = sgdsim_priv_weight_of(run, station, flow);
            if (!(flow->share < 0.0)) continue;
            if (capped ? weight * least < cap
                       : sgdsim_priv_level(run, flow) > least * (1.0 + 1e-12)) continue;
            flow->share = capped ? cap : weight * least; /* the rest is for others    */
            sgdsim_priv_spend(sgdsim_priv_server_end(run, flow), flow->share, weight);
            sgdsim_priv_spend(sgdsim_priv_worker_end(run, flow), flow->share, weight);
            open--;
        }
    }
}

/* ---- Run: stations, any shares --------------------------------------------- */

/* Charges looks at flows. Returns 0 if they exceed the budget. */
static int sgdsim_priv_charge(sgdsim_priv_run *run, uint64_t looks)
{
    const uint64_t charge = looks / SGDSIM_PRIV_LOOKS_AN_EVENT;
    SGDSIM_ASSERT(run->charged <= run->budget);
    if (charge >= run->budget - run->charged) {
        run->charged = run->budget;
        return 0;
    }
    run->charged += charge;
    return 1;
}

/* Charges what the rule is about to look at. */
static int sgdsim_priv_charge_rule(sgdsim_priv_run *run, size_t flows)
{
    const sgdsim_links *links = &run->config->links;
    const int few = run->servers == 2 && links->rule == SGDSIM_LINK_EQUAL
                 && !links->worker_bandwidth_bytes_per_s;
    return sgdsim_priv_charge(run, (uint64_t)flows * (run->end && !few ? flows : 1));
}

static void sgdsim_priv_flows_plan(sgdsim_priv_run *run, sgdsim_priv_station *station)
{
    const sgdsim_config *config = run->config;
    double cap = sgdsim_priv_cap(config);
    sgdsim_flow *flow = station->flow;
    const int mixed = station->mixed;
    size_t i;
    station->next_end_s = HUGE_VAL;
    station->mixed = 0;
    if (station->busy == 0 || !sgdsim_priv_charge_rule(run, station->busy))
        return;
    if (config->links.share)
        config->links.share(config->links.share_ctx, flow, station->busy);
    else if (mixed && run->end) sgdsim_priv_share_ends(run, station, cap);
    else if (mixed)
        sgdsim_priv_share_fcfs(config, cap, station->taken, flow, station->busy);
    for (i = 0; i < station->busy; i++) {
        double end_s = run->now_s;
        if (!(flow[i].share > 0.0)) flow[i].share = 0.0;
        if (flow[i].share > cap) flow[i].share = cap;
        if (!(flow[i].share > 0.0)) continue;      /* does not end now, even if empty */
        end_s += station->left_s[i] / flow[i].share;
        if (end_s > station->next_end_s || !(end_s <= DBL_MAX)) continue;
        if (end_s < station->next_end_s
            || (int32_t)(station->turn[i] - station->turn[station->next_flow]) < 0)
            station->next_flow = i;
        station->next_end_s = end_s;
    }
    SGDSIM_ASSERT(!(station->next_end_s < run->now_s));
    SGDSIM_ASSERT(!(station->next_end_s <= DBL_MAX)
                  || station->next_flow < station->busy);
}

/* ---- Run: stations, links to several servers ------------------------------- */

/* Each server's link is a station of its own. A hub is all of them in one direction. A
 * link that workers share equally goes by its clock as if it were the only one. But a
 * worker's own link, of c times a server's bandwidth, may hold its flows back. Those are
 * kept apart, and they are few. With M servers:
 *
 *   A worker that is held back uses c bandwidths, so at most M / c workers are held back.
 *   A flow that is held back has c / M or more: its worker's other flows have no more
 *   than it.
 *   Flows of its server that are not held back have more, so there are fewer than M / c.
 *
 * So a flow that is held back is at a server with fewer than 2 M / c flows. */

/* 2^40 / n, the even share of n flows, rounded up: sums of these integers are exact. */
static uint64_t sgdsim_priv_crowd_of(size_t n)
{
    SGDSIM_ASSERT(n > 0);
    return (uint64_t)(1099511627776.0 / (double)n) + 1;
}

/* A flow of worker w came to the link (1), left (-1), or has its next chunk (0). */
static void sgdsim_priv_touch(sgdsim_priv_station *link, uint32_t w, int was_changed,
                              int came)
{
    sgdsim_priv_station *hub = link->hub;
    const size_t before = link->busy - (size_t)came;
    SGDSIM_ASSERT(came >= -1 && came <= 1);
    if (link->changed) hub->changed = 1;
    if (link->changed && !was_changed)
        hub->touched[hub->touches++] = (uint32_t)(link - hub->link);
    if (came == 0) return;
    hub->busy += (size_t)came;
    hub->mixed = 1;
    if (!hub->flows_of) return;
    if (before > 0) hub->crowd -= sgdsim_priv_crowd_of(before);
    if (link->busy > 0) hub->crowd += sgdsim_priv_crowd_of(link->busy);
    hub->flows_of[w] += (uint32_t)came;
    if (came > 0) hub->several += hub->flows_of[w] == 2;
    else hub->several -= hub->flows_of[w] == 1;
}

/* Sets the slowdown of link m that other links cause; 0: none. */
static void sgdsim_priv_set_given(sgdsim_priv_run *run, sgdsim_priv_station *hub,
                                  size_t m, double given)
{
    sgdsim_priv_station *link = hub->link + m;
    if (sgdsim_priv_same(link->given, given) && link->aparts == 0) return;
    if (link->kind == SGDSIM_PRIV_EQUAL) sgdsim_priv_equal_advance(run, link);
    else sgdsim_priv_fifo_advance(run, link);
    link->given = given;
    if (!link->changed) hub->touched[hub->touches++] = (uint32_t)m;
    link->changed = 1;
}

/* Does link m serve worker w? */
static int sgdsim_priv_uses(const sgdsim_priv_run *run, const sgdsim_priv_station *hub,
                            uint32_t w, size_t m)
{
    const size_t q = m * SGDSIM_PRIV_PER_SERVER + SGDSIM_PRIV_DOWN + hub->way;
    const sgdsim_priv_station *link = hub->link + m;
    SGDSIM_ASSERT(w < run->workers && q < run->queues);
    if (link->kind == SGDSIM_PRIV_FIFO)
        return link->busy > 0 && sgdsim_priv_front(link) == w;
    return sgdsim_priv_line_of(run, sgdsim_priv_worker_at(run, w), q)->serving
        != SGDSIM_PRIV_NONE;
}

/* Two servers [LYPG20, 5]: only a worker alone at a server is held back. */
static void sgdsim_priv_bind_two(sgdsim_priv_run *run, sgdsim_priv_station *hub)
{
    size_t m;
    for (m = 0; m < 2; m++) {
        sgdsim_priv_station *link = hub->link + m;
        const double there = (double)hub->link[1 - m].busy;
        double given = 0.0;
        if (link->busy == 1 && there > 0.0) {
            sgdsim_priv_settle(&link->pending);
            if (sgdsim_priv_uses(run, hub, link->pending.top->id, 1 - m)) {
                if (there > 1.0) given = there / (there - 1.0);
                else if (!run->config->variants.two_servers_unit) given = 2.0;
            }
        }
        sgdsim_priv_set_given(run, hub, m, given);
    }
}

/* The side of worker w's link, or NULL. */
static sgdsim_priv_side *sgdsim_priv_side_of(const sgdsim_priv_station *hub, uint32_t w)
{
    const uint32_t i = hub->side_of[w];
    if (i >= hub->worker_sides || hub->worker_side[i].worker != w) return NULL;
    return hub->worker_side + i;
}

/* Adds the side of worker w, which a link with few flows serves. Returns 1 if its flows
 * would exceed its own link if no flow were held back. */
static int sgdsim_priv_add_side(const sgdsim_priv_run *run, sgdsim_priv_station *hub,
                                uint32_t w, double cap)
{
    const double own = sgdsim_priv_own_link(run, w);
    const sgdsim_priv_side fresh = { own, 0.0, w, 0, 0 };
    sgdsim_priv_side *side = hub->worker_side + hub->worker_sides;
    double sum = 0.0;
    size_t m;
    if (hub->flows_of && hub->flows_of[w] < 2 && own >= 1.0) return 0;
    if (sgdsim_priv_side_of(hub, w)) return 0;
    *side = fresh;
    for (m = 0; m < run->servers; m++) {
        const double share = hub->flows_of ? 1.0 / (double)hub->link[m].busy : 1.0;
        if (!sgdsim_priv_uses(run, hub, w, m)) continue;
        sum += share < cap ? share : cap;
        side->open++;
    }
    hub->side_of[w] = (uint32_t)hub->worker_sides++;
    return sum > own * (1.0 + 1e-12);
}

/* Adds the sides of all workers that may be held back. Returns 0 if no worker is. */
static int sgdsim_priv_add_sides(const sgdsim_priv_run *run, sgdsim_priv_station *hub,
                                 double cap)
{
    size_t m, i;
    int bound = 0;
    hub->worker_sides = 0;
    for (m = 0; m < run->servers; m++) {
        sgdsim_priv_station *link = hub->link + m;
        sgdsim_priv_pending *p = &link->pending;
        if (link->busy == 0) continue;
        if (link->kind == SGDSIM_PRIV_FIFO) {
            bound |= sgdsim_priv_add_side(run, hub, sgdsim_priv_front(link), cap);
            continue;
        }
        if (!((double)link->busy < hub->few)) continue;
        sgdsim_priv_settle(p);
        for (i = 0; i < p->row_length; i++)
            bound |= sgdsim_priv_add_side(
                run, hub, p->row[sgdsim_priv_place(p, p->row_front + i)].id, cap);
        for (i = 0; i < p->heap_count; i++)
            bound |= sgdsim_priv_add_side(run, hub, p->heap[i].id, cap);
        for (i = 0; i < link->aparts; i++)
            bound |= sgdsim_priv_add_side(run, hub, link->apart[i].worker, cap);
    }
    return bound;
}

/* Among sides without a level, the one whose open flows get the least, if that is less
 * than *least times `factor`. */
static sgdsim_priv_side *sgdsim_priv_least_side(sgdsim_priv_side *side, size_t n,
                                                double factor, double *least)
{
    sgdsim_priv_side *best = NULL;
    size_t i;
    for (i = 0; i < n; i++) {
        const double left = side[i].left > 0.0 ? side[i].left : 0.0;
        if (side[i].place > 0 || side[i].open == 0) continue;
        if (!(left < *least * factor * (double)side[i].open)) continue;
        *least = left / (double)side[i].open;
        factor = 1.0;
        best = side + i;
    }
    return best;
}

/* A server's link is full: each flow that it serves gets its level. */
static void sgdsim_priv_fill_server(const sgdsim_priv_run *run, sgdsim_priv_station *hub,
                                    sgdsim_priv_side *full, double level)
{
    const size_t m = (size_t)(full - hub->server_side);
    size_t i;
    for (i = 0; i < hub->worker_sides; i++) {
        sgdsim_priv_side *side = hub->worker_side + i;
        if (side->place > 0 || !sgdsim_priv_uses(run, hub, side->worker, m)) continue;
        SGDSIM_ASSERT(side->open > 0);
        side->left -= level;
        side->open--;
    }
}

/* Workers' links with this level are full. */
static void sgdsim_priv_fill_workers(const sgdsim_priv_run *run, sgdsim_priv_station *hub,
                                     double level, uint32_t place)
{
    size_t i, m;
    for (i = 0; i < hub->worker_sides; i++) {
        sgdsim_priv_side *side = hub->worker_side + i;
        if (side->place > 0 || side->open == 0) continue;
        if (side->left > level * (1.0 + 1e-12) * (double)side->open) continue;
        side->level = level;
        side->place = place;
        for (m = 0; m < run->servers; m++) {
            sgdsim_priv_side *server = hub->server_side + m;
            if (server->place > 0) continue;
            if (!sgdsim_priv_uses(run, hub, side->worker, m)) continue;
            SGDSIM_ASSERT(server->open > 0);
            server->left -= level;
            server->open--;
        }
    }
}

/* Finds max-min fair levels [BG92]. What the open flows of a link get rises until a link
 * is full. Among links that fill up together, but for rounding, servers' links come
 * first. */
static void sgdsim_priv_find_levels(sgdsim_priv_run *run, sgdsim_priv_station *hub,
                                    double cap)
{
    const size_t most = hub->link->kind == SGDSIM_PRIV_FIFO ? 1 : run->workers;
    sgdsim_priv_side *of_server = hub->server_side;
    uint32_t place = 0;
    size_t m;
    for (m = 0; m < run->servers; m++) {
        const size_t busy = hub->link[m].busy;
        of_server[m].left = 1.0;
        of_server[m].level = cap;
        of_server[m].open = (uint32_t)(busy < most ? busy : most);
        of_server[m].place = 0;
    }
    for (;;) {
        double least = cap;
        sgdsim_priv_side *s =
            sgdsim_priv_least_side(of_server, run->servers, 1.0, &least);
        if (sgdsim_priv_least_side(hub->worker_side, hub->worker_sides, 1.0 - 1e-12,
                                   &least)) {
            sgdsim_priv_fill_workers(run, hub, least, ++place);
        } else if (s) {
            s->level = least;
            s->place = ++place;
            sgdsim_priv_fill_server(run, hub, s, least);
        } else {
            break;
        }
    }
    (void)sgdsim_priv_charge(run, (uint64_t)hub->worker_sides * run->servers * place);
}

/* The side that holds back worker w's flow at server m, or NULL. */
static const sgdsim_priv_side *sgdsim_priv_held_by(const sgdsim_priv_station *hub,
                                                   uint32_t w, size_t m)
{
    const uint32_t place = hub->server_side[m].place;
    const sgdsim_priv_side *side = sgdsim_priv_side_of(hub, w);
    if (!side || side->place == 0) return NULL;
    return place == 0 || side->place < place ? side : NULL;
}

/* Divides the flows of link m anew: those that go by the clock, those kept apart. */
static void sgdsim_priv_regroup(sgdsim_priv_run *run, sgdsim_priv_station *hub, size_t m)
{
    sgdsim_priv_station *link = hub->link + m;
    sgdsim_priv_entry *sorted = hub->sorted;
    size_t n = 0, i, at;
    SGDSIM_ASSERT((double)link->busy <= hub->few + 1.0);
    sgdsim_priv_equal_advance(run, link);
    for (sgdsim_priv_settle(&link->pending); link->pending.top;) {
        sorted[n++] = *link->pending.top;
        (void)sgdsim_priv_pop(&link->pending);
        sgdsim_priv_settle(&link->pending);
    }
    for (i = 0; i < link->aparts; i++) {
        const sgdsim_priv_apart *a = link->apart + i;
        const sgdsim_priv_entry e = { link->clock + a->left_s, a->worker, a->turn };
        for (at = n++; at > 0 && sgdsim_priv_before(&e, sorted + at - 1); at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = e;
    }
    SGDSIM_ASSERT(n == link->busy);
    link->aparts = 0;
    for (i = 0; i < n; i++) {
        const sgdsim_priv_side *side = sgdsim_priv_held_by(hub, sorted[i].id, m);
        sgdsim_priv_apart *apart = link->apart + link->aparts;
        if (!side) {
            sgdsim_priv_push(&link->pending, sorted[i]);
            continue;
        }
        link->aparts++;
        apart->worker = sorted[i].id;
        apart->turn = sorted[i].turn;
        apart->left_s = sorted[i].key > link->clock ? sorted[i].key - link->clock : 0.0;
        apart->share = side->level;
    }
}

/* Applies the levels that were found to link m. */
static void sgdsim_priv_set_level(sgdsim_priv_run *run, sgdsim_priv_station *hub,
                                  size_t m)
{
    sgdsim_priv_station *link = hub->link + m;
    const sgdsim_priv_side *of_server = hub->server_side + m;
    const uint32_t held = (uint32_t)link->busy - of_server->open;
    size_t i, same = 0;
    double given = 0.0;
    if (held > 0) given = 1.0 / of_server->level;
    sgdsim_priv_set_given(run, hub, m, given);
    for (i = 0; i < link->aparts; i++) {
        const sgdsim_priv_side *side =
            sgdsim_priv_held_by(hub, link->apart[i].worker, m);
        if (side) link->apart[i].share = side->level;
        same += side != NULL;
    }
    if (same != link->aparts || same != held) sgdsim_priv_regroup(run, hub, m);
    SGDSIM_ASSERT(link->aparts == held);
}

/* Finds the flows that workers' links hold back. Mostly there are none, as the servers'
 * even shares add up to no more than the least worker link carries, or as no worker has
 * several flows. */
static void sgdsim_priv_bind(sgdsim_priv_run *run, sgdsim_priv_station *hub)
{
    const double cap = sgdsim_priv_cap(run->config), enough = 1099511627776.0;
    size_t m;
    const int bound = (hub->several > 0 || hub->least_own < 1.0)
                   && (double)hub->crowd > hub->least_own * enough
                   && sgdsim_priv_add_sides(run, hub, cap);
    if (!bound && !hub->bound) return;
    if (!bound) hub->worker_sides = 0;
    hub->bound = bound;
    sgdsim_priv_find_levels(run, hub, cap);
    for (m = 0; m < run->servers; m++) sgdsim_priv_set_level(run, hub, m);
}

/* First come, first served: a server's first flow has what its worker's link leaves. */
static void sgdsim_priv_bind_first(sgdsim_priv_run *run, sgdsim_priv_station *hub)
{
    const double cap = sgdsim_priv_cap(run->config);
    size_t m;
    if (!sgdsim_priv_add_sides(run, hub, cap)) hub->worker_sides = 0;
    sgdsim_priv_find_levels(run, hub, cap);
    for (m = 0; m < run->servers; m++) {
        const sgdsim_priv_side *held;
        double level = hub->server_side[m].level;
        if (hub->link[m].busy == 0) continue;
        held = sgdsim_priv_held_by(hub, sgdsim_priv_front(hub->link + m), m);
        if (held) level = held->level;
        sgdsim_priv_set_given(run, hub, m, 1.0 / level);
    }
}

/* Finds who is held back, now that flows have come or gone. */
static void sgdsim_priv_bind_any(sgdsim_priv_run *run, sgdsim_priv_station *hub)
{
    if (hub->flows_of) sgdsim_priv_bind(run, hub);
    else if (hub->side_of) sgdsim_priv_bind_first(run, hub);
    else if (run->config->links.rule == SGDSIM_LINK_EQUAL) sgdsim_priv_bind_two(run, hub);
}

/* The turn of the chunk that ends next. */
static uint32_t sgdsim_priv_turn_of(const sgdsim_priv_station *station)
{
    if (station->kind == SGDSIM_PRIV_LINKS) station = station->link + station->first[1];
    SGDSIM_ASSERT(station->busy > 0);
    if (station->next_apart < station->aparts)
        return station->apart[station->next_apart].turn;
    if (station->kind == SGDSIM_PRIV_EQUAL) return station->pending.top->turn;
    if (station->kind == SGDSIM_PRIV_FIFO)
        return station->turn[sgdsim_priv_front(station)];
    return station->turn[station->next_flow];
}

/* The link of two that completes first. */
static uint32_t sgdsim_priv_earlier(const sgdsim_priv_station *hub, uint32_t a,
                                    uint32_t b)
{
    const sgdsim_priv_station *x = hub->link + a, *y;
    if (b == UINT32_MAX) return a;
    y = hub->link + b;
    if (x->next_end_s < y->next_end_s || !(y->next_end_s <= DBL_MAX)) return a;
    if (y->next_end_s < x->next_end_s) return b;
    return (int32_t)(sgdsim_priv_turn_of(x) - sgdsim_priv_turn_of(y)) < 0 ? a : b;
}

static void sgdsim_priv_links_plan(sgdsim_priv_run *run, sgdsim_priv_station *hub)
{
    size_t i;
    if (hub->mixed) sgdsim_priv_bind_any(run, hub);
    hub->mixed = 0;
    for (i = 0; i < hub->touches; i++) {
        sgdsim_priv_station *link = hub->link + hub->touched[i];
        SGDSIM_ASSERT(link->changed);
        link->changed = 0;
        if (link->kind == SGDSIM_PRIV_EQUAL) sgdsim_priv_equal_plan(run, link);
        else sgdsim_priv_fifo_plan(run, link);
    }
    for (; hub->touches > 0; hub->touches--) {
        size_t at = (hub->leaves + hub->touched[hub->touches - 1]) / 2;
        for (; at > 0; at /= 2)
            hub->first[at] =
                sgdsim_priv_earlier(hub, hub->first[2 * at], hub->first[2 * at + 1]);
    }
    hub->next_end_s = hub->link[hub->first[1]].next_end_s;
}

/* TCP: links whose other direction has changed catch up at the rate that they had. */
static void sgdsim_priv_links_advance(sgdsim_priv_run *run, sgdsim_priv_station *hub)
{
    size_t i;
    for (i = 0; i < hub->touches; i++) {
        sgdsim_priv_station *link = hub->link + hub->touched[i], *other = link->against;
        if (other->changed || other->busy == 0 || other->seen == link->busy) continue;
        sgdsim_priv_equal_advance(run, other);
        other->changed = 1;
        other->hub->changed = 1;
        other->hub->touched[other->hub->touches++] = hub->touched[i];
    }
}

/* ---- Run: stations of any kind --------------------------------------------- */

#if defined(__GNUC__) && !defined(__TINYC__)
#define SGDSIM_PRIV_FETCH(address) __builtin_prefetch(address)
#else
#define SGDSIM_PRIV_FETCH(address) ((void)(address))
#endif
#define SGDSIM_PRIV_CACHED 256u          /* this many workers stay in the cache        */

/* Prefetches the workers whose chunks may end after the one that ends next. With many
 * workers an event takes as long as the memory access to its worker. */
static void sgdsim_priv_fetch(const sgdsim_priv_run *run, const sgdsim_priv_pending *p)
{
    size_t i;
    SGDSIM_ASSERT(p->tree && !p->hole);
    for (i = 4; i < 8; i++) {
        const char *worker = run->workers_at;
        if (p->tree[i].id >= run->workers) continue; /* no chunk                      */
        worker += p->tree[i].id * run->worker_bytes;
        SGDSIM_PRIV_FETCH(worker);
        SGDSIM_PRIV_FETCH(worker + run->line_at);
    }
    if (p->row_length > 1) {
        const size_t second = sgdsim_priv_place(p, p->row_front + 1);
        const char *worker = run->workers_at + p->row[second].id * run->worker_bytes;
        SGDSIM_PRIV_FETCH(worker);
        SGDSIM_PRIV_FETCH(worker + run->line_at);
    }
}

static void sgdsim_priv_plan(sgdsim_priv_run *run, sgdsim_priv_station *station)
{
    SGDSIM_ASSERT(station->changed);
    station->changed = 0;
    if (station->kind == SGDSIM_PRIV_EQUAL) {
        sgdsim_priv_equal_plan(run, station);
        if (run->workers > SGDSIM_PRIV_CACHED) sgdsim_priv_fetch(run, &station->pending);
    }
    else if (station->kind == SGDSIM_PRIV_FIFO) sgdsim_priv_fifo_plan(run, station);
    else if (station->kind == SGDSIM_PRIV_LINKS) sgdsim_priv_links_plan(run, station);
    else sgdsim_priv_flows_plan(run, station);
}

/* Plans all that has changed. On a TCP link, one direction changes the other. */
static void sgdsim_priv_plan_all(sgdsim_priv_run *run)
{
    sgdsim_priv_station *station = run->station;
    const sgdsim_priv_station *end = station + run->stations;
    size_t i;
    if (run->tcp.two_way > 0.0 && (run->station[0].changed || run->station[1].changed))
        for (i = 0; i < 2; i++) {
            sgdsim_priv_station *one = run->station + i;
            if (one->kind == SGDSIM_PRIV_EQUAL) {
                if (!one->changed) sgdsim_priv_equal_replan(run, one);
                continue;
            }
            if (one->kind == SGDSIM_PRIV_LINKS) sgdsim_priv_links_advance(run, one);
            else sgdsim_priv_flows_advance(run, one);
            one->changed = 1;
            one->mixed |= run->station[1 - i].mixed;
        }
    for (; station < end; station++)
        if (station->changed) sgdsim_priv_plan(run, station);
}

static void sgdsim_priv_equal_join(sgdsim_priv_run *run, sgdsim_priv_station *station,
                                   uint32_t w, size_t q, double work_s, int fresh)
{
    sgdsim_priv_entry e;
    sgdsim_priv_equal_advance(run, station);
    if (fresh) station->busy++;
    if (fresh && station->weight) {
        station->weight[w] =
            sgdsim_priv_weigh(run, station, w, sgdsim_priv_server_of(q));
        station->weight_sum += station->weight[w];
    }
    if (!fresh && station->next_apart < station->aparts) {
        station->apart[station->next_apart].left_s = work_s;
        station->apart[station->next_apart].turn = run->turn;
        return;
    }
    e.key = station->clock + (station->weight ? work_s / station->weight[w] : work_s);
    e.id = w;
    e.turn = run->turn;
    sgdsim_priv_push(&station->pending, e);
}

/* Puts a chunk of worker w on its station. fresh: the queue was idle until now. Otherwise
 * the worker, whose chunk has just ended, keeps its place. */
static void sgdsim_priv_join(sgdsim_priv_run *run, sgdsim_priv_station *station,
                             uint32_t w, size_t q, double work_s, int fresh)
{
    const int was_changed = station->changed;
    size_t i;
    station->changed = 1;
    SGDSIM_ASSERT(!fresh || station->busy < (size_t)run->workers * run->servers);
    switch (station->kind) {
    case SGDSIM_PRIV_EQUAL:
        sgdsim_priv_equal_join(run, station, w, q, work_s, fresh);
        break;
    case SGDSIM_PRIV_FIFO:
        station->left_s[w] = work_s;
        station->turn[w] = run->turn;
        station->since_of_s[w] = run->now_s;
        if (!fresh || station->busy == 0) station->since_s = run->now_s;
        if (!fresh) break;
        i = station->queue_front + station->busy++;
        SGDSIM_ASSERT(station->busy <= run->workers);
        station->queue[i < run->workers ? i : i - run->workers] = w;
        if (station->busy > 1) station->changed = was_changed;
        break;
    case SGDSIM_PRIV_FLOWS:
        sgdsim_priv_flows_advance(run, station);
        i = fresh ? station->busy++ : station->next_flow;
        station->mixed |= fresh;
        SGDSIM_ASSERT(fresh || station->flow[i].worker == w);
        station->flow[i].worker = w;
        station->flow[i].server = (uint32_t)sgdsim_priv_server_of(q);
        station->left_s[i] = work_s;
        station->turn[i] = run->turn;
        if (fresh && station->weight)
            station->weight[(size_t)w * run->servers + station->flow[i].server] =
                sgdsim_priv_weigh(run, station, w, station->flow[i].server);
        break;
    case SGDSIM_PRIV_LINKS: SGDSIM_ASSERT(station->kind != SGDSIM_PRIV_LINKS); break;
    }
    if (station->hub) sgdsim_priv_touch(station, w, was_changed, fresh);
}

/* Worker w, whose chunk has just ended, has no more work for its station. */
static void sgdsim_priv_leave(sgdsim_priv_run *run, sgdsim_priv_station *station,
                              uint32_t w)
{
    const int was_changed = station->changed;
    size_t i, rest;
    SGDSIM_ASSERT(station->busy > 0);
    station->changed = 1;
    switch (station->kind) {
    case SGDSIM_PRIV_EQUAL:
        station->busy--;
        if (station->weight) station->weight_sum -= station->weight[w];
        if (station->next_apart < station->aparts)
            station->apart[station->next_apart] = station->apart[--station->aparts];
        break;
    case SGDSIM_PRIV_FIFO:
        SGDSIM_ASSERT(sgdsim_priv_front(station) == w);
        station->queue_front =
            station->queue_front + 1 < run->workers ? station->queue_front + 1 : 0;
        station->busy--;
        station->since_s = run->now_s;
        break;
    case SGDSIM_PRIV_FLOWS:
        sgdsim_priv_flows_advance(run, station);
        i = station->next_flow;
        SGDSIM_ASSERT(i < station->busy && station->flow[i].worker == w);
        rest = --station->busy - i;
        station->mixed = 1;
        memmove(station->flow + i, station->flow + i + 1, rest * sizeof *station->flow);
        memmove(station->left_s + i, station->left_s + i + 1,
                rest * sizeof *station->left_s);
        memmove(station->turn + i, station->turn + i + 1, rest * sizeof *station->turn);
        break;
    case SGDSIM_PRIV_LINKS: SGDSIM_ASSERT(station->kind != SGDSIM_PRIV_LINKS); break;
    }
    if (station->hub) sgdsim_priv_touch(station, w, was_changed, -1);
}

/* ---- Run: workers ---------------------------------------------------------- */

/* Kinds of time of a tally, by resource. */
static const uint8_t sgdsim_priv_kind_of_time[SGDSIM_RESOURCES] = { 1, 0, 2, 3 };

/* A queue of the resource becomes busy (by 1) or idle (by -1). Counts the time before. */
static inline void sgdsim_priv_tell_tally(sgdsim_priv_tally *tally,
                                          sgdsim_resource resource, int by, double now_s)
{
    const uint16_t kind = sgdsim_priv_kind_of_time[resource];
    SGDSIM_ASSERT(now_s >= tally->since_s && (by >= 0 || tally->busy_queues[kind] > 0));
    tally->spent_s[tally->kind] += now_s - tally->since_s;
    tally->since_s = now_s;
    tally->busy_queues[kind] = (uint16_t)(tally->busy_queues[kind] + by);
    if (kind < tally->kind) tally->kind = kind;
    while (tally->kind < SGDSIM_RESOURCES && tally->busy_queues[tally->kind] == 0)
        tally->kind++;
}

/* Where a worker's queue q meets those of others. Each job has its own servers. */
static size_t sgdsim_priv_place_of(const sgdsim_priv_run *run,
                                   const sgdsim_priv_worker *worker, size_t q)
{
    if (run->resource[q] != SGDSIM_SERVER) return q;
    return q + run->queues * sgdsim_priv_job_of(run->config, worker->type);
}

/* Queue q, idle until now, becomes busy. */
static void sgdsim_priv_wake(sgdsim_priv_run *run, sgdsim_priv_worker *worker, size_t q)
{
    sgdsim_priv_crowd *crowd;
    if (run->station_of[q]) {
        worker->shared_busy++;
        if (q < 31) worker->fed |= sgdsim_priv_bit(q);
        crowd = run->crowd + sgdsim_priv_place_of(run, worker, q);
        if (++crowd->workers == 2) crowd->since_s = run->now_s;
    }
    if (!run->tally) return;
    sgdsim_priv_tell_tally(run->tally + worker->number, run->resource[q], 1, run->now_s);
}

static void sgdsim_priv_rest(sgdsim_priv_run *run, sgdsim_priv_worker *worker, size_t q)
{
    sgdsim_priv_crowd *crowd;
    if (run->station_of[q]) {
        SGDSIM_ASSERT(worker->shared_busy > 0);
        worker->shared_busy--;
        worker->fed &= ~sgdsim_priv_bit(q);
        crowd = run->crowd + sgdsim_priv_place_of(run, worker, q);
        if (--crowd->workers == 1)
            run->contended_s[run->resource[q]] += run->now_s - crowd->since_s;
    }
    if (!run->tally) return;
    sgdsim_priv_tell_tally(run->tally + worker->number, run->resource[q], -1, run->now_s);
}

/* The random factor of an op's work, of mean 1. */
static double sgdsim_priv_stretch(const sgdsim_priv_run *run,
                                  const sgdsim_priv_worker *worker, size_t op)
{
    const uint64_t random = sgdsim_random(~run->config->variation.seed, worker->number,
                                          worker->steps_done, op);
    const double stretch = -log(1.0 - sgdsim_priv_uniform(random));
    SGDSIM_ASSERT(stretch >= 0.0 && stretch < 37.0);     /* 53 ln 2 */
    return stretch;
}

/* An op joins its queue at the end. */
static void sgdsim_priv_enqueue(sgdsim_priv_mark *mark, sgdsim_priv_line *line, size_t op)
{
    mark[op].next = SGDSIM_PRIV_NONE;
    if (line->head == SGDSIM_PRIV_NONE) line->head = (uint16_t)op;
    else mark[line->tail].next = (uint16_t)op;
    line->tail = (uint16_t)op;
}

/* Does this part of a transfer, with all that is left in *work_s, leave a rest? A window
 * less its rounding is no part of its own. */
static int sgdsim_priv_is_split(const sgdsim_priv_run *run, size_t q, uint32_t part,
                                double *work_s)
{
    const int each = run->config->transfers.every_turn;
    *work_s -= part / SGDSIM_PRIV_TURN * run->http2_window_s;
    return *work_s * (each ? 1.0 - 1e-9 : 1.0) > run->http2_window_s
        && part < (each ? SGDSIM_PRIV_LAST_TURN : SGDSIM_PRIV_TURN)
        && sgdsim_priv_is_transfer(run->resource[q]);
}

/* Calls a worker's own chunk: its end waits for its turn among the chunks of all workers.
 * Among calls at the same time those without a place come first, so that they are
 * noticed. */
static void sgdsim_priv_call(sgdsim_priv_run *run, const sgdsim_priv_worker *worker,
                             sgdsim_priv_own *own)
{
    const unsigned placed = own->rest & SGDSIM_PRIV_PLACED;
    const sgdsim_priv_entry e = {
        own->end_s, 2 * worker->number + placed,
        placed ? (uint32_t)(own->rest >> 32) : run->turn - ((uint32_t)1 << 30)
    };
    SGDSIM_ASSERT(!(own->rest & SGDSIM_PRIV_CALLED));
    own->rest |= SGDSIM_PRIV_CALLED;
    sgdsim_priv_push(&run->calls, e);
}

/* Inserts a chunk among `count` own ones, the next to end last. If ends are equal, the
 * one put there first ends first. */
static inline sgdsim_priv_own *sgdsim_priv_own_put(sgdsim_priv_own *own, size_t count,
                                                   double start_s, double end_s,
                                                   uint64_t rest)
{
    size_t at = count;
    for (; at > 0 && own[at - 1].end_s <= end_s; at--) {
        own[at].end_s = own[at - 1].end_s;         /* by field, as written            */
        own[at].rest = own[at - 1].rest;
        own[at].start_s = own[at - 1].start_s;
    }
    own[at].end_s = end_s;
    own[at].rest = rest;
    own[at].start_s = start_s;
    return own + at;
}

/* A chunk on queue q, a worker's own, enters service. */
static inline void sgdsim_priv_own_join(sgdsim_priv_run *run, sgdsim_priv_worker *worker,
                                        size_t q, double end_s)
{
    const uint64_t rest = (uint64_t)run->turn++ << 32 | (uint64_t)q << 16
                        | (run->placed ? SGDSIM_PRIV_PLACED : 0u);
    sgdsim_priv_own *own = sgdsim_priv_own_put(
        sgdsim_priv_owns_of(worker), worker->own_busy++, run->now_s, end_s, rest);
    SGDSIM_ASSERT(worker->own_busy <= run->owns && !(end_s < run->now_s));
    if (!run->chains) sgdsim_priv_call(run, worker, own);
}

/* The work of op's next chunk, where it may differ from the work of op. */
static double sgdsim_priv_chunk(sgdsim_priv_run *run, sgdsim_priv_worker *worker,
                                size_t q, size_t op, double work_s)
{
    sgdsim_priv_mark *mark = sgdsim_priv_marks_of(run, worker);
    uint32_t none = 0, *part =
        run->http2_window_s > 0.0 ? sgdsim_priv_part_of(run, worker, op) : &none;
    const int first = *part < SGDSIM_PRIV_TURN;
    if (part != &none && sgdsim_priv_is_split(run, q, *part, &work_s)) {
        work_s = run->http2_window_s;
        if (run->config->variants.reappend_at_selection) {
            *part |= SGDSIM_PRIV_QUEUED;
            sgdsim_priv_enqueue(mark, sgdsim_priv_line_of(run, worker, q), op);
        }
    }
    if (run->config->variation.service == SGDSIM_EXPONENTIAL) {
        work_s *= sgdsim_priv_stretch(run, worker, op);
        if (!run->station_of[q]) run->carried_s[run->resource[q]] += work_s;
    }
    if (run->start_s && first)
        run->start_s[(size_t)worker->number * run->ops + op] = run->now_s;
    return work_s;
}

/* Serves op on queue q, which serves no other op. fresh: the queue was idle. */
static void sgdsim_priv_serve(sgdsim_priv_run *run, sgdsim_priv_worker *worker, size_t q,
                              size_t op, int fresh)
{
    double work_s = run->profile[worker->profile].work_s[op];
    sgdsim_priv_station *station = run->station_of[sgdsim_priv_place_of(run, worker, q)];
    SGDSIM_ASSERT(op < run->ops);
    sgdsim_priv_line_of(run, worker, q)->serving = (uint16_t)op;
    if (run->special && q < run->late)
        work_s = sgdsim_priv_chunk(run, worker, q, op, work_s);
    if (!station) {
        double end_s = run->now_s + work_s;
        if (q >= run->late)
            end_s = run->arrival_s[(size_t)worker->number * run->ops + op];
        sgdsim_priv_own_join(run, worker, q, end_s);
        return;
    }
    run->carried_s[run->resource[q]] += work_s;
    sgdsim_priv_join(run, station, worker->number, q, work_s, fresh);
    run->turn++;
}

/* All that an op waits for is done. */
static inline void sgdsim_priv_release(sgdsim_priv_run *run, sgdsim_priv_worker *worker,
                                       const sgdsim_priv_graph *graph, size_t op)
{
    const size_t q = graph->queue[op];
    sgdsim_priv_line *line = sgdsim_priv_line_of(run, worker, q);
    if (run->ready_s)
        run->ready_s[(size_t)worker->number * run->ops + op] = run->now_s;
    if (line->serving != SGDSIM_PRIV_NONE) {
        sgdsim_priv_enqueue(sgdsim_priv_marks_of(run, worker), line, op);
        return;
    }
    if (run->plain && !run->station_of[q]) {       /* the same in short               */
        if (run->tally) sgdsim_priv_wake(run, worker, q);
        line->serving = (uint16_t)op;
        sgdsim_priv_own_join(run, worker, q,
                             run->now_s + run->profile[worker->profile].work_s[op]);
        return;
    }
    sgdsim_priv_wake(run, worker, q);
    sgdsim_priv_serve(run, worker, q, op, 1);
}

/* Number of accelerators of a worker. */
static uint32_t sgdsim_priv_accelerators(const sgdsim_priv_run *run)
{
    const uint32_t g = run->config->workers.accelerators;
    return g > 0 ? g : 1;
}

/* The profiled step that a worker replays next; a machine: the longest that is drawn. */
static uint32_t sgdsim_priv_draw_step(const sgdsim_priv_run *run,
                                      const sgdsim_priv_worker *worker)
{
    const sgdsim_config *config = run->config;
    const uint64_t w = worker->number, k = worker->steps_done;
    const uint64_t g = sgdsim_priv_accelerators(run);
    const size_t n = config->workers.trace[worker->type].steps;
    const sgdsim_priv_profile *profile = run->profile + run->first_profile[worker->type];
    uint64_t step = UINT32_MAX, a;
    if (config->variation.sequence && k < config->length.steps)
        step = config->variation.sequence[w * config->length.steps + k];
    if (step == UINT32_MAX && n == 1) step = 0;
    for (a = step == UINT32_MAX ? 0 : g; a < g; a++) {
        const uint64_t random = sgdsim_random(config->variation.seed, w * g + a, k, 0);
        const uint64_t drawn = (uint64_t)(sgdsim_priv_uniform(random) * (double)n);
        if (a == 0 || profile[drawn].own_s > profile[step].own_s) step = drawn;
    }
    SGDSIM_ASSERT(step < n);
    return (uint32_t)(run->first_profile[worker->type] + step);
}

static void sgdsim_priv_start_step(sgdsim_priv_run *run, sgdsim_priv_worker *worker)
{
    const sgdsim_priv_graph *graph;
    size_t i;
    SGDSIM_ASSERT(worker->ops_left == 0);
    worker->profile = sgdsim_priv_draw_step(run, worker);
    run->profile[worker->profile].drawn++;
    graph = run->profile[worker->profile].graph;
    worker->ops_left = (uint32_t)graph->ops;
    worker->gates_left = graph->gates;
    memcpy(sgdsim_priv_marks_of(run, worker), graph->start,
           graph->ops * sizeof *graph->start);
    if (run->http2_window_s > 0.0)
        memset(sgdsim_priv_part_of(run, worker, 0), 0, run->ops * sizeof(uint32_t));
    for (i = 0; i < graph->roots; i++)
        sgdsim_priv_release(run, worker, graph, graph->root[i]);
}

static void sgdsim_priv_go_on(sgdsim_priv_run *run, sgdsim_priv_worker *worker);

/* A worker's step is over: counts it, if the window of its job is open. */
static void sgdsim_priv_count_step(sgdsim_priv_run *run, sgdsim_priv_worker *worker,
                                   sgdsim_priv_job *job)
{
    const sgdsim_length *length = &run->config->length;
    const int steady = run->config->variants.steady_window;
    if (run->out->step_end_s && worker->steps_done < length->steps)
        run->out->step_end_s[worker->number * length->steps + worker->steps_done] =
            run->now_s;
    worker->steps_done++;
    job->steps_done++;
    run->operations += run->profile[worker->profile].graph->ops;
    if (job->steps_done == job->warmup) job->from_s = run->now_s;
    if (steady ? job->counted == 0 && worker->steps_done == length->steps
               : run->jobs == 1 || run->jobs_left > 0)
        job->until_s = run->now_s;
    if (run->now_s <= job->until_s * (steady ? 1.0 + 1e-12 : 1.0))
        job->counted = job->steps_done;
    if (worker->steps_done != length->steps) return;
    job->finished++;
    SGDSIM_ASSERT(job->finished <= job->workers);
    if (job->finished == job->workers && run->jobs_left > 0) run->jobs_left--;
}

/* May the worker start a step? Only if its job goes on, and it does not lead by more. */
static int sgdsim_priv_may_start(const sgdsim_priv_run *run, const sgdsim_priv_job *job,
                                 const sgdsim_priv_worker *worker)
{
    SGDSIM_ASSERT(worker->steps_done >= job->slowest);
    return (worker->steps_done < run->config->length.steps
            || (run->jobs_left > 0 && job->moves))
        && worker->steps_done - job->slowest <= job->lead;
}

/* A worker's step is over. Its next one starts, and those that waited for this worker. */
static void sgdsim_priv_end_step(sgdsim_priv_run *run, sgdsim_priv_worker *worker)
{
    sgdsim_priv_job *job = run->job + sgdsim_priv_job_of(run->config, worker->type);
    const uint32_t end = job->first + job->workers;
    uint32_t w;
    sgdsim_priv_count_step(run, worker, job);
    if (job->lead == UINT32_MAX || worker->steps_done != job->slowest + 1
        || --job->behind > 0) {
        if (sgdsim_priv_may_start(run, job, worker)) sgdsim_priv_start_step(run, worker);
        return;
    }
    job->slowest++;
    for (w = job->first; w < end; w++)
        job->behind += sgdsim_priv_worker_at(run, w)->steps_done == job->slowest;
    SGDSIM_ASSERT(job->behind > 0);
    for (w = job->first; w < end; w++) {
        sgdsim_priv_worker *other = sgdsim_priv_worker_at(run, w);
        if (other->ops_left > 0 || !sgdsim_priv_may_start(run, job, other)) continue;
        sgdsim_priv_start_step(run, other);
        sgdsim_priv_go_on(run, other);
    }
}

static void sgdsim_priv_tell(const sgdsim_priv_run *run, const sgdsim_priv_worker *worker,
                             size_t op)
{
    const size_t at = (size_t)worker->number * run->ops + op;
    const size_t q = run->profile[worker->profile].graph->queue[op];
    sgdsim_event event;
    event.worker = worker->number;
    event.step = worker->steps_done;
    event.traced_step = (uint32_t)(worker->profile - run->first_profile[worker->type]);
    event.op = (uint32_t)op;
    event.resource = run->resource[q];
    event.server = q == SGDSIM_PRIV_OWN ? 0 : (uint32_t)sgdsim_priv_server_of(q);
    event.ready_s = run->ready_s[at];
    event.start_s = run->start_s[at];
    event.end_s = run->now_s;
    SGDSIM_ASSERT(event.ready_s <= event.start_s && event.start_s <= event.end_s);
    run->config->watch.on_op(run->config->watch.ctx, &event);
}

/* Was the chunk of op that has ended all of it, or its last part? If not, the rest of op
 * joins the queue. */
static int sgdsim_priv_is_done(sgdsim_priv_run *run, sgdsim_priv_worker *worker, size_t q,
                               size_t op)
{
    sgdsim_priv_mark *mark = sgdsim_priv_marks_of(run, worker);
    double work_s = run->profile[worker->profile].work_s[op];
    uint32_t *part = sgdsim_priv_part_of(run, worker, op);
    if (!sgdsim_priv_is_split(run, q, *part, &work_s)) return 1;
    if (!(*part & SGDSIM_PRIV_QUEUED))
        sgdsim_priv_enqueue(mark, sgdsim_priv_line_of(run, worker, q), op);
    *part = (*part | SGDSIM_PRIV_QUEUED) + 1;          /* the next turn, not queued   */
    return 0;
}

/* An op is done: on_op is called, and those that waited for it are released. */
static inline void sgdsim_priv_finish(sgdsim_priv_run *run,
                                      sgdsim_priv_worker *worker, size_t op)
{
    const sgdsim_priv_graph *graph = run->profile[worker->profile].graph;
    sgdsim_priv_mark *mark = sgdsim_priv_marks_of(run, worker);
    const uint16_t *dependant = graph->dependant + graph->dependants_at[op];
    const uint16_t *end = graph->dependant + graph->dependants_at[op + 1];
    SGDSIM_ASSERT(worker->ops_left > 0);
    worker->ops_left--;
    SGDSIM_ASSERT(worker->gates_left > 0 || !(graph->role[op] & SGDSIM_PRIV_GATE));
    worker->gates_left -= (graph->role[op] & SGDSIM_PRIV_GATE) / SGDSIM_PRIV_GATE;
    if (run->ready_s) sgdsim_priv_tell(run, worker, op);
    for (; dependant < end; dependant++) {
        SGDSIM_ASSERT(mark[*dependant].waits > 0
                      && mark[*dependant].waits <= SGDSIM_PRIV_MOST_OPS);
        if (--mark[*dependant].waits == 0)
            sgdsim_priv_release(run, worker, graph, *dependant);
    }
}

/* The last byte of a transfer is sent, but its op is done when that arrives. Transfers
 * arrive in the order in which they were sent. Until then a queue of their own serves
 * them. */
static void sgdsim_priv_send(sgdsim_priv_run *run, sgdsim_priv_worker *worker, size_t q,
                             size_t op)
{
    const size_t late = run->late + (run->resource[q] == SGDSIM_UPLINK);
    sgdsim_priv_line *line = sgdsim_priv_line_of(run, worker, late);
    SGDSIM_ASSERT(op < run->ops && late < run->queues);
    run->arrival_s[(size_t)worker->number * run->ops + op] =
        run->now_s + run->config->links.delay_s[worker->type];
    if (line->serving != SGDSIM_PRIV_NONE) {
        sgdsim_priv_enqueue(sgdsim_priv_marks_of(run, worker), line, op);
        return;
    }
    sgdsim_priv_wake(run, worker, late);
    sgdsim_priv_serve(run, worker, late, op, 1);
}

/* Is op done with the chunk that has ended? If not, its rest joins the queue, or is on
 * its way to the other end. */
static int sgdsim_priv_is_over(sgdsim_priv_run *run, sgdsim_priv_worker *worker, size_t q,
                               size_t op)
{
    SGDSIM_ASSERT(run->chunks && q < run->queues);
    if (q >= run->late) return 1;
    if (run->http2_window_s > 0.0 && !sgdsim_priv_is_done(run, worker, q, op)) return 0;
    if (run->late == run->start) return 1;
    if (!sgdsim_priv_is_transfer(run->resource[q])) return 1;
    sgdsim_priv_send(run, worker, q, op);
    return 0;
}

/* The chunk in service on queue q has ended. The queue counts as busy while the ops that
 * waited for the chunk are released, so they join the queue behind those in it. */
static void sgdsim_priv_complete(sgdsim_priv_run *run, sgdsim_priv_worker *worker,
                                 size_t q)
{
    sgdsim_priv_line *line = sgdsim_priv_line_of(run, worker, q);
    sgdsim_priv_station *station = run->station_of[sgdsim_priv_place_of(run, worker, q)];
    const size_t op = line->serving;
    SGDSIM_ASSERT(op < run->ops);
    run->events++;
    if (!run->chunks || sgdsim_priv_is_over(run, worker, q, op))
        sgdsim_priv_finish(run, worker, op);
    if (line->head != SGDSIM_PRIV_NONE) {
        const size_t next = line->head;
        const int again = station && station->requeues;
        if (again) sgdsim_priv_leave(run, station, worker->number); /* to its end     */
        line->head = sgdsim_priv_marks_of(run, worker)[next].next;
        sgdsim_priv_serve(run, worker, q, next, again);
        return;
    }
    line->serving = SGDSIM_PRIV_NONE;
    if (station) sgdsim_priv_leave(run, station, worker->number);
    sgdsim_priv_rest(run, worker, q);
    if (worker->ops_left == 0) sgdsim_priv_end_step(run, worker);
}

/* A worker starts its first step. */
static void sgdsim_priv_set_out(sgdsim_priv_run *run, sgdsim_priv_worker *worker)
{
    SGDSIM_ASSERT(run->start < run->queues && worker->steps_done == 0);
    run->events++;
    sgdsim_priv_line_of(run, worker, run->start)->serving = SGDSIM_PRIV_NONE;
    sgdsim_priv_start_step(run, worker);
}

/* ---- Run: chains ----------------------------------------------------------- */

/* A worker's own chunks need no order among workers: until a chunk of the worker joins a
 * station, or its step ends, no other worker can tell when they ended. So a worker runs
 * its own chunks by itself, in their order, when it is looked at next. Only an own chunk
 * that may affect others is called: it ends in its turn among the chunks of all workers.
 *
 * Turns break ties. A chunk that entered service by itself has no known turn, only a
 * time: one with an earlier time has an earlier turn. If a turn matters where times do
 * not tell, the run is unclear. It is then run again with every chunk called. */

/* The worker's own chunk that ends next. */
static sgdsim_priv_own *sgdsim_priv_own_next(sgdsim_priv_worker *worker)
{
    SGDSIM_ASSERT(worker->own_busy > 0);
    return sgdsim_priv_owns_of(worker) + worker->own_busy - 1;
}

/* Ends the worker's own chunk that ends next. */
static void sgdsim_priv_own_end(sgdsim_priv_run *run, sgdsim_priv_worker *worker)
{
    const sgdsim_priv_own *own = sgdsim_priv_own_next(worker);
    const size_t q = own->rest >> 16 & 0xffffu;
    run->now_s = own->end_s;
    worker->own_busy--;
    if (q == run->start) sgdsim_priv_set_out(run, worker);
    else sgdsim_priv_complete(run, worker, q);
}

/* May the end of an own chunk change more than its worker's own queues? */
static int sgdsim_priv_reaches_out(const sgdsim_priv_run *run, sgdsim_priv_worker *worker,
                                   const sgdsim_priv_own *own)
{
    const size_t q = own->rest >> 16 & 0xffffu;
    const size_t op = sgdsim_priv_line_of(run, worker, q)->serving;
    if (q == run->start || worker->ops_left == 1) return 1;
    SGDSIM_ASSERT(op < run->ops);
    return run->profile[worker->profile].graph->role[op] & SGDSIM_PRIV_FEEDS;
}

/* Ends own chunks that end before until_s; if `ahead`, up to the first that reaches out.
 * The same as sgdsim_priv_own_end where nothing is called, nothing joins a station and no
 * step ends. */
static void sgdsim_priv_own_run(sgdsim_priv_run *run, sgdsim_priv_worker *worker,
                                double until_s, int ahead)
{
    const sgdsim_priv_graph *graph = run->profile[worker->profile].graph;
    const double *work_s = run->profile[worker->profile].work_s;
    const unsigned last = ahead ? SGDSIM_PRIV_FEEDS : 0;
    sgdsim_priv_own *own = sgdsim_priv_owns_of(worker);
    sgdsim_priv_line *lines = sgdsim_priv_line_of(run, worker, 0);
    sgdsim_priv_mark *mark = sgdsim_priv_marks_of(run, worker);
    sgdsim_priv_tally *tally = run->tally ? run->tally + worker->number : NULL;
    uint32_t left = worker->ops_left;
    size_t n = worker->own_busy;
    while (n > 0 && own[n - 1].end_s < until_s && left > 1) {
        const double now_s = own[n - 1].end_s;
        const size_t q = own[n - 1].rest >> 16 & 0xffffu, op = lines[q].serving;
        const uint16_t *d = graph->dependant + graph->dependants_at[op];
        const uint16_t *end = graph->dependant + graph->dependants_at[op + 1];
        if ((own[n - 1].rest & SGDSIM_PRIV_CALLED) || (graph->role[op] & last)) break;
        left--;
        n--;
        for (; d < end; d++) {
            sgdsim_priv_line *line = lines + graph->queue[*d];
            if (--mark[*d].waits > 0) continue;
            if (line->serving != SGDSIM_PRIV_NONE) {
                sgdsim_priv_enqueue(mark, line, *d);
                continue;
            }
            SGDSIM_ASSERT(!run->station_of[graph->queue[*d]]);
            if (tally)
                sgdsim_priv_tell_tally(tally, run->resource[graph->queue[*d]], 1, now_s);
            line->serving = *d;
            sgdsim_priv_own_put(own, n++, now_s, now_s + work_s[*d],
                                (uint64_t)graph->queue[*d] << 16);
        }
        lines[q].serving = lines[q].head;
        if (lines[q].head == SGDSIM_PRIV_NONE) {
            if (tally) sgdsim_priv_tell_tally(tally, run->resource[q], -1, now_s);
            continue;
        }
        lines[q].head = mark[lines[q].head].next;
        sgdsim_priv_own_put(own, n++, now_s, now_s + work_s[lines[q].serving],
                            (uint64_t)q << 16);
    }
    run->events += worker->ops_left - left;
    worker->ops_left = left;
    worker->own_busy = (uint16_t)n;
}

/* An own chunk and worker w's chunk at a station are due at once. Did the station's chunk
 * enter service first? */
static int sgdsim_priv_is_later(sgdsim_priv_run *run, const sgdsim_priv_own *own,
                                const sgdsim_priv_station *station, uint32_t w,
                                uint32_t turn)
{
    if (own->rest & SGDSIM_PRIV_PLACED)
        return (int32_t)((uint32_t)(own->rest >> 32) - turn) > 0;
    if (!run->timed || station->kind != SGDSIM_PRIV_FIFO
        || sgdsim_priv_same(own->start_s, station->since_of_s[w])) {
        run->unclear = 1;
        return 0;
    }
    return own->start_s > station->since_of_s[w];
}

/* A station's chunk, in service since `turn`, ends now. Ends the own chunks of its worker
 * that end before it. An own chunk that is called ends later: its call is due now, but
 * the station comes before the first call that is due. (If that call has no place, and
 * this own chunk comes before the station's, then answering both calls makes the run
 * unclear.)
 *
 * An own chunk that also ends now, with a later turn, ends later if the station's chunk
 * was due all the time. But the station's chunk may have waited for others that end now
 * too, with turns later than both. Then the own chunk does not end later, and the run is
 * unclear. */
static void sgdsim_priv_catch_up(sgdsim_priv_run *run, sgdsim_priv_worker *worker,
                                 const sgdsim_priv_station *station, uint32_t turn)
{
    const double now_s = run->now_s;
    SGDSIM_ASSERT(run->chains && run->placed);
    if (run->plain) sgdsim_priv_own_run(run, worker, now_s, 0);
    run->placed = 0;
    while (worker->own_busy > 0) {
        const sgdsim_priv_own *own = sgdsim_priv_own_next(worker);
        if (own->end_s > now_s || (own->rest & SGDSIM_PRIV_CALLED)) break;
        if (own->end_s >= now_s
            && sgdsim_priv_is_later(run, own, station, worker->number, turn)) {
            if (run->before_s >= now_s) run->unclear = 1;
            break;
        }
        sgdsim_priv_own_end(run, worker);
    }
    run->now_s = now_s;
    run->placed = 1;
}

/* Something has happened to a worker: calls the own chunk that may affect others next. If
 * the worker has a chunk at a station, no own chunk is called as long as none can reach
 * out before a station's chunk ends: gates are left, or what joins a station queues
 * behind what the worker has there. If it has no chunk at a station, nothing can change
 * what it does next: it runs ahead. */
static void sgdsim_priv_go_on(sgdsim_priv_run *run, sgdsim_priv_worker *worker)
{
    const double now_s = run->now_s;
    sgdsim_priv_own *own;
    if (!run->chains || worker->own_busy == 0) return;
    if (worker->shared_busy > 0) {
        if (worker->gates_left > 0
            || (run->profile[worker->profile].graph->fed & ~worker->fed) == 0)
            return;
        own = sgdsim_priv_own_next(worker);
        if (!(own->rest & SGDSIM_PRIV_CALLED)) sgdsim_priv_call(run, worker, own);
        return;
    }
    if (run->plain) sgdsim_priv_own_run(run, worker, DBL_MAX, 1);
    run->placed = 0;
    for (;;) {
        own = sgdsim_priv_own_next(worker);
        if (own->rest & SGDSIM_PRIV_CALLED) break;
        if (sgdsim_priv_reaches_out(run, worker, own) || !(own->end_s <= DBL_MAX)) {
            sgdsim_priv_call(run, worker, own);
            break;
        }
        sgdsim_priv_own_end(run, worker);
    }
    run->now_s = now_s;
    run->placed = 1;
}

/* Ends the own chunk that is called first, and the worker's own chunks before it. If
 * stations share equally, calls at the same time may change places: the order of joining
 * has no effect. */
static sgdsim_priv_worker *sgdsim_priv_answer_call(sgdsim_priv_run *run)
{
    const double now_s = run->now_s;
    const uint32_t id = sgdsim_priv_pop(&run->calls);
    sgdsim_priv_worker *worker = sgdsim_priv_worker_at(run, id / 2);
    if (run->ordered) {
        if (run->called_s >= now_s) run->unclear = 1;
        if (!(id & 1)) run->called_s = now_s;
    }
    run->placed = 0;
    while (!(sgdsim_priv_own_next(worker)->rest & SGDSIM_PRIV_CALLED)) {
        SGDSIM_ASSERT(sgdsim_priv_own_next(worker)->end_s <= now_s);
        sgdsim_priv_own_end(run, worker);
    }
    run->placed = 1;
    SGDSIM_ASSERT(sgdsim_priv_same(sgdsim_priv_own_next(worker)->end_s, now_s));
    sgdsim_priv_own_end(run, worker);
    return worker;
}

/* ---- Run: the event loop --------------------------------------------------- */

/* Did the chunk that a station completes next enter service before the one called? */
static int sgdsim_priv_is_call_later(sgdsim_priv_run *run, const sgdsim_priv_entry *call,
                                     const sgdsim_priv_station *station)
{
    sgdsim_priv_worker *worker = sgdsim_priv_worker_at(run, call->id / 2);
    const sgdsim_priv_own *own = sgdsim_priv_own_next(worker);
    const uint32_t turn = sgdsim_priv_turn_of(station);
    if (call->id & 1) return (int32_t)(turn - call->turn) < 0;
    if (station->kind == SGDSIM_PRIV_LINKS) station = station->link + station->first[1];
    while (!(own->rest & SGDSIM_PRIV_CALLED)) own--;
    SGDSIM_ASSERT(own >= sgdsim_priv_owns_of(worker));
    SGDSIM_ASSERT(sgdsim_priv_same(own->end_s, call->key));
    return sgdsim_priv_is_later(run, own, station,
                                station->kind == SGDSIM_PRIV_FIFO
                                    ? sgdsim_priv_front(station) : 0, turn);
}

/* The station that is due next, NULL if a call is; *time_s: when. */
static sgdsim_priv_station *sgdsim_priv_due(sgdsim_priv_run *run, double *time_s)
{
    const sgdsim_priv_entry *call = run->calls.top;
    sgdsim_priv_station *station = run->station, *due = NULL;
    const sgdsim_priv_station *end = station + run->stations;
    double next_s = call ? call->key : HUGE_VAL;
    for (; station < end; station++) {
        if (station->next_end_s < next_s) {
            next_s = station->next_end_s;
            due = station;
        } else if (station->next_end_s <= next_s && next_s <= DBL_MAX) {
            const uint32_t turn = sgdsim_priv_turn_of(station);
            if (!due ? sgdsim_priv_is_call_later(run, call, station)
                     : (int32_t)(turn - sgdsim_priv_turn_of(due)) < 0)
                due = station;
        }
    }
    SGDSIM_ASSERT(!(next_s < run->now_s));
    *time_s = next_s;
    return due;
}

/* Completes the chunk that is due at a station. Returns its worker. */
static sgdsim_priv_worker *sgdsim_priv_complete_at(sgdsim_priv_run *run,
                                                   sgdsim_priv_station *station)
{
    sgdsim_priv_worker *worker;
    size_t q;
    uint32_t w;
    if (station->kind == SGDSIM_PRIV_LINKS) station = station->link + station->first[1];
    q = station->queue_of;
    SGDSIM_ASSERT(station->busy > 0);
    if (station->next_apart < station->aparts) {
        sgdsim_priv_equal_advance(run, station);
        w = station->apart[station->next_apart].worker;
    } else if (station->kind == SGDSIM_PRIV_EQUAL) {
        if (station->aparts > 0)
            sgdsim_priv_aparts_advance(station, run->now_s - station->since_s);
        SGDSIM_ASSERT(!(station->clock - station->pending.top->key
                        > 1e-9 * (station->clock + run->now_s) + DBL_MIN));
        station->clock = station->pending.top->key;
        station->since_s = run->now_s;
        w = sgdsim_priv_pop(&station->pending);
    } else if (station->kind == SGDSIM_PRIV_FIFO) {
        w = sgdsim_priv_front(station);
    } else {
        sgdsim_priv_flows_advance(run, station);
        station->left_s[station->next_flow] = 0.0;
        w = station->flow[station->next_flow].worker;
        q += station->flow[station->next_flow].server * SGDSIM_PRIV_PER_SERVER;
    }
    worker = sgdsim_priv_worker_at(run, w);
    if (run->chains && worker->own_busy > 0
        && sgdsim_priv_own_next(worker)->end_s <= run->now_s)
        sgdsim_priv_catch_up(run, worker, station, sgdsim_priv_turn_of(station));
    sgdsim_priv_complete(run, worker, q);
    return worker;
}

/* Most runs have one server, whose links go by clocks, and workers whose chunks are work
 * and nothing else. In such runs an event takes a shorter path with fewer tests. */
static int sgdsim_priv_is_short(const sgdsim_priv_run *run)
{
    return run->chains && run->plain && run->stations == 2
        && run->station_of[SGDSIM_PRIV_DOWN] && run->station[0].kind == SGDSIM_PRIV_EQUAL;
}

/* sgdsim_priv_equal_plan for a link of one server, without links of workers. */
static inline void sgdsim_priv_short_plan(const sgdsim_priv_run *run,
                                          sgdsim_priv_station *station)
{
    const sgdsim_priv_entry *top;
    SGDSIM_ASSERT(station->aparts == 0 && !(station->given > 0.0));
    station->changed = 0;
    sgdsim_priv_settle_tree(&station->pending);
    top = station->pending.top;
    SGDSIM_ASSERT((station->busy == 0) == (top == NULL));
    if (!top) {
        sgdsim_priv_equal_plan(run, station);
        return;
    }
    station->slowdown = (double)station->busy;
    if (station->slowdown < station->slowdown_alone)
        station->slowdown = station->slowdown_alone;
    if (station->weight) sgdsim_priv_weigh_all(run, station);
    station->next_end_s =
        station->since_s + (top->key - station->clock) * station->slowdown;
    if (station->next_end_s < run->now_s) station->next_end_s = run->now_s;
    if (run->workers > SGDSIM_PRIV_CACHED) sgdsim_priv_fetch(run, &station->pending);
}

/* sgdsim_priv_plan_all for two links, if the first has changed. */
static inline void sgdsim_priv_short_plan_both(sgdsim_priv_run *run,
                                               sgdsim_priv_station *station,
                                               sgdsim_priv_station *other)
{
    SGDSIM_ASSERT(station->changed && station->against == other);
    if (other->changed) sgdsim_priv_short_plan(run, other);
    else if (run->tcp.two_way > 0.0) sgdsim_priv_equal_replan(run, other);
    sgdsim_priv_short_plan(run, station);
}

/* sgdsim_priv_complete_at for a link: the queue's next chunk, if any, follows at once. */
static inline sgdsim_priv_worker *sgdsim_priv_short_complete(sgdsim_priv_run *run,
                                                             sgdsim_priv_station *station)
{
    sgdsim_priv_pending *p = &station->pending;
    const size_t q = station->queue_of;
    sgdsim_priv_entry e;
    sgdsim_priv_worker *worker;
    sgdsim_priv_line *line;
    size_t op;
    double work_s;
    e.key = p->top->key;           /* not e = *top, written by field                  */
    e.id = p->top->id;
    e.turn = p->top->turn;
    worker = sgdsim_priv_worker_at(run, e.id);
    line = sgdsim_priv_line_of(run, worker, q);
    op = line->serving;
    station->clock = e.key;
    station->since_s = run->now_s;
    (void)sgdsim_priv_pop(p);
    if (worker->own_busy > 0 && sgdsim_priv_own_next(worker)->end_s <= run->now_s) {
        sgdsim_priv_own_run(run, worker, run->now_s, 0);
        if (worker->own_busy > 0 && sgdsim_priv_own_next(worker)->end_s <= run->now_s)
            sgdsim_priv_catch_up(run, worker, station, e.turn);
    }
    if (line->head == SGDSIM_PRIV_NONE) {
        sgdsim_priv_complete(run, worker, q);
        return worker;
    }
    run->events++;
    sgdsim_priv_finish(run, worker, op);
    line->serving = line->head;
    line->head = sgdsim_priv_marks_of(run, worker)[line->serving].next;
    work_s = run->profile[worker->profile].work_s[line->serving];
    run->carried_s[run->resource[q]] += work_s;
    e.key += station->weight ? work_s / station->weight[e.id] : work_s;
    e.turn = run->turn++;
    sgdsim_priv_push_tree(p, e);
    station->changed = 1;
    return worker;
}

/* sgdsim_priv_due for two links. */
static inline sgdsim_priv_station *sgdsim_priv_short_due(sgdsim_priv_run *run,
                                                         double *time_s)
{
    const sgdsim_priv_entry *call = run->calls.top;
    const double down_s = run->station[0].next_end_s, up_s = run->station[1].next_end_s;
    sgdsim_priv_station *station = run->station + (up_s < down_s);
    *time_s = station->next_end_s;         /* no branch, which could not be predicted */
    if ((call && call->key <= *time_s) || sgdsim_priv_same(up_s, down_s))
        return sgdsim_priv_due(run, time_s);
    return station;
}

/* sgdsim_priv_loop if sgdsim_priv_is_short. */
static sgdsim_status sgdsim_priv_short_loop(sgdsim_priv_run *run)
{
    sgdsim_priv_plan_all(run);
    for (;;) {
        double time_s;
        sgdsim_priv_station *station;
        sgdsim_priv_worker *worker;
        if (run->calls.changed) sgdsim_priv_settle(&run->calls);
        station = sgdsim_priv_short_due(run, &time_s);
        if (run->unclear || !(time_s <= DBL_MAX)) return SGDSIM_OK;
        if (run->events >= run->budget) return SGDSIM_OVER_BUDGET;
        run->before_s = run->now_s;
        run->now_s = time_s;
        worker = station ? sgdsim_priv_short_complete(run, station)
                         : sgdsim_priv_answer_call(run);
        if (worker->own_busy > 0
            && (worker->shared_busy == 0
                || (worker->gates_left == 0
                    && (run->profile[worker->profile].graph->fed & ~worker->fed) != 0)))
            sgdsim_priv_go_on(run, worker);
        if (station) sgdsim_priv_short_plan_both(run, station, station->against);
        else sgdsim_priv_plan_all(run);
    }
}

/* Each event completes the chunk that is due first. If several are due at once, it is the
 * one that entered service first. */
static sgdsim_status sgdsim_priv_loop(sgdsim_priv_run *run)
{
    run->budget = run->config->max_events;
    if (run->budget == 0) run->budget = (uint64_t)1000000000000;
    if (sgdsim_priv_is_short(run)) return sgdsim_priv_short_loop(run);
    for (;;) {
        double time_s;
        sgdsim_priv_station *station;
        sgdsim_priv_worker *worker;
        if (run->calls.changed) sgdsim_priv_settle(&run->calls);
        sgdsim_priv_plan_all(run);
        station = sgdsim_priv_due(run, &time_s);
        if (run->unclear || (!(time_s <= DBL_MAX) && run->charged < run->budget))
            return SGDSIM_OK;
        if (run->events >= run->budget - run->charged) return SGDSIM_OVER_BUDGET;
        run->before_s = run->now_s;
        run->now_s = time_s;
        worker = station ? sgdsim_priv_complete_at(run, station)
                         : sgdsim_priv_answer_call(run);
        if (run->chains && worker->own_busy > 0
            && (worker->shared_busy == 0 || worker->gates_left == 0))
            sgdsim_priv_go_on(run, worker);
    }
}

/* ---- Run: checks ----------------------------------------------------------- */

/* Checks links and delays of workers. *at: the type at fault. */
static sgdsim_reason sgdsim_priv_check_ends(const sgdsim_config *config, size_t *at)
{
    const sgdsim_variants *v = &config->variants;
    const sgdsim_links *links = &config->links;
    const double *bandwidth = links->worker_bandwidth_bytes_per_s;
    size_t t;
    if (bandwidth && (links->share || v->fcfs_spill || v->two_servers_unit))
        return SGDSIM_REASON_ENDS;
    for (t = *at = 0; t < config->workers.types; t++, *at = t) {
        if (bandwidth && !sgdsim_priv_is_rate(bandwidth[t])) return SGDSIM_REASON_END;
        if (links->delay_s && !sgdsim_priv_is_time(links->delay_s[t]))
            return SGDSIM_REASON_DELAY;
    }
    *at = 0;
    return SGDSIM_REASON_NONE;
}

static sgdsim_reason sgdsim_priv_check_options(const sgdsim_config *config, size_t *at)
{
    const sgdsim_overhead *overhead = config->transfers.overhead;
    const sgdsim_tcp *tcp = config->links.tcp;
    sgdsim_reason ends;
    if ((size_t)config->mode > (size_t)SGDSIM_SYNC
        || (size_t)config->links.rule > (size_t)SGDSIM_LINK_TCP
        || (size_t)config->variation.service > (size_t)SGDSIM_EXPONENTIAL
        || (size_t)config->servers.updates > (size_t)SGDSIM_UPDATES_SHARED)
        return SGDSIM_REASON_CHOICE;
    if (!sgdsim_priv_is_rate(config->links.bandwidth_bytes_per_s))
        return SGDSIM_REASON_BANDWIDTH;
    if (!sgdsim_priv_is_time(config->transfers.window_bytes)) return SGDSIM_REASON_WINDOW;
    if (!sgdsim_priv_is_time(config->variation.stagger_s)) return SGDSIM_REASON_STAGGER;
    if (!sgdsim_priv_is_time(config->links.flow_cap)) return SGDSIM_REASON_CAP;
    if (overhead && (!sgdsim_priv_is_time(fabs(overhead->s))
                     || !sgdsim_priv_is_time(fabs(overhead->s_per_byte))))
        return SGDSIM_REASON_OVERHEAD;
    if (config->transfers.ordered > 0 && !config->transfers.order)
        return SGDSIM_REASON_ORDER;
    if (config->links.rule == SGDSIM_LINK_EXCHANGE && !config->links.exchange_s)
        return SGDSIM_REASON_EXCHANGE;
    if (config->links.rule == SGDSIM_LINK_EXCHANGE
        && sgdsim_priv_job_of(config, config->workers.types - 1) > 0)
        return SGDSIM_REASON_JOB;
    ends = sgdsim_priv_check_ends(config, at);
    if (ends != SGDSIM_REASON_NONE) return ends;
    return !tcp || (tcp->two_way >= 0.0 && tcp->two_way <= 1.0 && tcp->spread >= 0.0
                    && tcp->spread <= 1.0) ? SGDSIM_REASON_NONE : SGDSIM_REASON_TCP;
}

/* Checks that no op is ordered twice and that the steps of the sequence exist. */
static sgdsim_reason sgdsim_priv_check_choices(const sgdsim_config *config, size_t *at)
{
    const uint64_t steps = config->length.steps;
    uint64_t k;
    size_t t, i, j, w = 0;
    for (i = 0; i < config->transfers.ordered; i++)
        for (j = 0; j < i; j++)
            if (config->transfers.order[i] == config->transfers.order[j]) {
                *at = i;
                return SGDSIM_REASON_TWICE;
            }
    for (t = 0; config->variation.sequence && t < config->workers.types; t++)
        for (i = 0; i < config->workers.count[t]; i++, w++)
            for (k = 0; k < steps; k++) {
                const uint32_t step = config->variation.sequence[w * steps + k];
                if (step == UINT32_MAX || step < config->workers.trace[t].steps) continue;
                *at = (size_t)(w * steps + k);
                return SGDSIM_REASON_SEQUENCE;
            }
    return SGDSIM_REASON_NONE;
}

/* Why a config cannot be run, its traces aside. *at: which type, op or element. */
static sgdsim_reason sgdsim_priv_reason(const sgdsim_config *config, size_t *at)
{
    const sgdsim_workers *of = &config->workers;
    const sgdsim_length *length = &config->length;
    sgdsim_reason reason;
    uint64_t workers = 0, mine = 0, least = UINT64_MAX; /* of a job                   */
    size_t t, before = 0;
    if (of->types == 0 || !of->trace || !of->count) return SGDSIM_REASON_TYPES;
    for (t = 0; t < of->types; t++) {
        const size_t job = sgdsim_priv_job_of(config, t);
        *at = t;
        if (of->count[t] == 0) return SGDSIM_REASON_NOBODY;
        if (of->trace[t].steps == 0 || !of->trace[t].step) return SGDSIM_REASON_TRACE;
        if (job != before && (t == 0 || job != before + 1)) return SGDSIM_REASON_JOB;
        if (job != before && mine < least) least = mine;
        mine = job != before ? of->count[t] : mine + of->count[t];
        before = job;
        workers += of->count[t];
    }
    if (mine < least) least = mine;
    *at = 0;
    if (workers > UINT32_MAX) return SGDSIM_REASON_WORKERS;
    if (length->steps == 0 || length->steps > UINT32_MAX) return SGDSIM_REASON_STEPS;
    if (length->warmup >= least * length->steps) return SGDSIM_REASON_WARMUP;
    reason = sgdsim_priv_check_options(config, at);
    return reason == SGDSIM_REASON_NONE ? sgdsim_priv_check_choices(config, at) : reason;
}

SGDSIM_API const char *sgdsim_reason_text(sgdsim_reason reason)
{
#define SGDSIM_X(name, text) text,
    static const char *const text[] = { SGDSIM_REASON_TABLE(SGDSIM_X) };
#undef SGDSIM_X
    return sgdsim_priv_text(text, SGDSIM_REASON_COUNT, (size_t)reason);
}

SGDSIM_API sgdsim_status sgdsim_run_check(const sgdsim_config *config,
                                          sgdsim_refusal *refusal)
{
    sgdsim_refusal found = { SGDSIM_REASON_NONE, 0 };
    if (!config) return SGDSIM_BAD_ARGUMENT;
    found.reason = sgdsim_priv_reason(config, &found.at);
    if (found.reason == SGDSIM_REASON_NONE) return SGDSIM_OK;
    if (refusal) *refusal = found;
    if (found.reason == SGDSIM_REASON_WORKERS) return SGDSIM_TOO_LARGE;
    return found.reason == SGDSIM_REASON_WARMUP ? SGDSIM_NO_WINDOW : SGDSIM_BAD_ARGUMENT;
}

/* Can all steps and lists of prerequisites be read? Asked before graphs are compared.
 * Raises *most to the bytes that a check of the trace needs. */
static sgdsim_status sgdsim_priv_check_lists(const sgdsim_trace *trace, size_t *most)
{
    size_t bytes, s, i;
    sgdsim_status status;
    for (s = 0; s < trace->steps && trace->step; s++)
        if (!trace->step[s].op || trace->step[s].ops == 0) return SGDSIM_BAD_TRACE;
    status = sgdsim_trace_check_bytes(trace, &bytes);
    if (status != SGDSIM_OK) return status;
    if (bytes > *most) *most = bytes;
    for (s = 0; s < trace->steps; s++)
        for (i = 0; i < trace->step[s].ops; i++)
            if (trace->step[s].op[i].waits > 0 && !trace->step[s].op[i].waits_for)
                return SGDSIM_BAD_TRACE;
    return SGDSIM_OK;
}

/* Checks all of config, of its traces only their sizes, and lays out the work. */
SGDSIM_API sgdsim_status sgdsim_run_bytes(const sgdsim_config *config, size_t *bytes)
{
    sgdsim_priv_arena arena = sgdsim_priv_arena_at(NULL);
    sgdsim_priv_run run;
    sgdsim_status status = sgdsim_run_check(config, NULL);
    size_t t, check = 0;
    for (t = 0; status == SGDSIM_OK && t < config->workers.types; t++)
        status = sgdsim_priv_check_lists(config->workers.trace + t, &check);
    if (status == SGDSIM_OK) status = sgdsim_priv_carve_traces(config, &arena, &run);
    if (status != SGDSIM_OK) return status;
    sgdsim_priv_carve_state(&arena, &run);
    if (check > arena.used) arena.used = check;
    return sgdsim_priv_answer(&arena, bytes);
}

/* ---- Run: begin and results ------------------------------------------------ */

/* Prepares station i, or its link to one server, and the links that it has. */
static void sgdsim_priv_open_station(sgdsim_priv_run *run, sgdsim_priv_station *station,
                                     size_t i, size_t server)
{
    const double cap = sgdsim_priv_cap(run->config);
    const double B = run->config->links.bandwidth_bytes_per_s;
    const double *own = run->config->links.worker_bandwidth_bytes_per_s;
    size_t m;
    station->way = i < 2 ? i : 2;
    station->queue_of = i < 2 ? SGDSIM_PRIV_DOWN + i + server * SGDSIM_PRIV_PER_SERVER
        : SGDSIM_PRIV_APPLY + (i - 2) % run->servers * SGDSIM_PRIV_PER_SERVER;
    station->requeues = i >= 2 && run->config->servers.updates == SGDSIM_UPDATES_QUEUED;
    station->next_end_s = HUGE_VAL;
    station->slowdown_alone = i < 2 ? 1.0 / cap : 1.0;
    station->slowdown = station->slowdown_alone;
    for (m = 0; m < 2 * (size_t)run->workers && station->pending.tree; m++)
        station->pending.tree[m] = sgdsim_priv_no_entry();
    station->pending.rows = run->workers > SGDSIM_PRIV_NO_ROW ? SGDSIM_PRIV_IN_ORDER : 0;
    if (i < 2) station->against = run->station + (1 - i);
    if (station->hub) station->against = station->against->link + server;
    if (station->kind != SGDSIM_PRIV_LINKS) return;
    for (m = 0; m < run->servers; m++) {
        station->link[m].hub = station;
        sgdsim_priv_open_station(run, station->link + m, i, m);
    }
    for (m = 0; m < station->leaves; m++)
        station->first[station->leaves + m] = m < run->servers ? (uint32_t)m : UINT32_MAX;
    for (m = station->leaves; m-- > 1;) station->first[m] = station->first[2 * m];
    if (station->flows_of)
        memset(station->flows_of, 0, run->workers * sizeof *station->flows_of);
    if (station->side_of)
        memset(station->side_of, 0, run->workers * sizeof *station->side_of);
    station->least_own = 1.0;
    for (m = 0; m < run->config->workers.types && own; m++)
        if (own[m] / B < station->least_own || m == 0) station->least_own = own[m] / B;
    station->few = 2.0 * (double)run->servers / station->least_own;
}

/* Does it matter which of two flows joins first at the same time? Not if all share
 * equally and go by the clock. */
static int sgdsim_priv_is_ordered(const sgdsim_priv_station *station)
{
    if (station->kind == SGDSIM_PRIV_LINKS)
        return station->side_of != NULL || sgdsim_priv_is_ordered(station->link);
    return station->kind != SGDSIM_PRIV_EQUAL || station->weight != NULL;
}

/* Finds the station of each queue, and prepares the stations. */
static void sgdsim_priv_begin_queues(sgdsim_priv_run *run)
{
    const sgdsim_config *config = run->config;
    size_t i;
    for (i = 0; i < run->jobs * run->queues; i++) {
        const size_t q = i % run->queues, job = i / run->queues;
        const sgdsim_resource resource = sgdsim_priv_resource_of(q);
        run->resource[q] = resource;
        run->station_of[i] = NULL;
        if (!sgdsim_priv_is_common(run, q)) continue;
        run->station_of[i] = run->station + (resource == SGDSIM_UPLINK);
        if (resource != SGDSIM_SERVER && run->station_of[i]->kind == SGDSIM_PRIV_LINKS)
            run->station_of[i] = run->station_of[i]->link + sgdsim_priv_server_of(q);
        if (resource == SGDSIM_SERVER)
            run->station_of[i] =
                run->station + 2 + job * run->servers + sgdsim_priv_server_of(q);
    }
    for (i = 0; i < run->stations; i++) {
        sgdsim_priv_station *station = run->station + i;
        sgdsim_priv_open_station(run, station, i, 0);
        if (i < 2 && config->links.rule == SGDSIM_LINK_EXCHANGE) continue;
        run->ordered |= sgdsim_priv_is_ordered(station);
    }
}

/* The jobs and their workers, before their first steps. */
static void sgdsim_priv_begin_jobs(sgdsim_priv_run *run)
{
    const sgdsim_config *config = run->config;
    const uint32_t lead = config->mode == SGDSIM_SYNC ? 0 : UINT32_MAX;
    uint32_t w = 0, end = 0, t;
    size_t j, p, i;
    memset(run->job, 0, run->jobs * sizeof *run->job);
    run->jobs_left = run->jobs > 1 ? run->jobs : 0;
    for (t = 0; t < config->workers.types; t++) {
        sgdsim_priv_job *job;
        j = sgdsim_priv_job_of(config, t);
        job = run->job + j;
        if (job->workers == 0) job->first = w;
        job->workers += config->workers.count[t];
        job->behind = job->workers;
        job->lead = config->workers.lead ? config->workers.lead[j] : lead;
        job->until_s = -1.0;
        job->moves |= config->links.delay_s && config->links.delay_s[t] > 0.0;
        for (p = run->first_profile[t]; p < run->first_profile[t + 1]; p++)
            for (i = 0; i < run->profile[p].graph->ops; i++)
                job->moves |= run->profile[p].work_s[i] > 0.0;
        for (end += config->workers.count[t]; w < end; w++) {
            sgdsim_priv_worker *worker = sgdsim_priv_worker_at(run, w);
            memset(worker, 0, sizeof *worker);
            worker->number = w;
            worker->type = t;
            if (run->tally) run->tally[w].kind = SGDSIM_RESOURCES; /* at the barrier */
            memset(sgdsim_priv_line_of(run, worker, 0), 0xff, /* NONE everywhere     */
                   run->queues * sizeof(sgdsim_priv_line));
        }
    }
    for (j = 0; j < run->jobs; j++) {
        sgdsim_priv_job *job = run->job + j;
        const int meet = config->workers.lead && job->lead == 0;
        job->warmup = config->length.warmup;
        if (meet) job->warmup -= job->warmup % job->workers;
    }
    SGDSIM_ASSERT(w == run->workers);
}

/* In runs of fewer events times stand for turns. */
#define SGDSIM_PRIV_MOST_TIMED 1e11

static void sgdsim_priv_begin(sgdsim_priv_run *run)
{
    const sgdsim_config *config = run->config;
    uint32_t w;
    if (!run->out->waiting) run->tally = NULL;
    if (run->tally) memset(run->tally, 0, run->workers * sizeof *run->tally);
    memset(run->crowd, 0, run->jobs * run->queues * sizeof *run->crowd);
    sgdsim_priv_begin_queues(run);
    sgdsim_priv_begin_jobs(run);
    run->special = run->chunks || run->start_s
        || config->variation.service == SGDSIM_EXPONENTIAL;
    run->plain = !run->special;
    run->timed = config->max_events == 0 && run->jobs == 1
              && (double)run->workers * (double)run->ops * (double)config->length.steps
                     < SGDSIM_PRIV_MOST_TIMED;
    run->called_s = -1.0;
    run->placed = 1;
    for (w = 0; w < run->workers; w++) {
        sgdsim_priv_worker *worker = sgdsim_priv_worker_at(run, w);
        const uint64_t random = sgdsim_random(config->variation.seed, w, UINT64_MAX, 0);
        if (!(config->variation.stagger_s > 0.0)) {
            sgdsim_priv_start_step(run, worker);
        } else {
            sgdsim_priv_line_of(run, worker, run->start)->serving = 0;   /* no op     */
            sgdsim_priv_own_join(run, worker, run->start,
                                 config->variation.stagger_s
                                     * sgdsim_priv_uniform(random));
        }
        sgdsim_priv_go_on(run, worker);
    }
}

/* Adds up what the workers' own resources have carried. */
static void sgdsim_priv_carry_own(sgdsim_priv_run *run)
{
    size_t p, i;
    for (p = 0; p < run->profiles; p++) {
        const sgdsim_priv_profile *profile = run->profile + p;
        const sgdsim_priv_graph *graph = profile->graph;
        double sum_s[SGDSIM_RESOURCES] = { 0.0, 0.0, 0.0, 0.0 };
        for (i = 0; i < graph->ops && profile->drawn > 0; i++)
            if (!run->station_of[graph->queue[i]])
                sum_s[run->resource[graph->queue[i]]] += profile->work_s[i];
        for (i = 0; i < (size_t)SGDSIM_RESOURCES && profile->drawn > 0; i++)
            run->carried_s[i] += (double)profile->drawn * sum_s[i];
    }
}

/* Steps per second of a job in its window. */
static double sgdsim_priv_rate_of(const sgdsim_priv_run *run, size_t job)
{
    const sgdsim_priv_job *of = run->job + job;
    const uint64_t steps = of->counted - of->warmup;
    return (double)steps * sgdsim_priv_accelerators(run) / (of->until_s - of->from_s);
}

/* Checks a run at its end. Has every step ended? Not if the sharing rule starves a flow
 * for ever, or if times overflow. Can all work be added up? Are the windows more than
 * rounding, and long enough for throughputs that do not overflow? */
static sgdsim_status sgdsim_priv_check_end(sgdsim_priv_run *run)
{
    const sgdsim_config *config = run->config;
    size_t i;
    for (i = 0; i < run->jobs; i++)
        if (run->job[i].finished < run->job[i].workers) return SGDSIM_BAD_ARGUMENT;
    SGDSIM_ASSERT(run->calls.top == NULL && run->events >= run->operations);
    if (config->variation.service == SGDSIM_TRACED) sgdsim_priv_carry_own(run);
    for (i = 0; i < (size_t)SGDSIM_RESOURCES; i++)
        if (!sgdsim_priv_is_time(run->carried_s[i])) return SGDSIM_BAD_ARGUMENT;
    for (i = 0; i < run->jobs; i++) {
        const sgdsim_priv_job *job = run->job + i;
        SGDSIM_ASSERT(job->counted <= job->steps_done);
        if (job->counted <= job->warmup
            || !(job->until_s - job->from_s > 1e-12 * job->until_s)
            || !sgdsim_priv_is_rate(sgdsim_priv_rate_of(run, i)))
            return SGDSIM_NO_WINDOW;
    }
    return SGDSIM_OK;
}

static void sgdsim_priv_report(sgdsim_priv_run *run, sgdsim_result *out)
{
    const sgdsim_config *config = run->config;
    const double K = run->workers, M = run->servers, span_s = run->now_s;
    const double servers = M * (double)run->jobs;
    size_t r;
    uint32_t w;
    out->batches_per_s = 0.0;
    for (r = 0; r < run->jobs; r++) {
        out->batches_per_s += sgdsim_priv_rate_of(run, r);
        if (out->job_batches_per_s)
            out->job_batches_per_s[r] = sgdsim_priv_rate_of(run, r);
    }
    out->makespan_s = span_s;
    out->events = run->events;
    out->operations = run->operations;
    out->seed = config->variation.seed;
    for (r = 0; r < (size_t)SGDSIM_RESOURCES; r++) {
        const int shared = sgdsim_priv_is_shared(config, (sgdsim_resource)r);
        const double capacity = r == (size_t)SGDSIM_WORKER ? K : !shared ? K * M
                              : r == (size_t)SGDSIM_SERVER ? servers : M;
        out->utilization[r] = run->carried_s[r] / span_s / capacity;
        out->contended[r] = run->contended_s[r] / span_s / (shared ? capacity : M);
        /* A caller's rule may give more than there is; tiny numbers round coarsely. */
        SGDSIM_ASSERT(config->links.share || span_s < 1e-280
                      || out->utilization[r] <= 1.0 + 1e-6);
    }
    for (w = 0; w < run->workers && out->waiting; w++) {
        const double *spent_s = run->tally[w].spent_s;
        sgdsim_priv_tell_tally(run->tally + w, SGDSIM_WORKER, 0, span_s);
        memcpy(out->waiting + w, spent_s, sizeof *out->waiting);
        SGDSIM_ASSERT(fabs(spent_s[0] / span_s + spent_s[1] / span_s + spent_s[2] / span_s
                           + spent_s[3] / span_s + spent_s[4] / span_s - 1.0) <= 1e-6
                      || span_s < 1e-280);
    }
}

/* Checks all of config and its traces, and compiles the traces into the work. *state: the
 * arena behind them, for what changes as a run goes. */
static sgdsim_status sgdsim_priv_ready(const sgdsim_config *config, void *work,
                                       size_t work_bytes, sgdsim_priv_run *run,
                                       sgdsim_priv_arena *state)
{
    sgdsim_priv_arena arena;
    size_t need = 0, t;
    sgdsim_status status = sgdsim_run_bytes(config, &need);
    if (status == SGDSIM_OK) status = sgdsim_priv_check_work(work, work_bytes, need);
    if (status != SGDSIM_OK) return status;
    for (t = 0; t < config->workers.types; t++) {
        const uint32_t servers = config->servers.count > 0 ? config->servers.count : 1;
        status = sgdsim_trace_check(config->workers.trace + t, servers, work, work_bytes,
                                    NULL);
        if (status != SGDSIM_OK) return status;
    }
    *state = sgdsim_priv_arena_at(work);
    (void)sgdsim_priv_carve_traces(config, state, run);
    arena = *state;
    sgdsim_priv_carve_state(&arena, run);
    SGDSIM_ASSERT(!arena.overflow && arena.used <= need);
    sgdsim_priv_compile(run);
    return SGDSIM_OK;
}

/* One run from the start. *run: as compiled, perhaps with another seed in its config. */
static sgdsim_status sgdsim_priv_go_with(sgdsim_priv_run *run, sgdsim_priv_arena state,
                                         int chains, sgdsim_result *out)
{
    sgdsim_status status;
    size_t i;
    sgdsim_priv_carve_state(&state, run);
    SGDSIM_ASSERT(!state.overflow);
    for (i = 0; i < run->profiles; i++) run->profile[i].drawn = 0;
    run->out = out;
    run->chains = chains;
    sgdsim_priv_begin(run);
    status = sgdsim_priv_loop(run);
    if (run->unclear) return status;
    if (status == SGDSIM_OK) status = sgdsim_priv_check_end(run);
    if (status == SGDSIM_OK) sgdsim_priv_report(run, out);
    return status;
}

/* There are no chains if the order of all workers counts: for on_op, for sums of
 * exponential times, and for a rule of the caller. */
static sgdsim_status sgdsim_priv_go(const sgdsim_priv_run *ready,
                                    sgdsim_priv_arena state, sgdsim_result *out)
{
    const sgdsim_config *config = ready->config;
    const int chains =
        !config->watch.on_op && !config->links.share
            && config->variation.service == SGDSIM_TRACED;
    sgdsim_priv_run run = *ready;
    const sgdsim_status status = sgdsim_priv_go_with(&run, state, chains, out);
    if (!run.unclear) return status;
    run = *ready;
    return sgdsim_priv_go_with(&run, state, 0, out);
}

SGDSIM_API sgdsim_status sgdsim_run(const sgdsim_config *config, void *work,
                                    size_t work_bytes, sgdsim_result *out)
{
    sgdsim_priv_arena state;
    sgdsim_priv_run ready;
    const sgdsim_status status =
        sgdsim_priv_ready(config, work, work_bytes, &ready, &state);
    if (status != SGDSIM_OK) return status;
    return out ? sgdsim_priv_go(&ready, state, out) : SGDSIM_BAD_ARGUMENT;
}

/* ---- Replications ---------------------------------------------------------- */

/* The samples so far: their mean, and the sum of squared deviations from it. */
typedef struct sgdsim_priv_moments {
    uint64_t n;
    double mean, squares;
} sgdsim_priv_moments;

static void sgdsim_priv_add_sample(sgdsim_priv_moments *of, double x)
{
    const double difference = x - of->mean;
    of->n++;
    of->mean += difference / (double)of->n;
    of->squares += difference * (x - of->mean);
    SGDSIM_ASSERT(!(of->squares < 0.0 && of->squares >= -DBL_MAX)); /* or overflowed  */
}

static sgdsim_status sgdsim_priv_estimate(const sgdsim_priv_moments *of,
                                          sgdsim_estimate *out)
{
    sgdsim_estimate e;
    SGDSIM_ASSERT(of->n >= 1);
    e.mean = of->mean;
    e.deviation = 0.0;
    e.ci95_half_width = HUGE_VAL;
    if (!(fabs(e.mean) <= DBL_MAX)) return SGDSIM_BAD_ARGUMENT;
    if (of->n > 1) {
        e.deviation = sqrt(of->squares / (double)(of->n - 1));
        e.ci95_half_width =
            sgdsim_priv_student95(of->n - 1) * e.deviation / sqrt((double)of->n);
        if (!sgdsim_priv_is_time(e.ci95_half_width)) return SGDSIM_BAD_ARGUMENT;
    }
    *out = e;
    return SGDSIM_OK;
}

SGDSIM_API sgdsim_status sgdsim_estimate_mean(const double *x, size_t n,
                                              sgdsim_estimate *out)
{
    sgdsim_priv_moments of = { 0, 0.0, 0.0 };
    size_t i;
    if (!x || n == 0 || !out) return SGDSIM_BAD_ARGUMENT;
    for (i = 0; i < n; i++) sgdsim_priv_add_sample(&of, x[i]);
    return sgdsim_priv_estimate(&of, out);
}

SGDSIM_API sgdsim_status sgdsim_replicate(const sgdsim_config *config, uint64_t runs,
                                          void *work, size_t work_bytes,
                                          sgdsim_replications *out)
{
    sgdsim_priv_moments of = { 0, 0.0, 0.0 };
    sgdsim_status status;
    sgdsim_config one;
    sgdsim_replications all;
    sgdsim_priv_arena state;
    sgdsim_priv_run ready;
    uint64_t i;
    if (!config || !out || runs == 0) return SGDSIM_BAD_ARGUMENT;
    one = *config;
    all = *out;
    all.runs = runs;
    all.events = 0;
    status = sgdsim_priv_ready(&one, work, work_bytes, &ready, &state);
    if (status != SGDSIM_OK) return status;
    for (i = 0; i < runs; i++) {
        if (i > 0) one.variation.seed = sgdsim_random(config->variation.seed, i, 0, 0);
        status = sgdsim_priv_go(&ready, state, &all.result);
        if (status != SGDSIM_OK) return status;
        sgdsim_priv_add_sample(&of, all.result.batches_per_s);
        all.events += all.result.events;
        if (all.run_batches_per_s) all.run_batches_per_s[i] = all.result.batches_per_s;
        if (all.on_run) all.on_run(all.on_run_ctx, i, &all.result);
    }
    SGDSIM_ASSERT(of.n == runs);
    status = sgdsim_priv_estimate(&of, &all.batches_per_s);
    if (status == SGDSIM_OK) *out = all;
    return status;
}

static int sgdsim_priv_is_less(const void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return *(const double *)a < *(const double *)b;
}

/* Where to split sorted x[n] so that the two parts explain most of the squares about the
 * mean; *explained: how much. Each part has `least` values or more. */
static size_t sgdsim_priv_split(const double *x, size_t n, size_t least, double mean,
                                double *explained)
{
    size_t i, best = 0;
    double sum = 0.0;
    *explained = -1.0;
    for (i = 1; i <= n - least; i++) {
        double between;
        sum += x[i - 1] - mean;            /* the upper part: as much above           */
        between = sum * sum / (double)i + sum * sum / (double)(n - i);
        if (i < least || !(between > *explained)) continue;
        *explained = between;
        best = i;
    }
    SGDSIM_ASSERT(best >= least && best <= n - least);
    return best;
}

SGDSIM_API sgdsim_status sgdsim_find_rates(double *x, size_t n, sgdsim_rates *out)
{
    sgdsim_priv_moments all = { 0, 0.0, 0.0 }, part[2] = { all, all };
    const size_t least = n < 20 ? 2 : (n + 9) / 10;
    double explained = 0.0;
    size_t i, at;
    if (!x || n == 0 || !out) return SGDSIM_BAD_ARGUMENT;
    for (i = 0; i < n; i++)
        if (!sgdsim_priv_is_time(x[i])) return SGDSIM_BAD_ARGUMENT;
    sgdsim_priv_sort(x, n, sizeof *x, sgdsim_priv_is_less, NULL);
    for (i = 0; i < n; i++) {
        sgdsim_priv_add_sample(&all, x[i]);
        if (!(all.squares <= DBL_MAX)) return SGDSIM_BAD_ARGUMENT;
    }
    out->rates = 1;
    out->mean[0] = out->mean[1] = all.mean;
    out->runs[0] = n;
    out->runs[1] = 0;
    if (n < SGDSIM_RATES_LEAST) return SGDSIM_OK;
    at = sgdsim_priv_split(x, n, least, all.mean, &explained);
    for (i = 0; i < n; i++) sgdsim_priv_add_sample(part + (i >= at), x[i]);
    if (!(explained > 0.9 * all.squares)) return SGDSIM_OK;
    if (!(part[1].mean - part[0].mean > 0.01 * all.mean)) return SGDSIM_OK;
    out->rates = 2;
    for (i = 0; i < 2; i++) {
        out->mean[i] = part[i].mean;
        out->runs[i] = (size_t)part[i].n;
    }
    return SGDSIM_OK;
}

/* ---- Collectives: steps made for them -------------------------------------- */

SGDSIM_API sgdsim_status sgdsim_trace_tensors(const sgdsim_tensors *in,
                                              const sgdsim_draft *out, size_t *ops)
{
    const size_t n = in ? in->tensors : 0, tail = 2 * n + 1;
    const sgdsim_layer *tensor = in ? in->tensor : NULL;
    const size_t none = SGDSIM_PRIV_NONE;
    sgdsim_priv_writer to = { NULL, NULL, 0 };
    double bytes = 0.0;
    size_t i;
    if (!tensor || n == 0 || n > (SGDSIM_PRIV_MOST_OPS - 4) / 2
        || !sgdsim_priv_is_draft(out, 0) || !ops || !sgdsim_priv_is_time(in->forward_s)
        || !sgdsim_priv_is_time(in->tail_s) || !sgdsim_priv_is_time(in->update_s))
        return SGDSIM_BAD_ARGUMENT;
    for (i = 0; i < n; i++) {
        bytes += tensor[i].bytes;
        if (!sgdsim_priv_is_time(tensor[i].bytes) || !sgdsim_priv_is_time(bytes)
            || !sgdsim_priv_is_time(tensor[i].backward_s))
            return SGDSIM_BAD_ARGUMENT;
    }
    to.op = out->op;
    to.wait = out->waits;
    (void)sgdsim_priv_put_op(&to, SGDSIM_WORKER, in->forward_s, none, none);
    for (i = 0; i < n; i++) {                      /* behind the pass so far          */
        const size_t pass = sgdsim_priv_put_op(&to, SGDSIM_WORKER, tensor[i].backward_s,
                                               i > 0 ? 2 * i - 1 : 0, none);
        (void)sgdsim_priv_put_op(&to, SGDSIM_UPLINK, tensor[i].bytes, pass, none);
    }
    (void)sgdsim_priv_put_op(&to, SGDSIM_WORKER, in->tail_s, 2 * n - 1, none);
    for (i = 0; i < n; i++) to.wait[i] = (uint32_t)(2 * i + 2);
    to.wait[n] = (uint32_t)tail;
    sgdsim_priv_set_op(to.op + to.ops++, SGDSIM_WORKER, in->update_s, to.wait, n + 1);
    to.wait += n + 1;
    if (in->gather)
        (void)sgdsim_priv_put_op(&to, SGDSIM_DOWNLINK, bytes, to.ops - 1, none);
    SGDSIM_ASSERT((size_t)(to.wait - out->waits) <= 3 * n + 4);
    *ops = to.ops;
    return SGDSIM_OK;
}

/* Adds a layer to a unit. Are the sums still finite? */
static int sgdsim_priv_add_layer(sgdsim_layer *unit, const sgdsim_layer *layer)
{
    unit->bytes += layer->bytes;
    unit->forward_s += layer->forward_s;
    unit->backward_s += layer->backward_s;
    unit->update_s += layer->update_s;
    return sgdsim_priv_is_layer(unit);
}

SGDSIM_API sgdsim_status sgdsim_trace_join(const sgdsim_layer *layer, size_t n,
                                           double least_bytes, sgdsim_layer *unit,
                                           size_t *units)
{
    const sgdsim_layer none = { 0.0, 0.0, 0.0, 0.0 };
    sgdsim_layer sum = none;
    size_t i, count = 0;
    int full = 1;
    if (!unit || !units || !sgdsim_priv_are_layers(layer, n)
        || !sgdsim_priv_is_time(least_bytes))
        return SGDSIM_BAD_ARGUMENT;
    for (i = 0; i < n; i++)
        if (!sgdsim_priv_add_layer(&sum, &layer[i])) return SGDSIM_BAD_ARGUMENT;
    for (i = 0; i < n; i++) {
        if (full) unit[count++] = none;
        (void)sgdsim_priv_add_layer(&unit[count - 1], &layer[i]);
        full = unit[count - 1].bytes > 0.0 && unit[count - 1].bytes >= least_bytes;
    }
    SGDSIM_ASSERT(count >= 1 && count <= n);
    if (count > 1 && !(unit[count - 1].bytes > 0.0)) {
        (void)sgdsim_priv_add_layer(&unit[count - 2], &unit[count - 1]);
        count--;
    }
    *units = count;
    return SGDSIM_OK;
}

/* Op numbers: unit i has its gather at 2 i, its forward pass at 2 i + 1. Place j of the
 * backward pass has its numbers from 2 n + ahead + 3 j on: its pass, its scatter, and the
 * gather of the unit `ahead` places later. At the last places there is no such gather. */
static void sgdsim_priv_put_units(const sgdsim_layer *unit, size_t n, size_t prefetch,
                                  double gathered, sgdsim_priv_writer *to)
{
    const size_t none = SGDSIM_PRIV_NONE, begins = 2 * n - 1;
    const size_t ahead = prefetch < n ? prefetch + 1 : n; /* gathered first           */
    size_t i, before = begins;
    for (i = 0; i < n; i++) {
        const size_t issued = i > prefetch ? 2 * (i - 1 - prefetch) + 1 : none;
        const size_t whole = sgdsim_priv_put_op(to, SGDSIM_DOWNLINK,
                                                unit[i].bytes * gathered, issued, none);
        (void)sgdsim_priv_put_op(to, SGDSIM_WORKER, unit[i].forward_s, whole,
                                 i > 0 ? 2 * i - 1 : none);
    }
    for (i = 0; i < ahead; i++)
        (void)sgdsim_priv_put_op(to, SGDSIM_DOWNLINK, unit[n - 1 - i].bytes * gathered,
                                 begins, none);
    for (i = 0; i < n; i++) {
        const sgdsim_layer *u = &unit[n - 1 - i];
        const size_t whole = i < ahead ? 2 * n + i : 2 * n + ahead + 3 * (i - ahead) + 2;
        before = sgdsim_priv_put_op(to, SGDSIM_WORKER, u->backward_s, whole, before);
        (void)sgdsim_priv_put_op(to, SGDSIM_UPLINK, u->bytes, before, none);
        if (i + ahead < n)
            (void)sgdsim_priv_put_op(to, SGDSIM_DOWNLINK,
                                     unit[n - 1 - i - ahead].bytes * gathered, before,
                                     none);
    }
    SGDSIM_ASSERT(to->ops == 5 * n);
}

SGDSIM_API sgdsim_status sgdsim_trace_units(const sgdsim_layer *unit, size_t n,
                                            uint32_t prefetch, double gathered,
                                            sgdsim_op *op, uint32_t *waits)
{
    const double times = gathered > 0.0 ? gathered : 1.0;
    sgdsim_priv_writer to = { op, waits, 0 };
    uint32_t *from;
    double update_s = 0.0;
    size_t i;
    if (!op || !waits || !sgdsim_priv_are_layers(unit, n)
        || !sgdsim_priv_is_time(gathered))
        return SGDSIM_BAD_ARGUMENT;
    for (i = 0; i < n; i++) {
        update_s += unit[i].update_s;
        if (!sgdsim_priv_is_time(unit[i].bytes * times)) return SGDSIM_BAD_ARGUMENT;
    }
    if (!sgdsim_priv_is_time(update_s)) return SGDSIM_BAD_ARGUMENT;
    sgdsim_priv_put_units(unit, n, prefetch, times, &to);
    from = to.wait;
    for (i = 0; i < 5 * n; i++)
        if (op[i].resource == SGDSIM_UPLINK) *to.wait++ = (uint32_t)i;
    sgdsim_priv_set_op(op + 5 * n, SGDSIM_WORKER, update_s, from, n);
    SGDSIM_ASSERT((size_t)(to.wait - waits) <= 8 * n);
    return SGDSIM_OK;
}

/* Writes the first n ops of a step, behind the op before them if there is one. */
static void sgdsim_priv_put_pass(const sgdsim_step *step, size_t n,
                                 sgdsim_priv_writer *to)
{
    const size_t first = to->ops;
    size_t i, k;
    for (i = 0; i < n; i++) {
        sgdsim_op *op = &to->op[to->ops++];
        *op = step->op[i];
        op->waits_for = op->waits > 0 ? to->wait : NULL;
        for (k = 0; k < op->waits; k++)
            *to->wait++ = (uint32_t)(first + step->op[i].waits_for[k]);
        if (op->waits > 0 || first == 0) continue;
        op->waits_for = to->wait;
        op->waits = 1;
        *to->wait++ = (uint32_t)(first - 1);
    }
    SGDSIM_ASSERT(to->ops == first + n);
}

SGDSIM_API sgdsim_status sgdsim_trace_accumulate(const sgdsim_step *step, size_t pass,
                                                 uint32_t passes, int exchanges,
                                                 const sgdsim_draft *out, size_t *ops)
{
    const size_t copies = exchanges ? passes : 1, none = SGDSIM_PRIV_NONE;
    const size_t most = SGDSIM_PRIV_MOST_OPS - (size_t)(!exchanges && passes > 1);
    sgdsim_priv_writer to;
    double before_s = 0.0;
    size_t i, k;
    if (!step || !step->op || pass == 0 || pass > step->ops || passes == 0
        || !sgdsim_priv_is_draft(out, 0) || !ops)
        return SGDSIM_BAD_ARGUMENT;
    if (step->ops > most || copies - 1 > (most - step->ops) / (pass + 1))
        return SGDSIM_TOO_LARGE;
    if (!sgdsim_priv_waits_within(step, 1)) return SGDSIM_BAD_ARGUMENT;
    for (i = 0; i < pass; i++)
        if (step->op[i].resource == SGDSIM_WORKER)
            before_s += (passes - 1.0) * step->op[i].duration_s;
    if (!sgdsim_priv_is_time(before_s)) return SGDSIM_BAD_ARGUMENT;
    to.op = out->op;
    to.wait = out->waits;
    to.ops = 0;
    if (most < SGDSIM_PRIV_MOST_OPS)
        (void)sgdsim_priv_put_op(&to, SGDSIM_WORKER, before_s, none, none);
    for (k = 1; k < copies; k++) {
        uint32_t *from;
        sgdsim_priv_put_pass(step, pass, &to);
        from = to.wait;
        for (i = 0; i < pass; i++) *to.wait++ = (uint32_t)(to.ops - pass + i);
        sgdsim_priv_set_op(to.op + to.ops++, SGDSIM_WORKER, 0.0, from, pass);
    }
    sgdsim_priv_put_pass(step, step->ops, &to);
    *ops = to.ops;
    return SGDSIM_OK;
}

/* The parts of a step in which nothing overlaps, in their order. */
enum { SGDSIM_PRIV_BEFORE = 0, SGDSIM_PRIV_AFTER, SGDSIM_PRIV_LAST, SGDSIM_PRIV_PARTS };

/* Is op i an UPLINK, or does it wait for one that part[] knows? */
static int sgdsim_priv_is_after(const sgdsim_step *step, size_t i, const uint32_t *part)
{
    const sgdsim_op *op = &step->op[i];
    size_t k;
    if (op->resource == SGDSIM_UPLINK) return 1;
    for (k = 0; k < op->waits; k++)
        if (part[op->waits_for[k]] != SGDSIM_PRIV_BEFORE) return 1;
    return 0;
}

/* Writes the part of each op to part[ops]. Goes up and down in turn until nothing
 * changes, once each if no op waits for a higher number. */
static void sgdsim_priv_part(const sgdsim_step *step, uint32_t *part)
{
    size_t i, k, at, changed = 1, down = 0;
    for (i = 0; i < step->ops; i++) part[i] = SGDSIM_PRIV_BEFORE;
    for (; changed > 0; down = !down)
        for (changed = 0, i = 0; i < step->ops; i++) {
            at = down ? step->ops - 1 - i : i;
            if (part[at] != SGDSIM_PRIV_BEFORE || !sgdsim_priv_is_after(step, at, part))
                continue;
            part[at] = SGDSIM_PRIV_LAST;
            changed++;
        }
    for (i = 0; i < step->ops; i++) {
        if (step->op[i].resource == SGDSIM_UPLINK) part[i] = SGDSIM_PRIV_AFTER;
        for (k = 0; k < step->op[i].waits; k++)
            if (part[i] != SGDSIM_PRIV_BEFORE
                && part[step->op[i].waits_for[k]] == SGDSIM_PRIV_LAST)
                part[step->op[i].waits_for[k]] = SGDSIM_PRIV_AFTER;
    }
}

/* Writes the ops before the UPLINKs for which no other such op waits: who waits for these
 * waits for all of them. Returns their number. used[ops] is work area. */
static size_t sgdsim_priv_ends(const sgdsim_step *step, const uint32_t *part,
                               uint32_t *used, uint32_t *end)
{
    size_t i, k, ends = 0;
    for (i = 0; i < step->ops; i++) used[i] = 0;
    for (i = 0; i < step->ops; i++)
        for (k = 0; k < step->op[i].waits && part[i] == SGDSIM_PRIV_BEFORE; k++)
            used[step->op[i].waits_for[k]] = 1;
    for (i = 0; i < step->ops; i++)
        if (part[i] == SGDSIM_PRIV_BEFORE && !used[i]) end[ends++] = (uint32_t)i;
    return ends;
}

/* Numbers the ops part by part: old number i becomes to[i], from[to[i]] = i. Returns the
 * new number of the last UPLINK by old number; ops if there is none. */
static size_t sgdsim_priv_number(const sgdsim_step *step, const uint32_t *part,
                                 uint32_t *to, uint32_t *from)
{
    size_t p, i, count = 0, last = step->ops;
    for (p = 0; p < SGDSIM_PRIV_PARTS; p++)
        for (i = 0; i < step->ops; i++) {
            if (part[i] != p) continue;
            if (step->op[i].resource == SGDSIM_UPLINK) last = count;
            from[count] = (uint32_t)i;
            to[i] = (uint32_t)count++;
        }
    SGDSIM_ASSERT(count == step->ops);
    return last;
}

SGDSIM_API sgdsim_status sgdsim_trace_expose(const sgdsim_step *step, double growth,
                                             const sgdsim_draft *out)
{
    const size_t n = step ? step->ops : 0;
    uint32_t *part, *to, *w, *end;
    size_t i, k, ends, last;
    if (n == 0 || !step->op || !sgdsim_priv_is_draft(out, 1)
        || !(growth >= 1.0 && growth <= DBL_MAX))
        return SGDSIM_BAD_ARGUMENT;
    if (n > SGDSIM_PRIV_COUNTED_OPS) return SGDSIM_TOO_LARGE;
    if (!sgdsim_priv_waits_within(step, 0)) return SGDSIM_BAD_TRACE;
    for (i = 0; i < n; i++)
        if (!sgdsim_priv_is_time(step->op[i].duration_s * growth))
            return SGDSIM_BAD_ARGUMENT;
    part = out->waits;
    to = part + n;
    end = to + n;
    sgdsim_priv_part(step, part);
    ends = sgdsim_priv_ends(step, part, to, end);
    w = end + ends;
    last = sgdsim_priv_number(step, part, to, out->from);
    for (i = 0; i < ends; i++) end[i] = to[end[i]];
    for (i = 0; i < n; i++) {
        const uint32_t of = out->from[i];
        const int uplink = step->op[of].resource == SGDSIM_UPLINK;
        int waits = part[of] != SGDSIM_PRIV_LAST;  /* for the last UPLINK             */
        sgdsim_op *op = &out->op[i];
        *op = step->op[of];
        op->waits_for = w;
        for (k = 0; k < op->waits; k++) {
            const uint32_t for_op = step->op[of].waits_for[k];
            if (uplink && part[for_op] == SGDSIM_PRIV_BEFORE) continue;
            waits = waits || to[for_op] == last;
            *w++ = to[for_op];
        }
        if (!waits) *w++ = (uint32_t)last;
        op->waits = (size_t)(w - op->waits_for);
        if (uplink && op->waits == 0) {
            op->waits_for = end;
            op->waits = ends;
        }
        if (op->waits == 0) op->waits_for = NULL;
        if (op->resource == SGDSIM_WORKER && part[of] == SGDSIM_PRIV_BEFORE)
            op->duration_s *= growth;
    }
    SGDSIM_ASSERT(last <= n);
    return SGDSIM_OK;
}

/* ---- Collectives: what they cost ------------------------------------------- */

static double sgdsim_priv_cost_s(const sgdsim_cost *cost, size_t level)
{
    return cost->latency_s[level] + cost->busy_s[level];
}

static int sgdsim_priv_is_cost(const sgdsim_cost *cost)
{
    size_t l;
    if (!sgdsim_priv_is_time(cost->alone_s)) return 0;
    for (l = 0; l < SGDSIM_LEVELS; l++) {
        if (!sgdsim_priv_is_time(cost->latency_s[l])
            || !sgdsim_priv_is_time(cost->busy_s[l])
            || !(cost->share[l] >= 0.0 && cost->share[l] <= 1.0)
            || sgdsim_priv_cost_s(cost, l) > cost->alone_s * (1.0 + 1e-9))
            return 0;
    }
    return 1;
}

/* ---- Collectives: under way ------------------------------------------------ */

/* Stages: inside machines, between machines, inside machines. */
#define SGDSIM_PRIV_STAGES 3u

enum { SGDSIM_PRIV_OFF = 0, SGDSIM_PRIV_WAITS, SGDSIM_PRIV_SENDS };

typedef struct sgdsim_priv_flow {
    size_t group, collective;
    unsigned stage;                 /* SGDSIM_PRIV_STAGES: it is over                 */
    int    state[SGDSIM_LEVELS];    /* what it does on each link in this stage        */
    double until_s[SGDSIM_LEVELS];  /* it waits until then                            */
    double left_s[SGDSIM_LEVELS];   /* work left to send, on the whole link           */
    double share[SGDSIM_LEVELS];    /* its share now                                  */
} sgdsim_priv_flow;

/* The part of a collective's work on a link that belongs to a stage. */
static double sgdsim_priv_stage_part(const sgdsim_cost *cost, size_t level,
                                     unsigned stage)
{
    const double local_s = sgdsim_priv_cost_s(cost, SGDSIM_LOCAL);
    const double network_s = sgdsim_priv_cost_s(cost, SGDSIM_NETWORK);
    const double least_s = local_s < network_s ? local_s : network_s;
    double both_s = local_s + network_s - cost->alone_s;
    if (level == SGDSIM_NETWORK) return stage == 1 ? 1.0 : 0.0;
    if (!(local_s > 0.0)) return 0.0;
    if (!(both_s > 0.0)) both_s = 0.0;
    if (both_s > least_s) both_s = least_s;
    return (stage == 1 ? both_s : 0.5 * (local_s - both_s)) / local_s;
}

/* How long a collective waits on the network beyond what both links take. */
static double sgdsim_priv_extra_s(const sgdsim_cost *cost)
{
    const double extra_s = cost->alone_s - sgdsim_priv_cost_s(cost, SGDSIM_LOCAL)
                         - sgdsim_priv_cost_s(cost, SGDSIM_NETWORK);
    return extra_s > 0.0 ? extra_s : 0.0;
}

/* A flow's wait on a link is over. */
static void sgdsim_priv_flow_send(sgdsim_priv_flow *flow, size_t level)
{
    flow->state[level] = flow->left_s[level] > 0.0 ? SGDSIM_PRIV_SENDS : SGDSIM_PRIV_OFF;
}

/* Begins the next stages, up to one in which there is something to do. */
static void sgdsim_priv_flow_go_on(sgdsim_priv_flow *flow, const sgdsim_cost *cost,
                                   double now_s)
{
    size_t l;
    for (; flow->stage < SGDSIM_PRIV_STAGES; flow->stage++) {
        for (l = 0; l < SGDSIM_LEVELS; l++) {
            const double part = sgdsim_priv_stage_part(cost, l, flow->stage);
            const double most = cost->share[l] > 0.0 ? cost->share[l] : 1.0;
            double wait_s = part * cost->latency_s[l];
            if (l == SGDSIM_NETWORK && flow->stage == 1)
                wait_s += sgdsim_priv_extra_s(cost);
            flow->until_s[l] = now_s + wait_s;
            flow->left_s[l] = part * cost->busy_s[l] * most;
            flow->state[l] = SGDSIM_PRIV_WAITS;
            if (!(wait_s > 0.0)) sgdsim_priv_flow_send(flow, l);
        }
        if (flow->state[SGDSIM_LOCAL] || flow->state[SGDSIM_NETWORK]) return;
    }
}

/* ---- Collectives: groups --------------------------------------------------- */

#define SGDSIM_PRIV_NO_OP UINT32_MAX
#define SGDSIM_PRIV_LANES 2          /* a worker's WORKER ops, its SERVER ops          */

/* What profiled steps with the same graph share. */
typedef struct sgdsim_priv_wiring {
    uint32_t *dependants_at;        /* [ops + 1]                                      */
    uint32_t *dependant;
    uint32_t *after;                /* [ops] the next op in its lane; NO_OP: none     */
    uint32_t *collective;           /* [ops] its collective; NO_OP: none              */
    uint32_t *exchange;             /* [exchanges] the op of each                     */
    uint32_t  first[SGDSIM_PRIV_LANES];
} sgdsim_priv_wiring;

/* The state of an op in a worker's step. */
typedef struct sgdsim_priv_op_state {
    double   ready_s;
    uint32_t waits;                 /* prerequisites not yet done                     */
    uint32_t cause;                 /* the last of the prerequisites to end           */
} sgdsim_priv_op_state;

/* A worker, or several that do the same. */
typedef struct sgdsim_priv_rank {
    size_t   type, profile;
    const sgdsim_step *step;        /* the profiled step                              */
    uint32_t worker, count;         /* the first worker; number of workers            */
    sgdsim_priv_op_state *state;    /* [ops]                                          */
    uint32_t next[SGDSIM_PRIV_LANES];
    double   free_s[SGDSIM_PRIV_LANES];
    double   busy_s[SGDSIM_PRIV_LANES]; /* in all steps                               */
    size_t   left;                  /* ops of this step that have not ended           */
    double   end_s;
    uint32_t last;                  /* the op that ended at end_s                     */
    sgdsim_waiting spent;
} sgdsim_priv_rank;

typedef struct sgdsim_priv_collective {
    sgdsim_resource what;
    double   bytes;
    sgdsim_cost cost;
    uint32_t first, last;           /* its exchanges, in `sorted` of the group        */
    size_t   waits, left;           /* exchanges; those of all ranks, not yet ready   */
    double   ready_s;               /* when the last exchange was ready, so far       */
    double   start_s;
} sgdsim_priv_collective;

/* An exchange while buckets are formed. */
typedef struct sgdsim_priv_offer {
    double   ready_s;
    uint32_t op, exchange;
    uint32_t next;                  /* of its collective, in `sorted`; NO_OP: none    */
} sgdsim_priv_offer;

typedef struct sgdsim_priv_group {
    const sgdsim_group *of;
    size_t   profiles, wirings, ops, exchanges, ranks, collectives, streams;
    double   workers;
    const sgdsim_priv_wiring **wiring_of; /* [profiles]                               */
    sgdsim_priv_wiring *wiring;     /* [wirings]                                      */
    sgdsim_priv_rank *rank;         /* [ranks]                                        */
    sgdsim_priv_collective *collective; /* [exchanges] `collectives` of them are used  */
    sgdsim_priv_offer *sorted;      /* [exchanges]                                    */
    uint32_t *queue;                /* [exchanges] collectives in the order in which  */
    size_t   queued, started;       /*   they start; how many, in this step           */
    uint32_t *stack;                /* [ops] ops to end that take no time             */
    double  *end_s;                 /* [ops] while buckets are formed                 */
    size_t   running, runs_of[SGDSIM_RESOURCES];
    double   carried_s[SGDSIM_RESOURCES];
    uint64_t step, events;
    double   begin_s, warm_s;
    size_t   busy;                  /* ranks that have ops left                       */
    sgdsim_group_result *out;
} sgdsim_priv_group;

typedef struct sgdsim_priv_network {
    sgdsim_priv_group *group;       /* [groups]                                       */
    size_t groups;
    sgdsim_priv_flow *flow;         /* [room], of which `flows` are under way, in the */
    size_t flows, room;             /*   order of their start                         */
    double now_s;
    double carried_s[SGDSIM_LEVELS];
} sgdsim_priv_network;

static int sgdsim_priv_is_exchange(const sgdsim_group *of, const sgdsim_op *op)
{
    return op->resource == SGDSIM_UPLINK
        || (op->resource == SGDSIM_DOWNLINK && of->gathers);
}

/* The lane of an op, 0 or 1; SGDSIM_PRIV_LANES: none. */
static size_t sgdsim_priv_lane_of(const sgdsim_op *op)
{
    if (op->resource == SGDSIM_WORKER) return 0;
    return op->resource == SGDSIM_SERVER ? 1 : SGDSIM_PRIV_LANES;
}

/* ---- Collectives: checks, and layout of the work --------------------------- */

static int sgdsim_priv_is_group(const sgdsim_group *of)
{
    size_t t;
    uint64_t workers = 0;
    if (of->workers.types == 0 || !of->workers.trace || !of->workers.count || !of->cost
        || of->length.steps == 0
        || of->length.steps > UINT32_MAX || !sgdsim_priv_is_time(of->bucket_bytes)
        || !sgdsim_priv_is_time(of->first_bucket_bytes))
        return 0;
    for (t = 0; t < of->workers.types; t++) {
        workers += of->workers.count[t];
        if (of->workers.count[t] == 0 || workers > UINT32_MAX) return 0;
    }
    return 1;
}

/* Does each op wait for lower numbers, and has the step the exchanges of the first? */
static sgdsim_status sgdsim_priv_check_exchanges(const sgdsim_group *of, size_t s)
{
    const sgdsim_step *first = of->workers.trace->step;
    const sgdsim_step *step = sgdsim_priv_step_at(of->workers.trace, s);
    size_t i, k, at = 0;
    for (i = 0; i < step->ops; i++) {
        const sgdsim_op *op = step->op + i;
        for (k = 0; k < op->waits; k++)
            if (op->waits_for[k] >= i) return SGDSIM_BAD_TRACE;
        if (!sgdsim_priv_is_exchange(of, op)) continue;
        while (at < first->ops && !sgdsim_priv_is_exchange(of, first->op + at)) at++;
        if (at == first->ops || first->op[at].resource != op->resource
            || !sgdsim_priv_same(first->op[at].bytes, op->bytes))
            return SGDSIM_BAD_TRACE;
        at++;
    }
    while (at < first->ops && !sgdsim_priv_is_exchange(of, first->op + at)) at++;
    return at == first->ops ? SGDSIM_OK : SGDSIM_BAD_TRACE;
}

static void sgdsim_priv_carve_wiring(sgdsim_priv_arena *arena, const sgdsim_step *step,
                                     size_t exchanges, sgdsim_priv_wiring *w)
{
    size_t i, edges = 0;
    for (i = 0; i < step->ops; i++) edges += step->op[i].waits;
    w->dependants_at = SGDSIM_PRIV_TAKE(arena, step->ops + 2, uint32_t);
    w->dependant = SGDSIM_PRIV_TAKE(arena, edges, uint32_t);
    w->after = SGDSIM_PRIV_TAKE(arena, step->ops, uint32_t);
    w->collective = SGDSIM_PRIV_TAKE(arena, step->ops, uint32_t);
    w->exchange = SGDSIM_PRIV_TAKE(arena, exchanges, uint32_t);
}

/* Has profiled step i another graph than the step before it? */
static int sgdsim_priv_is_new_graph(const sgdsim_group *of, size_t i)
{
    return i == 0
        || !sgdsim_priv_same_graph(sgdsim_priv_step_at(of->workers.trace, i - 1),
                                             sgdsim_priv_step_at(of->workers.trace, i));
}

static void sgdsim_priv_measure_group(const sgdsim_group *of, sgdsim_priv_group *g)
{
    size_t t, i;
    memset(g, 0, sizeof *g);
    g->of = of;
    g->streams = of->streams > 1 ? of->streams : 1;
    for (t = 0; t < of->workers.types; t++) {
        g->profiles += of->workers.trace[t].steps;
        g->ranks += of->workers.trace[t].steps > 1 ? of->workers.count[t] : 1;
        g->workers += of->workers.count[t];
    }
    for (i = 0; i < g->profiles; i++) {
        const sgdsim_step *step = sgdsim_priv_step_at(of->workers.trace, i);
        g->wirings += (size_t)sgdsim_priv_is_new_graph(of, i);
        if (step->ops > g->ops) g->ops = step->ops;
    }
    for (i = 0; i < of->workers.trace->step->ops; i++)
        g->exchanges += (size_t)sgdsim_priv_is_exchange(of,
                                                        of->workers.trace->step->op + i);
}

static void sgdsim_priv_carve_group(sgdsim_priv_arena *arena, const sgdsim_group *of,
                                    sgdsim_priv_group *g)
{
    sgdsim_priv_wiring none, *w;
    sgdsim_priv_op_state *state;
    size_t i, r, at = 0;
    sgdsim_priv_measure_group(of, g);
    g->wiring_of = SGDSIM_PRIV_TAKE(arena, g->profiles, const sgdsim_priv_wiring *);
    g->wiring = SGDSIM_PRIV_TAKE(arena, g->wirings, sgdsim_priv_wiring);
    g->rank = SGDSIM_PRIV_TAKE(arena, g->ranks, sgdsim_priv_rank);
    g->collective = SGDSIM_PRIV_TAKE(arena, g->exchanges, sgdsim_priv_collective);
    g->sorted = SGDSIM_PRIV_TAKE(arena, g->exchanges, sgdsim_priv_offer);
    g->queue = SGDSIM_PRIV_TAKE(arena, g->exchanges, uint32_t);
    g->stack = SGDSIM_PRIV_TAKE(arena, g->ops, uint32_t);
    g->end_s = sgdsim_priv_doubles(arena, g->ops);
    for (i = 0; i < g->profiles; i++) {
        if (sgdsim_priv_is_new_graph(of, i)) {
            w = g->wiring ? &g->wiring[at++] : &none;
            sgdsim_priv_carve_wiring(arena, sgdsim_priv_step_at(of->workers.trace, i),
                                     g->exchanges, w);
        }
        if (g->wiring_of) g->wiring_of[i] = &g->wiring[at - 1];
    }
    state = (sgdsim_priv_op_state *)sgdsim_priv_take(arena, g->ranks,
                                                     g->ops * sizeof *state);
    for (r = 0; r < g->ranks && g->rank; r++) g->rank[r].state = state + r * g->ops;
}

static void sgdsim_priv_carve_groups(sgdsim_priv_arena *arena, const sgdsim_group *group,
                                     size_t groups, sgdsim_priv_network *net)
{
    sgdsim_priv_group none;
    size_t i, flows = 0;
    memset(net, 0, sizeof *net);
    net->groups = groups;
    net->group = SGDSIM_PRIV_TAKE(arena, groups, sgdsim_priv_group);
    for (i = 0; i < groups && !arena->overflow; i++) {
        sgdsim_priv_group *g = net->group ? &net->group[i] : &none;
        sgdsim_priv_carve_group(arena, &group[i], g);
        flows += g->streams < g->exchanges ? g->streams : g->exchanges;
    }
    net->room = flows;
    net->flow = SGDSIM_PRIV_TAKE(arena, flows, sgdsim_priv_flow);
}

/* Checks all but what the traces say beside their sizes. */
static sgdsim_status sgdsim_priv_check_groups(const sgdsim_group *group, size_t groups)
{
    size_t i, t;
    if (!group || groups == 0) return SGDSIM_BAD_ARGUMENT;
    for (i = 0; i < groups; i++) {
        if (!sgdsim_priv_is_group(&group[i])) return SGDSIM_BAD_ARGUMENT;
        for (t = 0; t < group[i].workers.types; t++) {
            const sgdsim_trace *trace = &group[i].workers.trace[t];
            size_t most = 0;
            const sgdsim_status status = sgdsim_priv_check_lists(trace, &most);
            if (status != SGDSIM_OK) return status;
        }
    }
    return SGDSIM_OK;
}

SGDSIM_API sgdsim_status sgdsim_run_groups_bytes(const sgdsim_group *group,
                                                 size_t groups, size_t *bytes)
{
    sgdsim_priv_arena arena = sgdsim_priv_arena_at(NULL);
    sgdsim_priv_network net;
    const sgdsim_status status = sgdsim_priv_check_groups(group, groups);
    if (status != SGDSIM_OK) return status;
    sgdsim_priv_carve_groups(&arena, group, groups, &net); /* more than a check takes */
    return sgdsim_priv_answer(&arena, bytes);
}

/* ---- Collectives: compiling the traces ------------------------------------- */

static void sgdsim_priv_compile_wiring(const sgdsim_group *of, const sgdsim_step *step,
                                       sgdsim_priv_wiring *w)
{
    uint32_t last[SGDSIM_PRIV_LANES + 1];
    size_t i, exchanges = 0;
    for (i = 0; i < SGDSIM_PRIV_LANES; i++) w->first[i] = last[i] = SGDSIM_PRIV_NO_OP;
    sgdsim_priv_find_dependants(step, w->dependants_at, w->dependant);
    for (i = 0; i < step->ops; i++) {
        const sgdsim_op *op = step->op + i;
        const size_t lane = sgdsim_priv_lane_of(op);
        w->after[i] = w->collective[i] = SGDSIM_PRIV_NO_OP;
        if (sgdsim_priv_is_exchange(of, op)) w->exchange[exchanges++] = (uint32_t)i;
        if (lane == SGDSIM_PRIV_LANES) continue;
        if (last[lane] == SGDSIM_PRIV_NO_OP) w->first[lane] = (uint32_t)i;
        else w->after[last[lane]] = (uint32_t)i;
        last[lane] = (uint32_t)i;
    }
}

static int sgdsim_priv_is_ready_before(const void *ctx, const void *a, const void *b)
{
    const sgdsim_priv_offer *x = (const sgdsim_priv_offer *)a;
    const sgdsim_priv_offer *y = (const sgdsim_priv_offer *)b;
    (void)ctx;
    if (x->ready_s < y->ready_s) return 1;
    return !(y->ready_s < x->ready_s) && x->op < y->op;
}

/* Finds when exchanges of the first profiled step are ready if exchanges take no time. */
static void sgdsim_priv_sort_exchanges(sgdsim_priv_group *g)
{
    const sgdsim_step *step = g->of->workers.trace->step;
    double free_s[SGDSIM_PRIV_LANES] = { 0.0, 0.0 };
    size_t i, k, at = 0;
    for (i = 0; i < step->ops; i++) {
        const sgdsim_op *op = step->op + i;
        const size_t lane = sgdsim_priv_lane_of(op);
        double ready_s = 0.0;
        for (k = 0; k < op->waits; k++)
            if (g->end_s[op->waits_for[k]] > ready_s)
                ready_s = g->end_s[op->waits_for[k]];
        if (lane < SGDSIM_PRIV_LANES) {
            if (ready_s < free_s[lane]) ready_s = free_s[lane];
            ready_s += op->duration_s;
            free_s[lane] = ready_s;
        }
        g->end_s[i] = ready_s;
        if (!sgdsim_priv_is_exchange(g->of, op)) continue;
        g->sorted[at].ready_s = ready_s;
        g->sorted[at].op = (uint32_t)i;
        g->sorted[at].exchange = (uint32_t)at;
        at++;
    }
    SGDSIM_ASSERT(at == g->exchanges);
    sgdsim_priv_sort(g->sorted, at, sizeof *g->sorted, sgdsim_priv_is_ready_before, NULL);
}

/* Uplinks join the open bucket. Each gather is a collective of its own. */
static sgdsim_status sgdsim_priv_form_collectives(sgdsim_priv_group *g)
{
    const double cap = g->of->bucket_bytes;
    const sgdsim_op *op = g->of->workers.trace->step->op;
    sgdsim_priv_collective *open = NULL;
    double limit = g->of->first_bucket_bytes > 0.0 ? g->of->first_bucket_bytes
                                                   : SGDSIM_FIRST_BUCKET_BYTES;
    size_t i;
    for (i = 0; i < g->exchanges; i++) {
        const sgdsim_op *of = &op[g->sorted[i].op];
        const int gathers = of->resource == SGDSIM_DOWNLINK;
        sgdsim_priv_collective *c = gathers ? NULL : open;
        if (!c) {
            c = &g->collective[g->collectives++];
            memset(c, 0, sizeof *c);
            c->what = of->resource;
            c->first = (uint32_t)i;
        } else {
            g->sorted[c->last].next = (uint32_t)i;
        }
        c->last = (uint32_t)i;
        g->sorted[i].next = SGDSIM_PRIV_NO_OP;
        c->bytes += of->bytes;
        c->waits++;
        if (!sgdsim_priv_is_time(c->bytes)) return SGDSIM_BAD_ARGUMENT;
        if (gathers) continue;
        open = cap > 0.0 && !sgdsim_priv_closes(c->bytes, cap, &limit) ? c : NULL;
    }
    SGDSIM_ASSERT(g->collectives <= g->exchanges);
    return SGDSIM_OK;
}

static sgdsim_status sgdsim_priv_price_collectives(sgdsim_priv_group *g)
{
    double sum_s = 0.0;
    size_t c, i;
    uint32_t e;
    for (c = 0; c < g->collectives; c++) {
        sgdsim_priv_collective *of = &g->collective[c];
        if (!g->of->cost(g->of->cost_ctx, of->what, of->bytes, &of->cost)
            || !sgdsim_priv_is_cost(&of->cost))
            return SGDSIM_BAD_ARGUMENT;
        sum_s += of->cost.alone_s;
        for (i = 0; i < g->wirings; i++)
            for (e = of->first; e != SGDSIM_PRIV_NO_OP; e = g->sorted[e].next)
                g->wiring[i].collective[g->wiring[i].exchange[g->sorted[e].exchange]] =
                    (uint32_t)c;
    }
    return sgdsim_priv_is_time(sum_s) ? SGDSIM_OK : SGDSIM_BAD_ARGUMENT;
}

static sgdsim_status sgdsim_priv_compile_group(sgdsim_priv_group *g)
{
    const sgdsim_group *of = g->of;
    size_t i, at = 0, t, r = 0;
    uint32_t w = 0, k;
    sgdsim_status status;
    for (i = 0; i < g->profiles; i++)
        if (sgdsim_priv_is_new_graph(of, i))
            sgdsim_priv_compile_wiring(of, sgdsim_priv_step_at(of->workers.trace, i),
                                       &g->wiring[at++]);
    SGDSIM_ASSERT(at == g->wirings);
    for (t = 0; t < of->workers.types; t++)
        for (k = 0; k < of->workers.count[t]; r++) {
            sgdsim_priv_rank *rank = &g->rank[r];
            sgdsim_priv_op_state *state = rank->state;
            memset(rank, 0, sizeof *rank);
            rank->state = state;
            rank->type = t;
            rank->worker = w;
            rank->count = of->workers.trace[t].steps > 1 ? 1 : of->workers.count[t];
            w += rank->count;
            k += rank->count;
        }
    SGDSIM_ASSERT(r == g->ranks);
    sgdsim_priv_sort_exchanges(g);
    status = sgdsim_priv_form_collectives(g);
    return status == SGDSIM_OK ? sgdsim_priv_price_collectives(g) : status;
}

/* ---- Collectives: workers -------------------------------------------------- */

static void sgdsim_priv_tell_op(const sgdsim_priv_group *g, const sgdsim_priv_rank *rank,
                                uint32_t op, double ready_s, double start_s, double end_s)
{
    const sgdsim_op *of = rank->step->op + op;
    sgdsim_event e;
    uint32_t i;
    size_t t;
    e.step = (uint32_t)g->step;
    e.traced_step = (uint32_t)rank->profile;
    for (t = 0; t < rank->type; t++)
        e.traced_step -= (uint32_t)g->of->workers.trace[t].steps;
    e.op = op;
    e.resource = of->resource;
    e.server = of->resource == SGDSIM_SERVER ? of->server : 0;
    e.ready_s = ready_s;
    e.start_s = start_s;
    e.end_s = end_s;
    for (i = 0; i < rank->count; i++) {
        e.worker = rank->worker + i;
        g->of->watch.on_op(g->of->watch.ctx, &e);
    }
}

/* A collective for which all ranks are ready joins the queue: by time, then in the order
 * in which buckets closed. */
static void sgdsim_priv_line_up(sgdsim_priv_group *g, size_t c)
{
    const sgdsim_priv_collective *of = &g->collective[c];
    size_t at = g->queued++;
    SGDSIM_ASSERT(g->queued <= g->collectives);
    while (at > g->started) {
        const sgdsim_priv_collective *before = &g->collective[g->queue[at - 1]];
        if (before->ready_s < of->ready_s
            || (!(of->ready_s < before->ready_s) && before->last < of->last))
            break;
        g->queue[at] = g->queue[at - 1];
        at--;
    }
    g->queue[at] = (uint32_t)c;
}

/* All that an op waits for has ended. If it takes no time it goes on the stack. */
static void sgdsim_priv_op_ready(sgdsim_priv_group *g, const sgdsim_priv_rank *rank,
                                 uint32_t op, size_t *top)
{
    const uint32_t c = g->wiring_of[rank->profile]->collective[op];
    const sgdsim_op *of = rank->step->op + op;
    if (c != SGDSIM_PRIV_NO_OP) {
        sgdsim_priv_collective *to = &g->collective[c];
        const double ready_s = rank->state[op].ready_s;
        if (ready_s > to->ready_s) to->ready_s = ready_s;
        SGDSIM_ASSERT(to->left > 0);
        if (--to->left == 0) sgdsim_priv_line_up(g, c);
    } else if (sgdsim_priv_lane_of(of) == SGDSIM_PRIV_LANES) {
        SGDSIM_ASSERT(*top < g->ops);
        g->stack[(*top)++] = op;
    }
}

/* An op has ended. Ops that waited for it may be ready; if they take no time they end. */
static void sgdsim_priv_end_op(sgdsim_priv_group *g, sgdsim_priv_rank *rank, uint32_t op,
                               double end_s)
{
    const sgdsim_priv_wiring *w = g->wiring_of[rank->profile];
    size_t top = 0;
    uint32_t k, ended = op;
    for (;;) {
        SGDSIM_ASSERT(rank->left > 0);
        if (--rank->left == 0) g->busy--;
        if (end_s >= rank->end_s) {
            rank->end_s = end_s;
            rank->last = ended;
        }
        for (k = w->dependants_at[ended]; k < w->dependants_at[ended + 1]; k++) {
            const uint32_t next = w->dependant[k];
            sgdsim_priv_op_state *state = &rank->state[next];
            if (end_s >= state->ready_s) {
                state->ready_s = end_s;
                state->cause = ended;
            }
            SGDSIM_ASSERT(state->waits > 0);
            if (--state->waits == 0) sgdsim_priv_op_ready(g, rank, next, &top);
        }
        if (top == 0) return;
        ended = g->stack[--top];
        end_s = rank->state[ended].ready_s;
        if (g->of->watch.on_op) sgdsim_priv_tell_op(g, rank, ended, end_s, end_s, end_s);
    }
}

/* Counts the time from from_s to to_s as waiting for an op. If the op is of a collective,
 * the time until all workers were ready counts as waiting for workers. */
static void sgdsim_priv_blame_op(const sgdsim_priv_group *g, sgdsim_priv_rank *rank,
                                 uint32_t op, double from_s, double to_s)
{
    const uint32_t c = g->wiring_of[rank->profile]->collective[op];
    if (c != SGDSIM_PRIV_NO_OP && g->collective[c].ready_s > from_s) {
        SGDSIM_ASSERT(g->collective[c].ready_s <= to_s);       /* when it has ended   */
        rank->spent.barrier_s += g->collective[c].ready_s - from_s;
        from_s = g->collective[c].ready_s;
    }
    switch (rank->step->op[op].resource) {
    case SGDSIM_DOWNLINK: rank->spent.downlink_s += to_s - from_s; break;
    case SGDSIM_UPLINK:   rank->spent.uplink_s += to_s - from_s; break;
    default:              rank->spent.server_s += to_s - from_s; break;
    }
}

/* A worker did not compute until an op had ended. Finds out why: from this op back to the
 * one that it waited for, and so on. */
static void sgdsim_priv_idle(const sgdsim_priv_group *g, sgdsim_priv_rank *rank,
                             double from_s, double to_s, uint32_t op)
{
    while (to_s > from_s) {
        const double ready_s = rank->state[op].ready_s;
        const double since_s = ready_s > from_s ? ready_s : from_s;
        if (since_s < to_s) {
            sgdsim_priv_blame_op(g, rank, op, since_s, to_s);
            to_s = since_s;
        }
        SGDSIM_ASSERT(rank->state[op].cause < op || !(to_s > from_s));
        op = rank->state[op].cause;
    }
}

/* Lets a worker run as far ahead as it can: no other worker has an effect. */
static void sgdsim_priv_run_ahead(sgdsim_priv_group *g, sgdsim_priv_rank *rank)
{
    const sgdsim_priv_wiring *w = g->wiring_of[rank->profile];
    const sgdsim_step *step = rank->step;
    size_t lane, ran;
    do {
        for (lane = ran = 0; lane < SGDSIM_PRIV_LANES; lane++)
            while (rank->next[lane] != SGDSIM_PRIV_NO_OP
                   && rank->state[rank->next[lane]].waits == 0) {
                const uint32_t op = rank->next[lane];
                const sgdsim_priv_op_state *state = &rank->state[op];
                const double free_s = rank->free_s[lane];
                const double start_s = state->ready_s > free_s ? state->ready_s : free_s;
                const double end_s = start_s + step->op[op].duration_s;
                if (lane == 0) sgdsim_priv_idle(g, rank, free_s, start_s, state->cause);
                rank->free_s[lane] = end_s;
                rank->busy_s[lane] += step->op[op].duration_s;
                rank->next[lane] = w->after[op];
                g->events += rank->count;
                if (g->of->watch.on_op)
                    sgdsim_priv_tell_op(g, rank, op, state->ready_s, start_s, end_s);
                sgdsim_priv_end_op(g, rank, op, end_s);
                ran++;
            }
    } while (ran > 0);
}

/* ---- Collectives: steps ---------------------------------------------------- */

static void sgdsim_priv_begin_rank(sgdsim_priv_group *g, sgdsim_priv_rank *rank)
{
    const size_t steps = g->of->workers.trace[rank->type].steps;
    const double u =
        sgdsim_priv_uniform(sgdsim_random(g->of->seed, rank->worker, g->step, 0));
    const sgdsim_step *step;
    const sgdsim_priv_wiring *w;
    size_t t, i;
    rank->profile = (size_t)(u * (double)steps);
    SGDSIM_ASSERT(rank->profile < steps);
    for (t = 0; t < rank->type; t++) rank->profile += g->of->workers.trace[t].steps;
    step = rank->step = sgdsim_priv_step_at(g->of->workers.trace, rank->profile);
    w = g->wiring_of[rank->profile];
    rank->left = step->ops;
    rank->end_s = g->begin_s;
    rank->last = SGDSIM_PRIV_NO_OP;
    for (i = 0; i < SGDSIM_PRIV_LANES; i++) {
        rank->next[i] = w->first[i];
        rank->free_s[i] = g->begin_s;
    }
    for (i = 0; i < step->ops; i++) {
        rank->state[i].ready_s = g->begin_s;
        rank->state[i].waits = (uint32_t)step->op[i].waits;
        rank->state[i].cause = SGDSIM_PRIV_NO_OP;
    }
    for (i = 0; i < step->ops; i++) {
        size_t top = 0;
        if (step->op[i].waits > 0) continue;
        sgdsim_priv_op_ready(g, rank, (uint32_t)i, &top);
        if (top == 0) continue;
        if (g->of->watch.on_op)
            sgdsim_priv_tell_op(g, rank, (uint32_t)i, g->begin_s, g->begin_s, g->begin_s);
        sgdsim_priv_end_op(g, rank, (uint32_t)i, g->begin_s);
    }
    sgdsim_priv_run_ahead(g, rank);
}

static void sgdsim_priv_begin_group_step(sgdsim_priv_group *g)
{
    size_t i;
    SGDSIM_ASSERT(g->running == 0 && g->started == g->queued);
    g->queued = g->started = 0;
    g->busy = g->ranks;
    for (i = 0; i < g->collectives; i++) {
        g->collective[i].left = g->collective[i].waits * g->ranks;
        g->collective[i].ready_s = g->begin_s;
    }
    for (i = 0; i < g->ranks; i++) sgdsim_priv_begin_rank(g, &g->rank[i]);
}

static void sgdsim_priv_end_group_step(sgdsim_priv_group *g)
{
    double end_s = g->begin_s;
    size_t i;
    for (i = 0; i < g->ranks; i++)
        if (g->rank[i].end_s > end_s) end_s = g->rank[i].end_s;
    for (i = 0; i < g->ranks; i++) {
        sgdsim_priv_rank *rank = &g->rank[i];
        sgdsim_priv_idle(g, rank, rank->free_s[0], rank->end_s, rank->last);
        rank->spent.barrier_s += end_s - rank->end_s;
    }
    if (g->out->step_end_s) g->out->step_end_s[g->step] = end_s;
    g->begin_s = end_s;
    g->step++;
    if (g->step == g->of->length.warmup) g->warm_s = end_s;
}

/* Ends steps whose last op has ended, and begins the next. */
static void sgdsim_priv_settle_group(sgdsim_priv_group *g)
{
    while (g->busy == 0 && g->step < g->of->length.steps) {
        sgdsim_priv_end_group_step(g);
        if (g->step < g->of->length.steps) sgdsim_priv_begin_group_step(g);
    }
}

/* ---- Collectives: links ---------------------------------------------------- */

static const sgdsim_cost *sgdsim_priv_cost_of_flow(const sgdsim_priv_network *net,
                                                   const sgdsim_priv_flow *flow)
{
    return &net->group[flow->group].collective[flow->collective].cost;
}

/* Shares a link equally, but gives no flow more than it can use. */
static void sgdsim_priv_share_link(sgdsim_priv_network *net, size_t level)
{
    double left = 1.0, fair;
    size_t i, n = 0, capped;
    for (i = 0; i < net->flows; i++) {
        net->flow[i].share[level] = 0.0;
        n += net->flow[i].state[level] == SGDSIM_PRIV_SENDS;
    }
    do {
        fair = n > 0 ? left / (double)n : 0.0;
        for (i = capped = 0; i < net->flows; i++) {
            sgdsim_priv_flow *flow = &net->flow[i];
            const double most = sgdsim_priv_cost_of_flow(net, flow)->share[level];
            if (flow->state[level] != SGDSIM_PRIV_SENDS || flow->share[level] > 0.0
                || !(most > 0.0) || most > fair)
                continue;
            flow->share[level] = most;
            left -= most;
            capped++;
        }
        n -= capped;
    } while (capped > 0);
    for (i = 0; i < net->flows; i++)
        if (net->flow[i].state[level] == SGDSIM_PRIV_SENDS
            && !(net->flow[i].share[level] > 0.0))
            net->flow[i].share[level] = fair;
    SGDSIM_ASSERT(left >= -1e-9);
}

/* When a flow has done what it does on a link in this stage. */
static double sgdsim_priv_flow_until_s(const sgdsim_priv_network *net,
                                       const sgdsim_priv_flow *flow, size_t level)
{
    if (flow->state[level] == SGDSIM_PRIV_OFF) return HUGE_VAL;
    if (flow->state[level] == SGDSIM_PRIV_WAITS) return flow->until_s[level];
    return net->now_s + flow->left_s[level] / flow->share[level];
}

static double sgdsim_priv_next_s(const sgdsim_priv_network *net)
{
    double next_s = HUGE_VAL;
    size_t i, l;
    for (i = 0; i < net->groups; i++) {
        const sgdsim_priv_group *g = &net->group[i];
        if (g->running < g->streams && g->started < g->queued
            && g->collective[g->queue[g->started]].ready_s < next_s)
            next_s = g->collective[g->queue[g->started]].ready_s;
    }
    for (i = 0; i < net->flows; i++)
        for (l = 0; l < SGDSIM_LEVELS; l++) {
            const double until_s = sgdsim_priv_flow_until_s(net, &net->flow[i], l);
            if (until_s < next_s) next_s = until_s;
        }
    return next_s;
}

/* The clock advances to next_s, and what ends then ends. */
static void sgdsim_priv_advance(sgdsim_priv_network *net, double next_s)
{
    const double dt = next_s - net->now_s;
    size_t i, l;
    SGDSIM_ASSERT(dt >= 0.0);
    for (i = 0; i < net->flows; i++) {
        sgdsim_priv_flow *flow = &net->flow[i];
        for (l = 0; l < SGDSIM_LEVELS; l++) {
            const int state = flow->state[l];
            const int ends = sgdsim_priv_flow_until_s(net, flow, l) <= next_s;
            if (state == SGDSIM_PRIV_SENDS) {
                net->carried_s[l] += dt * flow->share[l];
                flow->left_s[l] = ends ? 0.0 : flow->left_s[l] - dt * flow->share[l];
            }
            if (ends && state == SGDSIM_PRIV_WAITS) sgdsim_priv_flow_send(flow, l);
            else if (ends) flow->state[l] = SGDSIM_PRIV_OFF;
        }
    }
    for (i = 0; i < net->groups; i++) {
        sgdsim_priv_group *g = &net->group[i];
        if (g->runs_of[SGDSIM_UPLINK] > 0) g->carried_s[SGDSIM_UPLINK] += dt;
        if (g->runs_of[SGDSIM_DOWNLINK] > 0) g->carried_s[SGDSIM_DOWNLINK] += dt;
    }
    net->now_s = next_s;
}

/* A collective is over: its ops end in all workers. */
static void sgdsim_priv_end_collective(sgdsim_priv_network *net, size_t at)
{
    const sgdsim_priv_flow ended = net->flow[at];
    sgdsim_priv_group *g = &net->group[ended.group];
    const sgdsim_priv_collective *c = &g->collective[ended.collective];
    uint32_t e;
    size_t r;
    net->flows--;
    memmove(net->flow + at, net->flow + at + 1, (net->flows - at) * sizeof *net->flow);
    g->running--;
    g->runs_of[c->what]--;
    g->events++;
    for (r = 0; r < g->ranks; r++) {
        sgdsim_priv_rank *rank = &g->rank[r];
        const uint32_t *op_of = g->wiring_of[rank->profile]->exchange;
        for (e = c->first; e != SGDSIM_PRIV_NO_OP; e = g->sorted[e].next) {
            const uint32_t op = op_of[g->sorted[e].exchange];
            if (g->of->watch.on_op && e == c->last)
                sgdsim_priv_tell_op(g, rank, op, rank->state[op].ready_s, c->start_s,
                                    net->now_s);
            sgdsim_priv_end_op(g, rank, op, net->now_s);
        }
        sgdsim_priv_run_ahead(g, rank);
    }
    sgdsim_priv_settle_group(g);
}

/* Starts what can start and ends what is over, until nothing changes. */
static void sgdsim_priv_start_and_end(sgdsim_priv_network *net)
{
    size_t i, went;
    do {
        went = 0;
        for (i = 0; i < net->flows; i++) {
            sgdsim_priv_flow *flow = &net->flow[i];
            if (flow->state[SGDSIM_LOCAL] || flow->state[SGDSIM_NETWORK]) continue;
            flow->stage++;
            sgdsim_priv_flow_go_on(flow, sgdsim_priv_cost_of_flow(net, flow), net->now_s);
            if (flow->stage < SGDSIM_PRIV_STAGES) continue;
            sgdsim_priv_end_collective(net, i--);
            went++;
        }
        for (i = 0; i < net->groups; i++) {
            sgdsim_priv_group *g = &net->group[i];
            while (g->running < g->streams && g->started < g->queued) {
                const size_t c = g->queue[g->started];
                sgdsim_priv_flow *flow = &net->flow[net->flows];
                if (g->collective[c].ready_s > net->now_s) break;
                SGDSIM_ASSERT(net->flows < net->room);
                memset(flow, 0, sizeof *flow);
                flow->group = i;
                flow->collective = c;
                g->collective[c].start_s = net->now_s;
                g->started++;
                g->running++;
                g->runs_of[g->collective[c].what]++;
                net->flows++;
                sgdsim_priv_flow_go_on(flow, &g->collective[c].cost, net->now_s);
                went++;
            }
        }
    } while (went > 0);
}

static sgdsim_status sgdsim_priv_run_network(sgdsim_priv_network *net)
{
    size_t i;
    for (i = 0; i < net->groups; i++) {
        sgdsim_priv_begin_group_step(&net->group[i]);
        sgdsim_priv_settle_group(&net->group[i]);
    }
    for (;;) {
        double next_s;
        int queued;
        sgdsim_priv_start_and_end(net);
        for (i = 0; i < SGDSIM_LEVELS; i++) sgdsim_priv_share_link(net, i);
        next_s = sgdsim_priv_next_s(net);
        if (next_s <= DBL_MAX) {
            sgdsim_priv_advance(net, next_s);
            continue;
        }
        queued = net->flows > 0;                   /* endless; 0: waits for itself    */
        for (i = 0; i < net->groups; i++)
            queued |= net->group[i].started < net->group[i].queued;
        for (i = 0; i < net->groups; i++)
            if (net->group[i].step < net->group[i].of->length.steps)
                return queued ? SGDSIM_BAD_ARGUMENT : SGDSIM_BAD_TRACE;
        return SGDSIM_OK;
    }
}

/* ---- Collectives: results -------------------------------------------------- */

static sgdsim_status sgdsim_priv_check_window(const sgdsim_priv_group *g)
{
    const double window_s = g->begin_s - g->warm_s;
    if (!sgdsim_priv_is_time(g->begin_s)) return SGDSIM_BAD_ARGUMENT;
    if (!(window_s > 1e-12 * g->begin_s)) return SGDSIM_NO_WINDOW;
    return sgdsim_priv_is_rate(g->workers
                               * (double)(g->of->length.steps - g->of->length.warmup)
                               / window_s) ? SGDSIM_OK : SGDSIM_NO_WINDOW;
}

static void sgdsim_priv_report_group(const sgdsim_priv_network *net,
                                     sgdsim_priv_group *g, double all_s)
{
    const double steps = (double)(g->of->length.steps - g->of->length.warmup);
    const double span_s = g->begin_s;
    sgdsim_group_result *out = g->out;
    double busy_s[SGDSIM_PRIV_LANES] = { 0.0, 0.0 };
    size_t i, l;
    uint32_t w;
    out->batches_per_s = g->workers * steps / (span_s - g->warm_s);
    out->makespan_s = span_s;
    out->events = g->events;
    out->collectives = g->collectives;
    out->exchange_s = 0.0;
    for (i = 0; i < g->collectives; i++) out->exchange_s += g->collective[i].cost.alone_s;
    for (i = 0; i < g->ranks; i++) {
        sgdsim_priv_rank *rank = &g->rank[i];
        rank->spent.computing_s = rank->busy_s[0];
        SGDSIM_ASSERT(fabs(rank->busy_s[0] / span_s + rank->spent.downlink_s / span_s
                           + rank->spent.uplink_s / span_s + rank->spent.server_s / span_s
                           + rank->spent.barrier_s / span_s - 1.0) <= 1e-6
                      || span_s < 1e-280);
        for (l = 0; l < SGDSIM_PRIV_LANES; l++)
            busy_s[l] += rank->busy_s[l] * ((double)rank->count / g->workers);
        for (w = 0; w < rank->count && out->waiting; w++)
            out->waiting[rank->worker + w] = rank->spent;
    }
    g->carried_s[SGDSIM_WORKER] = busy_s[0];
    g->carried_s[SGDSIM_SERVER] = busy_s[1];
    for (i = 0; i < SGDSIM_RESOURCES; i++)
        out->utilization[i] = g->carried_s[i] / span_s;
    for (l = 0; l < SGDSIM_LEVELS; l++)
        out->link_utilization[l] = net->carried_s[l] / all_s;
}

SGDSIM_API sgdsim_status sgdsim_run_groups(const sgdsim_group *group, size_t groups,
                                           void *work, size_t work_bytes,
                                           sgdsim_group_result *out)
{
    sgdsim_priv_arena arena = sgdsim_priv_arena_at(work);
    sgdsim_priv_network net;
    size_t need = 0, i, t;
    double all_s = 0.0;
    sgdsim_status status = sgdsim_run_groups_bytes(group, groups, &need);
    if (status == SGDSIM_OK) status = sgdsim_priv_check_work(work, work_bytes, need);
    if (status != SGDSIM_OK) return status;
    if (!out) return SGDSIM_BAD_ARGUMENT;
    for (i = 0; i < groups; i++) {
        if (group[i].length.warmup >= group[i].length.steps) return SGDSIM_NO_WINDOW;
        for (t = 0; t < group[i].workers.types && status == SGDSIM_OK; t++)
            status = sgdsim_trace_check(&group[i].workers.trace[t], UINT32_MAX, work,
                                        work_bytes, NULL);
        if (status != SGDSIM_OK) return status;
    }
    sgdsim_priv_carve_groups(&arena, group, groups, &net);
    SGDSIM_ASSERT(!arena.overflow && arena.used <= need);
    for (i = 0; i < groups && status == SGDSIM_OK; i++) {
        net.group[i].out = &out[i];
        for (t = 0; t < net.group[i].profiles && status == SGDSIM_OK; t++)
            status = sgdsim_priv_check_exchanges(&group[i], t);
        if (status == SGDSIM_OK) status = sgdsim_priv_compile_group(&net.group[i]);
    }
    if (status == SGDSIM_OK) status = sgdsim_priv_run_network(&net);
    for (i = 0; i < groups && status == SGDSIM_OK; i++) {
        status = sgdsim_priv_check_window(&net.group[i]);
        if (net.group[i].begin_s > all_s) all_s = net.group[i].begin_s;
    }
    for (i = 0; i < groups && status == SGDSIM_OK; i++)
        sgdsim_priv_report_group(&net, &net.group[i], all_s);
    return status;
}

/* ---- Orders: downloads that ops wait for ----------------------------------- */

/* A step's downloads, and which of them each op waits for [HJC19]; see sgdsim_order. */
typedef struct sgdsim_priv_order {
    const sgdsim_step *step;
    size_t    downloads, words;     /* 64-bit words of a set of downloads             */
    uint32_t *download;             /* [downloads] op numbers, increasing             */
    double   *time_s;               /* [downloads] the time of each                   */
    double   *load_s, *next_s;      /* [downloads] P and M+                           */
    uint32_t *alone;                /* [downloads] 1: an op waits for it alone        */
    uint64_t *needs;                /* [ops][words] D                                 */
    uint32_t *count;                /* [ops] size of D                                */
    double   *sum_s;                /* [ops] M                                        */
    uint32_t *cursor, *stack;       /* [ops] while D is found                         */
} sgdsim_priv_order;

static int sgdsim_priv_is_root_download(const sgdsim_op *op)
{
    return op->resource == SGDSIM_DOWNLINK && op->waits == 0;
}

static size_t sgdsim_priv_root_downloads(const sgdsim_step *step)
{
    size_t i, count = 0;
    for (i = 0; i < step->ops; i++)
        count += (size_t)sgdsim_priv_is_root_download(step->op + i);
    return count;
}

static void sgdsim_priv_carve_order(sgdsim_priv_arena *arena, const sgdsim_step *step,
                                    sgdsim_priv_order *o)
{
    const size_t T = sgdsim_priv_root_downloads(step), N = step->ops;
    o->step = step;
    o->downloads = T;
    o->words = (T + 63) / 64;
    o->download = SGDSIM_PRIV_TAKE(arena, T, uint32_t);
    o->time_s = sgdsim_priv_doubles(arena, T);
    o->load_s = sgdsim_priv_doubles(arena, T);
    o->next_s = sgdsim_priv_doubles(arena, T);
    o->alone = SGDSIM_PRIV_TAKE(arena, T, uint32_t);
    if (o->words > 0 && N > (size_t)-1 / o->words) arena->overflow = 1;
    o->needs = SGDSIM_PRIV_TAKE(arena, N * o->words, uint64_t);
    o->count = SGDSIM_PRIV_TAKE(arena, N, uint32_t);
    o->sum_s = sgdsim_priv_doubles(arena, N);
    o->cursor = SGDSIM_PRIV_TAKE(arena, N, uint32_t);
    o->stack = SGDSIM_PRIV_TAKE(arena, N, uint32_t);
}

/* Adds D of the prerequisites of op to its own. */
static void sgdsim_priv_order_join(sgdsim_priv_order *o, size_t op)
{
    uint64_t *needs = o->needs + op * o->words;
    size_t k, i;
    for (k = 0; k < o->step->op[op].waits; k++) {
        const uint64_t *other = o->needs + o->step->op[op].waits_for[k] * o->words;
        for (i = 0; i < o->words; i++) needs[i] |= other[i];
    }
}

/* Finds D of all ops of a checked step, depth first, so that each comes after its
 * prerequisites. cursor is the next prerequisite to look at. It is past the last one when
 * D is known. */
static void sgdsim_priv_order_needs(sgdsim_priv_order *o)
{
    const sgdsim_op *op = o->step->op;
    size_t i, t = 0, top = 0;
    memset(o->needs, 0, o->step->ops * o->words * sizeof *o->needs);
    for (i = 0; i < o->step->ops; i++) {
        o->cursor[i] = 0;
        if (!sgdsim_priv_is_root_download(op + i)) continue;
        o->needs[i * o->words + t / 64] |= (uint64_t)1 << t % 64;
        o->download[t++] = (uint32_t)i;
    }
    SGDSIM_ASSERT(t == o->downloads);
    for (i = 0; i < o->step->ops; i++) {
        if (o->cursor[i] <= op[i].waits) o->stack[top++] = (uint32_t)i;
        while (top > 0) {
            const uint32_t at = o->stack[top - 1];
            if (o->cursor[at] < op[at].waits) {
                const uint32_t before = op[at].waits_for[o->cursor[at]++];
                if (o->cursor[before] <= op[before].waits) {
                    SGDSIM_ASSERT(top < o->step->ops);   /* no cycles                 */
                    o->stack[top++] = before;
                }
                continue;
            }
            SGDSIM_ASSERT(o->cursor[at] == op[at].waits);
            sgdsim_priv_order_join(o, at);
            o->cursor[at]++;
            top--;
        }
    }
}

static int sgdsim_priv_order_has(const sgdsim_priv_order *o, size_t op, size_t t)
{
    SGDSIM_ASSERT(op < o->step->ops && t < o->downloads);
    return (int)(o->needs[op * o->words + t / 64] >> t % 64 & 1);
}

/* Finds M and the size of D of every op except the downloads that are put in order. */
static void sgdsim_priv_order_sums(sgdsim_priv_order *o)
{
    size_t i, t;
    for (i = 0; i < o->step->ops; i++) {
        o->count[i] = 0;
        o->sum_s[i] = 0.0;
        if (sgdsim_priv_is_root_download(o->step->op + i)) continue;
        for (t = 0; t < o->downloads; t++) {
            if (!sgdsim_priv_order_has(o, i, t)) continue;
            o->count[i]++;
            o->sum_s[i] += o->time_s[t];
        }
    }
}

/* Finds P, M+ and `alone` of the downloads that are not yet in order: those in some D. */
static void sgdsim_priv_order_ranks(sgdsim_priv_order *o)
{
    size_t i, t;
    for (t = 0; t < o->downloads; t++) {
        o->load_s[t] = 0.0;
        o->next_s[t] = HUGE_VAL;
        o->alone[t] = 0;
    }
    for (i = 0; i < o->step->ops; i++) {
        const sgdsim_op *op = o->step->op + i;
        for (t = 0; t < o->downloads && o->count[i] > 0; t++) {
            if (o->needs[i * o->words + t / 64] == 0) {
                t |= 63;                           /* none of these 64                */
                continue;
            }
            if (!sgdsim_priv_order_has(o, i, t)) continue;
            if (o->count[i] > 1) {
                if (o->sum_s[i] < o->next_s[t]) o->next_s[t] = o->sum_s[i];
                continue;
            }
            SGDSIM_ASSERT(o->count[i] == 1);
            o->alone[t] = 1;
            if (op->resource == SGDSIM_WORKER) o->load_s[t] += op->duration_s;
        }
    }
}

/* Takes download t out of every D. */
static void sgdsim_priv_order_remove(sgdsim_priv_order *o, size_t t)
{
    const uint64_t rest = ~((uint64_t)1 << t % 64);
    size_t i, k;
    for (i = 0; i < o->step->ops; i++) {
        if (!sgdsim_priv_order_has(o, i, t)) continue;
        o->needs[i * o->words + t / 64] &= rest;
        o->count[i]--;
        o->sum_s[i] = 0.0;
        for (k = 0; k < o->downloads && o->count[i] > 0; k++)
            if (sgdsim_priv_order_has(o, i, k)) o->sum_s[i] += o->time_s[k];
        SGDSIM_ASSERT(!(o->sum_s[i] < 0.0));
    }
}

/* ---- Orders: rules --------------------------------------------------------- */

/* Does download a go before download b, by TIC or TAC? Not if they are equal. */
static int sgdsim_priv_order_precedes(const sgdsim_priv_order *o, sgdsim_order rule,
                                      size_t a, size_t b)
{
    if (rule == SGDSIM_ORDER_TAC) {
        const double with_a = o->load_s[b] < o->time_s[a] ? o->load_s[b] : o->time_s[a];
        const double with_b = o->load_s[a] < o->time_s[b] ? o->load_s[a] : o->time_s[b];
        if (with_a < with_b) return 1;
        if (with_a > with_b) return 0;
    }
    if (o->next_s[a] < o->next_s[b]) return 1;
    if (o->next_s[a] > o->next_s[b]) return 0;
    return o->alone[a] > o->alone[b];
}

static void sgdsim_priv_order_by_rank(sgdsim_priv_order *o, sgdsim_order rule,
                                      double bandwidth, uint32_t *order)
{
    size_t t, k;
    sgdsim_priv_order_needs(o);
    for (t = 0; t < o->downloads; t++) {
        o->time_s[t] = 1.0;
        if (rule == SGDSIM_ORDER_TAC)
            o->time_s[t] = o->step->op[o->download[t]].bytes / bandwidth;
    }
    sgdsim_priv_order_sums(o);
    sgdsim_priv_order_ranks(o);
    for (t = 0; t < o->downloads; t++) o->cursor[t] = 0; /* 1: it has its place       */
    for (k = 0; k < o->downloads; k++) {
        size_t best = o->downloads;
        if (rule == SGDSIM_ORDER_TAC && k > 0) sgdsim_priv_order_ranks(o);
        for (t = 0; t < o->downloads; t++)
            if (o->cursor[t] == 0
                && (best == o->downloads || sgdsim_priv_order_precedes(o, rule, t, best)))
                best = t;
        SGDSIM_ASSERT(best < o->downloads);
        o->cursor[best] = 1;
        order[k] = o->download[best];
        if (rule == SGDSIM_ORDER_TAC) sgdsim_priv_order_remove(o, best);
    }
}

static void sgdsim_priv_swap_places(uint32_t *order, size_t i, size_t j)
{
    const uint32_t at_i = order[i];
    order[i] = order[j];
    order[j] = at_i;
}

/* By op number, backwards, or shuffled. */
static void sgdsim_priv_order_plain(const sgdsim_step *step, sgdsim_order rule,
                                    uint64_t seed, uint32_t *order)
{
    size_t count = 0, i;
    for (i = 0; i < step->ops; i++) {
        const size_t at = rule == SGDSIM_ORDER_REVERSE ? step->ops - 1 - i : i;
        if (sgdsim_priv_is_root_download(step->op + at)) order[count++] = (uint32_t)at;
    }
    for (i = count; rule == SGDSIM_ORDER_RANDOM && i > 1; i--) {
        const double u = sgdsim_priv_uniform(sgdsim_random(seed, i, 0, 0));
        const size_t j = (size_t)(u * (double)i);
        SGDSIM_ASSERT(j < i);
        sgdsim_priv_swap_places(order, i - 1, j);
    }
}

static int sgdsim_priv_is_ranked(sgdsim_order rule)
{
    return rule == SGDSIM_ORDER_TIC || rule == SGDSIM_ORDER_TAC;
}

SGDSIM_API sgdsim_status sgdsim_order_transfers_bytes(const sgdsim_step *step,
                                                      sgdsim_order rule, size_t *bytes)
{
    sgdsim_priv_arena arena = sgdsim_priv_arena_at(NULL);
    const sgdsim_trace trace = { step, 1 };
    sgdsim_priv_order o;
    sgdsim_status status;
    size_t check;
    if (!step || !bytes || (size_t)rule >= (size_t)SGDSIM_ORDER_COUNT)
        return SGDSIM_BAD_ARGUMENT;
    status = sgdsim_trace_check_bytes(&trace, &check);
    if (status != SGDSIM_OK) return status;
    if (sgdsim_priv_is_ranked(rule)) sgdsim_priv_carve_order(&arena, step, &o);
    if (arena.used < check) arena.used = check;
    return sgdsim_priv_answer(&arena, bytes);
}

SGDSIM_API sgdsim_status sgdsim_order_transfers(const sgdsim_step *step,
                                                const sgdsim_ordering *by, void *work,
                                                size_t work_bytes, uint32_t *order,
                                                size_t *ordered)
{
    const sgdsim_trace trace = { step, 1 };
    size_t need = 0;
    sgdsim_status status = SGDSIM_BAD_ARGUMENT;
    if (by) status = sgdsim_order_transfers_bytes(step, by->rule, &need);
    if (status != SGDSIM_OK) return status;
    if (!order || !ordered
        || (by->rule == SGDSIM_ORDER_TAC
            && !sgdsim_priv_is_rate(by->bandwidth_bytes_per_s)))
        return SGDSIM_BAD_ARGUMENT;
    status = sgdsim_priv_check_work(work, work_bytes, need);
    if (status == SGDSIM_OK)
        status = sgdsim_trace_check(&trace, UINT32_MAX, work, work_bytes, NULL);
    if (status != SGDSIM_OK) return status;
    if (sgdsim_priv_is_ranked(by->rule)) {
        sgdsim_priv_arena arena = sgdsim_priv_arena_at(work);
        sgdsim_priv_order o;
        sgdsim_priv_carve_order(&arena, step, &o);
        SGDSIM_ASSERT(!arena.overflow && arena.used <= need);
        sgdsim_priv_order_by_rank(&o, by->rule, by->bandwidth_bytes_per_s, order);
    } else {
        sgdsim_priv_order_plain(step, by->rule, by->seed, order);
    }
    *ordered = sgdsim_priv_root_downloads(step);
    return SGDSIM_OK;
}

/* ---- Orders: search -------------------------------------------------------- */

/* A lone worker that runs each profiled step once. */
typedef struct sgdsim_priv_search {
    sgdsim_config one;
    uint32_t  workers;
    uint32_t *sequence;             /* [profiled steps]                               */
    uint32_t *best, *now;           /* [downloads]                                    */
    double    best_s, now_s;
    char     *work;                 /* for runs and for rules                         */
    size_t    work_bytes;
} sgdsim_priv_search;

/* Trims config to a lone worker. *s must not be moved then: it points into itself. */
static sgdsim_status sgdsim_priv_carve_search(const sgdsim_config *config,
                                              sgdsim_priv_arena *arena,
                                              sgdsim_priv_search *s)
{
    const sgdsim_step *step;
    size_t run = 0, rank = 0, T;
    sgdsim_status status;
    if (!config || config->workers.types == 0 || !config->workers.trace
        || !config->workers.count)
        return SGDSIM_BAD_ARGUMENT;
    s->one = *config;
    s->workers = 1;
    s->one.workers.types = 1;
    s->one.workers.count = &s->workers;
    s->one.mode = SGDSIM_ASYNC;
    s->one.variation.service = SGDSIM_TRACED;
    s->one.length.steps = config->workers.trace->steps;
    s->one.length.warmup = 0;
    s->one.variants.steady_window = 0;
    s->one.variation.stagger_s = 0.0;
    s->one.variation.sequence = NULL;
    s->one.transfers.order = NULL;
    s->one.transfers.ordered = 0;
    s->one.watch.on_op = NULL;
    status = sgdsim_run_bytes(&s->one, &run);
    if (status != SGDSIM_OK) return status;
    step = config->workers.trace->step;
    status = sgdsim_order_transfers_bytes(step, SGDSIM_ORDER_TAC, &rank);
    if (status != SGDSIM_OK) return status;
    T = sgdsim_priv_root_downloads(step);
    s->sequence = SGDSIM_PRIV_TAKE(arena, config->workers.trace->steps, uint32_t);
    s->best = SGDSIM_PRIV_TAKE(arena, T, uint32_t);
    s->now = SGDSIM_PRIV_TAKE(arena, T, uint32_t);
    s->work_bytes = run > rank ? run : rank;
    s->work = (char *)sgdsim_priv_take(arena, s->work_bytes, 1);
    return SGDSIM_OK;
}

SGDSIM_API sgdsim_status sgdsim_order_search_bytes(const sgdsim_config *config,
                                                   size_t *bytes)
{
    sgdsim_priv_arena arena = sgdsim_priv_arena_at(NULL);
    sgdsim_priv_search s;
    const sgdsim_status status = sgdsim_priv_carve_search(config, &arena, &s);
    return status == SGDSIM_OK ? sgdsim_priv_answer(&arena, bytes) : status;
}

/* Finds how long the steps are with the order `now`. */
static sgdsim_status sgdsim_priv_search_time(sgdsim_priv_search *s, double *time_s)
{
    sgdsim_result out;
    sgdsim_status status;
    memset(&out, 0, sizeof out);
    s->one.transfers.order = s->now;
    status = sgdsim_run(&s->one, s->work, s->work_bytes, &out);
    *time_s = out.makespan_s;
    return status;
}

/* Sets `now` and `best` to the fastest of the rules, the first one among equals. */
static sgdsim_status sgdsim_priv_search_start(sgdsim_priv_search *s)
{
    static const sgdsim_order rules[] = {
        SGDSIM_ORDER_GIVEN, SGDSIM_ORDER_REVERSE, SGDSIM_ORDER_TIC, SGDSIM_ORDER_TAC
    };
    sgdsim_status status = SGDSIM_OK;
    size_t i;
    s->best_s = HUGE_VAL;
    for (i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const sgdsim_ordering by = { rules[i], 0, s->one.links.bandwidth_bytes_per_s };
        status = sgdsim_order_transfers(s->one.workers.trace->step, &by, s->work,
                                        s->work_bytes, s->now, &s->one.transfers.ordered);
        if (status == SGDSIM_OK) status = sgdsim_priv_search_time(s, &s->now_s);
        if (status != SGDSIM_OK) return status;
        if (!(s->now_s < s->best_s)) continue;
        s->best_s = s->now_s;
        memcpy(s->best, s->now, s->one.transfers.ordered * sizeof *s->best);
    }
    SGDSIM_ASSERT(s->best_s <= DBL_MAX);
    s->now_s = s->best_s;
    memcpy(s->now, s->best, s->one.transfers.ordered * sizeof *s->now);
    return SGDSIM_OK;
}

/* Swaps two downloads, and swaps them back if that makes the steps longer. */
static sgdsim_status sgdsim_priv_search_try(sgdsim_priv_search *s, uint64_t attempt)
{
    const uint64_t seed = s->one.variation.seed;
    const size_t T = s->one.transfers.ordered;
    const size_t i = (size_t)(sgdsim_priv_uniform(sgdsim_random(seed, attempt, 0, 1)) *
                              (double)(T - 1));
    size_t j = i + 1;
    double time_s;
    sgdsim_status status;
    if (sgdsim_random(seed, attempt, 0, 2) >> 63)
        j += (size_t)(sgdsim_priv_uniform(sgdsim_random(seed, attempt, 0, 3))
                      * (double)(T - 1 - i));
    SGDSIM_ASSERT(i < j && j < T);
    sgdsim_priv_swap_places(s->now, i, j);
    status = sgdsim_priv_search_time(s, &time_s);
    if (status != SGDSIM_OK) return status;
    if (time_s > s->now_s) {
        sgdsim_priv_swap_places(s->now, i, j);
        return SGDSIM_OK;
    }
    SGDSIM_ASSERT(s->best_s <= s->now_s);
    s->now_s = time_s;
    if (!(time_s < s->best_s)) return SGDSIM_OK;
    s->best_s = time_s;
    memcpy(s->best, s->now, T * sizeof *s->best);
    return SGDSIM_OK;
}

SGDSIM_API sgdsim_status sgdsim_order_search(const sgdsim_config *config, uint64_t tries,
                                             void *work, size_t work_bytes,
                                             uint32_t *order, size_t *ordered)
{
    sgdsim_priv_arena arena = sgdsim_priv_arena_at(work);
    sgdsim_priv_search s;
    size_t need = 0;
    uint64_t i;
    sgdsim_status status = sgdsim_order_search_bytes(config, &need);
    if (status == SGDSIM_OK && (!order || !ordered)) status = SGDSIM_BAD_ARGUMENT;
    if (status == SGDSIM_OK) status = sgdsim_priv_check_work(work, work_bytes, need);
    if (status != SGDSIM_OK) return status;
    (void)sgdsim_priv_carve_search(config, &arena, &s);
    SGDSIM_ASSERT(arena.used == need);
    for (i = 0; i < s.one.length.steps; i++) s.sequence[i] = (uint32_t)i;
    s.one.variation.sequence = s.sequence;
    status = sgdsim_priv_search_start(&s);
    for (i = 0; status == SGDSIM_OK && s.one.transfers.ordered > 1 && i < tries; i++)
        status = sgdsim_priv_search_try(&s, i);
    if (status != SGDSIM_OK) return status;
    memcpy(order, s.best, s.one.transfers.ordered * sizeof *order);
    *ordered = s.one.transfers.ordered;
    return SGDSIM_OK;
}

#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_SIM_IMPLEMENTATION */

/* REFERENCES
 *   [LYPG20]  Z. Li, W. Yan, M. Paolieri, L. Golubchik, Throughput Prediction of
 *             Asynchronous SGD in TensorFlow, ICPE 2020.
 *   [LPGLY22] Z. Li, M. Paolieri, L. Golubchik, S.-H. Lin, W. Yan, Predicting
 *             Throughput of Distributed Stochastic Gradient Descent, TPDS 2022.
 *   [HJC19]   S. H. Hashemi, S. A. Jyothi, R. H. Campbell, TicTac: Accelerating
 *             Distributed Deep Learning with Communication Scheduling, SysML 2019.
 *   [BG92]    D. Bertsekas, R. Gallager, Data Networks, 2nd ed., 1992, 6.5.2.
 *   [W62]     B. P. Welford, Note on a Method for Calculating Corrected Sums of
 *             Squares and Products, Technometrics 4(3), 1962.
 *   [AS64]    M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 1964.
 *   [ZSC91]   L. Zhang, S. Shenker, D. D. Clark, Observations on the Dynamics of a
 *             Congestion Control Algorithm: The Effects of Two-Way Traffic, SIGCOMM 1991.
 *   [LZV20]   S. Li et al., PyTorch Distributed: Experiences on Accelerating Data
 *             Parallel Training, PVLDB 13(12), 2020.
 *   [ZGVL23]  Y. Zhao et al., PyTorch FSDP: Experiences on Scaling Fully Sharded Data
 *             Parallel, PVLDB 16(12), 2023.
 *   [SLF14]   G. L. Steele, D. Lea, C. H. Flood, Fast Splittable Pseudorandom Number
 *             Generators, OOPSLA 2014.
 *
 * HISTORY
 *   0.1.0  first version
 *
 * LICENSE (MIT)
 *   Copyright (c) the sgdperf authors
 *
 *   Permission is hereby granted, free of charge, to any person obtaining a copy of
 *   this software and associated documentation files (the "Software"), to deal in the
 *   Software without restriction, including without limitation the rights to use, copy,
 *   modify, merge, publish, distribute, sublicense, and/or sell copies of the Software,
 *   and to permit persons to whom the Software is furnished to do so, subject to the
 *   following conditions:
 *
 *   The above copyright notice and this permission notice shall be included in all
 *   copies or substantial portions of the Software.
 *
 *   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED,
 *   INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A
 *   PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT
 *   HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF
 *   CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE
 *   OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
