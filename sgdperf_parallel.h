/* sgdperf_parallel.h - v0.1.0 - predicts training steps on accelerators - C99, one file
 *
 *   Predicts how long each collective takes on machines of several accelerators. Predicts
 *   the time and the memory of a step of data-parallel training, layer by layer: with
 *   gradients in buckets (DDP) or with sharded parameters (ZeRO, FSDP). Predicts the step
 *   of a pipeline, in which each device computes a stage of the network.
 *
 * USE
 *   In exactly one C or C++ file:
 *       #define SGDPERF_PARALLEL_IMPLEMENTATION
 *       #include "sgdperf_parallel.h"
 *   Everywhere else include it plainly; including it twice is harmless.
 *   SGDPERF_PARALLEL_STATIC, defined in that one file, keeps every symbol private to it.
 *   Link with -lm.
 *
 * EXAMPLE   four layers of 25 MB on 2 machines of 8 accelerators, over 100 Gbit/s
 *       static sgdpar_protocol way;    // by default a ring, for an all-reduce
 *       static sgdpar_replica  of;
 *       sgdpar_topology *on = &of.network.topology;
 *       sgdpar_tensor   layer[4];
 *       sgdpar_replica_step step;
 *       int i;
 *       for (i = 0; i < 4; i++) layer[i].bytes = 25000000, layer[i].backward_s = 0.004;
 *       of.layers.tensor = layer;  of.layers.tensors = 4;  of.compute.forward_s = 0.008;
 *       of.network.protocol = &way;  of.network.protocols = 1;
 *       on->machines = 2;  on->bandwidth_bytes_per_s = 12.5e9;
 *       on->gpus = 8;  on->local_bandwidth_bytes_per_s = 200e9;
 *       if (sgdpar_replica_time(&of, NULL, 0, &step) == SGDPAR_OK)
 *           printf("%.1f ms, of which %.1f wait for exchanges\n", 1e3 * step.step_s,
 *                  1e3 * step.exposed_s);
 *           // 31.2 ms, of which 7.2 wait for exchanges
 *
 * CONTENTS
 *   Status               sgdpar_status_text
 *   Collectives          sgdpar_collective_time  sgdpar_best_protocol  sgdpar_byteps
 *                        sgdpar_ring_exchange  sgdpar_pairwise_exchange
 *   Links                sgdpar_collective_links  sgdpar_stream_ends
 *   Buckets              sgdpar_buckets
 *   Steps                sgdpar_replica_time  sgdpar_best_bucket  sgdpar_exchange_links
 *   Pipelines            sgdpar_pipeline_time  sgdpar_pipeline_transfers
 *                        sgdpar_pipeline_replay
 *   Memory               sgdpar_set_optimizer  sgdpar_memory_of
 *   Remedies             sgdpar_remedies
 *   Library              sgdpar_version  sgdpar_struct_bytes
 *
 * CONVENTIONS
 *   Units     seconds, bytes; a name ends in its unit: latency_s.
 *   Defaults  zero every struct; a field left 0 or NULL takes its default.
 *
 *   Memory    nothing is allocated or kept. Some functions need a work area: the caller
 *             passes its address and size, (work, work_bytes), aligned for double. The
 *             function ..._bytes() tells the size needed. Only inputs may alias.
 *
 *   Errors    bad input returns an sgdpar_status and writes no output. SGDPAR_ASSERT
 *             checks only the library's own invariants.
 *
 *   Threads   no globals: calls with distinct work and out may run at once.
 *   Floats    IEEE 754 double. With -ffp-contract=off and without -ffast-math results
 *             have the same bits on every platform, except where the comment of a
 *             function says that it calls the platform's pow.
 * CONFIGURE   define beforehand: SGDPERF_PARALLEL_STATIC, SGDPAR_API, SGDPAR_ASSERT(x)
 *
 * REFERENCES (cited by key), HISTORY and LICENSE are at the end of this file.
 */
#ifndef SGDPERF_PARALLEL_H
#define SGDPERF_PARALLEL_H

#define SGDPERF_PARALLEL_VERSION_MAJOR 0
#define SGDPERF_PARALLEL_VERSION_MINOR 1
#define SGDPERF_PARALLEL_VERSION_PATCH 0
#define SGDPERF_PARALLEL_VERSION                                                     \
    (SGDPERF_PARALLEL_VERSION_MAJOR * 10000 + SGDPERF_PARALLEL_VERSION_MINOR * 100 + \
     SGDPERF_PARALLEL_VERSION_PATCH)

#include <stddef.h>
#include <stdint.h>
#if defined(SGDPAR_API)
#elif !defined(SGDPERF_PARALLEL_STATIC)
#define SGDPAR_API extern
#elif defined(__GNUC__)
#define SGDPAR_API static __attribute__((unused))
#else
#define SGDPAR_API static
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ---------------------------------------------------------------- */

/* Statuses of functions. The first six have the same numbers in all headers. No function
 * of this header returns NOT_CONVERGED. */
#define SGDPAR_STATUS_TABLE(X)                                                      \
    X(SGDPAR_OK,              "success")                                            \
    X(SGDPAR_BAD_ARGUMENT,    "null pointer, zero size, or value out of domain")    \
    X(SGDPAR_TOO_LARGE,       "a size exceeds the address space")                   \
    X(SGDPAR_SMALL_WORKSPACE, "work_bytes smaller than the _bytes() answer")        \
    X(SGDPAR_NOT_CONVERGED,   "iteration limit reached before the tolerance")       \
    X(SGDPAR_OVER_BUDGET,     "exceeds the allowed operations or bytes")

#define SGDPAR_X(name, text) name,
typedef enum sgdpar_status {
    SGDPAR_STATUS_TABLE(SGDPAR_X) SGDPAR_STATUS_COUNT
} sgdpar_status;
#undef SGDPAR_X

/* Returns the text of a status, such as "success"; "no such value" if out of range. */
SGDPAR_API const char *sgdpar_status_text(sgdpar_status status);

/* ---- Collectives ----------------------------------------------------------- */

/* The collectives that n workers carry out together. S is the size in bytes of the vector
 * of one worker. S/n is a real number, not rounded up to whole elements:
 *   collective      input of a worker   output of a worker
 *   ALL_REDUCE      S                   S, the sum over workers
 *   REDUCE_SCATTER  S                   S/n of the sum
 *   ALL_GATHER      S/n                 S, the parts of all workers
 *   BROADCAST       S on one worker     S
 *   ALL_TO_ALL      S                   S: S/n from each worker, itself included */
#define SGDPAR_COLLECTIVE_TABLE(X)                          \
    X(SGDPAR_COLLECTIVE_ALL_REDUCE,     "all-reduce")       \
    X(SGDPAR_COLLECTIVE_REDUCE_SCATTER, "reduce-scatter")   \
    X(SGDPAR_COLLECTIVE_ALL_GATHER,     "all-gather")       \
    X(SGDPAR_COLLECTIVE_BROADCAST,      "broadcast")        \
    X(SGDPAR_COLLECTIVE_ALL_TO_ALL,     "all-to-all")

#define SGDPAR_X(name, text) name,
typedef enum sgdpar_collective {
    SGDPAR_COLLECTIVE_TABLE(SGDPAR_X) SGDPAR_COLLECTIVE_COUNT
} sgdpar_collective;
#undef SGDPAR_X

/* Algorithms of collectives among n workers on vectors of S bytes. A message of x bytes
 * takes a + x/B seconds: latency a, bandwidth B. A worker sends one message and receives
 * one at the same time. Additions take no time. The tables below give all combinations.
 *
 * ALL-REDUCE of S bytes by n workers takes, in seconds with latency a and bandwidth B:
 *   RING         2 (n-1) (a + S/(n B)) [PY09]
 *   DOUBLING     (L + 2 [r]) (a + S/B): whole vectors [TRG05]
 *   HALVING      2 L a + 2 (p-1)/p S/B + 2 [r] (a + S/B) [R04] [TRG05]
 *   TREE         twice a broadcast
 *   DOUBLE_TREE  twice a broadcast; the first of the two runs in reverse
 *   BYTEPS       2 a + time_s of sgdpar_byteps, k = sgdpar_topology.beside; inside one
 *                machine k = 0
 * p is the largest power of two <= n, L = log2 p, r = n - p; [r] is 1 if r > 0, else 0.
 *
 * ALL-GATHER, and REDUCE-SCATTER, its reverse, of S bytes by n workers take, in seconds
 * with latency a and bandwidth B:
 *   RING         (n-1) (a + S/(n B))
 *   DOUBLING     (L + 2 [r]) a + G S/(n B)
 *   HALVING      (L + 2 [r]) a + G S/(n B)
 *   TREE         C a + (n-1)/n S/B to one worker, then a broadcast
 * p is the largest power of two <= n, L = log2 p, r = n - p; [r] is 1 if r > 0, else 0. C
 * = ceil(log2 n); G = n [r] + sum over i < L of (2^i + min(r, 2^i)).
 *
 * BROADCAST of S bytes to n workers takes, in seconds with latency a and bandwidth B:
 *   RING         (n-2+k) (a + S/(k B)): a chain, with k chunks in a pipeline
 *   HALVING      C a + (n-1)/n S/B to scatter, then an all-gather
 *   TREE         C (a + S/B): a binomial tree [TRG05]
 *   DOUBLE_TREE  2 (h + k - 1) (a + S/(2 k B)), with k chunks [SST09]
 * C = ceil(log2 n), h = floor(log2(n-1)) + 1.
 *
 * ALL-TO-ALL of S bytes by n workers takes, in seconds with latency a and bandwidth B:
 *   RING         (n-1) a + (n-1)/2 S/B: workers hand parts on to the next one
 *   DOUBLING     sum over bits b < ceil(log2 n) of a + c(b) S/(n B) [BHKUW97]
 *   PAIRWISE     (n-1) (a + S/(n B)): directly from each worker to each other
 * c(b) is how many numbers below n have bit b.
 *
 * DOUBLING and HALVING  p of n workers, the largest power of two, exchange messages with
 * partners at distance 1, 2, 4, ... The other n - p workers first give their data to a
 * neighbour, and get results last. In an all-reduce, DOUBLING sends whole vectors.
 * HALVING sends ever smaller halves, then gathers the sums.
 *
 * DOUBLE_TREE has two binary trees over all workers but the root of the broadcast. A leaf
 * of one tree is an inner node of the other. Each tree carries half of the vector in k
 * chunks. In a period of two messages a node sends a chunk to both children. */
#define SGDPAR_ALGORITHM_TABLE(X)                 \
    X(SGDPAR_ALGORITHM_RING,        "ring")       \
    X(SGDPAR_ALGORITHM_DOUBLING,    "doubling")   \
    X(SGDPAR_ALGORITHM_HALVING,     "halving")    \
    X(SGDPAR_ALGORITHM_TREE,        "tree")       \
    X(SGDPAR_ALGORITHM_DOUBLE_TREE, "double-tree") \
    X(SGDPAR_ALGORITHM_PAIRWISE,    "pairwise") \
    X(SGDPAR_ALGORITHM_BYTEPS,      "byteps")

#define SGDPAR_X(name, text) name,
typedef enum sgdpar_algorithm {
    SGDPAR_ALGORITHM_TABLE(SGDPAR_X) SGDPAR_ALGORITHM_COUNT
} sgdpar_algorithm;
#undef SGDPAR_X

/* Forms of a collective on m > 1 machines of g > 1 accelerators each, N = m g in all, on
 * vectors of S bytes. If m or g is 1, forms other than STREAMED make no difference.
 *
 * MESSAGES of x bytes take a + x/B seconds between machines, and a' + x/b seconds inside
 * a machine: latencies a and a', bandwidths B and b. Messages sent at one time share B.
 *
 * FLAT, an all-reduce, reduce-scatter or all-gather by RING. One ring passes through all
 * N accelerators. Each step waits for the slower of the links between (latency a,
 * bandwidth B) and inside machines (a', b): a message of S/N bytes takes max(a + S/(N B),
 * a' + S/(N b)) seconds.
 *
 * FLAT, an all-to-all by PAIRWISE. N accelerators, g in a machine, take N - 1 steps. In
 * step i, x = min(i, g, N-i) messages are on a machine's link. The step takes max(a + x
 * S/(N B), a' + S/(N b)) seconds. If x = g, no message stays inside a machine: the step
 * takes a + x S/(N B) seconds.
 *
 * SPLIT, an all-reduce, reduce-scatter or all-gather. First comes a scatter inside
 * machines. Then g groups of m accelerators, one of each machine, do the collective at
 * once, each with S/g bytes and bandwidth B/g. Last comes a gather inside machines. A
 * reduce-scatter has no gather; an all-gather has no scatter.
 *
 * INSIDE, an all-reduce or broadcast. First comes a reduction inside machines, timed as
 * an all-reduce [LPGLY22, 4.4]. Then comes the collective of S bytes between machines,
 * then a broadcast inside machines. A broadcast has no reduction.
 *
 * PIPELINED, an all-reduce: the parts of SPLIT, for k chunks of S/k bytes. While a chunk
 * is between machines, the chunk before is gathered and the next is scattered. A chunk
 * takes u seconds to scatter, v between machines, w to gather. The all-reduce takes
 *      u + max(u, v) + (k-2) max(u+w, v) + max(v, w) + w
 *
 * PIPELINED with DOUBLE_TREE between m machines: k chunks go up the trees, one each
 * period P, as they are scattered. Then they come down, one each period, and are
 * gathered. A scatter takes u seconds, a gather w; a and B are latency and bandwidth
 * between machines; h = floor(log2(m-1)) + 1. The all-reduce takes
 *      u + (k-1) (max(u, P) + max(P, w)) + 2 h P + w,  P = 2 (a + S/(2 k B))
 * With many chunks and fast links inside machines this is near 2 S/B for any m. With TREE
 * and DOUBLING, the time grows with log2 m.
 *
 * STREAMED is NCCL's own estimate: bytes flow over all links at the same time, latencies
 * on the way add up, and the narrowest link sets the rate.
 *
 * STREAMED RING passes through all N accelerators on m machines in 2 (N-1) steps. 2 (m-1)
 * steps are between machines, with latency a and bandwidth B; a' and b hold inside. A
 * reduce-scatter or all-gather takes half as long as an all-reduce, which takes
 *      2 (N-m) a' + 2 (m-1) a + 2 (N-1)/N S/min(B, b)
 *
 * STREAMED DOUBLE_TREE has chains of g accelerators inside machines, and two trees
 * between m machines. c is 1 for two machines, which send the vector once, else 2. With
 * latencies a and bandwidth B between machines, a' and b inside, an all-reduce takes
 *      2 ((g-1) a' + floor(log2 m) a) + S max(c/B, 2/b) */
#define SGDPAR_FORM_TABLE(X)                \
    X(SGDPAR_FORM_FLAT,      "flat")        \
    X(SGDPAR_FORM_SPLIT,     "split")       \
    X(SGDPAR_FORM_INSIDE,    "inside")      \
    X(SGDPAR_FORM_PIPELINED, "pipelined")   \
    X(SGDPAR_FORM_STREAMED,  "streamed")

#define SGDPAR_X(name, text) name,
typedef enum sgdpar_form { SGDPAR_FORM_TABLE(SGDPAR_X) SGDPAR_FORM_COUNT } sgdpar_form;
#undef SGDPAR_X

/* Word for a collective, an algorithm or a form; "no such value" if out of range. */
SGDPAR_API const char *sgdpar_collective_text(sgdpar_collective collective);
SGDPAR_API const char *sgdpar_algorithm_text(sgdpar_algorithm algorithm);
SGDPAR_API const char *sgdpar_form_text(sgdpar_form form);

/* Machines of a collective. All machines are equal, and all accelerators take part. */
typedef struct sgdpar_topology {
    uint32_t machines;         /* number of machines, default 1                       */
    uint32_t gpus;             /* number of accelerators of each machine, default 1   */
    double   latency_s;        /* a: latency of a message between machines, seconds   */
    double   bandwidth_bytes_per_s; /* B: bandwidth of a machine's link, in each      */
                               /*   direction; needed if machines > 1                 */
    double   local_latency_s;  /* a': latency of a message inside a machine, seconds  */
    double   local_bandwidth_bytes_per_s; /* b: bandwidth of an accelerator's link    */
                               /*   inside a machine; needed if gpus > 1              */
    double   flow_cap_bytes_per_s; /* limit of one flow between machines; 0: no limit */
    uint32_t channels;         /* flows of a collective between two machines, default */
                               /*   1: the collective gets min(channels * flow cap,   */
                               /*   B)                                                */
    uint32_t beside;           /* BYTEPS: number of further machines, which only sum  */
                               /*   gradients. Each has a link of bandwidth B         */
} sgdpar_topology;

/* Sizes S of vectors and numbers of machines for which a library uses a protocol. */
typedef struct sgdpar_range {
    double   from_bytes;       /* S >= from_bytes                                     */
    double   below_bytes;      /* S < below_bytes; 0: no upper end                    */
    uint32_t from_machines;    /* number of machines >= from_machines                 */
    uint32_t below_machines;   /* number of machines < below_machines; 0: no upper end */
} sgdpar_range;

/* Costs of a library's protocol beyond those of the links themselves. */
typedef struct sgdpar_cost {
    double base_s;             /* time added once per collective, seconds             */
    double latency_s;          /* added to each message between machines, seconds     */
    double local_latency_s;    /* added to each message inside a machine, seconds     */
    double fraction;           /* part of B and b that carries data, default 1        */
    double most_bytes_per_s;   /* limit of B and of b after fraction; 0: no limit     */
} sgdpar_cost;

/* A protocol: one way in which a library does a collective, with its own costs. A library
 * may have several protocols for one collective. */
typedef struct sgdpar_protocol {
    sgdpar_collective collective;
    sgdpar_algorithm  algorithm; /* between machines, or inside a single machine      */
    sgdpar_algorithm  inside;  /* inside each of several machines, default RING       */
    sgdpar_form       form;
    uint32_t          chunks;  /* k of a pipeline; 0: the best of 1, 2, 4 ... 65536   */
    sgdpar_range      range;
    sgdpar_cost       cost;
} sgdpar_protocol;

/* Machines, and the protocols that may be used on them. */
typedef struct sgdpar_network {
    sgdpar_topology        topology;
    const sgdpar_protocol *protocol; /* [protocols]; the fastest one is used          */
    size_t                 protocols; /* number of protocols                          */
} sgdpar_network;

/* Computes the time of a collective on vectors of `bytes` bytes by one protocol. *time_s
 * receives the seconds; 0 for one worker. protocol->collective and ->range are not read.
 * COST  O(log n) for n workers; 17 times that if the best number of chunks is searched.
 * SGDPAR_BAD_ARGUMENT: NULL; no such collective, algorithm or form; a negative or
 * non-finite number; a link without bandwidth; a fraction above 1; a time that overflows;
 * an algorithm or form that cannot do this collective. */
SGDPAR_API sgdpar_status sgdpar_collective_time(sgdpar_collective collective,
                                                const sgdpar_protocol *protocol,
                                                const sgdpar_topology *topology,
                                                double bytes, double *time_s);

/* Finds the fastest protocol of a network for a collective on vectors of `bytes` bytes.
 * *time_s receives its time in seconds. *chosen, if not NULL, receives its index; the
 * first one wins a tie. O(protocols).
 *
 * CANDIDATES are protocols for this collective. Their range must include `bytes` and the
 * number of machines. sgdpar_collective_time must succeed with them on this topology.
 * SGDPAR_BAD_ARGUMENT: As sgdpar_collective_time; also if any protocol of the network is
 * invalid, or if there is no candidate. */
SGDPAR_API sgdpar_status sgdpar_best_protocol(sgdpar_collective collective,
                                              const sgdpar_network *on, double bytes,
                                              size_t *chosen, double *time_s);

/* Result of sgdpar_byteps: which part of S bytes of gradients each machine sums. There
 * are n machines with workers, and k further machines that only sum gradients. */
typedef struct sgdpar_division {
    double time_s;             /* time of the exchange, seconds                       */
    double beside;             /* part of S that each of the k machines adds up       */
    double own;                /* part of S that each of the n machines adds up       */
} sgdpar_division;

/* Computes the fastest exchange of gradients by BytePS [JZLYCG20]. n machines have
 * workers; k further machines only sum gradients. S = `bytes` is the size of the
 * gradients, B the bandwidth of each machine's link. *out receives the time, and which
 * part of S a machine sums: `beside` for each of the k machines, `own` for each of the n:
 *   machines    time_s        beside       own          with D = n^2 + k n - 2 k
 *   k < n       n beside S/B  2 (n-1) / D  (n-k) / D
 *   k >= n > 1  S/B           1/k          0
 *   n = 1       0             0            1
 * For k = 0, time_s is the time of an all-reduce by a ring.
 *
 * SGDPAR_BAD_ARGUMENT  NULL; n = 0; a negative or non-finite size; a bandwidth that is
 * not positive and finite; a time that overflows. */
SGDPAR_API sgdpar_status sgdpar_byteps(uint32_t n, uint32_t k, double bytes,
                                       double bandwidth_bytes_per_s,
                                       sgdpar_division *out);

/* Machines of a collective, of which some may not be full. S is the vector in bytes. */
typedef struct sgdpar_machines {
    uint32_t workers;          /* K, number of accelerators of all machines           */
    uint32_t machines;         /* m, number of machines                               */
    uint32_t gpus;             /* g, number of accelerators of a full machine         */
    uint32_t fullest, emptiest; /* accelerators of the fullest and the emptiest machine */
    double   transfer_s;       /* S/B: time of the vector on a machine's link, seconds */
    double   local_transfer_s; /* S/b: time of the vector inside a machine, seconds   */
    double   latency_s;        /* latency of each message between machines, seconds   */
    double   flow_transfer_s;  /* all-to-all: S/c, in one flow with cap c; 0: no cap  */
} sgdpar_machines;

/* Times of a collective over machines that may not be full. */
typedef struct sgdpar_exchange {
    double local_s;            /* part inside machines, seconds                       */
    double link_s;             /* part between machines, seconds                      */
    double carried_s;          /* part of link_s in which links carry bytes, seconds  */
    double growth_s;           /* added by one more machine, if there are many, seconds */
} sgdpar_exchange;

/* Computes the time of an all-reduce by rings on machines that may not be full, for
 * models of a step (sgdp_exchange_of of sgdperf.h). S is the size of the vector in bytes;
 * K workers are on m machines. O(1). The two parts of the time:
 *   FLAT    if m > 1, link_s: one ring through all K accelerators, in which each message
 *           of S/K bytes waits for the slower link. If m = 1, local_s: a ring
 *   SPLIT   local_s: a ring in the fullest machine. link_s: a ring between machines for
 *           the largest piece, S / emptiest bytes, alone on its links [TRG05]
 *   INSIDE  local_s: a ring in the fullest machine and, if m > 1, a broadcast. link_s: a
 *           ring of the whole vector between machines
 *
 * SUMMING MACHINES  With form INSIDE (see above) and `beside` > 0, `beside` more machines
 * only sum gradients. link_s is then time_s of sgdpar_byteps + 2 latencies, growth_s 0.
 * SGDPAR_BAD_ARGUMENT: NULL; another form; `beside` > 0 with another form than INSIDE; a
 * count of 0; a negative or non-finite time; a result that overflows. */
SGDPAR_API sgdpar_status sgdpar_ring_exchange(sgdpar_form form, uint32_t beside,
                                              const sgdpar_machines *on,
                                              sgdpar_exchange *out);

/* Computes the time of an all-to-all by PAIRWISE on machines that may not be full, for
 * models of a step. On one machine, local_s is the time of K - 1 messages of each of K
 * accelerators. On several machines, link_s is the time of K - 1 turns. O(1).
 *
 * TURNS  K accelerators take part, g on a full machine. In turn i, x = min(i, g, K-i,
 * K-g) messages are on a machine's link. Without latency and with a fast link inside, S
 * bytes take link_s = g (K-g)/K S/B seconds at bandwidth B. carried_s counts no latency.
 * Ignores on->emptiest.
 *
 * SGDPAR_BAD_ARGUMENT  NULL; a count of 0; fullest >= K on several machines; a negative
 * or non-finite time; a result that overflows. */
SGDPAR_API sgdpar_status sgdpar_pairwise_exchange(const sgdpar_machines *on,
                                                  sgdpar_exchange *out);

/* ---- Links --------------------------------------------------------------- */

/* The two levels of links: inside each machine (LOCAL), and between them (NETWORK). */
typedef enum sgdpar_level {
    SGDPAR_LEVEL_LOCAL = 0, SGDPAR_LEVEL_NETWORK, SGDPAR_LEVEL_COUNT
} sgdpar_level;

/* How a collective uses the links inside machines (LOCAL) and between machines (NETWORK).
 * The fields mean what the fields of sgdsim_cost in sgdperf_sim.h mean. */
