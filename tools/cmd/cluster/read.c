/* read.c - arguments and files of sgdperf cluster */
#include "jobs/parallel.h"
#include "base/words.h"
#include "cmd/cluster/cluster.h"
#include "cmd/cluster/workloads.h"
#include "cmd/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Options --------------------------------------------------------------- */

static void read_quits(sgdsched_cluster *c, const args *a)
{
    const size_t count = args_count(a, OPTION_QUIT);
    double *fraction = (double *)tool_alloc(count, sizeof *fraction), sum = 0.0;
    double *probability = (double *)tool_alloc(count, sizeof *probability);
    size_t i;
    for (i = 0; i < count; i++) {
        const char *text = args_at(a, OPTION_QUIT, i);
        char **part;
        if (args_split(text, ':', &part) != 2 ||
            number_parse(part[0], NUMBER_FRACTION, &fraction[i]) ||
            number_parse(part[1], NUMBER_FRACTION, &probability[i]) ||
            !(fraction[i] > 0.0 && fraction[i] < 1.0))
            args_fail(OPTION_QUIT, text, "is not FRACTION:PROBABILITY, each between 0 and 1");
        sum += probability[i];
    }
    if (sum > 1.0 + 1e-12) args_fail(OPTION_QUIT, NULL, "probabilities add up to more than 1");
    c->workload.quits.count = count;
    c->workload.quits.fraction = fraction;
    c->workload.quits.probability = probability;
}

static void read_run(cluster *s, const args *a)
{
    sgdsched_cluster *c = &s->base;
    rules_read(&c->rules, a, s->trace.processors);
    c->restart_s = args_number(a, OPTION_RESTART_COST, 0.0);
    c->chunk = (uint32_t)args_integer(a, OPTION_CHUNK, 1, UINT32_MAX, 0);
    if (c->chunk > c->rules.nodes)
        args_fail(OPTION_CHUNK, args_text(a, OPTION_CHUNK, ""), "is more than the %lu node%s",
                  (unsigned long)c->rules.nodes, c->rules.nodes == 1 ? "" : "s");
    read_quits(c, a);
    c->workload.seed = args_integer(a, OPTION_SEED, 0, UINT64_MAX, 1);
    c->stop.precision = args_quantity(a, OPTION_PRECISION, UNIT_NONE, NUMBER_POSITIVE, 0.05);
    c->stop.max_jobs = args_integer(a, OPTION_MAX_JOBS, 1, UINT64_MAX, 1000000);
    c->stop.min_jobs = args_integer(a, OPTION_MIN_JOBS, 1, UINT64_MAX,
                               c->stop.max_jobs < 10000 ? c->stop.max_jobs : 10000);
    if (c->stop.min_jobs > c->stop.max_jobs)
        args_fail(OPTION_MIN_JOBS, NULL, "%lu are more than the %lu of --max-jobs",
                  (unsigned long)c->stop.min_jobs, (unsigned long)c->stop.max_jobs);
    c->stop.warmup_jobs = args_integer(a, OPTION_WARMUP_JOBS, 1, UINT64_MAX, s->given ? 0 : 1000);
    s->processes = parallel_read(a);
}

/* ---- Points ---------------------------------------------------------------- */

/* 0.1 and 2 * 0.1 add up to the 0.3 that --load 0.3 is. */
static double rounded(double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.12g", x);
    return strtod(text, NULL);
}

/* "0.1:0.9:0.1", or "0.1,0.5" */
static size_t read_loads(const args *a, double **load)
{
    const char *text = args_text(a, OPTION_SWEEP, "");
    double range[3] = {0};
    char **part;
    size_t count = args_split(text, ':', &part), i;
    if (count == 1) return args_numbers(a, OPTION_SWEEP, load);
    if (count != 3) args_fail(OPTION_SWEEP, text, "is not FROM:TO:STEP");
    for (i = 0; i < 3; i++) {
        const char *wrong = number_parse(part[i], NUMBER_POSITIVE, &range[i]);
        if (wrong) args_fail(OPTION_SWEEP, part[i], "%s", wrong);
    }
    if (range[1] < range[0]) args_fail(OPTION_SWEEP, text, "runs backwards");
    if ((range[1] - range[0]) / range[2] >= CLUSTER_MOST_POINTS)
        args_fail(OPTION_SWEEP, text, "is too long");
    count = (size_t)((range[1] - range[0]) / range[2] + 1e-9) + 1;
    *load = (double *)tool_alloc(count, sizeof **load);
    for (i = 0; i < count; i++) (*load)[i] = rounded(range[0] + (double)i * range[2]);
    return count;
}

