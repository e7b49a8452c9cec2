/* rigid_print.c - what sgdperf cluster prints of queues of rigid jobs */
#include "base/columns.h"
#include "cmd/cluster/rigid.h"

#include <math.h>

/* ---- What is told of jobs --------------------------------------------------- */

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

/* ---- Columns ---------------------------------------------------------------- */

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

void rigid_print(output *out, const rigid *r, const args *a)
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
