/* jobs.c - sgdperf cluster: jobs that are given, of a table or a trace, and how many nodes
 * each may have */
#include "cmd/cluster/cluster.h"
#include "cmd/rules.h"

#include <string.h>

void cluster_read_curves(cluster *c, const args *a, uint32_t nodes)
{
    const char *curves = args_text(a, OPTION_CURVES, NULL);
    if (curves && !curves_built_in(&c->curves, curves, nodes))
        curves_read(&c->curves, curves, 0, "curve", "throughput");
}

void cluster_read_sharing(cluster *c, const args *a)
{
    const curve_set *set = &c->curves;
    if (!args_given(a, OPTION_NETWORK_SHARING)) return;
    if (!set->file)
        args_fail(OPTION_NETWORK_SHARING, NULL, "needs a table of %s with the column "
                  "network_share, not %s", NAME_OF(CURVES), args_text(a, OPTION_CURVES, ""));
    const int curve = csv_require(set->file, "curve"), nodes = csv_require(set->file, "nodes");
    const int column = csv_require(set->file, "network_share");
    double **share = (double **)tool_alloc(set->names.count, sizeof *share);
    for (size_t i = 0; i < set->names.count; i++)
        share[i] = (double *)tool_alloc(set->nodes[i], sizeof **share);
    for (size_t i = 0; i < set->file->rows; i++) {
        const size_t k = names_find(&set->names, csv_text(set->file, i, curve));
        const uint64_t n = csv_integer(set->file, i, nodes, 1, set->nodes[k]);
        share[k][n - 1] = csv_number(set->file, i, column, NUMBER_FRACTION);
    }
    c->link.share = (const double *const *)share;
    c->link.work = (double *)tool_alloc(c->base.rules.nodes, sizeof(double));
    c->base.workload.sharing = sgdsched_share_link;
    c->base.workload.sharing_ctx = &c->link;
}

/* ---- Tables ---------------------------------------------------------------- */

void cluster_take_jobs(cluster *c, size_t jobs)
{
    c->jobs = jobs;
    c->job = (const char **)tool_alloc(jobs, sizeof *c->job);
    c->arrival = (sgdsched_arrival *)tool_alloc(jobs, sizeof *c->arrival);
}

void cluster_find_columns(cluster_columns *at, const csv_table *t)
{
    static const char *const limits[CLUSTER_LIMITS] = {"min_nodes", "max_nodes", "gang_nodes"};
    CSV_REQUIRE(t, "job", "arrival_s");
    at->job = csv_require(t, "job");
    at->arrival = csv_require(t, "arrival_s");
    for (size_t i = 0; i < CLUSTER_LIMITS; i++) at->limit[i] = csv_column(t, limits[i]);
    csv_unique(t, &at->job, 1);
}

void cluster_take_row(cluster *c, const csv_table *t, size_t row, const cluster_columns *at,
                      const args *a)
{
    const uint32_t nodes = c->base.rules.nodes;
    sgdsched_arrival *to = &c->arrival[row];
    uint32_t *const limit[CLUSTER_LIMITS] = {&to->min_nodes, &to->max_nodes, &to->gang_nodes};
    c->job[row] = csv_text(t, row, at->job);
    to->time_s = csv_number(t, row, at->arrival, NUMBER_NON_NEGATIVE);
    if (row > 0 && to->time_s < to[-1].time_s)
        csv_fail(t, row, at->arrival, "%s is before %s of the row above: sort the jobs by arrival",
                 csv_text(t, row, at->arrival), csv_text(t, row - 1, at->arrival));
    to->curve = curves_of_row(&c->curves, t, row, at->curve, args_text(a, OPTION_CURVES, ""));
    for (size_t i = 0; i < CLUSTER_LIMITS; i++)
        *limit[i] = (uint32_t)csv_integer_or(t, row, at->limit[i], 1, UINT32_MAX, 0);
    if (to->min_nodes > nodes)
        csv_fail(t, row, at->limit[0], "%lu is more than the %lu nodes of the cluster",
                 (unsigned long)to->min_nodes, (unsigned long)nodes);
}

