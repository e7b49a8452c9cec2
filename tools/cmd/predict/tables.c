/* tables.c - what predict prints, for a human */
#include "cmd/predict/predict.h"
#include "base/rows.h"

#include <float.h>

void curves_add_band(result_table *t, const curve_set *c, const sgdp_prediction *p)
{
    const double h = curves_half_width(c, p);
    if (h > 0.0) table_number(t, h < 1.0 ? p->batches_per_s * (1.0 - h) : 0.0);
    else table_empty(t);
    if (h > 0.0) table_number(t, p->batches_per_s * (1.0 + h)); else table_empty(t);
}

static const sgdp_prediction *point_of(const job_curve *of, size_t i)
{
    return &of->curves->prediction[of->job * of->curves->points + i];
}

/* rows_cells, as those that follow; ctx: job_curve */
static void rate_cells(void *ctx, size_t i, result_table *t)
{
    const job_curve *of = (const job_curve *)ctx;
    const curve_set *c = of->curves;
    const sgdp_prediction *p = point_of(of, i);
    table_integer(t, p->workers);
    table_number(t, p->batches_per_s);
    if (c->jobs.job[of->job].batch > 0.0) table_number(t, p->examples_per_s);
    table_number(t, p->step_s);
    table_number(t, p->speedup);
    table_number(t, p->efficiency);
    table_text(t, sgdp_resource_text(p->bottleneck));
    if (c->jobs.model == SGDP_ASYNC_SWITCH) table_text(t, sgdp_model_text(p->branch));
    if (c->band.half_width > 0.0) curves_add_band(t, c, p);
}

static void print_list(output *out, const column_list *list, rows_cells cells, job_curve *of)
{
    rows_table(out, list->column, list->count, of->curves->points, cells, of, FORMAT_TABLE);
}

static void print_rates(output *out, job_curve *of)
{
    const curve_set *c = of->curves;
    column_list list;
    list.count = 0;
    curves_add_column(&list, "", "workers", "");
    curves_add_column(&list, "", "batches_per_s", "");
    if (c->jobs.job[of->job].batch > 0.0) curves_add_column(&list, "", "examples_per_s", "");
    curves_add_column(&list, "", "step_s", "");
    curves_add_column(&list, "", "speedup", "");
    curves_add_column(&list, "", "efficiency", "");
    curves_add_column(&list, "", "bottleneck", "");
    if (c->jobs.model == SGDP_ASYNC_SWITCH) curves_add_column(&list, "", "branch", "");
    if (c->band.half_width > 0.0) {
        curves_add_column(&list, "", "low", "");
        curves_add_column(&list, "", "high", "");
    }
    print_list(out, &list, rate_cells, of);
}

static void resource_cells(void *ctx, size_t i, result_table *t)
{
    const job_curve *of = (const job_curve *)ctx;
    const sgdp_prediction *p = point_of(of, i);
    size_t k;
    table_integer(t, p->workers);
    for (k = 0; k < of->curves->resources; k++)
        table_number(t, p->utilization[of->curves->resource[k]]);
}

/* Columns of the resources that are printed, the same of every point. */
static void print_resources(output *out, job_curve *of)
{
    column_list list;
    size_t k;
    list.count = 0;
    curves_add_column(&list, "", "workers", "");
    for (k = 0; k < of->curves->resources; k++)
        curves_add_column(&list, "", sgdp_resource_text(of->curves->resource[k]), "");
    output_print(out, "\nutilization\n");
    print_list(out, &list, resource_cells, of);
}

/* Nobody waits for a worker, a machine, or a ring of his own: no columns for that. */
static int is_waited_for(const curve_set *c, size_t job, sgdp_resource r)
{
    if (r == SGDP_WORKER || r == SGDP_LOCAL) return 0;
    if (c->jobs.mode != MODE_ALLREDUCE) return 1;
    return r == SGDP_LINK && c->jobs.job[job].jobs > 1;
}

static int has_barrier(const job_curve *of)
{
    return of->curves->jobs.mode != MODE_ASYNC && of->curves->jobs.job[of->job].types > 1;
}

static void time_cells(void *ctx, size_t i, result_table *t)
{
    const job_curve *of = (const job_curve *)ctx;
    const sgdp_prediction *p = point_of(of, i);
    size_t k;
    table_integer(t, p->workers);
    for (k = 0; k < of->curves->resources; k++) {
        const sgdp_resource r = of->curves->resource[k];
        table_number(t, p->service_s[r]);
        if (is_waited_for(of->curves, of->job, r)) table_number(t, p->waiting_s[r]);
    }
    if (has_barrier(of)) table_number(t, p->barrier_s);
}

