/* sgdperf_balance.h - v0.1.0 - balances the batches of workers - C99, one file
 *
 *   Computes batches with which workers of unequal and changing speed finish an iteration
 *   at the same time (LB-BSP). Simulates a job under this and other schemes: a barrier
 *   (BSP), none (ASP), limited lead (SSP), spare workers, late workers that hand samples
 *   over (FlexRR). A callback of the caller may forecast the speeds of workers.
 *
 * USE
 *   In exactly one C or C++ file:
 *       #define SGDPERF_BALANCE_IMPLEMENTATION
 *       #include "sgdperf_balance.h"
 *   Everywhere else include it plainly; including it twice is harmless.
 *   SGDPERF_BALANCE_STATIC, defined there, keeps every symbol private. Link with -lm.
 *
 * EXAMPLE   four accelerators, 128 samples an iteration: equal batches, then LB-BSP
 *       const sgdbal_worker gpu[4] = {
 *           {.launch_s = 0.28, .slope_s = 0.0088, .communication_s = 0.1},
 *           {.launch_s = 0.43, .slope_s = 0.03,   .communication_s = 0.1},
 *           {.launch_s = 0.46, .slope_s = 0.05,   .communication_s = 0.1},
 *           {.launch_s = 0.6,  .slope_s = 0.077,  .communication_s = 0.1}};
 *       const uint32_t equal[4] = {32, 32, 32, 32};
 *       uint32_t last[4];  double work[1024];
 *       sgdbal_scheme_config job = {0};  sgdbal_scheme_result out = {0};
 *       sgdbal_balancer_config balance = {0};  balance.method = SGDBAL_BY_PAIRS;
 *       job.workers.count = 4;  job.workers.curve = gpu;  job.workers.batch = equal;
 *       job.scheme = SGDBAL_LB_BSP;  job.length.iterations = 1000;
 *       job.balance.config = &balance;  job.against_bsp = 1;
 *       out.workers.last_batch = last;
 *       if (sgdbal_scheme_run(&job, work, sizeof work, &out) == SGDBAL_OK)
 *           printf("%u %u %u %u: %.1f %% less time\n", last[0], last[1], last[2],
 *                  last[3], 100 * out.bsp.reduction);
 *       // 89 21 12 6: 62.3 % less time
 *
 * CONTENTS
 *   Status            sgdbal_status_text
 *   Workers           sgdbal_worker_time  sgdbal_worker_fit
 *   Batches           sgdbal_batches_optimal  sgdbal_batches_proportional
 *   Balancing         sgdbal_pairs_preset  sgdbal_balancer_open, _batches, _step
 *   Coordination      sgdbal_scheme_run  sgdbal_fault_text  sgdbal_scheme_check
 *                     sgdbal_scheme_run_steady
 *   Gradients         sgdbal_gradient_weights  sgdbal_gradient_aggregate
 *   Partitions        sgdbal_partitions_open, _step, _samples, _traversals
 *   Library           sgdbal_version  sgdbal_struct_bytes
 *
 * CONVENTIONS
 *   Words     n is the number of workers, X the sum of the batches of an iteration. A
 *             batch is a number of samples; speeds are in samples per second.
 *   Defaults  zero every struct; a field left 0 or NULL takes its default.
 *   Memory    nothing is allocated or kept; only inputs may alias. F_bytes() writes the
 *             size of the work area that F needs, aligned for double.
 *
 *   Errors    bad input returns a status, listed after "Fails", and writes no output.
 *             SGDBAL_ASSERT checks only the library's own invariants.
 *   Threads   no globals: calls with distinct work areas and outputs may run at once.
 *   Floats    equal bits on all platforms with -ffp-contract=off, without -ffast-math.
 *
 * CONFIGURE   define beforehand: SGDPERF_BALANCE_STATIC, SGDBAL_API, SGDBAL_ASSERT(x)
 * REFERENCES (cited by key), HISTORY and LICENSE are at the end of this file.
 */
#ifndef SGDPERF_BALANCE_H
#define SGDPERF_BALANCE_H

#define SGDPERF_BALANCE_VERSION_MAJOR 0
#define SGDPERF_BALANCE_VERSION_MINOR 1
#define SGDPERF_BALANCE_VERSION_PATCH 0
#define SGDPERF_BALANCE_VERSION                                                      \
    (SGDPERF_BALANCE_VERSION_MAJOR * 10000 + SGDPERF_BALANCE_VERSION_MINOR * 100 +   \
     SGDPERF_BALANCE_VERSION_PATCH)

#include <stddef.h>
#include <stdint.h>
#if defined(SGDBAL_API)
#elif !defined(SGDPERF_BALANCE_STATIC)
#define SGDBAL_API extern
#elif defined(__GNUC__)
#define SGDBAL_API static __attribute__((unused))
#else
#define SGDBAL_API static
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ---------------------------------------------------------------- */

/* Statuses. The first six are the same in all headers. NOT_CONVERGED is not used. */
#define SGDBAL_STATUS_TABLE(X)                                                       \
    X(SGDBAL_OK, "success")                                                          \
    X(SGDBAL_BAD_ARGUMENT, "null pointer, zero size, or value out of domain")        \
    X(SGDBAL_TOO_LARGE, "a size exceeds the address space, or 32 bits")              \
    X(SGDBAL_SMALL_WORKSPACE, "work_bytes smaller than the _bytes() answer")         \
    X(SGDBAL_NOT_CONVERGED, "iteration limit reached before the tolerance")          \
    X(SGDBAL_OVER_BUDGET, "exceeds the allowed operations or bytes")                 \
    X(SGDBAL_BAD_WORKER, "a worker's curve, speed, time or memory is out of range")  \
    X(SGDBAL_NO_ROOM, "no batches from least_batch to max_batch sum to the total")   \
    X(SGDBAL_TOO_FEW_POINTS, "too few measurements for a fit")                       \
    X(SGDBAL_FALLING_TIMES, "larger batches take less time")                         \
    X(SGDBAL_BAD_ROW, "a speed, or use of CPU or memory, is out of range")           \
    X(SGDBAL_BAD_TIME, "a callback's time is negative or not finite")                \
    X(SGDBAL_NO_TIME, "the run took no time, so that it has no rates")

#define SGDBAL_X(name, text) name,
typedef enum sgdbal_status {
    SGDBAL_STATUS_TABLE(SGDBAL_X) SGDBAL_STATUS_COUNT
} sgdbal_status;
#undef SGDBAL_X

/* Text of a status; never NULL. A value that is not a status has a text, too. */
SGDBAL_API const char *sgdbal_status_text(sgdbal_status status);

/* ---- Workers --------------------------------------------------------------- */

/* Time curve of one worker: the seconds t(x) that the worker takes for a batch of x
 * samples.
 *   t(x) = max(floor_s, launch_s + slope_s x) + communication_s
 * slope_s is in seconds per sample, the other times are in seconds. All are >= 0, and
 * slope_s or floor_s is > 0.
 *
 * WHICH FIELDS. A GPU needs the floor: small batches take as long as the smallest batch
 * that fills it. A CPU that computes v samples per second needs only slope_s = 1 / v. */
typedef struct sgdbal_worker {
    double   launch_s, slope_s, floor_s, communication_s;
    uint32_t max_batch;            /* most samples that fit the worker's memory; 0:   */
                                   /*   no limit                                      */
} sgdbal_worker;

/* Computes the seconds that a worker takes for a batch of `batch` samples, and writes
 * them to *time_s. *memory receives the part of the worker's memory that the batch takes:
 * batch / worker->max_batch, or 0 if max_batch is 0. time_s and memory may be NULL. Time:
 * O(1).
 *
 * Fails with SGDBAL_BAD_ARGUMENT (worker is NULL, or batch is above max_batch) or
 * SGDBAL_BAD_WORKER (a field of *worker is out of range, or the time overflows). */
SGDBAL_API sgdbal_status sgdbal_worker_time(const sgdbal_worker *worker, uint32_t batch,
                                            double *time_s, double *memory);

/* Fits the time curve of a worker to measured times. One curve is fitted for each
 * measured batch b: floor_s is the mean time of the batches below b, and a least-squares
 * line with launch_s >= 0 goes through the others. For the smallest b, floor_s is 0. The
 * curve closest to the measured times is taken.
 *
 * COMMUNICATION. Measured times cannot tell communication_s and launch_s apart. The
 * caller gives communication_s; the function first subtracts it from each time.
 *
 * ARGUMENTS
 *   batch, time_s     [points] measurements in any order; batches may occur several times
 *   communication_s   seconds, >= 0 and at most the shortest time_s
 *   worker            receives the curve, with max_batch 0
 *   deviation_s       receives the root mean squared error in seconds; NULL: not wanted
 *
 * Fails with
 *   SGDBAL_TOO_FEW_POINTS  fewer than 3 points, or fewer than 2 distinct batches
 *   SGDBAL_FALLING_TIMES   the closest curve has a negative slope
 *   SGDBAL_BAD_WORKER      a time is < 0, NaN or infinite, or all are communication_s
 *   SGDBAL_BAD_ARGUMENT    a pointer is NULL, or communication_s is out of its range
 * Time: O(points * distinct batches), without work area. */
SGDBAL_API sgdbal_status sgdbal_worker_fit(const uint32_t *batch, const double *time_s,
                                           size_t points, double communication_s,
                                           sgdbal_worker *worker, double *deviation_s);

/* ---- Batches --------------------------------------------------------------- */

/* sgdbal_batches_optimal and sgdbal_batches_proportional divide the samples of an
 * iteration among workers that meet at a barrier. All workers should arrive there at the
 * same time [CWWLL20]. The sum of the batches is given. */

/* Computes the batches that minimise the time of the slowest worker: min max_i t_i(x_i)
 * [CWWLL20, eq. 3]. Here worker i has the time curve t_i and the batch x_i. The batches
 * sum to `total` samples.
 *
 * RULE. The result is that of a greedy rule. Each worker starts with `least` samples.
 * Each further sample goes to the worker i with the smallest t_i(x_i + 1). In a tie, it
 * goes to the first of these workers.
 *
 * ARGUMENTS
 *   worker  [workers] time curves
 *   total   sum of all batches, in samples
 *   least   fewest samples of a worker: 0 or 1
 *   batch   [workers] receives the batches
 *   time_s  receives the seconds of the slowest worker that has a batch
 * To see whether a worker slows the others down, call the function with least = 1, then
 * without this worker, and compare the times.
 *
 * COST. The time of the slowest worker is found by interpolation and bisection. This
 * takes some tens of evaluations of curves per worker on average, and at most 200. No
 * work area.
 * Fails with SGDBAL_NO_ROOM (total is above the sum of max_batch, or below workers *
 * least), SGDBAL_BAD_WORKER (a curve is out of range, or a time overflows) or
 * SGDBAL_BAD_ARGUMENT (a pointer is NULL, or workers is 0). */
SGDBAL_API sgdbal_status sgdbal_batches_optimal(const sgdbal_worker *worker,
                                                size_t workers, uint64_t total,
                                                uint32_t least, uint32_t *batch,
                                                double *time_s);

/* Input of sgdbal_batches_proportional: workers' speeds and limits of their batches. */
typedef struct sgdbal_shares {
    const double   *speed;         /* [workers] speeds, all in the same unit          */
    const uint32_t *least_batch;   /* [workers] fewest samples; NULL: 0               */
    const uint32_t *max_batch;     /* [workers] most samples; 0 or NULL: no limit     */
    size_t          workers;       /* 1 to 2^32 - 2                                   */
    uint64_t        total;         /* samples to divide among the workers             */
} sgdbal_shares;

/* Divides shares->total samples among workers in proportion to their speeds [CWWLL20,
 * alg. 1]. A worker gets total * (its speed) / (sum of all speeds) samples, rounded down.
 * The samples left over go, one each, to the workers with the largest remainders.
 *
 * SPEEDS. A speed <= 0 counts as 0. If all speeds are <= 0, all workers count as equally
 * fast.
 *
 * LIMITS. A batch below least_batch or above max_batch is set to this limit. The other
 * workers share the remaining samples in proportion to their speeds.
 *
 * TIES. A remainder is what rounding down cuts off. Two remainders count as equal if they
 * differ by less than 2^-30 samples, or by less than 2^-45 of all samples. The first of
 * the workers with equal remainders gets the sample. Thus speeds 1.1 and 3.3 give the
 * batches of speeds 1 and 3.
 *
 * COST. About 50 n operations for n workers. Each time that batches are set to their
 * limits adds n operations.
 * Fails with
 *   SGDBAL_NO_ROOM          total is below the sum of least_batch, or above that of
 *                           max_batch
 *   SGDBAL_BAD_WORKER       a speed is NaN or infinite, or least_batch is above max_batch
 *   SGDBAL_BAD_ARGUMENT     a pointer is NULL, or workers is 0
 *   SGDBAL_TOO_LARGE        more than 2^32 - 2 workers
 *   SGDBAL_SMALL_WORKSPACE  work_bytes is too small */
SGDBAL_API sgdbal_status sgdbal_batches_proportional(const sgdbal_shares *shares,
                                                     void *work, size_t work_bytes,
                                                     uint32_t *batch);
SGDBAL_API sgdbal_status sgdbal_batches_proportional_bytes(const sgdbal_shares *shares,
                                                           size_t *bytes);

/* ---- Balancing ------------------------------------------------------------- */

/* A balancer sets the batches of a training loop anew after each iteration:
 *   sgdbal_balancer_open(&config, work, work_bytes, &b)     once
 *   sgdbal_balancer_batches(b)                              before each iteration: its
 *                                                           batches
 *   sgdbal_balancer_step(b, &iteration, batch, &decision)   after each iteration, with
 *                                                           what was measured */
typedef struct sgdbal_balancer sgdbal_balancer;

typedef enum sgdbal_method {
    SGDBAL_BY_SPEED = 0,           /* batches proportional to predicted speeds, for   */
                                   /*   CPUs [CWWLL20, alg. 1]                        */
    SGDBAL_BY_PAIRS,               /* moves samples from the slowest worker to the    */
                                   /*   fastest, for GPUs [CWWLL20, alg. 2]           */
    SGDBAL_METHOD_COUNT
} sgdbal_method;

/* A phase of the method SGDBAL_BY_PAIRS, Alg. 2 of [CWWLL20]. In each iteration, `step`
 * samples move from the straggler to the leader. They move only if the leader was faster
 * than the straggler in each of the last `window` iterations.
 *
 * THE PAIR. The straggler is the slowest worker. The leader is the fastest worker that
 * uses at most the part sgdbal_pairs.memory_limit of its memory. */
typedef struct sgdbal_phase {
    uint32_t step, window;
} sgdbal_phase;

/* Options of the method SGDBAL_BY_PAIRS, Alg. 2 of [CWWLL20]. In each iteration, the
 * method looks at two workers. The straggler has the longest time. The leader has the
 * shortest time of the workers that use at most the part memory_limit of their memory. In
 * a tie, the first is taken.
 *
 * MOVES. `step` samples move from the straggler to the leader if the leader was faster in
 * each of the last `window` iterations.
 *
 * PHASES. The coarse phase comes first. It ends in an iteration in which no samples move,
 * if the present straggler was faster than the present leader in one of the last
 * `history` iterations. The fine phase follows, with its own step and window.
 *
 * OUR OPTIONS. The published rule may move samples for no gain, or to a worker that is
 * slow to compute one sample more. It may also cycle. Four options of our own prevent
 * this: cut_to_memory, hysteresis, restart and project. If all are 0, the published rule
 * holds.
 *
 * cut_to_memory: a leader takes no more samples than fit max_batch and memory_limit. A
 * worker without room does not become the leader.
 *
 * hysteresis h: samples move only if the longer predicted time of leader and straggler is
 * below (1 - h) times the straggler's present time. Otherwise the fine phase begins.
 *
 * restart r: the coarse phase begins anew, without history, if the slowest worker's time
 * differs by more than a fraction r from its running mean. The mean is over the last
 * `window` iterations with the present batches. restart_each compares each worker's time
 * with its own mean. One difference above the fraction r + 3 c suffices. Here c is the
 * worker's mean relative change of time from one iteration to the next.
 *
 * project: times are running means over the last `window` iterations with the present
 * batch. The leader is the worker whose time would be shortest with one sample more. As
 * many samples move from straggler to leader as make their times equal, at least 1. None
 * move if the longer of the two times would not shrink. */
typedef struct sgdbal_pairs {
    sgdbal_phase coarse;           /* step 0: 5 samples; window 0: 5 iterations       */
    sgdbal_phase fine;             /* step 0: 1 sample; window 0: 20 iterations       */
    uint32_t history;              /* number of iterations remembered; 0: 64. At      */
                                   /*   least the longer of both windows              */
    double   memory_limit;         /* part of its memory that a leader may use; 0:    */
                                   /*   0.95                                          */
    double   tolerance;            /* t < 1: time a is shorter than time b if a <     */
                                   /*   b (1 - t). 0: t is 1e-9; negative: t is 0     */
    int      cut_to_memory;        /* 1: on; 0: off                                   */
    double   hysteresis;           /* h in [0, 1); 0: off                             */
    double   restart;              /* r, a part, >= 0; 0: off                         */
    int      restart_each;         /* 1: on, if restart is > 0; 0: off                */
    int      project;              /* 1: on; 0: off                                   */
} sgdbal_pairs;

typedef enum sgdbal_rule {
    SGDBAL_PUBLISHED = 0,
    SGDBAL_ADVISED,                /* cut_to_memory 1, project 1, restart 0.05,       */
                                   /*   restart_each 1, fine.window 10, other fields  */
                                   /*   default. Without project, batches end farther */
                                   /*   from the optimum, even with hysteresis and    */
                                   /*   restart: the worker with the shortest time    */
                                   /*   may be slow to compute one sample more        */
    SGDBAL_RULE_COUNT
} sgdbal_rule;

/* Sets all options in *pairs to those of a rule: SGDBAL_PUBLISHED (Alg. 2 as printed in
 * [CWWLL20]) or SGDBAL_ADVISED (with options of our own). Fails with SGDBAL_BAD_ARGUMENT
 * (pairs is NULL, or `rule` is no sgdbal_rule). */
SGDBAL_API sgdbal_status sgdbal_pairs_preset(sgdbal_rule rule, sgdbal_pairs *pairs);

/* Callback that predicts the speeds of all workers in the next iteration, in samples per
 * second. It reads speed[workers], the speeds just measured, and writes
 * predicted[workers]. `ctx` is predict_ctx of the balancer's config. */
typedef void (*sgdbal_predict_callback)(void *ctx, const double *speed,
                                        double *predicted);

typedef struct sgdbal_balancer_config {
    size_t          workers;       /* 1 to 2^32 - 2                                   */
    sgdbal_method   method;
    const uint32_t *start;         /* [workers] first batches; NULL: equal batches    */
    uint64_t        total;         /* X, samples of an iteration; 0: the sum of start */
    const uint32_t *max_batch;     /* [workers] most samples; 0 or NULL: no limit     */

    /* Fields for SGDBAL_BY_SPEED only */
    const uint32_t *least_batch;   /* [workers] fewest samples; NULL: 0               */
    sgdbal_predict_callback predict; /* called once an iteration; NULL: the measured  */
                                   /*   speeds predict the next                       */
    void           *predict_ctx;   /* passed to predict                               */

    /* Fields for SGDBAL_BY_PAIRS only */
    sgdbal_pairs    pairs;
    const sgdbal_worker *curve;    /* [workers] how a worker's time depends on its    */
                                   /*   batch. NULL: learned from its last two        */
                                   /*   batches; before that, proportional to the     */
                                   /*   batch                                         */
} sgdbal_balancer_config;

/* Measurements of one iteration, the input of sgdbal_balancer_step.
 *
 * IGNORED ITERATIONS. With one of the options project, hysteresis and restart, the
 * method SGDBAL_BY_PAIRS needs running means of times. It then ignores an iteration
 * whose `batch` differs from sgdbal_balancer_batches. */
typedef struct sgdbal_iteration {
    const double   *time_s;        /* [workers] seconds, >= 0; BY_SPEED: > 0          */
    const uint32_t *batch;         /* [workers] samples computed in time_s; NULL:     */
                                   /*   those of sgdbal_balancer_batches              */
    const double   *memory;        /* [workers] part of the memory in use, >= 0;      */
                                   /*   NULL: batch / max_batch, or 0 without         */
                                   /*   max_batch                                     */
    const double   *predicted;     /* [workers] BY_SPEED: predicted next speeds,      */
                                   /*   samples per second; NULL: from predict        */
} sgdbal_iteration;

/* Outcome of sgdbal_balancer_step. */
typedef enum sgdbal_verdict {
    SGDBAL_BATCHES_KEPT = 0,
    SGDBAL_BATCHES_MOVED,
    SGDBAL_STRAGGLER_TOO_SLOW      /* batches are kept, as the straggler's batch is   */
                                   /*   at most one step. Training may be faster      */
                                   /*   without this worker: sgdbal_batches_optimal   */
} sgdbal_verdict;

typedef struct sgdbal_decision {
    sgdbal_verdict verdict;
    size_t         leader;         /* number of the leader; `workers`: no leader      */
    size_t         straggler;      /* straggler: worker with the longest time         */
    uint64_t       moved;          /* number of samples that changed workers          */
    int            fine;           /* BY_PAIRS: 1: the next phase is the fine one     */
    int            restarted;      /* BY_PAIRS: 1: the coarse phase began anew now    */
} sgdbal_decision;

/* Opens a balancer in the work area. The arrays of `config` are copied; what predict_ctx
 * points to is not. The work area has O(workers) bytes. SGDBAL_BY_PAIRS adds 8 bytes for
 * each worker and remembered iteration.
 *
 * Fails with
 *   SGDBAL_NO_ROOM          total is above the sum of max_batch, or below that of
 *                           least_batch
 *   SGDBAL_BAD_WORKER       start or least_batch is above max_batch, or a curve is out of
 *                           range
 *   SGDBAL_BAD_ARGUMENT     total is 0 or not the sum of start, an option is out of its
 *                           range, or a pointer is NULL
 *   SGDBAL_TOO_LARGE        too many workers, or too large a history
 *   SGDBAL_SMALL_WORKSPACE  work_bytes is too small */
SGDBAL_API sgdbal_status sgdbal_balancer_open(const sgdbal_balancer_config *config,
                                              void *work, size_t work_bytes,
                                              sgdbal_balancer **out);
SGDBAL_API sgdbal_status sgdbal_balancer_bytes(const sgdbal_balancer_config *config,
                                               size_t *bytes);

/* The batches of the next iteration: [workers] samples. */
SGDBAL_API const uint32_t *sgdbal_balancer_batches(const sgdbal_balancer *b);

/* Sets the batches of the next iteration from the measurements of the last one, and
 * writes them to batch[workers]. `batch` and `decision` may be NULL. With
 * SGDBAL_BY_SPEED, a worker without a batch keeps the speed that was measured last.
 *
 * COST. With SGDBAL_BY_SPEED, that of one call of sgdbal_batches_proportional. With
 * SGDBAL_BY_PAIRS and n workers, O(n + history) in the coarse phase and O(n + window) in
 * the fine phase.
 * Fails with SGDBAL_BAD_ARGUMENT (b, iteration or its time_s is NULL) or
 * SGDBAL_BAD_WORKER (a time, memory use or speed is out of range). The balancer then is
 * unchanged, but `predict` may have been called. */
