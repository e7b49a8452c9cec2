/* read.c - what sgdperf plan is given: layers, constants, options: see plan.h */
#include "cmd/plan/plan.h"

#include <string.h>

/* ---- Layers ---------------------------------------------------------------- */

/* Columns of the kinds of layers that have them. */
enum {
    GRIDS = 1 << SGDPLAN_LAYER_CONV | 1 << SGDPLAN_LAYER_POOL,
    RECURRENT = 1 << SGDPLAN_LAYER_RECURRENT,
    VECTORS = 1 << SGDPLAN_LAYER_FC | 1 << SGDPLAN_LAYER_SOFTMAX | RECURRENT,
    NEEDED = -1
};

static const struct { const char *name; int least, of, usual; size_t at; } layer_columns[] = {
    {"c_in", 1, GRIDS, NEEDED, offsetof(sgdplan_layer, in.channels)},
    {"h_in", 1, GRIDS, NEEDED, offsetof(sgdplan_layer, in.rows)},
    {"w_in", 1, GRIDS, NEEDED, offsetof(sgdplan_layer, in.columns)},
    {"c_out", 1, GRIDS, NEEDED, offsetof(sgdplan_layer, out.channels)},
    {"h_out", 1, GRIDS, NEEDED, offsetof(sgdplan_layer, out.rows)},
    {"w_out", 1, GRIDS, NEEDED, offsetof(sgdplan_layer, out.columns)},
    {"kernel", 1, GRIDS, NEEDED, offsetof(sgdplan_layer, kernel)},
    {"stride", 1, GRIDS, 1, offsetof(sgdplan_layer, stride)},
    {"pad", 0, GRIDS, 0, offsetof(sgdplan_layer, pad)},
    {"n_in", 1, VECTORS, NEEDED, offsetof(sgdplan_layer, n_in)},
    {"n_out", 1, VECTORS, NEEDED, offsetof(sgdplan_layer, n_out)},
    {"steps", 1, RECURRENT, 1, offsetof(sgdplan_layer, steps)}
};

static void read_layer(const csv_table *t, size_t row, sgdplan_layer *layer)
{
    for (size_t i = 0; i < COUNT_OF(layer_columns); i++) {
        const char *name = layer_columns[i].name;
        const int needed = layer_columns[i].usual == NEEDED;
        const uint64_t least = (uint64_t)layer_columns[i].least;
        if (!(layer_columns[i].of >> layer->kind & 1)) continue;
        uint32_t value = (uint32_t)(needed
                         ? csv_integer(t, row, csv_require(t, name), least, UINT32_MAX)
                         : csv_integer_or(t, row, csv_column(t, name), least, UINT32_MAX,
                                          (uint64_t)layer_columns[i].usual));
        memcpy((char *)layer + layer_columns[i].at, &value, sizeof value);
    }
}

/* One row a layer, from the first up; names differ. */
static void read_layers(plan_layers *layers, const char *path)
{
    const csv_table *t = layers->file = csv_read(path, 0);
    const char *kinds[SGDPLAN_LAYER_COUNT];
    layers->name = csv_require(t, "name");
    int kind = csv_require(t, "kind");
    layers->count = t->rows;
    layers->layer = (sgdplan_layer *)tool_alloc(t->rows, sizeof *layers->layer);
    for (size_t i = 0; i < SGDPLAN_LAYER_COUNT; i++)
        kinds[i] = sgdplan_layer_text((sgdplan_layer_kind)i);
    for (size_t i = 0; i < t->rows; i++) {
        if (csv_is_empty(t, i, layers->name))
            csv_fail(t, i, layers->name, "the cell is empty");
        layers->layer[i].kind =
            (sgdplan_layer_kind)csv_choice(t, i, kind, kinds, COUNT_OF(kinds));
        read_layer(t, i, &layers->layer[i]);
    }
    csv_unique(t, &layers->name, 1);
}

const char *plan_layer_name(const plan_layers *layers, size_t l)
{
    return csv_text(layers->file, l, layers->name);
}

