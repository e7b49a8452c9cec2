/* chakra.c - Chakra execution traces: messages of Protocol Buffers, each behind its length:
 * first one of metadata, then the nodes */
#include "import/chakra.h"

#include "files/trace.h"
#include "import/protobuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Nodes -------------------------------------------------------------------- */

const char *const chakra_collective_words[CHAKRA_COLLECTIVES] = {
    "ALL_REDUCE", "REDUCE", "ALL_GATHER", "GATHER", "SCATTER", "BROADCAST", "ALL_TO_ALL",
    "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"
};
const char *const chakra_type_words[CHAKRA_TYPES] = {
    "INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE",
    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"
};

/* ---- Nodes: gathering --------------------------------------------------------- */

static chakra_node *chakra_add_node(chakra_file *f)
{
    chakra_node *node;
    if (f->nodes == f->room)
        f->node = (chakra_node *)tool_grow(f->node, f->nodes, &f->room, f->nodes + 1,
                                           sizeof *f->node);
    node = &f->node[f->nodes++];
    memset(node, 0, sizeof *node);
    node->duration_s = node->bytes = node->tensor_bytes = node->operations = -1.0;
    node->collective = -1.0;
    node->resource = CHAKRA_NONE;
    node->first_data = f->data.count;
    node->first_control = f->control.count;
    return node;
}

static void add_id(chakra_ids *ids, uint64_t id)
{
    if (ids->count == ids->room)
        ids->id = (uint64_t *)tool_grow(ids->id, ids->count, &ids->room, ids->count + 1,
                                        sizeof *ids->id);
    ids->id[ids->count++] = id;
}

/* of the last node              */
static void chakra_add_data(chakra_file *f, uint64_t id)
{
    add_id(&f->data, id);
    f->node[f->nodes - 1].data++;
}

static void chakra_add_control(chakra_file *f, uint64_t id)
{
    add_id(&f->control, id);
    f->node[f->nodes - 1].control++;
}

/* A node without anything yet, whose dependencies follow; valid until the next. */
static void chakra_name(chakra_file *f, const char *text, size_t length)
{
    size_t number = 0;
    if (names_add(&f->names, text, length, &number) == NAMES_FULL || number >= UINT32_MAX)
        tool_fail("%s: out of memory", f->name);
    f->node[f->nodes - 1].name = (uint32_t)number;
}

TOOL_NORETURN static void fail_node(const chakra_file *f, const chakra_node *node,
                                    const char *what)
{
    tool_fail("%s: node %.0f: %s", f->name, (double)node->id, what);
}

static int resource_of(const char *text)
{
    int i;
    for (i = 0; i < SGDSIM_RESOURCES; i++)
        if (strcmp(trace_resource_text((sgdsim_resource)i), text) == 0) return i;
    return CHAKRA_NONE;
}

/* An attribute of the last node: a number, or with `text` a text. */
static void chakra_attribute(chakra_file *f, const char *name, double value, const char *text)
{
    chakra_node *node = &f->node[f->nodes - 1];
    struct { const char *name; double *to; } known[9];
    size_t i;
    known[0].name = CHAKRA_DURATION;  known[0].to = &node->duration_s;
    known[1].name = CHAKRA_BYTES;     known[1].to = &node->bytes;
    known[2].name = "tensor_size";    known[2].to = &node->tensor_bytes;
    known[3].name = "num_ops";        known[3].to = &node->operations;
    known[4].name = "comm_type";      known[4].to = &node->collective;
    known[5].name = CHAKRA_SERVER;    known[5].to = &node->server;
    known[6].name = CHAKRA_STEP;      known[6].to = &node->step;
    known[7].name = "comm_size";      known[7].to = NULL;
    known[8].name = "is_cpu_op";      known[8].to = NULL;
    if (text) {
        if (strcmp(name, CHAKRA_RESOURCE) == 0) node->resource = resource_of(text);
        return;
    }
    for (i = 0; i < COUNT_OF(known) && strcmp(known[i].name, name) != 0; i++) { }
    if (i == COUNT_OF(known)) return;
    if (!(value >= 0.0 && value <= 1e300)) {
        static char what[128];
        snprintf(what, sizeof what, "'%s' is negative, or no number", name);
        fail_node(f, node, what);
    }
    if (known[i].to) *known[i].to = value;
    else if (i == 8) node->is_cpu = value > 0.0;
    else if (node->bytes < 0.0) node->bytes = value;
}