SGDBAL_API sgdbal_status sgdbal_balancer_step(sgdbal_balancer *b,
                                              const sgdbal_iteration *iteration,
                                              uint32_t *batch,
                                              sgdbal_decision *decision);

/* ---- Coordination ---------------------------------------------------------- */

/* Coordination schemes [CWWLL20]. A scheme says when a worker may start its next batch,
 * and which worker computes which samples. */
typedef enum sgdbal_scheme {
    SGDBAL_BSP = 0,                /* an iteration starts when all workers have ended */
                                   /*   the previous one                              */
    SGDBAL_ASP,                    /* no worker waits                                 */
    SGDBAL_SSP,                    /* a worker waits while it has finished more than  */
                                   /*   `staleness` iterations more than the slowest  */
    SGDBAL_REDUNDANT,              /* BSP whose iteration ends when all but `spare`   */
                                   /*   workers have ended; later batches are lost    */
    SGDBAL_LB_BSP,                 /* BSP; the next batches are set at each barrier   */
    SGDBAL_FLEXRR,                 /* BSP in which late workers hand samples to others*/
    SGDBAL_SCHEME_COUNT
} sgdbal_scheme;

/* Callback that returns the seconds, finite and >= 0, that a worker takes for `samples`
 * samples. The worker starts at now_s seconds after the start of the run. `iteration` is
 * the number of its iteration, from 0. The time may be constant, follow a curve, or
 * depend on the iteration or on now_s. */
typedef double (*sgdbal_time_callback)(void *ctx, uint32_t worker, uint64_t iteration,
                                       double now_s, uint32_t samples);

/* Callback that writes how much CPU and memory a worker uses in an iteration that starts
 * at now_s. *cpu and *memory are numbers from 0 to 1e70, in any unit. The callback is
 * called once for each worker and iteration, by ascending iteration. */
typedef void (*sgdbal_usage_callback)(void *ctx, uint32_t worker, uint64_t iteration,
                                      double now_s, double *cpu, double *memory);

/* Facts known of a worker when its speed is forecast. */
typedef struct sgdbal_known {
    uint32_t worker;               /* number of the worker, from 0                    */
    uint64_t iteration;            /* the finished iteration that is known            */
    uint64_t next;                 /* the iteration whose batches are to be set       */
    double   speed;                /* in `iteration`, samples per second, up to 1e70; */
                                   /*   0: the worker had no batch                    */
    double   cpu[2], memory[2];    /* use in `iteration` [0], and in `iteration` + 1  */
                                   /*   [1]; 0 without a usage callback               */
} sgdbal_known;

/* Callback that returns the forecast speed of a worker in iteration known->next, in
 * samples per second. known->iteration is the finished iteration whose speed is known. A
 * typical callback calls sgdfc_observe, then sgdfc_predict.
 *
 * CALLS. The callback is called for each worker at each barrier. With non_blocking = 1
 * (next batches are computed during an iteration) calls begin at the second barrier. In
 * the first call of a simulation for a worker, known->iteration is 0. A predictor that
 * learns must then start anew. */
typedef double (*sgdbal_forecast_callback)(void *ctx, const sgdbal_known *known);

/* Options for the forecasts of workers' speeds, by LB_BSP with the method
 * SGDBAL_BY_SPEED. */
typedef struct sgdbal_forecast {
    sgdbal_forecast_callback speed; /* NULL: predict of config, or the last speed     */
    void           *speed_ctx;     /* passed to speed                                 */
    sgdbal_usage_callback usage;   /* returns use of CPU and memory; NULL: none       */
    void           *usage_ctx;     /* passed to usage                                 */
    uint64_t        score_from;    /* first iteration that counts in `predictions`    */
} sgdbal_forecast;

/* What the caller's callback gets at a barrier, to set batches. */
typedef struct sgdbal_barrier {
    uint32_t        workers;       /* number of workers                               */
    uint64_t        iteration;     /* the finished iteration that is known            */
    uint64_t        next;          /* the iteration whose batches are to be set       */
    double          now_s;         /* start of `next`, in seconds from the run's      */
                                   /*   start                                         */
    const double   *time_s;        /* [workers] seconds in `iteration`                */
    const uint32_t *batch;         /* [workers] samples in `iteration`                */
} sgdbal_barrier;

/* Callback that sets the batches of iteration barrier->next: it writes the samples of
 * each worker to next[workers]. At least one batch must be > 0. On entry, `next` has the
 * batches of the previous iteration; their sum may change. The callback is called at
 * every barrier, also at the last. With non_blocking, calls begin at the second
 * barrier. */
typedef void (*sgdbal_balance_callback)(void *ctx, const sgdbal_barrier *barrier,
                                        uint32_t *next);

/* Events of a simulation at which workers read or change the model.
 *
 * USE. With these events a program can run real SGD on the schedule of any scheme. At a
 * PULL it keeps a copy of the model. At the PUSH of this worker it computes a gradient
 * with the copy, and adds it to a sum. At the UPDATE it applies the sum to the model. */
typedef enum sgdbal_model_op {
    SGDBAL_PULL = 0,               /* a worker starts a batch, even one that          */
                                   /*   SGDBAL_REDUNDANT loses                        */
    SGDBAL_PUSH,                   /* a worker's gradient arrives                     */
    SGDBAL_UPDATE                  /* the model changes: at the barrier; with ASP and */
                                   /*   SSP after each push                           */
} sgdbal_model_op;

typedef struct sgdbal_model_event {
    sgdbal_model_op op;
    uint32_t worker;               /* number of the worker; UINT32_MAX: UPDATE at a   */
                                   /*   barrier                                       */
    uint64_t iteration;            /* number from 0; ASP and SSP: of this worker      */
    double   now_s;                /* seconds since the run began                     */
    uint32_t samples;              /* PUSH: samples of the gradient; else 0           */
    uint64_t version;              /* number of updates made to the pulled model      */
                                   /*   (PULL, PUSH) or the new one (UPDATE)          */
    uint64_t staleness;            /* PUSH: updates since the worker's pull; else 0   */
} sgdbal_model_event;

/* The workers of a run, spare ones included, and their batches. */
typedef struct sgdbal_team {
    uint32_t        count;         /* n, number of workers, 1 to 2^31 - 1             */
    const uint32_t *batch;         /* [count] samples of the first iteration, not all */
                                   /*   0                                             */
    const sgdbal_worker *curve;    /* [count] curves tell the time of a batch; a      */
                                   /*   batch of 0 takes no time. NULL: time_s        */
    sgdbal_time_callback time_s;   /* tells the time of a batch, if curve is NULL.    */
                                   /*   FLEXRR with sample_s needs neither            */
    void           *ctx;           /* passed to time_s                                */
} sgdbal_team;

/* Tells how scheme LB_BSP sets the next batches: by the balancer of the field `config`,
 * or by the callback in the field `rebalance`. Exactly one of these two fields must be
 * NULL.
 *
 * BLOCKING. With non_blocking = 0, workers wait at every barrier for update_s seconds.
 * The next batches follow from the iteration that has just ended. With non_blocking = 1,
 * no worker waits. The next batches are computed while an iteration runs, from the
 * iteration before it. */
typedef struct sgdbal_balancing {
    const sgdbal_balancer_config *config; /* workers, start, total: set by the run.   */
                                   /*   max_batch NULL: that of the curves            */
    sgdbal_forecast forecast;      /* used if config has the method BY_SPEED          */
    sgdbal_balance_callback rebalance; /* callback; NULL: config is used              */
    void           *ctx;           /* passed to rebalance                             */
    int             non_blocking;  /* 0 or 1, see above                               */
    double          update_s;      /* seconds of setting batches, >= 0                */
} sgdbal_balancing;

/* Options of FLEXRR, in which late workers hand samples to early ones. sgdbal_scheme_run
 * tells what happens at a check.
 *
 * TIME OF A SAMPLE. The callback sample_s returns the time of one sample. The run calls
 * it at the start of an iteration and at each check, and uses its result until the next
 * check.
 *
 * WITHOUT sample_s, each sample takes an equal part of the time of the worker's batch. A
 * worker whose batch is 0 may get samples from others: each sample then takes the time of
 * a batch of 1. */
typedef struct sgdbal_flexrr {
    uint32_t        checks;        /* number of checks in the time of the last        */
                                   /*   iteration (at first: its expected time); 0:   */
                                   /*   100                                           */
    double          trigger;       /* a worker is late if its time is above (1 +      */
                                   /*   trigger) times the earliest's; 0: 0.2         */
    double          shed;          /* part of a batch handed over at once, at most 1, */
                                   /*   rounded down but at least 1 sample; 0: 0.025  */
    double          migrate_s;     /* seconds that handing over costs both workers    */
    sgdbal_time_callback sample_s; /* tells seconds of one sample; NULL: see above    */
    void           *ctx;           /* passed to sample_s                              */
} sgdbal_flexrr;

typedef struct sgdbal_length {
    uint64_t iterations;           /* >= 1; ASP and SSP end after count * iterations  */
                                   /*   updates                                       */
    uint64_t max_events;           /* limit of the result's `events`; 0: 10^12        */
} sgdbal_length;

typedef struct sgdbal_watch {
    void (*on_event)(void *ctx, const sgdbal_model_event *event); /* NULL: not called */
    void  *ctx;                    /* passed to on_event                              */
} sgdbal_watch;

typedef struct sgdbal_scheme_config {
    sgdbal_team      workers;
    sgdbal_scheme    scheme;
    sgdbal_length    length;
    double           barrier_s;    /* seconds of a barrier, >= 0; not ASP and SSP     */
    uint32_t         staleness;    /* SSP: s, see SGDBAL_SSP; finished iterations     */
                                   /*   differ by at most s + 1. 0: as BSP            */
    uint32_t         spare;        /* REDUNDANT: spare workers, below count; 0: 2     */
    sgdbal_balancing balance;      /* used by LB_BSP                                  */
    sgdbal_flexrr    flexrr;       /* used by FLEXRR                                  */
    int              against_bsp;  /* 1: runs BSP first, for the result's `bsp`;      */
                                   /*   needs curve or time_s                         */
    sgdbal_watch     watch;
} sgdbal_scheme_config;

/* Staleness of a gradient: the number of updates of the model between a worker's pull and
 * its push. With barriers, staleness is 0. */
typedef struct sgdbal_staleness {
    double   mean;
    uint64_t max;
} sgdbal_staleness;

/* Comparison with BSP (plain barriers). If sgdbal_scheme_config.against_bsp is set,
 * sgdbal_scheme_run also simulates BSP, without the spare workers (the last ones) and
 * without calls of on_event. If against_bsp is 0, both fields are 0. */
typedef struct sgdbal_against {
    double per_update_s;           /* per_update_s of BSP, in seconds                 */
    double reduction;              /* 1 - (per_update_s of the run) / (per_update_s   */
                                   /*   of BSP)                                       */
} sgdbal_against;

/* Errors of the workers' speeds that LB_BSP predicts to set batches by SGDBAL_BY_SPEED. A
 * prediction counts if its iteration is not before forecast.score_from, and if the worker
 * has a batch in this iteration. */
typedef struct sgdbal_predictions {
    uint64_t count;                /* number of predictions that count                */
    double   rmse;                 /* root mean squared error in samples per second,  */
                                   /*   averaged over workers                         */
} sgdbal_predictions;

/* Results of each worker, in arrays [workers] of the caller; NULL: not wanted. */
typedef struct sgdbal_by_worker {
    double   *waiting_share;       /* part of total_s without computation             */
    uint32_t *last_batch;          /* samples in the last iteration; FLEXRR: those    */
                                   /*   computed, not those given                     */
    uint64_t *pushed;              /* number of gradients pushed                      */
} sgdbal_by_worker;

/* Result of sgdbal_scheme_run, which sets all fields but the pointers in `workers`. */
typedef struct sgdbal_scheme_result {
    double    total_s;             /* seconds of the run                              */
    uint64_t  updates;             /* number of gradients that workers pushed         */
    double    per_update_s;        /* total_s / updates. With barriers: time of an    */
                                   /*   iteration / number of workers awaited         */
    double    samples_per_s;       /* samples of the pushed gradients per second      */
    uint64_t  handed_over;         /* FLEXRR: samples handed to another worker        */
    uint64_t  events;              /* batches ended, and checks of FLEXRR that could  */
                                   /*   move samples                                  */
    sgdbal_staleness   staleness;
    sgdbal_against     bsp;
    sgdbal_predictions predictions;
    sgdbal_by_worker workers;
} sgdbal_scheme_result;

/* Simulates a training job under a coordination scheme [CWWLL20 2.2, 3, 5]. A batch lasts
 * from its start to the arrival of its gradient. If two batches end at the same time, the
 * one that started first ends first. If they started together, the worker with the lower
 * number ends first. Callbacks for one time are called in this order, too.
 *
 * RATES. Let worker i have the constant speed v_i and the batch x_i. An iteration with a
 * barrier (BSP) takes the largest x_i / v_i. So does, in the long run, an iteration of
 * SSP, where the lead of a worker is limited. ASP, where no worker waits, makes an update
 * every 1 / sum(v_i / x_i) seconds.
 *
 * FLEXRR [HCDWG16, as described in CWWLL20 5.3]. Checks come several times in an
 * iteration. At a check, the latest worker hands samples to the earliest worker; it has
 * not begun these samples. The second latest worker hands samples to the second earliest,
 * and so on. This ends at the first pair whose later worker is not late (see `trigger`).
 * Times count from the start of the iteration. A worker that is done counts as ending
 * now.
 *
 * FLEXRR: HOW MANY SAMPLES. The number handed over has two limits. One is `shed` times
 * the giver's first batch. The other is what the slower of the two workers computes in (d
 * - migrate_s) / 2 seconds. Here d is the time between their ends. Nothing moves unless
 * the giver then ends sooner. Hence an iteration at constant speeds never takes longer
 * than under BSP.
 *
 * FLEXRR: CHECKS. Without sample_s (a callback for the time of a sample), the first check
 * that moves no samples is the last. With sample_s, checks go on until all workers are
 * done, at a constant interval: the length of the last iteration / `checks`. A run in
 * which a worker has almost stopped ends only by max_events.
 *
 * COST of a batch, for n workers: O(log n) under schemes ASP and SSP, O(1) under BSP, and
 * at most O(log spare) under REDUNDANT. LB_BSP takes O(1) and the time of the balancer.
 * With on_event, all schemes take O(log n). A check of FLEXRR takes O(n), and at most O(n
 * log n) if samples move.
 * MEMORY. The work area has 116 bytes per worker. LB_BSP with balance.config adds 68
 * bytes per worker, and the work area of sgdbal_balancer_open.
 *
 * Fails, after on_event was called for the events so far, with
 *   SGDBAL_BAD_TIME         a time by a callback or curve is negative or not finite
 *   SGDBAL_NO_TIME          the run took 0 seconds
 *   SGDBAL_OVER_BUDGET      more than max_events events
 *   SGDBAL_TOO_LARGE        a size overflows, or FLEXRR has 2^32 samples or more
 *   SGDBAL_BAD_WORKER       a curve is out of range
 *   SGDBAL_BAD_ARGUMENT     config is wrong, rebalance set all batches to 0, or a sum of
 *                           times overflows
 *   SGDBAL_SMALL_WORKSPACE  work_bytes is too small
 *
 * UNDER LB_BSP the function also fails as sgdbal_balancer_open and sgdbal_balancer_step,
 * and with SGDBAL_BAD_ROW (a speed or usage is out of range). */
SGDBAL_API sgdbal_status sgdbal_scheme_run(const sgdbal_scheme_config *config, void *work,
                                           size_t work_bytes, sgdbal_scheme_result *out);

/* Reasons why a scheme's config is refused. */
#define SGDBAL_FAULT_TABLE(X)                                                        \
    X(SGDBAL_FAULT_NONE,       "nothing")                                            \
    X(SGDBAL_FAULT_WORKERS,    "no workers, or more than 2^31 - 1")                  \
    X(SGDBAL_FAULT_BATCHES,    "batches are missing, or all 0")                      \
    X(SGDBAL_FAULT_SAMPLES,    "2^32 samples or more under FlexRR")                  \
    X(SGDBAL_FAULT_ITERATIONS, "no iterations, or 2^64 batches in all")              \
    X(SGDBAL_FAULT_SCHEME,     "no such scheme")                                     \
    X(SGDBAL_FAULT_TIMES,      "neither curves nor a callback tell a batch's time")  \
    X(SGDBAL_FAULT_CURVE,      "a worker's curve is out of domain")                  \
    X(SGDBAL_FAULT_BARRIER,    "barrier_s is negative or not finite")                \
    X(SGDBAL_FAULT_UPDATE,     "balance.update_s is negative or not finite")         \
    X(SGDBAL_FAULT_MIGRATE,    "flexrr.migrate_s is negative or not finite")         \
    X(SGDBAL_FAULT_TRIGGER,    "flexrr.trigger is negative or not finite")           \
    X(SGDBAL_FAULT_SHED,       "flexrr.shed is not in [0, 1]")                       \
    X(SGDBAL_FAULT_BALANCE,    "LB_BSP takes either balance.config or .rebalance")   \
    X(SGDBAL_FAULT_SPARE,      "as many spare workers as workers, or more")

#define SGDBAL_X(name, text) name,
typedef enum sgdbal_fault {
    SGDBAL_FAULT_TABLE(SGDBAL_X) SGDBAL_FAULT_COUNT
} sgdbal_fault;
#undef SGDBAL_X

/* Reason why sgdbal_scheme_check refuses a config. */
typedef struct sgdbal_refusal {
    sgdbal_fault reason;
    size_t       worker;           /* number of the worker at fault; else 0           */
} sgdbal_refusal;

/* Text of a fault; never NULL. */
SGDBAL_API const char *sgdbal_fault_text(sgdbal_fault fault);

/* Checks whether sgdbal_scheme_run accepts a config. sgdbal_scheme_run makes these checks
 * first, and returns their status. If the config is refused, *refusal tells why; refusal
 * may be NULL. A NULL config leaves *refusal as it is. Values that callbacks return, and
 * batches that the balancer refuses, are not checked. Time: O(workers). */
SGDBAL_API sgdbal_status sgdbal_scheme_check(const sgdbal_scheme_config *config,
                                             sgdbal_refusal *refusal);

/* Writes the bytes of work area that sgdbal_scheme_run needs. Fails as
 * sgdbal_scheme_check and, for LB_BSP, as sgdbal_balancer_bytes. */
SGDBAL_API sgdbal_status sgdbal_scheme_bytes(const sgdbal_scheme_config *config,
                                             size_t *bytes);

/* Simulates a job as sgdbal_scheme_run does, but reports the time after a warm-up. The
 * warm-up has `warmup` iterations; under ASP and SSP, `warmup` updates per worker. Then
 * config->length.iterations further iterations follow.
 *
 * RESULTS. These cover only the time after the warm-up: total_s, updates, per_update_s,
 * samples_per_s, staleness.mean, waiting_share, pushed and predictions (which count from
 * iteration `warmup` on). All other results cover the whole run. A waiting time of at
 * most 10^-12 of the run is rounding, and counts as 0.
 *
 * METHOD. The function simulates twice: the warm-up alone, and the whole run. Results
 * after the warm-up are differences of the two. Both simulations call the callbacks,
 * which must return equal values each time. Only the whole run calls on_event.
 *
 * MEMORY. The work area is that of sgdbal_scheme_run, plus 36 bytes per worker. Fails as
 * sgdbal_scheme_run, and with SGDBAL_BAD_ARGUMENT if against_bsp is set. */
SGDBAL_API sgdbal_status sgdbal_scheme_run_steady(const sgdbal_scheme_config *config,
                                                  uint64_t warmup, void *work,
                                                  size_t work_bytes,
                                                  sgdbal_scheme_result *out);
SGDBAL_API sgdbal_status
sgdbal_scheme_run_steady_bytes(const sgdbal_scheme_config *config, uint64_t warmup,
                               size_t *bytes);

/* ---- Gradients ------------------------------------------------------------- */

/* Computes the weights with which the mean gradients of the workers add up to the mean
 * gradient over all samples [CWWLL20]. Let x_i be the batch of worker i of n workers, and
 * X the sum of all batches:
 *   pushed = 0   weight x_i / X, for a sum of the weighted gradients
 *   pushed != 0  weight n x_i / X, for a mean of the weighted gradients over the workers
 *
 * Fails with SGDBAL_BAD_ARGUMENT: a pointer is NULL, or there are no workers or no
 * samples. */
SGDBAL_API sgdbal_status sgdbal_gradient_weights(const uint32_t *batch, size_t workers,
                                                 int pushed, double *weight);

/* Computes the mean gradient over all samples: out = sum_i x_i gradient[i] / X. Here x_i
 * = batch[i], and X is the sum of all batches. gradient[i] has the `size` values of the
 * mean gradient of worker i; it is not read if batch[i] is 0. Time: O(workers * size).
 * Fails with SGDBAL_BAD_ARGUMENT: a pointer is NULL, or there are no workers, no samples
 * or no values. */
SGDBAL_API sgdbal_status sgdbal_gradient_aggregate(const double *const *gradient,
                                                   const uint32_t *batch, size_t workers,
                                                   size_t size, double *out);

/* ---- Partitions ------------------------------------------------------------ */

/* Data partitions: each worker trains on its own part of the data [CWWLL20 3.5]. A
 * traversal is one pass of a worker over its partition.
 *
 * MOVES. Samples move when the numbers of traversals of two partitions differ by more
 * than config->gap. They move in the background, from the least traversed partition to
 * the most traversed one. The sizes of both partitions then are proportional to their
 * workers' batches. When the samples have arrived, the traversals of all partitions count
 * from 0 again. */
typedef struct sgdbal_partitions sgdbal_partitions;

typedef struct sgdbal_partitions_config {
    size_t          workers;       /* >= 1                                            */
    const uint32_t *samples;       /* [workers] samples of each partition, >= 1       */
    double          gap;           /* in traversals; 0: 2                             */
    double          sample_bytes;  /* bytes of one sample                             */
    double          bandwidth_bytes_per_s; /* 0: a move takes no time                 */
} sgdbal_partitions_config;

/* A move of samples between two partitions. If no move starts or ends in the iteration,
 * all fields are 0. */
typedef struct sgdbal_migration {
    int      started, ended;       /* 1: the move started, ended in this iteration    */
    size_t   from, to;             /* numbers of the partitions; 0 if no move runs    */
    uint32_t samples;              /* number of samples that move                     */
    double   transfer_s;           /* seconds of the whole move                       */
} sgdbal_migration;

/* Opens partitions in the work area. The array `samples` is copied. Fails with
 * SGDBAL_BAD_ARGUMENT (a partition is empty, a number is negative or not finite, a
 * pointer is NULL, or workers is 0), SGDBAL_SMALL_WORKSPACE (work_bytes is too small) or
 * SGDBAL_TOO_LARGE (more than 2^32 - 1 samples in all). */
SGDBAL_API sgdbal_status sgdbal_partitions_open(const sgdbal_partitions_config *config,
                                                void *work, size_t work_bytes,
                                                sgdbal_partitions **out);
SGDBAL_API sgdbal_status sgdbal_partitions_bytes(const sgdbal_partitions_config *config,
                                                 size_t *bytes);

/* Counts an iteration in which the workers trained on batch[workers] samples for
 * iteration_s seconds. The call may start or end a move of samples between two
 * partitions; *migration tells whether it did. Time: O(workers).
 *
 * Fails with SGDBAL_BAD_ARGUMENT: a pointer is NULL, or iteration_s is negative or not
 * finite. */
