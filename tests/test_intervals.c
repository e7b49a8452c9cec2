/* test_intervals.c - what calibrations, lines and robust fits of any data say of their unknowns is
 * what the formulas of their declarations give, written down again here */
#include "../sgdperf_fit.h"
#include "test.h"
#define CHANCE_SEED 35
#include "chance.h"

#include <float.h>
#include <math.h>

enum { MOST = 12, UNKNOWNS = 3 };

/* Rates whose steps take known[i] + the sum of y z: the model of any unknowns of `sought`, the
 * other ones have no effect. */
typedef struct linear {
    size_t unknowns, n;
    sgdfit_unknown all[UNKNOWNS], some[UNKNOWNS];
    sgdfit_prior prior[UNKNOWNS];
    double known[MOST], z[MOST][UNKNOWNS], measured[MOST], noise;
    size_t place[UNKNOWNS];    /* of the unknowns that are sought                       */
    size_t sought;
} linear;

/* A fit of some unknowns: numbers y, in the places that are in the mask. */
typedef struct linear_fit {
    unsigned mask;
    double y[UNKNOWNS], value[UNKNOWNS], squares, mean_error, max_error;
} linear_fit;

static double work[400000];

static size_t members(unsigned mask) { return (mask & 1u) + (mask >> 1 & 1u) + (mask >> 2 & 1u); }

static double y_of(sgdfit_kind kind, double value)
{
    return kind == SGDFIT_TIME ? value : 1.0 / value;
}

static double step_of(const linear *l, size_t i, const double *y, unsigned mask)
{
    double step = l->known[i];
    for (size_t j = 0; j < l->unknowns; j++)
        if (mask >> j & 1u) step += y[j] * l->z[i][j];
    return step;
}

static int predict(const void *ctx, const double *value, size_t first, size_t count, void *at,
                   double *rate)
{
    const linear *l = (const linear *)ctx;
    double y[UNKNOWNS] = { 0.0 };
    unsigned mask = 0;
    (void)at;
    for (size_t j = 0; j < l->sought; j++) {
        if (value[j] < 0.0) continue;
        y[l->place[j]] = y_of(l->some[j].kind, value[j]);
        mask |= 1u << l->place[j];
    }
    for (size_t i = 0; i < count; i++) rate[i] = 1.0 / step_of(l, first + i, y, mask);
    return 0;
}

/* The problem of the unknowns of the mask. */
static sgdfit_problem problem_of(linear *l, unsigned mask, double level)
{
    sgdfit_problem of = {.model = {.predict = predict, .ctx = l}, .unknown = l->some,
                         .measured = l->measured, .n = l->n, .level = level, .noise = l->noise};
    l->sought = 0;
    for (size_t j = 0; j < l->unknowns; j++) {
        if (!(mask >> j & 1u)) continue;
        l->place[l->sought] = j;
        l->some[l->sought++] = l->all[j];
    }
    of.unknowns = l->sought;
    return of;
}

/* Up to three unknowns of any kind, and points that depend on each of them; errors of `far`. */
static void draw_linear(linear *l, size_t least, double far, double *truth)
{
    static const sgdfit_kind kinds[] = { SGDFIT_TIME, SGDFIT_RATE, SGDFIT_EXPONENT };
    memset(l, 0, sizeof *l);
    l->unknowns = 1 + draw(UNKNOWNS);
    l->n = l->unknowns + least + draw((uint32_t)(MOST - UNKNOWNS - least + 1));
    for (size_t j = 0; j < l->unknowns; j++) {
        l->all[j] = (sgdfit_unknown){kinds[draw(3)], 0.0, 1e-5, 2.0};
        if (l->all[j].kind == SGDFIT_EXPONENT) l->all[j].high = 1.0;
        truth[j] = between(0.3, 0.95);
    }
    for (size_t i = 0; i < l->n; i++) {
        l->known[i] = between(0.1, 1.0);
        for (size_t j = 0; j < l->unknowns; j++)
            l->z[i][j] = draw(4) > 0 || i == j ? between(0.1, 3.0) : 0.0;
        l->measured[i] = (1.0 + far * between(-1.0, 1.0))
            / step_of(l, i, truth, (1u << l->unknowns) - 1u);
    }
}

static void measure_fit(const linear *l, linear_fit *fit)
{
    fit->squares = fit->mean_error = fit->max_error = 0.0;
    for (size_t i = 0; i < l->n; i++) {
        const double error = 1.0 / step_of(l, i, fit->y, fit->mask) / l->measured[i] - 1.0;
        fit->squares += error * error;
        fit->mean_error += fabs(error) / (double)l->n;
        fit->max_error = fmax(fit->max_error, fabs(error));
    }
}

/* As calibrated without a level: no other numbers nearby fit better, where no number is at the end
 * of its range. */
static linear_fit fit_of(linear *l, unsigned mask)
{
    const sgdfit_problem of = problem_of(l, mask, 0.0);
    sgdfit_calibration out;
    linear_fit fit = {.mask = mask};
    int at_end = 0;
    CHECK_STATUS(sgdfit_calibrate(&of, work, sizeof work, &out), SGDFIT_OK);
    for (size_t j = 0; j < of.unknowns; j++) {
        fit.value[l->place[j]] = out.value[j];
        fit.y[l->place[j]] = y_of(l->some[j].kind, out.value[j]);
        at_end |= fit.y[l->place[j]] > 0.999 * l->some[j].high;
    }
    measure_fit(l, &fit);
    for (size_t j = 0; j < of.unknowns; j++)
        for (int sign = -1; sign <= 1; sign += 2) {
            linear_fit near = fit;
            near.y[l->place[j]] *= 1.0 + 1e-3 * sign;
            if (near.y[l->place[j]] > l->some[j].high) continue;
            measure_fit(l, &near);
            CHECK(near.squares >= fit.squares * (1.0 - 1e-9) || at_end);
        }
    return fit;
}

