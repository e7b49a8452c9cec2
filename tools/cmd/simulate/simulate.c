/* simulate.c - sgdperf simulate: one worker's traced operations on many workers */
#include "cmd/simulate/simulate.h"
#include "jobs/parallel.h"
#include "cmd/commands.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: sgdperf simulate TRACE.csv [TRACE2.csv ...] --workers N[,N2...] | --sweep LIST\n"
    "                        --mode async|sync|allreduce --bandwidth B [option ...]\n"
    "\n"
    "Replays the operations of profiled steps on many workers that share the links to their\n"
    "parameter servers, and prints the throughput. One trace file a type of worker (- is stdin),\n"
    "one row an operation (rows in any order), with the columns\n"
    "  step        number of the profiled step, from 0\n"
    "  op          number of the operation in the step, from 0\n"
    "  resource    downlink, worker, uplink or server\n"
    "  server      parameter server of a link or server operation, optional [0]\n"
    "  duration_s  seconds of a worker or server operation; of others not used\n"
    "  bytes       bytes of a downlink or uplink operation; of others not used\n"
    "  waits_for   operations of the step that come before, numbers separated by blanks\n"
    "  name        optional, for --timeline\n"
    "sgdperf trace-from-layers makes such a file from a table of layers. Asynchronous workers\n"
    "whose steps never vary stay in step on links that are shared equally, and are then no faster\n"
    "than synchronous ones: trace-from-layers --vary gives steps that vary.\n"
    "\n";

static const char what_runs[] =
    "  --workers N[,N2...]   workers of each type, one number a trace file\n"
    "  --sweep LIST          in place of --workers, for one trace file: a run, and a row, for\n"
    "                        each number of workers: 1,2,4 or 1-16 or 1-64:4. One of the two is\n"
    "                        required\n"
    "  --mode M              async: each worker starts its next step at once; sync: all start\n"
    "                        together; allreduce: sync, uplinks are exchanges over a ring and\n"
    "                        downlinks take no time; required\n"
    "  --steps N             of each worker [1000]\n"
    "  --warmup D            step completions of all workers that do not count; fewer than 5 a\n"
    "                        worker are noted, but for --warmup 0 with --step-ends or\n"
    "                        --timeline [50; sync and allreduce: up to the end of a step of all\n"
    "                        workers, or part of a step would count]\n"
    "  --seed S              of the draws of profiled steps, with replacement [1]\n"
    "  --stagger T           workers start at times drawn between 0 and T [0 s: all at once]\n"
    "  --sequence FILE       rows worker,k,step (from 0): the profiled step that a worker runs\n"
    "                        as its k-th; the others are drawn\n"
    "  --service S           traced: times as traced; exponential: each times an exponential\n"
    "                        number [traced]\n"
    "  --runs R              replications with different draws, for a 95 % confidence interval\n"
    "                        (Student's t; none where nothing is drawn). The first has the seed\n"
    "                        S; results are means, events the sum, step ends and the timeline of\n"
    "                        the first. From 10 runs on, two rates that they come to are told\n"
    "                        apart, as workers may stay in step or take turns [1]\n"
    "\n";

static const char links[] =
    "  --bandwidth B         of each server's link, each way: bps kbps Mbps Gbps (or Gbit/s,\n"
    "                        Gb/s), B/s kB/s MB/s GB/s [B/s]; required, but for the --gpus of\n"
    "                        one machine\n"
    "  --link L              ps: processor sharing, all transfers at once and equally; fcfs: one\n"
    "                        worker after the other; average (sync): the mean of both, run with\n"
    "                        the same seed; tcp: as streams of TCP were measured to share it, at\n"
    "                        1 Gbit/s: elsewhere a guess [ps]\n"
    "  --tcp-two-way X       n streams against m > n in the other direction carry (n/m)^X of the\n"
    "                        link: their acknowledgements queue [0.5]\n"
    "  --tcp-spread S        streams share by weights, drawn for each step and direction, whose\n"
    "                        logarithm has the standard deviation S [0.2]. X and S are 0 to 1;\n"
    "                        0 and 0 share equally\n"
    "  --worker-bandwidth B[,B2...]\n"
    "                        of each worker's own link, each way, as --bandwidth: its transfers\n"
    "                        to and from all servers share it; one for all, or one a trace file\n"
    "                        [none; ps with several servers: that of a server]\n"
    "  --delay T[,T2...]     one way between a worker and a server: what a transfer carries\n"
    "                        arrives so much later, the link being free meanwhile; on a ring,\n"
    "                        each message, without which the smallest buckets always win; one\n"
    "                        for all, or one a trace file [0 s]\n"
    "  --flow-cap B          most bandwidth of one worker's flow, as --bandwidth [none]\n"
    "  --fcfs-spill          what --flow-cap leaves of an fcfs link goes to the next in line, and\n"
    "                        is not lost\n"
    "  --http2-window SIZE   a longer transfer sends so much first, the rest after those that\n"
    "                        wait: B kB MB GB KiB MiB GiB [B; 0: sent whole]\n"
    "  --reappend WHEN       complete: the rest of a transfer queues as its first part ends;\n"
    "                        select: as it is chosen [complete]\n"
    "  --overhead A,B        parsing a transfer of n bytes takes max(0, A n + B) at its\n"
    "                        receiver; A in s/byte, B in s, or with units ns us ms s [none]\n"
    "  --order FILE|RULE     op numbers, one a line, queued first in this order as a step starts;\n"
    "                        or downloads by rule: reverse (of op numbers), random (with --seed),\n"
    "                        tic or tac (TicTac: by the graph, or by times, of what a download\n"
    "                        unblocks), search (exchanges that make one worker's steps shorter).\n"
    "                        Rules go by the first step of the first trace; a file that has the\n"
    "                        name of a rule: ./tic\n"
    "  --order-out FILE      writes the order, for --order FILE\n"
    "\n";

