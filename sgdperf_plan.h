/* sgdperf_plan.h - v0.1.0 - splits a network over machines - C99, one file
 */
#ifndef SGDPERF_PLAN_H
#define SGDPERF_PLAN_H

#define SGDPERF_PLAN_VERSION_MAJOR 0
#define SGDPERF_PLAN_VERSION_MINOR 1
#define SGDPERF_PLAN_VERSION_PATCH 0
#define SGDPERF_PLAN_VERSION                                                      \
    (SGDPERF_PLAN_VERSION_MAJOR * 10000 + SGDPERF_PLAN_VERSION_MINOR * 100 +     \
     SGDPERF_PLAN_VERSION_PATCH)

#include <stddef.h>
#include <stdint.h>

#if !defined(SGDPERF_PLAN_STATIC)
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

/* Codes shared with sgdperf.h have the same numbers. */
#define SGDPLAN_STATUS_TABLE(X) \
    X(SGDPLAN_OK, "success") \
    X(SGDPLAN_BAD_ARGUMENT, "null pointer, zero size, or value out of domain") \
    X(SGDPLAN_TOO_LARGE, "a size exceeds the address space, or 32 bits") \
    X(SGDPLAN_SMALL_WORKSPACE, "work_bytes smaller than the _bytes() answer") \
    X(SGDPLAN_NOT_CONVERGED, "iteration limit reached before the tolerance") \
    X(SGDPLAN_OVER_BUDGET, "exceeds the allowed operations or bytes") \
    X(SGDPLAN_BAD_COST, "a cost is negative, or not a number") \
    X(SGDPLAN_NO_PLAN, "no split of the layers is allowed on these machines")

#define SGDPLAN_X(name, text) name,
typedef enum sgdplan_status {
    SGDPLAN_STATUS_TABLE(SGDPLAN_X) SGDPLAN_STATUS_COUNT
} sgdplan_status;
#undef SGDPLAN_X

/* Text for a status; never NULL, also for values that are not a status. */
SGDPLAN_API const char *sgdplan_status_text(sgdplan_status status);

/* ---- Layer-wise model ------------------------------------------------------ */

/* A network split over machines: `servers` parameter servers and `replicas` copies of
 * the network, each on `workers` workers. Within a replica every layer is cut into
 * `partitions` segments, copied `replications` times, and each copy works on `threads`
 * samples at once [YRHC15]. */
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

/* Text for a kind; NULL for what is none. */
SGDPLAN_API const char *sgdplan_layer_text(sgdplan_layer_kind kind);

/* Fields that a kind does not use are not read.
 *
 * RECURRENT: at each of `steps` steps n_out neurons see n_in inputs and their own
 * outputs of the step before. Unrolled over the steps, its weights stored once. Below it
 * stand steps * n_in outputs, or n_in, the same at all steps; a layer above it may read
 * the n_out outputs of the last step alone, except that another recurrent layer has as
 * many steps. */
typedef struct sgdplan_layer {
    sgdplan_layer_kind kind;
    uint32_t c_in, h_in, w_in;     /* conv, pool: channels, rows, columns           */
    uint32_t c_out, h_out, w_out;
    uint32_t kernel;               /* side of the square, >= 1                      */
    uint32_t stride;               /* default 1                                     */
    uint32_t pad;                  /* rows of zeros on each side, < kernel          */
    uint32_t n_in, n_out;          /* fc, softmax, recurrent                        */
    uint32_t steps;                /* recurrent, default 1                          */
} sgdplan_layer;

typedef struct sgdplan_layer_size {
    uint64_t neurons;              /* its outputs, of all steps                     */
    uint64_t connections;          /* that a sample goes through, also those of a   */
                                   /*   pooling window                              */
    uint64_t own_connections;      /* of them, from the recurrent layer itself      */
    uint64_t weights;              /* stored, 0 for a pooling layer                 */
} sgdplan_layer_size;

/* What is wrong. C1 .. C4: the constraints of [YRHC15, fig. 7]. C4, all threads of a
 * segment on one worker, cannot be broken here: threads have no places of their own. */
#define SGDPLAN_FAULT_TABLE(X)                                                             \
    X(SGDPLAN_FAULT_NONE,     "nothing")                                                   \
    X(SGDPLAN_FAULT_KIND,     "unknown kind of layer")                                     \
    X(SGDPLAN_FAULT_ZERO,     "a size is 0, or missing")                                   \
    X(SGDPLAN_FAULT_PAD,      "padding as wide as the kernel")                             \
    X(SGDPLAN_FAULT_ROWS,     "h_out is not (h_in + 2 pad - kernel) / stride + 1")         \
    X(SGDPLAN_FAULT_COLUMNS,  "w_out is not (w_in + 2 pad - kernel) / stride + 1")         \
    X(SGDPLAN_FAULT_CHANNELS, "a pooling layer has as many channels above as below")       \
    X(SGDPLAN_FAULT_BELOW,    "inputs are not the outputs of the layer below")             \
    X(SGDPLAN_FAULT_LARGE,    "more than 2^63 neurons, connections or weights, or 2^30 "   \
                           "machines")                                                  \
    X(SGDPLAN_FAULT_CONSTANT, "a constant is negative, not finite, or a table of no order")\
    X(SGDPLAN_FAULT_READ,     "not 0 < N_read <= N_sample, or a mix not in [0, 1]")        \
    X(SGDPLAN_FAULT_EMPTY,    "no machines, cores, layers, servers, replicas or workers")  \
    X(SGDPLAN_FAULT_MACHINES, "C1: servers + replicas * workers exceed the machines")      \
    X(SGDPLAN_FAULT_SPLIT,    "partitions, replications or threads are 0")                 \
    X(SGDPLAN_FAULT_CORES,    "C2: more threads than cores")                               \
    X(SGDPLAN_FAULT_WORKERS,  "C3: partitions * replications exceed the workers")          \
    X(SGDPLAN_FAULT_PLACE,    "C3: two segments of a layer on one worker, or on none")     \
    X(SGDPLAN_FAULT_STRIPES,  "more partitions than the layer has rows, or neurons")

#define SGDPLAN_X(name, text) name,
typedef enum sgdplan_fault { SGDPLAN_FAULT_TABLE(SGDPLAN_X) SGDPLAN_FAULT_COUNT } sgdplan_fault;
#undef SGDPLAN_X

/* Where, and what; written, unless NULL, where a function answers SGDPLAN_BAD_ARGUMENT or
 * SGDPLAN_TOO_LARGE for one of these reasons. layer: 0 where it is not one layer's. */
typedef struct sgdplan_layer_fault {
    size_t     layer;
    sgdplan_fault reason;
} sgdplan_layer_fault;

/* Text for a fault; never NULL. */
SGDPLAN_API const char *sgdplan_fault_text(sgdplan_fault fault);

/* Checks a network from its first layer up, and that each layer fits the one below: the
 * same channels, rows and columns below conv and pool, as many values below the others.
 * Rows and columns of an output are rounded down. biases != 0: stored weights have one
 * bias a channel, or neuron. size[layers], NULL: not wanted. SGDPLAN_BAD_ARGUMENT;
 * SGDPLAN_TOO_LARGE. O(layers). */
SGDPLAN_API sgdplan_status sgdplan_layer_sizes(const sgdplan_layer *layer, size_t layers, int biases,
                                      sgdplan_layer_size *size, sgdplan_layer_fault *fault);

/* A measured constant: a number, or a table, linear between its points and constant
 * outside of them. */
typedef struct sgdplan_constant {
    double        number;          /* used where points is 0                        */
    const double *at;              /* [points] > 0, increasing                      */
    const double *value;           /* [points] >= 0                                 */
    size_t        points;
} sgdplan_constant;

/* A network and the machines it is to run on. H below: threads. */
typedef struct sgdplan_layered {
    const sgdplan_layer *layer;       /* [layers]                                      */
    size_t            layers;
    uint32_t machines;             /* N, all alike                                  */
    uint32_t cores;                /* K of a machine                                */

    sgdplan_constant muladd_s;        /* C_muladd of a connection, over the bytes of   */
                                   /*   the segment's stored weights: linear in     */
                                   /*   their logarithm                             */
    double        activation_s;    /* C_act of a neuron                             */
    double        error_s;         /* C_err                                         */
    sgdplan_constant interference;    /* C_interf, over H: how much longer H threads   */
                                   /*   take, default 1. A number is for H > 1; one */
                                   /*   thread takes 1, also as a point of a table  */
    sgdplan_constant latency_s;       /* C_ncost of a message, over H                  */
    double bandwidth_bits_per_s;   /* C_nbw of a machine, shared by its H threads   */
    double bits;                   /* C_bits of a value or weight, default 32       */

    double samples;                /* N_sample of an epoch                          */
    double read_samples;           /* N_read: samples after which a replica reads   */
                                   /*   weights, in (0, N_sample]                   */
    double write_samples;          /* > 0: writes cost as much as reads, once in so */
                                   /*   many samples; 0: they are free              */
    double mix;                    /* m: (1 - m) Eq. 11 + m Eq. 10, default 0       */
    int    read_full;              /* 1: weights are read at C_nbw, 0: at C_nbw / H */
    int    read_per_replica;       /* 1: a replica reads for its own samples alone, */
                                   /*   M_w N_sample / (N_read N_mr)                */
    int    latency_always;         /* 1: Eq. 6 as printed, C_ncost even where       */
                                   /*   nothing remote is needed                    */
    int    biases;                 /* as for sgdplan_layer_sizes                       */
} sgdplan_layered;

/* How a layer is split. */
typedef struct sgdplan_split {
    uint32_t partitions;           /* P, at most its rows (conv, pool), or n_out    */
    uint32_t replications;         /* R, P R <= workers                             */
    uint32_t threads;              /* H <= cores                                    */
    const uint32_t *worker;        /* [replications][partitions] where each is,     */
                                   /*   < workers; NULL in all layers: contiguous,  */
                                   /*   as sgdplan_place does it                       */
} sgdplan_split;

/* A configuration of the whole: C1, servers + replicas * workers <= machines. */
typedef struct sgdplan_configuration {
    uint32_t servers;              /* N_ps                                          */
    uint32_t replicas;             /* N_mr                                          */
    uint32_t workers;              /* N_wr of a replica                             */
    const sgdplan_split *split;       /* [layers]                                      */
} sgdplan_configuration;

/* What one thread of a segment takes for one sample [YRHC15, eqs. 5-9]:
 *
 *     U_f = C_interf (C_muladd connections / P + C_act neurons / P)
 *     U_b = C_interf (C_muladd connections from the layer above / P + C_err neurons / P)
 *     U_w = C_interf (C_muladd connections / P), of a pooling layer 0
 *     M_f = C_ncost + A C_bits / (C_nbw / H), M_b with E in the place of A
 *
 * C_muladd is read at bits/8 * weights / P bytes in all three. M is 0 if A is, unless
 * latency_always. A recurrent layer takes its own connections into U_b as well, and in
 * each step but one its segments exchange their outputs, or error terms. */
typedef struct sgdplan_segment {
    double forward_s, backward_s, update_s;  /* U_f, U_b, U_w                       */
    double own_s;                  /* exchange within a recurrent layer, in M_f and */
                                   /*   in M_b                                      */
    double message_s;              /* of a message without content                  */
    double value_s;                /*   and of each value in it                     */
    double idle_s;                 /* of one that is not needed                     */
} sgdplan_segment;

/* Segment of layer l, without what it needs to know of others: for tables of costs, as
 * sgdplan_remote and sgdplan_weight_reading. Checks of the network layer l and its neighbours
 * alone; split->worker is not read. SGDPLAN_BAD_ARGUMENT; SGDPLAN_TOO_LARGE. O(1) but for the
 * tables of constants. Calls log for one of C_muladd. */
SGDPLAN_API sgdplan_status sgdplan_segment_time(const sgdplan_layered *net, size_t l,
                                       const sgdplan_split *split, sgdplan_segment *out);

/* M_f or M_b of that segment for so many remote values of a neighbouring layer, without
 * own_s. */
SGDPLAN_API double sgdplan_message_time(const sgdplan_segment *segment, uint64_t values);

/* Remote values between layers l - 1 and l, of a sample: A, the activations that the
 * slowest segment of layer l receives, and E, the error terms that the slowest of layer
 * l - 1 does.
 *
 * Segment j of P owns rows [j h/P, (j+1) h/P) of its layer's outputs, or such neurons.
 * It needs the rows of the layer below from the first to the last that its windows touch,
 * or all; and the error terms of all rows above whose windows touch an own one, or all.
 * What its worker holds of them is not remote. A sample q is replication q mod R's in
 * every layer, so that a worker holds only what its own replication made of the sample;
 * A and E are the largest over samples as well.
 *
 * Exact integers. Checks as sgdplan_segment_time. O(P + P') for the contiguous placement
 * where R' = R, O(P R + P' R') where not, O(P R P' + P' R' P) for placements given. */
SGDPLAN_API sgdplan_status sgdplan_remote(const sgdplan_layered *net, size_t l,
                                 const sgdplan_split *below, const sgdplan_split *split,
                                 uint64_t *activations, uint64_t *errors);

