/* print.c - what sgdperf validate prints */
#include "base/table.h"
#include "cmd/validate/validate.h"
#include "files/status.h"

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

/* One row of the table; model VALIDATE_MODELS for a row that nothing predicts. */
static void table_row(result_table *t, const validation *v, size_t row, size_t model,
                      output_format format)
{
    const dataset_row *r = &v->data.row[row];
    const replay *several = validate_replays(v, row, model);
    table_text(t, v->data.name[r->dataset]);
    table_text(t, r->point);
    table_text(t, mode_words[r->mode]);
    table_integer(t, r->workers);
    if (model < VALIDATE_MODELS) table_text(t, validate_model_name(model));
    else table_empty(t);
    table_number(t, r->batches_per_s);
    if (model < VALIDATE_MODELS) {
        const double x = v->predicted[row * VALIDATE_MODELS + model];
        const double error = validate_error(x, r->batches_per_s);
        table_number(t, x);
        table_number(t, format == FORMAT_CSV ? error : 100.0 * error);
    } else {
        table_empty(t);
        table_empty(t);
    }
    table_text(t, dataset_role_names[r->role]);
    table_text(t, r->curve);
    if (several) table_number(t, several->low);
    else table_empty(t);
    if (several) table_number(t, several->high);
    else table_empty(t);
}

static void print_rows(output *out, const validation *v, output_format format)
{
    const table_column columns[] = {
        {"dataset", 0}, {"point", 0}, {"mode", 0}, {"workers", 0}, {"model", 0}, {"measured", 0},
        {"predicted", 0}, {format == FORMAT_CSV ? "error" : "error_%", 3}, {"role", 0},
        {"curve", 0}, {"low", 0}, {"high", 0}
    };
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t row, m;
    for (row = 0; row < v->data.rows; row++) {
        for (m = 0; m < VALIDATE_MODELS; m++)
            if (v->predicted[row * VALIDATE_MODELS + m] > 0.0) table_row(t, v, row, m, format);
        if (!validate_is_predicted(v, row)) table_row(t, v, row, VALIDATE_MODELS, format);
    }
    table_print(t, out, format);
}

