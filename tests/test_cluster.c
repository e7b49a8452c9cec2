/* The cluster simulation of sgdperf_sched.h against queues whose answers are known, a
 * straightforward simulation, golden runs, and the laws that every run obeys; and the
 * workload of the paper. */
#include "../sgdperf_sched.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cluster/table_iii.h"
#include "golden_sched.h"
#include "memory.h"
#include "test.h"

static const char golden_path[] = "tests/golden/sched.json";

/* ---- Runs ---------------------------------------------------------------- */

/* Runs in a work area of exactly the size asked for, filled with dirt. */
static sgdsched_status run(const sgdsched_cluster *cluster, sgdsched_cluster_report *out)
{
    size_t bytes = 0;
    sgdsched_status status = sgdsched_cluster_run_bytes(cluster, &bytes);
    if (status != SGDSCHED_OK) return status;
    void *work = get_dirt(bytes);
    status = sgdsched_cluster_run(cluster, work, bytes, out);
    free(work);
    return status;
}

static sgdsched_cluster_report report_of(const sgdsched_cluster *cluster, sgdsched_status want)
{
    sgdsched_cluster_report out = {0};
    CHECK_STATUS(run(cluster, &out), want);
    return out;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Given jobs, and all that is told of them. */
typedef struct ledger {
    const sgdsched_cluster *of;
    const sgdsched_arrival *given;
    size_t  jobs, next, left;
    double *end_s;                 /* [jobs]                                          */
    double *since_s, *done, *node_s, *delay_s; /* [jobs] from its allocations          */
    uint32_t *nodes;               /* [jobs] now                                      */
    int    *started, *cancelled;   /* [jobs]                                          */
    size_t *order;                 /* [jobs] in which they left                       */
    double *part_s;                /* [parts][jobs] since arrival; -1: not come so far */
    double  last_s;
} ledger;

static int next_job(void *ctx, sgdsched_arrival *next)
{
    ledger *l = (ledger *)ctx;
    if (l->next == l->jobs) return 0;
    *next = l->given[l->next++];
    return 1;
}

static double throughput(const sgdsched_curve *curve, uint32_t nodes)
{
    const uint32_t i = nodes < curve->nodes ? nodes : curve->nodes;
    return curve->throughput_per_s ? curve->throughput_per_s[i - 1]
                                   : 1.0 / curve->service_s[i - 1];
}

/* The parts that a job passes which runs on as it does, having done so much at `at_s`. */
static void pass_parts(ledger *l, size_t job, double at_s, double rate, double done)
{
    const sgdsched_arrival *a = l->given + job;
    for (size_t i = 0; i < l->of->parts; i++) {
        const sgdsched_part *part = l->of->part + i;
        const double want = part->fraction * a->size, before = l->done[job];
        if (part->curve != (size_t)-1 && part->curve != a->curve) continue;
        if (before >= want * (1.0 - 1e-10) || done < want * (1.0 - 1e-10)) continue;
        l->part_s[i * l->jobs + job] = at_s + (want - before) / rate - a->time_s;
    }
}

/* Counts what a job did since its allocation changed last. */
static void settle(ledger *l, size_t job, double time_s)
{
    const double passed_s = time_s - l->since_s[job];
    double ran_s = passed_s - l->delay_s[job];
    if (l->nodes[job] > 0) {
        const double x = throughput(l->of->curve + l->given[job].curve, l->nodes[job]);
        l->node_s[job] += passed_s * l->nodes[job];
        if (ran_s < 0.0) ran_s = 0.0;
        pass_parts(l, job, l->since_s[job] + l->delay_s[job], x, l->done[job] + ran_s * x);
        l->done[job] += ran_s * x;
    }
    l->since_s[job] = time_s;
}

/* The least that a job may have, and whether it may have so many. */
static uint32_t least_of(const sgdsched_arrival *a)
{
    const uint32_t gang = a->gang_nodes > 0 ? a->gang_nodes : 1;
    const uint32_t least = a->min_nodes > 0 ? a->min_nodes : 1;
    return (least + gang - 1) / gang * gang;
}

static int may_have(const sgdsched_arrival *a, uint32_t nodes)
{
    return nodes >= least_of(a) && (a->max_nodes == 0 || nodes <= a->max_nodes)
        && (a->gang_nodes == 0 || nodes % a->gang_nodes == 0);
}

/* No more nodes are in use than there are, each job that runs has as many as it may, and
 * none waits for which those that are idle would do. */
static void check_capacity(const ledger *l, double time_s)
{
    const sgdsched_rules *rules = &l->of->rules;
    const int moldable = rules->policy == SGDSCHED_MOLDABLE_HELL
        || rules->policy == SGDSCHED_MOLDABLE_KNEE;
    uint32_t used = 0;
    for (size_t job = 0; job < l->next; job++) {
        used += l->nodes[job];
        CHECK(l->nodes[job] == 0 || may_have(l->given + job, l->nodes[job]));
    }
    CHECK(used <= rules->nodes);
    if (rules->policy == SGDSCHED_JSQ || (moldable && rules->head_of_line)) return;
    for (size_t job = 0; job < l->next; job++) {
        const sgdsched_arrival *a = l->given + job;
        if (l->nodes[job] > 0 || l->end_s[job] > 0.0 || a->time_s > time_s) continue;
        if (!moldable || (a->min_nodes > 0 && a->min_nodes == a->max_nodes))
            CHECK(least_of(a) > rules->nodes - used);
    }
}

static void keep_change(void *ctx, double time_s, const sgdsched_change *change,
                        size_t changes)
{
    ledger *l = (ledger *)ctx;
    CHECK(time_s >= l->last_s && changes > 0);
    l->last_s = time_s;
    for (size_t i = 0; i < changes; i++) {
        size_t job = change[i].job;
        CHECK(job < l->next && change[i].before == l->nodes[job]);
        CHECK(change[i].nodes != change[i].before);
        settle(l, job, time_s);
        l->delay_s[job] = l->started[job] && change[i].nodes > 0 ? l->of->restart_s : 0.0;
        l->nodes[job] = change[i].nodes;
        l->started[job] |= change[i].nodes > 0;
    }
    check_capacity(l, time_s);
}

static void keep_departure(void *ctx, const sgdsched_departure *departure)
{
    ledger *l = (ledger *)ctx;
    const size_t job = (size_t)departure->job;
    CHECK(job < l->next && l->end_s[job] <= 0.0);
    CHECK_REL(departure->arrival_s, l->given[job].time_s, 0.0);
    CHECK_REL(departure->size, l->given[job].size, 0.0);
    CHECK(departure->curve == l->given[job].curve);
    settle(l, job, departure->time_s);
    l->nodes[job] = 0;
    l->end_s[job] = departure->time_s;
    l->cancelled[job] = departure->cancelled;
    l->order[l->left++] = job;
}

static void ledger_open(ledger *l, sgdsched_cluster *cluster, const sgdsched_arrival *given,
                     size_t jobs)
{
    *l = (ledger){.of = cluster, .given = given, .jobs = jobs,
                  .end_s = (double *)get_memory(jobs * 5, sizeof(double))};
    l->since_s = l->end_s + jobs;
    l->done = l->since_s + jobs;
    l->node_s = l->done + jobs;
    l->delay_s = l->node_s + jobs;
    l->nodes = (uint32_t *)get_memory(jobs, sizeof(uint32_t));
    l->started = (int *)get_memory(jobs * 2, sizeof(int));
    l->cancelled = l->started + jobs;
    l->order = (size_t *)get_memory(jobs, sizeof(size_t));
    l->part_s = (double *)get_memory(jobs * cluster->parts, sizeof(double));
    for (size_t i = 0; i < jobs * cluster->parts; i++) l->part_s[i] = -1.0;
    cluster->workload.source = next_job;
    cluster->workload.source_ctx = cluster->watch.ctx = l;
    cluster->watch.on_change = keep_change;
    cluster->watch.on_departure = keep_departure;
    if (cluster->stop.max_present == 0) cluster->stop.max_present = jobs > 0 ? jobs : 1;
}

/* The report of a run of given jobs that ends well. */
static sgdsched_cluster_report run_given(ledger *l, sgdsched_cluster *cluster,
                                         const sgdsched_arrival *given, size_t jobs)
{
    ledger_open(l, cluster, given, jobs);
    return report_of(cluster, SGDSCHED_OK);
}

static void ledger_close(ledger *l)
{
    free(l->end_s);
    free(l->nodes);
    free(l->started);
    free(l->order);
    free(l->part_s);
}

static int same_bits(double a, double b)
{
    uint64_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x == y;
}

/* In [0, 1). */
static double uniform(uint64_t seed, uint64_t a, uint64_t b)
{
    return (double)(sgdsched_random(seed, a, b) >> 11) / 9007199254740992.0;
}

/* ---- Curves and workloads ------------------------------------------------ */

enum { NODES = 24 };
static double concave[NODES], bounded[NODES], slow[NODES], service[NODES];
static sgdsched_curve curves[4];

static void make_curves(void)
{
    for (uint32_t w = 1; w <= NODES; w++) {
        const double k = w > 1 ? w - 1.0 : 1.0;
        concave[w - 1] = 1.7 * pow(w, 0.81);
        bounded[w - 1] = 2.3 * k / (1.0 + 0.07 * k);
        slow[w - 1] = 0.4 * (k < 5.0 ? k : 5.0 - 0.03 * k);
        service[w - 1] = 0.3 + 1.1 / w;
    }
    memset(curves, 0, sizeof curves);
    curves[0].throughput_per_s = concave;
    curves[1].throughput_per_s = bounded;
    curves[2].throughput_per_s = slow;
    curves[3].service_s = service;
    for (uint32_t w = 0; w < 4; w++) curves[w].nodes = NODES;
}

/* Jobs on those curves, at about the load for `nodes`, some of them at one instant. */
static void make_jobs(sgdsched_arrival *job, size_t jobs, uint64_t seed, double gap_s)
{
    double time_s = 3.0;
    for (size_t i = 0; i < jobs; i++) {
        if (uniform(seed, i, 0) < 0.8) time_s -= gap_s * log(1.0 - uniform(seed, i, 1));
        memset(job + i, 0, sizeof *job);
        job[i].time_s = time_s;
        job[i].size = 0.05 - 8.0 * log(1.0 - uniform(seed, i, 2));
        job[i].curve = (size_t)(4.0 * uniform(seed, i, 3));
    }
}

typedef enum restriction { FREE, LIMITED, RIGID } restriction;

/* Limits that can be met on so many nodes: for all jobs the same least and most, or for
 * two in three of them some of the three. */
static void limit_jobs(sgdsched_arrival *job, size_t jobs, uint64_t seed, uint32_t nodes,
                       restriction how)
{
    for (size_t i = 0; i < jobs && how != FREE; i++) {
        const uint32_t gang = 1 + (uint32_t)(uniform(seed, i, 7) * (nodes < 4 ? nodes : 4));
        const uint32_t gangs = 1 + (uint32_t)(uniform(seed, i, 8) * (nodes / gang));
        const double kind = uniform(seed, i, 9), more = uniform(seed, i, 10);
        if (how == LIMITED && kind < 0.33) continue;
        if (how == RIGID || kind < 0.8) job[i].min_nodes = gang * gangs;
        if (how == RIGID || kind < 0.5) job[i].max_nodes = gang * gangs;
        else if (more < 0.6) job[i].max_nodes = gang * gangs + (uint32_t)(8.0 * more);
        if (how == LIMITED && kind > 0.4) job[i].gang_nodes = gang;
    }
}

/* One kind of jobs on one curve; JSQ with one chunk of all nodes: one queue. */
static sgdsched_cluster one_kind(const sgdsched_curve *curve, sgdsched_job_kind *kind,
                                 uint32_t nodes, double load)
{
    kind->curve = 0;
    kind->weight = 1.0;
    sgdsched_cluster c = {.rules.policy = SGDSCHED_JSQ, .rules.nodes = nodes, .chunk = nodes,
                          .curve = curve, .curves = 1, .workload.kind = kind, .workload.kinds = 1,
                          .workload.load = load, .stop.max_present = 20000};
    c.stop.min_jobs = c.stop.max_jobs = (uint64_t)TEST_SIZE(100000, 400000);
    return c;
}

/* ---- Known queues -------------------------------------------------------- */

/* Twice the half-width is four standard deviations of the mean. */
static void check_known(const char *what, sgdsched_estimate got, double want)
{
    printf("    %-44s %.4f +- %.4f, known %.4f\n", what, got.value, got.half_width, want);
    CHECK(got.half_width <= 0.1 * want);
    CHECK(fabs(got.value - want) <= 2.0 * got.half_width);
}

static const double one_unit[1] = { 1.0 };
static const sgdsched_curve one_node = { one_unit, NULL, 1 };

static void check_m_m_1(double rho)
{
    static const double p[4] = { 0.5, 0.9, 0.95, 0.99 };
    sgdsched_job_kind kind = { 0, 1.0, 2.5, 0.0, SGDSCHED_EXPONENTIAL, 0, 0, 0 };
    sgdsched_cluster c = one_kind(&one_node, &kind, 1, rho);
    const double mean_s = 2.5 / (1.0 - rho);
    sgdsched_estimate quantile[4];
    c.stop.min_jobs = c.stop.max_jobs = 400000;              /* the quantile .99 needs many     */
    memset(quantile, 0, sizeof quantile);
    sgdsched_cluster_report out = {.response.quantile_s = quantile};
    CHECK_STATUS(run(&c, &out), SGDSCHED_OK);
    check_known("M/M/1 response", out.response.mean_s, mean_s);
    for (size_t i = 0; i < 4; i++)
        check_known("M/M/1 quantile", quantile[i], -mean_s * log(1.0 - p[i]));
    CHECK_REL(out.jobs_present, rho / (1.0 - rho), 0.05);
    CHECK_REL(out.utilization, rho, 0.01);
    /* Half of a job's service, after the wait; exponential sizes are proportional. */
    CHECK_REL(out.fraction_s[4], mean_s - 1.25, 0.05);
}

/* How likely a part f of a job is done later than at t behind its arrival at one server
 * that serves in order: the wait is 0 or, as likely as it is busy, exponential, and f of the
 * job's own service, exponential as well, does not depend on it. */
static double part_later(double rho, double f, double service_s, double t)
{
    const double a = (1.0 - rho) / service_s, b = 1.0 / (f * service_s);
    return (1.0 - rho) * exp(-b * t) + rho * (b * exp(-a * t) - a * exp(-b * t)) / (b - a);
}

static double part_quantile(double rho, double f, double service_s, double p)
{
    double low = 0.0, high = 1000.0 * service_s / (1.0 - rho);
    for (size_t i = 0; i < 100; i++) {
        const double middle = (low + high) / 2.0;
        if (part_later(rho, f, service_s, middle) > 1.0 - p) low = middle;
        else high = middle;
    }
    return low;
}

TEST(parts_of_m_m_1_are_done_as_their_known_distribution_says)
{
    enum { PARTS = 3, POINTS = 5 };
    static const double p[POINTS] = { 0.1, 0.25, 0.5, 0.9, 0.95 };
    static const sgdsched_part part[PARTS] = { { 1.0, 0 }, { 0.4, (size_t)-1 }, { 0.05, 0 } };
    const double rho = 0.7, service_s = 2.5;
    sgdsched_job_kind kind = { 0, 1.0, 2.5, 0.0, SGDSCHED_EXPONENTIAL, 0, 0, 0 };
    sgdsched_cluster c = one_kind(&one_node, &kind, 1, rho);
    sgdsched_estimate quantile[PARTS][POINTS], response[POINTS];
    sgdsched_part_report told[PARTS];
    c.part = part;
    c.parts = PARTS;
    c.stop.min_jobs = c.stop.max_jobs = 200000;
    for (size_t i = 0; i < PARTS; i++) told[i].quantile_s = quantile[i];
    sgdsched_cluster_report out = {.response.probability = p, .response.probabilities = POINTS,
                                   .response.quantile_s = response, .part = told};
    CHECK_STATUS(run(&c, &out), SGDSCHED_OK);
    for (size_t i = 0; i < PARTS; i++) {
        const double f = part[i].fraction, wait_s = service_s * rho / (1.0 - rho);
        CHECK(told[i].jobs == out.counts.jobs
              && told[i].most_s <= out.response.most_s * (1.0 + 1e-12));
        check_known("M/M/1, mean until a part", told[i].time_s, wait_s + f * service_s);
        for (size_t k = 0; k < POINTS; k++)
            check_known("M/M/1, quantile until a part", quantile[i][k],
                        part_quantile(rho, f, service_s, p[k]));
    }
    CHECK_REL(told[0].time_s.value, out.response.mean_s.value, 1e-11);
    CHECK_REL(told[0].time_s.half_width, out.response.mean_s.half_width, 1e-9);
    CHECK_REL(told[0].most_s, out.response.most_s, 1e-11);
    for (size_t k = 0; k < POINTS; k++) CHECK_REL(quantile[0][k].value, response[k].value, 1e-6);
}

TEST(m_m_1_has_its_known_means_and_quantiles)
{
    check_m_m_1(0.5);
    check_m_m_1(0.8);
}

/* Mean wait lambda E[S^2] / (2 (1 - rho)) [Pollaczek, Khinchine]. */
static void check_m_g_1(const char *what, sgdsched_size_law law, double deviation)
{
    const double x[3] = { 1.0, 3.0, 4.0 };     /* on the one chunk 4                  */
    const sgdsched_curve curve = { x, NULL, 3 };
    sgdsched_job_kind kind = { 0, 1.0, 6.0, 0.0, SGDSCHED_NORMAL, 0, 0, 0 };
    const double service_s = 6.0 / 4.0, rho = 0.7, rate = rho / service_s;
    const double squares = service_s * service_s + deviation * deviation / 16.0;
    kind.law = law;
    kind.size_deviation = deviation;
    sgdsched_cluster c = one_kind(&curve, &kind, 5, rate * 6.0 / 5.0);
    sgdsched_cluster_report out = report_of(&c, SGDSCHED_OK);
    check_known(what, out.response.mean_s, service_s + rate * squares / (2.0 * (1.0 - rho)));
}

/* Jobs of equal size on one node, with the room that is the default: the queue is M/D/1,
 * and sometimes long. */
TEST(a_stable_queue_on_one_node_is_not_called_unstable)
{
    static const double rho[4] = { 0.5, 0.7, 0.9, 0.95 };
    const size_t loads = TEST_SIZE(2, 4);
    for (size_t i = 0; i < loads; i++) {
        sgdsched_job_kind kind = { 0, 1.0, 3.0, 0.0, SGDSCHED_NORMAL, 0, 0, 0 };
        sgdsched_cluster c = one_kind(&one_node, &kind, 1, rho[i]);
        c.rules.policy = SGDSCHED_HELL;
        c.stop.max_present = 0;
        c.stop.precision = 0.09;
        sgdsched_cluster_report out = report_of(&c, SGDSCHED_OK);
        CHECK(out.outcome == SGDSCHED_CONVERGED);
        check_known("M/D/1 [Pollaczek, Khinchine]", out.response.mean_s,
                    3.0 * (1.0 + rho[i] / (2.0 * (1.0 - rho[i]))));
    }
}

/* More than the node can do: the queue grows past any room. */
TEST(a_queue_that_grows_is_called_unstable)
{
    static const double rho[3] = { 1.05, 2.0, 100.0 };
    for (size_t i = 0; i < 3; i++) {
        sgdsched_job_kind kind = { 0, 1.0, 3.0, 0.0, SGDSCHED_NORMAL, 0, 0, 0 };
        sgdsched_cluster c = one_kind(&one_node, &kind, 1, rho[i]);
        c.stop.max_present = 0;
        sgdsched_cluster_report out = report_of(&c, SGDSCHED_OK);
        CHECK(out.outcome == SGDSCHED_UNSTABLE && out.counts.jobs < 100000);
    }
}

TEST(m_g_1_waits_as_pollaczek_and_khinchine_say)
{
    check_m_g_1("M/D/1", SGDSCHED_NORMAL, 0.0);
    check_m_g_1("M/N/1", SGDSCHED_NORMAL, 1.2);
    check_m_g_1("M/lognormal/1", SGDSCHED_LOGNORMAL, 7.0);
    check_m_g_1("M/M/1", SGDSCHED_EXPONENTIAL, 6.0);
}

/* Mean response of one server that serves the shortest remaining job, exponential sizes
 * of mean 1: what is before a job of size x, and then its own service, stretched by
 * those who are shorter still [Schrage, Miller 1966]; both by the trapezoidal rule. */
static double srpt_mean(double rate)
{
    const double step = 1e-4;
    double mean = 0.0, residence = 0.0;
    for (size_t i = 0; i < 400000; i++) {
        const double x = step * (double)i, tail = exp(-x);
        const double rho = rate * (1.0 - tail * (1.0 + x));
        const double squares = 2.0 - tail * (x * x + 2.0 * x + 2.0);
        const double wait = rate * (squares + x * x * tail)
            / (2.0 * (1.0 - rho) * (1.0 - rho));
        mean += step * tail * (wait + residence) * (i > 0 ? 1.0 : 0.5);
        residence += step / (1.0 - rho);
    }
    return mean;
}

TEST(hell_on_one_node_and_srpt_serve_the_shortest_first)
{
    static const double linear[10] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
    const sgdsched_curve ten_nodes = { linear, NULL, 10 };
    sgdsched_job_kind kind = { 0, 1.0, 1.0, 0.0, SGDSCHED_EXPONENTIAL, 0, 0, 0 };
    sgdsched_cluster c = one_kind(&one_node, &kind, 1, 0.8);
    c.rules.policy = SGDSCHED_HELL;
    sgdsched_cluster_report out = report_of(&c, SGDSCHED_OK);
    check_known("HELL on one node is SRPT", out.response.mean_s, srpt_mean(0.8));
    c = one_kind(&ten_nodes, &kind, 10, 0.8);
    c.rules.policy = SGDSCHED_SRPT;
    out = report_of(&c, SGDSCHED_OK);
    check_known("SRPT on ten nodes, linear speed-up", out.response.mean_s,
                srpt_mean(8.0 / 10.0) / 10.0);
}

/* Mean wait of M/M/c by Erlang's formula; service of mean 1. */
static double erlang_wait(uint32_t c, double load)
{
    const double offered = c * load;
    double blocked = 1.0;                          /* of c servers without a queue    */
    for (uint32_t i = 1; i <= c; i++) blocked = offered * blocked / (i + offered * blocked);
    return blocked / (1.0 - load * (1.0 - blocked)) / (c * (1.0 - load));
}

/* Mean wait of M/D/c by Crommelin's series; service of 1. */
static double crommelin_wait(uint32_t c, double load)
{
    double wait = 0.0;
    for (uint32_t i = 1; i < 400; i++) {
        const double a = i * c * load;
        double at_least = 0.0, more = 0.0;
        for (uint32_t j = i * c; j < i * c + 2000; j++) {
            const double part = exp(j * log(a) - a - lgamma(j + 1.0));
            at_least += part;
            if (j > i * c) more += part;
        }
        wait += at_least - more / load;
    }
    return wait;
}

/* Jobs of equal size that run no faster on more nodes: with gamma 1 HELL orders them by
 * arrival. Users who give up make their service as good as exponential. */
TEST(many_servers_wait_as_crommelin_and_erlang_say)
{
    enum { POINTS = 2000 };
    static double fraction[POINTS], probability[POINTS];
    static const double flat[2] = { 1.0, 1.0 };
    const sgdsched_curve curve = { flat, NULL, 2 };
    const double size = 20.0;
    sgdsched_job_kind kind = { 0, 1.0, 20.0, 0.0, SGDSCHED_NORMAL, 0, 0, 0 };
    sgdsched_cluster c = one_kind(&curve, &kind, 4, 0.75);
    double mean = 0.0;
    c.rules.policy = SGDSCHED_HELL;
    c.rules.gamma = 1.0;
    sgdsched_cluster_report out = report_of(&c, SGDSCHED_OK);
    check_known("M/D/4", out.response.mean_s, size * (1.0 + crommelin_wait(4, 0.75)));
    CHECK(out.counts.cancelled == 0);
    for (size_t i = 0; i < POINTS; i++) {
        const double x = -log(1.0 - ((double)i + 0.5) / POINTS);
        mean += x / POINTS;
        fraction[i] = x / size;
        probability[i] = 1.0 / POINTS;
    }
    c.workload.quits.fraction = fraction;
    c.workload.quits.probability = probability;
    c.workload.quits.count = POINTS;
    c.workload.load = 0.75 * size / mean;                   /* of what they would have done    */
    out = report_of(&c, SGDSCHED_OK);
    check_known("M/M/4", out.response.mean_s, mean * (1.0 + erlang_wait(4, 0.75)));
    CHECK_REL(out.jobs_present, 3.0 * (1.0 + erlang_wait(4, 0.75)), 0.03);
    CHECK_REL(out.utilization, 0.75, 0.01);
    CHECK(out.counts.cancelled == out.counts.jobs);
}

/* Equal shares of a linear speed-up: processor sharing, whose mean response depends on
 * the sizes' mean alone. The nodes divide evenly by 1, ... 12. */
TEST(equal_shares_of_a_linear_speedup_are_processor_sharing)
{
    enum { WIDE = 27720 };
    static const sgdsched_size_law law[3] = { SGDSCHED_NORMAL, SGDSCHED_EXPONENTIAL,
                                              SGDSCHED_LOGNORMAL };
    double *linear = (double *)get_memory(WIDE, sizeof(double));
    sgdsched_job_kind kind = { 0, 1.0, WIDE, 0.0, SGDSCHED_NORMAL, 0, 0, 0 };
    sgdsched_cluster c;
    for (size_t i = 0; i < WIDE; i++) linear[i] = (double)i + 1.0;
    sgdsched_curve curve = {.throughput_per_s = linear, .service_s = NULL, .nodes = WIDE};
    for (size_t i = 0; i < 3; i++) {
        kind.law = law[i];
        kind.size_deviation = i == 2 ? 1.5 * WIDE : 0.0;
        c = one_kind(&curve, &kind, WIDE, 0.5);
        c.rules.policy = SGDSCHED_EQUAL;
        c.stop.min_jobs = c.stop.max_jobs = 100000;
        c.stop.max_present = 500;
        sgdsched_cluster_report out = report_of(&c, SGDSCHED_OK);
        check_known("processor sharing", out.response.mean_s, 2.0);
        CHECK_REL(out.slowdown.value, out.response.mean_s.value, i == 0 ? 1e-12 : 0.05);
    }
    free(linear);
}

/* ---- A straightforward simulation ---------------------------------------- */

/* Every job moves a little at every event, and every decision is taken anew. */
typedef struct plain {
    const sgdsched_cluster *in;
    const sgdsched_arrival *given;
    size_t  jobs, next, present;
    sgdsched_job *job;             /* [present]                                       */
    size_t  *name;                 /* [present]                                       */
    double  *last;                 /* [present] what remains when it leaves           */
    double  *ready_s;              /* [present]                                       */
    uint32_t *nodes, *decided;     /* [present]                                       */
    int     *started;              /* [present]                                       */
    double  *end_s;                /* [jobs]                                          */
    double   now_s;
} plain;

static double plain_end(const plain *p, size_t i)
{
    const double from_s = p->ready_s[i] > p->now_s ? p->ready_s[i] : p->now_s;
    if (p->nodes[i] == 0) return HUGE_VAL;
    return from_s + (p->job[i].remaining - p->last[i])
        / throughput(p->in->curve + p->job[i].curve, p->nodes[i]);
}

static void plain_move(plain *p, double to_s)
{
    for (size_t i = 0; i < p->present; i++) {
        const double from_s = p->ready_s[i] > p->now_s ? p->ready_s[i] : p->now_s;
        if (p->nodes[i] == 0 || to_s <= from_s) continue;
        p->job[i].remaining -= (to_s - from_s)
            * throughput(p->in->curve + p->job[i].curve, p->nodes[i]);
    }
    p->now_s = to_s;
}

static void plain_remove(plain *p, size_t i)
{
    const size_t after = --p->present - i;
    p->end_s[p->name[i]] = p->now_s;
    memmove(p->job + i, p->job + i + 1, after * sizeof *p->job);
    memmove(p->name + i, p->name + i + 1, after * sizeof *p->name);
    memmove(p->last + i, p->last + i + 1, after * sizeof *p->last);
    memmove(p->ready_s + i, p->ready_s + i + 1, after * sizeof *p->ready_s);
    memmove(p->nodes + i, p->nodes + i + 1, after * sizeof *p->nodes);
    memmove(p->started + i, p->started + i + 1, after * sizeof *p->started);
}

static void plain_add(plain *p)
{
    const sgdsched_arrival *a = p->given + p->next;
    const size_t i = p->present++;
    memset(p->job + i, 0, sizeof *p->job);
    p->job[i].curve = a->curve;
    p->job[i].remaining = p->job[i].size = a->size;
    p->job[i].min_nodes = a->min_nodes;
    p->job[i].max_nodes = a->max_nodes;
    p->job[i].gang_nodes = a->gang_nodes;
    p->nodes[i] = 0;
    p->started[i] = 0;
    p->ready_s[i] = 0.0;
    /* With one way to give up, the jobs that do are not the business of this test. */
    p->last[i] = p->in->workload.quits.count > 0
        ? a->size * (1.0 - p->in->workload.quits.fraction[0]) : 0.0;
    p->name[i] = p->next++;
}

static void plain_decide(plain *p, void *work, size_t bytes)
{
    const sgdsched_policy policy = p->in->rules.policy;
    CHECK_STATUS(sgdsched_allocate(&p->in->rules,
                                   &(sgdsched_jobs){p->in->curve, p->in->curves, p->job,
                                                    p->present}, work, bytes, p->decided, NULL),
                 SGDSCHED_OK);
    for (size_t i = 0; i < p->present; i++) {
        if (p->decided[i] == p->nodes[i]) continue;
        p->nodes[i] = p->decided[i];
        if (p->nodes[i] == 0) continue;
        if (p->started[i]) p->ready_s[i] = p->now_s + p->in->restart_s;
        p->started[i] = 1;
        if (policy == SGDSCHED_MOLDABLE_HELL || policy == SGDSCHED_MOLDABLE_KNEE)
            p->job[i].held = p->nodes[i];
    }
}

static void plain_run(const sgdsched_cluster *in, const sgdsched_arrival *given,
                      size_t jobs, double *end_s)
{
    size_t bytes = 0;
    plain p = {.in = in, .given = given, .jobs = jobs, .end_s = end_s};
    p.job = (sgdsched_job *)get_memory(jobs, sizeof *p.job);
    p.name = (size_t *)get_memory(jobs, sizeof *p.name);
    p.last = (double *)get_memory(jobs * 2, sizeof *p.last);
    p.ready_s = p.last + jobs;
    p.nodes = (uint32_t *)get_memory(jobs * 2, sizeof *p.nodes);
    p.decided = p.nodes + jobs;
    p.started = (int *)get_memory(jobs, sizeof *p.started);
    CHECK_STATUS(sgdsched_allocate_bytes(&in->rules, &(sgdsched_jobs){in->curve, in->curves, NULL,
                                                                      jobs}, &bytes),
                 SGDSCHED_OK);
    void *work = get_memory(bytes, 1);
    while (p.next < jobs || p.present > 0) {
        double time_s = p.next < jobs ? given[p.next].time_s : HUGE_VAL;
        for (size_t i = 0; i < p.present; i++)
            if (plain_end(&p, i) < time_s) time_s = plain_end(&p, i);
        plain_move(&p, time_s);
        for (size_t i = p.present; i-- > 0;)
            if (p.job[i].remaining <= p.last[i] + 1e-9 * p.job[i].size)
                plain_remove(&p, i);
        while (p.next < jobs && given[p.next].time_s <= time_s + 1e-9) plain_add(&p);
        plain_decide(&p, work, bytes);
    }
    free(work);
    free(p.job);
    free(p.name);
    free(p.last);
    free(p.nodes);
    free(p.started);
}

/* ---- Laws ---------------------------------------------------------------- */

/* What must hold of any run of given jobs. */
static void check_laws(const ledger *l, const sgdsched_cluster_report *out, double begin_s)
{
    const sgdsched_cluster *in = l->of;
    const double time_s = out->end_s - begin_s;
    double response_s = 0.0, node_s = 0.0, slowdown = 0.0;
    uint64_t cancelled = 0;
    CHECK(out->outcome == SGDSCHED_DONE && out->counts.jobs == l->jobs && l->left == l->jobs);
    for (size_t i = 0; i < l->jobs; i++) {
        double peak = 0.0;
        for (uint32_t w = 1; w <= in->rules.nodes; w++)
            if (may_have(l->given + i, w))
                peak = fmax(peak, throughput(in->curve + l->given[i].curve, w));
        response_s += l->end_s[i] - l->given[i].time_s;
        slowdown += (l->end_s[i] - l->given[i].time_s) * peak / l->done[i];
        node_s += l->node_s[i];
        cancelled += (uint64_t)l->cancelled[i];
        CHECK_REL(l->done[i] / l->given[i].size,
                  l->cancelled[i] ? in->workload.quits.fraction[0] : 1.0, 1e-9);
        if (i > 0) CHECK(l->end_s[l->order[i]] >= l->end_s[l->order[i - 1]]);
    }
    CHECK(out->counts.cancelled == cancelled);
    CHECK_REL(out->response.mean_s.value * (double)l->jobs, response_s, 1e-9);
    CHECK_REL(out->jobs_present * time_s, response_s, 1e-9);   /* Little              */
    CHECK_REL(out->utilization * time_s * in->rules.nodes, node_s, 1e-9);
    CHECK(out->utilization > 0.0 && out->utilization <= 1.0 + 1e-12);
    for (size_t i = 1; i < SGDSCHED_FRACTIONS && cancelled == 0; i++)
        CHECK(out->fraction_s[i] > out->fraction_s[i - 1]);
    CHECK_REL(out->slowdown.value * (double)l->jobs, slowdown, 1e-9);
    CHECK(out->slowdown.value >= 1.0 - 1e-12);
}

enum { ASKED = 6 };
static const sgdsched_part asked[ASKED] = {
    { 0.9, (size_t)-1 }, { 0.4, (size_t)-1 }, { 0.35, (size_t)-1 }, { 1.0, (size_t)-1 },
    { 0.4, 1 }, { 0.2, 3 }
};

/* When parts of jobs are done, against what follows from their allocations. */
static void check_parts(const ledger *l, const sgdsched_cluster_report *out,
                        const double *probability, size_t probabilities)
{
    double *time_s = (double *)get_memory(l->jobs, sizeof(double));
    for (size_t i = 0; i < l->of->parts; i++) {
        const sgdsched_part_report *part = out->part + i;
        double sum = 0.0;
        size_t n = 0;
        for (size_t k = 0; k < l->jobs; k++) {
            if (l->part_s[i * l->jobs + k] < 0.0) continue;
            time_s[n] = l->part_s[i * l->jobs + k];
            sum += time_s[n++];
        }
        CHECK(part->jobs == n);
        if (n == 0) continue;
        qsort(time_s, n, sizeof *time_s, ascending);
        CHECK_REL(part->time_s.value, sum / (double)n, 1e-9);
        CHECK_REL(part->most_s, time_s[n - 1], 1e-9);
        for (size_t k = 0; k < probabilities; k++) {
            const size_t rank = (size_t)ceil(probability[k] * (double)n - 1e-9);
            CHECK_REL(part->quantile_s[k].value, time_s[rank - 1], 0.008);
        }
    }
    free(time_s);
}

/* A run of random jobs under a policy: its laws, and its ends by the plain simulation. */
static double compare(sgdsched_rules rules, uint64_t seed, double restart_s, int quits,
                      restriction how)
{
    enum { MANY = 150 };
    static const double sometimes = 0.35, always = 1.0;
    sgdsched_arrival job[MANY];
    static const double p[3] = { 0.05, 0.5, 0.95 };
    sgdsched_estimate quantile[ASKED][3];
    sgdsched_part_report part[ASKED];
    double end_s[MANY], worst = 0.0;
    ledger l;
    make_jobs(job, MANY, seed, seed % 2 ? 1.0 : 0.4);
    for (size_t i = 0; i < ASKED; i++) part[i].quantile_s = quantile[i];
    sgdsched_cluster_report out = {.part = part, .response.probability = p,
                                   .response.probabilities = 3};
    sgdsched_cluster c = {.part = asked, .parts = ASKED, .rules = rules};
    c.rules.nodes = 1 + (uint32_t)(NODES * uniform(seed, 1, 4));
    c.curve = curves;
    c.curves = 4;
    c.restart_s = restart_s;
    c.workload.quits.fraction = &sometimes;
    c.workload.quits.probability = &always;
    c.workload.quits.count = quits ? 1 : 0;
    limit_jobs(job, MANY, seed, c.rules.nodes, how);
    ledger_open(&l, &c, job, MANY);
    CHECK_STATUS(run(&c, &out), SGDSCHED_OK);
    check_laws(&l, &out, job[0].time_s);
    check_parts(&l, &out, p, 3);
    plain_run(&c, job, MANY, end_s);
    for (size_t i = 0; i < MANY; i++) {
        const double error = fabs(l.end_s[i] - end_s[i]) / end_s[i];
        if (!(error <= worst)) worst = error;
    }
    ledger_close(&l);
    return worst;
}

/* Of such runs under all policies and rules the largest error. */
static double compare_all(uint64_t runs, restriction how)
{
    double worst = 0.0;
    for (uint64_t seed = 0; seed < runs; seed++) {
        sgdsched_rules rules = {.policy = (sgdsched_policy)(seed % SGDSCHED_JSQ),
                                .fill = (int)(seed / SGDSCHED_JSQ % 2)};
        rules.head_of_line = rules.fill;
        rules.gamma = seed / 20 % 3 == 2 ? 1.05 : 0.0;
        rules.alpha_by_load = seed / 10 % 2 != 0;
        rules.load = 0.6;
        double error = compare(rules, seed, seed / 30 % 2 ? 0.8 : 0.0, seed / 40 % 2 != 0, how);
        if (!(error <= worst)) worst = error;
    }
    printf("    %lu runs of 150 jobs beside a plain simulation: largest error %.2g\n",
           (unsigned long)runs, worst);
    return worst;
}

TEST(runs_end_as_those_of_a_plain_simulation)
{
    CHECK(compare_all((uint64_t)TEST_SIZE(20, 80), FREE) <= 1e-9);
}

/* What a job has at every event is checked as its nodes change. */
TEST(limits_hold_at_every_event_and_runs_end_as_plain_ones)
{
    CHECK(compare_all((uint64_t)TEST_SIZE(20, 80), LIMITED) <= 1e-9);
}

TEST(rigid_jobs_keep_their_width_under_every_policy)
{
    CHECK(compare_all((uint64_t)TEST_SIZE(20, 80), RIGID) <= 1e-9);
}

/* JSQ once more: with first come, first served the end of a job is known as it joins. */
static double compare_jsq(uint64_t seed)
{
    enum { MANY = 400, CHUNKS = 30 };
    static sgdsched_arrival job[MANY];
    static double end_s[CHUNKS][MANY];
    size_t queued[CHUNKS] = {0}, i, k, j;
    double worst = 0.0;
    ledger l;
    make_jobs(job, MANY, seed, 0.7);
    sgdsched_cluster c = {.rules.policy = SGDSCHED_JSQ,
                          .rules.nodes = 1 + (uint32_t)(30.0 * uniform(seed, 0, 4))};
    c.chunk = 1 + (uint32_t)(c.rules.nodes * uniform(seed, 0, 5) * uniform(seed, 0, 6));
    c.curve = curves;
    c.curves = 4;
    sgdsched_cluster_report out = run_given(&l, &c, job, MANY);
    check_laws(&l, &out, job[0].time_s);
    for (i = 0; i < MANY; i++) {
        const double x = throughput(curves + job[i].curve, c.chunk);
        size_t best = 0, fewest = MANY + 1;
        for (k = 0; k < c.rules.nodes / c.chunk; k++) {
            size_t there = 0;
            for (j = 0; j < queued[k]; j++)
                there += end_s[k][j] > job[i].time_s * (1.0 + 1e-12);
            if (there < fewest) {
                fewest = there;
                best = k;
            }
        }
        double start_s = job[i].time_s;
        if (fewest > 0) start_s = end_s[best][queued[best] - 1];
        start_s += job[i].size / x;
        end_s[best][queued[best]++] = start_s;
        worst = fmax(worst, fabs(l.end_s[i] - start_s) / start_s);
    }
    ledger_close(&l);
    return worst;
}

TEST(jsq_ends_as_plain_queues_do)
{
    double worst = 0.0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        const double error = compare_jsq(seed);
        if (!(error <= worst)) worst = error;
    }
    printf("    100 runs of 400 jobs beside plain queues: largest error %.2g\n", worst);
    CHECK(worst <= 1e-9);
}

