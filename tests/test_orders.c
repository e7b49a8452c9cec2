/* Transmission orders of sgdperf_sim.h: hand-made graphs, chains, where layer order is
 * best possible, and random graphs. */
#include "../sgdperf_sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "test.h"

/* ---- Steps ----------------------------------------------------------------- */

enum { MOST_OPS = 400, MOST_WAITS = 4000 };

typedef struct graph {
    sgdsim_op   op[MOST_OPS];
    uint32_t    waits[MOST_WAITS];
    size_t      used;
    sgdsim_step step;
} graph;

static void clear(graph *g)
{
    g->used = 0;
    g->step.op = g->op;
    g->step.ops = 0;
}

/* Appends an op that waits for those in `mask`, by number below 64; returns its own. */
static uint32_t add(graph *g, sgdsim_resource resource, double amount, uint64_t mask)
{
    sgdsim_op *op = g->op + g->step.ops;
    *op = (sgdsim_op){.resource = resource};
    if (resource == SGDSIM_DOWNLINK || resource == SGDSIM_UPLINK) op->bytes = amount;
    else op->duration_s = amount;
    op->waits_for = g->waits + g->used;
    for (uint32_t i = 0; i < 64; i++)
        if (mask >> i & 1) {
            g->waits[g->used++] = i;
            op->waits++;
        }
    return (uint32_t)g->step.ops++;
}

static uint64_t bit(uint32_t op) { return (uint64_t)1 << op; }

static double uniform(uint64_t seed, uint64_t a, uint64_t b)
{
    return (double)(sgdsim_random(seed, a, b, 0) >> 11) / 9007199254740992.0;
}

static size_t below(uint64_t seed, uint64_t a, uint64_t b, size_t n)
{
    return (size_t)(uniform(seed, a, b) * (double)n);
}

/* A random layered network: its downloads are numbered at random among themselves, each
 * forward op needs one to three of them and up to three earlier forward ops; backward
 * ops mirror them and send what they received. */
static void random_graph(graph *g, uint64_t seed, size_t most)
{
    const size_t T = 2 + below(seed, 0, 0, most - 1);
    uint32_t number[16], forward[16], before, last;
    size_t i;
    clear(g);
    for (i = 0; i < T; i++) number[i] = (uint32_t)i;
    for (i = T; i > 1; i--) {
        const size_t j = below(seed, 1, i, i);
        const uint32_t swap = number[i - 1];
        number[i - 1] = number[j];
        number[j] = swap;
    }
    for (i = 0; i < T; i++) add(g, SGDSIM_DOWNLINK, uniform(seed, 2, i), 0);
    for (i = 0; i < T; i++) {
        uint64_t mask = bit(number[i]);
        const size_t more = below(seed, 3, i, 3), inputs = below(seed, 4, i, 4);
        for (size_t k = 0; k < more; k++) mask |= bit(number[below(seed, 10 + k, i, T)]);
        for (size_t k = 0; i > 0 && k < inputs; k++)
            mask |= bit(forward[below(seed, 20 + k, i, i)]);
        forward[i] = add(g, SGDSIM_WORKER, uniform(seed, 5, i), mask);
    }
    for (i = 0, last = 0; i < T; i++) {
        uint64_t mask = 0;
        before = last;
        for (size_t k = 0; k < T; k++) mask |= i == 0 ? bit(forward[k]) : bit(before);
        last = add(g, SGDSIM_WORKER, uniform(seed, 6, i), mask);
        if (last < 63)
            add(g, SGDSIM_UPLINK, g->op[number[T - 1 - i]].bytes, bit(last));
    }
}

/* ---- Orders ---------------------------------------------------------------- */

/* In a work area of exactly the size asked for; the number of ops put in order. */
static size_t get_order(const sgdsim_step *step, sgdsim_order rule, double bandwidth,
                        uint32_t *order)
{
    size_t bytes = 0, ordered = 9999;
    CHECK_STATUS(sgdsim_order_transfers_bytes(step, rule, &bytes), SGDSIM_OK);
    void *work = get_dirt(bytes);
    CHECK_STATUS(sgdsim_order_transfers(step, &(sgdsim_ordering){rule, 7, bandwidth}, work, bytes,
                                        order, &ordered), SGDSIM_OK);
    free(work);
    return ordered;
}

static sgdsim_config lone_worker(const sgdsim_trace *trace, double bandwidth)
{
    static const uint32_t one = 1;
    return (sgdsim_config){.workers.types = 1, .workers.trace = trace, .workers.count = &one,
                           .links.bandwidth_bytes_per_s = bandwidth, .length.steps = 1};
}