static size_t read_policies(const args *a, sgdsched_policy only, sgdsched_policy **policy)
{
    char **words, list[256];
    const size_t count = args_words(a, OPTION_POLICIES, &words);
    size_t i;
    *policy = (sgdsched_policy *)tool_alloc(count + 1, sizeof **policy);
    (*policy)[0] = only;
    for (i = 0; i < count; i++) {
        const size_t p = words_find(rules_policy_names, SGDSCHED_POLICY_COUNT, words[i]);
        if (p == SGDSCHED_POLICY_COUNT)
            args_fail(OPTION_POLICIES, words[i], "is none of %s",
                      words_join(rules_policy_names, SGDSCHED_POLICY_COUNT, list, sizeof list));
        (*policy)[i] = (sgdsched_policy)p;
    }
    return count > 0 ? count : 1;
}

/* The points of a load under a policy: one, or one for each chunk of JSQ. */
static void add_points(cluster *s, size_t *room, double load, sgdsched_policy policy)
{
    const uint32_t nodes = s->base.rules.nodes;
    uint32_t first = s->base.chunk, last = s->base.chunk;
    if (rules_have_queues(policy) && first == 0) (void)sgdsched_chunk_range(nodes, &first, &last);
    if (!rules_have_queues(policy)) first = last = 0;
    for (; first <= last; first++) {
        if (s->points == *room)
            s->point = (cluster_point *)tool_grow(s->point, s->points, room, s->points + 1,
                                          sizeof *s->point);
        s->point[s->points].load = load;
        s->point[s->points].policy = policy;
        s->point[s->points++].chunk = first;
    }
}

static void read_points(cluster *s, const args *a)
{
    double one = s->base.rules.load, *load = &one;
    const size_t loads = args_given(a, OPTION_SWEEP) ? read_loads(a, &load) : 1;
    sgdsched_policy *policy;
    const size_t policies = read_policies(a, s->base.rules.policy, &policy);
    size_t room = 0, i, k = 0;
    while (k < policies && !rules_have_queues(policy[k])) k++;
    if (args_given(a, OPTION_CHUNK) && k == policies) args_fail(OPTION_CHUNK, NULL, "is for jsq");
    rules_refuse(a, policy, policies, !s->given);
    for (i = 0; i < loads; i++)
        for (k = 0; k < policies; k++) {
            add_points(s, &room, load[i], policy[k]);
            if (s->points > CLUSTER_MOST_POINTS) args_fail(OPTION_SWEEP, NULL, "too many points");
        }
}

/* ---- Workloads ------------------------------------------------------------- */

/* Rows curve,weight,size_mean,size_deviation. */
static void read_kinds(cluster *s, const char *path, const char *curves)
{
    const csv_table *t = csv_read(path, 0);
    const int curve = csv_require(t, "curve"), weight = csv_require(t, "weight");
    const int mean = csv_require(t, "size_mean");
    const int deviation = csv_require(t, "size_deviation");
    sgdsched_job_kind *kind = (sgdsched_job_kind *)tool_alloc(t->rows, sizeof *kind);
    size_t i;
    csv_unique(t, &curve, 1);
    for (i = 0; i < t->rows; i++) {
        kind[i].curve = curves_of_row(&s->curves, t, i, curve, curves);
        kind[i].weight = csv_number(t, i, weight, NUMBER_POSITIVE);
        kind[i].size_mean = csv_number(t, i, mean, NUMBER_POSITIVE);
        kind[i].size_deviation = csv_number(t, i, deviation, NUMBER_NON_NEGATIVE);
        kind[i].law = SGDSCHED_NORMAL;
    }
    s->base.workload.kind = kind;
    s->base.workload.kinds = t->rows;
}

static void read_workload(cluster *s, const args *a)
{
    static const sgdp_discipline links[] = {SGDP_HYBRID, SGDP_PS, SGDP_FCFS};
    static const option_id named[] = {OPTION_NO_PS_NODES, OPTION_MODEL, OPTION_CURVES_ONLY};
    const char *name = args_text(a, OPTION_WORKLOAD, "four");
    const char *curves = args_text(a, OPTION_CURVES, "");
    const size_t m = args_word(a, OPTION_MODEL, 0);
    sgdsched_job_kind *kind = NULL;
    if (!args_given(a, OPTION_CURVES))
        s->base.workload.kinds = workload_curves(&s->curves, name, s->base.rules.nodes, links[m],
                                        args_given(a, OPTION_NO_PS_NODES), &kind);
    s->base.workload.kind = kind;
    if (s->base.workload.kinds > 0) return;
    if (!args_given(a, OPTION_WORKLOAD))
        args_fail(OPTION_CURVES, NULL, "without --jobs, or --workload FILE");
    if (!args_given(a, OPTION_CURVES))
        args_fail(OPTION_WORKLOAD, name, "is none of four large alexnet, nor a file with --curves");
    args_refuse(a, named, COUNT_OF(named), "for named workloads");
    if (!curves_built_in(&s->curves, curves, s->base.rules.nodes))
        curves_read(&s->curves, curves, 0, "curve", "throughput");
    read_kinds(s, name, curves);
}

