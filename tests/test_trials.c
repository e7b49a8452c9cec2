/* In which order plan tries configurations, and what that costs, against all orders. */
#include "../tools/cmd/plan/trials.c"

#include "base/tool.h"
#define CHANCE_SEED 11
#include "chance.h"
#include "test.h"

/* The mean over all orders of a few configurations. */
static double mean_cost(const double *e, const unsigned char *good, size_t n,
                        unsigned used, double spent)
{
    double sum = 0;
    size_t left = 0;
    for (size_t i = 0; i < n; i++) {
        if (used >> i & 1u) continue;
        left++;
        sum += good[i] ? spent + e[i] : mean_cost(e, good, n, used | 1u << i, spent + e[i]);
    }
    return left > 0 ? sum / (double)left : spent;
}

TEST(trials_cost_what_all_orders_cost)
{
    for (unsigned round = 0; round < 300; round++) {
        const size_t n = 1 + draw(6);
        double e[6], random_s = 0, ordered_s = 0, want = 0;
        unsigned char good[6];
        size_t order[6] = { 0 }, i;
        for (i = 0; i < n; i++) {
            e[i] = 1 + draw(5);
            good[i] = (unsigned char)draw(2);
        }
        trials_order(e, n, order);
        trials_cost(e, good, n, &random_s, &ordered_s);
        CHECK_REL(random_s, mean_cost(e, good, n, 0, 0), 1e-12);
        for (i = 0; i < n; i++) {
            want += e[order[i]];
            if (good[order[i]]) break;
        }
        CHECK_REL(ordered_s, want, 1e-12);
    }
    tool_free_all();
}

/* Each once, equal ones in the order given, also in a long row of few values. */
TEST(trials_are_in_order_of_their_epochs)
{
    enum { MANY = 1000 };
    static double e[MANY];
    static size_t order[MANY];
    static unsigned char met[MANY];
    for (unsigned round = 0; round < 50; round++) {
        size_t n = 1 + draw(MANY);
        for (size_t i = 0; i < n; i++) e[i] = draw(round % 2 ? 20 : 1000000);
        memset(met, 0, sizeof met);
        trials_order(e, n, order);
        for (size_t i = 0; i < n; i++) {
            CHECK(order[i] < n && !met[order[i]]);
            met[order[i]] = 1;
            if (i == 0) continue;
            CHECK(e[order[i - 1]] < e[order[i]]
                  || (e[order[i - 1]] <= e[order[i]] && order[i - 1] < order[i]));
        }
    }
    trials_order(e, 0, order);
    tool_free_all();
}

TEST_MAIN("test_trials");
