/* rigid.c - sgdperf cluster: queues of rigid jobs, also beside policies that change nodes */
#include "base/columns.h"
#include "base/progress.h"
#include "cmd/cluster/cluster.h"
#include "cmd/rules.h"
#include "files/status.h"
#include "jobs/parallel.h"

#include <math.h>
#include <string.h>

/* What a simulation hands over beside its stays. */
typedef struct rigid_report {
    sgdsched_rigid_report run;     /* without rigid jobs: utilization and end_s alone */
    sgdsched_stay_report  stays;   /* of all jobs                                   */
} rigid_report;

typedef struct rigid_outcome {
    const cluster_policy *policy;
    const cluster_point  *point;   /* of a policy that changes the nodes of jobs    */
    sgdsched_stay        *stay;    /* [jobs]                                        */
    rigid_report          report;
} rigid_outcome;

typedef struct rigid {
    cluster            *c;         /* the same jobs, with sizes where one is needed */
    sgdsched_rigid      base;
    sgdsched_rigid_job *job;       /* [all], base.job; those that are too wide last  */
    size_t              all;
    double             *wait_s;    /* [all] observed; -1: not recorded              */
    double              threshold_s;
    rigid_outcome      *outcome;   /* [policies]                                    */
    size_t              policies;
    /* What was observed in the trace, of the jobs whose waits are recorded. */
    sgdsched_rigid_job *seen;      /* [seen_jobs]                                   */
    sgdsched_stay      *seen_stay;
    size_t              seen_jobs;
    int                 shared;    /* all processes have the same stays             */
    /* Rows of CSV that are printed as soon as they are done. */
    output             *sends;     /* NULL: all rows are printed in the end         */
    parallel_blob      *blob;      /* [policies] results                            */
    unsigned char      *done;      /* [policies]                                    */
    size_t              sent;      /* rows, in the order of policies                */
} rigid;

/* ---- Runs: jobs that change their nodes ---------------------------------------- */

/* The first nodes that a job gets; it has not run as long as its end is not known. */
static void keep_starts(void *ctx, double time_s, const sgdsched_change *change, size_t changes)
{
    sgdsched_stay *stay = (sgdsched_stay *)ctx;
    for (size_t i = 0; i < changes; i++)
        if (change[i].nodes > 0 && stay[change[i].job].start_s < 0.0)
            stay[change[i].job].start_s = time_s;
}

static void keep_end(void *ctx, const sgdsched_departure *d)
{
    const double least_s = 1e-70;      /* a stay of no time at all is none           */
    sgdsched_stay *stay = (sgdsched_stay *)ctx + d->job;
    stay->run_s = d->time_s - stay->start_s;
    if (!(stay->run_s >= least_s)) stay->run_s = least_s;
}

/* The longest that a job may take, on the worst of its numbers of nodes. */
static double longest_s(const cluster *c, const sgdsched_arrival *job)
{
    const double *value = c->curves.value[job->curve];
    const uint32_t most = cluster_most_nodes(job, c->base.rules.nodes);
    uint32_t n = cluster_least_nodes(job);
    double least = HUGE_VAL;
    for (; n <= most; n++)
        if (value[n - 1] < least) least = value[n - 1];
    return job->size / least;
}

TOOL_NORETURN static void fail_long(const cluster *c, const char *policy)
{
    size_t longest = 0;
    for (size_t i = 1; i < c->jobs; i++)
        if (longest_s(c, &c->arrival[i]) > longest_s(c, &c->arrival[longest])) longest = i;
    tool_fail("cluster: under --policy %s the simulated time is longer than 1e140 s: job '%s' "
              "takes longest, up to %g s, and --restart-cost is %g s", policy,
              c->job[longest], longest_s(c, &c->arrival[longest]), c->base.restart_s);
}

static void run_sharing(const rigid *r, rigid_outcome *to)
{
    sgdsched_cluster_report report = {0};
    sgdsched_watch watch = {.on_change = keep_starts, .on_departure = keep_end, .ctx = to->stay};
    sgdsched_status status = cluster_simulate(r->c, to->point, &watch, &report);
    if (status == SGDSCHED_TOO_LARGE) fail_long(r->c, to->policy->name);
    tool_check_sched(status, "cluster");
    to->report.run.utilization = report.utilization;
    to->report.run.end_s = report.end_s;
}

/* ---- Runs: all policies -------------------------------------------------------- */

