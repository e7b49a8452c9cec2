/* throughput.c - throughput against workers: curves with bands, points with intervals */
#include "base/svg.h"
#include "cmd/plot/plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is read ---------------------------------------------------------- */

enum { MOST_ROWS = 10000 };

typedef struct sample {
    double x, y, low, high;
    size_t curve, row;
    int    bar;               /* has an interval                                    */
    int    fit;               /* of a point: an input                               */
} sample;

typedef struct throughputs {
    const char *name[SVG_COLOURS];
    size_t      first[SVG_COLOURS + 1]; /* samples of a curve: up to the next one's */
    int         band[SVG_COLOURS];
    size_t      curves;
    sample     *of_curve, *point;
    size_t      points;
    int         is_sd;        /* bars of points are standard deviations             */
    double      x_low, x_high, y_high;
} throughputs;

typedef struct columns { int workers, rate, low, high, half, role, point; } columns;

static int any_column(const csv_table *t, const char *const *names, size_t count)
{
    int column = CSV_NONE;
    size_t i;
    for (i = 0; i < count && column == CSV_NONE; i++) column = plot_column(t, names[i]);
    return column;
}

/* What validate and calibrate add to what was measured. */
static int predicted_column(const csv_table *t)
{
    static const char *const names[] = {"predicted", "predicted_batches_per_s"};
    return any_column(t, names, COUNT_OF(names));
}

static columns columns_of(const csv_table *t, int measured)
{
    static const char *const widths[] = {"ci95_half_width", "batches_per_s_sd"};
    const int predicted = predicted_column(t), rows = plot_column(t, "measured");
    columns c;
    c.workers = csv_require(t, "workers");
    c.rate = measured ? rows : predicted;
    if (c.rate == CSV_NONE) c.rate = csv_require(t, "batches_per_s");
    c.low = measured && predicted != CSV_NONE ? CSV_NONE : plot_column(t, "low");
    c.high = c.low == CSV_NONE ? CSV_NONE : plot_column(t, "high");
    c.half = any_column(t, widths, measured ? 2 : 1);
    c.role = plot_column(t, "role");
    c.point = plot_column(t, "point");
    return c;
}

/* A row that has a throughput; 0 if it has none. */
static int read_sample(const csv_table *t, size_t row, const columns *c, sample *s)
{
    memset(s, 0, sizeof *s);
    if (csv_is_empty(t, row, c->rate)) return 0;
    s->row = row;
    s->x = csv_number(t, row, c->workers, NUMBER_POSITIVE);
    s->y = s->low = s->high = plot_number(t, row, c->rate);
    s->fit = c->role != CSV_NONE && strcmp(csv_text(t, row, c->role), "fit") == 0;
    if (!csv_is_empty(t, row, c->low) && !csv_is_empty(t, row, c->high)) {
        s->low = plot_number(t, row, c->low);
        s->high = plot_number(t, row, c->high);
        if (s->low > s->high) csv_fail(t, row, c->low, "is above column 'high'");
        s->bar = 1;
    } else if (!csv_is_empty(t, row, c->half)) {
        const double half = plot_number(t, row, c->half);
        s->low = s->y > half ? s->y - half : 0.0;
        s->high = s->y + half;
        s->bar = 1;
    }
    return 1;
}

static int differs(const csv_table *t, int column)
{
    size_t row = 1;
    while (row < t->rows && strcmp(csv_text(t, row, column), csv_text(t, 0, column)) == 0) row++;
    return row < t->rows;
}

/* What tells the curves of a file apart; "" where there is one. */
static const char *curve_name(const csv_table *t, size_t row, const int use[6])
{
    static const char *const behind[6] = {"", "", "", "", "", " servers"};
    size_t i, used = 0, bytes = 1;
    char *name;
    for (i = 0; i < 6; i++)
        if (use[i] != CSV_NONE) bytes += strlen(csv_text(t, row, use[i])) + 16;
    name = (char *)tool_alloc(bytes, 1);
    for (i = 0; i < 6; i++)
        if (use[i] != CSV_NONE && !csv_is_empty(t, row, use[i]))
            used += (size_t)snprintf(name + used, bytes - used, "%s%s%s", used > 0 ? ", " : "",
                                     csv_text(t, row, use[i]), behind[i]);
    return name;
}

/* Columns that name a curve: of the last three where they differ. */
static void find_names(const csv_table *t, int use[6])
{
    static const char *const keys[] = {"job", "offer", "curve", "trace"};
    use[0] = plot_column(t, "dataset");
    use[1] = any_column(t, keys, COUNT_OF(keys));
    use[2] = predicted_column(t) == CSV_NONE ? CSV_NONE : plot_column(t, "mode");
    use[3] = predicted_column(t) == CSV_NONE ? CSV_NONE : plot_column(t, "model");
    use[4] = plot_column(t, "batch");
    use[5] = plot_column(t, "servers");
    if (use[0] != CSV_NONE && !differs(t, use[0])) use[0] = CSV_NONE;
    if (use[2] != CSV_NONE && !differs(t, use[2])) use[2] = CSV_NONE;
    if (use[4] != CSV_NONE && !differs(t, use[4])) use[4] = CSV_NONE;
    if (use[5] != CSV_NONE && !differs(t, use[5])) use[5] = CSV_NONE;
}

