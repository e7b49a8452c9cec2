/* cmd_simulate.c - sgdperf simulate: one worker's traced operations on many workers */
#include "cmd/simulate/timeline.h"
#include "cmd/commands.h"
#include "files/modes.h"
#include "files/trace.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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

static const char option_help[] =
    "  --workers N[,N2...]   workers of each type, one number a trace file\n"
    "  --sweep LIST          in its place, for one trace file: a run, and a row, for each number\n"
    "                        of workers: 1,2,4 or 1-16 or 1-64:4. One of the two is required\n"
    "  --mode M              async: each worker starts its next step at once; sync: all start\n"
    "                        together; allreduce: sync, uplinks are exchanges over a ring and\n"
    "                        downlinks take no time; required\n"
    "  --bandwidth B         of each server's link, each way: bps kbps Mbps Gbps, or B/s kB/s\n"
    "                        MB/s GB/s [B/s]; required\n"
    "  --link L              ps: shared equally; fcfs: one worker after the other; average\n"
    "                        (sync): the mean of both, run with the same seed; tcp: as streams\n"
    "                        of TCP were measured to share it, at 1 Gbit/s: elsewhere a guess\n"
    "                        [ps]\n"
    "  --tcp-two-way X       n streams against m > n in the other direction carry (n/m)^X of the\n"
    "                        link: their acknowledgements queue [0.5]\n"
    "  --tcp-spread S        streams share by weights, drawn for each step and direction, whose\n"
    "                        logarithm has the standard deviation S [0.2]. X and S are 0 to 1;\n"
    "                        0 and 0 are ps. One server, no --flow-cap\n"
    "  --steps N             of each worker [1000]\n"
    "  --warmup D            step completions of all workers that do not count; fewer than 5 a\n"
    "                        worker are warned about, but for --warmup 0 with --step-ends or\n"
    "                        --timeline [50]\n"
    "  --seed S              of the draws of profiled steps, with replacement [1]\n"
    "  --http2-window SIZE   a longer transfer sends so much first, the rest after those that\n"
    "                        wait: B kB MB GB KiB MiB GiB [B; 0: sent whole]\n"
    "  --overhead A,B        parsing a transfer of n bytes takes max(0, A n + B) at its\n"
    "                        receiver; A in s/byte, B in s, or with units ns us ms s [none]\n"
    "  --flow-cap B          most bandwidth of one worker's flow, as --bandwidth [none]\n"
    "  --servers M           parameter servers [1]\n"
    "  --order FILE|RULE     op numbers, one a line, queued first in this order as a step starts;\n"
    "                        or downloads by rule: reverse (of op numbers), random (with --seed),\n"
    "                        tic or tac (TicTac: by the graph, or by times, of what a download\n"
    "                        unblocks), search (exchanges that make one worker's steps shorter).\n"
    "                        Rules go by the first step of the first trace; a file that has the\n"
    "                        name of a rule: ./tic\n"
    "  --order-out FILE      writes the order, for --order FILE\n"
    "  --sequence FILE       rows worker,k,step (from 0): the profiled step that a worker runs\n"
    "                        as its k-th; the others are drawn\n"
    "  --batch N             examples of a mini-batch [32]\n"
    "  --runs R              replications with different draws, for a 95 % confidence interval\n"
    "                        (Student's t; none where nothing is drawn). The first has the seed\n"
    "                        S; results are means, events the sum, step ends and the timeline of\n"
    "                        the first [1]\n"
    "  --step-ends           adds when each worker's steps ended; alone with csv\n"
    "  --timeline OUT.json   writes Chrome trace-event JSON, which Perfetto opens\n"
    "  --format F            table, csv or json [table]\n"
    "\n";

static const char rest[] =
    "Variants, the first is the default:\n"
    "  --server independent|shared|ps   updates of different workers run on separate cores;\n"
    "                                   queue at one, first come first served; or share it\n"
    "                                   equally, as --link ps (processor sharing)\n"
    "  --service traced|exponential     times as traced, or each times an exponential number\n"
    "  --window total|steady            the throughput counts to the end, or until a worker\n"
    "                                   runs out of steps\n"
    "  --reappend complete|select       when the rest of a transfer queues up again\n"
    "  --two-ps half|unit               a worker alone on both of two servers: half of each\n"
    "                                   link, or all of each\n"
    "  --fcfs-spill 0|1                 1: what --flow-cap leaves free goes to the next in line\n"
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
    "  batches_per_s  examples_per_s  ci95_half_width  makespan_s  events  seed  bottleneck\n"
    "         41.688            1334                -          96   16000     1  uplink\n"
    "\n"
    "  utilization\n"
    "  worker   uplink    server  downlink\n"
    "  0.3125  0.33333  0.020833   0.33333\n"
    "\n"
    "  shares of a worker's time: computing, and waiting for\n"
    "  trace  workers  computing  downlink  uplink  server  barrier\n"
    "  stdin        4      0.313     0.333   0.333  0.0208        0\n";

/* ---- Options --------------------------------------------------------------- */

enum { SIMULATE_MOST_SERVERS = 10000, SIMULATE_MOST_RUNS = 1000000 };

typedef enum link_choice { LINK_PS = 0, LINK_FCFS, LINK_AVERAGE, LINK_TCP, LINK_COUNT } link_choice;

static const char *const link_names[LINK_COUNT] = {"ps", "fcfs", "average", "tcp"};
static const char *const update_names[] = {"independent", "shared", "ps"}; /* sgdsim_updates */

/* Resources in the order in which they are printed. */
static const sgdsim_resource shown[SGDSIM_RESOURCES] = {
    SGDSIM_WORKER, SGDSIM_UPLINK, SGDSIM_SERVER, SGDSIM_DOWNLINK
};