SGDBAL_API sgdbal_status sgdbal_partitions_step(sgdbal_partitions *p,
                                                const uint32_t *batch,
                                                double iteration_s,
                                                sgdbal_migration *migration);

/* sgdbal_partitions_samples returns the number of samples of partition i.
 * sgdbal_partitions_traversals returns how often workers have gone through it since the
 * start or since samples last moved. Both return 0 if there is no partition i. */
SGDBAL_API uint32_t sgdbal_partitions_samples(const sgdbal_partitions *p, size_t i);
SGDBAL_API double sgdbal_partitions_traversals(const sgdbal_partitions *p, size_t i);

/* ---- Library --------------------------------------------------------------- */

/* Returns SGDPERF_BALANCE_VERSION of the compiled implementation. A program that loads a
 * shared library can compare this number with the version of its own header.
 *
 * EXPORT. To export or import the functions, define SGDBAL_API before every inclusion of
 * the header, as __attribute__((visibility("default"))) or __declspec(dllimport). */
SGDBAL_API int sgdbal_version(void);

/* Returns the size in bytes of the public struct called `name` in the compiled
 * implementation, or 0 if no struct has this name. A binding that declares structs in
 * another language can compare this size with its own. */
SGDBAL_API size_t sgdbal_struct_bytes(const char *name);

#define SGDBAL_STRUCT_TABLE(X) \
    X(sgdbal_worker) X(sgdbal_shares) X(sgdbal_phase) X(sgdbal_pairs) \
    X(sgdbal_balancer_config) X(sgdbal_iteration) X(sgdbal_decision) \
    X(sgdbal_known) X(sgdbal_forecast) X(sgdbal_barrier) X(sgdbal_model_event) \
    X(sgdbal_team) X(sgdbal_balancing) X(sgdbal_flexrr) X(sgdbal_length) \
    X(sgdbal_watch) X(sgdbal_scheme_config) X(sgdbal_staleness) X(sgdbal_against) \
    X(sgdbal_predictions) X(sgdbal_by_worker) X(sgdbal_scheme_result) \
    X(sgdbal_refusal) X(sgdbal_partitions_config) X(sgdbal_migration)

#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_BALANCE_H */

#if defined(SGDPERF_BALANCE_IMPLEMENTATION) && !defined(SGDPERF_BALANCE_IMPLEMENTED)
#define SGDPERF_BALANCE_IMPLEMENTED
/* ============================================================================
 *   IMPLEMENTATION
 *   Contents, in the order of the code: chapters, each with its parts
 *   Common block      texts, checks, arena, random numbers, Student's t, heap sort
 *   Shared by the chapters
 *   Workers           curves from measured times
 *   Batches           the optimum, in proportion to speeds
 *   Balancing         the balancer, by speed (Alg. 1), by pairs (Alg. 2), a step
 *   Coordination      what ends next, a run, without barriers, order of ends, handing
 *                     samples over, LB_BSP with a balancer, with barriers, checks and
 *                     results, behind a warm-up
 *   Gradients
 *   Partitions
 * ==========================================================================*/

#ifndef SGDBAL_ASSERT
#include <assert.h>
#define SGDBAL_ASSERT(x) assert(x)
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
static inline const char *sgdbal_priv_text(const char *const *text, size_t count,
                                           size_t i)
{
    return i < count ? text[i] : "no such value";
}

SGDBAL_API const char *sgdbal_status_text(sgdbal_status status)
{
#define SGDBAL_X(name, text) text,
    static const char *const text[] = { SGDBAL_STATUS_TABLE(SGDBAL_X) };
#undef SGDBAL_X
    return sgdbal_priv_text(text, SGDBAL_STATUS_COUNT, (size_t)status);
}

SGDBAL_API int sgdbal_version(void) { return SGDPERF_BALANCE_VERSION; }

SGDBAL_API size_t sgdbal_struct_bytes(const char *name)
{
#define SGDBAL_X(type) { #type, sizeof(type) },
    static const struct { const char *name; size_t bytes; } known[] = {
        SGDBAL_STRUCT_TABLE(SGDBAL_X) };
#undef SGDBAL_X
    size_t i;
    for (i = 0; name && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0) return known[i].bytes;
    return 0;
}

/* A time is finite and >= 0, a rate finite and > 0. NaN is neither, as it fails every
 * comparison. Ranges are tested because -ffast-math may take isfinite for true. */
static inline int sgdbal_priv_is_time(double x) { return x >= 0.0 && x <= DBL_MAX; }
static inline int sgdbal_priv_is_rate(double x) { return x > 0.0 && x <= DBL_MAX; }

/* True if a equals b. Written without ==, so that -Wfloat-equal finds mistakes. */
static inline int sgdbal_priv_same(double a, double b) { return a <= b && a >= b; }

/* Divides the caller's work area into arrays. With base NULL it only counts bytes, so one
 * routine both answers ..._bytes() and lays out the work area. */
typedef struct sgdbal_priv_arena {
    char  *base;
    size_t used;
    int    overflow;
} sgdbal_priv_arena;

static inline sgdbal_priv_arena sgdbal_priv_arena_at(void *base)
{
    sgdbal_priv_arena arena;
    arena.base = (char *)base;
    arena.used = 0;
    arena.overflow = 0;
    return arena;
}

#ifndef SGDBAL_PRIV_TAKEN
#define SGDBAL_PRIV_TAKEN(arena, at, bytes) ((void)0)  /* of tests/gaps.h */
#endif
/* Takes `count` elements of `size` bytes, aligned for double. NULL while counting. */
static inline void *sgdbal_priv_take(sgdbal_priv_arena *arena, size_t count,
                                     size_t size)
{
    const size_t limit = (size_t)-1 / sizeof(double) * sizeof(double), at = arena->used;
    SGDBAL_ASSERT(size > 0 && at % sizeof(double) == 0);
    if (arena->overflow || count > (limit - at) / size) {
        arena->overflow = 1;
        return NULL;
    }
    arena->used = (at + count * size + sizeof(double) - 1) / sizeof(double);
    arena->used *= sizeof(double);
    SGDBAL_PRIV_TAKEN(arena, at, count * size);
    return arena->base ? arena->base + at : NULL;
}

static inline double *sgdbal_priv_doubles(sgdbal_priv_arena *arena, size_t count)
{
    return (double *)sgdbal_priv_take(arena, count, sizeof(double));
}

/* Answers a ..._bytes() from an arena that has counted. */
static inline sgdbal_status sgdbal_priv_answer(const sgdbal_priv_arena *arena,
                                             size_t *bytes)
{
    if (!bytes) return SGDBAL_BAD_ARGUMENT;
    if (arena->overflow) return SGDBAL_TOO_LARGE;
    *bytes = arena->used;
    return SGDBAL_OK;
}

/* Checks that the caller's work area is not NULL, is aligned, and is large enough. */
static inline sgdbal_status sgdbal_priv_check_work(const void *work,
                                                 size_t work_bytes, size_t need)
{
    if (need == 0) return SGDBAL_OK;
    if (!work || (uintptr_t)work % sizeof(double) != 0) return SGDBAL_BAD_ARGUMENT;
    return work_bytes < need ? SGDBAL_SMALL_WORKSPACE : SGDBAL_OK;
}

/* The mixing function of SplitMix64 [SLF14]: 64 random bits that depend only on x. */
static inline uint64_t sgdbal_priv_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* 64 random bits that depend only on (seed, a, b). There is no state: a draw does not
 * depend on the draws before it. */
static inline uint64_t sgdbal_priv_random(uint64_t seed, uint64_t a, uint64_t b)
{
    return sgdbal_priv_mix(sgdbal_priv_mix(sgdbal_priv_mix(seed) ^ a) ^ b);
}

/* Uniform in [0, 1): the upper 53 of the random bits. */
static inline double sgdbal_priv_uniform(uint64_t random)
{
    return (double)(random >> 11) / 9007199254740992.0;
}

/* Two-sided 95 % point of Student's t. Beyond the table: the expansion of Cornish and
 * Fisher in 1 / degrees [AS64, 26.7.5], with a relative error below 1e-7. */
static inline double sgdbal_priv_student95(uint64_t degrees)
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
    SGDBAL_ASSERT(degrees >= 1);
    if (degrees <= sizeof table / sizeof table[0]) return table[degrees - 1];
    return x + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

/* Largest size of an element that sgdbal_priv_sort can sort, in bytes. */
#define SGDBAL_PRIV_SORTED_BYTES 32

/* Tells whether element a comes before element b. */
typedef int (*sgdbal_priv_sort_order)(const void *ctx, const void *a, const void *b);

static inline void sgdbal_priv_swap(char *a, char *b, size_t size)
{
    char held[SGDBAL_PRIV_SORTED_BYTES];
    memcpy(held, a, size);
    memcpy(a, b, size);
    memcpy(b, held, size);
}

/* Sinks element `at` to its place in the heap base[n]. The top of the heap is the
 * element that comes last in order. */
static inline void sgdbal_priv_sort_sink(char *base, size_t at, size_t n, size_t size,
                                         sgdbal_priv_sort_order before,
                                         const void *ctx)
{
    while (at < n / 2) {                   /* while `at` has a child */
        char *here = base + at * size, *child = base + (2 * at + 1) * size;
        if (2 * at + 2 < n && before(ctx, child, child + size)) child += size;
        if (!before(ctx, here, child)) return;
        sgdbal_priv_swap(here, child, size);
        at = (size_t)(child - base) / size;
    }
}

/* Heap sort in place: O(n log n) for every order of the input. qsort may call malloc. */
static inline void sgdbal_priv_sort(void *elements, size_t n, size_t size,
                                    sgdbal_priv_sort_order before,
                                    const void *ctx)
{
    char *base = (char *)elements;
    size_t i;
    SGDBAL_ASSERT(size <= SGDBAL_PRIV_SORTED_BYTES);
    for (i = 1; i < n; i++)
        if (before(ctx, base + i * size, base + (i - 1) * size)) break;
    if (i >= n) return;                    /* already in order, as logs often are */
    for (i = n / 2; i-- > 0;) sgdbal_priv_sort_sink(base, i, n, size, before, ctx);
    for (i = n; i-- > 1;) {
        sgdbal_priv_swap(base, base + i * size, size);
        sgdbal_priv_sort_sink(base, 0, i, size, before, ctx);
    }
}
/* ---- End of the Common block ------------------------------------------------------ */

/* ---- Shared by the chapters ------------------------------------------------------- */

static uint64_t sgdbal_priv_samples(const uint32_t *batch, size_t workers)
{
    uint64_t sum = 0;
    size_t i;
    for (i = 0; i < workers; i++) sum += batch[i];
    return sum;
}

/* A number that may be squared and added up; false for NaN. */
static int sgdbal_priv_is_measure(double x) { return x >= 0.0 && x <= 1e70; }

/* ---- Workers ---------------------------------------------------------------------- */

/* As rounded products and sums are monotonic, t(x) does not decrease in doubles
 * either. */
static double sgdbal_priv_worker_s(const sgdbal_worker *w, double x)
{
    const double line = w->launch_s + w->slope_s * x;
    return (line > w->floor_s ? line : w->floor_s) + w->communication_s;
}

static int sgdbal_priv_is_worker(const sgdbal_worker *w)
{
    return sgdbal_priv_is_time(w->launch_s) && sgdbal_priv_is_time(w->slope_s) &&
           sgdbal_priv_is_time(w->floor_s) &&
           sgdbal_priv_is_time(w->communication_s) &&
           (w->slope_s > 0.0 || w->floor_s > 0.0);
}

static uint32_t sgdbal_priv_limit(uint32_t max_batch)
{
    return max_batch > 0 ? max_batch : UINT32_MAX;
}

SGDBAL_API sgdbal_status sgdbal_worker_time(const sgdbal_worker *worker,
                                            uint32_t batch, double *time_s,
                                            double *memory)
{
    double t;
    if (!worker || batch > sgdbal_priv_limit(worker->max_batch))
        return SGDBAL_BAD_ARGUMENT;
    if (!sgdbal_priv_is_worker(worker)) return SGDBAL_BAD_WORKER;
    t = sgdbal_priv_worker_s(worker, (double)batch);
    SGDBAL_ASSERT(t >= worker->communication_s);
    if (!sgdbal_priv_is_time(t)) return SGDBAL_BAD_WORKER;
    if (time_s) *time_s = t;
    if (memory)
        *memory = worker->max_batch > 0 ? (double)batch / (double)worker->max_batch : 0.0;
    return SGDBAL_OK;
}

/* ---- Workers: curves from measured times ------------------------------------------ */

/* Measured points. Their times count less communication_s, divided by the largest. */
typedef struct sgdbal_priv_points {
    const uint32_t *batch;
    const double   *time_s;
    size_t          count;
    double          communication_s, unit_s;
} sgdbal_priv_points;

static double sgdbal_priv_point_time(const sgdbal_priv_points *p, size_t i)
{
    return (p->time_s[i] - p->communication_s) / p->unit_s;
}

/* The least batch > above, or 0 if there is none. Batches are counted from 1 here: x + 1
 * stands for a batch x. */
static uint64_t sgdbal_priv_next_batch(const sgdbal_priv_points *p, uint64_t above)
{
    uint64_t least = 0;
    size_t i;
    for (i = 0; i < p->count; i++) {
        const uint64_t x = (uint64_t)p->batch[i] + 1;
        if (x > above && (least == 0 || x < least)) least = x;
    }
    return least;
}

/* The least-squares line, launch >= 0, through points from batch `first` on, and the mean
 * of the points below. Returns 0 if only one batch is left: no line. */
static int sgdbal_priv_fit_from(const sgdbal_priv_points *p, uint64_t first,
                                sgdbal_worker *w)
{
    double x_mean = 0.0, t_mean = 0.0, xx = 0.0, xt = 0.0, x2 = 0.0, x1t = 0.0;
    double low = 0.0, least = HUGE_VAL, most = 0.0;
    size_t i, above = 0;
    memset(w, 0, sizeof *w);
    for (i = 0; i < p->count; i++) {
        const double x = (double)p->batch[i], t = sgdbal_priv_point_time(p, i);
        if ((uint64_t)p->batch[i] + 1 < first) { low += t; continue; }
        above++;
        x_mean += x;
        t_mean += t;
        if (x < least) least = x;
        if (x > most) most = x;
    }
    if (!(least < most)) return 0;
    x_mean /= (double)above;
    t_mean /= (double)above;
    for (i = 0; i < p->count; i++) {
        const double x = (double)p->batch[i], t = sgdbal_priv_point_time(p, i);
        if ((uint64_t)p->batch[i] + 1 < first) continue;
        xx += (x - x_mean) * (x - x_mean);
        xt += (x - x_mean) * (t - t_mean);
        x2 += x * x;
        x1t += x * t;
    }
    SGDBAL_ASSERT(above >= 2 && xx > 0.0 && x2 > 0.0);
    w->floor_s = above < p->count ? low / (double)(p->count - above) : 0.0;
    w->slope_s = xt / xx;
    w->launch_s = t_mean - w->slope_s * x_mean;
    if (w->launch_s < 0.0) {
        w->launch_s = 0.0;
        w->slope_s = x1t / x2;
    }
    if (fabs(w->slope_s) * (most - least) <= 1e-14) {      /* rounding of a constant  */
        w->slope_s = 0.0;
        if (t_mean > w->floor_s) w->floor_s = t_mean;
        w->launch_s = 0.0;
    }
    return 1;
}

static double sgdbal_priv_fit_error(const sgdbal_priv_points *p,
                                    const sgdbal_worker *w)
{
    double sum = 0.0;
    size_t i;
    for (i = 0; i < p->count; i++) {
        const double error = sgdbal_priv_worker_s(w, (double)p->batch[i]) -
                             sgdbal_priv_point_time(p, i);
        sum += error * error;
    }
    return sum;
}

/* Checks the points. unit_s becomes the largest time less communication. */
static sgdbal_status sgdbal_priv_check_points(sgdbal_priv_points *p)
{
    size_t i;
    p->unit_s = 0.0;
    for (i = 0; i < p->count; i++) {
        if (!sgdbal_priv_is_time(p->time_s[i])) return SGDBAL_BAD_WORKER;
        if (p->time_s[i] < p->communication_s) return SGDBAL_BAD_ARGUMENT;
        if (p->time_s[i] - p->communication_s > p->unit_s)
            p->unit_s = p->time_s[i] - p->communication_s;
    }
    if (p->count < 3 || sgdbal_priv_next_batch(p, sgdbal_priv_next_batch(p, 0)) == 0)
        return SGDBAL_TOO_FEW_POINTS;
    return p->unit_s > 0.0 ? SGDBAL_OK : SGDBAL_BAD_WORKER;
}

/* Finds the curve closest to the points, in units of p; returns its sum of squared
 * errors. Once a curve meets the points up to rounding, a later floor cannot replace
 * it. */
static double sgdbal_priv_fit_best(const sgdbal_priv_points *p, sgdbal_worker *best)
{
    const double enough = 1e-26 * (double)p->count;
    double least_error = HUGE_VAL;
    sgdbal_worker w;
    uint64_t first;
    for (first = sgdbal_priv_next_batch(p, 0); sgdbal_priv_fit_from(p, first, &w);
         first = sgdbal_priv_next_batch(p, first)) {
        const double error = sgdbal_priv_fit_error(p, &w);
        if (!(error < least_error) || least_error <= enough) continue;
        least_error = error;
        *best = w;
    }
    SGDBAL_ASSERT(least_error >= 0.0 && least_error <= DBL_MAX);
    return least_error;
}

SGDBAL_API sgdbal_status sgdbal_worker_fit(const uint32_t *batch, const double *time_s,
                                           size_t points, double communication_s,
                                           sgdbal_worker *worker, double *deviation_s)
{
    sgdbal_priv_points p;
    sgdbal_worker best;
    sgdbal_status status;
    double error;
    if (!batch || !time_s || !worker || !sgdbal_priv_is_time(communication_s))
        return SGDBAL_BAD_ARGUMENT;
    p.batch = batch;
    p.time_s = time_s;
    p.count = points;
    p.communication_s = communication_s;
    status = sgdbal_priv_check_points(&p);
    if (status != SGDBAL_OK) return status;
    error = sgdbal_priv_fit_best(&p, &best);
    SGDBAL_ASSERT(p.unit_s > 0.0 && best.launch_s >= 0.0 && best.floor_s >= 0.0);
    if (best.slope_s < 0.0) return SGDBAL_FALLING_TIMES;
    best.launch_s *= p.unit_s;
    best.slope_s *= p.unit_s;
    best.floor_s *= p.unit_s;
    best.communication_s = communication_s;
    if (!sgdbal_priv_is_worker(&best)) return SGDBAL_BAD_WORKER;
    *worker = best;
    if (deviation_s) *deviation_s = p.unit_s * sqrt(error / (double)points);
    return SGDBAL_OK;
}

/* ---- Batches: the optimum --------------------------------------------------------- */

/* The greedy rule takes samples in the order of their times t_i(1), t_i(2) ... over all
 * workers; at equal times worker by worker. The first X are taken. So if T is the time of
 * the X-th, all samples with a time < T are taken, and the first ones with time T. */

/* The largest x <= limit with t(x) <= time_s; x = 0 is always allowed. The guess from the
 * line is off only by rounding, unless the slope is negligible beside launch. */
static uint32_t sgdbal_priv_fitting(const sgdbal_worker *w, double time_s,
                                    uint32_t limit)
{
    uint32_t low = 0, high = limit;    /* the answer is in low .. high - 1            */
    double guess = 0.0;
    if (limit == 0 || sgdbal_priv_worker_s(w, (double)limit) <= time_s) return limit;
    if (w->slope_s > 0.0)
        guess = (time_s - w->communication_s - w->launch_s) / w->slope_s;
    if (guess >= 1.0 && guess < (double)limit) {
        const uint32_t x = (uint32_t)guess;
        if (sgdbal_priv_worker_s(w, guess = (double)x) > time_s) {
            high = x;
            if (sgdbal_priv_worker_s(w, guess - 1.0) <= time_s) return x - 1;
        } else {
            low = x;
            if (sgdbal_priv_worker_s(w, guess + 1.0) > time_s) return x;
        }
    }
    while (high - low > 1) {
        const uint32_t x = low + (high - low) / 2;
        if (sgdbal_priv_worker_s(w, (double)x) <= time_s) low = x;
        else high = x;
    }
    SGDBAL_ASSERT(low < high && sgdbal_priv_worker_s(w, (double)high) > time_s);
    SGDBAL_ASSERT(low == 0 || sgdbal_priv_worker_s(w, (double)low) <= time_s);
    return low;
}

/* Workers, X, and the least batch of each worker. */
typedef struct sgdbal_priv_shares {
    const sgdbal_worker *worker;
    size_t                 workers;
    uint64_t               total;
    uint32_t               least;
} sgdbal_priv_shares;

static uint32_t sgdbal_priv_most(const sgdbal_priv_shares *s, size_t i)
{
    const uint32_t limit = sgdbal_priv_limit(s->worker[i].max_batch);
    return limit < s->total ? limit : (uint32_t)s->total;
}

static uint32_t sgdbal_priv_share(const sgdbal_priv_shares *s, size_t i,
                                  double time_s)
{
    const uint32_t x =
        sgdbal_priv_fitting(s->worker + i, time_s, sgdbal_priv_most(s, i));
    return x > s->least ? x : s->least;
}

/* Number of samples whose time is at most time_s, each worker having at least `least`.
 * The sum stops before it could overflow. */
static uint64_t sgdbal_priv_taken(const sgdbal_priv_shares *s, double time_s)
{
    uint64_t sum = 0;
    size_t i;
    for (i = 0; i < s->workers && sum >> 63 == 0; i++)
        sum += sgdbal_priv_share(s, i, time_s);
    return sum;
}

/* Are these at least X samples? */
static int sgdbal_priv_is_enough(const sgdbal_priv_shares *s, double time_s)
{
    return sgdbal_priv_taken(s, time_s) >= s->total;
}

static sgdbal_status sgdbal_priv_check_shares(const sgdbal_priv_shares *s)
{
    uint64_t most = 0;
    size_t i;
    for (i = 0; i < s->workers; i++)
        if (!sgdbal_priv_is_worker(s->worker + i)) return SGDBAL_BAD_WORKER;
    if (s->least > 0 && s->total / s->least < s->workers) return SGDBAL_NO_ROOM;
    for (i = 0; i < s->workers; i++) {
        if (s->least > sgdbal_priv_most(s, i)) return SGDBAL_NO_ROOM;
        if (most < s->total) most += sgdbal_priv_most(s, i);
    }
    if (most < s->total) return SGDBAL_NO_ROOM;
    for (i = 0; i < s->workers; i++)
        if (!sgdbal_priv_is_time(sgdbal_priv_worker_s(s->worker + i, s->least)))
            return SGDBAL_BAD_WORKER;
    return sgdbal_priv_is_enough(s, DBL_MAX) ? SGDBAL_OK : SGDBAL_BAD_WORKER;
}

/* The first time after time_s at which one more sample is taken. */
static double sgdbal_priv_next_time(const sgdbal_priv_shares *s, double time_s)
{
    double next_s = DBL_MAX;
    size_t i;
    for (i = 0; i < s->workers; i++) {
        const uint32_t x = sgdbal_priv_share(s, i, time_s);
        double t;
        if (x == sgdbal_priv_most(s, i)) continue;
        t = sgdbal_priv_worker_s(s->worker + i, (double)x + 1.0);
        if (t < next_s) next_s = t;
    }
    SGDBAL_ASSERT(next_s > time_s);
    return next_s;
}

