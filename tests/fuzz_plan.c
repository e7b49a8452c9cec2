/* fuzz_plan.c - any network, machines, splits and costs: sizes, times, the best splits and
 * places are told or refused, and nothing that is told is better than the best */
#define FUZZ_RUNS 2500
#include "../sgdperf_plan.h"

#include "fuzz_call.h"

enum { LAYERS = 3, WORKERS = 4, TABLE = 3, PLANS = 4, GIVENS = 2, PIECES = 6 };

static struct {
    sgdplan_layer layer[LAYERS];
    sgdplan_job   job;
    double        at[TABLE], value[TABLE], cost[WORKERS * WORKERS];
    sgdplan_split split[LAYERS], below;
    uint32_t      place[LAYERS][WORKERS], workers;
    sgdplan_configuration configuration, given[GIVENS];
    sgdplan_problem problem;
    sgdplan_objective objective;
    size_t        l, room, segments;
    uint64_t      values[2];
    double        own;                 /* what a layer of costs of one's own takes        */
    sgdplan_plan  a, b;
    sgdplan_piece piece[PIECES];
    double        in_flight[PIECES];
    sgdplan_stages stages;
    size_t        first[PIECES];
} in;

static struct {
    sgdplan_layer_size size[LAYERS];
    sgdplan_segment segment;
    sgdplan_weights weights;
    sgdplan_epoch by_layer[LAYERS], epoch;
    uint64_t values[2];
    sgdplan_split split[PLANS * LAYERS];
    sgdplan_plan  plan[PLANS];
    size_t        found;
    uint32_t      worker[LAYERS * WORKERS];
    double        cost[WORKERS * WORKERS];
    sgdplan_assignment assigned[LAYERS];
    sgdplan_mapping mapping;
    int           order;
    size_t        first[PIECES];
    sgdplan_largest largest;
} out;

/* ---- Inputs ------------------------------------------------------------------------ */

static void read_constant(fuzz_bytes *b, sgdplan_constant *c)
{
    const unsigned code = fuzz_byte(b);
    size_t i;
    c->number = fuzz_number(b) / 64.0;
    if (code % 8) return;
    c->points = 1 + code / 8 % TABLE;
    c->at = in.at;
    c->value = in.value;
    for (i = 0; i < TABLE; i++) in.value[i] = fuzz_number(b) / 64.0;
    for (i = 0; i < TABLE; i++) in.at[i] = (i > 0 ? in.at[i - 1] : 0.0) + fuzz_number(b) + 0.5;
}

/* Mostly one that fits the layer below. */
static void read_layer(fuzz_bytes *b, size_t l)
{
    sgdplan_layer *to = &in.layer[l];
    const sgdplan_layer *under = l > 0 ? to - 1 : NULL;
    const unsigned code = fuzz_byte(b), kind = code % 8;
    const int flat = under && under->kind >= SGDPLAN_LAYER_FC;
    to->kind = (sgdplan_layer_kind)(code >= 252 ? 5 : flat || kind > 4 ? 2 + kind % 3 : kind % 2);
    to->in.channels = under ? under->out.channels : 1 + fuzz_byte(b) % 3;
    to->in.rows = under ? under->out.rows : 2 + fuzz_byte(b) % 6;
    to->in.columns = under ? under->out.columns : 2 + fuzz_byte(b) % 6;
    to->kernel = 1 + fuzz_byte(b) % 3;
    to->stride = fuzz_byte(b) % 3;
    to->pad = fuzz_byte(b) % to->kernel;
    to->out.channels = to->kind == SGDPLAN_LAYER_POOL ? to->in.channels : 1 + fuzz_byte(b) % 4;
    to->out.rows = (to->in.rows + 2 * to->pad - to->kernel) / (to->stride ? to->stride : 1) + 1;
    to->out.columns =
        (to->in.columns + 2 * to->pad - to->kernel) / (to->stride ? to->stride : 1) + 1;
    to->n_in = !under ? 1 + fuzz_byte(b) % 9 : flat ? under->n_out
                 : under->out.channels * under->out.rows * under->out.columns;
    to->n_out = 1 + fuzz_byte(b) % 9;
    to->steps = fuzz_byte(b) % 3;
    if (code >= 248) to->n_out = to->out.channels = fuzz_count(b, 9);
    if (code == 247) to->in.rows = fuzz_count(b, 9);
}

