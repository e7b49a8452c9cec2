/* rules.h - how nodes are given to jobs: the options that allocate and cluster share */
#ifndef TOOLS_CMD_RULES_H
#define TOOLS_CMD_RULES_H

#include "sgdperf_sched.h"

#include "base/args.h"

/* "hell", "knee", ... by sgdsched_policy. */
extern const char *const rules_policy_names[SGDSCHED_POLICY_COUNT];

/* Do jobs wait for chunks of nodes, which have a size? */
int rules_have_queues(sgdsched_policy policy);

/* What they take, for the table of a command's options. */
#define RULES_OPTIONS                                                                   \
    {"--nodes", ARGS_VALUE}, {"--policy", ARGS_VALUE}, {"--alpha", ARGS_VALUE},         \
    {"--fill", ARGS_FLAG}, {"--alpha-low", ARGS_VALUE}, {"--alpha-high", ARGS_VALUE},  \
    {"--load", ARGS_VALUE}, {"--order", ARGS_VALUE}

/* Their lines of --help. */
#define RULES_HELP                                                                         \
    "  --policy P            who gets how many nodes [hell]:\n"                             \
    "      hell              the job of least remaining time over efficiency, on the nodes\n" \
    "                        where that is least; then the next job\n"                      \
    "      knee              the job of least remaining time at its knee, the last node that\n" \
    "                        still shortens it by the part --alpha\n"                       \
    "      moldable-hell     the same, but a job keeps the number of nodes with which it\n" \
    "      moldable-knee     was started\n"                                                 \
    "      srpt              all nodes to the job that they finish first\n"                 \
    "      waterfill         one node each, shortest job first, then filling\n"             \
    "      equal             equal shares\n"

#define RULES_HELP_OPTIONS                                                                 \
    "  --alpha A             part by which the last node of a knee shortens a job [0.01]\n" \
    "  --fill                hell and knee hand out nodes left over, to the jobs that then\n" \
    "                        end first\n"                                                   \
    "  --order skip|hol      moldable: a job that does not fit is skipped, or holds up\n"   \
    "                        those behind it\n"                                             \
    "  --alpha-low A         moldable-knee with --load X: alpha is A + X (B - A) [0.01]\n"  \
    "  --alpha-high B        the B of --alpha-low [0.07]\n"

/* nodes: of the cluster, where --nodes is not given; 0: it has to be. */
void rules_read(sgdsched_rules *rules, const args *a, uint32_t nodes);

/* --nodes alone, the same. */
uint32_t rules_read_nodes(const args *a, uint32_t nodes);

/* Fails over an option that would do nothing under any of these policies. arrivals != 0:
 * jobs arrive at random, with a load that is given, and not for moldable-knee alone. */
void rules_refuse(const args *a, const sgdsched_policy *policy, size_t policies, int arrivals);

#endif /* TOOLS_CMD_RULES_H */
