/* Eq. 2, the hybrid of Eqs. 3-4 and the fixed points of sgdperf.h, against the
 * equations taken literally, and the latter against the lattice. */
#include "../sgdperf.h"

#include "networks.h"
#include "oracle_eq2.h"
#include "oracle_fixedpoint.h"
#include "tally.h"
#include "test.h"

/* ---- Eq. 2 and the hybrid -------------------------------------------------- */

/* Every task of b a class of its own. */
static box expanded_box(const box *b)
{
    const size_t L = b->net.stations;
    size_t tasks = 0, c, k = 0;
    for (c = 0; c < b->net.classes; c++) tasks += b->population[c];
    box e = box_new(tasks, L);
    for (c = 0; c < b->net.classes; c++)
        for (uint32_t i = 0; i < b->population[c]; i++, k++) {
            e.think_s[k] = b->think_s[c];
            memcpy(e.demand_s + k * L, b->demand_s + c * L, L * sizeof(double));
        }
    memcpy(e.capacity, b->capacity, L * sizeof(double));
    memcpy(e.discipline, b->discipline, L * sizeof *b->discipline);
    return e;
}

/* Stations of disciplines PS and `other`, at least one of the latter. */
static void mix_disciplines(uint64_t *state, box *b, sgdp_discipline other)
{
    for (size_t l = 0; l < b->net.stations; l++)
        b->discipline[l] = random_size(state, 0, 1) ? other : SGDP_PS;
    b->discipline[random_size(state, 0, b->net.stations - 1)] = other;
}

TEST(eq2_is_the_formula_class_by_class)
{
    tally t = tally_of("Eq. 2, taken literally", 1e-10);
    tally each = tally_of("Eq. 2, literally, worker by worker", 1e-10);
    uint64_t state = 61;
    for (size_t i = 0; i < 300; i++) {
        const size_t classes = random_size(&state, 1, 3);
        box b = random_box(&state, classes, random_size(&state, 1, 4), 3), e;
        answer want = answer_new(&b.net), want_each;
        mix_disciplines(&state, &b, SGDP_FCFS);
        if (i % 3 == 0) random_capacities(&state, &b);
        oracle_eq2(&b.net, NULL, &want);
        tally_add(&t, error_of(HYBRID, &b, NULL, &want));
        e = expanded_box(&b);
        want_each = answer_new(&e.net);
        oracle_eq2(&e.net, NULL, &want_each);
        tally_add(&each, error_of(HYBRID, &e, NULL, &want_each));
        both_free(&e, &want_each);
        both_free(&b, &want);
    }
    tally_check(&t);
    tally_check(&each);
}

/* Nobody waits where there is room for everybody; gamma means nothing there. */
static int nobody_waits(const box *b, size_t l)
{
    double tasks = 0.0;
    for (size_t c = 0; c < b->net.classes; c++) tasks += (double)population_of(&b->net, c);
    return b->capacity[l] >= tasks;
}

/* Largest absolute error of gamma. */
static double gamma_error(const box *b, const answer *got, const answer *want)
{
    double worst = 0.0;
    for (size_t l = 0; l < b->net.stations; l++)
        if (!nobody_waits(b, l))
            worst = larger(worst, fabs(got->out.gamma[l] - want->out.gamma[l]));
    return worst;
}

/* One random network, of at most two hybrid stations, under a rule. */
static void hybrid_compare(uint64_t *state, sgdp_gamma_rule rule, tally *t, tally *gamma)
{
    const size_t classes = random_size(state, 1, 3);
    box b = random_box(state, classes, random_size(state, 1, 2), 2);
    answer want = answer_new(&b.net), got = answer_new(&b.net);
    sgdp_mva_options options = {.gamma_rule = rule};
    mix_disciplines(state, &b, SGDP_HYBRID);
    if (random_size(state, 0, 2) == 0) random_capacities(state, &b);
    if (random_size(state, 0, 1)) b.think_s[0] = 0.0;
    equal_transfers(&b);
    give_time(&b);
    oracle_eq2(&b.net, &options, &want);
    if (solve(HYBRID, &b.net, &options, &got) != SGDP_OK) {
        tally_add(t, HUGE_VAL);
    } else {
        tally_add(t, distance(&got, &want, &b.net));
        if (rule != SGDP_GAMMA_EXPLICIT || classes == 1)
            tally_add(gamma, gamma_error(&b, &got, &want));
    }
    answer_free(&got);
    both_free(&b, &want);
}

