/* mva.c - sgdperf mva: means of a closed network of queues */
#include "base/columns.h"
#include "base/csv.h"
#include "base/words.h"
#include "cmd/commands.h"
#include "files/status.h"
#include "sgdperf.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* By the words of --method. */
enum mva_method {
    MVA_EXACT = 0, MVA_FCFS, MVA_HYBRID, MVA_SCHWEITZER, MVA_LINEARIZER, MVA_BOUNDS,
    MVA_INTERLEAVED, MVA_METHODS
};

typedef sgdp_status mva_solver(const sgdp_network *, const sgdp_mva_options *, void *, size_t,
                               sgdp_mva_result *);
typedef sgdp_status mva_query(const sgdp_network *, const sgdp_mva_options *, size_t *);

static const struct {
    const char *name;
    mva_solver *solve;
    mva_query  *bytes;
    sgdp_method method;
    const char *instead;      /* for networks that are too large; NULL: nothing */
} methods[MVA_METHODS] = {
    {"exact", sgdp_mva_exact, sgdp_mva_exact_bytes, SGDP_METHOD_AUTO, "linearizer"},
    {"fcfs", sgdp_mva_hybrid_approx, sgdp_mva_hybrid_approx_bytes, SGDP_METHOD_AUTO, "linearizer"},
    {"hybrid", sgdp_mva_hybrid_approx, sgdp_mva_hybrid_approx_bytes,
     SGDP_METHOD_AUTO, "linearizer"},
    {"schweitzer", sgdp_mva_approx, sgdp_mva_approx_bytes, SGDP_METHOD_SCHWEITZER, "bounds"},
    {"linearizer", sgdp_mva_approx, sgdp_mva_approx_bytes, SGDP_METHOD_LINEARIZER, "schweitzer"},
    {"bounds", NULL, NULL, SGDP_METHOD_AUTO, NULL},
    {"interleaved", sgdp_mva_hybrid_approx, sgdp_mva_hybrid_approx_bytes, SGDP_METHOD_AUTO, NULL},
};

typedef struct mva_network {
    const csv_table *file;
    const char     **class_name;   /* [classes] */
    const char     **station_name; /* [stations] */
    uint32_t        *population;
    double          *think_s;
    double          *demand_s;
    sgdp_discipline *discipline;
    double          *capacity;     /* [stations] */
    double          *rates;        /* [stations][rate_tasks], or NULL */
    sgdp_network     net;          /* the arrays above, for the solvers */
} mva_network;

/* ---- Reading ------------------------------------------------------------------ */

/* Over a class whose times, each of which is fine, add up to what no solver computes with:
 * names the largest of them. */
TOOL_NORETURN static void fail_class(const mva_network *n, size_t row, int think,
                                     const int *station)
{
    const double *demand_s = n->demand_s + row * n->net.stations;
    double largest_s = n->think_s[row];
    int column = think;
    for (size_t l = 0; l < n->net.stations; l++)
        if (demand_s[l] > largest_s) { largest_s = demand_s[l]; column = station[l]; }
    if (!(largest_s > 0.0))
        csv_fail(n->file, row, CSV_NONE, "the times of class '%s' are all 0", n->class_name[row]);
    csv_fail(n->file, row, column, "%s is too %s to compute with%s",
             csv_text(n->file, row, column), largest_s > 1.0 ? "large" : "small",
             largest_s > 1.0 ? "" : ", and no time of the class is larger");
}

static void read_row(mva_network *n, size_t row, int population, int think, const int *station)
{
    const csv_table *t = n->file;
    const size_t L = n->net.stations;
    sgdp_network alone = n->net;
    n->population[row] = (uint32_t)csv_integer(t, row, population, 0, UINT32_MAX);
    n->think_s[row] = csv_number(t, row, think, NUMBER_NON_NEGATIVE);
    for (size_t l = 0; l < L; l++)
        n->demand_s[row * L + l] = csv_number(t, row, station[l], NUMBER_NON_NEGATIVE);
    /* What is left to refuse is a class as a whole: let the library judge it alone. */
    alone.classes = 1;
    alone.population += row;
    alone.think_s += row;
    alone.demand_s += row * L;
    if (sgdp_mva_bounds(&alone, NULL, NULL) == SGDP_BAD_ARGUMENT)
        fail_class(n, row, think, station);
}

