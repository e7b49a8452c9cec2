/* pooled.c - errors over all rows of an architecture, and beside them what papers print */
#include "base/table.h"
#include "cmd/validate/validate.h"
#include "files/status.h"

#include <stdio.h>
#include <string.h>

/* ---- Errors over rows of many sets ------------------------------------------- */

/* The architecture of a row, by its inputs alone: mode, several servers, machines of
 * several accelerators, unequal workers, overlap; "sync-servers-overlap" for instance. */
enum { CLASS_CHARS = 64 };

static void class_of(const dataset_row *r, char to[CLASS_CHARS])
{
    snprintf(to, CLASS_CHARS, "%s%s%s%s%s", mode_words[r->mode],
             r->mode != MODE_ALLREDUCE && r->job.servers > 1 ? "-servers" : "",
             r->job.gpus > 1 ? "-machines" : "", r->job.types > 0 ? "-types" : "",
             r->job.overlap != SGDP_OVERLAP_NONE ? "-overlap" : "");
}

/* What a model says of row i. uncorrected: as if no transfer hid behind computation. */
static double predicted_of(const validation *v, size_t i, size_t model, int uncorrected)
{
    const dataset_row *r = &v->data.row[i];
    const double x = v->predicted[i * VALIDATE_MODELS + model];
    sgdp_prediction point;
    size_t bytes = 0;
    sgdp_job job;
    if (!uncorrected || !(x > 0.0)) return x;
    if (model >= SGDP_MODEL_COUNT || r->group != DATASET_NONE) return 0.0;
    job = validate_job(r, (sgdp_model)model);
    job.overlap = SGDP_OVERLAP_NONE;
    memset(&point, 0, sizeof point);
    if (sgdp_predict_bytes(&job, (sgdp_model)model, r->workers, &bytes) != SGDP_OK ||
        sgdp_predict(&job, (sgdp_model)model, r->workers, tool_alloc(bytes, 1), bytes, &point) !=
            SGDP_OK)
        return 0.0;
    return point.batches_per_s;
}

/* The errors of a model over the scored rows of a mode, of one class unless that is NULL;
 * in *sets how many datasets they are from. */
static sgdfit_error_statistics pooled_errors(const validation *v, train_mode mode,
                                             const char *class, size_t model, int uncorrected,
                                             size_t *sets)
{
    double *predicted = (double *)tool_alloc(v->data.rows, sizeof *predicted);
    double *measured = (double *)tool_alloc(v->data.rows, sizeof *measured);
    unsigned char *seen = (unsigned char *)tool_alloc(v->data.datasets, 1);
    sgdfit_error_statistics errors;
    size_t bytes = 0, n = 0, i;
    memset(&errors, 0, sizeof errors);
    *sets = 0;
    for (i = 0; i < v->data.rows; i++) {
        const dataset_row *r = &v->data.row[i];
        const double x = r->mode == mode ? predicted_of(v, i, model, uncorrected) : 0.0;
        char own[CLASS_CHARS];
        class_of(r, own);
        if (!validate_is_scored(v, i) || !(x > 0.0)) continue;
        if (class && strcmp(class, own) != 0) continue;
        *sets += !seen[r->dataset];
        seen[r->dataset] = 1;
        predicted[n] = x;
        measured[n++] = r->batches_per_s;
    }
    if (n == 0) return errors;
    tool_check_fit(sgdfit_errors_bytes(n, &bytes), "pooled errors");
    tool_check_fit(sgdfit_errors(predicted, measured, NULL, 0, n, tool_alloc(bytes, 1), bytes,
                                 &errors), "pooled errors");
    return errors;
}

sgdfit_error_statistics validate_pooled(const validation *v, train_mode mode, size_t model,
                                        size_t *sets)
{
    return pooled_errors(v, mode, NULL, model, 0, sets);
}

/* ---- Pooled lines ------------------------------------------------------------ */

void validate_json_pooled(output *out, const validation *v)
{
    size_t mode, m, sets;
    json_array(out, "pooled");
    for (mode = 0; mode < MODE_COUNT; mode++)
        for (m = 0; m < VALIDATE_MODELS; m++) {
            const sgdfit_error_statistics e = validate_pooled(v, (train_mode)mode, m, &sets);
            if (e.rows == 0) continue;
            json_object(out, NULL);
            json_string(out, "mode", mode_words[mode]);
            json_string(out, "model", validate_model_name(m));
            json_integer(out, "datasets", sets);
            json_integer(out, "rows", e.rows);
            json_number(out, "mean_error", e.mean);
            json_number(out, "median_error", e.median);
            json_number(out, "p95_error", e.p95);
            json_number(out, "max_error", e.max);
            json_number(out, "bias", e.bias);
            json_bool(out, "default", m == (size_t)mode_usual_model((train_mode)mode));
            json_end(out);
        }
    json_end(out);
}

