/* Every status that the solvers of closed networks answer, that nothing is written
 * then, and that the same question gets the same bits. */
#include "../sgdperf.h"

#include "networks.h"
#include "test.h"

/* ---- Statuses -------------------------------------------------------------- */

enum { ON_EXACT = 1, ON_HYBRID = 2, ON_APPROX = 4, ON_ALL = 7 };

static double refusal_work[8192];

/* A result of room for 8 classes and 8 stations, filled with a pattern. */
typedef struct untouched {
    sgdp_mva_result out, out_before;
    double          value[96], value_before[96];
} untouched;

static void untouched_fill(untouched *u)
{
    memset(&u->out, 0x5A, sizeof u->out);
    for (size_t i = 0; i < 96; i++) u->value[i] = -7.0 - (double)i;
    u->out.throughput_per_s = u->value;
    u->out.response_s = u->value + 8;
    u->out.queue = u->value + 72;
    u->out.utilization = u->value + 80;
    u->out.gamma = u->value + 88;
    memcpy(&u->out_before, &u->out, sizeof u->out);
    memcpy(u->value_before, u->value, sizeof u->value);
}

static int untouched_is(const untouched *u)
{
    return memcmp(&u->out, &u->out_before, sizeof u->out) == 0
        && memcmp(u->value, u->value_before, sizeof u->value) == 0;
}

/* The solvers of `on` and their _bytes() answer `want` and write nothing. */
static void refuses(unsigned on, const sgdp_network *net, const sgdp_mva_options *options,
                    sgdp_status want)
{
    for (int s = 0; s < (int)SOLVERS; s++) {
        scratch w = {refusal_work, sizeof refusal_work};
        size_t bytes = 77;
        untouched u;
        if (!(on >> s & 1u)) continue;
        untouched_fill(&u);
        CHECK_STATUS(solver_bytes((solver)s, net, options, &bytes), want);
        CHECK(bytes == 77);
        CHECK_STATUS(solver_call((solver)s, net, options, w, &u.out), want);
        CHECK(untouched_is(&u));
    }
}

static void bounds_refuse(const sgdp_network *net)
{
    double lower[2] = {-1.0, -2.0}, upper[2] = {-3.0, -4.0};
    CHECK_STATUS(sgdp_mva_bounds(net, lower, upper), SGDP_BAD_ARGUMENT);
    CHECK(same(lower[0], -1.0) && same(lower[1], -2.0));
    CHECK(same(upper[0], -3.0) && same(upper[1], -4.0));
}

static void network_is_refused(const box *b)
{
    refuses(ON_ALL, &b->net, NULL, SGDP_BAD_ARGUMENT);
    bounds_refuse(&b->net);
}

/* Two classes, two stations, all well. */
static box good_box(void)
{
    box b = box_new(2, 2);
    b.population[0] = 2;
    b.population[1] = 3;
    b.think_s[0] = 1.0;
    b.demand_s[0] = b.demand_s[3] = 0.5;
    b.demand_s[1] = 0.25;
    return b;
}

TEST(bad_shapes_are_refused)
{
    box b = good_box();
    refuses(ON_ALL, NULL, NULL, SGDP_BAD_ARGUMENT);
    bounds_refuse(NULL);
    b.net.demand_s = NULL;
    network_is_refused(&b);
    b.net.demand_s = b.demand_s;
    b.net.classes = 0;
    network_is_refused(&b);
    b.net.classes = 2;
    b.net.stations = 0;
    network_is_refused(&b);
    b.net.stations = 2;
    box_free(&b);
}

TEST(bad_times_and_populations_are_refused)
{
    const double no_time[] = {-1.0, -1e-300, (double)NAN, HUGE_VAL, -HUGE_VAL};
    const double no_capacity[] = {0.0, 0.5, 0.999999, -1.0, (double)NAN, -HUGE_VAL};
    box b = good_box();
    for (size_t i = 0; i < sizeof no_time / sizeof no_time[0]; i++) {
        b.think_s[1] = no_time[i];
        network_is_refused(&b);
        b.think_s[1] = 0.0;
        b.demand_s[1] = no_time[i];
        network_is_refused(&b);
        b.demand_s[1] = 0.25;
    }
    for (size_t i = 0; i < sizeof no_capacity / sizeof no_capacity[0]; i++) {
        b.capacity[1] = no_capacity[i];
        network_is_refused(&b);
        b.capacity[1] = 1.0;
    }
    b.demand_s[3] = 0.0;                           /* class 1 takes no time at all   */
    network_is_refused(&b);
    b.net.think_s = NULL;
    network_is_refused(&b);
    box_free(&b);
}

