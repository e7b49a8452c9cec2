/* sgdperf_sched.h - v0.1.0 - who gets nodes, and which batch, in training - C99, one file
 *
 *   Decides how many nodes each training job of a shared cluster gets, from the
 *   throughput that each job has on 1, 2, 3 ... nodes, and simulates a cluster to show
 *   what a policy does to response times. Decides which batch each worker of a job gets
 *   whose workers differ in speed, and predicts these speeds.
 *
 * USE
 *   In exactly one C or C++ file:
 *       #define SGDPERF_SCHED_IMPLEMENTATION
 *       #include "sgdperf_sched.h"
 *   Everywhere else include it plainly; including it twice is harmless.
 *   SGDPERF_SCHED_STATIC, defined in that one file, keeps every symbol private to it.
 *   Link with -lm.
 *
 * EXAMPLE   two kinds of jobs, three jobs, eight nodes
 *       static double  work[512];
 *       const double   steps_per_s[2][4] = {{1, 1.9, 2.6, 3}, {2, 2.4, 2.5, 2.5}};
 *       sgdsched_curve curve[2] = {{steps_per_s[0], NULL, 4}, {steps_per_s[1], NULL, 4}};
 *       sgdsched_job   job[3] = {{0, 9000, 0, 0}, {1, 4000, 0, 0}, {0, 2000, 0, 0}};
 *       sgdsched_rules rules = {0};
 *       uint32_t       nodes[3], idle;
 *       rules.policy = SGDSCHED_HELL;  rules.nodes = 8;  rules.fill = 1;
 *       if (sgdsched_allocate(&rules, curve, 2, job, 3, work, sizeof work, nodes, &idle)
 *           == SGDSCHED_OK)
 *           printf("%u %u %u, idle %u\n", nodes[0], nodes[1], nodes[2], idle);
 *           // 3 1 4, idle 0
 *
 * CONTENTS
 *   Status               sgdsched_status_text
 *   Random numbers       sgdsched_random
 *   Curves and jobs
 *   Allocation           sgdsched_choice  sgdsched_allocate
 *   Live scheduler       sgdsched_open  sgdsched_arrive  sgdsched_progress
 *                        sgdsched_leave  sgdsched_reshape  sgdsched_decide
 *                        sgdsched_nodes  sgdsched_idle
 *   Cluster              sgdsched_cluster_run
 *   Workloads            sgdsched_table_iii  sgdsched_network_curve
 *   Batch balancing      sgdsched_worker_time  sgdsched_worker_fit  sgdsched_optimum
 *                        sgdsched_split  sgdsched_balance_options
 *                        sgdsched_balance_open  sgdsched_balance_batches
 *                        sgdsched_balance_step  sgdsched_weights  sgdsched_aggregate
 *                        sgdsched_partition_open  sgdsched_partition_step
 *                        sgdsched_partition_samples  sgdsched_partition_traversals
 *   Speed predictors     sgdsched_forecast_weights  sgdsched_forecast_rows
 *                        sgdsched_predictor_open  sgdsched_predictor_next
 *                        sgdsched_predictor_observe  sgdsched_predictor_learned
 *                        sgdsched_predict
 *   Configuration search sgdsched_map  sgdsched_compose  sgdsched_search
 *                        sgdsched_search_count  sgdsched_trial_order
 *                        sgdsched_trial_cost
 *
 * CONVENTIONS
 *   Units     seconds; sizes of jobs in any unit, in which throughputs count as well.
 *             A name ends in its unit: mean_response_s.
 *   Defaults  zero every struct; a field left 0 or NULL takes its default.
 *   Memory    nothing is allocated or kept. A function that needs scratch takes
 *             (work, work_bytes), aligned for double; its twin ..._bytes() says
 *             how much.
 *   Errors    bad input is answered by an sgdsched_status and no output is written.
 *             SGDSCHED_ASSERT guards the library's own invariants alone.
 *   Threads   no globals: calls on distinct work and out may run at once.
 *   Floats    IEEE 754 double; with -ffp-contract=off and no -ffast-math the same
 *             seed gives the same bits on every platform, up to the platform's exp,
 *             log, pow, cos and tanh.
 *
 * CONFIGURE   before the implementation: SGDPERF_SCHED_STATIC, SGDSCHED_ASSERT(x)
 *
 * REFERENCES  cited by key throughout
 *   [LPCG18]  S.-H. Lin, M. Paolieri, C.-F. Chou, L. Golubchik, A Model-Based
 *             Approach to Streamlining Distributed Training for Asynchronous
 *             SGD, MASCOTS 2018.
 *   [BDH17]   B. Berg, J. L. Dorsman, M. Harchol-Balter, Towards Optimality in
 *             Parallel Scheduling, arXiv 1707.07097, 2017.
 *   [IMAK16]  F. N. Iandola, M. W. Moskewicz, K. Ashraf, K. Keutzer, FireCaffe:
 *             Near-Linear Acceleration of Deep Neural Network Training on Compute
 *             Clusters, CVPR 2016.
 *   [LC79]    A. M. Law, J. S. Carson, A Sequential Procedure for Determining the
 *             Length of a Steady-State Simulation, Operations Research 27(5), 1979.
 *   [CWWLL20] C. Chen, Q. Weng, W. Wang, B. Li, B. Li, Semi-Dynamic Load Balancing:
 *             Efficient Distributed Learning in Non-Dedicated Environments, SoCC 2020.
 *   [KB15]    D. P. Kingma, J. Ba, Adam: A Method for Stochastic Optimization, ICLR
 *             2015.
 *   [Knu98]   D. E. Knuth, The Art of Computer Programming 3: Sorting and Searching,
 *             second edition, 1998.
 *   [SLF14]   G. L. Steele, D. Lea, C. H. Flood, Fast Splittable Pseudorandom Number
 *             Generators, OOPSLA 2014.
 *   [YRHC15]  F. Yan, O. Ruwase, Y. He, T. Chilimbi, Performance Modeling and
 *             Scalability Optimization of Distributed Deep Learning Systems, KDD 2015.
 *
 * HISTORY and LICENSE are at the end of this file.
 */
#ifndef SGDPERF_SCHED_H
#define SGDPERF_SCHED_H

#define SGDPERF_SCHED_VERSION_MAJOR 0
#define SGDPERF_SCHED_VERSION_MINOR 1
#define SGDPERF_SCHED_VERSION_PATCH 0
#define SGDPERF_SCHED_VERSION                                                      \
    (SGDPERF_SCHED_VERSION_MAJOR * 10000 + SGDPERF_SCHED_VERSION_MINOR * 100 +     \
     SGDPERF_SCHED_VERSION_PATCH)

#include <stddef.h>
#include <stdint.h>

#if !defined(SGDPERF_SCHED_STATIC)
#define SGDSCHED_API extern
#elif defined(__GNUC__)
#define SGDSCHED_API static __attribute__((unused))
#else
#define SGDSCHED_API static
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ---------------------------------------------------------------- */

/* Codes shared with sgdperf.h have the same numbers. */
#define SGDSCHED_STATUS_TABLE(X)                                                    \
    X(SGDSCHED_OK,              "success")                                          \
    X(SGDSCHED_BAD_ARGUMENT,    "null pointer, zero size, or value out of domain")  \
    X(SGDSCHED_TOO_LARGE,       "a size exceeds the address space, or 32 bits")     \
    X(SGDSCHED_SMALL_WORKSPACE, "work_bytes smaller than the _bytes() answer")      \
    X(SGDSCHED_NOT_CONVERGED,   "job limit reached before the precision")           \
    X(SGDSCHED_OVER_BUDGET,     "more jobs present at once than there is room for") \
    X(SGDSCHED_BAD_CURVE,       "a throughput or service time is out of range")     \
    X(SGDSCHED_BAD_JOB,         "job present already, absent, or finished")         \
    X(SGDSCHED_BAD_ARRIVAL,     "arrivals out of order, or of no size or curve")    \
    X(SGDSCHED_NO_ROOM,         "no batches within the limits have this sum")       \
    X(SGDSCHED_BAD_WORKER,      "a worker's curve, speed, time or memory is not one")\
    X(SGDSCHED_TOO_FEW,         "too few measurements for a fit")                   \
    X(SGDSCHED_FALLING,         "the times fall with the batch")                    \
    X(SGDSCHED_SHORT_SERIES,    "fewer iterations than a prediction needs")         \
    X(SGDSCHED_BAD_ROW,         "a speed, or use of CPU or memory, is not one")     \
    X(SGDSCHED_BAD_COST,        "a cost is negative, or not a number")              \
    X(SGDSCHED_NO_PLAN,         "no split of the layers is allowed on these machines")

#define SGDSCHED_X(name, text) name,
typedef enum sgdsched_status {
    SGDSCHED_STATUS_TABLE(SGDSCHED_X) SGDSCHED_STATUS_COUNT
} sgdsched_status;
#undef SGDSCHED_X

/* Text for a status; never NULL, also for values that are not a status. */
SGDSCHED_API const char *sgdsched_status_text(sgdsched_status status);

/* ---- Random numbers -------------------------------------------------------- */

/* 64 random bits that depend on (seed, a, b) alone: the mixing function of SplitMix64
 * [SLF14], once for each number. There is no state: what a job draws does not depend on
 * the policy, so that policies are compared on the same jobs. */
SGDSCHED_API uint64_t sgdsched_random(uint64_t seed, uint64_t a, uint64_t b);

/* ---- Curves and jobs ------------------------------------------------------- */

/* How fast a kind of job runs on w nodes: X(w) in units of size a second, or S(w), the
 * seconds that a job of size 1 takes. One of the two arrays is given, the other NULL;
 * element w - 1 is for w nodes. On more nodes than the table has, a job runs as on its
 * last. Numbers are within 1e-70 .. 1e70, so that no product of them overflows. */
typedef struct sgdsched_curve {
    const double *throughput_per_s;/* [nodes] X(w), or                              */
    const double *service_s;       /* [nodes] S(w)                                  */
    uint32_t      nodes;           /* >= 1                                          */
} sgdsched_curve;

/* A job as a decision sees it. */
typedef struct sgdsched_job {
    size_t   curve;                /* its kind                                      */
    double   remaining;            /* J, what is left of its size, > 0; beyond      */
                                   /*   1e-70 .. 1e70 all are alike                 */
    double   size;                 /* J0, at arrival, >= J; 0: J                    */
    uint32_t held;                 /* nodes with which a moldable job was started;  */
                                   /*   0: not yet                                  */
} sgdsched_job;

/* ---- Allocation ------------------------------------------------------------ */

/* In what follows S(w) = J0^gamma J^(1-gamma) / X(w) is the service time left on w
 * nodes, stretched by gamma the more, the less is left [LPCG18 VI], gain(w) = (S(w-1) -
 * S(w)) / S(w-1) that of one more node and E(w) = S(1) / (w S(w)) efficiency. Between
 * jobs that are alike the one listed first, or arrived first, wins. */
typedef enum sgdsched_policy {
    SGDSCHED_HELL = 0,         /* while nodes are left: the job of least S/E over   */
                               /*   its w, and that many nodes [LPCG18 alg. 2]      */
    SGDSCHED_KNEE,             /* of least S at its knee: the smallest w with       */
                               /*   gain(w) >= |alpha| > gain(w+1), or, without     */
                               /*   one within the nodes left, the smallest with    */
                               /*   least S [LPCG18 alg. 1]                         */
    SGDSCHED_MOLDABLE_HELL,    /* the same with w as if the cluster were empty, and */
    SGDSCHED_MOLDABLE_KNEE,    /*   kept from the first start on; jobs that do not  */
                               /*   fit wait [LPCG18 IV-C]                          */
    SGDSCHED_SRPT,             /* all nodes to the job of least S on all nodes      */
    SGDSCHED_WATERFILL,        /* one node each in order of S(1), then filling,     */
                               /*   always                                          */
    SGDSCHED_EQUAL,            /* equal shares, one of the remainder each in order  */
                               /*   of S(1)                                         */
    SGDSCHED_JSQ,              /* chunks of nodes with a queue each: only           */
                               /*   sgdsched_cluster_run knows it                   */
    SGDSCHED_POLICY_COUNT
} sgdsched_policy;

typedef struct sgdsched_rules {
    uint32_t nodes;            /* W of the cluster, >= 1                            */
    sgdsched_policy policy;
    int      fill;             /* HELL and KNEE, 1: nodes left over go, as few at a */
                               /*   time as do, to the job that then ends before    */
                               /*   any other, and before it would have itself      */
                               /*   [LPCG18 eq. 5]                                  */
    int      head_of_line;     /* moldable, 1: a job that does not fit holds up     */
                               /*   those after it; 0: it is skipped                */
    double   alpha;            /* of KNEE, default 0.01; the sign does not matter   */
    int      alpha_by_load;    /* moldable KNEE, 1: instead of alpha, alpha_low +   */
    double   load;             /*   load (alpha_high - alpha_low), with load >= 0;  */
    double   alpha_low;        /*   [LPCG18 IV-C]; both ends 0: 0.01 and 0.07       */
    double   alpha_high;
    double   gamma;            /* >= 0; 0: S(w) is J / X(w)                         */
} sgdsched_rules;

/* The nodes that HELL or KNEE, moldable or not, wants for a job on its own out of
 * `budget` nodes: it depends on the curve alone. SGDSCHED_BAD_ARGUMENT: NULL, another
 * policy, budget 0; SGDSCHED_BAD_CURVE. O(curve->nodes). */
SGDSCHED_API sgdsched_status sgdsched_choice(const sgdsched_rules *rules,
                                             const sgdsched_curve *curve,
                                             uint32_t budget, uint32_t *nodes);

/* One decision: nodes[jobs] and the nodes that stay idle (NULL: not wanted). No jobs: no
 * allocations. Several jobs may share a curve; fewer curves are faster.
 *
 * SGDSCHED_BAD_ARGUMENT (also a job whose curve or size is out of domain, JSQ, and held
 * nodes above W of one job; of all jobs together they may be more, and compete);
 * SGDSCHED_BAD_CURVE; SGDSCHED_TOO_LARGE; SGDSCHED_SMALL_WORKSPACE. With C curves of n
 * nodes, M jobs: O(C n + M log M), and O(M) for each of the at most n jobs that HELL and
 * KNEE take once fewer nodes are left than a job may want. */
SGDSCHED_API sgdsched_status sgdsched_allocate(const sgdsched_rules *rules,
                                               const sgdsched_curve *curve, size_t curves,
                                               const sgdsched_job *job, size_t jobs,
                                               void *work, size_t work_bytes,
                                               uint32_t *nodes, uint32_t *idle);
SGDSCHED_API sgdsched_status sgdsched_allocate_bytes(const sgdsched_rules *rules,
                                                     const sgdsched_curve *curve,
                                                     size_t curves, size_t jobs,
                                                     size_t *bytes);

/* ---- Live scheduler -------------------------------------------------------- */

/* The same decisions as the state of a cluster changes. The caller numbers the jobs
 * that are present from 0 to below max_jobs; the number of a job that has left may be
 * used again. Everything lives in the caller's work, which it must not touch or move.
 *
 *     sgdsched_open(...);
 *     on arrival:    sgdsched_arrive(s, job, &description);
 *     on departure:  sgdsched_leave(s, job);          finished or cancelled
 *     from running jobs, before a decision: sgdsched_progress(s, job, remaining);
 *     then:          sgdsched_decide(s, change, &changes);  which returns what is new
 */
typedef struct sgdsched_scheduler sgdsched_scheduler;

typedef struct sgdsched_change {
    size_t   job;
    uint32_t before, nodes;        /* 0: it does not run                            */
} sgdsched_change;

/* Copies rules and curves. max_jobs: of those present at once. curves may be longer than
 * rules->nodes. Status as sgdsched_allocate. O(curves n). */
SGDSCHED_API sgdsched_status sgdsched_open(const sgdsched_rules *rules,
                                           const sgdsched_curve *curve, size_t curves,
                                           size_t max_jobs, void *work, size_t work_bytes,
                                           sgdsched_scheduler **out);
SGDSCHED_API sgdsched_status sgdsched_open_bytes(const sgdsched_rules *rules,
                                                 const sgdsched_curve *curve,
                                                 size_t curves, size_t max_jobs,
                                                 size_t *bytes);

/* `held` of `description` is that of a job that was started elsewhere. SGDSCHED_BAD_JOB:
 * present; SGDSCHED_BAD_ARGUMENT, also for a number from max_jobs on. O(1). */
SGDSCHED_API sgdsched_status sgdsched_arrive(sgdsched_scheduler *s, size_t job,
                                             const sgdsched_job *description);

/* What is left of a job: > 0, and may be more than before if an estimate was wrong, up
 * to its size at arrival. SGDSCHED_BAD_JOB: absent; SGDSCHED_BAD_ARGUMENT. O(log jobs),
 * O(1) for jobs that run. */
SGDSCHED_API sgdsched_status sgdsched_progress(sgdsched_scheduler *s, size_t job,
                                               double remaining);

/* A job is finished, or cancelled. SGDSCHED_BAD_JOB: absent. O(log jobs). */
SGDSCHED_API sgdsched_status sgdsched_leave(sgdsched_scheduler *s, size_t job);

/* A curve is estimated anew: of as many nodes as it had. SGDSCHED_BAD_ARGUMENT,
 * SGDSCHED_BAD_CURVE. O(n + log jobs), and O(R + all curves) at the next decision. */
SGDSCHED_API sgdsched_status sgdsched_reshape(sgdsched_scheduler *s, size_t curve,
                                              const sgdsched_curve *estimate);

/* Decides, and writes the jobs whose nodes change: those that lose first, each group in
 * order of arrival; change[] has room for max_jobs.
 *
 * With R jobs that ran before, run now, are new or changed while they waited, or were
 * once started by a moldable policy, O(R) as long as little has changed their order, else
 * O(R log R). Each job that starts or stops costs O(log jobs); the last ones, for which
 * fewer nodes are left than a job may want or a moldable job that waits does not fit,
 * O(C), C being the curves with jobs that wait, and O(R) at worst. Jobs that stay waiting
 * cost nothing else. */
SGDSCHED_API sgdsched_status sgdsched_decide(sgdsched_scheduler *s,
                                             sgdsched_change *change, size_t *changes);

/* What a job has now; 0 also for one that is not present. Nodes that nobody has. */
SGDSCHED_API uint32_t sgdsched_nodes(const sgdsched_scheduler *s, size_t job);
SGDSCHED_API uint32_t sgdsched_idle(const sgdsched_scheduler *s);

/* ---- Cluster --------------------------------------------------------------- */

typedef struct sgdsched_arrival {
    double time_s;                 /* not before that of the job before             */
    double size;                   /* > 0                                           */
    size_t curve;
} sgdsched_arrival;

/* The next job, in order of arrival: 1, or 0 when there is none left. */
typedef int (*sgdsched_source)(void *ctx, sgdsched_arrival *next);

typedef enum sgdsched_size_law {
    SGDSCHED_NORMAL = 0,           /* drawn again until > 0; deviation 0: constant  */
    SGDSCHED_EXPONENTIAL,          /* the deviation does not matter                 */
    SGDSCHED_LOGNORMAL
} sgdsched_size_law;

/* A kind of job of a generated workload. */
typedef struct sgdsched_kind {
    size_t            curve;
    double            weight;      /* how often it comes, relative to others, > 0   */
    double            size_mean, size_deviation;
    sgdsched_size_law law;
} sgdsched_kind;

/* A job that has left, for sgdsched_cluster.on_departure. */
typedef struct sgdsched_departure {
    uint64_t job;                  /* its number in order of arrival                */
    size_t   curve;
    double   arrival_s, time_s;
    double   size;
    int      cancelled;
} sgdsched_departure;

typedef struct sgdsched_cluster {
    sgdsched_rules        rules;
    const sgdsched_curve *curve;   /* [curves]                                      */
    size_t                curves;

    /* Jobs: given one by one, or Poisson arrivals at load rho = lambda E[S(1)] / W
     * [LPCG18 IV-C, V-B], S(1) at the mean size of each kind (its normal law uncut). */
    sgdsched_source       source;
    void                 *source_ctx;
    const sgdsched_kind  *kind;    /* [kinds]                                       */
    size_t                kinds;
    double                load;    /* > 0, default rules.load                       */
    uint64_t              seed;

    /* When to stop. Given jobs: when all have left. */
    double                precision;   /* 95 % half-width of the mean response time */
                                       /*   relative to it, default 0.05; batches   */
                                       /*   must be little correlated as well       */
    uint64_t              warmup_jobs; /* departures that are not counted, default  */
                                       /*   0 for given jobs, else 1000             */
    uint64_t              min_jobs;    /* counted, default 10,000                   */
    uint64_t              max_jobs;    /* counted, default 1,000,000                */
    size_t                max_present; /* room for jobs present at once; default    */
                                       /*   10 W. Generated arrivals that need more */
                                       /*   are called unstable                     */

    uint32_t              chunk;       /* JSQ: nodes of a chunk, 1 .. W             */
    double                restart_s;   /* lost by a job whenever its nodes change   */
                                       /*   after its first start; default 0        */
    const double         *quit_fraction;    /* [quits] users who give up: the part  */
    const double         *quit_probability; /*   of the size after which, in (0, 1),*/
    size_t                quits;            /*   and how likely, at most 1 in all   */

    void (*on_departure)(void *ctx, const sgdsched_departure *departure);  /* or NULL */
    void (*on_change)(void *ctx, double time_s, const sgdsched_change *change,
                      size_t changes);                                     /* or NULL */
    void  *callback_ctx;           /* sgdsched_change.job is here the number in     */
                                   /*   order of arrival                            */
} sgdsched_cluster;

typedef enum sgdsched_outcome {
    SGDSCHED_DONE = 0,             /* all given jobs have left                      */
    SGDSCHED_CONVERGED,
    SGDSCHED_LIMIT,                /* max_jobs before the precision                 */
    SGDSCHED_UNSTABLE              /* more jobs present than max_present            */
} sgdsched_outcome;

/* A mean, or another estimate, and the half-width of its 95 % interval, by batch means
 * [LC79]; infinite where there are too few jobs to tell. Of runs that stop as soon as
 * they are precise, a little fewer than 95 % of the intervals hold the truth. */
typedef struct sgdsched_estimate { double value, half_width; } sgdsched_estimate;

enum { SGDSCHED_FRACTIONS = 9 };   /* 0.1 .. 0.9 of a job                           */

typedef struct sgdsched_report {
    uint64_t          jobs;        /* counted, cancelled ones among them            */
    sgdsched_outcome  outcome;
    uint64_t          cancelled;
    uint64_t          decisions;
    double            end_s;
    sgdsched_estimate response_s;  /* from arrival to departure; 0 without jobs     */
    sgdsched_estimate slowdown;    /* response over the least time, w <= W, of what */
                                   /*   is done of the job                          */
    /* Over time, from the first arrival, or the departure that ends the warm-up. */
    double            utilization; /* allocated part of the node time               */
    double            jobs_present;
    double            fraction_s[SGDSCHED_FRACTIONS]; /* mean time from arrival     */
                                   /*   until 0.1, ... 0.9 of the size is done, of  */
                                   /*   the jobs that come so far; 0: none does     */
    /* Quantiles of the response time: the caller's probabilities in (0, 1), NULL for
     * .5 .9 .95 .99, where quantile_s has room for four. Within 0.8 %, being read off a
     * histogram of 128 bins an octave from 2^-24 to 2^40 s; 0 below, infinite above.
     * NULL: not wanted. */
    const double      *probability;/* [probabilities]                               */
    size_t             probabilities;
    sgdsched_estimate *quantile_s;
} sgdsched_report;

/* Simulates a cluster under a policy. All departures of an instant come first, then all
 * its arrivals, then one decision; instants are the same within 1e-12 of their time.
 * Preemption costs nothing but restart_s.
 *
 * JSQ: floor(W / chunk) chunks serve first come, first served; an arriving job joins the
 * one with the fewest jobs, waiting and in service, the first among equals [BDH17].
 *
 * Returns SGDSCHED_OK, also for SGDSCHED_UNSTABLE; SGDSCHED_NOT_CONVERGED with the
 * report as it stands for SGDSCHED_LIMIT; SGDSCHED_OVER_BUDGET: more given jobs present
 * than max_present; SGDSCHED_BAD_ARRIVAL; SGDSCHED_BAD_CURVE; SGDSCHED_BAD_ARGUMENT;
 * SGDSCHED_TOO_LARGE (also a job that would not end in finite time,
 * and more than 2^36 jobs); SGDSCHED_SMALL_WORKSPACE.
 * An event costs a decision and O(running jobs), of JSQ also O(chunks). Work: the
 * scheduler's, about 200 bytes for each job of max_present, and 1 MB of histograms,
 * however many jobs are served. */
SGDSCHED_API sgdsched_status sgdsched_cluster_run(const sgdsched_cluster *cluster,
                                                  void *work, size_t work_bytes,
                                                  sgdsched_report *out);
SGDSCHED_API sgdsched_status sgdsched_cluster_run_bytes(const sgdsched_cluster *cluster,
                                                        size_t *bytes);

/* ---- Workloads ------------------------------------------------------------- */

/* The networks of the published workload [LPCG18 table III, IMAK16]. */
typedef struct sgdsched_network {
    const char *name;
    double examples;               /* of the data set                               */
    double model_bytes;
    double flop_per_batch;         /* forward and backward, 1024 examples           */
    double epochs_mean, epochs_deviation;
} sgdsched_network;

enum { SGDSCHED_NETWORKS = 4 };    /* NiN, GoogLeNet, AlexNet, VGG19                */

/* The i-th, i < SGDSCHED_NETWORKS; NULL past the last. */
SGDSCHED_API const sgdsched_network *sgdsched_table_iii(size_t i);

/* One worker's step on nodes of the paper: 1.229 TFLOPS, 1 Gbit/s, batches of 1024. The
 * parameter server spends two operations on each 32-bit parameter. */
typedef struct sgdsched_step {
    double compute_s, uplink_s, update_s, downlink_s;
} sgdsched_step;

/* The throughput of K workers and one parameter server, in steps a second, by a model
 * of the caller's; 0 or less: it cannot say. */
typedef double (*sgdsched_model)(void *ctx, const sgdsched_step *step, uint32_t workers);

/* The curve and the kind of jobs of a network: throughput_per_s[nodes] in steps a second,
 * for w > 1 nodes of w - 1 workers and a parameter server, so that X(2) = X(1), the
 * profile of one worker; servers_apart != 0: of w workers. kind->curve is not written,
 * its weight is 1, its size in steps. Either output may be NULL.
 * SGDSCHED_BAD_ARGUMENT; SGDSCHED_BAD_CURVE: the model's answer is not a throughput.
 * Calls the model `nodes` times at most; answers before a
 * bad one are written. */
SGDSCHED_API sgdsched_status sgdsched_network_curve(const sgdsched_network *network,
                                                    sgdsched_model model, void *ctx,
                                                    uint32_t nodes, int servers_apart,
                                                    double *throughput_per_s,
                                                    sgdsched_kind *kind);

/* ---- Batch balancing ------------------------------------------------------- */

/* Workers of unequal speed that meet at a barrier in every iteration: which batch each
 * gets, so that all arrive together [CWWLL20]. Batches are numbers of samples; X is
 * their sum, which never changes. */

/* The time of one worker for a batch of x samples, x <= max_batch:
 *
 *     t(x) = max(floor_s, launch_s + slope_s x) + communication_s
 *
 * floor_s is the time of a GPU that a small batch does not fill. A CPU of v samples a
 * second is slope_s = 1/v alone. All >= 0, slope_s or floor_s > 0. */
typedef struct sgdsched_worker {
    double   launch_s, slope_s, floor_s, communication_s;
    uint32_t max_batch;            /* what its memory holds; 0: any batch           */
} sgdsched_worker;

/* t(x), and the part of the memory x / max_batch that it takes, 0 without a max_batch;
 * either output may be NULL. SGDSCHED_BAD_ARGUMENT: NULL, x above max_batch;
 * SGDSCHED_BAD_WORKER: a curve out of domain, or a time beyond a double. O(1). */
SGDSCHED_API sgdsched_status sgdsched_worker_time(const sgdsched_worker *worker,
                                                  uint32_t batch, double *time_s,
                                                  double *memory);

/* The curve of a worker from measured times: a constant up to one of the batches, or up
 * to none, and above it the line of least squares with launch_s >= 0; of all these the
 * curve that is nearest the points. Where the floor ends, points alone cannot tell
 * communication from launch: it is given, and taken off first.
 *
 * batch, time_s     [points] in any order; a batch may come several times
 * communication_s   >= 0, and at most the least time
 * worker            its max_batch is set to 0
 * deviation_s       root of the mean squared error; NULL: not wanted
 *
 * SGDSCHED_TOO_FEW: below 3 points or 2 batches; SGDSCHED_FALLING: the nearest line
 * falls; SGDSCHED_BAD_WORKER: a time < 0, NaN or infinite, or all are 0;
 * SGDSCHED_BAD_ARGUMENT. O(points * batches), no scratch. */
SGDSCHED_API sgdsched_status sgdsched_worker_fit(const uint32_t *batch,
                                                 const double *time_s, size_t points,
                                                 double communication_s,
                                                 sgdsched_worker *worker,
                                                 double *deviation_s);

/* The batches of least largest time, min max t_i(x_i) with sum x_i = X [CWWLL20 eq. 3]:
 * from `least` each, X - n least times one sample to the worker of least t_i(x_i + 1),
 * the first among equals. The time is that of the slowest worker with a batch.
 *
 * least   0; or 1, so that a worker can be seen to be worth leaving out: compare the
 *         time with that of the other workers at the same X
 *
 * SGDSCHED_NO_ROOM: X above the sum of max_batch, or below n least;
 * SGDSCHED_BAD_WORKER; SGDSCHED_BAD_ARGUMENT.
 * By bisection on the time: about 64 n evaluations whatever X is, no scratch. */
SGDSCHED_API sgdsched_status sgdsched_optimum(const sgdsched_worker *worker,
                                              size_t workers, uint64_t total,
                                              uint32_t least, uint32_t *batch,
                                              double *time_s);

/* Batches in proportion to speeds [CWWLL20 alg. 1]: X v_i / sum v rounded down, then one
 * more for those of the largest remainders, the first among equals. Speeds <= 0 count as
 * 0; if all are, all count as equal. Batches out of least_batch .. max_batch are set to
 * these ends, and the rest is shared by the other workers in proportion. Remainders
 * within 2^-30 (2^-45 X if that is more) are equal, so that 1.1 and 3.3 are as 1 and 3.
 *
 * least_batch, max_batch   [workers] or NULL: 0, and no limit; a max_batch of 0: none
 *
 * SGDSCHED_NO_ROOM: no such batches; SGDSCHED_BAD_WORKER: a speed NaN or infinite, or
 * least_batch above max_batch; SGDSCHED_BAD_ARGUMENT; SGDSCHED_TOO_LARGE;
 * SGDSCHED_SMALL_WORKSPACE. About 50 n operations, and n for each time that limits bind
 * anew. */
SGDSCHED_API sgdsched_status sgdsched_split(const double *speed,
                                            const uint32_t *least_batch,
                                            const uint32_t *max_batch, size_t workers,
                                            uint64_t total, void *work, size_t work_bytes,
                                            uint32_t *batch);
SGDSCHED_API sgdsched_status sgdsched_split_bytes(size_t workers, size_t *bytes);

/* The batches of a training loop, decided anew after each iteration:
 *
 *     sgdsched_balance_open(&rules, work, bytes, &b);
 *     every iteration: run it with batches sgdsched_balance_batches(b), measure; then
 *     sgdsched_balance_step(b, &measured, batch, &action);
 */
typedef struct sgdsched_balancer sgdsched_balancer;

typedef enum sgdsched_balance_rule {
    SGDSCHED_BY_SPEED = 0,         /* sgdsched_split by predicted speeds, for CPUs    */
                                   /*   [CWWLL20 alg. 1]                              */
    SGDSCHED_BY_PAIRS,             /* from the slowest to the fastest, for GPUs       */
                                   /*   [CWWLL20 alg. 2]                              */
    SGDSCHED_BALANCE_RULES
} sgdsched_balance_rule;

/* Alg. 2 moves `step` samples from the straggler, the worker of the longest time, to the
 * leader, that of the shortest among those that use at most memory_limit, the first
 * among equals, if the leader was faster in each of the last `window` iterations. Where
 * it was not, and ever was slower, the fine phase begins, with fine_step and fine_window.
 * That is the literal rule, and what zeros below give. It does not see that a worker of
 * short time may be slow to take one sample more, nor that a step changes nothing for
 * the better, and it may cycle; what follows from cut_to_memory on is ours, against that.
 * sgdsched_balance_options sets what is advised. */
typedef struct sgdsched_balance {
    sgdsched_balance_rule rule;
    size_t          workers;
    const uint32_t *start;         /* [workers] first batches; NULL: equal ones       */
    uint64_t        total;         /* X; 0: the sum of start                          */
    const uint32_t *max_batch;     /* [workers], 0 or NULL: no limit                  */

    /* Alg. 1 */
    const uint32_t *least_batch;   /* [workers], or NULL: 0                           */
    void          (*predict)(void *ctx, const double *speed, double *predicted);
    void           *predict_ctx;   /* from measured [workers], in samples a second,   */
                                   /*   to predicted ones, once an iteration; NULL:   */
                                   /*   as measured                                   */

    /* Alg. 2 */
    uint32_t        step, window;            /* default 5, 5                          */
    uint32_t        fine_step, fine_window;  /* default 1, 20                         */
    uint32_t        history;       /* iterations that are remembered, default 64, at  */
                                   /*   least the windows; what lies before matters   */
                                   /*   only where two workers tie within the window  */
    double          memory_limit;  /* default 0.95                                    */
    double          tolerance;     /* a < b means a < b (1 - tolerance), default      */
                                   /*   1e-9; negative: none                          */
    int             cut_to_memory; /* 1: leaders take what keeps them within          */
                                   /*   max_batch and memory_limit and not more;      */
                                   /*   those that are full are none                  */
    double          hysteresis;    /* h > 0: only moves after which the longer of the */
                                   /*   two times is below (1 - h) of the straggler's */
                                   /*   now; a coarse one that is not begins the fine */
                                   /*   phase                                         */
    double          restart;       /* r > 0: back to the first phase, with no history */
                                   /*   left, when the longest time differs by more   */
                                   /*   than r from its running mean over the last    */
                                   /*   `window` iterations with these batches        */
    int             restart_each;  /* 1: instead, when any worker's time does, by r   */
                                   /*   and three times what it usually changes       */
    int             project;       /* 1: times are running means over the last        */
                                   /*   `window` with the same batch; the leader is   */
                                   /*   the worker of the shortest time after one     */
                                   /*   more sample; steps, in both phases, are what  */
                                   /*   makes the two times equal, at least 1; only   */
                                   /*   moves that shorten the longer time            */
    const sgdsched_worker *curve;  /* [workers] how times change with a step; NULL:   */
                                   /*   as between the last two batches of the        */
                                   /*   worker, at first in proportion to the batch   */
} sgdsched_balance;

/* The options of Alg. 2 that are advised: cut_to_memory, project, restart 0.05 and
 * restart_each, fine_window 10. The rest stays. Hysteresis and restart alone do not come
 * as near the optimum, because the worker of the shortest time is not the one that a
 * sample more costs least. */
SGDSCHED_API void sgdsched_balance_options(sgdsched_balance *rules);

/* What an iteration took. */
typedef struct sgdsched_measured {
    const double *time_s;          /* [workers] >= 0; Alg. 1: > 0 with a batch        */
    const double *memory;          /* [workers] part in use, >= 0; NULL: batch over   */
                                   /*   max_batch, 0 without one                      */
    const double *speed;           /* [workers] Alg. 1: predicted for the next        */
                                   /*   iteration, instead of predict; NULL: none     */
} sgdsched_measured;

typedef enum sgdsched_balance_did {
    SGDSCHED_KEPT = 0,             /* the batches are as they were                    */
    SGDSCHED_MOVED,
    SGDSCHED_REMOVE                /* and the straggler's batch is no more than a     */
                                   /*   step: training would be faster without it,    */
                                   /*   see sgdsched_optimum                          */
} sgdsched_balance_did;

