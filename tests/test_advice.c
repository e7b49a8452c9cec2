/* sgdsched_advise, sgdp_remedies and sgdp_move_job: what is recommended keeps its limits, and
 * what would help is what a changed job is predicted to do. */
#include "../sgdperf.h"
#include "../sgdperf_sched.h"
#include "job.h"

#include <float.h>
#include <math.h>

enum { MOST = 64 };

static sgdsched_choice choice[MOST];
static sgdsched_outlay outlay[MOST];

/* Throughputs of 1, 2, ... workers at one price each. */
static void curve(const double *batches_per_s, size_t n, double width, double price)
{
    for (size_t i = 0; i < n; i++) {
        choice[i].workers = (uint32_t)i + 1;
        choice[i].batches_per_s = batches_per_s[i];
        choice[i].low = choice[i].high = width;
        choice[i].price_per_s = price * (double)(i + 1);
        choice[i].batches = 0.0;
    }
}

static sgdsched_advice advise(size_t n, double batches, double deadline_s, double budget)
{
    sgdsched_advice a;
    memset(&a, 0xff, sizeof a);
    sgdsched_goal goal = {.batches = batches, .deadline_s = deadline_s, .budget = budget};
    CHECK_STATUS(sgdsched_advise(choice, n, &goal, outlay, &a), SGDSCHED_OK);
    return a;
}

static const double saturated[5] = { 10.0, 18.0, 21.0, 21.1, 21.15 };

TEST(the_cheapest_within_the_deadline_is_recommended)
{
    curve(saturated, 5, 0.0, 1.0);
    sgdsched_advice a = advise(5, 180.0, 11.0, 0.0);
    CHECK(a.rule == SGDSCHED_RULE_CHEAPEST && a.recommended == 1 && a.cheapest == 1);
    a = advise(5, 180.0, 9.0, 0.0);
    CHECK(a.recommended == 2 && a.fastest == 2);    /* 4 and 5 are 1 % faster: equal  */
    a = advise(5, 180.0, 10.0, 0.0);                /* a limit that is just kept      */
    CHECK(a.recommended == 1 && outlay[1].in_time == SGDSCHED_VERDICT_YES);
}

/* Twice as many epochs on 4 workers: by hand 18, 10, 8.57 (180 / 21) and 17.06 s (360 / 21.1). */
TEST(a_choice_that_needs_more_batches_counts_with_its_time_to_the_loss)
{
    curve(saturated, 5, 0.0, 1.0);
    choice[3].batches = choice[4].batches = 360.0;
    choice[0].batches = 180.0;
    sgdsched_advice a = advise(5, 180.0, 0.0, 0.0);
    CHECK_REL(outlay[0].time_s, 18.0, 1e-14);
    CHECK_REL(outlay[2].time_s, 180.0 / 21.0, 1e-14);
    CHECK_REL(outlay[3].time_s, 360.0 / 21.1, 1e-14);
    CHECK_REL(outlay[3].cost, 4.0 * 360.0 / 21.1, 1e-14);
    CHECK(a.rule == SGDSCHED_RULE_BALANCED && a.recommended == 1);
    a = advise(5, 180.0, 17.5, 0.0);
    CHECK(a.cheapest == 1 && a.fastest == 2);
    /* All alike: as if the goal had them. */
    for (size_t i = 0; i < 5; i++) choice[i].batches = 180.0;
    a = advise(5, 1.0, 9.0, 0.0);
    CHECK(a.recommended == 2 && a.fastest == 2);
    CHECK_REL(outlay[1].time_s, 10.0, 1e-14);
}

/* Throughput 1, 2, ... 6 of 1 to 6 workers, but epochs grow from 3 workers on: the knee is of the
 * speed to the loss, 1, 2, 2.5, 2.9, 3.2, 3.4. */
TEST(the_knee_is_of_the_speed_to_the_loss)
{
    static const double rate[6] = { 1.0, 2.0, 3.0, 4.0, 5.0, 6.0 };
    static const double speed[6] = { 1.0, 2.0, 2.5, 2.9, 3.2, 3.4 };
    curve(rate, 6, 0.0, 1.0);
    for (size_t i = 0; i < 6; i++) choice[i].batches = 100.0 * rate[i] / speed[i];
    const sgdsched_advice a = advise(6, 100.0, 0.0, 0.0);
    curve(speed, 6, 0.0, 1.0);
    const sgdsched_advice b = advise(6, 100.0, 0.0, 0.0);
    CHECK(a.recommended == b.recommended && a.rule == b.rule);
}

