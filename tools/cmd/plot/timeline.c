/* timeline.c - a timeline in Chrome's trace-event JSON: a row for each thread */
#include "cmd/plot/plot.h"
#include "base/json.h"
#include "base/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading --------------------------------------------------------------- */

enum { FIELD = 96 };

typedef struct event {
    char   phase[4], name[FIELD], pid[FIELD], tid[FIELD], label[FIELD];
    double start_us, length_us;
} event;

typedef struct reader {
    json_reader json;
    plot_input *in;
    name_index  rows, processes;       /* "pid", 1, "tid" and "pid"                        */
    const char **thread, **process;    /* their names, by number                    */
    size_t      thread_room, process_room, slice_room;
} reader;

static void wrong(const reader *r, const char *what)
{
    tool_fail("%s:%lu: %s", r->in->name, (unsigned long)r->json.line,
              r->json.wrong ? r->json.wrong : what);
}

/* A text or number, cut where it is long; other values are skipped. */
static void read_field(reader *r, char *field, size_t bytes)
{
    const json_token token = json_next(&r->json);
    if (token == JSON_STRING || token == JSON_NUMBER) {
        const size_t n = r->json.length < bytes - 1 ? r->json.length : bytes - 1;
        memcpy(field, r->json.text, n);
        field[n] = '\0';
    } else if (!json_skip(&r->json, token)) {
        wrong(r, "no value");
    }
}

static double read_time(reader *r)
{
    char text[FIELD] = "";
    double value = 0.0;
    read_field(r, text, sizeof text);
    if (number_parse(text, NUMBER_ANY, &value)) wrong(r, "a time that is no number");
    return value;
}

/* "args": {"name": ...} of a row that gets its name */
static void read_label(reader *r, event *e)
{
    const json_token token = json_next(&r->json);
    json_token next;
    if (token != JSON_OBJECT) {
        if (!json_skip(&r->json, token)) wrong(r, "no value");
        return;
    }
    while ((next = json_next(&r->json)) == JSON_KEY) {
        if (json_is(&r->json, "name")) read_field(r, e->label, sizeof e->label);
        else if (!json_skip(&r->json, json_next(&r->json))) wrong(r, "no value");
    }
    if (next != JSON_CLOSE) wrong(r, "arguments that do not end");
}

static void read_event(reader *r, event *e)
{
    json_token token;
    memset(e, 0, sizeof *e);
    while ((token = json_next(&r->json)) == JSON_KEY) {
        if (json_is(&r->json, "ph")) read_field(r, e->phase, sizeof e->phase);
        else if (json_is(&r->json, "name")) read_field(r, e->name, sizeof e->name);
        else if (json_is(&r->json, "pid")) read_field(r, e->pid, sizeof e->pid);
        else if (json_is(&r->json, "tid")) read_field(r, e->tid, sizeof e->tid);
        else if (json_is(&r->json, "ts")) e->start_us = read_time(r);
        else if (json_is(&r->json, "dur")) e->length_us = read_time(r);
        else if (json_is(&r->json, "args")) read_label(r, e);
        else if (!json_skip(&r->json, json_next(&r->json))) wrong(r, "no value");
    }
    if (token != JSON_CLOSE) wrong(r, "an event that does not end");
}

static size_t number_of(name_index *names, const char *text)
{
    size_t number = 0;
    if (names_add(names, text, strlen(text), &number) == NAMES_FULL) tool_fail("out of memory");
    return number;
}

static const char *copy_of(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    return (const char *)memcpy(tool_alloc(bytes, 1), text, bytes);
}

static void set_name(const char ***list, size_t *room, size_t at, const char *name)
{
    if (at >= *room) *list = (const char **)tool_grow(*list, *room, room, at + 1, sizeof **list);
    if (name) (*list)[at] = copy_of(name);
}

static void take_event(reader *r, const event *e)
{
    plot_input *in = r->in;
    char key[2 * FIELD + 1];
    plot_slice *s;
    snprintf(key, sizeof key, "%s\001%s", e->pid, e->tid);
    if (strcmp(e->phase, "M") == 0 && strcmp(e->name, "process_name") == 0)
        set_name(&r->process, &r->process_room, number_of(&r->processes, e->pid), e->label);
    if (strcmp(e->phase, "M") == 0 && strcmp(e->name, "thread_name") == 0)
        set_name(&r->thread, &r->thread_room, number_of(&r->rows, key), e->label);
    if (strcmp(e->phase, "X") != 0) return;
    if (in->slices == r->slice_room)
        in->slice = (plot_slice *)tool_grow(in->slice, in->slices, &r->slice_room,
                                            in->slices + 1, sizeof *in->slice);
    s = &in->slice[in->slices++];
    s->row = number_of(&r->rows, key);
    set_name(&r->thread, &r->thread_room, s->row, NULL);
    s->start_s = e->start_us / 1e6;
    s->end_s = s->start_s + (e->length_us > 0.0 ? e->length_us / 1e6 : 0.0);
    s->name = copy_of(e->name);
}