TEST(unknown_disciplines_are_refused)
{
    box b = good_box();
    b.discipline[1] = (sgdp_discipline)((int)SGDP_INTERLEAVED + 1);
    refuses(ON_ALL, &b.net, NULL, SGDP_BAD_ARGUMENT);
    b.discipline[1] = (sgdp_discipline)-1;
    refuses(ON_ALL, &b.net, NULL, SGDP_BAD_ARGUMENT);
    b.discipline[1] = SGDP_FCFS;
    refuses(ON_EXACT, &b.net, NULL, SGDP_BAD_ARGUMENT);
    b.discipline[1] = SGDP_HYBRID;
    refuses(ON_EXACT, &b.net, NULL, SGDP_BAD_ARGUMENT);
    b.discipline[1] = SGDP_INTERLEAVED;
    refuses(ON_EXACT, &b.net, NULL, SGDP_BAD_ARGUMENT);
    box_free(&b);
}

TEST(bad_options_are_refused)
{
    static const double bad[] = {-1.0, -1e-9, (double)NAN};
    box b = good_box();
    sgdp_mva_options options = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        options.tolerance = bad[i];
        refuses(ON_ALL, &b.net, &options, SGDP_BAD_ARGUMENT);
        options.tolerance = 0.0;
        options.max_operations = bad[i];
        refuses(ON_ALL, &b.net, &options, SGDP_BAD_ARGUMENT);
        options.max_operations = 0.0;
    }
    options.gamma_rule = (sgdp_gamma_rule)3;
    refuses(ON_ALL, &b.net, &options, SGDP_BAD_ARGUMENT);
    options.gamma_rule = SGDP_GAMMA_IMPLICIT;
    options.method = (sgdp_method)5;
    refuses(ON_ALL, &b.net, &options, SGDP_BAD_ARGUMENT);
    options.method = (sgdp_method)-1;
    refuses(ON_ALL, &b.net, &options, SGDP_BAD_ARGUMENT);
    options.method = SGDP_METHOD_SCHWEITZER;
    refuses(ON_EXACT | ON_HYBRID, &b.net, &options, SGDP_BAD_ARGUMENT);
    options.method = SGDP_METHOD_LINEARIZER;
    refuses(ON_EXACT | ON_HYBRID, &b.net, &options, SGDP_BAD_ARGUMENT);
    options.method = SGDP_METHOD_POLYNOMIAL;
    refuses(ON_HYBRID | ON_APPROX, &b.net, &options, SGDP_BAD_ARGUMENT);
    options.method = SGDP_METHOD_LATTICE;
    refuses(ON_APPROX, &b.net, &options, SGDP_BAD_ARGUMENT);
    box_free(&b);
}

/* A callback outside [0, 1] is found while solving; nothing is written either. */
TEST(a_gamma_outside_of_0_to_1_is_refused)
{
    static const double bad[] = {1.5, -0.1, (double)NAN, HUGE_VAL};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (int rule = SGDP_GAMMA_IMPLICIT; rule <= (int)SGDP_GAMMA_FCFS_RUN; rule++) {
            const size_t classes = 1 + i % 2;
            box b = good_box();
            double value = bad[i];
            untouched u;
            sgdp_mva_options options = {.gamma_rule = (sgdp_gamma_rule)rule,
                                        .gamma = gamma_constant, .gamma_ctx = &value};
            b.net.classes = classes;
            b.discipline[0] = SGDP_HYBRID;
            untouched_fill(&u);
            CHECK_STATUS(solve_dirty(HYBRID, &b.net, &options, 0, &u.out), SGDP_BAD_ARGUMENT);
            CHECK(untouched_is(&u));
            CHECK_STATUS(solve_dirty(APPROX, &b.net, &options, 0, &u.out), SGDP_BAD_ARGUMENT);
            CHECK(untouched_is(&u));
            box_free(&b);
        }
}

