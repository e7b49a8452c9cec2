/* test_sched_inside.c - sgdperf_sched.h from inside: what no result shows, but the time that it
 * takes, or what lies beside an array. */
#define SGDPERF_SCHED_STATIC
#define SGDPERF_SCHED_IMPLEMENTATION
#include "../sgdperf_sched.h"

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
    sgdsched_priv_entry one[MOST + 1], two[MOST + 1], *got;
    memset(one, 0, sizeof one);
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

int main(void)
{
    return test_all("test_sched_inside");
}
