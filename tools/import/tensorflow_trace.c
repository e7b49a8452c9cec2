/* tensorflow_trace.c - timelines as JSON, and traces of TensorFlow 2 as JSON and as XSpace */
#include "import/protobuf.h"
#include "import/tensorflow_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Kernels of a trace ------------------------------------------------------- */

typedef struct tf_steps { double *start_us, *end_us; size_t count; } tf_steps;

static int is_same(double a, double b) { return !(a < b) && !(b < a); }

/* Kernels stand on streams; other lines show the same once more. */
static int runs_kernels(const char *title)
{
    return strncmp(title, "stream", 6) == 0 || strncmp(title, "Stream", 6) == 0 ||
           strcmp(title, "XLA Ops") == 0;
}

/* Where a line of this process and thread stands, in the order of the file; events come in
 * the order of their lines, so that *last, where the one before stood, is it mostly. */
static size_t line_of(const tf_lines *list, double pid, double tid, size_t *last)
{
    size_t i;
    if (*last < list->count && is_same(list->line[*last].pid, pid) &&
        is_same(list->line[*last].tid, tid))
        return *last;
    for (i = 0; i < list->count; i++)
        if (is_same(list->line[i].pid, pid) && is_same(list->line[i].tid, tid)) break;
    *last = i;
    return i;
}

/* The titles of the events' threads: [events]. */
static const char **titles(const tf_profile *p, const tf_lines *thread)
{
    const char **title = tool_alloc(p->events, sizeof *title);
    size_t last = 0;
    for (size_t i = 0; i < p->events; i++) {
        const tf_event *e = &p->event[i];
        const size_t at = line_of(thread, (double)e->device, (double)e->lane, &last);
        title[i] = at < thread->count ? thread->line[at].title : "";
    }
    return title;
}

static int is_accelerator(const char *title)
{
    return strncmp(title, "/device:GPU", 11) == 0 || strncmp(title, "/device:TPU", 11) == 0;
}

/* The accelerator with most kernels, of several the one of the lowest number: a program may
 * see more than it uses. */
static double accelerator(const tf_profile *p, const tf_lines *process, const char *const *title)
{
    size_t *kernels = tool_alloc(process->count, sizeof *kernels), last = 0, i;
    size_t best = process->count;
    for (i = 0; i < p->events; i++) {
        const double pid = (double)p->event[i].device;
        if (!runs_kernels(title[i])) continue;
        if (last >= process->count || !is_same(process->line[last].pid, pid))
            for (last = 0; last < process->count; last++)
                if (is_same(process->line[last].pid, pid)) break;
        if (last < process->count) kernels[last]++;
    }
    for (i = 0; i < process->count; i++) {
        if (!is_accelerator(process->line[i].title)) continue;
        if (best == process->count || kernels[i] > kernels[best] ||
            (kernels[i] == kernels[best] && process->line[i].pid < process->line[best].pid))
            best = i;
    }
    if (best == process->count)
        tool_fail("%s: the trace has no accelerator, so the compute time of a step is unknown",
                  p->name);
    if (kernels[best] == 0) tool_fail("%s: the accelerator ran no kernel", p->name);
    return process->line[best].pid;
}

/* From the start of one event of the line "Steps" to its end; without any, all is one. */
static void find_steps(const tf_profile *p, double pid, const char *const *title, tf_steps *s)
{
    memset(s, 0, sizeof *s);
    s->start_us = tool_alloc(p->events + 1, sizeof *s->start_us);
    s->end_us = tool_alloc(p->events + 1, sizeof *s->end_us);
    for (size_t i = 0; i < p->events; i++) {
        const tf_event *e = &p->event[i];
        if (!is_same((double)e->device, pid)) continue;
        if (strcmp(title[i], "Steps") != 0) continue;
        s->start_us[s->count] = e->start_us;
        s->end_us[s->count++] = e->end_us;
    }
    qsort(s->start_us, s->count, sizeof *s->start_us, number_compare);
    qsort(s->end_us, s->count, sizeof *s->end_us, number_compare);
    if (s->count > 0) return;
    s->start_us[0] = 1e300;
    s->end_us[0] = -1e300;
    for (size_t i = 0; i < p->events; i++) {
        const tf_event *e = &p->event[i];
        if (!is_same((double)e->device, pid) || !runs_kernels(title[i])) continue;
        if (e->start_us < s->start_us[0]) s->start_us[0] = e->start_us;
        if (e->end_us > s->end_us[0]) s->end_us[0] = e->end_us;
    }
    s->count = 1;
    tool_note("no-steps-marked",
              "%s: the trace does not mark steps: the whole trace counts as one step", p->name);
}

