/* cmd_mva.c - sgdperf mva: any closed queueing network */
#include "base/tool.h"
#include "files/status.h"
#include "cmd/commands.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: sgdperf mva NETWORK.csv\n"
    "       [--method exact|fcfs|hybrid|schweitzer|linearizer|bounds|interleaved]\n"
    "       [--fcfs NAME,...] [--threshold 0.8] [--format table|csv|json]\n"
    "\n"
    "Solves a closed queueing network by mean value analysis. NETWORK.csv (- is stdin) has\n"
    "one row a class and the columns\n"
    "  class       its name, distinct\n"
    "  population  tasks of the class, 1 to 4294967295\n"
    "  think_s     time of a cycle spent outside all stations, seconds\n"
    "  others      one a queueing station: service time of the class's visit, seconds\n"
    "\n"
    "  --method exact       stations shared equally (product form): exact\n"
    "           fcfs        first come first served, deterministic service, at --fcfs;\n"
    "                       an approximation, as all that follow\n"
    "           hybrid      at --fcfs between the two, by the utilization: first come first\n"
    "                       served up to --threshold, shared equally at 1\n"
    "           schweitzer  fixed point, for networks too large to solve otherwise; at\n"
    "           linearizer    --fcfs, if given, as fcfs, with --threshold as hybrid\n"
    "           bounds      lower and upper bound of the exact throughput\n"
    "           interleaved everywhere: steps of fixed length fall into a rhythm in which\n"
    "                       nobody waits while their times fit into one cycle\n"
    "  --fcfs NAME,...      stations [fcfs and hybrid: those called uplink and downlink]\n"
    "  --threshold X        a utilization, 0 to 1 [0.8]\n"
    "  --format F           table, csv (a row per class and station) or json [table]\n"
    "\n"
    "Prints throughput in cycles per second, the response time of one task at each station,\n"
    "and each station's mean queue and utilization.\n"
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
    "  downlink   1.6678      0.93037\n";

/* ---- Methods --------------------------------------------------------------- */

typedef sgdp_status mva_solver(const sgdp_network *, const sgdp_mva_options *, void *, size_t,
                               sgdp_mva_result *);
typedef sgdp_status mva_query(const sgdp_network *, const sgdp_mva_options *, size_t *);

enum mva_method {
    MVA_EXACT = 0, MVA_FCFS, MVA_HYBRID, MVA_SCHWEITZER, MVA_LINEARIZER, MVA_BOUNDS,
    MVA_INTERLEAVED, MVA_METHODS
};

static const char *const method_names[MVA_METHODS] = {
    "exact", "fcfs", "hybrid", "schweitzer", "linearizer", "bounds", "interleaved"
};

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

static const char *solver_name(sgdp_method method)
{
    switch (method) {
    case SGDP_METHOD_AUTO:       break;
    case SGDP_METHOD_LATTICE:    return "lattice";
    case SGDP_METHOD_POLYNOMIAL: return "polynomial";
    case SGDP_METHOD_SCHWEITZER: return "schweitzer";
    case SGDP_METHOD_LINEARIZER: return "linearizer";
    }
    return "auto";
}

/* ---- Network --------------------------------------------------------------- */

typedef struct mva_network {
    const csv_table *file;
    const char     **class_name;   /* [classes] */
    const char     **station_name; /* [stations] */
    uint32_t        *population;
    double          *think_s;
    double          *demand_s;
    sgdp_discipline *discipline;
    sgdp_network     net;          /* the arrays above, for the solvers */
} mva_network;

static void read_row(mva_network *n, size_t row, int population, int think, const int *station)
{
    const csv_table *t = n->file;
    const size_t L = n->net.stations;
    sgdp_network alone = n->net;
    size_t l;
    n->population[row] = (uint32_t)csv_integer(t, row, population, 1, UINT32_MAX);
    n->think_s[row] = csv_number(t, row, think, NUMBER_NON_NEGATIVE);
    for (l = 0; l < L; l++)
        n->demand_s[row * L + l] = csv_number(t, row, station[l], NUMBER_NON_NEGATIVE);
    /* What is left to refuse is a class as a whole: let the library judge it alone. */
    alone.classes = 1;
    alone.population += row;
    alone.think_s += row;
    alone.demand_s += row * L;
    if (sgdp_mva_bounds(&alone, NULL, NULL) != SGDP_OK)
        csv_fail(t, row, CSV_NONE, "the times of class '%s' are all 0, or too small or too "
                 "large to compute with", n->class_name[row]);
}

