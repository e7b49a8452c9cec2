/* run.c - the simulations of sgdperf simulate */
#include "jobs/parallel.h"
#include "base/progress.h"
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

/* Operations of a run, if all profiled steps are as likely. */
static double operations(const simulation *s)
{
    double sum = 0.0;
    size_t i;
    for (i = 0; i < s->config.workers.types; i++)
        sum += (double)s->traces[i].file->rows / (double)s->config.workers.trace[i].steps
             * (s->collectives ? 1 : s->config.workers.count[i]);
    return sum * (double)s->config.length.steps;
}

/* ---- Runs ------------------------------------------------------------------ */

static const sgdsim_link both[] = {SGDSIM_LINK_EQUAL, SGDSIM_LINK_FCFS};

static size_t links_of(const simulation *s)
{
    return s->link == LINK_AVERAGE ? COUNT_OF(both) : 1;
}

/* What is told of a run. */
typedef struct run_report {
    double   batches_per_s, makespan_s;
    uint64_t events;
    double   utilization[SGDSIM_RESOURCES];
    collectives_report exchanged;
    sgdsim_waiting spent[];   /* [types] of one worker, the mean                    */
} run_report;

static size_t report_bytes(const simulation *s)
{
    return sizeof(run_report) + s->config.workers.types * sizeof(sgdsim_waiting);
}

/* The runs of all points: of each, by link, then by number. */
typedef struct run_list {
    simulation *point;        /* [points]                                           */
    size_t      of_each;      /* runs of a point, over all links                    */
    size_t      first;        /* of those that are dealt                            */
    int         alone;        /* there is only one run: it tells how far it is      */
} run_list;

static void report_run(const simulation *s, const sgdsim_result *out, run_report *to)
{
    size_t type, r;
    uint32_t i, w = 0;
    to->batches_per_s = out->batches_per_s;
    to->makespan_s = out->makespan_s;
    to->events = out->events;
    for (r = 0; r < SGDSIM_RESOURCES; r++) to->utilization[r] = out->utilization[r];
    for (type = 0; type < s->config.workers.types; type++)
        for (i = 0; i < s->config.workers.count[type]; i++, w++) {
            const double part = s->config.workers.count[type];
            sgdsim_waiting *mean = &to->spent[type];
            mean->computing_s += out->waiting[w].computing_s / part;
            mean->downlink_s += out->waiting[w].downlink_s / part;
            mean->uplink_s += out->waiting[w].uplink_s / part;
            mean->server_s += out->waiting[w].server_s / part;
            mean->barrier_s += out->waiting[w].barrier_s / part;
        }
}

static void check(const simulation *s, sgdsim_status status, const collectives_report *exchanged)
{
    if (status == SGDSIM_BAD_ARGUMENT) simulate_fail_large(s, exchanged, "simulate");
    if (status != SGDSIM_OK) tool_fail("simulate: %s", sgdsim_status_text(status));
}

/* The run of a number, as sgdsim_replicate has it. */
static void run_one(const simulation *s, size_t link, uint64_t run, watcher *w, run_report *to)
{
    sgdsim_config config = s->config;
    sgdsim_result out = {0};
    size_t bytes = 0;
    if (s->link == LINK_AVERAGE) config.links.rule = both[link];
    if (run > 0) config.variation.seed = sgdsim_random(s->config.variation.seed, run, 0, 0);
    config.watch.on_op = w->timeline || w->total > 0 ? watch : NULL;
    config.watch.ctx = w;
    out.step_end_s = run == 0 ? s->step_end_s : NULL;
    out.waiting = (sgdsim_waiting *)tool_alloc(s->workers, sizeof *out.waiting);
    if (s->collectives) {
        check(s, collectives_run(s->collectives, &config, &out, &to->exchanged), &to->exchanged);
    } else {
        check(s, sgdsim_run_bytes(&config, &bytes), NULL);
        check(s, sgdsim_run(&config, tool_alloc(bytes, 1), bytes, &out), NULL);
    }
    report_run(s, &out, to);
}

/* parallel_task */
static void run_task(void *ctx, size_t i, void *result)
{
    const run_list *list = (const run_list *)ctx;
    const size_t run = i + list->first;
    const simulation *s = &list->point[run / list->of_each];
    const size_t of_point = run % list->of_each;
    const double total = operations(s);
    watcher w = {0};
    if (list->alone && total >= WATCH_FROM && tool_shows_progress()) w.total = (size_t)total;
    run_one(s, of_point / (size_t)s->runs, of_point % s->runs, &w, (run_report *)result);
    if (w.total > 0) tool_progress("simulate", w.total, w.total);
}

