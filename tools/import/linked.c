/* linked.c - steps of which it is known what waits for what, to ops that sgdperf simulate
 * replays */
#include "import/linked.h"

#include "files/status.h"

#include <string.h>

/* ---- The ops of a step ----------------------------------------------------- */

typedef struct linked_step {
    const import_found *f;
    size_t        *member;    /* [n] ops of the step in found->op                   */
    size_t         n;
    uint32_t      *place;     /* [found->ops] among these                           */
    sgdsim_record *record;    /* [n]                                                */
    uint32_t      *waits;     /* of all records                                     */
    size_t         edges;
    int            hosts, others; /* is there work of a host, and of anything else? */
} linked_step;

static sgdsim_resource resource_of(const import_op *op)
{
    switch (op->kind) {
    case IMPORT_DOWNLINK: return SGDSIM_DOWNLINK;
    case IMPORT_UPLINK: case IMPORT_COLLECTIVE: return SGDSIM_UPLINK;
    case IMPORT_UPDATE: return SGDSIM_SERVER;
    default: return SGDSIM_WORKER;
    }
}

/* A ring of all-reduce moves each byte twice, one of these but once. */
static double exchanged_bytes(const import_op *op)
{
    if (op->kind != IMPORT_COLLECTIVE || !(op->bytes > 0.0)) return op->bytes;
    switch (op->collective) {
    case IMPORT_ALLGATHER: case IMPORT_REDUCESCATTER: case IMPORT_ALLTOALL:
    case IMPORT_BROADCAST: case IMPORT_REDUCE: return op->bytes / 2.0;
    default: return op->bytes;
    }
}

/* What an op waits for, each once: `seen` has the last one that asked for it. */
static void add_waits(linked_step *s, size_t i, uint32_t *seen)
{
    const import_op *op = &s->f->op[s->member[i]];
    sgdsim_record *r = &s->record[i];
    size_t k;
    r->waits_for = s->waits + s->edges;
    for (k = 0; k < op->waits; k++) {
        const uint32_t other = s->f->wait[op->first_wait + k];
        if (s->f->op[other].step != op->step || seen[other] == i + 1) continue;
        seen[other] = (uint32_t)i + 1;
        s->waits[s->edges++] = s->place[other];
        r->waits++;
    }
}

static void gather(linked_step *s, uint32_t step, uint32_t *seen)
{
    const import_found *f = s->f;
    size_t i, edges = 0;
    s->n = 0;
    s->hosts = s->others = 0;
    for (i = 0; i < f->ops; i++) {
        if (f->op[i].step != step || f->op[i].kind == IMPORT_WAIT) continue;
        s->place[i] = (uint32_t)s->n;
        s->member[s->n++] = i;
        edges += f->op[i].waits;
    }
    s->record = (sgdsim_record *)tool_alloc(s->n, sizeof *s->record);
    s->waits = (uint32_t *)tool_alloc(edges, sizeof *s->waits);
    s->edges = 0;
    for (i = 0; i < f->ops; i++) seen[i] = 0;
    for (i = 0; i < s->n; i++) {
        const import_op *op = &f->op[s->member[i]];
        sgdsim_record *r = &s->record[i];
        r->resource = resource_of(op);
        r->server = op->kind == IMPORT_COMPUTE ? 0 : op->server;
        r->start_s = op->start_s;
        r->end_s = op->end_s;
        r->bytes = exchanged_bytes(op) > 0.0 ? exchanged_bytes(op) : 0.0;
        if (op->kind == IMPORT_COMPUTE && op->host) s->hosts = 1;
        else s->others |= op->kind == IMPORT_COMPUTE || op->kind == IMPORT_COLLECTIVE;
        add_waits(s, i, seen);
    }
}

