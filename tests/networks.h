/* Networks for the tests: storage, random ones, solving in exactly the workspace
 * asked for, and how far an answer is from another or from the laws. */
#ifndef TESTS_NETWORKS_H
#define TESTS_NETWORKS_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../sgdperf.h"
#include "memory.h"

/* ---- Storage --------------------------------------------------------------- */

/* A network and the arrays it points to, all writable. */
typedef struct box {
    sgdp_network     net;
    uint32_t        *population;
    double          *think_s;
    double          *demand_s;
    double          *capacity;
    sgdp_discipline *discipline;
} box;

/* A result with every output wanted; its arrays are parts of `value`. */
typedef struct answer {
    sgdp_mva_result out;
    size_t          values;
    double         *value;
} answer;

/* One task a class, no think time, no demand, capacity 1, PS. */
static inline box box_new(size_t classes, size_t stations)
{
    box b = {
        .population = (uint32_t *)get_memory(classes, sizeof *b.population),
        .think_s = (double *)get_memory(classes, sizeof *b.think_s),
        .demand_s = (double *)get_memory(classes * stations, sizeof *b.demand_s),
        .capacity = (double *)get_memory(stations, sizeof *b.capacity),
        .discipline = (sgdp_discipline *)get_memory(stations, sizeof *b.discipline)};
    b.net = (sgdp_network){.classes = classes, .stations = stations, .population = b.population,
                           .think_s = b.think_s, .demand_s = b.demand_s, .capacity = b.capacity,
                           .discipline = b.discipline};
    for (size_t i = 0; i < classes; i++) b.population[i] = 1;
    for (size_t i = 0; i < stations; i++) b.capacity[i] = 1.0;
    return b;
}

static inline void box_free(box *b)
{
    free(b->population);
    free(b->think_s);
    free(b->demand_s);
    free(b->capacity);
    free(b->discipline);
}

static inline answer answer_new(const sgdp_network *net)
{
    const size_t c = net->classes, l = net->stations;
    answer a = {.values = c + c * l + 3 * l};
    a.value = (double *)get_memory(a.values, sizeof(double));
    a.out.throughput_per_s = a.value;
    a.out.response_s = a.value + c;
    a.out.queue = a.value + c + c * l;
    a.out.utilization = a.out.queue + l;
    a.out.gamma = a.out.utilization + l;
    return a;
}

static inline void answer_free(answer *a) { free(a->value); }

static inline void both_free(box *b, answer *a)
{
    answer_free(a);
    box_free(b);
}

static inline double think_of(const sgdp_network *net, size_t c)
{
    return net->think_s ? net->think_s[c] : 0.0;
}

static inline double capacity_of(const sgdp_network *net, size_t l)
{
    return net->capacity ? net->capacity[l] : 1.0;
}

/* Infinite capacity: utilization is the mean number in service. */
static inline int is_delay(const sgdp_network *net, size_t l)
{
    return capacity_of(net, l) > DBL_MAX;
}

static inline uint32_t population_of(const sgdp_network *net, size_t c)
{
    return net->population ? net->population[c] : 1;
}

/* ---- Solving --------------------------------------------------------------- */

typedef enum solver { EXACT, HYBRID, APPROX, SOLVERS } solver;

static inline sgdp_status solver_bytes(solver s, const sgdp_network *net,
                                       const sgdp_mva_options *options, size_t *bytes)
{
    if (s == EXACT) return sgdp_mva_exact_bytes(net, options, bytes);
    if (s == HYBRID) return sgdp_mva_hybrid_approx_bytes(net, options, bytes);
    return sgdp_mva_approx_bytes(net, options, bytes);
}

/* Scratch as the solvers take it. */
typedef struct scratch { void *work; size_t bytes; } scratch;

