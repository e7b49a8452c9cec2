/* rigid_read.c - sgdperf cluster with policies of rigid jobs: reads and runs */
#include "jobs/parallel.h"
#include "base/words.h"
#include "cmd/cluster/cluster.h"
#include "cmd/cluster/rigid.h"
#include "cmd/rules.h"
#include "files/status.h"

#include <string.h>

/* By sgdsched_queueing. */
#define WORD(name, word, line, plans) word,
static const char *const rigid_policy_names[SGDSCHED_QUEUEING_COUNT] = {
    SGDSCHED_QUEUEING_TABLE(WORD)
};
#undef WORD

/* ---- Options --------------------------------------------------------------- */

static int is_rigid_name(const char *word)
{
    return words_find(rigid_policy_names, SGDSCHED_QUEUEING_COUNT, word) < SGDSCHED_QUEUEING_COUNT;
}

/* Fails over a word that is no policy of either kind. */
static void check_name(option_id option, const char *word)
{
    char malleable[256], rigid_jobs[256];
    if (is_rigid_name(word)) return;
    if (words_find(rules_policy_names, SGDSCHED_POLICY_COUNT, word) < SGDSCHED_POLICY_COUNT) return;
    words_join(rules_policy_names, SGDSCHED_POLICY_COUNT, malleable, sizeof malleable);
    words_join(rigid_policy_names, SGDSCHED_QUEUEING_COUNT, rigid_jobs, sizeof rigid_jobs);
    args_fail(option, word, "is none of %s, and of rigid jobs %s", malleable, rigid_jobs);
}

int cluster_is_rigid(const args *a)
{
    static const option_id own[] = {OPTION_KILL, OPTION_SLOWDOWN_BOUND, OPTION_BY_WIDTH};
    char **word;
    const size_t words = args_words(a, OPTION_POLICIES, &word);
    const char *policy = args_text(a, OPTION_POLICY, NULL);
    size_t found = policy && is_rigid_name(policy) ? 1 : 0, i;
    if (policy) check_name(OPTION_POLICY, policy);
    for (i = 0; i < words; i++) {
        check_name(OPTION_POLICIES, word[i]);
        found += is_rigid_name(word[i]) ? 1 : 0;
    }
    if (found > 0 || (args_given(a, OPTION_RIGID) && !policy && words == 0)) return 1;
    if (args_given(a, OPTION_RIGID))
        args_fail(OPTION_RIGID, NULL, "not with policies that change the nodes of jobs");
    args_refuse(a, own, COUNT_OF(own), "is for rigid jobs");
    return 0;
}

static void refuse(const rigid *r, const args *a, int trace)
{
    static const option_id never[] = {
        OPTION_QUIT, OPTION_WORKLOAD, OPTION_NO_PS_NODES, OPTION_MODEL, OPTION_SEED,
        OPTION_PRECISION, OPTION_MIN_JOBS, OPTION_MAX_JOBS, OPTION_WARMUP_JOBS, OPTION_CURVES_ONLY,
        OPTION_SWEEP, OPTION_CDF, OPTION_FRACTIONS, OPTION_BY_CURVE
    };
    static const option_id sharing[] = {
        OPTION_ALPHA, OPTION_FILL, OPTION_ALPHA_LOW, OPTION_ALPHA_HIGH, OPTION_LOAD, OPTION_ORDER,
        OPTION_GAMMA, OPTION_CHUNK, OPTION_RESTART_COST, OPTION_TRACE_CURVE, OPTION_MIN_NODES,
        OPTION_MAX_NODES, OPTION_GANG
    };
    static const option_id curves[] = {OPTION_CURVES};
    static const option_id submits[] = {OPTION_TRACE_SUBMITS};
    args_refuse(a, never, COUNT_OF(never), "not for rigid jobs");
    if (r->sharing == 0) args_refuse(a, sharing, COUNT_OF(sharing), "not for rigid jobs");
    if (!args_given(a, OPTION_JOBS)) tool_fail("--jobs is missing, rigid jobs are given ones");
    if (trace && r->sharing == 0)
        args_refuse(a, curves, 1, "not for rigid jobs of a trace, whose times are recorded");
    if (!trace) args_refuse(a, submits, 1, "needs --trace-format");
}

