/* rigid.c - sgdperf cluster: queues of rigid jobs, also beside policies that change nodes */

#include "base/columns.h"
#include "base/progress.h"
#include "base/words.h"
#include "cmd/cluster/cluster.h"
#include "cmd/rules.h"
#include "files/status.h"
#include "jobs/parallel.h"
#include "sgdperf_sched.h"

#include <math.h>
#include <string.h>

typedef struct rigid_outcome {
    const char           *name;    /* of the policy                                 */
    int                   changes; /* it changes the nodes of jobs, and is          */
    sgdsched_policy       sharing; /*   this, or else                               */
    sgdsched_queueing     policy;
    sgdsched_stay        *stay;    /* [jobs]                                        */
    sgdsched_rigid_report report;  /* changes: utilization and end_s alone          */
    sgdsched_stay_report  stays;   /* of all jobs                                   */
} rigid_outcome;

typedef struct rigid {
    sgdsched_rigid      base;
    sgdsched_rigid_job *job;       /* [base.jobs], base.job                         */
    const char        **name;      /* [jobs]                                        */
    double             *wait_s;    /* [jobs] observed; -1: not recorded             */
    jobtrace            trace;     /* owns the names, where they come from one      */
    double              threshold_s;
    rigid_outcome      *outcome;   /* [policies]                                    */
    size_t              policies;
    /* What was observed in the trace, of the jobs whose waits are recorded. */
    sgdsched_rigid_job *seen;      /* [seen_jobs]                                   */
    sgdsched_stay      *seen_stay;
    size_t              seen_jobs;
    const args         *args;
    size_t              processes; /* at work                                       */
    int                 shared;    /* all of them have the same stays               */
    /* What the policies that change the nodes of jobs need, if there is one. */
    size_t              sharing;   /* how many of them                              */
    curve_set           curves;
    sgdsched_arrival   *arrival;   /* [jobs] the same jobs, with their limits       */
} rigid;

/* ---- rigid_run.c: all policies on all jobs */

/* ---- mixed.c: policies that change the nodes of jobs, on the same jobs */

/* ---- rigid_print.c */

/* ---- Jobs that change their nodes: jobs --------------------------------------- */

static void mixed_read_curves(rigid *r, const args *a)
{
    const char *curves = args_text(a, OPTION_CURVES, NULL);
    if (r->sharing > 0 && !curves)
        args_fail(OPTION_POLICIES, NULL, "policies that change the nodes of jobs need --curves");
    if (curves && !curves_built_in(&r->curves, curves, r->base.nodes))
        curves_read(&r->curves, curves, 0, "curve", "throughput");
}

/* The sizes with which jobs take as long on their nodes as they do. */
static void size_jobs(rigid *r, const args *a)
{
    const uint32_t chunk = (uint32_t)args_integer(a, OPTION_CHUNK, 1, r->base.nodes, 0);
    cluster_limits limits;
    size_t i;
    cluster_read_limits(&limits, a, r->base.nodes);
    for (i = 0; i < r->base.jobs; i++) {
        const sgdsched_rigid_job *job = &r->job[i];
        sgdsched_arrival *to = &r->arrival[i];
        cluster_limit(to, &limits, job->nodes, r->base.nodes, &r->curves, r->name[i]);
        if (chunk > 0) cluster_check_chunk(to, chunk, r->base.nodes, r->name[i]);
        cluster_check_curve(to, &r->curves, job->nodes, r->base.nodes, r->name[i]);
        to->time_s = job->arrival_s;
        to->size = job->run_s * r->curves.value[to->curve][job->nodes - 1];
    }
}

static void note_assumed(const rigid *r, const args *a)
{
    uint32_t least = UINT32_MAX, most = 0;
    size_t i;
    for (i = 0; i < r->base.jobs; i++) {
        const sgdsched_arrival *job = &r->arrival[i];
        const uint32_t from = cluster_least_nodes(job);
        const uint32_t to = cluster_most_nodes(job, r->base.nodes);
        if (from < least) least = from;
        if (to > most) most = to;
    }
    tool_note("sizes-known",
              "policies that change the nodes of jobs are taken to know each job's size, to pause "
              "it at %s, and to give it %lu to %lu nodes%s; speed-ups are those of %s, slow-downs "
              "over the time that it needs on its own nodes%s",
              args_given(a, OPTION_RESTART_COST) ? "the cost of a restart" : "no cost",
              (unsigned long)least, (unsigned long)most,
              strcmp(args_text(a, OPTION_MAX_NODES, ""), "own") == 0 ? ", its own at most" : "",
              args_text(a, OPTION_CURVES, ""), r->base.kill ? "; they end no job" : "");
}