TEST(eqs_3_and_4_are_the_formulas_class_by_class)
{
    static const char *const what[3] = {"hybrid, implicit, nested bisections",
                                        "hybrid, explicit", "hybrid, fcfs_run"};
    uint64_t state = 62;
    for (int rule = SGDP_GAMMA_IMPLICIT; rule <= (int)SGDP_GAMMA_FCFS_RUN; rule++) {
        tally t = tally_of(what[rule], 1e-9);
        tally gamma = tally_of("    its gamma, absolute error", 1e-8);
        for (size_t i = 0; i < 500; i++)
            hybrid_compare(&state, (sgdp_gamma_rule)rule, &t, &gamma);
        tally_check(&t);
        tally_check(&gamma);
    }
}

/* The largest utilization of a hybrid station, from its solution. */
static double most_busy(const box *b, const answer *a)
{
    double most = 0.0;
    for (size_t l = 0; l < b->net.stations; l++)
        if (b->discipline[l] == SGDP_HYBRID && !nobody_waits(b, l))
            most = fmax(most, a->out.utilization[l]);
    return most;
}

/* Whatever the demands: gamma = g(utilization) of what is reported, one of its roots, also where
 * the threshold is just above what is reached at all tasks, but not at fewer. The searches of
 * several stations need not meet where demands differ; here they do. */
TEST(gamma_is_a_root_of_what_is_reported)
{
    tally t = tally_of("gamma is g of the utilization", 1e-9);
    uint64_t state = 66;
    size_t failed = 0;
    for (size_t i = 0; i < 800; i++) {
        const size_t classes = random_size(&state, 1, 4);
        double threshold = i % 4 ? 0.9 * random_unit(&state) : 0.8;
        const sgdp_mva_options options = {.gamma = i % 4 ? sgdp_gamma_threshold : NULL,
                                          .gamma_ctx = &threshold};
        box b = random_box(&state, classes, random_size(&state, 1, 3), 3);
        answer a = answer_new(&b.net);
        mix_disciplines(&state, &b, SGDP_HYBRID);
        sgdp_status status = solve(HYBRID, &b.net, &options, &a);
        CHECK(status == SGDP_OK || status == SGDP_NOT_CONVERGED);
        if (status == SGDP_OK && i % 4 == 3) {
            threshold = fmin(0.9, most_busy(&b, &a) * (1.0 + 1e-6));
            status = solve(HYBRID, &b.net, &options, &a);
        }
        failed += status != SGDP_OK;
        for (size_t l = 0; l < b.net.stations && status == SGDP_OK; l++) {
            const double u = a.out.utilization[l];
            if (b.discipline[l] != SGDP_HYBRID || nobody_waits(&b, l)) continue;
            tally_add(&t, fabs(a.out.gamma[l] - (u >= 1.0 ? 1.0 : u <= threshold ? 0.0
                                                 : (u - threshold) / (1.0 - threshold))));
        }
        both_free(&b, &a);
    }
    CHECK(failed == 0);
    tally_check(&t);
}