TEST(the_fastest_within_the_budget_is_recommended)
{
    curve(saturated, 5, 0.0, 1.0);
    sgdsched_advice a = advise(5, 180.0, 0.0, 22.0);            /* costs 18, 20, 25.7, 34, 42.6   */
    CHECK(a.rule == SGDSCHED_RULE_FASTEST && a.recommended == 1);
    a = advise(5, 180.0, 0.0, 1000.0);
    CHECK(a.recommended == 2);                      /* not 5, for 0.7 %               */
    a = advise(5, 180.0, 9.0, 22.0);                /* apart they can be kept         */
    CHECK(a.rule == SGDSCHED_RULE_NEAREST && a.cheapest == 2 && a.fastest == 1);
}

/* By hand: 9 s and 22 need 2 workers 11 % more time, 3 workers 17 % more money. */
TEST(where_nothing_is_within_the_nearest_is_said_and_by_how_much)
{
    curve(saturated, 5, 0.0, 1.0);
    sgdsched_advice a = advise(5, 180.0, 9.0, 22.0);
    CHECK(a.recommended == 1 && a.surest == 5);
    CHECK_REL(a.excess, 1.0 / 9.0, 1e-12);
    a = advise(5, 180.0, 1.0, 0.0);
    CHECK(a.rule == SGDSCHED_RULE_NEAREST && a.recommended == 2 && a.cheapest == 5);
    CHECK_REL(a.excess, 180.0 / 21.0 - 1.0, 1e-12);
    a = advise(5, 180.0, 0.0, 9.0);
    CHECK(a.recommended == 0 && a.fastest == 5);
    CHECK_REL(a.excess, 1.0, 1e-12);
}

/* X = K / (1 + b (K - 1)): X^2 / K is largest where d ln X / d ln K = 1/2, K = 1/b - 1. */
TEST(without_limits_power_is_largest)
{
    double X[MOST];
    sgdsched_advice a;
    for (size_t i = 0; i < MOST; i++) X[i] = (double)(i + 1) / (1.0 + 0.05 * (double)i);
    curve(X, MOST, 0.1, 3.0);
    sgdsched_goal goal = {.batches = 7.0, .tolerance = 1e-12};
    CHECK_STATUS(sgdsched_advise(choice, MOST, &goal, NULL, &a), SGDSCHED_OK);
    CHECK(a.rule == SGDSCHED_RULE_BALANCED && choice[a.recommended].workers == 19);
}

/* X = K / (1 + b (K - 1)) with b = 0.01 up to K = 20: the largest power is beyond. The knee is
 * where the slope is that of the line, (1 - b) / (1 + b (K - 1))^2 = (X(20) - 1) / 19: K = 9.9. */
TEST(the_most_workers_are_not_recommended_for_being_the_most)
{
    double X[20];
    sgdsched_advice a;
    size_t i;
    for (i = 0; i < 20; i++) X[i] = (double)(i + 1) / (1.0 + 0.01 * (double)i);
    curve(X, 20, 0.1, 3.0);
    a = advise(20, 7.0, 0.0, 0.0);
    CHECK(a.rule == SGDSCHED_RULE_KNEE && choice[a.recommended].workers == 10);
    CHECK(a.excess <= 0.0);
    a = advise(20, 7.0, 0.0, 1e9);
    CHECK(a.rule == SGDSCHED_RULE_FASTEST && choice[a.recommended].workers == 20);
    for (i = 0; i < 20; i++) choice[i].batches_per_s = (double)(i + 1); /* no knee          */
    a = advise(20, 7.0, 0.0, 0.0);
    CHECK(a.rule == SGDSCHED_RULE_BALANCED && choice[a.recommended].workers == 20);
    for (i = 0; i < 20; i++) choice[i].batches_per_s = X[i];
    choice[3].batches_per_s = 5.0;     /* one that is quicker than its neighbours      */
    a = advise(20, 7.0, 0.0, 0.0);
    CHECK(a.rule == SGDSCHED_RULE_KNEE && choice[a.recommended].workers == 4);
    a = advise(2, 7.0, 0.0, 0.0);      /* two numbers have no knee between             */
    CHECK(a.rule == SGDSCHED_RULE_BALANCED && choice[a.recommended].workers == 2);
}

/* ---- The rules in their plain form ---- */

static double pace_of(size_t i, const sgdsched_goal *g)
{
    const double batches = choice[i].batches > 0.0 ? choice[i].batches : g->batches;
    return g->batches / batches * choice[i].batches_per_s;
}

