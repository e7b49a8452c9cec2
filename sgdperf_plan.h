/* sgdperf_plan.h - v0.1.0 - splits a network over machines - C99, one file
 *
 *   Finds the split of a network over machines with the shortest epoch [YRHC15]: numbers
 *   of parameter servers, replicas and workers per replica, and the split of each layer.
 *   Computes costs of layers, places layers on workers, splits pipelines into stages.
 *
 * USE
 *   In exactly one C or C++ file:
 *       #define SGDPERF_PLAN_IMPLEMENTATION
 *       #include "sgdperf_plan.h"
 *   Everywhere else include it plainly; including it twice is harmless.
 *   SGDPERF_PLAN_STATIC, defined there, keeps every symbol private. Link with -lm.
 *
 * EXAMPLE   two layers on four machines of two cores
 *       static sgdplan_layer layer[2];
 *       static double work[4096];
 *       sgdplan_problem p = {0};
 *       sgdplan_plan best;  sgdplan_ranking out = {.plan = &best, .room = 1};
 *       layer[0].kind = layer[1].kind = SGDPLAN_LAYER_FC;
 *       layer[0].n_in = layer[0].n_out = layer[1].n_in = 4096;  layer[1].n_out = 1000;
 *       p.job.layer = layer;  p.job.layers = 2;
 *       p.job.machines.count = 4;  p.job.machines.cores = 2;
 *       p.job.machines.connection_s.number = 1e-9;
 *       p.job.machines.bandwidth_bytes_per_s = 1.25e9;
 *       p.job.samples = 60000;  p.job.read_samples = 70;
 *       if (sgdplan_search(&p, work, sizeof work, &out) == SGDPLAN_OK)
 *           printf("%u replicas, %.2f s\n", best.configuration.replicas, best.epoch_s);
 *           // 3 replicas, 572.93 s
 *
 * CONTENTS
 *   Status               sgdplan_status_text
 *   Layers               sgdplan_layer_text  sgdplan_fault_text  sgdplan_layer_sizes
 *   Jobs and configurations
 *   What a layer costs   sgdplan_remote_values  sgdplan_segment_time  sgdplan_weight_time
 *   Epochs               sgdplan_epoch_text  sgdplan_epoch_time
 *   Search               sgdplan_check_problem  sgdplan_best_splits  sgdplan_search
 *                        sgdplan_search_count  sgdplan_compare_plans
 *   Places               sgdplan_place_contiguously  sgdplan_place_costs
 *                        sgdplan_assign_segments  sgdplan_place_segments
 *   Stages               sgdplan_split_stages  sgdplan_largest_stage
 *                        sgdplan_improve_split
 *   Library              sgdplan_version  sgdplan_struct_bytes
 *
 * CONVENTIONS
 *   Words     a configuration has `servers` parameter servers and `replicas` copies of
 *             the network. A replica runs on `workers` workers, one machine each. A split
 *             cuts a layer of a replica into `partitions` segments. It puts each segment
 *             on `replications` workers, with `threads` threads on each. Each thread has
 *             its own sample.
 *
 *   Units     seconds, bytes, samples; a name ends in its unit: latency_s.
 *   Arrays    row-major: [R][P] is R * P elements, element (r, p) at r * P + p.
 *   Defaults  zero every struct; a field left 0 or NULL takes its default.
 *   Memory    nothing is allocated or kept; only inputs may alias. F_bytes() writes the
 *             size of the work area that F needs, aligned for double.
 *
 *   Errors    bad input returns a status, listed after "Fails", and writes no output but
 *             an sgdplan_refusal. Results with SGDPLAN_OK are finite.
 *   Threads   no globals: calls with distinct work areas and outputs may run at once.
 *   Floats    with -ffp-contract=off and without -ffast-math, equal bits on all platforms
 *             except where the platform's log is used.
 * CONFIGURE   define beforehand: SGDPERF_PLAN_STATIC, SGDPLAN_API, SGDPLAN_ASSERT(x)
 * REFERENCES (cited by key), HISTORY and LICENSE are at the end of this file.
 */
#ifndef SGDPERF_PLAN_H
#define SGDPERF_PLAN_H

#define SGDPERF_PLAN_VERSION_MAJOR 0
#define SGDPERF_PLAN_VERSION_MINOR 1
#define SGDPERF_PLAN_VERSION_PATCH 0
#define SGDPERF_PLAN_VERSION                                                      \
    (SGDPERF_PLAN_VERSION_MAJOR * 10000 + SGDPERF_PLAN_VERSION_MINOR * 100 +      \
     SGDPERF_PLAN_VERSION_PATCH)

#include <stddef.h>
#include <stdint.h>
#if defined(SGDPLAN_API)
#elif !defined(SGDPERF_PLAN_STATIC)
#define SGDPLAN_API extern
#elif defined(__GNUC__)
#define SGDPLAN_API static __attribute__((unused))
#else
#define SGDPLAN_API static
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ---------------------------------------------------------------- */

/* Statuses; the first six are in all headers. NOT_CONVERGED, OVER_BUDGET are not used. */
#define SGDPLAN_STATUS_TABLE(X)                                                       \
    X(SGDPLAN_OK,              "success")                                             \
    X(SGDPLAN_BAD_ARGUMENT,    "null pointer, zero size, or value out of domain")     \
    X(SGDPLAN_TOO_LARGE,       "a size exceeds the address space, or a time a double")\
    X(SGDPLAN_SMALL_WORKSPACE, "work_bytes smaller than the _bytes() answer")         \
    X(SGDPLAN_NOT_CONVERGED,   "iteration limit reached before the tolerance")        \
    X(SGDPLAN_OVER_BUDGET,     "exceeds the allowed operations or bytes")             \
    X(SGDPLAN_BAD_COST,        "a cost is negative or not a number")                  \
    X(SGDPLAN_NO_PLAN,         "no allowed configuration takes a finite time")

#define SGDPLAN_X(name, text) name,
typedef enum sgdplan_status {
    SGDPLAN_STATUS_TABLE(SGDPLAN_X) SGDPLAN_STATUS_COUNT
} sgdplan_status;
#undef SGDPLAN_X

/* Text of a status; never NULL. A value that is not a status has a text, too. */
SGDPLAN_API const char *sgdplan_status_text(sgdplan_status status);

/* ---- Layers ---------------------------------------------------------------- */

#define SGDPLAN_LAYER_TABLE(X)               \
    X(SGDPLAN_LAYER_CONV,      "conv")       \
    X(SGDPLAN_LAYER_POOL,      "pool")       \
    X(SGDPLAN_LAYER_FC,        "fc")         \
    X(SGDPLAN_LAYER_SOFTMAX,   "softmax")    \
    X(SGDPLAN_LAYER_RECURRENT, "recurrent")

#define SGDPLAN_X(name, text) name,
typedef enum sgdplan_layer_kind {
    SGDPLAN_LAYER_TABLE(SGDPLAN_X) SGDPLAN_LAYER_COUNT
} sgdplan_layer_kind;
#undef SGDPLAN_X

/* Text of a kind of layer; never NULL. */
SGDPLAN_API const char *sgdplan_layer_text(sgdplan_layer_kind kind);

/* Size of the input or output of a convolution or pooling layer. */
typedef struct sgdplan_image {
    uint32_t channels, rows, columns;
} sgdplan_image;

/* A layer of a network. Functions read only the fields that its kind uses.
 *
 * RECURRENT layers run `steps` time steps. In each step, n_out neurons read n_in inputs,
 * and the layer's own n_out outputs of the previous step. Training unrolls the layer over
 * its steps. Its weights are stored once.
 *
 * NEIGHBOURS of a recurrent layer. The layer below has steps * n_in outputs, or n_in
 * outputs that all steps read. A recurrent layer above has the same number of steps. Any
 * other layer above may read all outputs, or only the n_out outputs of the last step. */
typedef struct sgdplan_layer {
    sgdplan_layer_kind kind;
    sgdplan_image in, out;         /* conv, pool: size of input and output          */
    uint32_t kernel;               /* conv, pool: side of the square window, >= 1   */
    uint32_t stride;               /* conv, pool: step of the window; 0: 1          */
    uint32_t pad;                  /* conv, pool: rows of zeros per side, < kernel  */
    uint32_t n_in, n_out;          /* fc, softmax, recurrent: inputs, outputs       */
    uint32_t steps;                /* recurrent: number of time steps; 0: 1         */
} sgdplan_layer;

/* Counts of a layer for one sample. Pooling windows have connections, too. */
typedef struct sgdplan_layer_size {
    uint64_t neurons;              /* outputs of the layer, of all steps            */
    uint64_t connections;          /* inputs of all neurons, in one sample          */
    uint64_t own_connections;      /* of these, from a recurrent layer to itself    */
    uint64_t weights;              /* stored weights; 0 for a pooling layer         */
} sgdplan_layer_size;

/* Reasons why an input is refused. C1 to C4 in comments are the constraints of [YRHC15,
 * fig. 7]. Constraint C4 (all threads of a segment are on one worker) always holds. */
#define SGDPLAN_FAULT_TABLE(X)                                                         \
    X(SGDPLAN_FAULT_NONE,     "nothing")                                               \
    X(SGDPLAN_FAULT_KIND,     "unknown kind of layer")                                 \
    X(SGDPLAN_FAULT_ZERO,     "a size is 0, or missing")                               \
    X(SGDPLAN_FAULT_PAD,      "the padding is as wide as the kernel")                  \
    X(SGDPLAN_FAULT_ROWS,     "h_out is not (h_in + 2 pad - kernel) / stride + 1")     \
    X(SGDPLAN_FAULT_COLUMNS,  "w_out is not (w_in + 2 pad - kernel) / stride + 1")     \
    X(SGDPLAN_FAULT_CHANNELS, "c_out of a pooling layer is not its c_in")              \
    X(SGDPLAN_FAULT_BELOW,    "inputs are not the outputs of the layer below")         \
    X(SGDPLAN_FAULT_LARGE,    "over 2^63 neurons, connections or weights, or over "    \
                              "2^30 machines; in a search, over 2^16, or 2^12 cores")  \
    X(SGDPLAN_FAULT_CONSTANT, "a constant is negative, not finite, or a table out of " \
                              "order")                                                 \
    X(SGDPLAN_FAULT_READ,     "not 0 < N_read <= N_sample, or a mix not in [0, 1]")    \
    X(SGDPLAN_FAULT_EMPTY,    "no machines, cores, layers, servers, replicas or workers")\
    X(SGDPLAN_FAULT_MACHINES, "servers + replicas * workers exceed the machines")      \
    X(SGDPLAN_FAULT_SPLIT,    "partitions, replications or threads are 0")             \
    X(SGDPLAN_FAULT_CORES,    "a layer has more threads than cores")                   \
    X(SGDPLAN_FAULT_WORKERS,  "partitions * replications exceed the workers")          \
    X(SGDPLAN_FAULT_PLACE,    "two segments of a layer on one worker, or on none")     \
    X(SGDPLAN_FAULT_STRIPES,  "more partitions than the layer has rows, or neurons")   \
    X(SGDPLAN_FAULT_COSTS,    "some functions of costs are missing")                   \
    X(SGDPLAN_FAULT_TIME,     "takes a time beyond a double")

#define SGDPLAN_X(name, text) name,
typedef enum sgdplan_fault {
    SGDPLAN_FAULT_TABLE(SGDPLAN_X) SGDPLAN_FAULT_COUNT
} sgdplan_fault;
#undef SGDPLAN_X

/* Text of a fault; never NULL. */
SGDPLAN_API const char *sgdplan_fault_text(sgdplan_fault fault);

/* Tells why, and for which layer, a function refused its input. A function writes the
 * refusal when it returns SGDPLAN_BAD_ARGUMENT or SGDPLAN_TOO_LARGE, unless another
 * argument is NULL. The pointer to the refusal may be NULL. */
typedef struct sgdplan_refusal {
    sgdplan_fault reason;
    size_t        layer;           /* number of the layer at fault; else 0          */
    size_t        given;           /* index in the problem's `given`; else 0        */
} sgdplan_refusal;

/* Checks a network, and counts neurons, connections and weights of its layers. Layers are
 * listed from the first (next to the input) upwards. The numbers of rows and columns of
 * an output are rounded down. Time: O(layers).
 *
 * FIT. Each layer must fit the layer below. Below a conv or pool layer there must be a
 * conv or pool layer. It must write as many channels, rows and columns as the upper layer
 * reads. Any other layer must have as many inputs as the layer below has outputs; for
 * recurrent layers see sgdplan_layer.
 *
 * ARGUMENTS
 *   biases   1: stored weights include a bias for each channel or neuron; 0: they do not
 *   size     [layers] receives the counts; NULL: not wanted
 *   refusal  receives the reason of a failure; NULL: not wanted
 *
 * Fails with SGDPLAN_BAD_ARGUMENT (a layer does not fit, or a size is 0) or
 * SGDPLAN_TOO_LARGE (a count exceeds 2^63). */
SGDPLAN_API sgdplan_status sgdplan_layer_sizes(const sgdplan_layer *layer, size_t layers,
                                               int biases, sgdplan_layer_size *size,
                                               sgdplan_refusal *refusal);

/* ---- Jobs and configurations ----------------------------------------------- */

/* A measured constant: a number, or a table of points. Between two points the table is
 * interpolated linearly. Before the first point the constant has the first value, after
 * the last point the last value. */
typedef struct sgdplan_constant {
    double        number;          /* the constant, if points is 0                  */
    const double *at;              /* [points] arguments, > 0, increasing           */
    const double *value;           /* [points] values, >= 0                         */
    size_t        points;          /* size of the table; 0: `number` is used        */
} sgdplan_constant;

/* The machines; all are alike [YRHC15, 4.1]. The fields' comments have the paper's
 * letters in brackets.
 *
 * TABLES. A table of latency_s or interference has the number of threads H as its
 * argument. A table of connection_s has the bytes of a segment's stored weights as its
 * argument. It is interpolated linearly in the logarithm of these bytes. */
typedef struct sgdplan_machines {
    uint32_t count;                /* number of machines [N]                        */
    uint32_t cores;                /* cores of a machine [K]                        */
    sgdplan_constant connection_s; /* seconds of a multiply-add [C_muladd]          */
    double           activation_s; /* seconds of a neuron's activation [C_act]      */
    double           error_s;      /* seconds of a neuron's error term [C_err]      */
    sgdplan_constant interference; /* factor by which H > 1 threads slow each other */
                                   /*   down [C_interf]; 0: 1                       */
    sgdplan_constant latency_s;    /* seconds of a message of 0 bytes [C_ncost]     */
    double bandwidth_bytes_per_s;  /* of a machine, H threads share it [C_nbw / 8]  */
    double value_bytes;            /* bytes of a value, weight [C_bits / 8]; 0: 4   */
} sgdplan_machines;

/* Choices of formulas where [YRHC15] is ambiguous or seems to be misprinted. */
typedef struct sgdplan_variants {
    double mix;                    /* m in [0, 1]: reading weights takes (1 - m) of */
                                   /*   Eq. 11 plus m of Eq. 10                     */
    int    read_full;              /* 1: weights are read at the full bandwidth; 0: */
                                   /*   at 1/H of it, H being the threads           */
    int    read_per_replica;       /* 1: a replica reads weights for its own        */
                                   /*   samples; 0: for all samples of the epoch    */
    int    latency_always;         /* 1: even 0 remote values cost a latency, as    */
                                   /*   printed in Eq. 6; 0: they cost nothing      */
    int    biases;                 /* 1: weights include biases; 0: they do not     */
} sgdplan_variants;

/* A network to be trained, and the machines for it. */
typedef struct sgdplan_job {
    const sgdplan_layer *layer;    /* [layers] from the first layer upwards         */
    size_t               layers;   /* number of layers, >= 1                        */
    sgdplan_machines     machines;
    double samples;                /* samples of an epoch [N_sample]                */
    double read_samples;           /* weights are read once per this many samples,  */
                                   /*   > 0 and <= samples [N_read]                 */
    double write_samples;          /* weights are written once per this many        */
                                   /*   samples, at the cost of a read; 0: free     */
    sgdplan_variants variants;
} sgdplan_job;

/* Describes how a layer is split within a replica. The layer is cut into P segments:
 * stripes of rows (conv and pool layers) or of neurons. There are R copies of the P
 * segments. Each copy has P workers of its own, and computes every R-th sample. */
typedef struct sgdplan_split {
    uint32_t partitions;           /* P, at most the rows (conv, pool) or n_out     */
    uint32_t replications;         /* R; constraint C3: P R <= workers              */
    uint32_t threads;              /* H, of a segment; constraint C2: H <= cores    */
    const uint32_t *worker;        /* [R][P] number of each segment's worker. NULL  */
                                   /*   (in all layers): contiguous places          */
} sgdplan_split;

/* A configuration: what the machines do, and how layers are split. Constraint C1: servers
 * + replicas * workers <= machines.count. */
typedef struct sgdplan_configuration {
    uint32_t servers;              /* number of parameter servers [N_ps]            */
    uint32_t replicas;             /* number of copies of the network [N_mr]        */
    uint32_t workers;              /* workers of a replica [N_wr]                   */
    const sgdplan_split *split;    /* [layers] split of each layer                  */
} sgdplan_configuration;

/* ---- What a layer costs ---------------------------------------------------- */

/* The functions of this section compute the cost of one layer. They check only this layer
 * and its neighbours. They fail with SGDPLAN_BAD_ARGUMENT (a value is out of range) or
 * SGDPLAN_TOO_LARGE (a count or a time overflows). */

/* Counts the values per sample that one segment gets from other workers: the largest
 * number over segments and samples. `below` is the split of layer l - 1, `split` that of
 * layer l.
 *   *activations  outputs of layer l - 1 that a segment of layer l gets
 *   *errors       error terms of layer l that a segment of layer l - 1 gets
 *
 * OWNED ROWS. A layer has h rows (or neurons) and P segments. Segment j owns rows j h / P
 * to (j + 1) h / P - 1. Both quotients are rounded down.
 *
 * NEEDED ROWS. Layers with windows are conv and pool. For activations, a segment with
 * windows needs all rows of the layer below, from the first to the last that its windows
 * touch. For error terms, a segment below needs all rows whose windows touch its own
 * rows. Without windows, all rows are needed.
 *
 * REMOTE VALUES. A segment gets from other workers the needed values that its own worker
 * does not hold. The R replications (copies) of a layer take samples in turn. A worker
 * holds only the values of the samples that its own copy computed.
 *
 * COST for a layer of P partitions and R replications, and a layer below of P' and R'.
 * Contiguous placement: O(P + P') if R' = R, otherwise O(P R + P' R'). Given places: O((P
 * R + P' R')^2). Given places must differ within a layer and be below machines.count.
 * Results are exact. */
SGDPLAN_API sgdplan_status sgdplan_remote_values(const sgdplan_job *job, size_t l,
                                                 const sgdplan_split *below,
                                                 const sgdplan_split *split,
                                                 uint64_t *activations, uint64_t *errors);

/* Times of one thread of a segment for one sample [YRHC15, eqs. 5-9]: computations U
 * (forward, backward, weight update) and messages M (activations, error terms).
 *
 * FORMULAS. U_f, U_b and U_w are computation: forward pass, backward pass, update of
 * weights. M_f and M_b are messages: forward, backward. The constants are fields of
 * sgdplan_machines. The layer has P partitions, and H threads per segment. Its slowest
 * segment receives A activations and E error terms.
 *   U_f = interference (connection_s * connections + activation_s * neurons) / P
 *   U_b = interference (connection_s * connections from the layer above
 *                       + error_s * neurons) / P
 *   U_w = interference * connection_s * connections / P; 0 for a pooling layer
 *   M_f = latency_s + A value_bytes / (bandwidth_bytes_per_s / H)
 *   M_b = M_f with E in place of A
 *
 * SPECIAL CASES. A table of connection_s is read at value_bytes * weights / P bytes. The
 * time of messages (M_f forward, M_b backward) is 0 if no values are received, unless
 * latency_always is set. M_f of the first layer is 0, as its input is local. M_b of the
 * last layer is 0.
 *
 * RECURRENT LAYERS add their connections to themselves to U_b, the backward computation.
 * In each time step but one, segments exchange outputs (added to M_f, messages forward)
 * and error terms (added to M_b, messages backward). */
typedef struct sgdplan_segment {
    double forward_s, activations_s;         /* U_f, M_f in seconds                 */
    double backward_s, errors_s;             /* U_b, M_b in seconds                 */
    double update_s;                         /* U_w in seconds                      */
} sgdplan_segment;

/* Computes the times of the slowest segment of layer l. Per sample, this segment receives
 * from other machines `activations` outputs of layer l - 1 and `errors` error terms of
 * layer l + 1. sgdplan_remote_values counts both. split->worker is not read.
 *
 * COST. O(1), apart from the search in tables of constants. If the constant connection_s
 * is a table, log() of libm is called. */
SGDPLAN_API sgdplan_status sgdplan_segment_time(const sgdplan_job *job, size_t l,
                                                const sgdplan_split *split,
                                                uint64_t activations, uint64_t errors,
                                                sgdplan_segment *out);