/* Activations that segment (p, r) of layer l would receive on worker w:
 * cost[P R][workers], row r P + p. below->worker is given. Checks as sgdplan_remote, and
 * SGDPLAN_BAD_ARGUMENT unless below->worker has different workers, all < workers.
 * O(P R (workers + P') + (P' R')^2). */
SGDPLAN_API sgdplan_status sgdplan_remote_costs(const sgdplan_layered *net, size_t l,
                                       const sgdplan_split *below, const sgdplan_split *split,
                                       uint32_t workers, double *cost);

/* Contiguous placement: worker[P R] of layer l, given below->worker; below NULL: on the
 * first workers. If R' of the layer below divides R, or R divides it, the segments and
 * workers that belong together are taken in the order of their stripes, and each of the
 * fewer gets the one in the middle of its share of the others; those left over go to
 * workers without the layer below. Else in order.
 *
 * An approximation of the best placement: for 5 % of random pairs of layers of up to 20
 * rows on up to 6 workers there is a better one, of which A is 45 % above in the mean.
 * Checks as sgdplan_remote_costs; SGDPLAN_BAD_ARGUMENT also for P R > workers.
 * O(P R P' R' + (P' R')^2). */
SGDPLAN_API sgdplan_status sgdplan_place(const sgdplan_layered *net, size_t l,
                                const sgdplan_split *below, const sgdplan_split *split,
                                uint32_t workers, uint32_t *worker);

/* M_w of one layer [YRHC15, eqs. 10 and 11], for all reads of an epoch, with C_bits,
 * which the printed equations leave out:
 *
 *     max = C_ncost + N_mr R weights C_bits / C_nbw'
 *     min = C_ncost + R weights C_bits / (C_nbw' min(N_ps, N_wr))
 *
 * Both are 0 for a layer without weights. */
typedef struct sgdplan_weight_reading {
    double latency_s, transfer_s;  /* of M_w N_sample / N_read                      */
    double write_s;                /* of writes, if write_samples > 0               */
} sgdplan_weight_reading;

/* configuration->split and split->partitions are not read. Statuses as
 * sgdplan_segment_time. O(1). */
SGDPLAN_API sgdplan_status sgdplan_weight_time(const sgdplan_layered *net, size_t l,
                                      const sgdplan_configuration *configuration,
                                      const sgdplan_split *split, sgdplan_weight_reading *out);

/* The eight parts of an epoch; of a layer, or of all. */
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

/* Text for a part; NULL for what is none. */
SGDPLAN_API const char *sgdplan_epoch_text(sgdplan_epoch_part part);

typedef struct sgdplan_epoch {
    double   epoch_s;
    double   part_s[SGDPLAN_EPOCH_PARTS]; /* U_f, M_f, U_b, M_b, U_w, M_w: they add up */
                                   /*   to epoch_s                                  */
    uint64_t activations, errors;  /* A and E; of the network: the sum of layers    */
} sgdplan_epoch;

/* T_epoch = M_w N_sample / N_read
 *         + sum over layers (U_f + M_f + U_b + M_b + U_w) N_sample / (H R N_mr)
 *
 * The first layer's input is local, and no error is sent below it. by_layer[layers] and
 * fault may be NULL. SGDPLAN_BAD_ARGUMENT; SGDPLAN_TOO_LARGE, also for an epoch too long for a
 * double. O(sum of P R), with places given O(sum of P R (P' + P R)). Calls log as
 * sgdplan_segment_time does. */
SGDPLAN_API sgdplan_status sgdplan_epoch_time(const sgdplan_layered *net,
                                     const sgdplan_configuration *configuration,
                                     sgdplan_epoch *by_layer, sgdplan_epoch *out,
                                     sgdplan_layer_fault *fault);

/* ---- Configuration search -------------------------------------------------- */

/* How a network is split over machines: parameter servers, copies of the network on
 * several workers each, and for every layer partitions, replications and threads
 * [YRHC15]. What a choice costs is the caller's to say. */

typedef enum sgdplan_objective {
    SGDPLAN_LEAST_SUM = 0,        /* of all costs [YRHC15 5.3]                     */
    SGDPLAN_LEAST_LARGEST         /* the largest cost, which sets the time of a    */
                                   /*   layer; among equals, the sum                */
} sgdplan_objective;

typedef struct sgdplan_mapping {
    double sum, largest;           /* of the costs where the segments went          */
    double greedy_sum, greedy_largest;
    int    conflict;               /* two segments wanted the same worker           */
} sgdplan_mapping;

/* Puts each segment on a worker of its own: worker[segments], for cost[segments][workers]
 * >= 0 and at least as many workers.
 *
 * Greedy first: a segment wants its cheapest worker, the first among equals; where two
 * want the same, that one keeps it for which the second best would cost more in addition,
 * the first among equals, and the other takes its next. Without a conflict nothing is
 * better. Else the best of all, by shortest augmenting paths; for LEAST_LARGEST among the
 * costs up to the least one that leaves each segment a worker, found by paths whose
 * largest cost is least.
 *
 * SGDPLAN_BAD_ARGUMENT (also more segments than workers); SGDPLAN_BAD_COST: negative,
 * NaN, or above 1e70; SGDPLAN_TOO_LARGE; SGDPLAN_SMALL_WORKSPACE.
 * O(segments workers^2). Sums of costs that are integers are exact; others are the least
 * up to rounding. */
SGDPLAN_API sgdplan_status sgdplan_map(const double *cost, size_t segments,
                                          size_t workers, sgdplan_objective objective,
                                          void *work, size_t work_bytes, uint32_t *worker,
                                          sgdplan_mapping *out);
SGDPLAN_API sgdplan_status sgdplan_map_bytes(size_t segments, size_t workers,
                                                size_t *bytes);

/* How one layer is split within a replica: C2 threads <= cores, C3 partitions *
 * replications <= workers. */
typedef struct sgdplan_state {
    uint32_t partitions, replications, threads;
} sgdplan_state;

/* C1: servers + replicas * workers <= machines. */
typedef struct sgdplan_resources {
    uint32_t servers, replicas, workers;
} sgdplan_resources;

/* A configuration and its epoch. state[layers] is the caller's; NULL: not wanted. */
typedef struct sgdplan_plan {
    sgdplan_resources resources;
    double             epoch_s;
    sgdplan_state    *state;
} sgdplan_plan;

/* epoch_s = sum over layers of
 *     (layer_s + forward_s + backward_s) / replicas + weights_s
 *
 * Seconds >= 0; INFINITY: not allowed. Each may be asked any number of times, and answers
 * the same. A callback that has to compute much keeps a table, at forward_s and
 * backward_s by both layers' partitions and replications. */
typedef struct sgdplan_costs {
    /* A layer by itself, of one replica. */
    double (*layer_s)(void *ctx, size_t layer, const sgdplan_state *state);
    /* Layer >= 1 receives from the one below: any of below but threads, which is 0. */
    double (*forward_s)(void *ctx, size_t layer, const sgdplan_state *below,
                        const sgdplan_state *state);
    /* Layer - 1 receives from `layer` >= 1, of whose state threads is 0. */
    double (*backward_s)(void *ctx, size_t layer, const sgdplan_state *below,
                         const sgdplan_state *state);
    /* Exchange with the servers, which depends on replications and threads alone:
     * state->partitions is 0. NULL: none. */
    double (*weights_s)(void *ctx, size_t layer, const sgdplan_state *state,
                        const sgdplan_resources *resources);
    void  *ctx;
} sgdplan_costs;

typedef struct sgdplan_cluster_plan {
    size_t   layers;               /* L >= 1                                        */
    uint32_t machines;             /* N >= 2                                        */
    uint32_t cores;                /* K >= 1                                        */
    uint32_t max_replications;     /* of a layer; 0: any                            */
    int      threads_differ;       /* 0: the same in all layers                     */
    sgdplan_costs costs;
    const sgdplan_resources *given; /* [givens] to be ranked; NULL: all            */
    size_t   givens;
    void   (*on_plan)(void *ctx, const sgdplan_plan *plan); /* each as it is found */
    void    *plan_ctx;
} sgdplan_cluster_plan;

/* The best splits of the layers for given resources, by dynamic programming over the
 * states of one layer after the other: of all splits none is better. Of equal ones, from
 * the last layer down, that of fewer workers, then threads, then partitions.
 *
 * SGDPLAN_NO_PLAN: nothing is allowed; SGDPLAN_BAD_COST: negative or NaN;
 * SGDPLAN_BAD_ARGUMENT; SGDPLAN_TOO_LARGE; SGDPLAN_SMALL_WORKSPACE. With S pairs of
 * partitions and replications, S ~ N_wr ln N_wr, O(L S^2 K) time and calls, O(L S K)
 * bytes. */
SGDPLAN_API sgdplan_status sgdplan_compose(const sgdplan_cluster_plan *in,
                                              const sgdplan_resources *resources,
                                              void *work, size_t work_bytes,
                                              sgdplan_plan *out);
SGDPLAN_API sgdplan_status sgdplan_compose_bytes(const sgdplan_cluster_plan *in,
                                                    const sgdplan_resources *resources,
                                                    size_t *bytes);

/* The best of all resources with their best splits: plan[room], best first, *found <=
 * room of them. Of equal ones that of fewer machines, then workers, then replicas.
 * on_plan sees all, by workers, replicas, servers, or as given. What has no split that is
 * allowed is left out.
 *
 * Servers that do not change weights_s, as those beyond N_wr by [YRHC15, eq. 11], cost
 * nothing to look at. With max_replications 1 and the same threads everywhere each N_wr
 * is solved once, O(L N^3 K) in all. Else about N^2 ln N / 2 times sgdplan_compose at
 * most, mostly for few workers. Statuses as sgdplan_compose; work as for the largest
 * N_wr looked at, and O(L room) more. */
SGDPLAN_API sgdplan_status sgdplan_search(const sgdplan_cluster_plan *in, void *work,
                                             size_t work_bytes, sgdplan_plan *plan,
                                             size_t room, size_t *found);
SGDPLAN_API sgdplan_status sgdplan_search_bytes(const sgdplan_cluster_plan *in,
                                                   size_t room, size_t *bytes);

/* How many configurations sgdplan_search looks at; 0: more than a size_t, or none. */
SGDPLAN_API size_t sgdplan_search_count(const sgdplan_cluster_plan *in);

/* Which configuration to try first: order[n], by epoch, the first among equals.
 * SGDPLAN_BAD_COST: an epoch is negative, infinite or NaN; SGDPLAN_BAD_ARGUMENT.
 * O(n log n). */
SGDPLAN_API sgdplan_status sgdplan_trial_order(const double *epoch_s, size_t n,
                                                  size_t *order);

/* What is spent until a configuration turns out accurate [YRHC15 3]: in random order, in
 * expectation the mean of the g accurate epochs plus 1/(g + 1) of each inaccurate one,
 * and in that order. accurate[n]: 0 or not; if none is, all are tried. Statuses as
 * sgdplan_trial_order. O(n). */
SGDPLAN_API sgdplan_status sgdplan_trial_cost(const double *epoch_s,
                                                 const unsigned char *accurate, size_t n,
                                                 double *random_s, double *ordered_s);
#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_PLAN_H */

/* ============================================================================
 *   IMPLEMENTATION
 * ==========================================================================*/
#if defined(SGDPERF_PLAN_IMPLEMENTATION) && !defined(SGDPERF_PLAN_IMPLEMENTED)
#define SGDPERF_PLAN_IMPLEMENTED

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
 * These lines stand in each of the five headers, equal up to the prefix, so that each
 * can be dropped in alone. Inline, since not every header needs all of them. */

/* The text of value i of an enum; one rule for a value that is none of them. */
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

/* Finite x >= 0, and finite x > 0. False for NaN, which fails every comparison;
 * a range test, unlike isfinite, also holds under -ffast-math. */
static inline int sgdplan_priv_is_time(double x) { return x >= 0.0 && x <= DBL_MAX; }
static inline int sgdplan_priv_is_rate(double x) { return x > 0.0 && x <= DBL_MAX; }

/* a equals b; the compilers' warning on == is kept for where it is a mistake. */
static inline int sgdplan_priv_same(double a, double b) { return a <= b && a >= b; }

/* Carves arrays out of the caller's scratch. With base NULL it only counts, so that
 * one carving routine both answers ..._bytes() and lays the work out. */
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

/* `count` elements of `size` bytes, aligned for double; NULL while counting. */
static inline void *sgdplan_priv_take(sgdplan_priv_arena *arena, size_t count,
                                      size_t size)
{
    const size_t limit = (size_t)-1 - sizeof(double), at = arena->used;
    SGDPLAN_ASSERT(size > 0 && at % sizeof(double) == 0);
    if (arena->overflow || count > limit / size || count * size > limit - at) {
        arena->overflow = 1;
        return NULL;
    }
    arena->used = (at + count * size + sizeof(double) - 1) / sizeof(double);
    arena->used *= sizeof(double);
    return arena->base ? arena->base + at : NULL;
}

static inline double *sgdplan_priv_doubles(sgdplan_priv_arena *arena, size_t count)
{
    return (double *)sgdplan_priv_take(arena, count, sizeof(double));
}

