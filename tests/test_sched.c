/* Decisions of sgdperf_sched.h against golden allocations and against the algorithms to
 * the letter, once and as the state of a cluster changes. */
#include "../sgdperf_sched.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "oracle_sched.h"
#include "golden_sched.h"
#include "test.h"

static const char golden_path[] = "tests/golden/sched.json";

enum { JOBS = 400, FEW = 24, CURVES = 24, NODES = 104 };

/* ---- A state and its decision ---------------------------------------------- */

typedef struct state {
    sgdsched_rules rules;
    double         number[CURVES][NODES];
    sgdsched_curve curve[CURVES];
    size_t         curves;
    sgdsched_job   job[JOBS];
    size_t         jobs;
    int            limited;        /* whether jobs that are drawn have limits         */
} state;

static sgdsched_status bytes_of(const sgdsched_rules *rules, const sgdsched_curve *curve,
                                size_t curves, size_t jobs, size_t *bytes)
{
    return sgdsched_allocate_bytes(rules, &(sgdsched_jobs){curve, curves, NULL, jobs}, bytes);
}

/* Decides in a work area of exactly the size asked for, filled with dirt. */
static sgdsched_status allocate(const state *t, uint32_t *nodes, uint32_t *idle)
{
    size_t bytes = 0;
    sgdsched_status status = bytes_of(&t->rules, t->curve, t->curves, t->jobs, &bytes);
    if (status != SGDSCHED_OK) return status;
    void *work = get_dirt(bytes);
    status = sgdsched_allocate(&t->rules, &(sgdsched_jobs){t->curve, t->curves, t->job, t->jobs},
                               work, bytes, nodes, idle);
    free(work);
    return status;
}

static uint32_t by_the_letter(const state *t, uint32_t *nodes)
{
    oracle_task task[JOBS];
    int done[JOBS];
    uint32_t w[JOBS];
    for (size_t i = 0; i < t->jobs; i++) task[i] = oracle_take(&t->rules, t->curve, t->job + i);
    return oracle_decide(&t->rules, task, t->jobs, done, w, nodes);
}

static void show(const state *t, const uint32_t *got, const uint32_t *want)
{
    fprintf(stderr, "    policy %d, %u nodes, fill %d, head_of_line %d, alpha %g, "
            "load %g (%g to %g), gamma %g\n", (int)t->rules.policy, t->rules.nodes,
            t->rules.fill, t->rules.head_of_line, t->rules.alpha, t->rules.load,
            t->rules.alpha_low, t->rules.alpha_high, t->rules.gamma);
    for (size_t i = 0; i < t->jobs; i++) {
        const sgdsched_curve *c = t->curve + t->job[i].curve;
        fprintf(stderr, "    job %lu: %.17g of %.17g, held %u, %u to %u by %u, got %u, "
                "want %u, %s", (unsigned long)i, t->job[i].remaining, t->job[i].size,
                t->job[i].held, t->job[i].min_nodes, t->job[i].max_nodes,
                t->job[i].gang_nodes, got[i], want[i], c->service_s ? "S" : "X");
        for (uint32_t w = 0; w < c->nodes; w++)
            fprintf(stderr, " %.9g", (c->service_s ? c->service_s
                                                   : c->throughput_per_s)[w]);
        fprintf(stderr, "\n");
    }
}

/* The same as the letter, whatever the order; a cluster is not given away twice; and
 * nothing is left that filling could use. */
static void check_state(const state *t)
{
    const int fills = t->rules.policy == SGDSCHED_WATERFILL ||
                      (t->rules.fill && t->rules.policy <= SGDSCHED_KNEE);
    uint32_t got[JOBS], want[JOBS], idle = NODES + 1, given = 0, left;
    const unsigned failures = test_failures;
    oracle_task task[JOBS];
    oracle_ratio m = {1.0, 0.0};
    CHECK_STATUS(allocate(t, got, &idle), SGDSCHED_OK);
    left = by_the_letter(t, want);
    CHECK(idle == left);
    for (size_t i = 0; i < t->jobs; i++) {
        CHECK(got[i] == want[i]);
        given += got[i];
        task[i] = oracle_take(&t->rules, t->curve, t->job + i);
        CHECK(got[i] == 0 || oracle_allows(task + i, got[i]));
        if (got[i] > 0 && oracle_less(oracle_time(task + i, got[i]), m))
            m = oracle_time(task + i, got[i]);
    }
    CHECK(given + idle == t->rules.nodes);
    for (size_t i = 0; i < t->jobs && fills; i++)
        for (left = 1; left <= idle; left++)
            CHECK(got[i] == 0 || !oracle_allows(task + i, got[i] + left) ||
                  !oracle_less(oracle_time(task + i, got[i] + left), m));
    if (test_failures > failures) show(t, got, want);
}

/* ---- Golden allocations ------------------------------------------------------ */

typedef struct golden {
    state    given;
    int      ties;
    uint32_t nodes[JOBS], idle;
} golden;

static void golden_read(const golden_value *from, golden *g)
{
    const golden_value *held = golden_first(golden_get(from, "fixed"));
    const golden_value *want = golden_first(golden_get(from, "expect"));
    const golden_value *curve = golden_first(golden_get(from, "S"));
    state *t = &g->given;
    memset(g, 0, sizeof *g);
    golden_rules(from, from, &t->rules);
    g->ties = golden_true(golden_get(from, "has_exact_tie"));
    t->curves = t->jobs = golden_count(golden_get(from, "S"));
    CHECK(t->jobs <= JOBS && golden_count(golden_get(from, "expect")) == t->jobs);
    for (size_t i = 0; i < t->jobs && i < JOBS && want; i++, curve = curve->next) {
        t->job[i].curve = i;
        t->job[i].remaining = 1.0;
        t->job[i].held = (uint32_t)golden_whole(held);
        t->curve[i].nodes = (uint32_t)golden_numbers(curve, t->number[i], NODES);
        t->curve[i].service_s = t->number[i];
        CHECK(t->curve[i].nodes <= NODES);
        g->nodes[i] = (uint32_t)golden_whole(want);
        want = want->next;
        held = held ? held->next : NULL;
    }
    g->idle = (uint32_t)golden_whole(golden_get(from, "idle"));
}

/* The next permutation in lexicographic order; 0 after the last. */
static int permute(size_t *order, size_t count)
{
    size_t i = count, j, last;
    while (i > 1 && order[i - 2] > order[i - 1]) i--;
    if (i < 2) return 0;
    for (j = count - 1; order[j] < order[i - 2]; j--) {}
    last = order[i - 2];
    order[i - 2] = order[j];
    order[j] = last;
    for (i--, j = count - 1; i < j; i++, j--) {
        last = order[i];
        order[i] = order[j];
        order[j] = last;
    }
    return 1;
}