static size_t search_order(const sgdsim_config *config, uint64_t tries, uint32_t *order)
{
    size_t bytes = 0, ordered = 9999;
    CHECK_STATUS(sgdsim_order_search_bytes(config, &bytes), SGDSIM_OK);
    void *work = get_dirt(bytes);
    CHECK_STATUS(sgdsim_order_search(config, tries, work, bytes, order, &ordered), SGDSIM_OK);
    free(work);
    return ordered;
}

static double step_time(sgdsim_config config, const uint32_t *order, size_t ordered)
{
    size_t bytes = 0;
    sgdsim_result out = {0};
    config.transfers.order = order;
    config.transfers.ordered = ordered;
    CHECK_STATUS(sgdsim_run_bytes(&config, &bytes), SGDSIM_OK);
    void *work = get_dirt(bytes);
    CHECK_STATUS(sgdsim_run(&config, work, bytes, &out), SGDSIM_OK);
    free(work);
    return out.makespan_s;
}

static double rule_time(const sgdsim_config *config, sgdsim_order rule)
{
    uint32_t order[MOST_OPS];
    const size_t ordered = get_order(config->workers.trace->step, rule,
                                     config->links.bandwidth_bytes_per_s, order);
    return step_time(*config, order, ordered);
}

static int is_order(const uint32_t *order, size_t ordered, const char *want)
{
    char text[256];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < ordered && used < 200; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, i ? " %u" : "%u",
                                 (unsigned)order[i]);
    if (strcmp(text, want) == 0) return 1;
    fprintf(stderr, "    order %s, want %s\n", text, want);
    return 0;
}

#define CHECK_ORDER(g, rule, bandwidth, want)                                           \
    (ordered = get_order(&(g)->step, rule, bandwidth, order),                           \
     CHECK(is_order(order, ordered, want)))

/* ---- By hand --------------------------------------------------------------- */

static graph G;                        /* of the test that runs                       */

/* Downloads 0..3 feed forward ops 4..7 in a chain, against the numbers: 3 first. */
static void backward_chain(graph *g)
{
    clear(g);
    for (uint32_t i = 0; i < 4; i++) add(g, SGDSIM_DOWNLINK, 1.0, 0);
    uint32_t f = add(g, SGDSIM_WORKER, 1.0, bit(3));
    for (uint32_t i = 3; i-- > 0;) f = add(g, SGDSIM_WORKER, 1.0, bit(i) | bit(f));
    add(g, SGDSIM_UPLINK, 1.0, bit(f));
}

TEST(plain_orders_go_by_number)
{
    uint32_t order[MOST_OPS], again[MOST_OPS];
    size_t ordered, seen = 0;
    backward_chain(&G);
    add(&G, SGDSIM_DOWNLINK, 1.0, bit(4)); /* not at the start: not put in order       */
    add(&G, SGDSIM_DOWNLINK, 1.0, 0);
    CHECK_ORDER(&G, SGDSIM_ORDER_GIVEN, 0.0, "0 1 2 3 10");
    CHECK_ORDER(&G, SGDSIM_ORDER_REVERSE, 0.0, "10 3 2 1 0");
    CHECK(get_order(&G.step, SGDSIM_ORDER_RANDOM, 0.0, order) == 5);
    CHECK(get_order(&G.step, SGDSIM_ORDER_RANDOM, 0.0, again) == 5);
    CHECK(memcmp(order, again, 5 * sizeof *order) == 0);
    for (size_t i = 0; i < 5; i++) seen |= (size_t)1 << order[i];
    CHECK(seen == (0xf | 1u << 10));
}

/* All 24 orders of four downloads, each about as often. */
TEST(random_orders_are_as_likely)
{
    unsigned count[256] = {0}, orders = 0, i;
    uint32_t order[MOST_OPS];
    double work[256];
    backward_chain(&G);
    for (uint64_t seed = 0; seed < 24000; seed++) {
        size_t ordered = 0;
        CHECK_STATUS(sgdsim_order_transfers(&G.step,
                                            &(sgdsim_ordering){SGDSIM_ORDER_RANDOM, seed, 0.0},
                                                work, sizeof work, order, &ordered), SGDSIM_OK);
        count[order[0] << 6 | order[1] << 4 | order[2] << 2 | order[3]]++;
    }
    for (i = 0; i < 256; i++) {
        if (count[i] == 0) continue;
        orders++;
        CHECK(count[i] > 850 && count[i] < 1150);
    }
    CHECK(orders == 24);
}

