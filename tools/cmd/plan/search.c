/* plan_search.c - what a split of the network costs, for the search: see plan.h */
#include "cmd/plan/plan.h"
#include "files/status.h"

#include <math.h>
#include <string.h>

enum { REMOTE_BYTES_MOST = 1 << 30 };  /* of a table; beyond, all is computed again */

/* P R <= workers, by replications and then partitions. */
typedef struct cost_tables {
    const plan_problem *p;
    size_t       *start;      /* [workers + 1] shapes of fewer replications         */
    size_t        shapes;
    sgdplan_segment *message;    /* [cores] what messages cost by threads              */
    uint64_t     *remote;     /* [layers][shapes][shapes][2] values + 1; 0: not yet */
    sgdplan_plan *all;       /* as in plan_answer                                  */
    size_t        count, room, seen, total;
} cost_tables;

static sgdplan_split split_of(const sgdplan_state *state)
{
    sgdplan_split s = {0};
    s.partitions = state->partitions;
    s.replications = state->replications;
    s.threads = state->threads > 0 ? state->threads : 1;
    return s;
}

static int is_free_or(uint32_t fixed, uint32_t value)
{
    return fixed == 0 || fixed == value;
}

/* ---- Costs ----------------------------------------------------------------- */

static double layer_s(void *ctx, size_t l, const sgdplan_state *state)
{
    const cost_tables *k = (const cost_tables *)ctx;
    const sgdplan_split split = split_of(state), *fixed = &k->p->fixed[l];
    sgdplan_segment t;
    if (!is_free_or(fixed->partitions, state->partitions) ||
        !is_free_or(fixed->replications, state->replications) ||
        !is_free_or(fixed->threads, state->threads))
        return HUGE_VAL;
    if (sgdplan_segment_time(&k->p->net, l, &split, &t) != SGDPLAN_OK) return HUGE_VAL;
    return (t.forward_s + t.backward_s + t.update_s + 2.0 * t.own_s) * k->p->net.samples /
           ((double)state->threads * state->replications);
}

static size_t shape_of(const cost_tables *k, const sgdplan_state *state)
{
    return k->start[state->replications] + state->partitions - 1;
}

enum { REMOTE_ACTIVATIONS, REMOTE_ERRORS };

/* Remote values between layers l - 1 and l; 0 if the pair is not allowed. */
static int remote(cost_tables *k, size_t l, const sgdplan_state *below,
                  const sgdplan_state *state, int which, uint64_t *values)
{
    uint64_t fresh[2] = {0, 0}, *entry = fresh;
    if (k->remote)
        entry = k->remote + 2 * ((l * k->shapes + shape_of(k, below)) * k->shapes +
                                 shape_of(k, state));
    if (entry[0] == 0) {
        const sgdplan_split lower = split_of(below), upper = split_of(state);
        if (sgdplan_remote(&k->p->net, l, &lower, &upper, &entry[0], &entry[1]) == SGDPLAN_OK) {
            entry[0]++;
            entry[1]++;
        } else {
            entry[0] = entry[1] = UINT64_MAX;
        }
    }
    *values = entry[which] - 1;
    return entry[which] != UINT64_MAX;
}

/* Layer `of` with these states receives. */
static double message_s(const cost_tables *k, const sgdplan_state *of, uint64_t values)
{
    return sgdplan_message_time(&k->message[of->threads - 1], values) * k->p->net.samples /
           ((double)of->threads * of->replications);
}

static double forward_s(void *ctx, size_t l, const sgdplan_state *below,
                        const sgdplan_state *state)
{
    cost_tables *k = (cost_tables *)ctx;
    uint64_t values = 0;
    if (!remote(k, l, below, state, REMOTE_ACTIVATIONS, &values)) return HUGE_VAL;
    return message_s(k, state, values);
}

static double backward_s(void *ctx, size_t l, const sgdplan_state *below,
                         const sgdplan_state *state)
{
    cost_tables *k = (cost_tables *)ctx;
    uint64_t values = 0;
    if (!remote(k, l, below, state, REMOTE_ERRORS, &values)) return HUGE_VAL;
    return message_s(k, below, values);
}

static double weights_s(void *ctx, size_t l, const sgdplan_state *state,
                        const sgdplan_resources *r)
{
    const cost_tables *k = (const cost_tables *)ctx;
    const sgdplan_configuration c = {r->servers, r->replicas, r->workers, NULL};
    const sgdplan_split split = split_of(state);
    sgdplan_weight_reading w;
    if (sgdplan_weight_time(&k->p->net, l, &c, &split, &w) != SGDPLAN_OK) return HUGE_VAL;
    return w.latency_s + w.transfer_s + w.write_s;
}

