/* sgdfit_nnls, sgdfit_ranges, sgdfit_fit, sgdfit_profile_phases, sgdfit_calibrate,
 * sgdfit_errors and sgdfit_quantile. Expected values are closed forms, or found here by
 * other means: all passive sets, the conditions of Kuhn and Tucker, Student's
 * distribution as a finite sum, all thresholds, a fine grid. Work is always exactly as
 * large as the _bytes() answer, for the sanitizer to see. */
#include "../sgdperf.h"
#include "../sgdperf_fit.h"
#include "chance.h"
#include "exchange.h"
#include "fitted.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const double NOT_A_NUMBER = (double)NAN;
static const double INFINITE = (double)INFINITY;

static void *get_work(size_t bytes)
{
    void *work = malloc(bytes > 0 ? bytes : 1);
    if (!work) exit(EXIT_FAILURE);
    return work;
}

#define CHECK_REFUSED(call) CHECK_STATUS(call, SGDP_BAD_ARGUMENT)

/* Is every byte of an output still the 0x5a that it was filled with? */
#define FILL(object) memset(&(object), 0x5a, sizeof(object))
#define CHECK_UNTOUCHED(object) CHECK(is_filled(&(object), sizeof(object)))

static int is_filled(const void *object, size_t size)
{
    const unsigned char *byte = (const unsigned char *)object;
    for (size_t i = 0; i < size; i++)
        if (byte[i] != 0x5a) return 0;
    return 1;
}

/* ---- Non-negative least squares ---- */

enum { ROWS = 100, COLUMNS = 10 };

static sgdfit_status nnls(const double *a, const double *b, size_t rows, size_t columns,
                          double *x, double *residual)
{
    const sgdfit_system of = {.a = a, .b = b, .rows = rows, .columns = columns};
    size_t bytes = 0;
    sgdfit_status status = sgdfit_nnls_bytes(&of, &bytes);
    if (status != SGDFIT_OK) return status;
    void *work = get_work(bytes);
    status = sgdfit_nnls(&of, work, bytes, x, residual);
    free(work);
    return status;
}

TEST(nnls_gives_what_was_found_by_hand)
{
    /* Alone, both columns gain; together, the second one would be negative. */
    const double a[] = { 1.0, 1.0, 0.0, 1.0, 1.0, 0.0 }, b[] = { 2.0, -1.0, 1.0 };
    const double zero[] = { 0.0, 0.0, 0.0 };
    double x[2] = { 9.0, 9.0 }, residual = 9.0;
    CHECK_STATUS(nnls(a, b, 3, 2, x, &residual), SGDP_OK);
    CHECK_REL(x[0], 1.5, 1e-15);
    CHECK_REL(x[1], 0.0, 0.0);
    CHECK_REL(residual, sqrt(1.5), 1e-15);
    CHECK_STATUS(nnls(a, zero, 3, 2, x, &residual), SGDP_OK);
    CHECK(x[0] <= 0.0 && x[1] <= 0.0 && residual <= 0.0);
    CHECK_STATUS(nnls(a, b, 3, 2, x, NULL), SGDP_OK);
    CHECK_REL(x[0], 1.5, 1e-15);
}

/* Least squares over the columns in `set` by the normal equations, eliminated with
 * pivots; the squared residual, or -1 if x is not positive or not determined. */
static double solve_set(const double *a, const double *b, size_t rows, size_t columns,
                        unsigned set, double *x)
{
    double m[COLUMNS][COLUMNS + 1], row[COLUMNS + 1], sum = 0.0;
    size_t list[COLUMNS], n = 0, i, j, k;
    for (j = 0; j < columns; j++) {
        x[j] = 0.0;
        if (set >> j & 1u) list[n++] = j;
    }
    for (i = 0; i < n; i++)
        for (j = 0; j <= n; j++) {
            m[i][j] = 0.0;
            for (k = 0; k < rows; k++)
                m[i][j] += a[k * columns + list[i]]
                         * (j < n ? a[k * columns + list[j]] : b[k]);
        }
    for (i = 0; i < n; i++) {
        size_t pivot = i;
        for (k = i + 1; k < n; k++)
            if (fabs(m[k][i]) > fabs(m[pivot][i])) pivot = k;
        if (fabs(m[pivot][i]) < 1e-12) return -1.0;
        memcpy(row, m[i], sizeof row);
        memcpy(m[i], m[pivot], sizeof row);
        memcpy(m[pivot], row, sizeof row);
        for (k = i + 1; k < n; k++)
            for (j = n + 1; j-- > i;) m[k][j] -= m[i][j] * m[k][i] / m[i][i];
    }
    for (i = n; i-- > 0;) {
        for (j = i + 1; j < n; j++) m[i][n] -= m[i][j] * x[list[j]];
        x[list[i]] = m[i][n] / m[i][i];
        if (!(x[list[i]] > 0.0)) return -1.0;
    }
    for (k = 0; k < rows; k++) {
        double rest = b[k];
        for (j = 0; j < columns; j++) rest -= a[k * columns + j] * x[j];
        sum += rest * rest;
    }
    return sum;
}

TEST(nnls_is_the_best_of_all_passive_sets)
{
    double a[7 * 5], b[7], x[5], at[5], best[5] = { 0.0 }, residual;
    int dropped = 0;
    chance = 1;
    for (int trial = 0; trial < 500; trial++) {
        const size_t rows = 3 + (size_t)(5.0 * chance_unit());
        const size_t columns = 1 + (size_t)(5.0 * chance_unit());
        double least = INFINITE;
        for (size_t i = 0; i < rows * columns; i++) a[i] = between(-1.0, 2.0);
        for (size_t i = 0; i < rows; i++) b[i] = between(-1.0, 2.0);
        for (unsigned set = 0; set < 1u << columns; set++) {
            const double sum = solve_set(a, b, rows, columns, set, at);
            if (sum < 0.0 || !(sum < least)) continue;
            least = sum;
            memcpy(best, at, sizeof best);
        }
        CHECK_STATUS(nnls(a, b, rows, columns, x, &residual), SGDP_OK);
        CHECK_REL(1.0 + residual, 1.0 + sqrt(least), 1e-12);
        for (size_t i = 0; i < columns; i++) {
            if (columns <= rows) CHECK_REL(1.0 + x[i], 1.0 + best[i], 1e-9);
            if (best[i] <= 0.0) dropped++;
        }
    }
    CHECK(dropped > 100);
}

/* Kuhn and Tucker: x >= 0, no column with a gradient > 0, none for x > 0. */
static double kuhn_tucker_error(const double *a, const double *b, size_t rows,
                                size_t columns, const double *x, double residual)
{
    double rest[ROWS], size = 0.0, worst = 0.0, sum = 0.0;
    for (size_t i = 0; i < rows; i++) {
        rest[i] = b[i];
        for (size_t j = 0; j < columns; j++) rest[i] -= a[i * columns + j] * x[j];
        size += b[i] * b[i];
        sum += rest[i] * rest[i];
    }
    for (size_t j = 0; j < columns; j++) {
        double gradient = 0.0, length = 0.0;
        for (size_t i = 0; i < rows; i++) {
            gradient += a[i * columns + j] * rest[i];
            length += a[i * columns + j] * a[i * columns + j];
        }
        if (!(x[j] >= 0.0)) return INFINITE;
        if (x[j] > 0.0) gradient = fabs(gradient);
        if (gradient > worst * sqrt(size * length))
            worst = gradient / sqrt(size * length);
    }
    return worst > fabs(sqrt(sum) - residual) ? worst : fabs(sqrt(sum) - residual);
}

TEST(nnls_meets_the_conditions_of_kuhn_and_tucker)
{
    static double a[ROWS * COLUMNS], b[ROWS];
    double x[COLUMNS], residual;
    chance = 2;
    for (int trial = 0; trial < 600; trial++) {
        const size_t rows = trial % 3 == 0 ? 5 : ROWS; /* 5: more columns than rows */
        const double apart = trial % 2 == 0 ? 0.0 : pow(10.0, -trial % 17);
        for (size_t i = 0; i < rows * COLUMNS; i++) a[i] = between(-1.0, 1.5);
        for (size_t i = 0; i < rows; i++) {                   /* dependent columns, or nearly */
            double *row = a + i * COLUMNS;
            row[3] = row[7] * (1.0 + apart * chance_unit());
            row[5] = row[1] + row[2] + apart * chance_unit();
            b[i] = trial % 4 < 2 ? between(-1.0, 1.0) : row[1] + 3.0 * row[5] + row[8];
        }
        CHECK_STATUS(nnls(a, b, rows, COLUMNS, x, &residual), SGDP_OK);
        CHECK(kuhn_tucker_error(a, b, rows, COLUMNS, x, residual) < 1e-13);
    }
}

TEST(nnls_gives_exact_data_back)
{
    /* Ernest's columns over 1..64: a condition of 1e3. */
    static const double want[][4] = {
        { 0.05, 0.4, 0.02, 0.001 }, { 1e-6, 3.0, 1e-3, 1e-5 }, { 0.0, 1.0, 0.5, 0.0 },
        { 0.3, 0.0, 0.0, 0.002 }, { 0.0, 0.0, 0.0, 0.0 }, { 1e3, 1e-3, 1e-2, 1e-4 }
    };
    double a[64 * 4], b[64], x[4], residual;
    for (size_t k = 0; k < COUNT(want); k++) {
        for (size_t i = 0; i < 64; i++) {
            const double n = (double)(i + 1);
            double *row = a + 4 * i;
            row[0] = 1.0; row[1] = 1.0 / n; row[2] = log(n); row[3] = n;
            b[i] = 0.0;
            for (size_t j = 0; j < 4; j++) b[i] += row[j] * want[k][j];
        }
        CHECK_STATUS(nnls(a, b, 64, 4, x, &residual), SGDP_OK);
        for (size_t j = 0; j < 4; j++)
            if (want[k][j] > 0.0) CHECK_REL(x[j], want[k][j], 1e-9);
            else CHECK(x[j] >= 0.0 && x[j] < 1e-13);
        CHECK(residual <= 1e-14 * 8.0 * (b[0] + b[63]));
    }
}

TEST(nnls_takes_columns_of_zeros_and_of_any_size)
{
    const double size[] = { 1e-150, 1e150, 1.0, 5e-309, 1e300 };
    double a[6 * 6], b[6], x[6], residual;
    const double want[] = { 2e-5, 5e-6, 3e-5, 15e-6, 25e-7 };
    chance = 3;
    for (size_t i = 0; i < 6; i++) {
        b[i] = 0.0;
        a[i * 6 + 5] = 0.0;
        for (size_t j = 0; j < 5; j++) {
            const double entry = between(0.1, 1.0);
            a[i * 6 + j] = entry * size[j];
            b[i] += entry * want[j];
        }
    }
    CHECK_STATUS(nnls(a, b, 6, 6, x, &residual), SGDP_OK);
    for (size_t j = 0; j < 5; j++)
        if (j != 3) CHECK_REL(x[j] * size[j], want[j], 1e-12);
    CHECK_REL(x[3] * 5e-309, want[3], 1e-6);     /* denormal: few digits */
    CHECK_REL(x[5], 0.0, 0.0);
    CHECK(residual < 1e-10);
}

/* What columns gain by rounding is less than any, however small b is. */
TEST(nnls_of_the_smallest_double_gains_nothing_by_rounding)
{
    static const double a[9] = {DBL_MIN, 0, 0, 1e-300, 0, 0, 0.1875, 1.4375, -0.8125};
    static const double b[3] = {4.9406564584124654e-324, 0, 0};
    double x[3], residual = 0.0;
    CHECK_STATUS(nnls(a, b, 3, 3, x, &residual), SGDP_OK);
    CHECK(!(x[0] > 0.0) && !(x[1] > 0.0) && !(x[2] > 0.0));
    CHECK_REL(residual, b[0], 0.0);
}

/* What is left of b beside the first column: a little more than rounding, and less. */
TEST(nnls_takes_less_than_32_epsilons_for_rounding)
{
    static const double a[4] = { 1.0, 0.0, 0.0, 1.0 };
    double b[2] = { 1.0, 32.5 * DBL_EPSILON }, x[2];
    CHECK_STATUS(nnls(a, b, 2, 2, x, NULL), SGDP_OK);
    CHECK_REL(x[0], 1.0, 0.0);
    CHECK_REL(x[1], b[1], 1e-15);
    b[1] = 31.5 * DBL_EPSILON;
    CHECK_STATUS(nnls(a, b, 2, 2, x, NULL), SGDP_OK);
    CHECK_REL(x[1], 0.0, 0.0);
}

/* Columns so nearly dependent that rounding seems to gain by one more: as many as there
 * are rows reproduce b, and none of length 0 is added to them. */
TEST(nnls_ends_where_columns_depend_on_each_other)
{
    static const double wide[8] = {
        -1.1954853584696631e-09, 102937497018018.27, -8.1377468559151442e+18,
        -64.237806076977023, -2.4556249989360541, 1013855997.3634762, -1, 1
    };
    static const double wide_b[2] = { 4.0821424700478647e-17, 0.19860837326656822 };
    static const double flat[12] = {
        396078139.04131263, 2060530750735.137, 7.8216827918522736e-90, 0,
        4.7426410092431359e-11, 1, 1.6529078358705441e-24, 80.656692729830894,
        3.5828452746150412e+88, -6.5025583945398719e+24, 3.2888289616331226e+41,
        3.1315440086135088e-15
    };
    static const double flat_b[3] = {
        5.2623661136641145e+24, 8.3270433108179081e-25, 4.1137432976951473e-51
    };
    double x[4], residual;
    CHECK_STATUS(nnls(wide, wide_b, 2, 4, x, &residual), SGDFIT_OK);
    CHECK(residual <= 1e-13);
    CHECK_STATUS(nnls(flat, flat_b, 3, 4, x, &residual), SGDFIT_OK);
    CHECK(residual <= flat_b[0]);
}

