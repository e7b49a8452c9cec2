/* test_plan_inside.c - sgdperf_plan.h from inside: what lies beside an array, rows that windows
 * reach, partners in a row. */
#define SGDPERF_PLAN_STATIC
#define SGDPERF_PLAN_IMPLEMENTATION
#include "../sgdperf_plan.h"

#include "chance.h"
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

/* Row o of z reads the rows from o s - pad on, as many as the kernel has. */
TEST(rows_are_needed_where_a_window_reaches_them)
{
    for (int trial = 0; trial < 20000; trial++) {
        const uint32_t kernel = 1 + draw(6), pad = draw(kernel), stride = draw(5);
        const uint32_t s = stride > 0 ? stride : 1, h = kernel + draw(20);
        const uint32_t rows = (h + 2 * pad - kernel) / s + 1, P = 1 + draw(h < rows ? h : rows);
        const sgdplan_layer y = {.kind = SGDPLAN_LAYER_CONV, .out.rows = h};
        const sgdplan_layer z = {.kind = SGDPLAN_LAYER_POOL, .in.rows = h, .out.rows = rows,
                                 .kernel = kernel, .pad = pad, .stride = stride};
        const uint32_t j = draw(P);
        const sgdplan_priv_range own = sgdplan_priv_stripe(rows, P, j);
        const sgdplan_priv_range of_y = sgdplan_priv_stripe(h, P, j);
        const sgdplan_priv_range below = sgdplan_priv_needed_below(&y, &z, own);
        const sgdplan_priv_range above = sgdplan_priv_needed_above(&z, of_y);
        uint64_t first = h, end = 0, first_z = rows, end_z = 0, apart = 0;
        CHECK(own.first == (uint64_t)j * rows / P && own.end == (uint64_t)(j + 1) * rows / P);
        for (uint64_t o = 0; o < rows; o++) for (uint64_t k = 0; k < kernel; k++) {
            const uint64_t row = o * s + k - pad;      /* beyond h: of the padding         */
            if (o * s + k < pad || row >= h) continue;
            if (o >= own.first && o < own.end) {
                first = row < first ? row : first;
                end = row + 1 > end ? row + 1 : end;
            }
            if (row >= of_y.first && row < of_y.end) {
                first_z = o < first_z ? o : first_z;
                end_z = o + 1 > end_z ? o + 1 : end_z;
            }
        }
        CHECK(first >= end ? below.first == below.end : below.first == first && below.end == end);
        CHECK(first_z >= end_z ? above.first == above.end
                               : above.first == first_z && above.end == end_z);
        for (uint64_t i = below.first; i < below.end; i++) apart += i < of_y.first || i >= of_y.end;
        CHECK(sgdplan_priv_outside(below, of_y) == apart);
    }
}

/* Each of the fewer has the one in the middle of its share of the others. */
TEST(partners_are_in_the_middle_of_a_share)
{
    for (uint64_t X = 1; X <= 40; X++) for (uint64_t Y = 1; Y <= 40; Y++)
        for (uint64_t x = 0; x < X; x++) {
            uint64_t partner = SGDPLAN_PRIV_ALONE;
            for (uint64_t y = 0; y < Y; y++)
                if (X <= Y ? (2 * x + 1) * Y / (2 * X) == y : (2 * y + 1) * X / (2 * Y) == x)
                    partner = y;
            CHECK(sgdplan_priv_partner(x, X, Y) == partner);
        }
}

TEST_MAIN("test_plan_inside");
