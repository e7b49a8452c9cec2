/* sgdperf_sched.h - v0.1.0 - how many nodes each training job gets - C99, one file
 *
 *   Decides how many nodes each training job of a shared cluster gets, from its
 *   throughput on 1, 2, 3 ... nodes. Simulates a cluster under a policy. Schedules queues
 *   of rigid jobs, which need a fixed number of nodes. Advises how many workers to rent.
 *
 * USE
 *   In exactly one C or C++ file:
 *       #define SGDPERF_SCHED_IMPLEMENTATION
 *       #include "sgdperf_sched.h"
 *   Elsewhere include it without the define; a second inclusion is harmless.
 *   SGDPERF_SCHED_STATIC, defined in that file, makes all symbols private. Link with -lm.
 *
 * EXAMPLE   two kinds of jobs, three jobs, eight nodes
 *       static double  work[512];
 *       const double   steps_per_s[2][4] = {{1, 1.9, 2.6, 3}, {2, 2.4, 2.5, 2.5}};
 *       sgdsched_curve curve[2] = {{.throughput_per_s = steps_per_s[0], .nodes = 4},
 *                                  {.throughput_per_s = steps_per_s[1], .nodes = 4}};
 *       sgdsched_job   job[3] = {{.remaining = 9000}, {.curve = 1, .remaining = 4000},
 *                                {.remaining = 2000}};
 *       sgdsched_rules rules = {.nodes = 8, .policy = SGDSCHED_HELL, .fill = 1};
 *       sgdsched_jobs  in = {.curve = curve, .curves = 2, .job = job, .jobs = 3};
 *       uint32_t       nodes[3], idle;
 *       if (!sgdsched_allocate(&rules, &in, work, sizeof work, nodes, &idle))
 *           printf("%u %u %u, idle %u\n", nodes[0], nodes[1], nodes[2], idle);
 *           // 3 1 4, idle 0
 *
 * CONTENTS
 *   Status               sgdsched_status_text
 *   Random numbers       sgdsched_random
 *   Curves and jobs
 *   Allocation           sgdsched_policy_about  sgdsched_wanted_nodes
 *                        sgdsched_allocate
 *   Live scheduler       sgdsched_live_open, _submit, _progress, _leave, _decide,
 *                        _set_curve  sgdsched_live_job_nodes  sgdsched_live_idle_nodes
 *   Cluster              sgdsched_share_link  sgdsched_cluster_run
 *   The best chunk       sgdsched_chunk_range
 *   Rigid jobs           sgdsched_queueing_about  sgdsched_rigid_run
 *                        sgdsched_describe_stays
 *   Live queue           sgdsched_queue_open, _advance, _submit, _leave, _decide
 *                        sgdsched_queue_set_walltime, _nodes  sgdsched_queue_next_s
 *                        sgdsched_queue_start_s  sgdsched_queue_idle_nodes
 *   Renting machines     sgdsched_advise  sgdsched_verdict_text
 *   Library              sgdsched_version  sgdsched_struct_bytes
 *
 * CONVENTIONS
 *   Units     seconds; a name ends in its unit: mean_response_s. The size of a job has
 *             any unit; throughputs are in this unit per second.
 *   Letters   W is the number of nodes of the cluster, w that of one job.
 *   Defaults  zero every struct; a field left 0 or NULL takes its default.
 *   Memory    nothing is allocated or kept; only inputs may alias. F_bytes() writes the
 *             size of the work area that F needs, aligned for double.
 *
 *   Errors    bad input returns a status, listed after "Fails", and writes no output.
 *             SGDSCHED_ASSERT checks only the library's own invariants.
 *   Threads   no globals: calls with distinct work areas and outputs may run at once.
 *   Floats    with -ffp-contract=off and without -ffast-math, a seed gives equal bits on
 *             every platform, except where the platform's exp, log, pow or cos is used.
 *
 * CONFIGURE   define beforehand: SGDPERF_SCHED_STATIC, SGDSCHED_API, SGDSCHED_ASSERT(x)
 *
 * REFERENCES (cited by key), HISTORY and LICENSE are at the end of this file.
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
#if defined(SGDSCHED_API)
#elif !defined(SGDPERF_SCHED_STATIC)
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

/* Statuses and their texts. The first six are the same in all headers. */
#define SGDSCHED_STATUS_TABLE(X)                                                    \
    X(SGDSCHED_OK,              "success")                                          \
    X(SGDSCHED_BAD_ARGUMENT,    "null pointer, zero size, or value out of domain")  \
    X(SGDSCHED_TOO_LARGE,       "beyond the address space, 32 bits, or 1e140 s")    \
    X(SGDSCHED_SMALL_WORKSPACE, "work_bytes smaller than the _bytes() answer")      \
    X(SGDSCHED_NOT_CONVERGED,   "job limit reached before the precision")           \
    X(SGDSCHED_OVER_BUDGET,     "more jobs present at once than there is room for") \
    X(SGDSCHED_BAD_CURVE,       "a throughput or service time is out of range")     \
    X(SGDSCHED_BAD_JOB,         "a job present already, or one that is absent")     \
    X(SGDSCHED_BAD_ARRIVAL,     "arrivals out of order, or of no size or curve")

#define SGDSCHED_X(name, text) name,
typedef enum sgdsched_status {
    SGDSCHED_STATUS_TABLE(SGDSCHED_X) SGDSCHED_STATUS_COUNT
} sgdsched_status;
#undef SGDSCHED_X

/* Text of a status; never NULL. A value that is not a status has a text, too. */
SGDSCHED_API const char *sgdsched_status_text(sgdsched_status status);

/* ---- Random numbers -------------------------------------------------------- */

/* Returns 64 random bits that depend only on the numbers seed, a and b. Method: the
 * mixing function of SplitMix64 [SLF14], applied once for each of the three numbers. The
 * function keeps no state. Hence the random numbers of a job do not depend on the policy,
 * and policies are compared on equal jobs. */
SGDSCHED_API uint64_t sgdsched_random(uint64_t seed, uint64_t a, uint64_t b);

/* ---- Curves and jobs ------------------------------------------------------- */

/* The curve of a kind of job: how fast a job runs on w nodes. The caller gives one of two
 * arrays and sets the other to NULL. Element w - 1 is for w nodes. One array has the
 * throughput X(w), in units of size per second. The other has the service time S(w), in
 * seconds for a job of size 1.
 *
 * LIMITS. On more nodes than the table has, a job runs as fast as on the table's last
 * number of nodes. All numbers must be within 1e-70 to 1e70, so that no product
 * overflows. */
typedef struct sgdsched_curve {
    const double *throughput_per_s; /* [nodes] X(w), or NULL                        */
    const double *service_s;       /* [nodes] S(w), or NULL                         */
    uint32_t      nodes;           /* size of the table, >= 1                       */
} sgdsched_curve;

/* A job, as a scheduling decision sees it. The last three fields are its limits: the job
 * gets 0 nodes, or a multiple of gang_nodes from min_nodes to max_nodes. */
typedef struct sgdsched_job {
    size_t   curve;                /* index of its curve                            */
    double   remaining;            /* J, the part of the size that is not done yet, */
                                   /*   > 0. Numbers beyond 1e-70 .. 1e70 count as  */
                                   /*   these limits                                */
    double   size;                 /* J0, size at arrival, >= J; 0: J               */
    uint32_t held;                 /* moldable policies: number of nodes with which */
                                   /*   the job was started; 0: not started         */
    uint32_t min_nodes;            /* fewest nodes that it can have; 0: 1           */
    uint32_t max_nodes;            /* most nodes that it can have; 0: W, the number */
                                   /*   of nodes of the cluster                     */
    uint32_t gang_nodes;           /* it can only have multiples of this; 0: 1      */
} sgdsched_job;

/* ---- Allocation ------------------------------------------------------------ */

/* Families of scheduling policies. The comments of this section use these terms, for a
 * job of size J0 of which J remains, on w nodes:
 *   S(w)     remaining service time: J0^gamma J^(1-gamma) / X(w), with throughput X(w)
 *   gain(w)  (S(w-1) - S(w)) / S(w-1): the part of the time that the w-th node saves
 *   E(w)     S(1) / (w S(w)): the efficiency
 *
 * GAMMA. With an exponent rules.gamma > 0, policies decide by remaining service times
 * S(w) that are longer than the real ones, most of all for jobs that are nearly done
 * [LPCG18, VI].
 *
 * TIES. If two jobs are equal by a rule, the one that is listed first, or arrived first,
 * comes first. */
typedef enum sgdsched_family {
    SGDSCHED_MALLEABLE = 0,    /* each decision distributes all nodes anew          */
    SGDSCHED_MOLDABLE,         /* a job wants the nodes that it would want in an    */
                               /*   empty cluster, and keeps them from its start to */
                               /*   its end. Jobs that do not fit wait [LPCG18,     */
                               /*   IV-C]                                           */
    SGDSCHED_QUEUES            /* the cluster is cut into chunks of nodes, each     */
                               /*   with a queue; only for sgdsched_cluster_run     */
} sgdsched_family;

/* Rules for the number of nodes that a job wants, of the nodes that are still free. S(w)
 * is the remaining service time of a job on w nodes; for gain(w) and E(w) see
 * sgdsched_family. Jobs are served one after the other. Next is the job with the smallest
 * S(w), where w is the number of nodes that it wants. */
typedef enum sgdsched_wants {
    SGDSCHED_WANTS_TRADE = 0,  /* the number w of nodes with the least S(w)/E(w).   */
                               /*   Jobs are also served in order of S/E [LPCG18,   */
                               /*   alg. 2]                                         */
    SGDSCHED_WANTS_KNEE,       /* the smallest number w of nodes with gain(w) >=    */
                               /*   |alpha| > gain(w+1), even if a node beyond w+1  */
                               /*   gains more again. If there is none, the         */
                               /*   smallest w with the least S(w) [LPCG18, alg. 1] */
    SGDSCHED_WANTS_ALL,        /* all nodes                                         */
    SGDSCHED_WANTS_ONE,        /* one node                                          */
    SGDSCHED_WANTS_SHARE,      /* an equal share of the nodes. Nodes that remain go */
                               /*   to jobs in order of S(1), one each              */
    SGDSCHED_WANTS_CHUNK       /* a chunk: sgdsched_cluster.chunk nodes             */
} sgdsched_wants;

/* Tells whether a policy also gives jobs the nodes that no job wants; this is called
 * filling [LPCG18, eq. 5]. Filling works in steps. Let m be the least remaining service
 * time of all jobs that have nodes. A step gives one of these jobs so many more nodes
 * that its remaining time falls below m. The step that needs the fewest nodes is taken;
 * of several, the one after which the job ends first. Filling ends when no step is
 * possible. */
typedef enum sgdsched_fills {
    SGDSCHED_FILLS_NEVER = 0,
    SGDSCHED_FILLS_ASKED,      /* nodes are filled if rules.fill is set             */
    SGDSCHED_FILLS_ALWAYS
} sgdsched_fills;

/* The policies. The columns are: constant, word, family (SGDSCHED_...), rule for the
 * number of wanted nodes (SGDSCHED_WANTS_...), and filling of nodes that no job wants
 * (SGDSCHED_FILLS_...).
 *
 * NEW POLICIES. A new policy needs a row in this table. It needs code only if its wanted
 * nodes or its filling follow a new rule. */
#define SGDSCHED_POLICY_TABLE(X)                                                    \
    X(SGDSCHED_HELL,          "hell",          MALLEABLE, TRADE, ASKED)             \
    X(SGDSCHED_KNEE,          "knee",          MALLEABLE, KNEE,  ASKED)             \
    X(SGDSCHED_MOLDABLE_HELL, "moldable-hell", MOLDABLE,  TRADE, NEVER)             \
    X(SGDSCHED_MOLDABLE_KNEE, "moldable-knee", MOLDABLE,  KNEE,  NEVER)             \
    X(SGDSCHED_SRPT,          "srpt",          MALLEABLE, ALL,   NEVER)             \
    X(SGDSCHED_WATERFILL,     "waterfill",     MALLEABLE, ONE,   ALWAYS)            \
    X(SGDSCHED_EQUAL,         "equal",         MALLEABLE, SHARE, NEVER)             \
    X(SGDSCHED_JSQ,           "jsq",           QUEUES,    CHUNK, NEVER)

#define SGDSCHED_X(name, word, family, wants, fills) name,
typedef enum sgdsched_policy {
    SGDSCHED_POLICY_TABLE(SGDSCHED_X) SGDSCHED_POLICY_COUNT
} sgdsched_policy;
#undef SGDSCHED_X

/* Row of a policy in SGDSCHED_POLICY_TABLE. */
typedef struct sgdsched_policy_traits {
    const char     *word;
    sgdsched_family family;
    sgdsched_wants  wants;
    sgdsched_fills  fills;
} sgdsched_policy_traits;

/* Looks up the row of a policy. NULL: no such policy. */
SGDSCHED_API const sgdsched_policy_traits *sgdsched_policy_about(sgdsched_policy policy);

/* Cluster size, policy and its options. */
typedef struct sgdsched_rules {
    uint32_t nodes;                /* W, nodes of the cluster, >= 1                 */
    sgdsched_policy policy;
    int      fill;                 /* HELL and KNEE: 1: nodes left over are filled  */
                                   /*   (sgdsched_fills); 0: they stay idle         */
    int      head_of_line;         /* moldable policies: 1: a job that does not fit */
                                   /*   blocks the jobs behind it; 0: it is skipped */
    double   alpha;                /* KNEE: a further node must save at least this  */
                                   /*   part of the service time; the sign is       */
                                   /*   ignored; 0: 0.01                            */
    int      alpha_by_load;        /* moldable KNEE: 1: alpha_low + load            */
                                   /*   (alpha_high - alpha_low) takes the place of */
                                   /*   alpha [LPCG18, IV-C]; 0: alpha holds        */
    double   load;                 /* load of the cluster, >= 0                     */
    double   alpha_low;            /* alpha at load 0; 0.01 if this and alpha_high  */
                                   /*   are 0                                       */
    double   alpha_high;           /* alpha at load 1; 0.07 if this and alpha_low   */
                                   /*   are 0                                       */
    double   gamma;                /* exponent in S(w), >= 0; 0: S(w) is J / X(w)   */
} sgdsched_rules;

/* LIMITS of a job: it gets 0 nodes, or a multiple of gang_nodes from min_nodes to
 * max_nodes. For example, gang_nodes is the number of devices of a machine. A job with
 * min_nodes = max_nodes is rigid. Jobs with and without limits may be mixed.
 *
 * RULES FOR JOBS WITH LIMITS. Where a rule speaks of one more node, the job gets one more
 * gang: gang_nodes nodes. Where a rule speaks of one node, the job gets the fewest nodes
 * that its limits allow. The efficiency E(w) still uses S(1), the time on one node. Nodes
 * beyond max_nodes gain nothing.
 *
 * TOO FEW NODES LEFT. A job is skipped if fewer nodes are left than the fewest that its
 * limits allow. Under a moldable policy (a started job keeps its nodes) it may block the
 * jobs behind it: see rules.head_of_line.
 *
 * POLICIES HELL, KNEE and SRPT for jobs with limits. S is the remaining service time.
 *   HELL, KNEE  A job chooses among the numbers of nodes that its limits allow. Filling
 *               (see sgdsched_fills) goes on to the next larger allowed number.
 *   SRPT        In turn, each job gets the most nodes that are left and allowed. First
 *               comes the job with the least S on the most nodes that it could have in an
 *               empty cluster.
 *
 * POLICIES WATERFILL and EQUAL for jobs with limits. As long as nodes are left, each job
 * gets the fewest nodes that its limits allow. Jobs come in the order of their remaining
 * service time on so few nodes, least first. Nodes that remain go out as follows:
 *   WATERFILL   by filling (see sgdsched_fills), as for jobs without limits
 *   EQUAL       one gang (gang_nodes nodes) at a time, to the job that has the fewest
 *               nodes, until no job can take a gang
 *
 * REFUSED. A job is refused if its limits allow no number of nodes up to the W nodes of
 * the cluster. It is also refused if the fewest nodes that its limits allow are beyond
 * the table of its curve. Limits that exclude no number of nodes have no effect. */

/* Computes the number of nodes that policy HELL or KNEE, moldable or not, wants for a job
 * if `budget` nodes are free: the row TRADE or KNEE of sgdsched_wants. The call assumes
 * that no other job is present, and that the job has no limits. The size of the job does
 * not matter. Time: O(curve->nodes).
 *
 * Fails with SGDSCHED_BAD_ARGUMENT (a pointer is NULL, budget is 0, the policy is neither
 * HELL nor KNEE, or a rule is out of range) or SGDSCHED_BAD_CURVE (a number of the curve
 * is out of range). */
SGDSCHED_API sgdsched_status sgdsched_wanted_nodes(const sgdsched_rules *rules,
                                                   const sgdsched_curve *curve,
                                                   uint32_t budget, uint32_t *nodes);

/* Curves and jobs of a decision. Several jobs may have one curve; the fewer curves, the
 * faster the decisions.
 *
 * ROOM. sgdsched_live_open and functions ..._bytes only reserve room. They do not read
 * the array `job`. For them, the field `jobs` is the largest number of jobs that will be
 * present at once. */
typedef struct sgdsched_jobs {
    const sgdsched_curve *curve;   /* [curves]                                      */
    size_t                curves;  /* number of curves; >= 1 if there are jobs      */
    const sgdsched_job   *job;     /* [jobs]                                        */
    size_t                jobs;    /* number of jobs                                */
} sgdsched_jobs;

/* Makes one scheduling decision. nodes[jobs] receives the number of nodes of each job.
 * *idle receives the number of nodes that no job has; idle may be NULL. 0 jobs are
 * allowed.
 *
 * Fails with SGDSCHED_BAD_CURVE (a number of a curve is out of range), SGDSCHED_TOO_LARGE
 * (a size overflows), SGDSCHED_SMALL_WORKSPACE (work_bytes is too small) or
 * SGDSCHED_BAD_ARGUMENT, which means one of these:
 *   the policy is JSQ
 *   the curve, size or limits of a job are out of range
 *   one job holds more nodes than the cluster has, or a number that its limits forbid
 * No failure: all jobs together hold more nodes than the cluster has.
 *
 * COST for M jobs, C curves of n nodes, and W nodes in the cluster: O(C n + M log M). A
 * policy may take more:
 *   HELL, KNEE          once fewer nodes are left than some job wants, each further job
 *                       that is served takes a search of all M jobs; at most n searches
 *   a job with limits   O(number of its allowed node counts) at first, and whenever fewer
 *                       nodes are left than it wants
 *   EQUAL with limits   O(M log W) for each distinct gang_nodes */
SGDSCHED_API sgdsched_status sgdsched_allocate(const sgdsched_rules *rules,
                                               const sgdsched_jobs *in, void *work,
                                               size_t work_bytes, uint32_t *nodes,
                                               uint32_t *idle);
SGDSCHED_API sgdsched_status sgdsched_allocate_bytes(const sgdsched_rules *rules,
                                                     const sgdsched_jobs *in,
                                                     size_t *bytes);

/* ---- Live scheduler -------------------------------------------------------- */

/* A live scheduler makes the decisions of sgdsched_allocate while the state of a cluster
 * changes. It lives in the caller's work area, which must not be changed or moved. The
 * caller numbers the jobs that are present from 0 to room->jobs - 1. The number of a job
 * that has left may be used again.
 *
 * CALLS, in their order:
 *   sgdsched_live_open(...)                     once
 *   sgdsched_live_submit(s, job, &description)  when a job arrives
 *   sgdsched_live_leave(s, job)                 when a job has finished or is cancelled
 *   sgdsched_live_progress(s, job, remaining)   then, for each job that runs
 *   sgdsched_live_decide(s, change, &changes)   at last: tells which jobs have other
 *                                               numbers of nodes from now on */
typedef struct sgdsched_live sgdsched_live;

/* A job whose nodes change. */
typedef struct sgdsched_change {
    size_t   job;                  /* number that the caller gave the job           */
    uint32_t before, nodes;        /* its nodes before and from now on; 0: it does  */
                                   /*   not run                                     */
} sgdsched_change;

/* Opens a live scheduler with copies of the rules and curves. It has room for room->jobs
 * jobs at once. A curve may have more nodes than rules->nodes. Time: O(sum of the curves'
 * nodes). Fails as sgdsched_allocate. */
SGDSCHED_API sgdsched_status sgdsched_live_open(const sgdsched_rules *rules,
                                                const sgdsched_jobs *room, void *work,
                                                size_t work_bytes, sgdsched_live **out);
SGDSCHED_API sgdsched_status sgdsched_live_open_bytes(const sgdsched_rules *rules,
                                                      const sgdsched_jobs *room,
                                                      size_t *bytes);

/* Tells the scheduler that a job arrives. If description->held is not 0, the job already
 * started, on description->held nodes. Time: O(1); for a job with limits, O(number of the
 * node counts that its limits allow).
 * Fails with SGDSCHED_BAD_JOB (the job is present already) or SGDSCHED_BAD_ARGUMENT
 * (`job` is room->jobs or more, or the description is out of range). */
SGDSCHED_API sgdsched_status sgdsched_live_submit(sgdsched_live *s, size_t job,
                                                  const sgdsched_job *description);

/* Sets the part of a job's size that remains: above 0, and at most its size at arrival.
 * The part may be larger than before, if an estimate was wrong. Time: O(1) for a job that
 * runs, O(log jobs) for a job that waits.
 * Fails with SGDSCHED_BAD_JOB (the job is absent) or SGDSCHED_BAD_ARGUMENT (`remaining`
 * is out of range). */
SGDSCHED_API sgdsched_status sgdsched_live_progress(sgdsched_live *s, size_t job,
                                                    double remaining);

/* Tells the scheduler that a job has finished or was cancelled. Time: O(log jobs). Fails
 * with SGDSCHED_BAD_JOB (the job is absent). */
SGDSCHED_API sgdsched_status sgdsched_live_leave(sgdsched_live *s, size_t job);

/* Replaces a curve by a new estimate for the same number of nodes, n. Time: O(n + log
 * jobs). The next decision takes O(R + sizes of all curves) more, where R is the number
 * of jobs that sgdsched_live_decide must look at.
 * Fails with SGDSCHED_BAD_ARGUMENT (the curve does not exist, or has another number of
 * nodes than the estimate) or SGDSCHED_BAD_CURVE (a number is out of range). */
SGDSCHED_API sgdsched_status sgdsched_live_set_curve(sgdsched_live *s, size_t curve,
                                                     const sgdsched_curve *estimate);

/* Makes a decision, and writes the jobs whose numbers of nodes change: first those that
 * lose nodes, then those that gain nodes, each in order of arrival. The caller provides
 * room in change[] for all jobs present. *changes receives the number of jobs written.
 *
 * COST. R jobs are looked at: those that run or ran before the decision, are new, or have
 * changed. So are waiting jobs with limits, or once started by a moldable policy. This
 * takes O(R) if their order has changed little, otherwise O(R log R). Each job that
 * starts or stops adds O(log jobs). Other waiting jobs add nothing.
 *
 * COST of the last jobs. When fewer nodes are left than a job may want, the search for
 * the next job takes longer. So it does when a waiting moldable job does not fit. Let C
 * be the number of curves with waiting jobs. Each search adds O(C), at worst O(C + R). */
SGDSCHED_API sgdsched_status sgdsched_live_decide(sgdsched_live *s,
                                                  sgdsched_change *change,
                                                  size_t *changes);

/* sgdsched_live_job_nodes returns the number of nodes that a job has now, or 0 if the job
 * is absent. sgdsched_live_idle_nodes returns the number of nodes that no job has. */
SGDSCHED_API uint32_t sgdsched_live_job_nodes(const sgdsched_live *s, size_t job);
SGDSCHED_API uint32_t sgdsched_live_idle_nodes(const sgdsched_live *s);

/* ---- Cluster --------------------------------------------------------------- */

/* Arrival of a job at the simulated cluster. */
typedef struct sgdsched_arrival {
    double time_s;                 /* seconds; not earlier than the previous        */
                                   /*   arrival                                     */
    double size;                   /* > 0, in the unit of throughputs               */
    size_t curve;                  /* index of its curve                            */
    uint32_t min_nodes, max_nodes, gang_nodes; /* limits, as in sgdsched_job        */
} sgdsched_arrival;

/* Callback that writes the next job in order of arrival. It returns 1, or 0 if there are
 * no more jobs. */
typedef int (*sgdsched_arrival_source)(void *ctx, sgdsched_arrival *next);

/* Distribution of the sizes of generated jobs. */
typedef enum sgdsched_size_law {
    SGDSCHED_NORMAL = 0,           /* normal; a size <= 0 is drawn again; with      */
                                   /*   size_deviation 0 all sizes are size_mean    */
    SGDSCHED_EXPONENTIAL,          /* exponential; size_deviation has no effect     */
    SGDSCHED_LOGNORMAL
} sgdsched_size_law;

/* A kind of job of a generated workload. */
typedef struct sgdsched_job_kind {
    size_t            curve;       /* index of its curve                            */
    double            weight;      /* > 0; the probability that a job is of this    */
                                   /*   kind is weight / (sum of all weights)       */
    double            size_mean, size_deviation; /* mean > 0 and standard deviation */
                                   /*   >= 0 of the size                            */
    sgdsched_size_law law;
    uint32_t          min_nodes, max_nodes, gang_nodes; /* limits, as in            */
                                   /*   sgdsched_job                                */
} sgdsched_job_kind;

/* A job that has left; sgdsched_watch is told of it. */
typedef struct sgdsched_departure {
    uint64_t job;                  /* its number in order of arrival, from 0        */
    size_t   curve;                /* index of its curve                            */
    double   arrival_s, time_s;    /* seconds: when the job arrived, when it left   */
    double   size;                 /* its size at arrival                           */
    int      cancelled;            /* 1: its user gave up; 0: it is done            */
} sgdsched_departure;

/* An estimate and the half-width of its 95 % confidence interval, by the method of batch
 * means [LC79]. The half-width is infinite if there are too few jobs. If a run stops as
 * soon as it is precise enough, slightly fewer than 95 % of the intervals hold the true
 * value. */
typedef struct sgdsched_estimate { double value, half_width; } sgdsched_estimate;

/* A part of each job, for example its first half, for users who stop early [LPCG18, VI].
 * The simulation reports the time from the arrival of a job until this part is done. */
typedef struct sgdsched_part {
    double fraction;               /* part of the size, in (0, 1]; 1: the whole job */
    size_t curve;                  /* jobs of this curve; (size_t)-1: all jobs      */
} sgdsched_part;

/* Users who end their job early, when a part of it is done. */
typedef struct sgdsched_quits {
    const double *fraction;        /* [count] part of the size, in (0, 1)           */
    const double *probability;     /* [count] probability that a user gives up at   */
                                   /*   this part; their sum is at most 1           */
    size_t        count;           /* number of such parts; 0: nobody gives up      */
} sgdsched_quits;

/* A job that runs, for a sharing rule. */
typedef struct sgdsched_sharer {
    size_t   curve;                /* index of its curve                            */
    uint32_t nodes;                /* its nodes, at most those of the curve         */
    double   part;                 /* set by the rule: part of X(nodes) that it     */
                                   /*   gets beside the others, > 0                 */
} sgdsched_sharer;

/* A sharing rule. The callback sets job[i].part for all jobs that run at the same time.
 * The simulation calls it after each decision, with the caller's ctx. */
typedef void (*sgdsched_sharing)(void *ctx, sgdsched_sharer *job, size_t jobs);

/* A link that all jobs of a cluster share, for sgdsched_share_link. */
typedef struct sgdsched_shared_link {
    const double *const *share;    /* [curves][nodes of the curve] part of a step   */
                                   /*   on 1, 2, ... nodes in which a job is on the */
                                   /*   link, if it has the link alone, 0 to 1      */
    double              *work;     /* [W, or the most jobs that run at once]        */
} sgdsched_shared_link;

/* The sharing rule of a link that all jobs use. ctx points to an sgdsched_shared_link. In
 * each step, a job computes for some time, then uses the link. Jobs that use the link at
 * the same time share it equally (processor sharing).
 *
 * METHOD. The rule computes the mean slowdowns of jobs that compute and use the link by
 * turns, exactly for random times of given means [BCMP75]. The lengths of steps have no
 * effect.
 *
 * RESULT. Let a be a job's share: the part of its step on the link, if it has the link
 * alone. Let q be the factor by which the other jobs slow it on the link. Its step then
 * takes T = 1 - a + a q times as long.
 *
 * FACTOR q by which other jobs slow a job on the link: element q(0) of a sequence. At
 * first q(n) = n + 1 for all n. Each other job, of share a', then changes all q(n):
 *   q(n) <- q(n) (1 - a' + a' q(n + 1)) / (1 - a' + a' q(n))
 * This is numerically stable. Time: O(d J^2) for J jobs with d distinct shares, at most 5
 * ms for 100 jobs.
 *
 * LIMIT. Jobs whose steps never vary may take turns. Two jobs with share 0.5 then need
 * not slow each other at all. The rule gives steps that are 1.25 times as long. See
 * validation/FINDINGS.md for measured jobs. */
SGDSCHED_API void sgdsched_share_link(void *ctx, sgdsched_sharer *job, size_t jobs);

/* The jobs of a simulation: either jobs that the callback `source` gives, or generated
 * jobs. Generated jobs arrive as a Poisson process: independent, exponentially
 * distributed gaps [LPCG18, V-B].
 *
 * LOAD of generated jobs: rho = lambda E[S(1)] / W, for lambda arrivals per second and W
 * nodes in the cluster. E[S(1)] is the time of a job of mean size on one node, averaged
 * over all kinds of jobs. */
typedef struct sgdsched_workload {
    sgdsched_arrival_source  source; /* returns the jobs; NULL: jobs are generated  */
                                   /*   from `kind`                                 */
    void                    *source_ctx; /* passed to source                        */
    const sgdsched_job_kind *kind; /* [kinds] kinds of generated jobs; NULL with a  */
                                   /*   source                                      */
    size_t                   kinds; /* number of kinds                              */
    double                   load; /* rho of generated jobs; 0: rules.load          */
    uint64_t                 seed; /* of the random numbers; any number             */
    sgdsched_quits           quits;
    sgdsched_sharing         sharing; /* how jobs slow each other; NULL: not at all */
    void                    *sharing_ctx; /* passed to sharing                      */
} sgdsched_workload;

/* Conditions at which a simulation of generated jobs stops. A simulation of jobs from a
 * source stops when all jobs have left. */
typedef struct sgdsched_stop {
    double   precision;            /* the run stops when the half-width of the mean */
                                   /*   response time's 95 % interval is at most    */
                                   /*   this part of the mean, and batches are      */
                                   /*   little correlated; 0: 0.05                  */
    uint64_t warmup_jobs;          /* number of departures before jobs count; 0:    */
                                   /*   none with a source, 1000 for generated jobs */
    uint64_t min_jobs;             /* fewest jobs to count; 0: 10,000               */
    uint64_t max_jobs;             /* most jobs to count; 0: 1,000,000              */
    size_t   max_present;          /* most jobs present at once; 0: 10 W for W      */
                                   /*   nodes, 1000 if W < 10. More generated jobs  */
                                   /*   end the run: it is unstable                 */
} sgdsched_stop;

/* Callbacks of a simulation; each may be NULL. on_estimate gets the mean response time of
 * the `jobs` jobs counted so far, each time the simulation decides whether to stop. */
typedef struct sgdsched_watch {
    void (*on_departure)(void *ctx, const sgdsched_departure *departure);
    void (*on_change)(void *ctx, double time_s, const sgdsched_change *change,
                      size_t changes); /* change->job: numbered as they arrive      */
    void (*on_estimate)(void *ctx, uint64_t jobs, sgdsched_estimate response_s);
    void  *ctx;                    /* passed to the callbacks                       */
} sgdsched_watch;

/* Input of sgdsched_cluster_run. */
typedef struct sgdsched_cluster {
    sgdsched_rules        rules;
    const sgdsched_curve *curve;   /* [curves]                                      */
    size_t                curves;  /* number of curves, >= 1                        */
    sgdsched_workload     workload;
    sgdsched_stop         stop;
    uint32_t              chunk;   /* JSQ: nodes of a chunk, 1 to W                 */
    double                restart_s; /* seconds that a job loses whenever its nodes */
                                   /*   change after its first start; 0: none       */
    const sgdsched_part  *part;    /* [parts] parts of jobs to report, in any order */
    size_t                parts;   /* number of parts                               */
    sgdsched_watch        watch;
} sgdsched_cluster;

/* Reason why a simulation stopped. */
typedef enum sgdsched_cluster_outcome {
    SGDSCHED_DONE = 0,             /* all jobs of the source have left              */
    SGDSCHED_CONVERGED,            /* the mean response time has the precision      */
    SGDSCHED_LIMIT,                /* max_jobs jobs counted, but not converged      */
    SGDSCHED_UNSTABLE              /* more than max_present generated jobs at once  */
} sgdsched_cluster_outcome;

enum { SGDSCHED_FRACTIONS = 9 };   /* number of tenths of a job: 0.1 to 0.9         */

/* Statistics of the time from the arrival of a job until a part of it is done. Only jobs
 * that reach this part count. Jobs whose users give up earlier do not count. */
typedef struct sgdsched_part_report {
    uint64_t           jobs;       /* number of jobs that count                     */
    sgdsched_estimate  time_s;     /* mean time, in seconds; 0 if no jobs count     */
    double             most_s;     /* longest time, in seconds; 0 if no jobs count  */
    sgdsched_estimate *quantile_s; /* quantiles of the time, in seconds, for the    */
                                   /*   probabilities of sgdsched_response; array   */
                                   /*   of the caller; NULL: not wanted             */
} sgdsched_part_report;

/* Numbers of jobs and decisions. */
typedef struct sgdsched_counts {
    uint64_t jobs;                 /* jobs counted, cancelled ones included         */
    uint64_t cancelled;            /* jobs whose users gave up                      */
    uint64_t decisions;            /* scheduling decisions                          */
} sgdsched_counts;

/* Response times of jobs: seconds from arrival to departure. Quantiles are read off a
 * histogram with 128 bins per octave, from 2^-24 to 2^40 s. They are exact within 0.8 %.
 * A quantile below this range is reported as 0, and one above it as infinite. */