/* Inverts a symmetric matrix of at most three rows; 0 if it hardly has an inverse. */
static int invert(double a[UNKNOWNS][UNKNOWNS], size_t k)
{
    double b[UNKNOWNS][UNKNOWNS] = { { 0.0 } };
    for (size_t c = 0; c < k; c++) b[c][c] = 1.0;
    for (size_t c = 0; c < k; c++) {
        const double pivot = a[c][c];
        if (!(fabs(pivot) > 1e-9)) return 0;
        for (size_t j = 0; j < k; j++) { a[c][j] /= pivot; b[c][j] /= pivot; }
        for (size_t i = 0; i < k; i++) {
            const double factor = a[i][c];
            if (i == c) continue;
            for (size_t j = 0; j < k; j++) {
                a[i][j] -= factor * a[c][j];
                b[i][j] -= factor * b[c][j];
            }
        }
    }
    memcpy(a, b, sizeof b);
    return 1;
}

/* The ends of an interval of y, of the unknown's own value: y + half is at most `high`. */
static void ends_of(const sgdfit_unknown *u, double least, double most, double *low, double *high)
{
    if (u->kind == SGDFIT_EXPONENT && most > u->high) most = u->high;
    *low = u->kind == SGDFIT_TIME ? least : 1.0 / most;
    *high = u->kind == SGDFIT_TIME ? most : least > 0.0 ? 1.0 / least : HUGE_VAL;
}

/* Widens low and high by the intervals of a fit; 0 if it has none. */
static int widen(const linear *l, const linear_fit *fit, double level, double *low, double *high)
{
    double a[UNKNOWNS][UNKNOWNS] = { { 0.0 } };
    size_t place[UNKNOWNS], k = 0;
    for (size_t j = 0; j < l->unknowns; j++) if (fit->mask >> j & 1u) place[k++] = j;
    for (size_t i = 0; i < l->n; i++) {
        const double step = step_of(l, i, fit->y, fit->mask);
        for (size_t j = 0; j < k * k; j++)
            a[j / k][j % k] += l->z[i][place[j / k]] * l->z[i][place[j % k]] / (step * step);
    }
    for (size_t j = 0; j < k; j++) if (!(fit->y[place[j]] > 1e-4)) return 0;
    if (!invert(a, k)) return 0;
    for (size_t j = 0; j < k; j++) {
        const double t = sgdfit_student(level, l->n - k), y = fit->y[place[j]];
        const double half = t * sqrt(fit->squares / (double)(l->n - k) * a[j][j]);
        double from, to;
        ends_of(&l->all[place[j]], fmax(y - half, 0.0), y + half, &from, &to);
        low[place[j]] = fmin(low[place[j]], from);
        high[place[j]] = fmax(high[place[j]], to);
    }
    return 1;
}

/* The fit without the unknown that is missed least; 0 if all of them are needed. */
static int leave_out(linear *l, linear_fit *best, int *close)
{
    const size_t k = members(best->mask);
    linear_fit least = {.squares = DBL_MAX};
    if (k == 1) return 0;
    for (size_t j = l->unknowns; j-- > 0;) {
        if (!(best->mask >> j & 1u)) continue;
        const linear_fit fit = fit_of(l, best->mask & ~(1u << j));
        if (fit.squares < least.squares) least = fit;
    }
    const double t = sgdfit_student(0.95, l->n - k);
    const double most = best->squares * (1.0 + t * t / (double)(l->n - k));
    *close |= fabs(least.squares / most - 1.0) < 1e-4;
    if (least.squares >= most) return 0;
    *best = least;
    return 1;
}

/* Differences are one-sided where an exponent is at its end, and less exact. */
static int is_at_end(const linear *l, const linear_fit *fit)
{
    for (size_t j = 0; j < l->unknowns; j++)
        if (l->all[j].kind == SGDFIT_EXPONENT && fit->y[j] > 0.99998) return 1;
    return 0;
}

