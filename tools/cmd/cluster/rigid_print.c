/* rigid_print.c - what sgdperf cluster prints of queues of rigid jobs */
#include "base/table.h"
#include "cmd/cluster/rigid.h"

#include <math.h>
#include <stdio.h>

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

/* ---- JSON ------------------------------------------------------------------- */

static void json_stays(output *out, const sgdsched_stay_report *s)
{
    int i;
    json_integer(out, "jobs", s->jobs);
    for (i = 0; i < MEASURES; i++) {
        const sgdsched_spread x = measure_of(s, i);
        json_number(out, measures[i].mean, x.mean);
        json_number(out, measures[i].median, x.median);
        json_number(out, measures[i].p95, x.p95);
        json_number(out, measures[i].most, x.most);
    }
}

static void json_of(output *out, const rigid *r, size_t policy)
{
    sgdsched_stay_report s = stays_of(r, policy);
    uint32_t least = 0, most = 0;
    json_stays(out, &s);
    json_array(out, "widths");
    while (next_widths(r, &least, &most)) {
        s = rigid_describe(r, policy, least, most);
        if (s.jobs == 0) continue;
        json_object(out, NULL);
        json_integer(out, "nodes_from", least);
        json_integer(out, "nodes_to", most);
        json_stays(out, &s);
        json_end(out);
    }
    json_end(out);
}

static void json_policy(output *out, const rigid *r, size_t policy)
{
    const sgdsched_rigid_report *report = &r->outcome[policy].report;
    json_string(out, "status", "done");
    json_string(out, "policy", policy_of(r, policy));
    json_integer(out, "nodes", r->base.nodes);
    if (r->outcome[policy].changes) {
        json_null(out, "killed");
        json_null(out, "backfilled");
        json_null(out, "most_waiting");
    } else {
        json_integer(out, "killed", report->killed);
        json_integer(out, "backfilled", report->backfilled);
        json_integer(out, "most_waiting", report->most_waiting);
    }
    json_number(out, "utilization", report->utilization);
    json_number(out, "end_s", report->end_s);
    json_of(out, r, policy);
}

static void json_completions(output *out, const rigid *r)
{
    const sgdsched_stay *stay = r->outcome[0].stay;
    size_t i;
    json_array(out, "completions");
    for (i = 0; i < r->base.jobs; i++) {
        json_object(out, NULL);
        json_string(out, "job", r->name[i]);
        json_number(out, "start_s", stay[i].start_s);
        json_number(out, "completion_s", stay[i].start_s + stay[i].run_s);
        if (r->base.kill) json_bool(out, "killed", stay[i].killed);
        json_end(out);
    }
    json_end(out);
}

static void print_json(output *out, const rigid *r)
{
    size_t i;
    json_object(out, NULL);
    if (r->policies > 1) json_array(out, "points");
    for (i = 0; i < r->policies; i++) {
        if (r->policies > 1) json_object(out, NULL);
        json_policy(out, r, i);
        if (r->policies > 1) json_end(out);
    }
    if (r->policies > 1) json_end(out);
    if (r->seen_jobs > 0) {
        json_object(out, "observed");
        json_of(out, r, r->policies);
        json_end(out);
    }
    if (r->policies == 1) json_completions(out, r);
    json_end(out);
}

/* ---- Tables ----------------------------------------------------------------- */

static void table_spread(result_table *t, sgdsched_spread x)
{
    table_number(t, x.mean);
    table_number(t, x.median);
    table_number(t, x.p95);
    table_number(t, x.most);
}

/* Jobs, how long they waited, the mean response. */
#define STAYS {"jobs", 0}, {"mean_wait_s", 0}, {"median_wait_s", 0}, {"p95_wait_s", 0}, \
              {"max_wait_s", 0}, {"mean_response_s", 0}

static void table_stays(result_table *t, const sgdsched_stay_report *s)
{
    table_integer(t, s->jobs);
    table_spread(t, s->wait_s);
    table_number(t, s->response_s.mean);
}

/* A row a policy, and one for what was observed. */
static void print_rows(output *out, const rigid *r)
{
    static const table_column columns[] = {
        {"policy", 0}, STAYS, {"bounded_slowdown", 4}, {"utilization", 4}, {"backfilled", 0}
    };
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t i;
    for (i = 0; i < rows_of(r); i++) {
        const sgdsched_stay_report s = stays_of(r, i);
        const rigid_outcome *o = i < r->policies ? &r->outcome[i] : NULL;
        table_text(t, policy_of(r, i));
        table_stays(t, &s);
        table_number(t, s.bounded_slowdown.mean);
        table_number(t, o ? o->report.utilization : (double)NAN);
        if (o && !o->changes) table_integer(t, o->report.backfilled);
        else table_empty(t);
    }
    table_print(t, out, FORMAT_TABLE);
}

