/* slices.c - Chrome's trace-event JSON: a row for each thread */
#include "files/slices.h"

#include "base/json.h"
#include "files/flat.h"

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
    const char *name;
    slice_list *list;
    name_index *rows, *processes; /* "pid", 1, "tid" and "pid"                      */
    const char **thread, **process;    /* their names, by number                    */
    size_t      thread_room, process_room, slice_room;
} reader;

static void wrong(const reader *r, const char *what)
{
    tool_fail("%s:%lu: %s", r->name, (unsigned long)r->json.line,
              r->json.wrong ? r->json.wrong : what);
}

static void skip(reader *r, json_token token)
{
    if (!json_skip(&r->json, token)) wrong(r, "a value is missing");
}

/* A text or number, cut between characters where it is long; other values are skipped. */
static void read_field(reader *r, char *field, size_t bytes)
{
    const json_token token = json_next(&r->json);
    if (token == JSON_STRING || token == JSON_NUMBER) {
        char *text = flat_string(r->json.text, r->json.length);
        size_t length = strlen(text);
        if (length >= bytes)
            for (length = bytes - 1; ((unsigned char)text[length] & 0xC0) == 0x80;) length--;
        memcpy(field, text, length);
        field[length] = '\0';
        tool_free(text);
    } else {
        skip(r, token);
    }
}

static double read_time(reader *r)
{
    char text[FIELD] = "";
    double value = 0.0;
    read_field(r, text, sizeof text);
    if (number_parse(text, NUMBER_ANY, &value)) wrong(r, "a time is not a number");
    return value;
}

/* "args": {"name": ...} of a row that gets its name */
static void read_label(reader *r, event *e)
{
    const json_token token = json_next(&r->json);
    json_token next;
    if (token != JSON_OBJECT) { skip(r, token); return; }
    while ((next = json_next(&r->json)) == JSON_KEY) {
        if (json_is(&r->json, "name")) read_field(r, e->label, sizeof e->label);
        else skip(r, json_next(&r->json));
    }
    if (next != JSON_CLOSE) wrong(r, "arguments do not end");
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
        else skip(r, json_next(&r->json));
    }
    if (token != JSON_CLOSE) wrong(r, "an event does not end");
}

static void set_name(const char ***list, size_t *room, size_t at, const char *name)
{
    *list = tool_grow(*list, *room, room, at + 1, sizeof **list);
    if (name) (*list)[at] = tool_text("%s", name);
}

static void take_event(reader *r, const event *e)
{
    slice_list *list = r->list;
    char key[2 * FIELD + 1];
    snprintf(key, sizeof key, "%s\001%s", e->pid, e->tid);
    if (strcmp(e->phase, "M") == 0 && strcmp(e->name, "process_name") == 0)
        set_name(&r->process, &r->process_room, names_number(r->processes, e->pid), e->label);
    if (strcmp(e->phase, "M") == 0 && strcmp(e->name, "thread_name") == 0)
        set_name(&r->thread, &r->thread_room, names_number(r->rows, key), e->label);
    if (strcmp(e->phase, "X") != 0) return;
    list->slice = tool_one_more(list->slice, list->count, &r->slice_room, sizeof *list->slice);
    slice *s = &list->slice[list->count++];
    s->row = names_number(r->rows, key);
    set_name(&r->thread, &r->thread_room, s->row, NULL);
    s->start_s = e->start_us / 1e6;
    s->end_s = s->start_s + (e->length_us > 0.0 ? e->length_us / 1e6 : 0.0);
    s->name = names_number(&list->names, e->name);
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
    const char *key = names_text(r->rows, i), *blank = strchr(key, 1);
    char pid[FIELD] = "", text[2 * FIELD + 4];
    row_place at;
    memcpy(pid, key, (size_t)(blank - key));
    at.row = i;
    at.process = names_number(r->processes, pid);
    at.thread = 0.0;
    number_parse(blank + 1, NUMBER_ANY, &at.thread);
    snprintf(text, sizeof text, "%s: %s",
             at.process < r->process_room && r->process[at.process] ? r->process[at.process]
                                                                    : pid,
             r->thread[i] ? r->thread[i] : blank + 1);
    at.name = tool_text("%s", text);
    return at;
}

/* Processes as they come in the file, the threads of each by number. */
static void sort_rows(reader *r)
{
    slice_list *list = r->list;
    row_place *at = tool_alloc(r->rows->count, sizeof *at);
    size_t *place = tool_alloc(r->rows->count, sizeof *place), i;
    list->rows = r->rows->count;
    list->row = tool_alloc(list->rows, sizeof *list->row);
    for (i = 0; i < list->rows; i++) at[i] = name_row(r, i);
    qsort(at, list->rows, sizeof *at, compare_rows);
    for (i = 0; i < list->rows; i++) {
        list->row[i] = at[i].name;
        place[at[i].row] = i;
    }
    for (i = 0; i < list->count; i++) list->slice[i].row = place[list->slice[i].row];
}

static void read_events(reader *r)
{
    json_token token;
    event e;
    while ((token = json_next(&r->json)) == JSON_OBJECT) {
        read_event(r, &e);
        take_event(r, &e);
    }
    if (token != JSON_CLOSE) wrong(r, "an event is not an object");
}

static void read_timeline(reader *r)
{
    json_token token = json_next(&r->json);    /* an array or object, by slices_recognise */
    if (token == JSON_ARRAY) {
        read_events(r);
    } else {
        while ((token = json_next(&r->json)) == JSON_KEY) {
            if (!json_is(&r->json, "traceEvents")) { skip(r, json_next(&r->json)); continue; }
            if (json_next(&r->json) != JSON_ARRAY) wrong(r, "'traceEvents' is not an array");
            read_events(r);
        }
        if (token != JSON_CLOSE) wrong(r, "the object does not end");
    }
    if (json_next(&r->json) != JSON_END) wrong(r, "text follows the timeline");
}

void slices_parse(slice_list *list, const char *name, const char *data, size_t length)
{
    reader r = {.name = name, .list = list, .rows = &list->threads,
                .processes = &list->processes};
    memset(list, 0, sizeof *list);
    json_read(&r.json, data, length);
    read_timeline(&r);
    if (list->count == 0) tool_fail("%s: the file has no complete events (\"ph\":\"X\") to draw",
        name);
    sort_rows(&r);
}

void slices_free(slice_list *list)
{
    names_free(&list->names);
    names_free(&list->threads);
    names_free(&list->processes);
}

int slices_recognise(const char *data, size_t length)
{
    json_reader json;
    json_read(&json, data, length);
    json_token token = json_next(&json);
    if (token != JSON_OBJECT) return token == JSON_ARRAY;
    while (json_next(&json) == JSON_KEY) {
        if (json_is(&json, "traceEvents")) return 1;
        if (!json_skip(&json, json_next(&json))) return 0;
    }
    return 0;
}
