/* test_sched_inside.c - sgdperf_sched.h from inside: what no result shows, but the time that it
 * takes, or what lies beside an array. */
#define SGDPERF_SCHED_STATIC
#define SGDPERF_SCHED_IMPLEMENTATION
#include "../sgdperf_sched.h"

#include <math.h>

#include "test.h"

/* Nodes on the way along right children, found anew. */
static uint32_t rank_of(const sgdsched_live *s, uint32_t at)
{
    return at == SGDSCHED_PRIV_NONE ? 0 : 1 + rank_of(s, s->job[at].right);
}

/* Of a leftist heap: no job before its parent, and no way to a missing child shorter than
 * that along right children. Counts its jobs. */
static size_t check_heap(const sgdsched_live *s, uint32_t at, uint32_t up)
{
    const sgdsched_priv_job *j = s->job + at;
    if (at == SGDSCHED_PRIV_NONE) return 0;
    CHECK(j->up == up && j->rank == rank_of(s, at));
    CHECK(rank_of(s, j->left) >= rank_of(s, j->right));
    CHECK(up == SGDSCHED_PRIV_NONE || sgdsched_priv_waits_before(s->job + up, j));
    return 1 + check_heap(s, j->left, at) + check_heap(s, j->right, at);
}

/* Jobs wait for one node, and leave or get on in any order. */
TEST(jobs_that_wait_are_a_leftist_heap)
{
    enum { JOBS = 150 };
    static double work[8192];
    static sgdsched_change change[JOBS];
    static const double x = 1.0;
    const sgdsched_curve curve = {&x, NULL, 1};
    sgdsched_live *s = NULL;
    size_t changes = 0, i, left = JOBS;
    sgdsched_rules rules = {.policy = SGDSCHED_SRPT, .nodes = 1};
    CHECK_STATUS(sgdsched_live_open(&rules, &(sgdsched_jobs){&curve, 1, NULL, JOBS}, work,
                                    sizeof work, &s), SGDSCHED_OK);
    for (i = 0; i < JOBS; i++) {
        sgdsched_job job = {.remaining = 1.0 + floor(1000.0 * test_uniform(5, i, 0))};
        CHECK_STATUS(sgdsched_live_submit(s, i, &job), SGDSCHED_OK);
    }
    CHECK_STATUS(sgdsched_live_decide(s, change, &changes), SGDSCHED_OK);
    for (i = 0; left > 20; i++) {
        const uint32_t job = (uint32_t)(JOBS * test_uniform(5, i, 1));
        if (!s->job[job].present || s->job[job].nodes > 0) continue;
        left--;
        CHECK_STATUS(sgdsched_live_leave(s, job), SGDSCHED_OK);
        CHECK(check_heap(s, s->curve[0].top, SGDSCHED_PRIV_NONE) == left - 1);
        CHECK(s->waiting == left - 1);
    }
}

/* Of any number of entries, sorted as they come where they are alike; the room for them, and
 * nothing behind it, is used. */
TEST(entries_are_sorted_within_their_room)
{
    enum { MOST = 40 };
    sgdsched_priv_entry one[MOST + 1] = {{0}}, two[MOST + 1], *got;
    memset(two, 0, sizeof two);
    for (size_t n = 0; n <= MOST; n++) {
        for (size_t i = 0; i < n; i++) {
            one[i].metric = floor(5.0 * test_uniform(6, n, i));
            one[i].turn = i;
        }
        one[n].job = two[n].job = 77;
        one[n].curve = 1;
        two[n].curve = 2;
        got = sgdsched_priv_merge_sort(one, two, n);
        CHECK(one[n].job == 77 && two[n].job == 77 && one[n].curve == 1 && two[n].curve == 2);
        for (size_t i = 1; i < n; i++) CHECK(sgdsched_priv_entry_precedes(got + i - 1, got + i));
    }
}

