/* Closed networks of sgdperf.h, Eq. 1 and the golden numbers, against independent
 * solutions of the same problem: 60 digits, sums over all states, a Markov chain,
 * closed forms; then the laws that every solution obeys. */
#include "../sgdperf.h"

#include "golden.h"
#include "networks.h"
#include "oracle_ctmc.h"
#include "oracle_productform.h"
#include "tally.h"
#include "test.h"

static const char golden_path[] = "tests/golden/mva.json";

static const sgdp_method exact_methods[] = {SGDP_METHOD_LATTICE, SGDP_METHOD_POLYNOMIAL,
                                            SGDP_METHOD_AUTO};
#define EXACT_METHODS (sizeof exact_methods / sizeof exact_methods[0])

/* ---- Golden numbers -------------------------------------------------------- */

/* The network of a case; FCFS where its Eq. 2 has it. */
static box golden_box(const golden_value *one)
{
    const golden_value *of = golden_first(golden_get(one, "classes")), *l;
    const size_t L = golden_count(golden_get(one, "stations"));
    box b = box_new(golden_count(golden_get(one, "classes")), L);
    for (size_t c = 0; c < b.net.classes; c++, of = of->next) {
        b.population[c] = (uint32_t)golden_whole(golden_get(of, "pop"));
        b.think_s[c] = golden_number(golden_get(of, "Z"));
        CHECK(golden_numbers(golden_get(of, "S"), b.demand_s + c * L, L) == L);
    }
    for (l = golden_first(golden_get(one, "fcfs_stations")); l; l = l->next)
        if (golden_whole(l) < L) b.discipline[golden_whole(l)] = SGDP_FCFS;
    return b;
}

/* Compares numbers with got[n], of which there must be as many. */
static void golden_row(const golden_value *want, const double *got, size_t n, tally *t)
{
    const golden_value *v = golden_first(want);
    CHECK(golden_count(want) == n);
    for (; v && n > 0; v = v->next, n--) tally_add(t, relative(*got++, golden_number(v)));
}

static void golden_compare(const golden_value *want, const box *b, const answer *a,
                           tally *t)
{
    const size_t L = b->net.stations, C = b->net.classes;
    const sgdp_mva_result *out = &a->out;
    double *tasks = (double *)get_memory(2 * L, sizeof *tasks), *busy = tasks + L;
    tally_add(t, relative(total_of(out->throughput_per_s, C),
                          golden_number(golden_get(want, "X_total"))));
    golden_row(golden_get(want, "X_class"), out->throughput_per_s, C, t);
    golden_row(golden_get(want, "N_station"), out->queue, L, t);
    golden_row(golden_get(want, "U_station"), out->utilization, L, t);
    for (size_t c = 0; c < C; c++) {
        const double X = out->throughput_per_s[c], *T = out->response_s + c * L;
        for (size_t l = 0; l < L; l++) {
            tasks[l] = X * T[l];
            busy[l] = X * b->demand_s[c * L + l];
        }
        golden_row(golden_item(golden_get(want, "T_class"), c), T, L, t);
        golden_row(golden_item(golden_get(want, "N_class"), c), tasks, L, t);
        golden_row(golden_item(golden_get(want, "U_class"), c), busy, L, t);
    }
    free(tasks);
}

TEST(eq1_gives_the_golden_numbers_by_every_method)
{
    tally t = tally_of("golden, Eq. 1, every method", 1e-12);
    golden_value *file = golden_open(golden_path);
    const golden_value *one = golden_first(golden_get(file, "cases")), *want;
    size_t m, cases = 0;
    for (; one; one = one->next, cases++) {
        box b = golden_box(one);
        answer a = answer_new(&b.net);
        want = golden_get(one, "expect.ps");
        b.net.discipline = NULL;
        for (m = 0; m < EXACT_METHODS; m++) {
            CHECK_STATUS(solve_by(exact_methods[m], &b.net, &a), SGDP_OK);
            golden_compare(want, &b, &a, &t);
        }
        CHECK_STATUS(solve(HYBRID, &b.net, NULL, &a), SGDP_OK);
        golden_compare(want, &b, &a, &t);
        both_free(&b, &a);
    }
    CHECK(cases == 18);
    tally_check(&t);
    golden_close(file);
}

TEST(eq2_gives_the_golden_numbers)
{
    tally t = tally_of("golden, Eq. 2", 1e-10);
    golden_value *file = golden_open(golden_path);
    const golden_value *one = golden_first(golden_get(file, "cases"));
    for (; one; one = one->next) {
        box b = golden_box(one);
        answer a = answer_new(&b.net);
        CHECK_STATUS(solve(HYBRID, &b.net, NULL, &a), SGDP_OK);
        golden_compare(golden_get(one, "expect.fcfs"), &b, &a, &t);
        both_free(&b, &a);
    }
    tally_check(&t);
    golden_close(file);
}

/* ---- The paper's example --------------------------------------------------- */

/* Mini-batches per second, printed to four decimals. */
TEST(the_papers_example_has_its_throughputs)
{
    enum { PS_ROW, FCFS_ROW, IMPLICIT_ROW, EXPLICIT_ROW, FCFS_RUN_ROW, ROWS };
    static const uint32_t workers[7] = {2, 3, 4, 5, 6, 8, 10};
    static const double printed[ROWS][7] = {
        {8.0979, 9.6937, 10.6430, 11.2527, 11.6721, 12.2082, 12.5357},
        {9.0976, 11.5756, 12.9218, 13.5359, 13.7742, 13.8794, 13.8882},
        {9.0976, 11.3772, 12.0662, 12.3548, 12.5337, 12.7733, 12.9358},
        {9.0976, 11.5756, 12.5161, 12.3260, 12.6591, 12.8179, 12.9585},
        {9.0976, 11.1762, 11.2490, 11.4553, 11.7326, 12.2125, 12.5360}};
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < 7; k++) {
            const sgdp_discipline links =
                i == PS_ROW ? SGDP_PS : i == FCFS_ROW ? SGDP_FCFS : SGDP_HYBRID;
            box b = paper_box(workers[k], links);
            answer a = answer_new(&b.net);
            sgdp_mva_options options = {0};
            if (i == EXPLICIT_ROW) options.gamma_rule = SGDP_GAMMA_EXPLICIT;
            if (i == FCFS_RUN_ROW) options.gamma_rule = SGDP_GAMMA_FCFS_RUN;
            CHECK_STATUS(solve(HYBRID, &b.net, &options, &a), SGDP_OK);
            CHECK(fabs(a.value[0] - printed[i][k]) <= 0.500001e-4);
            if (i == PS_ROW) {
                CHECK_STATUS(solve(EXACT, &b.net, NULL, &a), SGDP_OK);
                CHECK(fabs(a.value[0] - printed[i][k]) <= 0.500001e-4);
            }
            both_free(&b, &a);
        }
}