/* A time between two times, all given as bits: where X samples are taken if samples come
 * evenly between them. Every third step takes the middle, so the bits always decrease. */
static uint64_t sgdbal_priv_between(uint64_t low, uint64_t high, double part,
                                    uint32_t step)
{
    double low_s, high_s, t;
    uint64_t at;
    SGDBAL_ASSERT(high - low > 1 && part >= 0.0);
    memcpy(&low_s, &low, sizeof low_s);
    memcpy(&high_s, &high, sizeof high_s);
    t = low_s + (high_s - low_s) * part;           /* no part is negative              */
    memcpy(&at, &t, sizeof at);
    if (step % 3 == 0) return low + (high - low) / 2;
    return at <= low ? low + 1 : at >= high ? high - 1 : at;
}

/* Returns T. *below_s becomes the largest double below T, or, for T = 0, a time at which
 * nothing is taken. Non-negative times have the order of their bits. If few samples are
 * left between two times, their own times are tried one by one. */
static double sgdbal_priv_last_time(const sgdbal_priv_shares *s, double *below_s)
{
    double high_s = 0.0, t;
    uint64_t low = 0, high, few = sgdbal_priv_taken(s, 0.0), many, sum;
    uint32_t step;
    size_t i;
    *below_s = -DBL_MAX;
    if (few >= s->total) return 0.0;
    for (i = 0; i < s->workers; i++) {
        t = sgdbal_priv_worker_s(s->worker + i, (double)sgdbal_priv_most(s, i));
        if (t > high_s) high_s = t < DBL_MAX ? t : DBL_MAX;
    }
    memcpy(&high, &high_s, sizeof high);
    many = sgdbal_priv_taken(s, high_s);
    for (step = 1; high - low > 1; step++) {
        const double left = (double)(s->total - few) - 0.5;
        uint64_t middle =
            sgdbal_priv_between(low, high, left / (double)(many - few), step);
        if (many - few <= 4) {
            memcpy(&t, &low, sizeof t);
            t = sgdbal_priv_next_time(s, t);
            memcpy(&middle, &t, sizeof middle);
            low = middle - 1;
        }
        memcpy(&t, &middle, sizeof t);
        sum = sgdbal_priv_taken(s, t);
        if (sum >= s->total) { high = middle; many = sum; }
        else { low = middle; few = sum; }
    }
    memcpy(below_s, &low, sizeof low);
    memcpy(&high_s, &high, sizeof high);
    SGDBAL_ASSERT(high == low + 1 && sgdbal_priv_is_enough(s, high_s));
    SGDBAL_ASSERT(!sgdbal_priv_is_enough(s, *below_s));
    return high_s;
}

SGDBAL_API sgdbal_status sgdbal_batches_optimal(const sgdbal_worker *worker,
                                                size_t workers, uint64_t total,
                                                uint32_t least, uint32_t *batch,
                                                double *time_s)
{
    sgdbal_priv_shares s;
    sgdbal_status status;
    double last_s, below_s, longest_s = 0.0;
    uint64_t left = total;
    size_t i;
    if (!worker || workers == 0 || !batch || !time_s) return SGDBAL_BAD_ARGUMENT;
    s.worker = worker;
    s.workers = workers;
    s.total = total;
    s.least = least;
    status = sgdbal_priv_check_shares(&s);
    if (status != SGDBAL_OK) return status;
    last_s = sgdbal_priv_last_time(&s, &below_s);
    for (i = 0; i < workers; i++) {
        batch[i] = sgdbal_priv_share(&s, i, below_s);
        SGDBAL_ASSERT(batch[i] <= left);
        left -= batch[i];
    }
    for (i = 0; i < workers; i++) {
        const uint32_t more =
            left > 0 ? sgdbal_priv_share(&s, i, last_s) - batch[i] : 0;
        batch[i] += more < left ? more : (uint32_t)left;
        left -= more < left ? more : left;
        SGDBAL_ASSERT(batch[i] >= least && batch[i] <= sgdbal_priv_most(&s, i));
        if (batch[i] > 0) {
            const double t = sgdbal_priv_worker_s(worker + i, (double)batch[i]);
            if (t > longest_s) longest_s = t;
        }
    }
    SGDBAL_ASSERT(left == 0);
    *time_s = longest_s;
    return SGDBAL_OK;
}

/* ---- Batches: in proportion to speeds --------------------------------------------- */

/* The shares within limits are x_i = clamp(c v_i, least_i, most_i) for one c. Starting
 * with all workers, shares beyond a limit are set to it: on the side, upper or lower,
 * where the sum of the excess is larger. They stay there while the other workers share
 * the rest. That takes at most n rounds, and usually few. */
typedef struct sgdbal_priv_split {
    sgdbal_shares   of;
    double         *share;             /* [workers] share, then its remainder         */
    unsigned char  *fixed;             /* [workers] 1: at a limit                     */
} sgdbal_priv_split;

static uint32_t sgdbal_priv_least_of(const sgdbal_priv_split *s, size_t i)
{
    return s->of.least_batch ? s->of.least_batch[i] : 0;
}

static uint32_t sgdbal_priv_most_of(const sgdbal_priv_split *s, size_t i)
{
    return s->of.max_batch ? sgdbal_priv_limit(s->of.max_batch[i]) : UINT32_MAX;
}

/* A power of two that scales speeds, so that neither their sum nor X times a speed
 * overflows or underflows; 0 if no speed is positive. */
static double sgdbal_priv_speed_unit(const sgdbal_priv_split *s)
{
    double most = 0.0;
    size_t i;
    for (i = 0; i < s->of.workers; i++)
        if (s->of.speed[i] > most) most = s->of.speed[i];
    if (!(most > 0.0)) return 0.0;
    return most > 1e200 ? ldexp(1.0, -600) : most < 1e-200 ? ldexp(1.0, 600) : 1.0;
}

/* Shares of `rest` for the workers that are not fixed. */
static void sgdbal_priv_proportion(const sgdbal_priv_split *s, double unit,
                                   uint64_t rest)
{
    double sum = 0.0, count = 0.0;
    size_t i;
    for (i = 0; i < s->of.workers; i++) {
        if (s->fixed[i]) continue;
        count += 1.0;
        if (s->of.speed[i] > 0.0) sum += s->of.speed[i] * unit;
    }
    for (i = 0; i < s->of.workers; i++) {
        const double speed = s->of.speed[i] > 0.0 ? s->of.speed[i] * unit : 0.0;
        if (s->fixed[i]) continue;
        s->share[i] = sum > 0.0 ? (double)rest * speed / sum : (double)rest / count;
        SGDBAL_ASSERT(s->share[i] >= 0.0 &&
                      s->share[i] <= (1.0 + 1e-12) * (double)rest);
    }
}

/* Fixes shares beyond a limit at it and subtracts them from *rest; 0 if there are
 * none. */
static int sgdbal_priv_clamp(const sgdbal_priv_split *s, uint64_t *rest,
                             uint32_t *batch)
{
    double over = 0.0, under = 0.0;
    size_t i;
    for (i = 0; i < s->of.workers; i++) {
        const double most = (double)sgdbal_priv_most_of(s, i);
        const double least = (double)sgdbal_priv_least_of(s, i);
        if (s->fixed[i]) continue;
        if (s->share[i] > most) over += s->share[i] - most;
        if (s->share[i] < least) under += least - s->share[i];
    }
    if (!(over > 0.0) && !(under > 0.0)) return 0;
    for (i = 0; i < s->of.workers; i++) {
        const uint32_t most = sgdbal_priv_most_of(s, i),
                       least = sgdbal_priv_least_of(s, i);
        if (s->fixed[i]) continue;
        if (over >= under && s->share[i] > (double)most) batch[i] = most;
        else if (over <= under && s->share[i] < (double)least) batch[i] = least;
        else continue;
        SGDBAL_ASSERT(batch[i] <= *rest);
        s->fixed[i] = 1;
        *rest -= batch[i];
    }
    return 1;
}

/* Rounds shares down to batches and returns their sum. s->share becomes the remainder in
 * units of 2^-bits, a whole number; -1 for fixed workers. */
static uint64_t sgdbal_priv_round_down(const sgdbal_priv_split *s, int bits,
                                       uint32_t *batch)
{
    const double scale = ldexp(1.0, bits);
    uint64_t sum = 0;
    size_t i;
    for (i = 0; i < s->of.workers; i++) {
        double whole;
        if (s->fixed[i]) { s->share[i] = -1.0; continue; }
        whole = floor(floor(s->share[i] * scale + 0.5) / scale);
        s->share[i] = floor(s->share[i] * scale + 0.5) - whole * scale;
        SGDBAL_ASSERT(s->share[i] >= 0.0 && s->share[i] < scale);
        SGDBAL_ASSERT(whole <= (double)sgdbal_priv_most_of(s, i));
        batch[i] = (uint32_t)whole;
        sum += batch[i];
    }
    return sum;
}

/* Adds a sample to the `count` largest remainders, the first ones among equals, or to all
 * if there are fewer. Returns the number of samples added. */
static uint64_t sgdbal_priv_round_up(const sgdbal_priv_split *s, int bits,
                                     uint64_t count, uint32_t *batch)
{
    uint64_t low = 0, high = (uint64_t)1 << bits, given = 0, equal;
    size_t i;
    while (high - low > 1) {           /* the largest that `count` remainders reach   */
        const uint64_t middle = low + (high - low) / 2;
        const double least = (double)middle;
        uint64_t reaching = 0;
        for (i = 0; i < s->of.workers; i++) reaching += s->share[i] >= least;
        if (reaching >= count) low = middle;
        else high = middle;
    }
    for (i = 0; i < s->of.workers; i++) given += s->share[i] > (double)low;
    SGDBAL_ASSERT(given <= count);
    equal = count - given;
    for (i = 0; i < s->of.workers; i++) {
        const int above = s->share[i] > (double)low;
        const uint32_t most = sgdbal_priv_most_of(s, i);
        if (above) {
            SGDBAL_ASSERT(batch[i] < most);
            batch[i]++;
        } else if (s->share[i] >= (double)low && equal > 0 && batch[i] < most) {
            batch[i]++;
            equal--;
            given++;
        }
    }
    return given;
}

/* The limits are known to allow X, and the speeds to be finite. */
static void sgdbal_priv_split_batches(const sgdbal_priv_split *s, uint32_t *batch)
{
    const double unit = sgdbal_priv_speed_unit(s);
    uint64_t rest = s->of.total, sum, given;
    int bits = 30;
    size_t i;
    while (bits > 0 && s->of.total >> (45 - bits) > 0) bits--;
    memset(s->fixed, 0, s->of.workers);
    do sgdbal_priv_proportion(s, unit, rest);
    while (sgdbal_priv_clamp(s, &rest, batch));
    sum = sgdbal_priv_round_down(s, bits, batch);
    for (; sum < rest; sum += given) {
        given = sgdbal_priv_round_up(s, bits, rest - sum, batch);
        SGDBAL_ASSERT(given > 0);
    }
    for (i = s->of.workers; sum > rest;) { /* X >= 2^44, rounded up by at most half a */
        SGDBAL_ASSERT(i > 0);              /*   sample: one pass is enough              */
        if (s->share[--i] >= 0.0 && batch[i] > sgdbal_priv_least_of(s, i)) {
            batch[i]--;
            sum--;
        }
    }
    SGDBAL_ASSERT(sum == rest);
}

static sgdbal_status sgdbal_priv_check_split(const sgdbal_priv_split *s)
{
    uint64_t least = 0, most = 0;
    size_t i;
    for (i = 0; i < s->of.workers; i++) {
        const uint32_t from = sgdbal_priv_least_of(s, i),
                       to = sgdbal_priv_most_of(s, i);
        if (!(fabs(s->of.speed[i]) <= DBL_MAX)) return SGDBAL_BAD_WORKER;
        if (from > to) return SGDBAL_BAD_WORKER;
        least += from;
        most += to;
    }
    return least <= s->of.total && s->of.total <= most ? SGDBAL_OK : SGDBAL_NO_ROOM;
}

static void sgdbal_priv_lay_split(sgdbal_priv_split *s, sgdbal_priv_arena *arena)
{
    s->share = sgdbal_priv_doubles(arena, s->of.workers);
    s->fixed = (unsigned char *)sgdbal_priv_take(arena, s->of.workers, sizeof *s->fixed);
}

SGDBAL_API sgdbal_status
sgdbal_batches_proportional_bytes(const sgdbal_shares *shares, size_t *bytes)
{
    sgdbal_priv_arena arena = sgdbal_priv_arena_at(NULL);
    sgdbal_priv_split s;
    if (!shares || shares->workers == 0 || !bytes) return SGDBAL_BAD_ARGUMENT;
    if (shares->workers >= UINT32_MAX) return SGDBAL_TOO_LARGE;
    s.of = *shares;
    sgdbal_priv_lay_split(&s, &arena);
    return sgdbal_priv_answer(&arena, bytes);
}

SGDBAL_API sgdbal_status sgdbal_batches_proportional(const sgdbal_shares *shares,
                                                     void *work, size_t work_bytes,
                                                     uint32_t *batch)
{
    sgdbal_priv_arena arena = sgdbal_priv_arena_at(work);
    sgdbal_priv_split s;
    size_t bytes = 0;
    sgdbal_status status = sgdbal_batches_proportional_bytes(shares, &bytes);
    if (status == SGDBAL_OK && (!shares->speed || !batch)) status = SGDBAL_BAD_ARGUMENT;
    if (status == SGDBAL_OK) status = sgdbal_priv_check_work(work, work_bytes, bytes);
    if (status != SGDBAL_OK) return status;
    s.of = *shares;
    status = sgdbal_priv_check_split(&s);
    if (status != SGDBAL_OK) return status;
    sgdbal_priv_lay_split(&s, &arena);
    SGDBAL_ASSERT(arena.used == bytes);
    sgdbal_priv_split_batches(&s, batch);
    return SGDBAL_OK;
}

/* ---- Balancing: the balancer ------------------------------------------------------ */

/* In an iteration Alg. 2 asks about one pair of workers, that is, two columns of a ring
 * of the last iterations. Was the leader faster in each of the last few? Was it ever
 * slower? The second question is asked only in the coarse phase, and only if the answer
 * to the first is no; without ties the window itself then answers it. */
struct sgdbal_balancer {
    sgdbal_balancer_config c;          /* with defaults filled in; its arrays are not */
                                   /*   read again                                    */
    uint32_t         *batch, *next;    /* [workers] of this and of the next iteration */
    uint32_t         *least, *most;    /* [workers] limits                            */

    /* By speed */
    double           *speed, *fresh, *predicted;
    sgdbal_priv_split split;

    /* By pairs */
    sgdbal_worker    *curve;
    double           *time_s;          /* [history][workers], row `row` is the latest */
    size_t            row, rows;
    double           *mean_s;          /* over the last window with the same batch,   */
    uint32_t         *run;             /*   and the number of iterations in it        */
    double           *change;          /* usual relative change between iterations,   */
    uint32_t         *changes;         /*   and the number of changes in it           */
    uint32_t         *from;            /* the previous batch; UINT32_MAX: none        */
    double           *from_s;          /*   and its time                              */
    double            longest_s;       /* mean longest time with these batches        */
    uint32_t          longest_run;
    int               fine;
};

enum { SGDBAL_PRIV_CHANGES = 20 };     /* number of changes in the usual change       */

SGDBAL_API sgdbal_status sgdbal_pairs_preset(sgdbal_rule rule, sgdbal_pairs *pairs)
{
    const int advised = rule == SGDBAL_ADVISED;
    if (!pairs || (unsigned)rule >= (unsigned)SGDBAL_RULE_COUNT)
        return SGDBAL_BAD_ARGUMENT;
    memset(pairs, 0, sizeof *pairs);
    pairs->coarse.step = pairs->coarse.window = 5;
    pairs->fine.step = 1;
    pairs->fine.window = advised ? 10 : 20;
    pairs->history = 64;
    pairs->memory_limit = 0.95;
    pairs->tolerance = 1e-9;
    if (!advised) return SGDBAL_OK;
    pairs->cut_to_memory = 1;
    pairs->project = 1;
    pairs->restart = 0.05;
    pairs->restart_each = 1;
    return SGDBAL_OK;
}

static void sgdbal_priv_pairs_defaults(sgdbal_pairs *pairs)
{
    sgdbal_pairs published;
    (void)sgdbal_pairs_preset(SGDBAL_PUBLISHED, &published);
    if (pairs->coarse.step == 0) pairs->coarse.step = published.coarse.step;
    if (pairs->coarse.window == 0) pairs->coarse.window = published.coarse.window;
    if (pairs->fine.step == 0) pairs->fine.step = published.fine.step;
    if (pairs->fine.window == 0) pairs->fine.window = published.fine.window;
    if (pairs->history == 0) pairs->history = published.history;
    if (pairs->history < pairs->coarse.window) pairs->history = pairs->coarse.window;
    if (pairs->history < pairs->fine.window) pairs->history = pairs->fine.window;
    if (!(pairs->memory_limit > 0.0)) pairs->memory_limit = published.memory_limit;
    if (!(fabs(pairs->tolerance) > 0.0)) pairs->tolerance = published.tolerance;
    if (pairs->tolerance < 0.0) pairs->tolerance = 0.0;
    SGDBAL_ASSERT(pairs->history >= pairs->coarse.window &&
                  pairs->history >= pairs->fine.window);
}

static sgdbal_status sgdbal_priv_check_pairs(const sgdbal_pairs *pairs)
{
    if (!sgdbal_priv_is_time(pairs->memory_limit) ||
        !(pairs->tolerance >= -DBL_MAX && pairs->tolerance < 1.0) ||
        !(pairs->hysteresis >= 0.0) || !(pairs->hysteresis < 1.0) ||
        !sgdbal_priv_is_time(pairs->restart))
        return SGDBAL_BAD_ARGUMENT;
    return SGDBAL_OK;
}

static sgdbal_status sgdbal_priv_check_balance(const sgdbal_balancer_config *c)
{
    const sgdbal_status status = sgdbal_priv_check_pairs(&c->pairs);
    uint64_t most = 0, sum = 0;
    size_t i;
    if ((unsigned)c->method >= (unsigned)SGDBAL_METHOD_COUNT) return SGDBAL_BAD_ARGUMENT;
    if (status != SGDBAL_OK) return status;
    for (i = 0; i < c->workers; i++) {
        const uint32_t limit = sgdbal_priv_limit(c->max_batch ? c->max_batch[i] : 0);
        most += limit;
        if (c->curve && !sgdbal_priv_is_worker(c->curve + i)) return SGDBAL_BAD_WORKER;
        if (!c->start) continue;
        if (c->start[i] > limit) return SGDBAL_BAD_WORKER;
        sum += c->start[i];
    }
    if (c->start && c->total > 0 && c->total != sum) return SGDBAL_BAD_ARGUMENT;
    if (!c->start) sum = c->total;
    if (sum == 0) return SGDBAL_BAD_ARGUMENT;
    return sum <= most ? SGDBAL_OK : SGDBAL_NO_ROOM;
}

static uint32_t *sgdbal_priv_wholes(sgdbal_priv_arena *arena, size_t count)
{
    return (uint32_t *)sgdbal_priv_take(arena, count, sizeof(uint32_t));
}

static void sgdbal_priv_lay_pairs(sgdbal_balancer *b, sgdbal_priv_arena *arena)
{
    const size_t n = b->c.workers;
    size_t cells = n * b->c.pairs.history;
    if (cells / n != b->c.pairs.history) arena->overflow = 1;
    b->curve = NULL;
    if (b->c.curve)
        b->curve = (sgdbal_worker *)sgdbal_priv_take(arena, n, sizeof *b->curve);
    b->time_s = sgdbal_priv_doubles(arena, cells);
    b->mean_s = sgdbal_priv_doubles(arena, n);
    b->change = sgdbal_priv_doubles(arena, n);
    b->from_s = sgdbal_priv_doubles(arena, n);
    b->run = sgdbal_priv_wholes(arena, n);
    b->changes = sgdbal_priv_wholes(arena, n);
    b->from = sgdbal_priv_wholes(arena, n);
}

/* Takes the balancer itself first. */
static sgdbal_balancer *sgdbal_priv_lay_balancer(sgdbal_balancer *b,
                                                 sgdbal_priv_arena *arena)
{
    const size_t n = b->c.workers;
    void *self = sgdbal_priv_take(arena, 1, sizeof *b);
    b->batch = sgdbal_priv_wholes(arena, n);
    b->next = sgdbal_priv_wholes(arena, n);
    b->least = sgdbal_priv_wholes(arena, n);
    b->most = sgdbal_priv_wholes(arena, n);
    b->speed = sgdbal_priv_doubles(arena, n);
    b->fresh = sgdbal_priv_doubles(arena, n);
    b->predicted = sgdbal_priv_doubles(arena, n);
    b->split.of.workers = n;
    sgdbal_priv_lay_split(&b->split, arena);
    if (b->c.method == SGDBAL_BY_PAIRS) sgdbal_priv_lay_pairs(b, arena);
    return (sgdbal_balancer *)self;
}

SGDBAL_API sgdbal_status sgdbal_balancer_bytes(const sgdbal_balancer_config *config,
                                               size_t *bytes)
{
    sgdbal_priv_arena arena = sgdbal_priv_arena_at(NULL);
    sgdbal_balancer b;
    if (!config || config->workers == 0) return SGDBAL_BAD_ARGUMENT;
    if (config->workers >= UINT32_MAX) return SGDBAL_TOO_LARGE;
    memset(&b, 0, sizeof b);
    b.c = *config;
    sgdbal_priv_pairs_defaults(&b.c.pairs);
    (void)sgdbal_priv_lay_balancer(&b, &arena);
    return sgdbal_priv_answer(&arena, bytes);
}

static void sgdbal_priv_copy_workers(sgdbal_balancer *b,
                                     const sgdbal_balancer_config *config)
{
    const size_t n = b->c.workers;
    size_t i;
    b->c.total = 0;
    for (i = 0; i < n; i++) {
        b->least[i] = config->least_batch ? config->least_batch[i] : 0;
        b->most[i] = sgdbal_priv_limit(config->max_batch ? config->max_batch[i] : 0);
        b->speed[i] = 0.0;
        if (config->start) b->c.total += config->start[i];
    }
    if (!config->start) b->c.total = config->total;
    SGDBAL_ASSERT(b->c.total > 0);
    b->split.of.speed = b->speed;
    b->split.of.least_batch = b->least;
    b->split.of.max_batch = b->most;
    b->split.of.total = b->c.total;
    if (b->c.method != SGDBAL_BY_PAIRS) return;
    if (b->curve) memcpy(b->curve, config->curve, n * sizeof *b->curve);
    memset(b->mean_s, 0, n * sizeof *b->mean_s);
    memset(b->change, 0, n * sizeof *b->change);
    memset(b->changes, 0, n * sizeof *b->changes);
    memset(b->run, 0, n * sizeof *b->run);
    memset(b->from, 0xff, n * sizeof *b->from);
}

