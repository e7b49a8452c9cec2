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

/* The column that tells of a run that no model knows, or NULL. */
static const char *find_foreign(const dataset_row *r)
{
    const char *emulated = word_of(r, "emulated");
    if (strcmp(emulated, "tree") == 0 || strcmp(emulated, "ssp") == 0) return "emulated";
    if (*word_of(r, "durations")) return "durations";
    if (number_of(r, "every", NUMBER_NON_NEGATIVE) > 1.0) return "every";
    if (number_of(r, "backup", NUMBER_NON_NEGATIVE) > 0.0) return "backup";
    if (number_of(r, "jobs", NUMBER_NON_NEGATIVE) > 1.0 && r->mode != MODE_ALLREDUCE)
        return "jobs";
    return NULL;
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
    r->foreign = find_foreign(r);
    r->placed = *word_of(r, "place") != '\0';
}