/* With a linear speed-up the cluster is one fast server: nothing beats SRPT. */
TEST(nothing_beats_srpt_where_the_speedup_is_linear)
{
    enum { MANY = 600 };
    static double linear[12];
    static sgdsched_arrival job[MANY];
    const sgdsched_curve curve = { linear, NULL, 12 };
    double mean_s[SGDSCHED_POLICY_COUNT];
    for (size_t i = 0; i < 12; i++) linear[i] = (double)i + 1.0;
    for (uint64_t seed = 0; seed < 5; seed++) {
        make_jobs(job, MANY, seed, 0.9);
        for (size_t i = 0; i < MANY; i++) job[i].curve = 0;
        for (int policy = 0; policy < SGDSCHED_POLICY_COUNT; policy++) {
            ledger l;
            sgdsched_cluster c = {.rules.policy = (sgdsched_policy)policy, .rules.nodes = 12,
                                  .chunk = 12, .rules.fill = 1, .curve = &curve, .curves = 1};
            mean_s[policy] = run_given(&l, &c, job, MANY).response.mean_s.value;
            ledger_close(&l);
        }
        for (int policy = 0; policy < SGDSCHED_POLICY_COUNT; policy++)
            CHECK(mean_s[SGDSCHED_SRPT] <= mean_s[policy] * (1.0 + 1e-12));
        CHECK(mean_s[SGDSCHED_SRPT] < 0.9 * mean_s[SGDSCHED_JSQ]);
        CHECK(mean_s[SGDSCHED_SRPT] < 0.9 * mean_s[SGDSCHED_EQUAL]);
    }
}

