/* print.c - what sgdperf validate prints */
#include "base/columns.h"
#include "base/csv.h"
#include "base/numbers.h"
#include "base/output.h"
#include "base/tool.h"
#include "files/status.h"
#include "model/validation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Output: rows ------------------------------------------------------------ */

double validate_error(double predicted, double measured)
{
    return (predicted - measured) / measured;
}

const replay *validate_replays(const validation *v, size_t row, size_t model)
{
    const replay *of = v->replayed + row * REPLAY_COUNT;
    if (model < VALIDATE_REPLAYED || model >= VALIDATE_MODELS) return NULL;
    of += model - VALIDATE_REPLAYED;
    return of->runs > 1 ? of : NULL;
}

/* model VALIDATE_MODELS for a row that nothing predicts. */
static void print_row(columns *t, const validation *v, size_t row, size_t model)
{
    const dataset_row *r = &v->data.row[row];
    const replay *several = validate_replays(v, row, model);
    const int known = model < VALIDATE_MODELS;
    const double x = known ? v->predicted[row * VALIDATE_MODELS + model] : 0.0;
    const double error = validate_error(x, r->batches_per_s);
    columns_row(t);
    column_text(t, ALL, "dataset", v->data.name[r->dataset]);
    column_text(t, ALL, "point", r->point);
    column_text(t, ALL, "mode", mode_words[r->mode]);
    column_whole(t, ALL, "workers", r->workers);
    column_text(t, ALL, "model", known ? validate_model_name(model) : NULL);
    column_number(t, ALL, "measured", r->batches_per_s);
    column_number(t, ALL, "predicted", known_if(known, x));
    column_round(t, SCREEN, "error_%", 3, known_if(known, 100.0 * error));
    column_number(t, DATA, "error", known_if(known, error));
    column_text(t, ALL, "role", dataset_role_names[r->role]);
    column_text(t, ALL, "curve", r->curve);
    column_number(t, several ? ALL : TABLES, "low", several ? several->low : (double)NAN);
    column_number(t, several ? ALL : TABLES, "high", several ? several->high : (double)NAN);
}

static void print_rows(output *out, const validation *v)
{
    columns t;
    size_t row, m;
    columns_open(&t, out, ALL, "rows");
    for (row = 0; row < v->data.rows; row++) {
        for (m = 0; m < VALIDATE_MODELS; m++)
            if (v->predicted[row * VALIDATE_MODELS + m] > 0.0) print_row(&t, v, row, m);
        if (t.in != JSON && !validate_is_predicted(v, row))
            print_row(&t, v, row, VALIDATE_MODELS);
    }
    columns_close(&t);
}

/* ---- Output: results --------------------------------------------------------- */

size_t validate_unpredicted(const validation *v, size_t dataset, const dataset_row **first)
{
    size_t count = 0, i;
    *first = NULL;
    for (i = v->of_dataset.start[dataset]; i < v->of_dataset.start[dataset + 1]; i++) {
        const size_t row = v->of_dataset.row[i];
        if (!validate_is_scored(v, row) || validate_is_predicted(v, row)) continue;
        if (count++ == 0) *first = &v->data.row[row];
    }
    return count;
}

const char *validate_why(const dataset_row *r)
{
    output text = {0};
    if (r->lacks) output_print(&text, "column '%s': the cell is empty%c", r->lacks, '\0');
    else if (r->foreign) output_print(&text, "no model of %s%c", r->foreign_is, '\0');
    else return validate_reason(r);
    return text.text;
}

/* Rows to be scored that nothing predicts, by dataset, with the first one's reason. */
static void print_unpredicted(output *out, const validation *v)
{
    columns t;
    size_t d;
    columns_open(&t, out, JSON, "not_predicted");
    for (d = 0; d < v->data.datasets; d++) {
        const dataset_row *first;
        const size_t count = validate_unpredicted(v, d, &first);
        if (!first) continue;
        columns_row(&t);
        column_text(&t, ALL, "dataset", v->data.name[d]);
        column_whole(&t, ALL, "rows", count);
        column_text(&t, ALL, "file", first->file->name);
        column_whole(&t, ALL, "line", csv_line(first->file, first->row));
        column_text(&t, ALL, "column", first->lacks ? first->lacks : first->foreign);
        if (out->form == SCREEN)
            output_print(out, "\nnot predicted: %lu row%s of %s; %s:%lu: %s\n",
                         (unsigned long)count, count == 1 ? "" : "s", v->data.name[d],
                         first->file->name, (unsigned long)csv_line(first->file, first->row),
                         validate_why(first));
    }
    columns_close(&t);
}

static const char *dataset_of_group(const validation *v, size_t group)
{
    const size_t row = v->of_group.row[v->of_group.start[group]];
    return v->data.name[v->data.row[row].dataset];
}

