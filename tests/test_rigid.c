/* Queues of rigid jobs in sgdperf_sched.h against a simulation from the definitions, cases
 * by hand, a queue whose answer is known, and the laws that every schedule obeys. */
#include "../sgdperf_sched.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "oracle_queue.h"
#include "test.h"

enum { POLICIES = SGDSCHED_QUEUEING_COUNT };

/* ---- Runs ---------------------------------------------------------------- */

/* Runs in a work area of exactly the size asked for, filled with dirt. */
static sgdsched_status run(const sgdsched_rigid *in, sgdsched_stay *stay,
                           sgdsched_rigid_report *out)
{
    size_t bytes = 0;
    sgdsched_status status = sgdsched_rigid_run_bytes(in, &bytes);
    if (status != SGDSCHED_OK) return status;
    void *work = get_dirt(bytes);
    if (bytes > 0)
        CHECK_STATUS(sgdsched_rigid_run(in, work, bytes - 1, stay, out), SGDSCHED_SMALL_WORKSPACE);
    status = sgdsched_rigid_run(in, work, bytes, stay, out);
    free(work);
    return status;
}

#define DESCRIBE_IN(job, stay, jobs, least, most, tau_s, work, bytes, status)           \
    CHECK_STATUS(sgdsched_describe_stays(                                               \
                     &(sgdsched_stays){job, stay, jobs, least, most, tau_s}, work, bytes, &out), \
                 status)

static sgdsched_stay_report describe(const sgdsched_rigid_job *job, const sgdsched_stay *stay,
                                     size_t jobs, uint32_t least, uint32_t most)
{
    size_t bytes = 0;
    sgdsched_stay_report out = {0};
    CHECK_STATUS(sgdsched_describe_stays_bytes(jobs, &bytes), SGDSCHED_OK);
    void *work = get_memory(bytes, 1);
    DESCRIBE_IN(job, stay, jobs, least, most, 0.0, work, bytes, SGDSCHED_OK);
    free(work);
    return out;
}

/* ---- By hand ------------------------------------------------------------- */

/* Starts of a few jobs on so many nodes. */
static void starts(uint32_t nodes, sgdsched_queueing policy, int kill,
                   const sgdsched_rigid_job *job, size_t jobs, const double *want_s)
{
    sgdsched_stay stay[16];
    sgdsched_rigid in = {.nodes = nodes, .policy = policy, .kill = kill, .job = job, .jobs = jobs};
    CHECK_STATUS(run(&in, stay, NULL), SGDSCHED_OK);
    for (size_t i = 0; i < jobs; i++) CHECK_REL(stay[i].start_s, want_s[i], 0.0);
}

/* 10 nodes; the first leaves 4, on which the second does not fit. */
static const sgdsched_rigid_job five[] = {
    {0, 100, 100, 6}, {1, 50, 50, 8}, {2, 90, 90, 2}, {3, 150, 150, 1}, {4, 200, 200, 2}
};

TEST(fcfs_lets_nobody_pass)
{
    static const double want[] = {0, 100, 100, 150, 150};
    starts(10, SGDSCHED_FCFS, 0, five, 5, want);
}

/* The second is planned for 100, beside it 2 nodes: the third ends before, the fourth would
 * end later but takes one of the 2, of which the fifth finds one: it waits until the second
 * has begun. */
TEST(easy_backfills_what_ends_before_or_fits_beside)
{
    static const double want[] = {0, 100, 2, 3, 150};
    starts(10, SGDSCHED_EASY, 0, five, 5, want);
}

TEST(easy_may_delay_others_than_the_first)
{
    /* 4 nodes. B waits for A; C, wide, waits for B; D passes both and delays C. */
    static const sgdsched_rigid_job job[] = {
        {0, 10, 10, 3}, {1, 10, 10, 3}, {2, 10, 10, 4}, {3, 25, 25, 1}
    };
    static const double easy[] = {0, 10, 28, 3}, conservative[] = {0, 10, 20, 30};
    starts(4, SGDSCHED_EASY, 0, job, 4, easy);
    starts(4, SGDSCHED_CONSERVATIVE, 0, job, 4, conservative);
}

TEST(conservative_plans_anew_where_a_job_ends_early)
{
    /* 4 nodes, A asks for 100 and takes 10: B, planned for 100, and C behind it move. */
    static const sgdsched_rigid_job job[] = {{0, 10, 100, 3}, {1, 10, 10, 4}, {2, 5, 5, 2}};
    static const double want[] = {0, 10, 20};
    starts(4, SGDSCHED_CONSERVATIVE, 0, job, 3, want);
}

/* At 32 the job of 15 s ends, and that of 10 nodes, planned for 45, moves to 34, when that of 3 s
 * ends at the latest. The last comes then, would delay it, and waits until both start at 33. */
TEST(conservative_moves_a_job_to_nodes_that_are_free_later)
{
    static const sgdsched_rigid_job job[] = {
        {0, 1, 2, 1}, {0, 1, 1, 1}, {0, 30, 30, 13}, {0, 2, 14, 1}, {0, 2, 3, 3},
        {1, 1, 15, 3}, {1, 1, 2, 10}, {32, 1, 3, 3}
    };
    static const double want[] = {0, 0, 1, 31, 31, 31, 33, 33};
    starts(13, SGDSCHED_CONSERVATIVE, 1, job, 8, want);
}

TEST(shortest_and_smallest_come_first)
{
    static const sgdsched_rigid_job job[] = {
        {0, 10, 10, 4}, {1, 30, 30, 1}, {2, 20, 20, 3}, {3, 5, 5, 4}, {4, 10, 50, 2}
    };
    static const double sjf[] = {0, 15, 15, 10, 35}, smallest[] = {0, 10, 20, 40, 10};
    starts(4, SGDSCHED_SJF, 0, job, 5, sjf);
    starts(4, SGDSCHED_SMALLEST_FIRST, 0, job, 5, smallest);
}

TEST(jobs_are_ended_at_their_limit_only_where_told)
{
    static const sgdsched_rigid_job job[] = {{0, 100, 10, 2}, {0, 5, 0, 2}};
    static const sgdsched_rigid_job just = {0, 10, 10, 2};
    static const double runs_on[] = {0, 100}, ended[] = {0, 10};
    sgdsched_rigid_report out;
    sgdsched_stay stay[2];
    for (int p = 0; p < 3; p++) {
        starts(2, (sgdsched_queueing)p, 0, job, 2, runs_on);
        starts(2, (sgdsched_queueing)p, 1, job, 2, ended);
    }
    sgdsched_rigid in = {.nodes = 4, .kill = 1, .job = job, .jobs = 2};
    CHECK_STATUS(run(&in, stay, &out), SGDSCHED_OK);
    CHECK(out.killed == 1 && stay[0].killed && !stay[1].killed);
    CHECK_REL(stay[0].run_s, 10.0, 0.0);
    CHECK_REL(out.end_s, 10.0, 0.0);
    CHECK_REL(out.utilization, 0.75, 1e-15);
    in.job = &just;
    in.jobs = 1;
    CHECK_STATUS(run(&in, stay, &out), SGDSCHED_OK);
    CHECK(out.killed == 0 && !stay[0].killed);
}

/* Ends of 0.1 + 0.2 and 0.3 are one instant. */
TEST(rounding_does_not_separate_instants)
{
    static const sgdsched_rigid_job job[] = {
        {0.1, 0.2, 0.2, 1}, {0.1, 1, 1, 1}, {0.15, 1, 1, 2}, {0.2, 0.9, 0.9, 1},
        {0.3, 0.8, 0.8, 1}
    };
    const double end = 0.1 + 1.0;
    const double easy[] = {0.1, 0.1, end, 0.3 < 0.1 + 0.2 ? 0.3 : 0.1 + 0.2, end + 1.0};
    sgdsched_stay stay[5];
    sgdsched_rigid in = {.nodes = 2, .job = job, .jobs = 5};
    for (int p = SGDSCHED_EASY; p <= SGDSCHED_CONSERVATIVE; p++) {
        in.policy = (sgdsched_queueing)p;
        CHECK_STATUS(run(&in, stay, NULL), SGDSCHED_OK);
        /* The fourth ends at 1.2: too late. The fifth, at 1.1, is just in time. */
        CHECK_REL(stay[2].start_s, easy[2], 1e-12);
        CHECK_REL(stay[4].start_s, 0.3, 1e-12);
        for (int i = 0; i < 2; i++) CHECK_REL(stay[i].start_s, easy[i], 0.0);
    }
}

