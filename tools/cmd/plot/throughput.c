/* throughput.c - throughput against workers: curves with bands, points with intervals */
#include "cmd/plot/plot.h"

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

/* In order of workers. */
typedef struct curve {
    const char *name;
    int         band;         /* all samples have an interval                       */
    double     *x, *y, *low, *high; /* [count]                                      */
    size_t      count;
} curve;

typedef struct throughputs {
    curve   curve[SVG_COLOURS];
    size_t  curves;
    const char *band_text;    /* 90 % of unseen rows, but of simulate a mean's       */
    sample *point;
    size_t  points, inputs, bars; /* how many of the points are or have these       */
    int     is_sd;            /* bars of points are standard deviations             */
    double  x_low, x_high, y_high; /* of all samples                                */
} throughputs;

typedef struct columns { int workers, rate, low, high, half, role, point; } columns;

/* What validate and calibrate add to what was measured. */
static int predicted_column(const csv_table *t)
{
    static const char *const names[] = {"predicted", "predicted_batches_per_s"};
    return plot_column(t, names, COUNT_OF(names));
}

static columns columns_of(const csv_table *t, int measured)
{
    static const char *const widths[] = {"ci95_half_width", "batches_per_s_sd"};
    const int predicted = predicted_column(t), rows = csv_find(t, "measured");
    columns c = {.workers = csv_require(t, "workers"), .rate = measured ? rows : predicted};
    if (c.rate == CSV_NONE) c.rate = csv_require(t, "batches_per_s");
    c.low = measured && predicted != CSV_NONE ? CSV_NONE : csv_find(t, "low");
    c.high = c.low == CSV_NONE ? CSV_NONE : csv_find(t, "high");
    c.half = plot_column(t, widths, measured ? 2 : 1);
    c.role = csv_find(t, "role");
    c.point = csv_find(t, "point");
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

/* Columns that name a curve, in this order. */
enum { NAMES = 6 };
static const struct {
    const char *column[4], *behind;
    int predicted;            /* where rows are of several models                   */
    int differs;              /* where it is not the same in all rows               */
} naming[NAMES] = {
    {{"dataset", NULL}, "", 0, 1}, {{"job", "offer", "curve", "trace"}, "", 0, 0},
    {{"mode", NULL}, "", 1, 1}, {{"model", NULL}, "", 1, 0}, {{"batch", NULL}, "", 0, 1},
    {{"servers", NULL}, " servers", 0, 1}
};

static void find_names(const csv_table *t, int use[NAMES])
{
    const int predicted = predicted_column(t) != CSV_NONE;
    for (size_t i = 0; i < NAMES; i++) {
        use[i] = plot_column(t, naming[i].column, COUNT_OF(naming[i].column));
        if (use[i] == CSV_NONE) continue;
        if ((naming[i].predicted && !predicted) || (naming[i].differs && !differs(t, use[i])))
            use[i] = CSV_NONE;
    }
}

/* What tells the curves of a file apart; "" where there is one. */
static const char *curve_name(const csv_table *t, size_t row, const int use[NAMES])
{
    output name = {0};
    for (size_t i = 0; i < NAMES; i++)
        if (use[i] != CSV_NONE && !csv_is_empty(t, row, use[i]))
            output_print(&name, "%s%s%s", name.length > 0 ? ", " : "", csv_text(t, row, use[i]),
                         naming[i].behind);
    output_print(&name, "%c", '\0');
    return name.text;
}

static int compare_samples(const void *a, const void *b)
{
    const sample *x = (const sample *)a, *y = (const sample *)b;
    if (x->curve != y->curve) return x->curve < y->curve ? -1 : 1;
    if (x->x < y->x || x->x > y->x) return x->x < y->x ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* The ranges of all that is drawn. */
static void widen(throughputs *p, const sample *s)
{
    if (!(p->x_low > 0.0) || s->x < p->x_low) p->x_low = s->x;
    if (s->x > p->x_high) p->x_high = s->x;
    if (s->y > p->y_high) p->y_high = s->y;
    if (s->high > p->y_high) p->y_high = s->high;
}

/* The number of the curve of that name, perhaps a new one. */
static size_t find_curve(throughputs *p, const csv_table *t, size_t row, const char *name)
{
    size_t i = 0;
    while (i < p->curves && strcmp(p->curve[i].name, name) != 0) i++;
    if (i == SVG_COLOURS)
        csv_fail(t, row, CSV_NONE, "a picture shows at most %d curves: remove rows",
                 SVG_COLOURS);
    if (i == p->curves) {
        p->curve[i].name = name;
        p->curve[i].band = 1;
        p->curves++;
    }
    return i;
}

/* Samples of a curve stand together. */
static void fill_curves(throughputs *p, const sample *s, size_t n)
{
    double *room = (double *)tool_alloc(4 * (uint64_t)n, sizeof *room);
    for (size_t i = 0; i < n; i++) {
        curve *c = &p->curve[s[i].curve];
        if (c->count == 0) {
            c->x = room + i;
            c->y = c->x + n;
            c->low = c->y + n;
            c->high = c->low + n;
        }
        c->x[c->count] = s[i].x;
        c->y[c->count] = s[i].y;
        c->low[c->count] = s[i].low;
        c->high[c->count++] = s[i].high;
        widen(p, &s[i]);
    }
}

static void read_curves(const csv_table *t, throughputs *p)
{
    const columns c = columns_of(t, 0);
    sample *all = (sample *)tool_alloc(t->rows, sizeof *all);
    int use[NAMES];
    size_t n = 0;
    plot_check_count(t->name, t->rows, "rows", MOST_ROWS);
    p->band_text = c.low != CSV_NONE ? "90 % interval" : "95 % interval of the mean";
    find_names(t, use);
    for (size_t row = 0; row < t->rows; row++) {
        sample *s = &all[n];
        if (!read_sample(t, row, &c, s)) continue;
        s->curve = find_curve(p, t, row, curve_name(t, row, use));
        p->curve[s->curve].band &= s->bar;
        n++;
    }
    qsort(all, n, sizeof *all, compare_samples);
    fill_curves(p, all, n);
}

/* validate has a row for each model: is this point another one? */
static int is_new(name_index *seen, const csv_table *t, const columns *c, const sample *s)
{
    const int dataset = csv_find(t, "dataset");
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
    plot_check_count(t->name, t->rows, "rows", MOST_ROWS);
    p->point = (sample *)tool_alloc(t->rows, sizeof *p->point);
    p->is_sd = c.half != CSV_NONE && c.half == csv_find(t, "batches_per_s_sd");
    for (size_t row = 0; row < t->rows; row++) {
        sample *s = &p->point[p->points];
        if (!read_sample(t, row, &c, s) || !is_new(&seen, t, &c, s)) continue;
        p->points++;
        p->inputs += (size_t)s->fit;
        p->bars += (size_t)s->bar;
        widen(p, s);
    }
    names_free(&seen);
}

/* ---- What is drawn --------------------------------------------------------- */

/* A file of points alone, as calibrate takes: CSV, and no column that a prediction has. */
static int is_points(const plot_job *job)
{
    static const char *const of_predictions[] = {"step_s", "makespan_s", "in_time"};
    return job->flat.columns.count == 0 &&
           plot_column(job->table, of_predictions, COUNT_OF(of_predictions)) == CSV_NONE;
}

static const char *curve_text(const curve *c) { return c->name[0] ? c->name : "predicted"; }

static const char *points_text(const throughputs *p)
{
    if (p->bars == 0) return "measured";
    return p->is_sd ? "measured, with its standard deviation" : "measured, with its interval";
}

static const char input_text[] = "measured, an input";

static void name_all(svg_diagram *d, const throughputs *p)
{
    int bands = 0;
    for (size_t i = 0; i < p->curves; i++) {
        svg_legend(d, curve_text(&p->curve[i]), SVG_LINE, i);
        bands |= p->curve[i].band;
    }
    if (bands) svg_legend(d, p->band_text, SVG_BAND, 0);
    if (p->points > p->inputs) svg_legend(d, points_text(p), SVG_DOT, 0);
    if (p->inputs > 0) svg_legend(d, input_text, SVG_RING, 0);
}

static void draw(svg_diagram *d, const throughputs *p, output *svg)
{
    svg_begin(d, svg);
    svg_axis_x(d);
    svg_axis_y(d);
    for (size_t i = 0; i < p->curves; i++) {
        const curve *c = &p->curve[i];
        if (c->band && c->count == 1) svg_interval(d, c->x[0], c->low[0], c->high[0]);
        else if (c->band) svg_band(d, c->x, c->low, c->high, c->count, i);
    }
    for (size_t i = 0; i < p->curves; i++)
        svg_line(d, p->curve[i].x, p->curve[i].y, p->curve[i].count, i);
    for (size_t i = 0; i < p->points; i++) {
        const sample *s = &p->point[i];
        if (s->bar) svg_interval(d, s->x, s->low, s->high);
        svg_dot(d, svg_x(d, s->x), svg_y(d, s->y), s->fit);
    }
    svg_end(d);
}

static void describe_curve(const svg_diagram *d, const curve *c, output *json)
{
    size_t i;
    json_object(json, NULL);
    json_string(json, "name", curve_text(c));
    json_bool(json, "band", c->band);
    json_numbers(json, "x", c->x, c->count);
    json_numbers(json, "y", c->y, c->count);
    json_numbers(json, "low", c->low, c->count);
    json_numbers(json, "high", c->high, c->count);
    json_array(json, "marked");
    for (i = 0; i < c->count; i = svg_next_mark(d, c->x, c->count, i)) json_integer(json, NULL, i);
    json_end(json);
    json_end(json);
}

static void describe_point(const sample *s, output *json)
{
    json_object(json, NULL);
    json_number(json, "x", s->x);
    json_number(json, "y", s->y);
    if (s->bar) json_number(json, "low", s->low);
    if (s->bar) json_number(json, "high", s->high);
    json_bool(json, "input", s->fit);
    json_end(json);
}

static void describe(const svg_diagram *d, const throughputs *p, output *json)
{
    const double range[] = {d->x_low, d->x_high};
    plot_describe(json, "throughput", d);
    json_bool(json, "logarithmic", d->x_scale == SVG_LOG2);
    json_numbers(json, "x_range", range, COUNT_OF(range));
    json_number(json, "y_high", d->y_high);
    json_string(json, "band_text", p->band_text);
    json_string(json, "points_text", points_text(p));
    json_string(json, "inputs_text", input_text);
    json_array(json, "curves");
    for (size_t i = 0; i < p->curves; i++) describe_curve(d, &p->curve[i], json);
    json_end(json);
    json_array(json, "points");
    for (size_t i = 0; i < p->points; i++) describe_point(&p->point[i], json);
    json_end(json);
    json_end(json);
}

void plot_throughput(plot_job *job, output *svg, output *json)
{
    const csv_table *t = job->table, *points = job->points;
    throughputs p = {0};
    svg_diagram d = {
        .name = job->title ? job->title : "Throughput against workers", .title = job->title,
        .description = "Curves of predicted and points of measured throughput",
        .x_label = "workers", .y_label = "throughput, mini-batches per second",
        .width = 640, .height = 420, .left = 72, .right = 620, .bottom = 368
    };
    if (!points && (predicted_column(t) != CSV_NONE || is_points(job))) points = t;
    if (points != t || predicted_column(t) != CSV_NONE) read_curves(t, &p);
    if (points) read_points(points, &p);
    if (p.curves == 0 && p.points == 0) tool_fail("%s: no row has a throughput", t->name);
    svg_whole_x(&d, p.x_low, p.x_high);
    d.y_high = p.y_high < 1e-290 ? 1.0 : p.y_high; /* 0, to a picture */
    svg_round_y(&d);
    name_all(&d, &p);
    describe(&d, &p, json);
    draw(&d, &p, svg);
    job->curves = p.curves;
    job->dots = p.points;
}