/* What --order asks for, and does. */
typedef struct order_report {
    const char   *given;      /* the rule or the file; NULL: no order               */
    const char   *path;       /* of --order-out, or NULL                            */
    double        step_s;     /* mean of the profiled steps of one worker alone,    */
    double        unordered_step_s; /* and without the order                        */
} order_report;

typedef struct simulation {
    sgdsim_config config;
    sgdsim_tcp    tcp;
    sgdsim_overhead overhead;
    order_report  order;
    trace_file   *traces;     /* [types]                                            */
    uint32_t      workers;    /* of all types                                       */
    uint32_t     *sweep;      /* [points] numbers of workers, NULL: --workers       */
    size_t        points;
    train_mode    mode;
    link_choice   link;
    double        batch;
    uint64_t      runs;
    int           step_ends;
    const char   *timeline;   /* NULL: none                                         */
    /* results: means of all runs, events their sum */
    double        batches_per_s;
    double        ci95_half_width; /* infinite: one run, or nothing is drawn        */
    double        makespan_s;
    uint64_t      events;
    double        utilization[SGDSIM_RESOURCES];
    sgdsim_waiting *spent;    /* [types] of one worker                              */
    double       *step_end_s; /* [workers][steps] of the first run, NULL: not asked */
} simulation;

static int choose(const args *a, const char *name, const char *first, const char *second)
{
    const char *words[2];
    words[0] = first;
    words[1] = second;
    return (int)args_choice(a, name, words, COUNT_OF(words), 0);
}

static void read_mode(simulation *s, const args *a)
{
    static const char *const refused[] = {
        "--link", "--servers", "--http2-window", "--overhead", "--flow-cap", "--reappend",
        "--two-ps", "--fcfs-spill"
    };
    sgdsim_config *c = &s->config;
    size_t i;
    s->mode = mode_read(a);
    s->link = (link_choice)args_choice(a, "--link", link_names, LINK_COUNT, LINK_PS);
    c->mode = s->mode == MODE_ASYNC ? SGDSIM_ASYNC : SGDSIM_SYNC;
    if (s->link == LINK_AVERAGE && s->mode != MODE_SYNC)
        args_fail("--link", "average", "is for --mode sync");
    if (s->link == LINK_AVERAGE && args_given(a, "--step-ends"))
        args_fail("--step-ends", NULL, "not with --link average, which is two runs");
    if (s->link == LINK_AVERAGE && args_given(a, "--timeline"))
        args_fail("--timeline", NULL, "not with --link average, which is two runs");
    c->link = s->link == LINK_FCFS ? SGDSIM_LINK_FCFS : s->link == LINK_TCP ? SGDSIM_LINK_TCP : SGDSIM_LINK_EQUAL;
    if (s->mode != MODE_ALLREDUCE) return;
    c->link = SGDSIM_LINK_RING;
    for (i = 0; i < COUNT_OF(refused); i++)
        if (args_given(a, refused[i])) args_fail(refused[i], NULL, "not with --mode allreduce");
}

static void read_tcp(simulation *s, const args *a)
{
    static const char *const own[] = {"--tcp-two-way", "--tcp-spread"};
    size_t i;
    for (i = 0; i < COUNT_OF(own) && s->link != LINK_TCP; i++)
        if (args_given(a, own[i])) args_fail(own[i], NULL, "is for --link tcp");
    if (s->link != LINK_TCP) return;
    s->tcp.two_way = args_number(a, own[0], UNIT_NONE, NUMBER_FRACTION, SGDSIM_TCP_TWO_WAY);
    s->tcp.spread = args_number(a, own[1], UNIT_NONE, NUMBER_FRACTION, SGDSIM_TCP_SPREAD);
    s->config.tcp = &s->tcp;
    if (s->config.servers > 1) args_fail("--servers", NULL, "is 1 with --link tcp");
    if (args_given(a, "--flow-cap")) args_fail("--flow-cap", NULL, "not with --link tcp");
}

static void read_links(simulation *s, const args *a)
{
    sgdsim_config *c = &s->config;
    double *overhead = NULL, cap;
    if (!args_given(a, "--bandwidth")) tool_fail("--bandwidth is missing");
    c->bandwidth_bytes_per_s = args_number(a, "--bandwidth", UNIT_BANDWIDTH, NUMBER_POSITIVE, 0);
    cap = args_number(a, "--flow-cap", UNIT_BANDWIDTH, NUMBER_POSITIVE, c->bandwidth_bytes_per_s);
    c->flow_cap = cap < c->bandwidth_bytes_per_s ? cap / c->bandwidth_bytes_per_s : 1.0;
    c->http2_window_bytes = args_number(a, "--http2-window", UNIT_SIZE, NUMBER_NON_NEGATIVE, 0.0);
    if (args_given(a, "--overhead")) {
        if (args_numbers(a, "--overhead", UNIT_TIME, NUMBER_ANY, &overhead) != 2)
            args_fail("--overhead", args_text(a, "--overhead", ""), "is not two numbers");
        s->overhead.s_per_byte = overhead[0];
        s->overhead.s = overhead[1];
        c->overhead = &s->overhead;
    }
    c->servers = (uint32_t)args_integer(a, "--servers", 1, SIMULATE_MOST_SERVERS, 1);
    c->updates = (sgdsim_updates)args_choice(a, "--server", update_names,
                                             COUNT_OF(update_names), 0);
    c->variants.reappend_at_selection = choose(a, "--reappend", "complete", "select");
    c->variants.two_servers_unit = choose(a, "--two-ps", "half", "unit");
    c->variants.fcfs_spill = choose(a, "--fcfs-spill", "0", "1");
    read_tcp(s, a);
}