/* The last step that began before; s->count: none, or it was over. */
static size_t step_at(const tf_steps *s, double time_us)
{
    const size_t begun = import_below(s->start_us, s->count, sizeof *s->start_us, time_us, 1);
    return begun > 0 && time_us < s->end_us[begun - 1] ? begun - 1 : s->count;
}

/* Of NCCL, or an instruction of XLA: "all-reduce.7", "%reduce-scatter.3 = ...". */
static int is_collective(const char *name)
{
    const char *word = name[0] == '%' ? name + 1 : name;
    return strstr(name, "nccl") || strncmp(word, "all-", 4) == 0 ||
           strncmp(word, "reduce-scatter", 14) == 0 || strncmp(word, "collective-", 11) == 0;
}

static void add_kernel(const tf_profile *p, const tf_event *e, size_t step, double origin_us,
                       import_found *found)
{
    const char *name = names_text(&p->names, e->op);
    import_op op = {.step = (uint32_t)step, .start_s = (e->start_us - origin_us) * 1e-6,
                    .end_s = (e->end_us - origin_us) * 1e-6};
    if (is_collective(name)) {
        op.kind = IMPORT_COLLECTIVE;
        op.collective = import_collective_named(name);
        op.bytes = -1.0;
    }
    import_add_op(found, &op, name, strlen(name));
}

/* The kernels of the accelerator of a trace that ran most, its process and streams being known
 * by their titles; nothing says what waits for what. */
static void tf_trace(const tf_profile *p, const tf_lines *process, const tf_lines *thread,
                     import_found *found)
{
    const char **title = titles(p, thread);
    const double pid = accelerator(p, process, title);
    tf_steps s;
    size_t i;
    find_steps(p, pid, title, &s);
    for (i = 0; i < s.count; i++)
        import_add_step(found, i, (s.start_us[i] - s.start_us[0]) * 1e-6,
                        (s.end_us[i] - s.start_us[0]) * 1e-6);
    for (i = 0; i < p->events; i++) {
        const tf_event *e = &p->event[i];
        const size_t step = step_at(&s, e->start_us);
        if (!is_same((double)e->device, pid) || !runs_kernels(title[i])) continue;
        if (step < s.count) add_kernel(p, e, step, s.start_us[0], found);
        else import_drop(found, "kernels outside of steps", 1);
    }
    if (found->ops == 0) tool_fail("%s: no step has a kernel", p->name);
    for (i = 0; i < found->ops && found->op[i].kind != IMPORT_COLLECTIVE; i++) { }
    if (i == found->ops && tf_exchange(p))
        tool_fail("%s: the workers exchange by '%.200s', but no stream of the accelerator shows "
                  "for how long: trace with NCCL", p->name, tf_exchange(p));
    found->events = p->events;
    found->timed = 1;
}

/* ---- JSON --------------------------------------------------------------------- */

/* Profiles of TensorFlow as JSON: the timeline of a session, and the
 * traces of TensorFlow 2 (plugins/profile/RUN/HOST.trace.json.gz). */

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

/* ---- JSON: events ------------------------------------------------------------- */

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
} raw_file;

static void text(json_reader *r, char *to, size_t room)
{
    const json_token token = json_next(r);
    const size_t n = r->length < room ? r->length : room - 1;
    if (token != JSON_STRING) { import_skip_json(r, token); return; }
    memcpy(to, r->text, n);
    to[n] = '\0';
}

static int number(json_reader *r, double *value)
{
    const json_token token = json_next(r);
    if (token == JSON_NUMBER) return json_value(r, value);
    import_skip_json(r, token);
    return 0;
}

/* Goes into a member's value: 0: it is no object, and behind us. */
static int enter(json_reader *r)
{
    const json_token token = json_next(r);
    if (token != JSON_OBJECT) import_skip_json(r, token);
    return token == JSON_OBJECT;
}

static void read_snapshot(raw_file *f)
{
    if (!enter(&f->r)) return;
    while (json_next(&f->r) == JSON_KEY)
        if (json_is(&f->r, "tensor_description")) text(&f->r, f->e.description, TEXT);
        else import_skip_json(&f->r, json_next(&f->r));
}