/* The first run, whose operations and ends of steps are wanted: it has a file to write. */
static void run_first(simulation *s, run_report *to)
{
    watcher w = {0};
    const double total = operations(s);
    if (s->step_ends)
        s->step_end_s = (double *)tool_alloc(s->config.length.steps, s->workers * sizeof(double));
    if (s->timeline) w.timeline = timeline_open(s->timeline, &s->config, s->traces);
    if (total >= WATCH_FROM && tool_shows_progress()) w.total = (size_t)total;
    run_one(s, 0, 0, &w, to);
    if (s->timeline) timeline_close(w.timeline);
    if (w.total > 0) tool_progress("simulate", w.total, w.total);
}

/* ---- Points ---------------------------------------------------------------- */

/* One run's part of the means over `count`. */
static void add_run(simulation *s, const run_report *out, double count)
{
    size_t type, r;
    s->makespan_s += out->makespan_s / count;
    s->events += out->events;
    s->exchanged.count = out->exchanged.count;
    s->exchanged.exchange_s = out->exchanged.exchange_s;
    for (r = 0; r < SGDSIM_LEVELS; r++)
        s->exchanged.link_utilization[r] += out->exchanged.link_utilization[r] / count;
    for (r = 0; r < SGDSIM_RESOURCES; r++) s->utilization[r] += out->utilization[r] / count;
    for (type = 0; type < s->config.workers.types; type++) {
        sgdsim_waiting *mean = &s->spent[type];
        mean->computing_s += out->spent[type].computing_s / count;
        mean->downlink_s += out->spent[type].downlink_s / count;
        mean->uplink_s += out->spent[type].uplink_s / count;
        mean->server_s += out->spent[type].server_s / count;
        mean->barrier_s += out->spent[type].barrier_s / count;
    }
}

/* reports: of this point's runs */
static void sum_up(simulation *s, const char *reports, size_t of_each)
{
    double *throughput = (double *)tool_alloc(s->runs, sizeof *throughput);
    const double links = (double)links_of(s);
    sgdsim_estimate estimate;
    size_t i;
    s->spent = (sgdsim_waiting *)tool_alloc(s->config.workers.types, sizeof *s->spent);
    for (i = 0; i < of_each; i++) {
        const run_report *one = (const run_report *)(const void *)(reports + i * report_bytes(s));
        throughput[i % s->runs] += one->batches_per_s / links;
        add_run(s, one, (double)s->runs * links);
    }
    if (sgdsim_estimate_mean(throughput, (size_t)s->runs, &estimate) != SGDSIM_OK)
        tool_fail("simulate: times are too small");
    if (sgdsim_find_rates(throughput, (size_t)s->runs, &s->rates) != SGDSIM_OK)
        tool_fail("simulate: times are too small");
    s->batches_per_s = estimate.mean;
    s->ci95_half_width = simulate_is_drawn(s) ? estimate.ci95_half_width : HUGE_VAL;
    tool_free(throughput);
}

/* Runs of many workers take longest. */
static void expect(const run_list *list, size_t runs)
{
    double *cost = (double *)tool_alloc(runs, sizeof *cost);
    size_t i;
    for (i = list->first; i < runs; i++)
        cost[i - list->first] = list->point[i / list->of_each].workers;
    parallel_expect(cost);
}

simulation *simulate_run(const simulation *s)
{
    const size_t bytes = report_bytes(s), of_each = links_of(s) * (size_t)s->runs;
    simulation *point = (simulation *)tool_alloc(s->points, sizeof *point);
    char *reports = (char *)tool_alloc(s->points * of_each, bytes);
    run_list list = {0};
    size_t i;
    for (i = 0; i < s->points; i++) {
        point[i] = *s;
        if (s->sweep) {
            point[i].workers = s->sweep[i];
            point[i].config.workers.count = &s->sweep[i];
        }
        point[i].config.length.warmup = simulate_warmup(s, point[i].workers);
    }
    list.point = point;
    list.of_each = of_each;
    if (s->timeline || s->step_ends) {
        run_first(&point[0], (run_report *)(void *)reports);
        list.first = 1;
    }
    list.alone = s->points * of_each == 1;
    expect(&list, s->points * of_each);
    if (s->points * of_each > list.first)
        parallel_run(s->points * of_each - list.first, s->processes, run_task, &list,
                     reports + list.first * bytes, bytes, s->runs > 1 ? "runs" : "points");
    for (i = 0; i < s->points; i++) sum_up(&point[i], reports + i * of_each * bytes, of_each);
    return point;
}
