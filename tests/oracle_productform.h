/* Closed product-form networks by their normalizing constant, for comparison with
 * Mean Value Analysis: every state is summed, nothing is recurred over populations.
 *
 * A station l that serves n tasks at min(n, m) tasks' worth of speed has weight
 *
 *     F_l(n) = |n|! / prod_c n_c! * prod_c D_cl^n_c / prod_{i=1..|n|} min(i, m)
 *
 * with vector n, think time Z weight prod_c Z_c^n_c / n_c!; G is the convolution of
 * all weights, X_c = G(N - 1_c) / G(N), and the mean of f(n) at a station is
 * sum_n f(n) F_l(n) G_{-l}(N - n) / G(N). In long double; all terms positive. */
#ifndef TESTS_ORACLE_PRODUCTFORM_H
#define TESTS_ORACLE_PRODUCTFORM_H

#include "networks.h"

/* ---- Small networks, any demands ------------------------------------------- */

/* All vectors 0 <= n <= N, by rank; digit[rank * classes + c] = n_c. */
typedef struct pf_lattice {
    size_t    classes, points;
    size_t   *stride;
    uint32_t *digit;
} pf_lattice;

static inline pf_lattice pf_lattice_new(const sgdp_network *net)
{
    pf_lattice v;
    v.classes = net->classes;
    v.points = 1;
    v.stride = (size_t *)get_memory(v.classes, sizeof *v.stride);
    for (size_t c = 0; c < v.classes; c++) {
        v.stride[c] = v.points;
        v.points *= (size_t)population_of(net, c) + 1;
    }
    v.digit = (uint32_t *)get_memory(v.points * v.classes, sizeof *v.digit);
    for (size_t i = 0; i < v.points; i++)
        for (size_t c = 0; c < v.classes; c++)
            v.digit[i * v.classes + c] =
                (uint32_t)(i / v.stride[c] % ((size_t)population_of(net, c) + 1));
    return v;
}

static inline void pf_lattice_free(pf_lattice *v)
{
    free(v->stride);
    free(v->digit);
}

/* sum[n] = sum_{m <= n} a[m] * b[n - m]. Ranks subtract as vectors do. */
static inline void pf_convolve(const pf_lattice *v, const long double *a,
                               const long double *b, long double *sum)
{
    for (size_t n = 0; n < v->points; n++) {
        sum[n] = 0.0L;
        for (size_t m = 0; m <= n; m++) {
            int below = 1;
            for (size_t c = 0; c < v->classes && below; c++)
                below = v->digit[m * v->classes + c] <= v->digit[n * v->classes + c];
            if (below) sum[n] += a[m] * b[n - m];
        }
    }
}

/* The weights of station l, or of the think times for l == stations. */
static inline void pf_weights(const pf_lattice *v, const sgdp_network *net, size_t l,
                              long double *weight)
{
    const int thinking = l == net->stations;
    for (size_t n = 0; n < v->points; n++) {
        uint32_t tasks = 0;
        long double w = 1.0L;
        for (size_t c = 0; c < v->classes; c++) {
            const double time_s =
                thinking ? think_of(net, c) : net->demand_s[c * net->stations + l];
            const uint32_t count = v->digit[n * v->classes + c];
            for (uint32_t i = 1; i <= count; i++) w *= (long double)time_s / (long double)i;
            tasks += count;
        }
        for (uint32_t i = 1; i <= tasks && !thinking; i++)
            if ((double)i > capacity_of(net, l))
                w *= (long double)i / (long double)capacity_of(net, l);
        weight[n] = w;
    }
}

/* Convolution of the weights of all stations and the think times but `skip`. */
static inline void pf_normalize(const pf_lattice *v, const sgdp_network *net,
                                const long double *weight, size_t skip,
                                long double *constant)
{
    long double *sum = (long double *)get_memory(v->points, sizeof *sum);
    memset(constant, 0, v->points * sizeof *constant);
    constant[0] = 1.0L;
    for (size_t l = 0; l <= net->stations; l++) {
        if (l == skip) continue;
        pf_convolve(v, constant, weight + l * v->points, sum);
        memcpy(constant, sum, v->points * sizeof *sum);
    }
    free(sum);
}

