/* dataset_run.c - how a row of a dataset was run, in columns that few datasets have */
#include "files/dataset_row.h"

#include <string.h>

static const char *word_of(const dataset_row *r, const char *name)
{
    const int column = csv_column(r->file, name);
    return csv_is_empty(r->file, r->row, column) ? "" : csv_text(r->file, r->row, column);
}

static double number_of(const dataset_row *r, const char *name, number_rule rule)
{
    return csv_number_or(r->file, r->row, csv_column(r->file, name), rule, 0.0);
}

enum { FOREIGN_TREE = 0, FOREIGN_SSP, FOREIGN_DURATIONS, FOREIGN_EVERY, FOREIGN_BACKUP,
       FOREIGN_JOBS, FOREIGN_KINDS };

/* Runs that no model knows, and the column that tells. */
static const struct { const char *column, *is; } foreign_kinds[FOREIGN_KINDS] = {
    {"emulated", "tree"}, {"emulated", "ssp"}, {"durations", "computations that are replayed"},
    {"every", "several mini-batches an exchange"}, {"backup", "backup workers"},
    {"jobs", "several jobs on the same links"}
};

static void find_foreign(dataset_row *r)
{
    const char *emulated = word_of(r, "emulated");
    size_t is = FOREIGN_KINDS;
    if (strcmp(emulated, "tree") == 0) is = FOREIGN_TREE;
    else if (strcmp(emulated, "ssp") == 0) is = FOREIGN_SSP;
    else if (*word_of(r, "durations")) is = FOREIGN_DURATIONS;
    else if (number_of(r, "every", NUMBER_NON_NEGATIVE) > 1.0) is = FOREIGN_EVERY;
    else if (number_of(r, "backup", NUMBER_NON_NEGATIVE) > 0.0) is = FOREIGN_BACKUP;
    else if (number_of(r, "jobs", NUMBER_NON_NEGATIVE) > 1.0 && r->mode != MODE_ALLREDUCE)
        is = FOREIGN_JOBS;
    if (is == FOREIGN_KINDS) return;
    r->foreign = foreign_kinds[is].column;
    r->foreign_is = foreign_kinds[is].is;
}

void dataset_note_foreign(const dataset_list *list, train_mode mode)
{
    char text[400] = "";
    size_t rows = 0, i, k;
    for (k = 0; k < FOREIGN_KINDS; k++) {
        size_t of_kind = 0;
        for (i = 0; i < list->rows; i++) {
            const dataset_row *r = &list->row[i];
            of_kind += r->foreign_is && strcmp(r->foreign_is, foreign_kinds[k].is) == 0 &&
                       (mode == MODE_COUNT || r->mode == mode);
        }
        if (of_kind == 0) continue;
        if (rows > 0) strcat(text, ", ");
        strcat(text, foreign_kinds[k].is);
        rows += of_kind;
    }
    if (rows > 0)
        tool_note("%lu row%s left out: no model of %s", (unsigned long)rows,
                  rows == 1 ? " is" : "s are", text);
}

/* Each server's part of the model, if the row tells. */
static void read_shares(dataset_row *r)
{
    const char *text = word_of(r, "shares");
    double *share, sum = 0.0;
    char **part;
    size_t parts, i;
    if (!*text) return;
    parts = args_split(text, ' ', &part);
    share = (double *)tool_alloc(parts, sizeof *share);
    for (i = 0; i < parts; i++) {
        if (parts != r->job.servers || number_parse(part[i], NUMBER_FRACTION, &share[i]))
            csv_fail(r->file, r->row, csv_column(r->file, "shares"),
                     "'%s' is not a fraction for each server, separated by blanks", text);
        sum += share[i];
    }
    if (!(sum > 1.0 - 1e-6 && sum < 1.0 + 1e-6))
        csv_fail(r->file, r->row, csv_column(r->file, "shares"), "'%s' adds up to %g", text, sum);
    for (i = 0; i < parts; i++) share[i] /= sum;
    r->job.shares = share;
}

/* Only so many workers are far away, 0: all of them. Two types of workers. */
static void read_delayed(dataset_row *r)
{
    const int column = csv_column(r->file, "delayed_workers");
    const uint64_t far = csv_integer_or(r->file, r->row, column, 0, r->workers, r->workers);
    sgdp_worker_type *type;
    if (far == 0 || far == r->workers || r->job.types > 0 || !(r->job.delay_s > 0.0)) return;
    type = (sgdp_worker_type *)tool_alloc(2, sizeof *type);
    type[0].count = (uint32_t)far;
    type[1].count = r->workers - (uint32_t)far;
    type[0].forward_s = type[1].forward_s = r->job.forward_s;
    type[0].backward_s = type[1].backward_s = r->job.backward_s;
    type[0].delay_s = r->job.delay_s;
    r->job.forward_s = r->job.backward_s = r->job.delay_s = 0.0;
    r->job.type = type;
    r->job.types = 2;
}

void dataset_read_run(dataset_row *r)
{
    static const char *const update_words[] = {"queued", "separate"};
    const int jitter = csv_column(r->file, "jitter"), updates = csv_column(r->file, "updates");
    const char *shape_words[SGDP_SHAPE_COUNT + 1];
    size_t i;
    for (i = 0; i < SGDP_SHAPE_COUNT; i++) shape_words[i] = sgdp_shape_text((sgdp_shape)i);
    shape_words[SGDP_SHAPE_COUNT] = "none";
    if (!csv_is_empty(r->file, r->row, jitter)) {
        i = csv_choice(r->file, r->row, jitter, shape_words, SGDP_SHAPE_COUNT + 1);
        if (i < SGDP_SHAPE_COUNT) r->job.vary.shape = (sgdp_shape)i;
        else r->job.vary.cv = 0.0;
    }
    if (!csv_is_empty(r->file, r->row, updates))
        r->job.separate_updates =
            csv_choice(r->file, r->row, updates, update_words, COUNT_OF(update_words)) == 1;
    if (r->mode == MODE_ALLREDUCE)
        r->job.jobs = (uint32_t)csv_integer_or(r->file, r->row, csv_column(r->file, "jobs"), 1,
                                               100000, 1);
    read_shares(r);
    read_delayed(r);
    find_foreign(r);
    r->placed = *word_of(r, "place") != '\0';
}