static void read_network(mva_network *n, const char *path)
{
    const csv_table *t = n->file = csv_read(path, 0);
    const int class_column = csv_require(t, "class"), think = csv_require(t, "think_s");
    const int population = csv_require(t, "population");
    int *station = (int *)tool_alloc((size_t)t->columns, sizeof *station), i;
    size_t L = 0, row;
    csv_unique(t, &class_column, 1);
    n->station_name = (const char **)tool_alloc((size_t)t->columns, sizeof *n->station_name);
    for (i = 0; i < t->columns; i++) {
        if (i == class_column || i == think || i == population) continue;
        if (*t->header[i] == '\0')
            tool_fail("%s:%lu: a column without a name", t->name, (unsigned long)t->header_line);
        n->station_name[L] = t->header[i];
        station[L++] = i;
    }
    if (L == 0) tool_fail("%s:%lu: no station's column", t->name, (unsigned long)t->header_line);
    if (t->rows > (size_t)-1 / L) tool_fail("%s: too large", t->name);
    n->class_name = (const char **)tool_alloc(t->rows, sizeof *n->class_name);
    n->population = (uint32_t *)tool_alloc(t->rows, sizeof *n->population);
    n->think_s = (double *)tool_alloc(t->rows, sizeof *n->think_s);
    n->demand_s = (double *)tool_alloc(t->rows * L, sizeof *n->demand_s);
    n->discipline = (sgdp_discipline *)tool_alloc(L, sizeof *n->discipline);
    n->net.classes = t->rows;
    n->net.stations = L;
    n->net.population = n->population;
    n->net.think_s = n->think_s;
    n->net.demand_s = n->demand_s;
    n->net.discipline = n->discipline;
    for (row = 0; row < t->rows; row++) {
        n->class_name[row] = csv_text(t, row, class_column);
        if (csv_is_empty(t, row, class_column)) csv_fail(t, row, class_column, "the cell is empty");
        read_row(n, row, population, think, station);
    }
}

/* Refuses options that the method would ignore. */
static void check_options(const args *a, enum mva_method method)
{
    const int fixed_point = method == MVA_SCHWEITZER || method == MVA_LINEARIZER;
    const int fcfs = args_given(a, "--fcfs");
    if (fcfs && !fixed_point && method != MVA_FCFS && method != MVA_HYBRID)
        args_fail("--fcfs", NULL, "not with --method %s", method_names[method]);
    if (args_given(a, "--threshold") && method != MVA_HYBRID && !(fixed_point && fcfs))
        args_fail("--threshold", NULL, "only with --method hybrid, or with --fcfs and --method "
                  "schweitzer or linearizer");
}

/* Gives a discipline to the stations that --fcfs names, or to the two links. */
static void set_disciplines(mva_network *n, const args *a, enum mva_method method)
{
    static const char *const links[] = {"uplink", "downlink"};
    const int hybrid = method == MVA_HYBRID || args_given(a, "--threshold");
    const sgdp_discipline discipline = hybrid ? SGDP_HYBRID : SGDP_FCFS;
    const size_t L = n->net.stations;
    char **names = NULL;
    size_t count = args_words(a, "--fcfs", &names), i, l;
    for (i = 0; i < count; i++) {
        l = words_find(n->station_name, L, names[i]);
        if (l == L) args_fail("--fcfs", names[i], "is no station of %s", n->file->name);
        if (n->discipline[l] != SGDP_PS) args_fail("--fcfs", names[i], "is named twice");
        n->discipline[l] = discipline;
    }
    for (l = 0; l < L && method == MVA_INTERLEAVED; l++) n->discipline[l] = SGDP_INTERLEAVED;
    if (count > 0 || (method != MVA_FCFS && method != MVA_HYBRID)) return;
    for (i = 0; i < COUNT_OF(links); i++) {
        l = words_find(n->station_name, L, links[i]);
        if (l < L) { n->discipline[l] = discipline; count++; }
    }
    if (count == 0)
        tool_fail("--fcfs is missing: --method %s needs the stations it is about, and %s has "
                  "none called uplink or downlink", method_names[method], n->file->name);
}

/* ---- Results --------------------------------------------------------------- */

