/* run.c - simulations of sgdperf cluster, one after the other or in parallel */
#include "base/digits.h"
#include "jobs/parallel.h"
#include "base/progress.h"
#include "cmd/cluster/cluster.h"
#include "cmd/rules.h"
#include "files/status.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double cluster_probability(size_t i)
{
    static const double quantile[CLUSTER_QUANTILES] = {0.5, 0.9, 0.95, 0.99};
    return i < CLUSTER_QUANTILES ? quantile[i]
                                 : (double)(i - CLUSTER_QUANTILES + 1) / 100.0;
}

/* ---- Progress -------------------------------------------------------------- */

enum { WATCH_EVERY = 256 };

/* What happens during a run: completions, and what the progress line says. */
typedef struct watcher {
    cluster *cluster;
    size_t   total;           /* departures at most, 0: nobody looks                */
    size_t   done;
    double   width;           /* of the interval of the mean, relative; 0: not yet  */
} watcher;

static void watch_estimate(void *ctx, uint64_t jobs, sgdsched_estimate response_s)
{
    watcher *w = (watcher *)ctx;
    (void)jobs;
    w->width = response_s.value > 0.0 ? response_s.half_width / response_s.value : 0.0;
}

/* From now on the job has so many nodes. */
static void hold(cluster_hold *h, double now_s, uint32_t nodes)
{
    h->node_s += h->nodes * (now_s - h->since_s);
    h->since_s = now_s;
    h->nodes = nodes;
    if (nodes > 0 && h->start_s < 0.0) h->start_s = now_s;
}

static void watch_change(void *ctx, double time_s, const sgdsched_change *change, size_t changes)
{
    const watcher *w = (const watcher *)ctx;
    char time[NUMBER_BYTES];
    for (size_t i = 0; i < changes; i++) {
        cluster_hold *h = &w->cluster->hold[change[i].job];
        hold(h, time_s, change[i].nodes);
        if (w->cluster->changes)
            output_print(&h->changes, "%s%s:%lu", h->changes.length > 0 ? " " : "",
                         number_write(time_s, time), (unsigned long)change[i].nodes);
    }
}

static void watch(void *ctx, const sgdsched_departure *d)
{
    watcher *w = (watcher *)ctx;
    char what[64] = "jobs";
    if (w->cluster->given) {
        w->cluster->completion_s[d->job] = d->time_s;
        hold(&w->cluster->hold[d->job], d->time_s, 0);
        w->cluster->cancelled[d->job] = (unsigned char)d->cancelled;
    }
    w->done++;
    if (w->total == 0 || w->done % WATCH_EVERY != 0 || w->done >= w->total) return;
    if (w->width > 0.0)
        snprintf(what, sizeof what, "interval +-%.1f %%, jobs", 100.0 * w->width);
    tool_progress(what, w->done, w->total);
}

/* ---- Queues that grow ------------------------------------------------------ */

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

cluster_growth cluster_grows(const cluster *c, double *until_s)
{
    enum { PARTS = 5, FEW = 500 };
    const size_t part = c->jobs / PARTS;
    double found[PARTS] = {0.0};
    size_t over = 0;
    int grows = c->jobs >= FEW;
    qsort(until_s, c->jobs, sizeof *until_s, compare_times);
    for (size_t i = 0; grows && i < part * PARTS; i++) {
        while (over < i && until_s[over] < c->arrival[i].time_s) over++;
        found[i / part] += (double)(i - over) / (double)part;
    }
    for (size_t i = 1; i < PARTS; i++) grows &= found[i] > found[i - 1];
    grows &= found[PARTS - 1] > 2.0 * found[0] && found[PARTS - 1] > found[0] + 1.0;
    return grows ? (cluster_growth){found[0], found[PARTS - 1]} : (cluster_growth){0.0, 0.0};
}

void cluster_note_growth(const char *policy, const char *found, cluster_growth g)
{
    if (g.last > 0.0)
        tool_note("queue-grows",
                  "waits grow along the log under %s: an arriving job finds %.3g jobs %s in the "
                  "first fifth of the log, %.3g in the last; the means are those of a log of this "
                  "length, not of a steady state", policy, g.first, found, g.last);
}

static void keep_done(void *ctx, const sgdsched_departure *d)
{
    ((double *)ctx)[d->job] = d->time_s;
}

/* ---- Runs ------------------------------------------------------------------ */

typedef struct given_source { const cluster *cluster; size_t next; } given_source;