/* ---- Search ---------------------------------------------------------------- */

static void see_plan(void *ctx, const sgdplan_plan *plan)
{
    cost_tables *k = (cost_tables *)ctx;
    const size_t L = k->p->layers.count;
    tool_progress("configurations", ++k->seen < k->total ? k->seen : k->total - 1, k->total);
    if (!k->p->keep_all) return;
    if (k->count == k->room)
        k->all = (sgdplan_plan *)tool_grow(k->all, k->count, &k->room, k->count + 1,
                                            sizeof *k->all);
    k->all[k->count] = *plan;
    k->all[k->count].state = (sgdplan_state *)tool_alloc(L, sizeof *plan->state);
    memcpy(k->all[k->count++].state, plan->state, L * sizeof *plan->state);
}

static void make_tables(cost_tables *k)
{
    const sgdplan_layered *net = &k->p->net;
    const uint32_t workers = net->machines - 1;
    size_t R, H, pairs;
    k->start = (size_t *)tool_alloc((size_t)workers + 1, sizeof *k->start);
    for (R = 1; R <= workers; R++) {
        k->start[R] = k->shapes;
        k->shapes += workers / R;
    }
    pairs = k->shapes * k->shapes * net->layers;
    if (k->shapes < 65536 && pairs <= REMOTE_BYTES_MOST / (2 * sizeof *k->remote))
        k->remote = (uint64_t *)tool_alloc(2 * pairs, sizeof *k->remote);
    k->message = (sgdplan_segment *)tool_alloc(net->cores, sizeof *k->message);
    for (H = 1; H <= net->cores; H++) {
        const sgdplan_split split = {1, 1, (uint32_t)H, NULL};
        tool_check_plan(sgdplan_segment_time(net, 0, &split, &k->message[H - 1]), "constants");
    }
}

/* Best first, equal ones as they came. */
static void sort_all(cost_tables *k, plan_answer *answer)
{
    double *epoch_s = (double *)tool_alloc(k->count, sizeof *epoch_s);
    size_t *order = (size_t *)tool_alloc(k->count, sizeof *order), i;
    for (i = 0; i < k->count; i++) epoch_s[i] = k->all[i].epoch_s;
    if (k->count > 0 && sgdplan_trial_order(epoch_s, k->count, order) != SGDPLAN_OK)
        tool_fail("an epoch is not a number");
    answer->count = k->count;
    answer->all = (sgdplan_plan *)tool_alloc(k->count, sizeof *answer->all);
    for (i = 0; i < k->count; i++) answer->all[i] = k->all[order[i]];
}

void plan_search(const plan_problem *p, plan_answer *answer)
{
    cost_tables k = {0};
    sgdplan_cluster_plan in = {0};
    sgdplan_status status;
    size_t bytes = 0, room = p->room, i;
    k.p = p;
    make_tables(&k);
    in.layers = p->layers.count;
    in.machines = p->net.machines;
    in.cores = p->net.cores;
    in.max_replications = p->max_replications;
    in.threads_differ = p->threads_differ;
    in.costs.layer_s = layer_s;
    in.costs.forward_s = forward_s;
    in.costs.backward_s = backward_s;
    in.costs.weights_s = weights_s;
    in.costs.ctx = &k;
    in.given = p->given;
    in.givens = p->givens;
    in.on_plan = see_plan;
    in.plan_ctx = &k;
    answer->looked_at = k.total = sgdplan_search_count(&in);
    if (k.total > 0 && room > k.total) room = k.total;
    answer->ranked = (sgdplan_plan *)tool_alloc(room, sizeof *answer->ranked);
    for (i = 0; i < room; i++)
        answer->ranked[i].state =
            (sgdplan_state *)tool_alloc(in.layers, sizeof *answer->ranked[i].state);
    status = sgdplan_search_bytes(&in, room, &bytes);
    if (status == SGDPLAN_OK)
        status = sgdplan_search(&in, tool_alloc(bytes, 1), bytes, answer->ranked, room,
                                 &answer->ranks);
    tool_progress("configurations", k.total, k.total);
    if (status == SGDPLAN_NO_PLAN || (status == SGDPLAN_OK && answer->ranks == 0))
        tool_fail("%s: no configuration is allowed, or takes a finite time", p->layers.file->name);
    if (status != SGDPLAN_OK)
        tool_fail("%s: %s", p->layers.file->name, sgdplan_status_text(status));
    if (p->keep_all) sort_all(&k, answer);
}