static int compare_samples(const void *a, const void *b)
{
    const sample *x = (const sample *)a, *y = (const sample *)b;
    if (x->curve != y->curve) return x->curve < y->curve ? -1 : 1;
    if (x->x < y->x || x->x > y->x) return x->x < y->x ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void check_rows(const csv_table *t)
{
    if (t->rows > MOST_ROWS)
        tool_fail("%s: %lu rows are too many for a picture, at most %d", t->name,
                  (unsigned long)t->rows, (int)MOST_ROWS);
}

/* Each curve in order of workers. */
static void read_curves(const csv_table *t, throughputs *p)
{
    const columns c = columns_of(t, 0);
    int use[6];
    size_t row, i, n = 0;
    check_rows(t);
    find_names(t, use);
    p->of_curve = (sample *)tool_alloc(t->rows, sizeof *p->of_curve);
    for (row = 0; row < t->rows; row++) {
        sample *s = &p->of_curve[n];
        const char *name;
        if (!read_sample(t, row, &c, s)) continue;
        name = curve_name(t, row, use);
        for (i = 0; i < p->curves && strcmp(p->name[i], name) != 0; i++) {}
        if (i == SVG_COLOURS)
            csv_fail(t, row, CSV_NONE, "more than %d curves are not told apart: leave rows out",
                     SVG_COLOURS);
        if (i == p->curves) {
            p->name[p->curves] = name;
            p->band[p->curves++] = 1;
        }
        s->curve = i;
        p->band[i] &= s->bar;
        n++;
    }
    qsort(p->of_curve, n, sizeof *p->of_curve, compare_samples);
    for (i = 0, row = 0; i <= p->curves; i++) {
        while (row < n && p->of_curve[row].curve < i) row++;
        p->first[i] = row;
    }
}

/* validate has a row for each model: is this point another one? */
static int is_new(name_index *seen, const csv_table *t, const columns *c, const sample *s)
{
    const int dataset = plot_column(t, "dataset");
    size_t number;
    output key = {0};
    if (predicted_column(t) == CSV_NONE) return 1;
    output_print(&key, "%.17g %.17g %d", s->x, s->y, s->fit);
    if (c->point != CSV_NONE) output_print(&key, " %s", csv_text(t, s->row, c->point));
    if (dataset != CSV_NONE) output_print(&key, ",%s", csv_text(t, s->row, dataset));
    return names_add(seen, key.text, key.length, &number) == NAMES_NEW;
}

static void read_points(const csv_table *t, throughputs *p)
{
    const columns c = columns_of(t, 1);
    name_index seen = {0};
    size_t row;
    check_rows(t);
    p->point = (sample *)tool_alloc(t->rows, sizeof *p->point);
    p->is_sd = c.half != CSV_NONE && c.half == plot_column(t, "batches_per_s_sd");
    for (row = 0; row < t->rows; row++) {
        sample *s = &p->point[p->points];
        p->points += (size_t)(read_sample(t, row, &c, s) && is_new(&seen, t, &c, s));
    }
    names_free(&seen);
}

/* ---- What is drawn --------------------------------------------------------- */

/* A file of points alone, as calibrate takes: CSV, and no column that a prediction has. */
static int is_points(const plot_job *job)
{
    static const char *const of_predictions[] = {"step_s", "makespan_s", "in_time"};
    return job->flat.columns.count == 0 &&
           any_column(job->table, of_predictions, COUNT_OF(of_predictions)) == CSV_NONE;
}

static void widen(throughputs *p, const sample *s, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        if (!(p->x_low > 0.0) || s[i].x < p->x_low) p->x_low = s[i].x;
        if (s[i].x > p->x_high) p->x_high = s[i].x;
        if (s[i].y > p->y_high) p->y_high = s[i].y;
        if (s[i].high > p->y_high) p->y_high = s[i].high;
    }
}

/* Ranges of everything that will be drawn. */
static void set_ranges(throughputs *p, svg_diagram *d)
{
    widen(p, p->of_curve, p->first[p->curves]);
    widen(p, p->point, p->points);
    svg_whole_x(d, p->x_low, p->x_high);
    d->y_high = p->y_high < 1e-290 ? 1.0 : p->y_high; /* 0, to a picture */
}

static const char *curve_text(const throughputs *p, size_t i)
{
    return p->name[i][0] ? p->name[i] : "predicted";
}

static const char *points_text(const throughputs *p)
{
    size_t i, bars = 0;
    for (i = 0; i < p->points; i++) bars += (size_t)p->point[i].bar;
    if (bars == 0) return "measured";
    return p->is_sd ? "measured, with its standard deviation" : "measured, with its interval";
}

static const char x_label[] = "workers", y_label[] = "throughput, mini-batches per second";
static const char band_text[] = "its interval", input_text[] = "measured, an input";

/* Which of the two are there? */
static void count_roles(const throughputs *p, size_t *scored, size_t *inputs)
{
    size_t i;
    *inputs = 0;
    for (i = 0; i < p->points; i++) *inputs += (size_t)p->point[i].fit;
    *scored = p->points - *inputs;
}