static double room_of(const sgdsched_goal *g) { return g->tolerance > 0.0 ? g->tolerance : 0.01; }

static sgdsched_verdict verdict_of(double low, double value, double high, double limit)
{
    if (limit <= 0.0) return SGDSCHED_VERDICT_YES;
    return low > limit ? SGDSCHED_VERDICT_NO : value > limit ? SGDSCHED_VERDICT_UNLIKELY
           : high > limit ? SGDSCHED_VERDICT_LIKELY : SGDSCHED_VERDICT_YES;
}

/* Least a, of about equal ones least b, of those the fewest workers; n: none is kept. */
static size_t plain_pick(size_t n, const sgdsched_goal *g, const int *keeps, const double *a,
                         const double *b)
{
    double least_a = HUGE_VAL, least_b = HUGE_VAL;
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (keeps[i]) least_a = fmin(least_a, a[i]);
    for (size_t i = 0; i < n; i++)
        if (keeps[i] && a[i] <= least_a * (1.0 + room_of(g))) least_b = fmin(least_b, b[i]);
    for (size_t i = n; i-- > 0;)
        if (keeps[i] && a[i] <= least_a * (1.0 + room_of(g)) &&
            b[i] <= least_b * (1.0 + room_of(g)) &&
            (best == n || choice[i].workers <= choice[best].workers)) best = i;
    return best;
}

/* Farthest above the line from the cheapest, and of those the fastest, to the last. */
static size_t plain_knee(size_t n, const sgdsched_goal *g, size_t last)
{
    size_t from = last, best = last;
    double most = room_of(g) * pace_of(last, g);
    for (size_t i = 0; i < n; i++) {
        const double price = choice[i].price_per_s;
        if (choice[i].workers > choice[last].workers) return last;
        if (price < choice[from].price_per_s ||
            (price <= choice[from].price_per_s && pace_of(i, g) > pace_of(from, g))) from = i;
    }
    for (size_t i = 0; i < n && choice[from].price_per_s < choice[last].price_per_s; i++) {
        const double part = (choice[i].price_per_s - choice[from].price_per_s) /
                            (choice[last].price_per_s - choice[from].price_per_s);
        const double line = pace_of(from, g) + part * (pace_of(last, g) - pace_of(from, g));
        if (part > 1.0 || pace_of(i, g) - line <= most) continue;
        most = pace_of(i, g) - line;
        best = i;
    }
    return best;
}

static sgdsched_advice plain_advice(size_t n, const sgdsched_goal *g)
{
    double time_s[MOST], cost[MOST], both[MOST], excess[MOST];
    int all[MOST], in_time[MOST], in_budget[MOST], within[MOST], surely[MOST];
    sgdsched_advice a = {.rule = SGDSCHED_RULE_BALANCED};
    for (size_t i = 0; i < n; i++) {
        const sgdsched_outlay *o = outlay + i;
        time_s[i] = o->time_s;
        cost[i] = o->cost;
        both[i] = sqrt(o->time_s) * sqrt(o->cost);
        excess[i] = fmax(g->deadline_s > 0.0 ? o->time_s / g->deadline_s : 0.0,
                         g->budget > 0.0 ? o->cost / g->budget : 0.0);
        all[i] = 1;
        in_time[i] = !(g->deadline_s > 0.0) || o->time_s <= g->deadline_s;
        in_budget[i] = !(g->budget > 0.0) || o->cost <= g->budget;
        within[i] = in_time[i] && in_budget[i];
        surely[i] = !(g->deadline_s > 0.0 && o->time_high_s > g->deadline_s) &&
                    !(g->budget > 0.0 && o->cost_high > g->budget);
    }
    a.cheapest = plain_pick(n, g, in_time, cost, time_s);
    a.fastest = plain_pick(n, g, in_budget, time_s, cost);
    a.surest = plain_pick(n, g, surely, cost, time_s);
    if (g->deadline_s > 0.0) {
        a.rule = SGDSCHED_RULE_CHEAPEST;
        a.recommended = plain_pick(n, g, within, cost, time_s);
    } else if (g->budget > 0.0) {
        a.rule = SGDSCHED_RULE_FASTEST;
        a.recommended = a.fastest;
    } else {
        const size_t best = plain_pick(n, g, all, both, time_s);
        a.recommended = plain_knee(n, g, best);
        if (a.recommended != best) a.rule = SGDSCHED_RULE_KNEE;
    }
    if (a.recommended < n) return a;
    a.rule = SGDSCHED_RULE_NEAREST;
    a.recommended = plain_pick(n, g, all, excess, cost);
    a.excess = excess[a.recommended] - 1.0;
    return a;
}