/* Time in an epoch for reading and writing the weights of one layer. A layer without
 * weights takes no time. An epoch has samples / read_samples reads. With
 * read_per_replica, this number is divided by the number of replicas.
 *
 * ONE READ takes M_w = (1 - m) min + m max, where m is variants.mix [YRHC15, eqs. 10 and
 * 11, which lack C_bits as printed]:
 *   max = latency_s + replicas * R * S / B                       (eq. 10)
 *   min = latency_s + R * S / (B * smaller of servers, workers)  (eq. 11)
 * S is the bytes of the layer's weights, R the number of replications of the layer, and B
 * the bandwidth: that of a machine, divided by H threads unless read_full is set. */
typedef struct sgdplan_weights {
    double latency_s, transfer_s;  /* seconds of all reads: latencies, transfers    */
    double write_s;                /* seconds of all writes; 0: writes are free     */
} sgdplan_weights;

/* Computes the time in an epoch for reading and writing the weights of layer l.
 * configuration->split and split->partitions are not read. Time: O(1). */
SGDPLAN_API sgdplan_status sgdplan_weight_time(const sgdplan_job *job, size_t l,
                                               const sgdplan_configuration *configuration,
                                               const sgdplan_split *split,
                                               sgdplan_weights *out);

/* ---- Epochs ---------------------------------------------------------------- */

/* The eight parts of an epoch's time. */
#define SGDPLAN_EPOCH_TABLE(X)                              \
    X(SGDPLAN_EPOCH_FORWARD,       "forward")               \
    X(SGDPLAN_EPOCH_ACTIVATIONS,   "activations")           \
    X(SGDPLAN_EPOCH_BACKWARD,      "backward")              \
    X(SGDPLAN_EPOCH_ERRORS,        "errors")                \
    X(SGDPLAN_EPOCH_UPDATE,        "update")                \
    X(SGDPLAN_EPOCH_READ_LATENCY,  "read-latency")          \
    X(SGDPLAN_EPOCH_READ_TRANSFER, "read-transfer")         \
    X(SGDPLAN_EPOCH_WRITE,         "write")

#define SGDPLAN_X(name, text) name,
typedef enum sgdplan_epoch_part {
    SGDPLAN_EPOCH_TABLE(SGDPLAN_X) SGDPLAN_EPOCH_PARTS
} sgdplan_epoch_part;
#undef SGDPLAN_X

/* Text of a part of an epoch; never NULL. */
SGDPLAN_API const char *sgdplan_epoch_text(sgdplan_epoch_part part);

/* An epoch of one layer, or of the whole network. */
typedef struct sgdplan_epoch {
    double   epoch_s;              /* seconds; the sum of part_s                    */
    double   part_s[SGDPLAN_EPOCH_PARTS]; /* seconds, indexed by sgdplan_epoch_part */
    uint64_t activations, errors;  /* A and E of sgdplan_remote_values; of the      */
                                   /*   whole network: sums over layers             */
} sgdplan_epoch;

/* Computes the time of an epoch under a configuration:
 *   T_epoch = sum over layers of M_w samples / read_samples
 *           + sum over layers of (U_f + M_f + U_b + M_b + U_w) samples / (H R replicas)
 * M_w is the time of reading a layer's weights: see sgdplan_weights. U and M are times
 * that a segment computes and sends: see sgdplan_segment. The model has `replicas`
 * copies. In each, a layer has R replications, and a segment H threads.
 *
 * OUTPUT. by_layer[layers] receives the time of each layer; by_layer and refusal may be
 * NULL. Fails with SGDPLAN_BAD_ARGUMENT (*refusal tells why) or SGDPLAN_TOO_LARGE (a
 * count or the epoch overflows).
 *
 * COST for layers of P partitions and R replications: O(sum of P R). If places are given:
 * O(sum of P R (P' + P R)), where P' is the number of partitions of the layer below. If
 * connection_s is a table, the function calls log() of libm. */
SGDPLAN_API sgdplan_status sgdplan_epoch_time(const sgdplan_job *job,
                                              const sgdplan_configuration *configuration,
                                              sgdplan_epoch *by_layer, sgdplan_epoch *out,
                                              sgdplan_refusal *refusal);

/* ---- Search ---------------------------------------------------------------- */

/* A plan: a configuration with contiguously placed splits, and its epoch. */
typedef struct sgdplan_plan {
    sgdplan_configuration configuration;
    double                epoch_s; /* seconds                                       */
} sgdplan_plan;

/* Cost functions of the caller, in place of sgdplan_segment and sgdplan_weights:
 *   epoch_s = sum over layers of
 *       (layer_s + forward_s + backward_s) / replicas + weights_s
 *
 * RULES. Each function returns seconds >= 0, or INFINITY for a split that is not allowed.
 * The search may call a function several times with equal arguments. The function must
 * then return an equal value.
 *
 * SLOW FUNCTIONS should keep a table of results. forward_s and backward_s depend on the
 * partitions and replications of `layer` and of the layer below. forward_s also depends
 * on split->threads, backward_s on below->threads. */
typedef struct sgdplan_costs {
    /* Time of a layer by itself, for all samples of an epoch in one replica. */
    double (*layer_s)(void *ctx, size_t layer, const sgdplan_split *split);
    /* Time in which layer 1 or higher receives from below; below->threads is 0. */
    double (*forward_s)(void *ctx, size_t layer, const sgdplan_split *below,
                        const sgdplan_split *split);
    /* Time in which the layer below receives from `layer`; split->threads is 0. */
    double (*backward_s)(void *ctx, size_t layer, const sgdplan_split *below,
                         const sgdplan_split *split);
    /* Time of a layer's exchange with the servers; NULL: 0. It may not depend on how
     * layers are partitioned: split->partitions is 0, configuration->split is NULL. */
    double (*weights_s)(void *ctx, size_t layer, const sgdplan_split *split,
                        const sgdplan_configuration *configuration);
    void  *ctx;
} sgdplan_costs;

/* A search: the job, limits on splits of layers, and the configurations to rank. */
typedef struct sgdplan_problem {
    sgdplan_job job;               /* at least 2 machines; with `costs`, only       */
                                   /*   layers, machines.count and .cores are read  */
    uint32_t max_replications;     /* of a layer; 0: any number                     */
    int      threads_differ;       /* 1: layers may differ in threads; 0: all have  */
                                   /*   the same number                             */
    const sgdplan_split *fixed;    /* [layers] splits: a number > 0 is fixed, a 0   */
                                   /*   is searched. NULL: all are searched         */
    const sgdplan_configuration *given; /* [givens] configurations to rank, without */
                                   /*   splits. NULL: all that fit the machines     */
    size_t   givens;               /* number of given configurations                */
    sgdplan_costs costs;           /* functions; all NULL: the costs of `job`       */
    void   (*on_plan)(void *ctx, const sgdplan_plan *plan); /* called for each      */
                                   /*   plan; its splits are valid until it         */
                                   /*   returns. NULL: not called                   */
    void    *plan_ctx;             /* passed to on_plan                             */
} sgdplan_problem;

/* Checks whether a problem can be searched; each search makes this check first. refusal
 * may be NULL. Time: O(layers + givens), the fields. Fails with SGDPLAN_BAD_ARGUMENT
 * (*refusal tells why) or SGDPLAN_TOO_LARGE (too large: see SGDPLAN_FAULT_LARGE).
 *
 * WHAT MUST FIT. The configurations problem->given must fit the machines. The splits
 * problem->fixed must fit the layers and the cores. They must also fit the workers of
 * each given configuration. If none is given, they must fit the workers of the largest
 * configuration that fits the machines. */
SGDPLAN_API sgdplan_status sgdplan_check_problem(const sgdplan_problem *problem,
                                                 sgdplan_refusal *refusal);

/* Finds the splits with the shortest epoch for given numbers of servers, replicas and
 * workers, by dynamic programming over the layers. configuration->split and
 * problem->given are not read.
 *
 * TIES. If two choices of splits give equal epoch times, they are compared layer by
 * layer, from the last layer down. The first difference decides: fewer workers
 * (partitions times replications) win, then fewer threads, then fewer partitions.
 *
 * OUTPUT. split[layers] receives the best splits, and out->configuration.split points to
 * them. If `split` is NULL, no splits are written, and out->configuration.split is NULL.
 *
 * COST for L layers and K cores per machine. S is the number of pairs of partitions and
 * replications: about N ln N for N workers of a replica. Time or calls of `costs`: O(L
 * S^2 K). Work area: O(L S K) bytes, and O(L S^2) bytes for a table of remote values. If
 * the table would exceed 2^30 bytes, the values are computed anew each time.
 * Fails with SGDPLAN_NO_PLAN (no split is allowed, or none takes a finite time),
 * SGDPLAN_BAD_COST (a cost is negative or NaN), SGDPLAN_BAD_ARGUMENT (as
 * sgdplan_check_problem, or the configuration does not fit), SGDPLAN_SMALL_WORKSPACE
 * (work_bytes is too small) or SGDPLAN_TOO_LARGE (a size overflows). */
SGDPLAN_API sgdplan_status sgdplan_best_splits(const sgdplan_problem *problem,
                                               const sgdplan_configuration *configuration,
                                               void *work, size_t work_bytes,
                                               sgdplan_split *split, sgdplan_plan *out);
SGDPLAN_API sgdplan_status
sgdplan_best_splits_bytes(const sgdplan_problem *problem,
                          const sgdplan_configuration *configuration, size_t *bytes);

/* Compares two plans for qsort. Returns a negative number if a ranks before b. The plan
 * with the shorter epoch ranks first. In a tie, the plan with fewer machines ranks first,
 * then that with fewer workers per replica, then that with fewer replicas. Time: O(1).
 *
 * EQUAL PLANS. Returns 0 if both plans have the same epoch and the same numbers of
 * servers, replicas and workers. The splits of their layers are not compared. */
SGDPLAN_API int sgdplan_compare_plans(const sgdplan_plan *a, const sgdplan_plan *b);

/* A ranking of plans, the best first. The caller sets plan, split and room. */
typedef struct sgdplan_ranking {
    sgdplan_plan  *plan;           /* [room] receives the plans, the best first     */
    sgdplan_split *split;          /* [room][layers] receives splits; NULL: no      */
    size_t         room;           /* number of plans wanted, >= 1                  */
    size_t         found;          /* number of plans found, at most room           */
} sgdplan_ranking;

/* Ranks all configurations, each with its best splits. A configuration without an allowed
 * split is left out. problem->on_plan is called for each plan. The order of the calls is
 * that of problem->given; if this is NULL, by ascending workers, then replicas, then
 * servers.
 *
 * COST for L layers, N machines and K cores. If max_replications is 1 and all layers have
 * the same number of threads, each number of workers is solved once: O(L N^3 K) in all.
 * Otherwise the time is at most about N^2 ln N / 2 times that of sgdplan_best_splits.
 * Most of this time goes to configurations of few workers.
 *
 * SERVERS. Configurations that differ only in servers are solved once if the number of
 * servers does not change the cost of weights. By [YRHC15, eq. 11], more servers than a
 * replica has workers do not change it.
 *
 * MEMORY. The work area is that of sgdplan_best_splits for the most workers, and O(L
 * room) bytes for L layers and out->room plans. Fails as sgdplan_best_splits. */
SGDPLAN_API sgdplan_status sgdplan_search(const sgdplan_problem *problem, void *work,
                                          size_t work_bytes, sgdplan_ranking *out);
SGDPLAN_API sgdplan_status sgdplan_search_bytes(const sgdplan_problem *problem,
                                                size_t room, size_t *bytes);

/* Returns the number of configurations that sgdplan_search tries. Returns 0 in three
 * cases: no configuration is allowed, the number exceeds a size_t, or the problem has
 * more than 2^16 machines. */
SGDPLAN_API size_t sgdplan_search_count(const sgdplan_problem *problem);

/* ---- Places ---------------------------------------------------------------- */

/* Places the segments of layer l near those of the layer below, in contiguous order.
 * Layer l has P partitions and R replications: P R segments. worker[P R] receives the
 * worker of each segment. `workers` is the number of workers of a replica. below->worker
 * has the places of the layer below. below is NULL for layer 0, which takes the first
 * workers.
 *
 * REPLICATIONS. The replications of a layer divide the samples of a mini-batch. If the
 * number R of this layer divides that of the layer below, or is a multiple, a segment
 * goes to a worker that has some of its samples in the layer below. In each such set of
 * samples, segments and workers are paired in order of partitions; see SPREADING. For
 * other R, segment i goes to the worker of segment i of the layer below.
 *
 * SPREADING. If the pairing has fewer segments than workers, each segment takes the
 * worker in the middle of its share of the workers. If it has fewer workers, each worker
 * takes the segment in the middle of its share of the segments. Segments left over go to
 * workers that have no segment of the layer below.
 *
 * QUALITY. The contiguous placement is an approximation. For 5 % of random pairs of
 * layers (up to 20 rows, up to 6 workers) a better placement exists. In these pairs, the
 * slowest segment receives 45 % more activations than with the best one, on average.
 *
 * COST. O(P R P' R' + (P' R')^2) for P R segments of layer l and P' R' of the layer
 * below. Fails with SGDPLAN_TOO_LARGE (a count overflows) or SGDPLAN_BAD_ARGUMENT (P R >
 * workers, below->worker has a number twice or one >= workers, or an input is wrong). */
SGDPLAN_API sgdplan_status sgdplan_place_contiguously(const sgdplan_job *job, size_t l,
                                                      const sgdplan_split *below,
                                                      const sgdplan_split *split,
                                                      uint32_t workers,
                                                      uint32_t *worker);

/* Computes the costs of placing layer l, which has P partitions and R replications.
 * cost[R][P][workers] receives activations per sample: what segment p of replication r
 * would receive if it were placed on this worker. below->worker has the places of the
 * layer below, which has P' partitions and R' replications. Time: O(P R (workers + P') +
 * (P' R')^2). Fails as sgdplan_place_contiguously. */
SGDPLAN_API sgdplan_status sgdplan_place_costs(const sgdplan_job *job, size_t l,
                                               const sgdplan_split *below,
                                               const sgdplan_split *split,
                                               uint32_t workers, double *cost);

/* The quantity that an assignment of segments to workers minimises. */
typedef enum sgdplan_objective {
    SGDPLAN_LEAST_SUM = 0,         /* the sum of costs [YRHC15, 5.3]                */
    SGDPLAN_LEAST_LARGEST          /* the largest cost, as the slowest segment sets */
                                   /*   a layer's time; in a tie, the sum of costs  */
} sgdplan_objective;

/* Costs of an assignment, in the units of sgdplan_matching's cost. */
typedef struct sgdplan_assignment {
    double sum, largest;           /* sum and maximum of the chosen costs           */
    double greedy_sum, greedy_largest; /* sum and maximum of costs by GREEDY        */
    int    conflict;               /* 1: two segments wanted the same worker        */
} sgdplan_assignment;

/* An assignment problem: each segment of a layer has a cost on each worker. */
typedef struct sgdplan_matching {
    const double     *cost;        /* [segments][workers] 0 to 1e70, any unit       */
    size_t            segments, workers; /* 1 <= segments <= workers                */
    sgdplan_objective objective;
} sgdplan_matching;

/* Assigns each segment of a layer to a worker of its own at the least cost;
 * matching->objective says which cost. worker[segments] receives the index of each
 * segment's worker. Time: O(segments workers^2). Sums of integer costs are exact. Other
 * sums are minimal up to rounding.
 *
 * GREEDY. Each segment wants its cheapest worker, the first in a tie. If two segments
 * want one worker, the segment whose second choice would add more cost keeps it; in a
 * tie, the first segment. The other segment wants its next choice. If no such conflict
 * occurs, the greedy result is the best.
 *
 * BEST. If two segments wanted one worker, the best assignment is found by shortest
 * augmenting paths. LEAST_LARGEST first finds the smallest limit of costs at which all
 * segments can have a worker. It then uses only costs up to this limit.
 *
 * Fails with SGDPLAN_BAD_ARGUMENT (a pointer is NULL, no segments, or more segments than
 * workers), SGDPLAN_BAD_COST (a cost is negative, NaN or above 1e70),
 * SGDPLAN_SMALL_WORKSPACE (work_bytes is too small) or SGDPLAN_TOO_LARGE (a size
 * overflows). */
SGDPLAN_API sgdplan_status sgdplan_assign_segments(const sgdplan_matching *matching,
                                                   void *work, size_t work_bytes,
                                                   uint32_t *worker,
                                                   sgdplan_assignment *out);
SGDPLAN_API sgdplan_status
sgdplan_assign_segments_bytes(const sgdplan_matching *matching, size_t *bytes);

/* Result of sgdplan_place_segments. The caller sets the pointers to arrays. */
typedef struct sgdplan_mapping {
    uint32_t      *worker;         /* [layers][workers] workers of the segments;    */
                                   /*   layer l fills the first P R of row l        */
    sgdplan_split *split;          /* [layers] receives the splits with these       */
                                   /*   places                                      */
    sgdplan_assignment *assigned;  /* [layers] assignments; 0 for the first layer.  */
                                   /*   NULL: not wanted                            */
    sgdplan_epoch epoch;           /* epoch with these places                       */
    int           contiguous;      /* 1: places are contiguous, as assigned ones    */
                                   /*   give a longer epoch; 0: assigned            */
} sgdplan_mapping;

/* Places all segments of a configuration on workers. Places given in the configuration
 * are not read. The first layer takes the first workers. sgdplan_assign_segments places
 * each further layer, given the places of the layer below.
 *
 * CONTIGUOUS PLACES. Places that are best for one layer may be bad for later layers. If
 * the epoch is longer than with contiguous places, the function uses contiguous places.
 *
 * COST. O(layers workers^3) time, and O(workers (workers + layers)) bytes. Fails as
 * sgdplan_epoch_time, and with SGDPLAN_SMALL_WORKSPACE (work_bytes is too small). */
SGDPLAN_API sgdplan_status sgdplan_place_segments(
    const sgdplan_job *job, const sgdplan_configuration *configuration,
    sgdplan_objective objective, void *work, size_t work_bytes, sgdplan_mapping *out);
SGDPLAN_API sgdplan_status
sgdplan_place_segments_bytes(const sgdplan_job *job,
                             const sgdplan_configuration *configuration, size_t *bytes);

/* ---- Stages ---------------------------------------------------------------- */

/* A layer of a pipeline, or layers that must stay together. */
typedef struct sgdplan_piece {
    double time_s;             /* forward and backward pass of one micro-batch, seconds */
    double held_bytes;         /* parameters, gradients and optimizer state           */
    double kept_bytes;         /* activations of one micro-batch                      */
} sgdplan_piece;

/* A network that is split into stages of consecutive layers, one or more per stage. */
typedef struct sgdplan_stages {
    const sgdplan_piece *piece; /* [pieces] in the order of the forward pass          */
    size_t        pieces;
    size_t        stages;      /* 1 .. pieces                                         */
    const double *in_flight;   /* [stages] number of micro-batches whose activations  */
                               /*   stage s keeps; 1F1B: stages - s. NULL: 1 each     */
    double        most_bytes;  /* limit of the memory of a stage; 0: no limit         */
} sgdplan_stages;

/* The largest time and the largest memory of the stages of a split. */
typedef struct sgdplan_largest {
    double time_s;             /* of the stage that takes longest, seconds            */
    double bytes;              /* of the stage that needs most memory                 */
} sgdplan_largest;

/* Splits a network into stages so that the slowest stage takes as little time as
 * possible. Each micro-batch of a pipeline waits for that stage. first[stages] receives
 * the index of the first piece of each stage. *out receives the largest time and the
 * largest memory of a stage.
 *
 * MEMORY OF A STAGE: the sum of held_bytes over its pieces, plus in_flight times the sum
 * of kept_bytes over its pieces. It may not exceed most_bytes.
 *
 * TIES. A split counts as fastest if its slowest stage takes at most 1 + 1e-12 times the
 * least possible time. Of these splits, the function takes the one whose largest memory
 * of a stage is least.
 *
 * COST. O(pieces^2 stages) time; the work area has about 8 bytes for each piece and
 * stage. The result is exact, by two dynamic programs.
 * Fails with SGDPLAN_BAD_ARGUMENT (a required pointer is NULL, there are no pieces,
 * stages is not in 1 .. pieces, or a number is negative or not finite), SGDPLAN_TOO_LARGE
 * (a size, or a sum of times or bytes, overflows), SGDPLAN_SMALL_WORKSPACE (work_bytes is
 * too small) or SGDPLAN_NO_PLAN (in every split a stage needs more than most_bytes). */
SGDPLAN_API sgdplan_status sgdplan_split_stages(const sgdplan_stages *of, void *work,
                                                size_t work_bytes, size_t *first,
                                                sgdplan_largest *out);
SGDPLAN_API sgdplan_status sgdplan_split_stages_bytes(const sgdplan_stages *of,
                                                      size_t *bytes);

