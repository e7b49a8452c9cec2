/* tensorflow_xplane.c - XSpace of TensorFlow 2 and JAX, of Protocol Buffers: what
 * plugins/profile/RUN/HOST.xplane.pb holds of the accelerators */
#include "import/tensorflow.h"

#include "import/protobuf.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of fields, of xplane.proto. */
enum {
    SPACE_PLANE = 1,
    PLANE_ID = 1, PLANE_NAME = 2, PLANE_LINE = 3, PLANE_KIND = 4,
    LINE_NAME = 2, LINE_START = 3, LINE_EVENT = 4, LINE_TITLE = 11,
    EVENT_KIND = 1, EVENT_START = 2, EVENT_DURATION = 3,
    ENTRY_KEY = 1, ENTRY_VALUE = 2, KIND_NAME = 2, KIND_TITLE = 4,
    TITLE = 256, TEXT = 4096
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

/* ---- Lines ----------------------------------------------------------------- */

static void read_event(x_space *x)
{
    uint64_t kind = 0;
    int64_t start_ps = 0, duration_ps = 0;
    tf_event *e;
    if (!protobuf_enter(&x->r)) return;
    while (protobuf_next(&x->r)) {
        if (x->r.wire != PROTOBUF_VARINT) continue;
        if (x->r.field == EVENT_KIND) kind = x->r.value;
        else if (x->r.field == EVENT_START) start_ps = protobuf_signed(&x->r);
        else if (x->r.field == EVENT_DURATION) duration_ps = protobuf_signed(&x->r);
    }
    if (duration_ps < 0)
        tool_fail("%s: byte %.0f: an event of a negative duration", x->p->name, (double)x->r.at);
    x->event_kind = (uint64_t *)import_grow(x->event_kind, x->p->events, &x->event_kind_room,
                                            sizeof *x->event_kind);
    x->event_kind[x->p->events] = kind;
    e = tf_add_event(x->p);
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
    double start_us;
    size_t i;
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
    start_us = since(x->origin_ns, start_ns) * 1e-3;
    for (i = first; i < x->p->events; i++) {
        tf_event *e = &x->p->event[i];
        e->start_us = import_on_grid(e->start_us + start_us, 1e6); /* picoseconds */
        e->end_us = import_on_grid(e->end_us + start_us, 1e6);
    }
    tf_add_line(&x->thread, (double)x->process.count, (double)x->thread.count,
                title[0] != '\0' ? title : name);
}

/* ---- Planes ---------------------------------------------------------------- */

/* An entry of the map from a number to what such events are called. */
static void read_kind(x_space *x)
{
    static char name[TEXT], title[TEXT];
    x_kind kind = {0, 0};
    name[0] = title[0] = '\0';
    if (!protobuf_enter(&x->r)) return;
    while (protobuf_next(&x->r)) {
        if (x->r.field == ENTRY_KEY && x->r.wire == PROTOBUF_VARINT) kind.id = x->r.value;
        if (x->r.field != ENTRY_VALUE || !protobuf_enter(&x->r)) continue;
        while (protobuf_next(&x->r)) {
            if (x->r.field == KIND_NAME) protobuf_text(&x->r, name, sizeof name);
            else if (x->r.field == KIND_TITLE) protobuf_text(&x->r, title, sizeof title);
        }
    }
    kind.name = title[0] != '\0' ? tf_name(x->p, title, strlen(title))
                                 : tf_name(x->p, name, strlen(name));
    x->kind = (x_kind *)import_grow(x->kind, x->kinds, &x->kind_room, sizeof *x->kind);
    x->kind[x->kinds++] = kind;
}

static int compare_kinds(const void *a, const void *b)
{
    const uint64_t x = ((const x_kind *)a)->id, y = ((const x_kind *)b)->id;
    return (x > y) - (x < y);
}

static void name_events(x_space *x, size_t first)
{
    size_t i;
    if (x->kinds == 0) return;
    qsort(x->kind, x->kinds, sizeof *x->kind, compare_kinds);
    for (i = first; i < x->p->events; i++) {
        x_kind wanted = {0, 0};
        const x_kind *found;
        wanted.id = x->event_kind[i];
        found = (const x_kind *)bsearch(&wanted, x->kind, x->kinds, sizeof wanted, compare_kinds);
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
        else if (device && x->r.field == PLANE_KIND) read_kind(x);
    }
    if (device) name_events(x, first);
    else x->p->events = first;
    tf_add_line(&x->process, (double)x->process.count, 0.0, name);
}

/* ---- The file -------------------------------------------------------------- */

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
    x_space x;
    memset(&x, 0, sizeof x);
    x.p = p;
    protobuf_read(&x.r, s);
    while (protobuf_next(&x.r))
        if (x.r.field == SPACE_PLANE) read_plane(&x);
    if (x.r.wrong)
        tool_fail("%s: byte %.0f: %s%s%s", s->name, (double)x.r.at, x.r.wrong, s->cut ? "; " : "",
                  s->cut ? s->cut : "");
    if (s->cut) tool_fail("%s: %s", s->name, s->cut);
    tf_trace(p, &x.process, &x.thread, found);
    p->events = 0;                     /* all handed on */
}