/* Statistics of jobs of so many nodes, by policy; `policies`: those seen. */
static sgdsched_stay_report rigid_describe(const rigid *r, size_t policy, uint32_t least,
                                           uint32_t most)
{
    const int seen = policy == r->policies;
    sgdsched_stay_report out;
    size_t bytes = 0;
    sgdsched_stays in = {.job = seen ? r->seen : r->job,
                         .stay = seen ? r->seen_stay : r->outcome[policy].stay,
                         .jobs = seen ? r->seen_jobs : r->base.jobs, .least = least, .most = most,
                         .threshold_s = r->threshold_s};
    tool_check_sched(sgdsched_describe_stays_bytes(in.jobs, &bytes), "cluster");
    void *work = tool_resize(NULL, bytes + 1, 1);
    tool_check_sched(sgdsched_describe_stays(&in, work, bytes, &out), "cluster");
    tool_free(work);
    return out;
}

static void run_rigid(const rigid *r, rigid_outcome *to)
{
    sgdsched_rigid in = r->base;
    size_t bytes = 0;
    in.policy = to->policy->queueing;
    tool_check_sched(sgdsched_rigid_run_bytes(&in, &bytes), "cluster");
    void *work = tool_resize(NULL, bytes, 1);
    tool_check_sched(sgdsched_rigid_run(&in, work, bytes, to->stay, &to->report.run), "cluster");
    tool_free(work);
}

static void run_policy(const rigid *r, size_t i)
{
    rigid_outcome *to = &r->outcome[i];
    if (to->policy->is_rigid) run_rigid(r, to);
    else run_sharing(r, to);
    to->report.stays = rigid_describe(r, i, 1, r->base.nodes);
}

/* parallel_task: hands over the report, and stays that are not shared. */
static void run_task(void *ctx, size_t i, void *result)
{
    const rigid *r = (const rigid *)ctx;
    rigid_outcome *to = &r->outcome[i];
    parallel_blob *blob = (parallel_blob *)result;
    const size_t stays = r->shared ? 0 : r->base.jobs * sizeof *to->stay;
    run_policy(r, i);
    blob->length = sizeof to->report + stays;
    blob->data = (char *)tool_alloc(blob->length, 1);
    memcpy(blob->data, &to->report, sizeof to->report);
    if (stays > 0) memcpy(blob->data + sizeof to->report, to->stay, stays);
}

/* Jobs that have started, under all policies. */
static size_t count_started(const void *ctx)
{
    const rigid *r = (const rigid *)ctx;
    size_t started = 0;
    for (size_t i = 0; i < r->policies; i++)
        for (size_t k = 0; k < r->base.jobs; k++) started += r->outcome[i].stay[k].start_s >= 0.0;
    return started;
}

/* Room for their stays, none of which has begun; one for all processes where that can be. */
static void take_stays(rigid *r, int several)
{
    const size_t jobs = r->base.jobs;
    sgdsched_stay *all = NULL;
    if (several) all = (sgdsched_stay *)parallel_shared(r->policies * jobs, sizeof *all);
    r->shared = all != NULL;
    if (!all) all = (sgdsched_stay *)tool_alloc(r->policies * jobs, sizeof *all);
    for (size_t i = 0; i < r->policies * jobs; i++) all[i].start_s = -1.0;
    for (size_t i = 0; i < r->policies; i++) r->outcome[i].stay = all + i * jobs;
}

/* What a policy costs beside the others: plans of all that wait take longest, then those of
 * the first. */
static double cost_of(const cluster_policy *p)
{
    static const double cost[] = {
        [SGDSCHED_PLANS_NONE] = 1.0, [SGDSCHED_PLANS_FIRST] = 2.0, [SGDSCHED_PLANS_ALL] = 8.0
    };
    return p->is_rigid ? cost[sgdsched_queueing_about(p->queueing)->plans] : 8.0;
}

/* Few jobs cost less than another process, but for plans of all that wait. */
static size_t few_jobs(const rigid *r)
{
    for (size_t i = 0; i < r->policies; i++)
        if (cost_of(r->outcome[i].policy) >= 8.0) return 500;
    return 5000;
}

static void print_policy(columns *t, const rigid *r, size_t policy);

/* A row of CSV at once; the first has the heading. */
static void send_row(rigid *r, size_t policy)
{
    output *out = r->sends;
    columns t = columns_open(out, CSV, NULL);
    print_policy(&t, r, policy);
    columns_close(&t);
    if (r->sent++ > 0) {
        const char *row = (const char *)memchr(out->text, '\n', out->length) + 1;
        out->length -= (size_t)(row - out->text);
        memmove(out->text, row, out->length);
    }
    output_send(out);
}

