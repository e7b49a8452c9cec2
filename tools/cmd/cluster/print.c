/* print.c - what sgdperf cluster prints */
#include "base/columns.h"
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
    for (size_t i = 0; i < c->trace.jobs; i++) {
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

/* ---- Parts of jobs: the time until one is done ------------------------------ */

static double of_part(const sgdsched_part_report *r, double value)
{
    return r->jobs > 0 ? value : (double)NAN;
}

/* NULL: all curves. */
static const char *curve_of(const cluster *c, size_t part)
{
    const size_t curve = c->base.part[part].curve;
    return curve == (size_t)-1 ? NULL : names_text(&c->curves.names, curve);
}

/* The columns by which a row is known: of which simulation, and which part of which jobs. */
static void row_of(columns *t, const cluster *c, const cluster_point *p, size_t part, unsigned in)
{
    columns_row(t);
    column_number(t, TABLES, "load", known_if(p->load > 0.0, p->load));
    column_text(t, TABLES, "policy", rules_policy_names[p->policy]);
    column_whole_if(t, TABLES, "chunk", p->chunk > 0, p->chunk);
    column_number(t, TABLES, "gamma", known_if(!rules_have_queues(p->policy), p->gamma));
    column_text(t, in, "curve", curve_of(c, part));
    column_number(t, in, "fraction", c->base.part[part].fraction);
}

/* Rows of the probabilities from `first` on. */
static void print_quantiles(columns *t, const cluster *c, const cluster_point *p,
                            const cluster_outcome *o, size_t part, size_t first, size_t last)
{
    const sgdsched_part_report *r = &o->part[part];
    for (size_t i = first; i < last; i++) {
        row_of(t, c, p, part, TABLES);
        column_number(t, ALL, "probability", cluster_probability(i));
        column_number(t, ALL, "time_s", of_part(r, r->quantile_s[i].value));
        column_round(t, ALL, "ci95_half_width_s", 3, of_part(r, r->quantile_s[i].half_width));
    }
}

static void print_part(columns *t, const cluster *c, const cluster_point *p,
                       const cluster_outcome *o, size_t part)
{
    const sgdsched_part_report *r = &o->part[part];
    row_of(t, c, p, part, ALL);
    column_whole(t, ALL, "jobs", r->jobs);
    column_number(t, ALL, "mean_time_s", of_part(r, r->time_s.value));
    column_round(t, ALL, "ci95_half_width_s", 3, of_part(r, r->time_s.half_width));
    column_number(t, ALL, "median_time_s", of_part(r, r->quantile_s[CLUSTER_MEDIAN].value));
    column_number(t, ALL, "p95_time_s", of_part(r, r->quantile_s[CLUSTER_P95].value));
    column_number(t, ALL, "max_time_s", of_part(r, r->most_s));
    columns own = columns_open(t->out, JSON, "quantiles");
    print_quantiles(&own, c, p, o, part, 0, CLUSTER_QUANTILES);
    columns_close(&own);
    if (!c->cdf) return;
    own = columns_open(t->out, JSON, "cdf");
    print_quantiles(&own, c, p, o, part, CLUSTER_QUANTILES, CLUSTER_PROBABILITIES);
    columns_close(&own);
}

static void print_parts(output *out, unsigned in, const cluster *c,
                        const cluster_outcome *outcome, const size_t *point, size_t points)
{
    if (c->base.parts == 0 || !(in & out->form)) return;
    columns t = columns_open(out, in, "fractions");
    for (size_t i = 0; i < points; i++)
        for (size_t k = 0; k < c->base.parts; k++)
            print_part(&t, c, &c->point[point[i]], &outcome[point[i]], k);
    columns_close(&t);
}

static void print_part_cdfs(output *out, unsigned in, const cluster *c,
                            const cluster_outcome *outcome, const size_t *point, size_t points)
{
    if (!c->cdf) return;
    output_print(out, "\ndistribution of times until a fraction of a job is done\n");
    columns t = columns_open(out, in, NULL);
    for (size_t i = 0; i < points; i++)
        for (size_t k = 0; k < c->base.parts; k++)
            print_quantiles(&t, c, &c->point[point[i]], &outcome[point[i]], k, CLUSTER_QUANTILES,
                            CLUSTER_PROBABILITIES);
    columns_close(&t);
}

/* ---- One simulation -------------------------------------------------------- */

static void print_estimates(output *out, unsigned in, const char *key, const cluster_outcome *o,
                            size_t first, size_t last)
{
    columns t = columns_open(out, in, key);
    for (size_t i = first; columns_next(&t, i < last); i++) {
        column_number(&t, ALL, "probability", cluster_probability(i));
        column_number(&t, ALL, "response_s", counted(o, o->quantile_s[i].value));
        column_round(&t, ALL, "ci95_half_width_s", 3, counted(o, o->quantile_s[i].half_width));
    }
}

static void print_fractions(output *out, unsigned in, const cluster_outcome *o)
{
    json_object(out, "mean_fraction_response_s");
    columns t = columns_open(out, in, NULL);
    for (int i = 0; columns_next(&t, i < SGDSCHED_FRACTIONS); i++) {
        char name[16];
        snprintf(name, sizeof name, "0.%d", i + 1);
        column_number(&t, SCREEN, "fraction", (i + 1) / 10.0);
        column_number(&t, SCREEN, "mean_response_s", fraction_of(o, i));
        column_number(&t, JSON, name, fraction_of(o, i));
    }
    json_end(out);
}

/* The first columns: of which simulation this is. */
static void print_which(columns *t, const cluster *c, const cluster_point *p,
                        const cluster_outcome *o)
{
    const int queues = rules_have_queues(p->policy);
    columns_row(t);
    column_text(t, JSON, "status", status_of(o));
    column_number(t, TABLES, "load", known_if(p->load > 0.0, p->load));
    column_text(t, ALL, "policy", rules_policy_names[p->policy]);
    column_whole(t, JSON, "nodes", c->base.rules.nodes);
    if (p->load > 0.0) column_number(t, JSON, "load", p->load);
    column_whole_if(t, queues ? ALL : TABLES, "chunk", p->chunk > 0, p->chunk);
    if (c->gammas > 1) column_number(t, TABLES, "gamma", known_if(!queues, p->gamma));
    if (c->gammas > 0 && !queues) column_number(t, JSON, "gamma", p->gamma);
    if (!c->given || c->base.workload.quits.count > 0)
        column_whole(t, JSON, "seed", c->base.workload.seed);
    column_text(t, TABLES, "status", status_of(o));
}

/* A row a simulation, of point i. */
static void print_point(columns *t, const cluster *c, const cluster_outcome *outcome, size_t i)
{
    const cluster_outcome *o = &outcome[i];
    const sgdsched_cluster_report *r = &o->report;
    print_which(t, c, &c->point[i], o);
    column_whole(t, ALL, "jobs", r->counts.jobs);
    column_whole(t, JSON, "cancelled", r->counts.cancelled);
    column_number(t, ALL, "mean_response_s", counted(o, r->response.mean_s.value));
    column_round(t, ALL, "ci95_half_width_s", 3, counted(o, r->response.mean_s.half_width));
    column_round(t, ALL, "utilization", 4, counted(o, r->utilization));
    column_number(t, JSON, "jobs_present", counted(o, r->jobs_present));
    column_round(t, ALL, "slowdown", 4, counted(o, r->slowdown.value));
    column_whole(t, CSV, "cancelled", r->counts.cancelled);
    column_number(t, CSV, "jobs_present", counted(o, r->jobs_present));
    column_number(t, JSON, "slowdown_ci95_half_width", counted(o, r->slowdown.half_width));
    column_number(t, JSON, "end_s", r->end_s);
    column_whole(t, JSON, "decisions", r->counts.decisions);
    if (t->in != JSON) return;
    print_fractions(t->out, JSON, o);
    print_estimates(t->out, JSON, "quantiles", o, 0, CLUSTER_QUANTILES);
    print_parts(t->out, JSON, c, outcome, &i, 1);
}

static void print_observed(output *out, const cluster *c)
{
    const observed seen = observed_of(c);
    if (seen.jobs == 0) return;
    output_print(out, "\nobserved of %lu job%s: mean wait %.5g s, mean response %.5g s\n",
                 (unsigned long)seen.jobs, seen.jobs == 1 ? "" : "s", seen.mean_wait_s,
                 seen.mean_response_s);
    json_object(out, "observed");
    json_integer(out, "jobs", seen.jobs);
    json_number(out, "mean_wait_s", seen.mean_wait_s);
    json_number(out, "mean_response_s", seen.mean_response_s);
    json_end(out);
}

static void print_completions(output *out, const cluster *c)
{
    const int quits = c->base.workload.quits.count > 0;
    output_print(out, "\ncompletions\n");
    columns t = columns_open(out, ALL, "completions");
    for (size_t i = 0; columns_next(&t, i < c->jobs); i++) {
        column_text(&t, ALL, "job", c->job[i]);
        column_number(&t, ALL, "completion_s", c->completion_s[i]);
        column_number(&t, TABLES, "response_s", c->completion_s[i] - c->arrival[i].time_s);
        const cluster_hold *h = &c->hold[i];
        const double ran_s = h->start_s < 0.0 ? 0.0 : c->completion_s[i] - h->start_s;
        if (quits) column_whole(&t, TABLES, "cancelled", c->cancelled[i]);
        column_number(&t, TABLES, "start_s", known_if(h->start_s >= 0.0, h->start_s));
        column_number(&t, TABLES, "nodes", known_if(ran_s > 0.0, h->node_s / ran_s));
        column_text(&t, CSV, "nodes_over_time", h->changes.text ? h->changes.text : "");
        if (quits) json_bool(out, "cancelled", c->cancelled[i]);
    }
}

/* ---- All ------------------------------------------------------------------- */

/* Which of the tables is the CSV. */
enum { TABLE_POINTS, TABLE_CDF, TABLE_PARTS, TABLE_PART_CDFS, TABLE_COMPLETIONS };

static unsigned screen_or(int csv, int table) { return csv == table ? TABLES : SCREEN; }

/* Of a single simulation, what stands between its row and its parts. */
static void print_responses(output *out, const cluster *c, const cluster_outcome *o)
{
    print_observed(out, c);
    output_print(out, "\nresponse times\n");
    print_estimates(out, SCREEN, NULL, o, 0, CLUSTER_QUANTILES);
    output_print(out, "\nuntil a fraction of a job is done\n");
    if (out->form == SCREEN && c->base.parts == 0) print_fractions(out, SCREEN, o);
}

int cluster_print(output *out, const cluster *c, const cluster_outcome *outcome,
                  const size_t *point, size_t points, const args *a)
{
    const int cdf = args_given(a, OPTION_CDF), completions = args_given(a, OPTION_COMPLETIONS);
    const int csv = completions ? TABLE_COMPLETIONS : c->cdf ? TABLE_PART_CDFS
                  : c->base.parts > 0 ? TABLE_PARTS : cdf ? TABLE_CDF : TABLE_POINTS;
    const cluster_outcome *o = &outcome[point[0]];
    int status = EXIT_DONE;
    json_object(out, NULL);
    columns t = columns_open(out, JSON | screen_or(csv, TABLE_POINTS), c->table ? "points" : NULL);
    for (size_t i = 0; i < points; i++) {
        print_point(&t, c, outcome, point[i]);
        if (exit_of(&outcome[point[i]]) != EXIT_DONE) status = EXIT_NOT_REACHED;
    }
    columns_close(&t);
    if (!c->table) print_responses(out, c, o);
    else if (c->base.parts > 0) output_print(out, "\nuntil a fraction of a job is done\n");
    print_parts(out, screen_or(csv, TABLE_PARTS), c, outcome, point, points);
    if (cdf && !c->table) {
        output_print(out, "\ndistribution of response times\n");
        print_estimates(out, JSON | screen_or(csv, TABLE_CDF), "cdf", o, CLUSTER_QUANTILES,
                        CLUSTER_PROBABILITIES);
    }
    print_part_cdfs(out, screen_or(csv, TABLE_PART_CDFS), c, outcome, point, points);
    if (completions || (c->given && !c->table && out->form == JSON)) print_completions(out, c);
    json_end(out);
    return status;
}

/* ---- Curves ---------------------------------------------------------------- */

void cluster_print_curves(output *out, const curve_set *set)
{
    json_object(out, NULL);
    json_array(out, "curves");
    columns t = columns_open(out, TABLES, NULL);
    for (size_t i = 0; i < set->names.count; i++) {
        json_object(out, NULL);
        json_string(out, "curve", names_text(&set->names, i));
        json_numbers(out, "throughput", set->value[i], set->nodes[i]);
        json_end(out);
        for (uint32_t w = 0; w < set->nodes[i]; w++) {
            columns_row(&t);
            column_text(&t, ALL, "curve", names_text(&set->names, i));
            column_whole(&t, ALL, "nodes", (uint64_t)w + 1);
            column_number(&t, ALL, "throughput", set->value[i][w]);
        }
    }
    columns_close(&t);
    json_end(out);
    json_end(out);
}