static void read_jobs(cluster *c, const args *a)
{
    const csv_table *t = csv_read(args_text(a, OPTION_JOBS, ""), 0);
    cluster_columns at;
    cluster_find_columns(&at, t);
    int size = csv_require(t, "size");
    at.curve = curves_column(&c->curves, t);
    cluster_take_jobs(c, t->rows);
    for (size_t i = 0; i < t->rows; i++) {
        c->arrival[i].size = csv_number(t, i, size, NUMBER_POSITIVE);
        cluster_take_row(c, t, i, &at, a);
    }
}

/* ---- Traces ---------------------------------------------------------------- */

uint32_t cluster_widest(const cluster *c, size_t *wider)
{
    uint32_t widest = c->base.rules.nodes;
    size_t i;
    for (*wider = i = 0; i < c->trace.jobs; i++) {
        const uint32_t n = c->trace.job[i].nodes;
        *wider += n > c->base.rules.nodes;
        if (n > widest) widest = n;
    }
    return widest;
}

void cluster_take_trace(cluster *c, uint32_t most)
{
    size_t n = 0, preceded = 0;
    cluster_take_jobs(c, c->trace.jobs);
    c->own = (uint32_t *)tool_alloc(c->jobs, sizeof *c->own);
    for (size_t i = 0; i < c->jobs; i++) {
        const jobtrace_job *from = &c->trace.job[i];
        if (from->nodes > most) continue;
        c->job[n] = names_text(&c->trace.names, from->name);
        c->own[n] = from->nodes;
        c->arrival[n].time_s = from->submit_s;
        preceded += (size_t)from->preceded;
        c->trace.job[n++] = *from;
    }
    c->jobs = c->trace.jobs = n;
    if (preceded > 0)
        tool_note("fields-not-read",
                  "%s: %lu job%s a preceding job (fields 17 and 18, think time): these fields are "
                  "ignored, and jobs arrive when the log says", c->trace_name,
                  (unsigned long)preceded, preceded == 1 ? " names" : "s name");
}

size_t cluster_trace_curve(const cluster *c, const args *a)
{
    const char *curve = args_text(a, OPTION_TRACE_CURVE, names_text(&c->curves.names, 0));
    const size_t found = names_find(&c->curves.names, curve);
    if (found == c->curves.names.count)
        args_fail(OPTION_TRACE_CURVE, curve, "is not a curve of "
                                             "%s", args_text(a, OPTION_CURVES, ""));
    return found;
}

/* A job of a trace is so large that the nodes that it had take the time that it ran. */
static void size_trace(cluster *c, const args *a)
{
    const size_t curve = cluster_trace_curve(c, a);
    cluster_take_trace(c, UINT32_MAX);
    for (size_t i = 0; i < c->jobs; i++) {
        const jobtrace_job *from = &c->trace.job[i];
        if (from->nodes > c->curves.nodes[curve])
            tool_fail("%s:%lu: job '%s' had %lu nodes, but curve '%s' ends at %lu nodes: add rows "
                      "to the curve, or use --curves linear",
                      c->trace_name, (unsigned long)from->line, c->job[i],
                      (unsigned long)from->nodes, names_text(&c->curves.names, curve),
                      (unsigned long)c->curves.nodes[curve]);
        c->arrival[i].curve = curve;
        c->arrival[i].size = from->run_s * c->curves.value[curve][from->nodes - 1];
    }
}

/* ---- All ------------------------------------------------------------------- */

void cluster_read_given(cluster *c, const args *a)
{
    const uint32_t nodes = c->base.rules.nodes;
    size_t wider;
    const uint32_t widest = cluster_widest(c, &wider);
    if (wider > 0)
        tool_note("jobs-cut",
                  "%lu of %lu jobs used more nodes than the %lu of the cluster, up to %lu, and "
                  "here "
                  "%s fewer",
                  (unsigned long)wider, (unsigned long)c->trace.jobs, (unsigned long)nodes,
                  (unsigned long)widest, wider == 1 ? "has" : "have");
    cluster_read_curves(c, a, widest);
    if (c->trace.jobs > 0) size_trace(c, a);
    else read_jobs(c, a);
    c->base.stop.max_present = c->jobs;
}

/* ---- Limits ---------------------------------------------------------------- */

/* What a job has that no option limits. */
static uint32_t or_one(uint32_t nodes) { return nodes > 0 ? nodes : 1; }