/* ---- Random traces --------------------------------------------------------- */

/* kind 0: whole seconds, so that much happens at once; 1: tenths; 2: real numbers. Every
 * second trace has users who know how long their jobs run. */
static void draw(sgdsched_rigid_job *job, size_t jobs, uint32_t nodes, uint64_t seed)
{
    const int kind = (int)(seed % 3), exact = (int)(seed / 3 % 2);
    const double load = 0.5 + 1.5 * test_uniform(seed, 0, 99);
    double at = 0.0;
    for (size_t i = 0; i < jobs; i++) {
        const double u = test_uniform(seed, i, 0), v = test_uniform(seed, i, 1);
        const double width = pow((double)nodes, test_uniform(seed, i, 2));
        job[i].nodes = (uint32_t)width;
        job[i].run_s = 1.0 + 40.0 * u * u * u;
        job[i].walltime_s = exact ? job[i].run_s : job[i].run_s * (1.0 + 4.0 * v * v);
        if (test_uniform(seed, i, 3) < 0.05) job[i].walltime_s = 0.0;
        if (test_uniform(seed, i, 3) > 0.95) job[i].walltime_s = 0.5 * job[i].run_s;
        at += -log(1.0 - test_uniform(seed, i, 4)) * 11.0 * 0.35 / load;
        job[i].arrival_s = at;
        if (kind == 2) continue;
        job[i].run_s = ceil(job[i].run_s);
        job[i].walltime_s = ceil(job[i].walltime_s);
        job[i].arrival_s = floor(at);
        if (kind == 0) continue;
        job[i].run_s /= 10.0;
        job[i].walltime_s /= 10.0;
        job[i].arrival_s /= 10.0;
    }
}

static void expect_same_starts(const sgdsched_rigid *in, uint64_t seed)
{
    const size_t n = in->jobs;
    sgdsched_stay *stay = (sgdsched_stay *)get_memory(n, sizeof *stay);
    oracle_rigid_job *want = (oracle_rigid_job *)get_memory(n, sizeof *want);
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        const sgdsched_rigid_job *job = in->job + i;
        want[i].arrive = job->arrival_s;
        want[i].nodes = (long)job->nodes;
        want[i].run = job->run_s;
        want[i].asked = job->walltime_s > 0.0 ? job->walltime_s : job->run_s;
        if (want[i].asked < want[i].run) {
            if (in->kill) want[i].run = want[i].asked;
            else want[i].asked = want[i].run;
        }
    }
    oracle_rigid_run(want, n, (oracle_rigid_policy)in->policy, (long)in->nodes);
    CHECK_STATUS(run(in, stay, NULL), SGDSCHED_OK);
    for (size_t i = 0; i < n; i++)
        wrong += !(fabs(stay[i].start_s - want[i].start) <= 1e-9 * (1.0 + want[i].start));
    if (wrong > 0) {
        fprintf(stderr, "    seed %lu, policy %d: %lu of %lu starts differ\n",
                (unsigned long)seed, (int)in->policy, (unsigned long)wrong, (unsigned long)n);
        CHECK(wrong == 0);
    }
    free(want);
    free(stay);
}

TEST(starts_are_those_of_the_definitions)
{
    const uint64_t traces = TEST_SIZE(120, 1200);
    sgdsched_rigid_job job[800];
    for (uint64_t seed = 0; seed < traces; seed++) {
        const double most = seed % 20 == 0 ? 799.0 : 79.0;     /* enough for trees of jobs   */
        sgdsched_rigid in = {.nodes = (uint32_t)(1.0 + 24.0 * test_uniform(seed, 0, 77)),
                             .jobs = 1 + (size_t)(most * test_uniform(seed, 0, 78)),
                             .kill = (int)(seed / 6 % 2), .job = job};
        draw(job, in.jobs, in.nodes, seed);
        for (int p = 0; p < POLICIES; p++) {
            in.policy = (sgdsched_queueing)p;
            expect_same_starts(&in, seed);
        }
    }
}

/* ---- The live queue ---------------------------------------------------------- */

typedef struct numbers { uint64_t seed, drawn, most; } numbers;

static unsigned next_number(void *ctx)
{
    numbers *n = (numbers *)ctx;
    return (unsigned)(256.0 * test_uniform(n->seed, n->drawn++, 0));
}

static int more_numbers(void *ctx) { return ((numbers *)ctx)->drawn < ((numbers *)ctx)->most; }

TEST(live_queue_does_what_the_definitions_say_whatever_happens)
{
    const uint64_t plays = TEST_SIZE(1500, 15000);
    uint64_t wrong = 0;
    for (uint64_t seed = 0; seed < plays; seed++) {
        numbers n = {0, 0, 0};
        n.seed = seed;
        n.most = 60 + seed % 500;
        oracle_dice d = {.next = next_number, .more = more_numbers, .ctx = &n};
        if (oracle_queue_play(&d)) continue;
        if (wrong++ < 3) fprintf(stderr, "    play %lu\n", (unsigned long)seed);
    }
    CHECK(wrong == 0);
}

/* ---- Laws ------------------------------------------------------------------ */

typedef struct edge { double time_s; long nodes; } edge;

/* By time; at the same time, those that end first. */
static int compare_edges(const void *a, const void *b)
{
    const edge *x = (const edge *)a, *y = (const edge *)b;
    if (x->time_s < y->time_s || x->time_s > y->time_s) return x->time_s < y->time_s ? -1 : 1;
    return (x->nodes > y->nodes) - (x->nodes < y->nodes);
}

/* No job before its arrival, never more nodes in use than there are; an end and a start
 * that are one instant but for rounding are. */
static void expect_room(const sgdsched_rigid *in, const sgdsched_stay *stay)
{
    edge *e = (edge *)get_memory(2 * in->jobs, sizeof *e);
    long used = 0, most = 0;
    for (size_t i = 0; i < in->jobs; i++) {
        CHECK(stay[i].start_s >= in->job[i].arrival_s);
        e[2 * i].time_s = stay[i].start_s;
        e[2 * i].nodes = (long)in->job[i].nodes;
        e[2 * i + 1].time_s = (stay[i].start_s + stay[i].run_s) * (1.0 - 1e-11);
        e[2 * i + 1].nodes = -(long)in->job[i].nodes;
    }
    qsort(e, 2 * in->jobs, sizeof *e, compare_edges);
    for (size_t i = 0; i < 2 * in->jobs; i++) {
        used += e[i].nodes;
        if (used > most) most = used;
    }
    CHECK(used == 0 && most <= (long)in->nodes);
    free(e);
}

/* Jobs that started before one that came earlier. */
static size_t overtakers(const sgdsched_stay *stay, size_t jobs)
{
    double latest_s = 0.0;
    size_t found = 0;
    for (size_t i = 0; i < jobs; i++) {
        found += stay[i].start_s < latest_s * (1.0 - 1e-11);
        latest_s = fmax(latest_s, stay[i].start_s);
    }
    return found;
}