/* ---- Small networks against the sum over all states ------------------------ */

/* Every network of C classes and L stations whose populations are 1 .. `most`,
 * think times one of the first `thinks` of {0, 0.75}, demands one of the first
 * `levels` of {0, 1, 2.5}, capacities one of the first `sizes` of the table below. */
typedef struct sweep { size_t C, L, most, thinks, levels, sizes; } sweep;

static size_t sweep_digit(size_t *number, size_t base)
{
    const size_t digit = *number % base;
    *number /= base;
    return digit;
}

/* Network `number` of the sweep; false beyond the last one. */
static int sweep_box(const sweep *s, size_t number, box *b)
{
    static const double think_s[2] = {0.0, 0.75}, demand_s[3] = {0.0, 1.0, 2.5};
    static const double capacity[4] = {1.0, 1.5, 2.0, HUGE_VAL};
    for (size_t i = 0; i < s->C; i++) {
        b->population[i] = (uint32_t)(1 + sweep_digit(&number, s->most));
        b->think_s[i] = think_s[sweep_digit(&number, s->thinks)];
    }
    for (size_t i = 0; i < s->C * s->L; i++)
        b->demand_s[i] = demand_s[sweep_digit(&number, s->levels)];
    for (size_t i = 0; i < s->L; i++) b->capacity[i] = capacity[sweep_digit(&number, s->sizes)];
    return number == 0;
}

static int some_class_takes_no_time(const box *b)
{
    const size_t L = b->net.stations;
    for (size_t c = 0; c < b->net.classes; c++)
        if (b->think_s[c] + total_of(b->demand_s + c * L, L) <= 0.0) return 1;
    return 0;
}

static void sweep_run(const sweep *s, tally *t, size_t *refused)
{
    box b = box_new(s->C, s->L);
    answer want = answer_new(&b.net);
    for (size_t number = 0; sweep_box(s, number, &b); number += TEST_SIZE(34, 1)) {
        if (some_class_takes_no_time(&b)) {
            *refused += solve(EXACT, &b.net, NULL, &want) != SGDP_BAD_ARGUMENT;
            continue;
        }
        oracle_productform(&b.net, &want);
        for (size_t m = s->sizes > 1; m < EXACT_METHODS; m++)
            tally_add(t, exact_error(exact_methods[m], &b, &want));
    }
    both_free(&b, &want);
}

TEST(every_small_network_is_the_sum_over_its_states)
{
    static const sweep sweeps[] = {
        {1, 1, 4, 2, 3, 1}, {1, 2, 4, 2, 3, 1}, {1, 3, 4, 2, 3, 1}, {1, 4, 4, 2, 3, 1},
        {2, 1, 4, 2, 3, 1}, {2, 2, 4, 2, 3, 1}, {2, 3, 3, 2, 2, 1}, {2, 4, 2, 2, 2, 1},
        {3, 1, 4, 2, 3, 1}, {3, 2, 3, 2, 2, 1}, {3, 3, 1, 2, 2, 1}, {3, 4, 1, 1, 2, 1}};
    tally t = tally_of("all small networks, sum over states", 1e-13);
    size_t i, wrongly_solved = 0;
    for (i = 0; i < sizeof sweeps / sizeof sweeps[0]; i++)
        sweep_run(&sweeps[i], &t, &wrongly_solved);
    CHECK(wrongly_solved == 0);
    CHECK(t.count > TEST_SIZE(2900, 100000));     /* three methods each            */
    tally_check(&t);
}

TEST(every_small_capacity_is_the_sum_over_the_states)
{
    static const sweep sweeps[] = {
        {1, 1, 5, 2, 2, 4}, {1, 2, 4, 2, 3, 4}, {1, 3, 4, 1, 3, 3},
        {2, 1, 3, 2, 2, 3}, {2, 2, 2, 2, 3, 3}, {2, 3, 2, 1, 2, 3}};
    tally t = tally_of("all small capacities, sum over states", 1e-13);
    size_t i, wrongly_solved = 0;
    for (i = 0; i < sizeof sweeps / sizeof sweeps[0]; i++)
        sweep_run(&sweeps[i], &t, &wrongly_solved);
    CHECK(wrongly_solved == 0);
    CHECK(t.count > TEST_SIZE(290, 10000));
    tally_check(&t);
}

TEST(random_networks_are_the_sum_over_their_states)
{
    tally t = tally_of("random small networks, sum over states", 1e-13);
    uint64_t state = 11;
    for (size_t i = 0; i < TEST_SIZE(300, 2000); i++) {
        const size_t classes = random_size(&state, 1, 3);
        box b = random_box(&state, classes, random_size(&state, 1, 4), 4);
        answer want = answer_new(&b.net);
        oracle_productform(&b.net, &want);
        for (size_t m = 0; m < EXACT_METHODS; m++)
            tally_add(&t, exact_error(exact_methods[m], &b, &want));
        both_free(&b, &want);
    }
    tally_check(&t);
}

TEST(random_capacities_are_the_sum_over_the_states)
{
    tally t = tally_of("capacities, sum over states", 1e-13);
    uint64_t state = 12;
    for (size_t i = 0; i < TEST_SIZE(200, 1500); i++) {
        const size_t classes = random_size(&state, 1, 3);
        box b = random_box(&state, classes, random_size(&state, 1, 4), 4);
        answer want = answer_new(&b.net);
        random_capacities(&state, &b);
        oracle_productform(&b.net, &want);
        tally_add(&t, exact_error(SGDP_METHOD_AUTO, &b, &want));
        tally_add(&t, exact_error(SGDP_METHOD_POLYNOMIAL, &b, &want));
        both_free(&b, &want);
    }
    tally_check(&t);
}

/* A delay by capacity is as good to the lattice as it is to the polynomial. */
TEST(the_lattice_takes_a_delay_given_as_a_capacity)
{
    tally t = tally_of("delay stations by lattice", 1e-13);
    uint64_t state = 13;
    for (size_t i = 0; i < 300; i++) {
        box b = random_box(&state, random_size(&state, 1, 3), 3, 3);
        answer want = answer_new(&b.net);
        b.capacity[random_size(&state, 0, 2)] = HUGE_VAL;
        oracle_productform(&b.net, &want);
        tally_add(&t, exact_error(SGDP_METHOD_LATTICE, &b, &want));
        both_free(&b, &want);
    }
    tally_check(&t);
}

/* ---- Distinct workers ------------------------------------------------------ */