/* Every order of the jobs: all have the same nodes unless the case has ties. */
static void golden_case(const golden *g)
{
    static state t;
    uint32_t nodes[JOBS], want[JOBS], idle = 0;
    size_t order[JOBS], i;
    CHECK_STATUS(allocate(&g->given, nodes, &idle), SGDSCHED_OK);
    CHECK(idle == g->idle);
    for (i = 0; i < g->given.jobs; i++) {
        CHECK(nodes[i] == g->nodes[i]);
        order[i] = i;
    }
    t = g->given;
    do {
        for (i = 0; i < t.jobs; i++) {
            t.job[i] = g->given.job[order[i]];
            t.curve[i].service_s = g->given.number[i];
            want[i] = g->nodes[order[i]];
        }
        CHECK_STATUS(allocate(&t, nodes, &idle), SGDSCHED_OK);
        if (g->ties) (void)by_the_letter(&t, want);
        CHECK(memcmp(nodes, want, t.jobs * sizeof *nodes) == 0 && idle == g->idle);
    } while (permute(order, t.jobs));
}

TEST(decisions_are_the_golden_ones)
{
    static golden g;
    golden_value *file = golden_open(golden_path);
    const golden_value *one = golden_first(golden_get(file, "allocations"));
    size_t cases = 0, i;
    for (; one; one = one->next) {
        const unsigned failures = test_failures;
        golden_read(one, &g);
        for (i = 0; i < g.given.curves; i++) g.given.curve[i].service_s = g.given.number[i];
        golden_case(&g);
        check_state(&g.given);
        if (test_failures > failures)
            fprintf(stderr, "    in case %.*s\n", GOLDEN_TEXT(golden_get(one, "name")));
        cases++;
    }
    golden_close(file);
    CHECK(cases == 21);
}

/* ---- Random states ----------------------------------------------------------- */

typedef struct dice { uint64_t seed, thrown; } dice;

static uint64_t bits(dice *d) { return sgdsched_random(d->seed, d->thrown++, 1); }
static size_t below(dice *d, size_t n) { return (size_t)(bits(d) % n); }
static int chance(dice *d, size_t percent) { return below(d, 100) < percent; }
static double unit(dice *d) { return (double)(bits(d) >> 11) * 0x1p-53; }

/* A factor in (0, 1], or with `exact` a whole number up to `most`. */
static double draw(dice *d, int exact, size_t most)
{
    return exact ? (double)(1 + below(d, most)) : unit(d) * (double)most + 1e-3;
}

enum { SHAPES = 6 };

/* Throughputs: in proportion, saturating, flat, at random, slower on two nodes than on
 * one, and with a dip. Half have a plateau from one node to two. */
static void draw_numbers(dice *d, int exact, double *x, uint32_t nodes)
{
    const size_t shape = below(d, SHAPES);
    const double first = draw(d, exact, 20);
    double step = first;
    x[0] = first;
    for (uint32_t w = 1; w < nodes; w++) {
        if (shape == 1 && chance(d, 40)) step = exact ? floor(step / 2.0) : step * 0.6;
        x[w] = shape == 2 ? first : x[w - 1] + step;
        if (shape == 3 || (shape == 4 && w == 1)) x[w] = draw(d, exact, 40);
        if (shape == 5 && chance(d, 30)) x[w] = exact ? ceil(x[w] / 2.0) : x[w] * 0.6;
    }
    if (nodes > 1 && chance(d, 50)) x[1] = x[0];
}

static void draw_curve(dice *d, int exact, state *t, size_t i, uint32_t nodes)
{
    const int service = chance(d, 40);
    t->curve[i].nodes = nodes;
    t->curve[i].service_s = service ? t->number[i] : NULL;
    t->curve[i].throughput_per_s = service ? NULL : t->number[i];
    draw_numbers(d, exact, t->number[i], nodes);
    for (uint32_t w = 0; w < nodes && service; w++)
        t->number[i][w] = exact ? ceil(512.0 / t->number[i][w]) : 1.0 / t->number[i][w];
}

/* Limits that can be met, of every kind; one in four is rigid. */
static void draw_limits(dice *d, const state *t, sgdsched_job *job)
{
    const uint32_t rows = t->curve[job->curve].nodes;
    const uint32_t room = rows < t->rules.nodes ? rows : t->rules.nodes;
    const uint32_t gang = chance(d, 50) ? 1 : 1 + (uint32_t)below(d, room < 4 ? room : 4);
    const uint32_t least = gang * (1 + (uint32_t)below(d, room / gang));
    if (gang > 1 || chance(d, 20)) job->gang_nodes = gang;
    if (least > 1 || chance(d, 20)) job->min_nodes = least - (uint32_t)below(d, gang);
    if (chance(d, 25)) job->max_nodes = least;
    else if (chance(d, 40)) job->max_nodes = least + (uint32_t)below(d, 40);
    if (job->held > 0) job->held = least;
    if (job->held > 0 && job->min_nodes == 0) job->held = gang;
}

static void draw_job(dice *d, int exact, const state *t, sgdsched_job *job)
{
    const uint32_t held = 1 + (uint32_t)below(d, t->rules.nodes);
    *job = (sgdsched_job){.curve = below(d, t->curves)};
    job->remaining = draw(d, exact, chance(d, 50) ? 4 : 60);
    job->size = chance(d, 50) ? 0.0 : job->remaining + draw(d, exact, 60);
    job->held = chance(d, 30) ? held : 0;
    if (t->limited && chance(d, 60)) draw_limits(d, t, job);
}

/* Everything but the jobs. exact: whole numbers, whose decisions have no rounding. */
static void draw_cluster(dice *d, int exact, state *t)
{
    static const double alpha[] = {0.0, 0.01, 0.05, -0.05, 0.1, 0.2, 0.25, 0.5};
    sgdsched_rules *r = &t->rules;
    *t = (state){.limited = chance(d, 40)};
    r->policy = (sgdsched_policy)below(d, SGDSCHED_JSQ);
    if (chance(d, 40)) r->policy = (sgdsched_policy)below(d, SGDSCHED_MOLDABLE_HELL);
    r->nodes = 1 + (uint32_t)below(d, chance(d, 50) ? 12 : 60);
    r->fill = chance(d, 60);
    r->head_of_line = chance(d, 40);
    r->alpha = alpha[below(d, sizeof alpha / sizeof alpha[0])];
    if (!exact) r->alpha += 1e-3 * unit(d);        /* gain 1/w is not to be rounded   */
    r->alpha_by_load = chance(d, 40);
    if (chance(d, 80)) r->load = unit(d);
    if (chance(d, 50)) r->alpha_low = unit(d) * 0.1;
    if (chance(d, 50)) r->alpha_high = unit(d) * 0.6 - 0.3;
    if (chance(d, 40)) r->gamma = exact ? 1.0 : unit(d) * 2.0;
    t->curves = 1 + below(d, chance(d, 50) ? 3 : CURVES);
    for (size_t i = 0; i < t->curves; i++)
        draw_curve(d, exact, t, i, 1 + (uint32_t)below(d, chance(d, 30) ? 3
                                                          : r->nodes + 4));
}