TOOL_NORETURN static void fail_step(const linked_step *s, sgdsim_status status,
                                    const sgdsim_fault *fault)
{
    const import_found *f = s->f;
    if (status == SGDSIM_BAD_TRACE && fault->op < s->n)
        tool_fail("%s: '%.200s': its %s %s", f->file,
                  names_text(&f->names, f->op[s->member[fault->op]].name), fault->field,
                  fault->reason);
    if (status == SGDSIM_TOO_LARGE)
        tool_fail("%s: a step of %lu operations, which is more than a replay takes (65532)",
                  f->file, (unsigned long)s->n);
    tool_fail("%s: %s", f->file, sgdsim_status_text(status));
}

/* ---- Without times: one op at a time on each ------------------------------- */

typedef struct linked_times { const linked_step *s; import_op *op; } linked_times;

static void keep_times(void *ctx, const sgdsim_event *event)
{
    const linked_times *times = (const linked_times *)ctx;
    import_op *op = &times->op[times->s->member[event->op]];
    op->start_s = event->start_s;
    op->end_s = event->end_s;
}

/* A run of one worker: its host stands where a server does, and links take the time that
 * transfers were recorded to take. */
static double schedule(const linked_step *s, import_op *found)
{
    linked_times times;
    sgdsim_op *op = (sgdsim_op *)tool_alloc(s->n, sizeof *op);
    const uint32_t one = 1;
    sgdsim_step step;
    sgdsim_trace trace;
    sgdsim_config config;
    sgdsim_result result;
    sgdsim_fault fault = {0};
    sgdsim_status status;
    size_t bytes = 0, i;
    memset(&config, 0, sizeof config);
    memset(&result, 0, sizeof result);
    times.s = s;
    times.op = found;
    for (i = 0; i < s->n; i++) {
        const import_op *from = &s->f->op[s->member[i]];
        op[i].resource = from->kind == IMPORT_COMPUTE && from->host ? SGDSIM_SERVER
                                                                    : s->record[i].resource;
        op[i].duration_s = op[i].bytes = from->end_s - from->start_s;
        op[i].waits_for = s->record[i].waits_for;
        op[i].waits = s->record[i].waits;
    }
    step.op = op;
    step.ops = s->n;
    trace.step = &step;
    trace.steps = 1;
    config.types = 1;
    config.trace = &trace;
    config.workers = &one;
    config.link = SGDSIM_LINK_FCFS;
    config.bandwidth_bytes_per_s = 1.0;
    config.steps = 1;
    config.on_op = keep_times;
    config.on_op_ctx = &times;
    status = sgdsim_trace_check_bytes(&trace, &bytes);
    if (status == SGDSIM_OK)
        status = sgdsim_trace_check(&trace, 1, tool_alloc(bytes, 1), bytes, &fault);
    if (status == SGDSIM_OK) status = sgdsim_run_bytes(&config, &bytes);
    if (status == SGDSIM_OK) status = sgdsim_run(&config, tool_alloc(bytes, 1), bytes, &result);
    if (status != SGDSIM_OK) fail_step(s, status, &fault);
    return result.makespan_s;
}

static void begin(linked_step *s, const import_found *f)
{
    memset(s, 0, sizeof *s);
    s->f = f;
    s->member = (size_t *)tool_alloc(f->ops, sizeof *s->member);
    s->place = (uint32_t *)tool_alloc(f->ops, sizeof *s->place);
}

int linked_schedule(import_found *f)
{
    uint32_t *seen = (uint32_t *)tool_alloc(f->ops, sizeof *seen);
    linked_step s;
    size_t i, scheduled = 0;
    if (!f->linked || f->timed) return 0;
    begin(&s, f);
    for (i = 0; i < f->steps; i++) {
        gather(&s, (uint32_t)i, seen);
        if (!s.hosts || !s.others) continue;
        f->step[i].end_s = f->step[i].start_s + schedule(&s, f->op);
        scheduled++;
    }
    if (scheduled > 0 && scheduled < f->steps)
        tool_fail("%s: some steps have work of a processor and an accelerator, others not",
                  f->file);
    f->timed = scheduled > 0;
    return f->timed;
}

/* ---- Traces ---------------------------------------------------------------- */