TEST(small_networks_are_the_solution_of_their_markov_chain)
{
    tally t = tally_of("Markov chain, 1 to 4 distinct workers", 1e-10);
    uint64_t state = 21;
    for (size_t i = 0; i < 48; i++) {
        box b = distinct_box(&state, 1 + i % 4, 3);
        answer want = answer_new(&b.net);
        if (i >= 24) random_capacities(&state, &b);
        oracle_ctmc(&b.net, &want);
        for (size_t m = i < 24 ? 0 : 1; m < EXACT_METHODS; m++)
            tally_add(&t, exact_error(exact_methods[m], &b, &want));
        both_free(&b, &want);
    }
    tally_check(&t);
}

/* `groups` groups of stations of proportional demands: 1, 2 or 3 of 4 stations. */
static void make_proportional(uint64_t *state, box *b, size_t groups)
{
    const size_t L = b->net.stations;
    for (size_t l = groups; l < L; l++) {
        const double factor = random_time(state, -0.5, 0.5);
        for (size_t c = 0; c < b->net.classes; c++)
            b->demand_s[c * L + l] = factor * b->demand_s[c * L + l % groups];
    }
}

TEST(the_polynomial_method_agrees_with_the_lattice)
{
    static const char *const what[3] = {"polynomial to lattice, 1 group",
                                        "polynomial to lattice, 2 groups",
                                        "polynomial to lattice, 3 groups"};
    uint64_t state = 22;
    for (size_t groups = 1; groups <= 3; groups++) {
        tally t = tally_of(what[groups - 1], 1e-12);
        for (size_t i = 0; i < 33; i++) {
            box b = distinct_box(&state, 2 + i % 11, 4);
            answer lattice = answer_new(&b.net);
            make_proportional(&state, &b, groups);
            if (i % 3 == 1) memset(b.demand_s, 0, 4 * sizeof(double));
            if (i % 3 == 2) b.think_s[1] = 0.0;
            CHECK_STATUS(solve_by(SGDP_METHOD_LATTICE, &b.net, &lattice), SGDP_OK);
            CHECK(lattice.out.method == SGDP_METHOD_LATTICE);
            tally_add(&t, exact_error(SGDP_METHOD_POLYNOMIAL, &b, &lattice));
            tally_add(&t, exact_error(SGDP_METHOD_AUTO, &b, &lattice));
            both_free(&b, &lattice);
        }
        tally_check(&t);
    }
}

/* So many tasks that a slice of the simplex does not fit into a cache at once. */
TEST(the_polynomial_method_sweeps_a_large_simplex_in_parts)
{
    tally t = tally_of("polynomial to lattice, 88 tasks", 1e-12);
    uint64_t state = 26;
    box b = distinct_box(&state, 2, 3);
    answer lattice = answer_new(&b.net);
    b.population[0] = 44;
    b.population[1] = 44;
    CHECK_STATUS(solve_by(SGDP_METHOD_LATTICE, &b.net, &lattice), SGDP_OK);
    tally_add(&t, exact_error(SGDP_METHOD_POLYNOMIAL, &b, &lattice));
    b.demand_s[1] *= 30.0;                 /* nearly all tasks in the middle: its last part */
    b.demand_s[4] *= 30.0;
    CHECK_STATUS(solve_by(SGDP_METHOD_LATTICE, &b.net, &lattice), SGDP_OK);
    tally_add(&t, exact_error(SGDP_METHOD_POLYNOMIAL, &b, &lattice));
    both_free(&b, &lattice);
    tally_check(&t);
}

/* Demands off proportion by 1e-3 to 1e-16: no group of stations where it would show. */
TEST(nearly_proportional_demands_are_solved_alike)
{
    tally t = tally_of("almost proportional demands", 1e-13);
    uint64_t state = 24;
    for (size_t i = 0; i < 140; i++) {
        box b = distinct_box(&state, 4, 3);
        answer lattice = answer_new(&b.net);
        const double off = pow(10.0, -3.0 - (double)(i / 10));
        make_proportional(&state, &b, 1);
        for (size_t j = 0; j < 12; j++)
            b.demand_s[j] *= 1.0 + off * (random_unit(&state) - 0.5);
        CHECK_STATUS(solve_by(SGDP_METHOD_LATTICE, &b.net, &lattice), SGDP_OK);
        tally_add(&t, exact_error(SGDP_METHOD_POLYNOMIAL, &b, &lattice));
        both_free(&b, &lattice);
    }
    tally_check(&t);
}

TEST(the_method_that_was_used_is_told)
{
    box b = distinct_box(&(uint64_t){23}, 9, 3);
    answer a = answer_new(&b.net);
    for (size_t m = 0; m < EXACT_METHODS; m++) {
        CHECK_STATUS(solve_by(exact_methods[m], &b.net, &a), SGDP_OK);
        CHECK(m == 2 || a.out.method == exact_methods[m]);
        CHECK(a.out.method != SGDP_METHOD_AUTO);
        CHECK(a.out.iterations == 0);
        CHECK(same(a.out.gamma[0], 1.0));
    }
    both_free(&b, &a);
}

/* n tasks at one queue take 5 (n + 1) operations by lattice and n^2 by chain, n and n others
 * 10 (n + 1)^2 and (2 n)^2. */
TEST(the_cheaper_method_is_taken)
{
    box b = box_new(2, 1);
    answer a = answer_new(&b.net);
    b.think_s[0] = 1.0;
    b.demand_s[0] = b.demand_s[1] = 1.0;
    b.net.classes = 1;
    for (uint32_t n = 2; n < 40; n++) {
        b.population[0] = n;
        CHECK_STATUS(solve_by(SGDP_METHOD_AUTO, &b.net, &a), SGDP_OK);
        CHECK(a.out.method == (5 * (n + 1) <= n * n ? SGDP_METHOD_LATTICE
                                                    : SGDP_METHOD_POLYNOMIAL));
    }
    b.net.classes = 2;
    for (uint32_t n = 1; n < 9; n++) {
        b.population[0] = b.population[1] = n;
        CHECK_STATUS(solve_by(SGDP_METHOD_AUTO, &b.net, &a), SGDP_OK);
        CHECK(a.out.method == SGDP_METHOD_POLYNOMIAL);
    }
    both_free(&b, &a);
}

/* ---- Closed forms ---------------------------------------------------------- */

/* Machine repairman: N tasks, think time Z, one station of demand D serving m
 * tasks side by side. Weights N!/(N-i)! (D/Z)^i / prod min(j, m). */
static double repairman(uint32_t N, double Z, double D, double m)
{
    wide weight = wide_of(1.0), all = wide_of(0.0), thinking = wide_of(0.0);
    for (uint32_t i = 0; i <= N; i++) {
        const double next = (double)(i + 1);
        all = wide_sum(all, weight);
        thinking = wide_sum(thinking, wide_product(weight, wide_of((double)(N - i))));
        weight = wide_product(weight, wide_of((double)(N - i)));
        weight = wide_product(weight, wide_of(D / Z / (next < m ? next : m)));
    }
    return wide_ratio(thinking, all) / Z;
}