static void name_all(svg_diagram *d, const throughputs *p)
{
    size_t i, bands = 0, scored, inputs;
    for (i = 0; i < p->curves; i++) {
        svg_legend(d, curve_text(p, i), SVG_LINE, i);
        bands += (size_t)p->band[i];
    }
    if (bands > 0) svg_legend(d, band_text, SVG_BAND, 0);
    count_roles(p, &scored, &inputs);
    if (scored > 0) svg_legend(d, points_text(p), SVG_DOT, 0);
    if (inputs > 0) svg_legend(d, input_text, SVG_RING, 0);
}

/* The samples of a curve as arrays: x, y, low, high. */
static size_t arrays_of(const throughputs *p, size_t curve, double *a[4])
{
    const sample *s = &p->of_curve[p->first[curve]];
    const size_t n = p->first[curve + 1] - p->first[curve];
    double *room = (double *)tool_alloc(4 * (uint64_t)n, sizeof *room);
    size_t i;
    for (i = 0; i < 4; i++) a[i] = room + i * n;
    for (i = 0; i < n; i++) {
        a[0][i] = s[i].x;
        a[1][i] = s[i].y;
        a[2][i] = s[i].low;
        a[3][i] = s[i].high;
    }
    return n;
}

static void frame(svg_diagram *d, const throughputs *p, const char *title)
{
    d->title = title;
    d->name = title ? title : "Throughput against workers";
    d->description = "Curves of predicted and points of measured throughput";
    d->x_label = x_label;
    d->y_label = y_label;
    d->width = 640;
    d->height = 420;
    d->left = 72;
    d->right = 620;
    d->bottom = 368;
    name_all(d, p);
}

static void draw(svg_diagram *d, const throughputs *p, output *svg)
{
    double *a[4];
    size_t i;
    svg_begin(d, svg);
    svg_round_y(d);
    svg_axis_x(d);
    svg_axis_y(d);
    for (i = 0; i < p->curves; i++) {
        const size_t n = arrays_of(p, i, a);
        if (p->band[i] && n == 1) svg_interval(d, a[0][0], a[2][0], a[3][0]);
        else if (p->band[i]) svg_band(d, a[0], a[2], a[3], n, i);
    }
    for (i = 0; i < p->curves; i++) {
        const size_t n = arrays_of(p, i, a);
        svg_line(d, a[0], a[1], n, i);
        svg_marks(d, a[0], a[1], n, i);
    }
    for (i = 0; i < p->points; i++) {
        const sample *s = &p->point[i];
        if (s->bar) svg_interval(d, s->x, s->low, s->high);
        svg_dot(d, s->x, s->y, s->fit);
    }
    svg_end(d);
}

static void describe(const svg_diagram *d, const throughputs *p, output *json)
{
    static const char *const keys[4] = {"x", "y", "low", "high"};
    size_t i, k;
    json_object(json, NULL);
    json_string(json, "picture", "throughput");
    json_string(json, "title", d->title);
    json_string(json, "x_label", x_label);
    json_string(json, "y_label", y_label);
    json_bool(json, "logarithmic", d->x_scale == SVG_LOG2);
    json_array(json, "x_range");
    json_number(json, NULL, d->x_low);
    json_number(json, NULL, d->x_high);
    json_end(json);
    json_number(json, "y_high", d->y_high);
    json_string(json, "band_text", band_text);
    json_string(json, "points_text", points_text(p));
    json_string(json, "inputs_text", input_text);
    json_array(json, "curves");
    for (i = 0; i < p->curves; i++) {
        double *a[4];
        const size_t n = arrays_of(p, i, a);
        json_object(json, NULL);
        json_string(json, "name", curve_text(p, i));
        json_bool(json, "band", p->band[i]);
        for (k = 0; k < 4; k++) json_numbers(json, keys[k], a[k], n);
        json_end(json);
    }
    json_end(json);
    json_array(json, "points");
    for (i = 0; i < p->points; i++) {
        const sample *s = &p->point[i];
        json_object(json, NULL);
        json_number(json, "x", s->x);
        json_number(json, "y", s->y);
        if (s->bar) json_number(json, "low", s->low);
        if (s->bar) json_number(json, "high", s->high);
        json_bool(json, "input", s->fit);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

void plot_throughput(plot_job *job, output *svg, output *json)
{
    const csv_table *t = job->table, *points = job->points;
    throughputs p;
    svg_diagram d;
    memset(&p, 0, sizeof p);
    memset(&d, 0, sizeof d);
    if (!points && (predicted_column(t) != CSV_NONE || is_points(job))) points = t;
    if (points != t || predicted_column(t) != CSV_NONE) read_curves(t, &p);
    if (points) read_points(points, &p);
    if (p.curves == 0 && p.points == 0) tool_fail("%s: no throughput in any row", t->name);
    set_ranges(&p, &d);
    frame(&d, &p, job->title);
    describe(&d, &p, json);
    draw(&d, &p, svg);
    job->curves = p.curves;
    job->dots = p.points;
}
