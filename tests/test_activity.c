/* test_activity.c - what a traced step spent its time on, the job that gives it again, and
 * the ops that replay it. */
#include "ring.h"
#include "test.h"
#include "sgdperf.h"
#include "sgdperf_fit.h"
#include "sgdperf_sim.h"

#include <float.h>
#include <math.h>

enum { MOST = 40 };

static double work[4096];

static sgdfit_activity activity(sgdfit_activity_kind kind, double start_s, double end_s)
{
    return (sgdfit_activity){.kind = kind, .start_s = start_s, .end_s = end_s};
}

static sgdfit_status parts_of(const sgdfit_activity *a, size_t n, double start_s, double end_s,
                              sgdfit_step_parts *parts, double *from_s)
{
    const sgdfit_traced_step of = {.activity = a, .n = n, .start_s = start_s, .end_s = end_s};
    size_t bytes = 0;
    const sgdfit_status status = sgdfit_profile_activity_bytes(&of, &bytes);
    if (status != SGDFIT_OK) return status;
    CHECK(bytes <= sizeof work);
    return sgdfit_profile_activity(&of, work, bytes, parts, from_s);
}

/* ---- Parts of a step ------------------------------------------------------- */

/* Does an activity of that kind run then? */
static int runs(const sgdfit_activity *a, size_t n, sgdfit_activity_kind kind, double at_s)
{
    int found = 0;
    for (size_t i = 0; i < n; i++)
        found |= a[i].kind == kind && a[i].start_s <= at_s && at_s <= a[i].end_s;
    return found;
}

/* The start of the stall of activity j, of seconds in a step from 10 to 30: back from its
 * end, second by second, until the end of another communication. */
static double stalls_from(const sgdfit_activity *a, size_t n, size_t j)
{
    const double end_s = fmin(a[j].end_s, 30.0);
    double at_s = end_s;
    int waits = 1, others = 0;
    if (a[j].kind != SGDFIT_ACTIVITY_COMMUNICATION || a[j].start_s >= 30.0) return at_s;
    for (size_t i = 0; i < n; i++) waits &= a[i].kind != SGDFIT_ACTIVITY_WAIT;
    for (; at_s > 10.0; at_s -= 1.0) {
        for (size_t i = 0; i < n; i++)
            others |= a[i].kind == SGDFIT_ACTIVITY_COMMUNICATION && a[i].start_s < 30.0
                    && fabs(fmin(a[i].end_s, 30.0) - at_s) < 0.5 && (i < j || at_s < end_s);
        if (others || runs(a, n, SGDFIT_ACTIVITY_COMPUTE, at_s - 0.5)
            || !runs(a, n, SGDFIT_ACTIVITY_COMMUNICATION, at_s - 0.5)
            || !(waits || runs(a, n, SGDFIT_ACTIVITY_WAIT, at_s - 0.5)))
            break;
    }
    return at_s;
}

/* Against a step that is cut into pieces of a second, each looked at in its middle. */
TEST(parts_are_those_of_a_step_in_pieces)
{
    const size_t repeats = (size_t)TEST_SIZE(400, 5000);
    for (size_t run = 0; run < repeats; run++) {
        sgdfit_activity a[12];
        double compute_s = 0.0, communication_s = 0.0, overlap_s = 0.0, host_s = 0.0;
        double from_s[12], exposed_s = 0.0;
        sgdfit_step_parts p;
        const size_t n = (size_t)(test_uniform(1, run, 99) * 13.0);
        const double kinds = run % 4 ? 3.0 : 2.0;
        for (size_t i = 0; i < n; i++) {
            const double start = floor(test_uniform(2, run, i) * 40.0);
            const double length = floor(test_uniform(3, run, i) * 12.0);
            a[i] = activity((sgdfit_activity_kind)(test_uniform(4, run, i) * kinds), start,
                            start + length);
        }
        for (size_t k = 10; k < 30; k++) {
            const int computes = runs(a, n, SGDFIT_ACTIVITY_COMPUTE, (double)k + 0.5);
            const int exchanges = runs(a, n, SGDFIT_ACTIVITY_COMMUNICATION, (double)k + 0.5);
            compute_s += computes;
            communication_s += exchanges;
            overlap_s += computes && exchanges;
            host_s += !computes && !exchanges;
        }
        CHECK_STATUS(parts_of(a, n, 10.0, 30.0, &p, from_s), SGDP_OK);
        CHECK_REL(p.step_s, 20.0, 0.0);
        CHECK_REL(p.compute_s, compute_s, 0.0);
        CHECK_REL(p.communication_s, communication_s, 0.0);
        CHECK_REL(p.overlap_s, overlap_s, 0.0);
        CHECK_REL(p.host_s, host_s, 0.0);
        for (size_t i = 0; i < n; i++) {
            CHECK_REL(from_s[i], stalls_from(a, n, i), 0.0);
            exposed_s += fmin(a[i].end_s, 30.0) - from_s[i];
        }
        CHECK_REL(p.exposed_s, exposed_s, 0.0);
    }
}