/* ---- Restarts, users who give up, fractions ------------------------------ */

/* Job 0 of 12 units runs at 4 a second alone, job 1 of 2 units comes at 1: it takes all
 * nodes for half a second, and job 0, with 8 units left, goes on. */
TEST(a_restart_costs_its_time)
{
    static const double x[4] = { 1.0, 2.0, 3.0, 4.0 };
    const sgdsched_curve curve = { x, NULL, 4 };
    const sgdsched_arrival job[2] = { { 0.0, 12.0, 0, 0, 0, 0 }, { 1.0, 2.0, 0, 0, 0, 0 } };
    const double restart_s[3] = { 0.0, 0.25, 100.0 };
    sgdsched_cluster c;
    ledger l;
    for (size_t i = 0; i < 3; i++) {
        c = (sgdsched_cluster){.rules.policy = SGDSCHED_SRPT, .rules.nodes = 4, .curve = &curve,
                               .curves = 1, .restart_s = restart_s[i]};
        sgdsched_cluster_report out = run_given(&l, &c, job, 2);
        CHECK_REL(l.end_s[1], 1.5, 1e-12);
        CHECK_REL(l.end_s[0], 3.5 + restart_s[i], 1e-12);
        CHECK_REL(out.end_s, 3.5 + restart_s[i], 1e-12);
        CHECK_REL(out.response.mean_s.value, (4.0 + restart_s[i]) / 2.0, 1e-12);
        CHECK(out.response.mean_s.half_width > DBL_MAX);    /* of two jobs                  */
        CHECK_REL(out.slowdown.value, ((3.5 + restart_s[i]) / 3.0 + 1.0) / 2.0, 1e-12);
        CHECK_REL(out.utilization, 1.0, 1e-12);
        CHECK(out.counts.decisions == 4);
        for (size_t k = 0; k < SGDSCHED_FRACTIONS; k++) {
            const double done = 12.0 * (double)(k + 1) / 10.0;
            const double first_s = done / 4.0 + (done > 4.0 ? 0.5 + restart_s[i] : 0.0);
            CHECK_REL(out.fraction_s[k], (first_s + 0.05 * (double)(k + 1)) / 2.0, 1e-12);
        }
        ledger_close(&l);
    }
}

/* ctx: the part that each of several jobs gets */
static void slow_all(void *ctx, sgdsched_sharer *job, size_t jobs)
{
    for (size_t i = 0; i < jobs; i++)
        if (jobs > 1) job[i].part = *(const double *)ctx;
}

/* Job 0 has both nodes for 1 s and does 2 of 10. Then both have a node and half its pace: job 1
 * takes 6 s for 3. Job 0 does 3 beside it, and the last 5 in 2.5 s. */
TEST(jobs_slow_each_other_as_the_rule_says)
{
    static const double x[2] = {1.0, 2.0};
    const sgdsched_curve curve = {x, NULL, 2};
    const sgdsched_arrival job[2] = {{0.0, 10.0, 0, 0, 0, 0}, {1.0, 3.0, 0, 0, 0, 0}};
    double half = 0.5;
    sgdsched_part part[SGDSCHED_FRACTIONS];
    sgdsched_part_report told[SGDSCHED_FRACTIONS];
    sgdsched_cluster_report out = {.part = told};
    sgdsched_cluster c = {.part = part, .parts = SGDSCHED_FRACTIONS,
                          .rules.policy = SGDSCHED_EQUAL, .rules.nodes = 2, .curve = &curve,
                          .curves = 1, .workload.sharing = slow_all,
                          .workload.sharing_ctx = &half};
    ledger l;
    for (size_t i = 0; i < SGDSCHED_FRACTIONS; i++)
        part[i] = (sgdsched_part){(double)(i + 1) / (SGDSCHED_FRACTIONS + 1), (size_t)-1};
    memset(told, 0, sizeof told);
    ledger_open(&l, &c, job, 2);
    CHECK_STATUS(run(&c, &out), SGDSCHED_OK);
    CHECK_REL(l.end_s[1], 7.0, 1e-12);
    CHECK_REL(l.end_s[0], 9.5, 1e-12);
    CHECK_REL(out.fraction_s[4], (7.0 + 3.0) / 2.0, 1e-12);
    CHECK_REL(out.fraction_s[2], (3.0 + 1.8) / 2.0, 1e-12);
    for (size_t i = 0; i < SGDSCHED_FRACTIONS; i++)
        CHECK_REL(told[i].time_s.value, out.fraction_s[i], 1e-12);
    ledger_close(&l);
}

/* ctx: the part of the jobs of each curve */
static void slow_by_curve(void *ctx, sgdsched_sharer *job, size_t jobs)
{
    for (size_t i = 0; i < jobs; i++) job[i].part = ((const double *)ctx)[job[i].curve];
}

/* Each of five jobs has a node, or more that are of no use, and the part of its own curve. */
TEST(each_job_is_slowed_by_its_own_part)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        double x[5], slower[5];
        sgdsched_curve curve[5];
        sgdsched_arrival job[5] = {{0}};
        ledger l;
        for (size_t i = 0; i < 5; i++) {
            x[i] = 0.5 + uniform(seed, 0, i);
            slower[i] = 0.1 + 0.9 * uniform(seed, 1, i);
            curve[i] = (sgdsched_curve){x + i, NULL, 1};
            job[i].time_s = (i > 0 ? job[i - 1].time_s : 0.0) + uniform(seed, 2, i);
            job[i].size = 0.1 + uniform(seed, 3, i);
            job[i].curve = i;
        }
        sgdsched_cluster c = {.rules.policy = SGDSCHED_EQUAL, .rules.nodes = 5, .curve = curve,
                              .curves = 5, .workload.sharing = slow_by_curve,
                              .workload.sharing_ctx = slower};
        (void)run_given(&l, &c, job, 5);
        for (size_t i = 0; i < 5; i++)
            CHECK_REL(l.end_s[i], job[i].time_s + job[i].size / (x[i] * slower[i]), 1e-12);
        ledger_close(&l);
    }
}

TEST(jobs_on_a_link_have_the_shares_of_its_network)
{
    static const double none = 0.0, even = 0.5, all = 1.0;
    const double *const share[3] = {&none, &even, &all};
    double work[3];
    sgdsched_shared_link link = {share, work};
    sgdsched_sharer job[3] = {{1, 1, 9.0}, {1, 1, 9.0}, {0, 1, 9.0}};
    sgdsched_share_link(&link, job, 1);
    CHECK_REL(job[0].part, 1.0, 0.0);
    sgdsched_share_link(&link, job, 3);
    for (size_t i = 0; i < 3; i++) CHECK_REL(job[i].part, i < 2 ? 0.8 : 1.0, 1e-15);
    for (size_t i = 0; i < 3; i++) job[i].curve = 2;
    sgdsched_share_link(&link, job, 3);
    for (size_t i = 0; i < 3; i++) CHECK_REL(job[i].part, 1.0 / 3.0, 1e-15);
}

/* Job 0 of 1 unit has done 0.7 of it, and by the last bit a bit less, when job 1 takes the
 * node for 0.1 s: it has passed that fraction before, and not when it goes on. */
TEST(a_fraction_is_passed_but_for_rounding)
{
    static const double x[1] = { 1.0 };
    const sgdsched_curve curve = { x, NULL, 1 };
    const sgdsched_arrival job[2] = { { 0.0, 1.0, 0, 0, 0, 0 }, { 0.7, 0.1, 0, 0, 0, 0 } };
    ledger l;
    sgdsched_cluster c = {.rules.policy = SGDSCHED_SRPT, .rules.nodes = 1, .curve = &curve,
                          .curves = 1};
    CHECK(1.0 - 0.7 > 3.0 / 10.0);
    sgdsched_cluster_report out = run_given(&l, &c, job, 2);
    CHECK_REL(l.end_s[0], 1.1, 1e-12);
    for (size_t k = 0; k < SGDSCHED_FRACTIONS; k++) {
        const double done = (double)(k + 1) / 10.0, first_s = done + (k > 6 ? 0.1 : 0.0);
        CHECK_REL(out.fraction_s[k], (first_s + 0.1 * done) / 2.0, 1e-12);
    }
    ledger_close(&l);
}

