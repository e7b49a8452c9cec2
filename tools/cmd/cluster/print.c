/* print.c - what sgdperf cluster prints */
#include "base/table.h"
#include "cmd/cluster/cluster.h"
#include "cmd/rules.h"

#include <math.h>
#include <stdio.h>

/* ---- Words ----------------------------------------------------------------- */

static const char *status_of(const cluster_outcome *o)
{
    switch (o->report.outcome) {
    case SGDSCHED_DONE:      return "done";
    case SGDSCHED_CONVERGED: return "converged";
    case SGDSCHED_LIMIT:     return "not_converged";
    case SGDSCHED_UNSTABLE:  return "unstable";
    }
    return "?";
}

static int exit_of(const cluster_outcome *o)
{
    return o->report.outcome == SGDSCHED_LIMIT || o->report.outcome == SGDSCHED_UNSTABLE
         ? EXIT_NOT_REACHED : EXIT_DONE;
}

/* Not a number where no job was counted, which prints as nothing. */
static double counted(const cluster_outcome *o, double value)
{
    return o->report.counts.jobs > 0 ? value : (double)NAN;
}

/* Mean time until i + 1 tenths of a job are done; 0 in the report: nobody came so far. */
static double fraction_of(const cluster_outcome *o, int i)
{
    return o->report.fraction_s[i] > 0.0 ? counted(o, o->report.fraction_s[i]) : (double)NAN;
}

/* What the jobs of a trace waited and took, as recorded of `jobs` of them. */
typedef struct observed { size_t jobs; double mean_wait_s, mean_response_s; } observed;

static observed observed_of(const cluster *c)
{
    observed o = {0, 0.0, 0.0};
    size_t i;
    for (i = 0; i < c->trace.jobs; i++) {
        const jobtrace_job *job = &c->trace.job[i];
        if (job->wait_s < 0.0) continue;
        o.jobs++;
        o.mean_wait_s += job->wait_s;
        o.mean_response_s += job->wait_s + job->run_s;
    }
    if (o.jobs == 0) return o;
    o.mean_wait_s /= (double)o.jobs;
    o.mean_response_s /= (double)o.jobs;
    return o;
}

/* ---- One simulation: JSON -------------------------------------------------- */

static void json_estimates(output *out, const char *key, const cluster_outcome *o,
                           size_t first, size_t last)
{
    size_t i;
    json_array(out, key);
    for (i = first; i < last; i++) {
        json_object(out, NULL);
        json_number(out, "probability", cluster_probability(i));
        json_number(out, "response_s", counted(o, o->quantile_s[i].value));
        json_number(out, "ci95_half_width_s", counted(o, o->quantile_s[i].half_width));
        json_end(out);
    }
    json_end(out);
}

static void json_point(output *out, const cluster *c, const cluster_point *p,
                       const cluster_outcome *o)
{
    const sgdsched_cluster_report *r = &o->report;
    char fraction[16];
    int i;
    json_string(out, "status", status_of(o));
    json_string(out, "policy", rules_policy_names[p->policy]);
    json_integer(out, "nodes", c->base.rules.nodes);
    if (p->load > 0.0) json_number(out, "load", p->load);
    if (rules_have_queues(p->policy)) json_integer(out, "chunk", p->chunk);
    else if (c->gammas > 0) json_number(out, "gamma", p->gamma);
    if (!c->given || c->base.workload.quits.count > 0)
        json_integer(out, "seed", c->base.workload.seed);
    json_integer(out, "jobs", r->counts.jobs);
    json_integer(out, "cancelled", r->counts.cancelled);
    json_number(out, "mean_response_s", counted(o, r->response.mean_s.value));
    json_number(out, "ci95_half_width_s", counted(o, r->response.mean_s.half_width));
    json_number(out, "utilization", counted(o, r->utilization));
    json_number(out, "jobs_present", counted(o, r->jobs_present));
    json_number(out, "slowdown", counted(o, r->slowdown.value));
    json_number(out, "slowdown_ci95_half_width", counted(o, r->slowdown.half_width));
    json_number(out, "end_s", r->end_s);
    json_integer(out, "decisions", r->counts.decisions);
    json_object(out, "mean_fraction_response_s");
    for (i = 0; i < SGDSCHED_FRACTIONS; i++) {
        snprintf(fraction, sizeof fraction, "0.%d", i + 1);
        json_number(out, fraction, fraction_of(o, i));
    }
    json_end(out);
    json_estimates(out, "quantiles", o, 0, CLUSTER_QUANTILES);
    cluster_json_parts(out, c, o);
}

static void json_observed(output *out, const cluster *c)
{
    const observed seen = observed_of(c);
    if (seen.jobs == 0) return;
    json_object(out, "observed");
    json_integer(out, "jobs", seen.jobs);
    json_number(out, "mean_wait_s", seen.mean_wait_s);
    json_number(out, "mean_response_s", seen.mean_response_s);
    json_end(out);
}