uint32_t cluster_most_nodes(const sgdsched_arrival *job, uint32_t nodes)
{
    const uint32_t most = job->max_nodes > 0 && job->max_nodes < nodes ? job->max_nodes : nodes;
    const uint32_t gang = or_one(job->gang_nodes);
    return most / gang * gang;
}

uint32_t cluster_least_nodes(const sgdsched_arrival *job)
{
    const uint64_t gang = or_one(job->gang_nodes);
    const uint64_t nodes = (or_one(job->min_nodes) + gang - 1) / gang * gang;
    return nodes < UINT32_MAX ? (uint32_t)nodes : UINT32_MAX;
}

/* The limits of the options. */
typedef struct limits {
    uint32_t min_nodes, max_nodes, gang_nodes; /* 0: not given                      */
    int      own;             /* at most as many as the job had, or needs           */
} limits;

static void read_limits(limits *l, const args *a, uint32_t nodes)
{
    l->own = strcmp(args_text(a, OPTION_MAX_NODES, ""), "own") == 0;
    l->min_nodes = (uint32_t)args_integer(a, OPTION_MIN_NODES, 1, nodes, 0);
    l->max_nodes = l->own ? 0 : (uint32_t)args_integer(a, OPTION_MAX_NODES, 1, nodes, 0);
    l->gang_nodes = (uint32_t)args_integer(a, OPTION_GANG, 1, nodes, 0);
}

/* Where a job has no limits of its own, those of the options; fails if it cannot run. */
static void limit_job(sgdsched_arrival *to, const limits *l, uint32_t own, const cluster *c,
                      const char *job)
{
    const uint32_t nodes = c->base.rules.nodes, end = c->curves.nodes[to->curve];
    if (to->min_nodes == 0) to->min_nodes = l->min_nodes;
    if (to->max_nodes == 0) to->max_nodes = l->own ? own : l->max_nodes;
    if (to->gang_nodes == 0) to->gang_nodes = l->gang_nodes;
    if (cluster_least_nodes(to) > end)
        tool_fail("job '%s' needs %lu nodes, but curve '%s' ends at %lu nodes: add rows to the "
                  "curve", job,
                  (unsigned long)cluster_least_nodes(to), names_text(&c->curves.names, to->curve),
                  (unsigned long)end);
    if (cluster_least_nodes(to) > cluster_most_nodes(to, nodes))
        tool_fail("no number of nodes fits job '%s': it must be at least %lu, at most %lu, and "
                  "a multiple of %lu; change --min-nodes, --max-nodes or --gang",
                  job,
                  (unsigned long)or_one(to->min_nodes),
                  (unsigned long)(to->max_nodes > 0 ? to->max_nodes : nodes),
                  (unsigned long)or_one(to->gang_nodes));
}

/* Fails where a job had, or may have, more nodes than its curve has rows: the answer would
 * be another one by where the curve ends. */
static void check_curve(const cluster *c, size_t i)
{
    const sgdsched_arrival *job = &c->arrival[i];
    const uint32_t end = c->curves.nodes[job->curve];
    const uint32_t most = cluster_most_nodes(job, c->base.rules.nodes);
    const char *curve = names_text(&c->curves.names, job->curve);
    if (c->own[i] > end)
        tool_fail("job '%s' has %lu nodes, but curve '%s' ends at %lu nodes: add rows to the "
                  "curve, or use --curves linear",
                  c->job[i], (unsigned long)c->own[i], curve, (unsigned long)end);
    if (most > end)
        tool_fail("job '%s' may have %lu nodes, but curve '%s' ends at %lu nodes: add rows to the "
                  "curve, or use --curves linear or --max-nodes %lu",
                  c->job[i], (unsigned long)most, curve,
                  (unsigned long)end, (unsigned long)end);
}

/* Curves of the user's own may end where a job gains nothing more. */
static void note_ends(const cluster *c)
{
    size_t ends = 0;
    for (size_t i = 0; i < c->jobs; i++)
        ends += cluster_most_nodes(&c->arrival[i], c->base.rules.nodes) >
                c->curves.nodes[c->arrival[i].curve];
    if (ends > 0)
        tool_note("curve-continued",
                  "%lu of %lu jobs may have more nodes than %s rows: with more nodes than the last "
                  "row %s assumed to be no faster", (unsigned long)ends, (unsigned long)c->jobs,
                  ends == 1 ? "its curve has" : "their curves have",
                  ends == 1 ? "it is" : "they are");
}