/* What the task of a policy has handed over. */
static void take_result(void *ctx, size_t i)
{
    rigid *r = (rigid *)ctx;
    rigid_outcome *to = &r->outcome[i];
    if (r->done[i]) return;
    r->done[i] = 1;
    memcpy(&to->report, r->blob[i].data, sizeof to->report);
    if (r->blob[i].length > sizeof to->report)         /* of a journal: not shared */
        memcpy(to->stay, r->blob[i].data + sizeof to->report, r->base.jobs * sizeof *to->stay);
    while (r->sends && r->sent < r->policies && r->done[r->sent]) send_row(r, r->sent);
}

static void rigid_run(rigid *r)
{
    const size_t jobs = r->base.jobs, few = few_jobs(r);
    const int watched = tool_shows_progress() && jobs >= few;
    double *cost = (double *)tool_alloc(r->policies, sizeof *cost);
    r->blob = (parallel_blob *)tool_alloc(r->policies, sizeof *r->blob);
    r->done = (unsigned char *)tool_alloc(r->policies, 1);
    take_stays(r, jobs >= few && (r->policies > 1 || watched));
    if (r->policies == 1 && !watched) {
        run_policy(r, 0);
        return;
    }
    if (watched && r->shared) parallel_watch(count_started, r, r->policies * jobs);
    for (size_t i = 0; i < r->policies; i++) cost[i] = cost_of(r->outcome[i].policy);
    parallel_expect(cost);
    parallel_arrive(take_result, r);
    parallel_gather(r->policies, jobs < few ? 1 : r->c->processes, run_task, r, r->blob, "jobs");
    for (size_t i = 0; i < r->policies; i++) take_result(r, i);
    for (size_t i = 0; i < r->policies; i++) tool_free(r->blob[i].data);
}

/* ---- Printing: what is told of jobs ------------------------------------------- */

enum { MEASURES = 4 };

static const struct measure { const char *mean, *median, *p95, *most; } measures[MEASURES] = {
    {"mean_wait_s", "median_wait_s", "p95_wait_s", "max_wait_s"},
    {"mean_response_s", "median_response_s", "p95_response_s", "max_response_s"},
    {"slowdown", "median_slowdown", "p95_slowdown", "max_slowdown"},
    {"bounded_slowdown", "median_bounded_slowdown", "p95_bounded_slowdown",
     "max_bounded_slowdown"}
};

static sgdsched_spread measure_of(const sgdsched_stay_report *s, int i)
{
    return i == 0 ? s->wait_s : i == 1 ? s->response_s : i == 2 ? s->slowdown
                                                                : s->bounded_slowdown;
}

/* "observed" behind the policies. */
static const char *policy_of(const rigid *r, size_t policy)
{
    return policy < r->policies ? r->outcome[policy].policy->name : "observed";
}

static sgdsched_stay_report stays_of(const rigid *r, size_t policy)
{
    return policy < r->policies ? r->outcome[policy].report.stays
                                : rigid_describe(r, policy, 1, r->base.nodes);
}

/* Policies, and what was observed, if anything was. */
static size_t rows_of(const rigid *r) { return r->policies + (r->seen_jobs > 0); }

/* Widths by powers of two: 1, 2, 3-4, 5-8, ... up to the cluster's. 0: no more. */
static int next_widths(const rigid *r, uint32_t *least, uint32_t *most)
{
    *least = *most + 1;
    if (*most >= r->base.nodes) return 0;
    *most = *most == 0 ? 1 : *most > r->base.nodes / 2 ? r->base.nodes : *most * 2;
    return 1;
}

/* ---- Printing: columns -------------------------------------------------------- */

static void print_spread(columns *t, unsigned in, const struct measure *of, sgdsched_spread x)
{
    column_number(t, in, of->mean, x.mean);
    column_number(t, in, of->median, x.median);
    column_number(t, in, of->p95, x.p95);
    column_number(t, in, of->most, x.most);
}

/* Jobs, how long they waited, the mean response. */
static void print_stays(columns *t, unsigned in, const sgdsched_stay_report *s)
{
    column_whole(t, in, "jobs", s->jobs);
    print_spread(t, in, &measures[0], s->wait_s);
    column_number(t, in, measures[1].mean, s->response_s.mean);
}

static void print_measures(columns *t, unsigned in, const sgdsched_stay_report *s)
{
    for (int i = 0; i < MEASURES; i++) print_spread(t, in, &measures[i], measure_of(s, i));
}

