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

/* ---- Properties over random inputs ---- */

/* From 0 to n: number i of a draw. */
#define DRAWN(i, n) (test_uniform(11, draw, i) * (n))

TEST(random_numbers_are_those_of_splitmix)
{
    for (uint64_t draw = 0; draw < 100; draw++) {
        const uint64_t seed = draw * draw * UINT64_C(0x123456789ABCDEF), a = draw << 40;
        CHECK_REL(sgdbal_priv_uniform(sgdbal_priv_random(seed, a, draw)),
                  test_uniform(seed, a, draw), 0.0);
    }
}

/* Speeds in another unit, however large or small, give the same batches. */
TEST(the_unit_of_speeds_is_of_no_effect)
{
    static const int power[] = {-1000, -700, -600, -60, 60, 600, 700, 1000};
    for (uint64_t draw = 0; draw < 100; draw++) {
        double speed[5], scaled[5], work[64];
        uint32_t want[5], got[5];
        sgdbal_shares shares = {.speed = speed, .workers = 5, .total = 100};
        for (size_t i = 0; i < 5; i++) speed[i] = 0.5 + DRAWN(i, 8.0);
        CHECK_STATUS(sgdbal_batches_proportional(&shares, work, sizeof work, want), SGDBAL_OK);
        shares.speed = scaled;
        for (size_t p = 0; p < sizeof power / sizeof power[0]; p++) {
            for (size_t i = 0; i < 5; i++) scaled[i] = ldexp(speed[i], power[p]);
            CHECK_STATUS(sgdbal_batches_proportional(&shares, work, sizeof work, got), SGDBAL_OK);
            CHECK(memcmp(got, want, sizeof want) == 0);
        }
    }
}

/* The largest batch that a time allows, looked for one by one; curves may be flat, steep, or have
 * a slope that is next to nothing beside the launch. */
TEST(the_batch_that_fits_is_the_largest)
{
    for (uint64_t draw = 0; draw < 2000; draw++) {
        static const double slope_s[] = {0.0, 1e-17, 1e-3, 1.0};
        const sgdbal_worker w = {.slope_s = slope_s[(int)DRAWN(1, 4.0)], .launch_s = DRAWN(2, 0.5),
                                 .communication_s = DRAWN(3, 0.2), .floor_s = DRAWN(4, 0.3)};
        const uint32_t limit = (uint32_t)DRAWN(5, 40.0);
        const double time_s = draw % 4 == 0 ? sgdbal_priv_worker_s(&w, (double)limit / 2.0)
                                            : DRAWN(6, 2.0);
        uint32_t most = 0;
        for (uint32_t x = 1; x <= limit; x++)
            if (sgdbal_priv_worker_s(&w, (double)x) <= time_s) most = x;
        CHECK(sgdbal_priv_fitting(&w, time_s, limit) == most);
    }
}

/* Each worker has its least batch, or there is no room. */
TEST(least_batches_need_room)
{
    for (uint32_t workers = 1; workers <= 6; workers++)
        for (uint32_t least = 1; least < 5; least++)
            for (uint32_t total = 1; total < 30; total++) {
                sgdbal_worker worker[6];
                uint32_t batch[6];
                double time_s;
                for (size_t i = 0; i < 6; i++) worker[i] = (sgdbal_worker){.slope_s = 1.0};
                CHECK_STATUS(sgdbal_batches_optimal(worker, workers, total, least, batch, &time_s),
                             least * workers <= total ? SGDBAL_OK : SGDBAL_NO_ROOM);
            }
}

/* A worker whose time overflows is refused, whichever it is; one more than there may be, too. */
TEST(one_bad_worker_of_many_is_refused)
{
    sgdbal_balancer_config many = {.workers = UINT32_MAX, .total = 1};
    size_t bytes = 0;
    for (size_t bad = 0; bad < 4; bad++) {
        sgdbal_worker worker[4] = {{.slope_s = 1.0}, {.slope_s = 1.0}, {.slope_s = 1.0},
                                   {.slope_s = 1.0}};
        uint32_t batch[4];
        double time_s;
        worker[bad].launch_s = worker[bad].communication_s = worker[bad].slope_s = DBL_MAX / 2.0;
        CHECK_STATUS(sgdbal_batches_optimal(worker, 4, 8, 1, batch, &time_s), SGDBAL_BAD_WORKER);
    }
    CHECK_STATUS(sgdbal_balancer_bytes(&many, &bytes), SGDBAL_TOO_LARGE);
}

/* The mean of gradients that are alike is one of them: of zeros, no more than zero. */
TEST(gradients_that_are_alike_are_their_mean)
{
    for (uint64_t draw = 0; draw < 100; draw++) {
        const double alike[3] = {0.0, DRAWN(7, 2.0) - 1.0, DRAWN(8, 1e300)};
        const double *const gradient[4] = {alike, NULL, alike, alike};
        const uint32_t batch[4] = {1 + (uint32_t)DRAWN(9, 9.0), 0, 1 + (uint32_t)DRAWN(10, 9.0),
                                   (uint32_t)DRAWN(11, 2.0)};
        double out[3];
        CHECK_STATUS(sgdbal_gradient_aggregate(gradient, batch, 4, 3, out), SGDBAL_OK);
        for (size_t k = 0; k < 3; k++) CHECK_REL(out[k], alike[k], 1e-14);
    }
}