/* Queue and utilization of one station, responses there, from the marginal. */
static inline void pf_station(const pf_lattice *v, const sgdp_network *net, size_t l,
                              const long double *marginal, answer *a)
{
    const size_t C = net->classes, L = net->stations, full = v->points - 1;
    const double m = capacity_of(net, l);
    const int delay = is_delay(net, l);
    long double busy = 0.0L, queue = 0.0L;
    for (size_t c = 0; c < C; c++) {
        long double mean = 0.0L;
        for (size_t n = 0; n <= full; n++)
            mean += (long double)v->digit[n * C + c] * marginal[n];
        queue += mean;
        a->out.response_s[c * L + l] =
            (double)(mean / (long double)a->out.throughput_per_s[c]);
    }
    for (size_t n = 0; n <= full; n++) {
        double tasks = 0.0;
        for (size_t c = 0; c < C; c++) tasks += (double)v->digit[n * C + c];
        busy += marginal[n] * (long double)(tasks < m ? tasks : m);
    }
    a->out.queue[l] = (double)queue;
    a->out.utilization[l] = (double)(delay ? busy : busy / (long double)m);
    a->out.gamma[l] = 1.0;
}

static inline void oracle_productform(const sgdp_network *net, answer *a)
{
    const size_t C = net->classes, L = net->stations;
    pf_lattice v = pf_lattice_new(net);
    const size_t P = v.points, full = P - 1;
    long double *weight = (long double *)get_memory(P * (L + 1), sizeof *weight);
    long double *all = (long double *)get_memory(P, sizeof *all);
    long double *rest = (long double *)get_memory(P, sizeof *rest);
    for (size_t l = 0; l <= L; l++) pf_weights(&v, net, l, weight + l * P);
    pf_normalize(&v, net, weight, L + 1, all);
    for (size_t c = 0; c < C; c++)
        a->out.throughput_per_s[c] = (double)(all[full - v.stride[c]] / all[full]);
    for (size_t l = 0; l < L; l++) {
        pf_normalize(&v, net, weight, l, rest);
        for (size_t n = 0; n <= full / 2; n++) {      /* G_{-l}(N - n): N - n by rank  */
            const long double swap = rest[n];
            rest[n] = rest[full - n];
            rest[full - n] = swap;
        }
        for (size_t n = 0; n < P; n++) rest[n] *= weight[l * P + n] / all[full];
        pf_station(&v, net, l, rest, a);
    }
    free(weight);
    free(all);
    free(rest);
    pf_lattice_free(&v);
}

/* ---- Many workers, proportional demands ------------------------------------ */

/* A number >= 0 with an exponent of its own: mantissa * 2^exponent. */
typedef struct wide { long double mantissa; long exponent; } wide;

static inline wide wide_make(long double mantissa, long exponent)
{
    int shift = 0;
    wide x;
    x.mantissa = frexpl(mantissa, &shift);
    x.exponent = mantissa > 0.0L ? exponent + shift : 0;
    return x;
}

static inline wide wide_of(double x) { return wide_make((long double)x, 0); }

static inline wide wide_product(wide a, wide b)
{
    return wide_make(a.mantissa * b.mantissa, a.exponent + b.exponent);
}

static inline wide wide_sum(wide a, wide b)
{
    if (!(a.mantissa > 0.0L)) return b;
    if (!(b.mantissa > 0.0L)) return a;
    if (a.exponent < b.exponent) return wide_sum(b, a);
    if (a.exponent - b.exponent > 200) return a;
    return wide_make(a.mantissa + ldexpl(b.mantissa, (int)(b.exponent - a.exponent)),
                     a.exponent);
}

static inline double wide_ratio(wide a, wide b)
{
    return (double)ldexpl(a.mantissa / b.mantissa, (int)(a.exponent - b.exponent));
}

/* Workers of demand a[k] * S[l] and think time Z[k]. With n tasks at the stations
 * the weights sum to n! h_n(S) e_n, h the complete homogeneous polynomial, e_n the
 * coefficient of x^n in prod_k (Z[k] + a[k] x). */
typedef struct proportional {
    size_t  workers, stations;
    double *a, *S, *Z;
} proportional;

/* e[0..workers] of all workers but `skip`. */
static inline void proportional_think(const proportional *p, size_t skip, wide *e)
{
    size_t top = 0;
    e[0] = wide_of(1.0);
    for (size_t n = 1; n <= p->workers; n++) e[n] = wide_of(0.0);
    for (size_t k = 0; k < p->workers; k++) {
        if (k == skip) continue;
        for (size_t n = ++top + 1; n-- > 0;) {
            wide moved = n ? wide_product(wide_of(p->a[k]), e[n - 1]) : wide_of(0.0);
            e[n] = wide_sum(wide_product(wide_of(p->Z[k]), e[n]), moved);
        }
    }
}