typedef struct sgdsched_response {
    sgdsched_estimate  mean_s;     /* mean response time in seconds; 0 without jobs */
    double             most_s;     /* longest response time in seconds; 0 without   */
                                   /*   jobs                                        */
    const double      *probability; /* [probabilities] of the quantiles, in (0, 1); */
                                   /*   NULL: .5 .9 .95 .99                         */
    size_t             probabilities; /* size of `probability`                      */
    sgdsched_estimate *quantile_s; /* [probabilities] quantiles, in seconds; 4      */
                                   /*   elements if `probability` is NULL; NULL:    */
                                   /*   not wanted                                  */
} sgdsched_response;

/* Result of a simulation. The slowdown of a job is its response time divided by its
 * shortest run time.
 *
 * SHORTEST RUN TIME of a job: the time that the finished part of the job takes on the
 * best number of nodes that the job may have. A run time below the clock's resolution
 * (2^-52 of the time) counts as this resolution. */
typedef struct sgdsched_cluster_report {
    sgdsched_cluster_outcome outcome;
    sgdsched_counts   counts;
    double            end_s;       /* seconds: when the run ended                   */
    sgdsched_response response;
    sgdsched_estimate slowdown;    /* mean slowdown of jobs                         */
    /* The next fields are means over time since the first arrival or the warm-up. */
    double            utilization; /* part of the nodes that jobs have              */
    double            jobs_present; /* number of jobs in the cluster                */
    double            fraction_s[SGDSCHED_FRACTIONS]; /* mean seconds from arrival  */
                                   /*   until 0.1, ... 0.9 of the size is done,     */
                                   /*   over the jobs that reach this part; 0: none */
                                   /*   does                                        */
    sgdsched_part_report *part;    /* [cluster.parts] results for cluster.part;     */
                                   /*   NULL: not wanted                            */
} sgdsched_cluster_report;

/* Simulates a cluster under a policy. At an instant, all departures come first, then all
 * arrivals, then one decision. Times within a relative 1e-12 of each other are one
 * instant. A job whose nodes change loses restart_s, and nothing else.
 *
 * POLICY JSQ. The W nodes of the cluster are cut into floor(W / chunk) chunks. Each chunk
 * serves its jobs first come, first served. An arriving job joins the chunk with the
 * fewest jobs, waiting or in service. In a tie, it joins the first of these chunks
 * [BDH17]. The limits of each job must allow `chunk` nodes.
 *
 * STATUS. The function returns SGDSCHED_OK for all outcomes but SGDSCHED_LIMIT; even for
 * the outcome SGDSCHED_UNSTABLE. For SGDSCHED_LIMIT it returns SGDSCHED_NOT_CONVERGED,
 * and writes the report.
 *
 * Fails with
 *   SGDSCHED_OVER_BUDGET      more than max_present jobs of a source at once
 *   SGDSCHED_BAD_ARRIVAL      an arrival is out of order, or its fields are out of range
 *   SGDSCHED_TOO_LARGE        a size overflows, there are more than 2^36 jobs, or the run
 *                             lasts beyond 1e140 s
 *   SGDSCHED_BAD_CURVE        a number of a curve is out of range
 *   SGDSCHED_BAD_ARGUMENT     another input is wrong, for example the limits of a kind
 *   SGDSCHED_SMALL_WORKSPACE  work_bytes is too small
 *
 * ROOM for jobs. Even a stable queue sometimes, but rarely, has more than max_present
 * jobs. Example: a single server with exponential sizes (M/M/1). At load 0.9, 3 of 10^5
 * arriving jobs find more than 100 jobs. At load 0.98, 2 of 10^9 arriving jobs find more
 * than 1000.
 *
 * COST. Each event takes a decision and O(running jobs); with policy JSQ also O(chunks).
 *
 * MEMORY. The work area holds the scheduler, about 240 bytes for each job of max_present,
 * and 1 MB of histograms. Each element of cluster->part adds 1 MB, and 8 bytes for each
 * job of max_present. The number of jobs served has no effect. */
SGDSCHED_API sgdsched_status sgdsched_cluster_run(const sgdsched_cluster *cluster,
                                                  void *work, size_t work_bytes,
                                                  sgdsched_cluster_report *out);
SGDSCHED_API sgdsched_status sgdsched_cluster_run_bytes(const sgdsched_cluster *cluster,
                                                        size_t *bytes);

/* ---- The best chunk -------------------------------------------------------- */

/* HOW TO FIND THE BEST CHUNK. Policy JSQ cuts the cluster into chunks of `chunk` nodes,
 * each with its own queue. This loop simulates all chunk sizes, and keeps the size with
 * the least mean response time:
 *
 *   sgdsched_chunk_range(cluster.rules.nodes, &chunk, &last);
 *   for (; chunk <= last; chunk++) {
 *       cluster.chunk = chunk;
 *       sgdsched_cluster_run(&cluster, work, bytes, &report);
 *       if (report.outcome != SGDSCHED_UNSTABLE &&
 *           (!best_chunk || report.response.mean_s.value < best.response.mean_s.value))
 *           best = report, best_chunk = chunk;
 *   }
 *
 * The runs may take place at the same time if each run has a work area of its own. */

/* Writes the range of chunk sizes, in nodes, in which to search for the best chunk of
 * policy JSQ. The cluster has `nodes` nodes. *first becomes 7, or 1 if there are fewer
 * than 7 nodes. *last becomes 40, or `nodes` if there are fewer than 40 nodes.
 *
 * WHICH SIZE. Large chunks finish a single job soonest. Small chunks carry the most load:
 * a load that is too high for chunks of 7 nodes may be possible with smaller chunks.
 * Fails with SGDSCHED_BAD_ARGUMENT (nodes is 0, or a pointer is NULL). */
SGDSCHED_API sgdsched_status sgdsched_chunk_range(uint32_t nodes, uint32_t *first,
                                                  uint32_t *last);

/* ---- Rigid jobs ------------------------------------------------------------ */

/* A rigid job needs a fixed number of nodes. It waits in a queue until it has these
 * nodes, then runs to its end. Its walltime is the longest run time that its user
 * announces. A policy that plans ahead knows only walltimes, not run times. */
typedef struct sgdsched_rigid_job {
    double   arrival_s;            /* arrival time in seconds, at most 1e70, not    */
                                   /*   before that of the previous job             */
    double   run_s;                /* run time in seconds, 1e-70 to 1e70            */
    double   walltime_s;           /* walltime in seconds, 1e-70 to 1e70; 0: run_s  */
    uint32_t nodes;                /* nodes that it needs, 1 to W                   */
} sgdsched_rigid_job;

/* Order of the queue of waiting jobs. In a tie, the job that was submitted first comes
 * first. */
typedef enum sgdsched_line {
    SGDSCHED_LINE_ARRIVAL = 0,     /* in order of arrival                           */
    SGDSCHED_LINE_WALLTIME,    /* least walltime first                              */
    SGDSCHED_LINE_NODES        /* fewest nodes first                                */
} sgdsched_line;

/* Tells which waiting jobs have a reservation. A reservation is a planned start time. It
 * is computed from the walltimes of jobs. */
typedef enum sgdsched_plans {
    SGDSCHED_PLANS_NONE = 0,   /* no job has one. A job that does not fit blocks    */
                               /*   all jobs behind it                              */
    SGDSCHED_PLANS_FIRST,      /* only the first job of the queue has one: for the  */
                               /*   time at which enough nodes will be free if      */
                               /*   running jobs take their walltimes. A later job  */
                               /*   starts at once if it does not delay the first:  */
                               /*   it ends by then, or uses only nodes that the    */
                               /*   first job leaves free then [MF01]               */
    SGDSCHED_PLANS_ALL         /* every job has one from its arrival on: for the    */
                               /*   earliest time that delays no other reservation. */
                               /*   When a job ends before its walltime, each in    */
                               /*   order of arrival moves to its earliest start    */
                               /*   beside all others as planned; none moves to a   */
                               /*   later one [MF01]                                */
} sgdsched_plans;

/* Policies for queues of rigid jobs. A policy starts jobs whenever a job arrives, a job
 * ends, or a reservation (planned start of a job) is due.
 *
 * COLUMNS: constant; word; order of the queue (SGDSCHED_LINE_...); which jobs have
 * reservations (SGDSCHED_PLANS_...). A policy with reservations needs the queue order
 * ARRIVAL. */
#define SGDSCHED_QUEUEING_TABLE(X)                                                  \
    X(SGDSCHED_FCFS,           "fcfs",           ARRIVAL,  NONE)                    \
    X(SGDSCHED_EASY,           "easy",           ARRIVAL,  FIRST)                   \
    X(SGDSCHED_CONSERVATIVE,   "conservative",   ARRIVAL,  ALL)                     \
    X(SGDSCHED_SJF,            "sjf",            WALLTIME, NONE)                    \
    X(SGDSCHED_SMALLEST_FIRST, "smallest-first", NODES,    NONE)

#define SGDSCHED_X(name, word, line, plans) name,
typedef enum sgdsched_queueing {
    SGDSCHED_QUEUEING_TABLE(SGDSCHED_X) SGDSCHED_QUEUEING_COUNT
} sgdsched_queueing;
#undef SGDSCHED_X

/* Row of a policy in SGDSCHED_QUEUEING_TABLE. */
typedef struct sgdsched_queueing_traits {
    const char    *word;
    sgdsched_line  line;
    sgdsched_plans plans;
} sgdsched_queueing_traits;

/* Looks up the row of a policy. NULL: no such policy. */
SGDSCHED_API const sgdsched_queueing_traits *sgdsched_queueing_about(
    sgdsched_queueing policy);

/* Input of sgdsched_rigid_run. */
typedef struct sgdsched_rigid {
    uint32_t          nodes;       /* W, nodes of the cluster, >= 1                 */
    sgdsched_queueing policy;
    int               kill;        /* 1: a job is killed when it has run for its    */
                                   /*   walltime; 0: it runs on, and a walltime     */
                                   /*   below run_s counts as run_s                 */
    const sgdsched_rigid_job *job; /* [jobs] in order of arrival                    */
    size_t            jobs;        /* number of jobs, >= 1                          */
} sgdsched_rigid;

/* The time for which a job ran, simulated or observed: start_s to start_s + run_s. */
typedef struct sgdsched_stay {
    double start_s;                /* seconds: when the job started                 */
    double run_s;                  /* seconds for which it ran                      */
    int    killed;                 /* 1: it was killed at its walltime              */
} sgdsched_stay;

/* Summary of a simulated queue. */
typedef struct sgdsched_rigid_report {
    size_t killed;                 /* number of jobs killed at their walltimes      */
    size_t backfilled;             /* number of jobs that started while a job that  */
                                   /*   stands earlier in `job` went on waiting     */
    size_t most_waiting;           /* largest number of waiting jobs after a        */
                                   /*   decision                                    */
    double end_s;                  /* seconds: when the last job ends               */
    double utilization;            /* part of the nodes that jobs have, averaged    */
                                   /*   from the first arrival to end_s             */
} sgdsched_rigid_report;

/* Simulates a queue of rigid jobs, which need fixed numbers of nodes. stay[jobs] receives
 * the time for which each job ran. out may be NULL.
 *
 * ORDER. At an instant, all ends of jobs come first, then all arrivals, then one
 * decision. Times within a relative 1e-12 of each other are one instant; this also holds
 * for the times of reservations. After each decision, the running jobs fit the nodes, and
 * every job that the policy allows to start has started.
 *
 * Fails with SGDSCHED_BAD_ARGUMENT (a required pointer is NULL, there are no nodes or no
 * jobs, or the policy does not exist), SGDSCHED_BAD_ARRIVAL (a job is out of order, or
 * its times or nodes are out of range), SGDSCHED_SMALL_WORKSPACE (work_bytes is too
 * small) or SGDSCHED_TOO_LARGE (2^30 jobs or more).
 *
 * TIME for n jobs: O(n log n), except for two policies. Policy EASY takes O(n sqrt n) at
 * worst: the next job to start is found in a tree over nodes and walltimes [Ben75]. Each
 * start and each end of a job under EASY also takes O(r / 32) with r running jobs.
 *
 * TIME of policy CONSERVATIVE: O(q) at each instant with q waiting jobs, and O(n q^2) at
 * worst for n jobs. When a job ends early, up to q reservations move. Each searches the
 * plan, which tells how many nodes are free over time. The plan has at most two steps for
 * each reservation and one for each running job. Simulations with tens of waiting jobs
 * are fast, with some hundreds they take seconds, with many thousands too long.
 *
 * MEMORY. For n jobs, the work area is larger than that of sgdsched_queue_open for n
 * jobs. The difference is at most 1 byte for each job, and 24 bytes for each job that may
 * run at once. */
SGDSCHED_API sgdsched_status sgdsched_rigid_run(const sgdsched_rigid *in, void *work,
                                                size_t work_bytes, sgdsched_stay *stay,
                                                sgdsched_rigid_report *out);
SGDSCHED_API sgdsched_status sgdsched_rigid_run_bytes(const sgdsched_rigid *in,
                                                      size_t *bytes);

/* Distribution of n values. Median and 95th percentile are interpolated. The p-quantile
 * is the sorted value with the index p (n - 1), counted from 0. For other indices the
 * p-quantile lies between the two nearest values. */
typedef struct sgdsched_spread { double mean, median, p95, most; } sgdsched_spread;

/* Distributions of waiting and response times of jobs, in seconds, and of slowdowns. */
typedef struct sgdsched_stay_report {
    size_t          jobs;          /* number of jobs described                      */
    sgdsched_spread wait_s;        /* waiting times: from arrival to start          */
    sgdsched_spread response_s;    /* response times: from arrival to end           */
    sgdsched_spread slowdown;      /* response time / run_s of the job; if it was   */
                                   /*   killed, / the time that it ran              */
    sgdsched_spread bounded_slowdown; /* slowdown, where run times below            */
                                   /*   threshold_s count as threshold_s; at least  */
                                   /*   1 [FR98]                                    */
} sgdsched_stay_report;

/* Stays of jobs, simulated or observed, from which sgdsched_describe_stays computes
 * statistics. A job that starts before its arrival counts as a job that did not wait.
 *
 * JOBS WHOSE NODES CHANGE. stay->run_s is then the time from the first start of the job
 * to its end. This time may be less than job->run_s. The slowdown (response / run time)
 * is then less than 1. */
typedef struct sgdsched_stays {
    const sgdsched_rigid_job *job;  /* [jobs]                                       */
    const sgdsched_stay      *stay; /* [jobs]                                       */
    size_t                    jobs; /* number of jobs                               */
    uint32_t                  least, most; /* only jobs with least to most nodes    */
                                   /*   are described; 0: no limit                  */
    double                    threshold_s; /* seconds, used by bounded_slowdown; 0: */
                                   /*   10 s, as usual in the literature [FR98]     */
} sgdsched_stays;

/* Describes how long jobs waited and ran. All results are 0 if there are no jobs. Time:
 * O(n log n) for n jobs. The work area has 8 bytes for each job.
 * Fails with SGDSCHED_BAD_ARGUMENT (a required pointer is NULL, in->least > in->most, or
 * in->threshold_s is negative or infinite), SGDSCHED_SMALL_WORKSPACE (work_bytes is too
 * small) or SGDSCHED_BAD_ARRIVAL (a time is out of range). */
SGDSCHED_API sgdsched_status sgdsched_describe_stays(const sgdsched_stays *in, void *work,
                                                     size_t work_bytes,
                                                     sgdsched_stay_report *out);
SGDSCHED_API sgdsched_status sgdsched_describe_stays_bytes(size_t jobs, size_t *bytes);

/* ---- Live queue ------------------------------------------------------------ */

/* A live queue of rigid jobs (each needs a fixed number of nodes), for a scheduler that
 * embeds it. It lives in the caller's work area. The caller numbers the jobs that are
 * present from 0 to max_jobs - 1. sgdsched_rigid_run uses this queue: equal events give
 * equal starts of jobs.
 *
 * CALLS, in their order:
 *   sgdsched_queue_open(...)                          once
 *   sgdsched_queue_advance(q, now_s)                  sets the time
 *   sgdsched_queue_submit(q, job, nodes, walltime_s)  when a job arrives
 *   sgdsched_queue_leave(q, job)                      when it has ended or is cancelled
 *   sgdsched_queue_decide(q, start, &starts)          at last: tells which jobs start now
 * The next decision is due at sgdsched_queue_next_s(q) at the latest.
 *
 * WALLTIMES. A walltime is the longest run time announced for a job. The caller decides
 * what happens to a job that reaches its walltime: the job ends, or gets more time. A job
 * that runs beyond its walltime is expected to end at any moment.
 *
 * RESERVATIONS under policy CONSERVATIVE. There each waiting job has a reservation: a
 * planned start. A job that runs beyond its walltime may make one impossible. The time of
 * a reservation may pass without a decision. In both cases the next decision makes the
 * reservations of all waiting jobs anew, in order of arrival.
 *
 * A function of the live queue that fails has changed nothing. */
typedef struct sgdsched_queue sgdsched_queue;

/* Opens an empty queue at time 0. `nodes` is the largest number of nodes that the cluster
 * will ever have. Time: O(max_jobs).
 *
 * MEMORY. The work area has 2 kB. Each of max_jobs jobs adds 60 bytes (policy EASY 84,
 * CONSERVATIVE 129). Each job that may run at the same time adds 4 bytes (EASY 47).
 * Fails with SGDSCHED_BAD_ARGUMENT (a pointer is NULL, `nodes` or max_jobs is 0, or the
 * policy does not exist), SGDSCHED_SMALL_WORKSPACE (work_bytes is too small) or
 * SGDSCHED_TOO_LARGE (max_jobs is 2^30 or more). */
SGDSCHED_API sgdsched_status sgdsched_queue_open(uint32_t nodes, sgdsched_queueing policy,
                                                 size_t max_jobs, void *work,
                                                 size_t work_bytes, sgdsched_queue **out);
SGDSCHED_API sgdsched_status sgdsched_queue_open_bytes(uint32_t nodes,
                                                       sgdsched_queueing policy,
                                                       size_t max_jobs, size_t *bytes);

/* Sets the time of the queue, in seconds. Time: O(1), or O(jobs / 32) if a reservation or
 * walltime passes. Fails with SGDSCHED_BAD_ARGUMENT (now_s is above 1e70, or below now_s
 * of the last call). */
SGDSCHED_API sgdsched_status sgdsched_queue_advance(sgdsched_queue *q, double now_s);

/* Tells the queue that a job arrives now. The job needs `nodes` nodes, at most those of
 * sgdsched_queue_open. It needs them for at most walltime_s seconds, 1e-70 to 1e70. Time:
 * O(log jobs); under policy EASY O(log^2 jobs) on average over all jobs; under
 * CONSERVATIVE O(1).
 * Fails with SGDSCHED_BAD_JOB (the job is present already) or SGDSCHED_BAD_ARGUMENT
 * (`job` is max_jobs or more, or nodes or walltime_s is out of range). */
SGDSCHED_API sgdsched_status sgdsched_queue_submit(sgdsched_queue *q, size_t job,
                                                   uint32_t nodes, double walltime_s);

/* Tells the queue that a running job has finished now, or that a job is cancelled. Time:
 * O(log jobs); under policies EASY and CONSERVATIVE O(jobs / 32); for a waiting job under
 * CONSERVATIVE O(jobs). Fails with SGDSCHED_BAD_JOB (the job is absent). */
SGDSCHED_API sgdsched_status sgdsched_queue_leave(sgdsched_queue *q, size_t job);

/* Changes the walltime of a job: the longest run time announced for it, in seconds. The
 * job keeps its place in the queue. Time: O(log jobs); policy EASY O(jobs / 32);
 * CONSERVATIVE at most O(jobs^2 / 32).
 *
 * RESERVATIONS under policy CONSERVATIVE. A waiting job whose walltime changes gets a new
 * reservation (planned start), made after all others. If the walltime of a running job
 * grows, all reservations are made anew. Fails with SGDSCHED_BAD_JOB (the job is absent)
 * or SGDSCHED_BAD_ARGUMENT (walltime_s is out of range). */
SGDSCHED_API sgdsched_status sgdsched_queue_set_walltime(sgdsched_queue *q, size_t job,
                                                         double walltime_s);

/* Sets the number of nodes of the cluster when nodes fail or return. The caller must
 * first end the jobs on failed nodes. A job that needs more than `nodes` nodes keeps its
 * place in the queue. It cannot start until it fits again.
 *
 * RESERVATIONS under policy CONSERVATIVE. With fewer nodes, all reservations (planned
 * starts) are made anew. With more nodes, reservations become earlier, as if a job had
 * ended early. Jobs that fit again get reservations behind all others.
 *
 * TIME. O(max_jobs), and for each waiting job O(jobs / 32), or O(jobs) if many do not
 * fit. Fails with SGDSCHED_BAD_ARGUMENT (fewer nodes than running jobs have, or more than
 * in sgdsched_queue_open). */
SGDSCHED_API sgdsched_status sgdsched_queue_set_nodes(sgdsched_queue *q, uint32_t nodes);

/* Makes a decision, and writes the numbers of the jobs that start now to start[]. The
 * caller provides room for max_jobs jobs, or for as many as the cluster has nodes,
 * whichever is smaller. *starts receives the number of jobs that start.
 * TIME. With q waiting jobs, each start takes O(log q); under policy EASY O(sqrt q + jobs
 * / 32). Under CONSERVATIVE a decision takes O(q), and O(q) more for each reservation
 * that is made. Fails with SGDSCHED_BAD_ARGUMENT (a pointer is NULL). */
SGDSCHED_API sgdsched_status sgdsched_queue_decide(sgdsched_queue *q, size_t *start,
                                                   size_t *starts);

/* Returns the time of the next reservation (planned start of a job), in seconds; a
 * decision is due then. If this time has passed, the result is the present time. If there
 * is no reservation, the result is infinite. Time: O(1).
 *
 * WHO NEEDS IT. Only users of the policy CONSERVATIVE need this call. Other policies
 * start jobs only when jobs arrive or end. */
SGDSCHED_API double sgdsched_queue_next_s(const sgdsched_queue *q);

/* Returns the time in seconds at which a running job started. For a waiting job the
 * result is the latest time at which the job will start. This assumes that jobs keep
 * their walltimes and no nodes fail. The result is infinite if this time is not known, or
 * if the job is absent. Time: O(1), under policy EASY O(jobs / 32).
 *
 * WAITING JOBS whose latest start is known: under policy CONSERVATIVE, all jobs after the
 * decision that follows their arrival. Under EASY, the first job in the queue. */
SGDSCHED_API double sgdsched_queue_start_s(sgdsched_queue *q, size_t job);

/* Number of nodes that no job has. */
SGDSCHED_API uint32_t sgdsched_queue_idle_nodes(const sgdsched_queue *q);

/* ---- Renting machines ------------------------------------------------------ */

/* Verdicts on renting a number of workers: whether the predicted time keeps the deadline,
 * or the predicted cost the budget. The time or cost is a value with an interval around
 * it. The verdict is YES if there is no deadline or budget. */
#define SGDSCHED_VERDICT_TABLE(X)                                                   \
    X(SGDSCHED_VERDICT_YES,      "yes")      /* the whole interval keeps the limit  */ \
    X(SGDSCHED_VERDICT_LIKELY,   "likely")   /* the value does, the high end not    */ \
    X(SGDSCHED_VERDICT_UNLIKELY, "unlikely") /* only the low end does               */ \
    X(SGDSCHED_VERDICT_NO,       "no")

#define SGDSCHED_X(name, text) name,
typedef enum sgdsched_verdict {
    SGDSCHED_VERDICT_TABLE(SGDSCHED_X) SGDSCHED_VERDICT_COUNT
} sgdsched_verdict;
#undef SGDSCHED_X

/* Word for a verdict, for example "likely"; "no such value" if the argument is out of
 * range. */
SGDSCHED_API const char *sgdsched_verdict_text(sgdsched_verdict verdict);

/* A choice: a number of machines of some kind, and the throughput of the job on them. */
typedef struct sgdsched_choice {
    uint32_t workers;          /* number of workers; the fewest of equal choices win  */
    double batches_per_s;      /* throughput X of all workers, > 0                    */
    double low, high;          /* band of the throughput: X (1 - low), or 0 if low >  */
                               /*   1, to X (1 + high); 0: no band                    */
    double price_per_s;        /* of all machines, in any currency; 0: free           */
    double batches;            /* mini-batches that it needs; 0: those of the goal    */
} sgdsched_choice;

/* The work to be done, as a number of mini-batches, and limits of its time and cost. */
typedef struct sgdsched_goal {
    double batches;            /* number of mini-batches, by all workers, > 0         */
    double deadline_s;         /* upper limit of the time, seconds; 0: none           */
    double budget;             /* upper limit of the cost; 0: none                    */
    double tolerance;          /* relative differences to ignore; default 0.01        */
} sgdsched_goal;

/* Time and cost of a choice, with the low and high ends of their intervals. If the
 * throughput may be 0, the high end of the time is infinite. If there is a price, the
 * high end of the cost then is infinite, too. */
typedef struct sgdsched_outlay {
    double time_s, time_low_s, time_high_s; /* time, seconds                          */
    double cost, cost_low, cost_high; /* cost, in the currency of prices              */
    sgdsched_verdict in_time, in_budget; /* are deadline and budget kept?             */
} sgdsched_outlay;

/* The rule by which sgdsched_advise recommends a choice. */
typedef enum sgdsched_advice_rule {
    SGDSCHED_RULE_BALANCED = 0, /* no deadline, no budget: least time x cost          */
    SGDSCHED_RULE_CHEAPEST,    /* least cost within the deadline, and budget if any   */
    SGDSCHED_RULE_FASTEST,     /* least time within the budget; no deadline           */
    SGDSCHED_RULE_NEAREST,     /* no choice keeps the limits: least excess            */
    SGDSCHED_RULE_KNEE         /* BALANCED would take the most workers; instead, the  */
                               /*   knee of throughput over price is taken            */
} sgdsched_advice_rule;

/* Advice on n choices. The fields hold indices of choices, from 0 to n - 1. The index n
 * means that no choice meets the condition. */
typedef struct sgdsched_advice {
    size_t    recommended;     /* choice to take, always below n                      */
    sgdsched_advice_rule rule; /* why this choice is recommended                      */
    size_t    cheapest;        /* within the deadline, whatever the budget            */
    size_t    fastest;         /* within the budget, whatever the deadline            */
    size_t    surest;          /* cheapest whose whole intervals keep the limits      */
    double    excess;          /* NEAREST: the larger one of time / deadline and cost */
                               /*   / budget, less 1; other rules: 0                  */
} sgdsched_advice;

/* Computes time and cost of each of n choices, and advises which choice to take:
 *   time = batches / batches_per_s
 *   cost = price_per_s * time
 * If a choice has its own number of batches, all rules use batches_per_s / batches in
 * place of the throughput. Time: O(n), no work area.
 *
 * LIMITS. A choice is within the deadline if its time is, and within the budget if its
 * cost is. The ends of the intervals do not count here: they count for the verdicts in
 * sgdsched_outlay. outlay[n] receives time and cost of each choice; outlay may be NULL.
 *
 * CHOICES written to *advice:
 *   cheapest     the least cost; in a tie the least time
 *   fastest      the least time; in a tie the least cost
 *   recommended  by the rule in advice->rule
 * Costs or times up to least * (1 + tolerance) are ties. If both tie, the choice with the
 * fewest workers wins, then the first one.
 *
 * RULE BALANCED, without deadline and budget, takes the choice with the least product of
 * time and cost. Square roots of products within `tolerance` tie. For workers at equal
 * prices this is the choice with the largest X^2 / K, for throughput X of K workers:
 * Kleinrock's power [K79].
 *
 * RULE KNEE. If BALANCED would take the choice with the most workers, the knee is taken.
 * In a plot of throughput over price_per_s, a line joins the choice with the least price
 * to the choice with the most workers. The knee is the choice highest above this line. If
 * its height is at most `tolerance` times the throughput with the most workers, there is
 * no knee, and BALANCED decides.
 *
 * Fails with SGDSCHED_BAD_ARGUMENT: a required pointer is NULL, n = 0, a choice has no
 * workers, the goal has no batches, a number is out of its domain, or a time or cost
 * overflows. */
SGDSCHED_API sgdsched_status sgdsched_advise(const sgdsched_choice *choice, size_t n,
                                             const sgdsched_goal *goal,
                                             sgdsched_outlay *outlay,
                                             sgdsched_advice *advice);

/* ---- Library --------------------------------------------------------------- */

/* Returns SGDPERF_SCHED_VERSION of the compiled implementation. A program that loads a
 * shared library can compare this number with the version of its own header.
 *
 * EXPORT. To export or import the functions, define SGDSCHED_API before every inclusion
 * of the header, as __attribute__((visibility("default"))) or __declspec(dllimport). */
SGDSCHED_API int sgdsched_version(void);

/* Returns the size in bytes of the public struct called `name` in the compiled
 * implementation, or 0 if no struct has this name. A binding that declares structs in
 * another language can compare this size with its own. */
SGDSCHED_API size_t sgdsched_struct_bytes(const char *name);

#define SGDSCHED_STRUCT_TABLE(X) \
    X(sgdsched_curve) X(sgdsched_job) X(sgdsched_policy_traits) X(sgdsched_rules) \
    X(sgdsched_jobs) X(sgdsched_change) X(sgdsched_arrival) X(sgdsched_job_kind) \
    X(sgdsched_departure) X(sgdsched_part) X(sgdsched_estimate) X(sgdsched_quits) \
    X(sgdsched_sharer) X(sgdsched_shared_link) \
    X(sgdsched_workload) X(sgdsched_stop) X(sgdsched_watch) X(sgdsched_cluster) \
    X(sgdsched_counts) X(sgdsched_response) X(sgdsched_part_report) \
    X(sgdsched_cluster_report) X(sgdsched_rigid_job) X(sgdsched_queueing_traits) \
    X(sgdsched_rigid) X(sgdsched_stay) X(sgdsched_rigid_report) X(sgdsched_spread) \
    X(sgdsched_stays) X(sgdsched_stay_report) X(sgdsched_choice) X(sgdsched_goal) \
    X(sgdsched_outlay) X(sgdsched_advice)

#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_SCHED_H */

#if defined(SGDPERF_SCHED_IMPLEMENTATION) && !defined(SGDPERF_SCHED_IMPLEMENTED)
#define SGDPERF_SCHED_IMPLEMENTED
/* ============================================================================
 *   IMPLEMENTATION
 *   Contents, in the order of the code: chapters, each with its parts
 *   Common block
 *   Random numbers
 *   Allocation        curves; limits; the state; jobs that wait; the order of the list; a
 *                     decision; filling [LPCG18, eq. 5]; once
 *   Live scheduler
 *   Cluster           statistics of a run; what is drawn; state; checks and layout;
 *                     arrivals; jobs that run; departures; decisions; run
 *   The best chunk
 *   Rigid jobs        the plan; heaps; trees of those that wait [Ben75, BS80]; state;
 *                     starts, ends, arrivals; decisions [MF01]; run; statistics
 *   Live queue
 *   Renting machines  [K79]
 * ==========================================================================*/

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

/* ---- Common block -----------------------------------------------------------------
 * These lines stand in each header, equal up to the prefix, so that each header works
 * alone. The functions are inline because not every header uses all of them. */

/* Text of an enumeration value; "no such value" if i is out of range. */
static inline const char *sgdsched_priv_text(const char *const *text, size_t count,
                                             size_t i)
{
    return i < count ? text[i] : "no such value";
}

SGDSCHED_API const char *sgdsched_status_text(sgdsched_status status)
{
#define SGDSCHED_X(name, text) text,
    static const char *const text[] = { SGDSCHED_STATUS_TABLE(SGDSCHED_X) };
#undef SGDSCHED_X
    return sgdsched_priv_text(text, SGDSCHED_STATUS_COUNT, (size_t)status);
}

SGDSCHED_API int sgdsched_version(void) { return SGDPERF_SCHED_VERSION; }

SGDSCHED_API size_t sgdsched_struct_bytes(const char *name)
{
#define SGDSCHED_X(type) { #type, sizeof(type) },
    static const struct { const char *name; size_t bytes; } known[] = {
        SGDSCHED_STRUCT_TABLE(SGDSCHED_X) };
#undef SGDSCHED_X
    size_t i;
    for (i = 0; name && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0) return known[i].bytes;
    return 0;
}

/* A time is finite and >= 0, a rate finite and > 0. NaN is neither, as it fails every
 * comparison. Ranges are tested because -ffast-math may take isfinite for true. */
static inline int sgdsched_priv_is_time(double x) { return x >= 0.0 && x <= DBL_MAX; }
static inline int sgdsched_priv_is_rate(double x) { return x > 0.0 && x <= DBL_MAX; }

/* True if a equals b. Written without ==, so that -Wfloat-equal finds mistakes. */
static inline int sgdsched_priv_same(double a, double b) { return a <= b && a >= b; }

/* Divides the caller's work area into arrays. With base NULL it only counts bytes, so one
 * routine both answers ..._bytes() and lays out the work area. */
typedef struct sgdsched_priv_arena {
    char  *base;
    size_t used;
    int    overflow;
} sgdsched_priv_arena;

static inline sgdsched_priv_arena sgdsched_priv_arena_at(void *base)
{
    sgdsched_priv_arena arena;
    arena.base = (char *)base;
    arena.used = 0;
    arena.overflow = 0;
    return arena;
}

#ifndef SGDSCHED_PRIV_TAKEN
#define SGDSCHED_PRIV_TAKEN(arena, at, bytes) ((void)0)  /* of tests/gaps.h */
#endif
/* Takes `count` elements of `size` bytes, aligned for double. NULL while counting. */
static inline void *sgdsched_priv_take(sgdsched_priv_arena *arena, size_t count,
                                       size_t size)
{
    const size_t limit = (size_t)-1 / sizeof(double) * sizeof(double), at = arena->used;
    SGDSCHED_ASSERT(size > 0 && at % sizeof(double) == 0);
    if (arena->overflow || count > (limit - at) / size) {
        arena->overflow = 1;
        return NULL;
    }
    arena->used = (at + count * size + sizeof(double) - 1) / sizeof(double);
    arena->used *= sizeof(double);
    SGDSCHED_PRIV_TAKEN(arena, at, count * size);
    return arena->base ? arena->base + at : NULL;
}

static inline double *sgdsched_priv_doubles(sgdsched_priv_arena *arena, size_t count)
{
    return (double *)sgdsched_priv_take(arena, count, sizeof(double));
}

