/* throughput.c - throughput against workers: curves with bands, points with intervals */
#include "cmd/plot/plot.h"

#include <stdio.h>
#include <string.h>

typedef struct curve {
    const char *name;
    double     *x, *y, *low, *high; /* [n] by workers                               */
    size_t      n;
    int         band;
} curve;

typedef struct curve_columns { int workers, rate, low, high, half, role; } curve_columns;

static curve_columns find(const csv_table *t)
{
    curve_columns c;
    c.workers = csv_require(t, "workers");
    c.rate = csv_require(t, "batches_per_s");
    c.low = plot_column(t, "low");
    c.high = plot_column(t, "high");
    c.half = plot_column(t, "ci95_half_width");
    c.role = plot_column(t, "role");
    if (c.high == CSV_NONE) c.low = CSV_NONE;
    return c;
}

/* The interval of a row: 0 if it has none. */
static int interval(const csv_table *t, size_t row, const curve_columns *c, double *low,
                    double *high)
{
    const double rate = plot_number(t, row, c->rate);
    *low = *high = rate;
    if (!csv_is_empty(t, row, c->low) && !csv_is_empty(t, row, c->high)) {
        *low = plot_number(t, row, c->low);
        *high = plot_number(t, row, c->high);
    } else if (!csv_is_empty(t, row, c->half)) {
        const double half = plot_number(t, row, c->half);
        *low = rate > half ? rate - half : 0.0;
        *high = rate + half;
    } else {
        return 0;
    }
    return 1;
}

/* What tells the curves of a file apart; "" where there is one. */
static const char *curve_name(const csv_table *t, size_t row)
{
    static const char *const keys[] = {"job", "offer", "curve", "trace"};
    size_t i;
    for (i = 0; i < COUNT_OF(keys); i++) {
        const int column = plot_column(t, keys[i]);
        if (column != CSV_NONE) return csv_text(t, row, column);
    }
    return "";
}

/* In order of workers. */
static void insert(curve *c, double x, double y, double low, double high)
{
    size_t at = c->n++;
    for (; at > 0 && c->x[at - 1] > x; at--) {
        c->x[at] = c->x[at - 1];
        c->y[at] = c->y[at - 1];
        c->low[at] = c->low[at - 1];
        c->high[at] = c->high[at - 1];
    }
    c->x[at] = x;
    c->y[at] = y;
    c->low[at] = low;
    c->high[at] = high;
}

static size_t read_curves(const csv_table *t, curve *list)
{
    const curve_columns c = find(t);
    size_t curves = 0, row, i;
    for (row = 0; row < t->rows; row++) {
        const char *name = curve_name(t, row);
        double low, high;
        for (i = 0; i < curves && strcmp(list[i].name, name) != 0; i++) {}
        if (i == SVG_COLOURS)
            csv_fail(t, row, CSV_NONE, "more than %d curves are not told apart", SVG_COLOURS);
        if (i == curves) {
            double *room = (double *)tool_alloc(4 * t->rows, sizeof *room);
            list[i].x = room;
            list[i].y = room + t->rows;
            list[i].low = room + 2 * t->rows;
            list[i].high = room + 3 * t->rows;
            list[i].name = name;
            list[i].n = 0;
            list[i].band = 1;
            curves++;
        }
        list[i].band &= interval(t, row, &c, &low, &high);
        insert(&list[i], csv_number(t, row, c.workers, NUMBER_POSITIVE),
               plot_number(t, row, c.rate), low, high);
    }
    return curves;
}

static void widen(svg_diagram *d, double x, double y)
{
    if (!(d->x_low > 0.0) || x < d->x_low) d->x_low = x;
    if (x > d->x_high) d->x_high = x;
    if (y > d->y_high) d->y_high = y;
}