static inline sgdp_status solver_call(solver s, const sgdp_network *net,
                                      const sgdp_mva_options *options, scratch w,
                                      sgdp_mva_result *out)
{
    if (s == EXACT) return sgdp_mva_exact(net, options, w.work, w.bytes, out);
    if (s == HYBRID) return sgdp_mva_hybrid_approx(net, options, w.work, w.bytes, out);
    return sgdp_mva_approx(net, options, w.work, w.bytes, out);
}

/* Solves in a block of exactly the bytes asked for, so that a sanitizer sees any
 * step beyond it, and full of `dirt`, so that what is not initialized shows. */
static inline sgdp_status solve_dirty(solver s, const sgdp_network *net,
                                      const sgdp_mva_options *options, int dirt,
                                      sgdp_mva_result *out)
{
    scratch w = {NULL, 0};
    sgdp_status status = solver_bytes(s, net, options, &w.bytes);
    if (status != SGDP_OK) return status;
    w.work = w.bytes ? get_memory(w.bytes, 1) : NULL;
    if (w.work) memset(w.work, dirt, w.bytes);
    status = solver_call(s, net, options, w, out);
    free(w.work);
    return status;
}

static inline sgdp_status solve(solver s, const sgdp_network *net,
                                const sgdp_mva_options *options, answer *a)
{
    return solve_dirty(s, net, options, 0xA5, &a->out);
}

/* Solves Eq. 1 exactly by the method given. */
static inline sgdp_status solve_by(sgdp_method method, const sgdp_network *net, answer *a)
{
    sgdp_mva_options options = {.method = method};
    return solve(EXACT, net, &options, a);
}

/* ---- Distances ------------------------------------------------------------- */

/* Equal, and neither is NaN. */
static inline int same(double a, double b) { return a <= b && a >= b; }

/* Relative error; infinite where one is NaN, or got is not the 0 wanted. */
static inline double relative(double got, double want)
{
    if (same(got, want)) return 0.0;
    double error = fabs(got - want) / fabs(want);
    return error >= 0.0 ? error : HUGE_VAL;
}

static inline double larger(double a, double b) { return a > b ? a : b; }

static inline double total_of(const double *value, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += value[i];
    return sum;
}

/* Largest relative error of X, T, N and U; gamma is left out. */
static inline double distance(const answer *got, const answer *want,
                              const sgdp_network *net)
{
    double worst = 0.0;
    for (size_t i = 0; i + net->stations < got->values; i++)
        worst = larger(worst, relative(got->value[i], want->value[i]));
    return worst;
}

static inline double n_of(const sgdp_network *net, size_t c)
{
    return (double)population_of(net, c);
}

/* Largest relative violation of Little's law for every class and station, of the
 * population law, and of the utilization law. `exact`: also U <= 1 and T >= D of tasks. */
static inline double lawlessness(const sgdp_network *net, const sgdp_mva_result *r,
                                 int exact)
{
    const size_t C = net->classes, L = net->stations;
    const double *X = r->throughput_per_s, *T = r->response_s;
    double worst = 0.0, tasks = 0.0, found = 0.0;
    for (size_t c = 0; c < C; c++) {
        const double cycle_s = think_of(net, c) + total_of(T + c * L, L);
        const double n = n_of(net, c);
        worst = larger(worst, relative(X[c] * cycle_s, n));
        tasks += n;
        found += X[c] * think_of(net, c);
    }
    for (size_t l = 0; l < L; l++) {
        const double m = is_delay(net, l) ? 1.0 : capacity_of(net, l);
        double queue = 0.0, busy = 0.0;
        for (size_t c = 0; c < C; c++) {
            const double demand_s = net->demand_s[c * L + l];
            queue += X[c] * T[c * L + l];
            busy += X[c] * demand_s;
            if (exact && n_of(net, c) > 0.0
                && !(T[c * L + l] >= demand_s * (1.0 - 1e-12)))
                return HUGE_VAL;
        }
        if (exact && !is_delay(net, l) && !(r->utilization[l] <= 1.0 + 1e-12))
            return HUGE_VAL;
        worst = larger(worst, relative(r->queue[l], queue));
        worst = larger(worst, relative(r->utilization[l], busy / m));
        found += r->queue[l];
    }
    return larger(worst, relative(found, tasks));
}

