/* read.c - options and files that the subcommands of balance share */
#include "cmd/balance/balance.h"

#include "base/columns.h"
#include "files/status.h"

#include <string.h>

/* ---- Options --------------------------------------------------------------- */

uint32_t *whole_list(const args *a, option_id name, uint64_t min, size_t count)
{
    char **word;
    const size_t words = args_words(a, name, &word);
    if (words == 0) return NULL;
    if (words != 1 && words != count)
        args_fail(name, args_text(a, name, ""), "has %lu number%s for %lu worker%s",
                  (unsigned long)words, words == 1 ? "" : "s", (unsigned long)count,
                  count == 1 ? "" : "s");
    uint32_t *list = (uint32_t *)tool_alloc(count, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        const char *text = word[words == 1 ? 0 : i];
        uint64_t value = 0;
        const char *wrong = number_whole(text, min, UINT32_MAX, &value);
        if (wrong) args_fail(name, text, "%s", wrong);
        list[i] = (uint32_t)value;
    }
    return list;
}

static uint32_t positive(const args *a, option_id name, uint32_t fallback)
{
    return (uint32_t)args_integer(a, name, 1, UINT32_MAX, fallback);
}

void pairs_read(sgdbal_pairs *pairs, const args *a)
{
    const size_t rule = args_word(a, OPTION_RULE, SGDBAL_PUBLISHED);
    (void)sgdbal_pairs_preset((sgdbal_rule)rule, pairs);
    pairs->coarse.step = positive(a, OPTION_STEP, pairs->coarse.step);
    pairs->coarse.window = positive(a, OPTION_WINDOW, pairs->coarse.window);
    pairs->fine.step = positive(a, OPTION_FINE_STEP, pairs->fine.step);
    pairs->fine.window = positive(a, OPTION_FINE_WINDOW, pairs->fine.window);
}

const char *const predictor_names[SGDFC_KIND_COUNT] = {
    "memoryless", "ema", "arima", "rnn", "lstm", "narx", "arx"
};

int predictor_reads_uses(sgdfc_kind kind)
{
    return kind == SGDFC_NARX || kind == SGDFC_ARX;
}

void predictor_read(sgdfc_config *f, const args *a)
{
    memset(f, 0, sizeof *f);
    f->kind = (sgdfc_kind)args_word(a, OPTION_PREDICTOR, SGDFC_MEMORYLESS);
    f->train = (uint32_t)args_integer(a, OPTION_TRAIN, 10, 10000000, 500);
    f->smoothing = args_number(a, OPTION_SMOOTHING, 0.2);
    if (!(f->smoothing > 0.0))
        args_fail(OPTION_SMOOTHING, args_text(a, OPTION_SMOOTHING, ""), "is not positive");
    f->epochs = (uint32_t)args_integer(a, OPTION_EPOCHS, 1, 1000000, 200);
    f->no_line = args_given(a, OPTION_NO_LINE);
    f->unclamped = args_given(a, OPTION_UNCLAMPED);
}

/* ---- Workers --------------------------------------------------------------- */

void worker_read(const csv_table *t, size_t row, sgdbal_worker *worker)
{
    const int slope = csv_require(t, "slope_s"), most = csv_column(t, "max_batch");
    worker->launch_s = csv_number(t, row, csv_require(t, "launch_s"), NUMBER_NON_NEGATIVE);
    worker->slope_s = csv_number(t, row, slope, NUMBER_NON_NEGATIVE);
    worker->floor_s = csv_number(t, row, csv_require(t, "floor_s"), NUMBER_NON_NEGATIVE);
    worker->communication_s = csv_number(t, row, csv_require(t, "communication_s"),
                                         NUMBER_NON_NEGATIVE);
    worker->max_batch = (uint32_t)csv_integer_or(t, row, most, 1, UINT32_MAX, 0);
    if (!(worker->slope_s > 0.0 || worker->floor_s > 0.0))
        csv_fail(t, row, slope, "%s, and floor_s is also 0: batches would take no time",
                 csv_text(t, row, slope));
}

double worker_time_s(const sgdbal_worker *worker, uint32_t batch, const csv_table *t,
                     size_t row)
{
    sgdbal_worker unlimited = *worker;
    double time_s = 0.0;
    unlimited.max_batch = 0;
    if (sgdbal_worker_time(&unlimited, batch, &time_s, NULL) != SGDBAL_OK)
        time_is_too_long(t, row, batch);
    return time_s;
}

void time_is_too_long(const csv_table *t, size_t row, uint32_t batch)
{
    csv_fail(t, row, CSV_NONE, "a batch of %lu samples takes more seconds than a number can hold",
             (unsigned long)batch);
}

int name_add(name_index *names, const csv_table *t, size_t row, int column, const char *text,
             size_t *number)
{
    const int added = names_add(names, text, strlen(text), number);
    if (csv_is_empty(t, row, column)) csv_fail(t, row, column, "the cell is empty");
    if (added == NAMES_FULL) tool_fail("%s: out of memory", t->name);
    return added == NAMES_NEW;
}

void name_read(name_index *names, const csv_table *t, size_t row, int column, const char *text)
{
    size_t number;
    if (!name_add(names, t, row, column, text, &number))
        csv_fail(t, row, column, "'%s' occurs twice", text);
}

void json_batches(output *out, const char *key, const uint32_t *batch, size_t count)
{
    json_array(out, key);
    for (size_t i = 0; i < count; i++) json_integer(out, NULL, batch[i]);
    json_end(out);
}

/* ---- Series ---------------------------------------------------------------- */

const csv_table *series_read(series *s, const char *path, number_rule rule, int uses)
{
    const csv_table *t = csv_read(path, 0);
    const int speed = csv_require(t, "speed");
    const int cpu = uses ? csv_require(t, "cpu") : csv_column(t, "cpu");
    const int memory = uses ? csv_require(t, "memory") : csv_column(t, "memory");
    for (size_t i = 0; i < t->rows; i++) {
        series_row row = {0.0, 0.0, 0.0};
        row.speed = csv_number(t, i, speed, rule);
        if (cpu != CSV_NONE) row.cpu = csv_number(t, i, cpu, NUMBER_NON_NEGATIVE);
        if (memory != CSV_NONE) row.memory = csv_number(t, i, memory, NUMBER_NON_NEGATIVE);
        series_add(s, &row);
    }
    return t;
}

double task_length_read(const args *a)
{
    return (double)args_integer(a, OPTION_TASK_LENGTH, (uint64_t)BUSY_SHORTEST,
                                (uint64_t)BUSY_LONGEST, (uint64_t)BUSY_TASK_LENGTH);
}

int ranks_print(output *out, const args *a, const uint32_t *batch, size_t workers)
{
    enum { RANKS = 3 };                /* the word of --format                       */
    double *weight = (double *)tool_alloc(workers, sizeof *weight);
    columns c;
    size_t i;
    if (args_word(a, OPTION_FORMAT, 0) != RANKS) return 0;
    tool_check_balance(sgdbal_gradient_weights(batch, workers, 1, weight), NAME_OF(FORMAT));
    out->form = CSV;
    c = columns_open(out, CSV, NULL);
    for (i = 0; columns_next(&c, i < workers); i++) {
        column_whole(&c, CSV, "rank", i);
        column_whole(&c, CSV, "batch", batch[i]);
        column_number(&c, CSV, "gradient_weight", weight[i]);
    }
    return 1;
}