typedef struct departures { sgdsched_departure *of; size_t count, room; } departures;

static void collect(void *ctx, const sgdsched_departure *departure)
{
    departures *d = (departures *)ctx;
    if (d->count < d->room) d->of[d->count] = *departure;
    d->count++;
}

/* The first `jobs` departures of a generated workload. */
static departures collect_from(sgdsched_cluster *c, size_t jobs)
{
    departures d;
    d.of = (sgdsched_departure *)get_memory(jobs, sizeof *d.of);
    d.count = 0;
    d.room = jobs;
    c->watch.on_departure = collect;
    c->watch.ctx = &d;
    (void)report_of(c, SGDSCHED_NOT_CONVERGED);
    c->watch.on_departure = NULL;
    c->watch.ctx = NULL;
    CHECK(d.count == jobs);
    return d;
}

static sgdsched_cluster mixed(sgdsched_job_kind kind[3], sgdsched_policy policy)
{
    memset(kind, 0, 3 * sizeof *kind);
    kind[0].curve = 1;
    kind[0].weight = 2.0;
    kind[0].size_mean = 10.0;
    kind[0].size_deviation = 8.0;
    kind[1].curve = 0;
    kind[1].weight = 1.0;
    kind[1].size_mean = 30.0;
    kind[1].size_deviation = 60.0;
    kind[1].law = SGDSCHED_LOGNORMAL;
    kind[2].curve = 3;
    kind[2].weight = 5.0;
    kind[2].size_mean = 4.0;
    kind[2].law = SGDSCHED_EXPONENTIAL;
    return (sgdsched_cluster){.rules.policy = policy, .rules.nodes = NODES, .rules.fill = 1,
                              .chunk = 3, .curve = curves, .curves = 4, .workload.kind = kind,
                              .workload.kinds = 3, .workload.load = 0.1, .stop.max_present = 20000,
                              .workload.seed = 11, .stop.precision = 1e-6, .stop.warmup_jobs = 100,
                              .stop.min_jobs = 20000, .stop.max_jobs = 20000};
}

static void check_same(const departures *a, const departures *b)
{
    CHECK(a->count == b->count);
    for (size_t i = 0; i < a->count && i < b->count; i++)
        CHECK(a->of[i].job == b->of[i].job && a->of[i].curve == b->of[i].curve
              && same_bits(a->of[i].time_s, b->of[i].time_s));
}

/* No job is served faster than by the most nodes of its kind. */
TEST(jobs_have_no_more_nodes_than_their_kind_allows)
{
    const size_t jobs = 1100;
    for (int policy = 0; policy < SGDSCHED_POLICY_COUNT; policy++) {
        sgdsched_job_kind kind[3];
        sgdsched_cluster c = mixed(kind, (sgdsched_policy)policy);
        const double *x = curves[1].throughput_per_s;
        kind[0].max_nodes = 2;
        c.workload.kinds = 1;
        c.chunk = 1;
        c.stop.min_jobs = c.stop.max_jobs = jobs - c.stop.warmup_jobs;
        departures d = collect_from(&c, jobs);
        for (size_t i = 0; i < d.count && i < jobs; i++)
            CHECK((d.of[i].time_s - d.of[i].arrival_s) * fmax(x[0], x[1])
                  >= d.of[i].size * (1.0 - 1e-9));
        free(d.of);
    }
}

/* A restart that costs nothing changes no bit, nor do users none of whom gives up. */
TEST(costs_and_users_that_cost_nothing_change_no_bit)
{
    static const double half = 0.5, never = 0.0;
    const size_t jobs = TEST_SIZE(5100, 20100);
    for (int policy = 0; policy < SGDSCHED_POLICY_COUNT; policy++) {
        sgdsched_job_kind kind[3];
        sgdsched_cluster c = mixed(kind, (sgdsched_policy)policy);
        double sooner_s = 0.0, later_s = 0.0;
        c.stop.min_jobs = c.stop.max_jobs = jobs - c.stop.warmup_jobs;
        departures plainly = collect_from(&c, jobs);
        c.restart_s = -0.0;
        c.workload.quits.fraction = &half;
        c.workload.quits.probability = &never;
        c.workload.quits.count = 1;
        departures again = collect_from(&c, jobs);
        check_same(&plainly, &again);
        c.restart_s = 0.01;
        departures late = collect_from(&c, jobs);
        for (size_t i = 0; i < jobs; i++) {
            sooner_s += plainly.of[i].time_s - plainly.of[i].arrival_s;
            later_s += late.of[i].time_s - late.of[i].arrival_s;
        }
        if (policy == SGDSCHED_JSQ) check_same(&plainly, &late);
        else CHECK(later_s > sooner_s);
        free(plainly.of);
        free(again.of);
        free(late.of);
    }
}

TEST(users_give_up_as_often_and_as_late_as_said)
{
    static const double fraction[2] = { 0.4, 0.7 }, probability[2] = { 0.25, 0.35 };
    sgdsched_job_kind kind = { 0, 1.0, 5.0, 0.0, SGDSCHED_NORMAL, 0, 0, 0 };
    sgdsched_cluster c = one_kind(&one_node, &kind, 1, 0.01);
    const double n = 20000.0;
    c.workload.quits.fraction = fraction;
    c.workload.quits.probability = probability;
    c.workload.quits.count = 2;
    c.stop.min_jobs = c.stop.max_jobs = (uint64_t)n;
    sgdsched_cluster_report out = report_of(&c, SGDSCHED_OK);
    CHECK(fabs((double)out.counts.cancelled / n - 0.6) <= 4.0 * sqrt(0.6 * 0.4 / n));
    /* Nearly alone, a job takes as long as it is served: 0.25 give up at 2 s, ... */
    CHECK_REL(out.response.mean_s.value, 0.25 * 2.0 + 0.35 * 3.5 + 0.4 * 5.0, 0.03);
    CHECK(out.slowdown.value >= 1.0 && out.slowdown.value < 1.05);
    for (size_t i = 0; i < SGDSCHED_FRACTIONS; i++)
        CHECK_REL(out.fraction_s[i], 0.5 * (double)(i + 1), 0.1);
}

/* Where all give up, in k equal parts, the probabilities add up to 1 but for rounding. */
TEST(probabilities_that_add_up_to_1_are_those_of_all_users)
{
    double fraction[100], probability[100];
    sgdsched_job_kind kind = { 0, 1.0, 5.0, 0.0, SGDSCHED_NORMAL, 0, 0, 0 };
    sgdsched_cluster c = one_kind(&one_node, &kind, 1, 0.5);
    c.workload.quits.fraction = fraction;
    c.workload.quits.probability = probability;
    c.stop.min_jobs = c.stop.max_jobs = 1000;
    c.stop.precision = 1e9;
    for (size_t k = 1; k <= 100; k++) {
        for (size_t i = 0; i < k; i++) {
            fraction[i] = (double)(i + 1) / 101.0;
            probability[i] = 1.0 / (double)k;
        }
        c.workload.quits.count = k;
        const sgdsched_cluster_report out = report_of(&c, SGDSCHED_OK);
        CHECK(out.counts.cancelled == out.counts.jobs);
        probability[k - 1] += 1e-9;
        (void)report_of(&c, SGDSCHED_BAD_ARGUMENT);
    }
}

/* ---- What is drawn ------------------------------------------------------- */

/* Every policy serves the same jobs, and they are drawn as said. */
/* Notes in seen[n] the jobs that left, which are the same as those seen before. */
static void note_jobs(const departures *d, sgdsched_departure *seen, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const sgdsched_departure *a = d->of + i, *b;
        if (a->job >= n) continue;            /* it overtook one of the first       */
        b = seen + a->job;
        if (b->size > 0.0)
            CHECK(b->job == a->job && b->curve == a->curve
                  && same_bits(a->arrival_s, b->arrival_s) && same_bits(a->size, b->size));
        seen[a->job] = *a;
    }
}

TEST(all_policies_serve_the_same_jobs_drawn_as_said)
{
    enum { MANY = 20100 };
    static sgdsched_departure seen[MANY];
    double sum[4] = { 0.0 }, squares[4] = { 0.0 }, rate, gap_s;
    size_t count[4] = { 0 }, i;
    sgdsched_job_kind kind[3];
    sgdsched_cluster c;
    departures d;
    const size_t last = MANY - 1;
    for (int policy = 0; policy < SGDSCHED_POLICY_COUNT; policy++) {
        c = mixed(kind, (sgdsched_policy)policy);
        d = collect_from(&c, MANY);
        note_jobs(&d, seen, MANY);
        free(d.of);
    }
    for (i = 0; i < MANY; i++) {
        const double size = seen[i].size;
        CHECK(size > 0.0);
        sum[seen[i].curve] += size;
        squares[seen[i].curve] += size * size;
        count[seen[i].curve]++;
    }
    CHECK(count[2] == 0);
    CHECK(fabs((double)count[1] / MANY - 0.25) <= 4.0 * sqrt(0.25 * 0.75 / MANY));
    CHECK(fabs((double)count[0] / MANY - 0.125) <= 4.0 * sqrt(0.125 * 0.875 / MANY));
    /* The normal law cut at 0, where 1.25 deviations lie below the mean: with ratio r of
     * density to tail there, mean + deviation r. */
    CHECK_REL(sum[1] / (double)count[1], 10.0 + 8.0 * 0.182649085389 / 0.894350226333, 0.04);
    CHECK_REL(sum[0] / (double)count[0], 30.0, 0.15);
    CHECK_REL(sum[3] / (double)count[3], 4.0, 0.04);
    CHECK_REL(squares[3] / (double)count[3], 32.0, 0.1);
    gap_s = (seen[last].arrival_s - seen[0].arrival_s) / (double)last;
    rate = 0.1 * NODES * 8.0
        / (2.0 * 10.0 / bounded[0] + 30.0 / concave[0] + 5.0 * 4.0 * service[0]);
    CHECK(fabs(gap_s * rate - 1.0) <= 4.0 / sqrt((double)last));
    c.workload.seed++;
    d = collect_from(&c, MANY);
    CHECK(fabs(d.of[0].arrival_s - seen[d.of[0].job].arrival_s) > 0.0);
    free(d.of);
}

/* ---- Statistics ---------------------------------------------------------- */

/* Two-sided 95 % points for 15 to 31 degrees of freedom, from a printed table. */
static double student(size_t degrees)
{
    static const double t[17] = { 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074,
                                  2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
                                  2.040 };
    return t[degrees - 15];
}

/* The half-width of the mean of x[jobs], of groups of 16 batches. */
static double half_width_of(const double *x, size_t jobs)
{
    double mean[32], sum = 0.0, squares = 0.0;
    size_t batch = 1, groups, k;
    while (jobs / batch >= 512) batch *= 2;
    groups = jobs / batch / 16;
    for (size_t i = 0; i < groups; i++) {
        for (k = 0, mean[i] = 0.0; k < 16 * batch; k++)
            mean[i] += x[i * 16 * batch + k] / (16.0 * (double)batch);
        sum += mean[i] / (double)groups;
    }
    for (size_t i = 0; i < groups; i++) squares += (mean[i] - sum) * (mean[i] - sum);
    return student(groups - 1) * sqrt(squares / (double)groups / (double)(groups - 1));
}

/* The time of a job over the least that it could have taken. */
static double slowdown_of(const sgdsched_cluster *c, const sgdsched_departure *d)
{
    double most = 0.0;
    for (uint32_t w = 1; w <= c->rules.nodes; w++)
        if (throughput(c->curve + d->curve, w) > most) most = throughput(c->curve + d->curve, w);
    return (d->time_s - d->arrival_s) / (d->size / most);
}

/* Batch means and quantiles once more from the list of all departures. */
static void check_statistics(size_t jobs)
{
    sgdsched_job_kind kind[3];
    sgdsched_cluster c = mixed(kind, SGDSCHED_HELL);
    double *response_s = (double *)get_memory(jobs, sizeof(double));
    double *slowdown = (double *)get_memory(jobs, sizeof(double));
    double probability[99], sum = 0.0, slowed = 0.0;
    sgdsched_estimate quantile[99];
    c.stop.max_jobs = c.stop.min_jobs = jobs;
    departures d = collect_from(&c, jobs + 100);
    for (size_t i = 0; i < 99; i++) probability[i] = (double)(i + 1) / 100.0;
    sgdsched_cluster_report out = {.response.probability = probability,
                                   .response.probabilities = 99, .response.quantile_s = quantile};
    CHECK_STATUS(run(&c, &out), SGDSCHED_NOT_CONVERGED);
    for (size_t i = 0; i < jobs; i++) {
        response_s[i] = d.of[100 + i].time_s - d.of[100 + i].arrival_s;
        slowdown[i] = slowdown_of(&c, d.of + 100 + i);
        sum += response_s[i];
        slowed += slowdown[i];
    }
    CHECK(out.counts.jobs == jobs && out.outcome == SGDSCHED_LIMIT);
    CHECK_REL(out.response.mean_s.value, sum / (double)jobs, 1e-11);
    CHECK_REL(out.slowdown.value, slowed / (double)jobs, 1e-9);
    CHECK_REL(out.response.mean_s.half_width, half_width_of(response_s, jobs), 1e-3);
    CHECK_REL(out.slowdown.half_width, half_width_of(slowdown, jobs), 1e-3);
    qsort(response_s, jobs, sizeof *response_s, ascending);
    for (size_t i = 0; i < 99; i++) {
        const size_t rank = (size_t)ceil(probability[i] * (double)jobs - 1e-9);
        CHECK_REL(quantile[i].value, response_s[rank - 1], 0.008);
        CHECK(quantile[i].half_width > 0.0);
        if (i > 0) CHECK(quantile[i].value >= quantile[i - 1].value);
    }
    free(slowdown);
    free(response_s);
    free(d.of);
}

TEST(means_and_quantiles_are_those_of_all_departures)
{
    check_statistics(511);
    check_statistics(512);
    check_statistics(700);
    check_statistics(20000);
    check_statistics(77777);
}

/* How often the intervals hold the truth, of M/M/1. For a length that is fixed 95 % are
 * expected, less four deviations of the binomial law; runs that stop when they
 * are precise are known to stop too early a little too often. */
static size_t covered(sgdsched_cluster *c, size_t runs, size_t *quantiles)
{
    const double mean_s = 1.0 / (1.0 - c->workload.load);
    size_t bytes = 0, hits = 0;
    CHECK_STATUS(sgdsched_cluster_run_bytes(c, &bytes), SGDSCHED_OK);
    void *work = get_memory(bytes, 1);
    for (size_t i = 0; i < runs; i++) {
        const double p = 0.9, want_s = -mean_s * log(1.0 - p);
        sgdsched_estimate quantile;
        sgdsched_cluster_report out = {.response.probability = &p, .response.probabilities = 1,
                                       .response.quantile_s = &quantile};
        c->workload.seed = 1000 + i;
        sgdsched_status status = sgdsched_cluster_run(c, work, bytes, &out);
        CHECK(status == SGDSCHED_OK || status == SGDSCHED_NOT_CONVERGED);
        hits += fabs(out.response.mean_s.value - mean_s) <= out.response.mean_s.half_width;
        *quantiles += fabs(quantile.value - want_s) <= quantile.half_width;
    }
    free(work);
    return hits;
}

TEST_FULL(intervals_hold_the_truth_as_often_as_said)
{
    const size_t runs = TEST_SIZE(30, 100);
    const double many = (double)runs, least = 0.95 * many - 4.0 * sqrt(0.95 * 0.05 * many);
    sgdsched_job_kind kind = { 0, 1.0, 1.0, 0.0, SGDSCHED_EXPONENTIAL, 0, 0, 0 };
    sgdsched_cluster c = one_kind(&one_node, &kind, 1, 0.6);
    size_t mean, quantile = 0, sequential, sequential_quantile = 0;
    c.stop.min_jobs = c.stop.max_jobs = (uint64_t)TEST_SIZE(8000, 20000);
    mean = covered(&c, runs, &quantile);
    c.stop.min_jobs = c.stop.max_jobs = 0;
    sequential = covered(&c, runs, &sequential_quantile);
    printf("    95 %% intervals that hold the truth, of %lu: mean %lu, quantile .9 %lu; when "
           "stopped by precision: %lu, %lu\n", (unsigned long)runs, (unsigned long)mean,
           (unsigned long)quantile, (unsigned long)sequential,
           (unsigned long)sequential_quantile);
    CHECK((double)mean >= least && (double)quantile >= least);
    CHECK(mean < runs);
    CHECK((double)sequential >= 0.85 * many && (double)sequential_quantile >= 0.85 * many);
}