typedef struct sgdsched_balance_action {
    sgdsched_balance_did did;
    size_t               leader;   /* of the shortest and longest time, as above;     */
    size_t               straggler;/*   leader = workers: there is none               */
    uint64_t             moved;    /* samples                                         */
    int                  fine;     /* 1: in the fine phase now                        */
    int                  restarted;/* 1: in this iteration                            */
} sgdsched_balance_action;

/* Copies all but what the callback needs. SGDSCHED_NO_ROOM: X above the sum of max_batch
 * or below that of least_batch; SGDSCHED_BAD_WORKER: start or least_batch above
 * max_batch, a curve out of domain; SGDSCHED_BAD_ARGUMENT, also a total that is not the
 * sum of start, or no samples; SGDSCHED_TOO_LARGE; SGDSCHED_SMALL_WORKSPACE. Work: O(n)
 * bytes, and 8 n history for Alg. 2. */
SGDSCHED_API sgdsched_status sgdsched_balance_open(const sgdsched_balance *rules,
                                                   void *work, size_t work_bytes,
                                                   sgdsched_balancer **out);
SGDSCHED_API sgdsched_status sgdsched_balance_open_bytes(const sgdsched_balance *rules,
                                                         size_t *bytes);

/* The batches of the iteration to come, [workers]. */
SGDSCHED_API const uint32_t *sgdsched_balance_batches(const sgdsched_balancer *b);

/* An iteration is over: which batches next? Alg. 1 keeps the last speed of a worker
 * without a batch. Both outputs may be NULL.
 * SGDSCHED_BAD_WORKER: a time, memory use or speed out of domain: the iteration is as if
 * it had not been, but for what predict may know. SGDSCHED_BAD_ARGUMENT. Alg. 1 costs
 * an sgdsched_split, Alg. 2 O(n + window), or O(n + history) until the fine phase
 * begins. */
SGDSCHED_API sgdsched_status sgdsched_balance_step(sgdsched_balancer *b,
                                                   const sgdsched_measured *measured,
                                                   uint32_t *batch,
                                                   sgdsched_balance_action *action);

/* What the gradient of each worker, a mean over its batch, weighs in that of the union
 * of all batches, x_i / X; or, pushed != 0, what it is multiplied by before the mean over
 * n workers is taken, n x_i / X [CWWLL20]. SGDSCHED_BAD_ARGUMENT: NULL, no workers, or
 * no samples. */
SGDSCHED_API sgdsched_status sgdsched_weights(const uint32_t *batch, size_t workers,
                                              int pushed, double *weight);

/* The gradient of the union, sum x_i g_i / X: gradient[i] are the `size` means of worker
 * i, not looked at without a batch; out is none of them. SGDSCHED_BAD_ARGUMENT.
 * O(workers * size). */
SGDSCHED_API sgdsched_status sgdsched_aggregate(const double *const *gradient,
                                                const uint32_t *batch, size_t workers,
                                                size_t size, double *out);

/* Workers that train on a partition of the data of their own: samples move in the
 * background from the partition least traversed to the one most, in proportion to the
 * batches of the two, whenever the traversals of two differ by more than `gap`
 * [CWWLL20 3.5]. When they have arrived, all traversals count from 0. */
typedef struct sgdsched_partitions sgdsched_partitions;

typedef struct sgdsched_partition_rules {
    size_t          workers;
    const uint32_t *samples;       /* [workers] p_i >= 1                              */
    double          gap;           /* default 2                                       */
    double          sample_bytes;
    double          bandwidth_bytes_per_s;   /* 0: a move takes no time               */
} sgdsched_partition_rules;

typedef struct sgdsched_migration {
    int      started, ended;       /* in this iteration, both if it takes no time     */
    size_t   from, to;             /* valid if either is set                          */
    uint32_t samples;
    double   transfer_s;
} sgdsched_migration;

/* SGDSCHED_BAD_ARGUMENT, also an empty partition; SGDSCHED_TOO_LARGE: more than 2^32 - 1
 * samples; SGDSCHED_SMALL_WORKSPACE. */
SGDSCHED_API sgdsched_status sgdsched_partition_open(
    const sgdsched_partition_rules *rules, void *work, size_t work_bytes,
    sgdsched_partitions **out);
SGDSCHED_API sgdsched_status sgdsched_partition_open_bytes(
    const sgdsched_partition_rules *rules, size_t *bytes);

/* An iteration of batch[workers] that took iteration_s is over. SGDSCHED_BAD_ARGUMENT.
 * O(workers). */
SGDSCHED_API sgdsched_status sgdsched_partition_step(sgdsched_partitions *p,
                                                     const uint32_t *batch,
                                                     double iteration_s,
                                                     sgdsched_migration *migration);

/* p_i, and how often a partition was traversed since counts began; 0 for no worker. */
SGDSCHED_API uint32_t sgdsched_partition_samples(const sgdsched_partitions *p, size_t i);
SGDSCHED_API double sgdsched_partition_traversals(const sgdsched_partitions *p, size_t i);

/* ---- Speed predictors ------------------------------------------------------ */

/* The speed v[k] of a worker in iteration k from its speeds before and, where these
 * explain it, from the use of CPU and memory up to and including iteration k, which is
 * known as it begins [CWWLL20 3.2]. c and m below: any measure, >= 0, that means the
 * same from row to row, as the part of the machine that is left for the worker. */
typedef enum sgdsched_forecast_method {
    SGDSCHED_MEMORYLESS = 0,       /* v[k-1]                                          */
    SGDSCHED_EMA,                  /* mean of v[0..k-1] with weights that fall        */
                                   /*   exponentially                                 */
    SGDSCHED_ARIMA,                /* ARIMA(2,2,1): the second difference w of v is   */
                                   /*   c0 + a1 w[k-1] + a2 w[k-2] + b e[k-1] + e[k]  */
    SGDSCHED_RNN,                  /* recurrent network of 16 tanh units, a linear    */
                                   /*   output; reads v[k-2], then v[k-1]             */
    SGDSCHED_LSTM,                 /* the same of 16 units with long short-term memory*/
    SGDSCHED_NARX,                 /* network of 10 tanh units, a linear output;      */
                                   /*   reads v[k-1], v[k-2], c[k..k-2], m[k..k-2]    */
    SGDSCHED_ARX,                  /* linear in what NARX reads, and 1                */
    SGDSCHED_FORECAST_METHODS
} sgdsched_forecast_method;

typedef struct sgdsched_forecast {
    sgdsched_forecast_method method;
    uint32_t train;                /* n >= 10, iterations to learn from; default 500  */
    double   smoothing;            /* of EMA, in (0, 1]: weight of the newest speed,  */
                                   /*   default 0.2                                   */
    uint32_t epochs;               /* of RNN, LSTM, NARX and steps of ARIMA, at most; */
                                   /*   default 200                                   */
    uint64_t seed;                 /* of first weights and shuffles; any              */
    const double *start;           /* [sgdsched_forecast_weights] RNN, LSTM, NARX,    */
                                   /*   ARIMA: to start from, as another worker       */
                                   /*   learned them; NULL: see below                 */
    int      no_line;              /* 1: networks alone, without a line beside them   */
    int      unclamped;            /* 1: networks read what is out of their range     */
} sgdsched_forecast;

/* How many weights a method learns: 4, 308, 1172, 110, 9 from ARIMA to ARX, 0 of the
 * others. They belong to standardised numbers, and so fit other workers. ARIMA: c0, a1,
 * a2, b. ARX: of what it reads in the order above, then of 1. Networks: those of the
 * network, then of a line as of ARX, with v[k-2], v[k-1], 1 for RNN and LSTM. */
SGDSCHED_API size_t sgdsched_forecast_weights(sgdsched_forecast_method method);

/* The rows that a series must have for sgdsched_predict: 1, or n + 20 where there is
 * something to learn; 0 for a method or n out of domain. */
SGDSCHED_API uint64_t sgdsched_forecast_rows(const sgdsched_forecast *forecast);

/* Predictions as a training loop goes on, one predictor for each worker:
 *
 *     sgdsched_predictor_open(&forecast, work, bytes, &p);
 *     every iteration:
 *     sgdsched_predictor_next(p, cpu, memory, &speed);       uses as it begins
 *     sgdsched_predictor_observe(p, speed, cpu, memory);     when it has ended
 *
 * Until n iterations have been observed, methods that learn predict as EMA does. The
 * n-th observation trains, on all of them: numbers are standardised by their mean and
 * deviation (0 counts as 1), and
 *
 *   ARX              is fitted by least squares with QR or, where columns depend on each
 *                    other, to the least mean of squared errors plus 1e-9 times the sum
 *                    of squared weights.
 *   RNN, LSTM, NARX  stand beside a line fitted in this way, and learn what it leaves.
 *                    Weights start uniform within +-1/sqrt(inputs of the unit), those of
 *                    the output at 0, or, without a line, like others. The last 15 % of
 *                    the rows validate; the others are shuffled in every epoch and
 *                    descended by Adam [KB15] on the squared error in batches of 32, at
 *                    rate 0.01 with decays 0.9 and 0.999, until 10 epochs in turn did
 *                    not lower the validation error by 1e-5. Weights of the least one
 *                    are kept, and the line is fitted anew to what they leave.
 *   ARIMA            is fitted to the least sum of e^2, e being 0 before the third w, by
 *                    Gauss-Newton steps with Levenberg's damping from -0.3, -0.1, -0.5
 *                    and c0 = 0, with |a1|, |a2| <= 2 and |b| <= 0.999.
 *
 * A speed that was the same in all n iterations leaves nothing to learn: EMA goes on.
 * Networks know nothing of numbers beyond the range that they had in training: what they
 * read is set to the ends of this range, and only the line goes on beyond. The line is
 * ours: of a worker busier than ever in the n iterations a network alone, with limits or
 * without, may know less than EMA. Predictions may be negative. */
typedef struct sgdsched_predictor sgdsched_predictor;

/* Copies forecast and the weights to start from. SGDSCHED_BAD_ARGUMENT (also weights
 * where a method starts from none, or not finite); SGDSCHED_TOO_LARGE;
 * SGDSCHED_SMALL_WORKSPACE. Some 110 n bytes for NARX and ARX, 44 n for RNN and LSTM,
 * and 40 a weight. */
SGDSCHED_API sgdsched_status sgdsched_predictor_open(const sgdsched_forecast *forecast,
                                                     void *work, size_t work_bytes,
                                                     sgdsched_predictor **out);
SGDSCHED_API sgdsched_status
sgdsched_predictor_open_bytes(const sgdsched_forecast *forecast, size_t *bytes);

/* The speed of the iteration that begins. cpu, memory: used by NARX and ARX alone.
 * SGDSCHED_SHORT_SERIES: nothing observed yet; SGDSCHED_BAD_ROW: a use negative, NaN, or
 * beyond 1e70; SGDSCHED_BAD_ARGUMENT. O(weights). */
SGDSCHED_API sgdsched_status sgdsched_predictor_next(sgdsched_predictor *p, double cpu,
                                                     double memory, double *speed);

/* What an iteration was like. SGDSCHED_BAD_ROW: speed, or a use that counts, negative,
 * NaN, or beyond 1e70; SGDSCHED_BAD_ARGUMENT. O(1), but for the n-th: O(n) for ARX and
 * ARIMA, O(epochs n weights) for networks. */
SGDSCHED_API sgdsched_status sgdsched_predictor_observe(sgdsched_predictor *p,
                                                        double speed, double cpu,
                                                        double memory);

/* What was learned: its weights [sgdsched_forecast_weights], the epochs run (ARIMA:
 * steps), and how many predictions a network has made from numbers set to an end; each
 * NULL: not wanted. SGDSCHED_SHORT_SERIES: nothing yet; SGDSCHED_BAD_ARGUMENT. */
SGDSCHED_API sgdsched_status sgdsched_predictor_learned(const sgdsched_predictor *p,
                                                        double *weights, uint32_t *epochs,
                                                        size_t *clamped);

/* The same over a series, row by row. */
typedef struct sgdsched_series {
    const double *speed;           /* [rows] >= 0                                     */
    const double *cpu, *memory;    /* [rows] >= 0; NULL: unknown, and neither NARX nor*/
                                   /*   ARX                                           */
    size_t        rows;
} sgdsched_series;

typedef struct sgdsched_prediction {
    double  *predicted;            /* [rows] the first is the first speed itself;     */
                                   /*   NULL: not wanted                              */
    double  *weights;              /* [sgdsched_forecast_weights]; NULL: not wanted.  */
                                   /*   Zeros if nothing was learned                  */
    double   rmse;                 /* root of the mean squared error of the rows      */
    size_t   rows_scored;          /*   scored; 0 without any                         */
    size_t   first_scored;         /* row n + 10, or 1 in a series too short for that */
    size_t   clamped;              /* rows that a network predicted from numbers set  */
                                   /*   to an end of their range                      */
    uint32_t epochs;               /* run; ARIMA: steps                               */
} sgdsched_prediction;

/* SGDSCHED_SHORT_SERIES: fewer rows than sgdsched_forecast_rows; SGDSCHED_BAD_ROW: also
 * in columns that the method does not use, *bad_row (NULL: not wanted) says where, the
 * one thing written then; SGDSCHED_BAD_ARGUMENT; others as sgdsched_predictor_open. */
SGDSCHED_API sgdsched_status sgdsched_predict(const sgdsched_forecast *forecast,
                                              const sgdsched_series *series, void *work,
                                              size_t work_bytes, size_t *bad_row,
                                              sgdsched_prediction *out);
SGDSCHED_API sgdsched_status sgdsched_predict_bytes(const sgdsched_forecast *forecast,
                                                    size_t *bytes);

/* ---- Configuration search -------------------------------------------------- */

/* How a network is split over machines: parameter servers, copies of the network on
 * several workers each, and for every layer partitions, replications and threads
 * [YRHC15]. What a choice costs is the caller's to say. */

typedef enum sgdsched_objective {
    SGDSCHED_LEAST_SUM = 0,        /* of all costs [YRHC15 5.3]                     */
    SGDSCHED_LEAST_LARGEST         /* the largest cost, which sets the time of a    */
                                   /*   layer; among equals, the sum                */
} sgdsched_objective;

typedef struct sgdsched_mapping {
    double sum, largest;           /* of the costs where the segments went          */
    double greedy_sum, greedy_largest;
    int    conflict;               /* two segments wanted the same worker           */
} sgdsched_mapping;

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
 * SGDSCHED_BAD_ARGUMENT (also more segments than workers); SGDSCHED_BAD_COST: negative,
 * NaN, or above 1e70; SGDSCHED_TOO_LARGE; SGDSCHED_SMALL_WORKSPACE.
 * O(segments workers^2). Sums of costs that are integers are exact; others are the least
 * up to rounding. */
SGDSCHED_API sgdsched_status sgdsched_map(const double *cost, size_t segments,
                                          size_t workers, sgdsched_objective objective,
                                          void *work, size_t work_bytes, uint32_t *worker,
                                          sgdsched_mapping *out);
SGDSCHED_API sgdsched_status sgdsched_map_bytes(size_t segments, size_t workers,
                                                size_t *bytes);

/* How one layer is split within a replica: C2 threads <= cores, C3 partitions *
 * replications <= workers. */
typedef struct sgdsched_state {
    uint32_t partitions, replications, threads;
} sgdsched_state;

/* C1: servers + replicas * workers <= machines. */
typedef struct sgdsched_resources {
    uint32_t servers, replicas, workers;
} sgdsched_resources;

/* A configuration and its epoch. state[layers] is the caller's; NULL: not wanted. */
typedef struct sgdsched_plan {
    sgdsched_resources resources;
    double             epoch_s;
    sgdsched_state    *state;
} sgdsched_plan;

/* epoch_s = sum over layers of
 *     (layer_s + forward_s + backward_s) / replicas + weights_s
 *
 * Seconds >= 0; INFINITY: not allowed. Each may be asked any number of times, and answers
 * the same. A callback that has to compute much keeps a table, at forward_s and
 * backward_s by both layers' partitions and replications. */
typedef struct sgdsched_costs {
    /* A layer by itself, of one replica. */
    double (*layer_s)(void *ctx, size_t layer, const sgdsched_state *state);
    /* Layer >= 1 receives from the one below: any of below but threads, which is 0. */
    double (*forward_s)(void *ctx, size_t layer, const sgdsched_state *below,
                        const sgdsched_state *state);
    /* Layer - 1 receives from `layer` >= 1, of whose state threads is 0. */
    double (*backward_s)(void *ctx, size_t layer, const sgdsched_state *below,
                         const sgdsched_state *state);
    /* Exchange with the servers, which depends on replications and threads alone:
     * state->partitions is 0. NULL: none. */
    double (*weights_s)(void *ctx, size_t layer, const sgdsched_state *state,
                        const sgdsched_resources *resources);
    void  *ctx;
} sgdsched_costs;

typedef struct sgdsched_cluster_plan {
    size_t   layers;               /* L >= 1                                        */
    uint32_t machines;             /* N >= 2                                        */
    uint32_t cores;                /* K >= 1                                        */
    uint32_t max_replications;     /* of a layer; 0: any                            */
    int      threads_differ;       /* 0: the same in all layers                     */
    sgdsched_costs costs;
    const sgdsched_resources *given; /* [givens] to be ranked; NULL: all            */
    size_t   givens;
    void   (*on_plan)(void *ctx, const sgdsched_plan *plan); /* each as it is found */
    void    *plan_ctx;
} sgdsched_cluster_plan;

/* The best splits of the layers for given resources, by dynamic programming over the
 * states of one layer after the other: of all splits none is better. Of equal ones, from
 * the last layer down, that of fewer workers, then threads, then partitions.
 *
 * SGDSCHED_NO_PLAN: nothing is allowed; SGDSCHED_BAD_COST: negative or NaN;
 * SGDSCHED_BAD_ARGUMENT; SGDSCHED_TOO_LARGE; SGDSCHED_SMALL_WORKSPACE. With S pairs of
 * partitions and replications, S ~ N_wr ln N_wr, O(L S^2 K) time and calls, O(L S K)
 * bytes. */
SGDSCHED_API sgdsched_status sgdsched_compose(const sgdsched_cluster_plan *in,
                                              const sgdsched_resources *resources,
                                              void *work, size_t work_bytes,
                                              sgdsched_plan *out);
SGDSCHED_API sgdsched_status sgdsched_compose_bytes(const sgdsched_cluster_plan *in,
                                                    const sgdsched_resources *resources,
                                                    size_t *bytes);

/* The best of all resources with their best splits: plan[room], best first, *found <=
 * room of them. Of equal ones that of fewer machines, then workers, then replicas.
 * on_plan sees all, by workers, replicas, servers, or as given. What has no split that is
 * allowed is left out.
 *
 * Servers that do not change weights_s, as those beyond N_wr by [YRHC15, eq. 11], cost
 * nothing to look at. With max_replications 1 and the same threads everywhere each N_wr
 * is solved once, O(L N^3 K) in all. Else about N^2 ln N / 2 times sgdsched_compose at
 * most, mostly for few workers. Statuses as sgdsched_compose; work as for the largest
 * N_wr looked at, and O(L room) more. */
SGDSCHED_API sgdsched_status sgdsched_search(const sgdsched_cluster_plan *in, void *work,
                                             size_t work_bytes, sgdsched_plan *plan,
                                             size_t room, size_t *found);
SGDSCHED_API sgdsched_status sgdsched_search_bytes(const sgdsched_cluster_plan *in,
                                                   size_t room, size_t *bytes);

/* How many configurations sgdsched_search looks at; 0: more than a size_t, or none. */
SGDSCHED_API size_t sgdsched_search_count(const sgdsched_cluster_plan *in);

/* Which configuration to try first: order[n], by epoch, the first among equals.
 * SGDSCHED_BAD_COST: an epoch is negative, infinite or NaN; SGDSCHED_BAD_ARGUMENT.
 * O(n log n). */
SGDSCHED_API sgdsched_status sgdsched_trial_order(const double *epoch_s, size_t n,
                                                  size_t *order);

/* What is spent until a configuration turns out accurate [YRHC15 3]: in random order, in
 * expectation the mean of the g accurate epochs plus 1/(g + 1) of each inaccurate one,
 * and in that order. accurate[n]: 0 or not; if none is, all are tried. Statuses as
 * sgdsched_trial_order. O(n). */
SGDSCHED_API sgdsched_status sgdsched_trial_cost(const double *epoch_s,
                                                 const unsigned char *accurate, size_t n,
                                                 double *random_s, double *ordered_s);
#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_SCHED_H */

/* ============================================================================
 *   IMPLEMENTATION
 * ==========================================================================*/
#if defined(SGDPERF_SCHED_IMPLEMENTATION) && !defined(SGDPERF_SCHED_IMPLEMENTED)
#define SGDPERF_SCHED_IMPLEMENTED

#ifndef SGDSCHED_ASSERT
#include <assert.h>
#define SGDSCHED_ASSERT(x) assert(x)
#endif
#include <float.h>
#include <math.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status, checks and scratch -------------------------------------------- */

SGDSCHED_API const char *sgdsched_status_text(sgdsched_status status)
{
#define SGDSCHED_X(name, text) text,
    static const char *const table[] = { SGDSCHED_STATUS_TABLE(SGDSCHED_X) };
#undef SGDSCHED_X
    const size_t i = (size_t)status;
    return i < sizeof table / sizeof table[0] ? table[i] : "not an sgdsched_status";
}

/* Finite x >= 0, and finite x > 0; false for NaN, which fails every comparison. */
static int sgdsched_priv_is_time(double x) { return x >= 0.0 && x <= DBL_MAX; }
static int sgdsched_priv_is_rate(double x) { return x > 0.0 && x <= DBL_MAX; }

/* Carves arrays out of the caller's scratch. With base NULL it only counts, so that
 * one carving routine both answers ..._bytes() and lays the work out. */
typedef struct sgdsched_priv_arena {
    char *base;
    size_t used;
    int overflow;
} sgdsched_priv_arena;

/* `count` elements of `size` bytes, aligned for double; NULL while counting. */
static void *sgdsched_priv_take(sgdsched_priv_arena *arena, size_t count, size_t size)
{
    const size_t limit = (size_t)-1 - sizeof(double), at = arena->used;
    if (arena->overflow || count > limit / size || count * size > limit - at) {
        arena->overflow = 1;
        return NULL;
    }
    arena->used = (at + count * size + sizeof(double) - 1) / sizeof(double);
    arena->used *= sizeof(double);
    return arena->base ? arena->base + at : NULL;
}

/* ---- Random numbers -------------------------------------------------------- */

static uint64_t sgdsched_priv_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

SGDSCHED_API uint64_t sgdsched_random(uint64_t seed, uint64_t a, uint64_t b)
{
    return sgdsched_priv_mix(sgdsched_priv_mix(sgdsched_priv_mix(seed) ^ a) ^ b);
}

/* ---- Allocation: curves ---------------------------------------------------- */

/* How decisions are made fast.
 *
 * The best node count of a job depends on its curve and on the nodes left alone, so it is
 * found once per curve and budget. As long as the nodes left suffice for what any job
 * wants, the metric of a job does not depend on them, and jobs are taken in order of
 * their metric on an empty cluster; only at the end of a decision, when fewer are left,
 * metrics are found anew, and of those jobs alone whose metric on an empty cluster is
 * below that of the best so far: with fewer nodes a metric only rises, up to a factor
 * that is known for each curve.
 *
 * Jobs that run or are new stand in one list, which stays sorted but for what changed
 * since the last decision. Jobs that wait, whose metrics do not change, are in a heap for
 * each curve, and the heads of these are in a heap in turn.
 *
 * Equal metrics are to be seen as equal: what short decimal or binary numbers give is
 * compared as it would be in rational numbers. A metric is the quotient of two products,
 * rounded once; within a curve, whose jobs share a factor, products are compared. */

/* Throughputs and service times are in this range, so that no metric leaves that of a
 * double; sizes beyond it count as its ends. */
#define SGDSCHED_PRIV_LEAST 1e-70
#define SGDSCHED_PRIV_MOST  1e70

enum { SGDSCHED_PRIV_NONE = 0xffffffffu >> 1 };    /* no job, curve, or place         */

/* A curve's numbers, of whichever kind they are. */
typedef struct sgdsched_priv_table {
    const double *x;               /* [nodes] X(w) or S(w)                            */
    uint32_t      nodes;
    int           is_service;
} sgdsched_priv_table;

static sgdsched_priv_table sgdsched_priv_table_of(const sgdsched_curve *curve)
{
    sgdsched_priv_table t;
    t.is_service = curve->service_s != NULL;
    t.x = t.is_service ? curve->service_s : curve->throughput_per_s;
    t.nodes = curve->nodes;
    return t;
}

static sgdsched_status sgdsched_priv_check_shape(const sgdsched_curve *curve)
{
    if ((curve->throughput_per_s == NULL) == (curve->service_s == NULL))
        return SGDSCHED_BAD_ARGUMENT;
    return curve->nodes > 0 ? SGDSCHED_OK : SGDSCHED_BAD_ARGUMENT;
}

static sgdsched_status sgdsched_priv_check_curve(const sgdsched_curve *curve)
{
    const sgdsched_status status = sgdsched_priv_check_shape(curve);
    sgdsched_priv_table t;
    uint32_t i;
    if (status != SGDSCHED_OK) return status;
    t = sgdsched_priv_table_of(curve);
    for (i = 0; i < t.nodes; i++)                  /* false for NaN                   */
        if (!(t.x[i] >= SGDSCHED_PRIV_LEAST && t.x[i] <= SGDSCHED_PRIV_MOST))
            return SGDSCHED_BAD_CURVE;
    return SGDSCHED_OK;
}

static int sgdsched_priv_is_hell(sgdsched_policy policy)
{
    return policy == SGDSCHED_HELL || policy == SGDSCHED_MOLDABLE_HELL;
}

static int sgdsched_priv_is_knee(sgdsched_policy policy)
{
    return policy == SGDSCHED_KNEE || policy == SGDSCHED_MOLDABLE_KNEE;
}

static int sgdsched_priv_is_moldable(sgdsched_policy policy)
{
    return policy == SGDSCHED_MOLDABLE_HELL || policy == SGDSCHED_MOLDABLE_KNEE;
}

static int sgdsched_priv_is_finite(double x) { return x >= -DBL_MAX && x <= DBL_MAX; }

/* All but the number of nodes. */
static sgdsched_status sgdsched_priv_check_rules(const sgdsched_rules *rules)
{
    if ((unsigned)rules->policy >= (unsigned)SGDSCHED_JSQ ||
        !sgdsched_priv_is_finite(rules->alpha) ||
        !sgdsched_priv_is_finite(rules->alpha_low) ||
        !sgdsched_priv_is_finite(rules->alpha_high) ||
        !sgdsched_priv_is_time(rules->load) || !sgdsched_priv_is_time(rules->gamma))
        return SGDSCHED_BAD_ARGUMENT;
    return SGDSCHED_OK;
}

/* |alpha| of KNEE. */
static double sgdsched_priv_threshold(const sgdsched_rules *rules)
{
    const double alpha = fabs(rules->alpha);
    double low = rules->alpha_low, high = rules->alpha_high;
    if (rules->policy != SGDSCHED_MOLDABLE_KNEE || !rules->alpha_by_load)
        return alpha > 0.0 ? alpha : 0.01;
    if (!(fabs(low) > 0.0) && !(fabs(high) > 0.0)) {
        low = 0.01;
        high = 0.07;
    }
    return fabs(low + rules->load * (high - low));
}

/* The part of S(w - 1) that the w-th node saves, one rounding from exact where the
 * difference is; 0 past the end of the table. */
static double sgdsched_priv_gain(const sgdsched_priv_table *t, uint32_t w)
{
    double before, after;
    if (w > t->nodes) return 0.0;
    before = t->x[w - 2];
    after = t->x[w - 1];
    return t->is_service ? (before - after) / before : (after - before) / after;
}

/* The smallest w <= budget with gain(w) >= threshold > gain(w + 1); 0: none. */
static uint32_t sgdsched_priv_knee(const sgdsched_priv_table *t, double threshold,
                                   uint32_t budget)
{
    double next = budget < 2 ? 0.0 : sgdsched_priv_gain(t, 2);
    uint32_t w;
    for (w = 2; w <= budget && w <= t->nodes; w++) {
        const double gain = next;
        next = sgdsched_priv_gain(t, w + 1);
        if (gain >= threshold && next < threshold) return w;
    }
    return 0;
}

/* S on a nodes less than on b. */
static int sgdsched_priv_is_faster(const sgdsched_priv_table *t, uint32_t a, uint32_t b)
{
    const double x = t->x[a - 1], y = t->x[b - 1];
    return t->is_service ? x < y : y < x;
}

/* What a job on its own wants of `budget` nodes; by_budget[b - 1], unless NULL: of b, for
 * the b up to budget that the table has. */
static uint32_t sgdsched_priv_choose_hell(const sgdsched_priv_table *t, uint32_t budget,
                                          uint32_t *by_budget)
{
    const double *x = t->x;
    double square = x[0] * x[0], nodes = 1.0;      /* of the best                     */
    uint32_t best = 1, w;
    for (w = 1; w <= budget && w <= t->nodes; w++) {
        /* S/E without what both share: w S(w)^2, or w / X(w)^2 */
        const double here = x[w - 1] * x[w - 1], many = (double)w;
        if (t->is_service ? many * here < nodes * square : many * square < nodes * here) {
            best = w;
            nodes = many;
            square = here;
        }
        if (by_budget) by_budget[w - 1] = best;
    }
    return best;
}

static uint32_t sgdsched_priv_choose_knee(const sgdsched_priv_table *t, double threshold,
                                          uint32_t budget, uint32_t *by_budget)
{
    const uint32_t knee = sgdsched_priv_knee(t, threshold, budget);
    uint32_t best = 1, choice = 1, w;
    for (w = 1; w <= budget && w <= t->nodes; w++) {
        if (sgdsched_priv_is_faster(t, w, best)) best = w;
        choice = knee > 0 && knee <= w ? knee : best;
        if (by_budget) by_budget[w - 1] = choice;
    }
    return choice;
}

static uint32_t sgdsched_priv_choose(const sgdsched_rules *rules,
                                     const sgdsched_priv_table *t, uint32_t budget,
                                     uint32_t *by_budget)
{
    return sgdsched_priv_is_hell(rules->policy)
               ? sgdsched_priv_choose_hell(t, budget, by_budget)
               : sgdsched_priv_choose_knee(t, sgdsched_priv_threshold(rules), budget,
                                           by_budget);
}

SGDSCHED_API sgdsched_status sgdsched_choice(const sgdsched_rules *rules,
                                             const sgdsched_curve *curve,
                                             uint32_t budget, uint32_t *nodes)
{
    sgdsched_status status;
    sgdsched_priv_table t;
    if (!rules || !curve || !nodes || budget == 0) return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_check_rules(rules);
    if (status == SGDSCHED_OK && !sgdsched_priv_is_hell(rules->policy) &&
        !sgdsched_priv_is_knee(rules->policy))
        status = SGDSCHED_BAD_ARGUMENT;
    if (status == SGDSCHED_OK) status = sgdsched_priv_check_curve(curve);
    if (status != SGDSCHED_OK) return status;
    t = sgdsched_priv_table_of(curve);
    *nodes = sgdsched_priv_choose(rules, &t, budget, NULL);
    return SGDSCHED_OK;
}

/* ---- Allocation: the state ------------------------------------------------- */

/* A curve, and the heap of the jobs on it that wait. Indices are w - 1. */
typedef struct sgdsched_priv_curve {
    sgdsched_priv_table table;     /* as far as the cluster has nodes                 */
    double   *copy;                /* its numbers, if they are our own                */
    uint32_t *choice;              /* HELL, KNEE: what a job wants of w nodes         */
    uint32_t *after;               /* filling: the least w' with S(w') < S(w); 0: none*/
    uint32_t *run;                 /*   S falls with every node from w to here        */
    uint32_t given;                /* nodes of the curve as given                     */
    uint32_t want;                 /* of an empty cluster                             */
    double   low;                  /* least metric on fewer nodes over that on want   */
    uint32_t top;                  /* job that waits and is first                     */
    uint32_t head;                 /* place in heads                                  */
    uint64_t seen;                 /* look at which it was last met                   */
} sgdsched_priv_curve;

/* A job in the list. */
typedef struct sgdsched_priv_entry {
    double   metric;               /* on `want` nodes; jobs are taken in this order   */
    double   key;                  /* S(w) X(w): what is left of it, as gamma has it  */
    uint64_t turn;                 /* order of arrival                                */
    uint32_t job, curve;           /* job NONE: it has left, want is the next hole    */
    uint32_t want;
    uint32_t nodes, before;        /* given by the decision; and by the one before    */
    uint32_t place;                /* as the job knows it                             */
} sgdsched_priv_entry;

/* The first of the jobs that wait on a curve. */
typedef struct sgdsched_priv_head {
    double   metric, key;
    uint64_t turn;
    uint32_t curve;
} sgdsched_priv_head;

/* A job, in the list or in the heap of its curve: a leftist heap, where the way to a
 * missing child is nowhere shorter than along right children, `rank` of them [Knu98
 * 5.2.3]. */
typedef struct sgdsched_priv_job {
    double   key, size;
    uint64_t turn;
    uint32_t curve, held, nodes;
    uint32_t place;                /* in the list, or NONE                            */
    uint32_t up, left, right, rank;
    int      present;
} sgdsched_priv_job;

struct sgdsched_scheduler {
    sgdsched_rules   rules;
    int              by_trade;     /* metric S/E, else S                              */
    int              gamma_is_one;
    int              reshaped;     /* since the last decision                         */
    double           low;          /* least of the curves', at most 1; see find       */
    uint32_t         widest;       /* largest want                                    */
    uint32_t         idle;
    uint32_t         hole;         /* first entry of the list that is free            */
    uint64_t         turns;        /* jobs that have arrived                          */
    uint64_t         look;         /* searches through jobs                           */
    size_t           curves, max_jobs;
    sgdsched_priv_curve *curve;    /* [curves]                                        */
    sgdsched_priv_head  *heads;    /* [curves] heap                                   */
    uint32_t         head_count, waiting;
    sgdsched_priv_job   *job;      /* [max_jobs], NULL for a single decision          */
    sgdsched_priv_entry *list,
        *spare;                    /* [max_jobs]                                      */
    uint32_t         count, total; /* in order, and with those that stop waiting      */
    uint32_t        *reach;        /* [max_jobs] of filling                           */
};

static double sgdsched_priv_service(const sgdsched_priv_curve *c, double key, uint32_t w)
{
    const double x = c->table.x[(w < c->table.nodes ? w : c->table.nodes) - 1];
    return c->table.is_service ? key * x : key / x;
}

/* S(w), or S(w) / E(w) = w S(w)^2 / S(1). */
static double sgdsched_priv_metric(const sgdsched_scheduler *s,
                                   const sgdsched_priv_curve *c, double key, uint32_t w)
{
    const double one = c->table.x[0];
    const double x = c->table.x[(w < c->table.nodes ? w : c->table.nodes) - 1];
    if (!s->by_trade) return sgdsched_priv_service(c, key, w);
    return c->table.is_service ? key * ((double)w * (x * x)) / one
                               : key * ((double)w * one) / (x * x);
}

static int sgdsched_priv_is_before(double metric, uint64_t turn, double than,
                                   uint64_t turn2)
{
    return metric < than || (metric <= than && turn < turn2);
}

/* J0^gamma J^(1-gamma), exact for a new job. */
static double sgdsched_priv_key(const sgdsched_scheduler *s, double size,
                                double remaining)
{
    double key = remaining;
    if (s->gamma_is_one) key = size;
    else if (s->rules.gamma > 0.0) key *= pow(size / remaining, s->rules.gamma);
    if (!(key < SGDSCHED_PRIV_MOST)) return SGDSCHED_PRIV_MOST;
    return key > SGDSCHED_PRIV_LEAST ? key : SGDSCHED_PRIV_LEAST;
}