/* Ranges of everything that will be drawn; more than 64 workers on a logarithmic axis. */
static void set_ranges(svg_diagram *d, const curve *list, size_t curves, const csv_table *points)
{
    size_t i, j;
    for (i = 0; i < curves; i++)
        for (j = 0; j < list[i].n; j++)
            widen(d, list[i].x[j], list[i].high[j] > list[i].y[j] ? list[i].high[j]
                                                                  : list[i].y[j]);
    if (points) {
        const curve_columns c = find(points);
        for (i = 0; i < points->rows; i++) {
            double low, high;
            interval(points, i, &c, &low, &high);
            widen(d, csv_number(points, i, c.workers, NUMBER_POSITIVE), high);
        }
    }
    d->x_scale = d->x_high > 64.0 && d->x_high / d->x_low > 16.0 ? SVG_LOG2 : SVG_LINEAR;
    if (d->x_scale == SVG_LINEAR) d->x_low = d->x_high > 8.0 ? 0.0 : d->x_low - 0.5;
    if (d->x_scale == SVG_LINEAR) d->x_high += d->x_high > 8.0 ? 0.03 * d->x_high : 0.5;
    if (d->x_scale == SVG_LOG2) { d->x_low /= 1.2; d->x_high *= 1.2; }
    if (d->y_high < 1e-290) d->y_high = 1.0; /* 0, to a picture */
}

static int is_fit(const csv_table *t, const curve_columns *c, size_t row)
{
    return c->role != CSV_NONE && strcmp(csv_text(t, row, c->role), "fit") == 0;
}

static void draw_points(plot_job *job, const svg_diagram *d, const csv_table *t)
{
    const curve_columns c = find(t);
    size_t row;
    for (row = 0; row < t->rows; row++) {
        const double x = csv_number(t, row, c.workers, NUMBER_POSITIVE);
        double low, high;
        if (interval(t, row, &c, &low, &high)) svg_interval(d, x, low, high);
        svg_dot(d, x, plot_number(t, row, c.rate), is_fit(t, &c, row));
        job->dots++;
    }
}

static void name_points(svg_diagram *d, const csv_table *t)
{
    const curve_columns c = find(t);
    const int bars = c.low != CSV_NONE || c.half != CSV_NONE;
    size_t row, fits = 0;
    for (row = 0; row < t->rows; row++) fits += (size_t)is_fit(t, &c, row);
    if (fits < t->rows)
        svg_legend(d, bars ? "measured, with its interval" : "measured", SVG_DOT, 0);
    if (fits > 0) svg_legend(d, "measured, an input", SVG_RING, 0);
}

static void name_curves(svg_diagram *d, const curve *list, size_t curves)
{
    size_t i, bands = 0;
    for (i = 0; i < curves; i++) {
        svg_legend(d, list[i].name[0] ? list[i].name : "predicted", SVG_LINE, i);
        bands += (size_t)list[i].band;
    }
    if (bands > 0) svg_legend(d, "its interval", SVG_BAND, 0);
}

/* A file of points alone, as calibrate takes: no column that a prediction has. */
static int is_points(const csv_table *t)
{
    return plot_column(t, "step_s") == CSV_NONE && plot_column(t, "makespan_s") == CSV_NONE &&
           plot_column(t, "in_time") == CSV_NONE;
}

void plot_throughput(plot_job *job, output *svg)
{
    const csv_table *t = job->input.table, *points = job->points;
    curve list[SVG_COLOURS];
    svg_diagram d;
    size_t i;
    memset(&d, 0, sizeof d);
    if (is_points(t) && !points) points = t;
    job->curves = points == t ? 0 : read_curves(t, list);
    d.title = job->title;
    d.x_label = "workers";
    d.y_label = "throughput, mini-batches per second";
    d.width = 640;
    d.height = 420;
    d.left = 72;
    d.right = 620;
    d.bottom = 368;
    set_ranges(&d, list, job->curves, points);
    name_curves(&d, list, job->curves);
    if (points) name_points(&d, points);
    svg_begin(&d, svg);
    svg_round_y(&d);
    svg_axis_x(&d);
    svg_axis_y(&d);
    for (i = 0; i < job->curves; i++)
        if (list[i].band) svg_band(&d, list[i].x, list[i].low, list[i].high, list[i].n, i);
    for (i = 0; i < job->curves; i++) {
        svg_line(&d, list[i].x, list[i].y, list[i].n, i);
        svg_small_dots(&d, list[i].x, list[i].y, list[i].n, i);
    }
    if (points) draw_points(job, &d, points);
    svg_end(&d);
}
