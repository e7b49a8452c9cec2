/* plan.c - sgdperf plan: how to split a network over machines */
#include "cmd/plan/plan.h"
#include "jobs/parallel.h"
#include "cmd/commands.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: sgdperf plan LAYERS.csv --machines N --cores K --c-muladd T --c-nbw B --n-sample S\n"
    "                    [--constants FILE] [OPTION...] [--format table|csv|json]\n"
    "       sgdperf plan order TRIALS.csv    which configuration to try first\n"
    "       sgdperf plan measure             the constants of this machine\n"
    "\n"
    "Finds the parameter servers, replicas, workers of a replica, and partitions, replications\n"
    "and threads of each layer for the shortest epoch. LAYERS.csv (- is stdin) has a row a\n"
    "layer, from the first up, and the columns\n"
    "  name, kind          conv, pool, fc, softmax or recurrent; names differ\n"
    "  c_in h_in w_in      conv, pool: channels, rows, columns below\n"
    "  c_out h_out w_out   and above;  kernel stride pad  [stride 1, pad 0]\n"
    "  n_in n_out          fc, softmax, recurrent;  steps  recurrent [1]\n"
    "\n"
    "Machines, all alike, and the constants of the model:\n"
    "  --machines N          machines, at least 2; several, as 20,50,100: what if\n"
    "  --cores K             cores of a machine: at most so many threads\n"
    "  --c-muladd T          time of a connection; a table is over the bytes of weights of a\n"
    "                        segment, linear in their logarithm: 1MiB:1ns,64MiB:3ns\n"
    "  --c-act T             time of a neuron's activation [0]\n"
    "  --c-err T             time of a neuron's error term [0]\n"
    "  --c-interf X          how many times longer H > 1 threads take [1], or 2:1.1,16:1.4\n"
    "  --c-ncost T           time of a message; a table is over H [0]\n"
    "  --c-nbw B             bandwidth of a machine\n"
    "  --c-bits X            bits of a value or weight [32]\n"
    "  --n-sample S          samples of an epoch\n"
    "  --n-read S            samples after which a replica reads all weights [70]\n"
    "  --n-write S           samples after which it writes them, which costs as much [free]\n"
    "  --constants FILE      rows constant, at, value, as plan measure prints them: C_muladd,\n"
    "                        ..., N_write, `at` empty or a table's point, in s, B and B/s;\n"
    "                        options come first\n"
    "  --compute-scale X     computation X times as fast [1]\n"
    "  --bandwidth-scale X   the network X times as fast [1]\n"
    "\n";

static const char rest[] =
    "Choices of the model:\n"
    "  --mix M               weights are read in (1 - M) best + M worst case, 0 to 1 [0]\n"
    "  --read-full           weights are read at C_nbw instead of C_nbw / threads\n"
    "  --read-per-replica    a replica reads weights for its own samples alone\n"
    "  --latency-always      C_ncost counts also where nothing is remote\n"
    "  --biases              biases count as weights\n"
    "\n"
    "Search and results:\n"
    "  --threads-differ      threads differ by layer; else they are the same in all layers\n"
    "  --max-replications R  most replications of a layer [any]\n"
    "  --split NAME=P/R/H    split of a layer; * is all layers, or a free part; repeatable\n"
    "  --config W/R/PS       workers, replicas, servers: only these are ranked; repeatable\n"
    "  --runners-up K        how many after the best [10, or all of --config]\n"
    "  --all                 every configuration, in order of time\n"
    "  --objective O         what places of the segments make least: sum: the sum of remote\n"
    "                        values; largest: the largest of a worker [sum]\n"
    "  --by-layer            with csv: the layers of the best, not the ranking\n"
    PARALLEL_HELP("        ")
    "  --format F            table, csv or json [table]\n"
    "A search takes time as N^4, with --max-replications 1 as N^3.\n"
    "\n"
    "Example:\n"
    "  $ printf '%s\\n' name,kind,n_in,n_out hidden,fc,4096,4096 out,softmax,4096,1000 |\n"
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
    "     2        3         1        1  573.581   1.001\n";