static void read_split(fuzz_bytes *b, sgdplan_split *s)
{
    s->partitions = fuzz_byte(b) < 248 ? 1 + fuzz_byte(b) % 3 : fuzz_count(b, 3);
    s->replications = fuzz_byte(b) < 200 ? 1 : fuzz_count(b, 3);
    s->threads = fuzz_byte(b) < 160 ? 1 : fuzz_count(b, 3);
}

static void read_configuration(fuzz_bytes *b, sgdplan_configuration *c)
{
    c->servers = 1 + fuzz_byte(b) % 2;
    c->replicas = fuzz_byte(b) < 250 ? 1 + fuzz_byte(b) % 2 : fuzz_count(b, 3);
    c->workers = fuzz_byte(b) < 250 ? 1 + fuzz_byte(b) % WORKERS : fuzz_count(b, 3) % 9;
    c->split = in.split;
}

static void read_job(fuzz_bytes *b, sgdplan_job *j)
{
    const unsigned code = fuzz_byte(b);
    j->layer = in.layer;
    j->layers = code < 250 ? 1 + code % LAYERS : 0;
    for (size_t i = 0; i < j->layers; i++) read_layer(b, i);
    j->machines.count = fuzz_byte(b) < 250 ? 3 + fuzz_byte(b) % 6 : fuzz_count(b, 9);
    j->machines.cores = fuzz_byte(b) < 250 ? 1 + fuzz_byte(b) % 3 : fuzz_count(b, 4);
    read_constant(b, &j->machines.connection_s);
    j->machines.activation_s = fuzz_number(b) / 64.0;
    j->machines.error_s = fuzz_number(b) / 64.0;
    if (code % 16 == 1) read_constant(b, &j->machines.interference);
    j->machines.latency_s.number = fuzz_number(b) / 64.0;
    j->machines.bandwidth_bytes_per_s = 8.0 * fuzz_number(b) + (code % 16 ? 0.5 : 0.0);
    j->machines.value_bytes = code % 16 == 3 ? fuzz_number(b) : 0.0;
    j->samples = 64.0 * fuzz_number(b) + 1.0;
    j->read_samples = code % 16 == 5 ? fuzz_number(b) : 1.0;
    j->write_samples = code % 4 ? 0.0 : fuzz_number(b);
    j->variants.mix = code % 8 ? 0.0 : fuzz_number(b) / 4.0;
    j->variants.read_full = code / 16 % 2;
    j->variants.read_per_replica = code / 32 % 2;
    j->variants.latency_always = code / 64 % 2;
    j->variants.biases = (int)(code / 128);
}

static double own_layer(void *ctx, size_t layer, const sgdplan_split *split)
{
    const double s = *(const double *)ctx;
    return s * (double)(layer + 1) / split->partitions + 0.125 * split->replications;
}

static double own_moved(void *ctx, size_t layer, const sgdplan_split *below,
                        const sgdplan_split *split)
{
    (void)layer;
    return below->partitions == split->partitions ? 0.0 : *(const double *)ctx / 16.0;
}

static void read_problem(fuzz_bytes *b, sgdplan_problem *p)
{
    const unsigned code = fuzz_byte(b);
    p->job = in.job;
    p->max_replications = code % 3;
    p->threads_differ = code / 4 % 2;
    if (code / 8 % 4 == 1) p->fixed = in.split;
    if (code / 32 % 4 == 1) {
        p->given = in.given;
        p->givens = 1 + code / 128;
    }
    if (code / 32 % 4 != 2) return;
    p->costs.layer_s = own_layer;
    p->costs.forward_s = p->costs.backward_s = own_moved;
    p->costs.ctx = &in.own;
}

static void read_stages(fuzz_bytes *b, sgdplan_stages *to)
{
    const unsigned code = fuzz_byte(b);
    to->piece = in.piece;
    to->pieces = code % (PIECES + 1);
    to->stages = code / 8 % (PIECES + 1);
    if (code % 3 > 0) to->in_flight = in.in_flight;
    if (code % 5 == 0) to->most_bytes = 4.0 * fuzz_number(b);
    for (size_t i = 0; i < PIECES; i++) {
        in.piece[i].time_s = fuzz_number(b) / 8.0;
        in.piece[i].held_bytes = fuzz_number(b);
        in.piece[i].kept_bytes = fuzz_number(b) / 8.0;
        in.in_flight[i] = fuzz_byte(b) / 64.0;
        in.first[i] = i * (1 + code % 2);
    }
}