/* As long as none is present decisions need not look at limits. */
TEST(jobs_with_limits_are_counted_while_they_are_present)
{
    enum { JOBS = 12 };
    static double work[1024];
    static const double x[2] = {1.0, 1.5};
    const sgdsched_curve curve = {x, NULL, 2};
    sgdsched_live *s = NULL;
    size_t i, k, limited;
    sgdsched_rules rules = {.policy = SGDSCHED_EQUAL, .nodes = 3};
    CHECK_STATUS(sgdsched_live_open(&rules, &(sgdsched_jobs){&curve, 1, NULL, JOBS}, work,
                                    sizeof work, &s), SGDSCHED_OK);
    for (i = 0; i < 200; i++) {
        const size_t number = (size_t)(JOBS * test_uniform(9, i, 0));
        sgdsched_job job = {.remaining = 1.0, .max_nodes = test_uniform(9, i, 1) < 0.3 ? 2 : 0};
        if (s->job[number].present) CHECK_STATUS(sgdsched_live_leave(s, number), SGDSCHED_OK);
        else CHECK_STATUS(sgdsched_live_submit(s, number, &job), SGDSCHED_OK);
        for (limited = k = 0; k < JOBS; k++)
            limited += s->job[k].present && s->limits[k].gang > 0;
        CHECK(s->limited == limited);
    }
}

/* ---- A plan, and reservations one by one ---- */

enum { HELD = 60, PAGES = 6 };      /* so few that blocks are filled up again       */

typedef struct plain_plan {
    sgdsched_priv_plan  p;
    sgdsched_priv_block block[PAGES];
    sgdsched_priv_page  page[PAGES];
    double  now_s, from_s[HELD], to_s[HELD], step_s[2 * HELD + 1];
    int64_t held[HELD], nodes;
    size_t  count, steps;
} plain_plan;

static int64_t free_at(const plain_plan *a, double time_s)
{
    int64_t n = a->nodes;
    for (size_t i = 0; i < a->count; i++)
        if (a->from_s[i] <= time_s && time_s < a->to_s[i]) n -= a->held[i];
    return n;
}

/* The least that is free from one time to another. */
static int64_t least_of(const plain_plan *a, double from_s, double to_s)
{
    int64_t least = free_at(a, from_s);
    for (size_t i = 0; i < a->count; i++)
        if (a->from_s[i] > from_s && a->from_s[i] < to_s && free_at(a, a->from_s[i]) < least)
            least = free_at(a, a->from_s[i]);
    return least;
}

/* How many reservations begin or end at a time. */
static int32_t refers_to(const plain_plan *a, double time_s)
{
    int32_t refers = 0;
    for (size_t i = 0; i < a->count; i++)
        refers += (a->from_s[i] <= time_s && a->from_s[i] >= time_s) +
                  (a->to_s[i] <= time_s && a->to_s[i] >= time_s);
    return refers;
}

/* The steps in order, of no time twice: now, and the times behind it. */
static void plain_steps(plain_plan *a)
{
    double at_s = a->now_s;
    for (a->steps = 0; at_s < HUGE_VAL; a->steps++) {
        double next_s = HUGE_VAL;
        a->step_s[a->steps] = at_s;
        for (size_t i = 0; i < a->count; i++) {
            if (a->from_s[i] > at_s) next_s = fmin(next_s, a->from_s[i]);
            if (a->to_s[i] > at_s) next_s = fmin(next_s, a->to_s[i]);
        }
        at_s = next_s;
    }
}

static void check_steps(const plain_plan *a)
{
    size_t step = 0;
    for (uint32_t k = 0; k < a->p.blocks; k++) {
        const sgdsched_priv_block *b = a->block + k;
        const sgdsched_priv_page *page = a->page + b->page;
        int64_t least = a->nodes, most = 0;
        CHECK(b->steps > 0 && b->steps <= SGDSCHED_PRIV_STEPS);
        CHECK_REL(b->first_s, page->time_s[0], 0.0);
        for (uint32_t i = 0; i < b->steps && step < a->steps; i++, step++) {
            const int64_t n = free_at(a, a->step_s[step]);
            CHECK_REL(page->time_s[i], a->step_s[step], 0.0);
            CHECK(page->free[i] + b->add == n);
            CHECK(step == 0 || page->refers[i] == refers_to(a, a->step_s[step]));
            least = n < least ? n : least;
            most = n > most ? n : most;
        }
        CHECK(b->least == least && b->most == most);
    }
    CHECK(step == a->steps);
}