/* Selection and intervals of any unknowns, at any level. */
TEST(a_pooled_calibration_selects_and_bounds_as_its_formulas)
{
    size_t seen[UNKNOWNS + 1][UNKNOWNS + 1] = { { 0 } };
    for (int trial = 0; trial < TEST_SIZE(60, 600); trial++) {
        const double level = between(0.5, 0.95);
        double low[UNKNOWNS], high[UNKNOWNS], truth[UNKNOWNS];
        sgdfit_calibration out;
        linear l;
        int known, close = 0;
        draw_linear(&l, 1, draw(2) ? 0.02 : 0.3, truth);
        linear_fit best = fit_of(&l, (1u << l.unknowns) - 1u);
        for (size_t j = 0; j < l.unknowns; j++) { low[j] = HUGE_VAL; high[j] = 0.0; }
        int at_end = is_at_end(&l, &best);
        known = widen(&l, &best, level, low, high);
        while (leave_out(&l, &best, &close)) {
            at_end |= is_at_end(&l, &best);
            known &= widen(&l, &best, level, low, high);
        }
        if (!known || close) continue;
        const sgdfit_problem of = problem_of(&l, (1u << l.unknowns) - 1u, level);
        CHECK_STATUS(sgdfit_calibrate(&of, work, sizeof work, &out), SGDFIT_OK);
        const size_t fitted = members(best.mask);
        seen[l.unknowns][fitted]++;
        CHECK(out.fitted == fitted && out.determined == 1 && out.evaluations > 0);
        CHECK_REL(out.deviation, sqrt(best.squares / (double)(l.n - fitted)), 1e-6);
        CHECK_REL(out.mean_error, best.mean_error, 1e-4);
        CHECK_REL(out.max_error, best.max_error, 1e-3);
        for (size_t j = 0; j < l.unknowns; j++) {
            CHECK(out.kept[j] == (int)(best.mask >> j & 1u));
            CHECK_REL(out.value[j], best.value[j], 1e-12);
            CHECK_REL(out.low[j], low[j], at_end ? 1e-4 : 1e-7);
            CHECK_REL(out.high[j], high[j], at_end ? 1e-4 : 1e-7);
        }
    }
    CHECK(seen[1][1] > 0 && seen[2][1] > 0 && seen[2][2] > 0 && seen[3][2] > 0);
    CHECK(seen[3][3] > 0);
}

/* ---- Beside priors ----------------------------------------------------------- */

/* Standard deviation of y that a prior says, where the value is that of y; 0: it says none. */
static double unit_of(const linear *l, size_t j, double y)
{
    const sgdfit_prior *prior = &l->prior[j];
    if (!prior->normal) return prior->spread * y;
    return l->all[j].kind == SGDFIT_TIME ? prior->spread : prior->spread * y * y;
}

/* What is to be least. */
static double objective(const linear *l, const double *y)
{
    linear_fit fit = {.mask = (1u << l->unknowns) - 1u};
    memcpy(fit.y, y, sizeof fit.y);
    measure_fit(l, &fit);
    double sum = fit.squares / (l->noise * l->noise);
    for (size_t j = 0; j < l->unknowns; j++) {
        const sgdfit_prior *p = &l->prior[j];
        const double value = y_of(l->all[j].kind, y[j]);
        const double off = p->normal ? value - p->value : log(value / p->value);
        if (p->spread > 0.0) sum += off * off / (p->spread * p->spread);
    }
    return sum;
}

/* Covariance of the y of the mask in C; 0 if there is none. */
static int posterior(const linear *l, const double *y, unsigned mask, double C[][UNKNOWNS])
{
    size_t place[UNKNOWNS], k = 0;
    for (size_t j = 0; j < l->unknowns; j++) if (mask >> j & 1u) place[k++] = j;
    memset(C, 0, sizeof(double[UNKNOWNS][UNKNOWNS]));
    for (size_t j = 0; j < k; j++) {
        const double unit = unit_of(l, place[j], y[place[j]]);
        if (unit > 0.0) C[j][j] = 1.0 / (unit * unit);
    }
    for (size_t i = 0; i < l->n; i++) {
        const double step = step_of(l, i, y, mask);
        const double by = 1.0 / (step * step * l->measured[i] * l->noise);
        for (size_t j = 0; j < k * k; j++)
            C[j / k][j % k] += l->z[i][place[j / k]] * l->z[i][place[j % k]] * by * by;
    }
    return invert(C, k);
}

static void draw_priors(linear *l, const double *truth)
{
    l->noise = between(0.01, 0.1);
    for (size_t j = 0; j < l->unknowns; j++) {
        const double value = y_of(l->all[j].kind, truth[j]);
        if (l->n >= l->unknowns && draw(4) == 0) continue;
        l->prior[j].normal = (int)draw(2);
        l->prior[j].value = value * between(0.7, 1.4);
        l->prior[j].spread = between(0.02, 0.4) * (l->prior[j].normal ? value : 1.0);
    }
}

/* What was found has no better neighbour, and the least of the objective is not at an end. */
static int is_least(const linear *l, const double *y)
{
    const double least = objective(l, y);
    for (int round = 0; round < 20; round++) {
        double near[UNKNOWNS];
        for (size_t j = 0; j < l->unknowns; j++) near[j] = y[j] * (1.0 + between(-1e-2, 1e-2));
        if (!(objective(l, near) >= least * (1.0 - 1e-9) - 1e-9)) return 0;
    }
    return 1;
}

static void check_told(linear *l, const double *y, const double *value, unsigned mask)
{
    sgdfit_problem of = problem_of(l, (1u << l->unknowns) - 1u, 0.9);
    double C[UNKNOWNS][UNKNOWNS], told[UNKNOWNS], at[UNKNOWNS];
    size_t k = 0;
    of.prior = l->prior;
    for (size_t j = 0; j < l->unknowns; j++) at[j] = mask >> j & 1u ? value[j] : -1.0;
    if (!posterior(l, y, mask, C)) return;
    CHECK_STATUS(sgdfit_told(&of, at, work, sizeof work, told), SGDFIT_OK);
    for (size_t j = 0; j < l->unknowns; j++) {
        const double unit = unit_of(l, j, y[j]);
        if (!(mask >> j & 1u)) CHECK(!(told[j] > 0.0));
        else if (!(unit > 0.0)) CHECK(told[j] >= 1.0);
        else CHECK(fabs(told[j] - (1.0 - C[k][k] / (unit * unit))) < 1e-5);
        k += mask >> j & 1u;
        const double kept = at[j];
        at[j] = y_of(l->all[j].kind, 1e3 * l->all[j].high);    /* out of its range            */
        CHECK_STATUS(sgdfit_told(&of, at, work, sizeof work, told), SGDFIT_BAD_ARGUMENT);
        at[j] = kept;
    }
}

