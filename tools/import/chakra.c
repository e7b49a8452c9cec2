/* chakra.c - Chakra execution traces, read and written: messages of Protocol Buffers, each
 * behind its length, first one of metadata, then the nodes; or JSON */
#include "import/chakra.h"

#include "base/digits.h"
#include "files/trace.h"
#include "import/import.h"
#include "import/protobuf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Nodes -------------------------------------------------------------------- */

typedef enum chakra_type {    /* NodeType                                           */
    CHAKRA_METADATA = 1,
    CHAKRA_MEM_LOAD,
    CHAKRA_MEM_STORE,
    CHAKRA_COMPUTE,
    CHAKRA_SEND,
    CHAKRA_RECEIVE,
    CHAKRA_COLLECTIVE
} chakra_type;

enum { CHAKRA_COLLECTIVES = 10, CHAKRA_TYPES = 8 };

/* Words of CollectiveCommType by its numbers, and of NodeType, as files of JSON have them. */
static const char *const chakra_collective_words[CHAKRA_COLLECTIVES] = {
    "ALL_REDUCE", "REDUCE", "ALL_GATHER", "GATHER", "SCATTER", "BROADCAST", "ALL_TO_ALL",
    "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"
};
static const char *const chakra_type_words[CHAKRA_TYPES] = {
    "INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE",
    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"
};

/* Attributes that we write beside those of the schema, where it has no place: it knows
 * whole microseconds alone, no parameter server that updates, and no steps. */
#define CHAKRA_DURATION "sgdperf_duration_s"
#define CHAKRA_BYTES "sgdperf_bytes"
#define CHAKRA_RESOURCE "sgdperf_resource"
#define CHAKRA_SERVER "sgdperf_server"
#define CHAKRA_STEP "sgdperf_step"

enum { CHAKRA_NAME = 1 << 16, CHAKRA_NONE = -1 };

typedef struct chakra_node {
    uint64_t id;
    uint64_t type;            /* chakra_type, or what the file has                  */
    uint64_t start_us, duration_us;
    double   duration_s;      /* of an attribute of ours; < 0: none                 */
    double   bytes;           /* likewise, else comm_size; < 0: none                */
    double   tensor_bytes, operations; /* of the schema's; < 0: none                */
    double   collective;      /* CollectiveCommType; < 0: none                      */
    int      resource;        /* sgdsim_resource of an attribute of ours, or CHAKRA_NONE */
    int      is_cpu;
    double   server, step;    /* of attributes of ours, else 0                      */
    uint32_t name;            /* number in the file's names                         */
    size_t   first[2], count[2]; /* of what it depends on, in the file's `on`        */
} chakra_node;

typedef enum chakra_dependency { CHAKRA_DATA = 0, CHAKRA_CONTROL } chakra_dependency;

typedef struct chakra_ids { uint64_t *id; size_t count, room; } chakra_ids;

typedef struct chakra_file {
    const char  *name;
    name_index   names;
    chakra_node *node;        /* [nodes]                                            */
    size_t       nodes, room;
    chakra_ids   on[2];       /* [chakra_dependency] what all nodes depend on       */
} chakra_file;

/* ---- Nodes: gathering --------------------------------------------------------- */

/* A node without anything yet, whose dependencies follow; valid until the next. */
static chakra_node *add_node(chakra_file *f)
{
    chakra_node *node = IMPORT_ADD(f->node, f->nodes, f->room);
    memset(node, 0, sizeof *node);
    node->duration_s = node->bytes = node->tensor_bytes = node->operations = -1.0;
    node->collective = -1.0;
    node->resource = CHAKRA_NONE;
    node->first[CHAKRA_DATA] = f->on[CHAKRA_DATA].count;
    node->first[CHAKRA_CONTROL] = f->on[CHAKRA_CONTROL].count;
    return node;
}

