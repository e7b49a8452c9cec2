/* Black boxes of workers and servers, and which few points to measure for them. Expected
 * values are the formulas of the declaration, or the best of all designs, tried one by one. */
#include "../sgdperf.h"
#include "../sgdperf_fit.h"
#include "chance.h"
#include "test.h"

#include <float.h>
#include <math.h>

enum { MOST = 64 };

static double work[1 << 12];

/* The terms of the step, as the declaration has them. */
static size_t terms(sgdfit_blackbox model, double n, double p, double *t)
{
    switch (model) {
    case SGDFIT_ERNEST: t[0] = 1.0; t[1] = 1.0 / n; t[2] = log(n); t[3] = n; return 4;
    case SGDFIT_OPTIMUS_ASYNC: t[0] = 1.0; t[1] = n; return 2;
    case SGDFIT_OPTIMUS_SYNC: t[0] = 1.0 / n; t[1] = 1.0; t[2] = n; return 3;
    case SGDFIT_OPTIMUS_ASYNC_SERVERS: t[0] = 1.0; t[1] = n / p; t[2] = n; t[3] = p; return 4;
    case SGDFIT_OPTIMUS_SYNC_SERVERS:
        t[0] = 1.0 / n; t[1] = 1.0; t[2] = n / p; t[3] = n; t[4] = p;
        return 5;
    case SGDFIT_AMDAHL:
    case SGDFIT_USL:
    case SGDFIT_BLACKBOX_COUNT: break;
    }
    return 0;
}

static double step_of(sgdfit_blackbox model, const double *a, double n, double p)
{
    double t[SGDFIT_PARAMETERS], s = 0.0;
    const size_t k = terms(model, n, p, t);
    for (size_t j = 0; j < k; j++) s += a[j] * t[j];
    return s;
}

/* All of workers 1..W and servers 1..P, measured without error. */
static size_t grid(sgdfit_point *point, sgdfit_blackbox model, const double *a, int W, int P)
{
    size_t n = 0;
    for (int w = 1; w <= W; w++)
        for (int p = 1; p <= P; p++) {
            point[n].workers = w;
            point[n].servers = p;
            point[n++].batches_per_s = w / step_of(model, a, w, p);
        }
    return n;
}

/* ---- Fits ------------------------------------------------------------------ */

TEST(exact_data_of_several_servers_give_the_parameters_back)
{
    static const double truth[][SGDFIT_PARAMETERS] = {
        {0.4, 0.05, 0.03, 0.002, 0.001}, {1.0, 0.0, 0.2, 0.0, 0.01}, {0.0, 0.3, 0.1, 0.02, 0.0}
    };
    static const sgdfit_blackbox model[] = {SGDFIT_OPTIMUS_ASYNC_SERVERS,
        SGDFIT_OPTIMUS_SYNC_SERVERS};
    sgdfit_point point[MOST];
    for (size_t m = 0; m < 2; m++)
        for (size_t i = 0; i < sizeof truth / sizeof truth[0]; i++) {
            const size_t n = grid(point, model[m], truth[i], 5, 3);
            const double far = 1e9 / step_of(model[m], truth[i], 1e9, 1.0);
            sgdfit_curve fit;
            point[n] = (sgdfit_point){1e9, 1.0, far};      /* and hides none of the others    */
            CHECK_STATUS(sgdfit_fit(model[m], point, n + 1, work, sizeof work, &fit), SGDFIT_OK);
            CHECK(fit.max_error < 1e-12);
            for (size_t j = 0; j < sgdfit_blackbox_parameters(model[m]); j++)
                CHECK(fabs(fit.parameter[j] - truth[i][j]) < 1e-10);
            CHECK_REL(sgdfit_curve_at(&fit, 64.0, 7.0), 64.0 / step_of(model[m], truth[i], 64, 7),
                      1e-9);
            CHECK_REL(sgdfit_curve_at(&fit, 8.0, 0.0), sgdfit_curve_at(&fit, 8.0, 1.0), 0.0);
            CHECK_REL(sgdfit_curve_at(&fit, 8.0, 0.5), 0.0, 0.0);
            CHECK_REL(sgdfit_curve_at(&fit, 8.0, (double)NAN), 0.0, 0.0);
        }
}