TEST(chains_go_by_layer)
{
    uint32_t order[MOST_OPS];
    size_t ordered;
    backward_chain(&G);
    CHECK_ORDER(&G, SGDSIM_ORDER_TIC, 0.0, "3 2 1 0");
    CHECK_ORDER(&G, SGDSIM_ORDER_TAC, 1.0, "3 2 1 0");
    G.op[4].duration_s = 0.0;          /* no time tells the first two apart            */
    CHECK_ORDER(&G, SGDSIM_ORDER_TAC, 1.0, "3 2 1 0");
    G.op[0].bytes = G.op[1].bytes = 0.0;
    CHECK_ORDER(&G, SGDSIM_ORDER_TIC, 0.0, "3 2 1 0");
}

/* A download for each layer, more of them than bits of a word, each layer behind the one
 * before. They are numbered backwards. */
TEST(chains_of_many_layers_go_by_layer)
{
    enum { LAYERS = 70 };
    static sgdsim_op op[2 * LAYERS];
    static uint32_t waits[2 * LAYERS];
    const sgdsim_step step = {op, 2 * LAYERS};
    uint32_t order[2 * LAYERS];
    memset(op, 0, sizeof op);
    for (size_t i = 0; i < LAYERS; i++) {
        sgdsim_op *of = op + LAYERS + i;
        op[i].resource = SGDSIM_DOWNLINK;
        op[i].bytes = 1.0;
        of->resource = SGDSIM_WORKER;
        of->duration_s = 1.0;
        of->waits_for = waits + 2 * i;
        of->waits = i > 0 ? 2 : 1;
        waits[2 * i] = (uint32_t)(LAYERS - 1 - i);
        if (i > 0) waits[2 * i + 1] = (uint32_t)(LAYERS + i - 1);
    }
    for (size_t rule = SGDSIM_ORDER_TIC; rule <= SGDSIM_ORDER_TAC; rule++) {
        CHECK(get_order(&step, (sgdsim_order)rule, 1.0, order) == LAYERS);
        for (size_t i = 0; i < LAYERS; i++) CHECK(order[i] == LAYERS - 1 - i);
    }
}

/* Two branches with the same structure: 0 before 5 ms of compute, 1 before 7 ms. TIC
 * cannot tell, TAC can: Johnson's rule for two machines. */
TEST(tac_knows_the_times)
{
    uint32_t order[MOST_OPS], a, b;
    size_t ordered;
    clear(&G);
    add(&G, SGDSIM_DOWNLINK, 6.0, 0);
    add(&G, SGDSIM_DOWNLINK, 6.0, 0);
    a = add(&G, SGDSIM_WORKER, 0.005, bit(0));
    b = add(&G, SGDSIM_WORKER, 0.007, bit(1));
    add(&G, SGDSIM_WORKER, 0.001, bit(a) | bit(b));
    CHECK_ORDER(&G, SGDSIM_ORDER_TIC, 0.0, "0 1");
    CHECK_ORDER(&G, SGDSIM_ORDER_TAC, 1000.0, "1 0");
    /* With 3 ms a transfer both keep the worker busy: min(P, M) is M both ways, and M+
     * is the same. */
    CHECK_ORDER(&G, SGDSIM_ORDER_TAC, 2000.0, "0 1");
    G.op[1].bytes = 5.0;               /* the shorter first: min(5, 2.5) < min(7, 3)  */
    CHECK_ORDER(&G, SGDSIM_ORDER_TAC, 2000.0, "1 0");
}

/* 0, 1 and 2 are needed together, 3 and 4 too: fewer transfers first; by time the three
 * small ones go first. Last what nothing waits for. */
TEST(impending_transfers_count)
{
    uint32_t order[MOST_OPS], a, b;
    size_t ordered;
    clear(&G);
    add(&G, SGDSIM_DOWNLINK, 1.0, 0);
    add(&G, SGDSIM_DOWNLINK, 1.0, 0);
    add(&G, SGDSIM_DOWNLINK, 1.0, 0);
    add(&G, SGDSIM_DOWNLINK, 2.0, 0);
    add(&G, SGDSIM_DOWNLINK, 2.0, 0);
    a = add(&G, SGDSIM_WORKER, 1.0, bit(0) | bit(1) | bit(2));
    b = add(&G, SGDSIM_WORKER, 1.0, bit(3) | bit(4));
    add(&G, SGDSIM_WORKER, 1.0, bit(a) | bit(b));
    add(&G, SGDSIM_DOWNLINK, 0.5, 0);
    CHECK_ORDER(&G, SGDSIM_ORDER_TIC, 0.0, "3 4 0 1 2 8");
    CHECK_ORDER(&G, SGDSIM_ORDER_TAC, 1.0, "0 1 2 3 4 8");
}

