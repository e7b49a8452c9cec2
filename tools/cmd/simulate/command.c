/* command.c - sgdperf simulate: one worker's traced operations on many workers */
#include "cmd/simulate/simulate.h"
#include "jobs/parallel.h"
#include "cmd/commands.h"

#include <stdio.h>
#include <string.h>

static const option_use uses[] = {
    ABOUT(
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
    "\n"),
    USE_AS(WORKERS, AS_TABLE, "N[,N2...]", NULL,
         "workers of each type, one number a trace file", NULL),
    USE_AS(SWEEP, WORKERS, NULL, NULL,
         "in place of --workers, for one trace file: a run, and a row, for each number of "
         "workers: 1,2,4 or 1-16 or 1-64:4. One of the two is required", NULL),
    USE_HELP(MODE,
         "async: each worker starts its next step at once; sync: all start together; allreduce: "
         "sync, uplinks are exchanges over a ring and downlinks take no time; required", NULL),
    USE_HELP(STEPS, "of each worker", "1000"), USE(WARMUP), USE(SEED), USE(STAGGER), USE(SEQUENCE),
    USE(SERVICE), USE(RUNS), ABOUT("\n"),
    USE_HELP(BANDWIDTH,
         "of each server's link, each way: bps kbps Mbps Gbps (or Gbit/s, Gb/s), B/s kB/s MB/s "
         "GB/s [B/s]; required, but for the --gpus of one machine", NULL),
    USE(LINK), USE(TCP_TWO_WAY), USE(TCP_SPREAD),
    USE_AS(WORKER_BANDWIDTH, NUMBERS, "B[,B2...]", NULL,
         "of each worker's own link, each way, as --bandwidth: its transfers to and from all "
         "servers share it; one for all, or one a trace file",
         "none; ps with several servers: that of a server"),
    USE_AS(DELAY, NUMBERS, "T[,T2...]", NULL,
         "one way between a worker and a server: what a transfer carries arrives so much later, "
         "the link being free meanwhile; on a ring, each message, without which the smallest "
         "buckets always win; one for all, or one a trace file", "0 s"),
    USE_HELP(FLOW_CAP, "most bandwidth of one worker's flow, as --bandwidth", "none"),
    USE(FCFS_SPILL), USE(HTTP2_WINDOW), USE(REAPPEND), USE(OVERHEAD),
    USE_AS(ORDER, PATH, "FILE|RULE", "reverse random tic tac search",
         "op numbers, one a line, queued first in this order as a step starts; or downloads by "
         "rule: reverse (of op numbers), random (with --seed), tic or tac (TicTac: by the "
         "graph, or by times, of what a download unblocks), search (exchanges that make one "
         "worker's steps shorter). Rules go by the first step of the first trace; a file that "
         "has the name of a rule: ./tic", NULL),
    USE(ORDER_OUT),
    ABOUT(
    "\n"
    "  collectives, of --mode allreduce; any of these options asks for them\n"),
    USE_AS(LAYERS, AS_TABLE, "FILE", NULL,
         "a table of layers in place of a trace: one step, as predict --layers takes it", NULL),
    USE_HELP(GPUS, "accelerators of a machine, which share its link", "1"),
    USE_HELP(LATENCY, "of a message between machines", "0 s"),
    USE_HELP(LOCAL_BANDWIDTH,
         "of an accelerator's link inside its machine; required for --gpus above 1", NULL),
    USE_DEFAULT(LOCAL_LATENCY, "0 s"),
    USE_AS(COLLECTIVE, CHOICE, "A:F", NULL,
         "by this algorithm and in this form, as in predict (streamed only with --protocols "
         "that have it), or auto, the quickest", "auto"),
    USE_DEFAULT(PROTOCOLS, "all ways, at no cost"),
    USE_HELP(RINGS, "flows of a collective between machines, for --flow-cap", "1"),
    USE_AS(BUCKET, NUMBER, "SIZE", NULL,
         "of gradients exchanged together: uplinks are gathered in the order in which they are "
         "ready, none is split", "25MiB with --layers; uplinks of a trace one by one"),
    USE(FIRST_BUCKET), USE(STREAMS),
    USE_AS(SHARDING, CHOICE, "S", NULL,
         "ddp, zero-1, zero-2, fsdp or hsdp; of a trace ddp, whose downlinks take no time, or "
         "fsdp and hsdp, whose downlinks gather parameters", "ddp"),
    USE(UNIT), USE(PREFETCH),
    USE_AS(ACCUMULATE, WHOLE, "N", NULL,
         "micro-batches of a step, of --layers: only the last exchanges, of fsdp and hsdp each; "
         "not of zero-2", "1"),
    ABOUT("\n"), USE_HELP(SERVERS, "parameter servers, on machines of their own", "1"),
    USE_AS(UPDATES, CHOICE, NULL, "separate queued shared",
         "of different workers: separate: on cores of their own; queued: one after the other, "
         "first come first served; shared: the server is shared equally", "separate"),
    USE(TWO_PS), ABOUT("\n"),
    USE_AS(WINDOW, CHOICE, "W", "total steady",
         "total: the throughput counts to the end; steady: until a worker runs out of steps",
         "total"),
    USE_HELP(BATCH,
         "examples of a mini-batch, for examples_per_s, which else is not told", NULL),
    USE(STEP_ENDS), USE(TIMELINE), PARALLEL_USES, USE(FORMAT),
    ABOUT(
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
    "  stdin        4      0.313     0.333   0.333  0.0208        0\n")
};