static void read_all(fuzz_bytes *b)
{
    const unsigned code = fuzz_byte(b);
    in.l = fuzz_byte(b) % (LAYERS + 1);
    in.room = fuzz_byte(b) % (PLANS + 1);
    in.objective = (sgdplan_objective)(fuzz_byte(b) % 16 % 3);
    in.own = fuzz_number(b);
    in.values[0] = fuzz_count(b, 90);
    in.values[1] = fuzz_count(b, 90);
    in.workers = fuzz_byte(b) % (WORKERS + 1);
    in.segments = fuzz_byte(b) % (WORKERS + 1);
    read_job(b, &in.job);
    read_split(b, &in.below);
    for (size_t i = 0; i < LAYERS; i++) read_split(b, &in.split[i]);
    read_configuration(b, &in.configuration);
    for (size_t i = 0; i < GIVENS; i++) read_configuration(b, &in.given[i]);
    read_problem(b, &in.problem);
    for (size_t i = 0; i < LAYERS; i++)
        for (size_t k = 0; k < WORKERS; k++)
            in.place[i][k] = (uint32_t)(code % 4 ? (k + code / 4) % WORKERS : fuzz_byte(b) % 5);
    in.below.worker = in.place[0];
    for (size_t i = 0; i < LAYERS && code % 3 == 1; i++) in.split[i].worker = in.place[i];
    for (size_t i = 0; i < WORKERS * WORKERS; i++) in.cost[i] = fuzz_number(b);
    in.a.configuration = in.given[0];
    in.b.configuration = in.given[1];
    in.a.epoch_s = fuzz_byte(b) % 3;
    in.b.epoch_s = fuzz_byte(b) % 3;
    read_stages(b, &in.stages);
}

/* ---- Layers and epochs ------------------------------------------------------------- */

static unsigned sizes(void *work, size_t bytes)
{
    sgdplan_refusal why = {SGDPLAN_FAULT_NONE, 0, 0};
    const unsigned status = sgdplan_layer_sizes(in.layer, in.job.layers, in.job.variants.biases,
                                                out.size, &why);
    (void)work, (void)bytes;
    require((status == SGDPLAN_OK) == (why.reason == SGDPLAN_FAULT_NONE));
    return status;
}

static void check_sizes(void)
{
    for (size_t i = 0; i < in.job.layers; i++) {
        const sgdplan_layer_size *s = &out.size[i];
        require(s->neurons > 0 && s->connections >= s->own_connections);
        require((s->weights == 0) == (in.layer[i].kind == SGDPLAN_LAYER_POOL));
    }
}

static unsigned remote(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdplan_remote_values(&in.job, in.l, &in.below, &in.split[in.l % LAYERS],
                                 &out.values[0], &out.values[1]);
}

static unsigned segment(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdplan_segment_time(&in.job, in.l, &in.below, in.values[0], in.values[1],
                                &out.segment);
}

static void check_segment(void)
{
    const sgdplan_segment *s = &out.segment;
    require(fuzz_is_size(s->forward_s) && fuzz_is_size(s->activations_s));
    require(fuzz_is_size(s->backward_s) && fuzz_is_size(s->errors_s) && fuzz_is_size(s->update_s));
}

static unsigned weights(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdplan_weight_time(&in.job, in.l, &in.configuration, &in.below, &out.weights);
}

static void check_weights(void)
{
    require(fuzz_is_size(out.weights.latency_s) && fuzz_is_size(out.weights.transfer_s));
    require(fuzz_is_size(out.weights.write_s));
}

static unsigned epoch(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdplan_epoch_time(&in.job, &in.configuration, out.by_layer, &out.epoch, NULL);
}

static void require_epoch(const sgdplan_epoch *e)
{
    double sum = 0.0;
    for (int i = 0; i < (int)SGDPLAN_EPOCH_PARTS; i++) {
        require(fuzz_is_size(e->part_s[i]));
        sum += e->part_s[i];
    }
    require(fuzz_is_size(e->epoch_s) && fabs(sum - e->epoch_s) <= 1e-12 * sum);
}

static void check_epoch(void) { require_epoch(&out.epoch); }

/* ---- Search ------------------------------------------------------------------------ */

static unsigned check_problem(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdplan_check_problem(&in.problem, NULL);
}

static int is_small(void)
{
    return in.job.machines.count <= 9 && in.job.machines.cores <= 4;
}

static unsigned splits_need(size_t *need)
{
    if (!is_small()) return FUZZ_TOO_COSTLY;
    return sgdplan_best_splits_bytes(&in.problem, &in.configuration, need);
}

