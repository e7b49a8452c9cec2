/* area.c - one picture of a report: a curve, measured and predicted, and its errors below */
#include "base/svg.h"
#include "cmd/report/report.h"

#include <stdio.h>
#include <string.h>

enum { BOTTOM = 182, ERRORS_TOP = 204, ERRORS_BOTTOM = 280, LABEL_HEIGHT = 15 };

const char *area_label(const report_line *line, char text[REPORT_LABEL])
{
    snprintf(text, REPORT_LABEL, line->models > 1 ? "%s +%lu" : "%s",
             validate_model_name(line->model[0]), (unsigned long)(line->models - 1));
    return text;
}

/* A picture's numbers are far from where a double ends. */
static double drawn(double value)
{
    const double most = 1e300;
    return value > most ? most : value < -most ? -most : value;
}

double area_error(const report *r, size_t row, size_t model)
{
    const double x = r->v->predicted[row * VALIDATE_MODELS + model];
    return drawn(100.0 * validate_error(x, r->v->data.row[row].batches_per_s));
}

/* What a line has of a curve: its points with a prediction. */
typedef struct plotted {
    double *x, *y, *low, *high; /* throughputs                                      */
    double *error_x, *error;    /* of rows that are scored, percent                 */
    size_t  points, errors;
} plotted;

static plotted plotted_of(const report *r, const report_curve *c, const report_line *line)
{
    const validation *v = r->v;
    double *room = (double *)tool_alloc(6 * (uint64_t)c->rows, sizeof *room);
    plotted t;
    size_t i;
    memset(&t, 0, sizeof t);
    t.x = room;
    t.y = room + c->rows;
    t.low = room + 2 * c->rows;
    t.high = room + 3 * c->rows;
    t.error_x = room + 4 * c->rows;
    t.error = room + 5 * c->rows;
    for (i = 0; i < c->rows; i++) {
        const dataset_row *row = &v->data.row[c->row[i]];
        const double x = v->predicted[c->row[i] * VALIDATE_MODELS + line->model[0]];
        if (!(x > 0.0)) continue;
        t.x[t.points] = row->workers;
        t.low[t.points] = drawn(x * (1.0 - c->half_width));
        t.high[t.points] = drawn(x * (1.0 + c->half_width));
        t.y[t.points++] = drawn(x);
        if (!validate_is_scored(v, c->row[i])) continue;
        t.error_x[t.errors] = row->workers;
        t.error[t.errors++] = area_error(r, c->row[i], line->model[0]);
    }
    return t;
}

static void widen(double *low, double *high, const double *value, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        if (value[i] < *low) *low = value[i];
        if (value[i] > *high) *high = value[i];
    }
}

/* ---- Throughput ------------------------------------------------------------ */

static void frame(svg_diagram *d, const report *r, const report_curve *c, const plotted *t,
                  const report_line *lines, size_t count)
{
    const dataset_list *data = &r->v->data;
    size_t i;
    for (i = 0; i < c->rows; i++)
        if (data->row[c->row[i]].batches_per_s > d->y_high)
            d->y_high = drawn(data->row[c->row[i]].batches_per_s);
    for (i = 0; i < count; i++)
        widen(&d->y_low, &d->y_high, lines[i].usual ? t[i].high : t[i].y, t[i].points);
    if (d->y_high < 1e-290) d->y_high = 1.0; /* 0, to a picture                       */
    svg_whole_x(d, data->row[c->row[0]].workers, data->row[c->row[c->rows - 1]].workers);
    d->width = 400;
    d->height = ERRORS_BOTTOM + 46;
    d->left = 60;
    d->right = 262;
    d->bottom = BOTTOM;
    d->y_label = "batches/s";
    d->y_ticks = 5;
}

static void draw_measured(const svg_diagram *d, const report *r, const report_curve *c)
{
    size_t i;
    for (i = 0; i < c->rows; i++) {
        const dataset_row *row = &r->v->data.row[c->row[i]];
        svg_dot(d, row->workers, drawn(row->batches_per_s),
                !validate_is_scored(r->v, c->row[i]));
    }
}

/* The first is that of the usual model alone. */
static size_t colour_of(const report_line *lines, size_t i) { return lines[0].usual ? i : i + 1; }

/* Beside the last point of each line, or as near as there is room. */
static void label_lines(const svg_diagram *d, const plotted *t, const report_line *lines,
                        size_t count)
{
    double at[REPORT_LINES] = {0};
    size_t order[REPORT_LINES] = {0}, i, k;
    char text[REPORT_LABEL];
    for (i = 0; i < count; i++) {
        const double y = svg_y(d, t[i].y[t[i].points - 1]);
        for (k = i; k > 0 && at[k - 1] > y; k--) {
            at[k] = at[k - 1];
            order[k] = order[k - 1];
        }
        at[k] = y;
        order[k] = i;
    }
    for (i = 1; i < count; i++)
        if (at[i] < at[i - 1] + LABEL_HEIGHT) at[i] = at[i - 1] + LABEL_HEIGHT;
    for (i = count; i-- > 0;) {
        const double most = d->bottom - LABEL_HEIGHT * (double)(count - 1 - i);
        if (at[i] > most) at[i] = most;
        svg_mark_at(d, d->right + 10, at[i], colour_of(lines, order[i]));
        svg_label(d, d->right + 17, at[i] + 4.5, "start", area_label(&lines[order[i]], text));
    }
}