typedef struct sgdpar_link_times {
    double alone_s;            /* time of the collective, alone on the links, seconds */
    double latency_s[SGDPAR_LEVEL_COUNT]; /* time of latencies; the link is then free */
    double busy_s[SGDPAR_LEVEL_COUNT]; /* time of its bytes on the link, alone, seconds */
    double share[SGDPAR_LEVEL_COUNT]; /* largest share of the link that it can use,   */
                               /*   in [0, 1]; 0: it does not use the link            */
} sgdpar_link_times;

/* Computes how long a collective occupies the links inside machines and those between
 * machines. The protocol is the fastest one, as found by sgdpar_best_protocol. For one
 * worker all values are 0, and no protocol is needed. O(protocols).
 *
 * EACH LINK is timed as if the other link and the protocol's fixed time base_s took no
 * time. latency_s is the time for 0 bytes; busy_s is the time that the bytes add.
 *
 * LIMITS of bandwidth (most_bytes_per_s, flow cap) make busy_s longer, and leave part of
 * the link to other collectives. `share` is (busy_s without limits) / busy_s.
 *
 * OVERLAP  Form FLAT uses both links at once: alone_s is near the longer of their times.
 * Forms SPLIT and INSIDE use one link after the other: alone_s is near the sum of their
 * times.
 * STATUSES  Those of sgdpar_best_protocol. */
SGDPAR_API sgdpar_status sgdpar_collective_links(sgdpar_collective collective,
                                                 const sgdpar_network *on, double bytes,
                                                 sgdpar_link_times *out);

/* A stream of an HTTP/2 connection: its sender has all bytes at start_s, in seconds. */
typedef struct sgdpar_stream { double bytes, start_s; } sgdpar_stream;

/* How a connection sends its streams. */
typedef struct sgdpar_connection {
    double bandwidth_bytes_per_s;
    double window_bytes;       /* bytes that a stream sends at its turn; 0: all       */
    int    every_turn;         /* 0: at its second turn a stream sends all its rest   */
                               /*   [LYPG20, 3.2.2]; 1: window_bytes at each turn     */
    double parsing_s_per_byte, parsing_s; /* a stream of n bytes ends later by        */
                               /*   max(0, parsing_s_per_byte n + parsing_s)          */
} sgdpar_connection;

/* Computes when n streams of an HTTP/2 connection have been received and parsed.
 * stream[n] is in the order of starts. end_s[n] receives the times in seconds.
 *
 * QUEUE  One stream is sent at a time. A stream joins the end of the queue when it
 * starts, and again when its window is used up. At equal times the starting stream joins
 * first. If every_turn is 0, sgdsim_run of sgdperf_sim.h computes the same end times.
 *
 * COST  O(n + turns) time for n streams. With every_turn, a stream has bytes /
 * window_bytes turns; else at most 2. The work area has 4 bytes for each stream.
 * STATUSES  SGDPAR_OVER_BUDGET: with every_turn, all streams have more than 10^7 turns.
 * SGDPAR_TOO_LARGE: n > 2^32 - 1. SGDPAR_BAD_ARGUMENT: a pointer is NULL; n = 0; a value
 * is out of domain; the starts are not in ascending order; a time overflows. */
SGDPAR_API sgdpar_status sgdpar_stream_ends(const sgdpar_stream *stream, size_t n,
                                            const sgdpar_connection *connection,
                                            void *work, size_t work_bytes, double *end_s);
SGDPAR_API sgdpar_status sgdpar_stream_ends_bytes(size_t n, size_t *bytes);

/* ---- Buckets ------------------------------------------------------------- */

/* A tensor of parameters. Arrays of tensors are in the order of the backward pass. */
typedef struct sgdpar_tensor {
    uint64_t bytes;            /* size of its gradient, bytes                         */
    double   backward_s;       /* backward time since the previous gradient, seconds  */
} sgdpar_tensor;

#define SGDPAR_FIRST_BUCKET_BYTES 1048576  /* PyTorch's defaults: 1 MiB and 25 MiB  */
#define SGDPAR_BUCKET_BYTES 26214400

/* Limits of buckets of gradients. A bucket closes once it holds its limit or more. */
typedef struct sgdpar_bucket_limits {
    uint64_t first_bytes;      /* first bucket; default SGDPAR_FIRST_BUCKET_BYTES     */
    uint64_t cap_bytes;        /* later buckets; default SGDPAR_BUCKET_BYTES          */
} sgdpar_bucket_limits;

/* Puts n tensors into buckets as PyTorch's DistributedDataParallel does [LZV20]. Each
 * tensor goes into the open bucket, which closes once it holds its limit or more. No
 * tensor is split. `limits` may be NULL, for the defaults. O(n).
 *
 * OUTPUTS  bucket_bytes[n] receives the sizes of the buckets in the order of exchange.
 * *buckets receives their number, at most n. first[n], if not NULL, receives the index of
 * the first tensor of each bucket.
 *
 * ORDER  PyTorch orders tensors by when their gradients became ready in the first step.
 * This is nearly the reverse order of registration, but weights of convolutions come
 * before biases.
 *
 * STATUSES  SGDPAR_BAD_ARGUMENT: a required pointer is NULL; n = 0. SGDPAR_TOO_LARGE: the
 * tensors have more than 2^53 bytes in all. */
SGDPAR_API sgdpar_status sgdpar_buckets(const sgdpar_tensor *tensor, size_t n,
                                        const sgdpar_bucket_limits *limits,
                                        uint64_t *bucket_bytes, size_t *first,
                                        size_t *buckets);

/* ---- Steps --------------------------------------------------------------- */

/* Ways of sharding. A way divides some of the state (parameters, gradients, optimizer
 * state) into n parts, one for each worker. It also decides what they exchange:
 *
 * NONE is DDP [LZV20]: no state is divided. A bucket is all-reduced when its last
 * gradient is ready and the bucket before is done. Only the last micro-batch exchanges.
 * Then comes the update.
 *
 * OPTIMIZER is ZeRO-1 [RRRH20]. A bucket is reduce-scattered when NONE would all-reduce
 * it: when its last gradient is ready. Then each of n workers updates 1/n of the
 * parameters. Last comes an all-gather of the parameters, which overlaps nothing.
 *
 * GRADIENTS is ZeRO-2: as OPTIMIZER (ZeRO-1), but every micro-batch reduce-scatters its
 * gradients, because a worker keeps only its part of the summed gradients.
 *
 * ALL is ZeRO-3, or FSDP [ZGVL23]. In every micro-batch a unit (some layers) is gathered
 * before its forward pass and again before its backward pass. Its gradients are
 * reduce-scattered after the backward pass. Each of n workers updates 1/n of the
 * parameters.
 *
 * ORDER of ALL  `prefetch` is the number of units gathered ahead. The gathers of the
 * first prefetch + 1 units of a pass are issued at once. Each other gather is issued when
 * the unit prefetch + 1 places earlier has ended. A unit's scatter is issued when its
 * backward pass ends. On ties the scatter comes first.
 *
 * HYBRID is HSDP: as ALL inside each machine of g accelerators. After each scatter the
 * parts are all-reduced between machines, by g groups at once; each group has 1/g of the
 * bandwidth of a machine's link. */
#define SGDPAR_SHARDING_TABLE(X)            \
    X(SGDPAR_SHARDING_NONE,      "ddp")     \
    X(SGDPAR_SHARDING_OPTIMIZER, "zero-1")  \
    X(SGDPAR_SHARDING_GRADIENTS, "zero-2")  \
    X(SGDPAR_SHARDING_ALL,       "fsdp")    \
    X(SGDPAR_SHARDING_HYBRID,    "hsdp")

#define SGDPAR_X(name, text) name,
typedef enum sgdpar_sharding {
    SGDPAR_SHARDING_TABLE(SGDPAR_X) SGDPAR_SHARDING_COUNT
} sgdpar_sharding;
#undef SGDPAR_X

/* Word for a way of sharding, such as "fsdp"; "no such value" if out of range. */
SGDPAR_API const char *sgdpar_sharding_text(sgdpar_sharding sharding);

/* A unit of FSDP: layers that are gathered and scattered as a whole. Arrays of units are
 * in the order of the forward pass. */
typedef struct sgdpar_unit {
    double bytes;              /* size of its gradients, bytes                        */
    double forward_s;          /* its forward pass, one micro-batch, seconds          */
    double backward_s;         /* its backward pass, one micro-batch, seconds         */
} sgdpar_unit;

/* Data that workers exchange: tensors in buckets, or units of FSDP. */
typedef struct sgdpar_layers {
    const sgdpar_tensor *tensor; /* [tensors] for NONE, OPTIMIZER, GRADIENTS          */
    size_t               tensors; /* number of tensors                                */
    const sgdpar_unit   *unit; /* [units] for ALL, HYBRID                             */
    size_t               units; /* number of units                                    */
    double               gathered; /* bytes of a gathered parameter over bytes of its */
                               /*   gradient, default 1                               */
} sgdpar_layers;

/* Compute times of a worker that are not given with its tensors or units.
 *
 * SLOWEST  All passes of a step take `slowest` times as long, as if one worker were late
 * from start to end. This is an upper bound. With local SGD `slowest` must be 1. */
typedef struct sgdpar_compute {
    double forward_s;          /* forward pass of one micro-batch, seconds            */
    double tail_s;             /* backward pass after the last gradient, seconds      */
    double update_s;           /* update of all parameters by one worker, seconds     */
    double scale;              /* factor on all passes and on the update, for other   */
                               /*   machines or another batch; default 1              */
    double slowest;            /* compute time of the worker that a step waits for /  */
                               /*   mean compute time: from sgdp_slowest, or with     */
                               /*   backup workers from sgdp_kth_fastest. Default 1   */
    double growth;             /* compute time of one of these workers / that of a    */
                               /*   worker alone, >= 1, from sgdp_stretch_of. Default 1 */
} sgdpar_compute;

/* Times at which workers exchange gradients or parameters.
 *
 * LOCAL SGD  With local_steps = H > 0 each worker updates by itself. Every H-th step one
 * all-reduce averages all parameters, and overlaps nothing. Only with sharding NONE. */
typedef struct sgdpar_schedule {
    uint32_t accumulate;       /* number of micro-batches of a step, default 1        */
    uint32_t local_steps;      /* local SGD: number of steps from one average of the  */
                               /*   parameters to the next. Default 0: no local SGD;  */
                               /*   every step exchanges gradients                    */
    uint32_t prefetch;         /* units gathered ahead; 0: each when it is needed     */
} sgdpar_schedule;

/* How compute and exchanges of a step slow each other down, and how far they overlap. The
 * slowdowns hold while both run at once.
 *
 * EXPOSURE h is the share of a step's exchanges that compute does not hide; h < 0 counts
 * as 0. If passes compute for C and exchanges take E, both take the longer of C + h E and
 * E. With h > 1 the library does not reach the bandwidth of the links, and exchange_s is
 * h E. All gradients are in one bucket. Local SGD hides nothing: C + max(h, 1) E. */
typedef struct sgdpar_overlap {
    double compute_slowdown;   /* factor on compute during an exchange, >= 1; default 1 */
    double exchange_slowdown;  /* factor on an exchange during compute, >= 1; default 1 */
    double exponent;           /* p >= 1: compute C and exchange E of the last        */
                               /*   micro-batch take (C^p + E^p)^(1/p) seconds.       */
                               /*   Default 0: buckets are followed one by one        */
    double exposure;           /* exposure h as in sgdp_overlap: neither buckets nor  */
                               /*   units are followed. Default 0: not used           */
} sgdpar_overlap;

/* A data-parallel step. Only sharding NONE, OPTIMIZER and GRADIENTS read layers.tensor,
 * compute.forward_s, compute.tail_s and buckets. Only shardings ALL and HYBRID read
 * layers.unit and schedule.prefetch. */
typedef struct sgdpar_replica {
    sgdpar_sharding      sharding;
    sgdpar_layers        layers;
    sgdpar_compute       compute;
    sgdpar_bucket_limits buckets;
    sgdpar_schedule      schedule;
    sgdpar_overlap       overlap;
    sgdpar_network       network;
} sgdpar_replica;

/* The times of a data-parallel step, as sgdpar_replica_time computes them. */
typedef struct sgdpar_replica_step {
    double step_s;             /* mean time of the step, seconds                      */
    double compute_s;          /* micro-batches and update of the slowest worker,     */
                               /*   without exchanges, seconds                        */
    double exchange_s;         /* all collectives, one after the other, seconds       */
    double exposed_s;          /* step_s - compute_s: exchanges not hidden, seconds   */
    size_t exchanges;          /* number of buckets, or of collectives of units       */
    uint64_t ways;             /* algorithms and forms of its collectives: SGDPAR_WAY */
                               /*   bits; 0: no collectives                           */
} sgdpar_replica_step;

/* The bit of sgdpar_replica_step.ways for an algorithm in a form: 1 if it was used. */
#define SGDPAR_WAY(algorithm, form) \
    ((uint64_t)1 << ((size_t)(algorithm) * SGDPAR_FORM_COUNT + (size_t)(form)))

/* Computes the time of a data-parallel step, by following compute and exchanges event by
 * event. Exchanges run in a stream of their own, one at a time, in the order in which
 * they could begin. sgdpar_sharding says what is exchanged and when.
 *
 * COST  O(tensors) or O(units), and a search of the protocols for each exchange. Calls
 * pow if overlap.exponent > 0. Only shardings ALL and HYBRID need a work area.
 * SGDPAR_BAD_ARGUMENT: A pointer is NULL; no tensors or no units; a number out of its
 * domain; a collective that no protocol can do. Or two options that exclude each other:
 *   overlap.exponent  with sharding ALL, sharding HYBRID, local SGD, or any slowdown
 *   overlap.exposure  with overlap.exponent, or any slowdown
 *   local SGD         with any sharding, or compute.slowest other than 1
 *
 * OTHER STATUSES  SGDPAR_SMALL_WORKSPACE. SGDPAR_TOO_LARGE: more than 2^53 bytes in
 * buckets, or more exchanges than a size_t holds. */
SGDPAR_API sgdpar_status sgdpar_replica_time(const sgdpar_replica *replica, void *work,
                                             size_t work_bytes, sgdpar_replica_step *out);
SGDPAR_API sgdpar_status sgdpar_replica_time_bytes(const sgdpar_replica *replica,
                                                   size_t *bytes);

/* Finds the size limit of buckets with the least step time. *bucket_bytes receives the
 * limit, *out the step. The search ignores overlap.exposure; the step in *out counts it.
 *
 * SEARCH  The first limit tried is 64 KiB, or buckets.cap_bytes if it is not 0. The
 * limit is doubled until one bucket holds all tensors. On ties the largest limit wins.
 *
 * SGDPAR_BAD_ARGUMENT  As sgdpar_replica_time. Also shardings ALL and HYBRID, local SGD
 * or an exponent, because there are no buckets to choose. Also exchanges without any
 * latency (of topology or protocol), because the smallest limit would always win. */
SGDPAR_API sgdpar_status sgdpar_best_bucket(const sgdpar_replica *replica,
                                            uint64_t *bucket_bytes,
                                            sgdpar_replica_step *out);

/* Computes how long an exchange of a data-parallel step occupies the links inside
 * machines and those between machines, as sgdpar_collective_links does. `bytes` is the
 * size of the parameters or gradients exchanged. O(protocols). The exchange is:
 *   gathers  sharding  exchange
 *   not 0    any       all-gather of parameters (HYBRID: inside machines)
 *   0        NONE      all-reduce of gradients
 *   0        HYBRID    reduce-scatter inside machines, all-reduce between machines
 *   0        others    reduce-scatter of gradients
 *
 * HYBRID  Each of the g accelerators of a machine all-reduces its own part, with 1/g of
 * the bandwidth of the machine's link.
 * STATUSES  Those of sgdpar_collective_links. Also BAD_ARGUMENT: no such sharding. */
SGDPAR_API sgdpar_status sgdpar_exchange_links(sgdpar_sharding sharding, int gathers,
                                               const sgdpar_network *on, double bytes,
                                               sgdpar_link_times *out);

/* ---- Pipelines ----------------------------------------------------------- */

/* Schedules of a pipeline: in which order each of P devices does the passes of m
 * micro-batches. F is a forward pass, B a backward pass; device p counts from 0.
 *
 * 1F1B [NPSCZ21]: device p of P does P-1-p forward passes, then forward and backward
 * passes in turn, then backward passes only. At most P-p micro-batches are in flight on
 * device p.
 *
 * GPIPE [HCBC19]: all F, then all B. All m micro-batches are in flight.
 *
 * INTERLEAVED [NSCL21]: each of P devices has v > 1 stages; device p has the stages p,
 * P+p, 2P+p, ... Micro-batches pass in groups of P through a stage of each device, then
 * through the next stage of each. m, the number of micro-batches, is a multiple of P.
 *
 * ORDER of INTERLEAVED: device p first does 2(P-1-p) + (v-1)P times F, then F and B in
 * turn, then the B that are left. Backward passes take the stages of a device in reverse.
 *
 * ZB [QWHL24], zero bubble, schedule ZB-H1: as 1F1B, but a backward pass has two parts. B
 * computes gradients of the stage's input, for which the stage before waits. W computes
 * gradients of the weights. At most P micro-batches are in flight.
 *
 * ORDER of ZB: on device p, W of a micro-batch follows B of the micro-batch p places
 * later. The W that are left come last. */
#define SGDPAR_PIPELINING_TABLE(X)                     \
    X(SGDPAR_PIPELINING_1F1B,        "1f1b")           \
    X(SGDPAR_PIPELINING_GPIPE,       "gpipe")          \
    X(SGDPAR_PIPELINING_INTERLEAVED, "interleaved")    \
    X(SGDPAR_PIPELINING_ZB,          "zb")

#define SGDPAR_X(name, text) name,
typedef enum sgdpar_pipelining {
    SGDPAR_PIPELINING_TABLE(SGDPAR_X) SGDPAR_PIPELINING_COUNT
} sgdpar_pipelining;
#undef SGDPAR_X

/* Word for a schedule of a pipeline, such as "gpipe"; "no such value" if out of range. */
SGDPAR_API const char *sgdpar_pipelining_text(sgdpar_pipelining schedule);

/* A stage of a pipeline: layers that one device holds. exchange_s and update_s are times
 * per step. All other times are per micro-batch. */
typedef struct sgdpar_stage {
    double forward_s;          /* forward pass, seconds                               */
    double backward_s;         /* whole backward pass, seconds                        */
    double weight_s;           /* part of backward_s for gradients of the weights; only */
                               /*   ZB reads it                                       */
    double send_s;             /* seconds of each of two transfers: activations to    */
                               /*   the next stage, and their gradients back          */
    double exchange_s;         /* data-parallel exchange of its gradients, seconds    */
    double update_s;           /* update of its parameters, seconds                   */
    double activations_bytes;  /* what it keeps of a micro-batch from F to B (ZB: to W) */
} sgdpar_stage;

/* A pipeline of P devices. A device is one accelerator, or several that work as one. */
typedef struct sgdpar_pipeline {
    sgdpar_pipelining   schedule;
    const sgdpar_stage *stage; /* [devices * chunks] in the order of the forward pass */
    uint32_t            devices; /* P: number of devices                              */
    uint32_t            chunks; /* v: stages of a device, default 1; above 1 if and   */
                               /*   only if the schedule is INTERLEAVED               */
    uint32_t            micro_batches; /* m: micro-batches of a step                  */
} sgdpar_pipeline;

/* One device of a pipeline during a step. */
typedef struct sgdpar_device {
    double passes_s;           /* time of its passes, seconds                         */
    double done_s;             /* time when its passes, exchanges and update are done */
    double activations_bytes;  /* most that it keeps at a time, bytes                 */
} sgdpar_device;

/* The times of a step of a pipeline, as sgdpar_pipeline_time computes them. */
typedef struct sgdpar_pipeline_step {
    double step_s;             /* time until the last device has updated, seconds     */
    double passes_s;           /* time until the last pass of all ends, seconds       */
    double largest_s;          /* passes of the device that has most of them, seconds */
    double bubble_share;       /* part of passes_s in which a device waits, mean over */
                               /*   devices; 0 if no pass takes time                  */
    double exposed_s;          /* step_s - passes_s: exchanges and updates not hidden */
} sgdpar_pipeline_step;

/* Computes the time of a step of a pipeline of P devices. device[P], if not NULL,
 * receives the result of each device. The step lasts until the last device has updated.
 *
 * PASSES  Each device does its passes in the order of the schedule. A pass begins when
 * the pass before on this device is done and its input has come.
 *
 * TRANSFERS of activations and of their gradients run beside passes. A device sends one
 * transfer at a time to the next device, and one to the previous device. A transfer
 * between stages of one device takes no time.
 *
 * EXCHANGES  The exchange of a stage begins when its last gradient is ready, and runs
 * beside passes. A device does one exchange at a time. Its update comes last.
 *
 * FORMULAS for transfers of no time and m micro-batches. A stage takes f seconds forward,
 * b backward and t = f + b; max and sum go over stages:
 *   GPIPE  sum f + (m-1) max f + sum b + (m-1) max b
 *   1F1B   sum t + (m-1) max t: exact if the last stage has the longest f and the longest
 *          b; an upper bound if all b / f are equal (up to 26 % above in random cases)
 *
 * BUBBLES: how long each of P devices with equal times waits in a step. A device takes f
 * seconds forward and b backward for a micro-batch; t = f + b. w is the part of b for W:
 *   GPIPE, 1F1B  (P-1) t
 *   INTERLEAVED  (P-1) t/v, with v equal stages on each device
 *   ZB           (P-1) max(f, b-w, f+b-2w), if there are at least P micro-batches
 *
 * QUEUES  A stage takes t seconds a micro-batch. A step of m micro-batches takes at least
 * m max t. In all tests, it took less than sum t + m / X. X is the throughput of P tasks
 * that go round and round through the P devices, with exponentially distributed times of
 * mean t (sgdp_mva_exact).
 *
 * MEMORY  activations_bytes of a device is the largest at any time. With parameters and
 * gradients it gives the memory of the device: see sgdpar_memory_of.
 *
 * STATUSES  SGDPAR_TOO_LARGE, SGDPAR_SMALL_WORKSPACE, and SGDPAR_BAD_ARGUMENT for:
 *   NULL (except `device`); no devices; no micro-batches; no such schedule
 *   a negative or non-finite number; a result that overflows
 *   schedule ZB: weight_s > backward_s; INTERLEAVED: micro_batches no multiple of devices
 *   chunks above 1 without schedule INTERLEAVED, or not above 1 with it */
SGDPAR_API sgdpar_status sgdpar_pipeline_time(const sgdpar_pipeline *pipeline, void *work,
                                              size_t work_bytes, sgdpar_device *device,
                                              sgdpar_pipeline_step *out);
/* Writes to *bytes the size of the work area, 16 P v m + 88 P for P devices of v stages
 * and m micro-batches. sgdpar_pipeline_time takes O(P v m) time. */
SGDPAR_API sgdpar_status sgdpar_pipeline_time_bytes(const sgdpar_pipeline *pipeline,
                                                    size_t *bytes);

/* D copies of a pipeline on machines. Devices are numbered stage by stage: device p of
 * copy d has the number p D + d. With g devices per machine, the machine of this device
 * is (p D + d) / g, rounded down. */
typedef struct sgdpar_copies {
    sgdpar_network  network;   /* links and protocols. topology.gpus: devices of a full */
                               /*   machine; topology.machines is not read            */
    uint32_t        copies;    /* D: number of copies                                 */
    sgdpar_sharding sharding;  /* NONE or OPTIMIZER                                   */
    const double   *gradient_bytes; /* [stages] gradients of a stage                  */
    const double   *output_bytes; /* [stages] what a stage sends to the next one for a */
                               /*   micro-batch; NULL: transfers take no time         */
} sgdpar_copies;

/* Sets send_s and exchange_s in stage[devices * chunks], the stages of a pipeline that
 * runs in D copies. Takes O(devices chunks protocols) time.
 *
 * SEND  send_s is latency + output_bytes / bandwidth. If sender and receiver are on one
 * machine, both are those inside a machine. Otherwise min(D, g) copies share the link of
 * a machine of g devices equally. A copy gets at most channels * flow cap.
 *
 * EXCHANGE  exchange_s is the time of a collective on the stage's gradients by the
 * fastest protocol: an all-reduce with sharding NONE, a reduce-scatter with OPTIMIZER.
 * Sharding OPTIMIZER also divides update_s by D, then adds the time of an all-gather to
 * it.
 *
 * SGDPAR_BAD_ARGUMENT  for these causes:
 *   NULL (except output_bytes); a count of 0; a sharding other than NONE, OPTIMIZER
 *   neither D nor g divides the other, for D copies and g devices a machine
 *   a negative or non-finite number; a link without bandwidth; a time that overflows
 *   a collective that no protocol can do */
