/* coverage.c - validate --coverage: how far from a prediction a row of its class lies */
#include "base/table.h"
#include "cmd/validate/validate.h"
#include "files/status.h"

#include <float.h>
#include <string.h>

enum { LEAST_ROWS = 20 };              /* of a class that is judged                 */

/* What is known of a row's inputs decides how sure its prediction is. */
band_class validate_class(const validation *v, const dataset_row *r)
{
    if (r->layers) return BAND_LAYERED;
    if (r->group != DATASET_NONE && v->data.group[r->group].fit != FIT_NONE)
        return BAND_CALIBRATED;
    if (r->mode != MODE_ALLREDUCE && r->job.servers > 1) return BAND_SERVERS;
    return r->declared ? BAND_DECLARED : BAND_MEASURED;
}

typedef struct coverage_rows {
    double   *predicted, *measured;
    uint32_t *set;            /* the dataset                                        */
    size_t    count;
} coverage_rows;

/* The scored rows of a class, by the models that predict takes by itself. */
static void collect(const validation *v, band_class of, coverage_rows *rows)
{
    size_t i;
    rows->count = 0;
    for (i = 0; i < v->data.rows; i++) {
        const dataset_row *r = &v->data.row[i];
        const size_t model = (size_t)mode_usual_model(r->mode);
        const double x = v->predicted[i * VALIDATE_MODELS + model];
        if (!validate_is_scored(v, i) || !(x > 0.0) || validate_class(v, r) != of) continue;
        if (r->job.jobs > 1) continue; /* predict has no band for several jobs */
        rows->predicted[rows->count] = x;
        rows->measured[rows->count] = r->batches_per_s;
        rows->set[rows->count++] = (uint32_t)r->dataset;
    }
}

validate_band validate_band_of(validation *v, band_class of)
{
    const char *name = band_words[of];
    coverage_rows rows;
    validate_band b;
    size_t bytes = 0;
    void *work;
    memset(&b, 0, sizeof b);
    rows.predicted = (double *)tool_alloc(v->data.rows, sizeof(double));
    rows.measured = (double *)tool_alloc(v->data.rows, sizeof(double));
    rows.set = (uint32_t *)tool_alloc(v->data.rows, sizeof(uint32_t));
    collect(v, of, &rows);
    b.rows = rows.count;
    if (rows.count == 0) return b;
    tool_check_fit(sgdfit_conformal_bytes(rows.count, &bytes), name);
    work = validate_scratch(v, bytes);
    tool_check_fit(sgdfit_conformal(rows.predicted, rows.measured, rows.set, NULL, rows.count,
                                VALIDATE_LEVEL, work, bytes, &b.band), name);
    b.sets = b.band.sets;
    b.bounded = b.band.half_width <= DBL_MAX;
    b.tested = sgdfit_coverage(rows.predicted, rows.measured, rows.set, rows.count,
                               VALIDATE_LEVEL, work, bytes, &b.left_out) == SGDFIT_OK;
    if (b.tested) b.covered = (double)b.left_out.covered / (double)b.left_out.rows;
    return b;
}

static void json_number_if(output *out, const char *key, int known, double value)
{
    if (known) json_number(out, key, value);
    else json_null(out, key);
}

static void json_class(output *out, const char *name, const validate_band *b)
{
    json_object(out, NULL);
    json_string(out, "class", name);
    json_number(out, "level", VALIDATE_LEVEL);
    json_number_if(out, "half_width", b->bounded, b->band.half_width);
    json_integer(out, "sets", b->sets);
    json_integer(out, "rows", b->rows);
    json_integer(out, "left_out_rows", b->left_out.rows);
    json_number_if(out, "covered", b->tested, b->covered);
    json_number_if(out, "left_out_half_width", b->tested, b->left_out.half_width);
    json_end(out);
}

static const table_column columns[] = {
    {"class", 0}, {"level", 0}, {"half_width", 3}, {"sets", 0}, {"rows", 0},
    {"left_out_rows", 0}, {"covered", 3}, {"left_out_half_width", 3}
};

static void table_number_if(result_table *t, int known, double value)
{
    if (known) table_number(t, value);
    else table_empty(t);
}

static void table_class(result_table *t, const char *name, const validate_band *b)
{
    table_text(t, name);
    table_number(t, VALIDATE_LEVEL);
    table_number_if(t, b->bounded, b->band.half_width);
    table_integer(t, b->sets);
    table_integer(t, b->rows);
    table_integer(t, b->left_out.rows);
    table_number_if(t, b->tested, b->covered);
    table_number_if(t, b->tested, b->left_out.half_width);
}

void validate_print_coverage(output *out, validation *v, output_format format)
{
    result_table *t = format == FORMAT_JSON ? NULL : table_new(columns, COUNT_OF(columns));
    size_t i;
    if (!t) {
        json_object(out, NULL);
        json_array(out, "classes");
    }
    for (i = 0; i < BAND_CLASSES; i++) {
        const validate_band b = validate_band_of(v, (band_class)i);
        if (b.rows == 0) continue;
        if (b.rows < LEAST_ROWS)
            tool_note("class %s has %lu row%s: too few to judge by", band_words[i],
                      (unsigned long)b.rows, b.rows == 1 ? "" : "s");
        if (t) table_class(t, band_words[i], &b);
        else json_class(out, band_words[i], &b);
    }
    if (t) {
        table_print(t, out, format);
        return;
    }
    json_end(out);
    json_end(out);
}
