/* rules.c - options of allocate and cluster to the rules of a decision */
#include "cmd/rules.h"

#include <string.h>

const char *const rules_policy_names[SGDSCHED_POLICY_COUNT] = {
    "hell", "knee", "moldable-hell", "moldable-knee", "srpt", "waterfill", "equal", "jsq"
};

enum { RULES_MOST_NODES = 10000000 };  /* more take minutes a decision */

uint32_t rules_read_nodes(const args *a, uint32_t nodes)
{
    if (!args_given(a, "--nodes") && nodes == 0) tool_fail("--nodes is missing");
    return (uint32_t)args_integer(a, "--nodes", 1, RULES_MOST_NODES, nodes);
}

void rules_read(sgdsched_rules *r, const args *a, uint32_t nodes)
{
    static const char *const orders[] = {"skip", "hol"};
    memset(r, 0, sizeof *r);
    r->nodes = rules_read_nodes(a, nodes);
    r->policy = (sgdsched_policy)args_choice(a, "--policy", rules_policy_names,
                                             SGDSCHED_POLICY_COUNT, SGDSCHED_HELL);
    r->fill = args_given(a, "--fill");
    r->head_of_line = (int)args_choice(a, "--order", orders, COUNT_OF(orders), 0);
    r->alpha = args_number(a, "--alpha", UNIT_NONE, NUMBER_ANY, 0.01);
    if (!(r->alpha > 0.0 || r->alpha < 0.0))
        args_fail("--alpha", args_text(a, "--alpha", ""),
                  "is zero: nodes that gain nothing would do");
    r->load = args_number(a, "--load", UNIT_NONE, NUMBER_POSITIVE, 0.0);
    r->alpha_by_load = args_given(a, "--load");
    r->alpha_low = args_number(a, "--alpha-low", UNIT_NONE, NUMBER_NON_NEGATIVE, 0.01);
    r->alpha_high = args_number(a, "--alpha-high", UNIT_NONE, NUMBER_NON_NEGATIVE, 0.07);
    if (!(r->alpha_low > 0.0 || r->alpha_high > 0.0))
        args_fail("--alpha-low", NULL, "is zero, and so is --alpha-high");
}

static void only(const args *a, const char *name, int known, const char *reason)
{
    if (!known) args_refuse(a, &name, 1, reason);
}

void rules_refuse(const args *a, const sgdsched_policy *policy, size_t policies, int arrivals)
{
    const int by_load = arrivals || args_given(a, "--load");
    int among[SGDSCHED_POLICY_COUNT] = {0}, moldable_knee, jsq_alone = 1;
    size_t i;
    for (i = 0; i < policies; i++) {
        among[policy[i]] = 1;
        jsq_alone &= policy[i] == SGDSCHED_JSQ;
    }
    moldable_knee = among[SGDSCHED_MOLDABLE_KNEE];
    only(a, "--load", moldable_knee || arrivals, "is for moldable-knee");
    only(a, "--fill", among[SGDSCHED_HELL] || among[SGDSCHED_KNEE], "is for hell and knee");
    only(a, "--order", among[SGDSCHED_MOLDABLE_HELL] || moldable_knee,
         "is for moldable-hell and moldable-knee");
    only(a, "--alpha", among[SGDSCHED_KNEE] || moldable_knee, "is for knee and moldable-knee");
    only(a, "--alpha", among[SGDSCHED_KNEE] || !by_load,
         "moldable-knee with a load goes by --alpha-low and --alpha-high");
    only(a, "--alpha-low", moldable_knee && by_load, "is for moldable-knee with --load");
    only(a, "--alpha-high", moldable_knee && by_load, "is for moldable-knee with --load");
    only(a, "--gamma", !jsq_alone, "is not for jsq, whose jobs come first as they arrive");
}