SGDPAR_API sgdpar_status sgdpar_pipeline_transfers(const sgdpar_copies *of,
                                                   uint32_t devices, uint32_t chunks,
                                                   sgdpar_stage *stage);

/* What a device does during a step of a pipeline, for sgdpar_pipeline_replay. */
#define SGDPAR_ACTIVITY_TABLE(X)              \
    X(SGDPAR_ACTIVITY_FORWARD,  "forward")    \
    X(SGDPAR_ACTIVITY_BACKWARD, "backward")   \
    X(SGDPAR_ACTIVITY_WEIGHT,   "weight")     \
    X(SGDPAR_ACTIVITY_NEXT,     "to next")    \
    X(SGDPAR_ACTIVITY_PREVIOUS, "to previous") \
    X(SGDPAR_ACTIVITY_EXCHANGE, "exchange")   \
    X(SGDPAR_ACTIVITY_UPDATE,   "update")

#define SGDPAR_X(name, text) name,
typedef enum sgdpar_activity {
    SGDPAR_ACTIVITY_TABLE(SGDPAR_X) SGDPAR_ACTIVITY_COUNT
} sgdpar_activity;
#undef SGDPAR_X

/* Word for an activity, such as "backward"; "no such value" if out of range. */
SGDPAR_API const char *sgdpar_activity_text(sgdpar_activity what);

/* An activity of a device that has ended: a pass, transfer, exchange or update. */
typedef struct sgdpar_span {
    sgdpar_activity what;
    uint32_t        device;      /* device that did it; of a transfer, the sender     */
    size_t          stage;
    uint32_t        micro_batch; /* 0 if the activity comes once per step             */
    double          start_s, end_s; /* times since the step began, seconds            */
} sgdpar_span;

/* The links that the devices of a pipeline share, for sgdpar_pipeline_replay. */
typedef struct sgdpar_shared {
    const uint32_t *machine;     /* [devices] machine of each device, 0 to devices -  */
                                 /*   1; NULL: nothing is shared                      */
    int             between;     /* != 0: exchanges use the links between machines;   */
                                 /*   0: those of their device inside a machine       */
    void          (*on_span)(void *ctx, const sgdpar_span *span); /* NULL: not called */
    void           *ctx;
} sgdpar_shared;

/* Replays a step of a pipeline event by event: the passes, transfers and exchanges of
 * sgdpar_pipeline_time, on links that are shared. If links->machine is NULL, the step
 * equals that of sgdpar_pipeline_time up to rounding. device[devices] may be NULL.
 *
 * LINKS  Each machine has a link to the other machines. Each device has a link inside its
 * machine. Each link has two directions. send_s and exchange_s are times alone on a link.
 *
 * DIRECTIONS  A transfer takes the outgoing direction of the sender's link and the
 * incoming direction of the receiver's link: links of the machines, or of the devices if
 * both are on one machine. An exchange takes both directions of one link.
 *
 * SHARES  n transfers or exchanges that use a direction at the same time get 1/n of its
 * bandwidth each. If one of them uses two directions, its smaller share counts.
 *
 * COPIES  One pipeline stands for all its copies, which do the same at the same time:
 * send_s of sgdpar_pipeline_transfers contains the share of each copy already.
 *
 * CALLBACK  links->on_span is called for each activity when it ends, except for
 * transfers, exchanges and updates that take no time. Updates come last.
 * STATUSES  As sgdpar_pipeline_time; BAD_ARGUMENT also if a machine is out of range. */
SGDPAR_API sgdpar_status sgdpar_pipeline_replay(const sgdpar_pipeline *pipeline,
                                                const sgdpar_shared *links, void *work,
                                                size_t work_bytes, sgdpar_device *device,
                                                sgdpar_pipeline_step *out);
/* Writes to *bytes the size of the work area, 40 P v m + 352 P for P devices of v stages
 * and m micro-batches. sgdpar_pipeline_replay takes O(P^2 v m) time. */
SGDPAR_API sgdpar_status sgdpar_pipeline_replay_bytes(const sgdpar_pipeline *pipeline,
                                                      size_t *bytes);

/* ---- Memory -------------------------------------------------------------- */

/* Bytes of state per parameter. The defaults are those of single precision with Adam: 4
 * for the parameter, 4 for the gradient, 8 for the optimizer. Mixed precision with Adam
 * has 2, 2 and 12 [RRRH20]. sgdpar_set_optimizer knows other optimizers. */
typedef struct sgdpar_precision {
    double parameter;          /* bytes of a parameter as used in computing; default 4 */
    double gradient;           /* bytes of its gradient; default: as the parameter    */
    double optimizer;          /* bytes of optimizer state, including a copy of the   */
                               /*   parameter in single precision; default 8, or 12   */
                               /*   if `parameter` is 2; below 0: none                */
} sgdpar_precision;

/* Optimizers, and their bytes of state per parameter, for parameters in single precision:
 *   SGD            0
 *   MOMENTUM       4          one average [SMDH13]
 *   ADAM, AdamW    8          two averages [KB15]
 *   ADAFACTOR      8/sqrt(p)  of a tensor of p parameters, at most 4: the second average
 *                             by rows and columns, no first one [SS18]
 *   MOMENTUM_8BIT  1 + 4/2048 one average of 8 bits, and 4 bytes for each block of 2048
 *   ADAM_8BIT      2 + 8/2048 two such averages [DLSZ22]
 *
 * ADAFACTOR depends on shapes. Tensors are taken as square matrices, which need least. An
 * n x m matrix takes (n + m)/(2 sqrt(n m)) times as much: 1.25 for 4 : 1, 3.6 for 50,000
 * x 1,000. A vector takes 4 bytes a parameter. In a network that is mostly matrices,
 * shapes and vectors add far less than a byte per parameter. */
#define SGDPAR_OPTIMIZER_TABLE(X)                            \
    X(SGDPAR_OPTIMIZER_ADAM,          "adam")                \
    X(SGDPAR_OPTIMIZER_SGD,           "sgd")                 \
    X(SGDPAR_OPTIMIZER_MOMENTUM,      "momentum")            \
    X(SGDPAR_OPTIMIZER_ADAFACTOR,     "adafactor")           \
    X(SGDPAR_OPTIMIZER_ADAM_8BIT,     "adam-8bit")           \
    X(SGDPAR_OPTIMIZER_MOMENTUM_8BIT, "momentum-8bit")

#define SGDPAR_X(name, text) name,
typedef enum sgdpar_optimizer {
    SGDPAR_OPTIMIZER_TABLE(SGDPAR_X) SGDPAR_OPTIMIZER_COUNT
} sgdpar_optimizer;
#undef SGDPAR_X

/* Word for an optimizer; "no such value" if out of range. */
SGDPAR_API const char *sgdpar_optimizer_text(sgdpar_optimizer optimizer);

/* Sets precision->optimizer to the bytes of state of an optimizer per parameter. If
 * precision->parameter is set and below 4, adds 4 for a copy in single precision.
 *
 * TENSORS  tensor[tensors] has the number of parameters of each tensor. Only ADAFACTOR
 * reads it: its bytes per parameter are the mean over all parameters. O(tensors).
 * SGDPAR_BAD_ARGUMENT: NULL; no such optimizer; an invalid precision. With ADAFACTOR
 * also no tensors, a negative or non-finite number, or only zeros. */
SGDPAR_API sgdpar_status sgdpar_set_optimizer(sgdpar_precision *precision,
                                              sgdpar_optimizer optimizer,
                                              const double *tensor, size_t tensors);

/* A model and its workers, for sgdpar_memory_of. */
typedef struct sgdpar_model {
    sgdpar_precision precision;
    double   parameters;       /* number of parameters of the model                   */
    double   largest_unit;     /* parameters of the largest unit; for ALL and HYBRID  */
    double   activations_bytes; /* activations of one worker, bytes                   */
    uint32_t workers;          /* number of workers                                   */
    uint32_t gpus;             /* accelerators of a machine; only HYBRID reads it     */
    uint32_t prefetch;         /* units gathered ahead, for ALL and HYBRID            */
    sgdpar_sharding sharding;
} sgdpar_model;

/* The memory that one worker needs, in bytes. */
typedef struct sgdpar_memory {
    double parameters_bytes, gradients_bytes, optimizer_bytes;
    double gathered_bytes;     /* units that are gathered (whole) at the same time    */
    double activations_bytes;
    double total_bytes;        /* sum of all the above                                */
} sgdpar_memory;

/* Computes the memory that one worker needs, in bytes [RRRH20, fig. 1]. Fragmentation and
 * the framework itself are not counted. The bytes of activations come from *model.
 *
 * STATE  Each worker holds parameters, gradients and optimizer state: each of them whole,
 * or 1/n if `sharding` divides it. n: all workers; for HYBRID those of a machine.
 *
 * UNITS  If n > 1, shardings ALL and HYBRID also hold the gradients of one unit. They
 * hold prefetch + 1 gathered units of largest_unit parameters, or the whole model if that
 * is less.
 *
 * SGDPAR_BAD_ARGUMENT  NULL; no workers; a negative or non-finite number; largest_unit >
 * parameters; sharding HYBRID with gpus = 0 or not a divisor of workers. */
SGDPAR_API sgdpar_status sgdpar_memory_of(const sgdpar_model *model, sgdpar_memory *out);

/* ---- Remedies ------------------------------------------------------------ */

/* Remedies: changes that may speed up a step. Compute time is taken as proportional to
 * the batch. This is too optimistic for batches that do not fill an accelerator. */
#define SGDPAR_REMEDY_TABLE(X)                                                      \
    X(SGDPAR_REMEDY_BANDWIDTH, "twice the bandwidth")                               \
    X(SGDPAR_REMEDY_BATCH,     "twice the batch")                                   \
    X(SGDPAR_REMEDY_COMPUTE,   "workers twice as fast")                             \
    X(SGDPAR_REMEDY_LOCAL,     "twice the bandwidth inside machines")               \
    X(SGDPAR_REMEDY_PASSES,    "twice the micro-batches a step")

#define SGDPAR_X(name, text) name,
typedef enum sgdpar_remedy {
    SGDPAR_REMEDY_TABLE(SGDPAR_X) SGDPAR_REMEDY_COUNT
} sgdpar_remedy;
#undef SGDPAR_X

/* Text of a remedy, such as "twice the batch"; "no such value" if out of range. */
SGDPAR_API const char *sgdpar_remedy_text(sgdpar_remedy remedy);

/* Computes the relative gain of throughput, in examples per second, by each remedy alone:
 * 0.3 is 30 % more. gain[SGDPAR_REMEDY_COUNT] receives the gains; 0 if a remedy does not
 * apply. Memory is not checked: twice the batch has twice the activations.
 *
 * REMEDIES in detail: BANDWIDTH and LOCAL double the bandwidths of the topology. COMPUTE
 * halves compute.scale, and BATCH doubles it; both also scale the update.
 *
 * BUCKETS  If best_bucket != 0, each step takes the buckets of sgdpar_best_bucket, whose
 * search starts at buckets.cap_bytes of *replica.
 *
 * COST  Up to 6 predictions of a step: without a remedy, and with each. A prediction is a
 * call of sgdpar_replica_time, or of sgdpar_best_bucket if best_bucket != 0. Work area
 * and statuses are as of that function. SGDPAR_BAD_ARGUMENT also if a step takes 0 s. */
SGDPAR_API sgdpar_status sgdpar_remedies(const sgdpar_replica *replica, int best_bucket,
                                         void *work, size_t work_bytes, double *gain);

/* ---- Library --------------------------------------------------------------- */

/* Returns the SGDPERF_PARALLEL_VERSION of the compiled implementation. A program that
 * loads a shared library compares the result with the version of its own header.
 *
 * EXPORTS  To export or import the functions, define SGDPAR_API before every inclusion of
 * the header, as __attribute__((visibility("default"))) or __declspec(dllimport). */
SGDPAR_API int sgdpar_version(void);

/* Returns the size in bytes of the public struct called `name`, as compiled. Returns 0 if
 * there is no such struct. A binding in another language can check its own size by it. */
SGDPAR_API size_t sgdpar_struct_bytes(const char *name);

#define SGDPAR_STRUCT_TABLE(X) \
    X(sgdpar_topology) X(sgdpar_range) X(sgdpar_cost) X(sgdpar_protocol) \
    X(sgdpar_network) X(sgdpar_division) X(sgdpar_machines) X(sgdpar_exchange) \
    X(sgdpar_link_times) X(sgdpar_tensor) X(sgdpar_bucket_limits) X(sgdpar_unit) \
    X(sgdpar_layers) X(sgdpar_compute) X(sgdpar_schedule) X(sgdpar_overlap) \
    X(sgdpar_replica) X(sgdpar_replica_step) X(sgdpar_precision) X(sgdpar_model) \
    X(sgdpar_memory) X(sgdpar_stage) X(sgdpar_pipeline) X(sgdpar_device) \
    X(sgdpar_pipeline_step) X(sgdpar_copies) X(sgdpar_span) X(sgdpar_shared) \
    X(sgdpar_stream) X(sgdpar_connection)

#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_PARALLEL_H */

#if defined(SGDPERF_PARALLEL_IMPLEMENTATION) && !defined(SGDPERF_PARALLEL_IMPLEMENTED)
#define SGDPERF_PARALLEL_IMPLEMENTED
/* ============================================================================
 *   IMPLEMENTATION
 *   Contents of the code below: chapters, each with its parts in their order.
 *   Common block         the same in all headers: checks, work areas, sorting
 *   Collectives          words
 *                        one level
 *                        machines of several accelerators
 *                        parameter servers beside workers
 *                        machines that may not be full
 *   Links                what a collective does on each
 *                        streams of HTTP/2
 *   Buckets
 *   Steps                words, and what is exchanged
 *                        with buckets
 *                        with sharded parameters
 *   Pipelines            schedules
 *                        copies on machines
 *                        replay on shared links
 *   Memory
 *   Remedies
 * ==========================================================================*/

#ifndef SGDPAR_ASSERT
#include <assert.h>
#define SGDPAR_ASSERT(x) assert(x)
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
static inline const char *sgdpar_priv_text(const char *const *text, size_t count,
                                           size_t i)
{
    return i < count ? text[i] : "no such value";
}

SGDPAR_API const char *sgdpar_status_text(sgdpar_status status)
{
#define SGDPAR_X(name, text) text,
    static const char *const text[] = { SGDPAR_STATUS_TABLE(SGDPAR_X) };
#undef SGDPAR_X
    return sgdpar_priv_text(text, SGDPAR_STATUS_COUNT, (size_t)status);
}

SGDPAR_API int sgdpar_version(void) { return SGDPERF_PARALLEL_VERSION; }

SGDPAR_API size_t sgdpar_struct_bytes(const char *name)
{
#define SGDPAR_X(type) { #type, sizeof(type) },
    static const struct { const char *name; size_t bytes; } known[] = {
        SGDPAR_STRUCT_TABLE(SGDPAR_X) };
#undef SGDPAR_X
    size_t i;
    for (i = 0; name && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0) return known[i].bytes;
    return 0;
}

/* A time is finite and >= 0, a rate finite and > 0. NaN is neither, as it fails every
 * comparison. Ranges are tested because -ffast-math may take isfinite for true. */
static inline int sgdpar_priv_is_time(double x) { return x >= 0.0 && x <= DBL_MAX; }
static inline int sgdpar_priv_is_rate(double x) { return x > 0.0 && x <= DBL_MAX; }

/* True if a equals b. Written without ==, so that -Wfloat-equal finds mistakes. */
static inline int sgdpar_priv_same(double a, double b) { return a <= b && a >= b; }

/* Divides the caller's work area into arrays. With base NULL it only counts bytes, so one
 * routine both answers ..._bytes() and lays out the work area. */
typedef struct sgdpar_priv_arena {
    char  *base;
    size_t used;
    int    overflow;
} sgdpar_priv_arena;

static inline sgdpar_priv_arena sgdpar_priv_arena_at(void *base)
{
    sgdpar_priv_arena arena;
    arena.base = (char *)base;
    arena.used = 0;
    arena.overflow = 0;
    return arena;
}

#ifndef SGDPAR_PRIV_TAKEN
#define SGDPAR_PRIV_TAKEN(arena, at, bytes) ((void)0)  /* of tests/gaps.h */
#endif
/* Takes `count` elements of `size` bytes, aligned for double. NULL while counting. */
static inline void *sgdpar_priv_take(sgdpar_priv_arena *arena, size_t count,
                                     size_t size)
{
    const size_t limit = (size_t)-1 / sizeof(double) * sizeof(double), at = arena->used;
    SGDPAR_ASSERT(size > 0 && at % sizeof(double) == 0);
    if (arena->overflow || count > (limit - at) / size) {
        arena->overflow = 1;
        return NULL;
    }
    arena->used = (at + count * size + sizeof(double) - 1) / sizeof(double);
    arena->used *= sizeof(double);
    SGDPAR_PRIV_TAKEN(arena, at, count * size);
    return arena->base ? arena->base + at : NULL;
}

static inline double *sgdpar_priv_doubles(sgdpar_priv_arena *arena, size_t count)
{
    return (double *)sgdpar_priv_take(arena, count, sizeof(double));
}

/* Answers a ..._bytes() from an arena that has counted. */
static inline sgdpar_status sgdpar_priv_answer(const sgdpar_priv_arena *arena,
                                               size_t *bytes)
{
    if (!bytes) return SGDPAR_BAD_ARGUMENT;
    if (arena->overflow) return SGDPAR_TOO_LARGE;
    *bytes = arena->used;
    return SGDPAR_OK;
}

/* Checks that the caller's work area is not NULL, is aligned, and is large enough. */
static inline sgdpar_status sgdpar_priv_check_work(const void *work,
                                                   size_t work_bytes, size_t need)
{
    if (need == 0) return SGDPAR_OK;
    if (!work || (uintptr_t)work % sizeof(double) != 0) return SGDPAR_BAD_ARGUMENT;
    return work_bytes < need ? SGDPAR_SMALL_WORKSPACE : SGDPAR_OK;
}

/* The mixing function of SplitMix64 [SLF14]: 64 random bits that depend only on x. */
static inline uint64_t sgdpar_priv_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* 64 random bits that depend only on (seed, a, b). There is no state: a draw does not
 * depend on the draws before it. */
static inline uint64_t sgdpar_priv_random(uint64_t seed, uint64_t a, uint64_t b)
{
    return sgdpar_priv_mix(sgdpar_priv_mix(sgdpar_priv_mix(seed) ^ a) ^ b);
}

/* Uniform in [0, 1): the upper 53 of the random bits. */
static inline double sgdpar_priv_uniform(uint64_t random)
{
    return (double)(random >> 11) / 9007199254740992.0;
}

/* Two-sided 95 % point of Student's t. Beyond the table: the expansion of Cornish and
 * Fisher in 1 / degrees [AS64, 26.7.5], with a relative error below 1e-7. */
static inline double sgdpar_priv_student95(uint64_t degrees)
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
    SGDPAR_ASSERT(degrees >= 1);
    if (degrees <= sizeof table / sizeof table[0]) return table[degrees - 1];
    return x + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

/* Largest size of an element that sgdpar_priv_sort can sort, in bytes. */
#define SGDPAR_PRIV_SORTED_BYTES 32

/* Tells whether element a comes before element b. */
typedef int (*sgdpar_priv_sort_order)(const void *ctx, const void *a, const void *b);

static inline void sgdpar_priv_swap(char *a, char *b, size_t size)
{
    char held[SGDPAR_PRIV_SORTED_BYTES];
    memcpy(held, a, size);
    memcpy(a, b, size);
    memcpy(b, held, size);
}

/* Sinks element `at` to its place in the heap base[n]. The top of the heap is the
 * element that comes last in order. */
static inline void sgdpar_priv_sort_sink(char *base, size_t at, size_t n, size_t size,
                                         sgdpar_priv_sort_order before,
                                         const void *ctx)
{
    while (at < n / 2) {                   /* while `at` has a child */
        char *here = base + at * size, *child = base + (2 * at + 1) * size;
        if (2 * at + 2 < n && before(ctx, child, child + size)) child += size;
        if (!before(ctx, here, child)) return;
        sgdpar_priv_swap(here, child, size);
        at = (size_t)(child - base) / size;
    }
}

/* Heap sort in place: O(n log n) for every order of the input. qsort may call malloc. */
static inline void sgdpar_priv_sort(void *elements, size_t n, size_t size,
                                    sgdpar_priv_sort_order before,
                                    const void *ctx)
{
    char *base = (char *)elements;
    size_t i;
    SGDPAR_ASSERT(size <= SGDPAR_PRIV_SORTED_BYTES);
    for (i = 1; i < n; i++)
        if (before(ctx, base + i * size, base + (i - 1) * size)) break;
    if (i >= n) return;                    /* already in order, as logs often are */
    for (i = n / 2; i-- > 0;) sgdpar_priv_sort_sink(base, i, n, size, before, ctx);
    for (i = n; i-- > 1;) {
        sgdpar_priv_swap(base, base + i * size, size);
        sgdpar_priv_sort_sink(base, 0, i, size, before, ctx);
    }
}
/* ---- End of the Common block ------------------------------------------------------ */

/* ---- Collectives: words ---------------------------------------------------- */

SGDPAR_API const char *sgdpar_collective_text(sgdpar_collective collective)
{
#define SGDPAR_X(name, text) text,
    static const char *const text[] = { SGDPAR_COLLECTIVE_TABLE(SGDPAR_X) };
#undef SGDPAR_X
    return sgdpar_priv_text(text, SGDPAR_COLLECTIVE_COUNT, (size_t)collective);
}

SGDPAR_API const char *sgdpar_algorithm_text(sgdpar_algorithm algorithm)
{
#define SGDPAR_X(name, text) text,
    static const char *const text[] = { SGDPAR_ALGORITHM_TABLE(SGDPAR_X) };
#undef SGDPAR_X
    return sgdpar_priv_text(text, SGDPAR_ALGORITHM_COUNT, (size_t)algorithm);
}

SGDPAR_API const char *sgdpar_form_text(sgdpar_form form)
{
#define SGDPAR_X(name, text) text,
    static const char *const text[] = { SGDPAR_FORM_TABLE(SGDPAR_X) };
#undef SGDPAR_X
    return sgdpar_priv_text(text, SGDPAR_FORM_COUNT, (size_t)form);
}

/* ---- Collectives: one level ------------------------------------------------ */

/* A number of machines, accelerators or micro-batches; the default 0 means 1. */
static double sgdpar_priv_count(uint32_t n) { return n > 1 ? n : 1.0; }

#define SGDPAR_PRIV_MOST_CHUNKS 65536
#define SGDPAR_PRIV_NO_WAY (-1.0)   /* a "time": the collective cannot be done so      */

/* n workers; each has its own link to the others. */
typedef struct sgdpar_priv_level {
    double n;
    double latency_s;
    double bandwidth_bytes_per_s;
    double beside;             /* machines that only sum                            */
} sgdpar_priv_level;

/* Time of `messages` messages one after the other, with `bytes` bytes in all. */
static double sgdpar_priv_messages_s(const sgdpar_priv_level *on, double messages,
                                     double bytes)
{
    SGDPAR_ASSERT(messages >= 0.0 && bytes >= 0.0);
    return messages * on->latency_s + bytes / on->bandwidth_bytes_per_s;
}

/* Sends 1/n of the bytes to each of the n - 1 others: the steps of a ring, or
 * PAIRWISE. */
static double sgdpar_priv_turns_s(const sgdpar_priv_level *on, double bytes)
{
    const double n = on->n;
    SGDPAR_ASSERT(n >= 1.0);
    return sgdpar_priv_messages_s(on, n - 1.0, (n - 1.0) / n * bytes);
}

/* ceil(log2 n) */
static double sgdpar_priv_doublings(double n)
{
    double rounds = 0.0, reach;
    for (reach = 1.0; reach < n; reach *= 2.0) rounds += 1.0;
    SGDPAR_ASSERT(reach >= n && reach < 2.0 * n && rounds <= 32.0);
    return rounds;
}

/* The largest power of two <= n. */
static double sgdpar_priv_power_below(double n)
{
    double p = 1.0;
    SGDPAR_ASSERT(n >= 1.0);
    while (2.0 * p <= n) p *= 2.0;
    return p;
}

/* An all-gather between partners at twice the distance each time, after r workers gave
 * their part to a neighbour. In each round the worker with most parts sets the time. */