static const option_rule rules[] = {
    MISSING(ONE(MODE)), MISSING(EACH(OPTION_WORKERS, OPTION_SWEEP)),
    UNLESS(EACH(COLLECTIVES_OPTIONS), NEEDS, NOTHING, ONE(BANDWIDTH)),
    EXCLUDES(EACH(OPTION_WORKERS, OPTION_SEQUENCE, OPTION_STEP_ENDS, OPTION_TIMELINE), ONE(SWEEP)),
    NEEDS(IS(LINK, "average"), IS(MODE, "sync")),
    EXCLUDES(EACH(OPTION_STEP_ENDS, OPTION_TIMELINE), IS(LINK, "average")),
    EXCLUDES(EACH(OPTION_SERVERS, OPTION_HTTP2_WINDOW, OPTION_OVERHEAD, OPTION_REAPPEND,
                  OPTION_TWO_PS, OPTION_FCFS_SPILL, OPTION_UPDATES), IS(MODE, "allreduce")),
    EXCLUDES(IS(LINK, "ps fcfs average"), IS(MODE, "allreduce")),
    NEEDS(EACH(OPTION_TCP_TWO_WAY, OPTION_TCP_SPREAD), IS(LINK, "tcp")),
    EXCLUDES(EACH(OPTION_TWO_PS, OPTION_FCFS_SPILL), ONE(WORKER_BANDWIDTH)),
    NEEDS(ONE(REAPPEND), ONE(HTTP2_WINDOW)),
    NEEDS(ONE(TWO_PS), IS(SERVERS, "2")), NEEDS(ONE(TWO_PS), IS(LINK, "ps average")),
    NEEDS(ONE(FCFS_SPILL), IS(LINK, "fcfs average")), NEEDS(ONE(FCFS_SPILL), ONE(FLOW_CAP)),
    NEEDS(ONE(ORDER_OUT), ONE(ORDER)),
    NEEDS(EACH(COLLECTIVES_OPTIONS), IS(MODE, "allreduce")),
    EXCLUDES(EACH(OPTION_LINK, OPTION_TCP_TWO_WAY, OPTION_TCP_SPREAD, OPTION_WORKER_BANDWIDTH,
                  OPTION_STAGGER, OPTION_SERVICE, OPTION_ORDER, OPTION_ORDER_OUT, OPTION_SEQUENCE,
                  OPTION_WINDOW, OPTION_DELAY), EACH(COLLECTIVES_OPTIONS)),
    NEEDS(EACH(OPTION_UNIT, OPTION_PREFETCH, OPTION_ACCUMULATE), ONE(LAYERS)),
    NEEDS(IS(SHARDING, "zero-1 zero-2"), ONE(LAYERS)),
    EXCLUDES(EACH(OPTION_BUCKET, OPTION_FIRST_BUCKET), IS(SHARDING, "fsdp hsdp")),
    NEEDS(EACH(OPTION_UNIT, OPTION_PREFETCH), IS(SHARDING, "fsdp hsdp")),
    UNLESS(ONE(LAYERS), NEEDS, ONE(FIRST_BUCKET), ONE(BUCKET))
};

/* A trace file, or a table of layers in its place. */
static void take_layers(args *a)
{
    const char *path = args_text(a, OPTION_LAYERS, NULL);
    if (!path) {
        if (a->file_count == 0) tool_fail("simulate: a file is missing, see --help");
        return;
    }
    if (a->file_count > 0)
        tool_fail("simulate: '%s' is one argument too many beside --layers", a->files[0]);
    a->files = (char **)tool_alloc(1, sizeof *a->files);
    a->files[a->file_count++] = strcpy((char *)tool_alloc(strlen(path) + 1, 1), path);
}

static int run(args *a)
{
    simulation s = {0}, *point;
    output out = {0};
    take_layers(a);
    simulate_options(&s, a);
    simulate_read(&s, a);
    simulate_check_stagger(&s, a);
    order_take(&s, a);
    point = simulate_run(&s);
    order_commit(&s);
    simulate_notes(point, s.points);
    out.form = args_form(a);
    simulate_print(&out, point, s.points);
    return output_flush(&out, EXIT_DONE);
}

const args_command command_simulate = {
    "simulate", "one worker's operations replayed on many", run, uses,
    COUNT_OF(uses), rules, COUNT_OF(rules), 0, (size_t)-1, NULL, 0};