TEST(nodes_suffice_at_every_time)
{
    const size_t jobs = (size_t)TEST_SIZE(1500, 20000);
    sgdsched_rigid_job *job = (sgdsched_rigid_job *)get_memory(jobs, sizeof *job);
    sgdsched_stay *stay = (sgdsched_stay *)get_memory(jobs, sizeof *stay);
    for (uint64_t seed = 0; seed < 6; seed++) {
        sgdsched_rigid_report out;
        sgdsched_rigid in = {.nodes = 200, .job = job, .jobs = jobs};
        draw(job, jobs, in.nodes, seed);
        for (int p = 0; p < POLICIES; p++) {
            in.policy = (sgdsched_queueing)p;
            CHECK_STATUS(run(&in, stay, &out), SGDSCHED_OK);
            expect_room(&in, stay);
            CHECK(out.utilization > 0.2 && out.utilization <= 1.0);
            CHECK((p == SGDSCHED_FCFS) == (out.backfilled == 0));
            CHECK(out.backfilled == overtakers(stay, jobs));
        }
    }
    free(stay);
    free(job);
}

/* Times that differ by a few last bits, large and small: the assertions inside hold. */
TEST(almost_equal_times_break_nothing)
{
    const uint64_t traces = TEST_SIZE(150, 1000);
    sgdsched_rigid_job job[40];
    sgdsched_stay stay[40];
    for (uint64_t seed = 0; seed < traces; seed++) {
        const double unit = pow(10.0, 40.0 * test_uniform(seed, 0, 90) - 20.0);
        const double noise = pow(10.0, -9.0 - 8.0 * test_uniform(seed, 0, 91));
        double at = 0.0;
        sgdsched_rigid in = {.nodes = 5, .jobs = 40, .job = job};
        for (size_t i = 0; i < in.jobs; i++) {
            at += floor(2.0 * test_uniform(seed, i, 0)) + noise * test_uniform(seed, i, 1);
            job[i].arrival_s = unit * at;
            job[i].nodes = 1 + (uint32_t)(5.0 * test_uniform(seed, i, 2));
            job[i].run_s = unit * (1.0 + floor(3.0 * test_uniform(seed, i, 3)) +
                                   noise * test_uniform(seed, i, 4));
            if (test_uniform(seed, i, 5) < 0.1) job[i].run_s = 1e-70;
            job[i].walltime_s = unit * (1.0 + floor(6.0 * test_uniform(seed, i, 6)) +
                                        noise * test_uniform(seed, i, 7));
        }
        for (int p = 0; p < POLICIES; p++) {
            in.policy = (sgdsched_queueing)p;
            in.kill = (int)(seed & 1);
            CHECK_STATUS(run(&in, stay, NULL), SGDSCHED_OK);
        }
    }
}

/* ---- Queues whose answers are known ---------------------------------------- */

/* Jobs of one node, on average 1 s, Poisson arrivals; exponential, or of 0.5 and 1.5 s. */
static double mean_wait(uint32_t servers, double load, sgdsched_queueing policy, int exponential)
{
    const size_t jobs = (size_t)TEST_SIZE(60000, 500000);
    sgdsched_rigid_job *job = (sgdsched_rigid_job *)get_memory(jobs, sizeof *job);
    sgdsched_stay *stay = (sgdsched_stay *)get_memory(jobs, sizeof *stay);
    double at = 0.0;
    for (size_t i = 0; i < jobs; i++) {
        const double u = test_uniform(5, i, 1);
        at -= log(1.0 - test_uniform(5, i, 0)) / (load * servers);
        job[i].arrival_s = at;
        job[i].run_s = exponential ? 1e-6 - log(1.0 - u) : u < 0.5 ? 0.5 : 1.5;
        job[i].walltime_s = (policy == SGDSCHED_SJF ? 1.0 : 1.0 + u) * job[i].run_s;
        job[i].nodes = 1;
    }
    sgdsched_rigid in = {.nodes = servers, .policy = policy, .job = job, .jobs = jobs};
    CHECK_STATUS(run(&in, stay, NULL), SGDSCHED_OK);
    sgdsched_stay_report out = describe(job, stay, jobs, 1, 1);
    CHECK(out.jobs == jobs);
    free(stay);
    free(job);
    return out.wait_s.mean;
}

/* Erlang's C over servers (1 - load), for jobs of 1 s. */
TEST(jobs_of_one_node_are_a_queue_of_several_servers)
{
    const double load = 0.7, tolerance = TEST_SIZE(6, 2) / 100.0;
    double term = 1.0, sum = 0.0, c;
    for (int k = 0; k < 3; k++) { sum += term; term *= 3.0 * load / (k + 1); }
    c = term / (1.0 - load) / (sum + term / (1.0 - load));
    for (int p = SGDSCHED_FCFS; p <= SGDSCHED_CONSERVATIVE; p++)
        CHECK_REL(mean_wait(3, load, (sgdsched_queueing)p, 1), c / (3.0 * (1.0 - load)), tolerance);
}

/* M/G/1 of Pollaczek and Khinchine: load E[S^2] / 2 / (1 - load), and with the shorter half
 * first (Cobham): E[S^2] load / 2 = R, R / (1 - a) and R / ((1 - a) (1 - load)), a = load / 4. */
TEST(jobs_of_one_node_on_one_are_a_queue_of_any_times)
{
    const double load = 0.6, r = 0.6 * 1.25 / 2.0, a = 0.15;
    const double tolerance = TEST_SIZE(5, 2) / 100.0;
    CHECK_REL(mean_wait(1, load, SGDSCHED_FCFS, 0), r / (1.0 - load), tolerance);
    CHECK_REL(mean_wait(1, load, SGDSCHED_EASY, 0), r / (1.0 - load), tolerance);
    CHECK_REL(mean_wait(1, load, SGDSCHED_SJF, 0),
              0.5 * (r / (1.0 - a) + r / ((1.0 - a) * (1.0 - load))), tolerance);
}

/* ---- Two runs of Batsim ------------------------------------------------------- */

/* Batsim counts no nodes but plans with machines: a job is planned for those of the least
 * numbers that are free from its start to its end, and needs the same ones throughout. A
 * simulation that does so too has all 801 starts of both runs; ours, which counts nodes,
 * lets jobs in that Batsim keeps waiting for machines of its choice, and others follow. */
TEST(starts_are_mostly_those_of_batsim)
{
    enum { JOBS = 801, LEAST = 720 };
    static sgdsched_rigid_job job[JOBS];
    static sgdsched_stay stay[JOBS];
    static double want[2][JOBS];
    FILE *file = fopen("tests/data/batsim_medium_late.csv", "r");
    char line[300];
    size_t n = 0;
    CHECK(file != NULL);
    if (!file) return;
    while (fgets(line, sizeof line, file) && n < JOBS)
        if (line[0] >= '0' && line[0] <= '9' &&
            sscanf(line, "%*d,%lf,%u,%lf,%lf,%lf,%lf", &job[n].arrival_s, &job[n].nodes,
                   &job[n].run_s, &job[n].walltime_s, &want[0][n], &want[1][n]) == 6)
            n++;
    fclose(file);
    CHECK(n == JOBS);
    for (int p = 0; p < 2; p++) {
        double turnaround = 0.0;
        size_t equal = 0;
        sgdsched_rigid in = {.nodes = 32, .policy = p == 0 ? SGDSCHED_EASY : SGDSCHED_CONSERVATIVE,
                             .job = job, .jobs = n};
        CHECK_STATUS(run(&in, stay, NULL), SGDSCHED_OK);
        for (size_t i = 0; i < n; i++) {
            equal += fabs(stay[i].start_s - want[p][i]) < 1e-3;
            turnaround += want[p][i] + job[i].run_s - job[i].arrival_s;
        }
        sgdsched_stay_report out = describe(job, stay, n, 1, 32);
        CHECK(equal >= LEAST);
        CHECK_REL(out.response_s.mean, turnaround / (double)n, 0.01);
    }
}

/* ---- Statistics ------------------------------------------------------------ */