static double sgdpar_priv_gather_s(const sgdpar_priv_level *on, double bytes)
{
    const double p = sgdpar_priv_power_below(on->n), r = on->n - p;
    double rounds = 0.0, parts = 0.0, reach;
    for (reach = 1.0; reach < p; reach *= 2.0) {
        rounds += 1.0;
        parts += reach + (r < reach ? r : reach);
    }
    if (r > 0.0) {
        rounds += 2.0;
        parts += on->n;
    }
    SGDPAR_ASSERT(rounds < 66.0 && parts <= 3.0 * on->n);
    return sgdpar_priv_messages_s(on, rounds, parts * (bytes / on->n));
}

/* A tree of messages that collects one part from each worker, or hands one out to
 * each. */
static double sgdpar_priv_to_one_s(const sgdpar_priv_level *on, double bytes)
{
    SGDPAR_ASSERT(on->n > 1.0);
    return sgdpar_priv_messages_s(on, sgdpar_priv_doublings(on->n),
                                  (on->n - 1.0) / on->n * bytes);
}

static double sgdpar_priv_ring_s(sgdpar_collective what, const sgdpar_priv_level *on,
                                 double bytes, double chunks)
{
    const double n = on->n;
    SGDPAR_ASSERT(n >= 1.0 && chunks >= 1.0);
    switch (what) {
    case SGDPAR_COLLECTIVE_ALL_REDUCE:
        return sgdpar_priv_messages_s(on, 2.0 * (n - 1.0), 2.0 * (n - 1.0) / n * bytes);
    case SGDPAR_COLLECTIVE_BROADCAST:
        return sgdpar_priv_messages_s(on, n - 2.0 + chunks,
                                      (n - 2.0 + chunks) / chunks * bytes);
    case SGDPAR_COLLECTIVE_ALL_TO_ALL:
        return sgdpar_priv_messages_s(on, n - 1.0, 0.5 * (n - 1.0) * bytes);
    default:
        return sgdpar_priv_turns_s(on, bytes);
    }
}

/* One round for each bit sends the parts whose number has that bit [BHKUW97]. */
static double sgdpar_priv_bits_s(const sgdpar_priv_level *on, double bytes)
{
    double rounds = 0.0, parts = 0.0, bit;
    for (bit = 1.0; bit < on->n; bit *= 2.0) {
        const double whole = floor(on->n / (2.0 * bit)), rest = on->n - 2.0 * bit * whole;
        rounds += 1.0;
        parts += whole * bit + (rest > bit ? rest - bit : 0.0);
    }
    SGDPAR_ASSERT(parts >= on->n - 1.0 || on->n < 2.0);
    return sgdpar_priv_messages_s(on, rounds, parts * (bytes / on->n));
}

static double sgdpar_priv_doubling_s(sgdpar_collective what, const sgdpar_priv_level *on,
                                     double bytes)
{
    const double p = sgdpar_priv_power_below(on->n);
    const double rounds = sgdpar_priv_doublings(p) + (on->n > p ? 2.0 : 0.0);
    SGDPAR_ASSERT(p <= on->n && on->n < 2.0 * p);
    switch (what) {
    case SGDPAR_COLLECTIVE_ALL_REDUCE:
        return sgdpar_priv_messages_s(on, rounds, rounds * bytes);
    case SGDPAR_COLLECTIVE_BROADCAST:
        return SGDPAR_PRIV_NO_WAY;
    case SGDPAR_COLLECTIVE_ALL_TO_ALL:
        return sgdpar_priv_bits_s(on, bytes);
    default:
        return sgdpar_priv_gather_s(on, bytes);
    }
}

static double sgdpar_priv_halving_s(sgdpar_collective what, const sgdpar_priv_level *on,
                                    double bytes)
{
    const double p = sgdpar_priv_power_below(on->n), folds = on->n > p ? 2.0 : 0.0;
    SGDPAR_ASSERT(p <= on->n && on->n < 2.0 * p);
    switch (what) {
    case SGDPAR_COLLECTIVE_ALL_REDUCE:
        return sgdpar_priv_messages_s(on, 2.0 * sgdpar_priv_doublings(p) + folds,
                                      (2.0 * (p - 1.0) / p + folds) * bytes);
    case SGDPAR_COLLECTIVE_BROADCAST:
        return sgdpar_priv_to_one_s(on, bytes) + sgdpar_priv_gather_s(on, bytes);
    case SGDPAR_COLLECTIVE_ALL_TO_ALL:
        return SGDPAR_PRIV_NO_WAY;
    default:
        return sgdpar_priv_gather_s(on, bytes);
    }
}

static double sgdpar_priv_tree_s(sgdpar_collective what, const sgdpar_priv_level *on,
                                 double bytes)
{
    const double rounds = sgdpar_priv_doublings(on->n);
    const double broadcast_s = sgdpar_priv_messages_s(on, rounds, rounds * bytes);
    SGDPAR_ASSERT(rounds >= 1.0);
    switch (what) {
    case SGDPAR_COLLECTIVE_ALL_REDUCE: return 2.0 * broadcast_s;
    case SGDPAR_COLLECTIVE_BROADCAST:  return broadcast_s;
    case SGDPAR_COLLECTIVE_ALL_TO_ALL: return SGDPAR_PRIV_NO_WAY;
    default: return sgdpar_priv_to_one_s(on, bytes) + broadcast_s;
    }
}

/* h for the two trees of n > 1 workers: periods until a chunk has reached all workers. */
static double sgdpar_priv_trees_height(double n)
{
    SGDPAR_ASSERT(n > 1.0);
    return sgdpar_priv_doublings(sgdpar_priv_power_below(n - 1.0)) + 1.0;
}

static double sgdpar_priv_double_tree_s(sgdpar_collective what,
                                        const sgdpar_priv_level *on, double bytes,
                                        double chunks)
{
    const double periods = sgdpar_priv_trees_height(on->n) + chunks - 1.0;
    const double broadcast_s =
        sgdpar_priv_messages_s(on, 2.0 * periods, periods / chunks * bytes);
    SGDPAR_ASSERT(chunks >= 1.0 && periods >= chunks);
    if (what == SGDPAR_COLLECTIVE_ALL_REDUCE) return 2.0 * broadcast_s;
    return what == SGDPAR_COLLECTIVE_BROADCAST ? broadcast_s : SGDPAR_PRIV_NO_WAY;
}

/* D = n^2 + k n - 2 k of BytePS [JZLYCG20]. S is divided into D parts: each of the k
 * machines sums 2 (n-1) parts, each of the n machines n - k. */
static double sgdpar_priv_byteps_sum(double n, double k)
{
    SGDPAR_ASSERT(n >= 1.0 && k >= 0.0);
    return n * n + k * n - 2.0 * k;
}

/* Vectors that each link carries, each way, in the division of BytePS. More than n
 * machines add no speed. */
static double sgdpar_priv_byteps_vectors(double n, double k)
{
    return k < n ? n * (2.0 * (n - 1.0) / sgdpar_priv_byteps_sum(n, k)) : 1.0;
}

static double sgdpar_priv_in_chunks_s(sgdpar_collective what, sgdpar_algorithm how,
                                      const sgdpar_priv_level *on, double bytes,
                                      double chunks)
{
    switch (how) {
    case SGDPAR_ALGORITHM_RING:     return sgdpar_priv_ring_s(what, on, bytes, chunks);
    case SGDPAR_ALGORITHM_DOUBLING: return sgdpar_priv_doubling_s(what, on, bytes);
    case SGDPAR_ALGORITHM_HALVING:  return sgdpar_priv_halving_s(what, on, bytes);
    case SGDPAR_ALGORITHM_TREE:     return sgdpar_priv_tree_s(what, on, bytes);
    case SGDPAR_ALGORITHM_DOUBLE_TREE:
        return sgdpar_priv_double_tree_s(what, on, bytes, chunks);
    case SGDPAR_ALGORITHM_BYTEPS:
        if (what != SGDPAR_COLLECTIVE_ALL_REDUCE) return SGDPAR_PRIV_NO_WAY;
        return sgdpar_priv_messages_s(on, 2.0, bytes * sgdpar_priv_byteps_vectors(
                                                   on->n, on->beside));
    default:
        break;
    }
    if (what != SGDPAR_COLLECTIVE_ALL_TO_ALL) return SGDPAR_PRIV_NO_WAY;
    return sgdpar_priv_turns_s(on, bytes);
}

/* chunks = 0: the best number of chunks. */
static double sgdpar_priv_level_s(sgdpar_collective what, sgdpar_algorithm how,
                                  const sgdpar_priv_level *on, double bytes,
                                  uint32_t chunks)
{
    const int has_chunks = how == SGDPAR_ALGORITHM_DOUBLE_TREE
        || (how == SGDPAR_ALGORITHM_RING && what == SGDPAR_COLLECTIVE_BROADCAST);
    double least_s = HUGE_VAL, k;
    SGDPAR_ASSERT(on->n > 1.0);
    if (chunks > 0 || !has_chunks)
        return sgdpar_priv_in_chunks_s(what, how, on, bytes, chunks > 0 ? chunks : 1.0);
    for (k = 1.0; k <= SGDPAR_PRIV_MOST_CHUNKS; k *= 2.0)
        least_s = fmin(least_s, sgdpar_priv_in_chunks_s(what, how, on, bytes, k));
    return least_s;
}

/* ---- Collectives: machines of several accelerators ------------------------- */

/* A topology with its defaults, with the cost of one protocol included. */
typedef struct sgdpar_priv_fabric {
    double m, g;
    sgdpar_priv_level local;   /* the accelerators of a machine                     */
    double latency_s;
    double bandwidth_bytes_per_s; /* of a machine's link                            */
    double most_bytes_per_s;   /* most that one collective gets of it               */
    double beside;             /* machines that only sum                            */
} sgdpar_priv_fabric;

/* The machines as a level, if `groups` workers of each machine share its link equally. */
static sgdpar_priv_level sgdpar_priv_between(const sgdpar_priv_fabric *f, double groups)
{
    const double share = f->bandwidth_bytes_per_s / groups;
    sgdpar_priv_level on;
    SGDPAR_ASSERT(groups >= 1.0);
    on.n = f->m;
    on.latency_s = f->latency_s;
    on.beside = f->beside;
    on.bandwidth_bytes_per_s = share < f->most_bytes_per_s ? share : f->most_bytes_per_s;
    return on;
}

/* A step with one message on each link, `crossing` of them on a machine's link: the
 * slower link sets its time. */
static double sgdpar_priv_slower_s(const sgdpar_priv_fabric *f, double crossing,
                                   double bytes)
{
    const sgdpar_priv_level between = sgdpar_priv_between(f, crossing);
    const double inside_s = sgdpar_priv_messages_s(&f->local, 1.0, bytes);
    SGDPAR_ASSERT(crossing >= 1.0 && bytes >= 0.0);
    return fmax(sgdpar_priv_messages_s(&between, 1.0, bytes), inside_s);
}

/* The first `turns` turns of PAIRWISE, in which 1, 2, ... messages cross a machine's
 * link. A turn with up to `even` messages takes as long as with one. With more messages,
 * the shared link sets its time. */
static double sgdpar_priv_crossing_s(const sgdpar_priv_fabric *f, double turns,
                                     double bytes)
{
    const double one_s = sgdpar_priv_slower_s(f, 1.0, bytes);
    const double message_s = bytes / f->bandwidth_bytes_per_s;
    double even = turns;
    SGDPAR_ASSERT(turns >= 0.0);
    if (message_s > 0.0) even = fmin(floor((one_s - f->latency_s) / message_s), turns);
    return even * one_s
        + (turns - even) * (f->latency_s + 0.5 * (turns + even + 1.0) * message_s);
}

/* PAIRWISE among N workers, g of them on a full machine. In its longest turns a machine
 * sends `most` messages to others, and what is left of g inside. */
static double sgdpar_priv_pairwise_s(const sgdpar_priv_fabric *f, double N, double bytes)
{
    const double most = fmin(f->g, N - f->g), part = bytes / N;
    const sgdpar_priv_level all = sgdpar_priv_between(f, most);
    const double turn_s = most < f->g ? sgdpar_priv_slower_s(f, most, part)
                                      : sgdpar_priv_messages_s(&all, 1.0, part);
    SGDPAR_ASSERT(most >= 1.0 && N >= 2.0 * most);
    return 2.0 * sgdpar_priv_crossing_s(f, most - 1.0, part)
        + (N - 2.0 * most + 1.0) * turn_s;
}

static double sgdpar_priv_flat_s(sgdpar_collective what, sgdpar_algorithm how,
                                 const sgdpar_priv_fabric *f, double bytes)
{
    const double N = f->m * f->g, part = bytes / N;
    SGDPAR_ASSERT(f->m > 1.0 && f->g > 1.0);
    if (how == SGDPAR_ALGORITHM_PAIRWISE && what == SGDPAR_COLLECTIVE_ALL_TO_ALL)
        return sgdpar_priv_pairwise_s(f, N, bytes);
    if (how != SGDPAR_ALGORITHM_RING) return SGDPAR_PRIV_NO_WAY;
    switch (what) {
    case SGDPAR_COLLECTIVE_BROADCAST:  return SGDPAR_PRIV_NO_WAY;
    case SGDPAR_COLLECTIVE_ALL_REDUCE:
        return 2.0 * (N - 1.0) * sgdpar_priv_slower_s(f, 1.0, part);
    case SGDPAR_COLLECTIVE_ALL_TO_ALL:
        return SGDPAR_PRIV_NO_WAY;
    default:
        return (N - 1.0) * sgdpar_priv_slower_s(f, 1.0, part);
    }
}

/* The three parts of SPLIT; 0 for a part that the collective lacks. */
typedef struct sgdpar_priv_parts {
    double scatter_s, between_s, gather_s;
} sgdpar_priv_parts;

static sgdpar_priv_parts sgdpar_priv_split(sgdpar_collective what,
                                           const sgdpar_protocol *by,
                                           const sgdpar_priv_fabric *f, double bytes,
                                           uint32_t chunks)
{
    const sgdpar_priv_level between = sgdpar_priv_between(f, f->g);
    sgdpar_priv_parts parts;
    SGDPAR_ASSERT(f->m > 1.0 && f->g > 1.0);
    parts.scatter_s = parts.gather_s = 0.0;
    if (what != SGDPAR_COLLECTIVE_ALL_GATHER)
        parts.scatter_s = sgdpar_priv_level_s(SGDPAR_COLLECTIVE_REDUCE_SCATTER,
                                              by->inside, &f->local, bytes, chunks);
    if (what != SGDPAR_COLLECTIVE_REDUCE_SCATTER)
        parts.gather_s = sgdpar_priv_level_s(SGDPAR_COLLECTIVE_ALL_GATHER, by->inside,
                                             &f->local, bytes, chunks);
    parts.between_s =
        sgdpar_priv_level_s(what, by->algorithm, &between, bytes / f->g, chunks);
    if (parts.scatter_s < 0.0 || parts.gather_s < 0.0)
        parts.between_s = SGDPAR_PRIV_NO_WAY;
    return parts;
}

static double sgdpar_priv_split_s(sgdpar_collective what, const sgdpar_protocol *by,
                                  const sgdpar_priv_fabric *f, double bytes)
{
    sgdpar_priv_parts t;
    if (what == SGDPAR_COLLECTIVE_BROADCAST || what == SGDPAR_COLLECTIVE_ALL_TO_ALL)
        return SGDPAR_PRIV_NO_WAY;
    t = sgdpar_priv_split(what, by, f, bytes, by->chunks);
    if (t.between_s < 0.0) return SGDPAR_PRIV_NO_WAY;
    return t.scatter_s + t.between_s + t.gather_s;
}

static double sgdpar_priv_inside_s(sgdpar_collective what, const sgdpar_protocol *by,
                                   const sgdpar_priv_fabric *f, double bytes)
{
    const sgdpar_priv_level between = sgdpar_priv_between(f, 1.0);
    double reduce_s = 0.0, between_s, broadcast_s;
    SGDPAR_ASSERT(f->m > 1.0 && f->g > 1.0);
    if (what != SGDPAR_COLLECTIVE_ALL_REDUCE && what != SGDPAR_COLLECTIVE_BROADCAST)
        return SGDPAR_PRIV_NO_WAY;
    if (what == SGDPAR_COLLECTIVE_ALL_REDUCE)
        reduce_s = sgdpar_priv_level_s(what, by->inside, &f->local, bytes, by->chunks);
    between_s = sgdpar_priv_level_s(what, by->algorithm, &between, bytes, by->chunks);
    broadcast_s = sgdpar_priv_level_s(SGDPAR_COLLECTIVE_BROADCAST, by->inside, &f->local,
                                      bytes, by->chunks);
    if (reduce_s < 0.0 || between_s < 0.0 || broadcast_s < 0.0) return SGDPAR_PRIV_NO_WAY;
    return reduce_s + between_s + broadcast_s;
}

static double sgdpar_priv_rounds_s(const sgdpar_protocol *by, const sgdpar_priv_fabric *f,
                                   double bytes, double k)
{
    const sgdpar_priv_parts t =
        sgdpar_priv_split(SGDPAR_COLLECTIVE_ALL_REDUCE, by, f, bytes / k, 1);
    const double u = t.scatter_s, v = t.between_s, w = t.gather_s;
    SGDPAR_ASSERT(k >= 1.0);
    if (v < 0.0) return SGDPAR_PRIV_NO_WAY;
    if (k < 2.0) return u + v + w;
    if (by->algorithm == SGDPAR_ALGORITHM_DOUBLE_TREE) { /* a period apart          */
        const double h = sgdpar_priv_trees_height(f->m), period_s = v / (2.0 * h);
        return u + (k - 1.0) * (fmax(u, period_s) + fmax(period_s, w)) + v + w;
    }
    return u + fmax(u, v) + (k - 2.0) * fmax(u + w, v) + fmax(v, w) + w;
}

static double sgdpar_priv_pipelined_s(sgdpar_collective what, const sgdpar_protocol *by,
                                      const sgdpar_priv_fabric *f, double bytes)
{
    double least_s = HUGE_VAL, k;
    if (what != SGDPAR_COLLECTIVE_ALL_REDUCE) return SGDPAR_PRIV_NO_WAY;
    if (by->chunks > 0) return sgdpar_priv_rounds_s(by, f, bytes, by->chunks);
    for (k = 1.0; k <= SGDPAR_PRIV_MOST_CHUNKS; k *= 2.0)
        least_s = fmin(least_s, sgdpar_priv_rounds_s(by, f, bytes, k));
    return least_s;
}

/* Latencies along the way add up; the narrowest link sets the rate. */
static double sgdpar_priv_streamed_s(sgdpar_collective what, sgdpar_algorithm how,
                                     const sgdpar_priv_fabric *f, double bytes)
{
    const double N = f->m * f->g, both = what == SGDPAR_COLLECTIVE_ALL_REDUCE ? 2.0 : 1.0;
    double byte_s = 0.0, local_byte_s = 0.0;
    SGDPAR_ASSERT(N > 1.0);
    if (f->m > 1.0) byte_s = 1.0 / sgdpar_priv_between(f, 1.0).bandwidth_bytes_per_s;
    if (f->g > 1.0) local_byte_s = 1.0 / f->local.bandwidth_bytes_per_s;
    if (how == SGDPAR_ALGORITHM_DOUBLE_TREE && what == SGDPAR_COLLECTIVE_ALL_REDUCE) {
        const double depth = sgdpar_priv_doublings(sgdpar_priv_power_below(f->m));
        const double sent = f->m > 2.0 ? 2.0 : 1.0;
        return 2.0 * ((f->g - 1.0) * f->local.latency_s + depth * f->latency_s)
            + bytes * fmax(sent * byte_s, 2.0 * local_byte_s);
    }
    if (how != SGDPAR_ALGORITHM_RING || what == SGDPAR_COLLECTIVE_BROADCAST
        || what == SGDPAR_COLLECTIVE_ALL_TO_ALL)
        return SGDPAR_PRIV_NO_WAY;
    return both * ((N - f->m) * f->local.latency_s + (f->m - 1.0) * f->latency_s
                   + (N - 1.0) / N * bytes * fmax(byte_s, local_byte_s));
}

static double sgdpar_priv_collective_s(sgdpar_collective what, const sgdpar_protocol *by,
                                       const sgdpar_priv_fabric *f, double bytes)
{
    SGDPAR_ASSERT(f->m >= 1.0 && f->g >= 1.0);
    if (by->form == SGDPAR_FORM_STREAMED)
        return sgdpar_priv_streamed_s(what, by->algorithm, f, bytes);
    if (!(f->m > 1.0))
        return sgdpar_priv_level_s(what, by->algorithm, &f->local, bytes, by->chunks);
    if (!(f->g > 1.0)) {
        const sgdpar_priv_level between = sgdpar_priv_between(f, 1.0);
        return sgdpar_priv_level_s(what, by->algorithm, &between, bytes, by->chunks);
    }
    switch (by->form) {
    case SGDPAR_FORM_FLAT:   return sgdpar_priv_flat_s(what, by->algorithm, f, bytes);
    case SGDPAR_FORM_SPLIT:  return sgdpar_priv_split_s(what, by, f, bytes);
    case SGDPAR_FORM_INSIDE: return sgdpar_priv_inside_s(what, by, f, bytes);
    default:               return sgdpar_priv_pipelined_s(what, by, f, bytes);
    }
}

static int sgdpar_priv_topology_is_valid(const sgdpar_topology *t)
{
    return sgdpar_priv_is_time(t->latency_s) && sgdpar_priv_is_time(t->local_latency_s)
        && sgdpar_priv_is_time(t->bandwidth_bytes_per_s)
        && sgdpar_priv_is_time(t->local_bandwidth_bytes_per_s)
        && sgdpar_priv_is_time(t->flow_cap_bytes_per_s)
        && (t->machines <= 1 || t->bandwidth_bytes_per_s > 0.0)
        && (t->gpus <= 1 || t->local_bandwidth_bytes_per_s > 0.0);
}

static int sgdpar_priv_protocol_is_valid(const sgdpar_protocol *by)
{
    const sgdpar_cost *cost = &by->cost;
    return (size_t)by->algorithm < (size_t)SGDPAR_ALGORITHM_COUNT
        && (size_t)by->inside < (size_t)SGDPAR_ALGORITHM_COUNT
        && (size_t)by->form < (size_t)SGDPAR_FORM_COUNT
        && sgdpar_priv_is_time(by->range.from_bytes)
        && sgdpar_priv_is_time(by->range.below_bytes)
        && sgdpar_priv_is_time(cost->base_s) && sgdpar_priv_is_time(cost->latency_s)
        && sgdpar_priv_is_time(cost->local_latency_s)
        && sgdpar_priv_is_time(cost->most_bytes_per_s)
        && cost->fraction >= 0.0 && cost->fraction <= 1.0;
}

static int sgdpar_priv_network_is_valid(const sgdpar_network *on)
{
    size_t i;
    if (!sgdpar_priv_topology_is_valid(&on->topology)) return 0;
    if (on->protocols > 0 && !on->protocol) return 0;
    for (i = 0; i < on->protocols; i++)
        if (!sgdpar_priv_protocol_is_valid(&on->protocol[i])) return 0;
    return 1;
}

/* The part of a bandwidth that carries data. */
static double sgdpar_priv_fraction(const sgdpar_cost *cost)
{
    SGDPAR_ASSERT(cost->fraction >= 0.0 && cost->fraction <= 1.0);
    return cost->fraction > 0.0 ? cost->fraction : 1.0;
}

/* A bandwidth, limited to `most`; most = 0: no limit. */
static double sgdpar_priv_limited(double bytes_per_s, double most)
{
    return most > 0.0 && bytes_per_s > most ? most : bytes_per_s;
}

static double sgdpar_priv_carried(const sgdpar_cost *cost, double bytes_per_s)
{
    return sgdpar_priv_limited(sgdpar_priv_fraction(cost) * bytes_per_s,
                               cost->most_bytes_per_s);
}

static sgdpar_priv_fabric sgdpar_priv_fabric_of(const sgdpar_topology *t,
                                                const sgdpar_cost *cost)
{
    sgdpar_priv_fabric f;
    f.m = sgdpar_priv_count(t->machines);
    f.g = sgdpar_priv_count(t->gpus);
    SGDPAR_ASSERT(f.m >= 1.0 && f.g >= 1.0);
    f.beside = t->beside;
    f.local.n = f.g;
    f.local.beside = 0.0;
    f.local.latency_s = t->local_latency_s + cost->local_latency_s;
    f.local.bandwidth_bytes_per_s = sgdpar_priv_carried(cost,
                                                        t->local_bandwidth_bytes_per_s);
    f.latency_s = t->latency_s + cost->latency_s;
    f.bandwidth_bytes_per_s = sgdpar_priv_carried(cost, t->bandwidth_bytes_per_s);
    f.most_bytes_per_s = f.bandwidth_bytes_per_s;
    if (t->flow_cap_bytes_per_s > 0.0)
        f.most_bytes_per_s = sgdpar_priv_carried(
            cost, t->flow_cap_bytes_per_s * sgdpar_priv_count(t->channels));
    return f;
}