/* Answers a ..._bytes() from an arena that has counted. */
static inline sgdsched_status sgdsched_priv_answer(const sgdsched_priv_arena *arena,
                                               size_t *bytes)
{
    if (!bytes) return SGDSCHED_BAD_ARGUMENT;
    if (arena->overflow) return SGDSCHED_TOO_LARGE;
    *bytes = arena->used;
    return SGDSCHED_OK;
}

/* Checks that the caller's work area is not NULL, is aligned, and is large enough. */
static inline sgdsched_status sgdsched_priv_check_work(const void *work,
                                                   size_t work_bytes, size_t need)
{
    if (need == 0) return SGDSCHED_OK;
    if (!work || (uintptr_t)work % sizeof(double) != 0) return SGDSCHED_BAD_ARGUMENT;
    return work_bytes < need ? SGDSCHED_SMALL_WORKSPACE : SGDSCHED_OK;
}

/* The mixing function of SplitMix64 [SLF14]: 64 random bits that depend only on x. */
static inline uint64_t sgdsched_priv_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* 64 random bits that depend only on (seed, a, b). There is no state: a draw does not
 * depend on the draws before it. */
static inline uint64_t sgdsched_priv_random(uint64_t seed, uint64_t a, uint64_t b)
{
    return sgdsched_priv_mix(sgdsched_priv_mix(sgdsched_priv_mix(seed) ^ a) ^ b);
}

/* Uniform in [0, 1): the upper 53 of the random bits. */
static inline double sgdsched_priv_uniform(uint64_t random)
{
    return (double)(random >> 11) / 9007199254740992.0;
}

/* Two-sided 95 % point of Student's t. Beyond the table: the expansion of Cornish and
 * Fisher in 1 / degrees [AS64, 26.7.5], with a relative error below 1e-7. */
static inline double sgdsched_priv_student95(uint64_t degrees)
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
    SGDSCHED_ASSERT(degrees >= 1);
    if (degrees <= sizeof table / sizeof table[0]) return table[degrees - 1];
    return x + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

/* Largest size of an element that sgdsched_priv_sort can sort, in bytes. */
#define SGDSCHED_PRIV_SORTED_BYTES 32

/* Tells whether element a comes before element b. */
typedef int (*sgdsched_priv_sort_order)(const void *ctx, const void *a, const void *b);

static inline void sgdsched_priv_swap(char *a, char *b, size_t size)
{
    char held[SGDSCHED_PRIV_SORTED_BYTES];
    memcpy(held, a, size);
    memcpy(a, b, size);
    memcpy(b, held, size);
}

/* Sinks element `at` to its place in the heap base[n]. The top of the heap is the
 * element that comes last in order. */
static inline void sgdsched_priv_sort_sink(char *base, size_t at, size_t n, size_t size,
                                           sgdsched_priv_sort_order before,
                                           const void *ctx)
{
    while (at < n / 2) {                   /* while `at` has a child */
        char *here = base + at * size, *child = base + (2 * at + 1) * size;
        if (2 * at + 2 < n && before(ctx, child, child + size)) child += size;
        if (!before(ctx, here, child)) return;
        sgdsched_priv_swap(here, child, size);
        at = (size_t)(child - base) / size;
    }
}

/* Heap sort in place: O(n log n) for every order of the input. qsort may call malloc. */
static inline void sgdsched_priv_sort(void *elements, size_t n, size_t size,
                                      sgdsched_priv_sort_order before,
                                      const void *ctx)
{
    char *base = (char *)elements;
    size_t i;
    SGDSCHED_ASSERT(size <= SGDSCHED_PRIV_SORTED_BYTES);
    for (i = 1; i < n; i++)
        if (before(ctx, base + i * size, base + (i - 1) * size)) break;
    if (i >= n) return;                    /* already in order, as logs often are */
    for (i = n / 2; i-- > 0;) sgdsched_priv_sort_sink(base, i, n, size, before, ctx);
    for (i = n; i-- > 1;) {
        sgdsched_priv_swap(base, base + i * size, size);
        sgdsched_priv_sort_sink(base, 0, i, size, before, ctx);
    }
}
/* ---- End of the Common block ------------------------------------------------------ */

/* ---- Random numbers -------------------------------------------------------- */

SGDSCHED_API uint64_t sgdsched_random(uint64_t seed, uint64_t a, uint64_t b)
{
    return sgdsched_priv_random(seed, a, b);
}

/* ---- Allocation: curves ---------------------------------------------------- */

/* How decisions are made fast.
 *
 * The best node count of a job depends only on its curve and on the nodes left, so it is
 * found once for each curve and budget. As long as the nodes left suffice for what any
 * job wants, the metric of a job does not depend on them: jobs are taken in the order of
 * their metric on an empty cluster. At the end of a decision, when fewer nodes are left,
 * metrics are found anew, but only for jobs that may be better than the best so far: on
 * fewer nodes a metric is at least a known part, `low`, of that on an empty cluster.
 *
 * Jobs that run or are new stand in one list, which stays sorted but for what changed
 * since the last decision. Jobs that wait, whose metrics do not change, stand in a heap
 * for each curve. The heads of these heaps stand in a heap in turn.
 *
 * Equal metrics must be found equal: metrics of short decimal or binary numbers compare
 * as rational numbers do. So a metric is the quotient of two products, rounded once.
 * Within a curve, whose jobs share a factor, products are compared. */

/* Throughputs and service times are in this range, so that every metric is a finite
 * double. Sizes beyond the range count as its ends. */
#define SGDSCHED_PRIV_LEAST 1e-70
#define SGDSCHED_PRIV_MOST  1e70

/* The longest time that a cluster runs. Up to it sums and squares of times are finite. */
#define SGDSCHED_PRIV_LONGEST_S (SGDSCHED_PRIV_MOST / SGDSCHED_PRIV_LEAST)

enum { SGDSCHED_PRIV_NONE = 0xffffffffu >> 1 };    /* no job, curve, or place         */

/* The numbers of a curve, of either kind. */
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

SGDSCHED_API const sgdsched_policy_traits *sgdsched_policy_about(sgdsched_policy policy)
{
#define SGDSCHED_X(name, word, family, wants, fills) \
    { word, SGDSCHED_##family, SGDSCHED_WANTS_##wants, SGDSCHED_FILLS_##fills },
    static const sgdsched_policy_traits row[] = { SGDSCHED_POLICY_TABLE(SGDSCHED_X) };
#undef SGDSCHED_X
    return (unsigned)policy < (unsigned)SGDSCHED_POLICY_COUNT ? row + policy : NULL;
}

/* The row of a valid policy. */
static sgdsched_policy_traits sgdsched_priv_traits(sgdsched_policy policy)
{
    const sgdsched_policy_traits *row = sgdsched_policy_about(policy);
    SGDSCHED_ASSERT(row != NULL);
    return *row;
}

/* Does what a job wants depend on its curve? */
static int sgdsched_priv_chooses(sgdsched_wants wants)
{
    return wants == SGDSCHED_WANTS_TRADE || wants == SGDSCHED_WANTS_KNEE;
}

static int sgdsched_priv_is_finite(double x) { return x >= -DBL_MAX && x <= DBL_MAX; }

/* Checks all of the rules but the number of nodes. */
static sgdsched_status sgdsched_priv_check_rules(const sgdsched_rules *rules)
{
    const sgdsched_policy_traits *row = sgdsched_policy_about(rules->policy);
    if (!row || row->family == SGDSCHED_QUEUES
        || !sgdsched_priv_is_finite(rules->alpha) ||
        !sgdsched_priv_is_finite(rules->alpha_low) ||
        !sgdsched_priv_is_finite(rules->alpha_high) ||
        !sgdsched_priv_is_time(rules->load) || !sgdsched_priv_is_time(rules->gamma))
        return SGDSCHED_BAD_ARGUMENT;
    return SGDSCHED_OK;
}

/* |alpha| of KNEE. */
static double sgdsched_priv_knee_threshold(const sgdsched_rules *rules)
{
    const double alpha = fabs(rules->alpha);
    double low = rules->alpha_low, high = rules->alpha_high;
    if (!rules->alpha_by_load ||
        sgdsched_priv_traits(rules->policy).family != SGDSCHED_MOLDABLE)
        return alpha > 0.0 ? alpha : 0.01;
    if (!(fabs(low) > 0.0) && !(fabs(high) > 0.0)) {
        low = 0.01;
        high = 0.07;
    }
    return fabs(low + rules->load * (high - low));
}

/* The part of S(w - 1) that the w-th node saves; 0 past the end of the table. One
 * rounding from exact, if the difference is exact. */
static double sgdsched_priv_gain(const sgdsched_priv_table *t, uint32_t w)
{
    double before, after;
    SGDSCHED_ASSERT(w >= 2);
    if (w > t->nodes) return 0.0;
    before = t->x[w - 2];
    after = t->x[w - 1];
    return t->is_service ? (before - after) / before : (after - before) / after;
}

/* The smallest w <= budget with gain(w) >= threshold > gain(w + 1); 0: none. */
static uint32_t sgdsched_priv_first_knee(const sgdsched_priv_table *t, double threshold,
                                         uint32_t budget)
{
    double next = sgdsched_priv_gain(t, 2);
    uint32_t w;
    for (w = 2; w <= budget && w <= t->nodes; w++) {
        const double gain = next;
        next = sgdsched_priv_gain(t, w + 1);
        if (gain >= threshold && next < threshold) return w;
    }
    return 0;
}

/* Is S(a) less than S(b)? */
static int sgdsched_priv_is_faster(const sgdsched_priv_table *t, uint32_t a, uint32_t b)
{
    const double x = t->x[a - 1], y = t->x[b - 1];
    return t->is_service ? x < y : y < x;
}

/* What a lone job wants of `budget` nodes. by_budget[b - 1], unless NULL: what it wants
 * of b nodes, for each b up to budget that the table has. */
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
    SGDSCHED_ASSERT(best >= 1 && best <= budget && best <= t->nodes);
    return best;
}

static uint32_t sgdsched_priv_choose_knee(const sgdsched_priv_table *t, double threshold,
                                          uint32_t budget, uint32_t *by_budget)
{
    const uint32_t knee = sgdsched_priv_first_knee(t, threshold, budget);
    uint32_t best = 1, choice = 1, w;
    for (w = 1; w <= budget && w <= t->nodes; w++) {
        if (sgdsched_priv_is_faster(t, w, best)) best = w;
        choice = knee > 0 && knee <= w ? knee : best;
        if (by_budget) by_budget[w - 1] = choice;
    }
    SGDSCHED_ASSERT(choice >= 1 && choice <= budget && choice <= t->nodes);
    return choice;
}

static uint32_t sgdsched_priv_choose(const sgdsched_rules *rules,
                                     const sgdsched_priv_table *t, uint32_t budget,
                                     uint32_t *by_budget)
{
    return sgdsched_priv_traits(rules->policy).wants == SGDSCHED_WANTS_TRADE
               ? sgdsched_priv_choose_hell(t, budget, by_budget)
               : sgdsched_priv_choose_knee(t, sgdsched_priv_knee_threshold(rules), budget,
                                           by_budget);
}

SGDSCHED_API sgdsched_status sgdsched_wanted_nodes(const sgdsched_rules *rules,
                                                   const sgdsched_curve *curve,
                                                   uint32_t budget, uint32_t *nodes)
{
    sgdsched_status status;
    sgdsched_priv_table t;
    if (!rules || !curve || !nodes || budget == 0) return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_check_rules(rules);
    if (status == SGDSCHED_OK &&
        !sgdsched_priv_chooses(sgdsched_priv_traits(rules->policy).wants))
        status = SGDSCHED_BAD_ARGUMENT;
    if (status == SGDSCHED_OK) status = sgdsched_priv_check_curve(curve);
    if (status != SGDSCHED_OK) return status;
    t = sgdsched_priv_table_of(curve);
    *nodes = sgdsched_priv_choose(rules, &t, budget, NULL);
    return SGDSCHED_OK;
}

/* ---- Allocation: limits ---------------------------------------------------- */

/* What a job may have: multiples of `gang` from `least` to `most`. */
typedef struct sgdsched_priv_limits {
    uint32_t least, most;
    uint32_t gang;                 /* 0: no limits                                    */
    double   low;                  /* as `low` of a curve, for this job               */
} sgdsched_priv_limits;

/* Finds the limits on `nodes` nodes and a curve of `rows` rows. Returns 0 if nothing is
 * allowed. */
static int sgdsched_priv_limits_of(uint32_t nodes, uint32_t rows, uint32_t min_nodes,
                                   uint32_t max_nodes, uint32_t gang_nodes,
                                   sgdsched_priv_limits *l)
{
    const uint32_t gang = gang_nodes > 0 ? gang_nodes : 1;
    const uint64_t gangs = ((uint64_t)(min_nodes > 0 ? min_nodes : 1) + gang - 1) / gang;
    const uint32_t most = max_nodes > 0 && max_nodes < nodes ? max_nodes : nodes;
    l->low = 1.0;
    l->most = most / gang * gang;
    if (gangs * gang > l->most || gangs * gang > rows) return 0;
    l->least = (uint32_t)gangs * gang;
    l->gang = gang == 1 && l->least == 1 && l->most == nodes ? 0 : gang;
    SGDSCHED_ASSERT(l->least >= 1 && l->least <= l->most && l->most <= nodes);
    return 1;
}

static int sgdsched_priv_is_allowed(const sgdsched_priv_limits *l, uint32_t w)
{
    return l->gang == 0 || (w >= l->least && w <= l->most && w % l->gang == 0);
}

/* S(w) or X(w). */
static double sgdsched_priv_number(const sgdsched_priv_table *t, uint32_t w)
{
    SGDSCHED_ASSERT(w >= 1);
    return t->x[(w < t->nodes ? w : t->nodes) - 1];
}

/* The part of S(w) that one more gang saves. */
static double sgdsched_priv_gang_gain(const sgdsched_priv_table *t,
                                      const sgdsched_priv_limits *l, uint32_t w)
{
    double before, after;
    if (w > l->most - l->gang) return 0.0;
    before = sgdsched_priv_number(t, w);
    after = sgdsched_priv_number(t, w + l->gang);
    return t->is_service ? (before - after) / before : (after - before) / after;
}

/* What HELL or KNEE wants for a job of at most `budget` nodes within its limits, else
 * as sgdsched_priv_choose; 0: nothing is allowed. Past the table only the first w is
 * tried. */
static uint32_t sgdsched_priv_choose_within(const sgdsched_rules *rules,
                                            const sgdsched_priv_table *t,
                                            const sgdsched_priv_limits *l,
                                            uint32_t budget)
{
    const int hell = sgdsched_priv_traits(rules->policy).wants == SGDSCHED_WANTS_TRADE;
    const double threshold = hell ? 0.0 : sgdsched_priv_knee_threshold(rules);
    const uint32_t gang = l->gang, top = budget < l->most ? budget : l->most;
    uint32_t best = l->least, w = best;
    double least = sgdsched_priv_number(t, w), nodes = (double)w;
    if (w > top) return 0;
    for (; w <= top && w - gang < t->nodes; w += gang) {
        const double x = sgdsched_priv_number(t, w), many = (double)w;
        const double a = hell ? x * x : x, b = hell ? least * least : least;
        const double by = hell ? many : 1.0, of = hell ? nodes : 1.0;
        if (t->is_service ? by * a < of * b : by * b < of * a) {
            best = w;
            nodes = many;
            least = x;
        }
        if (!hell && w > l->least &&
            sgdsched_priv_gang_gain(t, l, w - gang) >= threshold &&
            sgdsched_priv_gang_gain(t, l, w) < threshold)
            return w;
        if (w > UINT32_MAX - gang) break;
    }
    SGDSCHED_ASSERT(sgdsched_priv_is_allowed(l, best) && best <= budget);
    return best;
}

/* The least w' > w that is allowed and has S(w') < S(w); 0: none. */
static uint32_t sgdsched_priv_next_faster(const sgdsched_priv_table *t,
                                          const sgdsched_priv_limits *l, uint32_t w)
{
    const double here = sgdsched_priv_number(t, w);
    while (w < t->nodes && w <= l->most - l->gang) {
        double x;
        w += l->gang;
        x = sgdsched_priv_number(t, w);
        if (t->is_service ? x < here : x > here) return w;
    }
    return 0;
}

/* ---- Allocation: the state ------------------------------------------------- */

/* A curve, and the heap of the jobs on it that wait. Indices are w - 1. */
typedef struct sgdsched_priv_curve {
    sgdsched_priv_table table;     /* as far as the cluster has nodes                 */
    double   *copy;                /* its numbers, if copied; else NULL               */
    uint32_t *choice;              /* HELL, KNEE: what a job wants of w nodes         */
    uint32_t *after;               /* filling: the least w' with S(w') < S(w); 0: none*/
    uint32_t *run;                 /* filling: S falls with each node from w to this  */
    uint32_t given;                /* nodes of the curve as given                     */
    uint32_t want;                 /* what a job wants of an empty cluster            */
    double   low;                  /* least metric on fewer nodes, over that on want  */
    uint32_t top;                  /* the first job that waits                        */
    uint32_t head;                 /* place in heads                                  */
    uint64_t seen;                 /* the last search that came upon it                */
} sgdsched_priv_curve;

/* A job in the list. */
typedef struct sgdsched_priv_entry {
    double   metric;               /* on `want` nodes; jobs are taken in its order    */
    double   key;                  /* S(w) X(w): what is left, stretched by gamma     */
    uint64_t turn;                 /* order of arrival                                */
    uint32_t job, curve;           /* job NONE: it has left, want is the next hole    */
    uint32_t want;
    uint32_t nodes, before;        /* by this decision; by the one before             */
    uint32_t place;                /* of this entry, as the job knows it              */
} sgdsched_priv_entry;

/* The first of the jobs that wait on a curve. */
typedef struct sgdsched_priv_head {
    double   metric, key;
    uint64_t turn;
    uint32_t curve;
} sgdsched_priv_head;

/* A job, in the list or in the heap of its curve. That is a leftist heap: the way to a
 * missing child is nowhere shorter than along right children, `rank` of them [Knu98,
 * 5.2.3]. */
typedef struct sgdsched_priv_job {
    double   key, size;
    uint64_t turn;
    uint32_t curve, held, nodes;
    uint32_t place;                /* in the list, or NONE                            */
    uint32_t up, left, right, rank;
    int      present;
} sgdsched_priv_job;

struct sgdsched_live {
    sgdsched_rules   rules;
    sgdsched_policy_traits how;    /* the row of the policy                           */
    int              gamma_is_one;
    int              reshaped;     /* has a curve changed since the last decision?    */
    double           curves_low;   /* least `low` of the curves, at most 1            */
    uint32_t         curves_widest; /* largest `want` of the curves                   */
    double           low;          /* the same of curves and limits of jobs           */
    uint32_t         widest;
    uint32_t         limited;      /* number of jobs with limits                      */
    uint32_t         idle;
    uint32_t         hole;         /* first free entry of the list                    */
    uint64_t         turns;        /* number of jobs that have arrived                */
    uint64_t         searches;     /* number of searches so far                       */
    size_t           curves, max_jobs;
    sgdsched_priv_curve *curve;    /* [curves]                                        */
    sgdsched_priv_head  *heads;    /* [curves] heap                                   */
    uint32_t         head_count, waiting;
    sgdsched_priv_job   *job;      /* [max_jobs]; NULL: for a single decision         */
    sgdsched_priv_entry *list,
        *spare;                    /* [max_jobs]                                      */
    sgdsched_priv_limits *limits;  /* [max_jobs] of the jobs that are present         */
    uint32_t         count, total; /* entries in order; with those that stop waiting  */
    uint32_t        *reach;        /* filling: [max_jobs]                             */
};

static double sgdsched_priv_service_s(const sgdsched_priv_curve *c, double key,
                                      uint32_t w)
{
    const double x = c->table.x[(w < c->table.nodes ? w : c->table.nodes) - 1];
    SGDSCHED_ASSERT(w >= 1);
    return c->table.is_service ? key * x : key / x;
}

/* S(w), or S(w) / E(w) = w S(w)^2 / S(1). */
static double sgdsched_priv_metric(const sgdsched_live *s,
                                   const sgdsched_priv_curve *c, double key, uint32_t w)
{
    const double one = c->table.x[0];
    const double x = c->table.x[(w < c->table.nodes ? w : c->table.nodes) - 1];
    SGDSCHED_ASSERT(w >= 1 && w <= s->rules.nodes);
    if (s->how.wants != SGDSCHED_WANTS_TRADE) return sgdsched_priv_service_s(c, key, w);
    return c->table.is_service ? key * ((double)w * (x * x)) / one
                               : key * ((double)w * one) / (x * x);
}

static int sgdsched_priv_is_before(double metric, uint64_t turn, double than,
                                   uint64_t turn2)
{
    return metric < than || (metric <= than && turn < turn2);
}

/* J0^gamma J^(1-gamma), exact for a new job. */
static double sgdsched_priv_rank_key(const sgdsched_live *s, double size,
                                     double remaining)
{
    double key = remaining;
    if (s->gamma_is_one) key = size;
    else if (s->rules.gamma > 0.0) key *= pow(size / remaining, s->rules.gamma);
    if (!(key < SGDSCHED_PRIV_MOST)) return SGDSCHED_PRIV_MOST;
    return key > SGDSCHED_PRIV_LEAST ? key : SGDSCHED_PRIV_LEAST;
}

/* The limits of the job of an entry; NULL: it has none. */
static sgdsched_priv_limits *sgdsched_priv_limits_at(const sgdsched_live *s,
                                                     const sgdsched_priv_entry *e)
{
    return s->limited > 0 && s->limits[e->job].gang > 0 ? s->limits + e->job : NULL;
}

/* What a job with limits wants of at most `budget` nodes; 0: nothing is allowed. */
static uint32_t sgdsched_priv_want_within(const sgdsched_live *s,
                                          const sgdsched_priv_curve *c,
                                          const sgdsched_priv_limits *l, uint32_t budget)
{
    const uint32_t top = budget < l->most ? budget / l->gang * l->gang : l->most;
    if (sgdsched_priv_chooses(s->how.wants))
        return sgdsched_priv_choose_within(&s->rules, &c->table, l, budget);
    if (top < l->least) return 0;
    return s->how.wants == SGDSCHED_WANTS_ALL ? top : l->least;
}

static void sgdsched_priv_rank_entry(const sgdsched_live *s, sgdsched_priv_entry *e,
                                     uint32_t held)
{
    const sgdsched_priv_curve *c = s->curve + e->curve;
    sgdsched_priv_limits *l = sgdsched_priv_limits_at(s, e);
    e->want = c->want;
    if (l) e->want = sgdsched_priv_want_within(s, c, l, s->rules.nodes);
    if (held > 0 && s->how.family == SGDSCHED_MOLDABLE) e->want = held;
    if (l && s->how.family == SGDSCHED_MALLEABLE && s->how.wants == SGDSCHED_WANTS_KNEE &&
        e->want > l->least)
        l->low = sgdsched_priv_metric(
                     s, c, 1.0, sgdsched_priv_want_within(s, c, l, e->want - 1)) /
                 sgdsched_priv_metric(s, c, 1.0, e->want);
    e->metric = sgdsched_priv_metric(s, c, e->key, e->want);
    SGDSCHED_ASSERT(e->metric > 0.0 && e->metric <= DBL_MAX);
}

/* Finds what filling needs to know of a curve. */
static void sgdsched_priv_prepare_filling(sgdsched_priv_curve *c)
{
    uint32_t w;
    for (w = c->table.nodes; w > 0; w--) {         /* all w' > w are known            */
        uint32_t at = w < c->table.nodes ? w + 1 : 0;
        while (at > 0 && !sgdsched_priv_is_faster(&c->table, at, w))
            at = c->after[at - 1];
        c->after[w - 1] = at;
        c->run[w - 1] = at == w + 1 ? c->run[w] : w;
        SGDSCHED_ASSERT(at == 0 || (at > w && at <= c->table.nodes));
    }
}

static void sgdsched_priv_set_curve(sgdsched_live *s, sgdsched_priv_curve *c,
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
    c->want = s->how.wants == SGDSCHED_WANTS_ALL ? nodes : 1;
    if (sgdsched_priv_chooses(s->how.wants))
        c->want = sgdsched_priv_choose(&s->rules, &given, nodes, c->choice);
    /* A smaller budget gives a larger metric, but a first knee may be slower than what
     * comes before it. */
    c->low = 1.0;
    if (c->choice && c->want > 1)
        c->low = sgdsched_priv_metric(s, c, 1.0, c->choice[c->want - 2]) /
                 sgdsched_priv_metric(s, c, 1.0, c->want);
    SGDSCHED_ASSERT(c->want >= 1 && c->want <= nodes && c->low > 0.0);
    if (c->after) sgdsched_priv_prepare_filling(c);
}

/* Finds what depends on all curves. The factor allows for rounding, which differs with
 * node counts. */
static void sgdsched_priv_survey_curves(sgdsched_live *s)
{
    size_t i;
    s->curves_low = 1.0;
    s->curves_widest = 1;
    for (i = 0; i < s->curves; i++) {
        if (s->curve[i].low < s->curves_low) s->curves_low = s->curve[i].low;
        if (s->curve[i].want > s->curves_widest) s->curves_widest = s->curve[i].want;
    }
    s->curves_low *= 1.0 - 1e-12;
    SGDSCHED_ASSERT(s->curves_low > 0.0 && s->curves_low < 1.0 &&
                    s->curves_widest <= s->rules.nodes);
}

/* Finds what depends on all jobs of the list. */
static void sgdsched_priv_survey_limits(sgdsched_live *s)
{
    uint32_t i;
    s->low = s->curves_low;
    s->widest = s->curves_widest;
    for (i = 0; i < s->count && s->limited > 0; i++) {
        const sgdsched_priv_entry *e = s->list + i;
        const sgdsched_priv_limits *l = sgdsched_priv_limits_at(s, e);
        if (!l) continue;
        if (l->low * (1.0 - 1e-12) < s->low) s->low = l->low * (1.0 - 1e-12);
        if (e->want > s->widest) s->widest = e->want;
    }
    SGDSCHED_ASSERT(s->low > 0.0 && s->widest <= s->rules.nodes);
}

static sgdsched_status sgdsched_priv_check_shapes(const sgdsched_rules *rules,
                                                  const sgdsched_jobs *in)
{
    size_t i;
    if (!rules || !in || rules->nodes == 0 || (in->curves > 0 && !in->curve) ||
        (in->jobs > 0 && in->curves == 0))
        return SGDSCHED_BAD_ARGUMENT;
    if (in->curves >= SGDSCHED_PRIV_NONE || in->jobs >= SGDSCHED_PRIV_NONE)
        return SGDSCHED_TOO_LARGE;
    if (sgdsched_priv_check_rules(rules) != SGDSCHED_OK) return SGDSCHED_BAD_ARGUMENT;
    for (i = 0; i < in->curves; i++)
        if (sgdsched_priv_check_shape(in->curve + i) != SGDSCHED_OK)
            return SGDSCHED_BAD_ARGUMENT;
    return SGDSCHED_OK;
}

/* Lays out a scheduler with room for in->jobs jobs; `live`: with what outlasts a
 * decision. Returns NULL while counting. */
static sgdsched_live *sgdsched_priv_carve_live(sgdsched_priv_arena *arena,
                                               const sgdsched_rules *rules,
                                               const sgdsched_jobs *in, int live)
{
    const size_t curves = in->curves, jobs = in->jobs;
    const sgdsched_policy_traits how = sgdsched_priv_traits(rules->policy);
    const int chooses =
        how.family == SGDSCHED_MALLEABLE && sgdsched_priv_chooses(how.wants);
    const int fills = how.fills == SGDSCHED_FILLS_ALWAYS ||
                      (how.fills == SGDSCHED_FILLS_ASKED && rules->fill);
    sgdsched_live none, *s, *at;
    size_t i;
    memset(&none, 0, sizeof none);
    at = (sgdsched_live *)sgdsched_priv_take(arena, 1, sizeof *at);
    s = at ? at : &none;
    *s = none;
    s->rules = *rules;
    s->how = how;
    s->curves = curves;
    s->max_jobs = jobs;
    s->curve = (sgdsched_priv_curve *)sgdsched_priv_take(arena, curves, sizeof *s->curve);
    s->list = (sgdsched_priv_entry *)sgdsched_priv_take(arena, jobs, sizeof *s->list);
    s->spare = (sgdsched_priv_entry *)sgdsched_priv_take(arena, jobs, sizeof *s->spare);
    s->limits =
        (sgdsched_priv_limits *)sgdsched_priv_take(arena, jobs, sizeof *s->limits);
    if (fills) s->reach = (uint32_t *)sgdsched_priv_take(arena, jobs, sizeof *s->reach);
    if (live) {
        s->heads =
            (sgdsched_priv_head *)sgdsched_priv_take(arena, curves, sizeof *s->heads);
        s->job = (sgdsched_priv_job *)sgdsched_priv_take(arena, jobs, sizeof *s->job);
    }
    for (i = 0; i < curves; i++) {
        const size_t n = in->curve[i].nodes < rules->nodes
                             ? in->curve[i].nodes : rules->nodes;
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

static sgdsched_status sgdsched_priv_live_bytes(const sgdsched_rules *rules,
                                                const sgdsched_jobs *in, int live,
                                                size_t *bytes)
{
    sgdsched_priv_arena arena = sgdsched_priv_arena_at(NULL);
    const sgdsched_status status = sgdsched_priv_check_shapes(rules, in);
    if (status != SGDSCHED_OK) return status;
    (void)sgdsched_priv_carve_live(&arena, rules, in, live);
    return sgdsched_priv_answer(&arena, bytes);
}

/* Checks all but the jobs, lays out the scheduler and prepares the curves. */
static sgdsched_status sgdsched_priv_open_live(const sgdsched_rules *rules,
                                               const sgdsched_jobs *in, int live,
                                               void *work, size_t work_bytes,
                                               sgdsched_live **out)
{
    sgdsched_priv_arena arena = sgdsched_priv_arena_at(work);
    sgdsched_live *s;
    size_t bytes = 0, i;
    sgdsched_status status = sgdsched_priv_live_bytes(rules, in, live, &bytes);
    for (i = 0; status == SGDSCHED_OK && i < in->curves; i++)
        status = sgdsched_priv_check_curve(in->curve + i);
    if (status == SGDSCHED_OK)
        status = sgdsched_priv_check_work(work, work_bytes, bytes);
    if (status != SGDSCHED_OK) return status;
    s = sgdsched_priv_carve_live(&arena, rules, in, live);
    SGDSCHED_ASSERT(s && !arena.overflow && arena.used == bytes);
    s->gamma_is_one = rules->gamma >= 1.0 && rules->gamma <= 1.0;
    s->hole = SGDSCHED_PRIV_NONE;
    s->idle = rules->nodes;
    for (i = 0; i < in->curves; i++)
        sgdsched_priv_set_curve(s, s->curve + i, in->curve + i);
    sgdsched_priv_survey_curves(s);
    *out = s;
    return SGDSCHED_OK;
}

/* ---- Allocation: jobs that wait -------------------------------------------- */

static int sgdsched_priv_waits_before(const sgdsched_priv_job *a,
                                      const sgdsched_priv_job *b)
{
    return sgdsched_priv_is_before(a->key, a->turn, b->key, b->turn);
}

/* Corrects the rank of a job whose children have correct ranks. Has it changed? */
static int sgdsched_priv_mend_rank(sgdsched_priv_job *job, uint32_t at)
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
    SGDSCHED_ASSERT(j->right == SGDSCHED_PRIV_NONE ? rank == 1
                                                   : rank == job[j->right].rank + 1);
    return rank != was;
}

/* Melds two heaps, either of which may be empty: merges the ways along right children. */
static uint32_t sgdsched_priv_meld_heaps(sgdsched_priv_job *job, uint32_t a, uint32_t b)
{
    uint32_t root = SGDSCHED_PRIV_NONE, last = SGDSCHED_PRIV_NONE;
    while (a != SGDSCHED_PRIV_NONE || b != SGDSCHED_PRIV_NONE) {
        uint32_t first = a;
        if (a == SGDSCHED_PRIV_NONE ||
            (b != SGDSCHED_PRIV_NONE && sgdsched_priv_waits_before(job + b, job + a))) {
            first = b;
            b = a;
        }
        SGDSCHED_ASSERT(last == SGDSCHED_PRIV_NONE ||
                        sgdsched_priv_waits_before(job + last, job + first));
        job[first].up = last;
        if (last == SGDSCHED_PRIV_NONE) root = first;
        else job[last].right = first;
        if (b == SGDSCHED_PRIV_NONE) break;        /* the rest hangs there already    */
        last = first;
        a = job[first].right;
    }
    for (; last != SGDSCHED_PRIV_NONE; last = job[last].up)
        (void)sgdsched_priv_mend_rank(job, last);
    return root;
}

static void sgdsched_priv_set_head(sgdsched_live *s, uint32_t at,
                                   const sgdsched_priv_head *h)
{
    SGDSCHED_ASSERT(at < s->head_count && h->curve < s->curves);
    s->heads[at] = *h;
    s->curve[h->curve].head = at;
}

static int sgdsched_priv_head_leads(const sgdsched_priv_head *a,
                                    const sgdsched_priv_head *b)
{
    return sgdsched_priv_is_before(a->metric, a->turn, b->metric, b->turn);
}

/* Puts h where the heap has a gap. */
static void sgdsched_priv_place_head(sgdsched_live *s, uint32_t at,
                                     sgdsched_priv_head h)
{
    while (at > 0 && sgdsched_priv_head_leads(&h, s->heads + (at - 1) / 2)) {
        sgdsched_priv_set_head(s, at, s->heads + (at - 1) / 2);
        at = (at - 1) / 2;
    }
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= s->head_count) break;
        if (child + 1 < s->head_count &&
            sgdsched_priv_head_leads(s->heads + child + 1, s->heads + child)) child++;
        if (!sgdsched_priv_head_leads(s->heads + child, &h)) break;
        sgdsched_priv_set_head(s, at, s->heads + child);
        at = child;
    }
    sgdsched_priv_set_head(s, at, &h);
    SGDSCHED_ASSERT(at == 0 || !sgdsched_priv_head_leads(&h, s->heads + (at - 1) / 2));
}

/* To be called when the heap of a curve, or the curve, has changed. */
static void sgdsched_priv_renew_head(sgdsched_live *s, uint32_t curve)
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
    SGDSCHED_ASSERT(s->head_count <= s->curves && s->job[c->top].curve == curve);
    sgdsched_priv_place_head(s, at, h);
}