static void print_scenarios(output *out, plan_problem *p, const plan_answer *found,
                            int by_layer, output_format format)
{
    result_table *ranking = plan_ranking_new(0);
    const int several = p->scenarios > 1, json = format == FORMAT_JSON;
    size_t i;
    if (json) json_object(out, NULL);
    if (json && several) json_array(out, "scenarios");
    for (i = 0; i < p->scenarios; i++) {
        const plan_answer answer = found[i];
        p->in.job.machines.count = p->machines[i];
        if (json) {
            if (several) json_object(out, NULL);
            plan_print_json(out, p, &answer);
            if (several) json_end(out);
        } else if (format == FORMAT_TABLE) {
            if (i > 0) output_print(out, "\n");
            plan_print_human(out, p, &answer);
        } else if (by_layer) {
            plan_print_layers(out, p, &answer.ranked[0], FORMAT_CSV);
        } else {
            plan_ranking_add(ranking, p, &answer, 0);
        }
    }
    if (json && several) json_end(out);
    if (json) json_end(out);
    if (format == FORMAT_CSV && !by_layer) table_print(ranking, out, FORMAT_CSV);
}

int cmd_plan(int argc, char **argv)
{
    static const args_option options[] = {
        {"--machines", ARGS_VALUE}, {"--cores", ARGS_VALUE}, {"--constants", ARGS_VALUE},
        {"--c-muladd", ARGS_VALUE}, {"--c-act", ARGS_VALUE}, {"--c-err", ARGS_VALUE},
        {"--c-interf", ARGS_VALUE}, {"--c-ncost", ARGS_VALUE}, {"--c-nbw", ARGS_VALUE},
        {"--c-bits", ARGS_VALUE}, {"--n-sample", ARGS_VALUE}, {"--n-read", ARGS_VALUE},
        {"--n-write", ARGS_VALUE}, {"--compute-scale", ARGS_VALUE},
        {"--bandwidth-scale", ARGS_VALUE}, {"--mix", ARGS_VALUE}, {"--read-full", ARGS_FLAG},
        {"--read-per-replica", ARGS_FLAG}, {"--latency-always", ARGS_FLAG},
        {"--biases", ARGS_FLAG}, {"--threads-differ", ARGS_FLAG},
        {"--max-replications", ARGS_VALUE}, {"--split", ARGS_REPEAT}, {"--config", ARGS_REPEAT},
        {"--runners-up", ARGS_VALUE}, {"--all", ARGS_FLAG}, {"--objective", ARGS_VALUE},
        {"--by-layer", ARGS_FLAG}, PARALLEL_OPTIONS};
    static char help[sizeof usage + sizeof rest];
    static const args_command command = {help, options, COUNT_OF(options), 1, 1};
    static const args_part parts[] = {{"measure", plan_measure}, {"order", plan_order}};
    plan_problem p = {0};
    output out = {0};
    args a;
    size_t processes;
    int by_layer, status;
    snprintf(help, sizeof help, "%s%s", usage, rest);
    if (args_run_part(&command, parts, COUNT_OF(parts), argc, argv, &status)) return status;
    args_parse(&a, &command, argc, argv);
    by_layer = args_given(&a, "--by-layer");
    processes = parallel_read(&a);
    plan_problem_read(&p, &a);
    if (by_layer && p.keep_all) tool_fail("--by-layer shows the best alone, not --all");
    if (by_layer && (p.scenarios > 1 || args_format(&a) != FORMAT_CSV))
        tool_fail("--by-layer is for --format csv and one number of --machines");
    print_scenarios(&out, &p, plan_search(&p, processes), by_layer, args_format(&a));
    return output_flush(&out, EXIT_DONE);
}