/* SGDPAR_PRIV_NO_WAY also if the time overflows. */
static double sgdpar_priv_protocol_s(sgdpar_collective what, const sgdpar_protocol *by,
                                     const sgdpar_topology *topology, double bytes)
{
    const sgdpar_priv_fabric f = sgdpar_priv_fabric_of(topology, &by->cost);
    double time_s;
    if (!(f.m * f.g > 1.0)) return 0.0;
    time_s = sgdpar_priv_collective_s(what, by, &f, bytes);
    if (!sgdpar_priv_is_time(time_s + by->cost.base_s)) return SGDPAR_PRIV_NO_WAY;
    return time_s < 0.0 ? SGDPAR_PRIV_NO_WAY : time_s + by->cost.base_s;
}

SGDPAR_API sgdpar_status sgdpar_collective_time(sgdpar_collective collective,
                                                const sgdpar_protocol *protocol,
                                                const sgdpar_topology *topology,
                                                double bytes, double *time_s)
{
    double s;
    if (!protocol || !topology || !time_s || !sgdpar_priv_is_time(bytes)
        || (size_t)collective >= (size_t)SGDPAR_COLLECTIVE_COUNT
        || !sgdpar_priv_topology_is_valid(topology)
        || !sgdpar_priv_protocol_is_valid(protocol))
        return SGDPAR_BAD_ARGUMENT;
    s = sgdpar_priv_protocol_s(collective, protocol, topology, bytes);
    if (s < 0.0) return SGDPAR_BAD_ARGUMENT;
    *time_s = s;
    return SGDPAR_OK;
}

static int sgdpar_priv_holds(const sgdpar_protocol *by, sgdpar_collective what,
                             double machines, double bytes)
{
    const sgdpar_range *of = &by->range;
    SGDPAR_ASSERT(machines >= 1.0);
    if (by->collective != what || bytes < of->from_bytes) return 0;
    if (of->below_bytes > 0.0 && bytes >= of->below_bytes) return 0;
    return machines >= of->from_machines
        && (of->below_machines == 0 || machines < of->below_machines);
}

/* The fastest protocol whose range holds; SGDPAR_PRIV_NO_WAY if there is none. */
static double sgdpar_priv_least_s(sgdpar_collective what, const sgdpar_network *on,
                                  double bytes, size_t *chosen)
{
    const double machines = sgdpar_priv_count(on->topology.machines);
    double least_s = SGDPAR_PRIV_NO_WAY;
    size_t i;
    for (i = 0; i < on->protocols; i++) {
        const sgdpar_protocol *by = &on->protocol[i];
        double s;
        if (!sgdpar_priv_holds(by, what, machines, bytes)) continue;
        s = sgdpar_priv_protocol_s(what, by, &on->topology, bytes);
        if (s < 0.0 || (least_s >= 0.0 && s >= least_s)) continue;
        least_s = s;
        *chosen = i;
    }
    return least_s;
}

SGDPAR_API sgdpar_status sgdpar_best_protocol(sgdpar_collective collective,
                                              const sgdpar_network *on, double bytes,
                                              size_t *chosen, double *time_s)
{
    double least_s;
    size_t at = 0;
    if (!on || !time_s || !sgdpar_priv_is_time(bytes)
        || (size_t)collective >= (size_t)SGDPAR_COLLECTIVE_COUNT
        || !sgdpar_priv_network_is_valid(on))
        return SGDPAR_BAD_ARGUMENT;
    least_s = sgdpar_priv_least_s(collective, on, bytes, &at);
    if (least_s < 0.0) return SGDPAR_BAD_ARGUMENT;
    if (chosen) *chosen = at;
    *time_s = least_s;
    return SGDPAR_OK;
}

/* ---- Collectives: parameter servers beside workers ------------------------- */

SGDPAR_API sgdpar_status sgdpar_byteps(uint32_t n, uint32_t k, double bytes,
                                       double bandwidth_bytes_per_s,
                                       sgdpar_division *out)
{
    const double N = n;
    double both, beside, own, exchange_s;
    if (!out || n == 0 || !sgdpar_priv_is_time(bytes)
        || !sgdpar_priv_is_rate(bandwidth_bytes_per_s))
        return SGDPAR_BAD_ARGUMENT;
    both = sgdpar_priv_byteps_sum(N, k);
    beside = k < n ? 2.0 * (N - 1.0) / both : 1.0 / k;
    own = k < n ? (N - k) / both : 0.0;
    if (n == 1) {
        beside = 0.0;
        own = 1.0;
    }
    SGDPAR_ASSERT(fabs(k * beside + N * own - 1.0) < 1e-9);
    exchange_s = n == 1 ? 0.0
        : bytes / bandwidth_bytes_per_s * sgdpar_priv_byteps_vectors(N, k);
    if (!sgdpar_priv_is_time(exchange_s)) return SGDPAR_BAD_ARGUMENT;
    out->time_s = exchange_s;
    out->beside = beside;
    out->own = own;
    return SGDPAR_OK;
}

/* ---- Collectives: machines that may not be full ----------------------------- */

/* An all-reduce by a ring of n, whose whole vector takes transfer_s on a link. */
static double sgdpar_priv_ring_of_s(double n, double transfer_s, double latency_s)
{
    sgdpar_priv_level on;
    SGDPAR_ASSERT(n >= 1.0 && transfer_s >= 0.0);
    on.n = n;
    on.latency_s = latency_s;
    on.bandwidth_bytes_per_s = 1.0;
    on.beside = 0.0;
    return sgdpar_priv_ring_s(SGDPAR_COLLECTIVE_ALL_REDUCE, &on, transfer_s, 1.0);
}

static sgdpar_exchange sgdpar_priv_exchange_of(sgdpar_form form,
                                               const sgdpar_machines *on)
{
    const double m = on->machines, K = on->workers, l = on->latency_s;
    const double local_s = on->local_transfer_s;
    double T = on->transfer_s;
    sgdpar_exchange e;
    e.local_s = sgdpar_priv_ring_of_s(on->fullest, local_s, 0.0);
    if (form == SGDPAR_FORM_FLAT) {
        e.link_s = m > 1.0 ? sgdpar_priv_ring_of_s(K, fmax(T, local_s), l) : 0.0;
        e.carried_s = m > 1.0 ? sgdpar_priv_ring_of_s(K, T, 0.0) : 0.0;
        e.growth_s = sgdpar_priv_ring_of_s(1.0 + on->gpus, 0.0, l);
        if (m > 1.0) e.local_s = 0.0;
        return e;
    }
    if (form == SGDPAR_FORM_INSIDE && on->fullest > 1 && m > 1.0) e.local_s += local_s;
    if (form == SGDPAR_FORM_SPLIT) T /= on->emptiest;
    e.link_s = sgdpar_priv_ring_of_s(m, T, l);
    e.carried_s = sgdpar_priv_ring_of_s(m, T, 0.0);
    e.growth_s = sgdpar_priv_ring_of_s(2.0, 0.0, l);
    SGDPAR_ASSERT(e.link_s >= e.carried_s);
    return e;
}

static int sgdpar_priv_machines_are_valid(const sgdpar_machines *on)
{
    return on->workers > 0 && on->machines > 0 && on->gpus > 0 && on->fullest > 0
        && on->emptiest > 0 && sgdpar_priv_is_time(on->transfer_s)
        && sgdpar_priv_is_time(on->local_transfer_s)
        && sgdpar_priv_is_time(on->latency_s)
        && sgdpar_priv_is_time(on->flow_transfer_s);
}

SGDPAR_API sgdpar_status sgdpar_ring_exchange(sgdpar_form form, uint32_t beside,
                                              const sgdpar_machines *on,
                                              sgdpar_exchange *out)
{
    sgdpar_exchange e;
    if (!on || !out || !sgdpar_priv_machines_are_valid(on)
        || (form != SGDPAR_FORM_FLAT && form != SGDPAR_FORM_SPLIT
            && form != SGDPAR_FORM_INSIDE)
        || (beside > 0 && form != SGDPAR_FORM_INSIDE))
        return SGDPAR_BAD_ARGUMENT;
    e = sgdpar_priv_exchange_of(form, on);
    if (beside > 0 && on->machines > 1) {
        sgdpar_division all;
        const sgdpar_status status = sgdpar_byteps(on->machines, beside, on->transfer_s,
                                                   1.0, &all);
        if (status != SGDPAR_OK) return status;
        e.carried_s = all.time_s;
        e.link_s = e.carried_s + 2.0 * on->latency_s;
    }
    if (beside > 0) e.growth_s = 0.0;
    SGDPAR_ASSERT(!(e.carried_s > e.link_s * (1.0 + 1e-9)));
    if (!sgdpar_priv_is_time(e.local_s + e.link_s) || !sgdpar_priv_is_time(e.growth_s))
        return SGDPAR_BAD_ARGUMENT;
    *out = e;
    return SGDPAR_OK;
}

/* The bandwidth at which one byte takes time_s. */
static double sgdpar_priv_rate_of(double time_s)
{
    SGDPAR_ASSERT(time_s >= 0.0);
    return time_s > 0.0 ? 1.0 / time_s : HUGE_VAL;
}

/* An all-to-all among K workers, whose vectors take transfer_s, or local_s inside. */
static double sgdpar_priv_all_to_all_s(const sgdpar_machines *on, double local_s,
                                       double latency_s)
{
    sgdpar_priv_fabric f;
    memset(&f, 0, sizeof f);
    f.m = on->machines;
    f.g = on->fullest;
    f.local.n = f.g;
    f.local.bandwidth_bytes_per_s = sgdpar_priv_rate_of(local_s);
    f.latency_s = latency_s;
    f.bandwidth_bytes_per_s = sgdpar_priv_rate_of(on->transfer_s);
    f.most_bytes_per_s = sgdpar_priv_rate_of(on->flow_transfer_s);
    if (on->machines == 1) return sgdpar_priv_turns_s(&f.local, 1.0);
    return sgdpar_priv_pairwise_s(&f, on->workers, 1.0);
}

SGDPAR_API sgdpar_status sgdpar_pairwise_exchange(const sgdpar_machines *on,
                                                  sgdpar_exchange *out)
{
    sgdpar_exchange e;
    double all_s, free_s;
    if (!on || !out || !sgdpar_priv_machines_are_valid(on)
        || (on->machines > 1 && on->fullest >= on->workers))
        return SGDPAR_BAD_ARGUMENT;
    all_s = sgdpar_priv_all_to_all_s(on, on->local_transfer_s, on->latency_s);
    memset(&e, 0, sizeof e);
    free_s = sgdpar_priv_all_to_all_s(on, 0.0, 0.0);
    if (on->machines == 1) e.local_s = all_s;
    if (on->machines > 1) e.link_s = all_s;
    if (on->machines > 1) e.carried_s = fmin(free_s, all_s);
    e.growth_s = on->gpus * on->latency_s;
    if (!sgdpar_priv_is_time(all_s) || !sgdpar_priv_is_time(e.growth_s))
        return SGDPAR_BAD_ARGUMENT;
    SGDPAR_ASSERT(e.carried_s <= e.link_s);
    *out = e;
    return SGDPAR_OK;
}

/* ---- Links: what a collective does on each ------------------------------- */

/* What a protocol takes if only one of the links takes time. */
static double sgdpar_priv_link_s(sgdpar_collective what, sgdpar_protocol by,
                                 sgdpar_topology on, sgdpar_level level, double bytes)
{
    by.cost.base_s = 0.0;
    if (level == SGDPAR_LEVEL_NETWORK) {
        by.cost.local_latency_s = on.local_latency_s = 0.0;
        on.local_bandwidth_bytes_per_s = DBL_MAX;
    } else {
        by.cost.latency_s = on.latency_s = 0.0;
        on.bandwidth_bytes_per_s = DBL_MAX;
        on.flow_cap_bytes_per_s = 0.0;
    }
    return sgdpar_priv_protocol_s(what, &by, &on, bytes);
}

/* Adds the times of the fastest protocol to *sum. */
static sgdpar_status sgdpar_priv_add_links(sgdpar_collective what,
                                           const sgdpar_network *on, double bytes,
                                           sgdpar_link_times *sum)
{
    sgdpar_topology limited = on->topology, uncapped = on->topology;
    sgdpar_protocol by;
    double alone_s = 0.0, most;
    size_t way = 0, l;
    sgdpar_status status;
    if (limited.machines <= 1 && limited.gpus <= 1) return SGDPAR_OK;
    status = sgdpar_best_protocol(what, on, bytes, &way, &alone_s);
    if (status != SGDPAR_OK) return status;
    sum->alone_s += alone_s;
    by = on->protocol[way];
    uncapped.flow_cap_bytes_per_s = 0.0;
    most = by.cost.most_bytes_per_s / sgdpar_priv_fraction(&by.cost);
    limited.bandwidth_bytes_per_s =
        sgdpar_priv_limited(limited.bandwidth_bytes_per_s, most);
    limited.local_bandwidth_bytes_per_s =
        sgdpar_priv_limited(limited.local_bandwidth_bytes_per_s, most);
    by.cost.most_bytes_per_s = 0.0;
    for (l = 0; l < SGDPAR_LEVEL_COUNT; l++) {
        const sgdpar_level at = (sgdpar_level)l;
        const uint32_t members = at == SGDPAR_LEVEL_NETWORK ? limited.machines
                                                            : limited.gpus;
        const double latency_s = sgdpar_priv_link_s(what, by, limited, at, 0.0);
        const double all_s = sgdpar_priv_link_s(what, by, limited, at, bytes);
        const double free_s = sgdpar_priv_link_s(what, by, uncapped, at,
                                                 bytes) - latency_s;
        const double busy_s = all_s - latency_s;
        if (all_s < 0.0) return SGDPAR_BAD_ARGUMENT; /* rounded above DBL_MAX */
        if (members <= 1 || !(busy_s > 0.0)) continue;
        sum->busy_s[l] += busy_s;
        sum->share[l] = fmin(1.0, free_s / busy_s);
        sum->latency_s[l] += latency_s;
        SGDPAR_ASSERT(sum->share[l] <= 1.0);
    }
    return SGDPAR_OK;
}

SGDPAR_API sgdpar_status sgdpar_collective_links(sgdpar_collective collective,
                                                 const sgdpar_network *on, double bytes,
                                                 sgdpar_link_times *out)
{
    sgdpar_link_times sum;
    sgdpar_status status;
    if (!on || !out || !sgdpar_priv_is_time(bytes)
        || (size_t)collective >= (size_t)SGDPAR_COLLECTIVE_COUNT
        || !sgdpar_priv_topology_is_valid(&on->topology))
        return SGDPAR_BAD_ARGUMENT;
    memset(&sum, 0, sizeof sum);
    status = sgdpar_priv_add_links(collective, on, bytes, &sum);
    if (status == SGDPAR_OK) *out = sum;
    return status;
}

/* ---- Links: streams of HTTP/2 ------------------------------------------------ */

/* The streams that have joined the queue, in a ring of n places. */
typedef struct sgdpar_priv_ring {
    uint32_t *place;
    size_t    n, head, count;
} sgdpar_priv_ring;

static void sgdpar_priv_ring_put(sgdpar_priv_ring *ring, size_t stream)
{
    SGDPAR_ASSERT(ring->count < ring->n);
    ring->place[(ring->head + ring->count++) % ring->n] = (uint32_t)stream;
}

static size_t sgdpar_priv_ring_take(sgdpar_priv_ring *ring)
{
    const size_t stream = ring->place[ring->head];
    SGDPAR_ASSERT(ring->count > 0);
    ring->head = (ring->head + 1) % ring->n;
    ring->count--;
    return stream;
}

SGDPAR_API sgdpar_status sgdpar_stream_ends_bytes(size_t n, size_t *bytes)
{
    sgdpar_priv_arena arena = sgdpar_priv_arena_at(NULL);
    if (n == 0) return SGDPAR_BAD_ARGUMENT;
    if (n > UINT32_MAX) return SGDPAR_TOO_LARGE;
    (void)sgdpar_priv_take(&arena, n, sizeof(uint32_t));
    return sgdpar_priv_answer(&arena, bytes);
}

/* Parsing does not hold up the connection. */
static double sgdpar_priv_parsing(const sgdpar_connection *c, double bytes)
{
    return fmax(0.0, c->parsing_s_per_byte * bytes + c->parsing_s);
}

static sgdpar_status sgdpar_priv_check_streams(const sgdpar_stream *stream, size_t n,
                                               const sgdpar_connection *c)
{
    const double cut = c->every_turn ? c->window_bytes : 0.0;
    double sum = 0.0, turns = 0.0, most_s = 0.0;
    size_t i;
    if (!sgdpar_priv_is_rate(c->bandwidth_bytes_per_s)
        || !sgdpar_priv_is_time(c->window_bytes)
        || !(fabs(c->parsing_s) <= DBL_MAX && fabs(c->parsing_s_per_byte) <= DBL_MAX))
        return SGDPAR_BAD_ARGUMENT;
    for (i = 0; i < n; i++) {
        if (!sgdpar_priv_is_time(stream[i].bytes)
            || !sgdpar_priv_is_time(stream[i].start_s)
            || (i > 0 && stream[i].start_s < stream[i - 1].start_s)
            || !sgdpar_priv_is_time(sgdpar_priv_parsing(c, stream[i].bytes)))
            return SGDPAR_BAD_ARGUMENT;
        sum += stream[i].bytes;
        turns += cut > 0.0 ? stream[i].bytes / cut : 0.0;
        most_s = fmax(most_s, sgdpar_priv_parsing(c, stream[i].bytes));
    }
    SGDPAR_ASSERT(sum >= 0.0 && turns >= 0.0);
    sum = sum / c->bandwidth_bytes_per_s + stream[n - 1].start_s + most_s;
    if (!sgdpar_priv_is_time(sum)) return SGDPAR_BAD_ARGUMENT;
    return turns > 1e7 ? SGDPAR_OVER_BUDGET : SGDPAR_OK;
}

SGDPAR_API sgdpar_status sgdpar_stream_ends(const sgdpar_stream *stream, size_t n,
                                            const sgdpar_connection *connection,
                                            void *work, size_t work_bytes, double *end_s)
{
    sgdpar_priv_ring ring = {NULL, 0, 0, 0};
    double now_s = 0.0, *left = end_s;     /* bytes left to send, until it has ended */
    size_t need = 0, next = 0, i;
    sgdpar_status status = sgdpar_stream_ends_bytes(n, &need);
    if (status != SGDPAR_OK) return status;
    if (!stream || !connection || !end_s) return SGDPAR_BAD_ARGUMENT;
    status = sgdpar_priv_check_work(work, work_bytes, need);
    if (status == SGDPAR_OK) status = sgdpar_priv_check_streams(stream, n, connection);
    if (status != SGDPAR_OK) return status;
    ring.place = (uint32_t *)work;
    ring.n = n;
    for (i = 0; i < n; i++) left[i] = stream[i].bytes;
    while (next < n || ring.count > 0) {
        const double window = connection->window_bytes;
        double chunk;
        int cut;
        if (ring.count == 0) {
            now_s = fmax(now_s, stream[next].start_s);
            sgdpar_priv_ring_put(&ring, next++);
        }
        i = sgdpar_priv_ring_take(&ring);
        cut = window > 0.0 && left[i] > window
            && (connection->every_turn || !(left[i] < stream[i].bytes));
        chunk = cut ? window : left[i];
        now_s += chunk / connection->bandwidth_bytes_per_s;
        for (; next < n && stream[next].start_s <= now_s; next++)
            sgdpar_priv_ring_put(&ring, next);
        SGDPAR_ASSERT(chunk >= 0.0 && next <= n);
        /* Less than before, even if the window is within the rounding of what is left. */
        left[i] = cut ? fmin(left[i] - chunk, left[i] * (1.0 - DBL_EPSILON)) : now_s;
        if (cut) sgdpar_priv_ring_put(&ring, i);
    }
    for (i = 0; i < n; i++)
        end_s[i] += sgdpar_priv_parsing(connection, stream[i].bytes);
    return SGDPAR_OK;
}

/* ---- Buckets ------------------------------------------------------------- */

/* The open bucket. */
typedef struct sgdpar_priv_bucket {
    uint64_t bytes, total, limit, next_limit;
} sgdpar_priv_bucket;

static sgdpar_priv_bucket sgdpar_priv_bucket_at(const sgdpar_bucket_limits *limits)
{
    sgdpar_priv_bucket b;
    b.bytes = b.total = 0;
    b.limit = limits && limits->first_bytes > 0 ? limits->first_bytes
                                                : SGDPAR_FIRST_BUCKET_BYTES;
    b.next_limit = limits && limits->cap_bytes > 0 ? limits->cap_bytes
                                                   : SGDPAR_BUCKET_BYTES;
    SGDPAR_ASSERT(b.limit > 0 && b.next_limit > 0);
    return b;
}

/* Puts a tensor into the bucket. *closed tells that the bucket is now closed; the caller
 * then empties it. A double represents sizes up to 2^53 exactly. */
static sgdpar_status sgdpar_priv_bucket_put(sgdpar_priv_bucket *b, uint64_t bytes,
                                            int *closed)
{
    const uint64_t most = (uint64_t)1 << 53;
    if (bytes > most - b->total) return SGDPAR_TOO_LARGE;
    b->total += bytes;
    b->bytes += bytes;
    *closed = b->bytes >= b->limit;
    if (*closed) b->limit = b->next_limit;
    SGDPAR_ASSERT(b->bytes <= b->total && b->total <= most);
    return SGDPAR_OK;
}

SGDPAR_API sgdpar_status sgdpar_buckets(const sgdpar_tensor *tensor, size_t n,
                                        const sgdpar_bucket_limits *limits,
                                        uint64_t *bucket_bytes, size_t *first,
                                        size_t *buckets)
{
    const sgdpar_priv_bucket empty = sgdpar_priv_bucket_at(limits);
    sgdpar_priv_bucket b = empty;
    size_t i, count = 0, began = 0;
    int closed = 0;
    if (!tensor || n == 0 || !bucket_bytes || !buckets) return SGDPAR_BAD_ARGUMENT;
    for (i = 0; i < n; i++)                /* first check that there are not too many */
        if (sgdpar_priv_bucket_put(&b, tensor[i].bytes, &closed) != SGDPAR_OK)
            return SGDPAR_TOO_LARGE;
    for (b = empty, i = 0; i < n; i++) {
        (void)sgdpar_priv_bucket_put(&b, tensor[i].bytes, &closed);
        if (!closed && i + 1 < n) continue;
        bucket_bytes[count] = b.bytes;
        if (first) first[count] = began;
        count++;
        began = i + 1;
        b.bytes = 0;
    }
    SGDPAR_ASSERT(count >= 1 && count <= n && began == n);
    *buckets = count;
    return SGDPAR_OK;
}

/* ---- Steps: words, and what is exchanged --------------------------------- */

SGDPAR_API const char *sgdpar_sharding_text(sgdpar_sharding sharding)
{
#define SGDPAR_X(name, text) text,
    static const char *const text[] = { SGDPAR_SHARDING_TABLE(SGDPAR_X) };
#undef SGDPAR_X
    return sgdpar_priv_text(text, SGDPAR_SHARDING_COUNT, (size_t)sharding);
}

/* The network on which a sharding gathers and scatters: HYBRID inside a machine only. */
static sgdpar_network sgdpar_priv_group(sgdpar_sharding sharding,
                                        const sgdpar_network *all)
{
    sgdpar_network on = *all;
    if (sharding == SGDPAR_SHARDING_HYBRID) on.topology.machines = 1;
    return on;
}

/* The machines as each of g groups sees them when it all-reduces its part. */
static sgdpar_network sgdpar_priv_replicas(const sgdpar_network *all)
{
    sgdpar_network on = *all;
    on.topology.bandwidth_bytes_per_s /= sgdpar_priv_count(on.topology.gpus);
    on.topology.gpus = 1;
    return on;
}

/* Number of workers that each keep one part of divided state. */
static double sgdpar_priv_keepers(sgdpar_sharding sharding, double workers, double gpus)
{
    SGDPAR_ASSERT(workers >= 1.0);
    if (sharding == SGDPAR_SHARDING_NONE) return 1.0;
    return sharding == SGDPAR_SHARDING_HYBRID ? gpus : workers;
}

/* The collective for gradients: each worker gets all of them, or those that it keeps. */
static sgdpar_collective sgdpar_priv_reduces(sgdpar_sharding sharding)
{
    return sharding == SGDPAR_SHARDING_NONE ? SGDPAR_COLLECTIVE_ALL_REDUCE
                                            : SGDPAR_COLLECTIVE_REDUCE_SCATTER;
}

