/* constants.c - the constants of the layer-wise model, from a table and from options:
 * see plan.h */
#include "cmd/plan/plan.h"

#include <string.h>

typedef struct constant_kind {
    const char *name;
    option_id option;
    number_unit unit, at;
} constant_kind;

#define PLAN_X(name, text, option, unit, at) {text, option, unit, at},
static const constant_kind kinds[PLAN_CONSTANTS] = { PLAN_CONSTANT_TABLE(PLAN_X) };
#undef PLAN_X

const char *plan_constant_text(plan_constant constant)
{
    return kinds[constant].name;
}

static int may_be_table(size_t c)
{
    return c == PLAN_C_MULADD || c == PLAN_C_INTERF || c == PLAN_C_NCOST;
}

/* A bandwidth, a number of samples and how many times longer it takes cannot be 0. */
static number_rule rule_of(size_t c)
{
    return c == PLAN_C_INTERF || c == PLAN_C_NBW || c == PLAN_C_BITS || c == PLAN_N_SAMPLE ||
                   c == PLAN_N_READ
               ? NUMBER_POSITIVE : NUMBER_NON_NEGATIVE;
}

/* A constant as it grows: a number, or the points of a table. */
typedef struct growing { double *at, *value; size_t points; int given; } growing;

/* NULL, or what is wrong. at 0: a number. */
static const char *add_value(growing *g, int table, double at, double value)
{
    double *more;
    if (g->given && (g->points == 0) == table) return "is given as a number and as a table";
    if (g->given && !table) return "is given twice";
    if (table && g->points > 0 && !(at > g->at[g->points - 1]))
        return "does not lie above the point before";
    more = (double *)tool_alloc(2 * (g->points + 1), sizeof *more);
    if (g->points > 0) {
        memcpy(more, g->at, g->points * sizeof *more);
        memcpy(more + g->points + 1, g->value, g->points * sizeof *more);
    }
    more[g->points] = at;
    more[2 * g->points + 1] = value;
    g->at = more;
    g->value = more + g->points + 1;
    g->points += (size_t)table;
    g->given = 1;
    return NULL;
}

/* What the column `unit` may say; NULL: nothing, a factor has none. */
static const char *unit_of(size_t c)
{
    if (kinds[c].unit == UNIT_TIME) return "s";
    if (kinds[c].unit == UNIT_BANDWIDTH) return "B/s";
    if (c == PLAN_C_INTERF) return NULL;
    return c == PLAN_C_BITS ? "bit" : "samples";
}

/* A unit, where it is given, must be that of the constant: 1e10 bit/s are not 1e10 B/s. */
static void check_unit(const csv_table *t, size_t row, int column, size_t c)
{
    const char *want = unit_of(c), *text;
    if (csv_is_empty(t, row, column)) return;
    text = csv_text(t, row, column);
    if (!want) csv_fail(t, row, column, "'%s', but %s has no unit", text, kinds[c].name);
    if (strcmp(text, want) != 0)
        csv_fail(t, row, column, "'%s', but %s is in %s", text, kinds[c].name, want);
}