static double sum(const double *x, size_t count)
{
    double total = 0.0;
    size_t i;
    for (i = 0; i < count; i++) total += x[i];
    return total;
}

static void print_json(output *out, const mva_network *n, const char *method,
                       sgdp_status status, const sgdp_mva_result *r)
{
    const size_t C = n->net.classes, L = n->net.stations;
    size_t c, l;
    json_object(out, NULL);
    json_string(out, "method", method);
    json_string(out, "status", tool_status_word(status));
    json_number(out, "throughput_per_s", sum(r->throughput_per_s, C));
    json_string(out, "solver", solver_name(r->method));
    json_integer(out, "iterations", r->iterations);
    json_number(out, "residual", r->residual);
    json_array(out, "classes");
    for (c = 0; c < C; c++) {
        json_object(out, NULL);
        json_string(out, "class", n->class_name[c]);
        json_integer(out, "population", n->population[c]);
        json_number(out, "throughput_per_s", r->throughput_per_s[c]);
        json_object(out, "response_s");
        for (l = 0; l < L; l++) json_number(out, n->station_name[l], r->response_s[c * L + l]);
        json_end(out);
        json_end(out);
    }
    json_end(out);
    json_array(out, "stations");
    for (l = 0; l < L; l++) {
        json_object(out, NULL);
        json_string(out, "station", n->station_name[l]);
        json_number(out, "queue", r->queue[l]);
        json_number(out, "utilization", r->utilization[l]);
        if (n->discipline[l] == SGDP_HYBRID) json_number(out, "gamma", r->gamma[l]);
        json_end(out);
    }
    json_end(out);
    json_end(out);
}

static void print_csv(output *out, const mva_network *n, const sgdp_mva_result *r)
{
    static const table_column columns[] = {
        {"class", 0}, {"population", 0}, {"throughput_per_s", 0}, {"station", 0},
        {"response_s", 0}, {"queue", 0}, {"utilization", 0}
    };
    const size_t L = n->net.stations;
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t c, l;
    for (c = 0; c < n->net.classes; c++)
        for (l = 0; l < L; l++) {
            table_text(t, n->class_name[c]);
            table_integer(t, n->population[c]);
            table_number(t, r->throughput_per_s[c]);
            table_text(t, n->station_name[l]);
            table_number(t, r->response_s[c * L + l]);
            table_number(t, r->queue[l]);
            table_number(t, r->utilization[l]);
        }
    table_print(t, out, FORMAT_CSV);
}

static result_table *class_table(const mva_network *n, const sgdp_mva_result *r)
{
    const size_t L = n->net.stations;
    table_column *columns = (table_column *)tool_alloc(L + 3, sizeof *columns);
    result_table *t;
    size_t c, l;
    columns[0].name = "class";
    columns[1].name = "population";
    columns[2].name = "throughput_per_s";
    for (l = 0; l < L; l++) columns[l + 3].name = n->station_name[l];
    t = table_new(columns, L + 3);
    for (c = 0; c < n->net.classes; c++) {
        table_text(t, n->class_name[c]);
        table_integer(t, n->population[c]);
        table_number(t, r->throughput_per_s[c]);
        for (l = 0; l < L; l++) table_number(t, r->response_s[c * L + l]);
    }
    return t;
}

static void print_human(output *out, const mva_network *n, const char *method,
                        sgdp_status status, const sgdp_mva_result *r)
{
    static const table_column columns[] = {{"station", 0}, {"queue", 0}, {"utilization", 0}};
    const char *solver = solver_name(r->method);
    result_table *stations = table_new(columns, COUNT_OF(columns));
    size_t l;
    output_print(out, "%s", method);
    if (strcmp(method, solver) != 0) output_print(out, " (%s)", solver);
    output_print(out, ": %.5g cycles per second\n\n", sum(r->throughput_per_s, n->net.classes));
    if (status != SGDP_OK)
        output_print(out, "not converged: residual %.2g after %lu iterations\n\n", r->residual,
                     (unsigned long)r->iterations);
    output_print(out, "response times at each station, seconds\n");
    table_print(class_table(n, r), out, FORMAT_TABLE);
    for (l = 0; l < n->net.stations; l++) {
        table_text(stations, n->station_name[l]);
        table_number(stations, r->queue[l]);
        table_number(stations, r->utilization[l]);
    }
    output_print(out, "\n");
    table_print(stations, out, FORMAT_TABLE);
}