static unsigned splits(void *work, size_t bytes)
{
    return sgdplan_best_splits(&in.problem, &in.configuration, work, bytes, out.split, out.plan);
}

/* What the epoch's own model says of them, and no longer than that of the split given. */
static void require_plan(const sgdplan_plan *p)
{
    sgdplan_epoch e;
    require(fuzz_is_size(p->epoch_s));
    if (in.problem.costs.layer_s) return;
    require(sgdplan_epoch_time(&in.job, &p->configuration, NULL, &e, NULL) == SGDPLAN_OK);
    require(fabs(e.epoch_s - p->epoch_s) <= 1e-12 * e.epoch_s);
}

static void check_splits(void)
{
    sgdplan_split even[LAYERS];
    sgdplan_configuration other = in.configuration;
    sgdplan_epoch e;
    require_plan(out.plan);
    if (in.problem.fixed || in.problem.costs.layer_s) return;
    memset(even, 0, sizeof even);
    for (size_t i = 0; i < LAYERS; i++)
        even[i].partitions = even[i].replications = even[i].threads = 1;
    other.split = even;
    require(sgdplan_epoch_time(&in.job, &other, NULL, &e, NULL) != SGDPLAN_OK
            || out.plan->epoch_s <= e.epoch_s * (1.0 + 1e-12));
}

static unsigned search_need(size_t *need)
{
    if (!is_small() || in.job.machines.count > 6) return FUZZ_TOO_COSTLY;
    return sgdplan_search_bytes(&in.problem, in.room, need);
}

static unsigned search(void *work, size_t bytes)
{
    sgdplan_ranking best = {out.plan, out.split, in.room, 0};
    const sgdplan_status status = sgdplan_search(&in.problem, work, bytes, &best);
    require((status == SGDPLAN_OK) == (best.found > 0));
    if (status == SGDPLAN_OK) out.found = best.found;
    return status;
}

static void check_search(void)
{
    require(out.found <= in.room && out.found <= sgdplan_search_count(&in.problem));
    for (size_t i = 0; i < out.found; i++) {
        require_plan(&out.plan[i]);
        require(i == 0 || sgdplan_compare_plans(&out.plan[i - 1], &out.plan[i]) <= 0);
    }
}

static unsigned compare(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    out.order = sgdplan_compare_plans(&in.a, &in.b);
    return FUZZ_OK;
}

static void check_compare(void)
{
    const int other = sgdplan_compare_plans(&in.b, &in.a);
    require((out.order > 0) - (out.order < 0) == (other < 0) - (other > 0));
    require(sgdplan_compare_plans(&in.a, &in.a) == 0);
}

/* ---- Places ------------------------------------------------------------------------ */

static const sgdplan_split *above(void) { return &in.split[in.l % LAYERS]; }

static unsigned place(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdplan_place_contiguously(&in.job, in.l, in.l > 0 ? &in.below : NULL, above(),
                                      in.workers, out.worker);
}

static void require_places(const uint32_t *worker, size_t n, uint32_t workers)
{
    for (size_t i = 0; i < n; i++) {
        require(worker[i] < workers);
        for (size_t k = 0; k < i; k++) require(worker[k] != worker[i]);
    }
}

static void check_place(void)
{
    require_places(out.worker, above()->partitions * above()->replications, in.workers);
}

static unsigned costs(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdplan_place_costs(&in.job, in.l, &in.below, above(), in.workers, out.cost);
}

static sgdplan_matching matching(void)
{
    return (sgdplan_matching){.cost = in.cost, .segments = in.segments, .workers = in.workers,
                              .objective = in.objective};
}

static unsigned assign_need(size_t *need)
{
    const sgdplan_matching m = matching();
    return sgdplan_assign_segments_bytes(&m, need);
}

static unsigned assign(void *work, size_t bytes)
{
    const sgdplan_matching m = matching();
    return sgdplan_assign_segments(&m, work, bytes, out.worker, out.assigned);
}

/* The least of all, tried one by one. */
static double least_sum(size_t from, unsigned used)
{
    double least = HUGE_VAL;
    if (from == in.segments) return 0.0;
    for (uint32_t w = 0; w < in.workers; w++)
        if (!(used >> w & 1))
            least = fmin(least, in.cost[from * in.workers + w]
                         + least_sum(from + 1, used | 1u << w));
    return least;
}

