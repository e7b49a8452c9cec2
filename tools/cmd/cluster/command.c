/* command.c - sgdperf cluster: what a policy does to the response times of jobs */
#include "base/words.h"
#include "cmd/cluster/cluster.h"
#include "jobs/parallel.h"
#include "cmd/commands.h"
#include "cmd/rules.h"
#include "options/rules.h"

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf cluster --nodes W [--policy P] --load X | [--jobs] FILE\n"
    "                       [--curves CURVES.csv] [--trace-format F] [option ...]\n"
    "\n"
    "Simulates a cluster whose nodes training jobs share, and prints their response\n"
    "times, from arrival to departure, with 95 % confidence intervals.\n"
    "\n"
    "Jobs arrive at random (Poisson), or as a file says. Nodes are given anew after\n"
    "each arrival and departure. Usual forms are\n"
    "  --nodes W --load X --workload NAME            random jobs of a named workload\n"
    "  --nodes W --jobs JOBS.csv --curves CURVES.csv   given jobs\n"
    "  --nodes W --policies fcfs,easy LOG            a log of rigid jobs\n"
    "  --nodes W --policies easy,hell --jobs JOBS.csv --curves linear   a comparison\n"
    "  --nodes W --sweep FROM:TO:STEP                one row for each load\n"
    "\n"
    "What to run\n"),
    USE_HELP(NODES, "number of nodes; required unless a log has a MaxProcs header", NULL),
    USE_HELP(LOAD, "offered load (1: all nodes busy); required without --jobs",
         NULL),
    USE_AS(SWEEP, AS_TABLE, "A:B:STEP", NULL,
         "loads A, A + STEP, ... B, or list A,B,...; replaces --load", NULL),
    USE(JOBS), USE(CURVES), USE(NETWORK_SHARING),
    USE_AS(POLICY, CHOICE, NULL,
         "fcfs fifo easy conservative sjf smallest-first hell knee moldable-hell moldable-knee "
         "srpt waterfill equal jsq",
         "which job gets how many nodes [hell]\n"
         "hell\tsmallest ratio of remaining time to efficiency first\n"
         "knee\tsmallest remaining time first, at the number of nodes by --alpha\n"
         "moldable-hell\tas hell, but a started job keeps its number of nodes\n"
         "moldable-knee\tas knee, but a started job keeps its number of nodes\n"
         "srpt\tall nodes to the job that would then end first\n"
         "waterfill\tone node per job, shortest job first, then the remaining nodes\n"
         "equal\tequal numbers of nodes\n"
         "jsq\tnodes form chunks of --chunk; each job joins the shortest queue\n"
         "fcfs fifo\trigid jobs, in order of arrival\n"
         "easy\tas fcfs; later jobs start early unless they delay the first (EASY)\n"
         "conservative\tas fcfs; later jobs start early unless they delay any earlier job\n"
         "sjf\trigid jobs, shortest walltime first\n"
         "smallest-first\trigid jobs, fewest nodes first", NULL),
    USE(POLICIES),
    HEADING("Policies"),
    USE(ALPHA), USE(ALPHA_LOW), USE(ALPHA_HIGH), USE(FILL), USE(ORDER), USE(GAMMA), USE(CHUNK),
    USE(RESTART_COST), USE(QUIT), USE(MIN_NODES), USE(MAX_NODES), USE(GANG),
    HEADING("Random arrivals"),
    USE(WORKLOAD), USE(NO_PS_NODES),
    USE_AS(MODEL, CHOICE, "M", "hybrid exact fcfs",
         "model that computes the speeds of jobs of a named --workload", "hybrid"),
    USE_HELP(SEED, "seed of random arrivals and sizes, and of which jobs are cancelled", "1"),
    USE_AS(PRECISION, NUMBER, NULL, NULL,
         "stops when half the confidence interval is below P times the mean", "0.05"),
    USE(MIN_JOBS), USE(MAX_JOBS), USE(WARMUP_JOBS), USE(CURVES_ONLY),
    HEADING("Given jobs"),
    USE(TRACE_FORMAT), USE(COLUMNS), USE(TRACE_CURVE), USE(TRACE_SUBMITS), USE(TRACE_NODES),
    USE(TRACE_TIMES),
    HEADING("Rigid jobs, which need exactly their nodes and run to their end"),
    USE(RIGID), USE(KILL), USE(SLOWDOWN_BOUND), USE(BY_WIDTH),
    HEADING("Output"),
    USE(FRACTIONS), USE(BY_CURVE), USE(CDF), USE(COMPLETIONS), USE(FORMAT), PARALLEL_USES,
    SECTION("Units", TIME_UNITS),
    SECTION("Files",
    "  jobs       job,arrival_s,size,curve; optional columns min_nodes, max_nodes,\n"
    "             gang_nodes go before their options. Rigid jobs have rows\n"
    "             job,arrival_s,nodes,run_s[,walltime_s], or with --curves size and\n"
    "             curve in place of run_s: their nodes take so long for the size.\n"
    "  curves     throughput: part of a size that a job does in a second; nodes go\n"
    "             from 1 up without gaps. linear: n nodes do n. amdahl:F: n nodes do\n"
    "             1 / (F + (1 - F) / n). Without a column curve, all jobs have the\n"
    "             curve. --network-sharing: network_share is the part of a step, 0 to\n"
    "             1, in which a job that runs alone is on the network.\n"
    "  workload   four (NiN, GoogLeNet, AlexNet, VGG19), large (AlexNet, VGG19),\n"
    "             alexnet, or rows curve,weight,size_mean,size_deviation (normal,\n"
    "             drawn again if not positive) with --curves.\n"
    "  logs       The size of a job is such that n nodes take the T seconds that it\n"
    "             ran on n GPUs or processors (fractions are rounded up); several\n"
    "             attempts count together. Jobs without GPUs, or without a recorded\n"
    "             end, are left out. Times of --completions count from the first\n"
    "             arrival of the log; with a table of jobs, from time 0 of arrival_s.\n"
    "  columns    R is submit, start, end, duration, wait, walltime, nodes or job.\n"
    "             nodes, submit or start, and duration or end are needed. Cells stand\n"
    "             between commas, tabs, bars or semicolons. Times are seconds, dates\n"
    "             as 2020-06-09T18:41:01 or 1-02:03:04. C:ms says the unit of a\n"
    "             number, C:0.001 a factor. #3 is the third column; where all columns\n"
    "             are told so there is no header row.\n"
    "  trace-times  of gavel rows curve,nodes,throughput (job type, scale factor,\n"
    "             steps per second); of sia rows curve,nodes,duration_s (application,\n"
    "             replicas)\n"),
    SECTION("Notes",
    "  load       A job counts with its time on one node. With --jobs, only\n"
    "             moldable-knee uses it, as in sgdperf allocate.\n"
    "  gamma      0 ranks by what remains, 1 by size; above 1 jobs that have just\n"
    "             begun go first.\n"
    "  model      of the workloads: hybrid has its threshold on the utilization that\n"
    "             an arriving transfer finds (predict: of the transfer, too).\n"
    "  network-sharing  Jobs on the network share it equally. They come at random\n"
    "             and fill each other's gaps. Policies decide by the throughput of a\n"
    "             job that runs alone.\n"
    "  max-nodes  own also takes the column nodes of JOBS.csv.\n"
    "  sjf, smallest-first  The first job in line blocks all behind it as long as it\n"
    "             does not fit, as with fcfs.\n"
    "  kill       Without it, walltimes that are too short count as the run time. A\n"
    "             job without a walltime has its run time as walltime.\n"
    "  tables     Policies that change nodes, beside rigid ones in a table: the size\n"
    "             of a job follows from its curve and its time on its own nodes. Its\n"
    "             wait ends when it first has nodes; its slow-down is relative to its\n"
    "             time on its own nodes. The waits of a log are shown as observed.\n"
    "  csv        Rows of several policies of rigid jobs appear as they are done.\n"
    "             --fractions, --cdf, --completions and --by-width print their table\n"
    "             alone; json has --completions and --by-width always.\n"),
    SECTION("Results",
    "  nodes      of --completions: the mean from start to end, if they change; in\n"
    "             csv nodes_over_time has TIME:NODES for each change\n"
    "  backfilled jobs that started while a job that arrived earlier went on waiting\n"
    "  slow-down  response time over the least that the job needs on the cluster\n"
    "             alone; of rigid jobs over the time that they ran\n"
    "  fractions  time from arrival until that part of the job is done: mean, median,\n"
    "             95th percentile, maximum of the jobs that come so far\n"
    "  status     converged, not_converged (in --max-jobs), unstable (more than 10 W\n"
    "             jobs present, 1000 where W is below 10), or done (all given jobs\n"
    "             have left). Not converged or unstable: the exit status is 3.\n"),
    SECTION("Example: the second job waits for the first, which makes good use of all nodes",
    "  $ printf '%s\\n' curve,nodes,throughput a,1,1 a,2,2 a,3,3 b,1,1 b,2,1.5 > \\\n"
    "      curves.csv\n"
    "  $ printf '%s\\n' job,arrival_s,size,curve first,0,30,a second,5,6,b |\n"
    "      sgdperf cluster --nodes 3 --jobs - --curves curves.csv --completions \\\n"
    "      --format csv\n"
    "  job,completion_s,response_s,start_s,nodes,nodes_over_time\n"
    "  first,10,10,0,3,0:3\n"
    "  second,14,9,10,2,10:2\n")
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
                  OPTION_CURVES_ONLY, OPTION_SWEEP, OPTION_CDF, OPTION_FRACTIONS, OPTION_BY_CURVE,
                  OPTION_NETWORK_SHARING),
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
    EXCLUDES(EACH(OPTION_WORKLOAD, OPTION_NO_PS_NODES, OPTION_MODEL, OPTION_CURVES_ONLY,
                  OPTION_SWEEP, OPTION_PRECISION, OPTION_MIN_JOBS, OPTION_MAX_JOBS), ONE(JOBS)),
    UNLESS(ONE(QUIT), EXCLUDES, ONE(SEED), ONE(JOBS)),
    /* random arrivals */
    MISSING(EACH(OPTION_LOAD, OPTION_SWEEP, OPTION_JOBS, OPTION_CURVES_ONLY)),
    EXCLUDES(ONE(SWEEP), ONE(LOAD)),
    NEEDS(ONE(CURVES), EACH(OPTION_JOBS, OPTION_WORKLOAD)),
    NEEDS(ONE(NETWORK_SHARING), ONE(CURVES)),
    EXCLUDES(EACH(OPTION_NO_PS_NODES, OPTION_MODEL, OPTION_CURVES_ONLY), ONE(CURVES)),
    NEEDS(ONE(CHUNK), AMONG("jsq", OPTION_POLICY, OPTION_POLICIES)),
    /* what is printed */
    NEEDS(ONE(COMPLETIONS), ONE(JOBS)),
    UNLESS(RIGID_JOBS, EXCLUDES, ONE(COMPLETIONS), ONE(POLICIES)),
    NEEDS(ONE(BY_CURVE), ONE(FRACTIONS)),
    UNLESS(ONE(FRACTIONS), EXCLUDES, ONE(CDF), EACH(OPTION_SWEEP, OPTION_POLICIES))
};

