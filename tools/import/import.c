/* import.c - what readers of formats share: what is found, in order */
#include "import/import.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define IMPORT_X(name, text) text,
static const char *const texts[] = { IMPORT_COLLECTIVE_TABLE(IMPORT_X) };
#undef IMPORT_X

const char *import_collective_text(import_collective collective)
{
    return texts[(size_t)collective < COUNT_OF(texts) ? collective : IMPORT_OTHER_COLLECTIVE];
}

/* The letters of a name, in lower case: "nccl:all_reduce" and "AllReduce" are alike. */
static void letters(const char *name, char *to, size_t room)
{
    size_t n = 0;
    for (; *name != '\0' && n + 1 < room; name++) {
        if (*name >= 'A' && *name <= 'Z') to[n++] = (char)(*name - 'A' + 'a');
        else if (*name >= 'a' && *name <= 'z') to[n++] = *name;
    }
    to[n] = '\0';
}

import_collective import_collective_named(const char *name)
{
    static const char *const sent[] = {"send", "recv", "collectivepermute"};
    char text[128];
    letters(name, text, sizeof text);
    for (size_t i = 0; i < IMPORT_OTHER_COLLECTIVE; i++)
        if (strstr(text, texts[i])) return (import_collective)i;
    for (size_t i = 0; i < COUNT_OF(sent); i++)
        if (strstr(text, sent[i])) return IMPORT_SENDRECV;
    return IMPORT_OTHER_COLLECTIVE;
}

static int is_finite(double x) { return x >= -DBL_MAX && x <= DBL_MAX; }

static void check_times(const import_found *f, const char *what, double start_s, double end_s)
{
    if (!is_finite(start_s) || !is_finite(end_s) || !is_finite(end_s - start_s))
        tool_fail("%s: the time of %s is too large, or not a number", f->file, what);
    if (end_s < start_s)
        tool_fail("%s: %s ends %.9g s before it starts", f->file, what, start_s - end_s);
}

uint32_t import_name(const char *file, name_index *names, const char *text, size_t length)
{
    size_t number = 0;
    if (names_add(names, text, length, &number) == NAMES_FULL || number >= UINT32_MAX)
        tool_fail("%s: out of memory", file);
    return (uint32_t)number;
}

int import_compare_ids(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void *import_grow(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room) return array;
    *room = *room < 64 ? 64 : *room + *room / 2;
    return tool_resize(array, *room, size);
}

void import_free(import_found *f)
{
    names_free(&f->names);
    names_free(&f->nodes);
    tool_free(f->step);
    tool_free(f->op);
    tool_free(f->wait);
    tool_free(f->layer);
    tool_free(f->dropped);
    memset(f, 0, sizeof *f);
}

size_t import_below(const double *first, size_t count, size_t stride, double value, int equal)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const double at = *(const double *)(const void *)((const char *)first + middle * stride);
        if (at < value || (equal && !(at > value))) low = middle + 1;
        else high = middle;
    }
    return low;
}

size_t import_add_step(import_found *f, uint64_t number, double start_s, double end_s)
{
    check_times(f, "a step", start_s, end_s);
    if (f->steps == UINT32_MAX) tool_fail("%s: too many steps", f->file);
    *IMPORT_ADD(f->step, f->steps, f->step_room) = (import_step){number, start_s, end_s};
    return f->steps - 1;
}

size_t import_add_op(import_found *f, const import_op *op, const char *name, size_t length)
{
    check_times(f, "an operation", op->start_s, op->end_s);
    if (!(op->bytes <= IMPORT_MOST_BYTES))
        tool_fail("%s: an operation sends too many bytes", f->file);
    import_op *o = IMPORT_ADD(f->op, f->ops, f->op_room);
    *o = *op;
    o->name = import_name(f->file, &f->names, name, length);
    o->first_wait = f->waits;
    o->waits = 0;
    return f->ops - 1;
}

void import_add_wait(import_found *f, size_t op)
{
    if (op >= UINT32_MAX) tool_fail("%s: too many operations", f->file);
    *IMPORT_ADD(f->wait, f->waits, f->wait_room) = (uint32_t)op;
    f->op[f->ops - 1].waits++;
}

void import_add_layer(import_found *f, const import_layer *l, const char *name, size_t length)
{
    if (!(l->forward_s <= IMPORT_MOST_BYTES && l->backward_s <= IMPORT_MOST_BYTES &&
          l->bytes <= IMPORT_MOST_BYTES && l->output_bytes <= IMPORT_MOST_BYTES))
        tool_fail("%s: a time or size of a layer is too large", f->file);
    import_layer *added = IMPORT_ADD(f->layer, f->layers, f->layer_room);
    *added = *l;
    added->name = import_name(f->file, &f->names, name, length);
}

