/* read.c - the traces and the sequence of sgdperf simulate */
#include "cmd/simulate/simulate.h"

/* ---- Traces ---------------------------------------------------------------- */

/* Parsing may take time where nothing else does. */
static void check_times(const simulation *s, const trace_file *trace)
{
    size_t k, i;
    for (k = 0; k < trace->trace.steps && !s->config.transfers.overhead; k++) {
        const sgdsim_step *step = &trace->trace.step[k];
        for (i = 0; i < step->ops; i++)
            if (step->op[i].bytes > 0.0 || step->op[i].duration_s > 0.0) break;
        if (i == step->ops)
            csv_fail(trace->file, trace->row[trace->first[k]], CSV_NONE,
                     "step %lu takes no time", (unsigned long)k);
    }
}

static void read_traces(simulation *s, const args *a)
{
    sgdsim_trace *trace = (sgdsim_trace *)tool_alloc(a->file_count, sizeof *trace);
    size_t i;
    s->traces = (trace_file *)tool_alloc(a->file_count, sizeof *s->traces);
    for (i = 0; i < a->file_count; i++) {
        if (!s->collectives || !s->collectives->file) {
            trace_read(&s->traces[i], a->files[i], s->config.servers.count);
            check_times(s, &s->traces[i]);
        }
        if (s->collectives) collectives_trace(s->collectives, s->workers, &s->traces[i]);
        trace[i] = s->traces[i].trace;
    }
    s->config.workers.trace = trace;
}

/* ---- Sequence -------------------------------------------------------------- */

static size_t type_of(const simulation *s, uint64_t worker)
{
    size_t type = 0;
    while (worker >= s->config.workers.count[type]) worker -= s->config.workers.count[type++];
    return type;
}

static void read_sequence(simulation *s, const char *path)
{
    const csv_table *t = csv_read(path, CSV_ALLOW_EMPTY);
    const int worker = csv_require(t, "worker"), k = csv_require(t, "k");
    const int step = csv_require(t, "step");
    const uint64_t steps = s->config.length.steps;
    uint32_t *sequence;
    size_t i;
    if (steps > (size_t)-1 / sizeof *sequence / s->workers) tool_fail("out of memory");
    sequence = (uint32_t *)tool_alloc((size_t)(s->workers * steps), sizeof *sequence);
    for (i = 0; i < s->workers * steps; i++) sequence[i] = UINT32_MAX;
    for (i = 0; i < t->rows; i++) {
        const uint64_t w = csv_integer(t, i, worker, 0, UINT32_MAX);
        const uint64_t at = csv_integer(t, i, k, 0, UINT32_MAX);
        const uint64_t value = csv_integer(t, i, step, 0, UINT32_MAX);
        if (w >= s->workers)
            csv_fail(t, i, worker, "%s is not below the %lu workers", csv_text(t, i, worker),
                     (unsigned long)s->workers);
        if (at >= steps)
            csv_fail(t, i, k, "%s is not below --steps, %lu", csv_text(t, i, k),
                     (unsigned long)steps);
        if (value >= s->config.workers.trace[type_of(s, w)].steps)
            csv_fail(t, i, step, "%s is no step of %s", csv_text(t, i, step),
                     s->traces[type_of(s, w)].file->name);
        if (sequence[w * steps + at] != UINT32_MAX)
            csv_fail(t, i, k, "%s occurs twice for worker %s", csv_text(t, i, k),
                     csv_text(t, i, worker));
        sequence[w * steps + at] = (uint32_t)value;
    }
    s->config.variation.sequence = sequence;
}

void simulate_read(simulation *s, const args *a)
{
    read_traces(s, a);
    if (args_given(a, OPTION_SEQUENCE)) read_sequence(s, args_text(a, OPTION_SEQUENCE, NULL));
}
