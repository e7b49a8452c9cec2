/* stretch.c - the steps of an all-reduce over links as their makers declare them, and those of
 * machines of accelerators */
#include "cmd/simulate/simulate.h"

#include "files/status.h"

/* The last uplink carries all: each exchange by itself would pay the latency anew. */
static void join_uplinks(sgdsim_op *op, size_t ops)
{
    size_t last = ops;
    for (size_t i = ops; i-- > 0;) {
        if (op[i].resource != SGDSIM_UPLINK) continue;
        if (last == ops) {
            last = i;
            continue;
        }
        op[last].bytes += op[i].bytes;
        op[i].bytes = 0.0;
    }
}

/* A step in which nothing overlaps, or of machines. Returns its ops. */
static size_t remake(const simulation *point, const sgdsim_step *of, double growth,
                     const sgdsim_draft *out, const char *name)
{
    const uint32_t gpus = point->config.workers.accelerators;
    size_t ops = of->ops;
    if (gpus > 1) {
        const sgdsim_status status = sgdsim_trace_machine(
            of, gpus, point->local_bandwidth_bytes_per_s, out, &ops);
        if (status == SGDSIM_BAD_ARGUMENT)
            tool_fail("%s: the transfers take more time inside a machine than a number can hold, "
                      "at %s %g B/s", name, NAME_OF(LOCAL_BANDWIDTH),
                      point->local_bandwidth_bytes_per_s);
        tool_check_sim(status, name);
    } else {
        tool_check_sim(sgdsim_trace_expose(of, growth, out), name);
        if (!point->collectives && point->config.links.delay_s) join_uplinks(out->op, ops);
    }
    return ops;
}

/* The same of all steps of a trace. */
static void remake_all(const simulation *point, double growth, trace_file *trace)
{
    const trace_file from = *trace;
    const size_t steps = from.trace.steps;
    sgdsim_step *step = (sgdsim_step *)tool_alloc(steps, sizeof *step);
    size_t i, waits, rows = 0;
    if (from.row) trace->row = (size_t *)tool_alloc(2 * from.first[steps], sizeof(size_t));
    if (from.row) trace->first = (size_t *)tool_alloc(steps + 1, sizeof(size_t));
    for (size_t s = 0; s < steps; s++) {
        const sgdsim_step *of = &from.trace.step[s];
        sgdsim_op *op = (sgdsim_op *)tool_alloc(2 * of->ops, sizeof *op);
        uint32_t *number = (uint32_t *)tool_alloc(2 * of->ops, sizeof *number);
        for (i = 0, waits = 4 * of->ops; i < of->ops; i++) waits += of->op[i].waits;
        step[s].op = op;
        step[s].ops = remake(point, of, growth, &(sgdsim_draft){
                                 op, (uint32_t *)tool_alloc(waits, sizeof(uint32_t)), number},
                             from.file->name);
        if (!from.row) continue;
        trace->first[s] = rows;
        for (i = 0; i < step[s].ops; i++)
            trace->row[rows++] = from.row[from.first[s] + number[i]];
    }
    if (from.row) trace->first[steps] = rows;
    trace->trace.step = step;
}

/* What all exchanges of a step take, alone; bytes: what its uplinks carry. */
static double exchange_s(const simulation *s, double bytes)
{
    collectives_report exchanged = {0};
    sgdsim_config one = s->config;
    sgdsim_result out = {0};
    if (!s->collectives) return one.links.exchange_s(NULL, &one, bytes);
    one.length.steps = 1;
    one.length.warmup = 0;
    out.waiting = (sgdsim_waiting *)tool_alloc(s->workers, sizeof *out.waiting);
    (void)collectives_run(s, &one, &out, &exchanged);
    return exchanged.exchange_s;
}

/* The factor on an exchange: computing, which is all before the last uplink, may be too short to
 * hide what is not exposed. */
static double held_by(const simulation *s)
{
    const sgdsim_step *step = s->config.workers.trace->step;
    double compute_s = 0.0, bytes = 0.0;
    if (s->stretch.exposure >= 1.0) return s->stretch.exposure;
    for (size_t i = step->ops; i-- > 0;) {
        bytes += step->op[i].resource == SGDSIM_UPLINK ? step->op[i].bytes : 0.0;
        if (step->op[i].resource == SGDSIM_WORKER && bytes > 0.0)
            compute_s += step->op[i].duration_s;
    }
    return sgdp_exposed(s->stretch.exposure, compute_s, exchange_s(s, bytes));
}

void simulate_stretch(simulation *point)
{
    const size_t types = point->config.workers.types;
    sgdsim_trace *trace = (sgdsim_trace *)tool_alloc(types, sizeof *trace);
    trace_file *file = (trace_file *)tool_alloc(types, sizeof *file);
    point->held = 1.0;
    point->stretch = declared_stretch(&point->links, point->workers);
    for (size_t i = 0; i < types; i++) {
        const double growth = point->stretch.growth;
        int overlaps = point->links.stretches;
        file[i] = point->traces[i];
        if (point->collectives)
            overlaps = collectives_trace(point->collectives, point->workers, growth, overlaps,
                                         &file[i]);
        if (overlaps || point->config.workers.accelerators > 1) remake_all(point, growth, &file[i]);
        trace[i] = file[i].trace;
    }
    point->traces = file;
    point->config.workers.trace = trace;
    if (point->links.stretches) point->held = held_by(point);
    if (point->links.stretches) point->config.links.exchange_ctx = &point->held;
    for (size_t i = 0; i < types && point->collectives; i++) {
        point->alltoalls |= collectives_add_alltoalls(point->collectives, &file[i]);
        trace[i] = file[i].trace;
    }
}