/* Rows of a policy by the width of jobs. */
static void print_widths(columns *t, const rigid *r, size_t policy)
{
    uint32_t least = 0, most = 0;
    while (next_widths(r, &least, &most)) {
        const sgdsched_stay_report s = rigid_describe(r, policy, least, most);
        if (s.jobs == 0) continue;
        columns_row(t);
        column_text(t, TABLES, "policy", policy_of(r, policy));
        column_whole(t, ALL, "nodes_from", least);
        column_whole(t, ALL, "nodes_to", most);
        print_stays(t, TABLES, &s);
        column_round(t, TABLES, "slowdown", 4, s.slowdown.mean);
        column_round(t, TABLES, "bounded_slowdown", 4, s.bounded_slowdown.mean);
        column_whole(t, JSON, "jobs", s.jobs);
        print_measures(t, JSON, &s);
    }
}

/* A row a policy, and one for what was observed, of which JSON has the stays alone. */
static void print_policy(columns *t, const rigid *r, size_t policy)
{
    const rigid_outcome *o = policy < r->policies ? &r->outcome[policy] : NULL;
    const sgdsched_stay_report s = stays_of(r, policy);
    const sgdsched_rigid_report *report = o && o->policy->is_rigid ? &o->report.run : NULL;
    const unsigned json = o ? JSON : 0;
    columns_row(t);
    column_text(t, json, "status", "done");
    column_text(t, TABLES | json, "policy", policy_of(r, policy));
    column_whole(t, CSV | json, "nodes", r->base.nodes);
    column_whole(t, CSV, "jobs", s.jobs);
    print_stays(t, SCREEN, &s);
    column_round(t, SCREEN, "bounded_slowdown", 4, s.bounded_slowdown.mean);
    column_round(t, SCREEN, "utilization", 4, o ? o->report.run.utilization : (double)NAN);
    column_whole_if(t, CSV | json, "killed", report != NULL, report ? report->killed : 0);
    column_whole_if(t, TABLES | json, "backfilled", report != NULL,
                    report ? report->backfilled : 0);
    column_whole_if(t, CSV | json, "most_waiting", report != NULL,
                    report ? report->most_waiting : 0);
    column_number(t, CSV | json, "utilization", o ? o->report.run.utilization : (double)NAN);
    column_number(t, CSV | json, "end_s", o ? o->report.run.end_s : (double)NAN);
    column_whole(t, JSON, "jobs", s.jobs);
    print_measures(t, DATA, &s);
    columns widths = columns_open(t->out, JSON, "widths");
    if (widths.in == JSON) print_widths(&widths, r, policy);
    columns_close(&widths);
}

static void print_policies(output *out, unsigned in, const rigid *r)
{
    size_t i;
    columns t = columns_open(out, in, r->policies > 1 ? "points" : NULL);
    for (i = 0; i < (out->form == JSON ? r->policies : rows_of(r)); i++) print_policy(&t, r, i);
    columns_close(&t);
    if (r->seen_jobs == 0 || out->form != JSON) return;
    t = columns_open(out, JSON, NULL);
    json_object(out, "observed");
    print_policy(&t, r, r->policies);
    json_end(out);
}

static void print_completions(output *out, const rigid *r)
{
    const sgdsched_stay *stay = r->outcome[0].stay;
    output_print(out, "\ncompletions\n");
    columns t = columns_open(out, ALL, "completions");
    for (size_t i = 0; columns_next(&t, i < r->base.jobs); i++) {
        const double wait_s = stay[i].start_s - r->job[i].arrival_s;
        column_text(&t, ALL, "job", r->c->job[i]);
        column_number(&t, ALL, "start_s", stay[i].start_s);
        column_number(&t, ALL, "completion_s", stay[i].start_s + stay[i].run_s);
        column_number(&t, TABLES, "wait_s", wait_s);
        column_number(&t, TABLES, "response_s", wait_s + stay[i].run_s);
        column_number(&t, TABLES, "observed_wait_s",
                      known_if(r->wait_s[i] >= 0.0, r->wait_s[i]));
        column_whole_if(&t, TABLES, "nodes", r->outcome[0].policy->is_rigid, r->job[i].nodes);
        if (r->base.kill) column_whole(&t, TABLES, "killed", (uint64_t)stay[i].killed);
        if (r->base.kill) json_bool(out, "killed", stay[i].killed);
    }
}