TEST(no_activity_that_is_none)
{
    const double bad[] = {(double)NAN, (double)INFINITY, -1.0};
    sgdfit_activity a = activity(SGDFIT_ACTIVITY_COMPUTE, 0.0, 1.0);
    sgdfit_traced_step of = {.activity = &a, .n = 1, .end_s = 4.0};
    sgdfit_step_parts p;
    size_t bytes = 0;
    for (size_t i = 0; i < 3; i++) {
        a = activity(SGDFIT_ACTIVITY_COMPUTE, 0.0, bad[i]);
        CHECK_STATUS(parts_of(&a, 1, 0.0, 4.0, &p, NULL), SGDFIT_BAD_ARGUMENT);
    }
    a = activity(SGDFIT_ACTIVITY_COMPUTE, 2.0, 1.0);
    CHECK_STATUS(parts_of(&a, 1, 0.0, 4.0, &p, NULL), SGDFIT_BAD_ARGUMENT);
    a = activity(SGDFIT_ACTIVITY_COMPUTE, -3.0, -1.0);
    CHECK_STATUS(parts_of(&a, 1, -4.0, 0.0, &p, NULL), SGDFIT_OK);
    a = activity((sgdfit_activity_kind)3, 0.0, 1.0);
    CHECK_STATUS(parts_of(&a, 1, 0.0, 4.0, &p, NULL), SGDFIT_BAD_ARGUMENT);
    a = activity(SGDFIT_ACTIVITY_COMPUTE, 0.0, 1.0);
    CHECK_STATUS(parts_of(&a, 1, 4.0, 0.0, &p, NULL), SGDFIT_BAD_ARGUMENT);
    CHECK_STATUS(parts_of(&a, 1, 0.0, (double)INFINITY, &p, NULL), SGDFIT_BAD_ARGUMENT);
    CHECK_STATUS(parts_of(NULL, 1, 0.0, 4.0, &p, NULL), SGDFIT_BAD_ARGUMENT);
    CHECK_STATUS(parts_of(&a, 1, 0.0, 4.0, NULL, NULL), SGDFIT_BAD_ARGUMENT);
    CHECK_STATUS(sgdfit_profile_activity(&of, work, 8, &p, NULL), SGDFIT_SMALL_WORKSPACE);
    of.n = (size_t)-1 / 8;
    CHECK_STATUS(sgdfit_profile_activity_bytes(&of, &bytes), SGDFIT_TOO_LARGE);
    CHECK_STATUS(sgdfit_profile_activity_bytes(NULL, &bytes), SGDFIT_BAD_ARGUMENT);
    CHECK_TEXT(sgdfit_bound_text(SGDFIT_BOUND_ACCELERATOR), "accelerator");
    CHECK_TEXT(sgdfit_bound_text((sgdfit_bound)7), "no such value");
}

/* ---- The traced job -------------------------------------------------------- */

static double predicted(const sgdfit_traced *of, uint32_t workers)
{
    size_t bytes = 0;
    sgdp_prediction p = {0};
    sgdp_job job = {.model_bytes = of->model_bytes,
                    .compute = {.forward_s = of->forward_s, .backward_s = of->backward_s},
                    .links.bandwidth_bytes_per_s = of->bandwidth_bytes_per_s,
                    .overlap.exponent = of->overlap_exponent};
    CHECK_STATUS(sgdp_predict_bytes(&job, SGDP_ALLREDUCE_RING, workers, &bytes), SGDP_OK);
    CHECK(bytes <= sizeof work);
    CHECK_STATUS(sgdp_predict(&job, SGDP_ALLREDUCE_RING, workers, work, sizeof work, &p), SGDP_OK);
    return p.step_s;
}

