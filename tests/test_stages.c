/* Splits of a network into stages of a pipeline, against all splits. */
#include "../sgdperf_plan.h"

#include <float.h>
#include <math.h>

#define CHANCE_SEED 3
#include "chance.h"
#include "test.h"

enum { PIECES = 10, STAGES = 6 };

static sgdplan_piece piece[PIECES];
static double in_flight[STAGES], work[256];

/* Small whole numbers, so that many splits are equally good, or any numbers. */
static sgdplan_stages random_stages(int whole)
{
    sgdplan_stages of = {.piece = piece, .pieces = 1 + (size_t)random_below(PIECES)};
    of.stages = 1 + (size_t)random_below(of.pieces < STAGES ? (double)of.pieces : STAGES);
    for (size_t i = 0; i < of.pieces; i++) {
        piece[i].time_s = whole ? floor(random_below(4.0)) : random_below(1.0);
        piece[i].held_bytes = whole ? floor(random_below(5.0)) : random_below(3.0);
        piece[i].kept_bytes = whole ? floor(random_below(3.0)) : random_below(1.0);
    }
    for (size_t s = 0; s < of.stages; s++) in_flight[s] = (double)(of.stages - s);
    if (random_below(1.0) < 0.7) of.in_flight = in_flight;
    if (random_below(1.0) < 0.5) of.most_bytes = random_below(30.0);
    return of;
}

typedef struct best_split { double time_s, bytes; } best_split;

/* All splits: stage s begins at `from`. */
static void try_all(const sgdplan_stages *of, size_t s, size_t from, best_split so_far,
                    best_split *best)
{
    double t = 0.0, held = 0.0, kept = 0.0;
    if (s == of->stages) {
        if (from < of->pieces || so_far.time_s > best->time_s * (1.0 + 1e-12)) return;
        if (so_far.time_s < best->time_s * (1.0 - 1e-12) || so_far.bytes < best->bytes)
            *best = so_far;
        return;
    }
    for (size_t end = from; end < of->pieces; end++) {
        best_split next = so_far;
        t += piece[end].time_s;
        held += piece[end].held_bytes;
        kept += piece[end].kept_bytes;
        double bytes = held + (of->in_flight ? of->in_flight[s] : 1.0) * kept;
        next.time_s = fmax(next.time_s, t);
        next.bytes = fmax(next.bytes, bytes);
        if (of->most_bytes > 0.0 && bytes > of->most_bytes) continue;
        try_all(of, s + 1, end + 1, next, best);
    }
}

TEST(a_split_is_the_best_of_all_splits)
{
    size_t without = 0, cases = TEST_SIZE(2000, 20000);
    for (size_t i = 0; i < cases; i++) {
        const sgdplan_stages of = random_stages(i % 2 == 0);
        const best_split none = {0.0, 0.0};
        best_split best = {HUGE_VAL, HUGE_VAL};
        sgdplan_largest most, again;
        size_t first[STAGES], bytes = 0;
        CHECK_STATUS(sgdplan_split_stages_bytes(&of, &bytes), SGDPLAN_OK);
        CHECK(bytes <= sizeof work);
        sgdplan_status status = sgdplan_split_stages(&of, work, bytes, first, &most);
        try_all(&of, 0, 0, none, &best);
        if (best.time_s > DBL_MAX) {
            CHECK_STATUS(status, SGDPLAN_NO_PLAN);
            without++;
            continue;
        }
        CHECK_STATUS(status, SGDPLAN_OK);
        if (status != SGDPLAN_OK) continue;
        CHECK_REL(most.time_s, best.time_s, 1e-12);
        CHECK_REL(most.bytes, best.bytes, 1e-12);
        CHECK_STATUS(sgdplan_largest_stage(&of, first, &again), SGDPLAN_OK);
        CHECK(memcmp(&again, &most, sizeof most) == 0);
    }
    CHECK(without > cases / 20 && without < cases / 2);
}

