/* validate_streams.c - sgdperf validate: ends of recorded streams, as Table 1 of [LYPG20] */
#include "cmd/validate_streams.h"
#include "model/streams.h"

#include <string.h>

void validate_print_errors(columns *t, const sgdfit_error_statistics *e)
{
    column_whole(t, ALL, "rows", e->rows);
    column_round(t, SCREEN, "mean", 3, 100.0 * e->mean);
    column_round(t, SCREEN, "median", 3, 100.0 * e->median);
    column_round(t, SCREEN, "p95", 3, 100.0 * e->p95);
    column_round(t, SCREEN, "max", 3, 100.0 * e->max);
    column_round(t, SCREEN, "bias", 3, 100.0 * e->bias);
    column_number(t, DATA, "mean_error", e->mean);
    column_number(t, DATA, "median_error", e->median);
    column_number(t, DATA, "p95_error", e->p95);
    column_number(t, DATA, "max_error", e->max);
    column_number(t, DATA, "bias", e->bias);
}

void validate_print_bound(columns *t, int with_bounds, const validate_bound *b)
{
    const unsigned screen = with_bounds ? SCREEN : 0;
    column_round(t, screen, "bound_mean", 3, known_if(b->known, 100.0 * b->mean));
    column_round(t, screen, "bound_max", 3, known_if(b->known, 100.0 * b->max));
    column_text(t, screen, "ok", !b->known ? NULL : b->ok ? "yes" : "NO");
    column_number(t, DATA, "bound_mean", known_if(b->known, b->mean));
    column_number(t, DATA, "bound_max", known_if(b->known, b->max));
    column_text(t, CSV, "ok", b->ok ? "true" : "false");
    json_bool(t->out, "ok", b->ok);
}

int validate_has_streams(const args *a)
{
    return a->file_count > 0 && strcmp(a->files[0], "-") != 0 && streams_are_in(a->files[0]);
}

validate_bound validate_find_bound(const char *path, const char *dataset, const char *model,
                                   const sgdfit_error_statistics *e)
{
    validate_bound found = {.ok = 1};
    const csv_table *t = path ? csv_read(path, 0) : NULL;
    for (size_t row = 0; t && row < t->rows; row++) {
        if (strcmp(csv_text(t, row, csv_require(t, "dataset")), dataset) != 0 ||
            strcmp(csv_text(t, row, csv_require(t, "model")), model) != 0) continue;
        found.known = 1;
        found.mean = csv_number(t, row, csv_require(t, "mean_error"), NUMBER_NON_NEGATIVE);
        found.max = csv_number(t, row, csv_require(t, "max_error"), NUMBER_NON_NEGATIVE);
        found.ok = e->mean <= found.mean && e->max <= found.max;
    }
    return found;
}

/* The rows that are judged: those of role score, or all, where there are none. */
static sgdfit_error_statistics judge(const stream_file *f, size_t group, const double *predicted)
{
    const sgdfit_error_statistics e = streams_errors(f, group, POINT_SCORE, predicted);
    return e.rows > 0 ? e : streams_errors(f, group, POINT_FIT, predicted);
}

static const char *dataset_of(const stream_file *f, size_t group)
{
    const char *name = names_text(&f->names, group);
    return *name ? name : f->file->name;
}

/* How many bounds are exceeded. */
static size_t print_file(columns *t, const stream_file *f, const char *bounds, size_t *known)
{
    double *predicted = (double *)tool_alloc(f->rows, sizeof *predicted);
    size_t exceeded = 0;
    for (size_t group = 0; group < f->names.count; group++)
        for (size_t rule = 0; rule < STREAM_RULES; rule++) {
            const double window = streams_window(f, group, (stream_rule)rule);
            streams_predict(f, group, (stream_rule)rule, window, predicted);
            const sgdfit_error_statistics e = judge(f, group, predicted);
            const validate_bound b = validate_find_bound(bounds, dataset_of(f, group),
                                                         stream_rule_words[rule], &e);
            columns_row(t);
            column_text(t, ALL, "dataset", dataset_of(f, group));
            column_text(t, ALL, "model", stream_rule_words[rule]);
            column_round(t, ALL, "window_bytes", 4, known_if(rule != STREAMS_WHOLE, window));
            validate_print_errors(t, &e);
            validate_print_bound(t, bounds != NULL, &b);
            *known += b.known != 0;
            exceeded += !b.ok;
        }
    return exceeded;
}

int validate_streams(const args *a)
{
    const char *bounds = args_text(a, OPTION_BOUNDS, NULL);
    output out = {.form = args_form(a)};
    size_t known = 0, exceeded = 0;
    static const option_id others[] = {OPTION_ROWS, OPTION_COVERAGE, OPTION_TARGETS, OPTION_RIVALS};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (args_given(a, others[i]))
            args_fail(others[i], NULL, "cannot be used with files of streams: remove it");
    output_print(&out, "relative errors of the predicted ends of streams, percent\n\n");
    json_object(&out, NULL);
    columns t = columns_open(&out, ALL, "streams");
    for (size_t i = 0; i < a->file_count; i++) {
        stream_file f;
        if (!streams_are_in(a->files[i]))
            tool_fail("%s: the file has no streams: check datasets and streams in separate runs",
                      a->files[i]);
        streams_open(&f, a, a->files[i]);
        exceeded += print_file(&t, &f, bounds, &known);
        names_free(&f.names);
    }
    columns_close(&t);
    json_end(&out);
    if (bounds)
        output_print(&out, "\n%lu of %lu bounds exceeded\n", (unsigned long)exceeded,
                     (unsigned long)known);
    return output_flush(&out, exceeded > 0 ? EXIT_CHECK : EXIT_DONE);
}
