/* Schweitzer's fixed point and the Linearizer for Eq. 1, written from
 * K. M. Chandy, D. Neuse, Linearizer, CACM 25(2), 1982, iterated far beyond need.
 *
 * Both estimate the queue of class j at station l when one task of class c is away as
 *
 *     N[j][l](n - 1_c) = (n[j] - [j = c]) (N[j][l](n) / n[j] + F[j][l][c])
 *
 * Schweitzer with F = 0; the Linearizer with F the change of N / n that the last
 * solutions at n and all n - 1_c show, corrected three times from F = 0 (twice in the
 * paper). */
#ifndef TESTS_ORACLE_FIXEDPOINT_H
#define TESTS_ORACLE_FIXEDPOINT_H

#include "networks.h"

typedef struct fixedpoint {
    const sgdp_network *net;
    double             *n;      /* [C] the population being solved                  */
    double             *F;      /* [C][L][C]                                        */
    double             *N;      /* [C + 1][C][L] at the full population, then less  */
                                /*   one task of each class                         */
    double             *T, *X;  /* [C][L], [C] of the last solution                 */
} fixedpoint;

/* N[j][l](n - 1_c) from N at n. */
static inline double fixedpoint_less(const fixedpoint *f, const double *N, size_t j,
                                     size_t l, size_t c)
{
    const size_t C = f->net->classes, L = f->net->stations;
    const double left = f->n[j] - (j == c ? 1.0 : 0.0);
    if (!(left > 0.0)) return 0.0;
    return left * (N[j * L + l] / f->n[j] + f->F[(j * L + l) * C + c]);
}

/* Iterates N at the population f->n until nothing moves. */
static inline void fixedpoint_solve(fixedpoint *f, double *N)
{
    const size_t C = f->net->classes, L = f->net->stations;
    double moved = 1.0;
    for (size_t round = 0; round < 200000 && moved > 1e-15; round++) {
        moved = 0.0;
        for (size_t c = 0; c < C; c++) {
            double cycle = think_of(f->net, c);
            f->X[c] = 0.0;
            if (!(f->n[c] > 0.0)) continue;
            for (size_t l = 0; l < L; l++) {
                double seen = 0.0;
                for (size_t j = 0; j < C && !is_delay(f->net, l); j++)
                    seen += fixedpoint_less(f, N, j, l, c);
                f->T[c * L + l] = f->net->demand_s[c * L + l] * (1.0 + seen);
                cycle += f->T[c * L + l];
            }
            f->X[c] = f->n[c] / cycle;
        }
        for (size_t c = 0; c < C; c++)
            for (size_t l = 0; l < L; l++) {
                const double next = f->X[c] * f->T[c * L + l];
                moved = larger(moved, fabs(next - N[c * L + l]) / (1.0 + next));
                N[c * L + l] = next;
            }
    }
}

/* F from the solutions at n and at all n - 1_c. */
static inline void fixedpoint_correct(fixedpoint *f)
{
    const size_t C = f->net->classes, L = f->net->stations;
    for (size_t c = 0; c < C; c++)
        for (size_t j = 0; j < C; j++)
            for (size_t l = 0; l < L; l++) {
                const double left = f->n[j] - (j == c ? 1.0 : 0.0);
                const double share = f->N[j * L + l] / f->n[j];
                const double reduced = f->N[((c + 1) * C + j) * L + l];
                f->F[(j * L + l) * C + c] = left > 0.0 ? reduced / left - share : 0.0;
            }
}

/* corrections 0: Schweitzer; 3: the Linearizer. Capacities 1 or INFINITY. Writes the
 * throughputs and response times alone. */
static inline void oracle_fixedpoint(const sgdp_network *net, int corrections,
                                     answer *a)
{
    const size_t C = net->classes, L = net->stations;
    double *all = (double *)get_memory(2 * C + C * L * (2 * C + 2), sizeof *all);
    fixedpoint f = {.net = net, .n = all};
    f.X = f.n + C;
    f.T = f.X + C;
    f.F = f.T + C * L;
    f.N = f.F + C * L * C;
    for (size_t c = 0; c < C; c++) f.n[c] = (double)population_of(net, c);
    for (size_t i = 0; i <= C; i++)
        for (size_t j = 0; j < C; j++)
            for (size_t l = 0; l < L; l++) f.N[(i * C + j) * L + l] = f.n[j] / (double)L;
    for (fixedpoint_solve(&f, f.N); corrections-- > 0; fixedpoint_solve(&f, f.N)) {
        for (size_t c = 0; c < C; c++) {
            f.n[c] -= 1.0;
            fixedpoint_solve(&f, f.N + (c + 1) * C * L);
            f.n[c] += 1.0;
        }
        fixedpoint_correct(&f);
    }
    memcpy(a->out.throughput_per_s, f.X, C * sizeof *f.X);
    memcpy(a->out.response_s, f.T, C * L * sizeof *f.T);
    free(all);
}

#endif