/* 0 lets 5 s of work begin. As it has its place, 1 lets begin 10 s, and not before: so 1 is
 * ahead of 2, which lets begin 0.4 s. */
TEST(a_place_that_is_given_changes_what_others_let_begin)
{
    uint32_t order[MOST_OPS];
    size_t ordered;
    clear(&G);
    add(&G, SGDSIM_DOWNLINK, 1.0, 0);
    add(&G, SGDSIM_DOWNLINK, 1.0, 0);
    add(&G, SGDSIM_DOWNLINK, 1.0, 0);
    add(&G, SGDSIM_WORKER, 5.0, bit(0));
    add(&G, SGDSIM_WORKER, 10.0, bit(0) | bit(1));
    add(&G, SGDSIM_WORKER, 0.4, bit(2));
    CHECK_ORDER(&G, SGDSIM_ORDER_TAC, 1.0, "0 1 2");
}

/* Times in other units, even those of an instant, are in the same order. */
TEST(tac_goes_by_times_in_any_unit)
{
    for (uint64_t seed = 0; seed < TEST_SIZE(40, 400); seed++) {
        uint32_t want[MOST_OPS], order[MOST_OPS];
        size_t n, i;
        random_graph(&G, seed, 8);
        n = get_order(&G.step, SGDSIM_ORDER_TAC, 1024.0, want);
        for (int unit = -120; unit <= 120; unit += 40) {
            for (i = 0; i < G.step.ops; i++) G.op[i].duration_s = ldexp(G.op[i].duration_s, unit);
            CHECK(get_order(&G.step, SGDSIM_ORDER_TAC, ldexp(1024.0, -unit), order) == n);
            CHECK(memcmp(order, want, n * sizeof *order) == 0);
            for (i = 0; i < G.step.ops; i++) G.op[i].duration_s = ldexp(G.op[i].duration_s, -unit);
        }
    }
}

/* More downloads than a word has bits, the last ones needed first. */
TEST(chains_of_many_downloads_go_by_layer)
{
    enum { LAYERS = 150 };
    uint32_t order[MOST_OPS];
    clear(&G);
    for (size_t i = 0; i < LAYERS; i++) add(&G, SGDSIM_DOWNLINK, 1.0, 0);
    for (size_t i = 0; i < LAYERS; i++) {
        sgdsim_op *op = G.op + add(&G, SGDSIM_WORKER, 1.0, 0);
        op->waits = i > 0 ? 2 : 1;
        G.waits[G.used++] = (uint32_t)(LAYERS - 1 - i);
        if (i > 0) G.waits[G.used++] = (uint32_t)(LAYERS + i - 1);
    }
    for (size_t i = SGDSIM_ORDER_TIC; i <= SGDSIM_ORDER_TAC; i++) {
        CHECK(get_order(&G.step, (sgdsim_order)i, 1.0, order) == LAYERS);
        for (size_t t = 0; t < LAYERS; t++) CHECK(order[t] == LAYERS - 1 - t);
    }
}

/* ---- Chains: no order is faster -------------------------------------------- */

TEST(layer_order_is_best_on_chains)
{
    sgdsim_layer layer[70];
    sgdsim_trace trace = {.step = &G.step, .steps = 1};
    for (uint64_t seed = 0; seed < TEST_SIZE(30, 200); seed++) {
        const size_t n = seed % 20 == 0 ? 70 : 1 + seed % 9;
        sgdsim_config config = lone_worker(&trace, 1.0);
        uint32_t order[MOST_OPS];
        clear(&G);
        for (size_t i = 0; i < n; i++) {
            layer[i].bytes = uniform(seed, 0, i);
            layer[i].forward_s = uniform(seed, 1, i);
            layer[i].backward_s = uniform(seed, 2, i);
            layer[i].update_s = uniform(seed, 3, i);
        }
        CHECK_STATUS(sgdsim_trace_layers(layer, n, 0, G.op, G.waits), SGDSIM_OK);
        G.step.ops = 5 * n;
        CHECK(get_order(&G.step, SGDSIM_ORDER_TIC, 0.0, order) == n);
        for (size_t i = 0; i < n; i++) CHECK(order[i] == i);
        CHECK(get_order(&G.step, SGDSIM_ORDER_TAC, 1.0, order) == n);
        for (size_t i = 0; i < n; i++) CHECK(order[i] == i);
        double best = rule_time(&config, SGDSIM_ORDER_TIC);
        CHECK(best <= rule_time(&config, SGDSIM_ORDER_REVERSE) * (1.0 + 1e-12));
        CHECK(best <= rule_time(&config, SGDSIM_ORDER_RANDOM) * (1.0 + 1e-12));
        CHECK(search_order(&config, 20, order) == n);
        CHECK_REL(step_time(config, order, n), best, 1e-12);
    }
}

