/* command.c - sgdperf mva: any closed queueing network */
#include "cmd/mva/mva.h"
#include "files/status.h"
#include "cmd/commands.h"

#include <stdio.h>
#include <string.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf mva NETWORK.csv\n"
    "       [--method exact|fcfs|hybrid|schweitzer|linearizer|bounds|interleaved]\n"
    "       [--fcfs NAME,...] [--threshold 0.8] [--capacity NAME=M,...] [--delay NAME,...]\n"
    "       [--rates FILE] [--format table|csv|json]\n"
    "\n"
    "Solves a closed queueing network by mean value analysis. NETWORK.csv (- is stdin) has\n"
    "one row a class and the columns\n"
    "  class       its name, distinct\n"
    "  population  tasks of the class, 0 to 4294967295\n"
    "  think_s     time of a cycle spent outside all stations, seconds\n"
    "  others      one a station: service time that a task of the class needs there in a\n"
    "              cycle, seconds (visits times the time of one)\n"
    "\n"),
    USE(METHOD), USE(FCFS), USE_HELP(THRESHOLD, "a utilization, 0 to 1", "0.8"), USE(CAPACITY),
    USE_AS(DELAY, LIST, "NAME,...", NULL, "stations where nobody waits", NULL), USE(RATES),
    USE_HELP(FORMAT,
         "table, csv (a row per class and station, queue and utilization being the class's "
         "part) or json", "table"),
    ABOUT(
    "\n"
    "Prints throughput in cycles per second, the response time of one task at each station,\n"
    "and each station's mean queue and utilization, in all and of each class. Utilization is\n"
    "the busy share of the capacity, or of the largest rate; of a delay, the tasks in it.\n"
    "\n"
    "Example: 4 workers, 29 ms of compute, 72 ms each way, 18 ms per update\n"
    "  $ printf 'class,population,think_s,uplink,server,downlink\\nw,4,0.029,0.072,0.018,0.072' |\n"
    "      sgdperf mva - --method fcfs\n"
    "  fcfs (lattice): 12.922 cycles per second\n"
    "\n"
    "  response times at each station, seconds\n"
    "  class  population  throughput_per_s   uplink    server  downlink\n"
    "  w               4            12.922  0.12907  0.022423   0.12907\n"
    "\n"
    "  station     queue  utilization\n"
    "  uplink     1.6678      0.93037\n"
    "  server    0.28974      0.23259\n"
    "  downlink   1.6678      0.93037\n")
};

/* ---- Methods --------------------------------------------------------------- */

const char *const mva_method_names[MVA_METHODS] = {
    "exact", "fcfs", "hybrid", "schweitzer", "linearizer", "bounds", "interleaved"
};

typedef sgdp_status mva_solver(const sgdp_network *, const sgdp_mva_options *, void *, size_t,
                               sgdp_mva_result *);
typedef sgdp_status mva_query(const sgdp_network *, const sgdp_mva_options *, size_t *);

static const struct {
    mva_solver *solve;
    mva_query  *bytes;
    sgdp_method method;
    const char *instead;      /* for networks that are too large; NULL: nothing */
} methods[MVA_METHODS] = {
    {sgdp_mva_exact,         sgdp_mva_exact_bytes,         SGDP_METHOD_AUTO,       "linearizer"},
    {sgdp_mva_hybrid_approx, sgdp_mva_hybrid_approx_bytes, SGDP_METHOD_AUTO,       "linearizer"},
    {sgdp_mva_hybrid_approx, sgdp_mva_hybrid_approx_bytes, SGDP_METHOD_AUTO,       "linearizer"},
    {sgdp_mva_approx,        sgdp_mva_approx_bytes,        SGDP_METHOD_SCHWEITZER, "bounds"},
    {sgdp_mva_approx,        sgdp_mva_approx_bytes,        SGDP_METHOD_LINEARIZER, "schweitzer"},
    {NULL, NULL, SGDP_METHOD_AUTO, NULL},
    {sgdp_mva_hybrid_approx, sgdp_mva_hybrid_approx_bytes, SGDP_METHOD_AUTO,       NULL},
};

/* Refuses options that the method would ignore. */
static void check_options(const args *a, enum mva_method method)
{
    const int fixed_point = method == MVA_SCHWEITZER || method == MVA_LINEARIZER;
    const int fcfs = args_given(a, OPTION_FCFS);
    if (fcfs && !fixed_point && method != MVA_FCFS && method != MVA_HYBRID)
        args_fail(OPTION_FCFS, NULL, "not with --method %s", mva_method_names[method]);
    if (args_given(a, OPTION_THRESHOLD) && method != MVA_HYBRID && !(fixed_point && fcfs))
        args_fail(OPTION_THRESHOLD, NULL, "only with --method hybrid, or with --fcfs and --method "
                  "schweitzer or linearizer");
    if (args_given(a, OPTION_RATES) && method != MVA_EXACT && method != MVA_BOUNDS)
        args_fail(OPTION_RATES, NULL, "not with --method %s", mva_method_names[method]);
}