/* The file at `path`, "-" being stdin, or fails. */
static void mva_read_network(mva_network *n, const char *path)
{
    const csv_table *t = n->file = csv_read(path, 0);
    CSV_REQUIRE(t, "class", "population", "think_s");
    const int class_column = csv_require(t, "class"), think = csv_require(t, "think_s");
    const int population = csv_require(t, "population");
    int *station = (int *)tool_alloc((size_t)t->columns, sizeof *station), i;
    size_t L = 0;
    csv_unique(t, &class_column, 1);
    n->station_name = (const char **)tool_alloc((size_t)t->columns, sizeof *n->station_name);
    for (i = 0; i < t->columns; i++) {
        if (i == class_column || i == think || i == population) continue;
        if (*t->header[i] == '\0')
            tool_fail("%s:%lu: a column has no name", t->name, (unsigned long)t->header_line);
        n->station_name[L] = t->header[i];
        station[L++] = i;
    }
    if (L == 0) tool_fail("%s:%lu: the table has no column of a station: add one with its service "
                          "times",
                          t->name, (unsigned long)t->header_line);
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
    for (size_t row = 0; row < t->rows; row++) {
        n->class_name[row] = csv_text(t, row, class_column);
        if (csv_is_empty(t, row, class_column)) csv_fail(t, row, class_column, "the cell is empty");
        read_row(n, row, population, think, station);
    }
}

/* Gives a discipline to the stations that --fcfs names, or to the two links. */
static void mva_set_disciplines(mva_network *n, const args *a, enum mva_method method)
{
    static const char *const links[] = {"uplink", "downlink"};
    const int hybrid = method == MVA_HYBRID || args_given(a, OPTION_THRESHOLD);
    const sgdp_discipline discipline = hybrid ? SGDP_HYBRID : SGDP_FCFS;
    const size_t L = n->net.stations;
    char **names = NULL;
    size_t count = args_words(a, OPTION_FCFS, &names), i, l;
    for (i = 0; i < count; i++) {
        l = words_find(n->station_name, L, names[i]);
        if (l == L) args_fail(OPTION_FCFS, names[i], "is not a station of %s", n->file->name);
        if (n->discipline[l] != SGDP_PS) args_fail(OPTION_FCFS, names[i], "is named twice");
        n->discipline[l] = discipline;
    }
    for (l = 0; l < L && method == MVA_INTERLEAVED; l++) n->discipline[l] = SGDP_INTERLEAVED;
    if (count > 0 || (method != MVA_FCFS && method != MVA_HYBRID)) return;
    for (i = 0; i < COUNT_OF(links); i++) {
        l = words_find(n->station_name, L, links[i]);
        if (l < L) { n->discipline[l] = discipline; count++; }
    }
    if (count == 0)
        tool_fail("--fcfs is missing: --method %s needs stations that serve first come, first "
                  "served, and %s has no station named uplink or downlink",
                  methods[method].name, n->file->name);
}

/* ---- Servers ------------------------------------------------------------------ */

/* The station that an option names, which no such option has named before. */
static size_t named_station(const mva_network *n, const args *a, option_id option,
                            const char *name, option_id *by)
{
    const size_t l = words_find(n->station_name, n->net.stations, name);
    if (l == n->net.stations)
        args_fail(option, name, "is not a station of %s", n->file->name);
    if (by[l] == option) args_fail(option, name, "is named twice");
    if (by[l] != OPTION_COUNT)
        args_fail(option, name, "is also named by %s: remove one of the two", option_name(by[l]));
    if (args_given(a, OPTION_FCFS) && n->discipline[l] != SGDP_PS && option == OPTION_DELAY)
        args_fail(option, name, "is also named by --fcfs");
    by[l] = option;
    return l;
}

/* NAME=M of --capacity; a name may hold a '='. */
static void read_capacity(mva_network *n, const args *a, char *word, option_id *by)
{
    char *equals = strrchr(word, '=');
    double m = 0.0;
    if (!equals) args_fail(OPTION_CAPACITY, word, "is not NAME=M, a station and its number of "
                                                  "servers");
    const char *wrong = number_parse(equals + 1, NUMBER_POSITIVE, &m);
    if (wrong) args_fail(OPTION_CAPACITY, word, "has a number of servers that %s", wrong);
    if (m < 1.0) args_fail(OPTION_CAPACITY, word, "is less than one server");
    *equals = '\0';
    n->capacity[named_station(n, a, OPTION_CAPACITY, word, by)] = m;
}