/* Jobs with no equals have the same nodes wherever they stand. */
static void check_order(const state *t, dice *d)
{
    static state other;
    uint32_t nodes[JOBS], others[JOBS];
    size_t at[JOBS], i, j;
    other = *t;
    for (i = 0; i < t->curves; i++) {
        if (t->curve[i].service_s) other.curve[i].service_s = other.number[i];
        else other.curve[i].throughput_per_s = other.number[i];
    }
    for (i = 0; i < t->jobs; i++) {
        j = below(d, i + 1);
        if (j < i) {
            other.job[i] = other.job[j];
            at[i] = at[j];
        }
        other.job[j] = t->job[i];
        at[j] = i;
    }
    CHECK_STATUS(allocate(t, nodes, NULL), SGDSCHED_OK);
    CHECK_STATUS(allocate(&other, others, NULL), SGDSCHED_OK);
    for (i = 0; i < t->jobs; i++) CHECK(others[i] == nodes[at[i]]);
}

TEST(random_decisions_are_those_of_the_letter)
{
    static state t;
    dice d = {20261, 0};
    const size_t states = TEST_SIZE(2500, 20000);
    for (size_t n = 0; n < states; n++) {
        const unsigned failures = test_failures;
        const int exact = chance(&d, 70);
        draw_cluster(&d, exact, &t);
        t.jobs = below(&d, chance(&d, 1) ? JOBS + 1 : FEW + 1);
        if (n % 1000 == 0) {                       /* many that run                   */
            t.rules.nodes = 150 + (uint32_t)below(&d, 150);
            t.jobs = 100 + below(&d, 150);
        }
        for (size_t i = 0; i < t.jobs; i++) draw_job(&d, exact, &t, t.job + i);
        check_state(&t);
        if (!exact) check_order(&t, &d);
        if (test_failures > failures) {
            fprintf(stderr, "    in state %lu\n", (unsigned long)n);
            return;
        }
    }
}

/* Where one job alone has limits all others are decided upon as if none had. */
TEST(one_job_with_limits_is_decided_upon_as_the_letter_says)
{
    static state t;
    dice d = {31, 0};
    const size_t states = TEST_SIZE(1000, 8000);
    for (size_t n = 0; n < states && test_failures == 0; n++) {
        draw_cluster(&d, 1, &t);
        t.limited = 0;
        if (t.rules.policy > SGDSCHED_KNEE) t.rules.policy = (sgdsched_policy)below(&d, 2);
        t.jobs = 1 + below(&d, FEW);
        for (size_t i = 0; i < t.jobs; i++) draw_job(&d, 1, &t, t.job + i);
        draw_limits(&d, &t, t.job + below(&d, t.jobs));
        check_state(&t);
    }
}

/* 3 nodes. The first job takes one. The third, at its knee of 3 nodes, is slower than the
 * second at its knee of 2, but on the 2 nodes left it does without, and is the fastest. */
TEST(a_knee_may_be_slower_than_what_comes_before_it)
{
    static const double x[3][3] = {{2.0, 2.0, 2.0}, {1.0, 1.6, 1.65}, {5.0, 1.0, 1.5}};
    state *t = (state *)get_memory(1, sizeof *t);
    uint32_t nodes[3], idle = 9;
    t->rules.policy = SGDSCHED_KNEE;
    t->rules.nodes = 3;
    t->rules.alpha = 0.1;
    t->curves = t->jobs = 3;
    for (size_t i = 0; i < 3; i++) {
        memcpy(t->number[i], x[i], sizeof x[i]);
        t->curve[i].throughput_per_s = t->number[i];
        t->curve[i].nodes = 3;
        t->job[i].curve = i;
        t->job[i].remaining = 1.0;
    }
    CHECK_STATUS(allocate(t, nodes, &idle), SGDSCHED_OK);
    CHECK(nodes[0] == 1 && nodes[1] == 1 && nodes[2] == 1 && idle == 0);
    free(t);
}

/* Of 14 nodes three jobs have 4 each before there is less left than one more for each: the
 * last to come, which grows by gangs of 2, is behind the others. */
TEST(the_last_nodes_of_equal_shares_go_in_order)
{
    state *t = (state *)get_memory(1, sizeof *t);
    uint32_t nodes[3], idle = 9;
    t->rules.policy = SGDSCHED_EQUAL;
    t->rules.nodes = t->curve[0].nodes = 14;
    t->curves = 1;
    t->jobs = 3;
    t->curve[0].throughput_per_s = t->number[0];
    for (size_t i = 0; i < 14; i++) t->number[0][i] = (double)i + 1.0;
    for (size_t i = 0; i < 3; i++) t->job[i].remaining = (double)(i < 2 ? 1 : 100);
    t->job[2].min_nodes = 4;
    t->job[2].max_nodes = 6;
    t->job[2].gang_nodes = 2;
    CHECK_STATUS(allocate(t, nodes, &idle), SGDSCHED_OK);
    CHECK(nodes[0] == 5 && nodes[1] == 5 && nodes[2] == 4 && idle == 0);
    check_state(t);
    free(t);
}

/* Three jobs on service times of their own, `rows` a curve. */
static state *three_jobs(sgdsched_policy policy, uint32_t nodes, const double s[3][6],
                         const uint32_t *rows)
{
    state *t = (state *)get_memory(1, sizeof *t);
    t->rules.policy = policy;
    t->rules.nodes = nodes;
    t->curves = t->jobs = 3;
    for (size_t i = 0; i < 3; i++) {
        memcpy(t->number[i], s[i], sizeof s[i]);
        t->curve[i].service_s = t->number[i];
        t->curve[i].nodes = rows[i];
        t->job[i].curve = i;
        t->job[i].remaining = 1.0;
    }
    return t;
}