static void print_json(output *out, const cluster *c, const cluster_point *p,
                       const cluster_outcome *o, int cdf)
{
    size_t i;
    json_object(out, NULL);
    json_point(out, c, p, o);
    json_observed(out, c);
    if (cdf) json_estimates(out, "cdf", o, CLUSTER_QUANTILES, CLUSTER_PROBABILITIES);
    if (c->given) {
        json_array(out, "completions");
        for (i = 0; i < c->jobs; i++) {
            json_object(out, NULL);
            json_string(out, "job", c->job[i]);
            json_number(out, "completion_s", c->completion_s[i]);
            if (c->base.workload.quits.count > 0) json_bool(out, "cancelled", c->cancelled[i]);
            json_end(out);
        }
        json_end(out);
    }
    json_end(out);
}

/* ---- One simulation: tables ------------------------------------------------ */

static void print_estimates(output *out, const cluster_outcome *o, size_t first, size_t last,
                            output_format format)
{
    static const table_column columns[] = {
        {"probability", 0}, {"response_s", 0}, {"ci95_half_width_s", 3}
    };
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t i;
    for (i = first; i < last; i++) {
        table_number(t, cluster_probability(i));
        table_number(t, counted(o, o->quantile_s[i].value));
        table_number(t, counted(o, o->quantile_s[i].half_width));
    }
    table_print(t, out, format);
}

static void print_completions(output *out, const cluster *c, output_format format)
{
    static const table_column columns[] = {
        {"job", 0}, {"completion_s", 0}, {"response_s", 0}, {"cancelled", 0}
    };
    const int quits = c->base.workload.quits.count > 0;
    result_table *t = table_new(columns, COUNT_OF(columns) - (quits ? 0 : 1));
    size_t i;
    for (i = 0; i < c->jobs; i++) {
        table_text(t, c->job[i]);
        table_number(t, c->completion_s[i]);
        table_number(t, c->completion_s[i] - c->arrival[i].time_s);
        if (quits) table_integer(t, c->cancelled[i]);
    }
    table_print(t, out, format);
}

static void print_fractions(output *out, const cluster_outcome *o)
{
    static const table_column columns[] = {{"fraction", 0}, {"mean_response_s", 0}};
    result_table *t = table_new(columns, COUNT_OF(columns));
    int i;
    for (i = 0; i < SGDSCHED_FRACTIONS; i++) {
        table_number(t, (i + 1) / 10.0);
        table_number(t, fraction_of(o, i));
    }
    table_print(t, out, FORMAT_TABLE);
}

/* A row for each simulation; best[count] are indices into outcome and c->point. */
static void print_points(output *out, const cluster *c, const cluster_outcome *outcome,
                         const size_t *best, size_t count, output_format format)
{
    static const table_column columns[] = {
        {"load", 0}, {"policy", 0}, {"chunk", 0}, {"gamma", 0}, {"status", 0}, {"jobs", 0},
        {"mean_response_s", 0}, {"ci95_half_width_s", 3}, {"utilization", 4}, {"slowdown", 4},
        {"cancelled", 0}, {"jobs_present", 0}
    };
    const size_t skipped = c->gammas > 1 ? COUNT_OF(columns) : 3;  /* one gamma: no column */
    const size_t all = COUNT_OF(columns) - (format == FORMAT_CSV ? 0 : 2);
    table_column shown[COUNT_OF(columns)];
    result_table *t;
    size_t i, n = 0;
    for (i = 0; i < all; i++)
        if (i != skipped) shown[n++] = columns[i];
    t = table_new(shown, n);
    for (i = 0; i < count; i++) {
        const cluster_point *p = &c->point[best[i]];
        const cluster_outcome *o = &outcome[best[i]];
        if (p->load > 0.0) table_number(t, p->load); else table_empty(t);
        table_text(t, rules_policy_names[p->policy]);
        if (p->chunk > 0) table_integer(t, p->chunk); else table_empty(t);
        if (c->gammas > 1 && rules_have_queues(p->policy)) table_empty(t);
        else if (c->gammas > 1) table_number(t, p->gamma);
        table_text(t, status_of(o));
        table_integer(t, o->report.counts.jobs);
        table_number(t, counted(o, o->report.response.mean_s.value));
        table_number(t, counted(o, o->report.response.mean_s.half_width));
        table_number(t, counted(o, o->report.utilization));
        table_number(t, counted(o, o->report.slowdown.value));
        if (format != FORMAT_CSV) continue;
        table_integer(t, o->report.counts.cancelled);
        table_number(t, counted(o, o->report.jobs_present));
    }
    table_print(t, out, format);
}

