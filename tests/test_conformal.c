/* sgdfit_conformal and sgdfit_coverage: a band holds the next row as often as it says. */
#include "../sgdperf.h"
#include "../sgdperf_fit.h"
#include "test.h"
#include "chance.h"

#include <math.h>

enum { MOST = 400 };

static double work[2 * MOST];
static double predicted[MOST], measured[MOST];
static uint32_t set[MOST];

/* Offs of 1, 2, ... n percent, below and above in turn: the last 19 rows are a set. */
static void alternate(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        predicted[i] = 2.0;
        measured[i] = 2.0 + (i % 2 ? 0.02 : -0.02) * (double)(i + 1);
        set[i] = i + 19 < n ? 0 : 1;
    }
}

/* The first n of them, in the sets given. */
static sgdfit_rows rows_of(const uint32_t *sets, size_t n)
{
    return (sgdfit_rows){.predicted = predicted, .measured = measured, .n = n, .set = sets};
}

static sgdfit_status coverage(const uint32_t *sets, size_t n, double level,
                              sgdfit_coverage_result *out)
{
    const sgdfit_rows rows = rows_of(sets, n);
    return sgdfit_coverage(&rows, level, work, sizeof work, out);
}

/* Errors with heavy tails: uniform over uniform, signs in turn. */
static double error_of(uint64_t trial, uint64_t i)
{
    const double u = test_uniform(7, trial, 2 * i);
    const double v = test_uniform(7, trial, 2 * i + 1);
    return (i % 2 ? 0.02 : -0.02) * u / (0.05 + v);
}

static sgdfit_band band_of(const uint32_t *sets, const uint32_t *without, size_t n)
{
    sgdfit_rows rows = rows_of(sets, n);
    sgdfit_band band = {0};
    size_t bytes = 0;
    rows.without = without;
    CHECK_STATUS(sgdfit_conformal_bytes(&rows, &bytes), SGDFIT_OK);
    CHECK_STATUS(sgdfit_conformal(&rows, 0.9, work, bytes, &band), SGDFIT_OK);
    return band;
}

static void expect_ends(const uint32_t *sets, size_t n, double low, double high)
{
    const sgdfit_band band = band_of(sets, NULL, n);
    CHECK_REL(band.low, low, 1e-12);
    CHECK_REL(band.high, high, 1e-12);
}

TEST(each_end_is_the_rank_of_the_next_row)
{
    uint32_t left_out = 1;
    alternate(39);
    expect_ends(NULL, 39, 0.37, 0.36);             /* 40 * 0.95 = 38th of 39         */
    expect_ends(NULL, 19, 0.19, 0.18);             /* the last of 19                 */
    CHECK(band_of(NULL, NULL, 18).low > 1e300);    /* too few                        */
    CHECK(band_of(NULL, NULL, 18).high > 1e300);
    CHECK_REL(band_of(set, NULL, 39).level, 1.0 - 0.05 * 2.0 / 3.0, 1e-14);
    expect_ends(set, 39, 0.39, 0.38);
    CHECK(band_of(set, &left_out, 39).rows == 20 && band_of(set, &left_out, 39).sets == 1);
}

/* A row is of one set: it cannot be of that set alone and of another. Coverage needs all sets. */
TEST(sets_are_chosen_in_one_way)
{
    const uint32_t one = 1;
    sgdfit_rows rows = rows_of(set, 39);
    sgdfit_coverage_result c;
    sgdfit_band band;
    alternate(39);
    rows.only = &one;
    CHECK_STATUS(sgdfit_coverage(&rows, 0.5, work, sizeof work, &c), SGDFIT_BAD_ARGUMENT);
    rows.without = &one;
    CHECK_STATUS(sgdfit_conformal(&rows, 0.8, work, sizeof work, &band), SGDFIT_BAD_ARGUMENT);
    rows.only = NULL;
    CHECK_STATUS(sgdfit_coverage(&rows, 0.5, work, sizeof work, &c), SGDFIT_BAD_ARGUMENT);
    CHECK_STATUS(coverage(NULL, 39, 0.5, &c), SGDFIT_BAD_ARGUMENT);
}

/* The least x >= 0 that `rank` of the rows counted are not beyond, by counting; HUGE_VAL: too
 * few. sign: 1 above, -1 below. */
static double end_by_counting(const sgdfit_rows *of, double rank, double sign)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i <= of->n; i++) {
        const double x = i < of->n ? sign * (of->measured[i] / of->predicted[i] - 1.0) : 0.0;
        double within = 0.0, rows = 0.0;
        for (size_t k = 0; k < of->n; k++) {
            if (of->only && of->set[k] != *of->only) continue;
            if (of->without && of->set[k] == *of->without) continue;
            rows += 1.0;
            within += sign * (of->measured[k] / of->predicted[k] - 1.0) <= x;
        }
        if (x >= 0.0 && rows >= rank && within >= rank) least = fmin(least, x);
    }
    return least;
}