/* Throughput of one class; 0 where there is none. */
static double throughput(const box *b, sgdp_method method)
{
    answer a = answer_new(&b->net);
    const double X = solve_by(method, &b->net, &a) == SGDP_OK ? a.value[0] : 0.0;
    answer_free(&a);
    return X;
}

TEST(one_queue_is_the_machine_repairman)
{
    static const uint32_t population[] = {1, 2, 5, 40, 333};
    static const double capacity[] = {1.0, 1.5, 2.0, 2.5, 3.0, 17.75, HUGE_VAL};
    box b = box_new(1, 1);
    b.think_s[0] = 3.5;
    b.demand_s[0] = 0.25;
    for (size_t i = 0; i < sizeof population / sizeof population[0]; i++)
        for (size_t j = 0; j < sizeof capacity / sizeof capacity[0]; j++) {
            const double want = repairman(population[i], 3.5, 0.25, capacity[j]);
            const int any = capacity[j] <= 1.0 || capacity[j] > DBL_MAX;
            b.population[0] = population[i];
            b.capacity[0] = capacity[j];
            for (size_t m = any ? 0 : 1; m < EXACT_METHODS; m++)
                CHECK_REL(throughput(&b, exact_methods[m]), want, 1e-12);
        }
    box_free(&b);
}

TEST(equal_queues_have_the_balanced_networks_throughput)
{
    static const uint32_t population[] = {1, 3, 10, 100};
    for (size_t L = 1; L <= 25; L += 3)
        for (size_t i = 0; i < sizeof population / sizeof population[0]; i++) {
            const double N = (double)population[i];
            box b = box_new(1, L);
            b.population[0] = population[i];
            for (size_t l = 0; l < L; l++) b.demand_s[l] = 0.3;
            for (size_t m = 0; m < EXACT_METHODS; m++)
                CHECK_REL(throughput(&b, exact_methods[m]),
                          N / (0.3 * (N + (double)L - 1.0)), 1e-12);
            box_free(&b);
        }
}

TEST(without_queues_every_task_cycles_alone)
{
    box b = box_new(2, 2);
    answer a = answer_new(&b.net);
    b.population[0] = 7;
    b.population[1] = 2;
    b.think_s[0] = 4.0;
    b.think_s[1] = 0.5;
    b.capacity[0] = b.capacity[1] = HUGE_VAL;
    for (size_t m = 0; m < EXACT_METHODS; m++) {          /* without demands, then delays   */
        b.demand_s[0] = b.demand_s[3] = 0.0;
        CHECK_STATUS(solve_by(exact_methods[m], &b.net, &a), SGDP_OK);
        CHECK_REL(a.value[0], 7.0 / 4.0, 1e-14);
        CHECK_REL(a.value[1], 2.0 / 0.5, 1e-14);
        CHECK(same(a.out.queue[0], 0.0) && same(a.out.utilization[1], 0.0));
        b.demand_s[0] = 1.0;
        b.demand_s[3] = 2.0;
        CHECK_STATUS(solve_by(exact_methods[m], &b.net, &a), SGDP_OK);
        CHECK_REL(a.value[0], 7.0 / 5.0, 1e-14);
        CHECK_REL(a.value[1], 2.0 / 2.5, 1e-14);
        CHECK_REL(a.out.utilization[0], 7.0 / 5.0, 1e-14);
        CHECK_REL(a.out.queue[1], 1.6, 1e-14);
        CHECK(same(a.out.response_s[0], 1.0) && same(a.out.response_s[3], 2.0));
    }
    both_free(&b, &a);
}

/* One task never waits, whatever the discipline; NULL arrays mean their defaults. */
TEST(one_task_never_waits)
{
    static const double demand_s[3] = {0.072, 0.018, 0.072};
    box b = paper_box(1, SGDP_HYBRID);
    answer a = answer_new(&b.net);
    CHECK_STATUS(solve(HYBRID, &b.net, NULL, &a), SGDP_OK);
    CHECK_REL(a.value[0], 1.0 / 0.191, 1e-14);
    CHECK_STATUS(solve(APPROX, &b.net, NULL, &a), SGDP_OK);
    CHECK_REL(a.value[0], 1.0 / 0.191, 1e-12);
    sgdp_network plain = {.classes = 1, .stations = 3, .demand_s = demand_s};
    CHECK_STATUS(solve(EXACT, &plain, NULL, &a), SGDP_OK);
    CHECK_REL(a.value[0], 1.0 / 0.162, 1e-14);
    CHECK_REL(a.out.queue[1], 0.018 / 0.162, 1e-14);
    both_free(&b, &a);
}

/* ---- Where PDQ 7 fails ----------------------------------------------------- */

/* A queue of 1 s and a delay of 5 s, 10 tasks: X = 0.9816; PDQ answers 0.200. */
TEST(delays_count_where_pdq_ignores_them)
{
    box b = box_new(1, 2);
    b.population[0] = 10;
    b.demand_s[0] = 1.0;
    b.demand_s[1] = 5.0;
    b.capacity[1] = HUGE_VAL;
    for (size_t m = 0; m < EXACT_METHODS; m++) {
        CHECK(fabs(throughput(&b, exact_methods[m]) - 0.9816) < 0.5e-4);
        CHECK_REL(throughput(&b, exact_methods[m]), repairman(10, 5.0, 1.0, 1.0), 1e-13);
    }
    box_free(&b);
}

/* 40 stations, where PDQ writes past its array from the 11th on. */
TEST(more_than_the_ten_stations_of_pdq_are_solved)
{
    box b = box_new(2, 40);
    answer a = answer_new(&b.net);
    uint64_t state = 41;
    for (size_t i = 0; i < 80; i++) b.demand_s[i] = random_time(&state, -2.0, 0.0);
    b.population[0] = 6;
    b.population[1] = 5;
    CHECK_STATUS(solve(EXACT, &b.net, NULL, &a), SGDP_OK);
    CHECK(lawlessness(&b.net, &a.out, 1) < 1e-12);
    b.population[0] = b.population[1] = 1;
    oracle_productform(&b.net, &a);
    CHECK(exact_error(SGDP_METHOD_LATTICE, &b, &a) < 1e-13);
    both_free(&b, &a);
}

/* 2500 tasks: PDQ indexes an array of 1000. */
TEST(more_than_the_999_tasks_of_pdq_are_solved)
{
    box b = box_new(1, 1);
    b.population[0] = 2500;
    b.think_s[0] = 300.0;
    b.demand_s[0] = 0.125;
    CHECK_REL(throughput(&b, SGDP_METHOD_LATTICE), repairman(2500, 300.0, 0.125, 1.0), 1e-12);
    CHECK_REL(throughput(&b, SGDP_METHOD_POLYNOMIAL), repairman(2500, 300.0, 0.125, 1.0), 1e-12);
    box_free(&b);
}

