/* coverage.c - validate --coverage: how far from a prediction a row of its class lies */
#include "cmd/validate/validate.h"
#include "files/status.h"

#include <float.h>

enum { LEAST_ROWS = 20 };              /* of a class that is judged                 */

/* What is known of a row's inputs decides how sure its prediction is. */
static const char *const classes[] = {"measured", "declared", "calibrated", "servers", "layered"};

static size_t class_of(const validation *v, const dataset_row *r)
{
    if (r->layers) return 4;
    if (r->group != DATASET_NONE && v->data.group[r->group].fit != FIT_NONE) return 2;
    if (r->mode != MODE_ALLREDUCE && r->job.servers > 1) return 3;
    return r->declared ? 1 : 0;
}

typedef struct coverage_rows {
    double   *predicted, *measured;
    uint32_t *set;            /* the dataset                                        */
    size_t    count;
} coverage_rows;

/* The scored rows of a class, by the models that predict takes by itself. */
static void collect(const validation *v, size_t class_index, coverage_rows *rows)
{
    size_t i;
    rows->count = 0;
    for (i = 0; i < v->data.rows; i++) {
        const dataset_row *r = &v->data.row[i];
        const size_t model = (size_t)mode_usual_model(r->mode);
        const double x = v->predicted[i * VALIDATE_MODELS + model];
        if (!validate_is_scored(v, i) || !(x > 0.0) || class_of(v, r) != class_index) continue;
        if (r->job.jobs > 1) continue; /* predict has no band for several jobs */
        rows->predicted[rows->count] = x;
        rows->measured[rows->count] = r->batches_per_s;
        rows->set[rows->count++] = (uint32_t)r->dataset;
    }
}

static const table_column columns[] = {
    {"class", 0}, {"level", 0}, {"half_width", 3}, {"sets", 0}, {"rows", 0},
    {"left_out_rows", 0}, {"covered", 3}, {"left_out_half_width", 3}
};

static void add_class(validation *v, result_table *t, output *out, size_t class_index,
                      const coverage_rows *rows)
{
    sgdp_band band;
    sgdp_coverage_result c;
    size_t bytes = 0;
    void *work;
    int tested, bounded;
    tool_check(sgdp_conformal_bytes(rows->count, &bytes), classes[class_index]);
    work = validate_scratch(v, bytes);
    tool_check(sgdp_conformal(rows->predicted, rows->measured, rows->set, NULL, rows->count,
                              VALIDATE_LEVEL, work, bytes, &band), classes[class_index]);
    tested = sgdp_coverage(rows->predicted, rows->measured, rows->set, rows->count,
                           VALIDATE_LEVEL, work, bytes, &c) == SGDP_OK;
    bounded = band.half_width <= DBL_MAX;
    if (!t) {
        json_object(out, NULL);
        json_string(out, "class", classes[class_index]);
        json_number(out, "level", VALIDATE_LEVEL);
        if (bounded) json_number(out, "half_width", band.half_width);
        else json_null(out, "half_width");
        json_integer(out, "sets", band.sets);
        json_integer(out, "rows", band.rows);
        json_integer(out, "left_out_rows", tested ? c.rows : 0);
        if (tested) json_number(out, "covered", (double)c.covered / (double)c.rows);
        else json_null(out, "covered");
        if (tested) json_number(out, "left_out_half_width", c.half_width);
        else json_null(out, "left_out_half_width");
        json_end(out);
        return;
    }
    table_text(t, classes[class_index]);
    table_number(t, VALIDATE_LEVEL);
    if (bounded) table_number(t, band.half_width); else table_empty(t);
    table_integer(t, band.sets);
    table_integer(t, band.rows);
    table_integer(t, tested ? c.rows : 0);
    if (tested) table_number(t, (double)c.covered / (double)c.rows); else table_empty(t);
    if (tested) table_number(t, c.half_width); else table_empty(t);
}

void validate_print_coverage(output *out, validation *v, output_format format)
{
    coverage_rows rows;
    result_table *t = format == FORMAT_JSON ? NULL : table_new(columns, COUNT_OF(columns));
    size_t i;
    rows.predicted = (double *)tool_alloc(v->data.rows, sizeof(double));
    rows.measured = (double *)tool_alloc(v->data.rows, sizeof(double));
    rows.set = (uint32_t *)tool_alloc(v->data.rows, sizeof(uint32_t));
    if (!t) {
        json_object(out, NULL);
        json_array(out, "classes");
    }
    for (i = 0; i < COUNT_OF(classes); i++) {
        collect(v, i, &rows);
        if (rows.count == 0) continue;
        if (rows.count < LEAST_ROWS)
            tool_note("class %s has %lu rows: too few to judge by", classes[i],
                      (unsigned long)rows.count);
        add_class(v, t, out, i, &rows);
    }
    if (t) {
        table_print(t, out, format);
        return;
    }
    json_end(out);
    json_end(out);
}