/* Fails unless each layer fits the one below. */
static void check_layers(const plan_layers *layers, int biases)
{
    sgdplan_refusal refusal = {SGDPLAN_FAULT_NONE, 0, 0};
    if (sgdplan_layer_sizes(layers->layer, layers->count, biases, NULL, &refusal) != SGDPLAN_OK)
        csv_fail(layers->file, refusal.layer, CSV_NONE, "layer '%s': %s",
                 plan_layer_name(layers, refusal.layer),
                 refusal.reason == SGDPLAN_FAULT_LARGE
                     ? "more than 2^63 neurons, connections or weights"
                     : sgdplan_fault_text(refusal.reason));
}

/* ---- Constants ------------------------------------------------------------- */

enum { CONSTANTS = 10 };

/* Constants by the paper's names. Those that may be a table have an sgdplan_constant in the
 * job, others a double. */
typedef struct constant_kind {
    const char *name;
    option_id   option;
    number_unit unit;
    const char *unit_text;    /* what the column `unit` may say; NULL: nothing      */
    number_rule rule;
    double      usual;
    int         required, table;
    number_unit points;       /* of a table                                         */
    size_t      at;           /* in sgdplan_job                                     */
} constant_kind;

#define NUMBER(at) 0, UNIT_NONE, offsetof(sgdplan_job, at)
#define TABLE_OVER(unit, at) 1, unit, offsetof(sgdplan_job, at)

static const constant_kind kinds[CONSTANTS] = {
    {"C_muladd", OPTION_C_MULADD, UNIT_TIME, "s", NUMBER_NON_NEGATIVE, 0.0, 1,
     TABLE_OVER(UNIT_SIZE, machines.connection_s)},
    {"C_act", OPTION_C_ACT, UNIT_TIME, "s", NUMBER_NON_NEGATIVE, 0.0, 0,
     NUMBER(machines.activation_s)},
    {"C_err", OPTION_C_ERR, UNIT_TIME, "s", NUMBER_NON_NEGATIVE, 0.0, 0,
     NUMBER(machines.error_s)},
    {"C_interf", OPTION_C_INTERF, UNIT_NONE, NULL, NUMBER_POSITIVE, 1.0, 0,
     TABLE_OVER(UNIT_NONE, machines.interference)},
    {"C_ncost", OPTION_C_NCOST, UNIT_TIME, "s", NUMBER_NON_NEGATIVE, 0.0, 0,
     TABLE_OVER(UNIT_NONE, machines.latency_s)},
    {"C_nbw", OPTION_C_NBW, UNIT_BANDWIDTH, "B/s", NUMBER_POSITIVE, 0.0, 1,
     NUMBER(machines.bandwidth_bytes_per_s)},
    {"C_bits", OPTION_C_BITS, UNIT_NONE, "bit", NUMBER_POSITIVE, 32.0, 0,
     NUMBER(machines.value_bytes)},
    {"N_sample", OPTION_N_SAMPLE, UNIT_COUNT, "samples", NUMBER_POSITIVE, 0.0, 1, NUMBER(samples)},
    {"N_read", OPTION_N_READ, UNIT_COUNT, "samples", NUMBER_POSITIVE, 70.0, 0,
     NUMBER(read_samples)},
    {"N_write", OPTION_N_WRITE, UNIT_COUNT, "samples", NUMBER_NON_NEGATIVE, 0.0, 0,
     NUMBER(write_samples)}
};

/* A constant as it grows: a number, value[0], or the points of a table. */
typedef struct growing { double *at, *value; size_t points; int given; } growing;

/* NULL, or what is wrong. table: a point of one, which has `most` at most. */
static const char *add_value(growing *g, int table, double at, double value, size_t most)
{
    if (g->given && (g->points == 0) == table) return "is given as a number and as a table";
    if (g->given && !table) return "is given twice";
    if (table && g->points > 0 && !(at > g->at[g->points - 1]))
        return "is not above the point before: sort the points";
    if (!g->given) {
        g->at = (double *)tool_alloc(2 * most, sizeof *g->at);
        g->value = g->at + most;
    }
    g->at[g->points] = at;
    g->value[g->points] = value;
    g->points += (size_t)table;
    g->given = 1;
    return NULL;
}