#define DRAWN(i, n) floor((n) * test_uniform(3, trial, i))
/* Choices of few values, so that many are equal, or just keep a limit; n of them. */
static size_t draw_choices(uint64_t trial)
{
    static const double band[] = {0.0, 0.25, 0.5, 1.0, 1.5};
    const size_t n = 1 + (size_t)DRAWN(0, 9);
    for (size_t i = 0; i < n; i++) {
        const uint32_t workers = (uint32_t)(trial % 2 ? i + 1 : n - i);
        choice[i].workers = 1 + (uint32_t)DRAWN(10 * i + 10, 5);
        choice[i].batches_per_s = 0.5 * (1.0 + DRAWN(10 * i + 11, 8));
        choice[i].low = band[(size_t)DRAWN(10 * i + 12, 5)];
        choice[i].high = band[(size_t)DRAWN(10 * i + 13, 5)];
        choice[i].price_per_s = 0.5 * DRAWN(10 * i + 14, 6);
        choice[i].batches = DRAWN(10 * i + 15, 3);
        if (trial % 3 > 0) continue;                  /* machines of one kind          */
        choice[i].workers = workers;
        choice[i].price_per_s = workers + (trial % 9 ? 0.0 : DRAWN(10 * i + 16, 3));
        choice[i].price_per_s *= trial % 4 ? 0.5 : 1000.0;
        choice[i].batches_per_s = floor(8.0 * pow(workers, 0.5 + 0.1 * DRAWN(5, 5)));
        choice[i].batches = 0.0;
    }
    return n;
}

static void check_outlay(size_t i, const sgdsched_goal *g)
{
    const sgdsched_outlay *o = outlay + i;
    const double time_s = g->batches / pace_of(i, g), price = choice[i].price_per_s;
    CHECK_REL(o->time_s, time_s, 1e-12);
    CHECK_REL(o->time_low_s * (1.0 + choice[i].high), time_s, 1e-12);
    if (choice[i].low < 1.0) CHECK_REL(o->time_high_s * (1.0 - choice[i].low), time_s, 1e-12);
    else CHECK(o->time_high_s >= HUGE_VAL);
    CHECK_REL(o->cost, price * o->time_s, 1e-12);
    CHECK_REL(o->cost_low, price * o->time_low_s, 1e-12);
    CHECK_REL(o->cost_high, price > 0.0 ? price * o->time_high_s : 0.0, 1e-12);
    CHECK(o->in_time == verdict_of(o->time_low_s, o->time_s, o->time_high_s, g->deadline_s));
    CHECK(o->in_budget == verdict_of(o->cost_low, o->cost, o->cost_high, g->budget));
}

TEST(random_choices_have_the_advice_of_the_plain_rules)
{
    const size_t trials = TEST_SIZE(6000, 500000);
    size_t had[5] = {0, 0, 0, 0, 0};
    for (size_t trial = 0; trial < trials; trial++) {
        const size_t n = draw_choices(trial);
        const sgdsched_goal g = {.batches = 1.0 + DRAWN(1, 3), .tolerance = 0.1 * DRAWN(4, 3),
                                 .deadline_s = 0.25 * fmax(0.0, DRAWN(2, 10) - 4.0),
                                 .budget = 0.5 * fmax(0.0, DRAWN(3, 8) - 4.0)};
        sgdsched_advice got, want;
        CHECK_STATUS(sgdsched_advise(choice, n, &g, outlay, &got), SGDSCHED_OK);
        for (size_t i = 0; i < n; i++) check_outlay(i, &g);
        want = plain_advice(n, &g);
        CHECK(got.recommended == want.recommended && got.rule == want.rule);
        CHECK(got.cheapest == want.cheapest && got.fastest == want.fastest);
        CHECK(got.surest == want.surest);
        CHECK_REL(got.excess, want.excess, 1e-12);
        had[got.rule]++;
    }
    printf("    of %lu advices %lu balanced, %lu cheapest, %lu fastest, %lu nearest, %lu a knee\n",
           (unsigned long)trials, (unsigned long)had[0], (unsigned long)had[1],
           (unsigned long)had[2], (unsigned long)had[3], (unsigned long)had[4]);
    CHECK_TEXT(sgdsched_verdict_text(SGDSCHED_VERDICT_UNLIKELY), "unlikely");
    for (size_t rule = 0; rule < 5; rule++) CHECK(had[rule] > trials / 100);
}
#undef DRAWN