static void rigid_print(output *out, const rigid *r, const args *a)
{
    const int completions = args_given(a, OPTION_COMPLETIONS);
    const int by_width = args_given(a, OPTION_BY_WIDTH);
    columns t;
    if (completions && by_width && out->form == CSV)
        args_fail(OPTION_BY_WIDTH, NULL, "cannot be combined with --completions in csv, which has "
                  "one table");
    json_object(out, NULL);
    print_policies(out, completions || by_width ? SCREEN | JSON : ALL, r);
    if (by_width) {
        output_print(out, "\nby width\n");
        t = columns_open(out, TABLES, NULL);
        for (size_t i = 0; i < rows_of(r) && t.in != 0; i++) print_widths(&t, r, i);
        columns_close(&t);
    }
    if (out->form == JSON ? r->policies == 1 : completions) print_completions(out, r);
    json_end(out);
}

/* ---- Reading: options --------------------------------------------------------- */

static void read_options(rigid *r, const args *a)
{
    cluster *c = r->c;
    const int mixed = c->rigid < c->policies, curves = args_given(a, OPTION_CURVES);
    if (!mixed && curves && args_given(a, OPTION_TRACE_FORMAT))
        args_fail(OPTION_CURVES, NULL, "cannot be used with rigid jobs of a trace, which records "
                                       "their times");
    if (args_given(a, OPTION_COMPLETIONS) && c->policies > 1)
        args_fail(OPTION_COMPLETIONS, NULL, "needs a single policy, and %s", NAME_OF(JOBS));
    r->threshold_s = args_number(a, OPTION_SLOWDOWN_BOUND, 10.0);
    r->base.kill = args_given(a, OPTION_KILL);
    c->given = 1;
    if (args_given(a, OPTION_TRACE_FORMAT)) cluster_read_trace(c, a);
    cluster_check_nodes(c, a);
    r->base.nodes = c->base.rules.nodes = rules_read_nodes(a, c->trace.processors);
    r->policies = c->policies;
    r->outcome = (rigid_outcome *)tool_alloc(r->policies, sizeof *r->outcome);
    for (size_t i = 0; i < r->policies; i++) r->outcome[i].policy = &c->policy[i];
}

/* ---- Reading: jobs ------------------------------------------------------------ */

static void take_jobs(rigid *r, size_t all)
{
    r->all = all;
    r->base.job = r->job = (sgdsched_rigid_job *)tool_alloc(all, sizeof *r->job);
    r->wait_s = (double *)tool_alloc(all, sizeof *r->wait_s);
}

/* The columns of a table of jobs. */
typedef struct job_columns { cluster_columns all; int nodes, walltime, run, size; } job_columns;

/* The time that a job of a size runs on its nodes. */
static double run_of(const cluster *c, const csv_table *t, size_t i, const job_columns *at,
                     const args *a)
{
    const double size = csv_number(t, i, at->size, NUMBER_POSITIVE);
    const size_t curve = c->arrival[i].curve;
    if (c->own[i] > c->curves.nodes[curve])
        csv_fail(t, i, at->nodes, "%lu nodes, but curve '%s' of %s ends at %lu nodes: add rows to "
                                  "the curve",
                 (unsigned long)c->own[i], names_text(&c->curves.names, curve),
                 args_text(a, OPTION_CURVES, ""), (unsigned long)c->curves.nodes[curve]);
    return size / c->curves.value[curve][c->own[i] - 1];
}

/* What sgdsched_rigid_run takes; column: where the number comes from. */
static double within(const csv_table *t, size_t i, int column, double seconds)
{
    const double least = 1e-70, most = 1e70;
    if (!(seconds >= least && seconds <= most) && seconds > 0.0)
        csv_fail(t, i, column, "%g s is not between %g and %g s", seconds, least, most);
    return seconds;
}

/* Sizes and curves in place of times with --curves, where there are sizes or every policy is
 * one of rigid jobs. */
static void find_columns(job_columns *at, const cluster *c, const csv_table *t, int curves)
{
    const int sized = curves && (c->rigid == c->policies || csv_column(t, "size") != CSV_NONE);
    cluster_find_columns(&at->all, t);
    at->nodes = csv_require(t, "nodes");
    at->walltime = csv_column(t, "walltime_s");
    at->run = sized ? CSV_NONE : csv_require(t, "run_s");
    at->size = sized ? csv_require(t, "size") : CSV_NONE;
    at->all.curve = sized ? curves_column(&c->curves, t)
                          : curves ? csv_column(t, "curve") : CSV_NONE;
}