static inline double gamma_constant(void *ctx, double utilization)
{
    (void)utilization;
    return *(const double *)ctx;
}

/* ---- Random networks ------------------------------------------------------- */

/* SplitMix64 [Steele, Lea, Flood, OOPSLA 2014]. */
static inline uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* In [0, 1). */
static inline double random_unit(uint64_t *state)
{
    return (double)(random_bits(state) >> 11) / 9007199254740992.0;
}

/* In from .. to, both included. */
static inline size_t random_size(uint64_t *state, size_t from, size_t to)
{
    return from + (size_t)(random_bits(state) % (to - from + 1));
}

/* 10^from .. 10^to, uniform in the logarithm. */
static inline double random_time(uint64_t *state, double from, double to)
{
    return pow(10.0, from + (to - from) * random_unit(state));
}

/* A class of no time at all thinks for a second. */
static inline void give_time(box *b)
{
    const size_t L = b->net.stations;
    for (size_t c = 0; c < b->net.classes; c++)
        if (total_of(b->demand_s + c * L, L) + b->think_s[c] <= 0.0) b->think_s[c] = 1.0;
}

/* Populations 1 .. most, one time in six 0, the others from 0.05 to 5. */
static inline box random_box(uint64_t *state, size_t classes, size_t stations,
                             uint32_t most)
{
    box b = box_new(classes, stations);
    for (size_t c = 0; c < classes; c++) {
        b.population[c] = (uint32_t)random_size(state, 1, most);
        if (random_unit(state) * 6.0 >= 1.0) b.think_s[c] = random_time(state, -1.3, 1.0);
        for (size_t l = 0; l < stations; l++)
            if (random_unit(state) * 6.0 >= 1.0)
                b.demand_s[c * stations + l] = random_time(state, -1.3, 0.7);
    }
    give_time(&b);
    return b;
}

/* All times positive, population 1. */
static inline box distinct_box(uint64_t *state, size_t workers, size_t stations)
{
    box b = box_new(workers, stations);
    for (size_t i = 0; i < workers; i++) b.think_s[i] = random_time(state, -1.0, 1.0);
    for (size_t i = 0; i < workers * stations; i++)
        b.demand_s[i] = random_time(state, -1.5, 0.5);
    return b;
}

static inline void random_capacities(uint64_t *state, box *b)
{
    static const double m[] = {1.0, 1.5, 2.0, 2.5, 3.0, 7.25, HUGE_VAL};
    for (size_t l = 0; l < b->net.stations; l++)
        b->capacity[l] = m[random_size(state, 0, sizeof m / sizeof m[0] - 1)];
}

/* All classes take the time of class 0 at hybrid stations, as the transfers of one
 * job do: the utilization then falls as gamma grows, and gamma = g(utilization) has
 * one root. Where demands differ widely it may have three. */
static inline void equal_transfers(box *b)
{
    const size_t L = b->net.stations;
    for (size_t l = 0; l < L; l++)
        for (size_t c = 1; c < b->net.classes && b->discipline[l] == SGDP_HYBRID; c++)
            b->demand_s[c * L + l] = b->demand_s[l];
}

static inline void random_disciplines(uint64_t *state, box *b)
{
    for (size_t l = 0; l < b->net.stations; l++)
        b->discipline[l] = (sgdp_discipline)random_size(state, 0, 3);
    equal_transfers(b);
    give_time(b);
}

/* K workers of 29 ms, uplink and downlink 72 ms, update 18 ms. */
static inline box paper_box(uint32_t workers, sgdp_discipline links)
{
    static const double demand_s[3] = {0.072, 0.018, 0.072};
    box b = box_new(1, 3);
    b.population[0] = workers;
    b.think_s[0] = 0.029;
    memcpy(b.demand_s, demand_s, sizeof demand_s);
    b.discipline[0] = b.discipline[2] = links;
    return b;
}

#endif