TEST(small_or_unaligned_work_is_refused)
{
    box b = good_box();
    untouched u;
    untouched_fill(&u);
    for (int s = 0; s < (int)SOLVERS; s++) {
        scratch w = {refusal_work, 0};
        size_t bytes = 0;
        CHECK_STATUS(solver_bytes((solver)s, &b.net, NULL, NULL), SGDP_BAD_ARGUMENT);
        CHECK_STATUS(solver_bytes((solver)s, &b.net, NULL, &bytes), SGDP_OK);
        CHECK(bytes > 0 && bytes <= sizeof refusal_work);
        CHECK_STATUS(solver_call((solver)s, &b.net, NULL, w, &u.out), SGDP_SMALL_WORKSPACE);
        w.bytes = bytes - 1;
        CHECK_STATUS(solver_call((solver)s, &b.net, NULL, w, &u.out), SGDP_SMALL_WORKSPACE);
        w.bytes = bytes;
        CHECK_STATUS(solver_call((solver)s, &b.net, NULL, w, NULL), SGDP_BAD_ARGUMENT);
        w.work = (char *)refusal_work + 4;
        CHECK_STATUS(solver_call((solver)s, &b.net, NULL, w, &u.out), SGDP_BAD_ARGUMENT);
        w.work = NULL;
        CHECK_STATUS(solver_call((solver)s, &b.net, NULL, w, &u.out), SGDP_BAD_ARGUMENT);
    }
    CHECK(untouched_is(&u));
    box_free(&b);
}

TEST(what_exceeds_a_budget_is_refused)
{
    box b = good_box();
    answer a = answer_new(&b.net);
    sgdp_mva_options options = {.max_operations = 1.0};
    refuses(ON_EXACT | ON_HYBRID, &b.net, &options, SGDP_OVER_BUDGET);
    options.method = SGDP_METHOD_POLYNOMIAL;
    refuses(ON_EXACT, &b.net, &options, SGDP_OVER_BUDGET);
    options.max_operations = 0.0;
    options.method = SGDP_METHOD_AUTO;
    options.max_bytes = 8;
    refuses(ON_EXACT | ON_HYBRID, &b.net, &options, SGDP_OVER_BUDGET);
    options.max_operations = 1e6;
    options.max_bytes = 100000;
    CHECK_STATUS(solve(EXACT, &b.net, &options, &a), SGDP_OK);
    CHECK_STATUS(solve(HYBRID, &b.net, &options, &a), SGDP_OK);
    both_free(&b, &a);
}

/* By lattice 60 distinct workers are too much work, and so are two kinds of 100,000
 * each; 20 distinct ones at 200 stations take too much memory. */
TEST(the_default_budgets_refuse_hopeless_networks)
{
    uint64_t state = 81;
    box many = distinct_box(&state, 60, 30), some = distinct_box(&state, 20, 200);
    box pair = distinct_box(&state, 2, 3);
    sgdp_mva_options options = {0};
    pair.population[0] = pair.population[1] = 100000;
    refuses(ON_EXACT | ON_HYBRID, &many.net, &options, SGDP_OVER_BUDGET);
    options.method = SGDP_METHOD_LATTICE;
    refuses(ON_EXACT, &many.net, &options, SGDP_OVER_BUDGET);
    refuses(ON_EXACT | ON_HYBRID, &pair.net, &options, SGDP_OVER_BUDGET);
    refuses(ON_EXACT | ON_HYBRID, &some.net, &options, SGDP_OVER_BUDGET);
    box_free(&many);
    box_free(&some);
    box_free(&pair);
}

/* One class takes 2 Q + 3 operations a point: 3125 of 3200000 points are 10^10, and 3541 of 2824061
 * are one more. */
TEST(the_default_budget_is_ten_to_the_tenth)
{
    static const struct { size_t queues; uint32_t tasks; sgdp_status want; } of[] = {
        {1561, 3199999, SGDP_OK}, {1769, 2824059, SGDP_OK}, {1769, 2824060, SGDP_OVER_BUDGET}
    };
    sgdp_mva_options options = {.method = SGDP_METHOD_LATTICE};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        box b = box_new(1, of[i].queues);
        size_t bytes = 0;
        b.population[0] = of[i].tasks;
        for (size_t l = 0; l < of[i].queues; l++) b.demand_s[l] = 1.0;
        CHECK_STATUS(solver_bytes(EXACT, &b.net, &options, &bytes), of[i].want);
        box_free(&b);
    }
}

