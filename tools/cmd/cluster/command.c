/* command.c - sgdperf cluster: what a policy does to the response times of jobs */
#include "cmd/cluster/cluster.h"
#include "jobs/parallel.h"
#include "cmd/commands.h"
#include "cmd/rules.h"

#include <stdio.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf cluster --nodes W [--policy P] --load X [--workload NAME|FILE] [option ...]\n"
    "       sgdperf cluster --nodes W [--policy P] --jobs JOBS.csv --curves CURVES.csv\n"
    "                       [option ...]\n"
    "       sgdperf cluster --nodes W --policy fcfs|easy|conservative|sjf|smallest-first\n"
    "                       --jobs JOBS.csv [--trace-format F] [option ...]\n"
    "       sgdperf cluster --nodes W --policies easy,hell,... --curves CURVES.csv\n"
    "                       --jobs JOBS.csv [--trace-format F] [option ...]\n"
    "       sgdperf cluster --nodes W --sweep FROM:TO:STEP [--policies P,P2,...] [option ...]\n"
    "\n"
    "Simulates a cluster whose nodes training jobs share, and prints their response times, from\n"
    "arrival to departure, with 95 % confidence intervals (batch means). Jobs arrive at random\n"
    "(Poisson), or as a file says. After each arrival and departure nodes are given anew.\n"
    "\n"),
    USE_HELP(NODES, "nodes of the cluster; required, but for traces with MaxProcs", NULL),
    USE_AS(POLICY, CHOICE, NULL,
         "fcfs easy conservative sjf smallest-first hell knee moldable-hell moldable-knee srpt "
         "waterfill equal jsq",
         "who gets how many nodes [hell]:\n"
         "hell\tthe job of least remaining time over efficiency, on the nodes where that is "
         "least; then the next job\n"
         "knee\tthe job of least remaining time at its knee, the last node that still shortens "
         "it by the part --alpha\n"
         "moldable-hell\tthe same, but a job keeps the number of nodes with which it\n"
         "moldable-knee\twas started\n"
         "srpt\tall nodes to the job that they finish first\n"
         "waterfill\tone node each, shortest job first, then filling\n"
         "equal\tequal shares\n"
         "jsq\tchunks of --chunk nodes, each with a queue; a job joins the shortest\n"
         "fcfs\trigid jobs, of nodes that do not change, in order of arrival\n"
         "easy\tthe same, and later ones that do not delay the first by the walltimes of those "
         "that run (EASY backfilling)\n"
         "conservative\tor, starts being planned for all, that delay none of them\n"
         "sjf\trigid jobs, least walltime first\n"
         "smallest-first\trigid jobs, fewest nodes first", NULL),
    USE(ALPHA), USE(FILL), USE(ORDER), USE(ALPHA_LOW), USE(ALPHA_HIGH), USE(GAMMA), USE(CHUNK),
    USE(RESTART_COST), USE(QUIT), USE(MIN_NODES), USE(MAX_NODES), USE(GANG),
    ABOUT(
    "\n"
    "Random arrivals:\n"),
    USE_HELP(LOAD,
         "work that arrives over what the nodes do, each job counted by its time on one node; "
         "required; with --jobs it is for moldable-knee alone, as in sgdperf allocate", NULL),
    USE(WORKLOAD), USE(NO_PS_NODES),
    USE_AS(MODEL, CHOICE, "M", "hybrid exact fcfs",
         "of the throughputs of named workloads: hybrid (threshold 0.8 on the utilization that "
         "an arriving transfer finds; predict: with it), exact or fcfs", "hybrid"),
    USE_HELP(SEED, "of arrivals, sizes and who gives up", "1"),
    USE_AS(PRECISION, NUMBER, NULL, NULL,
         "stop when the half-width of the mean is this part of it", "0.05"),
    USE(MIN_JOBS), USE(MAX_JOBS), USE(WARMUP_JOBS), USE(CURVES_ONLY),
    ABOUT(
    "\n"
    "Given jobs:\n"),
    USE(JOBS), USE(CURVES), USE(TRACE_FORMAT), USE(COLUMNS), USE(TRACE_CURVE), USE(TRACE_SUBMITS),
    USE(TRACE_NODES), USE(TRACE_TIMES),
    ABOUT(
    "\n"
    "Rigid jobs, which need their nodes, no more and no fewer, and run to their end:\n"
    "JOBS.csv has rows job,arrival_s,nodes,run_s[,walltime_s], or with --curves size and curve\n"
    "in place of run_s: its nodes take so long for its size. The waits of a trace are shown as\n"
    "observed. Without a walltime the time that a job runs is known beforehand. Beside policies\n"
    "that change the nodes of jobs, in one table, a job is so large that by its curve it takes as\n"
    "long on its own nodes; its wait is until it first has nodes, slow-downs are over the time on\n"
    "its own nodes.\n"
    "\n"),
    USE(RIGID), USE(KILL), USE(SLOWDOWN_BOUND), USE(BY_WIDTH), ABOUT("\n"),
    USE_AS(SWEEP, AS_TABLE, "A:B:STEP", NULL,
         "instead of --load: a table of the loads A, A + STEP, ... B, or listed as A,B,...",
         NULL),
    USE(POLICIES), PARALLEL_USES, USE(FRACTIONS), USE(BY_CURVE), USE(CDF), USE(COMPLETIONS),
    USE(FORMAT),
    ABOUT(
    "\n"
    "Slow-down: the response time over the least that the job needs on the cluster alone; of\n"
    "rigid jobs, over the time that it ran.\n"
    "Fractions: time from arrival until that part of the job is done, of the jobs that come so\n"
    "far. Status: converged, not_converged (in --max-jobs), unstable (more than 10 W jobs\n"
    "present, 1000 where W is below 10), or done (all given jobs have left). Not converged\n"
    "or unstable, the exit status is 3.\n"
    "\n"
    "Example: the second job waits until the first, which makes good use of all nodes, is done\n"
    "  $ printf '%s\\n' curve,nodes,throughput a,1,1 a,2,2 a,3,3 b,1,1 b,2,1.5 > curves.csv\n"
    "  $ printf '%s\\n' job,arrival_s,size,curve first,0,30,a second,5,6,b |\n"
    "      sgdperf cluster --nodes 3 --jobs - --curves curves.csv --completions --format csv\n"
    "  job,completion_s,response_s\n"
    "  first,10,10\n"
    "  second,14,9\n")
};