/* What a counting arena found, as the answer of a ..._bytes(). */
static inline sgdplan_status sgdplan_priv_answer(const sgdplan_priv_arena *arena,
                                              size_t *bytes)
{
    if (!bytes) return SGDPLAN_BAD_ARGUMENT;
    if (arena->overflow) return SGDPLAN_TOO_LARGE;
    *bytes = arena->used;
    return SGDPLAN_OK;
}

/* Is the caller's scratch there, aligned and large enough? */
static inline sgdplan_status sgdplan_priv_check_work(const void *work,
                                                  size_t work_bytes, size_t need)
{
    if (need == 0) return SGDPLAN_OK;
    if (!work || (uintptr_t)work % sizeof(double) != 0) return SGDPLAN_BAD_ARGUMENT;
    return work_bytes < need ? SGDPLAN_SMALL_WORKSPACE : SGDPLAN_OK;
}

/* The mixing function of SplitMix64 [SLF14]: 64 random bits that depend on x alone. */
static inline uint64_t sgdplan_priv_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Of (seed, a, b) alone: there is no state, so that what one thing draws does not depend
 * on what others drew before it. */
static inline uint64_t sgdplan_priv_random(uint64_t seed, uint64_t a, uint64_t b)
{
    return sgdplan_priv_mix(sgdplan_priv_mix(sgdplan_priv_mix(seed) ^ a) ^ b);
}

/* In [0, 1), of 53 bits. */
static inline double sgdplan_priv_uniform(uint64_t random)
{
    return (double)(random >> 11) / 9007199254740992.0;
}

/* Two-sided 95 % point of Student's t. Beyond the table the expansion in 1 / degrees of
 * Cornish and Fisher [AS64, 26.7.5]; relative error below 1e-7. */
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

/* The largest element that sgdplan_priv_sort takes. */
#define SGDPLAN_PRIV_SORTED_BYTES 32

/* Does element a come before b? */
typedef int (*sgdplan_priv_sort_order)(const void *ctx, const void *a, const void *b);

static inline void sgdplan_priv_swap(char *a, char *b, size_t size)
{
    char held[SGDPLAN_PRIV_SORTED_BYTES];
    memcpy(held, a, size);
    memcpy(a, b, size);
    memcpy(b, held, size);
}

/* Lets element `at` sink to its place in the heap base[n], where the element that
 * comes last in order is on top. */
static inline void sgdplan_priv_sort_sink(char *base, size_t at, size_t n, size_t size,
                                          sgdplan_priv_sort_order before,
                                          const void *ctx)
{
    while (at < n / 2) {                   /* while it has a child */
        char *here = base + at * size, *child = base + (2 * at + 1) * size;
        if (2 * at + 2 < n && before(ctx, child, child + size)) child += size;
        if (!before(ctx, here, child)) return;
        sgdplan_priv_swap(here, child, size);
        at = (size_t)(child - base) / size;
    }
}

/* Heap sort: O(n log n) however the input lies, in place. qsort may call malloc. */
static inline void sgdplan_priv_sort(void *elements, size_t n, size_t size,
                                     sgdplan_priv_sort_order before,
                                     const void *ctx)
{
    char *base = (char *)elements;
    size_t i;
    SGDPLAN_ASSERT(size <= SGDPLAN_PRIV_SORTED_BYTES);
    for (i = 1; i < n; i++)
        if (before(ctx, base + i * size, base + (i - 1) * size)) break;
    if (i >= n) return;                    /* in order already, as logs often are */
    for (i = n / 2; i-- > 0;) sgdplan_priv_sort_sink(base, i, n, size, before, ctx);
    for (i = n; i-- > 1;) {
        sgdplan_priv_swap(base, base + i * size, size);
        sgdplan_priv_sort_sink(base, 0, i, size, before, ctx);
    }
}
/* ---- End of the Common block ------------------------------------------------------ */

#define SGDPLAN_PRIV_MOST 1e70

/* One of a matrix's numbers: false for NaN. */
static int sgdplan_priv_is_measure(double x)
{
    return x >= 0.0 && x <= SGDPLAN_PRIV_MOST;
}

/* ---- Layer-wise model: layers and their sizes -------------------------------- */

SGDPLAN_API const char *sgdplan_layer_text(sgdplan_layer_kind kind)
{
#define SGDPLAN_X(name, text) text,
    static const char *const table[] = { SGDPLAN_LAYER_TABLE(SGDPLAN_X) };
#undef SGDPLAN_X
    return (size_t)kind < SGDPLAN_LAYER_COUNT ? table[kind] : NULL;
}

SGDPLAN_API const char *sgdplan_fault_text(sgdplan_fault fault)
{
#define SGDPLAN_X(name, text) text,
    static const char *const table[] = { SGDPLAN_FAULT_TABLE(SGDPLAN_X) };
#undef SGDPLAN_X
    return sgdplan_priv_text(table, SGDPLAN_FAULT_COUNT, (size_t)fault);
}

SGDPLAN_API const char *sgdplan_epoch_text(sgdplan_epoch_part part)
{
#define SGDPLAN_X(name, text) text,
    static const char *const table[] = { SGDPLAN_EPOCH_TABLE(SGDPLAN_X) };
#undef SGDPLAN_X
    return (size_t)part < SGDPLAN_EPOCH_PARTS ? table[part] : NULL;
}

/* Is it cut along rows of an image, each seen through a window? */
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

/* Rows or neurons that its stripes are made of, and outputs of one. */
static uint64_t sgdplan_priv_rows(const sgdplan_layer *z)
{
    return sgdplan_priv_has_windows(z) ? z->h_out : z->n_out;
}

static uint64_t sgdplan_priv_values_of_row(const sgdplan_layer *z)
{
    return sgdplan_priv_has_windows(z) ? (uint64_t)z->c_out * z->w_out : sgdplan_priv_steps(z);
}

/* Products and sums up to 2^63; beyond it, 0 and *large. */
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
    if (a > limit || b > limit - a) { *large = 1; return 0; }
    return a + b;
}

static int sgdplan_priv_fits_window(uint32_t in, uint32_t out, const sgdplan_layer *z)
{
    const uint64_t padded = (uint64_t)in + 2 * (uint64_t)z->pad;
    const uint64_t stride = z->stride > 0 ? z->stride : 1;
    return padded >= z->kernel && out == (padded - z->kernel) / stride + 1;
}

static sgdplan_fault sgdplan_priv_check_shape(const sgdplan_layer *z)
{
    if ((size_t)z->kind >= SGDPLAN_LAYER_COUNT) return SGDPLAN_FAULT_KIND;
    if (!sgdplan_priv_has_windows(z))
        return z->n_in > 0 && z->n_out > 0 ? SGDPLAN_FAULT_NONE : SGDPLAN_FAULT_ZERO;
    if (z->c_in == 0 || z->h_in == 0 || z->w_in == 0 || z->c_out == 0 || z->h_out == 0
        || z->w_out == 0 || z->kernel == 0)
        return SGDPLAN_FAULT_ZERO;
    if (z->pad >= z->kernel) return SGDPLAN_FAULT_PAD;
    if (!sgdplan_priv_fits_window(z->h_in, z->h_out, z)) return SGDPLAN_FAULT_ROWS;
    if (!sgdplan_priv_fits_window(z->w_in, z->w_out, z)) return SGDPLAN_FAULT_COLUMNS;
    if (z->kind == SGDPLAN_LAYER_POOL && z->c_in != z->c_out) return SGDPLAN_FAULT_CHANNELS;
    return SGDPLAN_FAULT_NONE;
}