/* Sizes that no memory holds are refused before anything is read. */
TEST(sizes_that_overflow_are_refused)
{
    const size_t most = (size_t)-1;
    box b = good_box();
    b.net.population = NULL;
    b.net.think_s = NULL;
    b.net.capacity = NULL;
    b.net.discipline = NULL;
    b.net.classes = most / 2;
    refuses(ON_ALL, &b.net, NULL, SGDP_TOO_LARGE);
    b.net.classes = 2;
    b.net.stations = most / 4;
    refuses(ON_ALL, &b.net, NULL, SGDP_TOO_LARGE);
    b.net.stations = most;
    b.net.classes = most;
    refuses(ON_ALL, &b.net, NULL, SGDP_TOO_LARGE);
    box_free(&b);
}

/* A lattice of more points than size_t counts, with all the budget there is. */
TEST(a_lattice_beyond_size_t_is_refused)
{
    const size_t classes = 8;
    box b = box_new(classes, 3);
    for (size_t i = 0; i < classes; i++) {
        b.population[i] = 7000000; /* all of them fit 32 bits */
        b.think_s[i] = 1.0 + (double)i;
        b.demand_s[3 * i] = b.demand_s[3 * i + 2] = 2.0 / (3.0 + (double)i);
    }
    sgdp_mva_options options = {0};
    refuses(ON_EXACT | ON_HYBRID, &b.net, &options, SGDP_OVER_BUDGET);
    options.method = SGDP_METHOD_LATTICE;
    options.max_operations = DBL_MAX;
    options.max_bytes = (size_t)-1;
    for (size_t i = 0; i < 2; i++) {                      /* either answer is right         */
        size_t bytes = 77;
        const sgdp_status status =
            solver_bytes(i ? EXACT : HYBRID, &b.net, &options, &bytes);
        CHECK(status == SGDP_TOO_LARGE || status == SGDP_OVER_BUDGET);
        CHECK(bytes == 77);
    }
    box_free(&b);
}

TEST(every_status_has_its_text)
{
    for (int s = -2; s < (int)SGDP_STATUS_COUNT + 3; s++)
        CHECK(sgdp_status_text((sgdp_status)s) != NULL);
    CHECK_TEXT(sgdp_status_text(SGDP_OK), "success");
}

/* ---- Bits ------------------------------------------------------------------ */

/* The same bits whatever the scratch held before, and whatever else is wanted. */
static void same_bits(solver s, const box *b, const sgdp_mva_options *options)
{
    answer first = answer_new(&b->net), again = answer_new(&b->net);
    double **part[5];
    CHECK_STATUS(solve_dirty(s, &b->net, options, 0x00, &first.out), SGDP_OK);
    CHECK_STATUS(solve_dirty(s, &b->net, options, 0xFF, &again.out), SGDP_OK);
    CHECK(memcmp(first.value, again.value, first.values * sizeof(double)) == 0);
    CHECK(first.out.method == again.out.method);
    CHECK(first.out.iterations == again.out.iterations);
    memset(again.value, 0, again.values * sizeof(double));
    for (size_t i = 0; i < 6; i++) {                      /* one output alone; at last none */
        sgdp_mva_result one = again.out;
        part[0] = &one.throughput_per_s;
        part[1] = &one.response_s;
        part[2] = &one.queue;
        part[3] = &one.utilization;
        part[4] = &one.gamma;
        for (size_t j = 0; j < 5; j++)
            if (j != i) *part[j] = NULL;
        CHECK_STATUS(solve_dirty(s, &b->net, options, 0x11 * (int)i, &one), SGDP_OK);
        CHECK(one.method == first.out.method);
        CHECK(same(one.residual, first.out.residual));
    }
    CHECK(memcmp(first.value, again.value, first.values * sizeof(double)) == 0);
    answer_free(&first);
    answer_free(&again);
}

