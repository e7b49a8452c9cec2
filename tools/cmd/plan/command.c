/* command.c - sgdperf plan: how to split a network over machines */
#include "cmd/plan/plan.h"
#include "jobs/parallel.h"
#include "cmd/commands.h"

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf plan LAYERS.csv --machines N --cores K --c-muladd T --c-nbw B\n"
    "                    --n-sample S [--constants FILE] [option ...]\n"
    "\n"
    "Finds the servers, replicas, workers and cuts of layers for the shortest epoch.\n"
    "  sgdperf plan measure            the constants of this machine\n"
    "  sgdperf plan order TRIALS.csv   which configuration to try first\n"
    "  sgdperf plan stages             which layers each stage of a pipeline holds\n"
    "\n"
    "LAYERS.csv (- is stdin) has a row per layer, from the first up, and the columns\n"
    "  name, kind          conv, pool, fc, softmax or recurrent; names differ\n"
    "  c_in h_in w_in      conv, pool: channels, rows, columns below\n"
    "  c_out h_out w_out   and above;  kernel stride pad  [stride 1, pad 0]\n"
    "  n_in n_out          fc, softmax, recurrent;  steps  recurrent [1]\n"
    "\n"
    "Machines, all alike\n"),
    USE(MACHINES), USE(CORES), USE(C_NBW), USE(C_NCOST), USE(COMPUTE_SCALE), USE(BANDWIDTH_SCALE),
    HEADING("The work, and the constants of the model"),
    USE(N_SAMPLE), USE(C_MULADD), USE(C_ACT), USE(C_ERR), USE(C_INTERF), USE(C_BITS), USE(N_READ),
    USE(N_WRITE), USE(CONSTANTS),
    HEADING("Choices of the model"),
    USE(MIX), USE(READ_FULL), USE(READ_PER_REPLICA), USE(LATENCY_ALWAYS), USE(BIASES),
    HEADING("The search"),
    USE(THREADS_DIFFER), USE(MAX_REPLICATIONS), USE(SPLIT), USE(CONFIG), USE(OBJECTIVE),
    HEADING("Output"),
    USE(RUNNERS_UP), USE(ALL), USE(BY_LAYER), USE(FORMAT), PARALLEL_USES,
    SECTION("Units",
    TIME_UNITS
    BANDWIDTH_UNITS),
    SECTION("Notes",
    "  machines     A list compares several numbers of machines.\n"
    "  c-muladd     A table is over the bytes of weights of a segment, linear in\n"
    "               their logarithm.\n"
    "  constants    Columns constant, at, value; `at` is empty or a point of a table,\n"
    "               in s, B and B/s. Options go before them.\n"
    "  n-write      costs as much as reading.\n"
    "  split        * stands for all layers, or for a part that stays free.\n"
    "  time         For N machines, a search takes time in proportion to N^4; with\n"
    "               --max-replications 1, to N^3.\n"),
    SECTION("Example:",
    "  $ printf '%s\\n' name,kind,n_in,n_out hidden,fc,4096,4096 \\\n"
    "      out,softmax,4096,1000 |\n"
    "      sgdperf plan - --machines 4 --cores 2 --c-muladd 1ns --c-nbw 10Gbps \\\n"
    "      --n-sample 60000 --runners-up 1\n"
    "  4 machines of 2 cores, 9 configurations\n"
    "  best: 1 server, 3 replicas of 1 worker, 572.929 s an epoch\n"
    "\n"
    "  part           seconds  percent\n"
    "  forward         208.73     36.4\n"
    "  activations          0        0\n"
    "  backward         40.96     7.15\n"
    "  errors               0        0\n"
    "  update          208.73     36.4\n"
    "  read-latency         0        0\n"
    "  read-transfer    114.5       20\n"
    "  write                0        0\n"
    "\n"
    "  layer   partitions  replications  threads  activations  errors  epoch_s  on_workers\n"
    "  hidden           1             1        2            0       0   468.54  0\n"
    "  out              1             1        2            0       0   104.39  0\n"
    "  with these places an epoch takes 572.929 s\n"
    "\n"
    "  rank  workers  replicas  servers  epoch_s  slower\n"
    "     1        1         3        1  572.929       1\n"
    "     2        3         1        1  573.581   1.001\n")
};

static const option_rule rules[] = {
    MISSING(ONE(MACHINES)), MISSING(ONE(CORES)), EXCLUDES(ONE(RUNNERS_UP), ONE(ALL)),
    EXCLUDES(ONE(BY_LAYER), ONE(ALL)), NEEDS(ONE(BY_LAYER), IS(FORMAT, "csv"))
};

static int run(args *a)
{
    plan_problem p = {0};
    output out = {.form = args_form(a)};
    const int by_layer = args_given(a, OPTION_BY_LAYER);
    const size_t processes = parallel_read(a);
    plan_problem_read(&p, a);
    if (by_layer && p.scenarios > 1)
        args_fail(OPTION_BY_LAYER, NULL, "needs one number of --machines");
    plan_print(&out, &p, plan_search(&p, processes), by_layer);
    return output_flush(&out, EXIT_DONE);
}

static const args_command *const parts[] = {&command_plan_measure, &command_plan_order,
                                            &command_plan_stages};

const args_command command_plan = {
    "plan", "split a network over machines", run, uses, COUNT_OF(uses), rules, COUNT_OF(rules),
    1, 1, parts, COUNT_OF(parts), EACH(OPTION_MACHINES, OPTION_CORES, OPTION_N_SAMPLE)};