/* 6 classes: PDQ has three nested loops. */
TEST(more_than_the_three_classes_of_pdq_are_solved)
{
    uint64_t state = 42;
    box b = random_box(&state, 6, 3, 2);
    answer want = answer_new(&b.net);
    oracle_productform(&b.net, &want);
    for (size_t m = 0; m < EXACT_METHODS; m++)
        CHECK(exact_error(exact_methods[m], &b, &want) < 1e-13);
    both_free(&b, &want);
}

/* The demands at a queue that no class uses are a multiple, 0, of any other's: wherever it
 * stands, it is in the group of one that is used, and takes no more room. */
TEST(a_queue_that_nobody_uses_is_in_the_group_of_another)
{
    static const double in_front[] = {0.0, 1.0, 0.0, 5.0, 2.0, 0.0, 7.0};
    static const double behind[] = {0.0, 5.0, 0.0, 1.0, 7.0, 0.0, 2.0};
    double X[2][2] = {{0.0}};
    size_t bytes[2] = {0, 0}, i;
    for (i = 0; i < 2; i++) {
        box b = box_new(2, 3);
        answer a = answer_new(&b.net);
        sgdp_mva_options o = {.method = SGDP_METHOD_POLYNOMIAL};
        b.net.demand_s = (i == 0 ? in_front : behind) + 1;
        b.capacity[i == 0 ? 0 : 2] = HUGE_VAL;
        b.population[0] = 3;
        CHECK_STATUS(sgdp_mva_exact_bytes(&b.net, &o, &bytes[i]), SGDP_OK);
        CHECK_STATUS(solve(EXACT, &b.net, &o, &a), SGDP_OK);
        memcpy(X[i], a.out.throughput_per_s, sizeof X[i]);
        both_free(&b, &a);
    }
    CHECK(bytes[0] == bytes[1]);
    CHECK_REL(X[0][0], X[1][0], 1e-14);
    CHECK_REL(X[0][1], X[1][1], 1e-14);
}

/* ---- Large and extreme ----------------------------------------------------- */

/* Workers of demands a[k] * S[l], times 10^-range .. 10^range; every two are equal
 * where `twins`. */
static void proportional_fill(uint64_t *state, proportional *p, double range, int twins)
{
    p->a = (double *)get_memory(p->workers, sizeof(double));
    p->S = (double *)get_memory(p->stations, sizeof(double));
    p->Z = (double *)get_memory(p->workers, sizeof(double));
    for (size_t l = 0; l < p->stations; l++) p->S[l] = random_time(state, -range / 2, range / 2);
    for (size_t k = 0; k < p->workers; k++) {
        p->a[k] = random_time(state, -range / 2, range / 2);
        p->Z[k] = random_time(state, -range, range);
        if (twins && k % 2) {
            p->a[k] = p->a[k - 1];
            p->Z[k] = p->Z[k - 1];
        }
    }
}

/* As classes of `each` workers: 1, or 2 for twins. */
static box proportional_box(const proportional *p, size_t each)
{
    box b = box_new(p->workers / each, p->stations);
    for (size_t k = 0; k < b.net.classes; k++) {
        b.population[k] = (uint32_t)each;
        b.think_s[k] = p->Z[k * each];
        for (size_t l = 0; l < p->stations; l++)
            b.demand_s[k * p->stations + l] = p->a[k * each] * p->S[l];
    }
    return b;
}

/* X of every 22nd worker, or of every 6th of few, and all queues, against the sum over
 * all states. */
static double proportional_error(const proportional *p, size_t each, const answer *a)
{
    const size_t step = p->workers > 100 ? 22 : 6;
    double *X = (double *)get_memory(p->workers + p->stations, sizeof *X);
    double *queue = X + p->workers, worst = 0.0;
    oracle_proportional(p, step, X, queue);
    for (size_t k = 0; k < p->workers; k += step)
        worst = larger(worst, relative(a->out.throughput_per_s[k / each], X[k] * (double)each));
    for (size_t l = 0; l < p->stations; l++)
        worst = larger(worst, relative(a->out.queue[l], queue[l]));
    free(X);
    return worst;
}

static void proportional_check(uint64_t seed, size_t workers, double range, tally *t)
{
    const int twins = seed % 2 == 0;
    proportional p = {0, 3, NULL, NULL, NULL};
    uint64_t state = seed;
    p.workers = workers;
    proportional_fill(&state, &p, range, twins);
    for (size_t each = 1; each <= (twins ? 2 : 1); each++) {
        box b = proportional_box(&p, each);
        answer a = answer_new(&b.net);
        CHECK_STATUS(solve(EXACT, &b.net, NULL, &a), SGDP_OK);
        CHECK(lawlessness(&b.net, &a.out, 1) < 1e-12);
        tally_add(t, proportional_error(&p, each, &a));
        both_free(&b, &a);
    }
    free(p.a);
    free(p.S);
    free(p.Z);
}

/* Distinct ones, and in pairs. */
TEST(thousands_of_workers_are_those_of_the_plain_recursion)
{
    tally t = tally_of("many workers, sum over states", 1e-12);
    proportional_check(51, TEST_SIZE(100, 300), 1.0, &t);
    proportional_check(52, TEST_SIZE(100, 300), 1.0, &t);
    proportional_check(53, 60, 1.0, &t);
    proportional_check(54, 140, 1.0, &t);
    proportional_check(55, 60, 12.0, &t);
    proportional_check(57, 150, 12.0, &t);
    tally_check(&t);
}

static void one_class_check(const box *b, tally *t)
{
    answer a = answer_new(&b->net);
    double queue[3], X;
    X = oracle_one_class(&b->net, queue);
    CHECK_STATUS(solve(EXACT, &b->net, NULL, &a), SGDP_OK);
    tally_add(t, relative(a.value[0], X));
    for (size_t l = 0; l < 3; l++) tally_add(t, relative(a.out.queue[l], queue[l]));
    answer_free(&a);
}

/* One class of some hundred tasks at stations of capacity 1 to 1.5 times as many, at
 * loads that are alike, or from 1e-4 to 1 of the largest. Last, a station that is not
 * empty but with probability 1e-430 at 1000 tasks, yet no bottleneck at 1500. */