/* A node that the last one depends on. */
static void add_id(chakra_file *f, chakra_dependency kind, uint64_t id)
{
    *IMPORT_ADD(f->on[kind].id, f->on[kind].count, f->on[kind].room) = id;
    f->node[f->nodes - 1].count[kind]++;
}

static void name_node(chakra_file *f, const char *text, size_t length)
{
    f->node[f->nodes - 1].name = import_name(f->name, &f->names, text, length);
}

TOOL_NORETURN static void fail_node(const chakra_file *f, const chakra_node *node,
                                    const char *what)
{
    tool_fail("%s: node %.0f: %s", f->name, (double)node->id, what);
}

static int resource_of(const char *text)
{
    for (int i = 0; i < SGDSIM_RESOURCES; i++)
        if (strcmp(trace_resource_text((sgdsim_resource)i), text) == 0) return i;
    return CHAKRA_NONE;
}

enum { SIZE = 0, IS_CPU };    /* attributes that are no double of a node            */

static const struct { const char *name; size_t place; } attributes[] = {
    [SIZE] = {"comm_size", 0}, [IS_CPU] = {"is_cpu_op", 0},
    {"comm_type", offsetof(chakra_node, collective)},
    {"tensor_size", offsetof(chakra_node, tensor_bytes)},
    {"num_ops", offsetof(chakra_node, operations)},
    {CHAKRA_DURATION, offsetof(chakra_node, duration_s)},
    {CHAKRA_BYTES, offsetof(chakra_node, bytes)},
    {CHAKRA_SERVER, offsetof(chakra_node, server)}, {CHAKRA_STEP, offsetof(chakra_node, step)}
};

/* A number of the last node. */
static void set_attribute(chakra_file *f, size_t i, double value)
{
    chakra_node *node = &f->node[f->nodes - 1];
    if (!(value >= 0.0 && value <= 1e300))
        tool_fail("%s: node %.0f: '%s' is negative, or not a number", f->name, (double)node->id,
                  attributes[i].name);
    if (i == IS_CPU) node->is_cpu = value > 0.0;
    else if (i > IS_CPU) *(double *)(void *)((char *)node + attributes[i].place) = value;
    else if (node->bytes < 0.0) node->bytes = value;
}

/* ---- Nodes: ids --------------------------------------------------------------- */

typedef struct chakra_place { uint64_t id; size_t node; } chakra_place;

static chakra_place *sort_ids(const chakra_file *f)
{
    chakra_place *place = tool_alloc(f->nodes, sizeof *place);
    for (size_t i = 0; i < f->nodes; i++) {
        place[i].id = f->node[i].id;
        place[i].node = i;
    }
    qsort(place, f->nodes, sizeof *place, import_compare_ids);
    for (size_t i = 1; i < f->nodes; i++)
        if (place[i].id == place[i - 1].id)
            fail_node(f, &f->node[place[i].node], "its id occurs twice");
    return place;
}

static const chakra_place *find_id(const chakra_place *place, size_t count, uint64_t id)
{
    const chakra_place key = {id, 0};
    return bsearch(&key, place, count, sizeof *place, import_compare_ids);
}

/* ---- Nodes: handing on -------------------------------------------------------- */

static import_collective collective_of(const chakra_file *f, const chakra_node *node)
{
    static const import_collective known[CHAKRA_COLLECTIVES] = {
        IMPORT_ALLREDUCE, IMPORT_REDUCE, IMPORT_ALLGATHER, IMPORT_OTHER_COLLECTIVE,
        IMPORT_OTHER_COLLECTIVE, IMPORT_BROADCAST, IMPORT_ALLTOALL, IMPORT_REDUCESCATTER,
        IMPORT_REDUCESCATTER, IMPORT_BARRIER
    };
    if (node->collective < 0.0) return import_collective_named(names_text(&f->names, node->name));
    if (node->collective >= CHAKRA_COLLECTIVES) return IMPORT_OTHER_COLLECTIVE;
    return known[(size_t)node->collective];
}

