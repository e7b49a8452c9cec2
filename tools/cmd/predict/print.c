/* print.c - what predict prints, for programs: JSON and CSV */
#include "cmd/predict/predict.h"
#include "base/rows.h"
#include "files/status.h"

#include <assert.h>
#include <stdio.h>

/* ---- JSON ------------------------------------------------------------------ */

/* What solved the queueing network. */
static const char *method_word(sgdp_method method)
{
    static const char *const words[] = {
        "none", "lattice", "polynomial", "schweitzer", "linearizer"
    };
    return (size_t)method < COUNT_OF(words) ? words[method] : "none";
}

static void json_time(output *out, const curve_set *c, const sgdp_prediction *p)
{
    size_t i;
    json_object(out, "time_s");
    for (i = 0; i < c->resources; i++) {
        json_object(out, sgdp_resource_text(c->resource[i]));
        json_number(out, "service", p->service_s[c->resource[i]]);
        json_number(out, "waiting", p->waiting_s[c->resource[i]]);
        json_end(out);
    }
    json_number(out, "barrier", p->barrier_s);
    json_end(out);
}

static void json_types(output *out, const curve_set *c, const sgdp_job *job,
                       const sgdp_prediction *p)
{
    size_t i;
    json_array(out, "types");
    for (i = 0; i < job->types; i++) {
        json_object(out, NULL);
        json_integer(out, "count", job->type[i].count);
        json_number(out, "batches_per_s", p->type_batches_per_s[i]);
        if (c->jobs.mode != MODE_ASYNC)
            json_number(out, "waiting_share", p->type_waiting_share[i]);
        json_end(out);
    }
    json_end(out);
}

static void json_band(output *out, const curve_set *c, const sgdp_prediction *p)
{
    const double h = curves_half_width(c, p);
    if (h > 0.0) json_number(out, "low", h < 1.0 ? p->batches_per_s * (1.0 - h) : 0.0);
    else json_null(out, "low");
    if (h > 0.0) json_number(out, "high", p->batches_per_s * (1.0 + h));
    else json_null(out, "high");
    json_string(out, "class", c->band.name);
    if (c->spread) json_number(out, "profile_half_width", c->spread[p - c->prediction]);
}

/* rows_element; ctx: job_curve */
static void json_point(void *ctx, size_t i, output *out)
{
    const curve_set *c = ((const job_curve *)ctx)->curves;
    const size_t job = ((const job_curve *)ctx)->job;
    const size_t at = job * c->points + i;
    const sgdp_prediction *p = &c->prediction[at];
    const sgdp_job *of = &c->jobs.job[job];
    size_t k;
    json_object(out, NULL);
    json_integer(out, "workers", p->workers);
    json_number(out, "batches_per_s", p->batches_per_s);
    if (of->batch > 0.0) json_number(out, "examples_per_s", p->examples_per_s);
    else json_null(out, "examples_per_s");
    json_band(out, c, p);
    json_number(out, "step_s", p->step_s);
    json_number(out, "speedup", p->speedup);
    json_number(out, "efficiency", p->efficiency);
    json_object(out, "utilization");
    for (k = 0; k < c->resources; k++)
        json_number(out, sgdp_resource_text(c->resource[k]), p->utilization[c->resource[k]]);
    json_end(out);
    json_string(out, "bottleneck", sgdp_resource_text(p->bottleneck));
    json_time(out, c, p);
    json_string(out, "status", tool_status_word(c->status[at]));
    if (p->method != SGDP_METHOD_AUTO) {
        json_string(out, "method", method_word(p->method));
        json_number(out, "method_residual", p->method_residual);
    }
    if (c->jobs.model == SGDP_ASYNC_SWITCH || p->branch != c->jobs.model)
        json_string(out, "branch", sgdp_model_text(p->branch));
    if (of->overlap == SGDP_OVERLAP_FIXED_POINT) {
        json_integer(out, "iterations", p->iterations);
        json_number(out, "residual", p->residual);
    }
    if (of->types > 0) json_types(out, c, of, p);
    if (c->elasticity) {
        json_object(out, "elasticity");
        for (k = 0; k < SGDP_INPUT_COUNT; k++)
            if (c->shown[k])
                json_number(out, curves_input_names[k], c->elasticity[at * SGDP_INPUT_COUNT + k]);
        json_end(out);
    }
    json_end(out);
}