static void sgdsched_priv_fill_entry(const sgdsched_scheduler *s, sgdsched_priv_entry *e,
                                     uint32_t held)
{
    const sgdsched_priv_curve *c = s->curve + e->curve;
    e->want = held > 0 && sgdsched_priv_is_moldable(s->rules.policy) ? held : c->want;
    e->metric = sgdsched_priv_metric(s, c, e->key, e->want);
}

/* What filling needs to know of a curve. */
static void sgdsched_priv_prepare_filling(sgdsched_priv_curve *c)
{
    uint32_t w;
    for (w = c->table.nodes; w > 0; w--) {         /* all w' > w are known            */
        uint32_t at = w < c->table.nodes ? w + 1 : 0;
        while (at > 0 && !sgdsched_priv_is_faster(&c->table, at, w))
            at = c->after[at - 1];
        c->after[w - 1] = at;
        c->run[w - 1] = at == w + 1 ? c->run[w] : w;
    }
}

static void sgdsched_priv_set_curve(sgdsched_scheduler *s, sgdsched_priv_curve *c,
                                    const sgdsched_curve *curve)
{
    const sgdsched_priv_table given = sgdsched_priv_table_of(curve);
    const uint32_t nodes = s->rules.nodes;
    c->given = given.nodes;
    c->table = given;
    if (c->table.nodes > nodes) c->table.nodes = nodes;
    if (c->copy) {
        memcpy(c->copy, given.x, c->table.nodes * sizeof *c->copy);
        c->table.x = c->copy;
    }
    c->want = s->rules.policy == SGDSCHED_SRPT ? nodes : 1;
    if (sgdsched_priv_is_hell(s->rules.policy) || sgdsched_priv_is_knee(s->rules.policy))
        c->want = sgdsched_priv_choose(&s->rules, &given, nodes, c->choice);
    /* The smaller the budget, the larger the metric, but a first knee may be slower than
     * what comes before it. */
    c->low = 1.0;
    if (c->choice && c->want > 1)
        c->low = sgdsched_priv_metric(s, c, 1.0, c->choice[c->want - 2]) /
                 sgdsched_priv_metric(s, c, 1.0, c->want);
    if (c->after) sgdsched_priv_prepare_filling(c);
}

/* What depends on all curves. Metrics of other node counts are rounded otherwise. */
static void sgdsched_priv_survey(sgdsched_scheduler *s)
{
    size_t i;
    s->low = 1.0;
    s->widest = 1;
    for (i = 0; i < s->curves; i++) {
        if (s->curve[i].low < s->low) s->low = s->curve[i].low;
        if (s->curve[i].want > s->widest) s->widest = s->curve[i].want;
    }
    s->low *= 1.0 - 1e-12;
}

static sgdsched_status sgdsched_priv_check(const sgdsched_rules *rules,
                                           const sgdsched_curve *curve, size_t curves,
                                           size_t jobs)
{
    size_t i;
    if (!rules || rules->nodes == 0 || (curves > 0 && !curve) || (jobs > 0 && !curves))
        return SGDSCHED_BAD_ARGUMENT;
    if (curves >= SGDSCHED_PRIV_NONE || jobs >= SGDSCHED_PRIV_NONE)
        return SGDSCHED_TOO_LARGE;
    if (sgdsched_priv_check_rules(rules) != SGDSCHED_OK) return SGDSCHED_BAD_ARGUMENT;
    for (i = 0; i < curves; i++)
        if (sgdsched_priv_check_shape(curve + i) != SGDSCHED_OK)
            return SGDSCHED_BAD_ARGUMENT;
    return SGDSCHED_OK;
}

/* Lays out a scheduler whose jobs are counted in `jobs`; `live`: with what outlasts a
 * decision. NULL while counting. */
static sgdsched_scheduler *sgdsched_priv_carve(sgdsched_priv_arena *arena,
                                               const sgdsched_rules *rules,
                                               const sgdsched_curve *curve, size_t curves,
                                               size_t jobs, int live)
{
    const sgdsched_policy policy = rules->policy;
    const int chooses = policy == SGDSCHED_HELL || policy == SGDSCHED_KNEE;
    const int fills = policy == SGDSCHED_WATERFILL || (chooses && rules->fill);
    sgdsched_scheduler none, *s, *at;
    size_t i;
    memset(&none, 0, sizeof none);
    at = (sgdsched_scheduler *)sgdsched_priv_take(arena, 1, sizeof *at);
    s = at ? at : &none;
    *s = none;
    s->rules = *rules;
    s->curves = curves;
    s->max_jobs = jobs;
    s->curve = (sgdsched_priv_curve *)sgdsched_priv_take(arena, curves, sizeof *s->curve);
    s->list = (sgdsched_priv_entry *)sgdsched_priv_take(arena, jobs, sizeof *s->list);
    s->spare = (sgdsched_priv_entry *)sgdsched_priv_take(arena, jobs, sizeof *s->spare);
    if (fills) s->reach = (uint32_t *)sgdsched_priv_take(arena, jobs, sizeof *s->reach);
    if (live) {
        s->heads =
            (sgdsched_priv_head *)sgdsched_priv_take(arena, curves, sizeof *s->heads);
        s->job = (sgdsched_priv_job *)sgdsched_priv_take(arena, jobs, sizeof *s->job);
    }
    for (i = 0; i < curves; i++) {
        const size_t n = curve[i].nodes < rules->nodes ? curve[i].nodes : rules->nodes;
        sgdsched_priv_curve c;
        memset(&c, 0, sizeof c);
        c.top = c.head = SGDSCHED_PRIV_NONE;
        if (live) c.copy = (double *)sgdsched_priv_take(arena, n, sizeof(double));
        if (chooses)
            c.choice = (uint32_t *)sgdsched_priv_take(arena, n, sizeof(uint32_t));
        if (fills) {
            c.after = (uint32_t *)sgdsched_priv_take(arena, n, sizeof(uint32_t));
            c.run = (uint32_t *)sgdsched_priv_take(arena, n, sizeof(uint32_t));
        }
        if (at) s->curve[i] = c;
    }
    return at;
}

static sgdsched_status sgdsched_priv_count(const sgdsched_rules *rules,
                                           const sgdsched_curve *curve, size_t curves,
                                           size_t jobs, int live, size_t *bytes)
{
    sgdsched_priv_arena arena = {NULL, 0, 0};
    const sgdsched_status status = sgdsched_priv_check(rules, curve, curves, jobs);
    if (status != SGDSCHED_OK) return status;
    (void)sgdsched_priv_carve(&arena, rules, curve, curves, jobs, live);
    if (arena.overflow) return SGDSCHED_TOO_LARGE;
    *bytes = arena.used;
    return SGDSCHED_OK;
}

/* Checks everything but the jobs, lays out the scheduler and prepares the curves. */
static sgdsched_status sgdsched_priv_start(const sgdsched_rules *rules,
                                           const sgdsched_curve *curve, size_t curves,
                                           size_t jobs, int live, void *work,
                                           size_t work_bytes, sgdsched_scheduler **out)
{
    sgdsched_priv_arena arena = {(char *)work, 0, 0};
    sgdsched_scheduler *s;
    size_t bytes = 0, i;
    sgdsched_status status =
        sgdsched_priv_count(rules, curve, curves, jobs, live, &bytes);
    for (i = 0; i < curves && status == SGDSCHED_OK; i++)
        status = sgdsched_priv_check_curve(curve + i);
    if (status != SGDSCHED_OK) return status;
    if (!work || (uintptr_t)work % sizeof(double) != 0) return SGDSCHED_BAD_ARGUMENT;
    if (work_bytes < bytes) return SGDSCHED_SMALL_WORKSPACE;
    s = sgdsched_priv_carve(&arena, rules, curve, curves, jobs, live);
    SGDSCHED_ASSERT(s && !arena.overflow && arena.used == bytes);
    s->by_trade = sgdsched_priv_is_hell(rules->policy);
    s->gamma_is_one = rules->gamma >= 1.0 && rules->gamma <= 1.0;
    s->hole = SGDSCHED_PRIV_NONE;
    s->idle = rules->nodes;
    for (i = 0; i < curves; i++) sgdsched_priv_set_curve(s, s->curve + i, curve + i);
    sgdsched_priv_survey(s);
    *out = s;
    return SGDSCHED_OK;
}

/* ---- Allocation: jobs that wait -------------------------------------------- */

static int sgdsched_priv_waits_before(const sgdsched_priv_job *a,
                                      const sgdsched_priv_job *b)
{
    return sgdsched_priv_is_before(a->key, a->turn, b->key, b->turn);
}

/* Sets the rank of a job right, given those of its children; has it changed? */
static int sgdsched_priv_mend(sgdsched_priv_job *job, uint32_t at)
{
    sgdsched_priv_job *j = job + at;
    const uint32_t left = j->left == SGDSCHED_PRIV_NONE ? 0 : job[j->left].rank;
    const uint32_t right = j->right == SGDSCHED_PRIV_NONE ? 0 : job[j->right].rank;
    const uint32_t rank = 1 + (left < right ? left : right), was = j->rank;
    if (left < right) {
        const uint32_t child = j->left;
        j->left = j->right;
        j->right = child;
    }
    j->rank = rank;
    return rank != was;
}

/* One heap of two, either of which may be empty: merges the ways along right children. */
static uint32_t sgdsched_priv_meld(sgdsched_priv_job *job, uint32_t a, uint32_t b)
{
    uint32_t root = SGDSCHED_PRIV_NONE, last = SGDSCHED_PRIV_NONE;
    while (a != SGDSCHED_PRIV_NONE || b != SGDSCHED_PRIV_NONE) {
        uint32_t first = a;
        if (a == SGDSCHED_PRIV_NONE ||
            (b != SGDSCHED_PRIV_NONE && sgdsched_priv_waits_before(job + b, job + a))) {
            first = b;
            b = a;
        }
        job[first].up = last;
        if (last == SGDSCHED_PRIV_NONE) root = first;
        else job[last].right = first;
        if (b == SGDSCHED_PRIV_NONE) break;        /* the rest hangs there already    */
        last = first;
        a = job[first].right;
    }
    for (; last != SGDSCHED_PRIV_NONE; last = job[last].up)
        (void)sgdsched_priv_mend(job, last);
    return root;
}

static void sgdsched_priv_set_head(sgdsched_scheduler *s, uint32_t at,
                                   const sgdsched_priv_head *h)
{
    s->heads[at] = *h;
    s->curve[h->curve].head = at;
}

static int sgdsched_priv_leads(const sgdsched_priv_head *a, const sgdsched_priv_head *b)
{
    return sgdsched_priv_is_before(a->metric, a->turn, b->metric, b->turn);
}

/* Puts h where the heap has a gap. */
static void sgdsched_priv_place_head(sgdsched_scheduler *s, uint32_t at,
                                     sgdsched_priv_head h)
{
    while (at > 0 && sgdsched_priv_leads(&h, s->heads + (at - 1) / 2)) {
        sgdsched_priv_set_head(s, at, s->heads + (at - 1) / 2);
        at = (at - 1) / 2;
    }
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= s->head_count) break;
        if (child + 1 < s->head_count &&
            sgdsched_priv_leads(s->heads + child + 1, s->heads + child)) child++;
        if (!sgdsched_priv_leads(s->heads + child, &h)) break;
        sgdsched_priv_set_head(s, at, s->heads + child);
        at = child;
    }
    sgdsched_priv_set_head(s, at, &h);
}

/* The heap of a curve, or the curve, has changed. */
static void sgdsched_priv_renew_head(sgdsched_scheduler *s, uint32_t curve)
{
    sgdsched_priv_curve *c = s->curve + curve;
    sgdsched_priv_head h;
    uint32_t at = c->head;
    if (c->top == SGDSCHED_PRIV_NONE) {
        if (at == SGDSCHED_PRIV_NONE) return;
        c->head = SGDSCHED_PRIV_NONE;
        s->head_count--;
        if (at < s->head_count) sgdsched_priv_place_head(s, at, s->heads[s->head_count]);
        return;
    }
    if (at == SGDSCHED_PRIV_NONE) at = s->head_count++;
    h.key = s->job[c->top].key;
    h.turn = s->job[c->top].turn;
    h.metric = sgdsched_priv_metric(s, c, h.key, c->want);
    h.curve = curve;
    sgdsched_priv_place_head(s, at, h);
}

static void sgdsched_priv_wait(sgdsched_scheduler *s, uint32_t number)
{
    sgdsched_priv_job *j = s->job + number;
    sgdsched_priv_curve *c = s->curve + j->curve;
    j->place = j->up = j->left = j->right = SGDSCHED_PRIV_NONE;
    j->rank = 1;
    c->top = sgdsched_priv_meld(s->job, c->top, number);
    s->waiting++;
    if (c->top == number) sgdsched_priv_renew_head(s, j->curve);
}

static void sgdsched_priv_stop_waiting(sgdsched_scheduler *s, uint32_t number)
{
    sgdsched_priv_job *j = s->job + number;
    sgdsched_priv_curve *c = s->curve + j->curve;
    const uint32_t up = j->up, rest = sgdsched_priv_meld(s->job, j->left, j->right);
    uint32_t at = up;
    s->waiting--;
    if (rest != SGDSCHED_PRIV_NONE) s->job[rest].up = up;
    if (up == SGDSCHED_PRIV_NONE) {
        c->top = rest;
        sgdsched_priv_renew_head(s, j->curve);
        return;
    }
    if (s->job[up].left == number) s->job[up].left = rest;
    else s->job[up].right = rest;
    while (at != SGDSCHED_PRIV_NONE && sgdsched_priv_mend(s->job, at)) at = s->job[at].up;
}

/* ---- Allocation: the order of the list ------------------------------------- */

static int sgdsched_priv_precedes(const sgdsched_priv_entry *a,
                                  const sgdsched_priv_entry *b)
{
    return sgdsched_priv_is_before(a->metric, a->turn, b->metric, b->turn);
}

/* Sorts from[count] by merging, with as much room in `other`. Returns whichever of the
 * two has the result. */
static sgdsched_priv_entry *sgdsched_priv_merge_sort(sgdsched_priv_entry *from,
                                                     sgdsched_priv_entry *other,
                                                     size_t count)
{
    size_t width, at;
    for (width = 1; width < count; width *= 2) {
        sgdsched_priv_entry *const to = other;
        for (at = 0; at < count; at += 2 * width) {
            const size_t middle = count - at < width ? count : at + width;
            const size_t end = count - at < 2 * width ? count : at + 2 * width;
            size_t i = at, j = middle, k;
            for (k = at; k < end; k++) {
                const int second = i == middle || (j < end && sgdsched_priv_precedes(
                                                       from + j, from + i));
                to[k] = second ? from[j++] : from[i++];
            }
        }
        other = from;
        from = to;
    }
    return from;
}

/* Sorts the list, of which little is out of place as a rule: the strays are taken out,
 * sorted, and merged in from the end. What is out of place is an entry that precedes the
 * two before it, or else the one before it. */
static void sgdsched_priv_sort(sgdsched_scheduler *s)
{
    sgdsched_priv_entry *const list = s->list, *stray = s->spare;
    uint32_t i, kept = 0, strays = 0;
    for (i = 0; i < s->count; i++) {
        sgdsched_priv_entry *e = list + i;
        if (e->job == SGDSCHED_PRIV_NONE) continue;
        e->nodes = 0;
        if (s->reshaped)
            sgdsched_priv_fill_entry(s, e, s->job ? s->job[e->job].held : 0);
        if (kept > 0 && sgdsched_priv_precedes(e, list + kept - 1)) {
            if (kept > 1 && sgdsched_priv_precedes(e, list + kept - 2)) {
                stray[strays++] = *e;
                continue;
            }
            stray[strays++] = list[--kept];
        }
        if (kept < i) list[kept] = *e;
        kept++;
    }
    s->count = kept + strays;
    s->hole = SGDSCHED_PRIV_NONE;
    if (s->reshaped) sgdsched_priv_survey(s);
    s->reshaped = 0;
    if (strays == 0) return;
    stray = sgdsched_priv_merge_sort(stray, list + kept, strays);
    if (stray != s->spare) memcpy(s->spare, stray, strays * sizeof *stray);
    stray = s->spare;
    for (i = s->count; strays > 0; i--) {
        const int from_list =
            kept > 0 && sgdsched_priv_precedes(stray + strays - 1, list + kept - 1);
        list[i - 1] = from_list ? list[--kept] : stray[--strays];
    }
}

/* ---- Allocation: a decision ------------------------------------------------ */

/* The job of heads[at] stops waiting, and is appended to the list. */
static void sgdsched_priv_give_head(sgdsched_scheduler *s, uint32_t at, uint32_t nodes)
{
    const sgdsched_priv_head h = s->heads[at];
    sgdsched_priv_entry *e = s->list + s->total++;
    e->metric = h.metric;
    e->key = h.key;
    e->turn = h.turn;
    e->curve = h.curve;
    e->job = s->curve[h.curve].top;
    e->want = s->curve[h.curve].want;
    e->nodes = nodes;
    e->before = 0;
    e->place = SGDSCHED_PRIV_NONE;
    sgdsched_priv_stop_waiting(s, e->job);
}

/* Does a job that waits come before entry `at` of the list, or is that past its end? */
static int sgdsched_priv_head_is_next(const sgdsched_scheduler *s, uint32_t at)
{
    const sgdsched_priv_head *h = s->heads;
    if (s->head_count == 0) return 0;
    return at >= s->count ||
           sgdsched_priv_is_before(h->metric, h->turn, s->list[at].metric,
                                   s->list[at].turn);
}

/* The place after `at` in the heap of heads, depth first; `skip`: past all below it.
 * head_count: there is none. */
static uint32_t sgdsched_priv_next_head(const sgdsched_scheduler *s, uint32_t at,
                                        int skip)
{
    if (!skip && 2 * at + 1 < s->head_count) return 2 * at + 1;
    while (at > 0 && (at % 2 == 0 || at + 1 == s->head_count)) at = (at - 1) / 2;
    return at == 0 ? s->head_count : at + 1;
}

/* A search for the job of least metric on at most `budget` nodes. */
typedef struct sgdsched_priv_search {
    uint32_t budget;
    double   metric;
    uint64_t turn;
    uint32_t at, nodes;            /* nodes 0: none yet                               */
    int      is_head;
} sgdsched_priv_search;

static void sgdsched_priv_try(const sgdsched_scheduler *s, sgdsched_priv_search *best,
                              const sgdsched_priv_curve *c, double key, uint64_t turn,
                              uint32_t at, int is_head)
{
    const uint32_t b = best->budget < c->table.nodes ? best->budget : c->table.nodes;
    const uint32_t w = c->choice[b - 1];
    const double metric = sgdsched_priv_metric(s, c, key, w);
    if (best->nodes > 0 &&
        !sgdsched_priv_is_before(metric, turn, best->metric, best->turn))
        return;
    best->metric = metric;
    best->turn = turn;
    best->nodes = w;
    best->at = at;
    best->is_head = is_head;
}

/* The search, from entry `from` of the list on. `low` times its metric on an empty
 * cluster is the least that a job can come to, which ends the way through the list, and
 * that below any head in the heap. */
static sgdsched_priv_search sgdsched_priv_find(sgdsched_scheduler *s, uint32_t from,
                                               uint32_t budget)
{
    sgdsched_priv_search best;
    uint32_t i;
    memset(&best, 0, sizeof best);
    best.budget = budget;
    s->look++;
    for (i = from; i < s->count; i++) {
        const sgdsched_priv_entry *e = s->list + i;
        sgdsched_priv_curve *c = s->curve + e->curve;
        if (best.nodes > 0 && e->metric * s->low > best.metric) break;
        if (e->nodes > 0 || c->seen == s->look) continue;
        c->seen = s->look;                         /* later ones of it are no better  */
        sgdsched_priv_try(s, &best, c, e->key, e->turn, i, 0);
    }
    for (i = 0; i < s->head_count;) {
        const sgdsched_priv_head *h = s->heads + i;
        const int skip = best.nodes > 0 && h->metric * s->low > best.metric;
        if (!skip)
            sgdsched_priv_try(s, &best, s->curve + h->curve, h->key, h->turn, i, 1);
        i = sgdsched_priv_next_head(s, i, skip);
    }
    return best;
}

/* HELL and KNEE once the nodes left do not suffice for all that a job may want. Returns
 * the nodes that nobody takes. */
static uint32_t sgdsched_priv_take_rest(sgdsched_scheduler *s, uint32_t from,
                                        uint32_t left)
{
    while (left > 0) {
        sgdsched_priv_search best;
        while (from < s->count && s->list[from].nodes > 0) from++;
        if (from == s->count && s->head_count == 0) break;
        best = sgdsched_priv_find(s, from, left);
        SGDSCHED_ASSERT(best.nodes > 0 && best.nodes <= left);
        left -= best.nodes;
        if (best.is_head) sgdsched_priv_give_head(s, best.at, best.nodes);
        else s->list[best.at].nodes = best.nodes;
    }
    return left;
}

/* Malleable jobs, in order of metric: equal shares, one node, or what they want. */
static uint32_t sgdsched_priv_take_malleable(sgdsched_scheduler *s)
{
    const int chooses =
        s->rules.policy == SGDSCHED_HELL || s->rules.policy == SGDSCHED_KNEE;
    const size_t jobs = (size_t)s->count + s->waiting;
    uint32_t left = s->rules.nodes, share = 0, more = 0, from = 0;
    if (s->rules.policy == SGDSCHED_EQUAL && jobs > 0) {
        share = jobs < left ? left / (uint32_t)jobs : 1;
        more = jobs < left ? left % (uint32_t)jobs : 0;
    }
    while (left > 0 && (from < s->count || s->head_count > 0)) {
        const int head = sgdsched_priv_head_is_next(s, from);
        uint32_t w = share + (more > 0);
        if (chooses && left < s->widest) return sgdsched_priv_take_rest(s, from, left);
        if (share == 0)
            w = head ? s->curve[s->heads[0].curve].want : s->list[from].want;
        if (more > 0) more--;
        left -= w;
        if (head) sgdsched_priv_give_head(s, 0, w);
        else s->list[from++].nodes = w;
    }
    return left;
}

/* The first head that wants no more than `left` nodes; NONE: there is none. */
static uint32_t sgdsched_priv_first_fit(const sgdsched_scheduler *s, uint32_t left)
{
    uint32_t best = SGDSCHED_PRIV_NONE, i = 0;
    while (i < s->head_count) {
        const sgdsched_priv_head *h = s->heads + i;
        const int skip =
            best != SGDSCHED_PRIV_NONE && sgdsched_priv_leads(s->heads + best, h);
        const int fits = s->curve[h->curve].want <= left;
        if (!skip && fits) best = i;
        i = sgdsched_priv_next_head(s, i, skip || fits);
    }
    return best;
}

/* Moldable jobs, in order of metric, as far as they fit. Those that have not started want
 * the same as others on their curve, so that of each curve the head tells. */
static uint32_t sgdsched_priv_take_moldable(sgdsched_scheduler *s)
{
    uint32_t left = s->rules.nodes, fit = 0, from = 0;
    while (left > 0) {
        sgdsched_priv_entry *e = s->list + from;
        uint32_t w;
        if (!s->rules.head_of_line && fit < s->head_count &&
            s->curve[s->heads[fit].curve].want > left)
            fit = sgdsched_priv_first_fit(s, left);
        if (fit < s->head_count &&
            (from == s->count || sgdsched_priv_is_before(s->heads[fit].metric,
                                                         s->heads[fit].turn, e->metric,
                                                         e->turn))) {
            w = s->curve[s->heads[fit].curve].want;
            if (w > left) return left;
            sgdsched_priv_give_head(s, fit, w);
            fit = 0;
        } else {
            if (from == s->count) return left;
            w = e->want <= left ? e->want : 0;
            if (w == 0 && s->rules.head_of_line) return left;
            e->nodes = w;
            from++;
        }
        left -= w;
    }
    return left;
}

/* ---- Allocation: filling --------------------------------------------------- */

/* Moves reach[j] on to the smallest node count above what job j has that takes it below
 * m, as long as that needs no more than `limit` more nodes; 0: there is none. All counts
 * on the way are at m or above, and so they stay, since m only falls. */
static void sgdsched_priv_advance(const sgdsched_scheduler *s,
                                  const sgdsched_priv_entry *e, uint32_t *reach, double m,
                                  uint32_t limit)
{
    const sgdsched_priv_curve *c = s->curve + e->curve;
    while (*reach > 0 && *reach - e->nodes <= limit &&
           !(sgdsched_priv_service(c, e->key, *reach) < m))
        *reach = c->after[*reach - 1];
}

/* Gives out `left` nodes [LPCG18 eq. 5] to the jobs of the list, all of which have some
 * and are all jobs there are: HELL, KNEE and Waterfill leave none over as long as a job
 * has none. Returns what nobody takes.
 *
 * The job that gets nodes has the least S from then on. Any other would have needed as
 * many, and as many no longer suffice: so the same job goes on as long as its steps do
 * not get longer, and all jobs need be looked at only when they do. */
static uint32_t sgdsched_priv_fill(sgdsched_scheduler *s, uint32_t left)
{
    const uint32_t count = s->total;
    double m = DBL_MAX;
    uint32_t j;
    for (j = 0; j < count; j++) {
        const sgdsched_priv_entry *e = s->list + j;
        const double time = sgdsched_priv_service(s->curve + e->curve, e->key, e->nodes);
        if (time < m) m = time;
        s->reach[j] = e->nodes;
    }
    while (left > 0) {
        uint32_t step = left, best = count, w;
        double least = m;
        sgdsched_priv_entry *e;
        const sgdsched_priv_curve *c;
        for (j = 0; j < count; j++) {
            double time;
            e = s->list + j;
            sgdsched_priv_advance(s, e, s->reach + j, m, step);
            if (s->reach[j] == 0 || s->reach[j] - e->nodes > step) continue;
            time = sgdsched_priv_service(s->curve + e->curve, e->key, s->reach[j]);
            if (best < count && s->reach[j] - e->nodes == step &&
                !sgdsched_priv_is_before(time, e->turn, least, s->list[best].turn))
                continue;
            step = s->reach[j] - e->nodes;
            best = j;
            least = time;
        }
        if (best == count) break;
        e = s->list + best;
        c = s->curve + e->curve;
        w = e->nodes + step;
        left -= step;
        for (;;) {
            uint32_t to = c->after[w - 1];
            if (to == 0 || to - w > step || to - w > left) break;
            if (to == w + 1) to = c->run[w - 1] - w < left ? c->run[w - 1] : w + left;
            left -= to - w;
            w = to;
        }
        e->nodes = s->reach[best] = w;
        m = sgdsched_priv_service(c, e->key, w);
    }
    return left;
}

/* Decides for the list and those that wait: afterwards list[total] has whoever was in the
 * list or gets nodes. Returns the idle nodes. */
static uint32_t sgdsched_priv_decide(sgdsched_scheduler *s)
{
    uint32_t left;
    sgdsched_priv_sort(s);
    s->total = s->count;
    left = sgdsched_priv_is_moldable(s->rules.policy) ? sgdsched_priv_take_moldable(s)
                                                  : sgdsched_priv_take_malleable(s);
    if (left > 0 && s->reach && s->total > 0) left = sgdsched_priv_fill(s, left);
    return left;
}

/* ---- Allocation ------------------------------------------------------------ */

static int sgdsched_priv_is_job(const sgdsched_rules *rules, size_t curves,
                                const sgdsched_job *job)
{
    return job->curve < curves && sgdsched_priv_is_rate(job->remaining) &&
           sgdsched_priv_is_time(job->size) && job->held <= rules->nodes &&
           (!(job->size > 0.0) || job->size >= job->remaining);
}

SGDSCHED_API sgdsched_status sgdsched_allocate_bytes(const sgdsched_rules *rules,
                                                     const sgdsched_curve *curve,
                                                     size_t curves, size_t jobs,
                                                     size_t *bytes)
{
    if (!bytes) return SGDSCHED_BAD_ARGUMENT;
    return sgdsched_priv_count(rules, curve, curves, jobs, 0, bytes);
}

SGDSCHED_API sgdsched_status sgdsched_allocate(const sgdsched_rules *rules,
                                               const sgdsched_curve *curve, size_t curves,
                                               const sgdsched_job *job, size_t jobs,
                                               void *work, size_t work_bytes,
                                               uint32_t *nodes, uint32_t *idle)
{
    sgdsched_scheduler *s = NULL;
    sgdsched_status status;
    uint32_t left;
    size_t i;
    if (!rules || (jobs > 0 && (!job || !nodes))) return SGDSCHED_BAD_ARGUMENT;
    for (i = 0; i < jobs; i++)
        if (!sgdsched_priv_is_job(rules, curves, job + i)) return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_start(rules, curve, curves, jobs, 0, work, work_bytes, &s);
    if (status != SGDSCHED_OK) return status;
    for (i = 0; i < jobs; i++) {
        const double size = job[i].size > 0.0 ? job[i].size : job[i].remaining;
        sgdsched_priv_entry *e = s->list + i;
        e->key = sgdsched_priv_key(s, size, job[i].remaining);
        e->turn = i;
        e->job = (uint32_t)i;
        e->curve = (uint32_t)job[i].curve;
        e->nodes = e->before = 0;
        e->place = SGDSCHED_PRIV_NONE;
        sgdsched_priv_fill_entry(s, e, job[i].held);
    }
    s->count = (uint32_t)jobs;
    left = sgdsched_priv_decide(s);
    for (i = 0; i < s->total; i++) nodes[s->list[i].job] = s->list[i].nodes;
    if (idle) *idle = left;
    return SGDSCHED_OK;
}

/* ---- Live scheduler -------------------------------------------------------- */

SGDSCHED_API sgdsched_status sgdsched_open_bytes(const sgdsched_rules *rules,
                                                 const sgdsched_curve *curve,
                                                 size_t curves, size_t max_jobs,
                                                 size_t *bytes)
{
    if (!bytes || max_jobs == 0) return SGDSCHED_BAD_ARGUMENT;
    return sgdsched_priv_count(rules, curve, curves, max_jobs, 1, bytes);
}

SGDSCHED_API sgdsched_status sgdsched_open(const sgdsched_rules *rules,
                                           const sgdsched_curve *curve, size_t curves,
                                           size_t max_jobs, void *work, size_t work_bytes,
                                           sgdsched_scheduler **out)
{
    sgdsched_scheduler *s = NULL;
    sgdsched_status status;
    size_t i;
    if (!out || max_jobs == 0) return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_start(rules, curve, curves, max_jobs, 1, work, work_bytes, &s);
    if (status != SGDSCHED_OK) return status;
    for (i = 0; i < max_jobs; i++) {
        s->job[i].present = 0;
        s->job[i].nodes = 0;
    }
    *out = s;
    return SGDSCHED_OK;
}

/* A job joins the list, to be decided upon. */
static void sgdsched_priv_enlist(sgdsched_scheduler *s, uint32_t number)
{
    sgdsched_priv_job *j = s->job + number;
    sgdsched_priv_entry *e;
    j->place = s->hole;
    if (s->hole != SGDSCHED_PRIV_NONE) s->hole = s->list[s->hole].want;
    else j->place = s->count++;
    SGDSCHED_ASSERT(j->place < s->max_jobs);
    e = s->list + j->place;
    e->key = j->key;
    e->turn = j->turn;
    e->job = number;
    e->curve = j->curve;
    e->nodes = e->before = j->nodes;
    e->place = j->place;
    sgdsched_priv_fill_entry(s, e, j->held);
}