TEST(large_capacities_are_the_sum_over_the_states)
{
    static const double load[4] = {0.0, -0.3, -1.0, -4.0};
    static const double late_s[3] = {3000.0, 3.0, 0.5};
    static const double late_capacity[3] = {1300.5, 1.0, 2.0};
    tally t = tally_of("large capacities, sum over states", 1e-12);
    uint64_t state = 58;
    for (size_t i = 0; i < TEST_SIZE(12, 22); i++) {
        const uint32_t tasks = i < 20 ? 150 : i < 21 ? 500 : 1500;
        box b = box_new(1, 3);
        b.population[0] = tasks;
        if (i % 2 && i < 21) b.think_s[0] = random_time(&state, -1.0, 3.0);
        for (size_t l = 0; l < 3; l++) {
            b.capacity[l] = random_time(&state, 0.0, log10(1.5 * (double)tasks));
            b.demand_s[l] = b.capacity[l] * random_time(&state, load[i % 4], 0.0);
            if (i < 21) continue;
            b.capacity[l] = late_capacity[l];
            b.demand_s[l] = late_s[l];
        }
        one_class_check(&b, &t);
        box_free(&b);
    }
    tally_check(&t);
}

/* Times from 1e-12 to 1e12: finite, and the laws hold. */
TEST(times_from_1e_12_to_1e12_obey_the_laws)
{
    static const size_t workers[3][3] = {{50, 200, 500}, {50, 100, 200}, {16, 30, 50}};
    tally t = tally_of("times from 1e-12 to 1e12, laws", 1e-12);
    for (size_t groups = 1; groups <= 3; groups++)
        for (size_t i = 0; i < 3; i++) {
            uint64_t state = 55 + 3 * groups + i;
            box b = box_new(workers[groups - 1][i], 4);
            answer a = answer_new(&b.net);
            for (size_t k = 0; k < b.net.classes; k++)
                b.think_s[k] = random_time(&state, -12, 12);
            for (size_t k = 0; k < b.net.classes * 4; k++)
                b.demand_s[k] = random_time(&state, -12, 12);
            make_proportional(&state, &b, groups);
            if (solve(EXACT, &b.net, NULL, &a) != SGDP_OK) tally_add(&t, HUGE_VAL);
            else tally_add(&t, lawlessness(&b.net, &a.out, 1));
            both_free(&b, &a);
        }
    tally_check(&t);
}

/* The same against the sum over all states where that can be had. */
TEST(extreme_times_in_small_networks_are_exact)
{
    tally t = tally_of("times from 1e-12 to 1e12, sum over states", 1e-13);
    uint64_t state = 56;
    for (size_t i = 0; i < 300; i++) {
        box b = random_box(&state, random_size(&state, 1, 3), 3, 4);
        answer want = answer_new(&b.net);
        for (size_t k = 0; k < b.net.classes; k++) b.think_s[k] *= random_time(&state, -12, 12);
        for (size_t k = 0; k < 3 * b.net.classes; k++)
            b.demand_s[k] *= random_time(&state, -12, 12);
        oracle_productform(&b.net, &want);
        for (size_t m = 0; m < EXACT_METHODS; m++)
            tally_add(&t, exact_error(exact_methods[m], &b, &want));
        both_free(&b, &want);
    }
    tally_check(&t);
}

/* A station of next to no demand beside one of 1.25 s, or of 1e140 s: the ratio of the
 * two may leave the range of double, the solution does not. */
static void negligible_check(sgdp_method method, double little_s, double most_s,
                             const double *capacity)
{
    for (size_t first = 0; first < 2; first++) {
        box b = box_new(1, 2);
        answer a = answer_new(&b.net);
        b.population[0] = 3;
        b.demand_s[first] = little_s;
        b.demand_s[1 - first] = most_s;
        b.capacity[first] = capacity[0];
        b.capacity[1 - first] = capacity[1];
        CHECK_STATUS(solve_by(method, &b.net, &a), SGDP_OK);
        CHECK_REL(a.value[0], capacity[1] / most_s, 1e-14);
        CHECK_REL(a.out.queue[1 - first], 3.0, 1e-14);
        both_free(&b, &a);
    }
}

TEST(negligible_demands_change_nothing)
{
    static const double little_s[] = {1e-20, 1e-100, 1e-200, 1e-300, 1e-309, 5e-324};
    static const double capacity[3][2] = {{1.0, 1.0}, {1.5, 1.0}, {1.0, 1.5}};
    for (size_t i = 0; i < sizeof little_s / sizeof little_s[0]; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t m = j == 0 ? 0 : 1; m < EXACT_METHODS; m++) {
                negligible_check(exact_methods[m], little_s[i], 1.25, capacity[j]);
                negligible_check(exact_methods[m], little_s[i], 1e140, capacity[j]);
            }
}

/* ---- Laws ------------------------------------------------------------------ */

/* Networks drawn at random: one of so many has disciplines of its own, or capacities. */
typedef struct drawn_laws {
    const char *what;
    double      tolerance;
    solver      by;
    uint64_t    state;
    size_t      rounds, classes, stations;
    uint32_t    tasks;
    size_t      disciplines_of, capacities_of, capacities_from;
} drawn_laws;

static void obey(drawn_laws d)
{
    tally t = tally_of(d.what, d.tolerance);
    for (size_t i = 0; i < d.rounds; i++) {
        const size_t classes = random_size(&d.state, 1, d.classes);
        box b = random_box(&d.state, classes, random_size(&d.state, 1, d.stations), d.tasks);
        answer a = answer_new(&b.net);
        const sgdp_mva_options options = {
            .method = i % 2 ? SGDP_METHOD_LINEARIZER : SGDP_METHOD_SCHWEITZER};
        if (d.disciplines_of > 0 && i % d.disciplines_of == 0) random_disciplines(&d.state, &b);
        if (i % d.capacities_of == d.capacities_from) random_capacities(&d.state, &b);
        if (solve(d.by, &b.net, d.by == APPROX ? &options : NULL, &a) != SGDP_OK)
            tally_add(&t, HUGE_VAL);
        else tally_add(&t, lawlessness(&b.net, &a.out, d.by == EXACT));
        both_free(&b, &a);
    }
    tally_check(&t);
}

TEST(exact_solutions_obey_the_laws)
{
    obey((drawn_laws){"laws, Eq. 1 exactly", 1e-12, EXACT, 31, 1500, 5, 6, 3, 0, 2, 1});
}

TEST(hybrid_solutions_obey_the_laws)
{
    obey((drawn_laws){"laws, Eqs. 1-4 by lattice", 1e-11, HYBRID, 32, 600, 4, 3, 3, 1, 4, 0});
}

TEST(fixed_points_obey_the_laws)
{
    obey((drawn_laws){"laws, fixed points", 1e-9, APPROX, 33, 600, 5, 4, 20, 3, 4, 0});
}

/* Orders of classes and stations at random, and the network in that order. */
typedef struct shuffle { size_t c[8], l[8]; } shuffle;

static void shuffle_order(uint64_t *state, size_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const size_t j = random_size(state, 0, i);
        order[i] = order[j];
        order[j] = i;
    }
}

