/* Eqs. 1-4 of S.-H. Lin et al., A Model-Based Approach to Streamlining Distributed
 * Training for Asynchronous SGD, MASCOTS 2018, as they are printed: over every
 * population vector, with the queue and utilization of every class at every vector
 * kept, nothing merged, and gamma found by plain bisection, one bisection inside the
 * other; and the interleaved station as sgdperf.h defines it. Slow: for comparison
 * only. */
#ifndef TESTS_ORACLE_EQ2_H
#define TESTS_ORACLE_EQ2_H

#include "networks.h"

typedef struct eq2 {
    const sgdp_network *net;
    sgdp_gamma_rule     rule;
    double            (*g)(void *ctx, double utilization);
    void               *ctx;
    double              lost, spare; /* of interleaved stations                     */
    size_t             *stride;     /* [C]                                          */
    double             *N, *rho;    /* [points][C][L]                               */
    double             *D, *Z;      /* [C][L], [C] after Seidmann's transformation  */
    double             *fixed;      /* [L] gamma of FCFS_RUN                        */
    double             *gamma;      /* [C][L] at the vector being solved            */
    double             *T, *X;      /* [C][L], [C] at the vector being solved       */
    size_t              point;      /* its rank                                     */
    const uint32_t     *n;          /* [C] the vector                               */
} eq2;

static inline double eq2_default_g(void *ctx, double rho)
{
    (void)ctx;
    if (rho < 0.8) return 0.0;
    return rho > 1.0 ? 1.0 : (rho - 0.8) / 0.2;
}

/* Nobody waits where there is room for everybody. */
static inline int eq2_delay(const eq2 *e, size_t l)
{
    double tasks = 0.0;
    for (size_t c = 0; c < e->net->classes; c++) tasks += (double)population_of(e->net, c);
    return capacity_of(e->net, l) >= tasks;
}

/* Demand D/m behind a delay D (m - 1)/m. */
static inline double eq2_capacity(const eq2 *e, size_t l)
{
    return eq2_delay(e, l) ? 1.0 : capacity_of(e->net, l);
}

static inline sgdp_discipline eq2_discipline(const eq2 *e, size_t l)
{
    return e->net->discipline ? e->net->discipline[l] : SGDP_PS;
}

/* Response times, throughputs, then queues and utilizations at this vector, for
 * the gammas set. */
static inline void eq2_evaluate(eq2 *e)
{
    const size_t C = e->net->classes, L = e->net->stations;
    for (size_t k = 0; k < C; k++) {
        double cycle = e->Z[k];
        const size_t less = (e->point - e->stride[k]) * C * L;
        if (e->n[k] == 0) continue;
        for (size_t l = 0; l < L; l++) {
            const double S = e->D[k * L + l], gamma = e->gamma[k * L + l];
            const double spare = fmin(e->spare, eq2_capacity(e, l) - 1.0);
            double present = 0.0, work = 0.0, busy = 0.0;
            for (size_t j = 0; j < C; j++) {
                const double N = e->N[less + j * L + l], rho = e->rho[less + j * L + l];
                present += N;
                busy += rho;
                work += e->D[j * L + l] * (N - 0.5 * rho);
            }
            e->T[k * L + l] = gamma * (S * (1.0 + present)) + (1.0 - gamma) * (S + work);
            if (eq2_discipline(e, l) == SGDP_INTERLEAVED)
                e->T[k * L + l] = S * (1.0 + gamma * present - (gamma - e->lost)
                    * fmin(present, spare * fmax(0.0, 1.0 - busy)));
            if (eq2_delay(e, l)) e->T[k * L + l] = S;
            cycle += e->T[k * L + l];
        }
        e->X[k] = (double)e->n[k] / cycle;
    }
    for (size_t k = 0; k < C; k++)
        for (size_t l = 0; l < L; l++) {
            const size_t at = (e->point * C + k) * L + l;
            const double X = e->n[k] ? e->X[k] : 0.0;
            e->N[at] = e->n[k] ? X * e->T[k * L + l] : 0.0;
            e->rho[at] = X * e->D[k * L + l];
        }
}

/* Utilization of station l by all classes at vector number `point`. */
static inline double eq2_utilization(const eq2 *e, size_t point, size_t l)
{
    const size_t C = e->net->classes, L = e->net->stations;
    double sum = 0.0;
    for (size_t j = 0; j < C; j++) sum += e->rho[(point * C + j) * L + l];
    return sum;
}

/* Finds gamma = g(rho(gamma)) at the hybrid stations from l on, the ones before it
 * held: a bisection whose every step solves the stations after l anew. */
static inline void eq2_nest(eq2 *e, size_t l)
{
    const size_t C = e->net->classes, L = e->net->stations;
    double low = 0.0, high = 1.0;
    while (l < L && (eq2_discipline(e, l) != SGDP_HYBRID || eq2_delay(e, l))) l++;
    if (l == L) {
        eq2_evaluate(e);
        return;
    }
    for (int halving = 0; halving < 58; halving++) {
        const double middle = halving == 0 ? 0.0 : 0.5 * (low + high);
        for (size_t k = 0; k < C; k++) e->gamma[k * L + l] = middle;
        eq2_nest(e, l + 1);
        if (e->g(e->ctx, eq2_utilization(e, e->point, l)) > middle) low = middle;
        else high = middle;
        if (!(low < high)) return;
    }
}

/* Weight h + (1 - h) min(1, u)^4 of an interleaved station's queue, u its utilization if
 * nobody waited. */