/* Sets the caller's first batches, or equal ones. */
static sgdbal_status sgdbal_priv_first_batches(sgdbal_balancer *b, const uint32_t *start)
{
    sgdbal_status status = SGDBAL_OK;
    if (!start || b->c.method == SGDBAL_BY_SPEED)
        status = sgdbal_priv_check_split(&b->split);
    if (status != SGDBAL_OK) return status;
    if (start) memcpy(b->batch, start, b->c.workers * sizeof *b->batch);
    else sgdbal_priv_split_batches(&b->split, b->batch);
    SGDBAL_ASSERT(sgdbal_priv_samples(b->batch, b->c.workers) == b->c.total);
    return SGDBAL_OK;
}

SGDBAL_API sgdbal_status sgdbal_balancer_open(const sgdbal_balancer_config *config,
                                              void *work, size_t work_bytes,
                                              sgdbal_balancer **out)
{
    sgdbal_priv_arena arena = sgdbal_priv_arena_at(work);
    sgdbal_balancer lay, *b;
    size_t bytes = 0;
    sgdbal_status status = sgdbal_balancer_bytes(config, &bytes);
    if (status == SGDBAL_OK && !out) status = SGDBAL_BAD_ARGUMENT;
    if (status == SGDBAL_OK) status = sgdbal_priv_check_work(work, work_bytes, bytes);
    if (status == SGDBAL_OK) status = sgdbal_priv_check_balance(config);
    if (status != SGDBAL_OK) return status;
    memset(&lay, 0, sizeof lay);
    lay.c = *config;
    sgdbal_priv_pairs_defaults(&lay.c.pairs);
    b = sgdbal_priv_lay_balancer(&lay, &arena);
    SGDBAL_ASSERT(arena.used == bytes);
    *b = lay;
    sgdbal_priv_copy_workers(b, config);
    status = sgdbal_priv_first_batches(b, config->start);
    if (status == SGDBAL_OK) *out = b;
    return status;
}

SGDBAL_API const uint32_t *sgdbal_balancer_batches(const sgdbal_balancer *b)
{
    return b ? b->batch : NULL;
}

/* ---- Balancing: by speed (Alg. 1) ------------------------------------------------- */

/* Measured speeds, for a worker without a batch its last one; then predicted speeds. */
static sgdbal_status sgdbal_priv_predict_speeds(sgdbal_balancer *b,
                                                const sgdbal_iteration *it,
                                                const uint32_t *batch)
{
    const size_t n = b->c.workers;
    size_t i;
    for (i = 0; i < n; i++) {
        b->fresh[i] = b->speed[i];
        if (batch[i] == 0) continue;
        if (!(it->time_s[i] > 0.0)) return SGDBAL_BAD_WORKER;
        b->fresh[i] = (double)batch[i] / it->time_s[i];
        if (!sgdbal_priv_is_time(b->fresh[i])) return SGDBAL_BAD_WORKER;
    }
    if (it->predicted) memcpy(b->predicted, it->predicted, n * sizeof *b->predicted);
    else if (b->c.predict) b->c.predict(b->c.predict_ctx, b->fresh, b->predicted);
    else memcpy(b->predicted, b->fresh, n * sizeof *b->predicted);
    return SGDBAL_OK;
}

static sgdbal_status sgdbal_priv_step_speeds(sgdbal_balancer *b,
                                             const sgdbal_iteration *it,
                                             const uint32_t *batch,
                                             sgdbal_decision *decision)
{
    const size_t n = b->c.workers;
    const sgdbal_status status = sgdbal_priv_predict_speeds(b, it, batch);
    const double *time_s = it->time_s;
    uint32_t *swap;
    size_t i;
    if (status != SGDBAL_OK) return status;
    b->split.of.speed = b->predicted;
    if (sgdbal_priv_check_split(&b->split) != SGDBAL_OK) return SGDBAL_BAD_WORKER;
    sgdbal_priv_split_batches(&b->split, b->next);
    memcpy(b->speed, b->fresh, n * sizeof *b->speed);
    for (i = 0; i < n; i++) {
        SGDBAL_ASSERT(b->next[i] >= b->least[i] && b->next[i] <= b->most[i]);
        if (b->next[i] > b->batch[i]) decision->moved += b->next[i] - b->batch[i];
        if (decision->leader == n || time_s[i] < time_s[decision->leader])
            decision->leader = i;
        if (time_s[i] > time_s[decision->straggler]) decision->straggler = i;
    }
    swap = b->batch;
    b->batch = b->next;
    b->next = swap;
    if (decision->moved > 0) decision->verdict = SGDBAL_BATCHES_MOVED;
    return SGDBAL_OK;
}

/* ---- Balancing: by pairs (Alg. 2) ------------------------------------------------- */

static int sgdbal_priv_is_less(const sgdbal_balancer *b, double x, double y)
{
    return x < y * (1.0 - b->c.pairs.tolerance);
}

static uint32_t sgdbal_priv_window(const sgdbal_balancer *b)
{
    return b->fine ? b->c.pairs.fine.window : b->c.pairs.coarse.window;
}

/* Does a time differ from its running mean by more than `limit`, relative? */
static int sgdbal_priv_is_new(double time_s, double mean_s, double limit)
{
    return fabs(time_s - mean_s) > limit * mean_s;
}

static int sgdbal_priv_has_changed(const sgdbal_balancer *b, size_t i, double time_s)
{
    return b->run[i] > 0 && sgdbal_priv_is_new(time_s, b->mean_s[i],
                                               b->c.pairs.restart + 3.0 * b->change[i]);
}

static int sgdbal_priv_is_restart(const sgdbal_balancer *b, const double *time_s,
                                  double longest_s)
{
    size_t i;
    if (!(b->c.pairs.restart > 0.0)) return 0;
    if (!b->c.pairs.restart_each)
        return b->longest_run > 0 &&
               sgdbal_priv_is_new(longest_s, b->longest_s, b->c.pairs.restart);
    for (i = 0; i < b->c.workers; i++)
        if (sgdbal_priv_has_changed(b, i, time_s[i])) return 1;
    return 0;
}

/* Running mean over about the last `window` values, with exponential forgetting. */
static void sgdbal_priv_follow(double *mean, uint32_t *count, uint32_t window,
                               double value)
{
    if (*count < window) (*count)++;
    else *count = window;
    SGDBAL_ASSERT(*count >= 1 && *count <= window);
    *mean = *count == 1 ? value : *mean + (value - *mean) / (double)*count;
}

/* Updates the running means, which only our own options need. Returns 1 if the coarse
 * phase begins again with this iteration, without history. How times depend on batches is
 * kept; for workers that changed, scaled by the change of their time. */
static int sgdbal_priv_follow_times(sgdbal_balancer *b, const double *time_s)
{
    const size_t n = b->c.workers;
    const double *last_s = b->time_s + b->row * n;
    double longest_s = 0.0;
    int restarted;
    size_t i;
    for (i = 0; i < n; i++)
        if (time_s[i] > longest_s) longest_s = time_s[i];
    SGDBAL_ASSERT(b->row < b->c.pairs.history && longest_s >= 0.0);
    restarted = sgdbal_priv_is_restart(b, time_s, longest_s);
    for (i = 0; i < n; i++) {
        const int changed = restarted && sgdbal_priv_has_changed(b, i, time_s[i]);
        if (b->run[i] > 0 && last_s[i] > 0.0) {
            const double change = fabs(time_s[i] - last_s[i]) / last_s[i];
            const double usual = change < 0.2 ? change : 0.2;  /* jumps do not count  */
            sgdbal_priv_follow(b->change + i, b->changes + i, SGDBAL_PRIV_CHANGES, usual);
        }
        if (changed) {
            if (b->mean_s[i] > 0.0 && time_s[i] / b->mean_s[i] <= DBL_MAX / 4.0)
                b->from_s[i] *= time_s[i] / b->mean_s[i];
            b->run[i] = 0;
        }
    }
    if (restarted) {
        b->fine = 0;
        b->rows = 0;
        b->longest_run = 0;
    }
    for (i = 0; i < n; i++)
        sgdbal_priv_follow(b->mean_s + i, b->run + i, sgdbal_priv_window(b),
                           time_s[i]);
    sgdbal_priv_follow(&b->longest_s, &b->longest_run, sgdbal_priv_window(b),
                       longest_s);
    return restarted;
}

/* Are running means needed? The published rule needs none. */
static int sgdbal_priv_follows(const sgdbal_balancer *b)
{
    const sgdbal_pairs *pairs = &b->c.pairs;
    return pairs->project || pairs->hysteresis > 0.0 || pairs->restart > 0.0;
}

/* Records an iteration; returns 1 if the coarse phase begins again with it. */
static int sgdbal_priv_record(sgdbal_balancer *b, const double *time_s)
{
    const size_t n = b->c.workers;
    const int restarted = sgdbal_priv_follows(b) && sgdbal_priv_follow_times(b, time_s);
    b->row = b->row + 1 < b->c.pairs.history ? b->row + 1 : 0;
    if (b->rows < b->c.pairs.history) b->rows++;
    SGDBAL_ASSERT(b->row < b->c.pairs.history && b->rows <= b->c.pairs.history);
    memcpy(b->time_s + b->row * n, time_s, n * sizeof *time_s);
    return restarted;
}

/* Change of worker i's time if its batch becomes `to`. */
static double sgdbal_priv_added(const sgdbal_balancer *b, size_t i, double to)
{
    const double x = (double)b->batch[i];
    double slope_s, most_s;
    if (b->curve)
        return sgdbal_priv_worker_s(b->curve + i, to) -
               sgdbal_priv_worker_s(b->curve + i, x);
    most_s = b->batch[i] > 0 ? b->mean_s[i] / x : b->mean_s[i];
    slope_s = most_s;
    if (b->from[i] != UINT32_MAX) {
        SGDBAL_ASSERT(b->from[i] != b->batch[i]);
        slope_s = (b->mean_s[i] - b->from_s[i]) / (x - (double)b->from[i]);
    }
    if (slope_s < 0.0) slope_s = 0.0;
    if (slope_s > most_s) slope_s = most_s;
    return slope_s * (to - x);
}

/* Number of samples by which a leader's batch can grow within memory, for
 * cut_to_memory. */
static uint32_t sgdbal_priv_room(const sgdbal_balancer *b, const double *memory,
                                 size_t i)
{
    const double x = (double)b->batch[i], limit = b->c.pairs.memory_limit;
    double most = (double)b->most[i];
    if (memory) {                      /* assumes that all of it is proportional to x */
        const double fits = memory[i] > 0.0 ? x * limit / memory[i] : most;
        if (fits < most) most = floor(fits);
    } else if (b->most[i] < UINT32_MAX) {
        const double fits = floor(limit * most) + 1.0;
        most = fits / most <= limit ? fits : fits - 1.0;
        if (most > (double)b->most[i]) most = (double)b->most[i];
    }
    return most > x ? (uint32_t)(most - x) : 0;
}

static int sgdbal_priv_may_lead(const sgdbal_balancer *b, const double *memory,
                                size_t i)
{
    const double limit = b->c.pairs.memory_limit;
    if (b->c.pairs.cut_to_memory && sgdbal_priv_room(b, memory, i) == 0) return 0;
    if (memory) return memory[i] <= limit;
    return b->most[i] == UINT32_MAX || (double)b->batch[i] / (double)b->most[i] <= limit;
}

/* Finds the pair of an iteration. leader = workers: none, or only the straggler
 * itself. */
static void sgdbal_priv_find_pair(const sgdbal_balancer *b, const double *time_s,
                                  const double *memory, sgdbal_decision *decision)
{
    const size_t n = b->c.workers;
    double least_s = HUGE_VAL;
    size_t straggler = 0, leader = n, i;
    for (i = 0; i < n; i++) {
        const double t = time_s[i];
        if (t > time_s[straggler]) straggler = i;
        if (b->c.pairs.project || !(t < least_s) || !sgdbal_priv_may_lead(b, memory, i))
            continue;
        least_s = t;
        leader = i;
    }
    for (i = 0; i < n && b->c.pairs.project; i++) {
        const double t = time_s[i] + sgdbal_priv_added(b, i, (double)b->batch[i] + 1.0);
        if (i == straggler || !(t < least_s) || !sgdbal_priv_may_lead(b, memory, i))
            continue;
        least_s = t;
        leader = i;
    }
    decision->straggler = straggler;
    decision->leader = leader == straggler ? n : leader;
    SGDBAL_ASSERT(decision->straggler < n && decision->leader <= n);
}

/* Number of samples, at least one, that makes the two times equal. */
static uint32_t sgdbal_priv_equal_step(const sgdbal_balancer *b, const double *time_s,
                                       size_t leader, size_t straggler)
{
    const double gap_s = time_s[straggler] - time_s[leader];
    const double most = (double)b->batch[straggler];
    const double more_s = sgdbal_priv_added(b, leader, (double)b->batch[leader] + 1.0);
    const double less_s = -sgdbal_priv_added(b, straggler, most - 1.0);
    SGDBAL_ASSERT(gap_s >= 0.0 && b->batch[straggler] > 0);
    if (!(gap_s < most * (more_s + less_s))) return b->batch[straggler];
    return gap_s >= more_s + less_s ? (uint32_t)(gap_s / (more_s + less_s)) : 1;
}

static uint32_t sgdbal_priv_step(const sgdbal_balancer *b, const double *time_s,
                                 const double *memory, size_t leader, size_t straggler)
{
    uint32_t step = b->fine ? b->c.pairs.fine.step : b->c.pairs.coarse.step, room;
    if (b->c.pairs.project) {
        step = sgdbal_priv_equal_step(b, time_s, leader, straggler);
        if (step >= b->batch[straggler]) step = b->batch[straggler] - 1;
    }
    room = b->c.pairs.cut_to_memory ? sgdbal_priv_room(b, memory, leader)
                              : UINT32_MAX - b->batch[leader];
    SGDBAL_ASSERT(step < b->batch[straggler]);
    return step < room ? step : room;
}

/* Does a step shorten the longer of the two times by enough? */
static int sgdbal_priv_is_better(const sgdbal_balancer *b, const double *time_s,
                                 size_t leader, size_t straggler, uint32_t step)
{
    double leader_s, straggler_s;
    SGDBAL_ASSERT(leader != straggler && step <= b->batch[straggler]);
    if (!b->c.pairs.project && !(b->c.pairs.hysteresis > 0.0)) return 1;
    leader_s = time_s[leader] +
               sgdbal_priv_added(b, leader, (double)b->batch[leader] + (double)step);
    straggler_s = time_s[straggler] +
        sgdbal_priv_added(b, straggler, (double)b->batch[straggler] - (double)step);
    if (leader_s > straggler_s) straggler_s = leader_s;
    return sgdbal_priv_is_less(b, straggler_s,
                               (1.0 - b->c.pairs.hysteresis) * time_s[straggler]);
}

/* Goes back over the last `count` iterations, and counts those in which worker `first`
 * was faster than worker `second`. once = 1: stops after one such iteration. once = 0:
 * stops before the latest iteration in which it was not faster. */
static uint32_t sgdbal_priv_times_faster(const sgdbal_balancer *b, size_t first,
                                         size_t second, size_t count, int once)
{
    size_t row = b->row, k;
    uint32_t faster = 0;
    SGDBAL_ASSERT(count <= b->rows);
    for (k = 0; k < count; k++) {
        const double *time_s = b->time_s + row * b->c.workers;
        const int is_faster = sgdbal_priv_is_less(b, time_s[first], time_s[second]);
        faster += (uint32_t)is_faster;
        if (is_faster == once) break;
        row = row > 0 ? row - 1 : b->c.pairs.history - 1;
    }
    return faster;
}

static void sgdbal_priv_move(sgdbal_balancer *b, size_t leader, size_t straggler,
                             uint32_t step)
{
    SGDBAL_ASSERT(leader != straggler && step > 0 && step < b->batch[straggler]);
    SGDBAL_ASSERT(step <= UINT32_MAX - b->batch[leader]);
    b->from[leader] = b->batch[leader];
    b->from[straggler] = b->batch[straggler];
    b->from_s[leader] = b->mean_s[leader];
    b->from_s[straggler] = b->mean_s[straggler];
    b->run[leader] = b->run[straggler] = 0;
    b->longest_run = 0;
    b->batch[leader] += step;
    b->batch[straggler] -= step;
}

static void sgdbal_priv_step_pairs(sgdbal_balancer *b, const sgdbal_iteration *it,
                                   sgdbal_decision *d)
{
    const sgdbal_pairs *pairs = &b->c.pairs;
    const double *time_s = pairs->project ? b->mean_s : it->time_s;
    const uint32_t window = sgdbal_priv_window(b);
    uint32_t step, least;
    sgdbal_priv_find_pair(b, time_s, it->memory, d);
    if (d->leader == b->c.workers) return;
    SGDBAL_ASSERT(d->leader < b->c.workers && d->straggler < b->c.workers);
    least = pairs->project ? 1 : b->fine ? pairs->fine.step : pairs->coarse.step;
    if (b->batch[d->straggler] <= least) {
        d->verdict = SGDBAL_STRAGGLER_TOO_SLOW;
        return;
    }
    step = sgdbal_priv_step(b, time_s, it->memory, d->leader, d->straggler);
    if (b->rows >= window && step > 0 &&
        sgdbal_priv_times_faster(b, d->leader, d->straggler, window, 0) == window) {
        if (sgdbal_priv_is_better(b, time_s, d->leader, d->straggler, step)) {
            sgdbal_priv_move(b, d->leader, d->straggler, step);
            d->verdict = SGDBAL_BATCHES_MOVED;
            d->moved = step;
        } else {
            b->fine = 1;
        }
    } else if (!b->fine &&
               sgdbal_priv_times_faster(b, d->straggler, d->leader, b->rows, 1) > 0) {
        b->fine = 1;
    }
}

/* ---- Balancing: a step ------------------------------------------------------------ */

static sgdbal_status sgdbal_priv_check_iteration(const sgdbal_balancer *b,
                                                 const sgdbal_iteration *it)
{
    size_t bad = 0, n, i;
    if (!b || !it || !it->time_s) return SGDBAL_BAD_ARGUMENT;
    n = b->c.workers;
    for (i = 0; i < n; i++) bad += !sgdbal_priv_is_time(it->time_s[i]);
    for (i = 0; i < n && it->memory; i++) bad += !sgdbal_priv_is_time(it->memory[i]);
    return bad > 0 ? SGDBAL_BAD_WORKER : SGDBAL_OK;
}

/* Ignores an iteration with other batches, if its times would enter the running means. */
static int sgdbal_priv_passes_over(const sgdbal_balancer *b, const uint32_t *batch)
{
    return sgdbal_priv_follows(b) &&
           memcmp(batch, b->batch, b->c.workers * sizeof *batch) != 0;
}

SGDBAL_API sgdbal_status sgdbal_balancer_step(sgdbal_balancer *b,
                                              const sgdbal_iteration *iteration,
                                              uint32_t *batch, sgdbal_decision *decision)
{
    const uint32_t *measured;
    sgdbal_decision d;
    sgdbal_status status = sgdbal_priv_check_iteration(b, iteration);
    if (status != SGDBAL_OK) return status;
    measured = iteration->batch ? iteration->batch : b->batch;
    memset(&d, 0, sizeof d);
    d.leader = b->c.workers;
    if (b->c.method == SGDBAL_BY_SPEED) {
        status = sgdbal_priv_step_speeds(b, iteration, measured, &d);
        if (status != SGDBAL_OK) return status;
    } else if (!sgdbal_priv_passes_over(b, measured)) {
        d.restarted = sgdbal_priv_record(b, iteration->time_s);
        sgdbal_priv_step_pairs(b, iteration, &d);
    }
    d.fine = b->fine;
    SGDBAL_ASSERT(sgdbal_priv_samples(b->batch, b->c.workers) == b->c.total);
    if (batch) memcpy(batch, b->batch, b->c.workers * sizeof *batch);
    if (decision) *decision = d;
    return SGDBAL_OK;
}

/* ---- Coordination: what ends next ------------------------------------------------- */

/* A tournament. Worker w plays at place n + w; the earlier end of places 2i and 2i + 1
 * moves to place i; place 1 has the first end. A changed end replays only the games on
 * its way up. The places it meets there do not depend on who wins, so the processor need
 * not wait for results. */
typedef struct sgdbal_priv_place {
    uint64_t at;                       /* end of a batch: the bits of its time        */
    uint64_t who;                      /* 2^32 turn + worker; turn: number of starts  */
} sgdbal_priv_place;                   /*   before its own, modulo 2^32               */

typedef struct sgdbal_priv_tournament {
    sgdbal_priv_place *place;          /* [2n]                                        */
    uint32_t           n;
} sgdbal_priv_tournament;

/* Non-negative times have the order of their bits. At equal times the earlier start wins.
 * A mask selects the winner, as a branch could not be predicted. */
static void sgdbal_priv_play(sgdbal_priv_tournament *t, uint32_t worker, double at_s,
                             uint32_t turn)
{
    size_t at = (size_t)t->n + worker;
    sgdbal_priv_place e;
    SGDBAL_ASSERT(worker < t->n && at_s >= 0.0);
    at_s += 0.0;                       /* turns -0 into 0                             */
    memcpy(&e.at, &at_s, sizeof e.at);
    e.who = (uint64_t)turn << 32 | worker;
    for (t->place[at] = e; at > 1; t->place[at] = e) {
        const sgdbal_priv_place *other = t->place + (at ^ 1);
        const uint64_t earlier = (other->who - e.who) >> 63;
        const uint64_t wins = (uint64_t)0 - (uint64_t)(other->at < e.at + earlier);
        e.at ^= (e.at ^ other->at) & wins;
        e.who ^= (e.who ^ other->who) & wins;
        at /= 2;
    }
}

static uint32_t sgdbal_priv_first(const sgdbal_priv_tournament *t, double *at_s)
{
    memcpy(at_s, &t->place[1].at, sizeof *at_s);
    return (uint32_t)t->place[1].who;
}

/* The worker has no batch that could end. */
static void sgdbal_priv_wait(sgdbal_priv_tournament *t, uint32_t worker)
{
    sgdbal_priv_play(t, worker, HUGE_VAL, 0);
}

static void sgdbal_priv_all_wait(sgdbal_priv_tournament *t)
{
    const double never_s = HUGE_VAL;
    size_t i;
    for (i = 0; i < 2 * (size_t)t->n; i++) {
        memcpy(&t->place[i].at, &never_s, sizeof never_s);
        t->place[i].who = 0;
    }
}

/* ---- Coordination: a run ---------------------------------------------------------- */

/* LB_BSP with a balancer; arrays are [workers]. */
typedef struct sgdbal_priv_lb {
    sgdbal_balancer_config balance;    /* the caller's, and what the run sets         */
    sgdbal_balancer *balancer;         /* NULL: the caller's callback sets batches    */
    int       predicts, asks_usage;
    uint32_t *max_batch;               /* from the workers' curves                    */
    double   *cpu[2], *memory[2];      /* of even and odd iterations                  */
    double   *predicted;               /* speed of the next batch                     */
    uint64_t *seen;                    /* number of iterations with a batch           */
    double   *squares;                 /* sum of squared prediction errors            */
    uint64_t *scored;                  /* number of predictions in it                 */
    char     *balancer_work;
    size_t    balancer_bytes;
} sgdbal_priv_lb;

/* End of a worker's batch: the bits of its time, which is >= 0, so that integers can be
 * compared, and the worker. */
typedef struct sgdbal_priv_end {
    uint64_t at, who;
} sgdbal_priv_end;

