/* rules.h - how nodes are given to jobs: the options that allocate and cluster share */
#ifndef TOOLS_CMD_RULES_H
#define TOOLS_CMD_RULES_H

#include "sgdperf_sched.h"

#include "files/curves.h"
#include "options/args.h"

/* "hell", "knee", ... by sgdsched_policy. */
extern const char *const rules_policy_names[SGDSCHED_POLICY_COUNT];

/* Do jobs wait for chunks of nodes, which have a size? */
int rules_have_queues(sgdsched_policy policy);

/* nodes: of the cluster, where --nodes is not given; 0: it has to be. */
void rules_read(sgdsched_rules *rules, const args *a, uint32_t nodes);

/* --nodes alone, the same. */
uint32_t rules_read_nodes(const args *a, uint32_t nodes);

/* Fails over an option that would do nothing under any of these policies. arrivals != 0:
 * jobs arrive at random, with a load that is given, and not for moldable-knee alone. */
void rules_refuse(const args *a, const sgdsched_policy *policy, size_t policies, int arrivals);

/* Notes a curve of which KNEE takes the first of several knees; 1: there is one. service: see
 * curves_list. */
int rules_note_knees(const sgdsched_rules *r, const curve_set *set, int service);

#endif /* TOOLS_CMD_RULES_H */