/* Computes the largest time and the largest memory of the stages of a given split.
 * first[stages] has the index of the first piece of each stage, ascending from 0.
 * most_bytes is not checked. Time: O(pieces). Fails as sgdplan_split_stages, and with
 * SGDPLAN_BAD_ARGUMENT if a stage has no pieces. */
SGDPLAN_API sgdplan_status sgdplan_largest_stage(const sgdplan_stages *of,
                                                 const size_t *first,
                                                 sgdplan_largest *out);

/* A callback that returns the seconds of a step with the split first[stages]. */
typedef double (*sgdplan_step_time)(void *ctx, const size_t *first);

/* Improves a split, for example that of sgdplan_split_stages. Use it if a step does not
 * depend on the largest stage alone, for example if a device has several stages. *step_s
 * receives the step time of the result.
 *
 * METHOD. The function moves one piece at a time between neighbouring stages. It keeps a
 * move if the step then takes less than 1 - 1e-9 of its present time. No stage may need
 * more memory than most_bytes, or than the first split if that needs more. No single move
 * improves the result; another split may be better.
 *
 * COST. 2 * (stages - 1) calls of `time` a round. Rounds end when no piece moves, or at
 * 64 rounds. Fails as sgdplan_largest_stage, with first[] unchanged. */
SGDPLAN_API sgdplan_status sgdplan_improve_split(const sgdplan_stages *of,
                                                 sgdplan_step_time time, void *ctx,
                                                 size_t *first, double *step_s);

/* ---- Library --------------------------------------------------------------- */

/* Returns SGDPERF_PLAN_VERSION of the compiled implementation. A program that loads a
 * shared library can compare this number with the version of its own header.
 *
 * EXPORT. To export or import the functions, define SGDPLAN_API before every inclusion of
 * the header, as __attribute__((visibility("default"))) or __declspec(dllimport). */
SGDPLAN_API int sgdplan_version(void);

/* Returns the size in bytes of the public struct called `name` in the compiled
 * implementation, or 0 if no struct has this name. A binding that declares structs in
 * another language can compare this size with its own. */
SGDPLAN_API size_t sgdplan_struct_bytes(const char *name);

#define SGDPLAN_STRUCT_TABLE(X) \
    X(sgdplan_image) X(sgdplan_layer) X(sgdplan_layer_size) X(sgdplan_refusal) \
    X(sgdplan_constant) \
    X(sgdplan_machines) X(sgdplan_variants) X(sgdplan_job) X(sgdplan_split) \
    X(sgdplan_configuration) X(sgdplan_segment) X(sgdplan_weights) X(sgdplan_epoch) \
    X(sgdplan_plan) X(sgdplan_costs) X(sgdplan_problem) X(sgdplan_ranking) \
    X(sgdplan_matching) X(sgdplan_assignment) X(sgdplan_mapping) \
    X(sgdplan_piece) X(sgdplan_stages) X(sgdplan_largest)

#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_PLAN_H */

#if defined(SGDPERF_PLAN_IMPLEMENTATION) && !defined(SGDPERF_PLAN_IMPLEMENTED)
#define SGDPERF_PLAN_IMPLEMENTED
/* ============================================================================
 *   IMPLEMENTATION
 *   Contents, in the order of the code: chapters, each with its parts
 *   Common block
 *   Layers          texts; sizes
 *   Jobs            constants; splits and configurations
 *   Costs           stripes; remote values; a segment; weights          [eqs. 5-11]
 *   Epochs
 *   Search          costs of the job; dynamic program; ranking; public functions
 *   Places          contiguous; costs of places; assignment; all layers
 *   Stages
 * ==========================================================================*/

#ifndef SGDPLAN_ASSERT
#include <assert.h>
#define SGDPLAN_ASSERT(x) assert(x)
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
static inline const char *sgdplan_priv_text(const char *const *text, size_t count,
                                            size_t i)
{
    return i < count ? text[i] : "no such value";
}

SGDPLAN_API const char *sgdplan_status_text(sgdplan_status status)
{
#define SGDPLAN_X(name, text) text,
    static const char *const text[] = { SGDPLAN_STATUS_TABLE(SGDPLAN_X) };
#undef SGDPLAN_X
    return sgdplan_priv_text(text, SGDPLAN_STATUS_COUNT, (size_t)status);
}

SGDPLAN_API int sgdplan_version(void) { return SGDPERF_PLAN_VERSION; }

SGDPLAN_API size_t sgdplan_struct_bytes(const char *name)
{
#define SGDPLAN_X(type) { #type, sizeof(type) },
    static const struct { const char *name; size_t bytes; } known[] = {
        SGDPLAN_STRUCT_TABLE(SGDPLAN_X) };
#undef SGDPLAN_X
    size_t i;
    for (i = 0; name && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0) return known[i].bytes;
    return 0;
}

/* A time is finite and >= 0, a rate finite and > 0. NaN is neither, as it fails every
 * comparison. Ranges are tested because -ffast-math may take isfinite for true. */
static inline int sgdplan_priv_is_time(double x) { return x >= 0.0 && x <= DBL_MAX; }
static inline int sgdplan_priv_is_rate(double x) { return x > 0.0 && x <= DBL_MAX; }

/* True if a equals b. Written without ==, so that -Wfloat-equal finds mistakes. */
static inline int sgdplan_priv_same(double a, double b) { return a <= b && a >= b; }

/* Divides the caller's work area into arrays. With base NULL it only counts bytes, so one
 * routine both answers ..._bytes() and lays out the work area. */
typedef struct sgdplan_priv_arena {
    char  *base;
    size_t used;
    int    overflow;
} sgdplan_priv_arena;

static inline sgdplan_priv_arena sgdplan_priv_arena_at(void *base)
{
    sgdplan_priv_arena arena;
    arena.base = (char *)base;
    arena.used = 0;
    arena.overflow = 0;
    return arena;
}

#ifndef SGDPLAN_PRIV_TAKEN
#define SGDPLAN_PRIV_TAKEN(arena, at, bytes) ((void)0)  /* of tests/gaps.h */
#endif
/* Takes `count` elements of `size` bytes, aligned for double. NULL while counting. */
static inline void *sgdplan_priv_take(sgdplan_priv_arena *arena, size_t count,
                                      size_t size)
{
    const size_t limit = (size_t)-1 / sizeof(double) * sizeof(double), at = arena->used;
    SGDPLAN_ASSERT(size > 0 && at % sizeof(double) == 0);
    if (arena->overflow || count > (limit - at) / size) {
        arena->overflow = 1;
        return NULL;
    }
    arena->used = (at + count * size + sizeof(double) - 1) / sizeof(double);
    arena->used *= sizeof(double);
    SGDPLAN_PRIV_TAKEN(arena, at, count * size);
    return arena->base ? arena->base + at : NULL;
}

static inline double *sgdplan_priv_doubles(sgdplan_priv_arena *arena, size_t count)
{
    return (double *)sgdplan_priv_take(arena, count, sizeof(double));
}

/* Answers a ..._bytes() from an arena that has counted. */
static inline sgdplan_status sgdplan_priv_answer(const sgdplan_priv_arena *arena,
                                              size_t *bytes)
{
    if (!bytes) return SGDPLAN_BAD_ARGUMENT;
    if (arena->overflow) return SGDPLAN_TOO_LARGE;
    *bytes = arena->used;
    return SGDPLAN_OK;
}

/* Checks that the caller's work area is not NULL, is aligned, and is large enough. */
static inline sgdplan_status sgdplan_priv_check_work(const void *work,
                                                  size_t work_bytes, size_t need)
{
    if (need == 0) return SGDPLAN_OK;
    if (!work || (uintptr_t)work % sizeof(double) != 0) return SGDPLAN_BAD_ARGUMENT;
    return work_bytes < need ? SGDPLAN_SMALL_WORKSPACE : SGDPLAN_OK;
}

/* The mixing function of SplitMix64 [SLF14]: 64 random bits that depend only on x. */
static inline uint64_t sgdplan_priv_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* 64 random bits that depend only on (seed, a, b). There is no state: a draw does not
 * depend on the draws before it. */
static inline uint64_t sgdplan_priv_random(uint64_t seed, uint64_t a, uint64_t b)
{
    return sgdplan_priv_mix(sgdplan_priv_mix(sgdplan_priv_mix(seed) ^ a) ^ b);
}

/* Uniform in [0, 1): the upper 53 of the random bits. */
static inline double sgdplan_priv_uniform(uint64_t random)
{
    return (double)(random >> 11) / 9007199254740992.0;
}

/* Two-sided 95 % point of Student's t. Beyond the table: the expansion of Cornish and
 * Fisher in 1 / degrees [AS64, 26.7.5], with a relative error below 1e-7. */
static inline double sgdplan_priv_student95(uint64_t degrees)
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
    SGDPLAN_ASSERT(degrees >= 1);
    if (degrees <= sizeof table / sizeof table[0]) return table[degrees - 1];
    return x + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

/* Largest size of an element that sgdplan_priv_sort can sort, in bytes. */
#define SGDPLAN_PRIV_SORTED_BYTES 32

/* Tells whether element a comes before element b. */
typedef int (*sgdplan_priv_sort_order)(const void *ctx, const void *a, const void *b);

static inline void sgdplan_priv_swap(char *a, char *b, size_t size)
{
    char held[SGDPLAN_PRIV_SORTED_BYTES];
    memcpy(held, a, size);
    memcpy(a, b, size);
    memcpy(b, held, size);
}

/* Sinks element `at` to its place in the heap base[n]. The top of the heap is the
 * element that comes last in order. */
static inline void sgdplan_priv_sort_sink(char *base, size_t at, size_t n, size_t size,
                                          sgdplan_priv_sort_order before,
                                          const void *ctx)
{
    while (at < n / 2) {                   /* while `at` has a child */
        char *here = base + at * size, *child = base + (2 * at + 1) * size;
        if (2 * at + 2 < n && before(ctx, child, child + size)) child += size;
        if (!before(ctx, here, child)) return;
        sgdplan_priv_swap(here, child, size);
        at = (size_t)(child - base) / size;
    }
}

/* Heap sort in place: O(n log n) for every order of the input. qsort may call malloc. */
static inline void sgdplan_priv_sort(void *elements, size_t n, size_t size,
                                     sgdplan_priv_sort_order before,
                                     const void *ctx)
{
    char *base = (char *)elements;
    size_t i;
    SGDPLAN_ASSERT(size <= SGDPLAN_PRIV_SORTED_BYTES);
    for (i = 1; i < n; i++)
        if (before(ctx, base + i * size, base + (i - 1) * size)) break;
    if (i >= n) return;                    /* already in order, as logs often are */
    for (i = n / 2; i-- > 0;) sgdplan_priv_sort_sink(base, i, n, size, before, ctx);
    for (i = n; i-- > 1;) {
        sgdplan_priv_swap(base, base + i * size, size);
        sgdplan_priv_sort_sink(base, 0, i, size, before, ctx);
    }
}
/* ---- End of the Common block ------------------------------------------------------ */

/* ---- Layers: texts --------------------------------------------------------- */

SGDPLAN_API const char *sgdplan_layer_text(sgdplan_layer_kind kind)
{
#define SGDPLAN_X(name, text) text,
    static const char *const table[] = { SGDPLAN_LAYER_TABLE(SGDPLAN_X) };
#undef SGDPLAN_X
    return sgdplan_priv_text(table, SGDPLAN_LAYER_COUNT, (size_t)kind);
}

SGDPLAN_API const char *sgdplan_fault_text(sgdplan_fault fault)
{
#define SGDPLAN_X(name, text) text,
    static const char *const table[] = { SGDPLAN_FAULT_TABLE(SGDPLAN_X) };
#undef SGDPLAN_X
    return sgdplan_priv_text(table, SGDPLAN_FAULT_COUNT, (size_t)fault);
}

/* Returns the status of a fault, and reports it in *refusal unless that is NULL. */
static sgdplan_status sgdplan_priv_refuse(sgdplan_fault reason, size_t layer,
                                          sgdplan_refusal *refusal)
{
    if (reason == SGDPLAN_FAULT_NONE) return SGDPLAN_OK;
    if (refusal) {
        refusal->reason = reason;
        refusal->layer = layer;
        refusal->given = 0;
    }
    return reason == SGDPLAN_FAULT_LARGE || reason == SGDPLAN_FAULT_TIME
        ? SGDPLAN_TOO_LARGE : SGDPLAN_BAD_ARGUMENT;
}

/* ---- Layers: sizes --------------------------------------------------------- */

/* Is the layer cut along rows of an image, each read through a window? */
static int sgdplan_priv_has_windows(const sgdplan_layer *z)
{
    return z->kind == SGDPLAN_LAYER_CONV || z->kind == SGDPLAN_LAYER_POOL;
}

static int sgdplan_priv_has_steps(const sgdplan_layer *z)
{
    return z->kind == SGDPLAN_LAYER_RECURRENT;
}

static uint64_t sgdplan_priv_steps(const sgdplan_layer *z)
{
    return sgdplan_priv_has_steps(z) && z->steps > 0 ? z->steps : 1;
}

/* Number of rows or neurons that stripes are made of; below, outputs of one of them. */
static uint64_t sgdplan_priv_rows(const sgdplan_layer *z)
{
    return sgdplan_priv_has_windows(z) ? z->out.rows : z->n_out;
}

static uint64_t sgdplan_priv_values_of_row(const sgdplan_layer *z)
{
    return sgdplan_priv_has_windows(z) ? (uint64_t)z->out.channels * z->out.columns
                                       : sgdplan_priv_steps(z);
}

/* Products and sums up to 2^63; beyond, the result is 0 and *large is set. */
static uint64_t sgdplan_priv_times(uint64_t a, uint64_t b, int *large)
{
    const uint64_t limit = (uint64_t)1 << 63;
    if (a == 0 || b == 0) return 0;
    if (a > limit / b) { *large = 1; return 0; }
    return a * b;
}

static uint64_t sgdplan_priv_plus(uint64_t a, uint64_t b, int *large)
{
    const uint64_t limit = (uint64_t)1 << 63;
    SGDPLAN_ASSERT(a <= limit);
    if (b > limit - a) { *large = 1; return 0; }
    return a + b;
}

static int sgdplan_priv_fits_window(uint32_t in, uint32_t out, const sgdplan_layer *z)
{
    const uint64_t padded = (uint64_t)in + 2 * (uint64_t)z->pad;
    const uint64_t stride = z->stride > 0 ? z->stride : 1;
    return padded >= z->kernel && out == (padded - z->kernel) / stride + 1;
}

static int sgdplan_priv_is_empty(const sgdplan_image *image)
{
    return image->channels == 0 || image->rows == 0 || image->columns == 0;
}

static sgdplan_fault sgdplan_priv_check_shape(const sgdplan_layer *z)
{
    if ((size_t)z->kind >= SGDPLAN_LAYER_COUNT) return SGDPLAN_FAULT_KIND;
    if (!sgdplan_priv_has_windows(z))
        return z->n_in > 0 && z->n_out > 0 ? SGDPLAN_FAULT_NONE : SGDPLAN_FAULT_ZERO;
    if (sgdplan_priv_is_empty(&z->in) || sgdplan_priv_is_empty(&z->out) || z->kernel == 0)
        return SGDPLAN_FAULT_ZERO;
    if (z->pad >= z->kernel) return SGDPLAN_FAULT_PAD;
    if (!sgdplan_priv_fits_window(z->in.rows, z->out.rows, z)) return SGDPLAN_FAULT_ROWS;
    if (!sgdplan_priv_fits_window(z->in.columns, z->out.columns, z))
        return SGDPLAN_FAULT_COLUMNS;
    if (z->kind == SGDPLAN_LAYER_POOL && z->in.channels != z->out.channels)
        return SGDPLAN_FAULT_CHANNELS;
    return SGDPLAN_FAULT_NONE;
}

static sgdplan_fault sgdplan_priv_measure(const sgdplan_layer *z, int biases,
                                          sgdplan_layer_size *size)
{
    const sgdplan_fault shape = sgdplan_priv_check_shape(z);
    const int conv = z->kind == SGDPLAN_LAYER_CONV;
    const uint64_t T = sgdplan_priv_steps(z);
    uint64_t window, pairs;
    int large = 0;
    memset(size, 0, sizeof *size);
    if (shape != SGDPLAN_FAULT_NONE) return shape;
    size->neurons =
        sgdplan_priv_times(sgdplan_priv_rows(z), sgdplan_priv_values_of_row(z), &large);
    if (sgdplan_priv_has_windows(z)) {
        window = sgdplan_priv_times(z->kernel, z->kernel, &large);
        if (conv) window = sgdplan_priv_times(window, z->in.channels, &large);
        size->connections = sgdplan_priv_times(size->neurons, window, &large);
        if (conv) size->weights = sgdplan_priv_times(window, z->out.channels, &large);
    } else {
        pairs = sgdplan_priv_times(z->n_in, z->n_out, &large);
        size->connections = sgdplan_priv_times(pairs, T, &large);
        size->weights = pairs;
    }
    if (sgdplan_priv_has_steps(z)) {
        pairs = sgdplan_priv_times(z->n_out, z->n_out, &large);
        size->own_connections = sgdplan_priv_times(pairs, T - 1, &large);
        size->connections =
            sgdplan_priv_plus(size->connections, size->own_connections, &large);
        size->weights = sgdplan_priv_plus(size->weights, pairs, &large);
    }
    if (biases && z->kind != SGDPLAN_LAYER_POOL)
        size->weights =
            sgdplan_priv_plus(size->weights, conv ? z->out.channels : z->n_out, &large);
    SGDPLAN_ASSERT(large || size->neurons > 0);
    SGDPLAN_ASSERT(large || size->own_connections < size->connections);
    return large ? SGDPLAN_FAULT_LARGE : SGDPLAN_FAULT_NONE;
}

/* Does layer z fit on layer y? Both are measured. */
static int sgdplan_priv_fits(const sgdplan_layer *y, const sgdplan_layer *z)
{
    const uint64_t outputs = sgdplan_priv_rows(y) * sgdplan_priv_values_of_row(y);
    if (sgdplan_priv_has_windows(z))
        return sgdplan_priv_has_windows(y) && z->in.channels == y->out.channels
            && z->in.rows == y->out.rows && z->in.columns == y->out.columns;
    if (sgdplan_priv_has_steps(z)) {
        if (sgdplan_priv_has_steps(y))
            return z->n_in == y->n_out && sgdplan_priv_steps(z) == sgdplan_priv_steps(y);
        return outputs == z->n_in || outputs == z->n_in * sgdplan_priv_steps(z);
    }
    return outputs == z->n_in || (sgdplan_priv_has_steps(y) && z->n_in == y->n_out);
}

/* Checks layer l and that it fits the layer below; later layers are not read. */
static sgdplan_fault sgdplan_priv_check_layer(const sgdplan_layer *layer, size_t l,
                                              int biases, sgdplan_layer_size *size)
{
    sgdplan_layer_size below;
    sgdplan_fault fault = sgdplan_priv_measure(layer + l, biases, size);
    if (fault != SGDPLAN_FAULT_NONE || l == 0) return fault;
    fault = sgdplan_priv_measure(layer + l - 1, biases, &below);
    if (fault != SGDPLAN_FAULT_NONE) return fault;
    return sgdplan_priv_fits(layer + l - 1, layer + l) ? SGDPLAN_FAULT_NONE
                                                       : SGDPLAN_FAULT_BELOW;
}

SGDPLAN_API sgdplan_status sgdplan_layer_sizes(const sgdplan_layer *layer, size_t layers,
                                               int biases, sgdplan_layer_size *size,
                                               sgdplan_refusal *refusal)
{
    sgdplan_layer_size one;
    sgdplan_status status;
    size_t l;
    if (!layer || layers == 0)
        return sgdplan_priv_refuse(SGDPLAN_FAULT_EMPTY, 0, refusal);
    for (l = 0; l < layers; l++) {
        status = sgdplan_priv_refuse(sgdplan_priv_check_layer(layer, l, biases, &one), l,
                                     refusal);
        if (status != SGDPLAN_OK) return status;
    }
    for (l = 0; size && l < layers; l++)
        (void)sgdplan_priv_measure(layer + l, biases, size + l);
    return SGDPLAN_OK;
}

/* ---- Jobs: constants ------------------------------------------------------- */

static int sgdplan_priv_is_constant(const sgdplan_constant *c)
{
    size_t i;
    if (c->points == 0) return sgdplan_priv_is_time(c->number);
    if (!c->at || !c->value) return 0;
    for (i = 0; i < c->points; i++) {
        if (!sgdplan_priv_is_rate(c->at[i]) || !sgdplan_priv_is_time(c->value[i]))
            return 0;
        if (i > 0 && !(c->at[i] > c->at[i - 1])) return 0;
    }
    return 1;
}

/* On a logarithmic scale, which part of the way from a to b is x, a < x <= b? b / a may
 * overflow. */
static double sgdplan_priv_share_of_log(double a, double x, double b)
{
    const double span = b / a;
    if (span <= DBL_MAX) return log(x / a) / log(span);
    return (log(x) - log(a)) / (log(b) - log(a));
}

