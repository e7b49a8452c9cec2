/* Configuration search: mappings against all permutations, the dynamic program against
 * all splits, the search against all configurations, with costs of the layer-wise model
 * and of tables. The times of large cases are printed; bench/ measures them. */
#define SGDPERF_PLAN_IMPLEMENTATION
#include "../sgdperf_plan.h"
#define SGDPERF_PLAN_IMPLEMENTATION
#include "../sgdperf_plan.h"
#include "test.h"

#include <stdlib.h>
#include <time.h>

static const double NOT_A_NUMBER = (double)NAN;
static const double INFINITE = (double)INFINITY;

static uint64_t random_state = 11;

/* Below n. */
static uint32_t draw(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % n;
}

static double uniform(double low, double high)
{
    return low + (high - low) * (draw(1u << 30) / (double)(1u << 30));
}

static double cpu_s(void) { return (double)clock() / (double)CLOCKS_PER_SEC; }

static void *room_for(size_t bytes)
{
    void *p = malloc(bytes > 0 ? bytes : 1);
    if (!p) exit(2);
    return p;
}

/* ---- Mapping ---- */

typedef struct best_map { double sum, largest, sum_of_largest; } best_map;

/* All ways to give segments i .. n - 1 workers that are not used. */
static void all_maps(const double *cost, size_t n, size_t m, size_t i, unsigned used,
                     double sum, double largest, best_map *best)
{
    size_t j;
    if (i == n) {
        if (sum < best->sum) best->sum = sum;
        if (largest < best->largest ||
            (largest <= best->largest && sum < best->sum_of_largest)) {
            best->largest = largest;
            best->sum_of_largest = sum;
        }
        return;
    }
    for (j = 0; j < m; j++) {
        const double c = cost[i * m + j];
        if (!(used >> j & 1u))
            all_maps(cost, n, m, i + 1, used | 1u << j, sum + c,
                     c > largest ? c : largest, best);
    }
}

/* Maps, and checks that the answer is a mapping of the cost it says. */
static sgdplan_mapping map(const double *cost, size_t n, size_t m,
                            sgdplan_objective objective)
{
    static uint32_t worker[256];
    sgdplan_mapping out;
    double sum = 0, largest = 0;
    size_t bytes = 0, i, j;
    void *work;
    memset(&out, 0, sizeof out);
    CHECK_STATUS(sgdplan_map_bytes(n, m, &bytes), SGDPLAN_OK);
    work = room_for(bytes);
    memset(work, 0xA5, bytes);
    CHECK_STATUS(sgdplan_map(cost, n, m, objective, work, bytes, worker, &out),
                 SGDPLAN_OK);
    for (i = 0; i < n; i++) {
        CHECK(worker[i] < m);
        for (j = 0; j < i; j++) CHECK(worker[i] != worker[j]);
        sum += cost[i * m + worker[i]];
        if (cost[i * m + worker[i]] > largest) largest = cost[i * m + worker[i]];
    }
    CHECK_REL(out.sum, sum, 1e-15);
    CHECK_REL(out.largest, largest, 0.0);
    free(work);
    return out;
}