/* What runs on the processor of a rank is computation, also the call of a collective. */
static import_kind kind_of(const chakra_node *node)
{
    if (node->resource != CHAKRA_NONE && node->type != CHAKRA_COLLECTIVE)
        return import_kind_on((sgdsim_resource)node->resource);
    if (node->is_cpu) return IMPORT_COMPUTE;
    return node->type == CHAKRA_SEND         ? IMPORT_UPLINK
           : node->type == CHAKRA_RECEIVE    ? IMPORT_DOWNLINK
           : node->type == CHAKRA_COLLECTIVE ? IMPORT_COLLECTIVE
                                             : IMPORT_COMPUTE;
}

static void add_op(const chakra_file *f, const chakra_node *node, import_found *found)
{
    const char *name = names_text(&f->names, node->name);
    const double start_us = found->timed ? (double)node->start_us : 0.0;
    import_op op = {.step = (uint32_t)node->step, .kind = kind_of(node),
                    .start_s = start_us * 1e-6, .host = node->is_cpu};
    if (node->server >= IMPORT_MOST_SERVERS)
        fail_node(f, node, "the number of a server is invalid");
    op.server = (uint32_t)node->server;
    op.end_s = node->duration_s >= 0.0 ? op.start_s + node->duration_s
                                       : (start_us + (double)node->duration_us) * 1e-6;
    if (op.kind == IMPORT_COLLECTIVE) op.collective = collective_of(f, node);
    if (op.kind != IMPORT_COMPUTE && op.kind != IMPORT_UPDATE && op.collective != IMPORT_BARRIER)
        op.bytes = node->bytes;
    import_add_op(found, &op, name, strlen(name));
    if (op.kind == IMPORT_COMPUTE && node->duration_us == 0 && node->duration_s < 0.0) {
        if (node->operations > 0.0)
            import_drop(found, "operations with a count but no time", 1);
        else if (node->tensor_bytes > 0.0)
            import_drop(found, "accesses to memory without a duration", 1);
    }
}

static int is_same(double a, double b) { return !(a < b) && !(a > b); }

/* Dependencies on data; on control only in a file that has no others: in traces of PyTorch
 * those are the calls around a call. */
static void add_waits(const chakra_file *f, const chakra_node *node, const chakra_place *place,
                      uint32_t *seen, import_found *found)
{
    const chakra_dependency kind = f->on[CHAKRA_DATA].count > 0 ? CHAKRA_DATA : CHAKRA_CONTROL;
    const uint32_t mark = (uint32_t)(node - f->node) + 1;
    for (size_t i = 0; i < node->count[kind]; i++) {
        const uint64_t id = f->on[kind].id[node->first[kind] + i];
        const chakra_place *other = find_id(place, f->nodes, id);
        if (!other) import_drop(found, "dependencies on nodes that are not in the file", 1);
        else if (id == node->id) fail_node(f, node, "it depends on itself");
        else if (!is_same(f->node[other->node].step, node->step))
            fail_node(f, node, "it depends on a node of another step");
        else if (seen[other->node] != mark) {      /* once */
            seen[other->node] = mark;
            import_add_wait(found, other->node);
        }
    }
}

/* Steps from 0, without gaps. */
static void add_steps(const chakra_file *f, import_found *found)
{
    unsigned char *seen = tool_alloc(f->nodes, 1);
    size_t steps = 0;
    for (size_t i = 0; i < f->nodes; i++) {
        const double step = f->node[i].step;
        if (step >= (double)f->nodes) fail_node(f, &f->node[i], "its step has a number, those of "
                                                                "other nodes have none");
        seen[(size_t)step] = 1;
        if ((size_t)step >= steps) steps = (size_t)step + 1;
    }
    for (size_t i = 0; i < steps; i++) {
        if (!seen[i]) tool_fail("%s: step %lu has no node", f->name, (unsigned long)i);
        import_add_step(found, i, 0.0, 0.0);
    }
}