void import_leave_out(import_found *f, const unsigned char *out)
{
    uint32_t *place = tool_alloc(f->ops, sizeof *place);
    uint32_t *step = tool_alloc(f->steps, sizeof *step);
    size_t steps = 0, ops = 0, waits = 0;
    for (size_t i = 0; i < f->steps; i++) {
        step[i] = out[i] ? UINT32_MAX : (uint32_t)steps;
        if (!out[i]) f->step[steps++] = f->step[i];
    }
    f->steps = steps;
    for (size_t i = 0; i < f->ops; i++) {
        const uint32_t of = step[f->op[i].step];
        place[i] = of == UINT32_MAX ? UINT32_MAX : (uint32_t)ops;
        if (of == UINT32_MAX) continue;
        f->op[ops] = f->op[i];
        f->op[ops++].step = of;
    }
    f->ops = ops;
    for (size_t i = 0; i < ops; i++) {        /* waits stand in the order of their ops */
        import_op *op = &f->op[i];
        const size_t first = op->first_wait, count = op->waits;
        op->first_wait = waits;
        for (size_t k = 0; k < count; k++)    /* for ops of their own step */
            f->wait[waits++] = place[f->wait[first + k]];
        op->waits = waits - op->first_wait;
    }
    f->waits = waits;
}

void import_skip_steps(import_found *f, size_t steps)
{
    unsigned char *out = tool_alloc(f->steps, 1);
    if (steps >= f->steps) return;
    memset(out, 1, steps);
    import_leave_out(f, out);
}

double import_on_grid(double value, double per_unit)
{
    const double most = 4503599627370496.0, scaled = value * per_unit;
    return scaled < most && scaled > -most ? floor(scaled + 0.5) / per_unit : value;
}

void import_drop(import_found *f, const char *why, uint64_t count)
{
    size_t i = 0;
    if (count == 0) return;
    while (i < f->drops && strcmp(f->dropped[i].why, why) != 0) i++;
    if (i == f->drops)
        *IMPORT_ADD(f->dropped, f->drops, f->drop_room) = (import_dropped){why, 0};
    f->dropped[i].count += count;
}

void import_fail_json(const json_reader *r, const char *what)
{
    const stream *s = r->source;
    const uint64_t byte = s->offset - (uint64_t)(r->end - r->at);
    tool_fail("%s:%lu: byte %.0f: %s", s->name, (unsigned long)r->line, (double)byte,
              r->wrong ? r->wrong : what);
}

void import_skip_json(json_reader *r, json_token token)
{
    if (!json_skip(r, token)) import_fail_json(r, "no JSON");
}

int import_json_text(const json_reader *r, char *to, size_t room)
{
    const size_t length = r->length < room ? r->length : 0;
    memcpy(to, r->text, length);
    to[length] = '\0';
    return r->length < room;
}

int import_has_header(const char *head, size_t length, const char *const *column, size_t count)
{
    while (length > 0 && (*head == '#' || *head == '\n' || *head == '\r')) {
        const char *next = (const char *)memchr(head, '\n', length);
        if (!next) return 0;
        length -= (size_t)(next + 1 - head);
        head = next + 1;
    }
    const char *end = (const char *)memchr(head, '\n', length);
    if (end) length = (size_t)(end - head);
    if (memchr(head, '{', length)) return 0;
    for (size_t i = 0; i < count; i++)
        if (!import_has(head, length, column[i])) return 0;
    return 1;
}

csv_table *import_read_csv(stream *s)
{
    static csv_table table;            /* what a run that failed has left is released */
    char message[512];
    size_t length = 0;
    char *text = stream_rest(s, &length);
    /* A number whose end is missing is a number, too. */
    if (s->cut) tool_fail("%s: %s", s->name, s->cut);
    csv_free(&table);
    int good = csv_parse(&table, s->name, text, length, CSV_WATCH, message, sizeof message);
    free(text);
    if (!good) tool_fail("%s", message);
    return &table;
}

/* ---- The ops of a step ----------------------------------------------------- */

static const struct { import_kind kind; sgdsim_resource on; } resources[] = {
    {IMPORT_COMPUTE, SGDSIM_WORKER}, {IMPORT_UPLINK, SGDSIM_UPLINK},
    {IMPORT_COLLECTIVE, SGDSIM_UPLINK}, {IMPORT_DOWNLINK, SGDSIM_DOWNLINK},
    {IMPORT_UPDATE, SGDSIM_SERVER}, {IMPORT_WAIT, SGDSIM_WORKER}
};

sgdsim_resource import_resource(import_kind kind)
{
    size_t i = 0;
    while (resources[i].kind != kind) i++;
    return resources[i].on;
}

import_kind import_kind_on(sgdsim_resource resource)
{
    size_t i = 0;
    while (resources[i].on != resource) i++;
    return resources[i].kind;
}

void import_group(const import_found *f, size_t **first, uint32_t **by)
{
    size_t *at = tool_alloc(f->steps + 2, sizeof *at), i;
    *by = tool_alloc(f->ops, sizeof **by);
    for (i = 0; i < f->ops; i++) at[f->op[i].step + 2]++;
    for (i = 2; i < f->steps + 2; i++) at[i] += at[i - 1];
    for (i = 0; i < f->ops; i++) (*by)[at[f->op[i].step + 1]++] = (uint32_t)i;
    *first = at;
}

/* ---- Without times: one op at a time on each ------------------------------- */