/* n! times h_n(S), or times sum_j S[l]^j h_{n-j}(S) for j >= 1: the queue. */
static inline void proportional_stations(const proportional *p, size_t l, wide *f)
{
    f[0] = wide_of(1.0);
    for (size_t n = 1; n <= p->workers; n++) f[n] = wide_of(0.0);
    for (size_t s = 0; s < p->stations; s++)
        for (size_t n = 1; n <= p->workers; n++)
            f[n] = wide_sum(f[n], wide_product(wide_of(p->S[s]), f[n - 1]));
    if (l < p->stations) {
        wide before = f[0], queue = wide_of(0.0);
        f[0] = wide_of(0.0);
        for (size_t n = 1; n <= p->workers; n++) {
            const wide h = f[n];
            queue = wide_product(wide_of(p->S[l]), wide_sum(before, queue));
            f[n] = queue;
            before = h;
        }
    }
    {
        wide factorial = wide_of(1.0);
        for (size_t n = 1; n <= p->workers; n++) {
            factorial = wide_product(factorial, wide_of((double)n));
            f[n] = wide_product(f[n], factorial);
        }
    }
}

static inline wide proportional_sum(const wide *e, const wide *f, size_t n)
{
    wide sum = wide_of(0.0);
    for (size_t i = 0; i <= n; i++) sum = wide_sum(sum, wide_product(e[i], f[i]));
    return sum;
}

/* X[k] of every `step`-th worker (0 for the others) and queue[l]; O(K^3 / step). */
static inline void oracle_proportional(const proportional *p, size_t step, double *X,
                                       double *queue)
{
    wide *e = (wide *)get_memory(p->workers + 1, sizeof *e);
    wide *f = (wide *)get_memory(p->workers + 1, sizeof *f);
    proportional_think(p, p->workers, e);
    proportional_stations(p, p->stations, f);
    wide all = proportional_sum(e, f, p->workers);
    for (size_t l = 0; l < p->stations; l++) {
        proportional_stations(p, l, f);
        queue[l] = wide_ratio(proportional_sum(e, f, p->workers), all);
    }
    proportional_stations(p, p->stations, f);
    for (size_t k = 0; k < p->workers; k++) {
        X[k] = 0.0;
        if (k % step != 0) continue;
        proportional_think(p, k, e);
        X[k] = wide_ratio(proportional_sum(e, f, p->workers - 1), all);
    }
    free(e);
    free(f);
}

/* ---- One class, many tasks, any capacities --------------------------------- */

/* weight[n] = D^n / prod_{i=1..n} min(i, m) of station l; of the think time for l ==
 * stations. */
static inline void one_class_weights(const sgdp_network *net, size_t l, wide *weight)
{
    const int thinking = l == net->stations;
    const double time_s = thinking ? think_of(net, 0) : net->demand_s[l];
    const double m = thinking ? HUGE_VAL : capacity_of(net, l);
    const size_t N = population_of(net, 0);
    weight[0] = wide_of(1.0);
    for (size_t n = 1; n <= N; n++)
        weight[n] = wide_product(weight[n - 1],
                                 wide_of(time_s / ((double)n < m ? (double)n : m)));
}

/* Joins all stations and the think time but `skip`. O(N^2) each. */
static inline void one_class_normalize(const sgdp_network *net, size_t skip,
                                       wide *constant)
{
    const size_t N = population_of(net, 0);
    wide *weight = (wide *)get_memory(N + 1, sizeof *weight);
    constant[0] = wide_of(1.0);
    for (size_t n = 1; n <= N; n++) constant[n] = wide_of(0.0);
    for (size_t l = 0; l <= net->stations; l++) {
        if (l == skip) continue;
        one_class_weights(net, l, weight);
        for (size_t n = N + 1; n-- > 0;) {
            wide sum = wide_of(0.0);
            for (size_t i = 0; i <= n; i++)
                sum = wide_sum(sum, wide_product(weight[i], constant[n - i]));
            constant[n] = sum;
        }
    }
    free(weight);
}

/* X, and the queue at every station. */
static inline double oracle_one_class(const sgdp_network *net, double *queue)
{
    const size_t N = population_of(net, 0), L = net->stations;
    wide *constant = (wide *)get_memory(N + 1, sizeof *constant);
    wide *weight = (wide *)get_memory(N + 1, sizeof *weight), all;
    one_class_normalize(net, L + 1, constant);
    double X = wide_ratio(constant[N - 1], constant[N]);
    all = constant[N];
    for (size_t l = 0; l < L; l++) {
        wide mean = wide_of(0.0);
        one_class_weights(net, l, weight);
        one_class_normalize(net, l, constant);
        for (size_t n = 1; n <= N; n++) {
            const wide p = wide_product(weight[n], constant[N - n]);
            mean = wide_sum(mean, wide_product(wide_of((double)n), p));
        }
        queue[l] = wide_ratio(mean, all);
    }
    free(constant);
    free(weight);
    return X;
}

#endif