SGDPAR_API sgdpar_status sgdpar_exchange_links(sgdpar_sharding sharding, int gathers,
                                               const sgdpar_network *on, double bytes,
                                               sgdpar_link_times *out)
{
    const sgdpar_collective what = gathers ? SGDPAR_COLLECTIVE_ALL_GATHER
                                           : sgdpar_priv_reduces(sharding);
    sgdpar_network group, replicas;
    sgdpar_link_times sum;
    sgdpar_status status;
    if (!on || !out || (size_t)sharding >= (size_t)SGDPAR_SHARDING_COUNT)
        return SGDPAR_BAD_ARGUMENT;
    group = sgdpar_priv_group(sharding, on);
    replicas = sgdpar_priv_replicas(on);
    status = sgdpar_collective_links(what, &group, bytes, &sum);
    if (status == SGDPAR_OK && sharding == SGDPAR_SHARDING_HYBRID && !gathers)
        status = sgdpar_priv_add_links(SGDPAR_COLLECTIVE_ALL_REDUCE, &replicas,
                                       bytes / sgdpar_priv_count(on->topology.gpus),
                                       &sum);
    if (status == SGDPAR_OK) *out = sum;
    return status;
}

/* ---- Steps: with buckets ------------------------------------------------- */

/* A replica with its defaults. */
typedef struct sgdpar_priv_stepping {
    const sgdpar_replica *of;
    double workers;
    double passes;             /* micro-batches                                     */
    double gathered;
    double slowest;            /* compute of the slowest worker over one's alone    */
    double scale;              /* of compute, for other machines                    */
    double update_s;
    uint64_t ways;
    double compute_slowdown, exchange_slowdown;
    sgdpar_status status;      /* of the first collective that cannot be done       */
    size_t exchanges;
    double exchange_s;
} sgdpar_priv_stepping;

static int sgdpar_priv_shards_parameters(sgdpar_sharding sharding)
{
    return sharding == SGDPAR_SHARDING_ALL || sharding == SGDPAR_SHARDING_HYBRID;
}

/* A factor >= 1; the default 0 means 1. */
static double sgdpar_priv_factor(double x) { return x > 1.0 ? x : 1.0; }

static double sgdpar_priv_or_one(double x) { return x > 0.0 ? x : 1.0; }

static int sgdpar_priv_tensors_are_valid(const sgdpar_replica *r)
{
    const sgdpar_compute *c = &r->compute;
    const sgdpar_tensor *tensor = r->layers.tensor;
    size_t i;
    if (!tensor || r->layers.tensors == 0) return 0;
    if (!sgdpar_priv_is_time(c->forward_s) || !sgdpar_priv_is_time(c->tail_s)) return 0;
    for (i = 0; i < r->layers.tensors; i++)
        if (!sgdpar_priv_is_time(tensor[i].backward_s)) return 0;
    return 1;
}

static int sgdpar_priv_units_are_valid(const sgdpar_replica *r)
{
    size_t i;
    if (!r->layers.unit || r->layers.units == 0) return 0;
    for (i = 0; i < r->layers.units; i++) {
        const sgdpar_unit *u = &r->layers.unit[i];
        if (!sgdpar_priv_is_time(u->bytes) || !sgdpar_priv_is_time(u->forward_s)
            || !sgdpar_priv_is_time(u->backward_s))
            return 0;
    }
    return 1;
}

/* Is x 0, the default, or at least 1? */
static int sgdpar_priv_is_factor(double x)
{
    return sgdpar_priv_same(x, 0.0) || (x >= 1.0 && x <= DBL_MAX);
}

static int sgdpar_priv_replica_is_valid(const sgdpar_replica *r)
{
    const sgdpar_overlap *o;
    if (!r || (size_t)r->sharding >= (size_t)SGDPAR_SHARDING_COUNT) return 0;
    if (!sgdpar_priv_network_is_valid(&r->network)) return 0;
    if (!sgdpar_priv_is_time(r->compute.update_s)
        || !sgdpar_priv_is_time(r->layers.gathered)
        || !sgdpar_priv_is_time(r->compute.scale))
        return 0;
    o = &r->overlap;
    if (!sgdpar_priv_is_factor(o->compute_slowdown)
        || !sgdpar_priv_is_factor(o->exchange_slowdown)
        || !sgdpar_priv_is_time(r->compute.slowest)
        || !sgdpar_priv_is_factor(o->exponent))
        return 0;
    if (r->schedule.local_steps > 0
        && (r->sharding != SGDPAR_SHARDING_NONE || o->exponent > 0.0
            || !sgdpar_priv_same(sgdpar_priv_or_one(r->compute.slowest), 1.0)))
        return 0;
    if (!sgdpar_priv_is_factor(r->compute.growth)
        || !sgdpar_priv_is_time(fabs(o->exposure)))
        return 0;
    if ((o->exponent > 0.0 || fabs(o->exposure) > 0.0)
        && (o->compute_slowdown > 1.0 || o->exchange_slowdown > 1.0))
        return 0;
    if (o->exponent > 0.0 && fabs(o->exposure) > 0.0) return 0;
    return sgdpar_priv_shards_parameters(r->sharding)
        ? !(o->exponent > 0.0) && sgdpar_priv_units_are_valid(r)
        : sgdpar_priv_tensors_are_valid(r);
}

/* Compute time over that of the profile. */
static double sgdpar_priv_scale(const sgdpar_replica *r)
{
    return r->compute.scale > 0.0 ? r->compute.scale : 1.0;
}

/* Number of accelerators of a topology. */
static double sgdpar_priv_workers(const sgdpar_topology *on)
{
    return sgdpar_priv_count(on->machines) * sgdpar_priv_count(on->gpus);
}

static sgdpar_priv_stepping sgdpar_priv_plan_of(const sgdpar_replica *r)
{
    sgdpar_priv_stepping plan;
    memset(&plan, 0, sizeof plan);
    plan.of = r;
    plan.workers = sgdpar_priv_workers(&r->network.topology);
    plan.passes = sgdpar_priv_count(r->schedule.accumulate);
    plan.gathered = r->layers.gathered > 0.0 ? r->layers.gathered : 1.0;
    plan.compute_slowdown = sgdpar_priv_factor(r->overlap.compute_slowdown);
    plan.exchange_slowdown = sgdpar_priv_factor(r->overlap.exchange_slowdown);
    plan.slowest = sgdpar_priv_or_one(r->compute.slowest)
        * sgdpar_priv_factor(r->compute.growth);
    plan.scale = sgdpar_priv_scale(r);
    SGDPAR_ASSERT(plan.workers >= 1.0 && plan.passes >= 1.0 && plan.scale > 0.0);
    plan.update_s = plan.scale * r->compute.update_s;
    plan.status = SGDPAR_OK;
    return plan;
}

/* The time of a collective. Adds it to the plan, which also keeps its way or its
 * error. */
static double sgdpar_priv_exchange_s(sgdpar_priv_stepping *plan, sgdpar_collective what,
                                     const sgdpar_network *on, double bytes)
{
    const sgdpar_protocol *by = on->protocol;
    size_t chosen = 0;
    double s;
    if (!(sgdpar_priv_workers(&on->topology) > 1.0)) return 0.0;
    s = sgdpar_priv_least_s(what, on, bytes, &chosen);
    if (s < 0.0) plan->status = SGDPAR_BAD_ARGUMENT;
    else plan->ways |= SGDPAR_WAY(by[chosen].algorithm, by[chosen].form);
    s = fmax(s, 0.0);
    plan->exchange_s += s;
    return s;
}

/* Time that the slowest worker takes for a computation of alone_s in the profile. */
static double sgdpar_priv_compute_s(const sgdpar_priv_stepping *plan, double alone_s)
{
    SGDPAR_ASSERT(alone_s >= 0.0 && plan->slowest > 0.0);
    return plan->slowest * (plan->scale * alone_s);
}

/* A backward pass and the stream of its exchanges. The stream serves one exchange at a
 * time, in order, so only the backlog counts: the time that all of them still need,
 * alone. */
typedef struct sgdpar_priv_stream {
    double now_s;
    double backlog_s;
} sgdpar_priv_stream;

/* Advances the backward pass by a computation that takes alone_s without exchanges. */
static void sgdpar_priv_stream_compute(sgdpar_priv_stream *s,
                                       const sgdpar_priv_stepping *plan, double alone_s)
{
    const double slow = plan->compute_slowdown, by = plan->exchange_slowdown;
    SGDPAR_ASSERT(alone_s >= 0.0 && s->backlog_s >= 0.0);
    if (s->backlog_s > 0.0) {
        const double both_s = fmin(alone_s * slow, s->backlog_s * by);
        if (alone_s * slow <= s->backlog_s * by) {
            s->backlog_s = fmax(0.0, s->backlog_s - both_s / by);
            alone_s = 0.0;
        } else {
            s->backlog_s = 0.0;
            alone_s = fmax(0.0, alone_s - both_s / slow);
        }
        s->now_s += both_s;
    }
    s->now_s += alone_s;
}

/* A pass that exchanges each bucket. Returns when both the pass and its exchanges end. */
static double sgdpar_priv_bucketed_s(sgdpar_priv_stepping *plan, sgdpar_collective what)
{
    const sgdpar_replica *r = plan->of;
    const sgdpar_layers *layers = &r->layers;
    sgdpar_priv_bucket b = sgdpar_priv_bucket_at(&r->buckets);
    sgdpar_priv_stream s;
    size_t i;
    s.now_s = sgdpar_priv_compute_s(plan, r->compute.forward_s);
    s.backlog_s = 0.0;
    for (i = 0; i < layers->tensors && plan->status == SGDPAR_OK; i++) {
        const sgdpar_tensor *t = &layers->tensor[i];
        int closed = 0;
        sgdpar_priv_stream_compute(&s, plan, sgdpar_priv_compute_s(plan, t->backward_s));
        plan->status = sgdpar_priv_bucket_put(&b, t->bytes, &closed);
        if (plan->status != SGDPAR_OK || (!closed && i + 1 < layers->tensors)) continue;
        s.backlog_s += sgdpar_priv_exchange_s(plan, what, &r->network, (double)b.bytes);
        b.bytes = 0;
        plan->exchanges++;
    }
    sgdpar_priv_stream_compute(&s, plan, sgdpar_priv_compute_s(plan, r->compute.tail_s));
    SGDPAR_ASSERT(plan->exchanges <= layers->tensors);
    return s.now_s + s.backlog_s;
}

/* Forward and backward pass of a micro-batch by the slowest worker, without exchanges. */
static double sgdpar_priv_pass_s(const sgdpar_priv_stepping *plan)
{
    const sgdpar_replica *r = plan->of;
    const double by = plan->scale;
    double s = 0.0;
    size_t i;
    if (sgdpar_priv_shards_parameters(r->sharding)) {
        for (i = 0; i < r->layers.units; i++)
            s += by * r->layers.unit[i].forward_s + by * r->layers.unit[i].backward_s;
        return plan->slowest * s;
    }
    for (i = 0; i < r->layers.tensors; i++) s += by * r->layers.tensor[i].backward_s;
    return plan->slowest * (by * r->compute.forward_s + s + by * r->compute.tail_s);
}

static double sgdpar_priv_model_bytes(const sgdpar_layers *of)
{
    double bytes = 0.0;
    size_t i;
    for (i = 0; i < of->tensors; i++) bytes += (double)of->tensor[i].bytes;
    return bytes;
}

/* A micro-batch that exchanges all gradients. */
static double sgdpar_priv_exchanging_pass_s(sgdpar_priv_stepping *plan)
{
    const sgdpar_replica *r = plan->of;
    const double followed_s =
        sgdpar_priv_bucketed_s(plan, sgdpar_priv_reduces(r->sharding));
    const double p = r->overlap.exponent, compute_s = sgdpar_priv_pass_s(plan);
    const double longer_s = fmax(compute_s, plan->exchange_s);
    SGDPAR_ASSERT(!(p > 0.0) || p >= 1.0);
    if (!(p > 0.0)) return followed_s;
    if (!(longer_s > 0.0)) return 0.0;
    return longer_s * pow(pow(compute_s / longer_s, p)
                              + pow(plan->exchange_s / longer_s, p), 1.0 / p);
}

/* Multiplies what one pass exchanges by the number of passes; one gather may follow. */
static void sgdpar_priv_exchange_passes(sgdpar_priv_stepping *plan)
{
    const size_t passes = (size_t)plan->passes;
    SGDPAR_ASSERT(passes > 0);
    plan->exchange_s *= plan->passes;
    if (!(plan->workers > 1.0)) return;
    if (plan->exchanges > ((size_t)-1 - 1) / passes) plan->status = SGDPAR_TOO_LARGE;
    else plan->exchanges *= passes;
}

/* NONE, OPTIMIZER, GRADIENTS. */
static double sgdpar_priv_replicated_s(sgdpar_priv_stepping *plan)
{
    const sgdpar_replica *r = plan->of;
    const double alone_s = sgdpar_priv_pass_s(plan);
    const double bytes = sgdpar_priv_model_bytes(&r->layers);
    double step_s;
    SGDPAR_ASSERT(plan->passes >= 1.0 && plan->workers >= 1.0);
    if (r->schedule.local_steps > 0) {
        const double H = r->schedule.local_steps;
        plan->exchanges = 1;
        plan->exchange_s = sgdpar_priv_exchange_s(plan, SGDPAR_COLLECTIVE_ALL_REDUCE,
                                                  &r->network,
                                                  bytes * plan->gathered) / H;
        return plan->passes * alone_s + plan->update_s + plan->exchange_s;
    }
    step_s = sgdpar_priv_exchanging_pass_s(plan);
    if (r->sharding != SGDPAR_SHARDING_GRADIENTS) {
        step_s += (plan->passes - 1.0) * alone_s;
    } else {
        step_s *= plan->passes;
        sgdpar_priv_exchange_passes(plan);
    }
    if (r->sharding == SGDPAR_SHARDING_NONE) return step_s + plan->update_s;
    plan->exchanges++;
    return step_s + plan->update_s / plan->workers
        + sgdpar_priv_exchange_s(plan, SGDPAR_COLLECTIVE_ALL_GATHER, &r->network,
                                 bytes * plan->gathered);
}

/* ---- Steps: with sharded parameters -------------------------------------- */

/* Times of the collectives of a unit, computed once. */
typedef struct sgdpar_priv_unit_times {
    double gather_s, scatter_s;
} sgdpar_priv_unit_times;

static void sgdpar_priv_unit_times_of(sgdpar_priv_stepping *plan,
                                      sgdpar_priv_unit_times *t)
{
    const sgdpar_replica *r = plan->of;
    const sgdpar_layers *layers = &r->layers;
    const sgdpar_network group = sgdpar_priv_group(r->sharding, &r->network);
    const sgdpar_network replicas = sgdpar_priv_replicas(&r->network);
    const double g = sgdpar_priv_count(r->network.topology.gpus);
    const int hybrid =
        r->sharding == SGDPAR_SHARDING_HYBRID && replicas.topology.machines > 1;
    size_t i;
    SGDPAR_ASSERT(layers->units > 0);
    for (i = 0; i < layers->units && plan->status == SGDPAR_OK; i++) {
        const double bytes = layers->unit[i].bytes;
        t[i].gather_s = sgdpar_priv_exchange_s(plan, SGDPAR_COLLECTIVE_ALL_GATHER, &group,
                                               bytes * plan->gathered);
        t[i].scatter_s = sgdpar_priv_exchange_s(plan, SGDPAR_COLLECTIVE_REDUCE_SCATTER,
                                                &group, bytes);
        if (hybrid)
            t[i].scatter_s += sgdpar_priv_exchange_s(plan, SGDPAR_COLLECTIVE_ALL_REDUCE,
                                                     &replicas, bytes / g);
        plan->exchange_s += t[i].gather_s;         /* once forward, once backward */
    }
    plan->exchanges = layers->units * (hybrid ? 4 : 3);
}

/* A pass: the forward and backward computations of all n units, one after the other, and
 * the stream of their collectives. Computation k of 2n waits for its gather. Collective m
 * of 3n waits for computations:
 *   gathers, forward   The first prefetch + 1 are issued at once. Each other one waits
 *                      for the unit prefetch + 1 places before.
 *   gathers, backward  The same, where place j is unit n - 1 - j.
 *   scatters           Each waits for its unit, and goes before a gather of the same
 *                      time. */
typedef struct sgdpar_priv_march {
    size_t n, first;           /* units; gathers that are issued at once            */
    size_t computed, exchanged;
    size_t gathered[2];        /* forward, backward                                 */
    size_t scattered;
} sgdpar_priv_march;

/* Is the next collective a scatter? */
static int sgdpar_priv_march_scatters(const sgdpar_priv_march *p)
{
    SGDPAR_ASSERT(p->gathered[0] == p->n);
    if (p->gathered[1] < p->first) return 0;
    return p->gathered[1] == p->n || p->scattered + p->first <= p->gathered[1];
}

/* False after the last computation of a way: at = n, and there are only n gathers. */
static int sgdpar_priv_march_may_compute(const sgdpar_priv_march *p)
{
    const size_t way = p->computed >= p->n, at = p->computed - (way ? p->n : 0);
    SGDPAR_ASSERT(at <= p->n);
    return p->gathered[way] > at;
}

static int sgdpar_priv_march_may_exchange(const sgdpar_priv_march *p)
{
    const size_t forth = p->gathered[0];
    SGDPAR_ASSERT(p->exchanged < 3 * p->n); /* the last scatter ends the pass    */
    if (forth < p->n) return forth < p->first || p->computed > forth - p->first;
    if (sgdpar_priv_march_scatters(p)) return p->computed > p->n + p->scattered;
    SGDPAR_ASSERT(p->gathered[1] < p->first
                  || p->computed > p->n + p->gathered[1] - p->first);
    return p->computed >= p->n;
}

static double sgdpar_priv_march_compute_s(const sgdpar_priv_stepping *plan,
                                          const sgdpar_priv_march *p)
{
    const sgdpar_unit *unit = plan->of->layers.unit;
    const size_t k = p->computed;
    SGDPAR_ASSERT(k < 2 * p->n);
    return sgdpar_priv_compute_s(plan, k < p->n ? unit[k].forward_s
                                              : unit[2 * p->n - 1 - k].backward_s);
}

static double sgdpar_priv_march_exchange_s(const sgdpar_priv_unit_times *t,
                                           const sgdpar_priv_march *p)
{
    SGDPAR_ASSERT(p->exchanged < 3 * p->n);
    if (p->gathered[0] < p->n) return t[p->gathered[0]].gather_s;
    if (sgdpar_priv_march_scatters(p)) return t[p->n - 1 - p->scattered].scatter_s;
    return t[p->n - 1 - p->gathered[1]].gather_s;
}

static void sgdpar_priv_march_exchanged(sgdpar_priv_march *p)
{
    if (p->gathered[0] < p->n) p->gathered[0]++;
    else if (sgdpar_priv_march_scatters(p)) p->scattered++;
    else p->gathered[1]++;
    p->exchanged++;
    SGDPAR_ASSERT(p->exchanged == p->gathered[0] + p->gathered[1] + p->scattered);
}

/* Each event ends one of the 2n computations and 3n collectives; if two end at once, the
 * computation. While one of each runs, both are slowed down. */
static double sgdpar_priv_march_s(const sgdpar_priv_stepping *plan,
                                  const sgdpar_priv_unit_times *t)
{
    const size_t ahead = plan->of->schedule.prefetch;
    double now_s = 0.0, compute_s = -1.0, exchange_s = -1.0; /* left; < 0: not begun */
    sgdpar_priv_march p;
    memset(&p, 0, sizeof p);
    p.n = plan->of->layers.units;
    p.first = ahead < p.n ? ahead + 1 : p.n;
    while (p.exchanged < 3 * p.n) {
        const int computes = sgdpar_priv_march_may_compute(&p);
        const int exchanges = sgdpar_priv_march_may_exchange(&p);
        const double c = computes && exchanges ? plan->compute_slowdown : 1.0;
        const double d = computes && exchanges ? plan->exchange_slowdown : 1.0;
        SGDPAR_ASSERT(computes || exchanges);
        if (computes && compute_s < 0.0) compute_s = sgdpar_priv_march_compute_s(plan,
            &p);
        if (exchanges && exchange_s < 0.0) exchange_s = sgdpar_priv_march_exchange_s(t,
            &p);
        if (computes && !(exchanges && exchange_s * d < compute_s * c)) {
            now_s += compute_s * c;
            if (exchanges) exchange_s = fmax(0.0, exchange_s - compute_s * c / d);
            compute_s = -1.0;
            p.computed++;
        } else {
            now_s += exchange_s * d;
            if (computes) compute_s = fmax(0.0, compute_s - exchange_s * d / c);
            exchange_s = -1.0;
            sgdpar_priv_march_exchanged(&p);
        }
    }
    return now_s;
}

/* Number of workers that share the update: each updates what it keeps. */
static double sgdpar_priv_updaters(const sgdpar_priv_stepping *plan)
{
    return sgdpar_priv_keepers(plan->of->sharding, plan->workers,
                               sgdpar_priv_count(plan->of->network.topology.gpus));
}

/* ALL and HYBRID. */
static double sgdpar_priv_sharded_s(sgdpar_priv_stepping *plan, sgdpar_priv_unit_times *t)
{
    double pass_s;
    sgdpar_priv_unit_times_of(plan, t);
    if (plan->status != SGDPAR_OK) return 0.0;
    pass_s = sgdpar_priv_march_s(plan, t);
    sgdpar_priv_exchange_passes(plan);
    return plan->passes * pass_s + plan->update_s / sgdpar_priv_updaters(plan);
}

/* Time of the passes of a step and of the exposed part of its exchanges. With h > 1 the
 * exchanges of the plan last h times as long. */
static double sgdpar_priv_exposing_s(sgdpar_priv_stepping *plan)
{
    const double h = plan->of->overlap.exposure;
    const double passes_s = plan->passes * sgdpar_priv_pass_s(plan);
    if (h > 1.0) plan->exchange_s *= h;
    if (h > 1.0 || plan->of->schedule.local_steps > 0)
        return passes_s + plan->exchange_s;
    SGDPAR_ASSERT(plan->exchange_s >= 0.0 && passes_s >= 0.0);
    return fmax(passes_s + fmax(h, 0.0) * plan->exchange_s, plan->exchange_s);
}

SGDPAR_API sgdpar_status sgdpar_replica_time_bytes(const sgdpar_replica *replica,
                                                   size_t *bytes)
{
    sgdpar_priv_arena arena = sgdpar_priv_arena_at(NULL);
    if (!bytes || !sgdpar_priv_replica_is_valid(replica)) return SGDPAR_BAD_ARGUMENT;
    if (sgdpar_priv_shards_parameters(replica->sharding))
        (void)sgdpar_priv_take(&arena, replica->layers.units,
                               sizeof(sgdpar_priv_unit_times));
    return sgdpar_priv_answer(&arena, bytes);
}

SGDPAR_API sgdpar_status sgdpar_replica_time(const sgdpar_replica *replica, void *work,
                                             size_t work_bytes, sgdpar_replica_step *out)
{
    sgdpar_replica_step step;
    sgdpar_replica one_bucket;
    sgdpar_priv_stepping plan;
    size_t need = 0;
    sgdpar_status status;
    if (!out) return SGDPAR_BAD_ARGUMENT;
    status = sgdpar_replica_time_bytes(replica, &need);
    if (status == SGDPAR_OK) status = sgdpar_priv_check_work(work, work_bytes, need);
    if (status != SGDPAR_OK) return status;
    one_bucket = *replica;
    one_bucket.buckets.first_bytes = one_bucket.buckets.cap_bytes = UINT64_MAX;
    plan = sgdpar_priv_plan_of(fabs(replica->overlap.exposure) > 0.0 ? &one_bucket
                                                                     : replica);
    step.step_s = sgdpar_priv_shards_parameters(replica->sharding)
        ? sgdpar_priv_sharded_s(&plan, (sgdpar_priv_unit_times *)work)
        : sgdpar_priv_replicated_s(&plan);
    if (plan.status != SGDPAR_OK) return plan.status;
    if (fabs(replica->overlap.exposure) > 0.0)
        step.step_s = sgdpar_priv_exposing_s(&plan)
            + plan.update_s / sgdpar_priv_updaters(&plan);
    step.compute_s = plan.passes * sgdpar_priv_pass_s(&plan);
    step.compute_s += plan.update_s / sgdpar_priv_updaters(&plan);
    step.exchange_s = plan.exchange_s;
    step.exposed_s = plan.workers > 1.0 ? fmax(0.0, step.step_s - step.compute_s) : 0.0;
    step.exchanges = plan.workers > 1.0 ? plan.exchanges : 0;
    step.ways = plan.ways;
    SGDPAR_ASSERT(!(step.exposed_s > step.step_s));
    if (!sgdpar_priv_is_time(step.step_s) || !sgdpar_priv_is_time(step.exchange_s))
        return SGDPAR_BAD_ARGUMENT;
    *out = step;
    return SGDPAR_OK;
}