/* Below the threshold it is 0, and not next to it. */
TEST(gamma_is_nothing_below_the_threshold)
{
    box b = paper_box(2, SGDP_HYBRID);
    answer a = answer_new(&b.net);
    CHECK_STATUS(solve(HYBRID, &b.net, NULL, &a), SGDP_OK);
    CHECK(a.out.utilization[0] < 0.8 && a.out.utilization[2] < 0.8);
    CHECK(same(a.out.gamma[0], 0.0) && same(a.out.gamma[2], 0.0));
    both_free(&b, &a);
    b = box_new(2, 2);                             /* and of two classes                 */
    a = answer_new(&b.net);
    b.think_s[0] = 1.0;
    b.think_s[1] = 2.0;
    b.demand_s[0] = b.demand_s[1] = b.demand_s[2] = b.demand_s[3] = 0.2;
    b.discipline[0] = b.discipline[1] = SGDP_HYBRID;
    CHECK_STATUS(solve(HYBRID, &b.net, NULL, &a), SGDP_OK);
    CHECK(a.out.utilization[0] < 0.8 && a.out.utilization[1] < 0.8);
    CHECK(same(a.out.gamma[0], 0.0) && same(a.out.gamma[1], 0.0));
    both_free(&b, &a);
}

/* Interleaved stations beside others, taken literally; tasks lose some of their rhythm. */
TEST(interleaved_is_its_formula_class_by_class)
{
    tally t = tally_of("interleaved, literally", 1e-10);
    tally weight = tally_of("    its weight, absolute error", 1e-12);
    uint64_t state = 67;
    for (size_t i = 0; i < 500; i++) {
        const size_t classes = random_size(&state, 1, 3);
        box b = random_box(&state, classes, random_size(&state, 1, 4), 3);
        answer want = answer_new(&b.net), got = answer_new(&b.net);
        sgdp_mva_options options = {.gamma_rule = SGDP_GAMMA_EXPLICIT};
        if (i % 4) options.rhythm_lost = random_unit(&state);
        if (i % 5) options.rhythm_spare = 3.0 * random_unit(&state);
        mix_disciplines(&state, &b, SGDP_INTERLEAVED);
        if (i % 3 == 1) b.discipline[0] = i % 2 ? SGDP_FCFS : SGDP_HYBRID;
        if (i % 3 != 1) random_capacities(&state, &b);
        if (i % 2) options.gamma_rule = SGDP_GAMMA_IMPLICIT;
        equal_transfers(&b);
        give_time(&b);
        oracle_eq2(&b.net, &options, &want);
        if (solve(HYBRID, &b.net, &options, &got) != SGDP_OK) {
            tally_add(&t, HUGE_VAL);
        } else {
            tally_add(&t, distance(&got, &want, &b.net));
            if (options.gamma_rule == SGDP_GAMMA_IMPLICIT)
                tally_add(&weight, gamma_error(&b, &got, &want));
        }
        answer_free(&got);
        both_free(&b, &want);
    }
    tally_check(&t);
    tally_check(&weight);
}

/* Three hybrid stations and three distinct workers, worker by worker. */
TEST(three_hybrid_stations_are_solved_worker_by_worker)
{
    tally t = tally_of("hybrid, implicit, three stations", 1e-9);
    uint64_t state = 63;
    for (size_t i = 0; i < 3; i++) {
        box b = distinct_box(&state, i < 2 ? 2 : 1, 3);
        answer want = answer_new(&b.net);
        b.population[0] = i < 2 ? 1 : 3;
        b.think_s[0] = 0.01;
        for (size_t l = 0; l < 3; l++) b.discipline[l] = SGDP_HYBRID;
        equal_transfers(&b);
        oracle_eq2(&b.net, NULL, &want);
        tally_add(&t, error_of(HYBRID, &b, NULL, &want));
        both_free(&b, &want);
    }
    tally_check(&t);
}

/* ---- Gamma ----------------------------------------------------------------- */

static double gamma_square(void *ctx, double utilization)
{
    ++*(unsigned *)ctx;
    return utilization < 1.0 ? utilization * utilization : 1.0;
}