/* Seconds of communication in all times leave the curve as it is, however many they are. All
 * numbers are whole, so that the sums are exact. */
TEST(communication_does_not_change_what_is_fitted)
{
    for (uint64_t draw = 0; draw < 200; draw++) {
        static const uint32_t batch[5] = {1, 2, 4, 8, 16};
        const double many_s = ldexp(1.0, 52);
        double alone_s[5], with_s[5];
        sgdbal_worker alone, with;
        for (size_t i = 0; i < 5; i++) {
            alone_s[i] = 8.0 + floor(DRAWN(i, 8.0)) + (double)batch[i];
            with_s[i] = alone_s[i] + many_s;
        }
        CHECK_STATUS(sgdbal_worker_fit(batch, alone_s, 5, 0.0, &alone, NULL), SGDBAL_OK);
        CHECK_STATUS(sgdbal_worker_fit(batch, with_s, 5, many_s, &with, NULL), SGDBAL_OK);
        CHECK_REL(with.slope_s, alone.slope_s, 1e-12);
        CHECK_REL(with.launch_s, alone.launch_s, 1e-12);
        CHECK_REL(with.floor_s, alone.floor_s, 1e-12);
        CHECK_REL(with.communication_s, many_s, 0.0);
    }
}

/* ---- Ends of batches, of few times, so that many are equal ---- */

enum { ENDS = 70 };

static size_t draw_ends(uint64_t draw, sgdbal_priv_end *end)
{
    const size_t n = 1 + (size_t)DRAWN(1, draw % 2 ? 18.0 : ENDS);
    for (uint32_t i = 0; i < n; i++)
        end[i] = sgdbal_priv_end_at(draw % 5 == 0 ? (double)(n - i)     /* the last first */
                                    : floor(DRAWN(2 + i, draw % 3 ? 5.0 : 1e6)), i);
    return n;
}

/* How many of them come before number i. */
static size_t ends_before(const sgdbal_priv_end *end, size_t n, size_t i)
{
    size_t before = 0;
    for (size_t k = 0; k < n; k++)
        before += end[k].at < end[i].at || (end[k].at == end[i].at && k < i);
    return before;
}

TEST(ends_are_sorted_by_time_and_else_stay_in_order)
{
    for (uint64_t draw = 0; draw < 1000; draw++) {
        sgdbal_priv_end end[ENDS], sorted[ENDS + 1], scratch[ENDS];
        const size_t n = draw_ends(draw, end);
        memcpy(sorted, end, sizeof end);
        memset(sorted + n, 0, (ENDS + 1 - n) * sizeof *sorted);
        sorted[n].who = 77;
        sgdbal_priv_sort_ends(sorted, scratch, n);
        for (size_t i = 0; i < n; i++) {
            const sgdbal_priv_end *there = sorted + ends_before(end, n, i);
            CHECK(there->at == end[i].at && there->who == i);
        }
        CHECK(sorted[n].who == 77);
    }
}

TEST(the_first_ends_are_all_but_the_last)
{
    for (uint64_t draw = 0; draw < 1000; draw++) {
        sgdbal_priv_end end[ENDS], kept[ENDS], scratch[ENDS];
        const size_t n = draw_ends(draw, end);
        for (size_t spare = 1; spare < n; spare += 1 + n / 8) {
            double last_s = 0.0;
            size_t count = 0;
            memcpy(kept, end, sizeof end);
            memset(scratch, draw % 2 ? 0 : 0x7f, sizeof scratch);
            const double got_s = sgdbal_priv_first_ends(kept, scratch, n, spare);
            for (size_t i = 0; i < n; i++) {
                if (ends_before(end, n, i) >= n - spare) continue;
                CHECK(kept[count].who == i && kept[count].at == end[i].at);
                last_s = fmax(last_s, sgdbal_priv_end_s(end + i));
                count++;
            }
            CHECK(count == n - spare);
            CHECK_REL(got_s, last_s, 0.0);
        }
    }
}

/* Starts, some of them as turns begin anew, and waits: the first end of all is known, of equal
 * ones that of who started first. */