static inline double eq2_rhythm(const eq2 *e, size_t l)
{
    const size_t C = e->net->classes, L = e->net->stations;
    double u = 0.0;
    for (size_t k = 0; k < C; k++) {
        const double alone = e->Z[k] + total_of(e->D + k * L, L);
        u += (double)e->n[k] * e->D[k * L + l] / alone;
    }
    return e->lost + (1.0 - e->lost) * (u < 1.0 ? u * u * u * u : 1.0);
}

static inline void eq2_point(eq2 *e)
{
    const size_t C = e->net->classes, L = e->net->stations;
    for (size_t k = 0; k < C; k++)
        for (size_t l = 0; l < L; l++) {
            const sgdp_discipline d = eq2_discipline(e, l);
            double gamma = d == SGDP_PS ? 1.0 : 0.0;
            if (d == SGDP_HYBRID && e->rule == SGDP_GAMMA_FCFS_RUN) gamma = e->fixed[l];
            if (d == SGDP_HYBRID && e->rule == SGDP_GAMMA_EXPLICIT && e->n[k] > 0)
                gamma = e->g(e->ctx, eq2_utilization(e, e->point - e->stride[k], l));
            if (d == SGDP_INTERLEAVED) gamma = eq2_rhythm(e, l);
            e->gamma[k * L + l] = gamma;
        }
    eq2_nest(e, e->rule == SGDP_GAMMA_IMPLICIT ? 0 : L);
}

static inline void eq2_transform(eq2 *e)
{
    const size_t C = e->net->classes, L = e->net->stations;
    for (size_t k = 0; k < C; k++) {
        e->Z[k] = think_of(e->net, k);
        for (size_t l = 0; l < L; l++) {
            const double m = eq2_capacity(e, l);
            e->D[k * L + l] = e->net->demand_s[k * L + l] / m;
            e->Z[k] += e->net->demand_s[k * L + l] * (m - 1.0) / m;
        }
    }
}

static inline void eq2_report(const eq2 *e, answer *a)
{
    const size_t C = e->net->classes, L = e->net->stations;
    for (size_t k = 0; k < C; k++) a->out.throughput_per_s[k] = e->X[k];
    for (size_t l = 0; l < L; l++) {
        const double m = eq2_capacity(e, l);
        a->out.queue[l] = 0.0;
        a->out.utilization[l] = eq2_utilization(e, e->point, l);
        if (eq2_delay(e, l) && !is_delay(e->net, l))
            a->out.utilization[l] /= capacity_of(e->net, l);
        a->out.gamma[l] = e->gamma[l];
        for (size_t k = 0; k < C; k++) {
            const double delay_s = e->net->demand_s[k * L + l] * (m - 1.0) / m;
            a->out.response_s[k * L + l] = e->T[k * L + l] + delay_s;
            a->out.queue[l] += e->X[k] * a->out.response_s[k * L + l];
        }
    }
}

/* Visits every vector; the arrays of `e` are set up. */
static inline void eq2_run(eq2 *e, size_t points, uint32_t *n)
{
    e->n = n;
    for (e->point = 0; e->point < points; e->point++) {
        for (size_t c = 0; c < e->net->classes; c++)
            n[c] = (uint32_t)(e->point / e->stride[c]
                              % ((size_t)population_of(e->net, c) + 1));
        if (e->point > 0) eq2_point(e);
    }
    e->point = points - 1;
}

/* The gamma of FCFS_RUN: g of the utilization that Eq. 2 alone finds. */
static inline void eq2_fix(eq2 *e, size_t points, uint32_t *n)
{
    for (size_t l = 0; l < e->net->stations; l++) e->fixed[l] = 0.0;
    eq2_run(e, points, n);
    for (size_t l = 0; l < e->net->stations; l++)
        e->fixed[l] = e->g(e->ctx, eq2_utilization(e, e->point, l));
}

/* options as those of sgdp_mva_hybrid_approx; NULL for the defaults. */
static inline void oracle_eq2(const sgdp_network *net, const sgdp_mva_options *options,
                              answer *a)
{
    const size_t C = net->classes, L = net->stations;
    size_t points = 1, c;
    uint32_t *n = (uint32_t *)get_memory(C, sizeof *n);
    eq2 e = {.net = net, .rule = options ? options->gamma_rule : SGDP_GAMMA_IMPLICIT,
             .g = options && options->gamma ? options->gamma : eq2_default_g,
             .ctx = options ? options->gamma_ctx : NULL,
             .lost = options ? options->rhythm_lost : 0.0,
             .spare = options ? options->rhythm_spare : 0.0};
    e.stride = (size_t *)get_memory(C, sizeof *e.stride);
    for (c = 0; c < C; c++) {
        e.stride[c] = points;
        points *= (size_t)population_of(net, c) + 1;
    }
    double *all = (double *)get_memory(2 * points * C * L + 3 * C * L + 2 * C + L, sizeof *all);
    e.N = all;
    e.rho = e.N + points * C * L;
    e.D = e.rho + points * C * L;
    e.T = e.D + C * L;
    e.gamma = e.T + C * L;
    e.Z = e.gamma + C * L;
    e.X = e.Z + C;
    e.fixed = e.X + C;
    eq2_transform(&e);
    if (e.rule == SGDP_GAMMA_FCFS_RUN) eq2_fix(&e, points, n);
    eq2_run(&e, points, n);
    eq2_report(&e, a);
    free(all);
    free(e.stride);
    free(n);
}

#endif
