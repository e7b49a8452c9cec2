/* cluster.c - sgdperf cluster: what a policy does to the response times of jobs */
#include "cmd/cluster/cluster.h"
#include "jobs/parallel.h"
#include "cmd/commands.h"
#include "cmd/rules.h"

#include <stdio.h>

static const char usage[] =
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
    "\n"
    "  --nodes W             nodes of the cluster; required, but for traces with MaxProcs\n"
    RULES_HELP
    "      jsq               chunks of --chunk nodes, each with a queue; a job joins the\n"
    "                        shortest\n"
    "      fcfs              rigid jobs, of nodes that do not change, in order of arrival\n"
    "      easy              the same, and later ones that do not delay the first by the\n"
    "                        walltimes of those that run (EASY backfilling)\n"
    "      conservative      or, starts being planned for all, that delay none of them\n"
    "      sjf               rigid jobs, least walltime first\n"
    "      smallest-first    rigid jobs, fewest nodes first\n"
    RULES_HELP_OPTIONS
    "  --gamma G             jobs are ranked by SIZE^G REST^(1-G): 0 by what remains, 1 by\n"
    "                        their size, above 1 those that have just begun go first; a list\n"
    "                        G,G2,... is a table [0]\n"
    "  --chunk C             nodes of a chunk of jsq [the best of 7, or of 1 with fewer nodes,\n"
    "                        to 40]\n"
    "  --restart-cost TIME   time that a job loses whenever its nodes change after its start:\n"
    "                        ns us ms s min h d [s; 0]\n"
    "  --quit F:P            users give up after the fraction F of their job with probability P;\n"
    "                        may repeat [nobody]\n"
    "  --min-nodes N         a job gets none or so many at least, under policies that change its\n"
    "                        nodes; where JOBS.csv has the column min_nodes, it goes before [1]\n"
    "  --max-nodes N         so many at most (column max_nodes), or own: as many as it has in a\n"
    "                        trace or in the column nodes [all]\n"
    "  --gang N              a multiple of these (column gang_nodes) [1]\n"
    "\n";

static const char arrivals[] =
    "Random arrivals:\n"
    "  --load X              work that arrives over what the nodes do, each job counted by its\n"
    "                        time on one node; required; with --jobs it is for moldable-knee\n"
    "                        alone, as in sgdperf allocate\n"
    "  --workload NAME       four (NiN, GoogLeNet, AlexNet, VGG19), large (AlexNet, VGG19) or\n"
    "                        alexnet [four]; or a FILE of rows curve,weight,size_mean,\n"
    "                        size_deviation (normal, drawn again if not positive), with --curves\n"
    "  --no-ps-nodes         of named workloads: all nodes of a job are workers, none of several\n"
    "                        is a parameter server\n"
    "  --model M             of the throughputs of named workloads: hybrid (threshold 0.8 on the\n"
    "                        utilization that an arriving transfer finds; predict: with it),\n"
    "                        exact or fcfs [hybrid]\n"
    "  --seed S              of arrivals, sizes and who gives up [1]\n"
    "  --precision P         stop when the half-width of the mean is this part of it [0.05]\n"
    "  --min-jobs N          departures before which it does not stop [10000]\n"
    "  --max-jobs N          departures after which it stops in any case [1000000]\n"
    "  --warmup-jobs N       departures that do not count, at least 1 [1000; none with --jobs]\n"
    "  --curves-only         prints the throughputs of a named workload, with --format csv as a\n"
    "                        file for --curves\n"
    "\n"
    "Given jobs:\n"
    "  --jobs FILE           rows job,arrival_s,size,curve in order of arrival (- is stdin)\n"
    "  --curves FILE         rows curve,nodes,throughput: a job of that curve does so much of\n"
    "                        its size in a second; nodes go from 1 up without gaps; or linear\n"
    "                        (n nodes do n) or amdahl:F (1 / (F + (1 - F) / n)), of that name,\n"
    "                        which all jobs have where JOBS.csv has no column curve\n"
    "  --trace-format F      --jobs is a log of jobs, maybe compressed by gzip: swf (Parallel\n"
    "                        Workloads Archive), sacct or slurm (sacct -aXP), philly\n"
    "                        (cluster_job_log), helios (cluster_log.csv), pai (Alibaba 2020,\n"
    "                        pai_task_table, with or without its header), sia or pollux, gavel\n"
    "                        (and Shockwave), csv or columns (--columns). A job\n"
    "                        that ran T seconds on n GPUs or processors, parts rounded up, is\n"
    "                        so large that n nodes take T; several attempts count together.\n"
    "                        Jobs that did not run to a recorded end, or without GPUs, are\n"
    "                        left out\n"
    "  --columns R=C,...     of csv, any table with cells between commas, tabs, bars or\n"
    "                        semicolons: column C has the role R, which is submit, start, end,\n"
    "                        duration, wait, walltime, nodes or job. nodes, submit or start,\n"
    "                        and duration or end are needed. Times are seconds, dates as\n"
    "                        2020-06-09T18:41:01 or 1-02:03:04; C:ms and such say the unit of\n"
    "                        numbers, C:0.001 a factor; #3 is the third column, and where all\n"
    "                        are told so there is no header row\n"
    "  --trace-curve NAME    the curve of all its jobs [the first of --curves]\n"
    "  --trace-submits FILE  of pai: pai_job_table, when jobs were submitted [when they began]\n"
    "  --trace-nodes U       of sacct, what a node is: gpus, processors or nodes [the first of\n"
    "                        these that any job had]\n"
    "  --trace-times FILE    how long jobs run where the log does not say so: of gavel rows\n"
    "                        curve,nodes,throughput (job type, scale factor, steps a second),\n"
    "                        of sia curve,nodes,duration_s (application, replicas)\n"
    "\n";