static void name_policy(rigid *r, rigid_outcome *to, const char *word)
{
    const size_t queueing = words_find(rigid_policy_names, SGDSCHED_QUEUEING_COUNT, word);
    to->name = word;
    to->changes = queueing == SGDSCHED_QUEUEING_COUNT;
    r->sharing += (size_t)to->changes;
    if (to->changes)
        to->sharing = (sgdsched_policy)words_find(rules_policy_names, SGDSCHED_POLICY_COUNT, word);
    else
        to->policy = (sgdsched_queueing)queueing;
}

static void read_policies(rigid *r, const args *a)
{
    char **word;
    const size_t words = args_words(a, OPTION_POLICIES, &word);
    size_t i;
    if (words > 0 && args_given(a, OPTION_POLICY))
        args_fail(OPTION_POLICIES, NULL, "not with --policy");
    r->policies = words > 0 ? words : 1;
    r->outcome = (rigid_outcome *)tool_alloc(r->policies, sizeof *r->outcome);
    name_policy(r, &r->outcome[0], args_text(a, OPTION_POLICY, rigid_policy_names[0]));
    r->sharing = 0;
    for (i = 0; i < words; i++) name_policy(r, &r->outcome[i], word[i]);
}

/* ---- Jobs ------------------------------------------------------------------ */

static void take_jobs(rigid *r, size_t jobs)
{
    r->name = (const char **)tool_alloc(jobs, sizeof *r->name);
    r->job = (sgdsched_rigid_job *)tool_alloc(jobs, sizeof *r->job);
    r->wait_s = (double *)tool_alloc(jobs, sizeof *r->wait_s);
    r->arrival = (sgdsched_arrival *)tool_alloc(jobs, sizeof *r->arrival);
    memset(r->arrival, 0, jobs * sizeof *r->arrival);
}

/* The columns of a table of jobs. */
typedef struct job_columns {
    int job, arrival, nodes, walltime, run, size, curve, limit[CLUSTER_LIMITS];
    const char *curves;       /* the name of their file                             */
} job_columns;

/* The time that a job of a size runs on its nodes. */
static double run_of(const rigid *r, const csv_table *t, size_t i, const job_columns *at)
{
    const double size = csv_number(t, i, at->size, NUMBER_POSITIVE);
    const size_t c = r->arrival[i].curve;
    const uint32_t nodes = r->job[i].nodes;
    if (nodes > r->curves.nodes[c])
        csv_fail(t, i, at->nodes, "%lu, but curve '%s' of %s ends at %lu", (unsigned long)nodes,
                 names_text(&r->curves.names, c), at->curves,
                 (unsigned long)r->curves.nodes[c]);
    return size / r->curves.value[c][nodes - 1];
}

/* What sgdsched_rigid_run takes; column: where the number comes from. */
static double within(const csv_table *t, size_t i, int column, double seconds)
{
    const double least = 1e-70, most = 1e70;
    if (!(seconds >= least && seconds <= most) && seconds > 0.0)
        csv_fail(t, i, column, "%g s is not within %g .. %g s", seconds, least, most);
    return seconds;
}

/* Sizes and curves in place of times with --curves, where there are sizes or every policy is
 * one of rigid jobs. */
static void find_columns(job_columns *at, const rigid *r, const csv_table *t, const args *a)
{
    const int curves = args_given(a, OPTION_CURVES);
    const int sized = curves && (r->sharing == 0 || csv_column(t, "size") != CSV_NONE);
    at->job = csv_require(t, "job");
    at->arrival = csv_require(t, "arrival_s");
    at->nodes = csv_require(t, "nodes");
    at->walltime = csv_column(t, "walltime_s");
    at->run = sized ? CSV_NONE : csv_require(t, "run_s");
    at->size = sized ? csv_require(t, "size") : CSV_NONE;
    at->curve = sized ? curves_column(&r->curves, t) : curves ? csv_column(t, "curve") : CSV_NONE;
    cluster_limit_columns(t, at->limit);
    at->curves = args_text(a, OPTION_CURVES, "");
}