/* Do exchanges have a cost that does not shrink with the bytes? */
static int sgdpar_priv_has_latency(const sgdpar_network *on)
{
    const sgdpar_topology *t = &on->topology;
    size_t i;
    if (t->latency_s > 0.0 && t->machines > 1) return 1;
    if (t->local_latency_s > 0.0 && t->gpus > 1) return 1;
    for (i = 0; i < on->protocols; i++) {
        const sgdpar_cost *cost = &on->protocol[i].cost;
        if (cost->base_s + cost->latency_s + cost->local_latency_s > 0.0) return 1;
    }
    return 0;
}

SGDPAR_API sgdpar_status sgdpar_best_bucket(const sgdpar_replica *replica,
                                            uint64_t *bucket_bytes,
                                            sgdpar_replica_step *out)
{
    sgdpar_replica_step step;
    sgdpar_replica r;
    uint64_t limit, least = 0;
    double total, best_s = HUGE_VAL;
    sgdpar_status status;
    if (!bucket_bytes || !out || !sgdpar_priv_replica_is_valid(replica)
        || sgdpar_priv_shards_parameters(replica->sharding)
        || replica->schedule.local_steps > 0 || replica->overlap.exponent > 0.0
        || !sgdpar_priv_has_latency(&replica->network))
        return SGDPAR_BAD_ARGUMENT;
    r = *replica;
    r.overlap.exposure = 0.0;
    total = sgdpar_priv_model_bytes(&replica->layers);
    for (limit = r.buckets.cap_bytes > 0 ? r.buckets.cap_bytes : 65536; ; limit *= 2) {
        r.buckets.cap_bytes = limit;
        status = sgdpar_replica_time(&r, NULL, 0, &step);
        if (status != SGDPAR_OK) return status;
        if (step.step_s <= best_s) {
            best_s = step.step_s;
            least = limit;
        }
        if ((double)limit >= total) break;
    }
    SGDPAR_ASSERT(least > 0);
    r.overlap.exposure = replica->overlap.exposure;
    r.buckets.cap_bytes = least;
    status = sgdpar_replica_time(&r, NULL, 0, &step);
    if (status != SGDPAR_OK) return status;
    *bucket_bytes = least;
    *out = step;
    return SGDPAR_OK;
}

/* ---- Pipelines: schedules --------------------------------------------------- */

SGDPAR_API const char *sgdpar_pipelining_text(sgdpar_pipelining schedule)
{
#define SGDPAR_X(name, text) text,
    static const char *const text[] = { SGDPAR_PIPELINING_TABLE(SGDPAR_X) };
#undef SGDPAR_X
    return sgdpar_priv_text(text, SGDPAR_PIPELINING_COUNT, (size_t)schedule);
}

/* Passes: forward, backward, and gradients of weights. */
enum { SGDPAR_PRIV_F, SGDPAR_PRIV_B, SGDPAR_PRIV_W, SGDPAR_PRIV_PASSES };

/* A device: how many passes of each kind it has done, when the last one ended, and when
 * its links to the next and to the previous device, and its exchanges, are free. */
typedef struct sgdpar_priv_device {
    size_t done[SGDPAR_PRIV_PASSES];
    double now_s, next_free_s, previous_free_s, exchanged_s;
    double kept_bytes;
} sgdpar_priv_device;

/* A pipeline and its work area. For each stage and micro-batch: when its input for F, and
 * its input for B, has come; -1: not yet. */
typedef struct sgdpar_priv_line {
    const sgdpar_pipeline *of;
    size_t P, v, m;
    double *forward_from, *backward_from;  /* [P v][m]                               */
    sgdpar_priv_device *at;                /* [P]                                    */
    sgdpar_device *device;                 /* [P]                                    */
} sgdpar_priv_line;

/* A pass that a device does next. */
typedef struct sgdpar_priv_pass {
    int kind;
    size_t stage, micro;
} sgdpar_priv_pass;

static int sgdpar_priv_stage_is_valid(const sgdpar_stage *s)
{
    return sgdpar_priv_is_time(s->forward_s) && sgdpar_priv_is_time(s->backward_s)
        && sgdpar_priv_is_time(s->weight_s) && sgdpar_priv_is_time(s->send_s)
        && sgdpar_priv_is_time(s->exchange_s) && sgdpar_priv_is_time(s->update_s)
        && sgdpar_priv_is_time(s->activations_bytes);
}

static int sgdpar_priv_pipeline_is_valid(const sgdpar_pipeline *p)
{
    const size_t v = p && p->chunks > 1 ? p->chunks : 1;
    size_t i;
    if (!p || !p->stage || p->devices == 0 || p->micro_batches == 0
        || (size_t)p->schedule >= (size_t)SGDPAR_PIPELINING_COUNT
        || (v > 1) != (p->schedule == SGDPAR_PIPELINING_INTERLEAVED)
        || (v > 1 && p->micro_batches % p->devices != 0))
        return 0;
    for (i = 0; i < v * p->devices; i++)
        if (!sgdpar_priv_stage_is_valid(&p->stage[i])
            || (p->schedule == SGDPAR_PIPELINING_ZB
                && p->stage[i].weight_s > p->stage[i].backward_s)) return 0;
    return 1;
}

/* Divides the work area. */
static sgdpar_priv_line sgdpar_priv_line_of(const sgdpar_pipeline *of,
                                            sgdpar_priv_arena *arena)
{
    sgdpar_priv_line line;
    size_t per_micro;
    line.of = of;
    line.P = of->devices;
    line.v = of->chunks > 1 ? of->chunks : 1;
    line.m = of->micro_batches;
    per_micro = line.P * line.v * sizeof(double);  /* less than the stages take        */
    line.forward_from = (double *)sgdpar_priv_take(arena, line.m, per_micro);
    line.backward_from = (double *)sgdpar_priv_take(arena, line.m, per_micro);
    line.at = (sgdpar_priv_device *)sgdpar_priv_take(arena, line.P,
                                                     sizeof(sgdpar_priv_device));
    line.device = (sgdpar_device *)sgdpar_priv_take(arena, line.P, sizeof(sgdpar_device));
    return line;
}

/* Forward passes of device p before F and B take turns. */
static size_t sgdpar_priv_warm_up(const sgdpar_priv_line *line, size_t p)
{
    const size_t after = line->P - 1 - p;
    SGDPAR_ASSERT(p < line->P);
    if (line->of->schedule == SGDPAR_PIPELINING_GPIPE) return line->m;
    return line->v > 1 ? 2 * after + (line->v - 1) * line->P : after;
}

/* The next pass of device p, which has some left. Micro-batches pass in groups of P
 * through each of the device's stages. */
static sgdpar_priv_pass sgdpar_priv_next_pass(const sgdpar_priv_line *line, size_t p)
{
    const size_t *done = line->at[p].done, F = done[SGDPAR_PRIV_F];
    const size_t B = done[SGDPAR_PRIV_B], W = done[SGDPAR_PRIV_W];
    const size_t n = line->m * line->v, group = line->P * line->v;
    sgdpar_priv_pass next;
    size_t chunk;
    if (line->of->schedule == SGDPAR_PIPELINING_ZB && (B == n || B - W > p))
        next.kind = SGDPAR_PRIV_W;
    else if (F < n && F - B <= sgdpar_priv_warm_up(line, p)) next.kind = SGDPAR_PRIV_F;
    else next.kind = SGDPAR_PRIV_B;
    SGDPAR_ASSERT(done[next.kind] < n && W <= B && B <= F);
    next.micro = done[next.kind];
    chunk = next.micro % group / line->P;
    if (next.kind == SGDPAR_PRIV_B) chunk = line->v - 1 - chunk;
    next.micro = next.micro / group * line->P + next.micro % line->P;
    next.stage = chunk * line->P + p;
    return next;
}

/* When the input of a pass has come; negative: not yet. */
static double sgdpar_priv_input_s(const sgdpar_priv_line *line,
                                  const sgdpar_priv_pass *pass)
{
    const size_t i = pass->stage * line->m + pass->micro;
    SGDPAR_ASSERT(pass->stage < line->P * line->v && pass->micro < line->m);
    if (pass->kind == SGDPAR_PRIV_W) return 0.0;
    return pass->kind == SGDPAR_PRIV_F ? line->forward_from[i] : line->backward_from[i];
}

static double sgdpar_priv_pass_time_s(const sgdpar_priv_line *line,
                                      const sgdpar_priv_pass *pass)
{
    const sgdpar_stage *s = &line->of->stage[pass->stage];
    SGDPAR_ASSERT(pass->kind < SGDPAR_PRIV_PASSES);
    if (pass->kind == SGDPAR_PRIV_F) return s->forward_s;
    if (pass->kind == SGDPAR_PRIV_W) return s->weight_s;
    return line->of->schedule == SGDPAR_PIPELINING_ZB ? s->backward_s - s->weight_s
                                                      : s->backward_s;
}

/* Sends what a pass computed to the stage that waits for it. */
static void sgdpar_priv_send(const sgdpar_priv_line *line, size_t p,
                             const sgdpar_priv_pass *pass)
{
    sgdpar_priv_device *from = &line->at[p];
    const size_t last = line->P * line->v - 1, at = pass->stage * line->m + pass->micro;
    const int forward = pass->kind == SGDPAR_PRIV_F;
    double *free_s = forward ? &from->next_free_s : &from->previous_free_s;
    double time_s = 0.0;
    if (pass->kind == SGDPAR_PRIV_W || (!forward && pass->stage == 0)) return;
    if (forward && pass->stage == last) {
        line->backward_from[at] = from->now_s;
        return;
    }
    if (line->P > 1) time_s = line->of->stage[pass->stage - (forward ? 0 : 1)].send_s;
    *free_s = fmax(*free_s, from->now_s) + time_s;
    SGDPAR_ASSERT(*free_s >= from->now_s);
    if (forward) line->forward_from[at + line->m] = *free_s;
    else line->backward_from[at - line->m] = *free_s;
}

/* Keeps activations from a forward pass to the last pass of the micro-batch. */
static void sgdpar_priv_keep(const sgdpar_priv_line *line, size_t p,
                             const sgdpar_priv_pass *pass)
{
    const double bytes = line->of->stage[pass->stage].activations_bytes;
    sgdpar_priv_device *at = &line->at[p];
    const int last = line->of->schedule == SGDPAR_PIPELINING_ZB ? SGDPAR_PRIV_W
                                                                : SGDPAR_PRIV_B;
    if (pass->kind == SGDPAR_PRIV_F) at->kept_bytes += bytes;
    if (pass->kind == last) at->kept_bytes = fmax(0.0, at->kept_bytes - bytes);
    if (at->kept_bytes > line->device[p].activations_bytes)
        line->device[p].activations_bytes = at->kept_bytes;
    if (pass->kind != last || pass->micro + 1 < line->m) return;
    at->exchanged_s = fmax(at->exchanged_s, at->now_s)
        + line->of->stage[pass->stage].exchange_s;
    SGDPAR_ASSERT(at->exchanged_s >= at->now_s);
}

/* Does the passes of device p whose input has come. Returns how many. */
static size_t sgdpar_priv_do_passes(const sgdpar_priv_line *line, size_t p)
{
    sgdpar_priv_device *at = &line->at[p];
    const int last = line->of->schedule == SGDPAR_PIPELINING_ZB ? SGDPAR_PRIV_W
                                                                : SGDPAR_PRIV_B;
    size_t passes = 0;
    while (at->done[last] < line->m * line->v) {
        const sgdpar_priv_pass next = sgdpar_priv_next_pass(line, p);
        const double input_s = sgdpar_priv_input_s(line, &next);
        const double time_s = sgdpar_priv_pass_time_s(line, &next);
        if (input_s < 0.0) break;
        at->now_s = fmax(at->now_s, input_s) + time_s;
        line->device[p].passes_s += time_s;
        at->done[next.kind]++;
        sgdpar_priv_send(line, p, &next);
        sgdpar_priv_keep(line, p, &next);
        passes++;
    }
    return passes;
}

/* Nothing is done yet; the inputs of the first stage are there. */
static void sgdpar_priv_reset_line(const sgdpar_priv_line *line)
{
    size_t i;
    for (i = 0; i < line->m * line->v * line->P; i++) {
        line->forward_from[i] = i < line->m ? 0.0 : -1.0;
        line->backward_from[i] = -1.0;
    }
    memset(line->at, 0, line->P * sizeof *line->at);
    memset(line->device, 0, line->P * sizeof *line->device);
}

/* Does all passes: each round does some, because an order never waits for itself. */
static void sgdpar_priv_run_line(const sgdpar_priv_line *line)
{
    const size_t n = line->m * line->v;
    const size_t kinds = line->of->schedule == SGDPAR_PIPELINING_ZB ? 3 : 2;
    size_t left = kinds * n * line->P;
    sgdpar_priv_reset_line(line);
    while (left > 0) {
        size_t p, passes = 0;
        for (p = 0; p < line->P; p++) passes += sgdpar_priv_do_passes(line, p);
        SGDPAR_ASSERT(passes > 0 && passes <= left);
        left -= passes;
    }
}

static sgdpar_pipeline_step sgdpar_priv_line_step(const sgdpar_priv_line *line)
{
    double sum_s = 0.0;
    sgdpar_pipeline_step step;
    size_t p, c;
    memset(&step, 0, sizeof step);
    for (p = 0; p < line->P; p++) {
        const sgdpar_priv_device *at = &line->at[p];
        sgdpar_device *device = &line->device[p];
        device->done_s = fmax(at->now_s, at->exchanged_s);
        for (c = 0; c < line->v; c++)
            device->done_s += line->of->stage[c * line->P + p].update_s;
        step.step_s = fmax(step.step_s, device->done_s);
        step.passes_s = fmax(step.passes_s, at->now_s);
        step.largest_s = fmax(step.largest_s, device->passes_s);
        sum_s += device->passes_s / (double)line->P;
    }
    SGDPAR_ASSERT(step.step_s >= step.passes_s);
    if (step.passes_s > 0.0) step.bubble_share = fmax(0.0, 1.0 - sum_s / step.passes_s);
    step.exposed_s = step.step_s - step.passes_s;
    return step;
}

SGDPAR_API sgdpar_status sgdpar_pipeline_time_bytes(const sgdpar_pipeline *pipeline,
                                                    size_t *bytes)
{
    sgdpar_priv_arena arena = sgdpar_priv_arena_at(NULL);
    if (!bytes || !sgdpar_priv_pipeline_is_valid(pipeline)) return SGDPAR_BAD_ARGUMENT;
    (void)sgdpar_priv_line_of(pipeline, &arena);
    return sgdpar_priv_answer(&arena, bytes);
}

SGDPAR_API sgdpar_status sgdpar_pipeline_time(const sgdpar_pipeline *pipeline, void *work,
                                              size_t work_bytes, sgdpar_device *device,
                                              sgdpar_pipeline_step *out)
{
    sgdpar_priv_arena arena = sgdpar_priv_arena_at(work);
    sgdpar_pipeline_step step;
    sgdpar_priv_line line;
    size_t need = 0, p;
    sgdpar_status status;
    if (!out) return SGDPAR_BAD_ARGUMENT;
    status = sgdpar_pipeline_time_bytes(pipeline, &need);
    if (status == SGDPAR_OK) status = sgdpar_priv_check_work(work, work_bytes, need);
    if (status != SGDPAR_OK) return status;
    line = sgdpar_priv_line_of(pipeline, &arena);
    sgdpar_priv_run_line(&line);
    step = sgdpar_priv_line_step(&line);
    if (!sgdpar_priv_is_time(step.step_s)) return SGDPAR_BAD_ARGUMENT;
    for (p = 0; p < line.P; p++)
        if (!sgdpar_priv_is_time(line.device[p].activations_bytes))
            return SGDPAR_BAD_ARGUMENT;
    if (device) memcpy(device, line.device, line.P * sizeof *device);
    *out = step;
    return SGDPAR_OK;
}

/* ---- Pipelines: copies on machines ------------------------------------------ */

/* The machines of the D copies of a stage. */
static sgdpar_network sgdpar_priv_copies_on(const sgdpar_copies *of)
{
    sgdpar_network on = of->network;
    const uint32_t g = on.topology.gpus > 1 ? on.topology.gpus : 1;
    on.topology.gpus = of->copies < g ? of->copies : g;
    on.topology.machines = of->copies / on.topology.gpus;
    SGDPAR_ASSERT(on.topology.machines * on.topology.gpus == of->copies);
    return on;
}

/* Time of a transfer from device p to the next one; -1 without a bandwidth. */
static double sgdpar_priv_send_s(const sgdpar_copies *of, uint32_t devices, uint32_t p,
                                 double bytes)
{
    const sgdpar_topology *t = &of->network.topology;
    const uint64_t D = of->copies, g = t->gpus > 1 ? t->gpus : 1;
    const double share = t->bandwidth_bytes_per_s / (double)(D < g ? D : g);
    const double most = t->flow_cap_bytes_per_s * sgdpar_priv_count(t->channels);
    const double local = t->local_bandwidth_bytes_per_s;
    SGDPAR_ASSERT(p < devices);
    if (devices == 1) return 0.0;
    if (p * D / g == (p + 1) % devices * D / g)
        return local > 0.0 ? t->local_latency_s + bytes / local : -1.0;
    return share > 0.0 ? t->latency_s + bytes / sgdpar_priv_limited(share, most) : -1.0;
}

static int sgdpar_priv_copies_are_valid(const sgdpar_copies *of, uint32_t devices,
                                        uint32_t chunks, size_t *stages)
{
    uint32_t g;
    size_t i;
    if (!of || devices == 0 || chunks == 0 || of->copies == 0 || !of->gradient_bytes
        || (of->sharding != SGDPAR_SHARDING_NONE
            && of->sharding != SGDPAR_SHARDING_OPTIMIZER)) return 0;
    g = of->network.topology.gpus > 1 ? of->network.topology.gpus : 1;
    if (of->copies % g != 0 && g % of->copies != 0) return 0;
    *stages = (size_t)devices * chunks;
    for (i = 0; i < *stages; i++)
        if (!sgdpar_priv_is_time(of->gradient_bytes[i])
            || (of->output_bytes && !sgdpar_priv_is_time(of->output_bytes[i]))) return 0;
    return 1;
}

/* Stage i with its transfers. */
static sgdpar_status sgdpar_priv_transfers(const sgdpar_copies *of, uint32_t devices,
                                           size_t i, sgdpar_stage *stage)
{
    const sgdpar_network on = sgdpar_priv_copies_on(of);
    const double bytes = of->gradient_bytes[i];
    double gather_s = 0.0;
    sgdpar_status status = SGDPAR_OK;
    SGDPAR_ASSERT(on.topology.machines >= 1);
    stage->send_s = of->output_bytes
        ? sgdpar_priv_send_s(of, devices, (uint32_t)(i % devices), of->output_bytes[i])
        : 0.0;
    stage->exchange_s = 0.0;
    if (of->copies > 1)
        status = sgdpar_best_protocol(sgdpar_priv_reduces(of->sharding), &on, bytes, NULL,
                                      &stage->exchange_s);
    if (status == SGDPAR_OK && of->copies > 1 && of->sharding != SGDPAR_SHARDING_NONE)
        status = sgdpar_best_protocol(SGDPAR_COLLECTIVE_ALL_GATHER, &on, bytes, NULL,
                                      &gather_s);
    if (of->sharding != SGDPAR_SHARDING_NONE)
        stage->update_s = stage->update_s / of->copies + gather_s;
    if (status != SGDPAR_OK) return status;
    return sgdpar_priv_is_time(stage->send_s) && sgdpar_priv_is_time(stage->update_s)
        ? SGDPAR_OK : SGDPAR_BAD_ARGUMENT;
}

SGDPAR_API sgdpar_status sgdpar_pipeline_transfers(const sgdpar_copies *of,
                                                   uint32_t devices, uint32_t chunks,
                                                   sgdpar_stage *stage)
{
    size_t stages = 0, i;
    if (!stage || !sgdpar_priv_copies_are_valid(of, devices, chunks, &stages)
        || !sgdpar_priv_network_is_valid(&of->network)) return SGDPAR_BAD_ARGUMENT;
    for (i = 0; i < stages; i++) {         /* first check all, then write             */
        sgdpar_stage tried = stage[i];
        const sgdpar_status status = sgdpar_priv_transfers(of, devices, i, &tried);
        if (status != SGDPAR_OK) return status;
    }
    for (i = 0; i < stages; i++) (void)sgdpar_priv_transfers(of, devices, i, &stage[i]);
    return SGDPAR_OK;
}

/* ---- Pipelines: replay on shared links --------------------------------------- */

SGDPAR_API const char *sgdpar_activity_text(sgdpar_activity what)
{
#define SGDPAR_X(name, text) text,
    static const char *const text[] = { SGDPAR_ACTIVITY_TABLE(SGDPAR_X) };
#undef SGDPAR_X
    return sgdpar_priv_text(text, SGDPAR_ACTIVITY_COUNT, (size_t)what);
}

/* Flows of a device: to the next one, to the previous one, and exchanges. */
enum { SGDPAR_PRIV_NEXT, SGDPAR_PRIV_PREVIOUS, SGDPAR_PRIV_EXCHANGE, SGDPAR_PRIV_FLOWS };

/* Directions of links: those of device p are 4 p and 4 p + 1 inside a machine, those of
 * machine k are 4 k + 2 and 4 k + 3. */
enum { SGDPAR_PRIV_OUT, SGDPAR_PRIV_IN, SGDPAR_PRIV_OUTSIDE, SGDPAR_PRIV_DIRECTIONS = 4 };

/* Transfers one after the other. queue[head] is under way if left_s >= 0. */
typedef struct sgdpar_priv_flow {
    size_t *queue, head, tail;             /* stage * micro-batches + micro-batch    */
    size_t  from, to;                      /* directions                             */
    double  left_s, start_s, end_s;        /* end_s: if shares stay as they are      */
} sgdpar_priv_flow;

/* A device that does a pass: end_s >= 0. */
typedef struct sgdpar_priv_doing {
    sgdpar_priv_pass pass;
    double start_s, end_s;
    sgdpar_priv_flow flow[SGDPAR_PRIV_FLOWS];
} sgdpar_priv_doing;

/* A replay: the pipeline, its links, and the clock. */
typedef struct sgdpar_priv_replay {
    sgdpar_priv_line line;
    const sgdpar_shared *links;
    sgdpar_priv_doing *doing;              /* [P]                                    */
    size_t *sharing;                       /* [directions] flows under way           */
    double now_s;
} sgdpar_priv_replay;

static sgdpar_priv_replay sgdpar_priv_replay_of(const sgdpar_pipeline *of,
                                                sgdpar_priv_arena *arena)
{
    sgdpar_priv_replay r;
    size_t *queue, p, k, n;
    memset(&r, 0, sizeof r);
    r.line = sgdpar_priv_line_of(of, arena);
    n = r.line.v * r.line.m;
    r.doing = (sgdpar_priv_doing *)sgdpar_priv_take(arena, r.line.P, sizeof *r.doing);
    r.sharing = (size_t *)sgdpar_priv_take(arena, r.line.P, SGDPAR_PRIV_DIRECTIONS
                                                                * sizeof *r.sharing);
    queue = (size_t *)sgdpar_priv_take(arena, r.line.P * n, SGDPAR_PRIV_FLOWS
                                                                * sizeof *queue);
    if (!arena->base || arena->overflow) return r;
    memset(r.doing, 0, r.line.P * sizeof *r.doing);
    for (p = 0; p < r.line.P; p++) {
        r.doing[p].end_s = -1.0;
        for (k = 0; k < SGDPAR_PRIV_FLOWS; k++) {
            r.doing[p].flow[k].queue = queue + (SGDPAR_PRIV_FLOWS * p + k) * n;
            r.doing[p].flow[k].left_s = -1.0;
        }
    }
    return r;
}

