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

/* ---- The command ----------------------------------------------------------- */

static int run_command(args *a)
{
    static cluster c;                  /* what it points to must outlive the command */
    cluster_outcome *outcome;
    output out = {0};
    double *gamma;
    size_t best = 0;
    int table;
    cluster_check_trace(a);
    out.form = args_form(a);
    if (cluster_is_rigid(a)) return cluster_run_rigid(a);
    table = args_given(a, OPTION_SWEEP) || args_given(a, OPTION_POLICIES) ||
            args_quantities(a, OPTION_GAMMA, UNIT_NONE, NUMBER_ANY, &gamma) > 1;
    if (args_given(a, OPTION_COMPLETIONS) && (table || !args_given(a, OPTION_JOBS)))
        args_fail(OPTION_COMPLETIONS, NULL, "for one policy with --jobs");
    if (args_given(a, OPTION_CDF) && table && !args_given(a, OPTION_FRACTIONS))
        args_fail(OPTION_CDF, NULL, "for one policy and load, or with --fractions");
    cluster_read(&c, a);
    cluster_read_parts(&c, a);
    cluster_limit_all(&c, a);
    if (args_given(a, OPTION_CURVES_ONLY)) {
        cluster_print_curves(&out, &c.curves);
        return output_flush(&out, EXIT_DONE);
    }
    outcome = (cluster_outcome *)tool_alloc(c.points, sizeof *outcome);
    if (table || c.points > 1) cluster_run_all(&c, outcome);
    if (table) return output_flush(&out, cluster_print_all(&out, &c, outcome));
    best = cluster_best(outcome, 0, c.points);
    /* Completions come from a run in this process. */
    if (c.points == 1 || c.given) cluster_run_one(&c, &c.point[best], &outcome[best]);
    return output_flush(&out, cluster_print_one(&out, &c, outcome, best, a));
}

const args_command command_cluster = {
    "cluster", "response times of jobs that share a cluster", run_command, uses,
    COUNT_OF(uses), 0, 0, NULL, 0};
