/* command.c - sgdperf simulate: one worker's traced operations on many workers */
#include "cmd/simulate/simulate.h"
#include "jobs/parallel.h"
#include "cmd/commands.h"
#include "cmd/pipeline.h"

#include <string.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf simulate TRACE.csv [TRACE2.csv ...] --workers N[,N2...]\n"
    "                        --mode async|sync|allreduce [--bandwidth B] [option ...]\n"
    "\n"
    "Replays the operations of profiled steps on many workers that share the links to\n"
    "their parameter servers, and prints the throughput.\n"
    "\n"
    "One trace file per type of worker (- is stdin), one row per operation, in any\n"
    "order, with the columns\n"
    "  step        number of the profiled step, from 0\n"
    "  op          number of the operation in the step, from 0\n"
    "  resource    downlink, worker, uplink or server\n"
    "  server      parameter server of a link or server operation, optional [0]\n"
    "  duration_s  seconds of a worker or server operation; of others not used\n"
    "  bytes       bytes of a downlink or uplink operation; of others not used\n"
    "  waits_for   operations of the step that come before, separated by blanks\n"
    "  name        optional, for --timeline\n"
    "  collective  optional: all-to-all, of an uplink [all-reduce]\n"
    "  bandwidth_bytes_per_s, traced_workers, machine_accelerators\n"
    "              optional, in one row: the links and workers that were traced, and\n"
    "              the accelerators of their one machine. More workers need\n"
    "              --bandwidth. sizes_made_up: only times are known.\n"
    "sgdperf trace-from-layers makes such a file from a table of layers.\n"
    "\n"
    "What to run\n"),
    USE_HELP(JOBS, "several jobs that share the links: table job,trace,mode,workers; see Files",
         NULL),
    USE_AS(WORKERS, AS_TABLE, "N[,N2...]", NULL,
         "number of workers of each type, one number per trace file", NULL),
    USE_AS(SWEEP, WORKERS, NULL, NULL,
         "numbers of workers to simulate: 1,2,4 or 1-64:4 (step 4); replaces --workers", NULL),
    USE_HELP(MODE,
         "when workers start a step; required\n"
         "async\teach worker when its previous step has ended\n"
         "sync\tall workers together, when the slowest has ended\n"
         "allreduce\tas sync; uplink operations become exchanges, downlink operations take no time",
         NULL),
    USE_HELP(STEPS, "number of steps of each worker", "1000"),
    USE_HELP(BACKUP, "--mode allreduce: number of slowest workers that each step ignores", "0"),
    USE(WARMUP), USE(SEED), USE(STAGGER),
    USE(SEQUENCE), USE(SERVICE), USE(RUNS),
    HEADING("The links"),
    USE_HELP(BANDWIDTH, "bandwidth of each server's or machine's link", "as traced"),
    USE(NETWORK), USE(CARDS),
    USE(LINK), USE(TCP_TWO_WAY), USE(TCP_SPREAD),
    USE_AS(WORKER_BANDWIDTH, NUMBERS, "B[,B2...]", NULL,
         "bandwidth of each worker's link: one value, or one per trace file",
         "no limit; --link ps with several servers: --bandwidth"),
    USE_AS(DELAY, NUMBERS, "T[,T2...]", NULL,
         "one-way delay of each transfer or message; does not occupy the link", "0 s"),
    USE_HELP(FLOW_CAP, "largest bandwidth of one worker's flow on a link", "no limit"),
    USE(FCFS_SPILL),
    USE(HTTP2_WINDOW), USE(HTTP2_RULE), USE(REAPPEND), USE(OVERHEAD),
    USE_AS(ORDER, PATH, "FILE|RULE", "reverse random tic tac search",
         "order in which transfers queue: FILE of op numbers, or a rule\n"
         "reverse\tdescending op numbers\n"
         "random\tdrawn with --seed\n"
         "tic\tTicTac: downloads ranked by the graph of operations they unblock\n"
         "tac\tTicTac: downloads ranked by the times of operations they unblock\n"
         "search\tswaps of transfers that make the steps of one worker shorter", NULL),
    USE(ORDER_OUT),
    HEADING("The servers"),
    USE_HELP(SERVERS, "number of parameter servers, each on a machine of its own", "1"),
    USE_AS(UPDATES, CHOICE, NULL, "separate queued shared",
         "how a server applies updates of several workers: separate, queued, shared\n"
         "separate\tat once, each worker's on its own core; predict defaults to queued\n"
         "queued\tone after the other, first come, first served\n"
         "shared\tat once, sharing the server equally", "separate"),
    USE(TWO_PS),
    HEADING("Machines of several accelerators"),
    USE_HELP(GPUS, "number of accelerators per machine, which share its network link", "1"),
    USE_HELP(LOCAL_BANDWIDTH, "bandwidth between accelerators of one machine; required with --gpus",
         NULL),
    USE(LOCAL_NETWORK),
    HEADING("Collectives (--mode allreduce), if an option here or of machines is given"),
    USE_AS(LAYERS, AS_TABLE, "FILE", NULL,
         "table of layers that replaces the trace; format as predict --layers", NULL),
    USE_HELP(LATENCY, "latency of each message between machines", "0 s"),
    USE_DEFAULT(LOCAL_LATENCY, "0 s"),
    USE_AS(COLLECTIVE, LIST, "A:F", NULL,
         "algorithm A and form F, as in sgdperf predict; auto: the fastest",
         "auto; cluster if --inputs is declared"),
    USE_HELP(CPU_MACHINES, "--collective byteps: number of machines that only sum gradients", "0"),
    USE(PROTOCOLS), USE(ALLTOALL_SIZE), USE(TOKENS), USE(TOKEN_SIZE),
    USE_HELP(RINGS, "number of flows of a collective between machines, each with --flow-cap", "1"),
    USE_AS(BUCKET, NUMBER, "SIZE", NULL,
         "gradients up to SIZE are exchanged together, in order of readiness",
         "--layers: 25MiB; traces: as recorded"),
    USE(FIRST_BUCKET), USE(STREAMS),
    USE_AS(SHARDING, CHOICE, "S", NULL,
         "what workers store in parts (ddp: nothing); traces: ddp, fsdp, hsdp", "ddp"),
    USE(UNIT), USE(PREFETCH),
    USE_AS(ACCUMULATE, WHOLE, "N", NULL,
         "number of micro-batches per step; needs --layers, excludes --sharding zero-2", "1"),
    SECTION("Pipelines, with --layers: one step, pass by pass, on links that transfers and",
    "exchanges share; as predict --pipeline\n"),
    USE(PIPELINE), USE(SCHEDULE), USE(STAGES), USE(GROUP), USE(TOTAL_BATCH), USE(PRECISION),
    USE(OPTIMIZER),
    USE(ACTIVATIONS), USE(MEMORY),
    HEADING("Links as declared, with --mode allreduce; see Notes"),
    USE_HELP(OVERLAP, "exchanges overlap computation as the trace or the buckets allow", NULL),
    USE_HELP(INPUTS, "how bandwidths are known: measured, declared by makers, or calibrated",
         "declared with --gpus or from 10 Gbit/s up; else measured"),
    USE(EXPOSURE), USE(GROWTH), USE(GROWTH_BETWEEN), USE(STACK),
    HEADING("Output"),
    USE_AS(WINDOW, CHOICE, "W", "total steady",
         "time over which the throughput is averaged: total or steady\n"
         "total\tto the end of the last step\n"
         "steady\tuntil the first worker has run all its steps", "total"),
    USE_HELP(BATCH, "number of examples per mini-batch; adds the column examples_per_s", NULL),
    USE(STEP_ENDS), USE(OVER_TIME), USE(TIMELINE), USE(FORMAT), PARALLEL_USES,
    SECTION("Units",
    TIME_UNITS
    SIZE_UNITS
    BANDWIDTH_UNITS),
    SECTION("Files",
    "  jobs         A row is a type of workers: job,trace,mode,workers[,staleness].\n"
    "               Rows of a job are neighbours. trace: a path, from the working\n"
    "               directory if it is relative. mode: async, sync, allreduce. With\n"
    "               staleness S, a worker leads the slowest of its job by at most S\n"
    "               steps. A server's number in the trace is that of its machine: its\n"
    "               link serves all jobs, but each job has its own servers there. A\n"
    "               ring (allreduce) sends and receives on the link of a machine; one\n"
    "               worker stands for all.\n"),
    SECTION("Notes",
    "  jobs         A job goes on until all jobs have done their --steps. --warmup\n"
    "               counts steps of all workers of a job [50, or 5 x workers of the\n"
    "               largest job]. slowdown: throughput of the job alone / throughput\n"
    "               beside the other jobs.\n"
    "  bandwidth    is not needed with --gpus of one machine.\n"
    "  steps        Asynchronous workers whose steps never vary stay in step on links\n"
    "               shared equally, no faster than synchronous ones.\n"
    "               trace-from-layers --vary gives steps that vary.\n"
    "  runs         The first run has --seed. Results are means over runs, but events\n"
    "               is the sum; step ends and timeline are of the first run. From 10\n"
    "               runs on, two rates are told apart: workers may stay in step or\n"
    "               take turns.\n"
    "  warmup       Fewer than 5 completions a worker are noted, but not for\n"
    "               --warmup 0 with --step-ends or --timeline.\n"
    "  backup       Late gradients are dropped, and late workers start the next step\n"
    "               with the others. Shares of time take a late worker for the last\n"
    "               one that counts.\n"
    "  order        is computed from the first step of the first trace. Write ./tic\n"
    "               for a file that has the name of a rule.\n"
    "  mode         allreduce: all workers run the same profiled step, one step after\n"
    "               the other, if the trace has traced_workers or its steps have\n"
    "               different exchanges; else each worker draws its steps. The trace\n"
    "               of several workers tells what an exchange hides. Its link is\n"
    "               measured; of another, if it is declared, an all-reduce gets 0.8.\n"
    "  gpus         With async and sync the accelerators of a machine start a step\n"
    "               together, reduce their gradients inside the machine, send them\n"
    "               once, and pass the parameters on: a machine is a worker of the\n"
    "               servers. Steps and warm-up count steps of machines.\n"
    "  sequence     k and step count from 0; steps that it leaves out are drawn.\n"
    "  delay        The link is free meanwhile. Without a delay per message, the\n"
    "               smallest buckets always win on a ring.\n"
    "  tcp          Streams share by weights, drawn per step and direction. X and S\n"
    "               of 0 share equally. Two-way traffic queues acknowledgements.\n"
    "  sharding     In a trace, downlinks of fsdp and hsdp gather parameters.\n"
    "  all-to-all   With --gpus or --collective it stands in place of downlink, but\n"
    "               not in the names of columns and keys of csv and json.\n"
    "  accumulate   Only the last micro-batch exchanges; with fsdp, hsdp each does.\n"
    "  declared     As predict --model cluster has it, compute grows by 2.5 % with\n"
    "               each doubling, and an exchange follows all compute and lasts 1.25\n"
    "               times as long, or as --growth and --exposure say.\n"
    "  csv          --step-ends and --over-time print their table alone.\n"),
    SECTION("Results",
    "  batches_per_s  of all workers together\n"
    "  makespan_s     until the last step ends\n"
    "  events         completed services\n"
    "  bottleneck     the resource with the largest utilization; of a worker that is\n"
    "                 the share of its time in which it computes\n"
    "  part of time   in which workers compete: several use or wait for a link, or\n"
    "                 for a server with --updates queued or shared\n"
    "  shares         of each type of worker: computing, or idle while a download,\n"
    "                 else an upload, else an update of its own runs, else waiting\n"
    "                 for other workers, also for the last one at the end of the run\n"
    "With --order also the mean step of one worker alone, with and without the order.\n"),
    SECTION("Example: 1 MB each way at 1 Gbps, 30 ms of compute, 2 ms per update",
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
    "  part of the time with two workers or more at a link or server\n"
    "   uplink  server  downlink\n"
    "  0.33333       0   0.33333\n"
    "\n"
    "  shares of a worker's time: computing, and waiting for\n"
    "  trace  workers  computing  downlink  uplink  server  barrier\n"
    "  stdin        4      0.313     0.333   0.333  0.0208        0\n")
};

