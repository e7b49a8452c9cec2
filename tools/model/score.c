/* score.c - rows read, the errors of their predictions, and bounds on these */
#include "model/validation.h"
#include "files/status.h"

#include <string.h>

/* ---- Rows -------------------------------------------------------------------- */

/* id[rows] below `count`, or DATASET_NONE. */
static row_index index_rows(const size_t *id, size_t rows, size_t count)
{
    row_index index;
    size_t *next = (size_t *)tool_alloc(count + 1, sizeof *next), i;
    index.start = (size_t *)tool_alloc(count + 1, sizeof *index.start);
    index.row = (size_t *)tool_alloc(rows, sizeof *index.row);
    for (i = 0; i < rows; i++)
        if (id[i] != DATASET_NONE) index.start[id[i] + 1]++;
    for (i = 0; i < count; i++) {
        index.start[i + 1] += index.start[i];
        next[i + 1] = index.start[i + 1];
    }
    for (i = 0; i < rows; i++)
        if (id[i] != DATASET_NONE) index.row[next[id[i]]++] = i;
    return index;
}

void validate_read(validation *v, const args *a)
{
    size_t *id, i;
    if (a->file_count > 0) {
        dataset_read(&v->data, a->files, a->file_count);
    } else {
        char **path;
        const size_t files = dataset_files(VALIDATE_FOLDER, &path);
        dataset_read(&v->data, path, files);
    }
    /* Black boxes need no profile and see such rows all the same. */
    dataset_note_foreign(&v->data, MODE_COUNT);
    id = (size_t *)tool_alloc(v->data.rows, sizeof *id);
    for (i = 0; i < v->data.rows; i++) id[i] = v->data.row[i].dataset;
    v->of_dataset = index_rows(id, v->data.rows, v->data.datasets);
    for (i = 0; i < v->data.rows; i++) id[i] = v->data.row[i].group;
    v->of_group = index_rows(id, v->data.rows, v->data.groups);
    v->predicted = (double *)tool_alloc(v->data.rows, VALIDATE_MODELS * sizeof *v->predicted);
    v->replayed = (replay *)tool_alloc(v->data.rows, REPLAY_COUNT * sizeof *v->replayed);
}

int validate_is_predicted(const validation *v, size_t row)
{
    size_t m;
    for (m = 0; m < VALIDATE_MODELS; m++)
        if (v->predicted[row * VALIDATE_MODELS + m] > 0.0) return 1;
    return 0;
}

int validate_is_scored(const validation *v, size_t row)
{
    return v->data.row[row].role != ROLE_FIT;
}

const char *validate_reason(const dataset_row *r)
{
    if (r->placed) return "no model of whole layers on servers, but replays of layers";
    return r->group == DATASET_NONE ? "no model is for such a row"
                                    : "no model can be fitted to its group";
}

/* ---- Errors ------------------------------------------------------------------ */

static void score(validation *v, size_t dataset, size_t model, double *predicted,
                  double *measured)
{
    size_t bytes = 0, i;
    sgdfit_rows rows = {.predicted = predicted, .measured = measured};
    validate_result *result;
    for (i = v->of_dataset.start[dataset]; i < v->of_dataset.start[dataset + 1]; i++) {
        const size_t row = v->of_dataset.row[i];
        const double x = v->predicted[row * VALIDATE_MODELS + model];
        if (!validate_is_scored(v, row) || !(x > 0.0)) continue;
        predicted[rows.n] = x;
        measured[rows.n++] = v->data.row[row].batches_per_s;
    }
    if (rows.n == 0) return;
    if (v->results == v->result_room)
        v->result = (validate_result *)tool_grow(v->result, v->results, &v->result_room,
                                                 v->results + 1, sizeof *v->result);
    result = &v->result[v->results++];
    result->dataset = dataset;
    result->model = model;
    result->ok = 1;
    tool_check_fit(sgdfit_errors_bytes(&rows, &bytes), v->data.name[dataset]);
    if (sgdfit_errors(&rows, validate_scratch(v, bytes), bytes, &result->errors) != SGDFIT_OK)
        tool_fail("%s: the errors are too large for a number", v->data.name[dataset]);
}

void validate_score(validation *v)
{
    double *predicted = (double *)tool_alloc(v->data.rows, sizeof *predicted);
    double *measured = (double *)tool_alloc(v->data.rows, sizeof *measured);
    size_t d, m, row;
    for (d = 0; d < v->data.datasets; d++)
        for (m = 0; m < VALIDATE_MODELS; m++) score(v, d, m, predicted, measured);
    for (row = 0; row < v->data.rows && v->results == 0; row++) {
        const dataset_row *r = &v->data.row[row];
        if (!validate_is_scored(v, row)) continue;
        if (r->lacks)
            csv_fail(r->file, r->row, CSV_NONE,
                     "column '%s': the cell is empty, and no model goes without it%s", r->lacks,
                     strcmp(r->lacks, "bandwidth_bytes_per_s") == 0
                         ? " (or column 'fit' has bandwidth, to be fitted)" : "");
        if (r->foreign)
            csv_fail(r->file, r->row, CSV_NONE, "column '%s': no model of %s", r->foreign,
                     r->foreign_is);
        csv_fail(r->file, r->row, CSV_NONE, "%s", validate_reason(r));
    }
    if (v->results == 0)
        tool_fail("%s: no row is scored: all have the role fit", v->data.row[0].file->name);
}

/* ---- Bounds ------------------------------------------------------------------ */

/* The result that a row of the bounds is about. A bound for a dataset that was not
 * replayed means nothing, unless all were. */
static validate_result *find_result(validation *v, const char *dataset, const char *model,
                                    int *replayed)
{
    size_t i;
    *replayed = 0;
    for (i = 0; i < v->data.datasets; i++) *replayed |= strcmp(v->data.name[i], dataset) == 0;
    for (i = 0; i < v->results; i++)
        if (strcmp(v->data.name[v->result[i].dataset], dataset) == 0 &&
            strcmp(validate_model_name(v->result[i].model), model) == 0)
            return &v->result[i];
    return NULL;
}

void validate_apply_bounds(validation *v, const char *path, int all)
{
    const csv_table *t = csv_read(path, 0);
    const int key[] = {csv_require(t, "model"), csv_require(t, "dataset")};
    const int mean = csv_require(t, "mean_error"), max = csv_require(t, "max_error");
    size_t row;
    csv_unique(t, key, COUNT_OF(key));
    v->with_bounds = 1;
    for (row = 0; row < t->rows; row++) {
        const char *model = csv_text(t, row, key[0]), *dataset = csv_text(t, row, key[1]);
        const double bound_mean = csv_number(t, row, mean, NUMBER_NON_NEGATIVE);
        const double bound_max = csv_number(t, row, max, NUMBER_NON_NEGATIVE);
        int replayed;
        validate_result *r = find_result(v, dataset, model, &replayed);
        if (!r && replayed)
            csv_fail(t, row, key[0], "dataset '%s' has no result of '%s'", dataset, model);
        if (!r && all) csv_fail(t, row, key[1], "'%s' is not in " VALIDATE_FOLDER, dataset);
        if (!r) continue;
        r->bounded = 1;
        r->bound_mean = bound_mean;
        r->bound_max = bound_max;
        r->ok = r->errors.mean <= bound_mean && r->errors.max <= bound_max;
    }
}

size_t validate_count_exceeded(const validation *v)
{
    size_t i, count = 0;
    for (i = 0; i < v->results; i++) count += !v->result[i].ok;
    return count;
}