static void mixed_take_jobs(rigid *r, const args *a)
{
    const char *curve = args_text(a, OPTION_TRACE_CURVE, NULL);
    sgdsched_policy *policy;
    size_t i, n = 0, c;
    if (r->sharing == 0) return;
    policy = (sgdsched_policy *)tool_alloc(r->policies, sizeof *policy);
    for (i = 0; i < r->policies; i++)
        if (r->outcome[i].changes) policy[n++] = r->outcome[i].sharing;
    rules_refuse(a, policy, n, 0);
    for (i = c = 0; i < n; i++) c += (size_t)rules_have_queues(policy[i]);
    if (c > 0 && !args_given(a, OPTION_CHUNK))
        args_fail(OPTION_POLICIES, "jsq", "needs --chunk beside policies of rigid jobs");
    if (c == 0 && args_given(a, OPTION_CHUNK)) args_fail(OPTION_CHUNK, NULL, "is for jsq");
    if (strchr(args_text(a, OPTION_GAMMA, ""), ','))
        args_fail(OPTION_GAMMA, args_text(a, OPTION_GAMMA, ""),
                  "one beside policies of rigid jobs");
    if (curve) {
        c = names_find(&r->curves.names, curve);
        if (c == r->curves.names.count)
            args_fail(OPTION_TRACE_CURVE, curve, "is no curve of %s", args_text(a, OPTION_CURVES,
                                                                                ""));
        for (i = 0; i < r->base.jobs; i++) r->arrival[i].curve = c;
    }
    size_jobs(r, a);
    note_assumed(r, a);
}

/* ---- Jobs that change their nodes: runs --------------------------------------- */

typedef struct mixed_state { const rigid *r; sgdsched_stay *stay; size_t next; } mixed_state;

/* sgdsched_arrival_source */
static int next_job(void *ctx, sgdsched_arrival *next)
{
    mixed_state *m = (mixed_state *)ctx;
    if (m->next == m->r->base.jobs) return 0;
    *next = m->r->arrival[m->next++];
    return 1;
}

/* The first nodes that a job gets; it has not run as long as its end is not known. */
static void keep_starts(void *ctx, double time_s, const sgdsched_change *change, size_t changes)
{
    const mixed_state *m = (const mixed_state *)ctx;
    size_t i;
    for (i = 0; i < changes; i++)
        if (change[i].nodes > 0 && m->stay[change[i].job].start_s < 0.0)
            m->stay[change[i].job].start_s = time_s;
}

static void keep_end(void *ctx, const sgdsched_departure *d)
{
    const double least_s = 1e-70;      /* a stay of no time at all is none           */
    sgdsched_stay *stay = ((const mixed_state *)ctx)->stay + d->job;
    stay->run_s = d->time_s - stay->start_s;
    if (!(stay->run_s >= least_s)) stay->run_s = least_s;
}

/* The longest that a job may take, on the worst of its numbers of nodes. */
static double longest_s(const rigid *r, const sgdsched_arrival *job)
{
    const uint32_t most = cluster_most_nodes(job, r->base.nodes);
    uint32_t n = cluster_least_nodes(job);
    double least = HUGE_VAL;
    for (; n <= most; n++)
        if (r->curves.value[job->curve][n - 1] < least) least = r->curves.value[job->curve][n - 1];
    return job->size / least;
}

TOOL_NORETURN static void fail_long(const rigid *r, const char *policy, double restart_s)
{
    size_t longest = 0, i;
    for (i = 1; i < r->base.jobs; i++)
        if (longest_s(r, &r->arrival[i]) > longest_s(r, &r->arrival[longest])) longest = i;
    tool_fail("cluster: under policy %s jobs end beyond 1e140 s: job '%s' takes up to %g s on its "
              "numbers of nodes, the longest, and --restart-cost is %g s", policy,
              r->name[longest], longest_s(r, &r->arrival[longest]), restart_s);
}