TEST(the_traced_job_takes_the_traced_step)
{
    for (uint64_t run = 0; run < 500; run++) {
        const uint32_t workers = 2 + (uint32_t)(test_uniform(5, run, 0) * 200.0);
        sgdfit_step_parts p = {.step_s = 0.01 + test_uniform(5, run, 1)};
        p.communication_s = p.step_s * test_uniform(5, run, 2);
        p.exposed_s = p.communication_s * test_uniform(5, run, 3);
        if (run % 5 == 0) p.exposed_s = 0.0;
        if (run % 10 == 0) p.communication_s = p.step_s;
        if (run % 5 == 1) p.exposed_s = p.communication_s;
        sgdfit_traced job = {.forward_s = 1.0, .backward_s = 3.0};
        CHECK_STATUS(sgdfit_profile_traced(&p, workers, 1e8, &job), SGDFIT_OK);
        CHECK_REL(predicted(&job, workers), p.step_s, 1e-9);
        CHECK_REL(job.backward_s, 3.0 * job.forward_s, 1e-12);
        CHECK(job.forward_s + job.backward_s <= p.step_s * (1.0 + 1e-12));
        if (run % 5 == 0) CHECK(job.forward_s + job.backward_s >= p.step_s * 0.989);
        CHECK(predicted(&job, 2 * workers) >= predicted(&job, workers) * (1.0 - 1e-12));
        if (run % 5 == 1) CHECK_REL(job.forward_s + job.backward_s, p.step_s - p.exposed_s, 1e-9);
    }
}

/* 3 s of compute and 4 s of exchange in 5 s: what is hidden adds squares. */
TEST(a_step_of_squares_has_an_exponent_of_2)
{
    sgdfit_traced job = {0};
    sgdfit_step_parts p = {.step_s = 5.0, .communication_s = 4.0, .exposed_s = 2.0};
    CHECK_STATUS(sgdfit_profile_traced(&p, 4, 1e8, &job), SGDFIT_OK);
    CHECK_REL(job.forward_s + job.backward_s, 3.0, 1e-12);
    CHECK_REL(job.overlap_exponent, 2.0, 1e-12);
}

TEST(one_worker_has_no_link_to_tell_of)
{
    sgdfit_traced job = {0};
    sgdfit_step_parts p = {.step_s = 3.0};
    CHECK_STATUS(sgdfit_profile_traced(&p, 1, 0.0, &job), SGDFIT_OK);
    CHECK_REL(job.forward_s, 1.0, 1e-15);
    CHECK_REL(job.backward_s, 2.0, 1e-15);
    CHECK_REL(job.bandwidth_bytes_per_s, 0.0, 0.0);
    p.communication_s = 1.0;               /* with itself */
    CHECK_STATUS(sgdfit_profile_traced(&p, 1, 1e8, &job), SGDFIT_OK);
    CHECK_REL(job.bandwidth_bytes_per_s, 0.0, 0.0);
    CHECK_STATUS(sgdfit_profile_traced(&p, 0, 0.0, &job), SGDFIT_BAD_ARGUMENT);
    p.communication_s = 1.0;
    CHECK_STATUS(sgdfit_profile_traced(&p, 2, 0.0, &job), SGDFIT_BAD_ARGUMENT);
    CHECK_STATUS(sgdfit_profile_traced(&p, 2, (double)NAN, &job), SGDFIT_BAD_ARGUMENT);
    p.exposed_s = 2.0;
    CHECK_STATUS(sgdfit_profile_traced(&p, 2, 1.0, &job), SGDFIT_BAD_ARGUMENT);
    p.exposed_s = 0.0;
    p.communication_s = 4.0;
    CHECK_STATUS(sgdfit_profile_traced(&p, 2, 1.0, &job), SGDFIT_BAD_ARGUMENT);
}

/* ---- The traced step replayed ---------------------------------------------- */

typedef struct step_ops {
    sgdsim_op op[3 * MOST + 1];
    uint32_t  waits[5 * MOST + 2];
    uint32_t  of[3 * MOST + 1];
    size_t    ops;
} step_ops;