static box shuffle_box(const box *b, const shuffle *s)
{
    const size_t C = b->net.classes, L = b->net.stations;
    box moved = box_new(C, L);
    for (size_t c = 0; c < C; c++) {
        moved.population[c] = b->population[s->c[c]];
        moved.think_s[c] = b->think_s[s->c[c]];
        for (size_t l = 0; l < L; l++)
            moved.demand_s[c * L + l] = b->demand_s[s->c[c] * L + s->l[l]];
    }
    for (size_t l = 0; l < L; l++) {
        moved.capacity[l] = b->capacity[s->l[l]];
        moved.discipline[l] = b->discipline[s->l[l]];
    }
    return moved;
}

static answer shuffle_answer(const box *b, const answer *a, const shuffle *s)
{
    const size_t C = b->net.classes, L = b->net.stations;
    answer moved = answer_new(&b->net);
    for (size_t c = 0; c < C; c++) {
        moved.out.throughput_per_s[c] = a->out.throughput_per_s[s->c[c]];
        for (size_t l = 0; l < L; l++)
            moved.out.response_s[c * L + l] = a->out.response_s[s->c[c] * L + s->l[l]];
    }
    for (size_t l = 0; l < L; l++) {
        moved.out.queue[l] = a->out.queue[s->l[l]];
        moved.out.utilization[l] = a->out.utilization[s->l[l]];
    }
    return moved;
}

/* A network for solver s of the size that a shuffle takes. */
static box random_box_for(solver s, uint64_t *state)
{
    const size_t classes = random_size(state, 1, 4);
    box b = random_box(state, classes, random_size(state, 1, 3), 3);
    if (s != EXACT) random_disciplines(state, &b);
    if (random_size(state, 0, 1)) random_capacities(state, &b);
    return b;
}

static const double invariance[SOLVERS] = {1e-12, 1e-10, 1e-8};

TEST(the_order_of_classes_and_stations_is_irrelevant)
{
    static const char *const what[SOLVERS] = {"order of exact", "order of hybrid",
                                              "order of fixed point"};
    uint64_t state = 34;
    for (int s = 0; s < (int)SOLVERS; s++) {
        tally t = tally_of(what[s], invariance[s]);
        for (size_t i = 0; i < 200; i++) {
            box b = random_box_for((solver)s, &state), moved;
            answer a = answer_new(&b.net), want;
            shuffle order;
            shuffle_order(&state, order.c, b.net.classes);
            shuffle_order(&state, order.l, b.net.stations);
            moved = shuffle_box(&b, &order);
            CHECK_STATUS(solve((solver)s, &b.net, NULL, &a), SGDP_OK);
            want = shuffle_answer(&b, &a, &order);
            tally_add(&t, error_of((solver)s, &moved, NULL, &want));
            answer_free(&want);
            both_free(&moved, &a);
            box_free(&b);
        }
        tally_check(&t);
    }
}

/* b with its class 0, of population n >= 2, as two: `part` tasks stay, the others
 * form a class of their own after all others. */
static box split_box(const box *b, uint32_t part)
{
    const size_t C = b->net.classes, L = b->net.stations;
    box split = box_new(C + 1, L);
    memcpy(split.population, b->population, C * sizeof *b->population);
    memcpy(split.think_s, b->think_s, C * sizeof(double));
    memcpy(split.demand_s, b->demand_s, C * L * sizeof(double));
    memcpy(split.capacity, b->capacity, L * sizeof(double));
    memcpy(split.discipline, b->discipline, L * sizeof *b->discipline);
    split.population[0] = part;
    split.population[C] = b->population[0] - part;
    split.think_s[C] = b->think_s[0];
    memcpy(split.demand_s + C * L, b->demand_s, L * sizeof(double));
    return split;
}

static answer split_answer(const box *b, const answer *a, uint32_t part)
{
    const size_t C = b->net.classes, L = b->net.stations;
    const double share = (double)part / (double)b->population[0];
    box shape = split_box(b, part);
    answer split = answer_new(&shape.net);
    memcpy(split.out.throughput_per_s, a->out.throughput_per_s, C * sizeof(double));
    memcpy(split.out.response_s, a->out.response_s, C * L * sizeof(double));
    memcpy(split.out.response_s + C * L, a->out.response_s, L * sizeof(double));
    memcpy(split.out.queue, a->out.queue, L * sizeof(double));
    memcpy(split.out.utilization, a->out.utilization, L * sizeof(double));
    split.out.throughput_per_s[0] = a->out.throughput_per_s[0] * share;
    split.out.throughput_per_s[C] = a->out.throughput_per_s[0] * (1.0 - share);
    box_free(&shape);
    return split;
}

/* Eqs. 1-4 see only totals, so that a class in two parts changes nothing. */
TEST(a_class_in_two_parts_changes_nothing)
{
    tally exact = tally_of("class in two, exact", 1e-12);
    tally hybrid = tally_of("class in two, hybrid", 1e-10);
    uint64_t state = 35;
    for (size_t i = 0; i < 400; i++) {
        const solver s = i % 2 ? EXACT : HYBRID;
        box b = random_box_for(s, &state), split;
        answer a = answer_new(&b.net), want;
        const uint32_t part = 1 + (b.population[0] + 1) / 4;
        b.population[0] += 1;
        split = split_box(&b, part);
        CHECK_STATUS(solve(s, &b.net, NULL, &a), SGDP_OK);
        want = split_answer(&b, &a, part);
        tally_add(s == EXACT ? &exact : &hybrid, error_of(s, &split, NULL, &want));
        answer_free(&want);
        both_free(&split, &a);
        box_free(&b);
    }
    tally_check(&exact);
    tally_check(&hybrid);
}

/* All times times a power of two, and times 1e-3: X divided, T multiplied by it. */
TEST(the_unit_of_time_scales_out)
{
    static const double factors[3] = {1024.0, 1e-3, 1e9};
    static const char *const what[SOLVERS] = {"time unit, exact", "time unit, hybrid",
                                              "time unit, fixed point"};
    uint64_t state = 36;
    for (int s = 0; s < (int)SOLVERS; s++) {
        tally t = tally_of(what[s], invariance[s]);
        for (size_t i = 0; i < 150; i++) {
            const double factor = factors[i % 3];
            box b = random_box_for((solver)s, &state);
            const size_t C = b.net.classes, L = b.net.stations;
            answer want = answer_new(&b.net);
            CHECK_STATUS(solve((solver)s, &b.net, NULL, &want), SGDP_OK);
            for (size_t j = 0; j < C; j++) b.think_s[j] *= factor;
            for (size_t j = 0; j < C * L; j++) b.demand_s[j] *= factor;
            for (size_t j = 0; j < C; j++) want.out.throughput_per_s[j] /= factor;
            for (size_t j = 0; j < C * L; j++) want.out.response_s[j] *= factor;
            tally_add(&t, error_of((solver)s, &b, NULL, &want));
            both_free(&b, &want);
        }
        tally_check(&t);
    }
}