static void json_curve(output *out, const curve_set *c, size_t job)
{
    const size_t knee = curves_knee(c, job);
    job_curve curve;
    curve.curves = c;
    curve.job = job;
    rows_json(out, "points", c->points, json_point, &curve);
    json_number(out, "saturation_workers", c->prediction[job * c->points].saturation_workers);
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

void curves_add_column(column_list *list, const char *before, const char *name,
                       const char *after)
{
    char *text = list->name[list->count];
    const int length = snprintf(text, COLUMN_NAME, "%s%s%s", before, name, after);
    assert(length > 0 && length < COLUMN_NAME);
    (void)length;
    list->column[list->count].name = text;
    list->column[list->count].digits = 0;
    list->count++;
}

static void csv_columns(const curve_set *c, column_list *list)
{
    static const char *const plain[] = {
        "workers", "batches_per_s", "examples_per_s", "step_s", "speedup", "efficiency",
        "bottleneck", "branch", "saturation_workers", "status", "barrier_s"
    };
    size_t i;
    list->count = 0;
    if (c->jobs.name) curves_add_column(list, "", "job", "");
    for (i = 0; i < COUNT_OF(plain); i++) curves_add_column(list, "", plain[i], "");
    for (i = 0; i < c->resources; i++) {
        const char *name = sgdp_resource_text(c->resource[i]);
        curves_add_column(list, "utilization_", name, "");
        curves_add_column(list, "service_", name, "_s");
        curves_add_column(list, "waiting_", name, "_s");
    }
    for (i = 0; i < SGDP_INPUT_COUNT; i++)
        if (c->shown[i])
            curves_add_column(list, "elasticity_", curves_input_names[i], "");
    curves_add_column(list, "", "low", "");
    curves_add_column(list, "", "high", "");
    curves_add_column(list, "", "class", "");
}

/* rows_cells */
static void csv_point(void *ctx, size_t at, result_table *t)
{
    const curve_set *c = (const curve_set *)ctx;
    const sgdp_prediction *p = &c->prediction[at];
    size_t i;
    if (c->jobs.name) table_text(t, c->jobs.name[at / c->points]);
    table_integer(t, p->workers);
    table_number(t, p->batches_per_s);
    if (c->jobs.job[at / c->points].batch > 0.0) table_number(t, p->examples_per_s);
    else table_empty(t);
    table_number(t, p->step_s);
    table_number(t, p->speedup);
    table_number(t, p->efficiency);
    table_text(t, sgdp_resource_text(p->bottleneck));
    table_text(t, sgdp_model_text(p->branch));
    table_number(t, p->saturation_workers);
    table_text(t, tool_status_word(c->status[at]));
    table_number(t, p->barrier_s);
    for (i = 0; i < c->resources; i++) {
        table_number(t, p->utilization[c->resource[i]]);
        table_number(t, p->service_s[c->resource[i]]);
        table_number(t, p->waiting_s[c->resource[i]]);
    }
    for (i = 0; i < SGDP_INPUT_COUNT; i++)
        if (c->shown[i]) table_number(t, c->elasticity[at * SGDP_INPUT_COUNT + i]);
    curves_add_band(t, c, p);
    table_text(t, c->band.name);
}

void curves_print_csv(output *out, curve_set *c)
{
    column_list list;
    csv_columns(c, &list);
    rows_table(out, list.column, list.count, c->jobs.count * c->points, csv_point, c, FORMAT_CSV);
}
