/* plan_trials.c - in which order to try configurations, and what that saves: see plan.h */
#include "cmd/plan/plan.h"

typedef struct trials {
    const csv_table *file;
    int      config;          /* its column                                         */
    double  *epoch_s;         /* [rows]                                             */
    unsigned char *accurate;  /* [rows]; NULL: not known                            */
    size_t  *order;           /* [rows]                                             */
    double   random_s, ordered_s;
} trials;

static void read_trials(trials *t, const char *path)
{
    const csv_table *file = csv_read(path, 0);
    const int epoch = csv_require(file, "epoch_s"), accurate = csv_column(file, "accurate");
    size_t i;
    t->file = file;
    t->config = csv_require(file, "config");
    csv_unique(file, &t->config, 1);
    t->epoch_s = (double *)tool_alloc(file->rows, sizeof *t->epoch_s);
    t->order = (size_t *)tool_alloc(file->rows, sizeof *t->order);
    if (accurate != CSV_NONE) t->accurate = (unsigned char *)tool_alloc(file->rows, 1);
    for (i = 0; i < file->rows; i++) {
        t->epoch_s[i] = csv_number(file, i, epoch, NUMBER_NON_NEGATIVE);
        if (t->accurate)
            t->accurate[i] = (unsigned char)csv_integer(file, i, accurate, 0, 1);
    }
}

static void check(const trials *t, sgdplan_status status)
{
    if (status != SGDPLAN_OK) tool_fail("%s: %s", t->file->name, sgdplan_status_text(status));
}

static void print_json(output *out, const trials *t)
{
    size_t i;
    json_object(out, NULL);
    json_array(out, "order");
    for (i = 0; i < t->file->rows; i++) {
        const size_t row = t->order[i];
        json_object(out, NULL);
        json_string(out, "config", csv_text(t->file, row, t->config));
        json_number(out, "epoch_s", t->epoch_s[row]);
        if (t->accurate) json_bool(out, "accurate", t->accurate[row]);
        json_end(out);
    }
    json_end(out);
    if (t->accurate) {
        json_number(out, "ordered_s", t->ordered_s);
        json_number(out, "random_s", t->random_s);
    }
    json_end(out);
}

static void print_table(output *out, const trials *t, output_format format)
{
    static const table_column columns[] = {{"trial", 0}, {"config", 0}, {"epoch_s", 0},
                                           {"accurate", 0}};
    result_table *table = table_new(columns, COUNT_OF(columns));
    size_t i;
    for (i = 0; i < t->file->rows; i++) {
        const size_t row = t->order[i];
        table_integer(table, i + 1);
        table_text(table, csv_text(t->file, row, t->config));
        table_number(table, t->epoch_s[row]);
        if (t->accurate) table_integer(table, t->accurate[row]);
        else table_empty(table);
    }
    table_print(table, out, format);
    if (format == FORMAT_TABLE && t->accurate)
        output_print(out, "\nuntil the first accurate one: %.6g s in this order, %.6g s in a "
                     "random one\n", t->ordered_s, t->random_s);
}

int plan_trials(const args *a)
{
    trials t = {0};
    output out = {0};
    if (a->count > 1u + (unsigned)args_given(a, "--format"))
        tool_fail("--trial-order without --machines takes a table of trials alone");
    read_trials(&t, a->files[0]);
    check(&t, sgdplan_trial_order(t.epoch_s, t.file->rows, t.order));
    if (t.accurate)
        check(&t, sgdplan_trial_cost(t.epoch_s, t.accurate, t.file->rows, &t.random_s,
                                      &t.ordered_s));
    if (args_format(a) == FORMAT_JSON) print_json(&out, &t);
    else print_table(&out, &t, args_format(a));
    return output_flush(&out, EXIT_DONE);
}