static void sgdsched_priv_start_waiting(sgdsched_live *s, uint32_t number)
{
    sgdsched_priv_job *j = s->job + number;
    sgdsched_priv_curve *c = s->curve + j->curve;
    SGDSCHED_ASSERT(j->present && j->nodes == 0 && s->waiting < s->max_jobs);
    j->place = j->up = j->left = j->right = SGDSCHED_PRIV_NONE;
    j->rank = 1;
    c->top = sgdsched_priv_meld_heaps(s->job, c->top, number);
    s->waiting++;
    if (c->top == number) sgdsched_priv_renew_head(s, j->curve);
}

static void sgdsched_priv_stop_waiting(sgdsched_live *s, uint32_t number)
{
    sgdsched_priv_job *j = s->job + number;
    sgdsched_priv_curve *c = s->curve + j->curve;
    const uint32_t up = j->up, rest = sgdsched_priv_meld_heaps(s->job, j->left, j->right);
    uint32_t at = up;
    SGDSCHED_ASSERT(s->waiting > 0 && j->place == SGDSCHED_PRIV_NONE);
    SGDSCHED_ASSERT(up == SGDSCHED_PRIV_NONE
                        ? c->top == number
                        : s->job[up].left == number || s->job[up].right == number);
    s->waiting--;
    if (rest != SGDSCHED_PRIV_NONE) s->job[rest].up = up;
    if (up == SGDSCHED_PRIV_NONE) {
        c->top = rest;
        sgdsched_priv_renew_head(s, j->curve);
        return;
    }
    if (s->job[up].left == number) s->job[up].left = rest;
    else s->job[up].right = rest;
    while (at != SGDSCHED_PRIV_NONE && sgdsched_priv_mend_rank(s->job, at))
        at = s->job[at].up;
}

/* ---- Allocation: the order of the list ------------------------------------- */

static int sgdsched_priv_entry_precedes(const sgdsched_priv_entry *a,
                                        const sgdsched_priv_entry *b)
{
    return sgdsched_priv_is_before(a->metric, a->turn, b->metric, b->turn);
}

/* Sorts from[count] by merging, with as much room in `other`. Returns the one of the two
 * that has the result. */
static sgdsched_priv_entry *sgdsched_priv_merge_sort(sgdsched_priv_entry *from,
                                                     sgdsched_priv_entry *other,
                                                     size_t count)
{
    size_t width, at;
    for (width = 1; width < count; width *= 2) {
        sgdsched_priv_entry *const to = other;
        for (at = 0; at < count; at += 2 * width) {
            const size_t middle = at + width;  /* beyond the end: there is one run    */
            const size_t end = count - at < 2 * width ? count : middle + width;
            size_t i = at, j = middle, k;
            for (k = at; k < end; k++) {
                const int second =
                    i == middle ||
                    (j < end && sgdsched_priv_entry_precedes(from + j, from + i));
                to[k] = second ? from[j++] : from[i++];
                SGDSCHED_ASSERT(k == at || !sgdsched_priv_entry_precedes(to + k,
                                                                         to + k - 1));
            }
        }
        other = from;
        from = to;
    }
    return from;
}

/* Sorts the list, in which few entries are usually out of place. Strays are taken out,
 * sorted, and merged in from the end. An entry that precedes the two before it is a
 * stray. If it precedes only the one before it, that one is the stray. */
static void sgdsched_priv_sort_list(sgdsched_live *s)
{
    sgdsched_priv_entry *const list = s->list, *stray = s->spare;
    uint32_t i, kept = 0, strays = 0;
    for (i = 0; i < s->count; i++) {
        sgdsched_priv_entry *e = list + i;
        if (e->job == SGDSCHED_PRIV_NONE) continue;
        e->nodes = 0;
        if (s->reshaped) sgdsched_priv_rank_entry(s, e, s->job[e->job].held);
        if (kept > 0 && sgdsched_priv_entry_precedes(e, list + kept - 1)) {
            if (kept > 1 && sgdsched_priv_entry_precedes(e, list + kept - 2)) {
                stray[strays++] = *e;
                continue;
            }
            stray[strays++] = list[--kept];
        }
        if (kept < i) list[kept] = *e;
        kept++;
        SGDSCHED_ASSERT(kept < 2 ||
                        !sgdsched_priv_entry_precedes(list + kept - 1, list + kept - 2));
    }
    SGDSCHED_ASSERT(kept + strays <= s->count);
    s->count = kept + strays;
    s->hole = SGDSCHED_PRIV_NONE;
    if (s->reshaped) sgdsched_priv_survey_curves(s);
    s->reshaped = 0;
    if (strays == 0) return;
    stray = sgdsched_priv_merge_sort(stray, list + kept, strays);
    if (stray != s->spare) memcpy(s->spare, stray, strays * sizeof *stray);
    stray = s->spare;
    for (i = s->count; strays > 0; i--) {
        const int from_list =
            kept > 0 && sgdsched_priv_entry_precedes(stray + strays - 1, list + kept - 1);
        list[i - 1] = from_list ? list[--kept] : stray[--strays];
        SGDSCHED_ASSERT(i == s->count ||
                        !sgdsched_priv_entry_precedes(list + i, list + i - 1));
    }
}

/* ---- Allocation: a decision ------------------------------------------------ */

/* The job of heads[at] stops waiting and is appended to the list. */
static void sgdsched_priv_take_head(sgdsched_live *s, uint32_t at, uint32_t nodes)
{
    const sgdsched_priv_head h = s->heads[at];
    sgdsched_priv_entry *e = s->list + s->total++;
    SGDSCHED_ASSERT(at < s->head_count && s->total <= s->max_jobs);
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

/* Is the next job one that waits, before entry `at` of the list or behind its end? */
static int sgdsched_priv_head_is_next(const sgdsched_live *s, uint32_t at)
{
    const sgdsched_priv_head *h = s->heads;
    if (s->head_count == 0) return 0;
    return at >= s->count ||
           sgdsched_priv_is_before(h->metric, h->turn, s->list[at].metric,
                                   s->list[at].turn);
}

/* The place after `at` in the heap of heads, depth first; `skip`: after all below `at`.
 * head_count: there is none. */
static uint32_t sgdsched_priv_next_head(const sgdsched_live *s, uint32_t at,
                                        int skip)
{
    if (!skip && 2 * at + 1 < s->head_count) return 2 * at + 1;
    SGDSCHED_ASSERT(at < s->head_count);
    while (at > 0 && (at % 2 == 0 || at + 1 == s->head_count)) at = (at - 1) / 2;
    return at == 0 ? s->head_count : at + 1;
}

/* A search for the job of least metric on at most `budget` nodes. */
typedef struct sgdsched_priv_search {
    uint32_t budget;
    double   metric;
    uint64_t turn;
    uint32_t at, nodes;            /* nodes 0: none found yet                         */
    int      is_head;
} sgdsched_priv_search;

/* What a job without limits wants of at most `budget` nodes on a curve. */
static uint32_t sgdsched_priv_choice(const sgdsched_priv_curve *c, uint32_t budget)
{
    const uint32_t b = budget < c->table.nodes ? budget : c->table.nodes;
    SGDSCHED_ASSERT(c->choice[b - 1] >= 1 && c->choice[b - 1] <= b);
    return c->choice[b - 1];
}

/* A job that would take `nodes` at `metric`. It is kept if it is the best so far. */
static void sgdsched_priv_search_try(sgdsched_priv_search *best,
                                     const sgdsched_priv_search *job)
{
    SGDSCHED_ASSERT(job->nodes >= 1 && job->nodes <= job->budget);
    if (best->nodes == 0 ||
        sgdsched_priv_is_before(job->metric, job->turn, best->metric, best->turn))
        *best = *job;
}

/* Searches the list from entry `from` on, and the heads. The metric of a job is at least
 * `low` times that on an empty cluster. This ends the way through the list, and the way
 * below a head. */
static sgdsched_priv_search sgdsched_priv_search_least(sgdsched_live *s, uint32_t from,
                                                       uint32_t budget)
{
    sgdsched_priv_search best, one;
    uint32_t i;
    memset(&best, 0, sizeof best);
    best.budget = budget;
    one = best;
    s->searches++;
    for (i = from; i < s->count; i++) {
        const sgdsched_priv_entry *e = s->list + i;
        sgdsched_priv_curve *c = s->curve + e->curve;
        const sgdsched_priv_limits *l = sgdsched_priv_limits_at(s, e);
        if (best.nodes > 0 && e->metric * s->low > best.metric) break;
        if (e->nodes > 0 || (!l && c->seen == s->searches)) continue;
        if (!l) c->seen = s->searches;             /* later jobs of it are no better  */
        if (!l) one.nodes = sgdsched_priv_choice(c, budget);
        else if (e->want <= budget) one.nodes = e->want;
        else one.nodes = sgdsched_priv_want_within(s, c, l, budget);
        if (one.nodes == 0) continue;
        one.metric = sgdsched_priv_metric(s, c, e->key, one.nodes);
        one.turn = e->turn;
        one.at = i;
        sgdsched_priv_search_try(&best, &one);
    }
    one.is_head = 1;
    for (i = 0; i < s->head_count;) {
        const sgdsched_priv_head *h = s->heads + i;
        const int skip = best.nodes > 0 && h->metric * s->low > best.metric;
        if (!skip) {
            one.nodes = sgdsched_priv_choice(s->curve + h->curve, budget);
            one.metric = sgdsched_priv_metric(s, s->curve + h->curve, h->key, one.nodes);
            one.turn = h->turn;
            one.at = i;
            sgdsched_priv_search_try(&best, &one);
        }
        i = sgdsched_priv_next_head(s, i, skip);
    }
    SGDSCHED_ASSERT(best.nodes <= budget);
    return best;
}

/* Takes jobs for HELL and KNEE when the nodes left do not suffice for all that a job may
 * want. Returns the nodes that no job takes. */
static uint32_t sgdsched_priv_take_rest(sgdsched_live *s, uint32_t from,
                                        uint32_t left)
{
    while (left > 0) {
        sgdsched_priv_search best;
        while (from < s->count && s->list[from].nodes > 0) from++;
        if (from == s->count && s->head_count == 0) break;
        best = sgdsched_priv_search_least(s, from, left);
        SGDSCHED_ASSERT(best.nodes <= left && (best.nodes > 0 || s->limited > 0));
        if (best.nodes == 0) break;
        left -= best.nodes;
        if (best.is_head) sgdsched_priv_take_head(s, best.at, best.nodes);
        else s->list[best.at].nodes = best.nodes;
    }
    return left;
}

/* The nodes that a job still gets if it grows by gangs until it has `level`. */
static uint32_t sgdsched_priv_growth(const sgdsched_live *s, const sgdsched_priv_entry *e,
                                     uint32_t level)
{
    const sgdsched_priv_limits *l = sgdsched_priv_limits_at(s, e);
    const uint32_t gang = l ? l->gang : 1, most = l ? l->most : s->rules.nodes;
    const uint32_t room = (most - e->nodes) / gang;
    uint32_t gangs;
    SGDSCHED_ASSERT(e->nodes <= most);
    if (e->nodes >= level) return 0;
    gangs = (level - e->nodes - 1) / gang + 1;
    return (gangs < room ? gangs : room) * gang;
}

/* Lets each job in turn grow to a level, if what it needs is left. */
static uint32_t sgdsched_priv_raise_to(sgdsched_live *s, const uint32_t *job,
                                       uint32_t count, uint32_t level, uint32_t left)
{
    uint32_t i;
    for (i = 0; i < count; i++) {
        sgdsched_priv_entry *e = s->list + job[i];
        const uint32_t more = sgdsched_priv_growth(s, e, level);
        if (more > left) continue;
        e->nodes += more;
        left -= more;
        SGDSCHED_ASSERT(e->nodes + left <= s->rules.nodes);
    }
    return left;
}

/* Gives gangs to the jobs with the fewest nodes first: all jobs grow to one level, the
 * highest for which `left` nodes suffice, and then some grow beyond it. */
static uint32_t sgdsched_priv_raise_shares(sgdsched_live *s, const uint32_t *job,
                                           uint32_t count, uint32_t left)
{
    uint32_t low = 0, high = s->rules.nodes, i;
    while (low < high) {
        const uint32_t level = high - (high - low) / 2;
        uint64_t need = 0;
        for (i = 0; i < count; i++)
            need += sgdsched_priv_growth(s, s->list + job[i], level);
        if (need <= left) low = level;
        else high = level - 1;
    }
    SGDSCHED_ASSERT(low == high);
    left = sgdsched_priv_raise_to(s, job, count, low, left);
    if (low == s->rules.nodes) return left;
    return sgdsched_priv_raise_to(s, job, count, low + 1, left);
}

/* Equal shares within limits: the jobs that have their least share what is left. When a
 * gang no longer fits, the jobs of such gangs are done, and the others go on. */
static uint32_t sgdsched_priv_share_rest(sgdsched_live *s, uint32_t left)
{
    uint32_t *job = (uint32_t *)(void *)s->spare, count = 0, head = s->count, kept, i;
    for (i = 0; i < s->count || head < s->total;) {    /* in order                    */
        const int waited = head < s->total &&
            (i == s->count || sgdsched_priv_entry_precedes(s->list + head, s->list + i));
        const uint32_t next = waited ? head++ : i++;
        if (s->list[next].nodes > 0) job[count++] = next;
    }
    SGDSCHED_ASSERT(head == s->total && count <= s->max_jobs);
    while (left > 0 && count > 0) {
        for (kept = i = 0; i < count; i++) {
            const sgdsched_priv_entry *e = s->list + job[i];
            const uint32_t gang = sgdsched_priv_growth(s, e, e->nodes + 1);
            if (gang > 0 && gang <= left) job[kept++] = job[i];
        }
        count = kept;
        left = sgdsched_priv_raise_shares(s, job, count, left);
    }
    return left;
}

/* The nodes for a job that is to have w: w if they are left. If not, what is left if the
 * job has no limits, the most allowed of that if it wants all nodes, else 0. */
static uint32_t sgdsched_priv_fit(const sgdsched_live *s, const sgdsched_priv_entry *e,
                                  uint32_t w, uint32_t left)
{
    const sgdsched_priv_limits *l = e ? sgdsched_priv_limits_at(s, e) : NULL;
    if (w <= left) return w;
    if (!l) return left;
    return s->how.wants == SGDSCHED_WANTS_ALL
         ? sgdsched_priv_want_within(s, s->curve + e->curve, l, left) : 0;
}

/* Takes malleable jobs in the order of metric, for an equal share, one node, or what they
 * want. */
static uint32_t sgdsched_priv_take_malleable(sgdsched_live *s)
{
    const int chooses = sgdsched_priv_chooses(s->how.wants);
    const int shares = s->how.wants == SGDSCHED_WANTS_SHARE;
    const size_t jobs = (size_t)s->count + s->waiting;
    uint32_t left = s->rules.nodes, share = 0, more = 0, from = 0;
    if (shares && jobs > 0 && s->limited == 0) {
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
        if (s->limited > 0)
            w = sgdsched_priv_fit(s, head ? NULL : s->list + from, w, left);
        SGDSCHED_ASSERT((w >= 1 || s->limited > 0) && w <= left);
        left -= w;
        if (head) sgdsched_priv_take_head(s, 0, w);
        else s->list[from++].nodes = w;
    }
    return shares && s->limited > 0 ? sgdsched_priv_share_rest(s, left) : left;
}

/* The first head that wants at most `left` nodes; NONE: no head does. */
static uint32_t sgdsched_priv_first_fit(const sgdsched_live *s, uint32_t left)
{
    uint32_t best = SGDSCHED_PRIV_NONE, i = 0;
    while (i < s->head_count) {
        const sgdsched_priv_head *h = s->heads + i;
        const int skip =
            best != SGDSCHED_PRIV_NONE && sgdsched_priv_head_leads(s->heads + best, h);
        const int fits = s->curve[h->curve].want <= left;
        if (!skip && fits) best = i;
        i = sgdsched_priv_next_head(s, i, skip || fits);
    }
    SGDSCHED_ASSERT(best == SGDSCHED_PRIV_NONE || best < s->head_count);
    return best;
}

/* Starts the moldable jobs that fit, in the order of their metric. Jobs on one curve that
 * have not started want equally many nodes, so only the first of them is looked at. */
static uint32_t sgdsched_priv_take_moldable(sgdsched_live *s)
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
            sgdsched_priv_take_head(s, fit, w);
            fit = 0;
        } else {
            if (from == s->count) return left;
            w = e->want <= left ? e->want : 0;
            if (w == 0 && s->rules.head_of_line) return left;
            e->nodes = w;
            from++;
        }
        SGDSCHED_ASSERT(w <= left);
        left -= w;
    }
    return left;
}

/* ---- Allocation: filling --------------------------------------------------- */

/* The least allowed w' with S(w') < S(w); 0: none. */
static uint32_t sgdsched_priv_next_reach(const sgdsched_priv_curve *c,
                                         const sgdsched_priv_limits *l, uint32_t w)
{
    return l ? sgdsched_priv_next_faster(&c->table, l, w) : c->after[w - 1];
}

/* Moves *reach on to the smallest node count above what the job has with S below m, if
 * that takes at most `limit` more nodes; 0: none. The counts passed over have S >= m, and
 * m only falls. */
static void sgdsched_priv_advance_reach(const sgdsched_live *s,
                                        const sgdsched_priv_entry *e, uint32_t *reach,
                                        double m, uint32_t limit)
{
    const sgdsched_priv_curve *c = s->curve + e->curve;
    const sgdsched_priv_limits *l = sgdsched_priv_limits_at(s, e);
    while (*reach > 0 && *reach - e->nodes <= limit &&
           !(sgdsched_priv_service_s(c, e->key, *reach) < m))
        *reach = sgdsched_priv_next_reach(c, l, *reach);
    SGDSCHED_ASSERT(*reach == 0 || *reach >= e->nodes);
}

/* Lets a job with w nodes go on by steps of at most `step`. Returns the nodes that it
 * then has. */
static uint32_t sgdsched_priv_fill_on(const sgdsched_priv_curve *c,
                                      const sgdsched_priv_limits *l, uint32_t w,
                                      uint32_t step, uint32_t *left)
{
    for (;;) {
        uint32_t to = sgdsched_priv_next_reach(c, l, w);
        if (to == 0 || to - w > step || to - w > *left) return w;
        if (!l && to == w + 1)
            to = c->run[w - 1] - w < *left ? c->run[w - 1] : w + *left;
        SGDSCHED_ASSERT(to > w && to - w <= *left);
        *left -= to - w;
        w = to;
    }
}

/* Gives out `left` nodes [LPCG18, eq. 5] to the jobs of the list that have some. HELL,
 * KNEE and WATERFILL leave no nodes over while a job without limits has none. Returns
 * what no job takes.
 *
 * The job that gets nodes has the least S from then on. Any other job would have needed
 * as many nodes, and now needs more. So the same job goes on as long as its steps do not
 * get longer. Only when they do, all jobs are looked at. */
static uint32_t sgdsched_priv_fill_nodes(sgdsched_live *s, uint32_t left)
{
    const uint32_t count = s->total;
    double m = DBL_MAX;
    uint32_t j;
    for (j = 0; j < count; j++) {
        const sgdsched_priv_entry *e = s->list + j;
        double time;
        s->reach[j] = e->nodes;
        if (e->nodes == 0) continue;
        time = sgdsched_priv_service_s(s->curve + e->curve, e->key, e->nodes);
        if (time < m) m = time;
    }
    while (left > 0) {
        uint32_t step = left, best = count;
        double least = m;
        sgdsched_priv_entry *e;
        const sgdsched_priv_curve *c;
        for (j = 0; j < count; j++) {
            double time;
            e = s->list + j;
            sgdsched_priv_advance_reach(s, e, s->reach + j, m, step);
            if (s->reach[j] == 0 || s->reach[j] - e->nodes > step) continue;
            time = sgdsched_priv_service_s(s->curve + e->curve, e->key, s->reach[j]);
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
        left -= step;
        e->nodes = sgdsched_priv_fill_on(c, sgdsched_priv_limits_at(s, e),
                                         e->nodes + step, step, &left);
        s->reach[best] = e->nodes;
        SGDSCHED_ASSERT(sgdsched_priv_service_s(c, e->key, e->nodes) < m);
        m = sgdsched_priv_service_s(c, e->key, e->nodes);
    }
    return left;
}

/* Decides for the list and the jobs that wait. Afterwards list[total] has all jobs that
 * were in the list or get nodes. Returns the idle nodes. */
static uint32_t sgdsched_priv_decide_nodes(sgdsched_live *s)
{
    uint32_t left;
    sgdsched_priv_sort_list(s);
    sgdsched_priv_survey_limits(s);
    s->total = s->count;
    left = s->how.family == SGDSCHED_MOLDABLE ? sgdsched_priv_take_moldable(s)
                                              : sgdsched_priv_take_malleable(s);
    if (left > 0 && s->reach && s->total > 0) left = sgdsched_priv_fill_nodes(s, left);
    SGDSCHED_ASSERT(left <= s->rules.nodes && s->total >= s->count);
    return left;
}

/* ---- Allocation: once ------------------------------------------------------ */

static int sgdsched_priv_is_good_job(const sgdsched_rules *rules, size_t curves,
                                     const sgdsched_job *job)
{
    return job->curve < curves && sgdsched_priv_is_rate(job->remaining) &&
           sgdsched_priv_is_time(job->size) && job->held <= rules->nodes &&
           (!(job->size > 0.0) || job->size >= job->remaining);
}

/* Takes the limits of a job that is valid otherwise. Returns 0 if they are not. */
static int sgdsched_priv_take_limits(const sgdsched_live *s, const sgdsched_job *job,
                                     sgdsched_priv_limits *l)
{
    return sgdsched_priv_limits_of(s->rules.nodes, s->curve[job->curve].given,
                                   job->min_nodes, job->max_nodes, job->gang_nodes, l) &&
           (job->held == 0 || sgdsched_priv_is_allowed(l, job->held));
}

SGDSCHED_API sgdsched_status sgdsched_allocate_bytes(const sgdsched_rules *rules,
                                                     const sgdsched_jobs *in,
                                                     size_t *bytes)
{
    if (!bytes) return SGDSCHED_BAD_ARGUMENT;
    return sgdsched_priv_live_bytes(rules, in, 0, bytes);
}

SGDSCHED_API sgdsched_status sgdsched_allocate(const sgdsched_rules *rules,
                                               const sgdsched_jobs *in, void *work,
                                               size_t work_bytes, uint32_t *nodes,
                                               uint32_t *idle)
{
    sgdsched_live *s = NULL;
    sgdsched_status status;
    uint32_t left;
    uint64_t given = 0;
    size_t i;
    if (!rules || !in || (in->jobs > 0 && (!in->job || !nodes)))
        return SGDSCHED_BAD_ARGUMENT;
    for (i = 0; i < in->jobs; i++)
        if (!sgdsched_priv_is_good_job(rules, in->curves, in->job + i))
            return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_open_live(rules, in, 0, work, work_bytes, &s);
    if (status != SGDSCHED_OK) return status;
    for (i = 0; i < in->jobs; i++) {
        if (!sgdsched_priv_take_limits(s, in->job + i, s->limits + i))
            return SGDSCHED_BAD_ARGUMENT;
        s->limited += s->limits[i].gang > 0;
    }
    for (i = 0; i < in->jobs; i++) {
        const sgdsched_job *job = in->job + i;
        const double size = job->size > 0.0 ? job->size : job->remaining;
        sgdsched_priv_entry *e = s->list + i;
        e->key = sgdsched_priv_rank_key(s, size, job->remaining);
        e->turn = i;
        e->job = (uint32_t)i;
        e->curve = (uint32_t)job->curve;
        e->nodes = e->before = 0;
        e->place = SGDSCHED_PRIV_NONE;
        sgdsched_priv_rank_entry(s, e, job->held);
    }
    s->count = (uint32_t)in->jobs;
    left = sgdsched_priv_decide_nodes(s);
    SGDSCHED_ASSERT(s->total == in->jobs);
    for (i = 0; i < s->total; i++) {
        nodes[s->list[i].job] = s->list[i].nodes;
        given += s->list[i].nodes;
    }
    SGDSCHED_ASSERT(given + left == rules->nodes);
    (void)given;                                   /* without assertions              */
    if (idle) *idle = left;
    return SGDSCHED_OK;
}

/* ---- Live scheduler -------------------------------------------------------- */

SGDSCHED_API sgdsched_status sgdsched_live_open_bytes(const sgdsched_rules *rules,
                                                      const sgdsched_jobs *room,
                                                      size_t *bytes)
{
    if (!bytes || (room && room->jobs == 0)) return SGDSCHED_BAD_ARGUMENT;
    return sgdsched_priv_live_bytes(rules, room, 1, bytes);
}

SGDSCHED_API sgdsched_status sgdsched_live_open(const sgdsched_rules *rules,
                                                const sgdsched_jobs *room, void *work,
                                                size_t work_bytes, sgdsched_live **out)
{
    sgdsched_live *s = NULL;
    sgdsched_status status;
    size_t i;
    if (!out || (room && room->jobs == 0)) return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_open_live(rules, room, 1, work, work_bytes, &s);
    if (status != SGDSCHED_OK) return status;
    for (i = 0; i < room->jobs; i++) {
        s->job[i].present = 0;
        s->job[i].nodes = 0;
    }
    *out = s;
    return SGDSCHED_OK;
}

/* A job joins the list, for the next decision. */
static void sgdsched_priv_enlist(sgdsched_live *s, uint32_t number)
{
    sgdsched_priv_job *j = s->job + number;
    sgdsched_priv_entry *e;
    j->place = s->hole;
    if (s->hole != SGDSCHED_PRIV_NONE) s->hole = s->list[s->hole].want;
    else j->place = s->count++;
    SGDSCHED_ASSERT(j->place < s->count && s->count <= s->max_jobs);
    e = s->list + j->place;
    e->key = j->key;
    e->turn = j->turn;
    e->job = number;
    e->curve = j->curve;
    e->nodes = e->before = j->nodes;
    e->place = j->place;
    sgdsched_priv_rank_entry(s, e, j->held);
}

SGDSCHED_API sgdsched_status sgdsched_live_submit(sgdsched_live *s, size_t job,
                                                  const sgdsched_job *description)
{
    sgdsched_priv_limits limits;
    sgdsched_priv_job *j;
    if (!s || !description || job >= s->max_jobs ||
        !sgdsched_priv_is_good_job(&s->rules, s->curves, description) ||
        !sgdsched_priv_take_limits(s, description, &limits))
        return SGDSCHED_BAD_ARGUMENT;
    j = s->job + job;
    if (j->present) return SGDSCHED_BAD_JOB;
    s->limits[job] = limits;
    s->limited += limits.gang > 0;
    j->present = 1;
    j->size = description->size > 0.0 ? description->size : description->remaining;
    j->key = sgdsched_priv_rank_key(s, j->size, description->remaining);
    j->turn = s->turns++;
    j->curve = (uint32_t)description->curve;
    j->held = description->held;
    SGDSCHED_ASSERT(j->nodes == 0);
    sgdsched_priv_enlist(s, (uint32_t)job);
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_live_progress(sgdsched_live *s, size_t job,
                                                    double remaining)
{
    sgdsched_priv_job *j;
    if (!s) return SGDSCHED_BAD_ARGUMENT;
    if (job >= s->max_jobs || !s->job[job].present) return SGDSCHED_BAD_JOB;
    j = s->job + job;
    if (!sgdsched_priv_is_rate(remaining) || remaining > j->size)
        return SGDSCHED_BAD_ARGUMENT;
    j->key = sgdsched_priv_rank_key(s, j->size, remaining);
    if (j->place == SGDSCHED_PRIV_NONE) {
        sgdsched_priv_stop_waiting(s, (uint32_t)job);
        sgdsched_priv_enlist(s, (uint32_t)job);
    } else {
        sgdsched_priv_entry *e = s->list + j->place;
        SGDSCHED_ASSERT(e->job == job && e->place == j->place);
        e->key = j->key;
        e->metric = sgdsched_priv_metric(s, s->curve + e->curve, e->key, e->want);
    }
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_live_leave(sgdsched_live *s, size_t job)
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
    SGDSCHED_ASSERT(j->nodes <= s->rules.nodes - s->idle);
    s->idle += j->nodes;
    s->limited -= s->limits[job].gang > 0;
    j->nodes = 0;
    j->present = 0;
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_live_set_curve(sgdsched_live *s, size_t curve,
                                                     const sgdsched_curve *estimate)
{
    sgdsched_status status;
    if (!s || !estimate || curve >= s->curves ||
        estimate->nodes != s->curve[curve].given)
        return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_check_curve(estimate);
    if (status != SGDSCHED_OK) return status;
    sgdsched_priv_set_curve(s, s->curve + curve, estimate);
    sgdsched_priv_renew_head(s, (uint32_t)curve);
    s->reshaped = 1;                               /* the list, at the next decision  */
    return SGDSCHED_OK;
}

/* Jobs that lose nodes come first, then by arrival. */
static int sgdsched_priv_change_before(const void *ctx, const void *a, const void *b)
{
    const sgdsched_live *s = (const sgdsched_live *)ctx;
    const sgdsched_change *x = (const sgdsched_change *)a;
    const sgdsched_change *y = (const sgdsched_change *)b;
    const int x_gains = x->nodes > x->before, y_gains = y->nodes > y->before;
    if (x_gains != y_gains) return y_gains;
    return s->job[x->job].turn < s->job[y->job].turn;
}

SGDSCHED_API sgdsched_status sgdsched_live_decide(sgdsched_live *s,
                                                  sgdsched_change *change,
                                                  size_t *changes)
{
    const int moldable = s && s->how.family == SGDSCHED_MOLDABLE;
    uint32_t i, count = 0;
    uint64_t given = 0;
    size_t changed = 0;
    if (!s || !change || !changes) return SGDSCHED_BAD_ARGUMENT;
    s->idle = sgdsched_priv_decide_nodes(s);
    for (i = 0; i < s->total; i++) {
        sgdsched_priv_entry *e = s->list + i;
        sgdsched_priv_job *j = s->job + e->job;    /* mostly not looked into          */
        given += e->nodes;
        if (e->nodes != e->before) {
            change[changed].job = e->job;
            change[changed].before = e->before;
            change[changed++].nodes = e->nodes;
            j->nodes = e->before = e->nodes;
        }
        if (e->nodes == 0) {
            if ((!moldable || j->held == 0) && !sgdsched_priv_limits_at(s, e)) {
                sgdsched_priv_start_waiting(s, e->job);
                continue;
            }
        } else if (moldable && j->held == 0) {
            j->held = e->nodes;
        }
        if (e->place != count) e->place = j->place = count;
        if (count < i) s->list[count] = *e;
        count++;
    }
    SGDSCHED_ASSERT(given + s->idle == s->rules.nodes);
    (void)given;                                   /* without assertions              */
    s->count = count;
    sgdsched_priv_sort(change, changed, sizeof *change, sgdsched_priv_change_before, s);
    *changes = changed;
    return SGDSCHED_OK;
}

SGDSCHED_API uint32_t sgdsched_live_job_nodes(const sgdsched_live *s, size_t job)
{
    return s && job < s->max_jobs ? s->job[job].nodes : 0;
}

SGDSCHED_API uint32_t sgdsched_live_idle_nodes(const sgdsched_live *s)
{
    return s ? s->idle : 0;
}

/* ---- Cluster: statistics of a run ------------------------------------------ */

/* Jobs are counted in batches of the same number of jobs. When there is no room for
 * another batch, neighbouring batches are merged, and that number doubles. So memory
 * stays the same however many jobs are served. Intervals come from the means of groups of
 * batches. The correlation of batches tells whether an interval can be trusted [LC79].
 *
 * Each group also has a histogram of the response times. Bins split an octave in equal
 * steps, not evenly on a logarithmic scale. So the leading bits of a double are the
 * number of its bin. */
enum {
    SGDSCHED_PRIV_GROUP   = 16,                 /* batches of a group               */
    SGDSCHED_PRIV_GROUPS  = 32,
    SGDSCHED_PRIV_BATCHES = SGDSCHED_PRIV_GROUP * SGDSCHED_PRIV_GROUPS,
    SGDSCHED_PRIV_OCTAVE  = 128,                /* bins of an octave                */
    SGDSCHED_PRIV_OCTAVES = 64,
    SGDSCHED_PRIV_LOWEST  = -24,                /* the first begins at 2^-24 s      */
    SGDSCHED_PRIV_BINS    = SGDSCHED_PRIV_OCTAVE * SGDSCHED_PRIV_OCTAVES,
    SGDSCHED_PRIV_JOBS_LOG2 = 36                /* 32 bits count the jobs of a bin      */
};

typedef enum sgdsched_priv_measure {
    SGDSCHED_PRIV_RESPONSE = 0, SGDSCHED_PRIV_SLOWDOWN, SGDSCHED_PRIV_MEASURES
} sgdsched_priv_measure;

typedef struct sgdsched_priv_batch {
    double sum[SGDSCHED_PRIV_MEASURES];
} sgdsched_priv_batch;

typedef struct sgdsched_priv_statistics {
    sgdsched_priv_batch *batch;    /* [BATCHES]                                     */
    uint32_t *histogram;           /* [GROUPS][BINS] numbers of jobs                */
    size_t    batches;             /* number of complete ones, less than BATCHES    */
    size_t    low, high;           /* bins in use, from low to high                 */
    uint64_t  batch_jobs, newest;  /* jobs of a complete batch; of the one begun    */
    uint64_t  jobs, cancelled;
    double    sum[SGDSCHED_PRIV_MEASURES];
    double    most_s;              /* the longest response time                     */
    double    fraction_s[SGDSCHED_FRACTIONS];
    uint64_t  fraction_jobs[SGDSCHED_FRACTIONS];
    double    begin_s;             /* of the time that counts, once it does         */
    int       counting;
    double    present_s, nodes_s;  /* integrals over this time: jobs, nodes in use  */
} sgdsched_priv_statistics;

static void sgdsched_priv_statistics_init(sgdsched_priv_statistics *s)
{
    memset(s->batch, 0, SGDSCHED_PRIV_BATCHES * sizeof *s->batch);
    memset(s->histogram, 0,
           (size_t)SGDSCHED_PRIV_GROUPS * SGDSCHED_PRIV_BINS * sizeof *s->histogram);
    s->batch_jobs = 1;
    s->low = SGDSCHED_PRIV_BINS - 1;
}

/* The bin of a time. The first bin also has all times below it, the last one all
 * above. */
static size_t sgdsched_priv_time_bin(double time_s)
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
    SGDSCHED_ASSERT(bin <= SGDSCHED_PRIV_BINS);
    return ldexp(1.0 + part, (int)octave + SGDSCHED_PRIV_LOWEST);
}

/* Merges neighbouring batches, which makes room for the same number again. */
static void sgdsched_priv_merge_batches(sgdsched_priv_statistics *s)
{
    const size_t width = s->high - s->low + 1;
    size_t i, k;
    SGDSCHED_ASSERT(s->batches == SGDSCHED_PRIV_BATCHES && s->low <= s->high &&
                    s->high < SGDSCHED_PRIV_BINS);
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

/* Counts a job that has left. Returns 1 if it completes a group. */
static int sgdsched_priv_count_job(sgdsched_priv_statistics *s, double response_s,
                                   double slowdown)
{
    const size_t bin = sgdsched_priv_time_bin(response_s);
    sgdsched_priv_batch *batch = s->batch + s->batches;
    SGDSCHED_ASSERT(s->batches < SGDSCHED_PRIV_BATCHES && s->newest < s->batch_jobs);
    SGDSCHED_ASSERT(s->jobs == s->batches * s->batch_jobs + s->newest);
    SGDSCHED_ASSERT(response_s >= 0.0 && slowdown >= 0.0 && slowdown <= DBL_MAX);
    batch->sum[SGDSCHED_PRIV_RESPONSE] += response_s;
    batch->sum[SGDSCHED_PRIV_SLOWDOWN] += slowdown;
    s->sum[SGDSCHED_PRIV_RESPONSE] += response_s;
    s->sum[SGDSCHED_PRIV_SLOWDOWN] += slowdown;
    s->histogram[s->batches / SGDSCHED_PRIV_GROUP * SGDSCHED_PRIV_BINS + bin]++;
    if (bin < s->low) s->low = bin;
    if (bin > s->high) s->high = bin;
    if (response_s > s->most_s) s->most_s = response_s;
    s->jobs++;
    if (++s->newest < s->batch_jobs) return 0;
    s->newest = 0;
    if (++s->batches == SGDSCHED_PRIV_BATCHES) sgdsched_priv_merge_batches(s);
    return s->batches % SGDSCHED_PRIV_GROUP == 0;
}

/* Half-width of the 95 % confidence interval of the mean of n observations. */
static double sgdsched_priv_half_width(const double *observed, size_t n)
{
    double mean = 0.0, squares = 0.0;
    size_t i;
    if (n < 2) return HUGE_VAL;
    SGDSCHED_ASSERT(n <= SGDSCHED_PRIV_GROUPS);
    for (i = 0; i < n; i++) mean += observed[i];
    mean /= (double)n;
    for (i = 0; i < n; i++) squares += (observed[i] - mean) * (observed[i] - mean);
    return sgdsched_priv_student95(n - 1) * sqrt(squares / ((double)n * (double)(n - 1)));
}

static sgdsched_estimate sgdsched_priv_mean_estimate(const sgdsched_priv_statistics *s,
                                                     sgdsched_priv_measure measure)
{
    const double jobs = (double)(s->batch_jobs * SGDSCHED_PRIV_GROUP);
    const size_t groups = s->batches / SGDSCHED_PRIV_GROUP;
    double mean[SGDSCHED_PRIV_GROUPS];
    sgdsched_estimate estimate;
    size_t i, k;
    SGDSCHED_ASSERT(groups < SGDSCHED_PRIV_GROUPS);
    for (i = 0; i < groups; i++) {
        mean[i] = 0.0;
        for (k = 0; k < SGDSCHED_PRIV_GROUP; k++)
            mean[i] += s->batch[i * SGDSCHED_PRIV_GROUP + k].sum[measure];
        mean[i] /= jobs;
    }
    estimate.value = s->jobs > 0 ? s->sum[measure] / (double)s->jobs : 0.0;
    estimate.half_width = sgdsched_priv_half_width(mean, groups);
    SGDSCHED_ASSERT(estimate.value >= 0.0 && estimate.value <= DBL_MAX);
    SGDSCHED_ASSERT(estimate.half_width >= 0.0);   /* not NaN                         */
    return estimate;
}

/* The correlation of the response times of a batch and the next. If it is at most 0.4,
 * groups of batches count as independent [LC79]. */
static double sgdsched_priv_batch_correlation(const sgdsched_priv_statistics *s)
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

/* Replaces the counts of each group by the counts of the bin and all bins below. */
static void sgdsched_priv_accumulate_histograms(sgdsched_priv_statistics *s)
{
    size_t i, k;
    for (i = 0; i < SGDSCHED_PRIV_GROUPS; i++) {
        uint32_t *count = s->histogram + i * SGDSCHED_PRIV_BINS;
        for (k = s->low + 1; k <= s->high; k++) count[k] += count[k - 1];
    }
}

/* The number of jobs of all groups in a bin or below, from accumulated counts. */
static double sgdsched_priv_jobs_below(const sgdsched_priv_statistics *s, size_t bin)
{
    uint64_t jobs = 0;
    size_t i;
    for (i = 0; i < SGDSCHED_PRIV_GROUPS; i++)
        jobs += s->histogram[i * SGDSCHED_PRIV_BINS + bin];
    return (double)jobs;
}

/* The time below which a part p of all jobs stays, 0 < p < 1. *bin: the first bin that,
 * with all below it, has that many jobs. *part: the part of that bin that is needed. */
static double sgdsched_priv_quantile_s(const sgdsched_priv_statistics *s, double p,
                                       size_t *bin, double *part)
{
    const double want = p * (double)s->jobs * (1.0 - 1e-12);   /* 0.07 * 700 is 49   */
    size_t low = s->low, high = s->high;
    double before, edge_s;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sgdsched_priv_jobs_below(s, middle) < want) low = middle + 1;
        else high = middle;
    }
    before = low > s->low ? sgdsched_priv_jobs_below(s, low - 1) : 0.0;
    *bin = low;
    *part = (want - before) / (sgdsched_priv_jobs_below(s, low) - before);
    SGDSCHED_ASSERT(*part >= 0.0 && *part <= 1.0);
    if (low == 0) return 0.0;                   /* the end bins have no bounds      */
    if (low == SGDSCHED_PRIV_BINS - 1) return HUGE_VAL;
    edge_s = sgdsched_priv_bin_edge(low);
    edge_s += *part * (sgdsched_priv_bin_edge(low + 1) - edge_s);
    return edge_s < s->most_s ? edge_s : s->most_s;
}

/* Estimates a quantile. The part of a group's jobs that stays below it has the mean p,
 * and over the groups an interval p - h .. p + h. The quantiles at the ends of that
 * interval are the ends of the quantile's interval; the farther one counts. So no density
 * needs to be estimated, and no quantile of a group, which is biased if few of its jobs
 * are beyond it. */
static sgdsched_estimate
sgdsched_priv_quantile_estimate(const sgdsched_priv_statistics *s, double p)
{
    const double jobs = (double)(s->batch_jobs * SGDSCHED_PRIV_GROUP);
    const size_t groups = s->batches / SGDSCHED_PRIV_GROUP;
    sgdsched_estimate estimate = { 0.0, HUGE_VAL };
    double observed[SGDSCHED_PRIV_GROUPS], part, h, above_s, below_s;
    size_t bin, i;
    if (s->jobs == 0) return estimate;
    estimate.value = sgdsched_priv_quantile_s(s, p, &bin, &part);
    if (!(estimate.value <= DBL_MAX)) return estimate;
    for (i = 0; i < groups; i++) {
        const uint32_t *count = s->histogram + i * SGDSCHED_PRIV_BINS + bin;
        const double before = bin > s->low ? (double)count[-1] : 0.0;
        observed[i] = (before + part * ((double)count[0] - before)) / jobs;
    }
    h = sgdsched_priv_half_width(observed, groups);
    if (!(p - h > 0.0 && p + h < 1.0)) return estimate;
    above_s = sgdsched_priv_quantile_s(s, p + h, &bin, &part) - estimate.value;
    below_s = estimate.value - sgdsched_priv_quantile_s(s, p - h, &bin, &part);
    estimate.half_width = above_s > below_s ? above_s : below_s;
    SGDSCHED_ASSERT(above_s >= 0.0 && below_s >= 0.0);
    return estimate;
}

/* ---- Cluster: what is drawn ------------------------------------------------ */

/* What a job draws. A size takes two numbers, and two more whenever it is redrawn. */
typedef enum sgdsched_priv_draw {
    SGDSCHED_PRIV_DRAW_GAP = 0,
    SGDSCHED_PRIV_DRAW_KIND,
    SGDSCHED_PRIV_DRAW_QUIT,
    SGDSCHED_PRIV_DRAW_SIZE
} sgdsched_priv_draw;

/* A standard normal number, by the transformation of Box and Muller. */
static double sgdsched_priv_draw_normal(uint64_t seed, uint64_t job, uint64_t draw)
{
    const double turn = 6.283185307179586;
    const double u = sgdsched_priv_uniform(sgdsched_random(seed, job, draw));
    const double v = sgdsched_priv_uniform(sgdsched_random(seed, job, draw + 1));
    return sqrt(-2.0 * log(1.0 - u)) * cos(turn * v);
}

static double sgdsched_priv_draw_size(const sgdsched_job_kind *kind, uint64_t seed,
                                      uint64_t job)
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
        return mean * exp(sqrt(spread) * sgdsched_priv_draw_normal(seed, job, draw)
                          - 0.5 * spread);
    case SGDSCHED_NORMAL:
    default:
        if (!(deviation > 0.0)) return mean;
        do {                       /* each is > 0 with chance 1/2 at least          */
            size = mean + deviation * sgdsched_priv_draw_normal(seed, job, draw);
            draw += 2;
        } while (!(size > 0.0));
        return size;
    }
}