/* Hands the nodes on. Fails over an id that occurs twice. */
static void chakra_finish(chakra_file *f, import_found *found)
{
    const chakra_place *place = sort_ids(f);
    uint32_t *seen = tool_alloc(f->nodes, sizeof *seen);
    found->events = f->nodes;
    found->linked = 1;
    for (size_t i = 0; i < f->nodes && !found->timed; i++) found->timed = f->node[i].start_us > 0;
    add_steps(f, found);
    for (size_t i = 0; i < f->nodes; i++) {
        add_op(f, &f->node[i], found);
        add_waits(f, &f->node[i], place, seen, found);
    }
}

/* ---- JSON --------------------------------------------------------------------- */

static int chakra_is_json(const char *head, size_t length)
{
    size_t i = 0;
    while (i < length && strchr(" \t\r\n", head[i]) && head[i] != '\0') i++;
    return i < length && head[i] == '{' && import_has(head, length, "\"workload_graph\"");
}

/* ---- JSON: values ------------------------------------------------------------- */

TOOL_NORETURN static void fail_json(const json_reader *r, const chakra_file *f,
                                    const char *what)
{
    tool_fail("%s:%lu: node number %lu: %s", f->name, (unsigned long)r->line,
              (unsigned long)f->nodes, what);
}

/* A whole number, also between quotes, as MessageToJson writes those of 64 bits. */
static uint64_t whole(json_reader *r, const chakra_file *f, json_token token)
{
    char text[32];
    uint64_t value = 0;
    if (token == JSON_WRONG) import_fail_json(r, "no JSON");
    if ((token != JSON_NUMBER && token != JSON_STRING) || !import_json_text(r, text, sizeof text))
        fail_json(r, f, "a whole number is missing");
    if (number_whole(text, 0, UINT64_MAX, &value))
        fail_json(r, f, "a number is negative, or not whole");
    return value;
}

/* true and false are 1 and 0. */
static double number(json_reader *r, const chakra_file *f, json_token token)
{
    double value = 0.0;
    if (token == JSON_WRONG) import_fail_json(r, "no JSON");
    if (token == JSON_TRUE || token == JSON_FALSE) return token == JSON_TRUE ? 1.0 : 0.0;
    if (token == JSON_STRING) return (double)whole(r, f, token);
    if (token != JSON_NUMBER) fail_json(r, f, "a field that needs a number has another value");
    if (!json_value(r, &value)) fail_json(r, f, "a number is too large");
    return value;
}

/* A number, or one of the words that stand for them. */
static double coded(json_reader *r, const chakra_file *f, const char *const *words,
                    size_t count)
{
    const json_token token = json_next(r);
    if (token == JSON_STRING)
        for (size_t i = 0; i < count; i++)
            if (json_is(r, words[i])) return (double)i;
    return number(r, f, token);
}

static void ids(json_reader *r, chakra_file *f, chakra_dependency kind)
{
    json_token token = json_next(r);
    if (token == JSON_NULL) return;
    if (token != JSON_ARRAY) {
        add_id(f, kind, whole(r, f, token));
        return;
    }
    while ((token = json_next(r)) != JSON_CLOSE) add_id(f, kind, whole(r, f, token));
}

/* Without the escapes of quotes and the like; those of control characters are blanks, others
 * stay as they stand. */
static void name(json_reader *r, chakra_file *f)
{
    static char text[CHAKRA_NAME];
    const json_token token = json_next(r);
    size_t n = 0;
    if (token == JSON_WRONG) import_fail_json(r, "no JSON");
    if (token != JSON_STRING) fail_json(r, f, "its name is not text");
    for (size_t i = 0; i < r->length && n + 1 < sizeof text; i++) {
        char c = r->text[i];
        if (c == '\\' && r->text[i + 1] != 'u') {    /* the reader has checked what follows */
            c = r->text[++i];
            if (c != '"' && c != '\\' && c != '/') c = ' ';
        }
        text[n++] = c;
    }
    name_node(f, text, n);
}