TEST(the_same_input_gives_the_same_bits)
{
    static const sgdp_method methods[3] = {SGDP_METHOD_LATTICE, SGDP_METHOD_POLYNOMIAL,
                                           SGDP_METHOD_AUTO};
    uint64_t state = 91;
    for (size_t i = 0; i < TEST_SIZE(20, 60); i++) {
        box b = random_box(&state, random_size(&state, 1, 4), 3, 3);
        sgdp_mva_options options = {0};
        for (size_t m = 0; m < 3; m++) {
            options.method = methods[m];
            same_bits(EXACT, &b, &options);
        }
        options.method = SGDP_METHOD_SCHWEITZER;
        random_disciplines(&state, &b);
        same_bits(APPROX, &b, &options);
        options.method = SGDP_METHOD_LINEARIZER;
        same_bits(APPROX, &b, &options);
        options.method = SGDP_METHOD_AUTO;
        for (int rule = SGDP_GAMMA_IMPLICIT; rule <= (int)SGDP_GAMMA_FCFS_RUN; rule++) {
            options.gamma_rule = (sgdp_gamma_rule)rule;
            same_bits(HYBRID, &b, &options);
        }
        box_free(&b);
    }
}

/* ---- Sizes that no memory holds ---------------------------------------------- */

static void lattice_is(const box *b, size_t max_bytes, sgdp_status want)
{
    sgdp_mva_options o = {.method = SGDP_METHOD_LATTICE, .max_operations = DBL_MAX,
                          .max_bytes = max_bytes};
    refuses(ON_EXACT, &b->net, &o, want);
}

/* Even where any number of operations would do. The constants of a point: those of the
 * stations before, for each degree, and one or two of its own. */
TEST(lattices_of_several_servers_beyond_size_t_are_refused)
{
    const size_t stations = 1000;
    box b = box_new(1, stations), two = box_new(2, 1);
    b.population[0] = UINT32_MAX;
    for (size_t l = 0; l < stations; l++) {
        b.demand_s[l] = 1.0;
        b.capacity[l] = 4e9;
    }
    lattice_is(&b, (size_t)-1, SGDP_TOO_LARGE);      /* 2e15 constants                   */
    two.population[0] = UINT32_MAX;
    two.population[1] = (uint32_t)(((size_t)-1 / 16 / (size_t)4000000003) / 2 - 1);
    two.demand_s[0] = 1.0;
    two.demand_s[1] = 2.0;
    two.capacity[0] = 4e9;
    lattice_is(&two, (size_t)-1, SGDP_TOO_LARGE);    /* the table alone could be counted */
    two.population[1] = UINT32_MAX / 2;
    lattice_is(&two, (size_t)-1, SGDP_TOO_LARGE);    /* not even that                    */
    two.population[0] = 1000;
    two.population[1] = 1;
    two.capacity[0] = 900.0;
    lattice_is(&two, 1000, SGDP_OVER_BUDGET);
    box_free(&b);
    b = box_new(2, 2);                               /* a little more than 2^64 constants */
    b.population[0] = UINT32_MAX;
    b.population[1] = UINT32_MAX / 2;
    for (size_t i = 0; i < 4; i++) b.demand_s[i] = 1.0 + (double)i;
    for (double m = 4294967290.0; m < 4294967310.0; m += 1.0) {
        b.capacity[0] = b.capacity[1] = m;
        lattice_is(&b, (size_t)-1, SGDP_TOO_LARGE);
    }
    box_free(&b);
    box_free(&two);
}

/* 40 classes of 2 tasks: 3^40 points, each of two numbers. */
TEST(a_table_beyond_size_t_is_refused)
{
    box b = box_new(40, 2);
    for (size_t c = 0; c < 40; c++) {
        b.population[c] = 2;
        b.demand_s[2 * c] = 1.0 + (double)c;
        b.demand_s[2 * c + 1] = 2.0;
    }
    lattice_is(&b, (size_t)-1, sizeof(size_t) > 4 ? SGDP_TOO_LARGE : SGDP_OVER_BUDGET);
    b.net.rates = b.demand_s;
    b.net.rate_tasks = (size_t)-1 / 2;
    refuses(ON_ALL, &b.net, NULL, SGDP_TOO_LARGE);
    box_free(&b);
}