static sgdplan_fault sgdplan_priv_measure(const sgdplan_layer *z, int biases,
                                    sgdplan_layer_size *size)
{
    const sgdplan_fault shape = sgdplan_priv_check_shape(z);
    const uint64_t T = sgdplan_priv_steps(z);
    uint64_t window, pairs;
    int large = 0;
    memset(size, 0, sizeof *size);
    if (shape != SGDPLAN_FAULT_NONE) return shape;
    size->neurons =
        sgdplan_priv_times(sgdplan_priv_rows(z), sgdplan_priv_values_of_row(z), &large);
    if (sgdplan_priv_has_windows(z)) {
        window = sgdplan_priv_times(z->kernel, z->kernel, &large);
        if (z->kind == SGDPLAN_LAYER_CONV) window = sgdplan_priv_times(window, z->c_in, &large);
        size->connections = sgdplan_priv_times(size->neurons, window, &large);
        if (z->kind == SGDPLAN_LAYER_CONV)
            size->weights = sgdplan_priv_times(window, z->c_out, &large);
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
        size->weights = sgdplan_priv_plus(
            size->weights, sgdplan_priv_has_windows(z) ? z->c_out : z->n_out, &large);
    return large ? SGDPLAN_FAULT_LARGE : SGDPLAN_FAULT_NONE;
}

/* Does z, measured, fit on y, measured as well? */
static int sgdplan_priv_fits(const sgdplan_layer *y, const sgdplan_layer *z)
{
    const uint64_t outputs = sgdplan_priv_rows(y) * sgdplan_priv_values_of_row(y);
    if (sgdplan_priv_has_windows(z))
        return sgdplan_priv_has_windows(y) && z->c_in == y->c_out && z->h_in == y->h_out
            && z->w_in == y->w_out;
    if (sgdplan_priv_has_steps(z)) {
        if (sgdplan_priv_has_steps(y))
            return z->n_in == y->n_out && sgdplan_priv_steps(z) == sgdplan_priv_steps(y);
        return outputs == z->n_in || outputs == z->n_in * sgdplan_priv_steps(z);
    }
    return outputs == z->n_in || (sgdplan_priv_has_steps(y) && z->n_in == y->n_out);
}

/* Layer l and that it fits below; a later layer is not looked at. */
static sgdplan_fault sgdplan_priv_check_layer(const sgdplan_layer *layer, size_t l, int biases,
                                        sgdplan_layer_size *size)
{
    sgdplan_layer_size below;
    sgdplan_fault fault = sgdplan_priv_measure(layer + l, biases, size);
    if (fault != SGDPLAN_FAULT_NONE || l == 0) return fault;
    fault = sgdplan_priv_measure(layer + l - 1, biases, &below);
    if (fault != SGDPLAN_FAULT_NONE) return fault;
    return sgdplan_priv_fits(layer + l - 1, layer + l) ? SGDPLAN_FAULT_NONE : SGDPLAN_FAULT_BELOW;
}

/* The status of a fault, which is reported where the caller wants it. */
static sgdplan_status sgdplan_priv_fault(sgdplan_fault reason, size_t layer,
                                   sgdplan_layer_fault *fault)
{
    if (reason == SGDPLAN_FAULT_NONE) return SGDPLAN_OK;
    if (fault) {
        fault->layer = layer;
        fault->reason = reason;
    }
    return reason == SGDPLAN_FAULT_LARGE ? SGDPLAN_TOO_LARGE : SGDPLAN_BAD_ARGUMENT;
}

SGDPLAN_API sgdplan_status sgdplan_layer_sizes(const sgdplan_layer *layer, size_t layers, int biases,
                                      sgdplan_layer_size *size, sgdplan_layer_fault *fault)
{
    sgdplan_layer_size one;
    sgdplan_status status;
    size_t l;
    if (!layer || layers == 0) return sgdplan_priv_fault(SGDPLAN_FAULT_EMPTY, 0, fault);
    for (l = 0; l < layers; l++) {
        status = sgdplan_priv_fault(sgdplan_priv_check_layer(layer, l, biases, &one), l, fault);
        if (status != SGDPLAN_OK) return status;
    }
    for (l = 0; size && l < layers; l++)
        (void)sgdplan_priv_measure(layer + l, biases, size + l);
    return SGDPLAN_OK;
}

/* ---- Layer-wise model: constants --------------------------------------------- */

static int sgdplan_priv_is_constant(const sgdplan_constant *c)
{
    size_t i;
    if (c->points == 0) return sgdplan_priv_is_time(c->number);
    if (!c->at || !c->value) return 0;
    for (i = 0; i < c->points; i++) {
        if (!sgdplan_priv_is_rate(c->at[i]) || !sgdplan_priv_is_time(c->value[i])) return 0;
        if (i > 0 && !(c->at[i] > c->at[i - 1])) return 0;
    }
    return 1;
}

/* The value at x, linear in x, or in log x. */
static double sgdplan_priv_constant(const sgdplan_constant *c, double x, int logarithmic)
{
    size_t i = 0;
    double share;
    if (c->points == 0) return c->number;
    while (i < c->points && c->at[i] < x) i++;
    if (i == 0) return c->value[0];
    if (i == c->points) return c->value[i - 1];
    if (logarithmic) share = log(x / c->at[i - 1]) / log(c->at[i] / c->at[i - 1]);
    else share = (x - c->at[i - 1]) / (c->at[i] - c->at[i - 1]);
    return c->value[i - 1] * (1.0 - share) + c->value[i] * share;
}

static double sgdplan_priv_interference(const sgdplan_constant *c, uint32_t threads)
{
    const double H = (double)threads;
    size_t i = 0;
    if (threads <= 1) return 1.0;
    if (c->points == 0) return c->number > 0.0 ? c->number : 1.0;
    while (i < c->points && c->at[i] <= 1.0) i++;
    if (i == c->points) return 1.0;
    if (H < c->at[i]) return 1.0 + (c->value[i] - 1.0) * (H - 1.0) / (c->at[i] - 1.0);
    return sgdplan_priv_constant(c, H, 0);
}

static double sgdplan_priv_bits(const sgdplan_layered *net)
{
    return net->bits > 0.0 ? net->bits : 32.0;
}

static sgdplan_fault sgdplan_priv_check_constants(const sgdplan_layered *net)
{
    if (!net->layer || net->layers == 0 || net->machines == 0 || net->cores == 0)
        return SGDPLAN_FAULT_EMPTY;
    if (net->machines > 1u << 30) return SGDPLAN_FAULT_LARGE;
    if (!sgdplan_priv_is_constant(&net->muladd_s) ||
        !sgdplan_priv_is_constant(&net->interference) ||
        !sgdplan_priv_is_constant(&net->latency_s) ||
        !sgdplan_priv_is_time(net->activation_s) || !sgdplan_priv_is_time(net->error_s) ||
        !sgdplan_priv_is_rate(net->bandwidth_bits_per_s) || !sgdplan_priv_is_time(net->bits))
        return SGDPLAN_FAULT_CONSTANT;
    if (!sgdplan_priv_is_rate(net->samples) || !sgdplan_priv_is_time(net->write_samples))
        return SGDPLAN_FAULT_CONSTANT;
    if (!sgdplan_priv_is_rate(net->read_samples) || net->read_samples > net->samples
        || !(net->mix >= 0.0 && net->mix <= 1.0))
        return SGDPLAN_FAULT_READ;
    return SGDPLAN_FAULT_NONE;
}

/* ---- Layer-wise model: a segment --------------------------------------------- */

static sgdplan_fault sgdplan_priv_check_split(const sgdplan_layered *net, size_t l,
                                        const sgdplan_split *s)
{
    if (s->partitions == 0 || s->replications == 0 || s->threads == 0)
        return SGDPLAN_FAULT_SPLIT;
    if (s->threads > net->cores) return SGDPLAN_FAULT_CORES;
    if ((uint64_t)s->partitions * s->replications > net->machines)
        return SGDPLAN_FAULT_WORKERS;
    return s->partitions > sgdplan_priv_rows(net->layer + l) ? SGDPLAN_FAULT_STRIPES
                                                      : SGDPLAN_FAULT_NONE;
}

/* [YRHC15, eqs. 5-9] in the paper's letters. `above`: connections from layer l + 1. */
static void sgdplan_priv_segment(const sgdplan_layered *net, size_t l,
                              const sgdplan_layer_size *size, uint64_t above,
                              const sgdplan_split *split, sgdplan_segment *out)
{
    const sgdplan_layer *z = net->layer + l;
    const double P = (double)split->partitions, H = (double)split->threads;
    const double stored_bytes = (double)size->weights * sgdplan_priv_bits(net) / 8.0 / P;
    const double C_muladd = sgdplan_priv_constant(&net->muladd_s, stored_bytes, 1);
    const double C_interf = sgdplan_priv_interference(&net->interference, split->threads);
    const double N = (double)size->neurons, W = (double)size->connections;
    const uint64_t others = sgdplan_priv_rows(z) - sgdplan_priv_rows(z) / split->partitions;
    out->forward_s = C_interf * (C_muladd * W + net->activation_s * N) / P;
    out->backward_s = C_interf / P
        * (C_muladd * ((double)above + (double)size->own_connections) + net->error_s * N);
    out->update_s = z->kind == SGDPLAN_LAYER_POOL ? 0.0 : C_interf * (C_muladd * W) / P;
    out->message_s = sgdplan_priv_constant(&net->latency_s, H, 0);
    out->value_s = sgdplan_priv_bits(net) / (net->bandwidth_bits_per_s / H);
    out->idle_s = net->latency_always ? out->message_s : 0.0;
    out->own_s = 0.0;
    if (sgdplan_priv_steps(z) > 1)
        out->own_s = (double)(sgdplan_priv_steps(z) - 1) * sgdplan_message_time(out, others);
}

/* Connections from layer l + 1 to layer l, measured before. */
static uint64_t sgdplan_priv_connections_above(const sgdplan_layered *net, size_t l)
{
    sgdplan_layer_size above;
    if (l + 1 == net->layers) return 0;
    (void)sgdplan_priv_measure(net->layer + l + 1, 0, &above);
    return above.connections - above.own_connections;
}

SGDPLAN_API double sgdplan_message_time(const sgdplan_segment *segment, uint64_t values)
{
    if (values == 0) return segment->idle_s;
    return segment->message_s + (double)values * segment->value_s;
}

/* Checks for what looks at layer l alone. */
static sgdplan_fault sgdplan_priv_check_at(const sgdplan_layered *net, size_t l,
                                     sgdplan_layer_size *size)
{
    sgdplan_layer_size above;
    sgdplan_fault fault = sgdplan_priv_check_constants(net);
    if (fault != SGDPLAN_FAULT_NONE) return fault;
    if (l >= net->layers) return SGDPLAN_FAULT_EMPTY;
    fault = sgdplan_priv_check_layer(net->layer, l, net->biases, size);
    if (fault != SGDPLAN_FAULT_NONE || l + 1 == net->layers) return fault;
    return sgdplan_priv_check_layer(net->layer, l + 1, net->biases, &above);
}

SGDPLAN_API sgdplan_status sgdplan_segment_time(const sgdplan_layered *net, size_t l,
                                       const sgdplan_split *split, sgdplan_segment *out)
{
    sgdplan_layer_size size;
    sgdplan_fault fault;
    if (!net || !split || !out) return SGDPLAN_BAD_ARGUMENT;
    fault = sgdplan_priv_check_at(net, l, &size);
    if (fault == SGDPLAN_FAULT_NONE) fault = sgdplan_priv_check_split(net, l, split);
    if (fault != SGDPLAN_FAULT_NONE) return sgdplan_priv_fault(fault, l, NULL);
    sgdplan_priv_segment(net, l, &size, sgdplan_priv_connections_above(net, l), split, out);
    return SGDPLAN_OK;
}

/* ---- Layer-wise model: remote values ----------------------------------------- */

/* Rows first .. end - 1. */
typedef struct sgdplan_priv_range { uint64_t first, end; } sgdplan_priv_range;

static sgdplan_priv_range sgdplan_priv_stripe(uint64_t rows, uint64_t P, uint64_t j)
{
    sgdplan_priv_range r;
    r.first = j * rows / P;
    r.end = (j + 1) * rows / P;
    return r;
}

/* Rows of layer y that layer z above it needs for its rows `own`. */
static sgdplan_priv_range sgdplan_priv_needed_below(const sgdplan_layer *y, const sgdplan_layer *z,
                                              sgdplan_priv_range own)
{
    const uint64_t s = z->stride > 0 ? z->stride : 1, h = sgdplan_priv_rows(y);
    sgdplan_priv_range r;
    r.first = 0;
    r.end = h;
    if (!sgdplan_priv_has_windows(z)) return r;
    if (own.first * s > z->pad) r.first = own.first * s - z->pad;
    r.end = (own.end - 1) * s + z->kernel;
    r.end = r.end > z->pad ? r.end - z->pad : 0;
    if (r.end > h) r.end = h;
    if (r.first > r.end) r.first = r.end;
    return r;
}

/* Rows of layer z whose error terms layer y below it needs for its rows `own`. */
static sgdplan_priv_range sgdplan_priv_needed_above(const sgdplan_layer *z, sgdplan_priv_range own)
{
    const uint64_t s = z->stride > 0 ? z->stride : 1;
    sgdplan_priv_range r;
    r.first = 0;
    r.end = sgdplan_priv_rows(z);
    if (!sgdplan_priv_has_windows(z)) return r;
    if (own.first + z->pad >= z->kernel)
        r.first = (own.first + z->pad - z->kernel) / s + 1;
    if (r.end > (own.end - 1 + z->pad) / s + 1) r.end = (own.end - 1 + z->pad) / s + 1;
    if (r.first > r.end) r.first = r.end;
    return r;
}

/* Rows of a outside of b. */
static uint64_t sgdplan_priv_outside(sgdplan_priv_range a, sgdplan_priv_range b)
{
    const uint64_t first = a.first > b.first ? a.first : b.first;
    const uint64_t end = a.end < b.end ? a.end : b.end;
    return a.end - a.first - (end > first ? end - first : 0);
}

/* Outputs of a row of y that z reads: all, or of a recurrent layer the last step's. */
static uint64_t sgdplan_priv_values_read(const sgdplan_layer *y, const sgdplan_layer *z)
{
    if (sgdplan_priv_has_steps(y) && !sgdplan_priv_has_steps(z) && z->n_in == y->n_out)
        return 1;
    return sgdplan_priv_values_of_row(y);
}

#define SGDPLAN_PRIV_ALONE UINT64_MAX

/* X things and Y things in a row, the fewer each paired with the one in the middle of
 * its share of the others: which of the Y has x, or SGDPLAN_PRIV_ALONE. X, Y <= 2^30. */
static uint64_t sgdplan_priv_partner(uint64_t x, uint64_t X, uint64_t Y)
{
    uint64_t y;
    if (X <= Y) return (2 * x + 1) * Y / (2 * X);
    y = (2 * x * Y + X - 1) / (2 * X);   /* the least with (2 y + 1) X >= 2 x Y       */
    return y < Y && (2 * y + 1) * X / (2 * Y) == x ? y : SGDPLAN_PRIV_ALONE;
}

/* Partition of the layer split as t that the worker of segment (p, r) of one split as s
 * holds, of the replication that makes the samples of r; or SGDPLAN_PRIV_ALONE. R of t
 * divides that of s. Both layers on workers given, or on none: contiguous. */
static uint64_t sgdplan_priv_held(const sgdplan_split *s, const sgdplan_split *t, uint64_t p,
                               uint64_t r)
{
    const uint64_t P = t->partitions, R = t->replications, copies = s->replications / R;
    uint64_t i;
    if (!s->worker)
        return sgdplan_priv_partner(p * copies + r / R, s->partitions * copies, P);
    for (i = 0; i < P; i++)
        if (t->worker[r % R * P + i] == s->worker[r * s->partitions + p]) return i;
    return SGDPLAN_PRIV_ALONE;
}

/* The most rows of layer `from`, split as t, that a segment of layer `to`, split as s,
 * needs and does not hold. */
static uint64_t sgdplan_priv_slowest(const sgdplan_layer *to, const sgdplan_split *s,
                                  const sgdplan_layer *from, const sgdplan_split *t, int upward)
{
    const int shared = s->replications % t->replications == 0;
    const sgdplan_priv_range nothing = { 0, 0 };
    uint64_t most = 0, p, r;
    for (p = 0; p < s->partitions; p++) {
        const sgdplan_priv_range own =
            sgdplan_priv_stripe(sgdplan_priv_rows(to), s->partitions, p);
        const sgdplan_priv_range need = upward ? sgdplan_priv_needed_below(from, to, own)
                                        : sgdplan_priv_needed_above(from, own);
        if (!shared) {
            if (most < sgdplan_priv_outside(need, nothing))
                most = sgdplan_priv_outside(need, nothing);
            continue;
        }
        /* Placed contiguously, all groups of replications look like the first. */
        for (r = 0; r < s->replications; r += s->worker ? 1 : t->replications) {
            const uint64_t held = sgdplan_priv_held(s, t, p, r);
            const sgdplan_priv_range have = held == SGDPLAN_PRIV_ALONE ? nothing
                : sgdplan_priv_stripe(sgdplan_priv_rows(from), t->partitions, held);
            const uint64_t rest = sgdplan_priv_outside(need, have);
            if (most < rest) most = rest;
        }
    }
    return most;
}

static uint64_t sgdplan_priv_activations(const sgdplan_layered *net, size_t l,
                                      const sgdplan_split *below, const sgdplan_split *split)
{
    const sgdplan_layer *y = net->layer + l - 1, *z = net->layer + l;
    return sgdplan_priv_slowest(z, split, y, below, 1) * sgdplan_priv_values_read(y, z);
}

static uint64_t sgdplan_priv_errors(const sgdplan_layered *net, size_t l,
                                 const sgdplan_split *below, const sgdplan_split *split)
{
    const sgdplan_layer *y = net->layer + l - 1, *z = net->layer + l;
    return sgdplan_priv_slowest(y, below, z, split, 0) * sgdplan_priv_values_of_row(z);
}

/* Layer l >= 1 and the one below, and how both are split. */
static sgdplan_status sgdplan_priv_check_pair(const sgdplan_layered *net, size_t l,
                                        const sgdplan_split *below, const sgdplan_split *split)
{
    sgdplan_layer_size size;
    sgdplan_fault fault = sgdplan_priv_check_constants(net);
    if (fault != SGDPLAN_FAULT_NONE) return sgdplan_priv_fault(fault, 0, NULL);
    if (l == 0 || l >= net->layers) return SGDPLAN_BAD_ARGUMENT;
    fault = sgdplan_priv_check_layer(net->layer, l, net->biases, &size);
    if (fault == SGDPLAN_FAULT_NONE) fault = sgdplan_priv_check_split(net, l, split);
    if (fault == SGDPLAN_FAULT_NONE) fault = sgdplan_priv_check_split(net, l - 1, below);
    return sgdplan_priv_fault(fault, l, NULL);
}

SGDPLAN_API sgdplan_status sgdplan_remote(const sgdplan_layered *net, size_t l,
                                 const sgdplan_split *below, const sgdplan_split *split,
                                 uint64_t *activations, uint64_t *errors)
{
    sgdplan_status status;
    if (!net || !below || !split || !activations || !errors) return SGDPLAN_BAD_ARGUMENT;
    if (!below->worker != !split->worker) return SGDPLAN_BAD_ARGUMENT;
    status = sgdplan_priv_check_pair(net, l, below, split);
    if (status != SGDPLAN_OK) return status;
    *activations = sgdplan_priv_activations(net, l, below, split);
    *errors = sgdplan_priv_errors(net, l, below, split);
    return SGDPLAN_OK;
}

/* As many different workers as the layer has segments, all below `workers`? */
static int sgdplan_priv_is_placed(const sgdplan_split *s, uint32_t workers)
{
    const size_t n = (size_t)s->partitions * s->replications;
    size_t i, j;
    if (!s->worker) return 0;
    for (i = 0; i < n; i++) {
        if (s->worker[i] >= workers) return 0;
        for (j = 0; j < i; j++)
            if (s->worker[i] == s->worker[j]) return 0;
    }
    return 1;
}

SGDPLAN_API sgdplan_status sgdplan_remote_costs(const sgdplan_layered *net, size_t l,
                                       const sgdplan_split *below, const sgdplan_split *split,
                                       uint32_t workers, double *cost)
{
    const sgdplan_priv_range nothing = { 0, 0 };
    const sgdplan_layer *y, *z;
    sgdplan_status status;
    size_t p, r, i, w;
    if (!net || !below || !split || !cost) return SGDPLAN_BAD_ARGUMENT;
    status = sgdplan_priv_check_pair(net, l, below, split);
    if (status != SGDPLAN_OK) return status;
    if (!sgdplan_priv_is_placed(below, workers)) return SGDPLAN_BAD_ARGUMENT;
    y = net->layer + l - 1;
    z = net->layer + l;
    for (r = 0; r < split->replications; r++)
        for (p = 0; p < split->partitions; p++) {
            const sgdplan_priv_range need = sgdplan_priv_needed_below(
                y, z, sgdplan_priv_stripe(sgdplan_priv_rows(z), split->partitions, p));
            const double value = (double)sgdplan_priv_values_read(y, z);
            double *row = cost + (r * split->partitions + p) * workers;
            for (w = 0; w < workers; w++)
                row[w] = (double)sgdplan_priv_outside(need, nothing) * value;
            if (split->replications % below->replications != 0) continue;
            for (i = 0; i < below->partitions; i++) {
                const size_t at = r % below->replications * below->partitions + i;
                const sgdplan_priv_range have =
                    sgdplan_priv_stripe(sgdplan_priv_rows(y), below->partitions, i);
                row[below->worker[at]] = (double)sgdplan_priv_outside(need, have) * value;
            }
        }
    return SGDPLAN_OK;
}

/* Where segment (p, r) goes among the segments of the layer below, by number there. */
static uint64_t sgdplan_priv_seat(const sgdplan_split *below, const sgdplan_split *split,
                               uint64_t p, uint64_t r)
{
    const uint64_t P = below->partitions, R = below->replications;
    const uint64_t at = r * split->partitions + p;
    uint64_t copies, i;
    if (split->replications % R == 0) {
        copies = split->replications / R;
        i = sgdplan_priv_partner(p * copies + r / R, split->partitions * copies, P);
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
    const size_t n = (size_t)s->partitions * s->replications;
    size_t i;
    for (i = 0; i < n; i++)
        if (s->worker[i] == worker) return 1;
    return 0;
}

SGDPLAN_API sgdplan_status sgdplan_place(const sgdplan_layered *net, size_t l,
                                const sgdplan_split *below, const sgdplan_split *split,
                                uint32_t workers, uint32_t *worker)
{
    sgdplan_layer_size size;
    sgdplan_status status;
    uint32_t empty = 0;
    size_t p, r;
    if (!net || !split || !worker || !below != !l) return SGDPLAN_BAD_ARGUMENT;
    if (below) status = sgdplan_priv_check_pair(net, l, below, split);
    else {
        sgdplan_fault fault = sgdplan_priv_check_at(net, l, &size);
        if (fault == SGDPLAN_FAULT_NONE) fault = sgdplan_priv_check_split(net, l, split);
        status = sgdplan_priv_fault(fault, l, NULL);
    }
    if (status != SGDPLAN_OK) return status;
    if ((uint64_t)split->partitions * split->replications > workers)
        return SGDPLAN_BAD_ARGUMENT;
    if (below && !sgdplan_priv_is_placed(below, workers)) return SGDPLAN_BAD_ARGUMENT;
    for (r = 0; r < split->replications; r++)
        for (p = 0; p < split->partitions; p++) {
            const size_t at = r * split->partitions + p;
            const uint64_t seat = below ? sgdplan_priv_seat(below, split, p, r) : at;
            if (!below) worker[at] = (uint32_t)seat;
            else if (seat != SGDPLAN_PRIV_ALONE) worker[at] = below->worker[seat];
            else {
                while (sgdplan_priv_holds(below, empty)) empty++;
                SGDPLAN_ASSERT(empty < workers);
                worker[at] = empty++;
            }
        }
    return SGDPLAN_OK;
}

/* ---- Layer-wise model: weights, and the epoch -------------------------------- */

static sgdplan_fault sgdplan_priv_check_configuration(const sgdplan_layered *net,
                                                const sgdplan_configuration *c)
{
    if (c->servers == 0 || c->replicas == 0 || c->workers == 0) return SGDPLAN_FAULT_EMPTY;
    if (c->servers > net->machines
        || (uint64_t)c->replicas * c->workers > net->machines - c->servers)
        return SGDPLAN_FAULT_MACHINES;
    return SGDPLAN_FAULT_NONE;
}

/* [YRHC15, eqs. 10 and 11] in the paper's letters. */
static void sgdplan_priv_weights(const sgdplan_layered *net, const sgdplan_layer_size *size,
                              const sgdplan_configuration *c, const sgdplan_split *split,
                              sgdplan_weight_reading *out)
{
    const double H = (double)split->threads, R = (double)split->replications;
    const double N_mr = (double)c->replicas;
    const double N_ps = (double)(c->servers < c->workers ? c->servers : c->workers);
    const double C_nbw = net->bandwidth_bits_per_s / (net->read_full ? 1.0 : H);
    const double alone_s = R * (double)size->weights * sgdplan_priv_bits(net) / C_nbw;
    const double share = net->read_per_replica ? N_mr : 1.0;
    const double reads = net->samples / net->read_samples / share;
    const double latency_s = sgdplan_priv_constant(&net->latency_s, H, 0);
    const double transfer_s =
        (1.0 - net->mix) * (alone_s / N_ps) + net->mix * (N_mr * alone_s);
    memset(out, 0, sizeof *out);
    if (size->weights == 0) return;
    out->latency_s = latency_s * reads;
    out->transfer_s = transfer_s * reads;
    if (net->write_samples > 0.0)
        out->write_s = (latency_s + transfer_s) * (net->samples / net->write_samples)
            / share;
}

SGDPLAN_API sgdplan_status sgdplan_weight_time(const sgdplan_layered *net, size_t l,
                                      const sgdplan_configuration *configuration,
                                      const sgdplan_split *split, sgdplan_weight_reading *out)
{
    sgdplan_layer_size size;
    sgdplan_split any;
    sgdplan_fault fault;
    if (!net || !configuration || !split || !out) return SGDPLAN_BAD_ARGUMENT;
    any = *split;
    any.partitions = 1;
    fault = sgdplan_priv_check_at(net, l, &size);
    if (fault == SGDPLAN_FAULT_NONE)
        fault = sgdplan_priv_check_configuration(net, configuration);
    if (fault == SGDPLAN_FAULT_NONE) fault = sgdplan_priv_check_split(net, l, &any);
    if (fault != SGDPLAN_FAULT_NONE) return sgdplan_priv_fault(fault, l, NULL);
    sgdplan_priv_weights(net, &size, configuration, split, out);
    return SGDPLAN_OK;
}

/* The parts of layer l of a configuration that has been checked. */
static void sgdplan_priv_layer_epoch(const sgdplan_layered *net, const sgdplan_configuration *c,
                                  size_t l, sgdplan_epoch *out)
{
    const sgdplan_split *s = c->split + l;
    const double Q = (double)s->threads * (double)s->replications * (double)c->replicas;
    const double rounds = net->samples / Q;
    sgdplan_layer_size size;
    sgdplan_segment t;
    sgdplan_weight_reading w;
    double M_f = 0.0, M_b = 0.0;
    size_t i;
    memset(out, 0, sizeof *out);
    (void)sgdplan_priv_measure(net->layer + l, net->biases, &size);
    sgdplan_priv_segment(net, l, &size, sgdplan_priv_connections_above(net, l), s, &t);
    sgdplan_priv_weights(net, &size, c, s, &w);
    if (l > 0) {
        out->activations = sgdplan_priv_activations(net, l, s - 1, s);
        M_f = sgdplan_message_time(&t, out->activations);
    }
    if (l + 1 < net->layers) {
        out->errors = sgdplan_priv_errors(net, l + 1, s, s + 1);
        M_b = sgdplan_message_time(&t, out->errors);
    }
    out->part_s[SGDPLAN_EPOCH_FORWARD] = t.forward_s * rounds;
    out->part_s[SGDPLAN_EPOCH_ACTIVATIONS] = (M_f + t.own_s) * rounds;
    out->part_s[SGDPLAN_EPOCH_BACKWARD] = t.backward_s * rounds;
    out->part_s[SGDPLAN_EPOCH_ERRORS] = (M_b + t.own_s) * rounds;
    out->part_s[SGDPLAN_EPOCH_UPDATE] = t.update_s * rounds;
    out->part_s[SGDPLAN_EPOCH_READ_LATENCY] = w.latency_s;
    out->part_s[SGDPLAN_EPOCH_READ_TRANSFER] = w.transfer_s;
    out->part_s[SGDPLAN_EPOCH_WRITE] = w.write_s;
    for (i = 0; i < SGDPLAN_EPOCH_PARTS; i++) out->epoch_s += out->part_s[i];
}

/* Layer l of a configuration; all layers have places, or none. */
static sgdplan_fault sgdplan_priv_check_configured(const sgdplan_layered *net,
                                             const sgdplan_configuration *c, size_t l)
{
    const sgdplan_split *s = c->split + l;
    sgdplan_layer_size size;
    sgdplan_fault fault = sgdplan_priv_check_layer(net->layer, l, net->biases, &size);
    if (fault == SGDPLAN_FAULT_NONE) fault = sgdplan_priv_check_split(net, l, s);
    if (fault != SGDPLAN_FAULT_NONE) return fault;
    if ((uint64_t)s->partitions * s->replications > c->workers)
        return SGDPLAN_FAULT_WORKERS;
    if (!s->worker != !c->split[0].worker) return SGDPLAN_FAULT_PLACE;
    if (s->worker && !sgdplan_priv_is_placed(s, c->workers)) return SGDPLAN_FAULT_PLACE;
    return SGDPLAN_FAULT_NONE;
}

SGDPLAN_API sgdplan_status sgdplan_epoch_time(const sgdplan_layered *net,
                                     const sgdplan_configuration *configuration,
                                     sgdplan_epoch *by_layer, sgdplan_epoch *out,
                                     sgdplan_layer_fault *fault)
{
    sgdplan_fault reason;
    sgdplan_epoch sum, one;
    size_t l, i;
    if (!net || !configuration || !configuration->split || !out) return SGDPLAN_BAD_ARGUMENT;
    reason = sgdplan_priv_check_constants(net);
    if (reason == SGDPLAN_FAULT_NONE)
        reason = sgdplan_priv_check_configuration(net, configuration);
    if (reason != SGDPLAN_FAULT_NONE) return sgdplan_priv_fault(reason, 0, fault);
    for (l = 0; l < net->layers; l++) {
        reason = sgdplan_priv_check_configured(net, configuration, l);
        if (reason != SGDPLAN_FAULT_NONE) return sgdplan_priv_fault(reason, l, fault);
    }
    memset(&sum, 0, sizeof sum);
    for (l = 0; l < net->layers; l++) {
        sgdplan_priv_layer_epoch(net, configuration, l, &one);
        for (i = 0; i < SGDPLAN_EPOCH_PARTS; i++) sum.part_s[i] += one.part_s[i];
        sum.activations += one.activations;
        sum.errors += one.errors;
    }
    for (i = 0; i < SGDPLAN_EPOCH_PARTS; i++) sum.epoch_s += sum.part_s[i];
    if (!sgdplan_priv_is_time(sum.epoch_s)) return SGDPLAN_TOO_LARGE;
    for (l = 0; by_layer && l < net->layers; l++)
        sgdplan_priv_layer_epoch(net, configuration, l, by_layer + l);
    *out = sum;
    return SGDPLAN_OK;
}

/* ---- Implementation: segments to workers ------------------------------------- */

#define SGDPLAN_PRIV_FREE ((size_t)-1)

/* Rows are segments, columns workers, n <= m. */
typedef struct sgdplan_priv_match {
    const double *cost;            /* [n][m]                                          */
    size_t  n, m;
    double *row_price, *price;     /* [n], [m] dual variables of rows and columns     */
    double *slack;                 /* [m] of a column against the rows reached        */
    size_t *holder;                /* [m] row of a column, or FREE                    */
    size_t *from;                  /* [m] column before it on the way                 */
    size_t *best;                  /* [n] column of a row                             */
    double *regret;                /* [m] of the row that holds a column              */
    unsigned char *reached;        /* [m]                                             */
    unsigned char *refused;        /* [n][m]                                          */
} sgdplan_priv_match;

static void sgdplan_priv_carve_match(sgdplan_priv_arena *arena, size_t n, size_t m,
                                      sgdplan_priv_match *k)
{
    k->n = n;
    k->m = m;
    k->row_price = (double *)sgdplan_priv_take(arena, n, sizeof(double));
    k->price = (double *)sgdplan_priv_take(arena, m, sizeof(double));
    k->slack = (double *)sgdplan_priv_take(arena, m, sizeof(double));
    k->regret = (double *)sgdplan_priv_take(arena, m, sizeof(double));
    k->holder = (size_t *)sgdplan_priv_take(arena, m, sizeof(size_t));
    k->from = (size_t *)sgdplan_priv_take(arena, m, sizeof(size_t));
    k->best = (size_t *)sgdplan_priv_take(arena, n, sizeof(size_t));
    k->reached = (unsigned char *)sgdplan_priv_take(arena, m, 1);
    k->refused = (unsigned char *)sgdplan_priv_take(arena, n, m);
}

/* Asks for the cheapest column that has not refused row i, and how much more the next
 * one would cost. There is one while a row is without a column. */
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
        } else if (cost[j] < second) {
            second = cost[j];
        }
    }
    SGDPLAN_ASSERT(first != SGDPLAN_PRIV_FREE);
    *regret = second - cost[first];
    return first;
}

