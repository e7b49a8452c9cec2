/* naive.h - the textbook forms of the solvers, as references for the benchmarks
 *
 * Written as the papers print them: every worker a class of its own, every station's
 * mean values kept for every class, nothing shared between workers. */
#ifndef SGDPERF_NAIVE_H
#define SGDPERF_NAIVE_H

#include <stdlib.h>

enum { NAIVE_STATIONS = 3 };

/* K workers: think time Z[k], demands D[k][3]. */
typedef struct naive_network { size_t K; const double *Z, *D; int fcfs; } naive_network;

/* Eq. 1, or Eq. 2 at the first and last station, over all 2^K subsets of the workers
 * [LPCG18]: per subset, N and rho of every worker at every station. */
static double naive_lattice(const naive_network *net)
{
    const size_t K = net->K, points = (size_t)1 << K, row = K * NAIVE_STATIONS;
    double *N = (double *)calloc(points * row, sizeof(double));
    double *rho = (double *)calloc(points * row, sizeof(double)), total = 0.0;
    size_t n, k, j, l;
    if (!N || !rho) { free(N); free(rho); return 0.0; }
    for (n = 1; n < points; n++) {
        total = 0.0;
        for (k = 0; k < K; k++) {
            double T[NAIVE_STATIONS], cycle = net->Z[k], X;
            const size_t before = n & ~((size_t)1 << k);
            if (before == n) continue;
            for (l = 0; l < NAIVE_STATIONS; l++) {
                double seen = 0.0;
                for (j = 0; j < K; j++) {
                    const size_t at = before * row + j * NAIVE_STATIONS + l;
                    const double S = net->D[j * NAIVE_STATIONS + l];
                    seen += net->fcfs && l != 1 ? S * (N[at] - 0.5 * rho[at])
                                                : net->D[k * NAIVE_STATIONS + l] * N[at];
                }
                T[l] = net->D[k * NAIVE_STATIONS + l] + seen;
                cycle += T[l];
            }
            X = 1.0 / cycle;
            for (l = 0; l < NAIVE_STATIONS; l++) {
                N[n * row + k * NAIVE_STATIONS + l] = X * T[l];
                rho[n * row + k * NAIVE_STATIONS + l] = X * net->D[k * NAIVE_STATIONS + l];
            }
            total += X;
        }
    }
    free(N);
    free(rho);
    return total;
}

/* Eq. 1 for K equal workers, one class: the recursion over its population. */
static double naive_one_class(size_t K, double Z, const double *D)
{
    double N[NAIVE_STATIONS] = { 0.0 }, T[NAIVE_STATIONS], X = 0.0;
    size_t n, l;
    for (n = 1; n <= K; n++) {
        double cycle = Z;
        for (l = 0; l < NAIVE_STATIONS; l++) {
            T[l] = D[l] * (1.0 + N[l]);
            cycle += T[l];
        }
        X = (double)n / cycle;
        for (l = 0; l < NAIVE_STATIONS; l++) N[l] = X * T[l];
    }
    return X;
}

/* Workers with equal demands at the stations: all others added one at a time, anew
 * for every worker, O(K^3). Only q, as MODELS state it: q(n) = c(n + 1) / c(n). */
static double naive_by_chain(const naive_network *net)
{
    const size_t K = net->K;
    double *start = (double *)malloc(K * sizeof(double));
    double *q = (double *)malloc(K * sizeof(double)), total = 0.0;
    double N[NAIVE_STATIONS] = { 0.0 };
    size_t k, j, n, l;
    if (!start || !q) { free(start); free(q); return 0.0; }
    for (n = 0; n < K; n++) {
        start[n] = 0.0;
        for (l = 0; l < NAIVE_STATIONS; l++) start[n] += net->D[l] * (1.0 + N[l]);
        for (l = 0; l < NAIVE_STATIONS; l++)
            N[l] = (double)(n + 1) * net->D[l] * (1.0 + N[l]) / start[n];
    }
    for (k = 0; k < K; k++) {
        size_t length = K;
        for (n = 0; n < K; n++) q[n] = start[n];
        for (j = 0; j < K; j++) {
            if (j == k) continue;
            length--;
            for (n = 0; n < length; n++)
                q[n] = q[n] * (net->Z[j] + q[n + 1]) / (net->Z[j] + q[n]);
        }
        total += 1.0 / (net->Z[k] + q[0]);
    }
    free(start);
    free(q);
    return total;
}

#endif /* SGDPERF_NAIVE_H */
