/* fuzz_cluster.c - any cluster, jobs and arrivals are simulated or refused, twice alike, and what
 * is reported adds up; so with what one job wants, and with stays */
#define FUZZ_RUNS 300
#include "../sgdperf_sched.h"

#include "fuzz_call.h"

enum { CURVES = 2, LENGTH = 5, JOBS = 6, PARTS = 2 };

/* The arrivals given one by one: how many have been is no input. */
static size_t arrived;

static struct {
    sgdsched_cluster cluster;
    sgdsched_curve   curve[CURVES];
    double           number[CURVES][LENGTH];
    sgdsched_job_kind kind[CURVES];
    sgdsched_arrival arrival[JOBS];
    size_t           jobs;
    double           fraction[2], probability[2], threshold_s;
    sgdsched_part    part[PARTS];
    uint32_t         budget, least, most;
    sgdsched_rigid_job rigid[JOBS];
    sgdsched_stay    stay[JOBS];
} in;

/* A link that jobs share; its scratch is no input. */
static double share[CURVES][LENGTH], scratch[64];
static const double *const shares[CURVES] = {share[0], share[1]};
static sgdsched_shared_link shared = {shares, scratch};

static struct {
    sgdsched_cluster_report report;
    sgdsched_estimate quantile_s[4];
    sgdsched_part_report part[PARTS];
    uint32_t nodes, first, last;
    sgdsched_stay_report stays;
} out;

static int next_arrival(void *ctx, sgdsched_arrival *next)
{
    (void)ctx;
    if (arrived >= in.jobs) return 0;
    *next = in.arrival[arrived++];
    return 1;
}

/* ---- Inputs ------------------------------------------------------------------------ */

static double positive(fuzz_bytes *b)
{
    const double x = fuzz_number(b);
    return x < 4.0 ? x + 0.0625 : x;
}

static void read_curves(fuzz_bytes *b)
{
    for (size_t i = 0; i < CURVES; i++) {
        const unsigned code = fuzz_byte(b);
        in.curve[i].nodes = code < 250 ? 1 + code % LENGTH : 0;
        for (size_t k = 0; k < LENGTH; k++) in.number[i][k] = positive(b);
        if (code % 2) in.curve[i].throughput_per_s = in.number[i];
        else in.curve[i].service_s = in.number[i];
        in.kind[i].curve = code < 248 ? i : code;
        in.kind[i].weight = positive(b);
        in.kind[i].size_mean = positive(b);
        in.kind[i].size_deviation = fuzz_number(b) / 4.0;
        in.kind[i].law = (sgdsched_size_law)(code / 2 % 16 % 4);
    }
}

static void read_jobs(fuzz_bytes *b)
{
    double at_s = 0.0;
    in.jobs = fuzz_byte(b) % (JOBS + 1);
    for (size_t i = 0; i < JOBS; i++) {
        const unsigned code = fuzz_byte(b);
        at_s += fuzz_number(b);
        in.arrival[i].time_s = in.rigid[i].arrival_s = at_s;
        in.arrival[i].size = positive(b);
        in.arrival[i].curve = code < 250 ? code % CURVES : code;
        if (code % 8 == 1) in.arrival[i].min_nodes = fuzz_count(b, 4);
        if (code % 8 == 2) in.arrival[i].gang_nodes = fuzz_count(b, 4);
        if (code % 8 == 3) in.arrival[i].max_nodes = fuzz_count(b, 4);
        in.rigid[i].run_s = in.stay[i].run_s = positive(b);
        in.rigid[i].walltime_s = fuzz_number(b);
        in.rigid[i].nodes = 1 + code % 5;
        in.stay[i].start_s = at_s + fuzz_number(b);
        in.stay[i].killed = code % 2;
    }
}

static void read_rules(fuzz_bytes *b, sgdsched_rules *r)
{
    const unsigned code = fuzz_byte(b);
    r->policy = (sgdsched_policy)(code % (SGDSCHED_POLICY_COUNT + 1));
    r->nodes = fuzz_byte(b) < 250 ? 1 + fuzz_byte(b) % 12 : fuzz_count(b, 12);
    r->fill = code / 16 % 2;
    r->head_of_line = code / 32 % 2;
    r->alpha_by_load = code / 64 % 2;
    r->alpha = fuzz_number(b) / 16.0;
    r->load = fuzz_number(b) / 4.0;
    r->gamma = code / 128 ? fuzz_number(b) / 4.0 : 0.0;
}