/* The curves, or nothing without such a policy; trace: jobs are of a log. */
static void mixed_run(const rigid *r, rigid_outcome *to, const args *a)
{
    sgdsched_cluster in;
    sgdsched_cluster_report report;
    mixed_state state = {0};
    sgdsched_status status;
    size_t bytes = 0;
    void *work;
    memset(&in, 0, sizeof in);
    memset(&report, 0, sizeof report);
    rules_read(&in.rules, a, r->base.nodes);
    in.rules.policy = to->sharing;
    in.rules.gamma = args_number(a, OPTION_GAMMA, 0.0);
    in.restart_s = args_number(a, OPTION_RESTART_COST, 0.0);
    in.chunk = (uint32_t)args_integer(a, OPTION_CHUNK, 1, r->base.nodes, 0);
    in.curve = curves_list(&r->curves, 0);
    in.curves = r->curves.names.count;
    in.stop.max_present = r->base.jobs;
    in.workload.source = next_job;
    in.watch.on_change = keep_starts;
    in.watch.on_departure = keep_end;
    in.workload.source_ctx = in.watch.ctx = &state;
    state.r = r;
    state.stay = to->stay;
    tool_check_sched(sgdsched_cluster_run_bytes(&in, &bytes), "cluster");
    work = tool_resize(NULL, bytes, 1);
    status = sgdsched_cluster_run(&in, work, bytes, &report);
    if (status == SGDSCHED_TOO_LARGE) fail_long(r, to->name, in.restart_s);
    tool_check_sched(status, "cluster");
    tool_free(work);
    to->report.utilization = report.utilization;
    to->report.end_s = report.end_s;
}

/* ---- Runs --------------------------------------------------------------------- */

/* Statistics of jobs of so many nodes, by policy; `policies`: those seen. */
static sgdsched_stay_report rigid_describe(const rigid *r, size_t policy, uint32_t least,
                                           uint32_t most)
{
    const int seen = policy == r->policies;
    sgdsched_stays in;
    sgdsched_stay_report out;
    size_t bytes = 0;
    void *work;
    in.job = seen ? r->seen : r->job;
    in.stay = seen ? r->seen_stay : r->outcome[policy].stay;
    in.jobs = seen ? r->seen_jobs : r->base.jobs;
    in.least = least;
    in.most = most;
    in.threshold_s = r->threshold_s;
    tool_check_sched(sgdsched_describe_stays_bytes(in.jobs, &bytes), "cluster");
    work = tool_resize(NULL, bytes + 1, 1);
    tool_check_sched(sgdsched_describe_stays(&in, work, bytes, &out), "cluster");
    tool_free(work);
    return out;
}

static void run_rigid(const rigid *r, rigid_outcome *to)
{
    sgdsched_rigid in = r->base;
    size_t bytes = 0;
    void *work;
    in.policy = to->policy;
    tool_check_sched(sgdsched_rigid_run_bytes(&in, &bytes), "cluster");
    work = tool_resize(NULL, bytes, 1);
    tool_check_sched(sgdsched_rigid_run(&in, work, bytes, to->stay, &to->report), "cluster");
    tool_free(work);
}

static void run_policy(const rigid *r, size_t i)
{
    rigid_outcome *to = &r->outcome[i];
    if (to->changes) mixed_run(r, to, r->args);
    else run_rigid(r, to);
    to->stays = rigid_describe(r, i, 1, r->base.nodes);
}

/* What is handed over beside the stays, or taken. */
static char *move_reports(rigid_outcome *o, char *at, int out)
{
    at = parallel_move(at, &o->report, sizeof o->report, out);
    return parallel_move(at, &o->stays, sizeof o->stays, out);
}

/* parallel_task: hands over reports, and stays that are not shared. */
static void run_task(void *ctx, size_t i, void *result)
{
    const rigid *r = (const rigid *)ctx;
    rigid_outcome *to = &r->outcome[i];
    parallel_blob *blob = (parallel_blob *)result;
    const size_t stays = r->shared ? 0 : r->base.jobs * sizeof *to->stay;
    run_policy(r, i);
    blob->length = sizeof to->report + sizeof to->stays + stays;
    blob->data = (char *)tool_alloc(blob->length, 1);
    (void)parallel_move(move_reports(to, blob->data, 1), to->stay, stays, 1);
}