static void read_file(growing *all, const char *path)
{
    const csv_table *t = csv_read(path, 0);
    const int name = csv_require(t, "constant"), value = csv_require(t, "value");
    const int at = csv_column(t, "at"), unit = csv_column(t, "unit");
    const char *names[PLAN_CONSTANTS];
    size_t i;
    for (i = 0; i < PLAN_CONSTANTS; i++) names[i] = kinds[i].name;
    for (i = 0; i < t->rows; i++) {
        const size_t c = csv_choice(t, i, name, names, PLAN_CONSTANTS);
        const int table = !csv_is_empty(t, i, at);
        const double x = table ? csv_number(t, i, at, NUMBER_POSITIVE) : 0.0;
        const double y = csv_number(t, i, value, rule_of(c));
        const char *wrong = NULL;
        check_unit(t, i, unit, c);
        if (table && !may_be_table(c)) csv_fail(t, i, at, "%s has no table", names[c]);
        wrong = add_value(&all[c], table, x, y);
        if (wrong) csv_fail(t, i, table ? at : name, "%s %s", csv_text(t, i, table ? at : name),
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
static void read_option(growing *g, size_t c, const args *a)
{
    const option_id option = kinds[c].option;
    const char *text = args_text(a, option, NULL);
    char **parts = NULL;
    size_t n, i;
    if (!text) return;
    memset(g, 0, sizeof *g);
    if (!may_be_table(c) || !strchr(text, ':')) {
        (void)add_value(g, 0, 0.0, args_quantity(a, option, kinds[c].unit, rule_of(c), 0.0));
        return;
    }
    n = args_split(text, ',', &parts);
    for (i = 0; i < n; i++) {
        char **pair = NULL;
        const char *wrong;
        if (args_split(parts[i], ':', &pair) != 2)
            args_fail(option, parts[i], "is not a point AT:VALUE");
        wrong = add_value(g, 1, quantity(option, pair[0], kinds[c].at, NUMBER_POSITIVE),
                          quantity(option, pair[1], kinds[c].unit, rule_of(c)));
        if (wrong) args_fail(option, pair[0], "%s", wrong);
    }
}

static sgdplan_constant as_constant(const growing *g, double fallback)
{
    sgdplan_constant c = {0};
    c.number = g->given && g->points == 0 ? g->value[0] : fallback;
    c.at = g->at;
    c.value = g->value;
    c.points = g->points;
    return c;
}

static double as_number(const growing *g, double fallback)
{
    return g->given ? g->value[0] : fallback;
}

static void set_constants(sgdplan_job *job, const growing *all)
{
    sgdplan_machines *m = &job->machines;
    m->connection_s = as_constant(&all[PLAN_C_MULADD], 0.0);
    m->activation_s = as_number(&all[PLAN_C_ACT], 0.0);
    m->error_s = as_number(&all[PLAN_C_ERR], 0.0);
    m->interference = as_constant(&all[PLAN_C_INTERF], 1.0);
    m->latency_s = as_constant(&all[PLAN_C_NCOST], 0.0);
    m->bandwidth_bytes_per_s = as_number(&all[PLAN_C_NBW], 0.0);
    m->value_bytes = as_number(&all[PLAN_C_BITS], 32.0) / 8.0;
    job->samples = as_number(&all[PLAN_N_SAMPLE], 0.0);
    job->read_samples = as_number(&all[PLAN_N_READ], 70.0);
    job->write_samples = as_number(&all[PLAN_N_WRITE], 0.0);
}

void plan_constants_read(sgdplan_job *job, const args *a, const char *path)
{
    static const plan_constant required[] = {PLAN_C_MULADD, PLAN_C_NBW, PLAN_N_SAMPLE};
    growing all[PLAN_CONSTANTS];
    size_t i;
    memset(all, 0, sizeof all);
    if (path) read_file(all, path);
    for (i = 0; i < PLAN_CONSTANTS; i++) read_option(&all[i], i, a);
    for (i = 0; i < COUNT_OF(required); i++)
        if (!all[required[i]].given)
            tool_fail("%s is missing%s%s", option_name(kinds[required[i]].option),
                      path ? ", also in " : "", path ? path : "");
    set_constants(job, all);
    if (job->read_samples > job->samples)
        tool_fail("--n-read: %g is more than the %g samples of --n-sample",
                  job->read_samples, job->samples);
}

/* Divided by `scale`, in memory of its own. */
static void divide(sgdplan_constant *c, double scale)
{
    double *value = (double *)tool_alloc(c->points, sizeof *value);
    size_t i;
    c->number /= scale;
    for (i = 0; i < c->points; i++) value[i] = c->value[i] / scale;
    c->value = value;
}

void plan_constants_scale(sgdplan_job *job, double compute, double bandwidth)
{
    sgdplan_machines *m = &job->machines;
    divide(&m->connection_s, compute);
    m->activation_s /= compute;
    m->error_s /= compute;
    m->bandwidth_bytes_per_s *= bandwidth;
}