static void read_run(simulation *s, const args *a)
{
    sgdsim_config *c = &s->config;
    c->steps = args_integer(a, "--steps", 1, UINT32_MAX, 1000);
    c->warmup = args_integer(a, "--warmup", 0, UINT64_MAX, 50);
    c->seed = args_integer(a, "--seed", 0, UINT64_MAX, 1);
    c->service = choose(a, "--service", "traced", "exponential") ? SGDSIM_EXPONENTIAL
                                                                  : SGDSIM_TRACED;
    c->variants.steady_window = choose(a, "--window", "total", "steady");
    s->batch = args_number(a, "--batch", UNIT_NONE, NUMBER_POSITIVE, 32.0);
    s->runs = args_integer(a, "--runs", 1, SIMULATE_MOST_RUNS, 1);
    s->step_ends = args_given(a, "--step-ends");
    s->timeline = args_text(a, "--timeline", NULL);
}

static void check_warmup(const simulation *s, uint64_t workers)
{
    if (s->config.warmup >= workers * s->config.steps)
        args_fail("--warmup", NULL,
                  "%lu step completions of %lu in all leave none, --warmup 0 counts all",
                  (unsigned long)s->config.warmup,
                  (unsigned long)(workers * s->config.steps));
}

/* --sweep: the numbers of workers of one type. */
static void read_sweep(simulation *s, const args *a)
{
    static const char *const refused[] = {"--workers", "--sequence", "--step-ends", "--timeline"};
    size_t i;
    for (i = 0; i < COUNT_OF(refused); i++)
        if (args_given(a, refused[i])) args_fail(refused[i], NULL, "not with --sweep");
    if (a->file_count > 1) args_fail("--sweep", NULL, "is for one trace file");
    s->points = args_workers(a, "--sweep", &s->sweep);
    for (i = 0; i < s->points; i++) check_warmup(s, s->sweep[i]);
    for (i = 0; i < s->points; i++)
        if (s->sweep[i] > s->workers) s->workers = s->sweep[i];
    s->config.types = 1;
    s->config.workers = s->sweep;
}

static void read_workers(simulation *s, const args *a)
{
    uint32_t *workers;
    const size_t count = args_workers(a, "--workers", &workers);
    uint64_t sum = 0;
    size_t i;
    if (count == 0) tool_fail("--workers is missing");
    if (count != a->file_count)
        args_fail("--workers", args_text(a, "--workers", ""),
                  "is %lu number%s for %lu trace file%s: one for each%s", (unsigned long)count,
                  count == 1 ? "" : "s", (unsigned long)a->file_count,
                  a->file_count == 1 ? "" : "s",
                  a->file_count == 1 ? "; --sweep runs it for each number" : "");
    for (i = 0; i < count; i++) sum += workers[i];
    if (sum > UINT32_MAX) args_fail("--workers", args_text(a, "--workers", ""), "is too large");
    s->workers = (uint32_t)sum;
    s->points = 1;
    s->config.types = count;
    s->config.workers = workers;
    check_warmup(s, sum);
}

/* ---- Files ----------------------------------------------------------------- */

/* Parsing may take time where nothing else does. */
static void check_times(const simulation *s, const trace_file *trace)
{
    size_t k, i;
    for (k = 0; k < trace->trace.steps && !s->config.overhead; k++) {
        const sgdsim_step *step = &trace->trace.step[k];
        for (i = 0; i < step->ops; i++)
            if (step->op[i].bytes > 0.0 || step->op[i].duration_s > 0.0) break;
        if (i == step->ops)
            csv_fail(trace->file, trace->row[trace->first[k]], CSV_NONE,
                     "step %lu takes no time", (unsigned long)k);
    }
}

static void read_traces(simulation *s, const args *a)
{
    sgdsim_trace *trace = (sgdsim_trace *)tool_alloc(a->file_count, sizeof *trace);
    size_t i;
    s->traces = (trace_file *)tool_alloc(a->file_count, sizeof *s->traces);
    for (i = 0; i < a->file_count; i++) {
        trace_read(&s->traces[i], a->files[i], s->config.servers);
        check_times(s, &s->traces[i]);
        trace[i] = s->traces[i].trace;
    }
    s->config.trace = trace;
}

/* The downloads of the first profiled step by a rule; 0: it is none. */
static int order_by_rule(simulation *s, const char *name)
{
    static const char *const rules[] = {"reverse", "random", "tic", "tac", "search"};
    enum { SEARCH = 4, SEARCH_OPERATIONS = 20000000, SEARCH_LEAST = 100, SEARCH_MOST = 10000 };
    const sgdsim_step *step = s->config.trace[0].step;
    uint64_t tries = SEARCH_OPERATIONS / (uint64_t)s->traces[0].file->rows;
    sgdsim_status status;
    sgdsim_order rule;
    uint32_t *order;
    size_t bytes = 0, i = 0;
    void *work;
    while (i < COUNT_OF(rules) && strcmp(name, rules[i]) != 0) i++;
    if (i == COUNT_OF(rules)) return 0;
    if (tries < SEARCH_LEAST) tries = SEARCH_LEAST;
    if (tries > SEARCH_MOST) tries = SEARCH_MOST;
    rule = (sgdsim_order)(i + SGDSIM_ORDER_REVERSE);
    order = (uint32_t *)tool_alloc(step->ops, sizeof *order);
    status = i == SEARCH ? sgdsim_order_search_bytes(&s->config, &bytes)
                         : sgdsim_order_transfers_bytes(step, rule, &bytes);
    if (status != SGDSIM_OK) tool_fail("--order: %s", sgdsim_status_text(status));
    work = tool_alloc(bytes, 1);
    status = i == SEARCH
           ? sgdsim_order_search(&s->config, tries, work, bytes, order, &s->config.ordered)
           : sgdsim_order_transfers(step, rule, s->config.seed,
                                    s->config.bandwidth_bytes_per_s, work, bytes, order,
                                    &s->config.ordered);
    if (status == SGDSIM_NO_WINDOW) tool_fail("--order: the steps take no time");
    if (status == SGDSIM_BAD_ARGUMENT) tool_fail("--order: times are too large");
    if (status != SGDSIM_OK) tool_fail("--order: %s", sgdsim_status_text(status));
    s->config.order = order;
    return 1;
}

