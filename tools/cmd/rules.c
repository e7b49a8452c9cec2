/* rules.c - options of allocate and cluster to the rules of a decision */
#include "cmd/rules.h"

#include <string.h>

const char *const rules_policy_names[SGDSCHED_POLICY_COUNT] = {
    "hell", "knee", "moldable-hell", "moldable-knee", "srpt", "waterfill", "equal", "jsq"
};

enum { RULES_MOST_NODES = 10000000 };  /* more take minutes a decision */

void rules_read(sgdsched_rules *r, const args *a)
{
    static const char *const orders[] = {"skip", "hol"};
    memset(r, 0, sizeof *r);
    if (!args_given(a, "--nodes")) tool_fail("--nodes is missing");
    r->nodes = (uint32_t)args_integer(a, "--nodes", 1, RULES_MOST_NODES, 1);
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