/* 45 classes of 2 tasks, 3^45 points; without a queue none of them is visited. */
TEST(think_times_alone_need_no_lattice)
{
    static double space[1 << 12];
    double X[45];
    box b = box_new(45, 1);
    sgdp_mva_result out = {.throughput_per_s = X};
    for (size_t c = 0; c < 45; c++) {
        b.population[c] = 2;
        b.think_s[c] = 1.0 + (double)c;
    }
    b.capacity[0] = HUGE_VAL;
    CHECK_STATUS(sgdp_mva_exact(&b.net, NULL, space, sizeof space, &out), SGDP_OK);
    for (size_t c = 0; c < 45; c++) CHECK_REL(X[c], 2.0 / (1.0 + (double)c), 1e-15);
    box_free(&b);
}

TEST(each_option_that_is_a_part_of_one_is_checked)
{
    const double bad[] = {-0.1, 1.1, (double)NAN};
    box b = good_box();
    sgdp_mva_options o = {0};
    for (size_t i = 0; i < 3; i++) {
        o.rhythm_lost = bad[i];
        refuses(ON_ALL, &b.net, &o, SGDP_BAD_ARGUMENT);
    }
    o.rhythm_lost = 0.0;
    o.rhythm_spare = -0.1;
    refuses(ON_ALL, &b.net, &o, SGDP_BAD_ARGUMENT);
    o.rhythm_spare = (double)INFINITY;
    refuses(ON_ALL, &b.net, &o, SGDP_BAD_ARGUMENT);
    o.rhythm_spare = 0.0;
    o.max_bytes = 8;
    o.method = SGDP_METHOD_LINEARIZER;
    refuses(ON_APPROX, &b.net, &o, SGDP_OVER_BUDGET);
    box_free(&b);
}

/* Both queues' lengths from the parts of one alone. */
TEST(queues_by_class_may_be_all_that_is_asked_for)
{
    static double space[1 << 12];
    double X[2], by_class[4], queue[2];
    box b = good_box();
    sgdp_mva_options o = {0};
    o.method = SGDP_METHOD_POLYNOMIAL;               /* what is not asked for is not found */
    sgdp_mva_result out = {.throughput_per_s = X, .class_queue = by_class};
    CHECK_STATUS(sgdp_mva_exact(&b.net, &o, space, sizeof space, &out), SGDP_OK);
    CHECK_REL(by_class[0] + by_class[1] + X[0] * 1.0, 2.0, 1e-13);
    CHECK_REL(by_class[2] + by_class[3], 3.0, 1e-13);
    out.class_queue = NULL;
    out.queue = queue;
    CHECK_STATUS(sgdp_mva_exact(&b.net, &o, space, sizeof space, &out), SGDP_OK);
    CHECK_REL(by_class[0] + by_class[2], queue[0], 1e-13);
    CHECK_REL(by_class[1] + by_class[3], queue[1], 1e-13);
    box_free(&b);
}

/* Six groups of queues and 730 tasks: the scaled products would leave a double. */
TEST(so_many_tasks_and_groups_are_not_for_the_polynomial_method)
{
    box b = box_new(2, 6);
    sgdp_mva_options o = {.method = SGDP_METHOD_POLYNOMIAL, .max_operations = DBL_MAX};
    for (size_t l = 0; l < 6; l++) {
        b.demand_s[l] = 1.0 + (double)(l * l);
        b.demand_s[6 + l] = 7.0 - (double)l;
    }
    b.population[0] = 400;
    b.population[1] = 330;
    refuses(ON_EXACT, &b.net, &o, SGDP_OVER_BUDGET);
    b.population[1] = 300;                           /* which are, but for 1e15 bytes    */
    refuses(ON_EXACT, &b.net, &o, sizeof(size_t) > 4 ? SGDP_OVER_BUDGET : SGDP_TOO_LARGE);
    box_free(&b);
    b = box_new(1, 65);                              /* nor are more than 64 queues      */
    b.population[0] = 2;
    for (size_t l = 0; l < 65; l++) b.demand_s[l] = 1.0;
    refuses(ON_EXACT, &b.net, &o, SGDP_OVER_BUDGET);
    box_free(&b);
}