/* Op numbers of the file's column "op"; the first line may do without the name. */
static void read_order(simulation *s, const char *path)
{
    const csv_table *t = csv_read(path, CSV_ALLOW_EMPTY);
    const int column = t->columns == 1 && *t->header[0] >= '0' && *t->header[0] <= '9'
                     ? 0 : csv_require(t, "op");
    const size_t above = strcmp(t->header[column], "op") != 0; /* ops in the header */
    uint32_t *order = (uint32_t *)tool_alloc(t->rows + 1, sizeof *order);
    size_t ops = 0, type, i, k;
    for (type = 0; type < s->config.types; type++)
        for (i = 0; i < s->config.trace[type].steps; i++)
            if (s->config.trace[type].step[i].ops > ops)
                ops = s->config.trace[type].step[i].ops;
    for (i = 0; i < t->rows + above; i++) {
        const char *text = i < above ? t->header[column] : csv_text(t, i - above, column);
        const unsigned long line = (unsigned long)(i < above ? t->header_line
                                                             : csv_line(t, i - above));
        uint64_t op = 0;
        const char *wrong = number_whole(text, 0, UINT32_MAX, &op);
        if (!wrong && op >= ops) wrong = "is no op of any step";
        for (k = 0; !wrong && k < i; k++)
            if (order[k] == op) wrong = "occurs twice";
        if (wrong) tool_fail("%s:%lu: column 'op': '%s' %s", t->name, line, text, wrong);
        order[i] = (uint32_t)op;
    }
    s->config.order = order;
    s->config.ordered = t->rows + above;
}

/* Mean of the profiled steps of the first trace on one worker alone, with the order or
 * without it. */
static double lone_step_s(const simulation *s, int ordered)
{
    static const uint32_t one = 1;
    sgdsim_config config = s->config;
    sgdsim_result out = {0};
    sgdsim_status status;
    size_t steps = config.trace[0].steps, bytes = 0, i;
    uint32_t *sequence = (uint32_t *)tool_alloc(steps, sizeof *sequence);
    for (i = 0; i < steps; i++) sequence[i] = (uint32_t)i;
    config.types = 1;
    config.workers = &one;
    config.steps = steps;
    config.sequence = sequence;
    config.warmup = 0;
    config.service = SGDSIM_TRACED;
    if (!ordered) config.ordered = 0;
    status = sgdsim_run_bytes(&config, &bytes);
    if (status == SGDSIM_OK) status = sgdsim_run(&config, tool_alloc(bytes, 1), bytes, &out);
    if (status == SGDSIM_NO_WINDOW) tool_fail("--order: the steps take no time");
    if (status == SGDSIM_BAD_ARGUMENT) tool_fail("--order: times are too large");
    if (status != SGDSIM_OK) tool_fail("--order: %s", sgdsim_status_text(status));
    return out.makespan_s / (double)steps;
}

static void take_order(simulation *s, const args *a)
{
    s->order.given = args_text(a, "--order", NULL);
    s->order.path = args_text(a, "--order-out", NULL);
    if (!s->order.given && s->order.path) args_fail("--order-out", NULL, "needs --order");
    if (!s->order.given) return;
    if (!order_by_rule(s, s->order.given)) read_order(s, s->order.given);
    s->order.step_s = lone_step_s(s, 1);
    s->order.unordered_step_s = lone_step_s(s, 0);
}

static void write_order(const simulation *s)
{
    FILE *file;
    size_t i;
    if (!s->order.path) return;
    file = fopen(s->order.path, "wb");
    if (!file)
        tool_fail("--order-out: '%s' cannot be written: %s", s->order.path, strerror(errno));
    fprintf(file, "op\n");
    for (i = 0; i < s->config.ordered; i++)
        fprintf(file, "%lu\n", (unsigned long)s->config.order[i]);
    if (ferror(file) | fclose(file))
        tool_fail("--order-out: '%s' cannot be written", s->order.path);
}

static size_t type_of(const simulation *s, uint64_t worker)
{
    size_t type = 0;
    while (worker >= s->config.workers[type]) worker -= s->config.workers[type++];
    return type;
}