/* What the plan is asked, for random n and times. */
static void check_answers(plain_plan *a, uint64_t draw)
{
    const int64_t n = 1 + (int64_t)(test_uniform(21, draw, 1) * (double)a->nodes);
    const double off = 3e-13 * (floor(9.0 * test_uniform(21, draw, 5)) - 4.0);
    const double planned_s = (1.0 + off) * floor(40.0 * test_uniform(21, draw, 2));
    const double until_s = a->now_s + floor(240.0 * test_uniform(21, draw, 3));
    const double start_s = a->now_s + floor(200.0 * test_uniform(21, draw, 4));
    const double end_s = start_s + planned_s + 1.0;
    double first_s = HUGE_VAL, fit_s = until_s, near_s = end_s;
    int64_t most = 0, free = -1;
    for (size_t i = a->steps; i-- > 0;) {
        const double at_s = a->step_s[i], stop_s = (at_s + planned_s) * (1.0 - 1e-12);
        if (free_at(a, at_s) >= n) first_s = at_s;
        if (at_s < until_s && free_at(a, at_s) > most) most = free_at(a, at_s);
        if (at_s < until_s && least_of(a, at_s, fmin(stop_s, until_s)) >= n) fit_s = at_s;
        if (at_s >= start_s && fabs(at_s - end_s) <= 1e-12 * end_s) near_s = at_s;
    }
    CHECK_REL(sgdsched_priv_plan_find(&a->p, n, &free), first_s, 0.0);
    CHECK(free == free_at(a, first_s));
    CHECK(sgdsched_priv_plan_most(&a->p, until_s) == most);
    CHECK_REL(sgdsched_priv_plan_fit(&a->p, n, planned_s, until_s), fit_s, 0.0);
    CHECK_REL(sgdsched_priv_plan_until(&a->p, start_s, end_s - start_s), near_s, 1e-13);
    if (near_s < end_s || near_s > end_s)
        CHECK_REL(sgdsched_priv_plan_until(&a->p, start_s, end_s - start_s), near_s, 0.0);
}

static void reserve(plain_plan *a, uint64_t draw)
{
    const size_t i = a->count;
    const double from_s = a->now_s + floor(240.0 * test_uniform(22, draw, 1));
    const double to_s = from_s + 1.0 + floor(60.0 * test_uniform(22, draw, 2));
    const int64_t most = least_of(a, from_s, to_s);
    const int64_t n = 1 + (int64_t)(test_uniform(22, draw, 3) * fmin(12.0, (double)most));
    if (i == HELD || n > most) return;
    sgdsched_priv_plan_add(&a->p, from_s, to_s, -n);
    a->from_s[i] = from_s;
    a->to_s[i] = to_s;
    a->held[i] = n;
    a->count++;
}

static void forget_one(plain_plan *a, size_t i)
{
    a->count--;
    a->from_s[i] = a->from_s[a->count];
    a->to_s[i] = a->to_s[a->count];
    a->held[i] = a->held[a->count];
}

static void cancel(plain_plan *a, size_t i)
{
    sgdsched_priv_plan_add(&a->p, fmax(a->from_s[i], a->now_s), a->to_s[i], a->held[i]);
    forget_one(a, i);
}

static void pass(plain_plan *a, double time_s)
{
    a->now_s += time_s;
    sgdsched_priv_plan_forget(&a->p, a->now_s);
    for (size_t i = a->count; i-- > 0;)
        if (a->to_s[i] <= a->now_s) forget_one(a, i);
}

static void resize(plain_plan *a, int64_t nodes)
{
    if (nodes - a->nodes + least_of(a, a->now_s, HUGE_VAL) < 0) return;
    a->nodes = nodes;
    sgdsched_priv_plan_resize(&a->p, nodes);
}

TEST(a_plan_has_what_reservations_leave)
{
    static plain_plan a;
    size_t full = 0, packed = 0;
    for (uint64_t run = 0; run < 4; run++) {
        memset(&a, 0, sizeof a);
        a.p.block = a.block;
        a.p.page = a.page;
        a.p.room = PAGES;
        a.nodes = run == 0 ? 3 : 300;
        memset(a.page, 0xa5, sizeof a.page);
        memset(a.block, 0xa5, sizeof a.block);
        sgdsched_priv_plan_begin(&a.p, a.nodes);
        for (uint64_t k = 0; k < 1500; k++) {
            const uint64_t draw = 10000 * run + k;
            const double what = test_uniform(23, draw, 0), part = test_uniform(23, draw, 1);
            if (what < (k / 200 % 3 == 2 ? 0.3 : run == 3 ? 0.75 : 0.6)) reserve(&a, draw);
            else if (what < 0.9 && a.count > 0) cancel(&a, (size_t)(part * (double)a.count));
            else if (what < 0.97) pass(&a, floor(part < 0.1 ? 900.0 * part : 3.0 * part));
            else resize(&a, 1 + (int64_t)(part * 2.0 * (double)(run == 0 ? 3 : 300)));
            plain_steps(&a);
            check_steps(&a);
            check_answers(&a, draw);
            full += a.count == HELD;
            packed += a.p.blocks == PAGES;
        }
    }
    printf("    full %lu times, packed %lu\n", (unsigned long)full, (unsigned long)packed);
    CHECK(full > 100 && packed > 0);
}