static void read_all(fuzz_bytes *b)
{
    sgdsched_cluster *c = &in.cluster;
    const unsigned code = fuzz_byte(b);
    read_curves(b);
    read_jobs(b);
    read_rules(b, &c->rules);
    c->curve = in.curve;
    c->curves = 1 + code % CURVES;
    if (code / 2 % 2) {
        c->workload.source = next_arrival;
    } else {
        c->workload.kind = in.kind;
        c->workload.kinds = c->curves;
    }
    c->workload.load = fuzz_number(b) / 4.0;
    c->workload.seed = fuzz_byte(b);
    c->stop.precision = code / 4 % 4 ? 0.0 : fuzz_number(b);
    c->stop.warmup_jobs = fuzz_byte(b) % 20;
    c->stop.min_jobs = 1 + fuzz_byte(b) % 20;
    c->stop.max_jobs = c->stop.min_jobs + fuzz_byte(b) % 60;
    c->stop.max_present = 1 + fuzz_byte(b) % 30;
    c->chunk = fuzz_count(b, 8);
    c->restart_s = code / 16 % 4 ? 0.0 : fuzz_number(b);
    c->workload.quits.count = code / 64;
    c->workload.quits.fraction = c->workload.quits.probability = in.fraction;
    if (c->workload.quits.count > 2) c->workload.quits.count = 0;
    c->part = in.part;
    c->parts = fuzz_byte(b) % 4 == 3 ? 1 : 0;
    for (size_t i = 0; i < 2; i++) {
        in.fraction[i] = 0.25 + (double)i / 4.0 + (code == 77 ? fuzz_number(b) : 0.0);
        in.probability[i] = fuzz_byte(b) < 250 ? 0.5 : fuzz_number(b);
        in.part[i].fraction = fuzz_byte(b) < 240 ? 0.5 : fuzz_number(b);
        in.part[i].curve = code % 2 ? (size_t)-1 : 0;
    }
    in.budget = fuzz_count(b, 9);
    in.least = fuzz_count(b, 3);
    in.most = in.least + fuzz_count(b, 5);
    in.threshold_s = fuzz_number(b);
    if (fuzz_byte(b) % 3 != 1) return;
    for (size_t i = 0; i < CURVES; i++)
        for (size_t k = 0; k < LENGTH; k++) share[i][k] = fuzz_byte(b) / 255.0;
    c->workload.sharing = sgdsched_share_link;
    c->workload.sharing_ctx = &shared;
}

static void prepare(void)
{
    out.report.response.probability = in.probability;
    out.report.response.probabilities = 2;
    out.report.response.quantile_s = out.quantile_s;
    out.report.part = out.part;
    out.part[0].quantile_s = NULL;
}

/* ---- Calls ------------------------------------------------------------------------- */

static unsigned run_need(size_t *need) { return sgdsched_cluster_run_bytes(&in.cluster, need); }

static unsigned run(void *work, size_t bytes)
{
    arrived = 0;
    return sgdsched_cluster_run(&in.cluster, work, bytes, &out.report);
}

static void check_run(void)
{
    const sgdsched_cluster_report *r = &out.report;
    require(r->counts.jobs <= in.cluster.stop.max_jobs || in.cluster.workload.source);
    require(r->counts.cancelled <= r->counts.jobs && fuzz_is_size(r->end_s)
            && r->outcome <= SGDSCHED_UNSTABLE);
    require(r->utilization >= 0.0 && r->utilization <= 1.0 + 1e-9 && r->jobs_present >= 0.0);
    if (r->counts.jobs == 0) return;
    require(r->response.mean_s.value >= 0.0
            && r->response.mean_s.value <= r->response.most_s * (1.0 + 1e-9));
    require(r->slowdown.value >= 0.0 && r->response.mean_s.half_width >= 0.0);
    for (int i = 0; i < (int)SGDSCHED_FRACTIONS; i++) require(r->fraction_s[i] >= 0.0);
}

static unsigned wanted(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdsched_wanted_nodes(&in.cluster.rules, in.curve, in.budget, &out.nodes);
}

static void check_wanted(void) { require(out.nodes >= 1 && out.nodes <= in.budget); }

static unsigned chunks(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdsched_chunk_range(in.cluster.rules.nodes, &out.first, &out.last);
}

static void check_chunks(void)
{
    require(out.first >= 1 && out.first <= out.last && out.last <= in.cluster.rules.nodes);
}

static unsigned stays_need(size_t *need) { return sgdsched_describe_stays_bytes(in.jobs, need); }

static unsigned stays(void *work, size_t bytes)
{
    return sgdsched_describe_stays(&(sgdsched_stays){in.rigid, in.stay, in.jobs, in.least, in.most,
                                                     in.threshold_s}, work, bytes, &out.stays);
}

static void require_spread(const sgdsched_spread *s)
{
    require(s->mean >= 0.0 && s->median >= 0.0 && s->median <= s->p95 * (1.0 + 1e-12));
    require(s->p95 <= s->most * (1.0 + 1e-12) && s->mean <= s->most * (1.0 + 1e-12));
}

static void check_stays(void)
{
    require(out.stays.jobs <= in.jobs);
    require_spread(&out.stays.wait_s);
    require_spread(&out.stays.response_s);
    require_spread(&out.stays.slowdown);
    require_spread(&out.stays.bounded_slowdown);
}

enum { AS_IT_STANDS = 1 << SGDSCHED_NOT_CONVERGED };

static fuzz_call calls[] = {
    {"cluster_run", run_need, run, check_run, AS_IT_STANDS, 0},
    {"wanted_nodes", NULL, wanted, check_wanted, 0, 0},
    {"chunk_range", NULL, chunks, check_chunks, 0, 0},
    {"describe_stays", stays_need, stays, check_stays, 0, 0},
};
static const fuzz_chapter chapter = FUZZ_CHAPTER(calls, read_all, prepare, in, out);
FUZZ_CALLS("fuzz_cluster", chapter);
