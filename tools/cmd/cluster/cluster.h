/* cluster.h - simulations of a cluster: what they need, and what comes out */
#ifndef TOOLS_CMD_CLUSTER_CLUSTER_H
#define TOOLS_CMD_CLUSTER_CLUSTER_H

#include "options/args.h"
#include "base/csv.h"
#include "base/output.h"
#include "files/curves.h"
#include "import/jobtrace.h"

enum {
    CLUSTER_QUANTILES = 4,    /* .5 .9 .95 .99, and 0.01 .. 0.99 behind them        */
    CLUSTER_MEDIAN = 0, CLUSTER_P95 = 2,
    CLUSTER_PROBABILITIES = CLUSTER_QUANTILES + 99,
    CLUSTER_MOST_POINTS = 100000,
    CLUSTER_MOST_PARTS = 1000      /* a megabyte each                               */
};

/* One simulation: what is its own. */
typedef struct cluster_point {
    double          load;     /* 0: none, jobs are given                            */
    sgdsched_policy policy;
    uint32_t        chunk;    /* of JSQ, else 0                                     */
    double          gamma;
} cluster_point;

typedef struct cluster_outcome {
    sgdsched_status   status;
    sgdsched_cluster_report report; /* its pointers are not to be used              */
    sgdsched_estimate quantile_s[CLUSTER_PROBABILITIES];
    sgdsched_part_report *part; /* [parts] and their quantiles, those of the CDF with --cdf  */
} cluster_outcome;

typedef struct cluster {
    sgdsched_cluster  base;   /* what all points share                              */
    curve_set         curves;
    int               given;  /* jobs are given                                     */
    sgdsched_arrival *arrival; /* [jobs] if so, in order of arrival                 */
    const char      **job;    /* [jobs] their names                                 */
    size_t            jobs;
    jobtrace          trace;  /* owns the names, where they come from one           */
    const char       *trace_name;
    cluster_point    *point;  /* [points] chunks of a JSQ without --chunk in a row  */
    size_t            points;
    size_t            gammas; /* that are given; of each point                      */
    int               cdf;    /* of parts                                           */
    size_t            processes;
    double           *completion_s; /* [jobs] of the last point that ran here       */
    unsigned char    *cancelled;    /* [jobs]                                       */
} cluster;

/* The probability that quantile_s[i] belongs to. */
double cluster_probability(size_t i);

/* ---- trace.c: the public trace that --jobs and --trace-format name, with notes of what
 * it leaves out; returns the name of its file */

const char *cluster_read_trace(jobtrace *trace, const args *a);

/* ---- rigid.c: all of the command for policies of rigid jobs; its exit status */

int cluster_is_rigid(const args *a);
int cluster_run_rigid(const args *a);

/* ---- read.c: from arguments and files, or fails */

void cluster_read(cluster *c, const args *a);

/* ---- parts.c: times until parts of jobs are done */

/* --fractions, --by-curve and --gamma, behind cluster_read. */
void cluster_read_parts(cluster *c, const args *a);

/* Of the points of these indices, a row for each part, or for each percentile of it. */
void cluster_print_parts(output *out, unsigned in, const cluster *c,
                         const cluster_outcome *outcome, const size_t *point, size_t points);
void cluster_print_part_cdfs(output *out, unsigned in, const cluster *c,
                             const cluster_outcome *outcome, const size_t *point, size_t points);

/* ---- limits.c: how many nodes a job may have */

typedef struct cluster_limits {
    uint32_t min_nodes, max_nodes, gang_nodes; /* 0: not given                      */
    int      own;             /* at most as many as the job had, or needs           */
} cluster_limits;

void cluster_read_limits(cluster_limits *l, const args *a, uint32_t nodes);

/* The columns min_nodes, max_nodes, gang_nodes, where they are there, and what a row has. */
enum { CLUSTER_LIMITS = 3 };

void cluster_limit_columns(const csv_table *t, int column[CLUSTER_LIMITS]);
void cluster_limits_of_row(sgdsched_arrival *to, const csv_table *t, size_t row,
                           const int column[CLUSTER_LIMITS], uint32_t nodes);

/* The least and the most nodes that a job can have on a cluster of so many: whole gangs. */
uint32_t cluster_least_nodes(const sgdsched_arrival *job);
uint32_t cluster_most_nodes(const sgdsched_arrival *job, uint32_t nodes);

/* Where a job has no limits of its own, those of the options; fails if it cannot run. */
void cluster_limit(sgdsched_arrival *to, const cluster_limits *l, uint32_t own, uint32_t nodes,
                   const curve_set *set, const char *job);
void cluster_limit_all(cluster *c, const args *a);

/* Fails where a job may not have a chunk of JSQ. */
void cluster_check_chunk(const sgdsched_arrival *job, uint32_t chunk, uint32_t nodes,
                         const char *name);

/* Fails where a job had, or may have, more nodes than its curve has rows: the answer would
 * be another one by where the curve ends. */
void cluster_check_curve(const sgdsched_arrival *job, const curve_set *set, uint32_t own,
                         uint32_t nodes, const char *name);

/* ---- run.c */

/* Runs all points, several in parallel: out[points]. */
void cluster_run_all(cluster *c, cluster_outcome *out);

/* Runs one, in this process, with its completions; shows how far it is. */
void cluster_run_one(cluster *c, const cluster_point *point, cluster_outcome *out);

/* The index of the best of the points first .. first + count - 1, chunks of one JSQ: the
 * smallest mean response time of the stable ones; without any, what lasted longest. */
size_t cluster_best(const cluster_outcome *out, size_t first, size_t count);

/* How many points from `first` on differ in their chunks alone. */
size_t cluster_chunks(const cluster *c, size_t first);

/* ---- print.c: the first two return the exit status */

/* One point, of index `best`, as the options --cdf and --completions say. */
int cluster_print_one(output *out, const cluster *c, const cluster_outcome *outcome, size_t best,
                      const args *a);

/* All points, the best chunk standing for a JSQ. */
int cluster_print_all(output *out, const cluster *c, const cluster_outcome *outcome);

void cluster_print_curves(output *out, const curve_set *set);

#endif /* TOOLS_CMD_CLUSTER_CLUSTER_H */