/* The value of a constant at x, linear in x or in log x. */
static double sgdplan_priv_constant(const sgdplan_constant *c, double x, int logarithmic)
{
    size_t i = 0;
    double a, b, share;
    if (c->points == 0) return c->number;
    while (i < c->points && c->at[i] < x) i++;
    if (i == 0) return c->value[0];
    if (i == c->points) return c->value[i - 1];
    a = c->at[i - 1];
    b = c->at[i];
    SGDPLAN_ASSERT(a < x && x <= b);
    share = logarithmic ? sgdplan_priv_share_of_log(a, x, b) : (x - a) / (b - a);
    SGDPLAN_ASSERT(share >= 0.0 && share <= 1.0 + 1e-9);
    return c->value[i - 1] * (1.0 - share) + c->value[i] * share;
}

/* C_interf for a number of threads; may overflow between large values. */
static double sgdplan_priv_interference(const sgdplan_constant *c, uint32_t threads)
{
    const double H = (double)threads;
    double slower;
    size_t i = 0;
    if (threads <= 1) return 1.0;
    if (c->points == 0) return c->number > 0.0 ? c->number : 1.0;
    while (i < c->points && c->at[i] <= 1.0) i++;
    if (i == c->points) return 1.0;
    if (H >= c->at[i]) return sgdplan_priv_constant(c, H, 0);
    slower = 1.0 + (c->value[i] - 1.0) * (H - 1.0) / (c->at[i] - 1.0);
    SGDPLAN_ASSERT(slower >= 0.0);
    return slower;
}

static double sgdplan_priv_value_bytes(const sgdplan_machines *m)
{
    return m->value_bytes > 0.0 ? m->value_bytes : 4.0;
}

static sgdplan_fault sgdplan_priv_check_constants(const sgdplan_job *job)
{
    const sgdplan_machines *m = &job->machines;
    if (!job->layer || job->layers == 0 || m->count == 0 || m->cores == 0)
        return SGDPLAN_FAULT_EMPTY;
    if (m->count > 1u << 30) return SGDPLAN_FAULT_LARGE;
    if (!sgdplan_priv_is_constant(&m->connection_s)
        || !sgdplan_priv_is_constant(&m->interference)
        || !sgdplan_priv_is_constant(&m->latency_s)
        || !sgdplan_priv_is_time(m->activation_s) || !sgdplan_priv_is_time(m->error_s)
        || !sgdplan_priv_is_rate(m->bandwidth_bytes_per_s)
        || !sgdplan_priv_is_time(m->value_bytes))
        return SGDPLAN_FAULT_CONSTANT;
    if (!sgdplan_priv_is_rate(job->samples) || !sgdplan_priv_is_time(job->write_samples))
        return SGDPLAN_FAULT_CONSTANT;
    if (!sgdplan_priv_is_rate(job->read_samples) || job->read_samples > job->samples
        || !(job->variants.mix >= 0.0 && job->variants.mix <= 1.0))
        return SGDPLAN_FAULT_READ;
    return SGDPLAN_FAULT_NONE;
}

/* ---- Jobs: splits and configurations --------------------------------------- */

static uint64_t sgdplan_priv_segments(const sgdplan_split *s)
{
    return (uint64_t)s->partitions * s->replications;
}

/* Checks a split of a layer of a checked job on `workers` workers. */
static sgdplan_fault sgdplan_priv_check_split(const sgdplan_job *job, size_t l,
                                              const sgdplan_split *s, uint64_t workers)
{
    if (s->partitions == 0 || s->replications == 0 || s->threads == 0)
        return SGDPLAN_FAULT_SPLIT;
    if (s->threads > job->machines.cores) return SGDPLAN_FAULT_CORES;
    if (sgdplan_priv_segments(s) > workers) return SGDPLAN_FAULT_WORKERS;
    return s->partitions > sgdplan_priv_rows(job->layer + l) ? SGDPLAN_FAULT_STRIPES
                                                             : SGDPLAN_FAULT_NONE;
}

/* Checks layer l of a checked job and its split on `workers` workers. */
static sgdplan_fault sgdplan_priv_check_split_layer(const sgdplan_job *job, size_t l,
                                                    const sgdplan_split *s,
                                                    uint64_t workers)
{
    sgdplan_layer_size size;
    const sgdplan_fault fault =
        sgdplan_priv_check_layer(job->layer, l, job->variants.biases, &size);
    return fault != SGDPLAN_FAULT_NONE ? fault
                                       : sgdplan_priv_check_split(job, l, s, workers);
}

/* Checks C1. */
static sgdplan_fault sgdplan_priv_check_machines(uint32_t machines,
                                                 const sgdplan_configuration *c)
{
    if (c->servers == 0 || c->replicas == 0 || c->workers == 0)
        return SGDPLAN_FAULT_EMPTY;
    if (c->servers > machines
        || (uint64_t)c->replicas * c->workers > machines - c->servers)
        return SGDPLAN_FAULT_MACHINES;
    return SGDPLAN_FAULT_NONE;
}

/* Are the workers of all segments different and below `workers`? */
static int sgdplan_priv_is_placed(const sgdplan_split *s, uint32_t workers)
{
    const size_t n = (size_t)sgdplan_priv_segments(s);
    size_t i, j;
    if (!s->worker) return 0;
    for (i = 0; i < n; i++) {
        if (s->worker[i] >= workers) return 0;
        for (j = 0; j < i; j++)
            if (s->worker[i] == s->worker[j]) return 0;
    }
    return 1;
}

/* Checks what concerns layer l alone and its connections from the layer above. */
static sgdplan_fault sgdplan_priv_check_at(const sgdplan_job *job, size_t l,
                                           sgdplan_layer_size *size)
{
    const int biases = job->variants.biases;
    sgdplan_layer_size above;
    sgdplan_fault fault = sgdplan_priv_check_constants(job);
    if (fault != SGDPLAN_FAULT_NONE) return fault;
    if (l >= job->layers) return SGDPLAN_FAULT_EMPTY;
    fault = sgdplan_priv_check_layer(job->layer, l, biases, size);
    if (fault != SGDPLAN_FAULT_NONE || l + 1 == job->layers) return fault;
    return sgdplan_priv_check_layer(job->layer, l + 1, biases, &above);
}

/* Checks layer l >= 1, the layer below it, and both splits. */
static sgdplan_fault sgdplan_priv_check_pair(const sgdplan_job *job, size_t l,
                                             const sgdplan_split *below,
                                             const sgdplan_split *split)
{
    sgdplan_fault fault = sgdplan_priv_check_constants(job);
    if (fault != SGDPLAN_FAULT_NONE) return fault;
    if (l == 0 || l >= job->layers) return SGDPLAN_FAULT_EMPTY;
    fault = sgdplan_priv_check_split_layer(job, l, split, job->machines.count);
    if (fault == SGDPLAN_FAULT_NONE)
        fault = sgdplan_priv_check_split(job, l - 1, below, job->machines.count);
    return fault;
}

/* ---- Costs: stripes -------------------------------------------------------- */

/* Rows first .. end - 1. */
typedef struct sgdplan_priv_range { uint64_t first, end; } sgdplan_priv_range;

static sgdplan_priv_range sgdplan_priv_stripe(uint64_t rows, uint64_t P, uint64_t j)
{
    sgdplan_priv_range r;
    r.first = j * rows / P;
    r.end = (j + 1) * rows / P;
    SGDPLAN_ASSERT(j < P && r.first < r.end && r.end <= rows);
    return r;
}

/* Rows of layer y that the layer z above it needs for its own rows. */
static sgdplan_priv_range sgdplan_priv_needed_below(const sgdplan_layer *y,
                                                    const sgdplan_layer *z,
                                                    sgdplan_priv_range own)
{
    const uint64_t s = z->stride > 0 ? z->stride : 1, h = sgdplan_priv_rows(y);
    sgdplan_priv_range r;
    r.first = 0;
    r.end = h;
    if (!sgdplan_priv_has_windows(z)) return r;
    if (own.first * s > z->pad) r.first = own.first * s - z->pad;
    r.end = (own.end - 1) * s + z->kernel - z->pad;    /* the padding is less wide */
    if (r.end > h) r.end = h;
    SGDPLAN_ASSERT(r.first <= r.end && r.end <= h);
    return r;
}

/* Rows of layer z whose error terms the layer y below it needs for its own rows. */
static sgdplan_priv_range sgdplan_priv_needed_above(const sgdplan_layer *z,
                                                    sgdplan_priv_range own)
{
    const uint64_t s = z->stride > 0 ? z->stride : 1;
    sgdplan_priv_range r;
    r.first = 0;
    r.end = sgdplan_priv_rows(z);
    if (!sgdplan_priv_has_windows(z)) return r;
    if (own.first + z->pad >= z->kernel)
        r.first = (own.first + z->pad - z->kernel) / s + 1;
    if (r.end > (own.end - 1 + z->pad) / s + 1) r.end = (own.end - 1 + z->pad) / s + 1;
    SGDPLAN_ASSERT(r.first <= r.end && r.end <= sgdplan_priv_rows(z));
    return r;
}

/* Number of rows in a but not in b. */
static uint64_t sgdplan_priv_outside(sgdplan_priv_range a, sgdplan_priv_range b)
{
    const uint64_t first = a.first > b.first ? a.first : b.first;
    const uint64_t end = a.end < b.end ? a.end : b.end;
    const uint64_t both = end > first ? end - first : 0;
    SGDPLAN_ASSERT(both <= a.end - a.first);
    return a.end - a.first - both;
}

#define SGDPLAN_PRIV_ALONE UINT64_MAX

/* X things and Y things stand in a row. Each of the fewer is paired with the one in the
 * middle of its share of the others. Returns the partner of x among the Y, or
 * SGDPLAN_PRIV_ALONE. X, Y <= 2^30. */
static uint64_t sgdplan_priv_partner(uint64_t x, uint64_t X, uint64_t Y)
{
    uint64_t y;
    SGDPLAN_ASSERT(x < X);
    if (X <= Y) return (2 * x + 1) * Y / (2 * X);
    y = (2 * x * Y + X - 1) / (2 * X);   /* the least with (2 y + 1) X >= 2 x Y: <= Y, */
    return (2 * y + 1) * X / (2 * Y) == x ? y : SGDPLAN_PRIV_ALONE; /* whose x is >= X */
}

/* ---- Costs: remote values -------------------------------------------------- */

/* Outputs per row of y that z reads: all, or those of a recurrent layer's last step. */
static uint64_t sgdplan_priv_values_read(const sgdplan_layer *y, const sgdplan_layer *z)
{
    if (sgdplan_priv_has_steps(y) && !sgdplan_priv_has_steps(z) && z->n_in == y->n_out)
        return 1;
    return sgdplan_priv_values_of_row(y);
}

/* For contiguous placement: the partition of the layer split as t that stands on the
 * worker of segment (p, r) of the layer split as s, in the replication that computes the
 * samples of r; or SGDPLAN_PRIV_ALONE. R of t divides R of s. */
static uint64_t sgdplan_priv_beside(const sgdplan_split *s, const sgdplan_split *t,
                                    uint64_t p, uint64_t r)
{
    const uint64_t R = t->replications, copies = s->replications / R;
    SGDPLAN_ASSERT(copies * R == s->replications);
    return sgdplan_priv_partner(p * copies + r / R, s->partitions * copies,
                                t->partitions);
}

/* The same for given places of both layers; without places they are contiguous. */
static uint64_t sgdplan_priv_held(const sgdplan_split *s, const sgdplan_split *t,
                                  uint64_t p, uint64_t r)
{
    const uint64_t P = t->partitions, R = t->replications;
    uint64_t i;
    SGDPLAN_ASSERT(!s->worker == !t->worker);
    if (!s->worker) return sgdplan_priv_beside(s, t, p, r);
    for (i = 0; i < P; i++)
        if (t->worker[r % R * P + i] == s->worker[r * s->partitions + p]) return i;
    return SGDPLAN_PRIV_ALONE;
}

/* The largest number of rows of layer `from`, split as t, that a segment of layer `to`,
 * split as s, needs and does not hold. */
static uint64_t sgdplan_priv_slowest(const sgdplan_layer *to, const sgdplan_split *s,
                                     const sgdplan_layer *from, const sgdplan_split *t,
                                     int upward)
{
    const int shared = s->replications % t->replications == 0;
    const sgdplan_priv_range nothing = { 0, 0 };
    uint64_t most = 0, p, r;
    for (p = 0; p < s->partitions; p++) {
        const sgdplan_priv_range own =
            sgdplan_priv_stripe(sgdplan_priv_rows(to), s->partitions, p);
        const sgdplan_priv_range need = upward
            ? sgdplan_priv_needed_below(from, to, own)
            : sgdplan_priv_needed_above(from, own);
        if (!shared) {
            if (most < sgdplan_priv_outside(need, nothing))
                most = sgdplan_priv_outside(need, nothing);
            continue;
        }
        /* In a contiguous placement all groups of replications look like the first. */
        for (r = 0; r < s->replications; r += s->worker ? 1 : t->replications) {
            const uint64_t held = sgdplan_priv_held(s, t, p, r);
            const sgdplan_priv_range have = held == SGDPLAN_PRIV_ALONE
                ? nothing
                : sgdplan_priv_stripe(sgdplan_priv_rows(from), t->partitions, held);
            const uint64_t rest = sgdplan_priv_outside(need, have);
            if (most < rest) most = rest;
        }
    }
    SGDPLAN_ASSERT(most <= sgdplan_priv_rows(from));
    return most;
}

/* A of layer l, and E of layer l - 1. */
typedef struct sgdplan_priv_remote { uint64_t activations, errors; } sgdplan_priv_remote;

static sgdplan_priv_remote sgdplan_priv_remote_values(const sgdplan_job *job, size_t l,
                                                      const sgdplan_split *below,
                                                      const sgdplan_split *split)
{
    const sgdplan_layer *y = job->layer + l - 1, *z = job->layer + l;
    sgdplan_priv_remote n;
    n.activations =
        sgdplan_priv_slowest(z, split, y, below, 1) * sgdplan_priv_values_read(y, z);
    n.errors =
        sgdplan_priv_slowest(y, below, z, split, 0) * sgdplan_priv_values_of_row(z);
    return n;
}

SGDPLAN_API sgdplan_status sgdplan_remote_values(const sgdplan_job *job, size_t l,
                                                 const sgdplan_split *below,
                                                 const sgdplan_split *split,
                                                 uint64_t *activations, uint64_t *errors)
{
    sgdplan_priv_remote n;
    sgdplan_fault fault;
    if (!job || !below || !split || !activations || !errors) return SGDPLAN_BAD_ARGUMENT;
    if (!below->worker != !split->worker) return SGDPLAN_BAD_ARGUMENT;
    fault = sgdplan_priv_check_pair(job, l, below, split);
    if (fault == SGDPLAN_FAULT_NONE && split->worker
        && !(sgdplan_priv_is_placed(below, job->machines.count)
             && sgdplan_priv_is_placed(split, job->machines.count)))
        fault = SGDPLAN_FAULT_PLACE;
    if (fault != SGDPLAN_FAULT_NONE) return sgdplan_priv_refuse(fault, l, NULL);
    n = sgdplan_priv_remote_values(job, l, below, split);
    *activations = n.activations;
    *errors = n.errors;
    return SGDPLAN_OK;
}

/* ---- Costs: a segment ------------------------------------------------------ */

/* Times of a message: without content, for each value, and if none is needed. */
typedef struct sgdplan_priv_message {
    double latency_s, value_s, idle_s;
} sgdplan_priv_message;

static sgdplan_priv_message sgdplan_priv_message_of(const sgdplan_job *job,
                                                    uint32_t threads)
{
    const sgdplan_machines *m = &job->machines;
    const double H = (double)threads;
    sgdplan_priv_message out;
    out.latency_s = sgdplan_priv_constant(&m->latency_s, H, 0);
    out.value_s = sgdplan_priv_value_bytes(m) / (m->bandwidth_bytes_per_s / H);
    out.idle_s = job->variants.latency_always ? out.latency_s : 0.0;
    SGDPLAN_ASSERT(out.idle_s <= out.latency_s && out.value_s >= 0.0);
    return out;
}

/* [YRHC15, eq. 6] */
static double sgdplan_priv_message_s(const sgdplan_priv_message *m, uint64_t values)
{
    if (values == 0) return m->idle_s;
    return m->latency_s + (double)values * m->value_s;
}

/* Number of connections from layer l + 1, which is checked, to layer l. */
static uint64_t sgdplan_priv_connections_above(const sgdplan_job *job, size_t l)
{
    sgdplan_layer_size above;
    if (l + 1 == job->layers) return 0;
    (void)sgdplan_priv_measure(job->layer + l + 1, 0, &above);
    SGDPLAN_ASSERT(above.own_connections <= above.connections);
    return above.connections - above.own_connections;
}

/* Computation [YRHC15, eqs. 5 and 7-9] in the paper's letters. Both messages get what the
 * segments of a recurrent layer exchange. */
static sgdplan_segment sgdplan_priv_computation(const sgdplan_job *job, size_t l,
                                                const sgdplan_layer_size *size,
                                                const sgdplan_split *split,
                                                const sgdplan_priv_message *message)
{
    const sgdplan_machines *m = &job->machines;
    const sgdplan_layer *z = job->layer + l;
    const uint64_t rows = sgdplan_priv_rows(z), T = sgdplan_priv_steps(z);
    const uint64_t others = rows - rows / split->partitions;
    const double above = (double)sgdplan_priv_connections_above(job, l)
        + (double)size->own_connections;
    const double P = (double)split->partitions;
    const double stored_bytes = (double)size->weights * sgdplan_priv_value_bytes(m) / P;
    const double C_muladd = sgdplan_priv_constant(&m->connection_s, stored_bytes, 1);
    const double C_interf = sgdplan_priv_interference(&m->interference, split->threads);
    const double N = (double)size->neurons, W = (double)size->connections;
    sgdplan_segment t;
    SGDPLAN_ASSERT(P >= 1.0 && others < rows && C_interf >= 0.0);
    t.forward_s = C_interf * (C_muladd * W + m->activation_s * N) / P;
    t.backward_s = C_interf / P * (C_muladd * above + m->error_s * N);
    t.update_s = z->kind == SGDPLAN_LAYER_POOL ? 0.0 : C_interf * (C_muladd * W) / P;
    t.activations_s = 0.0;
    if (T > 1)
        t.activations_s = (double)(T - 1) * sgdplan_priv_message_s(message, others);
    t.errors_s = t.activations_s;
    return t;
}

/* [YRHC15, eqs. 5-9] as a whole. */
static sgdplan_segment sgdplan_priv_segment(const sgdplan_job *job, size_t l,
                                            const sgdplan_layer_size *size,
                                            const sgdplan_split *split,
                                            uint64_t activations, uint64_t errors)
{
    const sgdplan_priv_message m = sgdplan_priv_message_of(job, split->threads);
    sgdplan_segment t = sgdplan_priv_computation(job, l, size, split, &m);
    if (l > 0) t.activations_s += sgdplan_priv_message_s(&m, activations);
    if (l + 1 < job->layers) t.errors_s += sgdplan_priv_message_s(&m, errors);
    return t;
}

SGDPLAN_API sgdplan_status sgdplan_segment_time(const sgdplan_job *job, size_t l,
                                                const sgdplan_split *split,
                                                uint64_t activations, uint64_t errors,
                                                sgdplan_segment *out)
{
    sgdplan_layer_size size;
    sgdplan_segment t;
    sgdplan_fault fault;
    if (!job || !split || !out) return SGDPLAN_BAD_ARGUMENT;
    fault = sgdplan_priv_check_at(job, l, &size);
    if (fault == SGDPLAN_FAULT_NONE)
        fault = sgdplan_priv_check_split(job, l, split, job->machines.count);
    if (fault != SGDPLAN_FAULT_NONE) return sgdplan_priv_refuse(fault, l, NULL);
    t = sgdplan_priv_segment(job, l, &size, split, activations, errors);
    if (!sgdplan_priv_is_time(t.forward_s) || !sgdplan_priv_is_time(t.activations_s)
        || !sgdplan_priv_is_time(t.backward_s) || !sgdplan_priv_is_time(t.errors_s))
        return SGDPLAN_TOO_LARGE;
    SGDPLAN_ASSERT(t.update_s <= t.forward_s);
    *out = t;
    return SGDPLAN_OK;
}

/* ---- Costs: weights -------------------------------------------------------- */