TEST(nnls_refuses_and_writes_nothing)
{
    double a[] = { 1.0, 0.0, 0.0, 1.0 }, b[] = { 1.0, 2.0 }, x[2], residual, work[64];
    size_t bytes;
    FILL(x); FILL(residual); FILL(bytes);
#define SIZED(n, k) &(sgdfit_system){.a = a, .b = b, .rows = n, .columns = k}
    CHECK_REFUSED(sgdfit_nnls_bytes(NULL, &bytes));
    CHECK_REFUSED(sgdfit_nnls_bytes(SIZED(0, 2), &bytes));
    CHECK_REFUSED(sgdfit_nnls_bytes(SIZED(2, 0), &bytes));
    CHECK_REFUSED(sgdfit_nnls_bytes(SIZED(2, 2), NULL));
    for (unsigned bit = 8 * sizeof(size_t) - 4; bit < 8 * sizeof(size_t); bit++)
        for (size_t few = 1; few < 4; few++) {         /* 2^61 doubles wrap to 0 bytes */
            const size_t many = (size_t)1 << bit, most = many - 1 + many;
            CHECK_STATUS(sgdfit_nnls_bytes(SIZED(many, few), &bytes), SGDFIT_TOO_LARGE);
            CHECK_STATUS(sgdfit_nnls_bytes(SIZED(few, many), &bytes), SGDFIT_TOO_LARGE);
            CHECK_STATUS(sgdfit_nnls_bytes(SIZED(most, few), &bytes), SGDFIT_TOO_LARGE);
        }
    CHECK_STATUS(sgdfit_nnls_bytes(SIZED((size_t)1 << (sizeof(size_t) * 4),
                                         (size_t)1 << (sizeof(size_t) * 4)), &bytes),
                 SGDFIT_TOO_LARGE);
    CHECK_UNTOUCHED(bytes);
    CHECK_STATUS(sgdfit_nnls_bytes(SIZED(2, 2), &bytes), SGDFIT_OK);
    CHECK(bytes <= sizeof work);
    CHECK_REFUSED(nnls(NULL, b, 2, 2, x, &residual));
    CHECK_REFUSED(nnls(a, NULL, 2, 2, x, &residual));
    CHECK_REFUSED(nnls(a, b, 2, 2, NULL, &residual));
    CHECK_REFUSED(sgdfit_nnls(NULL, work, bytes, x, &residual));
    CHECK_REFUSED(sgdfit_nnls(SIZED(0, 2), work, bytes, x, &residual));
    CHECK_REFUSED(sgdfit_nnls(SIZED(2, 2), NULL, bytes, x, &residual));
    CHECK_REFUSED(sgdfit_nnls(SIZED(2, 2), (char *)work + 1, bytes, x, &residual));
    CHECK_STATUS(sgdfit_nnls(SIZED(2, 2), work, bytes - 1, x, &residual),
                 SGDFIT_SMALL_WORKSPACE);
#undef SIZED
    a[3] = NOT_A_NUMBER;
    CHECK_REFUSED(nnls(a, b, 2, 2, x, &residual));
    a[3] = -INFINITE;
    CHECK_REFUSED(nnls(a, b, 2, 2, x, &residual));
    a[1] = a[3] = DBL_MAX;                       /* a column that is longer */
    CHECK_REFUSED(nnls(a, b, 2, 2, x, &residual));
    a[1] = 0.0; a[3] = 1.0; b[1] = INFINITE;
    CHECK_REFUSED(nnls(a, b, 2, 2, x, &residual));
    b[0] = 0.0; b[1] = NOT_A_NUMBER;
    CHECK_REFUSED(nnls(a, b, 2, 2, x, &residual));
    b[0] = b[1] = DBL_MAX;                       /* longer, too */
    CHECK_REFUSED(nnls(a, b, 2, 2, x, &residual));
    b[0] = 1.0; b[1] = 1e300; a[3] = 1e-300;     /* x of 1e600 */
    CHECK_REFUSED(nnls(a, b, 2, 2, x, &residual));
    CHECK_UNTOUCHED(x);
    CHECK_UNTOUCHED(residual);
}

/* ---- Ranges of sizes ---- */

enum { SIZES = 12, RANGES = 6 };

typedef struct ranged {
    double size[SIZES], time_s[SIZES], term[2 * SIZES * 2], bound[2];
    unsigned char extra[SIZES];
    sgdfit_times of;
    sgdfit_range range[RANGES];
    double x[RANGES * 2];
    size_t ranges;
} ranged;

/* Sizes 1, 2, 4 ... 2048. The time is a base and a share of the size, by formula 0; by formula 1
 * it is a multiple of the square of the size alone. From 32 on the base and the share differ. */
static void make_ranged(ranged *r)
{
    memset(r, 0, sizeof *r);
    for (size_t i = 0; i < SIZES; i++) {
        const double size = (double)(1u << i);
        r->size[i] = size;
        r->time_s[i] = size <= 32.0 ? 8.0 + 0.5 * size : 16.0 + 0.25 * size;
        r->term[2 * i] = 1.0;
        r->term[2 * i + 1] = size;
        r->term[2 * SIZES + 2 * i] = size * size;
    }
    r->bound[0] = 32.0;
    r->bound[1] = 4096.0;
    r->of = (sgdfit_times){.points = SIZES, .formulas = 2, .terms = 2, .bounds = 2,
                           .size = r->size, .time_s = r->time_s, .term = r->term,
                           .bound = r->bound};
}

static sgdfit_status find_ranges(ranged *r)
{
    size_t bytes = 0;
    sgdfit_status status = sgdfit_ranges_bytes(&r->of, &bytes);
    if (status != SGDFIT_OK) return status;
    void *work = get_work(bytes);
    status = sgdfit_ranges(&r->of, work, bytes, r->range, r->x, &r->ranges);
    free(work);
    return status;
}

/* The point on the bound, 24 by both, belongs to both ranges. */
TEST(ranges_give_the_constants_of_each_range_back)
{
    ranged r;
    make_ranged(&r);
    CHECK_STATUS(find_ranges(&r), SGDFIT_OK);
    CHECK(r.ranges == 2);
    CHECK(r.range[0].formula == 0 && r.range[1].formula == 0);
    CHECK_REL(r.range[0].below, 32.0, 0.0);
    CHECK_REL(r.range[1].from, 32.0, 0.0);
    CHECK(r.range[0].from <= 0.0 && r.range[1].below <= 0.0);
    CHECK_REL(r.x[0], 8.0, 1e-12);
    CHECK_REL(r.x[1], 0.5, 1e-12);
    CHECK_REL(r.x[2], 16.0, 1e-12);
    CHECK_REL(r.x[3], 0.25, 1e-12);
    CHECK(r.range[0].mean_error < 1e-12 && r.range[1].mean_error < 1e-12);
}

/* Ranges as their comment defines them, a formula at a time. */
static void define_range(ranged *want, double from, double below)
{
    const sgdfit_times *of = &want->of;
    const size_t first = want->ranges;
    double least = INFINITE;
    for (size_t f = 0; f < of->formulas; f++) {
        double a[SIZES * 2], b[SIZES], x[2] = {0.0, 0.0}, sum = 0.0;
        size_t rows = 0;
        for (size_t i = 0; i < of->points; i++) {
            if (of->size[i] < from || (below > 0.0 && of->size[i] > below)) continue;
            for (size_t k = 0; k < of->terms; k++)
                a[rows * of->terms + k] =
                    of->term[(f * of->points + i) * of->terms + k] / of->time_s[i];
            b[rows++] = 1.0;
        }
        const sgdfit_system system = {.a = a, .b = b, .rows = rows, .columns = of->terms};
        double work[256];
        CHECK_STATUS(sgdfit_nnls(&system, work, sizeof work, x, NULL), SGDFIT_OK);
        for (size_t i = 0; i < rows; i++) {
            double fitted = 0.0;
            for (size_t k = 0; k < of->terms; k++) fitted += a[i * of->terms + k] * x[k];
            sum += fabs(fitted - 1.0);
        }
        want->range[want->ranges] = (sgdfit_range){from, below, f, sum / (double)rows};
        memcpy(want->x + want->ranges++ * of->terms, x, of->terms * sizeof *x);
        least = fmin(least, sum / (double)rows);
    }
    size_t kept = first;
    for (size_t i = first; i < want->ranges; i++) {
        if (want->range[i].mean_error > 1.3 * least + 0.002) continue;
        want->range[kept] = want->range[i];
        memmove(want->x + kept++ * of->terms, want->x + i * of->terms, of->terms * sizeof(double));
    }
    want->ranges = kept;
}

static size_t own_points(const sgdfit_times *of, double from, double to)
{
    size_t n = 0;
    for (size_t i = 0; i < of->points; i++)
        n += of->size[i] >= from && of->size[i] <= to && !(of->extra && of->extra[i]);
    return n;
}

static void define_ranges(ranged *want)
{
    const sgdfit_times *of = &want->of;
    double from = 0.0;
    want->ranges = 0;
    for (size_t i = 0; i < of->bounds; i++)
        if (own_points(of, from, of->bound[i]) >= 3 &&
            own_points(of, of->bound[i], INFINITE) >= 3) {
            define_range(want, from, of->bound[i]);
            from = of->bound[i];
        }
    if (own_points(of, from, INFINITE) > 0) define_range(want, from, 0.0);
}

/* Small sizes, in any order, many on a bound. A formula errs by some tenths, or by some
 * thousandths, where the two limits of what is hardly worse count. */
static void draw_ranged(ranged *r, uint64_t draw)
{
    uint64_t at = 0;
#define DRAWN test_uniform(7, draw, at++)
#define DRAWN_BELOW(n) ((size_t)(DRAWN * (n)))
    memset(r, 0, sizeof *r);
    const double noise = DRAWN < 0.5 ? 0.4 : 0.008;
    r->of = (sgdfit_times){.size = r->size, .time_s = r->time_s, .term = r->term,
                           .bound = r->bound};
    r->of.points = 1 + DRAWN_BELOW(SIZES);
    r->of.formulas = 1 + DRAWN_BELOW(2);
    r->of.terms = 1 + DRAWN_BELOW(2);
    r->of.bounds = DRAWN_BELOW(3);
    if (DRAWN < 0.5) r->of.extra = r->extra;
    r->bound[0] = 0.5 + 0.5 * (double)DRAWN_BELOW(8);
    r->bound[1] = r->bound[0] + 0.5 + 0.5 * (double)DRAWN_BELOW(8);
    for (size_t i = 0; i < r->of.points; i++) {
        r->size[i] = 0.5 * (double)DRAWN_BELOW(16);
        r->time_s[i] = (1.0 + r->size[i]) * (1.0 + noise * (DRAWN - 0.5));
        r->extra[i] = DRAWN < 0.2;
        for (size_t f = 0; f < r->of.formulas; f++)
            for (size_t k = 0; k < r->of.terms; k++)
                r->term[(f * r->of.points + i) * r->of.terms + k] =
                    k > 0 ? r->size[i] : (1.0 + r->size[i]) * (1.0 + noise * (DRAWN - 0.5));
    }
}

TEST(ranges_are_those_of_their_definition)
{
    for (uint64_t draw = 0; draw < TEST_SIZE(2000, 20000); draw++) {
        const unsigned failures = test_failures;
        ranged got, want;
        draw_ranged(&got, draw);
        draw_ranged(&want, draw);
        define_ranges(&want);
        CHECK_STATUS(find_ranges(&got), SGDFIT_OK);
        CHECK(got.ranges == want.ranges);
        for (size_t i = 0; i < want.ranges && got.ranges == want.ranges; i++) {
            const sgdfit_range *g = &got.range[i], *w = &want.range[i];
            CHECK(g->formula == w->formula);
            CHECK_REL(g->from, w->from, 0.0);
            CHECK_REL(g->below, w->below, 0.0);
            CHECK(fabs(g->mean_error - w->mean_error) <= 1e-12);
            for (size_t k = 0; k < want.of.terms; k++)
                CHECK_REL(got.x[i * want.of.terms + k], want.x[i * want.of.terms + k], 0.0);
        }
        if (test_failures > failures) fprintf(stderr, "    in draw %lu\n", (unsigned long)draw);
    }
}

#define REFUSED(change) do { make_ranged(&r); FILL(r.range); FILL(r.x); FILL(r.ranges); \
                             change; CHECK_REFUSED(find_ranges(&r));                    \
                             CHECK_UNTOUCHED(r.range); CHECK_UNTOUCHED(r.x);            \
                             CHECK_UNTOUCHED(r.ranges); } while (0)

TEST(ranges_refuse_what_is_wrong_and_write_nothing)
{
    const double wrong[] = { -1.0, NOT_A_NUMBER, INFINITE };
    ranged r;
    REFUSED(r.of.points = 0);
    REFUSED(r.of.formulas = 0);
    REFUSED(r.of.terms = 0);
    REFUSED(r.of.size = NULL);
    REFUSED(r.of.time_s = NULL);
    REFUSED(r.of.term = NULL);
    REFUSED(r.of.bound = NULL);
    REFUSED(r.of.bounds = 1; r.of.bound = NULL);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        for (size_t k = 0; k < SIZES; k++) REFUSED(r.size[k] = wrong[i]);
        for (size_t k = 0; k < SIZES; k++) REFUSED(r.time_s[k] = wrong[i]);
        for (size_t k = 0; k < 4 * SIZES; k++) REFUSED(r.term[k] = wrong[i]);
        for (size_t k = 0; k < 2; k++) REFUSED(r.bound[k] = wrong[i]);
    }
    for (size_t k = 0; k < SIZES; k++) REFUSED(r.time_s[k] = 0.0);
    REFUSED(r.bound[0] = 0.0);
    REFUSED(r.bound[1] = r.bound[0]);
    REFUSED(r.term[3] = DBL_MAX; r.time_s[1] = 1e-300);
}

TEST(ranges_refuse_sizes_and_work)
{
    ranged r;
    size_t bytes = 0;
    double work[256];
    make_ranged(&r);
    FILL(r.range); FILL(r.x); FILL(r.ranges);
    CHECK_REFUSED(sgdfit_ranges_bytes(NULL, &bytes));
    CHECK_REFUSED(sgdfit_ranges_bytes(&r.of, NULL));
    CHECK_STATUS(sgdfit_ranges_bytes(&r.of, &bytes), SGDFIT_OK);
    CHECK(bytes <= sizeof work);
    CHECK_STATUS(sgdfit_ranges(&r.of, work, bytes - 1, r.range, r.x, &r.ranges),
                 SGDFIT_SMALL_WORKSPACE);
    CHECK_REFUSED(sgdfit_ranges(&r.of, NULL, bytes, r.range, r.x, &r.ranges));
    CHECK_REFUSED(sgdfit_ranges(NULL, work, bytes, r.range, r.x, &r.ranges));
    CHECK_REFUSED(sgdfit_ranges(&r.of, work, bytes, NULL, r.x, &r.ranges));
    CHECK_REFUSED(sgdfit_ranges(&r.of, work, bytes, r.range, NULL, &r.ranges));
    CHECK_REFUSED(sgdfit_ranges(&r.of, work, bytes, r.range, r.x, NULL));
    CHECK_UNTOUCHED(r.range); CHECK_UNTOUCHED(r.x); CHECK_UNTOUCHED(r.ranges);
    enum { BITS = 8 * sizeof(size_t) };
    for (unsigned a = 0; a < BITS; a++)                  /* term[formulas][points][terms] */
        for (unsigned b = 0; b < BITS; b++)
            for (unsigned c = 0; c < BITS; c++) {
                const sgdfit_times of = {.points = (size_t)1 << a, .formulas = (size_t)1 << b,
                                         .terms = (size_t)1 << c};
                const sgdfit_status status = sgdfit_ranges_bytes(&of, &bytes);
                if (a + b + c >= BITS - 4) CHECK_STATUS(status, SGDFIT_TOO_LARGE);
                if (a + b + c < BITS / 3) CHECK_STATUS(status, SGDFIT_OK);
            }
    r.of = (sgdfit_times){.points = ~(size_t)0 / sizeof(sgdfit_range) / 8, .formulas = 1,
                          .terms = 8};             /* as many as can be counted     */
    CHECK_STATUS(sgdfit_ranges_bytes(&r.of, &bytes), SGDFIT_OK);
    r.of = (sgdfit_times){.points = 1, .formulas = 1, .terms = 1};
    for (r.of.bounds = ~(size_t)0; r.of.bounds >> (BITS - 5) > 0; r.of.bounds -= r.of.bounds / 9)
        CHECK_STATUS(sgdfit_ranges_bytes(&r.of, &bytes), SGDFIT_TOO_LARGE);
    r.of.bounds = 0;
    r.of.points = 1;
    r.of.terms = (size_t)1 << (8 * sizeof(size_t) - 6);   /* the work of sgdfit_nnls */
    r.of.formulas = 1;
    CHECK_STATUS(sgdfit_ranges_bytes(&r.of, &bytes), SGDFIT_TOO_LARGE);
}

