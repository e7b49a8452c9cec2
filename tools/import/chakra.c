/* chakra.c - Chakra execution traces: messages of Protocol Buffers, each behind its length:
 * first one of metadata, then the nodes */
#include "import/chakra.h"

#include "import/protobuf.h"

#include <string.h>

/* Numbers of fields, of the schema et_def.proto. */
enum {
    NODE_ID = 1, NODE_NAME, NODE_TYPE, NODE_CONTROL, NODE_DATA, NODE_START, NODE_DURATION,
    NODE_INPUTS, NODE_OUTPUTS, NODE_ATTRIBUTE,
    ATTRIBUTE_NAME = 1
};

/* ---- Attributes ------------------------------------------------------------ */

typedef struct attribute {
    char   name[64];
    char   text[64];
    double value;
    int    has_value, has_text;
} attribute;

/* A value of any kind that a number can have. */
static void read_value(const protobuf_reader *r, attribute *a)
{
    a->has_value = 1;
    switch (r->field) {
    case 3:  a->value = protobuf_double(r); break;
    case 5:  a->value = protobuf_float(r); break;
    case 7: case 9:
        a->value = (double)protobuf_signed(r); break;
    case 15: case 17:
        a->value = (double)protobuf_zigzag(r); break;
    case 11: case 13: case 19: case 21: case 27:
        a->value = (double)r->value; break;
    case 23: a->value = (double)(int64_t)(int32_t)(uint32_t)r->value; break;
    case 25: a->value = (double)protobuf_signed(r); break;
    default: a->has_value = 0; break;
    }
}

static void read_attribute(protobuf_reader *r, chakra_file *f)
{
    enum { TEXT_VALUE = 29 };
    attribute a;
    memset(&a, 0, sizeof a);
    if (!protobuf_enter(r)) return;
    while (protobuf_next(r)) {
        if (r->field == ATTRIBUTE_NAME) protobuf_text(r, a.name, sizeof a.name);
        else if (r->field == TEXT_VALUE && r->wire == PROTOBUF_LENGTH) {
            protobuf_text(r, a.text, sizeof a.text);
            a.has_text = 1;
        } else if (r->wire != PROTOBUF_LENGTH) read_value(r, &a);
    }
    if (a.has_text) chakra_attribute(f, a.name, 0.0, a.text);
    else if (a.has_value) chakra_attribute(f, a.name, a.value, NULL);
}

/* ---- Nodes ----------------------------------------------------------------- */

static void read_node(protobuf_reader *r, chakra_file *f)
{
    chakra_node *node = chakra_add_node(f);
    static char name[CHAKRA_NAME];
    uint64_t id = 0;
    name[0] = '\0';
    while (protobuf_next(r)) {
        const int number = r->wire == PROTOBUF_VARINT;
        if (r->field == NODE_ID && number) node->id = r->value;
        else if (r->field == NODE_NAME) protobuf_text(r, name, sizeof name);
        else if (r->field == NODE_TYPE && number) node->type = r->value;
        else if (r->field == NODE_CONTROL)
            while (protobuf_repeated(r, &id)) chakra_add_control(f, id);
        else if (r->field == NODE_DATA)
            while (protobuf_repeated(r, &id)) chakra_add_data(f, id);
        else if (r->field == NODE_START && number) node->start_us = r->value;
        else if (r->field == NODE_DURATION && number) node->duration_us = r->value;
        else if (r->field == NODE_ATTRIBUTE) read_attribute(r, f);
    }
    chakra_name(f, name, strlen(name));
}

/* What is wrong is in the file, at r->at, or in what was packed. */
TOOL_NORETURN static void fail(const stream *s, const protobuf_reader *r, size_t nodes)
{
    tool_fail("%s: byte %.0f, in node number %lu: %s%s%s", s->name, (double)r->at,
              (unsigned long)nodes, r->wrong, s->cut ? "; " : "", s->cut ? s->cut : "");
}

static void read_nodes(stream *s, chakra_file *f)
{
    protobuf_reader r;
    protobuf_read(&r, s);
    if (protobuf_frame(&r))            /* of metadata */
        while (protobuf_next(&r)) { }
    while (!r.wrong && protobuf_frame(&r)) read_node(&r, f);
    if (r.wrong) fail(s, &r, f->nodes);
    if (s->cut) tool_fail("%s: %s", s->name, s->cut);
    if (f->nodes == 0) tool_fail("%s: a trace of no nodes", s->name);
}

/* ---- The format ------------------------------------------------------------ */

/* Is it a node, as far as it is there? It has a name, or at least a type. */
static int is_node(protobuf_reader *r)
{
    int named = 0, typed = 0;
    while (protobuf_next(r)) {
        const int many = r->field == NODE_CONTROL || r->field == NODE_DATA;
        const int text = r->field == NODE_NAME || r->field >= NODE_INPUTS;
        if (r->field > NODE_ATTRIBUTE + 10) return 0;
        if (text && r->wire != PROTOBUF_LENGTH) return 0;
        if (!text && !many && r->wire != PROTOBUF_VARINT) return 0;
        if (r->field == NODE_TYPE && r->value >= CHAKRA_TYPES) return 0;
        if (r->field == NODE_NAME) named = 1;
        if (r->field == NODE_TYPE) typed = 1;
    }
    return typed || (named && r->wrong);
}

/* What PyTorch's ExecutionTraceObserver writes, of which Chakra's converter makes a trace. */
static int is_observed(const char *head, size_t length)
{
    const size_t most = length < 512 ? length : 512;
    return length > 0 && *head == '{' && import_has(head, most, "\"schema\"") &&
           import_has(head, most, "-chakra.");
}

static int recognises(const char *head, size_t length)
{
    protobuf_reader r;
    stream s;
    if (chakra_is_json(head, length) || is_observed(head, length)) return 1;
    stream_of(&s, "", head, length);
    protobuf_read(&r, &s);
    if (!protobuf_frame(&r)) return 0;
    while (protobuf_next(&r))
        if (r.field > 2 || r.wire != PROTOBUF_LENGTH) return 0;
    return !r.wrong && protobuf_frame(&r) && is_node(&r);
}

static void read(stream *s, const import_options *options, import_found *found)
{
    static chakra_file f;              /* what a run that failed has left is released */
    size_t length;
    (void)options;
    names_free(&f.names);
    memset(&f, 0, sizeof f);
    f.name = s->name;
    length = stream_peek(s, IMPORT_HEAD);
    if (chakra_is_json(s->at, length)) chakra_read_json(s, &f);
    else if (is_observed(s->at, length))
        tool_fail("%s: an execution trace of PyTorch, without durations: chakra_trace_link and "
                  "chakra_converter make a Chakra trace of it and of its Kineto trace", s->name);
    else read_nodes(s, &f);
    chakra_finish(&f, found);
    names_free(&f.names);
}

const import_format import_chakra = {"chakra", "a Chakra execution trace", recognises, read};
