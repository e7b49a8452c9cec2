/* rows.c - bars in rows: a value with its parts for each policy, job, device or model */
#include "cmd/plot/plot.h"

#include <string.h>

enum { MOST_ROWS = 48, ROW = 24, OBSERVED = 1 }; /* colour of what no policy made    */

/* What stands in a row: two parts of a bar, an interval around its end, and a high value. */
typedef struct bar_row {
    const char *name;
    double      part[2], half, high;
    int         observed;     /* of the log, apart from simulated policies          */
} bar_row;

typedef struct bars {
    bar_row     row[MOST_ROWS];
    size_t      count;
    const char *part_name[2]; /* NULL: there is no such part                        */
    size_t      pale;         /* the part that waits                                */
    const char *label;
    double      scale, longest;
    size_t      gaps;         /* rows left free above those of a log                */
    int         halves, highs; /* do any rows have them?                            */
} bars;

/* A row of that name, perhaps a new one: stages of a device are one. */
static bar_row *find_row(bars *b, const csv_table *t, const char *name, int joins)
{
    size_t i = joins ? 0 : b->count;
    while (i < b->count && strcmp(b->row[i].name, name) != 0) i++;
    plot_check_count(t->name, t->rows, "rows", joins ? 10 * MOST_ROWS : MOST_ROWS);
    plot_check_count(t->name, i + 1, "devices", MOST_ROWS);
    if (i == b->count) b->row[b->count++].name = name;
    return &b->row[i];
}

/* Of a mean response the wait comes first. */
static void read_rows(const plot_job *job, bars *b)
{
    static const char *const highs[] = {"p95_response_s", "p95_error"};
    const csv_table *t = job->table;
    const int value = plot_need(t, job->picture->needs[0]), wait = csv_find(t, "mean_wait_s");
    const int half = csv_find(t, "ci95_half_width_s"), joins = csv_find(t, "device") != CSV_NONE;
    const int high = plot_column(t, highs, COUNT_OF(highs));
    int use[PLOT_NAMES];
    plot_find_names(t, CSV_NONE, use);
    for (size_t row = 0; row < t->rows; row++) {
        if (csv_is_empty(t, row, value)) continue;
        const double all = plot_number(t, row, value), waits = plot_told(t, row, wait);
        bar_row *r = find_row(b, t, plot_name_of(t, row, use), joins);
        if (waits > all) csv_fail(t, row, wait, "is above column '%s'", t->header[value]);
        r->part[0] += wait == CSV_NONE ? all : waits;
        r->part[1] += wait == CSV_NONE ? 0.0 : all - waits;
        r->half = plot_told(t, row, half);
        r->high = plot_told(t, row, high);
        r->observed = wait != CSV_NONE && strcmp(r->name, "observed") == 0;
        if (r->observed) r->name = "recorded in the log";
        b->gaps += (size_t)r->observed;
        b->halves |= r->half > 0.0;
        b->highs |= r->high > 0.0;
    }
    if (b->count == 0) tool_fail("%s: column '%s' is empty", t->name, t->header[value]);
    b->part_name[0] = wait == CSV_NONE ? NULL : "waiting";
    b->part_name[1] = wait == CSV_NONE ? NULL : "running";
    b->pale = wait == CSV_NONE ? 1 : 0;
    if (!joins) return;
    b->part_name[0] = "computing";
    b->part_name[1] = "waiting for the slowest device";
    for (size_t i = 0; i < b->count; i++)
        if (b->row[i].part[0] > b->longest) b->longest = b->row[i].part[0];
    for (size_t i = 0; i < b->count; i++) b->row[i].part[1] = b->longest - b->row[i].part[0];
}

/* Values as the axis has them. */
static void scale_rows(const plot_job *job, bars *b)
{
    const char *label = job->picture->x_label;
    for (size_t i = 0; i < b->count; i++) {
        const bar_row *r = &b->row[i];
        const double end = r->part[0] + r->part[1] + r->half;
        if (end > b->longest) b->longest = end;
        if (r->high > b->longest) b->longest = r->high;
    }
    b->label = plot_label(label, b->longest, &b->scale);
    if (b->longest * b->scale < 1e-290) b->longest = 1.0 / b->scale;
    for (size_t i = 0; i < b->count; i++) {
        bar_row *r = &b->row[i];
        r->part[0] *= b->scale;
        r->part[1] *= b->scale;
        r->half *= b->scale;
        r->high *= b->scale;
    }
}