/* Jobs that have started, under all policies. */
static size_t count_started(const void *ctx)
{
    const rigid *r = (const rigid *)ctx;
    size_t started = 0, i, k;
    for (i = 0; i < r->policies; i++)
        for (k = 0; k < r->base.jobs; k++) started += r->outcome[i].stay[k].start_s >= 0.0;
    return started;
}

/* Room for their stays, none of which has begun; one for all processes where that can be. */
static void take_stays(rigid *r, int several)
{
    const size_t jobs = r->base.jobs;
    sgdsched_stay *all = NULL;
    size_t i;
    if (several) all = (sgdsched_stay *)parallel_shared(r->policies * jobs, sizeof *all);
    r->shared = all != NULL;
    if (!all) all = (sgdsched_stay *)tool_alloc(r->policies * jobs, sizeof *all);
    for (i = 0; i < r->policies * jobs; i++) all[i].start_s = -1.0;
    for (i = 0; i < r->policies; i++) r->outcome[i].stay = all + i * jobs;
}

static int plans_all(const rigid_outcome *o)
{
    return sgdsched_queueing_about(o->policy)->plans == SGDSCHED_PLANS_ALL;
}

/* Few jobs cost less than another process, but for plans of all that wait. */
static size_t few_jobs(const rigid *r)
{
    size_t i;
    for (i = 0; i < r->policies; i++)
        if (r->outcome[i].changes || plans_all(&r->outcome[i])) return 500;
    return 5000;
}

/* Beside each other: plans of all that wait take longest, then those of the first. */
static double cost_of(const rigid_outcome *o)
{
    if (o->changes || plans_all(o)) return 8.0;
    return sgdsched_queueing_about(o->policy)->plans == SGDSCHED_PLANS_FIRST ? 2.0 : 1.0;
}

static void rigid_run(rigid *r)
{
    const size_t jobs = r->base.jobs, few = few_jobs(r);
    const int watched = tool_shows_progress() && jobs >= few;
    parallel_blob *done = (parallel_blob *)tool_alloc(r->policies, sizeof *done);
    double *cost = (double *)tool_alloc(r->policies, sizeof *cost);
    size_t i;
    take_stays(r, jobs >= few && (r->policies > 1 || watched));
    if (r->policies == 1 && !watched) {
        run_policy(r, 0);
        return;
    }
    if (watched && r->shared) parallel_watch(count_started, r, r->policies * jobs);
    for (i = 0; i < r->policies; i++) cost[i] = cost_of(&r->outcome[i]);
    parallel_expect(cost);
    parallel_gather(r->policies, jobs < few ? 1 : r->processes, run_task, r, done, "jobs");
    for (i = 0; i < r->policies; i++) {
        rigid_outcome *to = &r->outcome[i];
        const char *at = move_reports(to, done[i].data, 0);
        if (at < done[i].data + done[i].length)
            memcpy(to->stay, at, jobs * sizeof *to->stay);
        tool_free(done[i].data);
    }
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
    return policy < r->policies ? r->outcome[policy].name : "observed";
}

static sgdsched_stay_report stays_of(const rigid *r, size_t policy)
{
    return policy < r->policies ? r->outcome[policy].stays
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
    int i;
    for (i = 0; i < MEASURES; i++) print_spread(t, in, &measures[i], measure_of(s, i));
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
    const sgdsched_rigid_report *report = o && !o->changes ? &o->report : NULL;
    const unsigned json = o ? JSON : 0;
    columns widths;
    columns_row(t);
    column_text(t, json, "status", "done");
    column_text(t, TABLES | json, "policy", policy_of(r, policy));
    column_whole(t, CSV | json, "nodes", r->base.nodes);
    column_whole(t, CSV, "jobs", s.jobs);
    print_stays(t, SCREEN, &s);
    column_round(t, SCREEN, "bounded_slowdown", 4, s.bounded_slowdown.mean);
    column_round(t, SCREEN, "utilization", 4, o ? o->report.utilization : (double)NAN);
    column_whole_if(t, CSV | json, "killed", report != NULL, report ? report->killed : 0);
    column_whole_if(t, TABLES | json, "backfilled", report != NULL,
                    report ? report->backfilled : 0);
    column_whole_if(t, CSV | json, "most_waiting", report != NULL,
                    report ? report->most_waiting : 0);
    column_number(t, CSV | json, "utilization", o ? o->report.utilization : (double)NAN);
    column_number(t, CSV | json, "end_s", o ? o->report.end_s : (double)NAN);
    column_whole(t, JSON, "jobs", s.jobs);
    print_measures(t, DATA, &s);
    columns_open(&widths, t->out, JSON, "widths");
    if (widths.in == JSON) print_widths(&widths, r, policy);
    columns_close(&widths);
}

