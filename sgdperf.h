/* sgdperf.h - v0.1.0 - performance models of distributed SGD - C99, one file
 *
 *   Predicts how fast distributed training by stochastic gradient descent (SGD) runs on
 *   K workers, from a profile of one worker: its compute times, the size of its model,
 *   its links. Covers synchronous and asynchronous SGD with parameter servers, and
 *   synchronous SGD with all-reduce. Begin with sgdp_job, sgdp_model and sgdp_predict.
 *
 * USE
 *   In exactly one C or C++ file:
 *       #define SGDPERF_IMPLEMENTATION
 *       #include "sgdperf.h"
 *   Elsewhere include it without the define; a second inclusion is harmless.
 *   SGDPERF_STATIC, defined in that file, makes all symbols private to it. Link with -lm.
 *
 * EXAMPLE   a 9 MB model over 1 Gbit/s, 29 ms of compute, 18 ms per update
 *       static double   work[4096];
 *       sgdp_job        job = {0};
 *       sgdp_prediction point = {0};
 *       job.model_bytes = 9e6;
 *       job.links.bandwidth_bytes_per_s = 125e6;
 *       job.compute.forward_s = 0.010;
 *       job.compute.backward_s = 0.019;
 *       job.compute.update_s = 0.018;
 *       if (sgdp_predict(&job, SGDP_ASYNC_SWITCH, 4, work, sizeof work, &point)
 *           == SGDP_OK)
 *           printf("%.2f steps/s, limited by the %s\n", point.batches_per_s,
 *                  sgdp_resource_text(point.bottleneck));
 *           // 10.64 steps/s, limited by the uplink
 *
 * CONTENTS
 *   Status               sgdp_status_text
 *   Closed networks      sgdp_gamma_threshold  sgdp_mva_exact  sgdp_mva_approx
 *                        sgdp_mva_hybrid_approx  sgdp_mva_bounds
 *   SGD on a cluster     sgdp_slowest  sgdp_kth_fastest
 *                        sgdp_predict  sgdp_predict_operations
 *                        sgdp_predict_curve  sgdp_predict_curve_operations
 *                        sgdp_stretch_of  sgdp_exposed
 *                        sgdp_set_input  sgdp_elasticity  sgdp_knee  sgdp_greedy_shares
 *   Measured jobs        sgdp_runs_open, _predict, _elasticity  sgdp_measured_step
 *                        sgdp_profile_spread
 *   Remedies             sgdp_remedies  sgdp_move_job
 *   Library              sgdp_version  sgdp_struct_bytes
 *
 * CONVENTIONS
 *   Units     seconds, bytes, examples; a name ends in its unit: think_s.
 *   Arrays    row-major; [C][L] is C*L doubles, element (c,l) at c*L + l.
 *   Defaults  zero every struct; a field left 0 or NULL takes its default.
 *
 *   Memory    nothing is allocated or kept. Some functions need a work area: the caller
 *             passes its address and size, (work, work_bytes), aligned for double. The
 *             function of the same name with _bytes at the end tells the size needed.
 *             Only inputs may alias. Stack: below 10 kB a call, 2 kB a function (gcc).
 *
 *   Errors    bad input returns an sgdp_status and writes no output. Only
 *             SGDP_NOT_CONVERGED leaves output: the best values found. SGDP_ASSERT checks
 *             only the library's own invariants.
 *
 *   Threads   no globals: calls with distinct work and out may run at once.
 *   Floats    IEEE 754 double. With -ffp-contract=off and without -ffast-math, code
 *             that uses only + - * / sqrt gives the same bits on x86-64, ARM64, ...
 *             The comment of a function says if it calls exp, log or pow.
 *
 * CONFIGURE   define beforehand: SGDPERF_STATIC, SGDP_API, SGDP_ASSERT(x)
 *
 * REFERENCES (cited by key), HISTORY and LICENSE are at the end of this file.
 */
#ifndef SGDPERF_H
#define SGDPERF_H

#define SGDPERF_VERSION_MAJOR 0
#define SGDPERF_VERSION_MINOR 1
#define SGDPERF_VERSION_PATCH 0
#define SGDPERF_VERSION \
    (SGDPERF_VERSION_MAJOR * 10000 + SGDPERF_VERSION_MINOR * 100 + SGDPERF_VERSION_PATCH)

#include <stddef.h>
#include <stdint.h>
#if defined(SGDP_API)
#elif !defined(SGDPERF_STATIC)
#define SGDP_API extern
#elif defined(__GNUC__)
#define SGDP_API static __attribute__((unused))
#else
#define SGDP_API static
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ---------------------------------------------------------------- */

/* Statuses of functions, and their texts. */
#define SGDP_STATUS_TABLE(X)                                                        \
    X(SGDP_OK,              "success")                                              \
    X(SGDP_BAD_ARGUMENT,    "null pointer, zero size, or value out of domain")      \
    X(SGDP_TOO_LARGE,       "a size exceeds the address space")                     \
    X(SGDP_SMALL_WORKSPACE, "work_bytes smaller than the _bytes() answer")          \
    X(SGDP_NOT_CONVERGED,   "iteration limit reached before the tolerance")         \
    X(SGDP_OVER_BUDGET,     "exceeds the allowed operations or bytes: raise them, " \
                            "or use sgdp_mva_approx")

#define SGDP_X(name, text) name,
typedef enum sgdp_status { SGDP_STATUS_TABLE(SGDP_X) SGDP_STATUS_COUNT } sgdp_status;
#undef SGDP_X

/* Returns the text of a status, such as "success"; "no such value" if out of range. */
SGDP_API const char *sgdp_status_text(sgdp_status status);

/* ---- Closed networks ------------------------------------------------------- */

/* Disciplines: how a station (a link or server that tasks share) serves several tasks at
 * one time. A discipline gives the response time of a task by an equation of [LPCG18].
 *
 * SGDP_PS is processor sharing (Eq. 1): all tasks present are served at once, at equal
 * shares. First come, first served with exponential service times gives the same means.
 * The solution is exact (the network has product form).
 *
 * SGDP_FCFS is first come, first served with constant service times (Eq. 2) [R79, eq.
 * 3.29]. The solution is approximate: the utilization may exceed 1 by a few percent. A
 * task waits even if its own service takes no time.
 *
 * SGDP_HYBRID (Eqs. 3-4) mixes two times: gamma of that with equal shares (SGDP_PS), and
 * 1 - gamma of that with one after another (SGDP_FCFS). gamma depends on utilization.
 *
 * SGDP_INTERLEAVED is for tasks whose cycles have nearly equal lengths (our own). Such
 * tasks fall into a rhythm: no task waits if the service times of all tasks fit into one
 * cycle. The response time is that of SGDP_PS with a smaller queue on arrival. Small
 * errors of the model: in tests, one more task lowered throughput by up to 3 %, a longer
 * time outside stations raised it by up to 5 %.
 *
 * FACTOR of SGDP_INTERLEAVED  Let each of the n[c] tasks of class c spend a time Z[c]
 * outside stations, and service times D[c][l] at stations l. If no task waited, station l
 * would have the utilization u = sum over c of n[c] D[c][l] / (Z[c] + sum_l D[c][l]). The
 * queue found on arrival is multiplied by h + (1 - h) min(1, u)^4. The exponent 4 is
 * empirical. h is the field rhythm_lost of sgdp_mva_options. */
typedef enum sgdp_discipline {
    SGDP_PS = 0, SGDP_FCFS, SGDP_HYBRID, SGDP_INTERLEAVED
} sgdp_discipline;

/* A closed queueing network: tasks of C classes (kinds) circulate among L stations. In
 * each cycle a task thinks (is outside all stations), and is served at every station. All
 * times are in seconds. */
typedef struct sgdp_network {
    size_t          classes;    /* C, number of classes, >= 1                         */
    size_t          stations;   /* L, number of stations, >= 1                        */
    const uint32_t *population; /* [C] number of tasks of a class; NULL: 1 each       */
    const double   *think_s;    /* [C] time outside all stations, seconds; NULL: zeros */
    const double   *demand_s;   /* [C][L] service demand, seconds, >= 0: time of one  */
                                /*   task at the station per cycle if alone (number   */
                                /*   of visits times time of one visit)               */
    const double   *capacity;   /* [L] number m >= 1 of tasks that a station serves   */
                                /*   at full speed at once, may be fractional: each   */
                                /*   of n tasks is served at speed min(n, m)/n.       */
                                /*   INFINITY: a delay station. NULL: 1               */
    const sgdp_discipline *discipline; /* [L] NULL: SGDP_PS at every station          */
    const double   *rates;      /* [L][rate_tasks] load-dependent speed of a station  */
                                /*   with 1, 2, ... tasks present, in [1e-100,        */
                                /*   1e100]; speed 1 is that of demand_s. With more   */
                                /*   than rate_tasks tasks the last speed holds. A    */
                                /*   station whose row starts with 0 is described by  */
                                /*   capacity. NULL: all stations use capacity        */
    size_t          rate_tasks; /* number of speeds in each row of rates              */
} sgdp_network;

/* Methods that solve a closed queueing network. */
typedef enum sgdp_method {
    SGDP_METHOD_AUTO = 0,    /* the cheapest method that solves the network           */
    SGDP_METHOD_LATTICE,     /* exact: recursion over population vectors [RL80]       */
    SGDP_METHOD_POLYNOMIAL,  /* exact: by chain, divide and conquer [CSL89, GM89]     */
    SGDP_METHOD_SCHWEITZER,  /* approximate: fixed point [B79]                        */
    SGDP_METHOD_LINEARIZER   /* approximate: first-order corrections [CN82]           */
} sgdp_method;

/* Rules for gamma, the weight of SGDP_PS in the mix of SGDP_HYBRID.
 * sgdp_mva_options.gamma computes gamma from a utilization of the station. The rule says
 * which utilization: */
typedef enum sgdp_gamma_rule {
    SGDP_GAMMA_IMPLICIT = 0, /* the utilization at the solved population, which       */
                             /*   depends on gamma: a root of gamma = g(util(gamma))  */
    SGDP_GAMMA_EXPLICIT,     /* the utilization at this population without the        */
                             /*   arriving task: cheapest, but throughput is not      */
                             /*   monotone in the number of workers                   */
    SGDP_GAMMA_FCFS_RUN      /* the utilization at the full population, by Eq. 2      */
} sgdp_gamma_rule;

/* Options of the solvers of closed networks. Zeros give the defaults. */
typedef struct sgdp_mva_options {
    sgdp_method     method;         /* default SGDP_METHOD_AUTO                       */
    double          max_operations; /* limit of the estimated number of operations,   */
                                    /*   of about 1 ns each; default 1e10             */
    size_t          max_bytes;      /* limit of the work area, bytes; default 2^30    */
    sgdp_gamma_rule gamma_rule;     /* for hybrid stations; default SGDP_GAMMA_IMPLICIT */
    double        (*gamma)(void *ctx, double utilization); /* g, weight of Eq. 1, in  */
                                    /*   [0, 1], non-decreasing. NULL: Eq. 4 at 0.8   */
    void           *gamma_ctx;      /* passed to gamma                                */
    double          tolerance;      /* fixed points end if no throughput changes by a */
                                    /*   larger part; default 1e-12                   */
    size_t          max_iterations; /* of a fixed point or root search; default 10000 */
    double          rhythm_lost;    /* h of SGDP_INTERLEAVED, in [0, 1]. 0: tasks     */
                                    /*   keep their rhythm; 1: no rhythm, as Eq. 1    */
    double          rhythm_spare;   /* s, at most capacity - 1: in a rhythm,          */
                                    /*   s (1 - utilization) tasks ahead delay no task */
} sgdp_mva_options;

/* Times and rates of C kinds (classes) of tasks that circulate among L stations, as links
 * and servers. The caller sets each pointer to an array, or to NULL to skip its values.
 * The solver fills the arrays and sets the rest. A class without tasks gets 0. */
typedef struct sgdp_mva_result {
    double     *throughput_per_s;   /* [C] cycles per second of all tasks of a class  */
    double     *response_s;         /* [C][L] waiting plus service of one task at a   */
                                    /*   station per cycle, seconds                   */
    double     *queue;              /* [L] mean number of tasks waiting or in service */
    double     *utilization;        /* [L] busy part of the capacity, or of the       */
                                    /*   largest rate; of a delay station: mean       */
                                    /*   number of tasks in service                   */
    double     *gamma;              /* [L] weight of Eq. 1: 1 if PS, 0 if FCFS; if    */
                                    /*   interleaved the factor of the queue          */
    sgdp_method method;             /* method that was used                           */
    size_t      iterations;         /* number of iterations of a fixed point, else 0  */
    double      residual;           /* last relative change of a fixed point, else 0  */
    double     *class_queue;        /* [C][L] part of `queue` due to each class       */
    double     *class_utilization;  /* [C][L] part of `utilization` due to each one   */
} sgdp_mva_result;

/* Returns gamma, the weight of SGDP_PS in the mix of SGDP_HYBRID: Eq. 4 of [LPCG18], for
 * the field sgdp_mva_options.gamma. gamma is 0 up to a threshold of the utilization, then
 * grows linearly to 1 at utilization 1. *ctx is the threshold, a double; NULL: 0.8. */
SGDP_API double sgdp_gamma_threshold(void *ctx, double utilization);

/* Solves a closed queueing network exactly: tasks of C classes (kinds) at L stations, all
 * of discipline SGDP_PS (equal shares). `options` may be NULL, for the defaults.
 *
 * METHOD  options->method is LATTICE or POLYNOMIAL; AUTO takes the cheaper one (costs:
 * sgdp_mva_exact_bytes). Equal kinds of tasks are merged, unless over 64 are left.
 *
 * LATTICE is a recursion over all population vectors n up to the full population [RL80].
 * A vector n holds the number of tasks n[c] of each class c. For each vector the
 * recursion computes response times T, throughputs X and mean queues N. D are demands, Z
 * think times. 1_c is one task of class c, and l is a station:
 *     T[c][l] = D[c][l] * (1 + N[l](n - 1_c))
 *     X[c]    = n[c] / (Z[c] + sum_l T[c][l])
 *     N[l](n) = sum_c X[c] * T[c][l]
 *
 * POLYNOMIAL is a recursion that adds one task at a time. Up to 64 stations may have
 * queues.
 *
 * GROUPS of stations in POLYNOMIAL, on which its cost depends: two stations are in one
 * group if the demands of one are a constant multiple of those of the other.
 *
 * ACCURACY  The solution is exact for processor sharing. It is also exact for FCFS with
 * exponential service times, if a visit takes the same mean time in all classes. A
 * station with capacity for all tasks equals a delay station (no task waits) to the last
 * bit. The relative rounding error is below 1e-13.
 * STATUSES  SGDP_OK, SGDP_TOO_LARGE, SGDP_SMALL_WORKSPACE, SGDP_OVER_BUDGET.
 * SGDP_BAD_ARGUMENT: a station is not SGDP_PS; a value is out of its domain; the times of
 * a class with tasks add up to less than 1e-150 or more than 1e150 s. */
SGDP_API sgdp_status sgdp_mva_exact(const sgdp_network *net,
                                    const sgdp_mva_options *options, void *work,
                                    size_t work_bytes, sgdp_mva_result *out);
/* Writes to *bytes the size of the work area of sgdp_mva_exact. It follows from the cost:
 *
 * COST of LATTICE  O(C*L*P) time and 16*L*P / (p + 1) bytes for C classes and L stations.
 * P is the number of vectors, prod (population[c] + 1). p is max population[c].
 *
 * COST of LATTICE with rates or with a finite capacity above 1  LATTICE then computes
 * normalizing constants. These are sums of positive terms and lose no digit, unlike
 * marginal probabilities [R81]. C classes, P population vectors and V constants for each
 * take O(C*P*V) time and 32*V*P / (p + 1) bytes; p is max population[c].
 *
 * CONSTANTS of LATTICE  V is the number of constants kept for each population vector: at
 * most L + 1 for L stations. The i-th station with rates (speeds by load) or a finite
 * capacity m > 1 adds i*m + 1. With rates, m is the number of tasks from which on the
 * rate is constant, or all tasks + 1 if an earlier rate exceeds the last one.
 *
 * COST of POLYNOMIAL  for K tasks and G groups; B is binomial(K + G, G):
 *     groups      time, bytes       capacities, rates, number of tasks
 *     G = 1       O(K^2), O(K)      any capacity; rates in [1e-20, 1e20]
 *     G = 2 .. 6  O(K*B), 8*B       any capacity; no rates; K up to about
 *                                   1270 for G = 2, 725 for G = 6 */
SGDP_API sgdp_status sgdp_mva_exact_bytes(const sgdp_network *net,
                                          const sgdp_mva_options *options, size_t *bytes);

/* Solves a closed queueing network of C classes and L stations by Eqs. 1 to 4 of
 * [LPCG18]. Each station has its own discipline. A recursion visits all population
 * vectors n up to the full population: n[c] tasks of each class c.
 *
 * EQUATIONS  T[c][l] is the response time of class c at station l, and D a demand. N is
 * a mean queue, rho a utilization; both are at n - 1_c: n less one task of c. j: a class.
 *     Eq. 1   T[c][l] = D[c][l] * (1 + N[l](n - 1_c))
 *     Eq. 2   T[c][l] = D[c][l] + sum_j D[j][l] (N[j][l] - rho[j][l] / 2)(n - 1_c)
 *     Eq. 3   T = gamma T(Eq. 1) + (1 - gamma) T(Eq. 2)
 *     Eq. 4   gamma = g(utilization), see sgdp_gamma_threshold
 *
 * ACCURACY  The solution is approximate unless every station is SGDP_PS. Errors of 5 to
 * 15 % against measurements and simulated deterministic service are common.
 *
 * SEVERAL SERVERS  Two stations replace a station of demand D and finite capacity m > 1:
 * a delay station (no task waits) of demand D (m - 1)/m, and a station of capacity 1 and
 * demand D/m [SSS87]. In networks of SGDP_PS this changes the throughput of a class by up
 * to 20 %, by 3.5 % on average. A station with capacity for all tasks is a delay station.
 *
 * IMPLICIT GAMMA  With rule SGDP_GAMMA_IMPLICIT the weight gamma of a hybrid station is
 * the root of an equation. For one class the root is found by bisection on the
 * throughput. For several classes roots are searched at one station after the other, from
 * gamma = 0. The solution is unique if all classes have equal demands at hybrid stations.
 * Otherwise there may be several; the first one found is taken.
 *
 * STATUSES  Those of sgdp_mva_exact; all disciplines are allowed. SGDP_BAD_ARGUMENT also
 * if a station has load-dependent rates, or options->gamma returns a number outside [0,
 * 1]. SGDP_NOT_CONVERGED if the search for a gamma takes over options->max_iterations. */
SGDP_API sgdp_status sgdp_mva_hybrid_approx(const sgdp_network *net,
                                            const sgdp_mva_options *options, void *work,
                                            size_t work_bytes, sgdp_mva_result *out);
/* Writes to *bytes the size of the work area: up to 3 times that of method LATTICE in
 * sgdp_mva_exact. The time is that of LATTICE. */
SGDP_API sgdp_status sgdp_mva_hybrid_approx_bytes(const sgdp_network *net,
                                                  const sgdp_mva_options *options,
                                                  size_t *bytes);

/* Solves a closed queueing network of C classes and L stations approximately. It is for
 * networks too large for sgdp_mva_exact and sgdp_mva_hybrid_approx. Eqs. 1 to 4 of
 * [LPCG18] at the full population are iterated until they reproduce their result (a fixed
 * point). Disciplines and capacities are treated as in sgdp_mva_hybrid_approx. The rule
 * of gamma is IMPLICIT.
 *
 * METHODS  options->method is one of two. Share: part of a class's tasks at a station.
 *     SCHWEITZER  the default: assumes that shares stay the same if one task leaves. For
 *                 C classes and L stations: O(C*L) time per iteration, O(C*L) bytes.
 *     LINEARIZER  estimates how shares change if one task leaves, in 3 passes of C + 1
 *                 fixed points. 16*C^2*L bytes.
 *
 * ACCURACY  Relative errors of the throughput of a class, against the recursion over all
 * populations (tests/test_mva_approx). There are 2000 random networks of 2 to 8 tasks. An
 * entry is the largest error and, in parentheses, the mean. With several servers most of
 * the error comes from the replacement of stations:
 *     method        only SGDP_PS     all disciplines   stations of 2 to 8 servers
 *     SCHWEITZER    20 %  (6 %)      35 % (5 %)        24 % (5.5 %)
 *     LINEARIZER    1.3 % (0.2 %)    10 % (0.5 %)      20 % (3.5 %)
 * STATUSES  Those of sgdp_mva_hybrid_approx. SGDP_OVER_BUDGET: 300 iterations would take
 * more than options->max_operations operations. After SGDP_NOT_CONVERGED, *out has the
 * last iterate, the number of iterations and the residual. SGDP_BAD_ARGUMENT also if a
 * time overflows. */
SGDP_API sgdp_status sgdp_mva_approx(const sgdp_network *net,
                                     const sgdp_mva_options *options, void *work,
                                     size_t work_bytes, sgdp_mva_result *out);
SGDP_API sgdp_status sgdp_mva_approx_bytes(const sgdp_network *net,
                                           const sgdp_mva_options *options,
                                           size_t *bytes);

/* Computes bounds on the exact throughput of each class of a closed network, in cycles
 * per second. lower_per_s[C] and upper_per_s[C] receive one bound for each of C classes;
 * one of the two may be NULL. A class without tasks has bounds 0.
 *
 * METHOD  The upper bound assumes that no task waits, and that no station exceeds its
 * capacity. The lower bound assumes that each task finds all other tasks ahead of it. One
 * class with capacities 1 or INFINITY gets tighter balanced job bounds [ZSEG82].
 * Disciplines are ignored. Load-dependent rates count by their extremes.
 * COST  No work area. C classes and L stations take O(C*L) time; if net->rates is given,
 * O(C*L*rate_tasks). Statuses: SGDP_OK, SGDP_BAD_ARGUMENT, SGDP_TOO_LARGE. */
SGDP_API sgdp_status sgdp_mva_bounds(const sgdp_network *net, double *lower_per_s,
                                     double *upper_per_s);

/* ---- SGD on a cluster ------------------------------------------------------ */

/* Models of a training job: a model predicts how K workers share links and servers. In
 * each step a worker downloads the model from the parameter server, computes a gradient
 * and uploads the gradient; the server updates the model. With all-reduce the workers
 * exchange gradients among themselves instead. Sources of all constants: docs/models.md.
 *
 * SYMBOLS of the formulas below, in seconds: T is the transfer of the whole model over an
 * idle link (bytes over bandwidth). C is the forward and backward pass of one worker. S
 * is one update of the model. K is the number of workers.
 *
 * SGDP_ASYNC_... are asynchronous SGD: workers compute, then queue at uplink, server and
 * downlink, again and again (a closed network) [LPCG18 III, LPGLY22 2.1]. Models differ
 * in how these serve workers. Eqs. 1-4 are those of sgdp_discipline:
 *   EXACT   all at once, at equal shares: Eq. 1 at every station [LPCG18]
 *   FCFS    links serve one transfer after another, Eq. 2; server as EXACT [LPCG18]
 *   HYBRID  links by Eqs. 3-4, job.threshold (default 0.8); server as EXACT [LPCG18]
 *   SWITCH  FCFS if by FCFS no link has a utilization above job.threshold (default
 *           0.6), otherwise EXACT [LPGLY22, eq. 5]
 *
 * SGDP_ASYNC_INTERLEAVED has discipline SGDP_INTERLEAVED at every station (our own):
 * equal steps keep a rhythm in which workers seldom meet. Option rhythm_lost of
 * sgdp_mva_options is 0. With one server, rhythm_spare is (number of flows that a link
 * carries at full speed) - 1.
 *
 * SGDP_ASYNC_RHYTHM is SGDP_ASYNC_INTERLEAVED with rhythm_lost = 1 - exp(-8 s/D) (our
 * own). s is the standard deviation of the step of a worker alone: over its steps
 * (job.compute.vary) and over types of workers. D is the longest of an upload, a download
 * and an update, each alone. Equal steps give INTERLEAVED, very unequal ones EXACT.
 *
 * SGDP_ASYNC_CYNTHIA is a formula without network: K workers make K / ((C + S) max(1, K
 * U) + 2 T) mini-batches per second [ZXCZL19] [LYPG20]. C is the compute time, S the
 * update, T a transfer, U the share of transfers in the step of one worker alone.
 *
 * SGDP_SYNC_... are synchronous SGD with parameter servers. The time of a step of K
 * workers follows from a transfer T alone, the compute time C and the update S:
 *   PS       K T + C + K T + S: all workers transfer at once [LPGLY22, eq. 7]
 *   FCFS     K T + C + T + S: downloads end one after another, so uploads do not meet
 *            [LPGLY22, eq. 8]. If uploads would meet, the uplink's utilization exceeds 1
 *   AVERAGE  the mean of PS and FCFS [LPGLY22, eq. 9]; with overlap eq. 10
 *
 * SGDP_SYNC_STAGGERED follows one step event by event (our own). TCP streams share a link
 * by unequal weights. So downloads end one after another, and uploads begin before the
 * last download ends. n streams in one direction against m > n in the other carry
 * sqrt(n/m) of the link: acknowledgements wait behind data [ZSC91]. Weights and compute
 * times are the expected smallest, second smallest ... of K draws, paired at random with
 * fixed seeds. With over 64 types of workers PS predicts instead (see solution.branch).
 *
 * SGDP_ALLREDUCE_... are synchronous SGD with all-reduce. The time of a step of K workers
 * follows from a transfer T of the model alone, the compute time C and the update S:
 *   RING      C + 2 (K-1) (T/K + latency) + S [LPGLY22, eq. 11]
 *   DOUBLING  C + ceil(log2 K) (T + latency) + S: recursive doubling [TRG05]
 *   FLAT, HIERARCHICAL  C + E + S; job.collective.exchange tells the exchange time E
 *   CLUSTER   C (1 + 0.025 log2 min(K, g)) + 1.25 E + S (our own); E: exchange of RING,
 *             g: accelerators of a machine, at most 16 (if 1, then 16)
 *
 * SGDP_ALLREDUCE_CLUSTER expects nominal bandwidths. If the job gives the measured step
 * T_g of a full machine, a step on m machines takes T_g (1 + 0.01 log2 m) + 1.25 E, for
 * the exchange E between machines. If the job also gives compute C and update S of one
 * accelerator, and C + S is not T_g, the factor of E is 0.5 + 8 x. Here x = T_g/(C + S) -
 * 1, but at least 0 and at most 0.3. A growth between machines that the job gives
 * replaces 0.01, an overlap that it gives the factor of E.
 *
 * MACHINES  If machines have g > 1 accelerators, models RING and DOUBLING have three
 * phases [LPGLY22 4.4]: a reduction inside each machine, an exchange of the whole model
 * between machines, a broadcast inside each machine. K is then the number of machines.
 * Inside, M bytes at bandwidth b take (2 (g-1)/g + 1) M/b seconds in all. One machine
 * alone needs no broadcast: its k <= g accelerators take 2 (k-1)/k M/b seconds.
 *
 * JOBS  job.collective.jobs equal all-reduce jobs share the links. Jobs that exchange at
 * the same time get equal parts of the bandwidth. The model is a closed queueing network:
 * jobs compute, where none waits, and use the links, by turns [BCMP75].
 *
 * DELAYS  A TCP connection has at most a window of bytes under way, so a delay slows down
 * transfers. Models RHYTHM and STAGGERED count these windows: docs/models.md, "Workers
 * far away". They also give each worker its own link, by default as fast as a server's.
 *
 * INPUT  The input pipeline of a machine delivers job.machine.input_examples_per_s, ahead
 * of time. A synchronous step takes at least as long as the input of the machine with the
 * most workers. The cycle of an asynchronous machine takes at least that of its input. */
#define SGDP_MODEL_TABLE(X)                  \
    X(SGDP_ASYNC_EXACT,        "exact")       \
    X(SGDP_ASYNC_FCFS,         "fcfs")        \
    X(SGDP_ASYNC_HYBRID,       "hybrid")      \
    X(SGDP_ASYNC_SWITCH,       "switch")      \
    X(SGDP_ASYNC_INTERLEAVED,  "interleaved") \
    X(SGDP_ASYNC_RHYTHM,       "rhythm")      \
    X(SGDP_ASYNC_CYNTHIA,      "cynthia")     \
    X(SGDP_SYNC_PS,            "ps")          \
    X(SGDP_SYNC_FCFS,          "fcfs")        \
    X(SGDP_SYNC_AVERAGE,       "average")     \
    X(SGDP_SYNC_STAGGERED,     "staggered")   \
    X(SGDP_ALLREDUCE_RING,     "ring")        \
    X(SGDP_ALLREDUCE_DOUBLING, "doubling")    \
    X(SGDP_ALLREDUCE_FLAT,     "flat")        \
    X(SGDP_ALLREDUCE_HIERARCHICAL, "hierarchical") \
    X(SGDP_ALLREDUCE_CLUSTER,  "cluster")

#define SGDP_X(name, text) name,
typedef enum sgdp_model { SGDP_MODEL_TABLE(SGDP_X) SGDP_MODEL_COUNT } sgdp_model;
#undef SGDP_X

/* The resources among which the time of a step is divided:
 *   WORKER  compute                     UPLINK    links to the parameter servers
 *   SERVER  updates of the model        DOWNLINK  links from the parameter servers
 *   LINK    links between machines of an all-reduce
 *   LOCAL   links among the accelerators of one machine
 *   HOST    input pipeline of a machine; service_s is the wait for input alone */
#define SGDP_RESOURCE_TABLE(X)        \
    X(SGDP_WORKER,   "worker")        \
    X(SGDP_UPLINK,   "uplink")        \
    X(SGDP_SERVER,   "server")        \
    X(SGDP_DOWNLINK, "downlink")      \
    X(SGDP_LINK,     "link")          \
    X(SGDP_LOCAL,    "local")         \
    X(SGDP_HOST,     "input")

#define SGDP_X(name, text) name,
typedef enum sgdp_resource {
    SGDP_RESOURCE_TABLE(SGDP_X) SGDP_RESOURCE_COUNT
} sgdp_resource;
#undef SGDP_X

/* Word for a model, such as "exact"; "no such value" if out of range. */
SGDP_API const char *sgdp_model_text(sgdp_model model);
/* Word for a resource, such as "uplink"; "no such value" if out of range. */
SGDP_API const char *sgdp_resource_text(sgdp_resource resource);

/* Rules for hiding transfers behind compute [LPGLY22, eq. 6; synchronous: eq. 10]. The
 * download runs in the forward pass, the upload or all-reduce in the backward pass. */
typedef enum sgdp_overlap_rule {
    SGDP_OVERLAP_NONE = 0,     /* nothing is hidden                                   */
    SGDP_OVERLAP_ONE_PASS,     /* solve, shorten compute by what is hidden, solve again */
    SGDP_OVERLAP_FIXED_POINT   /* repeat until throughput changes by less than 1e-12  */
} sgdp_overlap_rule;

/* A type of equal workers, for a job whose workers are unequal. */
typedef struct sgdp_worker_type {
    uint32_t count;            /* number of workers of this type, >= 1                */
    double   forward_s;        /* forward pass of one mini-batch, seconds             */
    double   backward_s;       /* backward pass of one mini-batch, seconds            */
    double   delay_s;          /* delay between worker and server, one way, seconds;  */
                               /*   a step has two. Ignored by all-reduce             */
} sgdp_worker_type;

/* Shapes of the distribution of compute times, which vary independently over steps and
 * workers. The coefficient of variation cv is the standard deviation over the mean.
 *   LOGNORMAL    lognormal distribution
 *   EXPONENTIAL  for mean m: m (1 - cv) plus an exponential time of mean m cv; cv <= 1
 *   NORMAL       normal distribution; times below 0 count as 0
 *
 * NORMAL has a longer mean than the one given, because no time is below 0. The mean grows
 * by the factor Phi(1/cv) + cv phi(1/cv), with normal distribution Phi and density phi:
 * 1.004 at cv 0.5, 1.08 at cv 1. It counts only where workers wait for each other. */
#define SGDP_SHAPE_TABLE(X)                      \
    X(SGDP_SHAPE_NORMAL,      "normal")           \
    X(SGDP_SHAPE_LOGNORMAL,   "lognormal")        \
    X(SGDP_SHAPE_EXPONENTIAL, "exponential")

#define SGDP_X(name, text) name,
typedef enum sgdp_shape { SGDP_SHAPE_TABLE(SGDP_X) SGDP_SHAPE_COUNT } sgdp_shape;
#undef SGDP_X

/* Word for a shape, such as "normal"; "no such value" if out of range. */
SGDP_API const char *sgdp_shape_text(sgdp_shape shape);

/* Variation of compute times over steps and workers: a distribution, or a sample. */
typedef struct sgdp_variation {
    double        cv;          /* deviation / mean, <= 100; default 0: equal steps    */
    sgdp_shape    shape;       /* default SGDP_SHAPE_NORMAL                           */
    const double *sample;      /* [samples] ascending measured times, any unit, mean  */
                               /*   > 0. It takes the place of cv and shape           */
    size_t        samples;     /* number of times in sample; 0: no sample             */
} sgdp_variation;

/* Computes the expected compute time of the slowest of n workers, for whom synchronous
 * workers wait. *factor is this time over the mean of one worker, E[max of n] / mean.
 *
 * METHOD and accuracy depend on the variation:
 *   sample       exact: sum of x[i] ((i/N)^n - ((i-1)/N)^n) over the N ascending times
 *                x[1..N], divided by their mean
 *   EXPONENTIAL  exact: 1 + cv (H_n - 1), where H_n is the n-th harmonic number
 *   others       quadrature, relative error below 1e-6 (NORMAL with cv > 1: 1e-5)
 *
 * SGDP_BAD_ARGUMENT: NULL; n = 0; cv negative or above 100 (shape EXPONENTIAL: above 1);
 * no such shape; an invalid or unsorted sample. Calls exp, log, erfc. O(1 + samples). */
SGDP_API sgdp_status sgdp_slowest(const sgdp_variation *variation, uint32_t n,
                                  double *factor);

/* Computes the expected compute time of the k-th fastest of n workers, 1 <= k <= n.
 * *factor receives this time divided by the mean time of one worker, E[X(k:n)] / mean. A
 * synchronous step with n - k backup workers waits for the k-th fastest [CPMBJ16]. The
 * factor for k = n equals that of sgdp_slowest to the last bit. The factor for k = 1 is
 * at most 1, unless the shape is NORMAL with cv > 4.
 *
 * METHOD and accuracy depend on the variation:
 *   sample       exact: sum of x[i] (I(i/N) - I((i-1)/N)) over N ascending times x[i] /
 *                their mean. I: incomplete beta function of k and n - k + 1
 *   EXPONENTIAL  exact: 1 - cv + cv (H_n - H_(n-k)), with harmonic numbers H
 *   others       quadrature, relative error below 1e-5, for n > 1e6 growing like n/1e14.
 *                NORMAL with cv > 0.3: absolute error below 1e-5 (1 + cv)
 *
 * SGDP_BAD_ARGUMENT: as sgdp_slowest; k = 0 or k > n. Calls exp, log, log1p, erfc. Takes
 * O(1); with a sample at most O(samples sqrt(n)). */
SGDP_API sgdp_status sgdp_kth_fastest(const sgdp_variation *variation, uint32_t n,
                                      uint32_t k, double *factor);

/* The machines of an all-reduce, and how long the whole model takes on their links. */
typedef struct sgdp_machines {
    uint32_t workers;          /* number of accelerators on all machines              */
    uint32_t machines;         /* number of machines, some of which may not be full   */
    uint32_t gpus;             /* number of accelerators of a full machine            */
    uint32_t fullest, emptiest; /* accelerators of the fullest and the emptiest machine */
    double   transfer_s;       /* M/B: the model over a link, seconds; longer with caps */
    double   local_transfer_s; /* transfer of the model inside a machine, seconds     */
    double   latency_s;        /* latency of each message between machines, seconds   */
    double   flow_transfer_s;  /* all-to-alls: S/c, in one flow with cap c; 0: no cap */
} sgdp_machines;

/* Times of one exchange, by sgdpar_ring_exchange, sgdpar_pairwise_exchange or others. */
typedef struct sgdp_exchange {
    double local_s;            /* part inside machines, seconds                       */
    double link_s;             /* part between machines, seconds                      */
    double carried_s;          /* part of link_s in which links carry bytes, seconds  */
    double growth_s;           /* added by one more machine, if there are many, seconds */
} sgdp_exchange;

/* A function of the caller that writes the times of one exchange of gradients to *out.
 * `on` describes the machines. The library calls it for the machines of the job, then for
 * two full machines. If the first call returns 0 (unknown), models RING, DOUBLING and
 * CLUSTER use their formulas; other models are refused with SGDP_BAD_ARGUMENT. */
typedef int (*sgdp_exchange_of)(void *ctx, sgdp_model model, const sgdp_machines *on,
                                sgdp_exchange *out);

/* Computation of one worker in a step. */
typedef struct sgdp_compute {
    double   forward_s;        /* forward pass of one mini-batch, seconds             */
    double   backward_s;       /* backward pass of one mini-batch, seconds            */
    double   update_s;         /* one update of the whole model by a server, seconds  */
    double   one_worker_step_s; /* measured step of one worker alone (gpus > 1: of a  */
                               /*   full machine, with its local exchange), seconds.  */
                               /*   Compute becomes this step less transfers and      */
                               /*   update, in the ratio of forward_s to backward_s   */
                               /*   (both 0: 1 : 2). 0: not used. Not with types      */
    double   batch;            /* number of examples in a mini-batch, default 1       */
    sgdp_variation vary;       /* how both passes vary. Barriers wait for the slowest */
                               /*   worker; asynchronous: only RHYTHM reads it        */
} sgdp_compute;

/* Unequal workers, and backup workers. */
typedef struct sgdp_workers {
    const sgdp_worker_type *type; /* [types] unequal workers. Their times take the    */
                               /*   place of compute.forward_s and backward_s; their  */
                               /*   counts add up to the number of workers            */
    size_t   types;            /* number of types; default 0: all workers are equal   */
    uint32_t backup;           /* backup workers, default 0: a synchronous step of K  */
                               /*   workers waits for the fastest K - backup. All K   */
                               /*   transfer (a ring stays whole), late gradients are */
                               /*   dropped. Not STAGGERED, gpus > 1 or unequal types */
} sgdp_workers;

/* The links between workers and servers, or between the machines of an all-reduce. */
typedef struct sgdp_links {
    double   bandwidth_bytes_per_s; /* B, bandwidth of a server's (all-reduce: a      */
                               /*   machine's) link in each direction                 */
    double   worker_bandwidth_bytes_per_s; /* A, of a worker's own link in each       */
                               /*   direction. Its transfers to all servers share the */
                               /*   link: part s of the model gets s A. Needs B. 0: B */
                               /*   for RHYTHM and STAGGERED, else no limit           */
    double   uplink_s;         /* time of an upload alone, seconds; 0: model_bytes / B */
    double   downlink_s;       /* time of a download alone, seconds; 0: model_bytes / */
                               /*   B. All-reduce takes the longer one of both as M/B */
    double   flow_cap_bytes_per_s; /* c, limit of one flow; 0: none. Needs B. A link  */
                               /*   serves n flows at min(n c, B) [LPGLY22 4.4]       */
    double   delay_s;          /* delay between worker and server, one way, seconds;  */
                               /*   a step has two. Not for all-reduce or types       */
    double   port_buffer_bytes; /* buffer of the switch port to a server, in which    */
                               /*   streams of far workers meet and lose packets;     */
                               /*   default 500 kB. Only RHYTHM and STAGGERED         */
    double   latency_s;        /* latency of each message of an all-reduce, seconds   */
} sgdp_links;

/* The parameter servers. */
typedef struct sgdp_servers {
    uint32_t count;            /* number of servers, default 1                        */
    const double *shares;      /* [count] fraction of the model on each server, sum   */
                               /*   1; NULL: equal fractions. The largest one sets    */
                               /*   the time of transfers and updates                 */
    int      separate_updates; /* asynchronous. 0: updates share one server; else:    */
                               /*   each worker's updates run on a core of their own  */
    double   message_s;        /* time that each server takes for the message of one  */
                               /*   machine in a step, beside the update, seconds;    */
                               /*   more servers do not shorten it; separate_updates  */
                               /*   spread it over cores, as the update. Default 0    */
} sgdp_servers;

/* The exchange of an all-reduce. */
typedef struct sgdp_collective {
    uint32_t rings;            /* number of flows of one job on each link, default 1: */
                               /*   with flow cap c a link carries min(rings c, B)    */
    uint32_t jobs;             /* identical jobs that share the links, default 1, at  */
                               /*   most 1e5; the prediction is that of one           */
    sgdp_exchange_of exchange; /* NULL: the model's formula; FLAT, HIERARCHICAL: needed */
    void    *ctx;              /* passed to exchange and alltoall                     */
    double   alltoall_bytes;   /* S of the all-to-alls of a step (sgdpar_collective); */
                               /*   default 0. Needs B and alltoall. Compute hides    */
                               /*   them only by overlap.exponent. All-reduce only    */
    sgdp_exchange_of alltoall; /* times of all-to-alls; transfer times in *on are S/B, */
                               /*   and inside a machine S/b                          */
} sgdp_collective;

/* A machine of several accelerators, and how compute times grow with their number. */
typedef struct sgdp_machine {
    uint32_t gpus;             /* g, accelerators of a full machine, default 1. If    */
                               /*   more: see MACHINES at sgdp_model                  */
    double   local_bandwidth_bytes_per_s; /* b, inside a machine; needed if gpus > 1  */
    double   growth;           /* all-reduce: relative growth of compute with each    */
                               /*   doubling of a machine's accelerators (gpus = 1:   */
                               /*   of machines), up to 16. Not added to the measured */
                               /*   step of a full machine. 0: the model's, < 0: none */
    double   growth_between;   /* all-reduce, gpus > 1: the same with each doubling   */
                               /*   of machines, no limit. 0: the model's, < 0: none  */
    double   input_examples_per_s; /* examples/s that the input pipeline of a machine */
                               /*   delivers to all its accelerators; mini-batches    */
                               /*   have compute.batch examples. Default 0: no limit  */
} sgdp_machine;

/* Rule (for all-reduce: formula) that tells how far compute hides transfers. */
typedef struct sgdp_overlap {
    sgdp_overlap_rule rule;    /* default SGDP_OVERLAP_NONE                           */
    double   exponent;         /* p >= 1 of an all-reduce; 0: not used. Compute C and */
                               /*   exchange E together take (C^p + E^p)^(1/p)        */
                               /*   seconds: C + E for p = 1, nearly the longer of    */
                               /*   both for a large p [QCSSH21]. C is the backward   */
                               /*   pass if rule is given, else both passes           */
    double   exposure;         /* h of an all-reduce; 0: not used, negative: h = 0.   */
                               /*   Compute C and exchange E together take the longer */
                               /*   of C + h E and E seconds. h > 1: the library does */
                               /*   not reach the links' bandwidth. SGDP_BAD_ARGUMENT */
                               /*   if rule or exponent is also given                 */
} sgdp_overlap;

/* A training job: the profile of one worker, and the cluster to predict for. */
typedef struct sgdp_job {
    double          model_bytes; /* M, bytes of one transfer of the model or gradient */
    sgdp_compute    compute;
    sgdp_workers    workers;
    sgdp_links      links;
    sgdp_servers    servers;
    sgdp_collective collective;
    sgdp_machine    machine;
    sgdp_overlap    overlap;
    double          threshold; /* utilization, of HYBRID (default 0.8) or SWITCH (0.6); */
                               /*   < 0 means 0; > 1: SWITCH is FCFS, HYBRID refuses  */
    int             switch_anew; /* SWITCH with rule ONE_PASS. 0: keep the branch     */
                               /*   chosen without overlap; else: choose again        */
} sgdp_job;

/* Scaling of the throughput with the number of workers. */
typedef struct sgdp_scaling {
    double   speedup;          /* throughput / that of one worker (of the first type) */
    double   efficiency;       /* speedup / number of workers                         */
    double   saturation_workers; /* workers beyond which a shared resource is the     */
                               /*   limit: gpus * step of a full machine alone (a     */
                               /*   ring's with the exchange of many) / its time at   */
                               /*   the busiest resource; synchronous: / growth of    */
                               /*   the step by one more machine. INFINITY: none      */
} sgdp_scaling;

/* Parts of the time of a step, in seconds, averaged over the workers. All parts add up to
 * sgdp_prediction.step_s. Compute that is hidden behind transfers is not counted. */
typedef struct sgdp_time {
    double   service_s[SGDP_RESOURCE_COUNT]; /* in service at each resource, seconds  */
    double   waiting_s[SGDP_RESOURCE_COUNT]; /* waiting for each resource, seconds    */
    double   barrier_s;        /* waiting for slower workers at the barrier, seconds  */
} sgdp_time;

/* Model and method by which a prediction was computed, and whether it converged. */
typedef struct sgdp_solution {
    sgdp_model branch;         /* model that was solved; of SWITCH the branch taken   */
    sgdp_method method;        /* solver of the asynchronous network; LINEARIZER      */
                               /*   where Eqs. 2-4 are too large; AUTO: no network    */
    double   method_residual;  /* last relative change in LINEARIZER, else 0          */
    size_t   iterations;       /* iterations of the overlap's fixed point, else 0     */
    double   residual;         /* last relative change of this fixed point; if TCP    */
                               /*   windows do not converge: their last change / step */
} sgdp_solution;

/* Results for each type of workers. Each pointer is NULL (not wanted) or an array of the
 * caller, of job.workers.types elements; of 1 element if all workers are equal. */
typedef struct sgdp_types {
    double  *batches_per_s;    /* throughput of all workers of the type               */
    double  *waiting_share;    /* part of the step spent at the barrier, in [0, 1]    */
} sgdp_types;

/* A prediction. The caller sets the pointers in `types`; sgdp_predict writes the rest. */
typedef struct sgdp_prediction {
    uint32_t      workers;     /* number of workers                                   */
    double        batches_per_s; /* throughput of all workers, mini-batches per second */
    double        examples_per_s; /* throughput of all workers, examples per second   */
    double        step_s;      /* seconds of a step: (workers - backup) / batches_per_s */
    sgdp_scaling  scaling;
    sgdp_time     time;
    double        utilization[SGDP_RESOURCE_COUNT]; /* busy part of each resource     */
    sgdp_resource bottleneck;  /* resource of largest utilization; on ties the first  */
    sgdp_solution solution;
    sgdp_types    types;
} sgdp_prediction;

/* Predicts throughput and step time of a job with `workers` workers under one model. If
 * the job has types of workers, the sum of their counts replaces `workers`. With
 * job->machine.gpus > 1 each accelerator is a worker: K workers are on ceil(K / gpus)
 * machines, of which the last may not be full.
 *
 * BARRIER  A synchronous step waits for the slowest type of workers or, if compute times
 * vary, for the slowest worker. Model CYNTHIA refuses overlap, types and gpus > 1.
 *
 * LIMITS  All solutions of the queueing network of an asynchronous model together take at
 * most 1e10 operations. If Eqs. 2 to 4 of sgdp_mva_hybrid_approx would take more,
 * SGDP_METHOD_LINEARIZER solves them approximately. If Eq. 1 would take more, the status
 * is SGDP_OVER_BUDGET. This happens to EXACT and SWITCH from about 1e9 equal workers, or
 * 7e4 workers of several types.
 * STATUSES  SGDP_OK, SGDP_BAD_ARGUMENT, those of sgdp_mva_exact and of
 * sgdp_mva_hybrid_approx, and
 *   SGDP_TOO_LARGE      an asynchronous job has over 256 classes of machines; machines of
 *                       a class are equal in type and number of accelerators
 *   SGDP_NOT_CONVERGED  one of these did not converge: the network; an overlap, in 1000
 *                       solutions or 1e10 operations; TCP windows, in 100 rounds */
SGDP_API sgdp_status sgdp_predict(const sgdp_job *job, sgdp_model model, uint32_t workers,
                                  void *work, size_t work_bytes, sgdp_prediction *out);
/* Writes to *bytes the size of the work area of sgdp_predict. Asynchronous models except
 * model CYNTHIA need that of sgdp_mva_exact or its kin, below 1 kB if workers are equal.
 * Each class of equal machines adds 112 bytes. STAGGERED needs 172 bytes for each machine
 * and up to 2 kB more; with equal workers, at most 11 kB. The other models need none. */
SGDP_API sgdp_status sgdp_predict_bytes(const sgdp_job *job, sgdp_model model,
                                        uint32_t workers, size_t *bytes);

/* Estimates the operations of sgdp_predict, of about 1 ns each. An overlap counts as
 * about 100 solutions of the model. Statuses: those of sgdp_predict_bytes.
 *
 * COST of asynchronous models  Up to 3 solutions of the queueing network, 4 with
 * switch_anew. Rule SGDP_OVERLAP_FIXED_POINT adds up to 1000 solutions.
 *
 * COST of STAGGERED  Below 1 ms. At most N = 64 machines (types: 128) are followed event
 * by event, in O(N^2) time, with caps up to O(N^3); 4 times for N > 32, else 512/N times.
 *
 * COST of delays  To find the sizes of TCP windows, RHYTHM and STAGGERED repeat the
 * prediction up to 100 times. They do so only if there is a delay.
 *
 * COST of models CYNTHIA, PS, FCFS, AVERAGE and of all-reduce  O(types) operations for
 * `types` types of workers; about 60 (J + types) for J jobs that share links. The cost is
 * 2e4 times as high if compute times vary and synchronous workers have several types. */
SGDP_API sgdp_status sgdp_predict_operations(const sgdp_job *job, sgdp_model model,
                                             uint32_t workers, double *operations);

/* The points of a curve, and room for their predictions. */
typedef struct sgdp_curve {
    const uint32_t  *workers;  /* [points] number of workers of each point            */
    size_t           points;   /* number of points, >= 1                              */
    sgdp_prediction *out;      /* [points] written; the caller sets pointers in each  */
    sgdp_status     *status;   /* [points] receives OK or NOT_CONVERGED; may be NULL  */
} sgdp_curve;

/* Predicts all points of a curve over the number of workers. Each out[i] equals the
 * result of sgdp_predict to the last bit.
 *
 * STATUSES  SGDP_OK. SGDP_NOT_CONVERGED if a point did not converge. SGDP_BAD_ARGUMENT,
 * with nothing written, for an invalid argument, no points, or a point with no more
 * workers than backup workers. Otherwise the status of the first point without a
 * prediction; only the points before this point are written. */
SGDP_API sgdp_status sgdp_predict_curve(const sgdp_job *job, sgdp_model model,
                                        const sgdp_curve *curve, void *work,
                                        size_t work_bytes);
/* Writes to *bytes the size of the work area of a curve: the largest that sgdp_predict
 * needs for a point, and about 2.5 kB if points share a pass. */
SGDP_API sgdp_status sgdp_predict_curve_bytes(const sgdp_job *job, sgdp_model model,
                                              const sgdp_curve *curve, size_t *bytes);

/* Estimates the operations of sgdp_predict_curve. Reads curve->workers and ->points.
 * COST  Points of a curve can share one pass: the solver of an asynchronous model for K
 * workers also solves all smaller numbers. A pass takes O(points + largest number of
 * workers): about 15 ns per worker and 150 ns per point, and for HYBRID a root search per
 * worker. Without a common pass the cost is the sum of all points.
 *
 * PASSES  Points share a pass of the solver if all of these conditions hold:
 *   - the model is asynchronous, but not CYNTHIA
 *   - workers are equal, with one accelerator in a machine and without overlap
 *   - RHYTHM: there is no delay
 *   - EXACT, SWITCH: no flow cap or worker's own link slows down single flows
 *   - numbers of workers do not fall from point to point: a fall begins a new pass */
SGDP_API sgdp_status sgdp_predict_curve_operations(const sgdp_job *job, sgdp_model model,
                                                   const sgdp_curve *curve,
                                                   double *operations);

/* Effects that lengthen an all-reduce step: growth of compute, exposed exchange. */
typedef struct sgdp_stretch {
    double growth;             /* factor on compute times, >= 1                        */
    double exposure;           /* exposure h as in sgdp_overlap; 0: not used           */
} sgdp_stretch;

/* Writes to *out what an all-reduce model uses for `workers` equal workers: growth, a
 * factor on compute, and exposure, the seconds that one second of exchange adds to a
 * step. The job may give both; otherwise model CLUSTER has defaults. Predictions by
 * layers and replays can use them, too.
 *
 * Reads the fields machine, overlap and compute of *job. Calls log2. SGDP_BAD_ARGUMENT: a
 * pointer is NULL; there are no workers; the model is no all-reduce; a number is bad. */
SGDP_API sgdp_status sgdp_stretch_of(const sgdp_job *job, sgdp_model model,
                                     uint32_t workers, sgdp_stretch *out);

/* Returns how many seconds one second of an exchange adds to a step. The result is
 * `exposure`, or more if compute_s is too short to hide the rest of exchange_s. If
 * exposure is 0 (not given), the result is 1. A negative exposure counts as 0. */
SGDP_API double sgdp_exposed(double exposure, double compute_s, double exchange_s);

/* Inputs of a job that can be varied or fitted; sgdp_set_input tells their fields. */
typedef enum sgdp_input {
    SGDP_INPUT_FORWARD = 0, SGDP_INPUT_BACKWARD, SGDP_INPUT_UPDATE, SGDP_INPUT_TRANSFER,
    SGDP_INPUT_BANDWIDTH, SGDP_INPUT_LATENCY, SGDP_INPUT_FLOW_CAP,
    SGDP_INPUT_LOCAL_BANDWIDTH, SGDP_INPUT_OVERLAP, SGDP_INPUT_THRESHOLD,
    SGDP_INPUT_MESSAGE, SGDP_INPUT_EXPOSURE, SGDP_INPUT_GROWTH,
    SGDP_INPUT_GROWTH_BETWEEN, SGDP_INPUT_COUNT
} sgdp_input;

/* Sets an input of a job to a value, for instance to a value found by sgdfit_calibrate.
 * Most inputs are the field of their name, in the unit of the field. The times of
 * job.workers.type never change. Special inputs:
 *   TRANSFER   the longer one of uplink_s and downlink_s, if the job gives any; the other
 *              keeps its proportion. If the job gives neither: model_bytes
 *   OVERLAP    overlap.exponent
 *   MESSAGE    servers.message_s
 *   THRESHOLD, EXPOSURE  the value 0 stands for 0, not for the default
 *
 * SGDP_BAD_ARGUMENT: NULL, no such input, a negative or non-finite value. O(1). */
SGDP_API sgdp_status sgdp_set_input(sgdp_job *job, sgdp_input input, double value);

/* Computes the elasticities of the throughput X: the percent by which X grows if an input
 * grows by one percent, d ln X / d ln input. elasticity[SGDP_INPUT_COUNT] receives them.
 *
 * RULES  Inputs FORWARD and BACKWARD scale the compute times of all types of workers
 * together. THRESHOLD has elasticity 0, and so has an input that is 0 or not used. Model
 * SWITCH keeps the branch, EXACT or FCFS, that was chosen for the job.
 *
 * METHOD  Central differences with a relative step of 1e-5. Input OVERLAP at its least
 * value 1 takes a forward difference. The absolute error is about 1e-6 where the
 * throughput is smooth. Calls log, exp.
 * COST  1 prediction, and 2 for each input above 0. Work, statuses: as sgdp_predict. */
SGDP_API sgdp_status sgdp_elasticity(const sgdp_job *job, sgdp_model model,
                                     uint32_t workers, void *work, size_t work_bytes,
                                     double *elasticity);

/* Finds the knee of a throughput curve: the smallest number of workers w such that no
 * larger number has a throughput higher by more than `tolerance` (relative, such as
 * 0.01). batches_per_s[w - 1] is the throughput of w = 1 .. n workers. *knee receives w.
 *
 * O(n). SGDP_BAD_ARGUMENT: NULL; n = 0; a throughput <= 0; a bad tolerance. */
SGDP_API sgdp_status sgdp_knee(const double *batches_per_s, size_t n, double tolerance,
                               size_t *knee);

/* Spreads layers over parameter servers by TensorFlow's greedy rule. Each layer, in the
 * given order, goes to the server with the fewest bytes until then; on ties to the lowest
 * index. shares[servers] receives the fraction of all bytes on each server.
 * server[layers], if not NULL, receives the server of each layer, counted from 0.
 *
 * O(layers*servers). SGDP_BAD_ARGUMENT: a required pointer is NULL; there is no layer or
 * no server; a size is negative or not finite; the sum of the sizes is 0 or overflows. */
SGDP_API sgdp_status sgdp_greedy_shares(const double *layer_bytes, size_t layers,
                                        uint32_t servers, double *shares,
                                        uint32_t *server);

/* ---- Measured jobs --------------------------------------------------------- */

/* One run: a measured throughput, and the job as it ran. Jobs of several runs may differ
 * in known inputs. The unknown inputs have one value in all runs. */
typedef struct sgdp_measurement {
    const sgdp_job *job;       /* the job as it ran                                   */
    uint32_t        workers;   /* number of workers; ignored if the job has types     */
    double          batches_per_s; /* measured throughput, mini-batches per second, > 0 */
} sgdp_measurement;

/* The range in which to search for an unknown input. At `least` the input has no effect,
 * or nearly none. From `low` on it has an effect. At `high` the effect is too large.
 * Inputs BANDWIDTH, FLOW_CAP, LOCAL_BANDWIDTH, OVERLAP have a range of 1 / input. */
typedef struct sgdp_range { double least, low, high; } sgdp_range;

/* Measured runs of jobs that have unknown inputs. sgdfit_calibrate of sgdperf_fit.h finds
 * the values, given sgdp_runs_predict, sgdp_runs_elasticity and this struct. */
typedef struct sgdp_runs {
    sgdp_model              model;     /* predicts the runs                           */
    const sgdp_measurement *run;       /* [n] the measured runs                       */
    size_t                  n;         /* number of runs, >= 1                        */
    const sgdp_input       *unknown;   /* [unknowns] unknown inputs, each once;       */
                                       /*   THRESHOLD only for predictions            */
    size_t                  unknowns;  /* number of unknown inputs, >= 1              */
    size_t                  work_bytes; /* of the callbacks; set by sgdp_runs_open    */
} sgdp_runs;

/* Prepares measured runs for calibration. Sets runs->work_bytes. range[unknowns] receives
 * the range in which to search for each unknown input. It follows from the measured
 * throughputs and the sizes of the jobs. The value that a job has for an unknown input is
 * ignored. If `range` is NULL, throughputs are not read.
 *
 * UNKNOWN TRANSFER  Either all jobs give uplink_s or downlink_s, or none does. If all do,
 * the unknown is the longer of both times, in seconds; only the ratio of the given times
 * counts. If none does, the unknown is model_bytes, and the jobs need a bandwidth.
 *
 * SGDP_BAD_ARGUMENT: a required pointer is NULL; there is no run or no unknown input; an
 * input is given twice; a throughput is not > 0; the runs do not determine the range of
 * an unknown input, such as a bandwidth of jobs without bytes to send. If
 * sgdp_predict_bytes refuses a job, its status is returned. */
SGDP_API sgdp_status sgdp_runs_open(sgdp_runs *runs, sgdp_range *range);

/* Predicts the throughputs of runs first .. first + count - 1 and writes them to
 * rate[count], in mini-batches per second. value[unknowns] holds a value of each unknown
 * input; a negative value stands for the value in each run's own job. `ctx` is an
 * sgdp_runs that sgdp_runs_open prepared. `work` has the size of its field work_bytes.
 * COST  One prediction a run. Successive runs of equal jobs cost like points of a curve.
 *
 * RETURNS 0, or the sgdp_status of the first run that has no prediction or does not
 * converge. The rate of this run is 0; later rates are not written. */
SGDP_API int sgdp_runs_predict(const void *ctx, const double *value, size_t first,
                               size_t count, void *work, double *rate);

/* Computes the elasticities of one run's throughput (see sgdp_elasticity). e[unknowns]
 * receives one for each unknown input. value[unknowns] holds a value of each unknown
 * input. `ctx`, `work` and the result are as in sgdp_runs_predict.
 *
 * If `value` is NULL, values come from the run's job, as for the choice of runs to
 * measure. If an unknown other than a bandwidth is 0 there, a value of small effect
 * replaces it. THRESHOLD is refused. */
SGDP_API int sgdp_runs_elasticity(const void *ctx, const double *value, size_t run,
                                  void *work, double *e);

/* Computes the job of one worker from a profile measured while several workers ran. The
 * measured transfer times include waiting for other workers; the times in *out do not.
 * *step_s receives the measured step, in seconds.
 *
 * READS these fields of *job, all measured while several workers ran:
 *   forward_s, backward_s, update_s
 *   uplink_s, downlink_s  all-reduce: the longer of the two is the time of an exchange
 *   one_worker_step_s     the step of each worker; 0: the sum of the times above
 *
 * REQUIRED  With an overlap: one_worker_step_s. Otherwise: this step or transfer times.
 *
 * WRITES to *out a copy of *job with one_worker_step_s = 0 and new compute times. If
 * job->model_bytes is given, the transfer times of *out are 0: calibration then finds a
 * bandwidth. The new sum of forward_s and backward_s is:
 *   if *job has                  the sum is
 *   no transfer times            forward_s + backward_s
 *   transfer times, no overlap   the step less transfers and update
 *   transfer times, an overlap   the step less transfers and update, or forward_s +
 *                                backward_s if that is longer
 *
 * SGDP_BAD_ARGUMENT: NULL; a required time is missing; the job has types of workers;
 * message_s with a model other than all-reduce; the other parts of the step leave no time
 * for compute; a time is < 0 or not finite. O(1). */
SGDP_API sgdp_status sgdp_measured_step(const sgdp_job *job, sgdp_model model,
                                        sgdp_job *out, double *step_s);

/* Uncertainty of the measured times of a job. Each field is the half-width, in seconds,
 * of an interval around the time of this name. 0: the time is exact. */
typedef struct sgdp_uncertainty {
    double   forward_s, backward_s, update_s, uplink_s, downlink_s;
    double   one_worker_step_s;
    double   part;             /* factor on all half-widths; default 1                */
} sgdp_uncertainty;

/* A job as measured, and the uncertainty of its times. */
typedef struct sgdp_profile {
    const sgdp_job         *job;
    const sgdp_uncertainty *unsure;
} sgdp_profile;

/* Computes how uncertain a prediction is because its profile is uncertain (delta method).
 * *half_width receives half the width of the interval of the throughput, relative to the
 * throughput; it may exceed 1. The confidence level is that of the profile's intervals.
 *
 * METHOD  The times of the profile are raised by their half-widths, one at a time. The
 * changes of the log of the throughput are taken as independent, so their squares add.
 * Times that are 0 are left out. If the job has types or one_worker_step_s, forward_s and
 * backward_s are left out, too.
 *
 * MODELS  Model SWITCH keeps the branch, EXACT or FCFS, that was chosen for the job. For
 * SYNC_STAGGERED the result is that of SYNC_PS, which takes less time to compute.
 * COST  Up to 7 predictions. If no time is raised, no prediction or work area is needed.
 * SGDP_BAD_ARGUMENT: a required pointer is NULL; a half-width or `part` is negative or
 * not finite. Work area and other statuses are those of sgdp_predict. */
SGDP_API sgdp_status sgdp_profile_spread(const sgdp_profile *profile, sgdp_model model,
                                         uint32_t workers, void *work,
                                         size_t work_bytes, double *half_width);

/* ---- Remedies -------------------------------------------------------------- */

/* Remedies for a job that is too slow. Compute time is taken as proportional to the
 * batch. This is too optimistic if batches are too small to keep an accelerator busy. */
#define SGDP_REMEDY_TABLE(X)                                                        \
    X(SGDP_REMEDY_BANDWIDTH, "twice the bandwidth")                                 \
    X(SGDP_REMEDY_SERVER,    "another parameter server")                            \
    X(SGDP_REMEDY_BATCH,     "twice the batch")                                     \
    X(SGDP_REMEDY_OVERLAP,   "transfers behind compute")                            \
    X(SGDP_REMEDY_BYTES,     "half the bytes sent")                                 \
    X(SGDP_REMEDY_COMPUTE,   "workers twice as fast")                               \
    X(SGDP_REMEDY_UPDATE,    "updates twice as fast")                               \
    X(SGDP_REMEDY_LOCAL,     "twice the bandwidth inside machines")                 \
    X(SGDP_REMEDY_INPUT,     "input twice as fast")

#define SGDP_X(name, text) name,
typedef enum sgdp_remedy { SGDP_REMEDY_TABLE(SGDP_X) SGDP_REMEDY_COUNT } sgdp_remedy;
#undef SGDP_X

/* Text of a remedy, such as "twice the bandwidth"; "no such value" if out of range. */
SGDP_API const char *sgdp_remedy_text(sgdp_remedy remedy);

/* Computes the relative gain of throughput, in examples per second of `workers` workers,
 * by each remedy alone: 0.3 is 30 % more. Writes the gains to gain[SGDP_REMEDY_COUNT].
 *
 * ZERO gain: a remedy that does not apply. For instance, an all-reduce has no server to
 * add. An overlap may exist already, or the model lacks it. Updates may take no time.
 * Memory limits are not checked.
 *
 * REMEDIES in detail: BANDWIDTH doubles the bandwidth of the workers' own links, too, but
 * no flow cap. SERVER adds a server with its own link; all servers then hold equal parts
 * of the model. Model SWITCH keeps its branch, EXACT or FCFS.
 * COST  10 predictions. Statuses: those of sgdp_predict, for this job and with one more
 * server. sgdp_remedies_bytes tells the size of the work area. */
SGDP_API sgdp_status sgdp_remedies(const sgdp_job *job, sgdp_model model,
                                   uint32_t workers, void *work, size_t work_bytes,
                                   double *gain);
SGDP_API sgdp_status sgdp_remedies_bytes(const sgdp_job *job, sgdp_model model,
                                         uint32_t workers, size_t *bytes);

/* Computes how a job changes on other machines, and writes the new job to *moved. Compute
 * takes compute_scale times as long. Links, also the workers' own, are link_scale times
 * as fast. Flow caps, delays and latencies stay. one_worker_step_s is updated.
 *
 * SGDP_BAD_ARGUMENT: a pointer is NULL; sgdp_predict refuses the job; a scale is not > 0;
 * compute_scale is not 1 although the job has types. O(1). */
SGDP_API sgdp_status sgdp_move_job(const sgdp_job *job, sgdp_model model,
                                   double compute_scale, double link_scale,
                                   sgdp_job *moved);

/* ---- Library --------------------------------------------------------------- */

/* Returns the SGDPERF_VERSION of the compiled implementation. A program that loads a
 * shared library compares the result with the version of its own header.
 *
 * EXPORTS  To export or import the functions, define SGDP_API before every inclusion of
 * the header, as __attribute__((visibility("default"))) or __declspec(dllimport). */
SGDP_API int sgdp_version(void);

/* Returns the size in bytes of the public struct called `name`, as compiled. Returns 0 if
 * there is no such struct. A binding in another language can check its own size by it. */
SGDP_API size_t sgdp_struct_bytes(const char *name);

#define SGDP_STRUCT_TABLE(X) \
    X(sgdp_network) X(sgdp_mva_options) X(sgdp_mva_result) X(sgdp_worker_type) \
    X(sgdp_variation) X(sgdp_machines) X(sgdp_exchange) X(sgdp_compute) \
    X(sgdp_workers) X(sgdp_links) X(sgdp_servers) X(sgdp_collective) X(sgdp_machine) \
    X(sgdp_overlap) X(sgdp_job) X(sgdp_scaling) X(sgdp_time) X(sgdp_solution) \
    X(sgdp_types) X(sgdp_prediction) X(sgdp_curve) X(sgdp_stretch) X(sgdp_measurement) \
    X(sgdp_range) X(sgdp_runs) X(sgdp_uncertainty) X(sgdp_profile)

#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_H */

#if defined(SGDPERF_IMPLEMENTATION) && !defined(SGDPERF_IMPLEMENTED)
#define SGDPERF_IMPLEMENTED
/* ============================================================================
 *   IMPLEMENTATION
 *   Contents of the code below: chapters, each with its parts in their order.
 *   Common block      the same in all headers: checks, work areas, sorting
 *   Closed networks   a problem; one step of the recursion; the population lattice;
 *                     exact by chain, groups of queues; exact by chain, one group of
 *                     queues; exact by chain, several groups; exact by chain, halving
 *                     the tasks; exact, stations of several servers; fixed points;
 *                     choice of the method; bounds
 *   SGD on a cluster  texts; steps that vary; the k-th fastest worker; quantiles of
 *                     varying steps; the fields of the inputs; checks and defaults of a
 *                     job; delays and windows of TCP; a job's compute and workers;
 *                     parts of a step; synchronous models, and Cynthia; one synchronous
 *                     step, event by event; asynchronous networks; predictions; curves;
 *                     elasticities; knees, and layers on servers
 *   Measured jobs     range of an unknown input; runs; profiles of several workers;
 *                     uncertainty of a profile
 *   Remedies          a job on other machines; each remedy alone
 * ==========================================================================*/

#ifndef SGDP_ASSERT
#include <assert.h>
#define SGDP_ASSERT(x) assert(x)
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
static inline const char *sgdp_priv_text(const char *const *text, size_t count, size_t i)
{
    return i < count ? text[i] : "no such value";
}

SGDP_API const char *sgdp_status_text(sgdp_status status)
{
#define SGDP_X(name, text) text,
    static const char *const text[] = { SGDP_STATUS_TABLE(SGDP_X) };
#undef SGDP_X
    return sgdp_priv_text(text, SGDP_STATUS_COUNT, (size_t)status);
}

SGDP_API int sgdp_version(void) { return SGDPERF_VERSION; }

SGDP_API size_t sgdp_struct_bytes(const char *name)
{
#define SGDP_X(type) { #type, sizeof(type) },
    static const struct { const char *name; size_t bytes; } known[] = {
        SGDP_STRUCT_TABLE(SGDP_X) };
#undef SGDP_X
    size_t i;
    for (i = 0; name && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0) return known[i].bytes;
    return 0;
}

/* A time is finite and >= 0, a rate finite and > 0. NaN is neither, as it fails every
 * comparison. Ranges are tested because -ffast-math may take isfinite for true. */
static inline int sgdp_priv_is_time(double x) { return x >= 0.0 && x <= DBL_MAX; }
static inline int sgdp_priv_is_rate(double x) { return x > 0.0 && x <= DBL_MAX; }

/* True if a equals b. Written without ==, so that -Wfloat-equal finds mistakes. */
static inline int sgdp_priv_same(double a, double b) { return a <= b && a >= b; }

/* Divides the caller's work area into arrays. With base NULL it only counts bytes, so one
 * routine both answers ..._bytes() and lays out the work area. */
typedef struct sgdp_priv_arena {
    char  *base;
    size_t used;
    int    overflow;
} sgdp_priv_arena;

static inline sgdp_priv_arena sgdp_priv_arena_at(void *base)
{
    sgdp_priv_arena arena;
    arena.base = (char *)base;
    arena.used = 0;
    arena.overflow = 0;
    return arena;
}

#ifndef SGDP_PRIV_TAKEN
#define SGDP_PRIV_TAKEN(arena, at, bytes) ((void)0)  /* of tests/gaps.h */
#endif
/* Takes `count` elements of `size` bytes, aligned for double. NULL while counting. */
static inline void *sgdp_priv_take(sgdp_priv_arena *arena, size_t count, size_t size)
{
    const size_t limit = (size_t)-1 / sizeof(double) * sizeof(double), at = arena->used;
    SGDP_ASSERT(size > 0 && at % sizeof(double) == 0);
    if (arena->overflow || count > (limit - at) / size) {
        arena->overflow = 1;
        return NULL;
    }
    arena->used = (at + count * size + sizeof(double) - 1) / sizeof(double);
    arena->used *= sizeof(double);
    SGDP_PRIV_TAKEN(arena, at, count * size);
    return arena->base ? arena->base + at : NULL;
}

static inline double *sgdp_priv_doubles(sgdp_priv_arena *arena, size_t count)
{
    return (double *)sgdp_priv_take(arena, count, sizeof(double));
}

/* Answers a ..._bytes() from an arena that has counted. */
static inline sgdp_status sgdp_priv_answer(const sgdp_priv_arena *arena, size_t *bytes)
{
    if (!bytes) return SGDP_BAD_ARGUMENT;
    if (arena->overflow) return SGDP_TOO_LARGE;
    *bytes = arena->used;
    return SGDP_OK;
}

/* Checks that the caller's work area is not NULL, is aligned, and is large enough. */
static inline sgdp_status sgdp_priv_check_work(const void *work,
                                               size_t work_bytes, size_t need)
{
    if (need == 0) return SGDP_OK;
    if (!work || (uintptr_t)work % sizeof(double) != 0) return SGDP_BAD_ARGUMENT;
    return work_bytes < need ? SGDP_SMALL_WORKSPACE : SGDP_OK;
}

/* The mixing function of SplitMix64 [SLF14]: 64 random bits that depend only on x. */
static inline uint64_t sgdp_priv_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* 64 random bits that depend only on (seed, a, b). There is no state: a draw does not
 * depend on the draws before it. */
static inline uint64_t sgdp_priv_random(uint64_t seed, uint64_t a, uint64_t b)
{
    return sgdp_priv_mix(sgdp_priv_mix(sgdp_priv_mix(seed) ^ a) ^ b);
}

/* Uniform in [0, 1): the upper 53 of the random bits. */
static inline double sgdp_priv_uniform(uint64_t random)
{
    return (double)(random >> 11) / 9007199254740992.0;
}

/* Two-sided 95 % point of Student's t. Beyond the table: the expansion of Cornish and
 * Fisher in 1 / degrees [AS64, 26.7.5], with a relative error below 1e-7. */
static inline double sgdp_priv_student95(uint64_t degrees)
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
    SGDP_ASSERT(degrees >= 1);
    if (degrees <= sizeof table / sizeof table[0]) return table[degrees - 1];
    return x + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

/* Largest size of an element that sgdp_priv_sort can sort, in bytes. */
#define SGDP_PRIV_SORTED_BYTES 32

/* Tells whether element a comes before element b. */
typedef int (*sgdp_priv_sort_order)(const void *ctx, const void *a, const void *b);

static inline void sgdp_priv_swap(char *a, char *b, size_t size)
{
    char held[SGDP_PRIV_SORTED_BYTES];
    memcpy(held, a, size);
    memcpy(a, b, size);
    memcpy(b, held, size);
}

/* Sinks element `at` to its place in the heap base[n]. The top of the heap is the
 * element that comes last in order. */
static inline void sgdp_priv_sort_sink(char *base, size_t at, size_t n, size_t size,
                                       sgdp_priv_sort_order before, const void *ctx)
{
    while (at < n / 2) {                   /* while `at` has a child */
        char *here = base + at * size, *child = base + (2 * at + 1) * size;
        if (2 * at + 2 < n && before(ctx, child, child + size)) child += size;
        if (!before(ctx, here, child)) return;
        sgdp_priv_swap(here, child, size);
        at = (size_t)(child - base) / size;
    }
}

/* Heap sort in place: O(n log n) for every order of the input. qsort may call malloc. */
static inline void sgdp_priv_sort(void *elements, size_t n, size_t size,
                                  sgdp_priv_sort_order before, const void *ctx)
{
    char *base = (char *)elements;
    size_t i;
    SGDP_ASSERT(size <= SGDP_PRIV_SORTED_BYTES);
    for (i = 1; i < n; i++)
        if (before(ctx, base + i * size, base + (i - 1) * size)) break;
    if (i >= n) return;                    /* already in order, as logs often are */
    for (i = n / 2; i-- > 0;) sgdp_priv_sort_sink(base, i, n, size, before, ctx);
    for (i = n; i-- > 1;) {
        sgdp_priv_swap(base, base + i * size, size);
        sgdp_priv_sort_sink(base, 0, i, size, before, ctx);
    }
}
/* ---- End of the Common block ------------------------------------------------------ */

/* ---- Closed networks: a problem -------------------------------------------- */

/* Gives a function its own stack frame: its arrays do not enlarge that of its caller. */
#if defined(__GNUC__)
#define SGDP_PRIV_OWN_FRAME __attribute__((noinline))
#elif defined(_MSC_VER)
#define SGDP_PRIV_OWN_FRAME __declspec(noinline)
#else
#define SGDP_PRIV_OWN_FRAME
#endif

#define SGDP_PRIV_MERGED 64         /* more distinct classes are too many for lattices */

/* The public function that is called: sgdp_mva_exact, _hybrid_approx or _approx. */
typedef enum sgdp_priv_way { SGDP_PRIV_EXACT, SGDP_PRIV_HYBRID, SGDP_PRIV_FIXED }
    sgdp_priv_way;

/* A network, and the properties that decide which method can solve it. */
typedef struct sgdp_priv_problem {
    const sgdp_network *net;
    sgdp_mva_options o;             /* with defaults                                  */
    sgdp_priv_way way;
    size_t classes;                 /* distinct classes; all of them if not merged    */
    size_t queues;                  /* stations at which tasks can wait               */
    size_t tasks;                   /* K                                              */
    size_t empty;                   /* classes without tasks, which are left out      */
    int    rates;                   /* some station has rates,                        */
    int    several;                 /*   some queue has several servers, or rates,    */
    int    unequal;                 /*   some station is not SGDP_PS,                 */
    int    blend;                   /*   some is SGDP_HYBRID,                         */
    int    hybrid;                  /*   some is hybrid or interleaved: several sums  */
    int    merged;                  /* 0: more than SGDP_PRIV_MERGED distinct classes */
    size_t first[SGDP_PRIV_MERGED]; /* if merged: first class of each kind            */
    size_t count[SGDP_PRIV_MERGED]; /*   and tasks of that kind                       */
} sgdp_priv_problem;

static size_t sgdp_priv_population(const sgdp_network *net, size_t c)
{
    return net->population ? net->population[c] : 1;
}

static double sgdp_priv_think(const sgdp_network *net, size_t c)
{
    return net->think_s ? net->think_s[c] : 0.0;
}

static double sgdp_priv_capacity(const sgdp_network *net, size_t l)
{
    return net->capacity ? net->capacity[l] : 1.0;
}

static sgdp_discipline sgdp_priv_discipline(const sgdp_network *net, size_t l)
{
    return net->discipline ? net->discipline[l] : SGDP_PS;
}

/* Speed of a station as a function of the tasks present. */
typedef struct sgdp_priv_speed {
    double        capacity;
    const double *rate;             /* [rates]; NULL: by capacity                     */
    size_t        rates;
} sgdp_priv_speed;

static sgdp_priv_speed sgdp_priv_speed_of(const sgdp_network *net, size_t l)
{
    const double *row = net->rates ? net->rates + l * net->rate_tasks : NULL;
    sgdp_priv_speed speed;
    speed.capacity = sgdp_priv_capacity(net, l);
    speed.rate = row && row[0] > 0.0 ? row : NULL;
    speed.rates = net->rate_tasks;
    return speed;
}

static inline double sgdp_priv_speed_at(const sgdp_priv_speed *speed, size_t tasks)
{
    SGDP_ASSERT(tasks > 0);
    if (!speed->rate) return fmin((double)tasks, speed->capacity);
    return speed->rate[(tasks < speed->rates ? tasks : speed->rates) - 1];
}

static double sgdp_priv_speed_most(const sgdp_priv_speed *speed)
{
    double most = 0.0;
    size_t j;
    if (!speed->rate) return speed->capacity;
    for (j = 0; j < speed->rates; j++) most = fmax(most, speed->rate[j]);
    return most;
}

/* Speed at utilization 1; 1 for a delay. */
static double sgdp_priv_full_speed(const sgdp_network *net, size_t l)
{
    const sgdp_priv_speed speed = sgdp_priv_speed_of(net, l);
    const double most = sgdp_priv_speed_most(&speed);
    return most <= DBL_MAX ? most : 1.0;
}

/* True for one server of constant speed. */
static int sgdp_priv_is_single(const sgdp_network *net, size_t l)
{
    const sgdp_priv_speed speed = sgdp_priv_speed_of(net, l);
    return !speed.rate && !(speed.capacity > 1.0);
}

/* True if no task waits here, because every task of the network finds room. */
static int sgdp_priv_is_delay(const sgdp_network *net, size_t l, size_t tasks)
{
    if (tasks > 0 && sgdp_priv_speed_of(net, l).rate) return 0;
    return sgdp_priv_capacity(net, l) >= (double)tasks;
}

static int sgdp_priv_same_class(const sgdp_network *net, size_t a, size_t b)
{
    const size_t L = net->stations;
    size_t l;
    if (!sgdp_priv_same(sgdp_priv_think(net, a), sgdp_priv_think(net, b))) return 0;
    for (l = 0; l < L; l++)
        if (!sgdp_priv_same(net->demand_s[a * L + l], net->demand_s[b * L + l])) return 0;
    return 1;
}

/* Index of class c among the distinct classes; p->classes if it equals none yet. */
static size_t sgdp_priv_kind(const sgdp_priv_problem *p, size_t c)
{
    size_t k;
    if (!p->merged) {
        for (k = c; p->empty > 0 && c-- > 0;) k -= sgdp_priv_population(p->net, c) == 0;
        return k;
    }
    SGDP_ASSERT(p->classes <= SGDP_PRIV_MERGED);
    for (k = 0; k < p->classes; k++)
        if (sgdp_priv_same_class(p->net, p->first[k], c)) return k;
    return k;
}

/* A class of the network that equals the k-th distinct class. */
static size_t sgdp_priv_given(const sgdp_priv_problem *p, size_t k)
{
    size_t c = 0;
    SGDP_ASSERT(k < p->classes);
    if (p->merged) return p->first[k];
    if (p->empty == 0) return k;
    for (;; c++)
        if (sgdp_priv_population(p->net, c) > 0 && k-- == 0) return c;
}

/* Limits of the sum of a class's times. Beyond them the square of the sum, or the
 * reciprocal of the throughput, would leave the range of double. */
#define SGDP_PRIV_TOTAL_MIN 1e-150
#define SGDP_PRIV_TOTAL_MAX 1e150
#define SGDP_PRIV_RATE_MIN 1e-100
#define SGDP_PRIV_RATE_MAX 1e100

static sgdp_status sgdp_priv_check_stations(const sgdp_network *net)
{
    size_t l, j;
    if (net->rates && net->rate_tasks == 0) return SGDP_BAD_ARGUMENT;
    if (net->rates && net->rate_tasks > (size_t)-1 / sizeof(double) / net->stations)
        return SGDP_TOO_LARGE;
    for (l = 0; l < net->stations; l++) {
        const size_t discipline = (size_t)sgdp_priv_discipline(net, l);
        const double *rate = net->rates ? net->rates + l * net->rate_tasks : NULL;
        if (!(sgdp_priv_capacity(net, l) >= 1.0)) return SGDP_BAD_ARGUMENT;
        if (discipline > (size_t)SGDP_INTERLEAVED) return SGDP_BAD_ARGUMENT;
        if (!rate || sgdp_priv_same(rate[0], 0.0)) continue;
        for (j = 0; j < net->rate_tasks; j++)
            if (!(rate[j] >= SGDP_PRIV_RATE_MIN && rate[j] <= SGDP_PRIV_RATE_MAX))
                return SGDP_BAD_ARGUMENT;
    }
    return SGDP_OK;
}

static sgdp_status sgdp_priv_check_network(const sgdp_network *net)
{
    size_t c, l, cells = 0;
    sgdp_status status;
    if (!net || !net->demand_s || net->stations == 0 || net->classes == 0)
        return SGDP_BAD_ARGUMENT;
    if (net->classes > (size_t)-1 / sizeof(double) / net->stations) return SGDP_TOO_LARGE;
    status = sgdp_priv_check_stations(net);
    if (status != SGDP_OK) return status;
    for (c = 0; c < net->classes; c++) {
        double total = sgdp_priv_think(net, c);
        if (!sgdp_priv_is_time(total)) return SGDP_BAD_ARGUMENT;
        for (l = 0; l < net->stations; l++, cells++) {
            if (!sgdp_priv_is_time(net->demand_s[cells])) return SGDP_BAD_ARGUMENT;
            total += net->demand_s[cells];
        }
        if (sgdp_priv_population(net, c) > 0
            && !(total >= SGDP_PRIV_TOTAL_MIN && total <= SGDP_PRIV_TOTAL_MAX))
            return SGDP_BAD_ARGUMENT;
    }
    return SGDP_OK;
}

/* Moves the largest class to the front: a lattice keeps two layers of its first class. */
static void sgdp_priv_largest_first(sgdp_priv_problem *p)
{
    const size_t first = p->first[0], count = p->count[0];
    size_t largest = 0, k;
    for (k = 1; k < p->classes; k++)
        if (p->count[k] > p->count[largest]) largest = k;
    p->first[0] = p->first[largest];
    p->count[0] = p->count[largest];
    p->first[largest] = first;
    p->count[largest] = count;
    SGDP_ASSERT(p->count[0] >= p->count[p->classes - 1]);
}

/* Counts the queues, and sets the flags that depend on stations. */
static void sgdp_priv_examine_stations(sgdp_priv_problem *p)
{
    size_t l;
    for (l = 0; l < p->net->stations; l++) {
        const sgdp_discipline discipline = sgdp_priv_discipline(p->net, l);
        if (discipline != SGDP_PS) p->unequal = 1;
        if (discipline == SGDP_HYBRID) p->blend = 1;
        if (discipline >= SGDP_HYBRID) p->hybrid = 1;
        if (sgdp_priv_speed_of(p->net, l).rate) p->rates = 1;
        if (sgdp_priv_is_delay(p->net, l, p->tasks)) continue;
        p->queues++;
        if (!sgdp_priv_is_single(p->net, l)) p->several = 1;
    }
    SGDP_ASSERT(p->queues <= p->net->stations);
}

static sgdp_status sgdp_priv_examine(const sgdp_network *net, sgdp_priv_problem *p)
{
    const sgdp_status status = sgdp_priv_check_network(net);
    size_t c, k;
    if (status != SGDP_OK) return status;
    memset(p, 0, offsetof(sgdp_priv_problem, first)); /* the rest would cost time     */
    p->net = net;
    p->merged = 1;
    for (c = 0; c < net->classes; c++) {
        if (sgdp_priv_population(net, c) == 0) { p->empty++; continue; }
        if (sgdp_priv_population(net, c) > (size_t)-1 / 64 - p->tasks)
            return SGDP_TOO_LARGE;
        p->tasks += sgdp_priv_population(net, c);
        if (!p->merged) continue;
        k = sgdp_priv_kind(p, c);
        if (k == SGDP_PRIV_MERGED) { p->merged = 0; continue; }
        if (k == p->classes) {
            p->first[p->classes++] = c;
            p->count[k] = 0;
        }
        p->count[k] += sgdp_priv_population(net, c);
    }
    sgdp_priv_examine_stations(p);
    if (p->tasks == 0) return SGDP_OK;              /* no tasks at all                */
    if (!p->merged) p->classes = net->classes - p->empty;
    else sgdp_priv_largest_first(p);
    SGDP_ASSERT(p->classes >= 1 && p->classes <= net->classes);
    SGDP_ASSERT(p->tasks >= p->classes);
    return SGDP_OK;
}

static sgdp_status sgdp_priv_take_options(const sgdp_mva_options *given,
                                          sgdp_mva_options *o)
{
    if (given) *o = *given;
    else memset(o, 0, sizeof *o);
    if ((size_t)o->method > (size_t)SGDP_METHOD_LINEARIZER) return SGDP_BAD_ARGUMENT;
    if ((size_t)o->gamma_rule > (size_t)SGDP_GAMMA_FCFS_RUN) return SGDP_BAD_ARGUMENT;
    if (!sgdp_priv_is_time(o->max_operations) || !sgdp_priv_is_time(o->tolerance)
        || !sgdp_priv_is_time(o->rhythm_spare)) return SGDP_BAD_ARGUMENT;
    if (!(o->rhythm_lost >= 0.0 && o->rhythm_lost <= 1.0)) return SGDP_BAD_ARGUMENT;
    if (!(o->max_operations > 0.0)) o->max_operations = 1e10;
    if (o->max_bytes == 0) o->max_bytes = (size_t)1 << 30;
    if (!(o->tolerance > 0.0)) o->tolerance = 1e-12;
    if (o->max_iterations == 0) o->max_iterations = 10000;
    if (!o->gamma) { o->gamma = sgdp_gamma_threshold; o->gamma_ctx = NULL; }
    SGDP_ASSERT(o->max_operations > 0.0 && o->max_bytes > 0 && o->max_iterations > 0);
    return SGDP_OK;
}

/* Can a problem be solved in this way, by the method of its options? */
static int sgdp_priv_suits(const sgdp_priv_problem *p)
{
    const sgdp_method method = p->o.method;
    const int fixed =
        method == SGDP_METHOD_SCHWEITZER || method == SGDP_METHOD_LINEARIZER;
    if (p->way == SGDP_PRIV_EXACT) return !fixed && !p->unequal;
    if (p->rates) return 0;
    if (p->way == SGDP_PRIV_FIXED) return fixed;
    return method == SGDP_METHOD_AUTO || method == SGDP_METHOD_LATTICE;
}

static sgdp_status sgdp_priv_pose(const sgdp_network *net,
                                  const sgdp_mva_options *options, sgdp_priv_way way,
                                  sgdp_priv_problem *p)
{
    sgdp_status status = sgdp_priv_examine(net, p);
    if (status == SGDP_OK) status = sgdp_priv_take_options(options, &p->o);
    if (status != SGDP_OK) return status;
    p->way = way;
    if (way == SGDP_PRIV_FIXED) p->o.gamma_rule = SGDP_GAMMA_IMPLICIT;
    if (way == SGDP_PRIV_FIXED && p->o.method == SGDP_METHOD_AUTO)
        p->o.method = SGDP_METHOD_SCHWEITZER;
    return sgdp_priv_suits(p) ? SGDP_OK : SGDP_BAD_ARGUMENT;
}

SGDP_API double sgdp_gamma_threshold(void *ctx, double utilization)
{
    const double threshold = ctx ? *(const double *)ctx : 0.8;
    if (!(utilization > threshold)) return 0.0;
    if (utilization >= 1.0) return 1.0;
    SGDP_ASSERT(threshold < 1.0);
    return (utilization - threshold) / (1.0 - threshold);
}

/* Classes as solvers see them: equal ones merged, delays added to Z, only queues left. */
typedef struct sgdp_priv_classes {
    size_t  C, Q;                   /* numbers of classes and of queues               */
    double *tasks;                  /* [C] tasks of the class                         */
    double *Z;                      /* [C] think time and delays                      */
    double *D;                      /* [C][Q] service demand                          */
    double *X;                      /* [C] solution: throughput of the class          */
    double *T;                      /* [C][Q] solution: response time of one task     */
    size_t *station;                /* [Q] the queue's index in the network           */
} sgdp_priv_classes;

static void sgdp_priv_carve_classes(sgdp_priv_arena *arena, const sgdp_priv_problem *p,
                                    sgdp_priv_classes *k)
{
    k->C = p->classes;
    k->Q = p->queues;
    k->tasks = sgdp_priv_doubles(arena, k->C);
    k->Z = sgdp_priv_doubles(arena, k->C);
    k->X = sgdp_priv_doubles(arena, k->C);
    k->station = (size_t *)sgdp_priv_take(arena, k->Q, sizeof(size_t));
    SGDP_ASSERT(k->Q == 0 || k->C <= (size_t)-1 / sizeof(double) / k->Q);
    k->D = sgdp_priv_doubles(arena, k->C * k->Q);
    k->T = sgdp_priv_doubles(arena, k->C * k->Q);
}

/* Fills in the classes. Except in the exact way, a queue of finite capacity m becomes one
 * of demand D/m behind a delay D (m - 1)/m [SSS87]. */
static void sgdp_priv_fill_classes(const sgdp_priv_problem *p, sgdp_priv_classes *k)
{
    const sgdp_network *net = p->net;
    const int seidmann = p->way != SGDP_PRIV_EXACT;
    const size_t L = net->stations;
    size_t c, l, q;
    for (l = 0, q = 0; l < L; l++)
        if (!sgdp_priv_is_delay(net, l, p->tasks)) k->station[q++] = l;
    for (c = 0; c < k->C; c++) k->tasks[c] = 0.0;
    for (c = 0; c < net->classes; c++)
        if (sgdp_priv_population(net, c) > 0)
            k->tasks[sgdp_priv_kind(p, c)] += (double)sgdp_priv_population(net, c);
    SGDP_ASSERT(q == k->Q);
    for (c = 0; c < k->C; c++) {
        const size_t given = sgdp_priv_given(p, c);
        const double *demand = net->demand_s + given * L;
        k->Z[c] = sgdp_priv_think(net, given);
        for (l = 0, q = 0; l < L; l++) {
            const double m = sgdp_priv_capacity(net, l);
            if (sgdp_priv_is_delay(net, l, p->tasks)) {
                k->Z[c] += demand[l];
                continue;
            }
            if (seidmann) k->Z[c] += demand[l] * ((m - 1.0) / m);
            k->D[c * k->Q + q++] = seidmann ? demand[l] / m : demand[l];
        }
        SGDP_ASSERT(q == k->Q && k->tasks[c] >= 1.0 && k->Z[c] >= 0.0);
    }
}

/* Invariant, up to rounding: all tasks of a class are in its cycle, X (Z + sum T) = n. */
static inline int sgdp_priv_tasks_add_up(const sgdp_priv_classes *k)
{
    size_t c, q;
    for (c = 0; c < k->C; c++) {
        double cycle = k->Z[c];
        for (q = 0; q < k->Q; q++) cycle += k->T[c * k->Q + q];
        if (!(fabs(k->X[c] * cycle - k->tasks[c]) <= 1e-9 * k->tasks[c])) return 0;
    }
    return 1;
}

/* Invariant of an exact solution: no queue is busier than its full speed allows. */
static inline int sgdp_priv_within_capacity(const sgdp_network *net,
                                            const sgdp_priv_classes *k)
{
    size_t c, q;
    for (q = 0; q < k->Q; q++) {
        double busy = 0.0;
        for (c = 0; c < k->C; c++) busy += k->X[c] * k->D[c * k->Q + q];
        if (!(busy <= (1.0 + 1e-6) * sgdp_priv_full_speed(net, k->station[q]))) return 0;
    }
    return 1;
}

static void sgdp_priv_report(const sgdp_priv_problem *p, const sgdp_priv_classes *k,
                             sgdp_mva_result *out)
{
    const sgdp_network *net = p->net;
    const size_t L = net->stations;
    size_t c, l;
    for (l = 0; l < L; l++) {
        if (out->queue) out->queue[l] = 0.0;
        if (out->utilization) out->utilization[l] = 0.0;
    }
    for (c = 0; c < net->classes; c++) {
        const double tasks = (double)sgdp_priv_population(net, c);
        size_t kind = 0, q = 0;
        double X = 0.0;
        if (tasks > 0.0) {
            kind = sgdp_priv_kind(p, c);
            X = k->X[kind] * (tasks / k->tasks[kind]);
            SGDP_ASSERT(X > 0.0);
        }
        if (out->throughput_per_s) out->throughput_per_s[c] = X;
        for (l = 0; l < L; l++) {
            const double D = net->demand_s[c * L + l], m = sgdp_priv_capacity(net, l);
            double T = tasks > 0.0 ? D : 0.0, U;
            if (tasks > 0.0 && !sgdp_priv_is_delay(net, l, p->tasks)) {
                T = k->T[kind * k->Q + q++];
                if (p->way != SGDP_PRIV_EXACT) T += D * ((m - 1.0) / m);
            }
            U = X * D / sgdp_priv_full_speed(net, l);
            if (out->response_s) out->response_s[c * L + l] = T;
            if (out->queue) out->queue[l] += X * T;
            if (out->utilization) out->utilization[l] += U;
            if (out->class_queue) out->class_queue[c * L + l] = X * T;
            if (out->class_utilization) out->class_utilization[c * L + l] = U;
            SGDP_ASSERT(X >= 0.0 && T >= 0.0);
        }
        SGDP_ASSERT(q == k->Q || !(tasks > 0.0));
    }
}

/* Solves a network without queues: every task cycles alone. */
static void sgdp_priv_solve_delays(sgdp_priv_classes *k)
{
    size_t c;
    SGDP_ASSERT(k->Q == 0);
    for (c = 0; c < k->C; c++) k->X[c] = k->tasks[c] / k->Z[c];
}

/* ---- Closed networks: one step of the recursion ---------------------------- */

/* Eqs. 1-4 at one population vector n. Input: for each class c the row of V values that
 * an arriving task sees, the values of n - 1_c. They are at row - offset[c].
 *
 * Without a hybrid or interleaved station V = Q. Each queue keeps one sum over classes,
 *     PS    v = sum_c N[c]                          T = D + D v
 *     FCFS  v = sum_c D[c] (N[c] - rho[c] / 2)      T = D + v
 * Both are of the form T = D + f v, v = sum_c X[c] (a T - b), as N = X T, rho = X D.
 * With a hybrid or interleaved station every queue keeps both sums (V = 2 Q; interleaved:
 * v and rho). If gamma is explicit, it also keeps the sum of utilizations (V = 3 Q). */
typedef struct sgdp_priv_visit {
    sgdp_priv_classes    k;
    size_t           V;
    int              hybrid;        /* some queue is hybrid or interleaved            */
    sgdp_mva_options o;
    double          *coefficient;   /* [C][Q][4] D, f, a, b                           */
    double          *n;             /* [C] tasks present                              */
    size_t          *present;       /* [C] the classes with n > 0, ...                */
    size_t           count;         /*   ... the first `count` elements               */
    ptrdiff_t       *offset;        /* [C] doubles back to the row of n - 1_c         */
    int             *blend;         /* [Q] 1: hybrid                                  */
    int             *rhythm;        /* [Q] 1: interleaved                             */
    int             *eq2;           /* [Q] 1: Eq. 2 if gamma is 0                     */
    double          *weight;        /* [Q] factor on the queue; 1 unless interleaved  */
    double          *spare;         /* [Q] rhythm_spare; 0 unless interleaved         */
    double          *alone;         /* [C] cycle time without waiting                 */
    double          *gamma;         /* [Q] weight of Eq. 1                            */
    double          *ps, *fcfs;     /* hybrid: [C][Q] response times of Eqs. 1 and 2  */
    double          *rest;          /* hybrid: [C] cycle time outside one queue       */
    int              fixed;         /* gamma is given, not sought                     */
    int              bad_gamma;     /* g left [0, 1]                                  */
    int              stuck;         /* a root search ran out of iterations            */
} sgdp_priv_visit;

static size_t sgdp_priv_row_values(const sgdp_priv_problem *p)
{
    if (!p->hybrid) return p->queues;
    return p->queues * (p->o.gamma_rule == SGDP_GAMMA_EXPLICIT ? 3 : 2);
}

/* Status of a complete layout. */
static sgdp_status sgdp_priv_laid_out(const sgdp_priv_problem *p,
                                      const sgdp_priv_arena *arena)
{
    if (arena->overflow) return SGDP_TOO_LARGE;
    return arena->used > p->o.max_bytes ? SGDP_OVER_BUDGET : SGDP_OK;
}

static void sgdp_priv_carve_visit(const sgdp_priv_problem *p, sgdp_priv_arena *arena,
                                  sgdp_priv_visit *v)
{
    const size_t C = p->classes, Q = p->queues;
    memset(v, 0, sizeof *v);
    v->o = p->o;
    v->hybrid = p->hybrid;
    v->V = sgdp_priv_row_values(p);
    sgdp_priv_carve_classes(arena, p, &v->k);
    v->coefficient = sgdp_priv_doubles(arena, 4 * C * Q);
    v->n = sgdp_priv_doubles(arena, C);
    v->present = (size_t *)sgdp_priv_take(arena, C, sizeof(size_t));
    v->offset = (ptrdiff_t *)sgdp_priv_take(arena, C, sizeof(ptrdiff_t));
    v->blend = (int *)sgdp_priv_take(arena, Q, sizeof(int));
    v->rhythm = (int *)sgdp_priv_take(arena, Q, sizeof(int));
    v->eq2 = (int *)sgdp_priv_take(arena, Q, sizeof(int));
    v->weight = sgdp_priv_doubles(arena, Q);
    v->spare = sgdp_priv_doubles(arena, Q);
    v->alone = sgdp_priv_doubles(arena, C);
    v->gamma = sgdp_priv_doubles(arena, Q);
    v->rest = sgdp_priv_doubles(arena, C);
    v->ps = sgdp_priv_doubles(arena, v->hybrid ? C * Q : 0);
    v->fcfs = sgdp_priv_doubles(arena, v->hybrid ? C * Q : 0);
}

/* Sets the coefficients of all queues from their disciplines. */
static void sgdp_priv_fill_visit(const sgdp_network *net, sgdp_priv_visit *v)
{
    const size_t C = v->k.C, Q = v->k.Q;
    size_t c, q;
    for (c = 0; c < C; c++) {
        v->alone[c] = v->k.Z[c];
        for (q = 0; q < Q; q++) v->alone[c] += v->k.D[c * Q + q];
        SGDP_ASSERT(v->alone[c] > 0.0);
    }
    for (q = 0; q < Q; q++) {
        const sgdp_discipline kind = sgdp_priv_discipline(net, v->k.station[q]);
        v->blend[q] = kind == SGDP_HYBRID;
        v->rhythm[q] = kind == SGDP_INTERLEAVED;
        v->eq2[q] = kind == SGDP_FCFS || kind == SGDP_HYBRID;
        v->gamma[q] = kind == SGDP_PS || kind == SGDP_INTERLEAVED ? 1.0 : 0.0;
        v->weight[q] = 1.0;
        v->spare[q] = v->rhythm[q] * fmin(v->o.rhythm_spare,
                                          sgdp_priv_capacity(net, v->k.station[q]) - 1.0);
        for (c = 0; c < C; c++) {
            const double D = v->k.D[c * Q + q];
            double *co = v->coefficient + 4 * (c * Q + q);
            co[0] = D;
            co[1] = v->eq2[q] ? 1.0 : D;
            co[2] = v->eq2[q] ? D : 1.0;
            co[3] = v->eq2[q] ? 0.5 * D * D : 0.0;
        }
    }
}

/* Innermost loop of the recursions. Callers pass a constant Q: `sum` is in registers. */
static inline void sgdp_priv_visit_queues(const sgdp_priv_visit *v, size_t Q,
                                          const double *row, double *sum)
{
    size_t i, q;
    for (q = 0; q < Q; q++) sum[q] = 0.0;
    for (i = 0; i < v->count; i++) {
        const size_t c = v->present[i];
        const double *seen = row - v->offset[c], *co = v->coefficient + 4 * Q * c;
        double *T = v->k.T + Q * c, cycle = v->k.Z[c], X;
        for (q = 0; q < Q; q++) {
            T[q] = co[4 * q] + co[4 * q + 1] * seen[q];
            cycle += T[q];
        }
        X = v->n[c] / cycle;
        for (q = 0; q < Q; q++) sum[q] += X * (co[4 * q + 2] * T[q] - co[4 * q + 3]);
        v->k.X[c] = X;
    }
}

static void sgdp_priv_visit_plain(const sgdp_priv_visit *v, const double *row,
                                  double *sum)
{
    double s[3];
    SGDP_ASSERT(v->V == v->k.Q && v->count > 0 && v->count <= v->k.C);
    switch (v->k.Q) {
    case 1: sgdp_priv_visit_queues(v, 1, row, s); sum[0] = s[0]; break;
    case 2: sgdp_priv_visit_queues(v, 2, row, s); sum[0] = s[0]; sum[1] = s[1]; break;
    case 3: sgdp_priv_visit_queues(v, 3, row, s);
            sum[0] = s[0]; sum[1] = s[1]; sum[2] = s[2]; break;
    default: sgdp_priv_visit_queues(v, v->k.Q, row, sum); break;
    }
}

/* Calls the caller's g; notes a value outside [0, 1]. */
static double sgdp_priv_gamma_at(sgdp_priv_visit *v, double utilization)
{
    const double gamma = v->o.gamma(v->o.gamma_ctx, utilization);
    if (gamma >= 0.0 && gamma <= 1.0) return gamma;
    v->bad_gamma = 1;
    return 0.0;
}

/* Eq. 3: response time of class c at queue q. */
static double sgdp_priv_blend(const sgdp_priv_visit *v, size_t c, size_t q)
{
    const size_t i = c * v->k.Q + q;
    SGDP_ASSERT(v->gamma[q] >= 0.0 && v->gamma[q] <= 1.0);
    return v->gamma[q] * v->ps[i] + (1.0 - v->gamma[q]) * v->fcfs[i];
}

/* Finds gamma for one class: bisects its throughput X to the last bit. X fixes the
 * utilizations X D, the gammas, and so the cycle time, which rises with X; n/X falls. */
static void sgdp_priv_gamma_one_class(sgdp_priv_visit *v)
{
    const size_t c = v->present[0], Q = v->k.Q;
    double lo = v->k.Z[c], hi = v->k.Z[c];
    size_t q, step;
    SGDP_ASSERT(v->count == 1 && v->n[c] > 0.0);
    for (q = 0; q < Q; q++) {
        const int blend = v->blend[q];
        lo += blend ? v->ps[c * Q + q] : sgdp_priv_blend(v, c, q);
        hi += blend ? v->fcfs[c * Q + q] : sgdp_priv_blend(v, c, q);
    }
    lo = v->n[c] / lo;
    hi = v->n[c] / hi;
    for (step = 0; step < 2000; step++) {           /* 2^-1074 to 2^1024 at the worst */
        const double X = step == 0 ? hi : lo + 0.5 * (hi - lo);
        double cycle = v->k.Z[c];
        for (q = 0; q < Q; q++) {
            if (v->blend[q]) v->gamma[q] = sgdp_priv_gamma_at(v, X * v->k.D[c * Q + q]);
            cycle += sgdp_priv_blend(v, c, q);
        }
        if (step > 0 && !(X > lo && X < hi)) return;
        if (X * cycle <= v->n[c]) lo = X; else hi = X;
        if (!(lo < hi)) return;
    }
}

/* gamma - g(utilization of queue q) if gamma[q] = gamma and the others stay. */
static double sgdp_priv_gamma_excess(sgdp_priv_visit *v, size_t q, double gamma)
{
    double rho = 0.0;
    size_t i;
    v->gamma[q] = gamma;
    for (i = 0; i < v->count; i++) {
        const size_t c = v->present[i];
        rho += v->n[c] / (v->rest[c] + sgdp_priv_blend(v, c, q)) * v->k.D[c * v->k.Q + q];
    }
    return gamma - sgdp_priv_gamma_at(v, rho);
}

/* Finds the root of the excess in [0, 1], if it changes sign: regula falsi [Illinois],
 * with a bisection in every third step, so that a jump of g is found, too. */
static void sgdp_priv_gamma_root(sgdp_priv_visit *v, size_t q)
{
    double lo = 0.0, hi = 1.0, flo, fhi;
    size_t step;
    flo = sgdp_priv_gamma_excess(v, q, lo);
    if (flo >= 0.0) return;
    fhi = sgdp_priv_gamma_excess(v, q, hi);
    if (fhi <= 0.0) return;
    for (step = 1; step < 200 && hi - lo > DBL_EPSILON * hi; step++) {
        const double secant = lo - flo * ((hi - lo) / (fhi - flo));
        const double middle = lo + 0.5 * (hi - lo);
        const double x = step % 3 != 0 && secant > lo && secant < hi ? secant : middle;
        const double f = sgdp_priv_gamma_excess(v, q, x);
        SGDP_ASSERT(lo >= 0.0 && hi <= 1.0 && flo <= 0.0 && fhi >= 0.0);
        if (!(x > lo && x < hi)) return;
        if (f > 0.0) { hi = x; fhi = f; flo *= 0.5; }
        else if (f < 0.0) { lo = x; flo = f; fhi *= 0.5; }
        else return;
    }
}

/* Finds gamma for several classes: a root search at each hybrid queue in turn, until no
 * gamma changes. With equal transfers a larger gamma at one queue slows every class and
 * lowers the gamma of the other queue, so both approach the solution from one side. */
static void sgdp_priv_gamma_classes(sgdp_priv_visit *v)
{
    size_t sweep, q, i, p;
    for (q = 0; q < v->k.Q; q++)
        if (v->blend[q]) v->gamma[q] = 0.0;
    for (sweep = 0; sweep < v->o.max_iterations; sweep++) {
        double moved = 0.0;
        for (q = 0; q < v->k.Q; q++) {
            const double before = v->gamma[q];
            if (!v->blend[q]) continue;
            for (i = 0; i < v->count; i++) {
                const size_t c = v->present[i];
                v->rest[c] = v->k.Z[c];
                for (p = 0; p < v->k.Q; p++)
                    if (p != q) v->rest[c] += sgdp_priv_blend(v, c, p);
            }
            sgdp_priv_gamma_root(v, q);
            if (fabs(v->gamma[q] - before) > moved) moved = fabs(v->gamma[q] - before);
        }
        SGDP_ASSERT(moved <= 1.0);
        if (moved <= 64.0 * DBL_EPSILON) return;
    }
    v->stuck = 1;
}

/* Sets the factors of interleaved queues, from the utilization u without waiting. */
static void sgdp_priv_find_rhythm(sgdp_priv_visit *v)
{
    size_t i, q;
    for (q = 0; q < v->k.Q; q++) {
        double u = 0.0;
        if (!v->rhythm[q]) continue;
        for (i = 0; i < v->count; i++) {
            const size_t c = v->present[i];
            u += v->n[c] * v->k.D[c * v->k.Q + q] / v->alone[c];
        }
        v->weight[q] = u < 1.0 ? u * u * u * u : 1.0;
        v->weight[q] = v->o.rhythm_lost + (1.0 - v->o.rhythm_lost) * v->weight[q];
        SGDP_ASSERT(v->weight[q] >= 0.0 && v->weight[q] <= 1.0);
    }
}

/* Number of tasks that delay a task. It finds `queue` tasks at utilization u. In a rhythm
 * at capacity m, the queue less (m - 1) (1 - u) tasks delay it. Our own. */
static inline double sgdp_priv_delaying(double weight, double lost, double spare,
                                        double queue, double u)
{
    const double less = spare > 0.0 ? fmin(queue, spare * fmax(0.0, 1.0 - u)) : 0.0;
    return weight * queue - (weight - lost) * less;
}

/* A visit with gamma = 0 at all hybrid queues. Writes the sums of each queue, N and that
 * of Eq. 2, and its utilization rho. Q and rhythmic are constants where speed counts. */
static inline void sgdp_priv_visit_unblended(sgdp_priv_visit *v, size_t Q, int rhythmic,
                                             const double *row, double *sum, double *rho)
{
    size_t at[3], i, q;
    for (q = 0; q < Q; q++) {
        sum[2 * q] = sum[2 * q + 1] = rho[q] = 0.0;
        at[q] = 2 * q + (v->eq2[q] ? 1 : 0);
    }
    for (i = 0; i < v->count; i++) {
        const size_t c = v->present[i];
        const double *seen = row - v->offset[c], *co = v->coefficient + 4 * Q * c;
        double *T = v->k.T + c * Q, cycle = v->k.Z[c], X;
        for (q = 0; q < Q; q++) {
            T[q] = co[4 * q] + co[4 * q + 1] * (rhythmic
                ? sgdp_priv_delaying(v->weight[q], v->o.rhythm_lost, v->spare[q],
                                     seen[at[q]], seen[2 * q + 1])
                : v->weight[q] * seen[at[q]]);
            cycle += T[q];
        }
        X = v->k.X[c] = v->n[c] / cycle;
        for (q = 0; q < Q; q++) {
            sum[2 * q] += X * T[q];
            sum[2 * q + 1] += X * (rhythmic && v->rhythm[q]
                ? co[4 * q] : co[4 * q + 2] * T[q] - co[4 * q + 3]);
            rho[q] += X * co[4 * q];
        }
    }
}

/* Skips the search for gamma while the links are not busy: solves with gamma = 0. Returns
 * 0 if g is not 0 in this solution, beyond rounding. */
static int sgdp_priv_visit_at_rest(sgdp_priv_visit *v, const double *row, double *sum)
{
    const size_t Q = v->k.Q;
    double rho[3], own[6];
    int rhythmic = 0;
    size_t q;
    if (Q > 3) return 0;
    SGDP_ASSERT(v->V == 2 * Q);
    for (q = 0; q < Q; q++) rhythmic |= v->rhythm[q] != 0;
    if (rhythmic) sgdp_priv_visit_unblended(v, Q, 1, row, own, rho);
    else if (Q == 3) sgdp_priv_visit_unblended(v, 3, 0, row, own, rho);
    else if (Q == 2) sgdp_priv_visit_unblended(v, 2, 0, row, own, rho);
    else sgdp_priv_visit_unblended(v, 1, 0, row, own, rho);
    for (q = 0; q < Q; q++)
        if (v->blend[q] && sgdp_priv_gamma_at(v, rho[q] * (1.0 + 1e-9)) > 0.0) return 0;
    for (q = 0; q < Q; q++)
        if (v->blend[q]) v->gamma[q] = 0.0;
    memcpy(sum, own, 2 * Q * sizeof *sum);
    return 1;
}

/* Visits a network with hybrid or interleaved queues. */
static void sgdp_priv_visit_hybrid(sgdp_priv_visit *v, const double *row, double *sum)
{
    const size_t Q = v->k.Q, per = v->V / Q;
    const int explicit_rule = v->o.gamma_rule == SGDP_GAMMA_EXPLICIT;
    size_t i, q;
    SGDP_ASSERT(per == (explicit_rule ? 3u : 2u));
    SGDP_ASSERT(per * Q == v->V && v->count > 0 && v->count <= v->k.C);
    sgdp_priv_find_rhythm(v);
    if (!explicit_rule && !v->fixed && sgdp_priv_visit_at_rest(v, row, sum)) return;
    for (i = 0; i < v->count; i++) {
        const size_t c = v->present[i];
        const double *seen = row - v->offset[c];
        for (q = 0; q < Q; q++) {
            const double D = v->k.D[c * Q + q];
            v->ps[c * Q + q] = D + D * sgdp_priv_delaying(v->weight[q],
                v->o.rhythm_lost, v->spare[q], seen[per * q], seen[per * q + 1]);
            v->fcfs[c * Q + q] = D + seen[per * q + 1];
        }
    }
    if (!explicit_rule && !v->fixed) {
        if (v->count == 1) sgdp_priv_gamma_one_class(v);
        else sgdp_priv_gamma_classes(v);
    }
    for (q = 0; q < v->V; q++) sum[q] = 0.0;
    for (i = 0; i < v->count; i++) {
        const size_t c = v->present[i];
        const double *seen = row - v->offset[c];
        double *T = v->k.T + c * Q, cycle = v->k.Z[c], X;
        for (q = 0; q < Q; q++) {
            if (explicit_rule && v->blend[q])
                v->gamma[q] = sgdp_priv_gamma_at(v, seen[per * q + 2]);
            T[q] = sgdp_priv_blend(v, c, q);
            cycle += T[q];
        }
        X = v->k.X[c] = v->n[c] / cycle;
        for (q = 0; q < Q; q++) {
            const double D = v->k.D[c * Q + q];
            sum[per * q] += X * T[q];
            sum[per * q + 1] += X * (v->rhythm[q] ? D : D * T[q] - 0.5 * D * D);
            if (explicit_rule) sum[per * q + 2] += X * D;
        }
    }
}

static void sgdp_priv_visit_row(sgdp_priv_visit *v, const double *row, double *sum)
{
    if (v->hybrid) sgdp_priv_visit_hybrid(v, row, sum);
    else sgdp_priv_visit_plain(v, row, sum);
}

/* One queue of the only class: state for a step from n - 1 to n tasks. */
typedef struct sgdp_priv_single {
    double D, f, a, b;              /* coefficients of the visit                      */
    double seen;                    /* its sum with n - 1 tasks                       */
    double T, weight, spare;
    int    rhythm;
    size_t at;                      /* index of its sum in a row                      */
} sgdp_priv_single;

/* The visits of one class at the populations from + 1 to `to`, in registers: callers pass
 * constants for Q and `rhythm` (is any queue interleaved?). */
static inline void sgdp_priv_single_steps(sgdp_priv_visit *v, size_t Q, int rhythm,
                                          size_t from, size_t to, double *table)
{
    const double lost = v->o.rhythm_lost, alone = v->alone[0], Z = v->k.Z[0];
    double X = from > 0 ? v->k.X[0] : 0.0;
    sgdp_priv_single s[3];
    size_t n, q;
    SGDP_ASSERT(Q == v->k.Q && Q <= 3 && from < to);
    for (q = 0; q < Q; q++) {
        const double *co = v->coefficient + 4 * q;
        const size_t at = v->hybrid ? 2 * q + (v->eq2[q] ? 1 : 0) : q;
        const sgdp_priv_single begin = { co[0], co[1], co[2], co[3],
            table[from % 2 * v->V + at], 0.0, 1.0, v->spare[q], v->rhythm[q], at };
        s[q] = begin;
    }
    for (n = from + 1; n <= to; n++) {
        double cycle = Z;
        for (q = 0; q < Q; q++) {
            double seen = s[q].seen;
            if (rhythm && s[q].rhythm) {
                const double u = (double)n * s[q].D / alone;
                s[q].weight = lost + (1.0 - lost) * (u < 1.0 ? u * u * u * u : 1.0);
                seen = sgdp_priv_delaying(s[q].weight, lost, s[q].spare, seen,
                                          X * s[q].D);
            }
            s[q].T = s[q].D + s[q].f * seen;
            cycle += s[q].T;
        }
        X = (double)n / cycle;
        for (q = 0; q < Q; q++) s[q].seen = X * (s[q].a * s[q].T - s[q].b);
    }
    for (q = 0; q < Q; q++) {
        table[to % 2 * v->V + s[q].at] = s[q].seen;
        v->k.T[q] = s[q].T;
        v->weight[q] = s[q].weight;
    }
    v->k.X[0] = X;
}

/* Visits the populations from + 1 to `to` of the only class; row n is at n % 2. */
static void sgdp_priv_single_run(sgdp_priv_visit *v, size_t from, size_t to,
                                 double *table)
{
    const size_t Q = v->k.Q;
    int blend = v->hybrid && v->V != 2 * Q, rhythm = 0;
    size_t q, n;
    SGDP_ASSERT(v->k.C == 1 && from < to);
    for (q = 0; q < Q; q++) {
        blend |= v->blend[q];
        rhythm |= v->rhythm[q];
    }
    v->present[0] = 0;
    v->count = 1;
    v->offset[0] = 0;
    for (n = from + 1; n <= to && (blend || Q > 3); n++) {
        v->n[0] = (double)n;
        sgdp_priv_visit_row(v, table + (n - 1) % 2 * v->V, table + n % 2 * v->V);
    }
    if (blend || Q > 3) return;
    if (rhythm && Q == 3) sgdp_priv_single_steps(v, 3, 1, from, to, table);
    else if (rhythm) sgdp_priv_single_steps(v, Q, 1, from, to, table);
    else if (Q == 3) sgdp_priv_single_steps(v, 3, 0, from, to, table);
    else if (Q == 2) sgdp_priv_single_steps(v, 2, 0, from, to, table);
    else sgdp_priv_single_steps(v, 1, 0, from, to, table);
    v->n[0] = (double)to;
}

static sgdp_status sgdp_priv_visit_status(const sgdp_priv_visit *v)
{
    if (v->bad_gamma) return SGDP_BAD_ARGUMENT;
    return v->stuck ? SGDP_NOT_CONVERGED : SGDP_OK;
}

/* ---- Closed networks: the population lattice ------------------------------- */

/* Number of population vectors 0 <= n <= N; 0 if size_t cannot count them. */
static size_t sgdp_priv_lattice_points(const sgdp_priv_problem *p)
{
    size_t points = 1, k;
    if (!p->merged) return 0;
    for (k = 0; k < p->classes; k++) {
        const size_t side = p->count[k] + 1;
        if (points > (size_t)-1 / side) return 0;
        points *= side;
    }
    return points;
}

/* Estimated operations, of about 1 ns each, as fitted to bench/bench_mva for all methods.
 * Hybrid queues have more sums, and perhaps a search for gamma. */
static double sgdp_priv_lattice_operations(const sgdp_priv_problem *p, size_t points)
{
    const double plain =
        (double)points * (double)p->classes * (2.0 * (double)p->queues + 3.0);
    if (!p->hybrid) return plain;
    if (p->o.gamma_rule != SGDP_GAMMA_IMPLICIT || !p->blend) return 4.0 * plain;
    return plain * (p->classes > 1 ? 300.0 : 50.0);
}

/* Moves to the next population vector in lexicographic order, the last class fastest: a
 * tail of classes becomes empty, and the class before it gets one task, so `present` is a
 * stack. Only the last two of the layers n[0] = 0, 1, 2, ... are kept, in turn. */
static inline void sgdp_priv_next_population(const sgdp_priv_classes *k, double *n,
                                             size_t *present, size_t *count,
                                             ptrdiff_t *offset)
{
    size_t c = k->C - 1;
    for (; !(n[c] < k->tasks[c]); c--) {
        n[c] = 0.0;
        (*count)--;
    }
    if (!(n[c] > 0.0)) present[(*count)++] = c;
    n[c] += 1.0;
    if (c == 0) offset[0] = -offset[0];
}

static void sgdp_priv_lattice_run(sgdp_priv_visit *v, size_t points, double *table)
{
    const size_t C = v->k.C, V = v->V, layer = points / ((size_t)v->k.tasks[0] + 1);
    size_t c, i, at, stride = 1;
    for (c = C; c-- > 0; stride *= (size_t)v->k.tasks[c] + 1)
        v->offset[c] = (ptrdiff_t)(stride * V);
    SGDP_ASSERT(stride == points && layer * ((size_t)v->k.tasks[0] + 1) == points);
    for (c = 0; c < C; c++) v->n[c] = 0.0;
    for (i = 0; i < V; i++) table[i] = 0.0;          /* n = 0: empty                  */
    if (C == 1) { sgdp_priv_single_run(v, 0, points - 1, table); return; }
    v->count = 0;
    v->offset[0] = -v->offset[0];
    for (i = at = 1; i < points; i++, at++) {
        sgdp_priv_next_population(&v->k, v->n, v->present, &v->count, v->offset);
        if (at == 2 * layer) at = 0;
        sgdp_priv_visit_row(v, table + at * V, table + at * V);
    }
    for (c = 0; c < C; c++) SGDP_ASSERT(sgdp_priv_same(v->n[c], v->k.tasks[c]));
    SGDP_ASSERT(v->count == C);
}

typedef struct sgdp_priv_lattice {
    sgdp_priv_visit visit;
    size_t      points;
    double     *table;              /* [two layers][V]                                */
} sgdp_priv_lattice;

static sgdp_status sgdp_priv_carve_lattice(const sgdp_priv_problem *p,
                                           sgdp_priv_arena *arena,
                                           sgdp_priv_lattice *lattice)
{
    const size_t V = sgdp_priv_row_values(p);
    const size_t points = p->queues == 0 ? 1 : sgdp_priv_lattice_points(p);
    size_t rows = 0;
    if (points == 0 || sgdp_priv_lattice_operations(p, points) > p->o.max_operations)
        return SGDP_OVER_BUDGET;
    if (p->queues > 0) rows = points / (p->count[0] + 1) * 2;
    sgdp_priv_carve_visit(p, arena, &lattice->visit);
    if (V > 0 && rows > (size_t)-1 / sizeof(double) / V) return SGDP_TOO_LARGE;
    lattice->points = points;
    lattice->table = sgdp_priv_doubles(arena, rows * V);
    return sgdp_priv_laid_out(p, arena);
}

static void sgdp_priv_lattice_solve(sgdp_priv_lattice *lattice)
{
    sgdp_priv_visit *v = &lattice->visit;
    size_t c, q;
    if (v->k.Q == 0) { sgdp_priv_solve_delays(&v->k); return; }
    v->fixed = v->hybrid && v->o.gamma_rule == SGDP_GAMMA_FCFS_RUN;
    sgdp_priv_lattice_run(v, lattice->points, lattice->table);
    if (!v->fixed) return;
    for (q = 0; q < v->k.Q; q++) {     /* gamma was 0, Eq. 2                          */
        double rho = 0.0;
        for (c = 0; c < v->k.C; c++) rho += v->k.X[c] * v->k.D[c * v->k.Q + q];
        if (v->blend[q]) v->gamma[q] = sgdp_priv_gamma_at(v, rho);
    }
    sgdp_priv_lattice_run(v, lattice->points, lattice->table);
}

/* ---- Closed networks: exact by chain, groups of queues --------------------- */

/* Let c(n) be the weight (normalizing constant) of the shared queues alone with n tasks.
 * A further task, with think time Z and demand a, either thinks or is in a queue. So it
 * turns the functional c into
 *     c'(n) = Z c(n) + a c(n + 1)
 * After all K tasks but one, the response time of the last one is a c(1) / c(0) [CSL89].
 * Each task is the last one once: add one half of them, solve the other so, too [GM89].
 *
 * n has one coordinate per group of queues with proportional demands. Inside a group,
 * v(n) is the residence time at one queue of a task of demand 1 that finds n others in
 * the group. v is a mean weighted by c, and is updated together with c. */

#define SGDP_PRIV_GROUPS 6          /* coordinates; more would exceed every budget    */
#define SGDP_PRIV_QUEUES 64         /* stations with queues                           */
#define SGDP_PRIV_BATCH 8           /* tasks added in one pass                        */

/* The groups of queues, and the cost of the solution. A kind is a set of equal queues. */
typedef struct sgdp_priv_plan {
    size_t K, Q, G, kinds;          /* numbers of tasks, queues, groups, kinds        */
    uint8_t kind_of[SGDP_PRIV_QUEUES]; /* [Q] queue to kind                           */
    uint8_t group[SGDP_PRIV_QUEUES];   /* [kinds] the group                           */
    uint8_t copies[SGDP_PRIV_QUEUES];  /* [kinds] number of queues                    */
    size_t station[SGDP_PRIV_QUEUES];  /* [kinds] index of one queue in the network   */
    double ratio[SGDP_PRIV_QUEUES];    /* [kinds] a queue's share of the group demand */
    int    mixed[SGDP_PRIV_GROUPS]; /* [G] more than one kind                         */
    size_t carried;                 /* kinds in mixed groups, whose v must be found   */
    double operations;              /* estimated, of about 1 ns each                  */
} sgdp_priv_plan;

/* Is column q of demands *ratio times column p, up to a few roundings, and in range? */
static int sgdp_priv_proportional(const sgdp_network *net, size_t p, size_t q,
                                  double *ratio)
{
    const size_t L = net->stations;
    size_t c;
    double P = 0.0, Q = 0.0;
    for (c = 0; c < net->classes && !(P > 0.0); c++) {
        if (sgdp_priv_population(net, c) == 0) continue;
        P = net->demand_s[c * L + p];
        Q = net->demand_s[c * L + q];
    }
    *ratio = P > 0.0 ? Q / P : 0.0;
    if (*ratio > 0.0 && !(*ratio > 1e-100 && *ratio < 1e100)) return 0;
    for (c = 0; c < net->classes; c++) {
        const double want = net->demand_s[c * L + p] * *ratio;
        if (sgdp_priv_population(net, c) == 0) continue;
        if (fabs(net->demand_s[c * L + q] - want) > 4.0 * DBL_EPSILON * want) return 0;
    }
    return 1;
}

static int sgdp_priv_same_speed(const sgdp_network *net, size_t k, size_t l)
{
    const sgdp_priv_speed a = sgdp_priv_speed_of(net, k), b = sgdp_priv_speed_of(net, l);
    size_t j;
    if (!a.rate || !b.rate)
        return !a.rate && !b.rate && sgdp_priv_same(a.capacity, b.capacity);
    for (j = 0; j < a.rates; j++)
        if (!sgdp_priv_same(a.rate[j], b.rate[j])) return 0;
    return 1;
}

/* Adds station l, the q-th queue, to the plan: to a kind, to a group, or as a new group.
 * opener[g] is the station that opened group g. Returns 0 if there are too many. */
static int sgdp_priv_plan_queue(const sgdp_network *net, size_t l, size_t q,
                                size_t *opener, sgdp_priv_plan *plan)
{
    double ratio = 1.0;
    size_t g, k;
    for (g = 0; g < plan->G; g++)
        if (sgdp_priv_proportional(net, opener[g], l, &ratio)) break;
    if (g == plan->G) {
        if (g == SGDP_PRIV_GROUPS) return 0;
        opener[plan->G++] = l;
        plan->mixed[g] = 0;
        ratio = 1.0;
    }
    for (k = 0; k < plan->kinds; k++)
        if (plan->group[k] == g && sgdp_priv_same_speed(net, plan->station[k], l)
            && fabs(plan->ratio[k] - ratio) <= 4.0 * DBL_EPSILON * ratio) break;
    if (k == plan->kinds) {
        plan->group[k] = (uint8_t)g;
        plan->station[k] = l;
        plan->ratio[k] = ratio;
        plan->copies[k] = 0;
        plan->kinds++;
    }
    plan->copies[k]++;
    plan->kind_of[q] = (uint8_t)k;
    SGDP_ASSERT(plan->G <= SGDP_PRIV_GROUPS && plan->kinds <= plan->Q && q < plan->Q);
    return 1;
}

static int sgdp_priv_is_used(const sgdp_network *net, size_t l)
{
    size_t c;
    for (c = 0; c < net->classes; c++)
        if (net->demand_s[c * net->stations + l] > 0.0
            && sgdp_priv_population(net, c) > 0)
            return 1;
    return 0;
}

/* Plans all queues. Unused queues come last: they are a multiple (0) of any other. */
static int sgdp_priv_plan_queues(const sgdp_priv_problem *p, sgdp_priv_plan *plan)
{
    size_t opener[SGDP_PRIV_GROUPS], l, q;
    int used;
    for (used = 1; used >= 0; used--) for (l = 0, q = 0; l < p->net->stations; l++) {
            if (sgdp_priv_is_delay(p->net, l, p->tasks)) continue;
            if (sgdp_priv_is_used(p->net, l) == used
                && !sgdp_priv_plan_queue(p->net, l, q, opener, plan)) return 0;
            q++;
        }
    SGDP_ASSERT(plan->G >= 1 && plan->kinds >= plan->G);
    return 1;
}

/* Scales the ratios of each group to the sum 1, so that v and a are of order one. */
static void sgdp_priv_plan_shares(sgdp_priv_plan *plan)
{
    double total[SGDP_PRIV_GROUPS] = { 0.0 };
    size_t members[SGDP_PRIV_GROUPS] = { 0 }, k;
    for (k = 0; k < plan->kinds; k++) {
        total[plan->group[k]] += plan->copies[k] * plan->ratio[k];
        members[plan->group[k]]++;
    }
    plan->carried = 0;
    for (k = 0; k < plan->kinds; k++) {
        SGDP_ASSERT(plan->group[k] < plan->G && total[plan->group[k]] > 0.0);
        plan->ratio[k] /= total[plan->group[k]];
        plan->mixed[plan->group[k]] = members[plan->group[k]] > 1;
        if (plan->mixed[plan->group[k]]) plan->carried++;
        SGDP_ASSERT(plan->ratio[k] >= 0.0 && plan->ratio[k] <= 1.0 + 1e-9);
    }
}

/* Plans the polynomial method. Returns 0 if it cannot solve this network. */
static int sgdp_priv_make_plan(const sgdp_priv_problem *p, sgdp_priv_plan *plan)
{
    const double K = (double)p->tasks;
    double points = 1.0;
    size_t k;
    memset(plan, 0, sizeof *plan);
    if (p->queues == 0 || p->queues > SGDP_PRIV_QUEUES) return 0;
    plan->K = p->tasks;
    plan->Q = p->queues;
    if (!sgdp_priv_plan_queues(p, plan)) return 0;
    sgdp_priv_plan_shares(plan);
    /* With extreme rates, products of residence times would leave the range of double. */
    for (k = 0; k < plan->kinds; k++) {
        const sgdp_priv_speed speed = sgdp_priv_speed_of(p->net, plan->station[k]);
        size_t j;
        if (plan->G > 1 && speed.rate) return 0;
        for (j = 0; speed.rate && j < speed.rates; j++)
            if (!(speed.rate[j] >= 1e-20 && speed.rate[j] <= 1e20)) return 0;
    }
    if (plan->G == 1) {
        plan->operations = 0.5 * K * K * (1.0 + (double)plan->kinds);
        return 1;
    }
    /* Beyond these limits c(n) / scale^n would leave the range of double. */
    if (K * sqrt((double)plan->G) > 1800.0 || K * log((double)plan->G) > 1300.0) return 0;
    for (k = 1; k <= plan->G; k++)     /* vectors with a sum of at most K             */
        points *= (K + (double)k) / (double)k;
    plan->operations = 0.5 * K * points * (1.0 + (double)plan->carried);
    return 1;
}

/* A node of the tree of halvings: the tasks [lo, hi) are not yet in its functional c. */
typedef struct sgdp_priv_node {
    size_t  lo, hi;
    int     halves;                 /* children visited so far                        */
    size_t  layout;                 /* degree for which c is laid out                 */
    double *c;
} sgdp_priv_node;

typedef struct sgdp_priv_chain {
    sgdp_priv_classes k;
    sgdp_priv_plan  *p;
    sgdp_priv_speed *speed;         /* [kinds]                                        */
    double  *in;                    /* [kinds] queues that q and v contain so far     */
    double  *kind_s;                /* [kinds] residence times of the last task       */
    sgdp_priv_node *path;           /* nodes from the root to the present one         */
    size_t  *class_of;              /* [K] task to class                              */
    double  *z, *a;                 /* [C] and [C][G] Z and demands, scaled           */
    double  *q;                     /* [G][K] residence time of the group: sum of v   */
    double  *v;                     /* [kinds][K], behind q: v(n) before any task     */
    double  *fresh;                 /* [kinds][K] for sgdp_priv_group_join: new v     */
    double  *share;                 /* [K + 1] likewise: share(j | n),                */
    size_t  *depth;                 /* [K + 1]   and its exponent                     */
    double  *buffer;                /* functionals on the path of halvings            */
    double   scale[SGDP_PRIV_GROUPS]; /* G > 1: c(n) is kept as c(n) / prod scale^n     */
    size_t  *simplex;               /* G > 1: [G + 1][K + 1] binomial(k + d, d)       */
    size_t   carried;               /* kinds whose v is wanted, and updated with c    */
} sgdp_priv_chain;

/* Doubles in one functional of degree k; 0 if size_t cannot count them. */
static size_t sgdp_priv_functional_size(const sgdp_priv_plan *plan, size_t k)
{
    const size_t arrays = 1 + (plan->G == 1 ? plan->kinds : plan->carried);
    size_t points = plan->G == 1 ? k : 1, i;
    for (i = 1; plan->G > 1 && i <= plan->G; i++) { /* a binomial: divides exactly    */
        if (points > (size_t)-1 / (k + i)) return 0;
        points = points * (k + i) / i;
    }
    return points > (size_t)-1 / arrays ? 0 : points * arrays;
}

/* Doubles for the functionals below the root. Each starts with as many tasks to add as
 * the node above has: K, K/2, K/4, ... rounded up. 0: size_t cannot count them. */
static size_t sgdp_priv_path_size(const sgdp_priv_plan *plan)
{
    size_t total = 0, k = plan->K;
    for (;;) {
        const size_t size = sgdp_priv_functional_size(plan, k);
        if (size == 0 || size > (size_t)-1 - total) return 0;
        total += size;
        if (k == 1) return total;
        k -= k / 2;
    }
}

/* Nodes of the path: the root, its halvings, and one child that is not visited. */
static size_t sgdp_priv_path_nodes(size_t K)
{
    size_t nodes = 2;
    for (; K > 1; K -= K / 2) nodes++;
    return nodes;
}

static sgdp_status sgdp_priv_carve_chain(const sgdp_priv_problem *p,
                                         const sgdp_priv_plan *plan,
                                         sgdp_priv_arena *arena, sgdp_priv_chain *chain)
{
    const size_t K = plan->K, G = plan->G;
    if (plan->operations > p->o.max_operations) return SGDP_OVER_BUDGET;
    if (K > (size_t)-1 / 64 / (plan->kinds + G) || sgdp_priv_path_size(plan) == 0)
        return SGDP_TOO_LARGE;
    sgdp_priv_carve_classes(arena, p, &chain->k);
    chain->p = (sgdp_priv_plan *)sgdp_priv_take(arena, 1, sizeof *plan);
    if (chain->p) *chain->p = *plan;
    chain->speed = (sgdp_priv_speed *)sgdp_priv_take(arena, plan->kinds,
                                                     sizeof *chain->speed);
    chain->in = sgdp_priv_doubles(arena, plan->kinds);
    chain->kind_s = sgdp_priv_doubles(arena, plan->kinds);
    chain->path = (sgdp_priv_node *)sgdp_priv_take(arena, sgdp_priv_path_nodes(K),
                                                   sizeof *chain->path);
    chain->class_of = (size_t *)sgdp_priv_take(arena, K, sizeof(size_t));
    chain->z = sgdp_priv_doubles(arena, p->classes);
    chain->a = sgdp_priv_doubles(arena, p->classes * G);
    chain->q = sgdp_priv_doubles(arena, (G + plan->kinds) * K);
    chain->v = chain->q ? chain->q + G * K : NULL;
    chain->fresh = sgdp_priv_doubles(arena, plan->kinds * K);
    chain->share = sgdp_priv_doubles(arena, K + 1);
    chain->depth = (size_t *)sgdp_priv_take(arena, K + 1, sizeof(size_t));
    chain->simplex = (size_t *)sgdp_priv_take(arena, G > 1 ? (G + 1) * (K + 1) : 0,
                                              sizeof(size_t));
    chain->buffer = sgdp_priv_doubles(arena, sgdp_priv_path_size(plan));
    return sgdp_priv_laid_out(p, arena);
}

/* Sequences v and q for the queues of capacity 1 of a group, by Mean Value Analysis:
 * v(n) = ratio (1 + N(n)) with N(n) = n v(n - 1) / q(n - 1). */
static void sgdp_priv_group_single(sgdp_priv_chain *chain, size_t g)
{
    const sgdp_priv_plan *p = chain->p;
    const sgdp_priv_speed *speed = chain->speed;
    const size_t K = p->K;
    double *q = chain->q + g * K, *in = chain->in;
    size_t n, k;
    for (n = 0; n < K; n++) {
        q[n] = 0.0;
        for (k = 0; k < p->kinds; k++) {
            double *v = chain->v + k * K;
            if (p->group[k] != g || speed[k].rate || speed[k].capacity > 1.0) continue;
            in[k] = p->copies[k];
            v[n] = p->ratio[k];
            if (n > 0 && q[n - 1] > 0.0) v[n] *= 1.0 + (double)n * v[n - 1] / q[n - 1];
        }
        for (k = 0; k < p->kinds; k++)
            if (p->group[k] == g) q[n] += in[k] * chain->v[k * K + n];
        SGDP_ASSERT(n == 0 || q[n] >= q[n - 1] * (1.0 - 1e-9));
    }
}

/* Probabilities that may leave the range of double: the value is x * 2^(-512 depth). */
#define SGDP_PRIV_FAR 1.3407807929942597e154        /* 2^512                          */

/* Computes share(j | n + 1) from share(. | n), see sgdp_priv_group_join. */
static void sgdp_priv_group_shift(sgdp_priv_chain *chain, size_t n, double pace,
                                  const sgdp_priv_speed *speed, double stay)
{
    double *share = chain->share;
    size_t *depth = chain->depth, j;
    for (j = n + 1; j > 0; j--) {
        share[j] = pace / sgdp_priv_speed_at(speed, j) * share[j - 1];
        depth[j] = depth[j - 1];
        if (depth[j] > 0 && share[j] >= 1.0) {
            share[j] /= SGDP_PRIV_FAR;
            depth[j]--;
        }
    }
    share[0] *= stay;
    if (share[0] < 1.0 / SGDP_PRIV_FAR && share[0] > 0.0) {
        share[0] *= SGDP_PRIV_FAR;
        depth[0]++;
    }
}

static inline double sgdp_priv_group_shares(const sgdp_priv_chain *chain, size_t n)
{
    double sum = 0.0;
    size_t j;
    for (j = 0; j <= n; j++)
        if (chain->depth[j] == 0) sum += chain->share[j];
    return sum;
}

/* Adds one more queue of kind b, of any speed r(j), to v and q. share(j | n) is the
 * probability that j of n tasks are at that queue,
 *     share(j | n + 1) = X(n + 1) (ratio / r(j)) share(j - 1 | n),  j > 0
 *     share(0 | n + 1) = q(n) before / q(n) after * share(0 | n)
 * with X(n + 1) = (n + 1) / q(n), and q(n) before and after the queue is added. Terms are
 * positive; nothing is normalized. A negligible share(0) can matter at a larger n, j. */
static void sgdp_priv_group_join(sgdp_priv_chain *chain, size_t b)
{
    const sgdp_priv_plan *p = chain->p;
    const size_t K = p->K, g = p->group[b];
    const sgdp_priv_speed *speed = &chain->speed[b];
    const double ratio = p->ratio[b];
    double *q = chain->q + g * K, *in = chain->in;
    size_t n, j, k;
    chain->share[0] = 1.0;
    chain->depth[0] = 0;
    for (n = 0; n < K; n++) {
        const double before = q[n];
        q[n] = 0.0;
        for (k = 0; k < p->kinds; k++) {
            const double *v = chain->v + k * K;
            double mean = 0.0;
            if (p->group[k] != g || (k != b && !(in[k] > 0.0))) continue;
            for (j = 0; j <= n; j++) {
                const double t =
                    k != b ? v[n - j]
                           : (double)(j + 1) / sgdp_priv_speed_at(speed, j + 1) * ratio;
                if (chain->depth[j] == 0) mean += chain->share[j] * t;
            }
            chain->fresh[k * K + n] = mean;
            q[n] += (in[k] + (k == b ? 1.0 : 0.0)) * mean;
        }
        sgdp_priv_group_shift(chain, n, (double)(n + 1) / q[n] * ratio, speed,
                              before / q[n]);
        SGDP_ASSERT(fabs(sgdp_priv_group_shares(chain, n + 1) - 1.0) <= 1e-9);
    }
    in[b] += 1.0;
    SGDP_ASSERT(in[b] <= p->copies[b]);
    for (k = 0; k < p->kinds; k++)
        if (p->group[k] == g && in[k] > 0.0)
            memcpy(chain->v + k * K, chain->fresh + k * K, K * sizeof(double));
}

/* Scale of a group: about the geometric mean of its q(n), over sqrt(G). It keeps c(n) /
 * prod scale^n within G^(K/2) of 1 where tasks are. Calls no libm, for equal bits. */
static double sgdp_priv_group_scale(const sgdp_priv_chain *chain, size_t g)
{
    const size_t K = chain->p->K;
    const double *q = chain->q + g * K;
    double product = 1.0, power, part;             /* of all q: product * 2^exponent  */
    long exponent = 0;
    size_t n;
    for (n = 0; n < K; n++) {
        int e;
        product = frexp(product * q[n], &e);
        exponent += e;
    }
    power = floor((double)exponent / (double)K);
    part = (double)exponent / (double)K - power;
    SGDP_ASSERT(part >= 0.0 && part <= 1.0);
    part = 1.0 + part * (0.6565 + 0.3435 * part);  /* 2^part, to 0.3 %                */
    return ldexp(part, (int)power) / sqrt((double)chain->p->G);
}

static void sgdp_priv_fill_chain(const sgdp_priv_problem *of, int wanted,
                                 sgdp_priv_chain *chain)
{
    const sgdp_priv_plan *p = chain->p;
    size_t c, g, k, q, t;
    sgdp_priv_fill_classes(of, &chain->k);
    chain->carried = wanted ? p->carried : 0;
    for (c = 0, t = 0; c < chain->k.C; c++) {
        size_t left = (size_t)chain->k.tasks[c];
        while (left-- > 0) chain->class_of[t++] = c;
    }
    SGDP_ASSERT(t == p->K);
    for (k = 0; k < p->kinds * p->K; k++) chain->v[k] = 0.0;
    for (k = 0; k < p->kinds; k++) {
        chain->speed[k] = sgdp_priv_speed_of(of->net, p->station[k]);
        chain->in[k] = 0.0;
    }
    for (g = 0; g < p->G; g++) sgdp_priv_group_single(chain, g);
    for (k = 0; k < p->kinds; k++)
        while (chain->in[k] < p->copies[k]) sgdp_priv_group_join(chain, k);
    for (g = 0; g < p->G; g++)
        chain->scale[g] = p->G == 1 ? 1.0 : sgdp_priv_group_scale(chain, g);
    for (c = 0; c < chain->k.C; c++) {
        double total = chain->k.Z[c], *a = chain->a + c * p->G;
        for (g = 0; g < p->G; g++) a[g] = 0.0;
        for (q = 0; q < p->Q; q++) a[p->group[p->kind_of[q]]] += chain->k.D[c * p->Q + q];
        for (g = 0; g < p->G; g++) total += a[g] * chain->scale[g];
        SGDP_ASSERT(total > 0.0 && total <= DBL_MAX);
        chain->z[c] = chain->k.Z[c] / total;
        for (g = 0; g < p->G; g++) a[g] *= chain->scale[g] / total;
    }
}

/* ---- Closed networks: exact by chain, one group of queues ------------------ */

/* With one group c is kept as its ratios q(n) = c(n + 1) / c(n), so nothing overflows.
 *
 * F tasks at once multiply c by the polynomial prod(Z_f + a_f x) = sum E_m x^m, x being
 * the shift n -> n + 1. With P(n) = c'(n) / c(n), by Horner's rule,
 *     P(n)  = E_0 + q(n) (E_1 + q(n + 1) (E_2 + ...))
 *     q'(n) = q(n) P(n + 1) / P(n)
 *     v'(n) = (E_0 v(n) + q(n) (E_1 v(n + 1) + ...)) / P(n)
 * That is one division for F tasks, in loops over n that a compiler can vectorize. */

#define SGDP_PRIV_RUN 64            /* n handled at a time                            */

/* Computes P(n) or, if v is given, the numerator of v', for n = 0 .. count - 1. */
static inline void sgdp_priv_horner(const double *E, size_t F, const double *q,
                                    const double *v, size_t count, double *P)
{
    size_t i, f;
    for (i = 0; i < count; i++) {
        double sum = v ? E[F] * v[i + F] : E[F];
        for (f = F; f-- > 0;) sum = (v ? E[f] * v[i + f] : E[f]) + q[i + f] * sum;
        P[i] = sum;
    }
}

/* sgdp_priv_horner; except in the last runs the compiler knows F and count. */
static void sgdp_priv_horner_run(const double *E, size_t F, const double *q,
                                 const double *v, size_t count, double *P)
{
    const int whole = F == SGDP_PRIV_BATCH && count == SGDP_PRIV_RUN;
    if (!whole) sgdp_priv_horner(E, F, q, v, count, P);
    else if (v) sgdp_priv_horner(E, SGDP_PRIV_BATCH, q, v, SGDP_PRIV_RUN, P);
    else sgdp_priv_horner(E, SGDP_PRIV_BATCH, q, NULL, SGDP_PRIV_RUN, P);
}

/* Computes E of the tasks [lo, hi), at most SGDP_PRIV_BATCH of them. */
static void sgdp_priv_batch(const sgdp_priv_chain *chain, size_t lo, size_t hi, double *E)
{
    size_t t, m;
    E[0] = 1.0;
    for (t = lo; t < hi; t++) {
        const double z = chain->z[chain->class_of[t]], a = chain->a[chain->class_of[t]];
        E[t - lo + 1] = a * E[t - lo];
        SGDP_ASSERT(t - lo < SGDP_PRIV_BATCH && fabs(z + a - 1.0) <= 1e-9);
        for (m = t - lo; m > 0; m--) E[m] = z * E[m] + a * E[m - 1];
        E[0] *= z;
    }
}

/* Adds F tasks to q and to each v that is updated with it: sequences of length m,
 * `stride` apart, of which m - F values stay valid. */
static void sgdp_priv_ratio_batch(const sgdp_priv_chain *chain, const double *E, size_t F,
                                  size_t m, size_t stride, double *sequence)
{
    double P[SGDP_PRIV_RUN + 1], V[SGDP_PRIV_RUN];
    size_t at, i, k, count;
    SGDP_ASSERT(F > 0 && F < m && m <= stride);
    for (at = 0; at < m - F; at += count) {
        double *q = sequence + at;
        count = m - F - at < SGDP_PRIV_RUN ? m - F - at : SGDP_PRIV_RUN;
        sgdp_priv_horner_run(E, F, q, NULL, count, P);
        sgdp_priv_horner(E, F, q + count, NULL, 1, P + count);
        for (k = 1; k <= chain->carried; k++) {
            double *v = sequence + k * stride + at;
            sgdp_priv_horner_run(E, F, q, v, count, V);
            for (i = 0; i < count; i++) v[i] = V[i] / P[i];
        }
        for (i = 0; i < count; i++) q[i] *= P[i + 1] / P[i];
    }
}

/* ---- Closed networks: exact by chain, several groups ----------------------- */

/* With several groups c(n) itself is kept on a simplex: all n with a sum of at most k, in
 * lexicographic order. A run is a range in which only the last coordinate changes. */

/* Number of vectors of d coordinates with a sum of at most k, from a table. */
static size_t sgdp_priv_simplex_size(const sgdp_priv_chain *chain, size_t d, size_t k)
{
    return chain->simplex[d * (chain->p->K + 1) + k];
}

static void sgdp_priv_simplex_table(sgdp_priv_chain *chain)
{
    const size_t side = chain->p->K + 1;
    size_t d, k;
    for (k = 0; k < side; k++) chain->simplex[k] = 1;
    for (d = 1; d <= chain->p->G; d++)
        for (k = 0; k < side; k++)
            chain->simplex[d * side + k] = chain->simplex[(d - 1) * side + k]
                                         + (k > 0 ? chain->simplex[d * side + k - 1] : 0);
    SGDP_ASSERT(sgdp_priv_functional_size(chain->p, chain->p->K) ==
                chain->simplex[chain->p->G * side + side - 1] * (1 + chain->p->carried));
}

/* Index at which the run of n[0..G-2] starts, in a simplex laid out for degree k. */
static size_t sgdp_priv_simplex_rank(const sgdp_priv_chain *chain, const size_t *n,
                                     size_t k)
{
    size_t rank = 0, left = k, g;
    for (g = 0; g + 1 < chain->p->G; g++) {
        const size_t d = chain->p->G - g;
        SGDP_ASSERT(n[g] <= left);
        rank += sgdp_priv_simplex_size(chain, d, left) -
                sgdp_priv_simplex_size(chain, d, left - n[g]);
        left -= n[g];
    }
    SGDP_ASSERT(rank + left < sgdp_priv_simplex_size(chain, chain->p->G, k));
    return rank;
}

/* Moves n to the next run among those with a sum <= degree; coordinates before `fixed`
 * stay. *left: largest value of the last coordinate. Returns 0 after the last run. */
static int sgdp_priv_simplex_next(const sgdp_priv_chain *chain, size_t fixed, size_t *n,
                                  size_t *left)
{
    size_t g = chain->p->G - 1;
    while (g-- > fixed) {
        if (*left > 0) {
            n[g]++;
            (*left)--;
            return 1;
        }
        *left += n[g];
        n[g] = 0;
    }
    return 0;
}

/* Functionals of degree K before any task: c (`which` 0), or c v of a carried kind. */
static void sgdp_priv_simplex_start(const sgdp_priv_chain *chain, size_t which, double *c)
{
    const sgdp_priv_plan *p = chain->p;
    const size_t K = p->K, last = p->G - 1;
    size_t n[SGDP_PRIV_GROUPS] = { 0 }, left = K, kind = 0, g, i;
    for (i = 0; which > 0; kind++)
        if (p->mixed[p->group[kind]] && ++i == which) break;
    SGDP_ASSERT(which == 0 || (i == which && kind < p->kinds));
    do {
        const double *q = chain->q + last * K;
        double *run = c + sgdp_priv_simplex_rank(chain, n, K), weight = 1.0;
        for (g = 0; g < last; g++)
            for (i = 0; i < n[g]; i++) weight *= chain->q[g * K + i] / chain->scale[g];
        for (i = 0; i <= left; i++) {
            run[i] = weight;
            if (which > 0) {      /* v(K) is never read: a product with it is not used */
                const size_t at = p->group[kind] == last ? i : n[p->group[kind]];
                run[i] *= at < K ? chain->v[kind * K + at] : 0.0;
            }
            if (i < left) weight *= q[i] / chain->scale[last];
        }
    } while (sgdp_priv_simplex_next(chain, 0, n, &left));
}

/* Copies a functional of degree `degree` from a layout for `layout` to a tight one. */
static void sgdp_priv_simplex_copy(const sgdp_priv_chain *chain, const double *from,
                                   size_t layout, size_t degree, double *to)
{
    size_t n[SGDP_PRIV_GROUPS] = { 0 }, left = degree, copied = 0;
    SGDP_ASSERT(degree <= layout);
    do {
        memcpy(to + copied, from + sgdp_priv_simplex_rank(chain, n, layout),
               (left + 1) * sizeof *to);
        copied += left + 1;
    } while (sgdp_priv_simplex_next(chain, 0, n, &left));
    SGDP_ASSERT(copied == sgdp_priv_simplex_size(chain, chain->p->G, degree));
}

/* Start of the run of n + e_g. */
static const double *sgdp_priv_simplex_up(const sgdp_priv_chain *chain, size_t *n,
                                          size_t g, size_t layout, const double *c)
{
    size_t rank;
    n[g]++;
    rank = sgdp_priv_simplex_rank(chain, n, layout);
    n[g]--;
    return c + rank;
}

/* No pass of a loop reads what an earlier one has written: it may be vectorized. */
#if defined(__clang__)
#define SGDP_PRIV_VECTORS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define SGDP_PRIV_VECTORS _Pragma("GCC ivdep")
#else
#define SGDP_PRIV_VECTORS
#endif

/* Also compiles a function for wider vectors; the processor decides at run time. AVX2 has
 * no fused multiply-add, so both give the same bits. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && __GNUC__ >= 8 \
    && !defined(__clang__) && !defined(__AVX2__) && !defined(__SANITIZE_THREAD__)
#define SGDP_PRIV_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define SGDP_PRIV_WIDE
#endif

/* run[i] = z run[i] + last run[i + 1] + (a0 up0[i] + a1 up1[i]), i < n. */
static inline void sgdp_priv_simplex_run(double *run, size_t n, double z, double last,
                                         double a0, const double *up0, double a1,
                                         const double *up1)
{
    size_t i;
    SGDP_PRIV_VECTORS for (i = 0; i < n; i++)
        run[i] = z * run[i] + last * run[i + 1] + (a0 * up0[i] + a1 * up1[i]);
}

/* A slice (see below) of three groups: runs n[1] = lo .. hi - 1, each shorter by one. */
SGDP_PRIV_WIDE
static void sgdp_priv_simplex_slice_of_3(const sgdp_priv_chain *chain, size_t task,
                                         size_t layout, size_t degree, size_t first,
                                         size_t lo, size_t hi, double *c)
{
    const double *a = chain->a + chain->class_of[task] * 3;
    const double z = chain->z[chain->class_of[task]], a0 = a[0], a1 = a[1], a2 = a[2];
    const size_t *of_2 = chain->simplex + 2 * (chain->p->K + 1);
    const size_t *of_3 = of_2 + chain->p->K + 1;
    const size_t here = layout - first;
    size_t room = here + 1 - lo, i;
    double *run;
    const double *up;
    SGDP_ASSERT(chain->p->G == 3 && first <= degree && degree < layout);
    if (hi > degree - first + 1) hi = degree - first + 1;
    if (lo >= hi) return;
    run = c + (of_3[layout] - of_3[here] + of_2[here] - of_2[here - lo]);
    up = c + (of_3[layout] - of_3[here - 1] + of_2[here - 1] - of_2[here - 1 - lo]);
    for (i = lo; i < hi; i++) {
        sgdp_priv_simplex_run(run, degree - first + 1 - i, z, a2, a0, up, a1, run + room);
        run += room--;
        up += room;
    }
}

/* Adds one task on the slice n[0] = first: c(n) = z c(n) + sum_g a_g c(n + e_g). */
static void sgdp_priv_simplex_slice(const sgdp_priv_chain *chain, size_t task,
                                    size_t layout, size_t degree, size_t first, double *c)
{
    const size_t G = chain->p->G;
    const double *a = chain->a + chain->class_of[task] * G;
    const double z = chain->z[chain->class_of[task]], last = a[G - 1];
    size_t n[SGDP_PRIV_GROUPS] = { 0 }, left = degree - first, g, i;
    SGDP_ASSERT(G > 1 && first <= degree && degree < layout);
    n[0] = first;
    do {
        double *run = c + sgdp_priv_simplex_rank(chain, n, layout);
        const double *up = sgdp_priv_simplex_up(chain, n, 0, layout, c);
        const double a0 = a[0];
        if (G == 2) {
            for (i = 0; i <= left; i++)
                run[i] = z * run[i] + last * run[i + 1] + a0 * up[i];
            continue;
        }
        sgdp_priv_simplex_run(run, left + 1, z, last, a0, up, a[1],
                              sgdp_priv_simplex_up(chain, n, 1, layout, c));
        for (g = 2; g + 1 < G; g++) {
            const double ag = a[g];
            up = sgdp_priv_simplex_up(chain, n, g, layout, c);
            for (i = 0; i <= left; i++) run[i] += ag * up[i];
        }
    } while (sgdp_priv_simplex_next(chain, 1, n, &left));
}

enum { SGDP_PRIV_CACHED = 1 << 15 }; /* doubles: half of a small second-level cache   */

/* Adds F tasks, from task lo on, to a functional of degree k, in one sweep over slices:
 * task f works f slices behind task 0, on data that are still in the cache. With three
 * groups a sweep has as many runs as fit into the cache, and task f is f runs behind. */
static void sgdp_priv_simplex_batch(const sgdp_priv_chain *chain, size_t lo, size_t F,
                                    size_t layout, size_t k, double *c)
{
    const size_t fit = SGDP_PRIV_CACHED / ((F + 1) * (layout + 1) / 2);
    const size_t width = fit > 2 * F ? fit - F : F;
    size_t begin, first, f;
    SGDP_ASSERT(F <= SGDP_PRIV_BATCH && F <= k && k <= layout);
    for (begin = 0; chain->p->G == 3 && begin < k + F; begin += width)
        for (first = 0; first < k; first++)
            for (f = 0; f < F && f <= first && f < begin + width; f++)
                sgdp_priv_simplex_slice_of_3(chain, lo + f, layout, k - 1 - f, first - f,
                                             begin > f ? begin - f : 0,
                                             begin + width - f, c);
    for (first = 0; first < k && chain->p->G != 3; first++)
        for (f = 0; f < F && f <= first; f++)
            sgdp_priv_simplex_slice(chain, lo + f, layout, k - 1 - f, first - f, c);
}

/* ---- Closed networks: exact by chain, halving the tasks -------------------- */

/* Doubles from one array of a node to the next. */
static size_t sgdp_priv_stride(const sgdp_priv_chain *chain, size_t layout)
{
    return chain->p->G > 1 ? sgdp_priv_simplex_size(chain, chain->p->G, layout) : layout;
}

/* Makes `child` (memory: child->c) from `parent` by adding the tasks [lo, hi). */
static void sgdp_priv_chain_add(const sgdp_priv_chain *chain,
                                const sgdp_priv_node *parent, size_t lo, size_t hi,
                                sgdp_priv_node *child)
{
    const size_t m = parent->hi - parent->lo, stride = sgdp_priv_stride(chain, m);
    size_t i, F, t, k = m;
    child->layout = m;
    for (i = 0; i <= chain->carried; i++) {
        double *c = child->c + i * stride;
        const double *from = parent->c + i * sgdp_priv_stride(chain, parent->layout);
        if (chain->p->G == 1) memcpy(c, from, m * sizeof *c);
        else if (m == chain->p->K) sgdp_priv_simplex_start(chain, i, c);
        else sgdp_priv_simplex_copy(chain, from, parent->layout, m, c);
    }
    for (t = lo; t < hi; t += F, k -= F) {
        double E[SGDP_PRIV_BATCH + 1];
        F = hi - t < SGDP_PRIV_BATCH ? hi - t : SGDP_PRIV_BATCH;
        if (chain->p->G > 1) {
            for (i = 0; i <= chain->carried; i++)
                sgdp_priv_simplex_batch(chain, t, F, m, k, child->c + i * stride);
        } else {
            sgdp_priv_batch(chain, t, t + F, E);
            sgdp_priv_ratio_batch(chain, E, F, k, stride, child->c);
        }
    }
    SGDP_ASSERT(t == hi && k == child->hi - child->lo);
}

/* Residence times at population 0: of each group, for demand 1, and of each kind. */
static void sgdp_priv_chain_residence(const sgdp_priv_chain *chain,
                                      const sgdp_priv_node *leaf, double *group)
{
    const sgdp_priv_plan *p = chain->p;
    const size_t stride = sgdp_priv_stride(chain, leaf->layout);
    const double *c = leaf->c;
    double *kind = chain->kind_s;
    size_t g, k, i = 0;
    for (g = 0; g < p->G; g++) {
        size_t n[SGDP_PRIV_GROUPS] = { 0 };
        group[g] = 0.0;
        if (p->G == 1) continue;
        n[g] = 1;                   /* last group: +1 is the place in its run         */
        group[g] = c[sgdp_priv_simplex_rank(chain, n, leaf->layout) + (g + 1 == p->G)]
                 / c[0] * chain->scale[g];
    }
    if (p->G == 1) group[0] = c[0];
    for (k = 0; k < p->kinds; k++) {
        if (chain->carried == 0 || !p->mixed[p->group[k]])
            kind[k] = group[p->group[k]] / p->copies[k];
        else kind[k] = c[++i * stride] / (p->G == 1 ? 1.0 : c[0]);
        SGDP_ASSERT(kind[k] >= 0.0);
    }
    SGDP_ASSERT(i == chain->carried);
}

/* At a leaf, one task is left, of class c: sets its response times and throughput. */
static void sgdp_priv_chain_leaf(sgdp_priv_chain *chain, const sgdp_priv_node *leaf)
{
    const sgdp_priv_plan *p = chain->p;
    const size_t c = chain->class_of[leaf->lo];
    double group[SGDP_PRIV_GROUPS], *kind = chain->kind_s, cycle = chain->k.Z[c];
    size_t q;
    sgdp_priv_chain_residence(chain, leaf, group);
    for (q = 0; q < p->Q; q++) {
        const size_t k = p->kind_of[q];
        const double D = chain->k.D[c * p->Q + q];
        cycle += D * group[p->group[k]];
        chain->k.T[c * p->Q + q] = p->ratio[k] > 0.0 ? D * (kind[k] / p->ratio[k]) : 0.0;
    }
    SGDP_ASSERT(leaf->hi - leaf->lo == 1 && cycle > 0.0);
    chain->k.X[c] = chain->k.tasks[c] / cycle;
}

static void sgdp_priv_chain_solve(sgdp_priv_chain *chain)
{
    sgdp_priv_node *path = chain->path;
    size_t depth = 0;
    if (chain->p->G > 1) sgdp_priv_simplex_table(chain);
    path[0].lo = 0;
    path[0].hi = path[0].layout = chain->p->K;
    path[0].halves = 0;
    path[0].c = chain->q;
    for (;;) {
        sgdp_priv_node *node = &path[depth], *child = node + 1;
        const size_t mid = node->lo + (node->hi - node->lo) / 2;
        const int leaf = node->hi - node->lo == 1;
        if (leaf) sgdp_priv_chain_leaf(chain, node);
        if (leaf || node->halves == 2) {
            if (depth-- == 0) return;
            continue;
        }
        child->lo = node->halves == 0 ? node->lo : mid;
        child->hi = node->halves == 0 ? mid : node->hi;
        child->halves = 0;
        child->c = depth == 0 ? chain->buffer : node->c + (1 + chain->carried)
                                              * sgdp_priv_stride(chain, node->layout);
        node->halves++;
        /* Equal tasks have equal results: a node needs the first task of a class. */
        if (child->lo > 0
            && chain->class_of[child->lo - 1] == chain->class_of[child->hi - 1]) continue;
        if (child->lo == node->lo) sgdp_priv_chain_add(chain, node, mid, node->hi, child);
        else sgdp_priv_chain_add(chain, node, node->lo, mid, child);
        depth++;
        SGDP_ASSERT(depth + 1 < sgdp_priv_path_nodes(chain->p->K));
        SGDP_ASSERT(child->lo < child->hi);
    }
}

/* ---- Closed networks: exact, stations of several servers ------------------- */

/* Normalizing constants over the population lattice [B73] [RK75]. Let x = sum D[c] s_c,
 * where s_c stands for the shift n -> n - 1_c. A station with speed r(j) at j tasks
 * multiplies the constant G of the network without it by
 *     F(x) = sum_j x^j / (r(1) ... r(j))
 * and a station of constant speed r by 1 / (1 - x/r). If r(j) = r from some j on, then
 *     F(x) = P(x) / (1 - x/r),   P(x) = sum_j (1 - r(j)/r) x^j / (r(1) ... r(j))
 * The coefficients of P are not negative if no r(j) exceeds r. For m servers, r(j) =
 * min(j, m), P has degree m - 1. All constants are then sums of positive terms: nothing
 * cancels at any population and load. (Marginal probabilities lose digits in P(empty) =
 * 1 - sum.) A station with a larger r(j) uses the series F itself, to the power `tasks`.
 *
 * A task that joins N - 1_c tasks stays there for
 *     T[c] = D[c] (F'(x) G_without)(N - 1_c) / G(N - 1_c)
 *          = D[c] ((P'(x) G_without_P)(N - 1_c) / G(N - 1_c) + E(N - 1_c) / r)
 * where E is the mean number at a single server of speed r, plus 1:
 * E(n) = 1 + sum_c D[c]/r X[c](n) E(n - 1_c), X[c](n) = G(n - 1_c) / G(n).
 *
 * The constants leave the range of double, so each has an exponent of its own. */

#define SGDP_PRIV_HIGH 1.157920892373162e77         /* 2^256                          */
#define SGDP_PRIV_NOWHERE (-((int64_t)1 << 62))     /* exponent of an empty sum       */

typedef struct sgdp_priv_far {
    double  x;                      /* 0, or in [2^-256, 2^256)                       */
    int64_t e;                      /* the value is x * 2^(512 e)                     */
} sgdp_priv_far;

static inline sgdp_priv_far sgdp_priv_far_step(sgdp_priv_far a)
{
    if (a.x >= SGDP_PRIV_HIGH) { a.x *= 1.0 / SGDP_PRIV_FAR; a.e++; }
    else if (a.x < 1.0 / SGDP_PRIV_HIGH && a.x > 0.0) { a.x *= SGDP_PRIV_FAR; a.e--; }
    return a;
}

static inline sgdp_priv_far sgdp_priv_far_of(double x)
{
    sgdp_priv_far a;
    a.x = x;
    a.e = x > 0.0 ? 0 : SGDP_PRIV_NOWHERE;
    a = sgdp_priv_far_step(sgdp_priv_far_step(a));
    SGDP_ASSERT(!(x > 0.0) || (a.x < SGDP_PRIV_HIGH && a.x >= 1.0 / SGDP_PRIV_HIGH));
    return a;
}

/* sum += a * b. A term whose exponent e is 2 less is dropped: below 2^-512 of the sum. */
static inline void sgdp_priv_far_add(sgdp_priv_far *sum, sgdp_priv_far a, sgdp_priv_far b)
{
    sgdp_priv_far t;
    int64_t apart;
    t.x = a.x * b.x;
    if (!(t.x > 0.0)) return;
    t.e = a.e + b.e;
    t = sgdp_priv_far_step(t);
    apart = t.e - sum->e;
    if (apart == 0) sum->x += t.x;
    else if (apart == -1) sum->x += t.x * (1.0 / SGDP_PRIV_FAR);
    else if (apart > 0) {
        sum->x = apart == 1 ? sum->x * (1.0 / SGDP_PRIV_FAR) + t.x : t.x;
        sum->e = t.e;
    }
}

/* a / b; the result must be in the range of double. */
static inline double sgdp_priv_far_ratio(sgdp_priv_far a, sgdp_priv_far b)
{
    double ratio = a.x / b.x;
    int64_t e = a.e - b.e;
    SGDP_ASSERT(b.x > 0.0);
    for (; e > 0; e--) ratio *= SGDP_PRIV_FAR;
    for (; e < 0 && ratio > 0.0; e++) ratio *= 1.0 / SGDP_PRIV_FAR;
    return ratio;
}

typedef struct sgdp_priv_several {
    sgdp_priv_classes k;
    size_t  stages;                 /* number of stations with a polynomial           */
    size_t  terms;                  /* of all polynomials, without the constant terms */
    size_t  V;                      /* constants per point of the lattice             */
    size_t  layer;                  /* points with the same n[0]                      */
    size_t  N0;                     /* tasks[0]                                       */
    size_t *queue;                  /* [stages] queue of a stage, by falling degree   */
    size_t *degree;                 /* [Q] of P, or of the series F                   */
    double *top;                    /* [Q] r of the factor 1 / (1 - x/r); 0: no factor */
    double *speed;                  /* [terms] r(1), r(2), ... of each stage          */
    sgdp_priv_far *weight;          /* [terms] of x^j / (r(1) ... r(j)) in P          */
    sgdp_priv_far *slope;           /* [terms] of x^(j-1) / (r(1) ... r(j-1)) in P'   */
    size_t *place;                  /* [stages + 1] index in a point of G and of P' G */
    sgdp_priv_far *Z;               /* [C]                                            */
    sgdp_priv_far *D;               /* [C][Q]                                         */
    sgdp_priv_far *pace;            /* [C][Q] D / top                                 */
    double *n;                      /* [C] tasks present                              */
    size_t *present;                /* [C] the classes with n > 0, ...                */
    size_t  count;                  /*   ... the first `count` elements               */
    ptrdiff_t *offset;              /* [C] points back to n - 1_c                     */
    sgdp_priv_far *table;           /* [two layers][V]                                */
    double *mean;                   /* [two layers][Q] E                              */
} sgdp_priv_several;

/* Degree of the polynomial of a station; 0 for one server. Sets *top as in the struct. */
static size_t sgdp_priv_server_degree(const sgdp_network *net, size_t l, size_t tasks,
                                      double *top)
{
    const sgdp_priv_speed speed = sgdp_priv_speed_of(net, l);
    size_t last;
    SGDP_ASSERT(tasks > 0 && !sgdp_priv_is_delay(net, l, tasks));
    if (!speed.rate) {
        *top = speed.capacity;                     /* below `tasks`, so it fits size_t */
        return (size_t)ceil(speed.capacity) - 1;
    }
    last = speed.rates;
    *top = speed.rate[last - 1];
    while (last > 1 && sgdp_priv_same(speed.rate[last - 2], *top)) last--;
    if (sgdp_priv_speed_most(&speed) > *top) { *top = 0.0; return tasks; }
    return last - 1 < tasks ? last - 1 : tasks;
}

/* Counts stages, terms and constants per point. Stage i works on i + 1 functions: G, and
 * P' G of each of the i stages before it. It adds its own P' G. */
static void sgdp_priv_several_count(const sgdp_priv_problem *p, sgdp_priv_several *s)
{
    double constants = 1.0, top;
    size_t l;
    s->stages = s->terms = 0;
    for (l = 0; l < p->net->stations; l++) {
        size_t degree;
        if (sgdp_priv_is_delay(p->net, l, p->tasks)) continue;
        degree = sgdp_priv_server_degree(p->net, l, p->tasks, &top);
        if (top > 0.0) constants += 1.0;
        if (degree == 0) continue;
        s->stages++;
        s->terms += degree;
        constants += (double)s->stages * ((double)degree + 1.0) + 1.0;
    }
    SGDP_ASSERT(s->stages <= p->queues);
    s->V = constants < 1e15 ? (size_t)constants : 0;
}

/* Estimated operations; an upper limit, as the order of stages can be better. */
static double sgdp_priv_several_operations(const sgdp_priv_problem *p, size_t points)
{
    sgdp_priv_several s;
    double V;
    sgdp_priv_several_count(p, &s);
    V = s.V > 0 ? (double)s.V : 1e15;
    return (double)points * (double)p->classes * 6.0 * (V + (double)p->queues);
}

static sgdp_status sgdp_priv_carve_servers(const sgdp_priv_problem *p,
                                           sgdp_priv_arena *arena, sgdp_priv_several *s)
{
    const size_t C = p->classes, Q = p->queues, far = sizeof(sgdp_priv_far);
    const size_t points = sgdp_priv_lattice_points(p);
    size_t rows;
    sgdp_priv_several_count(p, s);
    SGDP_ASSERT(points > 0);
    if (s->V == 0) return SGDP_TOO_LARGE;
    s->N0 = p->count[0];
    s->layer = points / (s->N0 + 1);
    rows = 2 * s->layer;
    if (rows > (size_t)-1 / far / s->V) return SGDP_TOO_LARGE;
    sgdp_priv_carve_classes(arena, p, &s->k);
    s->queue = (size_t *)sgdp_priv_take(arena, s->stages, sizeof(size_t));
    s->degree = (size_t *)sgdp_priv_take(arena, Q, sizeof(size_t));
    s->top = sgdp_priv_doubles(arena, Q);
    s->speed = sgdp_priv_doubles(arena, s->terms);
    s->weight = (sgdp_priv_far *)sgdp_priv_take(arena, s->terms, far);
    s->slope = (sgdp_priv_far *)sgdp_priv_take(arena, s->terms, far);
    s->place = (size_t *)sgdp_priv_take(arena, s->stages + 1, sizeof(size_t));
    s->Z = (sgdp_priv_far *)sgdp_priv_take(arena, C, far);
    s->D = (sgdp_priv_far *)sgdp_priv_take(arena, C * Q, far);
    s->pace = (sgdp_priv_far *)sgdp_priv_take(arena, C * Q, far);
    s->n = sgdp_priv_doubles(arena, C);
    s->present = (size_t *)sgdp_priv_take(arena, C, sizeof(size_t));
    s->offset = (ptrdiff_t *)sgdp_priv_take(arena, C, sizeof(ptrdiff_t));
    s->table = (sgdp_priv_far *)sgdp_priv_take(arena, rows * s->V, far);
    s->mean = sgdp_priv_doubles(arena, rows * Q);
    return sgdp_priv_laid_out(p, arena);
}

/* Fills in r(j) and the coefficients of P and P' of one stage, from `at` on. */
static void sgdp_priv_fill_stage(const sgdp_network *net, sgdp_priv_several *s, size_t q,
                                 size_t at)
{
    const sgdp_priv_speed speed = sgdp_priv_speed_of(net, s->k.station[q]);
    const double top = s->top[q];
    size_t j;
    for (j = 1; j <= s->degree[q]; j++, at++) {
        const double r = sgdp_priv_speed_at(&speed, j);
        const double weight = top > 0.0 ? 1.0 - r / top : 1.0;
        SGDP_ASSERT(weight >= 0.0 && at < s->terms);
        s->speed[at] = r;
        s->weight[at] = sgdp_priv_far_of(weight);
        s->slope[at] = sgdp_priv_far_of((double)j * weight / r);
    }
}

static void sgdp_priv_fill_servers(const sgdp_priv_problem *p, sgdp_priv_several *s)
{
    size_t Q, c, q, i, at = 0, stages = 0, stride = 1;
    sgdp_priv_fill_classes(p, &s->k);
    Q = s->k.Q;
    for (q = 0; q < Q; q++) {
        s->degree[q] = sgdp_priv_server_degree(p->net, s->k.station[q], p->tasks,
                                               &s->top[q]);
        if (s->degree[q] == 0) continue;
        for (i = stages++; i > 0 && s->degree[s->queue[i - 1]] < s->degree[q]; i--)
            s->queue[i] = s->queue[i - 1];
        s->queue[i] = q;
    }
    SGDP_ASSERT(stages == s->stages);
    for (i = 0; i < stages; at += s->degree[s->queue[i++]])
        sgdp_priv_fill_stage(p->net, s, s->queue[i], at);
    SGDP_ASSERT(at == s->terms);
    for (c = 0; c < s->k.C; c++) {
        s->Z[c] = sgdp_priv_far_of(s->k.Z[c]);
        for (q = 0; q < Q; q++) {
            const double D = s->k.D[c * Q + q];
            s->D[c * Q + q] = sgdp_priv_far_of(D);
            s->pace[c * Q + q] = sgdp_priv_far_of(s->top[q] > 0.0 ? D / s->top[q] : 0.0);
        }
    }
    for (c = s->k.C; c-- > 0; stride *= (size_t)s->k.tasks[c] + 1)
        s->offset[c] = (ptrdiff_t)stride;
    SGDP_ASSERT(stride == s->layer * (s->N0 + 1));
}

/* (x f)(n); the function f lies at `at` in the point n; `factor` is D + q for queue q. */
static inline sgdp_priv_far sgdp_priv_shift(const sgdp_priv_several *s,
                                            const sgdp_priv_far *factor,
                                            const sgdp_priv_far *at)
{
    sgdp_priv_far sum = { 0.0, SGDP_PRIV_NOWHERE };
    size_t i;
    for (i = 0; i < s->count; i++) {
        const size_t c = s->present[i];
        sgdp_priv_far_add(&sum, factor[c * s->k.Q], at[-s->offset[c] * (ptrdiff_t)s->V]);
    }
    return sum;
}

/* Constants of think times and single servers at n. Returns how many there are. */
static size_t sgdp_priv_several_single(const sgdp_priv_several *s, sgdp_priv_far *point)
{
    const sgdp_priv_far one = { 1.0, 0 };
    size_t q, v = 0;
    if (s->count == 0) point[v++] = one;
    else {
        const size_t c = s->present[s->count - 1];
        sgdp_priv_far think = { 0.0, SGDP_PRIV_NOWHERE };
        sgdp_priv_far_add(&think, s->Z[c], point[-s->offset[c] * (ptrdiff_t)s->V]);
        think.x /= s->n[c];
        point[v++] = sgdp_priv_far_step(think);
    }
    for (q = 0; q < s->k.Q; q++) {
        sgdp_priv_far sum;
        if (!(s->top[q] > 0.0)) continue;
        sum = sgdp_priv_shift(s, s->pace + q, point + v);
        sgdp_priv_far_add(&sum, one, point[v - 1]);
        point[v++] = sgdp_priv_far_step(sum);
    }
    SGDP_ASSERT(v >= 1 && v <= s->V);
    return v;
}

/* Stage i at n: P f for every function f so far, and P' G. The terms of the stage start
 * at `at`. Takes the number of constants in the point, v, and returns the new one. */
static size_t sgdp_priv_several_stage(const sgdp_priv_several *s, size_t i, size_t at,
                                      sgdp_priv_far *point, size_t v)
{
    const sgdp_priv_far one = { 1.0, 0 };
    const size_t q = s->queue[i], degree = s->degree[q];
    sgdp_priv_far rise = { 0.0, SGDP_PRIV_NOWHERE };
    size_t f, j;
    for (f = 0; f <= i; f++) {
        sgdp_priv_far total = { 0.0, SGDP_PRIV_NOWHERE };
        size_t from = s->place[f];
        sgdp_priv_far_add(&total, one, point[from]);
        for (j = 0; j < degree; j++) {
            sgdp_priv_far term = sgdp_priv_shift(s, s->D + q, point + from);
            if (f == 0) sgdp_priv_far_add(&rise, s->slope[at + j], point[from]);
            term.x /= s->speed[at + j];
            term = sgdp_priv_far_step(term);
            sgdp_priv_far_add(&total, s->weight[at + j], term);
            from = v;
            point[v++] = term;
        }
        s->place[f] = v;
        point[v++] = sgdp_priv_far_step(total);
    }
    s->place[i + 1] = v;
    point[v++] = sgdp_priv_far_step(rise);
    SGDP_ASSERT(v <= s->V && at + degree <= s->terms);
    return v;
}

/* Computes everything at the present population n, in row `row`. */
static void sgdp_priv_several_point(sgdp_priv_several *s, size_t row)
{
    sgdp_priv_far *point = s->table + row * s->V;
    const size_t Q = s->k.Q;
    double *mean = s->mean + row * Q;
    size_t i, q, at = 0, v = sgdp_priv_several_single(s, point), G;
    s->place[0] = v - 1;
    for (i = 0; i < s->stages; at += s->degree[s->queue[i++]])
        v = sgdp_priv_several_stage(s, i, at, point, v);
    SGDP_ASSERT(at == s->terms);       /* the stages end where they were counted     */
    G = s->place[0];
    for (q = 0; q < Q; q++) mean[q] = 1.0;
    for (i = 0; i < s->count; i++) {
        const size_t c = s->present[i];
        const ptrdiff_t back = s->offset[c];
        const double X = sgdp_priv_far_ratio(point[(ptrdiff_t)G - back * (ptrdiff_t)s->V],
                                             point[G]);
        s->k.X[c] = X;
        for (q = 0; q < Q; q++) if (s->top[q] > 0.0)
                mean[q] += s->k.D[c * Q + q] / s->top[q] * X
                         * mean[(ptrdiff_t)q - back * (ptrdiff_t)Q];
    }
}

/* Response times at the full population, which is in row `row`. */
static void sgdp_priv_several_responses(sgdp_priv_several *s, size_t row)
{
    const size_t Q = s->k.Q, G = s->place[0];
    size_t c, i, q;
    for (c = 0; c < s->k.C; c++) {
        const size_t less = (size_t)((ptrdiff_t)row - s->offset[c]);
        const sgdp_priv_far *point = s->table + less * s->V;
        double *T = s->k.T + c * Q;
        for (q = 0; q < Q; q++)
            T[q] = s->top[q] > 0.0 ? s->mean[less * Q + q] / s->top[q] : 0.0;
        for (i = 0; i < s->stages; i++)
            T[s->queue[i]] += sgdp_priv_far_ratio(point[s->place[i + 1]], point[G]);
        for (q = 0; q < Q; q++) T[q] *= s->k.D[c * Q + q];
        SGDP_ASSERT(s->k.X[c] > 0.0);
    }
}

/* Visits the lattice in the order of sgdp_priv_lattice_run, with two layers as there. */
static void sgdp_priv_several_run(sgdp_priv_several *s)
{
    const size_t C = s->k.C, points = s->layer * (s->N0 + 1);
    size_t c, i, row;
    for (c = 0; c < C; c++) s->n[c] = 0.0;
    s->count = 0;
    sgdp_priv_several_point(s, 0);
    s->offset[0] = -s->offset[0];
    for (i = row = 1; i < points; i++, row++) {
        sgdp_priv_next_population(&s->k, s->n, s->present, &s->count, s->offset);
        if (row == 2 * s->layer) row = 0;
        sgdp_priv_several_point(s, row);
    }
    SGDP_ASSERT(s->count == C);
    sgdp_priv_several_responses(s, row - 1);
}

/* ---- Closed networks: fixed points ----------------------------------------- */

/* The same visits, but what an arriving task sees is estimated from the solution itself.
 * The part of class c in a sum of a queue is v[c] = X[c] (a T - b). A hybrid queue has
 * two sums, N and that of Eq. 2. At n - 1_c the part of class j is assumed to shrink like
 * its tasks, n[j] - 1_jc. The Linearizer corrects that by delta:
 *     v[j](n - 1_c) = (n[j] - 1_jc) (v[j](n) / n[j] + delta[j][c]) */
#define SGDP_PRIV_PASSES 3          /* of the Linearizer [CN82]                       */

typedef struct sgdp_priv_fixed {
    sgdp_priv_visit visit;
    int     linearizer;
    double *seen;                   /* [C][V] estimated sums at n - 1_c               */
    double *sum;                    /* [V] sums at n                                  */
    double *part;                   /* [C][V] v / n of one task at n                  */
    double *base;                   /* Linearizer: [C][V] part at the full population */
    double *delta, *next;           /* Linearizer: [C][C][V] delta[j][c], its update  */
    double *weighted;               /* Linearizer: [C][V] sum_j tasks[j] delta[j][c]  */
    double *last;                   /* [C] throughputs of the previous iteration      */
    size_t  iterations;
    double  residual;
    int     overflow;               /* a wait beyond double: throughput 0             */
} sgdp_priv_fixed;

static double sgdp_priv_fixed_operations(const sgdp_priv_problem *p)
{
    const double C = (double)p->classes;
    const double each = 300.0 * C * (3.0 * (double)p->queues + 3.0)
                      * (p->blend ? 4.0 : 1.0); /* of one fixed point                 */
    return each * (p->o.method == SGDP_METHOD_LINEARIZER ? 3.0 * C + 4.0 : 1.0);
}

static sgdp_status sgdp_priv_carve_fixed(const sgdp_priv_problem *p,
                                         sgdp_priv_arena *arena, sgdp_priv_fixed *f)
{
    const size_t C = p->classes;
    size_t cells;
    sgdp_priv_carve_visit(p, arena, &f->visit);
    if (arena->overflow) return SGDP_TOO_LARGE;
    if (sgdp_priv_fixed_operations(p) > p->o.max_operations) return SGDP_OVER_BUDGET;
    f->linearizer = p->o.method == SGDP_METHOD_LINEARIZER;
    cells = C * f->visit.V;
    f->seen = sgdp_priv_doubles(arena, cells);
    f->part = sgdp_priv_doubles(arena, cells);
    f->sum = sgdp_priv_doubles(arena, f->visit.V);
    f->last = sgdp_priv_doubles(arena, C);
    if (f->linearizer) {
        if (cells > 0 && C > (size_t)-1 / sizeof(double) / cells) return SGDP_TOO_LARGE;
        f->base = sgdp_priv_doubles(arena, cells);
        f->weighted = sgdp_priv_doubles(arena, cells);
        f->delta = sgdp_priv_doubles(arena, C * cells);
        f->next = sgdp_priv_doubles(arena, C * cells);
    }
    return sgdp_priv_laid_out(p, arena);
}

/* Computes part[c] from the response times and throughputs of the last visit. */
static void sgdp_priv_fixed_parts(sgdp_priv_fixed *f)
{
    const sgdp_priv_visit *v = &f->visit;
    const size_t Q = v->k.Q;
    size_t i, q;
    for (i = 0; i < v->count; i++) {
        const size_t c = v->present[i];
        const double each = v->k.X[c] / v->n[c], *T = v->k.T + c * Q;
        double *part = f->part + c * v->V;
        for (q = 0; q < Q; q++) {
            const double *co = v->coefficient + 4 * (c * Q + q), D = co[0];
            if (v->hybrid) {
                part[2 * q] = each * T[q];
                part[2 * q + 1] = each * (v->rhythm[q] ? D : D * T[q] - 0.5 * D * D);
            } else {
                part[q] = each * (co[2] * T[q] - co[3]);
            }
        }
    }
}

/* Estimates what each class sees on arrival. `missing`: class that lacks a task, or C. */
static void sgdp_priv_fixed_seen(sgdp_priv_fixed *f, size_t missing)
{
    const sgdp_priv_visit *v = &f->visit;
    const size_t V = v->V, C = v->k.C;
    size_t i, s;
    SGDP_ASSERT(v->count <= C && missing <= C);
    for (s = 0; s < V; s++) f->sum[s] = 0.0;
    for (i = 0; i < v->count; i++)
        for (s = 0; s < V; s++)
            f->sum[s] += v->n[v->present[i]] * f->part[v->present[i] * V + s];
    for (i = 0; i < v->count; i++) {
        const size_t c = v->present[i];
        for (s = 0; s < V; s++) {
            double seen = f->sum[s] - f->part[c * V + s];
            if (f->linearizer) {
                seen += f->weighted[c * V + s] - f->delta[(c * C + c) * V + s];
                if (missing < C) seen -= f->delta[(missing * C + c) * V + s];
            }
            f->seen[c * V + s] = seen > 0.0 ? seen : 0.0;
        }
    }
}

/* Iterates at the population given by n and present until no throughput changes. */
static void sgdp_priv_fixed_core(sgdp_priv_fixed *f, size_t missing)
{
    sgdp_priv_visit *v = &f->visit;
    const size_t C = v->k.C;
    size_t i, step;
    for (step = 0; step < v->o.max_iterations; step++) {
        for (i = 0; i < v->count; i++) f->last[v->present[i]] = v->k.X[v->present[i]];
        sgdp_priv_fixed_seen(f, missing);
        sgdp_priv_visit_row(v, f->seen + C * v->V, f->sum);
        sgdp_priv_fixed_parts(f);
        f->iterations++;
        f->residual = 0.0;
        for (i = 0; i < v->count; i++) {
            const size_t c = v->present[i];
            const double change = fabs(v->k.X[c] - f->last[c]) / v->k.X[c];
            if (!(v->k.X[c] > 0.0)) f->overflow = 1;
            if (change > f->residual) f->residual = change;
        }
        if (f->overflow || f->residual <= v->o.tolerance) return;
    }
}

/* Sets the full population, less one task of class `missing` unless that is C. */
static void sgdp_priv_fixed_population(sgdp_priv_fixed *f, size_t missing)
{
    sgdp_priv_visit *v = &f->visit;
    size_t c;
    v->count = 0;
    for (c = 0; c < v->k.C; c++) {
        v->n[c] = v->k.tasks[c] - (c == missing ? 1.0 : 0.0);
        if (v->n[c] > 0.0) v->present[v->count++] = c;
    }
    SGDP_ASSERT(v->count == v->k.C || (missing < v->k.C && v->count + 1 == v->k.C));
}

/* One pass of the Linearizer: solves every N - 1_c with the present delta. The new delta
 * is the difference of parts at N - 1_c and at N. Returns the largest residual. */
static double sgdp_priv_linearizer_pass(sgdp_priv_fixed *f)
{
    sgdp_priv_visit *v = &f->visit;
    const size_t C = v->k.C, V = v->V, cells = C * V;
    size_t c, j, s;
    double worst = 0.0;
    SGDP_ASSERT(v->count == C);
    memcpy(f->base, f->part, cells * sizeof(double));
    for (c = 0; c < C; c++) {
        memcpy(f->part, f->base, cells * sizeof(double));
        sgdp_priv_fixed_population(f, c);
        sgdp_priv_fixed_core(f, c);
        if (f->residual > worst) worst = f->residual;
        for (j = 0; j < C; j++) {
            const int gone = j == c && !(v->n[c] > 0.0);
            for (s = 0; s < V; s++)
                f->next[(j * C + c) * V + s] = gone ? 0.0
                                             : f->part[j * V + s] - f->base[j * V + s];
        }
    }
    memcpy(f->delta, f->next, C * cells * sizeof(double));
    memset(f->weighted, 0, cells * sizeof(double));
    for (j = 0; j < C; j++)
        for (s = 0; s < cells; s++)
            f->weighted[s] += v->k.tasks[j] * f->delta[j * cells + s];
    memcpy(f->part, f->base, cells * sizeof(double));
    return worst;
}

static void sgdp_priv_linearizer_solve(sgdp_priv_fixed *f)
{
    const size_t C = f->visit.k.C;
    double worst = f->residual;
    size_t pass;
    for (pass = 0; pass < SGDP_PRIV_PASSES; pass++) {
        const double cores = sgdp_priv_linearizer_pass(f);
        if (cores > worst) worst = cores;
        sgdp_priv_fixed_population(f, C);
        sgdp_priv_fixed_core(f, C);
    }
    if (worst > f->residual) f->residual = worst;
    SGDP_ASSERT(f->visit.count == C && f->residual >= 0.0);
}

static void sgdp_priv_fixed_solve(sgdp_priv_fixed *f)
{
    sgdp_priv_visit *v = &f->visit;
    const size_t C = v->k.C, Q = v->k.Q;
    size_t c, q;
    f->iterations = 0;
    f->residual = 0.0;
    f->overflow = 0;
    if (Q == 0) { sgdp_priv_solve_delays(&v->k); return; }
    sgdp_priv_fixed_population(f, C);
    for (c = 0; c < C; c++) {                       /* start: no waiting              */
        double cycle = v->k.Z[c];
        v->offset[c] = (ptrdiff_t)((C - c) * v->V);
        for (q = 0; q < Q; q++) cycle += v->k.T[c * Q + q] = v->k.D[c * Q + q];
        v->k.X[c] = v->n[c] / cycle;
    }
    sgdp_priv_fixed_parts(f);
    if (f->linearizer) {
        memset(f->delta, 0, C * C * v->V * sizeof(double));
        memset(f->weighted, 0, C * v->V * sizeof(double));
    }
    sgdp_priv_fixed_core(f, C);
    if (f->linearizer && !f->overflow) sgdp_priv_linearizer_solve(f);
}

/* ---- Closed networks: choice of the method --------------------------------- */

typedef struct sgdp_priv_solver {
    sgdp_method method;
    double      operations;         /* estimated                                      */
    const sgdp_priv_classes *k;     /* the solution,                                  */
    const sgdp_priv_visit *visit;   /*   if it is by visits                           */
    union {
        sgdp_priv_lattice lattice;
        sgdp_priv_several servers;
        sgdp_priv_chain   chain;
        sgdp_priv_fixed   fixed;
    } by;
} sgdp_priv_solver;

/* With several servers, or rates, mean values alone do not suffice for exact ones. */
static int sgdp_priv_needs_constants(const sgdp_priv_problem *p)
{
    return p->way == SGDP_PRIV_EXACT && p->several;
}

static sgdp_status sgdp_priv_carve_points(const sgdp_priv_problem *p,
                                          sgdp_priv_arena *arena, sgdp_priv_solver *s)
{
    s->method = SGDP_METHOD_LATTICE;
    if (!sgdp_priv_needs_constants(p))
        return sgdp_priv_carve_lattice(p, arena, &s->by.lattice);
    if (s->operations > p->o.max_operations) return SGDP_OVER_BUDGET;
    return sgdp_priv_carve_servers(p, arena, &s->by.servers);
}

/* Carves the cheaper exact method, or the other one if that is beyond the limits. */
static sgdp_status sgdp_priv_carve_exact(const sgdp_priv_problem *p, size_t points,
                                         sgdp_priv_arena *arena, sgdp_priv_solver *s)
{
    const sgdp_priv_arena empty = *arena;
    const sgdp_method method = p->o.method;
    int lattice = p->queues == 0 || (method != SGDP_METHOD_POLYNOMIAL && points > 0);
    sgdp_priv_plan plan;
    const int chain = method != SGDP_METHOD_LATTICE && sgdp_priv_make_plan(p, &plan);
    sgdp_status status = SGDP_OVER_BUDGET;
    if (lattice && (!chain || s->operations <= plan.operations)) {
        status = sgdp_priv_carve_points(p, arena, s);
        if (status == SGDP_OK) return status;
        *arena = empty;
        lattice = 0;
    }
    if (chain) {
        s->method = SGDP_METHOD_POLYNOMIAL;
        status = sgdp_priv_carve_chain(p, &plan, arena, &s->by.chain);
        if (status == SGDP_OK) s->operations = plan.operations;
        if (status == SGDP_OK) return status;
        *arena = empty;
    }
    return lattice ? sgdp_priv_carve_points(p, arena, s) : status;
}

/* Chooses and carves a method. Reads only the stations, and how their demands differ. */
static SGDP_PRIV_OWN_FRAME sgdp_status sgdp_priv_carve_solver(
    const sgdp_priv_problem *p, sgdp_priv_arena *arena, sgdp_priv_solver *s)
{
    const size_t points = sgdp_priv_lattice_points(p);
    s->visit = NULL;
    if (p->way == SGDP_PRIV_FIXED) {
        s->method = p->o.method;
        s->operations = sgdp_priv_fixed_operations(p);
        return sgdp_priv_carve_fixed(p, arena, &s->by.fixed);
    }
    s->operations = sgdp_priv_needs_constants(p)
                  ? sgdp_priv_several_operations(p, points)
                  : sgdp_priv_lattice_operations(p, points);
    return p->way == SGDP_PRIV_EXACT ? sgdp_priv_carve_exact(p, points, arena, s)
                                     : sgdp_priv_carve_points(p, arena, s);
}

static SGDP_PRIV_OWN_FRAME sgdp_status sgdp_priv_solver_cost(const sgdp_priv_problem *p,
                                                             size_t *bytes,
                                                             double *operations)
{
    sgdp_priv_arena arena = sgdp_priv_arena_at(NULL);
    sgdp_priv_solver s;
    const sgdp_status status = sgdp_priv_carve_solver(p, &arena, &s);
    *operations = s.operations;
    return status != SGDP_OK ? status : sgdp_priv_answer(&arena, bytes);
}

static sgdp_status sgdp_priv_solver_bytes(const sgdp_network *net,
                                          const sgdp_mva_options *options,
                                          sgdp_priv_way way, size_t *bytes)
{
    sgdp_priv_problem p;
    double operations;
    const sgdp_status status = sgdp_priv_pose(net, options, way, &p);
    return status != SGDP_OK ? status : sgdp_priv_solver_cost(&p, bytes, &operations);
}

/* Solves by a solver that is carved. `wanted`: also response times or queues. */
static SGDP_PRIV_OWN_FRAME void sgdp_priv_run_solver(const sgdp_priv_problem *p,
                                                     int wanted, sgdp_priv_solver *s)
{
    const int fixed = p->way == SGDP_PRIV_FIXED;
    sgdp_priv_visit *v = fixed ? &s->by.fixed.visit : &s->by.lattice.visit;
    if (s->method == SGDP_METHOD_POLYNOMIAL) {
        sgdp_priv_fill_chain(p, wanted, &s->by.chain);
        sgdp_priv_chain_solve(&s->by.chain);
        s->k = &s->by.chain.k;
    } else if (sgdp_priv_needs_constants(p)) {
        sgdp_priv_fill_servers(p, &s->by.servers);
        sgdp_priv_several_run(&s->by.servers);
        s->k = &s->by.servers.k;
    } else {
        sgdp_priv_fill_classes(p, &v->k);
        sgdp_priv_fill_visit(p->net, v);
        if (fixed) sgdp_priv_fixed_solve(&s->by.fixed);
        else sgdp_priv_lattice_solve(&s->by.lattice);
        s->k = &v->k;
        s->visit = v;
    }
}

/* Reports gamma of every station; v NULL: Eq. 1 everywhere. */
static void sgdp_priv_report_gamma(const sgdp_network *net, const sgdp_priv_visit *v,
                                   sgdp_mva_result *out)
{
    size_t l, q;
    if (!out->gamma) return;
    for (l = 0; l < net->stations; l++)
        out->gamma[l] = sgdp_priv_discipline(net, l) == SGDP_PS ? 1.0 : 0.0;
    for (q = 0; v && q < v->k.Q; q++) {
        SGDP_ASSERT(v->gamma[q] >= 0.0 && v->gamma[q] <= 1.0);
        out->gamma[v->k.station[q]] = v->rhythm[q] ? v->weight[q] : v->gamma[q];
    }
}

static sgdp_status sgdp_priv_solve_network(const sgdp_network *net,
                                           const sgdp_mva_options *options,
                                           sgdp_priv_way way, void *work,
                                           size_t work_bytes, sgdp_mva_result *out)
{
    const int fixed = way == SGDP_PRIV_FIXED;
    sgdp_priv_arena arena = sgdp_priv_arena_at(NULL);
    sgdp_priv_problem p;
    sgdp_priv_solver s;
    size_t need;
    int wanted;
    sgdp_status status = sgdp_priv_pose(net, options, way, &p);
    if (status == SGDP_OK) status = sgdp_priv_carve_solver(&p, &arena, &s);
    need = arena.used;
    if (status == SGDP_OK) status = sgdp_priv_check_work(work, work_bytes, need);
    if (status != SGDP_OK) return status;
    if (!out) return SGDP_BAD_ARGUMENT;
    wanted = out->response_s || out->queue || out->class_queue;
    arena = sgdp_priv_arena_at(work);
    (void)sgdp_priv_carve_solver(&p, &arena, &s);
    SGDP_ASSERT(arena.used == need);
    sgdp_priv_run_solver(&p, wanted, &s);
    if (s.visit) status = sgdp_priv_visit_status(s.visit);
    if (fixed && s.by.fixed.overflow) status = SGDP_BAD_ARGUMENT;
    if (status == SGDP_BAD_ARGUMENT) return status;
    SGDP_ASSERT(way != SGDP_PRIV_EXACT || sgdp_priv_within_capacity(net, s.k));
    SGDP_ASSERT((way == SGDP_PRIV_EXACT && !wanted) || sgdp_priv_tasks_add_up(s.k));
    sgdp_priv_report(&p, s.k, out);
    sgdp_priv_report_gamma(net, s.visit, out);
    out->method = s.method;
    out->iterations = fixed ? s.by.fixed.iterations : 0;
    out->residual = fixed ? s.by.fixed.residual : 0.0;
    return out->residual > p.o.tolerance ? SGDP_NOT_CONVERGED : status;
}

SGDP_API sgdp_status sgdp_mva_exact_bytes(const sgdp_network *net,
                                          const sgdp_mva_options *options, size_t *bytes)
{
    return sgdp_priv_solver_bytes(net, options, SGDP_PRIV_EXACT, bytes);
}

SGDP_API sgdp_status sgdp_mva_exact(const sgdp_network *net,
                                    const sgdp_mva_options *options, void *work,
                                    size_t work_bytes, sgdp_mva_result *out)
{
    return sgdp_priv_solve_network(net, options, SGDP_PRIV_EXACT, work, work_bytes, out);
}

SGDP_API sgdp_status sgdp_mva_hybrid_approx_bytes(const sgdp_network *net,
                                                  const sgdp_mva_options *options,
                                                  size_t *bytes)
{
    return sgdp_priv_solver_bytes(net, options, SGDP_PRIV_HYBRID, bytes);
}

SGDP_API sgdp_status sgdp_mva_hybrid_approx(const sgdp_network *net,
                                            const sgdp_mva_options *options, void *work,
                                            size_t work_bytes, sgdp_mva_result *out)
{
    return sgdp_priv_solve_network(net, options, SGDP_PRIV_HYBRID, work, work_bytes, out);
}

SGDP_API sgdp_status sgdp_mva_approx_bytes(const sgdp_network *net,
                                           const sgdp_mva_options *options, size_t *bytes)
{
    return sgdp_priv_solver_bytes(net, options, SGDP_PRIV_FIXED, bytes);
}

SGDP_API sgdp_status sgdp_mva_approx(const sgdp_network *net,
                                     const sgdp_mva_options *options, void *work,
                                     size_t work_bytes, sgdp_mva_result *out)
{
    return sgdp_priv_solve_network(net, options, SGDP_PRIV_FIXED, work, work_bytes, out);
}

/* ---- Closed networks: bounds ----------------------------------------------- */

/* Times of class c: outside queues, at all queues, at the slowest queue. */
typedef struct sgdp_priv_totals {
    double Z, D, largest;
    double slowest;                 /* most that load-dependent queues may add to D   */
    double pace;                    /* least time between two tasks, by the queues    */
    size_t visited;                 /* number of queues with demand                   */
    int    single;                  /* all queues have capacity 1                     */
} sgdp_priv_totals;

/* Range of j / r(j), j = 1 .. tasks: the time that a station holds a task of demand 1. */
static void sgdp_priv_rate_span(const sgdp_priv_speed *speed, size_t tasks, double *least,
                                double *most)
{
    const size_t listed = speed->rates < tasks ? speed->rates : tasks;
    size_t j;
    *least = *most = (double)tasks / sgdp_priv_speed_at(speed, tasks);
    for (j = 1; j <= listed; j++) {
        const double held = (double)j / sgdp_priv_speed_at(speed, j);
        *least = fmin(*least, held);
        *most = fmax(*most, held);
    }
    SGDP_ASSERT(*least > 0.0 && *least <= *most);
}

static sgdp_priv_totals sgdp_priv_class_totals(const sgdp_network *net, size_t tasks,
                                               size_t c)
{
    sgdp_priv_totals t = { 0.0, 0.0, 0.0, 0.0, 0.0, 0, 1 };
    size_t l;
    t.Z = sgdp_priv_think(net, c);
    for (l = 0; l < net->stations; l++) {
        const double D = net->demand_s[c * net->stations + l];
        const sgdp_priv_speed speed = sgdp_priv_speed_of(net, l);
        if (sgdp_priv_is_delay(net, l, tasks)) { t.Z += D; continue; }
        if (!sgdp_priv_is_single(net, l)) t.single = 0;
        t.pace = fmax(t.pace, D / sgdp_priv_speed_most(&speed));
        t.visited += D > 0.0;
        if (speed.rate && D > 0.0) {
            double least, most;
            sgdp_priv_rate_span(&speed, tasks, &least, &most);
            t.D += D * least;
            t.slowest += D * (most - least);
            continue;
        }
        t.D += D;
        if (D > t.largest) t.largest = D;
    }
    SGDP_ASSERT(t.largest <= t.D && (t.visited > 0) == (t.D > 0.0));
    return t;
}

SGDP_API sgdp_status sgdp_mva_bounds(const sgdp_network *net, double *lower_per_s,
                                     double *upper_per_s)
{
    sgdp_priv_problem p;
    size_t c;
    double K;
    const sgdp_status status = sgdp_priv_examine(net, &p);
    if (status != SGDP_OK) return status;
    K = (double)p.tasks;
    for (c = 0; c < net->classes; c++) {
        const int alike = p.merged && p.classes == 1;
        const double n = (double)sgdp_priv_population(net, c);
        double lower = 0.0, upper = 0.0;
        if (n > 0.0) {
            const double share = alike ? n / K : 1.0; /* of the rate of a queue        */
            const sgdp_priv_totals t = sgdp_priv_class_totals(net, p.tasks, c);
            double ahead_most = (K - 1.0) * t.largest, ahead_least = 0.0;
            if (alike && t.single && t.visited > 0) {
                ahead_most /= 1.0 + t.Z / (K * t.D);
                ahead_least = (K - 1.0) * t.D / (double)t.visited / (1.0 + t.Z / t.D);
            }
            lower = n / (t.Z + t.D + ahead_most + t.slowest);
            upper = n / (t.Z + t.D + ahead_least);
            if (t.pace > 0.0 && upper > share / t.pace) upper = share / t.pace;
            SGDP_ASSERT(lower <= upper * (1.0 + 1e-9));
        }
        if (lower_per_s) lower_per_s[c] = lower;
        if (upper_per_s) upper_per_s[c] = upper;
    }
    return SGDP_OK;
}

/* ---- SGD on a cluster: texts ----------------------------------------------- */

#define SGDP_X(name, text) text,
SGDP_API const char *sgdp_model_text(sgdp_model model)
{
    static const char *const text[] = { SGDP_MODEL_TABLE(SGDP_X) };
    return sgdp_priv_text(text, SGDP_MODEL_COUNT, (size_t)model);
}

SGDP_API const char *sgdp_resource_text(sgdp_resource resource)
{
    static const char *const text[] = { SGDP_RESOURCE_TABLE(SGDP_X) };
    return sgdp_priv_text(text, SGDP_RESOURCE_COUNT, (size_t)resource);
}

SGDP_API const char *sgdp_shape_text(sgdp_shape shape)
{
    static const char *const text[] = { SGDP_SHAPE_TABLE(SGDP_X) };
    return sgdp_priv_text(text, SGDP_SHAPE_COUNT, (size_t)shape);
}

SGDP_API const char *sgdp_remedy_text(sgdp_remedy remedy)
{
    static const char *const text[] = { SGDP_REMEDY_TABLE(SGDP_X) };
    return sgdp_priv_text(text, SGDP_REMEDY_COUNT, (size_t)remedy);
}

#undef SGDP_X

/* ---- SGD on a cluster: steps that vary -------------------------------------- */

static int sgdp_priv_variation_in_range(const sgdp_variation *v)
{
    double sum = 0.0;
    size_t i;
    if (!(v->cv >= 0.0 && v->cv <= 100.0)) return 0;
    if ((size_t)v->shape >= (size_t)SGDP_SHAPE_COUNT) return 0;
    if (v->shape == SGDP_SHAPE_EXPONENTIAL && v->cv > 1.0) return 0;
    if (v->samples == 0) return 1;
    if (!v->sample || !sgdp_priv_is_time(v->sample[0])) return 0;
    for (i = 0; i < v->samples; i++) {
        if (!sgdp_priv_is_time(v->sample[i])) return 0;
        if (i > 0 && v->sample[i] < v->sample[i - 1]) return 0;
        sum += v->sample[i];
    }
    return sgdp_priv_is_rate(sum) && sum / (double)v->samples >= DBL_MIN;
}

static double sgdp_priv_sample_mean(const sgdp_variation *v)
{
    double sum = 0.0;
    size_t i;
    for (i = 0; i < v->samples; i++) sum += v->sample[i] / (double)v->samples;
    SGDP_ASSERT(sum > 0.0);
    return sum;
}

static double sgdp_priv_cv(const sgdp_variation *v)
{
    double mean, sum = 0.0;
    size_t i;
    if (v->samples == 0) return v->cv;
    mean = sgdp_priv_sample_mean(v);
    for (i = 0; i < v->samples; i++) {
        const double off = v->sample[i] / mean - 1.0;
        sum += off * off / (double)v->samples;
    }
    return sqrt(sum);
}

/* Factor on the mean time for standard normal z; w: variance of its logarithm. */
static double sgdp_priv_factor_at(const sgdp_variation *v, double z)
{
    if (v->shape == SGDP_SHAPE_LOGNORMAL) {
        const double w = log(1.0 + v->cv * v->cv);
        return exp(sqrt(w) * z - 0.5 * w);
    }
    return 1.0 + v->cv * z > 0.0 ? 1.0 + v->cv * z : 0.0;
}

/* ln of n phi(z) Phi(z)^(n-1) at z = i/64, up to a constant. */
static double sgdp_priv_log_weight(int i, uint32_t n, double log_n)
{
    const double z = i / 64.0, tail = 0.5 * erfc(fabs(z) * 0.7071067811865475);
    const double log_below = i > 0 ? log1p(-tail) : log(tail);
    return log_n - 0.5 * z * z + (n - 1.0) * log_below;
}

/* E[g(Z)], Z the largest of n standard normal numbers and g(Z) the factor on a step: the
 * trapezoidal rule with the weight n phi(z) Phi(z)^(n-1), which for n up to 2^32 lies
 * between -12 and 12. The sum begins where the weight is 1e-39. */
static double sgdp_priv_slowest_normal(const sgdp_variation *v, uint32_t n)
{
    const double log_n = log((double)n), most = sgdp_priv_factor_at(v, 12.0);
    const double lost = 0.125 * DBL_EPSILON;
    double sum = 0.0, mass = 0.0;
    int i = -768, end = 0;
    while (end - i > 1) {
        const int middle = i + (end - i) / 2;
        if (sgdp_priv_log_weight(middle, n, log_n) < -90.0) i = middle;
        else end = middle;
    }
    for (; i <= 768; i++) {
        const double weight = exp(sgdp_priv_log_weight(i, n, log_n));
        /* Weights fall from here on: a further one changes no bit of either sum. */
        if (weight < lost * mass && weight * most < lost * sum) break;
        sum += weight * sgdp_priv_factor_at(v, i / 64.0);
        mass += weight;
    }
    SGDP_ASSERT(mass > 0.0);
    return sum / mass;
}

/* The last result of sgdp_priv_slowest, for one variation. */
typedef struct sgdp_priv_slowest_last {
    uint32_t n;                /* workers; 0: no result yet                         */
    double   factor;
} sgdp_priv_slowest_last;

/* H_n - 1 = 1/2 + ... + 1/n. */
static double sgdp_priv_harmonic_excess(uint32_t n)
{
    const double x = n;
    double sum = 0.0;
    uint32_t i;
    if (n > 1000) /* [AS64, 6.3.18] */
        return log(x) + 0.5772156649015329 + 0.5 / x - 1.0 / (12.0 * x * x) - 1.0;
    for (i = n; i >= 2; i--) sum += 1.0 / i;
    return sum;
}

/* ln Gamma(x), x >= 1, to 1e-15: Stirling's series [AS64, 6.1.41] for x >= 16. */
static double sgdp_priv_log_gamma(double x)
{
    double product = 1.0, r;
    SGDP_ASSERT(x >= 1.0);
    for (; x < 16.0; x += 1.0) product *= x;
    r = 1.0 / (x * x);
    return (x - 0.5) * log(x) - x + 0.9189385332046727 - log(product)
         + (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r / 1680.0))) / x;
}

/* Continued fraction of the incomplete beta function for x below (a + 1)/(a + b + 2)
 * [AS64, 26.5.8], by Lentz's method: O(sqrt(max(a, b))). b is whole: it ends at m = b.
 * Only the first denominator can vanish, if the comparison of x has rounded. */
static double sgdp_priv_beta_fraction(double a, double b, double x)
{
    double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0), f, m;
    d = 1.0 / (fabs(d) > 1e-300 ? d : 1e-300);
    f = d;
    for (m = 1.0; m < b; m += 1.0) {
        double step = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / (1.0 + step * d);
        c = 1.0 + step / c;
        f *= d * c;
        step = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / (1.0 + step * d);
        c = 1.0 + step / c;
        f *= d * c;
        if (fabs(d * c - 1.0) < 1e-15) break;
    }
    SGDP_ASSERT(f > 0.0);
    return f;
}

/* Probability that at least a of a + b - 1 uniform numbers are below x; log_beta: ln B */
static double sgdp_priv_incomplete_beta(double a, double b, double log_beta, double x)
{
    double front;
    SGDP_ASSERT(x > 0.0);
    if (x >= 1.0) return 1.0;
    front = exp(a * log(x) + b * log1p(-x) - log_beta);
    if (x * (a + b + 2.0) < a + 1.0) return front / a * sgdp_priv_beta_fraction(a, b, x);
    return 1.0 - front / b * sgdp_priv_beta_fraction(b, a, 1.0 - x);
}

/* E[X(k:n)] / mean by the sample; p^n is the probability that all n are not above x. */
static double sgdp_priv_kth_of_sample(const sgdp_variation *v, uint32_t n, uint32_t k)
{
    const double N = (double)v->samples, a = k, b = (double)(n - k) + 1.0;
    const double log_beta = k == n ? 0.0 : sgdp_priv_log_gamma(a) + sgdp_priv_log_gamma(b)
                                         - sgdp_priv_log_gamma(a + b);
    double sum = 0.0, before = 0.0;
    size_t i;
    for (i = 0; i < v->samples; i++) {
        const double p = (double)(i + 1) / N;
        const double after = k == n ? exp(n * log(p))
                                    : sgdp_priv_incomplete_beta(a, b, log_beta, p);
        SGDP_ASSERT(k < n || (after >= before && after <= 1.0));
        sum += v->sample[i] * (after - before);
        before = after;
    }
    return sum / sgdp_priv_sample_mean(v);
}

static double sgdp_priv_slowest(const sgdp_variation *v, uint32_t n)
{
    double factor;
    if (n <= 1 || (v->samples == 0 && !(v->cv > 0.0))) return 1.0;
    if (v->samples == 0 && v->shape == SGDP_SHAPE_EXPONENTIAL)
        return 1.0 + v->cv * sgdp_priv_harmonic_excess(n);
    factor = v->samples > 0 ? sgdp_priv_kth_of_sample(v, n, n)
                            : sgdp_priv_slowest_normal(v, n);
    return factor > 1.0 ? factor : 1.0;
}

SGDP_API sgdp_status sgdp_slowest(const sgdp_variation *variation, uint32_t n,
                                  double *factor)
{
    return sgdp_kth_fastest(variation, n, n, factor);
}

/* ---- SGD on a cluster: the k-th fastest worker ------------------------------- */

/* ln of Phi(z)^below (1 - Phi(z))^above phi(z), up to a constant, and two derivatives. */
static double sgdp_priv_kth_log_weight(double z, double below, double above,
                                       double *slope, double *bend)
{
    const double phi = 0.3989422804014327 * exp(-0.5 * z * z);
    const double low = 0.5 * erfc(-z * 0.7071067811865475);
    const double high = 0.5 * erfc(z * 0.7071067811865475);
    const double r = phi / low, s = phi / high;
    *slope = below * r - above * s - z;
    *bend = -below * r * (z + r) + above * s * (z - s) - 1.0;
    return below * log(low) + above * log(high) - 0.5 * z * z;
}

/* Adds one side of the integral, from the mode on in steps of h, until a term changes
 * nothing: at most to 13 deviations, which no number of 2^32 exceeds. */
static void sgdp_priv_kth_side(const sgdp_variation *v, double mode, double h,
                               double below, double above, double *sum, double *mass)
{
    const double most = sgdp_priv_factor_at(v, 13.0);
    double slope, bend, z;
    const double top = sgdp_priv_kth_log_weight(mode, below, above, &slope, &bend);
    int i;
    for (i = h > 0.0 ? 0 : 1; ; i++) {
        double weight;
        z = mode + h * i;
        if (fabs(z) > 13.0) break;
        weight = exp(sgdp_priv_kth_log_weight(z, below, above, &slope, &bend) - top);
        *sum += weight * sgdp_priv_factor_at(v, z);
        *mass += weight;
        if (weight < 1e-18 * *mass && (h < 0.0 || weight * most <= 1e-18 * *sum)) break;
    }
}

/* E[g(Z)], Z the k-th of n standard normal numbers and g(Z) the factor on a step: the
 * trapezoidal rule around the mode of Z's density, which has one mode. */
static double sgdp_priv_kth_of_normal(const sgdp_variation *v, uint32_t n, uint32_t k)
{
    const double below = (double)k - 1.0, above = (double)(n - k);
    double low = -13.0, high = 13.0, slope, bend, sum = 0.0, mass = 0.0, h;
    int i;
    for (i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        (void)sgdp_priv_kth_log_weight(middle, below, above, &slope, &bend);
        if (slope > 0.0) low = middle;
        else high = middle;
    }
    (void)sgdp_priv_kth_log_weight(low, below, above, &slope, &bend);
    SGDP_ASSERT(bend < 0.0);
    h = fmin(1.0 / 256.0, 0.0625 / sqrt(-bend));
    sgdp_priv_kth_side(v, low, h, below, above, &sum, &mass);
    sgdp_priv_kth_side(v, low, -h, below, above, &sum, &mass);
    SGDP_ASSERT(mass > 0.0);
    return sum / mass;
}

static double sgdp_priv_kth_fastest(const sgdp_variation *v, uint32_t n, uint32_t k)
{
    SGDP_ASSERT(k >= 1 && k <= n);
    if (k == n || (v->samples == 0 && !(v->cv > 0.0))) return sgdp_priv_slowest(v, n);
    if (v->samples > 0) return sgdp_priv_kth_of_sample(v, n, k);
    if (v->shape == SGDP_SHAPE_EXPONENTIAL)
        return 1.0 - v->cv + v->cv * (sgdp_priv_harmonic_excess(n)
                                      + 1.0 - sgdp_priv_harmonic_excess(n - k) - 1.0);
    return sgdp_priv_kth_of_normal(v, n, k);
}

SGDP_API sgdp_status sgdp_kth_fastest(const sgdp_variation *variation, uint32_t n,
                                      uint32_t k, double *factor)
{
    if (!variation || !factor || k == 0 || k > n) return SGDP_BAD_ARGUMENT;
    if (!sgdp_priv_variation_in_range(variation)) return SGDP_BAD_ARGUMENT;
    *factor = sgdp_priv_kth_fastest(variation, n, k);
    return SGDP_OK;
}

/* ---- SGD on a cluster: quantiles of varying steps ---------------------------- */

/* Quantile p in (0, 1) of the standard normal distribution, to 4.5e-4 [AS64, 26.2.23]. */
static double sgdp_priv_normal_quantile(double p)
{
    const double tail = p < 0.5 ? p : 1.0 - p, t = sqrt(-2.0 * log(tail));
    const double z = t - (2.515517 + t * (0.802853 + t * 0.010328))
                       / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    SGDP_ASSERT(p > 0.0 && p < 1.0);
    return p < 0.5 ? -z : z;
}

/* Quantile p of the factor on the mean time; `mean` is that of the sample. */
static double sgdp_priv_factor_quantile(const sgdp_variation *v, double mean, double p)
{
    if (v->samples > 0) {
        const size_t i = (size_t)(p * (double)v->samples);
        SGDP_ASSERT(i < v->samples);
        return v->sample[i] / mean;
    }
    if (v->shape == SGDP_SHAPE_EXPONENTIAL) return 1.0 - v->cv - v->cv * log(1.0 - p);
    return sgdp_priv_factor_at(v, sgdp_priv_normal_quantile(p));
}

/* A table of rising factors, from the least to above that of 2^32 steps. */
enum { SGDP_PRIV_FACTORS = 512 };

typedef struct sgdp_priv_factors {
    const sgdp_variation *of;
    double mean;               /* of the sample                                     */
} sgdp_priv_factors;

static double sgdp_priv_factor_step(const sgdp_priv_factors *f, int j)
{
    const sgdp_variation *v = f->of;
    const double part = j / (double)SGDP_PRIV_FACTORS;
    double at = part * ((double)v->samples - 1.0);
    size_t i;
    SGDP_ASSERT(j >= 0 && j <= SGDP_PRIV_FACTORS);
    if (v->samples == 0 && v->shape == SGDP_SHAPE_EXPONENTIAL)
        return 1.0 - v->cv + v->cv * (40.0 * part * part);
    if (v->samples == 0) return sgdp_priv_factor_at(v, 17.6 * part - 9.0);
    if (v->samples > 2 * SGDP_PRIV_FACTORS) { /* keep all of the largest: they decide  */
        const double single = (double)SGDP_PRIV_FACTORS / 2.0;
        at = j > single ? (double)v->samples - 1.0 - (SGDP_PRIV_FACTORS - j)
                        : floor(j / single * ((double)v->samples - 1.0 - single));
    }
    i = (size_t)at;
    if (i + 1 >= v->samples) return v->sample[v->samples - 1] / f->mean;
    at -= (double)i;
    return (v->sample[i] + at * (v->sample[i + 1] - v->sample[i])) / f->mean;
}

/* ln of the part of steps whose factor is not above `factor`. */
static double sgdp_priv_log_below(const sgdp_priv_factors *f, double factor)
{
    const sgdp_variation *v = f->of;
    double z = 0.0, below;
    size_t low = 0, high = v->samples;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (v->sample[middle] <= factor * f->mean * (1.0 + 1e-12)) low = middle + 1;
        else high = middle;
    }
    if (v->samples > 0) return low > 0 ? log((double)low / (double)v->samples) : -1e3;
    if (v->shape == SGDP_SHAPE_EXPONENTIAL) {
        z = (factor - 1.0 + v->cv) / v->cv;
        return z > 0.0 ? log(-expm1(-z)) : -1e3;
    }
    z = (factor - 1.0) / v->cv;
    if (v->shape == SGDP_SHAPE_LOGNORMAL) {
        const double w = log1p(v->cv * v->cv);
        if (!(factor > 0.0)) return -1e3;
        if (w > 0.0) z = (log(factor) + 0.5 * w) / sqrt(w);
    }
    if (z > 0.0) return log1p(-0.5 * erfc(z * 0.7071067811865475));
    below = 0.5 * erfc(-z * 0.7071067811865475);
    return below > DBL_MIN ? log(below) : -1e3;
}

/* ---- SGD on a cluster: the fields of the inputs ---------------------------- */

static double *sgdp_priv_input_field(sgdp_job *job, sgdp_input input)
{
    double *const field[SGDP_INPUT_COUNT] = {
        &job->compute.forward_s, &job->compute.backward_s, &job->compute.update_s,
        &job->model_bytes, &job->links.bandwidth_bytes_per_s, &job->links.latency_s,
        &job->links.flow_cap_bytes_per_s, &job->machine.local_bandwidth_bytes_per_s,
        &job->overlap.exponent, &job->threshold, &job->servers.message_s,
        &job->overlap.exposure, &job->machine.growth, &job->machine.growth_between
    };                                 /* in the order of sgdp_input                */
    SGDP_ASSERT((size_t)input < (size_t)SGDP_INPUT_COUNT);
    return field[input];
}

static double sgdp_priv_longer_transfer_s(const sgdp_job *job)
{
    const double U = job->links.uplink_s, D = job->links.downlink_s;
    return U > D ? U : D;
}

/* Value of an input; of a threshold below 0, as the default one is: 0. */
static double sgdp_priv_get_input(const sgdp_job *job, sgdp_input input)
{
    const double longer_s = sgdp_priv_longer_transfer_s(job);
    sgdp_job copy = *job;
    if (input == SGDP_INPUT_TRANSFER && longer_s > 0.0) return longer_s;
    if (input < SGDP_INPUT_EXPOSURE) return *sgdp_priv_input_field(&copy, input);
    return fmax(0.0, *sgdp_priv_input_field(&copy, input)); /* negative: 0          */
}

/* Sets an input to any value, even an invalid one. A transfer time of 0 stays 0. */
static void sgdp_priv_set_input(sgdp_job *job, sgdp_input input, double value)
{
    const double longer_s = sgdp_priv_longer_transfer_s(job);
    if (input == SGDP_INPUT_TRANSFER && longer_s > 0.0) {
        job->links.uplink_s = job->links.uplink_s / longer_s * value;
        job->links.downlink_s = job->links.downlink_s / longer_s * value;
    } else if (input == SGDP_INPUT_THRESHOLD) {
        job->threshold = value > 0.0 ? value : -1.0;
    } else if (input >= SGDP_INPUT_EXPOSURE) { /* 0 would be the model's own          */
        *sgdp_priv_input_field(job, input) = value > 0.0 ? value : -1.0;
    } else {
        *sgdp_priv_input_field(job, input) = value;
    }
}

SGDP_API sgdp_status sgdp_set_input(sgdp_job *job, sgdp_input input, double value)
{
    if (!job || (size_t)input >= (size_t)SGDP_INPUT_COUNT || !sgdp_priv_is_time(value))
        return SGDP_BAD_ARGUMENT;
    sgdp_priv_set_input(job, input, value);
    return SGDP_OK;
}

/* ---- SGD on a cluster: checks and defaults of a job ------------------------ */

/* Stations of the asynchronous network, in the order of the resources. */
enum { SGDP_PRIV_STATIONS = 3 };
#define SGDP_PRIV_RESOURCE(station) ((size_t)SGDP_UPLINK + (station))

typedef struct sgdp_priv_run {
    const sgdp_job *job;
    sgdp_model model;
    uint32_t workers;          /* K: accelerators                                   */
    uint32_t machines;         /* tasks on the network; K if gpus is 1              */
    uint32_t gpus;             /* g                                                 */
    uint32_t counted;          /* workers whose gradients make a step: K - backup   */
    size_t   types;            /* >= 1; read them by sgdp_priv_type                 */
    sgdp_worker_type equal;    /* the only type if the job has none                 */
    double   forward_scale;    /* 1, but factors on all types in sgdp_elasticity    */
    double   backward_scale;
    double   uplink_s;         /* one task alone, for the largest share of a        */
    double   downlink_s;       /*   server; 0 for all-reduce                        */
    double   update_s;
    double   flows;            /* B/c: transfers that a link carries at full speed  */
    double   peer_s;           /* all-reduce: M/B or M/c between machines           */
    double   local_s;          /* M/b                                               */
    int      is_told;          /* collective.exchange has set the next two          */
    sgdp_exchange told;
    double   told_full_s;      /* told.local_s of full machines                     */
    sgdp_exchange alltoall;    /* times of all-to-alls; 0: none                     */
    double   alltoall_link_s;  /* S/B or S/c of them                                */
    double   exposure;         /* as in the job, or CLUSTER's                       */
    double   growth, growth_between;
    double   threshold;
    double   batch;
    double   input_s;          /* one mini-batch in the input pipeline of a machine */
    struct sgdp_priv_passes *passes; /* of the curve to which this belongs, or NULL */
    sgdp_priv_slowest_last *slowest; /* shared by runs of the same variation, or NULL */
} sgdp_priv_run;

static double sgdp_priv_excess(double a, double b) { return a > b ? a - b : 0.0; }

/* The table lists asynchronous models first, then synchronous models with parameter
 * servers, then collectives. A new model belongs among its kind. */
static int sgdp_priv_is_allreduce(sgdp_model model)
{
    return (size_t)model >= (size_t)SGDP_ALLREDUCE_RING;
}

static int sgdp_priv_is_ring(sgdp_model model)
{
    return model == SGDP_ALLREDUCE_RING || model == SGDP_ALLREDUCE_CLUSTER;
}

static int sgdp_priv_is_synchronous_ps(sgdp_model model)
{
    return (size_t)model >= (size_t)SGDP_SYNC_PS && !sgdp_priv_is_allreduce(model);
}

static sgdp_worker_type sgdp_priv_type(const sgdp_priv_run *run, size_t i)
{
    const sgdp_workers *workers = &run->job->workers;
    sgdp_worker_type type = workers->types > 0 ? workers->type[i] : run->equal;
    SGDP_ASSERT(i < run->types);
    type.forward_s *= run->forward_scale;
    type.backward_s *= run->backward_scale;
    if (sgdp_priv_is_allreduce(run->model)) type.delay_s = 0.0;
    return type;
}

static int sgdp_priv_has_windows(sgdp_model model)
{
    return model == SGDP_ASYNC_RHYTHM || model == SGDP_SYNC_STAGGERED;
}

/* Does a worker have its own link? In our models always; default: as a server's. */
static int sgdp_priv_has_worker_link(const sgdp_job *job, sgdp_model model)
{
    return job->links.worker_bandwidth_bytes_per_s > 0.0 || sgdp_priv_has_windows(model);
}

static int sgdp_priv_is_network(sgdp_model model)
{
    return !sgdp_priv_is_synchronous_ps(model) && !sgdp_priv_is_allreduce(model)
        && model != SGDP_ASYNC_CYNTHIA;
}

static int sgdp_priv_is_overlapped(const sgdp_priv_run *run)
{
    return run->job->overlap.rule != SGDP_OVERLAP_NONE;
}

/* Checks the range of each number of the job; combinations are checked later. */
static int sgdp_priv_job_in_range(const sgdp_job *job, sgdp_model model)
{
    const sgdp_compute *compute = &job->compute;
    const sgdp_links *links = &job->links;
    const uint32_t jobs = job->collective.jobs;
    const double number[] = {
        job->model_bytes, compute->forward_s, compute->backward_s, compute->update_s,
        compute->one_worker_step_s, compute->batch, links->bandwidth_bytes_per_s,
        links->worker_bandwidth_bytes_per_s, links->uplink_s, links->downlink_s,
        links->flow_cap_bytes_per_s, links->delay_s, links->port_buffer_bytes,
        links->latency_s, job->servers.message_s, fabs(job->machine.growth),
        job->machine.local_bandwidth_bytes_per_s, fabs(job->machine.growth_between),
        job->machine.input_examples_per_s, job->collective.alltoall_bytes
    };
    const double limit = model == SGDP_ASYNC_HYBRID ? 1.0 : DBL_MAX;
    const double p = job->overlap.exponent, h = job->overlap.exposure;
    size_t i;
    for (i = 0; i < sizeof number / sizeof number[0]; i++)
        if (!sgdp_priv_is_time(number[i])) return 0;
    if (!sgdp_priv_is_time(p) || (p > 0.0 && p < 1.0)) return 0;
    if (!sgdp_priv_is_time(fabs(h))) return 0;
    if (fabs(h) > 0.0 && (p > 0.0 || job->overlap.rule != SGDP_OVERLAP_NONE)) return 0;
    return sgdp_priv_variation_in_range(&compute->vary)
        && (jobs <= 1 || (sgdp_priv_is_allreduce(model) && jobs <= 100000))
        && (size_t)job->overlap.rule <= (size_t)SGDP_OVERLAP_FIXED_POINT
        && job->threshold >= -DBL_MAX && job->threshold <= limit;
}

/* Part of the model on the fullest server, for which all wait. Returns 0 if invalid. */
static int sgdp_priv_largest_share(const sgdp_servers *servers, double *largest)
{
    const uint32_t count = servers->count > 0 ? servers->count : 1;
    const double *shares = servers->shares;
    double sum = 0.0;
    uint32_t i;
    *largest = 1.0 / count;
    if (!shares) return 1;
    *largest = 0.0;
    for (i = 0; i < count; i++) {
        if (!sgdp_priv_is_time(shares[i])) return 0;
        if (shares[i] > *largest) *largest = shares[i];
        sum += shares[i];
    }
    return fabs(sum - 1.0) <= 1e-6;
}

/* Reads transfers and update of one task alone. A flow capped at c < B takes B/c times as
 * long, and leaves room for B/c - 1 others [LPGLY22 4.4]. So does a flow on a worker's
 * own link A: transfers to all servers begin together, so part s of the model gets s A.
 * Times in seconds stand for M/B. All-reduce takes the longer one, undivided. */
static int sgdp_priv_read_network(sgdp_priv_run *run)
{
    const sgdp_job *job = run->job;
    const double M = job->model_bytes, B = job->links.bandwidth_bytes_per_s;
    const double A = job->links.worker_bandwidth_bytes_per_s;
    const double U = job->links.uplink_s, D = job->links.downlink_s;
    const uint32_t rings = job->collective.rings;
    double cap = job->links.flow_cap_bytes_per_s;
    double share = 1.0, transfer_s = 0.0, own = 0.0, uplink_s, downlink_s;
    if (!sgdp_priv_largest_share(&job->servers, &share)) return 0;
    if ((cap > 0.0 || A > 0.0) && !(B > 0.0)) return 0;
    if (sgdp_priv_is_allreduce(run->model)) share = 1.0;
    if (M > 0.0 && !(U > 0.0 && D > 0.0)) {
        if (!(B > 0.0)) return 0;
        transfer_s = M / B;
    }
    if (sgdp_priv_is_allreduce(run->model) && rings > 1) cap *= rings;
    if (sgdp_priv_has_worker_link(job, run->model)) own = (A > 0.0 ? B / A : 1.0) / share;
    run->flows = cap > 0.0 && cap < B ? B / cap : 1.0;
    if (own > run->flows) run->flows = own;
    SGDP_ASSERT(share > 0.0 && share <= 1.0 + 1e-6 && run->flows >= 1.0);
    uplink_s = (U > 0.0 ? U : transfer_s) * run->flows;
    downlink_s = (D > 0.0 ? D : transfer_s) * run->flows;
    if (sgdp_priv_is_allreduce(run->model)) {
        run->peer_s = uplink_s > downlink_s ? uplink_s : downlink_s;
        run->update_s = job->compute.update_s;
    } else {
        run->uplink_s = uplink_s * share;
        run->downlink_s = downlink_s * share;
        run->update_s = job->compute.update_s * share + job->servers.message_s;
    }
    return sgdp_priv_is_time(uplink_s) && sgdp_priv_is_time(downlink_s);
}

/* ---- SGD on a cluster: delays and windows of TCP ---------------------------- */

/* What TCP windows add to transfers over a path with a delay: docs/models.md, "Workers
 * far away". R is a round trip, S the bytes of a transfer.
 * Why j R: if idle times halve the window j times in every step, a transfer begins with a
 * window of S/(2^j - 1), up to part of a segment. The window doubles every R. So j bursts
 * send all but that part, which follows j round trips after the first burst. */
static const double sgdp_priv_least_timeout_s = 0.2;  /* Linux: timeout beyond R        */
static const double sgdp_priv_first_window = 14480.0; /* 10 segments [RFC 6928]         */
static const double sgdp_priv_paced_rounds = 0.25;    /* of R: two windows of 2 S per R */
static const double sgdp_priv_cubic_beta = 0.7;       /* left of a window [RFC 9438]    */
static const double sgdp_priv_usual_buffer = 500e3;   /* bytes: that of the testbed     */
static const double sgdp_priv_usual_bandwidth = 1.25e8; /* if only times are known      */
static const double sgdp_priv_stream_deviations = 2.0; /* of streams that meet, above   */
                                   /*   their mean (validation/FINDINGS.md)             */
enum { SGDP_PRIV_TURNS = 100 };    /* most iterations to find what windows add          */

/* Does any worker have a delay, and the model windows? */
static int sgdp_priv_is_far(const sgdp_priv_run *run)
{
    size_t i;
    for (i = 0; i < run->types && sgdp_priv_has_windows(run->model); i++)
        if (sgdp_priv_type(run, i).delay_s > 0.0) return 1;
    return 0;
}

static double sgdp_priv_link_bytes_per_s(const sgdp_priv_run *run)
{
    const double B = run->job->links.bandwidth_bytes_per_s;
    return B > 0.0 ? B : sgdp_priv_usual_bandwidth;
}

/* One transfer alone: up (way 0) or down (1). */
static double sgdp_priv_transfer_s(const sgdp_priv_run *run, int way)
{
    return way == 0 ? run->uplink_s : run->downlink_s;
}

/* Round trips until a new connection begins to send the last part of a transfer. */
static double sgdp_priv_first_rounds(const sgdp_priv_run *run, int way)
{
    const double bytes = sgdp_priv_transfer_s(run, way) / run->flows
                       * sgdp_priv_link_bytes_per_s(run);
    return bytes <= DBL_MAX ? floor(log(1.0 + bytes / sgdp_priv_first_window) / log(2.0))
                            : 1024.0;
}

/* What windows add to a transfer after `rounds` halvings. `streams` streams meet. */
static double sgdp_priv_late_s(const sgdp_priv_run *run, int way, double delay_s,
                               double rounds, double streams)
{
    const double alone_s = sgdp_priv_transfer_s(run, way), path_s = 2.0 * delay_s;
    const double Q = run->job->links.port_buffer_bytes;
    const double buffer_s = (Q > 0.0 ? Q : sgdp_priv_usual_buffer)
                          / sgdp_priv_link_bytes_per_s(run);
    double least_s = fmax(rounds, sgdp_priv_paced_rounds) * path_s, shared_s;
    SGDP_ASSERT(streams >= 1.0 && rounds >= 0.0);
    if (!(alone_s > 0.0) || !(delay_s > 0.0)) return 0.0;
    shared_s = alone_s / run->flows * (streams / sgdp_priv_cubic_beta)
             * (path_s / (path_s + buffer_s));
    if (streams > run->flows && shared_s > least_s) least_s = shared_s;
    return sgdp_priv_excess(least_s, alone_s);
}

/* What windows add to a step, for the transfers up (0) and down (1). */
typedef struct sgdp_priv_late {
    double rounds[2];          /* round trips, one for each halving                 */
    double s[2];               /* seconds                                           */
} sgdp_priv_late;

/* What windows of new connections add; nothing without a delay. */
static sgdp_priv_late sgdp_priv_late_at_first(const sgdp_priv_run *run, double delay_s)
{
    sgdp_priv_late late;
    int way;
    memset(&late, 0, sizeof late);
    if (!sgdp_priv_has_windows(run->model) || !(delay_s > 0.0)) return late;
    for (way = 0; way < 2; way++) {
        late.rounds[way] = sgdp_priv_first_rounds(run, way);
        late.s[way] = sgdp_priv_late_s(run, way, delay_s, late.rounds[way], 1.0);
    }
    return late;
}

/* Number of times that an idle time halves a window. */
static double sgdp_priv_halvings(double delay_s, double idle_s)
{
    return floor(idle_s / (2.0 * delay_s + sgdp_priv_least_timeout_s));
}

/* What windows add after a step of cycle_s with transfers of transfer_s + late->s before;
 * `streams` meet on the way up. Small windows make idle times long, and long idle times
 * keep windows small: there can be several solutions. Connections begin with small
 * windows, so `rounds` only falls, to the first solution. Returns the largest change. */
static double sgdp_priv_next_late(const sgdp_priv_run *run, double delay_s,
                                  double streams, double cycle_s,
                                  const double *transfer_s, sgdp_priv_late *late)
{
    double most = 0.0;
    int way;
    for (way = 0; way < 2; way++) {
        const double idle_s = sgdp_priv_excess(cycle_s, transfer_s[way] + late->s[way]);
        const double halvings = sgdp_priv_halvings(delay_s, idle_s), was_s = late->s[way];
        if (halvings < late->rounds[way]) late->rounds[way] = halvings;
        late->s[way] = sgdp_priv_late_s(run, way, delay_s, late->rounds[way],
                                        way == 0 ? streams : 1.0);
        most = fmax(most, fabs(late->s[way] - was_s) / cycle_s);
    }
    SGDP_ASSERT(late->rounds[0] >= 0.0 && late->rounds[1] >= 0.0);
    return most;
}

/* The part of one worker's measured step that windows have added: for each transfer the
 * least number of rounds that agrees with its idle time. */
static double sgdp_priv_late_of_step_s(const sgdp_priv_run *run, double step_s)
{
    const double delay_s = run->equal.delay_s;
    double sum_s = 0.0;
    int way;
    if (!sgdp_priv_has_windows(run->model) || !(delay_s > 0.0)) return 0.0;
    for (way = 0; way < 2; way++) {
        const double most = sgdp_priv_first_rounds(run, way);
        double rounds = -1.0, late_s = 0.0, halvings = 0.0;
        while (rounds < halvings && rounds < most) {
            rounds += 1.0;
            late_s = sgdp_priv_late_s(run, way, delay_s, rounds, 1.0);
            halvings = sgdp_priv_halvings(delay_s, sgdp_priv_excess(
                step_s, sgdp_priv_transfer_s(run, way) + late_s));
        }
        SGDP_ASSERT(late_s >= 0.0);
        sum_s += late_s;
    }
    return sum_s;
}

/* ---- SGD on a cluster: a job's compute and workers -------------------------- */

/* Reads the compute time of equal workers, and M/b. Compute is what transfers and update
 * leave of one_worker_step_s. A step of a full machine keeps its local exchange in it. */
static int sgdp_priv_read_compute(sgdp_priv_run *run)
{
    const sgdp_job *job = run->job;
    const double F = job->compute.forward_s, B = job->compute.backward_s;
    const double step_s = job->compute.one_worker_step_s;
    run->equal.forward_s = F;
    run->equal.backward_s = B;
    run->equal.delay_s = sgdp_priv_is_allreduce(run->model) ? 0.0 : job->links.delay_s;
    if (step_s > 0.0) {
        const double other_s = run->uplink_s + run->update_s + run->downlink_s
                             + 2.0 * run->equal.delay_s
                             + sgdp_priv_late_of_step_s(run, step_s);
        const double rest_s = sgdp_priv_excess(step_s, other_s);
        if (job->workers.types > 0 || !sgdp_priv_is_time(F + B)) return 0;
        run->equal.forward_s = rest_s * (F + B > 0.0 ? F / (F + B) : 1.0 / 3.0);
        run->equal.backward_s = rest_s - run->equal.forward_s;
        SGDP_ASSERT(run->equal.forward_s >= 0.0 && run->equal.backward_s >= 0.0);
    } else if (run->gpus > 1) {
        const double b = job->machine.local_bandwidth_bytes_per_s, M = job->model_bytes;
        if (!(b > 0.0 && M + job->collective.alltoall_bytes > 0.0)) return 0;
        run->local_s = job->model_bytes / b;
    }
    return sgdp_priv_is_time(run->local_s);
}

/* Is a step that was measured that of a full machine of several accelerators? */
static int sgdp_priv_has_machine_step(const sgdp_priv_run *run)
{
    return run->job->compute.one_worker_step_s > 0.0 && run->gpus > 1;
}

/* Sets growth and exposure; CLUSTER has defaults for what the job leaves open. */
static void sgdp_priv_read_growth(sgdp_priv_run *run)
{
    const sgdp_job *job = run->job;
    const sgdp_overlap *overlap = &job->overlap;
    const double compute_s = job->compute.forward_s + job->compute.backward_s;
    const int of_machine = sgdp_priv_has_machine_step(run);
    double lost = 0.0;
    if (!sgdp_priv_is_allreduce(run->model)) return;
    run->exposure = overlap->exposure;
    run->growth = job->machine.growth;
    run->growth_between = job->machine.growth_between;
    if (run->model != SGDP_ALLREDUCE_CLUSTER) return;
    if (!(fabs(run->growth) > 0.0)) run->growth = 0.025;
    if (!(fabs(run->growth_between) > 0.0) && of_machine) run->growth_between = 0.01;
    if (sgdp_priv_is_overlapped(run) || overlap->exponent > 0.0) return;
    if (fabs(overlap->exposure) > 0.0) return;
    run->exposure = 1.25;
    if (!of_machine || !(compute_s > 0.0)) return;
    lost = job->compute.one_worker_step_s / (compute_s + job->compute.update_s) - 1.0;
    if (fabs(lost) < 1e-6) return;     /* both are but the step's parts             */
    lost = lost > 0.0 ? lost : 0.0;
    run->exposure = 0.5 + 8.0 * (lost < 0.3 ? lost : 0.3);
    SGDP_ASSERT(run->exposure >= 0.5 && run->exposure < 3.0);
}

/* Counts workers and machines over the types. A machine holds workers of one type. */
static int sgdp_priv_read_workers(sgdp_priv_run *run, uint32_t workers)
{
    const size_t types = run->job->workers.types;
    uint64_t sum = 0, machines = 0;
    size_t i;
    if (types > 0 && !run->job->workers.type) return 0;
    run->types = types > 0 ? types : 1;
    run->equal.count = workers;
    for (i = 0; i < run->types; i++) {
        const sgdp_worker_type type = sgdp_priv_type(run, i);
        if (type.count == 0) return 0;
        if (!sgdp_priv_is_time(type.forward_s) || !sgdp_priv_is_time(type.backward_s)
            || !sgdp_priv_is_time(type.delay_s)) return 0;
        sum += type.count;
        machines += (type.count - 1) / run->gpus + 1;
        if (sum > UINT32_MAX) return 0;
    }
    run->workers = (uint32_t)sum;
    run->machines = (uint32_t)machines;
    SGDP_ASSERT(run->machines >= 1 && run->machines <= run->workers);
    SGDP_ASSERT(machines * run->gpus >= sum);
    return 1;
}

static int sgdp_priv_same_type(const sgdp_priv_run *run, size_t i, size_t j)
{
    const sgdp_worker_type a = sgdp_priv_type(run, i), b = sgdp_priv_type(run, j);
    return sgdp_priv_same(a.forward_s, b.forward_s)
        && sgdp_priv_same(a.backward_s, b.backward_s)
        && sgdp_priv_same(a.delay_s, b.delay_s);
}

static int sgdp_priv_are_alike(const sgdp_priv_run *run)
{
    size_t i;
    for (i = 1; i < run->types; i++)
        if (!sgdp_priv_same_type(run, i, 0)) return 0;
    return 1;
}

/* Accelerators of the fullest machine, and of the emptiest one. */
static uint32_t sgdp_priv_fullest(const sgdp_priv_run *run, uint32_t *emptiest)
{
    uint32_t fullest = 1;
    size_t i;
    *emptiest = run->gpus;
    for (i = 0; i < run->types; i++) {
        const uint32_t count = sgdp_priv_type(run, i).count, left = count % run->gpus;
        if (left > 0 && left < *emptiest) *emptiest = left;
        if (count > fullest) fullest = count < run->gpus ? count : run->gpus;
    }
    SGDP_ASSERT(fullest <= run->gpus && *emptiest >= 1);
    return fullest;
}

static int sgdp_priv_is_exchange(const sgdp_exchange *e)
{
    return sgdp_priv_is_time(e->local_s) && sgdp_priv_is_time(e->link_s)
        && sgdp_priv_is_time(e->growth_s) && e->carried_s >= 0.0
        && e->carried_s <= e->link_s * (1.0 + 1e-9);
}

/* Asks for the time of all-to-alls. The step of a full machine contains those inside. */
static int sgdp_priv_ask_alltoall(sgdp_priv_run *run, sgdp_machines on)
{
    const sgdp_collective *asked = &run->job->collective;
    const double S = asked->alltoall_bytes, B = run->job->links.bandwidth_bytes_per_s;
    const double b = run->job->machine.local_bandwidth_bytes_per_s;
    if (!(S > 0.0) || !asked->alltoall || !(B > 0.0)) return !(S > 0.0);
    on.transfer_s = S / B;
    on.flow_transfer_s = S / B * run->flows;
    run->alltoall_link_s = S / B * fmax(run->flows / run->gpus, 1.0);
    on.local_transfer_s = b > 0.0 && !sgdp_priv_has_machine_step(run) ? S / b : 0.0;
    SGDP_ASSERT(run->flows >= 1.0 && on.flow_transfer_s >= on.transfer_s);
    return asked->alltoall(asked->ctx, run->model, &on, &run->alltoall)
        && sgdp_priv_is_exchange(&run->alltoall);
}

/* Asks the caller for the time of an all-reduce among these machines, and among two full
 * ones. Returns 0 if the answer is invalid, or missing and the model has no formula. */
static int sgdp_priv_ask_exchange(sgdp_priv_run *run)
{
    const sgdp_collective *asked = &run->job->collective;
    sgdp_exchange full;
    sgdp_machines on;
    if (!sgdp_priv_is_allreduce(run->model)) return !(asked->alltoall_bytes > 0.0);
    on.workers = run->workers;
    on.machines = run->machines;
    on.gpus = run->gpus;
    on.fullest = sgdp_priv_fullest(run, &on.emptiest);
    on.transfer_s = run->peer_s;
    on.local_transfer_s = run->local_s;
    on.latency_s = run->job->links.latency_s;
    on.flow_transfer_s = 0.0;
    if (!sgdp_priv_ask_alltoall(run, on)) return 0;
    run->is_told =
        asked->exchange && asked->exchange(asked->ctx, run->model, &on, &run->told);
    if (!run->is_told)
        return sgdp_priv_is_ring(run->model) || run->model == SGDP_ALLREDUCE_DOUBLING;
    on.machines = 2;
    on.fullest = on.emptiest = on.gpus;
    on.workers = on.gpus < UINT32_MAX / 2 ? 2 * on.gpus : UINT32_MAX;
    if (!asked->exchange(asked->ctx, run->model, &on, &full)) return 0;
    run->told_full_s = full.local_s;
    return sgdp_priv_is_exchange(&run->told) && sgdp_priv_is_time(run->told_full_s);
}

/* Sets the number of workers (>= 1) of a job without types. If the exchange is invalid it
 * takes infinite time, which is refused once the step is known. */
static void sgdp_priv_set_workers(sgdp_priv_run *run, uint32_t workers)
{
    const uint32_t backup = run->job->workers.backup;
    SGDP_ASSERT(run->job->workers.types == 0 && workers >= 1);
    run->equal.count = run->workers = workers;
    run->counted = workers > backup ? workers - backup : 0;
    run->machines = (workers - 1) / run->gpus + 1;
    if (sgdp_priv_ask_exchange(run)) return;
    run->is_told = 1;
    run->told.link_s = HUGE_VAL;
}

static sgdp_status sgdp_priv_read_job(const sgdp_job *job, sgdp_model model,
                                      uint32_t workers, sgdp_priv_run *run)
{
    double threshold = model == SGDP_ASYNC_HYBRID ? 0.8 : 0.6;
    uint32_t backup;
    if (!job || (size_t)model >= (size_t)SGDP_MODEL_COUNT) return SGDP_BAD_ARGUMENT;
    if (!sgdp_priv_job_in_range(job, model)) return SGDP_BAD_ARGUMENT;
    backup = job->workers.backup;
    if (job->threshold > 0.0) threshold = job->threshold;
    if (job->threshold < 0.0) threshold = 0.0;
    memset(run, 0, sizeof *run);
    run->job = job;
    run->model = model;
    run->gpus = job->machine.gpus > 0 ? job->machine.gpus : 1;
    run->batch = job->compute.batch > 0.0 ? job->compute.batch : 1.0;
    if (job->machine.input_examples_per_s > 0.0)
        run->input_s = run->batch / job->machine.input_examples_per_s;
    if (!sgdp_priv_is_time(run->input_s * run->gpus)) return SGDP_BAD_ARGUMENT;
    run->threshold = threshold;
    run->forward_scale = run->backward_scale = 1.0;
    if (!sgdp_priv_read_network(run) || !sgdp_priv_read_compute(run))
        return SGDP_BAD_ARGUMENT;
    sgdp_priv_read_growth(run);
    if (!sgdp_priv_read_workers(run, workers)) return SGDP_BAD_ARGUMENT;
    if (backup > 0
        && ((size_t)model < (size_t)SGDP_SYNC_PS || model == SGDP_SYNC_STAGGERED
            || run->gpus > 1 || backup >= run->workers || !sgdp_priv_are_alike(run)))
        return SGDP_BAD_ARGUMENT;
    if (!sgdp_priv_ask_exchange(run)) return SGDP_BAD_ARGUMENT;
    run->counted = run->workers - backup;
    if (model == SGDP_ASYNC_CYNTHIA
        && (sgdp_priv_is_overlapped(run) || job->workers.types > 0 || run->gpus > 1))
        return SGDP_BAD_ARGUMENT;
    return SGDP_OK;
}

/* ---- SGD on a cluster: parts of a step ------------------------------------- */

/* Time of each transfer of a step for a machine, including waiting. */
typedef struct sgdp_priv_transfers {
    double local_s;            /* inside the machine                                */
    double exchange_s;         /* with the other machines of an all-reduce,         */
    double carried_s;          /*   the part of it in which links carry bytes       */
    double alltoall_s;         /* part of exchange_s, or of local_s, never hidden   */
    double uplink_s;
    double downlink_s;
} sgdp_priv_transfers;

/* Rounds of an all-reduce over a ring of n; each round sends an n-th part. */
static double sgdp_priv_ring_rounds(double n)
{
    SGDP_ASSERT(n >= 1.0);
    return 2.0 * (n - 1.0);
}

/* Exchange inside a machine: all-reduce, 2 (g-1)/g M/b, before the exchange with others;
 * broadcast, M/b, after it [LPGLY22 4.4], if there are others. 0 for one accelerator. */
static double sgdp_priv_local_s(const sgdp_priv_run *run, uint32_t group)
{
    SGDP_ASSERT(group >= 1 && group <= run->gpus);
    if (group == 1) return 0.0;
    return run->local_s * (sgdp_priv_ring_rounds(group) / group) + run->local_s;
}

/* (a^p + b^p)^(1/p) - b for times a and b, p >= 1: the part of a that b does not hide. */
static double sgdp_priv_norm_excess(double a, double b, double p)
{
    const double larger = a > b ? a : b, smaller = a > b ? b : a;
    SGDP_ASSERT(p >= 1.0 && smaller >= 0.0);
    if (!(smaller > 0.0)) return a;
    return larger * exp(log1p(pow(smaller / larger, p)) / p) - b;
}

/* Compute that no transfer hides [LPGLY22, eqs. 6 and 10]. The downlink overlaps the
 * forward pass, uplink or exchange the backward pass; an exponent alone: all compute. */
static double sgdp_priv_exposed_s(const sgdp_priv_run *run, const sgdp_worker_type *type,
                                  const sgdp_priv_transfers *during)
{
    const double p =
        sgdp_priv_is_allreduce(run->model) ? run->job->overlap.exponent : 0.0;
    const int overlapped = sgdp_priv_is_overlapped(run);
    double over_backward_s = during->uplink_s;
    if (p > 0.0) {
        const double alone_s = overlapped ? type->forward_s : 0.0;
        const double hiding_s = overlapped ? type->backward_s
                                           : type->forward_s + type->backward_s;
        return alone_s + sgdp_priv_norm_excess(hiding_s,
                                               during->local_s + during->exchange_s, p);
    }
    if (!overlapped) return type->forward_s + type->backward_s;
    if (sgdp_priv_is_allreduce(run->model))
        over_backward_s = during->local_s + during->exchange_s - during->alltoall_s;
    SGDP_ASSERT(over_backward_s >= 0.0 && during->downlink_s >= 0.0);
    return sgdp_priv_excess(type->forward_s, during->downlink_s)
         + sgdp_priv_excess(type->backward_s, over_backward_s);
}

/* Seconds for which an exchange holds the links, per second at their full bandwidth. */
static double sgdp_priv_held(const sgdp_priv_run *run)
{
    return run->exposure > 1.0 ? run->exposure : 1.0;
}

SGDP_API double sgdp_exposed(double exposure, double compute_s, double exchange_s)
{
    double factor = exposure > 0.0 ? exposure : 0.0;
    if (!(fabs(exposure) > 0.0)) return 1.0;
    if (compute_s + factor * exchange_s < exchange_s)
        factor = 1.0 - compute_s / exchange_s;
    SGDP_ASSERT(factor >= 0.0);
    return factor;
}

/* Scales the exchange by sgdp_exposed, and returns the factor. All-to-alls: as held. */
static double sgdp_priv_expose(const sgdp_priv_run *run, double compute_s,
                               sgdp_priv_transfers *of)
{
    const double S = of->alltoall_s;
    const double factor = sgdp_exposed(run->exposure, compute_s,
                                       of->local_s + of->exchange_s - S);
    double *const among = run->machines > 1 ? &of->exchange_s : &of->local_s;
    of->local_s *= factor;
    of->exchange_s *= factor;
    *among += S * (sgdp_priv_held(run) - factor);
    return factor;
}

/* The step. All models add up in this order: the speedup of one worker is exactly 1. */
static double sgdp_priv_step_s(const sgdp_priv_run *run, double exposed_s,
                               const sgdp_priv_transfers *of)
{
    return exposed_s + of->local_s + of->exchange_s + of->uplink_s + run->update_s
         + of->downlink_s;
}

/* Step of a machine of `group` accelerators alone. exchange_s is 0 except to stand for a
 * ring of many machines. late: what windows add, or NULL. */
static double sgdp_priv_alone_s(const sgdp_priv_run *run, const sgdp_worker_type *type,
                                uint32_t group, double exchange_s,
                                const sgdp_priv_late *late)
{
    sgdp_priv_transfers alone;
    double exposed_s;
    alone.local_s = run->is_told && group > 1 ? run->told_full_s
                                              : sgdp_priv_local_s(run, group);
    alone.exchange_s = exchange_s;
    alone.carried_s = alone.alltoall_s = 0.0;
    alone.uplink_s = run->uplink_s + (type->delay_s + (late ? late->s[0] : 0.0));
    alone.downlink_s = run->downlink_s + (type->delay_s + (late ? late->s[1] : 0.0));
    exposed_s = sgdp_priv_exposed_s(run, type, &alone);
    (void)sgdp_priv_expose(run, exposed_s, &alone);
    return sgdp_priv_step_s(run, exposed_s, &alone);
}

static sgdp_priv_late sgdp_priv_late_alone(const sgdp_priv_run *run,
                                           const sgdp_worker_type *type)
{
    const double alone_s[2] = { run->uplink_s, run->downlink_s };
    sgdp_priv_late late = sgdp_priv_late_at_first(run, type->delay_s);
    double change = sgdp_priv_has_windows(run->model) && type->delay_s > 0.0;
    while (change > 0.0) change = sgdp_priv_next_late(run, type->delay_s, 1.0,
                                     sgdp_priv_alone_s(run, type, 1, 0.0, &late),
                                     alone_s, &late);
    return late;
}

/* Weight of eq. 7 in a synchronous model; the rest is eq. 8. They differ only in the
 * uplink, so the mean of the steps uses the mean of the uplinks (eqs. 9, 10). */
static double sgdp_priv_weight_of_ps(sgdp_model model)
{
    if (model == SGDP_SYNC_PS || model == SGDP_SYNC_STAGGERED) return 1.0;
    return model == SGDP_SYNC_AVERAGE ? 0.5 : 0.0;
}

/* Time that each further machine adds to the busiest shared resource; synchronous: to the
 * step. A ring's transfers stop growing at 2 M/B; doubling grows only with log2 K. */
static double sgdp_priv_growth_s(const sgdp_priv_run *run)
{
    const double U = run->uplink_s / run->flows, D = run->downlink_s / run->flows;
    const double S = run->job->servers.separate_updates ? 0.0 : run->update_s;
    double growth_s = U > D ? U : D;
    if (S > growth_s) growth_s = S;
    if (sgdp_priv_is_synchronous_ps(run->model))
        growth_s = sgdp_priv_weight_of_ps(run->model) * U + D
                 + run->job->servers.message_s;
    if (sgdp_priv_is_allreduce(run->model)) growth_s = 0.0;
    if (sgdp_priv_is_ring(run->model)) growth_s = 2.0 * run->job->links.latency_s;
    if (run->is_told) growth_s = run->told.growth_s;
    return (growth_s + run->alltoall.growth_s) * sgdp_priv_held(run);
}

/* Workers at saturation. sum_s: the steps alone, summed over the workers. */
static double sgdp_priv_saturation_at(const sgdp_priv_run *run, double sum_s,
                                      double growth_s)
{
    SGDP_ASSERT(sum_s >= 0.0 && run->workers > 0);
    if (!(growth_s < HUGE_VAL)) return 0.0;   /* beyond the numbers, as the sum may be */
    return growth_s > 0.0 ? run->gpus * (sum_s / run->workers / growth_s) : HUGE_VAL;
}

/* Mean step alone over sgdp_priv_growth_s. Machines count as full, so that the result
 * depends on the job and not on the number of workers asked for. */
static double sgdp_priv_saturation_workers(const sgdp_priv_run *run)
{
    const double growth_s = sgdp_priv_growth_s(run);
    double sum_s = 0.0;
    size_t i;
    for (i = 0; i < run->types && growth_s > 0.0; i++) {
        const sgdp_worker_type type = sgdp_priv_type(run, i);
        const sgdp_priv_late late = sgdp_priv_late_alone(run, &type);
        const double among_s = 2.0 * run->peer_s + run->gpus * run->alltoall_link_s;
        sum_s += type.count * fmax(run->input_s * run->gpus,
            sgdp_priv_alone_s(run, &type, run->gpus, among_s, &late));
    }
    return sgdp_priv_saturation_at(run, sum_s, growth_s);
}

static int sgdp_priv_is_step(const sgdp_priv_run *run, double step_s)
{
    return sgdp_priv_is_rate(step_s)
        && sgdp_priv_is_rate(run->counted / step_s * run->batch);
}

static inline double sgdp_priv_parts_s(const sgdp_prediction *p)
{
    double sum_s = p->time.barrier_s;
    size_t r;
    for (r = 0; r < (size_t)SGDP_RESOURCE_COUNT; r++)
        sum_s += p->time.service_s[r] + p->time.waiting_s[r];
    return sum_s;
}

/* Derives scaling and bottleneck. alone_s: step of a worker of the first type alone.
 * Utilizations that differ by rounding tie. Input always in time is no bottleneck. */
static void sgdp_priv_derive_from(const sgdp_priv_run *run, double alone_s,
                                  sgdp_prediction *p)
{
    size_t r, most = 0;
    SGDP_ASSERT(fabs(sgdp_priv_parts_s(p) - p->step_s) <= 1e-6 * p->step_s);
    SGDP_ASSERT(fabs(p->batches_per_s * p->step_s - run->counted) <= 1e-9 * run->counted);
    p->workers = run->workers;
    p->examples_per_s = p->batches_per_s * run->batch;
    p->scaling.efficiency = alone_s / p->step_s;
    p->scaling.speedup = p->scaling.efficiency * run->counted;
    if (run->counted < run->workers)
        p->scaling.efficiency = p->scaling.speedup / run->workers;
    for (r = 1; r < (size_t)SGDP_RESOURCE_COUNT; r++)
        if (p->utilization[r] > p->utilization[most] * (1.0 + 1e-12)
            && (r != (size_t)SGDP_HOST || p->time.service_s[r] > 0.0)) most = r;
    p->bottleneck = (sgdp_resource)most;
}

/* ---- SGD on a cluster: synchronous models, and Cynthia --------------------- */

/* Seconds for which the all-reduce of a job alone occupies the links; *all_s: with
 * latencies. A round sends M/n in a RING of n [LPGLY22, eq. 11], M in DOUBLING. */
static double sgdp_priv_carried_s(const sgdp_priv_run *run, double *all_s)
{
    const int rings = sgdp_priv_is_ring(run->model);
    const double parts = rings ? run->machines : 1.0;
    double rounds, sent;
    *all_s = run->told.link_s;
    if (run->is_told) return run->told.carried_s;
    SGDP_ASSERT(rings || run->model == SGDP_ALLREDUCE_DOUBLING);
    rounds = rings ? sgdp_priv_ring_rounds(parts) : 0.0;
    for (sent = 1.0; !rings && sent < run->machines; sent *= 2.0) rounds += 1.0;
    *all_s = rounds * (run->peer_s / parts + run->job->links.latency_s);
    return rounds / parts * run->peer_s;
}

/* How long jobs are on links: seconds of one of `jobs` jobs that share the links equally.
 * Alone, a job is on the links for alone_s, at speed B/f, and off them for off_s. f is
 * `flows`: jobs that a link carries at full speed, 1 unless flows are capped. With j jobs
 * on them the links carry min(j, f) B/f. That is a closed network of a delay and a shared
 * station, whose states j = 0..J have the weights
 *     w(j-1) = w(j) off_s/alone_s min(j, f) / (J - j + 1)
 * whatever the distributions [BCMP75]. The answer (if f = 1: alone_s to J alone_s) is
 *     alone_s (sum w(j) j) / (sum w(j) min(j, f))
 * summed from j = J down. Weights are scaled where they grow large. */
static double sgdp_priv_shared_s(uint32_t jobs, double flows, double off_s,
                                 double alone_s)
{
    double weight = 1.0, present = 0.0, served = 0.0;
    uint32_t j;
    SGDP_ASSERT(alone_s > 0.0);
    for (j = jobs; j > 0; j--) {
        const double at_once = j < flows ? j : flows;
        present += weight * j;
        served += weight * at_once;
        weight *= off_s / alone_s * at_once / ((double)(jobs - j) + 1.0);
        if (weight > 1e200) {
            weight *= 1e-200;
            present *= 1e-200;
            served *= 1e-200;
        }
    }
    SGDP_ASSERT(served > 0.0 && present >= served * (1.0 - 1e-9));
    return alone_s * (present / served);
}

/* [LPGLY22, eqs. 7-11]. n machines at once take n M/B for a transfer, but at least the
 * time of one flow. One after the other, uplinks do not meet (eq. 8). */
static sgdp_priv_transfers sgdp_priv_synchronous_transfers(const sgdp_priv_run *run)
{
    const double n = run->machines, weight = sgdp_priv_weight_of_ps(run->model);
    const double crowd = n > run->flows ? n / run->flows : 1.0;
    sgdp_priv_transfers t;
    uint32_t emptiest;
    SGDP_ASSERT(crowd >= 1.0);
    t.local_s = run->is_told ? run->told.local_s
                             : sgdp_priv_local_s(run, sgdp_priv_fullest(run, &emptiest));
    if (sgdp_priv_is_allreduce(run->model) && run->machines == 1 && !run->is_told)
        t.local_s = /* no broadcast */
            run->local_s * (sgdp_priv_ring_rounds(run->workers) / run->workers);
    t.exchange_s = t.carried_s = 0.0;
    if (sgdp_priv_is_allreduce(run->model))
        t.carried_s = sgdp_priv_carried_s(run, &t.exchange_s);
    t.local_s += run->alltoall.local_s;
    t.exchange_s += run->alltoall.link_s;
    t.carried_s += run->alltoall.carried_s;
    t.alltoall_s = run->job->overlap.exponent > 0.0 ? 0.0
        : run->alltoall.local_s + run->alltoall.link_s;
    t.uplink_s = run->uplink_s * (weight * crowd + (1.0 - weight));
    t.downlink_s = run->downlink_s * crowd;
    return t;
}

/* Growth of compute, see sgdp_machine. A measured step has that inside the machine. */
static double sgdp_priv_growth(const sgdp_priv_run *run)
{
    const int measured = sgdp_priv_has_machine_step(run);
    const uint32_t most = run->gpus > 1 && run->gpus < 16 ? run->gpus : 16;
    const uint32_t beside = run->workers < most ? run->workers : most;
    double growth = 1.0;
    if (!measured) growth += fmax(run->growth, 0.0) * log2(beside);
    if (run->gpus > 1) growth += fmax(run->growth_between, 0.0) * log2(run->machines);
    SGDP_ASSERT(growth >= 1.0);
    return growth;
}

SGDP_API sgdp_status sgdp_stretch_of(const sgdp_job *job, sgdp_model model,
                                     uint32_t workers, sgdp_stretch *out)
{
    sgdp_priv_run run;
    double growth;
    if (!job || !out || workers == 0 || !sgdp_priv_is_allreduce(model)
        || (size_t)model >= (size_t)SGDP_MODEL_COUNT
        || !sgdp_priv_job_in_range(job, model)) return SGDP_BAD_ARGUMENT;
    memset(&run, 0, sizeof run);
    run.job = job;
    run.model = model;
    run.workers = workers;
    run.gpus = job->machine.gpus > 0 ? job->machine.gpus : 1;
    run.machines = (workers - 1) / run.gpus + 1;
    sgdp_priv_read_growth(&run);
    growth = sgdp_priv_growth(&run);
    if (!sgdp_priv_is_time(growth)) return SGDP_BAD_ARGUMENT;
    out->growth = growth;
    out->exposure = run.exposure;
    return SGDP_OK;
}

/* A type's own part of a step: exposed compute, times `factor`, and both delays. */
static double sgdp_priv_own_s(const sgdp_priv_run *run, sgdp_worker_type type,
                              const sgdp_priv_transfers *during, double factor)
{
    sgdp_priv_transfers own = *during;
    own.uplink_s += type.delay_s;
    own.downlink_s += type.delay_s;
    factor *= sgdp_priv_growth(run);
    type.forward_s *= factor;
    type.backward_s *= factor;
    return sgdp_priv_exposed_s(run, &type, &own) + 2.0 * type.delay_s;
}

/* The largest factor in [low, high] with which type i needs at most own_s. */
static double sgdp_priv_factor_by(const sgdp_priv_run *run, size_t i,
                                  const sgdp_priv_transfers *during, double own_s,
                                  double low, double high)
{
    const sgdp_worker_type type = sgdp_priv_type(run, i);
    int step;
    if (sgdp_priv_own_s(run, type, during, high) <= own_s) return high;
    SGDP_ASSERT(low <= high);
    for (step = 0; step < 30; step++) {
        const double middle = low + 0.5 * (high - low);
        if (sgdp_priv_own_s(run, type, during, middle) <= own_s) low = middle;
        else high = middle;
    }
    return low;
}

/* E[max] of the own parts of workers of several types, each with its own random factor:
 * the integral over time of the probability that some worker is not done. Its nodes are
 * the times when the last type is done with each factor of a rising table. */
static double sgdp_priv_slowest_of_types_s(const sgdp_priv_run *run,
                                           const sgdp_priv_transfers *during)
{
    sgdp_priv_factors f;
    double sum_s = 0.0, before_s = 0.0, before = 1.0, top;
    int j;
    f.of = &run->job->compute.vary;
    f.mean = f.of->samples > 0 ? sgdp_priv_sample_mean(f.of) : 1.0;
    top = sgdp_priv_factor_step(&f, SGDP_PRIV_FACTORS);
    for (j = 0; j <= SGDP_PRIV_FACTORS; j++) {
        const double factor = sgdp_priv_factor_step(&f, j);
        double own_s = 0.0, done = 0.0, late;
        size_t i;
        for (i = 0; i < run->types; i++) {
            const sgdp_worker_type type = sgdp_priv_type(run, i);
            const double part_s = sgdp_priv_own_s(run, type, during, factor);
            if (part_s > own_s) own_s = part_s;
        }
        if (!(own_s <= DBL_MAX)) break;
        for (i = 0; i < run->types && own_s > before_s; i++)
            done += sgdp_priv_type(run, i).count * sgdp_priv_log_below(
                &f, sgdp_priv_factor_by(run, i, during, own_s, factor, top));
        SGDP_ASSERT(done <= 0.0);      /* ln of a probability                        */
        late = own_s > before_s ? -expm1(done) : before;
        if (j == 0) before = 1.0;
        else if (f.of->samples == 0) before = 0.5 * (before + late);
        sum_s += (own_s - before_s) * before;
        before_s = own_s > before_s ? own_s : before_s;
        before = late;
    }
    SGDP_ASSERT(sum_s >= 0.0);
    return sum_s;
}

static double sgdp_priv_slowest_of(const sgdp_priv_run *run, uint32_t n)
{
    const sgdp_variation *vary = &run->job->compute.vary;
    sgdp_priv_slowest_last *last = run->slowest;
    if (!last || n == 1) return sgdp_priv_slowest(vary, n);
    if (last->n != n) last->factor = sgdp_priv_slowest(vary, n);
    last->n = n;
    SGDP_ASSERT(last->factor >= 1.0);
    return last->factor;
}

/* Own part of the slowest worker for which a step waits, E[max] of all. The measured step
 * of a full machine has already waited for the slowest of its workers. Equal workers: at
 * the expected slowest factor: exact; 5 % short at cv 0.3 if overlap just hides it. */
static double sgdp_priv_slowest_s(const sgdp_priv_run *run,
                                  const sgdp_priv_transfers *during)
{
    const int of_machine = sgdp_priv_has_machine_step(run);
    const int alike = sgdp_priv_are_alike(run);
    double slowest_s = 0.0;
    size_t i;
    if (run->counted < run->workers)
        return sgdp_priv_own_s(run, sgdp_priv_type(run, 0), during, sgdp_priv_kth_fastest(
            &run->job->compute.vary, run->workers, run->counted));
    for (i = 0; i < (alike ? 1 : run->types); i++) {
        const sgdp_worker_type type = sgdp_priv_type(run, i);
        const uint32_t count = alike ? run->workers : type.count;
        const uint32_t group = of_machine ? run->gpus : 1;
        const double factor = sgdp_priv_slowest_of(run, count)
                            / sgdp_priv_slowest_of(run, count < group ? count : group);
        const double own_s = sgdp_priv_own_s(run, type, during, factor);
        SGDP_ASSERT(factor >= 1.0);
        if (own_s > slowest_s) slowest_s = own_s;
    }
    if (!alike && sgdp_priv_cv(&run->job->compute.vary) > 0.0) {
        const double of_types_s = sgdp_priv_slowest_of_types_s(run, during);
        if (of_types_s > slowest_s) slowest_s = of_types_s;
    }
    return slowest_s;
}

/* Exchange of one of collective.jobs jobs: the time on links that agrees with that off
 * them. If compute hides the exchange, more time on links leaves less off them. */
static double sgdp_priv_crowded_s(const sgdp_priv_run *run, sgdp_priv_transfers during)
{
    const uint32_t jobs = run->job->collective.jobs;
    const double alone_s = during.carried_s;
    const double rest_s = sgdp_priv_excess(during.exchange_s, alone_s);
    double low_s = alone_s, high_s = alone_s * jobs;
    while (low_s < high_s) {
        const double on_s = low_s + (high_s - low_s) / 2.0;
        sgdp_priv_transfers exposed;
        double slowest_s, step_s;
        if (!(on_s > low_s && on_s < high_s)) break;
        during.exchange_s = rest_s + on_s;
        exposed = during;
        slowest_s = sgdp_priv_slowest_s(run, &during);
        (void)sgdp_priv_expose(run, slowest_s, &exposed);
        step_s = sgdp_priv_step_s(run, slowest_s, &exposed);
        if (sgdp_priv_shared_s(jobs, run->flows, sgdp_priv_excess(step_s, on_s),
                               alone_s) > on_s) low_s = on_s;
        else high_s = on_s;
    }
    SGDP_ASSERT(!(high_s < alone_s));
    return rest_s + high_s;
}

/* Writes the step, and parts of links and server. up_s, down_s: delays and windows. */
static void sgdp_priv_report_step(const sgdp_priv_run *run, double step_s, double up_s,
                                  double down_s, sgdp_prediction *p)
{
    const double carried = run->machines / run->flows;
    double *service_s = p->time.service_s;
    p->step_s = step_s;
    p->batches_per_s = run->counted / step_s;
    service_s[SGDP_UPLINK] = run->uplink_s + up_s;
    service_s[SGDP_SERVER] = run->update_s;
    service_s[SGDP_DOWNLINK] = run->downlink_s + down_s;
    p->utilization[SGDP_UPLINK] = run->uplink_s / step_s * carried;
    p->utilization[SGDP_SERVER] = run->update_s / step_s;
    p->utilization[SGDP_DOWNLINK] = run->downlink_s / step_s * carried;
}

/* The slowest worker sets the step; the others wait at the barrier. */
static sgdp_status sgdp_priv_predict_synchronous(const sgdp_priv_run *run,
                                                 sgdp_prediction *p)
{
    sgdp_priv_transfers during = sgdp_priv_synchronous_transfers(run);
    const double K = run->workers;
    const double exchange_s = during.exchange_s, local_s = during.local_s;
    const double among_s = run->machines > 1 ? during.alltoall_s : 0.0;
    const uint32_t jobs = run->job->collective.jobs;
    double *service_s = p->time.service_s, *waiting_s = p->time.waiting_s;
    const double growth = sgdp_priv_growth(run);
    double exposed, slowest_s, step_s, compute_s = 0.0, delay_s = 0.0;
    size_t i;
    if (!sgdp_priv_is_time(growth)) return SGDP_BAD_ARGUMENT;
    if (jobs > 1) during.exchange_s = sgdp_priv_crowded_s(run, during);
    slowest_s = sgdp_priv_slowest_s(run, &during);
    exposed = sgdp_priv_expose(run, slowest_s, &during);
    step_s = sgdp_priv_step_s(run, slowest_s, &during);
    if (!sgdp_priv_is_step(run, step_s)) return SGDP_BAD_ARGUMENT;
    for (i = 0; i < run->types; i++) {
        const sgdp_worker_type type = sgdp_priv_type(run, i);
        const double own_s = sgdp_priv_own_s(run, type, &during, 1.0);
        const double barrier_s = sgdp_priv_excess(slowest_s, own_s);
        SGDP_ASSERT(slowest_s >= own_s * (1.0 - 1e-9) || run->counted < run->workers);
        p->time.barrier_s += type.count / K * barrier_s;
        compute_s += type.count / K * (type.forward_s + type.backward_s);
        delay_s += type.count / K * type.delay_s;
        if (p->types.batches_per_s)
            p->types.batches_per_s[i] = type.count / step_s * (run->counted / K);
        if (p->types.waiting_share) p->types.waiting_share[i] = barrier_s / step_s;
    }
    compute_s *= growth;
    if (run->counted < run->workers && compute_s > step_s) compute_s = step_s;
    sgdp_priv_report_step(run, step_s, delay_s, delay_s, p);
    service_s[SGDP_WORKER] =
        sgdp_priv_excess(slowest_s - p->time.barrier_s, 2.0 * delay_s);
    service_s[SGDP_LINK] =
        exchange_s * exposed + among_s * (sgdp_priv_held(run) - exposed);
    service_s[SGDP_LOCAL] = during.local_s;
    waiting_s[SGDP_LINK] = sgdp_priv_excess(during.exchange_s, service_s[SGDP_LINK]);
    waiting_s[SGDP_UPLINK] = sgdp_priv_excess(during.uplink_s, run->uplink_s);
    waiting_s[SGDP_DOWNLINK] = sgdp_priv_excess(during.downlink_s, run->downlink_s);
    p->utilization[SGDP_WORKER] = compute_s / step_s;
    p->utilization[SGDP_LINK] = exchange_s * sgdp_priv_held(run) / step_s;
    if (jobs > 1)                      /* by all jobs, of a link at full speed      */
        p->utilization[SGDP_LINK] = jobs * (during.carried_s / run->flows) / step_s;
    p->utilization[SGDP_LOCAL] = local_s * sgdp_priv_held(run) / step_s;
    return SGDP_OK;
}

/* [ZXCZL19] [LYPG20]: beyond K U1 = 1 links are full, and compute is stretched K U1
 * times. The excess counts as waiting for the two links, in proportion to their times.
 * The paper's time of a transfer, T_C, is the mean of both; U1 refers to the capacity. */
static sgdp_status sgdp_priv_predict_cynthia(const sgdp_priv_run *run, sgdp_prediction *p)
{
    const double U = run->uplink_s, D = run->downlink_s, K = run->workers;
    const double C = run->equal.forward_s + run->equal.backward_s + run->update_s;
    const double U1 = U + D > 0.0 ? (U + D) / run->flows / (C + U + D) : 0.0;
    const double stretch_s = C * sgdp_priv_excess(K * U1, 1.0);
    const double step_s = sgdp_priv_alone_s(run, &run->equal, 1, 0.0, NULL) + stretch_s;
    if (!sgdp_priv_is_step(run, step_s)) return SGDP_BAD_ARGUMENT;
    SGDP_ASSERT(stretch_s >= 0.0 && C >= run->update_s);
    sgdp_priv_report_step(run, step_s, run->equal.delay_s, run->equal.delay_s, p);
    p->time.service_s[SGDP_WORKER] = C - run->update_s;
    if (stretch_s > 0.0) {
        p->time.waiting_s[SGDP_UPLINK] = U / (U + D) * stretch_s;
        p->time.waiting_s[SGDP_DOWNLINK] = D / (U + D) * stretch_s;
    }
    p->utilization[SGDP_WORKER] = (C - run->update_s) / step_s;
    p->utilization[SGDP_SERVER] *= K;
    if (p->types.batches_per_s) p->types.batches_per_s[0] = p->batches_per_s;
    if (p->types.waiting_share) p->types.waiting_share[0] = 0.0;
    return SGDP_OK;
}

/* ---- SGD on a cluster: one synchronous step, event by event ------------------- */

/* A flow: a machine that downloads, computes and uploads, or several machines of a type,
 * which take each step together. Bandwidths are fractions of a server's link. */
typedef struct sgdp_priv_flow {
    double machines, workers;  /* that it stands for                                */
    double forward_s, backward_s, delay_s; /* of the type                           */
    double factor;             /* on compute in this step                           */
    double weight[2];          /* of its streams down and up, for shares of a link  */
    double left_s[2];          /* at full link speed; 0: nothing, or done           */
    double begin_s;            /* when its gradient begins to arrive at the server  */
    double computed_s;         /* when its gradient is complete at the earliest     */
    double end_s;              /* when its gradient is complete                     */
    double cap[2];             /* upper limits of the rates                         */
    double level[2];           /* speed from which on a stream is at its cap        */
    double due;                /* clock of its queue when it leaves                 */
    struct sgdp_priv_flow *next; /* in its queue                                    */
    size_t type;
} sgdp_priv_flow;

enum { SGDP_PRIV_FLOWS = 64, SGDP_PRIV_MOST_FLOWS = 2 * SGDP_PRIV_FLOWS,
       SGDP_PRIV_FEW = SGDP_PRIV_FLOWS / 2, SGDP_PRIV_DRAWS = 512 };

/* Seconds of a step, for the mean worker. step_s: until the last gradient has arrived. */
typedef struct sgdp_priv_course {
    double step_s, download_s, compute_s, upload_s;
} sgdp_priv_course;

/* A step of N flows is followed `pairings` times, in other orders; that is repeated until
 * windows no longer change. Arrays lie in the caller's work. */
typedef struct sgdp_priv_steps {
    size_t   N, pairings;
    int      varies;           /* compute times vary                                */
    double   mean;             /* of their sample                                   */
    int      many;             /* enough flows to use the means of their ranks      */
    uint32_t *order;           /* [pairings][N] ranks, unless many                  */
    double   *factor;          /* [N] factors of the ranks, if many                 */
    uint32_t *one_order;       /* [N] of one pairing                                */
    sgdp_priv_flow *flow;      /* [N]                                               */
    sgdp_priv_late *late;      /* [types] what windows add                          */
    sgdp_priv_late *next;      /* [types] the same after another turn               */
    size_t   *type;            /* [types] types in an order that only times decide  */
    double   *wait_s;          /* [types] of a machine, at the barrier              */
    sgdp_priv_course course;   /* mean of the pairings                              */
    double   change;           /* last change of windows                            */
} sgdp_priv_steps;

/* How TCP streams share a link: the values of SGDSIM_LINK_TCP in sgdperf_sim.h. Empirical
 * (docs/models.md, and "Links shared as by TCP" in validation/FINDINGS.md). */
static const double sgdp_priv_tcp_spread = 0.2;

static double sgdp_priv_machines_of(const sgdp_priv_run *run, uint32_t workers)
{
    return (workers - 1) / run->gpus + 1;
}

/* Number of flows that stand for the machines of a type. */
static double sgdp_priv_flows_of(const sgdp_priv_run *run, uint32_t workers)
{
    const double machines = sgdp_priv_machines_of(run, workers);
    double flows = machines;
    if (run->machines > SGDP_PRIV_FLOWS)
        flows = ceil(machines / run->machines * (double)SGDP_PRIV_FLOWS);
    SGDP_ASSERT(flows >= 1.0 && flows <= machines);
    return flows;
}

/* Does a type come before another? By its times, the farther one first, then by count. */
static int sgdp_priv_is_before(const sgdp_worker_type *a, const sgdp_worker_type *b)
{
    if (!sgdp_priv_same(a->forward_s, b->forward_s)) return a->forward_s < b->forward_s;
    if (!sgdp_priv_same(a->backward_s, b->backward_s))
        return a->backward_s < b->backward_s;
    if (!sgdp_priv_same(a->delay_s, b->delay_s)) return a->delay_s > b->delay_s;
    return a->count < b->count;
}

/* Orders types: pairings do not depend on the job's order. Insertion, at most 64. */
static void sgdp_priv_order_types(const sgdp_priv_run *run, size_t *type)
{
    size_t i, j;
    for (i = 0; i < run->types; i++) {
        const sgdp_worker_type one = sgdp_priv_type(run, i);
        for (j = i; j > 0; j--) {
            const sgdp_worker_type before = sgdp_priv_type(run, type[j - 1]);
            if (!sgdp_priv_is_before(&one, &before)) break;
            type[j] = type[j - 1];
        }
        type[j] = i;
    }
}

/* Makes the flows of all types. Windows lower the caps of their rates. */
static void sgdp_priv_make_flows(const sgdp_priv_run *run, const sgdp_priv_steps *of)
{
    const double U = run->uplink_s, D = run->downlink_s;
    const sgdp_priv_late *late = of->late;
    size_t flows = 0, at;
    for (at = 0; at < run->types; at++) {
        const size_t i = of->type[at];
        const sgdp_worker_type type = sgdp_priv_type(run, i);
        const double machines = sgdp_priv_machines_of(run, type.count);
        const double of_type = sgdp_priv_flows_of(run, type.count);
        double k;
        for (k = 0.0; k < of_type; k += 1.0) {
            sgdp_priv_flow *f = &of->flow[flows++];
            SGDP_ASSERT(flows <= of->N);
            memset(f, 0, sizeof *f);
            f->machines = machines / of_type;
            f->workers = type.count / of_type;
            f->forward_s = type.forward_s;
            f->backward_s = type.backward_s;
            f->delay_s = type.delay_s;
            f->cap[0] = f->cap[1] = f->machines / run->flows;
            if (late[i].s[1] > 0.0) f->cap[0] *= D / (D + late[i].s[1]);
            if (late[i].s[0] > 0.0) f->cap[1] *= U / (U + late[i].s[0]);
            f->type = i;
        }
    }
    SGDP_ASSERT(flows == of->N);
}

/* Random order of flows in pairing `seed`, for `what`: Fisher and Yates' shuffle. */
static void sgdp_priv_shuffle(uint32_t *order, size_t n, uint64_t seed, uint64_t what)
{
    size_t i;
    for (i = 0; i < n; i++) order[i] = (uint32_t)i;
    for (i = n; i > 1; i--) {
        const uint64_t random = sgdp_priv_random(seed, what, i);
        const size_t j = (size_t)(sgdp_priv_uniform(random) * (double)i);
        const uint32_t held = order[i - 1];
        SGDP_ASSERT(j < i);
        order[i - 1] = order[j];
        order[j] = held;
    }
}

/* Factor on compute for rank k, from the fastest. Few flows: N * pairings quantiles at
 * equal distances, shuffled over flows and pairings. Many flows: the N means of ranks
 * [B58], the same in all pairings, and for the last rank the expected maximum. A machine
 * is as slow as the slowest of its g accelerators: p^(1/g). */
static double sgdp_priv_factor_of(const sgdp_priv_run *run, const sgdp_priv_steps *of,
                                  size_t k)
{
    const sgdp_variation *v = &run->job->compute.vary;
    const double n = run->machines, rank = ((double)k + 0.5) * n / (double)of->N + 0.5;
    double p = ((double)k + 0.5) / (double)(of->N * of->pairings);
    if (!of->varies) return 1.0;
    if (of->many && k + 1 == of->N) return sgdp_priv_slowest(v, run->workers);
    if (of->many) p = (rank - 0.375) / (n + 0.25);
    if (run->gpus > 1) p = pow(p, 1.0 / run->gpus);
    return sgdp_priv_factor_quantile(v, of->mean, p);
}

/* Sets compute times and weights of one pairing. The logarithm of a weight is uniform. */
static void sgdp_priv_pair_flows(const sgdp_priv_run *run, const sgdp_priv_steps *of,
                                 size_t pairing)
{
    const size_t N = of->N;
    uint32_t *order = of->one_order;
    size_t k, way;
    if (of->many) sgdp_priv_shuffle(order, N, pairing, 2);
    for (k = 0; k < N; k++) {
        if (of->many) of->flow[order[k]].factor = of->factor[k];
        else of->flow[k].factor =
                 sgdp_priv_factor_of(run, of, of->order[pairing * N + k]);
    }
    for (way = 2; way-- > 0;) {
        const double alone_s = way == 0 ? run->downlink_s : run->uplink_s;
        sgdp_priv_shuffle(order, N, pairing, way);
        for (k = 0; k < N; k++) {
            sgdp_priv_flow *f = &of->flow[order[k]];
            const double u = ((double)k + 1.0) / ((double)N + 1.0);
            f->weight[way] = f->machines
                * exp(sgdp_priv_tcp_spread * 1.7320508075688772 * (2.0 * u - 1.0));
            f->level[way] = f->cap[way] < 1.0 ? f->cap[way] / f->weight[way] : HUGE_VAL;
            f->left_s[way] = alone_s / run->flows * f->machines;
            f->begin_s = HUGE_VAL;
            f->end_s = -1.0;
        }
    }
}

/* Flows that receive (0), send (1), or do neither (2). The clock of streams advances by
 * what a stream of weight 1 is sent. Without caps they leave in a fixed order: only the
 * first is looked at. With caps each keeps what it has left. */
typedef struct sgdp_priv_queue {
    sgdp_priv_flow *first;     /* of a list, in the order of leaving unless capped  */
    double clock, speed;       /* speed: of the clock                               */
    double machines, weights;  /* sums of the flows                                 */
    double summed;             /* most weights since they were summed               */
    int    capped;             /* streams can reach their caps                      */
} sgdp_priv_queue;

/* A step under way: its flows at one time, and what they have done. */
typedef struct sgdp_priv_moment {
    const sgdp_priv_run *run;
    sgdp_priv_queue queue[3];
    double now_s;
    sgdp_priv_course *course;
} sgdp_priv_moment;

/* What follows a download (seen from the server) and an upload, or nothing to send. */
static void sgdp_priv_after_transfers(const sgdp_priv_moment *m, sgdp_priv_flow *f)
{
    const double now_s = m->now_s, d = f->delay_s, part = f->workers / m->run->workers;
    sgdp_priv_course *course = m->course;
    SGDP_ASSERT(!(f->left_s[0] > 0.0) && f->end_s < 0.0);
    if (f->begin_s >= HUGE_VAL) {
        const double there_s = now_s + d, forward_s = f->factor * f->forward_s;
        const double backward_s = f->factor * f->backward_s;
        double ready_s = there_s + forward_s + backward_s;
        f->computed_s = 0.0;
        if (sgdp_priv_is_overlapped(m->run)) {
            ready_s = there_s > forward_s ? there_s : forward_s;
            f->computed_s = ready_s + backward_s + d;
        }
        f->begin_s = ready_s + d;
        course->download_s += part * there_s;
        course->compute_s += part * (ready_s - there_s);
    }
    if (!(f->left_s[1] > 0.0) && f->begin_s <= now_s) {
        f->end_s = now_s > f->computed_s ? now_s : f->computed_s;
        course->upload_s += part * (f->end_s - (f->begin_s - d));
        if (f->end_s > course->step_s) course->step_s = f->end_s;
    }
}

static void sgdp_priv_join(sgdp_priv_moment *m, sgdp_priv_flow *f, size_t way)
{
    sgdp_priv_queue *q = &m->queue[way];
    sgdp_priv_flow **at = &q->first;
    SGDP_ASSERT(f->end_s < 0.0);
    f->due = way < 2 ? q->clock + f->left_s[way] / f->weight[way] : f->begin_s;
    while (*at && (*at)->due < f->due) at = &(*at)->next;
    f->next = *at;
    *at = f;
    if (way == 2) return;
    q->machines += f->machines;
    q->weights += f->weight[way];
    q->summed = fmax(q->summed, q->weights);
}

/* Takes a flow out of its queue. Sums that are much smaller than before are made anew:
 * differences would have lost digits. */
static sgdp_priv_flow *sgdp_priv_quit(sgdp_priv_queue *q, sgdp_priv_flow **at, size_t way)
{
    sgdp_priv_flow *f, *gone = *at;
    *at = gone->next;
    if (way == 2) return gone;
    gone->left_s[way] = 0.0;
    q->machines -= gone->machines;
    q->weights -= gone->weight[way];
    SGDP_ASSERT(q->weights <= q->summed);
    if (q->weights > 0.5 * q->summed) return gone;
    q->machines = q->weights = 0.0;
    for (f = q->first; f; f = f->next) {
        q->machines += f->machines;
        q->weights += f->weight[way];
    }
    q->summed = q->weights;
    return gone;
}

/* Sets the speed of a direction, whose streams share what the other direction leaves them
 * by weight. Streams at their caps leave the rest to others, which may reach theirs. */
static void sgdp_priv_share_link(sgdp_priv_moment *m, size_t way)
{
    sgdp_priv_queue *q = &m->queue[way];
    const double against = m->queue[1 - way].machines;
    const double room = q->machines < against ? sqrt(q->machines / against) : 1.0;
    size_t capped = 0, before;
    SGDP_ASSERT(room >= 0.0 && room <= 1.0);
    if (q->first) q->speed = room / q->weights;
    do {
        double left = room, weights = 0.0;
        const sgdp_priv_flow *f = q->capped ? q->first : NULL;
        for (before = capped, capped = 0; f; f = f->next) {
            if (f->level[way] < q->speed) {
                left = sgdp_priv_excess(left, f->cap[way]);
                capped++;
            } else weights += f->weight[way];
        }
        if (weights > 0.0) q->speed = left / weights;
    } while (capped > before);
}

/* Sets the speeds. Finds the flow that leaves its queue next, and when; NULL: none. */
static sgdp_priv_flow **sgdp_priv_next(sgdp_priv_moment *m, size_t *which, double *next_s)
{
    sgdp_priv_flow **at, **next = NULL;
    size_t way;
    *next_s = HUGE_VAL;
    for (way = 0; way < 3; way++) {
        sgdp_priv_queue *q = &m->queue[way];
        if (way < 2) sgdp_priv_share_link(m, way);
        for (at = &q->first; *at; at = &(*at)->next) {
            const sgdp_priv_flow *f = *at;
            double leaves_s = way < 2 ? m->now_s : f->due;
            if (way < 2)
                leaves_s += q->capped
                    ? f->left_s[way] / f->weight[way] / fmin(q->speed, f->level[way])
                    : sgdp_priv_excess(f->due, q->clock) / q->speed;
            if (leaves_s < *next_s) {
                *next_s = leaves_s;
                *which = way;
                next = at;
            }
            if (!q->capped) break;
        }
    }
    return next;
}

/* Advances to now_s at the present speeds. */
static void sgdp_priv_go_on(sgdp_priv_moment *m, double now_s)
{
    const double passed_s = now_s - m->now_s;
    size_t way;
    SGDP_ASSERT(passed_s >= 0.0);
    m->now_s = now_s;
    for (way = 0; way < 2; way++) {
        sgdp_priv_queue *q = &m->queue[way];
        sgdp_priv_flow *f = q->capped ? q->first : NULL;
        if (q->first && !q->capped) q->clock += q->speed * passed_s;
        for (; f; f = f->next) {
            const double rate = f->weight[way] * fmin(q->speed, f->level[way]);
            f->left_s[way] = sgdp_priv_excess(f->left_s[way], rate * passed_s);
        }
    }
}

/* Follows a step of paired flows and adds it to the course. Each event ends one of 2 N
 * transfers, or begins one of N uploads. */
static void sgdp_priv_follow_step(const sgdp_priv_run *run, const sgdp_priv_steps *of,
                                  sgdp_priv_course *course)
{
    sgdp_priv_moment m;
    sgdp_priv_flow *f, **next;
    double next_s;
    size_t i, way;
    memset(&m, 0, sizeof m);
    m.run = run;
    m.course = course;
    for (i = 0; i < of->N; i++) {      /* the last to leave first: each goes in front */
        f = &of->flow[of->one_order[i]];
        for (way = 0; way < 2; way++) m.queue[way].capped |= f->level[way] < HUGE_VAL;
        sgdp_priv_join(&m, f, 0);
    }
    while ((next = sgdp_priv_next(&m, &way, &next_s)) != NULL) {
        sgdp_priv_go_on(&m, next_s);
        f = sgdp_priv_quit(&m.queue[way], next, way);
        sgdp_priv_after_transfers(&m, f);
        if (f->end_s < 0.0) sgdp_priv_join(&m, f, f->begin_s <= m.now_s ? 1 : 2);
    }
    for (i = 0; i < 3; i++)
        if (m.queue[i].first) course->step_s = HUGE_VAL;    /* beyond a double */
}

static void sgdp_priv_carve_steps(const sgdp_priv_run *run, sgdp_priv_arena *arena,
                                  sgdp_priv_steps *of)
{
    const sgdp_variation *vary = &run->job->compute.vary;
    const size_t types = run->types;
    double flows = 0.0;
    size_t N, i;
    for (i = 0; i < types; i++)
        flows += sgdp_priv_flows_of(run, sgdp_priv_type(run, i).count);
    of->N = N = (size_t)flows;
    of->varies = sgdp_priv_cv(vary) > 0.0;
    of->mean = of->varies && vary->samples > 0 ? sgdp_priv_sample_mean(vary) : 1.0;
    of->many = N > SGDP_PRIV_FEW;
    of->pairings = of->many ? 4 : N > 8 ? 128 / N : 16;
    SGDP_ASSERT(N > 0 && N <= SGDP_PRIV_MOST_FLOWS);
    if (of->varies && !of->many) of->pairings = SGDP_PRIV_DRAWS / N;
    SGDP_ASSERT(of->many || N * of->pairings <= SGDP_PRIV_DRAWS);
    of->order = (uint32_t *)sgdp_priv_take(arena, of->many ? 0 : N * of->pairings,
                                           sizeof(uint32_t));
    of->factor = sgdp_priv_doubles(arena, of->many ? N : 0);
    of->one_order = (uint32_t *)sgdp_priv_take(arena, N, sizeof(uint32_t));
    of->flow = (sgdp_priv_flow *)sgdp_priv_take(arena, N, sizeof(sgdp_priv_flow));
    of->late = (sgdp_priv_late *)sgdp_priv_take(arena, types, sizeof *of->late);
    of->next = (sgdp_priv_late *)sgdp_priv_take(arena, types, sizeof *of->next);
    of->type = (size_t *)sgdp_priv_take(arena, types, sizeof *of->type);
    of->wait_s = sgdp_priv_doubles(arena, types);
}

/* Is the step followed? Not if one machine is alone, or if there are too many types. */
static int sgdp_priv_is_followed(const sgdp_priv_run *run)
{
    return run->machines > 1 && run->types <= SGDP_PRIV_FLOWS;
}

/* Follows all pairings with the present windows; takes the mean. */
static void sgdp_priv_follow_steps(const sgdp_priv_run *run, sgdp_priv_steps *of)
{
    const double part = 1.0 / (double)of->pairings;
    sgdp_priv_course *course = &of->course;
    size_t pairing, i;
    sgdp_priv_make_flows(run, of);
    memset(course, 0, sizeof *course);
    for (i = 0; i < run->types; i++) of->wait_s[i] = 0.0;
    for (pairing = 0; pairing < of->pairings; pairing++) {
        sgdp_priv_course one = { 0.0, 0.0, 0.0, 0.0 };
        sgdp_priv_pair_flows(run, of, pairing);
        sgdp_priv_follow_step(run, of, &one);
        course->step_s += part * one.step_s;
        course->download_s += part * one.download_s;
        course->compute_s += part * one.compute_s;
        course->upload_s += part * one.upload_s;
        for (i = 0; i < of->N; i++) {
            const sgdp_priv_flow *f = &of->flow[i];
            const double count = sgdp_priv_type(run, f->type).count;
            SGDP_ASSERT(f->end_s <= one.step_s);
            of->wait_s[f->type] += part * f->workers / count * (one.step_s - f->end_s);
        }
    }
}

/* Sets what windows add after steps of step_s. Returns the largest change. After a
 * barrier all machines with a delay send at once: their streams meet. */
static double sgdp_priv_set_windows(const sgdp_priv_run *run, double step_s,
                                    sgdp_priv_steps *of)
{
    const double alone_s[2] = { run->uplink_s, run->downlink_s };
    double streams = 0.0, most = 0.0;
    size_t i;
    for (i = 0; i < run->types; i++) {
        const sgdp_worker_type type = sgdp_priv_type(run, i);
        if (type.delay_s > 0.0) streams += sgdp_priv_machines_of(run, type.count);
    }
    for (i = 0; i < run->types; i++) {
        of->next[i] = of->late[i];
        most = fmax(most, sgdp_priv_next_late(run, sgdp_priv_type(run, i).delay_s,
                                              fmax(streams, 1.0), step_s, alone_s,
                                              &of->next[i]));
    }
    return most;
}

/* Follows steps until what windows add agrees with the length of the steps. The first
 * turn has the rounds of new connections: HUGE_VAL leaves them as they are. */
static sgdp_status sgdp_priv_follow_windows(const sgdp_priv_run *run, sgdp_priv_steps *of)
{
    const double rest_s = sgdp_priv_synchronous_transfers(run).local_s + run->update_s;
    uint32_t turn;
    size_t i;
    sgdp_priv_order_types(run, of->type);
    if (!of->many) sgdp_priv_shuffle(of->order, of->N * of->pairings, 0, 2);
    for (i = 0; i < of->N && of->many; i++)
        of->factor[i] = sgdp_priv_factor_of(run, of, i);
    for (i = 0; i < run->types; i++)
        of->late[i] = sgdp_priv_late_at_first(run, sgdp_priv_type(run, i).delay_s);
    (void)sgdp_priv_set_windows(run, HUGE_VAL, of);
    of->change = HUGE_VAL;
    for (turn = 0; turn < SGDP_PRIV_TURNS && of->change > 0.0; turn++) {
        memcpy(of->late, of->next, run->types * sizeof *of->late);
        sgdp_priv_follow_steps(run, of);
        of->change = sgdp_priv_set_windows(run, of->course.step_s + rest_s, of);
    }
    return of->change > 0.0 ? SGDP_NOT_CONVERGED : SGDP_OK;
}

/* One machine alone: no stream meets another. Windows lengthen its transfers, which may
 * hide behind compute as those of sgdp_priv_alone_s do. */
static sgdp_status sgdp_priv_predict_one_machine(const sgdp_priv_run *run,
                                                 sgdp_prediction *p)
{
    const sgdp_worker_type type = sgdp_priv_type(run, 0);
    const sgdp_priv_late late = sgdp_priv_late_alone(run, &type);
    sgdp_priv_run lengthened = *run;
    sgdp_status status;
    lengthened.uplink_s += late.s[0];
    lengthened.downlink_s += late.s[1];
    status = sgdp_priv_predict_synchronous(&lengthened, p);
    if (status != SGDP_OK) return status;
    if (late.s[0] > 0.0)
        p->utilization[SGDP_UPLINK] *= run->uplink_s / lengthened.uplink_s;
    if (late.s[1] > 0.0)
        p->utilization[SGDP_DOWNLINK] *= run->downlink_s / lengthened.downlink_s;
    return status;
}

static int sgdp_priv_has_answer(sgdp_status status)
{
    return status == SGDP_OK || status == SGDP_NOT_CONVERGED;
}

static sgdp_status sgdp_priv_report_steps(const sgdp_priv_run *run,
                                          const sgdp_priv_steps *steps,
                                          sgdp_prediction *p)
{
    const sgdp_priv_course course = steps->course;
    const double K = run->workers;
    const double local_s = sgdp_priv_synchronous_transfers(run).local_s;
    const double step_s = course.step_s + local_s + run->update_s;
    double *service_s = p->time.service_s, *waiting_s = p->time.waiting_s;
    double delay_s = 0.0, compute_s = 0.0, late_s[2] = { 0.0, 0.0 };
    size_t i;
    if (!sgdp_priv_is_step(run, step_s)) return SGDP_BAD_ARGUMENT;
    for (i = 0; i < run->types; i++) {
        const sgdp_worker_type type = sgdp_priv_type(run, i);
        delay_s += type.count / K * type.delay_s;
        late_s[0] += type.count / K * steps->late[i].s[0];
        late_s[1] += type.count / K * steps->late[i].s[1];
        compute_s += type.count / K * (type.forward_s + type.backward_s);
        if (p->types.batches_per_s) p->types.batches_per_s[i] = type.count / step_s;
        if (p->types.waiting_share) p->types.waiting_share[i] = steps->wait_s[i] / step_s;
    }
    sgdp_priv_report_step(run, step_s, delay_s + late_s[0], delay_s + late_s[1], p);
    service_s[SGDP_WORKER] = course.compute_s;
    service_s[SGDP_LOCAL] = local_s;
    waiting_s[SGDP_UPLINK] = sgdp_priv_excess(course.upload_s, service_s[SGDP_UPLINK]);
    waiting_s[SGDP_DOWNLINK] =
        sgdp_priv_excess(course.download_s, service_s[SGDP_DOWNLINK]);
    /* Windows are less exact than the course, so this makes the parts add up. */
    p->time.barrier_s = sgdp_priv_excess(course.step_s, course.compute_s
                      + fmax(course.download_s, service_s[SGDP_DOWNLINK])
                      + fmax(course.upload_s, service_s[SGDP_UPLINK]));
    p->utilization[SGDP_WORKER] = compute_s / step_s;
    p->utilization[SGDP_LOCAL] = local_s / step_s;
    p->solution.residual = steps->change;
    return SGDP_OK;
}

static sgdp_status sgdp_priv_predict_staggered(const sgdp_priv_run *run, void *work,
                                               size_t work_bytes, sgdp_prediction *p)
{
    sgdp_priv_arena arena = sgdp_priv_arena_at(work);
    sgdp_priv_steps steps;
    sgdp_status last, status;
    if (run->machines == 1) return sgdp_priv_predict_one_machine(run, p);
    if (!sgdp_priv_is_followed(run)) {
        p->solution.branch = SGDP_SYNC_PS;
        return sgdp_priv_predict_synchronous(run, p);
    }
    sgdp_priv_carve_steps(run, &arena, &steps);
    status = sgdp_priv_check_work(work, work_bytes, arena.used);
    if (status != SGDP_OK) return status;
    status = sgdp_priv_follow_windows(run, &steps);
    last = sgdp_priv_report_steps(run, &steps, p);
    return last == SGDP_OK ? status : last;
}

/* ---- SGD on a cluster: asynchronous networks ------------------------------- */

/* Is the network too large for the lattice, by operations, bytes or address space? */
static int sgdp_priv_is_too_much(sgdp_status status)
{
    return status == SGDP_OVER_BUDGET || status == SGDP_TOO_LARGE;
}

/* The tasks of the network [LPCG18 III] are machines. The full machines of a type are a
 * class, the rest another. The Linearizer's time grows with the square of classes. */
enum { SGDP_PRIV_CLASSES = 256 };

typedef struct sgdp_priv_class {
    size_t   type;
    uint32_t population;                /* machines; 0: no such class               */
    uint32_t group;                     /* accelerators of one machine              */
} sgdp_priv_class;

typedef struct sgdp_priv_stations {
    double   capacity[SGDP_PRIV_STATIONS];
    sgdp_discipline discipline[SGDP_PRIV_STATIONS];
} sgdp_priv_stations;

typedef struct sgdp_priv_cost {
    size_t   bytes;
    double   operations;                /* estimated                                */
    int      fixed_point;               /* the lattice of Eqs. 2-3 is too large     */
} sgdp_priv_cost;

typedef struct sgdp_priv_tasks {
    size_t   classes;
    uint32_t *population;               /* [classes]                                */
    uint32_t *group;                    /* [classes] accelerators of one machine    */
    size_t  *type;                      /* [classes]                                */
    double  *think_s;                   /* [classes] see sgdp_priv_set_think        */
    sgdp_priv_late *late;               /* [classes] what windows add to think_s    */
    double  *demand_s;                  /* [classes][SGDP_PRIV_STATIONS]            */
    double  *response_s;                /* [classes][SGDP_PRIV_STATIONS]            */
    double  *cycle_s;                   /* [classes]                                */
    sgdp_priv_stations stations;
    sgdp_priv_cost cost;                /* of one solution                          */
    void    *work;                      /* [cost.bytes] of the solver               */
    double   batches_per_s;             /* of all classes                           */
    double   cycles_per_s;              /* the same, but one per step of a machine  */
    double   threshold;                 /* of the hybrid's gamma                    */
    double   rhythm_lost;               /* of the interleaved stations              */
    sgdp_method method;                 /* of the last solution,                    */
    double   residual;                  /*   and last change of its fixed point     */
} sgdp_priv_tasks;

static void sgdp_priv_carve_tasks(sgdp_priv_arena *arena, size_t classes,
                                  sgdp_priv_tasks *tasks)
{
    const size_t C = classes;
    tasks->classes = C;
    tasks->population = (uint32_t *)sgdp_priv_take(arena, C, sizeof(uint32_t));
    tasks->group = (uint32_t *)sgdp_priv_take(arena, C, sizeof(uint32_t));
    tasks->type = (size_t *)sgdp_priv_take(arena, C, sizeof(size_t));
    tasks->think_s = sgdp_priv_doubles(arena, C);
    tasks->late = (sgdp_priv_late *)sgdp_priv_take(arena, C, sizeof(sgdp_priv_late));
    tasks->demand_s = sgdp_priv_doubles(arena, C * SGDP_PRIV_STATIONS);
    tasks->response_s = sgdp_priv_doubles(arena, C * SGDP_PRIV_STATIONS);
    tasks->cycle_s = sgdp_priv_doubles(arena, C);
}

/* Operations that a prediction may take in all: the default of sgdp_mva_options. */
#define SGDP_PRIV_BUDGET 1e10

static int sgdp_priv_chooses_anew(const sgdp_priv_run *run)
{
    return run->model == SGDP_ASYNC_SWITCH && run->job->switch_anew
        && run->job->overlap.rule == SGDP_OVERLAP_ONE_PASS;
}

/* Number of solutions of the network. SWITCH may need both branches. ONE_PASS solves the
 * chosen branch once more (switch_anew: both), FIXED_POINT at least twice more. */
static double sgdp_priv_solutions(const sgdp_priv_run *run)
{
    const double branches = run->model == SGDP_ASYNC_SWITCH ? 2.0 : 1.0;
    if (!sgdp_priv_is_overlapped(run)) return branches;
    if (sgdp_priv_chooses_anew(run)) return 2.0 * branches;
    return branches + (run->job->overlap.rule == SGDP_OVERLAP_ONE_PASS ? 1.0 : 2.0);
}

/* Class `at`, of two per type: its full machines (even), and the rest (odd). */
static sgdp_priv_class sgdp_priv_class_at(const sgdp_priv_run *run, size_t at)
{
    const uint32_t count = sgdp_priv_type(run, at / 2).count, rest = count % run->gpus;
    const sgdp_priv_class full = { at / 2, count / run->gpus, run->gpus };
    const sgdp_priv_class last = { at / 2, rest > 0, rest };
    return at % 2 == 0 ? full : last;
}

/* The part of their rhythm that workers lose in ASYNC_RHYTHM: those that take turns at a
 * link meet once their steps shift by part of D. The constant 8 comes from replays. */
static const double sgdp_priv_rhythm_decay = 8.0;

static double sgdp_priv_rhythm_lost(const sgdp_priv_run *run)
{
    const double cv = sgdp_priv_cv(&run->job->compute.vary), K = run->workers;
    double longest_s = run->uplink_s, mean_s = 0.0, square = 0.0, lost;
    size_t i;
    if (run->model != SGDP_ASYNC_RHYTHM) return 0.0;
    if (run->downlink_s > longest_s) longest_s = run->downlink_s;
    if (run->update_s > longest_s) longest_s = run->update_s;
    if (!(longest_s > 0.0)) return 0.0;
    for (i = 0; i < run->types; i++) {
        const sgdp_worker_type type = sgdp_priv_type(run, i);
        mean_s += type.count / K * sgdp_priv_alone_s(run, &type, run->gpus, 0.0, NULL);
    }
    for (i = 0; i < run->types; i++) {
        const sgdp_worker_type type = sgdp_priv_type(run, i);
        const double varies = cv * (type.forward_s + type.backward_s) / longest_s;
        const double off =
            (sgdp_priv_alone_s(run, &type, run->gpus, 0.0, NULL) - mean_s) / longest_s;
        square += type.count / K * (varies * varies + off * off);
    }
    /* If even the mean is beyond double, the solver will refuse the times. */
    lost = square >= 0.0 ? -expm1(-sgdp_priv_rhythm_decay * sqrt(square)) : 1.0;
    SGDP_ASSERT(lost >= 0.0 && lost <= 1.0);
    return run->types == 1 && !(cv > 0.0) ? 0.0 : lost;
}

static void sgdp_priv_make_tasks(const sgdp_priv_run *run, sgdp_priv_tasks *tasks)
{
    size_t at, c = 0;
    tasks->threshold = run->threshold;
    tasks->rhythm_lost = sgdp_priv_rhythm_lost(run);
    for (at = 0; at / 2 < run->types; at++) {
        const sgdp_priv_class of = sgdp_priv_class_at(run, at);
        if (of.population == 0) continue;
        SGDP_ASSERT(c < tasks->classes);
        tasks->population[c] = of.population;
        tasks->group[c] = of.group;
        tasks->type[c++] = of.type;
    }
    SGDP_ASSERT(c == tasks->classes && c > 0);
}

/* A station counts as empty if its demand is below the first number times another one's,
 * or below the second number. Its queue is then below the last bit of all results. */
#define SGDP_PRIV_NEGLIGIBLE 1e-90
#define SGDP_PRIV_NEGLIGIBLE_S 1e-250

/* Sets discipline and capacity of each station. A station with next to no demand counts
 * as a delay: results are equal, and a queue could exceed sgdp_predict_bytes. */
static sgdp_priv_stations sgdp_priv_stations_of(const sgdp_priv_run *run,
                                                sgdp_model model, double links,
                                                const double *demand_s)
{
    double least_s = SGDP_PRIV_NEGLIGIBLE_S;
    sgdp_priv_stations of;
    size_t l;
    for (l = 0; l < SGDP_PRIV_STATIONS; l++)
        if (SGDP_PRIV_NEGLIGIBLE * demand_s[l] > least_s)
            least_s = SGDP_PRIV_NEGLIGIBLE * demand_s[l];
    for (l = 0; l < SGDP_PRIV_STATIONS; l++) {
        const int server = SGDP_PRIV_RESOURCE(l) == (size_t)SGDP_SERVER;
        of.capacity[l] = server ? 1.0 : links;
        if (server && run->job->servers.separate_updates) of.capacity[l] = HUGE_VAL;
        if (!(demand_s[l] > least_s)) of.capacity[l] = HUGE_VAL;
        SGDP_ASSERT(of.capacity[l] >= 1.0);
        of.discipline[l] = SGDP_PS;
        if (model == SGDP_ASYNC_FCFS && !server) of.discipline[l] = SGDP_FCFS;
        if (model == SGDP_ASYNC_HYBRID && !server) of.discipline[l] = SGDP_HYBRID;
        if (model == SGDP_ASYNC_INTERLEAVED || model == SGDP_ASYNC_RHYTHM)
            of.discipline[l] = SGDP_INTERLEAVED;
    }
    return of;
}

/* The way in which a model's network is solved at first. */
static sgdp_priv_way sgdp_priv_way_of(sgdp_model model)
{
    return model == SGDP_ASYNC_EXACT ? SGDP_PRIV_EXACT : SGDP_PRIV_HYBRID;
}

/* Options of a solver. The exact method follows from the kind of job: LATTICE for one
 * type and links of one flow, otherwise POLYNOMIAL, in O(K) bytes. The cheapest method,
 * and its bytes, would change if classes or demands happen to be equal. */
static sgdp_mva_options sgdp_priv_options_of(const sgdp_priv_run *run, sgdp_priv_way way,
                                             double links)
{
    sgdp_mva_options options;
    memset(&options, 0, sizeof options);
    options.max_operations = SGDP_PRIV_BUDGET;
    if (way == SGDP_PRIV_FIXED) options.method = SGDP_METHOD_LINEARIZER;
    else options.max_operations /= sgdp_priv_solutions(run);
    if (way == SGDP_PRIV_EXACT)
        options.method = run->types > 1 || links > 1.0
                       ? SGDP_METHOD_POLYNOMIAL : SGDP_METHOD_LATTICE;
    return options;
}

static sgdp_network sgdp_priv_network_of(const sgdp_priv_run *run, sgdp_model model,
                                         sgdp_priv_way way, sgdp_priv_tasks *tasks,
                                         sgdp_mva_options *options)
{
    sgdp_network net;
    memset(&net, 0, sizeof net);
    tasks->stations = sgdp_priv_stations_of(run, model, run->flows, tasks->demand_s);
    net.classes = tasks->classes;
    net.stations = SGDP_PRIV_STATIONS;
    net.population = tasks->population;
    net.think_s = tasks->think_s;
    net.demand_s = tasks->demand_s;
    net.capacity = tasks->stations.capacity;
    net.discipline = tasks->stations.discipline;
    *options = sgdp_priv_options_of(run, way, run->flows);
    options->rhythm_lost = tasks->rhythm_lost;
    options->rhythm_spare = run->job->servers.count > 1 ? 0.0 : run->flows - 1.0;
    options->gamma_ctx = &tasks->threshold;
    options->gamma = sgdp_gamma_threshold;
    return net;
}

/* The problem that sgdp_priv_examine would find, whatever the times: classes are equal
 * only if types and sizes are, as equal think times may differ after an overlap. */
static void sgdp_priv_problem_of(const sgdp_priv_run *run, const sgdp_network *stations,
                                 sgdp_priv_problem *p)
{
    size_t classes = 0, at, k;
    memset(p, 0, sizeof *p);
    p->net = stations;
    p->merged = 1;
    p->tasks = run->machines;
    for (at = 0; at / 2 < run->types; at++) {
        const sgdp_priv_class c = sgdp_priv_class_at(run, at);
        if (c.population == 0) continue;
        classes++;
        for (k = 0; k < p->classes; k++) {
            const sgdp_priv_class other = sgdp_priv_class_at(run, p->first[k]);
            if (c.group == other.group && sgdp_priv_same_type(run, c.type, other.type))
                break;
        }
        if (k == SGDP_PRIV_MERGED) { p->merged = 0; continue; }
        if (k == p->classes) p->first[p->classes++] = at;
        p->count[k] += c.population;
    }
    if (!p->merged) p->classes = classes;
    else sgdp_priv_largest_first(p);
    SGDP_ASSERT(p->classes >= 1 && p->classes <= classes);
    sgdp_priv_examine_stations(p);
}

/* Raises *cost to the cost of a solver of one model. Demands of all classes are equal, so
 * solvers are asked about the number of classes and the stations of one. A cap without
 * effect may get one when it is varied, so both cases are asked. */
static sgdp_status sgdp_priv_add_cost(const sgdp_priv_run *run, sgdp_model model,
                                      sgdp_priv_cost *cost)
{
    static const double demand_s[SGDP_PRIV_STATIONS] = { 1.0, 2.0, 3.0 };
    const int capped = run->job->links.flow_cap_bytes_per_s > 0.0
                    || sgdp_priv_has_worker_link(run->job, run->model);
    const int exact = model == SGDP_ASYNC_EXACT;
    int i;
    for (i = 0; i <= capped; i++) {
        const double links = i == 0 ? 1.0 : 1.5;
        const sgdp_priv_stations of = sgdp_priv_stations_of(run, model, links, demand_s);
        const int effective = (i == 1) == (run->flows > 1.0);
        sgdp_priv_problem p;
        sgdp_network net;
        int way = exact ? SGDP_PRIV_EXACT : SGDP_PRIV_HYBRID;
        memset(&net, 0, sizeof net);
        net.classes = 1;
        net.stations = SGDP_PRIV_STATIONS;
        net.demand_s = demand_s;
        net.capacity = of.capacity;
        net.discipline = of.discipline;
        sgdp_priv_problem_of(run, &net, &p);
        for (; way <= (exact ? SGDP_PRIV_EXACT : SGDP_PRIV_FIXED); way++) {
            const int fixed = way == SGDP_PRIV_FIXED;
            sgdp_status status;
            size_t bytes = 0;
            double operations;
            p.way = (sgdp_priv_way)way;
            p.o = sgdp_priv_options_of(run, p.way, links);
            (void)sgdp_priv_take_options(&p.o, &p.o);
            status = sgdp_priv_solver_cost(&p, &bytes, &operations);
            if (way == SGDP_PRIV_HYBRID && sgdp_priv_is_too_much(status))
                cost->fixed_point = 1;
            else if (status != SGDP_OK && (effective || !exact || i == 0)) return status;
            if (bytes > cost->bytes) cost->bytes = bytes;
            if (effective && fixed == cost->fixed_point && operations > cost->operations)
                cost->operations = operations;
        }
    }
    return SGDP_OK;
}

/* Carves the tasks and the work of their solver. SWITCH may need both of its branches. */
static sgdp_status sgdp_priv_carve_network(const sgdp_priv_run *run,
                                           sgdp_priv_arena *arena, sgdp_priv_tasks *tasks)
{
    const int either = run->model == SGDP_ASYNC_SWITCH;
    sgdp_priv_cost *cost = &tasks->cost;
    sgdp_status status;
    size_t classes = 0, at;
    for (at = 0; at / 2 < run->types && classes <= SGDP_PRIV_CLASSES; at++)
        classes += sgdp_priv_class_at(run, at).population > 0;
    if (classes > SGDP_PRIV_CLASSES) return SGDP_TOO_LARGE;
    memset(cost, 0, sizeof *cost);
    status = sgdp_priv_add_cost(run, either ? SGDP_ASYNC_FCFS : run->model, cost);
    if (either && status == SGDP_OK)
        status = sgdp_priv_add_cost(run, SGDP_ASYNC_EXACT, cost);
    if (status != SGDP_OK) return status;
    sgdp_priv_carve_tasks(arena, classes, tasks);
    tasks->work = sgdp_priv_take(arena, cost->bytes, 1);
    return arena->overflow ? SGDP_TOO_LARGE : SGDP_OK;
}

/* Delays of a step, including those by windows: no station is busy during them. */
static double sgdp_priv_apart_s(const sgdp_worker_type *type, const sgdp_priv_late *late)
{
    return 2.0 * type->delay_s + (late->s[0] + late->s[1]);
}

/* Sets think times: compute that the present responses leave exposed (at first they are 0
 * and hide nothing), local exchange, a delay each way, and what windows add. */
static void sgdp_priv_set_think(const sgdp_priv_run *run, sgdp_priv_tasks *tasks)
{
    size_t c;
    for (c = 0; c < tasks->classes; c++) {
        const sgdp_worker_type type = sgdp_priv_type(run, tasks->type[c]);
        const double *T = tasks->response_s + c * SGDP_PRIV_STATIONS;
        const double *late_s = tasks->late[c].s;
        sgdp_priv_transfers t;
        t.local_s = sgdp_priv_local_s(run, tasks->group[c]);
        t.exchange_s = t.carried_s = t.alltoall_s = 0.0;
        t.uplink_s = T[0] > 0.0 ? T[0] + (type.delay_s + late_s[0]) : 0.0;
        t.downlink_s = T[2] > 0.0 ? T[2] + (type.delay_s + late_s[1]) : 0.0;
        tasks->think_s[c] = sgdp_priv_exposed_s(run, &type, &t) + t.local_s
                          + sgdp_priv_apart_s(&type, &tasks->late[c]);
        SGDP_ASSERT(tasks->think_s[c] >= 0.0);
    }
}

/* A pass: one class, whose network is solved for more and more tasks by visits of the
 * lattice. It continues as long as only the number of tasks changes. */
enum { SGDP_PRIV_PASS_DOUBLES = 64, SGDP_PRIV_PASSES_OF_POINT = 2 };

typedef struct sgdp_priv_pass {
    uint32_t tasks;            /* of the last solution; 0: not begun                */
    uint32_t most;             /* up to this number of tasks the network is the     */
    int      delay[SGDP_PRIV_STATIONS]; /* same, without waiting at these stations  */
    double   passing_s[SGDP_PRIV_STATIONS]; /* delay part of each station           */
    sgdp_priv_lattice lattice; /* laid out in room                                  */
    double   room[SGDP_PRIV_PASS_DOUBLES];
} sgdp_priv_pass;

/* A curve whose points share passes: one class, known times, no overlap, no windows.
 * SWITCH solves two networks per point. It lies in front of a point's work. */
typedef struct sgdp_priv_passes {
    sgdp_priv_tasks tasks;     /* of every point, except for their number           */
    sgdp_priv_pass  pass[SGDP_PRIV_PASSES_OF_POINT];
    int             begun;     /* is there a first point?                           */
    sgdp_prediction first;     /* base of the others, which differ in some numbers  */
    double          alone_s, growth_s, compute_s; /* of every point                 */
} sgdp_priv_passes;

/* Begins a pass without tasks, with the solver's options. Returns its status. */
static sgdp_status sgdp_priv_begin_pass(sgdp_priv_pass *pass, const sgdp_network *net,
                                        const sgdp_mva_options *options)
{
    sgdp_priv_arena arena = sgdp_priv_arena_at(pass->room);
    sgdp_priv_visit *v = &pass->lattice.visit;
    sgdp_priv_problem p;
    size_t l;
    sgdp_status status = sgdp_priv_pose(net, options, SGDP_PRIV_HYBRID, &p);
    if (status == SGDP_OK) status = sgdp_priv_carve_lattice(&p, &arena, &pass->lattice);
    if (status != SGDP_OK) return status;
    SGDP_ASSERT(p.classes == 1 && arena.used <= sizeof pass->room);
    sgdp_priv_fill_classes(&p, &v->k);
    sgdp_priv_fill_visit(net, v);
    for (l = 0; l < v->V; l++) pass->lattice.table[l] = 0.0;
    pass->tasks = 0;
    pass->most = UINT32_MAX;
    for (l = 0; l < SGDP_PRIV_STATIONS; l++) {
        const double D = net->demand_s[l], m = net->capacity[l];
        pass->delay[l] = m >= net->population[0];
        pass->passing_s[l] = pass->delay[l] ? D : D * ((m - 1.0) / m);
        if (pass->delay[l] && m < pass->most) pass->most = (uint32_t)m;
    }
    return SGDP_OK;
}

/* Solves the network of a point, continuing the pass if possible. */
static sgdp_status sgdp_priv_solve_on(const sgdp_priv_run *run, sgdp_model model,
                                      sgdp_priv_tasks *tasks)
{
    sgdp_priv_pass *pass =
        &run->passes->pass[model == run->model || model == SGDP_ASYNC_FCFS ? 0 : 1];
    sgdp_priv_visit *v = &pass->lattice.visit;
    const uint32_t K = tasks->population[0];
    size_t l, q = 0;
    SGDP_ASSERT(tasks->classes == 1 && K > 0);
    if (!(pass->tasks > 0 && K >= pass->tasks && K <= pass->most)) {
        sgdp_mva_options options;
        const sgdp_network net = sgdp_priv_network_of(
            run, model, sgdp_priv_way_of(model), tasks, &options);
        const sgdp_status status = sgdp_priv_begin_pass(pass, &net, &options);
        if (status != SGDP_OK) return status;
    }
    v->k.tasks[0] = K;
    if (v->k.Q == 0) sgdp_priv_solve_delays(&v->k);
    else if (pass->tasks < K)
        sgdp_priv_single_run(v, pass->tasks, K, pass->lattice.table);
    pass->tasks = K;
    SGDP_ASSERT(v->bad_gamma || sgdp_priv_tasks_add_up(&v->k));
    for (l = 0; l < SGDP_PRIV_STATIONS; l++)
        tasks->response_s[l] = pass->delay[l] ? pass->passing_s[l]
                                              : v->k.T[q++] + pass->passing_s[l];
    tasks->method = SGDP_METHOD_LATTICE;
    tasks->residual = 0.0;
    return sgdp_priv_visit_status(v);
}

/* Solves the network of any number of classes. */
static sgdp_status sgdp_priv_solve_alone(const sgdp_priv_run *run, sgdp_model model,
                                         sgdp_priv_tasks *tasks)
{
    sgdp_priv_way way = sgdp_priv_way_of(model);
    sgdp_mva_result result;
    sgdp_status status;
    memset(&result, 0, sizeof result);
    result.response_s = tasks->response_s;
    do {
        sgdp_mva_options options;
        sgdp_network net;
        if (tasks->cost.fixed_point && way == SGDP_PRIV_HYBRID) way = SGDP_PRIV_FIXED;
        net = sgdp_priv_network_of(run, model, way, tasks, &options);
        status = sgdp_priv_solve_network(&net, &options, way, tasks->work,
                                         tasks->cost.bytes, &result);
        if (sgdp_priv_is_too_much(status)) tasks->cost.fixed_point = 1;
    } while (way == SGDP_PRIV_HYBRID && sgdp_priv_is_too_much(status));
    tasks->method = result.method;
    tasks->residual = result.residual;
    return status;
}

/* The cycle of a task whose input is at hand. */
static double sgdp_priv_round_s(const sgdp_priv_tasks *tasks, size_t c)
{
    const double *T = tasks->response_s + c * SGDP_PRIV_STATIONS;
    return tasks->think_s[c] + T[0] + T[1] + T[2];
}

/* Writes the cycle of class c that waits for input, which counts by `weight`. */
static void sgdp_priv_report_input(const sgdp_priv_run *run, const sgdp_priv_tasks *tasks,
                                   size_t c, double weight, sgdp_prediction *p)
{
    const double cycle_s = tasks->cycle_s[c];
    const double busy = run->input_s * tasks->group[c] / cycle_s;
    p->time.service_s[SGDP_HOST] +=
        weight * sgdp_priv_excess(cycle_s, sgdp_priv_round_s(tasks, c));
    if (busy > p->utilization[SGDP_HOST]) p->utilization[SGDP_HOST] = busy;
}

/* Solves the network. With SGDP_NOT_CONVERGED there is an answer, too. The input pipeline
 * works ahead while a task computes and waits, so it sets the least cycle. */
static sgdp_status sgdp_priv_solve(const sgdp_priv_run *run, sgdp_model model,
                                   sgdp_priv_tasks *tasks)
{
    const sgdp_status status = run->passes ? sgdp_priv_solve_on(run, model, tasks)
                                           : sgdp_priv_solve_alone(run, model, tasks);
    size_t c;
    if (!sgdp_priv_has_answer(status)) return status;
    tasks->batches_per_s = tasks->cycles_per_s = 0.0;
    for (c = 0; c < tasks->classes; c++) {
        tasks->cycle_s[c] = fmax(sgdp_priv_round_s(tasks, c),
                                 run->input_s * tasks->group[c]);
        SGDP_ASSERT(tasks->cycle_s[c] > 0.0);
        tasks->cycles_per_s += tasks->population[c] / tasks->cycle_s[c];
        tasks->batches_per_s += tasks->population[c] / tasks->cycle_s[c]
                              * tasks->group[c];
    }
    return status;
}

/* Solves the model asked for; SWITCH by the branch that it chooses [LPGLY22, eq. 5]. */
static sgdp_status sgdp_priv_solve_model(const sgdp_priv_run *run, sgdp_priv_tasks *tasks,
                                         sgdp_model *branch)
{
    const double U = run->uplink_s, D = run->downlink_s, busiest_s = U > D ? U : D;
    sgdp_status status;
    if (run->model == SGDP_ASYNC_SWITCH) *branch = SGDP_ASYNC_FCFS;
    status = sgdp_priv_solve(run, *branch, tasks);
    if (run->model != SGDP_ASYNC_SWITCH || !sgdp_priv_has_answer(status)) return status;
    if (!(tasks->cycles_per_s * busiest_s / run->flows > run->threshold)) return status;
    *branch = SGDP_ASYNC_EXACT;
    return sgdp_priv_solve(run, *branch, tasks);
}

/* Overlap [LPGLY22, eq. 6], once or until the throughput converges. Transfers that hide
 * compute grow, and then hide more: think times fall to the fixed point, not below it. */
static sgdp_status sgdp_priv_solve_overlapped(const sgdp_priv_run *run,
                                              sgdp_priv_tasks *tasks,
                                              sgdp_solution *found)
{
    double spent = 0.0;
    sgdp_status status = SGDP_OK;
    if (run->job->overlap.rule == SGDP_OVERLAP_ONE_PASS) {
        sgdp_priv_set_think(run, tasks);
        return sgdp_priv_chooses_anew(run)
             ? sgdp_priv_solve_model(run, tasks, &found->branch)
             : sgdp_priv_solve(run, found->branch, tasks);
    }
    for (; found->iterations < 1000 && spent < SGDP_PRIV_BUDGET;
         spent += tasks->cost.operations) {
        const double before_per_s = tasks->batches_per_s;
        sgdp_priv_set_think(run, tasks);
        status = sgdp_priv_solve(run, found->branch, tasks);
        if (!sgdp_priv_has_answer(status)) return status;
        found->iterations++;
        found->residual = fabs(tasks->batches_per_s - before_per_s)
                        / tasks->batches_per_s;
        if (found->residual < 1e-12) return status;
    }
    return SGDP_NOT_CONVERGED;
}

static void sgdp_priv_report_stations(const sgdp_priv_run *run,
                                      const sgdp_priv_tasks *tasks, sgdp_prediction *p)
{
    size_t l;
    for (l = 0; l < SGDP_PRIV_STATIONS; l++) {
        const int server = SGDP_PRIV_RESOURCE(l) == (size_t)SGDP_SERVER;
        double capacity = server ? 1.0 : run->flows;
        if (server && run->job->servers.separate_updates) capacity = run->machines;
        p->utilization[SGDP_PRIV_RESOURCE(l)] = tasks->cycles_per_s * tasks->demand_s[l]
                                              / capacity;
    }
}

/* Means over the steps of all workers. A class counts by its share of the throughput,
 * which is its workers over its cycle; so the parts add up to the step. */
static sgdp_status sgdp_priv_report_tasks(const sgdp_priv_run *run,
                                          const sgdp_priv_tasks *tasks,
                                          sgdp_prediction *p)
{
    const double X = tasks->batches_per_s, step_s = run->workers / X;
    double *service_s = p->time.service_s, *waiting_s = p->time.waiting_s;
    double compute_s = 0.0;
    size_t c, i, l;
    if (!sgdp_priv_is_step(run, step_s)) return SGDP_BAD_ARGUMENT;
    for (i = 0; i < run->types; i++) {
        if (p->types.batches_per_s) p->types.batches_per_s[i] = 0.0;
        if (p->types.waiting_share) p->types.waiting_share[i] = 0.0;
    }
    for (c = 0; c < tasks->classes; c++) {
        const sgdp_worker_type type = sgdp_priv_type(run, tasks->type[c]);
        const double local_s = sgdp_priv_local_s(run, tasks->group[c]);
        const double rate = tasks->population[c] / tasks->cycle_s[c] * tasks->group[c];
        const double weight = rate / X;
        if (p->types.batches_per_s) p->types.batches_per_s[tasks->type[c]] += rate;
        compute_s += weight * (type.forward_s + type.backward_s);
        service_s[SGDP_WORKER] += weight * sgdp_priv_excess(
            tasks->think_s[c], local_s + sgdp_priv_apart_s(&type, &tasks->late[c]));
        service_s[SGDP_LOCAL] += weight * local_s;
        sgdp_priv_report_input(run, tasks, c, weight, p);
        service_s[SGDP_UPLINK] += weight * (type.delay_s + tasks->late[c].s[0]);
        service_s[SGDP_DOWNLINK] += weight * (type.delay_s + tasks->late[c].s[1]);
        for (l = 0; l < SGDP_PRIV_STATIONS; l++) {
            const double D = tasks->demand_s[c * SGDP_PRIV_STATIONS + l];
            const double T = tasks->response_s[c * SGDP_PRIV_STATIONS + l];
            service_s[SGDP_PRIV_RESOURCE(l)] += weight * D;
            waiting_s[SGDP_PRIV_RESOURCE(l)] += weight * sgdp_priv_excess(T, D);
        }
    }
    p->step_s = step_s;
    p->batches_per_s = X;
    p->solution.method = tasks->method;
    p->solution.method_residual = tasks->residual;
    p->utilization[SGDP_WORKER] = compute_s / step_s;
    p->utilization[SGDP_LOCAL] = service_s[SGDP_LOCAL] / step_s;
    sgdp_priv_report_stations(run, tasks, p);
    return SGDP_OK;
}

/* Estimates how many far workers send at once at most, for sgdp_priv_late_s. */
static double sgdp_priv_streams(const sgdp_priv_run *run, const sgdp_priv_tasks *tasks)
{
    double far = 0.0, mean = 0.0, variance = 0.0, streams;
    size_t c;
    for (c = 0; c < tasks->classes; c++) {
        const double sends_s = run->uplink_s + tasks->late[c].s[0];
        double part = sends_s / tasks->cycle_s[c];
        if (!(sgdp_priv_type(run, tasks->type[c]).delay_s > 0.0)) continue;
        if (part > 1.0) part = 1.0;
        far += tasks->population[c];
        mean += tasks->population[c] * part;
        variance += tasks->population[c] * part * (1.0 - part);
    }
    SGDP_ASSERT(far >= 1.0 && variance >= 0.0);
    streams = mean + sgdp_priv_stream_deviations * sqrt(variance);
    if (streams > far) streams = far;
    return streams > 1.0 ? streams : 1.0;
}

/* Updates what windows add, from the present cycles. Returns the largest change. */
static double sgdp_priv_set_late(const sgdp_priv_run *run, sgdp_priv_tasks *tasks)
{
    const double streams = sgdp_priv_streams(run, tasks);
    double most = 0.0;
    size_t c;
    for (c = 0; c < tasks->classes; c++) {
        const double delay_s = sgdp_priv_type(run, tasks->type[c]).delay_s;
        const double *T = tasks->response_s + c * SGDP_PRIV_STATIONS;
        const double transfer_s[2] = { T[0], T[2] };
        most = fmax(most, sgdp_priv_next_late(run, delay_s, streams, tasks->cycle_s[c],
                                              transfer_s, &tasks->late[c]));
    }
    return most;
}

/* Solves the network, with overlap, for the present windows. */
static sgdp_status sgdp_priv_solve_windows(const sgdp_priv_run *run,
                                           sgdp_priv_tasks *tasks, sgdp_solution *found)
{
    sgdp_status last, status;
    size_t c;
    for (c = 0; c < tasks->classes; c++) {
        double *demand_s = tasks->demand_s + c * SGDP_PRIV_STATIONS;
        double *response_s = tasks->response_s + c * SGDP_PRIV_STATIONS;
        demand_s[0] = run->uplink_s;
        demand_s[1] = run->update_s;
        demand_s[2] = run->downlink_s;
        response_s[0] = response_s[1] = response_s[2] = 0.0;
    }
    found->iterations = 0;
    sgdp_priv_set_think(run, tasks);
    status = sgdp_priv_solve_model(run, tasks, &found->branch);
    if (!sgdp_priv_has_answer(status) || !sgdp_priv_is_overlapped(run)) return status;
    last = sgdp_priv_solve_overlapped(run, tasks, found);
    return last != SGDP_OK ? last : status;
}

/* Predicts from tasks that have been made; repeats until windows no longer change. */
static sgdp_status sgdp_priv_predict_tasks(const sgdp_priv_run *run,
                                           sgdp_priv_tasks *tasks, sgdp_prediction *p)
{
    size_t c;
    uint32_t turn;
    sgdp_status last, status;
    for (c = 0; c < tasks->classes; c++) {
        const double delay_s = sgdp_priv_type(run, tasks->type[c]).delay_s;
        tasks->late[c] = sgdp_priv_late_at_first(run, delay_s);
    }
    status = sgdp_priv_solve_windows(run, tasks, &p->solution);
    for (turn = 0; sgdp_priv_is_far(run) && sgdp_priv_has_answer(status); turn++) {
        const double change = sgdp_priv_set_late(run, tasks);
        SGDP_ASSERT(change >= 0.0);
        if (change < 1e-10) break;
        if (turn == SGDP_PRIV_TURNS) {
            p->solution.residual = change;
            status = SGDP_NOT_CONVERGED;
            break;
        }
        status = sgdp_priv_solve_windows(run, tasks, &p->solution);
    }
    if (!sgdp_priv_has_answer(status)) return status;
    last = sgdp_priv_report_tasks(run, tasks, p);
    return last == SGDP_OK ? status : last;
}

static sgdp_status sgdp_priv_predict_network(const sgdp_priv_run *run, void *work,
                                             size_t work_bytes, sgdp_prediction *p)
{
    sgdp_priv_arena arena = sgdp_priv_arena_at(work);
    sgdp_priv_tasks tasks;
    sgdp_status status = sgdp_priv_carve_network(run, &arena, &tasks);
    if (status == SGDP_OK) status = sgdp_priv_check_work(work, work_bytes, arena.used);
    if (status != SGDP_OK) return status;
    sgdp_priv_make_tasks(run, &tasks);
    return sgdp_priv_predict_tasks(run, &tasks, p);
}

/* ---- SGD on a cluster: predictions ----------------------------------------- */

/* Makes a synchronous step longer by more_s, which the caller adds to a part of it. */
static void sgdp_priv_lengthen(const sgdp_priv_run *run, double more_s,
                               sgdp_prediction *p)
{
    const double before_s = p->step_s, ratio = before_s / (before_s + more_s);
    size_t i;
    SGDP_ASSERT(more_s >= 0.0);
    p->step_s = before_s + more_s;
    p->batches_per_s = run->counted / p->step_s;
    for (i = 0; i < (size_t)SGDP_RESOURCE_COUNT; i++) p->utilization[i] *= ratio;
    for (i = 0; i < run->types; i++) {
        if (p->types.batches_per_s) p->types.batches_per_s[i] *= ratio;
        if (p->types.waiting_share) p->types.waiting_share[i] *= ratio;
    }
}

/* Adds to a step the messages of all machines but the first, whose is in run->update_s.
 * Then waits for the input of the fullest machine, prepared during the step before. */
static sgdp_status sgdp_priv_wait_in_step(const sgdp_priv_run *run, sgdp_prediction *p)
{
    uint32_t emptiest;
    const double input_s = run->input_s * sgdp_priv_fullest(run, &emptiest);
    double more_s = (run->machines - 1.0) * run->job->servers.message_s;
    if (sgdp_priv_is_synchronous_ps(run->model) && more_s > 0.0) {
        sgdp_priv_lengthen(run, more_s, p);
        p->time.waiting_s[SGDP_SERVER] += more_s;
        p->utilization[SGDP_SERVER] = (run->update_s + more_s) / p->step_s;
    }
    if (!sgdp_priv_is_step(run, p->step_s)) return SGDP_BAD_ARGUMENT;
    more_s = sgdp_priv_excess(input_s, p->step_s);
    if (more_s > 0.0) sgdp_priv_lengthen(run, more_s, p);
    p->time.service_s[SGDP_HOST] = more_s;
    p->utilization[SGDP_HOST] = more_s > 0.0 ? 1.0 : input_s / p->step_s;
    return SGDP_OK;
}

/* Predicts the step and its parts. *p is zero except for the caller's pointers. */
static sgdp_status sgdp_priv_predict_step(const sgdp_priv_run *run, void *work,
                                          size_t work_bytes, sgdp_prediction *p)
{
    sgdp_status last, status;
    p->solution.branch = run->model;
    if (run->passes) return sgdp_priv_predict_tasks(run, &run->passes->tasks, p);
    if (sgdp_priv_is_network(run->model))
        return sgdp_priv_predict_network(run, work, work_bytes, p);
    if (run->model == SGDP_ASYNC_CYNTHIA) status = sgdp_priv_predict_cynthia(run, p);
    else if (run->model == SGDP_SYNC_STAGGERED)
        status = sgdp_priv_predict_staggered(run, work, work_bytes, p);
    else status = sgdp_priv_predict_synchronous(run, p);
    if (!sgdp_priv_has_answer(status)) return status;
    last = sgdp_priv_wait_in_step(run, p);
    return last == SGDP_OK ? status : last;
}

/* Predicts another point, equal to the last bit to sgdp_priv_report_tasks and
 * sgdp_priv_derive: the only class has all of the throughput, so its weight is 1. */
static sgdp_status sgdp_priv_predict_next(const sgdp_priv_run *run, sgdp_prediction *out)
{
    sgdp_priv_passes *of = run->passes;
    sgdp_priv_tasks *tasks = &of->tasks;
    const sgdp_types types = out->types;
    sgdp_model branch = run->model;
    const sgdp_status status = sgdp_priv_solve_model(run, tasks, &branch);
    const double X = tasks->batches_per_s, step_s = run->workers / X;
    size_t l;
    if (!sgdp_priv_has_answer(status)) return status;
    if (!sgdp_priv_is_step(run, step_s)) return SGDP_BAD_ARGUMENT;
    SGDP_ASSERT(run->types == 1);      /* the only class has all of X               */
    *out = of->first;
    out->types = types;
    if (types.batches_per_s) types.batches_per_s[0] = X;
    if (types.waiting_share) types.waiting_share[0] = 0.0;
    out->solution.branch = branch;
    out->step_s = step_s;
    out->batches_per_s = X;
    for (l = 0; l < SGDP_PRIV_STATIONS; l++) out->time.waiting_s[SGDP_PRIV_RESOURCE(l)] =
            sgdp_priv_excess(tasks->response_s[l], tasks->demand_s[l]);
    out->utilization[SGDP_WORKER] = of->compute_s / step_s;
    out->utilization[SGDP_LOCAL] = out->time.service_s[SGDP_LOCAL] / step_s;
    out->time.service_s[SGDP_HOST] = out->utilization[SGDP_HOST] = 0.0;
    sgdp_priv_report_input(run, tasks, 0, 1.0, out);
    sgdp_priv_report_stations(run, tasks, out);
    sgdp_priv_derive_from(run, of->alone_s, out);
    out->scaling.saturation_workers =
        sgdp_priv_saturation_at(run, run->workers * of->alone_s, of->growth_s);
    return status;
}

static sgdp_status sgdp_priv_predict(const sgdp_priv_run *run, void *work,
                                     size_t work_bytes, sgdp_prediction *out)
{
    sgdp_priv_passes *of = run->passes;
    sgdp_worker_type first;
    sgdp_priv_late late;
    sgdp_prediction p;
    double alone_s;
    sgdp_status status;
    if (of && of->begun) return sgdp_priv_predict_next(run, out);
    memset(&p, 0, sizeof p);
    p.types = out->types;
    status = sgdp_priv_predict_step(run, work, work_bytes, &p);
    if (!sgdp_priv_has_answer(status)) return status;
    first = sgdp_priv_type(run, 0);
    late = sgdp_priv_late_alone(run, &first);
    alone_s = fmax(sgdp_priv_alone_s(run, &first, 1, 0.0, &late), run->input_s);
    sgdp_priv_derive_from(run, alone_s, &p);
    p.scaling.saturation_workers = sgdp_priv_saturation_workers(run);
    if (of) {                          /* of points that share passes               */
        of->first = p;
        of->alone_s = alone_s;
        of->growth_s = sgdp_priv_growth_s(run);
        of->compute_s = first.forward_s + first.backward_s;
        of->begun = 1;
        SGDP_ASSERT(run->types == 1 && run->gpus == 1 && !(run->peer_s > 0.0));
    }
    *out = p;
    return status;
}

static sgdp_status sgdp_priv_predict_cost(const sgdp_job *job, sgdp_model model,
                                          uint32_t workers, sgdp_priv_cost *cost)
{
    sgdp_priv_arena arena = sgdp_priv_arena_at(NULL);
    sgdp_priv_run run;
    sgdp_priv_tasks tasks;
    sgdp_priv_steps steps;
    double solutions;
    sgdp_status status = sgdp_priv_read_job(job, model, workers, &run);
    if (status != SGDP_OK) return status;
    memset(cost, 0, sizeof *cost);
    cost->operations = 100.0 * (double)run.types;
    if (model == SGDP_SYNC_STAGGERED) {
        const double most = SGDP_PRIV_FLOWS, few = SGDP_PRIV_FEW, draws = SGDP_PRIV_DRAWS;
        const double N = run.machines < most ? run.machines : most;
        if (sgdp_priv_is_followed(&run)) sgdp_priv_carve_steps(&run, &arena, &steps);
        cost->bytes = arena.used;
        cost->operations += (N > few ? 4.0 * N : draws) * (60.0 + N);
        if (sgdp_priv_is_far(&run) || run.flows > 1.0) cost->operations *= 6.0; /* caps */
    }
    if (!sgdp_priv_is_network(model)) return SGDP_OK;
    solutions = sgdp_priv_solutions(&run);
    if (job->overlap.rule == SGDP_OVERLAP_FIXED_POINT) solutions += 98.0;
    if (sgdp_priv_is_far(&run)) solutions *= 20.0;
    status = sgdp_priv_carve_network(&run, &arena, &tasks);
    if (status != SGDP_OK) return status;
    cost->bytes = arena.used;
    cost->operations += solutions * tasks.cost.operations;
    return SGDP_OK;
}

SGDP_API sgdp_status sgdp_predict_bytes(const sgdp_job *job, sgdp_model model,
                                        uint32_t workers, size_t *bytes)
{
    sgdp_priv_cost cost;
    const sgdp_status status = sgdp_priv_predict_cost(job, model, workers, &cost);
    if (status == SGDP_OK && !bytes) return SGDP_BAD_ARGUMENT;
    if (status == SGDP_OK) *bytes = cost.bytes;
    return status;
}

SGDP_API sgdp_status sgdp_predict_operations(const sgdp_job *job, sgdp_model model,
                                             uint32_t workers, double *operations)
{
    sgdp_priv_cost cost;
    const sgdp_status status = sgdp_priv_predict_cost(job, model, workers, &cost);
    if (status == SGDP_OK && !operations) return SGDP_BAD_ARGUMENT;
    if (status == SGDP_OK) *operations = cost.operations;
    return status;
}

SGDP_API sgdp_status sgdp_predict(const sgdp_job *job, sgdp_model model, uint32_t workers,
                                  void *work, size_t work_bytes, sgdp_prediction *out)
{
    sgdp_priv_run run;
    const sgdp_status status = sgdp_priv_read_job(job, model, workers, &run);
    if (status != SGDP_OK) return status;
    return out ? sgdp_priv_predict(&run, work, work_bytes, out) : SGDP_BAD_ARGUMENT;
}

/* ---- SGD on a cluster: curves ---------------------------------------------- */

/* Can all points of the curve share passes? Yes, if another worker only adds a task. */
static int sgdp_priv_is_one_pass(const sgdp_priv_run *run)
{
    const int exact = run->model == SGDP_ASYNC_EXACT || run->model == SGDP_ASYNC_SWITCH;
    return sgdp_priv_is_network(run->model) && run->job->workers.types == 0
        && run->gpus == 1 && !sgdp_priv_is_overlapped(run) && !sgdp_priv_is_far(run)
        && !(exact && run->flows > 1.0);
}

/* Begins a pass if it can solve the largest point, which costs most. */
static void sgdp_priv_begin_curve(sgdp_priv_run *run, uint32_t most, const void *work,
                                  size_t work_bytes, sgdp_priv_passes *passes)
{
    sgdp_priv_arena arena = sgdp_priv_arena_at(NULL);
    sgdp_priv_run largest = *run;
    sgdp_priv_tasks alone;
    if (!sgdp_priv_is_one_pass(run)) return;
    SGDP_ASSERT(most > 0);
    sgdp_priv_set_workers(&largest, most);
    if (sgdp_priv_carve_network(&largest, &arena, &alone) != SGDP_OK
        || sgdp_priv_check_work(work, work_bytes, arena.used) != SGDP_OK
        || alone.cost.fixed_point) return;
    passes->tasks.cost = alone.cost;
    sgdp_priv_make_tasks(&largest, &passes->tasks);
    SGDP_ASSERT(passes->tasks.classes == 1);
    passes->pass[0].tasks = passes->pass[1].tasks = 0;
    passes->begun = 0;
    run->passes = passes;
}

static sgdp_priv_passes *sgdp_priv_carve_passes(sgdp_priv_arena *arena)
{
    sgdp_priv_passes *passes =
        (sgdp_priv_passes *)sgdp_priv_take(arena, 1, sizeof *passes);
    sgdp_priv_tasks tasks;             /* their solver has room in a pass           */
    memset(&tasks, 0, sizeof tasks);
    sgdp_priv_carve_tasks(arena, 1, &tasks);
    if (passes) passes->tasks = tasks;
    return passes;
}

static size_t sgdp_priv_passes_bytes(void)
{
    sgdp_priv_arena arena = sgdp_priv_arena_at(NULL);
    (void)sgdp_priv_carve_passes(&arena);
    return arena.used;
}

/* Sets the point of a curve with this number of workers; with types there is only one. */
static void sgdp_priv_set_point(sgdp_priv_run *run, uint32_t workers)
{
    if (run->job->workers.types > 0) return;
    sgdp_priv_set_workers(run, workers);
    if (run->passes) run->passes->tasks.population[0] = workers;
}

SGDP_API sgdp_status sgdp_predict_curve(const sgdp_job *job, sgdp_model model,
                                        const sgdp_curve *curve, void *work,
                                        size_t work_bytes)
{
    sgdp_priv_arena arena = sgdp_priv_arena_at(work);
    sgdp_priv_run run;
    sgdp_status status, worst = SGDP_OK;
    uint32_t most = 0;
    size_t i;
    if (!curve || !curve->workers || !curve->out || curve->points == 0)
        return SGDP_BAD_ARGUMENT;
    status = sgdp_priv_read_job(job, model, curve->workers[0], &run);
    for (i = 0; i < curve->points && status == SGDP_OK && job->workers.types == 0; i++) {
        if (curve->workers[i] <= job->workers.backup) status = SGDP_BAD_ARGUMENT;
        if (curve->workers[i] > most) most = curve->workers[i];
    }
    if (status != SGDP_OK) return status;
    if (sgdp_priv_is_one_pass(&run)) {
        sgdp_priv_passes *passes;
        status = sgdp_priv_check_work(work, work_bytes, sgdp_priv_passes_bytes());
        if (status != SGDP_OK) return status;
        passes = sgdp_priv_carve_passes(&arena);
        work_bytes -= arena.used;
        work = sgdp_priv_take(&arena, work_bytes, 1);
        sgdp_priv_begin_curve(&run, most, work, work_bytes, passes);
    }
    for (i = 0; i < curve->points; i++) {
        sgdp_priv_set_point(&run, curve->workers[i]);
        status = sgdp_priv_predict(&run, work, work_bytes, &curve->out[i]);
        if (!sgdp_priv_has_answer(status)) return status;
        if (curve->status) curve->status[i] = status;
        if (status != SGDP_OK) worst = status;
    }
    return worst;
}

/* Bytes and operations of a curve. If points need no work, the first stands for all. */
static sgdp_status sgdp_priv_curve_cost(const sgdp_job *job, sgdp_model model,
                                        const sgdp_curve *curve, sgdp_priv_cost *cost)
{
    const uint32_t *workers = curve ? curve->workers : NULL;
    const size_t points = curve ? curve->points : 0;
    sgdp_priv_run run;
    sgdp_priv_cost each;
    size_t i, passes = 0;
    sgdp_status status;
    memset(cost, 0, sizeof *cost);
    if (!workers || points == 0) return SGDP_BAD_ARGUMENT;
    status = sgdp_priv_read_job(job, model, workers[0], &run);
    for (i = 0; i < points && status == SGDP_OK; i++)
        if (workers[i] == 0 && job->workers.types == 0) status = SGDP_BAD_ARGUMENT;
    if (status != SGDP_OK) return status;
    if (sgdp_priv_is_one_pass(&run)) {
        passes = sgdp_priv_passes_bytes();
        for (i = 1; i < points && workers[i] >= workers[i - 1]; i++) {}
        if (i == points) {
            status = sgdp_priv_predict_cost(job, model, workers[points - 1], cost);
            cost->bytes += passes;
            cost->operations += 100.0 * (double)points;
            return status;
        }
    } else if (!sgdp_priv_is_network(model) && model != SGDP_SYNC_STAGGERED) {
        cost->operations = 100.0 * (double)run.types * (double)points;
        return SGDP_OK;
    }
    for (i = 0; i < points; i++) {
        status = sgdp_priv_predict_cost(job, model, workers[i], &each);
        if (status != SGDP_OK) return status;
        if (passes + each.bytes > cost->bytes) cost->bytes = passes + each.bytes;
        cost->operations += each.operations;
    }
    return SGDP_OK;
}

SGDP_API sgdp_status sgdp_predict_curve_bytes(const sgdp_job *job, sgdp_model model,
                                              const sgdp_curve *curve, size_t *bytes)
{
    sgdp_priv_cost cost;
    const sgdp_status status = sgdp_priv_curve_cost(job, model, curve, &cost);
    if (status == SGDP_OK && !bytes) return SGDP_BAD_ARGUMENT;
    if (status == SGDP_OK) *bytes = cost.bytes;
    return status;
}

SGDP_API sgdp_status sgdp_predict_curve_operations(const sgdp_job *job, sgdp_model model,
                                                   const sgdp_curve *curve,
                                                   double *operations)
{
    sgdp_priv_cost cost;
    const sgdp_status status = sgdp_priv_curve_cost(job, model, curve, &cost);
    if (status == SGDP_OK && !operations) return SGDP_BAD_ARGUMENT;
    if (status == SGDP_OK) *operations = cost.operations;
    return status;
}

/* ---- SGD on a cluster: elasticities ---------------------------------------- */

/* A job in which some numbers vary. SWITCH keeps the branch that it takes first: a
 * branch that changed between two differences would give a jump, not a slope. */
typedef struct sgdp_priv_varied {
    sgdp_model model;
    uint32_t   workers;
    void      *work;
    size_t     work_bytes;
    sgdp_status status;        /* SGDP_OK; SGDP_NOT_CONVERGED if some point did not */
    sgdp_priv_slowest_last slowest; /* compute varies alike in all                  */
} sgdp_priv_varied;

/* Throughput of a job with other numbers. The scales are on compute times of types. */
static sgdp_status sgdp_priv_rate_of(sgdp_priv_varied *v, const sgdp_job *job,
                                     double forward_scale, double backward_scale,
                                     double *batches_per_s)
{
    sgdp_priv_run run;
    sgdp_prediction point;
    sgdp_status status = sgdp_priv_read_job(job, v->model, v->workers, &run);
    if (status != SGDP_OK) return status;
    memset(&point, 0, sizeof point);
    run.slowest = &v->slowest;
    run.forward_scale = forward_scale;
    run.backward_scale = backward_scale;
    status = sgdp_priv_predict(&run, v->work, v->work_bytes, &point);
    if (!sgdp_priv_has_answer(status)) return status;
    if (status != SGDP_OK) v->status = status;
    v->model = point.solution.branch;
    SGDP_ASSERT(v->model != SGDP_ASYNC_SWITCH);
    *batches_per_s = point.batches_per_s;
    return SGDP_OK;
}

SGDP_API sgdp_status sgdp_elasticity(const sgdp_job *job, sgdp_model model,
                                     uint32_t workers, void *work, size_t work_bytes,
                                     double *elasticity)
{
    const double around[2] = { 1.0 - 1e-5, 1.0 + 1e-5 }, above[2] = { 1.0, 1.0 + 2e-5 };
    sgdp_priv_varied v = { model, workers, work, work_bytes, SGDP_OK, { 0, 1.0 } };
    double slope[SGDP_INPUT_COUNT], rate[2] = { 0.0, 0.0 };
    sgdp_status status;
    size_t i, side;
    if (!elasticity) return SGDP_BAD_ARGUMENT;
    status = sgdp_priv_rate_of(&v, job, 1.0, 1.0, rate);
    for (i = 0; i < (size_t)SGDP_INPUT_COUNT && status == SGDP_OK; i++) {
        const sgdp_input input = (sgdp_input)i;
        const int forward = job->workers.types > 0 && input == SGDP_INPUT_FORWARD;
        const int backward = job->workers.types > 0 && input == SGDP_INPUT_BACKWARD;
        const double value = sgdp_priv_get_input(job, input);
        const int from_one = input == SGDP_INPUT_OVERLAP && value * around[0] < 1.0;
        const double *factor = from_one ? above : around;
        slope[i] = 0.0;
        if (input == SGDP_INPUT_THRESHOLD) continue;
        if (!forward && !backward && !(value > 0.0)) continue;
        for (side = 0; side < 2 && status == SGDP_OK; side++) {
            sgdp_job varied = *job;
            sgdp_priv_set_input(&varied, input, value * factor[side]);
            status = sgdp_priv_rate_of(&v, &varied, forward ? factor[side] : 1.0,
                                       backward ? factor[side] : 1.0, &rate[side]);
        }
        slope[i] = log(rate[1] / rate[0]) / log(factor[1] / factor[0]);
    }
    if (status != SGDP_OK) return status;
    memcpy(elasticity, slope, sizeof slope);
    return v.status;
}

/* ---- SGD on a cluster: knees, and layers on servers ------------------------ */

SGDP_API sgdp_status sgdp_knee(const double *batches_per_s, size_t n, double tolerance,
                               size_t *knee)
{
    double largest = 0.0;              /* batches_per_s beyond w                    */
    size_t w, found = n;
    if (!batches_per_s || !knee || n == 0) return SGDP_BAD_ARGUMENT;
    if (!sgdp_priv_is_time(tolerance)) return SGDP_BAD_ARGUMENT;
    for (w = n; w >= 1; w--) {
        const double x = batches_per_s[w - 1];
        if (!sgdp_priv_is_rate(x)) return SGDP_BAD_ARGUMENT;
        if (largest <= x * (1.0 + tolerance)) found = w;
        if (x > largest) largest = x;
    }
    SGDP_ASSERT(found >= 1 && found <= n);
    *knee = found;
    return SGDP_OK;
}

SGDP_API sgdp_status sgdp_greedy_shares(const double *layer_bytes, size_t layers,
                                        uint32_t servers, double *shares,
                                        uint32_t *server)
{
    double sum = 0.0;
    size_t i;
    uint32_t m;
    if (!layer_bytes || !shares || layers == 0 || servers == 0) return SGDP_BAD_ARGUMENT;
    for (i = 0; i < layers; i++) {
        if (!sgdp_priv_is_time(layer_bytes[i])) return SGDP_BAD_ARGUMENT;
        sum += layer_bytes[i];
    }
    if (!sgdp_priv_is_rate(sum)) return SGDP_BAD_ARGUMENT;
    for (m = 0; m < servers; m++) shares[m] = 0.0;
    for (i = 0; i < layers; i++) {
        uint32_t least = 0;
        for (m = 1; m < servers; m++)
            if (shares[m] < shares[least]) least = m;
        SGDP_ASSERT(least < servers);
        shares[least] += layer_bytes[i];
        if (server) server[i] = least;
    }
    for (m = 0; m < servers; m++) {
        SGDP_ASSERT(shares[m] <= sum * (1.0 + 1e-6));
        shares[m] /= sum;
    }
    return SGDP_OK;
}

/* ---- Measured jobs: range of an unknown input ------------------------------ */

/* Scales of the unknowns, from the measured points. */
typedef struct sgdp_priv_scales {
    double short_s, long_s;            /* a negligible time, and a long one         */
    double small, large;               /* bytes of a transfer                       */
    double slow, fast;                 /* bandwidths, bytes per second              */
    size_t timed;                      /* number of jobs with transfer times        */
} sgdp_priv_scales;

/* A thousandth of the shortest time between two mini-batches is negligible. A step waits
 * for nothing that takes twice the longest step, unless servers divide it. */
static sgdp_priv_scales sgdp_priv_read_scales(const sgdp_measurement *point, size_t n)
{
    sgdp_priv_scales of;
    size_t i, t;
    memset(&of, 0, sizeof of);
    of.short_s = of.small = of.slow = DBL_MAX;
    for (i = 0; i < n; i++) {
        const sgdp_job *job = point[i].job;
        const double servers = job->servers.count > 0 ? job->servers.count : 1;
        const double gap_s = 1.0 / point[i].batches_per_s;
        const double bandwidth = job->links.bandwidth_bytes_per_s;
        const double transfer_s = sgdp_priv_longer_transfer_s(job);
        const double bytes = job->model_bytes > 0.0 ? job->model_bytes
                                                    : transfer_s * bandwidth;
        double workers = job->workers.types > 0 ? 0.0 : point[i].workers, long_s;
        for (t = 0; t < job->workers.types; t++) workers += job->workers.type[t].count;
        long_s = 2.0 * servers * workers * gap_s;
        if (1e-3 * gap_s < of.short_s) of.short_s = 1e-3 * gap_s;
        if (long_s > of.long_s) of.long_s = long_s;
        if (bytes > 0.0 && bytes < of.small) of.small = bytes;
        if (bytes > of.large) of.large = bytes;
        if (bandwidth > 0.0 && bandwidth < of.slow) of.slow = bandwidth;
        if (bandwidth > of.fast) of.fast = bandwidth;
        if (transfer_s > 0.0) of.timed++;
    }
    return of;
}

/* Sets the ranges of the unknowns; returns 0 if the runs do not determine one. Bandwidths
 * are sought that carry a transfer in a time between short_s and long_s. */
static int sgdp_priv_set_ranges(const sgdp_runs *s, sgdp_range *range)
{
    const sgdp_priv_scales of = sgdp_priv_read_scales(s->run, s->n);
    size_t j;
    for (j = 0; j < s->unknowns; j++) {
        sgdp_range r = { 0.0, of.short_s, of.long_s };
        switch (s->unknown[j]) {
        case SGDP_INPUT_FORWARD: case SGDP_INPUT_BACKWARD: case SGDP_INPUT_UPDATE:
        case SGDP_INPUT_MESSAGE: case SGDP_INPUT_LATENCY: break;
        case SGDP_INPUT_TRANSFER:
            if (of.timed > 0 && of.timed < s->n) return 0; /* seconds and bytes */
            if (of.timed == 0) { r.low *= of.slow; r.high *= of.fast; }
            r.least = 1e-6 * r.low;
            break;
        case SGDP_INPUT_BANDWIDTH: case SGDP_INPUT_FLOW_CAP:
        case SGDP_INPUT_LOCAL_BANDWIDTH:
            r.low /= of.large;             /* infinite without bytes: refused below  */
            r.high /= of.small;
            r.least = 1e-6 * r.low;
            break;
        case SGDP_INPUT_OVERLAP:       /* 1/p; at 1/50 only the longer one counts   */
            r.least = r.low = 0.02;
            r.high = 1.0;
            break;
        case SGDP_INPUT_THRESHOLD:
            r.low = 1e-9;
            r.high = 1.0;
            break;
        case SGDP_INPUT_EXPOSURE: case SGDP_INPUT_GROWTH: case SGDP_INPUT_GROWTH_BETWEEN:
            r.low = 1e-3;
            r.high = 1e2;
            if (s->unknown[j] != SGDP_INPUT_EXPOSURE) r.least = 1e-9; /* 0: default     */
            break;
        case SGDP_INPUT_COUNT:
        default: return 0;
        }
        if (!sgdp_priv_is_rate(r.low)) return 0;
        if (!(r.high > r.low && r.high / r.low <= DBL_MAX)) return 0;
        SGDP_ASSERT(r.least >= 0.0 && r.least <= r.low);
        range[j] = r;
    }
    return 1;
}

/* ---- Measured jobs: runs --------------------------------------------------- */

static double sgdp_priv_unknown_value(sgdp_input unknown, double y)
{
    const int rate = unknown == SGDP_INPUT_BANDWIDTH || unknown == SGDP_INPUT_FLOW_CAP
                  || unknown == SGDP_INPUT_LOCAL_BANDWIDTH
                  || unknown == SGDP_INPUT_OVERLAP;
    return rate ? 1.0 / y : y;
}

static sgdp_job sgdp_priv_job_at(const sgdp_runs *runs, const double *value, size_t i)
{
    sgdp_job job = *runs->run[i].job;
    size_t j;
    for (j = 0; j < runs->unknowns; j++)
        if (value[j] >= 0.0) sgdp_priv_set_input(&job, runs->unknown[j], value[j]);
    return job;
}

static int sgdp_priv_are_runs(const sgdp_runs *runs, int measured)
{
    size_t i, j;
    if (!runs || !runs->run || runs->n == 0 || !runs->unknown || runs->unknowns == 0
        || runs->unknowns > SGDP_INPUT_COUNT) return 0;
    for (j = 0; j < runs->unknowns; j++) {
        if ((size_t)runs->unknown[j] >= (size_t)SGDP_INPUT_COUNT) return 0;
        for (i = 0; i < j; i++)
            if (runs->unknown[j] == runs->unknown[i]) return 0;
    }
    for (i = 0; i < runs->n; i++) {
        const sgdp_job *job = runs->run[i].job;
        if (!job || (job->workers.types > 0 && !job->workers.type)) return 0;
        if (measured && !sgdp_priv_is_rate(runs->run[i].batches_per_s)) return 0;
    }
    return 1;
}

/* Bytes of a run at both ends of the ranges: they depend only on which inputs count. */
static sgdp_status sgdp_priv_run_bytes(const sgdp_runs *runs, const sgdp_range *range,
                                       size_t i, size_t *most)
{
    const uint32_t workers = runs->run[i].workers;
    double value[SGDP_INPUT_COUNT];
    sgdp_status status[2];
    size_t j, end;
    for (end = 0; end < 2; end++) {
        sgdp_job job;
        size_t need = 0;
        for (j = 0; j < runs->unknowns; j++)
            value[j] = !range ? -1.0 : sgdp_priv_unknown_value(
                runs->unknown[j], end == 0 ? range[j].low : range[j].high);
        job = sgdp_priv_job_at(runs, value, i);
        status[end] = sgdp_predict_bytes(&job, runs->model, workers, &need);
        if (need > *most) *most = need;
    }
    return status[1] == SGDP_OK ? SGDP_OK : status[0];
}

/* Work: the passes of a curve, then the work of a prediction. */
SGDP_API sgdp_status sgdp_runs_open(sgdp_runs *runs, sgdp_range *range)
{
    sgdp_priv_arena arena = sgdp_priv_arena_at(NULL);
    sgdp_range found[SGDP_INPUT_COUNT];
    size_t most = 0, i;
    if (!sgdp_priv_are_runs(runs, range != NULL)) return SGDP_BAD_ARGUMENT;
    if (range && !sgdp_priv_set_ranges(runs, found)) return SGDP_BAD_ARGUMENT;
    for (i = 0; i < runs->n; i++) {
        const sgdp_status status =
            sgdp_priv_run_bytes(runs, range ? found : NULL, i, &most);
        if (status != SGDP_OK) return status;
    }
    (void)sgdp_priv_carve_passes(&arena);
    (void)sgdp_priv_take(&arena, most, 1);
    if (arena.overflow) return SGDP_TOO_LARGE;
    runs->work_bytes = arena.used;
    if (range) memcpy(range, found, runs->unknowns * sizeof *range);
    return SGDP_OK;
}

/* End of runs, at most `end`, that differ from run i in workers; *most: most workers. */
static size_t sgdp_priv_alike_runs(const sgdp_runs *runs, size_t i, size_t end,
                                   uint32_t *most)
{
    const sgdp_job *job = runs->run[i].job;
    size_t at = i;
    *most = 0;
    while (at < end && (runs->run[at].job == job
                        || memcmp(runs->run[at].job, job, sizeof *job) == 0)) {
        if (runs->run[at].workers > *most) *most = runs->run[at].workers;
        at++;
    }
    SGDP_ASSERT(at > i);
    return at;
}

/* Reads a job once for all its runs. */
SGDP_API int sgdp_runs_predict(const void *ctx, const double *value, size_t first,
                               size_t count, void *work, double *rate)
{
    const sgdp_runs *runs = (const sgdp_runs *)ctx;
    sgdp_priv_arena arena = sgdp_priv_arena_at(work);
    sgdp_priv_passes *passes;
    sgdp_job job;
    sgdp_priv_run run;
    sgdp_status status = SGDP_OK;
    size_t i, end = first, rest;
    uint32_t most = 0;
    void *scratch;
    if (!runs || !value || !work || !rate || first > runs->n || count > runs->n - first)
        return SGDP_BAD_ARGUMENT;
    passes = sgdp_priv_carve_passes(&arena);
    rest = runs->work_bytes - arena.used;
    scratch = sgdp_priv_take(&arena, rest, 1);
    SGDP_ASSERT(arena.used == runs->work_bytes);
    for (i = first; i < first + count && status == SGDP_OK; i++) {
        const uint32_t workers = runs->run[i].workers;
        sgdp_prediction out;
        memset(&out, 0, sizeof out);
        if (i == end) {
            end = sgdp_priv_alike_runs(runs, i, first + count, &most);
            job = sgdp_priv_job_at(runs, value, i);
            status = sgdp_priv_read_job(&job, runs->model, workers, &run);
            if (status == SGDP_OK && end - i > 1)
                sgdp_priv_begin_curve(&run, most, scratch, rest, passes);
        }
        if (workers == 0 && job.workers.types == 0) status = SGDP_BAD_ARGUMENT;
        if (status == SGDP_OK) {
            sgdp_priv_set_point(&run, workers);
            status = sgdp_priv_predict_step(&run, scratch, rest, &out);
        }
        rate[i - first] = status == SGDP_OK ? out.batches_per_s : 0.0;
    }
    return (int)status;
}

/* The job with a small value for each unknown that is 0. */
static sgdp_job sgdp_priv_with_little(const sgdp_runs *runs, const sgdp_job *of,
                                      double step_s)
{
    const double rings = of->collective.rings > 0 ? of->collective.rings : 1;
    sgdp_job job = *of;
    size_t j;
    for (j = 0; j < runs->unknowns; j++) {
        const sgdp_input input = runs->unknown[j];
        double little = 1e-3 * step_s;
        if (sgdp_priv_get_input(of, input) > 0.0) continue;
        if (input == SGDP_INPUT_FLOW_CAP)
            little = of->links.bandwidth_bytes_per_s / rings * 0.999;
        if (input == SGDP_INPUT_OVERLAP) little = 2.0;
        if (input >= SGDP_INPUT_EXPOSURE) little = 1e-3;
        if (input == SGDP_INPUT_BANDWIDTH) continue;
        if (input == SGDP_INPUT_LOCAL_BANDWIDTH) continue;
        sgdp_priv_set_input(&job, input, little);
    }
    SGDP_ASSERT(step_s > 0.0);
    return job;
}

SGDP_API int sgdp_runs_elasticity(const void *ctx, const double *value, size_t run,
                                  void *work, double *e)
{
    const sgdp_runs *runs = (const sgdp_runs *)ctx;
    double all[SGDP_INPUT_COUNT];
    sgdp_status status = SGDP_OK;
    uint32_t workers;
    sgdp_job job;
    size_t j;
    if (!runs || !work || !e || run >= runs->n) return SGDP_BAD_ARGUMENT;
    workers = runs->run[run].workers;
    if (value) {
        job = sgdp_priv_job_at(runs, value, run);
    } else {
        sgdp_prediction out;
        memset(&out, 0, sizeof out);
        job = *runs->run[run].job;
        for (j = 0; j < runs->unknowns; j++)
            if (runs->unknown[j] == SGDP_INPUT_THRESHOLD) return SGDP_BAD_ARGUMENT;
        status = sgdp_predict(&job, runs->model, workers, work, runs->work_bytes, &out);
        if (!sgdp_priv_has_answer(status)) return (int)status;
        job = sgdp_priv_with_little(runs, &job, out.step_s);
    }
    status = sgdp_elasticity(&job, runs->model, workers, work, runs->work_bytes, all);
    if (!sgdp_priv_has_answer(status)) return (int)status;
    for (j = 0; j < runs->unknowns; j++) e[j] = all[runs->unknown[j]];
    return SGDP_OK;
}

/* ---- Measured jobs: profiles of several workers ---------------------------- */

static int sgdp_priv_hides(const sgdp_overlap *overlap)
{
    const double h = overlap->exposure;
    return overlap->rule != SGDP_OVERLAP_NONE || overlap->exponent > 0.0
        || h < 0.0 || (h > 0.0 && h < 1.0);
}

SGDP_API sgdp_status sgdp_measured_step(const sgdp_job *job, sgdp_model model,
                                        sgdp_job *out, double *step_s)
{
    double F, B, S, U, D, sent_s, compute_s, left_s, measured_s;
    int hides;
    if (!job || !out || !step_s || (size_t)model >= (size_t)SGDP_MODEL_COUNT
        || job->workers.types > 0
        || (!sgdp_priv_is_allreduce(model) && !(job->servers.message_s <= 0.0)))
        return SGDP_BAD_ARGUMENT;
    F = job->compute.forward_s;
    B = job->compute.backward_s;
    S = job->compute.update_s;
    U = job->links.uplink_s;
    D = job->links.downlink_s;
    sent_s = sgdp_priv_is_allreduce(model) ? sgdp_priv_longer_transfer_s(job) : U + D;
    compute_s = F + B;
    measured_s = job->compute.one_worker_step_s;
    if (!sgdp_priv_is_time(F) || !sgdp_priv_is_time(B) || !sgdp_priv_is_time(compute_s)
        || !sgdp_priv_is_time(U) || !sgdp_priv_is_time(D) || !sgdp_priv_is_time(sent_s)
        || !sgdp_priv_is_time(S) || !sgdp_priv_is_time(measured_s))
        return SGDP_BAD_ARGUMENT;
    hides = sgdp_priv_hides(&job->overlap);
    if (!(measured_s > 0.0) && (hides || !(sent_s > 0.0))) return SGDP_BAD_ARGUMENT;
    if (!(measured_s > 0.0)) measured_s = compute_s + S + sent_s;
    left_s = measured_s - S - sent_s;
    if (sent_s > 0.0 && (left_s > compute_s || !hides)) compute_s = left_s;
    if (!sgdp_priv_is_time(compute_s)) return SGDP_BAD_ARGUMENT;
    SGDP_ASSERT(sgdp_priv_is_rate(measured_s));
    *step_s = measured_s;
    *out = *job;
    out->compute.forward_s = compute_s * (F + B > 0.0 ? F / (F + B) : 1.0 / 3.0);
    out->compute.backward_s = compute_s - out->compute.forward_s;
    SGDP_ASSERT(out->compute.backward_s >= 0.0);
    out->compute.one_worker_step_s = 0.0;
    if (job->model_bytes > 0.0) out->links.uplink_s = out->links.downlink_s = 0.0;
    return SGDP_OK;
}

/* ---- Measured jobs: uncertainty of a profile ------------------------------- */

/* Finds the measured numbers of a job; returns how many, or 7 if a half-width is bad. */
static size_t sgdp_priv_unsure(sgdp_job *job, const sgdp_uncertainty *of, double **field,
                               double *half_width)
{
    sgdp_compute *compute = &job->compute;
    sgdp_links *links = &job->links;
    double *const all[] = { &compute->update_s, &links->uplink_s, &links->downlink_s,
                            &compute->one_worker_step_s, &compute->forward_s,
                            &compute->backward_s };
    const double width[] = { of->update_s, of->uplink_s, of->downlink_s,
                             of->one_worker_step_s, of->forward_s, of->backward_s };
    const int by_step = compute->one_worker_step_s > 0.0 || job->workers.types > 0;
    size_t n = 0, i;
    for (i = 0; i < 6; i++) {
        if (!sgdp_priv_is_time(width[i])) return 7;
        if (!(width[i] > 0.0) || !(*all[i] > 0.0) || (by_step && i >= 4)) continue;
        field[n] = all[i];
        half_width[n++] = width[i];
    }
    return sgdp_priv_is_time(of->part) ? n : 7;
}

SGDP_API sgdp_status sgdp_profile_spread(const sgdp_profile *profile, sgdp_model model,
                                         uint32_t workers, void *work,
                                         size_t work_bytes, double *half_width)
{
    const sgdp_uncertainty *of = profile ? profile->unsure : NULL;
    const double part = of && of->part > 0.0 ? of->part : 1.0;
    double *field[6], width[6], before = 0.0, after, sum = 0.0;
    sgdp_priv_varied v = { model, workers, work, work_bytes, SGDP_OK, { 0, 1.0 } };
    sgdp_priv_run run;
    sgdp_job varied;
    sgdp_status status;
    size_t n, i;
    if (!of || !half_width) return SGDP_BAD_ARGUMENT;
    if (model == SGDP_SYNC_STAGGERED) v.model = SGDP_SYNC_PS;
    status = sgdp_priv_read_job(profile->job, v.model, workers, &run);
    if (status != SGDP_OK) return status;
    varied = *profile->job;
    n = sgdp_priv_unsure(&varied, of, field, width);
    if (n > sizeof field / sizeof field[0]) return SGDP_BAD_ARGUMENT;
    if (n > 0) status = sgdp_priv_rate_of(&v, &varied, 1.0, 1.0, &before);
    for (i = 0; i < n && status == SGDP_OK; i++) {
        const double value = *field[i];
        *field[i] = value + part * width[i];
        status = sgdp_priv_rate_of(&v, &varied, 1.0, 1.0, &after);
        *field[i] = value;
        if (status == SGDP_OK) sum += log(after / before) * log(after / before);
    }
    if (status != SGDP_OK) return status;
    *half_width = sqrt(sum);
    return v.status;
}

/* ---- Remedies: a job on other machines ------------------------------------- */

static void sgdp_priv_scale_links(sgdp_links *links, double scale)
{
    SGDP_ASSERT(scale > 0.0);
    links->bandwidth_bytes_per_s *= scale;
    links->worker_bandwidth_bytes_per_s *= scale;
    links->uplink_s /= scale;
    links->downlink_s /= scale;
}

/* Gives `varied` the compute of `job`, times scale. The two jobs differ only in links,
 * servers and bytes. A measured step also contains the other parts of the step. */
static sgdp_status sgdp_priv_keep_compute(const sgdp_job *job, sgdp_model model,
                                          double scale, sgdp_job *varied)
{
    const uint32_t least = job->workers.backup + 1; /* with fewer there is no step    */
    sgdp_priv_run was, is;
    sgdp_status status = sgdp_priv_read_job(job, model, least, &was);
    if (status == SGDP_OK) status = sgdp_priv_read_job(varied, model, least, &is);
    if (status != SGDP_OK) return status;
    varied->compute.forward_s = job->compute.forward_s * scale;
    varied->compute.backward_s = job->compute.backward_s * scale;
    if (!(job->compute.one_worker_step_s > 0.0)) return SGDP_OK;
    SGDP_ASSERT(job->workers.types == 0);
    varied->compute.one_worker_step_s =
        is.uplink_s + is.update_s + is.downlink_s + 2.0 * is.equal.delay_s
        + scale * (was.equal.forward_s + was.equal.backward_s);
    return SGDP_OK;
}

SGDP_API sgdp_status sgdp_move_job(const sgdp_job *job, sgdp_model model,
                                   double compute_scale, double link_scale,
                                   sgdp_job *moved)
{
    sgdp_priv_run run;
    sgdp_job varied;
    sgdp_status status;
    if (!job || !moved) return SGDP_BAD_ARGUMENT;
    if (!sgdp_priv_is_rate(compute_scale) || !sgdp_priv_is_rate(link_scale))
        return SGDP_BAD_ARGUMENT;
    if (job->workers.types > 0 && !sgdp_priv_same(compute_scale, 1.0))
        return SGDP_BAD_ARGUMENT;
    varied = *job;
    sgdp_priv_scale_links(&varied.links, link_scale);
    status = sgdp_priv_keep_compute(job, model, compute_scale, &varied);
    if (status == SGDP_OK)
        status = sgdp_priv_read_job(&varied, model, job->workers.backup + 1, &run);
    if (status == SGDP_OK) *moved = varied;
    return status;
}

/* ---- Remedies: each remedy alone ------------------------------------------- */

/* Applies a remedy; returns the factor on compute, 0 if it does not suit this job. */
static double sgdp_priv_take_remedy(sgdp_job *job, sgdp_model model, sgdp_remedy remedy)
{
    const double b = job->machine.local_bandwidth_bytes_per_s;
    const double input = job->machine.input_examples_per_s;
    switch (remedy) {
    case SGDP_REMEDY_BANDWIDTH:
        sgdp_priv_scale_links(&job->links, 2.0);
        return 1.0;
    case SGDP_REMEDY_SERVER:
        if (sgdp_priv_is_allreduce(model) || job->servers.count == UINT32_MAX) return 0.0;
        job->servers.count = job->servers.count > 0 ? job->servers.count + 1 : 2;
        job->servers.shares = NULL;
        return 1.0;
    case SGDP_REMEDY_BATCH:            /* twice the examples, at the same rate      */
        job->machine.input_examples_per_s = input / 2.0;
        job->collective.alltoall_bytes *= 2.0;
        return 2.0;
    case SGDP_REMEDY_OVERLAP:
        if (sgdp_priv_hides(&job->overlap) || model == SGDP_ASYNC_CYNTHIA) return 0.0;
        job->overlap.exposure = 0.0;
        job->overlap.rule = SGDP_OVERLAP_ONE_PASS;
        return 1.0;
    case SGDP_REMEDY_BYTES:
        job->model_bytes /= 2.0;
        job->collective.alltoall_bytes /= 2.0;
        job->links.uplink_s /= 2.0;
        job->links.downlink_s /= 2.0;
        return 1.0;
    case SGDP_REMEDY_COMPUTE: return 0.5;
    case SGDP_REMEDY_UPDATE:
        job->compute.update_s /= 2.0;
        return job->compute.update_s > 0.0 ? 1.0 : 0.0;
    case SGDP_REMEDY_LOCAL:
        job->machine.local_bandwidth_bytes_per_s = 2.0 * b;
        return job->machine.gpus > 1 && b > 0.0 ? 1.0 : 0.0;
    case SGDP_REMEDY_INPUT:
        job->machine.input_examples_per_s = 2.0 * input;
        return input > 0.0 && input <= DBL_MAX / 2.0 ? 1.0 : 0.0;
    case SGDP_REMEDY_COUNT: break;
    }
    return 0.0;
}

static sgdp_status sgdp_priv_remedied(const sgdp_job *job, sgdp_model model,
                                      size_t remedy, sgdp_job *varied, double *scale)
{
    *varied = *job;
    *scale = sgdp_priv_take_remedy(varied, model, (sgdp_remedy)remedy);
    return *scale > 0.0 ? sgdp_priv_keep_compute(job, model, *scale, varied) : SGDP_OK;
}

SGDP_API sgdp_status sgdp_remedies_bytes(const sgdp_job *job, sgdp_model model,
                                         uint32_t workers, size_t *bytes)
{
    sgdp_job varied;
    size_t most = 0, need, i;
    double scale;
    sgdp_status status = sgdp_predict_bytes(job, model, workers, &most);
    for (i = 0; status == SGDP_OK && i < (size_t)SGDP_REMEDY_COUNT; i++) {
        status = sgdp_priv_remedied(job, model, i, &varied, &scale);
        if (status != SGDP_OK || !(scale > 0.0)) continue;
        status = sgdp_predict_bytes(&varied, model, workers, &need);
        if (status == SGDP_OK && need > most) most = need;
    }
    if (status != SGDP_OK) return status;
    if (!bytes) return SGDP_BAD_ARGUMENT;
    *bytes = most;
    return SGDP_OK;
}

SGDP_API sgdp_status sgdp_remedies(const sgdp_job *job, sgdp_model model,
                                   uint32_t workers, void *work, size_t work_bytes,
                                   double *gain)
{
    sgdp_priv_varied v = { model, workers, work, work_bytes, SGDP_OK, { 0, 1.0 } };
    double found[SGDP_REMEDY_COUNT], before, after, scale, of_types;
    sgdp_job varied;
    sgdp_status status;
    size_t i;
    if (!gain) return SGDP_BAD_ARGUMENT;
    status = sgdp_priv_rate_of(&v, job, 1.0, 1.0, &before);
    for (i = 0; i < (size_t)SGDP_REMEDY_COUNT && status == SGDP_OK; i++) {
        const double batches = i == (size_t)SGDP_REMEDY_BATCH ? 2.0 : 1.0;
        found[i] = 0.0;
        status = sgdp_priv_remedied(job, v.model, i, &varied, &scale);
        if (status != SGDP_OK || !(scale > 0.0)) continue;
        of_types = job->workers.types > 0 ? scale : 1.0;
        status = sgdp_priv_rate_of(&v, &varied, of_types, of_types, &after);
        if (status == SGDP_OK) found[i] = batches * after / before - 1.0;
    }
    if (status != SGDP_OK) return status;
    SGDP_ASSERT(before > 0.0);
    memcpy(gain, found, sizeof found);
    return v.status;
}

#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_IMPLEMENTATION */

/* REFERENCES  cited by key throughout
 *   [RL80]    M. Reiser, S. S. Lavenberg, Mean-Value Analysis of Closed Multichain
 *             Queuing Networks, J. ACM 27(2), 1980.
 *   [R79]     M. Reiser, A Queueing Network Analysis of Computer Communication Networks
 *             with Window Flow Control, IEEE Trans. Comm. 27(8), 1979.
 *   [AS64]    M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 1964.
 *   [SLF14]   G. L. Steele, D. Lea, C. H. Flood, Fast Splittable Pseudorandom Number
 *             Generators, OOPSLA 2014.
 *   [BCMP75]  F. Baskett et al., Open, Closed, and Mixed Networks of Queues with
 *             Different Classes of Customers, J. ACM 22(2), 1975.
 *   [CSL89]   A. E. Conway, E. de Souza e Silva, S. S. Lavenberg, Mean Value Analysis by
 *             Chain of Product Form Queueing Networks, IEEE Trans. Computers 38(3), 1989.
 *   [GM89]    A. G. Greenberg, J. McKenna, Solution of Closed, Product Form, Queueing
 *             Networks via the RECAL and Tree-RECAL Methods on a Shared Memory
 *             Multiprocessor, SIGMETRICS 1989.
 *   [CN82]    K. M. Chandy, D. Neuse, Linearizer: A Heuristic Algorithm for Queueing
 *             Network Models of Computing Systems, CACM 25(2), 1982.
 *   [B79]     Y. Bard, Some Extensions to Multiclass Queueing Network Analysis,
 *             Performance of Computer Systems, 1979.
 *   [ZSEG82]  J. Zahorjan, K. C. Sevcik, D. L. Eager, B. Galler, Balanced Job Bound
 *             Analysis of Queueing Networks, CACM 25(2), 1982.
 *   [B73]     J. P. Buzen, Computational Algorithms for Closed Queueing Networks with
 *             Exponential Servers, CACM 16(9), 1973.
 *   [RK75]    M. Reiser, H. Kobayashi, Queuing Networks with Multiple Closed Chains:
 *             Theory and Computational Algorithms, IBM J. Res. Dev. 19(3), 1975.
 *   [R81]     M. Reiser, Mean-Value Analysis and Convolution Method for Queue-Dependent
 *             Servers in Closed Queueing Networks, Performance Evaluation 1(1), 1981.
 *   [SSS87]   A. Seidmann et al., Computerized Closed Queueing Network Models of
 *             Flexible Manufacturing Systems, Large Scale Systems 12, 1987.
 *   [LPCG18]  S.-H. Lin, M. Paolieri, C.-F. Chou, L. Golubchik, A Model-Based Approach to
 *             Streamlining Distributed Training for Asynchronous SGD, MASCOTS 2018.
 *   [LYPG20]  Z. Li, W. Yan, M. Paolieri, L. Golubchik, Throughput Prediction of
 *             Asynchronous SGD in TensorFlow, ICPE 2020.
 *   [LPGLY22] Z. Li, M. Paolieri, L. Golubchik, S.-H. Lin, W. Yan, Predicting Throughput
 *             of Distributed Stochastic Gradient Descent, TPDS 2022.
 *   [ZXCZL19] H. Zheng et al., Cynthia: Cost-Efficient Cloud Resource Provisioning for
 *             Predictable Distributed Deep Neural Network Training, ICPP 2019.
 *   [TRG05]   R. Thakur, R. Rabenseifner, W. Gropp, Optimization of Collective
 *             Communication Operations in MPICH, IJHPCA 19(1), 2005.
 *   [CPMBJ16] J. Chen, X. Pan, R. Monga, S. Bengio, R. Jozefowicz, Revisiting Distributed
 *             Synchronous SGD, ICLR workshop 2016, arXiv:1604.00981.
 *   [QCSSH21] A. Qiao et al., Pollux: Co-adaptive Cluster Scheduling for
 *             Goodput-Optimized Deep Learning, OSDI 2021.
 *   [B58]     G. Blom, Statistical Estimates and Transformed Beta-Variables, 1958.
 *   [ZSC91]   L. Zhang, S. Shenker, D. D. Clark, Observations on the Dynamics of a
 *             Congestion Control Algorithm: The Effects of Two-Way Traffic, SIGCOMM 1991.
 *   [RFC ...] 2861: TCP Congestion Window Validation; 6928: TCP's Initial Window; 7661:
 *             TCP and Rate-Limited Traffic; 9438: CUBIC. rfc-editor.org
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