/* Of 4 nodes one is left, with which the last job ends before all others. */
TEST(a_node_left_over_goes_to_the_last_job_if_it_is_the_best)
{
    static const double s[3][6] = {{10, 4}, {11, 5}, {12, 3}};
    static const uint32_t rows[3] = {2, 2, 2};
    state *t = three_jobs(SGDSCHED_WATERFILL, 4, s, rows);
    uint32_t nodes[3], idle = 9;
    CHECK_STATUS(allocate(t, nodes, &idle), SGDSCHED_OK);
    CHECK(nodes[0] == 1 && nodes[1] == 1 && nodes[2] == 2 && idle == 0);
    check_state(t);
    free(t);
}

/* The second job has 4 of 6 nodes. On the 2 that are left the first would take as long as the
 * last on one, 7, and it came before; of 25, on the 6 that it wants, 7 are 25 (7 / 25), which
 * is more than 7 where it is rounded. */
TEST(jobs_that_take_as_long_go_in_order_however_that_is_rounded)
{
    static const double s[3][6] = {{14, 7, 70, 50, 40, 25}, {1, 1, 1, 1}, {7}};
    static const uint32_t rows[3] = {6, 4, 1};
    state *t = three_jobs(SGDSCHED_KNEE, 6, s, rows);
    uint32_t nodes[3], idle = 9;
    t->rules.alpha = 0.1;
    t->job[0].min_nodes = t->job[0].gang_nodes = 2;
    t->job[1].min_nodes = t->job[1].max_nodes = 4;
    CHECK_STATUS(allocate(t, nodes, &idle), SGDSCHED_OK);
    CHECK(nodes[0] == 2 && nodes[1] == 4 && nodes[2] == 0 && idle == 0);
    check_state(t);
    free(t);
}

/* The choice for one job is what it gets of an empty cluster; curves too long for the
 * cluster are looked at one node past it. */
TEST(a_job_alone_gets_the_nodes_that_it_wants)
{
    static state t;
    dice d = {7, 0};
    for (size_t n = 0; n < 4000; n++) {
        const int exact = chance(&d, 70);
        uint32_t got = 0;
        draw_cluster(&d, exact, &t);
        t.limited = 0;
        t.rules.policy = (sgdsched_policy)below(&d, SGDSCHED_SRPT);
        draw_job(&d, exact, &t, t.job);
        oracle_task task = oracle_take(&t.rules, t.curve, t.job);
        CHECK_STATUS(sgdsched_wanted_nodes(&t.rules, t.curve + t.job->curve, t.rules.nodes, &got),
                     SGDSCHED_OK);
        CHECK(got == oracle_choice(&t.rules, &task, t.rules.nodes));
    }
}

/* ---- Live scheduler ------------------------------------------------------------ */

/* A scheduler, and beside it what it should know: `now` lists the jobs present in order
 * of arrival. */
typedef struct live {
    state    now;
    size_t   number[JOBS];         /* of each job present                             */
    uint32_t nodes[JOBS];
    sgdsched_live *s;
    void    *work;
    size_t   bytes, room;
} live;

static void live_open(live *l)
{
    const sgdsched_jobs of = {l->now.curve, l->now.curves, NULL, l->room};
    CHECK_STATUS(sgdsched_live_open_bytes(&l->now.rules, &of, &l->bytes), SGDSCHED_OK);
    l->work = get_dirt(l->bytes);
    CHECK_STATUS(sgdsched_live_open(&l->now.rules, &of, l->work, l->bytes, &l->s), SGDSCHED_OK);
    CHECK(sgdsched_live_idle_nodes(l->s) == l->now.rules.nodes);
}

static int live_has(const live *l, size_t number)
{
    for (size_t i = 0; i < l->now.jobs; i++)
        if (l->number[i] == number) return 1;
    return 0;
}

static void live_arrive(live *l, dice *d, int exact)
{
    const size_t i = l->now.jobs;
    size_t number;
    if (i == l->room) return;
    do number = below(d, l->room);
    while (live_has(l, number));
    draw_job(d, exact, &l->now, l->now.job + i);
    CHECK_STATUS(sgdsched_live_leave(l->s, number), SGDSCHED_BAD_JOB);
    CHECK_STATUS(sgdsched_live_submit(l->s, number, l->now.job + i), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_live_submit(l->s, number, l->now.job + i), SGDSCHED_BAD_JOB);
    CHECK(sgdsched_live_job_nodes(l->s, number) == 0);
    if (!(l->now.job[i].size > 0.0)) l->now.job[i].size = l->now.job[i].remaining;
    if (l->now.rules.policy != SGDSCHED_MOLDABLE_HELL &&
        l->now.rules.policy != SGDSCHED_MOLDABLE_KNEE)
        l->now.job[i].held = 0;
    l->number[i] = number;
    l->nodes[i] = 0;
    l->now.jobs++;
}

static void live_leave(live *l, size_t i)
{
    const size_t after = --l->now.jobs - i;
    const uint32_t idle = sgdsched_live_idle_nodes(l->s);
    CHECK_STATUS(sgdsched_live_leave(l->s, l->number[i]), SGDSCHED_OK);
    CHECK(sgdsched_live_job_nodes(l->s, l->number[i]) == 0);
    CHECK(sgdsched_live_idle_nodes(l->s) == idle + l->nodes[i]);
    memmove(l->now.job + i, l->now.job + i + 1, after * sizeof l->now.job[0]);
    memmove(l->number + i, l->number + i + 1, after * sizeof l->number[0]);
    memmove(l->nodes + i, l->nodes + i + 1, after * sizeof l->nodes[0]);
}

static void live_progress(live *l, dice *d, int exact, size_t i)
{
    sgdsched_job *job = l->now.job + i;
    const double to = exact ? (double)(1 + below(d, (size_t)job->size))
                            : job->size * (1e-3 + 0.999 * unit(d));
    CHECK_STATUS(sgdsched_live_progress(l->s, l->number[i], job->size * 1.01),
                 SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_live_progress(l->s, l->number[i], to), SGDSCHED_OK);
    job->remaining = to;
}

static void live_reshape(live *l, dice *d, int exact)
{
    const size_t i = below(d, l->now.curves);
    sgdsched_curve *c = l->now.curve + i;
    draw_curve(d, exact, &l->now, i, c->nodes);
    CHECK_STATUS(sgdsched_live_set_curve(l->s, i, c), SGDSCHED_OK);
}

