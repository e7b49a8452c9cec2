/* servers.c - a worker with parameter servers, traced with what waits for what: its
 * transfers, and the step again */
#include "cmd/import/run.h"

#include <string.h>

static int is_moved(const sgdsim_op *op)
{
    return op->resource == SGDSIM_UPLINK || op->resource == SGDSIM_DOWNLINK;
}

/* Transfers are asked for long before there is something to send: from here on they start
 * when they had the link. */
static void move_starts(import_run *r)
{
    size_t s, i;
    for (s = 0; s < r->found.steps; s++)
        for (i = 0; i < r->traced[s].ops; i++) {
            import_op *op = &r->found.op[r->traced[s].of[i]];
            if (!is_moved(&r->traced[s].op[i])) continue;
            op->start_s = op->end_s - r->traced[s].op[i].duration_s;
        }
}

/* Times of a step by resource: what predict is given beside the step itself. */
static void mean_times(import_run *r)
{
    double sum[SGDSIM_RESOURCES] = {0.0, 0.0, 0.0, 0.0};
    size_t s, i;
    for (s = 0; s < r->found.steps; s++)
        for (i = 0; i < r->traced[s].ops; i++)
            sum[r->traced[s].op[i].resource] += r->traced[s].op[i].duration_s;
    for (i = 0; i < SGDSIM_RESOURCES; i++) sum[i] /= (double)r->found.steps;
    memset(&r->job, 0, sizeof r->job);
    r->job.compute.forward_s = sum[SGDSIM_WORKER];
    r->job.compute.update_s = sum[SGDSIM_SERVER];
    r->job.links.uplink_s = sum[SGDSIM_UPLINK];
    r->job.links.downlink_s = sum[SGDSIM_DOWNLINK];
    r->job.compute.one_worker_step_s = r->mean.step_s;
    r->has_job = 1;
}

/* Of a step's transfers with a size and a time those that waited for no other one: behind
 * another, parsing is hidden by the next transfer. Adds all to *moved and *time_s. */
static size_t add_alone(const import_run *r, size_t step, double *bytes, double *service_s,
                        double *moved, double *time_s)
{
    const import_traced *t = &r->traced[step];
    size_t n = 0, i, k;
    for (i = 0; i < t->ops; i++) {
        const sgdsim_op *op = &t->op[i];
        const double start_s = r->found.op[t->of[i]].start_s;
        if (!is_moved(op) || !(op->bytes > 0.0) || !(op->duration_s > 0.0)) continue;
        *moved += op->bytes;
        *time_s += op->duration_s;
        for (k = i; k > 0; k--) {      /* the one before it on its link */
            const sgdsim_op *other = &t->op[k - 1];
            if (other->resource == op->resource && other->server == op->server) break;
        }
        if (k > 0 && !(start_s > r->found.op[t->of[k - 1]].end_s + 1e-3 * op->duration_s)) continue;
        bytes[n] = op->bytes;
        service_s[n++] = op->duration_s;
    }
    return n;
}

/* The bandwidth at which transfers take their time; with a given one, what parsing adds
 * to it [LYPG20, 3.2.1]. */
static void fit_link(import_run *r, double given)
{
    size_t n = 0, most = 0, s;
    double *bytes, *service_s, moved = 0.0, time_s = 0.0;
    for (s = 0; s < r->found.steps; s++) most += r->traced[s].ops;
    bytes = (double *)tool_alloc(most, sizeof *bytes);
    service_s = (double *)tool_alloc(most, sizeof *service_s);
    for (s = 0; s < r->found.steps; s++)
        n += add_alone(r, s, bytes + n, service_s + n, &moved, &time_s);
    r->link_bytes_per_s = given > 0.0 ? given : time_s > 0.0 ? moved / time_s : 0.0;
    r->has_overhead = given > 0.0 && n > 0 &&
                      sgdsim_overhead_fit(bytes, service_s, n, given, &r->overhead) == SGDSIM_OK;
}

/* Each profiled step once, by one worker. */
static void replay_alone(import_run *r)
{
    const size_t steps = r->found.steps;
    sgdsim_step *step = (sgdsim_step *)tool_alloc(steps, sizeof *step);
    uint32_t *sequence = (uint32_t *)tool_alloc(steps, sizeof *sequence);
    const uint32_t one = 1;
    sgdsim_trace trace;
    sgdsim_config run;
    sgdsim_result out;
    size_t bytes = 0, i;
    memset(&run, 0, sizeof run);
    memset(&out, 0, sizeof out);
    run.servers.count = r->servers;
    for (i = 0; i < steps; i++) {
        step[i].op = r->traced[i].op;
        step[i].ops = r->traced[i].ops;
        sequence[i] = (uint32_t)i;
    }
    trace.step = step;
    trace.steps = steps;
    run.workers.types = 1;
    run.workers.trace = &trace;
    run.workers.count = &one;
    run.links.bandwidth_bytes_per_s = r->link_bytes_per_s > 0.0 ? r->link_bytes_per_s : 1e300;
    run.transfers.overhead = r->has_overhead ? &r->overhead : NULL;
    run.length.steps = steps;
    run.variation.sequence = sequence;
    if (sgdsim_run_bytes(&run, &bytes) != SGDSIM_OK) return;
    if (sgdsim_run(&run, tool_alloc(bytes, 1), bytes, &out) == SGDSIM_OK)
        r->replayed_s = out.makespan_s / (double)steps;
}

void import_serve(import_run *r, double bandwidth_bytes_per_s)
{
    move_starts(r);
    memset(&r->mean, 0, sizeof r->mean);
    r->collectives = 0;
    import_measure(r);
    mean_times(r);
    fit_link(r, bandwidth_bytes_per_s);
    replay_alone(r);
}