/* Nothing for a mode with one dataset, whose own lines say as much. */
void validate_print_pooled(output *out, const validation *v)
{
    static const table_column columns[] = {
        {"all of", 0}, {"model", 0}, {"sets", 0}, {"rows", 0}, {"mean", 3}, {"median", 3},
        {"p95", 3}, {"max", 3}, {"bias", 3}
    };
    result_table *t = table_new(columns, COUNT_OF(columns));
    sgdfit_error_statistics e[VALIDATE_MODELS];
    size_t sets[VALIDATE_MODELS], lines = 0, mode, m, most;
    for (mode = 0; mode < MODE_COUNT; mode++) {
        for (most = m = 0; m < VALIDATE_MODELS; m++) {
            e[m] = validate_pooled(v, (train_mode)mode, m, &sets[m]);
            if (sets[m] > most) most = sets[m];
        }
        for (m = 0; m < VALIDATE_MODELS && most > 1; m++) {
            if (e[m].rows == 0) continue;
            table_text(t, mode_words[mode]);
            table_text(t, validate_model_name(m));
            table_integer(t, sets[m]);
            table_integer(t, e[m].rows);
            table_number(t, 100.0 * e[m].mean);
            table_number(t, 100.0 * e[m].median);
            table_number(t, 100.0 * e[m].p95);
            table_number(t, 100.0 * e[m].max);
            table_number(t, 100.0 * e[m].bias);
            lines++;
        }
    }
    if (lines == 0) return;
    table_print(t, out, FORMAT_TABLE);
    output_print(out, "\n");
}

/* ---- Targets: what papers print ---------------------------------------------- */

/* Columns of the file, in the order of the cells of a line. */
enum { T_SOURCE, T_FIGURE, T_MODEL, T_ON, T_CLASS, T_ANALOGUE, T_MEAN, T_MAX, T_COUNT };

static const char *const target_columns[T_COUNT] = {
    "source", "figure", "model", "measured_on", "class", "analogue", "mean_error", "max_error"
};

typedef struct targets {
    const csv_table *file;
    int              column[T_COUNT];
} targets;

static const char *target_text(const targets *t, size_t row, int cell)
{
    return csv_text(t->file, row, t->column[cell]);
}

/* The mode that a class begins with. */
static train_mode mode_of_class(const targets *t, size_t row)
{
    const char *text = target_text(t, row, T_CLASS);
    size_t mode;
    for (mode = 0; mode < MODE_COUNT; mode++)
        if (strncmp(text, mode_words[mode], strlen(mode_words[mode])) == 0)
            return (train_mode)mode;
    csv_fail(t->file, row, t->column[T_CLASS], "'%s' is no class of rows", text);
}

/* "switch", or "switch uncorrected" */
typedef struct analogue { size_t model; int uncorrected; } analogue;

static analogue analogue_of(const targets *t, size_t row)
{
    const char *text = target_text(t, row, T_ANALOGUE), *rest;
    analogue a;
    for (a.model = 0; a.model < VALIDATE_MODELS; a.model++) {
        const size_t n = strlen(validate_model_name(a.model));
        rest = text + n;
        if (strncmp(validate_model_name(a.model), text, n) != 0) continue;
        a.uncorrected = strcmp(rest, " uncorrected") == 0;
        if (*rest == '\0' || a.uncorrected) return a;
    }
    csv_fail(t->file, row, t->column[T_ANALOGUE], "'%s' is no model", text);
}

static void table_ours(result_table *t, const validation *v, train_mode mode, const char *class,
                       analogue a, const char *name, double percent)
{
    size_t sets;
    const sgdfit_error_statistics e =
        pooled_errors(v, mode, class, a.model, a.uncorrected, &sets);
    table_text(t, class);
    table_text(t, name);
    table_integer(t, e.rows);
    if (e.rows > 0) table_number(t, percent * e.mean); else table_empty(t);
    if (e.rows > 0) table_number(t, percent * e.max); else table_empty(t);
}

static void table_theirs(result_table *t, const targets *of, size_t row, double percent)
{
    int cell;
    table_text(t, target_text(of, row, T_SOURCE));
    table_text(t, target_text(of, row, T_FIGURE));
    table_text(t, target_text(of, row, T_MODEL));
    table_text(t, target_text(of, row, T_ON));
    for (cell = T_MEAN; cell <= T_MAX; cell++)
        if (csv_is_empty(of->file, row, of->column[cell])) table_empty(t);
        else table_number(t, percent * csv_number(of->file, row, of->column[cell],
                                                  NUMBER_NON_NEGATIVE));
}