TEST(eq4_rises_from_the_threshold_to_one)
{
    double threshold = 0.8;
    CHECK(same(sgdp_gamma_threshold(NULL, 0.0), 0.0));
    CHECK(same(sgdp_gamma_threshold(NULL, 0.8), 0.0));
    CHECK_REL(sgdp_gamma_threshold(NULL, 0.9), 0.5, 1e-14);
    CHECK(same(sgdp_gamma_threshold(NULL, 1.0), 1.0));
    CHECK(same(sgdp_gamma_threshold(NULL, 1.05), 1.0));
    CHECK_REL(sgdp_gamma_threshold(&threshold, 0.85), 0.25, 1e-14);
    threshold = 0.5;
    CHECK_REL(sgdp_gamma_threshold(&threshold, 0.75), 0.5, 1e-14);
    threshold = 0.0;
    CHECK_REL(sgdp_gamma_threshold(&threshold, 0.3), 0.3, 1e-14);
    threshold = 1.0;
    CHECK(same(sgdp_gamma_threshold(&threshold, 0.999), 0.0));
    CHECK(sgdp_gamma_threshold(&threshold, 1.0) >= 0.0);
    CHECK(sgdp_gamma_threshold(&threshold, 1.0) <= 1.0);
    CHECK(same(sgdp_gamma_threshold(&threshold, 1.001), 1.0));
}

/* gamma = 0 is Eq. 2, gamma = 1 is Eq. 1, by every rule. */
TEST(a_constant_gamma_is_eq1_or_eq2)
{
    tally t = tally_of("constant gamma is Eq. 2 or Eq. 1", 1e-11);
    uint64_t state = 64;
    for (size_t i = 0; i < TEST_SIZE(2, 25); i++)
        for (int rule = SGDP_GAMMA_IMPLICIT; rule <= (int)SGDP_GAMMA_FCFS_RUN; rule++) {
            box b = random_box(&state, random_size(&state, 1, TEST_SIZE(2, 3)), 3, 3);
            answer want = answer_new(&b.net), pure = answer_new(&b.net);
            double constant = (double)(i % 2);
            sgdp_mva_options options = {.gamma_rule = (sgdp_gamma_rule)rule,
                                        .gamma = gamma_constant, .gamma_ctx = &constant};
            for (size_t l = 0; l < 3; l++) b.discipline[l] = i % 2 ? SGDP_PS : SGDP_FCFS;
            CHECK_STATUS(solve(HYBRID, &b.net, NULL, &pure), SGDP_OK);
            for (size_t l = 0; l < 3; l++) {
                CHECK(same(pure.out.gamma[l], constant));
                b.discipline[l] = SGDP_HYBRID;
            }
            tally_add(&t, error_of(HYBRID, &b, &options, &pure));
            oracle_eq2(&b.net, &options, &want);
            tally_add(&t, error_of(HYBRID, &b, &options, &want));
            answer_free(&pure);
            both_free(&b, &want);
        }
    tally_check(&t);
}

TEST(the_callers_gamma_is_used)
{
    tally t = tally_of("gamma given by the caller", 1e-9);
    uint64_t state = 65;
    for (size_t i = 0; i < 20; i++)
        for (int rule = SGDP_GAMMA_IMPLICIT; rule <= (int)SGDP_GAMMA_FCFS_RUN; rule++) {
            box b = random_box(&state, random_size(&state, 1, 2), 2, 2);
            answer want = answer_new(&b.net);
            unsigned calls = 0;
            sgdp_mva_options options = {.gamma_rule = (sgdp_gamma_rule)rule, .gamma = gamma_square,
                                        .gamma_ctx = &calls};
            b.discipline[0] = b.discipline[1] = SGDP_HYBRID;
            equal_transfers(&b);
            give_time(&b);
            oracle_eq2(&b.net, &options, &want);
            calls = 0;
            tally_add(&t, error_of(HYBRID, &b, &options, &want));
            CHECK(calls > 0 || (nobody_waits(&b, 0) && nobody_waits(&b, 1)));
            both_free(&b, &want);
        }
    tally_check(&t);
}