/* X(w). On more nodes than the curve has, that on its last. */
static double sgdsched_priv_throughput(const sgdsched_curve *curve, uint32_t w)
{
    const uint32_t i = (w < curve->nodes ? w : curve->nodes) - 1;
    SGDSCHED_ASSERT(w >= 1);
    if (curve->throughput_per_s) return curve->throughput_per_s[i];
    return 1.0 / curve->service_s[i];
}

/* ---- Cluster: state -------------------------------------------------------- */

/* A job that is present. It keeps its slot, which is its number for the scheduler, until
 * it leaves. */
typedef struct sgdsched_priv_present {
    uint64_t number;               /* in order of arrival                           */
    double   arrival_s, size;
    double   remaining;            /* what was left when its nodes changed last     */
    double   last;                 /* what is left when it leaves: 0, or what its   */
                                   /*   user gives up                               */
    size_t   curve;
    double   peak_per_s;           /* greatest X(w) of those w that it may have     */
    size_t   place;                /* in `running`                                  */
    size_t   next;                 /* JSQ: the job behind it in the queue           */
    size_t   chunk;                /* JSQ: the chunk where it queues                */
    size_t   fractions;            /* number of those that it has passed            */
    int      started;
    double   fraction_s[SGDSCHED_FRACTIONS];
} sgdsched_priv_present;

/* A job that runs. Its throughput does not change between two decisions that change its
 * nodes, so it need not be looked at in between. */
typedef struct sgdsched_priv_running {
    double end_s;
    double since_s, remaining;     /* remaining: what was left at since_s           */
    double throughput_per_s;
    size_t slot;
    uint32_t nodes;
} sgdsched_priv_running;

/* A chunk of JSQ: its jobs, waiting and in service, from first to last. */
typedef struct sgdsched_priv_chunk { size_t jobs, first, last; } sgdsched_priv_chunk;

typedef struct sgdsched_priv_cluster {
    const sgdsched_cluster *in;    /* ... and its fields with their defaults:       */
    double   precision;
    uint64_t warmup_jobs, min_jobs, max_jobs;
    size_t   max_present;

    double   arrivals_per_s;       /* of generated jobs                             */
    double  *weight;               /* [kinds] of this kind and those before         */
    double  *peak_per_s;           /* [curves] greatest X(w)                        */

    double   now_s;
    sgdsched_arrival next;         /* the next arrival, if there are more           */
    sgdsched_priv_limits next_limits;
    int      more;
    uint64_t arrived, departed, decisions;
    int      stopped;
    sgdsched_cluster_outcome outcome;

    sgdsched_priv_present *job;    /* [max_present]                                 */
    size_t  *empty;                /* [max_present] slots; the last one is taken    */
                                   /*   next                                        */
    size_t   present;
    sgdsched_priv_running *running; /* [W at most]                                   */
    sgdsched_sharer *sharer;       /* [W at most] NULL: no sharing rule             */
    size_t   runs, first;          /* first: the first to end                       */
    uint32_t idle;

    sgdsched_change *change;       /* [max_present]                                 */
    void    *scheduler_work;
    size_t   scheduler_bytes;
    sgdsched_live *scheduler;      /* NULL: JSQ                                     */
    sgdsched_priv_chunk *chunk;    /* [chunks]                                      */
    size_t   chunks;
    size_t  *start;                /* [starts] chunks whose first job is to start   */
    size_t   starts;

    sgdsched_priv_statistics statistics;
    sgdsched_priv_statistics *part; /* [parts] of their times, not of responses      */
    double  *part_s;               /* [max_present][parts] -1: not come so far, or  */
                                   /*   of another curve                            */
} sgdsched_priv_cluster;

/* ---- Cluster: checks and layout -------------------------------------------- */

/* Has the policy queues in place of a scheduler? */
static int sgdsched_priv_has_queues(const sgdsched_cluster *in)
{
    const sgdsched_policy_traits *row = sgdsched_policy_about(in->rules.policy);
    return row && row->family == SGDSCHED_QUEUES;
}

/* Can jobs with these limits run, on a curve that exists? */
static int sgdsched_priv_limits_are_good(const sgdsched_cluster *in, size_t curve,
                                         uint32_t min_nodes, uint32_t max_nodes,
                                         uint32_t gang_nodes, sgdsched_priv_limits *l)
{
    return sgdsched_priv_limits_of(in->rules.nodes, in->curve[curve].nodes, min_nodes,
                                   max_nodes, gang_nodes, l) &&
           (!sgdsched_priv_has_queues(in) || sgdsched_priv_is_allowed(l, in->chunk));
}

static int sgdsched_priv_kinds_are_good(const sgdsched_cluster *in)
{
    sgdsched_priv_limits l;
    size_t i;
    for (i = 0; i < in->workload.kinds; i++) {
        const sgdsched_job_kind *kind = in->workload.kind + i;
        if (kind->curve >= in->curves || !sgdsched_priv_is_rate(kind->weight)
            || !sgdsched_priv_is_rate(kind->size_mean)
            || !sgdsched_priv_is_time(kind->size_deviation)
            || (unsigned)kind->law > (unsigned)SGDSCHED_LOGNORMAL
            || !sgdsched_priv_limits_are_good(in, kind->curve, kind->min_nodes,
                                              kind->max_nodes, kind->gang_nodes, &l))
            return 0;
    }
    return 1;
}

static int sgdsched_priv_quits_are_good(const sgdsched_quits *quits)
{
    double sum = 0.0;
    size_t i;
    if (quits->count > 0 && (!quits->fraction || !quits->probability)) return 0;
    for (i = 0; i < quits->count; i++) {
        if (!(quits->fraction[i] > 0.0 && quits->fraction[i] < 1.0)
            || !(quits->probability[i] >= 0.0))
            return 0;
        sum += quits->probability[i];
    }
    return sum <= 1.0 + 1e-12;
}

static int sgdsched_priv_parts_are_good(const sgdsched_cluster *in)
{
    size_t i;
    if (in->parts > 0 && !in->part) return 0;
    for (i = 0; i < in->parts; i++)
        if (!(in->part[i].fraction > 0.0 && in->part[i].fraction <= 1.0)
            || (in->part[i].curve >= in->curves && in->part[i].curve != (size_t)-1))
            return 0;
    return 1;
}

/* The load of generated arrivals. */
static double sgdsched_priv_generated_load(const sgdsched_cluster *in)
{
    return in->workload.load > 0.0 ? in->workload.load : in->rules.load;
}

/* Checks all but rules and curves, which the scheduler checks. */
static int sgdsched_priv_cluster_is_good(const sgdsched_cluster *in)
{
    const sgdsched_workload *jobs = &in->workload;
    if (!in->curve || in->curves == 0 || in->rules.nodes == 0) return 0;
    if (jobs->source ? jobs->kind != NULL : !jobs->kind || jobs->kinds == 0) return 0;
    if (!jobs->source && !(sgdsched_priv_is_time(jobs->load) &&
                           sgdsched_priv_is_rate(sgdsched_priv_generated_load(in))))
        return 0;
    if (!sgdsched_priv_is_time(in->stop.precision) ||
        !sgdsched_priv_is_time(in->restart_s))
        return 0;
    return (jobs->source || sgdsched_priv_kinds_are_good(in)) &&
           sgdsched_priv_quits_are_good(&jobs->quits) && sgdsched_priv_parts_are_good(in);
}

/* Checks what else the scheduler would, which JSQ does not have. */
static sgdsched_status sgdsched_priv_check_jsq(const sgdsched_cluster *in)
{
    sgdsched_status status = SGDSCHED_OK;
    size_t i;
    if (in->chunk == 0 || in->chunk > in->rules.nodes) return SGDSCHED_BAD_ARGUMENT;
    for (i = 0; i < in->curves && status == SGDSCHED_OK; i++)
        status = sgdsched_priv_check_curve(in->curve + i);
    return status;
}

static void sgdsched_priv_carve_statistics(sgdsched_priv_arena *arena,
                                           sgdsched_priv_statistics *s)
{
    s->batch = (sgdsched_priv_batch *)sgdsched_priv_take(arena, SGDSCHED_PRIV_BATCHES,
                                                         sizeof *s->batch);
    s->histogram = (uint32_t *)sgdsched_priv_take(
        arena, (size_t)SGDSCHED_PRIV_GROUPS * SGDSCHED_PRIV_BINS, sizeof(uint32_t));
}

/* Lays out the times at which parts of jobs are done. While counting, there is no room
 * yet. */
static void sgdsched_priv_carve_parts(sgdsched_priv_cluster *c,
                                      sgdsched_priv_arena *arena)
{
    const size_t parts = c->in->parts;
    sgdsched_priv_statistics unused;
    size_t i;
    if (parts == 0) return;
    c->part = (sgdsched_priv_statistics *)sgdsched_priv_take(arena, parts,
                                                             sizeof *c->part);
    c->part_s = (double *)sgdsched_priv_take(arena, c->max_present,
                                             parts * sizeof *c->part_s);
    if (c->part) memset(c->part, 0, parts * sizeof *c->part);
    for (i = 0; i < parts && !arena->overflow; i++)
        sgdsched_priv_carve_statistics(arena, c->part ? c->part + i : &unused);
}

/* What the scheduler is to have room for. */
static sgdsched_jobs sgdsched_priv_room(const sgdsched_priv_cluster *c)
{
    sgdsched_jobs room;
    room.curve = c->in->curve;
    room.curves = c->in->curves;
    room.job = NULL;
    room.jobs = c->max_present;
    return room;
}

/* Lays out the jobs that run: as many as there are nodes, or jobs. */
static void sgdsched_priv_carve_running(sgdsched_priv_cluster *c,
                                        sgdsched_priv_arena *arena)
{
    size_t most = (size_t)c->in->rules.nodes;
    if (most > c->max_present) most = c->max_present;
    c->running =
        (sgdsched_priv_running *)sgdsched_priv_take(arena, most, sizeof *c->running);
    if (!c->in->workload.sharing) return;
    c->sharer = (sgdsched_sharer *)sgdsched_priv_take(arena, most, sizeof *c->sharer);
}

/* Checks, applies the defaults, and lays out (or counts) the work. */
static sgdsched_status sgdsched_priv_carve_cluster(const sgdsched_cluster *in,
                                                   sgdsched_priv_arena *arena,
                                                   sgdsched_priv_cluster *c)
{
    const size_t size_max = (size_t)-1;
    sgdsched_status status = SGDSCHED_OK;
    size_t nodes;
    memset(c, 0, sizeof *c);
    if (!in || !sgdsched_priv_cluster_is_good(in)) return SGDSCHED_BAD_ARGUMENT;
    c->in = in;
    nodes = (size_t)in->rules.nodes;
    if (in->stop.max_present == 0 && nodes > size_max / 10) return SGDSCHED_TOO_LARGE;
    c->max_present = nodes < 10 ? 1000 : 10 * nodes;
    if (in->stop.max_present > 0) c->max_present = in->stop.max_present;
    c->precision = in->stop.precision > 0.0 ? in->stop.precision : 0.05;
    c->warmup_jobs = in->stop.warmup_jobs;
    if (c->warmup_jobs == 0 && !in->workload.source) c->warmup_jobs = 1000;
    c->min_jobs = in->stop.min_jobs > 0 ? in->stop.min_jobs : 10000;
    c->max_jobs = in->stop.max_jobs > 0 ? in->stop.max_jobs : 1000000;
    if (!in->workload.source && c->max_jobs >> SGDSCHED_PRIV_JOBS_LOG2)
        return SGDSCHED_TOO_LARGE;
    if (sgdsched_priv_has_queues(in)) {
        status = sgdsched_priv_check_jsq(in);
        if (status != SGDSCHED_OK) return status;
        c->chunks = nodes / in->chunk;
        c->chunk =
            (sgdsched_priv_chunk *)sgdsched_priv_take(arena, c->chunks, sizeof *c->chunk);
        c->start = (size_t *)sgdsched_priv_take(arena, c->chunks, sizeof *c->start);
    } else {
        const sgdsched_jobs room = sgdsched_priv_room(c);
        status = sgdsched_live_open_bytes(&in->rules, &room, &c->scheduler_bytes);
        c->scheduler_work = sgdsched_priv_take(arena, c->scheduler_bytes, 1);
    }
    if (status != SGDSCHED_OK) return status;
    c->weight =
        (double *)sgdsched_priv_take(arena, in->workload.kinds, sizeof *c->weight);
    c->peak_per_s =
        (double *)sgdsched_priv_take(arena, in->curves, sizeof *c->peak_per_s);
    c->job = (sgdsched_priv_present *)sgdsched_priv_take(arena, c->max_present,
                                                         sizeof *c->job);
    c->empty = (size_t *)sgdsched_priv_take(arena, c->max_present, sizeof *c->empty);
    c->change = (sgdsched_change *)sgdsched_priv_take(arena, c->max_present,
                                                      sizeof *c->change);
    sgdsched_priv_carve_running(c, arena);
    sgdsched_priv_carve_statistics(arena, &c->statistics);
    sgdsched_priv_carve_parts(c, arena);
    return arena->overflow ? SGDSCHED_TOO_LARGE : SGDSCHED_OK;
}

/* ---- Cluster: arrivals ----------------------------------------------------- */

/* Finds cumulated weights of kinds, and the rate that makes the load
 * lambda E[S(1)] / W. */
static sgdsched_status sgdsched_priv_prepare_kinds(sgdsched_priv_cluster *c)
{
    const sgdsched_cluster *in = c->in;
    double service_s = 0.0, sum = 0.0;
    size_t i;
    for (i = 0; i < in->workload.kinds; i++) {
        const sgdsched_job_kind *kind = in->workload.kind + i;
        sum += kind->weight;
        c->weight[i] = sum;
        service_s += kind->weight * kind->size_mean
            / sgdsched_priv_throughput(in->curve + kind->curve, 1);
    }
    c->arrivals_per_s =
        sgdsched_priv_generated_load(in) * (double)in->rules.nodes * sum / service_s;
    return sgdsched_priv_is_rate(c->arrivals_per_s) ? SGDSCHED_OK : SGDSCHED_BAD_ARGUMENT;
}

/* Draws a kind: the first one whose cumulated weight is above a uniform part of all. */
static const sgdsched_job_kind *sgdsched_priv_draw_kind(const sgdsched_priv_cluster *c,
                                                        uint64_t job)
{
    const sgdsched_cluster *in = c->in;
    const uint64_t random =
        sgdsched_random(in->workload.seed, job, SGDSCHED_PRIV_DRAW_KIND);
    const double want = sgdsched_priv_uniform(random) * c->weight[in->workload.kinds - 1];
    size_t low = 0, high = in->workload.kinds - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (c->weight[middle] > want) high = middle;
        else low = middle + 1;
    }
    SGDSCHED_ASSERT(low == 0 || c->weight[low - 1] <= want);
    return in->workload.kind + low;
}

/* Looks one arrival ahead. */
static sgdsched_status sgdsched_priv_fetch_arrival(sgdsched_priv_cluster *c)
{
    const sgdsched_cluster *in = c->in;
    const double before_s = c->next.time_s;
    if (in->workload.source) {
        memset(&c->next, 0, sizeof c->next);
        c->more = in->workload.source(in->workload.source_ctx, &c->next) != 0;
        if (!c->more) return SGDSCHED_OK;
    } else {
        const uint64_t random =
            sgdsched_random(in->workload.seed, c->arrived, SGDSCHED_PRIV_DRAW_GAP);
        const sgdsched_job_kind *kind = sgdsched_priv_draw_kind(c, c->arrived);
        c->more = 1;
        c->next.time_s -= log(1.0 - sgdsched_priv_uniform(random)) / c->arrivals_per_s;
        c->next.size = sgdsched_priv_draw_size(kind, in->workload.seed, c->arrived);
        c->next.curve = kind->curve;
        c->next.min_nodes = kind->min_nodes;
        c->next.max_nodes = kind->max_nodes;
        c->next.gang_nodes = kind->gang_nodes;
    }
    return sgdsched_priv_is_time(c->next.time_s) && c->next.time_s >= before_s
            && sgdsched_priv_is_rate(c->next.size) && c->next.curve < in->curves
            && sgdsched_priv_limits_are_good(in, c->next.curve, c->next.min_nodes,
                                             c->next.max_nodes, c->next.gang_nodes,
                                             &c->next_limits)
        ? SGDSCHED_OK : SGDSCHED_BAD_ARRIVAL;
}

/* The part of a job that is left when its user gives up; 0: the user does not. */
static double sgdsched_priv_draw_quit(const sgdsched_cluster *in, uint64_t job)
{
    double u;
    size_t i;
    if (in->workload.quits.count == 0) return 0.0;
    u = sgdsched_priv_uniform(sgdsched_random(in->workload.seed, job,
                                              SGDSCHED_PRIV_DRAW_QUIT));
    for (i = 0; i < in->workload.quits.count; i++) {
        if (u < in->workload.quits.probability[i])
            return 1.0 - in->workload.quits.fraction[i];
        u -= in->workload.quits.probability[i];
    }
    return 0.0;
}

/* A job joins the chunk with the fewest jobs. */
static void sgdsched_priv_join_chunk(sgdsched_priv_cluster *c, size_t slot)
{
    sgdsched_priv_chunk *chunk = c->chunk;
    size_t i;
    for (i = 1; i < c->chunks; i++)
        if (c->chunk[i].jobs < chunk->jobs) chunk = c->chunk + i;
    c->job[slot].chunk = (size_t)(chunk - c->chunk);
    if (chunk->jobs++ == 0) {
        SGDSCHED_ASSERT(c->starts < c->chunks);
        chunk->first = slot;
        c->start[c->starts++] = c->job[slot].chunk;
    } else {
        c->job[chunk->last].next = slot;
    }
    chunk->last = slot;
}

/* The greatest X(w) of the w that the next job may have. */
static double sgdsched_priv_peak_per_s(const sgdsched_priv_cluster *c)
{
    const sgdsched_curve *curve = c->in->curve + c->next.curve;
    const sgdsched_priv_limits *l = &c->next_limits;
    double peak_per_s = 0.0;
    uint64_t w;
    if (l->gang == 0) return c->peak_per_s[c->next.curve];
    for (w = l->least; w <= l->most && w - l->gang < curve->nodes; w += l->gang) {
        const double x = sgdsched_priv_throughput(curve, (uint32_t)w);
        if (x > peak_per_s) peak_per_s = x;
    }
    SGDSCHED_ASSERT(peak_per_s > 0.0);
    return peak_per_s;
}

/* The next job arrives. */
static sgdsched_status sgdsched_priv_admit_job(sgdsched_priv_cluster *c)
{
    sgdsched_priv_present *job;
    sgdsched_status status;
    sgdsched_job described;
    size_t slot, i;
    if (c->present == c->max_present) {
        if (c->in->workload.source) return SGDSCHED_OVER_BUDGET;
        c->outcome = SGDSCHED_UNSTABLE;
        c->stopped = 1;
        return SGDSCHED_OK;
    }
    if (c->in->workload.source && c->arrived >> SGDSCHED_PRIV_JOBS_LOG2)
        return SGDSCHED_TOO_LARGE;
    slot = c->empty[c->max_present - ++c->present];
    SGDSCHED_ASSERT(slot < c->max_present && c->present <= c->max_present);
    job = c->job + slot;
    job->number = c->arrived;
    job->arrival_s = c->next.time_s;
    job->size = job->remaining = c->next.size;
    job->last = job->size * sgdsched_priv_draw_quit(c->in, job->number);
    job->curve = c->next.curve;
    job->peak_per_s = sgdsched_priv_peak_per_s(c);
    job->fractions = 0;
    job->started = 0;
    for (i = 0; i < c->in->parts; i++) c->part_s[slot * c->in->parts + i] = -1.0;
    if (c->scheduler) {
        memset(&described, 0, sizeof described);
        described.curve = job->curve;
        described.remaining = described.size = job->size;
        described.min_nodes = c->next.min_nodes;
        described.max_nodes = c->next.max_nodes;
        described.gang_nodes = c->next.gang_nodes;
        status = sgdsched_live_submit(c->scheduler, slot, &described);
        if (status != SGDSCHED_OK) return status;
    } else {
        sgdsched_priv_join_chunk(c, slot);
    }
    if (c->arrived++ == 0 && c->warmup_jobs == 0) {
        c->statistics.counting = 1;
        c->statistics.begin_s = c->now_s;
    }
    return sgdsched_priv_fetch_arrival(c);
}

/* ---- Cluster: jobs that run ------------------------------------------------ */

/* The time since an arrival, which may come a little after the instant it belongs to. */
static double sgdsched_priv_since(double now_s, double arrival_s)
{
    return now_s > arrival_s ? now_s - arrival_s : 0.0;
}

/* What a running job has left now. Before its end this is more than 0, even if
 * rounded. */
static double sgdsched_priv_rest_of_running(const sgdsched_priv_running *r, double now_s)
{
    const double ran_s = now_s - r->since_s;
    double left = r->remaining - r->throughput_per_s * ran_s;
    if (!(ran_s > 0.0)) return r->remaining;  /* it still restarts                   */
    if (!(left > 0.0)) left = r->remaining * DBL_EPSILON;
    SGDSCHED_ASSERT(left <= r->remaining);
    return left > 0.0 ? left : r->remaining;  /* for the smallest doubles            */
}

/* Notes when a job came to the fractions that it has passed with `left` to go. */
static void sgdsched_priv_note_fractions(sgdsched_priv_present *job,
                                         const sgdsched_priv_running *r, double left)
{
    for (; job->fractions < SGDSCHED_FRACTIONS; job->fractions++) {
        const double then = (double)(SGDSCHED_FRACTIONS - job->fractions)
            / (SGDSCHED_FRACTIONS + 1) * job->size;
        if (left > then + 1e-12 * job->size) return;
        job->fraction_s[job->fractions] = sgdsched_priv_since(
            r->since_s + (r->remaining - then) / r->throughput_per_s, job->arrival_s);
    }
}

/* The same for the caller's parts. A job passes each of them once, as it never has more
 * left than before. */
static void sgdsched_priv_note_parts(sgdsched_priv_cluster *c, size_t slot,
                                     const sgdsched_priv_running *r, double left)
{
    const sgdsched_priv_present *job = c->job + slot;
    double *part_s = c->part_s + slot * c->in->parts;
    size_t i;
    SGDSCHED_ASSERT(left <= r->remaining);
    for (i = 0; i < c->in->parts; i++) {
        const sgdsched_part *part = c->in->part + i;
        const double then = (1.0 - part->fraction) * job->size;
        const double there = then + 1e-12 * job->size;
        if (part->curve != (size_t)-1 && part->curve != job->curve) continue;
        if (left > there || r->remaining <= there) continue;
        part_s[i] = sgdsched_priv_since(
            r->since_s + (r->remaining - then) / r->throughput_per_s, job->arrival_s);
    }
}

/* A job no longer runs, or no longer as before. `left` is what it has to go. */
static void sgdsched_priv_halt_job(sgdsched_priv_cluster *c, size_t slot, double left)
{
    sgdsched_priv_present *job = c->job + slot;
    sgdsched_priv_running *r = c->running + job->place;
    SGDSCHED_ASSERT(job->place < c->runs && r->slot == slot);
    sgdsched_priv_note_fractions(job, r, left);
    if (c->in->parts > 0) sgdsched_priv_note_parts(c, slot, r, left);
    job->remaining = left;
    *r = c->running[--c->runs];
    c->job[r->slot].place = job->place;
}

static void sgdsched_priv_resume_job(sgdsched_priv_cluster *c, size_t slot,
                                     uint32_t nodes)
{
    sgdsched_priv_present *job = c->job + slot;
    sgdsched_priv_running *r = c->running + c->runs;
    const double x = sgdsched_priv_throughput(c->in->curve + job->curve, nodes);
    SGDSCHED_ASSERT(c->runs < c->present && c->runs < c->in->rules.nodes);
    job->place = c->runs++;
    r->slot = slot;
    r->since_s = job->started ? c->now_s + c->in->restart_s : c->now_s;
    r->remaining = job->remaining;
    r->throughput_per_s = x;
    r->nodes = nodes;
    r->end_s = r->since_s + (job->remaining - job->last) / x;
    job->started = 1;
}

/* From now on a running job has another throughput. */
static void sgdsched_priv_change_pace(sgdsched_priv_cluster *c, sgdsched_priv_running *r,
                                      double throughput_per_s)
{
    sgdsched_priv_present *job = c->job + r->slot;
    const double left = sgdsched_priv_rest_of_running(r, c->now_s);
    sgdsched_priv_note_fractions(job, r, left);
    if (c->in->parts > 0) sgdsched_priv_note_parts(c, r->slot, r, left);
    if (r->since_s < c->now_s) r->since_s = c->now_s;
    r->remaining = left;
    r->throughput_per_s = throughput_per_s;
    r->end_s = r->since_s;
    if (left > job->last) r->end_s += (left - job->last) / throughput_per_s;
}