static void read_sequence(simulation *s, const char *path)
{
    const csv_table *t = csv_read(path, CSV_ALLOW_EMPTY);
    const int worker = csv_require(t, "worker"), k = csv_require(t, "k");
    const int step = csv_require(t, "step");
    const uint64_t steps = s->config.steps;
    uint32_t *sequence;
    size_t i;
    if (steps > (size_t)-1 / sizeof *sequence / s->workers) tool_fail("out of memory");
    sequence = (uint32_t *)tool_alloc((size_t)(s->workers * steps), sizeof *sequence);
    for (i = 0; i < s->workers * steps; i++) sequence[i] = UINT32_MAX;
    for (i = 0; i < t->rows; i++) {
        const uint64_t w = csv_integer(t, i, worker, 0, UINT32_MAX);
        const uint64_t at = csv_integer(t, i, k, 0, UINT32_MAX);
        const uint64_t value = csv_integer(t, i, step, 0, UINT32_MAX);
        if (w >= s->workers)
            csv_fail(t, i, worker, "%s is not below the %lu workers", csv_text(t, i, worker),
                     (unsigned long)s->workers);
        if (at >= steps)
            csv_fail(t, i, k, "%s is not below --steps, %lu", csv_text(t, i, k),
                     (unsigned long)steps);
        if (value >= s->config.trace[type_of(s, w)].steps)
            csv_fail(t, i, step, "%s is no step of %s", csv_text(t, i, step),
                     s->traces[type_of(s, w)].file->name);
        if (sequence[w * steps + at] != UINT32_MAX)
            csv_fail(t, i, k, "%s occurs twice for worker %s", csv_text(t, i, k),
                     csv_text(t, i, worker));
        sequence[w * steps + at] = (uint32_t)value;
    }
    s->config.sequence = sequence;
}

/* ---- What varies ----------------------------------------------------------- */

static int same_step(const sgdsim_step *a, const sgdsim_step *b)
{
    size_t i;
    if (a->ops != b->ops) return 0;
    for (i = 0; i < a->ops; i++) {
        const sgdsim_op *x = &a->op[i], *y = &b->op[i];
        if (x->resource != y->resource || x->server != y->server || x->waits != y->waits)
            return 0;
        if (x->duration_s < y->duration_s || x->duration_s > y->duration_s) return 0;
        if (x->bytes < y->bytes || x->bytes > y->bytes) return 0;
        if (x->waits > 0 && memcmp(x->waits_for, y->waits_for, x->waits * sizeof(uint32_t)) != 0)
            return 0;
    }
    return 1;
}

/* Does a trace have steps that differ? */
static int steps_vary(const simulation *s)
{
    size_t type, k;
    for (type = 0; type < s->config.types; type++) {
        const sgdsim_trace *trace = &s->config.trace[type];
        for (k = 1; k < trace->steps; k++)
            if (!same_step(&trace->step[0], &trace->step[k])) return 1;
    }
    return 0;
}

/* Do runs differ in what is drawn? */
static int is_drawn(const simulation *s)
{
    const sgdsim_config *c = &s->config;
    uint64_t i = 0;
    if (c->service == SGDSIM_EXPONENTIAL) return 1;
    if (s->link == LINK_TCP && s->tcp.spread > 0.0) return 1;
    if (!steps_vary(s)) return 0;
    while (c->sequence && i < s->workers * c->steps && c->sequence[i] != UINT32_MAX) i++;
    return !c->sequence || i < s->workers * c->steps;
}

/* Asynchronous workers that share a link equally and whose steps are all alike go side by
 * side from the start to the end. */
static int stay_in_step(const simulation *s)
{
    const int equal = s->link == LINK_PS || (s->link == LINK_TCP && !(s->tcp.spread > 0.0));
    const sgdsim_config *c = &s->config;
    size_t type, i;
    if (s->mode != MODE_ASYNC || s->workers == 1 || !equal || steps_vary(s)) return 0;
    if (c->service == SGDSIM_EXPONENTIAL) return 0;
    for (type = 0; type < c->types; type++)
        for (i = 0; i < c->trace[type].step[0].ops; i++)
            if (c->trace[type].step[0].op[i].bytes > 0.0) return 1;
    return 0;
}

/* How many servers no operation is at; *first is one of them. */
static uint32_t idle_servers(const simulation *s, uint32_t *first)
{
    const uint32_t servers = s->config.servers;
    char *used = (char *)tool_alloc(servers, 1);
    uint32_t idle = 0, m;
    size_t type, k, i;
    for (type = 0; type < s->config.types; type++)
        for (k = 0; k < s->config.trace[type].steps; k++) {
            const sgdsim_step *step = &s->config.trace[type].step[k];
            for (i = 0; i < step->ops; i++)
                if (step->op[i].resource != SGDSIM_WORKER) used[step->op[i].server] = 1;
        }
    for (m = servers; m-- > 0;)
        if (!used[m]) { idle++; *first = m; }
    return idle;
}

/* On stderr, at the end: a run that fails says one line. */
static void warn(const simulation *s)
{
    const uint64_t warmup = s->config.warmup;
    uint32_t first = 0;
    const uint32_t idle = s->config.servers > 1 ? idle_servers(s, &first) : 0;
    if (warmup < (uint64_t)5 * s->workers && !(warmup == 0 && (s->step_ends || s->timeline)))
        fprintf(stderr, "sgdperf: warning: --warmup %lu is fewer than 5 steps a worker\n",
                (unsigned long)warmup);
    if (stay_in_step(s))
        fprintf(stderr, "sgdperf: warning: workers whose steps never vary stay in step on equally "
                        "shared links, as if synchronous: vary them (trace-from-layers --vary), "
                        "or take --link fcfs or --service exponential\n");
    if (idle > 0)
        fprintf(stderr, "sgdperf: warning: %lu of %lu servers without an operation, server %lu "
                        "for one (trace-from-layers --servers places layers)\n",
                (unsigned long)idle, (unsigned long)s->config.servers, (unsigned long)first);
}

/* ---- Watching operations --------------------------------------------------- */

typedef struct watcher {
    timeline *timeline;       /* NULL: none                                         */
    size_t    done, total;    /* operations; total is an estimate, 0: not counted   */
} watcher;

enum { WATCH_EVERY = 1 << 16, WATCH_FROM = 10000000 }; /* operations */

