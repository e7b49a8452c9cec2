/* test_chain.c - the method by chain from inside: what no result shows but by rounding, or
 * with more tasks than a test has time for. */
#define SGDPERF_STATIC
#define SGDPERF_IMPLEMENTATION
#include "../sgdperf.h"

#include "test.h"

/* q of a group, so often 2 and else 1 of some unit, has the geometric mean 2^(part) units:
 * to 0.3 %, and a K-th root of 2. To the power of K an error of 1 % were 1e17. */
TEST(the_scale_of_a_group_is_the_geometric_mean_of_its_times)
{
    enum { K = 4000 };
    static double q[2 * K];
    static const double unit[] = { 1e-200, 1.0, 3.7, 1e200 };
    sgdp_priv_chain chain;
    size_t twos, n, u;
    memset(&chain, 0, sizeof chain);
    chain.p.K = K;
    chain.p.G = 2;
    chain.q = q;
    for (u = 0; u < sizeof unit / sizeof unit[0]; u++)
        for (twos = 0; twos <= K; twos += K / 16) {
            for (n = 0; n < K; n++) q[K + n] = n < twos ? 2.0 * unit[u] : unit[u];
            CHECK_REL(sgdp_priv_group_scale(&chain, 1) * sqrt(2.0),
                      unit[u] * pow(2.0, (double)twos / K), 0.0034);
        }
}

int main(void)
{
    RUN(the_scale_of_a_group_is_the_geometric_mean_of_its_times);
    return test_report("test_chain");
}