/* Fills best[]; true if two rows wanted one column. A column refuses a row once at most,
 * so that this ends. */
static int sgdplan_priv_greedy(sgdplan_priv_match *k)
{
    size_t i, next;
    int conflict = 0;
    memset(k->refused, 0, k->n * k->m);
    for (i = 0; i < k->m; i++) k->holder[i] = SGDPLAN_PRIV_FREE;
    for (next = 0; next < k->n; next++) {
        for (i = next; i != SGDPLAN_PRIV_FREE;) {
            double regret = 0.0;
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
                conflict = 1;
                k->refused[loser * k->m + j] = 1;
            }
            i = loser;
        }
    }
    for (i = 0; i < k->m; i++)
        if (k->holder[i] != SGDPLAN_PRIV_FREE) k->best[k->holder[i]] = i;
    return conflict;
}

/* From the path's end j, gives every row on it the next column. */
static void sgdplan_priv_augment(sgdplan_priv_match *k, size_t j, size_t row)
{
    while (k->from[j] != SGDPLAN_PRIV_FREE) {
        k->holder[j] = k->holder[k->from[j]];
        j = k->from[j];
    }
    k->holder[j] = row;
}

/* One row more by the path of least reduced cost to a free column, all reduced costs
 * cost - row_price - price staying >= 0: Dijkstra's algorithm. Costs above `cap` are as
 * good as infinite; there is a way without them. */