static int resource(json_reader *r)
{
    const json_token token = json_next(r);
    char text[32] = "";
    if (token == JSON_STRING) (void)import_json_text(r, text, sizeof text);
    if (token == JSON_WRONG) import_fail_json(r, "no JSON");
    return resource_of(text);
}

/* ---- JSON: nodes -------------------------------------------------------------- */

static int is_any(const json_reader *r, const char *a, const char *b)
{
    return json_is(r, a) || json_is(r, b);
}

/* Attributes stand beside the fields. */
static void read_json_attribute(json_reader *r, chakra_file *f)
{
    size_t i;
    for (i = 0; i < COUNT_OF(attributes) && !json_is(r, attributes[i].name); i++) { }
    if (i < COUNT_OF(attributes))
        set_attribute(f, i, json_is(r, "comm_type")
                                ? coded(r, f, chakra_collective_words, CHAKRA_COLLECTIVES)
                                : number(r, f, json_next(r)));
    else if (json_is(r, CHAKRA_RESOURCE)) f->node[f->nodes - 1].resource = resource(r);
    else import_skip_json(r, json_next(r));
}

static uint64_t type(json_reader *r, const chakra_file *f)
{
    const double value = coded(r, f, chakra_type_words, CHAKRA_TYPES);
    if (!(value >= 0.0 && value < CHAKRA_TYPES))
        fail_json(r, f, "the type of the node is unknown");
    return (uint64_t)value;
}

static void read_json_node(json_reader *r, chakra_file *f)
{
    chakra_node *node = add_node(f);
    json_token token;
    name_node(f, "", 0);
    while ((token = json_next(r)) == JSON_KEY) {
        if (is_any(r, "Id", "id")) node->id = whole(r, f, json_next(r));
        else if (is_any(r, "Name", "name")) name(r, f);
        else if (is_any(r, "NodeType", "type")) node->type = type(r, f);
        else if (is_any(r, "data_deps", "dataDeps")) ids(r, f, CHAKRA_DATA);
        else if (is_any(r, "ctrl_deps", "ctrlDeps")) ids(r, f, CHAKRA_CONTROL);
        else if (is_any(r, "runtime", "duration_micros"))
            node->duration_us = whole(r, f, json_next(r));
        else if (json_is(r, "start_time_micros")) node->start_us = whole(r, f, json_next(r));
        else read_json_attribute(r, f);
    }
    if (token != JSON_CLOSE) import_fail_json(r, "no JSON");
}

static void read_graph(json_reader *r, chakra_file *f)
{
    json_token token = json_next(r);
    if (token != JSON_ARRAY) import_fail_json(r, "workload_graph is not a list of nodes");
    while ((token = json_next(r)) == JSON_OBJECT) read_json_node(r, f);
    if (token != JSON_CLOSE) import_fail_json(r, "workload_graph is not a list of nodes");
}

/* The JSON flavour. */
static void chakra_read_json(stream *s, chakra_file *f)
{
    json_reader r;
    json_token token;
    json_read_stream(&r, s, 0);
    (void)json_next(&r);               /* the object that chakra_is_json has seen */
    while ((token = json_next(&r)) == JSON_KEY) {
        if (json_is(&r, "workload_graph")) read_graph(&r, f);
        else import_skip_json(&r, json_next(&r));
    }
    if (token != JSON_CLOSE || json_next(&r) != JSON_END) import_fail_json(&r, "no JSON");
    if (f->nodes == 0) tool_fail("%s: the trace has no nodes", s->name);
}

/* ---- Protocol buffers --------------------------------------------------------- */

/* Numbers of fields, of the schema et_def.proto. */
enum {
    NODE_ID = 1, NODE_NAME, NODE_TYPE, NODE_CONTROL, NODE_DATA, NODE_START, NODE_DURATION,
    NODE_INPUTS, NODE_OUTPUTS, NODE_ATTRIBUTE,
    ATTRIBUTE_NAME = 1
};