/* ---- Random graphs --------------------------------------------------------- */

/* TIC and TAC are heuristics: how often they lose to the reverse order, and by how much,
 * is printed. On average they win, which is checked. */
TEST(rules_win_on_average_over_random_graphs)
{
    enum { GRAPHS = 2000 };
    unsigned slower[2] = {0};
    double worst[2] = {0}, sum[2] = {0}, reverse_sum = 0.0;
    sgdsim_trace trace = {.step = &G.step, .steps = 1};
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        const sgdsim_config config = lone_worker(&trace, 1.0);
        random_graph(&G, seed, 12);
        double reverse = rule_time(&config, SGDSIM_ORDER_REVERSE);
        reverse_sum += reverse;
        for (int i = 0; i < 2; i++) {
            const double s = rule_time(&config, i ? SGDSIM_ORDER_TAC : SGDSIM_ORDER_TIC);
            sum[i] += s;
            if (s > reverse * (1.0 + 1e-12)) slower[i]++;
            if (s / reverse - 1.0 > worst[i]) worst[i] = s / reverse - 1.0;
        }
    }
    for (int i = 0; i < 2; i++)
        printf("%s: mean %.4f of reverse, slower in %u of %d, at most %.1f %%\n",
               i ? "TAC" : "TIC", sum[i] / reverse_sum, slower[i], (int)GRAPHS,
               100.0 * worst[i]);
    CHECK(sum[0] < 0.97 * reverse_sum);
    CHECK(sum[1] < sum[0]);
}

TEST(search_is_never_slower)
{
    static const sgdsim_order rules[] = {
        SGDSIM_ORDER_GIVEN, SGDSIM_ORDER_REVERSE, SGDSIM_ORDER_TIC, SGDSIM_ORDER_TAC
    };
    static const sgdsim_overhead overhead = {0.0, 0.1};
    const uint64_t seeds = TEST_SIZE(50, 300);
    unsigned better = 0;
    sgdsim_trace trace = {.step = &G.step, .steps = 1};
    for (uint64_t seed = 0; seed < seeds; seed++) {
        sgdsim_config config = lone_worker(&trace, 1.0);
        uint32_t order[MOST_OPS], again[MOST_OPS];
        double found, start = HUGE_VAL;
        random_graph(&G, seed, 12);
        config.variation.seed = seed;
        if (seed % 3 == 1) config.transfers.window_bytes = 0.25;
        if (seed % 3 == 2) config.transfers.overhead = &overhead;
        for (size_t i = 0; i < 4; i++) {
            const double s = rule_time(&config, rules[i]);
            if (s < start) start = s;
        }
        size_t ordered = search_order(&config, 0, order);
        CHECK_REL(step_time(config, order, ordered), start, 0.0);
        CHECK(search_order(&config, 60, order) == ordered);
        CHECK(search_order(&config, 60, again) == ordered);
        CHECK(memcmp(order, again, ordered * sizeof *order) == 0);
        found = step_time(config, order, ordered);
        CHECK(found <= start);
        if (found < start) better++;
    }
    CHECK(better > seeds / 10);
}

/* Of three downloads there are six orders: the search finds the best of them. */
TEST(search_finds_the_best_of_few)
{
    static const uint32_t all[6][3] = {
        {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}
    };
    unsigned missed = 0;
    sgdsim_trace trace = {.step = &G.step, .steps = 1};
    for (uint64_t seed = 0; seed < 300; seed++) {
        const sgdsim_config config = lone_worker(&trace, 1.0);
        uint32_t order[MOST_OPS];
        double best = HUGE_VAL;
        size_t ordered, i;
        random_graph(&G, seed, 3);
        if (sgdsim_run_bytes(&config, &i) != SGDSIM_OK || G.op[2].resource != 0) continue;
        for (i = 0; i < 6; i++) {
            const double s = step_time(config, all[i], 3);
            if (s < best) best = s;
        }
        ordered = search_order(&config, 60, order);
        if (step_time(config, order, ordered) > best * (1.0 + 1e-12)) missed++;
    }
    CHECK(missed == 0);
}