static void json_target(output *out, const validation *v, const targets *of, size_t row)
{
    const char *class = target_text(of, row, T_CLASS);
    const analogue a = analogue_of(of, row);
    size_t sets;
    const sgdfit_error_statistics e =
        pooled_errors(v, mode_of_class(of, row), class, a.model, a.uncorrected, &sets);
    int cell;
    json_object(out, NULL);
    json_string(out, "class", class);
    json_string(out, "model", target_text(of, row, T_ANALOGUE));
    json_integer(out, "rows", e.rows);
    if (e.rows > 0) json_number(out, "mean_error", e.mean); else json_null(out, "mean_error");
    if (e.rows > 0) json_number(out, "max_error", e.max); else json_null(out, "max_error");
    json_string(out, "source", target_text(of, row, T_SOURCE));
    json_string(out, "figure", target_text(of, row, T_FIGURE));
    json_string(out, "their_model", target_text(of, row, T_MODEL));
    json_string(out, "measured_on", target_text(of, row, T_ON));
    for (cell = T_MEAN; cell <= T_MAX; cell++) {
        const char *key = cell == T_MEAN ? "their_mean_error" : "their_max_error";
        if (csv_is_empty(of->file, row, of->column[cell])) json_null(out, key);
        else json_number(out, key, csv_number(of->file, row, of->column[cell],
                                              NUMBER_NON_NEGATIVE));
    }
    json_end(out);
}

/* Is this the first row of its class? The usual model then stands above it. */
static int is_first_of_class(const targets *of, size_t row)
{
    size_t i;
    for (i = 0; i < row; i++)
        if (strcmp(target_text(of, i, T_CLASS), target_text(of, row, T_CLASS)) == 0) return 0;
    return 1;
}

static size_t table_targets(output *out, const validation *v, const targets *of,
                            output_format format)
{
    static const table_column columns[] = {
        {"class", 0}, {"ours", 0}, {"rows", 0}, {"mean", 3}, {"max", 3}, {"source", 0},
        {"figure", 0}, {"theirs", 0}, {"measured_on", 0}, {"their_mean", 3}, {"their_max", 3}
    };
    const double percent = format == FORMAT_CSV ? 1.0 : 100.0;
    result_table *t = table_new(columns, COUNT_OF(columns));
    analogue usual = {0, 0};
    size_t others = 0, row, same;
    int cell;
    for (row = 0; row < of->file->rows; row++) {
        const char *class = target_text(of, row, T_CLASS);
        if (*class == '\0') { others++; continue; }
        if (!is_first_of_class(of, row)) continue;
        usual.model = (size_t)mode_usual_model(mode_of_class(of, row));
        table_ours(t, v, mode_of_class(of, row), class, usual, validate_model_name(usual.model),
                   percent);
        for (cell = 0; cell < 6; cell++) table_empty(t);
        for (same = row; same < of->file->rows; same++) {
            if (strcmp(target_text(of, same, T_CLASS), class) != 0) continue;
            table_ours(t, v, mode_of_class(of, same), class, analogue_of(of, same),
                       target_text(of, same, T_ANALOGUE), percent);
            table_theirs(t, of, same, percent);
        }
    }
    table_print(t, out, format);
    return others;
}

void validate_print_targets(output *out, const validation *v, output_format format)
{
    targets of;
    size_t others = 0, row;
    int cell;
    of.file = csv_read(VALIDATE_TARGETS, 0);
    for (cell = 0; cell < T_COUNT; cell++)
        of.column[cell] = csv_require(of.file, target_columns[cell]);
    if (format != FORMAT_JSON) {
        if (format == FORMAT_TABLE)
            output_print(out, "relative errors, percent: ours over all rows of a class, and those "
                              "that papers print\nof theirs, on clusters of their own; the first "
                              "line of a class is the usual model's\n\n");
        others = table_targets(out, v, &of, format);
        if (format == FORMAT_TABLE)
            output_print(out, "\n%lu other figures of the papers have no analogue here: "
                              "validation/FINDINGS.md\n", (unsigned long)others);
        return;
    }
    json_object(out, NULL);
    validate_json_pooled(out, v);
    json_array(out, "targets");
    for (row = 0; row < of.file->rows; row++)
        if (*target_text(&of, row, T_CLASS) == '\0') others++;
        else json_target(out, v, &of, row);
    json_end(out);
    json_integer(out, "without_analogue", others);
    json_end(out);
}