/* ---- Protocol buffers: attributes --------------------------------------------- */

/* The last field of an attribute as a number of its kind; 0: it is of no kind that has one. */
static int read_value(const protobuf_reader *r, double *value)
{
    switch (r->field) {
    case 3:  *value = protobuf_double(r); return 1;
    case 5:  *value = protobuf_float(r); return 1;
    case 7: case 9: case 25:
        *value = (double)protobuf_signed(r); return 1;
    case 15: case 17:
        *value = (double)protobuf_zigzag(r); return 1;
    case 11: case 13: case 19: case 21: case 27:
        *value = (double)r->value; return 1;
    case 23: *value = (double)(int64_t)(int32_t)(uint32_t)r->value; return 1;
    default: return 0;
    }
}

static void read_attribute(protobuf_reader *r, chakra_file *f)
{
    enum { TEXT_VALUE = 29 };
    char name[64] = "", text[64] = "";
    double value = 0.0;
    int has_value = 0, has_text = 0;
    if (!protobuf_enter(r)) return;
    while (protobuf_next(r)) {
        if (r->field == ATTRIBUTE_NAME) protobuf_text(r, name, sizeof name);
        else if (r->field == TEXT_VALUE && r->wire == PROTOBUF_LENGTH) {
            protobuf_text(r, text, sizeof text);
            has_text = 1;
        } else if (r->wire != PROTOBUF_LENGTH) has_value = read_value(r, &value);
    }
    if (has_text && strcmp(name, CHAKRA_RESOURCE) == 0)
        f->node[f->nodes - 1].resource = resource_of(text);
    for (size_t i = 0; i < COUNT_OF(attributes) && has_value && !has_text; i++)
        if (strcmp(attributes[i].name, name) == 0) set_attribute(f, i, value);
}

/* ---- Protocol buffers: nodes -------------------------------------------------- */

static void read_node(protobuf_reader *r, chakra_file *f)
{
    chakra_node *node = add_node(f);
    static char name[CHAKRA_NAME];
    uint64_t id = 0;
    name[0] = '\0';
    while (protobuf_next(r)) {
        const int number = r->wire == PROTOBUF_VARINT;
        if (r->field == NODE_ID && number) node->id = r->value;
        else if (r->field == NODE_NAME) protobuf_text(r, name, sizeof name);
        else if (r->field == NODE_TYPE && number) node->type = r->value;
        else if (r->field == NODE_CONTROL)
            while (protobuf_repeated(r, &id)) add_id(f, CHAKRA_CONTROL, id);
        else if (r->field == NODE_DATA)
            while (protobuf_repeated(r, &id)) add_id(f, CHAKRA_DATA, id);
        else if (r->field == NODE_START && number) node->start_us = r->value;
        else if (r->field == NODE_DURATION && number) node->duration_us = r->value;
        else if (r->field == NODE_ATTRIBUTE) read_attribute(r, f);
    }
    name_node(f, name, strlen(name));
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
    if (f->nodes == 0) tool_fail("%s: the trace has no nodes", s->name);
}

/* ---- Protocol buffers: the format --------------------------------------------- */

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
           (import_has(head, most, "-chakra.") ||
            (import_has(head, most, "\"pid\"") && import_has(head, most, "\"nodes\"")));
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
    (void)options;
    names_free(&f.names);
    memset(&f, 0, sizeof f);
    f.name = s->name;
    size_t length = stream_peek(s, IMPORT_HEAD);
    if (chakra_is_json(s->at, length)) chakra_read_json(s, &f);
    else if (is_observed(s->at, length))
        tool_fail("%s: an execution trace of PyTorch has no durations: make a Chakra trace of it "
                  "and its Kineto trace by chakra_trace_link and chakra_converter", s->name);
    else read_nodes(s, &f);
    chakra_finish(&f, found);
    names_free(&f.names);
}