/* sgdsched_arrival_source */
static int next_given(void *ctx, sgdsched_arrival *next)
{
    given_source *g = (given_source *)ctx;
    if (g->next == g->cluster->jobs) return 0;
    *next = g->cluster->arrival[g->next++];
    return 1;
}

sgdsched_status cluster_simulate(const cluster *c, const cluster_point *point,
                                 const sgdsched_watch *watch, sgdsched_cluster_report *report)
{
    sgdsched_cluster run = c->base;
    given_source source = {c, 0};
    size_t bytes = 0;
    run.rules.policy = point->policy;
    run.rules.gamma = point->gamma;
    run.rules.alpha_by_load = point->load > 0.0;
    run.rules.load = point->load;
    run.chunk = point->chunk;
    if (watch) run.watch = *watch;
    if (c->given) {
        run.workload.source = next_given;
        run.workload.source_ctx = &source;
    } else {
        run.workload.load = point->load;
    }
    sgdsched_status status = sgdsched_cluster_run_bytes(&run, &bytes);
    if (status != SGDSCHED_OK) return status;
    void *work = tool_resize(NULL, bytes, 1);
    status = sgdsched_cluster_run(&run, work, bytes, report);
    tool_free(work);
    return status;
}

/* Without --cdf the percentiles of parts are not asked for. */
static size_t probabilities_of(const cluster *c)
{
    return c->base.parts > 0 && !c->cdf ? CLUSTER_QUANTILES : CLUSTER_PROBABILITIES;
}

/* Bytes of an outcome with its parts and their quantiles behind it. */
static size_t outcome_bytes(const cluster *c)
{
    return sizeof(cluster_outcome) +
           c->base.parts * (sizeof(sgdsched_part_report) +
                            probabilities_of(c) * sizeof(sgdsched_estimate));
}

/* Where they are. */
static void point_outcome(const cluster *c, cluster_outcome *out)
{
    const size_t quantiles = probabilities_of(c);
    out->part = (sgdsched_part_report *)(out + 1);
    sgdsched_estimate *at = (sgdsched_estimate *)(out->part + c->base.parts);
    for (size_t i = 0; i < c->base.parts; i++) out->part[i].quantile_s = at + i * quantiles;
}

/* `out` has outcome_bytes. */
static void run_point(const cluster *c, const cluster_point *point, watcher *w,
                      cluster_outcome *out)
{
    double probability[CLUSTER_PROBABILITIES];
    sgdsched_watch watching = {0};
    for (size_t i = 0; i < CLUSTER_PROBABILITIES; i++) probability[i] = cluster_probability(i);
    memset(out, 0, outcome_bytes(c));
    point_outcome(c, out);
    double *done_s = c->given ? (double *)tool_resize(NULL, c->jobs, sizeof *done_s) : NULL;
    watching.on_departure = w ? watch : done_s ? keep_done : NULL;
    watching.on_change = w && c->given ? watch_change : NULL;
    watching.on_estimate = w && w->total > 0 && !c->given ? watch_estimate : NULL;
    watching.ctx = w ? (void *)w : done_s;
    out->report.response.probability = probability;
    out->report.response.probabilities = probabilities_of(c);
    out->report.response.quantile_s = out->quantile_s;
    out->report.part = out->part;
    out->status = cluster_simulate(c, point, &watching, &out->report);
    if (done_s && w) memcpy(done_s, c->completion_s, c->jobs * sizeof *done_s);
    if (done_s && out->status == SGDSCHED_OK) out->growth = cluster_grows(c, done_s);
    tool_free(done_s);
    out->report.response.probability = NULL;
    out->report.response.quantile_s = NULL;
    out->report.part = NULL;
}

/* A run that lasts too long, with what may be the cause. */
TOOL_NORETURN static void fail_long(const cluster *c, const cluster_point *point)
{
    size_t largest = 0;
    char restart[60] = "";
    if (!c->given)
        tool_fail("--load: %g with %s %lu makes the simulated time longer than 1e140 s: give a "
                  "larger load or fewer --max-jobs", point->load, NAME_OF(NODES),
                  (unsigned long)c->base.rules.nodes);
    for (size_t i = 0; i < c->jobs; i++)
        if (c->arrival[i].size > c->arrival[largest].size) largest = i;
    if (c->base.restart_s > 0.0)
        snprintf(restart, sizeof restart, ", and --restart-cost is %g s", c->base.restart_s);
    tool_fail("cluster: the simulated time is longer than 1e140 s: job '%s' arrives at %g s, job "
              "'%s' has the largest size, %g%s", c->job[c->jobs - 1],
              c->arrival[c->jobs - 1].time_s, c->job[largest], c->arrival[largest].size, restart);
}