/* The jobs that run slow each other as the sharing rule says. */
static sgdsched_status sgdsched_priv_share(sgdsched_priv_cluster *c)
{
    size_t i;
    if (!c->sharer) return SGDSCHED_OK;
    for (i = 0; i < c->runs; i++) {
        c->sharer[i].curve = c->job[c->running[i].slot].curve;
        c->sharer[i].nodes = c->running[i].nodes;
        if (c->sharer[i].nodes > c->in->curve[c->sharer[i].curve].nodes)
            c->sharer[i].nodes = c->in->curve[c->sharer[i].curve].nodes;
        c->sharer[i].part = 1.0;
    }
    c->in->workload.sharing(c->in->workload.sharing_ctx, c->sharer, c->runs);
    for (i = 0; i < c->runs; i++) {
        sgdsched_priv_running *r = c->running + i;
        const sgdsched_sharer *s = c->sharer + i;
        const double x =
            s->part * sgdsched_priv_throughput(c->in->curve + s->curve, s->nodes);
        if (!sgdsched_priv_is_rate(x)) return SGDSCHED_BAD_ARGUMENT;
        if (!sgdsched_priv_same(x, r->throughput_per_s))
            sgdsched_priv_change_pace(c, r, x);
    }
    return SGDSCHED_OK;
}

SGDSCHED_API void sgdsched_share_link(void *ctx, sgdsched_sharer *job, size_t jobs)
{
    const sgdsched_shared_link *link = (const sgdsched_shared_link *)ctx;
    double *q = link->work;
    size_t i, j, n;
    for (i = 0; i < jobs; i++) {
        const double a = link->share[job[i].curve][job[i].nodes - 1];
        for (j = 0; j < i; j++)
            if (sgdsched_priv_same(link->share[job[j].curve][job[j].nodes - 1], a)) break;
        if (j < i) {                               /* it is as fast as one before it   */
            job[i].part = job[j].part;
            continue;
        }
        for (n = 0; n < jobs; n++) q[n] = (double)n + 1.0;
        for (j = 0; j < jobs; j++) {
            const double b = link->share[job[j].curve][job[j].nodes - 1];
            if (j == i) continue;
            for (n = 0; n + 1 < jobs; n++)
                q[n] *= (1.0 - b + b * q[n + 1]) / (1.0 - b + b * q[n]);
        }
        job[i].part = 1.0 / (1.0 - a + a * q[0]);
        SGDSCHED_ASSERT(job[i].part > 0.0 && job[i].part <= 1.0 + 1e-9);
    }
}

/* Finds the job that ends first; of equal ones the one that arrived first. */
static void sgdsched_priv_find_first_end(sgdsched_priv_cluster *c)
{
    const sgdsched_priv_running *r = c->running, *first = r, *end = r + c->runs;
    for (; r < end; r++) {
        if (r->end_s > first->end_s) continue;
        if (r->end_s < first->end_s
            || c->job[r->slot].number < c->job[first->slot].number)
            first = r;
    }
    c->first = (size_t)(first - c->running);
    SGDSCHED_ASSERT(c->runs == 0 || c->first < c->runs);
}

/* ---- Cluster: departures --------------------------------------------------- */

/* Stops the run if enough jobs are counted. `group`: the last job completed a group. */
static void sgdsched_priv_check_stop(sgdsched_priv_cluster *c, int group)
{
    const int last = c->statistics.jobs >= c->max_jobs;
    sgdsched_estimate mean;
    if (!last && (!group || c->statistics.jobs < c->min_jobs)) return;
    mean = sgdsched_priv_mean_estimate(&c->statistics, SGDSCHED_PRIV_RESPONSE);
    if (c->in->watch.on_estimate)
        c->in->watch.on_estimate(c->in->watch.ctx, c->statistics.jobs, mean);
    if (mean.half_width <= c->precision * mean.value
        && sgdsched_priv_batch_correlation(&c->statistics) <= 0.4) {
        c->outcome = SGDSCHED_CONVERGED;
        c->stopped = 1;
    } else if (last) {
        c->outcome = SGDSCHED_LIMIT;
        c->stopped = 1;
    }
}

/* The response time over the least run time of what was done. A run time below the
 * clock's resolution counts as one unit of it. A job that then seems not to have waited
 * has slowdown 1. */
static double sgdsched_priv_slowdown(double response_s, double least_s, double now_s)
{
    const double tick_s = fmax(now_s * DBL_EPSILON, DBL_MIN);
    if (least_s >= tick_s) return response_s / least_s;
    return fmax(response_s / tick_s, 1.0);
}

/* Counts the parts to which a job that leaves has come. */
static void sgdsched_priv_count_parts(sgdsched_priv_cluster *c, size_t slot)
{
    const double *part_s = c->part_s + slot * c->in->parts;
    size_t i;
    for (i = 0; i < c->in->parts; i++)
        if (part_s[i] >= 0.0) (void)sgdsched_priv_count_job(c->part + i, part_s[i], 0.0);
}

static void sgdsched_priv_observe_departure(sgdsched_priv_cluster *c,
                                            const sgdsched_priv_present *job)
{
    sgdsched_priv_statistics *s = &c->statistics;
    const double least_s = (job->size - job->last) / job->peak_per_s;
    const double response_s = sgdsched_priv_since(c->now_s, job->arrival_s);
    const int group = sgdsched_priv_count_job(
        s, response_s, sgdsched_priv_slowdown(response_s, least_s, c->now_s));
    size_t i;
    SGDSCHED_ASSERT(response_s >= 0.0 && least_s >= 0.0);
    if (job->last > 0.0) s->cancelled++;
    for (i = 0; i < job->fractions; i++) {
        s->fraction_s[i] += job->fraction_s[i];
        s->fraction_jobs[i]++;
    }
    if (c->in->parts > 0) sgdsched_priv_count_parts(c, (size_t)(job - c->job));
    if (!c->in->workload.source) sgdsched_priv_check_stop(c, group);
}

/* The first job of a chunk leaves it. */
static void sgdsched_priv_leave_chunk(sgdsched_priv_cluster *c, size_t slot)
{
    sgdsched_priv_chunk *chunk = c->chunk + c->job[slot].chunk;
    SGDSCHED_ASSERT(chunk->first == slot && chunk->jobs > 0 && c->starts < c->chunks);
    c->idle += c->in->chunk;
    if (--chunk->jobs == 0) return;
    chunk->first = c->job[slot].next;
    c->start[c->starts++] = c->job[slot].chunk;
}

/* The job that ends first leaves. */
static sgdsched_status sgdsched_priv_depart_first(sgdsched_priv_cluster *c)
{
    const size_t slot = c->running[c->first].slot;
    const sgdsched_priv_present *job = c->job + slot;
    sgdsched_status status = SGDSCHED_OK;
    sgdsched_departure told;
    sgdsched_priv_halt_job(c, slot, job->last);
    if (c->scheduler) status = sgdsched_live_leave(c->scheduler, slot);
    else sgdsched_priv_leave_chunk(c, slot);
    SGDSCHED_ASSERT(c->departed < c->arrived && c->present > 0);
    if (c->in->watch.on_departure) {
        told.job = job->number;
        told.curve = job->curve;
        told.arrival_s = job->arrival_s;
        told.time_s = c->now_s;
        told.size = job->size;
        told.cancelled = job->last > 0.0;
        c->in->watch.on_departure(c->in->watch.ctx, &told);
    }
    if (c->departed >= c->warmup_jobs) sgdsched_priv_observe_departure(c, job);
    if (++c->departed == c->warmup_jobs) {
        c->statistics.counting = 1;
        c->statistics.begin_s = c->now_s;
    }
    c->empty[c->max_present - c->present--] = slot;
    sgdsched_priv_find_first_end(c);
    return status;
}

/* ---- Cluster: decisions ---------------------------------------------------- */

/* JSQ: starts the first jobs of chunks that have become free, in the order of arrival. */
static size_t sgdsched_priv_start_chunks(sgdsched_priv_cluster *c)
{
    size_t n, i;
    for (n = 0; n < c->starts; n++) {
        const size_t slot = c->chunk[c->start[n]].first;
        for (i = n; i > 0; i--) {
            if (c->job[c->change[i - 1].job].number < c->job[slot].number) break;
            c->change[i] = c->change[i - 1];
        }
        SGDSCHED_ASSERT(c->idle >= c->in->chunk);
        c->change[i].job = slot;
        c->change[i].before = 0;
        c->change[i].nodes = c->in->chunk;
        c->idle -= c->in->chunk;
    }
    c->starts = 0;
    return n;
}

static sgdsched_status sgdsched_priv_apply_decision(sgdsched_priv_cluster *c)
{
    sgdsched_status status = SGDSCHED_OK;
    size_t changes = 0, i;
    for (i = 0; i < c->runs && c->scheduler && status == SGDSCHED_OK; i++)
        status = sgdsched_live_progress(
            c->scheduler, c->running[i].slot,
            sgdsched_priv_rest_of_running(c->running + i, c->now_s));
    if (!c->scheduler) changes = sgdsched_priv_start_chunks(c);
    else if (status == SGDSCHED_OK)
        status = sgdsched_live_decide(c->scheduler, c->change, &changes);
    if (status != SGDSCHED_OK) return status;
    c->decisions++;
    for (i = 0; i < changes; i++) {
        sgdsched_change *change = c->change + i;
        const size_t slot = change->job;
        if (change->before > 0)
            sgdsched_priv_halt_job(
                c, slot,
                sgdsched_priv_rest_of_running(c->running + c->job[slot].place, c->now_s));
        if (change->nodes > 0) sgdsched_priv_resume_job(c, slot, change->nodes);
        change->job = (size_t)c->job[slot].number;
    }
    if (c->scheduler) c->idle = sgdsched_live_idle_nodes(c->scheduler);
    SGDSCHED_ASSERT(c->idle <= c->in->rules.nodes &&
                    c->runs <= c->in->rules.nodes - c->idle);
    if (c->in->watch.on_change && changes > 0)
        c->in->watch.on_change(c->in->watch.ctx, c->now_s, c->change, changes);
    status = sgdsched_priv_share(c);
    sgdsched_priv_find_first_end(c);
    return status;
}

/* One instant: its departures, its arrivals, a decision. If an instant has an arrival and
 * a departure, its time is that of the arrival, which does not come from rounding. */
static sgdsched_status sgdsched_priv_run_instant(sgdsched_priv_cluster *c)
{
    const double end_s = c->runs > 0 ? c->running[c->first].end_s : HUGE_VAL;
    const double arrival_s = c->more ? c->next.time_s : HUGE_VAL;
    const double first_s = arrival_s < end_s ? arrival_s : end_s;
    const double limit_s = first_s + 1e-12 * first_s;
    const double now_s = arrival_s <= limit_s ? arrival_s : first_s;
    const double passed_s = now_s > c->now_s ? now_s - c->now_s : 0.0;
    sgdsched_priv_statistics *s = &c->statistics;
    sgdsched_status status = SGDSCHED_OK;
    SGDSCHED_ASSERT(passed_s >= 0.0 && c->idle <= c->in->rules.nodes);
    if (!(limit_s <= SGDSCHED_PRIV_LONGEST_S)) return SGDSCHED_TOO_LARGE;
    if (s->counting) {
        s->present_s += passed_s * (double)c->present;
        s->nodes_s += passed_s * (double)(c->in->rules.nodes - c->idle);
    }
    if (now_s > c->now_s) c->now_s = now_s;
    while (status == SGDSCHED_OK && !c->stopped && c->runs > 0
           && c->running[c->first].end_s <= limit_s)
        status = sgdsched_priv_depart_first(c);
    while (status == SGDSCHED_OK && !c->stopped && c->more && c->next.time_s <= limit_s)
        status = sgdsched_priv_admit_job(c);
    if (status != SGDSCHED_OK || c->stopped) return status;
    return sgdsched_priv_apply_decision(c);
}

/* ---- Cluster: run ---------------------------------------------------------- */

static sgdsched_status sgdsched_priv_prepare_run(sgdsched_priv_cluster *c)
{
    const sgdsched_cluster *in = c->in;
    sgdsched_status status = SGDSCHED_OK;
    size_t i;
    uint32_t w;
    if (sgdsched_priv_has_queues(in)) {
        for (i = 0; i < c->chunks; i++) c->chunk[i].jobs = 0;
    } else {
        const sgdsched_jobs room = sgdsched_priv_room(c);
        status = sgdsched_live_open(&in->rules, &room, c->scheduler_work,
                                    c->scheduler_bytes, &c->scheduler);
    }
    if (status != SGDSCHED_OK) return status;
    for (i = 0; i < in->curves; i++) {
        c->peak_per_s[i] = 0.0;
        for (w = 1; w <= in->rules.nodes && w <= in->curve[i].nodes; w++) {
            const double x = sgdsched_priv_throughput(in->curve + i, w);
            if (x > c->peak_per_s[i]) c->peak_per_s[i] = x;
        }
        SGDSCHED_ASSERT(c->peak_per_s[i] > 0.0);
    }
    for (i = 0; i < c->max_present; i++) c->empty[c->max_present - 1 - i] = i;
    c->idle = in->rules.nodes;
    sgdsched_priv_statistics_init(&c->statistics);
    for (i = 0; i < in->parts; i++) sgdsched_priv_statistics_init(c->part + i);
    if (!in->workload.source) status = sgdsched_priv_prepare_kinds(c);
    return status == SGDSCHED_OK ? sgdsched_priv_fetch_arrival(c) : status;
}

/* Finds the probabilities whose quantiles are wanted. Returns their number. */
static size_t sgdsched_priv_wanted_probabilities(const sgdsched_cluster_report *out,
                                                 const double **p)
{
    static const double usual[] = { 0.5, 0.9, 0.95, 0.99 };
    *p = out->response.probability ? out->response.probability : usual;
    return out->response.probability ? out->response.probabilities
                                     : sizeof usual / sizeof usual[0];
}

/* Writes n quantiles of the times that are counted. Accumulates their histograms. */
static void sgdsched_priv_write_quantiles(sgdsched_priv_statistics *s, const double *p,
                                          size_t n, sgdsched_estimate *quantile_s)
{
    size_t i;
    if (!quantile_s) return;
    sgdsched_priv_accumulate_histograms(s);
    SGDSCHED_ASSERT(s->jobs == 0 ||
                    s->jobs == (uint64_t)sgdsched_priv_jobs_below(s, s->high));
    for (i = 0; i < n; i++) quantile_s[i] = sgdsched_priv_quantile_estimate(s, p[i]);
}

static void sgdsched_priv_write_parts(sgdsched_priv_cluster *c, const double *p, size_t n,
                                      sgdsched_part_report *out)
{
    size_t i;
    for (i = 0; i < c->in->parts; i++) {
        SGDSCHED_ASSERT(c->part[i].jobs <= c->statistics.jobs);
        out[i].jobs = c->part[i].jobs;
        out[i].time_s = sgdsched_priv_mean_estimate(c->part + i, SGDSCHED_PRIV_RESPONSE);
        out[i].most_s = c->part[i].most_s;
        sgdsched_priv_write_quantiles(c->part + i, p, n, out[i].quantile_s);
    }
}

static void sgdsched_priv_write_report(sgdsched_priv_cluster *c,
                                       sgdsched_cluster_report *out)
{
    sgdsched_priv_statistics *s = &c->statistics;
    const double time_s = c->now_s - s->begin_s;   /* nothing counts before          */
    const double *p;
    const size_t n = sgdsched_priv_wanted_probabilities(out, &p);
    size_t i;
    out->outcome = c->outcome;
    out->counts.jobs = s->jobs;
    out->counts.cancelled = s->cancelled;
    out->counts.decisions = c->decisions;
    out->end_s = c->now_s;
    out->response.mean_s = sgdsched_priv_mean_estimate(s, SGDSCHED_PRIV_RESPONSE);
    out->slowdown = sgdsched_priv_mean_estimate(s, SGDSCHED_PRIV_SLOWDOWN);
    out->utilization = time_s > 0.0 ? s->nodes_s / time_s / c->in->rules.nodes : 0.0;
    out->jobs_present = time_s > 0.0 ? s->present_s / time_s : 0.0;
    SGDSCHED_ASSERT(s->jobs == 0 || s->jobs == c->departed - c->warmup_jobs);
    SGDSCHED_ASSERT(out->utilization >= 0.0 && out->utilization <= 1.0001); /* rounded  */
    for (i = 0; i < SGDSCHED_FRACTIONS; i++)
        out->fraction_s[i] = s->fraction_jobs[i] > 0
            ? s->fraction_s[i] / (double)s->fraction_jobs[i] : 0.0;
    out->response.most_s = s->most_s;
    sgdsched_priv_write_quantiles(s, p, n, out->response.quantile_s);
    if (out->part) sgdsched_priv_write_parts(c, p, n, out->part);
}

SGDSCHED_API sgdsched_status sgdsched_cluster_run_bytes(const sgdsched_cluster *cluster,
                                                        size_t *bytes)
{
    sgdsched_priv_arena arena = sgdsched_priv_arena_at(NULL);
    sgdsched_priv_cluster c;
    const sgdsched_status status = sgdsched_priv_carve_cluster(cluster, &arena, &c);
    return status == SGDSCHED_OK ? sgdsched_priv_answer(&arena, bytes) : status;
}

SGDSCHED_API sgdsched_status sgdsched_cluster_run(const sgdsched_cluster *cluster,
                                                  void *work, size_t work_bytes,
                                                  sgdsched_cluster_report *out)
{
    sgdsched_priv_arena arena = sgdsched_priv_arena_at(NULL);
    sgdsched_priv_cluster c;
    const double *p = NULL;
    size_t i, n, need;
    sgdsched_status status = sgdsched_priv_carve_cluster(cluster, &arena, &c);
    if (status != SGDSCHED_OK) return status;
    need = arena.used;
    if (!out) return SGDSCHED_BAD_ARGUMENT;
    n = out->response.quantile_s || out->part
      ? sgdsched_priv_wanted_probabilities(out, &p) : 0;
    for (i = 0; i < n; i++)
        if (!(p[i] > 0.0 && p[i] < 1.0)) return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_check_work(work, work_bytes, need);
    if (status != SGDSCHED_OK) return status;
    arena = sgdsched_priv_arena_at(work);
    (void)sgdsched_priv_carve_cluster(cluster, &arena, &c);
    SGDSCHED_ASSERT(arena.used == need && !arena.overflow);
    status = sgdsched_priv_prepare_run(&c);
    while (status == SGDSCHED_OK && !c.stopped && (c.more || c.present > 0))
        status = sgdsched_priv_run_instant(&c);
    if (status != SGDSCHED_OK) return status;
    sgdsched_priv_write_report(&c, out);
    return c.outcome == SGDSCHED_LIMIT ? SGDSCHED_NOT_CONVERGED : SGDSCHED_OK;
}

/* ---- The best chunk -------------------------------------------------------- */

SGDSCHED_API sgdsched_status sgdsched_chunk_range(uint32_t nodes, uint32_t *first,
                                                  uint32_t *last)
{
    const uint32_t least = 7, most = 40;
    if (nodes == 0 || !first || !last) return SGDSCHED_BAD_ARGUMENT;
    *first = nodes < least ? 1 : least;
    *last = nodes < most ? nodes : most;
    SGDSCHED_ASSERT(*first <= *last && *last <= nodes);
    return SGDSCHED_OK;
}

/* ---- Rigid jobs: the plan -------------------------------------------------- */

/* A plan tells how many nodes are free over time. Each of its steps has the nodes that
 * are free from its time until the next step. The first step is now. Each other step is
 * the start or the end of jobs that run or are planned. It stays as long as they do, so
 * that others can refer to the same instant. The last step has all nodes free.
 *
 * The steps stand in order, in blocks. A block knows the least and the most of its steps,
 * and what is to be added to all of them. So a search passes most blocks at one look. A
 * full block is split. If no page is left for its second half, all blocks are filled up
 * again. They are then at most half of all pages. */

/* Instants, and ends of reservations, are the same within this part of their time. */
#define SGDSCHED_PRIV_INSTANT 1e-12

enum { SGDSCHED_PRIV_STEPS = 32 };

/* The steps of a block. */
typedef struct sgdsched_priv_page {
    double   time_s[SGDSCHED_PRIV_STEPS];
    int64_t  free[SGDSCHED_PRIV_STEPS];   /* without what the block adds              */
    int32_t  refers[SGDSCHED_PRIV_STEPS]; /* number of jobs that start or end here;   */
                                   /*   without meaning at the first step             */
} sgdsched_priv_page;

typedef struct sgdsched_priv_block {
    double   first_s;              /* time of its first step                          */
    int64_t  add;                  /* to add to all of its steps                      */
    int64_t  least, most;          /* free nodes                                      */
    uint32_t page, steps;          /* page: whatever its place in the order           */
} sgdsched_priv_block;

/* A step: the block, and its number in it. */
typedef struct sgdsched_priv_spot { uint32_t block, at; } sgdsched_priv_spot;

typedef struct sgdsched_priv_plan {
    sgdsched_priv_block *block;    /* [room] in order; those from `blocks` on are     */
                                   /*   empty                                         */
    sgdsched_priv_page *page;      /* [room]                                          */
    uint32_t room, blocks;
    int64_t  nodes;                /* W                                               */
    int      rises;                /* all jobs run: free nodes never become fewer     */
    sgdsched_priv_spot last;       /* found last                                      */
} sgdsched_priv_plan;

static sgdsched_priv_page *sgdsched_priv_page_of(const sgdsched_priv_plan *p,
                                                 uint32_t block)
{
    SGDSCHED_ASSERT(block < p->blocks);
    return p->page + p->block[block].page;
}

static double sgdsched_priv_spot_s(const sgdsched_priv_plan *p, sgdsched_priv_spot s)
{
    SGDSCHED_ASSERT(s.at < p->block[s.block].steps);
    return sgdsched_priv_page_of(p, s.block)->time_s[s.at];
}

/* A block's steps have changed. */
static void sgdsched_priv_plan_pull(sgdsched_priv_plan *p, uint32_t block)
{
    sgdsched_priv_block *b = p->block + block;
    const sgdsched_priv_page *page = sgdsched_priv_page_of(p, block);
    int64_t least = page->free[0], most = page->free[b->steps - 1];
    uint32_t i;
    SGDSCHED_ASSERT(b->steps > 0);
    for (i = 0; i < b->steps && !p->rises; i++) {
        least = page->free[i] < least ? page->free[i] : least;
        most = page->free[i] > most ? page->free[i] : most;
    }
    b->first_s = page->time_s[0];
    b->least = least + b->add;
    b->most = most + b->add;
    SGDSCHED_ASSERT(b->least >= 0 && b->most <= p->nodes);
}

/* The plan begins: all nodes are free. */
static void sgdsched_priv_plan_begin(sgdsched_priv_plan *p, int64_t nodes)
{
    uint32_t i;
    for (i = 0; i < p->room; i++) {
        p->block[i].page = i;
        p->block[i].add = 0;
    }
    p->nodes = nodes;
    p->blocks = p->block[0].steps = 1;
    p->page[0].time_s[0] = 0.0;
    p->page[0].free[0] = nodes;
    p->page[0].refers[0] = 0;
    sgdsched_priv_plan_pull(p, 0);
}

/* Copies steps from one place to another; the stretches may overlap. */
static void sgdsched_priv_plan_move(sgdsched_priv_page *to, uint32_t to_at,
                                    const sgdsched_priv_page *from, uint32_t from_at,
                                    uint32_t steps)
{
    SGDSCHED_ASSERT(to_at + steps <= SGDSCHED_PRIV_STEPS
                    && from_at + steps <= SGDSCHED_PRIV_STEPS);
    memmove(to->time_s + to_at, from->time_s + from_at, steps * sizeof *to->time_s);
    memmove(to->free + to_at, from->free + from_at, steps * sizeof *to->free);
    memmove(to->refers + to_at, from->refers + from_at, steps * sizeof *to->refers);
}

/* Fills blocks up, so that as few as possible are left. */
static void sgdsched_priv_plan_pack(sgdsched_priv_plan *p)
{
    const uint32_t blocks = p->blocks;
    uint32_t to = 0, filled = 0, k, i;
    for (k = 0; k < blocks; k++) {
        sgdsched_priv_page *from = sgdsched_priv_page_of(p, k);
        const uint32_t steps = p->block[k].steps;
        for (i = 0; i < steps; i++) from->free[i] += p->block[k].add;
        p->block[k].add = 0;
        for (i = 0; i < steps; i++) {
            if (filled == SGDSCHED_PRIV_STEPS) {
                p->block[to++].steps = filled;
                filled = 0;
            }
            sgdsched_priv_plan_move(sgdsched_priv_page_of(p, to), filled++, from, i, 1);
        }
    }
    p->block[to].steps = filled;
    p->blocks = to + 1;
    for (k = 0; k < p->blocks; k++) sgdsched_priv_plan_pull(p, k);
    SGDSCHED_ASSERT(p->blocks < p->room);
}

/* The first step from a time on. After the last step: block `blocks`. Often it is the one
 * that was asked for last. */
static sgdsched_priv_spot sgdsched_priv_plan_at(sgdsched_priv_plan *p, double time_s)
{
    sgdsched_priv_spot s = p->last;
    uint32_t high = p->blocks, steps, half;
    const double *of_step, *at;
    if (s.at > 0 && s.block < high && s.at < p->block[s.block].steps) {
        at = sgdsched_priv_page_of(p, s.block)->time_s + s.at;
        if (at[-1] < time_s && at[0] >= time_s) return s;
    }
    s.block = s.at = 0;
    while (s.block < high) {
        const uint32_t middle = s.block + (high - s.block) / 2;
        if (p->block[middle].first_s < time_s) s.block = middle + 1;
        else high = middle;
    }
    if (s.block == 0) return s;
    at = of_step = sgdsched_priv_page_of(p, s.block - 1)->time_s;
    for (steps = p->block[s.block - 1].steps; steps > 1; steps -= half) {
        half = steps / 2;
        at += at[half] < time_s ? half : 0;
    }
    s.at = (uint32_t)(at - of_step) + 1;
    if (s.at == p->block[s.block - 1].steps) s.at = 0;
    else s.block--;
    p->last = s;
    return s;
}

/* The step at a time, a new one if there is none. */
static sgdsched_priv_spot sgdsched_priv_plan_cut(sgdsched_priv_plan *p, double time_s)
{
    const uint32_t half = SGDSCHED_PRIV_STEPS / 2;
    sgdsched_priv_spot s;
    sgdsched_priv_page *page;
    if (p->blocks == p->room) sgdsched_priv_plan_pack(p);
    s = sgdsched_priv_plan_at(p, time_s);
    if (s.block < p->blocks && sgdsched_priv_spot_s(p, s) <= time_s) return s;
    SGDSCHED_ASSERT(s.block > 0 || s.at > 0);
    if (s.at == 0) s.at = p->block[--s.block].steps;       /* behind the step before  */
    if (p->block[s.block].steps == SGDSCHED_PRIV_STEPS) {
        sgdsched_priv_block *b = p->block + s.block;
        const sgdsched_priv_block fresh = p->block[p->blocks];
        memmove(b + 2, b + 1, (p->blocks++ - s.block - 1) * sizeof *b);
        b[1] = b[0];
        b[1].page = fresh.page;
        b[0].steps = b[1].steps = half;
        sgdsched_priv_plan_move(p->page + b[1].page, 0, p->page + b[0].page, half, half);
        sgdsched_priv_plan_pull(p, s.block);
        sgdsched_priv_plan_pull(p, s.block + 1);
        if (s.at > half) {
            s.block++;
            s.at -= half;
        }
    }
    page = sgdsched_priv_page_of(p, s.block);
    sgdsched_priv_plan_move(page, s.at + 1, page, s.at, p->block[s.block].steps++ - s.at);
    page->time_s[s.at] = time_s;
    page->free[s.at] = page->free[s.at - 1];
    page->refers[s.at] = 0;
    return s;
}

/* Removes a step, with its block if that has no other. */
static void sgdsched_priv_plan_drop(sgdsched_priv_plan *p, sgdsched_priv_spot s)
{
    sgdsched_priv_block *b = p->block + s.block;
    sgdsched_priv_page *page = sgdsched_priv_page_of(p, s.block);
    if (b->steps > 1) {
        b->steps--;
        sgdsched_priv_plan_move(page, s.at, page, s.at + 1, b->steps - s.at);
        sgdsched_priv_plan_pull(p, s.block);
    } else {
        const sgdsched_priv_block gone = *b;
        memmove(b, b + 1, (--p->blocks - s.block) * sizeof *b);
        p->block[p->blocks] = gone;
    }
}

/* The start or the end of a job comes to a step, or leaves it. If it is then that of no
 * job, the step is removed. */
static void sgdsched_priv_plan_refer(sgdsched_priv_plan *p, sgdsched_priv_spot s,
                                     int refers)
{
    int32_t *count = sgdsched_priv_page_of(p, s.block)->refers + s.at;
    *count += refers;
    if (*count == 0 && (s.block > 0 || s.at > 0)) sgdsched_priv_plan_drop(p, s);
}

/* Adds `add` free nodes from one time to another: less than 0 to reserve nodes for a job,
 * more than 0 to cancel its reservation. The first step, now, needs no cut and does not
 * move. */
static void sgdsched_priv_plan_add(sgdsched_priv_plan *p, double from_s, double to_s,
                                   int64_t add)
{
    const int is_now = from_s <= p->block[0].first_s;
    sgdsched_priv_spot from = { 0, 0 }, to;
    uint32_t k, i;
    if (!(from_s < to_s)) return;          /* below the clock's resolution              */
    if (!is_now) (void)sgdsched_priv_plan_cut(p, from_s);
    to = sgdsched_priv_plan_cut(p, to_s);
    if (!is_now) from = sgdsched_priv_plan_at(p, from_s);
    for (k = from.block; k <= to.block; k++) {
        sgdsched_priv_block *b = p->block + k;
        int64_t *free = sgdsched_priv_page_of(p, k)->free;
        const uint32_t first = k == from.block ? from.at : 0;
        const uint32_t end = k == to.block ? to.at : b->steps;
        if (end - first == b->steps) {
            b->add += add;
            b->least += add;
            b->most += add;
        } else if (first < end) {
            for (i = first; i < end; i++) free[i] += add;
            sgdsched_priv_plan_pull(p, k);
        }
        SGDSCHED_ASSERT(b->least >= 0 && b->most <= p->nodes);
    }
    sgdsched_priv_plan_refer(p, to, add < 0 ? 1 : -1);
    if (!is_now) sgdsched_priv_plan_refer(p, from, add < 0 ? 1 : -1);
}

/* The first time at which n nodes are free. *free: how many are. */
static double sgdsched_priv_plan_find(const sgdsched_priv_plan *p, int64_t n,
                                      int64_t *free)
{
    const sgdsched_priv_block *b = p->block;
    const sgdsched_priv_page *page;
    uint32_t at = 0;
    while (b->most < n) b++;
    SGDSCHED_ASSERT(b < p->block + p->blocks);
    page = p->page + b->page;
    while (page->free[at] + b->add < n) at++;
    *free = page->free[at] + b->add;
    return page->time_s[at];
}

/* The most nodes that are free at some time before to_s. */
static int64_t sgdsched_priv_plan_most(const sgdsched_priv_plan *p, double to_s)
{
    int64_t most = 0;
    uint32_t k, i;
    for (k = 0; k < p->blocks && p->block[k].first_s < to_s; k++) {
        const sgdsched_priv_block *b = p->block + k;
        const sgdsched_priv_page *page = sgdsched_priv_page_of(p, k);
        if (b->most <= most) continue;
        if (k + 1 < p->blocks && b[1].first_s <= to_s) {
            most = b->most;
            continue;
        }
        for (i = 0; i < b->steps && page->time_s[i] < to_s; i++)
            if (page->free[i] + b->add > most) most = page->free[i] + b->add;
    }
    return most;
}

/* The end of a reservation that begins at start_s: a step of the same instant if there is
 * one, so that times that are equal but for rounding become equal. */
static double sgdsched_priv_plan_until(sgdsched_priv_plan *p, double start_s,
                                       double planned_s)
{
    const double end_s = start_s + planned_s;
    const double near_s = end_s - SGDSCHED_PRIV_INSTANT * end_s;
    const double from_s = near_s > start_s ? near_s : start_s;
    const sgdsched_priv_spot s = sgdsched_priv_plan_at(p, from_s);
    if (s.block == p->blocks) return end_s;
    return sgdsched_priv_spot_s(p, s) <= end_s + SGDSCHED_PRIV_INSTANT * end_s
         ? sgdsched_priv_spot_s(p, s) : end_s;
}

/* The earliest time from which n nodes are free for planned_s, or up to until_s, from
 * when on the job has them already. Passes blocks in which no gap begins or ends. */
static double sgdsched_priv_plan_fit(const sgdsched_priv_plan *p, int64_t n,
                                     double planned_s, double until_s)
{
    double start_s = until_s, end_s = until_s;     /* of the job in the present gap   */
    int open = 0;                          /* are its nodes free at the step before?  */
    uint32_t k, i;
    for (k = 0; k < p->blocks && p->block[k].first_s < end_s; k++) {
        const sgdsched_priv_block *b = p->block + k;
        const sgdsched_priv_page *page = sgdsched_priv_page_of(p, k);
        const int64_t need = n - b->add;
        if (open ? b->least >= n : b->most < n) continue;
        for (i = 0; i < b->steps; i++) {
            if (open == (page->free[i] >= need)) continue;
            if (page->time_s[i] >= end_s) return start_s;
            open = !open;
            start_s = end_s = until_s;
            if (!open) continue;
            start_s = page->time_s[i];
            end_s = start_s + planned_s;
            end_s -= SGDSCHED_PRIV_INSTANT * end_s;
            if (end_s > until_s) end_s = until_s;
        }
    }
    return start_s;
}

/* The cluster has another number of nodes. */
static void sgdsched_priv_plan_resize(sgdsched_priv_plan *p, int64_t nodes)
{
    uint32_t k;
    for (k = 0; k < p->blocks; k++) {
        p->block[k].add += nodes - p->nodes;
        p->block[k].least += nodes - p->nodes;
        p->block[k].most += nodes - p->nodes;
        SGDSCHED_ASSERT(p->block[k].least >= 0);
    }
    p->nodes = nodes;
}

