/* timeline.c - a run as Chrome trace-event JSON
 *
 * Times in the file are microseconds. They are rounded to whole nanoseconds, so that an
 * operation that starts where another ends does so in the file as well. */
#include "cmd/simulate/simulate.h"

#include "options/options.h"

#include <math.h>
#include <stdio.h>

/* A multiplexed link is under way with several transfers at once, whose slices overlap:
 * they go to parallel threads, numbered from the resource's own. */
enum { TIMELINE_LANES = 64 };

/* Dependencies of a traced step by the op waited for. Edges are numbered through, in
 * the order of waits_for of all ops. */
typedef struct timeline_graph {
    size_t *first;            /* [ops + 1] into edge                                */
    size_t *edge;             /* [edges]                                            */
    size_t *waits;            /* [ops] the first edge of what an op waits for       */
} timeline_graph;

struct timeline {
    out_file            *out;
    FILE                *file;  /* of `out`                                         */
    const sgdsim_config *run;
    const simulation    *of;  /* whose configuration that is                        */
    timeline_graph     **graph; /* [types][steps of the trace]                      */
    size_t               edges; /* most of any step                                 */
    size_t               queues; /* resources of a worker, each server's apart      */
    double              *free_s; /* [workers][queues][lanes] since when; < 0: unused*/
    output               line;  /* under construction                               */
    int                  written;
};

static const char *const colours[SGDSIM_RESOURCES] = { /* Chrome's names */
    [SGDSIM_DOWNLINK] = "rail_response", [SGDSIM_WORKER] = "rail_load",
    [SGDSIM_UPLINK] = "rail_idle", [SGDSIM_SERVER] = "rail_animation"
};

/* ---- Writing --------------------------------------------------------------- */

static void begin(timeline *t, const char *kind, const char *name, uint32_t worker)
{
    t->line.length = 0;
    json_object(&t->line, NULL);
    json_string(&t->line, "ph", kind);
    json_string(&t->line, "name", name);
    json_integer(&t->line, "pid", (uint64_t)worker + 1); /* 0 is the idle process */
}

static void end(timeline *t)
{
    json_end(&t->line);
    fputs(t->written ? "," : "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", t->file);
    fwrite(t->line.text, 1, t->line.length, t->file);
    t->written = 1;
}

static double nanoseconds(double time_s) { return floor(time_s * 1e9 + 0.5); }

static void put_time(timeline *t, const char *key, double time_ns)
{
    output_print(&t->line, ",\"%s\":%.3f", key, time_ns / 1e3);
}

/* A name and a rank of a process, or of its thread `tid`, from 1. */
static void put_row(timeline *t, uint32_t worker, size_t tid, const char *name, uint64_t rank)
{
    for (int ranks = 0; ranks < 2; ranks++) {
        begin(t, "M", tid == 0 ? ranks ? "process_sort_index" : "process_name"
                               : ranks ? "thread_sort_index" : "thread_name", worker);
        json_object(&t->line, "args");
        if (ranks) json_integer(&t->line, "sort_index", rank);
        else json_string(&t->line, "name", name);
        json_end(&t->line);
        if (tid > 0) json_integer(&t->line, "tid", tid);
        end(t);
    }
}

/* ---- Threads --------------------------------------------------------------- */

/* Downlinks, the worker, uplinks and servers, in this order. */
static size_t queue_of(const timeline *t, const sgdsim_event *e)
{
    const size_t servers = t->run->servers.count;
    switch (e->resource) {
    case SGDSIM_DOWNLINK: return e->server;
    case SGDSIM_WORKER: return servers;
    case SGDSIM_UPLINK: return servers + 1 + e->server;
    default: return 2 * servers + 1 + e->server;
    }
}

static void name_thread(timeline *t, const sgdsim_event *e, size_t thread, size_t lane)
{
    char server[32] = "", again[32] = "", name[96];
    if (t->run->servers.count > 1 && e->resource != SGDSIM_WORKER)
        snprintf(server, sizeof server, " %lu", (unsigned long)e->server);
    if (lane > 0) snprintf(again, sizeof again, " (%lu)", (unsigned long)lane + 1);
    snprintf(name, sizeof name, "%s%s%s", trace_resource_text(e->resource), server, again);
    put_row(t, e->worker, thread, name, thread);
}

/* The op's thread, from 1: on the first lane that is free since before its start. */
static size_t thread_of(timeline *t, const sgdsim_event *e)
{
    const size_t queue = queue_of(t, e);
    double *free_s = t->free_s + (e->worker * t->queues + queue) * TIMELINE_LANES;
    size_t lane = 0, thread;
    while (lane + 1 < TIMELINE_LANES && free_s[lane] > e->start_s) lane++;
    thread = 1 + queue * TIMELINE_LANES + lane;
    if (free_s[lane] < 0.0) name_thread(t, e, thread, lane);
    free_s[lane] = e->end_s;
    return thread;
}