static void read_arguments(raw_file *f)
{
    json_reader *r = &f->r;
    raw_event *e = &f->e;
    char value[TEXT];
    if (!enter(r)) return;
    while (json_next(r) == JSON_KEY) {
        if (json_is(r, "name")) { text(r, e->node, TEXT); memcpy(e->title, e->node, TEXT); }
        else if (json_is(r, "op")) text(r, e->op, TEXT);
        else if (json_is(r, "snapshot")) read_snapshot(f);
        else if (r->length > 5 && memcmp(r->text, "input", 5) == 0 &&
                 e->inputs < COUNT_OF(e->input)) {
            value[0] = '\0';
            text(r, value, TEXT);
            e->input[e->inputs++] = tf_name(f->p, value, strlen(value));
        } else import_skip_json(r, json_next(r));
    }
}

/* 0 at the end of the list. */
static int read_json_event(raw_file *f)
{
    json_reader *r = &f->r;
    raw_event *e = &f->e;
    json_token token = json_next(r);
    char phase[8] = "";
    if (token == JSON_CLOSE) return 0;
    if (token != JSON_OBJECT) import_fail_json(r, "an event is not an object");
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
        else import_skip_json(r, json_next(r));
    }
    if (token != JSON_CLOSE) import_fail_json(r, "no JSON");
    e->phase = phase[0];
    return 1;
}

/* ---- JSON: keeping ------------------------------------------------------------ */

static void keep_tensor(raw_file *f)
{
    static const char key[] = "requested_bytes: ";
    const char *bytes = strstr(f->e.description, key);
    const double sent = bytes ? strtod(bytes + sizeof key - 1, NULL) : -1.0;
    if (strcmp(f->e.name, "RecvTensor") != 0 || !(sent >= 0.0 && sent <= 1e300)) return;
    *IMPORT_ADD(f->tensor, f->tensors, f->tensor_room) =
        (raw_tensor){f->e.pid, f->e.tid, f->e.start_us + 1.0, sent};
}

