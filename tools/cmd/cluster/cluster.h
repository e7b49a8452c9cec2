/* cluster.h - simulations of a cluster: what they need, and what comes out */
#ifndef TOOLS_CMD_CLUSTER_CLUSTER_H
#define TOOLS_CMD_CLUSTER_CLUSTER_H

#include "options/args.h"
#include "base/output.h"
#include "files/curves.h"
#include "import/jobtrace.h"

enum {
    CLUSTER_QUANTILES = 4,    /* .5 .9 .95 .99, and 0.01 .. 0.99 behind them        */
    CLUSTER_MEDIAN = 0, CLUSTER_P95 = 2,
    CLUSTER_PROBABILITIES = CLUSTER_QUANTILES + 99,
    CLUSTER_MOST_POINTS = 100000
};

/* A policy of either kind, by its word. */
typedef struct cluster_policy {
    const char       *name;
    int               is_rigid; /* jobs keep their nodes                            */
    sgdsched_queueing queueing; /* if so, else                                      */
    sgdsched_policy   sharing;
} cluster_policy;

/* The nodes that a job had in a simulation. */
typedef struct cluster_hold {
    double   start_s;         /* when it first had nodes; -1: never                 */
    double   node_s;          /* nodes times seconds, up to since_s                 */
    double   since_s;
    uint32_t nodes;           /* from since_s on                                    */
    output   changes;         /* "0:3 5:1": its nodes from times on                 */
} cluster_hold;

/* One simulation: what is its own. */
typedef struct cluster_point {
    double          load;     /* 0: none, jobs are given                            */
    sgdsched_policy policy;
    uint32_t        chunk;    /* of JSQ, else 0                                     */
    double          gamma;
} cluster_point;

/* Mean number of jobs that an arriving job finds, in the first and the last fifth of the log;
 * 0: it does not grow from each fifth to the next, to more than twice. */
typedef struct cluster_growth { double first, last; } cluster_growth;

typedef struct cluster_outcome {
    sgdsched_status   status;
    cluster_growth    growth; /* of given jobs that are not done                    */
    sgdsched_cluster_report report; /* its pointers are not to be used              */
    sgdsched_estimate quantile_s[CLUSTER_PROBABILITIES];
    sgdsched_part_report *part; /* [parts] and their quantiles, those of the CDF with --cdf  */
} cluster_outcome;

typedef struct cluster {
    cluster_policy   *policy; /* [policies] as they are given                       */
    size_t            policies;
    size_t            rigid;  /* how many of them are of rigid jobs                 */
    sgdsched_cluster  base;   /* what all points share                              */
    sgdsched_shared_link link; /* of --network-sharing                              */
    curve_set         curves;
    int               given;  /* jobs are given                                     */
    sgdsched_arrival *arrival; /* [jobs] if so, in order of arrival                 */
    const char      **job;    /* [jobs] their names                                 */
    uint32_t         *own;    /* [jobs] nodes that each had, or needs; NULL: not known */
    size_t            jobs;
    jobtrace          trace;  /* owns the names, where they come from one           */
    const char       *trace_name;
    cluster_point    *point;  /* [points] of policies that change the nodes of jobs; */
    size_t            points; /*   chunks of a JSQ without --chunk in a row         */
    size_t            gammas; /* that are given; of each point                      */
    int               table;  /* of several points: a row each                      */
    int               cdf;    /* of parts                                           */
    size_t            processes;
    double           *completion_s; /* [jobs] of the last point that ran here       */
    unsigned char    *cancelled;    /* [jobs]                                       */
    cluster_hold     *hold;         /* [jobs]                                       */
    int               changes;      /* it has changes                               */
} cluster;

/* The probability that quantile_s[i] belongs to. */
double cluster_probability(size_t i);

/* ---- trace.c: the public trace that --jobs and --trace-format name, with notes of what
 * it leaves out */

void cluster_read_trace(cluster *c, const args *a);

/* ---- recognise.c: before rules are checked, what follows from FILE and its format, as if it
 * were given; fails where --nodes is missing, with the nodes that the log would need */