/* ---- Nodes: ids --------------------------------------------------------------- */

typedef struct chakra_place { uint64_t id; size_t node; } chakra_place;

static int compare_places(const void *a, const void *b)
{
    const chakra_place *x = (const chakra_place *)a, *y = (const chakra_place *)b;
    return (x->id > y->id) - (x->id < y->id);
}

static chakra_place *sort_ids(const chakra_file *f)
{
    chakra_place *place = (chakra_place *)tool_alloc(f->nodes, sizeof *place);
    size_t i;
    for (i = 0; i < f->nodes; i++) {
        place[i].id = f->node[i].id;
        place[i].node = i;
    }
    qsort(place, f->nodes, sizeof *place, compare_places);
    for (i = 1; i < f->nodes; i++)
        if (place[i].id == place[i - 1].id)
            fail_node(f, &f->node[place[i].node], "its id occurs twice");
    return place;
}

static const chakra_place *find_id(const chakra_place *place, size_t count, uint64_t id)
{
    chakra_place key;
    key.id = id;
    key.node = 0;
    return (const chakra_place *)bsearch(&key, place, count, sizeof *place, compare_places);
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
    static const import_kind kinds[SGDSIM_RESOURCES] = {
        [SGDSIM_DOWNLINK] = IMPORT_DOWNLINK, [SGDSIM_WORKER] = IMPORT_COMPUTE,
        [SGDSIM_UPLINK] = IMPORT_UPLINK, [SGDSIM_SERVER] = IMPORT_UPDATE
    };
    const int moves = !node->is_cpu;
    if (node->resource != CHAKRA_NONE && node->type != CHAKRA_COLLECTIVE)
        return kinds[node->resource];
    if (moves && node->type == CHAKRA_SEND) return IMPORT_UPLINK;
    if (moves && node->type == CHAKRA_RECEIVE) return IMPORT_DOWNLINK;
    if (moves && node->type == CHAKRA_COLLECTIVE) return IMPORT_COLLECTIVE;
    return IMPORT_COMPUTE;
}

static void add_op(const chakra_file *f, const chakra_node *node, import_found *found)
{
    const char *name = names_text(&f->names, node->name);
    const double start_us = found->timed ? (double)node->start_us : 0.0;
    import_op op;
    memset(&op, 0, sizeof op);
    if (node->server >= IMPORT_MOST_SERVERS) fail_node(f, node, "a server's number that is none");
    op.step = (uint32_t)node->step;
    op.kind = kind_of(node);
    op.start_s = start_us * 1e-6;
    op.end_s = node->duration_s >= 0.0 ? op.start_s + node->duration_s
                                       : (start_us + (double)node->duration_us) * 1e-6;
    op.bytes = op.kind == IMPORT_COMPUTE || op.kind == IMPORT_UPDATE ? 0.0 : node->bytes;
    op.collective = op.kind == IMPORT_COLLECTIVE ? collective_of(f, node) : IMPORT_ALLREDUCE;
    if (op.kind == IMPORT_COLLECTIVE && op.collective == IMPORT_BARRIER) op.bytes = 0.0;
    op.server = (uint32_t)node->server;
    op.host = node->is_cpu;
    import_add_op(found, &op, name, strlen(name));
    if (op.kind == IMPORT_COMPUTE && node->duration_us == 0 && node->duration_s < 0.0) {
        if (node->operations > 0.0)
            import_drop(found, "operations that are counted, not timed", 1);
        else if (node->tensor_bytes > 0.0)
            import_drop(found, "accesses to memory without a duration", 1);
    }
}

/* Dependencies on data; on control only in a file that has no others: in traces of PyTorch
 * those are the calls around a call. */