/* Forgets the part of a plan that is past. */
static void sgdsched_priv_plan_forget(sgdsched_priv_plan *p, double now_s)
{
    sgdsched_priv_spot s = { 0, 1 };       /* the step after the first                  */
    uint32_t k;
    if (p->block[0].first_s >= now_s) return;
    if (p->block[0].steps == 1 || sgdsched_priv_spot_s(p, s) <= now_s)
        s = sgdsched_priv_plan_at(p, now_s);
    if (s.block == p->blocks || sgdsched_priv_spot_s(p, s) > now_s) {
        if (s.at == 0) s.at = p->block[--s.block].steps;
        sgdsched_priv_page_of(p, s.block)->time_s[--s.at] = now_s;
    }
    for (k = 0; s.block > 0 && k + s.block < p->blocks; k++) { /* the empty go last   */
        const sgdsched_priv_block gone = p->block[k];
        p->block[k] = p->block[k + s.block];
        p->block[k + s.block] = gone;
    }
    p->blocks -= s.block;
    p->block[0].first_s = now_s;
    if (s.at == 0) return;
    p->block[0].steps -= s.at;
    sgdsched_priv_plan_move(sgdsched_priv_page_of(p, 0), 0, sgdsched_priv_page_of(p, 0),
                            s.at, p->block[0].steps);
    sgdsched_priv_plan_pull(p, 0);
}

/* ---- Rigid jobs: heaps ----------------------------------------------------- */

/* A key of a heap. The least comes first, of equal ones the first to have come. */
typedef struct sgdsched_priv_key {
    double   key;
    uint64_t turn;
    uint32_t job;
} sgdsched_priv_key;

typedef struct sgdsched_priv_heap {
    sgdsched_priv_key *at;
    uint32_t *place;               /* [jobs] of each; NULL: not wanted                */
    uint32_t  count;
} sgdsched_priv_heap;

static int sgdsched_priv_key_before(const sgdsched_priv_key *a,
                                    const sgdsched_priv_key *b)
{
    if (a->key < b->key || a->key > b->key) return a->key < b->key;
    return a->turn < b->turn;
}

static void sgdsched_priv_heap_set(sgdsched_priv_heap *h, uint32_t i, sgdsched_priv_key k)
{
    h->at[i] = k;
    if (h->place) h->place[k.job] = i;
}

/* Puts a key where the heap has a gap. */
static void sgdsched_priv_heap_settle(sgdsched_priv_heap *h, uint32_t i,
                                      sgdsched_priv_key k)
{
    uint32_t child;
    SGDSCHED_ASSERT(i < h->count);
    for (; i > 0 && sgdsched_priv_key_before(&k, h->at + (i - 1) / 2); i = (i - 1) / 2)
        sgdsched_priv_heap_set(h, i, h->at[(i - 1) / 2]);
    while ((child = 2 * i + 1) < h->count) {
        if (child + 1 < h->count &&
            sgdsched_priv_key_before(h->at + child + 1, h->at + child))
            child++;
        if (!sgdsched_priv_key_before(h->at + child, &k)) break;
        sgdsched_priv_heap_set(h, i, h->at[child]);
        i = child;
    }
    sgdsched_priv_heap_set(h, i, k);
}

static void sgdsched_priv_heap_put(sgdsched_priv_heap *h, double key, uint64_t turn,
                                   uint32_t job)
{
    sgdsched_priv_key fresh;
    fresh.key = key;
    fresh.turn = turn;
    fresh.job = job;
    h->count++;
    sgdsched_priv_heap_settle(h, h->count - 1, fresh);
}

static uint32_t sgdsched_priv_heap_take(sgdsched_priv_heap *h, uint32_t i)
{
    const uint32_t job = h->at[i].job;
    SGDSCHED_ASSERT(i < h->count);
    h->count--;
    if (i < h->count) sgdsched_priv_heap_settle(h, i, h->at[h->count]);
    return job;
}

/* ---- Rigid jobs: trees of those that wait ---------------------------------- */

/* Which waiting job came first, among those within a limit of nodes and of walltime? A
 * tree of two dimensions [Ben75] halves a stretch of jobs at its middle, by nodes and by
 * walltime in turn, and knows the first that waits in each part. Jobs come and go. So
 * there are several such trees side by side, each at least twice as long as the next.
 * Behind them are some loose jobs, in order of arrival, which are looked at one by one.
 * When these become too many, they are made a tree, together with the trees that are then
 * too short. A job that has gone leaves a gap in its tree until the tree is built anew
 * [BS80]. */
typedef struct sgdsched_priv_branch {
    double   planned_s;
    uint64_t turn;
    uint64_t first;                /* turn of the first that waits in the stretch     */
                                   /*   with its middle here; NEVER: none waits       */
    uint32_t nodes;
    uint32_t job;                  /* NONE: it has gone                               */
} sgdsched_priv_branch;

#define SGDSCHED_PRIV_NEVER UINT64_MAX

enum { SGDSCHED_PRIV_TREES = 40, SGDSCHED_PRIV_LOOSE = 128 };

typedef struct sgdsched_priv_forest {
    sgdsched_priv_branch *at;      /* [room]                                          */
    uint32_t *place;               /* [jobs]                                          */
    uint32_t  room, length, waits;
    uint32_t  trees, start[SGDSCHED_PRIV_TREES + 1]; /* where each tree, and the      */
                                   /*   loose jobs, begin                             */
    uint32_t  tried;               /* no job before this place fits within the limits */
    uint32_t  nodes, beside;       /*   of the last search, nor within smaller ones;  */
    double    rest_s;              /*   0: not known                                  */
} sgdsched_priv_forest;

/* Is job a before job b, by nodes or by walltime? */
static int sgdsched_priv_branch_before(const sgdsched_priv_branch *a,
                                       const sgdsched_priv_branch *b, int by_time)
{
    const double x = by_time ? a->planned_s : (double)a->nodes;
    const double y = by_time ? b->planned_s : (double)b->nodes;
    return x < y || (x <= y && a->turn < b->turn);
}

/* Brings the job of rank `middle` among at[low .. high - 1] to its place, with lesser
 * ones before it: quickselect, expected O(high - low). */
static void sgdsched_priv_tree_select(sgdsched_priv_branch *at, uint32_t low,
                                      uint32_t high, uint32_t middle, int by_time)
{
    while (high - low > 1) {
        const uint64_t random = sgdsched_priv_random(low, high, middle);
        const uint32_t chosen = low + (uint32_t)(random % (high - low));
        const sgdsched_priv_branch pivot = at[chosen];
        uint32_t below = low, i;
        SGDSCHED_ASSERT(low <= middle && middle < high);
        at[chosen] = at[high - 1];
        for (i = low; i < high - 1; i++) {
            const sgdsched_priv_branch here = at[i];
            if (!sgdsched_priv_branch_before(&here, &pivot, by_time)) continue;
            at[i] = at[below];
            at[below++] = here;
        }
        at[high - 1] = at[below];
        at[below] = pivot;
        if (below == middle) return;
        if (below < middle) low = below + 1;
        else high = below;
    }
}

/* Finds the first that waits in at[low .. high - 1], whose halves know theirs. */
static uint64_t sgdsched_priv_tree_first(const sgdsched_priv_branch *at, uint32_t low,
                                         uint32_t high)
{
    const uint32_t middle = low + (high - low) / 2;
    const uint32_t left = low + (middle - low) / 2;
    const uint32_t right = middle + 1 + (high - middle - 1) / 2;
    uint64_t first = SGDSCHED_PRIV_NEVER;
    if (at[middle].job != SGDSCHED_PRIV_NONE) first = at[middle].turn;
    if (low < middle && at[left].first < first) first = at[left].first;
    if (middle + 1 < high && at[right].first < first) first = at[right].first;
    return first;
}

static void sgdsched_priv_tree_build(sgdsched_priv_forest *f, uint32_t low, uint32_t high,
                                     int by_time)
{
    const uint32_t middle = low + (high - low) / 2;
    if (low >= high) return;
    sgdsched_priv_tree_select(f->at, low, high, middle, by_time);
    f->place[f->at[middle].job] = middle;
    sgdsched_priv_tree_build(f, low, middle, !by_time);
    sgdsched_priv_tree_build(f, middle + 1, high, !by_time);
    f->at[middle].first = sgdsched_priv_tree_first(f->at, low, high);
}

/* Lays a job behind those among the loose ones before place i that came before it. */
static void sgdsched_priv_forest_lay(sgdsched_priv_forest *f, uint32_t i,
                                     sgdsched_priv_branch b)
{
    for (; i > f->start[f->trees] && f->at[i - 1].turn > b.turn; i--) {
        f->at[i] = f->at[i - 1];
        f->place[f->at[i].job] = i;
    }
    f->at[i] = b;
    f->place[b.job] = i;
    if (i < f->tried) f->tried = 0;
}

/* Makes one tree of a tree and all behind it, without the jobs that have gone. Few jobs
 * are loose then. */
static void sgdsched_priv_forest_gather(sgdsched_priv_forest *f, uint32_t tree)
{
    const uint32_t low = f->start[tree];
    uint32_t i, kept = low;
    SGDSCHED_ASSERT(tree <= f->trees);
    for (i = low; i < f->length; i++) {
        if (f->at[i].job == SGDSCHED_PRIV_NONE) continue;
        f->place[f->at[i].job] = kept;
        f->at[kept++] = f->at[i];
    }
    f->length = kept;
    f->trees = tree;
    f->tried = 0;
    if (kept - low <= SGDSCHED_PRIV_LOOSE / 2) {
        for (i = low; i < kept; i++) sgdsched_priv_forest_lay(f, i, f->at[i]);
        return;
    }
    sgdsched_priv_tree_build(f, low, kept, 0);
    f->start[++f->trees] = kept;
}

static void sgdsched_priv_forest_put(sgdsched_priv_forest *f, uint32_t job, uint64_t turn,
                                     uint32_t nodes, double planned_s)
{
    sgdsched_priv_branch b;
    uint32_t tree;
    if (f->length == f->room) sgdsched_priv_forest_gather(f, 0);
    SGDSCHED_ASSERT(f->length < f->room && f->trees < SGDSCHED_PRIV_TREES);
    b.planned_s = planned_s;
    b.turn = b.first = turn;
    b.nodes = nodes;
    b.job = job;
    sgdsched_priv_forest_lay(f, f->length++, b);
    f->waits++;
    tree = f->trees;
    if (f->length - f->start[tree] <= SGDSCHED_PRIV_LOOSE) return;
    while (tree > 0 && f->start[tree] - f->start[tree - 1] <
                       2 * (f->length - f->start[tree]))
        tree--;
    sgdsched_priv_forest_gather(f, tree);
}

/* Removes the job at a place. */
static void sgdsched_priv_tree_drop(sgdsched_priv_branch *at, uint32_t low, uint32_t high,
                                    uint32_t place)
{
    const uint32_t middle = low + (high - low) / 2;
    SGDSCHED_ASSERT(low <= place && place < high);
    if (place == middle) at[middle].job = SGDSCHED_PRIV_NONE;
    else if (place < middle) sgdsched_priv_tree_drop(at, low, middle, place);
    else sgdsched_priv_tree_drop(at, middle + 1, high, place);
    at[middle].first = sgdsched_priv_tree_first(at, low, high);
}

static void sgdsched_priv_forest_drop(sgdsched_priv_forest *f, uint32_t job)
{
    uint32_t place = f->place[job], tree = 0;
    SGDSCHED_ASSERT(place < f->length && f->at[place].job == job && f->waits > 0);
    f->waits--;
    if (place >= f->start[f->trees]) {
        if (place < f->tried) f->tried--;
        for (f->length--; place < f->length; place++) {
            f->at[place] = f->at[place + 1];
            f->place[f->at[place].job] = place;
        }
    } else {
        while (f->start[tree + 1] <= place) tree++;
        sgdsched_priv_tree_drop(f->at, f->start[tree], f->start[tree + 1], place);
    }
    if (f->length > 2 * f->waits + 16) sgdsched_priv_forest_gather(f, 0);
}

/* The place of the first that waits in at[low .. high - 1]. There is one. */
static uint32_t sgdsched_priv_tree_oldest(const sgdsched_priv_branch *at, uint32_t low,
                                          uint32_t high)
{
    const uint64_t turn = at[low + (high - low) / 2].first;
    for (;;) {
        const uint32_t middle = low + (high - low) / 2;
        SGDSCHED_ASSERT(low < high && turn != SGDSCHED_PRIV_NEVER);
        if (at[middle].turn == turn) return middle;
        if (at[low + (middle - low) / 2].first == turn) high = middle;
        else low = middle + 1;
    }
}

/* A search for the first waiting job within a limit of nodes and of walltime. */
typedef struct sgdsched_priv_found {
    uint32_t nodes;
    double   planned_s;
    uint64_t turn;                 /* NEVER: none so far                              */
    uint32_t place;
} sgdsched_priv_found;

/* Searches at[low .. high - 1]. within: bits of what is known to hold there, 1 for nodes,
 * 2 for walltime. */
static void sgdsched_priv_tree_find(const sgdsched_priv_branch *at, uint32_t low,
                                    uint32_t high, int by_time, int within,
                                    sgdsched_priv_found *best)
{
    const uint32_t middle = low + (high - low) / 2;
    const sgdsched_priv_branch *here = at + middle;
    int fits, narrow, brief;
    if (low >= high || here->first >= best->turn) return;
    if (within == 3) {
        best->turn = here->first;
        best->place = sgdsched_priv_tree_oldest(at, low, high);
        return;
    }
    narrow = here->nodes <= best->nodes;
    brief = here->planned_s <= best->planned_s;
    if (narrow && brief && here->job != SGDSCHED_PRIV_NONE && here->turn < best->turn) {
        best->turn = here->turn;
        best->place = middle;
    }
    fits = by_time ? brief : narrow;
    sgdsched_priv_tree_find(at, low, middle, !by_time,
                            fits ? within | (by_time ? 2 : 1) : within, best);
    if (fits) sgdsched_priv_tree_find(at, middle + 1, high, !by_time, within, best);
}

/* Finds the first waiting job with at most `beside` nodes, or with at most `nodes` nodes
 * that ends within rest_s; its turn is NEVER if there is none. */
static void sgdsched_priv_forest_find(sgdsched_priv_forest *f, uint32_t nodes,
                                      uint32_t beside, double rest_s,
                                      sgdsched_priv_found *best)
{
    const uint32_t loose = f->start[f->trees];
    const sgdsched_priv_branch *b, *end = f->at + f->length;
    uint32_t i, k;
    if (nodes > f->nodes || beside > f->beside || rest_s > f->rest_s) f->tried = 0;
    f->nodes = nodes;
    f->beside = beside;
    f->rest_s = rest_s;
    best->turn = SGDSCHED_PRIV_NEVER;
    for (k = 0; k < 2 && f->tried < loose; k++) {
        best->nodes = k ? nodes : beside;
        best->planned_s = k ? rest_s : DBL_MAX;
        if (k ? nodes <= beside : beside == 0) continue;
        for (i = 0; i < f->trees; i++)
            sgdsched_priv_tree_find(f->at, f->start[i], f->start[i + 1], 0, k ? 0 : 2,
                                    best);
    }
    b = f->at + (f->tried > loose ? f->tried : loose);
    while (b < end && b->turn < best->turn &&
           (b->nodes > nodes || (b->nodes > beside && b->planned_s > rest_s)))
        b++;
    if (best->turn == SGDSCHED_PRIV_NEVER) f->tried = (uint32_t)(b - f->at);
    if (b == end || b->turn >= best->turn) return;
    best->turn = b->turn;
    best->place = (uint32_t)(b - f->at);
}

/* The job that has waited longest. */
static uint32_t sgdsched_priv_forest_oldest(const sgdsched_priv_forest *f)
{
    const uint32_t loose = f->start[f->trees];
    uint64_t turn = loose < f->length ? f->at[loose].turn : SGDSCHED_PRIV_NEVER;
    uint32_t place = loose, i;
    for (i = 0; i < f->trees; i++) {
        const uint32_t low = f->start[i], high = f->start[i + 1];
        if (f->at[low + (high - low) / 2].first >= turn) continue;
        turn = f->at[low + (high - low) / 2].first;
        place = sgdsched_priv_tree_oldest(f->at, low, high);
    }
    SGDSCHED_ASSERT(f->waits > 0 && turn != SGDSCHED_PRIV_NEVER);
    return f->at[place].job;
}

/* ---- Rigid jobs: state ----------------------------------------------------- */

typedef enum sgdsched_priv_stage {
    SGDSCHED_PRIV_ABSENT = 0, SGDSCHED_PRIV_WAITS, SGDSCHED_PRIV_RUNS,
    SGDSCHED_PRIV_HELD             /* waits aside until there are enough nodes        */
} sgdsched_priv_stage;

typedef struct sgdsched_priv_queued {
    double   start_s;              /* reserved, or of a running job; DBL_MAX: unknown */
    double   planned_s;            /* how long its nodes are kept for it              */
    uint64_t turn;                 /* order of arrival                                */
    uint32_t nodes;
    sgdsched_priv_stage stage;
} sgdsched_priv_queued;

struct sgdsched_queue {
    sgdsched_queueing_traits how;  /* of the policy                                   */
    uint32_t  room_nodes, nodes;   /* of the cluster: most ever; now                  */
    uint32_t  max_jobs;
    sgdsched_priv_queued *job;     /* [max_jobs]                                      */
    double   *until_s;             /* EASY, CONSERVATIVE: [max_jobs] end of the       */
                                   /*   job's reservation; 0: it has none             */
    sgdsched_priv_heap line;       /* FCFS, SJF, SMALLEST_FIRST                       */
    sgdsched_priv_forest forest;   /* EASY                                            */
    sgdsched_priv_plan plan;       /* EASY: of jobs that run, CONSERVATIVE: of all    */
    uint32_t *waiting;             /* CONSERVATIVE: [max_jobs], in order of arrival   */
    double    freed_s;             /* CONSERVATIVE: nodes have become free up to then */
                                   /*   since reservations were last made             */
    int       early;               /* CONSERVATIVE: some before their time?           */
    int       overdue;             /* CONSERVATIVE: a start could not be kept         */
    double    next_s;              /* CONSERVATIVE: the next reserved start           */
    uint32_t *start;               /* [most at once] started by this decision         */
    uint32_t  starts;
    uint32_t  waits;
    uint32_t  idle;
    uint64_t  used;                /* nodes of jobs that run                          */
    uint64_t  turns;
    double    now_s, limit_s;      /* this instant: its time, and how far it reaches  */
};