TEST(a_calibration_beside_priors_is_the_posterior_of_its_formulas)
{
    size_t seen = 0;
    for (int trial = 0; trial < TEST_SIZE(80, 800); trial++) {
        const double level = between(0.5, 0.95), t = sgdfit_student(level, 1000);
        double truth[UNKNOWNS], y[UNKNOWNS] = { 0.0 }, C[UNKNOWNS][UNKNOWNS], wider = 1.0;
        sgdfit_calibration out;
        linear l;
        int inside = 1;
        draw_linear(&l, 0, draw(2) ? 0.02 : 0.3, truth);
        if (draw(3) == 0) l.n = 1;
        draw_priors(&l, truth);
        const unsigned all = (1u << l.unknowns) - 1u;
        sgdfit_problem of = problem_of(&l, all, level);
        size_t priors = 0;
        for (size_t j = 0; j < l.unknowns; j++) priors += l.prior[j].spread > 0.0;
        if (priors == 0) continue;
        of.prior = l.prior;
        if (draw(3) == 0) { l.noise = 0.02; of.noise = 0.0; }
        if (sgdfit_calibrate(&of, work, sizeof work, &out) != SGDFIT_OK) continue;
        linear_fit fit = {.mask = all};
        for (size_t j = 0; j < l.unknowns; j++) {
            fit.y[j] = y[j] = y_of(l.all[j].kind, out.value[j]);
            inside = inside && y[j] > 1e-2 && y[j] < l.all[j].high * 0.98;
        }
        if (!inside || !posterior(&l, y, all, C)) continue;
        seen++;
        CHECK(is_least(&l, y));
        measure_fit(&l, &fit);
        CHECK(out.fitted == l.unknowns && out.determined == 1);
        const double deviation =
            l.n > l.unknowns ? sqrt(fit.squares / (double)(l.n - l.unknowns)) : 0.0;
        CHECK_REL(out.deviation, deviation, 1e-6);
        CHECK_REL(out.mean_error, fit.mean_error, 1e-5);
        CHECK_REL(out.max_error, fit.max_error, 1e-5);
        if (deviation > l.noise) wider = deviation / l.noise;
        for (size_t j = 0; j < l.unknowns; j++) {
            const int by_factor = l.prior[j].spread > 0.0 && !l.prior[j].normal;
            const double half = t * sqrt(C[j][j]) * wider;
            double low, high;
            ends_of(&l.all[j], by_factor ? y[j] / exp(half / y[j]) : fmax(y[j] - half, 0.0),
                    by_factor ? y[j] * exp(half / y[j]) : y[j] + half, &low, &high);
            CHECK(out.kept[j] == 1);
            CHECK_REL(out.low[j], low, 1e-6);
            CHECK_REL(out.high[j], high, 1e-6);
        }
        check_told(&l, y, out.value, 1 + draw(all));
    }
    CHECK(seen > TEST_SIZE(40, 400));
}

/* Two unknowns without a prior that act alike: beside a third one's prior nothing is known. */
TEST(unknowns_that_no_point_separates_have_no_interval)
{
    for (int trial = 0; trial < 20; trial++) {
        double truth[UNKNOWNS];
        sgdfit_calibration out;
        linear l;
        do draw_linear(&l, 1, 0.02, truth); while (l.unknowns < 3);
        for (size_t i = 0; i < l.n; i++) l.z[i][1] = 2.0 * l.z[i][0];
        l.all[0].kind = l.all[1].kind = SGDFIT_TIME;
        l.prior[2] = (sgdfit_prior){y_of(l.all[2].kind, truth[2]), 0.1, 0};
        l.noise = 0.02;
        sgdfit_problem of = problem_of(&l, 7, 0.9);
        of.prior = l.prior;
        CHECK_STATUS(sgdfit_calibrate(&of, work, sizeof work, &out), SGDFIT_OK);
        CHECK(out.fitted == 3 && !out.determined);
        for (size_t j = 0; j < 3; j++) CHECK(!(out.low[j] > 0.0) && out.high[j] > DBL_MAX);
    }
}

/* Up to 1, or where ctx is given from 1 on. */
static int predict_up_to_1(const void *ctx, const double *value, size_t first, size_t count,
                           void *at, double *rate)
{
    const int knows = ctx ? value[0] >= 1.0 : value[0] <= 1.0;
    (void)first, (void)at;
    for (size_t i = 0; i < count; i++) rate[i] = knows ? 1.0 / (1.0 + value[0]) : 0.0;
    return knows ? SGDFIT_OK : SGDFIT_OVER_BUDGET;
}

/* Next to a value that has no prediction points tell nothing. */
TEST(points_tell_nothing_where_predictions_end)
{
    const sgdfit_unknown unknown = {SGDFIT_TIME, 0.1, 0.1, 10.0};
    const double measured[1] = { 0.6 }, below[3] = { 0.5, 0.9, 1.0 }, above[3] = { 2.0, 1.1, 1.0 };
    const sgdfit_prior prior = {0.7, 0.3, 1};
    for (size_t i = 0; i < 6; i++) {
        const sgdfit_problem of = {.model = {predict_up_to_1, NULL, i < 3 ? NULL : &unknown, 0},
                                   .unknown = &unknown, .unknowns = 1, .measured = measured,
                                   .n = 1, .prior = &prior};
        const double *value = i < 3 ? below + i : above + i - 3, far = 0.05;
        double told = -1.0;
        CHECK_STATUS(sgdfit_told(&of, &far, work, sizeof work, &told), SGDFIT_BAD_ARGUMENT);
        CHECK_STATUS(sgdfit_told(&of, value, work, sizeof work, &told), SGDFIT_OK);
        CHECK(i % 3 < 2 ? told > 0.8 : told >= 0.0 && told <= 0.0);
    }
}

