/* curves.c - the curves of a dataset, which models are lines of one picture, and the errors
 * of all rows side by side */
#include "base/names.h"
#include "base/svg.h"
#include "cmd/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double predicted_of(const report *r, size_t row, size_t model)
{
    return r->v->predicted[row * VALIDATE_MODELS + model];
}

/* ---- Curves ---------------------------------------------------------------- */

typedef struct place { uint32_t workers; size_t row; } place;

static int compare_places(const void *a, const void *b)
{
    const place *x = (const place *)a, *y = (const place *)b;
    if (x->workers != y->workers) return x->workers < y->workers ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void sort_rows(const validation *v, report_curve *c)
{
    place *at = (place *)tool_alloc(c->rows, sizeof *at);
    size_t i;
    for (i = 0; i < c->rows; i++) {
        at[i].workers = v->data.row[c->row[i]].workers;
        at[i].row = c->row[i];
    }
    qsort(at, c->rows, sizeof *at, compare_places);
    for (i = 0; i < c->rows; i++) c->row[i] = at[i].row;
}

/* The half-width that all rows of a curve have. */
static double common_width(const report *r, const report_curve *c)
{
    double h = 0.0;
    size_t i;
    for (i = 0; i < c->rows; i++) {
        const double own = page_half_width(r, &r->v->data.row[c->row[i]]);
        if (i > 0 && (own < h || own > h)) return 0.0;
        h = own;
    }
    return h;
}

/* The curves of a dataset in order of appearance. */
static report_curve *curves_of(const report *r, size_t dataset, size_t *count)
{
    const validation *v = r->v;
    const size_t from = v->of_dataset.start[dataset];
    const size_t rows = v->of_dataset.start[dataset + 1] - from;
    const size_t *row = &v->of_dataset.row[from];
    size_t *id = (size_t *)tool_alloc(rows, sizeof *id), i;
    report_curve *curve;
    name_index names = {0};
    for (i = 0; i < rows; i++) {
        const char *name = v->data.row[row[i]].curve;
        if (names_add(&names, name, strlen(name), &id[i]) == NAMES_FULL)
            tool_fail("out of memory");
    }
    *count = names.count;
    names_free(&names);
    curve = (report_curve *)tool_alloc(*count, sizeof *curve);
    for (i = 0; i < rows; i++) curve[id[i]].rows++;
    for (i = 0; i < *count; i++) {
        curve[i].row = (size_t *)tool_alloc(curve[i].rows, sizeof *curve[i].row);
        curve[i].rows = 0;
    }
    for (i = 0; i < rows; i++) {
        report_curve *c = &curve[id[i]];
        c->name = v->data.row[row[i]].curve;
        c->row[c->rows++] = row[i];
    }
    for (i = 0; i < *count; i++) {
        sort_rows(v, &curve[i]);
        curve[i].half_width = common_width(r, &curve[i]);
    }
    return curve;
}

/* Inputs alone, and what no model is for, are in the table of rows only. */
static int is_drawn(const report *r, const report_curve *c)
{
    size_t i;
    for (i = 0; i < c->rows; i++)
        if (validate_is_scored(r->v, c->row[i]) && validate_is_predicted(r->v, c->row[i]))
            return 1;
    return 0;
}

/* ---- Lines ----------------------------------------------------------------- */

/* As far as a picture shows. */
static int predict_alike(const report *r, const report_curve *c, size_t a, size_t b)
{
    size_t i;
    for (i = 0; i < c->rows; i++) {
        const double x = predicted_of(r, c->row[i], a), y = predicted_of(r, c->row[i], b);
        if (fabs(x - y) > 1e-4 * (x > y ? x : y)) return 0;
    }
    return 1;
}

/* Is line a to stand before line b? */
static int stands_before(const report_line *a, const report_line *b)
{
    return a->usual != b->usual ? a->usual : a->mean_error < b->mean_error;
}

static void add_model(const report *r, const report_curve *c, const validate_result *result,
                      report_line *line, size_t *count)
{
    size_t i, k = 0;
    for (i = 0; i < c->rows && !(predicted_of(r, c->row[i], result->model) > 0.0); i++) {}
    if (i == c->rows) return;
    while (k < *count && !predict_alike(r, c, line[k].model[0], result->model)) k++;
    if (k == *count) {
        memset(&line[k], 0, sizeof line[k]);
        line[k].mean_error = result->errors.mean;
        (*count)++;
    }
    if (validate_is_default(r->v, result)) {           /* the line has its name              */
        memmove(line[k].model + 1, line[k].model, line[k].models * sizeof *line[k].model);
        line[k].model[0] = result->model;
        line[k].usual = 1;
        line[k].models++;
    } else {
        line[k].model[line[k].models++] = result->model;
    }
}

/* The lines of a curve: the usual model, then the others by their mean errors. */
static size_t lines_of(const report *r, size_t dataset, const report_curve *c,
                       report_line line[VALIDATE_MODELS])
{
    size_t count = 0, i, k;
    for (i = r->first[dataset]; i < r->first[dataset + 1]; i++)
        add_model(r, c, &r->v->result[i], line, &count);
    for (i = 1; i < count; i++) {
        const report_line moved = line[i];
        for (k = i; k > 0 && stands_before(&moved, &line[k - 1]); k--) line[k] = line[k - 1];
        line[k] = moved;
    }
    return count;
}

/* "ring = flat = hierarchical", of lines of several models. */
static void put_alike(report *r, const report_line *line, size_t count)
{
    size_t i, m;
    for (i = 0; i < count; i++) {
        for (m = 0; m < line[i].models && line[i].models > 1; m++)
            output_print(r->html, "%s%s", m > 0 ? " = " : "<div class=\"soft\">",
                         validate_model_name(line[i].model[m]));
        if (line[i].models > 1) page_put(r, "</div>\n");
    }
}

static void put_curve(report *r, size_t dataset, const report_curve *c)
{
    report_line line[VALIDATE_MODELS];
    const size_t count = lines_of(r, dataset, c, line);
    const size_t first = count < REPORT_LINES ? count : REPORT_LINES;
    size_t i;
    page_put(r, "<figure><figcaption><b>");
    svg_text(r->html, c->name);
    page_put(r, "</b></figcaption>\n");
    area_picture(r, c, line, first);
    put_alike(r, line, count);
    if (count > first) {
        output_print(r->html, "<details><summary>%lu more line%s</summary>\n",
                     (unsigned long)(count - first), count - first == 1 ? "" : "s");
        for (i = first; i < count; i += REPORT_LINES)
            area_picture(r, c, line + i, count - i < REPORT_LINES ? count - i : REPORT_LINES);
        page_put(r, "</details>\n");
    }
    page_put(r, "</figure>\n");
    r->curves++;
}

void curves_dataset(report *r, size_t dataset)
{
    size_t count, i;
    const report_curve *curve = curves_of(r, dataset, &count);
    page_put(r, "<div class=\"curves\">\n");
    for (i = 0; i < count; i++)
        if (is_drawn(r, &curve[i])) put_curve(r, dataset, &curve[i]);
    page_put(r, "</div>\n");
}

/* ---- Errors of all rows ---------------------------------------------------- */

enum { LANE = 22, CROSSES = 6 }; /* pixels; the colour and mark of models that are not usual */

static int has_error(const report *r, size_t row, size_t model)
{
    return validate_is_scored(r->v, row) && predicted_of(r, row, model) > 0.0;
}

/* Errors in percent from d->x_low to d->x_high, and 0 with room around. */
static void find_range(const report *r, size_t dataset, svg_diagram *d)
{
    const validation *v = r->v;
    double room;
    size_t i, k;
    for (k = r->first[dataset]; k < r->first[dataset + 1]; k++)
        for (i = v->of_dataset.start[dataset]; i < v->of_dataset.start[dataset + 1]; i++) {
            const size_t row = v->of_dataset.row[i], model = v->result[k].model;
            const double e = has_error(r, row, model) ? area_error(r, row, model) : 0.0;
            if (e < d->x_low) d->x_low = e;
            if (e > d->x_high) d->x_high = e;
        }
    room = 0.05 * (d->x_high - d->x_low);
    if (room < 0.5) room = 0.5;
    d->x_low -= room;
    d->x_high += room;
}

static void draw_lane(const report *r, const svg_diagram *d, const validate_result *result,
                      double y)
{
    const validation *v = r->v;
    const size_t colour = validate_is_default(v, result) ? 0 : CROSSES;
    const char *name = validate_model_name(result->model);
    const double bias = 100.0 * result->errors.bias;
    size_t i;
    svg_label(d, d->left - 8, y + 4.5, "end", name);
    for (i = v->of_dataset.start[result->dataset]; i < v->of_dataset.start[result->dataset + 1];
         i++) {
        const size_t row = v->of_dataset.row[i];
        if (has_error(r, row, result->model))
            svg_mark_at(d, svg_x(d, area_error(r, row, result->model)), y, colour);
    }
    if (bias >= d->x_low && bias <= d->x_high) svg_box(d, svg_x(d, bias) - 1.0, y - 8, 2, 16, 1, 0);
}

void curves_errors(report *r, size_t dataset)
{
    const size_t lanes = r->first[dataset + 1] - r->first[dataset];
    output name = {0};
    svg_diagram d;
    size_t i;
    memset(&d, 0, sizeof d);
    output_print(&name, "Errors of every scored row of %s, by model%c", r->v->data.name[dataset],
                 '\0');
    d.name = name.text;
    d.description = "A lane for each model with the error of each row, percent, and its bias";
    d.number = ++r->pictures;
    d.width = 400;
    d.left = 118;
    d.right = 390;
    d.bottom = 24.0 + LANE * (double)lanes;
    d.height = d.bottom + 46;
    d.x_label = "error of each row; bar: bias, percent";
    find_range(r, dataset, &d);
    page_put(r, "<figure>\n");
    svg_begin(&d, r->html);
    svg_axis_x(&d);
    svg_box(&d, svg_x(&d, 0.0) - 0.5, d.top, 1, d.bottom - d.top, CROSSES, 0);
    for (i = 0; i < lanes; i++)
        draw_lane(r, &d, &r->v->result[r->first[dataset] + i], 24.0 + LANE * ((double)i + 0.5));
    svg_end(&d);
    page_put(r, "</figure>\n");
}
