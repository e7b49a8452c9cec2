/* curves.c - curves with bands and points with intervals: throughput against workers, and what
 * the table of pictures has over other columns or over time */
#include "cmd/plot/plot.h"
#include "options/args.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is read ---------------------------------------------------------- */

enum { MOST_ROWS = 10000, MOST_TIMED = 1000000, BINS = 100 };

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
    int         apart;        /* marks without a line                               */
    double     *x, *y, *low, *high; /* [count]                                      */
    size_t      count;
} curve;

typedef struct curves {
    curve   curve[SVG_COLOURS];
    size_t  count;
    const char *x_label, *y_label, *nameless; /* the last: a curve without a name   */
    const char *band_text;    /* 90 % of unseen rows, but of simulate a mean's       */
    sample *point;
    size_t  points, inputs, bars; /* how many of the points are or have these       */
    int     is_sd;            /* bars of points are standard deviations             */
    double  x_low, x_high, y_low, y_high; /* of all samples                         */
} curves;

typedef struct columns { int x, y, low, high, half, role, point, only; } columns;

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
    columns c = {.x = csv_require(t, "workers"), .y = measured ? rows : predicted};
    if (c.y == CSV_NONE) c.y = csv_require(t, "batches_per_s");
    c.low = measured && predicted != CSV_NONE ? CSV_NONE : csv_find(t, "low");
    c.high = c.low == CSV_NONE ? CSV_NONE : csv_find(t, "high");
    c.half = plot_column(t, widths, measured ? 2 : 1);
    c.role = csv_find(t, "role");
    c.point = csv_find(t, "point");
    c.only = CSV_NONE;
    return c;
}

