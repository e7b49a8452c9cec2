/* rigid.h - simulations of queues of rigid jobs: what they need, and what comes out */
#ifndef TOOLS_CMD_CLUSTER_RIGID_H
#define TOOLS_CMD_CLUSTER_RIGID_H

#include "base/tool.h"
#include "files/jobtrace.h"
#include "sgdperf_sched.h"

/* "fcfs", "easy", ... by sgdsched_queueing. */
extern const char *const rigid_policy_names[SGDSCHED_QUEUEING_COUNT];

typedef struct rigid_outcome {
    sgdsched_queueing     policy;
    sgdsched_stay        *stay;    /* [jobs]                                        */
    sgdsched_rigid_report report;
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
} rigid;

/* ---- rigid.c: statistics of jobs of so many nodes, by policy; `policies`: those seen */

sgdsched_stay_report rigid_describe(const rigid *r, size_t policy, uint32_t least,
                                    uint32_t most);

/* ---- rigid_print.c */

void rigid_print(output *out, const rigid *r, const args *a);

#endif /* TOOLS_CMD_CLUSTER_RIGID_H */