TEST(stays_are_described)
{
    static const sgdsched_rigid_job job[] = {
        {0, 5, 0, 1}, {0, 20, 0, 2}, {0, 100, 0, 4}, {50, 1, 0, 4}
    };
    static const sgdsched_stay stay[] = {{0, 5, 0}, {10, 20, 0}, {30, 100, 0}, {40, 1, 0}};
    sgdsched_stay_report out = describe(job, stay, 4, 1, 4);
    CHECK(out.jobs == 4);
    CHECK_REL(out.wait_s.mean, 10.0, 1e-15);               /* 0, 10, 30, 0            */
    CHECK_REL(out.wait_s.median, 5.0, 1e-15);
    CHECK_REL(out.wait_s.p95, 10.0 + 0.85 * 20.0, 1e-15);
    CHECK_REL(out.wait_s.most, 30.0, 0.0);
    CHECK_REL(out.response_s.mean, 166.0 / 4.0, 1e-15);    /* 5, 30, 130, 1           */
    CHECK_REL(out.slowdown.mean, (1.0 + 1.5 + 1.3 + 1.0) / 4.0, 1e-15);
    CHECK_REL(out.bounded_slowdown.most, 1.5, 1e-15);
    out = describe(job, stay, 4, 4, 4);
    CHECK(out.jobs == 2);
    CHECK_REL(out.wait_s.mean, 15.0, 1e-15);
    out = describe(job, stay, 4, 3, 3);
    CHECK(out.jobs == 0 && !(out.wait_s.most > 0.0));
}

/* Of the waits 10 and 30 s the median lies in the middle, and of one it is that one,
 * whatever the work held. */
TEST(percentiles_of_one_and_of_two_stays)
{
    static const sgdsched_rigid_job job[2] = {{0, 5, 0, 1}, {0, 5, 0, 2}};
    static const sgdsched_stay stay[2] = {{10, 5, 0}, {30, 5, 0}};
    double work[2] = {(double)NAN, (double)NAN};
    sgdsched_stay_report out = describe(job, stay, 2, 1, 2);
    CHECK_REL(out.wait_s.median, 20.0, 1e-15);
    CHECK_REL(out.wait_s.p95, 29.0, 1e-15);
    out = describe(job, stay, 2, 0, 0);                /* of any number of nodes */
    CHECK(out.jobs == 2);
    DESCRIBE_IN(job, stay, 2, 1, 1, 0.0, work, sizeof work, SGDSCHED_OK);
    CHECK_REL(out.wait_s.median, 10.0, 0.0);
    CHECK_REL(out.wait_s.p95, 10.0, 0.0);
}

TEST(short_jobs_count_as_the_threshold)
{
    static const sgdsched_rigid_job job = {0, 1, 0, 1};
    static const sgdsched_stay stay = {29, 1, 0};
    double work[1];
    sgdsched_stay_report out = describe(&job, &stay, 1, 1, 1);
    CHECK_REL(out.slowdown.mean, 30.0, 1e-15);
    CHECK_REL(out.bounded_slowdown.mean, 3.0, 1e-15);
    DESCRIBE_IN(&job, &stay, 1, 1, 1, 60.0, work, sizeof work, SGDSCHED_OK);
    CHECK_REL(out.bounded_slowdown.mean, 1.0, 0.0);
}

/* ---- Bad input --------------------------------------------------------------- */

TEST(bad_jobs_are_refused)
{
    static const double bad_times[] = {-1, 1e71, 1e-71, (double)NAN, (double)INFINITY};
    sgdsched_rigid_job job[2] = {{1, 2, 3, 1}, {1, 2, 3, 1}};
    size_t bytes;
    sgdsched_rigid in = {.nodes = 2, .job = job, .jobs = 2};
    CHECK_STATUS(sgdsched_rigid_run_bytes(&in, &bytes), SGDSCHED_OK);
    for (size_t i = 0; i < sizeof bad_times / sizeof bad_times[0]; i++) {
        job[1].run_s = bad_times[i];
        CHECK_STATUS(sgdsched_rigid_run_bytes(&in, &bytes), SGDSCHED_BAD_ARRIVAL);
        job[1].run_s = 2;
        job[1].walltime_s = bad_times[i];
        CHECK_STATUS(sgdsched_rigid_run_bytes(&in, &bytes), SGDSCHED_BAD_ARRIVAL);
        job[1].walltime_s = 3;
        job[1].arrival_s = i == 2 ? 0.5 : bad_times[i];
        CHECK_STATUS(sgdsched_rigid_run_bytes(&in, &bytes), SGDSCHED_BAD_ARRIVAL);
        job[1].arrival_s = 1;
    }
    job[1].run_s = 0;
    CHECK_STATUS(sgdsched_rigid_run_bytes(&in, &bytes), SGDSCHED_BAD_ARRIVAL);
    job[1].run_s = 2;
    for (job[1].nodes = 0; job[1].nodes < 4; job[1].nodes += 3)
        CHECK_STATUS(sgdsched_rigid_run_bytes(&in, &bytes), SGDSCHED_BAD_ARRIVAL);
    job[1].nodes = 1;
    job[1].arrival_s = job[1].run_s = job[1].walltime_s = 1e70;     /* the last of them */
    CHECK_STATUS(sgdsched_rigid_run_bytes(&in, &bytes), SGDSCHED_OK);
    job[1].arrival_s = nextafter(1e70, HUGE_VAL);
    CHECK_STATUS(sgdsched_rigid_run_bytes(&in, &bytes), SGDSCHED_BAD_ARRIVAL);
}

TEST(bad_arguments_are_refused)
{
    sgdsched_rigid_job job = {1, 2, 3, 1};
    sgdsched_stay stay = {0, 1, 0};
    sgdsched_stay_report out;
    double work[100];
    size_t bytes;
    sgdsched_rigid in = {.nodes = 2, .job = &job, .jobs = 1};
    CHECK_STATUS(sgdsched_rigid_run(&in, work, sizeof work, &stay, NULL), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_rigid_run(&in, work, sizeof work, NULL, NULL), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_rigid_run(&in, NULL, 0, &stay, NULL), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_rigid_run(&in, work, 1, &stay, NULL), SGDSCHED_SMALL_WORKSPACE);
    CHECK_STATUS(sgdsched_rigid_run_bytes(&in, NULL), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_rigid_run_bytes(NULL, &bytes), SGDSCHED_BAD_ARGUMENT);
    in.policy = SGDSCHED_QUEUEING_COUNT;
    CHECK_STATUS(sgdsched_rigid_run_bytes(&in, &bytes), SGDSCHED_BAD_ARGUMENT);
    in.policy = SGDSCHED_EASY;
    in.jobs = 0;
    CHECK_STATUS(sgdsched_rigid_run_bytes(&in, &bytes), SGDSCHED_BAD_ARGUMENT);
    in.jobs = (size_t)1 << 30;
    CHECK_STATUS(sgdsched_rigid_run_bytes(&in, &bytes), SGDSCHED_TOO_LARGE);
    DESCRIBE_IN(&job, &stay, 1, 1, 2, -1.0, work, 8, SGDSCHED_BAD_ARGUMENT);
    DESCRIBE_IN(&job, &stay, 1, 2, 1, 0.0, work, 8, SGDSCHED_BAD_ARGUMENT);
    DESCRIBE_IN(&job, &stay, 1, 1, 2, 0.0, work, 7, SGDSCHED_SMALL_WORKSPACE);
    stay.run_s = 0.0;
    DESCRIBE_IN(&job, &stay, 1, 1, 2, 0.0, work, 8, SGDSCHED_BAD_ARRIVAL);
}

TEST(a_run_needs_jobs_and_nodes)
{
    sgdsched_rigid_job job = {1, 2, 3, 1};
    sgdsched_stay stay = {7, 7, 7};
    double work[100];
    sgdsched_rigid in = {.nodes = 2, .jobs = 1};
    CHECK_STATUS(sgdsched_rigid_run(&in, work, sizeof work, &stay, NULL), SGDSCHED_BAD_ARGUMENT);
    in.job = &job;
    in.nodes = 0;
    CHECK_STATUS(sgdsched_rigid_run(&in, work, sizeof work, &stay, NULL), SGDSCHED_BAD_ARGUMENT);
    CHECK(stay.killed == 7 && stay.start_s > 6.0);
}