static void add_waits(const chakra_file *f, const chakra_node *node, const chakra_place *place,
                      uint32_t *seen, import_found *found)
{
    const int data = f->data.count > 0;
    const uint32_t mark = (uint32_t)(node - f->node) + 1;
    const size_t first = data ? node->first_data : node->first_control;
    const size_t count = data ? node->data : node->control;
    size_t i;
    for (i = 0; i < count; i++) {
        const uint64_t id = (data ? f->data.id : f->control.id)[first + i];
        const chakra_place *other = find_id(place, f->nodes, id);
        if (!other) import_drop(found, "dependencies on nodes that the file has not", 1);
        else if (id == node->id) fail_node(f, node, "it depends on itself");
        else if (!(f->node[other->node].step >= node->step &&
                   f->node[other->node].step <= node->step))
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
    unsigned char *seen = (unsigned char *)tool_alloc(f->nodes, 1);
    size_t i, steps = 0;
    for (i = 0; i < f->nodes; i++) {
        const double step = f->node[i].step;
        if (step >= (double)f->nodes) fail_node(f, &f->node[i], "a step's number without others");
        seen[(size_t)step] = 1;
        if ((size_t)step >= steps) steps = (size_t)step + 1;
    }
    for (i = 0; i < steps; i++) {
        if (!seen[i]) tool_fail("%s: no node of step %lu", f->name, (unsigned long)i);
        import_add_step(found, i, 0.0, 0.0);
    }
}

/* Hands the nodes on. Fails over an id that occurs twice. */
static void chakra_finish(chakra_file *f, import_found *found)
{
    const chakra_place *place = sort_ids(f);
    uint32_t *seen = (uint32_t *)tool_alloc(f->nodes, sizeof *seen);
    size_t i;
    found->events = f->nodes;
    found->linked = 1;
    for (i = 0; i < f->nodes && !found->timed; i++) found->timed = f->node[i].start_us > 0;
    add_steps(f, found);
    for (i = 0; i < f->nodes; i++) {
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
    if ((token != JSON_NUMBER && token != JSON_STRING) || r->length >= sizeof text)
        fail_json(r, f, "a whole number is missing");
    memcpy(text, r->text, r->length);
    text[r->length] = '\0';
    if (number_whole(text, 0, UINT64_MAX, &value))
        fail_json(r, f, "a number that is negative, or not whole");
    return value;
}

/* true and false are 1 and 0. */
static double number(json_reader *r, const chakra_file *f, json_token token)
{
    double value = 0.0;
    if (token == JSON_WRONG) import_fail_json(r, "no JSON");
    if (token == JSON_TRUE || token == JSON_FALSE) return token == JSON_TRUE ? 1.0 : 0.0;
    if (token == JSON_STRING) return (double)whole(r, f, token);
    if (token != JSON_NUMBER) fail_json(r, f, "a number is missing");
    if (!json_value(r, &value)) fail_json(r, f, "a number that is too large");
    return value;
}

/* A number, or one of the words that stand for them. */
static double coded(json_reader *r, const chakra_file *f, const char *const *words,
                    size_t count)
{
    const json_token token = json_next(r);
    size_t i;
    if (token == JSON_STRING)
        for (i = 0; i < count; i++)
            if (json_is(r, words[i])) return (double)i;
    return number(r, f, token);
}

static void ids(json_reader *r, chakra_file *f, void (*add)(chakra_file *f, uint64_t id))
{
    json_token token = json_next(r);
    if (token == JSON_NULL) return;
    if (token != JSON_ARRAY) {
        add(f, whole(r, f, token));
        return;
    }
    while ((token = json_next(r)) != JSON_CLOSE) add(f, whole(r, f, token));
}

/* Without the escapes of quotes and the like; those of control characters are blanks, others
 * stay as they stand. */
static void name(json_reader *r, chakra_file *f)
{
    static char text[CHAKRA_NAME];
    const json_token token = json_next(r);
    size_t n = 0, i;
    if (token == JSON_WRONG) import_fail_json(r, "no JSON");
    if (token != JSON_STRING) fail_json(r, f, "a name that is no text");
    for (i = 0; i < r->length && n + 1 < sizeof text; i++) {
        char c = r->text[i];
        if (c == '\\' && r->text[i + 1] != 'u') {    /* the reader has checked what follows */
            c = r->text[++i];
            if (c != '"' && c != '\\' && c != '/') c = ' ';
        }
        text[n++] = c;
    }
    chakra_name(f, text, n);
}

static void resource(json_reader *r, chakra_file *f)
{
    const json_token token = json_next(r);
    char text[32] = "";
    if (token == JSON_STRING && r->length < sizeof text) {
        memcpy(text, r->text, r->length);
        text[r->length] = '\0';
    }
    if (token == JSON_WRONG) import_fail_json(r, "no JSON");
    chakra_attribute(f, CHAKRA_RESOURCE, 0.0, text);
}

/* ---- JSON: nodes -------------------------------------------------------------- */

static int is_any(const json_reader *r, const char *a, const char *b)
{
    return json_is(r, a) || json_is(r, b);
}

/* Attributes stand beside the fields. */
static void read_json_attribute(json_reader *r, chakra_file *f)
{
    static const char *const numbers[] = {
        "is_cpu_op", "num_ops", "tensor_size", "comm_size", CHAKRA_DURATION, CHAKRA_BYTES,
        CHAKRA_SERVER, CHAKRA_STEP
    };
    size_t i;
    if (json_is(r, "comm_type")) {
        chakra_attribute(f, "comm_type", coded(r, f, chakra_collective_words,
                                               CHAKRA_COLLECTIVES), NULL);
        return;
    }
    if (json_is(r, CHAKRA_RESOURCE)) { resource(r, f); return; }
    for (i = 0; i < COUNT_OF(numbers); i++)
        if (json_is(r, numbers[i])) {
            chakra_attribute(f, numbers[i], number(r, f, json_next(r)), NULL);
            return;
        }
    if (!json_skip(r, json_next(r))) import_fail_json(r, "no JSON");
}

static uint64_t type(json_reader *r, const chakra_file *f)
{
    const double value = coded(r, f, chakra_type_words, CHAKRA_TYPES);
    if (!(value >= 0.0 && value < CHAKRA_TYPES))
        fail_json(r, f, "a type of node that there is not");
    return (uint64_t)value;
}

static void read_json_node(json_reader *r, chakra_file *f)
{
    chakra_node *node = chakra_add_node(f);
    json_token token;
    chakra_name(f, "", 0);
    while ((token = json_next(r)) == JSON_KEY) {
        if (is_any(r, "Id", "id")) node->id = whole(r, f, json_next(r));
        else if (is_any(r, "Name", "name")) name(r, f);
        else if (is_any(r, "NodeType", "type"))
            node->type = type(r, f);
        else if (is_any(r, "data_deps", "dataDeps")) ids(r, f, chakra_add_data);
        else if (is_any(r, "ctrl_deps", "ctrlDeps")) ids(r, f, chakra_add_control);
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
    if (token != JSON_ARRAY) import_fail_json(r, "workload_graph is no list of nodes");
    while ((token = json_next(r)) == JSON_OBJECT) read_json_node(r, f);
    if (token != JSON_CLOSE) import_fail_json(r, "workload_graph is no list of nodes");
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
        else if (!json_skip(&r, json_next(&r))) import_fail_json(&r, "no JSON");
    }
    if (token != JSON_CLOSE || json_next(&r) != JSON_END) import_fail_json(&r, "no JSON");
    if (f->nodes == 0) tool_fail("%s: a trace of no nodes", s->name);
}

/* ---- Protocol buffers --------------------------------------------------------- */

/* Numbers of fields, of the schema et_def.proto. */
enum {
    NODE_ID = 1, NODE_NAME, NODE_TYPE, NODE_CONTROL, NODE_DATA, NODE_START, NODE_DURATION,
    NODE_INPUTS, NODE_OUTPUTS, NODE_ATTRIBUTE,
    ATTRIBUTE_NAME = 1
};

/* ---- Protocol buffers: attributes --------------------------------------------- */

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

/* ---- Protocol buffers: nodes -------------------------------------------------- */

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