/* A loose precision does not do where batches still depend on each other. */
TEST_FULL(a_run_stops_when_precise_and_uncorrelated)
{
    sgdsched_job_kind kind = { 0, 1.0, 1.0, 0.0, SGDSCHED_EXPONENTIAL, 0, 0, 0 };
    sgdsched_cluster c = one_kind(&one_node, &kind, 1, 0.5);
    c.stop.min_jobs = c.stop.max_jobs = 0;
    sgdsched_cluster_report out = report_of(&c, SGDSCHED_OK);
    CHECK(out.outcome == SGDSCHED_CONVERGED && out.counts.jobs >= 10000
          && out.counts.jobs < 100000);
    CHECK(out.response.mean_s.half_width <= 0.05 * out.response.mean_s.value);
    c.stop.precision = 0.01;
    out = report_of(&c, SGDSCHED_OK);
    CHECK(out.outcome == SGDSCHED_CONVERGED && out.counts.jobs > 100000);
    CHECK(out.response.mean_s.half_width <= 0.01 * out.response.mean_s.value);
    c.stop.max_jobs = 50000;
    out = report_of(&c, SGDSCHED_NOT_CONVERGED);
    CHECK(out.outcome == SGDSCHED_LIMIT && out.counts.jobs == 50000);
    c.stop.precision = 0.3;
    c.stop.min_jobs = 300;
    c.stop.max_jobs = 1000000;
    c.workload.load = 0.95;
    out = report_of(&c, SGDSCHED_OK);
    CHECK(out.outcome == SGDSCHED_CONVERGED && out.counts.jobs > 50000);
}

/* ---- Golden runs --------------------------------------------------------- */

enum { GOLDEN_JOBS = 8, GOLDEN_NODES = 100, GOLDEN_DECISIONS = 32 };

typedef struct golden {
    sgdsched_cluster cluster;
    double           x[GOLDEN_JOBS][GOLDEN_NODES];
    sgdsched_curve   curve[GOLDEN_JOBS];
    sgdsched_arrival job[GOLDEN_JOBS];
    size_t           jobs, decisions;
    double           end_s[GOLDEN_JOBS], mean_s, time_s[GOLDEN_DECISIONS];
    uint32_t         nodes[GOLDEN_DECISIONS][GOLDEN_JOBS];
} golden;

/* When which jobs have which nodes: [[0.5, {"0": 10, "1": 0}], ...]. */
static void golden_decisions(const golden_value *from, golden *g)
{
    const golden_value *one = golden_first(from), *job;
    g->decisions = golden_count(from);
    if (g->decisions > GOLDEN_DECISIONS) g->decisions = 0;
    for (size_t i = 0; i < g->decisions; i++, one = one->next) {
        g->time_s[i] = golden_number(golden_item(one, 0));
        for (job = golden_first(golden_item(one, 1)); job; job = job->next) {
            const unsigned long k = strtoul(job->key, NULL, 10);
            if (k < GOLDEN_JOBS) g->nodes[i][k] = (uint32_t)golden_whole(job);
        }
    }
}

static void golden_read(const golden_value *from, golden *g)
{
    const golden_value *x = golden_first(golden_get(from, "X"));
    memset(g, 0, sizeof *g);
    golden_rules(from, golden_get(from, "par"), &g->cluster.rules);
    g->cluster.rules.gamma = golden_number(golden_get(from, "gamma"));
    g->cluster.chunk = (uint32_t)golden_whole(golden_get(from, "par.chunk"));
    g->jobs = golden_count(golden_get(from, "size"));
    if (g->jobs > GOLDEN_JOBS) g->jobs = 0;
    for (size_t i = 0; i < g->jobs && x; i++, x = x->next) {
        g->job[i].time_s = golden_number(golden_item(golden_get(from, "arrival"), i));
        g->job[i].size = golden_number(golden_item(golden_get(from, "size"), i));
        g->job[i].curve = i;
        g->curve[i].nodes = (uint32_t)golden_numbers(x, g->x[i], GOLDEN_NODES);
        g->curve[i].throughput_per_s = g->x[i];
        g->end_s[i] = golden_number(golden_item(golden_get(from, "completion"), i));
    }
    g->mean_s = golden_number(golden_get(from, "mean_response"));
    golden_decisions(golden_get(from, "allocations"), g);
    g->cluster.curve = g->curve;
    g->cluster.curves = g->jobs;
}

/* What the jobs had after each decision that changed something. */
typedef struct allocations {
    ledger   ledger;
    size_t   count;
    double   time_s[GOLDEN_DECISIONS];
    uint32_t nodes[GOLDEN_DECISIONS][GOLDEN_JOBS];
} allocations;

static void keep_allocations(void *ctx, double time_s, const sgdsched_change *change,
                             size_t changes)
{
    allocations *a = (allocations *)ctx;
    keep_change(ctx, time_s, change, changes);
    if (a->count == GOLDEN_DECISIONS) return;
    a->time_s[a->count] = time_s;
    memcpy(a->nodes[a->count++], a->ledger.nodes, a->ledger.jobs * sizeof(uint32_t));
}

/* The nodes of every job from one golden decision to the next are those of ours. */
static void check_golden_trace(const golden *g, const allocations *a)
{
    for (size_t i = 0; i < g->decisions; i++) {
        for (size_t k = 0; k < g->jobs; k++) {
            uint32_t nodes = 0;
            for (size_t j = 0; j < a->count && a->time_s[j] <= g->time_s[i] + 1e-9; j++)
                nodes = a->nodes[j][k];
            if (g->end_s[k] <= g->time_s[i] + 1e-9) nodes = 0;
            CHECK(nodes == g->nodes[i][k]);
        }
    }
}

TEST(runs_are_the_golden_ones)
{
    golden_value *file = golden_open(golden_path);
    const golden_value *one = golden_first(golden_get(file, "cluster_runs"));
    size_t runs = 0, decisions = 0;
    for (; one; one = one->next) {
        golden g;
        golden_read(one, &g);
        allocations a = {0};
        ledger_open(&a.ledger, &g.cluster, g.job, g.jobs);
        g.cluster.watch.on_change = keep_allocations;
        sgdsched_cluster_report out = report_of(&g.cluster, SGDSCHED_OK);
        check_laws(&a.ledger, &out, g.job[0].time_s);
        CHECK_REL(out.response.mean_s.value, g.mean_s, 1e-9);
        for (size_t i = 0; i < g.jobs; i++) CHECK_REL(a.ledger.end_s[i], g.end_s[i], 1e-9);
        if (g.decisions > 0) CHECK(out.counts.decisions == g.decisions);
        check_golden_trace(&g, &a);
        ledger_close(&a.ledger);
        decisions += g.decisions;
        runs++;
    }
    golden_close(file);
    printf("    golden: %lu runs, %lu decisions\n", (unsigned long)runs,
           (unsigned long)decisions);
    CHECK(runs == 6 && decisions >= 60);
}

/* ---- Instants ------------------------------------------------------------ */

/* 0.6 / 0.1 is a little less than 6, when the next jobs come; they find the node free,
 * and the shorter one goes first though it came second. */
TEST(departures_of_an_instant_come_before_its_arrivals)
{
    static const double x = 0.1;
    const sgdsched_curve curve = { &x, NULL, 1 };
    const sgdsched_arrival job[4] = { { 0.0, 0.6, 0, 0, 0, 0 }, { 6.0, 0.2, 0, 0, 0, 0 },
                                      { 6.0, 0.1, 0, 0, 0, 0 }, { 7.0 + 2e-12, 0.05, 0, 0, 0, 0 } };
    ledger l;
    sgdsched_cluster c = {.rules.policy = SGDSCHED_MOLDABLE_HELL, .rules.nodes = 1, .curve = &curve,
                          .curves = 1};
    sgdsched_cluster_report out = run_given(&l, &c, job, 4);
    CHECK_REL(l.end_s[0], 6.0, 0.0);
    CHECK_REL(l.end_s[2], 7.0, 1e-11);
    CHECK_REL(l.end_s[3], 7.5, 1e-11);
    CHECK_REL(l.end_s[1], 9.5, 1e-11);
    CHECK(out.counts.decisions == 5 && l.order[1] == 2 && l.order[2] == 3);
    ledger_close(&l);
}

/* The instant in which a job ends reaches 10^-12 of its time: what arrives in it tells the
 * time, and what arrives a last bit later does not. */
TEST(an_arrival_at_the_end_of_an_instant_is_in_it)
{
    sgdsched_arrival job[2] = { { 0.0, 1.0, 0, 0, 0, 0 }, { 0.0, 1.0, 0, 0, 0, 0 } };
    const double last_s = 1.0 + 1e-12 * 1.0;
    ledger l;
    sgdsched_cluster c = {.rules.nodes = 1, .curve = &one_node, .curves = 1};
    for (int later = 0; later < 2; later++) {
        job[1].time_s = later ? nextafter(last_s, 2.0) : last_s;
        CHECK(run_given(&l, &c, job, 2).counts.decisions == (later ? 4u : 3u));
        CHECK_REL(l.end_s[0], later ? 1.0 : last_s, 0.0);
        ledger_close(&l);
    }
}

TEST(a_run_of_no_jobs_reports_none)
{
    sgdsched_cluster_report out;
    sgdsched_estimate quantile[4];
    ledger l;
    sgdsched_cluster c = {.rules.nodes = 3, .curve = &one_node, .curves = 1};
    ledger_open(&l, &c, NULL, 0);
    memset(&out, 0xa5, sizeof out);
    memset(quantile, 0xa5, sizeof quantile);
    out.response.probability = NULL;
    out.response.quantile_s = quantile;
    CHECK_STATUS(run(&c, &out), SGDSCHED_OK);
    CHECK(out.outcome == SGDSCHED_DONE && out.counts.jobs == 0 && out.counts.decisions == 0);
    CHECK(out.response.mean_s.half_width > DBL_MAX && quantile[3].half_width > DBL_MAX);
    CHECK(!(fabs(out.utilization) > 0.0) && !(fabs(quantile[0].value) > 0.0));
    ledger_close(&l);
}

/* 99 jobs of one time, which lie in one bin, and one that takes longer. */
TEST(times_that_are_alike_are_spread_over_their_bin)
{
    static const double probability[4] = { 0.2, 0.4, 0.6, 0.999 };
    sgdsched_arrival job[100] = {{0}};
    sgdsched_estimate quantile[4];
    ledger l;
    for (size_t i = 0; i < 100; i++) {
        job[i].time_s = 10.0 * (double)i;
        job[i].size = i < 99 ? 5.0 : 50.0;
    }
    sgdsched_cluster c = {.rules.nodes = 1, .curve = &one_node, .curves = 1};
    ledger_open(&l, &c, job, 100);
    sgdsched_cluster_report out = {.response.probability = probability, .response.probabilities = 4,
                                   .response.quantile_s = quantile};
    CHECK_STATUS(run(&c, &out), SGDSCHED_OK);
    CHECK_REL(quantile[3].value, 50.0, 1e-12);         /* no more than the longest      */
    for (size_t i = 0; i < 3; i++) CHECK_REL(quantile[i].value, 5.0, 0.008);
    CHECK(quantile[1].value > quantile[0].value);
    CHECK_REL(quantile[2].value - quantile[1].value, quantile[1].value - quantile[0].value, 1e-6);
    ledger_close(&l);
}

/* The time below which so many of 64 jobs stay, of which 20 take 1 s, 36 take 5 s and 8 the
 * longest, 50 s: those of one time are spread over their bin, a 128th of an octave. */
static double spread_s(double jobs)
{
    if (jobs <= 20.0) return 1.0 + jobs / 20.0 * (1.0 / 128.0);
    if (jobs <= 56.0) return 5.0 + (jobs - 20.0) / 36.0 * (4.0 / 128.0);
    return 50.0;
}

/* Four groups of 16 jobs: what part of each is below a quantile, spread in the same way,
 * has an interval, and the farther one of its ends is how far the quantile may be off. */
TEST(a_quantile_is_as_sure_as_the_part_of_jobs_below_it)
{
    static const double probability[3] = { 0.33, 0.6, 0.85 };
    static const size_t brief[4] = { 4, 5, 6, 5 }, lengthy[4] = { 1, 3, 2, 2 };
    sgdsched_arrival job[64] = {{0}};
    sgdsched_estimate quantile[3];
    ledger l;
    size_t k;
    for (size_t i = 0; i < 64; i++) {
        k = i % 16;
        job[i].time_s = 100.0 * (double)i;
        job[i].size = k < brief[i / 16] ? 1.0 : k < 16 - lengthy[i / 16] ? 5.0 : 50.0;
    }
    sgdsched_cluster c = {.rules.nodes = 1, .curve = &one_node, .curves = 1};
    ledger_open(&l, &c, job, 64);
    sgdsched_cluster_report out = {.response.probability = probability, .response.probabilities = 3,
                                   .response.quantile_s = quantile};
    CHECK_STATUS(run(&c, &out), SGDSCHED_OK);
    for (size_t i = 0; i < 3; i++) {
        const double p = probability[i], part = (64.0 * p - 20.0) / 36.0, t = 3.1824463;
        double squares = 0.0, h, above_s, below_s;
        for (k = 0; k < 4; k++) {
            const double few = (double)brief[k], most = 16.0 - (double)lengthy[k];
            squares += pow((few + part * (most - few)) / 16.0 - p, 2.0);
        }
        h = t * sqrt(squares / 12.0);
        above_s = spread_s(64.0 * (p + h)) - spread_s(64.0 * p);
        below_s = spread_s(64.0 * p) - spread_s(64.0 * (p - h));
        CHECK_REL(quantile[i].value, spread_s(64.0 * p), 1e-9);
        CHECK_REL(quantile[i].half_width, above_s > below_s ? above_s : below_s, 1e-4);
        CHECK((below_s > 3.0) == (i == 0) && (above_s > 3.0) == (i == 2));
    }
    ledger_close(&l);
}

/* Of a quarter of the users, who give up, the jobs are as large as those of the others. */
TEST(who_gives_up_does_not_depend_on_sizes)
{
    enum { MANY = 4000 };
    static const double fraction = 0.5, probability = 0.25;
    sgdsched_job_kind kind = { 0, 1.0, 5.0, 5.0, SGDSCHED_LOGNORMAL, 0, 0, 0 };
    sgdsched_cluster c = one_kind(&one_node, &kind, 1, 0.5);
    double sum[2] = { 0.0, 0.0 }, count[2] = { 0.0, 0.0 };
    c.workload.quits.fraction = &fraction;
    c.workload.quits.probability = &probability;
    c.workload.quits.count = 1;
    c.stop.warmup_jobs = 1000;
    c.stop.min_jobs = c.stop.max_jobs = MANY - c.stop.warmup_jobs;
    departures d = collect_from(&c, MANY);
    for (size_t i = 0; i < MANY; i++) {
        sum[d.of[i].cancelled != 0] += log(d.of[i].size);
        count[d.of[i].cancelled != 0] += 1.0;
    }
    CHECK(fabs(count[1] / MANY - 0.25) <= 4.0 * sqrt(0.25 * 0.75 / MANY));
    CHECK(fabs(sum[0] / count[0] - sum[1] / count[1])
          <= 4.0 * sqrt(log(2.0) * (1.0 / count[0] + 1.0 / count[1])));
    free(d.of);
}

/* A normal size is that of Box and Muller, of two numbers, and of two more where it is not
 * above 0; a seed means the same jobs for good. */
TEST(normal_sizes_are_those_of_their_numbers)
{
    enum { MANY = 600 };
    sgdsched_job_kind kind = { 0, 1.0, 5.0, 6.0, SGDSCHED_NORMAL, 0, 0, 0 };
    sgdsched_cluster c = one_kind(&one_node, &kind, 1, 0.5);
    const uint64_t seed = c.workload.seed;
    c.stop.warmup_jobs = 100;
    c.stop.min_jobs = c.stop.max_jobs = MANY - c.stop.warmup_jobs;
    departures d = collect_from(&c, MANY);
    for (size_t i = 0; i < MANY; i++) {
        double size = 0.0;
        for (uint64_t draw = 3; !(size > 0.0); draw += 2)
            size = 5.0 + 6.0 * sqrt(-2.0 * log(1.0 - uniform(seed, d.of[i].job, draw)))
                             * cos(8.0 * atan(1.0) * uniform(seed, d.of[i].job, draw + 1));
        CHECK_REL(d.of[i].size, size, 1e-9);
    }
    free(d.of);
}