void cluster_recognise(args *a);
void cluster_check_nodes(const cluster *c, const args *a);

/* ---- read.c: options, or fails */

/* The policies of either kind, and processes. */
void cluster_read_policies(cluster *c, const args *a);

/* How simulations run under policies that change the nodes of jobs; behind the trace. */
void cluster_read_run(cluster *c, const args *a);
void cluster_read_points(cluster *c, const args *a);

/* All of the command without rigid jobs. */
void cluster_read(cluster *c, const args *a);

/* ---- workload.c: jobs that arrive at random */

void cluster_read_workload(cluster *c, const args *a);

/* ---- jobs.c: jobs that are given, and the limits of their nodes */

/* All that belongs to --jobs without rigid jobs. */
void cluster_read_given(cluster *c, const args *a);

/* --curves, where it is given; those that are built in end at so many nodes. */
void cluster_read_curves(cluster *c, const args *a, uint32_t nodes);

/* The column network_share of --curves, if --network-sharing is given: jobs slow each other. */
void cluster_read_sharing(cluster *c, const args *a);

/* The columns of a table of jobs that all such tables may have, and what a row has. */
enum { CLUSTER_LIMITS = 3 };
typedef struct cluster_columns { int job, arrival, curve, limit[CLUSTER_LIMITS]; } cluster_columns;

void cluster_find_columns(cluster_columns *at, const csv_table *t);
void cluster_take_row(cluster *c, const csv_table *t, size_t row, const cluster_columns *at,
                      const args *a);

/* Room for so many jobs; and the jobs of the trace, but those of more than `most` nodes,
 * which leave c->trace. */
void cluster_take_jobs(cluster *c, size_t jobs);
void cluster_take_trace(cluster *c, uint32_t most);

/* How wide the widest job of the trace is, and how many the cluster cannot hold at once. */
uint32_t cluster_widest(const cluster *c, size_t *wider);

/* The curve that --trace-curve names, without it the first. */
size_t cluster_trace_curve(const cluster *c, const args *a);

/* The least and the most nodes that a job can have on a cluster of so many: whole gangs. */
uint32_t cluster_least_nodes(const sgdsched_arrival *job);
uint32_t cluster_most_nodes(const sgdsched_arrival *job, uint32_t nodes);

/* Where jobs have no limits of their own, those of the options; fails if one cannot run. */
void cluster_limit_all(cluster *c, const args *a);

/* Fails where a job may not have a chunk of JSQ, notes where a curve has several knees. */
void cluster_check_points(const cluster *c);

/* ---- run.c */

/* Simulates a point; the report is the caller's to prepare. */
sgdsched_status cluster_simulate(const cluster *c, const cluster_point *point,
                                 const sgdsched_watch *watch, sgdsched_cluster_report *report);

/* Runs all points, several in parallel: out[points]. */
void cluster_run_all(cluster *c, cluster_outcome *out);

/* Runs one, in this process, with its completions; shows how far it is. */
void cluster_run_one(cluster *c, const cluster_point *point, cluster_outcome *out);

/* Of points that differ in the chunk of one JSQ alone that of the smallest mean response time
 * of the stable ones, without any that which lasted longest: (*best)[returned] indices. */
size_t cluster_best(const cluster *c, const cluster_outcome *out, size_t **best);

/* until_s[jobs]: when each job has its nodes, or is done; they are sorted. And a note of it. */
cluster_growth cluster_grows(const cluster *c, double *until_s);
void cluster_note_growth(const char *policy, const char *found, cluster_growth g);

/* What a mean of given jobs is worth. */
void cluster_note(const cluster *c, const cluster_point *point, const cluster_outcome *o);

/* ---- print.c */

/* These points, of a single one as --cdf and --completions say; returns the exit status. */
int cluster_print(output *out, const cluster *c, const cluster_outcome *outcome,
                  const size_t *point, size_t points, const args *a);

void cluster_print_curves(output *out, const curve_set *set);

/* ---- rigid.c: all of the command with policies of rigid jobs; its exit status */

int cluster_run_rigid(cluster *c, const args *a);

#endif /* TOOLS_CMD_CLUSTER_CLUSTER_H */