static void sgdplan_priv_shortest_path(sgdplan_priv_match *k, size_t row, double cap)
{
    size_t i = row, at = SGDPLAN_PRIV_FREE, j, steps;
    for (j = 0; j < k->m; j++) {
        k->slack[j] = HUGE_VAL;
        k->reached[j] = 0;
    }
    for (steps = 0; steps <= k->n; steps++) {
        const double *cost = k->cost + i * k->m;
        double least = HUGE_VAL;
        size_t to = SGDPLAN_PRIV_FREE;
        for (j = 0; j < k->m; j++) {
            if (k->reached[j]) continue;
            if (cost[j] <= cap) {
                const double reduced = cost[j] - k->row_price[i] - k->price[j];
                if (reduced < k->slack[j]) {
                    k->slack[j] = reduced;
                    k->from[j] = at;
                }
            }
            if (k->slack[j] < least ||
                (k->slack[j] <= least && k->holder[j] == SGDPLAN_PRIV_FREE)) {
                least = k->slack[j];
                to = j;
            }
        }
        SGDPLAN_ASSERT(to != SGDPLAN_PRIV_FREE);
        k->row_price[row] += least;
        for (j = 0; j < k->m; j++) {
            if (!k->reached[j]) {
                k->slack[j] -= least;
                continue;
            }
            k->row_price[k->holder[j]] += least;
            k->price[j] -= least;
        }
        k->reached[to] = 1;
        at = to;
        if (k->holder[to] == SGDPLAN_PRIV_FREE) break;
        i = k->holder[to];
    }
    sgdplan_priv_augment(k, at, row);
}

/* Fills best[] with the assignment of least sum among costs <= cap. */
static void sgdplan_priv_assign(sgdplan_priv_match *k, double cap)
{
    size_t i, j;
    for (i = 0; i < k->n; i++) k->row_price[i] = 0.0;
    for (j = 0; j < k->m; j++) {
        k->price[j] = 0.0;
        k->holder[j] = SGDPLAN_PRIV_FREE;
    }
    for (i = 0; i < k->n; i++) sgdplan_priv_shortest_path(k, i, cap);
    for (j = 0; j < k->m; j++)
        if (k->holder[j] != SGDPLAN_PRIV_FREE) k->best[k->holder[j]] = j;
}

/* One row more by the path to a free column whose largest cost is least: that cost, or
 * cap, up to which costs are alike. */
static double sgdplan_priv_widest_path(sgdplan_priv_match *k, size_t row, double cap)
{
    size_t i = row, at = SGDPLAN_PRIV_FREE, j, steps;
    for (j = 0; j < k->m; j++) {
        k->slack[j] = HUGE_VAL;
        k->reached[j] = 0;
    }
    for (steps = 0; steps <= k->n; steps++) {
        const double *cost = k->cost + i * k->m;
        double least = HUGE_VAL;
        size_t to = SGDPLAN_PRIV_FREE;
        for (j = 0; j < k->m; j++) {
            const double c = cost[j] > cap ? cost[j] : cap;
            if (k->reached[j]) continue;
            if (c < k->slack[j]) {
                k->slack[j] = c;
                k->from[j] = at;
            }
            if (k->slack[j] < least ||
                (k->slack[j] <= least && k->holder[j] == SGDPLAN_PRIV_FREE)) {
                least = k->slack[j];
                to = j;
            }
        }
        SGDPLAN_ASSERT(to != SGDPLAN_PRIV_FREE);
        if (least > cap) cap = least;
        k->reached[to] = 1;
        at = to;
        if (k->holder[to] == SGDPLAN_PRIV_FREE) break;
        i = k->holder[to];
    }
    sgdplan_priv_augment(k, at, row);
    return cap;
}

/* The least largest cost of all assignments. */
static double sgdplan_priv_bottleneck(sgdplan_priv_match *k)
{
    double cap = 0.0;
    size_t i, j;
    for (j = 0; j < k->m; j++) k->holder[j] = SGDPLAN_PRIV_FREE;
    for (i = 0; i < k->n; i++) cap = sgdplan_priv_widest_path(k, i, cap);
    return cap;
}

/* Sum and largest of best[]. */
static void sgdplan_priv_add_up(const sgdplan_priv_match *k, double *sum,
                                 double *largest)
{
    size_t i;
    *sum = *largest = 0.0;
    for (i = 0; i < k->n; i++) {
        const double cost = k->cost[i * k->m + k->best[i]];
        *sum += cost;
        if (cost > *largest) *largest = cost;
    }
}

static sgdplan_status sgdplan_priv_match_bytes(size_t segments, size_t workers,
                                                 size_t *bytes)
{
    sgdplan_priv_arena need = { NULL, 0, 0 };
    sgdplan_priv_match k;
    if (segments == 0 || segments > workers) return SGDPLAN_BAD_ARGUMENT;
    if (workers > UINT32_MAX || segments > (size_t)-1 / sizeof(double) / workers)
        return SGDPLAN_TOO_LARGE;
    sgdplan_priv_carve_match(&need, segments, workers, &k);
    if (need.overflow) return SGDPLAN_TOO_LARGE;
    *bytes = need.used;
    return SGDPLAN_OK;
}

SGDPLAN_API sgdplan_status sgdplan_map_bytes(size_t segments, size_t workers,
                                                size_t *bytes)
{
    return bytes ? sgdplan_priv_match_bytes(segments, workers, bytes)
                 : SGDPLAN_BAD_ARGUMENT;
}

/* NULL, misaligned or too small. */
static sgdplan_status sgdplan_priv_check_scratch(const void *work, size_t work_bytes,
                                                   size_t need)
{
    if (!work || (uintptr_t)work % sizeof(double) != 0) return SGDPLAN_BAD_ARGUMENT;
    return work_bytes < need ? SGDPLAN_SMALL_WORKSPACE : SGDPLAN_OK;
}

SGDPLAN_API sgdplan_status sgdplan_map(const double *cost, size_t segments,
                                          size_t workers, sgdplan_objective objective,
                                          void *work, size_t work_bytes, uint32_t *worker,
                                          sgdplan_mapping *out)
{
    sgdplan_priv_arena arena = { NULL, 0, 0 };
    sgdplan_mapping found;
    sgdplan_priv_match k;
    sgdplan_status status;
    size_t need = 0, i;
    if (!cost || !worker || !out) return SGDPLAN_BAD_ARGUMENT;
    if ((size_t)objective > (size_t)SGDPLAN_LEAST_LARGEST) return SGDPLAN_BAD_ARGUMENT;
    status = sgdplan_priv_match_bytes(segments, workers, &need);
    if (status == SGDPLAN_OK)
        status = sgdplan_priv_check_scratch(work, work_bytes, need);
    if (status != SGDPLAN_OK) return status;
    for (i = 0; i < segments * workers; i++)
        if (!sgdplan_priv_is_measure(cost[i])) return SGDPLAN_BAD_COST;
    arena.base = (char *)work;
    sgdplan_priv_carve_match(&arena, segments, workers, &k);
    k.cost = cost;
    found.conflict = sgdplan_priv_greedy(&k);
    sgdplan_priv_add_up(&k, &found.greedy_sum, &found.greedy_largest);
    found.sum = found.greedy_sum;
    found.largest = found.greedy_largest;
    for (i = 0; i < segments; i++) worker[i] = (uint32_t)k.best[i];
    if (found.conflict) {
        double cap = DBL_MAX, sum, largest;
        if (objective == SGDPLAN_LEAST_LARGEST)
            cap = sgdplan_priv_bottleneck(&k);
        sgdplan_priv_assign(&k, cap);
        sgdplan_priv_add_up(&k, &sum, &largest);
        if (objective == SGDPLAN_LEAST_LARGEST
                ? largest < found.largest || (largest <= found.largest && sum < found.sum)
                : sum < found.sum) {
            found.sum = sum;
            found.largest = largest;
            for (i = 0; i < segments; i++) worker[i] = (uint32_t)k.best[i];
        }
    }
    *out = found;
    return SGDPLAN_OK;
}

/* ---- Implementation: splits of the layers ------------------------------------ */

/* Pairs of partitions and replications, fewer workers first, then fewer partitions: those
 * of n workers are the first ones. A state is shape * (threads looked at) + thread. */
typedef struct sgdplan_priv_compose {
    const sgdplan_cluster_plan *in;
    uint32_t  workers;             /* N_wr, at most                                   */
    uint32_t  copies;              /* replications at most                            */
    size_t    shapes;
    sgdplan_state *shape;         /* [shapes] threads 0                              */
    size_t    spread;              /* threads a layer chooses from: 1 or K            */
    double   *alone;               /* [L][shapes][K] layer_s                          */
    double   *weights, *last;      /* [L][copies][K] weights_s, now and before        */
    double   *before, *now;        /* [shapes][spread] best of the layers so far      */
    uint32_t *back;                /* [L][shapes][spread] state of the layer below    */
    double   *best;                /* [spread] of a shape                             */
    uint32_t *choice;              /* [L] states of the best found, with all threads  */
    uint32_t *kept;                /* [K][L] of each number of threads                */
    double   *kept_s;              /* [K]                                             */
    sgdplan_state *state;         /* [L] handed to on_plan                           */
    size_t    room;                /* of a ranking; 0: none                           */
    sgdplan_plan  *plan;          /* [room] best first                               */
    sgdplan_state *states;        /* [room][L] theirs                                */
    int       bad;                 /* a cost was negative or NaN                      */
} sgdplan_priv_compose;