/* The first 1000 jobs of a generated workload do not count where nothing else is said. */
TEST(a_warm_up_of_none_is_one_of_1000_jobs)
{
    sgdsched_job_kind kind = { 0, 1.0, 5.0, 5.0, SGDSCHED_LOGNORMAL, 0, 0, 0 };
    sgdsched_cluster c = one_kind(&one_node, &kind, 1, 0.5);
    c.stop.min_jobs = c.stop.max_jobs = 1000;
    c.stop.precision = 1e-6;
    c.stop.warmup_jobs = 0;
    sgdsched_cluster_report unsaid = report_of(&c, SGDSCHED_NOT_CONVERGED);
    c.stop.warmup_jobs = 1000;
    sgdsched_cluster_report said = report_of(&c, SGDSCHED_NOT_CONVERGED);
    CHECK(unsaid.counts.jobs == 1000 && said.counts.jobs == 1000);
    CHECK(same_bits(unsaid.response.mean_s.value, said.response.mean_s.value)
          && same_bits(unsaid.end_s, said.end_s));
}

/* The defaults of min_jobs and max_jobs; and a warm-up of one job is one. */
TEST(a_run_that_is_precise_at_once_has_10000_jobs_and_a_batch)
{
    sgdsched_job_kind kind = { 0, 1.0, 5.0, 0.0, SGDSCHED_NORMAL, 0, 0, 0 };
    sgdsched_cluster c = one_kind(&one_node, &kind, 1, 0.2);
    c.stop.precision = 1e9;
    c.stop.min_jobs = 0;
    c.stop.max_jobs = 20000;
    sgdsched_cluster_report out = report_of(&c, SGDSCHED_OK);
    CHECK(out.counts.jobs >= 10000
          && out.counts.jobs < 11000);      /* whole batches               */
    c = one_kind(&one_node, &kind, 1, 0.8);
    c.stop.precision = 0.05;
    c.stop.min_jobs = 1;
    c.stop.max_jobs = 0;
    CHECK(report_of(&c, SGDSCHED_OK).counts.jobs > 512);
    c.stop.warmup_jobs = 1;
    c.stop.max_jobs = 100;
    departures d = collect_from(&c, 101);
    free(d.of);
}

/* Precision is looked at with each group, of 16 jobs as long as these are few; of one alone
 * there is no interval. */
TEST(a_run_stops_with_the_first_precise_group_that_has_the_least_jobs)
{
    static const uint64_t min_jobs[4] = { 1, 32, 33, 48 }, jobs[4] = { 32, 32, 48, 48 };
    sgdsched_job_kind kind = { 0, 1.0, 5.0, 0.0, SGDSCHED_EXPONENTIAL, 0, 0, 0 };
    sgdsched_cluster c = one_kind(&one_node, &kind, 1, 0.01);
    c.stop.precision = 1e9;
    c.stop.max_present = 100;
    for (size_t i = 0; i < 4; i++) {
        c.stop.min_jobs = min_jobs[i];
        CHECK(report_of(&c, SGDSCHED_OK).counts.jobs == jobs[i]);
    }
}

/* Quantiles of response times that the histogram does not tell apart. */
TEST(quantiles_beyond_the_histogram_are_0_or_infinite)
{
    const sgdsched_arrival job[3] = { { 0.0, 1e-9, 0, 0, 0, 0 }, { 1.0, 1.0, 0, 0, 0, 0 },
                                      { 4.0, 1e13, 0, 0, 0, 0 } };
    static const double probability[3] = { 0.2, 0.5, 0.8 };
    sgdsched_estimate quantile[3];
    ledger l;
    sgdsched_cluster c = {.rules.nodes = 1, .curve = &one_node, .curves = 1};
    ledger_open(&l, &c, job, 3);
    sgdsched_cluster_report out = {.response.probability = probability, .response.probabilities = 3,
                                   .response.quantile_s = quantile};
    CHECK_STATUS(run(&c, &out), SGDSCHED_OK);
    CHECK(!(quantile[0].value > 0.0) && quantile[2].value > DBL_MAX);
    CHECK_REL(quantile[1].value, 1.0, 0.008);
    CHECK_REL(out.response.mean_s.value, 1e13 / 3.0, 1e-9);
    ledger_close(&l);
}

/* Half of the jobs of each group take no time that the histogram knows, half longer than it
 * knows: no group is in doubt about the 30th percentile, which is 0. */
TEST(a_quantile_of_no_time_may_be_sure)
{
    enum { JOBS = 48 };
    static const double probability = 0.3;
    sgdsched_arrival job[JOBS] = {{0}};
    sgdsched_estimate quantile;
    ledger l;
    for (size_t i = 0; i < JOBS; i++) {
        job[i].time_s = 2e13 * (double)i;
        job[i].size = i % 2 == 0 ? 1e-9 : 1e13;
    }
    sgdsched_cluster c = {.rules.nodes = 1, .curve = &one_node, .curves = 1};
    ledger_open(&l, &c, job, JOBS);
    sgdsched_cluster_report out = {.response.probability = &probability,
                                   .response.probabilities = 1, .response.quantile_s = &quantile};
    CHECK_STATUS(run(&c, &out), SGDSCHED_OK);
    CHECK_REL(quantile.value, 0.0, 0.0);
    CHECK_REL(quantile.half_width, 0.0, 0.0);
    ledger_close(&l);
}

/* A short job interrupts a long one when a part of it is done, but for rounding: the part
 * does not wait for the rest. */
TEST(a_part_that_is_done_at_an_interruption_is_done_then)
{
    const sgdsched_curve curve[2] = { one_node, one_node };
    for (uint64_t seed = 0; seed < 200; seed++) {
        const double size = 1.0 + 9.0 * uniform(seed, 0, 0), begin_s = uniform(seed, 1, 0);
        const double after_s = size * uniform(seed, 2, 0), brief = 0.01 * (size - after_s);
        const sgdsched_arrival job[2] = { {.time_s = begin_s, .size = size},
            {.time_s = begin_s + after_s, .size = brief, .curve = 1} };
        const sgdsched_part done = { after_s / size, 0 };
        sgdsched_part_report part = {0};
        ledger l;
        sgdsched_cluster c = {.rules.policy = SGDSCHED_HELL, .rules.nodes = 1, .curve = curve,
                              .curves = 2, .part = &done, .parts = 1};
        ledger_open(&l, &c, job, 2);
        sgdsched_cluster_report out = {.part = &part};
        CHECK_STATUS(run(&c, &out), SGDSCHED_OK);
        CHECK_REL(l.end_s[0], begin_s + size + brief, 1e-12);
        CHECK_REL(part.most_s, after_s, 1e-9);
        ledger_close(&l);
    }
}

/* ---- Numbers of any size ------------------------------------------------- */

static int is_finite(double x) { return x >= 0.0 && x <= DBL_MAX; }

/* No number of a report is NaN, negative or infinite, but for half-widths of a few jobs and
 * quantiles beyond the histogram. */
static int report_is_finite(const sgdsched_cluster_report *out, const sgdsched_estimate *quantile)
{
    int good = is_finite(out->end_s) && is_finite(out->response.mean_s.value)
        && is_finite(out->slowdown.value) && is_finite(out->utilization)
        && is_finite(out->jobs_present) && out->utilization <= 1.0 + 1e-12;
    good = good && out->response.mean_s.half_width >= 0.0 && out->slowdown.half_width >= 0.0;
    for (size_t i = 0; i < SGDSCHED_FRACTIONS; i++) good = good && is_finite(out->fraction_s[i]);
    for (size_t i = 0; i < 4; i++)
        good = good && quantile[i].value >= 0.0 && quantile[i].half_width >= 0.0;
    return good;
}

static double pick(const double *from, size_t count, uint64_t seed, uint64_t a, uint64_t b)
{
    return from[(size_t)((double)count * uniform(seed, a, b))];
}

enum { ANY_JOBS = 30, ANY_NODES = 4 };

/* Jobs and curves from one end of the range of numbers to the other. */
typedef struct any {
    double           x[2][ANY_NODES], part, some;
    sgdsched_curve   curve[2];
    sgdsched_arrival job[ANY_JOBS];
    sgdsched_cluster cluster;
} any;

static void draw_jobs(any *y, uint64_t seed)
{
    static const double sizes[] = { 5e-324, 1e-310, 1e-200, 1e-70, 1e-9, 1.0, 3.0, 1e9, 1e70,
                                    1e200, DBL_MAX };
    static const double gaps_s[] = { 0.0, 0.0, 5e-324, 1e-300, 1e-80, 1.0, 1e60, 1e150 };
    const size_t few = 2 + (size_t)(9.0 * uniform(seed, 1, 7)); /* of these sizes     */
    for (size_t i = 0; i < ANY_JOBS; i++) {
        memset(y->job + i, 0, sizeof y->job[i]);
        y->job[i].time_s = pick(gaps_s, few < 8 ? few : 8, seed, i, 2)
            + (i > 0 ? y->job[i - 1].time_s : 0.0);
        y->job[i].size = pick(sizes, few, seed, i, 3);
        y->job[i].curve = (size_t)(2.0 * uniform(seed, i, 4));
    }
}

static void draw_any(any *y, uint64_t seed)
{
    static const double speeds[] = { 1e-70, 1e-9, 1.0, 2.0, 1e9, 1e70 };
    static const double costs_s[] = { 0.0, 0.0, 5e-324, 1e-60, 1.0, 1e300 };
    static const double parts[] = { 5e-324, 1e-20, 0.5, 1.0 - DBL_EPSILON };
    sgdsched_cluster *c = &y->cluster;
    memset(y, 0, sizeof *y);
    draw_jobs(y, seed);
    for (size_t i = 0; i < 2 * ANY_NODES; i++)
        y->x[i / ANY_NODES][i % ANY_NODES] = pick(speeds, 6, seed, i, 1);
    for (size_t i = 0; i < 2; i++) {
        y->curve[i].throughput_per_s = (seed + i) % 3 ? y->x[i] : NULL;
        y->curve[i].service_s = (seed + i) % 3 ? NULL : y->x[i];
        y->curve[i].nodes = ANY_NODES;
    }
    c->rules.policy = (sgdsched_policy)(seed % SGDSCHED_POLICY_COUNT);
    c->rules.nodes = 1 + (uint32_t)(6.0 * uniform(seed, 3, 0));
    c->rules.fill = seed % 2 != 0;
    c->rules.gamma = seed % 5 == 0 ? 1.05 : 0.0;
    c->chunk = 1;
    c->curve = y->curve;
    c->curves = 2;
    c->restart_s = pick(costs_s, 6, seed, 4, 0);
    y->part = pick(parts, 4, seed, 2, 0);
    y->some = 0.5;
    c->workload.quits.fraction = &y->part;
    c->workload.quits.probability = &y->some;
    c->workload.quits.count = seed % 3 == 0;
}

/* A run of them: is there a report? */
static int check_any(uint64_t seed)
{
    sgdsched_estimate quantile[4];
    ledger l;
    any y;
    draw_any(&y, seed);
    ledger_open(&l, &y.cluster, y.job, ANY_JOBS);
    y.cluster.watch.on_change = NULL;
    y.cluster.watch.on_departure = NULL;
    sgdsched_cluster_report out = {.response.quantile_s = quantile};
    sgdsched_status status = run(&y.cluster, &out);
    ledger_close(&l);
    if (status == SGDSCHED_OK)
        CHECK(out.counts.jobs == ANY_JOBS && report_is_finite(&out, quantile));
    else CHECK_STATUS(status, SGDSCHED_TOO_LARGE);
    return status == SGDSCHED_OK;
}

TEST(reports_are_finite_whatever_the_sizes_and_speeds)
{
    const uint64_t runs = TEST_SIZE(100, 10000);
    uint64_t seed, done = 0;
    for (seed = 0; seed < runs && test_failures == 0; seed++)
        done += (uint64_t)check_any(seed);
    if (test_failures > 0) fprintf(stderr, "    in run %lu\n", (unsigned long)seed - 1);
    printf("    sizes 5e-324 to 1.8e308: %lu runs reported, %lu refused\n",
           (unsigned long)done, (unsigned long)(runs - done));
    CHECK(done >= runs / 8 && runs - done >= runs / 8);
}

/* A job that is over before the clock moves did not wait. */
TEST(a_job_too_short_for_the_clock_has_the_slowdown_1)
{
    static const double sizes[] = { 5e-324, 1e-300, 1e-20 };
    for (size_t i = 0; i < 6; i++) {
        const sgdsched_arrival job = { i < 3 ? 0.0 : 1e4, sizes[i % 3], 0, 0, 0, 0 };
        const double fast = 1e70;
        const sgdsched_curve curve = { &fast, NULL, 1 };
        ledger l;
        sgdsched_cluster c = {.rules.nodes = 1, .curve = &curve, .curves = 1};
        sgdsched_cluster_report out = run_given(&l, &c, &job, 1);
        CHECK_REL(out.slowdown.value, 1.0, 0.0);
        ledger_close(&l);
    }
}

/* A job that takes less than the clock tells counts as taking so much: behind one of 3 s
 * its slowdown is 3 s over that, the other's is 1. */
TEST(a_job_too_short_for_the_clock_that_waits_is_slowed_down_by_the_clock)
{
    const sgdsched_arrival job[2] = { { 1e4, 3.0, 0, 0, 0, 0 }, { 1e4, 1e-60, 0, 0, 0, 0 } };
    const double tick_s = (1e4 + 3.0) * DBL_EPSILON;
    ledger l;
    sgdsched_cluster c = {.rules.policy = SGDSCHED_JSQ, .rules.nodes = 1, .chunk = 1,
                          .curve = &one_node, .curves = 1};
    sgdsched_cluster_report out = run_given(&l, &c, job, 2);
    CHECK_REL(out.slowdown.value, (1.0 + 3.0 / tick_s) / 2.0, 1e-9);
    ledger_close(&l);
}

/* Two arrivals of one instant, the second a little later than it: over at once, it leaves
 * before its own time. */
TEST(no_response_is_negative)
{
    const sgdsched_arrival job[2] = { { 1e4, 1.0, 0, 0, 0, 0 }, { 1e4 + 9e-9, 1e-30, 0, 0, 0, 0 } };
    ledger l;
    sgdsched_cluster c = {.rules.policy = SGDSCHED_WATERFILL, .rules.nodes = 2, .curve = &one_node,
                          .curves = 1};
    ledger_open(&l, &c, job, 2);
    c.watch.on_change = NULL;
    sgdsched_cluster_report out = report_of(&c, SGDSCHED_OK);
    CHECK(l.order[0] == 1 && l.end_s[1] < job[1].time_s);
    CHECK_REL(out.response.mean_s.value, 0.5, 1e-9);
    CHECK_REL(out.slowdown.value, 1.0, 1e-9);
    CHECK(out.fraction_s[0] >= 0.05 - 1e-9);
    ledger_close(&l);
}

/* 1e140 s is the time of the largest size that counts on the slowest curve: up to there
 * means and their intervals are finite, and beyond it there are none. */
TEST(times_end_at_1e140_s)
{
    static const double slow_one = 1e-70;
    const sgdsched_curve curve = { &slow_one, NULL, 1 };
    sgdsched_arrival job[40] = {{0}};
    ledger l;
    for (size_t i = 0; i < 40; i++) {
        job[i].time_s = 0.0;
        job[i].size = 2e68;                    /* 40 of them take 0.8e140 s           */
        job[i].curve = 0;
    }
    sgdsched_cluster c = {.rules.nodes = 1, .curve = &curve, .curves = 1};
    sgdsched_cluster_report out = run_given(&l, &c, job, 40);
    CHECK_REL(out.response.mean_s.value, 0.41e140, 1e-9);
    CHECK_REL(out.slowdown.value, 20.5, 1e-9);
    CHECK(is_finite(out.response.mean_s.half_width));
    ledger_close(&l);
    job[39].size = 1e70;
    memset(&c, 0, sizeof c);
    c.rules.nodes = 1;
    c.curve = &curve;
    c.curves = 1;
    ledger_open(&l, &c, job, 40);
    (void)report_of(&c, SGDSCHED_TOO_LARGE);
    ledger_close(&l);
}

/* ---- Statuses ------------------------------------------------------------ */

/* A run that fails leaves its outputs as they were. */
static void check_fails(const sgdsched_cluster *c, sgdsched_status want)
{
    sgdsched_estimate quantile[4], quantile_before[4];
    sgdsched_cluster_report out, before;
    memset(&out, 0x5a, sizeof out);
    memset(quantile, 0x5a, sizeof quantile);
    out.response.probability = NULL;
    out.response.quantile_s = quantile;
    memcpy(&before, &out, sizeof out);
    memcpy(quantile_before, quantile, sizeof quantile);
    CHECK_STATUS(run(c, &out), want);
    CHECK(memcmp(&out, &before, sizeof out) == 0);
    CHECK(memcmp(quantile, quantile_before, sizeof quantile) == 0);
}