static const option_rule rules[] = {
    EXCLUDES(ONE(JOBS), EACH(OPTION_MODE, OPTION_WORKERS, OPTION_SWEEP, OPTION_SEQUENCE,
                             OPTION_STEP_ENDS, OPTION_ORDER, OPTION_WINDOW,
                             OPTION_ORDER_OUT, OPTION_OVER_TIME, OPTION_BATCH, MACHINES_OPTIONS,
                             COLLECTIVES_OPTIONS, OPTION_OVERLAP, OPTION_INPUTS, OPTION_EXPOSURE,
                             OPTION_GROWTH, OPTION_GROWTH_BETWEEN, OPTION_STACK, OPTION_PIPELINE,
                             OPTION_SCHEDULE, OPTION_STAGES, OPTION_GROUP, OPTION_TOTAL_BATCH,
                             OPTION_PRECISION, OPTION_OPTIMIZER, OPTION_ACTIVATIONS,
                             OPTION_MEMORY)),
    EXCLUDES(IS(LINK, "average"), ONE(JOBS)), TOKEN_RULES,
    UNLESS(ONE(JOBS), NEEDS, NOTHING, ONE(MODE)),
    UNLESS(ONE(JOBS), NEEDS, NOTHING, EACH(OPTION_WORKERS, OPTION_SWEEP)),
    EXCLUDES(ONE(NETWORK), EACH(OPTION_FLOW_CAP, OPTION_RINGS)),
    NEEDS(ONE(LOCAL_NETWORK), ONE(GPUS)),
    EXCLUDES(EACH(OPTION_WORKERS, OPTION_SEQUENCE, OPTION_STEP_ENDS, OPTION_OVER_TIME,
                  OPTION_TIMELINE), ONE(SWEEP)),
    EXCLUDES(ONE(OVER_TIME), ONE(STEP_ENDS)),
    NEEDS(ONE(BACKUP), IS(MODE, "allreduce")),
    EXCLUDES(ONE(BACKUP), EACH(OPTION_SERVICE, OPTION_STAGGER, OPTION_TIMELINE, OPTION_STEP_ENDS,
                               COLLECTIVES_OPTIONS, MACHINES_OPTIONS)),
    NEEDS(IS(LINK, "average"), IS(MODE, "sync")),
    EXCLUDES(EACH(OPTION_STEP_ENDS, OPTION_OVER_TIME, OPTION_TIMELINE), IS(LINK, "average")),
    EXCLUDES(EACH(OPTION_SERVERS, OPTION_HTTP2_WINDOW, OPTION_OVERHEAD, OPTION_REAPPEND,
                  OPTION_TWO_PS, OPTION_FCFS_SPILL, OPTION_UPDATES), IS(MODE, "allreduce")),
    EXCLUDES(IS(LINK, "ps fcfs average"), IS(MODE, "allreduce")),
    NEEDS(EACH(OPTION_TCP_TWO_WAY, OPTION_TCP_SPREAD), IS(LINK, "tcp")),
    EXCLUDES(EACH(OPTION_TWO_PS, OPTION_FCFS_SPILL), ONE(WORKER_BANDWIDTH)),
    UNLESS(IS(LINK, "ps tcp"), EXCLUDES, ONE(CARDS), ONE(WORKER_BANDWIDTH)),
    NEEDS(EACH(OPTION_REAPPEND, OPTION_HTTP2_RULE), ONE(HTTP2_WINDOW)),
    NEEDS(ONE(TWO_PS), IS(SERVERS, "2")), NEEDS(ONE(TWO_PS), IS(LINK, "ps average")),
    NEEDS(ONE(FCFS_SPILL), IS(LINK, "fcfs average")), NEEDS(ONE(FCFS_SPILL), ONE(FLOW_CAP)),
    NEEDS(ONE(ORDER_OUT), ONE(ORDER)),
    NEEDS(EACH(COLLECTIVES_OPTIONS), IS(MODE, "allreduce")), NEEDS(ONE(LOCAL_BANDWIDTH), ONE(GPUS)),
    NEEDS(EACH(OPTION_OVERLAP, OPTION_INPUTS, OPTION_EXPOSURE, OPTION_GROWTH,
               OPTION_GROWTH_BETWEEN, OPTION_STACK), IS(MODE, "allreduce")),
    NEEDS(ONE(GROWTH_BETWEEN), ONE(GPUS)),
    EXCLUDES(EACH(OPTION_LINK, OPTION_TCP_TWO_WAY, OPTION_TCP_SPREAD, OPTION_WORKER_BANDWIDTH,
                  OPTION_STAGGER, OPTION_SERVICE, OPTION_ORDER, OPTION_ORDER_OUT, OPTION_SEQUENCE,
                  OPTION_WINDOW, OPTION_DELAY), EACH(COLLECTIVES_OPTIONS)),
    UNLESS(IS(MODE, "async sync"), EXCLUDES,
           EACH(OPTION_LINK, OPTION_TCP_TWO_WAY, OPTION_TCP_SPREAD, OPTION_WORKER_BANDWIDTH,
                OPTION_STAGGER, OPTION_WINDOW, OPTION_DELAY), EACH(MACHINES_OPTIONS)),
    EXCLUDES(EACH(OPTION_SERVICE, OPTION_ORDER, OPTION_ORDER_OUT, OPTION_SEQUENCE),
             EACH(MACHINES_OPTIONS)),
    NEEDS(ONE(PIPELINE), ONE(LAYERS)), NEEDS(ONE(PIPELINE), ONE(WORKERS)),
    PIPELINE_RULES, NEEDS(EACH(OPTION_STAGES, OPTION_GROUP, OPTION_PRECISION, OPTION_OPTIMIZER,
                               OPTION_ACTIVATIONS, OPTION_MEMORY), ONE(PIPELINE)),
    EXCLUDES(EACH(OPTION_STEPS, OPTION_WARMUP, OPTION_SEED, OPTION_RUNS, OPTION_STEP_ENDS,
                  OPTION_OVER_TIME, OPTION_CARDS, OPTION_BUCKET, OPTION_FIRST_BUCKET,
                  OPTION_STREAMS, OPTION_UNIT, OPTION_ALLTOALL_SIZE, OPTION_TOKENS,
                  OPTION_PREFETCH, OPTION_OVERLAP), ONE(PIPELINE)),
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
    if (args_given(a, OPTION_JOBS)) return;
    if (!path) {
        if (a->file_count == 0) tool_fail("simulate: a file is missing, see %s", NAME_OF(HELP));
        return;
    }
    if (a->file_count > 0)
        tool_fail("simulate: '%s' is one argument too many beside %s", a->files[0],
                  NAME_OF(LAYERS));
    a->files = (char **)tool_alloc(1, sizeof *a->files);
    a->files[a->file_count++] = strcpy((char *)tool_alloc(strlen(path) + 1, 1), path);
}

static int run(args *a)
{
    simulation s = {0}, *point;
    output out = {0};
    take_layers(a);
    if (args_given(a, OPTION_PIPELINE)) return pipeline_run(a, 1);
    s.jobs = jobs_read(a);
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
    "simulate", "replay the operations of one worker on many", run, uses,
    COUNT_OF(uses), rules, COUNT_OF(rules), 0, (size_t)-1, NULL, 0,
    EACH(OPTION_WORKERS, OPTION_MODE, OPTION_BANDWIDTH, OPTION_STEPS, OPTION_LINK)};