const import_format import_chakra = {"chakra", "a Chakra execution trace", recognises, read};

/* ---- Writing ------------------------------------------------------------------ */

struct chakra_out {
    FILE     *to;
    int       json, rings;
    uint64_t  first;          /* number of the step's first node                    */
    size_t    step, nodes;
    protobuf_writer node, attribute, length;
};

typedef struct chakra_out chakra_out;

static int is_sent(const sgdsim_op *op)
{
    return op->resource == SGDSIM_UPLINK || op->resource == SGDSIM_DOWNLINK;
}

/* A whole number of so many units; 0 where it is too large for any. */
static uint64_t rounded(double amount) { return amount < 9e18 ? (uint64_t)(amount + 0.5) : 0; }

static int differs(double a, double b) { return a < b || b < a; }

/* With rings there are no downloads. */
static chakra_type type_of(const chakra_out *out, const sgdsim_op *op)
{
    if (!is_sent(op)) return CHAKRA_COMPUTE;
    if (out->rings) return CHAKRA_COLLECTIVE;
    return op->resource == SGDSIM_UPLINK ? CHAKRA_SEND : CHAKRA_RECEIVE;
}

/* ---- Writing: attributes ------------------------------------------------------ */

/* Each stands in JSON beside the fields of its node, and else in a message of its own. */

enum { KIND_DOUBLE = 3, KIND_INT32 = 7, KIND_INT64 = 9, KIND_BOOL = 27, KIND_TEXT = 29 };

static void begin_attribute(chakra_out *out, const char *name)
{
    out->attribute.length = 0;
    if (out->json) fprintf(out->to, ",\"%s\":", name);
    else protobuf_put_text(&out->attribute, 1, name);
}

static void end_attribute(chakra_out *out)
{
    if (!out->json) protobuf_put_message(&out->node, 10, &out->attribute);
}

static void put_whole(chakra_out *out, const char *name, unsigned kind, uint64_t value)
{
    begin_attribute(out, name);
    if (!out->json) protobuf_put_integer(&out->attribute, kind, value);
    else if (kind == KIND_BOOL) fputs(value ? "true" : "false", out->to);
    else fprintf(out->to, "%" PRIu64, value);
    end_attribute(out);
}

static void put_double(chakra_out *out, const char *name, double value)
{
    char text[NUMBER_BYTES];
    begin_attribute(out, name);
    if (out->json) fputs(number_write(value, text), out->to);
    else protobuf_put_double(&out->attribute, KIND_DOUBLE, value);
    end_attribute(out);
}

/* Of plain letters. */
static void put_word(chakra_out *out, const char *name, const char *word)
{
    begin_attribute(out, name);
    if (out->json) fprintf(out->to, "\"%s\"", word);
    else protobuf_put_text(&out->attribute, KIND_TEXT, word);
    end_attribute(out);
}

/* Rank 0 is the worker, 1 + m server m. What the schema has no place for is ours. */
static void put_attributes(chakra_out *out, const sgdsim_op *op, chakra_type type)
{
    const int sent = is_sent(op);
    put_whole(out, "is_cpu_op", KIND_BOOL, op->resource == SGDSIM_SERVER);
    if (type == CHAKRA_COLLECTIVE) put_whole(out, "comm_type", KIND_INT64, 0);
    if (type >= CHAKRA_SEND) put_whole(out, "comm_size", KIND_INT64, rounded(op->bytes));
    if (type == CHAKRA_SEND || type == CHAKRA_RECEIVE) {
        put_whole(out, type == CHAKRA_SEND ? "comm_src" : "comm_dst", KIND_INT32, 0);
        put_whole(out, type == CHAKRA_SEND ? "comm_dst" : "comm_src", KIND_INT32,
                  (uint64_t)op->server + 1);
        put_whole(out, "comm_tag", KIND_INT32, 0);
    }
    if (type == CHAKRA_COMPUTE && op->resource != SGDSIM_WORKER)
        put_word(out, CHAKRA_RESOURCE, trace_resource_text(op->resource));
    if (!sent && differs((double)rounded(op->duration_s * 1e6) * 1e-6, op->duration_s))
        put_double(out, CHAKRA_DURATION, op->duration_s);
    if (sent && differs((double)rounded(op->bytes), op->bytes))
        put_double(out, CHAKRA_BYTES, op->bytes);
    if (op->server > 0) put_whole(out, CHAKRA_SERVER, KIND_INT64, op->server);
    if (out->step > 0) put_whole(out, CHAKRA_STEP, KIND_INT64, out->step);
}