static void print_policies(output *out, unsigned in, const rigid *r)
{
    columns t;
    size_t i;
    columns_open(&t, out, in, r->policies > 1 ? "points" : NULL);
    for (i = 0; i < (out->form == JSON ? r->policies : rows_of(r)); i++) print_policy(&t, r, i);
    columns_close(&t);
    if (r->seen_jobs == 0 || out->form != JSON) return;
    columns_open(&t, out, JSON, NULL);
    json_object(out, "observed");
    print_policy(&t, r, r->policies);
    json_end(out);
}

static void print_completions(output *out, const rigid *r)
{
    const sgdsched_stay *stay = r->outcome[0].stay;
    columns t;
    size_t i;
    output_print(out, "\ncompletions\n");
    columns_open(&t, out, ALL, "completions");
    for (i = 0; i < r->base.jobs; i++) {
        const double wait_s = stay[i].start_s - r->job[i].arrival_s;
        columns_row(&t);
        column_text(&t, ALL, "job", r->name[i]);
        column_number(&t, ALL, "start_s", stay[i].start_s);
        column_number(&t, ALL, "completion_s", stay[i].start_s + stay[i].run_s);
        column_number(&t, TABLES, "wait_s", wait_s);
        column_number(&t, TABLES, "response_s", wait_s + stay[i].run_s);
        column_number(&t, TABLES, "observed_wait_s",
                      known_if(r->wait_s[i] >= 0.0, r->wait_s[i]));
        if (r->base.kill) column_whole(&t, TABLES, "killed", (uint64_t)stay[i].killed);
        if (r->base.kill) json_bool(out, "killed", stay[i].killed);
    }
    columns_close(&t);
}

static void rigid_print(output *out, const rigid *r, const args *a)
{
    const int completions = args_given(a, OPTION_COMPLETIONS);
    const int by_width = args_given(a, OPTION_BY_WIDTH);
    columns t;
    size_t i;
    if (completions && by_width && out->form == CSV)
        args_fail(OPTION_BY_WIDTH, NULL, "not with --completions and csv");
    json_object(out, NULL);
    print_policies(out, completions || by_width ? SCREEN | JSON : ALL, r);
    if (by_width) {
        output_print(out, "\nby width\n");
        columns_open(&t, out, TABLES, NULL);
        for (i = 0; i < rows_of(r) && t.in != 0; i++) print_widths(&t, r, i);
        columns_close(&t);
    }
    if (out->form == JSON ? r->policies == 1 : completions) print_completions(out, r);
    json_end(out);
}

/* ---- Reading ------------------------------------------------------------------ */

/* By sgdsched_queueing. */
#define WORD(name, word, line, plans) word,
static const char *const rigid_policy_names[SGDSCHED_QUEUEING_COUNT] = {
    SGDSCHED_QUEUEING_TABLE(WORD)
};
#undef WORD

/* ---- Reading: options --------------------------------------------------------- */

static int is_rigid_name(const char *word)
{
    return words_find(rigid_policy_names, SGDSCHED_QUEUEING_COUNT, word) < SGDSCHED_QUEUEING_COUNT;
}

/* Fails over a word that is no policy of either kind. */
static void check_name(option_id option, const char *word)
{
    char malleable[256], rigid_jobs[256];
    if (is_rigid_name(word)) return;
    if (words_find(rules_policy_names, SGDSCHED_POLICY_COUNT, word) < SGDSCHED_POLICY_COUNT) return;
    words_join(rules_policy_names, SGDSCHED_POLICY_COUNT, malleable, sizeof malleable);
    words_join(rigid_policy_names, SGDSCHED_QUEUEING_COUNT, rigid_jobs, sizeof rigid_jobs);
    args_fail(option, word, "is none of %s, and of rigid jobs %s", malleable, rigid_jobs);
}