/* One exchange is of neighbours half of the time: at times others make a step shorter. */
TEST(a_search_exchanges_more_than_neighbours)
{
    unsigned far = 0, near = 0;
    sgdsim_trace trace = {.step = &G.step, .steps = 1};
    for (uint64_t seed = 0; seed < 1000; seed++) {
        sgdsim_config config = lone_worker(&trace, 1.0);
        uint32_t start[MOST_OPS], order[MOST_OPS];
        size_t ordered, i, first, last;
        random_graph(&G, seed / 5, 12);
        config.variation.seed = seed;
        ordered = search_order(&config, 0, start);
        CHECK(search_order(&config, 1, order) == ordered);
        for (i = last = 0, first = ordered; i < ordered; i++) {
            if (order[i] == start[i]) continue;
            if (first == ordered) first = i;
            last = i;
        }
        if (first == ordered) continue;
        CHECK(order[first] == start[last] && order[last] == start[first]);
        if (last - first > 1) far++;
        else near++;
    }
    printf("    %u of neighbours and %u of others\n", near, far);
    CHECK(near > 0 && far > 0);
}

static double draw(uint64_t seed, uint64_t attempt, uint64_t what)
{
    return (double)(sgdsim_random(seed, attempt, 0, what) >> 11) / 9007199254740992.0;
}

/* The search as it is declared, from the best rule's order: the fastest order. */
static void search_slowly(const sgdsim_config *config, uint64_t tries, size_t n, uint32_t *best)
{
    uint32_t order[MOST_OPS];
    double now_s = step_time(*config, best, n), best_s = now_s;
    memcpy(order, best, n * sizeof *order);
    for (uint64_t k = 0; k < tries; k++) {
        const size_t i = (size_t)(draw(config->variation.seed, k, 1) * (double)(n - 1));
        const size_t far = (size_t)(draw(config->variation.seed, k, 3) * (double)(n - 1 - i));
        const size_t j = i + 1 + (draw(config->variation.seed, k, 2) < 0.5 ? 0 : far);
        const uint32_t first = order[i], second = order[j];
        order[i] = second;
        order[j] = first;
        double s = step_time(*config, order, n);
        if (s < best_s) memcpy(best, order, n * sizeof *order);
        best_s = fmin(best_s, s);
        if (s > now_s) {
            order[i] = first;
            order[j] = second;
        } else {
            now_s = s;
        }
    }
}

/* Graphs where TAC, the last rule to be tried, is not the best one. */
TEST(a_search_goes_on_from_the_best_rule_and_what_is_not_slower)
{
    static const uint64_t seeds[2] = {63, 651};
    sgdsim_trace trace = {.step = &G.step, .steps = 1};
    for (size_t i = 0; i < 2; i++) {
        sgdsim_config config = lone_worker(&trace, 1.0);
        uint32_t want[MOST_OPS], order[MOST_OPS];
        random_graph(&G, seeds[i], 8);
        config.variation.seed = seeds[i];
        size_t n = search_order(&config, 0, want);
        double start_s = step_time(config, want, n);
        CHECK(start_s < rule_time(&config, SGDSIM_ORDER_TAC));
        search_slowly(&config, 20, n, want);
        CHECK(search_order(&config, 20, order) == n);
        CHECK(memcmp(order, want, n * sizeof *order) == 0);
        CHECK(step_time(config, want, n) < start_s);
    }
}

/* Several profiled steps, many workers, exponential times, a given order: the search
 * looks at one worker's steps as traced all the same. */
TEST(search_ignores_the_rest_of_the_run)
{
    static graph other;
    static const uint32_t many = 5, sequence[1] = {0}, given[1] = {2};
    sgdsim_step step[2];
    uint32_t order[MOST_OPS], again[MOST_OPS];
    random_graph(&G, 3, 12);
    random_graph(&other, 3, 12);
    for (size_t i = 0; i < other.step.ops; i++) other.op[i].duration_s *= 2.0;
    step[0] = G.step;
    step[1] = other.step;
    sgdsim_trace trace = {.step = step, .steps = 2};
    sgdsim_config config = lone_worker(&trace, 1.0);
    size_t ordered = search_order(&config, 100, order);
    config.workers.count = &many;
    config.length.steps = 1000;
    config.length.warmup = 50;
    config.mode = SGDSIM_SYNC;
    config.variation.service = SGDSIM_EXPONENTIAL;
    config.variation.sequence = sequence;
    config.transfers.order = given;
    config.transfers.ordered = 1;
    CHECK(search_order(&config, 100, again) == ordered);
    CHECK(memcmp(order, again, ordered * sizeof *order) == 0);
}

/* ---- Refusals, and steps with nothing to put in order ---------------------- */