static void json_rows(output *out, const validation *v)
{
    size_t row, m;
    json_array(out, "rows");
    for (row = 0; row < v->data.rows; row++) {
        const dataset_row *r = &v->data.row[row];
        for (m = 0; m < VALIDATE_MODELS; m++) {
            const double x = v->predicted[row * VALIDATE_MODELS + m];
            const replay *const replays = validate_replays(v, row, m);
            if (!(x > 0.0)) continue;
            json_object(out, NULL);
            json_string(out, "dataset", v->data.name[r->dataset]);
            json_string(out, "point", r->point);
            json_string(out, "mode", mode_words[r->mode]);
            json_integer(out, "workers", r->workers);
            json_string(out, "model", validate_model_name(m));
            json_number(out, "measured", r->batches_per_s);
            json_number(out, "predicted", x);
            json_number(out, "error", validate_error(x, r->batches_per_s));
            json_string(out, "role", dataset_role_names[r->role]);
            json_string(out, "curve", r->curve);
            if (replays) {
                json_number(out, "low", replays->low);
                json_number(out, "high", replays->high);
            }
            json_end(out);
        }
    }
    json_end(out);
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
static void print_unpredicted(output *out, const validation *v, output_format format)
{
    size_t d;
    if (format == FORMAT_JSON) json_array(out, "not_predicted");
    for (d = 0; d < v->data.datasets; d++) {
        const dataset_row *first;
        const size_t count = validate_unpredicted(v, d, &first);
        if (!first) continue;
        if (format == FORMAT_JSON) {
            json_object(out, NULL);
            json_string(out, "dataset", v->data.name[d]);
            json_integer(out, "rows", count);
            json_string(out, "file", first->file->name);
            json_integer(out, "line", csv_line(first->file, first->row));
            json_string(out, "column", first->lacks ? first->lacks : first->foreign);
            json_end(out);
        } else {
            output_print(out, "\nnot predicted: %lu row%s of %s; %s:%lu: %s\n",
                         (unsigned long)count, count == 1 ? "" : "s", v->data.name[d],
                         first->file->name, (unsigned long)csv_line(first->file, first->row),
                         validate_why(first));
        }
    }
    if (format == FORMAT_JSON) json_end(out);
}

static const char *dataset_of_group(const validation *v, size_t group)
{
    const size_t row = v->of_group.row[v->of_group.start[group]];
    return v->data.name[v->data.row[row].dataset];
}

static void print_json(output *out, const validation *v, int with_rows)
{
    size_t i;
    json_object(out, NULL);
    json_string(out, "status", tool_status_word(v->status));
    json_array(out, "results");
    for (i = 0; i < v->results; i++) {
        const validate_result *r = &v->result[i];
        json_object(out, NULL);
        json_string(out, "dataset", v->data.name[r->dataset]);
        json_string(out, "model", validate_model_name(r->model));
        json_integer(out, "rows", r->errors.rows);
        json_number(out, "mean_error", r->errors.mean);
        json_number(out, "median_error", r->errors.median);
        json_number(out, "p95_error", r->errors.p95);
        json_number(out, "max_error", r->errors.max);
        json_number(out, "bias", r->errors.bias);
        if (r->bounded) json_number(out, "bound_mean", r->bound_mean);
        else json_null(out, "bound_mean");
        if (r->bounded) json_number(out, "bound_max", r->bound_max);
        else json_null(out, "bound_max");
        json_bool(out, "ok", r->ok);
        json_bool(out, "default", validate_is_default(v, r));
        json_end(out);
    }
    json_end(out);
    json_array(out, "fitted");
    for (i = 0; i < v->fitted_count; i++) {
        const fitted_value *f = &v->fitted[i];
        json_object(out, NULL);
        json_string(out, "dataset", dataset_of_group(v, f->group));
        json_string(out, "group", v->data.group[f->group].name);
        json_string(out, "model", validate_model_name(f->model));
        json_string(out, "quantity", dataset_fit_names[v->data.group[f->group].fit]);
        json_number(out, "value", f->value);
        json_end(out);
    }
    json_end(out);
    print_unpredicted(out, v, FORMAT_JSON);
    validate_json_pooled(out, v);
    if (with_rows) json_rows(out, v);
    json_end(out);
}

static void print_csv(output *out, const validation *v)
{
    static const table_column columns[] = {
        {"dataset", 0}, {"model", 0}, {"rows", 0}, {"mean_error", 0}, {"median_error", 0},
        {"p95_error", 0}, {"max_error", 0}, {"bias", 0}, {"bound_mean", 0}, {"bound_max", 0},
        {"ok", 0}
    };
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t i;
    for (i = 0; i < v->results; i++) {
        const validate_result *r = &v->result[i];
        table_text(t, v->data.name[r->dataset]);
        table_text(t, validate_model_name(r->model));
        table_integer(t, r->errors.rows);
        table_number(t, r->errors.mean);
        table_number(t, r->errors.median);
        table_number(t, r->errors.p95);
        table_number(t, r->errors.max);
        table_number(t, r->errors.bias);
        if (r->bounded) table_number(t, r->bound_mean);
        else table_empty(t);
        if (r->bounded) table_number(t, r->bound_max);
        else table_empty(t);
        table_text(t, r->ok ? "true" : "false");
    }
    table_print(t, out, FORMAT_CSV);
}

/* Fitted values, one line for the groups of a dataset. */
static void print_fitted(output *out, const validation *v)
{
    static const char *const units[FIT_COUNT] = {
        "", "server, s", "bandwidth, B/s", "latency, s", "threshold"
    };
    static const table_column columns[] = {
        {"dataset", 0}, {"model", 0}, {"fitted", 0}, {"groups", 0}, {"smallest", 4},
        {"median", 4}, {"largest", 4}
    };
    result_table *t = table_new(columns, COUNT_OF(columns));
    double *value = (double *)tool_alloc(v->fitted_count, sizeof *value);
    unsigned char *printed = (unsigned char *)tool_alloc(v->fitted_count, 1);
    size_t i, j;
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
        table_text(t, dataset);
        table_text(t, validate_model_name(f->model));
        table_text(t, units[fit]);
        table_integer(t, n);
        table_number(t, value[0]);
        table_number(t, sgdfit_quantile(value, n, 0.5));
        table_number(t, value[n - 1]);
    }
    if (v->fitted_count == 0) return;
    output_print(out, "\n");
    table_print(t, out, FORMAT_TABLE);
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

static void print_human(output *out, const validation *v)
{
    static const table_column columns[] = {
        {"dataset", 0}, {"model", 0}, {"rows", 0}, {"mean", 3}, {"median", 3}, {"p95", 3},
        {"max", 3}, {"bias", 3}, {"bound_mean", 3}, {"bound_max", 3}, {"ok", 0}
    };
    const size_t bound_columns = 3;
    result_table *t =
        table_new(columns, COUNT_OF(columns) - (v->with_bounds ? 0 : bound_columns));
    size_t bounds = 0, i;
    for (i = 0; i < v->results; i++) {
        const validate_result *r = &v->result[i];
        table_text(t, v->data.name[r->dataset]);
        table_text(t, validate_model_name(r->model));
        table_integer(t, r->errors.rows);
        table_number(t, 100.0 * r->errors.mean);
        table_number(t, 100.0 * r->errors.median);
        table_number(t, 100.0 * r->errors.p95);
        table_number(t, 100.0 * r->errors.max);
        table_number(t, 100.0 * r->errors.bias);
        bounds += r->bounded != 0;
        if (!v->with_bounds) continue;
        if (r->bounded) table_number(t, 100.0 * r->bound_mean);
        else table_empty(t);
        if (r->bounded) table_number(t, 100.0 * r->bound_max);
        else table_empty(t);
        if (r->bounded) table_text(t, r->ok ? "yes" : "NO");
        else table_empty(t);
    }
    output_print(out, "relative errors of the predicted throughput, percent\n\n");
    validate_print_pooled(out, v);
    table_print(t, out, FORMAT_TABLE);
    print_fitted(out, v);
    print_inside(out, v);
    print_unpredicted(out, v, FORMAT_TABLE);
    if (v->status != SGDP_OK) output_print(out, "\na prediction has not converged\n");
    if (v->with_bounds)
        output_print(out, "\n%lu of %lu bounds exceeded\n",
                     (unsigned long)validate_count_exceeded(v), (unsigned long)bounds);
}

void validate_print(output *out, const validation *v, int with_rows, output_format format)
{
    if (format == FORMAT_JSON) {
        print_json(out, v, with_rows);
    } else if (format == FORMAT_CSV) {
        if (with_rows) print_rows(out, v, format);
        else print_csv(out, v);
    } else {
        if (with_rows) {
            print_rows(out, v, format);
            output_print(out, "\n");
        }
        print_human(out, v);
    }
}
