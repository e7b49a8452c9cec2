/* tensorflow_json.c - profiles of TensorFlow as JSON: the timeline of a session, and the
 * traces of TensorFlow 2 (plugins/profile/RUN/HOST.trace.json.gz) */
#include "import/tensorflow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };

/* "{"traceEvents":...": of a timeline the processes are devices, of a trace planes. */
static int is_timeline(const char *head, size_t length)
{
    return import_has(head, length, " Compute\"") &&
           (import_has(head, length, "/job:") || import_has(head, length, "\"Allocators\""));
}

int tf_is_json(const char *head, size_t length)
{
    if (!import_has(head, length, "\"traceEvents\"")) return 0;
    return is_timeline(head, length) || import_has(head, length, "\"/host:CPU\"") ||
           import_has(head, length, "\"/device:GPU:") || import_has(head, length, "\"/device:TPU:");
}

/* ---- Events ---------------------------------------------------------------- */

typedef struct raw_event {
    char     phase, category[16], name[TEXT], node[TEXT], op[TEXT], title[TEXT];
    char     description[TEXT];
    double   start_us, duration_us, pid, tid;
    int      has_start, has_duration;
    size_t   input[64], inputs; /* names                                            */
} raw_event;

/* Of the objects that timelines with memory hold: what an op has sent. */
typedef struct raw_tensor { double pid, tid, end_us, bytes; } raw_tensor;

typedef struct raw_file {
    tf_profile   *p;
    import_found *found;
    json_reader   r;
    raw_event     e;
    raw_tensor   *tensor;     /* [tensors]                                          */
    size_t        tensors, tensor_room;
    tf_lines      process, thread;
    uint64_t      read;
} raw_file;

static void copy(const json_reader *r, char *to, size_t room)
{
    const size_t n = r->length < room ? r->length : room - 1;
    memcpy(to, r->text, n);
    to[n] = '\0';
}

static void text(json_reader *r, char *to, size_t room)
{
    const json_token token = json_next(r);
    if (token == JSON_STRING) copy(r, to, room);
    else if (!json_skip(r, token)) import_fail_json(r, "no JSON");
}

static int number(json_reader *r, double *value)
{
    const json_token token = json_next(r);
    if (token == JSON_NUMBER) return json_value(r, value);
    if (!json_skip(r, token)) import_fail_json(r, "no JSON");
    return 0;
}

static void skip(json_reader *r)
{
    if (!json_skip(r, json_next(r))) import_fail_json(r, "no JSON");
}

static void read_snapshot(raw_file *f)
{
    const json_token token = json_next(&f->r);
    if (token != JSON_OBJECT) {
        if (!json_skip(&f->r, token)) import_fail_json(&f->r, "no JSON");
        return;
    }
    while (json_next(&f->r) == JSON_KEY)
        if (json_is(&f->r, "tensor_description")) text(&f->r, f->e.description, TEXT);
        else skip(&f->r);
}

static void read_arguments(raw_file *f)
{
    const json_token token = json_next(&f->r);
    raw_event *e = &f->e;
    char value[TEXT];
    if (token != JSON_OBJECT) {
        if (!json_skip(&f->r, token)) import_fail_json(&f->r, "no JSON");
        return;
    }
    while (json_next(&f->r) == JSON_KEY) {
        if (json_is(&f->r, "name")) { text(&f->r, e->node, TEXT); memcpy(e->title, e->node, TEXT); }
        else if (json_is(&f->r, "op")) text(&f->r, e->op, TEXT);
        else if (json_is(&f->r, "snapshot")) read_snapshot(f);
        else if (f->r.length > 5 && memcmp(f->r.text, "input", 5) == 0 &&
                 e->inputs < COUNT_OF(e->input)) {
            value[0] = '\0';
            text(&f->r, value, TEXT);
            e->input[e->inputs++] = tf_name(f->p, value, strlen(value));
        } else skip(&f->r);
    }
}

/* 0 at the end of the list. */
static int read_event(raw_file *f)
{
    json_reader *r = &f->r;
    raw_event *e = &f->e;
    json_token token = json_next(r);
    char phase[8] = "";
    if (token == JSON_CLOSE) return 0;
    if (token != JSON_OBJECT) import_fail_json(r, "an event is no object");
    memset(e, 0, offsetof(raw_event, name));
    e->name[0] = e->node[0] = e->op[0] = e->title[0] = e->description[0] = '\0';
    e->start_us = e->duration_us = e->pid = e->tid = 0.0;
    e->has_start = e->has_duration = 0;
    e->inputs = 0;
    while ((token = json_next(r)) == JSON_KEY) {
        if (json_is(r, "ph")) text(r, phase, sizeof phase);
        else if (json_is(r, "cat")) text(r, e->category, sizeof e->category);
        else if (json_is(r, "name")) text(r, e->name, TEXT);
        else if (json_is(r, "ts")) e->has_start = number(r, &e->start_us);
        else if (json_is(r, "dur")) e->has_duration = number(r, &e->duration_us);
        else if (json_is(r, "pid")) (void)number(r, &e->pid);
        else if (json_is(r, "tid")) (void)number(r, &e->tid);
        else if (json_is(r, "args")) read_arguments(f);
        else skip(r);
    }
    if (token != JSON_CLOSE) import_fail_json(r, "no JSON");
    e->phase = phase[0];
    f->read++;
    return 1;
}

/* ---- Keeping --------------------------------------------------------------- */