/* How many of the results have bounds. */
static size_t print_results(output *out, const validation *v)
{
    const unsigned screen = v->with_bounds ? SCREEN : 0;
    columns t;
    size_t bounds = 0, i;
    columns_open(&t, out, ALL, "results");
    for (i = 0; i < v->results; i++) {
        const validate_result *r = &v->result[i];
        const int bounded = r->bounded != 0;
        columns_row(&t);
        column_text(&t, ALL, "dataset", v->data.name[r->dataset]);
        column_text(&t, ALL, "model", validate_model_name(r->model));
        validate_print_errors(&t, &r->errors);
        column_round(&t, screen, "bound_mean", 3, known_if(bounded, 100.0 * r->bound_mean));
        column_round(&t, screen, "bound_max", 3, known_if(bounded, 100.0 * r->bound_max));
        column_text(&t, screen, "ok", !bounded ? NULL : r->ok ? "yes" : "NO");
        column_number(&t, DATA, "bound_mean", known_if(bounded, r->bound_mean));
        column_number(&t, DATA, "bound_max", known_if(bounded, r->bound_max));
        column_text(&t, CSV, "ok", r->ok ? "true" : "false");
        json_bool(out, "ok", r->ok);
        json_bool(out, "default", validate_is_default(v, r));
        bounds += r->bounded != 0;
    }
    columns_close(&t);
    return bounds;
}

static void json_fitted(output *out, const validation *v)
{
    columns t;
    size_t i;
    columns_open(&t, out, JSON, "fitted");
    for (i = 0; i < v->fitted_count; i++) {
        const fitted_value *f = &v->fitted[i];
        columns_row(&t);
        column_text(&t, ALL, "dataset", dataset_of_group(v, f->group));
        column_text(&t, ALL, "group", v->data.group[f->group].name);
        column_text(&t, ALL, "model", validate_model_name(f->model));
        column_text(&t, ALL, "quantity", dataset_fit_names[v->data.group[f->group].fit]);
        column_number(&t, ALL, "value", f->value);
    }
    columns_close(&t);
}

/* Fitted values, one line for the groups of a dataset. */
static void print_fitted(output *out, const validation *v)
{
    static const char *const units[FIT_COUNT] = {
        "", "server, s", "bandwidth, B/s", "latency, s", "threshold"
    };
    columns t;
    double *value = (double *)tool_alloc(v->fitted_count, sizeof *value);
    unsigned char *printed = (unsigned char *)tool_alloc(v->fitted_count, 1);
    size_t i, j;
    if (v->fitted_count == 0) return;
    output_print(out, "\n");
    columns_open(&t, out, SCREEN, NULL);
    for (i = 0; i < v->fitted_count; i++) {
        const fitted_value *f = &v->fitted[i];
        const char *dataset = dataset_of_group(v, f->group);
        const dataset_fit fit = v->data.group[f->group].fit;
        size_t n = 0;
        if (printed[i]) continue;
        for (j = i; j < v->fitted_count; j++) {
            const fitted_value *other = &v->fitted[j];
            if (other->model != f->model || v->data.group[other->group].fit != fit ||
                strcmp(dataset_of_group(v, other->group), dataset) != 0)
                continue;
            value[n++] = other->value;
            printed[j] = 1;
        }
        qsort(value, n, sizeof *value, number_compare);
        columns_row(&t);
        column_text(&t, ALL, "dataset", dataset);
        column_text(&t, ALL, "model", validate_model_name(f->model));
        column_text(&t, ALL, "fitted", units[fit]);
        column_whole(&t, ALL, "groups", n);
        column_round(&t, ALL, "smallest", 4, value[0]);
        column_round(&t, ALL, "median", 4, sgdfit_quantile(value, n, 0.5));
        column_round(&t, ALL, "largest", 4, value[n - 1]);
    }
    columns_close(&t);
}

/* How often the measured value is one that replays of the measured length come to. */
static void print_inside(output *out, const validation *v)
{
    size_t d, m, i;
    for (d = 0; d < v->data.datasets; d++)
        for (m = VALIDATE_REPLAYED; m < VALIDATE_MODELS; m++) {
            size_t rows = 0, inside = 0;
            for (i = v->of_dataset.start[d]; i < v->of_dataset.start[d + 1]; i++) {
                const size_t row = v->of_dataset.row[i];
                const double x = v->data.row[row].batches_per_s;
                const replay *several = validate_replays(v, row, m);
                if (!several || !validate_is_scored(v, row)) continue;
                rows++;
                inside += x >= several->low && x <= several->high;
            }
            if (rows > 0)
                output_print(out, "\n%s, %s: measured inside the spread of %d replays in %lu of "
                             "%lu row%s\n", v->data.name[d], validate_model_name(m),
                             (int)REPLAY_RUNS, (unsigned long)inside, (unsigned long)rows,
                             rows == 1 ? "" : "s");
        }
}

void validate_print(output *out, const validation *v, int with_rows)
{
    size_t bounds;
    if (with_rows && out->form != JSON) print_rows(out, v);
    if (with_rows && out->form == CSV) return;
    if (with_rows) output_print(out, "\n");
    output_print(out, "relative errors of the predicted throughput, percent\n\n");
    if (out->form == SCREEN) validate_print_pooled(out, v);
    json_object(out, NULL);
    json_string(out, "status", tool_status_word(v->status));
    bounds = print_results(out, v);
    json_fitted(out, v);
    if (out->form == SCREEN) print_fitted(out, v);
    if (out->form == SCREEN) print_inside(out, v);
    print_unpredicted(out, v);
    if (out->form == JSON) validate_print_pooled(out, v);
    if (with_rows && out->form == JSON) print_rows(out, v);
    json_end(out);
    if (v->status != SGDP_OK) output_print(out, "\na prediction has not converged\n");
    if (v->with_bounds)
        output_print(out, "\n%lu of %lu bounds exceeded\n",
                     (unsigned long)validate_count_exceeded(v), (unsigned long)bounds);
}