static void watch(void *ctx, const sgdsim_event *event)
{
    watcher *w = (watcher *)ctx;
    char what[64];
    if (w->timeline) timeline_op(w->timeline, event);
    if (w->total == 0 || ++w->done % WATCH_EVERY != 0 || w->done >= w->total) return;
    snprintf(what, sizeof what, "simulate, %.1f million operations/s",
             (double)w->done / ((double)clock() / (double)CLOCKS_PER_SEC) / 1e6);
    tool_progress(what, w->done, w->total);
}

/* Operations of all runs, if all profiled steps are as likely. */
static double operations(const simulation *s)
{
    double sum = 0.0;
    size_t i;
    for (i = 0; i < s->config.types; i++)
        sum += (double)s->traces[i].file->rows / (double)s->config.trace[i].steps
             * s->config.workers[i];
    return sum * (double)s->config.steps * (double)s->runs * (s->link == LINK_AVERAGE ? 2 : 1);
}

/* ---- Running --------------------------------------------------------------- */

/* Room for a run with any of the links. */
static void *workspace(simulation *s, const sgdsim_link *link, size_t links, size_t *bytes)
{
    size_t i, need = 0;
    for (i = 0, *bytes = 0; i < links; i++) {
        sgdsim_status status;
        s->config.link = link[i];
        status = sgdsim_run_bytes(&s->config, &need);
        if (status != SGDSIM_OK) tool_fail("simulate: %s", sgdsim_status_text(status));
        if (need > *bytes) *bytes = need;
    }
    return tool_alloc(*bytes, 1);
}

/* One run's part of the means over `count`. */
static void add_run(simulation *s, const sgdsim_result *out, double count)
{
    size_t type, r;
    uint32_t i, w = 0;
    s->makespan_s += out->makespan_s / count;
    s->events += out->events;
    for (r = 0; r < SGDSIM_RESOURCES; r++) s->utilization[r] += out->utilization[r] / count;
    for (type = 0; type < s->config.types; type++)
        for (i = 0; i < s->config.workers[type]; i++, w++) {
            const double part = count * s->config.workers[type];
            sgdsim_waiting *mean = &s->spent[type];
            mean->computing_s += out->waiting[w].computing_s / part;
            mean->downlink_s += out->waiting[w].downlink_s / part;
            mean->uplink_s += out->waiting[w].uplink_s / part;
            mean->server_s += out->waiting[w].server_s / part;
            mean->barrier_s += out->waiting[w].barrier_s / part;
        }
}

/* Where the results of runs go. */
typedef struct taker {
    simulation *simulation;
    watcher    *watcher;
    double     *throughput;   /* [runs] means over the links                        */
    size_t      links;
} taker;

static void take_run(void *ctx, uint64_t run, sgdsim_result *result)
{
    taker *t = (taker *)ctx;
    t->throughput[run] += result->batches_per_s / (double)t->links;
    add_run(t->simulation, result, (double)t->simulation->runs * (double)t->links);
    result->step_end_s = NULL;                     /* of the first run alone */
    if (t->watcher->timeline) timeline_close(t->watcher->timeline);
    t->watcher->timeline = NULL;
}

static void run_link(simulation *s, void *work, size_t bytes, taker *t)
{
    sgdsim_replications out = {0};
    sgdsim_status status;
    out.result.step_end_s = s->step_end_s;
    out.result.waiting =
        (sgdsim_waiting *)tool_alloc(s->workers, sizeof *out.result.waiting);
    out.on_run = take_run;
    out.on_run_ctx = t;
    status = sgdsim_replicate(&s->config, s->runs, work, bytes, &out);
    if (status != SGDSIM_OK && t->watcher->timeline) timeline_discard(t->watcher->timeline);
    if (status == SGDSIM_BAD_ARGUMENT) tool_fail("simulate: times are too large");
    if (status != SGDSIM_OK) tool_fail("simulate: %s", sgdsim_status_text(status));
}

static void run_all(simulation *s)
{
    static const sgdsim_link both[] = {SGDSIM_LINK_EQUAL, SGDSIM_LINK_FCFS};
    const sgdsim_link usual = s->config.link;
    const size_t links = s->link == LINK_AVERAGE ? COUNT_OF(both) : 1;
    const sgdsim_link *link = s->link == LINK_AVERAGE ? both : &usual;
    const double total = operations(s);
    sgdsim_estimate estimate;
    watcher w = {0};
    taker t = {0};
    size_t bytes, i;
    void *work;
    if (total >= WATCH_FROM && tool_shows_progress()) w.total = (size_t)total;
    s->config.on_op = s->timeline || w.total > 0 ? watch : NULL;
    s->config.on_op_ctx = &w;
    work = workspace(s, link, links, &bytes);
    s->spent = (sgdsim_waiting *)tool_alloc(s->config.types, sizeof *s->spent);
    if (s->step_ends)
        s->step_end_s = (double *)tool_alloc(s->config.steps, s->workers * sizeof(double));
    if (s->timeline) w.timeline = timeline_open(s->timeline, &s->config, s->traces);
    t.simulation = s;
    t.watcher = &w;
    t.throughput = (double *)tool_alloc(s->runs, sizeof *t.throughput);
    t.links = links;
    for (i = 0; i < links; i++) {
        s->config.link = link[i];
        run_link(s, work, bytes, &t);
    }
    if (w.total > 0) tool_progress("simulate", w.total, w.total);
    if (sgdsim_estimate_mean(t.throughput, (size_t)s->runs, &estimate) != SGDSIM_OK)
        tool_fail("simulate: times are too small");
    s->batches_per_s = estimate.mean;
    s->ci95_half_width = is_drawn(s) ? estimate.ci95_half_width : HUGE_VAL;
}