/* ---- The scan ---------------------------------------------------------------- */

typedef struct seen { size_t calls; double value[256][2]; } seen;

static int look(const void *ctx, const double *value, size_t first, size_t count, void *at,
                double *rate)
{
    seen *s = *(seen *const *)ctx;
    (void)first, (void)at;
    if (s->calls < 256) memcpy(s->value[s->calls], value, sizeof s->value[0]);
    s->calls++;
    for (size_t i = 0; i < count; i++) rate[i] = 1.0 / (1.0 + fmin(9.0, fabs(value[0])));
    return 0;
}

/* Number i of n values: of thresholds by equal differences, else `least`, or what the prior says,
 * and by equal factors. */
static double scanned(const sgdfit_unknown *u, const sgdfit_prior *prior, size_t i, size_t n)
{
    double y = u->low * pow(u->high / u->low, ((double)i - 1.0) / ((double)n - 2.0));
    if (u->kind == SGDFIT_SHARE || u->kind == SGDFIT_STEPS)
        return u->high * (double)i / ((double)n - 1.0);
    if (i == 0) y = prior->spread > 0.0 ? fmax(u->least, y_of(u->kind, prior->value)) : u->least;
    return u->kind == SGDFIT_TIME ? y : 1.0 / y;
}

/* 64 values of one unknown; 16 of each of two, the first one running through all its values. */
TEST(a_scan_tries_the_values_that_its_kinds_say)
{
    static const sgdfit_kind kinds[] = { SGDFIT_TIME, SGDFIT_RATE, SGDFIT_EXPONENT, SGDFIT_SHARE,
                                         SGDFIT_STEPS };
    for (int trial = 0; trial < 100; trial++) {
        static seen s;
        seen *const at = &s;
        const double measured[3] = { 0.5, 0.4, 0.3 };
        const size_t unknowns = 1 + draw(2), n = unknowns == 1 ? 64 : 16;
        const size_t all = unknowns == 1 ? n : n * n;
        sgdfit_unknown unknown[2];
        sgdfit_prior prior[2] = { { 0.0, 0.0, 0 }, { 0.0, 0.0, 0 } };
        sgdfit_calibration out;
        for (size_t j = 0; j < unknowns; j++) {
            const double low = between(0.001, 0.1);
            unknown[j] = (sgdfit_unknown){kinds[draw(5)], draw(2) ? low * chance_unit() : low, low,
                                          low * between(2.0, 1e4)};
            if (draw(2) && unknown[j].kind <= SGDFIT_EXPONENT)
                prior[j] = (sgdfit_prior){y_of(unknown[j].kind, low * 1.5), 0.3, 0};
        }
        const sgdfit_problem of = {.model = {.predict = look, .ctx = &at}, .unknown = unknown,
                                   .unknowns = unknowns, .measured = measured, .n = 3,
                                   .prior = prior};
        s.calls = 0;
        (void)sgdfit_calibrate(&of, work, sizeof work, &out);
        CHECK(s.calls >= all);
        for (size_t i = 0; i < all; i++)
            for (size_t j = 0; j < unknowns; j++)
                CHECK_REL(s.value[i][j], scanned(&unknown[j], &prior[j], j ? i / n : i % n, n),
                          1e-9);
    }
}

/* Points of a node of the scan: no better value is looked for. */
TEST(a_node_that_is_exact_ends_the_search)
{
    for (int trial = 0; trial < 40; trial++) {
        double truth[UNKNOWNS], y[UNKNOWNS] = { 0.0 };
        const sgdfit_prior none = {0.0, 0.0, 0};
        sgdfit_calibration out;
        linear l;
        do draw_linear(&l, 1, 0.0, truth); while (l.unknowns != 2);
        const sgdfit_problem of = problem_of(&l, 3, 0.0);
        for (size_t j = 0; j < 2; j++)
            y[j] = y_of(l.all[j].kind, scanned(&l.all[j], &none, 3 + draw(12), 16));
        for (size_t i = 0; i < l.n; i++) l.measured[i] = 1.0 / step_of(&l, i, y, 3);
        CHECK_STATUS(sgdfit_calibrate(&of, work, sizeof work, &out), SGDFIT_OK);
        for (size_t j = 0; j < 2; j++) CHECK_REL(y_of(l.all[j].kind, out.value[j]), y[j], 1e-9);
        CHECK(out.evaluations <= (256 + 400) * l.n);
    }
}

/* ---- Thresholds ---------------------------------------------------------------- */

typedef struct thresholds {
    size_t n;
    double at[MOST], low[MOST], high[MOST];
    int    share;
} thresholds;

/* Each rate jumps at a threshold of its own. A rate with a share changes up to there, and
 * beyond it by rounding alone. */