/* With one server alone n / p is n, and p a constant; with workers in proportion to the
 * servers n / p is a constant; and p = n once more makes two terms one. */
TEST(points_that_leave_a_term_to_the_others_are_refused)
{
    static const double truth[] = {0.4, 0.05, 0.03, 0.002, 0.001};
    const sgdfit_blackbox sync = SGDFIT_OPTIMUS_SYNC_SERVERS;
    sgdfit_point point[MOST];
    sgdfit_curve fit;
    size_t n = grid(point, sync, truth, 12, 1), i;
    memset(&fit, 0x5a, sizeof fit);
    CHECK_STATUS(sgdfit_fit(sync, point, n, work, sizeof work, &fit), SGDFIT_BAD_ARGUMENT);
    for (i = 0; i < n; i++) point[i].servers = 2.0 * point[i].workers;
    CHECK_STATUS(sgdfit_fit(sync, point, n, work, sizeof work, &fit), SGDFIT_BAD_ARGUMENT);
    n = grid(point, sync, truth, 2, 2);
    CHECK_STATUS(sgdfit_fit(sync, point, n, work, sizeof work, &fit), SGDFIT_BAD_ARGUMENT);
    n = grid(point, sync, truth, 3, 2);
    point[0].servers = 0.5;
    CHECK_STATUS(sgdfit_fit(sync, point, n, work, sizeof work, &fit), SGDFIT_BAD_ARGUMENT);
    point[0].servers = -1.0;
    CHECK_STATUS(sgdfit_fit(sync, point, n, work, sizeof work, &fit), SGDFIT_BAD_ARGUMENT);
    for (i = 0; i < sizeof fit; i++) CHECK(((const unsigned char *)&fit)[i] == 0x5a);
    point[0].servers = 0.0;                      /* 1 */
    CHECK_STATUS(sgdfit_fit(sync, point, n, work, sizeof work, &fit), SGDFIT_OK);
    CHECK_REL(fit.parameter[2], truth[2], 1e-9);
}

/* ---- Designs --------------------------------------------------------------- */

/* The determinant of the sum of g g', g of the points over their steps. */
static double determinant(sgdfit_blackbox model, const sgdfit_curve *fit,
                          const sgdfit_point *const *point, size_t n)
{
    double a[SGDFIT_PARAMETERS][SGDFIT_PARAMETERS] = {{0.0}}, g[SGDFIT_PARAMETERS];
    double det = 1.0;
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        const double w = point[i]->workers, p = point[i]->servers;
        k = terms(model, w, p, g);
        for (size_t j = 0; j < k && fit; j++) g[j] *= sgdfit_curve_at(fit, w, p) / w;
        for (size_t j = 0; j < k; j++)
            for (size_t l = 0; l < k; l++) a[j][l] += g[j] * g[l];
    }
    for (size_t i = 0; i < k; i++) {
        det *= a[i][i];
        if (!(a[i][i] > 0.0)) return 0.0;
        for (size_t j = i + 1; j < k; j++)
            for (size_t l = k; l-- > i;) a[j][l] -= a[i][l] * a[j][i] / a[i][i];
    }
    return det;
}

typedef struct problem {
    sgdfit_blackbox model;
    const sgdfit_curve *fit;
    sgdfit_point had[4], candidate[10];
    size_t n, m, count;
} problem;

/* The best of all choices, a candidate as often as one likes. */
static double best_of_all(const problem *q)
{
    const sgdfit_point *all[16];
    size_t pick[8] = {0}, i;
    double best = 0.0;
    for (i = 0; i < q->n; i++) all[i] = &q->had[i];
    for (;;) {
        for (i = 0; i < q->count; i++) all[q->n + i] = &q->candidate[pick[i]];
        double det = determinant(q->model, q->fit, all, q->n + q->count);
        if (det > best) best = det;
        for (i = 0; i < q->count && pick[i] + 1 == q->m; i++) {}
        if (i == q->count) return best;
        pick[i]++;
        while (i > 0) { pick[i - 1] = pick[i]; i--; }
    }
}