TEST(bad_choices_and_goals_are_refused)
{
    const sgdsched_advice before = advise((curve(saturated, 5, 0.0, 1.0), 5), 180.0, 11.0, 0.0);
    sgdsched_goal goal = {0};
    sgdsched_advice a = before;
    CHECK_STATUS(sgdsched_advise(choice, 5, &goal, NULL, &a), SGDSCHED_BAD_ARGUMENT); /* no work */
    goal.batches = 1.0;
    CHECK_STATUS(sgdsched_advise(choice, 0, &goal, NULL, &a), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_advise(NULL, 5, &goal, NULL, &a), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_advise(choice, 5, NULL, NULL, &a), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_advise(choice, 5, &goal, NULL, NULL), SGDSCHED_BAD_ARGUMENT);
    choice[4].batches_per_s = 0.0;
    CHECK_STATUS(sgdsched_advise(choice, 5, &goal, NULL, &a), SGDSCHED_BAD_ARGUMENT);
    choice[4].batches_per_s = 1e-300;
    goal.batches = 1e300;
    CHECK_STATUS(sgdsched_advise(choice, 5, &goal, NULL, &a), SGDSCHED_BAD_ARGUMENT);
    choice[4].price_per_s = 0.0;           /* for nothing, and for ever                  */
    CHECK_STATUS(sgdsched_advise(choice, 5, &goal, NULL, &a), SGDSCHED_BAD_ARGUMENT);
    goal.batches = 1.0;
    choice[4].batches_per_s = 1.0;
    choice[4].workers = 0;
    CHECK_STATUS(sgdsched_advise(choice, 5, &goal, NULL, &a), SGDSCHED_BAD_ARGUMENT);
    CHECK(a.recommended == before.recommended && a.rule == before.rule);
}

/* ---- Remedies -------------------------------------------------------------- */

/* A gain is the changed job predicted, here changed by hand. Of jobs that give bytes
 * test_relations asks the same. */
static void check_gains(const sgdp_job *job, sgdp_model model, uint32_t workers)
{
    const double X = rate(job, model, workers);
    double gain[SGDP_REMEDY_COUNT];
    size_t bytes = 0;
    sgdp_job by_hand = *job;
    CHECK_STATUS(sgdp_remedies_bytes(job, model, workers, &bytes), SGDP_OK);
    CHECK(bytes <= sizeof work);
    CHECK_STATUS(sgdp_remedies(job, model, workers, work, bytes, gain), SGDP_OK);
    by_hand.links.bandwidth_bytes_per_s *= 2.0;
    by_hand.links.uplink_s /= 2.0;
    by_hand.links.downlink_s /= 2.0;
    CHECK_REL(gain[SGDP_REMEDY_BANDWIDTH] + 1.0, rate(&by_hand, model, workers) / X, 1e-12);
    CHECK_REL(gain[SGDP_REMEDY_BYTES] + 1.0, rate(&by_hand, model, workers) / X, 1e-12);
}

TEST(a_remedy_gains_what_the_changed_job_is_predicted_to)
{
    sgdp_job job = paper_job();
    job.model_bytes = job.links.bandwidth_bytes_per_s = 0.0;
    job.links.uplink_s = 0.030;
    job.links.downlink_s = 0.050;
    check_gains(&job, SGDP_SYNC_PS, 5);
    check_gains(&job, SGDP_ASYNC_EXACT, 4);
}

TEST(remedies_that_are_none_gain_nothing)
{
    sgdp_job job = paper_job();
    double gain[SGDP_REMEDY_COUNT];
    job.compute.update_s = 0.0;
    job.overlap.rule = SGDP_OVERLAP_ONE_PASS;
    CHECK_STATUS(sgdp_remedies(&job, SGDP_ASYNC_EXACT, 4, work, sizeof work, gain), SGDP_OK);
    CHECK_REL(gain[SGDP_REMEDY_UPDATE], 0.0, 0.0);
    CHECK_REL(gain[SGDP_REMEDY_OVERLAP], 0.0, 0.0);
    job.overlap.rule = SGDP_OVERLAP_FIXED_POINT; /* of which one pass is another thing */
    job.compute.forward_s = 0.1;
    job.compute.backward_s = 0.2;
    CHECK_STATUS(sgdp_remedies(&job, SGDP_ASYNC_EXACT, 4, work, sizeof work, gain), SGDP_OK);
    CHECK_REL(gain[SGDP_REMEDY_OVERLAP], 0.0, 0.0);
    CHECK_STATUS(sgdp_remedies(&job, SGDP_ASYNC_EXACT, 4, work, sizeof work, NULL),
                 SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_remedies(NULL, SGDP_ASYNC_EXACT, 4, work, sizeof work, gain),
                 SGDP_BAD_ARGUMENT);
    CHECK_TEXT(sgdp_remedy_text(SGDP_REMEDY_BATCH), "twice the batch");
    CHECK_TEXT(sgdp_remedy_text(SGDP_REMEDY_COUNT), "no such value");
}