/* ---- Writing: nodes ----------------------------------------------------------- */

static void write_frame(chakra_out *out)
{
    out->length.length = 0;
    protobuf_put_varint(&out->length, out->node.length);
    fwrite(out->length.bytes, 1, out->length.length, out->to);
    fwrite(out->node.bytes, 1, out->node.length, out->to);
}

static void protobuf_node(chakra_out *out, const sgdsim_op *op, const char *name, size_t i)
{
    uint64_t *waits = tool_alloc(op->waits, sizeof *waits);
    const chakra_type type = type_of(out, op);
    for (size_t k = 0; k < op->waits; k++) waits[k] = out->first + op->waits_for[k];
    out->node.length = 0;
    protobuf_put_integer(&out->node, 1, out->first + i);
    protobuf_put_text(&out->node, 2, name);
    protobuf_put_integer(&out->node, 3, (uint64_t)type);
    if (op->waits > 0) protobuf_put_packed(&out->node, 5, waits, op->waits);
    if (!is_sent(op)) protobuf_put_integer(&out->node, 7, rounded(op->duration_s * 1e6));
    put_attributes(out, op, type);
    write_frame(out);
}

static void json_text(FILE *to, const char *text)
{
    putc('"', to);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') putc('\\', to);
        putc((unsigned char)*text < 0x20 ? ' ' : *text, to);
    }
    putc('"', to);
}

static void json_node(chakra_out *out, const sgdsim_op *op, const char *name, size_t i)
{
    const chakra_type type = type_of(out, op);
    FILE *to = out->to;
    fprintf(to, "%s\n{\"Id\":%" PRIu64 ",\"Name\":", out->nodes > 0 ? "," : "", out->first + i);
    json_text(to, name);
    fprintf(to, ",\"NodeType\":%d,\"data_deps\":[", (int)type);
    for (size_t k = 0; k < op->waits; k++)
        fprintf(to, "%s%" PRIu64, k > 0 ? "," : "", out->first + op->waits_for[k]);
    fprintf(to, "],\"runtime\":%" PRIu64,
            is_sent(op) ? 0 : rounded(op->duration_s * 1e6));
    put_attributes(out, op, type);
    putc('}', to);
}

/* ---- Writing: files ----------------------------------------------------------- */

void chakra_begin(chakra_writer *w, FILE *to, int json, int rings)
{
    chakra_out *out = tool_alloc(1, sizeof *out);
    out->to = to;
    out->json = json;
    out->rings = rings;
    *w = out;
    if (json) {
        fputs("{\"workload_name\":\"sgdperf\",\"workload_graph\":[", to);
        return;
    }
    protobuf_put_text(&out->node, 1, "0.0.4");
    write_frame(out);
}

void chakra_step(chakra_writer w, const sgdsim_op *op, const char *const *name, size_t ops)
{
    for (size_t i = 0; i < ops; i++) {
        if (w->json) json_node(w, &op[i], name[i], i);
        else protobuf_node(w, &op[i], name[i], i);
        w->nodes++;
    }
    w->first += ops;
    w->step++;
}

void chakra_end(chakra_writer w)
{
    if (w->json) fputs("\n]}\n", w->to);
}
