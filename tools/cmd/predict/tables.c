/* tables.c - what predict prints, for a human */
#include "base/rows.h"
#include "cmd/predict/predict.h"

#include <float.h>

static void add(field_list *list, const char *name, field values)
{
    curves_add_field(list, "", name, "", values);
}

static void print_list(output *out, const curve_set *c, const field_list *list)
{
    rows_table(out, list->field, list->count, c->points);
}

static void print_rates(output *out, const curve_set *c, size_t job)
{
    field_list list;
    curves_list_rates(c, job, SCREEN, &list);
    print_list(out, c, &list);
}

/* Columns of the resources that are printed, the same of every point. */
static void print_resources(output *out, const curve_set *c, size_t job)
{
    const sgdp_prediction *p = curves_first(c, job);
    field_list list;
    size_t k;
    list.count = 0;
    add(&list, "workers", curves_workers(c, job));
    for (k = 0; k < c->resources; k++)
        add(&list, sgdp_resource_text(c->resource[k]),
            curves_number("", &p->utilization[c->resource[k]]));
    output_print(out, "\nutilization\n");
    print_list(out, c, &list);
}

/* Nobody waits for a worker, a machine, or a ring of his own: no columns for that. */
static int is_waited_for(const curve_set *c, size_t job, sgdp_resource r)
{
    if (r == SGDP_WORKER || r == SGDP_LOCAL) return 0;
    if (c->jobs.mode != MODE_ALLREDUCE) return 1;
    return r == SGDP_LINK && c->jobs.job[job].collective.jobs > 1;
}

static int is_overlapped(const sgdp_job *job)
{
    return job->overlap.rule != SGDP_OVERLAP_NONE || job->overlap.exponent > 1.0;
}

static void print_times(output *out, const curve_set *c, size_t job)
{
    const sgdp_prediction *p = curves_first(c, job);
    field_list list;
    size_t k;
    list.count = 0;
    add(&list, "workers", curves_workers(c, job));
    for (k = 0; k < c->resources; k++) {
        const sgdp_resource r = c->resource[k];
        add(&list, sgdp_resource_text(r), curves_number("", &p->time.service_s[r]));
        if (is_waited_for(c, job, r))
            add(&list, "waiting", curves_number("", &p->time.waiting_s[r]));
    }
    if (c->jobs.mode != MODE_ASYNC && c->jobs.job[job].workers.types > 1)
        add(&list, "barrier", curves_number("", &p->time.barrier_s));
    output_print(out, "\nseconds of a step: at each resource, and waiting for it%s\n",
                 is_overlapped(&c->jobs.job[job])
                     ? "; of computing, what transfers leave" : "");
    print_list(out, c, &list);
}

static void print_elasticities(output *out, const curve_set *c, size_t job)
{
    field_list list;
    size_t k;
    list.count = 0;
    add(&list, "workers", curves_workers(c, job));
    for (k = 0; k < SGDP_INPUT_COUNT; k++)
        if (c->shown[k])
            add(&list, curves_input_names[k], curves_elasticity(c, job, (sgdp_input)k));
    for (k = 0; k < list.count; k++) list.field[k].digits = 3;
    output_print(out, "\nelasticity: percent of throughput for one percent more\n");
    print_list(out, c, &list);
}

static void print_types(output *out, const curve_set *c, size_t job)
{
    const sgdp_job *of = &c->jobs.job[job];
    const sgdp_prediction *p = &c->prediction[job];
    columns t;
    size_t i;
    output_print(out, "\ntypes of workers\n");
    columns_open(&t, out, SCREEN, NULL);
    for (i = 0; i < of->workers.types; i++) {
        columns_row(&t);
        column_whole(&t, ALL, "count", of->workers.type[i].count);
        column_number(&t, ALL, "forward_s", of->workers.type[i].forward_s);
        column_number(&t, ALL, "backward_s", of->workers.type[i].backward_s);
        column_number(&t, ALL, "batches_per_s", p->types.batches_per_s[i]);
        if (c->jobs.mode != MODE_ASYNC)
            column_number(&t, ALL, "waiting_share", p->types.waiting_share[i]);
    }
    columns_close(&t);
}

static void print_curve(output *out, const curve_set *c, size_t job)
{
    const double saturation = curves_first(c, job)->scaling.saturation_workers;
    const size_t knee = curves_knee(c, job);
    size_t i, missed = 0;
    if (c->jobs.name) output_print(out, "\njob %s\n", c->jobs.name[job]);
    print_rates(out, c, job);
    print_resources(out, c, job);
    print_times(out, c, job);
    if (c->jobs.job[job].workers.types > 0) print_types(out, c, job);
    if (c->elasticity) print_elasticities(out, c, job);
    output_print(out, "\n");
    if (saturation <= DBL_MAX && c->jobs.mode != MODE_ALLREDUCE)
        output_print(out, "saturation at %.4g workers\n", saturation);
    if (knee > 0)
        output_print(out, "knee at %lu: the rest of this curve gains less than 1 %%\n",
                     (unsigned long)knee);
    for (i = 0; i < c->points; i++) missed += c->status[job * c->points + i] != SGDP_OK;
    if (missed > 0)
        output_print(out, "not converged: %lu of %lu points %s\n", (unsigned long)missed,
                     (unsigned long)c->points,
                     missed == 1 ? "is a best estimate" : "are best estimates");
}

void curves_print_tables(output *out, const curve_set *c)
{
    size_t job;
    output_print(out, "%s, model %s%s\n", mode_words[c->jobs.mode],
                 sgdp_model_text(c->jobs.model), c->jobs.chosen ? " (by auto)" : "");
    for (job = 0; job < c->jobs.count; job++) print_curve(out, c, job);
}