static void print_bounds_json(output *out, const mva_network *n, const double *lower,
                              const double *upper)
{
    size_t c;
    json_object(out, NULL);
    json_string(out, "method", "bounds");
    json_string(out, "status", "ok");
    json_array(out, "classes");
    for (c = 0; c < n->net.classes; c++) {
        json_object(out, NULL);
        json_string(out, "class", n->class_name[c]);
        json_integer(out, "population", n->population[c]);
        json_number(out, "lower_per_s", lower[c]);
        json_number(out, "upper_per_s", upper[c]);
        json_end(out);
    }
    json_end(out);
    json_end(out);
}

static void print_bounds(output *out, const mva_network *n, output_format format)
{
    static const table_column columns[] = {
        {"class", 0}, {"population", 0}, {"lower_per_s", 0}, {"upper_per_s", 0}
    };
    const size_t C = n->net.classes;
    double *lower = (double *)tool_alloc(C, sizeof *lower);
    double *upper = (double *)tool_alloc(C, sizeof *upper);
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t c;
    tool_check(sgdp_mva_bounds(&n->net, lower, upper), n->file->name);
    if (format == FORMAT_JSON) { print_bounds_json(out, n, lower, upper); return; }
    for (c = 0; c < C; c++) {
        table_text(t, n->class_name[c]);
        table_integer(t, n->population[c]);
        table_number(t, lower[c]);
        table_number(t, upper[c]);
    }
    table_print(t, out, format);
}

/* ---- The command ----------------------------------------------------------- */

/* Names the method that can solve the same network, with the options that make it so. */
TOOL_NORETURN static void fail_too_large(const mva_network *n, enum mva_method method,
                                         double threshold)
{
    char options[256] = "", part[64];
    size_t l;
    for (l = 0; l < n->net.stations; l++) {
        if (n->discipline[l] == SGDP_PS || method == MVA_INTERLEAVED) continue;
        snprintf(part, sizeof part, "%s%.40s", options[0] ? "," : " --fcfs ",
                 n->station_name[l]);
        if (strlen(options) + strlen(part) < sizeof options) strcat(options, part);
    }
    snprintf(part, sizeof part, " --threshold %.6g", threshold);
    if (method == MVA_HYBRID && strlen(options) + strlen(part) < sizeof options)
        strcat(options, part);
    if (!methods[method].instead)
        tool_fail("%s: too large for --method %s", n->file->name, method_names[method]);
    tool_fail("%s: too large for --method %s, use --method %s%s", n->file->name,
              method_names[method], methods[method].instead, options);
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
    status = methods[method].bytes(&n->net, &options, &bytes);
    if (status == SGDP_OK)
        status = methods[method].solve(&n->net, &options, tool_alloc(bytes, 1), bytes, r);
    if (status == SGDP_OVER_BUDGET || status == SGDP_TOO_LARGE)
        fail_too_large(n, method, *threshold);
    return status;
}

int cmd_mva(int argc, char **argv)
{
    static const args_option options[] = {
        {"--method", ARGS_VALUE}, {"--fcfs", ARGS_VALUE}, {"--threshold", ARGS_VALUE}
    };
    static const args_command command = {help, options, COUNT_OF(options), 1, 1};
    args a;
    mva_network network = {0};
    sgdp_mva_result result = {0};
    output out = {0};
    enum mva_method method;
    output_format format;
    sgdp_status status;
    double threshold;
    int exit_status;

    args_parse(&a, &command, argc, argv);
    format = args_format(&a);
    method = (enum mva_method)args_choice(&a, "--method", method_names, MVA_METHODS, MVA_EXACT);
    threshold = args_number(&a, "--threshold", UNIT_NONE, NUMBER_FRACTION, 0.8);
    check_options(&a, method);
    read_network(&network, a.files[0]);
    set_disciplines(&network, &a, method);
    if (method == MVA_BOUNDS) {
        print_bounds(&out, &network, format);
        return output_flush(&out, EXIT_DONE);
    }
    status = solve(&network, method, &threshold, &result);
    exit_status = tool_check(status, network.file->name);
    if (format == FORMAT_JSON)
        print_json(&out, &network, method_names[method], status, &result);
    else if (format == FORMAT_CSV) print_csv(&out, &network, &result);
    else print_human(&out, &network, method_names[method], status, &result);
    return output_flush(&out, exit_status);
}
