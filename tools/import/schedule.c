/* schedule.c - times for operations that have durations and dependencies alone */
#include "import/import.h"

#include "sgdperf_sim.h"

#include <string.h>

/* ---- The ops of a step ----------------------------------------------------- */

typedef struct graph_step {
    const import_found *f;
    size_t        *first;     /* [steps + 1] of each step in `by`                   */
    size_t        *by;        /* [found->ops] ops by step                           */
    size_t        *member;    /* [n] ops of the step in found->op: a part of `by`   */
    size_t         n;
    uint32_t      *place;     /* [found->ops] among these                           */
    sgdsim_op     *op;        /* [n]                                                */
    uint32_t      *waits;     /* of all ops                                         */
    size_t         edges;
    int            hosts, others; /* is there work of a host, and of anything else? */
} graph_step;

static sgdsim_resource resource_of(const import_op *op)
{
    switch (op->kind) {
    case IMPORT_DOWNLINK: return SGDSIM_DOWNLINK;
    case IMPORT_UPLINK: case IMPORT_COLLECTIVE: return SGDSIM_UPLINK;
    case IMPORT_UPDATE: return SGDSIM_SERVER;
    default: return SGDSIM_WORKER;
    }
}

static void add_waits(graph_step *s, size_t i)
{
    const import_op *op = &s->f->op[s->member[i]];
    sgdsim_op *r = &s->op[i];
    size_t k;
    r->waits_for = s->waits + s->edges;
    r->waits = op->waits;
    for (k = 0; k < op->waits; k++)
        s->waits[s->edges++] = s->place[s->f->wait[op->first_wait + k]];
}

/* Ops by step, in the order of the file. */
static void group(graph_step *s)
{
    const import_found *f = s->f;
    size_t *end, i;
    s->first = (size_t *)tool_alloc(f->steps + 1, sizeof *s->first);
    s->by = (size_t *)tool_alloc(f->ops, sizeof *s->by);
    end = (size_t *)tool_alloc(f->steps + 1, sizeof *end);
    for (i = 0; i < f->ops; i++) s->first[f->op[i].step + 1]++;
    for (i = 0; i < f->steps; i++) s->first[i + 1] += end[i] = s->first[i];
    for (i = 0; i < f->ops; i++) s->by[end[f->op[i].step]++] = i;
}

static void gather(graph_step *s, size_t step)
{
    const import_found *f = s->f;
    size_t i, edges = 0;
    s->n = s->first[step + 1] - s->first[step];
    s->member = s->by + s->first[step];
    s->hosts = s->others = 0;
    for (i = 0; i < s->n; i++) {
        s->place[s->member[i]] = (uint32_t)i;
        edges += f->op[s->member[i]].waits;
    }
    s->op = (sgdsim_op *)tool_alloc(s->n, sizeof *s->op);
    s->waits = (uint32_t *)tool_alloc(edges, sizeof *s->waits);
    s->edges = 0;
    for (i = 0; i < s->n; i++) {
        const import_op *op = &f->op[s->member[i]];
        const int host = op->kind == IMPORT_COMPUTE && op->host;
        s->op[i].resource = host ? SGDSIM_SERVER : resource_of(op);
        s->op[i].duration_s = s->op[i].bytes = op->end_s - op->start_s;
        if (host) s->hosts = 1;
        else s->others |= op->kind == IMPORT_COMPUTE || op->kind == IMPORT_COLLECTIVE;
        add_waits(s, i);
    }
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
        tool_fail("%s: a step of %lu operations, which is more than a replay takes (65532)",
                  f->file, (unsigned long)s->n);
    tool_fail("%s: %s", f->file, sgdsim_status_text(status));
}

/* ---- Without times: one op at a time on each ------------------------------- */

typedef struct graph_times { const graph_step *s; import_op *op; } graph_times;

static void keep_times(void *ctx, const sgdsim_event *event)
{
    const graph_times *times = (const graph_times *)ctx;
    import_op *op = &times->op[times->s->member[event->op]];
    op->start_s = event->start_s;
    op->end_s = event->end_s;
}

/* A run of one worker: its host stands where a server does, and links take the time that
 * transfers were recorded to take. */
static double schedule(const graph_step *s, import_op *found)
{
    graph_times times;
    const uint32_t one = 1;
    sgdsim_step step;
    sgdsim_trace trace;
    sgdsim_config config;
    sgdsim_result result;
    sgdsim_fault fault = {0};
    sgdsim_status status;
    size_t bytes = 0;
    memset(&config, 0, sizeof config);
    memset(&result, 0, sizeof result);
    times.s = s;
    times.op = found;
    step.op = s->op;
    step.ops = s->n;
    trace.step = &step;
    trace.steps = 1;
    config.workers.types = 1;
    config.workers.trace = &trace;
    config.workers.count = &one;
    config.links.rule = SGDSIM_LINK_FCFS;
    config.links.bandwidth_bytes_per_s = 1.0;
    config.length.steps = 1;
    config.watch.on_op = keep_times;
    config.watch.ctx = &times;
    status = sgdsim_trace_check_bytes(&trace, &bytes);
    if (status == SGDSIM_OK)
        status = sgdsim_trace_check(&trace, 1, tool_alloc(bytes, 1), bytes, &fault);
    if (status == SGDSIM_OK) status = sgdsim_run_bytes(&config, &bytes);
    if (status == SGDSIM_OK) status = sgdsim_run(&config, tool_alloc(bytes, 1), bytes, &result);
    if (status != SGDSIM_OK) fail_step(s, status, &fault);
    return result.makespan_s;
}

static void begin(graph_step *s, const import_found *f)
{
    memset(s, 0, sizeof *s);
    s->f = f;
    group(s);
    s->place = (uint32_t *)tool_alloc(f->ops, sizeof *s->place);
}

int import_schedule(import_found *f)
{
    graph_step s;
    size_t i, scheduled = 0;
    if (!f->linked || f->timed) return 0;
    for (i = 0; i < f->ops && !f->op[i].host; i++) { }
    if (i == f->ops) return 0;
    begin(&s, f);
    for (i = 0; i < f->steps; i++) {
        gather(&s, i);
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