int cluster_is_rigid(const args *a)
{
    char **word;
    const size_t words = args_words(a, OPTION_POLICIES, &word);
    const char *policy = args_text(a, OPTION_POLICY, NULL);
    size_t found = policy && is_rigid_name(policy) ? 1 : 0, i;
    if (policy) check_name(OPTION_POLICY, policy);
    for (i = 0; i < words; i++) {
        check_name(OPTION_POLICIES, word[i]);
        found += is_rigid_name(word[i]) ? 1 : 0;
    }
    return found > 0 || args_given(a, OPTION_RIGID);
}

static void name_policy(rigid *r, rigid_outcome *to, const char *word)
{
    const size_t queueing = words_find(rigid_policy_names, SGDSCHED_QUEUEING_COUNT, word);
    to->name = word;
    to->changes = queueing == SGDSCHED_QUEUEING_COUNT;
    r->sharing += (size_t)to->changes;
    if (to->changes)
        to->sharing = (sgdsched_policy)words_find(rules_policy_names, SGDSCHED_POLICY_COUNT, word);
    else
        to->policy = (sgdsched_queueing)queueing;
}

static void read_policies(rigid *r, const args *a)
{
    char **word;
    const size_t words = args_words(a, OPTION_POLICIES, &word);
    size_t i;
    r->policies = words > 0 ? words : 1;
    r->outcome = (rigid_outcome *)tool_alloc(r->policies, sizeof *r->outcome);
    name_policy(r, &r->outcome[0], args_text(a, OPTION_POLICY, rigid_policy_names[0]));
    r->sharing = 0;
    for (i = 0; i < words; i++) name_policy(r, &r->outcome[i], word[i]);
}

/* ---- Reading: jobs ------------------------------------------------------------ */

static void take_jobs(rigid *r, size_t jobs)
{
    r->name = (const char **)tool_alloc(jobs, sizeof *r->name);
    r->job = (sgdsched_rigid_job *)tool_alloc(jobs, sizeof *r->job);
    r->wait_s = (double *)tool_alloc(jobs, sizeof *r->wait_s);
    r->arrival = (sgdsched_arrival *)tool_alloc(jobs, sizeof *r->arrival);
    memset(r->arrival, 0, jobs * sizeof *r->arrival);
}

/* The columns of a table of jobs. */
typedef struct job_columns {
    int job, arrival, nodes, walltime, run, size, curve, limit[CLUSTER_LIMITS];
    const char *curves;       /* the name of their file                             */
} job_columns;

/* The time that a job of a size runs on its nodes. */
static double run_of(const rigid *r, const csv_table *t, size_t i, const job_columns *at)
{
    const double size = csv_number(t, i, at->size, NUMBER_POSITIVE);
    const size_t c = r->arrival[i].curve;
    const uint32_t nodes = r->job[i].nodes;
    if (nodes > r->curves.nodes[c])
        csv_fail(t, i, at->nodes, "%lu, but curve '%s' of %s ends at %lu", (unsigned long)nodes,
                 names_text(&r->curves.names, c), at->curves,
                 (unsigned long)r->curves.nodes[c]);
    return size / r->curves.value[c][nodes - 1];
}

/* What sgdsched_rigid_run takes; column: where the number comes from. */
static double within(const csv_table *t, size_t i, int column, double seconds)
{
    const double least = 1e-70, most = 1e70;
    if (!(seconds >= least && seconds <= most) && seconds > 0.0)
        csv_fail(t, i, column, "%g s is not within %g .. %g s", seconds, least, most);
    return seconds;
}

/* Sizes and curves in place of times with --curves, where there are sizes or every policy is
 * one of rigid jobs. */
static void find_columns(job_columns *at, const rigid *r, const csv_table *t, const args *a)
{
    const int curves = args_given(a, OPTION_CURVES);
    const int sized = curves && (r->sharing == 0 || csv_column(t, "size") != CSV_NONE);
    at->job = csv_require(t, "job");
    at->arrival = csv_require(t, "arrival_s");
    at->nodes = csv_require(t, "nodes");
    at->walltime = csv_column(t, "walltime_s");
    at->run = sized ? CSV_NONE : csv_require(t, "run_s");
    at->size = sized ? csv_require(t, "size") : CSV_NONE;
    at->curve = sized ? curves_column(&r->curves, t) : curves ? csv_column(t, "curve") : CSV_NONE;
    cluster_limit_columns(t, at->limit);
    at->curves = args_text(a, OPTION_CURVES, "");
}