/* All that is known, in the order of the JSON. */
static void print_csv(output *out, const rigid *r)
{
    table_column columns[8 + 4 * MEASURES] = {
        {"policy", 0}, {"nodes", 0}, {"jobs", 0}, {"killed", 0}, {"backfilled", 0},
        {"most_waiting", 0}, {"utilization", 0}, {"end_s", 0}
    };
    result_table *t;
    size_t i;
    int m;
    for (m = 0; m < MEASURES; m++) {
        columns[8 + 4 * m].name = measures[m].mean;
        columns[9 + 4 * m].name = measures[m].median;
        columns[10 + 4 * m].name = measures[m].p95;
        columns[11 + 4 * m].name = measures[m].most;
    }
    t = table_new(columns, COUNT_OF(columns));
    for (i = 0; i < rows_of(r); i++) {
        const sgdsched_stay_report s = stays_of(r, i);
        const rigid_outcome *o = i < r->policies ? &r->outcome[i] : NULL;
        table_text(t, policy_of(r, i));
        table_integer(t, r->base.nodes);
        table_integer(t, s.jobs);
        for (m = 0; (!o || o->changes) && m < 3; m++) table_empty(t);
        if (o && !o->changes) {
            table_integer(t, o->report.killed);
            table_integer(t, o->report.backfilled);
            table_integer(t, o->report.most_waiting);
        }
        table_number(t, o ? o->report.utilization : (double)NAN);
        table_number(t, o ? o->report.end_s : (double)NAN);
        for (m = 0; m < MEASURES; m++) table_spread(t, measure_of(&s, m));
    }
    table_print(t, out, FORMAT_CSV);
}

static void print_widths(output *out, const rigid *r, output_format format)
{
    static const table_column columns[] = {
        {"policy", 0}, {"nodes_from", 0}, {"nodes_to", 0}, STAYS, {"slowdown", 4},
        {"bounded_slowdown", 4}
    };
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t i;
    for (i = 0; i < rows_of(r); i++) {
        uint32_t least = 0, most = 0;
        while (next_widths(r, &least, &most)) {
            const sgdsched_stay_report s = rigid_describe(r, i, least, most);
            if (s.jobs == 0) continue;
            table_text(t, policy_of(r, i));
            table_integer(t, least);
            table_integer(t, most);
            table_stays(t, &s);
            table_number(t, s.slowdown.mean);
            table_number(t, s.bounded_slowdown.mean);
        }
    }
    table_print(t, out, format);
}

static void print_completions(output *out, const rigid *r, output_format format)
{
    static const table_column columns[] = {
        {"job", 0}, {"start_s", 0}, {"completion_s", 0}, {"wait_s", 0}, {"response_s", 0},
        {"observed_wait_s", 0}, {"killed", 0}
    };
    const int kill = r->base.kill;
    result_table *t = table_new(columns, COUNT_OF(columns) - (kill ? 0 : 1));
    const sgdsched_stay *stay = r->outcome[0].stay;
    size_t i;
    for (i = 0; i < r->base.jobs; i++) {
        const double wait_s = stay[i].start_s - r->job[i].arrival_s;
        table_text(t, r->name[i]);
        table_number(t, stay[i].start_s);
        table_number(t, stay[i].start_s + stay[i].run_s);
        table_number(t, wait_s);
        table_number(t, wait_s + stay[i].run_s);
        table_number(t, r->wait_s[i] >= 0.0 ? r->wait_s[i] : (double)NAN);
        if (kill) table_integer(t, (uint64_t)stay[i].killed);
    }
    table_print(t, out, format);
}

void rigid_print(output *out, const rigid *r, const args *a)
{
    const int completions = args_given(a, "--completions"), widths = args_given(a, "--by-width");
    const output_format format = args_format(a);
    if (completions && widths && format == FORMAT_CSV)
        args_fail("--by-width", NULL, "not with --completions and csv");
    if (format == FORMAT_JSON) { print_json(out, r); return; }
    if (format == FORMAT_CSV) {
        if (completions) print_completions(out, r, format);
        else if (widths) print_widths(out, r, format);
        else print_csv(out, r);
        return;
    }
    print_rows(out, r);
    if (widths) {
        output_print(out, "\nby width\n");
        print_widths(out, r, format);
    }
    if (!completions) return;
    output_print(out, "\ncompletions\n");
    print_completions(out, r, format);
}