/* Ops as they are. All of found->op of the step become one. */
static sgdsim_op *copy_step(const linked_step *s, linked_trace *t, size_t step)
{
    sgdsim_op *op = (sgdsim_op *)tool_alloc(s->n, sizeof *op);
    size_t i;
    t->from[step] = (size_t *)tool_alloc(s->n, sizeof **t->from);
    for (i = 0; i < s->n; i++) {
        const sgdsim_record *r = &s->record[i];
        op[i].resource = r->resource;
        op[i].server = r->server;
        op[i].duration_s = r->end_s - r->start_s;
        op[i].bytes = r->bytes;
        op[i].waits_for = r->waits_for;
        op[i].waits = r->waits;
        t->from[step][i] = s->member[i];
    }
    return op;
}

static sgdsim_op *convert_step(const linked_step *s, linked_trace *t, size_t step)
{
    sgdsim_op *op = (sgdsim_op *)tool_alloc(s->n, sizeof *op);
    uint32_t *waits = (uint32_t *)tool_alloc(s->n + s->edges, sizeof *waits);
    uint32_t *from = (uint32_t *)tool_alloc(s->n, sizeof *from);
    sgdsim_fault fault = {0};
    size_t bytes = 0, i;
    sgdsim_status status = sgdsim_trace_recorded_bytes(s->record, s->n, t->servers, &bytes);
    if (status == SGDSIM_OK)
        status = sgdsim_trace_recorded(s->record, s->n, t->servers, tool_alloc(bytes, 1), bytes,
                                       op, waits, from, &fault);
    if (status != SGDSIM_OK) fail_step(s, status, &fault);
    t->from[step] = (size_t *)tool_alloc(s->n, sizeof **t->from);
    for (i = 0; i < s->n; i++) t->from[step][i] = s->member[from[i]];
    return op;
}

static int is_link(const sgdsim_op *op)
{
    return op->resource == SGDSIM_UPLINK || op->resource == SGDSIM_DOWNLINK;
}

/* What the transfers of a step tell; those without bytes get them. */
static void count_transfers(const import_found *f, linked_trace *t, size_t step,
                            sgdsim_op *op, double bandwidth)
{
    size_t i;
    for (i = 0; i < t->step[step].ops; i++) {
        if (!is_link(&op[i])) continue;
        t->transfers++;
        if (f->op[t->from[step][i]].bytes < 0.0) {
            t->unsized++;
            op[i].bytes = op[i].duration_s * bandwidth;
        } else if (op[i].duration_s > 0.0) {
            t->bytes += op[i].bytes;
            t->transfer_s += op[i].duration_s;
        }
    }
}

static void make_step(linked_step *s, linked_trace *t, size_t step, double bandwidth)
{
    const import_found *f = s->f;
    sgdsim_op *op;
    if (s->n == 0)
        tool_fail("%s: no operation in step %.0f", f->file, (double)f->step[step].number);
    t->step_s[step] = f->step[step].end_s - f->step[step].start_s;
    op = f->timed ? convert_step(s, t, step) : copy_step(s, t, step);
    t->step[step].op = op;
    t->step[step].ops = s->n;
    count_transfers(f, t, step, op, bandwidth);
}

void linked_make(const import_found *f, double bandwidth, linked_trace *t)
{
    linked_step s;
    uint32_t *seen = (uint32_t *)tool_alloc(f->ops, sizeof *seen);
    size_t i;
    memset(t, 0, sizeof *t);
    begin(&s, f);
    t->servers = 1;
    t->steps = f->steps;
    t->step = (sgdsim_step *)tool_alloc(f->steps, sizeof *t->step);
    t->from = (size_t **)tool_alloc(f->steps, sizeof *t->from);
    t->step_s = (double *)tool_alloc(f->steps, sizeof *t->step_s);
    for (i = 0; i < f->ops; i++) {
        if (f->op[i].kind == IMPORT_COLLECTIVE) t->rings = 1;
        if (f->op[i].server >= t->servers) t->servers = f->op[i].server + 1;
    }
    for (i = 0; i < f->steps; i++) {
        gather(&s, (uint32_t)i, seen);
        make_step(&s, t, i, bandwidth);
    }
}