/* The `count` of m candidates that tell most beside had[n]. */
static sgdfit_status suggest(const problem *q, size_t *chosen, double *spread)
{
    const sgdfit_point_design of = {.model = q->model, .fit = q->fit, .measured = q->had,
                                    .n = q->n, .candidate = q->candidate, .m = q->m};
    size_t bytes = 0;
    const sgdfit_status status = sgdfit_suggest_points_bytes(&of, &bytes);
    CHECK(status != SGDFIT_OK || bytes <= sizeof work);
    return status != SGDFIT_OK
        ? status : sgdfit_suggest_points(&of, q->count, work, bytes, chosen, spread);
}

/* The determinant of what is suggested, by the best one there is, per parameter. */
static double efficiency(const problem *q)
{
    const sgdfit_point *all[16];
    size_t chosen[8], i;
    double spread[8];
    const sgdfit_status status = suggest(q, chosen, spread);
    CHECK_STATUS(status, SGDFIT_OK);
    if (status != SGDFIT_OK) return 0.0;
    for (i = 0; i < q->n; i++) all[i] = &q->had[i];
    for (i = 0; i < q->count; i++) {
        CHECK(chosen[i] < q->m && spread[i] > 0.0);
        CHECK(i == 0 || spread[i] <= spread[i - 1] * (1.0 + 1e-6));
        all[q->n + i] = &q->candidate[chosen[i]];
    }
    return pow(determinant(q->model, q->fit, all, q->n + q->count) / best_of_all(q),
               1.0 / (double)sgdfit_blackbox_parameters(q->model));
}

static void draw_points(sgdfit_point *point, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        point[i].workers = 1.0 + floor(16.0 * chance_unit());
        point[i].servers = 1.0 + floor(4.0 * chance_unit());
        point[i].batches_per_s = 1.0;
    }
}

/* At random: 98 of 100 times the best of all designs, and never far from it. */
TEST(designs_are_those_of_an_exhaustive_search)
{
    static const sgdfit_blackbox model[] = {SGDFIT_ERNEST, SGDFIT_OPTIMUS_ASYNC,
        SGDFIT_OPTIMUS_SYNC,
                                          SGDFIT_OPTIMUS_ASYNC_SERVERS,
                                          SGDFIT_OPTIMUS_SYNC_SERVERS};
    const int trials = TEST_SIZE(20, 1000);
    int best = 0, drawn = 0;
    double least = 1.0;
    chance = 5;
    for (int trial = 0; trial < trials; trial++) {
        size_t j;
        problem q = {0};
        sgdfit_curve fit = {0};
        fit.model = q.model = model[trial % 5];
        for (j = 0; j < sgdfit_blackbox_parameters(q.model); j++) fit.parameter[j] = chance_unit();
        q.fit = trial % 3 == 0 ? NULL : &fit;
        q.n = (size_t)(trial % 4);
        q.m = 8;
        q.count = 5 + (size_t)(trial % 2);
        draw_points(q.had, q.n);
        draw_points(q.candidate, q.m);
        if (!(best_of_all(&q) > 1e-12)) continue; /* no choice determines them */
        drawn++;
        best += efficiency(&q) > 1.0 - 1e-6;
        if (efficiency(&q) < least) least = efficiency(&q);
    }
    printf("# %d of %d designs are the best, the worst has %.4f of it\n", best, drawn, least);
    CHECK(drawn > trials / 2);
    CHECK(best * 100 >= drawn * 98 && least > 0.95);
}

/* Exchanging leaves them in any order. What a point adds to a determinant is its variance:
 * det(A + e e') = det A (1 + e' A^-1 e). */
TEST(the_next_point_is_the_least_sure_of_those_chosen)
{
    chance = 7;
    for (size_t trial = 0; trial < 50; trial++) {
        const sgdfit_point *all[9];
        const double far = (double)(1 + trial % 4);
        size_t chosen[5];
        double spread[5];
        problem q = {.model = SGDFIT_OPTIMUS_SYNC, .n = 4, .m = 8, .count = 5};
        draw_points(q.candidate, 8);
        for (size_t i = 0; i < 4; i++) {
            q.had[i].workers = far * (double)(i + 1);
            all[i] = &q.had[i];
        }
        CHECK_STATUS(suggest(&q, chosen, spread), SGDFIT_OK);
        for (size_t i = 0; i < 5; i++) {
            const double had = determinant(q.model, NULL, all, 4 + i);
            for (size_t j = 5; j-- > i;) {
                all[4 + i] = &q.candidate[chosen[j]];
                double more = determinant(q.model, NULL, all, 5 + i) / had - 1.0;
                if (j > i) CHECK(more <= spread[i] * spread[i] * 1.01);
                else CHECK_REL(more, spread[i] * spread[i], 0.01);
            }
        }
    }
}

