/* line.c - calibrate --fit accumulate and batch: a step as a part of each step, and one of each
 * micro-batch or example */
#include "base/columns.h"
#include "base/names.h"
#include "cmd/calibrate/calibrate.h"
#include "files/status.h"

#include <math.h>

#include <string.h>

/* The words of --fit: the column that varies, and what the two parts of a step are called. */
static const struct { const char *word, *name[2]; } lines[] = {
    {"accumulate", {"once_s", "micro_batch_s"}}, {"batch", {"fixed_s", "example_s"}}
};

/* A curve is a name, of rows of its own. */
typedef struct line_rows {
    const csv_table *file;
    const char *const *name;  /* of the two parts                                   */
    const char *word;
    double     *x, *step_s;   /* [count]                                            */
    double     *predicted;    /* [count] seconds; 0: its curve has no line          */
    point_role *role;
    size_t     *curve;        /* [count] number of its name                         */
    size_t      count;
    name_index  names;
    row_list   *rows;         /* [names.count]                                      */
    sgdfit_curve *of;         /* [names.count]                                      */
    int        *known;        /* [names.count]                                      */
} line_rows;

/* ---- Rows ------------------------------------------------------------------ */

/* Seconds of a step: step_s, or workers over batches_per_s. */
static double step_of(const csv_table *t, size_t row)
{
    const int step = csv_column(t, "step_s");
    if (step != CSV_NONE) return csv_number(t, row, step, NUMBER_POSITIVE);
    return (double)csv_integer_or(t, row, csv_column(t, "workers"), 1, UINT32_MAX, 1) /
           csv_number(t, row, csv_require(t, "batches_per_s"), NUMBER_POSITIVE);
}

static void read_rows(line_rows *r, const char *path)
{
    const csv_table *t = csv_read(path, 0);
    const int x = csv_require(t, r->word), role = csv_column(t, "role");
    const int curve = csv_column(t, "curve");
    r->file = t;
    r->count = t->rows;
    r->x = (double *)tool_alloc(t->rows, sizeof *r->x);
    r->step_s = (double *)tool_alloc(t->rows, sizeof *r->step_s);
    r->predicted = (double *)tool_alloc(t->rows, sizeof *r->predicted);
    r->role = (point_role *)tool_alloc(t->rows, sizeof *r->role);
    r->curve = (size_t *)tool_alloc(t->rows, sizeof *r->curve);
    for (size_t i = 0; i < t->rows; i++) {
        r->x[i] = (double)csv_integer(t, i, x, 1, UINT32_MAX);
        r->step_s[i] = step_of(t, i);
        r->role[i] = point_role_of(t, i, role);
        r->curve[i] = names_number(&r->names, csv_text_or(t, i, curve, ""));
    }
    r->rows = names_rows(r->curve, t->rows, r->names.count);
    r->of = (sgdfit_curve *)tool_alloc(r->names.count, sizeof *r->of);
    r->known = (int *)tool_alloc(r->names.count, sizeof *r->known);
}

/* ---- Lines ----------------------------------------------------------------- */

/* The line through a curve's rows that are fitted, but `without` (r->count: none of them), in
 * point[]; 0 if they have but one x. */
static int fit_line(const line_rows *r, size_t curve, size_t without, sgdfit_point *point,
                    sgdfit_curve *line)
{
    const row_list *rows = &r->rows[curve];
    size_t n = 0;
    for (size_t k = 0; k < rows->count; k++) {
        const size_t i = rows->row[k];
        if (r->role[i] != POINT_FIT || i == without) continue;
        point[n].workers = r->x[i];        /* s = a0 + a1 n of its model's step           */
        point[n++].batches_per_s = r->x[i] / r->step_s[i];
    }
    return points_curve(SGDFIT_OPTIMUS_ASYNC, point, n, line) == SGDFIT_OK;
}

static double step_at(const sgdfit_curve *line, double x)
{
    return x / sgdfit_curve_at(line, x, 0.0);
}

/* Does a curve have rows to fit with two values of x? */
static int has_two_values(const line_rows *r)
{
    for (size_t curve = 0; curve < r->names.count; curve++) {
        const row_list *rows = &r->rows[curve];
        double first = 0.0;
        for (size_t k = 0; k < rows->count; k++) {
            size_t i = rows->row[k];
            if (r->role[i] != POINT_FIT) continue;
            if (first > 0.0 && fabs(r->x[i] - first) > 0.0) return 1;
            first = r->x[i];
        }
    }
    return 0;
}