static void read_job(rigid *r, const csv_table *t, size_t i, const job_columns *at)
{
    sgdsched_rigid_job *to = &r->job[i];
    r->name[i] = csv_text(t, i, at->job);
    r->wait_s[i] = -1.0;
    to->arrival_s = within(t, i, at->arrival, csv_number(t, i, at->arrival, NUMBER_NON_NEGATIVE));
    if (i > 0 && to->arrival_s < to[-1].arrival_s)
        csv_fail(t, i, at->arrival, "%s is before %s, of the row above",
                 csv_text(t, i, at->arrival), csv_text(t, i - 1, at->arrival));
    to->nodes = (uint32_t)csv_integer(t, i, at->nodes, 1, UINT32_MAX);
    if (to->nodes > r->base.nodes)
        csv_fail(t, i, at->nodes, "%lu are more than the %lu of the cluster",
                 (unsigned long)to->nodes, (unsigned long)r->base.nodes);
    to->walltime_s = csv_is_empty(t, i, at->walltime) ? 0.0
                   : within(t, i, at->walltime, csv_number(t, i, at->walltime, NUMBER_POSITIVE));
    r->arrival[i].curve = curves_of_row(&r->curves, t, i, at->curve, at->curves);
    cluster_limits_of_row(&r->arrival[i], t, i, at->limit, r->base.nodes);
    to->run_s = at->run == CSV_NONE ? run_of(r, t, i, at)
                                    : csv_number(t, i, at->run, NUMBER_POSITIVE);
    (void)within(t, i, at->run == CSV_NONE ? at->size : at->run, to->run_s);
}

static void read_jobs(rigid *r, const args *a)
{
    const csv_table *t = csv_read(args_text(a, OPTION_JOBS, ""), 0);
    job_columns at;
    size_t i;
    find_columns(&at, r, t, a);
    csv_unique(t, &at.job, 1);
    take_jobs(r, t->rows);
    for (i = 0; i < t->rows; i++) read_job(r, t, i, &at);
    r->base.jobs = t->rows;
}

static void take_trace(rigid *r, const char *file)
{
    uint32_t widest = 0;
    size_t i, n = 0;
    take_jobs(r, r->trace.jobs);
    for (i = 0; i < r->trace.jobs; i++) {
        const jobtrace_job *from = &r->trace.job[i];
        if (from->nodes > widest) widest = from->nodes;
        if (from->nodes > r->base.nodes) continue;
        r->name[n] = names_text(&r->trace.names, from->name);
        r->wait_s[n] = from->wait_s;
        r->job[n].arrival_s = from->submit_s;
        r->job[n].run_s = from->run_s;
        r->job[n].walltime_s = from->walltime_s;
        r->job[n++].nodes = from->nodes;
    }
    r->base.jobs = n;
    if (n == 0)
        tool_fail("%s: %s more than the %lu nodes", file,
                  r->trace.jobs == 1 ? "its job needs" : "all of its jobs need",
                  (unsigned long)r->base.nodes);
    if (n < r->trace.jobs)
        tool_note("jobs-left-out",
                  "%s: %lu of %lu jobs left out: %s more than the %lu nodes, up to %lu", file,
                  (unsigned long)(r->trace.jobs - n), (unsigned long)r->trace.jobs,
                  r->trace.jobs - n == 1 ? "it needs" : "they need",
                  (unsigned long)r->base.nodes, (unsigned long)widest);
}

