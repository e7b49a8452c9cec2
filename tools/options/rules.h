/* rules.h - what options need beside them, and what they exclude: see option_rule */
#ifndef TOOLS_OPTIONS_RULES_H
#define TOOLS_OPTIONS_RULES_H

#include "options/args.h"

/* Fails over the first rule that does not hold: "sgdperf: --rings: needs --flow-cap". Those of
 * a command are checked before it runs. */
void args_check(const args *a, const option_rule *rules, size_t count);

#endif /* TOOLS_OPTIONS_RULES_H */