static void print_human(output *out, const cluster *c, const cluster_outcome *outcome,
                        size_t best, int cdf, int completions)
{
    const cluster_outcome *o = &outcome[best];
    const observed seen = observed_of(c);
    print_points(out, c, outcome, &best, 1, FORMAT_TABLE);
    if (seen.jobs > 0)
        output_print(out, "\nobserved of %lu job%s: mean wait %.5g s, mean response %.5g s\n",
                     (unsigned long)seen.jobs, seen.jobs == 1 ? "" : "s",
                     seen.mean_wait_s, seen.mean_response_s);
    output_print(out, "\nresponse times\n");
    print_estimates(out, o, 0, CLUSTER_QUANTILES, FORMAT_TABLE);
    output_print(out, "\nuntil a fraction of a job is done\n");
    if (c->base.parts > 0) cluster_print_parts(out, c, outcome, &best, 1, FORMAT_TABLE);
    else print_fractions(out, o);
    if (cdf) {
        output_print(out, "\ndistribution of response times\n");
        print_estimates(out, o, CLUSTER_QUANTILES, CLUSTER_PROBABILITIES, FORMAT_TABLE);
    }
    if (c->cdf) {
        output_print(out, "\ndistribution of times until a fraction of a job is done\n");
        cluster_print_part_cdfs(out, c, outcome, &best, 1, FORMAT_TABLE);
    }
    if (!completions) return;
    output_print(out, "\ncompletions\n");
    print_completions(out, c, FORMAT_TABLE);
}

int cluster_print_one(output *out, const cluster *c, const cluster_outcome *outcome, size_t best,
                      const args *a)
{
    const int cdf = args_given(a, "--cdf"), completions = args_given(a, "--completions");
    const output_format format = args_format(a);
    if (format == FORMAT_JSON) print_json(out, c, &c->point[best], &outcome[best], cdf);
    else if (format == FORMAT_TABLE) print_human(out, c, outcome, best, cdf, completions);
    else if (completions) print_completions(out, c, format);
    else if (c->cdf) cluster_print_part_cdfs(out, c, outcome, &best, 1, format);
    else if (c->base.parts > 0) cluster_print_parts(out, c, outcome, &best, 1, format);
    else if (cdf)
        print_estimates(out, &outcome[best], CLUSTER_QUANTILES, CLUSTER_PROBABILITIES, format);
    else print_points(out, c, outcome, &best, 1, format);
    return exit_of(&outcome[best]);
}

/* ---- All points ------------------------------------------------------------ */

/* As a table, or one as CSV. */
static void print_table(output *out, const cluster *c, const cluster_outcome *outcome,
                        const size_t *best, size_t count, output_format format)
{
    const int csv = format == FORMAT_CSV;
    if (!csv || c->base.parts == 0) print_points(out, c, outcome, best, count, format);
    if (c->base.parts == 0) return;
    if (!csv) output_print(out, "\nuntil a fraction of a job is done\n");
    if (!csv || !c->cdf) cluster_print_parts(out, c, outcome, best, count, format);
    if (!c->cdf) return;
    if (!csv) output_print(out, "\ndistribution of times until a fraction of a job is done\n");
    cluster_print_part_cdfs(out, c, outcome, best, count, format);
}

int cluster_print_all(output *out, const cluster *c, const cluster_outcome *outcome,
                      const args *a)
{
    const output_format format = args_format(a);
    size_t *best = (size_t *)tool_alloc(c->points, sizeof *best), count = 0, i = 0;
    int status = EXIT_DONE;
    while (i < c->points) {
        const size_t chunks = cluster_chunks(c, i);
        best[count] = cluster_best(outcome, i, chunks);
        if (exit_of(&outcome[best[count]]) != EXIT_DONE) status = EXIT_NOT_REACHED;
        count++;
        i += chunks;
    }
    if (format != FORMAT_JSON) {
        print_table(out, c, outcome, best, count, format);
        return status;
    }
    json_object(out, NULL);
    json_array(out, "points");
    for (i = 0; i < count; i++) {
        json_object(out, NULL);
        json_point(out, c, &c->point[best[i]], &outcome[best[i]]);
        json_end(out);
    }
    json_end(out);
    json_end(out);
    return status;
}

/* ---- Curves ---------------------------------------------------------------- */

void cluster_print_curves(output *out, const curve_set *set, output_format format)
{
    static const table_column columns[] = {{"curve", 0}, {"nodes", 0}, {"throughput", 0}};
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t i;
    uint32_t w;
    if (format == FORMAT_JSON) {
        json_object(out, NULL);
        json_array(out, "curves");
    }
    for (i = 0; i < set->names.count; i++) {
        if (format == FORMAT_JSON) {
            json_object(out, NULL);
            json_string(out, "curve", names_text(&set->names, i));
            json_numbers(out, "throughput", set->value[i], set->nodes[i]);
            json_end(out);
            continue;
        }
        for (w = 0; w < set->nodes[i]; w++) {
            table_text(t, names_text(&set->names, i));
            table_integer(t, (uint64_t)w + 1);
            table_number(t, set->value[i][w]);
        }
    }
    if (format != FORMAT_JSON) { table_print(t, out, format); return; }
    json_end(out);
    json_end(out);
}