/* ---- Curves ---- */

static const sgdfit_blackbox BLACKBOX[] = { SGDFIT_ERNEST, SGDFIT_OPTIMUS_ASYNC,
                                          SGDFIT_OPTIMUS_SYNC, SGDFIT_AMDAHL, SGDFIT_USL };

static sgdfit_status fit_curve(sgdfit_blackbox model, const double *workers,
                               const double *rate, size_t n, sgdfit_curve *out)
{
    sgdfit_point point[64];
    size_t bytes = 0;
    sgdfit_status status = sgdfit_fit_bytes(model, n, &bytes);
    if (status != SGDFIT_OK) return status;
    memset(point, 0, sizeof point);
    for (size_t i = 0; i < n; i++) {
        point[i].workers = workers[i];
        point[i].batches_per_s = rate[i];
    }
    void *work = get_work(bytes);
    status = sgdfit_fit(model, point, n, work, bytes, out);
    free(work);
    return status;
}

/* The formulas of the declaration. */
static double curve(sgdfit_blackbox model, const double *a, double n)
{
    switch (model) {
    case SGDFIT_ERNEST: return n / (a[0] + a[1] / n + a[2] * log(n) + a[3] * n);
    case SGDFIT_OPTIMUS_ASYNC: return n / (a[0] + a[1] * n);
    case SGDFIT_OPTIMUS_SYNC: return n / (a[0] / n + a[1] + a[2] * n);
    case SGDFIT_AMDAHL: return a[0] * n / (1.0 + a[1] * (n - 1.0));
    case SGDFIT_USL: return a[0] * n / (1.0 + a[1] * (n - 1.0) + a[2] * n * (n - 1.0));
    case SGDFIT_OPTIMUS_ASYNC_SERVERS:
    case SGDFIT_OPTIMUS_SYNC_SERVERS:
    case SGDFIT_BLACKBOX_COUNT: break;
    }
    return NOT_A_NUMBER;
}

TEST(black_boxes_have_their_names_and_parameters)
{
    static const char *const name[] = { "ernest", "optimus-async", "optimus-sync",
                                        "amdahl", "usl" };
    static const size_t parameters[] = { 4, 2, 3, 2, 3 };
    for (size_t i = 0; i < COUNT(BLACKBOX); i++) {
        CHECK_TEXT(sgdfit_blackbox_text(BLACKBOX[i]), name[i]);
        CHECK(sgdfit_blackbox_parameters(BLACKBOX[i]) == parameters[i]);
    }
    CHECK_TEXT(sgdfit_blackbox_text(SGDFIT_BLACKBOX_COUNT), "no such value");
    CHECK(sgdfit_blackbox_parameters(SGDFIT_BLACKBOX_COUNT) == 0);
}

TEST(curves_of_exact_data_give_their_parameters_back)
{
    static const double parameter[][5][4] = {
        { { 0.05, 0.4, 0.02, 0.001 }, { 0.2, 0.03, 0.0, 0.0 }, { 0.3, 0.1, 0.004, 0.0 },
          { 5.0, 0.07, 0.0, 0.0 }, { 5.0, 0.03, 1e-4, 0.0 } },
        { { 0.05, 0.4, 0.0, 0.001 }, { 0.0, 0.03, 0.0, 0.0 }, { 0.0, 0.1, 0.004, 0.0 },
          { 1e6, 0.0, 0.0, 0.0 }, { 1e-6, 0.03, 0.0, 0.0 } }
    };
    double workers[64], rate[64];
    size_t i;
    for (size_t n = 4; n <= 64; n *= 4)
        for (size_t set = 0; set < 2; set++)
            for (size_t k = 0; k < COUNT(BLACKBOX); k++) {
                const double *want = parameter[set][k];
                sgdfit_curve fit;
                for (i = 0; i < n; i++) {
                    workers[i] = (double)(i + 1);
                    rate[i] = curve(BLACKBOX[k], want, workers[i]);
                }
                CHECK_STATUS(fit_curve(BLACKBOX[k], workers, rate, n, &fit), SGDFIT_OK);
                CHECK(fit.model == BLACKBOX[k]);
                CHECK(fit.parameters == sgdfit_blackbox_parameters(BLACKBOX[k]));
                CHECK(fit.max_error < 1e-12 && fit.mean_error <= fit.max_error);
                for (i = 0; i < fit.parameters; i++)
                    if (want[i] > 0.0) CHECK_REL(fit.parameter[i], want[i], 1e-9);
                    else CHECK(fit.parameter[i] >= 0.0 && fit.parameter[i] < 1e-12);
                for (; i < SGDFIT_PARAMETERS; i++)
                    CHECK_REL(fit.parameter[i], 0.0, 0.0);
                CHECK_REL(sgdfit_curve_at(&fit, 2.5, 0.0), curve(BLACKBOX[k], want, 2.5), 1e-9);
                CHECK_REL(sgdfit_curve_at(&fit, 1e3, 0.0), curve(BLACKBOX[k], want, 1e3), 1e-9);
            }
}

/* At the minimum of the relative errors of the step time, r_i = 1 - fitted / s_i, the
 * derivatives vanish: sum r_i f_k(n_i) / s_i = 0. */
TEST(curves_minimize_relative_errors_of_the_step_time)
{
    double workers[12], rate[12], mean = 0.0, largest = 0.0, sum[2] = { 0.0, 0.0 };
    sgdfit_curve fit;
    chance = 4;
    for (size_t i = 0; i < 12; i++) {
        workers[i] = (double)(i + 1);
        rate[i] = workers[i] / ((0.2 + 0.03 * workers[i]) * between(0.8, 1.2));
    }
    CHECK_STATUS(fit_curve(SGDFIT_OPTIMUS_ASYNC, workers, rate, 12, &fit), SGDP_OK);
    for (size_t i = 0; i < 12; i++) {
        const double s = workers[i] / rate[i];
        const double fitted = fit.parameter[0] + fit.parameter[1] * workers[i];
        const double error = fabs(workers[i] / fitted - rate[i]) / rate[i];
        sum[0] += (1.0 - fitted / s) / s;
        sum[1] += (1.0 - fitted / s) * workers[i] / s;
        mean += error / 12.0;
        if (error > largest) largest = error;
    }
    CHECK(fabs(sum[0]) < 1e-11 && fabs(sum[1]) < 1e-11);
    CHECK_REL(fit.mean_error, mean, 1e-12);
    CHECK_REL(fit.max_error, largest, 1e-12);
    CHECK(largest > 0.05);
}

TEST(curves_need_points_and_a_rate_of_one_worker)
{
    const double workers[] = { 2.0, 3.0, 4.0, 5.0, 6.0 };
    const double twice[] = { 2.0, 3.0, 2.0, 3.0, 3.0 };
    double rate[5];
    sgdfit_curve fit;
    /* A step of (n - 1)^2: no a0 is large enough. */
    for (size_t i = 0; i < 5; i++)
        rate[i] = workers[i] / ((workers[i] - 1.0) * (workers[i] - 1.0));
    FILL(fit);
    CHECK_REFUSED(fit_curve(SGDFIT_AMDAHL, workers, rate, 5, &fit));
    CHECK_REFUSED(fit_curve(SGDFIT_USL, workers, rate, 2, &fit));
    CHECK_REFUSED(fit_curve(SGDFIT_USL, twice, rate, 5, &fit));
    CHECK_REFUSED(fit_curve(SGDFIT_ERNEST, workers, rate, 3, &fit));
    CHECK_REFUSED(fit_curve(SGDFIT_OPTIMUS_ASYNC, workers, rate, 1, &fit));
    for (size_t i = 0; i < 5; i++) rate[i] = twice[i] / (0.2 + 0.03 * twice[i]);
    for (size_t n = 3; n <= 5; n++) CHECK_REFUSED(fit_curve(SGDFIT_USL, twice, rate, n, &fit));
    CHECK_UNTOUCHED(fit);
    CHECK_STATUS(fit_curve(SGDFIT_OPTIMUS_ASYNC, twice, rate, 5, &fit), SGDP_OK);
    CHECK_STATUS(fit_curve(SGDFIT_ERNEST, workers, rate, 4, &fit), SGDP_OK);
}

/* Two numbers of workers are enough for two parameters, however close they are. */
TEST(curves_of_close_points_are_fitted)
{
    static const double workers[] = { 1e6, 1e6 + 1.0, 1e6 };
    static const double parameter[2][2] = { { 0.5, 1e-6 }, { 2.0, 3e-6 } };
    static const sgdfit_blackbox model[] = { SGDFIT_OPTIMUS_ASYNC, SGDFIT_AMDAHL };
    for (size_t m = 0; m < 2; m++) {
        double rate[3];
        sgdfit_curve fit;
        for (size_t i = 0; i < 3; i++) rate[i] = curve(model[m], parameter[m], workers[i]);
        CHECK_STATUS(fit_curve(model[m], workers, rate, 3, &fit), SGDFIT_OK);
        CHECK(fit.max_error < 1e-12);
        CHECK_REL(sgdfit_curve_at(&fit, 1e6, 0.0), rate[0], 1e-12);
    }
}

TEST(curves_refuse_and_write_nothing)
{
    double workers[] = { 1.0, 2.0, 3.0, 4.0 }, rate[] = { 1.0, 1.9, 2.7, 3.4 }, work[64];
    const double bad_workers[] = { 0.0, 0.5, -1.0, 1e308 * 10.0, NOT_A_NUMBER };
    const double bad_rate[] = { 0.0, -1.0, INFINITE, NOT_A_NUMBER, 5e-324 };
    sgdfit_point point[4];
    size_t bytes;
    sgdfit_curve fit;
    memset(point, 0, sizeof point);
    for (size_t i = 0; i < 4; i++) {
        point[i].workers = workers[i];
        point[i].batches_per_s = rate[i];
    }
    FILL(bytes); FILL(fit);
    CHECK_REFUSED(sgdfit_fit_bytes(SGDFIT_USL, 0, &bytes));
    CHECK_REFUSED(sgdfit_fit_bytes(SGDFIT_BLACKBOX_COUNT, 4, &bytes));
    CHECK_REFUSED(sgdfit_fit_bytes(SGDFIT_USL, 4, NULL));
    CHECK_STATUS(sgdfit_fit_bytes(SGDFIT_USL, (size_t)-1, &bytes), SGDFIT_TOO_LARGE);
    CHECK_STATUS(sgdfit_fit_bytes(SGDFIT_USL, (size_t)-1 / 64, &bytes), SGDFIT_TOO_LARGE);
    CHECK_UNTOUCHED(bytes);
    CHECK_STATUS(sgdfit_fit_bytes(SGDFIT_USL, 4, &bytes), SGDFIT_OK);
    CHECK(bytes <= sizeof work);
    CHECK_REFUSED(sgdfit_fit(SGDFIT_USL, NULL, 4, work, bytes, &fit));
    CHECK_REFUSED(sgdfit_fit(SGDFIT_USL, point, 4, work, bytes, NULL));
    CHECK_REFUSED(sgdfit_fit(SGDFIT_USL, point, 0, work, bytes, &fit));
    CHECK_REFUSED(sgdfit_fit(SGDFIT_BLACKBOX_COUNT, point, 4, work, bytes, &fit));
    CHECK_REFUSED(sgdfit_fit(SGDFIT_USL, point, 4, NULL, bytes, &fit));
    CHECK_STATUS(sgdfit_fit(SGDFIT_USL, point, 4, work, bytes - 1, &fit),
                 SGDFIT_SMALL_WORKSPACE);
    for (size_t i = 0; i < COUNT(bad_workers); i++) {
        workers[3] = bad_workers[i];
        CHECK_REFUSED(fit_curve(SGDFIT_USL, workers, rate, 4, &fit));
    }
    workers[3] = 1e200;                          /* its square is too large */
    CHECK_REFUSED(fit_curve(SGDFIT_USL, workers, rate, 4, &fit));
    workers[3] = 4.0;
    for (size_t i = 0; i < COUNT(bad_rate); i++) {
        rate[3] = bad_rate[i];
        CHECK_REFUSED(fit_curve(SGDFIT_USL, workers, rate, 4, &fit));
    }
    rate[0] = 1e-300; rate[3] = 1e300;           /* an error of 1e600 */
    CHECK_REFUSED(fit_curve(SGDFIT_USL, workers, rate, 4, &fit));
    CHECK_UNTOUCHED(fit);
}

TEST(eval_is_zero_where_there_is_no_throughput)
{
    sgdfit_curve fit = {.model = SGDFIT_ERNEST};
    fit.parameter[2] = 0.5;                      /* s = ln(n) / 2, 0 at n = 1 */
    CHECK_REL(sgdfit_curve_at(&fit, 1.0, 0.0), 0.0, 0.0);
    CHECK_REL(sgdfit_curve_at(&fit, 3.0, 0.0), 6.0 / log(3.0), 1e-15);
    CHECK_REL(sgdfit_curve_at(NULL, 3.0, 0.0), 0.0, 0.0);
    CHECK_REL(sgdfit_curve_at(&fit, 0.99, 0.0), 0.0, 0.0);
    CHECK_REL(sgdfit_curve_at(&fit, -3.0, 0.0), 0.0, 0.0);
    CHECK_REL(sgdfit_curve_at(&fit, INFINITE, 0.0), 0.0, 0.0);
    CHECK_REL(sgdfit_curve_at(&fit, NOT_A_NUMBER, 0.0), 0.0, 0.0);
    fit.parameter[2] = -1.0;
    CHECK_REL(sgdfit_curve_at(&fit, 3.0, 0.0), 0.0, 0.0);
    fit.parameter[2] = NOT_A_NUMBER;
    CHECK_REL(sgdfit_curve_at(&fit, 3.0, 0.0), 0.0, 0.0);
    fit.parameter[2] = 1.0;
    fit.model = SGDFIT_BLACKBOX_COUNT;
    CHECK_REL(sgdfit_curve_at(&fit, 3.0, 0.0), 0.0, 0.0);
    fit.model = SGDFIT_OPTIMUS_ASYNC;
    fit.parameter[0] = 1.0;
    CHECK_REL(sgdfit_curve_at(&fit, 1.0, 0.0), 1.0, 1e-15);
    CHECK_REL(sgdfit_curve_at(&fit, 0.5, 0.0), 0.0, 0.0);
    fit.model = SGDFIT_USL;
    fit.parameter[0] = -2.0;
    CHECK_REL(sgdfit_curve_at(&fit, 3.0, 0.0), 0.0, 0.0);
    fit.parameter[0] = 2.0;
    fit.parameter[1] = 1e308;                    /* the sum overflows */
    CHECK_REL(sgdfit_curve_at(&fit, 1e10, 0.0), 0.0, 0.0);
}

/* ---- Points left out ---- */