static int predict_threshold(const void *ctx, const double *value, size_t first, size_t count,
                             void *at, double *rate)
{
    const thresholds *t = (const thresholds *)ctx;
    (void)at;
    for (size_t i = first; i < first + count; i++) {
        const double part = fmin(1.0, value[0] / t->at[0]);
        const double rounding = 1.0 + 1e-15 * sin(1e3 * value[0]);
        rate[i - first] = t->share ? (t->low[i] + (t->high[i] - t->low[i]) * part) * rounding
            : value[0] < t->at[i] ? t->low[i] : t->high[i];
    }
    return 0;
}

static double threshold_squares(const thresholds *t, const double *measured, double value)
{
    double rate[MOST], sum = 0.0;
    (void)predict_threshold(t, &value, 0, t->n, NULL, rate);
    for (size_t i = 0; i < t->n; i++) sum += pow(rate[i] / measured[i] - 1.0, 2.0);
    return sum;
}

/* The middle of the best interval between two jumps, or of the range without effect. */
static double best_threshold(const thresholds *t, const double *measured, double end)
{
    double best = 0.0, least = HUGE_VAL, from = 0.0;
    if (t->share) return 0.5 * (t->at[0] + end);
    while (from < end) {
        double to = end;
        for (size_t i = 0; i < t->n; i++) if (t->at[i] > from) to = fmin(to, t->at[i]);
        const double middle = 0.5 * (from + to), sum = threshold_squares(t, measured, middle);
        if (sum < least) { least = sum; best = middle; }
        from = to;
    }
    return best;
}

TEST(a_threshold_is_the_middle_of_its_best_range)
{
    for (int trial = 0; trial < TEST_SIZE(200, 2000); trial++) {
        thresholds t = {.n = 1 + draw(MOST), .share = (int)draw(2)};
        const double end = between(0.5, 20.0);
        const sgdfit_unknown unknown = {t.share ? SGDFIT_SHARE : SGDFIT_STEPS, 0.0, 1e-6, end};
        double measured[MOST];
        sgdfit_calibration out;
        for (size_t i = 0; i < t.n; i++) {
            t.at[i] = end * between(0.05, 0.9);
            t.low[i] = between(1.0, 2.0);
            t.high[i] = t.low[i] * between(1.05, 1.5);
            measured[i] = t.share ? t.high[i] * 1.01 : draw(2) ? t.low[i] : t.high[i];
            measured[i] *= 1.0 + 0.002 * chance_unit();
        }
        const sgdfit_problem of = {.model = {.predict = predict_threshold, .ctx = &t},
                                   .unknown = &unknown, .unknowns = 1, .measured = measured,
                                   .n = t.n};
        CHECK_STATUS(sgdfit_calibrate(&of, work, sizeof work, &out), SGDFIT_OK);
        CHECK_REL(out.value[0], best_threshold(&t, measured, end), 1e-6);
        CHECK(t.share || out.evaluations <= 150 * t.n);  /* 64 nodes, and 42 for each jump   */
    }
}

TEST(an_unknown_that_changes_the_rounding_alone_is_refused)
{
    const thresholds t = {.n = 2, .share = 1, .at = { 0.5 }, .low = { 1.0, 2.0 },
                          .high = { 1.5, 2.5 }};
    const sgdfit_unknown unknown = {SGDFIT_TIME, 1.0, 1.0, 10.0};
    const double measured[] = { 1.7, 2.2 };
    const sgdfit_problem of = {.model = {.predict = predict_threshold, .ctx = &t},
                               .unknown = &unknown, .unknowns = 1, .measured = measured, .n = 2};
    sgdfit_calibration out;
    CHECK_STATUS(sgdfit_calibrate(&of, work, sizeof work, &out), SGDFIT_BAD_ARGUMENT);
}

static void deal_in_order(void *ctx, sgdfit_part part, const void *search, size_t count,
                          void *results, size_t result_bytes)
{
    ++*(size_t *)ctx;
    for (size_t i = 0; i < count; i++)
        part(search, i, work, (char *)results + i * result_bytes);
}

/* The scan, the first start and, where that is not exact, all others at once. */
TEST(parts_are_dealt_three_times)
{
    static double own[200000];
    for (int trial = 0; trial < 20; trial++) {
        double truth[UNKNOWNS];
        size_t deals = 0;
        sgdfit_calibration out;
        linear l;
        do draw_linear(&l, 1, trial % 2 ? 0.05 : 0.0, truth); while (l.unknowns != 2);
        sgdfit_problem of = problem_of(&l, 3, 0.0);
        of.deal = deal_in_order;
        of.deal_ctx = &deals;
        CHECK_STATUS(sgdfit_calibrate(&of, own, sizeof own, &out), SGDFIT_OK);
        CHECK(trial % 2 ? deals == 3 : deals == 2 || deals == 3);
    }
}

/* Predictions a point, in the mean of 60 searches with errors, and of 60 without: their cost is a
 * part of what sgdfit_calibrate declares, and hardly depends on rounding. */
TEST(searches_cost_what_they_did)
{
    static const double was[UNKNOWNS][2] = { { 104.42, 98.0 }, { 1681.2, 305.42 },
                                             { 1838.8, 646.82 } };
    chance = 5;
    for (size_t k = 1; k <= UNKNOWNS; k++)
        for (int exact = 0; exact < 2; exact++) {
            double sum = 0.0, truth[UNKNOWNS];
            for (int i = 0; i < 60; i++) {
                sgdfit_calibration out;
                linear l;
                do draw_linear(&l, 1, exact ? 0.0 : 0.05, truth); while (l.unknowns != k);
                const sgdfit_problem of = problem_of(&l, (1u << k) - 1u, 0.0);
                CHECK_STATUS(sgdfit_calibrate(&of, work, sizeof work, &out), SGDFIT_OK);
                sum += (double)out.evaluations / (double)l.n / 60.0;
            }
            CHECK_REL(sum, was[k - 1][exact], 0.01);
        }
}

