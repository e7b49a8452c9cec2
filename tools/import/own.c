/* own.c - traces of ours, for what writes other formats of them */
#include "import/import.h"

#include "files/trace.h"

#include <stdlib.h>
#include <string.h>

/* Column names in the first line that is no comment. */
static int recognises(const char *head, size_t length)
{
    static const char *const wanted[] = {"step", "op", "resource", "waits_for"};
    const char *end;
    size_t i;
    while (length > 0 && (*head == '#' || *head == '\n' || *head == '\r')) {
        const char *next = (const char *)memchr(head, '\n', length);
        if (!next) return 0;
        length -= (size_t)(next + 1 - head);
        head = next + 1;
    }
    end = (const char *)memchr(head, '\n', length);
    if (!end || memchr(head, '{', (size_t)(end - head))) return 0;
    for (i = 0; i < COUNT_OF(wanted); i++)
        if (!import_has(head, (size_t)(end - head), wanted[i])) return 0;
    return 1;
}

/* All of the stream, in memory that the caller frees. */
static char *read_all(stream *s, size_t *length)
{
    char *data = NULL;
    size_t room = 0;
    for (*length = 0;;) {
        const size_t here = (size_t)(s->end - s->at);
        if (room - *length < here) {
            char *grown;
            room = room / 2 * 3 + here + 65536;
            grown = (char *)realloc(data, room);
            if (!grown) tool_fail("%s: out of memory", s->name);
            data = grown;
        }
        if (here > 0) memcpy(data + *length, s->at, here);
        *length += here;
        s->at = s->end;
        if (stream_more(s, s->at) == 0) return data;
    }
}

static void add_step(const trace_file *t, size_t step, import_found *found)
{
    static const import_kind kinds[SGDSIM_RESOURCES] = {
        [SGDSIM_DOWNLINK] = IMPORT_DOWNLINK, [SGDSIM_WORKER] = IMPORT_COMPUTE,
        [SGDSIM_UPLINK] = IMPORT_UPLINK, [SGDSIM_SERVER] = IMPORT_UPDATE
    };
    const size_t first = found->ops;
    size_t i, k;
    import_add_step(found, step, 0.0, 0.0);
    for (i = 0; i < t->trace.step[step].ops; i++) {
        const sgdsim_op *from = &t->trace.step[step].op[i];
        const char *name = trace_name(t, step, i);
        import_op op;
        memset(&op, 0, sizeof op);
        op.step = (uint32_t)step;
        op.kind = kinds[from->resource];
        op.end_s = from->duration_s;
        op.bytes = from->bytes;
        op.server = from->server;
        import_add_op(found, &op, name, strlen(name));
        for (k = 0; k < from->waits; k++) import_add_wait(found, first + from->waits_for[k]);
    }
}

static void read(stream *s, const import_options *options, import_found *found)
{
    static csv_table table;            /* what a run that failed has left is released */
    char message[512];
    trace_file t;
    size_t length = 0, i;
    char *data = read_all(s, &length);
    int good;
    (void)options;
    csv_free(&table);
    good = csv_parse(&table, s->name, data, length, CSV_WATCH, message, sizeof message);
    free(data);
    if (!good) tool_fail("%s", message);
    trace_parse(&t, &table, IMPORT_MOST_SERVERS);
    for (i = 0; i < t.trace.steps; i++) add_step(&t, i, found);
    found->events = found->ops;
    found->linked = 1;
    csv_free(&table);
}

const import_format import_own = {"trace", "a trace of operations, as sgdperf simulate takes it",
                                  recognises, read};