TEST(what_is_no_order_is_refused)
{
    double work[512];
    uint32_t order[MOST_OPS] = {77};
    size_t ordered = 77, bytes = 0;
    const sgdsim_order tac = SGDSIM_ORDER_TAC;
    backward_chain(&G);
    sgdsim_trace trace = {.step = &G.step, .steps = 1};
    sgdsim_config config = lone_worker(&trace, 1.0);
#define ORDER(step, rule, bandwidth, work, bytes, to, count, status)                        \
    CHECK_STATUS(sgdsim_order_transfers(step, &(sgdsim_ordering){rule, 0, bandwidth}, work, \
                                        bytes, to, count), status)
#define SEARCH(work, bytes, status) \
    CHECK_STATUS(sgdsim_order_search(&config, 9, work, bytes, order, &ordered), status)
    ORDER(NULL, tac, 1.0, work, sizeof work, order, &ordered, SGDSIM_BAD_ARGUMENT);
    ORDER(&G.step, SGDSIM_ORDER_COUNT, 1.0, work, sizeof work, order, &ordered,
          SGDSIM_BAD_ARGUMENT);
    ORDER(&G.step, tac, 0.0, work, sizeof work, order, &ordered, SGDSIM_BAD_ARGUMENT);
    ORDER(&G.step, tac, 1.0, NULL, sizeof work, order, &ordered, SGDSIM_BAD_ARGUMENT);
    ORDER(&G.step, tac, 1.0, work, sizeof work, NULL, &ordered, SGDSIM_BAD_ARGUMENT);
    ORDER(&G.step, tac, 1.0, work, sizeof work, order, NULL, SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_order_transfers_bytes(&G.step, tac, NULL), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_order_transfers_bytes(&G.step, tac, &bytes), SGDSIM_OK);
    ORDER(&G.step, tac, 1.0, work, bytes - 1, order, &ordered, SGDSIM_SMALL_WORKSPACE);
    CHECK_STATUS(sgdsim_order_search_bytes(NULL, &bytes), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_order_search_bytes(&config, NULL), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_order_search_bytes(&config, &bytes), SGDSIM_OK);
    CHECK(bytes <= sizeof work);
    SEARCH(work, bytes - 1, SGDSIM_SMALL_WORKSPACE);
    SEARCH(NULL, bytes, SGDSIM_BAD_ARGUMENT);
    config.max_events = 3;
    SEARCH(work, bytes, SGDSIM_OVER_BUDGET);
    G.waits[0] = 8;                    /* 4 waits for the upload at the end: a cycle   */
    ORDER(&G.step, tac, 1.0, work, sizeof work, order, &ordered, SGDSIM_BAD_TRACE);
    SEARCH(work, bytes, SGDSIM_BAD_TRACE);
#undef SEARCH
#undef ORDER
    CHECK(order[0] == 77 && ordered == 77);
}

/* Nothing waits for them: all are equals, whatever the work area was filled with. */
TEST(downloads_alone_keep_their_order)
{
    const sgdsim_order rules[] = {SGDSIM_ORDER_TIC, SGDSIM_ORDER_TAC};
    uint32_t order[MOST_OPS];
    size_t bytes = 0, ordered;
    for (size_t n = 1; n <= 5; n++) {
        clear(&G);
        for (size_t i = 0; i < n; i++) add(&G, SGDSIM_DOWNLINK, 1.0, 0);
        for (size_t i = 0; i < 2; i++) {
            CHECK_STATUS(sgdsim_order_transfers_bytes(&G.step, rules[i], &bytes), SGDSIM_OK);
            void *memory = get_dirt(bytes);
            memset(memory, 0, bytes);
            CHECK_STATUS(sgdsim_order_transfers(&G.step, &(sgdsim_ordering){rules[i], 7, 1.0},
                                                memory, bytes, order, &ordered), SGDSIM_OK);
            CHECK(ordered == n);
            for (size_t k = 0; k < n; k++) CHECK(order[k] == k);
            free(memory);
        }
    }
}

TEST(a_step_without_downloads_has_an_empty_order)
{
    uint32_t order[MOST_OPS];
    sgdsim_trace trace = {.step = &G.step, .steps = 1};
    clear(&G);
    add(&G, SGDSIM_WORKER, 1.0, 0);
    add(&G, SGDSIM_DOWNLINK, 1.0, bit(0));
    sgdsim_config config = lone_worker(&trace, 1.0);
    for (int rule = 0; rule < (int)SGDSIM_ORDER_COUNT; rule++)
        CHECK(get_order(&G.step, (sgdsim_order)rule, 1.0, order) == 0);
    CHECK(search_order(&config, 5, order) == 0);
    add(&G, SGDSIM_DOWNLINK, 1.0, 0);
    for (int rule = 0; rule < (int)SGDSIM_ORDER_COUNT; rule++)
        CHECK(get_order(&G.step, (sgdsim_order)rule, 1.0, order) == 1 && order[0] == 2);
    CHECK(search_order(&config, 5, order) == 1 && order[0] == 2);
}

