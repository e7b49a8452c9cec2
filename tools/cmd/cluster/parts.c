/* parts.c - sgdperf cluster: the time until a part of a job is done, its distribution */
#include "base/columns.h"
#include "cmd/cluster/cluster.h"
#include "cmd/rules.h"

#include <math.h>

/* ---- Options --------------------------------------------------------------- */

static void read_parts(cluster *c, const args *a)
{
    const double least = 1e-6;         /* of a job, far from errors of rounding      */
    double *fraction;
    const size_t fractions = args_numbers(a, OPTION_FRACTIONS, &fraction);
    const size_t classes = args_given(a, OPTION_BY_CURVE) ? c->base.curves + 1 : 1;
    sgdsched_part *part;
    size_t i, k;
    if (fractions == 0) return;
    for (i = 0; i < fractions; i++)
        if (!(fraction[i] >= least))
            args_fail(OPTION_FRACTIONS, args_text(a, OPTION_FRACTIONS, ""), "not of less than %g",
                      least);
    if (classes > CLUSTER_MOST_PARTS / fractions)
        args_fail(OPTION_FRACTIONS, NULL, "%lu of %lu curves are more than %d",
                  (unsigned long)fractions, (unsigned long)(classes - 1), CLUSTER_MOST_PARTS);
    part = (sgdsched_part *)tool_alloc(fractions * classes, sizeof *part);
    for (k = 0; k < classes; k++)
        for (i = 0; i < fractions; i++) {
            part[k * fractions + i].fraction = fraction[i];
            part[k * fractions + i].curve = k - 1;     /* all of them first           */
        }
    c->base.part = part;
    c->base.parts = fractions * classes;
    c->cdf = args_given(a, OPTION_CDF);
}

/* Each point once for each gamma, of JSQ, which has no use for it, once. */
static void read_gammas(cluster *c, const args *a)
{
    double *gamma;
    const size_t gammas = args_numbers(a, OPTION_GAMMA, &gamma);
    cluster_point *point;
    size_t n = 0, i, k;
    if (gammas == 0) return;
    if (c->points > CLUSTER_MOST_POINTS / gammas) args_fail(OPTION_GAMMA, NULL, "too many points");
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
    size_t i;
    for (i = first; i < last; i++) {
        row_of(t, c, p, part, TABLES);
        column_number(t, ALL, "probability", cluster_probability(i));
        column_number(t, ALL, "time_s", counted(r, r->quantile_s[i].value));
        column_round(t, ALL, "ci95_half_width_s", 3, counted(r, r->quantile_s[i].half_width));
    }
}

static void print_part(columns *t, const cluster *c, const cluster_point *p,
                       const cluster_outcome *o, size_t part)
{
    const sgdsched_part_report *r = &o->part[part];
    columns own;
    row_of(t, c, p, part, ALL);
    column_whole(t, ALL, "jobs", r->jobs);
    column_number(t, ALL, "mean_time_s", counted(r, r->time_s.value));
    column_round(t, ALL, "ci95_half_width_s", 3, counted(r, r->time_s.half_width));
    column_number(t, ALL, "median_time_s", counted(r, r->quantile_s[CLUSTER_MEDIAN].value));
    column_number(t, ALL, "p95_time_s", counted(r, r->quantile_s[CLUSTER_P95].value));
    column_number(t, ALL, "max_time_s", counted(r, r->most_s));
    columns_open(&own, t->out, JSON, "quantiles");
    print_quantiles(&own, c, p, o, part, 0, CLUSTER_QUANTILES);
    columns_close(&own);
    if (!c->cdf) return;
    columns_open(&own, t->out, JSON, "cdf");
    print_quantiles(&own, c, p, o, part, CLUSTER_QUANTILES, CLUSTER_PROBABILITIES);
    columns_close(&own);
}

void cluster_print_parts(output *out, unsigned in, const cluster *c,
                         const cluster_outcome *outcome, const size_t *point, size_t points)
{
    columns t;
    size_t i, k;
    if (c->base.parts == 0 || !(in & out->form)) return;
    columns_open(&t, out, in, "fractions");
    for (i = 0; i < points; i++)
        for (k = 0; k < c->base.parts; k++)
            print_part(&t, c, &c->point[point[i]], &outcome[point[i]], k);
    columns_close(&t);
}

void cluster_print_part_cdfs(output *out, unsigned in, const cluster *c,
                             const cluster_outcome *outcome, const size_t *point, size_t points)
{
    columns t;
    size_t i, k;
    if (!c->cdf) return;
    output_print(out, "\ndistribution of times until a fraction of a job is done\n");
    columns_open(&t, out, in, NULL);
    for (i = 0; i < points; i++)
        for (k = 0; k < c->base.parts; k++)
            print_quantiles(&t, c, &c->point[point[i]], &outcome[point[i]], k, CLUSTER_QUANTILES,
                            CLUSTER_PROBABILITIES);
    columns_close(&t);
}