/* One task each at one queue: the others are in front of it or not. */
TEST(bounds_hold_for_more_classes_than_are_merged)
{
    enum { MANY = 70 };
    static double space[1 << 16];
    double lower[MANY], upper[MANY], X[MANY];
    box b = box_new(MANY, 1);
    sgdp_mva_result out = {.throughput_per_s = X};
    for (size_t c = 0; c < MANY; c++) {
        b.think_s[c] = (double)c;
        b.demand_s[c] = 1.0;
    }
    CHECK_STATUS(sgdp_mva_bounds(&b.net, lower, upper), SGDP_OK);
    CHECK_STATUS(sgdp_mva_approx(&b.net, NULL, space, sizeof space, &out), SGDP_OK);
    for (size_t c = 0; c < MANY; c++) {
        CHECK(lower[c] <= X[c] && X[c] <= upper[c]);
        CHECK_REL(lower[c], 1.0 / ((double)c + MANY), 1e-14);
        CHECK_REL(upper[c], 1.0 / ((double)c + 1.0), 1e-14);
    }
    box_free(&b);
}

/* ---- Estimates -------------------------------------------------------------- */

/* So many operations are within the budget, and no fewer would be. */
static void check_operations(solver s, const sgdp_network *net, sgdp_method method,
                             sgdp_gamma_rule rule, double operations)
{
    size_t bytes = 0;
    sgdp_mva_options options = {.method = method, .gamma_rule = rule,
                                .max_operations = operations * (1.0 + 1e-12)};
    CHECK_STATUS(solver_bytes(s, net, &options, &bytes), SGDP_OK);
    options.max_operations = operations * (1.0 - 1e-12);
    CHECK_STATUS(solver_bytes(s, net, &options, &bytes), SGDP_OVER_BUDGET);
}

/* The formulas that bench/bench_mva fitted: a lattice takes 2 Q + 3 a point and class, 4 times
 * that with sums for Eqs. 2 and 3, 50 with a search of gamma, 300 with one for several classes;
 * fixed points 300 iterations of 3 Q + 3. */
TEST(estimates_are_their_formulas)
{
    const sgdp_gamma_rule implicit = SGDP_GAMMA_IMPLICIT, explicit_rule = SGDP_GAMMA_EXPLICIT;
    const sgdp_method lattice = SGDP_METHOD_LATTICE, polynomial = SGDP_METHOD_POLYNOMIAL;
    uint64_t state = 91;
    box one = distinct_box(&state, 1, 3), two = distinct_box(&state, 2, 3);
    one.population[0] = 9;
    two.population[0] = two.population[1] = 4;
    check_operations(EXACT, &one.net, lattice, implicit, 10.0 * 9.0);
    check_operations(EXACT, &two.net, lattice, implicit, 25.0 * 2.0 * 9.0);
    check_operations(HYBRID, &two.net, lattice, implicit, 25.0 * 2.0 * 9.0);
    /* All of one class are proportional; of two classes each queue is a group. */
    check_operations(EXACT, &one.net, polynomial, implicit, 0.5 * 81.0 * 4.0);
    check_operations(EXACT, &two.net, polynomial, implicit, 0.5 * 8.0 * 165.0);
    check_operations(APPROX, &one.net, SGDP_METHOD_SCHWEITZER, implicit, 300.0 * 12.0);
    check_operations(APPROX, &two.net, SGDP_METHOD_LINEARIZER, implicit, 300.0 * 2.0 * 12.0 * 10.0);
    one.discipline[0] = two.discipline[0] = SGDP_HYBRID;
    check_operations(HYBRID, &one.net, lattice, explicit_rule, 4.0 * 10.0 * 9.0);
    check_operations(HYBRID, &one.net, lattice, implicit, 50.0 * 10.0 * 9.0);
    check_operations(HYBRID, &two.net, lattice, implicit, 300.0 * 25.0 * 2.0 * 9.0);
    check_operations(APPROX, &two.net, SGDP_METHOD_SCHWEITZER, implicit, 4.0 * 300.0 * 2.0 * 12.0);
    /* Two servers: of each point the constant, one a queue with a last speed, and of the one
     * with a polynomial of degree 1 the two of it and a derivative. */
    one.discipline[0] = SGDP_PS;
    one.capacity[0] = 2.0;
    check_operations(EXACT, &one.net, lattice, implicit, 10.0 * 6.0 * (1.0 + 3.0 + 3.0 + 3.0));
    box_free(&one);
    box_free(&two);
}

