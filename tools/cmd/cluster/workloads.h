/* workloads.h - named workloads of sgdperf cluster: published networks and their curves */
#ifndef TOOLS_CMD_CLUSTER_WORKLOADS_H
#define TOOLS_CMD_CLUSTER_WORKLOADS_H

#include "sgdperf.h"
#include "files/curves.h"

/* The curves of "four", "large" or "alexnet", on up to `nodes` nodes, and their kinds of
 * jobs; `links`: how those of a parameter server are shared; servers_apart != 0: it takes
 * none of a job's nodes. Returns 0 for another name, else the number of kinds. */
size_t workload_curves(curve_set *set, const char *workload, uint32_t nodes,
                       sgdp_discipline links, int servers_apart, sgdsched_job_kind **kind);

#endif /* TOOLS_CMD_CLUSTER_WORKLOADS_H */