/* ---- Operations ------------------------------------------------------------ */

static size_t type_of(const timeline *t, uint32_t worker)
{
    size_t type = 0;
    while (worker >= t->run->workers.count[type]) worker -= t->run->workers.count[type++];
    return type;
}

/* The transfer that an overhead op belongs to: they follow the ops, in their order. */
static size_t transfer_of(const sgdsim_step *step, size_t op)
{
    size_t rank = op - step->ops;
    for (size_t i = 0; i < step->ops; i++) {
        const sgdsim_resource r = step->op[i].resource;
        if ((r == SGDSIM_DOWNLINK || r == SGDSIM_UPLINK) && rank-- == 0) return i;
    }
    return 0;
}

static void put_op(timeline *t, const sgdsim_event *e, size_t thread)
{
    const size_t type = type_of(t, e->worker);
    const sgdsim_step *step = &t->run->workers.trace[type].step[e->traced_step];
    const int overhead = e->op >= step->ops;
    const size_t op = overhead ? transfer_of(step, e->op) : e->op;
    const trace_file *trace = &t->of->traces[type];
    const char *name = trace_name(trace, e->traced_step,
                                  jobs_op(&trace->trace.step[e->traced_step], op));
    const double start_ns = nanoseconds(e->start_s), end_ns = nanoseconds(e->end_s);
    char number[32];
    snprintf(number, sizeof number, "op %lu", (unsigned long)op);
    begin(t, "X", *name ? name : number, e->worker);
    json_integer(&t->line, "tid", thread);
    put_time(t, "ts", start_ns);
    put_time(t, "dur", end_ns - start_ns);
    json_string(&t->line, "cat", overhead ? "overhead" : trace_resource_text(e->resource));
    json_string(&t->line, "cname", overhead ? "grey" : colours[e->resource]);
    json_object(&t->line, "args");
    json_integer(&t->line, "step", e->step);
    json_integer(&t->line, "traced_step", e->traced_step);
    json_integer(&t->line, "op", e->op);
    json_number(&t->line, "waited_s", e->start_s - e->ready_s);
    json_end(&t->line);
    end(t);
}

/* One end of an arrow; it binds to the slice that encloses its time. */
static void put_arrow(timeline *t, const sgdsim_event *e, size_t thread, size_t edge, int head)
{
    const uint64_t instance = (uint64_t)e->step * t->of->workers + e->worker;
    const double start_ns = nanoseconds(e->start_s), last_ns = nanoseconds(e->end_s) - 1.0;
    begin(t, head ? "f" : "s", "dependency", e->worker);
    json_integer(&t->line, "tid", thread);
    put_time(t, "ts", head || last_ns < start_ns ? start_ns : last_ns);
    json_string(&t->line, "cat", "dependency");
    json_integer(&t->line, "id", instance * t->edges + edge);
    if (head) json_string(&t->line, "bp", "e");
    end(t);
}

void timeline_op(void *ctx, const sgdsim_event *e)
{
    timeline *t = (timeline *)ctx;
    const size_t type = type_of(t, e->worker), thread = thread_of(t, e);
    const sgdsim_step *step = &t->run->workers.trace[type].step[e->traced_step];
    const timeline_graph *graph = &t->graph[type][e->traced_step];
    const sgdsim_op *op = step->op + e->op;
    put_op(t, e, thread);
    if (e->op >= step->ops) return;
    for (size_t i = 0; i < op->waits; i++)
        put_arrow(t, e, thread, graph->waits[e->op] + i, 1);
    for (size_t i = graph->first[e->op]; i < graph->first[e->op + 1]; i++)
        put_arrow(t, e, thread, graph->edge[i], 0);
}

/* ---- Files ----------------------------------------------------------------- */

static void build_graph(timeline *t, const sgdsim_step *step, timeline_graph *graph)
{
    size_t edges = 0, i, edge;
    size_t *fill = (size_t *)tool_alloc(step->ops + 1, sizeof *fill);
    graph->first = (size_t *)tool_alloc(step->ops + 1, sizeof *graph->first);
    for (i = 0; i < step->ops; i++)
        for (size_t k = 0; k < step->op[i].waits; k++, edges++)
            graph->first[step->op[i].waits_for[k] + 1]++;
    for (i = 0; i < step->ops; i++) {
        graph->first[i + 1] += graph->first[i];
        fill[i] = graph->first[i];
    }
    graph->edge = (size_t *)tool_alloc(edges, sizeof *graph->edge);
    graph->waits = (size_t *)tool_alloc(step->ops, sizeof *graph->waits);
    for (i = 0, edge = 0; i < step->ops; i++) {
        graph->waits[i] = edge;
        for (size_t k = 0; k < step->op[i].waits; k++)
            graph->edge[fill[step->op[i].waits_for[k]]++] = edge++;
    }
    if (edges > t->edges) t->edges = edges;
}