/* The changes are those from the decision before to this one, and in order. */
static void live_decide(live *l, dice *d)
{
    sgdsched_change change[JOBS];
    size_t changes = 0, want_changes = 0, i;
    uint32_t want[JOBS], got[JOBS], left;
    const unsigned failures = test_failures;
    CHECK_STATUS(sgdsched_live_decide(l->s, change, &changes), SGDSCHED_OK);
    left = by_the_letter(&l->now, want);
    CHECK(sgdsched_live_idle_nodes(l->s) == left);
    for (i = 0; i < l->now.jobs; i++) {
        got[i] = sgdsched_live_job_nodes(l->s, l->number[i]);
        CHECK(got[i] == want[i]);
    }
    for (int gains = 0; gains < 2; gains++)
        for (i = 0; i < l->now.jobs; i++) {
            const sgdsched_change *c = change + want_changes;
            if (want[i] == l->nodes[i] || (want[i] > l->nodes[i]) != gains) continue;
            CHECK(want_changes < changes && c->job == l->number[i] &&
                  c->before == l->nodes[i] && c->nodes == want[i]);
            want_changes++;
        }
    CHECK(changes == want_changes);
    for (i = 0; i < l->now.jobs; i++) {
        l->nodes[i] = want[i];
        if ((l->now.rules.policy == SGDSCHED_MOLDABLE_HELL ||
             l->now.rules.policy == SGDSCHED_MOLDABLE_KNEE) && l->now.job[i].held == 0)
            l->now.job[i].held = want[i];
    }
    if (test_failures > failures) show(&l->now, got, want);
    if (chance(d, 70)) return;
    CHECK_STATUS(sgdsched_live_decide(l->s, change, &changes), SGDSCHED_OK);
    CHECK(changes == 0);                           /* nothing has happened since      */
}

static void live_event(live *l, dice *d, int exact)
{
    const size_t kind = below(d, 100), i = l->now.jobs ? below(d, l->now.jobs) : 0;
    if (kind < 40) live_arrive(l, d, exact);
    else if (kind >= 95) live_reshape(l, d, exact);
    else if (l->now.jobs == 0) return;
    else if (kind < 70) live_leave(l, i);
    else live_progress(l, d, exact, i);
}

TEST(live_decisions_are_those_of_the_letter)
{
    static live l;
    dice d = {11, 0};
    const size_t runs = TEST_SIZE(120, 1000);
    size_t run, step, events, decisions = 0;
    for (run = 0; run < runs; run++) {
        const unsigned failures = test_failures;
        const int exact = chance(&d, 70);
        memset(&l, 0, sizeof l);
        draw_cluster(&d, exact, &l.now);
        l.room = 1 + below(&d, FEW);
        if (run % 100 == 0) l.room = JOBS;
        if (run % 4 == 1) {                        /* many that wait, past one another */
            l.now.rules.policy = run % 8 == 1 ? SGDSCHED_MOLDABLE_HELL
                                              : SGDSCHED_MOLDABLE_KNEE;
            l.now.rules.head_of_line = 0;
            l.room = 60;
        }
        live_open(&l);
        for (step = 0; step < 25 && failures == test_failures; step++) {
            for (events = below(&d, l.room / 2 + 6); events > 0; events--)
                live_event(&l, &d, exact);
            live_decide(&l, &d);
            decisions++;
        }
        free(l.work);
        if (test_failures > failures) {
            fprintf(stderr, "    in run %lu, step %lu\n", (unsigned long)run,
                    (unsigned long)step);
            return;
        }
    }
    CHECK(decisions == 25 * runs);
}

/* A scheduler on 5 nodes for jobs on one linear curve, whose numbers are the caller's. */
static void open_five(live *l, sgdsched_policy policy)
{
    *l = (live){.now.rules.policy = policy};
    l->now.rules.nodes = l->now.curve[0].nodes = 5;
    l->now.curves = 1;
    l->now.curve[0].throughput_per_s = l->now.number[0];
    for (size_t i = 0; i < 5; i++) l->now.number[0][i] = (double)i + 1.0;
    l->room = 8;
    live_open(l);
}

/* Five jobs run, and another waits. They leave, and a job with limits comes, larger than the
 * one that waited: of what is left beyond two nodes each that one gets the fifth. */
TEST(equal_shares_go_in_order_also_to_one_that_waited)
{
    static live l;
    sgdsched_change change[8];
    size_t changes = 0, i;
    open_five(&l, SGDSCHED_EQUAL);
    sgdsched_job job = {0};
    for (i = 0; i < 6; i++) {
        job.remaining = 1.0 + (double)i;
        CHECK_STATUS(sgdsched_live_submit(l.s, i, &job), SGDSCHED_OK);
    }
    CHECK_STATUS(sgdsched_live_decide(l.s, change, &changes), SGDSCHED_OK);
    CHECK(changes == 5 && sgdsched_live_job_nodes(l.s, 5) == 0);
    for (i = 0; i < 5; i++) CHECK_STATUS(sgdsched_live_leave(l.s, i), SGDSCHED_OK);
    job.remaining = 9.0;
    job.max_nodes = 3;
    CHECK_STATUS(sgdsched_live_submit(l.s, 0, &job), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_live_decide(l.s, change, &changes), SGDSCHED_OK);
    CHECK(sgdsched_live_job_nodes(l.s, 5) == 3 && sgdsched_live_job_nodes(l.s, 0) == 2);
    free(l.work);
}

/* HELL gives all nodes to the shorter job, by the curve that it was opened with. */
TEST(a_scheduler_has_its_own_copy_of_the_curves)
{
    static live l;
    sgdsched_change change[8];
    size_t changes = 0, i;
    open_five(&l, SGDSCHED_HELL);
    for (i = 0; i < 5; i++) l.now.number[0][i] = 0.0;
    sgdsched_job job = {0};
    for (i = 0; i < 2; i++) {
        job.remaining = i == 0 ? 6.0 : 5.0;
        CHECK_STATUS(sgdsched_live_submit(l.s, i, &job), SGDSCHED_OK);
    }
    CHECK_STATUS(sgdsched_live_decide(l.s, change, &changes), SGDSCHED_OK);
    CHECK(changes == 1 && change[0].job == 1 && change[0].nodes == 5);
    free(l.work);
}

/* ---- Bad input ------------------------------------------------------------------- */

enum { BADS = 7 };

static double bad(size_t i)
{
    const double number[BADS] = {0.0, -1.0, 1e-80, 1e80, HUGE_VAL, -HUGE_VAL, (double)NAN};
    return number[i];
}

