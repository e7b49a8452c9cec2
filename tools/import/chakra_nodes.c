/* chakra_nodes.c - the nodes of a Chakra execution trace, gathered and handed on */
#include "import/chakra.h"

#include "files/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const chakra_collective_words[CHAKRA_COLLECTIVES] = {
    "ALL_REDUCE", "REDUCE", "ALL_GATHER", "GATHER", "SCATTER", "BROADCAST", "ALL_TO_ALL",
    "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"
};
const char *const chakra_type_words[CHAKRA_TYPES] = {
    "INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE",
    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"
};

/* ---- Gathering ------------------------------------------------------------- */

chakra_node *chakra_add_node(chakra_file *f)
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

void chakra_add_data(chakra_file *f, uint64_t id)
{
    add_id(&f->data, id);
    f->node[f->nodes - 1].data++;
}

void chakra_add_control(chakra_file *f, uint64_t id)
{
    add_id(&f->control, id);
    f->node[f->nodes - 1].control++;
}

void chakra_name(chakra_file *f, const char *text, size_t length)
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

void chakra_attribute(chakra_file *f, const char *name, double value, const char *text)
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

/* ---- Ids ------------------------------------------------------------------- */

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

/* ---- Handing on ------------------------------------------------------------ */

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

void chakra_finish(chakra_file *f, import_found *found)
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