/* One side of a check of FLEXRR: the earliest or the latest ends. */
typedef struct sgdbal_priv_side {
    sgdbal_priv_end *end;              /* [workers] `count` picked, ascending: `near` */
                                   /*   ends up to near_s, then the rest              */
    size_t   near, count;
    size_t   used;                     /* number used, from this side on              */
    double   near_s;                   /* guess of how far ends will be used; < 0:    */
                                   /*   none                                          */
    int      is_late, whole;           /* whole: the rest is picked                   */
} sgdbal_priv_side;

/* State of a run of a scheme; arrays are [workers]. */
typedef struct sgdbal_priv_team {
    const sgdbal_scheme_config *config;
    sgdbal_status status;              /* not OK: the run is over                     */
    uint32_t  workers, needed;         /* needed: number awaited at a barrier         */
    uint64_t  most;                    /* limit of events                             */
    double    now_s;
    uint64_t  iteration;               /* number of the iteration, with barriers      */
    uint64_t  updates, pushes, events, samples, handed_over;
    uint64_t  staleness_max;
    double    staleness_sum;
    uint32_t *batch;                   /* of the running or last iteration            */
    uint64_t *pushed;
    double   *waiting_s;
    /* With barriers */
    double   *time_s, *old_time_s;     /* of this iteration and of the one before     */
    uint32_t *old_batch, *next_batch;
    sgdbal_priv_end *order;            /* ends of this iteration; in FLEXRR's checks  */
    sgdbal_priv_end *late, *scratch;   /*   the earliest, then the latest; for sorts  */
    sgdbal_priv_lb lb;
    /* FLEXRR */
    double   *left;                    /* samples not done at resume_s                */
    double   *resume_s;                /* the worker does nothing before this time    */
    double   *pace_s;                  /* seconds per sample                          */
    double   *end_s;                   /* ends of batches: another name of time_s     */
    sgdbal_priv_side side[2];          /* the earliest, the latest                    */
    double    late_by, shed;           /* 1 + trigger; part of a batch                */
    double    start_s, last_s;         /* start of this iteration; length of the last */
    uint64_t  total;                   /* samples of an iteration                     */
    /* ASP, SSP */
    sgdbal_priv_tournament running;
    uint64_t *version;                 /* pulled                                      */
    double   *since_s;                 /* start of waiting; < 0: it computes          */
    uint64_t  slowest;                 /* fewest iterations finished by a worker      */
    uint32_t  slow;                    /* number of workers with this few             */
    uint32_t  turn;
} sgdbal_priv_team;

static uint64_t *sgdbal_priv_counts(sgdbal_priv_arena *arena, size_t count)
{
    return (uint64_t *)sgdbal_priv_take(arena, count, sizeof(uint64_t));
}

static int sgdbal_priv_has_barriers(const sgdbal_scheme_config *config)
{
    return config->scheme != SGDBAL_ASP && config->scheme != SGDBAL_SSP;
}

/* Takes the memory of LB_BSP and of the balancer, whose size is known. */
static void sgdbal_priv_lay_lb(sgdbal_priv_arena *arena, size_t n, sgdbal_priv_lb *lb)
{
    size_t parity;
    for (parity = 0; parity < 2; parity++) {
        lb->cpu[parity] = sgdbal_priv_doubles(arena, n);
        lb->memory[parity] = sgdbal_priv_doubles(arena, n);
    }
    lb->max_batch = sgdbal_priv_wholes(arena, n);
    lb->predicted = sgdbal_priv_doubles(arena, n);
    lb->seen = sgdbal_priv_counts(arena, n);
    lb->squares = sgdbal_priv_doubles(arena, n);
    lb->scored = sgdbal_priv_counts(arena, n);
    lb->balancer_work = (char *)sgdbal_priv_take(arena, 1, lb->balancer_bytes);
}

static void sgdbal_priv_lay_team(sgdbal_priv_arena *arena, size_t n, int barriers,
                                 sgdbal_priv_team *t)
{
    t->pushed = sgdbal_priv_counts(arena, n);
    t->waiting_s = sgdbal_priv_doubles(arena, n);
    t->time_s = sgdbal_priv_doubles(arena, n);
    t->old_time_s = sgdbal_priv_doubles(arena, n);
    t->left = sgdbal_priv_doubles(arena, n);
    t->resume_s = sgdbal_priv_doubles(arena, n);
    t->pace_s = sgdbal_priv_doubles(arena, n);
    t->batch = sgdbal_priv_wholes(arena, n);
    t->old_batch = sgdbal_priv_wholes(arena, n);
    t->next_batch = sgdbal_priv_wholes(arena, n);
    if (barriers) {
        t->order = (sgdbal_priv_end *)sgdbal_priv_take(arena, n, sizeof *t->order);
        t->late = (sgdbal_priv_end *)sgdbal_priv_take(arena, n, sizeof *t->late);
        t->scratch = (sgdbal_priv_end *)sgdbal_priv_take(arena, n, sizeof *t->scratch);
    } else {
        t->version = sgdbal_priv_counts(arena, n);
        t->since_s = sgdbal_priv_doubles(arena, n);
        t->running.place = (sgdbal_priv_place *)sgdbal_priv_take(
            arena, n, 2 * sizeof *t->running.place);
    }
    if (t->lb.balancer_bytes > 0) sgdbal_priv_lay_lb(arena, n, &t->lb);
}

/* Reports a batch pushed or pulled by a worker, or a new version of the model. */
static void sgdbal_priv_tell_team(const sgdbal_priv_team *t, sgdbal_model_op op,
                                  uint32_t worker, double now_s)
{
    const int waits = sgdbal_priv_has_barriers(t->config);
    sgdbal_model_event event;
    if (!t->config->watch.on_event) return;
    event.op = op;
    event.worker = waits && op == SGDBAL_UPDATE ? UINT32_MAX : worker;
    event.iteration = waits ? t->iteration : t->pushed[worker];
    event.now_s = now_s;
    event.samples = op == SGDBAL_PUSH ? t->batch[worker] : 0;
    event.version = op == SGDBAL_UPDATE || waits ? t->updates : t->version[worker];
    event.staleness = t->updates - event.version;  /* 0 of a pull: of the newest      */
    t->config->watch.on_event(t->config->watch.ctx, &event);
}

static double sgdbal_priv_valid_time(sgdbal_priv_team *t, double time_s)
{
    if (sgdbal_priv_is_time(time_s)) return time_s;
    t->status = SGDBAL_BAD_TIME;
    return 0.0;
}

static double sgdbal_priv_ask_batch(sgdbal_priv_team *t, uint32_t w, uint64_t iteration,
                                    uint32_t samples)
{
    const sgdbal_team *workers = &t->config->workers;
    double time_s = 0.0;
    if (!workers->curve)
        time_s = workers->time_s(workers->ctx, w, iteration, t->now_s, samples);
    else if (samples > 0)
        time_s = sgdbal_priv_worker_s(workers->curve + w, (double)samples);
    return sgdbal_priv_valid_time(t, time_s);
}

static void sgdbal_priv_count_push(sgdbal_priv_team *t, uint32_t w, uint64_t staleness)
{
    t->pushes++;
    t->samples += t->batch[w];
    t->staleness_sum += (double)staleness;
    if (staleness > t->staleness_max) t->staleness_max = staleness;
}

/* ---- Coordination: without barriers ----------------------------------------------- */

static void sgdbal_priv_team_start(sgdbal_priv_team *t, uint32_t w)
{
    double end_s;
    SGDBAL_ASSERT(t->config->scheme != SGDBAL_SSP ||
                  t->pushed[w] - t->slowest <= t->config->staleness);
    t->since_s[w] = -1.0;
    t->version[w] = t->updates;
    sgdbal_priv_tell_team(t, SGDBAL_PULL, w, t->now_s);
    end_s = t->now_s + sgdbal_priv_ask_batch(t, w, t->pushed[w], t->batch[w]);
    if (!(end_s <= DBL_MAX)) t->status = SGDBAL_BAD_ARGUMENT;
    if (t->status == SGDBAL_OK) sgdbal_priv_play(&t->running, w, end_s, t->turn++);
}

/* Starts a worker that waits, if it may: under SSP only if pushed - slowest <= s. */
static void sgdbal_priv_team_release(sgdbal_priv_team *t, uint32_t w)
{
    if (t->config->scheme == SGDBAL_SSP
        && t->pushed[w] - t->slowest > t->config->staleness)
        return;
    SGDBAL_ASSERT(t->since_s[w] >= 0.0 && t->since_s[w] <= t->now_s);
    t->waiting_s[w] += t->now_s - t->since_s[w];
    sgdbal_priv_team_start(t, w);
}

/* All of the slowest workers have gone on: finds the new slowest. O(n), once for each
 * iteration of the slowest, in which n other batches end in the long run. */
static void sgdbal_priv_team_slowest(sgdbal_priv_team *t)
{
    uint32_t w;
    t->slowest++;                      /* the last of them has finished one more      */
    for (w = 0; w < t->workers; w++) t->slow += t->pushed[w] == t->slowest;
    SGDBAL_ASSERT(t->slow > 0);
    for (w = 0; w < t->workers && t->status == SGDBAL_OK; w++)
        if (t->since_s[w] >= 0.0) sgdbal_priv_team_release(t, w);
}

static void sgdbal_priv_team_push(sgdbal_priv_team *t, uint32_t w)
{
    SGDBAL_ASSERT(t->version[w] <= t->updates);
    sgdbal_priv_count_push(t, w, t->updates - t->version[w]);
    sgdbal_priv_tell_team(t, SGDBAL_PUSH, w, t->now_s);
    t->updates++;
    sgdbal_priv_tell_team(t, SGDBAL_UPDATE, w, t->now_s);
    t->pushed[w]++;
    t->since_s[w] = t->now_s;
}

static void sgdbal_priv_run_free(sgdbal_priv_team *t)
{
    const uint64_t last = t->workers * t->config->length.iterations;
    double end_s;
    uint32_t w;
    t->running.n = t->workers;
    sgdbal_priv_all_wait(&t->running);
    t->slow = t->workers;
    for (w = 0; w < t->workers && t->status == SGDBAL_OK; w++)
        sgdbal_priv_team_start(t, w);
    while (t->status == SGDBAL_OK) {
        if (t->events == t->most) {
            t->status = SGDBAL_OVER_BUDGET;
            break;
        }
        t->events++;
        w = sgdbal_priv_first(&t->running, &end_s);
        SGDBAL_ASSERT(end_s >= t->now_s && end_s <= DBL_MAX);
        t->now_s = end_s;
        sgdbal_priv_team_push(t, w);
        if (t->updates == last) break;
        if (t->pushed[w] - 1 == t->slowest && --t->slow == 0) sgdbal_priv_team_slowest(t);
        else sgdbal_priv_team_release(t, w);
        if (t->since_s[w] >= 0.0) sgdbal_priv_wait(&t->running, w);
    }
    for (w = 0; w < t->workers; w++)
        if (t->since_s[w] >= 0.0) t->waiting_s[w] += t->now_s - t->since_s[w];
}

/* ---- Coordination: order of ends -------------------------------------------------- */

static sgdbal_priv_end sgdbal_priv_end_at(double at_s, uint32_t worker)
{
    sgdbal_priv_end e;
    SGDBAL_ASSERT(at_s >= 0.0);
    memcpy(&e.at, &at_s, sizeof e.at);
    e.who = worker;
    return e;
}

static double sgdbal_priv_end_s(const sgdbal_priv_end *e)
{
    double at_s;
    memcpy(&at_s, &e->at, sizeof at_s);
    return at_s;
}

/* 1: a comes before b. The bits of all times are below 2^63, so nothing overflows. */
static size_t sgdbal_priv_ends_before(const sgdbal_priv_end *a, const sgdbal_priv_end *b)
{
    return a->at < b->at + ((a->who - b->who) >> 63);
}

/* Sorts up to eight ends: up to four by insertion; more by counting, for each end, the
 * ends before it. */
static void sgdbal_priv_sort_few(sgdbal_priv_end *a, size_t n)
{
    sgdbal_priv_end e[8];
    size_t place[8] = { 0, 0, 0, 0, 0, 0, 0, 0 }, i, j;
    SGDBAL_ASSERT(n <= 8);
    for (i = 1; n <= 4 && i < n; i++) {
        const sgdbal_priv_end next = a[i];
        for (j = i; j > 0 && next.at < a[j - 1].at; j--) a[j] = a[j - 1];
        a[j] = next;
    }
    if (n <= 4) return;
    for (i = 0; i < 8; i++) {
        e[i].at = i < n ? a[i].at : UINT64_MAX;
        e[i].who = i < n ? a[i].who : 0;
    }
    for (i = 1; i < 8; i++)
        for (j = 0; j < i; j++) {
            const size_t before = e[i].at < e[j].at;
            place[j] += before;
            place[i] += 1 - before;
        }
    for (i = 0; i < n; i++) a[place[i]] = e[i];
}

/* Merges a[0 .. mid - 1] and a[mid .. n - 1] without branches on the order. Halves of
 * equal length are merged from both ends at once, as neither can run out. */
static void sgdbal_priv_merge_ends(const sgdbal_priv_end *a, size_t mid, size_t n,
                                   sgdbal_priv_end *out)
{
    size_t i = 0, j = mid, k = 0, last_i = mid - 1, last_j = n - 1;
    SGDBAL_ASSERT(mid > 0 && mid <= n);
    for (; 2 * mid == n && k < mid; k++) {
        const size_t second = a[j].at < a[i].at, first = a[last_j].at < a[last_i].at;
        out[k] = a[i ^ ((i ^ j) & ((size_t)0 - second))];
        j += second;
        i += 1 - second;
        out[n - 1 - k] = a[last_j ^ ((last_i ^ last_j) & ((size_t)0 - first))];
        last_i -= first;
        last_j -= 1 - first;
    }
    if (k > 0) return;
    while (i < mid && j < n) {
        const size_t second = a[j].at < a[i].at;
        out[k++] = a[i ^ ((i ^ j) & ((size_t)0 - second))];
        j += second;
        i += 1 - second;
    }
    memcpy(out + k, a + i, (mid - i) * sizeof *a);
    memcpy(out + k + mid - i, a + j, (n - j) * sizeof *a);
}

/* Sorts by time. Equal times keep their order, that of the worker numbers. O(n log n) for
 * any input. */
static void sgdbal_priv_sort_ends(sgdbal_priv_end *a, sgdbal_priv_end *scratch,
                                  size_t n)
{
    sgdbal_priv_end *from = a, *to = scratch;
    size_t width = 8, i;
    for (i = 0; i < n; i += width)
        sgdbal_priv_sort_few(a + i, n - i < width ? n - i : width);
    for (; width < n; width *= 2) {
        sgdbal_priv_end *const next = from;
        for (i = 0; i < n; i += 2 * width) {
            const size_t left = n - i;
            sgdbal_priv_merge_ends(from + i, width < left ? width : left,
                                   2 * width < left ? 2 * width : left, to + i);
        }
        from = to;
        to = next;
    }
    if (from != a) memcpy(a, from, n * sizeof *a);
    SGDBAL_ASSERT(n == 0 || a[0].at <= a[n - 1].at);
}

/* Lets element `at` sink in heap[n], whose parents come before their children. */
static void sgdbal_priv_sink_end(sgdbal_priv_end *heap, size_t n, size_t at)
{
    const sgdbal_priv_end e = heap[at];
    while (2 * at + 1 < n) {
        const sgdbal_priv_end *child = heap + 2 * at + 1;
        if (2 * at + 2 < n) child += sgdbal_priv_ends_before(child + 1, child);
        if (!sgdbal_priv_ends_before(child, &e)) break;
        heap[at] = *child;
        at = (size_t)(child - heap);
    }
    heap[at] = e;
}

/* Keeps in a[] all n ends but the last `spare`, in their order; returns the time of the
 * last end kept. `scratch` receives the others. O(n), and O(log spare) for each end that
 * is later than all but spare - 1 of the ends before it. */
static double sgdbal_priv_first_ends(sgdbal_priv_end *a, sgdbal_priv_end *scratch,
                                     size_t n, size_t spare)
{
    const sgdbal_priv_end *last = NULL;
    size_t kept = 0, i;
    SGDBAL_ASSERT(spare > 0 && spare < n);
    memcpy(scratch, a, spare * sizeof *a);
    for (i = spare / 2; i-- > 0;) sgdbal_priv_sink_end(scratch, spare, i);
    for (i = spare; i < n; i++) {
        if (!sgdbal_priv_ends_before(scratch, a + i)) continue;
        scratch[0] = a[i];
        sgdbal_priv_sink_end(scratch, spare, 0);
    }
    for (i = 0; i < n; i++) {
        if (!sgdbal_priv_ends_before(a + i, scratch)) continue;
        a[kept] = a[i];
        if (!last || a[kept].at > last->at) last = a + kept;
        kept++;
    }
    SGDBAL_ASSERT(kept == n - spare && last);
    return sgdbal_priv_end_s(last);
}

/* ---- Coordination: handing samples over ------------------------------------------- */

#define SGDBAL_PRIV_SLACK 1e-9      /* for rounding, in samples                       */
#define SGDBAL_PRIV_NEAR 0.03125     /* the next check is expected to look farther by  */
                                    /*   this part of the gap that was not late       */

/* Advances what the worker has done to now_s. */
static void sgdbal_priv_shed_advance(sgdbal_priv_team *t, uint32_t w)
{
    const double passed_s = t->now_s - t->resume_s[w];
    if (!(passed_s > 0.0)) return;
    t->left[w] = t->left[w] * t->pace_s[w] > passed_s
                     ? t->left[w] - passed_s / t->pace_s[w] : 0.0;
    SGDBAL_ASSERT(t->left[w] >= 0.0);
    t->resume_s[w] = t->now_s;
}

/* The same for all workers that are not done, without branches, so that several divisions
 * run at once. A pace of 0 is right too: its quotient is never selected. */
static void sgdbal_priv_shed_advance_all(sgdbal_priv_team *t)
{
    enum { BLOCK = 64 };
    const double now_s = t->now_s;
    double rest[BLOCK];
    size_t from, i;
    for (from = 0; from < t->workers; from += BLOCK) {
        const double *const end_s = t->end_s + from, *const pace_s = t->pace_s + from;
        double *const left = t->left + from, *const resume_s = t->resume_s + from;
        const size_t most = BLOCK, left_of = t->workers - from;
        const size_t n = left_of < most ? left_of : most;
        for (i = 0; i < n; i++) rest[i] = left[i] - (now_s - resume_s[i]) / pace_s[i];
        for (i = 0; i < n; i++) {
            const double x = left[i], since_s = resume_s[i], passed_s = now_s - since_s;
            const double then = x * pace_s[i] > passed_s ? rest[i] : 0.0;
            const double moved = passed_s > 0.0 ? then : x;
            const double moved_s = passed_s > 0.0 ? now_s : since_s;
            left[i] = end_s[i] > now_s ? moved : x;
            resume_s[i] = end_s[i] > now_s ? moved_s : since_s;
        }
    }
}

/* Number of samples that the later of two workers hands over, or 0. */
static uint32_t sgdbal_priv_shed_amount(const sgdbal_priv_team *t, uint32_t from,
                                        uint32_t to, double gap_s)
{
    const double from_pace_s = t->pace_s[from], to_pace_s = t->pace_s[to];
    const double slower_s = from_pace_s > to_pace_s ? from_pace_s : to_pace_s;
    const double fair = 0.5 * (gap_s - t->config->flexrr.migrate_s);
    const double batch = (double)t->config->workers.batch[from];
    double amount = floor(t->shed * batch + SGDBAL_PRIV_SLACK);
    SGDBAL_ASSERT(from != to && gap_s > 0.0);
    if (amount < 1.0) amount = 1.0;
    if (!(amount * slower_s <= fair)) amount = floor(fair / slower_s + SGDBAL_PRIV_SLACK);
    if (amount > t->left[from]) amount = floor(t->left[from] + SGDBAL_PRIV_SLACK);
    if (!(amount >= 1.0 && amount * from_pace_s > t->config->flexrr.migrate_s)) return 0;
    SGDBAL_ASSERT(amount <= (double)t->batch[from]);
    return (uint32_t)amount;
}

/* Pauses a worker that gives or takes; returns its new end. */
static double sgdbal_priv_shed_charge(sgdbal_priv_team *t, uint32_t w, double samples)
{
    t->left[w] = t->left[w] + samples > 0.0 ? t->left[w] + samples : 0.0;
    t->resume_s[w] += t->config->flexrr.migrate_s;
    t->waiting_s[w] += t->config->flexrr.migrate_s;
    return t->resume_s[w] + t->left[w] * t->pace_s[w];
}

/* Is end_s late, compared with the other end, or with now if that is later? */
static int sgdbal_priv_is_late(const sgdbal_priv_team *t, double end_s, double earliest_s)
{
    if (earliest_s < t->now_s) earliest_s = t->now_s;
    return end_s - t->start_s > t->late_by * (earliest_s - t->start_s);
}

/* Picks the ends of both sides up to near_s. */
static void sgdbal_priv_pick_near(sgdbal_priv_team *t)
{
    sgdbal_priv_side *const early = t->side, *const late = t->side + 1;
    const double early_s = early->near_s;
    const double late_s = late->near_s >= 0.0 ? late->near_s : HUGE_VAL;
    size_t few = 0, many = 0, w;
    for (w = 0; w < t->workers; w++) {
        const sgdbal_priv_end e = sgdbal_priv_end_at(t->end_s[w], (uint32_t)w);
        early->end[few] = e;
        late->end[many] = e;
        few += t->end_s[w] <= early_s;
        many += t->end_s[w] >= late_s;
    }
    early->near = early->count = few;
    late->near = late->count = many;
    for (w = 0; w < 2; w++) {
        t->side[w].used = 0;
        t->side[w].whole = 0;
        sgdbal_priv_sort_ends(t->side[w].end, t->scratch, t->side[w].count);
    }
}

/* Picks the other ends of a side: on the late side those late beside least_s, on the
 * early side those beside which most_s is late. */
static void sgdbal_priv_pick_rest(sgdbal_priv_team *t, sgdbal_priv_side *side,
                                  double least_s, double most_s)
{
    const double late_s = side->near_s >= 0.0 ? side->near_s : HUGE_VAL;
    uint32_t w;
    for (w = 0; w < t->workers; w++) {
        const double at_s = t->end_s[w];
        if (side->is_late ? at_s >= late_s : at_s <= side->near_s) continue;
        if (!sgdbal_priv_is_late(t, side->is_late ? at_s : most_s,
                                 side->is_late ? least_s : at_s)) continue;
        side->end[side->count++] = sgdbal_priv_end_at(at_s, w);
    }
    SGDBAL_ASSERT(side->count <= t->workers);
    sgdbal_priv_sort_ends(side->end + side->near, t->scratch, side->count - side->near);
    side->whole = 1;
}

/* The k-th end, counted from its side. */
static sgdbal_priv_end *sgdbal_priv_side_end(const sgdbal_priv_side *side, size_t k)
{
    const size_t near = side->near;
    SGDBAL_ASSERT(k < side->count);
    if (!side->is_late) return side->end + k;
    return side->end + (k < near ? near - 1 - k : side->count - 1 - (k - near));
}