SGDSCHED_API sgdsched_status sgdsched_arrive(sgdsched_scheduler *s, size_t job,
                                             const sgdsched_job *description)
{
    sgdsched_priv_job *j;
    if (!s || !description || job >= s->max_jobs ||
        !sgdsched_priv_is_job(&s->rules, s->curves, description))
        return SGDSCHED_BAD_ARGUMENT;
    j = s->job + job;
    if (j->present) return SGDSCHED_BAD_JOB;
    j->present = 1;
    j->size = description->size > 0.0 ? description->size : description->remaining;
    j->key = sgdsched_priv_key(s, j->size, description->remaining);
    j->turn = s->turns++;
    j->curve = (uint32_t)description->curve;
    j->held = sgdsched_priv_is_moldable(s->rules.policy) ? description->held : 0;
    j->nodes = 0;
    sgdsched_priv_enlist(s, (uint32_t)job);
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_progress(sgdsched_scheduler *s, size_t job,
                                               double remaining)
{
    sgdsched_priv_job *j;
    if (!s) return SGDSCHED_BAD_ARGUMENT;
    if (job >= s->max_jobs || !s->job[job].present) return SGDSCHED_BAD_JOB;
    j = s->job + job;
    if (!sgdsched_priv_is_rate(remaining) || remaining > j->size)
        return SGDSCHED_BAD_ARGUMENT;
    j->key = sgdsched_priv_key(s, j->size, remaining);
    if (j->place == SGDSCHED_PRIV_NONE) {
        sgdsched_priv_stop_waiting(s, (uint32_t)job);
        sgdsched_priv_enlist(s, (uint32_t)job);
    } else {
        sgdsched_priv_entry *e = s->list + j->place;
        e->key = j->key;
        e->metric = sgdsched_priv_metric(s, s->curve + e->curve, e->key, e->want);
    }
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_leave(sgdsched_scheduler *s, size_t job)
{
    sgdsched_priv_job *j;
    if (!s) return SGDSCHED_BAD_ARGUMENT;
    if (job >= s->max_jobs || !s->job[job].present) return SGDSCHED_BAD_JOB;
    j = s->job + job;
    if (j->place == SGDSCHED_PRIV_NONE) {
        sgdsched_priv_stop_waiting(s, (uint32_t)job);
    } else {
        s->list[j->place].job = SGDSCHED_PRIV_NONE;
        s->list[j->place].want = s->hole;
        s->hole = j->place;
    }
    s->idle += j->nodes;
    j->nodes = 0;
    j->present = 0;
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_reshape(sgdsched_scheduler *s, size_t curve,
                                              const sgdsched_curve *estimate)
{
    sgdsched_status status;
    if (!s || !estimate || curve >= s->curves) return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_check_shape(estimate);
    if (status != SGDSCHED_OK || estimate->nodes != s->curve[curve].given)
        return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_check_curve(estimate);
    if (status != SGDSCHED_OK) return status;
    sgdsched_priv_set_curve(s, s->curve + curve, estimate);
    sgdsched_priv_renew_head(s, (uint32_t)curve);
    s->reshaped = 1;                               /* the list at the next decision   */
    return SGDSCHED_OK;
}

/* Does change a come after b: those that lose nodes first, then by arrival? */
static int sgdsched_priv_comes_after(const sgdsched_scheduler *s,
                                     const sgdsched_change *a, const sgdsched_change *b)
{
    const int gains = a->nodes > a->before, gains_b = b->nodes > b->before;
    if (gains != gains_b) return gains;
    return s->job[a->job].turn > s->job[b->job].turn;
}

/* Heap sort, since there is no other room than change[]. */
static void sgdsched_priv_sort_changes(const sgdsched_scheduler *s,
                                       sgdsched_change *change, size_t count)
{
    size_t end = count, start = count / 2;
    while (end > 1) {
        sgdsched_change c;
        size_t at;
        if (start > 0) {
            c = change[--start];
        } else {
            c = change[--end];
            change[end] = change[0];
        }
        for (at = start; 2 * at + 1 < end;) {
            size_t child = 2 * at + 1;
            if (child + 1 < end && sgdsched_priv_comes_after(s, change + child + 1,
                                                             change + child)) child++;
            if (!sgdsched_priv_comes_after(s, change + child, &c)) break;
            change[at] = change[child];
            at = child;
        }
        change[at] = c;
    }
}

SGDSCHED_API sgdsched_status sgdsched_decide(sgdsched_scheduler *s,
                                             sgdsched_change *change, size_t *changes)
{
    const int moldable = s && sgdsched_priv_is_moldable(s->rules.policy);
    uint32_t i, count = 0;
    size_t changed = 0;
    if (!s || !change || !changes) return SGDSCHED_BAD_ARGUMENT;
    s->idle = sgdsched_priv_decide(s);
    for (i = 0; i < s->total; i++) {
        sgdsched_priv_entry *e = s->list + i;
        sgdsched_priv_job *j = s->job + e->job;    /* mostly not looked into          */
        if (e->nodes != e->before) {
            change[changed].job = e->job;
            change[changed].before = e->before;
            change[changed++].nodes = e->nodes;
            j->nodes = e->before = e->nodes;
        }
        if (e->nodes == 0) {
            if (!moldable || j->held == 0) {
                sgdsched_priv_wait(s, e->job);
                continue;
            }
        } else if (moldable && j->held == 0) {
            j->held = e->nodes;
        }
        if (e->place != count) e->place = j->place = count;
        if (count < i) s->list[count] = *e;
        count++;
    }
    s->count = count;
    sgdsched_priv_sort_changes(s, change, changed);
    *changes = changed;
    return SGDSCHED_OK;
}

SGDSCHED_API uint32_t sgdsched_nodes(const sgdsched_scheduler *s, size_t job)
{
    return s && job < s->max_jobs ? s->job[job].nodes : 0;
}

SGDSCHED_API uint32_t sgdsched_idle(const sgdsched_scheduler *s)
{
    return s ? s->idle : 0;
}

/* ---- Cluster: statistics of a run ------------------------------------------ */

/* Jobs are counted in batches of equal numbers. When there is no room for another
 * batch, neighbours are merged and batches hold twice as many: memory stays the same
 * however many jobs are served. Intervals come from the means of groups of batches,
 * whether they can be trusted from the correlation of batches [LC79].
 *
 * Of the response times each group also has a histogram. Bins halve no octave evenly on
 * a logarithmic scale but split it in equal steps, so that the leading bits of a double
 * are the number of its bin. */
enum {
    SGDSCHED_PRIV_GROUP   = 16,                 /* batches of a group               */
    SGDSCHED_PRIV_GROUPS  = 32,
    SGDSCHED_PRIV_BATCHES = SGDSCHED_PRIV_GROUP * SGDSCHED_PRIV_GROUPS,
    SGDSCHED_PRIV_OCTAVE  = 128,                /* bins of an octave                */
    SGDSCHED_PRIV_OCTAVES = 64,
    SGDSCHED_PRIV_LOWEST  = -24,                /* the first begins at 2^-24 s      */
    SGDSCHED_PRIV_BINS    = SGDSCHED_PRIV_OCTAVE * SGDSCHED_PRIV_OCTAVES,
    SGDSCHED_PRIV_JOBS_LOG2 = 36                /* so that 32 bits count those of a bin */
};

typedef enum sgdsched_priv_measure {
    SGDSCHED_PRIV_RESPONSE = 0, SGDSCHED_PRIV_SLOWDOWN, SGDSCHED_PRIV_MEASURES
} sgdsched_priv_measure;

typedef struct sgdsched_priv_batch {
    double sum[SGDSCHED_PRIV_MEASURES];
} sgdsched_priv_batch;

typedef struct sgdsched_priv_statistics {
    sgdsched_priv_batch *batch;    /* [BATCHES]                                     */
    uint32_t *histogram;           /* [GROUPS][BINS] jobs                           */
    size_t    batches;             /* complete ones, less than BATCHES              */
    size_t    low, high;           /* bins in use, from low to high                 */
    uint64_t  batch_jobs, newest;  /* jobs of a complete batch, of that begun       */
    uint64_t  jobs, cancelled;
    double    sum[SGDSCHED_PRIV_MEASURES];
    double    fraction_s[SGDSCHED_FRACTIONS];
    uint64_t  fraction_jobs[SGDSCHED_FRACTIONS];
    double    begin_s;             /* of the time that counts, if counting          */
    int       counting;
    double    present_s, nodes_s;  /* integrals over it: jobs, nodes in use         */
} sgdsched_priv_statistics;

static void sgdsched_priv_statistics_init(sgdsched_priv_statistics *s)
{
    memset(s->batch, 0, SGDSCHED_PRIV_BATCHES * sizeof *s->batch);
    memset(s->histogram, 0,
           (size_t)SGDSCHED_PRIV_GROUPS * SGDSCHED_PRIV_BINS * sizeof *s->histogram);
    s->batch_jobs = 1;
    s->low = SGDSCHED_PRIV_BINS - 1;
}

/* The first bin also has all times below it, the last one all above. */
static size_t sgdsched_priv_bin(double time_s)
{
    const uint64_t first = (uint64_t)(1023 + SGDSCHED_PRIV_LOWEST) * SGDSCHED_PRIV_OCTAVE;
    uint64_t bits;
    if (!(time_s > 0.0)) return 0;
    memcpy(&bits, &time_s, sizeof bits);
    bits >>= 52 - 7;                            /* exponent and 7 bits below it     */
    if (bits <= first) return 0;
    return bits - first < SGDSCHED_PRIV_BINS ? (size_t)(bits - first)
                                             : SGDSCHED_PRIV_BINS - 1;
}

/* The time at which a bin begins. */
static double sgdsched_priv_bin_edge(size_t bin)
{
    const size_t octave = bin / SGDSCHED_PRIV_OCTAVE, step = bin % SGDSCHED_PRIV_OCTAVE;
    const double part = (double)step / (double)SGDSCHED_PRIV_OCTAVE;
    return ldexp(1.0 + part, (int)octave + SGDSCHED_PRIV_LOWEST);
}

/* Merges neighbours, which leaves room for as many batches again. */
static void sgdsched_priv_merge(sgdsched_priv_statistics *s)
{
    const size_t width = s->high - s->low + 1;
    size_t i, k;
    for (i = 0; i < SGDSCHED_PRIV_BATCHES / 2; i++)
        for (k = 0; k < SGDSCHED_PRIV_MEASURES; k++)
            s->batch[i].sum[k] = s->batch[2 * i].sum[k] + s->batch[2 * i + 1].sum[k];
    memset(s->batch + i, 0, i * sizeof *s->batch);
    for (i = 0; i < SGDSCHED_PRIV_GROUPS; i++) {
        uint32_t *from = s->histogram + i * SGDSCHED_PRIV_BINS + s->low;
        uint32_t *to = s->histogram + i / 2 * SGDSCHED_PRIV_BINS + s->low;
        if (i % 2 != 0) {
            for (k = 0; k < width; k++) to[k] += from[k];
        } else if (i > 0) {
            memcpy(to, from, width * sizeof *to);
        }
        if (i > 0) memset(from, 0, width * sizeof *from);
    }
    s->batches = SGDSCHED_PRIV_BATCHES / 2;
    s->batch_jobs *= 2;
}

/* Counts a job that has left; 1 when a group is complete with it. */
static int sgdsched_priv_observe(sgdsched_priv_statistics *s, double response_s,
                                 double slowdown)
{
    const size_t bin = sgdsched_priv_bin(response_s);
    sgdsched_priv_batch *batch = s->batch + s->batches;
    batch->sum[SGDSCHED_PRIV_RESPONSE] += response_s;
    batch->sum[SGDSCHED_PRIV_SLOWDOWN] += slowdown;
    s->sum[SGDSCHED_PRIV_RESPONSE] += response_s;
    s->sum[SGDSCHED_PRIV_SLOWDOWN] += slowdown;
    s->histogram[s->batches / SGDSCHED_PRIV_GROUP * SGDSCHED_PRIV_BINS + bin]++;
    if (bin < s->low) s->low = bin;
    if (bin > s->high) s->high = bin;
    s->jobs++;
    if (++s->newest < s->batch_jobs) return 0;
    s->newest = 0;
    if (++s->batches == SGDSCHED_PRIV_BATCHES) sgdsched_priv_merge(s);
    return s->batches % SGDSCHED_PRIV_GROUP == 0;
}

/* Half-width of the 95 % interval of a mean, from as many observations of it. */
static double sgdsched_priv_half_width(const double *observed, size_t n)
{
    /* Two-sided 95 % points of Student's t for 1, 2, ... degrees of freedom. */
    static const double t[SGDSCHED_PRIV_GROUPS - 1] = {
        12.7062047362, 4.30265272975, 3.18244630528, 2.7764451052,  2.57058183564,
        2.44691185114, 2.36462425159, 2.3060041352,  2.2621571628,  2.22813885199,
        2.20098516009, 2.17881282967, 2.16036865646, 2.14478668792, 2.13144954556,
        2.11990529922, 2.10981557783, 2.10092204024, 2.09302405441, 2.08596344727,
        2.07961384473, 2.0738730679,  2.06865761042, 2.06389856163, 2.05953855275,
        2.05552943864, 2.05183051648, 2.0484071418,  2.04522964213, 2.0422724563,
        2.0395134464
    };
    double mean = 0.0, squares = 0.0;
    size_t i;
    if (n < 2) return HUGE_VAL;
    SGDSCHED_ASSERT(n <= SGDSCHED_PRIV_GROUPS);
    for (i = 0; i < n; i++) mean += observed[i];
    mean /= (double)n;
    for (i = 0; i < n; i++) squares += (observed[i] - mean) * (observed[i] - mean);
    return t[n - 2] * sqrt(squares / ((double)n * (double)(n - 1)));
}

static sgdsched_estimate sgdsched_priv_mean(const sgdsched_priv_statistics *s,
                                            sgdsched_priv_measure measure)
{
    const double jobs = (double)(s->batch_jobs * SGDSCHED_PRIV_GROUP);
    const size_t groups = s->batches / SGDSCHED_PRIV_GROUP;
    double mean[SGDSCHED_PRIV_GROUPS];
    sgdsched_estimate estimate;
    size_t i, k;
    for (i = 0; i < groups; i++) {
        mean[i] = 0.0;
        for (k = 0; k < SGDSCHED_PRIV_GROUP; k++)
            mean[i] += s->batch[i * SGDSCHED_PRIV_GROUP + k].sum[measure];
        mean[i] /= jobs;
    }
    estimate.value = s->jobs > 0 ? s->sum[measure] / (double)s->jobs : 0.0;
    estimate.half_width = sgdsched_priv_half_width(mean, groups);
    return estimate;
}

/* Correlation of the response time of a batch with that of the next; at most 0.4 if
 * groups of them are to count as independent [LC79]. */
static double sgdsched_priv_correlation(const sgdsched_priv_statistics *s)
{
    double mean = 0.0, squares = 0.0, products = 0.0, before = 0.0;
    size_t i;
    for (i = 0; i < s->batches; i++) mean += s->batch[i].sum[SGDSCHED_PRIV_RESPONSE];
    mean /= (double)s->batches;
    for (i = 0; i < s->batches; i++) {
        const double away = s->batch[i].sum[SGDSCHED_PRIV_RESPONSE] - mean;
        squares += away * away;
        products += away * before;
        before = away;
    }
    return squares > 0.0 ? products / squares : 0.0;
}

/* Replaces the counts of every group by those of this bin and all below. */
static void sgdsched_priv_accumulate(sgdsched_priv_statistics *s)
{
    size_t i, k;
    for (i = 0; i < SGDSCHED_PRIV_GROUPS; i++) {
        uint32_t *count = s->histogram + i * SGDSCHED_PRIV_BINS;
        for (k = s->low + 1; k <= s->high; k++) count[k] += count[k - 1];
    }
}

/* Jobs of all groups in a bin or below, of accumulated counts. */
static double sgdsched_priv_below(const sgdsched_priv_statistics *s, size_t bin)
{
    uint64_t jobs = 0;
    size_t i;
    for (i = 0; i < SGDSCHED_PRIV_GROUPS; i++)
        jobs += s->histogram[i * SGDSCHED_PRIV_BINS + bin];
    return (double)jobs;
}

/* The time below which a part p of all jobs stays, 0 < p < 1: the first bin that brings
 * them to as many, and the part of it that is needed. */
static double sgdsched_priv_quantile(const sgdsched_priv_statistics *s, double p,
                                     size_t *bin, double *part)
{
    const double want = p * (double)s->jobs * (1.0 - 1e-12);   /* 0.07 700 is 49     */
    size_t low = s->low, high = s->high;
    double before, edge_s;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sgdsched_priv_below(s, middle) < want) low = middle + 1;
        else high = middle;
    }
    before = low > s->low ? sgdsched_priv_below(s, low - 1) : 0.0;
    *bin = low;
    *part = (want - before) / (sgdsched_priv_below(s, low) - before);
    if (low == 0) return 0.0;                   /* the ends know no bounds          */
    if (low == SGDSCHED_PRIV_BINS - 1) return HUGE_VAL;
    edge_s = sgdsched_priv_bin_edge(low);
    return edge_s + *part * (sgdsched_priv_bin_edge(low + 1) - edge_s);
}

/* A quantile. What part of a group's jobs stays below it has mean p, and from group to
 * group an interval p - h .. p + h; the quantiles of its ends are those of the quantile,
 * the farther one counts. No density needs to be estimated, and no quantile of a group,
 * which would be biased where a group has few jobs beyond it. */
static sgdsched_estimate
sgdsched_priv_quantile_estimate(const sgdsched_priv_statistics *s, double p)
{
    const double jobs = (double)(s->batch_jobs * SGDSCHED_PRIV_GROUP);
    const size_t groups = s->batches / SGDSCHED_PRIV_GROUP;
    sgdsched_estimate estimate = { 0.0, HUGE_VAL };
    double observed[SGDSCHED_PRIV_GROUPS], part, h, above_s, below_s;
    size_t bin, i;
    if (s->jobs == 0) return estimate;
    estimate.value = sgdsched_priv_quantile(s, p, &bin, &part);
    if (!(estimate.value <= DBL_MAX)) return estimate;
    for (i = 0; i < groups; i++) {
        const uint32_t *count = s->histogram + i * SGDSCHED_PRIV_BINS + bin;
        const double before = bin > s->low ? (double)count[-1] : 0.0;
        observed[i] = (before + part * ((double)count[0] - before)) / jobs;
    }
    h = sgdsched_priv_half_width(observed, groups);
    if (!(p - h > 0.0 && p + h < 1.0)) return estimate;
    above_s = sgdsched_priv_quantile(s, p + h, &bin, &part) - estimate.value;
    below_s = estimate.value - sgdsched_priv_quantile(s, p - h, &bin, &part);
    estimate.half_width = above_s > below_s ? above_s : below_s;
    return estimate;
}

/* ---- Cluster: jobs of a run ------------------------------------------------ */

/* In [0, 1), of 53 bits. */
static double sgdsched_priv_uniform(uint64_t random)
{
    return (double)(random >> 11) / 9007199254740992.0;
}

/* What a job draws. A size takes two numbers, and two more whenever it is redrawn. */
typedef enum sgdsched_priv_draw {
    SGDSCHED_PRIV_DRAW_GAP = 0,
    SGDSCHED_PRIV_DRAW_KIND,
    SGDSCHED_PRIV_DRAW_QUIT,
    SGDSCHED_PRIV_DRAW_SIZE
} sgdsched_priv_draw;

/* Of the standard normal distribution, by the transformation of Box and Muller. */
static double sgdsched_priv_normal(uint64_t seed, uint64_t job, uint64_t draw)
{
    const double turn = 6.283185307179586;
    const double u = sgdsched_priv_uniform(sgdsched_random(seed, job, draw));
    const double v = sgdsched_priv_uniform(sgdsched_random(seed, job, draw + 1));
    return sqrt(-2.0 * log(1.0 - u)) * cos(turn * v);
}

static double sgdsched_priv_size(const sgdsched_kind *kind, uint64_t seed, uint64_t job)
{
    const double mean = kind->size_mean, deviation = kind->size_deviation;
    uint64_t draw = SGDSCHED_PRIV_DRAW_SIZE;
    double spread, size;
    switch (kind->law) {
    case SGDSCHED_EXPONENTIAL:
        size = -mean * log(1.0 - sgdsched_priv_uniform(sgdsched_random(seed, job, draw)));
        return size > DBL_MIN ? size : DBL_MIN;
    case SGDSCHED_LOGNORMAL:
        spread = log(1.0 + (deviation / mean) * (deviation / mean));
        return mean * exp(sqrt(spread) * sgdsched_priv_normal(seed, job, draw)
                          - 0.5 * spread);
    case SGDSCHED_NORMAL:
    default:
        if (!(deviation > 0.0)) return mean;
        do {                       /* each with a chance of 1/2 at least            */
            size = mean + deviation * sgdsched_priv_normal(seed, job, draw);
            draw += 2;
        } while (!(size > 0.0));
        return size;
    }
}

/* X(w); more nodes than the curve has do as well as its last. */
static double sgdsched_priv_throughput(const sgdsched_curve *curve, uint32_t w)
{
    const uint32_t i = (w < curve->nodes ? w : curve->nodes) - 1;
    if (curve->throughput_per_s) return curve->throughput_per_s[i];
    return 1.0 / curve->service_s[i];
}

/* ---- Cluster --------------------------------------------------------------- */

/* A job that is present. It sits in the same slot, its number for the scheduler, until
 * it leaves. */
typedef struct sgdsched_priv_present {
    uint64_t number;               /* in order of arrival                           */
    double   arrival_s, size;
    double   remaining;            /* when its nodes changed last                   */
    double   last;                 /* what remains when it leaves: 0, or what its   */
                                   /*   user does without                           */
    size_t   curve;
    size_t   place;                /* among those that run                          */
    size_t   next;                 /* JSQ: behind it in the queue                   */
    size_t   chunk;                /*   and where it queues                         */
    size_t   fractions;            /* to which it has come                          */
    int      started;
    double   fraction_s[SGDSCHED_FRACTIONS];
} sgdsched_priv_present;

/* A job that runs: its throughput does not change between two decisions that concern it,
 * so that it need not be looked at in between. */
typedef struct sgdsched_priv_running {
    double end_s;
    double since_s, remaining;     /* it had so much left when it began to run so   */
    double throughput_per_s;
    size_t slot;
} sgdsched_priv_running;

/* A chunk of JSQ: jobs, waiting and in service, from first to last. */
typedef struct sgdsched_priv_chunk { size_t jobs, first, last; } sgdsched_priv_chunk;

typedef struct sgdsched_priv_cluster {
    const sgdsched_cluster *in;    /* and its fields with their defaults:           */
    double   precision;
    uint64_t warmup_jobs, min_jobs, max_jobs;
    size_t   max_present;

    double   arrivals_per_s;       /* generated ones                                */
    double  *weight;               /* [kinds] of this kind and those before         */
    double  *peak_per_s;           /* [curves] greatest X(w)                        */

    double   now_s;
    sgdsched_arrival next;         /* that comes next, if one does                  */
    int      more;
    uint64_t arrived, departed, decisions;
    int      stopped;
    sgdsched_outcome outcome;

    sgdsched_priv_present *job;    /* [max_present]                                 */
    size_t  *empty;                /* [max_present] slots, the last one is taken    */
    size_t   present;
    sgdsched_priv_running *running; /* [at most one a node]                          */
    size_t   runs, first;          /* the first to end                              */
    uint32_t idle;

    sgdsched_change *change;       /* [max_present]                                 */
    void    *scheduler_work;
    size_t   scheduler_bytes;
    sgdsched_scheduler *scheduler; /* NULL: JSQ                                     */
    sgdsched_priv_chunk *chunk;    /* [chunks]                                      */
    size_t   chunks;
    size_t  *start;                /* [starts] chunks whose first job is to start   */
    size_t   starts;

    sgdsched_priv_statistics statistics;
} sgdsched_priv_cluster;

/* ---- Checks and layout */

static int sgdsched_priv_kinds_are_good(const sgdsched_cluster *in)
{
    size_t i;
    for (i = 0; i < in->kinds; i++) {
        const sgdsched_kind *kind = in->kind + i;
        if (kind->curve >= in->curves || !sgdsched_priv_is_rate(kind->weight)
            || !sgdsched_priv_is_rate(kind->size_mean)
            || !sgdsched_priv_is_time(kind->size_deviation)
            || (unsigned)kind->law > (unsigned)SGDSCHED_LOGNORMAL)
            return 0;
    }
    return 1;
}

static int sgdsched_priv_quits_are_good(const sgdsched_cluster *in)
{
    double sum = 0.0;
    size_t i;
    if (in->quits > 0 && (!in->quit_fraction || !in->quit_probability)) return 0;
    for (i = 0; i < in->quits; i++) {
        if (!(in->quit_fraction[i] > 0.0 && in->quit_fraction[i] < 1.0)
            || !(in->quit_probability[i] >= 0.0))
            return 0;
        sum += in->quit_probability[i];
    }
    return sum <= 1.0 + 1e-12;
}

/* Of generated arrivals. */
static double sgdsched_priv_load(const sgdsched_cluster *in)
{
    return in->load > 0.0 ? in->load : in->rules.load;
}

/* All but rules and curves, which the scheduler checks. */
static int sgdsched_priv_cluster_is_good(const sgdsched_cluster *in)
{
    if (!in || !in->curve || in->curves == 0 || in->rules.nodes == 0) return 0;
    if (in->source ? in->kind != NULL : !in->kind || in->kinds == 0) return 0;
    if (!in->source && !(sgdsched_priv_is_time(in->load) &&
                         sgdsched_priv_is_rate(sgdsched_priv_load(in))))
        return 0;
    if (!sgdsched_priv_is_time(in->precision) || !sgdsched_priv_is_time(in->restart_s))
        return 0;
    return (in->source || sgdsched_priv_kinds_are_good(in)) &&
           sgdsched_priv_quits_are_good(in);
}

/* Which JSQ, that has no scheduler, checks itself. */
static sgdsched_status sgdsched_priv_check_jsq(const sgdsched_cluster *in)
{
    sgdsched_status status = SGDSCHED_OK;
    size_t i;
    if (in->chunk == 0 || in->chunk > in->rules.nodes) return SGDSCHED_BAD_ARGUMENT;
    for (i = 0; i < in->curves && status == SGDSCHED_OK; i++)
        status = sgdsched_priv_check_curve(in->curve + i);
    return status;
}

/* Checks, applies the defaults, and lays the work out (or counts it). */
static sgdsched_status sgdsched_priv_carve_cluster(const sgdsched_cluster *in,
                                                   sgdsched_priv_arena *arena,
                                                   sgdsched_priv_cluster *c)
{
    const size_t size_max = (size_t)-1;
    sgdsched_status status = SGDSCHED_OK;
    size_t nodes;
    memset(c, 0, sizeof *c);
    if (!sgdsched_priv_cluster_is_good(in)) return SGDSCHED_BAD_ARGUMENT;
    c->in = in;
    nodes = (size_t)in->rules.nodes;
    if (in->max_present == 0 && nodes > size_max / 10) return SGDSCHED_TOO_LARGE;
    c->max_present = in->max_present > 0 ? in->max_present : 10 * nodes;
    c->precision = in->precision > 0.0 ? in->precision : 0.05;
    c->warmup_jobs = in->warmup_jobs > 0 ? in->warmup_jobs : in->source ? 0 : 1000;
    c->min_jobs = in->min_jobs > 0 ? in->min_jobs : 10000;
    c->max_jobs = in->max_jobs > 0 ? in->max_jobs : 1000000;
    if (!in->source && c->max_jobs >> SGDSCHED_PRIV_JOBS_LOG2) return SGDSCHED_TOO_LARGE;
    if (in->rules.policy == SGDSCHED_JSQ) {
        status = sgdsched_priv_check_jsq(in);
        if (status != SGDSCHED_OK) return status;
        c->chunks = nodes / in->chunk;
        c->chunk =
            (sgdsched_priv_chunk *)sgdsched_priv_take(arena, c->chunks, sizeof *c->chunk);
        c->start = (size_t *)sgdsched_priv_take(arena, c->chunks, sizeof *c->start);
    } else {
        status = sgdsched_open_bytes(&in->rules, in->curve, in->curves, c->max_present,
                                     &c->scheduler_bytes);
        c->scheduler_work = sgdsched_priv_take(arena, c->scheduler_bytes, 1);
    }
    if (status != SGDSCHED_OK) return status;
    c->weight = (double *)sgdsched_priv_take(arena, in->kinds, sizeof *c->weight);
    c->peak_per_s =
        (double *)sgdsched_priv_take(arena, in->curves, sizeof *c->peak_per_s);
    c->job = (sgdsched_priv_present *)sgdsched_priv_take(arena, c->max_present,
                                                         sizeof *c->job);
    c->empty = (size_t *)sgdsched_priv_take(arena, c->max_present, sizeof *c->empty);
    c->change = (sgdsched_change *)sgdsched_priv_take(arena, c->max_present,
                                                      sizeof *c->change);
    if (nodes > c->max_present) nodes = c->max_present;
    c->running =
        (sgdsched_priv_running *)sgdsched_priv_take(arena, nodes, sizeof *c->running);
    c->statistics.batch = (sgdsched_priv_batch *)sgdsched_priv_take(
        arena, SGDSCHED_PRIV_BATCHES, sizeof *c->statistics.batch);
    c->statistics.histogram = (uint32_t *)sgdsched_priv_take(
        arena, (size_t)SGDSCHED_PRIV_GROUPS * SGDSCHED_PRIV_BINS, sizeof(uint32_t));
    return arena->overflow ? SGDSCHED_TOO_LARGE : SGDSCHED_OK;
}

/* ---- Arrivals */

/* Weights of kinds, and the rate that makes the load lambda E[S(1)] / W. */
static sgdsched_status sgdsched_priv_prepare_kinds(sgdsched_priv_cluster *c)
{
    const sgdsched_cluster *in = c->in;
    double service_s = 0.0, sum = 0.0;
    size_t i;
    for (i = 0; i < in->kinds; i++) {
        const sgdsched_kind *kind = in->kind + i;
        sum += kind->weight;
        c->weight[i] = sum;
        service_s += kind->weight * kind->size_mean
            / sgdsched_priv_throughput(in->curve + kind->curve, 1);
    }
    c->arrivals_per_s =
        sgdsched_priv_load(in) * (double)in->rules.nodes * sum / service_s;
    return sgdsched_priv_is_rate(c->arrivals_per_s) && sgdsched_priv_is_rate(sum)
        ? SGDSCHED_OK : SGDSCHED_BAD_ARGUMENT;
}

/* The first kind whose cumulated weight is above a uniform part of all. */
static const sgdsched_kind *sgdsched_priv_draw_kind(const sgdsched_priv_cluster *c,
                                                    uint64_t job)
{
    const sgdsched_cluster *in = c->in;
    const uint64_t random = sgdsched_random(in->seed, job, SGDSCHED_PRIV_DRAW_KIND);
    const double want = sgdsched_priv_uniform(random) * c->weight[in->kinds - 1];
    size_t low = 0, high = in->kinds - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (c->weight[middle] > want) high = middle;
        else low = middle + 1;
    }
    return in->kind + low;
}

/* Looks one arrival ahead. */
static sgdsched_status sgdsched_priv_fetch(sgdsched_priv_cluster *c)
{
    const sgdsched_cluster *in = c->in;
    const double before_s = c->next.time_s;
    if (in->source) {
        memset(&c->next, 0, sizeof c->next);
        c->more = in->source(in->source_ctx, &c->next) != 0;
        if (!c->more) return SGDSCHED_OK;
    } else {
        const uint64_t random =
            sgdsched_random(in->seed, c->arrived, SGDSCHED_PRIV_DRAW_GAP);
        const sgdsched_kind *kind = sgdsched_priv_draw_kind(c, c->arrived);
        c->more = 1;
        c->next.time_s -= log(1.0 - sgdsched_priv_uniform(random)) / c->arrivals_per_s;
        c->next.size = sgdsched_priv_size(kind, in->seed, c->arrived);
        c->next.curve = kind->curve;
    }
    return sgdsched_priv_is_time(c->next.time_s) && c->next.time_s >= before_s
            && sgdsched_priv_is_rate(c->next.size) && c->next.curve < in->curves
        ? SGDSCHED_OK : SGDSCHED_BAD_ARRIVAL;
}

/* The part of a job that is left when its user gives up; 0: its user does not. */
static double sgdsched_priv_draw_quit(const sgdsched_cluster *in, uint64_t job)
{
    double u;
    size_t i;
    if (in->quits == 0) return 0.0;
    u = sgdsched_priv_uniform(sgdsched_random(in->seed, job, SGDSCHED_PRIV_DRAW_QUIT));
    for (i = 0; i < in->quits; i++) {
        if (u < in->quit_probability[i]) return 1.0 - in->quit_fraction[i];
        u -= in->quit_probability[i];
    }
    return 0.0;
}

/* A job joins the chunk with the fewest. */
static void sgdsched_priv_join(sgdsched_priv_cluster *c, size_t slot)
{
    sgdsched_priv_chunk *chunk = c->chunk;
    size_t i;
    for (i = 1; i < c->chunks; i++)
        if (c->chunk[i].jobs < chunk->jobs) chunk = c->chunk + i;
    c->job[slot].chunk = (size_t)(chunk - c->chunk);
    if (chunk->jobs++ == 0) {
        chunk->first = slot;
        c->start[c->starts++] = c->job[slot].chunk;
    } else {
        c->job[chunk->last].next = slot;
    }
    chunk->last = slot;
}

/* The next job arrives. */
static sgdsched_status sgdsched_priv_arrival(sgdsched_priv_cluster *c)
{
    sgdsched_priv_present *job;
    sgdsched_status status;
    sgdsched_job described;
    size_t slot;
    if (c->present == c->max_present) {
        if (c->in->source) return SGDSCHED_OVER_BUDGET;
        c->outcome = SGDSCHED_UNSTABLE;
        c->stopped = 1;
        return SGDSCHED_OK;
    }
    if (c->in->source && c->arrived >> SGDSCHED_PRIV_JOBS_LOG2) return SGDSCHED_TOO_LARGE;
    slot = c->empty[c->max_present - ++c->present];
    job = c->job + slot;
    job->number = c->arrived;
    job->arrival_s = c->next.time_s;
    job->size = job->remaining = c->next.size;
    job->last = job->size * sgdsched_priv_draw_quit(c->in, job->number);
    job->curve = c->next.curve;
    job->fractions = 0;
    job->started = 0;
    if (c->scheduler) {
        described.curve = job->curve;
        described.remaining = described.size = job->size;
        described.held = 0;
        status = sgdsched_arrive(c->scheduler, slot, &described);
        SGDSCHED_ASSERT(status == SGDSCHED_OK);
        if (status != SGDSCHED_OK) return status;
    } else {
        sgdsched_priv_join(c, slot);
    }
    if (c->arrived++ == 0 && c->warmup_jobs == 0) {
        c->statistics.counting = 1;
        c->statistics.begin_s = c->now_s;
    }
    return sgdsched_priv_fetch(c);
}

/* ---- Jobs that run */

/* What a running job has left now. It is more than 0 before its end, even rounded. */
static double sgdsched_priv_left(const sgdsched_priv_running *r, double now_s)
{
    const double ran_s = now_s - r->since_s;
    const double left = r->remaining - r->throughput_per_s * ran_s;
    if (!(ran_s > 0.0)) return r->remaining;  /* it still restarts                   */
    return left > 0.0 ? left : r->remaining * DBL_EPSILON;
}

/* Notes when a job came to the fractions that it has passed with `left` to go. */
static void sgdsched_priv_note(sgdsched_priv_present *job, const sgdsched_priv_running *r,
                               double left)
{
    for (; job->fractions < SGDSCHED_FRACTIONS; job->fractions++) {
        const double then = (double)(SGDSCHED_FRACTIONS - job->fractions)
            / (SGDSCHED_FRACTIONS + 1) * job->size;
        if (left > then + 1e-12 * job->size) return;
        job->fraction_s[job->fractions] =
            r->since_s + (r->remaining - then) / r->throughput_per_s - job->arrival_s;
    }
}

/* A job runs no longer, or not as before: `left` is what it has to go. */
static void sgdsched_priv_halt(sgdsched_priv_cluster *c, size_t slot, double left)
{
    sgdsched_priv_present *job = c->job + slot;
    sgdsched_priv_running *r = c->running + job->place;
    sgdsched_priv_note(job, r, left);
    job->remaining = left;
    *r = c->running[--c->runs];
    c->job[r->slot].place = job->place;
}

static void sgdsched_priv_resume(sgdsched_priv_cluster *c, size_t slot, uint32_t nodes)
{
    sgdsched_priv_present *job = c->job + slot;
    sgdsched_priv_running *r = c->running + c->runs;
    const double x = sgdsched_priv_throughput(c->in->curve + job->curve, nodes);
    job->place = c->runs++;
    r->slot = slot;
    r->since_s = job->started ? c->now_s + c->in->restart_s : c->now_s;
    r->remaining = job->remaining;
    r->throughput_per_s = x;
    r->end_s = r->since_s + (job->remaining - job->last) / x;
    job->started = 1;
}

/* Finds the first to end; of several the one that arrived first. */
static void sgdsched_priv_find_first(sgdsched_priv_cluster *c)
{
    const sgdsched_priv_running *r = c->running, *first = r, *end = r + c->runs;
    for (; r < end; r++) {
        if (r->end_s > first->end_s) continue;
        if (r->end_s < first->end_s
            || c->job[r->slot].number < c->job[first->slot].number)
            first = r;
    }
    c->first = (size_t)(first - c->running);
}

/* ---- Departures */

/* Whether enough jobs are counted, after one that completed a group or not. */
static void sgdsched_priv_check_stop(sgdsched_priv_cluster *c, int group)
{
    const int last = c->statistics.jobs >= c->max_jobs;
    sgdsched_estimate mean;
    if (!last && (!group || c->statistics.jobs < c->min_jobs)) return;
    mean = sgdsched_priv_mean(&c->statistics, SGDSCHED_PRIV_RESPONSE);
    if (mean.half_width <= c->precision * mean.value
        && sgdsched_priv_correlation(&c->statistics) <= 0.4) {
        c->outcome = SGDSCHED_CONVERGED;
        c->stopped = 1;
    } else if (last) {
        c->outcome = SGDSCHED_LIMIT;
        c->stopped = 1;
    }
}

static void sgdsched_priv_observe_job(sgdsched_priv_cluster *c,
                                      const sgdsched_priv_present *job)
{
    sgdsched_priv_statistics *s = &c->statistics;
    const double least_s = (job->size - job->last) / c->peak_per_s[job->curve];
    const double response_s = c->now_s - job->arrival_s;
    const int group = sgdsched_priv_observe(s, response_s, response_s / least_s);
    size_t i;
    if (job->last > 0.0) s->cancelled++;
    for (i = 0; i < job->fractions; i++) {
        s->fraction_s[i] += job->fraction_s[i];
        s->fraction_jobs[i]++;
    }
    if (!c->in->source) sgdsched_priv_check_stop(c, group);
}

/* The first job of a chunk leaves it. */
static void sgdsched_priv_leave_chunk(sgdsched_priv_cluster *c, size_t slot)
{
    sgdsched_priv_chunk *chunk = c->chunk + c->job[slot].chunk;
    SGDSCHED_ASSERT(chunk->first == slot);
    c->idle += c->in->chunk;
    if (--chunk->jobs == 0) return;
    chunk->first = c->job[slot].next;
    c->start[c->starts++] = c->job[slot].chunk;
}

/* The first to end leaves. */
static sgdsched_status sgdsched_priv_depart(sgdsched_priv_cluster *c)
{
    const size_t slot = c->running[c->first].slot;
    const sgdsched_priv_present *job = c->job + slot;
    sgdsched_status status = SGDSCHED_OK;
    sgdsched_departure told;
    sgdsched_priv_halt(c, slot, job->last);
    if (c->scheduler) status = sgdsched_leave(c->scheduler, slot);
    else sgdsched_priv_leave_chunk(c, slot);
    SGDSCHED_ASSERT(status == SGDSCHED_OK);
    if (c->in->on_departure) {
        told.job = job->number;
        told.curve = job->curve;
        told.arrival_s = job->arrival_s;
        told.time_s = c->now_s;
        told.size = job->size;
        told.cancelled = job->last > 0.0;
        c->in->on_departure(c->in->callback_ctx, &told);
    }
    if (c->departed >= c->warmup_jobs) sgdsched_priv_observe_job(c, job);
    if (++c->departed == c->warmup_jobs) {
        c->statistics.counting = 1;
        c->statistics.begin_s = c->now_s;
    }
    c->empty[c->max_present - c->present--] = slot;
    sgdsched_priv_find_first(c);
    return status;
}

/* ---- Decisions */