/* A row that has a value; 0 if it has none. */
static int read_sample(const csv_table *t, size_t row, const columns *c, sample *s)
{
    memset(s, 0, sizeof *s);
    if (csv_is_empty(t, row, c->y)) return 0;
    s->row = row;
    s->x = csv_number(t, row, c->x, NUMBER_POSITIVE);
    s->y = s->low = s->high = plot_number(t, row, c->y);
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

int plot_differs(const csv_table *t, int column)
{
    size_t row = 1;
    while (row < t->rows && strcmp(csv_text(t, row, column), csv_text(t, 0, column)) == 0) row++;
    return row < t->rows;
}

/* Columns that name a curve or a row, in this order. */
static const struct {
    const char *column[4], *before, *behind;
    int predicted;            /* where rows are of several models                   */
    int differs;              /* where it is not the same in all rows               */
} naming[PLOT_NAMES] = {
    {{"policy", NULL}, "", "", 0, 0}, {{"dataset", NULL}, "", "", 0, 1},
    {{"job", "offer", "curve", "trace"}, "", "", 0, 0}, {{"mode", NULL}, "", "", 1, 1},
    {{"model", NULL}, "", "", 1, 0}, {{"batch", NULL}, "", "", 0, 1},
    {{"servers", NULL}, "", " servers", 0, 1}, {{"chunk", NULL}, "chunk ", "", 0, 1},
    {{"nodes_from", NULL}, "from ", " nodes", 0, 1}, {{"gamma", NULL}, "gamma ", "", 0, 1},
    {{"load", NULL}, "load ", "", 0, 1}, {{"fraction", NULL}, "fraction ", "", 0, 1},
    {{"device", NULL}, "device ", "", 0, 0}
};

void plot_find_names(const csv_table *t, int x, int use[PLOT_NAMES])
{
    const int predicted = predicted_column(t) != CSV_NONE || csv_find(t, "mean_error") != CSV_NONE;
    for (size_t i = 0; i < PLOT_NAMES; i++) {
        use[i] = plot_column(t, naming[i].column, COUNT_OF(naming[i].column));
        if (use[i] == CSV_NONE) continue;
        if (use[i] == x || (naming[i].predicted && !predicted) ||
            (naming[i].differs && !plot_differs(t, use[i])))
            use[i] = CSV_NONE;
    }
}

const char *plot_name_of(const csv_table *t, size_t row, const int use[PLOT_NAMES])
{
    output name = {0};
    for (size_t i = 0; i < PLOT_NAMES; i++)
        if (use[i] != CSV_NONE && !csv_is_empty(t, row, use[i]))
            output_print(&name, "%s%s%s%s", name.length > 0 ? ", " : "", naming[i].before,
                         csv_text(t, row, use[i]), naming[i].behind);
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
static void widen(curves *p, const sample *s)
{
    if (!(p->x_high > 0.0) || s->x < p->x_low) p->x_low = s->x;
    if (!(p->x_high > 0.0) || s->y < p->y_low) p->y_low = s->y;
    if (s->x > p->x_high) p->x_high = s->x;
    if (s->y > p->y_high) p->y_high = s->y;
    if (s->high > p->y_high) p->y_high = s->high;
}

/* The number of the curve of that name, perhaps a new one. */
static size_t find_curve(curves *p, const csv_table *t, size_t row, const char *name)
{
    size_t i = 0;
    while (i < p->count && strcmp(p->curve[i].name, name) != 0) i++;
    if (i == SVG_COLOURS)
        csv_fail(t, row, CSV_NONE, "a picture shows at most %d curves: remove rows",
                 SVG_COLOURS);
    if (i == p->count) {
        p->curve[i].name = name;
        p->curve[i].band = 1;
        p->count++;
    }
    return i;
}

/* Samples of a curve stand together. */
static void fill_curves(curves *p, const sample *s, size_t n)
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

/* Samples as the axes have them, in their curves. */
static void keep_samples(const plot_job *job, curves *p, sample *s, size_t n)
{
    double x = 0.0, y = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (s[i].x > x) x = s[i].x;
        if (s[i].y > y) y = s[i].y;
    }
    p->x_label = plot_label(job->picture->x_label, x, &x);
    p->y_label = plot_label(job->picture->y_label, y, &y);
    for (size_t i = 0; i < n; i++) {
        s[i].x *= x;
        s[i].y *= y;
        s[i].low *= y;
        s[i].high *= y;
    }
    qsort(s, n, sizeof *s, compare_samples);
    fill_curves(p, s, n);
}

static void read_curves(const plot_job *job, const columns *c, const int use[PLOT_NAMES],
                        curves *p)
{
    const csv_table *t = job->table;
    sample *all = (sample *)tool_alloc((uint64_t)t->rows + 2, sizeof *all);
    size_t n = 0;
    p->band_text = c->low != CSV_NONE ? "90 % interval" : "95 % interval of the mean";
    for (size_t row = 0; row < t->rows; row++) {
        sample *s = &all[n];
        if (c->only != CSV_NONE && csv_is_empty(t, row, c->only)) continue;
        if (!read_sample(t, row, c, s)) continue;
        s->curve = find_curve(p, t, row, plot_name_of(t, row, use));
        p->curve[s->curve].band &= s->bar;
        n++;
    }
    plot_check_count(t->name, n, "rows", MOST_ROWS);
    keep_samples(job, p, all, n);
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

static void read_points(const csv_table *t, curves *p)
{
    const columns c = columns_of(t, 1);
    name_index seen = {0};
    plot_check_count(t->name, t->rows, "rows", MOST_ROWS);
    p->point = (sample *)tool_alloc(t->rows, sizeof *p->point);
    p->is_sd = c.half != CSV_NONE && c.half == csv_find(t, "batches_per_s_sd");
    size_t read = 0;                   /* all first: a bad row leaves no names behind */
    for (size_t row = 0; row < t->rows; row++)
        if (read_sample(t, row, &c, &p->point[read])) read++;
    for (size_t i = 0; i < read; i++) {
        sample *s = &p->point[p->points];
        *s = p->point[i];
        if (!is_new(&seen, t, &c, s)) continue;
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

static const char *curve_text(const curves *p, size_t i)
{
    return p->curve[i].name[0] ? p->curve[i].name : p->nameless;
}

static const char *points_text(const curves *p)
{
    if (p->bars == 0) return "measured";
    return p->is_sd ? "measured, with its standard deviation" : "measured, with its interval";
}

static const char input_text[] = "measured, an input";

static void name_all(svg_diagram *d, const curves *p)
{
    int bands = 0;
    for (size_t i = 0; i < p->count; i++) {
        svg_legend(d, curve_text(p, i), p->curve[i].apart ? SVG_MARK : SVG_LINE, i);
        bands |= p->curve[i].band;
    }
    if (bands) svg_legend(d, p->band_text, SVG_BAND, 0);
    if (p->points > p->inputs) svg_legend(d, points_text(p), SVG_DOT, 0);
    if (p->inputs > 0) svg_legend(d, input_text, SVG_RING, 0);
}

static void draw(svg_diagram *d, const curves *p, output *svg)
{
    svg_begin(d, svg);
    svg_axis_x(d);
    svg_axis_y(d);
    for (size_t i = 0; i < p->count; i++) {
        const curve *c = &p->curve[i];
        if (c->band && c->count == 1) svg_interval(d, c->x[0], c->low[0], c->high[0]);
        else if (c->band) svg_band(d, c->x, c->low, c->high, c->count, i);
    }
    for (size_t i = 0; i < p->count; i++) {
        const curve *c = &p->curve[i];
        if (!c->apart) svg_line(d, c->x, c->y, c->count, i);
        for (size_t k = 0; c->apart && k < c->count; k++)
            svg_mark_at(d, svg_x(d, c->x[k]), svg_y(d, c->y[k]), i);
    }
    for (size_t i = 0; i < p->points; i++) {
        const sample *s = &p->point[i];
        if (s->bar) svg_interval(d, s->x, s->low, s->high);
        svg_dot(d, svg_x(d, s->x), svg_y(d, s->y), s->fit);
    }
    svg_end(d);
}

static void describe_curve(const svg_diagram *d, const curves *p, size_t number, output *json)
{
    const curve *c = &p->curve[number];
    size_t i;
    json_object(json, NULL);
    json_string(json, "name", curve_text(p, number));
    json_bool(json, "band", c->band);
    json_bool(json, "apart", c->apart);
    json_numbers(json, "x", c->x, c->count);
    json_numbers(json, "y", c->y, c->count);
    json_numbers(json, "low", c->low, c->count);
    json_numbers(json, "high", c->high, c->count);
    json_array(json, "marked");
    for (i = 0; i < c->count; i = c->apart ? i + 1 : svg_next_mark(d, c->x, c->count, i))
        json_integer(json, NULL, i);
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

static void describe(const svg_diagram *d, const curves *p, output *json)
{
    const double x[] = {d->x_low, d->x_high}, y[] = {d->y_low, d->y_high};
    plot_describe(json, "curves", d);
    json_bool(json, "x_logarithmic", d->x_scale == SVG_LOG2);
    json_bool(json, "y_logarithmic", d->y_scale == SVG_LOG2);
    json_numbers(json, "x_range", x, COUNT_OF(x));
    json_numbers(json, "y_range", y, COUNT_OF(y));
    json_string(json, "band_text", p->band_text);
    json_string(json, "points_text", points_text(p));
    json_string(json, "inputs_text", input_text);
    json_array(json, "curves");
    for (size_t i = 0; i < p->count; i++) describe_curve(d, p, i, json);
    json_end(json);
    json_array(json, "points");
    for (size_t i = 0; i < p->points; i++) describe_point(&p->point[i], json);
    json_end(json);
    json_end(json);
}

static void show(plot_job *job, svg_diagram *d, curves *p, output *svg, output *json)
{
    d->name = job->title ? job->title : job->picture->title;
    d->title = job->title;
    d->description = job->picture->description;
    d->x_label = p->x_label;
    d->y_label = p->y_label;
    if (d->y_scale == SVG_LINEAR) {
        d->y_high = p->y_high < 1e-290 ? 1.0 : p->y_high; /* 0, to a picture */
        svg_round_y(d);
    }
    name_all(d, p);
    describe(d, p, json);
    draw(d, p, svg);
    job->curves = p->count;
    job->dots = p->points;
}

void plot_throughput(plot_job *job, output *svg, output *json)
{
    const csv_table *t = job->table, *points = job->points;
    curves p = {.nameless = "predicted", .x_label = job->picture->x_label,
                .y_label = job->picture->y_label};
    svg_diagram d = {.width = 640, .height = 420, .left = 72, .right = 620, .bottom = 368};
    int use[PLOT_NAMES];
    if (!points && (predicted_column(t) != CSV_NONE || is_points(job))) points = t;
    if (points != t || predicted_column(t) != CSV_NONE) {
        const columns c = columns_of(t, 0);
        plot_find_names(t, CSV_NONE, use);
        read_curves(job, &c, use, &p);
    }
    if (points) read_points(points, &p);
    if (p.count == 0 && p.points == 0) tool_fail("%s: no row has a throughput", t->name);
    svg_whole_x(&d, p.x_low, p.x_high);
    show(job, &d, &p, svg, json);
}

/* ---- Other columns --------------------------------------------------------- */

static const svg_diagram narrow = {.width = 480, .height = 360, .left = 72, .right = 460,
                                   .bottom = 308};

/* The range of x, of any numbers, with some room. */
static void show_any(plot_job *job, curves *p, output *svg, output *json)
{
    svg_diagram d = narrow;
    const double wide = p->x_high - p->x_low;
    const double room = wide > 1e-9 * p->x_high ? 0.03 * wide : 0.5 * p->x_high;
    d.x_low = 3.0 * p->x_low < p->x_high ? 0.0 : p->x_low - room;
    d.x_high = p->x_high + room;
    show(job, &d, p, svg, json);
}

void plot_curves(plot_job *job, output *svg, output *json)
{
    const csv_table *t = job->table;
    const columns c = {.x = plot_need(t, job->picture->needs[0]),
                       .y = plot_need(t, job->picture->needs[1]), .low = CSV_NONE,
                       .high = CSV_NONE, .half = csv_find(t, "ci95_half_width_s"),
                       .role = CSV_NONE, .point = CSV_NONE, .only = CSV_NONE};
    curves p = {.nameless = csv_find(t, "batches_per_s") == CSV_NONE ? "all jobs" : "all workers"};
    int use[PLOT_NAMES];
    plot_find_names(t, c.x, use);
    read_curves(job, &c, use, &p);
    if (p.count == 0) tool_fail("%s: column '%s' is empty", t->name, t->header[c.y]);
    show_any(job, &p, svg, json);
}

/* ---- Predicted against measured -------------------------------------------- */

/* The rows of the model that predict takes, which alone have a band, where any has. */
static int scored_column(const csv_table *t)
{
    const int band = csv_find(t, "band_low");
    size_t row = 0;
    while (band != CSV_NONE && row < t->rows && csv_is_empty(t, row, band)) row++;
    return row < t->rows ? band : CSV_NONE;
}

/* Curve 0 is where both are the same: through the ends of the range that both axes have. */
void plot_predicted(plot_job *job, output *svg, output *json)
{
    const csv_table *t = job->table;
    const columns c = {.x = plot_need(t, "measured"), .y = plot_need(t, "predicted"),
                       .low = CSV_NONE, .high = CSV_NONE, .half = CSV_NONE, .role = CSV_NONE,
                       .point = CSV_NONE, .only = scored_column(t)};
    curves p = {.nameless = "rows"};
    svg_diagram d = narrow;
    double ends[2];
    int use[PLOT_NAMES];
    for (size_t i = 0; i < PLOT_NAMES; i++) use[i] = CSV_NONE;
    use[0] = csv_find(t, "mode");
    read_curves(job, &c, use, &p);
    if (p.count == 0) tool_fail("%s: no row has a prediction", t->name);
    if (p.count == SVG_COLOURS)
        tool_fail("%s: a picture shows at most %d modes: remove rows", t->name, SVG_COLOURS - 1);
    if (!(p.y_low > 0.0))
        tool_fail("%s: a prediction is 0, which has no place on a logarithmic axis", t->name);
    ends[0] = (p.x_low < p.y_low ? p.x_low : p.y_low) / 1.2;
    ends[1] = (p.x_high > p.y_high ? p.x_high : p.y_high) * 1.2;
    memmove(&p.curve[1], &p.curve[0], p.count * sizeof p.curve[0]);
    for (size_t i = 1; i <= p.count; i++) p.curve[i].apart = 1;
    p.curve[0] = (curve){.name = "predicted as measured", .x = ends, .y = ends, .low = ends,
                         .high = ends, .count = 2};
    p.count++;
    d.x_scale = d.y_scale = SVG_LOG2;
    d.x_low = d.y_low = ends[0];
    d.x_high = d.y_high = ends[1];
    show(job, &d, &p, svg, json);
    job->curves = 1;
    for (size_t i = 1; i < p.count; i++) job->dots += p.curve[i].count;
}

/* ---- Over time ------------------------------------------------------------- */

typedef struct timed {
    double from, to, sum[2][BINS]; /* of up to two curves                           */
    size_t bins;
} timed;

/* Adds a value that lasts from start to end to the mean of each part of the time that it is in;
 * what takes no time, as an event, to the rate of its part. */
static void add_timed(timed *in, double *sum, double start, double end, double value)
{
    const double wide = (in->to - in->from) / (double)in->bins;
    const double last = (double)in->bins - 1.0, at = (start - in->from) / wide;
    for (size_t i = at < last ? (size_t)at : (size_t)last; i < in->bins; i++) {
        const double low = in->from + wide * (double)i, high = low + wide;
        if (end > start && end <= low) break;
        if (end > start) sum[i] += value * (fmin(high, end) - fmax(low, start)) / wide;
        else sum[i] += value / wide;
        if (!(end > start)) break;
    }
}

static void show_timed(plot_job *job, const timed *in, const char *const *names, size_t count,
                       output *svg, output *json)
{
    sample *all = (sample *)tool_alloc(count * in->bins, sizeof *all);
    curves p = {.count = count, .band_text = ""};
    for (size_t k = 0; k < count; k++) {
        p.curve[k].name = names[k];
        for (size_t i = 0; i < in->bins; i++) {
            sample *s = &all[k * in->bins + i];
            s->curve = k;
            s->x = in->from + (in->to - in->from) * ((double)i + 0.5) / (double)in->bins;
            s->y = s->low = s->high = fmax(0.0, in->sum[k][i]);
        }
    }
    keep_samples(job, &p, all, count * in->bins);
    show_any(job, &p, svg, json);
}

static void check_timed(const csv_table *t, const timed *in)
{
    if (!(in->to - in->from > 1e-290))
        tool_fail("%s: all times are equal: there is nothing to draw", t->name);
}

/* Intervals of a curve have a width and follow each other, but for rounding. */
static void check_intervals(const csv_table *t, int end)
{
    const int start = csv_find(t, "start_s");
    int use[PLOT_NAMES];
    plot_find_names(t, end, use);
    for (size_t row = 0; row < t->rows && start != CSV_NONE; row++) {
        const double start_s = plot_number(t, row, start);
        if (!(plot_number(t, row, end) > start_s))
            csv_fail(t, row, end, "%s is not above column 'start_s', %s", csv_text(t, row, end),
                     csv_text(t, row, start));
        if (row > 0 && start_s < plot_number(t, row - 1, end) * (1.0 - 1e-9) &&
            strcmp(plot_name_of(t, row, use), plot_name_of(t, row - 1, use)) == 0)
            csv_fail(t, row, start, "%s is below column 'end_s' of line %lu, %s: sort the rows",
                     csv_text(t, row, start), (unsigned long)csv_line(t, row - 1),
                     csv_text(t, row - 1, end));
    }
}

/* About 20 steps or more in each part of the time. */
void plot_rate(plot_job *job, output *svg, output *json)
{
    static const char *const names[] = {"all workers"};
    const csv_table *t = job->table;
    const int end = plot_need(t, job->picture->needs[0]);
    timed in = {.bins = t->rows < 40 ? 2 : t->rows < 20 * BINS ? t->rows / 20 : BINS};
    if (csv_find(t, "batches_per_s") != CSV_NONE) {
        check_intervals(t, end);
        plot_curves(job, svg, json);
        return;
    }
    plot_check_count(t->name, t->rows, "rows", MOST_TIMED);
    for (size_t row = 0; row < t->rows; row++) in.to = fmax(in.to, plot_number(t, row, end));
    check_timed(t, &in);
    for (size_t row = 0; row < t->rows; row++) {
        const double end_s = plot_number(t, row, end);
        add_timed(&in, in.sum[0], end_s, end_s, 1.0);
    }
    show_timed(job, &in, names, COUNT_OF(names), svg, json);
}

/* Arrival, start and completion of a job; malleable jobs have no start, and count from their
 * arrival. */
static void read_job(const plot_job *job, size_t row, double at[3])
{
    const csv_table *t = job->table;
    const int completion = plot_need(t, job->picture->needs[0]), start = csv_find(t, "start_s");
    const int response = plot_need(t, job->picture->needs[1]);
    at[2] = plot_number(t, row, completion);
    at[0] = fmax(0.0, at[2] - plot_number(t, row, response));
    at[1] = start == CSV_NONE ? at[0] : plot_number(t, row, start);
    if (at[1] > at[2]) csv_fail(t, row, start, "is after column 'completion_s'");
    at[0] = fmin(at[0], at[1]);
}

void plot_jobs(plot_job *job, output *svg, output *json)
{
    static const char *const names[] = {"running", "waiting"}, *const present[] = {"present"};
    const csv_table *t = job->table;
    const int starts = csv_find(t, "start_s") != CSV_NONE;
    timed in = {.bins = BINS};
    double at[3];
    plot_check_count(t->name, t->rows, "rows", MOST_TIMED);
    for (size_t row = 0; row < t->rows; row++) {
        read_job(job, row, at);
        in.from = row == 0 ? at[0] : fmin(in.from, at[0]);
        in.to = fmax(in.to, at[2]);
    }
    check_timed(t, &in);
    for (size_t row = 0; row < t->rows; row++) {
        read_job(job, row, at);
        if (at[2] > at[1]) add_timed(&in, in.sum[0], at[1], at[2], 1.0);
        if (at[1] > at[0]) add_timed(&in, in.sum[1], at[0], at[1], 1.0);
    }
    show_timed(job, &in, starts ? names : present, starts ? 2 : 1, svg, json);
}

/* The nodes of a job that ends then: "TIME:NODES TIME:NODES ...". */
static void add_changes(timed *in, const csv_table *t, size_t row, int column, double end_s)
{
    double from_s = 0.0, had = 0.0, time_s = 0.0, nodes = 0.0;
    char **change;
    const size_t changes = args_split(csv_text(t, row, column), ' ', &change);
    for (size_t i = 0; i < changes; i++, from_s = time_s, had = nodes) {
        char *colon = strchr(change[i], ':');
        if (colon) *colon = '\0';
        if (!colon || number_parse(change[i], NUMBER_NON_NEGATIVE, &time_s) ||
            number_parse(colon + 1, NUMBER_NON_NEGATIVE, &nodes) || time_s < from_s ||
            time_s > end_s)
            csv_fail(t, row, column, "'%s%s%s' is not TIME:NODES in the order of times",
                     change[i], colon ? ":" : "", colon ? colon + 1 : "");
        if (time_s > from_s && had > 0.0) add_timed(in, in->sum[0], from_s, time_s, had);
    }
    if (end_s > from_s && had > 0.0) add_timed(in, in->sum[0], from_s, end_s, had);
}

void plot_nodes(plot_job *job, output *svg, output *json)
{
    static const char *const names[] = {"at work"};
    const csv_table *t = job->table;
    const int end = plot_need(t, "completion_s"), start = plot_need(t, "start_s");
    const int nodes = plot_need(t, "nodes"), changes = csv_find(t, "nodes_over_time");
    timed in = {.bins = BINS, .from = HUGE_VAL};
    size_t means = 0;
    plot_check_count(t->name, t->rows, "rows", MOST_TIMED);
    for (size_t row = 0; row < t->rows; row++) {
        if (csv_is_empty(t, row, nodes)) continue;             /* it never ran        */
        const double start_s = plot_number(t, row, start), end_s = plot_number(t, row, end);
        if (start_s > end_s) csv_fail(t, row, start, "is after column 'completion_s'");
        in.from = fmin(in.from, start_s);
        in.to = fmax(in.to, end_s);
    }
    check_timed(t, &in);
    for (size_t row = 0; row < t->rows; row++) {
        if (csv_is_empty(t, row, nodes)) continue;
        const double start_s = plot_number(t, row, start), end_s = plot_number(t, row, end);
        const double count = csv_number(t, row, nodes, NUMBER_POSITIVE);
        if (!csv_is_empty(t, row, changes)) {
            add_changes(&in, t, row, changes, end_s);
            continue;
        }
        means += count > floor(count);
        if (end_s > start_s) add_timed(&in, in.sum[0], start_s, end_s, count);
    }
    if (means > 0)
        tool_note("nodes-averaged", "%s has no column nodes_over_time: %lu job%s whose number of "
                  "nodes changes count%s with the mean number", t->name, COUNTED(means),
                  means == 1 ? "s" : "");
    show_timed(job, &in, names, COUNT_OF(names), svg, json);
}