static void read_job(rigid *r, const csv_table *t, size_t i, const job_columns *at,
                     const args *a)
{
    sgdsched_rigid_job *to = &r->job[i];
    cluster *c = r->c;
    to->arrival_s = within(t, i, at->all.arrival, c->arrival[i].time_s);
    to->nodes = c->own[i] = (uint32_t)csv_integer(t, i, at->nodes, 1, UINT32_MAX);
    if (to->nodes > r->base.nodes)
        csv_fail(t, i, at->nodes, "%lu is more than the %lu nodes of the cluster",
                 (unsigned long)to->nodes, (unsigned long)r->base.nodes);
    to->walltime_s = csv_is_empty(t, i, at->walltime) ? 0.0
                   : within(t, i, at->walltime, csv_number(t, i, at->walltime, NUMBER_POSITIVE));
    to->run_s = at->run == CSV_NONE ? run_of(c, t, i, at, a)
                                    : csv_number(t, i, at->run, NUMBER_POSITIVE);
    (void)within(t, i, at->run == CSV_NONE ? at->size : at->run, to->run_s);
    r->wait_s[i] = -1.0;
}

static void read_jobs(rigid *r, const args *a)
{
    const csv_table *t = csv_read(args_text(a, OPTION_JOBS, ""), 0);
    cluster *c = r->c;
    job_columns at;
    find_columns(&at, c, t, args_given(a, OPTION_CURVES));
    cluster_take_jobs(c, t->rows);
    c->own = (uint32_t *)tool_alloc(c->jobs, sizeof *c->own);
    take_jobs(r, c->jobs);
    r->base.jobs = c->jobs;
    for (size_t i = 0; i < t->rows; i++) {
        cluster_take_row(c, t, i, &at.all, a);
        read_job(r, t, i, &at, a);
    }
}

static void take_trace(rigid *r)
{
    cluster *c = r->c;
    const size_t all = c->trace.jobs;
    size_t wider;
    const uint32_t widest = cluster_widest(c, &wider);
    if (wider == all)
        tool_fail("%s: %s more than the %lu nodes", c->trace_name,
                  all == 1 ? "the job of the log needs" : "all jobs of the log need",
                  (unsigned long)r->base.nodes);
    if (wider > 0)
        tool_note("jobs-left-out",
                  "%s: %lu of %lu jobs left out: %s more than the %lu nodes, up to %lu",
                  c->trace_name, (unsigned long)wider, (unsigned long)all,
                  wider == 1 ? "it needs" : "they need", (unsigned long)r->base.nodes,
                  (unsigned long)widest);
    take_jobs(r, all);
    for (size_t i = 0, left_out = all - wider; i < all; i++) {
        const jobtrace_job *from = &c->trace.job[i];
        const size_t to = from->nodes > r->base.nodes ? left_out++ : r->base.jobs++;
        r->wait_s[to] = from->wait_s;
        r->job[to].arrival_s = from->submit_s;
        r->job[to].run_s = from->run_s;
        r->job[to].walltime_s = from->walltime_s;
        r->job[to].nodes = from->nodes;
    }
    cluster_take_trace(c, r->base.nodes);
}

/* ---- Reading: notes ----------------------------------------------------------- */

/* What could be taken for more than it is. */
static void note_walltimes(const rigid *r)
{
    const size_t n = r->base.jobs;
    size_t unasked = 0, beyond = 0;
    int look_ahead = 0;
    for (size_t i = 0; i < n; i++) {
        unasked += !(r->job[i].walltime_s > 0.0);
        beyond += r->job[i].walltime_s > 0.0 && r->job[i].run_s > r->job[i].walltime_s;
    }
    for (size_t i = 0; i < r->policies; i++) {
        const cluster_policy *p = &r->c->policy[i];
        const sgdsched_queueing_traits *how = sgdsched_queueing_about(p->queueing);
        look_ahead |= p->is_rigid && (how->plans != SGDSCHED_PLANS_NONE ||
                                      how->line == SGDSCHED_LINE_WALLTIME);
    }
    if (unasked > 0 && look_ahead)
        tool_note("walltime-missing",
                  "%lu of %lu jobs %s no walltime: policies use run times, so waits look too "
                  "short; add walltimes",
                  (unsigned long)unasked, (unsigned long)n,
                  unasked == 1 ? "has" : "have");
    if (beyond > 0 && !r->base.kill)
        tool_note("walltime-exceeded",
                  "%lu of %lu jobs ran beyond %s walltime: the walltime is set to the time that %s "
                  "ran; --kill ends %s at the walltime", (unsigned long)beyond, (unsigned long)n,
                  beyond == 1 ? "its" : "their", beyond == 1 ? "it" : "they",
                  beyond == 1 ? "it" : "them");
}