static sgdfit_status leave_out(sgdfit_blackbox model, const sgdfit_point *point, size_t n,
                               sgdfit_left_out *out)
{
    size_t bytes = 0;
    sgdfit_status status = sgdfit_leave_out_bytes(model, n, &bytes);
    if (status != SGDFIT_OK) return status;
    void *work = get_work(bytes);
    status = sgdfit_leave_out(model, point, n, work, bytes, out);
    free(work);
    return status;
}

/* s = a + b n by the normal equations of relative errors, without the points of `out` workers. */
static void line_without(const sgdfit_point *point, size_t n, double out, double *a, double *b)
{
    double s00 = 0.0, s01 = 0.0, s11 = 0.0, r0 = 0.0, r1 = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double w = point[i].batches_per_s / point[i].workers, x = point[i].workers;
        if (fabs(x - out) < 0.5) continue;
        s00 += w * w;
        s01 += w * w * x;
        s11 += w * w * x * x;
        r0 += w;
        r1 += w * x;
    }
    *a = (r0 * s11 - r1 * s01) / (s00 * s11 - s01 * s01);
    *b = (r1 * s00 - r0 * s01) / (s00 * s11 - s01 * s01);
}

/* Two points of 2 workers stay or go together. */
static void check_left_out(const sgdfit_point *point, size_t n, sgdfit_left_out *left)
{
    double mean = 0.0, most = 0.0, ratio = 1.0, low, high, a, b, least = HUGE_VAL, largest = 0.0;
    CHECK_STATUS(leave_out(SGDFIT_OPTIMUS_ASYNC, point, n, left), SGDFIT_OK);
    for (size_t i = 0; i < n; i++) {
        const double workers = point[i].workers;
        line_without(point, n, workers, &a, &b);
        const double of = workers / (a + b * workers) / point[i].batches_per_s;
        const double far = 20.0 / (a + b * 20.0);
        CHECK_REL(left->curve[i].parameter[0], a, 1e-11);
        CHECK_REL(left->curve[i].parameter[1], b, 1e-11);
        mean += fabs(of - 1.0) / (double)n;
        most = fmax(most, fabs(of - 1.0));
        ratio = fmax(ratio, fmax(of, 1.0 / of));
        least = fmin(least, far);
        largest = fmax(largest, far);
    }
    CHECK_REL(left->mean_error, mean, 1e-10);
    CHECK_REL(left->max_error, most, 1e-10);
    CHECK_REL(left->ratio, ratio, 1e-11);
    CHECK_STATUS(sgdfit_left_out_range(left, n, 20.0, 0.0, &low, &high), SGDFIT_OK);
    CHECK_REL(low, least / ratio, 1e-11);
    CHECK_REL(high, largest * ratio, 1e-11);
}

TEST(points_left_out_are_predicted_by_fits_without_them)
{
    static const double workers[] = { 1.0, 2.0, 2.0, 4.0, 8.0, 12.0 };
    sgdfit_point point[6];
    sgdfit_curve curve[6];
    sgdfit_left_out left = {.curve = curve};
    double low, high;
    for (int trial = 0; trial < 20; trial++) {
        for (size_t i = 0; i < 6; i++)
            point[i] = (sgdfit_point){.workers = workers[i], .batches_per_s = workers[i]
                                      / (0.2 + 0.03 * workers[i]) * between(0.96, 1.04)};
        check_left_out(point, 6, &left);
    }
    /* Without the points of 2 workers there are too few for a third parameter. */
    CHECK_REFUSED(leave_out(SGDFIT_USL, point, 4, &left));
    CHECK_REFUSED(leave_out(SGDFIT_USL, point, 0, &left));
    CHECK_REFUSED(sgdfit_left_out_range(&left, 0, 20.0, 0.0, &low, &high));
    CHECK_REFUSED(sgdfit_left_out_range(&left, 6, 20.0, 0.0, NULL, &high));
    CHECK_REFUSED(sgdfit_left_out_range(&left, 6, 20.0, 0.0, &low, NULL));
    CHECK_REFUSED(sgdfit_left_out_range(&left, 6, 0.5, 0.0, &low, &high));
    left.ratio = 0.5;
    CHECK_REFUSED(sgdfit_left_out_range(&left, 6, 20.0, 0.0, &low, &high));
}

/* Over 200 random sets of points, the interval holds a further point of the same kind at least as
 * often as it promises. */
TEST(a_point_drawn_as_the_others_lies_in_the_range)
{
    size_t inside = 0;
    chance = 11;
    for (size_t set = 0; set < 200; set++) {
        sgdfit_point point[9];
        sgdfit_curve curve[8];
        sgdfit_left_out left = {.curve = curve};
        double low = 0.0, high = 0.0;
        for (size_t i = 0; i < 9; i++) {
            const double n = floor(between(1.0, 1000.0));
            point[i] = (sgdfit_point){.workers = n,
                                      .batches_per_s = n / (0.2 + 0.03 * n) * between(0.9, 1.1)};
        }
        CHECK_STATUS(leave_out(SGDFIT_OPTIMUS_ASYNC, point, 8, &left), SGDFIT_OK);
        CHECK_STATUS(sgdfit_left_out_range(&left, 8, point[8].workers, 0.0, &low, &high),
                     SGDFIT_OK);
        inside += low <= point[8].batches_per_s && point[8].batches_per_s <= high;
    }
    CHECK(inside >= 200 * 8 / 9);
}

/* ---- Epochs to a loss ---- */

TEST(tables_of_epochs_are_refused_and_nothing_is_written)
{
    const double bad[] = { 0.0, -1.0, NOT_A_NUMBER, INFINITE };
    double at[] = { 1.0, 2.0 }, epochs[] = { 5.0, 6.0 }, e = 7.0;
    sgdfit_epochs t = {.by = SGDFIT_EPOCHS_BY_WORKERS, .at = at, .epochs = epochs, .points = 2};
    CHECK_REFUSED(sgdfit_epochs_to_loss(NULL, 1.0, 1.0, 0, &e));
    CHECK_REFUSED(sgdfit_epochs_to_loss(&t, 1.0, 1.0, 0, NULL));
    for (size_t i = 0; i < COUNT(bad); i++) {
        CHECK_REFUSED(sgdfit_epochs_to_loss(&t, bad[i], 1.0, 0, &e));
        CHECK_REFUSED(sgdfit_epochs_to_loss(&t, 1.0, bad[i], 0, &e));
        epochs[1] = bad[i];
        CHECK_REFUSED(sgdfit_epochs_to_loss(&t, 1.0, 1.0, 0, &e));
        epochs[1] = 6.0;
        at[1] = bad[i];
        CHECK_REFUSED(sgdfit_epochs_to_loss(&t, 1.0, 1.0, 0, &e));
        at[1] = 2.0;
    }
    for (size_t i = 1; i < 4; i++) {                   /* each has to be above the one before */
        const double flat[] = { 5.0, 5.0, 5.0, 5.0 };
        double rising[] = { 0.0, 1.0, 2.0, 3.0, 4.0 };
        t.at = rising + 1;
        rising[i + 1] = rising[i];
        t.epochs = flat;
        t.points = 4;
        CHECK_REFUSED(sgdfit_epochs_to_loss(&t, 1.0, 1.0, 0, &e));
    }
    t.at = at;
    t.epochs = epochs;
    t.points = 0;
    CHECK_REFUSED(sgdfit_epochs_to_loss(&t, 1.0, 1.0, 0, &e));
    t.points = 2;
    t.by = SGDFIT_EPOCHS_BY_COUNT;
    CHECK_REFUSED(sgdfit_epochs_to_loss(&t, 1.0, 1.0, 0, &e));
    CHECK_REL(e, 7.0, 0.0);
    CHECK_TEXT(sgdfit_epochs_by_text(SGDFIT_EPOCHS_BY_STALENESS), "staleness");
    CHECK_TEXT(sgdfit_epochs_by_text(SGDFIT_EPOCHS_BY_COUNT), "no such value");
}

/* ---- Phases ---- */

static sgdfit_status profile(const sgdfit_phase_record *record, size_t n,
                             sgdfit_phase_statistics *statistics, size_t *steps)
{
    size_t bytes = 0;
    sgdfit_status status = sgdfit_profile_phases_bytes(n, &bytes);
    if (status != SGDFIT_OK) return status;
    void *work = get_work(bytes);
    status = sgdfit_profile_phases(record, n, work, bytes, statistics, steps);
    free(work);
    return status;
}

static sgdfit_phase_record phase(uint64_t step, sgdfit_phase kind, double start_s,
                                 double end_s)
{
    return (sgdfit_phase_record){.step = step, .phase = kind, .start_s = start_s, .end_s = end_s};
}

TEST(phases_have_their_names)
{
    CHECK_TEXT(sgdfit_phase_text(SGDFIT_PHASE_DOWNLINK), "downlink");
    CHECK_TEXT(sgdfit_phase_text(SGDFIT_PHASE_FORWARD), "forward");
    CHECK_TEXT(sgdfit_phase_text(SGDFIT_PHASE_BACKWARD), "backward");
    CHECK_TEXT(sgdfit_phase_text(SGDFIT_PHASE_UPLINK), "uplink");
    CHECK_TEXT(sgdfit_phase_text(SGDFIT_PHASE_UPDATE), "update");
    CHECK_TEXT(sgdfit_phase_text(SGDFIT_PHASE_COUNT), "no such value");
}

/* P(|T| <= t) for a whole number of degrees: Abramowitz and Stegun, 26.7.3-4. */
static double student_probability(double t, size_t degrees)
{
    const double v = (double)degrees, angle = atan(t / sqrt(v));
    const double cosine2 = cos(angle) * cos(angle);
    double term, sum = 0.0;
    size_t k;
    if (degrees % 2 == 0) {
        for (k = 0, term = 1.0; k < degrees; k += 2) {
            sum += term;
            term *= cosine2 * (double)(k + 1) / (double)(k + 2);
        }
        return sin(angle) * sum;
    }
    for (k = 1, term = cos(angle); k + 2 <= degrees; k += 2) {
        sum += term;
        term *= cosine2 * (double)(k + 1) / (double)(k + 2);
    }
    return 2.0 / acos(-1.0) * (angle + sin(angle) * sum);
}

/* The half-width of the interval from one step more, in deviations of its mean. */
static double student95(size_t degrees)
{
    static sgdfit_phase_record record[100001];
    sgdfit_phase_statistics of[SGDFIT_PHASE_COUNT];
    const size_t steps = degrees + 1;
    size_t i;
    for (i = 0; i < steps; i++) record[i] = phase(i, SGDFIT_PHASE_UPDATE, 0.0, i % 2 ? 1.0 : 2.0);
    CHECK_STATUS(profile(record, steps, of, NULL), SGDP_OK);
    return of[SGDFIT_PHASE_UPDATE].ci95_half_width_s / of[SGDFIT_PHASE_UPDATE].deviation_s
         * sqrt((double)steps);
}

TEST(the_interval_is_that_of_students_t)
{
    static const struct { size_t degrees; double t; } table[] = {
        { 1, 12.7062047362 }, { 2, 4.30265272975 }, { 3, 3.18244630528 },
        { 5, 2.57058183564 }, { 10, 2.22813885199 }, { 20, 2.08596344727 },
        { 21, 2.07961384473 }, { 30, 2.04227245630 }, { 60, 2.00029782201 },
        { 100, 1.98397151845 }, { 1000, 1.96233908083 },
        { 100000, 1.95998770847 }
    };
    for (size_t i = 0; i < COUNT(table); i++)
        CHECK_REL(student95(table[i].degrees), table[i].t, 1e-7);
    for (size_t i = 1; i <= 200; i++) {
        CHECK(student_probability(student95(i) * (1.0 - 1e-7), i) < 0.95);
        CHECK(student_probability(student95(i) * (1.0 + 1e-7), i) > 0.95);
    }
}

TEST(phases_refuse_and_write_nothing)
{
    sgdfit_phase_record record[2];
    const sgdfit_phase_record bad[] = {
        { 1, SGDFIT_PHASE_COUNT, 0.0, 1.0 },
        { 1, SGDFIT_PHASE_UPDATE, 1.0, 0.5 },
        { 1, SGDFIT_PHASE_UPDATE, NOT_A_NUMBER, 1.0 },
        { 1, SGDFIT_PHASE_UPDATE, 1.0, INFINITE },
        { 1, SGDFIT_PHASE_UPDATE, 1.0, NOT_A_NUMBER },
        { 1, SGDFIT_PHASE_UPDATE, -INFINITE, 1.0 },
        { 1, SGDFIT_PHASE_UPDATE, -DBL_MAX, DBL_MAX },
        { 1, SGDFIT_PHASE_UPDATE, INFINITE, INFINITE },
        { 1, SGDFIT_PHASE_UPDATE, 0.0, 1e200 }   /* its square is too large */
    };
    sgdfit_phase_statistics of[SGDFIT_PHASE_COUNT];
    double work[8];
    size_t steps, bytes;
    record[0] = phase(0, SGDFIT_PHASE_UPDATE, 0.0, 1.0);
    record[1] = phase(1, SGDFIT_PHASE_UPDATE, 1.0, 2.0);
    FILL(of); FILL(steps); FILL(bytes);
    CHECK_REFUSED(sgdfit_profile_phases_bytes(0, &bytes));
    CHECK_REFUSED(sgdfit_profile_phases_bytes(2, NULL));
    CHECK_STATUS(sgdfit_profile_phases_bytes((size_t)-1, &bytes), SGDFIT_TOO_LARGE);
    CHECK_UNTOUCHED(bytes);
    CHECK_STATUS(sgdfit_profile_phases_bytes(2, &bytes), SGDFIT_OK);
    CHECK(bytes <= sizeof work);
    CHECK_REFUSED(sgdfit_profile_phases(NULL, 2, work, bytes, of, &steps));
    CHECK_REFUSED(sgdfit_profile_phases(record, 0, work, bytes, of, &steps));
    CHECK_REFUSED(sgdfit_profile_phases(record, 2, NULL, bytes, of, &steps));
    CHECK_REFUSED(sgdfit_profile_phases(record, 2, work, bytes, NULL, &steps));
    CHECK_STATUS(sgdfit_profile_phases(record, 2, work, bytes - 1, of, &steps),
                 SGDFIT_SMALL_WORKSPACE);
    for (size_t i = 0; i < COUNT(bad); i++) {
        record[1] = bad[i];
        CHECK_REFUSED(profile(record, 2, of, &steps));
    }
    CHECK_UNTOUCHED(of);
    CHECK_UNTOUCHED(steps);
}

