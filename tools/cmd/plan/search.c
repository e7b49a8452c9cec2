/* search.c - the search, and one plan of its answer: see plan.h */
#include "cmd/plan/plan.h"
#include "files/status.h"
#include "jobs/parallel.h"

#include <stdlib.h>
#include <string.h>

/* ---- Search: a part of the configurations ------------------------------------ */

/* Configurations of these numbers of workers a replica, which are searched together: they
 * share what is found for it. from 0: those that are given. */
typedef struct part { size_t scenario; uint32_t from, to; } part;

typedef struct part_list {
    const plan_problem *p;
    part  *part;              /* [count]                                            */
    size_t count;
} part_list;

/* In the order in which sgdplan_search looks at them. */
static sgdplan_configuration *list_all(uint32_t machines, const part *of, size_t *count)
{
    uint32_t workers;
    size_t n = 0;
    for (workers = of->from; workers <= of->to; workers++)
        for (uint32_t replicas = 1; replicas <= (machines - 1) / workers; replicas++)
            n += machines - replicas * workers;
    sgdplan_configuration *list = (sgdplan_configuration *)tool_alloc(n, sizeof *list);
    for (*count = 0, workers = of->from; workers <= of->to; workers++)
        for (uint32_t replicas = 1; replicas <= (machines - 1) / workers; replicas++)
            for (uint32_t servers = 1; servers <= machines - replicas * workers; servers++) {
                sgdplan_configuration *at = &list[(*count)++];
                at->workers = workers;
                at->replicas = replicas;
                at->servers = servers;
            }
    return list;
}

/* Plans as bytes: each, and behind it its splits. */
typedef struct gathering { parallel_blob *to; size_t room, layers; } gathering;

static size_t plan_bytes(size_t layers)
{
    return sizeof(sgdplan_plan) + layers * sizeof(sgdplan_split);
}

static void add_plan(gathering *g, const sgdplan_plan *plan)
{
    const size_t bytes = plan_bytes(g->layers);
    g->to->data = tool_grow(g->to->data, g->to->length, &g->room, g->to->length + bytes, 1);
    char *to = g->to->data + g->to->length;
    memcpy(to, plan, sizeof *plan);
    memcpy(to + sizeof *plan, plan->configuration.split, g->layers * sizeof(sgdplan_split));
    g->to->length += bytes;
}

static void see_plan(void *ctx, const sgdplan_plan *plan) { add_plan((gathering *)ctx, plan); }

static void search_part(const plan_problem *p, sgdplan_problem *in, gathering *g)
{
    const size_t room = p->room < in->givens ? p->room : in->givens;
    sgdplan_ranking best = {NULL, NULL, room, 0};
    size_t bytes = 0;
    sgdplan_status status = sgdplan_search_bytes(in, room, &bytes);
    best.plan = (sgdplan_plan *)tool_alloc(room, sizeof *best.plan);
    best.split = (sgdplan_split *)tool_alloc(room, in->job.layers * sizeof *best.split);
    if (p->keep_all) {
        in->on_plan = see_plan;
        in->plan_ctx = g;
    }
    if (status == SGDPLAN_OK)
        status = sgdplan_search(in, tool_alloc(bytes, 1), bytes, &best);
    if (status != SGDPLAN_NO_PLAN) tool_check_plan(status, p->layers.file->name);
    for (size_t i = 0; i < best.found && !p->keep_all; i++) add_plan(g, &best.plan[i]);
}

/* parallel_task, of a parallel_blob */
static void search_task(void *ctx, size_t i, void *result)
{
    const part_list *list = (const part_list *)ctx;
    const plan_problem *p = list->p;
    const part *at = &list->part[i];
    sgdplan_problem in = p->in;
    gathering g = {NULL, 0, 0};
    g.to = (parallel_blob *)result;
    g.layers = p->in.job.layers;
    in.job.machines.count = p->machines[at->scenario];
    if (at->from > 0) in.given = list_all(in.job.machines.count, at, &in.givens);
    /* The whole was checked: what is given of a split may need more workers than these. */
    if (sgdplan_check_problem(&in, NULL) == SGDPLAN_OK) search_part(p, &in, &g);
}