static sgdsim_status exchanges(const sgdsim_exchange *x, size_t n, double end_s, step_ops *s)
{
    size_t bytes = 0;
    const sgdsim_status status = sgdsim_trace_exchanges_bytes(n, &bytes);
    if (status != SGDSIM_OK) return status;
    CHECK(bytes <= sizeof work);
    return sgdsim_trace_exchanges(&(sgdsim_exchanges){x, n, 0.0, end_s}, work, bytes,
                                  &(sgdsim_draft){s->op, s->waits, s->of}, &s->ops);
}

/* The length of a step on two workers whose ring carries a byte a second. */
static double replayed(step_ops *s, size_t n)
{
    static double room[1 << 16];
    const uint32_t workers = 2;
    size_t bytes = 0;
    for (size_t i = 0; i < s->ops; i++)
        if (s->of[i] < n) s->op[i].bytes = s->op[i].duration_s;
    sgdsim_step step = {.op = s->op, .ops = s->ops};
    sgdsim_trace trace = {.step = &step, .steps = 1};
    sgdsim_result out = {0};
    sgdsim_config run = {.workers.types = 1, .workers.trace = &trace, .workers.count = &workers,
                         .mode = SGDSIM_SYNC, .links.rule = SGDSIM_LINK_EXCHANGE,
                         .links.exchange_s = ring_s, .links.bandwidth_bytes_per_s = 1.0,
                         .length.steps = 1};
    CHECK_STATUS(sgdsim_run_bytes(&run, &bytes), SGDSIM_OK);
    CHECK(bytes <= sizeof room);
    CHECK_STATUS(sgdsim_run(&run, room, bytes, &out), SGDSIM_OK);
    return out.makespan_s;
}

TEST(an_exchange_starts_behind_the_work_that_led_to_it)
{
    const sgdsim_exchange x[] = {{5.0, 9.0, 40.0, 7.0}, {2.0, 3.0, 10.0, 3.0}};
    const sgdsim_exchange other[] = {{2.0, 3.0, 10.0, 3.0}, {5.0, 9.0, 40.0, 7.0}};
    step_ops s;
    CHECK_STATUS(exchanges(x, 2, 12.0, &s), SGDSIM_OK);
    CHECK(s.ops == 6);                 /* work, sent, work, sent, work, [stall] work    */
    CHECK(s.op[1].resource == SGDSIM_UPLINK && s.of[1] == 1 && s.of[3] == 0);
    CHECK_REL(s.op[0].duration_s, 2.0, 0.0);
    CHECK_REL(s.op[2].duration_s, 3.0, 0.0);
    CHECK_REL(s.op[4].duration_s, 2.0, 0.0);
    CHECK_REL(s.op[5].duration_s, 3.0, 0.0);
    CHECK(s.op[3].waits == 1 && s.op[3].waits_for[0] == 2);
    CHECK(s.op[5].waits == 2 && s.op[5].waits_for[0] == 4 && s.op[5].waits_for[1] == 3);
    CHECK_REL(replayed(&s, 2), 12.0, 1e-12);
    CHECK_STATUS(exchanges(other, 2, 12.0, &s), SGDSIM_OK);
    CHECK(s.ops == 6 && s.of[1] == 0 && s.of[3] == 1);
    CHECK(s.op[5].waits == 2 && s.op[5].waits_for[1] == 3);
    CHECK_STATUS(exchanges(NULL, 0, 12.0, &s), SGDSIM_OK);
    CHECK(s.ops == 1 && s.op[0].duration_s > 11.0);
}

/* From random steps, their stalls as sgdfit_profile_activity finds them: the replay takes
 * the time of the step where exchanges end in the order in which they start. */