static void keep_op(raw_file *f)
{
    const raw_event *e = &f->e;
    const char *node = e->node[0] != '\0' ? e->node : e->name;
    const char *op = e->op[0] != '\0' ? e->op : e->name;
    if (!e->has_start || !e->has_duration) {
        import_drop(f->found, "events without a time", 1);
        return;
    }
    if (e->duration_us < 0.0 || e->pid < 0.0 || e->pid > 1e9)
        tool_fail("%s:%lu: the duration or process of '%.200s' is invalid", f->p->name,
                  (unsigned long)f->r.line, e->name);
    tf_event *event = tf_add_event(f->p);
    event->device = (uint64_t)e->pid;
    event->lane = e->tid >= 0.0 && e->tid < 1e15 ? (uint64_t)e->tid : 0;
    event->start_us = e->start_us;
    event->end_us = import_on_grid(e->start_us + e->duration_us, 1e6); /* picoseconds */
    event->node = tf_name(f->p, node, strlen(node));
    event->op = tf_name(f->p, op, strlen(op));
    for (size_t i = 0; i < e->inputs; i++) {
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

/* ---- JSON: timelines ---------------------------------------------------------- */

static const char *title_of(const tf_lines *list, double pid)
{
    for (size_t i = list->count; i-- > 0;)
        if (is_same(list->line[i].pid, pid)) return list->line[i].title;
    return "";
}

static int compare_tensors(const void *a, const void *b)
{
    const raw_tensor *x = a, *y = b;
    const int by_pid = number_compare(&x->pid, &y->pid), by_tid = number_compare(&x->tid, &y->tid);
    return by_pid ? by_pid : by_tid ? by_tid : number_compare(&x->end_us, &y->end_us);
}

/* Processes become devices; what is sent gets its size, which the process behind its
 * device's shows where the timeline has the memory. */
static void name_devices(raw_file *f)
{
    static const char computes[] = " Compute";
    const size_t ending = sizeof computes - 1;
    if (f->tensors > 0) qsort(f->tensor, f->tensors, sizeof *f->tensor, compare_tensors);
    for (size_t i = 0; i < f->p->events; i++) {
        tf_event *e = &f->p->event[i];
        const raw_tensor key = {(double)e->device + 1.0, (double)e->lane, e->end_us, 0.0}, *t;
        const char *title = title_of(&f->process, (double)e->device);
        size_t length = strlen(title);
        if (length > ending && strcmp(title + length - ending, computes) == 0) length -= ending;
        e->device = tf_device(f->p, title, length);
        if (f->tensors == 0 || strcmp(names_text(&f->p->names, e->op), "RecvTensor") != 0) continue;
        t = bsearch(&key, f->tensor, f->tensors, sizeof key, compare_tensors);
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
        if (!json_is(&f.r, "traceEvents")) { import_skip_json(&f.r, json_next(&f.r)); continue; }
        if (json_next(&f.r) != JSON_ARRAY) import_fail_json(&f.r, "traceEvents is not a list");
        while (read_json_event(&f)) keep(&f);
    }
    if (token != JSON_CLOSE || json_next(&f.r) != JSON_END) import_fail_json(&f.r, "no JSON");
    if (p->events == 0) tool_fail("%s: the trace has no operations", s->name);
    if (timeline) {
        name_devices(&f);
        return;
    }
    tf_trace(p, &f.process, &f.thread, found);
    p->events = 0;                     /* all handed on */
}

/* ---- XSpace ------------------------------------------------------------------- */

/* XSpace of TensorFlow 2 and JAX, of Protocol Buffers: what
 * plugins/profile/RUN/HOST.xplane.pb holds of the accelerators. */

/* Numbers of fields, of xplane.proto. */
enum {
    SPACE_PLANE = 1,
    PLANE_ID = 1, PLANE_NAME = 2, PLANE_LINE = 3, PLANE_KIND = 4,
    LINE_NAME = 2, LINE_START = 3, LINE_EVENT = 4, LINE_TITLE = 11,
    EVENT_KIND = 1, EVENT_START = 2, EVENT_DURATION = 3,
    ENTRY_KEY = 1, ENTRY_VALUE = 2, KIND_NAME = 2, KIND_TITLE = 4,
    TITLE = 256
};

typedef struct x_kind { uint64_t id; uint32_t name; } x_kind; /* of events, what they are called */

typedef struct x_space {
    tf_profile     *p;
    protobuf_reader r;
    tf_lines        process, thread;
    int64_t         origin_ns;         /* of the first line: an epoch would take digits */
    int             has_origin;
    x_kind         *kind;              /* [kinds] of the plane                        */
    size_t          kinds, kind_room;
    uint64_t       *event_kind;        /* [p->events]                                 */
    size_t          event_kind_room;
} x_space;

/* ---- XSpace: lines ------------------------------------------------------------ */

static void read_event(x_space *x)
{
    uint64_t kind = 0;
    int64_t start_ps = 0, duration_ps = 0;
    if (!protobuf_enter(&x->r)) return;
    while (protobuf_next(&x->r)) {
        if (x->r.wire != PROTOBUF_VARINT) continue;
        if (x->r.field == EVENT_KIND) kind = x->r.value;
        else if (x->r.field == EVENT_START) start_ps = protobuf_signed(&x->r);
        else if (x->r.field == EVENT_DURATION) duration_ps = protobuf_signed(&x->r);
    }
    if (duration_ps < 0)
        tool_fail("%s: byte %.0f: an event has a negative duration", x->p->name, (double)x->r.at);
    x->event_kind = import_grow(x->event_kind, x->p->events, &x->event_kind_room,
                                sizeof *x->event_kind);
    x->event_kind[x->p->events] = kind;
    tf_event *e = tf_add_event(x->p);
    e->device = x->process.count;
    e->lane = x->thread.count;
    e->start_us = (double)start_ps * 1e-6;
    e->end_us = e->start_us + (double)duration_ps * 1e-6;
}

static double since(int64_t origin, int64_t time)
{
    return time >= origin ? (double)((uint64_t)time - (uint64_t)origin)
                          : -(double)((uint64_t)origin - (uint64_t)time);
}

static void read_line(x_space *x)
{
    const size_t first = x->p->events;
    char name[TITLE] = "", title[TITLE] = "";
    int64_t start_ns = 0;
    if (!protobuf_enter(&x->r)) return;
    while (protobuf_next(&x->r)) {
        if (x->r.field == LINE_NAME) protobuf_text(&x->r, name, sizeof name);
        else if (x->r.field == LINE_TITLE) protobuf_text(&x->r, title, sizeof title);
        else if (x->r.field == LINE_START && x->r.wire == PROTOBUF_VARINT)
            start_ns = protobuf_signed(&x->r);
        else if (x->r.field == LINE_EVENT) read_event(x);
    }
    if (!x->has_origin) x->origin_ns = start_ns;
    x->has_origin = 1;
    double start_us = since(x->origin_ns, start_ns) * 1e-3;
    for (size_t i = first; i < x->p->events; i++) {
        tf_event *e = &x->p->event[i];
        e->start_us = import_on_grid(e->start_us + start_us, 1e6); /* picoseconds */
        e->end_us = import_on_grid(e->end_us + start_us, 1e6);
    }
    tf_add_line(&x->thread, (double)x->process.count, (double)x->thread.count,
                title[0] != '\0' ? title : name);
}

/* ---- XSpace: planes ----------------------------------------------------------- */

/* An entry of the map from a number to what such events are called. */
static void read_kind(x_space *x)
{
    static char name[TEXT], title[TEXT];
    uint64_t id = 0;
    name[0] = title[0] = '\0';
    if (!protobuf_enter(&x->r)) return;
    while (protobuf_next(&x->r)) {
        if (x->r.field == ENTRY_KEY && x->r.wire == PROTOBUF_VARINT) id = x->r.value;
        if (x->r.field != ENTRY_VALUE || !protobuf_enter(&x->r)) continue;
        while (protobuf_next(&x->r)) {
            if (x->r.field == KIND_NAME) protobuf_text(&x->r, name, sizeof name);
            else if (x->r.field == KIND_TITLE) protobuf_text(&x->r, title, sizeof title);
        }
    }
    const char *called = title[0] != '\0' ? title : name;
    *IMPORT_ADD(x->kind, x->kinds, x->kind_room) =
        (x_kind){id, tf_name(x->p, called, strlen(called))};
}

static void name_events(x_space *x, size_t first)
{
    if (x->kinds == 0) return;
    qsort(x->kind, x->kinds, sizeof *x->kind, import_compare_ids);
    for (size_t i = first; i < x->p->events; i++) {
        const x_kind wanted = {x->event_kind[i], 0};
        const x_kind *found = bsearch(&wanted, x->kind, x->kinds, sizeof wanted,
                                      import_compare_ids);
        if (found) x->p->event[i].node = x->p->event[i].op = found->name;
    }
}

/* What a host did says nothing of a step's computation: of a plane that is no device's the
 * lines are left out. */
static void read_plane(x_space *x)
{
    const size_t first = x->p->events;
    char name[TITLE] = "";
    int device = 1;
    if (!protobuf_enter(&x->r)) return;
    x->kinds = 0;
    while (protobuf_next(&x->r)) {
        if (x->r.field == PLANE_NAME) {
            protobuf_text(&x->r, name, sizeof name);
            device = strncmp(name, "/device:", 8) == 0;
        } else if (device && x->r.field == PLANE_LINE) read_line(x);
        else if (x->r.field == PLANE_KIND) read_kind(x); /* an exchange may be a host's */
    }
    if (device) name_events(x, first);
    else x->p->events = first;
    tf_add_line(&x->process, (double)x->process.count, 0.0, name);
}

/* ---- XSpace: the file --------------------------------------------------------- */

int tf_is_xplane(const char *head, size_t length)
{
    protobuf_reader r;
    char name[16];
    stream s;
    stream_of(&s, "", head, length);
    protobuf_read(&r, &s);
    if (!protobuf_next(&r) || r.field != SPACE_PLANE || !protobuf_enter(&r)) return 0;
    if (!protobuf_next(&r)) return 0;
    if (r.field == PLANE_ID && r.wire == PROTOBUF_VARINT && !protobuf_next(&r)) return 0;
    if (r.field != PLANE_NAME || r.wire != PROTOBUF_LENGTH) return 0;
    protobuf_text(&r, name, sizeof name);
    return strncmp(name, "/device:", 8) == 0 || strncmp(name, "/host:", 6) == 0 ||
           strncmp(name, "Task Env", 8) == 0;
}

void tf_read_xplane(stream *s, tf_profile *p, import_found *found)
{
    x_space x = {.p = p};
    protobuf_read(&x.r, s);
    while (protobuf_next(&x.r))
        if (x.r.field == SPACE_PLANE) read_plane(&x);
    protobuf_end(&x.r);
    tf_trace(p, &x.process, &x.thread, found);
    p->events = 0;                     /* all handed on */
}