/* [YRHC15, eqs. 10 and 11] in the paper's letters. */
static sgdplan_weights sgdplan_priv_weights(const sgdplan_job *job,
                                            const sgdplan_layer_size *size,
                                            const sgdplan_configuration *c,
                                            const sgdplan_split *split)
{
    const sgdplan_variants *v = &job->variants;
    const sgdplan_machines *m = &job->machines;
    const double H = (double)split->threads, R = (double)split->replications;
    const double N_mr = (double)c->replicas;
    const double N_ps = (double)(c->servers < c->workers ? c->servers : c->workers);
    const double C_nbw = m->bandwidth_bytes_per_s / (v->read_full ? 1.0 : H);
    const double alone_s =
        R * (double)size->weights * sgdplan_priv_value_bytes(m) / C_nbw;
    const double share = v->read_per_replica ? N_mr : 1.0;
    const double reads = job->samples / job->read_samples / share;
    const double latency_s = sgdplan_priv_constant(&m->latency_s, H, 0);
    const double transfer_s =
        (1.0 - v->mix) * (alone_s / N_ps) + v->mix * (N_mr * alone_s);
    sgdplan_weights w;
    memset(&w, 0, sizeof w);
    if (size->weights == 0) return w;
    w.latency_s = latency_s * reads;
    w.transfer_s = transfer_s * reads;
    if (job->write_samples > 0.0)
        w.write_s =
            (latency_s + transfer_s) * (job->samples / job->write_samples) / share;
    SGDPLAN_ASSERT(!(w.latency_s < 0.0) && !(w.transfer_s < 0.0) && !(w.write_s < 0.0));
    return w;
}

SGDPLAN_API sgdplan_status sgdplan_weight_time(const sgdplan_job *job, size_t l,
                                               const sgdplan_configuration *configuration,
                                               const sgdplan_split *split,
                                               sgdplan_weights *out)
{
    sgdplan_layer_size size;
    sgdplan_weights w;
    sgdplan_split any;
    sgdplan_fault fault;
    if (!job || !configuration || !split || !out) return SGDPLAN_BAD_ARGUMENT;
    any = *split;
    any.partitions = 1;
    fault = sgdplan_priv_check_at(job, l, &size);
    if (fault == SGDPLAN_FAULT_NONE)
        fault = sgdplan_priv_check_machines(job->machines.count, configuration);
    if (fault == SGDPLAN_FAULT_NONE)
        fault = sgdplan_priv_check_split(job, l, &any, job->machines.count);
    if (fault != SGDPLAN_FAULT_NONE) return sgdplan_priv_refuse(fault, l, NULL);
    w = sgdplan_priv_weights(job, &size, configuration, split);
    if (!sgdplan_priv_is_time(w.latency_s) || !sgdplan_priv_is_time(w.transfer_s)
        || !sgdplan_priv_is_time(w.write_s))
        return SGDPLAN_TOO_LARGE;
    *out = w;
    return SGDPLAN_OK;
}

/* ---- Epochs ---------------------------------------------------------------- */

SGDPLAN_API const char *sgdplan_epoch_text(sgdplan_epoch_part part)
{
#define SGDPLAN_X(name, text) text,
    static const char *const table[] = { SGDPLAN_EPOCH_TABLE(SGDPLAN_X) };
#undef SGDPLAN_X
    return sgdplan_priv_text(table, SGDPLAN_EPOCH_PARTS, (size_t)part);
}

/* The parts of layer l of a checked configuration; not finite if they overflow. */
static void sgdplan_priv_layer_epoch(const sgdplan_job *job,
                                     const sgdplan_configuration *c, size_t l,
                                     sgdplan_epoch *out)
{
    const sgdplan_split *s = c->split + l;
    const double Q = (double)s->threads * (double)s->replications * (double)c->replicas;
    const double rounds = job->samples / Q;
    sgdplan_layer_size size;
    sgdplan_segment t;
    sgdplan_weights w;
    size_t i;
    memset(out, 0, sizeof *out);
    (void)sgdplan_priv_measure(job->layer + l, job->variants.biases, &size);
    if (l > 0)
        out->activations = sgdplan_priv_remote_values(job, l, s - 1, s).activations;
    if (l + 1 < job->layers)
        out->errors = sgdplan_priv_remote_values(job, l + 1, s, s + 1).errors;
    t = sgdplan_priv_segment(job, l, &size, s, out->activations, out->errors);
    w = sgdplan_priv_weights(job, &size, c, s);
    out->part_s[SGDPLAN_EPOCH_FORWARD] = t.forward_s * rounds;
    out->part_s[SGDPLAN_EPOCH_ACTIVATIONS] = t.activations_s * rounds;
    out->part_s[SGDPLAN_EPOCH_BACKWARD] = t.backward_s * rounds;
    out->part_s[SGDPLAN_EPOCH_ERRORS] = t.errors_s * rounds;
    out->part_s[SGDPLAN_EPOCH_UPDATE] = t.update_s * rounds;
    out->part_s[SGDPLAN_EPOCH_READ_LATENCY] = w.latency_s;
    out->part_s[SGDPLAN_EPOCH_READ_TRANSFER] = w.transfer_s;
    out->part_s[SGDPLAN_EPOCH_WRITE] = w.write_s;
    for (i = 0; i < SGDPLAN_EPOCH_PARTS; i++) out->epoch_s += out->part_s[i];
    SGDPLAN_ASSERT(!(out->epoch_s < 0.0));
}

/* Checks layer l of a configuration; all layers have places, or no layer. */
static sgdplan_fault sgdplan_priv_check_configured(const sgdplan_job *job,
                                                   const sgdplan_configuration *c,
                                                   size_t l)
{
    const sgdplan_split *s = c->split + l;
    const sgdplan_fault fault = sgdplan_priv_check_split_layer(job, l, s, c->workers);
    if (fault != SGDPLAN_FAULT_NONE) return fault;
    if (!s->worker != !c->split[0].worker) return SGDPLAN_FAULT_PLACE;
    if (s->worker && !sgdplan_priv_is_placed(s, c->workers)) return SGDPLAN_FAULT_PLACE;
    return SGDPLAN_FAULT_NONE;
}

/* Checks a configuration and its splits, from the first layer up. */
static sgdplan_status sgdplan_priv_check_configuration(const sgdplan_job *job,
                                                       const sgdplan_configuration *c,
                                                       sgdplan_refusal *refusal)
{
    sgdplan_status status;
    size_t l;
    sgdplan_fault fault = sgdplan_priv_check_constants(job);
    if (fault == SGDPLAN_FAULT_NONE)
        fault = sgdplan_priv_check_machines(job->machines.count, c);
    if (fault != SGDPLAN_FAULT_NONE) return sgdplan_priv_refuse(fault, 0, refusal);
    for (l = 0; l < job->layers; l++) {
        status =
            sgdplan_priv_refuse(sgdplan_priv_check_configured(job, c, l), l, refusal);
        if (status != SGDPLAN_OK) return status;
    }
    return SGDPLAN_OK;
}

SGDPLAN_API sgdplan_status sgdplan_epoch_time(const sgdplan_job *job,
                                              const sgdplan_configuration *configuration,
                                              sgdplan_epoch *by_layer, sgdplan_epoch *out,
                                              sgdplan_refusal *refusal)
{
    sgdplan_epoch sum, one;
    sgdplan_status status;
    double layers_s = 0.0;
    size_t l, i;
    int large = 0;
    if (!job || !configuration || !configuration->split || !out)
        return SGDPLAN_BAD_ARGUMENT;
    status = sgdplan_priv_check_configuration(job, configuration, refusal);
    if (status != SGDPLAN_OK) return status;
    memset(&sum, 0, sizeof sum);
    for (l = 0; l < job->layers; l++) {
        sgdplan_priv_layer_epoch(job, configuration, l, &one);
        for (i = 0; i < SGDPLAN_EPOCH_PARTS; i++) sum.part_s[i] += one.part_s[i];
        layers_s += one.epoch_s;
        sum.activations = sgdplan_priv_plus(sum.activations, one.activations, &large);
        sum.errors = sgdplan_priv_plus(sum.errors, one.errors, &large);
    }
    for (i = 0; i < SGDPLAN_EPOCH_PARTS; i++) sum.epoch_s += sum.part_s[i];
    if (large) return sgdplan_priv_refuse(SGDPLAN_FAULT_LARGE, 0, refusal);
    if (!sgdplan_priv_is_time(sum.epoch_s) || !sgdplan_priv_is_time(layers_s))
        return sgdplan_priv_refuse(SGDPLAN_FAULT_TIME, 0, refusal);
    SGDPLAN_ASSERT(fabs(sum.epoch_s - layers_s)
                   <= 1e-15 * (16.0 + (double)job->layers) * sum.epoch_s);
    for (l = 0; by_layer && l < job->layers; l++)
        sgdplan_priv_layer_epoch(job, configuration, l, by_layer + l);
    *out = sum;
    return SGDPLAN_OK;
}

/* ---- Search: costs of the job ---------------------------------------------- */

/* Limit of the table of remote values; above it they are computed each time. */
#define SGDPLAN_PRIV_TABLE_BYTES ((size_t)1 << 30)

/* The model above as sgdplan_costs, for P R <= workers, R <= copies. A pair of partitions
 * P and replications R is called a shape. */
typedef struct sgdplan_priv_model {
    const sgdplan_job    *job;
    uint32_t              workers, copies;
    size_t                shapes;
    size_t               *first;   /* [copies] shapes with fewer replications         */
    sgdplan_layer_size   *size;    /* [L]                                             */
    sgdplan_priv_message *message; /* [K] by threads                                  */
    sgdplan_priv_remote  *remote;  /* [L - 1][shapes below][shapes] values + 1, 0:    */
                                   /*   not known yet; NULL: too many                 */
} sgdplan_priv_model;

/* Number of shapes with P R <= workers, R <= copies. */
static size_t sgdplan_priv_shapes(uint32_t workers, uint32_t copies)
{
    size_t count = 0;
    uint32_t R;
    for (R = 1; R <= copies && R <= workers; R++) count += workers / R;
    return count;
}

/* Takes a * b elements; if the product overflows, so does the arena. */
static void *sgdplan_priv_take_table(sgdplan_priv_arena *arena, size_t a, size_t b,
                                     size_t size)
{
    if (a > 0 && b > (size_t)-1 / a) arena->overflow = 1;
    return sgdplan_priv_take(arena, a * b, size);
}

static void sgdplan_priv_carve_model(sgdplan_priv_arena *arena, sgdplan_priv_model *k)
{
    const size_t L = k->job->layers, K = k->job->machines.cores, S = k->shapes;
    const size_t most = SGDPLAN_PRIV_TABLE_BYTES / sizeof *k->remote;
    k->first = (size_t *)sgdplan_priv_take(arena, k->copies, sizeof(size_t));
    k->size = (sgdplan_layer_size *)sgdplan_priv_take(arena, L, sizeof *k->size);
    k->message =
        (sgdplan_priv_message *)sgdplan_priv_take(arena, K, sizeof *k->message);
    if (S <= most / S && L - 1 <= most / (S * S))
        k->remote = (sgdplan_priv_remote *)sgdplan_priv_take(arena, (L - 1) * S * S,
                                                             sizeof *k->remote);
}

/* Fills the model of a checked job, in zeroed memory. */
static void sgdplan_priv_fill_model(sgdplan_priv_model *k)
{
    const sgdplan_job *job = k->job;
    size_t l, R, h, count = 0;
    for (R = 1; R <= k->copies; R++) {
        k->first[R - 1] = count;
        count += k->workers / R;
    }
    SGDPLAN_ASSERT(count == k->shapes);
    for (l = 0; l < job->layers; l++)
        (void)sgdplan_priv_measure(job->layer + l, job->variants.biases, k->size + l);
    for (h = 0; h < job->machines.cores; h++)
        k->message[h] = sgdplan_priv_message_of(job, (uint32_t)h + 1);
}

static int sgdplan_priv_has_rows_for(const sgdplan_job *job, size_t l,
                                     const sgdplan_split *split)
{
    return split->partitions <= sgdplan_priv_rows(job->layer + l);
}

/* A time that overflows is not allowed. */
static double sgdplan_priv_allowed(double s) { return s <= DBL_MAX ? s : HUGE_VAL; }

/* Time for all samples that one thread of one replica gets in an epoch. */
static double sgdplan_priv_for_samples(const sgdplan_job *job, const sgdplan_split *split,
                                       double sample_s)
{
    return sgdplan_priv_allowed(sample_s * job->samples
                                / ((double)split->threads * split->replications));
}

static double sgdplan_priv_layer_s(void *ctx, size_t l, const sgdplan_split *split)
{
    const sgdplan_priv_model *k = (const sgdplan_priv_model *)ctx;
    sgdplan_segment t;
    if (!sgdplan_priv_has_rows_for(k->job, l, split)) return HUGE_VAL;
    t = sgdplan_priv_computation(k->job, l, k->size + l, split,
                                 k->message + split->threads - 1);
    return sgdplan_priv_for_samples(
        k->job, split,
        t.forward_s + t.backward_s + t.update_s + (t.activations_s + t.errors_s));
}

static size_t sgdplan_priv_shape(const sgdplan_priv_model *k, const sgdplan_split *split)
{
    const size_t shape = k->first[split->replications - 1] + split->partitions - 1;
    SGDPLAN_ASSERT(shape < k->shapes);
    return shape;
}

/* Remote values between layers l - 1 and l, which have rows for these splits. */
static sgdplan_priv_remote sgdplan_priv_remote_of(sgdplan_priv_model *k, size_t l,
                                                  const sgdplan_split *below,
                                                  const sgdplan_split *split)
{
    sgdplan_priv_remote values, *entry = NULL;
    SGDPLAN_ASSERT(l >= 1 && l < k->job->layers);
    if (k->remote) {
        const size_t row = (l - 1) * k->shapes + sgdplan_priv_shape(k, below);
        entry = k->remote + row * k->shapes + sgdplan_priv_shape(k, split);
    }
    if (entry && entry->activations > 0) {
        values.activations = entry->activations - 1;
        values.errors = entry->errors - 1;
        return values;
    }
    values = sgdplan_priv_remote_values(k->job, l, below, split);
    if (entry) {
        entry->activations = values.activations + 1;
        entry->errors = values.errors + 1;
    }
    return values;
}

static double sgdplan_priv_forward_s(void *ctx, size_t l, const sgdplan_split *below,
                                     const sgdplan_split *split)
{
    sgdplan_priv_model *k = (sgdplan_priv_model *)ctx;
    SGDPLAN_ASSERT(sgdplan_priv_has_rows_for(k->job, l, split));  /* by backward_s   */
    return sgdplan_priv_for_samples(
        k->job, split,
        sgdplan_priv_message_s(k->message + split->threads - 1,
                               sgdplan_priv_remote_of(k, l, below, split).activations));
}

static double sgdplan_priv_backward_s(void *ctx, size_t l, const sgdplan_split *below,
                                      const sgdplan_split *split)
{
    sgdplan_priv_model *k = (sgdplan_priv_model *)ctx;
    if (!sgdplan_priv_has_rows_for(k->job, l, split)) return HUGE_VAL;
    return sgdplan_priv_for_samples(
        k->job, below,
        sgdplan_priv_message_s(k->message + below->threads - 1,
                               sgdplan_priv_remote_of(k, l, below, split).errors));
}

static double sgdplan_priv_weights_s(void *ctx, size_t l, const sgdplan_split *split,
                                     const sgdplan_configuration *configuration)
{
    const sgdplan_priv_model *k = (const sgdplan_priv_model *)ctx;
    const sgdplan_weights w =
        sgdplan_priv_weights(k->job, k->size + l, configuration, split);
    return sgdplan_priv_allowed(w.latency_s + w.transfer_s + w.write_s);
}

/* ---- Search: dynamic program ----------------------------------------------- */

/* The dynamic program. Shapes are in the order of fewer workers, then fewer partitions,
 * so those of n workers come first. A state is shape * spread + thread. */
typedef struct sgdplan_priv_program {
    const sgdplan_problem *in;
    int       own_costs;           /* costs are the caller's                          */
    sgdplan_priv_model model;      /* used if they are not                            */
    sgdplan_costs costs;           /* the ones used                                   */
    uint32_t  workers;             /* largest N_wr                                    */
    uint32_t  copies;              /* largest number of replications                  */
    size_t    shapes;
    sgdplan_split *shape;          /* [shapes] with threads 0                         */
    size_t    spread;              /* threads that a layer chooses from: 1 or K       */
    double   *alone;               /* [L][shapes][K] layer_s                          */
    double   *weights, *last;      /* [L][copies][K] weights_s, now and before        */
    double   *before, *now;        /* [shapes][spread] best over the layers so far    */
    uint32_t *back;                /* [L][shapes][spread] state of the layer below    */
    uint32_t *choice;              /* [L] states of the best found, with all threads  */
    uint32_t *kept;                /* [K][L] the same for each number of threads      */
    double   *kept_s;              /* [K]                                             */
    sgdplan_split *split;          /* [L] passed to on_plan                           */
    size_t    room;                /* of a ranking; 0: no ranking                     */
    sgdplan_plan  *plan;           /* [room] best first                               */
    sgdplan_split *splits;         /* [room][L] their splits                          */
    size_t    looked_at;           /* number of configurations                        */
    int       bad;                 /* a cost was negative or NaN                      */
} sgdplan_priv_program;

/* Lists the shapes, in zeroed memory, in their order. */
static void sgdplan_priv_list_shapes(const sgdplan_priv_program *k)
{
    sgdplan_split *shape = k->shape;
    uint32_t used, R;
    for (used = 1; used <= k->workers; used++)
        for (R = k->copies; R >= 1; R--) {
            if (used % R != 0) continue;
            shape->partitions = used / R;
            shape->replications = R;
            shape++;
        }
    SGDPLAN_ASSERT(shape == k->shape + k->shapes);
}

static void sgdplan_priv_carve_program(sgdplan_priv_arena *arena, sgdplan_priv_program *k)
{
    const size_t L = k->in->job.layers, K = k->in->job.machines.cores;
    const size_t S = k->shapes, wide = k->copies;
    /* S K and copies K do not overflow: both were checked against 2^32. */
    SGDPLAN_ASSERT(S <= UINT32_MAX / K && wide <= S);
    k->shape = (sgdplan_split *)sgdplan_priv_take(arena, S, sizeof *k->shape);
    k->alone = (double *)sgdplan_priv_take_table(arena, L, S * K, sizeof(double));
    k->weights = (double *)sgdplan_priv_take_table(arena, L, wide * K, sizeof(double));
    k->last = (double *)sgdplan_priv_take_table(arena, L, wide * K, sizeof(double));
    k->before = sgdplan_priv_doubles(arena, S * k->spread);
    k->now = sgdplan_priv_doubles(arena, S * k->spread);
    k->back =
        (uint32_t *)sgdplan_priv_take_table(arena, L, S * k->spread, sizeof(uint32_t));
    k->choice = (uint32_t *)sgdplan_priv_take(arena, L, sizeof(uint32_t));
    k->kept = (uint32_t *)sgdplan_priv_take_table(arena, L, K, sizeof(uint32_t));
    k->kept_s = sgdplan_priv_doubles(arena, K);
    k->split = (sgdplan_split *)sgdplan_priv_take(arena, L, sizeof *k->split);
    k->plan = (sgdplan_plan *)sgdplan_priv_take(arena, k->room, sizeof *k->plan);
    k->splits =
        (sgdplan_split *)sgdplan_priv_take_table(arena, k->room, L, sizeof *k->splits);
    if (!k->own_costs) sgdplan_priv_carve_model(arena, &k->model);
}

/* A valid cost, or infinity. */
static double sgdplan_priv_cost(sgdplan_priv_program *k, double x)
{
    if (x >= 0.0) return x;
    k->bad = 1;
    return HUGE_VAL;
}

/* Does a split agree with what is fixed of the split of layer l? */
static int sgdplan_priv_is_free(const sgdplan_problem *in, size_t l,
                                const sgdplan_split *split)
{
    const sgdplan_split *fixed = in->fixed ? in->fixed + l : NULL;
    if (!fixed) return 1;
    return (fixed->partitions == 0 || fixed->partitions == split->partitions)
        && (fixed->replications == 0 || fixed->replications == split->replications)
        && (fixed->threads == 0 || fixed->threads == split->threads);
}

static void sgdplan_priv_fill_alone(sgdplan_priv_program *k)
{
    const sgdplan_costs *c = &k->costs;
    const size_t K = k->in->job.machines.cores;
    size_t l, s, h;
    for (l = 0; l < k->in->job.layers; l++)
        for (s = 0; s < k->shapes; s++)
            for (h = 0; h < K; h++) {
                sgdplan_split split = k->shape[s];
                split.threads = (uint32_t)h + 1;
                SGDPLAN_ASSERT(sgdplan_priv_segments(&split) <= k->workers);
                k->alone[(l * k->shapes + s) * K + h] =
                    sgdplan_priv_is_free(k->in, l, &split)
                        ? sgdplan_priv_cost(k, c->layer_s(c->ctx, l, &split)) : HUGE_VAL;
            }
}

/* Returns 1 if the weights' costs equal those of the last call. */
static int sgdplan_priv_fill_weights(sgdplan_priv_program *k,
                                     const sgdplan_configuration *at)
{
    const sgdplan_costs *c = &k->costs;
    const size_t K = k->in->job.machines.cores;
    double *const last = k->weights;
    sgdplan_configuration bare = *at;
    size_t l, i, h;
    int same = 1;
    bare.split = NULL;
    SGDPLAN_ASSERT(k->last != last);   /* two tables that take turns                  */
    k->weights = k->last;
    k->last = last;
    for (l = 0; l < k->in->job.layers; l++)
        for (i = 0; i < k->copies && i < at->workers; i++)
            for (h = 0; h < K; h++) {
                const size_t n = (l * k->copies + i) * K + h;
                sgdplan_split split;
                split.partitions = 0;
                split.replications = (uint32_t)i + 1;
                split.threads = (uint32_t)h + 1;
                split.worker = NULL;
                k->weights[n] = c->weights_s
                    ? sgdplan_priv_cost(k, c->weights_s(c->ctx, l, &split, &bare)) : 0.0;
                if (!sgdplan_priv_same(k->weights[n], last[n])) same = 0;
            }
    return same;
}