static const char collective[] = COLLECTIVES_HELP;

static const char rest[] =
    "  --servers M           parameter servers, on machines of their own [1]\n"
    "  --updates U           of different workers: separate: on cores of their own; queued: one\n"
    "                        after the other, first come first served; shared: the server is\n"
    "                        shared equally [separate]\n"
    "  --two-ps V            --servers 2, each link shared equally: half: a worker alone on both\n"
    "                        has half of each; unit: all of each [half]\n"
    "\n"
    "  --window W            total: the throughput counts to the end; steady: until a worker runs\n"
    "                        out of steps [total]\n"
    "  --batch N             examples of a mini-batch, for examples_per_s, which else is not told\n"
    "  --step-ends           adds when each worker's steps ended; alone with csv\n"
    "  --timeline OUT.json   writes Chrome trace-event JSON, which Perfetto opens\n"
    PARALLEL_HELP("        ")
    "  --format F            table, csv or json [table]\n"
    "\n"
    "Prints batches_per_s of all workers together, makespan_s (until the last step ends),\n"
    "events (completed services), utilizations, the bottleneck, which has the largest of them\n"
    "(of a worker: the share of its time in which it computes), and of each type of worker where\n"
    "its time goes: computing, or idle while a download, else an upload, else an update of its\n"
    "own runs, else waiting for other workers. With --order also the mean step of one worker\n"
    "alone, and without that order.\n"
    "\n"
    "Example: 1 MB each way at 1 Gbps, 30 ms of compute, 2 ms per update\n"
    "  $ printf '%s\\n' step,op,resource,duration_s,bytes,waits_for,name \\\n"
    "      0,0,downlink,,1000000,,parameters 0,1,worker,0.03,,0,compute \\\n"
    "      0,2,uplink,,1000000,1,gradients 0,3,server,0.002,,2,update |\n"
    "      sgdperf simulate - --workers 4 --mode sync --bandwidth 1Gbps\n"
    "  sync, link ps, 4 workers, 1000 steps each\n"
    "  batches_per_s  ci95_half_width  makespan_s  events  seed  bottleneck\n"
    "         41.667                -          96   16000     1  uplink\n"
    "\n"
    "  utilization\n"
    "  worker   uplink    server  downlink\n"
    "  0.3125  0.33333  0.020833   0.33333\n"
    "\n"
    "  shares of a worker's time: computing, and waiting for\n"
    "  trace  workers  computing  downlink  uplink  server  barrier\n"
    "  stdin        4      0.313     0.333   0.333  0.0208        0\n";

static const args_option options[] = {
    {"--workers", ARGS_VALUE}, {"--sweep", ARGS_VALUE}, {"--mode", ARGS_VALUE},
    {"--steps", ARGS_VALUE}, {"--warmup", ARGS_VALUE}, {"--seed", ARGS_VALUE},
    {"--sequence", ARGS_VALUE}, {"--service", ARGS_VALUE}, {"--runs", ARGS_VALUE},
    {"--bandwidth", ARGS_VALUE}, {"--link", ARGS_VALUE}, {"--tcp-two-way", ARGS_VALUE},
    {"--tcp-spread", ARGS_VALUE}, {"--flow-cap", ARGS_VALUE}, {"--fcfs-spill", ARGS_FLAG},
    {"--http2-window", ARGS_VALUE}, {"--reappend", ARGS_VALUE}, {"--overhead", ARGS_VALUE},
    {"--order", ARGS_VALUE}, {"--order-out", ARGS_VALUE}, {"--servers", ARGS_VALUE},
    {"--updates", ARGS_VALUE}, {"--two-ps", ARGS_VALUE}, {"--window", ARGS_VALUE},
    {"--batch", ARGS_VALUE}, {"--step-ends", ARGS_FLAG}, {"--timeline", ARGS_VALUE},
    {"--worker-bandwidth", ARGS_VALUE}, {"--delay", ARGS_VALUE},
    {"--stagger", ARGS_VALUE}, COLLECTIVES_OPTIONS, PARALLEL_OPTIONS
};

/* A trace file, or a table of layers in its place. */
static void take_layers(args *a)
{
    const char *path = args_text(a, "--layers", NULL);
    if (!path) {
        if (a->file_count == 0) tool_fail("simulate: a file is missing, see --help");
        return;
    }
    if (a->file_count > 0)
        tool_fail("simulate: '%s' is one argument too many beside --layers", a->files[0]);
    a->files = (char **)tool_alloc(1, sizeof *a->files);
    a->files[a->file_count++] = strcpy((char *)tool_alloc(strlen(path) + 1, 1), path);
}

int cmd_simulate(int argc, char **argv)
{
    static char help[sizeof usage + sizeof what_runs + sizeof links + sizeof collective +
                     sizeof rest];
    static const args_command command = {help, options, COUNT_OF(options), 0, (size_t)-1};
    args a;
    simulation s = {0}, *point;
    output out = {0};
    snprintf(help, sizeof help, "%s%s%s%s%s", usage, what_runs, links, collective, rest);
    args_parse(&a, &command, argc, argv);
    take_layers(&a);
    simulate_options(&s, &a);
    simulate_read(&s, &a);
    simulate_check_stagger(&s, &a);
    order_take(&s, &a);
    point = simulate_run(&s);
    order_commit(&s);
    simulate_notes(point, s.points);
    simulate_print(&out, point, s.points, args_format(&a));
    return output_flush(&out, EXIT_DONE);
}