/* ---- Given jobs ------------------------------------------------------------ */

static void take_jobs(cluster *s, size_t jobs)
{
    s->jobs = jobs;
    s->job = (const char **)tool_alloc(jobs, sizeof *s->job);
    s->arrival = (sgdsched_arrival *)tool_alloc(jobs, sizeof *s->arrival);
}

static void read_jobs(cluster *s, const char *path, const char *curves)
{
    const csv_table *t = csv_read(path, 0);
    const int job = csv_require(t, "job"), arrival = csv_require(t, "arrival_s");
    const int size = csv_require(t, "size"), curve = curves_column(&s->curves, t);
    int limit[CLUSTER_LIMITS];
    size_t i;
    cluster_limit_columns(t, limit);
    csv_unique(t, &job, 1);
    take_jobs(s, t->rows);
    for (i = 0; i < t->rows; i++) {
        sgdsched_arrival *to = &s->arrival[i];
        s->job[i] = csv_text(t, i, job);
        to->time_s = csv_number(t, i, arrival, NUMBER_NON_NEGATIVE);
        to->size = csv_number(t, i, size, NUMBER_POSITIVE);
        to->curve = curves_of_row(&s->curves, t, i, curve, curves);
        cluster_limits_of_row(to, t, i, limit, s->base.rules.nodes);
        if (i > 0 && to->time_s < to[-1].time_s)
            csv_fail(t, i, arrival, "%s is before %s, of the row above", csv_text(t, i, arrival),
                     csv_text(t, i - 1, arrival));
    }
}

/* How wide the widest job is; notes those that the cluster cannot hold at once. */
static uint32_t widest_of(const cluster *s)
{
    const uint32_t nodes = s->base.rules.nodes;
    uint32_t widest = nodes;
    size_t wider = 0, i;
    for (i = 0; i < s->trace.jobs; i++) {
        const uint32_t n = s->trace.job[i].nodes;
        wider += n > nodes;
        if (n > widest) widest = n;
    }
    if (wider > 0)
        tool_note("jobs-cut",
                  "%lu of %lu jobs had more than the %lu nodes, up to %lu, and here %s fewer",
                  (unsigned long)wider, (unsigned long)s->trace.jobs, (unsigned long)nodes,
                  (unsigned long)widest, wider == 1 ? "has" : "have");
    return widest;
}

/* A job of a trace is so large that the nodes that it had take the time that it ran. */
static void take_trace(cluster *s, const args *a)
{
    const char *curve = args_text(a, OPTION_TRACE_CURVE, names_text(&s->curves.names, 0));
    const size_t c = names_find(&s->curves.names, curve);
    size_t i;
    if (c == s->curves.names.count)
        args_fail(OPTION_TRACE_CURVE, curve, "is no curve of %s", args_text(a, OPTION_CURVES, ""));
    take_jobs(s, s->trace.jobs);
    for (i = 0; i < s->jobs; i++) {
        const jobtrace_job *from = &s->trace.job[i];
        s->job[i] = names_text(&s->trace.names, from->name);
        if (from->nodes > s->curves.nodes[c])
            tool_fail("%s:%lu: job '%s' had %lu nodes, curve '%s' ends at %lu: more rows, or "
                      "--curves linear", s->trace_name, (unsigned long)from->line, s->job[i],
                      (unsigned long)from->nodes, curve, (unsigned long)s->curves.nodes[c]);
        s->arrival[i].time_s = from->submit_s;
        s->arrival[i].curve = c;
        s->arrival[i].size = from->run_s * s->curves.value[c][from->nodes - 1];
    }
}

static void read_given(cluster *s, const args *a)
{
    const char *curves = args_text(a, OPTION_CURVES, "");
    const int trace = s->trace.jobs > 0;
    if (!curves_built_in(&s->curves, curves, trace ? widest_of(s) : s->base.rules.nodes))
        curves_read(&s->curves, curves, 0, "curve", "throughput");
    if (trace) take_trace(s, a);
    else read_jobs(s, args_text(a, OPTION_JOBS, ""), curves);
    s->base.stop.max_present = s->jobs;
}

/* ---- All ------------------------------------------------------------------- */

void cluster_read(cluster *s, const args *a)
{
    s->given = args_given(a, OPTION_JOBS);
    if (s->given && args_given(a, OPTION_TRACE_FORMAT))
        s->trace_name = cluster_read_trace(&s->trace, a);
    read_run(s, a);
    if (s->given) read_given(s, a);
    else read_workload(s, a);
    s->base.curve = curves_list(&s->curves, 0);
    s->base.curves = s->curves.names.count;
    read_points(s, a);
}