/* A unit, where it is given, must be that of the constant: 1e10 bit/s are not 1e10 B/s. */
static void check_unit(const csv_table *t, size_t row, int column, const constant_kind *k)
{
    if (csv_is_empty(t, row, column)) return;
    const char *text = csv_text(t, row, column);
    if (!k->unit_text) csv_fail(t, row, column, "'%s', but %s has no unit", text, k->name);
    if (strcmp(text, k->unit_text) != 0)
        csv_fail(t, row, column, "'%s', but %s is in %s", text, k->name, k->unit_text);
}

/* Rows constant, at, value: `at` is empty, or the point of a table; in s, B, B/s, bit and
 * samples, which a column `unit` may say again. */
static void read_file(growing *all, const char *path)
{
    const csv_table *t = csv_read(path, 0);
    const int name = csv_require(t, "constant"), value = csv_require(t, "value");
    const int at = csv_column(t, "at"), unit = csv_column(t, "unit");
    const char *names[CONSTANTS];
    for (size_t i = 0; i < CONSTANTS; i++) names[i] = kinds[i].name;
    for (size_t i = 0; i < t->rows; i++) {
        const size_t c = csv_choice(t, i, name, names, CONSTANTS);
        const int table = !csv_is_empty(t, i, at);
        const double x = table ? csv_number(t, i, at, NUMBER_POSITIVE) : 0.0;
        const double y = csv_number(t, i, value, kinds[c].rule);
        check_unit(t, i, unit, &kinds[c]);
        if (table && !kinds[c].table) csv_fail(t, i, at, "%s is one number: leave column 'at' "
                                                         "empty", names[c]);
        int order = table && all[c].points > 0;
        const char *wrong = add_value(&all[c], table, x, y, t->rows);
        if (wrong) csv_fail(t, i, order ? at : name, "%s %s", order ? csv_text(t, i, at) : names[c],
                            wrong);
    }
}

static double quantity(option_id option, const char *text, number_unit unit,
                       number_rule rule)
{
    double value = 0.0;
    const char *wrong = number_quantity(text, unit, rule, &value);
    if (wrong) args_fail(option, text, "%s", wrong);
    return value;
}

/* "1ns", or a table "16KiB:1ns,1MiB:2ns"; what the file gave is forgotten. */
static void read_option(growing *g, const constant_kind *k, const args *a)
{
    const char *text = args_text(a, k->option, NULL);
    char **parts = NULL;
    if (!text) return;
    memset(g, 0, sizeof *g);
    if (!k->table || !strchr(text, ':')) {
        (void)add_value(g, 0, 0.0, args_quantity(a, k->option, k->unit, k->rule, 0.0), 1);
        return;
    }
    size_t n = args_split(text, ',', &parts);
    for (size_t i = 0; i < n; i++) {
        char **pair = NULL;
        const char *wrong;
        if (args_split(parts[i], ':', &pair) != 2)
            args_fail(k->option, parts[i], "is not a point AT:VALUE");
        wrong = add_value(g, 1, quantity(k->option, pair[0], k->points, NUMBER_POSITIVE),
                          quantity(k->option, pair[1], k->unit, k->rule), n);
        if (wrong) args_fail(k->option, pair[0], "%s", wrong);
    }
}

static void set_constant(sgdplan_job *job, const constant_kind *k, const growing *g)
{
    sgdplan_constant c = {.number = g->given && g->points == 0 ? g->value[0] : k->usual};
    if (g->points > 0) {
        c.at = g->at;
        c.value = g->value;
        c.points = g->points;
    }
    if (k->table) memcpy((char *)job + k->at, &c, sizeof c);
    else memcpy((char *)job + k->at, &c.number, sizeof c.number);
}