/* Does state x, with `spread` threads a shape, use fewer workers than y, or as many and
 * fewer threads? */
static int sgdplan_priv_is_leaner(const sgdplan_priv_program *k, size_t x, size_t y,
                                  size_t spread)
{
    const uint64_t one = sgdplan_priv_segments(k->shape + x / spread);
    const uint64_t other = sgdplan_priv_segments(k->shape + y / spread);
    SGDPLAN_ASSERT(x / spread < k->shapes && y / spread < k->shapes);
    return one != other ? one < other : x % spread < y % spread;
}

/* The best cost of shape b of layer l - 1, from before[], below shape a of layer l, with
 * the error terms it receives. If it is finite, *from is its state. */
static double sgdplan_priv_least_below(sgdplan_priv_program *k, size_t l, size_t b,
                                       size_t a, size_t h0, size_t *from)
{
    const sgdplan_costs *c = &k->costs;
    const double *before = k->before + b * k->spread;
    sgdplan_split below = k->shape[b];
    double least = HUGE_VAL;
    size_t h;
    for (h = 0; h < k->spread; h++) {
        double s = before[h];
        if (!(s <= DBL_MAX)) continue;
        below.threads = (uint32_t)(h0 + h + 1);
        s += sgdplan_priv_cost(k, c->backward_s(c->ctx, l, &below, k->shape + a));
        SGDPLAN_ASSERT(s >= before[h]);
        if (s < least) {
            least = s;
            *from = b * k->spread + h;
        }
    }
    return least;
}

/* Best way to each state of layer l from before[], the states of layer l - 1, into now[]
 * and back[]. Both use the first n shapes and threads h0 + 1 .. h0 + spread. */
static void sgdplan_priv_extend(sgdplan_priv_program *k, size_t l, size_t n, size_t h0)
{
    const sgdplan_costs *c = &k->costs;
    const size_t spread = k->spread;
    size_t a, b, h;
    for (a = 0; a < n; a++) {
        uint32_t *back = k->back + (l * k->shapes + a) * spread;
        double *now = k->now + a * spread;
        sgdplan_split above = k->shape[a];
        for (h = 0; h < spread; h++) now[h] = HUGE_VAL;
        for (b = 0; b < n; b++) {
            size_t from = 0;
            const double least = sgdplan_priv_least_below(k, l, b, a, h0, &from);
            if (!(least <= DBL_MAX)) continue;
            for (h = 0; h < spread; h++) {
                double s;
                above.threads = (uint32_t)(h0 + h + 1);
                s = least
                    + sgdplan_priv_cost(k,
                                        c->forward_s(c->ctx, l, k->shape + b, &above));
                if (!(s <= now[h])) continue;
                if (s >= now[h] && !sgdplan_priv_is_leaner(k, from, back[h], spread))
                    continue;
                SGDPLAN_ASSERT(from < n * spread);
                now[h] = s;
                back[h] = (uint32_t)from;
            }
        }
    }
}

/* Adds to now[] what layer l costs by itself, times replicas. */
static void sgdplan_priv_add_layer(sgdplan_priv_program *k, size_t l, size_t n,
                                   size_t h0, double replicas)
{
    const size_t K = k->in->job.machines.cores;
    size_t s, h;
    SGDPLAN_ASSERT(h0 + k->spread <= K);
    for (s = 0; s < n; s++) {
        const double *alone = k->alone + (l * k->shapes + s) * K + h0;
        const double *weights =
            k->weights + (l * k->copies + k->shape[s].replications - 1) * K + h0;
        for (h = 0; h < k->spread; h++)
            k->now[s * k->spread + h] +=
                alone[h] + (replicas > 0.0 ? replicas * weights[h] : 0.0);
    }
}

/* States of all layers, as shape * K + threads - 1, from `at` in the last layer down. */
static void sgdplan_priv_trace_back(const sgdplan_priv_program *k, size_t h0, size_t at,
                                    uint32_t *choice)
{
    const size_t L = k->in->job.layers, K = k->in->job.machines.cores;
    const size_t spread = k->spread;
    size_t l;
    for (l = L; l-- > 0;) {
        SGDPLAN_ASSERT(at < k->shapes * spread);
        choice[l] = (uint32_t)(at / spread * K + h0 + at % spread);
        if (l > 0) at = k->back[l * k->shapes * spread + at];
    }
}

/* The best splits with threads h0 + 1 .. h0 + spread on `workers` workers. Returns the
 * epoch times replicas, or infinity. replicas = 0: without weights. */
static double sgdplan_priv_solve(sgdplan_priv_program *k, uint32_t workers,
                                 double replicas, size_t h0, uint32_t *choice)
{
    const size_t L = k->in->job.layers, spread = k->spread;
    const size_t n = sgdplan_priv_shapes(workers, k->copies);
    double least = HUGE_VAL;
    size_t l, s, at = 0;
    SGDPLAN_ASSERT(n <= k->shapes);
    for (l = 0; l < L; l++) {
        double *swap = k->before;
        k->before = k->now;
        k->now = swap;
        if (l > 0) sgdplan_priv_extend(k, l, n, h0);
        else memset(k->now, 0, n * spread * sizeof *k->now);
        sgdplan_priv_add_layer(k, l, n, h0, replicas);
    }
    for (s = 0; s < n * spread; s++) {
        const double value = k->now[s];
        if (!(value <= least)) continue;
        if (value >= least && !sgdplan_priv_is_leaner(k, s, at, spread)) continue;
        least = value;
        at = s;
    }
    if (!(least <= DBL_MAX)) return HUGE_VAL;
    SGDPLAN_ASSERT(least >= 0.0);
    sgdplan_priv_trace_back(k, h0, at, choice);
    return least;
}

/* Is a better than b? Less time a_s, b_s (times replicas), then a leaner last layer. */
static int sgdplan_priv_is_before(const sgdplan_priv_program *k, double a_s,
                                  const uint32_t *a, double b_s, const uint32_t *b)
{
    const size_t L = k->in->job.layers;
    if (a_s < b_s || a_s > b_s) return a_s < b_s;
    return sgdplan_priv_is_leaner(k, a[L - 1], b[L - 1], k->in->job.machines.cores);
}

/* The best splits for a configuration, into choice[]. Returns the epoch, or infinity. */
static double sgdplan_priv_best(sgdplan_priv_program *k, const sgdplan_configuration *at)
{
    const size_t L = k->in->job.layers, K = k->in->job.machines.cores;
    const double replicas = (double)at->replicas;
    double least = HUGE_VAL;
    size_t h;
    if (k->spread == K)
        return sgdplan_priv_solve(k, at->workers, replicas, 0, k->choice) / replicas;
    for (h = 0; h < K; h++) {
        const double s = sgdplan_priv_solve(k, at->workers, replicas, h, k->kept);
        if (!(s <= DBL_MAX)) continue;
        if (least <= DBL_MAX && !sgdplan_priv_is_before(k, s, k->kept, least, k->choice))
            continue;
        SGDPLAN_ASSERT(s <= least);
        least = s;
        memcpy(k->choice, k->kept, L * sizeof *k->choice);
    }
    return least / replicas;
}

/* Without replication, and with the same threads in all layers, the splits do not depend
 * on replicas or servers. Keeps the best ones for each number of threads. */
static void sgdplan_priv_solve_once(sgdplan_priv_program *k, uint32_t workers)
{
    size_t h;
    SGDPLAN_ASSERT(k->copies == 1 && k->spread == 1);
    for (h = 0; h < k->in->job.machines.cores; h++)
        k->kept_s[h] =
            sgdplan_priv_solve(k, workers, 0.0, h, k->kept + h * k->in->job.layers);
}

static double sgdplan_priv_best_kept(sgdplan_priv_program *k,
                                     const sgdplan_configuration *at)
{
    const size_t L = k->in->job.layers, K = k->in->job.machines.cores;
    const uint32_t *best = NULL;
    double least = HUGE_VAL;
    size_t h, l;
    for (h = 0; h < K; h++) {
        const uint32_t *kept = k->kept + h * L;
        double s = k->kept_s[h];
        for (l = 0; l < L; l++)
            s += (double)at->replicas * k->weights[l * k->copies * K + h];
        if (!(s <= DBL_MAX)) continue;
        if (best && !sgdplan_priv_is_before(k, s, kept, least, best)) continue;
        least = s;
        best = kept;
    }
    if (best) memcpy(k->choice, best, L * sizeof *best);
    SGDPLAN_ASSERT(!best == !(least <= DBL_MAX));
    return least / (double)at->replicas;
}

/* Writes the splits of choice[]. */
static void sgdplan_priv_write_splits(const sgdplan_priv_program *k, uint32_t workers,
                                      sgdplan_split *split)
{
    const size_t K = k->in->job.machines.cores;
    size_t l;
    (void)workers;
    for (l = 0; l < k->in->job.layers; l++) {
        SGDPLAN_ASSERT(k->choice[l] / K < k->shapes);
        split[l] = k->shape[k->choice[l] / K];
        split[l].threads = (uint32_t)(k->choice[l] % K) + 1;
        SGDPLAN_ASSERT(sgdplan_priv_segments(split + l) <= workers);
    }
}

/* ---- Search: ranking ------------------------------------------------------- */

SGDPLAN_API int sgdplan_compare_plans(const sgdplan_plan *a, const sgdplan_plan *b)
{
    const sgdplan_configuration *x = &a->configuration, *y = &b->configuration;
    const uint64_t one = x->servers + (uint64_t)x->replicas * x->workers;
    const uint64_t other = y->servers + (uint64_t)y->replicas * y->workers;
    if (a->epoch_s < b->epoch_s || a->epoch_s > b->epoch_s)
        return a->epoch_s < b->epoch_s ? -1 : 1;
    if (one != other) return one < other ? -1 : 1;
    if (x->workers != y->workers) return x->workers < y->workers ? -1 : 1;
    return x->replicas < y->replicas ? -1 : x->replicas > y->replicas;
}

static int sgdplan_priv_ranks_before(const sgdplan_plan *a, const sgdplan_plan *b)
{
    return sgdplan_compare_plans(a, b) < 0;
}

/* Copies a plan, and its splits to `split` unless that is NULL. */
static void sgdplan_priv_copy_plan(sgdplan_plan *to, sgdplan_split *split,
                                   const sgdplan_plan *from, size_t layers)
{
    const sgdplan_split *given = from->configuration.split;
    *to = *from;
    to->configuration.split = split;
    if (split) memcpy(split, given, layers * sizeof *split);
}

static void sgdplan_priv_rank(sgdplan_priv_program *k, const sgdplan_plan *plan,
                              size_t *found)
{
    const size_t L = k->in->job.layers;
    size_t i = *found;
    if (i == k->room) {
        if (!sgdplan_priv_ranks_before(plan, k->plan + k->room - 1)) return;
        i--;
    } else {
        ++*found;
    }
    for (; i > 0 && sgdplan_priv_ranks_before(plan, k->plan + i - 1); i--)
        sgdplan_priv_copy_plan(k->plan + i, k->splits + i * L, k->plan + i - 1, L);
    sgdplan_priv_copy_plan(k->plan + i, k->splits + i * L, plan, L);
    SGDPLAN_ASSERT(i < *found && *found <= k->room);
    SGDPLAN_ASSERT(i == 0 || !sgdplan_priv_ranks_before(k->plan + i, k->plan + i - 1));
    SGDPLAN_ASSERT(i + 1 == *found
                   || !sgdplan_priv_ranks_before(k->plan + i + 1, k->plan + i));
}

/* Progress of a search. */
typedef struct sgdplan_priv_ranking {
    size_t found;
    sgdplan_configuration solved;  /* choice[] and epoch_s are for this               */
    double epoch_s;
    uint32_t kept_for;             /* N_wr that kept[] is for                         */
} sgdplan_priv_ranking;

/* Looks at one configuration; reuses results of the one before where possible. */
static void sgdplan_priv_look_at(sgdplan_priv_program *k, const sgdplan_configuration *at,
                                 sgdplan_priv_ranking *r)
{
    const int once = k->copies == 1 && !k->in->threads_differ;
    const int same = sgdplan_priv_fill_weights(k, at);
    sgdplan_plan plan;
    SGDPLAN_ASSERT(at->workers <= k->workers);
    k->looked_at++;
    if (once && r->kept_for != at->workers) sgdplan_priv_solve_once(k, at->workers);
    if (once) {
        r->epoch_s = sgdplan_priv_best_kept(k, at);
        r->kept_for = at->workers;
    } else if (!same || r->solved.workers != at->workers
               || r->solved.replicas != at->replicas) {
        r->epoch_s = sgdplan_priv_best(k, at);
    }
    r->solved = *at;
    if (k->bad || !(r->epoch_s <= DBL_MAX)) return;
    sgdplan_priv_write_splits(k, at->workers, k->split);
    plan.configuration = *at;
    plan.configuration.split = k->split;
    plan.epoch_s = r->epoch_s;
    sgdplan_priv_rank(k, &plan, &r->found);
    if (k->in->on_plan) k->in->on_plan(k->in->plan_ctx, &plan);
}

static void sgdplan_priv_look_at_all(sgdplan_priv_program *k, sgdplan_priv_ranking *r)
{
    const uint32_t N = k->in->job.machines.count;
    sgdplan_configuration at;
    size_t i;
    at.split = NULL;
    for (i = 0; k->in->given && i < k->in->givens && !k->bad; i++)
        sgdplan_priv_look_at(k, k->in->given + i, r);
    if (k->in->given) return;
    for (at.workers = 1; at.workers < N; at.workers++)
        for (at.replicas = 1; at.replicas <= (N - 1) / at.workers; at.replicas++)
            for (at.servers = 1; at.servers <= N - at.replicas * at.workers;
                 at.servers++) {
                if (k->bad) return;
                SGDPLAN_ASSERT(at.replicas * at.workers + at.servers <= N);
                sgdplan_priv_look_at(k, &at, r);
            }
}

/* ---- Search: public functions ---------------------------------------------- */

static int sgdplan_priv_has_own_costs(const sgdplan_costs *c)
{
    return c->layer_s || c->forward_s || c->backward_s || c->weights_s;
}

/* Checks the costs, the job, and what can be searched. */
static sgdplan_status sgdplan_priv_check_searched(const sgdplan_problem *in,
                                                  sgdplan_refusal *refusal)
{
    const sgdplan_costs *c = &in->costs;
    const sgdplan_job *job = &in->job;
    sgdplan_fault fault = SGDPLAN_FAULT_NONE;
    if (sgdplan_priv_has_own_costs(c) && !(c->layer_s && c->forward_s && c->backward_s))
        fault = SGDPLAN_FAULT_COSTS;
    else if (job->layers == 0 || job->machines.count < 2 || job->machines.cores == 0)
        fault = SGDPLAN_FAULT_EMPTY;
    else if (in->given && in->givens == 0)
        fault = SGDPLAN_FAULT_EMPTY;
    else if (job->machines.count > 1u << 16 || job->machines.cores > 1u << 12)
        fault = SGDPLAN_FAULT_LARGE;
    else if (!sgdplan_priv_has_own_costs(c))
        fault = sgdplan_priv_check_constants(job);
    if (fault != SGDPLAN_FAULT_NONE) return sgdplan_priv_refuse(fault, 0, refusal);
    if (sgdplan_priv_has_own_costs(c)) return SGDPLAN_OK;
    return sgdplan_layer_sizes(job->layer, job->layers, job->variants.biases, NULL,
                               refusal);
}

/* Checks the fixed parts of the split of layer l; free ones count as 1. */
static sgdplan_fault sgdplan_priv_check_fixed(const sgdplan_problem *in, size_t l,
                                              uint64_t workers)
{
    sgdplan_split split = in->fixed[l];
    if (split.partitions == 0) split.partitions = 1;
    if (split.replications == 0) split.replications = 1;
    if (split.threads == 0) split.threads = 1;
    if (!sgdplan_priv_has_own_costs(&in->costs))
        return sgdplan_priv_check_split(&in->job, l, &split, workers);
    if (split.threads > in->job.machines.cores) return SGDPLAN_FAULT_CORES;
    return sgdplan_priv_segments(&split) > workers ? SGDPLAN_FAULT_WORKERS
                                                   : SGDPLAN_FAULT_NONE;
}

SGDPLAN_API sgdplan_status sgdplan_check_problem(const sgdplan_problem *problem,
                                                 sgdplan_refusal *refusal)
{
    sgdplan_status status;
    uint64_t workers;
    size_t i, l;
    if (!problem) return SGDPLAN_BAD_ARGUMENT;
    status = sgdplan_priv_check_searched(problem, refusal);
    if (status != SGDPLAN_OK) return status;
    workers = problem->job.machines.count - 1;
    for (i = 0; problem->given && i < problem->givens; i++) {
        status = sgdplan_priv_refuse(
            sgdplan_priv_check_machines(problem->job.machines.count, problem->given + i),
            0, refusal);
        if (status != SGDPLAN_OK && refusal) refusal->given = i;
        if (status != SGDPLAN_OK) return status;
        if (workers > problem->given[i].workers) workers = problem->given[i].workers;
    }
    for (l = 0; problem->fixed && l < problem->job.layers; l++) {
        status = sgdplan_priv_refuse(sgdplan_priv_check_fixed(problem, l, workers), l,
                                     refusal);
        if (status != SGDPLAN_OK) return status;
    }
    return SGDPLAN_OK;
}

/* The largest number of workers of a replica in the search. */
static uint32_t sgdplan_priv_most_workers(const sgdplan_problem *in)
{
    uint32_t most = 1;
    size_t i;
    if (!in->given) return in->job.machines.count - 1;
    for (i = 0; i < in->givens; i++)
        if (most < in->given[i].workers) most = in->given[i].workers;
    SGDPLAN_ASSERT(most < in->job.machines.count);
    return most;
}

/* Checks the problem and computes sizes for the configurations to look at. */
static sgdplan_status sgdplan_priv_size_program(const sgdplan_problem *in, size_t room,
                                                sgdplan_priv_program *k, size_t *bytes)
{
    sgdplan_priv_arena need = sgdplan_priv_arena_at(NULL);
    const sgdplan_status status = sgdplan_check_problem(in, NULL);
    if (status != SGDPLAN_OK) return status;
    memset(k, 0, sizeof *k);
    k->in = in;
    k->room = room;
    k->own_costs = sgdplan_priv_has_own_costs(&in->costs);
    k->workers = sgdplan_priv_most_workers(in);
    k->copies = in->max_replications > 0 && in->max_replications < k->workers
        ? in->max_replications : k->workers;
    k->shapes = sgdplan_priv_shapes(k->workers, k->copies);
    k->spread = in->threads_differ ? in->job.machines.cores : 1;
    k->model.job = &in->job;
    k->model.workers = k->workers;
    k->model.copies = k->copies;
    k->model.shapes = k->shapes;
    /* 2^16 machines have 764 711 shapes, times 2^12 cores. */
    SGDPLAN_ASSERT((uint64_t)k->shapes * in->job.machines.cores <= UINT32_MAX);
    sgdplan_priv_carve_program(&need, k);
    return sgdplan_priv_answer(&need, bytes);
}

/* Checks the work area, lays it out, and fills what does not depend on configurations.
 * *k must not move afterwards. */
static sgdplan_status sgdplan_priv_open_program(sgdplan_priv_program *k, void *work,
                                                size_t work_bytes, size_t need)
{
    sgdplan_priv_arena arena = sgdplan_priv_arena_at(work);
    const sgdplan_status status = sgdplan_priv_check_work(work, work_bytes, need);
    if (status != SGDPLAN_OK) return status;
    memset(work, 0, need);
    sgdplan_priv_carve_program(&arena, k);
    SGDPLAN_ASSERT(arena.used == need && !arena.overflow);
    k->costs = k->in->costs;
    if (!k->own_costs) {
        sgdplan_priv_fill_model(&k->model);
        k->costs.layer_s = sgdplan_priv_layer_s;
        k->costs.forward_s = sgdplan_priv_forward_s;
        k->costs.backward_s = sgdplan_priv_backward_s;
        k->costs.weights_s = sgdplan_priv_weights_s;
        k->costs.ctx = &k->model;
    }
    sgdplan_priv_list_shapes(k);
    sgdplan_priv_fill_alone(k);
    return k->bad ? SGDPLAN_BAD_COST : SGDPLAN_OK;
}

