/* epochs.c - --epochs-table: the epochs that a loss needs, by workers, batch or staleness */
#include "cmd/advise/advise.h"
#include "files/status.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef struct epochs_row { double at, epochs; size_t row; } epochs_row;

static int by_at(const void *x, const void *y)
{
    const epochs_row *a = (const epochs_row *)x, *b = (const epochs_row *)y;
    if (a->at < b->at || a->at > b->at) return a->at < b->at ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* The column that the mode asks for first, of those that there are. */
static sgdfit_epochs_by find_by(const csv_table *t, train_mode mode)
{
    static const sgdfit_epochs_by order[2][SGDFIT_EPOCHS_BY_COUNT] = {
        {SGDFIT_EPOCHS_BY_BATCH, SGDFIT_EPOCHS_BY_WORKERS, SGDFIT_EPOCHS_BY_STALENESS},
        {SGDFIT_EPOCHS_BY_STALENESS, SGDFIT_EPOCHS_BY_WORKERS, SGDFIT_EPOCHS_BY_BATCH}
    };
    for (size_t i = 0; i < SGDFIT_EPOCHS_BY_COUNT; i++) {
        const sgdfit_epochs_by by = order[mode == MODE_ASYNC][i];
        if (csv_column(t, sgdfit_epochs_by_text(by)) != CSV_NONE) return by;
    }
    tool_fail("%s:%lu: needs a column 'workers', 'batch' or 'staleness'", t->name,
              (unsigned long)t->header_line);
}

/* Rows in the order of what they are by; of equal ones the first. */
static void take_rows(sgdfit_epochs *of, const csv_table *t, epochs_row *row, int column)
{
    double *at = (double *)tool_alloc(t->rows, sizeof *at);
    double *epochs = (double *)tool_alloc(t->rows, sizeof *epochs);
    qsort(row, t->rows, sizeof *row, by_at);
    for (size_t i = 0; i < t->rows; i++) {
        const epochs_row *last = i > 0 ? &row[i - 1] : NULL;
        if (last && !(row[i].at > last->at)) {
            if (row[i].epochs < last->epochs || row[i].epochs > last->epochs)
                csv_fail(t, row[i].row, column, "%g has another number of epochs in line %lu: "
                         "remove one of the two rows",
                         row[i].at, (unsigned long)t->line[last->row]);
            continue;
        }
        at[of->points] = row[i].at;
        epochs[of->points++] = row[i].epochs;
    }
    of->at = at;
    of->epochs = epochs;
}

void advice_read_epochs(advice_set *s, const args *a)
{
    const char *path = args_text(a, OPTION_EPOCHS_TABLE, NULL);
    const double batch = s->curves.jobs.job[0].compute.batch;
    const train_mode mode = s->curves.jobs.mode;
    if (!path) return;
    if (!(batch > 0.0))
        args_fail(OPTION_EPOCHS_TABLE, NULL, "needs the examples of a mini-batch: give %s or a "
                  "column 'batch'", NAME_OF(BATCH));
    const csv_table *t = csv_read(path, 0);
    const sgdfit_epochs_by by = find_by(t, mode);
    const int column = csv_column(t, sgdfit_epochs_by_text(by));
    const int epochs = csv_column(t, "epochs");
    epochs_row *row = (epochs_row *)tool_alloc(t->rows, sizeof *row);
    if (epochs == CSV_NONE)
        tool_fail("%s:%lu: column 'epochs' is missing", t->name, (unsigned long)t->header_line);
    for (size_t i = 0; i < t->rows; i++) {
        row[i].row = i;
        row[i].at = by == SGDFIT_EPOCHS_BY_STALENESS
            ? csv_number(t, i, column, NUMBER_NON_NEGATIVE)
            : by == SGDFIT_EPOCHS_BY_WORKERS ? (double)csv_integer(t, i, column, 1, UINT32_MAX)
                                             : csv_number(t, i, column, NUMBER_POSITIVE);
        row[i].epochs = csv_number(t, i, epochs, NUMBER_POSITIVE);
    }
    s->epochs.by = by;
    take_rows(&s->epochs, t, row, column);
    s->epoch_batches = args_number(a, OPTION_EXAMPLES, 0.0) / batch;
    tool_note("epochs-by", "%s: the epochs are those of its column '%s'%s", t->name,
              sgdfit_epochs_by_text(by), by == SGDFIT_EPOCHS_BY_BATCH
              ? ", the examples of one update" : by == SGDFIT_EPOCHS_BY_WORKERS ? ""
              : mode == MODE_ASYNC ? ": K asynchronous workers have a mean staleness of K - 1"
                                   : ": workers that wait for each other have staleness 0");
}

static uint32_t accelerators(const job_set *jobs)
{
    const uint32_t gpus = jobs->job[0].machine.gpus;
    return gpus > 1 ? gpus : 1;
}

/* A table by workers that wait for each other holds for the total batch of theirs alone. */
static int holds_one_batch(const advice_set *s)
{
    return s->epochs.points > 0 && s->epochs.by == SGDFIT_EPOCHS_BY_WORKERS &&
           s->curves.jobs.mode != MODE_ASYNC;
}

double advice_epochs(const advice_set *s, uint32_t workers, double batches)
{
    const job_set *jobs = &s->curves.jobs;
    double epochs = 0.0;
    if (s->epochs.points == 0) return 0.0;
    if (holds_one_batch(s) && fabs(batches - advice_update(s, workers)) > 0.5) return 0.0;
    if (s->epochs.by == SGDFIT_EPOCHS_BY_STALENESS)        /* machines update, as workers do */
        workers = 1 + (workers - 1) / accelerators(jobs);
    tool_check_fit(sgdfit_epochs_to_loss(&s->epochs, workers, batches * jobs->job[0].compute.batch,
                                         jobs->mode == MODE_ASYNC, &epochs), NAME_OF(EPOCHS_TABLE));
    return epochs;
}

double advice_batch_gain(const advice_set *s, uint32_t workers, double batches, double gain)
{
    if (s->epochs.points == 0) return gain;
    if (s->epochs.by != SGDFIT_EPOCHS_BY_BATCH) return 0.0;
    const double more = advice_epochs(s, workers, 2.0 * batches);
    return more > 0.0 ? (1.0 + gain) * advice_epochs(s, workers, batches) / more - 1.0 : 0.0;
}

double advice_update(const advice_set *s, uint32_t workers)
{
    const job_set *jobs = &s->curves.jobs;
    const uint32_t gpus = accelerators(jobs);
    return jobs->mode != MODE_ASYNC ? (double)workers - jobs->job[0].workers.backup
         : workers < gpus ? workers : gpus;
}

int advice_knows(const advice_set *s, uint32_t workers, double batches)
{
    return s->epochs.points == 0 || advice_epochs(s, workers, batches) > 0.0;
}

int advice_counts_batch(const advice_set *s)
{
    return s->epochs.points > 0 && s->epochs.by != SGDFIT_EPOCHS_BY_STALENESS;
}

void advice_note_unknown(const advice_set *s, size_t left, size_t kept, const char *what)
{
    const sgdfit_epochs *t = &s->epochs;
    const char *by = sgdfit_epochs_by_text(t->by);
    const char *each = holds_one_batch(s) ? " with one mini-batch each" : "";
    if (left > 0 && kept == 0)
        args_fail(OPTION_EPOCHS_TABLE, NULL, "has epochs for %s %g to %g%s: none of the %s lies in "
                  "this range, and nothing is extrapolated", by, t->at[0], t->at[t->points - 1],
                  each, what);
    if (left > 0)
        tool_note("epochs-unknown", "%s has epochs for %s %g to %g%s: %lu of %lu %s lie outside "
                  "this range and are left out, as nothing is extrapolated", NAME_OF(EPOCHS_TABLE),
                  by, t->at[0], t->at[t->points - 1], each, (unsigned long)left,
                  (unsigned long)(left + kept), what);
}
