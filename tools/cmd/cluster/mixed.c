/* mixed.c - policies that change the nodes of jobs, beside those of rigid jobs: the same jobs */
#include "cmd/cluster/cluster.h"
#include "cmd/cluster/rigid.h"
#include "cmd/rules.h"
#include "files/status.h"

#include <math.h>
#include <string.h>

/* ---- Jobs ------------------------------------------------------------------ */

void mixed_read_curves(rigid *r, const args *a)
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

void mixed_take_jobs(rigid *r, const args *a)
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

/* ---- Runs ------------------------------------------------------------------ */

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

void mixed_run(const rigid *r, rigid_outcome *to, const args *a)
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