TEST(types_are_all_made_faster_together)
{
    static const sgdp_worker_type type[2] = { { 2, 0.01, 0.02, 0.0 }, { 1, 0.03, 0.01, 0.0 } };
    static const sgdp_worker_type fast[2] = { { 2, 0.005, 0.01, 0.0 }, { 1, 0.015, 0.005, 0.0 } };
    sgdp_job job = paper_job();
    double gain[SGDP_REMEDY_COUNT], X;
    job.workers.types = 2;
    job.workers.type = type;
    CHECK_STATUS(sgdp_remedies(&job, SGDP_ASYNC_EXACT, 3, work, sizeof work, gain), SGDP_OK);
    X = rate(&job, SGDP_ASYNC_EXACT, 3);
    job.workers.type = fast;
    CHECK_REL(gain[SGDP_REMEDY_COMPUTE] + 1.0, rate(&job, SGDP_ASYNC_EXACT, 3) / X, 1e-12);
}

/* ---- Other machines -------------------------------------------------------- */

TEST(a_job_moves_with_the_compute_that_its_measured_step_leaves)
{
    sgdp_job job = paper_job(), moved, by_hand = job;
    double step_s = 0.010 + 0.019 + 0.018 + 2.0 * 0.072;
    CHECK_STATUS(sgdp_move_job(&job, SGDP_ASYNC_EXACT, 0.5, 4.0, &moved), SGDP_OK);
    by_hand.compute.forward_s /= 2.0;
    by_hand.compute.backward_s /= 2.0;
    by_hand.links.bandwidth_bytes_per_s *= 4.0;
    CHECK_REL(rate(&moved, SGDP_ASYNC_EXACT, 3), rate(&by_hand, SGDP_ASYNC_EXACT, 3), 1e-13);
    job.compute.forward_s = job.compute.backward_s = 0.0; /* the same, told by its step      */
    job.compute.one_worker_step_s = step_s;
    CHECK_STATUS(sgdp_move_job(&job, SGDP_ASYNC_EXACT, 0.5, 4.0, &moved), SGDP_OK);
    CHECK_REL(moved.compute.one_worker_step_s, 0.0145 + 0.018 + 0.036, 1e-12);
    CHECK_REL(rate(&moved, SGDP_ASYNC_EXACT, 3), rate(&by_hand, SGDP_ASYNC_EXACT, 3), 1e-12);
    job = by_hand = paper_job();
    job.model_bytes = job.links.bandwidth_bytes_per_s = 0.0;
    job.links.uplink_s = job.links.downlink_s = 0.072;
    CHECK_STATUS(sgdp_move_job(&job, SGDP_ASYNC_EXACT, 1.0, 2.0, &moved), SGDP_OK);
    by_hand.links.bandwidth_bytes_per_s *= 2.0;
    CHECK_REL(rate(&moved, SGDP_ASYNC_EXACT, 3), rate(&by_hand, SGDP_ASYNC_EXACT, 3), 1e-13);
}

TEST(moves_without_meaning_are_refused)
{
    static const sgdp_worker_type type[1] = { { 2, 0.01, 0.02, 0.0 } };
    sgdp_job job = paper_job(), moved = job;
    CHECK_STATUS(sgdp_move_job(&job, SGDP_ASYNC_EXACT, 0.0, 1.0, &moved), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_move_job(&job, SGDP_ASYNC_EXACT, 1.0, -1.0, &moved), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_move_job(NULL, SGDP_ASYNC_EXACT, 1.0, 1.0, &moved), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_move_job(&job, SGDP_ASYNC_EXACT, 1.0, 1.0, NULL), SGDP_BAD_ARGUMENT);
    job.workers.types = 1;
    job.workers.type = type;
    CHECK_STATUS(sgdp_move_job(&job, SGDP_ASYNC_EXACT, 2.0, 1.0, &moved), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_move_job(&job, SGDP_ASYNC_EXACT, 1.0, 2.0, &moved), SGDP_OK);
}