/* In units 1e5 times as long or as short a relative error is the same, and so is what is
 * suggested. */
TEST(the_unit_of_time_changes_no_design)
{
    for (size_t m = 1; m <= 8; m++) {
        size_t chosen[4], others[4], j, unit;
        double spread[4], also[4];
        sgdfit_curve fit = {.model = SGDFIT_OPTIMUS_SYNC};
        problem q = {.model = SGDFIT_OPTIMUS_SYNC, .fit = &fit, .m = m, .count = 4};
        chance = m;
        for (j = 0; j < 3; j++) fit.parameter[j] = chance_unit();
        draw_points(q.candidate, m);
        CHECK_STATUS(suggest(&q, chosen, spread), SGDFIT_OK);
        for (unit = 0; unit < 2; unit++) {
            for (j = 0; j < 3; j++) fit.parameter[j] *= unit == 0 ? 1e-5 : 1e10;
            CHECK_STATUS(suggest(&q, others, also), SGDFIT_OK);
            for (j = 0; j < 4; j++) {
                CHECK(chosen[j] == others[j]);
                CHECK_REL(also[j], spread[j], 1e-6);
            }
        }
    }
}

/* For a straight line the optimum is known: half of the points at each end. */
TEST(a_line_is_measured_at_its_ends)
{
    size_t chosen[6], ends[2] = {0, 0}, i;
    problem q = {.model = SGDFIT_OPTIMUS_ASYNC, .m = 10, .count = 6};
    for (i = 0; i < 10; i++) q.candidate[i].workers = (double)(i + 1);
    CHECK_STATUS(suggest(&q, chosen, NULL), SGDFIT_OK);
    for (i = 0; i < 6; i++) {
        CHECK(chosen[i] == 0 || chosen[i] == 9);
        ends[chosen[i] == 9]++;
    }
    CHECK(ends[0] == 3 && ends[1] == 3);
}

#define REFUSED(of, count, to) \
    CHECK_STATUS(sgdfit_suggest_points(of, count, work, sizeof work, to, NULL), \
                 SGDFIT_BAD_ARGUMENT)

/* A fit of exact points, which are candidates too. */
static sgdfit_point_design exact_design(sgdfit_point *point, sgdfit_curve *fit)
{
    static const double truth[] = {0.4, 0.05, 0.03, 0.002, 0.001};
    const sgdfit_blackbox sync = SGDFIT_OPTIMUS_SYNC_SERVERS;
    const size_t n = grid(point, sync, truth, 4, 3);
    CHECK_STATUS(sgdfit_fit(sync, point, n, work, sizeof work, fit), SGDFIT_OK);
    return (sgdfit_point_design){.model = sync, .fit = fit, .measured = point, .n = n,
                                 .candidate = point, .m = n};
}

TEST(questions_without_an_answer_are_refused)
{
    sgdfit_point point[MOST];
    sgdfit_curve fit;
    const sgdfit_point_design of = exact_design(point, &fit);
    sgdfit_point_design bad = of;
    size_t bytes = 7, chosen[2] = {7, 7};
    REFUSED(NULL, 2, chosen);
    REFUSED(&of, 0, chosen);
    REFUSED(&of, 2, NULL);
    bad.model = SGDFIT_BLACKBOX_COUNT;
    REFUSED(&bad, 2, chosen);
    bad.model = SGDFIT_ERNEST;
    REFUSED(&bad, 2, chosen);
    bad = of;
    bad.measured = NULL;
    REFUSED(&bad, 2, chosen);
    bad = of;
    bad.candidate = NULL;
    REFUSED(&bad, 2, chosen);
    bad = of;
    bad.m = 0;
    REFUSED(&bad, 2, chosen);
    CHECK_STATUS(sgdfit_suggest_points_bytes(&bad, &bytes), SGDFIT_BAD_ARGUMENT);
    bad.m = (size_t)-1 / 8;
    CHECK_STATUS(sgdfit_suggest_points_bytes(&bad, &bytes), SGDFIT_TOO_LARGE);
    CHECK_STATUS(sgdfit_suggest_points_bytes(&of, NULL), SGDFIT_BAD_ARGUMENT);
    CHECK_STATUS(sgdfit_suggest_points_bytes(NULL, &bytes), SGDFIT_BAD_ARGUMENT);
    CHECK(bytes == 7 && chosen[0] == 7 && chosen[1] == 7);
    CHECK_STATUS(sgdfit_suggest_points(&of, 2, work, 8, chosen, NULL), SGDFIT_SMALL_WORKSPACE);
}