/* ---- A line ------------------------------------------------------------------ */

/* By sums over pairs of points: no mean is taken. */
TEST(a_line_is_that_of_pairs_of_points)
{
    for (int trial = 0; trial < TEST_SIZE(400, 4000); trial++) {
        const size_t n = 1 + draw(10);
        const int equal = n == 1 || draw(6) == 0;
        const double level = between(0.05, 0.99);
        const double scale = equal && draw(2) ? 0.0 : pow(10.0, between(-12.0, 12.0));
        double x[MOST], y[MOST], xx = 0.0, xy = 0.0, x2 = 0.0, squares = 0.0, t = HUGE_VAL;
        double mean_x = 0.0, mean_y = 0.0;
        double small_y[MOST];
        sgdfit_straight line, small;
        for (size_t i = 0; i < n; i++) {
            x[i] = equal && i > 0 ? x[0] : scale * between(-1.0, 3.0);
            y[i] = between(-2.0, 5.0);
            mean_x += x[i] / (double)n;
            mean_y += y[i] / (double)n;
            x2 += x[i] * x[i];
        }
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < i; k++) {
                xx += (x[i] - x[k]) * (x[i] - x[k]);
                xy += (x[i] - x[k]) * (y[i] - y[k]);
            }
        const double slope = equal ? 0.0 : xy / xx, at_0 = mean_y - slope * mean_x;
        for (size_t i = 0; i < n; i++)
            squares += (y[i] - at_0 - slope * x[i]) * (y[i] - at_0 - slope * x[i]);
        const size_t unknowns = equal ? 1 : 2;
        const double deviation = n > unknowns ? sqrt(squares / (double)(n - unknowns)) : 0.0;
        if (n > unknowns) t = sgdfit_student(level, n - unknowns) * deviation;
        CHECK_STATUS(sgdfit_line(x, y, n, level, &line), SGDFIT_OK);
        CHECK(line.sloped == !equal);
        for (size_t i = 0; i < n; i++) small_y[i] = 1e-303 * y[i];
        CHECK_STATUS(sgdfit_line(x, small_y, n, level, &small), SGDFIT_OK);
        CHECK(fabs(small.intercept - 1e-303 * line.intercept) < 1e-315);
        CHECK(fabs(small.slope - 1e-303 * line.slope) * scale < 1e-315);
        const double of_slope = equal ? HUGE_VAL : t * sqrt((double)n / xx);
        const double of_0 = t * sqrt(equal ? 1.0 / (double)n : x2 / xx);
        CHECK(fabs(line.slope - slope) * scale < 1e-9);
        CHECK(fabs(line.intercept - at_0) < 1e-9 && fabs(line.deviation - deviation) < 1e-9);
        if (equal || n == 2) CHECK(line.slope_low < -DBL_MAX && line.slope_high > DBL_MAX);
        else CHECK(fabs(line.slope_low - slope + of_slope) < 1e-7 * of_slope
                   && fabs(line.slope_high - slope - of_slope) < 1e-7 * of_slope);
        if (n <= unknowns) CHECK(line.intercept_low < -DBL_MAX && line.intercept_high > DBL_MAX);
        else CHECK(fabs(line.intercept_low - at_0 + of_0) < 1e-7 * of_0 + 1e-12
                   && fabs(line.intercept_high - at_0 - of_0) < 1e-7 * of_0 + 1e-12);
    }
}

/* ---- One unknown with jumps -------------------------------------------------- */

enum { ROWS = 24, NODES = 400, SETS = 6 };

typedef struct jumps {
    double size[ROWS], base[ROWS], slope[ROWS], measured[ROWS];
    uint32_t set[ROWS];
    size_t sets;
    sgdfit_robust_problem of;
} jumps;

/* Rows grow with the unknown until it passes their size. */
static int jump(const void *ctx, double value, void *at, double *predicted)
{
    const jumps *s = (const jumps *)ctx;
    (void)at;
    for (size_t i = 0; i < s->of.n; i++)
        predicted[i] = s->base[i] + (s->size[i] > value ? 1.0 + s->slope[i] * value : 0.0);
    return 0;
}

static double node_of(const jumps *s, double at)
{
    return s->of.low * pow(s->of.high / s->of.low, at / (NODES - 1));
}

/* Sets of one to six rows. */
static void draw_jumps(jumps *s)
{
    memset(s, 0, sizeof *s);
    s->of = (sgdfit_robust_problem){.predict = jump, .ctx = s, .measured = s->measured,
                                    .set = s->set, .n = 2 + draw(ROWS - 1),
                                    .level = between(0.5, 0.95)};
    s->of.low = between(0.05, 2.0);
    s->of.high = s->of.low * between(1.5, 40.0);
    s->of.tolerance = draw(2) ? between(0.01, 0.3) : 0.0;
    s->sets = 1;
    for (size_t i = 0; i < s->of.n; i++) {
        if (i > 0 && draw(3) == 0) s->sets++;
        s->set[i] = (uint32_t)(s->sets - 1);
        s->size[i] = between(0.0, 20.0);
        s->base[i] = between(0.1, 1.0);
        s->slope[i] = between(0.05, 1.0);
    }
    const double far = draw(2) ? 0.1 : 1e-5, truth = between(s->of.low, s->of.high);
    const double node = draw(4) + 1e-3, at = draw(2) ? node : NODES - 1 - node;
    (void)jump(s, draw(3) == 0 ? node_of(s, at) : truth, NULL, s->measured);
    for (size_t i = 0; i < s->of.n; i++) s->measured[i] *= 1.0 + far * between(-1.0, 1.0);
}