SGDPLAN_API sgdplan_status
sgdplan_best_splits_bytes(const sgdplan_problem *problem,
                          const sgdplan_configuration *configuration, size_t *bytes)
{
    sgdplan_priv_program k;
    sgdplan_problem one;
    if (!problem || !configuration || !bytes) return SGDPLAN_BAD_ARGUMENT;
    one = *problem;
    one.given = configuration;
    one.givens = 1;
    return sgdplan_priv_size_program(&one, 0, &k, bytes);
}

SGDPLAN_API sgdplan_status sgdplan_best_splits(const sgdplan_problem *problem,
                                               const sgdplan_configuration *configuration,
                                               void *work, size_t work_bytes,
                                               sgdplan_split *split, sgdplan_plan *out)
{
    sgdplan_priv_program k;
    sgdplan_problem one;
    sgdplan_status status;
    size_t need = 0;
    double epoch_s;
    if (!problem || !configuration || !out) return SGDPLAN_BAD_ARGUMENT;
    one = *problem;
    one.given = configuration;
    one.givens = 1;
    status = sgdplan_priv_size_program(&one, 0, &k, &need);
    if (status == SGDPLAN_OK)
        status = sgdplan_priv_open_program(&k, work, work_bytes, need);
    if (status != SGDPLAN_OK) return status;
    (void)sgdplan_priv_fill_weights(&k, configuration);
    epoch_s = sgdplan_priv_best(&k, configuration);
    if (k.bad) return SGDPLAN_BAD_COST;
    if (!(epoch_s <= DBL_MAX)) return SGDPLAN_NO_PLAN;
    SGDPLAN_ASSERT(epoch_s >= 0.0);
    if (split) sgdplan_priv_write_splits(&k, configuration->workers, split);
    out->configuration = *configuration;
    out->configuration.split = split;
    out->epoch_s = epoch_s;
    return SGDPLAN_OK;
}

SGDPLAN_API sgdplan_status sgdplan_search_bytes(const sgdplan_problem *problem,
                                                size_t room, size_t *bytes)
{
    sgdplan_priv_program k;
    if (room == 0) return SGDPLAN_BAD_ARGUMENT;
    return sgdplan_priv_size_program(problem, room, &k, bytes);
}

SGDPLAN_API size_t sgdplan_search_count(const sgdplan_problem *problem)
{
    uint32_t workers, replicas, machines;
    uint64_t count = 0;
    if (!problem || problem->job.machines.count > 1u << 16) return 0;
    if (problem->given) return problem->givens;
    machines = problem->job.machines.count;
    for (workers = 1; workers < machines; workers++)
        for (replicas = 1; replicas <= (machines - 1) / workers; replicas++)
            count += machines - replicas * workers;
    return (size_t)count == count ? (size_t)count : 0;
}

SGDPLAN_API sgdplan_status sgdplan_search(const sgdplan_problem *problem, void *work,
                                          size_t work_bytes, sgdplan_ranking *out)
{
    sgdplan_priv_program k;
    sgdplan_priv_ranking r;
    sgdplan_status status;
    size_t need = 0, i, layers;
    if (!problem || !out || !out->plan || out->room == 0) return SGDPLAN_BAD_ARGUMENT;
    status = sgdplan_priv_size_program(problem, out->room, &k, &need);
    if (status == SGDPLAN_OK)
        status = sgdplan_priv_open_program(&k, work, work_bytes, need);
    if (status != SGDPLAN_OK) return status;
    memset(&r, 0, sizeof r);
    sgdplan_priv_look_at_all(&k, &r);
    if (k.bad) return SGDPLAN_BAD_COST;
    SGDPLAN_ASSERT(k.looked_at == sgdplan_search_count(problem));
    SGDPLAN_ASSERT(r.found <= out->room && r.found <= k.looked_at);
    if (r.found == 0) return SGDPLAN_NO_PLAN;
    layers = problem->job.layers;
    for (i = 0; i < r.found; i++)
        sgdplan_priv_copy_plan(out->plan + i, out->split ? out->split + i * layers : NULL,
                               k.plan + i, layers);
    out->found = r.found;
    return SGDPLAN_OK;
}

/* ---- Places: contiguous ---------------------------------------------------- */

/* Which segment of the layer below, by its number, has the worker for segment (p, r)? */
static uint64_t sgdplan_priv_seat(const sgdplan_split *below, const sgdplan_split *split,
                                  uint64_t p, uint64_t r)
{
    const uint64_t P = below->partitions, R = below->replications;
    const uint64_t at = r * split->partitions + p;
    uint64_t copies, i;
    if (split->replications % R == 0) {
        i = sgdplan_priv_beside(split, below, p, r);
        return i == SGDPLAN_PRIV_ALONE ? i : r % R * P + i;
    }
    if (R % split->replications == 0) {
        copies = R / split->replications;
        i = sgdplan_priv_partner(p, split->partitions, P * copies);
        if (i == SGDPLAN_PRIV_ALONE) return i;
        return (r + i % copies * split->replications) * P + i / copies;
    }
    return at < P * R ? at : SGDPLAN_PRIV_ALONE;
}

static int sgdplan_priv_holds(const sgdplan_split *s, uint32_t worker)
{
    const size_t n = (size_t)sgdplan_priv_segments(s);
    size_t i;
    for (i = 0; i < n; i++)
        if (s->worker[i] == worker) return 1;
    return 0;
}

/* Is there room for a layer? Is the layer below, unless NULL, on these workers? */
static sgdplan_fault sgdplan_priv_check_room(const sgdplan_split *below,
                                             const sgdplan_split *split, uint32_t workers)
{
    if (sgdplan_priv_segments(split) > workers) return SGDPLAN_FAULT_WORKERS;
    return below && !sgdplan_priv_is_placed(below, workers) ? SGDPLAN_FAULT_PLACE
                                                            : SGDPLAN_FAULT_NONE;
}

/* Contiguous places; below = NULL: the first workers. All is checked. */
static void sgdplan_priv_place(const sgdplan_split *below, const sgdplan_split *split,
                               uint32_t workers, uint32_t *worker)
{
    uint32_t empty = 0;
    size_t p, r;
    (void)workers;
    for (r = 0; r < split->replications; r++)
        for (p = 0; p < split->partitions; p++) {
            const size_t at = r * split->partitions + p;
            const uint64_t seat = below ? sgdplan_priv_seat(below, split, p, r) : at;
            if (!below) {
                worker[at] = (uint32_t)seat;
            } else if (seat != SGDPLAN_PRIV_ALONE) {
                SGDPLAN_ASSERT(seat < sgdplan_priv_segments(below));
                worker[at] = below->worker[seat];
            } else {
                while (sgdplan_priv_holds(below, empty)) empty++;
                worker[at] = empty++;
            }
            SGDPLAN_ASSERT(worker[at] < workers);
        }
}

SGDPLAN_API sgdplan_status sgdplan_place_contiguously(const sgdplan_job *job, size_t l,
                                                      const sgdplan_split *below,
                                                      const sgdplan_split *split,
                                                      uint32_t workers,
                                                      uint32_t *worker)
{
    sgdplan_layer_size size;
    sgdplan_fault fault;
    if (!job || !split || !worker || !below != !l) return SGDPLAN_BAD_ARGUMENT;
    if (below) {
        fault = sgdplan_priv_check_pair(job, l, below, split);
    } else {
        fault = sgdplan_priv_check_at(job, l, &size);
        if (fault == SGDPLAN_FAULT_NONE)
            fault = sgdplan_priv_check_split(job, l, split, job->machines.count);
    }
    if (fault == SGDPLAN_FAULT_NONE)
        fault = sgdplan_priv_check_room(below, split, workers);
    if (fault != SGDPLAN_FAULT_NONE) return sgdplan_priv_refuse(fault, l, NULL);
    sgdplan_priv_place(below, split, workers, worker);
    return SGDPLAN_OK;
}

/* ---- Places: costs of places ----------------------------------------------- */

/* Fills cost[P R][workers] of layer l >= 1; all is checked. */
static void sgdplan_priv_fill_costs(const sgdplan_job *job, size_t l,
                                    const sgdplan_split *below,
                                    const sgdplan_split *split, uint32_t workers,
                                    double *cost)
{
    const sgdplan_priv_range nothing = { 0, 0 };
    const sgdplan_layer *y = job->layer + l - 1, *z = job->layer + l;
    const double value = (double)sgdplan_priv_values_read(y, z);
    size_t p, r, i, w;
    for (r = 0; r < split->replications; r++)
        for (p = 0; p < split->partitions; p++) {
            const sgdplan_priv_range need = sgdplan_priv_needed_below(
                y, z, sgdplan_priv_stripe(sgdplan_priv_rows(z), split->partitions, p));
            double *row = cost + (r * split->partitions + p) * workers;
            for (w = 0; w < workers; w++)
                row[w] = (double)sgdplan_priv_outside(need, nothing) * value;
            if (split->replications % below->replications != 0) continue;
            for (i = 0; i < below->partitions; i++) {
                const size_t at = r % below->replications * below->partitions + i;
                const sgdplan_priv_range have =
                    sgdplan_priv_stripe(sgdplan_priv_rows(y), below->partitions, i);
                SGDPLAN_ASSERT(below->worker[at] < workers);
                row[below->worker[at]] =
                    (double)sgdplan_priv_outside(need, have) * value;
            }
        }
}

SGDPLAN_API sgdplan_status sgdplan_place_costs(const sgdplan_job *job, size_t l,
                                               const sgdplan_split *below,
                                               const sgdplan_split *split,
                                               uint32_t workers, double *cost)
{
    sgdplan_fault fault;
    if (!job || !below || !split || !cost) return SGDPLAN_BAD_ARGUMENT;
    fault = sgdplan_priv_check_pair(job, l, below, split);
    if (fault == SGDPLAN_FAULT_NONE)
        fault = sgdplan_priv_check_room(below, split, workers);
    if (fault != SGDPLAN_FAULT_NONE) return sgdplan_priv_refuse(fault, l, NULL);
    sgdplan_priv_fill_costs(job, l, below, split, workers, cost);
    return SGDPLAN_OK;
}

/* ---- Places: assignment ---------------------------------------------------- */

#define SGDPLAN_PRIV_FREE ((size_t)-1)

/* Sums of any number of costs up to this are finite. */
#define SGDPLAN_PRIV_MOST_COST 1e70

/* Rows are segments, columns are workers, n <= m. */
typedef struct sgdplan_priv_match {
    const double *cost;            /* [n][m]                                          */
    size_t  n, m;
    double *row_price, *price;     /* [n], [m] dual variables of rows and columns     */
    double *slack;                 /* [m] of a column, for the rows reached           */
    double *regret;                /* [m] of the row that holds a column              */
    size_t *holder;                /* [m] row of a column, or FREE                    */
    size_t *from;                  /* [m] column before it on the path                */
    size_t *best;                  /* [n] column of a row                             */
    unsigned char *reached;        /* [m]                                             */
    unsigned char *refused;        /* [n][m]                                          */
} sgdplan_priv_match;

static void sgdplan_priv_carve_match(sgdplan_priv_arena *arena, size_t n, size_t m,
                                     sgdplan_priv_match *k)
{
    k->n = n;
    k->m = m;
    k->row_price = sgdplan_priv_doubles(arena, n);
    k->price = sgdplan_priv_doubles(arena, m);
    k->slack = sgdplan_priv_doubles(arena, m);
    k->regret = sgdplan_priv_doubles(arena, m);
    k->holder = (size_t *)sgdplan_priv_take(arena, m, sizeof(size_t));
    k->from = (size_t *)sgdplan_priv_take(arena, m, sizeof(size_t));
    k->best = (size_t *)sgdplan_priv_take(arena, n, sizeof(size_t));
    k->reached = (unsigned char *)sgdplan_priv_take(arena, m, 1);
    k->refused = (unsigned char *)sgdplan_priv_take(arena, n, m);
}

static void sgdplan_priv_free_columns(sgdplan_priv_match *k)
{
    size_t j;
    for (j = 0; j < k->m; j++) k->holder[j] = SGDPLAN_PRIV_FREE;
}

/* Returns the cheapest column that has not refused row i. *regret: how much more the next
 * one costs. There is one as long as a row has no column. */
static size_t sgdplan_priv_wish(const sgdplan_priv_match *k, size_t i, double *regret)
{
    const double *cost = k->cost + i * k->m;
    const unsigned char *refused = k->refused + i * k->m;
    size_t j, first = SGDPLAN_PRIV_FREE;
    double second = HUGE_VAL;
    for (j = 0; j < k->m; j++) {
        if (refused[j]) continue;
        if (first == SGDPLAN_PRIV_FREE) {
            first = j;
        } else if (cost[j] < cost[first]) {
            second = cost[first];
            first = j;
        } else {
            second = fmin(second, cost[j]);
        }
    }
    SGDPLAN_ASSERT(first != SGDPLAN_PRIV_FREE && second >= cost[first]);
    *regret = second - cost[first];
    return first;
}

/* Stores the column of each row that has one; returns the number of rows with one. */
static size_t sgdplan_priv_read_holders(const sgdplan_priv_match *k)
{
    size_t j, rows = 0;
    for (j = 0; j < k->m; j++) {
        if (k->holder[j] == SGDPLAN_PRIV_FREE) continue;
        SGDPLAN_ASSERT(k->holder[j] < k->n);
        k->best[k->holder[j]] = j;
        rows++;
    }
    return rows;
}

/* Fills best[]; returns 1 if two rows wanted one column. It ends because a column refuses
 * a row at most once. */
static int sgdplan_priv_greedy(sgdplan_priv_match *k)
{
    size_t i, next, rows;
    int conflict = 0;
    memset(k->refused, 0, k->n * k->m);
    sgdplan_priv_free_columns(k);
    for (next = 0; next < k->n; next++) {
        for (i = next; i != SGDPLAN_PRIV_FREE;) {
            double regret;
            const size_t j = sgdplan_priv_wish(k, i, &regret);
            const size_t other = k->holder[j];
            size_t loser = i;
            if (other == SGDPLAN_PRIV_FREE || regret > k->regret[j] ||
                (regret >= k->regret[j] && i < other)) {
                k->holder[j] = i;
                k->regret[j] = regret;
                loser = other;
            }
            if (loser != SGDPLAN_PRIV_FREE) {
                SGDPLAN_ASSERT(!k->refused[loser * k->m + j]);
                conflict = 1;
                k->refused[loser * k->m + j] = 1;
            }
            i = loser;
        }
    }
    rows = sgdplan_priv_read_holders(k);
    (void)rows;
    SGDPLAN_ASSERT(rows == k->n);
    return conflict;
}

/* From the end j of a path, gives each row on it the next column. */
static void sgdplan_priv_augment(sgdplan_priv_match *k, size_t j, size_t row)
{
    SGDPLAN_ASSERT(k->holder[j] == SGDPLAN_PRIV_FREE);
    while (k->from[j] != SGDPLAN_PRIV_FREE) {
        k->holder[j] = k->holder[k->from[j]];
        j = k->from[j];
    }
    k->holder[j] = row;
}

/* Two kinds of paths to a free column. The shortest has the least sum of reduced costs,
 * cost - row_price - price, which stay >= 0; costs above `cap` count as infinite. The
 * widest has the least largest cost; costs up to `cap` count as equal. */
typedef enum sgdplan_priv_kind {
    SGDPLAN_PRIV_SHORTEST, SGDPLAN_PRIV_WIDEST
} sgdplan_priv_kind;

static double sgdplan_priv_distance(const sgdplan_priv_match *k, size_t i, size_t j,
                                    double cap, sgdplan_priv_kind kind)
{
    const double cost = k->cost[i * k->m + j];
    if (kind == SGDPLAN_PRIV_WIDEST) return cost > cap ? cost : cap;
    return cost <= cap ? cost - k->row_price[i] - k->price[j] : HUGE_VAL;
}

/* After row i was reached through column `at`: the nearest column to the rows reached
 * that is not reached itself; among equals a free one. */
static size_t sgdplan_priv_nearest(sgdplan_priv_match *k, size_t i, size_t at, double cap,
                                   sgdplan_priv_kind kind)
{
    double least = HUGE_VAL;
    size_t to = SGDPLAN_PRIV_FREE, j;
    for (j = 0; j < k->m; j++) {
        double distance;
        if (k->reached[j]) continue;
        distance = sgdplan_priv_distance(k, i, j, cap, kind);
        if (distance < k->slack[j]) {
            k->slack[j] = distance;
            k->from[j] = at;
        }
        if (k->slack[j] < least ||
            (k->slack[j] <= least && k->holder[j] == SGDPLAN_PRIV_FREE)) {
            least = k->slack[j];
            to = j;
        }
    }
    SGDPLAN_ASSERT(to != SGDPLAN_PRIV_FREE && least <= DBL_MAX);
    return to;
}

/* Changes prices: the nearest column's reduced cost becomes 0, held ones keep theirs. */
static void sgdplan_priv_raise_prices(sgdplan_priv_match *k, size_t row, double least)
{
    size_t j;
    SGDPLAN_ASSERT(row < k->n && least >= 0.0);
    k->row_price[row] += least;
    for (j = 0; j < k->m; j++) {
        if (!k->reached[j]) {
            k->slack[j] -= least;
            continue;
        }
        k->row_price[k->holder[j]] += least;
        k->price[j] -= least;
    }
}

/* Adds a row by Dijkstra's algorithm; a path exists. Returns the largest cost of the
 * widest path, at least cap. */
static double sgdplan_priv_add_row(sgdplan_priv_match *k, size_t row, double cap,
                                   sgdplan_priv_kind kind)
{
    size_t i = row, at = SGDPLAN_PRIV_FREE, j;
    for (j = 0; j < k->m; j++) {
        k->slack[j] = HUGE_VAL;
        k->reached[j] = 0;
    }
    do {
        at = sgdplan_priv_nearest(k, i, at, cap, kind);
        SGDPLAN_ASSERT(!k->reached[at]);
        if (kind == SGDPLAN_PRIV_SHORTEST)
            sgdplan_priv_raise_prices(k, row, k->slack[at]);
        else if (k->slack[at] > cap)
            cap = k->slack[at];
        k->reached[at] = 1;
        i = k->holder[at];
    } while (i != SGDPLAN_PRIV_FREE);
    sgdplan_priv_augment(k, at, row);
    return cap;
}

/* Fills best[] with the assignment of least sum, using only costs <= cap. */
static void sgdplan_priv_assign(sgdplan_priv_match *k, double cap)
{
    size_t i, rows;
    memset(k->row_price, 0, k->n * sizeof *k->row_price);
    memset(k->price, 0, k->m * sizeof *k->price);
    sgdplan_priv_free_columns(k);
    for (i = 0; i < k->n; i++)
        (void)sgdplan_priv_add_row(k, i, cap, SGDPLAN_PRIV_SHORTEST);
    rows = sgdplan_priv_read_holders(k);
    (void)rows;
    SGDPLAN_ASSERT(rows == k->n);
}

/* The least largest cost over all assignments. */
static double sgdplan_priv_bottleneck(sgdplan_priv_match *k)
{
    double cap = 0.0;
    size_t i;
    sgdplan_priv_free_columns(k);
    for (i = 0; i < k->n; i++) cap = sgdplan_priv_add_row(k, i, cap, SGDPLAN_PRIV_WIDEST);
    return cap;
}

/* Sum and largest cost of best[]. */
static void sgdplan_priv_add_up(const sgdplan_priv_match *k, double *sum, double *largest)
{
    size_t i;
    *sum = *largest = 0.0;
    for (i = 0; i < k->n; i++) {
        const double cost = k->cost[i * k->m + k->best[i]];
        *sum += cost;
        if (cost > *largest) *largest = cost;
    }
    SGDPLAN_ASSERT(*sum >= *largest);
}

/* The best assignment for cost[segments][workers], checked; k is laid out for it. */
static void sgdplan_priv_match_best(sgdplan_priv_match *k, const double *cost,
                                    sgdplan_objective objective, uint32_t *worker,
                                    sgdplan_assignment *out)
{
    const int by_largest = objective == SGDPLAN_LEAST_LARGEST;
    double cap = DBL_MAX, sum, largest;
    int better;
    size_t i;
    k->cost = cost;
    out->conflict = sgdplan_priv_greedy(k);
    sgdplan_priv_add_up(k, &out->greedy_sum, &out->greedy_largest);
    out->sum = out->greedy_sum;
    out->largest = out->greedy_largest;
    for (i = 0; i < k->n; i++) worker[i] = (uint32_t)k->best[i];
    if (!out->conflict) return;
    if (by_largest) cap = sgdplan_priv_bottleneck(k);
    sgdplan_priv_assign(k, cap);
    sgdplan_priv_add_up(k, &sum, &largest);
    SGDPLAN_ASSERT(largest <= cap);
    SGDPLAN_ASSERT(!by_largest || largest <= out->greedy_largest);
    better = sum < out->sum;
    if (by_largest) better = better || largest < out->largest;
    if (!better) return;
    out->sum = sum;
    out->largest = largest;
    for (i = 0; i < k->n; i++) worker[i] = (uint32_t)k->best[i];
}