TEST(points_that_are_none_are_in_no_design)
{
    sgdfit_point point[MOST];
    sgdfit_curve fit;
    sgdfit_point_design of = exact_design(point, &fit);
    sgdfit_point *last = &point[of.n - 1];
    size_t chosen[2] = {7, 7};
    last->workers = 0.5;
    REFUSED(&of, 2, chosen);
    of.m = of.n - 1;                             /* it is measured alone, no candidate */
    REFUSED(&of, 2, chosen);
    last->workers = 4.0;
    last->servers = 0.5;
    REFUSED(&of, 2, chosen);
    last->servers = 3.0;
    fit.parameter[0] = -10.0;                    /* the step is below 0 */
    REFUSED(&of, 2, chosen);
    CHECK(chosen[0] == 7 && chosen[1] == 7);
}

#undef REFUSED

/* A fit whose step all but vanishes at a point that was had: next to it the others tell
 * nothing that a double keeps. */
TEST(a_point_that_drowns_the_others_is_refused)
{
    const sgdfit_point had = {9.999999, 0.0, 1.0}, candidate[] = {{1.0, 0.0, 1.0},
                                                                      {2.0, 0.0, 1.0}};
    size_t chosen[2] = {7, 7};
    sgdfit_curve fit = {.model = SGDFIT_OPTIMUS_ASYNC, .parameter[0] = 10.0, .parameter[1] = -1.0};
    sgdfit_point_design of = {.model = SGDFIT_OPTIMUS_ASYNC, .fit = &fit, .measured = &had, .n = 1,
                              .candidate = candidate, .m = 2};
    CHECK_STATUS(sgdfit_suggest_points(&of, 2, work, sizeof work, chosen, NULL),
                 SGDFIT_BAD_ARGUMENT);
    CHECK(chosen[0] == 7 && chosen[1] == 7);
    of.n = 0;
    CHECK_STATUS(sgdfit_suggest_points(&of, 2, work, sizeof work, chosen, NULL), SGDFIT_OK);
    CHECK(chosen[0] + chosen[1] == 1);           /* a line: one at each end */
}

/* Of 1/n nothing is left at so many workers: what the other terms tell decides. */
TEST(a_term_that_no_candidate_knows_is_left_alone)
{
    const sgdfit_point candidate[] = {{1e308, 0.0, 1.0}, {0.5e308, 0.0, 1.0}};
    size_t chosen[1] = {7};
    double spread[1] = {-1.0};
    sgdfit_curve fit = {.model = SGDFIT_ERNEST, .parameter[0] = 1e30};
    const sgdfit_point_design of = {.model = SGDFIT_ERNEST, .fit = &fit, .candidate = candidate,
                                    .m = 2};
    CHECK_STATUS(sgdfit_suggest_points(&of, 1, work, sizeof work, chosen, spread), SGDFIT_OK);
    CHECK(chosen[0] == 0 && spread[0] > 0.0 && spread[0] <= DBL_MAX);
}

TEST(endless_servers_are_no_configuration)
{
    const sgdfit_point point = {4.0, HUGE_VAL, 1.0};
    const sgdfit_point_design of = {.model = SGDFIT_OPTIMUS_SYNC_SERVERS, .candidate = &point,
                                    .m = 1};
    size_t chosen[1] = {7};
    CHECK_STATUS(sgdfit_suggest_points(&of, 1, work, sizeof work, chosen, NULL),
                 SGDFIT_BAD_ARGUMENT);
    CHECK(chosen[0] == 7);
}

TEST_MAIN("test_design");