/* ---- Jobs that wait, found by looking at each ---- */

enum { STAND = 700 };

typedef struct plain_line {
    sgdsched_priv_forest f;
    sgdsched_priv_branch at[STAND + STAND / 4 + 4];
    uint32_t place[STAND], nodes[STAND];
    uint64_t turn[STAND];                              /* NEVER: does not wait            */
    double   planned_s[STAND];
} plain_line;

/* The first within the limits: `beside` nodes, or `nodes` up to rest_s. */
static uint32_t plain_first(const plain_line *a, uint32_t nodes, uint32_t beside, double rest_s)
{
    uint32_t best = SGDSCHED_PRIV_NONE;
    for (uint32_t i = 0; i < STAND; i++) {
        if (a->turn[i] == SGDSCHED_PRIV_NEVER || a->nodes[i] > nodes) continue;
        if (a->nodes[i] > beside && a->planned_s[i] > rest_s) continue;
        if (best == SGDSCHED_PRIV_NONE || a->turn[i] < a->turn[best]) best = i;
    }
    return best;
}

static void check_first(plain_line *a, uint64_t draw)
{
    const uint32_t nodes = (uint32_t)(9.0 * test_uniform(31, draw, 1));
    const uint32_t beside = (uint32_t)((nodes + 1) * test_uniform(31, draw, 2));
    const double rest_s = floor(12.0 * test_uniform(31, draw, 3)) - 1.0;
    const uint32_t want = plain_first(a, nodes, beside, rest_s);
    sgdsched_priv_found found;
    sgdsched_priv_forest_find(&a->f, nodes, beside, rest_s, &found);
    CHECK(found.turn == (want == SGDSCHED_PRIV_NONE ? SGDSCHED_PRIV_NEVER : a->turn[want]));
    if (found.turn != SGDSCHED_PRIV_NEVER) CHECK(a->f.at[found.place].job == want);
    if (a->f.waits > 0)
        CHECK(sgdsched_priv_forest_oldest(&a->f) == plain_first(a, 99, 99, 99.0));
}

/* Jobs come, some of them again with their old turn, and go; few, then many, then few. */
TEST(jobs_are_found_as_by_looking_at_each)
{
    static plain_line a;
    uint64_t turn = STAND;
    size_t trees = 0, waits = 0;
    memset(a.at, 0xa5, sizeof a.at);
    a.f = (sgdsched_priv_forest){.at = a.at, .place = a.place, .room = sizeof a.at / sizeof *a.at};
    for (uint32_t i = 0; i < STAND; i++) a.turn[i] = SGDSCHED_PRIV_NEVER;
    for (uint64_t k = 0; k < 12000; k++) {
        const uint32_t i = (uint32_t)(STAND * test_uniform(32, k, 0));
        const double part = test_uniform(32, k, 1);
        if (a.turn[i] == SGDSCHED_PRIV_NEVER && part < (k / 3000 % 2 ? 0.3 : 1.0)) {
            a.turn[i] = 2 * turn++;
            if (part < 0.02) a.turn[i] -= 2 * STAND - 1;
            a.nodes[i] = (uint32_t)(1.0 + 9.0 * test_uniform(32, k, 2));
            a.planned_s[i] = floor(11.0 * test_uniform(32, k, 3));
            sgdsched_priv_forest_put(&a.f, i, a.turn[i], a.nodes[i], a.planned_s[i]);
            waits++;
        } else if (a.turn[i] != SGDSCHED_PRIV_NEVER && part > (k / 3000 % 2 ? 0.2 : 0.7)) {
            sgdsched_priv_forest_drop(&a.f, i);
            a.turn[i] = SGDSCHED_PRIV_NEVER;
            waits--;
        }
        CHECK(a.f.waits == waits && a.f.length <= a.f.room);
        if (k % 4 == 0) check_first(&a, k);
        trees += a.f.trees > 1;
    }
    CHECK(trees > 1000);
}

TEST_MAIN("test_sched_inside");
