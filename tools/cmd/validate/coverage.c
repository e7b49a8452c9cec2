/* coverage.c - validate --coverage: how far from a prediction a row of its class lies */
#include "base/columns.h"
#include "base/output.h"
#include "base/tool.h"
#include "files/status.h"
#include "model/validation.h"

#include <float.h>
#include <string.h>

enum { LEAST_ROWS = 20 };              /* of a class that is judged                 */

/* What is known of a row's inputs decides how sure its prediction is. */
band_class validate_class(const validation *v, const dataset_row *r)
{
    if (r->layers) return BAND_LAYERED;
    if (r->group != DATASET_NONE && v->data.group[r->group].fit != FIT_NONE)
        return BAND_CALIBRATED;
    if (r->mode != MODE_ALLREDUCE && r->job.servers.count > 1) return BAND_SERVERS;
    return r->declared ? BAND_DECLARED : BAND_MEASURED;
}

/* The scored rows of a class, by the models that predict takes by itself. */
static sgdfit_rows collect(const validation *v, band_class of)
{
    double *predicted = (double *)tool_alloc(v->data.rows, sizeof *predicted);
    double *measured = (double *)tool_alloc(v->data.rows, sizeof *measured);
    uint32_t *set = (uint32_t *)tool_alloc(v->data.rows, sizeof *set); /* the dataset */
    sgdfit_rows rows = {.predicted = predicted, .measured = measured, .set = set};
    size_t i;
    for (i = 0; i < v->data.rows; i++) {
        const dataset_row *r = &v->data.row[i];
        const size_t model = (size_t)mode_usual_model(r->mode);
        const double x = v->predicted[i * VALIDATE_MODELS + model];
        if (!validate_is_scored(v, i) || !(x > 0.0) || validate_class(v, r) != of) continue;
        if (r->job.collective.jobs > 1) continue; /* predict has no band for several jobs */
        predicted[rows.n] = x;
        measured[rows.n] = r->batches_per_s;
        set[rows.n++] = (uint32_t)r->dataset;
    }
    return rows;
}

validate_band validate_band_of(validation *v, band_class of)
{
    const char *name = band_words[of];
    const sgdfit_rows rows = collect(v, of);
    validate_band b;
    size_t bytes = 0;
    void *work;
    memset(&b, 0, sizeof b);
    b.rows = rows.n;
    if (rows.n == 0) return b;
    tool_check_fit(sgdfit_conformal_bytes(&rows, &bytes), name);
    work = validate_scratch(v, bytes);
    tool_check_fit(sgdfit_conformal(&rows, VALIDATE_LEVEL, work, bytes, &b.band), name);
    b.sets = b.band.sets;
    b.bounded = b.band.half_width <= DBL_MAX;
    b.tested = sgdfit_coverage(&rows, VALIDATE_LEVEL, work, bytes, &b.left_out) == SGDFIT_OK;
    if (b.tested) b.covered = (double)b.left_out.covered / (double)b.left_out.rows;
    return b;
}

static void print_class(columns *t, const char *name, const validate_band *b)
{
    columns_row(t);
    column_text(t, ALL, "class", name);
    column_number(t, ALL, "level", VALIDATE_LEVEL);
    column_round(t, ALL, "half_width", 3, known_if(b->bounded, b->band.half_width));
    column_whole(t, ALL, "sets", b->sets);
    column_whole(t, ALL, "rows", b->rows);
    column_whole(t, ALL, "left_out_rows", b->left_out.rows);
    column_round(t, ALL, "covered", 3, known_if(b->tested, b->covered));
    column_round(t, ALL, "left_out_half_width", 3, known_if(b->tested, b->left_out.half_width));
}

void validate_print_coverage(output *out, validation *v)
{
    columns t;
    size_t i;
    json_object(out, NULL);
    columns_open(&t, out, ALL, "classes");
    for (i = 0; i < BAND_CLASSES; i++) {
        const validate_band b = validate_band_of(v, (band_class)i);
        if (b.rows == 0) continue;
        if (b.rows < LEAST_ROWS)
            tool_note("few-rows", "class %s has %lu row%s: too few to judge by", band_words[i],
                      (unsigned long)b.rows, b.rows == 1 ? "" : "s");
        print_class(&t, band_words[i], &b);
    }
    if (t.rows == 0) {
        const validate_band none = {0};
        (void)columns_row_if(&t, 0);
        print_class(&t, NULL, &none);
    }
    columns_close(&t);
    json_end(out);
}