TEST(a_replay_takes_the_time_of_the_step)
{
    const size_t repeats = (size_t)TEST_SIZE(300, 20000);
    for (size_t run = 0; run < repeats; run++) {
        const size_t n = (size_t)(test_uniform(6, run, 0) * 8.0);
        sgdfit_activity a[MOST];
        sgdsim_exchange x[8];
        double from_s[MOST], end = 0.0;
        sgdfit_step_parts p;
        step_ops s;
        for (size_t i = 0; i < 8 + n; i++) {
            const double start = i < n ? test_uniform(7, run, i) * 40.0 : (double)(5 * (i - n));
            const double most = i < n ? 10.0 : 4.0;
            a[i] = activity(i < n ? SGDFIT_ACTIVITY_COMMUNICATION : SGDFIT_ACTIVITY_COMPUTE, start,
                            start + most * test_uniform(8, run, i));
            if (i < n && i > 0) {      /* in order                                      */
                a[i].start_s = a[i - 1].start_s + 6.0 * test_uniform(9, run, i);
                a[i].end_s = a[i].start_s + 10.0 * test_uniform(8, run, i);
                if (a[i].end_s < a[i - 1].end_s) a[i].end_s = a[i - 1].end_s + 0.25;
            }
            if (a[i].end_s > end) end = a[i].end_s;
        }
        CHECK_STATUS(parts_of(a, 8 + n, 0.0, end, &p, from_s), SGDP_OK);
        for (size_t i = 0; i < n; i++) {
            x[i].start_s = a[i].start_s;
            x[i].end_s = a[i].end_s;
            x[i].bytes = 1.0;
            x[i].stalled_from_s = from_s[i];
        }
        CHECK_STATUS(exchanges(x, n, end, &s), SGDSIM_OK);
        CHECK_REL(replayed(&s, n), end, 1e-9);
    }
}

