/* print.c - what predict prints, for programs: JSON and CSV */
#include "cmd/predict/predict.h"
#include "base/rows.h"
#include "files/status.h"

#include <assert.h>

/* ---- JSON ------------------------------------------------------------------ */

/* What solved the queueing network; it is left out where there was none. */
static void method_members(field_rows *rows, const sgdp_prediction *p)
{
    static const char *const words[] = {
        "none", "lattice", "polynomial", "schweitzer", "linearizer"
    };
    field method = field_word("method", &p->solution.method, sizeof *p, words, COUNT_OF(words));
    field residual = curves_number("method_residual", &p->solution.method_residual);
    assert(sizeof(sgdp_method) == sizeof(unsigned));
    method.when = residual.when = &p->solution.method;
    method.never = residual.never = SGDP_METHOD_AUTO;
    fields_member(rows, &method);
    fields_member(rows, &residual);
}

/* Which model was solved, where that may be another one. */
static void branch_member(field_rows *rows, const curve_set *c, size_t job)
{
    field branch = curves_branch(c, job);
    if (c->jobs.model != SGDP_ASYNC_SWITCH) {
        branch.when = branch.first;
        branch.never = c->jobs.model;
    }
    fields_member(rows, &branch);
}

static void add(field_rows *rows, field f) { fields_member(rows, &f); }

static void time_members(field_rows *rows, const curve_set *c, const sgdp_prediction *p)
{
    output *out = fields_output(rows);
    size_t i;
    json_object(out, "time_s");
    for (i = 0; i < c->resources; i++) {
        json_object(out, sgdp_resource_text(c->resource[i]));
        add(rows, curves_number("service", &p->time.service_s[c->resource[i]]));
        add(rows, curves_number("waiting", &p->time.waiting_s[c->resource[i]]));
        json_end(out);
    }
    add(rows, curves_number("barrier", &p->time.barrier_s));
    json_end(out);
}

/* Of a job with types, which has one point. */
static void json_types(output *out, const curve_set *c, const sgdp_job *job,
                       const sgdp_prediction *p)
{
    size_t i;
    json_array(out, "types");
    for (i = 0; i < job->workers.types; i++) {
        json_object(out, NULL);
        json_integer(out, "count", job->workers.type[i].count);
        json_number(out, "batches_per_s", p->types.batches_per_s[i]);
        if (c->jobs.mode != MODE_ASYNC)
            json_number(out, "waiting_share", p->types.waiting_share[i]);
        json_end(out);
    }
    json_end(out);
}

static void iteration_members(field_rows *rows, const curve_set *c, const sgdp_prediction *p)
{
    uint32_t *iterations = (uint32_t *)tool_alloc(c->points, sizeof *iterations);
    size_t i;
    for (i = 0; i < c->points; i++) iterations[i] = (uint32_t)p[i].solution.iterations;
    add(rows, field_whole("iterations", iterations, sizeof *iterations));
    add(rows, curves_number("residual", &p->solution.residual));
}

static void elasticity_members(field_rows *rows, const curve_set *c, size_t job)
{
    size_t k;
    json_object(fields_output(rows), "elasticity");
    for (k = 0; k < SGDP_INPUT_COUNT; k++)
        if (c->shown[k]) add(rows, curves_elasticity(c, job, (sgdp_input)k));
    json_end(fields_output(rows));
}

static void rate_members(field_rows *rows, const curve_set *c, size_t job)
{
    const sgdp_prediction *p = curves_first(c, job);
    add(rows, curves_workers(c, job));
    add(rows, curves_number("batches_per_s", &p->batches_per_s));
    add(rows, curves_examples(c, job));
    add(rows, curves_low(c, job));
    add(rows, curves_high(c, job));
    json_string(fields_output(rows), "class", c->band.name);
    if (c->spread)
        add(rows, field_number("profile_half_width", c->spread + job * c->points,
                               sizeof *c->spread));
    add(rows, curves_number("step_s", &p->step_s));
    add(rows, curves_number("speedup", &p->scaling.speedup));
    add(rows, curves_number("efficiency", &p->scaling.efficiency));
}