/* From the file at `path`, NULL for none, and from options, which come first. */
static void read_constants(sgdplan_job *job, const args *a, const char *path)
{
    growing all[CONSTANTS];
    memset(all, 0, sizeof all);
    if (path) read_file(all, path);
    for (size_t i = 0; i < CONSTANTS; i++) read_option(&all[i], &kinds[i], a);
    for (size_t i = 0; i < CONSTANTS; i++) {
        if (kinds[i].required && !all[i].given)
            tool_fail("%s is missing%s%s", option_name(kinds[i].option),
                      path ? ", on the command line and in " : "", path ? path : "");
        set_constant(job, &kinds[i], &all[i]);
    }
    job->machines.value_bytes /= 8.0;
    if (job->read_samples > job->samples)
        tool_fail("--n-read: %g is more than the %g samples of --n-sample",
                  job->read_samples, job->samples);
}

/* Computation and network that many times as fast. */
static void scale_constants(sgdplan_job *job, double compute, double bandwidth)
{
    sgdplan_constant *c = &job->machines.connection_s;
    double *value = (double *)tool_alloc(c->points, sizeof *value);
    for (size_t i = 0; i < c->points; i++) value[i] = c->value[i] / compute;
    c->number /= compute;
    c->value = value;
    job->machines.activation_s /= compute;
    job->machines.error_s /= compute;
    job->machines.bandwidth_bytes_per_s *= bandwidth;
}

/* ---- Splits and configurations --------------------------------------------- */

/* The three numbers of "a/b/c"; with `free`, "*" is 0. */
static void parse_three(option_id option, const char *text, const char *three, int free,
                        uint32_t *number)
{
    char **part = NULL;
    if (args_split(three, '/', &part) != 3)
        args_fail(option, text, "is not W/R/PS, three numbers separated by /");
    for (size_t i = 0; i < 3; i++) {
        uint64_t value = 0;
        const char *wrong = NULL;
        if (!free || strcmp(part[i], "*") != 0)
            wrong = number_whole(part[i], 1, UINT32_MAX, &value);
        if (wrong) args_fail(option, text, "has a part that %s", wrong);
        number[i] = (uint32_t)value;
    }
}

static void read_splits(plan_problem *p, const args *a)
{
    const size_t n = args_count(a, OPTION_SPLIT);
    sgdplan_split *fixed = (sgdplan_split *)tool_alloc(p->layers.count, sizeof *fixed);
    for (size_t i = 0; i < n; i++) {
        const char *text = args_at(a, OPTION_SPLIT, i), *equals = strrchr(text, '=');
        const size_t length = equals ? (size_t)(equals - text) : 0;
        uint32_t number[3];
        size_t found = 0;
        if (!equals) args_fail(OPTION_SPLIT, text, "is not NAME=P/R/H");
        parse_three(OPTION_SPLIT, text, equals + 1, 1, number);
        for (size_t l = 0; l < p->layers.count; l++) {
            const char *name = plan_layer_name(&p->layers, l);
            if (!(length == 1 && text[0] == '*') &&
                !(strlen(name) == length && memcmp(name, text, length) == 0)) continue;
            fixed[l].partitions = number[0];
            fixed[l].replications = number[1];
            fixed[l].threads = number[2];
            found++;
        }
        if (found == 0) args_fail(OPTION_SPLIT, text, "does not name a layer of the file");
    }
    p->in.fixed = fixed;
}

static void read_configurations(plan_problem *p, const args *a)
{
    const size_t n = args_count(a, OPTION_CONFIG);
    sgdplan_configuration *given = (sgdplan_configuration *)tool_alloc(n, sizeof *given);
    for (size_t i = 0; i < n; i++) {
        const char *text = args_at(a, OPTION_CONFIG, i);
        uint32_t number[3];
        parse_three(OPTION_CONFIG, text, text, 0, number);
        given[i].workers = number[0];
        given[i].replicas = number[1];
        given[i].servers = number[2];
        for (size_t k = 0; k < i; k++)
            if (given[k].workers == number[0] && given[k].replicas == number[1] &&
                given[k].servers == number[2])
                args_fail(OPTION_CONFIG, text, "is given twice");
    }
    p->in.given = n > 0 ? given : NULL;
    p->in.givens = n;
}