/* JSQ: the first jobs of chunks that have become free, in order of arrival. */
static size_t sgdsched_priv_start_chunks(sgdsched_priv_cluster *c)
{
    size_t n, i;
    for (n = 0; n < c->starts; n++) {
        const size_t slot = c->chunk[c->start[n]].first;
        for (i = n; i > 0; i--) {
            if (c->job[c->change[i - 1].job].number < c->job[slot].number) break;
            c->change[i] = c->change[i - 1];
        }
        c->change[i].job = slot;
        c->change[i].before = 0;
        c->change[i].nodes = c->in->chunk;
        c->idle -= c->in->chunk;
    }
    c->starts = 0;
    return n;
}

static sgdsched_status sgdsched_priv_apply(sgdsched_priv_cluster *c)
{
    sgdsched_status status = SGDSCHED_OK;
    size_t changes = 0, i;
    for (i = 0; i < c->runs && c->scheduler && status == SGDSCHED_OK; i++)
        status = sgdsched_progress(c->scheduler, c->running[i].slot,
                                   sgdsched_priv_left(c->running + i, c->now_s));
    if (!c->scheduler) changes = sgdsched_priv_start_chunks(c);
    else if (status == SGDSCHED_OK)
        status = sgdsched_decide(c->scheduler, c->change, &changes);
    SGDSCHED_ASSERT(status == SGDSCHED_OK);
    if (status != SGDSCHED_OK) return status;
    c->decisions++;
    for (i = 0; i < changes; i++) {
        sgdsched_change *change = c->change + i;
        const size_t slot = change->job;
        if (change->before > 0)
            sgdsched_priv_halt(
                c, slot, sgdsched_priv_left(c->running + c->job[slot].place, c->now_s));
        if (change->nodes > 0) sgdsched_priv_resume(c, slot, change->nodes);
        change->job = (size_t)c->job[slot].number;
    }
    if (c->scheduler) c->idle = sgdsched_idle(c->scheduler);
    if (c->in->on_change && changes > 0)
        c->in->on_change(c->in->callback_ctx, c->now_s, c->change, changes);
    sgdsched_priv_find_first(c);
    return SGDSCHED_OK;
}

/* One instant: its departures, its arrivals, a decision. An arrival and a departure of
 * the same instant happen at the time of the arrival, which is not the result of
 * rounding. */
static sgdsched_status sgdsched_priv_instant(sgdsched_priv_cluster *c)
{
    const double end_s = c->runs > 0 ? c->running[c->first].end_s : HUGE_VAL;
    const double arrival_s = c->more ? c->next.time_s : HUGE_VAL;
    const double first_s = arrival_s < end_s ? arrival_s : end_s;
    const double limit_s = first_s + 1e-12 * first_s;
    const double now_s = arrival_s <= limit_s ? arrival_s : first_s;
    const double passed_s = now_s > c->now_s ? now_s - c->now_s : 0.0;
    sgdsched_priv_statistics *s = &c->statistics;
    sgdsched_status status = SGDSCHED_OK;
    if (!(limit_s <= DBL_MAX)) return SGDSCHED_TOO_LARGE;
    if (s->counting) {
        s->present_s += passed_s * (double)c->present;
        s->nodes_s += passed_s * (double)(c->in->rules.nodes - c->idle);
    }
    if (now_s > c->now_s) c->now_s = now_s;
    while (status == SGDSCHED_OK && !c->stopped && c->runs > 0
           && c->running[c->first].end_s <= limit_s)
        status = sgdsched_priv_depart(c);
    while (status == SGDSCHED_OK && !c->stopped && c->more && c->next.time_s <= limit_s)
        status = sgdsched_priv_arrival(c);
    if (status != SGDSCHED_OK || c->stopped) return status;
    return sgdsched_priv_apply(c);
}

/* ---- Run */

static sgdsched_status sgdsched_priv_prepare(sgdsched_priv_cluster *c)
{
    const sgdsched_cluster *in = c->in;
    sgdsched_status status = SGDSCHED_OK;
    size_t i;
    uint32_t w;
    if (in->rules.policy == SGDSCHED_JSQ) {
        for (i = 0; i < c->chunks; i++) c->chunk[i].jobs = 0;
    } else {
        status = sgdsched_open(&in->rules, in->curve, in->curves, c->max_present,
                               c->scheduler_work, c->scheduler_bytes, &c->scheduler);
    }
    if (status != SGDSCHED_OK) return status;
    for (i = 0; i < in->curves; i++) {
        c->peak_per_s[i] = 0.0;
        for (w = 1; w <= in->rules.nodes && w <= in->curve[i].nodes; w++) {
            const double x = sgdsched_priv_throughput(in->curve + i, w);
            if (x > c->peak_per_s[i]) c->peak_per_s[i] = x;
        }
    }
    for (i = 0; i < c->max_present; i++) c->empty[c->max_present - 1 - i] = i;
    c->idle = in->rules.nodes;
    sgdsched_priv_statistics_init(&c->statistics);
    if (!in->source) status = sgdsched_priv_prepare_kinds(c);
    return status == SGDSCHED_OK ? sgdsched_priv_fetch(c) : status;
}

/* The probabilities whose quantiles are wanted, and how many. */
static size_t sgdsched_priv_probabilities(const sgdsched_report *out, const double **p)
{
    static const double usual[] = { 0.5, 0.9, 0.95, 0.99 };
    *p = out->probability ? out->probability : usual;
    return out->probability ? out->probabilities : sizeof usual / sizeof usual[0];
}

static void sgdsched_priv_write_report(sgdsched_priv_cluster *c, sgdsched_report *out)
{
    sgdsched_priv_statistics *s = &c->statistics;
    const double time_s = s->counting ? c->now_s - s->begin_s : 0.0;
    const double *p;
    size_t i, n = sgdsched_priv_probabilities(out, &p);
    out->outcome = c->outcome;
    out->jobs = s->jobs;
    out->cancelled = s->cancelled;
    out->decisions = c->decisions;
    out->end_s = c->now_s;
    out->response_s = sgdsched_priv_mean(s, SGDSCHED_PRIV_RESPONSE);
    out->slowdown = sgdsched_priv_mean(s, SGDSCHED_PRIV_SLOWDOWN);
    out->utilization = time_s > 0.0 ? s->nodes_s / time_s / c->in->rules.nodes : 0.0;
    out->jobs_present = time_s > 0.0 ? s->present_s / time_s : 0.0;
    for (i = 0; i < SGDSCHED_FRACTIONS; i++)
        out->fraction_s[i] = s->fraction_jobs[i] > 0
            ? s->fraction_s[i] / (double)s->fraction_jobs[i] : 0.0;
    if (!out->quantile_s) return;
    sgdsched_priv_accumulate(s);
    for (i = 0; i < n; i++) out->quantile_s[i] = sgdsched_priv_quantile_estimate(s, p[i]);
}

SGDSCHED_API sgdsched_status sgdsched_cluster_run_bytes(const sgdsched_cluster *cluster,
                                                        size_t *bytes)
{
    sgdsched_priv_arena arena = { NULL, 0, 0 };
    sgdsched_priv_cluster c;
    sgdsched_status status;
    if (!bytes) return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_carve_cluster(cluster, &arena, &c);
    if (status == SGDSCHED_OK) *bytes = arena.used;
    return status;
}

SGDSCHED_API sgdsched_status sgdsched_cluster_run(const sgdsched_cluster *cluster,
                                                  void *work, size_t work_bytes,
                                                  sgdsched_report *out)
{
    sgdsched_priv_arena arena = { NULL, 0, 0 };
    sgdsched_priv_cluster c;
    const double *p;
    size_t i, n;
    sgdsched_status status = sgdsched_priv_carve_cluster(cluster, &arena, &c);
    if (status != SGDSCHED_OK) return status;
    if (!out || !work || (uintptr_t)work % sizeof(double) != 0)
        return SGDSCHED_BAD_ARGUMENT;
    n = out->quantile_s ? sgdsched_priv_probabilities(out, &p) : 0;
    for (i = 0; i < n; i++)
        if (!(p[i] > 0.0 && p[i] < 1.0)) return SGDSCHED_BAD_ARGUMENT;
    if (work_bytes < arena.used) return SGDSCHED_SMALL_WORKSPACE;
    arena.base = (char *)work;
    arena.used = 0;
    (void)sgdsched_priv_carve_cluster(cluster, &arena, &c);
    status = sgdsched_priv_prepare(&c);
    while (status == SGDSCHED_OK && !c.stopped && (c.more || c.present > 0))
        status = sgdsched_priv_instant(&c);
    if (status != SGDSCHED_OK) return status;
    sgdsched_priv_write_report(&c, out);
    return c.outcome == SGDSCHED_LIMIT ? SGDSCHED_NOT_CONVERGED : SGDSCHED_OK;
}

/* ---- Workloads ------------------------------------------------------------- */

SGDSCHED_API const sgdsched_network *sgdsched_table_iii(size_t i)
{
    /* Epochs have variance 2. */
    static const sgdsched_network table[SGDSCHED_NETWORKS] = {
        { "NiN",       50e3,  30e6,  6.7e12, 200.0, 1.4142135623730951 },
        { "GoogLeNet", 1.2e6, 54e6,  9.7e12, 200.0, 1.4142135623730951 },
        { "AlexNet",   1.2e6, 249e6, 7e12,   90.0,  1.4142135623730951 },
        { "VGG19",     1.2e6, 575e6, 120e12, 74.0,  1.4142135623730951 }
    };
    return i < SGDSCHED_NETWORKS ? table + i : NULL;
}

SGDSCHED_API sgdsched_status sgdsched_network_curve(const sgdsched_network *network,
                                                    sgdsched_model model, void *ctx,
                                                    uint32_t nodes, int servers_apart,
                                                    double *throughput_per_s,
                                                    sgdsched_kind *kind)
{
    const double batch = 1024.0, flop_per_s = 1.229e12, bits_per_s = 1e9;
    sgdsched_step step;
    uint32_t i;
    if (!network || !sgdsched_priv_is_rate(network->examples)
        || !sgdsched_priv_is_rate(network->model_bytes)
        || !sgdsched_priv_is_rate(network->flop_per_batch)
        || !sgdsched_priv_is_rate(network->epochs_mean)
        || !sgdsched_priv_is_time(network->epochs_deviation)
        || (throughput_per_s && (!model || nodes == 0)))
        return SGDSCHED_BAD_ARGUMENT;
    step.compute_s = network->flop_per_batch / flop_per_s;
    step.uplink_s = step.downlink_s = network->model_bytes * 8.0 / bits_per_s;
    step.update_s = 2.0 * (network->model_bytes / 4.0) / flop_per_s;
    for (i = 0; throughput_per_s && i < nodes; i++) {
        const uint32_t workers = servers_apart || i == 0 ? i + 1 : i;
        const double x = i == 1 && workers == 1 ? throughput_per_s[0]
                                                : model(ctx, &step, workers);
        if (!sgdsched_priv_is_rate(x)) return SGDSCHED_BAD_CURVE;
        throughput_per_s[i] = x;
    }
    if (kind) {
        kind->weight = 1.0;
        kind->size_mean = network->examples * network->epochs_mean / batch;
        kind->size_deviation = network->examples * network->epochs_deviation / batch;
        kind->law = SGDSCHED_NORMAL;
    }
    return SGDSCHED_OK;
}

/* ---- Batch balancing: worker curves ---------------------------------------- */

/* Rounded products and sums do not decrease where exact ones do not, so that t(x) does
 * not decrease with x in a double either. */
static double sgdsched_priv_worker_s(const sgdsched_worker *w, double x)
{
    const double line = w->launch_s + w->slope_s * x;
    return (line > w->floor_s ? line : w->floor_s) + w->communication_s;
}

static int sgdsched_priv_is_worker(const sgdsched_worker *w)
{
    return sgdsched_priv_is_time(w->launch_s) && sgdsched_priv_is_time(w->slope_s) &&
           sgdsched_priv_is_time(w->floor_s) &&
           sgdsched_priv_is_time(w->communication_s) &&
           (w->slope_s > 0.0 || w->floor_s > 0.0);
}

static uint32_t sgdsched_priv_limit(uint32_t max_batch)
{
    return max_batch > 0 ? max_batch : UINT32_MAX;
}

SGDSCHED_API sgdsched_status sgdsched_worker_time(const sgdsched_worker *worker,
                                                  uint32_t batch, double *time_s,
                                                  double *memory)
{
    double t;
    if (!worker || batch > sgdsched_priv_limit(worker->max_batch))
        return SGDSCHED_BAD_ARGUMENT;
    if (!sgdsched_priv_is_worker(worker)) return SGDSCHED_BAD_WORKER;
    t = sgdsched_priv_worker_s(worker, (double)batch);
    if (!sgdsched_priv_is_time(t)) return SGDSCHED_BAD_WORKER;
    if (time_s) *time_s = t;
    if (memory)
        *memory = worker->max_batch > 0 ? (double)batch / (double)worker->max_batch : 0.0;
    return SGDSCHED_OK;
}

/* Measured points, their times less communication and divided by the largest. */
typedef struct sgdsched_priv_points {
    const uint32_t *batch;
    const double   *time_s;
    size_t          count;
    double          communication_s, unit_s;
} sgdsched_priv_points;

static double sgdsched_priv_point_time(const sgdsched_priv_points *p, size_t i)
{
    return (p->time_s[i] - p->communication_s) / p->unit_s;
}

/* The least batch above one, or from one on; 0: there is none. Batches are counted from
 * 1 on here, so that x + 1 stands for a batch x. */
static uint64_t sgdsched_priv_next_batch(const sgdsched_priv_points *p, uint64_t above)
{
    uint64_t least = 0;
    size_t i;
    for (i = 0; i < p->count; i++) {
        const uint64_t x = (uint64_t)p->batch[i] + 1;
        if (x > above && (least == 0 || x < least)) least = x;
    }
    return least;
}

/* The line of least squares through the points from batch `first` on, with launch >= 0,
 * and the mean of those below; 0: a single batch is no line. */
static int sgdsched_priv_fit_from(const sgdsched_priv_points *p, uint64_t first,
                                  sgdsched_worker *w)
{
    double x_mean = 0.0, t_mean = 0.0, xx = 0.0, xt = 0.0, x2 = 0.0, x1t = 0.0;
    double low = 0.0, least = HUGE_VAL, most = 0.0;
    size_t i, above = 0;
    memset(w, 0, sizeof *w);
    for (i = 0; i < p->count; i++) {
        const double x = (double)p->batch[i], t = sgdsched_priv_point_time(p, i);
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
        const double x = (double)p->batch[i], t = sgdsched_priv_point_time(p, i);
        if ((uint64_t)p->batch[i] + 1 < first) continue;
        xx += (x - x_mean) * (x - x_mean);
        xt += (x - x_mean) * (t - t_mean);
        x2 += x * x;
        x1t += x * t;
    }
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

static double sgdsched_priv_fit_error(const sgdsched_priv_points *p,
                                      const sgdsched_worker *w)
{
    double sum = 0.0;
    size_t i;
    for (i = 0; i < p->count; i++) {
        const double error = sgdsched_priv_worker_s(w, (double)p->batch[i]) -
                             sgdsched_priv_point_time(p, i);
        sum += error * error;
    }
    return sum;
}

SGDSCHED_API sgdsched_status sgdsched_worker_fit(const uint32_t *batch,
                                                 const double *time_s, size_t points,
                                                 double communication_s,
                                                 sgdsched_worker *worker,
                                                 double *deviation_s)
{
    sgdsched_priv_points p;
    sgdsched_worker best, w;
    double least_error = HUGE_VAL, enough;
    uint64_t first;
    size_t i;
    if (!batch || !time_s || !worker || !sgdsched_priv_is_time(communication_s))
        return SGDSCHED_BAD_ARGUMENT;
    p.batch = batch;
    p.time_s = time_s;
    p.count = points;
    p.communication_s = communication_s;
    p.unit_s = 0.0;
    for (i = 0; i < points; i++) {
        if (!sgdsched_priv_is_time(time_s[i])) return SGDSCHED_BAD_WORKER;
        if (time_s[i] < communication_s) return SGDSCHED_BAD_ARGUMENT;
        if (time_s[i] - communication_s > p.unit_s)
            p.unit_s = time_s[i] - communication_s;
    }
    if (points < 3 || sgdsched_priv_next_batch(&p, sgdsched_priv_next_batch(&p, 0)) == 0)
        return SGDSCHED_TOO_FEW;
    if (!(p.unit_s > 0.0)) return SGDSCHED_BAD_WORKER;
    /* A curve that meets the points but for rounding is not improved by a further floor
     * that does so as well. */
    enough = 1e-26 * (double)points;
    memset(&best, 0, sizeof best);
    for (first = sgdsched_priv_next_batch(&p, 0); sgdsched_priv_fit_from(&p, first, &w);
         first = sgdsched_priv_next_batch(&p, first)) {
        const double error = sgdsched_priv_fit_error(&p, &w);
        if (!(error < least_error) || least_error <= enough) continue;
        least_error = error;
        best = w;
    }
    if (best.slope_s < 0.0) return SGDSCHED_FALLING;
    best.launch_s *= p.unit_s;
    best.slope_s *= p.unit_s;
    best.floor_s *= p.unit_s;
    best.communication_s = communication_s;
    if (!sgdsched_priv_is_worker(&best)) return SGDSCHED_BAD_WORKER;
    *worker = best;
    if (deviation_s) *deviation_s = p.unit_s * sqrt(least_error / (double)points);
    return SGDSCHED_OK;
}

/* ---- Batch balancing: the optimum ------------------------------------------ */

/* The greedy rule takes samples in the order of their times t_i(1), t_i(2) ... over all
 * workers, those of equal times worker by worker: the X first ones. So with the time T
 * of the X-th, all samples of less time are taken, and of those of T the first ones. */

/* The most samples x <= limit with t(x) <= time_s; x = 0 is always allowed. The line
 * solved for x is off by rounding alone, unless samples take no time beside launch. */
static uint32_t sgdsched_priv_fitting(const sgdsched_worker *w, double time_s,
                                      uint32_t limit)
{
    uint32_t low = 0, high = limit;    /* the answer is in low .. high - 1            */
    double guess = 0.0;
    if (limit == 0 || sgdsched_priv_worker_s(w, (double)limit) <= time_s) return limit;
    if (w->slope_s > 0.0)
        guess = (time_s - w->communication_s - w->launch_s) / w->slope_s;
    if (guess >= 1.0 && guess < (double)limit) {
        const uint32_t x = (uint32_t)guess;
        if (sgdsched_priv_worker_s(w, guess = (double)x) > time_s) {
            high = x;
            if (sgdsched_priv_worker_s(w, guess - 1.0) <= time_s) return x - 1;
        } else {
            low = x;
            if (sgdsched_priv_worker_s(w, guess + 1.0) > time_s) return x;
        }
    }
    while (high - low > 1) {
        const uint32_t x = low + (high - low) / 2;
        if (sgdsched_priv_worker_s(w, (double)x) <= time_s) low = x;
        else high = x;
    }
    return low;
}

/* Workers, X and the least batch of each. */
typedef struct sgdsched_priv_shares {
    const sgdsched_worker *worker;
    size_t                 workers;
    uint64_t               total;
    uint32_t               least;
} sgdsched_priv_shares;

static uint32_t sgdsched_priv_most(const sgdsched_priv_shares *s, size_t i)
{
    const uint32_t limit = sgdsched_priv_limit(s->worker[i].max_batch);
    return limit < s->total ? limit : (uint32_t)s->total;
}

static uint32_t sgdsched_priv_share(const sgdsched_priv_shares *s, size_t i,
                                    double time_s)
{
    const uint32_t x =
        sgdsched_priv_fitting(s->worker + i, time_s, sgdsched_priv_most(s, i));
    return x > s->least ? x : s->least;
}

/* Whether X samples take no worker more than time_s, as far as least allows. */
static int sgdsched_priv_is_enough(const sgdsched_priv_shares *s, double time_s)
{
    uint64_t sum = 0;
    size_t i;
    for (i = 0; i < s->workers && sum < s->total; i++)
        sum += sgdsched_priv_share(s, i, time_s);
    return sum >= s->total;
}

static sgdsched_status sgdsched_priv_check_shares(const sgdsched_priv_shares *s)
{
    uint64_t most = 0;
    size_t i;
    for (i = 0; i < s->workers; i++)
        if (!sgdsched_priv_is_worker(s->worker + i)) return SGDSCHED_BAD_WORKER;
    if (s->least > 0 && s->total / s->least < s->workers) return SGDSCHED_NO_ROOM;
    for (i = 0; i < s->workers; i++) {
        if (s->least > sgdsched_priv_most(s, i)) return SGDSCHED_NO_ROOM;
        if (most < s->total) most += sgdsched_priv_most(s, i);
    }
    if (most < s->total) return SGDSCHED_NO_ROOM;
    for (i = 0; i < s->workers; i++)
        if (!sgdsched_priv_is_time(sgdsched_priv_worker_s(s->worker + i, s->least)))
            return SGDSCHED_BAD_WORKER;
    return sgdsched_priv_is_enough(s, DBL_MAX) ? SGDSCHED_OK : SGDSCHED_BAD_WORKER;
}

/* The time T, and the largest double below it; -1: it is 0. Times that are not negative
 * are ordered as their bits are. */
static double sgdsched_priv_last_time(const sgdsched_priv_shares *s, double *below_s)
{
    double high_s = 0.0;
    uint64_t low = 0, high;
    size_t i;
    *below_s = -1.0;
    if (sgdsched_priv_is_enough(s, 0.0)) return 0.0;
    for (i = 0; i < s->workers; i++) {
        const double t =
            sgdsched_priv_worker_s(s->worker + i, (double)sgdsched_priv_most(s, i));
        if (t > high_s) high_s = t < DBL_MAX ? t : DBL_MAX;
    }
    memcpy(&high, &high_s, sizeof high);
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        double t;
        memcpy(&t, &middle, sizeof t);
        if (sgdsched_priv_is_enough(s, t)) high = middle;
        else low = middle;
    }
    memcpy(below_s, &low, sizeof low);
    memcpy(&high_s, &high, sizeof high);
    return high_s;
}

SGDSCHED_API sgdsched_status sgdsched_optimum(const sgdsched_worker *worker,
                                              size_t workers, uint64_t total,
                                              uint32_t least, uint32_t *batch,
                                              double *time_s)
{
    sgdsched_priv_shares s;
    sgdsched_status status;
    double last_s, below_s, longest_s = 0.0;
    uint64_t left = total;
    size_t i;
    if (!worker || workers == 0 || !batch || !time_s) return SGDSCHED_BAD_ARGUMENT;
    s.worker = worker;
    s.workers = workers;
    s.total = total;
    s.least = least;
    status = sgdsched_priv_check_shares(&s);
    if (status != SGDSCHED_OK) return status;
    last_s = sgdsched_priv_last_time(&s, &below_s);
    for (i = 0; i < workers; i++) {
        batch[i] = below_s < 0.0 ? least : sgdsched_priv_share(&s, i, below_s);
        SGDSCHED_ASSERT(batch[i] <= left);
        left -= batch[i];
    }
    for (i = 0; i < workers; i++) {
        const uint32_t more =
            left > 0 ? sgdsched_priv_share(&s, i, last_s) - batch[i] : 0;
        batch[i] += more < left ? more : (uint32_t)left;
        left -= more < left ? more : left;
        if (batch[i] > 0) {
            const double t = sgdsched_priv_worker_s(worker + i, (double)batch[i]);
            if (t > longest_s) longest_s = t;
        }
    }
    SGDSCHED_ASSERT(left == 0);
    *time_s = longest_s;
    return SGDSCHED_OK;
}

/* ---- Batch balancing: batches in proportion to speeds ---------------------- */

/* The shares within limits are x_i = clamp(c v_i, least_i, most_i) for one c. Starting
 * with all workers, those whose share is past its limit are set to it, on the side where
 * more is cut off, or more is missing, in sum; these stay there when the others share
 * what is left, so that at most n rounds are needed, and few are. */
typedef struct sgdsched_priv_split {
    const double   *speed;
    const uint32_t *least, *most;      /* NULL: no limits                             */
    size_t          workers;
    uint64_t        total;
    double         *share;             /* [workers] then what it has past a whole one */
    unsigned char  *fixed;             /* [workers] 1: at a limit                     */
} sgdsched_priv_split;

static uint32_t sgdsched_priv_least_of(const sgdsched_priv_split *s, size_t i)
{
    return s->least ? s->least[i] : 0;
}

static uint32_t sgdsched_priv_most_of(const sgdsched_priv_split *s, size_t i)
{
    return s->most ? sgdsched_priv_limit(s->most[i]) : UINT32_MAX;
}

/* A power of two by which speeds are multiplied, so that neither their sum nor X times
 * one of them leaves the range of a double; 0: none is positive. */
static double sgdsched_priv_speed_unit(const sgdsched_priv_split *s)
{
    double most = 0.0;
    size_t i;
    for (i = 0; i < s->workers; i++)
        if (s->speed[i] > most) most = s->speed[i];
    if (!(most > 0.0)) return 0.0;
    return most > 1e200 ? ldexp(1.0, -600) : most < 1e-200 ? ldexp(1.0, 600) : 1.0;
}

/* Shares of `rest` among those that are not fixed. */
static void sgdsched_priv_proportion(const sgdsched_priv_split *s, double unit,
                                     uint64_t rest)
{
    double sum = 0.0, count = 0.0;
    size_t i;
    for (i = 0; i < s->workers; i++) {
        if (s->fixed[i]) continue;
        count += 1.0;
        if (s->speed[i] > 0.0) sum += s->speed[i] * unit;
    }
    for (i = 0; i < s->workers; i++) {
        const double speed = s->speed[i] > 0.0 ? s->speed[i] * unit : 0.0;
        if (!s->fixed[i])
            s->share[i] = sum > 0.0 ? (double)rest * speed / sum : (double)rest / count;
    }
}

/* Sets those past their limits to them and takes that off the rest; 0: there are none. */
static int sgdsched_priv_clamp(const sgdsched_priv_split *s, uint64_t *rest,
                               uint32_t *batch)
{
    double over = 0.0, under = 0.0;
    size_t i;
    for (i = 0; i < s->workers; i++) {
        const double most = (double)sgdsched_priv_most_of(s, i);
        const double least = (double)sgdsched_priv_least_of(s, i);
        if (s->fixed[i]) continue;
        if (s->share[i] > most) over += s->share[i] - most;
        if (s->share[i] < least) under += least - s->share[i];
    }
    if (!(over > 0.0) && !(under > 0.0)) return 0;
    for (i = 0; i < s->workers; i++) {
        const uint32_t most = sgdsched_priv_most_of(s, i),
                       least = sgdsched_priv_least_of(s, i);
        if (s->fixed[i]) continue;
        if (over >= under && s->share[i] > (double)most) batch[i] = most;
        else if (over <= under && s->share[i] < (double)least) batch[i] = least;
        else continue;
        SGDSCHED_ASSERT(batch[i] <= *rest);
        s->fixed[i] = 1;
        *rest -= batch[i];
    }
    return 1;
}

/* Rounds down to batches; s->share becomes the remainder in units of 2^-bits, which is a
 * whole number. Fixed ones have none. Returns the sum of the batches. */
static uint64_t sgdsched_priv_round_down(const sgdsched_priv_split *s, int bits,
                                         uint32_t *batch)
{
    const double scale = ldexp(1.0, bits);
    uint64_t sum = 0;
    size_t i;
    for (i = 0; i < s->workers; i++) {
        double whole;
        if (s->fixed[i]) { s->share[i] = -1.0; continue; }
        whole = floor(floor(s->share[i] * scale + 0.5) / scale);
        s->share[i] = floor(s->share[i] * scale + 0.5) - whole * scale;
        batch[i] = (uint32_t)whole;
        sum += batch[i];
    }
    return sum;
}

/* One sample more for the `count` largest remainders, the first of equal ones; for all
 * if there are no more. Returns how many got one. */
static uint64_t sgdsched_priv_round_up(const sgdsched_priv_split *s, int bits,
                                       uint64_t count, uint32_t *batch)
{
    uint64_t low = 0, high = (uint64_t)1 << bits, given = 0, equal;
    size_t i;
    while (high - low > 1) {           /* the largest that `count` remainders reach   */
        const uint64_t middle = low + (high - low) / 2;
        const double least = (double)middle;
        uint64_t reaching = 0;
        for (i = 0; i < s->workers; i++) reaching += s->share[i] >= least;
        if (reaching >= count) low = middle;
        else high = middle;
    }
    for (i = 0; i < s->workers; i++) given += s->share[i] > (double)low;
    equal = count > given ? count - given : 0;
    for (i = 0; i < s->workers; i++) {
        const int above = s->share[i] > (double)low;
        const uint32_t most = sgdsched_priv_most_of(s, i);
        if (above) {
            batch[i]++;
        } else if (s->share[i] >= (double)low && equal > 0 && batch[i] < most) {
            batch[i]++;
            equal--;
            given++;
        }
    }
    return given;
}

/* Limits are known to allow X, speeds to be numbers. */
static void sgdsched_priv_split_batches(const sgdsched_priv_split *s, uint32_t *batch)
{
    const double unit = sgdsched_priv_speed_unit(s);
    uint64_t rest = s->total, sum, given;
    int bits = 30;
    size_t i;
    while (bits > 0 && s->total >> (45 - bits) > 0) bits--;
    memset(s->fixed, 0, s->workers);
    do sgdsched_priv_proportion(s, unit, rest);
    while (sgdsched_priv_clamp(s, &rest, batch));
    sum = sgdsched_priv_round_down(s, bits, batch);
    for (; sum < rest; sum += given) {
        given = sgdsched_priv_round_up(s, bits, rest - sum, batch);
        SGDSCHED_ASSERT(given > 0);
    }
    for (i = s->workers; sum > rest; i = i > 0 ? i : s->workers)
        if (s->share[--i] >= 0.0 && batch[i] > sgdsched_priv_least_of(s, i)) {
            batch[i]--;                /* rounding alone, and X of 2^45 or more       */
            sum--;
        }
}

static sgdsched_status sgdsched_priv_check_split(const sgdsched_priv_split *s)
{
    uint64_t least = 0, most = 0;
    size_t i;
    for (i = 0; i < s->workers; i++) {
        const uint32_t from = sgdsched_priv_least_of(s, i),
                       to = sgdsched_priv_most_of(s, i);
        if (s->speed && !(fabs(s->speed[i]) <= DBL_MAX)) return SGDSCHED_BAD_WORKER;
        if (from > to) return SGDSCHED_BAD_WORKER;
        least += from;
        most += to;
    }
    return least <= s->total && s->total <= most ? SGDSCHED_OK : SGDSCHED_NO_ROOM;
}

static void sgdsched_priv_lay_split(sgdsched_priv_split *s, sgdsched_priv_arena *arena)
{
    s->share = (double *)sgdsched_priv_take(arena, s->workers, sizeof *s->share);
    s->fixed = (unsigned char *)sgdsched_priv_take(arena, s->workers, sizeof *s->fixed);
}

