/* pooled.c - errors over all rows of an architecture, and beside them what papers print */
#include "base/columns.h"
#include "base/csv.h"
#include "base/numbers.h"
#include "base/output.h"
#include "base/tool.h"
#include "files/status.h"
#include "model/validation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Errors over rows of many sets ------------------------------------------- */

/* The architecture of a row, by its inputs alone: mode, several servers, machines of
 * several accelerators, unequal workers, overlap; "sync-servers-overlap" for instance. */
enum { CLASS_CHARS = 64 };

static void class_of(const dataset_row *r, char to[CLASS_CHARS])
{
    snprintf(to, CLASS_CHARS, "%s%s%s%s%s", mode_words[r->mode],
             r->mode != MODE_ALLREDUCE && r->job.servers.count > 1 ? "-servers" : "",
             r->job.machine.gpus > 1 ? "-machines" : "", r->job.workers.types > 0 ? "-types" : "",
             r->job.overlap.rule != SGDP_OVERLAP_NONE ? "-overlap" : "");
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
    job.overlap.rule = SGDP_OVERLAP_NONE;
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
    sgdfit_rows rows = {.predicted = predicted, .measured = measured};
    sgdfit_error_statistics errors;
    size_t bytes = 0, i;
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
        predicted[rows.n] = x;
        measured[rows.n++] = r->batches_per_s;
    }
    if (rows.n == 0) return errors;
    tool_check_fit(sgdfit_errors_bytes(&rows, &bytes), "pooled errors");
    tool_check_fit(sgdfit_errors(&rows, tool_alloc(bytes, 1), bytes, &errors), "pooled errors");
    return errors;
}

sgdfit_error_statistics validate_pooled(const validation *v, train_mode mode, size_t model,
                                        size_t *sets)
{
    return pooled_errors(v, mode, NULL, model, 0, sets);
}

/* ---- Pooled lines ------------------------------------------------------------ */

void validate_print_errors(columns *t, const sgdfit_error_statistics *e)
{
    column_whole(t, ALL, "rows", e->rows);
    column_round(t, SCREEN, "mean", 3, 100.0 * e->mean);
    column_round(t, SCREEN, "median", 3, 100.0 * e->median);
    column_round(t, SCREEN, "p95", 3, 100.0 * e->p95);
    column_round(t, SCREEN, "max", 3, 100.0 * e->max);
    column_round(t, SCREEN, "bias", 3, 100.0 * e->bias);
    column_number(t, DATA, "mean_error", e->mean);
    column_number(t, DATA, "median_error", e->median);
    column_number(t, DATA, "p95_error", e->p95);
    column_number(t, DATA, "max_error", e->max);
    column_number(t, DATA, "bias", e->bias);
}

static void print_mode(columns *t, train_mode mode, size_t m, const sgdfit_error_statistics *e,
                       size_t sets)
{
    columns_row(t);
    column_text(t, SCREEN, "all of", mode_words[mode]);
    column_text(t, JSON, "mode", mode_words[mode]);
    column_text(t, ALL, "model", validate_model_name(m));
    column_whole(t, SCREEN, "sets", sets);
    column_whole(t, JSON, "datasets", sets);
    validate_print_errors(t, e);
    json_bool(t->out, "default", m == (size_t)mode_usual_model(mode));
}