static const char rest[] =
    "Rigid jobs, which need their nodes, no more and no fewer, and run to their end:\n"
    "JOBS.csv has rows job,arrival_s,nodes,run_s[,walltime_s], or with --curves size and curve\n"
    "in place of run_s: its nodes take so long for its size. The waits of a trace are shown as\n"
    "observed. Without a walltime the time that a job runs is known beforehand. Beside policies\n"
    "that change the nodes of jobs, in one table, a job is so large that by its curve it takes as\n"
    "long on its own nodes; its wait is until it first has nodes, slow-downs are over the time on\n"
    "its own nodes.\n"
    "\n"
    "  --rigid               with --jobs and without --policy: fcfs\n"
    "  --kill                ends jobs at their walltime [they run on, and are taken to have\n"
    "                        asked for as long as they run]\n"
    "  --slowdown-bound T    bounded slow-down: jobs that ran less count as so long [10s]\n"
    "  --by-width            adds a table by widths of jobs; alone with csv, and always there\n"
    "                        with json\n"
    "\n"
    "  --sweep A:B:STEP      instead of --load: a table of the loads A, A + STEP, ... B, or\n"
    "                        listed as A,B,...\n"
    "  --policies P,P2,...   instead of --policy: a table of these\n"
    PARALLEL_HELP("        ")
    "  --fractions F,F2,...  adds how long after its arrival these parts of a job are done (1:\n"
    "                        all of it): mean, median, 95th percentile, maximum; alone with csv\n"
    "  --by-curve            of --fractions: the jobs of each curve as well\n"
    "  --cdf                 adds the response times at the probabilities 0.01 ... 0.99, with\n"
    "                        --fractions also the times of these; alone with csv\n"
    "  --completions         adds when each of the given jobs left; alone with csv, and always\n"
    "                        there with json\n"
    "  --format F            table, csv or json [table]\n"
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
    "  second,14,9\n";

/* ---- The command ----------------------------------------------------------- */

static const args_option options[] = {
    RULES_OPTIONS, {"--gamma", ARGS_VALUE}, {"--chunk", ARGS_VALUE}, {"--restart-cost", ARGS_VALUE},
    {"--quit", ARGS_REPEAT}, {"--workload", ARGS_VALUE}, {"--no-ps-nodes", ARGS_FLAG},
    {"--model", ARGS_VALUE}, {"--seed", ARGS_VALUE}, {"--precision", ARGS_VALUE},
    {"--min-jobs", ARGS_VALUE}, {"--max-jobs", ARGS_VALUE}, {"--warmup-jobs", ARGS_VALUE},
    {"--curves-only", ARGS_FLAG}, {"--jobs", ARGS_VALUE}, {"--curves", ARGS_VALUE},
    {"--trace-format", ARGS_VALUE}, {"--trace-curve", ARGS_VALUE},
    {"--trace-submits", ARGS_VALUE}, {"--trace-nodes", ARGS_VALUE},
    {"--trace-times", ARGS_VALUE}, {"--columns", ARGS_VALUE}, {"--sweep", ARGS_VALUE},
    {"--policies", ARGS_VALUE},
    PARALLEL_OPTIONS, {"--cdf", ARGS_FLAG}, {"--completions", ARGS_FLAG},
    {"--fractions", ARGS_VALUE}, {"--by-curve", ARGS_FLAG}, {"--min-nodes", ARGS_VALUE},
    {"--max-nodes", ARGS_VALUE}, {"--gang", ARGS_VALUE},
    {"--rigid", ARGS_FLAG}, {"--kill", ARGS_FLAG}, {"--slowdown-bound", ARGS_VALUE},
    {"--by-width", ARGS_FLAG}
};

int cmd_cluster(int argc, char **argv)
{
    static char help[sizeof usage + sizeof arrivals + sizeof rest];
    static const args_command command = {help, options, COUNT_OF(options), 0, 0};
    static cluster c;                  /* what it points to must outlive the command */
    args a;
    cluster_outcome *outcome;
    output out = {0};
    double *gamma;
    size_t best = 0;
    int table;
    snprintf(help, sizeof help, "%s%s%s", usage, arrivals, rest);
    args_parse(&a, &command, argc, argv);
    cluster_check_trace(&a);
    if (cluster_is_rigid(&a)) return cluster_run_rigid(&a);
    table = args_given(&a, "--sweep") || args_given(&a, "--policies") ||
            args_numbers(&a, "--gamma", UNIT_NONE, NUMBER_ANY, &gamma) > 1;
    if (args_given(&a, "--completions") && (table || !args_given(&a, "--jobs")))
        args_fail("--completions", NULL, "for one policy with --jobs");
    if (args_given(&a, "--cdf") && table && !args_given(&a, "--fractions"))
        args_fail("--cdf", NULL, "for one policy and load, or with --fractions");
    cluster_read(&c, &a);
    cluster_read_parts(&c, &a);
    cluster_limit_all(&c, &a);
    if (args_given(&a, "--curves-only")) {
        cluster_print_curves(&out, &c.curves, args_format(&a));
        return output_flush(&out, EXIT_DONE);
    }
    outcome = (cluster_outcome *)tool_alloc(c.points, sizeof *outcome);
    if (table || c.points > 1) cluster_run_all(&c, outcome);
    if (table) return output_flush(&out, cluster_print_all(&out, &c, outcome, &a));
    best = cluster_best(outcome, 0, c.points);
    /* Completions come from a run in this process. */
    if (c.points == 1 || c.given) cluster_run_one(&c, &c.point[best], &outcome[best]);
    return output_flush(&out, cluster_print_one(&out, &c, outcome, best, &a));
}
