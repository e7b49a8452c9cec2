/* limits.c - sgdperf cluster: how many nodes a job may have, of options and of columns */
#include "cmd/cluster/cluster.h"
#include "cmd/rules.h"

#include <string.h>

void cluster_read_limits(cluster_limits *l, const args *a, uint32_t nodes)
{
    const char *most = args_text(a, OPTION_MAX_NODES, "");
    memset(l, 0, sizeof *l);
    l->own = strcmp(most, "own") == 0;
    l->min_nodes = (uint32_t)args_integer(a, OPTION_MIN_NODES, 1, nodes, 0);
    if (!l->own) l->max_nodes = (uint32_t)args_integer(a, OPTION_MAX_NODES, 1, nodes, 0);
    l->gang_nodes = (uint32_t)args_integer(a, OPTION_GANG, 1, nodes, 0);
}

void cluster_limit_columns(const csv_table *t, int column[CLUSTER_LIMITS])
{
    static const char *const names[CLUSTER_LIMITS] = {"min_nodes", "max_nodes", "gang_nodes"};
    size_t i;
    for (i = 0; i < CLUSTER_LIMITS; i++) column[i] = csv_column(t, names[i]);
}

void cluster_limits_of_row(sgdsched_arrival *to, const csv_table *t, size_t row,
                           const int column[CLUSTER_LIMITS], uint32_t nodes)
{
    uint32_t *const field[CLUSTER_LIMITS] = {&to->min_nodes, &to->max_nodes, &to->gang_nodes};
    size_t i;
    for (i = 0; i < CLUSTER_LIMITS; i++)
        *field[i] = (uint32_t)csv_integer_or(t, row, column[i], 1, UINT32_MAX, 0);
    if (to->min_nodes > nodes)
        csv_fail(t, row, column[0], "%lu are more than the %lu of the cluster",
                 (unsigned long)to->min_nodes, (unsigned long)nodes);
}

uint32_t cluster_most_nodes(const sgdsched_arrival *to, uint32_t nodes)
{
    const uint32_t most = to->max_nodes > 0 && to->max_nodes < nodes ? to->max_nodes : nodes;
    const uint32_t gang = to->gang_nodes > 0 ? to->gang_nodes : 1;
    return most / gang * gang;
}

uint32_t cluster_least_nodes(const sgdsched_arrival *to)
{
    const uint64_t gang = to->gang_nodes > 0 ? to->gang_nodes : 1;
    const uint64_t least = to->min_nodes > 0 ? to->min_nodes : 1;
    const uint64_t nodes = (least + gang - 1) / gang * gang;
    return nodes < UINT32_MAX ? (uint32_t)nodes : UINT32_MAX;
}

void cluster_limit(sgdsched_arrival *to, const cluster_limits *l, uint32_t own, uint32_t nodes,
                   const curve_set *set, const char *job)
{
    const uint32_t most = l->own ? own : l->max_nodes;
    if (to->min_nodes == 0) to->min_nodes = l->min_nodes;
    if (to->max_nodes == 0) to->max_nodes = most;
    if (to->gang_nodes == 0) to->gang_nodes = l->gang_nodes;
    if (cluster_least_nodes(to) > set->nodes[to->curve])
        tool_fail("job '%s' needs %lu nodes, curve '%s' ends at %lu", job,
                  (unsigned long)cluster_least_nodes(to), names_text(&set->names, to->curve),
                  (unsigned long)set->nodes[to->curve]);
    if (cluster_least_nodes(to) > cluster_most_nodes(to, nodes))
        tool_fail("job '%s' can have no number of nodes: from %lu, up to %lu, in gangs of %lu", job,
                  (unsigned long)(to->min_nodes > 0 ? to->min_nodes : 1),
                  (unsigned long)(to->max_nodes > 0 ? to->max_nodes : nodes),
                  (unsigned long)(to->gang_nodes > 0 ? to->gang_nodes : 1));
}

