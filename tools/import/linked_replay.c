/* linked_replay.c - traces with dependencies: what their transfers tell, a first replay, and
 * the file */
#include "import/linked.h"

#include "files/status.h"
#include "files/trace.h"

#include <string.h>

double linked_bandwidth(const linked_trace *t, uint32_t workers)
{
    const double n = workers, times = t->rings ? 2.0 * (n - 1.0) / n : 1.0;
    if (!(t->bytes > 0.0) || !(t->transfer_s > 0.0) || !(times > 0.0)) return 0.0;
    return times * t->bytes / t->transfer_s;
}

int linked_overhead(const linked_trace *t, double bandwidth, sgdsim_overhead *overhead)
{
    double *bytes = (double *)tool_alloc(t->transfers, sizeof *bytes);
    double *service_s = (double *)tool_alloc(t->transfers, sizeof *service_s);
    size_t n = 0, step, i;
    for (step = 0; step < t->steps; step++)
        for (i = 0; i < t->step[step].ops; i++) {
            const sgdsim_op *op = &t->step[step].op[i];
            if (op->resource != SGDSIM_UPLINK && op->resource != SGDSIM_DOWNLINK) continue;
            if (!(op->bytes > 0.0) || !(op->duration_s > 0.0)) continue;
            bytes[n] = op->bytes;
            service_s[n++] = op->duration_s;
        }
    return n > 0 && sgdsim_overhead_fit(bytes, service_s, n, bandwidth, overhead) == SGDSIM_OK;
}

double linked_replay(const linked_trace *t, uint32_t workers, double bandwidth,
                     const sgdsim_overhead *overhead)
{
    uint32_t *sequence = (uint32_t *)tool_alloc((uint64_t)workers * t->steps, sizeof *sequence);
    sgdsim_trace trace;
    sgdsim_config config;
    sgdsim_result result;
    size_t bytes = 0, i;
    memset(&config, 0, sizeof config);
    memset(&result, 0, sizeof result);
    for (i = 0; i < workers * t->steps; i++) sequence[i] = (uint32_t)(i % t->steps);
    trace.step = t->step;
    trace.steps = t->steps;
    config.types = 1;
    config.trace = &trace;
    config.workers = &workers;
    config.mode = t->rings ? SGDSIM_SYNC : SGDSIM_ASYNC;
    config.link = t->rings ? SGDSIM_LINK_RING : SGDSIM_LINK_EQUAL;
    config.bandwidth_bytes_per_s = bandwidth > 0.0 ? bandwidth : 1e300;
    config.servers = t->servers;
    config.steps = t->steps;
    config.sequence = sequence;
    config.overhead = overhead;
    tool_check_sim(sgdsim_run_bytes(&config, &bytes), "the replay");
    tool_check_sim(sgdsim_run(&config, tool_alloc(bytes, 1), bytes, &result), "the replay");
    return result.makespan_s / (double)t->steps;
}

/* ---- The file -------------------------------------------------------------- */

/* Quoted where it must be [RFC 4180]. */
static void write_text(FILE *to, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, to);
        return;
    }
    putc('"', to);
    for (; *text != '\0'; text++) {
        if (*text == '"') putc('"', to);
        putc(*text, to);
    }
    putc('"', to);
}

static void write_op(FILE *to, const sgdsim_op *op, const char *name)
{
    const int moves = op->resource == SGDSIM_UPLINK || op->resource == SGDSIM_DOWNLINK;
    char number[NUMBER_BYTES];
    size_t k;
    fprintf(to, "%s,%lu,", trace_resource_text(op->resource), (unsigned long)op->server);
    if (!moves) fputs(number_write(op->duration_s, number), to);
    putc(',', to);
    if (moves) fputs(number_write(op->bytes, number), to);
    putc(',', to);
    for (k = 0; k < op->waits; k++)
        fprintf(to, "%s%lu", k > 0 ? " " : "", (unsigned long)op->waits_for[k]);
    putc(',', to);
    write_text(to, name);
    putc('\n', to);
}

void linked_write(FILE *to, const import_found *f, const linked_trace *t)
{
    size_t step, i;
    fputs("step,op,resource,server,duration_s,bytes,waits_for,name\n", to);
    for (step = 0; step < t->steps; step++)
        for (i = 0; i < t->step[step].ops; i++) {
            const import_op *op = &f->op[t->from[step][i]];
            fprintf(to, "%lu,%lu,", (unsigned long)step, (unsigned long)i);
            write_op(to, &t->step[step].op[i], names_text(&f->names, op->name));
        }
}