/* A run for each point, of which the others differ in the number of workers alone. */
static simulation *run_points(const simulation *s)
{
    simulation *point = (simulation *)tool_alloc(s->points, sizeof *point);
    size_t i;
    for (i = 0; i < s->points; i++) {
        point[i] = *s;
        if (s->sweep) {
            point[i].workers = s->sweep[i];
            point[i].config.workers = &s->sweep[i];
        }
        run_all(&point[i]);
    }
    return point;
}

/* ---- Printing -------------------------------------------------------------- */

static const char *link_text(const simulation *s)
{
    return s->mode == MODE_ALLREDUCE ? "ring" : link_names[s->link];
}

static void json_types(output *out, const simulation *s)
{
    size_t i;
    json_array(out, "types");
    for (i = 0; i < s->config.types; i++) {
        const sgdsim_waiting *spent = &s->spent[i];
        json_object(out, NULL);
        json_string(out, "trace", s->traces[i].file->name);
        json_integer(out, "workers", s->config.workers[i]);
        json_number(out, "computing_share", spent->computing_s / s->makespan_s);
        json_object(out, "waiting_share");
        json_number(out, "downlink", spent->downlink_s / s->makespan_s);
        json_number(out, "uplink", spent->uplink_s / s->makespan_s);
        json_number(out, "server", spent->server_s / s->makespan_s);
        json_number(out, "barrier", spent->barrier_s / s->makespan_s);
        json_end(out);
        json_end(out);
    }
    json_end(out);
}

/* The resource with the largest utilization; the first of those equal but for rounding. */
static const char *bottleneck(const simulation *s)
{
    sgdsim_resource most = shown[0];
    size_t i;
    for (i = 1; i < SGDSIM_RESOURCES; i++)
        if (s->utilization[shown[i]] > s->utilization[most] * (1.0 + 1e-9)) most = shown[i];
    return trace_resource_text(most);
}

static void json_order(output *out, const simulation *s)
{
    json_object(out, "order");
    json_string(out, "given", s->order.given);
    json_number(out, "step_s", s->order.step_s);
    json_number(out, "unordered_step_s", s->order.unordered_step_s);
    json_end(out);
}

static void json_run(output *out, const simulation *s)
{
    size_t i;
    json_object(out, NULL);
    json_string(out, "status", "ok");
    json_string(out, "mode", mode_words[s->mode]);
    json_string(out, "link", link_text(s));
    json_integer(out, "workers", s->workers);
    json_number(out, "batches_per_s", s->batches_per_s);
    json_number(out, "examples_per_s", s->batches_per_s * s->batch);
    json_number(out, "makespan_s", s->makespan_s);
    json_integer(out, "events", s->events);
    json_integer(out, "seed", s->config.seed);
    json_integer(out, "runs", s->runs);
    json_number(out, "ci95_half_width", s->ci95_half_width);
    json_string(out, "bottleneck", bottleneck(s));
    json_object(out, "utilization");
    for (i = 0; i < SGDSIM_RESOURCES; i++)
        json_number(out, trace_resource_text(shown[i]), s->utilization[shown[i]]);
    json_end(out);
    json_types(out, s);
    if (s->order.given) json_order(out, s);
    if (s->step_end_s) {
        json_array(out, "step_ends_s");
        for (i = 0; i < s->workers; i++)
            json_numbers(out, NULL, s->step_end_s + i * s->config.steps,
                         (size_t)s->config.steps);
        json_end(out);
    }
    json_end(out);
}

static void print_json(output *out, const simulation *point, size_t points)
{
    size_t i;
    if (!point[0].sweep) { json_run(out, point); return; }
    json_object(out, NULL);
    json_string(out, "status", "ok");
    json_array(out, "points");
    for (i = 0; i < points; i++) json_run(out, &point[i]);
    json_end(out);
    json_end(out);
}

static void rates_cells(result_table *t, const simulation *s)
{
    if (s->sweep) table_integer(t, s->workers);
    table_number(t, s->batches_per_s);
    table_number(t, s->batches_per_s * s->batch);
    table_number(t, s->ci95_half_width);
    table_number(t, s->makespan_s);
    table_integer(t, s->events);
    table_integer(t, s->config.seed);
    table_text(t, bottleneck(s));
}

static void utilization_cells(result_table *t, const simulation *s)
{
    size_t i;
    for (i = 0; i < SGDSIM_RESOURCES; i++) table_number(t, s->utilization[shown[i]]);
}

/* Rows of points; the first column is for a sweep. */
static void print_csv(output *out, const simulation *point, size_t points)
{
    static const table_column columns[] = {
        {"workers", 0}, {"batches_per_s", 0}, {"examples_per_s", 0}, {"ci95_half_width", 0},
        {"makespan_s", 0}, {"events", 0}, {"seed", 0}, {"bottleneck", 0},
        {"utilization_worker", 0}, {"utilization_uplink", 0}, {"utilization_server", 0},
        {"utilization_downlink", 0}, {"status", 0}
    };
    const size_t skip = point[0].sweep ? 0 : 1;
    result_table *t = table_new(columns + skip, COUNT_OF(columns) - skip);
    size_t i;
    for (i = 0; i < points; i++) {
        rates_cells(t, &point[i]);
        utilization_cells(t, &point[i]);
        table_text(t, "ok");
    }
    table_print(t, out, FORMAT_CSV);
}