static void read_job(rigid *r, const csv_table *t, size_t i, const job_columns *at)
{
    sgdsched_rigid_job *to = &r->job[i];
    r->name[i] = csv_text(t, i, at->job);
    r->wait_s[i] = -1.0;
    to->arrival_s = within(t, i, at->arrival, csv_number(t, i, at->arrival, NUMBER_NON_NEGATIVE));
    if (i > 0 && to->arrival_s < to[-1].arrival_s)
        csv_fail(t, i, at->arrival, "%s is before %s, of the row above",
                 csv_text(t, i, at->arrival), csv_text(t, i - 1, at->arrival));
    to->nodes = (uint32_t)csv_integer(t, i, at->nodes, 1, UINT32_MAX);
    if (to->nodes > r->base.nodes)
        csv_fail(t, i, at->nodes, "%lu are more than the %lu of the cluster",
                 (unsigned long)to->nodes, (unsigned long)r->base.nodes);
    to->walltime_s = csv_is_empty(t, i, at->walltime) ? 0.0
                   : within(t, i, at->walltime, csv_number(t, i, at->walltime, NUMBER_POSITIVE));
    r->arrival[i].curve = curves_of_row(&r->curves, t, i, at->curve, at->curves);
    cluster_limits_of_row(&r->arrival[i], t, i, at->limit, r->base.nodes);
    to->run_s = at->run == CSV_NONE ? run_of(r, t, i, at)
                                    : csv_number(t, i, at->run, NUMBER_POSITIVE);
    (void)within(t, i, at->run == CSV_NONE ? at->size : at->run, to->run_s);
}

static void read_jobs(rigid *r, const args *a)
{
    const csv_table *t = csv_read(args_text(a, OPTION_JOBS, ""), 0);
    job_columns at;
    size_t i;
    find_columns(&at, r, t, a);
    csv_unique(t, &at.job, 1);
    take_jobs(r, t->rows);
    for (i = 0; i < t->rows; i++) read_job(r, t, i, &at);
    r->base.jobs = t->rows;
}

static void take_trace(rigid *r, const char *file)
{
    uint32_t widest = 0;
    size_t i, n = 0;
    take_jobs(r, r->trace.jobs);
    for (i = 0; i < r->trace.jobs; i++) {
        const jobtrace_job *from = &r->trace.job[i];
        if (from->nodes > widest) widest = from->nodes;
        if (from->nodes > r->base.nodes) continue;
        r->name[n] = names_text(&r->trace.names, from->name);
        r->wait_s[n] = from->wait_s;
        r->job[n].arrival_s = from->submit_s;
        r->job[n].run_s = from->run_s;
        r->job[n].walltime_s = from->walltime_s;
        r->job[n++].nodes = from->nodes;
    }
    r->base.jobs = n;
    if (n == 0)
        tool_fail("%s: %s more than the %lu nodes", file,
                  r->trace.jobs == 1 ? "its job needs" : "all of its jobs need",
                  (unsigned long)r->base.nodes);
    if (n < r->trace.jobs)
        tool_note("jobs-left-out",
                  "%s: %lu of %lu jobs left out: %s more than the %lu nodes, up to %lu", file,
                  (unsigned long)(r->trace.jobs - n), (unsigned long)r->trace.jobs,
                  r->trace.jobs - n == 1 ? "it needs" : "they need",
                  (unsigned long)r->base.nodes, (unsigned long)widest);
}

