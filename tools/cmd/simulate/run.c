/* run.c - the simulations of sgdperf simulate */
#include "cmd/simulate/simulate.h"
#include "cmd/simulate/timeline.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

/* ---- Watching operations --------------------------------------------------- */

typedef struct watcher {
    timeline *timeline;       /* NULL: none                                         */
    size_t    done, total;    /* operations; total is an estimate, 0: not counted   */
} watcher;

enum { WATCH_EVERY = 1 << 16, WATCH_FROM = 10000000 }; /* operations */

static void watch(void *ctx, const sgdsim_event *event)
{
    watcher *w = (watcher *)ctx;
    char what[64];
    if (w->timeline) timeline_op(w->timeline, event);
    if (w->total == 0 || ++w->done % WATCH_EVERY != 0 || w->done >= w->total) return;
    snprintf(what, sizeof what, "simulate, %.1f million operations/s",
             (double)w->done / ((double)clock() / (double)CLOCKS_PER_SEC) / 1e6);
    tool_progress(what, w->done, w->total);
}

/* Operations of all runs, if all profiled steps are as likely. */
static double operations(const simulation *s)
{
    double sum = 0.0;
    size_t i;
    for (i = 0; i < s->config.types; i++)
        sum += (double)s->traces[i].file->rows / (double)s->config.trace[i].steps
             * s->config.workers[i];
    return sum * (double)s->config.steps * (double)s->runs * (s->link == LINK_AVERAGE ? 2 : 1);
}

/* ---- One point ------------------------------------------------------------- */

/* Where the results of runs go. */
typedef struct taker {
    simulation *simulation;
    watcher    *watcher;
    double     *throughput;   /* [runs] means over the links                        */
    size_t      links;
} taker;

/* Room for a run with any of the links. */
static void *workspace(simulation *s, const sgdsim_link *link, size_t links, size_t *bytes)
{
    size_t i, need = 0;
    for (i = 0, *bytes = 0; i < links; i++) {
        sgdsim_status status;
        s->config.link = link[i];
        status = sgdsim_run_bytes(&s->config, &need);
        if (status != SGDSIM_OK) tool_fail("simulate: %s", sgdsim_status_text(status));
        if (need > *bytes) *bytes = need;
    }
    return tool_alloc(*bytes, 1);
}

/* One run's part of the means over `count`. */
static void add_run(simulation *s, const sgdsim_result *out, double count)
{
    size_t type, r;
    uint32_t i, w = 0;
    s->makespan_s += out->makespan_s / count;
    s->events += out->events;
    for (r = 0; r < SGDSIM_RESOURCES; r++) s->utilization[r] += out->utilization[r] / count;
    for (type = 0; type < s->config.types; type++)
        for (i = 0; i < s->config.workers[type]; i++, w++) {
            const double part = count * s->config.workers[type];
            sgdsim_waiting *mean = &s->spent[type];
            mean->computing_s += out->waiting[w].computing_s / part;
            mean->downlink_s += out->waiting[w].downlink_s / part;
            mean->uplink_s += out->waiting[w].uplink_s / part;
            mean->server_s += out->waiting[w].server_s / part;
            mean->barrier_s += out->waiting[w].barrier_s / part;
        }
}

static void take_run(void *ctx, uint64_t run, sgdsim_result *result)
{
    taker *t = (taker *)ctx;
    t->throughput[run] += result->batches_per_s / (double)t->links;
    add_run(t->simulation, result, (double)t->simulation->runs * (double)t->links);
    result->step_end_s = NULL;                     /* of the first run alone */
    if (t->watcher->timeline) timeline_close(t->watcher->timeline);
    t->watcher->timeline = NULL;
}

static void run_link(simulation *s, void *work, size_t bytes, taker *t)
{
    sgdsim_replications out = {0};
    sgdsim_status status;
    out.result.step_end_s = s->step_end_s;
    out.result.waiting =
        (sgdsim_waiting *)tool_alloc(s->workers, sizeof *out.result.waiting);
    out.on_run = take_run;
    out.on_run_ctx = t;
    status = sgdsim_replicate(&s->config, s->runs, work, bytes, &out);
    if (status == SGDSIM_BAD_ARGUMENT) tool_fail("simulate: times are too large");
    if (status != SGDSIM_OK) tool_fail("simulate: %s", sgdsim_status_text(status));
}

static void run_point(simulation *s)
{
    static const sgdsim_link both[] = {SGDSIM_LINK_EQUAL, SGDSIM_LINK_FCFS};
    const sgdsim_link usual = s->config.link;
    const sgdsim_link *link = s->link == LINK_AVERAGE ? both : &usual;
    const double total = operations(s);
    sgdsim_estimate estimate;
    watcher w = {0};
    taker t = {0};
    size_t bytes, i;
    void *work;
    if (total >= WATCH_FROM && tool_shows_progress()) w.total = (size_t)total;
    s->config.on_op = s->timeline || w.total > 0 ? watch : NULL;
    s->config.on_op_ctx = &w;
    t.simulation = s;
    t.watcher = &w;
    t.throughput = (double *)tool_alloc(s->runs, sizeof *t.throughput);
    t.links = s->link == LINK_AVERAGE ? COUNT_OF(both) : 1;
    work = workspace(s, link, t.links, &bytes);
    s->spent = (sgdsim_waiting *)tool_alloc(s->config.types, sizeof *s->spent);
    if (s->step_ends)
        s->step_end_s = (double *)tool_alloc(s->config.steps, s->workers * sizeof(double));
    if (s->timeline) w.timeline = timeline_open(s->timeline, &s->config, s->traces);
    for (i = 0; i < t.links; i++) {
        s->config.link = link[i];
        run_link(s, work, bytes, &t);
    }
    if (w.total > 0) tool_progress("simulate", w.total, w.total);
    if (sgdsim_estimate_mean(t.throughput, (size_t)s->runs, &estimate) != SGDSIM_OK)
        tool_fail("simulate: times are too small");
    if (sgdsim_find_rates(t.throughput, (size_t)s->runs, &s->rates) != SGDSIM_OK)
        tool_fail("simulate: times are too small");
    s->batches_per_s = estimate.mean;
    s->ci95_half_width = simulate_is_drawn(s) ? estimate.ci95_half_width : HUGE_VAL;
}

simulation *simulate_run(const simulation *s)
{
    simulation *point = (simulation *)tool_alloc(s->points, sizeof *point);
    size_t i;
    for (i = 0; i < s->points; i++) {
        point[i] = *s;
        if (s->sweep) {
            point[i].workers = s->sweep[i];
            point[i].config.workers = &s->sweep[i];
        }
        point[i].config.warmup = simulate_warmup(s, point[i].workers);
        run_point(&point[i]);
    }
    return point;
}