/* Configurations without a trace, and nothing to write to. */
TEST(searches_of_nothing_are_refused)
{
    double work[512];
    uint32_t order[MOST_OPS] = {77}, none = 0;
    size_t ordered = 77, bytes = 77;
    sgdsim_step empty = {NULL, 0};
    sgdsim_config good, config;
    backward_chain(&G);
    sgdsim_trace trace = {.step = &G.step, .steps = 1};
    good = lone_worker(&trace, 1.0);
#define REFUSED(change, want)                                              \
    (config = good, (change),                                              \
     CHECK_STATUS(sgdsim_order_search_bytes(&config, &bytes), want),       \
     CHECK_STATUS(sgdsim_order_search(&config, 9, work, sizeof work, order, &ordered), want))
    REFUSED(config.workers.types = 0, SGDSIM_BAD_ARGUMENT);
    REFUSED(config.workers.trace = NULL, SGDSIM_BAD_ARGUMENT);
    REFUSED(config.workers.count = NULL, SGDSIM_BAD_ARGUMENT);
    REFUSED(config.links.bandwidth_bytes_per_s = 0.0, SGDSIM_BAD_ARGUMENT);
    trace.step = &empty;
    REFUSED((void)none, SGDSIM_BAD_TRACE);
    CHECK_STATUS(sgdsim_order_transfers_bytes(&empty, SGDSIM_ORDER_TAC, &bytes),
                 SGDSIM_BAD_ARGUMENT);
#undef REFUSED
    trace.step = &G.step;
    CHECK_STATUS(sgdsim_order_search(&good, 9, work, sizeof work, NULL, &ordered),
                 SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_order_search(&good, 9, work, sizeof work, order, NULL),
                 SGDSIM_BAD_ARGUMENT);
    CHECK(order[0] == 77 && ordered == 77 && bytes == 77);
}

/* Gives flows all of their links so many times, then nothing. */
static void give_so_often(void *ctx, sgdsim_flow *flow, size_t flows)
{
    size_t *left = (size_t *)ctx, i;
    for (i = 0; i < flows; i++) flow[i].share = *left > 0 ? 1.0 / (double)flows : 0.0;
    *left -= *left > 0;
}

/* The first runs are those of the rules, one of which fails, or one of a try. */
TEST(a_search_ends_with_the_first_run_that_fails)
{
    static double work[4096];
    uint32_t order[MOST_OPS] = {77};
    size_t ordered = 77, need = 0, left = SIZE_MAX, of_rules;
    backward_chain(&G);
    sgdsim_trace trace = {.step = &G.step, .steps = 1};
    sgdsim_config config = lone_worker(&trace, 1.0);
    config.links.share = give_so_often;
    config.links.share_ctx = &left;
    CHECK_STATUS(sgdsim_order_search_bytes(&config, &need), SGDSIM_OK);
    CHECK(need <= sizeof work);
    CHECK_STATUS(sgdsim_order_search(&config, 0, work, need, order, &ordered), SGDSIM_OK);
    of_rules = SIZE_MAX - left;
    CHECK(ordered > 1 && order[0] != 77);
    for (size_t often = of_rules - 1; often <= of_rules + 1; often++) {
        left = often;
        order[0] = 77;
        ordered = 77;
        CHECK_STATUS(sgdsim_order_search(&config, 9, work, need, order, &ordered),
                     SGDSIM_BAD_ARGUMENT);
        CHECK(order[0] == 77 && ordered == 77);
    }
}

/* Ops that wait for later ones: what they need is the same as in order. */
TEST(needs_are_found_whatever_the_numbers)
{
    uint32_t order[MOST_OPS];
    static const uint32_t w3[1] = {3}, w2[1] = {2};
    clear(&G);
    add(&G, SGDSIM_WORKER, 1.0, 0);                /* 0 waits for 3, which waits for 2 */
    add(&G, SGDSIM_DOWNLINK, 5.0, 0);
    add(&G, SGDSIM_DOWNLINK, 1.0, 0);
    add(&G, SGDSIM_WORKER, 1.0, 0);
    G.op[0].waits_for = w3;
    G.op[0].waits = 1;
    G.op[3].waits_for = w2;
    G.op[3].waits = 1;
    CHECK(get_order(&G.step, SGDSIM_ORDER_TAC, 1.0, order) == 2);
    CHECK(order[0] == 2 && order[1] == 1);         /* 1 is waited for by nobody        */
}

TEST_MAIN("test_orders");