/* One more than the backups makes a step, as long as so many can be counted. */
TEST(a_job_with_any_number_of_backups_moves)
{
    sgdp_job job = paper_job(), moved = job;
    job.workers.backup = UINT32_MAX - 1;
    CHECK_STATUS(sgdp_move_job(&job, SGDP_SYNC_PS, 0.5, 1.0, &moved), SGDP_OK);
    CHECK_REL(moved.compute.backward_s, job.compute.backward_s / 2.0, 0.0);
    job.workers.backup = UINT32_MAX;
    CHECK_STATUS(sgdp_move_job(&job, SGDP_SYNC_PS, 0.5, 1.0, &moved), SGDP_BAD_ARGUMENT);
}

TEST(goals_and_choices_are_checked_in_each_number)
{
    const double bad[] = { -1.0, HUGE_VAL, (double)NAN };
    sgdsched_goal goal;
    sgdsched_advice a;
    double *const field[] = { &goal.batches, &goal.deadline_s, &goal.budget, &goal.tolerance,
                              &choice[1].batches_per_s, &choice[1].low, &choice[1].high,
                              &choice[1].price_per_s, &choice[1].batches };
    memset(&goal, 0, sizeof goal);
    curve(saturated, 5, 0.1, 1.0);
    goal.batches = 100.0;
    outlay[0].time_s = -7.0;
    for (size_t i = 0; i < sizeof field / sizeof field[0]; i++) {
        const double good = *field[i];
        for (size_t j = 0; j < 3; j++) {
            *field[i] = bad[j];
            CHECK_STATUS(sgdsched_advise(choice, 5, &goal, outlay, &a), SGDSCHED_BAD_ARGUMENT);
        }
        *field[i] = good;
    }
    choice[0].low = -1.0;
    CHECK_STATUS(sgdsched_advise(choice, 5, &goal, outlay, &a), SGDSCHED_BAD_ARGUMENT);
    choice[0].low = 0.0;
    goal.batches = 1e-300;                       /* in no time                  */
    choice[2].batches_per_s = 1e300;
    CHECK_STATUS(sgdsched_advise(choice, 5, &goal, outlay, &a), SGDSCHED_BAD_ARGUMENT);
    goal.batches = 100.0;
    choice[4].price_per_s = 1e308;               /* for more seconds than a few */
    CHECK_STATUS(sgdsched_advise(choice, 5, &goal, outlay, &a), SGDSCHED_BAD_ARGUMENT);
    CHECK(outlay[0].time_s < -6.0);
}

TEST(remedies_that_would_change_nothing_are_none)
{
    sgdp_job job = paper_job(), faster;
    double gain[SGDP_REMEDY_COUNT];
    job.servers.count = UINT32_MAX;
    CHECK_STATUS(sgdp_remedies(&job, SGDP_SYNC_PS, 4, work, sizeof work, gain), SGDP_OK);
    CHECK_REL(gain[SGDP_REMEDY_SERVER], 0.0, 0.0);
    job = paper_job();
    job.overlap.exponent = 2.0;
    CHECK_STATUS(sgdp_remedies(&job, SGDP_ALLREDUCE_RING, 4, work, sizeof work, gain), SGDP_OK);
    CHECK_REL(gain[SGDP_REMEDY_OVERLAP], 0.0, 0.0);
    CHECK_REL(gain[SGDP_REMEDY_LOCAL], 0.0, 0.0);
    job.overlap.exponent = 0.0;
    for (size_t i = 0; i < 3; i++) {             /* hidden, half of it, none          */
        job.overlap.exposure = i == 0 ? -1.0 : 0.5 * (double)i;
        CHECK_STATUS(sgdp_remedies(&job, SGDP_ALLREDUCE_RING, 4, work, sizeof work, gain), SGDP_OK);
        if (i < 2) CHECK_REL(gain[SGDP_REMEDY_OVERLAP], 0.0, 0.0);
        else CHECK(gain[SGDP_REMEDY_OVERLAP] > 0.0);
    }
    job.overlap.exposure = 0.0;
    job.machine.gpus = 4;
    job.compute.one_worker_step_s = 0.5;         /* whatever is done inside is in it */
    CHECK_STATUS(sgdp_remedies(&job, SGDP_ALLREDUCE_RING, 8, work, sizeof work, gain), SGDP_OK);
    CHECK_REL(gain[SGDP_REMEDY_LOCAL], 0.0, 0.0);
    job.compute.one_worker_step_s = 0.0;
    job.machine.local_bandwidth_bytes_per_s = 1e9;
    CHECK_STATUS(sgdp_remedies(&job, SGDP_ALLREDUCE_HIERARCHICAL, 4, work, sizeof work, gain),
                 SGDP_OK);
    faster = job;
    faster.machine.local_bandwidth_bytes_per_s = 2e9;
    CHECK(gain[SGDP_REMEDY_LOCAL] > 0.0);
    CHECK_REL(gain[SGDP_REMEDY_LOCAL] + 1.0,
              rate(&faster, SGDP_ALLREDUCE_HIERARCHICAL, 4)
                  / rate(&job, SGDP_ALLREDUCE_HIERARCHICAL, 4), 1e-12);
}