TEST(a_tournament_knows_the_first_end)
{
    for (uint64_t draw = 0; draw < 200; draw++) {
        sgdbal_priv_place place[2 * 20];
        sgdbal_priv_tournament t = {.place = place, .n = 1 + (uint32_t)DRAWN(1, 20.0)};
        double end_s[20];
        uint64_t start[20];
        for (uint32_t w = 0; w < t.n; w++) end_s[w] = HUGE_VAL;
        memset(place, 0, sizeof place);
        sgdbal_priv_all_wait(&t);
        for (uint64_t k = 0; k < 100; k++) {
            const uint32_t w = (uint32_t)DRAWN(100 + 3 * k, t.n);
            uint32_t first = 0;
            double first_s = 0.0;
            start[w] = k;
            end_s[w] = DRAWN(101 + 3 * k, 5.0) < 1.0 ? HUGE_VAL : floor(DRAWN(102 + 3 * k, 4.0));
            if (end_s[w] < HUGE_VAL)
                sgdbal_priv_play(&t, w, end_s[w] > 0.0 ? end_s[w] : -0.0, (uint32_t)k - 50);
            else sgdbal_priv_wait(&t, w);
            for (uint32_t v = 1; v < t.n; v++)
                if (end_s[v] < end_s[first] || (end_s[v] < HUGE_VAL && end_s[v] <= end_s[first] &&
                                                start[v] < start[first])) first = v;
            if (end_s[first] < HUGE_VAL) CHECK(sgdbal_priv_first(&t, &first_s) == first);
            else (void)sgdbal_priv_first(&t, &first_s);
            CHECK_REL(first_s, end_s[first], 0.0);
        }
    }
}

/* The most samples, looked for one by one: no more than a part of the batch, or 1, than make both
 * as late, and than are left; a few 10^-10 of a sample are rounding. None, if that takes no longer
 * than a pause. */
TEST(what_is_handed_over_is_the_most_that_may_be)
{
    size_t some = 0;
    for (uint64_t draw = 0; draw < 4000; draw++) {
        const uint32_t batch[2] = {1 + (uint32_t)DRAWN(1, 150.0), 9}, now[2] = {200, 200};
        const sgdbal_scheme_config config = {.workers.batch = batch,
                                             .flexrr.migrate_s = 0.1 * floor(DRAWN(2, 4.0))};
        double left[2] = {0.1 * floor(DRAWN(3, 300.0)), 1.0};
        double pace_s[2] = {0.1 * floor(DRAWN(4, 4.0)), 0.1 * (1.0 + floor(DRAWN(5, 3.0)))};
        uint32_t was[2] = {now[0], now[1]};
        const sgdbal_priv_team t = {.config = &config, .left = left, .pace_s = pace_s, .batch = was,
                                    .shed = 0.01 * (1.0 + floor(DRAWN(6, 100.0)))};
        const double gap_s = 0.1 * (1.0 + floor(DRAWN(7, 100.0)));
        const double slower_s = fmax(pace_s[0], pace_s[1]), slack = 1e-9;
        uint32_t most = 150;
        for (; most > 0; most--)
            if ((most == 1 || most <= t.shed * batch[0] + slack) && most <= left[0] + slack &&
                (most - slack) * slower_s * 2.0 <= gap_s - config.flexrr.migrate_s) break;
        if (!(most * pace_s[0] > config.flexrr.migrate_s)) most = 0;
        CHECK(sgdbal_priv_shed_amount(&t, 0, 1, gap_s) == most);
        some += most > 0;
    }
    CHECK(some > 500);
}

/* The unit of a fit is the longest time without communication, whatever it was before. */
TEST(the_unit_of_a_fit_is_its_longest_time)
{
    for (uint64_t draw = 0; draw < 100; draw++) {
        static const uint32_t batch[4] = {1, 2, 3, 4};
        double time_s[4], most_s = 0.0;
        sgdbal_priv_points p = {.batch = batch, .time_s = time_s, .count = 4, .unit_s = 1e300,
                                .communication_s = floor(DRAWN(5, 9.0))};
        for (size_t i = 0; i < 4; i++) {
            time_s[i] = p.communication_s + 1.0 + DRAWN(i, 3.0);
            most_s = fmax(most_s, time_s[i]);
        }
        CHECK_STATUS(sgdbal_priv_check_points(&p), SGDBAL_OK);
        CHECK_REL(p.unit_s, most_s - p.communication_s, 0.0);
    }
}

/* Where samples that come evenly would be reached, but strictly between the two; every third time
 * in the middle of their bits. */
TEST(a_time_between_two_is_where_samples_are_expected)
{
    for (uint64_t draw = 0; draw < 1000; draw++) {
        const double low_s = draw % 5 ? DRAWN(1, 1.0) : 0.0, part = draw % 4 ? DRAWN(2, 1.0) : 0.0;
        double high_s = low_s + 1e-3 + DRAWN(3, 4.0), at_s;
        const uint32_t step = (uint32_t)(draw % 7);
        uint64_t low, high, at;
        memcpy(&low, &low_s, sizeof low);
        memcpy(&high, &high_s, sizeof high);
        if (draw % 3 == 0) high = low + 2 + draw % 11;
        memcpy(&high_s, &high, sizeof high);
        at_s = low_s + (high_s - low_s) * (draw % 8 == 1 ? 1.0 : part);
        memcpy(&at, &at_s, sizeof at);
        if (at <= low) at = low + 1;
        if (at >= high) at = high - 1;
        if (step % 3 == 0) at = low + (high - low) / 2;
        CHECK(sgdbal_priv_between(low, high, draw % 8 == 1 ? 1.0 : part, step) == at);
    }
}

TEST_MAIN("test_balance_inside");