static void draw_throughput(svg_diagram *d, const report *r, const report_curve *c,
                            const plotted *t, const report_line *lines, size_t count)
{
    size_t i;
    svg_round_y(d);
    svg_axis_y(d);
    if (c->half_width > 0.0 && lines[0].usual && t[0].points > 1)
        svg_band(d, t[0].x, t[0].low, t[0].high, t[0].points, 0);
    svg_level(d, d->y_low);
    if (c->half_width > 0.0 && lines[0].usual && t[0].points == 1)
        svg_interval(d, t[0].x[0], t[0].low[0], t[0].high[0]);
    for (i = count; i-- > 0;) {
        svg_line(d, t[i].x, t[i].y, t[i].points, colour_of(lines, i));
        svg_marks(d, t[i].x, t[i].y, t[i].points, colour_of(lines, i));
    }
    draw_measured(d, r, c);
    label_lines(d, t, lines, count);
}

/* ---- Errors ---------------------------------------------------------------- */

static void draw_errors(svg_diagram *d, const report_curve *c, const plotted *t,
                        const report_line *lines, size_t count)
{
    const double h = c->half_width;
    const double x[2] = {d->x_low, d->x_high};
    const double low[2] = {-100.0 * h / (1.0 + h), -100.0 * h / (1.0 + h)};
    const double most = h < 1.0 ? drawn(100.0 * h / (1.0 - h)) : 0.0;
    const double high[2] = {most, most};
    const int banded = h > 0.0 && h < 1.0 && lines[0].usual; /* from 1 on it has no end */
    size_t i;
    d->top = ERRORS_TOP;
    d->bottom = ERRORS_BOTTOM;
    d->y_low = -1.0;
    d->y_high = 1.0;
    d->y_ticks = 3;
    d->y_label = "error, %";
    d->x_label = "workers";
    if (banded) widen(&d->y_low, &d->y_high, low, 1);
    if (banded) widen(&d->y_low, &d->y_high, high, 1);
    for (i = 0; i < count; i++) widen(&d->y_low, &d->y_high, t[i].error, t[i].errors);
    svg_round_y(d);
    if (banded) svg_band(d, x, low, high, 2, 0);
    svg_axis_x(d);
    svg_axis_y(d);
    svg_level(d, 0.0);
    for (i = count; i-- > 0;) {
        svg_line(d, t[i].error_x, t[i].error, t[i].errors, colour_of(lines, i));
        svg_marks(d, t[i].error_x, t[i].error, t[i].errors, colour_of(lines, i));
    }
}

/* ---- The picture ----------------------------------------------------------- */

static void describe(output *name, output *text, const report *r, const report_curve *c,
                     const plotted *t, const report_line *lines, size_t count)
{
    const dataset_row *first = &r->v->data.row[c->row[0]];
    const dataset_row *last = &r->v->data.row[c->row[c->rows - 1]];
    char label[REPORT_LABEL];
    size_t i, k;
    output_print(name, "%s, %s: measured and predicted throughput%c",
                 r->v->data.name[first->dataset], c->name, '\0');
    output_print(text, "%lu measured, %u to %u workers. Errors, percent:", (unsigned long)c->rows,
                 first->workers, last->workers);
    for (i = 0; i < count; i++) {
        output_print(text, " %s", area_label(&lines[i], label));
        for (k = 0; k < t[i].errors; k++)
            output_print(text, "%s%.3g", k > 0 ? ", " : " ", t[i].error[k]);
        output_print(text, ".");
    }
    output_print(text, "%c", '\0');
}

void area_picture(report *r, const report_curve *c, const report_line *lines, size_t count)
{
    plotted t[REPORT_LINES];
    output name = {0}, text = {0};
    svg_diagram d;
    size_t i;
    memset(&d, 0, sizeof d);
    for (i = 0; i < count; i++) t[i] = plotted_of(r, c, &lines[i]);
    describe(&name, &text, r, c, t, lines, count);
    d.name = name.text;
    d.description = text.text;
    d.number = ++r->pictures;
    frame(&d, r, c, t, lines, count);
    svg_begin(&d, r->html);
    draw_throughput(&d, r, c, t, lines, count);
    draw_errors(&d, c, t, lines, count);
    svg_end(&d);
}
