/* tables.c - what predict prints, for a human */
#include "cmd/predict/predict.h"

#include <float.h>

void curves_add_band(result_table *t, const curve_set *c, const sgdp_prediction *p)
{
    const double h = curves_half_width(c, p);
    if (h > 0.0) table_number(t, h < 1.0 ? p->batches_per_s * (1.0 - h) : 0.0);
    else table_empty(t);
    if (h > 0.0) table_number(t, p->batches_per_s * (1.0 + h)); else table_empty(t);
}

static void print_rates(output *out, const curve_set *c, size_t job)
{
    const int batch = c->jobs.job[job].batch > 0.0;
    const int branch = c->jobs.model == SGDP_ASYNC_SWITCH;
    column_list list;
    result_table *t;
    size_t i;
    list.count = 0;
    curves_add_column(&list, "", "workers", "");
    curves_add_column(&list, "", "batches_per_s", "");
    if (batch) curves_add_column(&list, "", "examples_per_s", "");
    curves_add_column(&list, "", "step_s", "");
    curves_add_column(&list, "", "speedup", "");
    curves_add_column(&list, "", "efficiency", "");
    curves_add_column(&list, "", "bottleneck", "");
    if (branch) curves_add_column(&list, "", "branch", "");
    if (c->band.half_width > 0.0) {
        curves_add_column(&list, "", "low", "");
        curves_add_column(&list, "", "high", "");
    }
    t = table_new(list.column, list.count);
    for (i = 0; i < c->points; i++) {
        const sgdp_prediction *p = &c->prediction[job * c->points + i];
        table_integer(t, p->workers);
        table_number(t, p->batches_per_s);
        if (batch) table_number(t, p->examples_per_s);
        table_number(t, p->step_s);
        table_number(t, p->speedup);
        table_number(t, p->efficiency);
        table_text(t, sgdp_resource_text(p->bottleneck));
        if (branch) table_text(t, sgdp_model_text(p->branch));
        if (c->band.half_width > 0.0) curves_add_band(t, c, p);
    }
    table_print(t, out, FORMAT_TABLE);
    table_free(t);
}

/* Columns of the resources that are printed, the same of every point. */
static void print_resources(output *out, const curve_set *c, size_t job)
{
    column_list list;
    result_table *t;
    size_t i, k;
    list.count = 0;
    curves_add_column(&list, "", "workers", "");
    for (k = 0; k < c->resources; k++)
        curves_add_column(&list, "", sgdp_resource_text(c->resource[k]), "");
    t = table_new(list.column, list.count);
    for (i = 0; i < c->points; i++) {
        const sgdp_prediction *p = &c->prediction[job * c->points + i];
        table_integer(t, p->workers);
        for (k = 0; k < c->resources; k++) table_number(t, p->utilization[c->resource[k]]);
    }
    output_print(out, "\nutilization\n");
    table_print(t, out, FORMAT_TABLE);
    table_free(t);
}

/* Nobody waits for a worker, a machine, or a ring of his own: no columns for that. */
static int is_waited_for(const curve_set *c, size_t job, sgdp_resource r)
{
    if (r == SGDP_WORKER || r == SGDP_LOCAL) return 0;
    if (c->jobs.mode != MODE_ALLREDUCE) return 1;
    return r == SGDP_LINK && c->jobs.job[job].jobs > 1;
}

static void print_times(output *out, const curve_set *c, size_t job)
{
    const int barrier = c->jobs.mode != MODE_ASYNC && c->jobs.job[job].types > 1;
    column_list list;
    result_table *t;
    size_t i, k;
    list.count = 0;
    curves_add_column(&list, "", "workers", "");
    for (k = 0; k < c->resources; k++) {
        const sgdp_resource r = c->resource[k];
        curves_add_column(&list, "", sgdp_resource_text(r), "");
        if (is_waited_for(c, job, r)) curves_add_column(&list, "", "waiting", "");
    }
    if (barrier) curves_add_column(&list, "", "barrier", "");
    t = table_new(list.column, list.count);
    for (i = 0; i < c->points; i++) {
        const sgdp_prediction *p = &c->prediction[job * c->points + i];
        table_integer(t, p->workers);
        for (k = 0; k < c->resources; k++) {
            const sgdp_resource r = c->resource[k];
            table_number(t, p->service_s[r]);
            if (is_waited_for(c, job, r)) table_number(t, p->waiting_s[r]);
        }
        if (barrier) table_number(t, p->barrier_s);
    }
    output_print(out, "\nseconds of a step: at each resource, and waiting for it\n");
    table_print(t, out, FORMAT_TABLE);
    table_free(t);
}

static void print_elasticities(output *out, const curve_set *c, size_t job)
{
    column_list list;
    result_table *t;
    size_t i, k;
    list.count = 0;
    curves_add_column(&list, "", "workers", "");
    for (k = 0; k < SGDP_INPUT_COUNT; k++)
        if (c->shown[k]) curves_add_column(&list, "", curves_input_names[k], "");
    for (k = 0; k < list.count; k++) list.column[k].digits = 3;
    t = table_new(list.column, list.count);
    for (i = 0; i < c->points; i++) {
        const size_t at = job * c->points + i;
        table_integer(t, c->prediction[at].workers);
        for (k = 0; k < SGDP_INPUT_COUNT; k++)
            if (c->shown[k]) table_number(t, c->elasticity[at * SGDP_INPUT_COUNT + k]);
    }
    output_print(out, "\nelasticity: percent of throughput for one percent more\n");
    table_print(t, out, FORMAT_TABLE);
    table_free(t);
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
    size_t i, missed = 0;
    if (c->jobs.name) output_print(out, "\njob %s\n", c->jobs.name[job]);
    print_rates(out, c, job);
    print_resources(out, c, job);
    print_times(out, c, job);
    if (c->jobs.job[job].types > 0) print_types(out, c, job);
    if (c->elasticity) print_elasticities(out, c, job);
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