/* What a job runs is less than the clock tells apart at its time, or more by half a tick. */
TEST(utilization_is_a_share_however_coarse_the_clock)
{
    sgdsched_rigid_job job = {1e16, 2.9375, 0, 1};
    sgdsched_stay stay;
    sgdsched_rigid_report out;
    sgdsched_rigid in = {0};
    in.nodes = 1, in.jobs = 1;
    in.job = &job;
    CHECK_STATUS(run(&in, &stay, &out), SGDSCHED_OK);
    CHECK_REL(out.end_s, 1e16 + 2.0, 0.0);
    CHECK_REL(out.utilization, 1.0, 0.0);
    job.run_s = 0.5;
    CHECK_STATUS(run(&in, &stay, &out), SGDSCHED_OK);
    CHECK_REL(out.utilization, 0.0, 0.0);
}

TEST(a_job_that_was_ended_is_slowed_down_by_what_it_ran)
{
    static const sgdsched_rigid_job job = {0, 100, 20, 1};
    static const sgdsched_stay stay = {60, 20, 1};
    const sgdsched_stay_report out = describe(&job, &stay, 1, 1, 1);
    CHECK_REL(out.slowdown.mean, 80.0 / 20.0, 1e-15);
    CHECK_REL(out.bounded_slowdown.mean, 80.0 / 20.0, 1e-15);
}