/* ---- The command ----------------------------------------------------------- */

/* Fails over the policies that need curves, by their names. */
TOOL_NORETURN static void need_curves(const cluster *c, const args *a)
{
    const char **name = (const char **)tool_alloc(c->policies, sizeof *name);
    char list[160];
    size_t names = 0;
    for (size_t i = 0; i < c->policies; i++)
        if (!c->policy[i].is_rigid) name[names++] = c->policy[i].name;
    if (!args_given(a, OPTION_POLICIES) && !args_given(a, OPTION_POLICY)) {
        (void)csv_read(args_text(a, OPTION_JOBS, ""), 0);      /* tells of an empty file first */
        args_fail(OPTION_JOBS, NULL, "needs %s, or a policy of rigid jobs, as %s fcfs",
                  NAME_OF(CURVES), NAME_OF(POLICY));
    }
    args_fail(args_given(a, OPTION_POLICY) ? OPTION_POLICY : OPTION_POLICIES,
              words_join(name, names, list, sizeof list), "change%s the nodes of jobs: add %s",
              names > 1 ? "" : "s", NAME_OF(CURVES));
}

static int run_command(args *a)
{
    static cluster c;                  /* what it points to must outlive the command */
    output out = {.form = args_form(a)};
    size_t *best, points;
    double *gamma;
    cluster_recognise(a);
    args_check(a, rules, COUNT_OF(rules));
    cluster_read_policies(&c, a);
    if (args_given(a, OPTION_JOBS) && !args_given(a, OPTION_CURVES) && c.rigid < c.policies)
        need_curves(&c, a);
    if (c.rigid > 0) return cluster_run_rigid(&c, a);
    int gammas = args_quantities(a, OPTION_GAMMA, UNIT_NONE, NUMBER_ANY, &gamma) > 1;
    c.table = gammas || args_given(a, OPTION_SWEEP) || args_given(a, OPTION_POLICIES);
    if (gammas && args_given(a, OPTION_COMPLETIONS))
        args_fail(OPTION_COMPLETIONS, NULL, "needs a single --gamma, not a list");
    if (gammas && args_given(a, OPTION_CDF) && !args_given(a, OPTION_FRACTIONS))
        args_fail(OPTION_CDF, NULL, "needs a single --gamma, or --fractions");
    cluster_read(&c, a);
    c.changes = args_given(a, OPTION_COMPLETIONS);
    if (args_given(a, OPTION_CURVES_ONLY)) {
        cluster_print_curves(&out, &c.curves);
        return output_flush(&out, EXIT_DONE);
    }
    cluster_outcome *outcome = (cluster_outcome *)tool_alloc(c.points, sizeof *outcome);
    if (c.table || c.points > 1) cluster_run_all(&c, outcome);
    points = cluster_best(&c, outcome, &best);
    /* Completions come from a run in this process. */
    if (!c.table && (c.points == 1 || c.given))
        cluster_run_one(&c, &c.point[best[0]], &outcome[best[0]]);
    for (size_t i = 0; i < points; i++) cluster_note(&c, &c.point[best[i]], &outcome[best[i]]);
    return output_flush(&out, cluster_print(&out, &c, outcome, best, points, a));
}

const args_command command_cluster = {
    "cluster", "simulate jobs that share a cluster", run_command, uses,
    COUNT_OF(uses), NULL, 0, 0, 1, NULL, 0,
    EACH(OPTION_NODES, OPTION_LOAD, OPTION_JOBS, OPTION_CURVES, OPTION_POLICY)};
