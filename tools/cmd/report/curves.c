/* curves.c - the pictures of a report: each curve of a dataset, measured and predicted, with its
 * errors below; and the errors of all rows side by side */
#include "base/names.h"
#include "base/svg.h"
#include "cmd/report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 3 };      /* of models in a picture                              */

/* Models that predict the same of every row of a curve are one line. */
typedef struct model_line {
    size_t model[VALIDATE_MODELS], models;
    int    usual;             /* one of them is what predict takes by itself         */
    double mean_error;        /* of the first, over the dataset                      */
} model_line;

typedef struct curve {
    const char *name;
    row_list    rows;         /* by workers                                          */
    int         banded;       /* all of its rows have an interval                    */
} curve;

/* A picture's numbers are far from where a double ends. */
static double drawn(double value)
{
    const double most = 1e300;
    return value > most ? most : value < -most ? -most : value;
}

/* Of a prediction, percent. */
static double error_of(const report *r, size_t row, size_t model)
{
    return drawn(100.0 * relative_error(validate_predicted(r->v, row, model),
                                        r->v->data.row[row].batches_per_s));
}

/* ---- Curves ---------------------------------------------------------------- */

typedef struct place { size_t curve, row; uint32_t workers; } place;

static int compare_places(const void *a, const void *b)
{
    const place *x = (const place *)a, *y = (const place *)b;
    if (x->curve != y->curve) return x->curve < y->curve ? -1 : 1;
    if (x->workers != y->workers) return x->workers < y->workers ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static int is_banded(const report *r, const curve *c)
{
    const dataset_row *row = r->v->data.row;
    size_t i = 0;
    while (i < c->rows.count &&
           band_is_known(band_shipped(validate_class(r->v, &row[c->rows.row[i]])))) i++;
    return i == c->rows.count;
}

/* The curves of a dataset in order of appearance. */
static curve *curves_of(const report *r, size_t dataset, size_t *count)
{
    const dataset_row *row = r->v->data.row;
    const row_list *rows = &r->v->of_dataset[dataset];
    place *at = (place *)tool_alloc(rows->count, sizeof *at);
    size_t *sorted = (size_t *)tool_alloc(rows->count, sizeof *sorted), i;
    name_index names = {0};
    for (i = 0; i < rows->count; i++) {
        at[i].row = rows->row[i];
        at[i].workers = row[at[i].row].workers;
        at[i].curve = names_number(&names, row[at[i].row].curve);
    }
    *count = names.count;
    names_free(&names);
    qsort(at, rows->count, sizeof *at, compare_places);
    curve *curves = (curve *)tool_alloc(*count, sizeof *curves);
    for (i = 0; i < rows->count; i++) {
        curve *c = &curves[at[i].curve];
        if (c->rows.count++ == 0) c->rows.row = sorted + i;
        sorted[i] = at[i].row;
        c->name = row[at[i].row].curve;
    }
    for (i = 0; i < *count; i++) curves[i].banded = is_banded(r, &curves[i]);
    return curves;
}

/* Inputs alone, and what no model is for, are in the table of rows only. */
static int is_drawn(const report *r, const curve *c)
{
    for (size_t i = 0; i < c->rows.count; i++)
        if (validate_is_scored(r->v, c->rows.row[i]) && validate_is_predicted(r->v, c->rows.row[i]))
            return 1;
    return 0;
}

/* ---- Lines ----------------------------------------------------------------- */

static double predicted_at(const report *r, const curve *c, size_t i, size_t model)
{
    return validate_predicted(r->v, c->rows.row[i], model);
}

/* As far as a picture shows. */
static int predict_alike(const report *r, const curve *c, size_t a, size_t b)
{
    for (size_t i = 0; i < c->rows.count; i++) {
        const double x = predicted_at(r, c, i, a), y = predicted_at(r, c, i, b);
        if (fabs(x - y) > 1e-4 * (x > y ? x : y)) return 0;
    }
    return 1;
}

/* Is line a to stand before line b? */
static int stands_before(const model_line *a, const model_line *b)
{
    return a->usual != b->usual ? a->usual : a->mean_error < b->mean_error;
}

static void add_model(const report *r, const curve *c, const validate_result *result,
                      model_line *line, size_t *count)
{
    size_t i = 0, k = 0;
    while (i < c->rows.count && !(predicted_at(r, c, i, result->model) > 0.0)) i++;
    if (i == c->rows.count) return;
    while (k < *count && !predict_alike(r, c, line[k].model[0], result->model)) k++;
    if (k == *count) line[(*count)++].mean_error = result->errors.mean;
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
static size_t lines_of(const report *r, size_t dataset, const curve *c,
                       model_line line[VALIDATE_MODELS])
{
    size_t count = 0, k;
    for (size_t i = r->first[dataset]; i < r->first[dataset + 1]; i++)
        add_model(r, c, &r->v->result[i], line, &count);
    for (size_t i = 1; i < count; i++) {
        const model_line moved = line[i];
        for (k = i; k > 0 && stands_before(&moved, &line[k - 1]); k--) line[k] = line[k - 1];
        line[k] = moved;
    }
    return count;
}

/* "ring +2": the first of a line's models, and how many there are beside it. */
enum { LABEL = 48 };

static const char *label_of(const model_line *line, char text[LABEL])
{
    snprintf(text, LABEL, line->models > 1 ? "%s +%lu" : "%s",
             validate_model_name(line->model[0]), (unsigned long)(line->models - 1));
    return text;
}

/* ---- One curve ------------------------------------------------------------- */

enum { BOTTOM = 220, ERRORS_TOP = 242, ERRORS_BOTTOM = 318 };

/* What a line has of a curve: its points with a prediction. */
typedef struct plotted {
    double *x, *y, *low, *high; /* throughputs                                      */
    double *error_low, *error_high; /* of the same rows where the interval ends      */
    double *error_x, *error;    /* of rows that are scored, percent                 */
    size_t  points, errors;
} plotted;

static plotted plotted_of(const report *r, const curve *c, const model_line *line)
{
    const validation *v = r->v;
    const size_t n = c->rows.count;
    double *room = (double *)tool_alloc(8 * (uint64_t)n, sizeof *room);
    plotted t = {room, room + n, room + 2 * n, room + 3 * n, room + 4 * n, room + 5 * n,
                 room + 6 * n, room + 7 * n, 0, 0};
    for (size_t i = 0; i < n; i++) {
        const size_t at = c->rows.row[i];
        const dataset_row *row = &v->data.row[at];
        const double x = validate_predicted(v, at, line->model[0]);
        const band b = validate_band_at(r->v, at);
        if (!(x > 0.0)) continue;
        t.x[t.points] = row->workers;
        t.low[t.points] = drawn(x * (1.0 - b.low));
        t.high[t.points] = drawn(x * (1.0 + b.high));
        t.error_low[t.points] = -100.0 * b.high / (1.0 + b.high);
        t.error_high[t.points] = b.low < 1.0 ? 100.0 * b.low / (1.0 - b.low) : 1e3;
        t.y[t.points++] = drawn(x);
        if (!validate_is_scored(v, at)) continue;
        t.error_x[t.errors] = row->workers;
        t.error[t.errors++] = error_of(r, at, line->model[0]);
    }
    return t;
}

static void widen(double *low, double *high, const double *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (value[i] < *low) *low = value[i];
        if (value[i] > *high) *high = value[i];
    }
}

/* Ranges, sizes and labels. */
static void frame(svg_diagram *d, const report *r, const curve *c, const plotted *t,
                  const model_line *lines, size_t count)
{
    const dataset_row *row = r->v->data.row;
    const size_t n = c->rows.count;
    for (size_t i = 0; i < n; i++)
        if (row[c->rows.row[i]].batches_per_s > d->y_high)
            d->y_high = drawn(row[c->rows.row[i]].batches_per_s);
    for (size_t i = 0; i < count; i++)
        widen(&d->y_low, &d->y_high, lines[i].usual ? t[i].high : t[i].y, t[i].points);
    if (d->y_high < 1e-290) d->y_high = 1.0; /* 0, to a picture                       */
    svg_whole_x(d, row[c->rows.row[0]].workers, row[c->rows.row[n - 1]].workers);
}

static void draw_measured(const svg_diagram *d, const report *r, const curve *c)
{
    for (size_t i = 0; i < c->rows.count; i++) {
        const dataset_row *row = &r->v->data.row[c->rows.row[i]];
        svg_dot(d, svg_x(d, row->workers), svg_y(d, drawn(row->batches_per_s)),
                !validate_is_scored(r->v, c->rows.row[i]));
    }
}

/* The first is that of the usual model alone. */
static size_t colour_of(const model_line *lines, size_t i) { return lines[0].usual ? i : i + 1; }

static void draw_throughput(svg_diagram *d, const report *r, const curve *c,
                            const plotted *t, const model_line *lines, size_t count)
{
    svg_round_y(d);
    svg_axis_y(d);
    if (c->banded && lines[0].usual && t[0].points > 1)
        svg_band(d, t[0].x, t[0].low, t[0].high, t[0].points, 0);
    svg_level(d, d->y_low);
    if (c->banded && lines[0].usual && t[0].points == 1)
        svg_interval(d, t[0].x[0], t[0].low[0], t[0].high[0]);
    for (size_t i = count; i-- > 0;)
        svg_line(d, t[i].x, t[i].y, t[i].points, colour_of(lines, i));
    draw_measured(d, r, c);
}

static void draw_errors(svg_diagram *d, const curve *c, const plotted *t,
                        const model_line *lines, size_t count)
{
    const int banded = c->banded && lines[0].usual;
    d->top = ERRORS_TOP;
    d->bottom = ERRORS_BOTTOM;
    d->y_low = -1.0;
    d->y_high = 1.0;
    d->y_ticks = 3;
    d->y_label = "error, %";
    d->x_label = "workers";
    if (banded) widen(&d->y_low, &d->y_high, t[0].error_low, t[0].points);
    if (banded) widen(&d->y_low, &d->y_high, t[0].error_high, t[0].points);
    for (size_t i = 0; i < count; i++) widen(&d->y_low, &d->y_high, t[i].error, t[i].errors);
    svg_round_y(d);
    if (banded) svg_band(d, t[0].x, t[0].error_low, t[0].error_high, t[0].points, 0);
    svg_axis_x(d);
    svg_axis_y(d);
    svg_level(d, 0.0);
    for (size_t i = count; i-- > 0;)
        svg_line(d, t[i].error_x, t[i].error, t[i].errors, colour_of(lines, i));
}

static void describe(output *name, output *text, const report *r, const curve *c,
                     const plotted *t, const model_line *lines, size_t count)
{
    const dataset_row *first = &r->v->data.row[c->rows.row[0]];
    const dataset_row *last = &r->v->data.row[c->rows.row[c->rows.count - 1]];
    char label[LABEL];
    output_print(name, "%s, %s: measured and predicted throughput%c",
                 r->v->data.name[first->dataset], c->name, '\0');
    output_print(text, "%lu measured, %u to %u workers. Errors, percent:",
                 (unsigned long)c->rows.count,
                 first->workers, last->workers);
    for (size_t i = 0; i < count; i++) {
        output_print(text, " %s", label_of(&lines[i], label));
        for (size_t k = 0; k < t[i].errors; k++)
            output_print(text, "%s%.3g", k > 0 ? ", " : " ", t[i].error[k]);
        output_print(text, ".");
    }
    output_print(text, "%c", '\0');
}

/* Measured, predicted by lines[count], and below it the errors. */
static void draw_curve(report *r, const curve *c, const model_line *lines, size_t count)
{
    plotted t[MOST_LINES];
    output name = {0}, text = {0};
    svg_diagram d = {
        .number = ++r->pictures, .width = 468, .height = ERRORS_BOTTOM + 46, .left = 60,
        .right = 460, .bottom = BOTTOM, .y_label = "batches/s", .y_ticks = 5
    };
    char label[MOST_LINES][LABEL];
    for (size_t i = 0; i < count; i++) {
        t[i] = plotted_of(r, c, &lines[i]);
        svg_legend(&d, label_of(&lines[i], label[i]), SVG_LINE, colour_of(lines, i));
    }
    describe(&name, &text, r, c, t, lines, count);
    d.name = name.text;
    d.description = text.text;
    frame(&d, r, c, t, lines, count);
    svg_begin(&d, r->html);
    draw_throughput(&d, r, c, t, lines, count);
    draw_errors(&d, c, t, lines, count);
    svg_end(&d);
}

/* "ring = flat = hierarchical", of lines of several models. */
static void put_alike(report *r, const model_line *line, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t m = 0; m < line[i].models && line[i].models > 1; m++)
            output_print(r->html, "%s%s", m > 0 ? " = " : "<div class=\"soft\">",
                         validate_model_name(line[i].model[m]));
        if (line[i].models > 1) page_put(r, "</div>\n");
    }
}