TEST(whole_steps_refuse_and_write_nothing)
{
    sgdfit_phase_record record[2];
    sgdfit_phase_statistics of;
    double work[8];
    size_t cut, bytes = sizeof work;
    record[0] = phase(0, SGDFIT_PHASE_UPDATE, 0.0, 1.0);
    record[1] = phase(1, SGDFIT_PHASE_UPDATE, 1.0, 2.0);
    FILL(of); FILL(cut);
    CHECK_REFUSED(sgdfit_profile_steps(NULL, 2, work, bytes, &of, &cut));
    CHECK_REFUSED(sgdfit_profile_steps(record, 0, work, bytes, &of, &cut));
    CHECK_REFUSED(sgdfit_profile_steps(record, 2, NULL, bytes, &of, &cut));
    CHECK_REFUSED(sgdfit_profile_steps(record, 2, work, bytes, NULL, &cut));
    CHECK_STATUS(sgdfit_profile_steps(record, 2, work, 1, &of, &cut), SGDFIT_SMALL_WORKSPACE);
    record[1].end_s = 0.5;
    CHECK_REFUSED(sgdfit_profile_steps(record, 2, work, bytes, &of, &cut));
    record[1] = phase(0, SGDFIT_PHASE_UPLINK, -DBL_MAX, -DBL_MAX);
    record[0] = phase(0, SGDFIT_PHASE_UPLINK, DBL_MAX, DBL_MAX); /* too far apart */
    CHECK_REFUSED(sgdfit_profile_steps(record, 2, work, bytes, &of, &cut));
    CHECK_UNTOUCHED(of);
    CHECK_UNTOUCHED(cut);
}

/* ---- Quantiles and errors ---- */

TEST(gaps_of_what_is_no_log_of_transfers_are_refused)
{
    sgdfit_phase_record record[9], gap[18];
    size_t gaps = 0, bytes = 0;
    record[0] = phase(3, SGDFIT_PHASE_UPLINK, 24.0, 25.0);
    record[1] = phase(0, SGDFIT_PHASE_DOWNLINK, 0.0, 2.0);
    record[2] = phase(0, SGDFIT_PHASE_DOWNLINK, 0.5, 1.5);
    record[3] = phase(0, SGDFIT_PHASE_UPLINK, 6.0, 7.0);
    record[4] = phase(0, SGDFIT_PHASE_UPLINK, 5.0, 6.5);
    record[5] = phase(1, SGDFIT_PHASE_UPLINK, 9.0, 10.0);
    record[6] = phase(1, SGDFIT_PHASE_DOWNLINK, 7.5, 9.0);
    record[7] = phase(3, SGDFIT_PHASE_DOWNLINK, 20.0, 21.0);
    record[8] = phase(4, SGDFIT_PHASE_UPLINK, 30.0, 31.0);
    CHECK_STATUS(sgdfit_profile_phases_bytes(9, &bytes), SGDFIT_OK);
    void *work = get_work(bytes);
    CHECK_STATUS(sgdfit_profile_gaps(record, 9, work, bytes, gap, &gaps), SGDFIT_OK);
    FILL(gap); FILL(gaps);
    CHECK_REFUSED(sgdfit_profile_gaps(NULL, 9, work, bytes, gap, &gaps));
    CHECK_REFUSED(sgdfit_profile_gaps(record, 0, work, bytes, gap, &gaps));
    CHECK_REFUSED(sgdfit_profile_gaps(record, 9, work, bytes, NULL, &gaps));
    CHECK_REFUSED(sgdfit_profile_gaps(record, 9, work, bytes, gap, NULL));
    CHECK_REFUSED(sgdfit_profile_gaps(record, 9, NULL, bytes, gap, &gaps));
    CHECK_STATUS(sgdfit_profile_gaps(record, 9, work, bytes - 1, gap, &gaps),
                 SGDFIT_SMALL_WORKSPACE);
    record[6] = phase(1, SGDFIT_PHASE_DOWNLINK, 7.5, 9.5); /* into its own uplink */
    CHECK_REFUSED(sgdfit_profile_gaps(record, 9, work, bytes, gap, &gaps));
    record[6] = phase(1, SGDFIT_PHASE_DOWNLINK, 6.5, 9.0); /* before the last uplink ends */
    CHECK_REFUSED(sgdfit_profile_gaps(record, 9, work, bytes, gap, &gaps));
    record[6] = phase(1, SGDFIT_PHASE_BACKWARD, 7.5, 9.0);
    CHECK_REFUSED(sgdfit_profile_gaps(record, 9, work, bytes, gap, &gaps));
    record[6] = phase(1, SGDFIT_PHASE_DOWNLINK, 9.0, 7.5);
    CHECK_REFUSED(sgdfit_profile_gaps(record, 9, work, bytes, gap, &gaps));
    CHECK_UNTOUCHED(gap);
    CHECK_UNTOUCHED(gaps);
    free(work);
}

TEST(quantiles_are_linear_between_order_statistics)
{
    const double v[] = { 1.0, 2.0, 4.0, 8.0 };
    CHECK_REL(sgdfit_quantile(v, 4, 0.0), 1.0, 0.0);
    CHECK_REL(sgdfit_quantile(v, 4, 1.0), 8.0, 0.0);
    CHECK_REL(sgdfit_quantile(v, 4, 0.5), 3.0, 1e-15);
    CHECK_REL(sgdfit_quantile(v, 3, 0.5), 2.0, 0.0);
    CHECK_REL(sgdfit_quantile(v, 4, 0.9), 4.0 + 0.7 * 4.0, 1e-15);
    CHECK_REL(sgdfit_quantile(v, 1, 0.3), 1.0, 0.0);
    CHECK(isnan(sgdfit_quantile(v, 0, 0.5)));
    CHECK(isnan(sgdfit_quantile(NULL, 4, 0.5)));
    CHECK(isnan(sgdfit_quantile(v, 4, -0.1)));
    CHECK(isnan(sgdfit_quantile(v, 4, 1.1)));
    CHECK(isnan(sgdfit_quantile(v, 4, NOT_A_NUMBER)));
}

/* Of all rows, or where `only` is not 0 of those of this number of workers. */
static sgdfit_status errors(const double *predicted, const double *measured,
                            const uint32_t *workers, uint32_t only, size_t n,
                            sgdfit_error_statistics *out)
{
    const sgdfit_rows of = {.predicted = predicted, .measured = measured, .n = n,
                            .set = workers, .only = only > 0 ? &only : NULL};
    size_t bytes = 0;
    sgdfit_status status = sgdfit_errors_bytes(&of, &bytes);
    if (status != SGDFIT_OK) return status;
    void *work = get_work(bytes);
    status = sgdfit_errors(&of, work, bytes, out);
    free(work);
    return status;
}

TEST(errors_refuse_and_write_nothing)
{
    double predicted[] = { 1.0, 2.0 }, measured[] = { 1.0, 2.0 }, work[2];
    const uint32_t workers[] = { 1, 2 };
    const sgdfit_rows two = {.predicted = predicted, .measured = measured, .n = 2};
    const sgdfit_rows none = {.predicted = predicted, .measured = measured};
    const sgdfit_rows many = {.predicted = predicted, .measured = measured, .n = (size_t)-1};
    const double bad_measured[] = { 0.0, -1.0, INFINITE, NOT_A_NUMBER };
    const double bad_predicted[] = { INFINITE, -INFINITE, NOT_A_NUMBER };
    size_t bytes;
    sgdfit_error_statistics of;
    FILL(bytes); FILL(of);
    CHECK_REFUSED(sgdfit_errors_bytes(NULL, &bytes));
    CHECK_REFUSED(sgdfit_errors_bytes(&none, &bytes));
    CHECK_REFUSED(sgdfit_errors_bytes(&two, NULL));
    CHECK_STATUS(sgdfit_errors_bytes(&many, &bytes), SGDFIT_TOO_LARGE);
    CHECK_UNTOUCHED(bytes);
    CHECK_REFUSED(errors(NULL, measured, NULL, 0, 2, &of));
    CHECK_REFUSED(errors(predicted, NULL, NULL, 0, 2, &of));
    CHECK_REFUSED(errors(predicted, measured, NULL, 2, 2, &of));
    CHECK_REFUSED(sgdfit_errors(NULL, work, sizeof work, &of));
    CHECK_REFUSED(sgdfit_errors(&two, work, sizeof work, NULL));
    CHECK_REFUSED(sgdfit_errors(&none, work, sizeof work, &of));
    CHECK_REFUSED(sgdfit_errors(&two, NULL, sizeof work, &of));
    CHECK_STATUS(sgdfit_errors(&two, work, sizeof work - 1, &of), SGDFIT_SMALL_WORKSPACE);
    CHECK_REFUSED(errors(predicted, measured, workers, 3, 2, &of));
    for (size_t i = 0; i < COUNT(bad_measured); i++) {
        measured[1] = bad_measured[i];
        CHECK_REFUSED(errors(predicted, measured, workers, 0, 2, &of));
    }
    measured[1] = 2.0;
    for (size_t i = 0; i < COUNT(bad_predicted); i++) {
        predicted[1] = bad_predicted[i];
        CHECK_REFUSED(errors(predicted, measured, workers, 0, 2, &of));
    }
    predicted[1] = 1e300; measured[1] = 1e-300;
    CHECK_REFUSED(errors(predicted, measured, workers, 0, 2, &of));
    CHECK_UNTOUCHED(of);
    CHECK_STATUS(errors(predicted, measured, workers, 1, 2, &of), SGDFIT_OK);
}

/* ---- Calibration ---- */

enum { POINTS = 16 };

/* Measured points, each with a job of its own. */
typedef struct data {
    sgdp_job         job[POINTS];
    sgdp_measurement point[POINTS];
    size_t           n;
} data;

static sgdp_job some_job(void)
{
    return (sgdp_job){.compute.forward_s = 0.010, .compute.backward_s = 0.025,
                      .compute.update_s = 0.006, .model_bytes = 9e6,
                      .links.bandwidth_bytes_per_s = 125e6, .links.latency_s = 0.0015,
                      .collective.exchange = exchange_of, .threshold = 0.7};
}

static double predict(const sgdp_job *job, sgdp_model model, uint32_t workers,
                      sgdp_prediction *out)
{
    size_t bytes = 0;
    memset(out, 0, sizeof *out);
    CHECK_STATUS(sgdp_predict_bytes(job, model, workers, &bytes), SGDP_OK);
    void *work = get_work(bytes);
    CHECK_STATUS(sgdp_predict(job, model, workers, work, bytes, out), SGDP_OK);
    free(work);
    return out->batches_per_s;
}

static double rate_of(const sgdp_job *job, sgdp_model model, uint32_t workers)
{
    sgdp_prediction out;
    return predict(job, model, workers, &out);
}

/* What the model says for 1..n workers, off by up to `noise`. */
static void measure(data *d, const sgdp_job *job, sgdp_model model, size_t n,
                    double noise)
{
    d->n = n;
    for (size_t i = 0; i < n; i++) {
        d->job[i] = *job;
        d->point[i].job = &d->job[i];
        d->point[i].workers = (uint32_t)i + 1;
        d->point[i].batches_per_s = rate_of(job, model, (uint32_t)i + 1)
                                  * between(1.0 - noise, 1.0 + noise);
    }
}

/* To be ignored by sgdp_calibrate. */
static void forget(data *d, const sgdp_input *unknown, size_t unknowns)
{
    for (size_t i = 0; i < d->n; i++)
        for (size_t j = 0; j < unknowns; j++) (void)sgdp_set_input(&d->job[i], unknown[j], 0.0);
}

static sgdp_status calibrate(sgdp_model model, const sgdp_input *unknown, size_t unknowns,
                             const data *d, sgdfit_calibration *out)
{
    size_t bytes = 0;
    sgdp_status status = fit_bytes(runs_of(model, unknown, unknowns, d->point, d->n),
                                   fit_level(0.0), &bytes);
    if (status != SGDP_OK) return status;
    void *work = get_work(bytes);
    status = fit_runs(runs_of(model, unknown, unknowns, d->point, d->n), fit_level(0.0), work,
                      bytes, out);
    free(work);
    return status;
}

/* Mean square of the relative errors at other values, and their mean and maximum. */
static double mean_square(sgdp_model model, const sgdp_input *unknown, size_t unknowns,
                          const data *d, const double *value, double *mean,
                          double *largest)
{
    double sum = 0.0;
    *mean = *largest = 0.0;
    for (size_t i = 0; i < d->n; i++) {
        sgdp_job job = d->job[i];
        for (size_t j = 0; j < unknowns; j++) (void)sgdp_set_input(&job, unknown[j], value[j]);
        double error = fabs(rate_of(&job, model, d->point[i].workers) / d->point[i].batches_per_s
                            - 1.0);
        sum += error * error / (double)d->n;
        *mean += error / (double)d->n;
        if (error > *largest) *largest = error;
    }
    return sum;
}

/* The value that sgdp_set_input would put there. */
static double input_of(const sgdp_job *job, sgdp_input input)
{
    const double transfer_s = fmax(job->links.uplink_s, job->links.downlink_s);
    switch (input) {
    case SGDP_INPUT_FORWARD:         return job->compute.forward_s;
    case SGDP_INPUT_BACKWARD:        return job->compute.backward_s;
    case SGDP_INPUT_UPDATE:          return job->compute.update_s;
    case SGDP_INPUT_TRANSFER:        return transfer_s > 0.0 ? transfer_s : job->model_bytes;
    case SGDP_INPUT_BANDWIDTH:       return job->links.bandwidth_bytes_per_s;
    case SGDP_INPUT_LATENCY:         return job->links.latency_s;
    case SGDP_INPUT_FLOW_CAP:        return job->links.flow_cap_bytes_per_s;
    case SGDP_INPUT_LOCAL_BANDWIDTH: return job->machine.local_bandwidth_bytes_per_s;
    case SGDP_INPUT_THRESHOLD:       return fmax(0.0, job->threshold);
    case SGDP_INPUT_MESSAGE:         return job->servers.message_s;
    case SGDP_INPUT_EXPOSURE:        return fmax(0.0, job->overlap.exposure);
    case SGDP_INPUT_GROWTH:          return job->machine.growth;
    case SGDP_INPUT_GROWTH_BETWEEN:  return job->machine.growth_between;
    default:                         abort();
    }
}

/* Generates a curve, forgets the unknowns and wants them back. */
static void check_recovery(const sgdp_job *job, sgdp_model model,
                           const sgdp_input *unknown, size_t unknowns, size_t points)
{
    data d;
    sgdfit_calibration out;
    size_t j;
    measure(&d, job, model, points, 0.0);
    forget(&d, unknown, unknowns);
    CHECK_STATUS(calibrate(model, unknown, unknowns, &d, &out), SGDP_OK);
    for (j = 0; j < unknowns; j++)
        CHECK_REL(out.value[j], input_of(job, unknown[j]), 1e-6);
    for (; j < SGDFIT_UNKNOWNS; j++) CHECK_REL(out.value[j], 0.0, 0.0);
    CHECK(out.max_error < 1e-9 && out.mean_error <= out.max_error);
    CHECK(out.evaluations >= 10 * points && out.evaluations <= 400 * points * unknowns);
}

