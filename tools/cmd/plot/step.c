/* step.c - where the time of a step goes, a bar for each number of workers */
#include "cmd/plot/plot.h"

enum { MOST_BARS = 256, COMPUTE = 2, LINK = 6, UPDATE = 2 }; /* two parts, and a colour    */

/* Columns of predict as CSV and JSON, of profile and of simulate, from the bottom up. */
static const struct { const char *column[2], *name; size_t colour; int pale; } parts[] = {
    {{"forward_s", NULL}, "forward", 3, 0},
    {{"backward_s", NULL}, "backward", 1, 0},
    {{"service_worker_s", "time_s_worker_service"}, "compute", 3, 0}, /* COMPUTE        */
    {{"waiting_worker_s", "time_s_worker_waiting"}, "waiting for compute", 3, 1},
    {{"service_local_s", "time_s_local_service"}, "inside machines", 5, 0},
    {{"waiting_local_s", "time_s_local_waiting"}, "waiting inside machines", 5, 1},
    {{"service_link_s", "time_s_link_service"}, "exchange", 0, 0}, /* LINK              */
    {{"waiting_link_s", "time_s_link_waiting"}, "waiting for exchange", 0, 1},
    {{"downlink_s", NULL}, "downlink", 4, 0},
    {{"service_downlink_s", "time_s_downlink_service"}, "downlink", 4, 0},
    {{"waiting_downlink_s", "time_s_downlink_waiting"}, "waiting for downlink", 4, 1},
    {{"uplink_s", NULL}, "uplink", 0, 0},
    {{"service_uplink_s", "time_s_uplink_service"}, "uplink", 0, 0},
    {{"waiting_uplink_s", "time_s_uplink_waiting"}, "waiting for uplink", 0, 1},
    {{"update_s", NULL}, "update", 2, 0},
    {{"service_server_s", "time_s_server_service"}, "update", 2, 0},
    {{"waiting_server_s", "time_s_server_waiting"}, "waiting for update", 2, 1},
    {{"barrier_s", "time_s_barrier"}, "barrier", 6, 0}
};

enum { PARTS = COUNT_OF(parts) };

/* The times of a step, by part. */
typedef struct bar { double part[PARTS]; } bar;

static int part_column(const csv_table *t, size_t part)
{
    return plot_column(t, parts[part].column, COUNT_OF(parts[part].column));
}

static double sum_of(const bar *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < PARTS; i++) sum += b->part[i];
    return sum;
}

/* Does no computing go on behind it, as behind the update of an all-reduce? */
static int is_alone(size_t part, int reduces)
{
    return part == COMPUTE || (parts[part].colour == UPDATE && reduces);
}

/* Computing that goes on behind transfers is drawn as what it is, and of the rest what it
 * leaves: of a prediction, in which compute is what transfers leave, and the utilization tells
 * all of it. */
static void uncover(bar *b, double utilization, int reduces)
{
    const double step_s = sum_of(b);
    const double behind = (utilization < 1.0 ? utilization : 1.0) * step_s - b->part[COMPUTE];
    double rest = 0.0;
    if (!(behind > 1e-6 * step_s)) return;
    b->part[COMPUTE] += behind;
    for (size_t i = 0; i < PARTS; i++)
        if (!is_alone(i, reduces)) rest += b->part[i];
    for (size_t i = 0; i < PARTS; i++)
        if (!is_alone(i, reduces)) b->part[i] = rest > behind ? b->part[i] * (1.0 - behind / rest)
                                                              : 0.0;
}

/* The bars of all rows, and in *longest the longest step. */
static bar *read_bars(const csv_table *t, double *longest)
{
    const int utilization = csv_find(t, "utilization_worker");
    bar *bars = (bar *)tool_alloc(t->rows, sizeof *bars);
    for (size_t row = 0; row < t->rows; row++) {
        for (size_t i = 0; i < PARTS; i++) bars[row].part[i] = plot_told(t, row, part_column(t, i));
        if (sum_of(&bars[row]) > *longest) *longest = sum_of(&bars[row]);
    }
    if (*longest < 1e-290) tool_fail("%s: a step takes no time", t->name);
    for (size_t row = 0; row < t->rows; row++)
        uncover(&bars[row], plot_told(t, row, utilization), part_column(t, LINK) != CSV_NONE);
    return bars;
}