/* A station that nobody uses takes as much room first as last, and speeds that change no more
 * as little as if they were not told. */
TEST(what_makes_no_difference_takes_no_room)
{
    static const double told[4] = {1.0, 2.0, 2.0, 2.0};
    box first = box_new(2, 3), last = box_new(2, 3);
    size_t bytes[2] = {0, 0}, i;
    sgdp_mva_options options = {.method = SGDP_METHOD_POLYNOMIAL};
    for (i = 0; i < 2; i++) {
        first.population[i] = last.population[i] = 5;
        first.think_s[i] = last.think_s[i] = 1.0 + (double)i;
    }
    first.demand_s[4] = last.demand_s[3] = 0.5;
    first.demand_s[5] = last.demand_s[4] = 0.25;
    CHECK_STATUS(sgdp_mva_exact_bytes(&first.net, &options, &bytes[0]), SGDP_OK);
    CHECK_STATUS(sgdp_mva_exact_bytes(&last.net, &options, &bytes[1]), SGDP_OK);
    CHECK(bytes[0] == bytes[1]);
    options.method = SGDP_METHOD_LATTICE;
    for (i = 0; i < 2; i++) {
        double rates[3][4];
        memcpy(rates[0], told, sizeof told);
        memcpy(rates[1], told, sizeof told);
        memcpy(rates[2], told, sizeof told);
        first.net.rates = rates[0];
        first.net.rate_tasks = 4;
        if (i == 1) {                              /* the same by rows of two            */
            rates[0][2] = rates[1][0] = 1.0;
            rates[0][3] = rates[1][1] = 2.0;
            first.net.rate_tasks = 2;
        }
        CHECK_STATUS(sgdp_mva_exact_bytes(&first.net, &options, &bytes[i]), SGDP_OK);
    }
    CHECK(bytes[0] == bytes[1]);
    box_free(&first);
    box_free(&last);
}

/* Speeds of 1 and 2 are two servers, of as many tasks as there are speeds, and of more. */
TEST(speeds_of_servers_take_the_room_of_servers)
{
    static const double speeds[6] = {1.0, 2.0, 1.0, 2.0, 1.0, 2.0};
    uint64_t state = 93;
    for (uint32_t tasks = 3; tasks < 6; tasks++) {
        box told = distinct_box(&state, 1, 3), servers = distinct_box(&state, 1, 3);
        size_t bytes[2] = {0, 1}, l;
        sgdp_mva_options options = {.method = SGDP_METHOD_LATTICE};
        told.population[0] = servers.population[0] = tasks;
        told.net.rates = speeds;
        told.net.rate_tasks = 2;
        for (l = 0; l < 3; l++) servers.capacity[l] = 2.0;
        servers.net.rate_tasks = 2;                /* of no rates                        */
        CHECK_STATUS(sgdp_mva_exact_bytes(&told.net, &options, &bytes[0]), SGDP_OK);
        CHECK_STATUS(sgdp_mva_exact_bytes(&servers.net, &options, &bytes[1]), SGDP_OK);
        CHECK(bytes[0] == bytes[1]);
        box_free(&told);
        box_free(&servers);
    }
}

/* Nothing is written beyond the bytes asked for. */
TEST(the_end_of_the_work_is_kept)
{
    uint64_t state = 92;
    for (size_t classes = 1; classes <= 3; classes++)
        for (int s = 0; s < (int)SOLVERS; s++) {
            box b = distinct_box(&state, classes, 3);
            answer a = answer_new(&b.net);
            scratch w = {refusal_work, 0};
            CHECK_STATUS(solver_bytes((solver)s, &b.net, NULL, &w.bytes), SGDP_OK);
            CHECK(w.bytes + 64 <= sizeof refusal_work);
            memset(refusal_work, 0x5A, sizeof refusal_work);
            CHECK_STATUS(solver_call((solver)s, &b.net, NULL, w, &a.out), SGDP_OK);
            for (size_t i = w.bytes; i < w.bytes + 64; i++)
                CHECK(((unsigned char *)refusal_work)[i] == 0x5A);
            both_free(&b, &a);
        }
}

TEST_MAIN("test_mva_status");