/* P R <= workers, R <= copies: how many. */
static size_t sgdplan_priv_shapes(uint32_t workers, uint32_t copies)
{
    size_t count = 0;
    uint32_t R;
    for (R = 1; R <= copies && R <= workers; R++) count += workers / R;
    return count;
}

/* Which: fewer workers first, then fewer partitions. */
static void sgdplan_priv_list_shapes(uint32_t workers, uint32_t copies,
                                      sgdplan_state *shape)
{
    uint32_t used, R;
    for (used = 1; used <= workers; used++)
        for (R = used < copies ? used : copies; R >= 1; R--) {
            if (used % R != 0) continue;
            shape->partitions = used / R;
            shape->replications = R;
            shape->threads = 0;
            shape++;
        }
}

/* a * b elements of a size; on overflow the arena overflows. */
static void *sgdplan_priv_take_table(sgdplan_priv_arena *arena, size_t a, size_t b,
                                      size_t size)
{
    if (a > 0 && b > (size_t)-1 / a) arena->overflow = 1;
    return sgdplan_priv_take(arena, a * b, size);
}

static void sgdplan_priv_carve_compose(sgdplan_priv_arena *arena,
                                        sgdplan_priv_compose *k)
{
    const size_t L = k->in->layers, K = k->in->cores;
    const size_t S = k->shapes, wide = k->copies;
    /* S K and copies K fit: both were checked against 2^32. */
    k->shape = (sgdplan_state *)sgdplan_priv_take(arena, S, sizeof *k->shape);
    k->alone = (double *)sgdplan_priv_take_table(arena, L, S * K, sizeof(double));
    k->weights = (double *)sgdplan_priv_take_table(arena, L, wide * K, sizeof(double));
    k->last = (double *)sgdplan_priv_take_table(arena, L, wide * K, sizeof(double));
    k->before = (double *)sgdplan_priv_take(arena, S * k->spread, sizeof(double));
    k->now = (double *)sgdplan_priv_take(arena, S * k->spread, sizeof(double));
    k->back =
        (uint32_t *)sgdplan_priv_take_table(arena, L, S * k->spread, sizeof(uint32_t));
    k->best = (double *)sgdplan_priv_take(arena, k->spread, sizeof(double));
    k->choice = (uint32_t *)sgdplan_priv_take(arena, L, sizeof(uint32_t));
    k->kept = (uint32_t *)sgdplan_priv_take_table(arena, L, K, sizeof(uint32_t));
    k->kept_s = (double *)sgdplan_priv_take(arena, K, sizeof(double));
    k->state = (sgdplan_state *)sgdplan_priv_take(arena, L, sizeof *k->state);
    k->plan = (sgdplan_plan *)sgdplan_priv_take(arena, k->room, sizeof *k->plan);
    k->states =
        (sgdplan_state *)sgdplan_priv_take_table(arena, k->room, L, sizeof *k->states);
}

/* A cost that is one, or infinite. */
static double sgdplan_priv_cost(sgdplan_priv_compose *k, double x)
{
    if (x >= 0.0) return x;
    k->bad = 1;
    return HUGE_VAL;
}

static void sgdplan_priv_fill_alone(sgdplan_priv_compose *k)
{
    const sgdplan_costs *c = &k->in->costs;
    const size_t K = k->in->cores;
    size_t l, s, h;
    sgdplan_priv_list_shapes(k->workers, k->copies, k->shape);
    for (l = 0; l < k->in->layers; l++)
        for (s = 0; s < k->shapes; s++)
            for (h = 0; h < K; h++) {
                sgdplan_state state = k->shape[s];
                state.threads = (uint32_t)h + 1;
                k->alone[(l * k->shapes + s) * K + h] =
                    sgdplan_priv_cost(k, c->layer_s(c->ctx, l, &state));
            }
}

/* True if they are those of the last time. */
static int sgdplan_priv_fill_weights(sgdplan_priv_compose *k,
                                      const sgdplan_resources *r)
{
    const sgdplan_costs *c = &k->in->costs;
    const size_t K = k->in->cores;
    double *const last = k->weights;
    size_t l, i, h;
    int same = 1;
    k->weights = k->last;
    k->last = last;
    for (l = 0; l < k->in->layers; l++)
        for (i = 0; i < k->copies && i < r->workers; i++)
            for (h = 0; h < K; h++) {
                const size_t at = (l * k->copies + i) * K + h;
                sgdplan_state state;
                state.partitions = 0;
                state.replications = (uint32_t)i + 1;
                state.threads = (uint32_t)h + 1;
                k->weights[at] = c->weights_s
                    ? sgdplan_priv_cost(k, c->weights_s(c->ctx, l, &state, r)) : 0.0;
                if (k->weights[at] < last[at] || k->weights[at] > last[at]) same = 0;
            }
    return same;
}

/* Best way to each state of layer l over states of layer l - 1, both of the first n
 * shapes and threads h0 .. h0 + spread - 1, in before[]; into now[] and back[]. */
static void sgdplan_priv_extend(sgdplan_priv_compose *k, size_t l, size_t n, size_t h0)
{
    const sgdplan_costs *c = &k->in->costs;
    const size_t spread = k->spread;
    size_t a, b, h;
    for (a = 0; a < n; a++) {
        uint32_t *back = k->back + (l * k->shapes + a) * spread;
        sgdplan_state above = k->shape[a];
        for (h = 0; h < spread; h++) k->now[a * spread + h] = HUGE_VAL;
        for (b = 0; b < n; b++) {
            sgdplan_state below = k->shape[b];
            double least = HUGE_VAL;
            size_t from = 0;
            above.threads = 0;
            for (h = 0; h < spread; h++) {
                double s = k->before[b * spread + h];
                if (!(s <= DBL_MAX)) continue;
                below.threads = (uint32_t)(h0 + h + 1);
                s += sgdplan_priv_cost(k, c->backward_s(c->ctx, l, &below, &above));
                if (s < least) {
                    least = s;
                    from = h;
                }
            }
            if (!(least <= DBL_MAX)) continue;
            below.threads = 0;
            for (h = 0; h < spread; h++) {
                double *now = k->now + a * spread + h, s;
                above.threads = (uint32_t)(h0 + h + 1);
                s = least +
                    sgdplan_priv_cost(k, c->forward_s(c->ctx, l, &below, &above));
                if (!(s <= *now) || !(s <= DBL_MAX)) continue;
                if (s >= *now) {   /* equal: fewer workers come first, then threads   */
                    const sgdplan_state *chosen = k->shape + back[h] / spread;
                    if (chosen->partitions * chosen->replications <
                            below.partitions * below.replications ||
                        back[h] % spread <= from)
                        continue;
                }
                *now = s;
                back[h] = (uint32_t)(b * spread + from);
            }
        }
    }
}

/* Adds what layer l costs by itself, times the replicas. */
static void sgdplan_priv_add_layer(sgdplan_priv_compose *k, size_t l, size_t n,
                                    size_t h0, double replicas)
{
    const size_t K = k->in->cores;
    size_t s, h;
    for (s = 0; s < n; s++) {
        const double *alone = k->alone + (l * k->shapes + s) * K + h0;
        const double *weights =
            k->weights + (l * k->copies + k->shape[s].replications - 1) * K + h0;
        for (h = 0; h < k->spread; h++)
            k->now[s * k->spread + h] +=
                alone[h] + (replicas > 0.0 ? replicas * weights[h] : 0.0);
    }
}

/* The best splits with threads h0 + 1 .. h0 + spread on `workers` workers: their states,
 * as shape * K + threads - 1, and the epoch times replicas; or infinite. replicas 0:
 * without the weights. */
static double sgdplan_priv_solve(sgdplan_priv_compose *k, uint32_t workers,
                                  double replicas, size_t h0, uint32_t *choice)
{
    const size_t L = k->in->layers, K = k->in->cores, spread = k->spread;
    const size_t n = sgdplan_priv_shapes(workers, k->copies);
    double least = HUGE_VAL;
    size_t l, s, h, at = 0;
    for (l = 0; l < L; l++) {
        double *swap = k->before;
        k->before = k->now;
        k->now = swap;
        if (l > 0) sgdplan_priv_extend(k, l, n, h0);
        else for (s = 0; s < n * spread; s++) k->now[s] = 0.0;
        sgdplan_priv_add_layer(k, l, n, h0, replicas);
    }
    for (s = 0; s < n; s++)
        for (h = 0; h < spread; h++) {
            const double value = k->now[s * spread + h];
            const sgdplan_state *chosen = k->shape + at / spread;
            if (!(value <= least) || !(value <= DBL_MAX)) continue;
            if (value >= least &&
                (chosen->partitions * chosen->replications <
                     k->shape[s].partitions * k->shape[s].replications ||
                 at % spread <= h))
                continue;
            least = value;
            at = s * spread + h;
        }
    if (!(least <= DBL_MAX)) return HUGE_VAL;
    for (l = L; l-- > 0;) {
        choice[l] = (uint32_t)(at / spread * K + h0 + at % spread);
        if (l > 0) at = k->back[l * k->shapes * spread + at];
    }
    return least;
}

/* Is a, of `left` times replicas, before b: less time, then fewer workers and threads of
 * the last layer? */
static int sgdplan_priv_is_leaner(const sgdplan_priv_compose *k, double left,
                                   const uint32_t *a, double right, const uint32_t *b)
{
    const size_t L = k->in->layers, K = k->in->cores;
    const sgdplan_state *x = k->shape + a[L - 1] / K, *y = k->shape + b[L - 1] / K;
    const uint32_t one = x->partitions * x->replications;
    const uint32_t other = y->partitions * y->replications;
    if (left < right || left > right) return left < right;
    if (one != other) return one < other;
    return a[L - 1] % K < b[L - 1] % K;
}

/* The best splits for a configuration, into choice[]: its epoch, or infinite. */
static double sgdplan_priv_best(sgdplan_priv_compose *k, const sgdplan_resources *r)
{
    const size_t L = k->in->layers, K = k->in->cores;
    const double replicas = (double)r->replicas;
    double least = HUGE_VAL;
    size_t h;
    if (k->spread == K) return sgdplan_priv_solve(k, r->workers, replicas, 0, k->choice)
                            / replicas;
    for (h = 0; h < K; h++) {
        const double s = sgdplan_priv_solve(k, r->workers, replicas, h, k->kept);
        if (!(s <= DBL_MAX)) continue;
        if (least <= DBL_MAX && !sgdplan_priv_is_leaner(k, s, k->kept, least, k->choice))
            continue;
        least = s;
        memcpy(k->choice, k->kept, L * sizeof *k->choice);
    }
    return least / replicas;
}

/* Without replication and with the same threads everywhere the splits depend neither on
 * replicas nor on servers: what is best for each number of threads is kept. */
static void sgdplan_priv_solve_once(sgdplan_priv_compose *k, uint32_t workers)
{
    size_t h;
    for (h = 0; h < k->in->cores; h++)
        k->kept_s[h] =
            sgdplan_priv_solve(k, workers, 0.0, h, k->kept + h * k->in->layers);
}

static double sgdplan_priv_best_kept(sgdplan_priv_compose *k,
                                      const sgdplan_resources *r)
{
    const size_t L = k->in->layers, K = k->in->cores;
    const uint32_t *best = NULL;
    double least = HUGE_VAL;
    size_t h, l;
    for (h = 0; h < K; h++) {
        const uint32_t *kept = k->kept + h * L;
        double s = k->kept_s[h];
        for (l = 0; l < L; l++)
            s += (double)r->replicas * k->weights[l * k->copies * K + h];
        if (!(s <= DBL_MAX)) continue;
        if (best && !sgdplan_priv_is_leaner(k, s, kept, least, best)) continue;
        least = s;
        best = kept;
    }
    if (best) memcpy(k->choice, best, L * sizeof *best);
    return least / (double)r->replicas;
}

static void sgdplan_priv_write_states(const sgdplan_priv_compose *k,
                                       sgdplan_state *state)
{
    size_t l;
    for (l = 0; l < k->in->layers; l++) {
        state[l] = k->shape[k->choice[l] / k->in->cores];
        state[l].threads = (uint32_t)(k->choice[l] % k->in->cores) + 1;
    }
}

/* ---- Implementation: the search ---------------------------------------------- */

static int sgdplan_priv_is_resources(const sgdplan_cluster_plan *in,
                                      const sgdplan_resources *r)
{
    return r->servers > 0 && r->replicas > 0 && r->workers > 0 &&
           r->servers < in->machines &&
           (uint64_t)r->replicas * r->workers <= in->machines - r->servers;
}

/* Checks, and sizes for up to `workers` workers. */
static sgdplan_status sgdplan_priv_compose_for(const sgdplan_cluster_plan *in,
                                                 uint32_t workers, size_t room,
                                                 sgdplan_priv_compose *k)
{
    memset(k, 0, sizeof *k);
    k->room = room;
    if (in->layers == 0 || in->machines < 2 || in->cores == 0)
        return SGDPLAN_BAD_ARGUMENT;
    if (!in->costs.layer_s || !in->costs.forward_s || !in->costs.backward_s)
        return SGDPLAN_BAD_ARGUMENT;
    if (in->machines > 1u << 16 || in->cores > 1u << 12) return SGDPLAN_TOO_LARGE;
    k->in = in;
    k->workers = workers;
    k->copies = in->max_replications > 0 && in->max_replications < workers
        ? in->max_replications : workers;
    k->shapes = sgdplan_priv_shapes(k->workers, k->copies);
    k->spread = in->threads_differ ? in->cores : 1;
    if ((uint64_t)k->shapes * in->cores > UINT32_MAX) return SGDPLAN_TOO_LARGE;
    return SGDPLAN_OK;
}