/* ---- Search: all ------------------------------------------------------------ */

/* Many workers, which take longest, come first, and one worker goes with two. Where a
 * number of workers is solved once, to prepare it costs as much: parts are large. */
static void add_parts(part_list *list, size_t scenario, size_t *room)
{
    enum { ONCE_PARTS = 12 };
    const sgdplan_problem *in = &list->p->in;
    const int once = in->max_replications == 1 && !in->threads_differ;
    uint32_t to = in->given ? 0 : list->p->machines[scenario] - 1;
    const uint32_t step = once ? to / ONCE_PARTS + 1 : 1;
    do {
        list->part = tool_one_more(list->part, list->count, room, sizeof *list->part);
        part *next = &list->part[list->count++];
        next->scenario = scenario;
        next->to = to;
        next->from = to > step ? to - step + 1 : to > 0 ? 1 : 0;
        if (next->from == 2) next->from = 1;
        to = next->from > 0 ? next->from - 1 : 0;
    } while (to > 0);
}

/* For qsort. */
static int compare(const void *a, const void *b)
{
    return sgdplan_compare_plans((const sgdplan_plan *)a, (const sgdplan_plan *)b);
}

/* Puts together what was found for one scenario. */
static void rank(const plan_problem *p, const part_list *list, const parallel_blob *found,
                 size_t scenario, plan_answer *answer)
{
    const size_t L = p->in.job.layers, bytes = plan_bytes(L);
    size_t at, n = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->part[i].scenario == scenario) n += found[i].length / bytes;
    if (n == 0) tool_check_plan(SGDPLAN_NO_PLAN, p->layers.file->name);
    answer->all = (sgdplan_plan *)tool_alloc(n, sizeof *answer->all);
    for (size_t i = 0; i < list->count; i++)
        for (at = 0; list->part[i].scenario == scenario && at < found[i].length; at += bytes) {
            sgdplan_split *split = (sgdplan_split *)tool_alloc(L, sizeof *split);
            memcpy(&answer->all[answer->count], found[i].data + at, sizeof *answer->all);
            memcpy(split, found[i].data + at + sizeof *answer->all, L * sizeof *split);
            answer->all[answer->count++].configuration.split = split;
        }
    qsort(answer->all, n, sizeof *answer->all, compare);
    answer->ranked = answer->all;
    answer->ranks = n < p->room ? n : p->room;
}

plan_answer *plan_search(plan_problem *p, size_t processes)
{
    plan_answer *answer = (plan_answer *)tool_alloc(p->scenarios, sizeof *answer);
    part_list list = {NULL, NULL, 0};
    size_t room = 0;
    list.p = p;
    for (size_t i = 0; i < p->scenarios; i++) {
        p->in.job.machines.count = p->machines[i];
        plan_problem_check(p);
        answer[i].looked_at = sgdplan_search_count(&p->in);
        add_parts(&list, i, &room);
    }
    parallel_blob *found = (parallel_blob *)tool_alloc(list.count, sizeof *found);
    parallel_gather(list.count, processes, search_task, &list, found, "parts of the search");
    for (size_t i = 0; i < p->scenarios; i++) rank(p, &list, found, i, &answer[i]);
    return answer;
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

sgdplan_mapping plan_place(const plan_problem *p, const sgdplan_plan *plan)
{
    const sgdplan_configuration *c = &plan->configuration;
    const size_t L = p->layers.count;
    sgdplan_mapping places = {0};
    size_t bytes = 0;
    sgdplan_status status = sgdplan_place_segments_bytes(&p->in.job, c, &bytes);
    places.worker = (uint32_t *)tool_alloc(L, c->workers * sizeof *places.worker);
    places.split = (sgdplan_split *)tool_alloc(L, sizeof *places.split);
    places.assigned = (sgdplan_assignment *)tool_alloc(L, sizeof *places.assigned);
    if (status == SGDPLAN_OK)
        status = sgdplan_place_segments(&p->in.job, c, p->objective, tool_alloc(bytes, 1), bytes,
                                        &places);
    tool_check_plan(status, p->layers.file->name);
    return places;
}