/* 24 layers, a head as long as three: with 4 in flight the first stage gets fewer layers. */
TEST(a_head_takes_the_place_of_layers)
{
    sgdplan_piece layer[25];
    sgdplan_stages of = {layer, 25, 4, in_flight, 0.0};
    const size_t equal[4] = {0, 6, 12, 18};
    size_t first[4];
    sgdplan_largest most;
    static double room[512];
    memset(layer, 0, sizeof layer);
    for (size_t i = 0; i < 25; i++) {
        layer[i].time_s = i < 24 ? 1.0 : 3.0;
        layer[i].held_bytes = layer[i].kept_bytes = 1.0;
    }
    for (size_t s = 0; s < 4; s++) in_flight[s] = 4.0 - (double)s;
    CHECK_STATUS(sgdplan_split_stages(&of, room, sizeof room, first, &most), SGDPLAN_OK);
    CHECK(first[1] == 6 && first[2] == 13 && first[3] == 20);
    CHECK_REL(most.time_s, 7.0, 0.0);
    CHECK_REL(most.bytes, 30.0, 0.0);
    CHECK_STATUS(sgdplan_largest_stage(&of, equal, &most), SGDPLAN_OK);
    CHECK_REL(most.time_s, 9.0, 0.0);
}

TEST(bad_stages_are_refused_and_nothing_is_written)
{
    static const double bad[] = {-1.0, HUGE_VAL, -HUGE_VAL, (double)NAN};
    const size_t wrong[][3] = {{1, 2, 3}, {0, 2, 2}, {0, 3, 2}, {0, 1, 4}, {0, 2, 9}};
    sgdplan_stages good, of;
    sgdplan_largest most, before;
    size_t first[STAGES] = {7, 7, 7}, bytes = 0;
    memset(&most, 0x5a, sizeof most);
    before = most;
    do good = of = random_stages(1); while (of.pieces != 4 || of.stages != 3 || !of.in_flight);
    good.most_bytes = of.most_bytes = 0.0;
#define REFUSED(status)                                                                    \
    do {                                                                                   \
        CHECK_STATUS(sgdplan_split_stages(&of, work, sizeof work, first, &most), status);  \
        CHECK(memcmp(&most, &before, sizeof most) == 0 && first[0] == 7 && first[2] == 7); \
        of = good;                                                                         \
    } while (0)
    of.piece = NULL; REFUSED(SGDPLAN_BAD_ARGUMENT);
    of.pieces = 0; REFUSED(SGDPLAN_BAD_ARGUMENT);
    of.stages = 0; REFUSED(SGDPLAN_BAD_ARGUMENT);
    of.stages = 5; REFUSED(SGDPLAN_BAD_ARGUMENT);
    of.most_bytes = 1e-9; piece[0].held_bytes = 1.0; REFUSED(SGDPLAN_NO_PLAN);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        of.most_bytes = bad[i]; REFUSED(SGDPLAN_BAD_ARGUMENT);
        piece[3].time_s = bad[i]; REFUSED(SGDPLAN_BAD_ARGUMENT); piece[3].time_s = 1.0;
        piece[3].held_bytes = bad[i]; REFUSED(SGDPLAN_BAD_ARGUMENT); piece[3].held_bytes = 1.0;
        piece[3].kept_bytes = bad[i]; REFUSED(SGDPLAN_BAD_ARGUMENT); piece[3].kept_bytes = 1.0;
        in_flight[2] = bad[i]; REFUSED(SGDPLAN_BAD_ARGUMENT); in_flight[2] = 1.0;
    }
    piece[0].time_s = piece[1].time_s = DBL_MAX; REFUSED(SGDPLAN_TOO_LARGE);
    piece[0].time_s = piece[1].time_s = 1.0;
    in_flight[2] = 4.0; piece[3].kept_bytes = DBL_MAX / 3.5; REFUSED(SGDPLAN_TOO_LARGE);
    in_flight[2] = piece[3].kept_bytes = 1.0;
    CHECK_STATUS(sgdplan_split_stages(NULL, work, sizeof work, first, &most),
                 SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_split_stages(&of, NULL, 0, first, &most), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_split_stages(&of, work, sizeof work, NULL, &most), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_split_stages(&of, work, sizeof work, first, NULL), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_split_stages_bytes(&of, NULL), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_split_stages_bytes(&of, &bytes), SGDPLAN_OK);
    CHECK_STATUS(sgdplan_split_stages(&of, work, bytes - 1, first, &most),
                 SGDPLAN_SMALL_WORKSPACE);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_STATUS(sgdplan_largest_stage(&of, wrong[i], &most), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_largest_stage(&of, NULL, &most), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_largest_stage(&of, wrong[0], NULL), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_largest_stage(NULL, wrong[0], &most), SGDPLAN_BAD_ARGUMENT);
    CHECK(memcmp(&most, &before, sizeof most) == 0 && first[0] == 7);
}