TEST(calibration_gives_one_unknown_back)
{
    static const sgdp_model model[] = { SGDP_ASYNC_EXACT,  SGDP_ASYNC_FCFS,
                                        SGDP_ASYNC_SWITCH, SGDP_SYNC_PS,
                                        SGDP_SYNC_AVERAGE, SGDP_ALLREDUCE_RING };
    static const sgdp_input unknown[] = { SGDP_INPUT_FORWARD, SGDP_INPUT_BACKWARD,
                                          SGDP_INPUT_UPDATE, SGDP_INPUT_TRANSFER,
                                          SGDP_INPUT_BANDWIDTH };
    const sgdp_input latency = SGDP_INPUT_LATENCY, cap = SGDP_INPUT_FLOW_CAP;
    const sgdp_input local = SGDP_INPUT_LOCAL_BANDWIDTH, transfer = SGDP_INPUT_TRANSFER;
    static const sgdp_input grown[] = { SGDP_INPUT_EXPOSURE, SGDP_INPUT_GROWTH,
                                        SGDP_INPUT_GROWTH_BETWEEN };
    sgdp_job job = some_job();
    for (size_t m = 0; m < COUNT(model); m++)
        for (size_t k = 0; k < COUNT(unknown); k++)
            check_recovery(&job, model[m], &unknown[k], 1, 8);
    check_recovery(&job, SGDP_ASYNC_HYBRID, &unknown[4], 1, 5);
    check_recovery(&job, SGDP_ALLREDUCE_RING, &latency, 1, 8);
    job.links.flow_cap_bytes_per_s = 40e6;
    check_recovery(&job, SGDP_SYNC_PS, &cap, 1, 8);
    job.machine.gpus = 4;
    job.machine.local_bandwidth_bytes_per_s = 2e9;
    check_recovery(&job, SGDP_ALLREDUCE_RING, &local, 1, 8);
    job.overlap.exposure = 1.6;
    job.machine.growth = 0.05;
    job.machine.growth_between = 0.04;
    for (size_t k = 0; k < COUNT(grown); k++)
        check_recovery(&job, SGDP_ALLREDUCE_CLUSTER, &grown[k], 1, 8);
    check_recovery(&job, SGDP_ALLREDUCE_CLUSTER, grown, 2, 8);
    job = some_job();                            /* as a time */
    job.model_bytes = job.links.bandwidth_bytes_per_s = 0.0;
    job.links.uplink_s = 0.04;
    job.links.downlink_s = 0.08;
    {
        data d;
        sgdfit_calibration out;
        measure(&d, &job, SGDP_ASYNC_EXACT, 6, 0.0);
        for (size_t k = 0; k < 6; k++) {
            d.job[k].links.uplink_s = 0.3;
            d.job[k].links.downlink_s = 0.6;
        }
        CHECK_STATUS(calibrate(SGDP_ASYNC_EXACT, &transfer, 1, &d, &out), SGDP_OK);
        CHECK_REL(out.value[0], 0.08, 1e-6);
    }
}

/* Latency and bandwidth only count together in an exchange by recursive doubling, as do
 * forward and backward time where nothing overlaps. */
TEST(calibration_says_what_the_points_determine)
{
    static const sgdp_input split[] = { SGDP_INPUT_FORWARD, SGDP_INPUT_BACKWARD };
    static const sgdp_input apart[] = { SGDP_INPUT_UPDATE, SGDP_INPUT_BANDWIDTH };
    static const sgdp_input threshold[] = { SGDP_INPUT_THRESHOLD, SGDP_INPUT_BANDWIDTH };
    static const sgdp_input exchange[] = { SGDP_INPUT_LATENCY, SGDP_INPUT_BANDWIDTH };
    static const sgdp_input third[] = { SGDP_INPUT_UPDATE, SGDP_INPUT_FORWARD,
                                        SGDP_INPUT_BACKWARD };
    const sgdp_job job = some_job();
    sgdfit_calibration out;
    data d;
    measure(&d, &job, SGDP_ASYNC_EXACT, 6, 0.0);
    CHECK_STATUS(calibrate(SGDP_ASYNC_EXACT, split, 1, &d, &out), SGDP_OK);
    CHECK(out.determined == 1);
    CHECK_STATUS(calibrate(SGDP_ASYNC_EXACT, split, 2, &d, &out), SGDP_OK);
    CHECK(out.determined == 0);
    CHECK_STATUS(calibrate(SGDP_ASYNC_EXACT, apart, 2, &d, &out), SGDP_OK);
    CHECK(out.determined == 1);
    CHECK_STATUS(calibrate(SGDP_ASYNC_EXACT, third, 3, &d, &out), SGDP_OK);
    CHECK(out.determined == 0);
    measure(&d, &job, SGDP_ALLREDUCE_DOUBLING, 8, 0.0);
    CHECK_STATUS(calibrate(SGDP_ALLREDUCE_DOUBLING, exchange, 2, &d, &out), SGDP_OK);
    CHECK(out.determined == 0);
    measure(&d, &job, SGDP_ALLREDUCE_RING, 8, 0.0);
    CHECK_STATUS(calibrate(SGDP_ALLREDUCE_RING, exchange, 2, &d, &out), SGDP_OK);
    CHECK(out.determined == 1);
    measure(&d, &job, SGDP_ASYNC_HYBRID, 5, 0.0);
    CHECK_STATUS(calibrate(SGDP_ASYNC_HYBRID, threshold, 2, &d, &out), SGDP_OK);
    CHECK(out.determined == 1);
}

TEST(calibration_gives_several_unknowns_back)
{
    static const sgdp_input server[] = { SGDP_INPUT_UPDATE, SGDP_INPUT_BANDWIDTH };
    static const sgdp_input network[] = { SGDP_INPUT_LATENCY, SGDP_INPUT_BANDWIDTH };
    static const sgdp_input three[] = { SGDP_INPUT_FORWARD, SGDP_INPUT_LATENCY,
                                        SGDP_INPUT_BANDWIDTH };
    static const sgdp_input four[] = { SGDP_INPUT_FORWARD, SGDP_INPUT_LATENCY,
                                       SGDP_INPUT_BANDWIDTH, SGDP_INPUT_OVERLAP };
    sgdp_job job = some_job();
    data d;
    size_t bytes = 0;
    measure(&d, &job, SGDP_ALLREDUCE_RING, 8, 0.0);
    CHECK_STATUS(fit_bytes(runs_of(SGDP_ALLREDUCE_RING, four, SGDFIT_UNKNOWNS, d.point, 8),
                           fit_level(0.0), &bytes), SGDP_OK);
    chance = 6;
    for (int trial = 0; trial < 12; trial++) {
        job.compute.update_s = job.compute.forward_s * between(0.05, 3.0);
        job.links.bandwidth_bytes_per_s =
            job.model_bytes / job.compute.forward_s / between(0.1, 10.0);
        check_recovery(&job, SGDP_ASYNC_EXACT, server, 2, 8);
        check_recovery(&job, SGDP_SYNC_PS, server, 2, 8);
        check_recovery(&job, SGDP_ALLREDUCE_RING, network, 2, 8);
        check_recovery(&job, SGDP_ALLREDUCE_RING, three, 3, 8);
    }
}

/* A unit of time a million times as short or as long. */
TEST(calibration_has_no_unit_built_in)
{
    static const sgdp_input unknown[] = { SGDP_INPUT_UPDATE, SGDP_INPUT_BANDWIDTH };
    const double unit[] = { 1e-6, 1e6 };
    for (size_t i = 0; i < COUNT(unit); i++) {
        sgdp_job job = some_job();
        job.compute.forward_s *= unit[i];
        job.compute.backward_s *= unit[i];
        job.compute.update_s *= unit[i];
        job.links.bandwidth_bytes_per_s /= unit[i];
        check_recovery(&job, SGDP_ASYNC_EXACT, &unknown[0], 1, 8);
        check_recovery(&job, SGDP_ASYNC_EXACT, &unknown[1], 1, 8);
        check_recovery(&job, SGDP_ASYNC_EXACT, unknown, 2, 8);
    }
}

TEST(calibration_finds_zero)
{
    static const sgdp_input unknown[] = { SGDP_INPUT_LATENCY, SGDP_INPUT_BANDWIDTH };
    sgdp_job job = some_job();
    sgdfit_calibration out;
    data d;
    job.links.latency_s = 0.0;
    measure(&d, &job, SGDP_ALLREDUCE_RING, 8, 0.0);
    CHECK_STATUS(calibrate(SGDP_ALLREDUCE_RING, unknown, 1, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], 0.0, 0.0);
    for (size_t i = 0; i < 8; i++) d.point[i].batches_per_s *= 1.0 + 0.01 * (double)i;
    CHECK_STATUS(calibrate(SGDP_ALLREDUCE_RING, unknown, 1, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], 0.0, 0.0);
    CHECK_STATUS(calibrate(SGDP_ALLREDUCE_RING, unknown, 2, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], 0.0, 0.0);
    CHECK(out.value[1] > 125e6);
}

/* No value of a fine grid is better, and the errors told are those there. */
static void check_against_grid(sgdp_model model, const sgdp_input *unknown, const data *d,
                               double low, double high)
{
    sgdfit_calibration out;
    double mean, largest, found;
    CHECK_STATUS(calibrate(model, unknown, 1, d, &out), SGDP_OK);
    found = mean_square(model, unknown, 1, d, out.value, &mean, &largest);
    CHECK_REL(out.mean_error, mean, 1e-9);
    CHECK_REL(out.max_error, largest, 1e-9);
    CHECK(largest > 0.005);
    for (size_t i = 0; i <= 200; i++) {
        const double value = low * pow(high / low, (double)i / 200.0);
        CHECK(found <= (1.0 + 1e-9)
                       * mean_square(model, unknown, 1, d, &value, &mean, &largest));
    }
}

TEST(calibration_is_the_best_of_a_grid)
{
    const sgdp_input bandwidth = SGDP_INPUT_BANDWIDTH, update = SGDP_INPUT_UPDATE;
    const sgdp_input threshold = SGDP_INPUT_THRESHOLD;
    sgdp_job job = some_job();
    data d;
    chance = 7;
    for (int trial = 0; trial < TEST_SIZE(5, 20); trial++) {
        job.compute.update_s = job.compute.forward_s * between(0.05, 3.0);
        job.links.bandwidth_bytes_per_s =
            job.model_bytes / job.compute.forward_s / between(0.1, 10.0);
        measure(&d, &job, SGDP_ASYNC_SWITCH, 8, 0.2);
        check_against_grid(SGDP_ASYNC_SWITCH, &update, &d, 1e-4, 1.0);
        check_against_grid(SGDP_ASYNC_SWITCH, &bandwidth, &d, 1e7, 1e11);
        check_against_grid(SGDP_ASYNC_EXACT, &bandwidth, &d, 1e7, 1e11);
        if (trial > 4) continue;
        measure(&d, &job, SGDP_ASYNC_HYBRID, 5, 0.2);
        check_against_grid(SGDP_ASYNC_HYBRID, &threshold, &d, 0.01, 1.0);
    }
}

TEST_FULL(calibration_of_two_is_the_best_of_a_grid)
{
    static const sgdp_input unknown[] = { SGDP_INPUT_BANDWIDTH, SGDP_INPUT_UPDATE };
    const sgdp_model model = SGDP_ASYNC_EXACT;
    const sgdp_job job = some_job();
    sgdfit_calibration out;
    data d;
    chance = 10;
    for (int trial = 0; trial < 3; trial++) {
        double mean, largest, found;
        measure(&d, &job, model, 8, 0.2);
        CHECK_STATUS(calibrate(model, unknown, 2, &d, &out), SGDP_OK);
        found = mean_square(model, unknown, 2, &d, out.value, &mean, &largest);
        for (size_t i = 0; i <= 40; i++)
            for (size_t k = 0; k <= 40; k++) {
                double value[2];
                value[0] = 125e6 * pow(10.0, (double)i / 20.0 - 1.0);
                value[1] = 0.0005 * (double)k;
                CHECK(found <= (1.0 + 1e-9) * mean_square(model, unknown, 2, &d, value,
                                                          &mean, &largest));
            }
    }
}

/* All intervals between the utilizations at which some point changes its branch. */
static double best_threshold(const data *d)
{
    const sgdp_input unknown = SGDP_INPUT_THRESHOLD;
    double edge[POINTS + 2], least = INFINITE, best = NOT_A_NUMBER, mean, largest;
    size_t edges = 0;
    edge[edges++] = 0.0;
    edge[edges++] = 1.0;
    for (size_t i = 0; i < d->n; i++) {
        sgdp_prediction fcfs;
        const double x = predict(&d->job[i], SGDP_ASYNC_FCFS, d->point[i].workers, &fcfs);
        const double other = rate_of(&d->job[i], SGDP_ASYNC_EXACT, d->point[i].workers);
        double at = fcfs.utilization[SGDP_UPLINK];
        if (fcfs.utilization[SGDP_DOWNLINK] > at) at = fcfs.utilization[SGDP_DOWNLINK];
        if (at < 1.0 && fabs(x - other) > 1e-9 * x) edge[edges++] = at;
    }
    for (size_t i = 1; i < edges; i++)
        for (size_t k = i; k > 0 && edge[k] < edge[k - 1]; k--) {
            const double held = edge[k];
            edge[k] = edge[k - 1];
            edge[k - 1] = held;
        }
    for (size_t i = 0; i + 1 < edges; i++) {
        const double middle = 0.5 * (edge[i] + edge[i + 1]);
        if (edge[i + 1] - edge[i] < 1e-8) continue;
        double found = mean_square(SGDP_ASYNC_SWITCH, &unknown, 1, d, &middle, &mean, &largest);
        if (!(found < least)) continue;
        least = found;
        best = middle;
    }
    return best;
}

TEST(calibration_of_the_switch_takes_the_middle_of_the_best_interval)
{
    const sgdp_input unknown = SGDP_INPUT_THRESHOLD;
    sgdp_job job = some_job();
    sgdfit_calibration out;
    data d;
    double threshold = -1.0;
    chance = 8;
    for (int trial = 0; trial < 30; trial++) {
        job.threshold = between(0.2, 1.0);
        job.compute.forward_s = between(0.0, 0.3);
        measure(&d, &job, SGDP_ASYNC_SWITCH, 12, trial < 15 ? 0.0 : 0.15);
        if (trial % 3 == 0)                      /* the same point twice: one step */
            d.point[5] = d.point[4];
        forget(&d, &unknown, 1);
        CHECK_STATUS(calibrate(SGDP_ASYNC_SWITCH, &unknown, 1, &d, &out), SGDP_OK);
        CHECK_REL(out.value[0], best_threshold(&d), 1e-9);
        if (trial < 15 && trial % 3 != 0) CHECK(out.max_error < 1e-12);
        threshold = out.value[0];
    }
    for (size_t i = 0; i < d.n / 2; i++) {              /* in whichever order */
        const sgdp_measurement held = d.point[i];
        d.point[i] = d.point[d.n - 1 - i];
        d.point[d.n - 1 - i] = held;
    }
    CHECK_STATUS(calibrate(SGDP_ASYNC_SWITCH, &unknown, 1, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], threshold, 1e-12);
    for (size_t i = 0; i < d.n; i++) d.point[i] = d.point[0];
    for (size_t i = 0; i < d.n; i++) d.point[i].job = &d.job[i];
    for (size_t i = 0; i < d.n; i++) d.point[i].workers = (uint32_t)i + 1;
    for (size_t i = 0; i < d.n; i++)                    /* all FCFS: up to 1 */
        d.point[i].batches_per_s = rate_of(&job, SGDP_ASYNC_FCFS, (uint32_t)i + 1);
    CHECK_STATUS(calibrate(SGDP_ASYNC_SWITCH, &unknown, 1, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], best_threshold(&d), 1e-9);
    for (size_t i = 0; i < d.n; i++)                    /* none: from 0 on */
        d.point[i].batches_per_s = rate_of(&job, SGDP_ASYNC_EXACT, (uint32_t)i + 1);
    CHECK_STATUS(calibrate(SGDP_ASYNC_SWITCH, &unknown, 1, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], best_threshold(&d), 1e-9);
}