static sgdplan_status sgdplan_priv_compose_bytes(sgdplan_priv_compose *k,
                                                   size_t *bytes)
{
    sgdplan_priv_arena need = { NULL, 0, 0 };
    sgdplan_priv_carve_compose(&need, k);
    if (need.overflow) return SGDPLAN_TOO_LARGE;
    *bytes = need.used;
    return SGDPLAN_OK;
}

/* Checks the scratch and lays it out. */
static sgdplan_status sgdplan_priv_compose_open(sgdplan_priv_compose *k, void *work,
                                                  size_t work_bytes)
{
    sgdplan_priv_arena arena = { NULL, 0, 0 };
    size_t need = 0;
    sgdplan_status status = sgdplan_priv_compose_bytes(k, &need);
    if (status == SGDPLAN_OK)
        status = sgdplan_priv_check_scratch(work, work_bytes, need);
    if (status != SGDPLAN_OK) return status;
    arena.base = (char *)work;
    memset(work, 0, need);
    sgdplan_priv_carve_compose(&arena, k);
    sgdplan_priv_fill_alone(k);
    return k->bad ? SGDPLAN_BAD_COST : SGDPLAN_OK;
}

SGDPLAN_API sgdplan_status sgdplan_compose(const sgdplan_cluster_plan *in,
                                              const sgdplan_resources *resources,
                                              void *work, size_t work_bytes,
                                              sgdplan_plan *out)
{
    sgdplan_priv_compose k;
    sgdplan_status status;
    double epoch_s;
    if (!in || !resources || !out || !sgdplan_priv_is_resources(in, resources))
        return SGDPLAN_BAD_ARGUMENT;
    status = sgdplan_priv_compose_for(in, resources->workers, 0, &k);
    if (status == SGDPLAN_OK) status = sgdplan_priv_compose_open(&k, work, work_bytes);
    if (status != SGDPLAN_OK) return status;
    (void)sgdplan_priv_fill_weights(&k, resources);
    epoch_s = sgdplan_priv_best(&k, resources);
    if (k.bad) return SGDPLAN_BAD_COST;
    if (!(epoch_s <= DBL_MAX)) return SGDPLAN_NO_PLAN;
    out->resources = *resources;
    out->epoch_s = epoch_s;
    if (out->state) sgdplan_priv_write_states(&k, out->state);
    return SGDPLAN_OK;
}

SGDPLAN_API sgdplan_status sgdplan_compose_bytes(const sgdplan_cluster_plan *in,
                                                    const sgdplan_resources *resources,
                                                    size_t *bytes)
{
    sgdplan_priv_compose k;
    sgdplan_status status;
    if (!in || !resources || !bytes || !sgdplan_priv_is_resources(in, resources))
        return SGDPLAN_BAD_ARGUMENT;
    status = sgdplan_priv_compose_for(in, resources->workers, 0, &k);
    return status == SGDPLAN_OK ? sgdplan_priv_compose_bytes(&k, bytes) : status;
}

/* The most workers of a replica that a search looks at. */
static uint32_t sgdplan_priv_most_workers(const sgdplan_cluster_plan *in)
{
    uint32_t most = 1;
    size_t i;
    if (!in->given) return in->machines - 1;
    for (i = 0; i < in->givens; i++)
        if (most < in->given[i].workers) most = in->given[i].workers;
    return most < in->machines ? most : in->machines - 1;
}

SGDPLAN_API sgdplan_status sgdplan_search_bytes(const sgdplan_cluster_plan *in,
                                                   size_t room, size_t *bytes)
{
    sgdplan_priv_compose k;
    sgdplan_status status;
    if (!in || !bytes || room == 0) return SGDPLAN_BAD_ARGUMENT;
    status = sgdplan_priv_compose_for(in, sgdplan_priv_most_workers(in), room, &k);
    return status == SGDPLAN_OK ? sgdplan_priv_compose_bytes(&k, bytes) : status;
}

SGDPLAN_API size_t sgdplan_search_count(const sgdplan_cluster_plan *in)
{
    uint32_t workers, replicas;
    size_t count = 0;
    if (!in || in->machines > 1u << 16) return 0;
    if (in->given) return in->givens;
    for (workers = 1; workers < in->machines; workers++)
        for (replicas = 1; replicas <= (in->machines - 1) / workers; replicas++) {
            const size_t more = in->machines - replicas * workers;
            if (more > (size_t)-1 - count) return 0;
            count += more;
        }
    return count;
}

/* How far a search has come. */
typedef struct sgdplan_priv_ranking {
    size_t found;
    sgdplan_resources solved;     /* for which choice[] and epoch_s were found       */
    double epoch_s;
    uint32_t kept_for;             /* N_wr for which kept[] was found                 */
} sgdplan_priv_ranking;

static int sgdplan_priv_ranks_before(const sgdplan_plan *a, const sgdplan_plan *b)
{
    const sgdplan_resources *x = &a->resources, *y = &b->resources;
    const uint64_t one = x->servers + (uint64_t)x->replicas * x->workers;
    const uint64_t other = y->servers + (uint64_t)y->replicas * y->workers;
    if (a->epoch_s < b->epoch_s || a->epoch_s > b->epoch_s)
        return a->epoch_s < b->epoch_s;
    if (one != other) return one < other;
    if (x->workers != y->workers) return x->workers < y->workers;
    return x->replicas < y->replicas;
}

/* Arrays of states stay where they are, their contents move. */
static void sgdplan_priv_copy_plan(sgdplan_plan *to, const sgdplan_plan *from,
                                    size_t L)
{
    to->resources = from->resources;
    to->epoch_s = from->epoch_s;
    if (to->state && from->state) memcpy(to->state, from->state, L * sizeof *to->state);
}

static void sgdplan_priv_rank(sgdplan_priv_compose *k, const sgdplan_plan *plan,
                               size_t *found)
{
    const size_t L = k->in->layers;
    size_t i = *found;
    if (i == k->room) {
        if (!sgdplan_priv_ranks_before(plan, k->plan + k->room - 1)) return;
        i--;
    } else {
        ++*found;
    }
    k->plan[i].state = k->states + i * L;
    for (; i > 0 && sgdplan_priv_ranks_before(plan, k->plan + i - 1); i--)
        sgdplan_priv_copy_plan(k->plan + i, k->plan + i - 1, L);
    sgdplan_priv_copy_plan(k->plan + i, plan, L);
}

/* One configuration, reusing what was found for the one before where it can be. */
static void sgdplan_priv_look_at(sgdplan_priv_compose *k,
                                  const sgdplan_resources *resources,
                                  sgdplan_priv_ranking *r)
{
    const int once = k->copies == 1 && !k->in->threads_differ;
    const int same = sgdplan_priv_fill_weights(k, resources);
    sgdplan_plan plan;
    if (once && r->kept_for != resources->workers)
        sgdplan_priv_solve_once(k, resources->workers);
    if (once) {
        r->epoch_s = sgdplan_priv_best_kept(k, resources);
        r->kept_for = resources->workers;
    } else if (!same || r->solved.workers != resources->workers ||
               r->solved.replicas != resources->replicas) {
        r->epoch_s = sgdplan_priv_best(k, resources);
    }
    r->solved = *resources;
    if (k->bad || !(r->epoch_s <= DBL_MAX)) return;
    plan.resources = *resources;
    plan.epoch_s = r->epoch_s;
    plan.state = k->state;
    sgdplan_priv_write_states(k, k->state);
    sgdplan_priv_rank(k, &plan, &r->found);
    if (k->in->on_plan) k->in->on_plan(k->in->plan_ctx, &plan);
}

static void sgdplan_priv_look_at_all(sgdplan_priv_compose *k, sgdplan_priv_ranking *r)
{
    const uint32_t N = k->in->machines;
    sgdplan_resources at;
    size_t i;
    for (i = 0; k->in->given && i < k->in->givens && !k->bad; i++)
        sgdplan_priv_look_at(k, k->in->given + i, r);
    if (k->in->given) return;
    for (at.workers = 1; at.workers < N; at.workers++)
        for (at.replicas = 1; at.replicas <= (N - 1) / at.workers; at.replicas++)
            for (at.servers = 1; at.servers <= N - at.replicas * at.workers;
                 at.servers++) {
                if (k->bad) return;
                sgdplan_priv_look_at(k, &at, r);
            }
}

SGDPLAN_API sgdplan_status sgdplan_search(const sgdplan_cluster_plan *in, void *work,
                                             size_t work_bytes, sgdplan_plan *plan,
                                             size_t room, size_t *found)
{
    sgdplan_priv_compose k;
    sgdplan_priv_ranking r;
    sgdplan_status status;
    size_t i;
    if (!in || !plan || room == 0 || !found) return SGDPLAN_BAD_ARGUMENT;
    if (in->given && in->givens == 0) return SGDPLAN_BAD_ARGUMENT;
    status = sgdplan_priv_compose_for(in, sgdplan_priv_most_workers(in), room, &k);
    if (status != SGDPLAN_OK) return status;
    for (i = 0; in->given && i < in->givens; i++)
        if (!sgdplan_priv_is_resources(in, in->given + i)) return SGDPLAN_BAD_ARGUMENT;
    status = sgdplan_priv_compose_open(&k, work, work_bytes);
    if (status != SGDPLAN_OK) return status;
    memset(&r, 0, sizeof r);
    sgdplan_priv_look_at_all(&k, &r);
    if (k.bad) return SGDPLAN_BAD_COST;
    if (r.found == 0) return SGDPLAN_NO_PLAN;
    for (i = 0; i < r.found; i++)
        sgdplan_priv_copy_plan(plan + i, k.plan + i, in->layers);
    *found = r.found;
    return SGDPLAN_OK;
}

/* ---- Implementation: order of trials ----------------------------------------- */

/* Sifts order[i] down in a heap of the largest (key, index) first. */
static void sgdplan_priv_sift(const double *key, size_t *order, size_t i, size_t n)
{
    const size_t moved = order[i];
    while (2 * i + 1 < n) {
        size_t child = 2 * i + 1;
        if (child + 1 < n && (key[order[child]] < key[order[child + 1]] ||
                              (key[order[child]] <= key[order[child + 1]] &&
                               order[child] < order[child + 1])))
            child++;
        if (key[order[child]] < key[moved] ||
            (key[order[child]] <= key[moved] && order[child] < moved))
            break;
        order[i] = order[child];
        i = child;
    }
    order[i] = moved;
}

/* Sorts indices by their keys, equal ones by themselves. */
static void sgdplan_priv_order(const double *key, size_t *order, size_t n)
{
    size_t i;
    for (i = n / 2; i-- > 0;) sgdplan_priv_sift(key, order, i, n);
    for (i = n; i-- > 1;) {
        const size_t last = order[0];
        order[0] = order[i];
        order[i] = last;
        sgdplan_priv_sift(key, order, 0, i);
    }
}

SGDPLAN_API sgdplan_status sgdplan_trial_order(const double *epoch_s, size_t n,
                                                  size_t *order)
{
    size_t i;
    if (!epoch_s || !order || n == 0) return SGDPLAN_BAD_ARGUMENT;
    for (i = 0; i < n; i++)
        if (!sgdplan_priv_is_time(epoch_s[i])) return SGDPLAN_BAD_COST;
    for (i = 0; i < n; i++) order[i] = i;
    sgdplan_priv_order(epoch_s, order, n);
    return SGDPLAN_OK;
}

SGDPLAN_API sgdplan_status sgdplan_trial_cost(const double *epoch_s,
                                                 const unsigned char *accurate, size_t n,
                                                 double *random_s, double *ordered_s)
{
    double wasted = 0.0, useful = 0.0, ordered = 0.0;
    size_t i, good = 0, first = n;
    if (!epoch_s || !accurate || n == 0 || !random_s || !ordered_s)
        return SGDPLAN_BAD_ARGUMENT;
    for (i = 0; i < n; i++) {
        if (!sgdplan_priv_is_time(epoch_s[i])) return SGDPLAN_BAD_COST;
        if (!accurate[i]) {
            wasted += epoch_s[i];
            continue;
        }
        good++;
        useful += epoch_s[i];
        if (first == n || epoch_s[i] < epoch_s[first]) first = i;
    }
    for (i = 0; i < n; i++)
        if (first == n || i == first || epoch_s[i] < epoch_s[first] ||
            (epoch_s[i] <= epoch_s[first] && i < first))
            ordered += epoch_s[i];
    *random_s = wasted / ((double)good + 1.0) + (good > 0 ? useful / (double)good : 0.0);
    *ordered_s = ordered;
    return SGDPLAN_OK;
}
#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_PLAN_IMPLEMENTATION */

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