/* Rows, some of them equal, in up to five sets of any numbers and sizes. */
static size_t draw_rows(void)
{
    static const uint32_t name[] = { 7, 0, 4000000000u, 3, 8 };
    const size_t n = 1 + draw(60);
    const uint32_t sets = 1 + draw(5);
    const double shift = between(-0.3, 0.3);
    for (size_t i = 0; i < n; i++) {
        predicted[i] = between(0.5, 20.0);
        measured[i] = predicted[i] * (1.0 + shift + between(-0.5, 0.5));
        set[i] = name[draw(sets)];
        if (i == 0 || draw(5) > 0) continue;
        const size_t as = draw((uint32_t)i);
        predicted[i] = predicted[as];
        measured[i] = measured[as];
    }
    return n;
}

/* Number of sets with a row that counts, and of these rows. */
static size_t count_sets(const sgdfit_rows *of, size_t *rows)
{
    size_t sets = 0;
    *rows = 0;
    for (size_t i = 0, k; i < of->n; i++) {
        if (of->only && of->set[i] != *of->only) continue;
        if (of->without && of->set[i] == *of->without) continue;
        ++*rows;
        for (k = 0; k < i && of->set[k] != of->set[i]; k++) {}
        sets += k == i;
    }
    return sets;
}

/* Each end, from any rows: (rows + 1) (1 - (1 - level) / 2) rows are not beyond it, where the
 * level given is that of one set more. */
TEST(a_band_is_found_by_counting)
{
    for (int trial = 0; trial < TEST_SIZE(2000, 20000); trial++) {
        const size_t n = draw_rows();
        sgdfit_rows rows = rows_of(draw(3) ? set : NULL, n);
        const uint32_t which = set[draw((uint32_t)n)], way = rows.set ? draw(3) : 0;
        const double level = between(0.05, 0.95);
        size_t counted = n, sets = n;
        sgdfit_band band;
        if (way == 1) rows.only = &which;
        if (way == 2) rows.without = &which;
        if (rows.set) sets = count_sets(&rows, &counted);
        const sgdfit_status status = sgdfit_conformal(&rows, level, work, sizeof work, &band);
        CHECK_STATUS(status, counted > 0 ? SGDFIT_OK : SGDFIT_BAD_ARGUMENT);
        if (counted == 0) continue;
        const double beyond = 0.5 * (1.0 - level)
            * (rows.set ? (double)sets / (double)(sets + 1) : 1.0);
        const double rank = ceil(((double)counted + 1.0) * (1.0 - beyond) - 1e-9);
        CHECK(band.rows == counted && band.sets == sets);
        CHECK_REL(band.level, 1.0 - beyond, 1e-14);
        const double low = end_by_counting(&rows, rank, -1.0);
        const double high = end_by_counting(&rows, rank, 1.0);
        CHECK(band.low >= low && band.low <= low && band.high >= high && band.high <= high);
    }
}

/* Coverage: each set against the band of the others, where they have one. */
TEST(coverage_is_that_of_each_row_against_the_other_sets)
{
    for (int trial = 0; trial < TEST_SIZE(1000, 10000); trial++) {
        const size_t n = draw_rows();
        const double level = between(0.05, 0.9);
        sgdfit_rows others = rows_of(set, n);
        sgdfit_coverage_result c;
        double low = 0.0, high = 0.0;
        size_t rows = 0, covered = 0;
        int known = 1;
        for (size_t i = 0; i < n && known; i++) {
            const double off = measured[i] / predicted[i] - 1.0;
            sgdfit_band band;
            others.without = &set[i];
            known = sgdfit_conformal(&others, level, work, sizeof work, &band) == SGDFIT_OK;
            if (!known || band.high > 1e300) continue;
            rows++;
            covered += off >= -band.low && off <= band.high;
            low += band.low;
            high += band.high;
        }
        known = known && rows > 0;
        CHECK_STATUS(coverage(set, n, level, &c), known ? SGDFIT_OK : SGDFIT_BAD_ARGUMENT);
        if (!known) continue;
        CHECK(c.rows == rows && c.covered == covered);
        CHECK_REL(c.low, low / (double)rows, 1e-12);
        CHECK_REL(c.high, high / (double)rows, 1e-12);
    }
}

/* The requirement: 1000 times, from 20, 50 and 100 rows. */
TEST(a_band_holds_the_next_row_in_nine_of_ten_cases)
{
    static const size_t rows[] = { 20, 50, 100 };
    const size_t trials = 1000;
    for (size_t k = 0; k < 3; k++) {
        size_t held = 0;
        for (size_t trial = 0; trial < trials; trial++) {
            const double next = error_of(trial, MOST + k);
            for (size_t i = 0; i < rows[k]; i++) {
                predicted[i] = 3.0;
                measured[i] = 3.0 * (1.0 + error_of(trial, i));
            }
            sgdfit_band band = band_of(NULL, NULL, rows[k]);
            held += next >= -band.low && next <= band.high;
        }
        CHECK(held >= 870 && held <= 945);
    }
}