/* ---- One plan -------------------------------------------------------------- */

static sgdplan_split *splits_of(const plan_problem *p, const sgdplan_plan *plan)
{
    const size_t L = p->layers.count;
    sgdplan_split *split = (sgdplan_split *)tool_alloc(L, sizeof *split);
    size_t l;
    for (l = 0; l < L; l++) split[l] = split_of(&plan->state[l]);
    return split;
}

static void evaluate(const plan_problem *p, const sgdplan_resources *r,
                     const sgdplan_split *split, sgdplan_epoch *by_layer, sgdplan_epoch *out)
{
    const sgdplan_configuration c = {r->servers, r->replicas, r->workers, split};
    sgdplan_layer_fault fault = {0, SGDPLAN_FAULT_NONE};
    const sgdplan_status status = sgdplan_epoch_time(&p->net, &c, by_layer, out, &fault);
    if (status == SGDPLAN_OK) return;
    tool_fail("%s: layer '%s': %s", p->layers.file->name,
              plan_layer_name(&p->layers, fault.layer),
              fault.reason != SGDPLAN_FAULT_NONE ? sgdplan_fault_text(fault.reason)
                                              : sgdplan_status_text(status));
}

void plan_evaluate(const plan_problem *p, const sgdplan_plan *plan, sgdplan_epoch *by_layer,
                   sgdplan_epoch *out)
{
    evaluate(p, &plan->resources, splits_of(p, plan), by_layer, out);
}

/* Of layer l >= 1, given where the layer below is. */
static void map_layer(const plan_problem *p, size_t l, uint32_t workers, sgdplan_split *split,
                      uint32_t *worker, sgdplan_mapping *out)
{
    const size_t segments = (size_t)split[l].partitions * split[l].replications;
    double *cost = (double *)tool_alloc(segments * workers, sizeof *cost);
    size_t bytes = 0;
    sgdplan_status status = sgdplan_map_bytes(segments, workers, &bytes);
    tool_check_plan(sgdplan_remote_costs(&p->net, l, &split[l - 1], &split[l], workers, cost),
               plan_layer_name(&p->layers, l));
    if (status == SGDPLAN_OK)
        status = sgdplan_map(cost, segments, workers, p->objective, tool_alloc(bytes, 1),
                              bytes, worker, out);
    if (status != SGDPLAN_OK)
        tool_fail("%s: layer '%s': %s", p->layers.file->name, plan_layer_name(&p->layers, l),
                  sgdplan_status_text(status));
}

/* Where a split's segments go by themselves: the search reckons with that. */
static void place_contiguously(const plan_problem *p, uint32_t workers, sgdplan_split *split)
{
    size_t l;
    for (l = 0; l < p->layers.count; l++) {
        const size_t segments = (size_t)split[l].partitions * split[l].replications;
        uint32_t *worker = (uint32_t *)tool_alloc(segments, sizeof *worker);
        tool_check_plan(sgdplan_place(&p->net, l, l > 0 ? &split[l - 1] : NULL, &split[l], workers,
                              worker), plan_layer_name(&p->layers, l));
        split[l].worker = worker;
    }
}

void plan_map(const plan_problem *p, const sgdplan_plan *plan, plan_mapping *mapping)
{
    const size_t L = p->layers.count;
    const uint32_t workers = plan->resources.workers;
    size_t l;
    mapping->split = splits_of(p, plan);
    mapping->cost = (sgdplan_mapping *)tool_alloc(L, sizeof *mapping->cost);
    for (l = 0; l < L; l++) {
        sgdplan_split *s = &mapping->split[l];
        uint32_t *worker =
            (uint32_t *)tool_alloc((size_t)s->partitions * s->replications, sizeof *worker);
        if (l > 0) map_layer(p, l, workers, mapping->split, worker, &mapping->cost[l]);
        else tool_check_plan(sgdplan_place(&p->net, 0, NULL, s, workers, worker), "the first layer");
        s->worker = worker;
    }
    evaluate(p, &plan->resources, mapping->split, NULL, &mapping->epoch);
    if (mapping->epoch.epoch_s <= plan->epoch_s * (1.0 + 1e-12)) return;
    mapping->contiguous = 1;
    place_contiguously(p, workers, mapping->split);
    evaluate(p, &plan->resources, mapping->split, NULL, &mapping->epoch);
}