/* The mean over sets of the mean over rows. */
static double loss_of(const jumps *s, double value, double *loss)
{
    const double tolerance = s->of.tolerance > 0.0 ? s->of.tolerance : 0.05;
    double predicted[ROWS], rows[ROWS] = { 0.0 }, sum = 0.0;
    (void)jump(s, value, NULL, predicted);
    for (size_t k = 0; k < s->sets; k++) loss[k] = 0.0;
    for (size_t i = 0; i < s->of.n; i++) {
        const double e = fabs(predicted[i] / s->measured[i] - 1.0);
        loss[s->set[i]] += e / (e + tolerance);
        rows[s->set[i]] += 1.0;
    }
    for (size_t k = 0; k < s->sets; k++) sum += (loss[k] /= rows[k]) / (double)s->sets;
    return sum;
}

/* By how much the loss at a value is too large for it to fit. */
static double misfit(const jumps *s, double value, double best)
{
    double loss[ROWS], least[ROWS], mean = 0.0, squares = 0.0;
    const double n = (double)s->sets;
    (void)loss_of(s, value, loss);
    (void)loss_of(s, best, least);
    for (size_t k = 0; k < s->sets; k++) mean += (loss[k] - least[k]) / n;
    for (size_t k = 0; k < s->sets; k++)
        squares += (loss[k] - least[k] - mean) * (loss[k] - least[k] - mean);
    if (s->sets == 1) return mean;
    return mean - sgdfit_student(s->of.level, s->sets - 1) * sqrt(squares / (n - 1.0) / n);
}

/* Between the nodes that fit: each end fits, and what is 2^-20 of a step beyond it does not.
 * Returns the number of ends between two nodes. */
static size_t check_ends(const jumps *s, const sgdfit_robust_result *out)
{
    size_t first = NODES, last = 0;
    for (size_t i = 0; i < NODES; i++)
        if (misfit(s, node_of(s, (double)i), out->value) <= 1e-10) {
            if (first == NODES) first = i;
            last = i;
        }
    CHECK(out->determined == (first > 0 && last + 1 < NODES));
    if (s->sets < 2 || first == 0) CHECK(!(out->low > 0.0));
    else CHECK(misfit(s, out->low, out->value) <= 1e-9);
    if (s->sets < 2 || last + 1 == NODES) CHECK(out->high > DBL_MAX);
    else CHECK(misfit(s, out->high, out->value) <= 1e-9);
    if (s->sets < 2 || first == NODES) return 0;
    const double more = pow(s->of.high / s->of.low, 1.1 / (NODES - 1) / 1048576.0);
    if (first > 0) {
        CHECK(out->low <= node_of(s, (double)first) * (1.0 + 1e-12) || out->low >= out->value);
        CHECK(out->low >= out->value || misfit(s, out->low / more, out->value) > -1e-9);
    }
    if (last + 1 < NODES) {
        CHECK(out->high >= node_of(s, (double)last) * (1.0 - 1e-12) || out->high <= out->value);
        CHECK(out->high <= out->value || misfit(s, out->high * more, out->value) > -1e-9);
    }
    return (size_t)(first > 0) + (size_t)(last + 1 < NODES);
}

/* The scan, and 10 rounds of 7 values around each of its 8 best minima. */
static size_t searched(const double *loss)
{
    size_t minima = 0;
    for (size_t i = 0; i < NODES; i++)
        minima += (i == 0 || loss[i] < loss[i - 1]) && (i + 1 == NODES || loss[i] <= loss[i + 1]);
    return NODES + 70 * (minima < 8 ? minima : 8);
}

TEST(a_robust_fit_and_its_interval_are_those_of_their_formulas)
{
    static double room[4000];
    int missed = 0;
    for (int trial = 0; trial < TEST_SIZE(150, 1500); trial++) {
        double loss[ROWS], node_loss[NODES], least = 1.0;
        sgdfit_robust_result out;
        jumps s;
        size_t bytes = 0;
        draw_jumps(&s);
        CHECK_STATUS(sgdfit_robust_bytes(&s.of, &bytes), SGDFIT_OK);
        CHECK(bytes <= sizeof room);
        CHECK_STATUS(sgdfit_robust(&s.of, room, bytes, &out), SGDFIT_OK);
        CHECK_REL(out.loss, loss_of(&s, out.value, loss), 1e-9);
        for (size_t i = 0; i < NODES; i++) {
            node_loss[i] = loss_of(&s, node_of(&s, (double)i), loss);
            CHECK(node_loss[i] >= out.loss - 1e-12);
        }
        for (double at = 0.0; at <= NODES - 1; at += 0.125)
            least = fmin(least, loss_of(&s, node_of(&s, at), loss));
        missed += out.loss > least + 1e-3;
        const size_t ends = check_ends(&s, &out);
        CHECK(out.evaluations == searched(node_loss) + NODES + 20 * ends);
    }
    CHECK(missed <= TEST_SIZE(3, 30));
}

TEST_MAIN("test_intervals");