/* ---- All -------------------------------------------------------------------- */

static void read_machines(plan_problem *p, const args *a)
{
    p->scenarios = args_workers(a, OPTION_MACHINES, &p->machines);
    for (size_t i = 0; i < p->scenarios; i++) {
        if (p->machines[i] < 2)
            tool_fail("--machines: %lu is below 2: a server and a worker are needed",
                      (unsigned long)p->machines[i]);
        if (p->machines[i] > 65536)
            tool_fail("--machines: %lu is above 65536", (unsigned long)p->machines[i]);
    }
    p->in.job.machines.cores = (uint32_t)args_integer(a, OPTION_CORES, 1, 4096, 1);
}

static void read_variants(sgdplan_variants *v, const args *a)
{
    v->mix = args_number(a, OPTION_MIX, 0.0);
    v->read_full = args_given(a, OPTION_READ_FULL);
    v->read_per_replica = args_given(a, OPTION_READ_PER_REPLICA);
    v->latency_always = args_given(a, OPTION_LATENCY_ALWAYS);
    v->biases = args_given(a, OPTION_BIASES);
}

void plan_problem_read(plan_problem *p, const args *a)
{
    sgdplan_job *job = &p->in.job;
    read_layers(&p->layers, a->files[0]);
    read_machines(p, a);
    read_constants(job, a, args_text(a, OPTION_CONSTANTS, NULL));
    scale_constants(job, args_number(a, OPTION_COMPUTE_SCALE, 1.0),
                    args_number(a, OPTION_BANDWIDTH_SCALE, 1.0));
    read_variants(&job->variants, a);
    check_layers(&p->layers, job->variants.biases);
    job->layer = p->layers.layer;
    job->layers = p->layers.count;
    read_splits(p, a);
    read_configurations(p, a);
    p->in.threads_differ = args_given(a, OPTION_THREADS_DIFFER);
    p->in.max_replications = (uint32_t)args_integer(a, OPTION_MAX_REPLICATIONS, 1, UINT32_MAX, 0);
    p->objective = (sgdplan_objective)args_word(a, OPTION_OBJECTIVE, 0);
    p->keep_all = args_given(a, OPTION_ALL);
    p->room = (size_t)args_integer(a, OPTION_RUNNERS_UP, 0, 1000000, 10) + 1;
    if (p->in.given && (!args_given(a, OPTION_RUNNERS_UP) || p->room > p->in.givens))
        p->room = p->in.givens;
}

/* What is wrong with what is given, in the words of its option. */
TOOL_NORETURN static void refuse(const plan_problem *p, const sgdplan_refusal *refusal)
{
    const sgdplan_configuration *given = p->in.given;
    const unsigned long machines = p->in.job.machines.count;
    const char *why = sgdplan_fault_text(refusal->reason);
    uint32_t workers = p->in.job.machines.count - 1;
    if (refusal->reason == SGDPLAN_FAULT_CONSTANT)
        tool_fail("a constant is too large, or --compute-scale or --bandwidth-scale makes it so");
    if (refusal->reason == SGDPLAN_FAULT_MACHINES)
        tool_fail("--config: '%lu/%lu/%lu' on %lu machines: %s",
                  (unsigned long)given[refusal->given].workers,
                  (unsigned long)given[refusal->given].replicas,
                  (unsigned long)given[refusal->given].servers, machines, why);
    for (size_t i = 0; i < p->in.givens; i++)
        if (given[i].workers < workers) workers = given[i].workers;
    tool_fail("--split: layer '%s' on %lu worker%s: %s",
              plan_layer_name(&p->layers, refusal->layer), (unsigned long)workers,
              workers == 1 ? "" : "s", why);
}

void plan_problem_check(const plan_problem *p)
{
    sgdplan_refusal refusal = {SGDPLAN_FAULT_NONE, 0, 0};
    if (sgdplan_check_problem(&p->in, &refusal) != SGDPLAN_OK) refuse(p, &refusal);
}