/* The directions that the flows of each device take. */
static void sgdpar_priv_route(sgdpar_priv_replay *r)
{
    const size_t P = r->line.P;
    const uint32_t *machine = r->links->machine;
    size_t p, k;
    for (p = 0; p < P && machine; p++)
        for (k = 0; k < SGDPAR_PRIV_FLOWS; k++) {
            sgdpar_priv_flow *f = &r->doing[p].flow[k];
            const size_t to = k == SGDPAR_PRIV_EXCHANGE ? p
                : (p + (k == SGDPAR_PRIV_NEXT ? 1 : P - 1)) % P;
            const int outside = k == SGDPAR_PRIV_EXCHANGE ? r->links->between != 0
                                                          : machine[p] != machine[to];
            f->from = SGDPAR_PRIV_DIRECTIONS * (outside ? machine[p] : p)
                + (outside ? SGDPAR_PRIV_OUTSIDE : 0) + SGDPAR_PRIV_OUT;
            f->to = SGDPAR_PRIV_DIRECTIONS * (outside ? machine[to] : to)
                + (outside ? SGDPAR_PRIV_OUTSIDE : 0) + SGDPAR_PRIV_IN;
            SGDPAR_ASSERT(f->from < SGDPAR_PRIV_DIRECTIONS * P
                          && f->to < SGDPAR_PRIV_DIRECTIONS * P);
        }
}

static void sgdpar_priv_tell(const sgdpar_priv_replay *r, int what, size_t p, size_t at,
                             double start_s)
{
    sgdpar_span span;
    span.what = (sgdpar_activity)what;
    span.device = (uint32_t)p;
    span.stage = at / r->line.m;
    span.micro_batch = what < SGDPAR_ACTIVITY_EXCHANGE ? (uint32_t)(at % r->line.m) : 0;
    span.start_s = start_s;
    span.end_s = r->now_s;
    SGDPAR_ASSERT(span.end_s >= span.start_s);
    if (r->links->on_span) r->links->on_span(r->links->ctx, &span);
}

static double sgdpar_priv_flow_s(const sgdpar_priv_replay *r, size_t kind, size_t at)
{
    const size_t stage = at / r->line.m;
    if (kind == SGDPAR_PRIV_EXCHANGE) return r->line.of->stage[stage].exchange_s;
    if (r->line.P == 1) return 0.0;
    return r->line.of->stage[stage - (kind == SGDPAR_PRIV_PREVIOUS)].send_s;
}

/* Begins what can begin: passes whose input has come, and the next transfers. Returns
 * how many passes and transfers are under way. */
static size_t sgdpar_priv_begin(sgdpar_priv_replay *r)
{
    const size_t last = r->line.of->schedule == SGDPAR_PIPELINING_ZB ? SGDPAR_PRIV_W
                                                                     : SGDPAR_PRIV_B;
    size_t p, k, busy = 0;
    for (p = 0; p < r->line.P; p++) {
        sgdpar_priv_doing *d = &r->doing[p];
        if (d->end_s < 0.0 && r->line.at[p].done[last] < r->line.m * r->line.v) {
            d->pass = sgdpar_priv_next_pass(&r->line, p);
            if (sgdpar_priv_input_s(&r->line, &d->pass) >= 0.0) {
                d->start_s = r->now_s;
                d->end_s = r->now_s + sgdpar_priv_pass_time_s(&r->line, &d->pass);
            }
        }
        busy += d->end_s >= 0.0;
        for (k = 0; k < SGDPAR_PRIV_FLOWS; k++) {
            sgdpar_priv_flow *f = &d->flow[k];
            if (f->left_s < 0.0 && f->head < f->tail) {
                f->left_s = sgdpar_priv_flow_s(r, k, f->queue[f->head]);
                f->start_s = r->now_s;
            }
            busy += f->left_s >= 0.0;
        }
    }
    return busy;
}

/* Flows in the fuller one of a flow's directions; flows of no time do not count. */
static double sgdpar_priv_crowd(const sgdpar_priv_replay *r, const sgdpar_priv_flow *f)
{
    const size_t out = r->sharing[f->from], in = r->sharing[f->to];
    if (!r->links->machine || !(f->left_s > 0.0)) return 1.0;
    SGDPAR_ASSERT(out > 0 && in > 0);
    return (double)(out > in ? out : in);
}

/* Flow i of all devices. */
static sgdpar_priv_flow *sgdpar_priv_flow_at(const sgdpar_priv_replay *r, size_t i)
{
    return &r->doing[i / SGDPAR_PRIV_FLOWS].flow[i % SGDPAR_PRIV_FLOWS];
}

/* Shares the links and moves the clock to the next end. */
static void sgdpar_priv_advance(sgdpar_priv_replay *r)
{
    const size_t flows = SGDPAR_PRIV_FLOWS * r->line.P;
    double next_s = HUGE_VAL;
    size_t i;
    memset(r->sharing, 0, SGDPAR_PRIV_DIRECTIONS * r->line.P * sizeof *r->sharing);
    for (i = 0; i < flows && r->links->machine; i++) {
        const sgdpar_priv_flow *f = sgdpar_priv_flow_at(r, i);
        if (!(f->left_s > 0.0)) continue;
        r->sharing[f->from]++;
        r->sharing[f->to]++;
    }
    for (i = 0; i < flows; i++) {
        const sgdpar_priv_doing *d = &r->doing[i / SGDPAR_PRIV_FLOWS];
        sgdpar_priv_flow *f = sgdpar_priv_flow_at(r, i);
        if (d->end_s >= 0.0) next_s = fmin(next_s, d->end_s);
        if (f->left_s < 0.0) continue;
        f->end_s = r->now_s + f->left_s * sgdpar_priv_crowd(r, f);
        next_s = fmin(next_s, f->end_s);
    }
    SGDPAR_ASSERT(next_s >= r->now_s);
    for (i = 0; i < flows; i++) {
        sgdpar_priv_flow *f = sgdpar_priv_flow_at(r, i);
        if (!(f->left_s > 0.0)) continue;
        f->left_s = f->end_s <= next_s ? 0.0
            : fmax(0.0, f->left_s - (next_s - r->now_s) / sgdpar_priv_crowd(r, f));
    }
    r->now_s = next_s;
}

/* A pass has ended: what it computed waits to be sent, its stage to exchange. */
static void sgdpar_priv_end_pass(sgdpar_priv_replay *r, size_t p)
{
    sgdpar_priv_line *line = &r->line;
    sgdpar_priv_doing *d = &r->doing[p];
    const sgdpar_priv_pass *pass = &d->pass;
    const size_t at = pass->stage * line->m + pass->micro;
    const size_t last = line->P * line->v - 1;
    const int ends = line->of->schedule == SGDPAR_PIPELINING_ZB ? SGDPAR_PRIV_W
                                                                : SGDPAR_PRIV_B;
    line->at[p].done[pass->kind]++;
    line->at[p].now_s = r->now_s;
    line->device[p].passes_s += sgdpar_priv_pass_time_s(line, pass);
    sgdpar_priv_keep(line, p, pass);
    sgdpar_priv_tell(r, pass->kind, p, at, d->start_s);
    d->end_s = -1.0;
    if (pass->kind == SGDPAR_PRIV_F && pass->stage == last)
        line->backward_from[at] = r->now_s;
    else if (pass->kind == SGDPAR_PRIV_F)
        d->flow[SGDPAR_PRIV_NEXT].queue[d->flow[SGDPAR_PRIV_NEXT].tail++] = at;
    else if (pass->kind == SGDPAR_PRIV_B && pass->stage > 0)
        d->flow[SGDPAR_PRIV_PREVIOUS].queue[d->flow[SGDPAR_PRIV_PREVIOUS].tail++] = at;
    if (pass->kind == ends && pass->micro + 1 == line->m)
        d->flow[SGDPAR_PRIV_EXCHANGE].queue[d->flow[SGDPAR_PRIV_EXCHANGE].tail++] = at;
}

static void sgdpar_priv_end_flow(sgdpar_priv_replay *r, size_t p, size_t kind)
{
    sgdpar_priv_flow *f = &r->doing[p].flow[kind];
    const size_t at = f->queue[f->head++];
    SGDPAR_ASSERT(f->head <= f->tail);
    f->left_s = -1.0;
    if (kind == SGDPAR_PRIV_NEXT) r->line.forward_from[at + r->line.m] = r->now_s;
    if (kind == SGDPAR_PRIV_PREVIOUS) r->line.backward_from[at - r->line.m] = r->now_s;
    if (r->now_s > f->start_s)
        sgdpar_priv_tell(r, SGDPAR_ACTIVITY_NEXT + (int)kind, p, at, f->start_s);
}

/* Begins what can begin, then moves the clock to the next end, until nothing is left. */
static void sgdpar_priv_run_replay(sgdpar_priv_replay *r)
{
    size_t p, k;
    sgdpar_priv_reset_line(&r->line);
    sgdpar_priv_route(r);
    while (sgdpar_priv_begin(r) > 0) {
        sgdpar_priv_advance(r);
        for (p = 0; p < r->line.P; p++) {
            if (r->doing[p].end_s >= 0.0 && r->doing[p].end_s <= r->now_s)
                sgdpar_priv_end_pass(r, p);
            for (k = 0; k < SGDPAR_PRIV_FLOWS; k++) {
                const sgdpar_priv_flow *f = &r->doing[p].flow[k];
                if (f->left_s >= 0.0 && !(f->left_s > 0.0) && f->end_s <= r->now_s)
                    sgdpar_priv_end_flow(r, p, k);
            }
        }
    }
    for (p = 0; p < r->line.P; p++) {
        const sgdpar_priv_flow *f = &r->doing[p].flow[SGDPAR_PRIV_EXCHANGE];
        SGDPAR_ASSERT(f->head == r->line.v);
        r->line.at[p].exchanged_s = f->end_s;
    }
}

/* Reports the updates, which follow passes and exchanges. */
static void sgdpar_priv_tell_updates(sgdpar_priv_replay *r)
{
    size_t p, c;
    for (p = 0; p < r->line.P; p++) {
        double now_s = fmax(r->line.at[p].now_s, r->line.at[p].exchanged_s);
        for (c = 0; c < r->line.v; c++) {
            const size_t stage = c * r->line.P + p;
            const double start_s = now_s;
            r->now_s = now_s += r->line.of->stage[stage].update_s;
            if (now_s > start_s)
                sgdpar_priv_tell(r, SGDPAR_ACTIVITY_UPDATE, p, stage * r->line.m,
                                 start_s);
        }
    }
}

SGDPAR_API sgdpar_status sgdpar_pipeline_replay_bytes(const sgdpar_pipeline *pipeline,
                                                      size_t *bytes)
{
    sgdpar_priv_arena arena = sgdpar_priv_arena_at(NULL);
    if (!bytes || !sgdpar_priv_pipeline_is_valid(pipeline)) return SGDPAR_BAD_ARGUMENT;
    (void)sgdpar_priv_replay_of(pipeline, &arena);
    return sgdpar_priv_answer(&arena, bytes);
}

SGDPAR_API sgdpar_status sgdpar_pipeline_replay(const sgdpar_pipeline *pipeline,
                                                const sgdpar_shared *links, void *work,
                                                size_t work_bytes, sgdpar_device *device,
                                                sgdpar_pipeline_step *out)
{
    sgdpar_priv_arena arena = sgdpar_priv_arena_at(work);
    sgdpar_pipeline_step step;
    sgdpar_priv_replay r;
    size_t need = 0, p;
    sgdpar_status status = sgdpar_pipeline_replay_bytes(pipeline, &need);
    if (!links || !out) return SGDPAR_BAD_ARGUMENT;
    for (p = 0; status == SGDPAR_OK && links->machine && p < pipeline->devices; p++)
        if (links->machine[p] >= pipeline->devices) return SGDPAR_BAD_ARGUMENT;
    if (status == SGDPAR_OK) status = sgdpar_priv_check_work(work, work_bytes, need);
    if (status == SGDPAR_OK)               /* refuses numbers that overflow           */
        status = sgdpar_pipeline_time(pipeline, work, work_bytes, NULL, &step);
    if (status != SGDPAR_OK) return status;
    r = sgdpar_priv_replay_of(pipeline, &arena);
    r.links = links;
    sgdpar_priv_run_replay(&r);
    step = sgdpar_priv_line_step(&r.line);
    if (!sgdpar_priv_is_time(step.step_s)) return SGDPAR_BAD_ARGUMENT;
    sgdpar_priv_tell_updates(&r);
    if (device) memcpy(device, r.line.device, r.line.P * sizeof *device);
    *out = step;
    return SGDPAR_OK;
}

/* ---- Memory -------------------------------------------------------------- */

SGDPAR_API const char *sgdpar_optimizer_text(sgdpar_optimizer optimizer)
{
#define SGDPAR_X(name, text) text,
    static const char *const text[] = { SGDPAR_OPTIMIZER_TABLE(SGDPAR_X) };
#undef SGDPAR_X
    return sgdpar_priv_text(text, SGDPAR_OPTIMIZER_COUNT, (size_t)optimizer);
}

static int sgdpar_priv_precision_is_valid(const sgdpar_precision *p)
{
    return sgdpar_priv_is_time(p->parameter) && sgdpar_priv_is_time(p->gradient)
        && sgdpar_priv_is_time(fabs(p->optimizer));
}

/* The second average of Adafactor: 4 bytes for each row and column of square matrices, or
 * for each parameter if that is less. SGDPAR_PRIV_NO_WAY: the tensors are invalid. */
static double sgdpar_priv_factored_bytes(const double *tensor, size_t tensors)
{
    double parameters = 0.0, bytes = 0.0;
    size_t i;
    for (i = 0; i < tensors && tensor; i++) {
        if (!sgdpar_priv_is_time(tensor[i])) return SGDPAR_PRIV_NO_WAY;
        parameters += tensor[i];
        bytes += fmin(8.0 * sqrt(tensor[i]), 4.0 * tensor[i]);
    }
    if (!sgdpar_priv_is_rate(parameters)) return SGDPAR_PRIV_NO_WAY;
    SGDPAR_ASSERT(bytes > 0.0);
    return bytes / parameters;
}

SGDPAR_API sgdpar_status sgdpar_set_optimizer(sgdpar_precision *precision,
                                              sgdpar_optimizer optimizer,
                                              const double *tensor, size_t tensors)
{
    static const double block_bytes = 4.0 / 2048.0;  /* a number for each block     */
    double bytes = 0.0;
    if (!precision || !sgdpar_priv_precision_is_valid(precision))
        return SGDPAR_BAD_ARGUMENT;
    switch (optimizer) {
    case SGDPAR_OPTIMIZER_ADAM:          bytes = 8.0; break;
    case SGDPAR_OPTIMIZER_SGD:           break;
    case SGDPAR_OPTIMIZER_MOMENTUM:      bytes = 4.0; break;
    case SGDPAR_OPTIMIZER_ADAFACTOR:
        bytes = sgdpar_priv_factored_bytes(tensor, tensors);
        break;
    case SGDPAR_OPTIMIZER_ADAM_8BIT:     bytes = 2.0 * (1.0 + block_bytes); break;
    case SGDPAR_OPTIMIZER_MOMENTUM_8BIT: bytes = 1.0 + block_bytes; break;
    default: return SGDPAR_BAD_ARGUMENT;
    }
    if (bytes < 0.0) return SGDPAR_BAD_ARGUMENT;
    SGDPAR_ASSERT(bytes <= 8.0);
    if (precision->parameter > 0.0 && precision->parameter < 4.0) bytes += 4.0;
    precision->optimizer = bytes > 0.0 ? bytes : -1.0;
    return SGDPAR_OK;
}

static int sgdpar_priv_model_is_valid(const sgdpar_model *model)
{
    return (size_t)model->sharding < (size_t)SGDPAR_SHARDING_COUNT
        && sgdpar_priv_precision_is_valid(&model->precision)
        && sgdpar_priv_is_time(model->parameters)
        && sgdpar_priv_is_time(model->activations_bytes)
        && sgdpar_priv_is_time(model->largest_unit)
        && model->largest_unit <= model->parameters && model->workers > 0
        && (model->sharding != SGDPAR_SHARDING_HYBRID
            || (model->gpus > 0 && model->workers % model->gpus == 0));
}

SGDPAR_API sgdpar_status sgdpar_memory_of(const sgdpar_model *model, sgdpar_memory *out)
{
    const sgdpar_precision *precision;
    double parameter, gradient, optimizer, n, whole;
    sgdpar_memory m;
    if (!model || !out || !sgdpar_priv_model_is_valid(model)) return SGDPAR_BAD_ARGUMENT;
    precision = &model->precision;
    n = sgdpar_priv_keepers(model->sharding, model->workers, model->gpus);
    parameter = precision->parameter > 0.0 ? precision->parameter : 4.0;
    gradient = precision->gradient > 0.0 ? precision->gradient : parameter;
    optimizer = fabs(precision->optimizer) > 0.0 ? fmax(precision->optimizer, 0.0)
        : sgdpar_priv_same(parameter, 2.0) ? 12.0 : 8.0;
    whole = fmin(model->parameters, model->largest_unit * (model->prefetch + 1.0));
    SGDPAR_ASSERT(whole <= model->parameters && n >= 1.0);
    m.optimizer_bytes = optimizer * model->parameters / n;
    m.gradients_bytes = gradient * model->parameters
        / (model->sharding >= SGDPAR_SHARDING_GRADIENTS ? n : 1.0);
    m.parameters_bytes = parameter * model->parameters
        / (sgdpar_priv_shards_parameters(model->sharding) ? n : 1.0);
    m.gathered_bytes = sgdpar_priv_shards_parameters(model->sharding) && n > 1.0
        ? parameter * whole + gradient * model->largest_unit : 0.0;
    m.activations_bytes = model->activations_bytes;
    m.total_bytes = m.optimizer_bytes + m.gradients_bytes + m.parameters_bytes
        + m.gathered_bytes + m.activations_bytes;
    if (!sgdpar_priv_is_time(m.total_bytes)) return SGDPAR_BAD_ARGUMENT;
    *out = m;
    return SGDPAR_OK;
}

/* ---- Remedies ------------------------------------------------------------ */

SGDPAR_API const char *sgdpar_remedy_text(sgdpar_remedy remedy)
{
#define SGDPAR_X(name, text) text,
    static const char *const text[] = { SGDPAR_REMEDY_TABLE(SGDPAR_X) };
#undef SGDPAR_X
    return sgdpar_priv_text(text, SGDPAR_REMEDY_COUNT, (size_t)remedy);
}

/* Micro-batches per second of all workers together. */
static sgdpar_status sgdpar_priv_rate(const sgdpar_replica *r, int best_bucket,
                                          void *work, size_t work_bytes, double *rate)
{
    const double workers = sgdpar_priv_workers(&r->network.topology);
    const double passes = sgdpar_priv_count(r->schedule.accumulate);
    sgdpar_replica_step step;
    uint64_t bucket = 0;
    const sgdpar_status status = best_bucket
        ? sgdpar_best_bucket(r, &bucket, &step)
        : sgdpar_replica_time(r, work, work_bytes, &step);
    if (status != SGDPAR_OK) return status;
    *rate = workers * passes / step.step_s;
    return sgdpar_priv_is_rate(*rate) ? SGDPAR_OK : SGDPAR_BAD_ARGUMENT;
}

/* Leaves a step to which the remedy does not apply as it is. */
static void sgdpar_priv_take_remedy(sgdpar_replica *r, sgdpar_remedy remedy)
{
    sgdpar_topology *on = &r->network.topology;
    const double scale = sgdpar_priv_scale(r);
    const double passes = sgdpar_priv_count(r->schedule.accumulate);
    SGDPAR_ASSERT(scale > 0.0);
    switch (remedy) {
    case SGDPAR_REMEDY_BANDWIDTH: on->bandwidth_bytes_per_s *= 2.0; break;
    case SGDPAR_REMEDY_BATCH:     r->compute.scale = 2.0 * scale; break;
    case SGDPAR_REMEDY_COMPUTE:   r->compute.scale = 0.5 * scale; break;
    case SGDPAR_REMEDY_LOCAL:     on->local_bandwidth_bytes_per_s *= 2.0; break;
    case SGDPAR_REMEDY_PASSES:
        if (r->schedule.accumulate <= UINT32_MAX / 2)
            r->schedule.accumulate = (uint32_t)(2.0 * passes);
        break;
    case SGDPAR_REMEDY_COUNT:     break;
    }
}

SGDPAR_API sgdpar_status sgdpar_remedies(const sgdpar_replica *replica, int best_bucket,
                                         void *work, size_t work_bytes, double *gain)
{
    double found[SGDPAR_REMEDY_COUNT], before = 0.0, rate = 0.0;
    sgdpar_status status;
    size_t i;
    if (!replica || !gain) return SGDPAR_BAD_ARGUMENT;
    status = sgdpar_priv_rate(replica, best_bucket, work, work_bytes, &before);
    for (i = 0; status == SGDPAR_OK && i < (size_t)SGDPAR_REMEDY_COUNT; i++) {
        const double examples = i == (size_t)SGDPAR_REMEDY_BATCH ? 2.0 : 1.0;
        sgdpar_replica varied = *replica;
        sgdpar_priv_take_remedy(&varied, (sgdpar_remedy)i);
        status = sgdpar_priv_rate(&varied, best_bucket, work, work_bytes, &rate);
        found[i] = examples * rate / before - 1.0;
    }
    if (status == SGDPAR_OK) memcpy(gain, found, sizeof found);
    return status;
}

#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_PARALLEL_IMPLEMENTATION */

/* REFERENCES
 *   [AS64]    M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 1964.
 *   [SLF14]   G. L. Steele, D. Lea, C. H. Flood, Fast Splittable Pseudorandom
 *             Number Generators, OOPSLA 2014.
 *   [LYPG20]  Z. Li, W. Yan, M. Paolieri, L. Golubchik, Throughput Prediction of
 *             Asynchronous SGD in TensorFlow, ICPE 2020.
 *   [LPGLY22] Z. Li, M. Paolieri, L. Golubchik, S.-H. Lin, W. Yan, Predicting
 *             Throughput of Distributed Stochastic Gradient Descent, TPDS 2022.
 *   [TRG05]   R. Thakur, R. Rabenseifner, W. Gropp, Optimization of Collective
 *             Communication Operations in MPICH, IJHPCA 19(1), 2005.
 *   [PY09]    P. Patarasuk, X. Yuan, Bandwidth Optimal All-reduce Algorithms for
 *             Clusters of Workstations, J. Parallel Distr. Comp. 69(2), 2009.
 *   [R04]     R. Rabenseifner, Optimization of Collective Reduction Operations, ICCS
 *             2004.
 *   [BHKUW97] J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, Efficient
 *             Algorithms for All-to-All Communications in Multiport Message-Passing
 *             Systems, IEEE Trans. Par. Distr. Sys. 8(11), 1997.
 *   [SST09]   P. Sanders, J. Speck, J. L. Traeff, Two-tree Algorithms for Full
 *             Bandwidth Broadcast, Reduction and Scan, Parallel Computing 35(12), 2009.
 *   [LZV20]   S. Li et al., PyTorch Distributed: Experiences on Accelerating Data
 *             Parallel Training, PVLDB 13(12), 2020.
 *   [RRRH20]  S. Rajbhandari, J. Rasley, O. Ruwase, Y. He, ZeRO: Memory Optimizations
 *             Toward Training Trillion Parameter Models, SC 2020.
 *   [SMDH13]  I. Sutskever, J. Martens, G. Dahl, G. Hinton, On the Importance of
 *             Initialization and Momentum in Deep Learning, ICML 2013.
 *   [KB15]    D. P. Kingma, J. Ba, Adam: A Method for Stochastic Optimization, ICLR 2015.
 *   [SS18]    N. Shazeer, M. Stern, Adafactor: Adaptive Learning Rates with Sublinear
 *             Memory Cost, ICML 2018.
 *   [DLSZ22]  T. Dettmers, M. Lewis, S. Shleifer, L. Zettlemoyer, 8-bit Optimizers via
 *             Block-wise Quantization, ICLR 2022.
 *   [ZGVL23]  Y. Zhao et al., PyTorch FSDP: Experiences on Scaling Fully Sharded Data
 *             Parallel, PVLDB 16(12), 2023.
 *   [HCBC19]  Y. Huang, Y. Cheng, A. Bapna et al., GPipe: Efficient Training of Giant
 *             Neural Networks Using Pipeline Parallelism, NeurIPS 2019.
 *   [NPSCZ21] D. Narayanan, A. Phanishayee, K. Shi, X. Chen, M. Zaharia,
 *             Memory-Efficient Pipeline-Parallel DNN Training, ICML 2021. After PipeDream
 *             of D. Narayanan et al., SOSP 2019.
 *   [NSCL21]  D. Narayanan, M. Shoeybi, J. Casper, P. LeGresley et al., Efficient Large-
 *             Scale Language Model Training on GPU Clusters Using Megatron-LM, SC 2021.
 *   [QWHL24]  P. Qi, X. Wan, G. Huang, M. Lin, Zero Bubble Pipeline Parallelism, ICLR
 *             2024.
 *   [JZLYCG20] Y. Jiang, Y. Zhu, C. Lan, B. Yi, Y. Cui, C. Guo, A Unified Architecture
 *             for Accelerating Distributed DNN Training in Heterogeneous GPU/CPU
 *             Clusters, OSDI 2020.
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
