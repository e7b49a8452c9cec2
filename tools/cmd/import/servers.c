/* servers.c - a worker with parameter servers, traced with what waits for what: its
 * transfers, and the step again */
#include "cmd/import/run.h"
#include "files/transfers.h"

#include <string.h>

/* Transfers are asked for long before there is something to send: from here on they start
 * when they had the link. */
static void move_starts(import_run *r)
{
    for (size_t s = 0; s < r->found.steps; s++)
        for (size_t i = 0; i < r->traced[s].ops; i++) {
            import_op *op = &r->found.op[r->traced[s].of[i]];
            if (!import_is_moved(&r->traced[s].op[i])) continue;
            op->start_s = op->end_s - r->traced[s].op[i].duration_s;
        }
}

/* Times of a step by resource: what predict is given beside the step itself. */
static void mean_times(import_run *r)
{
    double sum[SGDSIM_RESOURCES] = {0.0, 0.0, 0.0, 0.0};
    for (size_t s = 0; s < r->found.steps; s++)
        for (size_t i = 0; i < r->traced[s].ops; i++)
            sum[r->traced[s].op[i].resource] += r->traced[s].op[i].duration_s;
    for (size_t i = 0; i < SGDSIM_RESOURCES; i++) sum[i] /= (double)r->found.steps;
    r->job = (sgdp_job){
        .compute = {.forward_s = sum[SGDSIM_WORKER], .update_s = sum[SGDSIM_SERVER],
                    .one_worker_step_s = r->mean.step_s},
        .links = {.uplink_s = sum[SGDSIM_UPLINK], .downlink_s = sum[SGDSIM_DOWNLINK]}
    };
    r->has_job = 1;
}

/* Of a step's transfers with a size and a time those that waited for no other one: behind
 * another, parsing is hidden by the next transfer. Adds all to *moved and *time_s. */
static size_t add_alone(const import_run *r, size_t step, double *bytes, double *service_s,
                        double *moved, double *time_s)
{
    const import_traced *t = &r->traced[step];
    size_t n = 0, k;
    for (size_t i = 0; i < t->ops; i++) {
        const sgdsim_op *op = &t->op[i];
        const double start_s = r->found.op[t->of[i]].start_s;
        if (!import_is_moved(op) || !(op->bytes > 0.0) || !(op->duration_s > 0.0)) continue;
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
    size_t n = 0, most = 0;
    double *bytes, *service_s, moved = 0.0, time_s = 0.0;
    sgdfit_straight line;
    for (size_t s = 0; s < r->found.steps; s++) most += r->traced[s].ops;
    bytes = tool_alloc(most, sizeof *bytes);
    service_s = tool_alloc(most, sizeof *service_s);
    for (size_t s = 0; s < r->found.steps; s++)
        n += add_alone(r, s, bytes + n, service_s + n, &moved, &time_s);
    r->link_bytes_per_s = given > 0.0 ? given : time_s > 0.0 ? moved / time_s : 0.0;
    r->has_overhead = given > 0.0 && n > 0 &&
                      transfers_fit(bytes, service_s, n, given, &line) == SGDFIT_OK;
    if (r->has_overhead) r->overhead = (sgdsim_overhead){line.slope, line.intercept};
}

void import_serve(import_run *r, double bandwidth_bytes_per_s)
{
    sgdsim_config run = {0};
    move_starts(r);
    r->collectives = 0;
    import_measure(r);
    mean_times(r);
    fit_link(r, bandwidth_bytes_per_s);
    run.servers.count = r->servers;
    run.links.bandwidth_bytes_per_s = r->link_bytes_per_s > 0.0 ? r->link_bytes_per_s : 1e300;
    run.transfers.overhead = r->has_overhead ? &r->overhead : NULL;
    r->replayed_s = import_replay(r, &run);
}