/* ---- Rules ----------------------------------------------------------------- */

#define WORD_OF_RIGID(name, word, line, plans) word " "
#define WORD(name, word, family, wants, fills) word " "
#define RIGID_WORDS     SGDSCHED_QUEUEING_TABLE(WORD_OF_RIGID)
#define MALLEABLE_WORDS SGDSCHED_POLICY_TABLE(WORD)
#define RIGID_JOBS      AMONG(RIGID_WORDS, OPTION_RIGID, OPTION_POLICY, OPTION_POLICIES)

static const option_rule rules[] = {
    EXCLUDES(ONE(POLICIES), ONE(POLICY)),
    /* rigid jobs */
    EXCLUDES(ONE(RIGID), IS(POLICY, MALLEABLE_WORDS)),
    UNLESS(IS(POLICIES, RIGID_WORDS), EXCLUDES, ONE(RIGID), IS(POLICIES, MALLEABLE_WORDS)),
    NEEDS(EACH(OPTION_KILL, OPTION_SLOWDOWN_BOUND, OPTION_BY_WIDTH), RIGID_JOBS),
    EXCLUDES(EACH(OPTION_QUIT, OPTION_WORKLOAD, OPTION_NO_PS_NODES, OPTION_MODEL, OPTION_SEED,
                  OPTION_PRECISION, OPTION_MIN_JOBS, OPTION_MAX_JOBS, OPTION_WARMUP_JOBS,
                  OPTION_CURVES_ONLY, OPTION_SWEEP, OPTION_CDF, OPTION_FRACTIONS, OPTION_BY_CURVE),
             RIGID_JOBS),
    UNLESS(IS(POLICIES, MALLEABLE_WORDS), EXCLUDES,
           EACH(OPTION_ALPHA, OPTION_FILL, OPTION_ALPHA_LOW, OPTION_ALPHA_HIGH, OPTION_LOAD,
                OPTION_ORDER, OPTION_GAMMA, OPTION_CHUNK, OPTION_RESTART_COST, OPTION_TRACE_CURVE,
                OPTION_MIN_NODES, OPTION_MAX_NODES, OPTION_GANG), RIGID_JOBS),
    NEEDS(RIGID_JOBS, ONE(JOBS)),
    /* given jobs, and those of a trace */
    NEEDS(EACH(OPTION_TRACE_FORMAT, OPTION_TRACE_CURVE, OPTION_TRACE_SUBMITS), ONE(JOBS)),
    NEEDS(ONE(TRACE_SUBMITS), IS(TRACE_FORMAT, "pai")),
    NEEDS(ONE(TRACE_NODES), IS(TRACE_FORMAT, "sacct slurm")),
    NEEDS(ONE(TRACE_TIMES), IS(TRACE_FORMAT, "sia pollux gavel")),
    NEEDS(ONE(COLUMNS), IS(TRACE_FORMAT, "csv columns")),
    NEEDS(IS(TRACE_FORMAT, "csv columns"), ONE(COLUMNS)),
    UNLESS(RIGID_JOBS, NEEDS, ONE(TRACE_CURVE), ONE(TRACE_FORMAT)),
    UNLESS(RIGID_JOBS, NEEDS, ONE(JOBS), ONE(CURVES)),
    EXCLUDES(EACH(OPTION_WORKLOAD, OPTION_NO_PS_NODES, OPTION_MODEL, OPTION_CURVES_ONLY,
                  OPTION_SWEEP, OPTION_PRECISION, OPTION_MIN_JOBS, OPTION_MAX_JOBS), ONE(JOBS)),
    UNLESS(ONE(QUIT), EXCLUDES, ONE(SEED), ONE(JOBS)),
    /* random arrivals */
    MISSING(EACH(OPTION_LOAD, OPTION_SWEEP, OPTION_JOBS, OPTION_CURVES_ONLY)),
    EXCLUDES(ONE(SWEEP), ONE(LOAD)),
    NEEDS(ONE(CURVES), EACH(OPTION_JOBS, OPTION_WORKLOAD)),
    EXCLUDES(EACH(OPTION_NO_PS_NODES, OPTION_MODEL, OPTION_CURVES_ONLY), ONE(CURVES)),
    NEEDS(ONE(CHUNK), AMONG("jsq", OPTION_POLICY, OPTION_POLICIES)),
    /* what is printed */
    NEEDS(ONE(COMPLETIONS), ONE(JOBS)),
    UNLESS(RIGID_JOBS, EXCLUDES, ONE(COMPLETIONS), ONE(POLICIES)),
    NEEDS(ONE(BY_CURVE), ONE(FRACTIONS)),
    UNLESS(ONE(FRACTIONS), EXCLUDES, ONE(CDF), EACH(OPTION_SWEEP, OPTION_POLICIES))
};