/* A process a worker; of a ring one that stands for all. */
static void name_workers(timeline *t)
{
    const sim_jobs *jobs = t->of->jobs;
    uint32_t worker = 0, in_job = 0;
    for (size_t type = 0; type < t->run->workers.types; type++) {
        const sim_job *job = jobs ? &jobs->job[jobs->of[type]] : NULL;
        if (job && job->first == type) in_job = 0;
        for (uint32_t k = 0; k < t->run->workers.count[type]; k++, worker++, in_job++) {
            const char *name =
                job && job->mode == MODE_ALLREDUCE
                    ? tool_text("%s: each of %lu workers", job->name, (unsigned long)job->workers)
                : job ? tool_text("%s: worker %lu", job->name, (unsigned long)in_job)
                      : tool_text("worker %lu", (unsigned long)worker);
            put_row(t, worker, 0, name, worker);
        }
    }
}

timeline *timeline_open(const char *path, const simulation *s)
{
    const sgdsim_config *run = &s->config;
    timeline *t = (timeline *)tool_alloc(1, sizeof *t);
    size_t type, i, lanes;
    uint32_t worker = 0;
    t->run = run;
    t->of = s;
    t->queues = 3 * (size_t)run->servers.count + 1;
    t->graph = (timeline_graph **)tool_alloc(run->workers.types, sizeof *t->graph);
    for (type = 0; type < run->workers.types; type++) {
        const sgdsim_trace *trace = &run->workers.trace[type];
        t->graph[type] = (timeline_graph *)tool_alloc(trace->steps, sizeof **t->graph);
        for (i = 0; i < trace->steps; i++) build_graph(t, &trace->step[i], &t->graph[type][i]);
        worker += run->workers.count[type];
    }
    lanes = worker * t->queues * TIMELINE_LANES;
    t->free_s = (double *)tool_alloc(lanes, sizeof *t->free_s);
    for (i = 0; i < lanes; i++) t->free_s[i] = -1.0;
    t->out = out_open(NAME_OF(TIMELINE), path);
    t->file = out_stream(t->out);
    name_workers(t);
    return t;
}

/* ---- Pipelines --------------------------------------------------------------- */

/* Threads of a device: passes, transfers to the next and to the previous one, exchanges. */
static const char *const device_threads[] = {"passes", "to next", "to previous", "exchange"};

timeline *timeline_open_devices(const char *path, uint32_t devices)
{
    timeline *t = (timeline *)tool_alloc(1, sizeof *t);
    t->out = out_open(NAME_OF(TIMELINE), path);
    t->file = out_stream(t->out);
    for (uint32_t d = 0; d < devices; d++) {
        char name[32];
        snprintf(name, sizeof name, "device %lu", (unsigned long)d);
        put_row(t, d, 0, name, d);
        for (size_t i = 0; i < COUNT_OF(device_threads); i++)
            put_row(t, d, i + 1, device_threads[i], i + 1);
    }
    return t;
}

void timeline_span(void *ctx, const sgdpar_span *span)
{
    static const struct { const char *letter, *colour; size_t thread; } as[] = {
        [SGDPAR_ACTIVITY_FORWARD] = {"F", "rail_load", 1},
        [SGDPAR_ACTIVITY_BACKWARD] = {"B", "rail_response", 1},
        [SGDPAR_ACTIVITY_WEIGHT] = {"W", "rail_animation", 1},
        [SGDPAR_ACTIVITY_NEXT] = {"F", "rail_idle", 2},
        [SGDPAR_ACTIVITY_PREVIOUS] = {"B", "rail_idle", 3},
        [SGDPAR_ACTIVITY_EXCHANGE] = {"G", "rail_idle", 4},
        [SGDPAR_ACTIVITY_UPDATE] = {"U", "grey", 1}
    };
    timeline *t = (timeline *)ctx;
    const double start_ns = nanoseconds(span->start_s);
    char name[32];
    snprintf(name, sizeof name, "%s%lu", as[span->what].letter,
             (unsigned long)(as[span->what].thread < 4 ? span->micro_batch : span->stage));
    begin(t, "X", name, span->device);
    json_integer(&t->line, "tid", as[span->what].thread);
    put_time(t, "ts", start_ns);
    put_time(t, "dur", nanoseconds(span->end_s) - start_ns);
    json_string(&t->line, "cat", sgdpar_activity_text(span->what));
    json_string(&t->line, "cname", as[span->what].colour);
    json_object(&t->line, "args");
    json_integer(&t->line, "stage", span->stage);
    json_integer(&t->line, "micro_batch", span->micro_batch);
    json_end(&t->line);
    end(t);
}

void timeline_close(timeline *t)
{
    fputs("]}\n", t->file);
    out_commit(t->out);
}