/* A jump has no root; the search settles on it, between Eq. 2 and Eq. 1. */
static double gamma_step(void *ctx, double utilization)
{
    (void)ctx;
    return utilization < 0.6 ? 0.0 : 1.0;
}

TEST(a_gamma_that_jumps_is_found_at_its_jump)
{
    box b = paper_box(8, SGDP_HYBRID);
    answer a = answer_new(&b.net);
    sgdp_mva_options options = {.gamma = gamma_step};
    CHECK_STATUS(solve(HYBRID, &b.net, &options, &a), SGDP_OK);
    double hybrid = a.value[0];
    b.discipline[0] = b.discipline[2] = SGDP_FCFS;
    CHECK_STATUS(solve(HYBRID, &b.net, NULL, &a), SGDP_OK);
    double fcfs = a.value[0];
    b.discipline[0] = b.discipline[2] = SGDP_PS;
    CHECK_STATUS(solve(HYBRID, &b.net, NULL, &a), SGDP_OK);
    double ps = a.value[0];
    CHECK(hybrid >= ps * (1.0 - 1e-12) && hybrid <= fcfs * (1.0 + 1e-12));
    both_free(&b, &a);
}

typedef struct cliff { double at, low, high; } cliff;

static double gamma_cliff(void *ctx, double utilization)
{
    const cliff *c = (const cliff *)ctx;
    return utilization > c->at ? c->high : c->low;
}

/* Two tasks of two classes: where they are busy for as long as with a constant gamma, gamma
 * jumps from 0 to 10^-8 more than it, or from as much less to 1. */
TEST(a_jump_is_found_to_the_last_digits_however_close_it_ends)
{
    box b = box_new(2, 1);
    answer want = answer_new(&b.net), got = answer_new(&b.net);
    double constant;
    b.discipline[0] = SGDP_HYBRID;
    b.demand_s[0] = b.demand_s[1] = b.think_s[0] = 1.0;
    b.think_s[1] = 0.5;
    for (constant = 0.125; constant < 1.0; constant += 0.125)
        for (int above = 0; above < 2; above++) {
            sgdp_mva_options options = {.gamma = gamma_constant, .gamma_ctx = &constant};
            CHECK_STATUS(solve(HYBRID, &b.net, &options, &want), SGDP_OK);
            cliff jump = {.at = want.out.utilization[0], .low = above ? 0.0 : constant - 1e-8,
                          .high = above ? constant + 1e-8 : 1.0};
            options.gamma = gamma_cliff;
            options.gamma_ctx = &jump;
            CHECK_STATUS(solve(HYBRID, &b.net, &options, &got), SGDP_OK);
            CHECK(fabs(got.out.gamma[0] - constant) < 2e-14);
            CHECK_REL(got.out.throughput_per_s[1], want.out.throughput_per_s[1], 2e-14);
        }
    answer_free(&want);
    both_free(&b, &got);
}

/* Each class all but has a station of its own: the searches at a population begin anew, and
 * not from what was found at the one before, which depends on the order of the classes. */
TEST(the_order_of_classes_makes_no_difference_to_gamma)
{
    static const double demand_s[2][2] = {{0.958, 0.0398}, {0.01, 0.403}};
    box b = box_new(2, 2);
    answer a[2];
    b.population[0] = b.population[1] = 3;
    b.discipline[0] = b.discipline[1] = SGDP_HYBRID;
    for (size_t first = 0; first < 2; first++) {
        a[first] = answer_new(&b.net);
        for (size_t c = 0; c < 2; c++)
            memcpy(b.demand_s + 2 * c, demand_s[c ^ first], sizeof demand_s[0]);
        CHECK_STATUS(solve(HYBRID, &b.net, NULL, &a[first]), SGDP_OK);
    }
    for (size_t c = 0; c < 2; c++) {
        CHECK_REL(a[1].out.throughput_per_s[1 - c], a[0].out.throughput_per_s[c], 1e-10);
        CHECK(fabs(a[1].out.gamma[c] - a[0].out.gamma[c]) < 1e-9);
    }
    CHECK(a[0].out.gamma[0] > 0.4);
    for (size_t c = 0; c < 2; c++) answer_free(&a[c]);
    box_free(&b);
}