/* ---- The command ----------------------------------------------------------- */

static int run_command(args *a)
{
    static cluster c;                  /* what it points to must outlive the command */
    cluster_outcome *outcome;
    output out = {0};
    size_t *best, points;
    double *gamma;
    int gammas;
    out.form = args_form(a);
    cluster_read_policies(&c, a);
    if (c.rigid > 0) return cluster_run_rigid(&c, a);
    gammas = args_quantities(a, OPTION_GAMMA, UNIT_NONE, NUMBER_ANY, &gamma) > 1;
    c.table = gammas || args_given(a, OPTION_SWEEP) || args_given(a, OPTION_POLICIES);
    if (gammas && args_given(a, OPTION_COMPLETIONS))
        args_fail(OPTION_COMPLETIONS, NULL, "for one --gamma");
    if (gammas && args_given(a, OPTION_CDF) && !args_given(a, OPTION_FRACTIONS))
        args_fail(OPTION_CDF, NULL, "for one --gamma, or with --fractions");
    cluster_read(&c, a);
    if (args_given(a, OPTION_CURVES_ONLY)) {
        cluster_print_curves(&out, &c.curves);
        return output_flush(&out, EXIT_DONE);
    }
    outcome = (cluster_outcome *)tool_alloc(c.points, sizeof *outcome);
    if (c.table || c.points > 1) cluster_run_all(&c, outcome);
    points = cluster_best(&c, outcome, &best);
    /* Completions come from a run in this process. */
    if (!c.table && (c.points == 1 || c.given))
        cluster_run_one(&c, &c.point[best[0]], &outcome[best[0]]);
    return output_flush(&out, cluster_print(&out, &c, outcome, best, points, a));
}

const args_command command_cluster = {
    "cluster", "response times of jobs that share a cluster", run_command, uses,
    COUNT_OF(uses), rules, COUNT_OF(rules), 0, 0, NULL, 0};
