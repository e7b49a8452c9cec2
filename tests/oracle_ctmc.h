/* K <= 4 distinct workers as a continuous-time Markov chain: worker k thinks for
 * an exponential time of mean Z_k, then visits the stations in order, each shared
 * equally by those present, min(n, m) of them at full speed. Global balance is
 * solved by Grassmann, Taksar and Heyman's elimination, which never subtracts.
 * Nothing of product form or of the arrival theorem is used. */
#ifndef TESTS_ORACLE_CTMC_H
#define TESTS_ORACLE_CTMC_H

#include "networks.h"

typedef struct ctmc {
    const sgdp_network *net;       /* population 1, all times positive              */
    size_t              states;    /* (L + 1)^K; a worker's digit: 0 thinks, else   */
    size_t              stride[4]; /*   at station digit - 1                        */
    double             *rate;      /* [states][states]                              */
    double             *p;         /* [states] equilibrium                          */
} ctmc;

static inline size_t ctmc_place(const ctmc *m, size_t state, size_t k)
{
    return state / m->stride[k] % (m->net->stations + 1);
}

/* Tasks at station l. */
static inline double ctmc_present(const ctmc *m, size_t state, size_t l)
{
    double n = 0.0;
    for (size_t k = 0; k < m->net->classes; k++) n += ctmc_place(m, state, k) == l + 1;
    return n;
}

static inline void ctmc_rates(ctmc *m)
{
    const size_t K = m->net->classes, L = m->net->stations;
    for (size_t state = 0; state < m->states; state++)
        for (size_t k = 0; k < K; k++) {
            const size_t place = ctmc_place(m, state, k), next = (place + 1) % (L + 1);
            const size_t to = state + next * m->stride[k] - place * m->stride[k];
            double rate = 0.0;
            if (place == 0) {
                rate = 1.0 / think_of(m->net, k);
            } else {
                const double n = ctmc_present(m, state, place - 1);
                const double served = fmin(n, capacity_of(m->net, place - 1));
                rate = served / n / m->net->demand_s[k * L + place - 1];
            }
            m->rate[state * m->states + to] += rate;
        }
}

static inline void ctmc_balance(ctmc *m)
{
    const size_t S = m->states;
    double *q = m->rate, sum;
    for (size_t k = S - 1; k > 0; k--) {
        sum = 0.0;
        for (size_t j = 0; j < k; j++) sum += q[k * S + j];
        for (size_t i = 0; i < k; i++) {
            if (!(q[i * S + k] > 0.0)) continue;
            q[i * S + k] /= sum;
            for (size_t j = 0; j < k; j++) q[i * S + j] += q[i * S + k] * q[k * S + j];
        }
    }
    m->p[0] = sum = 1.0;
    for (size_t k = 1; k < S; k++) {
        m->p[k] = 0.0;
        for (size_t i = 0; i < k; i++) m->p[k] += m->p[i] * q[i * S + k];
        sum += m->p[k];
    }
    for (size_t k = 0; k < S; k++) m->p[k] /= sum;
}

static inline void ctmc_means(const ctmc *m, answer *a)
{
    const size_t K = m->net->classes, L = m->net->stations;
    for (size_t k = 0; k < K; k++) {
        double thinking = 0.0;
        for (size_t state = 0; state < m->states; state++)
            if (ctmc_place(m, state, k) == 0) thinking += m->p[state];
        a->out.throughput_per_s[k] = thinking / think_of(m->net, k);
        for (size_t l = 0; l < L; l++) {
            double there = 0.0;
            for (size_t state = 0; state < m->states; state++)
                if (ctmc_place(m, state, k) == l + 1) there += m->p[state];
            a->out.response_s[k * L + l] = there / a->out.throughput_per_s[k];
        }
    }
    for (size_t l = 0; l < L; l++) {
        const double c = capacity_of(m->net, l);
        double queue = 0.0, busy = 0.0;
        for (size_t state = 0; state < m->states; state++) {
            const double n = ctmc_present(m, state, l);
            queue += m->p[state] * n;
            busy += m->p[state] * fmin(n, c);
        }
        a->out.queue[l] = queue;
        a->out.utilization[l] = is_delay(m->net, l) ? busy : busy / c;
        a->out.gamma[l] = 1.0;
    }
}

static inline void oracle_ctmc(const sgdp_network *net, answer *a)
{
    ctmc m = {.net = net, .states = 1};
    for (size_t k = 0; k < net->classes; k++) {
        m.stride[k] = m.states;
        m.states *= net->stations + 1;
    }
    m.rate = (double *)get_memory(m.states * m.states, sizeof(double));
    m.p = (double *)get_memory(m.states, sizeof(double));
    ctmc_rates(&m);
    ctmc_balance(&m);
    ctmc_means(&m, a);
    free(m.rate);
    free(m.p);
}

#endif