static double gamma_none(void *ctx, double utilization)
{
    (void)utilization;
    ++*(unsigned *)ctx;
    return 0.0;
}

/* Where g is 0 at a gamma of 0, that is the root: each of 4 stations asks about once at each
 * of 3 populations, of one class and of both. */
TEST(a_root_at_zero_is_not_searched_for)
{
    box b = box_new(2, 4);
    answer a = answer_new(&b.net);
    unsigned calls = 0;
    sgdp_mva_options options = {.gamma = gamma_none, .gamma_ctx = &calls};
    for (size_t i = 0; i < 8; i++) b.demand_s[i] = 0.1 + 0.01 * (double)i;
    for (size_t i = 0; i < 4; i++) b.discipline[i] = SGDP_HYBRID;
    CHECK_STATUS(solve(HYBRID, &b.net, &options, &a), SGDP_OK);
    CHECK(calls > 0 && calls <= 2 * 4 * 3);
    for (size_t i = 0; i < 4; i++) CHECK(same(a.out.gamma[i], 0.0));
    both_free(&b, &a);
}

/* ---- Approximations -------------------------------------------------------- */

/* Largest relative error of a class's throughput. */
static double throughput_error(const answer *got, const answer *want, size_t classes)
{
    double worst = 0.0;
    for (size_t c = 0; c < classes; c++)
        worst = larger(worst, relative(got->value[c], want->value[c]));
    return worst;
}

/* 2 to 8 workers in 1 to 4 classes, 1 to 4 stations; see the kinds below. */
static box few_workers(uint64_t *state, int kind)
{
    const size_t workers = random_size(state, 2, 8);
    const size_t classes = random_size(state, 1, workers < 4 ? workers : 4);
    const size_t stations = random_size(state, 1, 4);
    box b = kind == 1 ? distinct_box(state, workers, 3)
                      : random_box(state, classes, stations, 1);
    if (kind != 1)
        for (size_t i = classes; i < workers; i++)
            b.population[random_size(state, 0, classes - 1)]++;
    return b;
}

typedef struct approximation {
    const char *what;
    sgdp_method method;
    int         kind;            /* 0 classes, 1 distinct workers; 2 any discipline  */
    double      limit;
} approximation;

static void approximation_run(const approximation *x)
{
    tally t = tally_of(x->what, x->limit);
    uint64_t state = 71;
    for (size_t i = 0; i < TEST_SIZE(120, 1000); i++) {
        box b = few_workers(&state, x->kind);
        answer want = answer_new(&b.net), got = answer_new(&b.net);
        sgdp_mva_options options = {.method = x->method};
        if (x->kind == 2) random_disciplines(&state, &b);
        CHECK_STATUS(solve(HYBRID, &b.net, NULL, &want), SGDP_OK);
        CHECK_STATUS(solve(APPROX, &b.net, &options, &got), SGDP_OK);
        CHECK(got.out.method == x->method);
        CHECK(got.out.residual <= 1e-12);
        tally_add(&t, throughput_error(&got, &want, b.net.classes));
        answer_free(&got);
        both_free(&b, &want);
    }
    tally_check(&t);
}