void cluster_check_curve(const sgdsched_arrival *job, const curve_set *set, uint32_t own,
                         uint32_t nodes, const char *name)
{
    const uint32_t end = set->nodes[job->curve], most = cluster_most_nodes(job, nodes);
    const char *curve = names_text(&set->names, job->curve);
    if (own > end)
        tool_fail("job '%s' has %lu nodes, curve '%s' ends at %lu: more rows, or --curves linear",
                  name, (unsigned long)own, curve, (unsigned long)end);
    if (most > end)
        tool_fail("job '%s' may have %lu nodes, curve '%s' ends at %lu: more rows, --curves "
                  "linear, or --max-nodes %lu", name, (unsigned long)most, curve,
                  (unsigned long)end, (unsigned long)end);
}

void cluster_check_chunk(const sgdsched_arrival *job, uint32_t chunk, uint32_t nodes,
                         const char *name)
{
    const uint32_t gang = job->gang_nodes > 0 ? job->gang_nodes : 1;
    if (chunk < cluster_least_nodes(job) || chunk > cluster_most_nodes(job, nodes) ||
        chunk % gang != 0)
        tool_fail("job '%s' may not have the %lu node%s of a chunk: --chunk", name,
                  (unsigned long)chunk, chunk == 1 ? "" : "s");
}

/* Chunks of JSQ, each by the jobs or by what stands for all. */
static void check_chunks(const cluster *c, const sgdsched_arrival *job, const char *name)
{
    size_t i;
    for (i = 0; i < c->points; i++)
        if (rules_have_queues(c->point[i].policy))
            cluster_check_chunk(job, c->point[i].chunk, c->base.rules.nodes, name);
}

/* Curves of the user's own may end where a job gains nothing more. */
static void note_ends(const cluster *c)
{
    size_t ends = 0, i;
    for (i = 0; i < c->jobs; i++)
        ends += cluster_most_nodes(&c->arrival[i], c->base.rules.nodes) >
                c->curves.nodes[c->arrival[i].curve];
    if (ends > 0)
        tool_note("curve-continued",
                  "%lu of %lu jobs may have more nodes than %s rows: %s taken to be as fast there "
                  "as on the last", (unsigned long)ends, (unsigned long)c->jobs,
                  ends == 1 ? "its curve has" : "their curves have",
                  ends == 1 ? "it is" : "they are");
}

void cluster_limit_all(cluster *c, const args *a)
{
    const uint32_t nodes = c->base.rules.nodes;
    sgdsched_job_kind *kind;
    cluster_limits l;
    size_t i;
    cluster_read_limits(&l, a, nodes);
    if (l.own && c->trace.jobs == 0)
        args_fail(OPTION_MAX_NODES, "own",
                  "is for jobs of a trace, or beside policies of rigid jobs");
    for (i = 0; i < c->jobs; i++) {
        cluster_limit(&c->arrival[i], &l, l.own ? c->trace.job[i].nodes : 0, nodes, &c->curves,
                      c->job[i]);
        check_chunks(c, &c->arrival[i], c->job[i]);
        if (c->trace.jobs > 0)
            cluster_check_curve(&c->arrival[i], &c->curves, c->trace.job[i].nodes, nodes,
                                c->job[i]);
    }
    if (c->given && c->trace.jobs == 0) note_ends(c);
    if (c->given) return;
    kind = (sgdsched_job_kind *)tool_alloc(c->base.workload.kinds, sizeof *kind);
    for (i = 0; i < c->base.workload.kinds; i++) {
        const char *curve = names_text(&c->curves.names, c->base.workload.kind[i].curve);
        sgdsched_arrival any = {0};
        any.curve = c->base.workload.kind[i].curve;
        cluster_limit(&any, &l, 0, nodes, &c->curves, curve);
        check_chunks(c, &any, curve);
        kind[i] = c->base.workload.kind[i];
        kind[i].min_nodes = any.min_nodes;
        kind[i].max_nodes = any.max_nodes;
        kind[i].gang_nodes = any.gang_nodes;
    }
    c->base.workload.kind = kind;
}