/* Three jobs on two curves, HELL on 8 nodes: the example of the header. */
static const state *example(void)
{
    static state t;
    static const double numbers[2][4] = {{1, 1.9, 2.6, 3}, {2, 2.4, 2.5, 2.5}};
    memset(&t, 0, sizeof t);
    t.rules.nodes = 8;
    t.rules.fill = 1;
    t.curves = 2;
    for (size_t i = 0; i < 2; i++) {
        memcpy(t.number[i], numbers[i], sizeof numbers[i]);
        t.curve[i].throughput_per_s = t.number[i];
        t.curve[i].nodes = 4;
    }
    t.jobs = 3;
    t.job[0].remaining = 9000;
    t.job[1].remaining = 4000;
    t.job[1].curve = 1;
    t.job[2].remaining = 2000;
    return &t;
}

static sgdsched_status decide_static(const state *t, const sgdsched_curve *curve,
                                     size_t lacking, size_t offset)
{
    static double work[4096];
    uint32_t nodes[JOBS], idle = 77;
    size_t bytes = 0, i;
    sgdsched_status status;
    for (i = 0; i < t->jobs; i++) nodes[i] = 77;
    (void)bytes_of(&example()->rules, example()->curve, 2, 3, &bytes);
    CHECK(bytes + 8 <= sizeof work && bytes > lacking);
    status = sgdsched_allocate(&t->rules, &(sgdsched_jobs){curve, t->curves, t->job, t->jobs},
                               (char *)work + offset, bytes - lacking, nodes, &idle);
    for (i = 0; i < t->jobs && status != SGDSCHED_OK; i++) CHECK(nodes[i] == 77);
    CHECK((idle == 77) == (status != SGDSCHED_OK));
    return status;
}

/* Refused, and nothing written. */
static void check_refused(const state *t, sgdsched_status want)
{
    CHECK_STATUS(decide_static(t, t->curve, 0, 0), want);
}

TEST(the_example_of_the_header_prints_what_it_says)
{
    uint32_t nodes[3], idle = 1;
    CHECK_STATUS(allocate(example(), nodes, &idle), SGDSCHED_OK);
    CHECK(nodes[0] == 3 && nodes[1] == 1 && nodes[2] == 4 && idle == 0);
}