static void check_assigned(void)
{
    const sgdplan_assignment *a = out.assigned;
    require_places(out.worker, in.segments, in.workers);
    require(a->sum >= a->largest && a->largest >= 0.0 && a->greedy_sum >= a->greedy_largest);
    if (in.objective == SGDPLAN_LEAST_SUM) {
        require(a->sum <= a->greedy_sum * (1.0 + 1e-12));
        require(fabs(a->sum - least_sum(0, 0)) <= 1e-12 * a->greedy_sum);
    } else {
        require(a->largest <= a->greedy_largest);
    }
}

static unsigned map_need(size_t *need)
{
    if (in.configuration.workers > WORKERS) return FUZZ_TOO_COSTLY;
    return sgdplan_place_segments_bytes(&in.job, &in.configuration, need);
}

static unsigned map(void *work, size_t bytes)
{
    sgdplan_status status;
    sgdplan_mapping mapping = {.worker = out.worker, .split = out.split, .assigned = out.assigned};
    status = sgdplan_place_segments(&in.job, &in.configuration, in.objective, work, bytes,
                                    &mapping);
    if (status == SGDPLAN_OK) out.mapping = mapping;
    return status;
}

static void check_map(void)
{
    const uint32_t workers = in.configuration.workers;
    require_epoch(&out.mapping.epoch);
    for (size_t l = 0; l < in.job.layers; l++)
        require_places(out.worker + l * workers,
                       out.split[l].partitions * out.split[l].replications, workers);
}

/* ---- Stages ------------------------------------------------------------------------ */

static unsigned stages_need(size_t *need) { return sgdplan_split_stages_bytes(&in.stages, need); }

static unsigned stages(void *work, size_t bytes)
{
    return sgdplan_split_stages(&in.stages, work, bytes, out.first, &out.largest);
}

/* One piece more in the first stage, or one less in the last, is not better. */
static void check_stages(void)
{
    const double most = in.stages.most_bytes;
    sgdplan_largest other;
    require(fuzz_is_size(out.largest.time_s) && fuzz_is_size(out.largest.bytes));
    require(!(most > 0.0) || out.largest.bytes <= most);
    for (size_t s = 1; s < in.stages.stages; s++) {
        size_t moved[PIECES];
        memcpy(moved, out.first, sizeof moved);
        moved[s]++;
        if (sgdplan_largest_stage(&in.stages, moved, &other) != SGDPLAN_OK) continue;
        require((most > 0.0 && other.bytes > most)
                || other.time_s >= out.largest.time_s * (1.0 - 1e-11));
    }
}

static unsigned largest(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdplan_largest_stage(&in.stages, in.first, &out.largest);
}

/* Any number of a valid split. */
static double step_time(void *ctx, const size_t *first)
{
    (void)ctx;
    require(first[0] == 0 && (in.stages.stages < 2 || first[1] > 0));
    return (double)(first[in.stages.stages - 1] % 7);
}

static unsigned improve(void *work, size_t bytes)
{
    size_t first[sizeof in.first / sizeof in.first[0]];
    double step_s = 0.0;
    (void)work, (void)bytes;
    memcpy(first, in.first, sizeof first);
    return sgdplan_improve_split(&in.stages, step_time, NULL, first, &step_s);
}

static fuzz_call calls[] = {
    {"split_stages", stages_need, stages, check_stages, 0, 0},
    {"largest_stage", NULL, largest, NULL, 0, 0},
    {"improve_split", NULL, improve, NULL, 0, 0},
    {"layer_sizes", NULL, sizes, check_sizes, 0, 0},
    {"remote_values", NULL, remote, NULL, 0, 0},
    {"segment_time", NULL, segment, check_segment, 0, 0},
    {"weight_time", NULL, weights, check_weights, 0, 0},
    {"epoch_time", NULL, epoch, check_epoch, 0, 0},
    {"check_problem", NULL, check_problem, NULL, 0, 0},
    {"best_splits", splits_need, splits, check_splits, 0, 0},
    {"search", search_need, search, check_search, 0, 0},
    {"compare_plans", NULL, compare, check_compare, 0, 0},
    {"place_contiguously", NULL, place, check_place, 0, 0},
    {"place_costs", NULL, costs, NULL, 0, 0},
    {"assign_segments", assign_need, assign, check_assigned, 0, 0},
    {"place_segments", map_need, map, check_map, 0, 0},
};
static const fuzz_chapter chapter = FUZZ_CHAPTER(calls, read_all, NULL, in, out);
FUZZ_CALLS("fuzz_plan", chapter);
