/* Schweitzer's fixed point and the Linearizer, written from
 * K. M. Chandy, D. Neuse, Linearizer, CACM 25(2), 1982, iterated far beyond need, with the
 * response times of sgdp_discipline.
 *
 * Both estimate what class j puts into a sum of station l when one task of class c is away as
 *
 *     v[j][l](n - 1_c) = (n[j] - [j = c]) (v[j][l](n) / n[j] + F[j][l][c])
 *
 * Schweitzer with F = 0; the Linearizer with F the change of v / n that the last
 * solutions at n and all n - 1_c show, corrected three times from F = 0 (twice in the
 * paper). The sums are the queue, v = N, and besides D (N - rho / 2) of Eq. 2, or rho of an
 * interleaved station. */
#ifndef TESTS_ORACLE_FIXEDPOINT_H
#define TESTS_ORACLE_FIXEDPOINT_H

#include "networks.h"

typedef struct fixedpoint {
    const sgdp_network *net;
    double              gamma;  /* of hybrid stations                               */
    double              lost, spare; /* of interleaved ones                         */
    double             *n;      /* [C] the population being solved                  */
    double             *D, *Z;  /* [C][L], [C] after Seidmann's transformation      */
    double             *F;      /* [2][C][L][C]                                     */
    double             *v;      /* [C + 1][2][C][L] at the full population, then    */
                                /*   less one task of each class                    */
    double             *T, *X;  /* [C][L], [C] of the last solution                 */
} fixedpoint;

static inline double fixedpoint_capacity(const fixedpoint *f, size_t l)
{
    double tasks = 0.0;
    for (size_t c = 0; c < f->net->classes; c++) tasks += (double)population_of(f->net, c);
    return capacity_of(f->net, l) >= tasks ? HUGE_VAL : capacity_of(f->net, l);
}

/* What a task of class c sees of sum s at station l. */
static inline double fixedpoint_seen(const fixedpoint *f, const double *v, size_t s, size_t l,
                                     size_t c)
{
    const size_t C = f->net->classes, L = f->net->stations;
    double sum = 0.0;
    for (size_t j = 0; j < C; j++) {
        const double left = f->n[j] - (j == c ? 1.0 : 0.0);
        const size_t at = (s * C + j) * L + l;
        if (left > 0.0) sum += left * (v[at] / f->n[j] + f->F[at * C + c]);
    }
    return fmax(0.0, sum);
}

/* h + (1 - h) min(1, u)^4, u the utilization if nobody waited. */
static inline double fixedpoint_weight(const fixedpoint *f, size_t l)
{
    const size_t C = f->net->classes, L = f->net->stations;
    double u = 0.0;
    for (size_t c = 0; c < C; c++)
        u += f->n[c] * f->D[c * L + l] / (f->Z[c] + total_of(f->D + c * L, L));
    return f->lost + (1.0 - f->lost) * pow(fmin(1.0, u), 4.0);
}

static inline double fixedpoint_response(const fixedpoint *f, const double *v, size_t c,
                                         size_t l)
{
    const double D = f->D[c * f->net->stations + l], m = fixedpoint_capacity(f, l);
    const sgdp_discipline kind = f->net->discipline[l];
    const double queue = fixedpoint_seen(f, v, 0, l, c), other = fixedpoint_seen(f, v, 1, l, c);
    const double gamma = kind == SGDP_PS ? 1.0 : kind == SGDP_FCFS ? 0.0 : f->gamma;
    const double w = fixedpoint_weight(f, l);
    if (m > DBL_MAX) return D;
    if (kind == SGDP_INTERLEAVED)
        return D + D * (w * queue - (w - f->lost) * fmin(queue, fmin(f->spare, m - 1.0)
                                                         * fmax(0.0, 1.0 - other)));
    return gamma * (D + D * queue) + (1.0 - gamma) * (D + other);
}

/* Iterates v at the population f->n until nothing moves. */
static inline void fixedpoint_solve(fixedpoint *f, double *v)
{
    const size_t C = f->net->classes, L = f->net->stations;
    double moved = 1.0;
    for (size_t round = 0; round < 200000 && moved > 1e-15; round++) {
        moved = 0.0;
        for (size_t c = 0; c < C; c++) {
            double cycle = f->Z[c];
            f->X[c] = 0.0;
            if (!(f->n[c] > 0.0)) continue;
            for (size_t l = 0; l < L; l++)
                cycle += f->T[c * L + l] = fixedpoint_response(f, v, c, l);
            f->X[c] = f->n[c] / cycle;
        }
        for (size_t at = 0; at < C * L; at++) {
            const double X = f->X[at / L], D = f->D[at], next = X * f->T[at];
            moved = larger(moved, fabs(next - v[at]) / (1.0 + next));
            v[at] = next;
            v[C * L + at] = f->net->discipline[at % L] == SGDP_INTERLEAVED
                ? X * D : D * (next - 0.5 * X * D);
        }
    }
}

/* F from the solutions at n and at all n - 1_c. */
static inline void fixedpoint_correct(fixedpoint *f)
{
    const size_t C = f->net->classes, L = f->net->stations, all = 2 * C * L;
    for (size_t c = 0; c < C; c++)
        for (size_t at = 0; at < all; at++) {
            const size_t j = at / L % C;
            const double left = f->n[j] - (j == c ? 1.0 : 0.0);
            f->F[at * C + c] =
                left > 0.0 ? f->v[(c + 1) * all + at] / left - f->v[at] / f->n[j] : 0.0;
        }
}

/* corrections 0: Schweitzer; 3: the Linearizer. gamma: of hybrid stations, of which `options`
 * tells the rest. Writes the throughputs and response times alone. */
static inline void oracle_fixedpoint(const sgdp_network *net, const sgdp_mva_options *options,
                                     double gamma, int corrections, answer *a)
{
    const size_t C = net->classes, L = net->stations, cells = 2 * C * L;
    double *all = (double *)get_memory(3 * C + 2 * C * L + cells * (2 * C + 1), sizeof *all);
    fixedpoint f = {.net = net, .gamma = gamma, .lost = options->rhythm_lost,
                    .spare = options->rhythm_spare, .n = all};
    f.X = f.n + C;
    f.Z = f.X + C;
    f.T = f.Z + C;
    f.D = f.T + C * L;
    f.F = f.D + C * L;
    f.v = f.F + cells * C;
    for (size_t c = 0; c < C; c++) {
        f.n[c] = (double)population_of(net, c);
        f.Z[c] = think_of(net, c);
        for (size_t l = 0; l < L; l++) {
            const double D = net->demand_s[c * L + l], m = fixedpoint_capacity(&f, l);
            f.D[c * L + l] = m > DBL_MAX ? D : D / m;
            if (m <= DBL_MAX) f.Z[c] += D - D / m;
        }
    }
    for (size_t at = 0; at < cells * (C + 1); at++) f.v[at] = f.n[at / L % C] / (double)L;
    for (fixedpoint_solve(&f, f.v); corrections-- > 0; fixedpoint_solve(&f, f.v)) {
        for (size_t c = 0; c < C; c++) {
            f.n[c] -= 1.0;
            fixedpoint_solve(&f, f.v + (c + 1) * cells);
            f.n[c] += 1.0;
        }
        fixedpoint_correct(&f);
    }
    for (size_t at = 0; at < C * L; at++) {
        const double m = fixedpoint_capacity(&f, at % L);
        a->out.response_s[at] = f.T[at] + (m > DBL_MAX ? 0.0 : net->demand_s[at] - f.D[at]);
    }
    memcpy(a->out.throughput_per_s, f.X, C * sizeof *f.X);
    free(all);
}

#endif
