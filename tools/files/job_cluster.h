/* job_cluster.h - what of job.h does not depend on the row of a profile */
#ifndef TOOLS_FILES_JOB_CLUSTER_H
#define TOOLS_FILES_JOB_CLUSTER_H

#include "files/job.h"

/* Refuses what would be ignored; a value that changes nothing (--servers 1) may stand. */
void job_check_options(const job_set *set, const args *a);

/* A job of the options for the cluster, the workers' types and the model; the rest is 0. */
sgdp_job job_read_cluster(const job_set *set, const args *a);

#endif /* TOOLS_FILES_JOB_CLUSTER_H */