static void check(const cluster *c, const cluster_point *point, const cluster_outcome *out)
{
    if (out->status == SGDSCHED_TOO_LARGE) fail_long(c, point);
    if (out->status != SGDSCHED_NOT_CONVERGED) tool_check_sched(out->status, "cluster");
}

void cluster_run_one(cluster *c, const cluster_point *point, cluster_outcome *out)
{
    const uint64_t most = c->given ? c->jobs : c->base.stop.warmup_jobs + c->base.stop.max_jobs;
    watcher w = {.cluster = c};
    if (tool_shows_progress()) w.total = most < (size_t)-1 ? (size_t)most : (size_t)-1;
    c->completion_s = (double *)tool_alloc(c->jobs, sizeof *c->completion_s);
    c->cancelled = (unsigned char *)tool_alloc(c->jobs, sizeof *c->cancelled);
    c->hold = (cluster_hold *)tool_alloc(c->jobs, sizeof *c->hold);
    for (size_t i = 0; i < c->jobs; i++) c->hold[i].start_s = -1.0;
    cluster_outcome *it = (cluster_outcome *)tool_alloc(outcome_bytes(c), 1);
    run_point(c, point, c->given || w.total > 0 ? &w : NULL, it);
    *out = *it;                        /* its parts stay where they are               */
    if (w.total > 0) tool_progress("jobs", w.total, w.total);
    check(c, point, out);
}

/* parallel_task */
static void run_task(void *ctx, size_t i, void *result)
{
    const cluster *c = (const cluster *)ctx;
    run_point(c, &c->point[i], NULL, (cluster_outcome *)result);
}

void cluster_run_all(cluster *c, cluster_outcome *out)
{
    const size_t bytes = outcome_bytes(c);
    char *all = (char *)tool_alloc(c->points, bytes);
    double *cost = (double *)tool_alloc(c->points, sizeof *cost);
    for (size_t i = 0; i < c->points; i++) cost[i] = c->point[i].load;
    parallel_expect(cost);
    parallel_run(c->points, c->processes, run_task, c, all, bytes, "simulations");
    for (size_t i = 0; i < c->points; i++) {
        cluster_outcome *it = (cluster_outcome *)(void *)(all + i * bytes);
        point_outcome(c, it);          /* pointers of another process mean nothing    */
        out[i] = *it;
        check(c, &c->point[i], &out[i]);
    }
}

void cluster_note(const cluster *c, const cluster_point *point, const cluster_outcome *o)
{
    const sgdsched_estimate mean = o->report.response.mean_s;
    const char *policy = rules_policy_names[point->policy];
    if (!c->given) return;
    cluster_note_growth(policy, "that are not done", o->growth);
    if (mean.half_width <= DBL_MAX && mean.half_width >= mean.value && mean.value > 0.0)
        tool_note("wide-interval",
                  "the interval of mean_response_s is wider than the mean under %s: a few very "
                  "long jobs make it; compare the median", policy);
}

/* ---- The best chunk -------------------------------------------------------- */

/* How many points from `first` on differ in their chunks alone. */
static size_t count_chunks(const cluster *c, size_t first)
{
    size_t count = 1;
    while (first + count < c->points &&
           rules_have_queues(c->point[first].policy) &&
           rules_have_queues(c->point[first + count].policy) &&
           c->point[first + count].chunk == c->point[first].chunk + count)
        count++;
    return count;
}

/* One that is stable is better than one that is not; of stable ones that of the smaller mean
 * response time, of others that which lasted longer. */
static int is_better(const sgdsched_cluster_report *a, const sgdsched_cluster_report *b)
{
    const int unstable = a->outcome == SGDSCHED_UNSTABLE;
    if (unstable != (b->outcome == SGDSCHED_UNSTABLE)) return !unstable;
    return unstable ? a->end_s > b->end_s : a->response.mean_s.value < b->response.mean_s.value;
}

size_t cluster_best(const cluster *c, const cluster_outcome *out, size_t **best)
{
    size_t count = 0, i;
    *best = (size_t *)tool_alloc(c->points, sizeof **best);
    for (size_t first = 0; first < c->points; count++) {
        const size_t end = first + count_chunks(c, first);
        size_t *of = &(*best)[count];
        for (*of = first, i = first + 1; i < end; i++)
            if (is_better(&out[i].report, &out[*of].report)) *of = i;
        first = end;
    }
    return count;
}