static const char half_text[] = "95 % interval of the mean", high_text[] = "95th percentile";
static const char observed_text[] = "not simulated, so under other conditions:";

/* Draws row i; *free counts the rows left free so far. */
static void draw_row(const svg_diagram *d, const bars *b, size_t i, size_t *free)
{
    const bar_row *r = &b->row[i];
    const double above = d->top + ROW * (double)(i + *free);
    const double top = above + (r->observed ? ROW : 0), middle = top + ROW / 2;
    const double begin = svg_x(d, 0.0), end = r->part[0] + r->part[1];
    const double between = svg_x(d, r->part[0]);
    const size_t colour = r->observed ? OBSERVED : 0;
    *free += (size_t)r->observed;
    if (r->observed) svg_label(d, d->left + 4, above + ROW / 2 + 6.5, "start", observed_text);
    svg_label(d, d->left - 8, middle + 4.5, "end", r->name);
    if (r->part[0] > 0.0)
        svg_box(d, begin, top + 3, between - begin, ROW - 6, colour, b->pale == 0);
    if (r->part[1] > 0.0)
        svg_box(d, between, top + 3, svg_x(d, end) - between, ROW - 6, colour, b->pale == 1);
    if (r->half > 0.0)
        svg_interval_across(d, r->half < end ? end - r->half : 0.0, end + r->half, middle);
    if (r->high > 0.0) svg_dot(d, svg_x(d, r->high), middle, 1);
}

static void describe_row(const bar_row *r, output *json)
{
    json_object(json, NULL);
    json_string(json, "name", r->name);
    json_numbers(json, "parts", r->part, COUNT_OF(r->part));
    if (r->half > 0.0) json_number(json, "half", r->half);
    if (r->high > 0.0) json_number(json, "high", r->high);
    if (r->observed) json_string(json, "colour", svg_colour(OBSERVED));
    if (r->observed) json_string(json, "above", observed_text);
    json_end(json);
}

static void describe(const svg_diagram *d, const bars *b, output *json)
{
    plot_describe(json, "rows", d);
    json_number(json, "x_high", d->x_high);
    json_integer(json, "pale", b->pale);
    json_array(json, "part_names");
    for (size_t i = 0; i < 2 && b->part_name[i]; i++) json_string(json, NULL, b->part_name[i]);
    json_end(json);
    json_string(json, "half_text", b->halves ? half_text : "");
    json_string(json, "high_text", b->highs ? high_text : "");
    json_array(json, "rows");
    for (size_t i = 0; i < b->count; i++) describe_row(&b->row[i], json);
    json_end(json);
    json_end(json);
}

void plot_rows(plot_job *job, output *svg, output *json)
{
    bars b = {0};
    svg_diagram d = {.name = job->title ? job->title : job->picture->title, .title = job->title,
                     .description = job->picture->description, .y_high = 1.0};
    size_t longest = 0, free_rows = 0;
    read_rows(job, &b);
    scale_rows(job, &b);
    for (size_t i = 0; i < b.count; i++)
        if (strlen(b.row[i].name) > longest) longest = strlen(b.row[i].name);
    d.left = 7.0 * (double)longest + 20.0;
    d.right = d.left < 160.0 ? 456.0 : d.left + 296.0;
    d.width = d.right + 24;
    d.x_high = 1.05 * b.longest * b.scale;
    d.x_label = b.label;
    for (size_t i = 0; i < 2 && b.part_name[i]; i++)
        svg_legend(&d, b.part_name[i], i == b.pale ? SVG_PALE_BOX : SVG_BOX, 0);
    if (b.halves) svg_legend(&d, half_text, SVG_BAR, 0);
    if (b.highs) svg_legend(&d, high_text, SVG_RING, 0);
    d.bottom = svg_top(&d) + ROW * (double)(b.count + b.gaps);
    d.height = d.bottom + 52;
    describe(&d, &b, json);
    svg_begin(&d, svg);
    svg_axis_x(&d);
    for (size_t i = 0; i < b.count; i++) draw_row(&d, &b, i, &free_rows);
    svg_bottom(&d);
    svg_end(&d);
    job->bars = b.count;
}
