/* parts.c - sgdperf cluster: the time until a part of a job is done, its distribution */
#include "base/table.h"
#include "cmd/cluster/cluster.h"
#include "cmd/rules.h"

#include <math.h>

/* ---- Options --------------------------------------------------------------- */

static void read_parts(cluster *c, const args *a)
{
    static const char *const by_curve[] = {"--by-curve"};
    const double least = 1e-6;         /* of a job, far from errors of rounding      */
    double *fraction;
    const size_t fractions = args_numbers(a, "--fractions", UNIT_NONE, NUMBER_FRACTION, &fraction);
    const size_t classes = args_given(a, "--by-curve") ? c->base.curves + 1 : 1;
    sgdsched_part *part;
    size_t i, k;
    if (fractions == 0) { args_refuse(a, by_curve, 1, "needs --fractions"); return; }
    for (i = 0; i < fractions; i++)
        if (!(fraction[i] >= least))
            args_fail("--fractions", args_text(a, "--fractions", ""), "not of less than %g", least);
    if (classes > CLUSTER_MOST_PARTS / fractions)
        args_fail("--fractions", NULL, "%lu of %lu curves are more than %d",
                  (unsigned long)fractions, (unsigned long)(classes - 1), CLUSTER_MOST_PARTS);
    part = (sgdsched_part *)tool_alloc(fractions * classes, sizeof *part);
    for (k = 0; k < classes; k++)
        for (i = 0; i < fractions; i++) {
            part[k * fractions + i].fraction = fraction[i];
            part[k * fractions + i].curve = k - 1;     /* all of them first           */
        }
    c->base.part = part;
    c->base.parts = fractions * classes;
    c->cdf = args_given(a, "--cdf");
}

/* Each point once for each gamma, of JSQ, which has no use for it, once. */
static void read_gammas(cluster *c, const args *a)
{
    double *gamma;
    const size_t gammas = args_numbers(a, "--gamma", UNIT_NONE, NUMBER_NON_NEGATIVE, &gamma);
    cluster_point *point;
    size_t n = 0, i, k;
    if (gammas == 0) return;
    if (c->points > CLUSTER_MOST_POINTS / gammas) args_fail("--gamma", NULL, "too many points");
    point = (cluster_point *)tool_alloc(c->points * gammas, sizeof *point);
    for (i = 0; i < c->points; i++)
        for (k = 0; k < gammas; k++) {
            if (k > 0 && rules_have_queues(c->point[i].policy)) break;
            point[n] = c->point[i];
            if (!rules_have_queues(point[n].policy)) point[n].gamma = gamma[k];
            n++;
        }
    c->point = point;
    c->points = n;
    c->gammas = gammas;
}

void cluster_read_parts(cluster *c, const args *a)
{
    read_parts(c, a);
    read_gammas(c, a);
}

/* ---- Output ---------------------------------------------------------------- */

static double counted(const sgdsched_part_report *r, double value)
{
    return r->jobs > 0 ? value : (double)NAN;
}

/* NULL: all curves. */
static const char *curve_of(const cluster *c, size_t part)
{
    const size_t curve = c->base.part[part].curve;
    return curve == (size_t)-1 ? NULL : names_text(&c->curves.names, curve);
}

static void json_quantiles(output *out, const char *key, const sgdsched_part_report *r,
                           size_t first, size_t last)
{
    size_t i;
    json_array(out, key);
    for (i = first; i < last; i++) {
        json_object(out, NULL);
        json_number(out, "probability", cluster_probability(i));
        json_number(out, "time_s", counted(r, r->quantile_s[i].value));
        json_number(out, "ci95_half_width_s", counted(r, r->quantile_s[i].half_width));
        json_end(out);
    }
    json_end(out);
}

void cluster_json_parts(output *out, const cluster *c, const cluster_outcome *o)
{
    size_t i;
    if (c->base.parts == 0) return;
    json_array(out, "fractions");
    for (i = 0; i < c->base.parts; i++) {
        const sgdsched_part_report *r = &o->part[i];
        json_object(out, NULL);
        json_string(out, "curve", curve_of(c, i));
        json_number(out, "fraction", c->base.part[i].fraction);
        json_integer(out, "jobs", r->jobs);
        json_number(out, "mean_time_s", counted(r, r->time_s.value));
        json_number(out, "ci95_half_width_s", counted(r, r->time_s.half_width));
        json_number(out, "median_time_s", counted(r, r->quantile_s[CLUSTER_MEDIAN].value));
        json_number(out, "p95_time_s", counted(r, r->quantile_s[CLUSTER_P95].value));
        json_number(out, "max_time_s", counted(r, r->most_s));
        json_quantiles(out, "quantiles", r, 0, CLUSTER_QUANTILES);
        if (c->cdf) json_quantiles(out, "cdf", r, CLUSTER_QUANTILES, CLUSTER_PROBABILITIES);
        json_end(out);
    }
    json_end(out);
}

/* The cells by which a row is known: of which simulation, and which part of which jobs. */
static void row_of(result_table *t, const cluster *c, const cluster_point *p, size_t part)
{
    if (p->load > 0.0) table_number(t, p->load); else table_empty(t);
    table_text(t, rules_policy_names[p->policy]);
    if (p->chunk > 0) table_integer(t, p->chunk); else table_empty(t);
    if (!rules_have_queues(p->policy)) table_number(t, p->gamma); else table_empty(t);
    if (curve_of(c, part)) table_text(t, curve_of(c, part)); else table_empty(t);
    table_number(t, c->base.part[part].fraction);
}

#define ROW {"load", 0}, {"policy", 0}, {"chunk", 0}, {"gamma", 0}, {"curve", 0}, {"fraction", 0}

void cluster_print_parts(output *out, const cluster *c, const cluster_outcome *outcome,
                         const size_t *point, size_t points, output_format format)
{
    static const table_column columns[] = {
        ROW, {"jobs", 0}, {"mean_time_s", 0}, {"ci95_half_width_s", 3}, {"median_time_s", 0},
        {"p95_time_s", 0}, {"max_time_s", 0}
    };
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t i, k;
    for (i = 0; i < points; i++)
        for (k = 0; k < c->base.parts; k++) {
            const sgdsched_part_report *r = &outcome[point[i]].part[k];
            row_of(t, c, &c->point[point[i]], k);
            table_integer(t, r->jobs);
            table_number(t, counted(r, r->time_s.value));
            table_number(t, counted(r, r->time_s.half_width));
            table_number(t, counted(r, r->quantile_s[CLUSTER_MEDIAN].value));
            table_number(t, counted(r, r->quantile_s[CLUSTER_P95].value));
            table_number(t, counted(r, r->most_s));
        }
    table_print(t, out, format);
}

void cluster_print_part_cdfs(output *out, const cluster *c, const cluster_outcome *outcome,
                             const size_t *point, size_t points, output_format format)
{
    static const table_column columns[] = {
        ROW, {"probability", 0}, {"time_s", 0}, {"ci95_half_width_s", 3}
    };
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t i, k, q;
    for (i = 0; i < points; i++)
        for (k = 0; k < c->base.parts; k++)
            for (q = CLUSTER_QUANTILES; q < CLUSTER_PROBABILITIES; q++) {
                const sgdsched_part_report *r = &outcome[point[i]].part[k];
                row_of(t, c, &c->point[point[i]], k);
                table_number(t, cluster_probability(q));
                table_number(t, counted(r, r->quantile_s[q].value));
                table_number(t, counted(r, r->quantile_s[q].half_width));
            }
    table_print(t, out, format);
}