TEST(bad_stays_are_refused)
{
    sgdsched_rigid_job job = {1, 2, 3, 1};
    sgdsched_stay stay = {1, 2, 0};
    sgdsched_stay_report out;
    double work[1];
#define DESCRIBE(job, stay, jobs, out) \
    sgdsched_describe_stays(&(sgdsched_stays){job, stay, jobs, 1, 1, 0.0}, work, \
                            sizeof work, out)
    out.jobs = 77;
    CHECK_STATUS(DESCRIBE(&job, &stay, (size_t)-1, &out), SGDSCHED_TOO_LARGE);
    CHECK_STATUS(sgdsched_describe_stays(NULL, work, sizeof work, &out), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(DESCRIBE(NULL, &stay, 1, &out), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(DESCRIBE(&job, NULL, 1, &out), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(DESCRIBE(&job, &stay, 1, NULL), SGDSCHED_BAD_ARGUMENT);
    job.arrival_s = (double)NAN;
    CHECK_STATUS(DESCRIBE(&job, &stay, 1, &out), SGDSCHED_BAD_ARRIVAL);
    job.arrival_s = 1;
    stay.start_s = HUGE_VAL;
    CHECK_STATUS(DESCRIBE(&job, &stay, 1, &out), SGDSCHED_BAD_ARRIVAL);
    stay.start_s = 1;
    job.run_s = 0;
    CHECK_STATUS(DESCRIBE(&job, &stay, 1, &out), SGDSCHED_BAD_ARRIVAL);
    CHECK(out.jobs == 77);
    job.run_s = 2;
    job.arrival_s = stay.start_s = 1e70 / 1e-70;       /* the largest of all times */
    CHECK_STATUS(DESCRIBE(&job, &stay, 1, &out), SGDSCHED_OK);
    CHECK_STATUS(DESCRIBE(NULL, NULL, 0, &out), SGDSCHED_OK);
    CHECK(out.jobs == 0 && !(out.wait_s.most > 0.0));
#undef DESCRIBE
}

TEST(a_queue_that_is_none_is_refused)
{
    size_t start[1], starts = 77;
    CHECK_STATUS(sgdsched_queue_advance(NULL, 1.0), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_queue_submit(NULL, 0, 1, 1.0), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_queue_leave(NULL, 0), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_queue_set_walltime(NULL, 0, 1.0), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_queue_set_nodes(NULL, 1), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_queue_decide(NULL, start, &starts), SGDSCHED_BAD_ARGUMENT);
    CHECK(sgdsched_queue_next_s(NULL) > DBL_MAX && sgdsched_queue_start_s(NULL, 0) > DBL_MAX);
    CHECK(sgdsched_queue_idle_nodes(NULL) == 0 && starts == 77);
}

/* Jobs of one node end one after the other; every fourth goes early, and others come that end
 * last. So blocks of the plan become too many. */
TEST(a_plan_has_all_ends_of_jobs_that_come_and_go)
{
    enum { JOBS = 400 };
    static double work[8192];
    size_t start[JOBS], starts;
    sgdsched_queue *q = NULL;
    CHECK_STATUS(sgdsched_queue_open(JOBS, SGDSCHED_EASY, JOBS + 1, work, sizeof work, &q),
                 SGDSCHED_OK);
    for (size_t i = 0; i < JOBS + JOBS / 4; i++) {
        const size_t job = i < JOBS ? i : 4 * (i - JOBS);
        if (i >= JOBS) CHECK_STATUS(sgdsched_queue_leave(q, job), SGDSCHED_OK);
        CHECK_STATUS(sgdsched_queue_submit(q, job, 1, 1.0 + (double)i), SGDSCHED_OK);
        CHECK_STATUS(sgdsched_queue_decide(q, start, &starts), SGDSCHED_OK);
        CHECK(starts == 1 && start[0] == job);
    }
    for (uint32_t wide = 1, end = 0; wide <= JOBS; wide++) {
        do end++; while (end <= JOBS && (end - 1) % 4 == 0);
        CHECK_STATUS(sgdsched_queue_submit(q, JOBS, wide, 1.0), SGDSCHED_OK);
        CHECK_STATUS(sgdsched_queue_decide(q, start, &starts), SGDSCHED_OK);
        CHECK_REL(sgdsched_queue_start_s(q, JOBS), (double)end, 0.0);
        CHECK_STATUS(sgdsched_queue_leave(q, JOBS), SGDSCHED_OK);
    }
}

TEST(a_queue_needs_what_it_is_opened_with)
{
    double work[400];
    sgdsched_queue *q = NULL;
    size_t bytes = 77, start[1], starts = 77;
    const sgdsched_queueing easy = SGDSCHED_EASY;
    CHECK_STATUS(sgdsched_queue_open_bytes(0, easy, 1, &bytes), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_queue_open_bytes(1, easy, 0, &bytes), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_queue_open_bytes(1, easy, 1, NULL), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_queue_open_bytes(1, SGDSCHED_QUEUEING_COUNT, 1, &bytes),
                 SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_queue_open_bytes(1, easy, (size_t)1 << 30, &bytes), SGDSCHED_TOO_LARGE);
    CHECK(bytes == 77);
    if (sizeof(size_t) > 4)
        CHECK_STATUS(sgdsched_queue_open_bytes(1, easy, ((size_t)1 << 30) - 1, &bytes),
                     SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_open_bytes(1, easy, 1, &bytes), SGDSCHED_OK);
    CHECK(bytes <= sizeof work);
    CHECK_STATUS(sgdsched_queue_open(0, easy, 1, work, sizeof work, &q), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_queue_open(1, easy, 1, work, sizeof work, NULL), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_queue_open(1, easy, 1, work, bytes - 1, &q), SGDSCHED_SMALL_WORKSPACE);
    CHECK(q == NULL);
    CHECK_STATUS(sgdsched_queue_open(1, easy, 1, work, bytes, &q), SGDSCHED_OK);
    CHECK(sgdsched_queue_next_s(q) > DBL_MAX);         /* never                       */
    CHECK_STATUS(sgdsched_queue_advance(q, 1e300), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_queue_decide(q, NULL, &starts), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_queue_decide(q, start, NULL), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_queue_submit(q, 0, 1, 5.0), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_decide(q, start, &starts), SGDSCHED_OK);
    CHECK(starts == 1 && start[0] == 0 && sgdsched_queue_idle_nodes(q) == 0);
    CHECK_STATUS(sgdsched_queue_set_walltime(q, 0, 1e-71), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_queue_set_walltime(q, 0, 1e-70), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_set_walltime(q, 0, 1e70), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_set_walltime(q, 0, 1.1e70), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_queue_advance(q, 1e70), SGDSCHED_OK);
}

/* ---- Rare ways ---------------------------------------------------------------- */

/* Memory is for jobs, of which no more can run at once, however many nodes there are. */
TEST(runs_need_no_memory_for_nodes)
{
    static const sgdsched_rigid_job job[2] = {{0, 5, 0, 1}, {0, 5, 0, 2}};
    size_t few = 0, many = 0;
    sgdsched_rigid in = {.job = job, .jobs = 2};
    for (int p = 0; p < POLICIES; p++) {
        in.policy = (sgdsched_queueing)p;
        in.nodes = 2;
        CHECK_STATUS(sgdsched_rigid_run_bytes(&in, &few), SGDSCHED_OK);
        in.nodes = 1u << 30;
        CHECK_STATUS(sgdsched_rigid_run_bytes(&in, &many), SGDSCHED_OK);
        CHECK(few == many);
    }
}

/* That of a queue of as many jobs, a byte more for each, and 24 for each that may run. */
TEST(a_run_needs_as_little_memory_as_is_told)
{
    static const sgdsched_rigid_job one = {0, 5, 0, 1};
    enum { JOBS = 8000, NODES = 100 };
    sgdsched_rigid_job *job = (sgdsched_rigid_job *)get_memory(JOBS, sizeof *job);
    size_t bytes = 0, queue = 0;
    for (size_t i = 0; i < JOBS; i++) job[i] = one;
    sgdsched_rigid in = {.job = job, .jobs = JOBS, .nodes = NODES};
    for (int p = 0; p < POLICIES; p++) {
        in.policy = (sgdsched_queueing)p;
        CHECK_STATUS(sgdsched_rigid_run_bytes(&in, &bytes), SGDSCHED_OK);
        CHECK_STATUS(sgdsched_queue_open_bytes(NODES, in.policy, JOBS, &queue), SGDSCHED_OK);
        CHECK(bytes <= queue + JOBS + 24 * NODES);
    }
    free(job);
}

/* Starts in a unit of 2^-12 of a second are the same in that unit. */
TEST(times_may_be_short)
{
    enum { JOBS = 60 };
    sgdsched_rigid_job job[JOBS];
    sgdsched_stay stay[JOBS], brief[JOBS];
    sgdsched_rigid in = {.nodes = 8, .jobs = JOBS, .job = job};
    for (int p = 0; p < POLICIES; p++) {
        in.policy = (sgdsched_queueing)p;
        draw(job, JOBS, in.nodes, 2);
        CHECK_STATUS(run(&in, stay, NULL), SGDSCHED_OK);
        for (size_t i = 0; i < JOBS; i++) {
            job[i].arrival_s = ldexp(job[i].arrival_s, -12);
            job[i].run_s = ldexp(job[i].run_s, -12);
            job[i].walltime_s = ldexp(job[i].walltime_s, -12);
        }
        CHECK_STATUS(run(&in, brief, NULL), SGDSCHED_OK);
        for (size_t i = 0; i < JOBS; i++)
            CHECK_REL(brief[i].start_s, ldexp(stay[i].start_s, -12), 0.0);
    }
}

enum { MOST_STARTS = 64, NOBODY = 1000 };

/* Decides: who starts, the only one if any. */
static size_t starter(sgdsched_queue *q)
{
    size_t start[MOST_STARTS] = {NOBODY}, starts = 77;
    CHECK_STATUS(sgdsched_queue_decide(q, start, &starts), SGDSCHED_OK);
    CHECK(starts <= 1);
    return starts > 0 ? start[0] : NOBODY;
}

/* A queue of two nodes under conservative backfilling; job 0 has `nodes` of them from 0 s
 * on, and job 1, of both, waits for it. */
static sgdsched_queue *short_queue(double *work, size_t bytes, uint32_t nodes, double run_s)
{
    sgdsched_queue *q = NULL;
    CHECK_STATUS(sgdsched_queue_open(2, SGDSCHED_CONSERVATIVE, 4, work, bytes, &q), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_submit(q, 0, nodes, run_s), SGDSCHED_OK);
    (void)starter(q);
    CHECK_STATUS(sgdsched_queue_submit(q, 1, 2, 0.25), SGDSCHED_OK);
    (void)starter(q);
    CHECK_REL(sgdsched_queue_start_s(q, 1), run_s, 0.0);
    CHECK_REL(sgdsched_queue_next_s(q), run_s, 0.0);
    return q;
}

/* One that waits is planned anew when another takes longer, also of less than a second. */
TEST(short_jobs_are_planned_anew)
{
    double work[2048];
    sgdsched_queue *q = short_queue(work, sizeof work, 2, 0.25);
    CHECK_STATUS(sgdsched_queue_set_walltime(q, 0, 0.5), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_submit(q, 2, 2, 0.25), SGDSCHED_OK);
    (void)starter(q);
    CHECK_REL(sgdsched_queue_start_s(q, 1), 0.5, 0.0);
    CHECK_REL(sgdsched_queue_start_s(q, 2), 0.75, 0.0);
}

/* A job that starts a little after now, in the same instant, runs on from its start. */
TEST(a_job_may_start_later_in_the_instant)
{
    double work[2048];
    sgdsched_queue *q = short_queue(work, sizeof work, 2, 1.0);
    CHECK_STATUS(sgdsched_queue_submit(q, 2, 1, 3.0), SGDSCHED_OK);
    (void)starter(q);
    CHECK_STATUS(sgdsched_queue_advance(q, 1.0 - 5e-13), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_leave(q, 0), SGDSCHED_OK);
    CHECK(starter(q) == 1);
    CHECK_REL(sgdsched_queue_start_s(q, 1), 1.0, 0.0);
    CHECK_STATUS(sgdsched_queue_set_walltime(q, 1, 5.0), SGDSCHED_OK);
    (void)starter(q);
    CHECK_REL(sgdsched_queue_start_s(q, 2), 6.0, 0.0);
}

/* Now and the end that is planned for job 0 are less than an instant apart, and job 2 takes
 * less than that: it takes no time that the clock tells. */
TEST(a_job_shorter_than_an_instant_ends_where_it_starts)
{
    double work[2048];
    sgdsched_queue *q = short_queue(work, sizeof work, 1, 1e6);
    CHECK_STATUS(sgdsched_queue_leave(q, 1), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_advance(q, 1e6 - 5e-7), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_submit(q, 2, 2, 1e-20), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_submit(q, 3, 2, 7.0), SGDSCHED_OK);
    CHECK(starter(q) == NOBODY);
    CHECK_REL(sgdsched_queue_start_s(q, 2), 1e6, 0.0);
    CHECK_REL(sgdsched_queue_start_s(q, 3), 1e6, 0.0);
    CHECK_STATUS(sgdsched_queue_leave(q, 0), SGDSCHED_OK);
    CHECK(starter(q) == 2);
}

/* Two times that are one instant by the later one, and two by the earlier: 10^-12 of it is
 * half of its last bit more than a whole number of them. */
static void find_edge(double *sooner_s, double *later_s)
{
    double n;
    *sooner_s = *later_s = 0.0;
    for (n = 4504.5; n < 9006.0; n += 1.0) {
        const double s = ldexp(n, -52) / 1e-12, e = s + ldexp(n + 0.5, -52);
        if (e - 1e-12 * e > s || e <= s + 1e-12 * s) continue;
        *sooner_s = s;
        *later_s = e;
        return;
    }
}

/* Job 2 waits for both others, whose ends are planned for one instant. The second comes in
 * the next one; job 2 began at the first, and is over before now. */
TEST(a_job_may_end_before_now)
{
    sgdsched_rigid_job job[4] = {{0, 0, 0, 1}, {0, 0, 0, 1}, {0.25, 1e-20, 0, 2}, {0.5, 1, 0, 2}};
    double sooner_s, later_s;
    sgdsched_rigid_report out;
    sgdsched_stay stay[4];
    find_edge(&sooner_s, &later_s);
    CHECK(sooner_s > 1.0 && later_s > sooner_s);
    job[0].run_s = sooner_s;
    job[1].run_s = later_s;
    sgdsched_rigid in = {.policy = SGDSCHED_CONSERVATIVE, .nodes = 2, .job = job, .jobs = 4};
    CHECK_STATUS(run(&in, stay, &out), SGDSCHED_OK);
    CHECK_REL(stay[2].start_s, sooner_s, 0.0);
    CHECK_REL(stay[3].start_s, sooner_s, 2e-12);
    CHECK_REL(out.end_s, sooner_s + 1.0, 2e-12);
}

/* Hundreds wait at once, of which many pass others: several trees, built and left. */
TEST(starts_of_long_queues_are_those_of_the_definitions)
{
    enum { JOBS = 500 };
    static sgdsched_rigid_job job[JOBS];
    for (uint64_t seed = 0; seed < TEST_SIZE(2, 12); seed++) {
        sgdsched_rigid in = {.nodes = 16, .jobs = JOBS, .job = job, .policy = SGDSCHED_EASY};
        draw(job, JOBS, in.nodes, seed);
        for (size_t i = 0; i < JOBS; i++) job[i].arrival_s *= 0.2;
        expect_same_starts(&in, seed);
    }
}

/* A job that waits for one that is late begins now, not when that should have ended. */
TEST(starts_that_are_past_are_now)
{
    static const sgdsched_queueing policy[3] = {SGDSCHED_EASY, SGDSCHED_CONSERVATIVE,
                                                SGDSCHED_CONSERVATIVE};
    static const double now_s[3] = {12.0, 12.0, 10.0 + 3e-11};    /* late but for rounding  */
    double work[2048];
    for (size_t i = 0; i < 3; i++) {
        sgdsched_queue *q = NULL;
        CHECK_STATUS(sgdsched_queue_open(1, policy[i], 3, work, sizeof work, &q), SGDSCHED_OK);
        CHECK_STATUS(sgdsched_queue_submit(q, 0, 1, 10.0), SGDSCHED_OK);
        CHECK(starter(q) == 0);
        CHECK_STATUS(sgdsched_queue_submit(q, 1, 1, 5.0), SGDSCHED_OK);
        CHECK(starter(q) == NOBODY);
        CHECK_REL(sgdsched_queue_start_s(q, 1), 10.0, 0.0);
        CHECK_STATUS(sgdsched_queue_advance(q, now_s[i]), SGDSCHED_OK);
        CHECK_REL(sgdsched_queue_start_s(q, 1), now_s[i], 0.0);
        CHECK_STATUS(sgdsched_queue_leave(q, 0), SGDSCHED_OK);
        CHECK(starter(q) == 1);
        CHECK_REL(sgdsched_queue_start_s(q, 1), now_s[i], 0.0);
    }
}

/* 40 jobs that wait for one; with `again`, every second of the first 33 is taken back and
 * submitted anew, behind all others: as if they had come in that order. Who starts then. */
static size_t starts_after(int again, size_t *start)
{
    enum { JOBS = 41 };
    static double work[8192];
    sgdsched_queue *q = NULL;
    size_t starts = 0;
    CHECK_STATUS(sgdsched_queue_open(10, SGDSCHED_EASY, JOBS, work, sizeof work, &q), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_submit(q, 40, 10, 100.0), SGDSCHED_OK);
    CHECK(starter(q) == 40);
    for (int late = 0; late < 2; late++)
        for (size_t i = 0; i < 40; i++) {
            const int moves = i <= 32 && i % 2 == 0;
            if (again && late && moves) CHECK_STATUS(sgdsched_queue_leave(q, i), SGDSCHED_OK);
            if (again ? late == 0 : late == moves)
                CHECK_STATUS(sgdsched_queue_submit(q, i, 3 + (uint32_t)i % 5, 10.0 + (double)i),
                             SGDSCHED_OK);
        }
    for (size_t i = 0; i < 40 && again; i++)
        if (i <= 32 && i % 2 == 0)
            CHECK_STATUS(sgdsched_queue_submit(q, i, 3 + (uint32_t)i % 5, 10.0 + (double)i),
                         SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_advance(q, 100.0), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_leave(q, 40), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_decide(q, start, &starts), SGDSCHED_OK);
    return starts;
}

TEST(jobs_that_come_back_are_behind_all_others)
{
    size_t got[41], want[41], n = starts_after(1, got), m = starts_after(0, want);
    CHECK(n == m && n > 1);
    CHECK(memcmp(got, want, n * sizeof *got) == 0);
}

/* Job 0 has one of 2 nodes until end_s; job 1 waits for both, and others behind it; how many of
 * these start at once that take so long? */
static size_t backfilled(double end_s, double now_s, double walltime_s, size_t others)
{
    static double work[8192];
    sgdsched_queue *q = NULL;
    size_t start[64], starts = 0, i;
    CHECK_STATUS(sgdsched_queue_open(2, SGDSCHED_EASY, 64, work, sizeof work, &q), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_submit(q, 0, 1, end_s), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_decide(q, start, &starts), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_advance(q, now_s), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_submit(q, 1, 2, end_s), SGDSCHED_OK);
    for (i = 0; i < others; i++)
        CHECK_STATUS(sgdsched_queue_submit(q, 2 + i, 1, walltime_s), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_decide(q, start, &starts), SGDSCHED_OK);
    CHECK(starts == 0 || start[0] == 2);
    return starts;
}

/* A job passes the first that waits if it ends in the instant in which that is to start, and
 * not if it ends after: among few that wait, which are loose, and many, which are a tree. */
TEST(a_job_passes_that_ends_just_in_the_instant)
{
    static const double end_s[3] = {1.0, 96.0, 1e6};
    for (size_t i = 0; i < 6; i++) {
        const double now_s = i % 2 == 0 ? 0.0 : 0.25 * end_s[i / 2];
        const double rest_s = end_s[i / 2] + 1e-12 * end_s[i / 2] - now_s;
        for (size_t few = 0; few < 2; few++) {
            CHECK(backfilled(end_s[i / 2], now_s, rest_s, few ? 3 : 60) == 1);
            CHECK(backfilled(end_s[i / 2], now_s, nextafter(rest_s, HUGE_VAL), few ? 3 : 60) == 0);
        }
    }
}

/* Two jobs that end in one instant, a part 10^-12 of its time whatever that is, end when the
 * first was to: another starts then, of one node or both. Else it starts with the sooner, or
 * the later, of the two ends. */
TEST(an_instant_is_as_wide_as_its_time_is_late)
{
    static const double time_s[5] = {1e-9, 1e-3, 1.0, 1e3, 1e9};
    static const double after[4] = {5e-13, -5e-13, 4e-12, -4e-12};
    double work[2048];
    for (size_t i = 0; i < 80; i++) {
        const uint32_t nodes = 1 + (uint32_t)i % 2;
        const double first_s = time_s[i / 4 % 5], by = after[i / 20];
        const double second_s = fabs(by) < 1e-12 ? first_s : first_s * (1.0 + by);
        const int by_second = (nodes == 1) == (second_s < first_s);
        sgdsched_queue *q = NULL;
        size_t start[3], starts = 0;
        CHECK_STATUS(sgdsched_queue_open(2, i / 2 % 2 ? SGDSCHED_EASY : SGDSCHED_CONSERVATIVE, 3,
                                         work, sizeof work, &q), SGDSCHED_OK);
        CHECK_STATUS(sgdsched_queue_submit(q, 0, 1, first_s), SGDSCHED_OK);
        CHECK_STATUS(sgdsched_queue_submit(q, 1, 1, first_s * (1.0 + by)), SGDSCHED_OK);
        CHECK_STATUS(sgdsched_queue_submit(q, 2, nodes, 1.0), SGDSCHED_OK);
        CHECK_STATUS(sgdsched_queue_decide(q, start, &starts), SGDSCHED_OK);
        CHECK(starts == 2);
        CHECK_REL(sgdsched_queue_start_s(q, 2), by_second ? second_s : first_s, 0.0);
    }
}

/* More jobs wait than 40 trees of 129 would have: each tree is twice as long as the next. They
 * begin in order of arrival, as all have the same width and take as long. */
TEST(thousands_wait_in_order)
{
    const size_t jobs = (size_t)TEST_SIZE(6000, 30000);
    size_t *start = (size_t *)get_memory(jobs, sizeof *start);
    size_t bytes = 0, starts = 0, i;
    sgdsched_queue *q = NULL;
    CHECK_STATUS(sgdsched_queue_open_bytes(4, SGDSCHED_EASY, jobs, &bytes), SGDSCHED_OK);
    void *work = get_memory(bytes, 1);
    CHECK_STATUS(sgdsched_queue_open(4, SGDSCHED_EASY, jobs, work, bytes, &q), SGDSCHED_OK);
    for (i = 0; i < jobs; i++) CHECK_STATUS(sgdsched_queue_submit(q, i, 3, 1.0), SGDSCHED_OK);
    for (i = 0; i < jobs; i++) {
        CHECK_STATUS(sgdsched_queue_decide(q, start, &starts), SGDSCHED_OK);
        CHECK(starts == 1 && start[0] == i);
        CHECK_STATUS(sgdsched_queue_leave(q, i), SGDSCHED_OK);
    }
    free(work);
    free(start);
}

/* What a job was given a little after now is free now, once it ends. */
TEST(a_job_that_ends_where_it_began_leaves_its_nodes_at_once)
{
    double work[2048];
    sgdsched_queue *q = short_queue(work, sizeof work, 2, 1.0);
    CHECK_STATUS(sgdsched_queue_advance(q, 1.0 - 5e-13), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_leave(q, 0), SGDSCHED_OK);
    CHECK(starter(q) == 1);
    CHECK_REL(sgdsched_queue_start_s(q, 1), 1.0, 0.0);
    CHECK_STATUS(sgdsched_queue_set_walltime(q, 1, 5.0), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_leave(q, 1), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_submit(q, 2, 2, 3.0), SGDSCHED_OK);
    CHECK(starter(q) == 2);
    CHECK_REL(sgdsched_queue_start_s(q, 2), 1.0 - 5e-13, 0.0);
}

/* A start that cannot be kept is late, once it is so by 8 instants, whatever unit times have: those
 * that wait are then planned anew. A little earlier what is planned stays. */
TEST(a_start_is_late_after_eight_instants)
{
    static const double unit_s[3] = {1e-9, 1.0, 1e9};
    double work[2048];
    for (size_t i = 0; i < 6; i++) {
        const double run_s = unit_s[i / 2], now_s = run_s * (i % 2 ? 1.0 + 8.5e-12 : 1.0 + 7.5e-12);
        sgdsched_queue *q = short_queue(work, sizeof work, 1, run_s);
        CHECK_STATUS(sgdsched_queue_set_walltime(q, 1, run_s), SGDSCHED_OK);
        CHECK_STATUS(sgdsched_queue_submit(q, 2, 1, run_s), SGDSCHED_OK);
        CHECK_STATUS(sgdsched_queue_submit(q, 3, 2, run_s), SGDSCHED_OK);
        CHECK(starter(q) == 2);
        CHECK_REL(sgdsched_queue_start_s(q, 3), 2.0 * run_s, 0.0);
        CHECK_STATUS(sgdsched_queue_advance(q, now_s), SGDSCHED_OK);
        CHECK(starter(q) == NOBODY);
        CHECK_REL(sgdsched_queue_start_s(q, 3), (i % 2 ? now_s : run_s) + run_s, 0.0);
    }
}

/* All nodes are held for different times, and the first of these passes without an end: a plan has
 * one step more then, for now. */
TEST(a_plan_has_room_for_now)
{
    enum { MOST = 5 };
    for (uint32_t nodes = 1; nodes <= MOST; nodes++) {
        const sgdsched_queueing policy = nodes % 2 ? SGDSCHED_EASY : SGDSCHED_CONSERVATIVE;
        size_t start[MOST + 1], starts = 0, bytes = 0;
        sgdsched_queue *q = NULL;
        CHECK_STATUS(sgdsched_queue_open_bytes(nodes, policy, nodes + 1, &bytes), SGDSCHED_OK);
        void *work = get_memory(bytes, 1);
        CHECK_STATUS(sgdsched_queue_open(nodes, policy, nodes + 1, work, bytes, &q), SGDSCHED_OK);
        for (uint32_t i = 0; i <= nodes; i++)
            CHECK_STATUS(sgdsched_queue_submit(q, i, 1, 1.0 + i), SGDSCHED_OK);
        CHECK_STATUS(sgdsched_queue_decide(q, start, &starts), SGDSCHED_OK);
        CHECK(starts == nodes);
        CHECK_REL(sgdsched_queue_start_s(q, nodes), 1.0, 0.0);
        CHECK_STATUS(sgdsched_queue_advance(q, 1.5), SGDSCHED_OK);
        CHECK_REL(sgdsched_queue_start_s(q, nodes), 1.5, 0.0);
        CHECK_STATUS(sgdsched_queue_leave(q, 0), SGDSCHED_OK);
        CHECK(starter(q) == nodes);
        free(work);
    }
}

/* The walltime of job 1, shorter than an instant, changes twice a little before its start. What
 * it is given the second time is behind what job 2 has by then. */
TEST(jobs_shorter_than_an_instant_leave_others_their_nodes)
{
    static const double wall_s[2] = {0.25, 0.5};
    double work[2048];
    sgdsched_queue *q = short_queue(work, sizeof work, 2, 1e12);
    CHECK_STATUS(sgdsched_queue_submit(q, 2, 2, 100.0), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_advance(q, 1e12 - 0.5), SGDSCHED_OK);
    for (size_t i = 0; i < 2; i++) {
        CHECK_STATUS(sgdsched_queue_set_walltime(q, 1, wall_s[i]), SGDSCHED_OK);
        CHECK(starter(q) == NOBODY);
        CHECK_REL(sgdsched_queue_start_s(q, 1), i == 0 ? 1e12 : 1e12 + 100.0, 0.0);
        CHECK_REL(sgdsched_queue_start_s(q, 2), 1e12, 0.0);
    }
}

/* Jobs of 10, 10, 7 and 9 s; the first, which runs, is then to end after 9 s: until all are planned
 * anew, starts and ends are at 9, 10, 17, 20 and 29 s. Without any of them time goes on to 28 s. */
TEST(a_plan_has_room_for_starts_and_ends)
{
    static const double wall_s[4] = {10.0, 10.0, 7.0, 9.0};
    size_t start[4], starts = 0, bytes = 0, i;
    sgdsched_queue *q = NULL;
    CHECK_STATUS(sgdsched_queue_open_bytes(2, SGDSCHED_CONSERVATIVE, 4, &bytes), SGDSCHED_OK);
    void *work = get_memory(bytes, 1);
    CHECK_STATUS(sgdsched_queue_open(2, SGDSCHED_CONSERVATIVE, 4, work, bytes, &q), SGDSCHED_OK);
    for (i = 0; i < 4; i++)
        CHECK_STATUS(sgdsched_queue_submit(q, i, i % 3 == 0 ? 2 : 1, wall_s[i]), SGDSCHED_OK);
    CHECK(starter(q) == 0);
    CHECK_STATUS(sgdsched_queue_set_walltime(q, 0, 9.0), SGDSCHED_OK);
    CHECK_REL(sgdsched_queue_start_s(q, 2), 10.0, 0.0);
    CHECK_REL(sgdsched_queue_start_s(q, 3), 20.0, 0.0);
    CHECK_STATUS(sgdsched_queue_advance(q, 28.0), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_leave(q, 0), SGDSCHED_OK);
    CHECK_STATUS(sgdsched_queue_decide(q, start, &starts), SGDSCHED_OK);
    CHECK(starts == 2 && start[0] == 1 && start[1] == 2);
    CHECK_REL(sgdsched_queue_start_s(q, 3), 38.0, 0.0);
    free(work);
}

TEST_MAIN("test_rigid");