/* Sets that err alike: the share of the rows of unseen sets that lie in the band. */
static double held_of_sets(size_t sets, size_t of)
{
    const size_t trials = 1000;
    size_t held = 0, rows = 0;
    for (size_t trial = 0; trial < trials; trial++) {
        sgdfit_coverage_result c;
        for (size_t s = 0; s < sets; s++) {
            const double common = error_of(trial, 1000 + s);
            for (size_t i = 0; i < of; i++) {
                predicted[s * of + i] = 1.0;
                measured[s * of + i] = 1.0 + common + 0.5 * error_of(trial, s * of + i);
                set[s * of + i] = (uint32_t)(10 * s);
            }
        }
        CHECK_STATUS(coverage(set, sets * of, 0.9, &c), SGDFIT_OK);
        held += c.covered;
        rows += c.rows;
    }
    CHECK(rows == trials * sets * of);
    return (double)held / (double)rows;
}

/* About as often as said, because one set more is reckoned with; of few sets less often, as
 * the next one may lie beyond all of them, at either end. */
TEST(a_band_holds_the_rows_of_an_unseen_set)
{
    const double few = held_of_sets(5, 20), many = held_of_sets(20, 20);
    printf("    of 5 sets %.3f, of 20 sets %.3f\n", few, many);
    CHECK(few >= 0.79 && few <= 0.96);
    CHECK(many >= 0.86 && many <= 0.96);
}

TEST(bad_rows_are_refused)
{
    sgdfit_band band;
    sgdfit_coverage_result c;
    size_t bytes = 0;
    uint32_t none = 0;
    sgdfit_rows one = rows_of(NULL, 0), many = rows_of(NULL, (size_t)-1);
    predicted[0] = measured[0] = 1.0;
    set[0] = 0;
    CHECK_STATUS(sgdfit_conformal_bytes(NULL, &bytes), SGDFIT_BAD_ARGUMENT);
    CHECK_STATUS(sgdfit_conformal_bytes(&one, &bytes), SGDFIT_BAD_ARGUMENT);
    CHECK_STATUS(sgdfit_conformal_bytes(&many, &bytes), SGDFIT_TOO_LARGE);
#define REFUSED(p, m, s, w, level) \
    CHECK_STATUS(sgdfit_conformal(&(sgdfit_rows){.predicted = p, .measured = m, .n = 1, \
                                                 .set = s, .without = w}, \
                                  level, work, sizeof work, &band), SGDFIT_BAD_ARGUMENT)
    REFUSED(NULL, measured, NULL, NULL, 0.9);
    REFUSED(predicted, NULL, NULL, NULL, 0.9);
    REFUSED(predicted, measured, NULL, &none, 0.9);
    REFUSED(predicted, measured, set, &none, 0.9); /* no row left */
    REFUSED(predicted, measured, set, NULL, 0.0);
    REFUSED(predicted, measured, set, NULL, 1.0);
    REFUSED(predicted, measured, set, NULL, (double)NAN);
    measured[0] = (double)NAN;
    REFUSED(predicted, measured, set, NULL, 0.9);
    measured[0] = 0.0;
    REFUSED(predicted, measured, set, NULL, 0.9);
    measured[0] = 1.0;
    predicted[0] = 0.0;
    REFUSED(predicted, measured, set, NULL, 0.9);
    predicted[0] = 1.0;
#undef REFUSED
    one.n = 1;
    CHECK_STATUS(sgdfit_conformal(&one, 0.9, work, sizeof work, NULL), SGDFIT_BAD_ARGUMENT);
    CHECK_STATUS(coverage(NULL, 1, 0.9, &c), SGDFIT_BAD_ARGUMENT);
    CHECK_STATUS(coverage(set, 1, 0.9, NULL), SGDFIT_BAD_ARGUMENT);
    CHECK_STATUS(sgdfit_coverage(NULL, 0.9, work, sizeof work, &c), SGDFIT_BAD_ARGUMENT);
    measured[0] = 1.0;
    CHECK_STATUS(sgdfit_conformal(&one, 0.9, work, 8, &band), SGDFIT_SMALL_WORKSPACE);
    CHECK_STATUS(coverage(set, 1, 0.9, &c), SGDFIT_BAD_ARGUMENT);
}

/* Two rows are too few for a band that holds 90 % of rows: the band is infinite, and its coverage
 * is not reported. */
TEST(too_few_rows_have_no_coverage)
{
    const sgdfit_rows many = rows_of(NULL, (size_t)-1);
    sgdfit_coverage_result c;
    c.rows = 77;
    for (size_t i = 0; i < 3; i++) {
        predicted[i] = 1.0;
        measured[i] = 1.1;
        set[i] = (uint32_t)i;
    }
    CHECK_STATUS(coverage(set, 3, 0.9, &c), SGDFIT_BAD_ARGUMENT);
    CHECK_STATUS(sgdfit_conformal(&many, 0.9, work, sizeof work, NULL), SGDFIT_TOO_LARGE);
    CHECK(c.rows == 77);
}

TEST_MAIN("test_conformal");
