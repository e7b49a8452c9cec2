/* Configuration search: assignments against all permutations, the dynamic program against
 * all splits, the search against all configurations, with costs of the layer-wise model
 * and of the caller, and places of all segments. Times of large cases are printed; bench/
 * measures them. */
#define CHANCE_SEED 11
#include "plans.h"
#include "memory.h"

#include <time.h>

static double cpu_s(void) { return (double)clock() / (double)CLOCKS_PER_SEC; }

/* ---- Assignments ---- */

typedef struct best_assignment { double sum, largest, sum_of_largest; } best_assignment;

/* All ways to give segments i .. n - 1 workers that are not used. */
static void all_assignments(const double *cost, size_t n, size_t m, size_t i, unsigned used,
                     double sum, double largest, best_assignment *best)
{
    if (i == n) {
        if (sum < best->sum) best->sum = sum;
        if (largest < best->largest ||
            (largest <= best->largest && sum < best->sum_of_largest)) {
            best->largest = largest;
            best->sum_of_largest = sum;
        }
        return;
    }
    for (size_t j = 0; j < m; j++) {
        const double c = cost[i * m + j];
        if (!(used >> j & 1u))
            all_assignments(cost, n, m, i + 1, used | 1u << j, sum + c,
                     c > largest ? c : largest, best);
    }
}

#define MATCHING(cost, n, m, objective) \
    (&(const sgdplan_matching){cost, n, m, (sgdplan_objective)(objective)})
#define MAP(cost, n, m, objective, work, bytes, worker, out) \
    sgdplan_assign_segments(MATCHING(cost, n, m, objective), work, bytes, worker, out)
#define NEED(n, m, bytes) sgdplan_assign_segments_bytes(MATCHING(NULL, n, m, 0), bytes)

/* Assigns, and checks that the answer is an assignment of the cost it says. */
static sgdplan_assignment assign(const double *cost, size_t n, size_t m,
                            sgdplan_objective objective)
{
    static uint32_t worker[256];
    double sum = 0, largest = 0;
    size_t bytes = 0;
    sgdplan_assignment out = {0};
    CHECK_STATUS(NEED(n, m, &bytes), SGDPLAN_OK);
    void *work = get_dirt(bytes);
    worker[n] = 77;
    CHECK_STATUS(MAP(cost, n, m, objective, work, bytes, worker, &out), SGDPLAN_OK);
    CHECK(worker[n] == 77);
    for (size_t i = 0; i < n; i++) {
        CHECK(worker[i] < m);
        for (size_t j = 0; j < i; j++) CHECK(worker[i] != worker[j]);
        sum += cost[i * m + worker[i]];
        if (cost[i * m + worker[i]] > largest) largest = cost[i * m + worker[i]];
    }
    CHECK_REL(out.sum, sum, 1e-15);
    CHECK_REL(out.largest, largest, 0.0);
    free(work);
    return out;
}

TEST(assigns_as_the_best_of_all_permutations)
{
    unsigned trial, conflicts = 0, greedy = 0;
    for (trial = 0; trial < TEST_SIZE(800, 10000); trial++) {
        const size_t m = 1 + draw(trial % 10 == 0 ? 7 : 5), n = 1 + draw((uint32_t)m);
        const uint32_t values = 2 + draw(40);
        const int integers = (int)draw(2);
        double cost[49];
        best_assignment best = { INFINITE, INFINITE, INFINITE };
        for (size_t i = 0; i < n * m; i++) cost[i] = integers ? draw(values) : uniform(0, 1);
        all_assignments(cost, n, m, 0, 0, 0, 0, &best);
        sgdplan_assignment sum = assign(cost, n, m, SGDPLAN_LEAST_SUM);
        sgdplan_assignment largest = assign(cost, n, m, SGDPLAN_LEAST_LARGEST);
        CHECK_REL(sum.sum, best.sum, integers ? 0.0 : 1e-12);
        CHECK_REL(largest.largest, best.largest, 0.0);
        CHECK_REL(largest.sum, best.sum_of_largest, integers ? 0.0 : 1e-12);
        CHECK(sum.greedy_sum >= best.sum * (1 - 1e-12));
        CHECK(largest.greedy_largest >= best.largest);
        conflicts += (unsigned)sum.conflict;
        if (sum.conflict && sum.greedy_sum <= best.sum * (1 + 1e-12)) greedy++;
    }
    printf("greedy: conflicts in %u of %u random matrices, the best in %u of them\n",
           conflicts, trial, greedy);
    CHECK(conflicts > 0 && greedy < conflicts);
}

/* Without a conflict: each its cheapest, the first among equals; with one by regret. */
TEST(a_segment_keeps_a_worker_whose_next_best_would_cost_it_more)
{
    const double apart[6] = { 5, 2, 2, 1, 4, 9 }, same[4] = { 1, 3, 1, 9 };
    const double chain[9] = { 1, 2, 9, 1, 5, 9, 9, 2, 3 };
    const double dear[6] = { 5, 6, 20, 1, 4, 20 };
    const double even[9] = { 1, 2, 7, 100, 0, 5, 0, 50, 60 };
    uint32_t worker[3] = { 9, 9, 9 };
    double work[256];
    sgdplan_assignment out = { 0, 0, 0, 0, 0 };
    CHECK_STATUS(MAP(apart, 2, 3, 0, work, sizeof work, worker, &out), SGDPLAN_OK);
    CHECK(worker[0] == 1 && worker[1] == 0 && !out.conflict);
    CHECK_REL(out.sum, 3.0, 0.0);
    CHECK_STATUS(MAP(same, 2, 2, 0, work, sizeof work, worker, &out), SGDPLAN_OK);
    CHECK(worker[0] == 1 && worker[1] == 0 && out.conflict);
    CHECK_REL(out.greedy_sum, 4.0, 0.0);
    /* Row 1 keeps column 0, row 0 takes column 1 with regret 7, row 2 column 2. */
    CHECK_STATUS(MAP(chain, 3, 3, 0, work, sizeof work, worker, &out), SGDPLAN_OK);
    CHECK(worker[0] == 1 && worker[1] == 0 && worker[2] == 2);
    /* Row 1 keeps column 0 with regret 3 against 1, though row 0's costs are higher. */
    CHECK_STATUS(MAP(dear, 2, 3, 0, work, sizeof work, worker, &out), SGDPLAN_OK);
    CHECK(worker[0] == 1 && worker[1] == 0);
    CHECK_REL(out.greedy_sum, 7.0, 0.0);
    /* Row 2 takes column 0 from row 0, which asks for column 1 with the regret of row 1. */
    CHECK_STATUS(MAP(even, 3, 3, 0, work, sizeof work, worker, &out), SGDPLAN_OK);
    CHECK(worker[0] == 1 && worker[1] == 2 && worker[2] == 0);
    CHECK_REL(out.greedy_largest, 5.0, 0.0);
}

TEST(assigns_64_segments_as_by_hand)
{
    static double cost[64 * 64];
    static double work[64 * 64 * 4];
    static uint32_t worker[64];
    sgdplan_assignment out = { 0, 0, 0, 0, 0 };
    for (int kind = 0; kind < 4; kind++)
        for (int objective = 0; objective < 2; objective++) {
            double best = INFINITE;
            for (size_t i = 0; i < 64 * 64; i++)
                cost[i] = kind == 0 ? uniform(0, 1) : kind == 1 ? draw(64)
                    : kind == 2 ? 7 : (double)(i / 64 + 1) * (double)(i % 64 + 1);
            for (int run = 0; run < 5; run++) {
                const double start = cpu_s();
                CHECK_STATUS(MAP(cost, 64, 64, objective, work, sizeof work, worker, &out),
                             SGDPLAN_OK);
                if (cpu_s() - start < best) best = cpu_s() - start;
            }
            printf("64 workers, costs %d, objective %d: %.3f ms, greedy %g, best %g\n",
                   kind, objective, best * 1e3,
                   objective ? out.greedy_largest : out.greedy_sum,
                   objective ? out.largest : out.sum);
        }
    CHECK_REL(out.largest, 32.0 * 33, 0.0); /* of (i + 1)(j + 1), against the diagonal */
}