/* The limits are a little above what was found. */
TEST(fixed_points_err_by_no_more_than_documented)
{
    static const approximation all[] = {
        {"Schweitzer, Eq. 1, classes", SGDP_METHOD_SCHWEITZER, 0, 0.20},
        {"Schweitzer, Eq. 1, distinct workers", SGDP_METHOD_SCHWEITZER, 1, 0.20},
        {"Schweitzer, any discipline", SGDP_METHOD_SCHWEITZER, 2, 0.36},
        {"Linearizer, Eq. 1, classes", SGDP_METHOD_LINEARIZER, 0, 0.015},
        {"Linearizer, Eq. 1, distinct workers", SGDP_METHOD_LINEARIZER, 1, 0.015},
        {"Linearizer, any discipline", SGDP_METHOD_LINEARIZER, 2, 0.12}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) approximation_run(&all[i]);
}

/* Largest relative error of throughputs and response times. */
static double times_error(const answer *got, const answer *want, const sgdp_network *net)
{
    double worst = 0.0;
    for (size_t i = 0; i < net->classes * (net->stations + 1); i++)
        worst = larger(worst, relative(got->value[i], want->value[i]));
    return worst;
}

/* The fixed points of all disciplines, iterated to the end. */
TEST(fixed_points_are_their_formulas)
{
    tally t[2];
    uint64_t state = 73;
    t[0] = tally_of("Schweitzer, literally", 1e-8);
    t[1] = tally_of("Linearizer, literally", 1e-8);
    for (size_t i = 0; i < 200; i++) {
        const size_t classes = random_size(&state, 1, 4);
        box b = random_box(&state, classes, random_size(&state, 1, 4), 6);
        answer want = answer_new(&b.net), got = answer_new(&b.net);
        double gamma = random_unit(&state) - 0.3;
        if (gamma < 0.0) gamma = 0.0;
        sgdp_mva_options options = {.gamma = gamma_constant, .gamma_ctx = &gamma,
                                    .rhythm_lost = random_unit(&state)};
        if (i % 3) options.rhythm_spare = 3.0 * random_unit(&state);
        if (i % 2) random_disciplines(&state, &b);
        random_capacities(&state, &b);
        for (size_t m = 0; m < 2; m++) {
            options.method = m ? SGDP_METHOD_LINEARIZER : SGDP_METHOD_SCHWEITZER;
            CHECK_STATUS(solve(APPROX, &b.net, &options, &got), SGDP_OK);
            oracle_fixedpoint(&b.net, &options, gamma, m ? 3 : 0, &want);
            tally_add(&t[m], times_error(&got, &want, &b.net));
        }
        answer_free(&got);
        both_free(&b, &want);
    }
    tally_check(&t[0]);
    tally_check(&t[1]);
}

/* Both converge to the exact throughput of one class as it grows. */
TEST(fixed_points_of_a_growing_class_converge_to_the_exact)
{
    static const sgdp_method methods[2] = {SGDP_METHOD_SCHWEITZER,
                                           SGDP_METHOD_LINEARIZER};
    static const double limit[2][3] = {{8e-2, 1e-2, 1e-3}, {8e-3, 1e-3, 1e-4}};
    uint64_t state = 72;
    for (size_t i = 0; i < 20; i++) {
        box b = random_box(&state, 1, 3, 1);
        answer want = answer_new(&b.net), got = answer_new(&b.net);
        for (size_t m = 0; m < 2; m++)
            for (uint32_t workers = 20; workers <= 2000; workers *= 10) {
                const size_t step = workers == 20 ? 0 : workers == 200 ? 1 : 2;
                sgdp_mva_options options = {.method = methods[m]};
                b.population[0] = workers;
                CHECK_STATUS(solve(EXACT, &b.net, NULL, &want), SGDP_OK);
                CHECK_STATUS(solve(APPROX, &b.net, &options, &got), SGDP_OK);
                CHECK_REL(got.value[0], want.value[0], limit[m][step]);
            }
        answer_free(&got);
        both_free(&b, &want);
    }
}