static size_t looks;

/* Each device has two stages. Returns the time of the slower device. */
static double slower_device(void *ctx, const size_t *first)
{
    looks++;
    const sgdplan_stages *of = (const sgdplan_stages *)ctx;
    double device[2] = {0.0, 0.0};
    for (size_t s = 0; s < of->stages; s++)
        for (size_t i = first[s]; i < (s + 1 < of->stages ? first[s + 1] : of->pieces); i++)
            device[s % 2] += of->piece[i].time_s;
    return device[0] > device[1] ? device[0] : device[1];
}

TEST(an_improved_split_has_no_better_neighbour)
{
    sgdplan_stages of;
    size_t cut[STAGES], s;
    double step_s = 0.0;
    for (int trial = 0; trial < TEST_SIZE(500, 20000); trial++) {
        sgdplan_largest most, with;
        of = random_stages(trial % 2);
        for (s = of.stages, cut[0] = 0; s-- > 1;) {    /* as far back as it can, or before */
            const size_t last = s + 1 < of.stages ? cut[s + 1] - 1 : of.pieces - 1;
            cut[s] = s + (size_t)random_below((double)(last - s + 1));
        }
        CHECK_STATUS(sgdplan_largest_stage(&of, cut, &most), SGDPLAN_OK);
        most.bytes = of.most_bytes > 0.0 ? fmax(most.bytes, of.most_bytes) : DBL_MAX;
        CHECK_STATUS(sgdplan_improve_split(&of, slower_device, &of, cut, &step_s), SGDPLAN_OK);
        CHECK_REL(step_s, slower_device(&of, cut), 0.0);
        looks = 0;                     /* of what is as good as it can be, one round   */
        CHECK_STATUS(sgdplan_improve_split(&of, slower_device, &of, cut, &step_s), SGDPLAN_OK);
        CHECK(looks <= 2 * of.stages - 1);
        CHECK_STATUS(sgdplan_largest_stage(&of, cut, &with), SGDPLAN_OK);
        CHECK(with.bytes <= most.bytes);
        for (s = 2; s < 2 * of.stages; s++) {
            cut[s / 2] += s % 2 ? 1 : (size_t)-1;
            if (sgdplan_largest_stage(&of, cut, &with) == SGDPLAN_OK && with.bytes <= most.bytes)
                CHECK(slower_device(&of, cut) >= step_s * (1.0 - 1e-9));
            cut[s / 2] -= s % 2 ? 1 : (size_t)-1;
        }
    }
    of = (sgdplan_stages){.piece = piece, .pieces = 6, .stages = 4};
    memcpy(cut, (const size_t[]){0, 2, 3, 5}, 4 * sizeof *cut);
    CHECK_STATUS(sgdplan_improve_split(&of, NULL, &of, cut, &step_s), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_improve_split(&of, slower_device, &of, cut, NULL),
                 SGDPLAN_BAD_ARGUMENT);
    cut[1] = 0;
    CHECK_STATUS(sgdplan_improve_split(&of, slower_device, &of, cut, &step_s),
                 SGDPLAN_BAD_ARGUMENT);
}

TEST_MAIN("test_stages");
