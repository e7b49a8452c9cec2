/* golden_sched.h - the rules of a case in tests/golden/sched.json */
#ifndef TESTS_GOLDEN_SCHED_H
#define TESTS_GOLDEN_SCHED_H

#include "../sgdperf_sched.h"

#include "golden.h"

/* Of what a case may leave to its default, 0; a 0 that it gives is -0, 0 itself. */
static inline double golden_rule(const golden_value *given, const char *name)
{
    const golden_value *v = golden_get(given, name);
    const double value = v ? golden_number(v) : 0.0;
    return v && value <= 0.0 ? -value : value;
}

/* The policy and the nodes of `one`; all else is in `given`. */
static inline void golden_rules(const golden_value *one, const golden_value *given,
                                sgdsched_rules *rules)
{
    static const struct { const char *name; sgdsched_policy policy; } table[] = {
        {"hell", SGDSCHED_HELL},           {"knee", SGDSCHED_KNEE},
        {"mold_hell", SGDSCHED_MOLDABLE_HELL}, {"mold_knee", SGDSCHED_MOLDABLE_KNEE},
        {"srpt", SGDSCHED_SRPT},           {"waterfill", SGDSCHED_WATERFILL},
        {"equal", SGDSCHED_EQUAL},         {"jsq", SGDSCHED_JSQ},
    };
    const golden_value *skip = golden_get(given, "backfill");
    rules->policy = SGDSCHED_POLICY_COUNT;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (golden_is(golden_get(one, "alg"), table[i].name)) rules->policy = table[i].policy;
    rules->nodes = (uint32_t)golden_whole(golden_get(one, "W"));
    rules->fill = golden_true(golden_get(given, "fill"));
    rules->head_of_line = skip && !golden_true(skip);
    rules->alpha = golden_rule(given, "alpha");
    rules->alpha_low = golden_rule(given, "alpha_L");
    rules->alpha_high = golden_rule(given, "alpha_H");
    rules->load = golden_rule(given, "load");
    rules->alpha_by_load = rules->load > 0.0;
}

#endif