static void print_times(output *out, job_curve *of)
{
    column_list list;
    size_t k;
    list.count = 0;
    curves_add_column(&list, "", "workers", "");
    for (k = 0; k < of->curves->resources; k++) {
        const sgdp_resource r = of->curves->resource[k];
        curves_add_column(&list, "", sgdp_resource_text(r), "");
        if (is_waited_for(of->curves, of->job, r)) curves_add_column(&list, "", "waiting", "");
    }
    if (has_barrier(of)) curves_add_column(&list, "", "barrier", "");
    output_print(out, "\nseconds of a step: at each resource, and waiting for it\n");
    print_list(out, &list, time_cells, of);
}

static void elasticity_cells(void *ctx, size_t i, result_table *t)
{
    const job_curve *of = (const job_curve *)ctx;
    const curve_set *c = of->curves;
    const size_t at = of->job * c->points + i;
    size_t k;
    table_integer(t, c->prediction[at].workers);
    for (k = 0; k < SGDP_INPUT_COUNT; k++)
        if (c->shown[k]) table_number(t, c->elasticity[at * SGDP_INPUT_COUNT + k]);
}

static void print_elasticities(output *out, job_curve *of)
{
    column_list list;
    size_t k;
    list.count = 0;
    curves_add_column(&list, "", "workers", "");
    for (k = 0; k < SGDP_INPUT_COUNT; k++)
        if (of->curves->shown[k]) curves_add_column(&list, "", curves_input_names[k], "");
    for (k = 0; k < list.count; k++) list.column[k].digits = 3;
    output_print(out, "\nelasticity: percent of throughput for one percent more\n");
    print_list(out, &list, elasticity_cells, of);
}

static void print_types(output *out, const curve_set *c, size_t job)
{
    static const table_column columns[] = {
        {"count", 0}, {"forward_s", 0}, {"backward_s", 0}, {"batches_per_s", 0},
        {"waiting_share", 0}
    };
    const int waiting = c->jobs.mode != MODE_ASYNC;
    const sgdp_job *of = &c->jobs.job[job];
    const sgdp_prediction *p = &c->prediction[job];
    result_table *t = table_new(columns, COUNT_OF(columns) - !waiting);
    size_t i;
    for (i = 0; i < of->types; i++) {
        table_integer(t, of->type[i].count);
        table_number(t, of->type[i].forward_s);
        table_number(t, of->type[i].backward_s);
        table_number(t, p->type_batches_per_s[i]);
        if (waiting) table_number(t, p->type_waiting_share[i]);
    }
    output_print(out, "\ntypes of workers\n");
    table_print(t, out, FORMAT_TABLE);
    table_free(t);
}

static void print_curve(output *out, const curve_set *c, size_t job)
{
    const double saturation = c->prediction[job * c->points].saturation_workers;
    const size_t knee = curves_knee(c, job);
    job_curve of;
    size_t i, missed = 0;
    of.curves = c;
    of.job = job;
    if (c->jobs.name) output_print(out, "\njob %s\n", c->jobs.name[job]);
    print_rates(out, &of);
    print_resources(out, &of);
    print_times(out, &of);
    if (c->jobs.job[job].types > 0) print_types(out, c, job);
    if (c->elasticity) print_elasticities(out, &of);
    output_print(out, "\n");
    if (saturation <= DBL_MAX && c->jobs.mode != MODE_ALLREDUCE)
        output_print(out, "saturation at %.4g workers\n", saturation);
    if (knee > 0)
        output_print(out, "knee at %lu: the rest of this curve gains less than 1 %%\n",
                     (unsigned long)knee);
    for (i = 0; i < c->points; i++) missed += c->status[job * c->points + i] != SGDP_OK;
    if (missed > 0)
        output_print(out, "not converged: %lu of %lu points are best estimates\n",
                     (unsigned long)missed, (unsigned long)c->points);
}

void curves_print_tables(output *out, const curve_set *c)
{
    size_t job;
    output_print(out, "%s, model %s%s\n", mode_words[c->jobs.mode],
                 sgdp_model_text(c->jobs.model), c->jobs.chosen ? " (by auto)" : "");
    for (job = 0; job < c->jobs.count; job++) print_curve(out, c, job);
}
