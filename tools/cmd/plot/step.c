/* step.c - where the time of a step goes, a bar for each number of workers */
#include "base/svg.h"
#include "cmd/plot/plot.h"

#include <stdio.h>
#include <string.h>

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

static int part_column(const csv_table *t, size_t part)
{
    int column = plot_column(t, parts[part].column[0]);
    if (column == CSV_NONE && parts[part].column[1])
        column = plot_column(t, parts[part].column[1]);
    return column;
}

static double told(const csv_table *t, size_t row, int column)
{
    return csv_is_empty(t, row, column) ? 0.0 : plot_number(t, row, column);
}

static double whole(const csv_table *t, size_t row)
{
    double sum = 0.0;
    size_t i;
    for (i = 0; i < COUNT_OF(parts); i++) sum += told(t, row, part_column(t, i));
    return sum;
}

/* Computing that goes on behind transfers: of a prediction, in which compute is what they
 * leave, and the utilization tells all of it. 0: none. */
static double hidden(const csv_table *t, size_t row)
{
    const double step_s = whole(t, row), seen_s = told(t, row, part_column(t, COMPUTE));
    const double busy = told(t, row, plot_column(t, "utilization_worker"));
    const double s = (busy < 1.0 ? busy : 1.0) * step_s - seen_s;
    return s > 1e-6 * step_s ? s : 0.0;
}

/* Does no computing go on behind it, as behind the update of an all-reduce? */
static int is_alone(const csv_table *t, size_t part)
{
    return part == COMPUTE
           || (parts[part].colour == UPDATE && part_column(t, LINK) != CSV_NONE);
}

/* Such computing is drawn as what it is, and of the rest what it leaves. */
static double part_of(const csv_table *t, size_t row, size_t part)
{
    const double as_told = told(t, row, part_column(t, part)), behind = hidden(t, row);
    double rest = 0.0;
    size_t i;
    if (!(behind > 0.0) || (is_alone(t, part) && part != COMPUTE)) return as_told;
    if (part == COMPUTE) return as_told + behind;
    for (i = 0; i < COUNT_OF(parts); i++)
        if (!is_alone(t, i)) rest += told(t, row, part_column(t, i));
    return rest > behind ? as_told * (1.0 - behind / rest) : 0.0;
}

int plot_has_parts(const csv_table *t)
{
    size_t i, found = 0;
    for (i = 0; i < COUNT_OF(parts); i++) found += part_column(t, i) != CSV_NONE;
    return found >= 2;
}

/* Is the part seen at all? */
static int is_seen(const csv_table *t, size_t part, double highest)
{
    size_t row = 0;
    while (row < t->rows && !(part_of(t, row, part) > 1e-3 * highest)) row++;
    return row < t->rows;
}

/* Parts that take any time at all. */
static void name_parts(svg_diagram *d, const csv_table *t)
{
    size_t i;
    for (i = 0; i < COUNT_OF(parts); i++)
        if (is_seen(t, i, d->y_high))
            svg_legend(d, parts[i].name, parts[i].pale ? SVG_PALE_BOX : SVG_BOX, parts[i].colour);
}

static const char *bar_name(const csv_table *t, size_t row)
{
    const int workers = plot_column(t, "workers");
    return workers == CSV_NONE ? "one worker" : csv_text(t, row, workers);
}

static void draw_bar(const svg_diagram *d, const csv_table *t, size_t row, double scale)
{
    const double each = (d->right - d->left) / (double)t->rows;
    const double wide = each < 70.0 ? 0.8 * each : 56.0;
    const double middle = d->left + each * ((double)row + 0.5);
    const size_t every = (size_t)(28.0 / each) + 1;
    double below = 0.0;
    size_t i;
    for (i = 0; i < COUNT_OF(parts); i++) {
        const double part = scale * part_of(t, row, i);
        const double top = svg_y(d, below + part), bottom = svg_y(d, below);
        if (bottom - top > 0.05)
            svg_box(d, middle - wide / 2, top, wide, bottom - top, parts[i].colour,
                    parts[i].pale);
        below += part;
    }
    if (row % every == 0)
        svg_label(d, middle, d->bottom + 17, "middle", bar_name(t, row));
}

static void describe(const plot_job *job, const svg_diagram *d, double scale, output *json)
{
    const csv_table *t = job->table;
    size_t i, row;
    json_object(json, NULL);
    json_string(json, "picture", "step");
    json_string(json, "title", d->title);
    json_string(json, "x_label", d->x_label);
    json_string(json, "y_label", d->y_label);
    json_array(json, "bars");
    for (row = 0; row < t->rows; row++) json_string(json, NULL, bar_name(t, row));
    json_end(json);
    json_array(json, "parts");
    for (i = 0; i < COUNT_OF(parts); i++) {
        if (!is_seen(t, i, d->y_high / scale)) continue;
        json_object(json, NULL);
        json_string(json, "name", parts[i].name);
        json_string(json, "colour", svg_colour(parts[i].colour));
        json_bool(json, "pale", parts[i].pale);
        json_array(json, "height");
        for (row = 0; row < t->rows; row++) json_number(json, NULL, scale * part_of(t, row, i));
        json_end(json);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

void plot_step(plot_job *job, output *svg, output *json)
{
    const csv_table *t = job->table;
    double scale = 1.0;
    svg_diagram d;
    size_t row;
    memset(&d, 0, sizeof d);
    if (t->rows > MOST_BARS)
        tool_fail("%s: %lu rows are too many for a picture, at most %d", t->name,
                  (unsigned long)t->rows, (int)MOST_BARS);
    if (!plot_has_parts(t))
        tool_fail("%s:%lu: no parts of a step: columns as of sgdperf predict or profile, "
                  "--format csv", t->name, (unsigned long)t->header_line);
    for (row = 0; row < t->rows; row++)
        if (whole(t, row) > d.y_high) d.y_high = whole(t, row);
    if (d.y_high < 1e-290) tool_fail("%s: a step that takes no time", t->name);
    name_parts(&d, t);
    if (d.y_high < 1.0) scale = 1e3;
    d.y_high *= scale;
    d.title = job->title;
    d.name = d.title ? d.title : "Parts of a step";
    d.description = "Bars of the times of a step, by resource, serving and waiting";
    d.x_label = plot_column(t, "workers") == CSV_NONE ? NULL : "workers";
    d.y_label = scale > 1.0 ? "time of a step, milliseconds" : "time of a step, seconds";
    d.width = 640;
    d.height = 440;
    d.left = 72;
    d.right = 620;
    d.bottom = 388;
    svg_begin(&d, svg);
    describe(job, &d, scale, json);
    svg_round_y(&d);
    svg_axis_y(&d);
    for (row = 0; row < t->rows; row++) draw_bar(&d, t, row, scale);
    svg_bottom(&d);
    svg_end(&d);
    job->bars = t->rows;
}