static void keep_tensor(raw_file *f)
{
    const char *bytes = strstr(f->e.description, "requested_bytes: ");
    const double sent = bytes ? strtod(bytes + strlen("requested_bytes: "), NULL) : -1.0;
    raw_tensor *t;
    if (strcmp(f->e.name, "RecvTensor") != 0 || !(sent >= 0.0 && sent <= 1e300)) return;
    if (f->tensors == f->tensor_room)
        f->tensor = (raw_tensor *)tool_grow(f->tensor, f->tensors, &f->tensor_room,
                                            f->tensors + 1, sizeof *f->tensor);
    t = &f->tensor[f->tensors++];
    t->pid = f->e.pid;
    t->tid = f->e.tid;
    t->end_us = f->e.start_us + 1.0;
    t->bytes = sent;
}

static void keep_op(raw_file *f)
{
    const raw_event *e = &f->e;
    const char *node = e->node[0] != '\0' ? e->node : e->name;
    tf_event *event;
    size_t i;
    if (!e->has_start || !e->has_duration) {
        import_drop(f->found, "events without a time", 1);
        return;
    }
    if (e->duration_us < 0.0 || e->pid < 0.0 || e->pid > 1e9)
        tool_fail("%s:%lu: '%.200s' of a duration or process that is none", f->p->name,
                  (unsigned long)f->r.line, e->name);
    event = tf_add_event(f->p);
    event->device = (uint64_t)e->pid;
    event->lane = e->tid >= 0.0 && e->tid < 1e15 ? (uint64_t)e->tid : 0;
    event->start_us = e->start_us;
    event->end_us = import_on_grid(e->start_us + e->duration_us, 1e6); /* picoseconds */
    event->node = tf_name(f->p, node, strlen(node));
    event->op = e->op[0] != '\0' ? tf_name(f->p, e->op, strlen(e->op))
                                 : tf_name(f->p, e->name, strlen(e->name));
    for (i = 0; i < e->inputs; i++) {
        const char *input = names_text(&f->p->names, e->input[i]);
        char copied[TEXT];
        snprintf(copied, sizeof copied, "%s", input);
        tf_add_input(f->p, copied, strlen(copied));
    }
}

static void keep(raw_file *f)
{
    const raw_event *e = &f->e;
    if (e->phase == 'X') keep_op(f);
    else if (e->phase == 'O') keep_tensor(f);
    else if (e->phase == 'M' && strcmp(e->name, "process_name") == 0)
        tf_add_line(&f->process, e->pid, e->tid, e->title);
    else if (e->phase == 'M' && strcmp(e->name, "thread_name") == 0)
        tf_add_line(&f->thread, e->pid, e->tid, e->title);
}

/* ---- Timelines ------------------------------------------------------------- */

static const char *title_of(const tf_lines *list, double pid)
{
    size_t i;
    for (i = list->count; i-- > 0;)
        if (!(list->line[i].pid < pid) && !(pid < list->line[i].pid)) return list->line[i].title;
    return "";
}

static int compare(double x, double y) { return (x > y) - (x < y); }

static int compare_tensors(const void *a, const void *b)
{
    const raw_tensor *x = (const raw_tensor *)a, *y = (const raw_tensor *)b;
    const int by_pid = compare(x->pid, y->pid), by_tid = compare(x->tid, y->tid);
    return by_pid ? by_pid : by_tid ? by_tid : compare(x->end_us, y->end_us);
}

/* Processes become devices; what is sent gets its size, which the process behind its
 * device's shows where the timeline has the memory. */
static void name_devices(raw_file *f)
{
    static const char computes[] = " Compute";
    const size_t ending = sizeof computes - 1;
    const raw_tensor *t;
    raw_tensor key;
    size_t i;
    memset(&key, 0, sizeof key);
    if (f->tensors > 0) qsort(f->tensor, f->tensors, sizeof *f->tensor, compare_tensors);
    for (i = 0; i < f->p->events; i++) {
        tf_event *e = &f->p->event[i];
        const double pid = (double)e->device;
        const char *title = title_of(&f->process, pid);
        size_t length = strlen(title);
        if (length > ending && strcmp(title + length - ending, computes) == 0) length -= ending;
        e->device = tf_device(f->p, title, length);
        if (f->tensors == 0 || strcmp(names_text(&f->p->names, e->op), "RecvTensor") != 0) continue;
        key.pid = pid + 1.0;
        key.tid = (double)e->lane;
        key.end_us = e->end_us;
        t = (const raw_tensor *)bsearch(&key, f->tensor, f->tensors, sizeof key, compare_tensors);
        if (t) e->bytes = t->bytes;
    }
}

void tf_read_json(stream *s, tf_profile *p, import_found *found)
{
    const int timeline = is_timeline(s->at, stream_peek(s, IMPORT_HEAD));
    static raw_file f;
    json_token token;
    memset(&f, 0, sizeof f);
    f.p = p;
    f.found = found;
    json_read_stream(&f.r, s, 1);
    if (json_next(&f.r) != JSON_OBJECT) import_fail_json(&f.r, "no object");
    while ((token = json_next(&f.r)) == JSON_KEY) {
        if (!json_is(&f.r, "traceEvents")) { skip(&f.r); continue; }
        if (json_next(&f.r) != JSON_ARRAY) import_fail_json(&f.r, "traceEvents is no list");
        while (read_event(&f)) keep(&f);
    }
    if (token != JSON_CLOSE || json_next(&f.r) != JSON_END) import_fail_json(&f.r, "no JSON");
    if (p->events == 0) tool_fail("%s: a trace without any op", s->name);
    if (timeline) {
        name_devices(&f);
        return;
    }
    tf_trace(p, &f.process, &f.thread, found);
    p->events = 0;                     /* all handed on */
}