/* Rows in any order to n->rates: row by station, no number of tasks left out. */
static void read_rates(mva_network *n, const args *a, option_id *by)
{
    const csv_table *t = csv_read(args_text(a, OPTION_RATES, NULL), 0);
    const int station = csv_require(t, "station"), tasks = csv_require(t, "tasks");
    const int rate = csv_require(t, "rate"), key[2] = {station, tasks};
    const size_t L = n->net.stations, R = t->rows;
    size_t l;
    csv_unique(t, key, 2);
    if (R > (size_t)-1 / L) tool_fail("%s: too large", t->name);
    n->rates = (double *)tool_alloc(L * R, sizeof *n->rates);
    for (size_t row = 0; row < R; row++) {
        const char *name = csv_text(t, row, station);
        const uint64_t of = csv_integer(t, row, tasks, 1, UINT32_MAX);
        const double r = csv_number(t, row, rate, NUMBER_POSITIVE);
        l = words_find(n->station_name, L, name);
        if (l == L) csv_fail(t, row, station, "'%s' is not a station of %s", name, n->file->name);
        if (by[l] != OPTION_COUNT && by[l] != OPTION_RATES)
            csv_fail(t, row, station, "'%s' is also named by %s: remove one of the two", name,
                     option_name(by[l]));
        if (of > R) csv_fail(t, row, tasks, "the rates with fewer tasks are missing");
        if (!(r >= 1e-100 && r <= 1e100))
            csv_fail(t, row, rate, "%s is not between 1e-100 and 1e100", csv_text(t, row, rate));
        by[l] = OPTION_RATES;
        n->rates[l * R + (size_t)of - 1] = r;
    }
    for (size_t row = 0; row < R; row++) {
        uint64_t of = csv_integer(t, row, tasks, 1, UINT32_MAX);
        l = words_find(n->station_name, L, csv_text(t, row, station));
        if (of > 1 && !(n->rates[l * R + (size_t)of - 2] > 0.0))
            csv_fail(t, row, tasks, "the rate with %lu tasks is missing",
                     (unsigned long)of - 1);
    }
    for (l = 0; l < L; l++)
        for (size_t j = 1; j < R; j++)
            if (!(n->rates[l * R + j] > 0.0)) n->rates[l * R + j] = n->rates[l * R + j - 1];
    n->net.rates = n->rates;
    n->net.rate_tasks = R;
}

/* The servers of the stations that --capacity, --delay and --rates name. */
static void mva_set_servers(mva_network *n, const args *a)
{
    const size_t L = n->net.stations;
    option_id *by = (option_id *)tool_alloc(L, sizeof *by);
    char **words = NULL;
    n->capacity = (double *)tool_alloc(L, sizeof *n->capacity);
    for (size_t i = 0; i < L; i++) {
        n->capacity[i] = 1.0;
        by[i] = OPTION_COUNT;              /* named by none yet */
    }
    n->net.capacity = n->capacity;
    size_t count = args_words(a, OPTION_CAPACITY, &words);
    for (size_t i = 0; i < count; i++) read_capacity(n, a, words[i], by);
    count = args_words(a, OPTION_DELAY, &words);
    for (size_t i = 0; i < count; i++)
        n->capacity[named_station(n, a, OPTION_DELAY, words[i], by)] = HUGE_VAL;
    if (args_given(a, OPTION_RATES)) read_rates(n, a, by);
}

/* ---- Printing ----------------------------------------------------------------- */

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

static double sum(const double *x, size_t count)
{
    double total = 0.0;
    for (size_t i = 0; i < count; i++) total += x[i];
    return total;
}

/* A column a station, in JSON together an object. */
static void by_station(columns *c, const mva_network *n, const char *key, const double *value)
{
    size_t l;
    json_object(c->out, key);
    for (l = 0; l < n->net.stations; l++) column_number(c, ALL, n->station_name[l], value[l]);
    json_end(c->out);
}