/* How far X lies outside lower .. upper, relatively. */
static double outside(double lower, double X, double upper)
{
    return larger(0.0, larger((lower - X) / X, (X - upper) / X));
}

TEST(bounds_enclose_the_exact_throughput)
{
    tally t = tally_of("bounds enclose the exact throughput", 1e-12);
    double lower[8], upper[8];
    uint64_t state = 37;
    for (size_t i = 0; i < 1500; i++) {
        const size_t classes = i % 2 ? 1 : random_size(&state, 1, 4);
        box b = random_box(&state, classes, random_size(&state, 1, 4), i % 2 ? 40 : 3);
        answer a = answer_new(&b.net);
        if (i % 3 == 0) random_capacities(&state, &b);
        CHECK_STATUS(solve(EXACT, &b.net, NULL, &a), SGDP_OK);
        CHECK_STATUS(sgdp_mva_bounds(&b.net, lower, upper), SGDP_OK);
        for (size_t c = 0; c < classes; c++) {
            CHECK(lower[c] > 0.0 && upper[c] <= DBL_MAX);
            tally_add(&t, outside(lower[c], a.out.throughput_per_s[c], upper[c]));
        }
        both_free(&b, &a);
    }
    tally_check(&t);
}

/* Nobody waits, or all others are ahead at the slowest queue; of one class at queues of capacity 1
 * the balanced job bounds [ZSEG82], which a balanced network meets. */
TEST(bounds_are_their_formulas)
{
    uint64_t state = 38;
    for (size_t i = 0; i < 600; i++) {
        const size_t C = i % 2 ? 1 : random_size(&state, 1, 4), L = random_size(&state, 1, 6);
        box b = random_box(&state, C, L, i % 2 ? 30 : 4);
        double K = 0.0, lower[4], upper[4];
        if (i % 3 == 0) random_capacities(&state, &b);
        for (size_t l = 0; l < L && i % 5 == 0; l++) b.demand_s[l] = 0.4;
        for (size_t c = 0; c < C; c++) K += n_of(&b.net, c);
        CHECK_STATUS(sgdp_mva_bounds(&b.net, lower, upper), SGDP_OK);
        for (size_t c = 0; c < C; c++) {
            const double n = n_of(&b.net, c);
            double Z = b.think_s[c], D = 0.0, most = 0.0, pace = 0.0, queues = 0.0;
            int single = 1;
            for (size_t l = 0; l < L; l++) {
                const double d = b.demand_s[c * L + l], m = b.capacity[l];
                if (m >= K) { Z += d; continue; }
                D += d;
                most = larger(most, d);
                pace = larger(pace, d / m);
                queues += d > 0.0;
                single = single && m <= 1.0;
            }
            double ahead = (K - 1.0) * most, least = 0.0;
            if (C == 1 && single && queues > 0.0) {
                ahead /= 1.0 + Z / (K * D);
                least = (K - 1.0) * D / queues / (1.0 + Z / D);
            }
            CHECK_REL(lower[c], n / (Z + D + ahead), 1e-12);
            const double at_most = pace > 0.0 ? 1.0 / pace : HUGE_VAL;
            CHECK_REL(upper[c], fmin(n / (Z + D + least), at_most), 1e-12);
        }
        CHECK_STATUS(sgdp_mva_bounds(&b.net, NULL, upper), SGDP_OK);
        CHECK_STATUS(sgdp_mva_bounds(&b.net, lower, NULL), SGDP_OK);
        box_free(&b);
    }
}

/* Under Eq. 1 another worker never lowers the throughput. */
TEST(more_workers_are_faster)
{
    uint64_t state = 39;
    for (size_t i = 0; i < 60; i++) {
        box b = random_box(&state, 1, random_size(&state, 1, 4), 1);
        answer a = answer_new(&b.net);
        double before = 0.0;
        if (i % 2) random_capacities(&state, &b);
        for (uint32_t workers = 1; workers <= 40; workers++) {
            b.population[0] = workers;
            CHECK_STATUS(solve(EXACT, &b.net, NULL, &a), SGDP_OK);
            CHECK(a.value[0] >= before * (1.0 - 1e-14));
            before = a.value[0];
        }
        both_free(&b, &a);
    }
}

/* Bytes of two queues, which two classes visit for so long. */
static size_t bytes_of_two(double first, double second, double other_first, double other_second)
{
    box b = box_new(2, 2);
    size_t bytes = 0;
    sgdp_mva_options options = {.method = SGDP_METHOD_POLYNOMIAL};
    b.population[0] = b.population[1] = 20;
    b.think_s[1] = 1.0;
    b.demand_s[0] = first;
    b.demand_s[1] = second;
    b.demand_s[2] = other_first;
    b.demand_s[3] = other_second;
    CHECK_STATUS(sgdp_mva_exact_bytes(&b.net, &options, &bytes), SGDP_OK);
    box_free(&b);
    return bytes;
}

/* Queues in a fixed ratio are one group, also of a class that visits neither; equal ones
 * are of one kind, up to four roundings. */
TEST(proportional_queues_share_a_group_and_equal_ones_a_kind)
{
    const size_t group = bytes_of_two(0.25, 0.5, 0.125, 0.25);
    const size_t kind = bytes_of_two(0.25, 0.25, 0.125, 0.125);
    CHECK(kind < group && group < bytes_of_two(0.25, 0.5, 0.25, 0.125));
    CHECK(bytes_of_two(0.25, 0.5, 0.0, 0.0) == group);
    CHECK(bytes_of_two(0.25, 0.25 * (1.0 + 4.0 * DBL_EPSILON), 0.0, 0.0) == kind);
    CHECK(bytes_of_two(0.25, 0.25 * (1.0 + 5.0 * DBL_EPSILON), 0.0, 0.0) == group);
}

/* Ten numbers a task, two of them whole, and 3 kB at most that hardly depend on the tasks. */
TEST(one_group_takes_ten_numbers_a_task)
{
    const size_t K = 10000, numbers = K * (8 * sizeof(double) + 2 * sizeof(size_t));
    box b = box_new(1, 1);
    size_t bytes = 0;
    sgdp_mva_options options = {.method = SGDP_METHOD_POLYNOMIAL};
    b.population[0] = (uint32_t)K;
    b.demand_s[0] = 1.0;
    CHECK_STATUS(sgdp_mva_exact_bytes(&b.net, &options, &bytes), SGDP_OK);
    CHECK(bytes >= numbers && bytes < numbers + 3000);
    box_free(&b);
}

TEST_MAIN("test_mva");