TEST(a_remedy_or_a_move_beyond_a_double_is_refused)
{
    sgdp_job job = paper_job(), moved = paper_job();
    double gain[SGDP_REMEDY_COUNT] = { -7.0 };
    size_t bytes = 7, size = 0;
    CHECK_STATUS(sgdp_remedies_bytes(&job, SGDP_SYNC_PS, 4, NULL), SGDP_BAD_ARGUMENT);
    job.links.bandwidth_bytes_per_s = 1.5e308;   /* twice of it is not a number */
    CHECK_STATUS(sgdp_remedies_bytes(&job, SGDP_SYNC_PS, 4, &bytes), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_remedies(&job, SGDP_SYNC_PS, 4, work, sizeof work, gain),
                 SGDP_BAD_ARGUMENT);
    CHECK_STATUS(sgdp_move_job(&job, SGDP_SYNC_PS, 1.0, 2.0, &moved), SGDP_BAD_ARGUMENT);
    job = paper_job();
    job.compute.forward_s = 1e308;
    CHECK_STATUS(sgdp_move_job(&job, SGDP_SYNC_PS, 10.0, 1.0, &moved), SGDP_BAD_ARGUMENT);
    job.compute.forward_s = -1.0;
    CHECK_STATUS(sgdp_move_job(&job, SGDP_SYNC_PS, 1.0, 1.0, &moved), SGDP_BAD_ARGUMENT);
    job = paper_job();                           /* a cap that is none, until links are faster */
    job.links.flow_cap_bytes_per_s = job.links.bandwidth_bytes_per_s;
    CHECK_STATUS(sgdp_remedies_bytes(&job, SGDP_ASYNC_EXACT, 1000, &size), SGDP_OK);
    CHECK_STATUS(sgdp_remedies_bytes(&job, SGDP_ASYNC_EXACT, 1000000, &bytes), SGDP_OVER_BUDGET);
    CHECK(bytes == 7 && gain[0] < -6.0);
    CHECK_REL(moved.compute.forward_s, paper_job().compute.forward_s, 0.0);
}

/* A link inside machines that takes no time at all, where no machine has two of them. */
TEST(what_is_no_remedy_refuses_no_job)
{
    sgdp_job job = paper_job();
    double gain[SGDP_REMEDY_COUNT];
    size_t bytes = 0, alone = 0;
    gain[SGDP_REMEDY_LOCAL] = -7.0;
    job.machine.local_bandwidth_bytes_per_s = DBL_MAX;
    CHECK_STATUS(sgdp_predict_bytes(&job, SGDP_ASYNC_EXACT, 4, &alone), SGDP_OK);
    CHECK_STATUS(sgdp_remedies_bytes(&job, SGDP_ASYNC_EXACT, 4, &bytes), SGDP_OK);
    CHECK(bytes >= alone && bytes <= sizeof work);
    CHECK_STATUS(sgdp_remedies(&job, SGDP_ASYNC_EXACT, 4, work, bytes, gain), SGDP_OK);
    CHECK_REL(gain[SGDP_REMEDY_LOCAL], 0.0, 0.0);
}

/* Compute as long as half of all transfers: with half the transfers it takes more rounds
 * than there are to find out how much of them is hidden. */
TEST(a_remedy_that_does_not_converge_says_so)
{
    sgdp_job job = paper_job();
    double gain[SGDP_REMEDY_COUNT];
    job.compute.update_s = 0.0;
    job.model_bytes *= 2.0;
    job.compute.forward_s = job.compute.backward_s = 0.072 * 400.0 * 0.502;
    job.overlap.rule = SGDP_OVERLAP_FIXED_POINT;
    (void)rate(&job, SGDP_ASYNC_EXACT, 400);
    CHECK_STATUS(sgdp_remedies(&job, SGDP_ASYNC_EXACT, 400, work, sizeof work, gain),
                 SGDP_NOT_CONVERGED);
    CHECK(gain[SGDP_REMEDY_BANDWIDTH] > 0.8 && gain[SGDP_REMEDY_BANDWIDTH] < 1.2);
}

TEST_MAIN("test_advice");