typedef struct graph_step {
    import_found   *f;
    const uint32_t *member;   /* [n] ops of the step in found->op                   */
    size_t          n;
    uint32_t       *place;    /* [found->ops] among these                           */
    sgdsim_op      *op;       /* [n]                                                */
    int             mixed;    /* there is work of a host, and something else        */
} graph_step;

/* Of a host the work stands where a server's does, and links take the time that transfers were
 * recorded to take. */
static void gather(graph_step *s, const uint32_t *member, size_t n)
{
    const import_found *f = s->f;
    size_t edges = 0;
    int hosts = 0, others = 0;
    s->member = member;
    s->n = n;
    for (size_t i = 0; i < n; i++) {
        s->place[member[i]] = (uint32_t)i;
        edges += f->op[member[i]].waits;
    }
    s->op = tool_alloc(n, sizeof *s->op);
    uint32_t *waits = tool_alloc(edges, sizeof *waits);
    for (size_t i = 0; i < n; i++) {
        const import_op *op = &f->op[member[i]];
        const int host = op->kind == IMPORT_COMPUTE && op->host;
        s->op[i].resource = host ? SGDSIM_SERVER : import_resource(op->kind);
        s->op[i].duration_s = s->op[i].bytes = op->end_s - op->start_s;
        s->op[i].waits_for = waits;
        s->op[i].waits = op->waits;
        for (size_t k = 0; k < op->waits; k++) *waits++ = s->place[f->wait[op->first_wait + k]];
        hosts |= host;
        others |= !host && (op->kind == IMPORT_COMPUTE || op->kind == IMPORT_COLLECTIVE);
    }
    s->mixed = hosts && others;
}

TOOL_NORETURN static void fail_step(const graph_step *s, sgdsim_status status,
                                    const sgdsim_fault *fault)
{
    const import_found *f = s->f;
    if (status == SGDSIM_BAD_TRACE)
        tool_fail("%s: '%.200s': its %s %s", f->file,
                  names_text(&f->names, f->op[s->member[fault->op]].name), fault->field,
                  fault->reason);
    if (status == SGDSIM_TOO_LARGE)
        tool_fail("%s: a step has %lu operations, and simulate takes at most 65532",
                  f->file, (unsigned long)s->n);
    tool_fail("%s: %s", f->file, sgdsim_status_text(status));
}

static void keep_times(void *ctx, const sgdsim_event *event)
{
    const graph_step *s = ctx;
    import_op *op = &s->f->op[s->member[event->op]];
    op->start_s = event->start_s;
    op->end_s = event->end_s;
}

/* A run of one worker: how long it takes. */
static double schedule(graph_step *s)
{
    const uint32_t one = 1;
    const sgdsim_step step = {.op = s->op, .ops = s->n};
    const sgdsim_trace trace = {.step = &step, .steps = 1};
    const sgdsim_config config = {
        .workers = {.types = 1, .trace = &trace, .count = &one},
        .links = {.rule = SGDSIM_LINK_FCFS, .bandwidth_bytes_per_s = 1.0},
        .length.steps = 1, .watch = {.on_op = keep_times, .ctx = s}
    };
    sgdsim_result result = {0};
    sgdsim_fault fault = {0};
    size_t bytes = 0;
    sgdsim_status status = sgdsim_trace_check_bytes(&trace, &bytes);
    if (status == SGDSIM_OK)
        status = sgdsim_trace_check(&trace, 1, tool_alloc(bytes, 1), bytes, &fault);
    if (status == SGDSIM_OK) status = sgdsim_run_bytes(&config, &bytes);
    if (status == SGDSIM_OK) status = sgdsim_run(&config, tool_alloc(bytes, 1), bytes, &result);
    if (status != SGDSIM_OK) fail_step(s, status, &fault);
    return result.makespan_s;
}

int import_schedule(import_found *f)
{
    graph_step s = {.f = f};
    size_t *first, i, scheduled = 0;
    uint32_t *by;
    if (!f->linked || f->timed) return 0;
    for (i = 0; i < f->ops && !f->op[i].host; i++) { }
    if (i == f->ops) return 0;
    import_group(f, &first, &by);
    s.place = tool_alloc(f->ops, sizeof *s.place);
    for (i = 0; i < f->steps; i++) {
        gather(&s, by + first[i], first[i + 1] - first[i]);
        if (!s.mixed) continue;
        f->step[i].end_s = f->step[i].start_s + schedule(&s);
        scheduled++;
    }
    if (scheduled > 0 && scheduled < f->steps)
        tool_fail("%s: some steps lack work of the processor or the accelerator: trace whole steps",
                  f->file);
    f->timed = scheduled > 0;
    return f->timed;
}

int import_has(const char *head, size_t length, const char *text)
{
    const size_t n = strlen(text);
    const char *at = head, *end = head + length;
    while ((size_t)(end - at) >= n && (at = (const char *)memchr(at, text[0],
                                                (size_t)(end - at) - n + 1)) != NULL) {
        if (memcmp(at, text, n) == 0) return 1;
        at++;
    }
    return 0;
}
