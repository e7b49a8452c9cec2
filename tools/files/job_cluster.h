/* job_cluster.h - what of job.h does not depend on the row of a profile */
#ifndef TOOLS_FILES_JOB_CLUSTER_H
#define TOOLS_FILES_JOB_CLUSTER_H

#include "files/job.h"

/* Refuses what would be ignored; a value that changes nothing (--servers 1) may stand. */
void job_check_options(const job_set *set, const args *a);

/* A job of the options for the cluster, the workers' types and the model; the rest is 0. */
sgdp_job job_read_cluster(const job_set *set, const args *a);

/* Row i's workers while it was measured: --measured-on or the column of that name; 0: one
 * alone. */
uint32_t job_read_measured_on(const job_set *set, const args *a, size_t i);

/* The job of one worker alone from one as measured with several, see job_fit.h. */
sgdp_status job_take_waiting_out(const sgdp_job *job, sgdp_model model, uint32_t workers,
                                 sgdp_job *out);

/* Job i, measured with so many workers, to one worker's, if not `kept`: with its compute
 * time alone, for the bandwidth to be fitted. */
void job_convert_measured(job_set *set, size_t i, int kept);

/* What an option or row gives, and whether the step is in a column of the profile. */
typedef struct job_given { int forward, uplink, downlink, step_column; } job_given;

/* Row i's measured step beside its phases: says what is assumed where they differ, and drops
 * the step where it cannot hold the transfers. */
void job_check_step(const job_set *set, size_t row, sgdp_job *job, const job_given *given);

/* Notes a --vary-sample that cannot be of the computation. */
void job_check_sample(const job_set *set);

/* The intervals in row i's columns. */
void job_read_unsure(job_set *set, const args *a, size_t i);

#endif /* TOOLS_FILES_JOB_CLUSTER_H */