TEST(maps_as_the_best_of_all_permutations)
{
    unsigned trial, conflicts = 0, greedy = 0;
    for (trial = 0; trial < 10000; trial++) {
        const size_t m = 1 + draw(trial % 10 == 0 ? 7 : 5), n = 1 + draw((uint32_t)m);
        const uint32_t values = 2 + draw(40);
        const int integers = (int)draw(2);
        double cost[49];
        best_map best = { INFINITE, INFINITE, INFINITE };
        sgdplan_mapping sum, largest;
        size_t i;
        for (i = 0; i < n * m; i++) cost[i] = integers ? draw(values) : uniform(0, 1);
        all_maps(cost, n, m, 0, 0, 0, 0, &best);
        sum = map(cost, n, m, SGDPLAN_LEAST_SUM);
        largest = map(cost, n, m, SGDPLAN_LEAST_LARGEST);
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
TEST(maps_by_hand)
{
    const double apart[6] = { 5, 2, 2, 1, 4, 9 }, same[4] = { 1, 3, 1, 9 };
    const double chain[9] = { 1, 2, 9, 1, 5, 9, 9, 2, 3 };
    uint32_t worker[3] = { 9, 9, 9 };
    double work[256];
    sgdplan_mapping out = { 0, 0, 0, 0, 0 };
    CHECK_STATUS(sgdplan_map(apart, 2, 3, SGDPLAN_LEAST_SUM, work, sizeof work, worker,
                              &out), SGDPLAN_OK);
    CHECK(worker[0] == 1 && worker[1] == 0 && !out.conflict);
    CHECK_REL(out.sum, 3.0, 0.0);
    CHECK_STATUS(sgdplan_map(same, 2, 2, SGDPLAN_LEAST_SUM, work, sizeof work, worker,
                              &out), SGDPLAN_OK);
    CHECK(worker[0] == 1 && worker[1] == 0 && out.conflict);
    CHECK_REL(out.greedy_sum, 4.0, 0.0);
    /* Row 1 keeps column 0, row 0 takes column 1 with regret 7, row 2 column 2. */
    CHECK_STATUS(sgdplan_map(chain, 3, 3, SGDPLAN_LEAST_SUM, work, sizeof work, worker,
                              &out), SGDPLAN_OK);
    CHECK(worker[0] == 1 && worker[1] == 0 && worker[2] == 2);
}

TEST(maps_64_workers)
{
    static double cost[64 * 64];
    static double work[64 * 64 * 4];
    static uint32_t worker[64];
    sgdplan_mapping out = { 0, 0, 0, 0, 0 };
    int kind, objective, run;
    size_t i;
    for (kind = 0; kind < 4; kind++)
        for (objective = 0; objective < 2; objective++) {
            double best = INFINITE;
            for (i = 0; i < 64 * 64; i++)
                cost[i] = kind == 0 ? uniform(0, 1) : kind == 1 ? draw(64)
                    : kind == 2 ? 7 : (double)(i / 64 + 1) * (double)(i % 64 + 1);
            for (run = 0; run < 5; run++) {
                const double start = cpu_s();
                CHECK_STATUS(sgdplan_map(cost, 64, 64, (sgdplan_objective)objective,
                                          work, sizeof work, worker, &out),
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

TEST(maps_refused)
{
    const double bad[4] = { -1, NOT_A_NUMBER, INFINITE, 2e70 };
    double cost[4] = { 1, 2, 3, 4 }, work[64];
    uint32_t worker[2] = { 9, 9 };
    sgdplan_mapping out, before;
    size_t bytes = 0, i;
    memset(&out, 0x5A, sizeof out);
    memcpy(&before, &out, sizeof out);
    CHECK_STATUS(sgdplan_map_bytes(2, 2, &bytes), SGDPLAN_OK);
    CHECK_STATUS(sgdplan_map_bytes(2, 2, NULL), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_map_bytes(0, 2, &bytes), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_map_bytes(3, 2, &bytes), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_map_bytes(1u << 31, UINT32_MAX, &i), SGDPLAN_TOO_LARGE);
#define MAP(cost, n, m, objective, work, bytes, worker, out) \
    sgdplan_map(cost, n, m, (sgdplan_objective)(objective), work, bytes, worker, out)
    CHECK_STATUS(MAP(NULL, 2, 2, 0, work, bytes, worker, &out), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(MAP(cost, 3, 2, 0, work, bytes, worker, &out), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(MAP(cost, 2, 2, 2, work, bytes, worker, &out), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(MAP(cost, 2, 2, 0, NULL, bytes, worker, &out), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(MAP(cost, 2, 2, 0, (char *)work + 1, bytes, worker, &out),
                 SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(MAP(cost, 2, 2, 0, work, bytes - 1, worker, &out),
                 SGDPLAN_SMALL_WORKSPACE);
    CHECK_STATUS(MAP(cost, 2, 2, 0, work, bytes, NULL, &out), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(MAP(cost, 2, 2, 0, work, bytes, worker, NULL), SGDPLAN_BAD_ARGUMENT);
    for (i = 0; i < 4; i++) {
        cost[3] = bad[i];
        CHECK_STATUS(MAP(cost, 2, 2, 1, work, bytes, worker, &out), SGDPLAN_BAD_COST);
    }
#undef MAP
    CHECK(worker[0] == 9 && worker[1] == 9 && memcmp(&out, &before, sizeof out) == 0);
}

/* ---- Costs of the layer-wise model, in tables ---- */

typedef struct model {
    sgdplan_layered  net;
    sgdplan_layer    layer[64];
    uint32_t      workers, copies;
    size_t        shapes;
    size_t       *number;          /* [workers + 1][copies + 1] of partitions and       */
                                   /*   replications                                    */
    sgdplan_segment *segment;         /* [layers][workers][cores]                          */
    uint64_t     *activations;     /* [layers][shapes below][shapes]                    */
    uint64_t     *errors;
} model;

static uint64_t rows_of(const sgdplan_layer *z)
{
    return z->kind == SGDPLAN_LAYER_CONV || z->kind == SGDPLAN_LAYER_POOL ? z->h_out : z->n_out;
}

static size_t number_of(const model *m, const sgdplan_state *s)
{
    return m->number[s->partitions * (m->copies + 1) + s->replications];
}

static const sgdplan_segment *segment_of(const model *m, size_t l, const sgdplan_state *s)
{
    return m->segment + (l * m->workers + s->partitions - 1) * m->net.cores + s->threads -
           1;
}

static double samples_of(const model *m, const sgdplan_state *s)
{
    return m->net.samples / ((double)s->threads * (double)s->replications);
}

static double model_layer_s(void *ctx, size_t l, const sgdplan_state *s)
{
    const model *m = (const model *)ctx;
    const sgdplan_segment *t = segment_of(m, l, s);
    if (s->partitions > rows_of(m->layer + l)) return INFINITE;
    return (t->forward_s + t->backward_s + t->update_s + 2 * t->own_s) * samples_of(m, s);
}

static double model_forward_s(void *ctx, size_t l, const sgdplan_state *below,
                              const sgdplan_state *s)
{
    const model *m = (const model *)ctx;
    const size_t at = (l * m->shapes + number_of(m, below)) * m->shapes + number_of(m, s);
    return sgdplan_message_time(segment_of(m, l, s), m->activations[at]) * samples_of(m, s);
}

static double model_backward_s(void *ctx, size_t l, const sgdplan_state *below,
                               const sgdplan_state *s)
{
    const model *m = (const model *)ctx;
    const size_t at = (l * m->shapes + number_of(m, below)) * m->shapes + number_of(m, s);
    return sgdplan_message_time(segment_of(m, l - 1, below), m->errors[at])
        * samples_of(m, below);
}

static double model_weights_s(void *ctx, size_t l, const sgdplan_state *s,
                              const sgdplan_resources *r)
{
    const model *m = (const model *)ctx;
    sgdplan_configuration c = { r->servers, r->replicas, r->workers, NULL };
    sgdplan_split split = { 1, s->replications, s->threads, NULL };
    sgdplan_weight_reading w = { 0, 0, 0 };
    if (sgdplan_weight_time(&m->net, l, &c, &split, &w) != SGDPLAN_OK) return NOT_A_NUMBER;
    return w.latency_s + w.transfer_s + w.write_s;
}

static void model_close(model *m)
{
    free(m->number);
    free(m->segment);
    free(m->activations);
    free(m->errors);
}

/* Fills the tables for up to `workers` workers; m->net and m->layer are set. */
static void model_open(model *m, uint32_t workers, uint32_t copies)
{
    const size_t L = m->net.layers, K = m->net.cores;
    sgdplan_split *shape = (sgdplan_split *)room_for(sizeof *shape * workers * workers);
    size_t l, a, b;
    uint32_t P, R, H;
    m->workers = workers;
    m->copies = copies;
    m->shapes = 0;
    m->number = (size_t *)room_for(sizeof(size_t) * (workers + 1) * (copies + 1));
    for (P = 1; P <= workers; P++)
        for (R = 1; R <= copies && P * R <= workers; R++) {
            const sgdplan_split s = { P, R, 1, NULL };
            m->number[P * (copies + 1) + R] = m->shapes;
            shape[m->shapes++] = s;
        }
    m->segment = (sgdplan_segment *)room_for(sizeof *m->segment * L * workers * K);
    m->activations = (uint64_t *)room_for(sizeof(uint64_t) * L * m->shapes * m->shapes);
    m->errors = (uint64_t *)room_for(sizeof(uint64_t) * L * m->shapes * m->shapes);
    memset(m->segment, 0, sizeof *m->segment * L * workers * K);
    memset(m->activations, 0, sizeof(uint64_t) * L * m->shapes * m->shapes);
    memset(m->errors, 0, sizeof(uint64_t) * L * m->shapes * m->shapes);
    for (l = 0; l < L; l++) {
        for (P = 1; P <= workers && P <= rows_of(m->layer + l); P++)
            for (H = 1; H <= K; H++) {
                const sgdplan_split s = { P, 1, H, NULL };
                CHECK_STATUS(sgdplan_segment_time(&m->net, l, &s, m->segment
                                 + (l * workers + P - 1) * K + H - 1), SGDPLAN_OK);
            }
        for (a = 0; l > 0 && a < m->shapes; a++)
            for (b = 0; b < m->shapes; b++) {
                const size_t at = (l * m->shapes + a) * m->shapes + b;
                if (shape[a].partitions > rows_of(m->layer + l - 1)
                    || shape[b].partitions > rows_of(m->layer + l))
                    continue;
                CHECK_STATUS(sgdplan_remote(&m->net, l, shape + a, shape + b,
                                         m->activations + at, m->errors + at), SGDPLAN_OK);
            }
    }
    free(shape);
}

static sgdplan_cluster_plan plan_for(model *m)
{
    sgdplan_cluster_plan in;
    memset(&in, 0, sizeof in);
    in.layers = m->net.layers;
    in.machines = m->net.machines;
    in.cores = m->net.cores;
    in.max_replications = m->copies < m->workers ? m->copies : 0;
    in.costs.layer_s = model_layer_s;
    in.costs.forward_s = model_forward_s;
    in.costs.backward_s = model_backward_s;
    in.costs.weights_s = model_weights_s;
    in.costs.ctx = m;
    return in;
}

static sgdplan_layer image(sgdplan_layer_kind kind, uint32_t c_in, uint32_t in, uint32_t c_out,
                        uint32_t kernel, uint32_t stride, uint32_t pad)
{
    const uint32_t out = (in + 2 * pad - kernel) / stride + 1;
    const sgdplan_layer z = {kind,   c_in,   in,  in, c_out, out, out,
                          kernel, stride, pad, 0,  0,     0};
    return z;
}

static sgdplan_layer full(sgdplan_layer_kind kind, uint32_t n_in, uint32_t n_out)
{
    const sgdplan_layer z = { kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, n_in, n_out, 0 };
    return z;
}

static void constants(model *m, uint32_t machines, uint32_t cores)
{
    memset(&m->net, 0, sizeof m->net);
    m->net.layer = m->layer;
    m->net.machines = machines;
    m->net.cores = cores;
    m->net.muladd_s.number = 1e-9;
    m->net.activation_s = 1e-8;
    m->net.error_s = 1e-8;
    m->net.latency_s.number = 1e-5;
    m->net.bandwidth_bits_per_s = 1e10;
    m->net.samples = 60000;
    m->net.read_samples = 70;
}

/* Interference that makes few threads worth while, sizes that make splits compete. */
static void random_model(model *m, size_t layers, uint32_t workers, uint32_t cores)
{
    static const double at[2] = { 2, 4 }, slower[2] = { 1.2, 3.5 };
    const size_t images = draw((uint32_t)layers);
    uint32_t c = 1 + draw(3), h = 6 + draw(20), width;
    size_t l;
    constants(m, 64, cores);
    m->net.layers = layers;
    for (l = 0; l < images; l++) {
        const uint32_t k = 1 + draw(h < 5 ? h : 5), s = 1 + draw(2), pad = draw(k);
        const uint32_t channels = 1 + draw(6);
        m->layer[l] = draw(4) == 0 ? image(SGDPLAN_LAYER_POOL, c, h, c, k, s, pad)
                                   : image(SGDPLAN_LAYER_CONV, c, h, channels, k, s, pad);
        c = m->layer[l].c_out;
        h = m->layer[l].h_out;
    }
    width = c * h * h;
    for (; l < layers; l++) {
        m->layer[l] = full(SGDPLAN_LAYER_FC, width, 1 + draw(200));
        width = m->layer[l].n_out;
    }
    m->net.muladd_s.number = uniform(1e-10, 1e-8);
    m->net.latency_s.number = draw(3) == 0 ? 0.0 : uniform(1e-8, 1e-5);
    m->net.bandwidth_bits_per_s = uniform(1e8, 1e11);
    m->net.mix = draw(2) ? uniform(0, 1) : 0;
    m->net.read_full = (int)draw(2);
    m->net.latency_always = (int)draw(2);
    m->net.interference.points = 2;
    m->net.interference.at = at;
    m->net.interference.value = slower;
    model_open(m, workers, workers);
}

/* ---- The dynamic program against all splits ---- */

typedef struct all_splits {
    const sgdplan_cluster_plan *in;
    sgdplan_resources r;
    double             best;
    size_t             looked_at;
} all_splits;

/* The epoch of every split of layers l .. L - 1 on top of `below`. */
static void try_splits(all_splits *all, size_t l, double so_far,
                       const sgdplan_state *below, uint32_t h_low, uint32_t h_high)
{
    const sgdplan_costs *c = &all->in->costs;
    const double replicas = all->r.replicas;
    sgdplan_state s;
    if (l == all->in->layers) {
        all->looked_at++;
        if (so_far < all->best) all->best = so_far;
        return;
    }
    for (s.partitions = 1; s.partitions <= all->r.workers; s.partitions++)
        for (s.replications = 1; s.partitions * s.replications <= all->r.workers;
             s.replications++)
            for (s.threads = h_low; s.threads <= h_high; s.threads++) {
                double t = c->layer_s(c->ctx, l, &s) / replicas
                    + c->weights_s(c->ctx, l, &s, &all->r);
                if (t > DBL_MAX) continue;
                if (below) t += c->forward_s(c->ctx, l, below, &s) / replicas
                               + c->backward_s(c->ctx, l, below, &s) / replicas;
                try_splits(all, l + 1, so_far + t, &s, h_low, h_high);
            }
}

static double best_of_all(const sgdplan_cluster_plan *in, const sgdplan_resources *r)
{
    all_splits all = { in, *r, INFINITE, 0 };
    uint32_t h;
    if (in->threads_differ) {
        try_splits(&all, 0, 0.0, NULL, 1, in->cores);
        return all.best;
    }
    for (h = 1; h <= in->cores; h++) try_splits(&all, 0, 0.0, NULL, h, h);
    return all.best;
}

static double epoch_of(const model *m, const sgdplan_plan *plan)
{
    sgdplan_split split[64];
    sgdplan_configuration c;
    sgdplan_epoch out;
    size_t l;
    c.servers = plan->resources.servers;
    c.replicas = plan->resources.replicas;
    c.workers = plan->resources.workers;
    c.split = split;
    for (l = 0; l < m->net.layers; l++) {
        split[l].partitions = plan->state[l].partitions;
        split[l].replications = plan->state[l].replications;
        split[l].threads = plan->state[l].threads;
        split[l].worker = NULL;
    }
    out.epoch_s = NOT_A_NUMBER;
    CHECK_STATUS(sgdplan_epoch_time(&m->net, &c, NULL, &out, NULL), SGDPLAN_OK);
    return out.epoch_s;
}

static sgdplan_plan compose(const sgdplan_cluster_plan *in, const sgdplan_resources *r,
                             sgdplan_state *state)
{
    sgdplan_plan plan;
    size_t bytes = 0;
    void *work;
    memset(&plan, 0, sizeof plan);
    plan.state = state;
    CHECK_STATUS(sgdplan_compose_bytes(in, r, &bytes), SGDPLAN_OK);
    work = room_for(bytes);
    memset(work, 0xA5, bytes);
    CHECK_STATUS(sgdplan_compose(in, r, work, bytes, &plan), SGDPLAN_OK);
    free(work);
    return plan;
}

/* Splits of a layer on n workers. */
static double states_of(uint32_t n, uint32_t cores, int differ)
{
    uint32_t R;
    double count = 0;
    for (R = 1; R <= n; R++) count += n / R;
    return differ ? count * cores : count;
}

TEST(composes_as_the_best_of_all_splits)
{
    unsigned trial, varied = 0;
    for (trial = 0; trial < 1000; trial++) {
        const size_t L = 2 + draw(4);
        const int differ = (int)draw(2);
        uint32_t workers = 1 + draw(4), cores = 1 + draw(4);
        sgdplan_state state[8];
        sgdplan_resources r;
        sgdplan_cluster_plan in;
        sgdplan_plan plan;
        size_t l;
        model m;
        while (pow(states_of(workers, cores, differ), (double)L) > 20000) {
            if (cores > 1) cores--;
            else workers--;
        }
        random_model(&m, L, workers, cores);
        in = plan_for(&m);
        in.threads_differ = differ;
        r.servers = 1 + draw(6);
        r.replicas = 1 + draw(8);
        r.workers = workers;
        plan = compose(&in, &r, state);
        CHECK_REL(plan.epoch_s, best_of_all(&in, &r), 1e-12);
        CHECK_REL(epoch_of(&m, &plan), plan.epoch_s, 1e-12);
        for (l = 1; l < L; l++)
            if (memcmp(state + l, state, sizeof *state) != 0) break;
        varied += l < L;
        model_close(&m);
    }
    printf("splits vary within the network in %u of %u\n", varied, trial);
    CHECK(varied > trial / 5);
}

/* Costs without any structure; some splits are not allowed. */
static double mixed(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t bits = sgdplan_priv_random(a, b, c);
    return bits % 16 == 0 ? INFINITE : (double)(bits >> 40) * 1e-6;
}

static uint64_t packed(const sgdplan_state *s)
{
    return ((uint64_t)s->partitions << 16 | s->replications) << 16 | s->threads;
}

static double mixed_layer_s(void *ctx, size_t l, const sgdplan_state *s)
{
    return mixed(*(const uint64_t *)ctx, l, packed(s));
}

static double mixed_forward_s(void *ctx, size_t l, const sgdplan_state *below,
                              const sgdplan_state *s)
{
    sgdplan_state b = *below;
    b.threads = 0;
    return mixed(*(const uint64_t *)ctx + 1, packed(&b), packed(s) * 8 + l);
}

static double mixed_backward_s(void *ctx, size_t l, const sgdplan_state *below,
                               const sgdplan_state *s)
{
    sgdplan_state above = *s;
    above.threads = 0;
    return mixed(*(const uint64_t *)ctx + 2, packed(below), packed(&above) * 8 + l);
}

static double mixed_weights_s(void *ctx, size_t l, const sgdplan_state *s,
                              const sgdplan_resources *r)
{
    sgdplan_state any = *s;
    any.partitions = (uint32_t)l;
    return mixed(*(const uint64_t *)ctx + 3, packed(&any), r->servers) / 16;
}

TEST(composes_with_costs_of_any_kind)
{
    unsigned trial, varied = 0, none = 0;
    for (trial = 0; trial < 1000; trial++) {
        uint64_t seed = 1000 * (uint64_t)trial;
        const size_t L = 2 + draw(4);
        uint32_t workers = 1 + draw(4), cores = 1 + draw(4);
        sgdplan_cluster_plan in;
        sgdplan_resources r;
        sgdplan_state state[8];
        sgdplan_plan plan = { { 0, 0, 0 }, 0, state };
        static double work[65536];
        double want;
        memset(&in, 0, sizeof in);
        in.threads_differ = (int)draw(2);
        while (pow(states_of(workers, cores, in.threads_differ), (double)L) > 20000) {
            if (cores > 1) cores--;
            else workers--;
        }
        in.layers = L;
        in.machines = 64;
        in.cores = cores;
        in.costs.layer_s = mixed_layer_s;
        in.costs.forward_s = mixed_forward_s;
        in.costs.backward_s = mixed_backward_s;
        in.costs.weights_s = mixed_weights_s;
        in.costs.ctx = &seed;
        r.servers = 1 + draw(6);
        r.replicas = 1 + draw(8);
        r.workers = workers;
        want = best_of_all(&in, &r);
        if (want > DBL_MAX) {
            none++;
            CHECK_STATUS(sgdplan_compose(&in, &r, work, sizeof work, &plan),
                         SGDPLAN_NO_PLAN);
            continue;
        }
        CHECK_STATUS(sgdplan_compose(&in, &r, work, sizeof work, &plan), SGDPLAN_OK);
        CHECK_REL(plan.epoch_s, want, 1e-12);
        varied += memcmp(state + 1, state, sizeof *state) != 0;
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
}

static size_t search(sgdplan_cluster_plan *in, sgdplan_plan *plan, size_t room)
{
    size_t bytes = 0, found = 0;
    void *work;
    CHECK_STATUS(sgdplan_search_bytes(in, room, &bytes), SGDPLAN_OK);
    work = room_for(bytes);
    CHECK_STATUS(sgdplan_search(in, work, bytes, plan, room, &found), SGDPLAN_OK);
    free(work);
    return found;
}

TEST(searches_as_one_by_one)
{
    unsigned trial;
    for (trial = 0; trial < 200; trial++) {
        static sgdplan_state states[12][8], one[8];
        sgdplan_plan plan[12], best;
        sgdplan_resources r;
        sgdplan_cluster_plan in;
        seen s = { 0, 0, 0 };
        size_t found, i, count = 0, at = 0;
        model m;
        random_model(&m, 2 + draw(3), 9, 1 + draw(4));
        m.net.machines = 2 + draw(8);
        in = plan_for(&m);
        in.threads_differ = (int)draw(2);
        in.max_replications = draw(3);
        in.on_plan = see;
        in.plan_ctx = &s;
        for (i = 0; i < 12; i++) plan[i].state = states[i];
        found = search(&in, plan, 12);
        CHECK(s.count == sgdplan_search_count(&in));
        CHECK(found == (s.count < 12 ? s.count : 12));
        CHECK_REL(plan[0].epoch_s, s.best, 0.0);
        for (r.workers = 1; r.workers < in.machines; r.workers++)
            for (r.replicas = 1; r.replicas * r.workers < in.machines; r.replicas++)
                for (r.servers = 1; r.servers + r.replicas * r.workers <= in.machines;
                     r.servers++, count++) {
                    best = compose(&in, &r, one);
                    if (best.epoch_s < plan[found - 1].epoch_s * (1 - 1e-12)) at++;
                    for (i = 0; i < found; i++)
                        if (memcmp(&plan[i].resources, &r, sizeof r) == 0)
                            CHECK_REL(plan[i].epoch_s, best.epoch_s, 1e-12);
                    if (best.epoch_s < plan[0].epoch_s)
                        CHECK_REL(best.epoch_s, plan[0].epoch_s, 1e-12);
                }
        CHECK(count == s.count && at < found);
        for (i = 0; i < found; i++) {
            CHECK_REL(epoch_of(&m, plan + i), plan[i].epoch_s, 1e-12);
            CHECK(i == 0 || plan[i].epoch_s >= plan[i - 1].epoch_s);
        }
        model_close(&m);
    }
}

TEST(ranks_what_is_given)
{
    static sgdplan_state states[3][8];
    sgdplan_resources given[3] = { { 1, 1, 1 }, { 2, 4, 2 }, { 1, 2, 1 } };
    sgdplan_cluster_plan in;
    sgdplan_plan plan[3];
    size_t i, few = 0, bytes = 0;
    model m;
    random_model(&m, 3, 9, 4);
    m.net.machines = 10;
    in = plan_for(&m);
    in.given = given;
    in.givens = 3;
    for (i = 0; i < 3; i++) plan[i].state = states[i];
    CHECK(search(&in, plan, 3) == 3 && sgdplan_search_count(&in) == 3);
    for (i = 0; i < 3; i++) CHECK_REL(epoch_of(&m, plan + i), plan[i].epoch_s, 1e-12);
    CHECK(plan[0].epoch_s <= plan[1].epoch_s && plan[1].epoch_s <= plan[2].epoch_s);
    CHECK(search(&in, plan, 1) == 1);
    CHECK_STATUS(sgdplan_search_bytes(&in, 1, &few), SGDPLAN_OK);
    in.machines = 65536;                    /* as much work as for two workers */
    CHECK_STATUS(sgdplan_search_bytes(&in, 1, &bytes), SGDPLAN_OK);
    CHECK(bytes == few && search(&in, plan, 3) == 3);
    model_close(&m);
}

/* ---- Ties ---- */

static double constant_s(void *ctx, size_t l, const sgdplan_state *s)
{
    (void)l;
    (void)s;
    return *(const double *)ctx;
}

static double nothing_s(void *ctx, size_t l, const sgdplan_state *below,
                        const sgdplan_state *s)
{
    (void)ctx;
    (void)l;
    (void)below;
    (void)s;
    return 0.0;
}

static sgdplan_cluster_plan constant_plan(double *value, size_t layers,
                                           uint32_t machines)
{
    sgdplan_cluster_plan in;
    memset(&in, 0, sizeof in);
    in.layers = layers;
    in.machines = machines;
    in.cores = 4;
    in.costs.layer_s = constant_s;
    in.costs.forward_s = in.costs.backward_s = nothing_s;
    in.costs.ctx = value;
    return in;
}

/* Equal everywhere: one worker, one thread. */
TEST(ties_go_to_the_smallest)
{
    double value = 5;
    sgdplan_cluster_plan in = constant_plan(&value, 4, 9);
    const sgdplan_resources r = { 2, 1, 7 };
    sgdplan_state state[4];
    sgdplan_plan plan;
    size_t l;
    int differ;
    for (differ = 0; differ < 2; differ++) {
        in.threads_differ = differ;
        plan = compose(&in, &r, state);
        CHECK_REL(plan.epoch_s, 20.0, 0.0);
        for (l = 0; l < 4; l++)
            CHECK(state[l].partitions == 1 && state[l].replications == 1
                  && state[l].threads == 1);
    }
    plan.state = state;
    CHECK(search(&in, &plan, 1) == 1);      /* eight replicas, and one server, win */
    CHECK(plan.resources.servers == 1 && plan.resources.replicas == 8
          && plan.resources.workers == 1);
}

/* The same value on 4 workers, as 2 x 2 with 1 thread and as 4 x 1 with 2. */
static double two_ways_s(void *ctx, size_t l, const sgdplan_state *s)
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
    sgdplan_cluster_plan in = constant_plan(&value, 3, 9);
    const sgdplan_resources r = { 1, 1, 6 };
    sgdplan_state state[3];
    sgdplan_plan plan;
    int differ;
    in.costs.layer_s = two_ways_s;
    for (differ = 0; differ < 2; differ++) {
        in.threads_differ = differ;
        plan = compose(&in, &r, state);
        CHECK_REL(plan.epoch_s, 3.0, 0.0);
        CHECK(state[2].partitions == 4 && state[2].replications == 1
              && state[2].threads == 1);
        CHECK(memcmp(state, state + 2, sizeof *state) == 0);
    }
}

/* ---- Refusals ---- */

static double bad_value;

static double sometimes_bad_s(void *ctx, size_t l, const sgdplan_state *below,
                              const sgdplan_state *s)
{
    (void)ctx;
    (void)below;
    return l == 2 && s->partitions == 2 ? bad_value : 0.0;
}

static double bad_weights_s(void *ctx, size_t l, const sgdplan_state *s,
                            const sgdplan_resources *r)
{
    (void)ctx;
    (void)l;
    (void)s;
    return r->servers == 3 ? bad_value : 0.0;
}

/* Both functions refuse, and write nothing. */
static void refused(const sgdplan_cluster_plan *in, const sgdplan_resources *r,
                    sgdplan_status want)
{
    static double work[65536];
    sgdplan_state state[8], before[8];
    sgdplan_plan plan = { { 7, 7, 7 }, 7, state };
    size_t found = 77;
    memset(state, 0x5A, sizeof state);
    memcpy(before, state, sizeof state);
    CHECK_STATUS(sgdplan_compose(in, r, work, sizeof work, &plan), want);
    CHECK_STATUS(sgdplan_search(in, work, sizeof work, &plan, 1, &found), want);
    CHECK(found == 77 && plan.resources.servers == 7 && plan.epoch_s <= 7
          && memcmp(state, before, sizeof state) == 0);
}

TEST(bad_costs)
{
    const double bad[2] = { -1, NOT_A_NUMBER };
    double value = 5;
    const sgdplan_resources r = { 3, 1, 4 };
    sgdplan_cluster_plan in;
    size_t i;
    for (i = 0; i < 2; i++) {
        bad_value = bad[i];
        in = constant_plan(&bad_value, 3, 9);
        refused(&in, &r, SGDPLAN_BAD_COST);
        in = constant_plan(&value, 3, 9);
        in.costs.forward_s = sometimes_bad_s;
        refused(&in, &r, SGDPLAN_BAD_COST);
        in = constant_plan(&value, 3, 9);
        in.costs.backward_s = sometimes_bad_s;
        refused(&in, &r, SGDPLAN_BAD_COST);
        in = constant_plan(&value, 3, 9);
        in.costs.weights_s = bad_weights_s;
        refused(&in, &r, SGDPLAN_BAD_COST);
    }
    value = INFINITE;
    in = constant_plan(&value, 3, 9);
    refused(&in, &r, SGDPLAN_NO_PLAN);
    in.threads_differ = 1;
    refused(&in, &r, SGDPLAN_NO_PLAN);
    value = 1e308;                          /* three of them are more than a double */
    refused(&in, &r, SGDPLAN_NO_PLAN);
}

TEST(bad_plans)
{
    static double work[65536];
    double value = 5;
    const sgdplan_resources r = { 3, 1, 4 };
    sgdplan_cluster_plan in = constant_plan(&value, 3, 9), bad;
    sgdplan_resources given[2] = { { 1, 1, 1 }, { 4, 2, 3 } }, broken;
    sgdplan_plan plan;
    size_t bytes = 0, found = 0;
    memset(&plan, 0, sizeof plan);
    bad = in; bad.layers = 0;                refused(&bad, &r, SGDPLAN_BAD_ARGUMENT);
    bad = in; bad.machines = 1;              refused(&bad, &r, SGDPLAN_BAD_ARGUMENT);
    bad = in; bad.machines = 0;              refused(&bad, &r, SGDPLAN_BAD_ARGUMENT);
    bad = in; bad.cores = 0;                 refused(&bad, &r, SGDPLAN_BAD_ARGUMENT);
    bad = in; bad.costs.layer_s = NULL;      refused(&bad, &r, SGDPLAN_BAD_ARGUMENT);
    bad = in; bad.costs.forward_s = NULL;    refused(&bad, &r, SGDPLAN_BAD_ARGUMENT);
    bad = in; bad.costs.backward_s = NULL;   refused(&bad, &r, SGDPLAN_BAD_ARGUMENT);
    bad = in; bad.cores = UINT32_MAX;        refused(&bad, &r, SGDPLAN_TOO_LARGE);
    bad = in; bad.machines = UINT32_MAX;     refused(&bad, &r, SGDPLAN_TOO_LARGE);
    bad = in; bad.layers = (size_t)-1 / 2;   refused(&bad, &r, SGDPLAN_TOO_LARGE);
    CHECK(sgdplan_search_count(&bad) > 0);
    CHECK_STATUS(sgdplan_search_bytes(&in, 1, &bytes), SGDPLAN_OK);
    CHECK_STATUS(sgdplan_search_bytes(&in, 0, &bytes), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_search_bytes(&in, 1, NULL), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_search_bytes(&in, (size_t)-1 / 4, &bytes), SGDPLAN_TOO_LARGE);
    CHECK_STATUS(sgdplan_search_bytes(&in, 1, &bytes), SGDPLAN_OK);
#define SEARCH(in, work, bytes, plan, room, found) \
    sgdplan_search(in, work, bytes, plan, room, found)
    CHECK_STATUS(SEARCH(&in, work, bytes - 1, &plan, 1, &found),
                 SGDPLAN_SMALL_WORKSPACE);
    CHECK_STATUS(SEARCH(&in, NULL, bytes, &plan, 1, &found), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(SEARCH(NULL, work, bytes, &plan, 1, &found), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(SEARCH(&in, work, bytes, NULL, 1, &found), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(SEARCH(&in, work, bytes, &plan, 0, &found), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(SEARCH(&in, work, bytes, &plan, 1, NULL), SGDPLAN_BAD_ARGUMENT);
    bad = in;
    bad.given = given;
    CHECK_STATUS(SEARCH(&bad, work, bytes, &plan, 1, &found), SGDPLAN_BAD_ARGUMENT);
    bad.givens = 2;                          /* 4 + 2 * 3 > 9 */
    CHECK_STATUS(SEARCH(&bad, work, bytes, &plan, 1, &found), SGDPLAN_BAD_ARGUMENT);
    given[1].servers = 3;
    CHECK_STATUS(SEARCH(&bad, work, bytes, &plan, 1, &found), SGDPLAN_OK);
    CHECK_STATUS(SEARCH(&in, work, bytes, &plan, 1, &found), SGDPLAN_OK);
#undef SEARCH
    CHECK_STATUS(sgdplan_compose_bytes(&in, &r, &bytes), SGDPLAN_OK);
    CHECK_STATUS(sgdplan_compose(&in, &r, work, bytes - 1, &plan),
                 SGDPLAN_SMALL_WORKSPACE);
    CHECK_STATUS(sgdplan_compose(&in, &r, work, bytes, NULL), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_compose(&in, NULL, work, bytes, &plan), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_compose(&in, &r, work, bytes, &plan), SGDPLAN_OK);
    broken = r; broken.servers = 0;
    CHECK_STATUS(sgdplan_compose(&in, &broken, work, bytes, &plan),
                 SGDPLAN_BAD_ARGUMENT);
    broken = r; broken.servers = 6;
    CHECK_STATUS(sgdplan_compose(&in, &broken, work, bytes, &plan),
                 SGDPLAN_BAD_ARGUMENT);
    broken = r; broken.replicas = broken.workers = UINT32_MAX;
    CHECK_STATUS(sgdplan_compose_bytes(&in, &broken, &bytes), SGDPLAN_BAD_ARGUMENT);
}

/* ---- Order of trials ---- */

/* The mean over all orders of a few configurations. */
static double mean_cost(const double *e, const unsigned char *good, size_t n,
                        unsigned used, double spent)
{
    double sum = 0;
    size_t i, left = 0;
    for (i = 0; i < n; i++) {
        if (used >> i & 1u) continue;
        left++;
        sum +=
            good[i] ? spent + e[i] : mean_cost(e, good, n, used | 1u << i, spent + e[i]);
    }
    return left > 0 ? sum / (double)left : spent;
}

TEST(trials_cost_what_all_orders_cost)
{
    unsigned trial;
    for (trial = 0; trial < 300; trial++) {
        const size_t n = 1 + draw(6);
        double e[6], random_s = 0, ordered_s = 0, want = 0;
        unsigned char good[6];
        size_t order[6] = { 0 }, i;
        for (i = 0; i < n; i++) {
            e[i] = 1 + draw(5);
            good[i] = (unsigned char)draw(2);
        }
        CHECK_STATUS(sgdplan_trial_cost(e, good, n, &random_s, &ordered_s), SGDPLAN_OK);
        CHECK_REL(random_s, mean_cost(e, good, n, 0, 0), 1e-12);
        CHECK_STATUS(sgdplan_trial_order(e, n, order), SGDPLAN_OK);
        for (i = 1; i < n; i++)
            CHECK(e[order[i - 1]] < e[order[i]]
                  || (e[order[i - 1]] <= e[order[i]] && order[i - 1] < order[i]));
        for (i = 0; i < n; i++) {
            want += e[order[i]];
            if (good[order[i]]) break;
        }
        CHECK_REL(ordered_s, want, 1e-12);
    }
}

TEST(trials_refused)
{
    const double fine[2] = { 1, 2 };
    double bad[2] = { 1, -1 }, a = 7, b = 7;
    const unsigned char good[2] = { 1, 0 };
    size_t order[2] = { 9, 9 };
    CHECK_STATUS(sgdplan_trial_order(fine, 0, order), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_trial_order(NULL, 2, order), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_trial_order(fine, 2, NULL), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_trial_order(bad, 2, order), SGDPLAN_BAD_COST);
    CHECK_STATUS(sgdplan_trial_cost(bad, good, 2, &a, &b), SGDPLAN_BAD_COST);
    bad[1] = NOT_A_NUMBER;
    CHECK_STATUS(sgdplan_trial_cost(bad, good, 2, &a, &b), SGDPLAN_BAD_COST);
    bad[1] = INFINITE;
    CHECK_STATUS(sgdplan_trial_cost(bad, good, 2, &a, &b), SGDPLAN_BAD_COST);
    CHECK_STATUS(sgdplan_trial_cost(fine, good, 0, &a, &b), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_trial_cost(fine, NULL, 2, &a, &b), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_trial_cost(NULL, good, 2, &a, &b), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_trial_cost(fine, good, 2, NULL, &b), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_trial_cost(fine, good, 2, &a, NULL), SGDPLAN_BAD_ARGUMENT);
    CHECK(a <= 7 && b <= 7 && order[0] == 9 && order[1] == 9);
}

/* ---- [YRHC15, table 1] ---- */

/* Reads a network of validation/networks; the tests run in the root of the tree. */
static size_t read_network(const char *name, sgdplan_layer *layer)
{
    char path[256], line[256];
    size_t n = 0;
    FILE *file;
    snprintf(path, sizeof path, "validation/networks/%s.csv", name);
    file = fopen(path, "r");
    CHECK(file != NULL);
    if (!file) return 0;
    while (n < 64 && fgets(line, sizeof line, file)) {
        uint32_t *field[12], i;
        char *at = line;
        sgdplan_layer *z = layer + n;
        if (line[0] == '#' || strncmp(line, "name,", 5) == 0) continue;
        memset(z, 0, sizeof *z);
        at = strchr(at, ',') + 1;
        while (strncmp(sgdplan_layer_text(z->kind), at, strcspn(at, ",")) != 0)
            z->kind = (sgdplan_layer_kind)(z->kind + 1);
        field[0] = &z->c_in;   field[1] = &z->h_in;    field[2] = &z->w_in;
        field[3] = &z->c_out;  field[4] = &z->h_out;   field[5] = &z->w_out;
        field[6] = &z->kernel; field[7] = &z->stride;  field[8] = &z->pad;
        field[9] = &z->n_in;   field[10] = &z->n_out;  field[11] = &z->steps;
        for (i = 0; i < 12; i++) {
            at = strchr(at, ',') + 1;
            *field[i] = (uint32_t)strtoul(at, NULL, 10);
        }
        n++;
    }
    fclose(file);
    return n;
}

/* Constants of ours, of one machine: 16 cores at 8.4e9 multiply-adds a second out of a
 * cache, 2.5 times slower where a segment has left it; 10 Gbit/s, not shared by threads
 * when weights are read. */
static void cluster_of_the_paper(model *m, const char *network, double samples)
{
    static const double at[2] = { 1048576, 16777216 }, value[2] = { 1.2e-10, 3e-10 };
    static const double threads[2] = { 1, 16 }, slower[2] = { 1, 1.9 };
    constants(m, 20, 16);
    m->net.layers = read_network(network, m->layer);
    m->net.muladd_s.points = 2;
    m->net.muladd_s.at = at;
    m->net.muladd_s.value = value;
    m->net.interference.points = 2;
    m->net.interference.at = threads;
    m->net.interference.value = slower;
    m->net.activation_s = m->net.error_s = 1.2e-9;
    m->net.latency_s.number = 3e-4;
    m->net.read_full = 1;
    m->net.samples = samples;
}

/* Epochs of configurations by their best splits; R <= copies. */
static void rank_epochs(model *m, const sgdplan_resources *r, size_t n, double *epoch_s)
{
    sgdplan_cluster_plan in = plan_for(m);
    sgdplan_state state[64];
    size_t i;
    for (i = 0; i < n; i++) epoch_s[i] = compose(&in, r + i, state).epoch_s;
}

/* Servers, replicas, workers; the fastest first. */
TEST(mnist_of_table_1)
{
    static const sgdplan_resources r[8] = { { 2, 9, 2 }, { 4, 8, 2 }, { 8, 6, 2 },
        { 4, 4, 4 }, { 1, 19, 1 }, { 2, 18, 1 }, { 4, 16, 1 }, { 8, 12, 1 } };
    double epoch_s[8];
    sgdplan_cluster_plan in;
    sgdplan_plan best;
    size_t i;
    model m;
    cluster_of_the_paper(&m, "mnist", 60000);
    model_open(&m, 19, 1);
    rank_epochs(&m, r, 8, epoch_s);
    for (i = 1; i < 8; i++) CHECK(epoch_s[i] > epoch_s[i - 1]);
    in = plan_for(&m);
    memset(&best, 0, sizeof best);
    CHECK(search(&in, &best, 1) == 1);      /* of all that 20 machines allow */
    CHECK(memcmp(&best.resources, r, sizeof *r) == 0);
    model_close(&m);
}

/* Eqs. 10 and 11 know no difference in two places. */
TEST(imagenet_of_table_1)
{
    static const sgdplan_resources r[8] = { { 4, 4, 4 }, { 2, 4, 4 }, { 2, 9, 2 },
        { 6, 3, 4 }, { 4, 3, 4 }, { 4, 8, 2 }, { 6, 6, 2 }, { 4, 6, 2 } };
    const uint32_t copies[2] = { 1, 19 };
    double epoch_s[8];
    size_t i, k;
    model m;
    for (k = 0; k < 2; k++) {
        sgdplan_cluster_plan in;
        sgdplan_plan best;
        seen s = { 0, 0, 0 };
        cluster_of_the_paper(&m, "imagenet22k", 15e6);
        model_open(&m, 19, copies[k]);
        rank_epochs(&m, r, 8, epoch_s);
        for (i = 1; i < 8; i++) {
            if (i == 4 || i == 7) CHECK_REL(epoch_s[i], epoch_s[i - 1], 0.0);
            else CHECK(epoch_s[i] > epoch_s[i - 1]);
        }
        in = plan_for(&m);
        in.on_plan = see;
        in.plan_ctx = &s;
        memset(&best, 0, sizeof best);
        CHECK(search(&in, &best, 1) == 1);
        printf(
            "ImageNet-22K, 20 machines, replications up to %u: best %u/%u/%u, worst %.1f "
            "times slower\n",
            copies[k], best.resources.workers, best.resources.replicas,
            best.resources.servers, s.worst / s.best);
        CHECK(s.worst > 10 * s.best);
        model_close(&m);
    }
}

/* ---- Large cases ---- */

/* Eight layers, 5 of them convolutions of at least 100 rows. */
static void eight_layers(model *m, uint32_t machines)
{
    static const double at[3] = { 1e5, 1e7, 1e9 }, value[3] = { 5e-11, 1e-10, 4e-10 };
    uint32_t c = 3, l;
    constants(m, machines, 16);
    m->net.layers = 8;
    for (l = 0; l < 5; l++) {
        m->layer[l] = image(SGDPLAN_LAYER_CONV, c, 128, 16, 3, 1, 1);
        c = 16;
    }
    m->layer[5] = full(SGDPLAN_LAYER_FC, c * 128 * 128, 1024);
    m->layer[6] = full(SGDPLAN_LAYER_FC, 1024, 1024);
    m->layer[7] = full(SGDPLAN_LAYER_SOFTMAX, 1024, 22000);
    m->net.muladd_s.points = 3;
    m->net.muladd_s.at = at;
    m->net.muladd_s.value = value;
}

static void large_case(uint32_t machines, uint32_t copies, int differ, const char *what)
{
    static sgdplan_state states[10][8];
    const double start = cpu_s();
    sgdplan_cluster_plan in;
    sgdplan_plan plan[10];
    seen s = { 0, 0, 0 };
    double tables_s;
    size_t i;
    model m;
    eight_layers(&m, machines);
    model_open(&m, machines - 1, copies);
    tables_s = cpu_s() - start;
    in = plan_for(&m);
    in.threads_differ = differ;
    in.on_plan = see;
    in.plan_ctx = &s;
    for (i = 0; i < 10; i++) plan[i].state = states[i];
    CHECK(search(&in, plan, 10) == 10 && s.count == sgdplan_search_count(&in));
    CHECK_REL(epoch_of(&m, plan), plan[0].epoch_s, 1e-12);
    printf("%s: %u configurations in %.2f s, %.2f of them for tables; best %u/%u/%u\n",
           what, (unsigned)s.count, cpu_s() - start, tables_s, plan[0].resources.workers,
           plan[0].resources.replicas, plan[0].resources.servers);
    model_close(&m);
}

TEST(large_cases)
{
    large_case(20, 19, 0, "20 machines");
    large_case(20, 19, 1, "20 machines, threads differ");
    large_case(100, 1, 0, "100 machines without replication");
}

int main(void)
{
    RUN(maps_as_the_best_of_all_permutations);
    RUN(maps_by_hand);
    RUN(maps_64_workers);
    RUN(maps_refused);
    RUN(composes_as_the_best_of_all_splits);
    RUN(composes_with_costs_of_any_kind);
    RUN(searches_as_one_by_one);
    RUN(ranks_what_is_given);
    RUN(ties_go_to_the_smallest);
    RUN(ties_by_workers_then_threads_then_partitions);
    RUN(bad_costs);
    RUN(bad_plans);
    RUN(trials_cost_what_all_orders_cost);
    RUN(trials_refused);
    RUN(mnist_of_table_1);
    RUN(imagenet_of_table_1);
    RUN(large_cases);
    return test_report("test_plan");
}
