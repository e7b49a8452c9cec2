/* test_plan_inside.c - sgdperf_plan.h from inside: what lies beside an array. */
#define SGDPERF_PLAN_STATIC
#define SGDPERF_PLAN_IMPLEMENTATION
#include "../sgdperf_plan.h"

#include "test.h"

/* The best of those that come, in order, with their splits; what lies in front of them and
 * behind would rank last and first, and is left alone. */
TEST(plans_are_ranked_within_their_room)
{
    enum { MOST = 6, COME = 20 };
    static sgdplan_priv_program k;
    sgdplan_plan plan[MOST + 2], next = {0};
    sgdplan_split splits[MOST], split = {0};
    size_t room, i, found;
    sgdplan_problem in = {.job.layers = 1};
    k.in = &in;
    k.plan = plan + 1;
    k.splits = splits;
    next.configuration.split = &split;
    next.configuration.servers = next.configuration.replicas = next.configuration.workers = 1;
    for (room = 1; room <= MOST; room++) {
        memset(plan, 0, sizeof plan);
        plan[0].epoch_s = HUGE_VAL;
        k.room = room;
        for (i = found = 0; i < COME; i++) {
            next.epoch_s = (double)(COME - i * 13 % COME);         /* each once           */
            split.threads = (uint32_t)next.epoch_s;
            sgdplan_priv_rank(&k, &next, &found);
            CHECK(found == (i < room ? i + 1 : room));
        }
        for (i = 0; i < room; i++) {
            CHECK_REL(k.plan[i].epoch_s, (double)(i + 1), 0.0);
            CHECK(k.plan[i].configuration.split == splits + i && splits[i].threads == i + 1);
        }
        CHECK(plan[0].epoch_s > DBL_MAX && plan[0].configuration.workers == 0);
        CHECK(plan[room + 1].configuration.workers == 0);
    }
}

TEST_MAIN("test_plan_inside");
