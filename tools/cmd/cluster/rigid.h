/* rigid.h - simulations of queues of rigid jobs: what they need, and what comes out */
#ifndef TOOLS_CMD_CLUSTER_RIGID_H
#define TOOLS_CMD_CLUSTER_RIGID_H

#include "options/args.h"
#include "base/output.h"
#include "files/curves.h"
#include "import/jobtrace.h"
#include "sgdperf_sched.h"

typedef struct rigid_outcome {
    const char           *name;    /* of the policy                                 */
    int                   changes; /* it changes the nodes of jobs, and is          */
    sgdsched_policy       sharing; /*   this, or else                               */
    sgdsched_queueing     policy;
    sgdsched_stay        *stay;    /* [jobs]                                        */
    sgdsched_rigid_report report;  /* changes: utilization and end_s alone          */
    sgdsched_stay_report  stays;   /* of all jobs                                   */
} rigid_outcome;

typedef struct rigid {
    sgdsched_rigid      base;
    sgdsched_rigid_job *job;       /* [base.jobs], base.job                         */
    const char        **name;      /* [jobs]                                        */
    double             *wait_s;    /* [jobs] observed; -1: not recorded             */
    jobtrace            trace;     /* owns the names, where they come from one      */
    double              threshold_s;
    rigid_outcome      *outcome;   /* [policies]                                    */
    size_t              policies;
    /* What was observed in the trace, of the jobs whose waits are recorded. */
    sgdsched_rigid_job *seen;      /* [seen_jobs]                                   */
    sgdsched_stay      *seen_stay;
    size_t              seen_jobs;
    const args         *args;
    size_t              processes; /* at work                                       */
    int                 shared;    /* all of them have the same stays               */
    /* What the policies that change the nodes of jobs need, if there is one. */
    size_t              sharing;   /* how many of them                              */
    curve_set           curves;
    sgdsched_arrival   *arrival;   /* [jobs] the same jobs, with their limits       */
} rigid;

/* ---- rigid_run.c: all policies on all jobs */

void rigid_run(rigid *r);

/* Statistics of jobs of so many nodes, by policy; `policies`: those seen. */
sgdsched_stay_report rigid_describe(const rigid *r, size_t policy, uint32_t least,
                                    uint32_t most);

/* ---- mixed.c: policies that change the nodes of jobs, on the same jobs */

/* The curves, or nothing without such a policy; trace: jobs are of a log. */
void mixed_read_curves(rigid *r, const args *a);
void mixed_take_jobs(rigid *r, const args *a);
void mixed_run(const rigid *r, rigid_outcome *to, const args *a);

/* ---- rigid_print.c */

void rigid_print(output *out, const rigid *r, const args *a);

#endif /* TOOLS_CMD_CLUSTER_RIGID_H */