static field_rows *json_points(const curve_set *c, size_t job)
{
    const sgdp_prediction *p = curves_first(c, job);
    const sgdp_job *of = &c->jobs.job[job];
    field_rows *rows = fields_object();
    size_t k;
    rate_members(rows, c, job);
    json_object(fields_output(rows), "utilization");
    for (k = 0; k < c->resources; k++)
        add(rows, curves_number(sgdp_resource_text(c->resource[k]),
                                &p->utilization[c->resource[k]]));
    json_end(fields_output(rows));
    add(rows, curves_bottleneck(c, job));
    time_members(rows, c, p);
    add(rows, curves_status(c, job));
    method_members(rows, p);
    branch_member(rows, c, job);
    if (of->overlap.rule == SGDP_OVERLAP_FIXED_POINT) iteration_members(rows, c, p);
    if (of->workers.types > 0) json_types(fields_output(rows), c, of, p);
    if (c->elasticity) elasticity_members(rows, c, job);
    return rows;
}

static void json_curve(output *out, const curve_set *c, size_t job)
{
    const size_t knee = curves_knee(c, job);
    rows_json(out, "points", c->points, json_points(c, job));
    json_number(out, "saturation_workers", curves_first(c, job)->scaling.saturation_workers);
    if (knee > 0) json_integer(out, "knee", knee);
    else json_null(out, "knee");
}

void curves_print_json(output *out, const curve_set *c, sgdp_status status)
{
    size_t job;
    json_object(out, NULL);
    json_string(out, "mode", mode_words[c->jobs.mode]);
    json_string(out, "model", sgdp_model_text(c->jobs.model));
    json_bool(out, "auto", c->jobs.chosen);
    json_string(out, "status", tool_status_word(status));
    if (!c->jobs.name) {
        json_curve(out, c, 0);
    } else {
        json_array(out, "jobs");
        for (job = 0; job < c->jobs.count; job++) {
            json_object(out, NULL);
            json_string(out, "job", c->jobs.name[job]);
            json_curve(out, c, job);
            json_end(out);
        }
        json_end(out);
    }
    json_end(out);
}

/* ---- CSV ------------------------------------------------------------------- */

static void add_in(field_list *list, unsigned in, field of)
{
    if ((in & list->form) != 0) curves_add_field(list, "", of.name, "", of);
}

static void resource_fields(const curve_set *c, const sgdp_prediction *p, field_list *list)
{
    size_t i;
    for (i = 0; i < c->resources; i++) {
        const sgdp_resource r = c->resource[i];
        const char *name = sgdp_resource_text(r);
        curves_add_field(list, "utilization_", name, "", curves_number("", &p->utilization[r]));
        curves_add_field(list, "service_", name, "_s", curves_number("", &p->time.service_s[r]));
        curves_add_field(list, "waiting_", name, "_s", curves_number("", &p->time.waiting_s[r]));
    }
}

void curves_list_rates(const curve_set *c, size_t job, unsigned form, field_list *list)
{
    const sgdp_prediction *p = curves_first(c, job);
    const unsigned in_band = c->low ? TABLES : CSV;
    size_t i;
    list->count = 0;
    list->form = form;
    if (c->jobs.name) add_in(list, CSV, field_text("job", &c->jobs.name[job]));
    add_in(list, TABLES, curves_workers(c, job));
    add_in(list, TABLES, curves_number("batches_per_s", &p->batches_per_s));
    add_in(list, c->jobs.job[job].compute.batch > 0.0 ? TABLES : CSV, curves_examples(c, job));
    add_in(list, TABLES, curves_number("step_s", &p->step_s));
    add_in(list, TABLES, curves_number("speedup", &p->scaling.speedup));
    add_in(list, TABLES, curves_number("efficiency", &p->scaling.efficiency));
    add_in(list, TABLES, curves_bottleneck(c, job));
    add_in(list, c->jobs.model == SGDP_ASYNC_SWITCH ? TABLES : CSV, curves_branch(c, job));
    add_in(list, CSV, curves_number("saturation_workers", &p->scaling.saturation_workers));
    add_in(list, CSV, curves_status(c, job));
    add_in(list, CSV, curves_number("barrier_s", &p->time.barrier_s));
    if (form == CSV) resource_fields(c, p, list);
    for (i = 0; i < SGDP_INPUT_COUNT && form == CSV; i++)
        if (c->shown[i])
            curves_add_field(list, "elasticity_", curves_input_names[i], "",
                             curves_elasticity(c, job, (sgdp_input)i));
    add_in(list, in_band, curves_low(c, job));
    add_in(list, in_band, curves_high(c, job));
    add_in(list, CSV, field_text("class", &c->band.name));
}

void curves_print_csv(output *out, curve_set *c)
{
    field_list list;
    size_t job;
    for (job = 0; job < c->jobs.count; job++) {
        curves_list_rates(c, job, CSV, &list);
        if (job == 0) rows_table(out, list.field, list.count, c->points);
        else rows_more(out, list.field, list.count, c->points);
    }
}