static void fit_lines(line_rows *r)
{
    sgdfit_point *point = (sgdfit_point *)tool_alloc(r->count, sizeof *point);
    size_t left_out = 0;
    for (size_t curve = 0; curve < r->names.count; curve++) {
        r->known[curve] = fit_line(r, curve, r->count, point, &r->of[curve]);
        left_out += !r->known[curve];
    }
    if (left_out == r->names.count && has_two_values(r))
        tool_fail("%s: column 'step_s': the times are too large or too small to fit a curve",
                  r->file->name);
    if (left_out == r->names.count)
        tool_fail("%s: no curve has rows to fit with two values of '%s': measure one more value",
                  r->file->name, r->word);
    if (left_out > 0)
        tool_note("rows-left-out", "%s: %lu curve%s left out: two values of '%s' are needed",
                  r->file->name, (unsigned long)left_out, left_out == 1 ? " is" : "s are", r->word);
    for (size_t i = 0; i < r->count; i++)
        if (r->known[r->curve[i]]) r->predicted[i] = step_at(&r->of[r->curve[i]], r->x[i]);
}

/* Steps of the rows that are fitted, each from the other rows of its curve; 0: none, as of curves
 * so long that one row hardly counts. */
static double *predict_apart(const line_rows *r)
{
    enum { MOST = 1000 };              /* rows of a curve, each of which is a fit    */
    double *apart = (double *)tool_alloc(r->count, sizeof *apart);
    sgdfit_point *point = (sgdfit_point *)tool_alloc(MOST, sizeof *point);
    for (size_t i = 0; i < r->count; i++) {
        sgdfit_curve line;
        if (r->role[i] == POINT_FIT && r->rows[r->curve[i]].count <= MOST &&
            fit_line(r, r->curve[i], i, point, &line))
            apart[i] = step_at(&line, r->x[i]);
    }
    return apart;
}

/* ---- Results --------------------------------------------------------------- */

static sgdfit_error_statistics measure(const line_rows *r, const double *predicted, point_role role)
{
    const sgdfit_rows rows = {.predicted = predicted, .measured = r->step_s, .n = r->count};
    return errors_of_role(&rows, r->role, role, r->file->name);
}

static const char *curve_of(const line_rows *r, size_t curve)
{
    return names_text(&r->names, curve);
}

static void print_lines(output *out, const line_rows *r)
{
    columns t = columns_open(out, SCREEN, NULL);
    json_array(out, "groups");
    for (size_t curve = 0; curve < r->names.count; curve++) {
        if (!r->known[curve]) continue;
        columns_row(&t);
        json_object(out, NULL);
        json_string(out, "group", curve_of(r, curve));
        json_object(out, "fitted");
        if (r->names.count > 1) column_text(&t, SCREEN, "curve", curve_of(r, curve));
        for (size_t k = 0; k < 2; k++) {
            column_round(&t, SCREEN, r->name[k], 6, r->of[curve].parameter[k]);
            json_number(out, r->name[k], r->of[curve].parameter[k]);
        }
        json_end(out);
        json_array(out, "left_out");
        json_end(out);
        json_end(out);
    }
    json_end(out);
    columns_close(&t);
}

static void print_rows(output *out, const line_rows *r)
{
    columns t = columns_open(out, ALL, "steps");
    for (size_t i = 0; columns_next(&t, i < r->count); i++) {
        const sgdfit_curve *line = &r->of[r->curve[i]];
        const int known = r->known[r->curve[i]];
        if (r->names.count > 1) column_text(&t, ALL, "curve", curve_of(r, r->curve[i]));
        column_whole(&t, ALL, r->word, (uint64_t)r->x[i]);
        column_text(&t, ALL, "role", point_role_text(r->role[i]));
        column_number(&t, ALL, "step_s", r->step_s[i]);
        column_number(&t, ALL, "predicted_step_s", known_if(known, r->predicted[i]));
        column_round(&t, ALL, "error", 3,
                     known_if(known, relative_error(r->predicted[i], r->step_s[i])));
        for (size_t k = 0; k < 2; k++)
            column_number(&t, CSV, r->name[k], known_if(known, line->parameter[k]));
    }
}

int calibrate_line(const args *a, const char *word)
{
    sgdfit_error_statistics errors[POINT_ROLES];
    output out = {.form = args_form(a)};
    size_t k = 0;
    while (strcmp(lines[k].word, word) != 0) k++;
    line_rows r = {.word = word, .name = lines[k].name};
    read_rows(&r, a->files[0]);
    fit_lines(&r);
    errors[POINT_FIT] = measure(&r, r.predicted, POINT_FIT);
    errors[POINT_SCORE] = measure(&r, r.predicted, POINT_SCORE);
    if (errors[POINT_SCORE].rows == 0) {
        errors[POINT_SCORE] = measure(&r, predict_apart(&r), POINT_FIT);
        if (errors[POINT_SCORE].rows > 0)
            tool_note("each-left-out", "no row has role 'score': each row is predicted from the "
                                       "other rows of its curve, if those rows suffice");
    }
    json_object(&out, NULL);
    output_print(&out, "a step is %s + %s x %s, fitted to %lu row%s\n", r.name[0], r.name[1], word,
                 COUNTED(errors[POINT_FIT].rows));
    print_lines(&out, &r);
    output_print(&out, "\nrelative errors of step_s\n");
    print_errors(&out, errors, POINT_ROLES);
    output_print(&out, "\n");
    print_rows(&out, &r);
    names_free(&r.names);
    json_end(&out);
    return output_flush(&out, EXIT_DONE);
}