/* What could be taken for more than it is. */
static void note_walltimes(const rigid *r)
{
    const size_t n = r->base.jobs;
    size_t i, unasked = 0, beyond = 0;
    int look_ahead = 0;
    for (i = 0; i < n; i++) {
        unasked += !(r->job[i].walltime_s > 0.0);
        beyond += r->job[i].walltime_s > 0.0 && r->job[i].run_s > r->job[i].walltime_s;
    }
    for (i = 0; i < r->policies; i++) {
        const sgdsched_queueing_traits *how = sgdsched_queueing_about(r->outcome[i].policy);
        look_ahead |= !r->outcome[i].changes && (how->plans != SGDSCHED_PLANS_NONE ||
                                                 how->line == SGDSCHED_LINE_WALLTIME);
    }
    if (unasked > 0 && look_ahead)
        tool_note("walltime-missing",
                  "%lu of %lu jobs %s no walltime: how long %s is taken to be known",
                  (unsigned long)unasked, (unsigned long)n, unasked == 1 ? "has" : "have",
                  unasked == 1 ? "it runs" : "they run");
    if (beyond > 0 && !r->base.kill)
        tool_note("walltime-exceeded",
                  "%lu of %lu jobs ran beyond %s taken to have asked for as long as %s ran "
                  "(--kill ends %s)", (unsigned long)beyond, (unsigned long)n,
                  beyond == 1 ? "its walltime, and is" : "their walltime, and are",
                  beyond == 1 ? "it" : "they", beyond == 1 ? "it" : "them");
}

static void take_observed(rigid *r)
{
    size_t i, n = 0;
    r->seen = (sgdsched_rigid_job *)tool_alloc(r->base.jobs, sizeof *r->seen);
    r->seen_stay = (sgdsched_stay *)tool_alloc(r->base.jobs, sizeof *r->seen_stay);
    for (i = 0; i < r->base.jobs; i++) {
        if (r->wait_s[i] < 0.0) continue;
        r->seen[n] = r->job[i];
        r->seen_stay[n].start_s = r->job[i].arrival_s + r->wait_s[i];
        r->seen_stay[n++].run_s = r->job[i].run_s;
    }
    r->seen_jobs = n;
}

/* Observed waits are those of the cluster of the log: one of fewer nodes than were at work
 * on the average cannot have been that. */
static void note_larger(const rigid *r, const char *file)
{
    double work = 0.0, first_s = 0.0, last_s = 0.0;
    size_t i;
    for (i = 0; i < r->seen_jobs; i++) {
        const double start_s = r->seen_stay[i].start_s, end_s = start_s + r->seen_stay[i].run_s;
        work += r->seen[i].nodes * r->seen_stay[i].run_s;
        if (i == 0 || start_s < first_s) first_s = start_s;
        if (i == 0 || end_s > last_s) last_s = end_s;
    }
    if (work > r->base.nodes * (last_s - first_s) * (1.0 + 1e-6))
        tool_note("recorded-nodes",
                  "%s: from the first start to the last end %.6g nodes were at work on the "
                  "average: the waits observed are those of a cluster of more than %lu", file,
                  work / (last_s - first_s), (unsigned long)r->base.nodes);
}

/* ---- The command ------------------------------------------------------------ */

int cluster_run_rigid(const args *a)
{
    static rigid r;                    /* what it points to must outlive the command */
    const int trace = args_given(a, OPTION_TRACE_FORMAT);
    const char *file = NULL;
    output out = {0};
    memset(&r, 0, sizeof r);
    r.args = a;
    r.processes = parallel_read(a);
    read_policies(&r, a);
    refuse(&r, a, trace);
    if (args_given(a, OPTION_COMPLETIONS) && r.policies > 1)
        args_fail(OPTION_COMPLETIONS, NULL, "for one policy with --jobs");
    r.threshold_s = args_number(a, OPTION_SLOWDOWN_BOUND, 10.0);
    r.base.kill = args_given(a, OPTION_KILL);
    if (trace) file = cluster_read_trace(&r.trace, a);
    r.base.nodes = rules_read_nodes(a, r.trace.processors);
    mixed_read_curves(&r, a);
    if (trace) take_trace(&r, file);
    else read_jobs(&r, a);
    r.base.job = r.job;
    note_walltimes(&r);
    take_observed(&r);
    if (trace) note_larger(&r, file);
    mixed_take_jobs(&r, a);
    rigid_run(&r);
    out.form = args_form(a);
    rigid_print(&out, &r, a);
    return output_flush(&out, EXIT_DONE);
}