SGDPLAN_API sgdplan_status
sgdplan_assign_segments_bytes(const sgdplan_matching *matching, size_t *bytes)
{
    const sgdplan_matching *m = matching;
    sgdplan_priv_arena need = sgdplan_priv_arena_at(NULL);
    sgdplan_priv_match k;
    if (!m || m->segments == 0 || m->segments > m->workers) return SGDPLAN_BAD_ARGUMENT;
    if (m->workers > UINT32_MAX || m->segments > (size_t)-1 / sizeof(double) / m->workers)
        return SGDPLAN_TOO_LARGE;
    sgdplan_priv_carve_match(&need, m->segments, m->workers, &k);
    return sgdplan_priv_answer(&need, bytes);
}

SGDPLAN_API sgdplan_status sgdplan_assign_segments(const sgdplan_matching *matching,
                                                   void *work, size_t work_bytes,
                                                   uint32_t *worker,
                                                   sgdplan_assignment *out)
{
    const sgdplan_matching *m = matching;
    sgdplan_priv_arena arena = sgdplan_priv_arena_at(work);
    sgdplan_priv_match k;
    sgdplan_status status;
    size_t need = 0, i;
    if (!m || !m->cost || !worker || !out) return SGDPLAN_BAD_ARGUMENT;
    if ((size_t)m->objective > (size_t)SGDPLAN_LEAST_LARGEST) return SGDPLAN_BAD_ARGUMENT;
    status = sgdplan_assign_segments_bytes(m, &need);
    if (status == SGDPLAN_OK) status = sgdplan_priv_check_work(work, work_bytes, need);
    if (status != SGDPLAN_OK) return status;
    for (i = 0; i < m->segments * m->workers; i++)
        if (!(m->cost[i] >= 0.0 && m->cost[i] <= SGDPLAN_PRIV_MOST_COST))
            return SGDPLAN_BAD_COST;
    sgdplan_priv_carve_match(&arena, m->segments, m->workers, &k);
    SGDPLAN_ASSERT(arena.used == need && !arena.overflow);
    sgdplan_priv_match_best(&k, m->cost, m->objective, worker, out);
    return SGDPLAN_OK;
}

/* ---- Places: all layers ---------------------------------------------------- */

typedef struct sgdplan_priv_places {
    double             *cost;      /* [segments][workers] of the largest layer        */
    void               *match;     /* [match_bytes]                                   */
    size_t              match_bytes;
    uint32_t           *worker;    /* [L][workers]                                    */
    sgdplan_split      *split;     /* [L] with the places in worker                   */
    sgdplan_assignment *assigned;  /* [L]                                             */
} sgdplan_priv_places;

/* `most`: number of segments of the layer that has most. */
static void sgdplan_priv_carve_places(sgdplan_priv_arena *arena, size_t layers,
                                      size_t most, size_t workers,
                                      sgdplan_priv_places *k)
{
    k->cost = (double *)sgdplan_priv_take_table(arena, most, workers, sizeof(double));
    k->match = sgdplan_priv_take(arena, k->match_bytes, 1);
    k->worker =
        (uint32_t *)sgdplan_priv_take_table(arena, layers, workers, sizeof(uint32_t));
    k->split = (sgdplan_split *)sgdplan_priv_take(arena, layers, sizeof *k->split);
    k->assigned =
        (sgdplan_assignment *)sgdplan_priv_take(arena, layers, sizeof *k->assigned);
}

/* Largest number of segments of a layer of a checked configuration. */
static size_t sgdplan_priv_most_segments(const sgdplan_job *job,
                                         const sgdplan_configuration *c)
{
    size_t most = 0, l;
    for (l = 0; l < job->layers; l++)
        if (most < sgdplan_priv_segments(c->split + l))
            most = (size_t)sgdplan_priv_segments(c->split + l);
    SGDPLAN_ASSERT(most > 0 && most <= c->workers);
    return most;
}

/* Checks all but places, which are not read, and computes the size. */
static sgdplan_status sgdplan_priv_size_places(const sgdplan_job *job,
                                               const sgdplan_configuration *c,
                                               sgdplan_priv_places *k, size_t *bytes)
{
    sgdplan_priv_arena need = sgdplan_priv_arena_at(NULL);
    sgdplan_fault fault = sgdplan_priv_check_constants(job);
    sgdplan_matching largest;
    sgdplan_status status;
    size_t most, l;
    if (fault == SGDPLAN_FAULT_NONE)
        fault = sgdplan_priv_check_machines(job->machines.count, c);
    for (l = 0; fault == SGDPLAN_FAULT_NONE && l < job->layers; l++)
        fault = sgdplan_priv_check_split_layer(job, l, c->split + l, c->workers);
    if (fault != SGDPLAN_FAULT_NONE) return sgdplan_priv_refuse(fault, 0, NULL);
    most = sgdplan_priv_most_segments(job, c);
    largest.segments = most;
    largest.workers = c->workers;
    status = sgdplan_assign_segments_bytes(&largest, &k->match_bytes);
    if (status != SGDPLAN_OK) return status;
    sgdplan_priv_carve_places(&need, job->layers, most, c->workers, k);
    return sgdplan_priv_answer(&need, bytes);
}

SGDPLAN_API sgdplan_status
sgdplan_place_segments_bytes(const sgdplan_job *job,
                             const sgdplan_configuration *configuration, size_t *bytes)
{
    sgdplan_priv_places k;
    if (!job || !configuration || !configuration->split || !bytes)
        return SGDPLAN_BAD_ARGUMENT;
    return sgdplan_priv_size_places(job, configuration, &k, bytes);
}

/* Places layer l by assignment, given the layer below. */
static sgdplan_status sgdplan_priv_assign_layer(const sgdplan_job *job, size_t l,
                                                uint32_t workers,
                                                sgdplan_objective objective,
                                                sgdplan_priv_places *k)
{
    const sgdplan_split *split = k->split + l;
    uint32_t *worker = k->worker + l * workers;
    sgdplan_matching m;
    memset(k->assigned + l, 0, sizeof *k->assigned);
    if (l == 0) {
        sgdplan_priv_place(NULL, split, workers, worker);
        return SGDPLAN_OK;
    }
    sgdplan_priv_fill_costs(job, l, split - 1, split, workers, k->cost);
    m.cost = k->cost;
    m.segments = (size_t)sgdplan_priv_segments(split);
    m.workers = workers;
    SGDPLAN_ASSERT(m.segments >= 1 && m.segments <= workers);
    m.objective = objective;
    return sgdplan_assign_segments(&m, k->match, k->match_bytes, worker, k->assigned + l);
}

/* Places all layers by assignment or contiguously; computes the epoch. */
static sgdplan_status sgdplan_priv_place_all(const sgdplan_job *job,
                                             const sgdplan_configuration *c,
                                             int contiguous, sgdplan_objective objective,
                                             sgdplan_priv_places *k, sgdplan_epoch *out)
{
    sgdplan_configuration placed = *c;
    sgdplan_status status;
    size_t l;
    for (l = 0; l < job->layers; l++) {
        sgdplan_split *split = k->split + l;
        uint32_t *worker = k->worker + l * c->workers;
        if (contiguous) {
            sgdplan_priv_place(l > 0 ? split - 1 : NULL, split, c->workers, worker);
        } else {
            status = sgdplan_priv_assign_layer(job, l, c->workers, objective, k);
            if (status != SGDPLAN_OK) return status;
        }
        split->worker = worker;
        SGDPLAN_ASSERT(sgdplan_priv_is_placed(split, c->workers));
    }
    placed.split = k->split;
    return sgdplan_epoch_time(job, &placed, NULL, out, NULL);
}

/* Copies the result to the caller. */
static void sgdplan_priv_write_places(const sgdplan_priv_places *k, size_t layers,
                                      size_t workers, sgdplan_mapping *out)
{
    size_t l;
    for (l = 0; l < layers; l++) {
        const size_t n = (size_t)sgdplan_priv_segments(k->split + l);
        uint32_t *worker = out->worker + l * workers;
        SGDPLAN_ASSERT(n <= workers);
        memcpy(worker, k->worker + l * workers, n * sizeof *worker);
        out->split[l] = k->split[l];
        out->split[l].worker = worker;
        if (out->assigned) out->assigned[l] = k->assigned[l];
    }
}

SGDPLAN_API sgdplan_status sgdplan_place_segments(
    const sgdplan_job *job, const sgdplan_configuration *configuration,
    sgdplan_objective objective, void *work, size_t work_bytes, sgdplan_mapping *out)
{
    const sgdplan_configuration *c = configuration;
    sgdplan_priv_arena arena = sgdplan_priv_arena_at(work);
    sgdplan_epoch by_assignment, contiguous;
    sgdplan_priv_places k;
    sgdplan_status status;
    size_t need = 0, most;
    int better;
    if (!job || !c || !c->split || !out || !out->worker || !out->split)
        return SGDPLAN_BAD_ARGUMENT;
    if ((size_t)objective > (size_t)SGDPLAN_LEAST_LARGEST) return SGDPLAN_BAD_ARGUMENT;
    status = sgdplan_priv_size_places(job, c, &k, &need);
    if (status == SGDPLAN_OK) status = sgdplan_priv_check_work(work, work_bytes, need);
    if (status != SGDPLAN_OK) return status;
    most = sgdplan_priv_most_segments(job, c);
    sgdplan_priv_carve_places(&arena, job->layers, most, c->workers, &k);
    SGDPLAN_ASSERT(arena.used == need && !arena.overflow);
    memcpy(k.split, c->split, job->layers * sizeof *k.split);
    status = sgdplan_priv_place_all(job, c, 1, objective, &k, &contiguous);
    if (status == SGDPLAN_OK)
        status = sgdplan_priv_place_all(job, c, 0, objective, &k, &by_assignment);
    if (status != SGDPLAN_OK) return status;
    /* As long, up to rounding, is no reason to take the places that were not sought. */
    better = by_assignment.epoch_s <= contiguous.epoch_s * (1.0 + 1e-12);
    if (!better)
        (void)sgdplan_priv_place_all(job, c, 1, objective, &k, &contiguous);
    sgdplan_priv_write_places(&k, job->layers, c->workers, out);
    out->epoch = better ? by_assignment : contiguous;
    out->contiguous = !better;
    return SGDPLAN_OK;
}

/* ---- Stages ---------------------------------------------------------------- */

/* One stage: pieces are added to it at its front. */
typedef struct sgdplan_priv_stage {
    double time_s, held, kept, in_flight;
} sgdplan_priv_stage;

static sgdplan_priv_stage sgdplan_priv_no_pieces(const sgdplan_stages *of, size_t s)
{
    sgdplan_priv_stage stage;
    SGDPLAN_ASSERT(s < of->stages);
    stage.time_s = stage.held = stage.kept = 0.0;
    stage.in_flight = of->in_flight ? of->in_flight[s] : 1.0;
    return stage;
}

/* Adds a piece. Returns the memory of the stage. */
static double sgdplan_priv_add_piece(sgdplan_priv_stage *stage,
                                     const sgdplan_piece *piece)
{
    stage->time_s += piece->time_s;
    stage->held += piece->held_bytes;
    stage->kept += piece->kept_bytes;
    SGDPLAN_ASSERT(stage->time_s >= piece->time_s);
    return stage->held + stage->in_flight * stage->kept;
}

/* Checks numbers. The sums over all pieces are those of the largest possible stage. */
static sgdplan_status sgdplan_priv_check_stages(const sgdplan_stages *of)
{
    sgdplan_priv_stage all;
    double bytes = 0.0;
    size_t i;
    if (!of || !of->piece || of->stages == 0 || of->stages > of->pieces
        || !sgdplan_priv_is_time(of->most_bytes))
        return SGDPLAN_BAD_ARGUMENT;
    for (i = 0; i < of->pieces; i++)
        if (!sgdplan_priv_is_time(of->piece[i].time_s)
            || !sgdplan_priv_is_time(of->piece[i].held_bytes)
            || !sgdplan_priv_is_time(of->piece[i].kept_bytes))
            return SGDPLAN_BAD_ARGUMENT;
    all = sgdplan_priv_no_pieces(of, 0);
    for (i = 0; i < of->stages; i++) {
        const double in_flight = of->in_flight ? of->in_flight[i] : 1.0;
        if (!sgdplan_priv_is_time(in_flight)) return SGDPLAN_BAD_ARGUMENT;
        if (in_flight > all.in_flight) all.in_flight = in_flight;
    }
    for (i = 0; i < of->pieces; i++) bytes = sgdplan_priv_add_piece(&all, &of->piece[i]);
    return sgdplan_priv_is_time(all.time_s) && sgdplan_priv_is_time(bytes)
        ? SGDPLAN_OK : SGDPLAN_TOO_LARGE;
}

SGDPLAN_API sgdplan_status sgdplan_largest_stage(const sgdplan_stages *of,
                                                 const size_t *first,
                                                 sgdplan_largest *out)
{
    const sgdplan_status status = sgdplan_priv_check_stages(of);
    sgdplan_largest most;
    size_t s, i;
    if (!first || !out) return SGDPLAN_BAD_ARGUMENT;
    if (status != SGDPLAN_OK) return status;
    most.time_s = most.bytes = 0.0;
    for (s = 0; s < of->stages; s++) {
        const size_t end = s + 1 < of->stages ? first[s + 1] : of->pieces;
        sgdplan_priv_stage stage = sgdplan_priv_no_pieces(of, s);
        double bytes = 0.0;
        if (first[s] >= end || end > of->pieces || (s == 0 && first[0] != 0))
            return SGDPLAN_BAD_ARGUMENT;
        for (i = end; i-- > first[s];)
            bytes = sgdplan_priv_add_piece(&stage, &of->piece[i]);
        if (stage.time_s > most.time_s) most.time_s = stage.time_s;
        if (bytes > most.bytes) most.bytes = bytes;
    }
    *out = most;
    return SGDPLAN_OK;
}

/* Work area. least[j]: of splits of the first j pieces into the stages looked at so far,
 * the least largest time or memory. first[s][j]: where stage s of that split begins. */
typedef struct sgdplan_priv_cuts {
    const sgdplan_stages *of;
    double *least, *before;    /* [pieces + 1]                                        */
    size_t *first;             /* [stages][pieces + 1]                                */
} sgdplan_priv_cuts;

static sgdplan_priv_cuts sgdplan_priv_cuts_of(const sgdplan_stages *of,
                                              sgdplan_priv_arena *arena)
{
    sgdplan_priv_cuts cuts;
    const size_t ends = of->pieces + 1;
    SGDPLAN_ASSERT(of->stages > 0 && ends > of->stages);
    cuts.of = of;
    cuts.least = sgdplan_priv_doubles(arena, ends);
    cuts.before = sgdplan_priv_doubles(arena, ends);
    if (of->stages > (size_t)-1 / ends) arena->overflow = 1;
    cuts.first = (size_t *)sgdplan_priv_take(arena, of->stages * ends, sizeof(size_t));
    return cuts;
}

/* Finds where stage s begins if it ends at piece `end`. A stage only grows as it begins
 * earlier, so the search stops at a limit, and where it can be no better. */
static void sgdplan_priv_cut_stage(sgdplan_priv_cuts *cuts, size_t s, size_t end,
                                   const sgdplan_largest *limit, int by_bytes)
{
    sgdplan_priv_stage stage = sgdplan_priv_no_pieces(cuts->of, s);
    double best = HUGE_VAL;
    size_t i;
    SGDPLAN_ASSERT(end > s && end <= cuts->of->pieces);
    for (i = end; i-- > s;) {
        const double bytes = sgdplan_priv_add_piece(&stage, &cuts->of->piece[i]);
        const double value = by_bytes ? bytes : stage.time_s;
        const double most = value > cuts->before[i] ? value : cuts->before[i];
        if (stage.time_s > limit->time_s || bytes > limit->bytes) break;
        if (most < best) {
            best = most;
            cuts->first[s * (cuts->of->pieces + 1) + end] = i;
        }
        if (value >= best) break;
    }
    cuts->least[end] = best;
}

/* The least largest time, or memory, of splits whose stages keep the limits; HUGE_VAL: no
 * split does. Each stage sets all ends that the next one reads. */
static double sgdplan_priv_cut(sgdplan_priv_cuts *cuts, const sgdplan_largest *limit,
                               int by_bytes)
{
    const size_t n = cuts->of->pieces, P = cuts->of->stages;
    size_t s, end;
    for (end = 0; end <= n; end++) cuts->least[end] = end == 0 ? 0.0 : HUGE_VAL;
    for (s = 0; s < P; s++) {
        double *swap = cuts->before;
        cuts->before = cuts->least;
        cuts->least = swap;
        for (end = s + 1; end + P - 1 - s <= n; end++)
            sgdplan_priv_cut_stage(cuts, s, end, limit, by_bytes);
    }
    return cuts->least[n];
}

SGDPLAN_API sgdplan_status sgdplan_split_stages_bytes(const sgdplan_stages *of,
                                                      size_t *bytes)
{
    sgdplan_priv_arena arena = sgdplan_priv_arena_at(NULL);
    const sgdplan_status status = sgdplan_priv_check_stages(of);
    if (!bytes) return SGDPLAN_BAD_ARGUMENT;
    if (status != SGDPLAN_OK) return status;
    (void)sgdplan_priv_cuts_of(of, &arena);
    return sgdplan_priv_answer(&arena, bytes);
}

SGDPLAN_API sgdplan_status sgdplan_split_stages(const sgdplan_stages *of, void *work,
                                                size_t work_bytes, size_t *first,
                                                sgdplan_largest *out)
{
    sgdplan_priv_arena arena = sgdplan_priv_arena_at(work);
    sgdplan_priv_cuts cuts;
    sgdplan_largest limit;
    size_t need = 0, s, end;
    sgdplan_status status;
    if (!first || !out) return SGDPLAN_BAD_ARGUMENT;
    status = sgdplan_split_stages_bytes(of, &need);
    if (status == SGDPLAN_OK) status = sgdplan_priv_check_work(work, work_bytes, need);
    if (status != SGDPLAN_OK) return status;
    cuts = sgdplan_priv_cuts_of(of, &arena);
    limit.time_s = DBL_MAX;
    limit.bytes = of->most_bytes > 0.0 ? of->most_bytes : DBL_MAX;
    limit.time_s = sgdplan_priv_cut(&cuts, &limit, 0);
    if (!(limit.time_s <= DBL_MAX)) return SGDPLAN_NO_PLAN;
    limit.time_s += 1e-12 * limit.time_s;
    (void)sgdplan_priv_cut(&cuts, &limit, 1);
    for (end = of->pieces, s = of->stages; s-- > 0; end = first[s])
        first[s] = cuts.first[s * (of->pieces + 1) + end];
    SGDPLAN_ASSERT(end == 0 && first[0] == 0);
    return sgdplan_largest_stage(of, first, out);
}

/* Moves the first piece of stage s by one, back or forth, if that makes a step shorter.
 * Returns whether it does. */
static int sgdplan_priv_move_cut(const sgdplan_stages *of, sgdplan_step_time time,
                                 void *ctx, size_t *first, size_t s, int back,
                                 double most_bytes, double *step_s)
{
    const size_t was = first[s];
    sgdplan_largest most;
    double moved_s;
    SGDPLAN_ASSERT(s > 0 && s < of->stages);
    first[s] = back ? was - 1 : was + 1;   /* the next check refuses an empty stage */
    if (sgdplan_largest_stage(of, first, &most) == SGDPLAN_OK
        && most.bytes <= most_bytes) {
        moved_s = time(ctx, first);
        if (moved_s < *step_s * (1.0 - 1e-9)) {
            *step_s = moved_s;
            return 1;
        }
    }
    first[s] = was;
    return 0;
}

SGDPLAN_API sgdplan_status sgdplan_improve_split(const sgdplan_stages *of,
                                                 sgdplan_step_time time, void *ctx,
                                                 size_t *first, double *step_s)
{
    sgdplan_largest most;
    sgdplan_status status;
    size_t round, moved = 1, s;
    int back;
    if (!time || !step_s) return SGDPLAN_BAD_ARGUMENT;
    status = sgdplan_largest_stage(of, first, &most);
    if (status != SGDPLAN_OK) return status;
    if (!(of->most_bytes > 0.0)) most.bytes = DBL_MAX;
    else if (most.bytes < of->most_bytes) most.bytes = of->most_bytes;
    *step_s = time(ctx, first);
    for (round = 0; round < 64 && moved > 0; round++)
        for (s = 1, moved = 0; s < of->stages; s++) {
            for (back = 0; back < 2; back++)
                moved += (size_t)sgdplan_priv_move_cut(of, time, ctx, first, s, back,
                                                       most.bytes, step_s);
        }
    return SGDPLAN_OK;
}

#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_PLAN_IMPLEMENTATION */

/* REFERENCES
 *   [AS64]    M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 1964.
 *   [SLF14]   G. L. Steele, D. Lea, C. H. Flood, Fast Splittable Pseudorandom Number
 *             Generators, OOPSLA 2014.
 *   [YRHC15]  F. Yan, O. Ruwase, Y. He, T. Chilimbi, Performance Modeling and
 *             Scalability Optimization of Distributed Deep Learning Systems, KDD 2015.
 */

/* HISTORY
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