/* One point would have a low threshold, the busier one a high one, and by more. */
TEST(calibration_of_the_switch_looks_at_the_busiest_point)
{
    const sgdp_input unknown = SGDP_INPUT_THRESHOLD;
    const sgdp_job job = some_job();
    sgdfit_calibration out;
    data d;
    measure(&d, &job, SGDP_ASYNC_SWITCH, 2, 0.0);
    d.point[0].workers = 2;
    d.point[1].workers = 3;
    d.point[0].batches_per_s = rate_of(&job, SGDP_ASYNC_EXACT, 2);
    d.point[1].batches_per_s = rate_of(&job, SGDP_ASYNC_FCFS, 3);
    CHECK_STATUS(calibrate(SGDP_ASYNC_SWITCH, &unknown, 1, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], best_threshold(&d), 1e-9);
    CHECK(out.value[0] > 0.8);
}

/* One run says FCFS and one says not, of the same point: no threshold makes both true. */
TEST(calibration_of_the_switch_keeps_off_a_step_of_two_points)
{
    const sgdp_input unknown = SGDP_INPUT_THRESHOLD;
    const sgdp_job job = some_job();
    sgdfit_calibration out;
    data d;
    for (size_t first = 0; first < 2; first++) {
        measure(&d, &job, SGDP_ASYNC_SWITCH, 2, 0.0);
        d.point[0].workers = d.point[1].workers = 3;
        d.point[first].batches_per_s = rate_of(&job, SGDP_ASYNC_EXACT, 3);
        d.point[1 - first].batches_per_s = rate_of(&job, SGDP_ASYNC_FCFS, 3);
        CHECK_STATUS(calibrate(SGDP_ASYNC_SWITCH, &unknown, 1, &d, &out), SGDP_OK);
        CHECK_REL(out.value[0], best_threshold(&d), 1e-9);
    }
}

/* Alone, one worker is as quick on either branch: no threshold is sought for it. */
TEST(calibration_of_the_switch_bisects_where_the_branch_matters)
{
    const sgdp_input unknown = SGDP_INPUT_THRESHOLD;
    const sgdp_job job = some_job();
    sgdfit_calibration out, less;
    data d;
    measure(&d, &job, SGDP_ASYNC_SWITCH, 4, 0.0);
    CHECK_STATUS(calibrate(SGDP_ASYNC_SWITCH, &unknown, 1, &d, &out), SGDP_OK);
    d.point[3] = d.point[0];
    CHECK_STATUS(calibrate(SGDP_ASYNC_SWITCH, &unknown, 1, &d, &less), SGDP_OK);
    CHECK(less.evaluations < out.evaluations);
}

TEST(calibration_of_the_hybrid_takes_the_middle_of_what_is_equal)
{
    const sgdp_input unknown = SGDP_INPUT_THRESHOLD;
    sgdp_job job = some_job();
    sgdp_prediction last;
    sgdfit_calibration out;
    data d;
    size_t i;
    job.threshold = 0.55;
    check_recovery(&job, SGDP_ASYNC_HYBRID, &unknown, 1, 6);
    /* Above the utilization of the links any threshold does: the middle. */
    job.threshold = 0.95;
    measure(&d, &job, SGDP_ASYNC_HYBRID, 2, 0.0);
    (void)predict(&job, SGDP_ASYNC_HYBRID, 2, &last);
    CHECK(last.utilization[SGDP_UPLINK] < 0.9);
    CHECK_STATUS(calibrate(SGDP_ASYNC_HYBRID, &unknown, 1, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], 0.5 * (1.0 + last.utilization[SGDP_UPLINK]), 1e-6);
    for (i = 0; i < 2; i++) d.point[i].batches_per_s *= 1.02; /* errors are left, and equal */
    CHECK_STATUS(calibrate(SGDP_ASYNC_HYBRID, &unknown, 1, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], 0.5 * (1.0 + last.utilization[SGDP_UPLINK]), 1e-6);
}

TEST(calibration_with_a_threshold_among_others)
{
    static const sgdp_input unknown[] = { SGDP_INPUT_FORWARD, SGDP_INPUT_THRESHOLD };
    sgdp_job job = some_job();
    sgdfit_calibration out;
    data d;
    measure(&d, &job, SGDP_ASYNC_SWITCH, 10, 0.0);
    forget(&d, unknown, 2);
    CHECK_STATUS(calibrate(SGDP_ASYNC_SWITCH, unknown, 2, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], job.compute.forward_s, 1e-6);
    CHECK(out.max_error < 1e-9);
    measure(&d, &job, SGDP_ASYNC_SWITCH, 10, 0.0);
    CHECK_REL(out.value[1], best_threshold(&d), 1e-6);
}

/* One unknown shared by jobs that differ in all else, types among them. */
TEST(calibration_shares_an_unknown_among_different_jobs)
{
    const sgdp_input unknown = SGDP_INPUT_BANDWIDTH;
    sgdp_worker_type type[2] = { { 2, 0.02, 0.04, 0.0 }, { 1, 0.1, 0.2, 0.0 } };
    sgdfit_calibration out;
    data d;
    d.n = 6;
    for (size_t i = 0; i < d.n; i++) {
        d.job[i] = some_job();
        d.job[i].compute.forward_s *= 1.0 + (double)i;
        d.job[i].model_bytes *= 7.0 - (double)i;
        d.job[i].servers.count = 1 + (uint32_t)i % 2;
        if (i == 2) d.job[i].compute.one_worker_step_s = 2.0;
        if (i == 3) { d.job[i].workers.types = 2; d.job[i].workers.type = type; }
        d.point[i].job = &d.job[i];
        d.point[i].workers = i == 3 ? 0 : 3 + (uint32_t)i;
        d.point[i].batches_per_s = rate_of(&d.job[i], SGDP_ASYNC_EXACT,
                                           d.point[i].workers);
        d.job[i].links.bandwidth_bytes_per_s = 0.0;
    }
    CHECK_STATUS(calibrate(SGDP_ASYNC_EXACT, &unknown, 1, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], 125e6, 1e-6);
    CHECK(out.max_error < 1e-9);
}

/* A step of the update alone: with none there is no step, and no prediction. */
TEST(calibration_passes_over_what_cannot_be_predicted)
{
    const sgdp_input unknown = SGDP_INPUT_UPDATE;
    sgdp_job job = {.compute.update_s = 0.25};
    check_recovery(&job, SGDP_SYNC_PS, &unknown, 1, 5);
}

TEST(calibration_refuses_bad_calls_and_writes_nothing)
{
    static const sgdp_input unknown[] = { SGDP_INPUT_BANDWIDTH, SGDP_INPUT_UPDATE,
                                          SGDP_INPUT_FORWARD, SGDP_INPUT_BACKWARD,
                                          SGDP_INPUT_TRANSFER };
    static const sgdp_input twice[] = { SGDP_INPUT_UPDATE, SGDP_INPUT_UPDATE };
    const sgdp_input none = SGDP_INPUT_COUNT;
    const sgdp_job job = some_job();
    const sgdp_model model = SGDP_ASYNC_EXACT;
    sgdfit_calibration out;
    size_t bytes, need;
    data d;
    measure(&d, &job, model, 6, 0.0);
    FILL(bytes); FILL(out);
    CHECK_STATUS(fit_bytes(runs_of(model, unknown, 1, d.point, 6), fit_level(0.0), &need), SGDP_OK);
    void *work = get_work(need);
    CHECK_REFUSED(fit_bytes(runs_of(model, unknown, 1, d.point, 6), fit_level(0.0), NULL));
    CHECK_REFUSED(fit_bytes(runs_of(model, unknown, 0, d.point, 6), fit_level(0.0), &bytes));
    CHECK_REFUSED(fit_bytes(runs_of(model, unknown, 5, d.point, 6), fit_level(0.0), &bytes));
    CHECK_REFUSED(fit_bytes(runs_of(model, unknown, 3, d.point, 2), fit_level(0.0), &bytes));
    CHECK_REFUSED(fit_bytes(runs_of(model, unknown, 1, d.point, 0), fit_level(0.0), &bytes));
    CHECK_REFUSED(fit_bytes(runs_of(model, unknown, 1, NULL, 6), fit_level(0.0), &bytes));
    CHECK_REFUSED(fit_bytes(runs_of(model, NULL, 1, d.point, 6), fit_level(0.0), &bytes));
    CHECK_REFUSED(fit_bytes(runs_of(model, twice, 2, d.point, 6), fit_level(0.0), &bytes));
    CHECK_REFUSED(fit_bytes(runs_of(model, &none, 1, d.point, 6), fit_level(0.0), &bytes));
    CHECK_REFUSED(fit_bytes(runs_of(SGDP_MODEL_COUNT, unknown, 1, d.point, 6), fit_level(0.0),
                            &bytes));
    CHECK_UNTOUCHED(bytes);
    CHECK_REFUSED(fit_runs(runs_of(model, unknown, 1, d.point, 6), fit_level(0.0), NULL, need,
                           &out));
    CHECK_REFUSED(fit_runs(runs_of(model, unknown, 1, d.point, 6), fit_level(0.0), work, need,
                           NULL));
    CHECK_STATUS(fit_runs(runs_of(model, unknown, 1, d.point, 6), fit_level(0.0), work, need - 1,
                          &out), SGDP_SMALL_WORKSPACE);
    CHECK_UNTOUCHED(out);
    free(work);
}

TEST(calibration_refuses_bad_points_and_writes_nothing)
{
    const sgdp_input unknown[1] = { SGDP_INPUT_BANDWIDTH };
    const sgdp_input threshold = SGDP_INPUT_THRESHOLD, transfer = SGDP_INPUT_TRANSFER;
    const double bad_rate[] = { 0.0, -1.0, INFINITE, NOT_A_NUMBER, 5e-324 };
    const sgdp_job job = some_job();
    const sgdp_model model = SGDP_ASYNC_EXACT;
    sgdfit_calibration out;
    data d;
    measure(&d, &job, model, 6, 0.0);
    FILL(out);
    for (size_t i = 0; i < COUNT(bad_rate); i++) {
        d.point[2].batches_per_s = bad_rate[i];
        CHECK_REFUSED(calibrate(model, unknown, 1, &d, &out));
    }
    d.point[2].batches_per_s = 1e-200;           /* an error of 1e200, whatever it is */
    CHECK_REFUSED(calibrate(SGDP_ASYNC_SWITCH, &threshold, 1, &d, &out));
    d.point[2].batches_per_s = 1.0;
    d.point[2].job = NULL;
    CHECK_REFUSED(calibrate(model, unknown, 1, &d, &out));
    d.point[2].job = &d.job[2];
    d.point[2].workers = 0;
    CHECK_REFUSED(calibrate(model, unknown, 1, &d, &out));
    d.point[2].workers = 3;
    d.job[2].workers.types = 2;                  /* but none given */
    CHECK_REFUSED(calibrate(model, unknown, 1, &d, &out));
    d.job[2].workers.types = 0;
    d.job[2].compute.update_s = -1.0;            /* nowhere to be predicted */
    CHECK_REFUSED(calibrate(model, unknown, 1, &d, &out));
    d.job[2].compute.update_s = 0.006;
    /* Is a transfer one of seconds, or of bytes? */
    d.job[2].links.uplink_s = d.job[2].links.downlink_s = 0.07;
    CHECK_REFUSED(calibrate(model, &transfer, 1, &d, &out));
    CHECK_UNTOUCHED(out);
}

TEST(calibration_refuses_unknowns_without_influence)
{
    static const struct { sgdp_model model; sgdp_input unknown; } row[] = {
        { SGDP_ASYNC_EXACT, SGDP_INPUT_LATENCY },
        { SGDP_ASYNC_EXACT, SGDP_INPUT_THRESHOLD },
        { SGDP_ALLREDUCE_RING, SGDP_INPUT_THRESHOLD },
        { SGDP_SYNC_PS, SGDP_INPUT_LATENCY },
        { SGDP_ALLREDUCE_RING, SGDP_INPUT_LOCAL_BANDWIDTH }
    };
    const sgdp_input both[] = { SGDP_INPUT_UPDATE, SGDP_INPUT_LATENCY };
    const sgdp_input turned[] = { SGDP_INPUT_LATENCY, SGDP_INPUT_UPDATE };
    const sgdp_input threshold = SGDP_INPUT_THRESHOLD, bandwidth = SGDP_INPUT_BANDWIDTH;
    sgdp_job job = some_job();
    sgdfit_calibration out;
    data d;
    FILL(out);
    for (size_t i = 0; i < COUNT(row); i++) {
        chance = 9;
        measure(&d, &job, row[i].model, 5, i % 2 == 0 ? 0.1 : 0.0);
        CHECK_REFUSED(calibrate(row[i].model, &row[i].unknown, 1, &d, &out));
    }
    measure(&d, &job, SGDP_ASYNC_EXACT, 5, 0.0);
    CHECK_REFUSED(calibrate(SGDP_ASYNC_EXACT, both, 2, &d, &out));
    CHECK_REFUSED(calibrate(SGDP_ASYNC_EXACT, turned, 2, &d, &out));
    measure(&d, &job, SGDP_ASYNC_SWITCH, 1, 0.0); /* one worker does not wait */
    CHECK_REFUSED(calibrate(SGDP_ASYNC_SWITCH, &threshold, 1, &d, &out));
    job.model_bytes = 0.0;
    measure(&d, &job, SGDP_ASYNC_EXACT, 5, 0.0);
    CHECK_REFUSED(calibrate(SGDP_ASYNC_EXACT, &bandwidth, 1, &d, &out));
    CHECK_UNTOUCHED(out);
}

/* One point that takes 1000 iterations and more to settle, whatever the threshold: what the
 * prediction says is what calibration says, and before that nothing changes. */
TEST(calibration_tells_why_no_prediction_succeeds)
{
    const sgdp_input unknown = SGDP_INPUT_THRESHOLD;
    sgdfit_calibration out;
    FILL(out);
    sgdp_job job = {.links.uplink_s = 0.072, .links.downlink_s = 0.072};
    job.compute.forward_s = job.compute.backward_s = 0.072 * 200.0 * 0.504;
    job.overlap.rule = SGDP_OVERLAP_FIXED_POINT;
    data d = {.n = 1, .job[0] = job};
    d.point[0].job = &d.job[0];
    d.point[0].workers = 200;
    d.point[0].batches_per_s = 10.0;
    CHECK_STATUS(calibrate(SGDP_ASYNC_EXACT, &unknown, 1, &d, &out), SGDP_NOT_CONVERGED);
    CHECK_UNTOUCHED(out);
}

/* To a threshold alone, of which the mismatch is steps, one start is enough: 64 values, two
 * ends and 40 halvings, and where it was found. */
TEST(calibration_of_a_stepped_threshold_has_one_start)
{
    const sgdp_input unknown = SGDP_INPUT_THRESHOLD;
    const sgdp_job job = some_job();
    sgdfit_calibration out;
    data d;
    measure(&d, &job, SGDP_ASYNC_SWITCH, 12, 0.0);
    forget(&d, &unknown, 1);
    CHECK_STATUS(calibrate(SGDP_ASYNC_SWITCH, &unknown, 1, &d, &out), SGDP_OK);
    printf("    %lu predictions of %lu points\n", (unsigned long)out.evaluations,
           (unsigned long)d.n);
    CHECK(out.evaluations <= 120 * d.n);
}

