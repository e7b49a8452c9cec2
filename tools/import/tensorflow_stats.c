/* tensorflow_stats.c - StepStats of TensorFlow, of Protocol Buffers, alone or as the first
 * field of RunMetadata */
#include "import/tensorflow.h"

#include "import/protobuf.h"

#include <string.h>

/* Numbers of fields, of step_stats.proto and what it includes. */
enum {
    METADATA_STEP_STATS = 1, STATS_DEVICE = 1,
    DEVICE_NAME = 1, DEVICE_NODE = 2,
    NODE_NAME = 1, NODE_START = 2, NODE_OP_END = 4, NODE_END = 5, NODE_MEMORY = 6,
    NODE_OUTPUT = 7, NODE_LABEL = 8, NODE_SCHEDULED = 9, NODE_THREAD = 10,
    OUTPUT_TENSOR = 3, TENSOR_ALLOCATION = 4, ALLOCATION_REQUESTED = 1
};

/* ---- Nodes ----------------------------------------------------------------- */

/* The bytes of an output: a message in a message in a message. */
static void read_output(protobuf_reader *r, tf_event *e)
{
    if (!protobuf_enter(r)) return;
    while (protobuf_next(r)) {
        if (r->field != OUTPUT_TENSOR || !protobuf_enter(r)) continue;
        while (protobuf_next(r)) {
            if (r->field != TENSOR_ALLOCATION || !protobuf_enter(r)) continue;
            while (protobuf_next(r))
                if (r->field == ALLOCATION_REQUESTED && r->wire == PROTOBUF_VARINT &&
                    protobuf_signed(r) >= 0)
                    e->bytes = (e->bytes > 0.0 ? e->bytes : 0.0) + (double)protobuf_signed(r);
        }
    }
}

void tf_begin_node(tf_profile *p, tf_node *node, uint64_t device)
{
    tf_add_event(p)->device = device;
    node->name[0] = node->label[0] = '\0';
    node->end_us = node->op_end_us = 0.0;
}

void tf_end_node(tf_profile *p, const tf_node *node)
{
    tf_event *e = &p->event[p->events - 1];
    const double end_us = node->end_us < node->op_end_us ? node->op_end_us : node->end_us;
    if (end_us < 0.0)
        tool_fail("%s: '%.200s' ends %.0f us before it starts", p->name, node->name, -end_us);
    e->end_us = e->start_us + end_us;
    e->node = tf_name(p, node->name, strlen(node->name));
    if (strcmp(node->name, "RecvTensor") == 0) e->op = e->node;
    tf_label(p, node->label);
}

static void read_node(protobuf_reader *r, tf_profile *p, uint64_t device)
{
    static tf_node node;
    tf_event *e;
    if (!protobuf_enter(r)) return;
    tf_begin_node(p, &node, device);
    e = &p->event[p->events - 1];
    while (protobuf_next(r)) {
        const int number = r->wire == PROTOBUF_VARINT;
        if (r->field == NODE_NAME) protobuf_text(r, node.name, sizeof node.name);
        else if (r->field == NODE_LABEL) protobuf_text(r, node.label, sizeof node.label);
        else if (r->field == NODE_OUTPUT) read_output(r, e);
        else if (r->field == NODE_START && number) e->start_us = (double)protobuf_signed(r);
        else if (r->field == NODE_OP_END && number) node.op_end_us = (double)protobuf_signed(r);
        else if (r->field == NODE_END && number) node.end_us = (double)protobuf_signed(r);
        else if (r->field == NODE_THREAD && number) e->lane = r->value;
    }
    tf_end_node(p, &node);
}

static void read_device(protobuf_reader *r, tf_profile *p)
{
    static char name[1024];
    uint64_t device = tf_device(p, "", 0);
    if (!protobuf_enter(r)) return;
    while (protobuf_next(r)) {
        if (r->field == DEVICE_NAME) {
            protobuf_text(r, name, sizeof name);
            device = tf_device(p, name, strlen(name));
        } else if (r->field == DEVICE_NODE) read_node(r, p, device);
    }
}

/* ---- The file -------------------------------------------------------------- */

/* Does a device's message begin here, and what is around it? 2: RunMetadata, 1: StepStats,
 * 0: neither. The first field of each but the innermost is a message. */
static int depth_of(const char *head, size_t length)
{
    protobuf_reader r;
    char text[8];
    stream s;
    int depth;
    stream_of(&s, "", head, length);
    protobuf_read(&r, &s);
    for (depth = 0; depth < 3; depth++) {
        if (!protobuf_next(&r) || r.field != 1 || r.wire != PROTOBUF_LENGTH) return 0;
        if (length > r.at && s.at[0] == '/') break;
        (void)protobuf_enter(&r);
    }
    if (depth == 0 || depth == 3) return 0;
    protobuf_text(&r, text, sizeof text);
    return strncmp(text, "/job:", 5) == 0 || strncmp(text, "/gpu:", 5) == 0 ||
           strncmp(text, "/cpu:", 5) == 0 || strncmp(text, "/devic", 6) == 0 ? depth : 0;
}

int tf_is_stats(const char *head, size_t length) { return depth_of(head, length) > 0; }

void tf_read_stats(stream *s, tf_profile *p)
{
    const int depth = depth_of(s->at, stream_peek(s, IMPORT_HEAD));
    protobuf_reader r;
    protobuf_read(&r, s);
    while (protobuf_next(&r)) {
        if (depth == 2) {
            if (r.field == METADATA_STEP_STATS && protobuf_enter(&r))
                while (protobuf_next(&r))
                    if (r.field == STATS_DEVICE) read_device(&r, p);
        } else if (r.field == STATS_DEVICE) read_device(&r, p);
    }
    if (r.wrong)
        tool_fail("%s: byte %.0f: %s%s%s", s->name, (double)r.at, r.wrong, s->cut ? "; " : "",
                  s->cut ? s->cut : "");
    if (s->cut) tool_fail("%s: %s", s->name, s->cut);
    if (p->events == 0) tool_fail("%s: no device has run anything", s->name);
}