static void put_curve(report *r, size_t dataset, const curve *c)
{
    model_line *line = (model_line *)tool_alloc(VALIDATE_MODELS, sizeof *line);
    const size_t count = lines_of(r, dataset, c, line);
    const size_t first = count < MOST_LINES ? count : MOST_LINES;
    page_put(r, "<figure><figcaption><b>");
    svg_text(r->html, c->name);
    page_put(r, "</b></figcaption>\n");
    draw_curve(r, c, line, first);
    put_alike(r, line, count);
    if (count > first) {
        output_print(r->html, "<details><summary>%lu more line%s</summary>\n",
                     COUNTED(count - first));
        for (size_t i = first; i < count; i += MOST_LINES)
            draw_curve(r, c, line + i, count - i < MOST_LINES ? count - i : MOST_LINES);
        page_put(r, "</details>\n");
    }
    page_put(r, "</figure>\n");
    r->curves++;
}

void curves_dataset(report *r, size_t dataset)
{
    size_t count;
    const curve *all = curves_of(r, dataset, &count);
    page_put(r, "<div class=\"curves\">\n");
    for (size_t i = 0; i < count; i++)
        if (is_drawn(r, &all[i])) put_curve(r, dataset, &all[i]);
    page_put(r, "</div>\n");
}

/* ---- Errors of all rows ---------------------------------------------------- */

