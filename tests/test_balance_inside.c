/* test_balance_inside.c - sgdperf_balance.h from inside: what no result shows, but what lies
 * beside an array, or the last bit of what is rounding. */
#define SGDPERF_BALANCE_STATIC
#define SGDPERF_BALANCE_IMPLEMENTATION
#include "../sgdperf_balance.h"

#include "test.h"

/* Times of batches 2 and 3 that differ by 10^-14 of the largest are those of a constant, and by a
 * bit more of a line. */
TEST(a_line_that_falls_by_rounding_is_a_constant)
{
    static const uint32_t batch[3] = {1, 2, 3};
    double time_s[3] = {1.0, 0.0, 0.0};
    sgdbal_worker w;
    sgdbal_priv_points p = {.batch = batch, .time_s = time_s, .count = 3, .unit_s = 1.0};
    for (int more = 0; more < 2; more++) {
        time_s[1] = more ? nextafter(1e-14, 1.0) : 1e-14;
        CHECK(sgdbal_priv_fit_from(&p, 3, &w) == 1);
        CHECK_REL(w.slope_s, more ? -time_s[1] : 0.0, 0.0);
        CHECK_REL(w.launch_s, more ? 3.0 * time_s[1] : 0.0, 1e-15);
        CHECK_REL(w.floor_s, 1.0, 0.0);
    }
}

/* Partitions take their own bytes, a count and a number for each worker, and less than 8 bytes
 * to begin each where it may. */
TEST(partitions_take_what_they_are_made_of)
{
    sgdbal_partitions_config c = {0};
    for (c.workers = 1; c.workers < 20; c.workers++) {
        size_t bytes = 0, most = sizeof(struct sgdbal_partitions) + c.workers * 12 + 3 * 7;
        CHECK_STATUS(sgdbal_partitions_bytes(&c, &bytes), SGDBAL_OK);
        CHECK(bytes >= most - 3 * 7 && bytes <= most);
    }
}

/* All whole doubles that a size_t counts, after which there is room for nothing, and no product
 * of count and size that wraps. */
TEST(an_arena_takes_what_a_size_t_counts)
{
    const size_t most = (size_t)-1 - sizeof(double) + 1;
    for (size_t size = 1; size <= 64; size *= 2) {
        sgdbal_priv_arena arena = sgdbal_priv_arena_at(NULL), wrapped = arena;
        CHECK(sgdbal_priv_take(&arena, most / size, size) == NULL);
        CHECK(!arena.overflow && arena.used == most / size * size);
        arena.used = most;
        CHECK(sgdbal_priv_take(&arena, 1, 1) == NULL && arena.overflow && arena.used == most);
        if (size == 1) continue;
        CHECK(sgdbal_priv_take(&wrapped, (size_t)-1 / size + 2, size) == NULL);
        CHECK(wrapped.overflow && wrapped.used == 0);
    }
}

/* The first 53 bits, as a part of 2^53. */
TEST(random_units_are_below_1)
{
    CHECK_REL(sgdbal_priv_uniform(UINT64_MAX), 1.0 - 1.0 / 9007199254740992.0, 0.0);
    CHECK_REL(sgdbal_priv_uniform(3 << 11), 3.0 / 9007199254740992.0, 0.0);
    CHECK(sgdbal_priv_uniform((1 << 11) - 1) <= 0.0);
}

static double random_unit(uint64_t seed, uint64_t a, uint64_t b)
{
    return sgdbal_priv_uniform(sgdbal_priv_random(seed, a, b));
}

/* To the last bit, shortly before an end too, when what has passed may round to all of it; but
 * for who is done. Some are paused, and some take no time. */
TEST(all_workers_advance_as_each_alone)
{
    enum { MANY = 100 };
    double left[2][MANY], resume_s[2][MANY], pace_s[MANY], end_s[MANY];
    uint64_t round, done = 0;
    sgdbal_priv_team t = {.workers = MANY, .pace_s = pace_s, .end_s = end_s};
    for (round = 0; round < 200; round++) {
        t.now_s = 1.0 + random_unit(1, round, 0);
        for (uint32_t w = 0; w < MANY; w++) {
            const double x = 1.0 + floor(100.0 * random_unit(2, round, w));
            const double time_s = t.now_s * random_unit(3, round, w);
            const double start_s = w % 8 == 7 ? t.now_s + 1.0 : t.now_s - time_s;
            left[0][w] = left[1][w] = x;
            resume_s[0][w] = resume_s[1][w] = start_s;
            pace_s[w] = w % 16 == 7 ? 0.0 : time_s / x;
            end_s[w] = start_s + x * pace_s[w];
            if (w % 2 == 0) end_s[w] = nextafter(t.now_s, 4.0);
        }
        t.left = left[0];
        t.resume_s = resume_s[0];
        for (uint32_t w = 0; w < MANY; w++)
            if (end_s[w] > t.now_s) sgdbal_priv_shed_advance(&t, w);
            else done++;
        t.left = left[1];
        t.resume_s = resume_s[1];
        sgdbal_priv_shed_advance_all(&t);
        CHECK(memcmp(left[0], left[1], sizeof left[0]) == 0);
        CHECK(memcmp(resume_s[0], resume_s[1], sizeof resume_s[0]) == 0);
    }
    CHECK(done > 200);
}

int main(void)
{
    return test_all("test_balance_inside");
}
