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
    sgdp_priv_plan plan = {.K = K, .G = 2};
    sgdp_priv_chain chain = {.p = &plan, .q = q};
    for (size_t u = 0; u < sizeof unit / sizeof unit[0]; u++)
        for (size_t twos = 0; twos <= K; twos += K / 16) {
            for (size_t n = 0; n < K; n++) q[K + n] = n < twos ? 2.0 * unit[u] : unit[u];
            CHECK_REL(sgdp_priv_group_scale(&chain, 1) * sqrt(2.0),
                      unit[u] * pow(2.0, (double)twos / K), 0.0034);
        }
}

/* Above it by less than a K-th root of 2, but for the 0.3 %: of few tasks, too. */
TEST(the_scale_of_a_group_of_few_tasks_is_within_a_root_of_2)
{
    enum { MOST = 6 };
    static double q[2 * MOST];
    double mean, unit;
    size_t n;
    sgdp_priv_plan plan = {.G = 2};
    sgdp_priv_chain chain = {.p = &plan, .q = q};
    for (plan.K = 1; plan.K <= MOST; plan.K++)
        for (unit = 1.0; unit < 2.1; unit += 0.125) {
            for (mean = 1.0, n = 0; n < plan.K; n++) {
                q[plan.K + n] = unit * (double)(n + 1);
                mean *= pow(q[plan.K + n], 1.0 / (double)plan.K);
            }
            mean = sgdp_priv_group_scale(&chain, 1) * sqrt(2.0) / mean;
            CHECK(mean > 1.0 - 0.0034);
            CHECK(mean < pow(2.0, 1.0 / (double)plan.K) * (1.0 + 0.0034));
        }
}

TEST_MAIN("test_chain");