/* A job of a kind, as far as its nodes go. */
static sgdsched_arrival job_of(const sgdsched_job_kind *kind)
{
    return (sgdsched_arrival){.curve = kind->curve, .min_nodes = kind->min_nodes,
                              .max_nodes = kind->max_nodes, .gang_nodes = kind->gang_nodes};
}

/* Of jobs that arrive at random, those of each kind. */
static void limit_kinds(cluster *c, const limits *l)
{
    const size_t kinds = c->base.workload.kinds;
    sgdsched_job_kind *kind = (sgdsched_job_kind *)tool_alloc(kinds, sizeof *kind);
    for (size_t i = 0; i < kinds; i++) {
        sgdsched_arrival any = job_of(&c->base.workload.kind[i]);
        kind[i] = c->base.workload.kind[i];
        limit_job(&any, l, 0, c, names_text(&c->curves.names, any.curve));
        kind[i].min_nodes = any.min_nodes;
        kind[i].max_nodes = any.max_nodes;
        kind[i].gang_nodes = any.gang_nodes;
    }
    c->base.workload.kind = kind;
}

void cluster_limit_all(cluster *c, const args *a)
{
    limits l;
    read_limits(&l, a, c->base.rules.nodes);
    if (l.own && !c->own)
        args_fail(OPTION_MAX_NODES, "own",
                  "needs a job log (%s) or a policy of rigid jobs", NAME_OF(TRACE_FORMAT));
    for (size_t i = 0; i < c->jobs; i++) {
        limit_job(&c->arrival[i], &l, c->own ? c->own[i] : 0, c, c->job[i]);
        if (c->own) check_curve(c, i);
    }
    if (!c->given) limit_kinds(c, &l);
    else if (!c->own) note_ends(c);
}

static void check_chunk(const sgdsched_arrival *job, uint32_t chunk, uint32_t nodes,
                        const char *name)
{
    if (chunk < cluster_least_nodes(job) || chunk > cluster_most_nodes(job, nodes) ||
        chunk % or_one(job->gang_nodes) != 0)
        tool_fail("job '%s' may not have the %lu node%s of a chunk: give a --chunk within its "
                  "limits", name, (unsigned long)chunk, chunk == 1 ? "" : "s");
}

static int is_limited(const sgdsched_arrival *job)
{
    return job->min_nodes > 0 || job->max_nodes > 0 || job->gang_nodes > 0;
}

/* With limits, knees may be others. */
static void note_knees(const cluster *c)
{
    const sgdsched_job_kind *kind = c->base.workload.kind;
    sgdsched_rules r = c->base.rules;
    size_t limited = 0;
    for (size_t k = 0; k < c->jobs; k++) limited += (size_t)is_limited(&c->arrival[k]);
    for (size_t k = 0; k < c->base.workload.kinds; k++) {
        const sgdsched_arrival any = job_of(&kind[k]);
        limited += (size_t)is_limited(&any);
    }
    for (size_t i = 0; i < c->points && limited == 0; i++) {
        r.policy = c->point[i].policy;
        r.load = c->point[i].load;
        r.alpha_by_load = r.load > 0.0;
        if (rules_note_knees(&r, &c->curves, 0)) break;
    }
}

void cluster_check_points(const cluster *c)
{
    const sgdsched_job_kind *kind = c->base.workload.kind;
    const uint32_t nodes = c->base.rules.nodes;
    for (size_t i = 0; i < c->points; i++) {
        const uint32_t chunk = c->point[i].chunk;
        if (!rules_have_queues(c->point[i].policy)) continue;
        for (size_t k = 0; k < c->jobs; k++) check_chunk(&c->arrival[k], chunk, nodes, c->job[k]);
        for (size_t k = 0; k < c->base.workload.kinds; k++) {
            const sgdsched_arrival any = job_of(&kind[k]);
            check_chunk(&any, chunk, nodes, names_text(&c->curves.names, any.curve));
        }
    }
    note_knees(c);
}