/* Says where --capacity makes an approximation a rough one. */
static void note_servers(const mva_network *n, enum mva_method method)
{
    double tasks = 0.0;
    size_t i, shared = 0;
    if (method == MVA_EXACT) return;
    for (i = 0; i < n->net.classes; i++) tasks += (double)n->population[i];
    for (i = 0; i < n->net.stations; i++)
        shared += n->capacity[i] > 1.0 && n->capacity[i] < tasks;
    if (shared > 0)
        tool_note("approximated",
                  "--method %s takes the servers of a station as one fast server behind a delay: "
                  "up to %d %% off what it is without that", mva_method_names[method],
                  method == MVA_SCHWEITZER ? 24 : 20);
}

/* Names the method that can solve the same network, with the options that make it so. */
TOOL_NORETURN static void fail_too_large(const mva_network *n, enum mva_method method,
                                         double threshold)
{
    output options = {0};
    size_t l;
    for (l = 0; l < n->net.stations; l++)
        if (n->discipline[l] != SGDP_PS && method != MVA_INTERLEAVED)
            output_print(&options, "%s%s", options.length > 0 ? "," : " --fcfs ",
                         n->station_name[l]);
    if (method == MVA_HYBRID) output_print(&options, " --threshold %.6g", threshold);
    output_print(&options, "%c", '\0');
    if (n->rates)
        tool_fail("%s: too large for --method %s with --rates, use --method bounds",
                  n->file->name, mva_method_names[method]);
    if (!methods[method].instead)
        tool_fail("%s: too large for --method %s", n->file->name, mva_method_names[method]);
    tool_fail("%s: too large for --method %s, use --method %s%s", n->file->name,
              mva_method_names[method], methods[method].instead, options.text);
}

static sgdp_status solve(const mva_network *n, enum mva_method method, double *threshold,
                         sgdp_mva_result *r)
{
    const size_t C = n->net.classes, L = n->net.stations;
    sgdp_mva_options options = {0};
    sgdp_status status;
    size_t bytes = 0;
    options.method = methods[method].method;
    options.gamma = sgdp_gamma_threshold;
    options.gamma_ctx = threshold;
    r->throughput_per_s = (double *)tool_alloc(C, sizeof(double));
    r->response_s = (double *)tool_alloc(C * L, sizeof(double));
    r->queue = (double *)tool_alloc(L, sizeof(double));
    r->utilization = (double *)tool_alloc(L, sizeof(double));
    r->gamma = (double *)tool_alloc(L, sizeof(double));
    r->class_queue = (double *)tool_alloc(C * L, sizeof(double));
    r->class_utilization = (double *)tool_alloc(C * L, sizeof(double));
    status = methods[method].bytes(&n->net, &options, &bytes);
    if (status == SGDP_OK)
        status = methods[method].solve(&n->net, &options, tool_alloc(bytes, 1), bytes, r);
    if (status == SGDP_OVER_BUDGET || status == SGDP_TOO_LARGE)
        fail_too_large(n, method, *threshold);
    return status;
}

static int run(args *a)
{
    mva_network network = {0};
    sgdp_mva_result result = {0};
    output out = {0};
    enum mva_method method;
    sgdp_status status;
    double threshold;
    int exit_status;

    out.form = args_form(a);
    method = (enum mva_method)args_choice(a, OPTION_METHOD, mva_method_names, MVA_METHODS,
                                          MVA_EXACT);
    threshold = args_number(a, OPTION_THRESHOLD, 0.8);
    check_options(a, method);
    mva_read_network(&network, a->files[0]);
    mva_set_disciplines(&network, a, method);
    mva_set_servers(&network, a);
    if (method == MVA_BOUNDS) {
        mva_print_bounds(&out, &network);
        return output_flush(&out, EXIT_DONE);
    }
    note_servers(&network, method);
    status = solve(&network, method, &threshold, &result);
    exit_status = tool_check(status, network.file->name);
    mva_print(&out, &network, mva_method_names[method], status, &result);
    return output_flush(&out, exit_status);
}

const args_command command_mva = {"mva", "solve any closed queueing network", run, uses,
                                  COUNT_OF(uses), 1, 1, NULL, 0};