int plot_has_parts(const csv_table *t)
{
    size_t found = 0;
    for (size_t i = 0; i < PARTS; i++) found += part_column(t, i) != CSV_NONE;
    return found >= 2;
}

/* Does the part take any time at all? */
static int is_seen(const bar *bars, size_t rows, size_t part, double longest)
{
    size_t row = 0;
    while (row < rows && !(bars[row].part[part] > 1e-3 * longest)) row++;
    return row < rows;
}

static const char *bar_name(const csv_table *t, size_t row)
{
    const int workers = csv_find(t, "workers");
    return workers == CSV_NONE ? "one worker" : csv_text(t, row, workers);
}

/* Of bars side by side each so-manyth is named. */
static size_t named_every(const svg_diagram *d, size_t rows)
{
    return (size_t)(28.0 * (double)rows / (d->right - d->left)) + 1;
}

static void draw_bar(const svg_diagram *d, const csv_table *t, size_t row, const bar *b,
                     double scale)
{
    const double each = (d->right - d->left) / (double)t->rows;
    const double wide = each < 70.0 ? 0.8 * each : 56.0;
    const double middle = d->left + each * ((double)row + 0.5);
    double below = 0.0;
    for (size_t i = 0; i < PARTS; i++) {
        const double part = scale * b->part[i];
        const double top = svg_y(d, below + part), bottom = svg_y(d, below);
        if (bottom - top > 0.05)
            svg_box(d, middle - wide / 2, top, wide, bottom - top, parts[i].colour,
                    parts[i].pale);
        below += part;
    }
    if (row % named_every(d, t->rows) == 0)
        svg_label(d, middle, d->bottom + 17, "middle", bar_name(t, row));
}

/* Names the parts that are seen in the legend, and describes them. */
static void describe(svg_diagram *d, const csv_table *t, const bar *bars, double longest,
                     double scale, output *json)
{
    size_t row;
    plot_describe(json, "step", d);
    json_integer(json, "named_every", named_every(d, t->rows));
    json_array(json, "bars");
    for (row = 0; row < t->rows; row++) json_string(json, NULL, bar_name(t, row));
    json_end(json);
    json_array(json, "parts");
    for (size_t i = 0; i < PARTS; i++) {
        if (!is_seen(bars, t->rows, i, longest)) continue;
        svg_legend(d, parts[i].name, parts[i].pale ? SVG_PALE_BOX : SVG_BOX, parts[i].colour);
        json_object(json, NULL);
        json_string(json, "name", parts[i].name);
        json_string(json, "colour", svg_colour(parts[i].colour));
        json_bool(json, "pale", parts[i].pale);
        json_array(json, "height");
        for (row = 0; row < t->rows; row++) json_number(json, NULL, scale * bars[row].part[i]);
        json_end(json);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

void plot_step(plot_job *job, output *svg, output *json)
{
    const csv_table *t = job->table;
    svg_diagram d = {
        .name = job->title ? job->title : job->picture->title, .title = job->title,
        .description = job->picture->description,
        .width = 720, .height = 440, .left = 72, .right = 520, .bottom = 388, .stacked = 1
    };
    double longest = 0.0, scale;
    plot_check_count(t->name, t->rows, "rows", MOST_BARS);
    if (!plot_has_parts(t))
        tool_fail("%s:%lu: no column has a part of a step: use a table of sgdperf predict or "
                  "profile, --format csv", t->name, (unsigned long)t->header_line);
    const bar *bars = read_bars(t, &longest);
    d.x_label = csv_find(t, "workers") == CSV_NONE ? NULL : job->picture->x_label;
    d.y_label = plot_label(job->picture->y_label, longest, &scale);
    d.y_high = longest * scale;
    svg_round_y(&d);
    describe(&d, t, bars, longest, scale, json);
    svg_begin(&d, svg);
    svg_axis_y(&d);
    for (size_t row = 0; row < t->rows; row++) draw_bar(&d, t, row, &bars[row], scale);
    svg_bottom(&d);
    svg_end(&d);
    job->bars = t->rows;
}