/* Nodes that are busy on the average while jobs arrive, if the jobs that fit `nodes` never wait. */
static double busy_nodes(const rigid *r, double nodes)
{
    double work = 0.0, first_s = HUGE_VAL, last_s = 0.0;
    for (size_t i = 0; i < r->all; i++) {
        if (r->job[i].nodes > nodes) continue;
        work += r->job[i].nodes * r->job[i].run_s;
        first_s = fmin(first_s, r->job[i].arrival_s);
        last_s = fmax(last_s, r->job[i].arrival_s);
    }
    return work / (last_s - first_s);
}

/* Waits of an overloaded cluster say how long the log is, not how good a policy is. With more
 * nodes, jobs that were too wide bring work of their own. */
static int note_overload(const rigid *r)
{
    const double nodes = r->base.nodes, busy = busy_nodes(r, nodes);
    double least = nodes, next = busy;
    if (r->base.jobs < 100 || !(busy > nodes && busy < HUGE_VAL)) return 0;
    for (; next > least; next = busy_nodes(r, least)) least = ceil(next);
    tool_note("overload",
              "the jobs bring %.3g times the work that %.0f nodes can do while jobs arrive: the "
              "queue grows, and waits depend on the length of the log; at least %.0f nodes are "
              "needed, more for short waits", busy / nodes, nodes, least);
    return 1;
}

/* Queues also grow where the jobs leave nodes idle that no waiting one fits. */
static void note_growth(const rigid *r)
{
    double *until_s = (double *)tool_alloc(r->base.jobs, sizeof *until_s);
    for (size_t i = 0; i < r->policies; i++) {
        const rigid_outcome *o = &r->outcome[i];
        const int is_rigid = o->policy->is_rigid;
        for (size_t k = 0; k < r->base.jobs; k++)
            until_s[k] = o->stay[k].start_s + (is_rigid ? 0.0 : o->stay[k].run_s);
        cluster_note_growth(o->policy->name, is_rigid ? "that wait" : "that are not done",
                            cluster_grows(r->c, until_s));
    }
}

static void take_observed(rigid *r)
{
    size_t n = 0;
    r->seen = (sgdsched_rigid_job *)tool_alloc(r->base.jobs, sizeof *r->seen);
    r->seen_stay = (sgdsched_stay *)tool_alloc(r->base.jobs, sizeof *r->seen_stay);
    for (size_t i = 0; i < r->base.jobs; i++) {
        if (r->wait_s[i] < 0.0) continue;
        r->seen[n] = r->job[i];
        r->seen_stay[n].start_s = r->job[i].arrival_s + r->wait_s[i];
        r->seen_stay[n++].run_s = r->job[i].run_s;
    }
    r->seen_jobs = n;
}

/* Observed waits are those of the cluster of the log: one of fewer nodes than were at work
 * on the average cannot have been that. */
static void note_larger(const rigid *r)
{
    double work = 0.0, first_s = 0.0, last_s = 0.0;
    for (size_t i = 0; i < r->seen_jobs; i++) {
        const double start_s = r->seen_stay[i].start_s, end_s = start_s + r->seen_stay[i].run_s;
        work += r->seen[i].nodes * r->seen_stay[i].run_s;
        if (i == 0 || start_s < first_s) first_s = start_s;
        if (i == 0 || end_s > last_s) last_s = end_s;
    }
    if (work > r->base.nodes * (last_s - first_s) * (1.0 + 1e-6))
        tool_note("recorded-nodes",
                  "%s: on average %.6g nodes worked between the first start and the last end: the "
                  "observed waits belong to a cluster of more than %lu nodes",
                  r->c->trace_name, work / (last_s - first_s), (unsigned long)r->base.nodes);
}

/* Has a rigid policy a mean wait nearer to the observed one than `than`? NULL: always. */
static int is_nearer(const rigid_outcome *o, const rigid_outcome *than, double seen_s)
{
    return o->policy->is_rigid &&
           (!than || fabs(o->report.stays.wait_s.mean - seen_s) <
                     fabs(than->report.stays.wait_s.mean - seen_s));
}