/* Behind one that is good. */
static sgdsched_quits one_quit(const double *fraction, const double *probability)
{
    static double of[4] = {0.25, 0.0, 0.25, 0.0};
    if (fraction) of[1] = *fraction;
    if (probability) of[3] = *probability;
    return (sgdsched_quits){.fraction = fraction ? of : NULL,
                            .probability = probability ? of + 2 : NULL, .count = 2};
}

#define FAILS(change, status) (c = mixed(kind, SGDSCHED_HELL), (change), check_fails(&c, status))

TEST(bad_arguments_are_refused)
{
    static const double zero = 0.0, half = 0.5, one = 1.0, most = 0.8, nan = (double)NAN;
    sgdsched_job_kind kind[3];
    size_t bytes = 77;
    CHECK_STATUS(sgdsched_cluster_run_bytes(NULL, &bytes), SGDSCHED_BAD_ARGUMENT);
    CHECK(bytes == 77);
    sgdsched_cluster c = mixed(kind, SGDSCHED_HELL);
    CHECK_STATUS(sgdsched_cluster_run_bytes(&c, NULL), SGDSCHED_BAD_ARGUMENT);
    FAILS(c.curve = NULL, SGDSCHED_BAD_ARGUMENT);
    FAILS(c.curves = 0, SGDSCHED_BAD_ARGUMENT);
    FAILS(c.rules.nodes = 0, SGDSCHED_BAD_ARGUMENT);
    FAILS(c.rules.policy = SGDSCHED_POLICY_COUNT, SGDSCHED_BAD_ARGUMENT);
    FAILS(c.rules.gamma = -1.0, SGDSCHED_BAD_ARGUMENT);
    FAILS(c.workload.kind = NULL, SGDSCHED_BAD_ARGUMENT);
    FAILS(c.workload.kinds = 0, SGDSCHED_BAD_ARGUMENT);
    FAILS(c.workload.source = next_job, SGDSCHED_BAD_ARGUMENT);
    FAILS(c.workload.load = 0.0, SGDSCHED_BAD_ARGUMENT);
    FAILS(c.workload.load = -0.1, SGDSCHED_BAD_ARGUMENT);
    FAILS((c.workload.load = -0.1, c.rules.load = 0.5), SGDSCHED_BAD_ARGUMENT);
    FAILS(c.workload.load = (double)NAN, SGDSCHED_BAD_ARGUMENT);
    FAILS(c.workload.load = HUGE_VAL, SGDSCHED_BAD_ARGUMENT);
    FAILS(c.stop.precision = -0.05, SGDSCHED_BAD_ARGUMENT);
    FAILS(c.stop.precision = (double)NAN, SGDSCHED_BAD_ARGUMENT);
    FAILS(c.restart_s = -1.0, SGDSCHED_BAD_ARGUMENT);
    FAILS(c.restart_s = HUGE_VAL, SGDSCHED_BAD_ARGUMENT);
    FAILS(kind[1].curve = 4, SGDSCHED_BAD_ARGUMENT);
    FAILS(kind[1].weight = 0.0, SGDSCHED_BAD_ARGUMENT);
    FAILS(kind[1].size_mean = 0.0, SGDSCHED_BAD_ARGUMENT);
    FAILS(kind[1].size_deviation = -1.0, SGDSCHED_BAD_ARGUMENT);
    FAILS(kind[1].law = (sgdsched_size_law)3, SGDSCHED_BAD_ARGUMENT);
    FAILS(c.workload.quits.count = 1, SGDSCHED_BAD_ARGUMENT);
    FAILS(c.workload.quits = one_quit(&half, NULL), SGDSCHED_BAD_ARGUMENT);
    FAILS(c.workload.quits = one_quit(&half, &most), SGDSCHED_BAD_ARGUMENT);
    FAILS(c.workload.quits = one_quit(&half, &nan), SGDSCHED_BAD_ARGUMENT);
    FAILS(c.workload.quits = one_quit(&one, &half), SGDSCHED_BAD_ARGUMENT);
    FAILS(c.workload.quits = one_quit(&zero, &half), SGDSCHED_BAD_ARGUMENT);
    FAILS((c.rules.policy = SGDSCHED_JSQ, c.chunk = 0), SGDSCHED_BAD_ARGUMENT);
    FAILS((c.rules.policy = SGDSCHED_JSQ, c.chunk = NODES + 1), SGDSCHED_BAD_ARGUMENT);
    FAILS(c.stop.max_present = (size_t)-1 / 3, SGDSCHED_TOO_LARGE);
    FAILS(c.stop.max_jobs = (uint64_t)1 << 36, SGDSCHED_TOO_LARGE);
    FAILS((c.rules.policy = SGDSCHED_JSQ, c.stop.max_present = (size_t)-1 / 3),
          SGDSCHED_TOO_LARGE);
}

TEST(bad_kinds_are_refused)
{
    static const sgdsched_part parts[2] = { { 0.5, 0 }, { 0.5, 1 } };
    sgdsched_job_kind kind[3];
    sgdsched_cluster c;
    FAILS(kind[1].min_nodes = NODES + 1, SGDSCHED_BAD_ARGUMENT);
    FAILS(kind[0].min_nodes = NODES + 1, SGDSCHED_BAD_ARGUMENT);
    FAILS(kind[0].curve = 4, SGDSCHED_BAD_ARGUMENT);
    FAILS(kind[0].size_deviation = -1.0, SGDSCHED_BAD_ARGUMENT);
    FAILS(kind[0].law = (sgdsched_size_law)3, SGDSCHED_BAD_ARGUMENT);
    FAILS(kind[0].weight = kind[1].weight = 1e308, SGDSCHED_BAD_ARGUMENT);
    FAILS((c.rules.policy = SGDSCHED_JSQ, c.chunk = 1, kind[1].min_nodes = 2),
          SGDSCHED_BAD_ARGUMENT);
    FAILS((c.rules.policy = SGDSCHED_JSQ, c.chunk = 1, c.part = parts, c.parts = 2,
           c.stop.max_present = (size_t)-1 / 3), SGDSCHED_TOO_LARGE);
}

/* Also where no job comes that would need it. */
TEST(a_cluster_needs_a_curve)
{
    sgdsched_job_kind kind[3];
    sgdsched_cluster c;
    ledger l = {0};
    for (int policy = 0; policy < SGDSCHED_POLICY_COUNT; policy++)
        FAILS((c.rules.policy = (sgdsched_policy)policy, c.workload.kind = NULL,
               c.workload.kinds = 0, c.workload.source = next_job,
               c.workload.source_ctx = &l, c.curves = 0), SGDSCHED_BAD_ARGUMENT);
}

TEST(bad_parts_are_refused)
{
    const sgdsched_part bad[5][2] = {
        { { 0.5, 0 }, { 0.0, 0 } }, { { 0.5, 0 }, { -0.5, 0 } }, { { 0.5, 0 }, { 1.1, 0 } },
        { { 0.5, 0 }, { (double)NAN, 0 } }, { { 0.5, 0 }, { 0.5, 4 } }
    };
    sgdsched_job_kind kind[3];
    sgdsched_cluster c = mixed(kind, SGDSCHED_HELL);
    FAILS(c.parts = 1, SGDSCHED_BAD_ARGUMENT);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        FAILS((c.parts = 2, c.part = bad[i]), SGDSCHED_BAD_ARGUMENT);
}

TEST(bad_curves_are_refused)
{
    const double bad[4] = { 0.0, -1.0, (double)NAN, (double)INFINITY };
    for (int policy = 0; policy < SGDSCHED_POLICY_COUNT; policy++) {
        double x[2] = { 1.0, 2.0 };
        sgdsched_job_kind kind[3];
        sgdsched_curve mine[4];
        sgdsched_cluster c = mixed(kind, (sgdsched_policy)policy);
        memcpy(mine, curves, sizeof mine);
        c.curve = mine;
        mine[2].throughput_per_s = x;
        mine[2].nodes = 2;
        for (size_t i = 0; i < 4; i++) {
            x[1] = bad[i];
            check_fails(&c, SGDSCHED_BAD_CURVE);
        }
        x[1] = 2.0;
        mine[2].service_s = x;
        check_fails(&c, SGDSCHED_BAD_ARGUMENT);
        mine[2].throughput_per_s = NULL;
        mine[2].nodes = 0;
        check_fails(&c, SGDSCHED_BAD_ARGUMENT);
        mine[2].nodes = 2;
        mine[2].service_s = NULL;
        check_fails(&c, SGDSCHED_BAD_ARGUMENT);
        mine[2] = curves[2];
        mine[0].throughput_per_s = x;
        mine[0].service_s = NULL;
        mine[0].nodes = 2;
        x[1] = 0.0;
        check_fails(&c, SGDSCHED_BAD_CURVE);
    }
}

static void check_arrivals(const sgdsched_arrival *job, size_t jobs, size_t room,
                           sgdsched_status want)
{
    for (int policy = 0; policy < SGDSCHED_POLICY_COUNT; policy++) {
        ledger l;
        sgdsched_cluster c = {.rules.policy = (sgdsched_policy)policy, .rules.nodes = 2, .chunk = 1,
                              .curve = curves, .curves = 4, .stop.max_present = room};
        ledger_open(&l, &c, job, jobs);
        check_fails(&c, want);
        ledger_close(&l);
    }
}