static void print_class(columns *c, const mva_network *n, const sgdp_mva_result *r, size_t class)
{
    columns_row(c);
    column_text(c, ALL, "class", n->class_name[class]);
    column_whole(c, ALL, "population", n->population[class]);
    column_number(c, ALL, "throughput_per_s", r->throughput_per_s[class]);
}

static void print_csv(output *out, const mva_network *n, const sgdp_mva_result *r)
{
    const size_t L = n->net.stations;
    columns table = columns_open(out, CSV, NULL);
    for (size_t c = 0; c < n->net.classes; c++)
        for (size_t l = 0; l < L; l++) {
            print_class(&table, n, r, c);
            column_text(&table, ALL, "station", n->station_name[l]);
            column_number(&table, ALL, "response_s", r->response_s[c * L + l]);
            column_number(&table, ALL, "queue", r->class_queue[c * L + l]);
            column_number(&table, ALL, "utilization", r->class_utilization[c * L + l]);
        }
    columns_close(&table);
}

static void print_classes(output *out, const mva_network *n, const sgdp_mva_result *r)
{
    const size_t L = n->net.stations;
    output_print(out, "response times at each station, seconds\n");
    columns table = columns_open(out, SCREEN | JSON, "classes");
    for (size_t c = 0; c < n->net.classes; c++) {
        print_class(&table, n, r, c);
        by_station(&table, n, "response_s", r->response_s + c * L);
        if (out->form != JSON) continue;
        by_station(&table, n, "queue", r->class_queue + c * L);
        by_station(&table, n, "utilization", r->class_utilization + c * L);
    }
    columns_close(&table);
    output_print(out, "\n");
}

static void print_stations(output *out, const mva_network *n, const sgdp_mva_result *r)
{
    columns c = columns_open(out, SCREEN | JSON, "stations");
    for (size_t l = 0; columns_next(&c, l < n->net.stations); l++) {
        column_text(&c, ALL, "station", n->station_name[l]);
        column_number(&c, ALL, "queue", r->queue[l]);
        column_number(&c, ALL, "utilization", r->utilization[l]);
        if (n->discipline[l] == SGDP_HYBRID) column_number(&c, JSON, "gamma", r->gamma[l]);
    }
}

/* For a human: a row a class, a column a station. */
static void print_by_class(output *out, const mva_network *n, const char *title,
                           const double *value)
{
    output_print(out, "\n%s\n", title);
    columns table = columns_open(out, SCREEN, NULL);
    for (size_t c = 0; columns_next(&table, c < n->net.classes); c++) {
        column_text(&table, ALL, "class", n->class_name[c]);
        by_station(&table, n, NULL, value + c * n->net.stations);
    }
}

static void print_heading(output *out, const char *method, const char *solver, double rate_per_s,
                          sgdp_status status, const sgdp_mva_result *r)
{
    json_string(out, "method", method);
    json_string(out, "status", tool_status_word(status));
    json_number(out, "throughput_per_s", rate_per_s);
    json_string(out, "solver", solver);
    json_integer(out, "iterations", r->iterations);
    json_number(out, "residual", r->residual);
    output_print(out, "%s", method);
    if (strcmp(method, solver) != 0) output_print(out, " (%s)", solver);
    output_print(out, ": %.5g cycles per second\n\n", rate_per_s);
    if (status != SGDP_OK)
        output_print(out, "not converged: residual %.2g after %lu iterations\n\n", r->residual,
                     (unsigned long)r->iterations);
}

/* The solution of a method. */
static void mva_print(output *out, const mva_network *n, const char *method, sgdp_status status,
                      const sgdp_mva_result *r)
{
    json_object(out, NULL);
    print_heading(out, method, solver_name(r->method), sum(r->throughput_per_s, n->net.classes),
                  status, r);
    print_csv(out, n, r);
    print_classes(out, n, r);
    print_stations(out, n, r);
    json_end(out);
    if (n->net.classes == 1 || out->form != SCREEN) return;
    print_by_class(out, n, "tasks of each class at each station", r->class_queue);
    print_by_class(out, n, "utilization by each class", r->class_utilization);
}