static void print_rates(output *out, const simulation *point, size_t points)
{
    static const table_column rates[] = {
        {"workers", 0}, {"batches_per_s", 0}, {"examples_per_s", 0}, {"ci95_half_width", 3},
        {"makespan_s", 0}, {"events", 0}, {"seed", 0}, {"bottleneck", 0}
    };
    static const table_column resources[] = {
        {"workers", 0}, {"worker", 0}, {"uplink", 0}, {"server", 0}, {"downlink", 0}
    };
    const size_t skip = point[0].sweep ? 0 : 1;
    result_table *t = table_new(rates + skip, COUNT_OF(rates) - skip);
    size_t i;
    for (i = 0; i < points; i++) rates_cells(t, &point[i]);
    table_print(t, out, FORMAT_TABLE);
    output_print(out, "\nutilization\n");
    t = table_new(resources + skip, COUNT_OF(resources) - skip);
    for (i = 0; i < points; i++) {
        if (!skip) table_integer(t, point[i].workers);
        utilization_cells(t, &point[i]);
    }
    table_print(t, out, FORMAT_TABLE);
}

static void print_types(output *out, const simulation *point, size_t points)
{
    static const table_column columns[] = {
        {"trace", 0}, {"workers", 0}, {"computing", 3}, {"downlink", 3}, {"uplink", 3},
        {"server", 3}, {"barrier", 3}
    };
    result_table *t = table_new(columns, COUNT_OF(columns));
    const simulation *s;
    size_t i;
    for (s = point; s < point + points; s++)
        for (i = 0; i < s->config.types; i++) {
            const sgdsim_waiting *spent = &s->spent[i];
            table_text(t, s->traces[i].file->name);
            table_integer(t, s->config.workers[i]);
            table_number(t, spent->computing_s / s->makespan_s);
            table_number(t, spent->downlink_s / s->makespan_s);
            table_number(t, spent->uplink_s / s->makespan_s);
            table_number(t, spent->server_s / s->makespan_s);
            table_number(t, spent->barrier_s / s->makespan_s);
        }
    output_print(out, "\nshares of a worker's time: computing, and waiting for\n");
    table_print(t, out, FORMAT_TABLE);
}

static void print_step_ends(output *out, const simulation *s, output_format format)
{
    static const table_column columns[] = {{"worker", 0}, {"step", 0}, {"end_s", 0}};
    result_table *t = table_new(columns, COUNT_OF(columns));
    uint64_t w, k;
    for (w = 0; w < s->workers; w++)
        for (k = 0; k < s->config.steps; k++) {
            table_integer(t, w);
            table_integer(t, k);
            table_number(t, s->step_end_s[w * s->config.steps + k]);
        }
    table_print(t, out, format);
}

static void print_human(output *out, const simulation *point, size_t points)
{
    const simulation *s = &point[0];
    output_print(out, "%s, link %s, ", mode_words[s->mode], link_text(s));
    if (!s->sweep)
        output_print(out, "%lu worker%s, ", (unsigned long)s->workers,
                     s->workers == 1 ? "" : "s");
    output_print(out, "%lu steps each\n", (unsigned long)s->config.steps);
    if (s->order.given)
        output_print(out, "order %s: a step of one worker takes %.5g s, %.5g s without\n",
                     s->order.given, s->order.step_s, s->order.unordered_step_s);
    print_rates(out, point, points);
    print_types(out, point, points);
    if (!s->step_end_s) return;
    output_print(out, "\nends of steps\n");
    print_step_ends(out, s, FORMAT_TABLE);
}

/* ---- The command ----------------------------------------------------------- */

static const args_option options[] = {
    {"--workers", ARGS_VALUE}, {"--sweep", ARGS_VALUE}, {"--mode", ARGS_VALUE},
    {"--bandwidth", ARGS_VALUE},
    {"--link", ARGS_VALUE}, {"--tcp-two-way", ARGS_VALUE}, {"--tcp-spread", ARGS_VALUE},
    {"--steps", ARGS_VALUE}, {"--warmup", ARGS_VALUE},
    {"--seed", ARGS_VALUE}, {"--http2-window", ARGS_VALUE}, {"--overhead", ARGS_VALUE},
    {"--flow-cap", ARGS_VALUE}, {"--servers", ARGS_VALUE}, {"--order", ARGS_VALUE},
    {"--order-out", ARGS_VALUE},
    {"--sequence", ARGS_VALUE}, {"--batch", ARGS_VALUE}, {"--runs", ARGS_VALUE},
    {"--step-ends", ARGS_FLAG}, {"--timeline", ARGS_VALUE}, {"--server", ARGS_VALUE},
    {"--service", ARGS_VALUE}, {"--window", ARGS_VALUE}, {"--reappend", ARGS_VALUE},
    {"--two-ps", ARGS_VALUE}, {"--fcfs-spill", ARGS_VALUE}
};

int cmd_simulate(int argc, char **argv)
{
    static char help[sizeof usage + sizeof option_help + sizeof rest];
    static const args_command command = {help, options, COUNT_OF(options), 1, (size_t)-1};
    args a;
    simulation s = {0}, *point;
    output out = {0};
    snprintf(help, sizeof help, "%s%s%s", usage, option_help, rest);
    args_parse(&a, &command, argc, argv);
    read_mode(&s, &a);
    read_links(&s, &a);
    read_run(&s, &a);
    if (args_given(&a, "--sweep")) read_sweep(&s, &a);
    else read_workers(&s, &a);
    read_traces(&s, &a);
    take_order(&s, &a);
    if (args_given(&a, "--sequence")) read_sequence(&s, args_text(&a, "--sequence", NULL));
    point = run_points(&s);
    write_order(&s);
    warn(&s);
    if (args_format(&a) == FORMAT_JSON) print_json(&out, point, s.points);
    else if (args_format(&a) != FORMAT_CSV) print_human(&out, point, s.points);
    else if (s.step_ends) print_step_ends(&out, point, FORMAT_CSV);
    else print_csv(&out, point, s.points);
    return output_flush(&out, EXIT_DONE);
}
