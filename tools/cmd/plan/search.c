/* search.c - the search, and one plan of its answer: see plan.h */
#include "cmd/plan/plan.h"
#include "files/status.h"

#include <stdlib.h>
#include <string.h>

/* ---- Search ---------------------------------------------------------------- */

typedef struct gathering {
    const plan_problem *p;
    plan_answer        *answer;
    size_t              room, seen;
} gathering;

static void see_plan(void *ctx, const sgdplan_plan *plan)
{
    gathering *g = (gathering *)ctx;
    plan_answer *answer = g->answer;
    const size_t L = g->p->layers.count, total = answer->looked_at;
    sgdplan_split *split;
    tool_progress("configurations", ++g->seen < total ? g->seen : total - 1, total);
    if (!g->p->keep_all) return;
    if (answer->count == g->room)
        answer->all = (sgdplan_plan *)tool_grow(answer->all, answer->count, &g->room,
                                                answer->count + 1, sizeof *answer->all);
    split = (sgdplan_split *)tool_alloc(L, sizeof *split);
    memcpy(split, plan->configuration.split, L * sizeof *split);
    answer->all[answer->count] = *plan;
    answer->all[answer->count++].configuration.split = split;
}

/* For qsort. */
static int compare(const void *a, const void *b)
{
    return sgdplan_compare_plans((const sgdplan_plan *)a, (const sgdplan_plan *)b);
}

void plan_search(const plan_problem *p, plan_answer *answer)
{
    sgdplan_problem in = p->in;
    gathering g = {0};
    sgdplan_split *split;
    sgdplan_status status;
    size_t bytes = 0, room = p->room;
    g.p = p;
    g.answer = answer;
    in.on_plan = see_plan;
    in.plan_ctx = &g;
    answer->looked_at = sgdplan_search_count(&in);
    if (answer->looked_at > 0 && room > answer->looked_at) room = answer->looked_at;
    status = sgdplan_search_bytes(&in, room, &bytes);
    if (status == SGDPLAN_OK) {
        answer->ranked = (sgdplan_plan *)tool_alloc(room, sizeof *answer->ranked);
        split = (sgdplan_split *)tool_alloc(room, in.job.layers * sizeof *split);
        status = sgdplan_search(&in, tool_alloc(bytes, 1), bytes, answer->ranked, split, room,
                                &answer->ranks);
    }
    tool_progress("configurations", answer->looked_at, answer->looked_at);
    tool_check_plan(status, p->layers.file->name);
    if (p->keep_all && answer->count > 0)
        qsort(answer->all, answer->count, sizeof *answer->all, compare);
}

/* ---- One plan -------------------------------------------------------------- */

void plan_evaluate(const plan_problem *p, const sgdplan_plan *plan, sgdplan_epoch *by_layer,
                   sgdplan_epoch *out)
{
    sgdplan_refusal refusal = {SGDPLAN_FAULT_NONE, 0, 0};
    if (sgdplan_epoch_time(&p->in.job, &plan->configuration, by_layer, out, &refusal) !=
        SGDPLAN_OK)
        tool_fail("%s: layer '%s': %s", p->layers.file->name,
                  plan_layer_name(&p->layers, refusal.layer),
                  sgdplan_fault_text(refusal.reason));
}

void plan_place(const plan_problem *p, const sgdplan_plan *plan, plan_places *places)
{
    const sgdplan_configuration *c = &plan->configuration;
    const size_t L = p->layers.count;
    uint32_t *worker = (uint32_t *)tool_alloc(L, c->workers * sizeof *worker);
    size_t bytes = 0;
    sgdplan_status status = sgdplan_place_segments_bytes(&p->in.job, c, &bytes);
    places->split = (sgdplan_split *)tool_alloc(L, sizeof *places->split);
    places->assigned = (sgdplan_assignment *)tool_alloc(L, sizeof *places->assigned);
    if (status == SGDPLAN_OK)
        status = sgdplan_place_segments(&p->in.job, c, p->objective, tool_alloc(bytes, 1), bytes,
                                        worker, places->split, places->assigned,
                                        &places->mapping);
    tool_check_plan(status, p->layers.file->name);
}