TEST(bad_assignments_are_refused)
{
    const double bad[4] = { -1, NOT_A_NUMBER, INFINITE, 2e70 };
    double cost[4] = { 1, 2, 3, 4 }, work[64];
    uint32_t worker[2] = { 9, 9 };
    sgdplan_assignment out, before;
    const size_t many = sizeof(size_t) > 4 ? UINT32_MAX : UINT16_MAX;
    const size_t most = (size_t)-1 / sizeof *cost / many;      /* of so many workers */
    size_t bytes = 0, i;
    memset(&out, 0x5A, sizeof out);
    memcpy(&before, &out, sizeof out);
    CHECK_STATUS(NEED(2, 2, &bytes), SGDPLAN_OK);
    CHECK_STATUS(NEED(2, 2, NULL), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(NEED(0, 2, &bytes), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(NEED(3, 2, &bytes), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(NEED(1u << 31, UINT32_MAX, &i), SGDPLAN_TOO_LARGE);
    CHECK_STATUS(NEED(most, many, &i), SGDPLAN_OK);
    CHECK_STATUS(NEED(most + 1, many, &i), SGDPLAN_TOO_LARGE);
    CHECK_STATUS(MAP(NULL, 2, 2, 0, work, bytes, worker, &out), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(MAP(cost, 3, 2, 0, work, bytes, worker, &out), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(MAP(cost, 2, 2, 2, work, bytes, worker, &out), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(MAP(cost, 2, 2, 0, NULL, bytes, worker, &out), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(MAP(cost, 2, 2, 0, (char *)work + 1, bytes, worker, &out), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(MAP(cost, 2, 2, 0, work, bytes - 1, worker, &out), SGDPLAN_SMALL_WORKSPACE);
    CHECK_STATUS(MAP(cost, 2, 2, 0, work, bytes, NULL, &out), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(MAP(cost, 2, 2, 0, work, bytes, worker, NULL), SGDPLAN_BAD_ARGUMENT);
    for (i = 0; i < 8; i++) {
        const size_t at = i < 4 ? 3 : 0;
        const double fine = cost[at];
        cost[at] = bad[i % 4];
        CHECK_STATUS(MAP(cost, 2, 2, 1, work, bytes, worker, &out), SGDPLAN_BAD_COST);
        cost[at] = fine;
    }
    CHECK(worker[0] == 9 && worker[1] == 9 && memcmp(&out, &before, sizeof out) == 0);
}

/* ---- Problems ---- */

enum { ROOM = 12 };

static int is_cluster(const sgdplan_plan *plan, const sgdplan_configuration *c)
{
    return plan->configuration.servers == c->servers
        && plan->configuration.replicas == c->replicas
        && plan->configuration.workers == c->workers;
}

static int is_split(const sgdplan_split *s, uint32_t P, uint32_t R, uint32_t H)
{
    return s->partitions == P && s->replications == R && s->threads == H && !s->worker;
}

static sgdplan_problem problem_of(const sgdplan_layer *layer, size_t layers,
                                  uint32_t machines, uint32_t cores)
{
    sgdplan_problem in;
    sgdplan_machines *m = &in.job.machines;
    memset(&in, 0, sizeof in);
    in.job.layer = layer;
    in.job.layers = layers;
    in.job.samples = 60000;
    in.job.read_samples = 70;
    m->count = machines;
    m->cores = cores;
    m->connection_s.number = 1e-9;
    m->activation_s = 1e-8;
    m->error_s = 1e-8;
    m->latency_s.number = 1e-5;
    m->bandwidth_bytes_per_s = 1.25e9;
    return in;
}

/* Interference that makes few threads worth while, sizes that make splits compete. */
static sgdplan_problem random_problem(sgdplan_layer *layer, size_t layers,
                                      uint32_t machines, uint32_t cores)
{
    static const double at[2] = { 2, 4 }, slower[2] = { 1.2, 3.5 };
    sgdplan_problem in = problem_of(layer, layers, machines, cores);
    sgdplan_machines *m = &in.job.machines;
    const size_t images = draw((uint32_t)layers);
    uint32_t c = 1 + draw(3), h = 6 + draw(20), width;
    size_t l;
    for (l = 0; l < images; l++) {
        const uint32_t k = 1 + draw(h < 5 ? h : 5), s = 1 + draw(2), pad = draw(k);
        const uint32_t channels = 1 + draw(6);
        layer[l] = draw(4) == 0 ? image(SGDPLAN_LAYER_POOL, c, h, c, k, s, pad)
                                : image(SGDPLAN_LAYER_CONV, c, h, channels, k, s, pad);
        c = layer[l].out.channels;
        h = layer[l].out.rows;
    }
    width = c * h * h;
    for (; l < layers; l++) {
        layer[l] = full(SGDPLAN_LAYER_FC, width, 1 + draw(200), 0);
        width = layer[l].n_out;
    }
    m->connection_s.number = uniform(1e-10, 1e-8);
    m->latency_s.number = draw(3) == 0 ? 0.0 : uniform(1e-8, 1e-5);
    m->bandwidth_bytes_per_s = uniform(1e7, 1e10);
    m->interference.points = 2;
    m->interference.at = at;
    m->interference.value = slower;
    in.job.variants.mix = draw(2) ? uniform(0, 1) : 0;
    in.job.variants.read_full = (int)draw(2);
    in.job.variants.latency_always = (int)draw(2);
    return in;
}

static double epoch_of(const sgdplan_problem *in, const sgdplan_plan *plan)
{
    sgdplan_epoch out = {.epoch_s = NOT_A_NUMBER};
    CHECK_STATUS(sgdplan_epoch_time(&in->job, &plan->configuration, NULL, &out, NULL), SGDPLAN_OK);
    return out.epoch_s;
}

static sgdplan_plan best_splits(const sgdplan_problem *in, const sgdplan_configuration *c,
                                sgdplan_split *split)
{
    size_t bytes = 0;
    sgdplan_plan plan = {0};
    CHECK_STATUS(sgdplan_best_splits_bytes(in, c, &bytes), SGDPLAN_OK);
    void *work = get_dirt(bytes);
    CHECK_STATUS(sgdplan_best_splits(in, c, work, bytes, split, &plan), SGDPLAN_OK);
    CHECK(is_cluster(&plan, c) && plan.configuration.split == split);
    free(work);
    return plan;
}

/* split[room][layers] */
static size_t search(const sgdplan_problem *in, sgdplan_plan *plan, sgdplan_split *split,
                     size_t room)
{
    sgdplan_ranking out = { plan, split, room, 0 };
    size_t bytes = 0;
    CHECK_STATUS(sgdplan_search_bytes(in, room, &bytes), SGDPLAN_OK);
    void *work = get_dirt(bytes);
    CHECK_STATUS(sgdplan_search(in, work, bytes, &out), SGDPLAN_OK);
    for (size_t i = 0; i < out.found; i++)
        CHECK(plan[i].configuration.split == (split ? split + i * in->job.layers : NULL));
    free(work);
    return out.found;
}

/* ---- The dynamic program against all splits ---- */

typedef struct all_splits {
    const sgdplan_problem *in;
    sgdplan_configuration  c;
    double                 best;
} all_splits;

/* Layer l of the layer-wise model, between its neighbours; infinite: not allowed. */
static double layer_epoch(const all_splits *all, size_t l, const sgdplan_split *split)
{
    const sgdplan_job *job = &all->in->job;
    const sgdplan_split *s = split + l;
    uint64_t A = 0, E = 0, other;
    sgdplan_segment t;
    sgdplan_weights w;
    if (l > 0 && sgdplan_remote_values(job, l, s - 1, s, &A, &other) != SGDPLAN_OK)
        return INFINITE;
    if (l + 1 < job->layers
        && sgdplan_remote_values(job, l + 1, s, s + 1, &other, &E) != SGDPLAN_OK)
        return INFINITE;
    if (sgdplan_segment_time(job, l, s, A, E, &t) != SGDPLAN_OK
        || sgdplan_weight_time(job, l, &all->c, s, &w) != SGDPLAN_OK)
        return INFINITE;
    return (t.forward_s + t.activations_s + t.backward_s + t.errors_s + t.update_s)
        * job->samples / ((double)s->threads * s->replications * all->c.replicas)
        + w.latency_s + w.transfer_s + w.write_s;
}

/* The same of costs of the caller's own. */
static double own_epoch(const all_splits *all, size_t l, const sgdplan_split *split)
{
    const sgdplan_costs *c = &all->in->costs;
    const double replicas = all->c.replicas;
    double s = c->layer_s(c->ctx, l, split + l) / replicas
        + c->weights_s(c->ctx, l, split + l, &all->c);
    if (l > 0) s += c->forward_s(c->ctx, l, split + l - 1, split + l) / replicas;
    if (l + 1 < all->in->job.layers)
        s += c->backward_s(c->ctx, l + 1, split + l, split + l + 1) / replicas;
    return s;
}

/* The epoch of every split of layers l .. L - 1 on top of those below. */
static void try_splits(all_splits *all, size_t l, double so_far, sgdplan_split *split,
                       uint32_t h_low, uint32_t h_high)
{
    double (*const epoch)(const all_splits *, size_t, const sgdplan_split *) =
        all->in->costs.layer_s ? own_epoch : layer_epoch;
    sgdplan_split *s = split + l;
    if (l == all->in->job.layers) {
        so_far += epoch(all, l - 1, split);
        if (so_far < all->best) all->best = so_far;
        return;
    }
    s->worker = NULL;
    for (s->partitions = 1; s->partitions <= all->c.workers; s->partitions++)
        for (s->replications = 1; s->partitions * s->replications <= all->c.workers;
             s->replications++)
            for (s->threads = h_low; s->threads <= h_high; s->threads++) {
                const double t = l > 0 ? epoch(all, l - 1, split) : 0.0;
                if (so_far + t <= DBL_MAX)
                    try_splits(all, l + 1, so_far + t, split, h_low, h_high);
            }
}

static double best_of_all(const sgdplan_problem *in, const sgdplan_configuration *c)
{
    all_splits all = { in, *c, INFINITE };
    sgdplan_split split[8];
    if (in->threads_differ) {
        try_splits(&all, 0, 0.0, split, 1, in->job.machines.cores);
        return all.best;
    }
    for (uint32_t h = 1; h <= in->job.machines.cores; h++) try_splits(&all, 0, 0.0, split, h, h);
    return all.best;
}

/* Splits of a layer on n workers. */
static double states_of(uint32_t n, uint32_t cores, int differ)
{
    double count = 0;
    for (uint32_t R = 1; R <= n; R++) count += n / R;
    return differ ? count * cores : count;
}

/* So few workers and cores that all splits of L layers can be tried. */
static void few_enough(size_t L, int differ, uint32_t *workers, uint32_t *cores)
{
    *workers = 1 + draw(4);
    *cores = 1 + draw(4);
    while (pow(states_of(*workers, *cores, differ), (double)L) > TEST_SIZE(2000, 20000)) {
        if (*cores > 1) --*cores;
        else --*workers;
    }
}

TEST(the_best_splits_are_the_best_of_all)
{
    unsigned trial, varied = 0;
    for (trial = 0; trial < TEST_SIZE(200, 1000); trial++) {
        const size_t L = 2 + draw(4);
        const int differ = (int)draw(2);
        sgdplan_layer layer[8];
        sgdplan_split split[8];
        uint32_t workers, cores;
        size_t l;
        few_enough(L, differ, &workers, &cores);
        sgdplan_problem in = random_problem(layer, L, 64, cores);
        in.threads_differ = differ;
        sgdplan_configuration c = cluster(1 + draw(6), 1 + draw(8), workers, NULL);
        sgdplan_plan plan = best_splits(&in, &c, split);
        CHECK_REL(plan.epoch_s, best_of_all(&in, &c), 1e-12);
        CHECK_REL(epoch_of(&in, &plan), plan.epoch_s, 1e-12);
        for (l = 1; l < L; l++)
            if (memcmp(split + l, split, sizeof *split) != 0) break;
        varied += l < L;
    }
    printf("splits vary within the network in %u of %u\n", varied, trial);
    CHECK(varied > trial / 5);
}

/* In each step but one the two parts of a recurrent layer send 2 of 4 neurons. */
TEST(a_recurrent_layer_is_planned_as_its_epoch_says)
{
    const sgdplan_layer layer[1] = {
        { SGDPLAN_LAYER_RECURRENT, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 6, 4, 5 } };
    const sgdplan_configuration c = cluster(1, 1, 2, NULL);
    sgdplan_split fixed[1] = {{0}}, split[1];
    sgdplan_problem in = problem_of(layer, 1, 9, 4);
    fixed[0].partitions = fixed[0].threads = 2;
    in.fixed = fixed;
    sgdplan_plan plan = best_splits(&in, &c, split);
    CHECK(is_split(split, 2, 1, 2));
    CHECK_REL(epoch_of(&in, &plan), plan.epoch_s, 1e-14);
}

static uint64_t hash(uint64_t x) { return test_mix(x + 0x9e3779b97f4a7c15u); }

/* Costs without any structure; some splits are not allowed. */
static double mixed(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t bits = hash(hash(hash(a) ^ b) ^ c);
    return bits % 16 == 0 ? INFINITE : (double)(bits >> 40) * 1e-6;
}

static uint64_t packed(const sgdplan_split *s)
{
    return ((uint64_t)s->partitions << 16 | s->replications) << 16 | s->threads;
}

static double mixed_layer_s(void *ctx, size_t l, const sgdplan_split *s)
{
    return mixed(*(const uint64_t *)ctx, l, packed(s));
}

static double mixed_forward_s(void *ctx, size_t l, const sgdplan_split *below,
                              const sgdplan_split *s)
{
    sgdplan_split b = *below;
    b.threads = 0;
    return mixed(*(const uint64_t *)ctx + 1, packed(&b), packed(s) * 8 + l);
}

static double mixed_backward_s(void *ctx, size_t l, const sgdplan_split *below,
                               const sgdplan_split *s)
{
    sgdplan_split above = *s;
    above.threads = 0;
    return mixed(*(const uint64_t *)ctx + 2, packed(below), packed(&above) * 8 + l);
}

static double mixed_weights_s(void *ctx, size_t l, const sgdplan_split *s,
                              const sgdplan_configuration *r)
{
    sgdplan_split any = *s;
    any.partitions = (uint32_t)l;
    return mixed(*(const uint64_t *)ctx + 3, packed(&any), r->servers) / 16;
}

/* Nothing but the numbers of layers, machines and cores is read of the job. */
TEST(the_best_splits_are_the_best_of_all_for_costs_of_any_kind)
{
    unsigned trial, varied = 0, none = 0;
    for (trial = 0; trial < TEST_SIZE(150, 1000); trial++) {
        uint64_t seed = 1000 * (uint64_t)trial;
        static double work[65536];
        const size_t L = 2 + draw(4);
        sgdplan_split split[8];
        sgdplan_plan plan;
        uint32_t workers, cores;
        sgdplan_problem in = {.threads_differ = (int)draw(2)};
        few_enough(L, in.threads_differ, &workers, &cores);
        in.job.layers = L;
        in.job.machines.count = 64;
        in.job.machines.cores = cores;
        in.costs.layer_s = mixed_layer_s;
        in.costs.forward_s = mixed_forward_s;
        in.costs.backward_s = mixed_backward_s;
        in.costs.weights_s = mixed_weights_s;
        in.costs.ctx = &seed;
        sgdplan_configuration c = cluster(1 + draw(6), 1 + draw(8), workers, NULL);
        double want = best_of_all(&in, &c);
        if (want > DBL_MAX) {
            none++;
            CHECK_STATUS(sgdplan_best_splits(&in, &c, work, sizeof work, split, &plan),
                         SGDPLAN_NO_PLAN);
            continue;
        }
        CHECK_STATUS(sgdplan_best_splits(&in, &c, work, sizeof work, split, &plan), SGDPLAN_OK);
        CHECK_REL(plan.epoch_s, want, 1e-12);
        varied += memcmp(split + 1, split, sizeof *split) != 0;
    }
    CHECK(varied > trial / 4 && none > 0);
}

/* ---- The search against every configuration one by one ---- */

typedef struct seen { size_t count; double worst, best; } seen;

static void see(void *ctx, const sgdplan_plan *plan)
{
    seen *s = (seen *)ctx;
    s->count++;
    if (plan->epoch_s > s->worst) s->worst = plan->epoch_s;
    if (s->count == 1 || plan->epoch_s < s->best) s->best = plan->epoch_s;
    CHECK(plan->configuration.split != NULL);
}

TEST(a_search_finds_what_one_by_one_finds)
{
    for (unsigned trial = 0; trial < TEST_SIZE(60, 200); trial++) {
        static sgdplan_split splits[ROOM * 8], one[8];
        const size_t L = 2 + draw(3);
        sgdplan_layer layer[8];
        sgdplan_plan plan[ROOM], best;
        seen s = { 0, 0, 0 };
        size_t found, count = 0, before = 0;
        sgdplan_problem in = random_problem(layer, L, 2 + draw(8), 1 + draw(4));
        in.threads_differ = (int)draw(2);
        in.max_replications = draw(3);
        in.on_plan = see;
        in.plan_ctx = &s;
        found = search(&in, plan, splits, ROOM);
        CHECK(s.count == sgdplan_search_count(&in));
        CHECK(found == (s.count < ROOM ? s.count : ROOM));
        CHECK_REL(plan[0].epoch_s, s.best, 0.0);
        sgdplan_configuration c = cluster(1, 1, 1, NULL);
        for (c.workers = 1; c.workers < in.job.machines.count; c.workers++)
            for (c.replicas = 1; c.replicas * c.workers < in.job.machines.count; c.replicas++)
                for (c.servers = 1;
                     c.servers + c.replicas * c.workers <= in.job.machines.count;
                     c.servers++, count++) {
                    best = best_splits(&in, &c, one);
                    before += best.epoch_s < plan[found - 1].epoch_s * (1 - 1e-12);
                    for (size_t i = 0; i < found; i++)
                        if (is_cluster(plan + i, &c))
                            CHECK_REL(plan[i].epoch_s, best.epoch_s, 1e-12);
                    if (best.epoch_s < plan[0].epoch_s)
                        CHECK_REL(best.epoch_s, plan[0].epoch_s, 1e-12);
                }
        CHECK(count == s.count && before < found);
        for (size_t i = 0; i < found; i++) {
            CHECK_REL(epoch_of(&in, plan + i), plan[i].epoch_s, 1e-12);
            CHECK(i == 0 || plan[i].epoch_s >= plan[i - 1].epoch_s);
        }
    }
}

TEST(configurations_given_are_ranked)
{
    static sgdplan_split splits[3 * 3];
    sgdplan_configuration given[3];
    sgdplan_layer layer[3];
    sgdplan_problem in = random_problem(layer, 3, 10, 4);
    sgdplan_plan plan[3];
    size_t few = 0, bytes = 0;
    given[0] = cluster(1, 1, 1, NULL);
    given[1] = cluster(2, 4, 2, NULL);
    given[2] = cluster(1, 2, 1, NULL);
    in.given = given;
    in.givens = 3;
    CHECK(search(&in, plan, splits, 3) == 3 && sgdplan_search_count(&in) == 3);
    for (size_t i = 0; i < 3; i++) CHECK_REL(epoch_of(&in, plan + i), plan[i].epoch_s, 1e-12);
    CHECK(plan[0].epoch_s <= plan[1].epoch_s && plan[1].epoch_s <= plan[2].epoch_s);
    CHECK(search(&in, plan, NULL, 3) == 3);
    CHECK_STATUS(sgdplan_search_bytes(&in, 1, &few), SGDPLAN_OK);
    in.job.machines.count = 65536;          /* as much work as for two workers */
    CHECK_STATUS(sgdplan_search_bytes(&in, 1, &bytes), SGDPLAN_OK);
    CHECK(bytes == few && search(&in, plan, splits, 3) == 3);
    in.job.machines.count = 3;              /* of which all make such replicas */
    in.given = NULL;
    CHECK_STATUS(sgdplan_search_bytes(&in, 1, &bytes), SGDPLAN_OK);
    CHECK(bytes == few);
}

/* What is fixed stays, and the rest is the best of all that agrees with it: as good as the
 * best without where that agrees, never better. */
TEST(fixed_splits_stay_as_they_are)
{
    unsigned trial, agreed = 0;
    for (trial = 0; trial < TEST_SIZE(100, 400); trial++) {
        const size_t L = 2 + draw(3);
        const sgdplan_configuration c = cluster(1, 2, 4, NULL);
        sgdplan_layer layer[8];
        sgdplan_split fixed[8] = {{0}}, split[8], open[8];
        sgdplan_problem in = random_problem(layer, L, 64, 3);
        int agrees = 1;
        in.threads_differ = (int)draw(2);
        sgdplan_plan before = best_splits(&in, &c, open);
        for (size_t l = 0; l < L; l++) {
            fixed[l].replications = draw(3) ? 0 : 1 + draw(2);
            fixed[l].threads = draw(3) == 0 ? 2 : 0;
            if (draw(3) == 0) fixed[l].partitions = draw(2) ? open[l].partitions : 1;
            if ((uint64_t)fixed[l].partitions * fixed[l].replications > 4)
                fixed[l].replications = 1;
        }
        in.fixed = fixed;
        sgdplan_plan plan = best_splits(&in, &c, split);
        CHECK_REL(epoch_of(&in, &plan), plan.epoch_s, 1e-12);
        for (size_t l = 0; l < L; l++) {
            const sgdplan_split *f = fixed + l, *s = split + l, *o = open + l;
            CHECK(f->partitions == 0 || f->partitions == s->partitions);
            CHECK(f->replications == 0 || f->replications == s->replications);
            CHECK(f->threads == 0 || f->threads == s->threads);
            agrees &= (f->partitions == 0 || f->partitions == o->partitions)
                && (f->replications == 0 || f->replications == o->replications)
                && (f->threads == 0 || f->threads == o->threads);
        }
        CHECK(plan.epoch_s >= before.epoch_s * (1 - 1e-12));
        if (agrees) CHECK_REL(plan.epoch_s, before.epoch_s, 0.0);
        agreed += (unsigned)agrees;
    }
    CHECK(agreed > 0 && agreed < trial);
}

/* ---- Ties ---- */

static double constant_s(void *ctx, size_t l, const sgdplan_split *s)
{
    (void)l;
    (void)s;
    return *(const double *)ctx;
}

static double nothing_s(void *ctx, size_t l, const sgdplan_split *below,
                        const sgdplan_split *s)
{
    (void)ctx;
    (void)l;
    (void)below;
    (void)s;
    return 0.0;
}

static sgdplan_problem constant_problem(double *value, size_t layers, uint32_t machines)
{
    return (sgdplan_problem){.job.layers = layers, .job.machines.count = machines,
                             .job.machines.cores = 4, .costs.layer_s = constant_s,
                             .costs.forward_s = nothing_s, .costs.backward_s = nothing_s,
                             .costs.ctx = value};
}

/* Equal everywhere: one worker, one thread. */
TEST(ties_go_to_the_smallest)
{
    double value = 5;
    sgdplan_problem in = constant_problem(&value, 4, 9);
    const sgdplan_configuration r = cluster(2, 1, 7, NULL), many = cluster(1, 8, 1, NULL);
    sgdplan_split split[4];
    sgdplan_plan plan;
    for (int differ = 0; differ < 2; differ++) {
        in.threads_differ = differ;
        plan = best_splits(&in, &r, split);
        CHECK_REL(plan.epoch_s, 20.0, 0.0);
        for (size_t l = 0; l < 4; l++)
            CHECK(is_split(split + l, 1, 1, 1));
    }
    CHECK(search(&in, &plan, split, 1) == 1);  /* eight replicas, and one server, win */
    CHECK(is_cluster(&plan, &many));
    value = 0;
    CHECK_REL(best_splits(&in, &r, split).epoch_s, 0.0, 0.0);
}

/* The same value on 4 workers, as 2 x 2 with 1 thread and as 4 x 1 with 2. */
static double two_ways_s(void *ctx, size_t l, const sgdplan_split *s)
{
    (void)ctx;
    (void)l;
    if (s->partitions == 2 && s->replications == 2 && s->threads == 2) return 1.0;
    if (s->partitions == 4 && s->replications == 1 && s->threads == 1) return 1.0;
    if (s->partitions == 1 && s->replications == 4 && s->threads == 2) return 1.0;
    return s->partitions * s->replications == 5 ? 1.0 : 2.0;
}

TEST(ties_by_workers_then_threads_then_partitions)
{
    double value = 0;
    sgdplan_problem in = constant_problem(&value, 3, 9);
    const sgdplan_configuration r = cluster(1, 1, 6, NULL);
    sgdplan_split split[3];
    in.costs.layer_s = two_ways_s;
    for (int differ = 0; differ < 2; differ++) {
        in.threads_differ = differ;
        sgdplan_plan plan = best_splits(&in, &r, split);
        CHECK_REL(plan.epoch_s, 3.0, 0.0);
        CHECK(is_split(split, 4, 1, 1) && is_split(split + 2, 4, 1, 1));
    }
}

/* ---- Refusals ---- */

static double bad_value;

static double sometimes_bad_s(void *ctx, size_t l, const sgdplan_split *below,
                              const sgdplan_split *s)
{
    (void)ctx;
    (void)below;
    return l == 2 && s->partitions == 2 ? bad_value : 0.0;
}

static double bad_weights_s(void *ctx, size_t l, const sgdplan_split *s,
                            const sgdplan_configuration *r)
{
    (void)ctx;
    (void)l;
    (void)s;
    return r->servers == 3 ? bad_value : 0.0;
}

/* Both functions refuse, and write nothing. */
static void refused(const sgdplan_problem *in, const sgdplan_configuration *c,
                    sgdplan_status want)
{
    static double work[65536];
    sgdplan_split split[8], before[8];
    sgdplan_plan plan;
    sgdplan_ranking out = { &plan, split, 1, 77 };
    plan.configuration.servers = 7;
    plan.epoch_s = 7;
    memset(split, 0x5A, sizeof split);
    memcpy(before, split, sizeof split);
    CHECK_STATUS(sgdplan_best_splits(in, c, work, sizeof work, split, &plan), want);
    CHECK_STATUS(sgdplan_search(in, work, sizeof work, &out), want);
    CHECK(out.found == 77 && plan.configuration.servers == 7 && plan.epoch_s <= 7
          && memcmp(split, before, sizeof split) == 0);
}

TEST(bad_costs_are_refused)
{
    const double bad[2] = { -1, NOT_A_NUMBER };
    double value = 5;
    const sgdplan_configuration r = cluster(3, 1, 4, NULL);
    sgdplan_configuration given[2];
    sgdplan_problem in;
    given[0] = given[1] = r;
    for (size_t i = 0; i < 2; i++) {
        bad_value = bad[i];
        in = constant_problem(&bad_value, 3, 9);
        refused(&in, &r, SGDPLAN_BAD_COST);
        in = constant_problem(&value, 3, 9);
        in.costs.forward_s = sometimes_bad_s;
        refused(&in, &r, SGDPLAN_BAD_COST);
        in = constant_problem(&value, 3, 9);
        in.costs.backward_s = sometimes_bad_s;
        refused(&in, &r, SGDPLAN_BAD_COST);
        in = constant_problem(&value, 3, 9);
        in.costs.weights_s = bad_weights_s;
        refused(&in, &r, SGDPLAN_BAD_COST);
        in.given = given;
        in.givens = 2;
        refused(&in, &r, SGDPLAN_BAD_COST);
    }
    value = INFINITE;
    in = constant_problem(&value, 3, 9);
    refused(&in, &r, SGDPLAN_NO_PLAN);
    in.threads_differ = 1;
    refused(&in, &r, SGDPLAN_NO_PLAN);
    value = 1e308;                          /* three of them are more than a double */
    refused(&in, &r, SGDPLAN_NO_PLAN);
}

/* The problem is refused, and so is its search. */
static void bad_problem(const sgdplan_problem *in, sgdplan_status want, sgdplan_fault reason,
                        size_t layer, size_t given)
{
    sgdplan_refusal refusal = { SGDPLAN_FAULT_NONE, 99, 99 };
    size_t bytes = 77;
    CHECK_STATUS(sgdplan_check_problem(in, &refusal), want);
    CHECK(refusal.reason == reason && refusal.layer == layer && refusal.given == given);
    CHECK_STATUS(sgdplan_check_problem(in, NULL), want);
    CHECK_STATUS(sgdplan_search_bytes(in, 1, &bytes), want);
    CHECK(bytes == 77);
}

TEST(bad_problems_are_refused_with_the_reason)
{
    const sgdplan_status bad = SGDPLAN_BAD_ARGUMENT, large = SGDPLAN_TOO_LARGE;
    sgdplan_configuration given[2];
    sgdplan_split fixed[2] = {{0}};
    sgdplan_layer layer[2];
    sgdplan_problem in, p;
    layer[0] = full(SGDPLAN_LAYER_FC, 6, 4, 0);
    layer[1] = full(SGDPLAN_LAYER_FC, 4, 2, 0);
    in = problem_of(layer, 2, 9, 4);
    CHECK_STATUS(sgdplan_check_problem(&in, NULL), SGDPLAN_OK);
    CHECK_STATUS(sgdplan_check_problem(NULL, NULL), bad);
    p = in; p.job.layers = 0;              bad_problem(&p, bad, SGDPLAN_FAULT_EMPTY, 0, 0);
    p = in; p.job.layer = NULL;            bad_problem(&p, bad, SGDPLAN_FAULT_EMPTY, 0, 0);
    p = in; p.job.machines.count = 1;      bad_problem(&p, bad, SGDPLAN_FAULT_EMPTY, 0, 0);
    p = in; p.job.machines.cores = 0;      bad_problem(&p, bad, SGDPLAN_FAULT_EMPTY, 0, 0);
    p = in; p.job.machines.count = 65537;  bad_problem(&p, large, SGDPLAN_FAULT_LARGE, 0, 0);
    p = in; p.job.machines.cores = 4097;   bad_problem(&p, large, SGDPLAN_FAULT_LARGE, 0, 0);
    p = in; p.job.machines.count = 65536; p.job.machines.cores = 4096;
    CHECK_STATUS(sgdplan_check_problem(&p, NULL), SGDPLAN_OK);
    p = in; p.job.machines.error_s = -1;   bad_problem(&p, bad, SGDPLAN_FAULT_CONSTANT, 0, 0);
    p = in; p.job.read_samples = 60001;    bad_problem(&p, bad, SGDPLAN_FAULT_READ, 0, 0);
    p = in; p.costs.weights_s = bad_weights_s;
    bad_problem(&p, bad, SGDPLAN_FAULT_COSTS, 0, 0);
    layer[1].n_in = 5;                     bad_problem(&in, bad, SGDPLAN_FAULT_BELOW, 1, 0);
    layer[1].n_in = 4;
    given[0] = cluster(3, 2, 3, NULL);
    given[1] = cluster(4, 2, 3, NULL);
    p = in; p.given = given;               bad_problem(&p, bad, SGDPLAN_FAULT_EMPTY, 0, 0);
    p.givens = 2;                          bad_problem(&p, bad, SGDPLAN_FAULT_MACHINES, 0, 1);
    given[1].servers = 0;                  bad_problem(&p, bad, SGDPLAN_FAULT_EMPTY, 0, 1);
    given[1] = cluster(1, 1, 2, NULL);
    CHECK_STATUS(sgdplan_check_problem(&p, NULL), SGDPLAN_OK);
    p.fixed = fixed;
    CHECK_STATUS(sgdplan_check_problem(&p, NULL), SGDPLAN_OK);
    fixed[1].replications = 3;             bad_problem(&p, bad, SGDPLAN_FAULT_WORKERS, 1, 0);
    given[1].workers = 3;
    CHECK_STATUS(sgdplan_check_problem(&p, NULL), SGDPLAN_OK);
    fixed[1].replications = 0;
    fixed[1].partitions = 3;               bad_problem(&p, bad, SGDPLAN_FAULT_STRIPES, 1, 0);
    fixed[1].partitions = 0;
    fixed[0].threads = 5;                  bad_problem(&p, bad, SGDPLAN_FAULT_CORES, 0, 0);
}

/* One machine at least is a server, the others may be workers. */
TEST(fixed_splits_have_all_machines_but_one)
{
    sgdplan_layer layer[2];
    sgdplan_split fixed[2] = {{0}};
    layer[0] = full(SGDPLAN_LAYER_FC, 6, 4, 0);
    layer[1] = full(SGDPLAN_LAYER_FC, 4, 2, 0);
    sgdplan_problem in = problem_of(layer, 2, 9, 4);
    in.fixed = fixed;
    fixed[1].replications = 8;
    CHECK_STATUS(sgdplan_check_problem(&in, NULL), SGDPLAN_OK);
    fixed[1].replications = 9;
    bad_problem(&in, SGDPLAN_BAD_ARGUMENT, SGDPLAN_FAULT_WORKERS, 1, 0);
}

/* With costs of the caller's own layers are not known: the rest holds. */
TEST(fixed_splits_bind_costs_of_any_kind)
{
    double value = 5;
    const sgdplan_configuration c = cluster(1, 1, 6, NULL);
    sgdplan_problem in = constant_problem(&value, 3, 9);
    sgdplan_split fixed[3] = {{0}}, split[3];
    fixed[1].partitions = 2;
    fixed[1].replications = 3;
    fixed[2].threads = 4;
    in.threads_differ = 1;
    in.fixed = fixed;
    (void)best_splits(&in, &c, split);
    CHECK(is_split(split, 1, 1, 1) && is_split(split + 1, 2, 3, 1)
          && is_split(split + 2, 1, 1, 4));
    in.threads_differ = 0;
    (void)best_splits(&in, &c, split);
    CHECK(is_split(split, 1, 1, 4) && is_split(split + 1, 2, 3, 4));
    fixed[2].threads = 5;
    refused(&in, &c, SGDPLAN_BAD_ARGUMENT);
    fixed[2].threads = 4;
    fixed[1].partitions = 4;
    refused(&in, &c, SGDPLAN_BAD_ARGUMENT);
}

/* What the layer-wise model makes of them is more than a double. */
TEST(a_search_leaves_out_what_takes_longer_than_a_double)
{
    const sgdplan_configuration c = cluster(1, 2, 3, NULL);
    sgdplan_layer layer[3];
    sgdplan_split split[3];
    sgdplan_problem in = random_problem(layer, 3, 9, 4), p;
    const double at[2] = { 2, 4 }, value[2] = { 1e308, 1e308 };
    p = in;
    p.job.machines.connection_s.number = 1e308;
    refused(&p, &c, SGDPLAN_NO_PLAN);
    p = in;
    p.job.machines.bandwidth_bytes_per_s = 1e-300;
    p.job.machines.value_bytes = 1.25e19;
    refused(&p, &c, SGDPLAN_NO_PLAN);
    p.job.variants.mix = 1;
    refused(&p, &c, SGDPLAN_NO_PLAN);
    p = in;
    p.job.samples = 1e308;
    p.job.read_samples = 1e-300;
    refused(&p, &c, SGDPLAN_NO_PLAN);
    p = in;
    p.job.machines.latency_s.points = 2;               /* one thread, without messages */
    p.job.machines.latency_s.at = at;
    p.job.machines.latency_s.value = value;
    refused(&p, &c, SGDPLAN_NO_PLAN);
    p = in;
    p.job.machines.interference.value = value;
    p.job.machines.interference.at = at;
    (void)best_splits(&p, &c, split);
    CHECK(split[0].threads == 1 && split[1].threads == 1 && split[2].threads == 1);
}

/* [YRHC15, eqs. 10 and 11]: each read and each write of weights waits for a message, of which
 * an epoch has 60000/70 and 60000/350. */
TEST(reads_and_writes_have_a_latency)
{
    sgdplan_layer layer[2] = {image(SGDPLAN_LAYER_CONV, 1, 8, 2, 3, 1, 0)};
    sgdplan_problem in;
    sgdplan_split split = {1, 1, 1, NULL};
    sgdplan_weights with, without;
    sgdplan_configuration c = cluster(2, 1, 1, NULL);
    in = problem_of(layer, 1, 4, 1);
    in.job.write_samples = 350;
    CHECK_STATUS(sgdplan_weight_time(&in.job, 0, &c, &split, &with), SGDPLAN_OK);
    in.job.machines.latency_s.number = 0.0;
    CHECK_STATUS(sgdplan_weight_time(&in.job, 0, &c, &split, &without), SGDPLAN_OK);
    CHECK_REL(with.latency_s, 1e-5 * 60000 / 70, 1e-12);
    CHECK(without.latency_s <= 0.0 && without.transfer_s > 0.0);
    CHECK_REL(with.transfer_s, without.transfer_s, 0.0);
    CHECK_REL(with.write_s - without.write_s, 1e-5 * 60000 / 350, 1e-9);
}

/* A transfer has so many bytes a value; costs of a layer look at it and at those beside it. */
TEST(costs_of_a_layer_depend_on_its_values_and_on_layers_beside_it)
{
    static const double bytes[] = {0.25, 1.0, 2.0, 4.0, 8.0};
    enum { DEEP = 5 };
    const sgdplan_configuration c = cluster(2, 1, 1, NULL);
    const sgdplan_split split = {1, 1, 1, NULL};
    sgdplan_layer layer[DEEP];
    sgdplan_weights plain, w;
    sgdplan_segment plain_of, of;
    for (size_t i = 0; i < DEEP; i++) layer[i] = full(SGDPLAN_LAYER_FC, 8, 8, 1);
    sgdplan_problem in = problem_of(layer, DEEP, 4, 1);
    for (size_t l = 0; l < DEEP; l++) {
        in.job.machines.value_bytes = 0.0;
        CHECK_STATUS(sgdplan_weight_time(&in.job, l, &c, &split, &plain), SGDPLAN_OK);
        CHECK_STATUS(sgdplan_segment_time(&in.job, l, &split, 6, 7, &plain_of), SGDPLAN_OK);
        for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
            in.job.machines.value_bytes = bytes[i];
            CHECK_STATUS(sgdplan_weight_time(&in.job, l, &c, &split, &w), SGDPLAN_OK);
            CHECK_REL(w.transfer_s, plain.transfer_s * bytes[i] / 4.0, 1e-12);
            CHECK_STATUS(sgdplan_segment_time(&in.job, l, &split, 6, 7, &of), SGDPLAN_OK);
            CHECK(of.activations_s <= plain_of.activations_s || bytes[i] > 4.0);
        }
        for (size_t i = 0; i < DEEP; i++) {
            const int looks = i + 1 >= l && i <= l + 1;
            const sgdplan_status status = looks ? SGDPLAN_BAD_ARGUMENT : SGDPLAN_OK;
            layer[i].kind = SGDPLAN_LAYER_COUNT;
            CHECK_STATUS(sgdplan_weight_time(&in.job, l, &c, &split, &w), status);
            CHECK_STATUS(sgdplan_segment_time(&in.job, l, &split, 6, 7, &of), status);
            layer[i].kind = SGDPLAN_LAYER_FC;
        }
    }
}

TEST(what_a_search_lacks_is_refused)
{
    static double work[65536];
    double value = 5;
    const sgdplan_configuration r = cluster(3, 1, 4, NULL);
    sgdplan_problem in = constant_problem(&value, 3, 9), bad;
    sgdplan_configuration given[2];
    sgdplan_split split[3];
    sgdplan_plan plan;
    size_t bytes = 0;
    given[0] = cluster(1, 1, 1, NULL);
    given[1] = cluster(4, 2, 3, NULL);
    bad = in; bad.job.layers = 0;                refused(&bad, &r, SGDPLAN_BAD_ARGUMENT);
    bad = in; bad.job.machines.count = 1;              refused(&bad, &r, SGDPLAN_BAD_ARGUMENT);
    bad = in; bad.job.machines.count = 0;              refused(&bad, &r, SGDPLAN_BAD_ARGUMENT);
    bad = in; bad.job.machines.cores = 0;                 refused(&bad, &r, SGDPLAN_BAD_ARGUMENT);
    bad = in; bad.costs.layer_s = NULL;      refused(&bad, &r, SGDPLAN_BAD_ARGUMENT);
    bad = in; bad.costs.forward_s = NULL;    refused(&bad, &r, SGDPLAN_BAD_ARGUMENT);
    bad = in; bad.costs.backward_s = NULL;   refused(&bad, &r, SGDPLAN_BAD_ARGUMENT);
    bad = in; bad.job.machines.cores = UINT32_MAX;        refused(&bad, &r, SGDPLAN_TOO_LARGE);
    bad = in; bad.job.machines.count = UINT32_MAX;     refused(&bad, &r, SGDPLAN_TOO_LARGE);
    bad = in; bad.job.layers = (size_t)-1 / 2;   refused(&bad, &r, SGDPLAN_TOO_LARGE);
    CHECK(sgdplan_search_count(&bad) > 0);
    CHECK_STATUS(sgdplan_search_bytes(&in, 1, &bytes), SGDPLAN_OK);
    CHECK_STATUS(sgdplan_search_bytes(&in, 0, &bytes), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_search_bytes(&in, 1, NULL), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_search_bytes(&in, (size_t)-1 / 4, &bytes), SGDPLAN_TOO_LARGE);
    CHECK_STATUS(sgdplan_search_bytes(&in, 1, &bytes), SGDPLAN_OK);
#define SEARCH(in, work, bytes, plan, room) \
    sgdplan_search(in, work, bytes, &(sgdplan_ranking){plan, split, room, 0})
    CHECK_STATUS(SEARCH(&in, work, bytes - 1, &plan, 1), SGDPLAN_SMALL_WORKSPACE);
    CHECK_STATUS(SEARCH(&in, NULL, bytes, &plan, 1), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(SEARCH(NULL, work, bytes, &plan, 1), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(SEARCH(&in, work, bytes, NULL, 1), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(SEARCH(&in, work, bytes, &plan, 0), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_search(&in, work, bytes, NULL), SGDPLAN_BAD_ARGUMENT);
    bad = in;
    bad.given = given;
    CHECK_STATUS(SEARCH(&bad, work, bytes, &plan, 1), SGDPLAN_BAD_ARGUMENT);
    bad.givens = 2;                          /* 4 + 2 * 3 > 9 */
    CHECK_STATUS(SEARCH(&bad, work, bytes, &plan, 1), SGDPLAN_BAD_ARGUMENT);
    given[1].servers = 3;
    CHECK_STATUS(SEARCH(&bad, work, bytes, &plan, 1), SGDPLAN_OK);
    CHECK_STATUS(SEARCH(&in, work, bytes, &plan, 1), SGDPLAN_OK);
#undef SEARCH
}

TEST(what_best_splits_lack_is_refused)
{
    static double work[65536];
    double value = 5;
    const sgdplan_configuration r = cluster(3, 1, 4, NULL);
    sgdplan_problem in = constant_problem(&value, 3, 9);
    sgdplan_configuration broken;
    sgdplan_split split[3];
    sgdplan_plan plan;
    size_t bytes = 0;
    CHECK_STATUS(sgdplan_best_splits_bytes(&in, &r, &bytes), SGDPLAN_OK);
    CHECK_STATUS(sgdplan_best_splits(&in, &r, work, bytes - 1, split, &plan),
                 SGDPLAN_SMALL_WORKSPACE);
    CHECK_STATUS(sgdplan_best_splits(&in, &r, work, bytes, split, NULL), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_best_splits(&in, NULL, work, bytes, split, &plan), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_best_splits(&in, &r, work, bytes, split, &plan), SGDPLAN_OK);
    broken = r; broken.servers = 0;
    CHECK_STATUS(sgdplan_best_splits(&in, &broken, work, bytes, split, &plan),
                 SGDPLAN_BAD_ARGUMENT);
    broken = r; broken.servers = 6;
    CHECK_STATUS(sgdplan_best_splits(&in, &broken, work, bytes, split, &plan),
                 SGDPLAN_BAD_ARGUMENT);
    broken = r; broken.replicas = broken.workers = UINT32_MAX;
    CHECK_STATUS(sgdplan_best_splits_bytes(&in, &broken, &bytes), SGDPLAN_BAD_ARGUMENT);
}

TEST(plans_as_long_and_as_large_go_by_workers_then_replicas)
{
    sgdplan_plan plan[3];
    memset(plan, 0, sizeof plan);
    plan[0].configuration = cluster(3, 2, 2, NULL);          /* 7 machines each */
    plan[1].configuration = cluster(1, 3, 2, NULL);
    plan[2].configuration = cluster(1, 2, 3, NULL);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            CHECK(sgdplan_compare_plans(plan + a, plan + b) == (a < b ? -1 : a > b));
    plan[2].configuration = cluster(1, 1, 1, NULL);          /* 2 machines are fewer than 7 */
    CHECK(sgdplan_compare_plans(plan + 2, plan) == -1);
    CHECK(sgdplan_compare_plans(plan, plan + 2) == 1);
    plan[2].configuration = cluster(9, 9, 9, NULL);
    plan[2].epoch_s = -1.0;
    CHECK(sgdplan_compare_plans(plan + 2, plan) == -1);
    CHECK(sgdplan_compare_plans(plan, plan + 2) == 1);
}

/* By 64 cores they are 0 in a size_t. */
TEST(layers_whose_tables_pass_the_address_space_are_refused)
{
    double value = 5;
    const sgdplan_configuration r = cluster(3, 1, 4, NULL);
    sgdplan_problem in = constant_problem(&value, (size_t)-1 / 64 + 1, 9);
    in.job.machines.cores = 64;
    in.threads_differ = 1;
    refused(&in, &r, SGDPLAN_TOO_LARGE);
}

TEST(searches_need_all_they_take)
{
    static double work[65536];
    double value = 5;
    const sgdplan_configuration r = cluster(3, 1, 4, NULL);
    sgdplan_problem in = constant_problem(&value, 3, 9), bad;
    sgdplan_split split[3];
    sgdplan_plan plan, same;
    size_t bytes = 77;
    const sgdplan_status refuse = SGDPLAN_BAD_ARGUMENT;
    CHECK_STATUS(sgdplan_best_splits_bytes(NULL, &r, &bytes), refuse);
    CHECK_STATUS(sgdplan_best_splits_bytes(&in, NULL, &bytes), refuse);
    CHECK_STATUS(sgdplan_best_splits_bytes(&in, &r, NULL), refuse);
    CHECK_STATUS(sgdplan_best_splits(NULL, &r, work, sizeof work, split, &plan), refuse);
    CHECK_STATUS(sgdplan_search_bytes(NULL, 1, &bytes), refuse);
    CHECK(bytes == 77 && sgdplan_search_count(NULL) == 0);
    bad = in;
    bad.costs.layer_s = NULL;
    bad.costs.forward_s = NULL;
    refused(&bad, &r, SGDPLAN_BAD_ARGUMENT);
    bad = in;
    bad.job.machines.count = (1u << 16) + 1;
    CHECK(sgdplan_search_count(&bad) == 0);
    bad.job.machines.count = 1u << 16;
    CHECK((sgdplan_search_count(&bad) > 0) == (sizeof(size_t) > 4));
    CHECK_STATUS(NEED(1, (size_t)-1, &bytes), SGDPLAN_TOO_LARGE);
    CHECK_STATUS(sgdplan_best_splits(&in, &r, work, sizeof work, split, &plan), SGDPLAN_OK);
    CHECK_STATUS(sgdplan_best_splits(&in, &r, work, sizeof work, NULL, &same), SGDPLAN_OK);
    CHECK(same.configuration.split == NULL);
    CHECK_REL(same.epoch_s, plan.epoch_s, 0.0);
}

/* Where the table of remote values were more than 1 GiB, they are computed each time. */
static sgdplan_problem wide_problem(const sgdplan_layer *layer, uint32_t workers,
                                    const sgdplan_split *fixed)
{
    sgdplan_problem in = problem_of(layer, 2, workers + 1, 1);
    in.max_replications = 1;
    in.fixed = fixed;
    return in;
}

TEST(a_table_of_a_gibibyte_is_left_out)
{
    sgdplan_layer layer[3];
    sgdplan_split fixed[3] = {{0}};
    sgdplan_configuration c = cluster(1, 1, 8192, NULL);
    size_t with = 0, without = 0;
    layer[0] = full(SGDPLAN_LAYER_FC, 6, 4, 0);
    layer[1] = full(SGDPLAN_LAYER_FC, 4, 2, 0);
    layer[2] = full(SGDPLAN_LAYER_FC, 2, 2, 0);
    sgdplan_problem in = wide_problem(layer, c.workers, fixed);
    CHECK_STATUS(sgdplan_best_splits_bytes(&in, &c, &with), SGDPLAN_OK);
    in.job.layers = 3;                                 /* two such tables */
    CHECK_STATUS(sgdplan_best_splits_bytes(&in, &c, &without), SGDPLAN_OK);
    CHECK(without < (size_t)1 << 24);
    in.job.layers = 1;                                 /* none */
    CHECK_STATUS(sgdplan_best_splits_bytes(&in, &c, &without), SGDPLAN_OK);
    CHECK(without < (size_t)1 << 24);
    c.workers = 8193;
    in = wide_problem(layer, c.workers, fixed);
    CHECK_STATUS(sgdplan_best_splits_bytes(&in, &c, &without), SGDPLAN_OK);
    CHECK(with >= (size_t)1 << 30 && without < (size_t)1 << 24);
}

TEST_FULL(without_that_table_the_best_is_the_same)
{
    sgdplan_layer layer[2];
    sgdplan_split fixed[2] = {{0}}, split[2];
    const sgdplan_configuration c = cluster(1, 1, 8193, NULL);
    sgdplan_plan plan;
    size_t bytes = 0;
    fixed[0].partitions = fixed[1].partitions = 2;
    layer[0] = full(SGDPLAN_LAYER_FC, 6, 4, 0);
    layer[1] = full(SGDPLAN_LAYER_FC, 4, 2, 0);
    sgdplan_problem in = wide_problem(layer, c.workers, fixed);
    CHECK_STATUS(sgdplan_best_splits_bytes(&in, &c, &bytes), SGDPLAN_OK);
    void *work = malloc(bytes);
    CHECK(work != NULL);
    if (work) {
        CHECK_STATUS(sgdplan_best_splits(&in, &c, work, bytes, split, &plan), SGDPLAN_OK);
        CHECK_REL(epoch_of(&in, &plan), plan.epoch_s, 1e-12);
    }
    free(work);
}

/* ---- Places of all segments ---- */

/* Writes the segments' places of every layer, one after the other, as place_segments
 * does: first by assignment, and contiguously. */
static void place_by_hand(const sgdplan_job *job, const sgdplan_configuration *c,
                          sgdplan_objective objective, int contiguous, uint32_t *worker,
                          sgdplan_split *split, sgdplan_assignment *assigned)
{
    static double cost[64], work[1024];
    for (size_t l = 0; l < job->layers; l++) {
        const size_t n = (size_t)c->split[l].partitions * c->split[l].replications;
        split[l] = c->split[l];
        split[l].worker = worker + l * c->workers;
        memset(assigned + l, 0, sizeof *assigned);
        if (l == 0 || contiguous) {
            CHECK_STATUS(sgdplan_place_contiguously(job, l, l > 0 ? split + l - 1 : NULL,
                                                    split + l, c->workers,
                                                    worker + l * c->workers), SGDPLAN_OK);
            continue;
        }
        CHECK_STATUS(sgdplan_place_costs(job, l, split + l - 1, split + l, c->workers, cost),
                     SGDPLAN_OK);
        CHECK_STATUS(sgdplan_assign_segments(MATCHING(cost, n, c->workers, objective), work,
                                             sizeof work, worker + l * c->workers,
                                             assigned + l), SGDPLAN_OK);
    }
}

static int same_places(const sgdplan_split *a, const sgdplan_split *b, size_t layers)
{
    for (size_t l = 0; l < layers; l++)
        for (size_t i = 0; i < (size_t)a[l].partitions * a[l].replications; i++)
            if (a[l].worker[i] != b[l].worker[i]) return 0;
    return 1;
}

static void draw_free_splits(const sgdplan_layer *layer, size_t L, uint32_t workers,
                             sgdplan_split *split)
{
    for (size_t l = 0; l < L; l++) {
        uint32_t P = 1 + draw(workers);
        const uint32_t rows = layer[l].n_out > 0 ? layer[l].n_out : layer[l].out.rows;
        if (P > rows) P = rows;
        memset(split + l, 0, sizeof *split);
        split[l].partitions = P;
        split[l].replications = 1 + draw(workers / P);
        split[l].threads = 1 + draw(4);
    }
}

TEST(segments_go_where_the_epoch_is_shorter)
{
    enum { MOST = 7 };
    unsigned trial, contiguous = 0, shorter = 0;
    for (trial = 0; trial < TEST_SIZE(150, 2000); trial++) {
        static double work[2048];
        static uint32_t worker[8 * MOST], by_hand[2][8 * MOST];
        const size_t L = 2 + draw(4);
        const uint32_t workers = 1 + draw(MOST);
        const sgdplan_objective objective = (sgdplan_objective)draw(2);
        sgdplan_layer layer[8];
        sgdplan_split free_split[8], split[8], want[2][8];
        sgdplan_assignment assigned[8], costs[2][8];
        sgdplan_problem in = random_problem(layer, L, 64, 4);
        sgdplan_configuration c = cluster(2, 1, workers, NULL);
        sgdplan_epoch epoch[2];
        sgdplan_mapping out = { .worker = worker, .split = split, .assigned = assigned };
        size_t bytes = 0;
        int k;
        draw_free_splits(layer, L, workers, free_split);
        c.split = free_split;
        CHECK_STATUS(sgdplan_place_segments_bytes(&in.job, &c, &bytes), SGDPLAN_OK);
        CHECK(bytes <= sizeof work);
        memset(work, 0xA5, bytes);
        CHECK_STATUS(sgdplan_place_segments(&in.job, &c, objective, work, bytes, &out), SGDPLAN_OK);
        for (k = 0; k < 2; k++) {
            sgdplan_configuration placed = c;
            place_by_hand(&in.job, &c, objective, k, by_hand[k], want[k], costs[k]);
            placed.split = want[k];
            CHECK_STATUS(sgdplan_epoch_time(&in.job, &placed, NULL, epoch + k, NULL), SGDPLAN_OK);
        }
        CHECK(out.contiguous == (epoch[0].epoch_s > epoch[1].epoch_s * (1 + 1e-12)));
        k = out.contiguous;
        CHECK(same_places(split, want[k], L));
        CHECK(memcmp(&out.epoch, epoch + k, sizeof *epoch) == 0);
        for (size_t l = 0; l < L; l++) {
            CHECK(split[l].worker == worker + l * workers);
            CHECK_REL(assigned[l].sum, costs[0][l].sum, 0.0);
            CHECK_REL(assigned[l].greedy_largest, costs[0][l].greedy_largest, 0.0);
            CHECK(assigned[l].conflict == costs[0][l].conflict);
        }
        contiguous += (unsigned)out.contiguous;
        shorter += out.epoch.epoch_s < epoch[1].epoch_s * (1 - 1e-12);
    }
    printf("places by assignment: the epoch shorter in %u of %u, longer in %u\n", shorter,
           trial, contiguous);
    CHECK(contiguous > 0 && shorter > 0);
}

/* Both send as much in all, in other layers and ways: sums of doubles differ in their last bits. */
TEST(as_long_up_to_rounding_is_as_long)
{
    static double work[256];
    static const uint32_t parts[4] = { 3, 2, 1, 3 };
    sgdplan_layer layer[4];
    sgdplan_split split[4], placed[4];
    sgdplan_configuration c = cluster(1, 1, 3, NULL);
    sgdplan_epoch contiguous;
    uint32_t worker[4 * 3];
    for (size_t l = 0; l < 4; l++) {
        layer[l] = full(SGDPLAN_LAYER_FC, 5, 5, 0);
        memset(split + l, 0, sizeof *split);
        split[l].partitions = parts[l];
        split[l].replications = split[l].threads = 1;
    }
    sgdplan_problem in = problem_of(layer, 4, 64, 4);
    c.split = split;
    sgdplan_mapping out = {.worker = worker, .split = placed};
    CHECK_STATUS(sgdplan_place_segments(&in.job, &c, SGDPLAN_LEAST_SUM, work, sizeof work, &out),
                 SGDPLAN_OK);
    CHECK_STATUS(sgdplan_epoch_time(&in.job, &c, NULL, &contiguous, NULL), SGDPLAN_OK);
    CHECK_REL(out.epoch.epoch_s, contiguous.epoch_s, 1e-15);
    CHECK(!out.contiguous);
}

/* Two layers, each in one part. */
static sgdplan_problem small_problem(sgdplan_layer layer[2], sgdplan_split split[2])
{
    layer[0] = full(SGDPLAN_LAYER_FC, 6, 4, 0);
    layer[1] = full(SGDPLAN_LAYER_FC, 4, 2, 0);
    memset(split, 0, 2 * sizeof *split);
    split[0].partitions = split[0].replications = split[0].threads = 1;
    split[1] = split[0];
    return problem_of(layer, 2, 4, 2);
}

TEST(places_without_what_they_need_are_refused)
{
    static double work[2048];
    sgdplan_layer layer[2];
    sgdplan_split split[2], out_split[2];
    sgdplan_problem in = small_problem(layer, split);
    sgdplan_configuration c = cluster(1, 1, 3, NULL);
    uint32_t worker[6] = { 77, 77, 77, 77, 77, 77 };
    size_t bytes = 0;
    c.split = split;
    sgdplan_mapping out = {.contiguous = 77};
#define PLACE(job, c, objective, work, bytes, to_worker, to_split, status)                  \
    (out.worker = (to_worker), out.split = (to_split), out.assigned = NULL,                 \
     CHECK_STATUS(sgdplan_place_segments(job, c, (sgdplan_objective)(objective), work, bytes, \
                                         &out), status))
    CHECK_STATUS(sgdplan_place_segments_bytes(&in.job, &c, &bytes), SGDPLAN_OK);
    CHECK_STATUS(sgdplan_place_segments_bytes(NULL, &c, &bytes), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_place_segments_bytes(&in.job, NULL, &bytes), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_place_segments_bytes(&in.job, &c, NULL), SGDPLAN_BAD_ARGUMENT);
    c.split = NULL;
    CHECK_STATUS(sgdplan_place_segments_bytes(&in.job, &c, &bytes), SGDPLAN_BAD_ARGUMENT);
    PLACE(&in.job, &c, 0, work, bytes, worker, out_split, SGDPLAN_BAD_ARGUMENT);
    c.split = split;
    PLACE(NULL, &c, 0, work, bytes, worker, out_split, SGDPLAN_BAD_ARGUMENT);
    PLACE(&in.job, NULL, 0, work, bytes, worker, out_split, SGDPLAN_BAD_ARGUMENT);
    PLACE(&in.job, &c, 2, work, bytes, worker, out_split, SGDPLAN_BAD_ARGUMENT);
    PLACE(&in.job, &c, 0, NULL, bytes, worker, out_split, SGDPLAN_BAD_ARGUMENT);
    PLACE(&in.job, &c, 0, work, bytes - 1, worker, out_split, SGDPLAN_SMALL_WORKSPACE);
    PLACE(&in.job, &c, 0, work, bytes, NULL, out_split, SGDPLAN_BAD_ARGUMENT);
    PLACE(&in.job, &c, 0, work, bytes, worker, NULL, SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_place_segments(&in.job, &c, SGDPLAN_LEAST_SUM, work, bytes, NULL),
                 SGDPLAN_BAD_ARGUMENT);
    CHECK(worker[0] == 77 && worker[3] == 77 && out.contiguous == 77);
}

TEST(splits_that_cannot_be_placed_are_refused)
{
    static double work[2048];
    sgdplan_layer layer[2];
    sgdplan_split split[2], out_split[2];
    sgdplan_problem in = small_problem(layer, split);
    sgdplan_configuration c = cluster(1, 1, 3, NULL);
    uint32_t worker[6] = { 77, 77, 77, 77, 77, 77 };
    size_t bytes = 0;
    c.split = split;
    sgdplan_mapping out = {.contiguous = 77};
    CHECK_STATUS(sgdplan_place_segments_bytes(&in.job, &c, &bytes), SGDPLAN_OK);
    split[1].partitions = 3;                           /* of two neurons */
    PLACE(&in.job, &c, 0, work, bytes, worker, out_split, SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_place_segments_bytes(&in.job, &c, &bytes), SGDPLAN_BAD_ARGUMENT);
    split[1].partitions = 1;
    split[1].replications = 4;                         /* on three workers */
    PLACE(&in.job, &c, 0, work, sizeof work, worker, out_split, SGDPLAN_BAD_ARGUMENT);
    split[1].replications = 1;
    c.replicas = 2;
    PLACE(&in.job, &c, 0, work, sizeof work, worker, out_split, SGDPLAN_BAD_ARGUMENT);
    c.replicas = 1;
    in.job.machines.connection_s.number = 1e308;
    PLACE(&in.job, &c, 0, work, sizeof work, worker, out_split, SGDPLAN_TOO_LARGE);
    in.job.machines.connection_s.number = -1;
    PLACE(&in.job, &c, 0, work, sizeof work, worker, out_split, SGDPLAN_BAD_ARGUMENT);
    in.job.machines.connection_s.number = 1;
    layer[0].n_in = 0;
    CHECK_STATUS(sgdplan_place_segments_bytes(&in.job, &c, &bytes), SGDPLAN_BAD_ARGUMENT);
    PLACE(&in.job, &c, 0, work, sizeof work, worker, out_split, SGDPLAN_BAD_ARGUMENT);
    layer[0].n_in = 6;
    CHECK(worker[0] == 77 && worker[3] == 77 && out.contiguous == 77);
    PLACE(&in.job, &c, 0, work, sizeof work, worker, out_split, SGDPLAN_OK);
    CHECK(worker[0] == 0 && worker[3] == 0 && worker[1] == 77);
    layer[0] = image(SGDPLAN_LAYER_POOL, 1, 8, 1, 2, 2, 0);
    in = problem_of(layer, 1, 4, 2);
    in.job.machines.connection_s.number = in.job.machines.activation_s = 0;
    in.job.machines.error_s = 0;
    PLACE(&in.job, &c, 0, work, sizeof work, worker, out_split, SGDPLAN_OK);
    CHECK(out.epoch.epoch_s <= 0 && !out.contiguous);  /* no longer than contiguously */
#undef PLACE
}

/* Extreme constants: a plan whose epoch is finite, and its places, or a status. */
TEST(extreme_jobs_are_planned_or_refused)
{
    unsigned round, planned = 0;
    for (round = 0; round < TEST_SIZE(200, 10000); round++) {
        static double work[65536];
        const size_t L = 1 + draw(3);
        sgdplan_layer layer[8];
        sgdplan_split split[2 * 8], placed[8];
        sgdplan_problem in = random_problem(layer, L, 2 + draw(5), 1 + draw(3));
        sgdplan_machines *m = &in.job.machines;
        sgdplan_plan plan[2];
        uint32_t worker[8 * 8];
        sgdplan_mapping out = { .worker = worker, .split = placed };
        sgdplan_ranking best = { plan, split, 2, 0 };
        m->connection_s.number = any_size(m->connection_s.number);
        m->activation_s = any_size(m->activation_s);
        m->latency_s.number = any_size(m->latency_s.number);
        m->bandwidth_bytes_per_s = any_size(m->bandwidth_bytes_per_s);
        m->value_bytes = any_size(4);
        in.job.samples = any_size(60000);
        in.job.read_samples = in.job.samples * uniform(1e-3, 1);
        in.job.write_samples = any_size(0);
        in.threads_differ = (int)draw(2);
        in.max_replications = draw(3);
        sgdplan_status status = sgdplan_search(&in, work, sizeof work, &best);
        CHECK(status == SGDPLAN_OK || status == SGDPLAN_NO_PLAN
              || status == SGDPLAN_BAD_ARGUMENT);
        if (status != SGDPLAN_OK) continue;
        planned++;
        CHECK(plan[0].epoch_s >= 0 && plan[0].epoch_s <= DBL_MAX);
        status = sgdplan_place_segments(&in.job, &plan[0].configuration,
                                        (sgdplan_objective)draw(2), work, sizeof work, &out);
        CHECK(status == SGDPLAN_OK || status == SGDPLAN_TOO_LARGE);
        if (status == SGDPLAN_OK && in.job.samples >= 1e-290) /* below, doubles are rough */
            CHECK(out.epoch.epoch_s <= plan[0].epoch_s * (1 + 1e-9));
    }
    CHECK(planned > round / 10 && planned < round);
}

/* ---- [YRHC15, table 1] ---- */

/* Constants of ours, of one machine: 16 cores at 8.4e9 multiply-adds a second out of a
 * cache, 2.5 times slower where a segment has left it; 10 Gbit/s, not shared by threads
 * when weights are read. */
static sgdplan_problem problem_of_the_paper(sgdplan_layer *layer, const char *network,
                                            double samples, uint32_t copies)
{
    static const double at[2] = { 1048576, 16777216 }, value[2] = { 1.2e-10, 3e-10 };
    static const double threads[2] = { 1, 16 }, slower[2] = { 1, 1.9 };
    sgdplan_problem in = problem_of(layer, read_network(network, layer), 20, 16);
    sgdplan_machines *m = &in.job.machines;
    m->connection_s.points = 2;
    m->connection_s.at = at;
    m->connection_s.value = value;
    m->interference.points = 2;
    m->interference.at = threads;
    m->interference.value = slower;
    m->activation_s = m->error_s = 1.2e-9;
    m->latency_s.number = 3e-4;
    in.job.samples = samples;
    in.job.variants.read_full = 1;
    in.max_replications = copies;
    return in;
}

/* Workers, replicas, servers as in the table, the fastest first. */
static const uint32_t mnist_table[8][3] = { { 2, 9, 2 }, { 2, 8, 4 }, { 2, 6, 8 },
    { 4, 4, 4 }, { 1, 19, 1 }, { 1, 18, 2 }, { 1, 16, 4 }, { 1, 12, 8 } };
static const uint32_t imagenet_table[8][3] = { { 4, 4, 4 }, { 4, 4, 2 }, { 2, 9, 2 },
    { 4, 3, 6 }, { 4, 3, 4 }, { 2, 8, 4 }, { 2, 6, 6 }, { 2, 6, 4 } };

/* Epochs of configurations of a table by their best splits. */
static void table_epochs(const sgdplan_problem *in, const uint32_t (*table)[3],
                         double *epoch_s)
{
    sgdplan_split split[LAYERS];
    for (size_t i = 0; i < 8; i++) {
        const sgdplan_configuration c = cluster(table[i][2], table[i][1], table[i][0], NULL);
        epoch_s[i] = best_splits(in, &c, split).epoch_s;
    }
}

TEST(mnist_ranks_as_in_table_1)
{
    static sgdplan_layer layer[LAYERS];
    const sgdplan_problem in = problem_of_the_paper(layer, "mnist", 60000, 1);
    const sgdplan_configuration first = cluster(2, 9, 2, NULL);
    double epoch_s[8];
    sgdplan_plan best;
    table_epochs(&in, mnist_table, epoch_s);
    for (size_t i = 1; i < 8; i++) CHECK(epoch_s[i] > epoch_s[i - 1]);
    CHECK(search(&in, &best, NULL, 1) == 1);   /* of all that 20 machines allow */
    CHECK(is_cluster(&best, &first));
}

/* Eqs. 10 and 11 know no difference in two places. */
TEST(imagenet_ranks_as_in_table_1)
{
    const uint32_t copies[2] = { 1, 19 };
    static sgdplan_layer layer[LAYERS];
    double epoch_s[8];
    for (size_t k = 0; k < (size_t)TEST_SIZE(1, 2); k++) {
        sgdplan_problem in = problem_of_the_paper(layer, "imagenet22k", 15e6, copies[k]);
        sgdplan_plan best;
        seen s = { 0, 0, 0 };
        table_epochs(&in, imagenet_table, epoch_s);
        for (size_t i = 1; i < 8; i++) {
            if (i == 4 || i == 7) CHECK_REL(epoch_s[i], epoch_s[i - 1], 0.0);
            else CHECK(epoch_s[i] > epoch_s[i - 1]);
        }
        in.on_plan = see;
        in.plan_ctx = &s;
        CHECK(search(&in, &best, NULL, 1) == 1);
        printf("ImageNet-22K, 20 machines, replications up to %u: best %u/%u/%u, worst %.1f "
               "times slower\n", copies[k], best.configuration.workers,
               best.configuration.replicas, best.configuration.servers, s.worst / s.best);
        CHECK(s.worst > 10 * s.best);
    }
}

/* ---- Large cases ---- */

/* Eight layers, 5 of them convolutions of at least 100 rows. */
static void large_case(uint32_t machines, uint32_t copies, int differ, const char *what)
{
    static const double at[3] = { 1e5, 1e7, 1e9 }, value[3] = { 5e-11, 1e-10, 4e-10 };
    static sgdplan_split splits[10 * 8];
    const double start = cpu_s();
    sgdplan_layer layer[8];
    sgdplan_problem in = problem_of(layer, 8, machines, 16);
    sgdplan_plan plan[10];
    seen s = { 0, 0, 0 };
    for (uint32_t l = 0; l < 5; l++)
        layer[l] = image(SGDPLAN_LAYER_CONV, l > 0 ? 16 : 3, 128, 16, 3, 1, 1);
    layer[5] = full(SGDPLAN_LAYER_FC, 16 * 128 * 128, 1024, 0);
    layer[6] = full(SGDPLAN_LAYER_FC, 1024, 1024, 0);
    layer[7] = full(SGDPLAN_LAYER_SOFTMAX, 1024, 22000, 0);
    in.job.machines.connection_s.points = 3;
    in.job.machines.connection_s.at = at;
    in.job.machines.connection_s.value = value;
    in.threads_differ = differ;
    in.max_replications = copies;
    in.on_plan = see;
    in.plan_ctx = &s;
    CHECK(search(&in, plan, splits, 10) == 10 && s.count == sgdplan_search_count(&in));
    CHECK_REL(epoch_of(&in, plan), plan[0].epoch_s, 1e-12);
    printf("%s: %u configurations in %.2f s; best %u/%u/%u\n", what, (unsigned)s.count,
           cpu_s() - start, plan[0].configuration.workers, plan[0].configuration.replicas,
           plan[0].configuration.servers);
}

TEST_FULL(large_searches_end)
{
    large_case((uint32_t)TEST_SIZE(12, 20), 0, 0, "with replication");
    large_case((uint32_t)TEST_SIZE(12, 20), 0, 1, "threads differ");
    large_case((uint32_t)TEST_SIZE(40, 100), 1, 0, "without replication");
}

/* ---- What costs are asked of, and ties ---- */

/* Whether a split is one that a search may choose. Of the layer that is not asked for the
 * threads are left open. */
static uint32_t most_threads, most_workers, most_copies;

static int may_be(const sgdplan_split *s, uint32_t least_threads, uint32_t most)
{
    return s->threads >= least_threads && s->threads <= most && !s->worker
           && s->replications >= 1 && s->replications <= most_copies
           && s->partitions * s->replications <= most_workers;
}

static double checked_layer_s(void *ctx, size_t l, const sgdplan_split *s)
{
    (void)l;
    CHECK(s->partitions >= 1 && may_be(s, 1, most_threads));
    return *(const double *)ctx;
}

static double checked_forward_s(void *ctx, size_t l, const sgdplan_split *below,
                                const sgdplan_split *s)
{
    (void)ctx;
    CHECK(l > 0 && may_be(below, 0, 0) && may_be(s, 1, most_threads));
    return 0.0;
}

static double checked_backward_s(void *ctx, size_t l, const sgdplan_split *below,
                                 const sgdplan_split *s)
{
    (void)ctx;
    CHECK(l > 0 && may_be(below, 1, most_threads) && may_be(s, 0, 0));
    return 0.0;
}

static double checked_weights_s(void *ctx, size_t l, const sgdplan_split *s,
                                const sgdplan_configuration *at)
{
    (void)l;
    CHECK(s->partitions == 0 && may_be(s, 1, most_threads) && at->workers == most_workers);
    CHECK(at->split == NULL);
    return *(const double *)ctx;
}

static double copies_s(void *ctx, size_t l, const sgdplan_split *s,
                       const sgdplan_configuration *at)
{
    (void)l;
    CHECK(s->replications <= at->workers);
    return *(const double *)ctx;
}

TEST(a_search_asks_for_no_more_copies_than_workers)
{
    double value = 1;
    sgdplan_problem in = constant_problem(&value, 2, 6);
    sgdplan_plan plan[1];
    in.costs.weights_s = copies_s;
    CHECK(search(&in, plan, NULL, 1) == 1);
}

TEST(costs_are_asked_of_what_can_be_chosen)
{
    double value = 1;
    sgdplan_problem in = constant_problem(&value, 3, 9);
    sgdplan_split split[3];
    const sgdplan_configuration few = { 1, 1, 3, split }, many = { 1, 1, 6, split };
    in.costs.layer_s = checked_layer_s;
    in.costs.forward_s = checked_forward_s;
    in.costs.backward_s = checked_backward_s;
    in.costs.weights_s = checked_weights_s;
    most_threads = 4;
    for (in.threads_differ = 0; in.threads_differ < 2; in.threads_differ++) {
        in.max_replications = most_copies = 2;
        most_workers = 6;
        CHECK_REL(best_splits(&in, &many, split).epoch_s, 6.0, 0.0);
        in.max_replications = 0;
        most_workers = most_copies = 3;
        CHECK_REL(best_splits(&in, &few, split).epoch_s, 6.0, 0.0);
    }
}

/* The one that comes later has fewer threads, in a work area behind zeros. */
static double pair_s(void *ctx, size_t l, const sgdplan_split *s)
{
    const uint32_t threads = *(const uint32_t *)ctx;
    (void)l;
    if (s->partitions == 1 && s->replications == 2 && s->threads == threads) return 1.0;
    return s->partitions == 2 && s->replications == 1 && s->threads == 1 ? 1.0 : 2.0;
}

TEST(ties_of_as_many_workers_go_by_threads_and_then_by_partitions)
{
    static double work[4096];
    for (uint32_t threads = 1; threads <= 2; threads++) {
        double value = 0;
        sgdplan_problem in = constant_problem(&value, 1, 9);
        const sgdplan_configuration r = cluster(1, 1, 3, NULL);
        sgdplan_split split[1];
        sgdplan_plan plan;
        in.costs.layer_s = pair_s;
        in.costs.ctx = &threads;
        memset(work, 0, sizeof work);
        CHECK_STATUS(sgdplan_best_splits(&in, &r, work + 64, sizeof work - 64 * sizeof work[0],
                                         split, &plan), SGDPLAN_OK);
        CHECK_REL(plan.epoch_s, 1.0, 0.0);
        if (threads == 1) CHECK(is_split(split, 1, 2, 1));
        else CHECK(is_split(split, 2, 1, 1));
    }
}

TEST(an_epoch_of_the_largest_double_is_a_plan)
{
    double value = DBL_MAX;
    const sgdplan_problem in = constant_problem(&value, 1, 9);
    const sgdplan_configuration r = cluster(1, 1, 3, NULL);
    sgdplan_split split[1];
    sgdplan_problem one = in;
    sgdplan_plan plan;
    CHECK_REL(best_splits(&in, &r, split).epoch_s, DBL_MAX, 0.0);
    CHECK(is_split(split, 1, 1, 1));
    one.max_replications = 1;
    CHECK(search(&one, &plan, split, 1) == 1);
    CHECK_REL(plan.epoch_s, DBL_MAX / 8, 0.0);         /* eight replicas */
    one = constant_problem(&value, 1, 2);
    CHECK(search(&one, &plan, split, 1) == 1);
    CHECK_REL(plan.epoch_s, DBL_MAX, 0.0);
}

/* All of the largest double below, nothing above. */
static double largest_below_s(void *ctx, size_t l, const sgdplan_split *s)
{
    (void)ctx;
    (void)s;
    return l == 0 ? DBL_MAX : 0.0;
}

/* The same with one worker and two threads as with two workers and one thread. */
static double few_workers_s(void *ctx, size_t l, const sgdplan_split *s)
{
    (void)ctx;
    (void)l;
    return s->partitions * s->replications * s->threads == 2 ? 1.0 : 2.0;
}

TEST(fewer_workers_count_more_than_fewer_threads)
{
    double value = 1;
    sgdplan_problem in = constant_problem(&value, 2, 9);
    const sgdplan_configuration c = cluster(1, 1, 3, NULL);
    sgdplan_split split[2];
    in.costs.layer_s = few_workers_s;
    for (in.threads_differ = 0; in.threads_differ < 2; in.threads_differ++) {
        (void)best_splits(&in, &c, split);
        CHECK(is_split(split, 1, 1, 2) && is_split(split + 1, 1, 1, 2));
    }
    in.costs.layer_s = largest_below_s;
    CHECK_REL(best_splits(&in, &c, split).epoch_s, DBL_MAX, 0.0);
}

/* With one thread, or with one server, there is none. */
static double many_threads_s(void *ctx, size_t l, const sgdplan_split *s)
{
    (void)ctx;
    (void)l;
    return s->threads == 1 ? INFINITE : 1.0;
}

static double many_servers_s(void *ctx, size_t l, const sgdplan_split *s,
                             const sgdplan_configuration *at)
{
    (void)ctx;
    (void)l;
    (void)s;
    return at->servers == 1 ? INFINITE : 0.0;
}

TEST(a_search_goes_on_past_what_is_not_allowed)
{
    double value = 1;
    sgdplan_problem in = constant_problem(&value, 1, 4);
    sgdplan_split split[9];
    sgdplan_plan plan[9];
    in.max_replications = 1;
    in.costs.layer_s = many_threads_s;
    CHECK(search(&in, plan, split, 9) == 9);
    in.costs.layer_s = constant_s;
    in.costs.weights_s = many_servers_s;     /* 5 products of workers and replicas below 4 */
    CHECK(search(&in, plan, split, 9) == 9 - 5);
}

static double parted_s(void *ctx, size_t l, const sgdplan_split *s)
{
    (void)ctx;
    (void)l;
    return 1.0 / s->partitions;
}

/* Also where weights cost the same, nothing: each is solved for its own workers. */
TEST(configurations_given_are_solved_one_by_one)
{
    double value = 1;
    sgdplan_problem in = constant_problem(&value, 1, 9);
    const sgdplan_configuration given[3] = { { 1, 1, 1, NULL }, { 1, 1, 4, NULL },
                                             { 1, 2, 4, NULL } };
    sgdplan_split split[3];
    sgdplan_plan plan[3];
    in.costs.layer_s = parted_s;
    in.threads_differ = 1;
    in.given = given;
    in.givens = 3;
    CHECK(search(&in, plan, split, 3) == 3);
    CHECK_REL(plan[0].epoch_s, 1.0 / 8, 0.0);
    CHECK_REL(plan[1].epoch_s, 1.0 / 4, 0.0);
    CHECK_REL(plan[2].epoch_s, 1.0, 0.0);
}

TEST(any_cost_of_the_caller_needs_those_of_layers)
{
    double value = 1;
    const sgdplan_problem good = constant_problem(&value, 2, 9);
    sgdplan_refusal refusal;
    for (int i = 0; i < 4; i++) {
        sgdplan_problem in = good;
        memset(&in.costs, 0, sizeof in.costs);
        if (i == 0) in.costs.layer_s = constant_s;
        if (i == 1) in.costs.forward_s = nothing_s;
        if (i == 2) in.costs.backward_s = nothing_s;
        if (i == 3) in.costs.weights_s = checked_weights_s;
        CHECK_STATUS(sgdplan_check_problem(&in, &refusal), SGDPLAN_BAD_ARGUMENT);
        CHECK(refusal.reason == SGDPLAN_FAULT_COSTS);
    }
}

TEST_MAIN("test_plan");