enum { LANE = 22, CROSSES = 6 }; /* pixels; the colour and mark of models that are not usual */

static int has_error(const report *r, size_t row, size_t model)
{
    return validate_is_scored(r->v, row) && validate_predicted(r->v, row, model) > 0.0;
}

/* Errors in percent from d->x_low to d->x_high, and 0 with room around. */
static void find_range(const report *r, size_t dataset, svg_diagram *d)
{
    const row_list *rows = &r->v->of_dataset[dataset];
    for (size_t k = r->first[dataset]; k < r->first[dataset + 1]; k++)
        for (size_t i = 0; i < rows->count; i++) {
            const size_t row = rows->row[i], model = r->v->result[k].model;
            const double e = has_error(r, row, model) ? error_of(r, row, model) : 0.0;
            widen(&d->x_low, &d->x_high, &e, 1);
        }
    double room = 0.05 * (d->x_high - d->x_low);
    if (room < 0.5) room = 0.5;
    d->x_low -= room;
    d->x_high += room;
}

static void draw_lane(const report *r, const svg_diagram *d, const validate_result *result,
                      double y)
{
    const row_list *rows = &r->v->of_dataset[result->dataset];
    const size_t colour = validate_is_default(r->v, result) ? 0 : CROSSES;
    const char *name = validate_model_name(result->model);
    const double bias = 100.0 * result->errors.bias;
    svg_label(d, d->left - 8, y + 4.5, "end", name);
    for (size_t i = 0; i < rows->count; i++)
        if (has_error(r, rows->row[i], result->model))
            svg_mark_at(d, svg_x(d, error_of(r, rows->row[i], result->model)), y, colour);
    if (bias >= d->x_low && bias <= d->x_high) svg_box(d, svg_x(d, bias) - 1.0, y - 8, 2, 16, 1, 0);
}

void curves_errors(report *r, size_t dataset)
{
    const size_t lanes = r->first[dataset + 1] - r->first[dataset];
    output name = {0};
    svg_diagram d = {
        .description = "A lane for each model with the error of each row, percent, and its bias",
        .number = ++r->pictures, .width = 400, .left = 118, .right = 390,
        .bottom = 24.0 + LANE * (double)lanes, .x_label = "error of each row; bar: bias, percent"
    };
    output_print(&name, "Errors of every scored row of %s, by model%c", r->v->data.name[dataset],
                 '\0');
    d.name = name.text;
    d.height = d.bottom + 46;
    find_range(r, dataset, &d);
    page_put(r, "<figure>\n");
    svg_begin(&d, r->html);
    svg_axis_x(&d);
    svg_box(&d, svg_x(&d, 0.0) - 0.5, d.top, 1, d.bottom - d.top, CROSSES, 0);
    for (size_t i = 0; i < lanes; i++)
        draw_lane(r, &d, &r->v->result[r->first[dataset] + i], 24.0 + LANE * ((double)i + 0.5));
    svg_end(&d);
    page_put(r, "</figure>\n");
}
