/* rules.c - options of allocate and cluster to the rules of a decision */
#include "cmd/rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORD(name, word, family, wants, fills) word,
const char *const rules_policy_names[SGDSCHED_POLICY_COUNT] = {SGDSCHED_POLICY_TABLE(WORD)};
#undef WORD

enum { RULES_MOST_NODES = 10000000 };  /* more take minutes a decision */

uint32_t rules_read_nodes(const args *a, uint32_t nodes)
{
    if (!args_given(a, OPTION_NODES) && nodes == 0) tool_fail("--nodes is missing");
    return (uint32_t)args_integer(a, OPTION_NODES, 1, RULES_MOST_NODES, nodes);
}

void rules_read(sgdsched_rules *r, const args *a, uint32_t nodes)
{
    memset(r, 0, sizeof *r);
    r->nodes = rules_read_nodes(a, nodes);
    r->policy = (sgdsched_policy)args_choice(a, OPTION_POLICY, rules_policy_names,
                                             SGDSCHED_POLICY_COUNT, SGDSCHED_HELL);
    r->fill = args_given(a, OPTION_FILL);
    r->head_of_line = (int)args_word(a, OPTION_ORDER, 0);
    r->alpha = args_number(a, OPTION_ALPHA, 0.01);
    if (!(r->alpha > 0.0 || r->alpha < 0.0))
        args_fail(OPTION_ALPHA, args_text(a, OPTION_ALPHA, ""),
                  "is not positive: jobs would get nodes that save no time");
    r->load = args_number(a, OPTION_LOAD, 0.0);
    r->alpha_by_load = args_given(a, OPTION_LOAD);
    r->alpha_low = args_number(a, OPTION_ALPHA_LOW, 0.01);
    r->alpha_high = args_number(a, OPTION_ALPHA_HIGH, 0.07);
    if (!(r->alpha_low > 0.0 || r->alpha_high > 0.0))
        args_fail(OPTION_ALPHA_LOW, NULL, "is zero, like --alpha-high: give a positive value for "
                                          "one of the two");
}

int rules_have_queues(sgdsched_policy policy)
{
    return sgdsched_policy_about(policy)->family == SGDSCHED_QUEUES;
}

/* What an option is for: the policies of these columns of the table, ANY of which may be. */
typedef struct traits { int family, wants, fills; } traits;
enum { ANY = -1 };

static int has(size_t policy, const traits *t)
{
    const sgdsched_policy_traits *row = sgdsched_policy_about((sgdsched_policy)policy);
    return (t->family == ANY || t->family == (int)row->family) &&
           (t->wants == ANY || t->wants == (int)row->wants) &&
           (t->fills == ANY || t->fills == (int)row->fills);
}

static size_t count(const sgdsched_policy *policy, size_t policies, const traits *t)
{
    size_t n = 0;
    for (size_t i = 0; i < policies; i++) n += (size_t)has(policy[i], t);
    return n;
}

/* Refuses an option that is not known: before, "hell or knee", after. */
static void only(const args *a, option_id name, int known, const char *before, const traits *t,
                 const char *after)
{
    char text[256];
    size_t rest = 0, at;
    if (known) return;
    for (size_t i = 0; i < SGDSCHED_POLICY_COUNT; i++) rest += (size_t)has(i, t);
    at = (size_t)snprintf(text, sizeof text, "%s", before);
    for (size_t i = 0; i < SGDSCHED_POLICY_COUNT; i++)
        if (has(i, t))
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", rules_policy_names[i],
                                   --rest > 1 ? ", " : rest == 1 ? " or " : "");
    snprintf(text + at, sizeof text - at, "%s", after);
    args_refuse(a, &name, 1, text);
}

void rules_refuse(const args *a, const sgdsched_policy *policy, size_t policies, int arrivals)
{
    static const traits fills = {ANY, ANY, SGDSCHED_FILLS_ASKED};
    static const traits moldable = {SGDSCHED_MOLDABLE, ANY, ANY};
    static const traits knee = {ANY, SGDSCHED_WANTS_KNEE, ANY};
    static const traits at_once = {SGDSCHED_MALLEABLE, SGDSCHED_WANTS_KNEE, ANY};
    static const traits kept = {SGDSCHED_MOLDABLE, SGDSCHED_WANTS_KNEE, ANY};
    static const traits queues = {SGDSCHED_QUEUES, ANY, ANY};
    static const char with[] = "can only be used with --policy ";
    const int by_load = arrivals || args_given(a, OPTION_LOAD);
    const int keeps = count(policy, policies, &kept) > 0;
    only(a, OPTION_LOAD, keeps || arrivals, with, &kept, "");
    only(a, OPTION_FILL, count(policy, policies, &fills) > 0, with, &fills, "");
    only(a, OPTION_ORDER, count(policy, policies, &moldable) > 0, with, &moldable, "");
    only(a, OPTION_ALPHA, count(policy, policies, &knee) > 0, with, &knee, "");
    only(a, OPTION_ALPHA, count(policy, policies, &at_once) > 0 || !by_load, "--policy ", &kept,
         " with --load uses --alpha-low and --alpha-high: remove --alpha");
    only(a, OPTION_ALPHA_LOW, keeps && by_load, with, &kept, " and --load");
    only(a, OPTION_ALPHA_HIGH, keeps && by_load, with, &kept, " and --load");
    only(a, OPTION_GAMMA, count(policy, policies, &queues) < policies,
         "cannot be used with --policy ", &queues, ", whose jobs start in order of arrival");
}

/* ---- Knees ----------------------------------------------------------------- */

/* The first node beyond the knee of a curve that gains alpha again, of a job that is then faster
 * than at its knee; 0: none. */
static uint32_t next_gain(const double *x, uint32_t nodes, double alpha, int service,
                          uint32_t *knee)
{
    int gained = 0;
    *knee = 0;
    for (uint32_t w = 2; w <= nodes; w++) {
        const double before = x[w - 2], after = x[w - 1];
        const double gain = service ? (before - after) / before : (after - before) / after;
        if (gain < alpha && gained && *knee == 0) *knee = w - 1;
        gained = gain >= alpha;
        if (gained && *knee > 0 && (service ? after < x[*knee - 1] : after > x[*knee - 1]))
            return w;
    }
    return 0;
}

int rules_note_knees(const sgdsched_rules *r, const curve_set *set, int service)
{
    const sgdsched_policy_traits *p = sgdsched_policy_about(r->policy);
    const int by_load = r->alpha_by_load && p->family == SGDSCHED_MOLDABLE;
    const double alpha = fabs(by_load ? r->alpha_low + r->load * (r->alpha_high - r->alpha_low)
                                      : r->alpha);
    uint32_t knee, more = 0;
    if (p->wants != SGDSCHED_WANTS_KNEE) return 0;
    for (size_t i = 0; i < set->names.count && more == 0; i++) {
        const uint32_t nodes = set->nodes[i] < r->nodes ? set->nodes[i] : r->nodes;
        more = next_gain(set->value[i], nodes, alpha, service, &knee);
        if (more > 0)
            tool_note("several-knees",
                      "%s '%s': the knee is at %lu node%s, since the next one saves less than %.3g "
                      "of the time, but node %lu saves that again: %s stops at the first knee of "
                      "a curve", service ? "job" : "curve", names_text(&set->names, i),
                      COUNTED(knee), alpha, (unsigned long)more, p->word);
    }
    return more > 0;
}
