/* timeline.c - the slices of a timeline: a row for each thread */
#include "cmd/plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SLICES = 400, MOST_DRAWN = 20000, MOST_ROWS = 48, ROW = 20 };

static const size_t NOWHERE = (size_t)-1; /* of a row that is not drawn */

/* The window: what was asked for, or as many slices from the first as can be told apart. */
static void set_window(plot_job *job)
{
    const slice_list *in = &job->timeline;
    double *start = (double *)tool_alloc(in->count, sizeof *start), end = 0.0;
    size_t first, i;
    for (i = 0; i < in->count; i++) {
        start[i] = in->slice[i].start_s;
        if (i == 0 || in->slice[i].end_s > end) end = in->slice[i].end_s;
    }
    qsort(start, in->count, sizeof *start, number_compare);
    if (!(job->from_s >= 0.0)) job->from_s = start[0];
    if (job->to_s > 0.0) return;
    if (!(end > job->from_s)) end = job->from_s + 1e-9 * (1.0 + fabs(job->from_s));
    for (i = 0; i < in->count && start[i] < job->from_s; i++) {}
    job->to_s = end;
    first = i;
    for (i += MOST_SLICES; i < in->count && !(start[i] > job->from_s); i++) {}
    if (i < in->count) {
        job->to_s = start[i];
        tool_note("slices-left-out",
                  "%s: only the first %lu of %lu bars are drawn, to %.4g s: --to shows more",
                  job->name, (unsigned long)(i - first), (unsigned long)in->count, job->to_s);
    }
}

/* Passes of a pipeline have the colour of their kind. */
static size_t colour_of(const char *row, size_t number, const char *name)
{
    static const struct { const char *word; size_t colour; } of[] = {
        {"downlink", 4}, {"uplink", 0}, {"server", 2}, {"update", 2}, {"worker:", 3},
        {": worker", 3}, {"compute", 3}
    };
    if (strstr(row, ": passes")) return name[0] == 'F' ? 3 : name[0] == 'B' ? 0 : 2;
    for (size_t i = 0; i < COUNT_OF(of); i++)
        if (strstr(row, of[i].word)) return of[i].colour;
    return number;
}

/* Drawn and described at once. */
static void show_slice(const svg_diagram *d, output *json, const slice_list *in, const slice *s,
                       size_t place)
{
    const double from = s->start_s > d->x_low ? s->start_s : d->x_low;
    const double to = s->end_s < d->x_high ? s->end_s : d->x_high;
    const double left = svg_x(d, from), wide = svg_x(d, to) - left;
    const double top = d->top + ROW * (double)place + 2;
    const char *name = names_text(&in->names, s->name);
    const size_t colour = colour_of(in->row[s->row], s->row, name);
    json_object(json, NULL);
    json_integer(json, "row", place);
    json_number(json, "start", from);
    json_number(json, "end", to);
    json_string(json, "name", name);
    json_string(json, "colour", svg_colour(colour));
    json_end(json);
    svg_box(d, left, top, wide > 0.3 ? wide : 0.3, ROW - 4, colour, 0);
    if (7.5 * (double)strlen(name) >= wide) return;
    output_print(d->out, "<g fill=\"%s\" font-size=\"11\">",
                 colour % SVG_COLOURS == 0 ? "white" : "black");
    svg_label(d, left + wide / 2, top + 12, "middle", name);
    output_print(d->out, "</g>\n");
}

/* Also one that takes no time. */
static int is_within(const plot_job *job, const slice *s)
{
    return s->start_s < job->to_s && (s->end_s > job->from_s || s->start_s >= job->from_s);
}

/* Rows that have a slice in the window, in their order in the file: their places, and how many
 * these are. Slices are counted. */
static size_t place_rows(plot_job *job, size_t *place)
{
    const slice_list *in = &job->timeline;
    size_t places = 0;
    for (size_t i = 0; i < in->count; i++) {
        if (!is_within(job, &in->slice[i])) continue;
        place[in->slice[i].row] = 1;
        job->drawn++;
    }
    for (size_t i = 0; i < in->rows; i++) place[i] = place[i] ? places++ : NOWHERE;
    if (places == 0) tool_fail("%s: no bar lies between --from and --to: choose another time range",
        job->name);
    plot_check_count(job->name, places, "threads", MOST_ROWS);
    plot_check_count(job->name, job->drawn, "slices between --from and --to", MOST_DRAWN);
    return places;
}

static void draw(const plot_job *job, svg_diagram *d, const size_t *place, size_t places,
                 output *svg, output *json)
{
    const slice_list *in = &job->timeline;
    svg_begin(d, svg);
    d->top = d->bottom - ROW * (double)places;
    svg_axis_x(d);
    plot_describe(json, "timeline", d);
    json_number(json, "from", d->x_low);
    json_number(json, "to", d->x_high);
    json_array(json, "rows");
    for (size_t i = 0; i < in->rows; i++) {
        if (place[i] == NOWHERE) continue;
        svg_label(d, d->left - 8, d->top + ROW * (double)place[i] + 14, "end", in->row[i]);
        json_string(json, NULL, in->row[i]);
    }
    json_end(json);
    json_array(json, "slices");
    for (size_t i = 0; i < in->count; i++)
        if (is_within(job, &in->slice[i]))
            show_slice(d, json, in, &in->slice[i], place[in->slice[i].row]);
    json_end(json);
    json_end(json);
    svg_end(d);
}

void plot_timeline(plot_job *job, output *svg, output *json)
{
    const slice_list *in = &job->timeline;
    size_t *place = (size_t *)tool_alloc(in->rows, sizeof *place);
    svg_diagram d = {
        .name = job->title ? job->title : job->picture->title, .title = job->title,
        .description = job->picture->description, .x_label = job->picture->x_label,
        .y_high = 1.0
    };
    size_t places, longest = 0;
    set_window(job);
    places = place_rows(job, place);
    for (size_t i = 0; i < in->rows; i++)
        if (place[i] != NOWHERE && strlen(in->row[i]) > longest) longest = strlen(in->row[i]);
    d.left = 7.0 * (double)longest + 16.0;
    d.right = d.left + 760;
    d.width = d.right + 24;
    d.bottom = (d.title ? 44 : 20) + ROW * (double)places;
    d.height = d.bottom + 52;
    d.x_low = job->from_s;
    d.x_high = job->to_s;
    draw(job, &d, place, places, svg, json);
}