TEST(bad_arrivals_are_refused)
{
    const struct { sgdsched_arrival job[3]; size_t jobs, room; sgdsched_status want; } row[] = {
        {{{2.0, 1.0, 0, 3, 0, 0}}, 1, 8, SGDSCHED_BAD_ARRIVAL},            /* wide         */
        {{{2.0, 1.0, 0, 0, 0, 0}, {1.0, 1.0, 0, 0, 0, 0}}, 2, 8, SGDSCHED_BAD_ARRIVAL},
        {{{2.0, 1.0, 0, 0, 0, 0}, {3.0, 0.0, 0, 0, 0, 0}}, 2, 8, SGDSCHED_BAD_ARRIVAL},
        {{{2.0, 1.0, 0, 0, 0, 0}, {3.0, 1.0, 4, 0, 0, 0}}, 2, 8, SGDSCHED_BAD_ARRIVAL},
        {{{-1.0, 1.0, 0, 0, 0, 0}}, 1, 8, SGDSCHED_BAD_ARRIVAL},
        {{{(double)NAN, 1.0, 0, 0, 0, 0}}, 1, 8, SGDSCHED_BAD_ARRIVAL},
        {{{0.0, HUGE_VAL, 0, 0, 0, 0}}, 1, 8, SGDSCHED_BAD_ARRIVAL},
        {{{0.0, DBL_MAX, 2, 0, 0, 0}}, 1, 8, SGDSCHED_TOO_LARGE},
        {{{2.0, 9.0, 0, 0, 0, 0}, {2.0, 9.0, 1, 0, 0, 0}, {2.5, 9.0, 1, 0, 0, 0}}, 3, 2,
         SGDSCHED_OVER_BUDGET}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        check_arrivals(row[i].job, row[i].jobs, row[i].room, row[i].want);
}

/* However precise a mean is held to be: batches as long as each other are uncorrelated, and
 * those of a queue that grows are not. */
TEST(a_run_goes_on_while_its_batches_are_alike_their_neighbours)
{
    for (int grows = 0; grows < 2; grows++) {
        sgdsched_job_kind kind = {.size_mean = 1.0};
        sgdsched_cluster c = one_kind(&one_node, &kind, 1, grows ? 2.0 : 1e-12);
        c.stop.precision = 1e9;
        c.stop.min_jobs = 2000;
        c.stop.max_jobs = 8000;
        CHECK(report_of(&c, grows ? SGDSCHED_NOT_CONVERGED : SGDSCHED_OK).outcome
              == (grows ? SGDSCHED_LIMIT : SGDSCHED_CONVERGED));
    }
}

/* Past its curve a job of gangs is as fast as at its end. */
TEST(limits_past_the_curve_change_nothing)
{
    static const double x[2] = { 1.0, 1.5 };
    const sgdsched_curve curve = { x, NULL, 2 };
    sgdsched_arrival job[2] = { { 0.0, 3.0, 0, 1, 2, 1 }, { 1.0, 3.0, 0, 1, 2, 1 } };
    double slowdown[2];
    for (int i = 0; i < 2; i++) {
        ledger l;
        sgdsched_cluster c = {.rules.policy = SGDSCHED_MOLDABLE_HELL, .rules.nodes = 8,
                              .curve = &curve, .curves = 1};
        job[0].max_nodes = job[1].max_nodes = i ? 6 : 2;
        slowdown[i] = run_given(&l, &c, job, 2).slowdown.value;
        ledger_close(&l);
    }
    CHECK_REL(slowdown[1], slowdown[0], 1e-15);
}

/* Work that is short, missing or not aligned, and probabilities that are none. */
TEST(bad_work_and_probabilities_are_refused)
{
    sgdsched_job_kind kind[3];
    sgdsched_cluster c = mixed(kind, SGDSCHED_KNEE);
    sgdsched_estimate quantile[2];
    double p[2] = { 0.5, 1.0 };
    size_t bytes = 0, more = 0;
    c.stop.precision = 0.5;
    sgdsched_cluster_report out = {0};
    CHECK_STATUS(sgdsched_cluster_run_bytes(&c, &bytes), SGDSCHED_OK);
    char *work = (char *)get_memory(bytes + 1, 1);
    CHECK_STATUS(sgdsched_cluster_run(&c, work, bytes - 1, &out), SGDSCHED_SMALL_WORKSPACE);
    CHECK_STATUS(sgdsched_cluster_run(&c, NULL, bytes, &out), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_cluster_run(&c, work + 1, bytes, &out), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_cluster_run(&c, work, bytes, NULL), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_cluster_run(NULL, work, bytes, &out), SGDSCHED_BAD_ARGUMENT);
    out.response.probability = p;
    out.response.probabilities = 2;
    out.response.quantile_s = quantile;
    CHECK_STATUS(sgdsched_cluster_run(&c, work, bytes, &out), SGDSCHED_BAD_ARGUMENT);
    p[1] = 0.0;
    CHECK_STATUS(sgdsched_cluster_run(&c, work, bytes, &out), SGDSCHED_BAD_ARGUMENT);
    p[1] = 0.9;
    CHECK_STATUS(sgdsched_cluster_run(&c, work, bytes, &out), SGDSCHED_OK);
    c.stop.max_jobs = 1000000000;                   /* memory is for those present         */
    CHECK_STATUS(sgdsched_cluster_run_bytes(&c, &more), SGDSCHED_OK);
    CHECK(more == bytes);
    c.stop.max_present += 1000;
    CHECK_STATUS(sgdsched_cluster_run_bytes(&c, &more), SGDSCHED_OK);
    CHECK(more - bytes <= 1000 * 500);
    c.stop.max_present = (size_t)-1 / 4;
    CHECK_STATUS(sgdsched_cluster_run(&c, work, bytes, &out), SGDSCHED_TOO_LARGE);
    free(work);
}

static size_t work_for(uint32_t nodes, size_t max_present)
{
    sgdsched_job_kind kind = { 0, 1.0, 5.0, 0.0, SGDSCHED_NORMAL, 0, 0, 0 };
    sgdsched_cluster c = one_kind(&one_node, &kind, 1, 0.5);
    size_t bytes = 0;
    c.rules.policy = SGDSCHED_HELL;
    c.rules.nodes = nodes;
    c.stop.max_present = max_present;
    CHECK_STATUS(sgdsched_cluster_run_bytes(&c, &bytes), SGDSCHED_OK);
    return bytes;
}

/* There is room for 10 jobs a node, or for 1000 on fewer than 10 nodes; nodes beyond one for
 * each job that there is room for need none. */
TEST(work_is_for_the_jobs_that_there_is_room_for)
{
    CHECK(work_for(1, 0) == work_for(1, 1000) && work_for(9, 0) == work_for(9, 1000));
    CHECK(work_for(10, 0) == work_for(10, 100) && work_for(300, 0) == work_for(300, 3000));
    CHECK(work_for(300, 3000) > work_for(300, 1000));
    CHECK(work_for(100, 100) == work_for(1000000, 100));
    CHECK(work_for(99, 100) < work_for(100, 100) && work_for(1, 100) < work_for(2, 100));
}

/* ---- The best chunk ------------------------------------------------------- */

TEST(chunks_of_a_search_go_from_seven_to_forty)
{
    static const uint32_t range[][3] = {
        {1, 1, 1}, {6, 1, 6}, {7, 7, 7}, {39, 7, 39}, {40, 7, 40}, {1000, 7, 40}
    };
    uint32_t first = 0, last = 0;
    for (size_t i = 0; i < sizeof range / sizeof range[0]; i++) {
        CHECK_STATUS(sgdsched_chunk_range(range[i][0], &first, &last), SGDSCHED_OK);
        CHECK(first == range[i][1] && last == range[i][2]);
    }
    CHECK_STATUS(sgdsched_chunk_range(0, &first, &last), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_chunk_range(9, NULL, &last), SGDSCHED_BAD_ARGUMENT);
    CHECK_STATUS(sgdsched_chunk_range(9, &first, NULL), SGDSCHED_BAD_ARGUMENT);
}

static struct { uint64_t jobs; sgdsched_estimate last; int told; } estimates;

static void keep_estimate(void *ctx, uint64_t jobs, sgdsched_estimate response_s)
{
    CHECK(ctx == &estimates && jobs > estimates.jobs);
    estimates.jobs = jobs;
    estimates.last = response_s;
    estimates.told++;
}

/* The last one told is that of the report; a run that listens is the same run. */
TEST(estimates_are_told_until_the_run_stops)
{
    sgdsched_job_kind kind[3];
    sgdsched_cluster c = mixed(kind, SGDSCHED_KNEE);
    sgdsched_cluster_report deaf, out = {0};
    size_t bytes = 0;
    c.stop.precision = 0.1;
    c.stop.min_jobs = 2000;
    deaf = out;
    CHECK_STATUS(sgdsched_cluster_run_bytes(&c, &bytes), SGDSCHED_OK);
    void *work = get_memory(bytes, 1);
    CHECK_STATUS(sgdsched_cluster_run(&c, work, bytes, &deaf), SGDSCHED_OK);
    c.watch.on_estimate = keep_estimate;
    c.watch.ctx = &estimates;
    CHECK_STATUS(sgdsched_cluster_run(&c, work, bytes, &out), SGDSCHED_OK);
    CHECK(estimates.told >= 1 && estimates.jobs == out.counts.jobs && out.counts.jobs >= 2000);
    CHECK(same_bits(estimates.last.value, out.response.mean_s.value));
    CHECK(same_bits(estimates.last.half_width, out.response.mean_s.half_width));
    CHECK(same_bits(deaf.response.mean_s.half_width, out.response.mean_s.half_width));
    free(work);
}

/* ---- The workload of the paper ------------------------------------------- */

enum { PAPER_NODES = 100 };
static const double day_s = 86400.0;

typedef struct paper {
    double         x[TABLE_III_NETWORKS][PAPER_NODES];
    sgdsched_curve curve[TABLE_III_NETWORKS];
    sgdsched_job_kind  kind[TABLE_III_NETWORKS];
} paper;

/* What the golden file has for a network, as a model; K workers have K + 1 nodes. */
typedef struct profile {
    double        step_s[4], steps, x[PAPER_NODES];
    table_iii_step seen;
    unsigned      calls;
} profile;

static double look_up(void *ctx, const table_iii_step *step, uint32_t workers)
{
    profile *p = (profile *)ctx;
    p->seen = *step;
    p->calls++;
    return workers < PAPER_NODES ? p->x[workers] : 0.0;
}

static int paper_read(paper *p)
{
    static const char *const times[4] = { "S_D", "S_W", "S_U", "S_S" };
    golden_value *file = golden_open(golden_path);
    const golden_value *one = golden_first(golden_get(file, "throughput"));
    size_t i;
    for (i = 0; i < TABLE_III_NETWORKS && one; i++, one = one->next) {
        const table_iii_network *network = table_iii_at(i);
        const golden_value *x = golden_get(one, "X_hybrid");
        profile known = {0};
        for (size_t k = 0; k < 4; k++)
            known.step_s[k] = golden_number(golden_get(golden_get(one, "times_s"), times[k]));
        known.steps = golden_number(golden_get(one, "steps"));
        if (golden_numbers(x, known.x, PAPER_NODES) != PAPER_NODES) break;
        CHECK(table_iii_curve(network, look_up, &known, PAPER_NODES, 0, p->x[i]));
        p->kind[i] = table_iii_kind(network, i);
        CHECK(p->kind[i].curve == i && p->kind[i].law == SGDSCHED_NORMAL);
        CHECK(memcmp(known.x, p->x[i], sizeof known.x) == 0);
        CHECK(known.calls == PAPER_NODES - 1);
        CHECK_REL(known.seen.downlink_s, known.step_s[0], 1e-9);
        CHECK_REL(known.seen.compute_s, known.step_s[1], 1e-9);
        CHECK_REL(known.seen.uplink_s, known.step_s[2], 1e-9);
        CHECK_REL(known.seen.update_s, known.step_s[3], 1e-9);
        CHECK_REL(p->kind[i].size_mean, known.steps, 1e-12);
        CHECK_REL(p->kind[i].size_deviation, sqrt(2.0) * network->examples / 1024.0, 1e-12);
        CHECK_REL(1.0 / p->x[i][0], known.step_s[0] + known.step_s[1] + known.step_s[2]
                                    + known.step_s[3], 1e-9);
        p->curve[i].throughput_per_s = p->x[i];
        p->curve[i].service_s = NULL;
        p->curve[i].nodes = PAPER_NODES;
    }
    golden_close(file);
    return i == TABLE_III_NETWORKS;
}

static double alone(void *ctx, const table_iii_step *step, uint32_t workers)
{
    const double least = *(const double *)ctx;
    const double x = workers / (step->compute_s + step->uplink_s + step->update_s
                                + step->downlink_s);
    return workers < 5 ? x : least;
}

TEST(table_iii_gives_the_days_that_the_paper_prints)
{
    static const char *const names[4] = { "NiN", "GoogLeNet", "AlexNet", "VGG19" };
    size_t i;
    double sum_s = 0.0, alexnet_s;
    paper p = {0};
    CHECK(paper_read(&p));
    for (i = 0; i < TABLE_III_NETWORKS; i++) {
        CHECK_TEXT(table_iii_at(i)->name, names[i]);
        CHECK_REL(p.kind[i].weight, 1.0, 0.0);
        sum_s += p.kind[i].size_mean / p.x[i][0] / TABLE_III_NETWORKS;
    }
    CHECK(table_iii_at(i) == NULL && table_iii_at((size_t)-1) == NULL);
    alexnet_s = p.kind[2].size_mean / p.x[2][0];
    printf("    E[S(1)]: AlexNet %.2f days, all four %.2f days\n", alexnet_s / day_s,
           sum_s / day_s);
    CHECK(fabs(alexnet_s / day_s - 11.82) <= 0.005 && fabs(sum_s / day_s - 35.87) <= 0.005);
}

TEST(a_curve_has_a_parameter_server_on_one_node_of_several_or_apart)
{
    double x[6] = { 7.0, 7.0, 7.0, 7.0, 7.0, 7.0 }, last = 3.0;
    const table_iii_network *network = table_iii_at(0);
    CHECK(table_iii_curve(network, alone, &last, 6, 1, x));
    CHECK_REL(x[1], 2.0 * x[0], 1e-12);        /* servers apart                       */
    CHECK_REL(x[5], 3.0, 0.0);
    CHECK(table_iii_curve(network, alone, &last, 6, 0, x));
    CHECK_REL(x[1], x[0], 0.0);
    CHECK_REL(x[4], 4.0 * x[0], 1e-12);
    for (last = -1.0; last < 1.0; last += 1.0) /* no answer for the last              */
        CHECK(!table_iii_curve(network, alone, &last, 6, 0, x));
    last = (double)NAN;
    CHECK(!table_iii_curve(network, alone, &last, 6, 0, x));
}

static sgdsched_cluster_report paper_run(const paper *p, sgdsched_policy policy, double load,
                                         uint32_t chunk, double gamma)
{
    sgdsched_cluster c = {.rules.policy = policy, .rules.nodes = PAPER_NODES, .rules.fill = 1,
                          .rules.alpha_by_load = 1, .rules.load = load, .rules.gamma = gamma,
                          .chunk = chunk, .curve = p->curve, .curves = TABLE_III_NETWORKS,
                          .workload.kind = p->kind, .workload.kinds = TABLE_III_NETWORKS,
                          .stop.min_jobs = 40000, .stop.max_jobs = 40000, .workload.seed = 5};
    sgdsched_cluster_report out = {0};
    sgdsched_status status = run(&c, &out);
    CHECK(status == SGDSCHED_OK || status == SGDSCHED_NOT_CONVERGED);
    return out;
}

/* Within twice the interval of the mean response times to be expected, which are of
 * 400,000 jobs. */
static double check_paper(const paper *p, const char *name, sgdsched_policy policy,
                          double load, uint32_t chunk, double want_days)
{
    const sgdsched_cluster_report out = paper_run(p, policy, load, chunk, 0.0);
    const double days = out.response.mean_s.value / day_s;
    printf("    %-14s load %.1f: %6.2f +- %.2f days, expected %.2f\n", name, load, days,
           out.response.mean_s.half_width / day_s, want_days);
    CHECK(out.outcome != SGDSCHED_UNSTABLE && out.counts.jobs == 40000);
    CHECK(fabs(days - want_days) <= 2.0 * out.response.mean_s.half_width / day_s + 0.005);
    return days;
}

TEST(policies_have_the_means_expected_of_the_paper)
{
    paper p = {0};
    CHECK(paper_read(&p));
    if (test_is_full()) {
        (void)check_paper(&p, "HELL", SGDSCHED_HELL, 0.1, 0, 2.16);
        (void)check_paper(&p, "KNEE", SGDSCHED_KNEE, 0.5, 0, 2.51);
        (void)check_paper(&p, "SRPT", SGDSCHED_SRPT, 0.1, 0, 3.37);
    }
    double hell = check_paper(&p, "HELL", SGDSCHED_HELL, 0.7, 0, 3.32);
    double knee = check_paper(&p, "KNEE", SGDSCHED_KNEE, 0.7, 0, 5.1);
    double molded_hell = check_paper(&p, "moldable HELL", SGDSCHED_MOLDABLE_HELL, 0.7, 0, 7.4);
    double molded_knee = check_paper(&p, "moldable KNEE", SGDSCHED_MOLDABLE_KNEE, 0.7, 0, 4.16);
    double filled = check_paper(&p, "Waterfill", SGDSCHED_WATERFILL, 0.7, 0, 31.3);
    double chunks = check_paper(&p, "JSQ of 10", SGDSCHED_JSQ, 0.7, 10, 7.36);
    CHECK(hell < knee && knee < filled && hell < chunks && molded_knee < molded_hell);
    sgdsched_cluster_report out = paper_run(&p, SGDSCHED_SRPT, 0.2, 0, 0.0);
    CHECK(out.outcome == SGDSCHED_UNSTABLE && out.counts.jobs < 40000);
    if (!test_is_full()) return;
    out = paper_run(&p, SGDSCHED_HELL, 0.68, 0, 0.0);
    sgdsched_cluster_report eager = paper_run(&p, SGDSCHED_HELL, 0.68, 0, 1.05);
    printf("    0.4 of a job at load 0.68: %.1f h, gamma 1.05: %.1f h\n",
           out.fraction_s[3] / 3600.0, eager.fraction_s[3] / 3600.0);
    CHECK_REL(out.fraction_s[3] / 3600.0, 41.0, 0.06);
    CHECK_REL(eager.fraction_s[3] / 3600.0, 26.0, 0.06);
    CHECK(eager.response.mean_s.value > out.response.mean_s.value);
}

/* Half of the jobs take 1 s, half less than the smallest normal double, which they take then:
 * mean wait lambda E[S^2] / (2 (1 - rho)). */
TEST(sizes_below_the_smallest_double_count_as_that)
{
    sgdsched_job_kind kind[2] = {{ 0, 1.0, 1.0, 0.0, SGDSCHED_NORMAL, 0, 0, 0 },
                                 { 0, 1.0, 3e-308, 0.0, SGDSCHED_EXPONENTIAL, 0, 0, 0 }};
    sgdsched_cluster c = one_kind(&one_node, kind, 1, 0.5);
    c.workload.kinds = 2;
    c.stop.min_jobs = c.stop.max_jobs = 10000;
    sgdsched_cluster_report out = {0};
    CHECK_STATUS(run(&c, &out), SGDSCHED_OK);
    check_known("of jobs half of which take no time", out.response.mean_s, 1.0);
}

/* All sizes are about the smallest normal double m, and at least that: means of max(x, m), of
 * an exponential x of mean m, are E[S] = (1 + 1/e) m and E[S^2] = (1 + 4/e) m^2; a tenth of a
 * job comes per m. A node does m in 1 s / 2^1022 2^232. */
TEST(no_size_is_below_the_smallest_double)
{
    const double x = ldexp(1.0, -232), m_s = ldexp(1.0, 232 - 1022), part = exp(-1.0);
    const double mean = 1.0 + part, square = 1.0 + 4.0 * part;
    const sgdsched_curve curve = { &x, NULL, 1 };
    sgdsched_job_kind kind = { 0, 1.0, DBL_MIN, 0.0, SGDSCHED_EXPONENTIAL, 0, 0, 0 };
    sgdsched_cluster c = one_kind(&curve, &kind, 1, 0.1);
    c.stop.min_jobs = c.stop.max_jobs = 10000;
    sgdsched_cluster_report out = {0};
    CHECK(run(&c, &out) == SGDSCHED_OK);
    CHECK_REL(out.response.mean_s.value / m_s, mean + 0.1 * square / (2.0 - 0.2 * mean), 0.05);
}

/* Of equal jobs that end at one time, the one that came first is told first. */
TEST(jobs_that_end_at_once_leave_in_the_order_of_arrival)
{
    static const sgdsched_arrival job[6] = {
        { 0.0, 4.0, 0, 0, 0, 0 }, { 0.0, 2.0, 0, 0, 0, 0 }, { 1.0, 1.0, 0, 0, 0, 0 },
        { 1.0, 3.0, 0, 0, 0, 0 }, { 2.0, 2.0, 0, 0, 0, 0 }, { 2.0, 2.0, 0, 0, 0, 0 } };
    static const size_t order[6] = { 1, 2, 0, 3, 4, 5 };
    ledger l;
    sgdsched_cluster c = {.rules.policy = SGDSCHED_MOLDABLE_HELL, .rules.nodes = 6,
                          .curve = &one_node, .curves = 1};
    (void)run_given(&l, &c, job, 6);
    CHECK(l.left == 6 && memcmp(l.order, order, sizeof order) == 0);
    ledger_close(&l);
}

/* Every part of jobs has its own statistics, and those who are present a time of it. */
TEST(each_part_of_jobs_takes_as_much_work)
{
    static const sgdsched_part parts[3] = { { 0.25, 0 }, { 0.5, 0 }, { 0.75, 0 } };
    sgdsched_job_kind kind = { 0, 1.0, 1.0, 0.0, SGDSCHED_EXPONENTIAL, 0, 0, 0 };
    sgdsched_cluster c = one_kind(&one_node, &kind, 1, 0.5);
    size_t bytes[4];
    c.part = parts;
    for (c.parts = 0; c.parts < 4; c.parts++)
        CHECK_STATUS(sgdsched_cluster_run_bytes(&c, bytes + c.parts), SGDSCHED_OK);
    CHECK(bytes[1] > bytes[0] + c.stop.max_present * sizeof(double));
    CHECK_REL((double)(bytes[2] - bytes[1]), (double)(bytes[1] - bytes[0]), 1e-3);
    CHECK_REL((double)(bytes[3] - bytes[2]), (double)(bytes[1] - bytes[0]), 1e-3);
}

/* What a run reports of no jobs, written over what was there. */
TEST(times_of_no_jobs_are_zero)
{
    static const sgdsched_part part = { 0.5, (size_t)-1 };
    sgdsched_estimate quantile[4], of_part[4];
    sgdsched_part_report told;
    sgdsched_cluster_report out;
    ledger l;
    sgdsched_cluster c = {.rules.nodes = 3, .curve = &one_node, .curves = 1, .part = &part,
                          .parts = 1};
    ledger_open(&l, &c, NULL, 0);
    memset(&out, 0xa5, sizeof out);
    memset(&told, 0xa5, sizeof told);
    out.response.probability = NULL;
    out.response.quantile_s = quantile;
    out.part = &told;
    told.quantile_s = of_part;
    CHECK_STATUS(run(&c, &out), SGDSCHED_OK);
    CHECK(out.counts.jobs == 0 && told.jobs == 0);
    CHECK_REL(out.response.mean_s.value, 0.0, 0.0);
    CHECK_REL(out.slowdown.value, 0.0, 0.0);
    CHECK_REL(told.time_s.value, 0.0, 0.0);
    CHECK_REL(told.most_s, 0.0, 0.0);
    CHECK_REL(out.utilization, 0.0, 0.0);
    CHECK_REL(out.jobs_present, 0.0, 0.0);
    CHECK(out.slowdown.half_width > DBL_MAX && told.time_s.half_width > DBL_MAX);
    for (size_t i = 0; i < SGDSCHED_FRACTIONS; i++) CHECK_REL(out.fraction_s[i], 0.0, 0.0);
    ledger_close(&l);
}

int main(void)
{
    make_curves();
    return test_all("test_cluster");
}