TEST(no_exchange_that_is_none)
{
    const double nan = (double)NAN;
    const sgdsim_exchange bad[] = {
        {2.0, 1.0, 1.0, 1.0}, {nan, 1.0, 1.0, 1.0}, {0.0, nan, 1.0, 1.0}, {0.0, 1.0, -1.0, 1.0},
        {0.0, 1.0, nan, 1.0}, {0.0, 1.0, 1.0, 1.5}, {0.0, 1.0, 1.0, nan},
        {0.0, (double)INFINITY, 1.0, 1.0}
    };
    const sgdsim_exchange both[] = {{0.0, 2.0, 1.0, 0.0}, {0.0, 3.0, 1.0, 1.0}};
    step_ops s;
    size_t bytes;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK_STATUS(exchanges(bad + i, 1, 10.0, &s), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(exchanges(both, 2, 10.0, &s), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(exchanges(both, 1, -1.0, &s), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(exchanges(NULL, 1, 10.0, &s), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_exchanges_bytes(21845, &bytes), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_trace_exchanges(&(sgdsim_exchanges){both, 1, 0.0, 9.0}, work, 8,
                                        &(sgdsim_draft){s.op, s.waits, s.of}, &s.ops),
                 SGDSIM_SMALL_WORKSPACE);
}

/* However far before or behind the step: its bytes are sent at the step's begin or end. */
TEST(an_exchange_outside_of_the_step_is_at_its_end)
{
    static const double at[] = {20.0, DBL_MAX, -20.0, -DBL_MAX};
    for (size_t i = 0; i < 4; i++) {
        const size_t sent = i < 2;
        sgdsim_exchange x;
        step_ops s;
        x.start_s = x.end_s = x.stalled_from_s = at[i];
        x.bytes = 7.0;
        CHECK_STATUS(exchanges(&x, 1, 10.0, &s), SGDSIM_OK);
        CHECK(s.ops == 2 && s.of[sent] == 0);
        CHECK(s.op[sent].resource == SGDSIM_UPLINK && s.op[sent].waits == sent);
        CHECK_REL(s.op[sent].duration_s, 0.0, 0.0);
        CHECK_REL(s.op[1 - sent].duration_s, 10.0, 0.0);
    }
}

/* Two ends of each: a time, a number, and which end it is. */
TEST(an_activity_takes_the_room_of_two_ends)
{
    typedef struct end { double time_s; size_t activity; int begins; } end;
    const sgdfit_traced_step of = {.n = 1000};
    size_t bytes = 0;
    CHECK_STATUS(sgdfit_profile_activity_bytes(&of, &bytes), SGDFIT_OK);
    CHECK(bytes <= 2000 * sizeof(end));
}

/* ---- Parts of a step, one by one -------------------------------- */

TEST(a_traced_step_is_checked_in_each_of_its_parts)
{
    const double huge = DBL_MAX, nan = (double)NAN;
    const double bad[][3] = { { nan, 1.0, 1.0 }, { 0.0, 0.0, 0.0 }, { -1.0, 0.0, 0.0 },
                              { 2.0, nan, 0.0 }, { 2.0, 1.0, nan }, { 2.0, 1.0, -1.0 } };
    sgdfit_step_parts p = {0};
    sgdfit_traced job = {.forward_s = 3.0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        p.step_s = bad[i][0];
        p.communication_s = bad[i][1];
        p.exposed_s = bad[i][2];
        CHECK_STATUS(sgdfit_profile_traced(&p, 2, 1e8, &job), SGDFIT_BAD_ARGUMENT);
    }
    p.step_s = 2.0;
    p.communication_s = 1e-10;
    p.exposed_s = 0.0;
    CHECK_STATUS(sgdfit_profile_traced(NULL, 2, 1e8, &job), SGDFIT_BAD_ARGUMENT);
    CHECK_STATUS(sgdfit_profile_traced(&p, 2, 1e8, NULL), SGDFIT_BAD_ARGUMENT);
    CHECK_STATUS(sgdfit_profile_traced(&p, 2, huge, &job), SGDFIT_BAD_ARGUMENT);
    p.communication_s = 2.0;
    CHECK_STATUS(sgdfit_profile_traced(&p, 2, 4.9406564584124654e-324, &job), SGDFIT_BAD_ARGUMENT);
    job.backward_s = -1.0;
    CHECK_STATUS(sgdfit_profile_traced(&p, 2, 1e8, &job), SGDFIT_BAD_ARGUMENT);
    job.backward_s = 0.0;
    job.forward_s = nan;
    CHECK_STATUS(sgdfit_profile_traced(&p, 2, 1e8, &job), SGDFIT_BAD_ARGUMENT);
    job.forward_s = 3.0;
    CHECK(job.bandwidth_bytes_per_s <= 0.0 && job.model_bytes <= 0.0);
    p.communication_s = 0.0;                   /* nothing was sent: no link to tell of  */
    CHECK_STATUS(sgdfit_profile_traced(&p, 2, 1e8, &job), SGDFIT_OK);
    CHECK_REL(job.forward_s, 2.0, 0.0);
    CHECK_REL(job.bandwidth_bytes_per_s + job.model_bytes, 0.0, 0.0);
}

/* Longer than the step by rounding, and all of it waited for. */
TEST(a_step_may_be_communication_alone)
{
    sgdfit_traced job = {0};
    sgdfit_step_parts p = {.step_s = 2.0};
    p.communication_s = p.exposed_s = 2.0 * (1.0 + 5e-10);
    CHECK_STATUS(sgdfit_profile_traced(&p, 2, 1e8, &job), SGDFIT_OK);
    CHECK_REL(job.forward_s + job.backward_s, 0.0, 0.0);
    CHECK_REL(job.bandwidth_bytes_per_s, 1e8 / p.communication_s, 1e-15);
    CHECK_REL(job.model_bytes, 1e8, 0.0);
}

TEST(an_activity_is_asked_for_with_times_that_are_some)
{
    const sgdfit_activity a = activity(SGDFIT_ACTIVITY_COMPUTE, 1.0, 2.0);
    const sgdfit_traced_step many = {.activity = &a, .n = (size_t)-1 / 2, .end_s = 1.0};
    sgdfit_activity bad = a;
    sgdfit_step_parts p = {.step_s = -7.0};
    CHECK_STATUS(sgdfit_profile_activity(&many, work, sizeof work, &p, NULL), SGDFIT_TOO_LARGE);
    CHECK_STATUS(sgdfit_profile_activity(NULL, work, sizeof work, &p, NULL), SGDFIT_BAD_ARGUMENT);
    CHECK_STATUS(parts_of(&a, 1, 2.0, 1.0, &p, NULL), SGDFIT_BAD_ARGUMENT);
    CHECK_STATUS(parts_of(&a, 1, (double)NAN, 1.0, &p, NULL), SGDFIT_BAD_ARGUMENT);
    bad.start_s = (double)NAN;
    CHECK_STATUS(parts_of(&bad, 1, 0.0, 1.0, &p, NULL), SGDFIT_BAD_ARGUMENT);
    bad.start_s = -HUGE_VAL;
    CHECK_STATUS(parts_of(&bad, 1, 0.0, 1.0, &p, NULL), SGDFIT_BAD_ARGUMENT);
    CHECK(p.step_s < -6.0);
}

/* Of a stall that ends as an exchange begins and ends. One that begins as a stall ends is
 * behind what was waited for. */
TEST(work_behind_an_exchange_without_length_waits_for_it)
{
    const sgdsim_exchange x[] = {{1.0, 1.0, 5.0, 0.5}};
    const sgdsim_exchange then[] = {{0.0, 1.0, 4.0, 0.5}, {1.0, 2.0, 4.0, 2.0}};
    step_ops s;
    CHECK_STATUS(exchanges(then, 2, 3.0, &s), SGDSIM_OK);
    CHECK(s.ops == 5 && s.of[0] == 0 && s.of[3] == 1);
    CHECK(s.op[2].waits == 2 && s.op[2].waits_for[0] == 1 && s.op[2].waits_for[1] == 0);
    CHECK(s.op[3].waits == 1 && s.op[3].waits_for[0] == 2);
    CHECK_REL(s.op[4].duration_s, 2.0, 0.0);
    memset(work, 0xff, sizeof work);
    CHECK_STATUS(exchanges(x, 1, 2.0, &s), SGDSIM_OK);
    CHECK(s.ops == 3 && s.of[0] == 1 && s.of[1] == 0 && s.of[2] == 1);
    CHECK(s.op[1].waits == 1 && s.op[1].waits_for[0] == 0);
    CHECK(s.op[2].waits == 2 && s.op[2].waits_for[0] == 0 && s.op[2].waits_for[1] == 1);
    CHECK_REL(s.op[0].duration_s, 0.5, 0.0);
    CHECK_REL(s.op[2].duration_s, 1.0, 0.0);
}

/* A step from 5 to 10: an exchange that is waited for since before it, until 6; one behind
 * its end; and a step of nothing, which is an op of no time. */
TEST(exchanges_that_reach_out_of_a_step_are_clipped)
{
    static const sgdsim_exchange x[2] = {{3.0, 6.0, 7.0, 2.0}, {12.0, 14.0, 9.0, 14.0}};
    double sum_s = 0.0, moved_s[2] = {-1.0, -1.0};
    step_ops s;
    CHECK_STATUS(sgdsim_trace_exchanges(&(sgdsim_exchanges){x, 2, 5.0, 10.0}, work, sizeof work,
                                        &(sgdsim_draft){s.op, s.waits, s.of}, &s.ops), SGDSIM_OK);
    for (size_t i = 0; i < s.ops; i++) {
        if (s.op[i].resource == SGDSIM_WORKER) sum_s += s.op[i].duration_s;
        else moved_s[s.of[i]] = s.op[i].duration_s;
    }
    CHECK_REL(sum_s, 4.0, 1e-15);
    CHECK_REL(moved_s[0], 1.0, 1e-15);
    CHECK_REL(moved_s[1], 0.0, 0.0);
    CHECK_STATUS(sgdsim_trace_exchanges(&(sgdsim_exchanges){NULL, 0, 5.0, 5.0}, NULL, 0,
                                        &(sgdsim_draft){s.op, s.waits, s.of}, &s.ops),
                 SGDSIM_OK);
    CHECK(s.ops == 1 && s.op[0].resource == SGDSIM_WORKER && s.op[0].waits == 0);
    CHECK_REL(s.op[0].duration_s, 0.0, 0.0);
#define REFUSED(n, start_s, op, waits, of, ops)                                             \
    CHECK_STATUS(sgdsim_trace_exchanges(&(sgdsim_exchanges){x, n, start_s, 10.0}, work,     \
                                        sizeof work, &(sgdsim_draft){op, waits, of}, ops),  \
                 SGDSIM_BAD_ARGUMENT)
    REFUSED(2, 5.0, NULL, s.waits, s.of, &s.ops);
    REFUSED(2, 5.0, s.op, NULL, s.of, &s.ops);
    REFUSED(2, 5.0, s.op, s.waits, NULL, &s.ops);
    REFUSED(2, 5.0, s.op, s.waits, s.of, NULL);
    REFUSED(2, (double)INFINITY, s.op, s.waits, s.of, &s.ops);
    REFUSED(21845, 5.0, s.op, s.waits, s.of, &s.ops);
#undef REFUSED
    CHECK(s.ops == 1);
}

TEST_MAIN("test_activity");