SGDSCHED_API sgdsched_status sgdsched_split_bytes(size_t workers, size_t *bytes)
{
    sgdsched_priv_arena arena = {NULL, 0, 0};
    sgdsched_priv_split s;
    if (workers == 0 || !bytes) return SGDSCHED_BAD_ARGUMENT;
    memset(&s, 0, sizeof s);
    s.workers = workers;
    sgdsched_priv_lay_split(&s, &arena);
    if (arena.overflow || workers >= UINT32_MAX) return SGDSCHED_TOO_LARGE;
    *bytes = arena.used;
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_split(const double *speed,
                                            const uint32_t *least_batch,
                                            const uint32_t *max_batch, size_t workers,
                                            uint64_t total, void *work, size_t work_bytes,
                                            uint32_t *batch)
{
    sgdsched_priv_arena arena;
    sgdsched_priv_split s;
    size_t bytes;
    sgdsched_status status = sgdsched_split_bytes(workers, &bytes);
    if (status != SGDSCHED_OK) return status;
    if (!speed || !batch || !work || (uintptr_t)work % sizeof(double) != 0)
        return SGDSCHED_BAD_ARGUMENT;
    if (work_bytes < bytes) return SGDSCHED_SMALL_WORKSPACE;
    s.speed = speed;
    s.least = least_batch;
    s.most = max_batch;
    s.workers = workers;
    s.total = total;
    status = sgdsched_priv_check_split(&s);
    if (status != SGDSCHED_OK) return status;
    arena.base = (char *)work;
    arena.used = 0;
    arena.overflow = 0;
    sgdsched_priv_lay_split(&s, &arena);
    sgdsched_priv_split_batches(&s, batch);
    return SGDSCHED_OK;
}

/* ---- Batch balancing: from iteration to iteration -------------------------- */

/* Alg. 2 asks about one pair in an iteration: the rows of its two columns in a ring of
 * the last iterations say whether the leader was faster in each of the last few, and
 * whether it ever was slower. The latter is asked in the first phase only, and when the
 * former is not so: without ties the window itself then has the answer. */
struct sgdsched_balancer {
    sgdsched_balance  r;
    uint32_t         *batch, *next, *least, *most;         /* [workers] each          */

    /* Alg. 1 */
    double           *speed, *fresh, *predicted;
    sgdsched_priv_split   split;

    /* Alg. 2 */
    sgdsched_worker  *curve;
    double           *time_s;          /* [history][workers], row `row` the latest    */
    size_t            row, rows;
    double           *mean_s;          /* over the last window with the same batch,   */
    uint32_t         *run;             /*   and how many iterations these were        */
    double           *change;          /* usual change from one of these to the next, */
    uint32_t         *changes;         /*   relative, over how many                   */
    uint32_t         *from;            /* the batch before this one, UINT32_MAX: none */
    double           *from_s;          /*   and its time                              */
    double            longest_s;       /* mean longest time with these batches        */
    uint32_t          longest_run;
    int               fine;
};

enum { SGDSCHED_PRIV_CHANGES = 20 };   /* that count for what is usual                */

SGDSCHED_API void sgdsched_balance_options(sgdsched_balance *rules)
{
    if (!rules) return;
    rules->cut_to_memory = 1;
    rules->project = 1;
    rules->restart = 0.05;
    rules->restart_each = 1;
    rules->fine_window = 10;
}

static void sgdsched_priv_balance_defaults(sgdsched_balance *r)
{
    if (r->step == 0) r->step = 5;
    if (r->window == 0) r->window = 5;
    if (r->fine_step == 0) r->fine_step = 1;
    if (r->fine_window == 0) r->fine_window = 20;
    if (r->history == 0) r->history = 64;
    if (r->history < r->window) r->history = r->window;
    if (r->history < r->fine_window) r->history = r->fine_window;
    if (!(r->memory_limit > 0.0)) r->memory_limit = 0.95;
    if (!(fabs(r->tolerance) > 0.0)) r->tolerance = 1e-9;
    if (r->tolerance < 0.0) r->tolerance = 0.0;
}

static sgdsched_status sgdsched_priv_check_balance(const sgdsched_balance *r)
{
    uint64_t most = 0, sum = 0;
    size_t i;
    if ((unsigned)r->rule >= (unsigned)SGDSCHED_BALANCE_RULES ||
        !sgdsched_priv_is_time(r->memory_limit) ||
        !(r->tolerance >= -DBL_MAX && r->tolerance < 1.0) || !(r->hysteresis >= 0.0) ||
        !(r->hysteresis < 1.0) || !sgdsched_priv_is_time(r->restart))
        return SGDSCHED_BAD_ARGUMENT;
    for (i = 0; i < r->workers; i++) {
        const uint32_t limit = sgdsched_priv_limit(r->max_batch ? r->max_batch[i] : 0);
        most += limit;
        if (r->curve && !sgdsched_priv_is_worker(r->curve + i))
            return SGDSCHED_BAD_WORKER;
        if (!r->start) continue;
        if (r->start[i] > limit) return SGDSCHED_BAD_WORKER;
        sum += r->start[i];
    }
    if (r->start && r->total > 0 && r->total != sum) return SGDSCHED_BAD_ARGUMENT;
    if (!r->start) sum = r->total;
    if (sum == 0) return SGDSCHED_BAD_ARGUMENT;
    return sum <= most ? SGDSCHED_OK : SGDSCHED_NO_ROOM;
}

static void sgdsched_priv_lay_pairs(sgdsched_balancer *b, sgdsched_priv_arena *arena)
{
    const size_t n = b->r.workers;
    size_t cells = n * b->r.history;
    if (cells / n != b->r.history) arena->overflow = 1;
    b->curve = NULL;
    if (b->r.curve)
        b->curve = (sgdsched_worker *)sgdsched_priv_take(arena, n, sizeof *b->curve);
    b->time_s = (double *)sgdsched_priv_take(arena, cells, sizeof *b->time_s);
    b->mean_s = (double *)sgdsched_priv_take(arena, n, sizeof *b->mean_s);
    b->change = (double *)sgdsched_priv_take(arena, n, sizeof *b->change);
    b->from_s = (double *)sgdsched_priv_take(arena, n, sizeof *b->from_s);
    b->run = (uint32_t *)sgdsched_priv_take(arena, n, sizeof *b->run);
    b->changes = (uint32_t *)sgdsched_priv_take(arena, n, sizeof *b->changes);
    b->from = (uint32_t *)sgdsched_priv_take(arena, n, sizeof *b->from);
}

static void sgdsched_priv_lay_balancer(sgdsched_balancer *b, sgdsched_priv_arena *arena)
{
    const size_t n = b->r.workers;
    b->batch = (uint32_t *)sgdsched_priv_take(arena, n, sizeof *b->batch);
    b->next = (uint32_t *)sgdsched_priv_take(arena, n, sizeof *b->next);
    b->least = (uint32_t *)sgdsched_priv_take(arena, n, sizeof *b->least);
    b->most = (uint32_t *)sgdsched_priv_take(arena, n, sizeof *b->most);
    b->speed = (double *)sgdsched_priv_take(arena, n, sizeof *b->speed);
    b->fresh = (double *)sgdsched_priv_take(arena, n, sizeof *b->fresh);
    b->predicted = (double *)sgdsched_priv_take(arena, n, sizeof *b->predicted);
    b->split.workers = n;
    sgdsched_priv_lay_split(&b->split, arena);
    if (b->r.rule == SGDSCHED_BY_PAIRS) sgdsched_priv_lay_pairs(b, arena);
}

SGDSCHED_API sgdsched_status sgdsched_balance_open_bytes(const sgdsched_balance *rules,
                                                         size_t *bytes)
{
    sgdsched_priv_arena arena = {NULL, 0, 0};
    sgdsched_balancer b;
    if (!rules || rules->workers == 0 || !bytes) return SGDSCHED_BAD_ARGUMENT;
    memset(&b, 0, sizeof b);
    b.r = *rules;
    sgdsched_priv_balance_defaults(&b.r);
    (void)sgdsched_priv_take(&arena, 1, sizeof b);
    sgdsched_priv_lay_balancer(&b, &arena);
    if (arena.overflow || rules->workers >= UINT32_MAX) return SGDSCHED_TOO_LARGE;
    *bytes = arena.used;
    return SGDSCHED_OK;
}

static void sgdsched_priv_copy_workers(sgdsched_balancer *b,
                                       const sgdsched_balance *rules)
{
    const size_t n = b->r.workers;
    size_t i;
    b->r.total = 0;
    for (i = 0; i < n; i++) {
        b->least[i] = rules->least_batch ? rules->least_batch[i] : 0;
        b->most[i] = sgdsched_priv_limit(rules->max_batch ? rules->max_batch[i] : 0);
        b->speed[i] = 0.0;
        if (rules->start) b->r.total += rules->start[i];
    }
    if (!rules->start) b->r.total = rules->total;
    b->split.speed = b->speed;
    b->split.least = b->least;
    b->split.most = b->most;
    b->split.total = b->r.total;
    if (b->r.rule != SGDSCHED_BY_PAIRS) return;
    if (b->curve) memcpy(b->curve, rules->curve, n * sizeof *b->curve);
    memset(b->mean_s, 0, n * sizeof *b->mean_s);
    memset(b->change, 0, n * sizeof *b->change);
    memset(b->changes, 0, n * sizeof *b->changes);
    memset(b->run, 0, n * sizeof *b->run);
    memset(b->from, 0xff, n * sizeof *b->from);
}

SGDSCHED_API sgdsched_status sgdsched_balance_open(const sgdsched_balance *rules,
                                                   void *work, size_t work_bytes,
                                                   sgdsched_balancer **out)
{
    sgdsched_priv_arena arena = {NULL, 0, 0};
    sgdsched_balancer *b;
    size_t bytes;
    sgdsched_status status = sgdsched_balance_open_bytes(rules, &bytes);
    if (status != SGDSCHED_OK) return status;
    if (!out || !work || (uintptr_t)work % sizeof(double) != 0)
        return SGDSCHED_BAD_ARGUMENT;
    if (work_bytes < bytes) return SGDSCHED_SMALL_WORKSPACE;
    status = sgdsched_priv_check_balance(rules);
    if (status != SGDSCHED_OK) return status;
    arena.base = (char *)work;
    b = (sgdsched_balancer *)sgdsched_priv_take(&arena, 1, sizeof *b);
    memset(b, 0, sizeof *b);
    b->r = *rules;
    sgdsched_priv_balance_defaults(&b->r);
    sgdsched_priv_lay_balancer(b, &arena);
    sgdsched_priv_copy_workers(b, rules);
    if (rules->start) {
        if (rules->rule == SGDSCHED_BY_SPEED)
            status = sgdsched_priv_check_split(&b->split);
        memcpy(b->batch, rules->start, rules->workers * sizeof *b->batch);
    } else {
        status = sgdsched_priv_check_split(&b->split);
        if (status == SGDSCHED_OK) sgdsched_priv_split_batches(&b->split, b->batch);
    }
    if (status == SGDSCHED_OK) *out = b;
    return status;
}

SGDSCHED_API const uint32_t *sgdsched_balance_batches(const sgdsched_balancer *b)
{
    return b ? b->batch : NULL;
}

/* ---- Batch balancing: Alg. 1 ----------------------------------------------- */

static sgdsched_status sgdsched_priv_step_speeds(sgdsched_balancer *b,
                                                 const sgdsched_measured *m,
                                                 sgdsched_balance_action *did)
{
    const size_t n = b->r.workers;
    uint32_t *swap;
    size_t i;
    for (i = 0; i < n; i++) {
        b->fresh[i] = b->speed[i];
        if (b->batch[i] == 0) continue;
        if (!(m->time_s[i] > 0.0)) return SGDSCHED_BAD_WORKER;
        b->fresh[i] = (double)b->batch[i] / m->time_s[i];
        if (!sgdsched_priv_is_time(b->fresh[i])) return SGDSCHED_BAD_WORKER;
    }
    if (m->speed) memcpy(b->predicted, m->speed, n * sizeof *b->predicted);
    else if (b->r.predict) b->r.predict(b->r.predict_ctx, b->fresh, b->predicted);
    else memcpy(b->predicted, b->fresh, n * sizeof *b->predicted);
    b->split.speed = b->predicted;
    if (sgdsched_priv_check_split(&b->split) != SGDSCHED_OK) return SGDSCHED_BAD_WORKER;
    sgdsched_priv_split_batches(&b->split, b->next);
    memcpy(b->speed, b->fresh, n * sizeof *b->speed);
    for (i = 0; i < n; i++) {
        if (b->next[i] > b->batch[i]) did->moved += b->next[i] - b->batch[i];
        if (did->leader == n || m->time_s[i] < m->time_s[did->leader]) did->leader = i;
        if (m->time_s[i] > m->time_s[did->straggler]) did->straggler = i;
    }
    swap = b->batch;
    b->batch = b->next;
    b->next = swap;
    if (did->moved > 0) did->did = SGDSCHED_MOVED;
    return SGDSCHED_OK;
}

/* ---- Batch balancing: Alg. 2 ----------------------------------------------- */

static int sgdsched_priv_is_less(const sgdsched_balancer *b, double x, double y)
{
    return x < y * (1.0 - b->r.tolerance);
}

static uint32_t sgdsched_priv_window(const sgdsched_balancer *b)
{
    return b->fine ? b->r.fine_window : b->r.window;
}

/* Whether a time differs from its running mean by more than is to be expected. */
static int sgdsched_priv_is_new(double time_s, double mean_s, double limit)
{
    return fabs(time_s - mean_s) > limit * mean_s;
}

static int sgdsched_priv_has_changed(const sgdsched_balancer *b, size_t i, double time_s)
{
    return b->run[i] > 0 && sgdsched_priv_is_new(time_s, b->mean_s[i],
                                                 b->r.restart + 3.0 * b->change[i]);
}

static int sgdsched_priv_is_restart(const sgdsched_balancer *b, const double *time_s,
                                    double longest_s)
{
    size_t i;
    if (!(b->r.restart > 0.0)) return 0;
    if (!b->r.restart_each)
        return b->longest_run > 0 &&
               sgdsched_priv_is_new(longest_s, b->longest_s, b->r.restart);
    for (i = 0; i < b->r.workers; i++)
        if (sgdsched_priv_has_changed(b, i, time_s[i])) return 1;
    return 0;
}

/* The mean of the last `window` values, as one that forgets at that rate. */
static void sgdsched_priv_follow(double *mean, uint32_t *count, uint32_t window,
                                 double value)
{
    if (*count < window) (*count)++;
    else *count = window;
    *mean = *count == 1 ? value : *mean + (value - *mean) / (double)*count;
}

/* Running means, which only options of ours ask for; returns 1 if this iteration is the
 * first of a new first phase, without a history. How times depend on batches stays known;
 * of workers that have changed, as if their speed had. */
static int sgdsched_priv_follow_times(sgdsched_balancer *b, const double *time_s)
{
    const size_t n = b->r.workers;
    const double *last_s = b->time_s + b->row * n;
    double longest_s = 0.0;
    int restarted;
    size_t i;
    for (i = 0; i < n; i++)
        if (time_s[i] > longest_s) longest_s = time_s[i];
    restarted = sgdsched_priv_is_restart(b, time_s, longest_s);
    for (i = 0; i < n; i++) {
        const int changed = restarted && sgdsched_priv_has_changed(b, i, time_s[i]);
        if (b->run[i] > 0 && last_s[i] > 0.0) {
            const double change = fabs(time_s[i] - last_s[i]) / last_s[i];
            sgdsched_priv_follow(b->change + i, b->changes + i, SGDSCHED_PRIV_CHANGES,
                                 change < 0.2 ? change
                                              : 0.2); /* jumps are not usual     */
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
        sgdsched_priv_follow(b->mean_s + i, b->run + i, sgdsched_priv_window(b),
                             time_s[i]);
    sgdsched_priv_follow(&b->longest_s, &b->longest_run, sgdsched_priv_window(b),
                         longest_s);
    return restarted;
}

/* Takes note of an iteration; returns 1 if a new first phase begins with it. */
static int sgdsched_priv_record(sgdsched_balancer *b, const double *time_s)
{
    const size_t n = b->r.workers;
    int restarted = 0;
    if (b->r.project || b->r.hysteresis > 0.0 || b->r.restart > 0.0)
        restarted = sgdsched_priv_follow_times(b, time_s);
    b->row = b->row + 1 < b->r.history ? b->row + 1 : 0;
    if (b->rows < b->r.history) b->rows++;
    memcpy(b->time_s + b->row * n, time_s, n * sizeof *time_s);
    return restarted;
}

/* How the time of worker i changes when its batch becomes `to`. */
static double sgdsched_priv_added(const sgdsched_balancer *b, size_t i, double to)
{
    const double x = (double)b->batch[i];
    double slope_s, most_s;
    if (b->curve)
        return sgdsched_priv_worker_s(b->curve + i, to) -
               sgdsched_priv_worker_s(b->curve + i, x);
    most_s = b->batch[i] > 0 ? b->mean_s[i] / x : b->mean_s[i];
    slope_s = most_s;
    if (b->from[i] != UINT32_MAX)
        slope_s = (b->mean_s[i] - b->from_s[i]) / (x - (double)b->from[i]);
    if (slope_s < 0.0) slope_s = 0.0;
    if (slope_s > most_s) slope_s = most_s;
    return slope_s * (to - x);
}

/* The largest batch that memory allows a leader that is not to be overfilled. */
static uint32_t sgdsched_priv_room(const sgdsched_balancer *b, const double *memory,
                                   size_t i)
{
    const double x = (double)b->batch[i];
    double most = (double)b->most[i];
    if (memory) {                      /* as if all of it were in proportion to x     */
        const double fits = memory[i] > 0.0 ? x * b->r.memory_limit / memory[i] : most;
        if (fits < most) most = floor(fits);
    } else if (b->most[i] < UINT32_MAX) {
        const double fits = floor(b->r.memory_limit * most) + 1.0;
        most = fits / most <= b->r.memory_limit ? fits : fits - 1.0;
        if (most > (double)b->most[i]) most = (double)b->most[i];
    }
    return most > x ? (uint32_t)(most - x) : 0;
}

static int sgdsched_priv_may_lead(const sgdsched_balancer *b, const double *memory,
                                  size_t i)
{
    const double limit = b->r.memory_limit;
    if (b->r.cut_to_memory && sgdsched_priv_room(b, memory, i) == 0) return 0;
    if (memory) return memory[i] <= limit;
    return b->most[i] == UINT32_MAX || (double)b->batch[i] / (double)b->most[i] <= limit;
}

/* The pair of an iteration; leader = workers: none, or the straggler itself. */
static void sgdsched_priv_find_pair(const sgdsched_balancer *b, const double *time_s,
                                    const double *memory, sgdsched_balance_action *did)
{
    const size_t n = b->r.workers;
    double least_s = HUGE_VAL;
    size_t i;
    for (i = 1; i < n; i++)
        if (time_s[i] > time_s[did->straggler]) did->straggler = i;
    for (i = 0; i < n; i++) {
        double t = time_s[i];
        if (b->r.project && i == did->straggler) continue;
        if (b->r.project) t += sgdsched_priv_added(b, i, (double)b->batch[i] + 1.0);
        if (!(t < least_s) || !sgdsched_priv_may_lead(b, memory, i)) continue;
        least_s = t;
        did->leader = i;
    }
    if (did->leader == did->straggler) did->leader = n;
}

/* As many samples as make the two times equal, at least one. */
static uint32_t sgdsched_priv_equal_step(const sgdsched_balancer *b, const double *time_s,
                                         size_t leader, size_t straggler)
{
    const double gap_s = time_s[straggler] - time_s[leader];
    const double most = (double)b->batch[straggler];
    const double more_s = sgdsched_priv_added(b, leader, (double)b->batch[leader] + 1.0);
    const double less_s = -sgdsched_priv_added(b, straggler, most - 1.0);
    if (!(gap_s < most * (more_s + less_s))) return b->batch[straggler];
    return gap_s >= more_s + less_s ? (uint32_t)(gap_s / (more_s + less_s)) : 1;
}

static uint32_t sgdsched_priv_step(const sgdsched_balancer *b, const double *time_s,
                                   const double *memory, size_t leader, size_t straggler)
{
    uint32_t step = b->fine ? b->r.fine_step : b->r.step, room;
    if (b->r.project) {
        step = sgdsched_priv_equal_step(b, time_s, leader, straggler);
        if (step >= b->batch[straggler]) step = b->batch[straggler] - 1;
    }
    room = b->r.cut_to_memory ? sgdsched_priv_room(b, memory, leader)
                              : UINT32_MAX - b->batch[leader];
    return step < room ? step : room;
}

/* Whether a step shortens the longer of the two times by enough. */
static int sgdsched_priv_is_better(const sgdsched_balancer *b, const double *time_s,
                                   size_t leader, size_t straggler, uint32_t step)
{
    double leader_s, straggler_s;
    if (!b->r.project && !(b->r.hysteresis > 0.0)) return 1;
    leader_s = time_s[leader] +
               sgdsched_priv_added(b, leader, (double)b->batch[leader] + (double)step);
    straggler_s = time_s[straggler] +
        sgdsched_priv_added(b, straggler, (double)b->batch[straggler] - (double)step);
    if (leader_s > straggler_s) straggler_s = leader_s;
    return sgdsched_priv_is_less(b, straggler_s,
                                 (1.0 - b->r.hysteresis) * time_s[straggler]);
}

/* Whether `first` was faster than `second` in each of the last `count` iterations, or in
 * any of them. */
static uint32_t sgdsched_priv_times_faster(const sgdsched_balancer *b, size_t first,
                                           size_t second, size_t count, int once)
{
    size_t row = b->row, k;
    uint32_t faster = 0;
    for (k = 0; k < count; k++) {
        const double *time_s = b->time_s + row * b->r.workers;
        const int is_faster = sgdsched_priv_is_less(b, time_s[first], time_s[second]);
        faster += (uint32_t)is_faster;
        if (is_faster == once) break;
        row = row > 0 ? row - 1 : b->r.history - 1;
    }
    return faster;
}

static void sgdsched_priv_move(sgdsched_balancer *b, size_t leader, size_t straggler,
                               uint32_t step)
{
    b->from[leader] = b->batch[leader];
    b->from[straggler] = b->batch[straggler];
    b->from_s[leader] = b->mean_s[leader];
    b->from_s[straggler] = b->mean_s[straggler];
    b->run[leader] = b->run[straggler] = 0;
    b->longest_run = 0;
    b->batch[leader] += step;
    b->batch[straggler] -= step;
}

static void sgdsched_priv_step_pairs(sgdsched_balancer *b, const sgdsched_measured *m,
                                     sgdsched_balance_action *did)
{
    const size_t n = b->r.workers;
    const double *time_s = b->r.project ? b->mean_s : m->time_s;
    const uint32_t window = sgdsched_priv_window(b);
    uint32_t step, least;
    sgdsched_priv_find_pair(b, time_s, m->memory, did);
    if (did->leader == n) return;
    least = b->r.project ? 1 : b->fine ? b->r.fine_step : b->r.step;
    if (b->batch[did->straggler] <= least) { did->did = SGDSCHED_REMOVE; return; }
    step = sgdsched_priv_step(b, time_s, m->memory, did->leader, did->straggler);
    if (b->rows >= window && step > 0 &&
        sgdsched_priv_times_faster(b, did->leader, did->straggler, window, 0) == window) {
        if (sgdsched_priv_is_better(b, time_s, did->leader, did->straggler, step)) {
            sgdsched_priv_move(b, did->leader, did->straggler, step);
            did->did = SGDSCHED_MOVED;
            did->moved = step;
        } else {
            b->fine = 1;
        }
    } else if (!b->fine && sgdsched_priv_times_faster(b, did->straggler, did->leader,
                                                      b->rows, 1) > 0) {
        b->fine = 1;
    }
}

SGDSCHED_API sgdsched_status sgdsched_balance_step(sgdsched_balancer *b,
                                                   const sgdsched_measured *measured,
                                                   uint32_t *batch,
                                                   sgdsched_balance_action *action)
{
    sgdsched_balance_action did;
    size_t i;
    if (!b || !measured || !measured->time_s) return SGDSCHED_BAD_ARGUMENT;
    for (i = 0; i < b->r.workers; i++)
        if (!sgdsched_priv_is_time(measured->time_s[i]) ||
            (measured->memory && !sgdsched_priv_is_time(measured->memory[i])))
            return SGDSCHED_BAD_WORKER;
    memset(&did, 0, sizeof did);
    did.leader = b->r.workers;
    if (b->r.rule == SGDSCHED_BY_SPEED) {
        const sgdsched_status status = sgdsched_priv_step_speeds(b, measured, &did);
        if (status != SGDSCHED_OK) return status;
    } else {
        did.restarted = sgdsched_priv_record(b, measured->time_s);
        sgdsched_priv_step_pairs(b, measured, &did);
        did.fine = b->fine;
    }
    if (batch) memcpy(batch, b->batch, b->r.workers * sizeof *batch);
    if (action) *action = did;
    return SGDSCHED_OK;
}

/* ---- Batch balancing: gradients and partitions ----------------------------- */

static uint64_t sgdsched_priv_samples(const uint32_t *batch, size_t workers)
{
    uint64_t sum = 0;
    size_t i;
    for (i = 0; i < workers; i++) sum += batch[i];
    return sum;
}

SGDSCHED_API sgdsched_status sgdsched_weights(const uint32_t *batch, size_t workers,
                                              int pushed, double *weight)
{
    const uint64_t total = batch ? sgdsched_priv_samples(batch, workers) : 0;
    const double times = pushed ? (double)workers : 1.0;
    size_t i;
    if (total == 0 || !weight) return SGDSCHED_BAD_ARGUMENT;
    for (i = 0; i < workers; i++)
        weight[i] = times * (double)batch[i] / (double)total;
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_aggregate(const double *const *gradient,
                                                const uint32_t *batch, size_t workers,
                                                size_t size, double *out)
{
    const uint64_t total = batch ? sgdsched_priv_samples(batch, workers) : 0;
    size_t i, k;
    if (total == 0 || !gradient || size == 0 || !out) return SGDSCHED_BAD_ARGUMENT;
    for (i = 0; i < workers; i++)
        if (batch[i] > 0 && !gradient[i]) return SGDSCHED_BAD_ARGUMENT;
    memset(out, 0, size * sizeof *out);
    for (i = 0; i < workers; i++) {
        const double weight = (double)batch[i] / (double)total;
        if (batch[i] == 0) continue;
        for (k = 0; k < size; k++) out[k] += weight * gradient[i][k];
    }
    return SGDSCHED_OK;
}

struct sgdsched_partitions {
    sgdsched_partition_rules r;
    uint32_t          *samples;        /* [workers]                                   */
    double            *consumed;       /* [workers] samples since counts began        */
    sgdsched_migration moving;         /* started: in the background                  */
    double             left_s;         /* of it                                       */
};

static void sgdsched_priv_lay_partitions(sgdsched_partitions *p,
                                         sgdsched_priv_arena *arena)
{
    p->samples = (uint32_t *)sgdsched_priv_take(arena, p->r.workers, sizeof *p->samples);
    p->consumed = (double *)sgdsched_priv_take(arena, p->r.workers, sizeof *p->consumed);
}

SGDSCHED_API sgdsched_status sgdsched_partition_open_bytes(
    const sgdsched_partition_rules *rules, size_t *bytes)
{
    sgdsched_priv_arena arena = {NULL, 0, 0};
    sgdsched_partitions p;
    if (!rules || rules->workers == 0 || !bytes) return SGDSCHED_BAD_ARGUMENT;
    p.r = *rules;
    (void)sgdsched_priv_take(&arena, 1, sizeof p);
    sgdsched_priv_lay_partitions(&p, &arena);
    if (arena.overflow) return SGDSCHED_TOO_LARGE;
    *bytes = arena.used;
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_partition_open(
    const sgdsched_partition_rules *rules, void *work, size_t work_bytes,
    sgdsched_partitions **out)
{
    sgdsched_priv_arena arena = {NULL, 0, 0};
    sgdsched_partitions *p;
    uint64_t sum = 0;
    size_t bytes, i;
    const sgdsched_status status = sgdsched_partition_open_bytes(rules, &bytes);
    if (status != SGDSCHED_OK) return status;
    if (!rules->samples || !out || !work || (uintptr_t)work % sizeof(double) != 0 ||
        !sgdsched_priv_is_time(rules->gap) ||
        !sgdsched_priv_is_time(rules->sample_bytes) ||
        !sgdsched_priv_is_time(rules->bandwidth_bytes_per_s))
        return SGDSCHED_BAD_ARGUMENT;
    if (work_bytes < bytes) return SGDSCHED_SMALL_WORKSPACE;
    for (i = 0; i < rules->workers; i++) {
        if (rules->samples[i] == 0) return SGDSCHED_BAD_ARGUMENT;
        sum += rules->samples[i];
    }
    if (sum > UINT32_MAX) return SGDSCHED_TOO_LARGE;
    arena.base = (char *)work;
    p = (sgdsched_partitions *)sgdsched_priv_take(&arena, 1, sizeof *p);
    memset(p, 0, sizeof *p);
    p->r = *rules;
    if (!(p->r.gap > 0.0)) p->r.gap = 2.0;
    sgdsched_priv_lay_partitions(p, &arena);
    memcpy(p->samples, rules->samples, rules->workers * sizeof *p->samples);
    memset(p->consumed, 0, rules->workers * sizeof *p->consumed);
    *out = p;
    return SGDSCHED_OK;
}

SGDSCHED_API uint32_t sgdsched_partition_samples(const sgdsched_partitions *p, size_t i)
{
    return p && i < p->r.workers ? p->samples[i] : 0;
}

SGDSCHED_API double sgdsched_partition_traversals(const sgdsched_partitions *p, size_t i)
{
    return p && i < p->r.workers ? p->consumed[i] / (double)p->samples[i] : 0.0;
}

/* Starts a move between the two partitions whose traversals differ most, if by more than
 * the gap, and if there is a sample to move. */
static void sgdsched_priv_start_move(sgdsched_partitions *p, const uint32_t *batch)
{
    size_t slow = 0, fast = 0, i;
    uint64_t wanted, kept, both, d;
    for (i = 1; i < p->r.workers; i++) {
        const double a = sgdsched_partition_traversals(p, i);
        if (a < sgdsched_partition_traversals(p, slow)) slow = i;
        if (a > sgdsched_partition_traversals(p, fast)) fast = i;
    }
    if (!(sgdsched_partition_traversals(p, fast) -
          sgdsched_partition_traversals(p, slow) > p->r.gap)) return;
    wanted = (uint64_t)p->samples[slow] * batch[fast];
    kept = (uint64_t)p->samples[fast] * batch[slow];
    both = (uint64_t)batch[fast] + batch[slow];
    if (wanted <= kept) return;
    d = (wanted - kept) / both;
    if (d > p->samples[slow] - 1) d = p->samples[slow] - 1;
    if (d == 0) return;
    p->moving.started = 1;
    p->moving.from = slow;
    p->moving.to = fast;
    p->moving.samples = (uint32_t)d;
    p->moving.transfer_s = p->r.bandwidth_bytes_per_s > 0.0
        ? (double)d * p->r.sample_bytes / p->r.bandwidth_bytes_per_s : 0.0;
    p->left_s = p->moving.transfer_s;
}

static void sgdsched_priv_end_move(sgdsched_partitions *p)
{
    p->samples[p->moving.from] -= p->moving.samples;
    p->samples[p->moving.to] += p->moving.samples;
    memset(p->consumed, 0, p->r.workers * sizeof *p->consumed);
    memset(&p->moving, 0, sizeof p->moving);
}

SGDSCHED_API sgdsched_status sgdsched_partition_step(sgdsched_partitions *p,
                                                     const uint32_t *batch,
                                                     double iteration_s,
                                                     sgdsched_migration *migration)
{
    const int under_way = p && p->moving.started;
    sgdsched_migration out;
    size_t i;
    if (!p || !batch || !migration || !sgdsched_priv_is_time(iteration_s))
        return SGDSCHED_BAD_ARGUMENT;
    for (i = 0; i < p->r.workers; i++) p->consumed[i] += (double)batch[i];
    if (under_way) p->left_s -= iteration_s;
    else sgdsched_priv_start_move(p, batch);
    out = p->moving;
    out.ended = p->moving.started && !(p->left_s > 0.0);
    if (under_way) out.started = 0;
    if (out.ended) sgdsched_priv_end_move(p);
    *migration = out;
    return SGDSCHED_OK;
}

/* ---- Speed predictors ------------------------------------------------------ */

enum {
    SGDSCHED_PRIV_HIDDEN = 10, /* units of NARX                                   */
    SGDSCHED_PRIV_INPUTS = 8,  /*   and its inputs                                */
    SGDSCHED_PRIV_UNITS = 16,  /* of RNN and LSTM                                 */
    SGDSCHED_PRIV_GATE = SGDSCHED_PRIV_UNITS * (SGDSCHED_PRIV_UNITS + 2),
    SGDSCHED_PRIV_TERMS = SGDSCHED_PRIV_INPUTS + 1, /* of a line, at most               */
    SGDSCHED_PRIV_ARIMA = 4,    /* c0, a1, a2, b                                   */
    SGDSCHED_PRIV_MINI = 32,    /* rows of a mini-batch                            */
    SGDSCHED_PRIV_PATIENCE = 10 /* epochs without progress                         */
};

/* Weights of the network. */
static size_t sgdsched_priv_network_weights(sgdsched_forecast_method method)
{
    switch (method) {
    case SGDSCHED_RNN:  return SGDSCHED_PRIV_GATE + SGDSCHED_PRIV_UNITS + 1;
    case SGDSCHED_LSTM: return 4 * SGDSCHED_PRIV_GATE + SGDSCHED_PRIV_UNITS + 1;
    case SGDSCHED_NARX: return SGDSCHED_PRIV_HIDDEN * (SGDSCHED_PRIV_INPUTS + 2) + 1;
    case SGDSCHED_MEMORYLESS:
    case SGDSCHED_EMA:
    case SGDSCHED_ARIMA:
    case SGDSCHED_ARX:
    case SGDSCHED_FORECAST_METHODS:
    default: return 0;
    }
}

static int sgdsched_priv_is_network(sgdsched_forecast_method method)
{
    return sgdsched_priv_network_weights(method) > 0;
}

static int sgdsched_priv_uses_usage(sgdsched_forecast_method method)
{
    return method == SGDSCHED_NARX || method == SGDSCHED_ARX;
}

/* Inputs of a network or of ARX. */
static size_t sgdsched_priv_input_count(sgdsched_forecast_method method)
{
    return sgdsched_priv_uses_usage(method) ? SGDSCHED_PRIV_INPUTS : 2;
}

SGDSCHED_API size_t sgdsched_forecast_weights(sgdsched_forecast_method method)
{
    if (method == SGDSCHED_ARIMA) return SGDSCHED_PRIV_ARIMA;
    if (method != SGDSCHED_ARX && !sgdsched_priv_is_network(method)) return 0;
    return sgdsched_priv_network_weights(method) + sgdsched_priv_input_count(method) + 1;
}

static int sgdsched_priv_learns(sgdsched_forecast_method method)
{
    return sgdsched_forecast_weights(method) > 0;
}

/* n, or 0 if it is out of domain. */
static uint32_t sgdsched_priv_train_rows(const sgdsched_forecast *forecast)
{
    if (forecast->train == 0) return 500;
    return forecast->train >= 10 ? forecast->train : 0;
}

SGDSCHED_API uint64_t sgdsched_forecast_rows(const sgdsched_forecast *forecast)
{
    uint32_t n;
    if (!forecast || (unsigned)forecast->method >= (unsigned)SGDSCHED_FORECAST_METHODS)
        return 0;
    n = sgdsched_priv_train_rows(forecast);
    if (n == 0) return 0;
    return sgdsched_priv_learns(forecast->method) ? (uint64_t)n + 20 : 1;
}

/* One of a row's numbers: false for NaN. */
static int sgdsched_priv_is_measure(double x)
{
    return x >= 0.0 && x <= SGDSCHED_PRIV_MOST;
}

/* ---- Speed predictors: networks -------------------------------------------- */

/* Each returns the output for standardised inputs x and, unless gradient is NULL, adds
 * there the derivatives of (output - target)^2 by the weights. Matrices are stored by
 * the unit they come from, so that inner loops run over units that they lead to. */

/* Output = sum_i w[i] h[i] + w[count]. */
static double sgdsched_priv_output(const double *w, const double *h, size_t count)
{
    double y = w[count];
    size_t i;
    for (i = 0; i < count; i++) y += w[i] * h[i];
    return y;
}

/* Its gradient, and dh, the derivatives by h, for derivative dy of the output. */
static void sgdsched_priv_output_back(const double *w, const double *h, size_t count,
                                      double dy, double *gradient, double *dh)
{
    size_t i;
    for (i = 0; i < count; i++) {
        gradient[i] += dy * h[i];
        dh[i] = dy * w[i];
    }
    gradient[count] += dy;
}

/* Weights: inputs to units, biases, output. */
static double sgdsched_priv_narx(const double *w, const double *x, double target,
                                 double *gradient)
{
    const size_t bias = (size_t)SGDSCHED_PRIV_INPUTS * SGDSCHED_PRIV_HIDDEN;
    const size_t out = bias + SGDSCHED_PRIV_HIDDEN;
    double h[SGDSCHED_PRIV_HIDDEN], da[SGDSCHED_PRIV_HIDDEN], y;
    size_t i, j;
    for (i = 0; i < SGDSCHED_PRIV_HIDDEN; i++) h[i] = w[bias + i];
    for (j = 0; j < SGDSCHED_PRIV_INPUTS; j++)
        for (i = 0; i < SGDSCHED_PRIV_HIDDEN; i++)
            h[i] += w[j * SGDSCHED_PRIV_HIDDEN + i] * x[j];
    for (i = 0; i < SGDSCHED_PRIV_HIDDEN; i++) h[i] = tanh(h[i]);
    y = sgdsched_priv_output(w + out, h, SGDSCHED_PRIV_HIDDEN);
    if (!gradient) return y;
    sgdsched_priv_output_back(w + out, h, SGDSCHED_PRIV_HIDDEN, 2.0 * (y - target),
                              gradient + out, da);
    for (i = 0; i < SGDSCHED_PRIV_HIDDEN; i++) {
        da[i] *= 1.0 - h[i] * h[i];
        gradient[bias + i] += da[i];
    }
    for (j = 0; j < SGDSCHED_PRIV_INPUTS; j++)
        for (i = 0; i < SGDSCHED_PRIV_HIDDEN; i++)
            gradient[j * SGDSCHED_PRIV_HIDDEN + i] += da[i] * x[j];
    return y;
}

/* a[i] = w[i] x + bias[i] + sum_j u[j][i] h[j] of the units of a recurrent layer; h NULL:
 * its first step. Weights in this order. */
static void sgdsched_priv_gate(const double *w, double x, const double *h, double *a)
{
    const double *u = w + (size_t)2 * SGDSCHED_PRIV_UNITS;
    size_t i, j;
    for (i = 0; i < SGDSCHED_PRIV_UNITS; i++)
        a[i] = w[i] * x + w[SGDSCHED_PRIV_UNITS + i];
    for (j = 0; h && j < SGDSCHED_PRIV_UNITS; j++)
        for (i = 0; i < SGDSCHED_PRIV_UNITS; i++)
            a[i] += u[j * SGDSCHED_PRIV_UNITS + i] * h[j];
}

/* Adds its gradient and, unless h is NULL, to dh, for derivatives da. */
static void sgdsched_priv_gate_back(const double *w, double x, const double *h,
                                    const double *da, double *gradient, double *dh)
{
    const size_t at = (size_t)2 * SGDSCHED_PRIV_UNITS;
    size_t i, j;
    for (i = 0; i < SGDSCHED_PRIV_UNITS; i++) {
        gradient[i] += da[i] * x;
        gradient[SGDSCHED_PRIV_UNITS + i] += da[i];
    }
    for (j = 0; h && j < SGDSCHED_PRIV_UNITS; j++) {
        const double *u = w + at + j * SGDSCHED_PRIV_UNITS;
        double *du = gradient + at + j * SGDSCHED_PRIV_UNITS, sum = 0.0;
        for (i = 0; i < SGDSCHED_PRIV_UNITS; i++) du[i] += da[i] * h[j];
        for (i = 0; i < SGDSCHED_PRIV_UNITS; i++) sum += da[i] * u[i];
        dh[j] += sum;
    }
}

/* Weights: the recurrent layer, output. */
static double sgdsched_priv_rnn(const double *w, const double *x, double target,
                                double *gradient)
{
    double h[2][SGDSCHED_PRIV_UNITS], da[2][SGDSCHED_PRIV_UNITS], y;
    size_t i, t;
    for (t = 0; t < 2; t++) {
        sgdsched_priv_gate(w, x[t], t > 0 ? h[0] : NULL, h[t]);
        for (i = 0; i < SGDSCHED_PRIV_UNITS; i++) h[t][i] = tanh(h[t][i]);
    }
    y = sgdsched_priv_output(w + SGDSCHED_PRIV_GATE, h[1], SGDSCHED_PRIV_UNITS);
    if (!gradient) return y;
    sgdsched_priv_output_back(w + SGDSCHED_PRIV_GATE, h[1], SGDSCHED_PRIV_UNITS,
                              2.0 * (y - target), gradient + SGDSCHED_PRIV_GATE, da[1]);
    for (i = 0; i < SGDSCHED_PRIV_UNITS; i++) {
        da[1][i] *= 1.0 - h[1][i] * h[1][i];
        da[0][i] = 0.0;
    }
    sgdsched_priv_gate_back(w, x[1], h[0], da[1], gradient, da[0]);
    for (i = 0; i < SGDSCHED_PRIV_UNITS; i++) da[0][i] *= 1.0 - h[0][i] * h[0][i];
    sgdsched_priv_gate_back(w, x[0], NULL, da[0], gradient, NULL);
    return y;
}

/* Of an LSTM: h = o tanh(c), c = f c_before + i g, with g a tanh and the gates i, f and o
 * logistic functions of input and h_before. */
enum {
    SGDSCHED_PRIV_I,
    SGDSCHED_PRIV_F,
    SGDSCHED_PRIV_G,
    SGDSCHED_PRIV_O,
    SGDSCHED_PRIV_GATES
};

typedef struct sgdsched_priv_cell {
    double gate[SGDSCHED_PRIV_GATES][SGDSCHED_PRIV_UNITS];
    double c[SGDSCHED_PRIV_UNITS], tanh_c[SGDSCHED_PRIV_UNITS], h[SGDSCHED_PRIV_UNITS];
} sgdsched_priv_cell;

/* before NULL: the first step, in which f has nothing to forget. */
static void sgdsched_priv_cell_step(const double *w, double x,
                                    const sgdsched_priv_cell *before,
                                    sgdsched_priv_cell *now)
{
    size_t i, k;
    for (k = 0; k < SGDSCHED_PRIV_GATES; k++) {
        double *a = now->gate[k];
        if (k == SGDSCHED_PRIV_F && !before) continue;
        sgdsched_priv_gate(w + k * SGDSCHED_PRIV_GATE, x, before ? before->h : NULL, a);
        for (i = 0; i < SGDSCHED_PRIV_UNITS; i++)
            a[i] = k == SGDSCHED_PRIV_G ? tanh(a[i]) : 0.5 + 0.5 * tanh(0.5 * a[i]);
    }
    for (i = 0; i < SGDSCHED_PRIV_UNITS; i++) {
        now->c[i] = now->gate[SGDSCHED_PRIV_I][i] * now->gate[SGDSCHED_PRIV_G][i];
        if (before) now->c[i] += now->gate[SGDSCHED_PRIV_F][i] * before->c[i];
        now->tanh_c[i] = tanh(now->c[i]);
        now->h[i] = now->gate[SGDSCHED_PRIV_O][i] * now->tanh_c[i];
    }
}

/* From dh and dc, derivatives by h and c from after this step, adds the gradient; leaves
 * there those by h and c from before. */
static void sgdsched_priv_cell_back(const double *w, double x,
                                    const sgdsched_priv_cell *before,
                                    const sgdsched_priv_cell *now, double *gradient,
                                    double *dh, double *dc)
{
    double da[SGDSCHED_PRIV_GATES][SGDSCHED_PRIV_UNITS];
    size_t i, k;
    for (i = 0; i < SGDSCHED_PRIV_UNITS; i++) {
        const double in = now->gate[SGDSCHED_PRIV_I][i],
                     g = now->gate[SGDSCHED_PRIV_G][i];
        const double o = now->gate[SGDSCHED_PRIV_O][i], t = now->tanh_c[i];
        const double by_c = dc[i] + dh[i] * o * (1.0 - t * t);
        da[SGDSCHED_PRIV_O][i] = dh[i] * t * o * (1.0 - o);
        da[SGDSCHED_PRIV_I][i] = by_c * g * in * (1.0 - in);
        da[SGDSCHED_PRIV_G][i] = by_c * in * (1.0 - g * g);
        dh[i] = 0.0;
        if (before) {
            const double f = now->gate[SGDSCHED_PRIV_F][i];
            da[SGDSCHED_PRIV_F][i] = by_c * before->c[i] * f * (1.0 - f);
            dc[i] = by_c * f;
        }
    }
    for (k = 0; k < SGDSCHED_PRIV_GATES; k++) {
        if (k == SGDSCHED_PRIV_F && !before) continue;
        sgdsched_priv_gate_back(w + k * SGDSCHED_PRIV_GATE, x, before ? before->h : NULL,
                                da[k], gradient + k * SGDSCHED_PRIV_GATE, dh);
    }
}

/* Weights: the gates i, f, g, o, output. */
static double sgdsched_priv_lstm(const double *w, const double *x, double target,
                                 double *gradient)
{
    const size_t out = (size_t)SGDSCHED_PRIV_GATES * SGDSCHED_PRIV_GATE;
    double dh[SGDSCHED_PRIV_UNITS], dc[SGDSCHED_PRIV_UNITS], y;
    sgdsched_priv_cell cell[2];
    size_t i;
    sgdsched_priv_cell_step(w, x[0], NULL, &cell[0]);
    sgdsched_priv_cell_step(w, x[1], &cell[0], &cell[1]);
    y = sgdsched_priv_output(w + out, cell[1].h, SGDSCHED_PRIV_UNITS);
    if (!gradient) return y;
    sgdsched_priv_output_back(w + out, cell[1].h, SGDSCHED_PRIV_UNITS, 2.0 * (y - target),
                              gradient + out, dh);
    for (i = 0; i < SGDSCHED_PRIV_UNITS; i++) dc[i] = 0.0;
    sgdsched_priv_cell_back(w, x[1], &cell[0], &cell[1], gradient, dh, dc);
    sgdsched_priv_cell_back(w, x[0], NULL, &cell[0], gradient, dh, dc);
    return y;
}

static double sgdsched_priv_network(sgdsched_forecast_method method, const double *w,
                                    const double *x, double target, double *gradient)
{
    if (method == SGDSCHED_NARX) return sgdsched_priv_narx(w, x, target, gradient);
    if (method == SGDSCHED_RNN) return sgdsched_priv_rnn(w, x, target, gradient);
    SGDSCHED_ASSERT(method == SGDSCHED_LSTM);
    return sgdsched_priv_lstm(w, x, target, gradient);
}

/* ---- Speed predictors: the state ------------------------------------------- */

/* What is known of a series of speeds, CPU or memory uses. */
typedef struct sgdsched_priv_column {
    double *row;                   /* [n] as observed, standardised by training       */
    double  last[2];               /* last[0] observed last, last[1] before it        */
    double  mean, deviation;       /* of row                                          */
    double  low, high;             /* range of row, standardised                      */
} sgdsched_priv_column;

enum {
    SGDSCHED_PRIV_SPEED,
    SGDSCHED_PRIV_CPU,
    SGDSCHED_PRIV_MEMORY,
    SGDSCHED_PRIV_SERIES
};

struct sgdsched_predictor {
    sgdsched_forecast of;          /* with defaults filled in                         */
    size_t   weights;
    size_t   network;              /* the first of them; then follows the line        */
    size_t   inputs;               /* of both                                         */
    uint64_t seen;                 /* iterations observed                             */
    int      started;              /* weight has what training starts from            */
    int      trained;
    uint32_t epochs;               /* run                                             */
    size_t   clamped;
    double   ema;
    sgdsched_priv_column column[SGDSCHED_PRIV_SERIES];
    double   w[2], e;              /* ARIMA: last two w, the newer first; last e      */
    double  *weight;               /* [weights]                                       */
    double  *gradient, *best;      /* [network] in training                           */
    double  *first, *second;       /* [network]   moments of Adam                     */
    uint32_t *order;               /* [n]         rows, shuffled                      */
    double  *scratch;              /* ARIMA [n]: all w; else [n + inputs][inputs + 2] */
                                   /*   for least squares, then, for networks, [n]    */
                                   /*   what these leave of the rows                  */
};

/* Series that a predictor reads. */
static size_t sgdsched_priv_columns(sgdsched_forecast_method method)
{
    return sgdsched_priv_uses_usage(method) ? SGDSCHED_PRIV_SERIES : 1;
}

static sgdsched_predictor *
sgdsched_priv_predictor_carve(const sgdsched_forecast *forecast,
                              sgdsched_priv_arena *arena, sgdsched_predictor *lay)
{
    const sgdsched_forecast_method method = forecast->method;
    const size_t n =
        sgdsched_priv_learns(method) ? sgdsched_priv_train_rows(forecast) : 0;
    const size_t weights = sgdsched_forecast_weights(method);
    const size_t network = sgdsched_priv_network_weights(method);
    const size_t inputs = sgdsched_priv_input_count(method);
    sgdsched_predictor *p =
        (sgdsched_predictor *)sgdsched_priv_take(arena, 1, sizeof(sgdsched_predictor));
    size_t i;
    memset(lay, 0, sizeof *lay);
    for (i = 0; i < sgdsched_priv_columns(method); i++)
        lay->column[i].row = (double *)sgdsched_priv_take(arena, n, sizeof(double));
    lay->weights = weights;
    lay->network = network;
    lay->inputs = inputs;
    lay->weight = (double *)sgdsched_priv_take(arena, weights, sizeof(double));
    lay->gradient = (double *)sgdsched_priv_take(arena, network, sizeof(double));
    lay->best = (double *)sgdsched_priv_take(arena, network, sizeof(double));
    lay->first = (double *)sgdsched_priv_take(arena, network, sizeof(double));
    lay->second = (double *)sgdsched_priv_take(arena, network, sizeof(double));
    if (network > 0)
        lay->order = (uint32_t *)sgdsched_priv_take(arena, n, sizeof(uint32_t));
    if (network > 0 || method == SGDSCHED_ARX)
        lay->scratch = (double *)sgdsched_priv_take(arena, n + inputs,
                                                    (inputs + 2) * sizeof(double));
    else
        lay->scratch = (double *)sgdsched_priv_take(arena, n, sizeof(double));
    return p;
}

static sgdsched_status sgdsched_priv_check_forecast(const sgdsched_forecast *forecast)
{
    size_t i;
    if (!forecast || sgdsched_forecast_rows(forecast) == 0) return SGDSCHED_BAD_ARGUMENT;
    if (!(forecast->smoothing >= 0.0 && forecast->smoothing <= 1.0))
        return SGDSCHED_BAD_ARGUMENT;
    if (!forecast->start) return SGDSCHED_OK;
    if (!sgdsched_priv_is_network(forecast->method) && forecast->method != SGDSCHED_ARIMA)
        return SGDSCHED_BAD_ARGUMENT;
    for (i = 0; i < sgdsched_forecast_weights(forecast->method); i++)
        if (!(fabs(forecast->start[i]) <= SGDSCHED_PRIV_MOST))
            return SGDSCHED_BAD_ARGUMENT;
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status
sgdsched_predictor_open_bytes(const sgdsched_forecast *forecast, size_t *bytes)
{
    const sgdsched_status status = sgdsched_priv_check_forecast(forecast);
    sgdsched_priv_arena arena = { NULL, 0, 0 };
    sgdsched_predictor lay;
    if (status != SGDSCHED_OK) return status;
    if (!bytes) return SGDSCHED_BAD_ARGUMENT;
    (void)sgdsched_priv_predictor_carve(forecast, &arena, &lay);
    if (arena.overflow) return SGDSCHED_TOO_LARGE;
    *bytes = arena.used;
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_predictor_open(const sgdsched_forecast *forecast,
                                                     void *work, size_t work_bytes,
                                                     sgdsched_predictor **out)
{
    size_t need = 0;
    const sgdsched_status status = sgdsched_predictor_open_bytes(forecast, &need);
    sgdsched_priv_arena arena = { NULL, 0, 0 };
    sgdsched_predictor lay, *p;
    if (status != SGDSCHED_OK) return status;
    if (!work || !out || (uintptr_t)work % sizeof(double) != 0)
        return SGDSCHED_BAD_ARGUMENT;
    if (work_bytes < need) return SGDSCHED_SMALL_WORKSPACE;
    arena.base = (char *)work;
    p = sgdsched_priv_predictor_carve(forecast, &arena, &lay);
    *p = lay;
    p->of = *forecast;
    p->of.train = sgdsched_priv_train_rows(forecast);
    if (p->of.epochs == 0) p->of.epochs = 200;
    if (!(p->of.smoothing > 0.0)) p->of.smoothing = 0.2;
    p->started = forecast->start != NULL;
    if (p->started) memcpy(p->weight, forecast->start, p->weights * sizeof(double));
    p->of.start = NULL;            /* the caller's                                    */
    *out = p;
    return SGDSCHED_OK;
}

/* ---- Speed predictors: standardised rows ----------------------------------- */

static double sgdsched_priv_standard(const sgdsched_priv_column *column, double x)
{
    return (x - column->mean) / column->deviation;
}

/* Replaces the rows by (row - mean) / deviation; returns 0 if they are all the same.
 * Distances from the first row are summed up, whence equal rows give exact zeros. */
static int sgdsched_priv_standardise(sgdsched_priv_column *column, size_t n)
{
    double *row = column->row, sum = 0.0, squares = 0.0, shift;
    int differ;
    size_t i;
    for (i = 0; i < n; i++) sum += row[i] - row[0];
    shift = sum / (double)n;
    for (i = 0; i < n; i++) {
        const double distance = row[i] - row[0] - shift;
        squares += distance * distance;
    }
    column->mean = row[0] + shift;
    column->deviation = sqrt(squares / (double)n);
    differ = column->deviation > SGDSCHED_PRIV_LEAST;
    if (!differ) column->deviation = 1.0;
    for (i = 0; i < n; i++) {
        row[i] = sgdsched_priv_standard(column, row[i]);
        if (i == 0 || row[i] < column->low) column->low = row[i];
        if (i == 0 || row[i] > column->high) column->high = row[i];
    }
    return differ;
}

/* The inputs of a method that does not step from difference to difference, out of
 * standardised v, c and m of iterations k, k - 1 and k - 2; v of k is not read. */
static void sgdsched_priv_inputs(sgdsched_forecast_method method,
                                 double (*z)[3], double *x)
{
    size_t i;
    if (!sgdsched_priv_uses_usage(method)) {
        x[0] = z[SGDSCHED_PRIV_SPEED][2];
        x[1] = z[SGDSCHED_PRIV_SPEED][1];
        return;
    }
    x[0] = z[SGDSCHED_PRIV_SPEED][1];
    x[1] = z[SGDSCHED_PRIV_SPEED][2];
    for (i = 0; i < 3; i++) {
        x[2 + i] = z[SGDSCHED_PRIV_CPU][i];
        x[5 + i] = z[SGDSCHED_PRIV_MEMORY][i];
    }
}

/* Those of row k >= 2 of the training rows; returns the target. */
static double sgdsched_priv_row(const sgdsched_predictor *p, size_t k, double *x)
{
    double z[SGDSCHED_PRIV_SERIES][3];
    size_t i, s;
    for (s = 0; s < sgdsched_priv_columns(p->of.method); s++)
        for (i = 0; i < 3; i++) z[s][i] = p->column[s].row[k - i];
    sgdsched_priv_inputs(p->of.method, z, x);
    return p->column[SGDSCHED_PRIV_SPEED].row[k];
}

/* ---- Speed predictors: lines ----------------------------------------------- */

/* Least squares by Householder reflections of a[rows][terms + 1], whose last column is
 * the right-hand side. Returns 0, with nothing in x, if the columns are as good as
 * dependent. Columns have length sqrt(rows) or less. */
static int sgdsched_priv_least_squares(double *a, size_t rows, size_t terms, double *x)
{
    const size_t width = terms + 1;
    const double tiny = 1e-8 * sqrt((double)rows);
    double diagonal[SGDSCHED_PRIV_TERMS];
    size_t i, j, k;
    if (rows < terms) return 0;
    for (j = 0; j < terms; j++) {
        double squares = 0.0, norm;
        for (i = j; i < rows; i++) squares += a[i * width + j] * a[i * width + j];
        norm = sqrt(squares);
        if (!(norm > tiny)) return 0;
        diagonal[j] = a[j * width + j] > 0.0 ? -norm : norm;
        /* v = column - diagonal e_j has v.v / 2 = squares - diagonal a_jj > 0. */
        squares -= diagonal[j] * a[j * width + j];
        a[j * width + j] -= diagonal[j];
        for (k = j + 1; k < width; k++) {
            double dot = 0.0;
            for (i = j; i < rows; i++) dot += a[i * width + j] * a[i * width + k];
            dot /= squares;
            for (i = j; i < rows; i++) a[i * width + k] -= dot * a[i * width + j];
        }
    }
    for (j = terms; j-- > 0;) {
        double sum = a[j * width + terms];
        for (k = j + 1; k < terms; k++) sum -= a[j * width + k] * x[k];
        x[j] = sum / diagonal[j];
    }
    return 1;
}

/* The column that an input is of. */
static size_t sgdsched_priv_column_of(size_t input)
{
    if (input < 2) return SGDSCHED_PRIV_SPEED;
    return input < 5 ? SGDSCHED_PRIV_CPU : SGDSCHED_PRIV_MEMORY;
}

/* Weights of inputs and 1 from rows 2..end-1, or from what the network leaves of these.
 * Dependent columns get a ridge. */
static void sgdsched_priv_fit_line(sgdsched_predictor *p, size_t end, int left)
{
    const sgdsched_forecast_method method = p->of.method;
    const size_t inputs = p->inputs, width = inputs + 2, samples = end - 2;
    double *line = p->weight + p->network;
    int ridge, solved = 0;
    size_t i;
    for (ridge = 0; ridge < 2 && !solved; ridge++) {
        const size_t rows = ridge ? samples + inputs : samples;
        memset(p->scratch, 0, rows * width * sizeof(double));
        for (i = 0; i < samples; i++) {
            double *row = p->scratch + i * width;
            row[inputs + 1] = sgdsched_priv_row(p, i + 2, row);
            if (left)
                row[inputs + 1] -=
                    sgdsched_priv_network(method, p->weight, row, 0.0, NULL);
            row[inputs] = 1.0;
        }
        for (; i < rows; i++)      /* the weight of the 1 is free                     */
            p->scratch[i * width + i - samples] = sqrt(1e-9 * (double)samples);
        solved = sgdsched_priv_least_squares(p->scratch, rows, inputs + 1, line);
    }
    /* Of what never changed, the weight is 0 but for rounding; numbers still to come may
     * be as large as they like. */
    for (i = 0; i < inputs; i++) {
        const sgdsched_priv_column *column = &p->column[sgdsched_priv_column_of(i)];
        if (!(column->low < column->high)) line[i] = 0.0;
    }
    SGDSCHED_ASSERT(solved);       /* with a ridge no columns depend on others        */
    (void)solved;
}

static double sgdsched_priv_line(const sgdsched_predictor *p, const double *x)
{
    const double *line = p->weight + p->network;
    double sum = line[p->inputs];
    size_t i;
    for (i = 0; i < p->inputs; i++) sum += line[i] * x[i];
    return sum;
}

/* ---- Speed predictors: training of networks -------------------------------- */

/* Uniform in [0, 1). */
static double sgdsched_priv_fraction(uint64_t seed, uint64_t a, uint64_t b)
{
    return (double)(sgdsched_random(seed, a, b) >> 11) * (1.0 / 9007199254740992.0);
}

/* The output layer starts at 0 where a line is there to begin with. */
static void sgdsched_priv_first_weights(sgdsched_predictor *p)
{
    const int narx = p->of.method == SGDSCHED_NARX;
    const size_t units = narx ? SGDSCHED_PRIV_HIDDEN : SGDSCHED_PRIV_UNITS;
    const double inputs = narx ? SGDSCHED_PRIV_INPUTS : SGDSCHED_PRIV_UNITS + 1;
    size_t i;
    for (i = 0; i < p->network; i++) {
        const int output = i + units + 1 >= p->network;
        const double bound = 1.0 / sqrt(output ? (double)units : inputs);
        const double x = 2.0 * sgdsched_priv_fraction(p->of.seed, 0, i) - 1.0;
        p->weight[i] = output && !p->of.no_line ? 0.0 : bound * x;
    }
}

/* Fisher and Yates. */
static void sgdsched_priv_shuffle(sgdsched_predictor *p, size_t count, uint64_t epoch)
{
    size_t i;
    for (i = count; i > 1; i--) {
        const size_t j = (size_t)(sgdsched_random(p->of.seed, 1 + epoch, i) % i);
        const uint32_t row = p->order[i - 1];
        p->order[i - 1] = p->order[j];
        p->order[j] = row;
    }
}

/* Mean squared error of rows from..n-1. */
static double sgdsched_priv_validate(const sgdsched_predictor *p, size_t from)
{
    double x[SGDSCHED_PRIV_INPUTS], sum = 0.0;
    size_t k;
    for (k = from; k < p->of.train; k++) {
        double d;
        (void)sgdsched_priv_row(p, k, x);
        d = sgdsched_priv_network(p->of.method, p->weight, x, 0.0, NULL) - p->scratch[k];
        sum += d * d;
    }
    return sum / (double)(p->of.train - from);
}

/* decay[i] = the i-th decay rate to the power of the steps so far. */
static void sgdsched_priv_adam(sgdsched_predictor *p, size_t count, double decay[2])
{
    const double rate = 0.01, decay1 = 0.9, decay2 = 0.999, tiny = 1e-8;
    double scale1, scale2;
    size_t i;
    decay[0] *= decay1;
    decay[1] *= decay2;
    scale1 = 1.0 / (1.0 - decay[0]);
    scale2 = 1.0 / (1.0 - decay[1]);
    for (i = 0; i < p->network; i++) {
        const double g = p->gradient[i] / (double)count;
        p->first[i] = decay1 * p->first[i] + (1.0 - decay1) * g;
        p->second[i] = decay2 * p->second[i] + (1.0 - decay2) * g * g;
        p->weight[i] -=
            rate * (p->first[i] * scale1) / (sqrt(p->second[i] * scale2) + tiny);
    }
}

/* One pass over the first `count` of the rows in order. */
static void sgdsched_priv_epoch(sgdsched_predictor *p, size_t count, double decay[2])
{
    const size_t most = SGDSCHED_PRIV_MINI;
    double x[SGDSCHED_PRIV_INPUTS];
    size_t from, i;
    for (from = 0; from < count; from += most) {
        const size_t rows = count - from < most ? count - from : most;
        for (i = 0; i < p->network; i++) p->gradient[i] = 0.0;
        for (i = 0; i < rows; i++) {
            const size_t k = p->order[from + i];
            (void)sgdsched_priv_row(p, k, x);
            (void)sgdsched_priv_network(p->of.method, p->weight, x, p->scratch[k],
                                        p->gradient);
        }
        sgdsched_priv_adam(p, rows, decay);
    }
}

/* The line first, from the rows that the network learns from too, so that validation is
 * fair; the network then learns what the line leaves, and in the end the line what the
 * network leaves, from all rows: the more rows, the farther the line may be followed. */
static void sgdsched_priv_train_network(sgdsched_predictor *p)
{
    const size_t n = p->of.train, bytes = p->network * sizeof(double);
    const size_t held = n * 15 / 100, from = n - held, count = from - 2;
    double decay[2] = { 1.0, 1.0 }, x[SGDSCHED_PRIV_INPUTS], best, reference;
    uint32_t idle = 0;
    size_t i;
    SGDSCHED_ASSERT(held > 0 && count > 0);
    for (i = 0; i <= p->inputs; i++) p->weight[p->network + i] = 0.0;
    if (!p->of.no_line) sgdsched_priv_fit_line(p, from, 0);
    for (i = 2; i < n; i++) {
        const double target = sgdsched_priv_row(p, i, x);
        p->scratch[i] = target - sgdsched_priv_line(p, x);
    }
    if (!p->started) sgdsched_priv_first_weights(p);
    for (i = 0; i < count; i++) p->order[i] = (uint32_t)(i + 2);
    memset(p->first, 0, bytes);
    memset(p->second, 0, bytes);
    memcpy(p->best, p->weight, bytes);
    best = reference = sgdsched_priv_validate(p, from);
    while (p->epochs < p->of.epochs && idle < SGDSCHED_PRIV_PATIENCE) {
        double error;
        sgdsched_priv_shuffle(p, count, p->epochs);
        sgdsched_priv_epoch(p, count, decay);
        p->epochs++;
        error = sgdsched_priv_validate(p, from);
        if (error < best) {
            best = error;
            memcpy(p->best, p->weight, bytes);
        }
        idle++;
        if (error < reference - 1e-5) { reference = error; idle = 0; }
    }
    memcpy(p->weight, p->best, bytes);
    if (!p->of.no_line) sgdsched_priv_fit_line(p, n, 1);
}

/* ---- Speed predictors: ARIMA ----------------------------------------------- */

/* Runs w[count] through the recursion for e and returns the sum of e^2; unless h is NULL,
 * also sums up h = J'J and g = -J'e, J being the derivatives of e by the weights. *last_e
 * is the last e. */
static double sgdsched_priv_residuals(const double *w, size_t count, const double *weight,
                                      double (*h)[SGDSCHED_PRIV_ARIMA], double *g,
                                      double *last_e)
{
    double d[SGDSCHED_PRIV_ARIMA] = { 0.0, 0.0, 0.0, 0.0 }, e = 0.0, sum = 0.0;
    size_t i, j, k;
    for (i = 0; h && i < SGDSCHED_PRIV_ARIMA; i++) {
        for (j = 0; j < SGDSCHED_PRIV_ARIMA; j++) h[i][j] = 0.0;
        g[i] = 0.0;
    }
    for (k = 2; k < count; k++) {
        const double b = weight[3], before = e;
        e = w[k] - weight[0] - weight[1] * w[k - 1] - weight[2] * w[k - 2] - b * before;
        sum += e * e;
        if (!h) continue;
        d[0] = -1.0 - b * d[0];
        d[1] = -w[k - 1] - b * d[1];
        d[2] = -w[k - 2] - b * d[2];
        d[3] = -before - b * d[3];
        for (i = 0; i < SGDSCHED_PRIV_ARIMA; i++) {
            for (j = 0; j <= i; j++) h[i][j] += d[i] * d[j];
            g[i] -= d[i] * e;
        }
    }
    *last_e = e;
    return sum;
}

/* Solves (h + damping diag(h)) step = g by Cholesky's factors; h in its lower half. What
 * has no diagonal does not move. */
static void sgdsched_priv_damped(double (*h)[SGDSCHED_PRIV_ARIMA], const double *g,
                                 double damping, double *step)
{
    double l[SGDSCHED_PRIV_ARIMA][SGDSCHED_PRIV_ARIMA];
    size_t i, j, k;
    for (i = 0; i < SGDSCHED_PRIV_ARIMA; i++) {
        for (j = 0; j <= i; j++) {
            double sum = i == j ? h[i][i] * (1.0 + damping) : h[i][j];
            for (k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
            if (i == j) l[i][i] = sum > 0.0 ? sqrt(sum) : 0.0;
            else l[i][j] = l[j][j] > 0.0 ? sum / l[j][j] : 0.0;
        }
        step[i] = g[i];
        for (k = 0; k < i; k++) step[i] -= l[i][k] * step[k];
        step[i] = l[i][i] > 0.0 ? step[i] / l[i][i] : 0.0;
    }
    for (i = SGDSCHED_PRIV_ARIMA; i-- > 0;) {
        for (k = i + 1; k < SGDSCHED_PRIV_ARIMA; k++) step[i] -= l[k][i] * step[k];
        step[i] = l[i][i] > 0.0 ? step[i] / l[i][i] : 0.0;
    }
}

static double sgdsched_priv_within(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* What the size of a weight is limited to. */
static double sgdsched_priv_arima_bound(size_t i)
{
    if (i == 0) return DBL_MAX;
    return i < 3 ? 2.0 : 0.999;
}

/* One step to a smaller sum: from *sum at p->weight to what is returned there. 0: there
 * is none that the damping would allow. */
static int sgdsched_priv_arima_step(sgdsched_predictor *p, size_t count, double *sum,
                                    double *damping)
{
    double h[SGDSCHED_PRIV_ARIMA][SGDSCHED_PRIV_ARIMA], g[SGDSCHED_PRIV_ARIMA];
    double step[SGDSCHED_PRIV_ARIMA], trial[SGDSCHED_PRIV_ARIMA], e;
    size_t i, j;
    (void)sgdsched_priv_residuals(p->scratch, count, p->weight, h, g, &e);
    for (i = 0; i < SGDSCHED_PRIV_ARIMA; i++) {    /* at a bound, and drawn beyond    */
        if (fabs(p->weight[i]) < sgdsched_priv_arima_bound(i)) continue;
        if (p->weight[i] * g[i] <= 0.0) continue;
        for (j = 0; j < SGDSCHED_PRIV_ARIMA; j++) h[i][j] = h[j][i] = 0.0;
    }
    for (; *damping < 1e12; *damping *= 10.0) {
        double now;
        sgdsched_priv_damped(h, g, *damping, step);
        for (i = 0; i < SGDSCHED_PRIV_ARIMA; i++) {
            const double bound = sgdsched_priv_arima_bound(i);
            trial[i] = sgdsched_priv_within(p->weight[i] + step[i], -bound, bound);
        }
        now = sgdsched_priv_residuals(p->scratch, count, trial, NULL, NULL, &e);
        if (!(now < *sum)) continue;
        memcpy(p->weight, trial, sizeof trial);
        *sum = now;
        *damping = *damping > 1e-11 ? *damping / 10.0 : 1e-12;
        return 1;
    }
    return 0;
}

static void sgdsched_priv_train_arima(sgdsched_predictor *p)
{
    static const double first[SGDSCHED_PRIV_ARIMA] = { 0.0, -0.3, -0.1, -0.5 };
    const double *v = p->column[SGDSCHED_PRIV_SPEED].row;
    const size_t count = (size_t)p->of.train - 2;
    double damping = 1e-3, sum;
    size_t i;
    for (i = 0; i < count; i++) p->scratch[i] = v[i + 2] - 2.0 * v[i + 1] + v[i];
    if (!p->started) memcpy(p->weight, first, sizeof first);
    for (i = 0; i < SGDSCHED_PRIV_ARIMA; i++) {
        const double bound = sgdsched_priv_arima_bound(i);
        p->weight[i] = sgdsched_priv_within(p->weight[i], -bound, bound);
    }
    sum = sgdsched_priv_residuals(p->scratch, count, p->weight, NULL, NULL, &p->e);
    while (p->epochs < p->of.epochs) {
        const double before = sum;
        if (!sgdsched_priv_arima_step(p, count, &sum, &damping)) break;
        p->epochs++;
        if (before - sum <= 1e-13 * before) break;
    }
    (void)sgdsched_priv_residuals(p->scratch, count, p->weight, NULL, NULL, &p->e);
    p->w[0] = p->scratch[count - 1];
    p->w[1] = p->scratch[count - 2];
}

/* The next second difference. */
static double sgdsched_priv_arima_next(const sgdsched_predictor *p)
{
    const double *a = p->weight;
    return a[0] + a[1] * p->w[0] + a[2] * p->w[1] + a[3] * p->e;
}

/* ---- Speed predictors: row by row ------------------------------------------ */

static void sgdsched_priv_train(sgdsched_predictor *p)
{
    size_t s;
    for (s = sgdsched_priv_columns(p->of.method); s-- > 0;)
        p->trained = sgdsched_priv_standardise(&p->column[s], p->of.train);
    if (!p->trained) return;       /* of the speed, which is last                     */
    if (sgdsched_priv_is_network(p->of.method)) sgdsched_priv_train_network(p);
    else if (p->of.method == SGDSCHED_ARX) sgdsched_priv_fit_line(p, p->of.train, 0);
    else sgdsched_priv_train_arima(p);
}

/* What a line says, and a network whose inputs are within the range it learned; both
 * standardised. */
static double sgdsched_priv_answer(sgdsched_predictor *p, double cpu, double memory)
{
    const sgdsched_forecast_method method = p->of.method;
    double z[SGDSCHED_PRIV_SERIES][3], x[SGDSCHED_PRIV_INPUTS], y;
    int clamped = 0;
    size_t i, s;
    for (s = 0; s < sgdsched_priv_columns(method); s++) {
        const sgdsched_priv_column *column = &p->column[s];
        const double now = s == SGDSCHED_PRIV_CPU ? cpu : memory;
        z[s][0] = s == SGDSCHED_PRIV_SPEED ? 0.0 : sgdsched_priv_standard(column, now);
        z[s][1] = sgdsched_priv_standard(column, column->last[0]);
        z[s][2] = sgdsched_priv_standard(column, column->last[1]);
    }
    sgdsched_priv_inputs(method, z, x);
    y = sgdsched_priv_line(p, x);
    if (!sgdsched_priv_is_network(method)) return y;
    for (s = 0; s < sgdsched_priv_columns(method) && !p->of.unclamped; s++)
        for (i = s == SGDSCHED_PRIV_SPEED ? 1 : 0; i < 3; i++) {
            const double free = z[s][i];
            z[s][i] = sgdsched_priv_within(free, p->column[s].low, p->column[s].high);
            clamped |= z[s][i] < free || z[s][i] > free;
        }
    p->clamped += (size_t)clamped;
    sgdsched_priv_inputs(method, z, x);
    return y + sgdsched_priv_network(method, p->weight, x, 0.0, NULL);
}

SGDSCHED_API sgdsched_status sgdsched_predictor_next(sgdsched_predictor *p, double cpu,
                                                     double memory, double *speed)
{
    const sgdsched_priv_column *v;
    double z;
    if (!p || !speed) return SGDSCHED_BAD_ARGUMENT;
    if (sgdsched_priv_uses_usage(p->of.method)
        && (!sgdsched_priv_is_measure(cpu) || !sgdsched_priv_is_measure(memory)))
        return SGDSCHED_BAD_ROW;
    if (p->seen == 0) return SGDSCHED_SHORT_SERIES;
    v = &p->column[SGDSCHED_PRIV_SPEED];
    if (p->of.method == SGDSCHED_MEMORYLESS) {
        *speed = v->last[0];
        return SGDSCHED_OK;
    }
    if (!p->trained) {
        *speed = p->ema;
        return SGDSCHED_OK;
    }
    if (p->of.method == SGDSCHED_ARIMA)
        z = 2.0 * sgdsched_priv_standard(v, v->last[0]) -
            sgdsched_priv_standard(v, v->last[1]) + sgdsched_priv_arima_next(p);
    else
        z = sgdsched_priv_answer(p, cpu, memory);
    *speed = v->mean + v->deviation * z;
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_predictor_observe(sgdsched_predictor *p,
                                                        double speed, double cpu,
                                                        double memory)
{
    double given[SGDSCHED_PRIV_SERIES];
    size_t s;
    if (!p) return SGDSCHED_BAD_ARGUMENT;
    given[SGDSCHED_PRIV_SPEED] = speed;
    given[SGDSCHED_PRIV_CPU] = cpu;
    given[SGDSCHED_PRIV_MEMORY] = memory;
    for (s = 0; s < sgdsched_priv_columns(p->of.method); s++)
        if (!sgdsched_priv_is_measure(given[s])) return SGDSCHED_BAD_ROW;
    if (p->trained && p->of.method == SGDSCHED_ARIMA) {
        const sgdsched_priv_column *v = &p->column[SGDSCHED_PRIV_SPEED];
        const double w = sgdsched_priv_standard(v, speed)
                         - 2.0 * sgdsched_priv_standard(v, v->last[0])
                         + sgdsched_priv_standard(v, v->last[1]);
        p->e = w - sgdsched_priv_arima_next(p);
        p->w[1] = p->w[0];
        p->w[0] = w;
    }
    if (p->seen == 0) p->ema = speed;
    p->ema += p->of.smoothing * (speed - p->ema);
    for (s = 0; s < sgdsched_priv_columns(p->of.method); s++) {
        sgdsched_priv_column *column = &p->column[s];
        if (p->weights > 0 && p->seen < p->of.train) column->row[p->seen] = given[s];
        column->last[1] = column->last[0];
        column->last[0] = given[s];
    }
    p->seen++;
    if (p->weights > 0 && p->seen == p->of.train) sgdsched_priv_train(p);
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_predictor_learned(const sgdsched_predictor *p,
                                                        double *weights, uint32_t *epochs,
                                                        size_t *clamped)
{
    if (!p) return SGDSCHED_BAD_ARGUMENT;
    if (!p->trained) return SGDSCHED_SHORT_SERIES;
    if (weights) memcpy(weights, p->weight, p->weights * sizeof(double));
    if (epochs) *epochs = p->epochs;
    if (clamped) *clamped = p->clamped;
    return SGDSCHED_OK;
}

/* ---- Speed predictors: a whole series -------------------------------------- */

SGDSCHED_API sgdsched_status sgdsched_predict_bytes(const sgdsched_forecast *forecast,
                                                    size_t *bytes)
{
    return sgdsched_predictor_open_bytes(forecast, bytes);
}

/* The first row with a number out of domain; rows: none. */
static size_t sgdsched_priv_bad_row(const sgdsched_series *series)
{
    const double *column[SGDSCHED_PRIV_SERIES];
    size_t i, s;
    column[SGDSCHED_PRIV_SPEED] = series->speed;
    column[SGDSCHED_PRIV_CPU] = series->cpu;
    column[SGDSCHED_PRIV_MEMORY] = series->memory;
    for (i = 0; i < series->rows; i++)
        for (s = 0; s < SGDSCHED_PRIV_SERIES; s++)
            if (column[s] && !sgdsched_priv_is_measure(column[s][i])) return i;
    return series->rows;
}

SGDSCHED_API sgdsched_status sgdsched_predict(const sgdsched_forecast *forecast,
                                              const sgdsched_series *series, void *work,
                                              size_t work_bytes, size_t *bad_row,
                                              sgdsched_prediction *out)
{
    sgdsched_status status = sgdsched_priv_check_forecast(forecast);
    sgdsched_predictor *p = NULL;
    double squares = 0.0;
    size_t bad, i, first;
    if (status != SGDSCHED_OK) return status;
    if (!series || !series->speed || !out) return SGDSCHED_BAD_ARGUMENT;
    if (sgdsched_priv_uses_usage(forecast->method) && (!series->cpu || !series->memory))
        return SGDSCHED_BAD_ARGUMENT;
    if (series->rows < sgdsched_forecast_rows(forecast)) return SGDSCHED_SHORT_SERIES;
    bad = sgdsched_priv_bad_row(series);
    if (bad < series->rows) {
        if (bad_row) *bad_row = bad;
        return SGDSCHED_BAD_ROW;
    }
    status = sgdsched_predictor_open(forecast, work, work_bytes, &p);
    if (status != SGDSCHED_OK) return status;

    first = series->rows < (uint64_t)p->of.train + 20 ? 1 : (size_t)p->of.train + 10;
    for (i = 0; i < series->rows; i++) {
        const double cpu = series->cpu ? series->cpu[i] : 0.0;
        const double memory = series->memory ? series->memory[i] : 0.0;
        double v = series->speed[i], error;
        if (i > 0) status = sgdsched_predictor_next(p, cpu, memory, &v);
        SGDSCHED_ASSERT(status == SGDSCHED_OK);
        error = v - series->speed[i];
        if (i >= first) squares += error * error;
        if (out->predicted) out->predicted[i] = v;
        status = sgdsched_predictor_observe(p, series->speed[i], cpu, memory);
        SGDSCHED_ASSERT(status == SGDSCHED_OK);
    }
    out->first_scored = first;
    out->rows_scored = series->rows > first ? series->rows - first : 0;
    out->rmse = out->rows_scored > 0 ? sqrt(squares / (double)out->rows_scored) : 0.0;
    out->clamped = p->clamped;
    out->epochs = p->epochs;
    for (i = 0; out->weights && i < p->weights; i++)
        out->weights[i] = p->trained ? p->weight[i] : 0.0;
    return SGDSCHED_OK;
}

/* ---- Implementation: segments to workers ------------------------------------- */

#define SGDSCHED_PRIV_FREE ((size_t)-1)

/* Rows are segments, columns workers, n <= m. */
typedef struct sgdsched_priv_match {
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
} sgdsched_priv_match;

static void sgdsched_priv_carve_match(sgdsched_priv_arena *arena, size_t n, size_t m,
                                      sgdsched_priv_match *k)
{
    k->n = n;
    k->m = m;
    k->row_price = (double *)sgdsched_priv_take(arena, n, sizeof(double));
    k->price = (double *)sgdsched_priv_take(arena, m, sizeof(double));
    k->slack = (double *)sgdsched_priv_take(arena, m, sizeof(double));
    k->regret = (double *)sgdsched_priv_take(arena, m, sizeof(double));
    k->holder = (size_t *)sgdsched_priv_take(arena, m, sizeof(size_t));
    k->from = (size_t *)sgdsched_priv_take(arena, m, sizeof(size_t));
    k->best = (size_t *)sgdsched_priv_take(arena, n, sizeof(size_t));
    k->reached = (unsigned char *)sgdsched_priv_take(arena, m, 1);
    k->refused = (unsigned char *)sgdsched_priv_take(arena, n, m);
}

/* Asks for the cheapest column that has not refused row i, and how much more the next
 * one would cost. There is one while a row is without a column. */
static size_t sgdsched_priv_wish(const sgdsched_priv_match *k, size_t i, double *regret)
{
    const double *cost = k->cost + i * k->m;
    const unsigned char *refused = k->refused + i * k->m;
    size_t j, first = SGDSCHED_PRIV_FREE;
    double second = HUGE_VAL;
    for (j = 0; j < k->m; j++) {
        if (refused[j]) continue;
        if (first == SGDSCHED_PRIV_FREE) {
            first = j;
        } else if (cost[j] < cost[first]) {
            second = cost[first];
            first = j;
        } else if (cost[j] < second) {
            second = cost[j];
        }
    }
    SGDSCHED_ASSERT(first != SGDSCHED_PRIV_FREE);
    *regret = second - cost[first];
    return first;
}

/* Fills best[]; true if two rows wanted one column. A column refuses a row once at most,
 * so that this ends. */
static int sgdsched_priv_greedy(sgdsched_priv_match *k)
{
    size_t i, next;
    int conflict = 0;
    memset(k->refused, 0, k->n * k->m);
    for (i = 0; i < k->m; i++) k->holder[i] = SGDSCHED_PRIV_FREE;
    for (next = 0; next < k->n; next++) {
        for (i = next; i != SGDSCHED_PRIV_FREE;) {
            double regret = 0.0;
            const size_t j = sgdsched_priv_wish(k, i, &regret);
            const size_t other = k->holder[j];
            size_t loser = i;
            if (other == SGDSCHED_PRIV_FREE || regret > k->regret[j] ||
                (regret >= k->regret[j] && i < other)) {
                k->holder[j] = i;
                k->regret[j] = regret;
                loser = other;
            }
            if (loser != SGDSCHED_PRIV_FREE) {
                conflict = 1;
                k->refused[loser * k->m + j] = 1;
            }
            i = loser;
        }
    }
    for (i = 0; i < k->m; i++)
        if (k->holder[i] != SGDSCHED_PRIV_FREE) k->best[k->holder[i]] = i;
    return conflict;
}

/* From the path's end j, gives every row on it the next column. */
static void sgdsched_priv_augment(sgdsched_priv_match *k, size_t j, size_t row)
{
    while (k->from[j] != SGDSCHED_PRIV_FREE) {
        k->holder[j] = k->holder[k->from[j]];
        j = k->from[j];
    }
    k->holder[j] = row;
}

/* One row more by the path of least reduced cost to a free column, all reduced costs
 * cost - row_price - price staying >= 0: Dijkstra's algorithm. Costs above `cap` are as
 * good as infinite; there is a way without them. */
static void sgdsched_priv_shortest_path(sgdsched_priv_match *k, size_t row, double cap)
{
    size_t i = row, at = SGDSCHED_PRIV_FREE, j, steps;
    for (j = 0; j < k->m; j++) {
        k->slack[j] = HUGE_VAL;
        k->reached[j] = 0;
    }
    for (steps = 0; steps <= k->n; steps++) {
        const double *cost = k->cost + i * k->m;
        double least = HUGE_VAL;
        size_t to = SGDSCHED_PRIV_FREE;
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
                (k->slack[j] <= least && k->holder[j] == SGDSCHED_PRIV_FREE)) {
                least = k->slack[j];
                to = j;
            }
        }
        SGDSCHED_ASSERT(to != SGDSCHED_PRIV_FREE);
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
        if (k->holder[to] == SGDSCHED_PRIV_FREE) break;
        i = k->holder[to];
    }
    sgdsched_priv_augment(k, at, row);
}

/* Fills best[] with the assignment of least sum among costs <= cap. */
static void sgdsched_priv_assign(sgdsched_priv_match *k, double cap)
{
    size_t i, j;
    for (i = 0; i < k->n; i++) k->row_price[i] = 0.0;
    for (j = 0; j < k->m; j++) {
        k->price[j] = 0.0;
        k->holder[j] = SGDSCHED_PRIV_FREE;
    }
    for (i = 0; i < k->n; i++) sgdsched_priv_shortest_path(k, i, cap);
    for (j = 0; j < k->m; j++)
        if (k->holder[j] != SGDSCHED_PRIV_FREE) k->best[k->holder[j]] = j;
}

/* One row more by the path to a free column whose largest cost is least: that cost, or
 * cap, up to which costs are alike. */
static double sgdsched_priv_widest_path(sgdsched_priv_match *k, size_t row, double cap)
{
    size_t i = row, at = SGDSCHED_PRIV_FREE, j, steps;
    for (j = 0; j < k->m; j++) {
        k->slack[j] = HUGE_VAL;
        k->reached[j] = 0;
    }
    for (steps = 0; steps <= k->n; steps++) {
        const double *cost = k->cost + i * k->m;
        double least = HUGE_VAL;
        size_t to = SGDSCHED_PRIV_FREE;
        for (j = 0; j < k->m; j++) {
            const double c = cost[j] > cap ? cost[j] : cap;
            if (k->reached[j]) continue;
            if (c < k->slack[j]) {
                k->slack[j] = c;
                k->from[j] = at;
            }
            if (k->slack[j] < least ||
                (k->slack[j] <= least && k->holder[j] == SGDSCHED_PRIV_FREE)) {
                least = k->slack[j];
                to = j;
            }
        }
        SGDSCHED_ASSERT(to != SGDSCHED_PRIV_FREE);
        if (least > cap) cap = least;
        k->reached[to] = 1;
        at = to;
        if (k->holder[to] == SGDSCHED_PRIV_FREE) break;
        i = k->holder[to];
    }
    sgdsched_priv_augment(k, at, row);
    return cap;
}

/* The least largest cost of all assignments. */
static double sgdsched_priv_bottleneck(sgdsched_priv_match *k)
{
    double cap = 0.0;
    size_t i, j;
    for (j = 0; j < k->m; j++) k->holder[j] = SGDSCHED_PRIV_FREE;
    for (i = 0; i < k->n; i++) cap = sgdsched_priv_widest_path(k, i, cap);
    return cap;
}

/* Sum and largest of best[]. */
static void sgdsched_priv_add_up(const sgdsched_priv_match *k, double *sum,
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

static sgdsched_status sgdsched_priv_match_bytes(size_t segments, size_t workers,
                                                 size_t *bytes)
{
    sgdsched_priv_arena need = { NULL, 0, 0 };
    sgdsched_priv_match k;
    if (segments == 0 || segments > workers) return SGDSCHED_BAD_ARGUMENT;
    if (workers > UINT32_MAX || segments > (size_t)-1 / sizeof(double) / workers)
        return SGDSCHED_TOO_LARGE;
    sgdsched_priv_carve_match(&need, segments, workers, &k);
    if (need.overflow) return SGDSCHED_TOO_LARGE;
    *bytes = need.used;
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_map_bytes(size_t segments, size_t workers,
                                                size_t *bytes)
{
    return bytes ? sgdsched_priv_match_bytes(segments, workers, bytes)
                 : SGDSCHED_BAD_ARGUMENT;
}

/* NULL, misaligned or too small. */
static sgdsched_status sgdsched_priv_check_scratch(const void *work, size_t work_bytes,
                                                   size_t need)
{
    if (!work || (uintptr_t)work % sizeof(double) != 0) return SGDSCHED_BAD_ARGUMENT;
    return work_bytes < need ? SGDSCHED_SMALL_WORKSPACE : SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_map(const double *cost, size_t segments,
                                          size_t workers, sgdsched_objective objective,
                                          void *work, size_t work_bytes, uint32_t *worker,
                                          sgdsched_mapping *out)
{
    sgdsched_priv_arena arena = { NULL, 0, 0 };
    sgdsched_mapping found;
    sgdsched_priv_match k;
    sgdsched_status status;
    size_t need = 0, i;
    if (!cost || !worker || !out) return SGDSCHED_BAD_ARGUMENT;
    if ((size_t)objective > (size_t)SGDSCHED_LEAST_LARGEST) return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_match_bytes(segments, workers, &need);
    if (status == SGDSCHED_OK)
        status = sgdsched_priv_check_scratch(work, work_bytes, need);
    if (status != SGDSCHED_OK) return status;
    for (i = 0; i < segments * workers; i++)
        if (!sgdsched_priv_is_measure(cost[i])) return SGDSCHED_BAD_COST;
    arena.base = (char *)work;
    sgdsched_priv_carve_match(&arena, segments, workers, &k);
    k.cost = cost;
    found.conflict = sgdsched_priv_greedy(&k);
    sgdsched_priv_add_up(&k, &found.greedy_sum, &found.greedy_largest);
    found.sum = found.greedy_sum;
    found.largest = found.greedy_largest;
    for (i = 0; i < segments; i++) worker[i] = (uint32_t)k.best[i];
    if (found.conflict) {
        double cap = DBL_MAX, sum, largest;
        if (objective == SGDSCHED_LEAST_LARGEST)
            cap = sgdsched_priv_bottleneck(&k);
        sgdsched_priv_assign(&k, cap);
        sgdsched_priv_add_up(&k, &sum, &largest);
        if (objective == SGDSCHED_LEAST_LARGEST
                ? largest < found.largest || (largest <= found.largest && sum < found.sum)
                : sum < found.sum) {
            found.sum = sum;
            found.largest = largest;
            for (i = 0; i < segments; i++) worker[i] = (uint32_t)k.best[i];
        }
    }
    *out = found;
    return SGDSCHED_OK;
}

/* ---- Implementation: splits of the layers ------------------------------------ */

/* Pairs of partitions and replications, fewer workers first, then fewer partitions: those
 * of n workers are the first ones. A state is shape * (threads looked at) + thread. */
typedef struct sgdsched_priv_compose {
    const sgdsched_cluster_plan *in;
    uint32_t  workers;             /* N_wr, at most                                   */
    uint32_t  copies;              /* replications at most                            */
    size_t    shapes;
    sgdsched_state *shape;         /* [shapes] threads 0                              */
    size_t    spread;              /* threads a layer chooses from: 1 or K            */
    double   *alone;               /* [L][shapes][K] layer_s                          */
    double   *weights, *last;      /* [L][copies][K] weights_s, now and before        */
    double   *before, *now;        /* [shapes][spread] best of the layers so far      */
    uint32_t *back;                /* [L][shapes][spread] state of the layer below    */
    double   *best;                /* [spread] of a shape                             */
    uint32_t *choice;              /* [L] states of the best found, with all threads  */
    uint32_t *kept;                /* [K][L] of each number of threads                */
    double   *kept_s;              /* [K]                                             */
    sgdsched_state *state;         /* [L] handed to on_plan                           */
    size_t    room;                /* of a ranking; 0: none                           */
    sgdsched_plan  *plan;          /* [room] best first                               */
    sgdsched_state *states;        /* [room][L] theirs                                */
    int       bad;                 /* a cost was negative or NaN                      */
} sgdsched_priv_compose;

/* P R <= workers, R <= copies: how many. */
static size_t sgdsched_priv_shapes(uint32_t workers, uint32_t copies)
{
    size_t count = 0;
    uint32_t R;
    for (R = 1; R <= copies && R <= workers; R++) count += workers / R;
    return count;
}

/* Which: fewer workers first, then fewer partitions. */
static void sgdsched_priv_list_shapes(uint32_t workers, uint32_t copies,
                                      sgdsched_state *shape)
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
static void *sgdsched_priv_take_table(sgdsched_priv_arena *arena, size_t a, size_t b,
                                      size_t size)
{
    if (a > 0 && b > (size_t)-1 / a) arena->overflow = 1;
    return sgdsched_priv_take(arena, a * b, size);
}

static void sgdsched_priv_carve_compose(sgdsched_priv_arena *arena,
                                        sgdsched_priv_compose *k)
{
    const size_t L = k->in->layers, K = k->in->cores;
    const size_t S = k->shapes, wide = k->copies;
    /* S K and copies K fit: both were checked against 2^32. */
    k->shape = (sgdsched_state *)sgdsched_priv_take(arena, S, sizeof *k->shape);
    k->alone = (double *)sgdsched_priv_take_table(arena, L, S * K, sizeof(double));
    k->weights = (double *)sgdsched_priv_take_table(arena, L, wide * K, sizeof(double));
    k->last = (double *)sgdsched_priv_take_table(arena, L, wide * K, sizeof(double));
    k->before = (double *)sgdsched_priv_take(arena, S * k->spread, sizeof(double));
    k->now = (double *)sgdsched_priv_take(arena, S * k->spread, sizeof(double));
    k->back =
        (uint32_t *)sgdsched_priv_take_table(arena, L, S * k->spread, sizeof(uint32_t));
    k->best = (double *)sgdsched_priv_take(arena, k->spread, sizeof(double));
    k->choice = (uint32_t *)sgdsched_priv_take(arena, L, sizeof(uint32_t));
    k->kept = (uint32_t *)sgdsched_priv_take_table(arena, L, K, sizeof(uint32_t));
    k->kept_s = (double *)sgdsched_priv_take(arena, K, sizeof(double));
    k->state = (sgdsched_state *)sgdsched_priv_take(arena, L, sizeof *k->state);
    k->plan = (sgdsched_plan *)sgdsched_priv_take(arena, k->room, sizeof *k->plan);
    k->states =
        (sgdsched_state *)sgdsched_priv_take_table(arena, k->room, L, sizeof *k->states);
}

/* A cost that is one, or infinite. */
static double sgdsched_priv_cost(sgdsched_priv_compose *k, double x)
{
    if (x >= 0.0) return x;
    k->bad = 1;
    return HUGE_VAL;
}

static void sgdsched_priv_fill_alone(sgdsched_priv_compose *k)
{
    const sgdsched_costs *c = &k->in->costs;
    const size_t K = k->in->cores;
    size_t l, s, h;
    sgdsched_priv_list_shapes(k->workers, k->copies, k->shape);
    for (l = 0; l < k->in->layers; l++)
        for (s = 0; s < k->shapes; s++)
            for (h = 0; h < K; h++) {
                sgdsched_state state = k->shape[s];
                state.threads = (uint32_t)h + 1;
                k->alone[(l * k->shapes + s) * K + h] =
                    sgdsched_priv_cost(k, c->layer_s(c->ctx, l, &state));
            }
}

/* True if they are those of the last time. */
static int sgdsched_priv_fill_weights(sgdsched_priv_compose *k,
                                      const sgdsched_resources *r)
{
    const sgdsched_costs *c = &k->in->costs;
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
                sgdsched_state state;
                state.partitions = 0;
                state.replications = (uint32_t)i + 1;
                state.threads = (uint32_t)h + 1;
                k->weights[at] = c->weights_s
                    ? sgdsched_priv_cost(k, c->weights_s(c->ctx, l, &state, r)) : 0.0;
                if (k->weights[at] < last[at] || k->weights[at] > last[at]) same = 0;
            }
    return same;
}

/* Best way to each state of layer l over states of layer l - 1, both of the first n
 * shapes and threads h0 .. h0 + spread - 1, in before[]; into now[] and back[]. */
static void sgdsched_priv_extend(sgdsched_priv_compose *k, size_t l, size_t n, size_t h0)
{
    const sgdsched_costs *c = &k->in->costs;
    const size_t spread = k->spread;
    size_t a, b, h;
    for (a = 0; a < n; a++) {
        uint32_t *back = k->back + (l * k->shapes + a) * spread;
        sgdsched_state above = k->shape[a];
        for (h = 0; h < spread; h++) k->now[a * spread + h] = HUGE_VAL;
        for (b = 0; b < n; b++) {
            sgdsched_state below = k->shape[b];
            double least = HUGE_VAL;
            size_t from = 0;
            above.threads = 0;
            for (h = 0; h < spread; h++) {
                double s = k->before[b * spread + h];
                if (!(s <= DBL_MAX)) continue;
                below.threads = (uint32_t)(h0 + h + 1);
                s += sgdsched_priv_cost(k, c->backward_s(c->ctx, l, &below, &above));
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
                    sgdsched_priv_cost(k, c->forward_s(c->ctx, l, &below, &above));
                if (!(s <= *now) || !(s <= DBL_MAX)) continue;
                if (s >= *now) {   /* equal: fewer workers come first, then threads   */
                    const sgdsched_state *chosen = k->shape + back[h] / spread;
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
static void sgdsched_priv_add_layer(sgdsched_priv_compose *k, size_t l, size_t n,
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
static double sgdsched_priv_solve(sgdsched_priv_compose *k, uint32_t workers,
                                  double replicas, size_t h0, uint32_t *choice)
{
    const size_t L = k->in->layers, K = k->in->cores, spread = k->spread;
    const size_t n = sgdsched_priv_shapes(workers, k->copies);
    double least = HUGE_VAL;
    size_t l, s, h, at = 0;
    for (l = 0; l < L; l++) {
        double *swap = k->before;
        k->before = k->now;
        k->now = swap;
        if (l > 0) sgdsched_priv_extend(k, l, n, h0);
        else for (s = 0; s < n * spread; s++) k->now[s] = 0.0;
        sgdsched_priv_add_layer(k, l, n, h0, replicas);
    }
    for (s = 0; s < n; s++)
        for (h = 0; h < spread; h++) {
            const double value = k->now[s * spread + h];
            const sgdsched_state *chosen = k->shape + at / spread;
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
static int sgdsched_priv_is_leaner(const sgdsched_priv_compose *k, double left,
                                   const uint32_t *a, double right, const uint32_t *b)
{
    const size_t L = k->in->layers, K = k->in->cores;
    const sgdsched_state *x = k->shape + a[L - 1] / K, *y = k->shape + b[L - 1] / K;
    const uint32_t one = x->partitions * x->replications;
    const uint32_t other = y->partitions * y->replications;
    if (left < right || left > right) return left < right;
    if (one != other) return one < other;
    return a[L - 1] % K < b[L - 1] % K;
}

/* The best splits for a configuration, into choice[]: its epoch, or infinite. */
static double sgdsched_priv_best(sgdsched_priv_compose *k, const sgdsched_resources *r)
{
    const size_t L = k->in->layers, K = k->in->cores;
    const double replicas = (double)r->replicas;
    double least = HUGE_VAL;
    size_t h;
    if (k->spread == K) return sgdsched_priv_solve(k, r->workers, replicas, 0, k->choice)
                            / replicas;
    for (h = 0; h < K; h++) {
        const double s = sgdsched_priv_solve(k, r->workers, replicas, h, k->kept);
        if (!(s <= DBL_MAX)) continue;
        if (least <= DBL_MAX && !sgdsched_priv_is_leaner(k, s, k->kept, least, k->choice))
            continue;
        least = s;
        memcpy(k->choice, k->kept, L * sizeof *k->choice);
    }
    return least / replicas;
}

/* Without replication and with the same threads everywhere the splits depend neither on
 * replicas nor on servers: what is best for each number of threads is kept. */
static void sgdsched_priv_solve_once(sgdsched_priv_compose *k, uint32_t workers)
{
    size_t h;
    for (h = 0; h < k->in->cores; h++)
        k->kept_s[h] =
            sgdsched_priv_solve(k, workers, 0.0, h, k->kept + h * k->in->layers);
}

static double sgdsched_priv_best_kept(sgdsched_priv_compose *k,
                                      const sgdsched_resources *r)
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
        if (best && !sgdsched_priv_is_leaner(k, s, kept, least, best)) continue;
        least = s;
        best = kept;
    }
    if (best) memcpy(k->choice, best, L * sizeof *best);
    return least / (double)r->replicas;
}

static void sgdsched_priv_write_states(const sgdsched_priv_compose *k,
                                       sgdsched_state *state)
{
    size_t l;
    for (l = 0; l < k->in->layers; l++) {
        state[l] = k->shape[k->choice[l] / k->in->cores];
        state[l].threads = (uint32_t)(k->choice[l] % k->in->cores) + 1;
    }
}

/* ---- Implementation: the search ---------------------------------------------- */

static int sgdsched_priv_is_resources(const sgdsched_cluster_plan *in,
                                      const sgdsched_resources *r)
{
    return r->servers > 0 && r->replicas > 0 && r->workers > 0 &&
           r->servers < in->machines &&
           (uint64_t)r->replicas * r->workers <= in->machines - r->servers;
}

/* Checks, and sizes for up to `workers` workers. */
static sgdsched_status sgdsched_priv_compose_for(const sgdsched_cluster_plan *in,
                                                 uint32_t workers, size_t room,
                                                 sgdsched_priv_compose *k)
{
    memset(k, 0, sizeof *k);
    k->room = room;
    if (in->layers == 0 || in->machines < 2 || in->cores == 0)
        return SGDSCHED_BAD_ARGUMENT;
    if (!in->costs.layer_s || !in->costs.forward_s || !in->costs.backward_s)
        return SGDSCHED_BAD_ARGUMENT;
    if (in->machines > 1u << 16 || in->cores > 1u << 12) return SGDSCHED_TOO_LARGE;
    k->in = in;
    k->workers = workers;
    k->copies = in->max_replications > 0 && in->max_replications < workers
        ? in->max_replications : workers;
    k->shapes = sgdsched_priv_shapes(k->workers, k->copies);
    k->spread = in->threads_differ ? in->cores : 1;
    if ((uint64_t)k->shapes * in->cores > UINT32_MAX) return SGDSCHED_TOO_LARGE;
    return SGDSCHED_OK;
}

static sgdsched_status sgdsched_priv_compose_bytes(sgdsched_priv_compose *k,
                                                   size_t *bytes)
{
    sgdsched_priv_arena need = { NULL, 0, 0 };
    sgdsched_priv_carve_compose(&need, k);
    if (need.overflow) return SGDSCHED_TOO_LARGE;
    *bytes = need.used;
    return SGDSCHED_OK;
}

/* Checks the scratch and lays it out. */
static sgdsched_status sgdsched_priv_compose_open(sgdsched_priv_compose *k, void *work,
                                                  size_t work_bytes)
{
    sgdsched_priv_arena arena = { NULL, 0, 0 };
    size_t need = 0;
    sgdsched_status status = sgdsched_priv_compose_bytes(k, &need);
    if (status == SGDSCHED_OK)
        status = sgdsched_priv_check_scratch(work, work_bytes, need);
    if (status != SGDSCHED_OK) return status;
    arena.base = (char *)work;
    memset(work, 0, need);
    sgdsched_priv_carve_compose(&arena, k);
    sgdsched_priv_fill_alone(k);
    return k->bad ? SGDSCHED_BAD_COST : SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_compose(const sgdsched_cluster_plan *in,
                                              const sgdsched_resources *resources,
                                              void *work, size_t work_bytes,
                                              sgdsched_plan *out)
{
    sgdsched_priv_compose k;
    sgdsched_status status;
    double epoch_s;
    if (!in || !resources || !out || !sgdsched_priv_is_resources(in, resources))
        return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_compose_for(in, resources->workers, 0, &k);
    if (status == SGDSCHED_OK) status = sgdsched_priv_compose_open(&k, work, work_bytes);
    if (status != SGDSCHED_OK) return status;
    (void)sgdsched_priv_fill_weights(&k, resources);
    epoch_s = sgdsched_priv_best(&k, resources);
    if (k.bad) return SGDSCHED_BAD_COST;
    if (!(epoch_s <= DBL_MAX)) return SGDSCHED_NO_PLAN;
    out->resources = *resources;
    out->epoch_s = epoch_s;
    if (out->state) sgdsched_priv_write_states(&k, out->state);
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_compose_bytes(const sgdsched_cluster_plan *in,
                                                    const sgdsched_resources *resources,
                                                    size_t *bytes)
{
    sgdsched_priv_compose k;
    sgdsched_status status;
    if (!in || !resources || !bytes || !sgdsched_priv_is_resources(in, resources))
        return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_compose_for(in, resources->workers, 0, &k);
    return status == SGDSCHED_OK ? sgdsched_priv_compose_bytes(&k, bytes) : status;
}

/* The most workers of a replica that a search looks at. */
static uint32_t sgdsched_priv_most_workers(const sgdsched_cluster_plan *in)
{
    uint32_t most = 1;
    size_t i;
    if (!in->given) return in->machines - 1;
    for (i = 0; i < in->givens; i++)
        if (most < in->given[i].workers) most = in->given[i].workers;
    return most < in->machines ? most : in->machines - 1;
}

SGDSCHED_API sgdsched_status sgdsched_search_bytes(const sgdsched_cluster_plan *in,
                                                   size_t room, size_t *bytes)
{
    sgdsched_priv_compose k;
    sgdsched_status status;
    if (!in || !bytes || room == 0) return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_compose_for(in, sgdsched_priv_most_workers(in), room, &k);
    return status == SGDSCHED_OK ? sgdsched_priv_compose_bytes(&k, bytes) : status;
}

SGDSCHED_API size_t sgdsched_search_count(const sgdsched_cluster_plan *in)
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
typedef struct sgdsched_priv_ranking {
    size_t found;
    sgdsched_resources solved;     /* for which choice[] and epoch_s were found       */
    double epoch_s;
    uint32_t kept_for;             /* N_wr for which kept[] was found                 */
} sgdsched_priv_ranking;

static int sgdsched_priv_ranks_before(const sgdsched_plan *a, const sgdsched_plan *b)
{
    const sgdsched_resources *x = &a->resources, *y = &b->resources;
    const uint64_t one = x->servers + (uint64_t)x->replicas * x->workers;
    const uint64_t other = y->servers + (uint64_t)y->replicas * y->workers;
    if (a->epoch_s < b->epoch_s || a->epoch_s > b->epoch_s)
        return a->epoch_s < b->epoch_s;
    if (one != other) return one < other;
    if (x->workers != y->workers) return x->workers < y->workers;
    return x->replicas < y->replicas;
}

/* Arrays of states stay where they are, their contents move. */
static void sgdsched_priv_copy_plan(sgdsched_plan *to, const sgdsched_plan *from,
                                    size_t L)
{
    to->resources = from->resources;
    to->epoch_s = from->epoch_s;
    if (to->state && from->state) memcpy(to->state, from->state, L * sizeof *to->state);
}

static void sgdsched_priv_rank(sgdsched_priv_compose *k, const sgdsched_plan *plan,
                               size_t *found)
{
    const size_t L = k->in->layers;
    size_t i = *found;
    if (i == k->room) {
        if (!sgdsched_priv_ranks_before(plan, k->plan + k->room - 1)) return;
        i--;
    } else {
        ++*found;
    }
    k->plan[i].state = k->states + i * L;
    for (; i > 0 && sgdsched_priv_ranks_before(plan, k->plan + i - 1); i--)
        sgdsched_priv_copy_plan(k->plan + i, k->plan + i - 1, L);
    sgdsched_priv_copy_plan(k->plan + i, plan, L);
}

/* One configuration, reusing what was found for the one before where it can be. */
static void sgdsched_priv_look_at(sgdsched_priv_compose *k,
                                  const sgdsched_resources *resources,
                                  sgdsched_priv_ranking *r)
{
    const int once = k->copies == 1 && !k->in->threads_differ;
    const int same = sgdsched_priv_fill_weights(k, resources);
    sgdsched_plan plan;
    if (once && r->kept_for != resources->workers)
        sgdsched_priv_solve_once(k, resources->workers);
    if (once) {
        r->epoch_s = sgdsched_priv_best_kept(k, resources);
        r->kept_for = resources->workers;
    } else if (!same || r->solved.workers != resources->workers ||
               r->solved.replicas != resources->replicas) {
        r->epoch_s = sgdsched_priv_best(k, resources);
    }
    r->solved = *resources;
    if (k->bad || !(r->epoch_s <= DBL_MAX)) return;
    plan.resources = *resources;
    plan.epoch_s = r->epoch_s;
    plan.state = k->state;
    sgdsched_priv_write_states(k, k->state);
    sgdsched_priv_rank(k, &plan, &r->found);
    if (k->in->on_plan) k->in->on_plan(k->in->plan_ctx, &plan);
}

static void sgdsched_priv_look_at_all(sgdsched_priv_compose *k, sgdsched_priv_ranking *r)
{
    const uint32_t N = k->in->machines;
    sgdsched_resources at;
    size_t i;
    for (i = 0; k->in->given && i < k->in->givens && !k->bad; i++)
        sgdsched_priv_look_at(k, k->in->given + i, r);
    if (k->in->given) return;
    for (at.workers = 1; at.workers < N; at.workers++)
        for (at.replicas = 1; at.replicas <= (N - 1) / at.workers; at.replicas++)
            for (at.servers = 1; at.servers <= N - at.replicas * at.workers;
                 at.servers++) {
                if (k->bad) return;
                sgdsched_priv_look_at(k, &at, r);
            }
}

SGDSCHED_API sgdsched_status sgdsched_search(const sgdsched_cluster_plan *in, void *work,
                                             size_t work_bytes, sgdsched_plan *plan,
                                             size_t room, size_t *found)
{
    sgdsched_priv_compose k;
    sgdsched_priv_ranking r;
    sgdsched_status status;
    size_t i;
    if (!in || !plan || room == 0 || !found) return SGDSCHED_BAD_ARGUMENT;
    if (in->given && in->givens == 0) return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_compose_for(in, sgdsched_priv_most_workers(in), room, &k);
    if (status != SGDSCHED_OK) return status;
    for (i = 0; in->given && i < in->givens; i++)
        if (!sgdsched_priv_is_resources(in, in->given + i)) return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_compose_open(&k, work, work_bytes);
    if (status != SGDSCHED_OK) return status;
    memset(&r, 0, sizeof r);
    sgdsched_priv_look_at_all(&k, &r);
    if (k.bad) return SGDSCHED_BAD_COST;
    if (r.found == 0) return SGDSCHED_NO_PLAN;
    for (i = 0; i < r.found; i++)
        sgdsched_priv_copy_plan(plan + i, k.plan + i, in->layers);
    *found = r.found;
    return SGDSCHED_OK;
}

/* ---- Implementation: order of trials ----------------------------------------- */

/* Sifts order[i] down in a heap of the largest (key, index) first. */
static void sgdsched_priv_sift(const double *key, size_t *order, size_t i, size_t n)
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
static void sgdsched_priv_order(const double *key, size_t *order, size_t n)
{
    size_t i;
    for (i = n / 2; i-- > 0;) sgdsched_priv_sift(key, order, i, n);
    for (i = n; i-- > 1;) {
        const size_t last = order[0];
        order[0] = order[i];
        order[i] = last;
        sgdsched_priv_sift(key, order, 0, i);
    }
}

SGDSCHED_API sgdsched_status sgdsched_trial_order(const double *epoch_s, size_t n,
                                                  size_t *order)
{
    size_t i;
    if (!epoch_s || !order || n == 0) return SGDSCHED_BAD_ARGUMENT;
    for (i = 0; i < n; i++)
        if (!sgdsched_priv_is_time(epoch_s[i])) return SGDSCHED_BAD_COST;
    for (i = 0; i < n; i++) order[i] = i;
    sgdsched_priv_order(epoch_s, order, n);
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_trial_cost(const double *epoch_s,
                                                 const unsigned char *accurate, size_t n,
                                                 double *random_s, double *ordered_s)
{
    double wasted = 0.0, useful = 0.0, ordered = 0.0;
    size_t i, good = 0, first = n;
    if (!epoch_s || !accurate || n == 0 || !random_s || !ordered_s)
        return SGDSCHED_BAD_ARGUMENT;
    for (i = 0; i < n; i++) {
        if (!sgdsched_priv_is_time(epoch_s[i])) return SGDSCHED_BAD_COST;
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
    return SGDSCHED_OK;
}
#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_SCHED_IMPLEMENTATION */

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