/* Bounds of the exact solution. */
static void mva_print_bounds(output *out, const mva_network *n)
{
    const size_t C = n->net.classes;
    double *lower = (double *)tool_alloc(C, sizeof *lower);
    double *upper = (double *)tool_alloc(C, sizeof *upper);
    tool_check(sgdp_mva_bounds(&n->net, lower, upper), n->file->name);
    json_object(out, NULL);
    json_string(out, "method", "bounds");
    json_string(out, "status", "ok");
    columns table = columns_open(out, ALL, "classes");
    for (size_t c = 0; columns_next(&table, c < C); c++) {
        column_text(&table, ALL, "class", n->class_name[c]);
        column_whole(&table, ALL, "population", n->population[c]);
        column_number(&table, ALL, "lower_per_s", lower[c]);
        column_number(&table, ALL, "upper_per_s", upper[c]);
    }
    json_end(out);
}

/* ---- The command -------------------------------------------------------------- */

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf mva NETWORK.csv [--method exact|fcfs|...] [--fcfs NAME,...]\n"
    "                   [--capacity NAME=M,...] [--delay NAME,...] [--rates FILE]\n"
    "\n"
    "Solves a closed queueing network by mean value analysis: throughput, response\n"
    "times, queues and utilizations.\n"
    "\n"
    "NETWORK.csv (- is stdin) has one row per class and the columns\n"
    "  class       its name, distinct\n"
    "  population  tasks of the class, 0 to 4294967295\n"
    "  think_s     time of a cycle spent outside all stations, seconds\n"
    "  others      one per station: service time that a task of the class needs there\n"
    "              per cycle, seconds (number of visits x time of a visit)\n"
    "\n"
    "How to solve it\n"),
    USE(METHOD),
    HEADING("The stations"),
    USE(FCFS),
    USE_HELP(THRESHOLD, "--method hybrid: utilization up to which hybrid equals fcfs", "0.8"),
    USE(CAPACITY),
    USE_AS(DELAY, LIST, "NAME,...", NULL, "names of stations where tasks never wait", NULL),
    USE(RATES),
    HEADING("Output"),
    USE_HELP(FORMAT, "output format: table, csv (a row per class and station) or json", "table"),
    SECTION("Notes",
    "  capacity     Exact for equal sharing, and for first come, first served with\n"
    "               exponential service times of the same mean in all classes.\n"
    "               Methods other than exact and bounds replace the station by one\n"
    "               server, M times as fast, behind a delay (Seidmann). On 2000\n"
    "               random networks with 2 to 8 servers per station, this changed a\n"
    "               throughput by up to 20 % (mean 3.5 %); with schweitzer by 24 %\n"
    "               (5.5 %).\n"
    "  rates        tasks: 1, 2, ... without gaps. rate 1: the speed at which the\n"
    "               times hold. With more tasks the last rate holds. Only with\n"
    "               --method exact or bounds.\n"
    "  schweitzer   and linearizer take --fcfs stations as fcfs, with --threshold as\n"
    "               hybrid.\n"),
    SECTION("Results",
    "  throughput   cycles per second\n"
    "  response     time of one task at each station\n"
    "  queue        mean number of tasks at each station, in all and per class; csv:\n"
    "               the part of the class, also of utilization\n"
    "  utilization  busy share of the capacity, or of the largest rate; of a delay:\n"
    "               number of tasks in it\n"),
    SECTION("Example: 4 workers, 29 ms of compute, 72 ms each way, 18 ms per update",
    "  $ printf \\\n"
    "      'class,population,think_s,uplink,server,downlink\\nw,4,0.029,0.072,0.018,0.072' |\n"
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

static const option_rule rules[] = {
    NEEDS(ONE(FCFS), IS(METHOD, "fcfs hybrid schweitzer linearizer")),
    NEEDS(ONE(THRESHOLD), IS(METHOD, "hybrid schweitzer linearizer")),
    UNLESS(IS(METHOD, "hybrid"), NEEDS, ONE(THRESHOLD), ONE(FCFS)),
    EXCLUDES(ONE(RATES), IS(METHOD, "fcfs hybrid schweitzer linearizer interleaved"))
};

/* ---- The command: methods ----------------------------------------------------- */

/* Says where --capacity makes an approximation a rough one. */
static void note_servers(const mva_network *n, enum mva_method method)
{
    double tasks = 0.0;
    size_t shared = 0;
    if (method == MVA_EXACT) return;
    for (size_t i = 0; i < n->net.classes; i++) tasks += (double)n->population[i];
    for (size_t i = 0; i < n->net.stations; i++)
        shared += n->capacity[i] > 1.0 && n->capacity[i] < tasks;
    if (shared > 0)
        tool_note("approximated",
                  "--method %s approximates a station with several servers by one fast server "
                  "behind a delay, which adds errors of up to %d %%", methods[method].name,
                  method == MVA_SCHWEITZER ? 24 : 20);
}

/* Says where an approximation has a station do more than it can. */
static void note_overrun(const mva_network *n, enum mva_method method,
                         const sgdp_mva_result *r)
{
    double most = 1.0 + 5e-5;
    size_t at = n->net.stations;
    for (size_t l = 0; l < n->net.stations; l++)
        if (n->capacity[l] <= DBL_MAX && r->utilization[l] > most) most = r->utilization[at = l];
    if (at < n->net.stations)
        tool_note("approximated",
                  "--method %s gives station '%s' a utilization of %.5g, but at most 1 is "
                  "possible: the throughput is at least %.2g %% too high; use --method exact",
                  methods[method].name, n->station_name[at], most,
                  100.0 * (most - 1.0));
}

/* Names the method that can solve the same network, with the options that make it so. */
TOOL_NORETURN static void fail_too_large(const mva_network *n, enum mva_method method,
                                         double threshold)
{
    output options = {0};
    for (size_t l = 0; l < n->net.stations; l++)
        if (n->discipline[l] != SGDP_PS && method != MVA_INTERLEAVED)
            output_print(&options, "%s%s", options.length > 0 ? "," : " --fcfs ",
                         n->station_name[l]);
    if (method == MVA_HYBRID) output_print(&options, " --threshold %.6g", threshold);
    output_print(&options, "%c", '\0');
    if (n->rates)
        tool_fail("%s: the network is too large for --method %s with --rates: use --method bounds",
                  n->file->name, methods[method].name);
    if (!methods[method].instead)
        tool_fail("%s: the network is too large for --method %s: use another method",
                  n->file->name, methods[method].name);
    tool_fail("%s: the network is too large for --method %s: use --method %s%s", n->file->name,
              methods[method].name, methods[method].instead, options.text);
}

static sgdp_status solve(const mva_network *n, enum mva_method method, double *threshold,
                         sgdp_mva_result *r)
{
    const size_t C = n->net.classes, L = n->net.stations;
    size_t bytes = 0;
    sgdp_mva_options options = {.method = methods[method].method, .gamma = sgdp_gamma_threshold,
                                .gamma_ctx = threshold};
    r->throughput_per_s = (double *)tool_alloc(C, sizeof(double));
    r->response_s = (double *)tool_alloc(C * L, sizeof(double));
    r->queue = (double *)tool_alloc(L, sizeof(double));
    r->utilization = (double *)tool_alloc(L, sizeof(double));
    r->gamma = (double *)tool_alloc(L, sizeof(double));
    r->class_queue = (double *)tool_alloc(C * L, sizeof(double));
    r->class_utilization = (double *)tool_alloc(C * L, sizeof(double));
    sgdp_status status = methods[method].bytes(&n->net, &options, &bytes);
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
    output out = {.form = args_form(a)};

    enum mva_method method = (enum mva_method)args_word(a, OPTION_METHOD, MVA_EXACT);
    double threshold = args_number(a, OPTION_THRESHOLD, 0.8);
    mva_read_network(&network, a->files[0]);
    mva_set_disciplines(&network, a, method);
    mva_set_servers(&network, a);
    if (method == MVA_BOUNDS) {
        mva_print_bounds(&out, &network);
        return output_flush(&out, EXIT_DONE);
    }
    note_servers(&network, method);
    sgdp_status status = solve(&network, method, &threshold, &result);
    int exit_status = tool_check(status, network.file->name);
    note_overrun(&network, method, &result);
    mva_print(&out, &network, methods[method].name, status, &result);
    return output_flush(&out, exit_status);
}

const args_command command_mva = {"mva", "solve any closed queueing network", run, uses,
                                  COUNT_OF(uses), rules, COUNT_OF(rules), 1, 1, NULL, 0,
                                  EACH(OPTION_METHOD, OPTION_FCFS, OPTION_CAPACITY, OPTION_DELAY)};