SGDSCHED_API const sgdsched_queueing_traits *sgdsched_queueing_about(
    sgdsched_queueing policy)
{
#define SGDSCHED_X(name, word, line, plans) \
    { word, SGDSCHED_LINE_##line, SGDSCHED_PLANS_##plans },
    static const sgdsched_queueing_traits row[] = { SGDSCHED_QUEUEING_TABLE(SGDSCHED_X) };
#undef SGDSCHED_X
    return (unsigned)policy < (unsigned)SGDSCHED_QUEUEING_COUNT ? row + policy : NULL;
}

static int sgdsched_priv_queue_plans(const sgdsched_queue *q)
{
    return q->how.plans != SGDSCHED_PLANS_NONE;
}

static int sgdsched_priv_is_span(double x)
{
    return x >= SGDSCHED_PRIV_LEAST && x <= SGDSCHED_PRIV_MOST;
}

/* Lays a queue out, or counts it. live: waiting jobs may be cancelled. A plan of EASY has
 * a step for the end of each job that runs, one of CONSERVATIVE for the start and the end
 * of each job. Either has a step for now, and, while what is past is forgotten, one for
 * what was now. */
static void sgdsched_priv_carve_queue(sgdsched_priv_arena *arena, uint32_t nodes,
                                      sgdsched_queueing policy, size_t jobs, int live,
                                      sgdsched_queue *q)
{
    const size_t runs = jobs < nodes ? jobs : nodes;
    const sgdsched_queueing_traits *how = sgdsched_queueing_about(policy);
    const sgdsched_plans plans = how ? how->plans : SGDSCHED_PLANS_NONE;
    const size_t steps = 2 + (plans == SGDSCHED_PLANS_ALL ? 2 * jobs : runs);
    uint32_t *place = NULL;
    SGDSCHED_ASSERT(how != NULL);
    memset(q, 0, sizeof *q);
    q->how = *how;
    q->room_nodes = q->nodes = q->idle = nodes;
    q->max_jobs = (uint32_t)jobs;
    q->next_s = DBL_MAX;
    q->job = (sgdsched_priv_queued *)sgdsched_priv_take(arena, jobs, sizeof *q->job);
    q->start = (uint32_t *)sgdsched_priv_take(arena, runs, sizeof *q->start);
    if (plans == SGDSCHED_PLANS_FIRST || (live && plans == SGDSCHED_PLANS_NONE))
        place = (uint32_t *)sgdsched_priv_take(arena, jobs, sizeof *place);
    q->line.place = q->forest.place = place;
    if (sgdsched_priv_queue_plans(q)) q->until_s = sgdsched_priv_doubles(arena, jobs);
    if (plans == SGDSCHED_PLANS_FIRST) {
        q->forest.room = (uint32_t)(jobs + jobs / 4 + 4);
        q->forest.at = (sgdsched_priv_branch *)sgdsched_priv_take(arena, q->forest.room,
                                                                  sizeof *q->forest.at);
    } else if (plans == SGDSCHED_PLANS_ALL) {
        q->waiting = (uint32_t *)sgdsched_priv_take(arena, jobs, sizeof *q->waiting);
    } else {
        q->line.at =
            (sgdsched_priv_key *)sgdsched_priv_take(arena, jobs, sizeof *q->line.at);
        return;
    }
    q->plan.room = (uint32_t)(2 + steps / (SGDSCHED_PRIV_STEPS / 2));
    q->plan.block = (sgdsched_priv_block *)sgdsched_priv_take(arena, q->plan.room,
                                                              sizeof *q->plan.block);
    q->plan.page = (sgdsched_priv_page *)sgdsched_priv_take(arena, q->plan.room,
                                                            sizeof *q->plan.page);
}

static void sgdsched_priv_prepare_queue(sgdsched_queue *q)
{
    uint32_t i;
    for (i = 0; i < q->max_jobs; i++) q->job[i].stage = SGDSCHED_PRIV_ABSENT;
    if (!sgdsched_priv_queue_plans(q)) return;
    for (i = 0; i < q->max_jobs; i++) q->until_s[i] = 0.0;
    sgdsched_priv_plan_begin(&q->plan, q->nodes);
    q->plan.rises = q->how.plans == SGDSCHED_PLANS_FIRST;
}

/* An instant begins. */
static void sgdsched_priv_queue_go(sgdsched_queue *q, double now_s, double limit_s)
{
    SGDSCHED_ASSERT(now_s >= q->now_s && limit_s >= now_s);
    q->now_s = now_s;
    q->limit_s = limit_s;
    if (sgdsched_priv_queue_plans(q)) sgdsched_priv_plan_forget(&q->plan, now_s);
}

/* ---- Rigid jobs: starts, ends, arrivals ------------------------------------ */

/* Plans a job from a time at which it fits. */
static void sgdsched_priv_queue_plan(sgdsched_queue *q, uint32_t job, double start_s)
{
    sgdsched_priv_queued *j = q->job + job;
    j->start_s = start_s;
    q->until_s[job] = sgdsched_priv_plan_until(&q->plan, start_s, j->planned_s);
    sgdsched_priv_plan_add(&q->plan, start_s, q->until_s[job], -(int64_t)j->nodes);
}

/* Cancels what is to come of a job's reservation. */
static void sgdsched_priv_queue_unplan(sgdsched_queue *q, uint32_t job)
{
    const double start_s = q->job[job].start_s, until_s = q->until_s[job];
    SGDSCHED_ASSERT(until_s >= start_s);
    q->until_s[job] = 0.0;
    sgdsched_priv_plan_add(&q->plan, start_s > q->now_s ? start_s : q->now_s, until_s,
                           q->job[job].nodes);
    if (until_s <= q->limit_s) return;
    q->early = 1;
    if (until_s > q->freed_s) q->freed_s = until_s;
}

/* Cancels the reservations of all waiting jobs. */
static void sgdsched_priv_queue_scrap(sgdsched_queue *q)
{
    uint32_t i;
    for (i = 0; i < q->waits && q->how.plans == SGDSCHED_PLANS_ALL; i++) {
        const uint32_t job = q->waiting[i];
        if (q->until_s[job] > 0.0) sgdsched_priv_queue_unplan(q, job);
        q->job[job].start_s = DBL_MAX;
    }
    q->early = 0;
    q->freed_s = 0.0;
}

/* A job begins to wait. */
static void sgdsched_priv_queue_join(sgdsched_queue *q, uint32_t job)
{
    sgdsched_priv_queued *j = q->job + job;
    double key = 0.0;
    uint32_t i = q->waits++;
    SGDSCHED_ASSERT(q->waits <= q->max_jobs && j->nodes <= q->nodes);
    j->stage = SGDSCHED_PRIV_WAITS;
    j->start_s = DBL_MAX;
    if (q->how.plans == SGDSCHED_PLANS_FIRST) {
        sgdsched_priv_forest_put(&q->forest, job, j->turn, j->nodes, j->planned_s);
        return;
    }
    if (q->how.plans == SGDSCHED_PLANS_ALL) {
        for (; i > 0 && q->job[q->waiting[i - 1]].turn > j->turn; i--)
            q->waiting[i] = q->waiting[i - 1];
        q->waiting[i] = job;
        return;
    }
    if (q->how.line == SGDSCHED_LINE_WALLTIME) key = j->planned_s;
    if (q->how.line == SGDSCHED_LINE_NODES) key = (double)j->nodes;
    sgdsched_priv_heap_put(&q->line, key, j->turn, job);
}

/* A job waits no longer, without having started. */
static void sgdsched_priv_queue_part(sgdsched_queue *q, uint32_t job)
{
    uint32_t i = 0;
    SGDSCHED_ASSERT(q->job[job].stage == SGDSCHED_PRIV_WAITS && q->waits > 0);
    q->waits--;
    if (q->how.plans == SGDSCHED_PLANS_FIRST) {
        sgdsched_priv_forest_drop(&q->forest, job);
    } else if (q->how.plans == SGDSCHED_PLANS_ALL) {
        while (q->waiting[i] != job) i++;
        for (; i < q->waits; i++) q->waiting[i] = q->waiting[i + 1];
        if (q->until_s[job] > 0.0) sgdsched_priv_queue_unplan(q, job);
    } else {
        (void)sgdsched_priv_heap_take(&q->line, q->line.place[job]);
    }
}

static void sgdsched_priv_queue_submit(sgdsched_queue *q, uint32_t job, uint32_t nodes,
                                       double planned_s)
{
    sgdsched_priv_queued *j = q->job + job;
    SGDSCHED_ASSERT(j->stage == SGDSCHED_PRIV_ABSENT && nodes >= 1);
    j->nodes = nodes;
    j->planned_s = planned_s;
    j->turn = q->turns++;
    j->start_s = DBL_MAX;
    j->stage = SGDSCHED_PRIV_HELD;
    if (nodes <= q->nodes) sgdsched_priv_queue_join(q, job);
}

/* A waiting job, already taken out of the queue, gets its nodes. */
static void sgdsched_priv_queue_start(sgdsched_queue *q, uint32_t job, double start_s)
{
    sgdsched_priv_queued *j = q->job + job;
    SGDSCHED_ASSERT(j->stage == SGDSCHED_PRIV_WAITS && j->nodes <= q->idle);
    j->stage = SGDSCHED_PRIV_RUNS;
    j->start_s = start_s;
    q->idle -= j->nodes;
    q->used += j->nodes;
    q->start[q->starts++] = job;
    SGDSCHED_ASSERT(q->used + q->idle == q->nodes && q->waits > 0);
    q->waits--;
}

/* A job has ended, or is cancelled. */
static void sgdsched_priv_queue_end(sgdsched_queue *q, uint32_t job)
{
    sgdsched_priv_queued *j = q->job + job;
    if (j->stage == SGDSCHED_PRIV_WAITS) sgdsched_priv_queue_part(q, job);
    if (j->stage == SGDSCHED_PRIV_RUNS) {
        SGDSCHED_ASSERT(q->used >= j->nodes);
        q->used -= j->nodes;
        q->idle += j->nodes;
        SGDSCHED_ASSERT(q->used + q->idle == q->nodes);
        if (sgdsched_priv_queue_plans(q)) sgdsched_priv_queue_unplan(q, job);
    }
    j->stage = SGDSCHED_PRIV_ABSENT;
}

/* ---- Rigid jobs: decisions ------------------------------------------------- */

static void sgdsched_priv_decide_in_turn(sgdsched_queue *q)
{
    while (q->line.count > 0 && q->job[q->line.at[0].job].nodes <= q->idle)
        sgdsched_priv_queue_start(q, sgdsched_priv_heap_take(&q->line, 0), q->now_s);
}

static void sgdsched_priv_easy_start(sgdsched_queue *q, uint32_t job)
{
    sgdsched_priv_forest_drop(&q->forest, job);
    sgdsched_priv_queue_plan(q, job, q->now_s);
    sgdsched_priv_queue_start(q, job, q->now_s);
}

/* Starts jobs behind the first, which does not fit, that do not delay it. The idle nodes,
 * and those that will be free beside the first job, only become fewer. If they did not
 * suffice for a job once, they never will. So jobs are found in the order of arrival. */
static void sgdsched_priv_easy_backfill(sgdsched_queue *q, uint32_t head)
{
    int64_t free;                  /* when the first job will have its nodes          */
    const double shadow_s = sgdsched_priv_plan_find(&q->plan, q->job[head].nodes, &free);
    const double rest_s = shadow_s + SGDSCHED_PRIV_INSTANT * shadow_s - q->now_s;
    uint32_t extra = (uint32_t)(free - q->job[head].nodes);
    sgdsched_priv_found best;
    best.turn = q->job[head].turn;
    SGDSCHED_ASSERT(q->job[head].nodes > q->idle);
    while (q->idle > 0) {
        const uint32_t beside = extra < q->idle ? extra : q->idle;
        const uint64_t before = best.turn;
        uint32_t job;
        (void)before;                  /* only asserted                               */
        sgdsched_priv_forest_find(&q->forest, q->idle, beside, rest_s, &best);
        if (best.turn == SGDSCHED_PRIV_NEVER) break;
        SGDSCHED_ASSERT(best.turn > before);
        job = q->forest.at[best.place].job;
        if (q->job[job].planned_s > rest_s) extra -= q->job[job].nodes;
        sgdsched_priv_easy_start(q, job);
    }
}

static void sgdsched_priv_decide_easy(sgdsched_queue *q)
{
    while (q->waits > 0) {
        const uint32_t head = sgdsched_priv_forest_oldest(&q->forest);
        if (q->job[head].nodes > q->idle) {
            if (q->waits > 1 && q->idle > 0) sgdsched_priv_easy_backfill(q, head);
            return;
        }
        sgdsched_priv_easy_start(q, head);
    }
}

/* Nodes have become free before their time: moves the reservations of the waiting jobs
 * forward, one after the other, beside the plans of all others. A job can only move to
 * where nodes have become free since its reservation was last made. That is before
 * freed_s. */
static void sgdsched_priv_compress_plan(sgdsched_queue *q)
{
    int64_t most = sgdsched_priv_plan_most(&q->plan, q->freed_s);
    double freed_s = 0.0;          /* by jobs that move: jobs before them may follow   */
    uint32_t i;
    for (i = 0; i < q->waits; i++) {
        const uint32_t job = q->waiting[i];
        const int64_t nodes = q->job[job].nodes;
        const double before_s = q->job[job].start_s, until_s = q->until_s[job];
        double start_s;
        if (!(until_s > 0.0) || nodes > most || before_s <= q->now_s) continue;
        start_s =
            sgdsched_priv_plan_fit(&q->plan, nodes, q->job[job].planned_s, before_s);
        if (start_s >= before_s) continue;
        SGDSCHED_ASSERT(start_s >= q->now_s);
        sgdsched_priv_plan_add(&q->plan, before_s, until_s, nodes);
        sgdsched_priv_queue_plan(q, job, start_s);
        if (until_s > freed_s) freed_s = until_s;
        if (until_s > q->freed_s) q->freed_s = until_s;
        most = sgdsched_priv_plan_most(&q->plan, q->freed_s);
    }
    q->freed_s = freed_s;
}

/* Has the reserved start of a waiting job passed, by more than rounding? */
static int sgdsched_priv_is_overdue(const sgdsched_queue *q)
{
    uint32_t i;
    if (!q->overdue && q->next_s >= q->now_s) return 0;
    for (i = 0; i < q->waits; i++) {
        const double start_s = q->job[q->waiting[i]].start_s;
        if (start_s + 8.0 * SGDSCHED_PRIV_INSTANT * start_s < q->now_s) return 1;
    }
    return 0;
}

static void sgdsched_priv_decide_conservative(sgdsched_queue *q)
{
    const uint32_t waits = q->waits;
    uint32_t i, kept = 0;
    if (sgdsched_priv_is_overdue(q)) sgdsched_priv_queue_scrap(q);
    if (q->early) sgdsched_priv_compress_plan(q);
    q->early = q->overdue = 0;
    q->next_s = DBL_MAX;
    for (i = 0; i < waits; i++) {
        const uint32_t job = q->waiting[i];
        const sgdsched_priv_queued *j = q->job + job;
        if (!(q->until_s[job] > 0.0))
            sgdsched_priv_queue_plan(q, job,
                                     sgdsched_priv_plan_fit(&q->plan, j->nodes,
                                                            j->planned_s, DBL_MAX));
    }
    for (i = 0; i < waits; i++) {
        const uint32_t job = q->waiting[i];
        const double start_s = q->job[job].start_s;
        const int due = start_s <= q->limit_s;
        if (due && q->job[job].nodes <= q->idle) {
            sgdsched_priv_queue_start(q, job, start_s);
            continue;
        }
        q->waiting[kept++] = job;
        if (due) q->overdue = 1;
        else if (start_s < q->next_s) q->next_s = start_s;
    }
    SGDSCHED_ASSERT(kept == q->waits);
}

static void sgdsched_priv_queue_decide(sgdsched_queue *q)
{
    q->starts = 0;
    if (q->how.plans == SGDSCHED_PLANS_FIRST) sgdsched_priv_decide_easy(q);
    else if (q->how.plans == SGDSCHED_PLANS_ALL) sgdsched_priv_decide_conservative(q);
    else sgdsched_priv_decide_in_turn(q);
    SGDSCHED_ASSERT(q->how.plans == SGDSCHED_PLANS_ALL || q->waits == 0 ||
                    q->how.plans == SGDSCHED_PLANS_FIRST ||
                    q->job[q->line.at[0].job].nodes > q->idle);
}

/* ---- Rigid jobs: run ------------------------------------------------------- */

typedef struct sgdsched_priv_rigid {
    const sgdsched_rigid *in;
    sgdsched_stay *stay;           /* [jobs]                                          */
    unsigned char *started;        /* [jobs]                                          */
    sgdsched_priv_heap ends;       /* of the jobs that run                            */
    sgdsched_queue queue;          /* of jobs of the same numbers                     */
    uint32_t  oldest;              /* the first job that waits                        */
    uint32_t  next;                /* the next job to arrive                          */
    size_t    killed, backfilled, most_waiting;
    double    nodes_s, end_s;
} sgdsched_priv_rigid;

static sgdsched_status sgdsched_priv_check_rigid(const sgdsched_rigid *in)
{
    size_t i;
    if (!in || !in->job || in->jobs == 0 || in->nodes == 0 ||
        !sgdsched_queueing_about(in->policy))
        return SGDSCHED_BAD_ARGUMENT;
    if (in->jobs > (size_t)SGDSCHED_PRIV_NONE / 2) return SGDSCHED_TOO_LARGE;
    for (i = 0; i < in->jobs; i++) {
        const sgdsched_rigid_job *job = in->job + i;
        if (!(job->arrival_s >= (i > 0 ? job[-1].arrival_s : 0.0)) ||
            job->arrival_s > SGDSCHED_PRIV_MOST || !sgdsched_priv_is_span(job->run_s) ||
            (!sgdsched_priv_is_span(job->walltime_s) &&
             !sgdsched_priv_same(job->walltime_s, 0.0)) ||
            job->nodes == 0 || job->nodes > in->nodes)
            return SGDSCHED_BAD_ARRIVAL;
    }
    return SGDSCHED_OK;
}

/* Lays the work out, or counts it. */
static void sgdsched_priv_carve_rigid(const sgdsched_rigid *in,
                                      sgdsched_priv_arena *arena, sgdsched_priv_rigid *c)
{
    const size_t n = in->jobs, runs = n < in->nodes ? n : in->nodes;
    memset(c, 0, sizeof *c);
    c->in = in;
    c->started = (unsigned char *)sgdsched_priv_take(arena, n, 1);
    c->ends.at =
        (sgdsched_priv_key *)sgdsched_priv_take(arena, runs, sizeof *c->ends.at);
    sgdsched_priv_carve_queue(arena, in->nodes, in->policy, n, 0, &c->queue);
}

static void sgdsched_priv_prepare_rigid(sgdsched_priv_rigid *c)
{
    const sgdsched_rigid *in = c->in;
    size_t i;
    sgdsched_priv_prepare_queue(&c->queue);
    for (i = 0; i < in->jobs; i++) {
        const double run_s = in->job[i].run_s, asked_s = in->job[i].walltime_s;
        c->started[i] = 0;
        c->stay[i].killed = in->kill && asked_s > 0.0 && run_s > asked_s;
        c->stay[i].run_s = c->stay[i].killed ? asked_s : run_s;
        c->killed += (size_t)c->stay[i].killed;
    }
}

/* The next job arrives. If it may run beyond its walltime, it asks for as long as it
 * runs. */
static void sgdsched_priv_rigid_arrive(sgdsched_priv_rigid *c)
{
    const uint32_t job = c->next++;
    const double run_s = c->stay[job].run_s, asked_s = c->in->job[job].walltime_s;
    sgdsched_priv_queue_submit(&c->queue, job, c->in->job[job].nodes,
                               run_s > asked_s ? run_s : asked_s);
}

static void sgdsched_priv_rigid_start(sgdsched_priv_rigid *c, uint32_t job,
                                      double start_s)
{
    const sgdsched_rigid_job *j = c->in->job + job;
    sgdsched_stay *stay = c->stay + job;
    SGDSCHED_ASSERT(!c->started[job]);
    c->started[job] = 1;
    stay->start_s = start_s > j->arrival_s ? start_s : j->arrival_s;
    sgdsched_priv_heap_put(&c->ends, stay->start_s + stay->run_s, job, job);
    c->nodes_s += stay->run_s * (double)j->nodes;
}

/* One instant, as in a cluster: its ends, its arrivals, a decision. */
static void sgdsched_priv_rigid_instant(sgdsched_priv_rigid *c)
{
    sgdsched_queue *q = &c->queue;
    const uint32_t n = (uint32_t)c->in->jobs;
    const double end_s = c->ends.count > 0 ? c->ends.at[0].key : DBL_MAX;
    const double arrival_s = c->next < n ? c->in->job[c->next].arrival_s : DBL_MAX;
    double first_s = arrival_s < end_s ? arrival_s : end_s, limit_s, now_s = q->now_s;
    uint32_t i;
    if (q->next_s < first_s) first_s = q->next_s;
    SGDSCHED_ASSERT(first_s < DBL_MAX);
    limit_s = first_s + SGDSCHED_PRIV_INSTANT * first_s;
    if (arrival_s <= limit_s && arrival_s > now_s) now_s = arrival_s;
    else if (first_s > now_s) now_s = first_s;
    sgdsched_priv_queue_go(q, now_s, limit_s < now_s ? now_s : limit_s);
    while (c->ends.count > 0 && c->ends.at[0].key <= q->limit_s) {
        if (c->ends.at[0].key > c->end_s) c->end_s = c->ends.at[0].key;
        sgdsched_priv_queue_end(q, sgdsched_priv_heap_take(&c->ends, 0));
    }
    while (c->next < n && c->in->job[c->next].arrival_s <= q->limit_s)
        sgdsched_priv_rigid_arrive(c);
    sgdsched_priv_queue_decide(q);
    for (i = 0; i < q->starts; i++)
        sgdsched_priv_rigid_start(c, q->start[i], q->job[q->start[i]].start_s);
    while (c->oldest < c->next && c->started[c->oldest]) c->oldest++;
    for (i = 0; i < q->starts; i++) c->backfilled += q->start[i] > c->oldest;
    SGDSCHED_ASSERT(q->waits == 0 || c->ends.count > 0 || q->next_s < DBL_MAX);
    if (q->waits > c->most_waiting) c->most_waiting = q->waits;
}

SGDSCHED_API sgdsched_status sgdsched_rigid_run_bytes(const sgdsched_rigid *in,
                                                      size_t *bytes)
{
    sgdsched_priv_arena arena = sgdsched_priv_arena_at(NULL);
    sgdsched_priv_rigid c;
    const sgdsched_status status = sgdsched_priv_check_rigid(in);
    if (status != SGDSCHED_OK) return status;
    sgdsched_priv_carve_rigid(in, &arena, &c);
    return sgdsched_priv_answer(&arena, bytes);
}

SGDSCHED_API sgdsched_status sgdsched_rigid_run(const sgdsched_rigid *in, void *work,
                                                size_t work_bytes, sgdsched_stay *stay,
                                                sgdsched_rigid_report *out)
{
    sgdsched_priv_arena arena = sgdsched_priv_arena_at(NULL);
    sgdsched_priv_rigid c;
    double passed_s;
    size_t need = 0;
    sgdsched_status status = sgdsched_rigid_run_bytes(in, &need);
    if (status != SGDSCHED_OK) return status;
    if (!stay) return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_check_work(work, work_bytes, need);
    if (status != SGDSCHED_OK) return status;
    arena = sgdsched_priv_arena_at(work);
    sgdsched_priv_carve_rigid(in, &arena, &c);
    SGDSCHED_ASSERT(arena.used == need && !arena.overflow);
    c.stay = stay;
    sgdsched_priv_prepare_rigid(&c);
    while (c.next < in->jobs || c.queue.waits > 0 || c.ends.count > 0)
        sgdsched_priv_rigid_instant(&c);
    SGDSCHED_ASSERT(c.queue.waits == 0 && c.queue.used == 0 && c.oldest == in->jobs);
    if (!out) return SGDSCHED_OK;
    passed_s = c.end_s - in->job[0].arrival_s;
    out->killed = c.killed;
    out->backfilled = c.backfilled;
    out->most_waiting = c.most_waiting;
    out->end_s = c.end_s;
    out->utilization = passed_s > 0.0 ? c.nodes_s / passed_s / in->nodes : 0.0;
    if (out->utilization > 1.0) out->utilization = 1.0;      /* rounded */
    return SGDSCHED_OK;
}

/* ---- Rigid jobs: statistics ------------------------------------------------ */

static int sgdsched_priv_number_before(const void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return *(const double *)a < *(const double *)b;
}

static double sgdsched_priv_percentile(const double *x, size_t n, double p)
{
    const double at = p * (double)(n - 1);
    const size_t i = (size_t)at;
    SGDSCHED_ASSERT(n > 0 && i < n);
    return i + 1 < n ? x[i] + (at - (double)i) * (x[i + 1] - x[i]) : x[i];
}

static sgdsched_spread sgdsched_priv_spread_of(double *x, size_t n)
{
    sgdsched_spread s = { 0.0, 0.0, 0.0, 0.0 };
    size_t i;
    if (n == 0) return s;
    sgdsched_priv_sort(x, n, sizeof *x, sgdsched_priv_number_before, NULL);
    for (i = 0; i < n; i++) s.mean += x[i];
    s.mean /= (double)n;
    s.median = sgdsched_priv_percentile(x, n, 0.5);
    s.p95 = sgdsched_priv_percentile(x, n, 0.95);
    s.most = x[n - 1];
    return s;
}

enum {
    SGDSCHED_PRIV_STAY_WAIT, SGDSCHED_PRIV_STAY_RESPONSE, SGDSCHED_PRIV_STAY_SLOWDOWN,
    SGDSCHED_PRIV_STAY_BOUNDED
};

/* One of these values of a job. */
static double sgdsched_priv_stay_value(const sgdsched_rigid_job *job,
                                       const sgdsched_stay *stay, double threshold_s,
                                       int which)
{
    const double late_s = stay->start_s - job->arrival_s;
    const double wait_s = late_s > 0.0 ? late_s : 0.0;
    const double response_s = wait_s + stay->run_s;
    const double run_s = stay->killed ? stay->run_s : job->run_s;
    double bounded;
    if (which == SGDSCHED_PRIV_STAY_WAIT) return wait_s;
    if (which == SGDSCHED_PRIV_STAY_RESPONSE) return response_s;
    if (which == SGDSCHED_PRIV_STAY_SLOWDOWN) return response_s / run_s;
    bounded = response_s / (run_s > threshold_s ? run_s : threshold_s);
    return bounded > 1.0 ? bounded : 1.0;
}

static sgdsched_status sgdsched_priv_check_stays(const sgdsched_rigid_job *job,
                                                 const sgdsched_stay *stay, size_t jobs)
{
    size_t i;
    for (i = 0; i < jobs; i++)
        if (!(fabs(job[i].arrival_s) <= SGDSCHED_PRIV_LONGEST_S) ||
            !(fabs(stay[i].start_s) <= SGDSCHED_PRIV_LONGEST_S) ||
            !sgdsched_priv_is_span(stay[i].run_s) || !sgdsched_priv_is_span(job[i].run_s))
            return SGDSCHED_BAD_ARRIVAL;
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_describe_stays_bytes(size_t jobs, size_t *bytes)
{
    sgdsched_priv_arena arena = sgdsched_priv_arena_at(NULL);
    (void)sgdsched_priv_doubles(&arena, jobs);
    return sgdsched_priv_answer(&arena, bytes);
}

SGDSCHED_API sgdsched_status sgdsched_describe_stays(const sgdsched_stays *in, void *work,
                                                     size_t work_bytes,
                                                     sgdsched_stay_report *out)
{
    sgdsched_spread spread[4];
    double *x = (double *)work, limit_s;
    uint32_t most;
    size_t need = 0, n = 0, i;
    int which;
    sgdsched_status status = SGDSCHED_BAD_ARGUMENT;
    if (in) status = sgdsched_describe_stays_bytes(in->jobs, &need);
    if (status != SGDSCHED_OK) return status;
    most = in->most > 0 ? in->most : UINT32_MAX;
    limit_s = in->threshold_s > 0.0 ? in->threshold_s : 10.0;
    if (!out || (in->jobs > 0 && (!in->job || !in->stay)) || in->least > most ||
        !sgdsched_priv_is_time(in->threshold_s))
        return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_check_stays(in->job, in->stay, in->jobs);
    if (status == SGDSCHED_OK) status = sgdsched_priv_check_work(work, work_bytes, need);
    if (status != SGDSCHED_OK) return status;
    for (which = 0; which < 4; which++) {
        for (n = i = 0; i < in->jobs; i++)
            if (in->job[i].nodes >= in->least && in->job[i].nodes <= most)
                x[n++] = sgdsched_priv_stay_value(in->job + i, in->stay + i, limit_s,
                                                  which);
        spread[which] = sgdsched_priv_spread_of(x, n);
    }
    SGDSCHED_ASSERT(spread[0].most <= spread[1].most && n <= in->jobs);
    out->jobs = n;
    out->wait_s = spread[SGDSCHED_PRIV_STAY_WAIT];
    out->response_s = spread[SGDSCHED_PRIV_STAY_RESPONSE];
    out->slowdown = spread[SGDSCHED_PRIV_STAY_SLOWDOWN];
    out->bounded_slowdown = spread[SGDSCHED_PRIV_STAY_BOUNDED];
    return SGDSCHED_OK;
}

/* ---- Live queue ------------------------------------------------------------ */

SGDSCHED_API sgdsched_status sgdsched_queue_open_bytes(uint32_t nodes,
                                                       sgdsched_queueing policy,
                                                       size_t max_jobs, size_t *bytes)
{
    sgdsched_priv_arena arena = sgdsched_priv_arena_at(NULL);
    sgdsched_queue q;
    if (nodes == 0 || max_jobs == 0 || !bytes ||
        !sgdsched_queueing_about(policy))
        return SGDSCHED_BAD_ARGUMENT;
    if (max_jobs > (size_t)SGDSCHED_PRIV_NONE / 2) return SGDSCHED_TOO_LARGE;
    (void)sgdsched_priv_take(&arena, 1, sizeof q);
    sgdsched_priv_carve_queue(&arena, nodes, policy, max_jobs, 1, &q);
    return sgdsched_priv_answer(&arena, bytes);
}

SGDSCHED_API sgdsched_status sgdsched_queue_open(uint32_t nodes, sgdsched_queueing policy,
                                                 size_t max_jobs, void *work,
                                                 size_t work_bytes, sgdsched_queue **out)
{
    sgdsched_priv_arena arena = sgdsched_priv_arena_at(work);
    sgdsched_queue *q;
    size_t need = 0;
    sgdsched_status status = sgdsched_queue_open_bytes(nodes, policy, max_jobs, &need);
    if (status != SGDSCHED_OK) return status;
    if (!out) return SGDSCHED_BAD_ARGUMENT;
    status = sgdsched_priv_check_work(work, work_bytes, need);
    if (status != SGDSCHED_OK) return status;
    q = (sgdsched_queue *)sgdsched_priv_take(&arena, 1, sizeof *q);
    sgdsched_priv_carve_queue(&arena, nodes, policy, max_jobs, 1, q);
    SGDSCHED_ASSERT(arena.used == need && !arena.overflow);
    sgdsched_priv_prepare_queue(q);
    *out = q;
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_queue_advance(sgdsched_queue *q, double now_s)
{
    if (!q || !(now_s >= q->now_s && now_s <= SGDSCHED_PRIV_MOST))
        return SGDSCHED_BAD_ARGUMENT;
    sgdsched_priv_queue_go(q, now_s, now_s + SGDSCHED_PRIV_INSTANT * now_s);
    return SGDSCHED_OK;
}

/* The job of a number; NULL: absent. */
static sgdsched_priv_queued *sgdsched_priv_queue_job(const sgdsched_queue *q, size_t job)
{
    if (!q || job >= q->max_jobs) return NULL;
    return q->job[job].stage == SGDSCHED_PRIV_ABSENT ? NULL : q->job + job;
}

SGDSCHED_API sgdsched_status sgdsched_queue_submit(sgdsched_queue *q, size_t job,
                                                   uint32_t nodes, double walltime_s)
{
    if (!q || job >= q->max_jobs || nodes == 0 || nodes > q->room_nodes ||
        !sgdsched_priv_is_span(walltime_s))
        return SGDSCHED_BAD_ARGUMENT;
    if (sgdsched_priv_queue_job(q, job)) return SGDSCHED_BAD_JOB;
    sgdsched_priv_queue_submit(q, (uint32_t)job, nodes, walltime_s);
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_queue_leave(sgdsched_queue *q, size_t job)
{
    if (!q) return SGDSCHED_BAD_ARGUMENT;
    if (!sgdsched_priv_queue_job(q, job)) return SGDSCHED_BAD_JOB;
    sgdsched_priv_queue_end(q, (uint32_t)job);
    return SGDSCHED_OK;
}

/* Plans a running job anew, to end at another time. */
static void sgdsched_priv_queue_replan(sgdsched_queue *q, uint32_t job)
{
    const sgdsched_priv_queued *j = q->job + job;
    const double from_s = j->start_s > q->now_s ? j->start_s : q->now_s;
    const double end_s = j->start_s + j->planned_s;
    if (end_s > q->until_s[job]) sgdsched_priv_queue_scrap(q);
    sgdsched_priv_queue_unplan(q, job);
    q->until_s[job] = end_s;
    if (end_s <= from_s) return;
    q->until_s[job] = sgdsched_priv_plan_until(&q->plan, from_s, end_s - from_s);
    sgdsched_priv_plan_add(&q->plan, from_s, q->until_s[job], -(int64_t)j->nodes);
}

SGDSCHED_API sgdsched_status sgdsched_queue_set_walltime(sgdsched_queue *q, size_t job,
                                                         double walltime_s)
{
    sgdsched_priv_queued *j = sgdsched_priv_queue_job(q, job);
    int waits;
    if (!q || !sgdsched_priv_is_span(walltime_s)) return SGDSCHED_BAD_ARGUMENT;
    if (!j) return SGDSCHED_BAD_JOB;
    waits = j->stage == SGDSCHED_PRIV_WAITS;
    if (waits) sgdsched_priv_queue_part(q, (uint32_t)job);
    j->planned_s = walltime_s;
    if (waits) sgdsched_priv_queue_join(q, (uint32_t)job);
    if (j->stage == SGDSCHED_PRIV_RUNS && sgdsched_priv_queue_plans(q))
        sgdsched_priv_queue_replan(q, (uint32_t)job);
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_queue_set_nodes(sgdsched_queue *q, uint32_t nodes)
{
    const uint32_t before = q ? q->nodes : 0;
    uint32_t i;
    if (!q || nodes > q->room_nodes || nodes < q->used) return SGDSCHED_BAD_ARGUMENT;
    if (nodes < before) sgdsched_priv_queue_scrap(q);
    for (i = 0; i < q->max_jobs && nodes < before; i++) {
        if (q->job[i].stage != SGDSCHED_PRIV_WAITS || q->job[i].nodes <= nodes) continue;
        sgdsched_priv_queue_part(q, i);
        q->job[i].stage = SGDSCHED_PRIV_HELD;
    }
    q->nodes = nodes;
    q->idle = nodes - (uint32_t)q->used;
    SGDSCHED_ASSERT(q->used + q->idle == q->nodes);
    if (sgdsched_priv_queue_plans(q)) sgdsched_priv_plan_resize(&q->plan, nodes);
    if (nodes > before) {
        q->early = 1;
        q->freed_s = DBL_MAX;
    }
    for (i = 0; i < q->max_jobs && nodes > before; i++)
        if (q->job[i].stage == SGDSCHED_PRIV_HELD && q->job[i].nodes <= nodes)
            sgdsched_priv_queue_join(q, i);
    return SGDSCHED_OK;
}

SGDSCHED_API sgdsched_status sgdsched_queue_decide(sgdsched_queue *q, size_t *start,
                                                   size_t *starts)
{
    uint32_t i;
    if (!q || !start || !starts) return SGDSCHED_BAD_ARGUMENT;
    sgdsched_priv_queue_decide(q);
    for (i = 0; i < q->starts; i++) {
        sgdsched_priv_queued *j = q->job + q->start[i];
        SGDSCHED_ASSERT(j->stage == SGDSCHED_PRIV_RUNS);
        if (j->start_s < q->now_s) j->start_s = q->now_s;
        start[i] = q->start[i];
    }
    *starts = q->starts;
    return SGDSCHED_OK;
}

SGDSCHED_API double sgdsched_queue_next_s(const sgdsched_queue *q)
{
    if (!q || !(q->next_s < DBL_MAX)) return HUGE_VAL;
    return q->next_s > q->now_s ? q->next_s : q->now_s;
}

SGDSCHED_API double sgdsched_queue_start_s(sgdsched_queue *q, size_t job)
{
    const sgdsched_priv_queued *j = sgdsched_priv_queue_job(q, job);
    double start_s;
    int64_t free;
    if (!j || j->stage == SGDSCHED_PRIV_HELD) return HUGE_VAL;
    start_s = j->start_s;
    if (j->stage == SGDSCHED_PRIV_RUNS) return start_s;
    if (q->how.plans == SGDSCHED_PLANS_FIRST
        && sgdsched_priv_forest_oldest(&q->forest) == job)
        start_s = sgdsched_priv_plan_find(&q->plan, j->nodes, &free);
    if (start_s < q->now_s) return q->now_s;
    return start_s < DBL_MAX ? start_s : HUGE_VAL;
}

SGDSCHED_API uint32_t sgdsched_queue_idle_nodes(const sgdsched_queue *q)
{
    return q ? q->idle : 0;
}

/* ---- Renting machines ------------------------------------------------------ */

SGDSCHED_API const char *sgdsched_verdict_text(sgdsched_verdict verdict)
{
#define SGDSCHED_X(name, text) text,
    static const char *const text[] = { SGDSCHED_VERDICT_TABLE(SGDSCHED_X) };
#undef SGDSCHED_X
    return sgdsched_priv_text(text, SGDSCHED_VERDICT_COUNT, (size_t)verdict);
}

static sgdsched_verdict sgdsched_priv_verdict(double low, double value, double high,
                                              double limit)
{
    SGDSCHED_ASSERT(low <= value && value <= high);
    if (!(limit > 0.0) || high <= limit) return SGDSCHED_VERDICT_YES;
    if (value <= limit) return SGDSCHED_VERDICT_LIKELY;
    return low <= limit ? SGDSCHED_VERDICT_UNLIKELY : SGDSCHED_VERDICT_NO;
}

/* Throughput, as if each choice needed the batches of the goal. */
static double sgdsched_priv_pace(const sgdsched_choice *c, const sgdsched_goal *goal)
{
    return c->batches > 0.0 ? goal->batches / c->batches * c->batches_per_s
                            : c->batches_per_s;
}

static sgdsched_outlay sgdsched_priv_outlay(const sgdsched_choice *c,
                                            const sgdsched_goal *goal)
{
    sgdsched_outlay o;
    o.time_s = goal->batches / sgdsched_priv_pace(c, goal);
    o.time_low_s = o.time_s / (1.0 + c->high);
    o.time_high_s = c->low < 1.0 ? o.time_s / (1.0 - c->low) : HUGE_VAL;
    o.cost = c->price_per_s * o.time_s;
    o.cost_low = c->price_per_s * o.time_low_s;
    o.cost_high = c->price_per_s > 0.0 ? c->price_per_s * o.time_high_s : 0.0;
    o.in_time = sgdsched_priv_verdict(o.time_low_s, o.time_s, o.time_high_s,
                                      goal->deadline_s);
    o.in_budget = sgdsched_priv_verdict(o.cost_low, o.cost, o.cost_high, goal->budget);
    return o;
}

/* Limits that a choice must keep to be picked. */
enum { SGDSCHED_PRIV_IN_TIME = 1, SGDSCHED_PRIV_IN_BUDGET = 2, SGDSCHED_PRIV_SURELY = 4 };

static int sgdsched_priv_keeps(const sgdsched_outlay *o, unsigned limits)
{
    const sgdsched_verdict worst = limits & SGDSCHED_PRIV_SURELY
                                 ? SGDSCHED_VERDICT_YES : SGDSCHED_VERDICT_LIKELY;
    if ((limits & SGDSCHED_PRIV_IN_TIME) && o->in_time > worst) return 0;
    return !((limits & SGDSCHED_PRIV_IN_BUDGET) && o->in_budget > worst);
}

typedef enum sgdsched_priv_order {
    SGDSCHED_PRIV_TIME, SGDSCHED_PRIV_COST, SGDSCHED_PRIV_PRODUCT, SGDSCHED_PRIV_EXCESS
} sgdsched_priv_order;

/* EXCESS: the larger of time over deadline and cost over budget. */
static double sgdsched_priv_order_of(const sgdsched_outlay *o, const sgdsched_goal *goal,
                                     sgdsched_priv_order by)
{
    const double late = goal->deadline_s > 0.0 ? o->time_s / goal->deadline_s : 0.0;
    const double dear = goal->budget > 0.0 ? o->cost / goal->budget : 0.0;
    if (by == SGDSCHED_PRIV_TIME) return o->time_s;
    if (by == SGDSCHED_PRIV_COST) return o->cost;
    if (by == SGDSCHED_PRIV_PRODUCT) return sqrt(o->time_s) * sqrt(o->cost);
    SGDSCHED_ASSERT(by == SGDSCHED_PRIV_EXCESS);
    return late > dear ? late : dear;
}

typedef struct sgdsched_priv_offer {
    const sgdsched_choice *choice;
    size_t                 n;
    const sgdsched_goal   *goal;
} sgdsched_priv_offer;

/* Picks the choice with the least `first`; within tolerance of that the least `second`;
 * within tolerance of both the fewest workers, then the first. n: no choice fits. */
static size_t sgdsched_priv_pick(const sgdsched_priv_offer *of, unsigned limits,
                                 sgdsched_priv_order first, sgdsched_priv_order second)
{
    const sgdsched_choice *choice = of->choice;
    const double tolerance = of->goal->tolerance;
    const double room = 1.0 + (tolerance > 0.0 ? tolerance : 0.01);
    double least = HUGE_VAL, least_second = HUGE_VAL;
    size_t pass, best = of->n, i;
    for (pass = 0; pass < 3; pass++)
        for (i = 0; i < of->n; i++) {
            const sgdsched_outlay o = sgdsched_priv_outlay(&choice[i], of->goal);
            const double a = sgdsched_priv_order_of(&o, of->goal, first);
            const double b = sgdsched_priv_order_of(&o, of->goal, second);
            if (!sgdsched_priv_keeps(&o, limits)) continue;
            if (pass == 0) least = fmin(least, a);
            if (pass == 0 || !(a <= least * room)) continue;
            if (pass == 1) least_second = fmin(least_second, b);
            if (pass == 1 || !(b <= least_second * room)) continue;
            if (best == of->n || choice[i].workers < choice[best].workers) best = i;
        }
    SGDSCHED_ASSERT(best < of->n || limits != 0);
    return best;
}

/* The knee, see sgdsched_advise, below the choice `last`; `last` if there is none. */
static size_t sgdsched_priv_knee(const sgdsched_priv_offer *of, size_t last)
{
    const sgdsched_choice *choice = of->choice, *to = choice + last, *from = to;
    const double tolerance = of->goal->tolerance, top = sgdsched_priv_pace(to, of->goal);
    double most = (tolerance > 0.0 ? tolerance : 0.01) * top, low = top, speed;
    size_t best = last, i;
    for (i = 0; i < of->n; i++) {
        if (choice[i].workers > to->workers) return last;
        if (choice[i].price_per_s > from->price_per_s) continue;
        speed = sgdsched_priv_pace(choice + i, of->goal);
        if (!(choice[i].price_per_s < from->price_per_s || speed > low)) continue;
        from = choice + i;
        low = speed;
    }
    for (i = 0; i < of->n && from->price_per_s < to->price_per_s; i++) {
        const double part = (choice[i].price_per_s - from->price_per_s)
                          / (to->price_per_s - from->price_per_s);
        speed = sgdsched_priv_pace(choice + i, of->goal) - (low + part * (top - low));
        if (part > 1.0 || !(speed > most)) continue;
        most = speed;
        best = i;
    }
    SGDSCHED_ASSERT(best < of->n);
    return best;
}

static int sgdsched_priv_choices_in_range(const sgdsched_choice *choice, size_t n,
                                             const sgdsched_goal *goal)
{
    size_t i;
    if (!choice || !goal || n == 0) return 0;
    if (!sgdsched_priv_is_rate(goal->batches)
        || !sgdsched_priv_is_time(goal->deadline_s)
        || !sgdsched_priv_is_time(goal->budget)
        || !sgdsched_priv_is_time(goal->tolerance)) return 0;
    for (i = 0; i < n; i++) {
        const sgdsched_choice *c = choice + i;
        const double time_s = goal->batches / sgdsched_priv_pace(c, goal);
        if (c->workers == 0 || !sgdsched_priv_is_rate(c->batches_per_s)
            || !sgdsched_priv_is_time(c->low) || !sgdsched_priv_is_time(c->high)
            || !sgdsched_priv_is_time(c->batches)
            || !sgdsched_priv_is_time(c->price_per_s)
            || !sgdsched_priv_is_rate(time_s)
            || !sgdsched_priv_is_time(c->price_per_s * time_s)) return 0;
    }
    return 1;
}

SGDSCHED_API sgdsched_status sgdsched_advise(const sgdsched_choice *choice, size_t n,
                                             const sgdsched_goal *goal,
                                             sgdsched_outlay *outlay,
                                             sgdsched_advice *advice)
{
    const unsigned both = SGDSCHED_PRIV_IN_TIME | SGDSCHED_PRIV_IN_BUDGET;
    const sgdsched_priv_order time = SGDSCHED_PRIV_TIME, cost = SGDSCHED_PRIV_COST;
    const sgdsched_priv_offer of = { choice, n, goal };
    sgdsched_advice a;
    size_t i;
    if (!advice || !sgdsched_priv_choices_in_range(choice, n, goal))
        return SGDSCHED_BAD_ARGUMENT;
    a.cheapest = sgdsched_priv_pick(&of, SGDSCHED_PRIV_IN_TIME, cost, time);
    a.fastest = sgdsched_priv_pick(&of, SGDSCHED_PRIV_IN_BUDGET, time, cost);
    a.surest = sgdsched_priv_pick(&of, both | SGDSCHED_PRIV_SURELY, cost, time);
    a.excess = 0.0;
    a.rule = goal->deadline_s > 0.0 ? SGDSCHED_RULE_CHEAPEST
           : goal->budget > 0.0 ? SGDSCHED_RULE_FASTEST : SGDSCHED_RULE_BALANCED;
    a.recommended = a.rule == SGDSCHED_RULE_FASTEST ? a.fastest
        : a.rule == SGDSCHED_RULE_CHEAPEST ? sgdsched_priv_pick(&of, both, cost, time)
        : sgdsched_priv_pick(&of, 0, SGDSCHED_PRIV_PRODUCT, time);
    if (a.recommended == n) {
        sgdsched_outlay o;
        a.rule = SGDSCHED_RULE_NEAREST;
        a.recommended = sgdsched_priv_pick(&of, 0, SGDSCHED_PRIV_EXCESS, cost);
        SGDSCHED_ASSERT(a.recommended < n);
        o = sgdsched_priv_outlay(&choice[a.recommended], goal);
        a.excess = sgdsched_priv_order_of(&o, goal, SGDSCHED_PRIV_EXCESS) - 1.0;
        SGDSCHED_ASSERT(a.excess >= 0.0);
    }
    if (a.rule == SGDSCHED_RULE_BALANCED) {
        const size_t knee = sgdsched_priv_knee(&of, a.recommended);
        if (knee != a.recommended) a.rule = SGDSCHED_RULE_KNEE;
        a.recommended = knee;
    }
    for (i = 0; outlay && i < n; i++) outlay[i] = sgdsched_priv_outlay(&choice[i], goal);
    *advice = a;
    return SGDSCHED_OK;
}

#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_SCHED_IMPLEMENTATION */

/* REFERENCES
 *   [LPCG18] S.-H. Lin, M. Paolieri, C.-F. Chou, L. Golubchik, A Model-Based Approach to
 *            Streamlining Distributed Training for Asynchronous SGD, MASCOTS 2018.
 *   [BDH17]  B. Berg, J. L. Dorsman, M. Harchol-Balter, Towards Optimality in Parallel
 *            Scheduling, arXiv 1707.07097, 2017.
 *   [BCMP75] F. Baskett et al., Open, Closed, and Mixed Networks of Queues with
 *            Different Classes of Customers, J. ACM 22(2), 1975.
 *   [LC79]   A. M. Law, J. S. Carson, A Sequential Procedure for Determining the Length
 *            of a Steady-State Simulation, Operations Research 27(5), 1979.
 *   [AS64]   M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 1964.
 *   [MF01]   A. W. Mu'alem, D. G. Feitelson, Utilization, Predictability, Workloads, and
 *            User Runtime Estimates in Scheduling the IBM SP2 with Backfilling, IEEE
 *            Transactions on Parallel and Distributed Systems 12(6), 2001.
 *   [FR98]   D. G. Feitelson, L. Rudolph, Metrics and Benchmarking for Parallel Job
 *            Scheduling, JSSPP 1998.
 *   [Ben75]  J. L. Bentley, Multidimensional Binary Search Trees Used for Associative
 *            Searching, Communications of the ACM 18(9), 1975.
 *   [BS80]   J. L. Bentley, J. B. Saxe, Decomposable Searching Problems I:
 *            Static-to-Dynamic Transformation, Journal of Algorithms 1(4), 1980.
 *   [Knu98]  D. E. Knuth, The Art of Computer Programming 3: Sorting and Searching,
 *            second edition, 1998.
 *   [K79]    L. Kleinrock, Power and Deterministic Rules of Thumb for Probabilistic
 *            Problems in Computer Communications, ICC 1979.
 *   [SLF14]  G. L. Steele, D. Lea, C. H. Flood, Fast Splittable Pseudorandom Number
 *            Generators, OOPSLA 2014.
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
