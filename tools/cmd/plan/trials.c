/* trials.c - sgdperf plan order: in which order to try configurations, and what that
 * saves: see plan.h */
#include "base/columns.h"
#include "cmd/plan/plan.h"

#include <float.h>
#include <stdlib.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf plan order TRIALS.csv [--format table|csv|json]\n"
    "\n"
    "Prints configurations in the order in which to try them, by predicted epoch, and\n"
    "the time until an accurate one, if that is known.\n"
    "\n"
    "TRIALS.csv (- is stdin) has the columns\n"
    "  config     a name; names differ\n"
    "  epoch_s    as sgdperf plan --all predicts it\n"
    "  accurate   0 or 1, optional: the time until the first accurate one is printed\n"
    "             for this order and, as a mean, for random order\n"
    "\n"
    "Output\n"),
    USE_AS(FORMAT, AS_TABLE, "table|csv|json", NULL, "output format: table, csv or json", NULL),
    SECTION("Example:",
    "  $ printf '%s\\n' config,epoch_s,accurate 4/4/4,700,1 2/9/2,570,0 |\n"
    "      sgdperf plan order -\n"
    "  trial  config  epoch_s  accurate\n"
    "      1  2/9/2       570         0\n"
    "      2  4/4/4       700         1\n"
    "\n"
    "  until the first accurate one: 1270 s in this order, 985 s in a random one\n")
};

/* ---- Order and cost -------------------------------------------------------- */

typedef struct trial { double epoch_s; size_t number; } trial;

static int compare(const void *a, const void *b)
{
    const trial *x = (const trial *)a, *y = (const trial *)b;
    if (x->epoch_s < y->epoch_s || x->epoch_s > y->epoch_s)
        return x->epoch_s < y->epoch_s ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Which configuration to try first: order[n], by epoch, the first among equals. */
static void trials_order(const double *epoch_s, size_t n, size_t *order)
{
    trial *sorted = (trial *)tool_alloc(n, sizeof *sorted);
    for (size_t i = 0; i < n; i++) {
        sorted[i].epoch_s = epoch_s[i];
        sorted[i].number = i;
    }
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 0; i < n; i++) order[i] = sorted[i].number;
}

/* What is spent until a configuration turns out accurate [YRHC15, 3]: in random order, in
 * expectation the mean of the g accurate epochs plus 1/(g + 1) of each inaccurate one,
 * and in that order. accurate[n]: 0 or not; if none is, all are tried. */
static void trials_cost(const double *epoch_s, const unsigned char *accurate, size_t n,
                        double *random_s, double *ordered_s)
{
    double wasted = 0.0, useful = 0.0, ordered = 0.0;
    size_t good = 0, first = n;
    for (size_t i = 0; i < n; i++) {
        if (!accurate[i]) {
            wasted += epoch_s[i];
            continue;
        }
        good++;
        useful += epoch_s[i];
        if (first == n || epoch_s[i] < epoch_s[first]) first = i;
    }
    for (size_t i = 0; i < n; i++)
        if (first == n || epoch_s[i] < epoch_s[first] ||
            (epoch_s[i] <= epoch_s[first] && i <= first))
            ordered += epoch_s[i];
    *random_s = wasted / ((double)good + 1.0) + (good > 0 ? useful / (double)good : 0.0);
    *ordered_s = ordered;
}

/* ---- The command ----------------------------------------------------------- */

typedef struct trials {
    const csv_table *file;
    int      config;          /* its column                                         */
    double  *epoch_s;         /* [rows]                                             */
    unsigned char *accurate;  /* [rows]; NULL: not known                            */
    size_t  *order;           /* [rows]                                             */
    int      found;           /* one of them is                                     */
    double   random_s, ordered_s;
} trials;

static void read_trials(trials *t, const char *path)
{
    const csv_table *file = csv_read(path, 0);
    const int epoch = csv_require(file, "epoch_s"), accurate = csv_column(file, "accurate");
    t->file = file;
    t->config = csv_require(file, "config");
    csv_unique(file, &t->config, 1);
    t->epoch_s = (double *)tool_alloc(file->rows, sizeof *t->epoch_s);
    t->order = (size_t *)tool_alloc(file->rows, sizeof *t->order);
    if (accurate != CSV_NONE) t->accurate = (unsigned char *)tool_alloc(file->rows, 1);
    for (size_t i = 0; i < file->rows; i++) {
        t->epoch_s[i] = csv_number(file, i, epoch, NUMBER_NON_NEGATIVE);
        if (t->accurate)
            t->accurate[i] = (unsigned char)csv_integer(file, i, accurate, 0, 1);
        if (t->accurate && t->accurate[i]) t->found = 1;
    }
}

static void print(output *out, const trials *t)
{
    json_object(out, NULL);
    columns c = columns_open(out, ALL, "order");
    for (size_t i = 0; columns_next(&c, i < t->file->rows); i++) {
        const size_t row = t->order[i];
        column_whole(&c, TABLES, "trial", i + 1);
        column_text(&c, ALL, "config", csv_text(t->file, row, t->config));
        column_number(&c, ALL, "epoch_s", t->epoch_s[row]);
        column_whole_if(&c, TABLES, "accurate", t->accurate != NULL,
                        t->accurate ? t->accurate[row] : 0);
        if (t->accurate) json_bool(out, "accurate", t->accurate[row]);
    }
    if (t->accurate) {
        json_number(out, "ordered_s", t->ordered_s);
        json_number(out, "random_s", t->random_s);
    }
    json_end(out);
    if (!t->accurate) return;
    if (!t->found)
        output_print(out, "\nnone is accurate: all of them take %.6g s\n", t->ordered_s);
    else
        output_print(out, "\nuntil the first accurate one: %.6g s in this order, %.6g s in a "
                     "random one\n", t->ordered_s, t->random_s);
}

static int run(args *a)
{
    trials t = {0};
    output out = {.form = args_form(a)};
    read_trials(&t, a->files[0]);
    trials_order(t.epoch_s, t.file->rows, t.order);
    if (t.accurate)
        trials_cost(t.epoch_s, t.accurate, t.file->rows, &t.random_s, &t.ordered_s);
    if (!(t.random_s <= DBL_MAX && t.ordered_s <= DBL_MAX))
        tool_fail("%s: the epochs add up to more than a number can hold", t.file->name);
    print(&out, &t);
    return output_flush(&out, EXIT_DONE);
}

const args_command command_plan_order = {"order", NULL, run, uses,
                                         COUNT_OF(uses), NULL, 0, 1, 1, NULL, 0,
                                         EACH(OPTION_FORMAT)};