/* The next end of a side; NULL if there is none. */
static const sgdbal_priv_end *sgdbal_priv_shed_next(sgdbal_priv_team *t,
                                                    sgdbal_priv_side *side,
                                                    double least_s, double most_s)
{
    if (side->used == side->count && !side->whole)
        sgdbal_priv_pick_rest(t, side, least_s, most_s);
    return side->used == side->count ? NULL : sgdbal_priv_side_end(side, side->used);
}

/* Hands samples over and pauses both workers. Their new ends are stored only in the
 * lists, as the rest may still be picked by the old ends. */
static void sgdbal_priv_shed_move(sgdbal_priv_team *t, uint32_t giver, uint32_t taker,
                                  double pause_s, uint32_t amount)
{
    const double samples = (double)amount;
    sgdbal_priv_side *const early = t->side, *const late = t->side + 1;
    SGDBAL_ASSERT(giver != taker && amount > 0 && amount <= t->batch[giver]);
    t->waiting_s[taker] += pause_s;
    sgdbal_priv_shed_advance(t, taker);
    t->batch[giver] -= amount;
    t->batch[taker] += amount;
    *sgdbal_priv_side_end(late, late->used) =
        sgdbal_priv_end_at(sgdbal_priv_shed_charge(t, giver, -samples), giver);
    *sgdbal_priv_side_end(early, early->used++) =
        sgdbal_priv_end_at(sgdbal_priv_shed_charge(t, taker, samples), taker);
}

/* Stores the new ends; how far this check came is the guess for the next one. */
static void sgdbal_priv_shed_done(sgdbal_priv_team *t, double early_s, double late_s)
{
    const double part = SGDBAL_PRIV_NEAR + 2.0 / (double)t->workers;
    size_t side, k;
    for (side = 0; side < 2; side++)
        for (k = 0; k < t->side[side].used; k++) {
            const sgdbal_priv_end *e = sgdbal_priv_side_end(t->side + side, k);
            t->end_s[e->who] = sgdbal_priv_end_s(e);
        }
    t->side[0].near_s = early_s + part * (late_s - early_s);
    t->side[1].near_s = late_s - part * (late_s - early_s);
}

/* A check; all ends are in least_s .. most_s. Returns the number of samples moved. A late
 * worker ends after the one it is compared with, so the two sides never meet. */
static uint64_t sgdbal_priv_shed_check(sgdbal_priv_team *t, double least_s, double most_s)
{
    sgdbal_priv_side *const early = t->side, *const late = t->side + 1;
    double early_s = least_s, late_s = most_s;
    uint64_t moved = 0;
    if (!sgdbal_priv_is_late(t, most_s, least_s)) return 0;
    for (sgdbal_priv_pick_near(t);; late->used++) {
        const sgdbal_priv_end *from = sgdbal_priv_shed_next(t, late, least_s, most_s);
        const sgdbal_priv_end *to = sgdbal_priv_shed_next(t, early, least_s, most_s);
        uint32_t amount;
        double to_s;
        if (!from || !to) break;
        late_s = sgdbal_priv_end_s(from);
        to_s = sgdbal_priv_end_s(to);
        early_s = to_s > t->now_s ? to_s : t->now_s;
        if (!sgdbal_priv_is_late(t, late_s, early_s)) break;
        sgdbal_priv_shed_advance(t, (uint32_t)from->who);
        amount = sgdbal_priv_shed_amount(t, (uint32_t)from->who, (uint32_t)to->who,
                                         late_s - early_s);
        moved += amount;
        if (amount > 0)
            sgdbal_priv_shed_move(t, (uint32_t)from->who, (uint32_t)to->who,
                                  early_s - to_s, amount);
    }
    SGDBAL_ASSERT(sgdbal_priv_samples(t->batch, t->workers) == t->total);
    sgdbal_priv_shed_done(t, early_s, late_s);
    return moved;
}

static double sgdbal_priv_ask_sample(sgdbal_priv_team *t, uint32_t w)
{
    const sgdbal_scheme_config *config = t->config;
    return sgdbal_priv_valid_time(
        t, config->flexrr.sample_s(config->flexrr.ctx, w, t->iteration, t->now_s, 1));
}

/* The first and the last of the ends. */
static void sgdbal_priv_shed_range(const sgdbal_priv_team *t, double *least_s,
                                   double *most_s)
{
    double least[2], most[2];
    size_t i, w;
    for (i = 0; i < 2; i++) least[i] = most[i] = t->end_s[0];
    for (w = t->workers % 2; w < t->workers; w += 2)
        for (i = 0; i < 2; i++) {
            const double at_s = t->end_s[w + i];
            least[i] = at_s < least[i] ? at_s : least[i];
            most[i] = at_s > most[i] ? at_s : most[i];
        }
    *least_s = least[0] < least[1] ? least[0] : least[1];
    *most_s = most[0] > most[1] ? most[0] : most[1];
    SGDBAL_ASSERT(*least_s <= *most_s);
}

/* Asks for the speeds from now on of workers that are not done. */
static void sgdbal_priv_shed_speeds(sgdbal_priv_team *t)
{
    const double now_s = t->now_s, *const left = t->left, *const resume_s = t->resume_s;
    double *const end_s = t->end_s, *const pace_s = t->pace_s;
    const sgdbal_time_callback ask = t->config->flexrr.sample_s;
    void *const ctx = t->config->flexrr.ctx;
    const uint64_t iteration = t->iteration;
    const uint32_t n = t->workers;
    uint32_t w;
    sgdbal_priv_shed_advance_all(t);
    for (w = 0; w < n; w++) {
        double time_s;
        if (end_s[w] <= now_s) continue;
        time_s = ask(ctx, w, iteration, now_s, 1);
        if (!sgdbal_priv_is_time(time_s)) {
            t->status = SGDBAL_BAD_TIME;
            return;
        }
        pace_s[w] = time_s;
        end_s[w] = resume_s[w] + left[w] * time_s;
    }
}

static void sgdbal_priv_shed_start(sgdbal_priv_team *t)
{
    const sgdbal_flexrr *rule = &t->config->flexrr;
    uint32_t w;
    t->end_s = t->time_s;
    t->side[0].end = t->order;
    t->side[1].end = t->late;
    t->side[1].is_late = 1;
    t->late_by = 1.0 + (rule->trigger > 0.0 ? rule->trigger : 0.2);
    t->shed = rule->shed > 0.0 ? rule->shed : 0.025;
    t->side[0].near_s = t->side[1].near_s = -1.0;
    for (w = 0; w < t->workers && t->status == SGDBAL_OK; w++) {
        const uint32_t samples = t->config->workers.batch[w];
        const uint32_t asked = samples > 0 ? samples : 1;
        double time_s;
        if (t->config->flexrr.sample_s) {
            t->pace_s[w] = sgdbal_priv_ask_sample(t, w);
            time_s = (double)samples * t->pace_s[w];
        } else {
            time_s = sgdbal_priv_ask_batch(t, w, t->iteration, asked);
            t->pace_s[w] = time_s / (double)asked;
            if (samples == 0) time_s = 0.0;
        }
        t->batch[w] = samples;
        t->left[w] = (double)samples;
        t->resume_s[w] = t->now_s;
        t->end_s[w] = t->now_s + time_s;
    }
}

/* Runs an iteration from now_s on and returns its end. At constant speeds a check that
 * moves nothing is the last: ends stay, less is left to hand over, and workers that are
 * done only get later. */
static double sgdbal_priv_shed(sgdbal_priv_team *t)
{
    const uint32_t checks = t->config->flexrr.checks > 0 ? t->config->flexrr.checks : 100;
    double every_s, least_s, most_s;
    uint64_t k;
    sgdbal_priv_shed_start(t);
    if (t->status != SGDBAL_OK) return t->now_s;
    sgdbal_priv_shed_range(t, &least_s, &most_s);
    every_s = (t->last_s > 0.0 ? t->last_s : most_s - t->start_s) / (double)checks;
    for (k = 1; t->status == SGDBAL_OK; k++) {
        const double at_s = t->start_s + (double)k * every_s;
        uint64_t moved = 0;
        if (!(at_s < most_s && most_s <= DBL_MAX && at_s > t->now_s)) break;
        if (t->events == t->most) {
            t->status = SGDBAL_OVER_BUDGET;
            break;
        }
        t->events++;
        t->now_s = at_s;
        if (t->config->flexrr.sample_s) {
            sgdbal_priv_shed_speeds(t);
            sgdbal_priv_shed_range(t, &least_s, &most_s);
        }
        if (t->status == SGDBAL_OK) moved = sgdbal_priv_shed_check(t, least_s, most_s);
        if (moved > 0) sgdbal_priv_shed_range(t, &least_s, &most_s);
        t->handed_over += moved;
        if (moved == 0 && !t->config->flexrr.sample_s) break;
    }
    SGDBAL_ASSERT(!(most_s < t->start_s) && t->events <= t->most);
    return most_s;
}

/* ---- Coordination: LB_BSP with a balancer ----------------------------------------- */

/* Asks for a worker's CPU and memory in an iteration that starts now. */
static sgdbal_status sgdbal_priv_ask_usage(sgdbal_priv_team *t, uint32_t w,
                                           uint64_t iteration)
{
    const size_t parity = (size_t)(iteration % 2);
    double *cpu = t->lb.cpu[parity] + w, *memory = t->lb.memory[parity] + w;
    const sgdbal_forecast *forecast = &t->config->balance.forecast;
    forecast->usage(forecast->usage_ctx, w, iteration, t->now_s, cpu, memory);
    if (sgdbal_priv_is_measure(*cpu) && sgdbal_priv_is_measure(*memory))
        return SGDBAL_OK;
    return SGDBAL_BAD_ROW;
}

/* A worker's speed in the known iteration predicts that in `next`. Its CPU and memory in
 * `next` are known at a barrier that is waited for. With non_blocking the decision is
 * made during the iteration before `next`, so they are not. */
static sgdbal_status sgdbal_priv_lb_predict(sgdbal_priv_team *t, const sgdbal_barrier *b,
                                            uint32_t w)
{
    const sgdbal_forecast *forecast = &t->config->balance.forecast;
    sgdbal_priv_lb *lb = &t->lb;
    const size_t known = (size_t)(b->iteration % 2);
    sgdbal_status status = SGDBAL_OK;
    sgdbal_known of;
    size_t i;
    if (lb->asks_usage && !t->config->balance.non_blocking)
        status = sgdbal_priv_ask_usage(t, w, b->next);
    if (status != SGDBAL_OK) return status;
    of.speed = 0.0;
    if (b->batch[w] > 0) {
        double error;
        of.speed = (double)b->batch[w] / b->time_s[w];
        if (!sgdbal_priv_is_measure(of.speed)) return SGDBAL_BAD_ROW;
        error = lb->predicted[w] - of.speed;
        if (lb->seen[w] > 0 && b->iteration >= forecast->score_from) {
            lb->squares[w] += error * error;
            lb->scored[w]++;
        }
        lb->seen[w]++;
        lb->predicted[w] = of.speed;
    }
    if (!forecast->speed) return SGDBAL_OK;
    of.worker = w;
    of.iteration = b->iteration;
    of.next = b->next;
    for (i = 0; i < 2; i++) {
        of.cpu[i] = lb->cpu[(known + i) % 2][w];
        of.memory[i] = lb->memory[(known + i) % 2][w];
    }
    lb->predicted[w] = forecast->speed(forecast->speed_ctx, &of);
    if (lb->seen[w] == 0) lb->predicted[w] = 0.0;  /* it has had no batch yet          */
    SGDBAL_ASSERT(lb->scored[w] < lb->seen[w] || lb->scored[w] == 0);
    return SGDBAL_OK;
}

static sgdbal_status sgdbal_priv_lb_decide(sgdbal_priv_team *t, const sgdbal_barrier *b,
                                           uint32_t *next)
{
    sgdbal_iteration it;
    sgdbal_status status = SGDBAL_OK;
    uint32_t w;
    memset(&it, 0, sizeof it);
    it.time_s = b->time_s;
    it.batch = b->batch;
    for (w = 0; t->lb.predicts && w < t->workers && status == SGDBAL_OK; w++)
        status = sgdbal_priv_lb_predict(t, b, w);
    if (status != SGDBAL_OK) return status;
    if (t->lb.predicts) it.predicted = t->lb.predicted;
    return sgdbal_balancer_step(t->lb.balancer, &it, next, NULL);
}

/* Prepares the balancer's config and finds its size. */
static sgdbal_status sgdbal_priv_lb_bytes(const sgdbal_scheme_config *config,
                                          sgdbal_priv_lb *lb)
{
    const sgdbal_forecast *forecast = &config->balance.forecast;
    lb->balance = *config->balance.config;
    lb->balance.workers = config->workers.count;
    lb->balance.start = config->workers.batch;
    lb->balance.total = 0;
    lb->predicts = lb->balance.method == SGDBAL_BY_SPEED &&
                   (forecast->speed || !lb->balance.predict);
    lb->asks_usage = lb->predicts && forecast->speed && forecast->usage;
    return sgdbal_balancer_bytes(&lb->balance, &lb->balancer_bytes);
}

static sgdbal_status sgdbal_priv_lb_init(sgdbal_priv_team *t)
{
    const sgdbal_scheme_config *config = t->config;
    sgdbal_priv_lb *lb = &t->lb;
    uint32_t w;
    for (w = 0; config->workers.curve && w < t->workers; w++)
        lb->max_batch[w] = config->workers.curve[w].max_batch;
    if (!lb->balance.max_batch && config->workers.curve)
        lb->balance.max_batch = lb->max_batch;
    for (w = 0; w < t->workers; w++) {
        lb->predicted[w] = lb->squares[w] = 0.0;
        lb->cpu[0][w] = lb->cpu[1][w] = lb->memory[0][w] = lb->memory[1][w] = 0.0;
        lb->seen[w] = lb->scored[w] = 0;
    }
    return sgdbal_balancer_open(&lb->balance, lb->balancer_work, lb->balancer_bytes,
                                &lb->balancer);
}

/* The mean over workers of their error, if any of their predictions counted. */
static double sgdbal_priv_lb_rmse(const sgdbal_priv_team *t, uint64_t *predictions)
{
    const sgdbal_priv_lb *lb = &t->lb;
    double sum = 0.0;
    uint32_t count = 0, w;
    *predictions = 0;
    for (w = 0; lb->predicts && w < t->workers; w++) {
        SGDBAL_ASSERT(lb->scored[w] <= lb->seen[w]);
        if (lb->scored[w] == 0) continue;
        sum += sqrt(lb->squares[w] / (double)lb->scored[w]);
        *predictions += lb->scored[w];
        count++;
    }
    return count > 0 ? sum / (double)count : 0.0;
}

/* ---- Coordination: with barriers -------------------------------------------------- */

/* Computes the ends of all batches of this iteration; returns the last one awaited. */
static double sgdbal_priv_team_ends(sgdbal_priv_team *t)
{
    const sgdbal_scheme_config *config = t->config;
    double end_s = t->now_s, at_s;
    uint32_t w;
    if (config->scheme == SGDBAL_FLEXRR) {
        end_s = sgdbal_priv_shed(t);
        for (w = 0; w < t->workers && t->status == SGDBAL_OK; w++)
            t->order[w] = sgdbal_priv_end_at(t->end_s[w], w);
        if (t->status == SGDBAL_OK && config->watch.on_event)
            sgdbal_priv_sort_ends(t->order, t->scratch, t->workers);
        return end_s;
    }
    for (w = 0; w < t->workers && t->status == SGDBAL_OK; w++) {
        if (t->lb.asks_usage && (config->balance.non_blocking || t->iteration == 0))
            t->status = sgdbal_priv_ask_usage(t, w, t->iteration);
        if (t->status != SGDBAL_OK) break;
        t->time_s[w] = sgdbal_priv_ask_batch(t, w, t->iteration, t->batch[w]);
        at_s = t->now_s + t->time_s[w];
        t->order[w] = sgdbal_priv_end_at(at_s, w);
        if (at_s > end_s) end_s = at_s;
    }
    SGDBAL_ASSERT(end_s >= t->now_s);
    if (t->status != SGDBAL_OK) return end_s;
    if (config->watch.on_event) {
        sgdbal_priv_sort_ends(t->order, t->scratch, t->workers);
        return sgdbal_priv_end_s(t->order + t->needed - 1);
    }
    if (t->needed == t->workers) return end_s;
    return sgdbal_priv_first_ends(t->order, t->scratch, t->workers,
                                  t->workers - t->needed);
}

/* Sets the next batches from the known iteration. */
static void sgdbal_priv_team_balance(sgdbal_priv_team *t)
{
    const sgdbal_scheme_config *config = t->config;
    const uint64_t delay = config->balance.non_blocking ? 1 : 0;
    const size_t bytes = t->workers * sizeof *t->batch;
    double *const times = t->old_time_s;
    uint32_t *const batches = t->old_batch;
    sgdbal_barrier barrier;
    uint64_t total = 0;
    uint32_t w;
    barrier.workers = t->workers;
    barrier.iteration = t->iteration - delay;
    barrier.next = t->iteration + 1;
    barrier.now_s = t->now_s;
    barrier.time_s = delay ? t->old_time_s : t->time_s;
    barrier.batch = delay ? t->old_batch : t->batch;
    memcpy(t->next_batch, t->batch, bytes);
    SGDBAL_ASSERT(barrier.next <= config->length.iterations);
    if (t->iteration >= delay && t->lb.balancer)
        t->status = sgdbal_priv_lb_decide(t, &barrier, t->next_batch);
    else if (t->iteration >= delay)
        config->balance.rebalance(config->balance.ctx, &barrier, t->next_batch);
    if (t->status != SGDBAL_OK) return;
    for (w = 0; w < t->workers; w++) total += t->next_batch[w];
    if (total == 0) t->status = SGDBAL_BAD_ARGUMENT;
    if (barrier.next == config->length.iterations) return; /* keeps last_batch        */
    t->old_batch = t->batch;
    t->batch = t->next_batch;
    t->next_batch = batches;
    t->old_time_s = t->time_s;
    t->time_s = times;
}

/* At the end of an iteration, now_s: pushes, the update, the barrier. */
static void sgdbal_priv_team_barrier(sgdbal_priv_team *t)
{
    const sgdbal_scheme_config *config = t->config;
    const int balance = config->scheme == SGDBAL_LB_BSP;
    const double end_s = t->now_s;
    double pause_s;
    uint32_t i;
    t->last_s = end_s - t->start_s;
    for (i = 0; i < t->needed; i++) {
        const uint32_t w = (uint32_t)t->order[i].who;
        const double at_s = sgdbal_priv_end_s(t->order + i);
        SGDBAL_ASSERT(at_s >= t->start_s && at_s <= end_s);
        t->waiting_s[w] += end_s - at_s;
        t->pushed[w]++;
        sgdbal_priv_count_push(t, w, 0);
        sgdbal_priv_tell_team(t, SGDBAL_PUSH, w, at_s);
    }
    t->now_s += config->barrier_s;
    t->updates++;
    sgdbal_priv_tell_team(t, SGDBAL_UPDATE, 0, t->now_s);
    if (balance && !config->balance.non_blocking) t->now_s += config->balance.update_s;
    pause_s = t->now_s - end_s;
    for (i = 0; i < t->workers; i++) t->waiting_s[i] += pause_s;
    if (balance && t->now_s <= DBL_MAX) sgdbal_priv_team_balance(t);
}

static void sgdbal_priv_run_barriers(sgdbal_priv_team *t)
{
    const uint64_t iterations = t->config->length.iterations;
    uint32_t w;
    for (; t->iteration < iterations && t->status == SGDBAL_OK; t->iteration++) {
        SGDBAL_ASSERT(t->events <= t->most);
        if (t->most - t->events < t->workers) {
            t->status = SGDBAL_OVER_BUDGET;
            break;
        }
        t->events += t->workers;
        t->start_s = t->now_s;
        for (w = 0; w < t->workers; w++)
            sgdbal_priv_tell_team(t, SGDBAL_PULL, w, t->now_s);
        t->now_s = sgdbal_priv_team_ends(t);
        if (t->status != SGDBAL_OK) break;
        SGDBAL_ASSERT(t->now_s >= t->start_s && t->updates == t->iteration);
        if (t->now_s <= DBL_MAX) sgdbal_priv_team_barrier(t);
        if (!(t->now_s <= DBL_MAX)) t->status = SGDBAL_BAD_ARGUMENT;
    }
}

/* ---- Coordination: checks and results --------------------------------------------- */

static uint32_t sgdbal_priv_spare(const sgdbal_scheme_config *config)
{
    if (config->scheme != SGDBAL_REDUNDANT) return 0;
    return config->spare > 0 ? config->spare : 2;
}

SGDBAL_API const char *sgdbal_fault_text(sgdbal_fault fault)
{
#define SGDBAL_X(name, text) text,
    static const char *const text[] = { SGDBAL_FAULT_TABLE(SGDBAL_X) };
#undef SGDBAL_X
    return sgdbal_priv_text(text, SGDBAL_FAULT_COUNT, (size_t)fault);
}

/* Stores the reason and the worker of a refusal; returns its status. */
static sgdbal_status sgdbal_priv_refuse(sgdbal_refusal *refusal, sgdbal_fault reason,
                                        size_t worker, sgdbal_status status)
{
    SGDBAL_ASSERT(reason > SGDBAL_FAULT_NONE && reason < SGDBAL_FAULT_COUNT);
    if (refusal) {
        refusal->reason = reason;
        refusal->worker = worker;
    }
    return status;
}

/* The first invalid constant, or FAULT_NONE. */
static sgdbal_fault sgdbal_priv_bad_constant(const sgdbal_scheme_config *config)
{
    const sgdbal_flexrr *rule = &config->flexrr;
    if (!sgdbal_priv_is_time(config->barrier_s)) return SGDBAL_FAULT_BARRIER;
    if (!sgdbal_priv_is_time(config->balance.update_s)) return SGDBAL_FAULT_UPDATE;
    if (!sgdbal_priv_is_time(rule->migrate_s)) return SGDBAL_FAULT_MIGRATE;
    if (!sgdbal_priv_is_time(rule->trigger)) return SGDBAL_FAULT_TRIGGER;
    if (!(rule->shed >= 0.0 && rule->shed <= 1.0)) return SGDBAL_FAULT_SHED;
    return SGDBAL_FAULT_NONE;
}

static sgdbal_status sgdbal_priv_check_times(const sgdbal_scheme_config *config,
                                             sgdbal_refusal *refusal)
{
    const int by_sample = config->scheme == SGDBAL_FLEXRR && config->flexrr.sample_s;
    const sgdbal_team *workers = &config->workers;
    const sgdbal_fault constant = sgdbal_priv_bad_constant(config);
    uint32_t w;
    if (!workers->curve && !workers->time_s && (!by_sample || config->against_bsp))
        return sgdbal_priv_refuse(refusal, SGDBAL_FAULT_TIMES, 0, SGDBAL_BAD_ARGUMENT);
    if (constant != SGDBAL_FAULT_NONE)
        return sgdbal_priv_refuse(refusal, constant, 0, SGDBAL_BAD_ARGUMENT);
    for (w = 0; workers->curve && w < workers->count; w++)
        if (!sgdbal_priv_is_worker(workers->curve + w))
            return sgdbal_priv_refuse(refusal, SGDBAL_FAULT_CURVE, w, SGDBAL_BAD_WORKER);
    return SGDBAL_OK;
}