/* What could be taken for more than it is. */
static void note_walltimes(const rigid *r)
{
    const size_t n = r->base.jobs;
    size_t i, unasked = 0, beyond = 0;
    int look_ahead = 0;
    for (i = 0; i < n; i++) {
        unasked += !(r->job[i].walltime_s > 0.0);
        beyond += r->job[i].walltime_s > 0.0 && r->job[i].run_s > r->job[i].walltime_s;
    }
    for (i = 0; i < r->policies; i++) {
        const sgdsched_queueing_traits *how = sgdsched_queueing_about(r->outcome[i].policy);
        look_ahead |= !r->outcome[i].changes && (how->plans != SGDSCHED_PLANS_NONE ||
                                                 how->line == SGDSCHED_LINE_WALLTIME);
    }
    if (unasked > 0 && look_ahead)
        tool_note("walltime-missing",
                  "%lu of %lu jobs %s no walltime: how long %s is taken to be known",
                  (unsigned long)unasked, (unsigned long)n, unasked == 1 ? "has" : "have",
                  unasked == 1 ? "it runs" : "they run");
    if (beyond > 0 && !r->base.kill)
        tool_note("walltime-exceeded",
                  "%lu of %lu jobs ran beyond %s taken to have asked for as long as %s ran "
                  "(--kill ends %s)", (unsigned long)beyond, (unsigned long)n,
                  beyond == 1 ? "its walltime, and is" : "their walltime, and are",
                  beyond == 1 ? "it" : "they", beyond == 1 ? "it" : "them");
}

static void take_observed(rigid *r)
{
    size_t i, n = 0;
    r->seen = (sgdsched_rigid_job *)tool_alloc(r->base.jobs, sizeof *r->seen);
    r->seen_stay = (sgdsched_stay *)tool_alloc(r->base.jobs, sizeof *r->seen_stay);
    for (i = 0; i < r->base.jobs; i++) {
        if (r->wait_s[i] < 0.0) continue;
        r->seen[n] = r->job[i];
        r->seen_stay[n].start_s = r->job[i].arrival_s + r->wait_s[i];
        r->seen_stay[n++].run_s = r->job[i].run_s;
    }
    r->seen_jobs = n;
}

/* Observed waits are those of the cluster of the log: one of fewer nodes than were at work
 * on the average cannot have been that. */
static void note_larger(const rigid *r, const char *file)
{
    double work = 0.0, first_s = 0.0, last_s = 0.0;
    size_t i;
    for (i = 0; i < r->seen_jobs; i++) {
        const double start_s = r->seen_stay[i].start_s, end_s = start_s + r->seen_stay[i].run_s;
        work += r->seen[i].nodes * r->seen_stay[i].run_s;
        if (i == 0 || start_s < first_s) first_s = start_s;
        if (i == 0 || end_s > last_s) last_s = end_s;
    }
    if (work > r->base.nodes * (last_s - first_s) * (1.0 + 1e-6))
        tool_note("recorded-nodes",
                  "%s: from the first start to the last end %.6g nodes were at work on the "
                  "average: the waits observed are those of a cluster of more than %lu", file,
                  work / (last_s - first_s), (unsigned long)r->base.nodes);
}

/* ---- Reading: the command ----------------------------------------------------- */

int cluster_run_rigid(const args *a)
{
    static rigid r;                    /* what it points to must outlive the command */
    const int trace = args_given(a, OPTION_TRACE_FORMAT);
    const char *file = NULL;
    output out = {0};
    memset(&r, 0, sizeof r);
    r.args = a;
    r.processes = parallel_read(a);
    read_policies(&r, a);
    if (trace && r.sharing == 0 && args_given(a, OPTION_CURVES))
        args_fail(OPTION_CURVES, NULL,
                  "not for rigid jobs of a trace, whose times are recorded");
    if (args_given(a, OPTION_COMPLETIONS) && r.policies > 1)
        args_fail(OPTION_COMPLETIONS, NULL, "for one policy with --jobs");
    r.threshold_s = args_number(a, OPTION_SLOWDOWN_BOUND, 10.0);
    r.base.kill = args_given(a, OPTION_KILL);
    if (trace) file = cluster_read_trace(&r.trace, a);
    r.base.nodes = rules_read_nodes(a, r.trace.processors);
    mixed_read_curves(&r, a);
    if (trace) take_trace(&r, file);
    else read_jobs(&r, a);
    r.base.job = r.job;
    note_walltimes(&r);
    take_observed(&r);
    if (trace) note_larger(&r, file);
    mixed_take_jobs(&r, a);
    rigid_run(&r);
    out.form = args_form(a);
    rigid_print(&out, &r, a);
    return output_flush(&out, EXIT_DONE);
}