TEST(too_few_iterations_leave_the_best_iterate)
{
    box b = paper_box(6, SGDP_HYBRID);
    answer a = answer_new(&b.net);
    double cycle_s = 0.029;
    sgdp_mva_options options = {.max_iterations = 1};
    CHECK_STATUS(solve(APPROX, &b.net, &options, &a), SGDP_NOT_CONVERGED);
    CHECK(a.value[0] > 0.0 && a.value[0] <= 6.0 / 0.191);
    CHECK(a.out.iterations == 1 && a.out.residual > 1e-12);
    options.max_iterations = 2;
    options.method = SGDP_METHOD_LINEARIZER;
    CHECK_STATUS(solve(APPROX, &b.net, &options, &a), SGDP_NOT_CONVERGED);
    CHECK(a.value[0] > 0.0 && a.value[0] <= 6.0 / 0.191);
    options.method = SGDP_METHOD_AUTO;
    options.max_iterations = 0;                    /* a coarse tolerance ends early  */
    options.tolerance = 1e-3;
    CHECK_STATUS(solve(APPROX, &b.net, &options, &a), SGDP_OK);
    CHECK(a.out.residual <= 1e-3 && a.out.iterations < 100);
    both_free(&b, &a);
    b = paper_box(6, SGDP_PS);                     /* one iteration by hand: at first    */
    a = answer_new(&b.net);                        /* nobody waits, 6 tasks in 191 ms    */
    options.tolerance = 0.0;
    options.max_iterations = 1;
    CHECK_STATUS(solve(APPROX, &b.net, &options, &a), SGDP_NOT_CONVERGED);
    for (size_t l = 0; l < 3; l++)
        cycle_s += b.demand_s[l] * (1.0 + 5.0 * b.demand_s[l] / 0.191);
    CHECK_REL(a.value[0], 6.0 / cycle_s, 1e-14);
    CHECK_REL(a.out.residual, fabs(1.0 - 6.0 / 0.191 / a.value[0]), 1e-12);
    both_free(&b, &a);
}

/* Of two classes that mirror each other, each core at all tasks ends soon; those with a task
 * less, which lack that symmetry, do not, and the residual is theirs. */
TEST(the_residual_is_that_of_the_worst_core)
{
    box b = box_new(2, 2);
    answer a = answer_new(&b.net);
    sgdp_mva_options options = {.method = SGDP_METHOD_LINEARIZER, .tolerance = 1e-3};
    b.population[0] = b.population[1] = 2;
    b.demand_s[0] = b.demand_s[3] = 1.0;
    b.demand_s[1] = b.demand_s[2] = 4.0;
    options.max_iterations = 4;
    CHECK_STATUS(solve(APPROX, &b.net, &options, &a), SGDP_NOT_CONVERGED);
    CHECK(a.out.residual > 1e-3);
    options.max_iterations = 40;
    CHECK_STATUS(solve(APPROX, &b.net, &options, &a), SGDP_OK);
    CHECK(a.out.residual > 0.0 && a.out.residual <= 1e-3);
    both_free(&b, &a);
}

/* Two classes at two hybrid stations, whose gammas depend on each other. */
TEST(a_root_that_is_not_found_is_told)
{
    box b = box_new(2, 2);
    answer a = answer_new(&b.net);
    sgdp_mva_options options = {.max_iterations = 1};
    for (size_t i = 0; i < 2; i++) {
        b.population[i] = 4;
        b.think_s[i] = 0.02 + 0.03 * (double)i;
        b.demand_s[2 * i] = b.demand_s[2 * i + 1] = 0.07;
        b.discipline[i] = SGDP_HYBRID;
    }
    CHECK_STATUS(solve(HYBRID, &b.net, &options, &a), SGDP_NOT_CONVERGED);
    CHECK(a.value[0] > 0.0 && a.value[0] <= 4.0 / 0.16);
    CHECK_STATUS(solve(HYBRID, &b.net, NULL, &a), SGDP_OK);
    both_free(&b, &a);
}

TEST_MAIN("test_mva_approx");