static sgdbal_status sgdbal_priv_check_batches(const sgdbal_scheme_config *config,
                                               sgdbal_refusal *refusal)
{
    const sgdbal_team *workers = &config->workers;
    const uint64_t samples = sgdbal_priv_samples(workers->batch, workers->count);
    if (samples == 0)
        return sgdbal_priv_refuse(refusal, SGDBAL_FAULT_BATCHES, 0, SGDBAL_BAD_ARGUMENT);
    if (config->scheme == SGDBAL_FLEXRR && samples > UINT32_MAX)
        return sgdbal_priv_refuse(refusal, SGDBAL_FAULT_SAMPLES, 0, SGDBAL_TOO_LARGE);
    return SGDBAL_OK;
}

SGDBAL_API sgdbal_status sgdbal_scheme_check(const sgdbal_scheme_config *config,
                                             sgdbal_refusal *refusal)
{
    const sgdbal_status bad = SGDBAL_BAD_ARGUMENT;
    sgdbal_status status;
    uint32_t n;
    if (!config) return bad;
    n = config->workers.count;
    if (n == 0) return sgdbal_priv_refuse(refusal, SGDBAL_FAULT_WORKERS, 0, bad);
    if (!config->workers.batch)
        return sgdbal_priv_refuse(refusal, SGDBAL_FAULT_BATCHES, 0, bad);
    if (config->length.iterations == 0)
        return sgdbal_priv_refuse(refusal, SGDBAL_FAULT_ITERATIONS, 0, bad);
    if ((size_t)config->scheme >= (size_t)SGDBAL_SCHEME_COUNT)
        return sgdbal_priv_refuse(refusal, SGDBAL_FAULT_SCHEME, 0, bad);
    if (n > INT32_MAX)
        return sgdbal_priv_refuse(refusal, SGDBAL_FAULT_WORKERS, 0, SGDBAL_TOO_LARGE);
    if (config->length.iterations > UINT64_MAX / n)
        return sgdbal_priv_refuse(refusal, SGDBAL_FAULT_ITERATIONS, 0, SGDBAL_TOO_LARGE);
    status = sgdbal_priv_check_times(config, refusal);
    if (status != SGDBAL_OK) return status;
    if (config->scheme == SGDBAL_LB_BSP &&
        !config->balance.config == !config->balance.rebalance)
        return sgdbal_priv_refuse(refusal, SGDBAL_FAULT_BALANCE, 0, bad);
    if (sgdbal_priv_spare(config) >= n)
        return sgdbal_priv_refuse(refusal, SGDBAL_FAULT_SPARE, 0, bad);
    return sgdbal_priv_check_batches(config, refusal);
}

/* Counts the memory of a run if the arena has no base, else lays it out. */
static sgdbal_status sgdbal_priv_plan_team(const sgdbal_scheme_config *config,
                                           sgdbal_priv_arena *arena, sgdbal_priv_team *t)
{
    memset(t, 0, sizeof *t);
    if (config->scheme == SGDBAL_LB_BSP && config->balance.config) {
        const sgdbal_status status = sgdbal_priv_lb_bytes(config, &t->lb);
        if (status != SGDBAL_OK) return status;
    }
    sgdbal_priv_lay_team(arena, config->workers.count, sgdbal_priv_has_barriers(config),
                         t);
    return SGDBAL_OK;
}

SGDBAL_API sgdbal_status sgdbal_scheme_bytes(const sgdbal_scheme_config *config,
                                             size_t *bytes)
{
    sgdbal_priv_arena arena = sgdbal_priv_arena_at(NULL);
    sgdbal_priv_team team;
    sgdbal_status status = sgdbal_scheme_check(config, NULL);
    if (status == SGDBAL_OK) status = sgdbal_priv_plan_team(config, &arena, &team);
    return status == SGDBAL_OK ? sgdbal_priv_answer(&arena, bytes) : status;
}

/* Makes a run ready. config is checked, apart from batches that the balancer refuses; BSP
 * is ready even then. */
static sgdbal_status sgdbal_priv_ready_team(const sgdbal_scheme_config *config,
                                            void *work, size_t bytes, sgdbal_priv_team *t)
{
    sgdbal_priv_arena arena = sgdbal_priv_arena_at(work);
    uint32_t w;
    (void)sgdbal_priv_plan_team(config, &arena, t);
    SGDBAL_ASSERT(arena.used <= bytes && !arena.overflow);
    (void)bytes;
    t->config = config;
    t->workers = config->workers.count;
    t->needed = config->workers.count - sgdbal_priv_spare(config);
    t->most = config->length.max_events;
    if (t->most == 0) t->most = (uint64_t)1000000000000;
    t->total = sgdbal_priv_samples(config->workers.batch, config->workers.count);
    for (w = 0; w < t->workers; w++) {
        t->batch[w] = config->workers.batch[w];
        t->pushed[w] = 0;
        t->waiting_s[w] = 0.0;
    }
    return t->lb.balancer_bytes > 0 ? sgdbal_priv_lb_init(t) : SGDBAL_OK;
}

/* Runs the team; t then holds the results, in the work area. */
static sgdbal_status sgdbal_priv_run_team(sgdbal_priv_team *t)
{
    if (sgdbal_priv_has_barriers(t->config)) sgdbal_priv_run_barriers(t);
    else sgdbal_priv_run_free(t);
    if (t->status == SGDBAL_OK && !(t->now_s > 0.0)) t->status = SGDBAL_NO_TIME;
    return t->status;
}

static void sgdbal_priv_report_team(const sgdbal_priv_team *t, double bsp_per_update_s,
                                    sgdbal_scheme_result *out)
{
    const sgdbal_by_worker *of = &out->workers;
    uint64_t pushed = 0;
    uint32_t w;
    out->total_s = t->now_s;
    out->updates = t->pushes;
    out->per_update_s = t->now_s / (double)t->pushes;
    out->samples_per_s = (double)t->samples / t->now_s;
    out->staleness.mean = t->staleness_sum / (double)t->pushes;
    out->staleness.max = t->staleness_max;
    out->handed_over = t->handed_over;
    out->events = t->events;
    out->bsp.per_update_s = bsp_per_update_s;
    out->bsp.reduction = 0.0;
    if (bsp_per_update_s > 0.0)
        out->bsp.reduction = 1.0 - out->per_update_s / bsp_per_update_s;
    out->predictions.rmse = sgdbal_priv_lb_rmse(t, &out->predictions.count);
    for (w = 0; w < t->workers; w++) {
        SGDBAL_ASSERT(fabs(t->waiting_s[w]) <= (1.0 + 1e-9) * t->now_s);
        pushed += t->pushed[w];
        if (of->waiting_share) of->waiting_share[w] = t->waiting_s[w] / t->now_s;
        if (of->last_batch) of->last_batch[w] = t->batch[w];
        if (of->pushed) of->pushed[w] = t->pushed[w];
    }
    SGDBAL_ASSERT(pushed == t->pushes && t->events <= t->most);
    (void)pushed;
}

/* Time of an update under BSP without the spare workers. */
static sgdbal_status sgdbal_priv_run_bsp(const sgdbal_scheme_config *config, void *work,
                                         size_t bytes, double *per_update_s)
{
    sgdbal_scheme_config bsp = *config;
    sgdbal_priv_team team;
    sgdbal_status status;
    bsp.scheme = SGDBAL_BSP;
    bsp.workers.count -= sgdbal_priv_spare(config);
    bsp.watch.on_event = NULL;
    (void)sgdbal_priv_ready_team(&bsp, work, bytes, &team);
    status = sgdbal_priv_run_team(&team);
    if (status == SGDBAL_OK) *per_update_s = team.now_s / (double)team.pushes;
    return status;
}

SGDBAL_API sgdbal_status sgdbal_scheme_run(const sgdbal_scheme_config *config, void *work,
                                           size_t work_bytes, sgdbal_scheme_result *out)
{
    sgdbal_priv_team team;
    double bsp_per_update_s = 0.0;
    size_t need = 0;
    sgdbal_status status = sgdbal_scheme_bytes(config, &need);
    if (status == SGDBAL_OK && !out) status = SGDBAL_BAD_ARGUMENT;
    if (status == SGDBAL_OK) status = sgdbal_priv_check_work(work, work_bytes, need);
    if (status != SGDBAL_OK) return status;
    status = sgdbal_priv_ready_team(config, work, need, &team);
    if (status == SGDBAL_OK && config->against_bsp) {
        status = sgdbal_priv_run_bsp(config, work, need, &bsp_per_update_s);
        if (status == SGDBAL_OK)
            status = sgdbal_priv_ready_team(config, work, need, &team);
    }
    if (status == SGDBAL_OK) status = sgdbal_priv_run_team(&team);
    if (status == SGDBAL_OK) sgdbal_priv_report_team(&team, bsp_per_update_s, out);
    return status;
}

/* ---- Coordination: behind a warm-up ----------------------------------------------- */

/* The two runs, and the work of each. */
typedef struct sgdbal_priv_steady {
    sgdbal_scheme_config config;       /* of the longer run                           */
    sgdbal_scheme_result before, all;
    char                *work;
    size_t               work_bytes;
} sgdbal_priv_steady;

static sgdbal_status sgdbal_priv_plan_steady(const sgdbal_scheme_config *config,
                                             uint64_t warmup, sgdbal_priv_arena *arena,
                                             sgdbal_priv_steady *s)
{
    sgdbal_scheme_result *const runs[2] = {&s->before, &s->all};
    sgdbal_status status;
    size_t i;
    memset(s, 0, sizeof *s);
    if (!config || config->length.iterations == 0 || config->against_bsp)
        return SGDBAL_BAD_ARGUMENT;
    if (warmup > UINT64_MAX - config->length.iterations) return SGDBAL_TOO_LARGE;
    s->config = *config;
    s->config.length.iterations += warmup;
    s->config.balance.forecast.score_from = warmup;
    status = sgdbal_scheme_bytes(&s->config, &s->work_bytes);
    if (status != SGDBAL_OK) return status;
    for (i = 0; i < 2; i++) {
        runs[i]->workers.waiting_share =
            (double *)sgdbal_priv_take(arena, config->workers.count, sizeof(double));
        runs[i]->workers.pushed = sgdbal_priv_counts(arena, config->workers.count);
    }
    s->all.workers.last_batch =
        (uint32_t *)sgdbal_priv_take(arena, config->workers.count, sizeof(uint32_t));
    s->work = (char *)sgdbal_priv_take(arena, s->work_bytes, 1);
    return SGDBAL_OK;
}

/* Runs the warm-up alone, if there is one, then the whole. */
static sgdbal_status sgdbal_priv_run_both(sgdbal_priv_steady *s, uint64_t warmup)
{
    sgdbal_scheme_config first = s->config;
    sgdbal_status status = SGDBAL_OK;
    uint32_t w;
    first.length.iterations = warmup;
    first.watch.on_event = NULL;
    for (w = 0; w < first.workers.count; w++) {
        s->before.workers.waiting_share[w] = 0.0;
        s->before.workers.pushed[w] = 0;
    }
    if (warmup > 0)
        status = sgdbal_scheme_run(&first, s->work, s->work_bytes, &s->before);
    if (status != SGDBAL_OK) return status;
    SGDBAL_ASSERT((warmup > 0) == (s->before.updates > 0));
    return sgdbal_scheme_run(&s->config, s->work, s->work_bytes, &s->all);
}

/* Reports what the longer run did after the end of the shorter one. */
static void sgdbal_priv_report_steady(const sgdbal_priv_steady *s,
                                      sgdbal_scheme_result *out)
{
    const sgdbal_scheme_result *before = &s->before, *all = &s->all;
    const double total_s = all->total_s - before->total_s;
    const double updates = (double)(all->updates - before->updates);
    const sgdbal_by_worker given = out->workers;
    uint32_t w;
    SGDBAL_ASSERT(all->updates > before->updates && total_s >= 0.0);
    *out = *all;
    out->workers = given;
    out->total_s = total_s;
    out->updates = all->updates - before->updates;
    out->per_update_s = total_s / updates;
    out->samples_per_s = (all->samples_per_s * all->total_s
                          - before->samples_per_s * before->total_s) / total_s;
    out->staleness.mean = (all->staleness.mean * (double)all->updates
                           - before->staleness.mean * (double)before->updates) / updates;
    for (w = 0; w < s->config.workers.count; w++) {
        const double waited_s = all->workers.waiting_share[w] * all->total_s
                              - before->workers.waiting_share[w] * before->total_s;
        if (given.waiting_share)
            given.waiting_share[w] = waited_s > 1e-12 * all->total_s ? waited_s / total_s
                                                                     : 0.0;
        if (given.pushed)
            given.pushed[w] = all->workers.pushed[w] - before->workers.pushed[w];
        if (given.last_batch) given.last_batch[w] = all->workers.last_batch[w];
    }
}

SGDBAL_API sgdbal_status
sgdbal_scheme_run_steady_bytes(const sgdbal_scheme_config *config, uint64_t warmup,
                               size_t *bytes)
{
    sgdbal_priv_arena arena = sgdbal_priv_arena_at(NULL);
    sgdbal_priv_steady s;
    const sgdbal_status status = sgdbal_priv_plan_steady(config, warmup, &arena, &s);
    return status == SGDBAL_OK ? sgdbal_priv_answer(&arena, bytes) : status;
}

SGDBAL_API sgdbal_status sgdbal_scheme_run_steady(const sgdbal_scheme_config *config,
                                                  uint64_t warmup, void *work,
                                                  size_t work_bytes,
                                                  sgdbal_scheme_result *out)
{
    sgdbal_priv_arena arena = sgdbal_priv_arena_at(work);
    sgdbal_priv_steady s;
    size_t need = 0;
    sgdbal_status status = sgdbal_scheme_run_steady_bytes(config, warmup, &need);
    if (status == SGDBAL_OK && !out) status = SGDBAL_BAD_ARGUMENT;
    if (status == SGDBAL_OK) status = sgdbal_priv_check_work(work, work_bytes, need);
    if (status != SGDBAL_OK) return status;
    (void)sgdbal_priv_plan_steady(config, warmup, &arena, &s);
    SGDBAL_ASSERT(arena.used == need && !arena.overflow);
    status = sgdbal_priv_run_both(&s, warmup);
    if (status != SGDBAL_OK) return status;
    if (!(s.all.total_s > s.before.total_s)) return SGDBAL_NO_TIME;
    sgdbal_priv_report_steady(&s, out);
    return SGDBAL_OK;
}

/* ---- Gradients -------------------------------------------------------------------- */

SGDBAL_API sgdbal_status sgdbal_gradient_weights(const uint32_t *batch, size_t workers,
                                                 int pushed, double *weight)
{
    const uint64_t total = batch ? sgdbal_priv_samples(batch, workers) : 0;
    const double times = pushed ? (double)workers : 1.0;
    double sum = 0.0;
    size_t i;
    if (total == 0 || !weight) return SGDBAL_BAD_ARGUMENT;
    for (i = 0; i < workers; i++) {
        weight[i] = times * (double)batch[i] / (double)total;
        sum += weight[i];
    }
    SGDBAL_ASSERT(fabs(sum - times) <= times * (1e-12 + 1e-15 * (double)workers));
    (void)sum;
    return SGDBAL_OK;
}

SGDBAL_API sgdbal_status sgdbal_gradient_aggregate(const double *const *gradient,
                                                   const uint32_t *batch, size_t workers,
                                                   size_t size, double *out)
{
    const uint64_t total = batch ? sgdbal_priv_samples(batch, workers) : 0;
    double sum = 0.0;
    size_t i, k;
    if (total == 0 || !gradient || size == 0 || !out) return SGDBAL_BAD_ARGUMENT;
    for (i = 0; i < workers; i++)
        if (batch[i] > 0 && !gradient[i]) return SGDBAL_BAD_ARGUMENT;
    memset(out, 0, size * sizeof *out);
    for (i = 0; i < workers; i++) {
        const double weight = (double)batch[i] / (double)total;
        if (batch[i] == 0) continue;
        for (k = 0; k < size; k++) out[k] += weight * gradient[i][k];
        sum += weight;
    }
    SGDBAL_ASSERT(fabs(sum - 1.0) <= 1e-12 + 1e-15 * (double)workers);
    (void)sum;
    return SGDBAL_OK;
}

/* ---- Partitions ------------------------------------------------------------------- */

struct sgdbal_partitions {
    sgdbal_partitions_config c;        /* its samples are the caller's                */
    uint32_t        *samples;          /* [workers]                                   */
    double          *consumed;         /* [workers] samples since counts began        */
    uint64_t         total;            /* samples of all partitions                   */
    sgdbal_migration moving;           /* started: the move in the background         */
    double           left_s;           /* its remaining time                          */
};

/* Takes the partitions themselves first. */
static sgdbal_partitions *sgdbal_priv_lay_partitions(sgdbal_partitions *p,
                                                     sgdbal_priv_arena *arena)
{
    void *self = sgdbal_priv_take(arena, 1, sizeof *p);
    p->samples = sgdbal_priv_wholes(arena, p->c.workers);
    p->consumed = sgdbal_priv_doubles(arena, p->c.workers);
    return (sgdbal_partitions *)self;
}

SGDBAL_API sgdbal_status sgdbal_partitions_bytes(const sgdbal_partitions_config *config,
                                                 size_t *bytes)
{
    sgdbal_priv_arena arena = sgdbal_priv_arena_at(NULL);
    sgdbal_partitions p;
    if (!config || config->workers == 0) return SGDBAL_BAD_ARGUMENT;
    p.c = *config;
    (void)sgdbal_priv_lay_partitions(&p, &arena);
    return sgdbal_priv_answer(&arena, bytes);
}

static sgdbal_status sgdbal_priv_check_partitions(const sgdbal_partitions_config *c,
                                                  uint64_t *total)
{
    size_t i;
    *total = 0;
    for (i = 0; i < c->workers; i++) {
        if (c->samples[i] == 0) return SGDBAL_BAD_ARGUMENT;
        *total += c->samples[i];
    }
    return *total > UINT32_MAX ? SGDBAL_TOO_LARGE : SGDBAL_OK;
}

SGDBAL_API sgdbal_status sgdbal_partitions_open(const sgdbal_partitions_config *config,
                                                void *work, size_t work_bytes,
                                                sgdbal_partitions **out)
{
    sgdbal_priv_arena arena = sgdbal_priv_arena_at(work);
    sgdbal_partitions lay, *p;
    size_t bytes = 0;
    sgdbal_status status = sgdbal_partitions_bytes(config, &bytes);
    if (status != SGDBAL_OK) return status;
    if (!config->samples || !out || !sgdbal_priv_is_time(config->gap) ||
        !sgdbal_priv_is_time(config->sample_bytes) ||
        !sgdbal_priv_is_time(config->bandwidth_bytes_per_s))
        return SGDBAL_BAD_ARGUMENT;
    memset(&lay, 0, sizeof lay);
    status = sgdbal_priv_check_work(work, work_bytes, bytes);
    if (status == SGDBAL_OK) status = sgdbal_priv_check_partitions(config, &lay.total);
    if (status != SGDBAL_OK) return status;
    lay.c = *config;
    if (!(lay.c.gap > 0.0)) lay.c.gap = 2.0;
    p = sgdbal_priv_lay_partitions(&lay, &arena);
    SGDBAL_ASSERT(arena.used == bytes);
    *p = lay;
    memcpy(p->samples, config->samples, config->workers * sizeof *p->samples);
    memset(p->consumed, 0, config->workers * sizeof *p->consumed);
    *out = p;
    return SGDBAL_OK;
}

SGDBAL_API uint32_t sgdbal_partitions_samples(const sgdbal_partitions *p, size_t i)
{
    return p && i < p->c.workers ? p->samples[i] : 0;
}

SGDBAL_API double sgdbal_partitions_traversals(const sgdbal_partitions *p, size_t i)
{
    return p && i < p->c.workers ? p->consumed[i] / (double)p->samples[i] : 0.0;
}

/* Starts a move between the partitions with the fewest and the most traversals, if they
 * differ by more than the gap and there is a sample to move. */
static void sgdbal_priv_start_move(sgdbal_partitions *p, const uint32_t *batch)
{
    size_t slow = 0, fast = 0, i;
    uint64_t wanted, kept, both, d;
    for (i = 1; i < p->c.workers; i++) {
        const double a = sgdbal_partitions_traversals(p, i);
        if (a < sgdbal_partitions_traversals(p, slow)) slow = i;
        if (a > sgdbal_partitions_traversals(p, fast)) fast = i;
    }
    if (!(sgdbal_partitions_traversals(p, fast) -
          sgdbal_partitions_traversals(p, slow) > p->c.gap)) return;
    wanted = (uint64_t)p->samples[slow] * batch[fast];
    kept = (uint64_t)p->samples[fast] * batch[slow];
    both = (uint64_t)batch[fast] + batch[slow];
    if (wanted <= kept) return;
    d = (wanted - kept) / both;
    if (d > p->samples[slow] - 1) d = p->samples[slow] - 1;
    if (d == 0) return;
    SGDBAL_ASSERT(slow != fast && d < p->samples[slow]);
    p->moving.started = 1;
    p->moving.from = slow;
    p->moving.to = fast;
    p->moving.samples = (uint32_t)d;
    p->moving.transfer_s = p->c.bandwidth_bytes_per_s > 0.0
        ? (double)d * p->c.sample_bytes / p->c.bandwidth_bytes_per_s : 0.0;
    p->left_s = p->moving.transfer_s;
}

static void sgdbal_priv_end_move(sgdbal_partitions *p)
{
    p->samples[p->moving.from] -= p->moving.samples;
    p->samples[p->moving.to] += p->moving.samples;
    SGDBAL_ASSERT(sgdbal_priv_samples(p->samples, p->c.workers) == p->total);
    SGDBAL_ASSERT(p->samples[p->moving.from] > 0);
    memset(p->consumed, 0, p->c.workers * sizeof *p->consumed);
    memset(&p->moving, 0, sizeof p->moving);
}

SGDBAL_API sgdbal_status sgdbal_partitions_step(sgdbal_partitions *p,
                                                const uint32_t *batch,
                                                double iteration_s,
                                                sgdbal_migration *migration)
{
    const int under_way = p && p->moving.started;
    sgdbal_migration out;
    size_t i;
    if (!p || !batch || !migration || !sgdbal_priv_is_time(iteration_s))
        return SGDBAL_BAD_ARGUMENT;
    for (i = 0; i < p->c.workers; i++) p->consumed[i] += (double)batch[i];
    if (under_way) p->left_s -= iteration_s;
    else sgdbal_priv_start_move(p, batch);
    out = p->moving;
    out.ended = p->moving.started && !(p->left_s > 0.0);
    if (under_way) out.started = 0;
    if (out.ended) sgdbal_priv_end_move(p);
    SGDBAL_ASSERT(p->moving.started == ((out.started || under_way) && !out.ended));
    *migration = out;
    return SGDBAL_OK;
}

#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_BALANCE_IMPLEMENTATION */

/* REFERENCES
 *   [AS64]    M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 1964.
 *   [CWWLL20] C. Chen, Q. Weng, W. Wang, B. Li, B. Li, Semi-Dynamic Load Balancing:
 *             Efficient Distributed Learning in Non-Dedicated Environments, SoCC 2020.
 *   [HCDWG16] A. Harlap, H. Cui, W. Dai, J. Wei, G. R. Ganger, P. B. Gibbons, G. A.
 *             Gibson, E. P. Xing, Addressing the Straggler Problem for Iterative
 *             Convergent Parallel ML, SoCC 2016.
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