/* ---- Calibration at the ends of what there is ------------------------------- */

TEST(calibration_refuses_ranges_that_no_double_holds)
{
    const sgdp_input transfer = SGDP_INPUT_TRANSFER, bandwidth = SGDP_INPUT_BANDWIDTH;
    sgdp_job job = some_job();
    sgdfit_calibration out;
    data d;
    FILL(out);
    measure(&d, &job, SGDP_SYNC_PS, 4, 0.0);
    for (size_t i = 0; i < 4; i++) d.job[i].links.bandwidth_bytes_per_s = 5e-324;
    CHECK_REFUSED(calibrate(SGDP_SYNC_PS, &transfer, 1, &d, &out));
    for (size_t i = 0; i < 4; i++) d.job[i].model_bytes = 1e300;
    for (size_t i = 0; i < 4; i++) d.point[i].batches_per_s *= 1e300;
    CHECK_REFUSED(calibrate(SGDP_SYNC_PS, &bandwidth, 1, &d, &out));
    CHECK_UNTOUCHED(out);
}

/* Bandwidths beyond a double are sought too, and passed over: one job takes 1e-25 s, another
 * has 1e288 bytes. */
TEST(calibration_passes_over_a_range_that_begins_beyond_a_double)
{
    const sgdp_input unknown = SGDP_INPUT_BANDWIDTH;
    sgdp_job job = some_job();
    sgdfit_calibration out;
    data d;
    job.model_bytes = 1e288;
    job.links.bandwidth_bytes_per_s = 1e289;
    measure(&d, &job, SGDP_ASYNC_EXACT, 3, 0.0);
    d.job[1].model_bytes = 0.0;
    d.job[1].compute.forward_s = 1e-25;
    d.job[1].compute.backward_s = d.job[1].compute.update_s = 0.0;
    d.point[1].batches_per_s = rate_of(&d.job[1], SGDP_ASYNC_EXACT, d.point[1].workers);
    forget(&d, &unknown, 1);
    CHECK_STATUS(calibrate(SGDP_ASYNC_EXACT, &unknown, 1, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], 1e289, 1e-6);
}

/* So few bytes that no double holds how fast the error changes with them: by golden sections
 * alone. */
TEST(calibration_of_next_to_no_bytes_is_by_sections)
{
    const sgdp_input unknown = SGDP_INPUT_TRANSFER;
    sgdp_job job = some_job();
    sgdfit_calibration out;
    data d;
    job.model_bytes = 1e-310;
    job.links.bandwidth_bytes_per_s = 1e-309;
    for (size_t i = 0; i < 2; i++) {          /* each of them, or all together                 */
        measure(&d, &job, SGDP_ASYNC_EXACT, 5, 0.0);
        forget(&d, &unknown, 1);
        CHECK_STATUS(calibrate(SGDP_ASYNC_EXACT, &unknown, 1, &d, &out), SGDP_OK);
        CHECK_REL(out.value[0], job.model_bytes, 1e-4);
        job.model_bytes *= 76.0;
        job.links.bandwidth_bytes_per_s *= 76.0;
    }
}

/* A threshold of 0, below which there is nothing to look for. And of the switch, jobs without
 * transfers have no branch to change. */
TEST(calibration_finds_a_threshold_at_the_end_of_its_range)
{
    const sgdp_input unknown = SGDP_INPUT_THRESHOLD;
    sgdp_job job = some_job();
    sgdfit_calibration out;
    data d, alone;
    job.threshold = -1.0;
    measure(&d, &job, SGDP_ASYNC_HYBRID, 6, 0.0);
    CHECK_STATUS(calibrate(SGDP_ASYNC_HYBRID, &unknown, 1, &d, &out), SGDP_OK);
    CHECK(out.value[0] >= 0.0 && out.value[0] < 1e-3 && out.max_error < 1e-6);
    for (size_t i = 1; i < 6; i++) d.point[i].batches_per_s *= 0.98;
    CHECK_STATUS(calibrate(SGDP_ASYNC_HYBRID, &unknown, 1, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], 0.0, 0.0);
    job.threshold = 0.7;
    measure(&d, &job, SGDP_ASYNC_SWITCH, 6, 0.0);
    job.model_bytes = 0.0;
    measure(&alone, &job, SGDP_ASYNC_SWITCH, 6, 0.0);
    d.job[0] = alone.job[0];
    d.point[0].batches_per_s = alone.point[0].batches_per_s;
    CHECK_STATUS(calibrate(SGDP_ASYNC_SWITCH, &unknown, 1, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], best_threshold(&d), 1e-9);
}

/* Slower than with nothing hidden: all the less is hidden, at the end of what is sought. What
 * stood in the work before is not looked at. */
TEST(calibration_finds_an_overlap_at_the_end_of_its_range)
{
    const sgdp_input unknown = SGDP_INPUT_OVERLAP;
    const sgdp_job job = some_job();
    static double work[1 << 14];
    sgdfit_calibration out;
    size_t bytes = 0;
    data d;
    measure(&d, &job, SGDP_ALLREDUCE_RING, 4, 0.0);
    for (size_t i = 1; i < 4; i++) d.point[i].batches_per_s *= 0.9;
    CHECK_STATUS(fit_bytes(runs_of(SGDP_ALLREDUCE_RING, &unknown, 1, d.point, 4), fit_level(0.0),
                           &bytes), SGDP_OK);
    CHECK(bytes <= sizeof work);
    CHECK_STATUS(fit_runs(runs_of(SGDP_ALLREDUCE_RING, &unknown, 1, d.point, 4), fit_level(0.0),
                          work, bytes, &out), SGDP_OK);
    CHECK_REL(out.value[0], 1.0, 1e-12);
    CHECK_REL(out.max_error, 1.0 / 0.9 - 1.0, 1e-12);
}

/* One job asks for a long update, of which the other leaves no room in a double: the best that
 * can be predicted lies at the end of what can be. */
TEST(calibration_ends_where_predictions_do)
{
    const sgdp_input unknown = SGDP_INPUT_UPDATE;
    sgdfit_calibration out;
    data d;
    d.n = 2;
    for (size_t i = 0; i < 2; i++) {
        memset(&d.job[i], 0, sizeof d.job[i]);
        d.point[i].job = &d.job[i];
        d.point[i].workers = 1;
    }
    d.job[0].compute.forward_s = 1.7e308;
    d.point[0].batches_per_s = 1.0 / 0.85e308;
    d.point[1].batches_per_s = 1.0 / 0.85e308;
    d.job[1].compute.forward_s = 1e300;
    CHECK_STATUS(calibrate(SGDP_SYNC_PS, &unknown, 1, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], DBL_MAX - 1.7e308, 1e-3);
}

/* Where an input is as large as doubles are, nothing says what a little more of it does. */
TEST(calibration_at_the_end_of_doubles_determines_nothing)
{
    const sgdp_input unknown = SGDP_INPUT_UPDATE, bandwidth = SGDP_INPUT_BANDWIDTH;
    sgdp_job job = some_job();
    sgdfit_calibration out;
    data d;
    job.links.bandwidth_bytes_per_s = DBL_MAX;
    measure(&d, &job, SGDP_SYNC_PS, 5, 0.0);
    CHECK_STATUS(calibrate(SGDP_SYNC_PS, &unknown, 1, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], job.compute.update_s, 1e-6);
    CHECK(out.determined == 0);
    job.model_bytes = 1e307;
    job.links.bandwidth_bytes_per_s = (1.0 - 1e-6) * DBL_MAX;
    measure(&d, &job, SGDP_SYNC_PS, 5, 0.0);
    CHECK_STATUS(calibrate(SGDP_SYNC_PS, &bandwidth, 1, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], job.links.bandwidth_bytes_per_s, 1e-4);
    CHECK(out.determined == 0);
}

/* Capped transfers are almost as long whether the model is larger or the cap smaller: several
 * rounds go along that valley. */
TEST(calibration_follows_a_valley_to_its_end)
{
    static const double forward_s[] = { 0.0181, 0.0304, 0.0255, 0.0228, 0.0767, 0.0622 };
    static const sgdp_input unknown[] = { SGDP_INPUT_TRANSFER, SGDP_INPUT_FLOW_CAP };
    sgdfit_calibration out;
    data d;
    d.n = COUNT(forward_s);
    for (size_t i = 0; i < d.n; i++) {
        d.job[i] = some_job();
        d.job[i].compute.forward_s = forward_s[i];
        d.job[i].compute.backward_s = 0.052;
        d.job[i].compute.update_s = 0.0116;
        d.job[i].model_bytes = 21.3e6;
        d.job[i].links.bandwidth_bytes_per_s = 220e6;
        d.job[i].links.flow_cap_bytes_per_s = 40.8e6;
        d.point[i].job = &d.job[i];
        d.point[i].workers = (uint32_t)i + 1;
        d.point[i].batches_per_s = rate_of(&d.job[i], SGDP_ASYNC_EXACT, d.point[i].workers);
    }
    for (size_t i = 0; i < d.n; i++)
        d.job[i].model_bytes = d.job[i].links.flow_cap_bytes_per_s = 30e6;
    CHECK_STATUS(calibrate(SGDP_ASYNC_EXACT, unknown, 2, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], 21.3e6, 1e-6);
    CHECK_REL(out.value[1], 40.8e6, 1e-6);
    CHECK(out.max_error < 1e-9 && out.determined);
}

/* What an overlap hides of an exchange tells little of its size: more than four rounds of
 * searches are needed to find both. */
TEST(calibration_goes_on_while_it_gains)
{
    static const sgdp_input unknown[] = { SGDP_INPUT_OVERLAP, SGDP_INPUT_TRANSFER,
                                          SGDP_INPUT_FORWARD };
    sgdp_job job = some_job();
    sgdfit_calibration out;
    data d;
    job.compute.forward_s = 0.04;
    job.compute.backward_s = 0.126;
    job.compute.update_s = 0.31;
    job.model_bytes = 20e6;
    job.links.bandwidth_bytes_per_s = 4.5e9;
    job.links.latency_s = 0.00025;
    job.machine.gpus = 3;
    job.machine.local_bandwidth_bytes_per_s = 26.1e9;
    job.overlap.exponent = 2.3;
    measure(&d, &job, SGDP_ALLREDUCE_HIERARCHICAL, 6, 0.0);
    forget(&d, unknown, 3);
    CHECK_STATUS(calibrate(SGDP_ALLREDUCE_HIERARCHICAL, unknown, 3, &d, &out), SGDP_OK);
    CHECK_REL(out.value[0], 2.3, 1e-6);
    CHECK_REL(out.value[1], 20e6, 1e-6);
    CHECK_REL(out.value[2], 0.04, 1e-6);
    CHECK(out.max_error < 1e-9 && out.determined);
}

typedef struct dealt {
    void *work;
    size_t parts, scanned;             /* scanned: the parts dealt first               */
} dealt;

static void deal_counted(void *ctx, sgdfit_part part, const void *search, size_t count,
                         void *results, size_t result_bytes)
{
    dealt *d = (dealt *)ctx;
    for (size_t i = 0; i < count; i++) part(search, i, d->work, (char *)results + i * result_bytes);
    if (d->parts == 0) d->scanned = count;
    d->parts += count;
}

/* A mismatch that falls and then grows has one: 64 nodes, and a search from the least. */
TEST(calibration_searches_from_the_minima_of_the_scan)
{
    const sgdp_input unknown = SGDP_INPUT_UPDATE;
    const sgdp_job job = some_job();
    sgdfit_calibration out;
    data d;
    dealt of = { NULL, 0, 0 };
    size_t bytes = 0;
    chance = 8;
    measure(&d, &job, SGDP_SYNC_PS, 6, 0.1);
    CHECK_STATUS(fit_bytes(runs_of(SGDP_SYNC_PS, &unknown, 1, d.point, d.n), fit_level(0.0),
                           &bytes), SGDP_OK);
    of.work = get_work(bytes);
    CHECK_STATUS(fit_runs(runs_of(SGDP_SYNC_PS, &unknown, 1, d.point, d.n),
                          fit_dealt(0.0, deal_counted, &of), of.work, bytes, &out), SGDP_OK);
    CHECK(out.max_error > 0.005);
    CHECK(of.parts == 64 + 1);
    free(of.work);
}

/* All combinations of 64 values of one unknown, 16 of each of two, 8 of three, 5 of four:
 * that is what the cost of a calibration begins with. */
TEST(a_scan_of_more_unknowns_has_fewer_values_of_each)
{
    static const sgdp_input unknown[] = { SGDP_INPUT_UPDATE, SGDP_INPUT_BANDWIDTH,
                                          SGDP_INPUT_FORWARD, SGDP_INPUT_BACKWARD };
    static const size_t nodes[] = { 64, 16 * 16, 8 * 8 * 8, 5 * 5 * 5 * 5 };
    const sgdp_job job = some_job();
    for (size_t u = 1; u <= 4; u++) {
        sgdfit_calibration out;
        data d;
        dealt of = { NULL, 0, 0 };
        size_t bytes = 0;
        chance = 8;
        measure(&d, &job, SGDP_SYNC_PS, 5, 0.1);
        CHECK_STATUS(fit_bytes(runs_of(SGDP_SYNC_PS, unknown, u, d.point, d.n), fit_level(0.0),
                               &bytes), SGDP_OK);
        of.work = get_work(bytes);
        CHECK_STATUS(fit_runs(runs_of(SGDP_SYNC_PS, unknown, u, d.point, d.n),
                              fit_dealt(0.0, deal_counted, &of), of.work, bytes, &out), SGDP_OK);
        CHECK(of.scanned == nodes[u - 1]);
        free(of.work);
    }
}

/* A cap of a quarter of the bandwidth is the last that four workers do not feel, who were
 * measured faster than they can be; one worker, measured as with a lower cap, pulls it down
 * until they do. An edge has no slope to go by: what sections leave of the scan, which have
 * 1e-5 of it at their end, is how well it is met. */
TEST(calibration_meets_an_edge_by_sections)
{
    const sgdp_input unknown = SGDP_INPUT_FLOW_CAP;
    const double edge = 125e6 / 4.0;
    for (size_t i = 0; i < 40; i++) {
        sgdfit_calibration out;
        sgdp_job job = some_job(), pulling;
        data d;
        job.compute.forward_s = 0.05 + 0.01 * (double)i;
        job.compute.backward_s = job.compute.update_s = job.links.latency_s = 0.0;
        pulling = job;
        pulling.links.flow_cap_bytes_per_s = edge / 1.1;
        measure(&d, &job, SGDP_SYNC_PS, 2, 0.0);
        d.point[0].batches_per_s = rate_of(&pulling, SGDP_SYNC_PS, 1);
        d.point[1].batches_per_s = rate_of(&job, SGDP_SYNC_PS, 4) * 1.2;
        d.point[1].workers = 4;
        CHECK_STATUS(calibrate(SGDP_SYNC_PS, &unknown, 1, &d, &out), SGDP_OK);
        CHECK_REL(out.value[0], edge, 2e-6);
    }
}

TEST_MAIN("test_fit");