TEST(bad_rules_are_refused)
{
    state *t = (state *)get_memory(1, sizeof *t);
    uint32_t nodes[3], idle;
    size_t i, k, bytes = 5;
    *t = *example();
    CHECK_STATUS(decide_static(t, t->curve, 0, 0), SGDSCHED_OK);
    CHECK_STATUS(decide_static(t, t->curve, 1, 0), SGDSCHED_SMALL_WORKSPACE);
    CHECK_STATUS(decide_static(t, t->curve, 0, 1), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(decide_static(t, NULL, 0, 0), SGDSCHED_BAD_ARGUMENT);
    t->rules.nodes = 0;
    check_refused(t, SGDSCHED_BAD_ARGUMENT);
    t->rules.nodes = 8;
    for (i = SGDSCHED_JSQ; i < 20; i++) {
        t->rules.policy = (sgdsched_policy)i;
        check_refused(t, SGDSCHED_BAD_ARGUMENT);
    }
    t->rules.policy = SGDSCHED_KNEE;
    for (i = 1; i < BADS; i++) {
        double *const field[5] = {&t->rules.gamma, &t->rules.load, &t->rules.alpha,
                                  &t->rules.alpha_low, &t->rules.alpha_high};
        for (k = 0; k < 5; k++) {
            const int fine = fabs(bad(i)) <= DBL_MAX && (k > 1 || bad(i) > 0.0);
            *field[k] = bad(i);
            CHECK_STATUS(decide_static(t, t->curve, 0, 0),
                         fine ? SGDSCHED_OK : SGDSCHED_BAD_ARGUMENT);
            *field[k] = 0.0;
        }
    }
    const sgdsched_jobs three = {t->curve, 2, t->job, 3};
    CHECK_STATUS(sgdsched_allocate(NULL, &three, &idle, 0, nodes, &idle), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(bytes_of(&t->rules, t->curve, 2, 3, NULL), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(bytes_of(&t->rules, t->curve, 2, (size_t)-1 / 2, &bytes), SGDSCHED_TOO_LARGE);
    CHECK_STATUS(bytes_of(&t->rules, t->curve, (size_t)-1 / 2, 3, &bytes), SGDSCHED_TOO_LARGE);
    CHECK(bytes == 5);
    t->jobs = 0;                                   /* nobody to decide about          */
    CHECK_STATUS(allocate(t, NULL, &idle), SGDSCHED_OK);
    CHECK(idle == 8);
    t->curves = 0;
    CHECK_STATUS(allocate(t, NULL, &idle), SGDSCHED_OK);
    CHECK(idle == 8);
    free(t);
}

/* Also one that no gain reaches. */
TEST(alpha_may_be_any_number)
{
    state *t = (state *)get_memory(1, sizeof *t);
    *t = *example();
    t->rules.policy = SGDSCHED_KNEE;
    t->rules.alpha = DBL_MAX;
    CHECK_STATUS(decide_static(t, t->curve, 0, 0), SGDSCHED_OK);
    t->rules.alpha = -DBL_MAX;
    CHECK_STATUS(decide_static(t, t->curve, 0, 0), SGDSCHED_OK);
    free(t);
}

TEST(bad_curves_are_refused)
{
    state *t = (state *)get_memory(1, sizeof *t);
    sgdsched_rules rules = example()->rules;
    uint32_t nodes = 77;
    *t = *example();
    for (size_t i = 0; i < BADS; i++)
        for (size_t k = 0; k < 16; k++) {
            double *x = t->number[1] + k % 4;
            const double was = *x;
            *x = bad(i);
            t->curve[1].throughput_per_s = k < 8 ? t->number[1] : NULL;
            t->curve[1].service_s = k < 8 ? NULL : t->number[1];
            rules.policy = k % 8 < 4 ? SGDSCHED_KNEE : SGDSCHED_MOLDABLE_HELL;
            check_refused(t, SGDSCHED_BAD_CURVE);
            CHECK_STATUS(sgdsched_wanted_nodes(&rules, t->curve + 1, 4, &nodes),
                         SGDSCHED_BAD_CURVE);
            *x = was;
        }
    t->curve[1].throughput_per_s = t->number[1];   /* both                            */
    check_refused(t, SGDSCHED_BAD_ARGUMENT);
    t->curve[1].service_s = t->curve[1].throughput_per_s = NULL;
    check_refused(t, SGDSCHED_BAD_ARGUMENT);
    t->curve[1].service_s = t->number[1];
    t->curve[1].nodes = 0;
    check_refused(t, SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_wanted_nodes(&rules, t->curve + 1, 4, &nodes), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_wanted_nodes(&rules, t->curve, 0, &nodes), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_wanted_nodes(NULL, t->curve, 4, &nodes), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_wanted_nodes(&rules, NULL, 4, &nodes), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_wanted_nodes(&rules, t->curve, 4, NULL), SGDSCHED_BAD_ARGUMENT);
    rules.gamma = -1.0;
    CHECK_STATUS(sgdsched_wanted_nodes(&rules, t->curve, 4, &nodes), SGDSCHED_BAD_ARGUMENT);
    rules.gamma = 0.0;
    rules.policy = SGDSCHED_SRPT;
    CHECK_STATUS(sgdsched_wanted_nodes(&rules, t->curve, 4, &nodes), SGDSCHED_BAD_ARGUMENT);
    CHECK(nodes == 77);
    free(t);
}

TEST(bad_jobs_are_refused)
{
    state *t = (state *)get_memory(1, sizeof *t);
    *t = *example();
    for (size_t i = 0; i < BADS; i++) {
        const int tiny = i == 2, huge = i == 3;    /* fine for sizes                  */
        t->job[2].remaining = bad(i);
        CHECK_STATUS(decide_static(t, t->curve, 0, 0),
                     tiny || huge ? SGDSCHED_OK : SGDSCHED_BAD_ARGUMENT);
        t->job[2].remaining = 2000.0;
        t->job[2].size = bad(i);
        CHECK_STATUS(decide_static(t, t->curve, 0, 0),
                     huge || i == 0 ? SGDSCHED_OK : SGDSCHED_BAD_ARGUMENT);
        t->job[2].size = 0.0;
    }
    t->job[2].size = 1999.0;
    check_refused(t, SGDSCHED_BAD_ARGUMENT);
    t->job[2].size = 2000.0;
    check_refused(t, SGDSCHED_OK);
    t->job[1].curve = 2;
    check_refused(t, SGDSCHED_BAD_ARGUMENT);
    t->job[1].curve = 1;
    t->job[0].held = 9;
    check_refused(t, SGDSCHED_BAD_ARGUMENT);
    t->job[0].min_nodes = t->job[0].gang_nodes = 2;    /* 2 or 4 */
    t->job[0].max_nodes = 4;
    for (size_t i = 0; i <= 5; i++) {
        t->job[0].held = (uint32_t)i;
        CHECK_STATUS(decide_static(t, t->curve, 0, 0),
                     i % 2 == 0 ? SGDSCHED_OK : SGDSCHED_BAD_ARGUMENT);
    }
    t->job[0].held = 6;
    check_refused(t, SGDSCHED_BAD_ARGUMENT);
    free(t);
}

/* Sizes of work for a second curve that is none, and for a job of none; and a gang of 8 on a
 * curve of 4 nodes, or more gangs than there may be. */
TEST(bad_shapes_are_refused_before_anything_is_run)
{
    state *t = (state *)get_memory(1, sizeof *t);
    size_t bytes = 5;
    *t = *example();
    t->curve[1].throughput_per_s = NULL;
    CHECK_STATUS(bytes_of(&t->rules, t->curve, 2, 3, &bytes), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(bytes_of(&t->rules, t->curve, 0, 1, &bytes), SGDSCHED_BAD_ARGUMENT);
    CHECK(bytes == 5);
    t->curve[1] = example()->curve[1];
    t->job[0].min_nodes = t->job[0].max_nodes = 4;
    t->job[0].gang_nodes = 4;
    check_refused(t, SGDSCHED_OK);
    t->job[0].min_nodes = t->job[0].max_nodes = t->job[0].gang_nodes = 8;
    check_refused(t, SGDSCHED_BAD_ARGUMENT);
    t->job[0].min_nodes = 4;                           /* two gangs, of at most one */
    t->job[0].max_nodes = t->job[0].gang_nodes = 2;
    check_refused(t, SGDSCHED_BAD_ARGUMENT);
    free(t);
}

TEST(a_scheduler_that_is_none_is_refused)
{
    const state *t = example();
    const sgdsched_job job = t->job[0];
    const sgdsched_jobs given = {t->curve, 2, &job, 1}, three = {t->curve, 2, NULL, 3};
    const sgdsched_jobs none = {t->curve, 2, NULL, 0}, hidden = {t->curve, 2, NULL, 1};
    sgdsched_change change[4];
    size_t changes = 0;
    uint32_t nodes = 77;
#define ALLOCATE(jobs, nodes) \
    sgdsched_allocate(&t->rules, jobs, change, sizeof change, nodes, NULL)
    CHECK_STATUS(sgdsched_live_decide(NULL, change, &changes), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_live_submit(NULL, 0, &job), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_live_progress(NULL, 0, 1.0), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_live_leave(NULL, 0), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_live_set_curve(NULL, 0, t->curve), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_live_open_bytes(&t->rules, &three, NULL), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_live_open_bytes(&t->rules, &none, &changes), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(bytes_of(NULL, t->curve, 2, 3, &changes), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(ALLOCATE(&given, NULL), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(ALLOCATE(&hidden, &nodes), SGDSCHED_BAD_ARGUMENT);
#undef ALLOCATE
    CHECK(changes == 0 && nodes == 77);
    CHECK(sgdsched_live_job_nodes(NULL, 0) == 0 && sgdsched_live_idle_nodes(NULL) == 0);
}

static void check_refused_open(const state *t, const live *l)
{
    sgdsched_live *none = NULL;
#define OPEN(curves, jobs, bytes, to)                                               \
    sgdsched_live_open(&t->rules, &(sgdsched_jobs){t->curve, curves, NULL, jobs},   \
                       l->work, bytes, to)
    CHECK_STATUS(OPEN(2, 3, l->bytes - 1, &none), SGDSCHED_SMALL_WORKSPACE);
    CHECK_STATUS(OPEN(2, 0, l->bytes, &none), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(OPEN(2, 3, l->bytes, NULL), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(OPEN(0, 3, l->bytes, &none), SGDSCHED_BAD_ARGUMENT);
#undef OPEN
    CHECK(none == NULL);
}

/* A curve and an amount of work that are no numbers, of job 1 and curve 0. */
static void refuse_numbers(live *l, const sgdsched_curve *of)
{
    double number[4] = {1.0, 2.0, 3.0, 4.0};
    sgdsched_curve curve = *of;
    curve.throughput_per_s = NULL;
    CHECK_STATUS(sgdsched_live_set_curve(l->s, 0, &curve), SGDSCHED_BAD_ARGUMENT);
    curve.throughput_per_s = number;
    for (size_t i = 0; i < BADS; i++) {
        number[3] = bad(i);
        CHECK_STATUS(sgdsched_live_set_curve(l->s, 0, &curve), SGDSCHED_BAD_CURVE);
        if (i == 2 || i == 3) continue;
        CHECK_STATUS(sgdsched_live_progress(l->s, 1, bad(i)), SGDSCHED_BAD_ARGUMENT);
    }
}

/* A refused call leaves the scheduler as it was, to the byte. */
TEST(a_refused_event_changes_nothing)
{
    const state *t = example();
    static live l;
    sgdsched_job job = t->job[0];
    sgdsched_curve curve = t->curve[0];
    sgdsched_change change[4];
    double number[4] = {1.0, 2.0, 3.0, 4.0};
    size_t changes = 0, i;
    memset(&l, 0, sizeof l);
    l.now = *t;
    l.now.jobs = 0;
    l.room = 3;
    for (i = 0; i < 2; i++) l.now.curve[i].throughput_per_s = l.now.number[i];
    live_open(&l);
    CHECK_STATUS(sgdsched_live_submit(l.s, 1, &job), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_live_decide(l.s, change, &changes), SGDSCHED_OK);
    CHECK(changes == 1 && change[0].job == 1 && change[0].before == 0);
    void *before = get_memory(l.bytes, 1);
    memcpy(before, l.work, l.bytes);
    CHECK_STATUS(sgdsched_live_submit(l.s, 1, &job), SGDSCHED_BAD_JOB);
    CHECK_STATUS(sgdsched_live_submit(l.s, 3, &job), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_live_submit(l.s, 0, NULL), SGDSCHED_BAD_ARGUMENT);
    job.curve = 2;
    CHECK_STATUS(sgdsched_live_submit(l.s, 0, &job), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_live_progress(l.s, 0, 1.0), SGDSCHED_BAD_JOB);
    CHECK_STATUS(sgdsched_live_progress(l.s, 3, 1.0), SGDSCHED_BAD_JOB);
    CHECK_STATUS(sgdsched_live_progress(l.s, 1, 9001.0), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_live_leave(l.s, 0), SGDSCHED_BAD_JOB);
    CHECK_STATUS(sgdsched_live_leave(l.s, 3), SGDSCHED_BAD_JOB);
    refuse_numbers(&l, &curve);
    curve.throughput_per_s = number;
    CHECK_STATUS(sgdsched_live_set_curve(l.s, 2, &curve), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_live_set_curve(l.s, 0, NULL), SGDSCHED_BAD_ARGUMENT);
    curve.nodes = 3;
    CHECK_STATUS(sgdsched_live_set_curve(l.s, 0, &curve), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_live_decide(l.s, NULL, &changes), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_live_decide(l.s, change, NULL), SGDSCHED_BAD_ARGUMENT);
    CHECK(memcmp(before, l.work, l.bytes) == 0);
    CHECK(sgdsched_live_job_nodes(l.s, 3) == 0 && sgdsched_live_job_nodes(l.s, 0) == 0);
    check_refused_open(t, &l);
    CHECK(memcmp(before, l.work, l.bytes) == 0);
    free(before);
    free(l.work);
}

/* The largest and the smallest numbers there may be, all at once. */
TEST(all_nodes_are_accounted_for_whatever_the_numbers)
{
    static state t;
    static const double size[] = {1e-307, 1.01e-70, 1.0, 0.99e70, DBL_MAX};
    dice d = {5, 0};
    uint32_t nodes[JOBS], idle;
    for (size_t n = 0; n < 2000; n++) {
        uint64_t given = 0;
        draw_cluster(&d, 0, &t);
        t.rules.gamma = chance(&d, 50) ? 0.0 : size[below(&d, 5)];
        if (chance(&d, 20)) t.rules.nodes = 0xffffffffu - (uint32_t)below(&d, 3);
        for (size_t i = 0; i < t.curves; i++)
            for (size_t w = 0; w < t.curve[i].nodes; w++) t.number[i][w] = size[1 + below(&d, 3)];
        t.jobs = below(&d, FEW + 1);
        for (size_t i = 0; i < t.jobs; i++) {
            draw_job(&d, 0, &t, t.job + i);
            t.job[i].remaining = size[below(&d, 5)];
            t.job[i].size = chance(&d, 50) ? 0.0 : DBL_MAX;
        }
        CHECK_STATUS(allocate(&t, nodes, &idle), SGDSCHED_OK);
        for (size_t i = 0; i < t.jobs; i++) given += nodes[i];
        CHECK(given + idle == t.rules.nodes);
        CHECK(given > 0 || t.jobs == 0);
    }
}

/* A rigid job on a linear curve of 4 rows and of 128: the same answer, or a refusal. */
TEST(jobs_wider_than_their_curve_are_refused)
{
    static const uint32_t rows[] = {4, 16, 128}, width[] = {1, 4, 8, 16};
    static double linear[128];
    double work[256];
    for (size_t i = 0; i < 128; i++) linear[i] = (double)i + 1.0;
    for (size_t p = 0; p < SGDSCHED_JSQ; p++)
        for (size_t i = 0; i < 3; i++)
            for (size_t k = 0; k < 4; k++) {
                sgdsched_job job[2] = {{0}};
                uint32_t nodes[2] = {77, 77}, idle = 77;
                sgdsched_curve curve = {.throughput_per_s = linear, .service_s = NULL,
                                        .nodes = rows[i]};
                sgdsched_rules rules = {.policy = (sgdsched_policy)p, .nodes = 20};
                job[0].remaining = job[1].remaining = 5.0;
                job[0].min_nodes = job[0].max_nodes = width[k];
                job[1].min_nodes = job[1].max_nodes = 12;
                const sgdsched_jobs of = {&curve, 1, job, 1 + (rows[i] > 4)};
                CHECK_STATUS(sgdsched_allocate(&rules, &of, work, sizeof work, nodes, &idle),
                             width[k] > rows[i] ? SGDSCHED_BAD_ARGUMENT : SGDSCHED_OK);
                if (width[k] > rows[i]) {
                    CHECK(nodes[0] == 77 && nodes[1] == 77 && idle == 77);
                    continue;
                }
                CHECK(nodes[0] == width[k] || nodes[0] == 0);
                CHECK(rows[i] == 4 || nodes[1] == 12 || nodes[1] == 0);
                CHECK(nodes[0] > 0 || nodes[1] > 0);
            }
}

TEST_MAIN("test_sched");