/* Observed waits that no rigid policy comes near to had other causes than the simulated ones. */
static void note_not_reproduced(const rigid *r)
{
    const size_t n = r->base.jobs;
    const rigid_outcome *nearest = NULL;
    double seen_s = 0.0;
    if (n < 100 || r->seen_jobs < n) return;
    for (size_t i = 0; i < n; i++) seen_s += r->wait_s[i] / (double)n;
    for (size_t i = 0; i < r->policies; i++)
        if (is_nearer(&r->outcome[i], nearest, seen_s)) nearest = &r->outcome[i];
    const double wait_s = nearest ? nearest->report.stays.wait_s.mean : seen_s;
    if (fmax(wait_s, seen_s) > 2.0 * fmin(wait_s, seen_s) + r->threshold_s)
        tool_note("replay-differs",
                  "%s: the observed mean wait is %.5g s, the nearest simulated one %.5g s (%s): "
                  "the log may be an excerpt, or its cluster had other nodes or limits; compare "
                  "the policies with each other only", r->c->trace_name, seen_s, wait_s,
                  nearest->policy->name);
}

/* ---- Reading: jobs that change their nodes ------------------------------------- */

static void note_assumed(const rigid *r, const args *a)
{
    const cluster *c = r->c;
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < c->jobs; i++) {
        const uint32_t from = cluster_least_nodes(&c->arrival[i]);
        const uint32_t to = cluster_most_nodes(&c->arrival[i], r->base.nodes);
        if (from < least) least = from;
        if (to > most) most = to;
    }
    tool_note("sizes-known",
              "policies that change the number of nodes are assumed to know each job's size, to "
              "pause jobs at %s and to give each %lu to %lu nodes%s; speed-ups follow --curves %s, "
              "slow-downs are relative to the job's run on its own nodes%s",
              args_given(a, OPTION_RESTART_COST) ? "the cost of a restart" : "no cost",
              (unsigned long)least, (unsigned long)most,
              strcmp(args_text(a, OPTION_MAX_NODES, ""), "own") == 0 ? ", but no more than it "
                  "had in the log"
                                                                     : "",
              args_text(a, OPTION_CURVES, ""),
              r->base.kill ? "; they end no job at its walltime" : "");
}

/* The sizes with which jobs take as long on their nodes as they do, and how simulations run. */
static void read_sharing(rigid *r, const args *a)
{
    cluster *c = r->c;
    const size_t curve = cluster_trace_curve(c, a);
    size_t points = 0, i;
    for (i = 0; i < c->jobs && args_given(a, OPTION_TRACE_CURVE); i++) c->arrival[i].curve = curve;
    cluster_limit_all(c, a);
    for (i = 0; i < c->jobs; i++)
        c->arrival[i].size = r->job[i].run_s *
                             c->curves.value[c->arrival[i].curve][c->own[i] - 1];
    c->base.curve = curves_list(&c->curves, 0);
    c->base.curves = c->curves.names.count;
    note_assumed(r, a);
    cluster_read_run(c, a);
    cluster_read_points(c, a);
    cluster_check_points(c);
    for (i = 0; i < r->policies; i++)
        if (!c->policy[i].is_rigid) r->outcome[i].point = &c->point[points++];
    c->base.stop.max_present = c->jobs;
}

/* ---- The command --------------------------------------------------------------- */

/* A policy of rigid jobs does not fail: its row may be printed before those of others. */
static int sends_rows(const rigid *r, const output *out, const args *a)
{
    return out->form == CSV && r->policies > 1 && r->c->rigid == r->c->policies &&
           !args_given(a, OPTION_COMPLETIONS) && !args_given(a, OPTION_BY_WIDTH);
}

int cluster_run_rigid(cluster *c, const args *a)
{
    static rigid r;                    /* what it points to must outlive the command */
    output out = {.form = args_form(a)};
    memset(&r, 0, sizeof r);
    r.c = c;
    read_options(&r, a);
    cluster_read_curves(c, a, r.base.nodes);
    if (c->trace.jobs > 0) take_trace(&r);
    else read_jobs(&r, a);
    const int overloaded = note_overload(&r);
    note_walltimes(&r);
    take_observed(&r);
    if (c->trace.jobs > 0) note_larger(&r);
    if (c->rigid < c->policies) read_sharing(&r, a);
    if (sends_rows(&r, &out, a)) r.sends = &out;
    rigid_run(&r);
    note_not_reproduced(&r);
    if (!overloaded) note_growth(&r);
    if (!r.sends) rigid_print(&out, &r, a);
    else if (r.seen_jobs > 0) send_row(&r, r.policies);
    return output_flush(&out, EXIT_DONE);
}