typedef struct row_place { size_t process, row; double thread; const char *name; } row_place;

static int compare_rows(const void *a, const void *b)
{
    const row_place *x = (const row_place *)a, *y = (const row_place *)b;
    if (x->process != y->process) return x->process < y->process ? -1 : 1;
    if (x->thread < y->thread || x->thread > y->thread) return x->thread < y->thread ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* "worker 0: uplink", or the numbers of process and thread. */
static row_place name_row(reader *r, size_t i)
{
    const char *key = names_text(&r->rows, i), *blank = strchr(key, 1);
    char pid[FIELD] = "", text[2 * FIELD + 4];
    row_place at;
    memcpy(pid, key, (size_t)(blank - key));
    at.row = i;
    at.process = number_of(&r->processes, pid);
    at.thread = 0.0;
    number_parse(blank + 1, NUMBER_ANY, &at.thread);
    snprintf(text, sizeof text, "%s: %s",
             at.process < r->process_room && r->process[at.process] ? r->process[at.process]
                                                                    : pid,
             i < r->thread_room && r->thread[i] ? r->thread[i] : blank + 1);
    at.name = copy_of(text);
    return at;
}

/* Processes as they come in the file, the threads of each by number. */
static void sort_rows(reader *r)
{
    plot_input *in = r->in;
    row_place *at = (row_place *)tool_alloc(r->rows.count, sizeof *at);
    size_t *place = (size_t *)tool_alloc(r->rows.count, sizeof *place), i;
    in->rows = r->rows.count;
    in->row = (const char **)tool_alloc(in->rows, sizeof *in->row);
    for (i = 0; i < in->rows; i++) at[i] = name_row(r, i);
    qsort(at, in->rows, sizeof *at, compare_rows);
    for (i = 0; i < in->rows; i++) {
        in->row[i] = at[i].name;
        place[at[i].row] = i;
    }
    for (i = 0; i < in->slices; i++) in->slice[i].row = place[in->slice[i].row];
}

void plot_read_timeline(plot_input *in, const char *data, size_t length)
{
    reader r;
    json_token token;
    event e;
    memset(&r, 0, sizeof r);
    r.in = in;
    json_read(&r.json, data, length);
    if (json_next(&r.json) != JSON_OBJECT) wrong(&r, "is no JSON object");
    while ((token = json_next(&r.json)) == JSON_KEY) {
        if (!json_is(&r.json, "traceEvents")) {
            if (!json_skip(&r.json, json_next(&r.json))) wrong(&r, "no value");
            continue;
        }
        if (json_next(&r.json) != JSON_ARRAY) wrong(&r, "'traceEvents' is no array");
        while ((token = json_next(&r.json)) == JSON_OBJECT) {
            read_event(&r, &e);
            take_event(&r, &e);
        }
        if (token != JSON_CLOSE) wrong(&r, "an event that is no object");
    }
    if (token != JSON_CLOSE) wrong(&r, "the object does not end");
    if (in->slices == 0) tool_fail("%s: no slices (\"ph\":\"X\")", in->name);
    sort_rows(&r);
    names_free(&r.rows);
    names_free(&r.processes);
}

/* ---- Drawing --------------------------------------------------------------- */

enum { MOST_SLICES = 400, MOST_ROWS = 48, ROW = 20 };

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The window: what was asked for, or as many slices from the first as can be told apart. */
static void set_window(plot_job *job)
{
    const plot_input *in = &job->input;
    double *start = (double *)tool_alloc(in->slices, sizeof *start), end = 0.0;
    size_t i;
    for (i = 0; i < in->slices; i++) {
        start[i] = in->slice[i].start_s;
        if (i == 0 || in->slice[i].end_s > end) end = in->slice[i].end_s;
    }
    qsort(start, in->slices, sizeof *start, compare_times);
    if (!(job->from_s >= 0.0)) job->from_s = start[0];
    if (job->to_s > 0.0) return;
    if (!(end > job->from_s)) end = job->from_s + 1e-9 * (1.0 + job->from_s);
    for (i = 0; i < in->slices && start[i] < job->from_s; i++) {}
    job->to_s = end;
    if (in->slices - i > MOST_SLICES) {
        job->to_s = start[i + MOST_SLICES];
        tool_note("%s: the first %d of %lu slices, to %.4g s: --to shows more", in->name,
                  (int)MOST_SLICES, (unsigned long)in->slices, job->to_s);
    }
}

static size_t colour_of(const char *row, size_t number)
{
    static const struct { const char *word; size_t colour; } of[] = {
        {"downlink", 4}, {"uplink", 0}, {"server", 2}, {"update", 2}, {"worker:", 3},
        {": worker", 3}, {"compute", 3}
    };
    size_t i;
    for (i = 0; i < COUNT_OF(of); i++)
        if (strstr(row, of[i].word)) return of[i].colour;
    return number;
}

static void draw_slice(const svg_diagram *d, const plot_slice *s, size_t place, const char *row)
{
    const double from = s->start_s > d->x_low ? s->start_s : d->x_low;
    const double to = s->end_s < d->x_high ? s->end_s : d->x_high;
    const double left = svg_x(d, from), wide = svg_x(d, to) - left;
    const double top = d->top + ROW * (double)place + 2;
    svg_box(d, left, top, wide > 0.3 ? wide : 0.3, ROW - 4, colour_of(row, s->row), 0);
    if (7.5 * (double)strlen(s->name) < wide)
        output_print(d->out, "<g fill=\"%s\" font-size=\"11\">",
                     colour_of(row, s->row) % SVG_COLOURS == 0 ? "white" : "black");
    if (7.5 * (double)strlen(s->name) < wide) {
        svg_label(d, left + wide / 2, top + 12, "middle", s->name);
        output_print(d->out, "</g>\n");
    }
}

/* Also one that takes no time. */
static int is_within(const plot_job *job, const plot_slice *s)
{
    return s->start_s < job->to_s && (s->end_s > job->from_s || s->start_s >= job->from_s);
}

/* Rows that have a slice in the window, in their order in the file: their places. */
static size_t place_rows(const plot_job *job, size_t *place)
{
    const plot_input *in = &job->input;
    size_t i, places = 0;
    for (i = 0; i < in->rows; i++) place[i] = 0;
    for (i = 0; i < in->slices; i++)
        if (is_within(job, &in->slice[i]))
            place[in->slice[i].row] = 1;
    for (i = 0; i < in->rows; i++) place[i] = place[i] ? places++ : (size_t)-1;
    return places;
}

void plot_timeline(plot_job *job, output *svg)
{
    const plot_input *in = &job->input;
    size_t *place = (size_t *)tool_alloc(in->rows, sizeof *place);
    size_t places, i, longest = 0;
    svg_diagram d;
    memset(&d, 0, sizeof d);
    set_window(job);
    places = place_rows(job, place);
    if (places == 0) tool_fail("%s: nothing between --from and --to", in->name);
    if (places > MOST_ROWS)
        tool_fail("%s: %lu threads are too many for a picture, at most %d", in->name,
                  (unsigned long)places, (int)MOST_ROWS);
    for (i = 0; i < in->rows; i++)
        if (place[i] != (size_t)-1 && strlen(in->row[i]) > longest) longest = strlen(in->row[i]);
    d.title = job->title;
    d.x_label = "time, seconds";
    d.left = 7.0 * (double)longest + 16.0;
    d.right = d.left + 760;
    d.width = d.right + 24;
    d.bottom = (d.title ? 44 : 20) + ROW * (double)places;
    d.height = d.bottom + 52;
    d.x_low = job->from_s;
    d.x_high = job->to_s > job->from_s ? job->to_s : job->from_s + 1e-9;
    d.y_high = 1.0;
    svg_begin(&d, svg);
    d.top = d.bottom - ROW * (double)places;
    svg_axis_x(&d);
    for (i = 0; i < in->rows; i++)
        if (place[i] != (size_t)-1)
            svg_label(&d, d.left - 8, d.top + ROW * (double)place[i] + 14, "end", in->row[i]);
    for (i = 0; i < in->slices; i++)
        if (is_within(job, &in->slice[i])) {
            draw_slice(&d, &in->slice[i], place[in->slice[i].row], in->row[in->slice[i].row]);
            job->drawn++;
        }
    svg_end(&d);
}