/* A human sees nothing of a mode with one dataset, whose own lines say as much. */
void validate_print_pooled(output *out, const validation *v)
{
    sgdfit_error_statistics e[VALIDATE_MODELS];
    size_t sets[VALIDATE_MODELS], mode, m, most;
    columns t;
    columns_open(&t, out, SCREEN | JSON, "pooled");
    for (mode = 0; mode < MODE_COUNT && t.in != 0; mode++) {
        for (most = m = 0; m < VALIDATE_MODELS; m++) {
            e[m] = validate_pooled(v, (train_mode)mode, m, &sets[m]);
            if (sets[m] > most) most = sets[m];
        }
        for (m = 0; m < VALIDATE_MODELS && (most > 1 || t.in == JSON); m++)
            if (e[m].rows > 0) print_mode(&t, (train_mode)mode, m, &e[m], sets[m]);
    }
    if (t.in != JSON && t.rows == 0) return;
    columns_close(&t);
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

static void print_ours(columns *t, const validation *v, train_mode mode, const char *class,
                       analogue a, const char *name)
{
    size_t sets;
    const sgdfit_error_statistics e =
        pooled_errors(v, mode, class, a.model, a.uncorrected, &sets);
    const int some = e.rows > 0;
    const double percent = t->in == SCREEN ? 100.0 : 1.0;
    columns_row(t);
    column_text(t, ALL, "class", class);
    column_text(t, TABLES, "ours", name);
    column_text(t, JSON, "model", name);
    column_whole(t, ALL, "rows", e.rows);
    column_round(t, TABLES, "mean", 3, known_if(some, percent * e.mean));
    column_round(t, TABLES, "max", 3, known_if(some, percent * e.max));
    column_number(t, JSON, "mean_error", known_if(some, e.mean));
    column_number(t, JSON, "max_error", known_if(some, e.max));
}

/* What a paper prints; row: of the targets, or behind them for none. */
static void print_theirs(columns *t, const targets *of, size_t row)
{
    const int some = row < of->file->rows;
    const double percent = t->in == SCREEN ? 100.0 : 1.0;
    double error[2] = {(double)NAN, (double)NAN};
    int i;
    for (i = 0; i < 2 && some; i++)
        if (!csv_is_empty(of->file, row, of->column[T_MEAN + i]))
            error[i] = percent * csv_number(of->file, row, of->column[T_MEAN + i],
                                            NUMBER_NON_NEGATIVE);
    column_text(t, ALL, "source", some ? target_text(of, row, T_SOURCE) : NULL);
    column_text(t, ALL, "figure", some ? target_text(of, row, T_FIGURE) : NULL);
    column_text(t, TABLES, "theirs", some ? target_text(of, row, T_MODEL) : NULL);
    column_text(t, JSON, "their_model", some ? target_text(of, row, T_MODEL) : NULL);
    column_text(t, ALL, "measured_on", some ? target_text(of, row, T_ON) : NULL);
    column_round(t, TABLES, "their_mean", 3, error[0]);
    column_round(t, TABLES, "their_max", 3, error[1]);
    column_number(t, JSON, "their_mean_error", error[0]);
    column_number(t, JSON, "their_max_error", error[1]);
}

static void print_target(columns *t, const validation *v, const targets *of, size_t row)
{
    print_ours(t, v, mode_of_class(of, row), target_text(of, row, T_CLASS), analogue_of(of, row),
               target_text(of, row, T_ANALOGUE));
    print_theirs(t, of, row);
}

/* Is this the first row of its class? The usual model then stands above it. */
static int is_first_of_class(const targets *of, size_t row)
{
    size_t i;
    for (i = 0; i < row; i++)
        if (strcmp(target_text(of, i, T_CLASS), target_text(of, row, T_CLASS)) == 0) return 0;
    return 1;
}

/* The rows of the class of this one, below its usual model. */
static void print_target_class(columns *t, const validation *v, const targets *of, size_t row)
{
    const char *class = target_text(of, row, T_CLASS);
    const train_mode mode = mode_of_class(of, row);
    analogue usual = {0, 0};
    usual.model = (size_t)mode_usual_model(mode);
    print_ours(t, v, mode, class, usual, validate_model_name(usual.model));
    print_theirs(t, of, of->file->rows);
    for (; row < of->file->rows; row++)
        if (strcmp(target_text(of, row, T_CLASS), class) == 0) print_target(t, v, of, row);
}

void validate_print_targets(output *out, const validation *v)
{
    targets of;
    size_t others = 0, row;
    columns t;
    int cell;
    of.file = csv_read(VALIDATE_TARGETS, 0);
    for (cell = 0; cell < T_COUNT; cell++)
        of.column[cell] = csv_require(of.file, target_columns[cell]);
    output_print(out, "relative errors, percent: ours over all rows of a class, and those that "
                      "papers print\nof theirs, on clusters of their own; the first line of a "
                      "class is the usual model's\n\n");
    json_object(out, NULL);
    if (out->form == JSON) validate_print_pooled(out, v);
    columns_open(&t, out, ALL, "targets");
    for (row = 0; row < of.file->rows; row++) {
        if (*target_text(&of, row, T_CLASS) == '\0') others++;
        else if (t.in == JSON) print_target(&t, v, &of, row);
        else if (is_first_of_class(&of, row)) print_target_class(&t, v, &of, row);
    }
    columns_close(&t);
    json_integer(out, "without_analogue", others);
    json_end(out);
    output_print(out, "\n%lu other figures of the papers have no analogue here: "
                      "validation/FINDINGS.md\n", (unsigned long)others);
}
