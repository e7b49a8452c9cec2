/* overhead.c - calibrate --fit overhead: what parsing adds to transfers [LYPG20, 3.2.1] */
#include "base/columns.h"
#include "cmd/calibrate/calibrate.h"
#include "files/status.h"
#include "files/transfers.h"

#include <math.h>

/* Seconds that simulate --overhead adds to a transfer. */
static double overhead_of(const sgdfit_straight *line, double bytes)
{
    return fmax(0.0, line->slope * bytes + line->intercept);
}

/* Errors of what a transfer is predicted to take. */
static void measure_errors(const transfers *x, double bandwidth, const sgdfit_straight *line,
                           sgdfit_error_statistics *errors)
{
    double *predicted = (double *)tool_alloc(x->count, sizeof *predicted);
    const sgdfit_rows rows = {.predicted = predicted, .measured = x->time_s, .n = x->count};
    for (size_t i = 0; i < x->count; i++)
        predicted[i] = x->bytes[i] / bandwidth + overhead_of(line, x->bytes[i]);
    *errors = errors_over(&rows, x->file->name);
}

/* ---- Results --------------------------------------------------------------- */

typedef struct found_value { const char *name; double value, low, high; } found_value;

static void json_intervals(output *out, const found_value *of, size_t count)
{
    json_object(out, "intervals");
    for (size_t i = 0; i < count; i++) {
        json_array(out, of[i].name);
        json_number(out, NULL, of[i].low);
        json_number(out, NULL, of[i].high);
        json_end(out);
    }
    json_end(out);
    json_number(out, "level", TRANSFERS_LEVEL);
}

static void print_found(output *out, const transfers *x, const sgdfit_straight *line,
                        const sgdfit_error_statistics errors[POINT_ROLES])
{
    const found_value of[] = {
        {"overhead_s_per_byte", line->slope, line->slope_low, line->slope_high},
        {"overhead_s", line->intercept, line->intercept_low, line->intercept_high}};
    output_print(out, "parsing, fitted to %lu transfer%s\n", COUNTED(x->count));
    json_object(out, NULL);
    json_object(out, "fitted");
    columns c = columns_open(out, TABLES, NULL);
    for (size_t i = 0; i < COUNT_OF(of); i++) {
        json_number(out, of[i].name, of[i].value);
        columns_row(&c);
        column_text(&c, ALL, "fitted", of[i].name);
        column_round(&c, ALL, "value", 6, of[i].value);
        column_round(&c, ALL, "low", 4, of[i].low);
        column_round(&c, ALL, "high", 4, of[i].high);
    }
    columns_close(&c);
    json_end(out);
    json_intervals(out, of, COUNT_OF(of));
    output_print(out, "\nsimulate --overhead %.6g,%.6g\n\nrelative errors of the times\n",
                 line->slope, line->intercept);
    print_errors(out, errors, POINT_FIT + 1);
    json_end(out);
}

/* ---- Notes ----------------------------------------------------------------- */

static int has_overhead(const transfers *x, const sgdfit_straight *line)
{
    for (size_t i = 0; i < x->count; i++)
        if (overhead_of(line, x->bytes[i]) > 0.0) return 1;
    return 0;
}

/* A line through what the link does not explain needs sizes that differ. */
static void note_line(const transfers *x, const sgdfit_straight *line)
{
    const char *name = x->file->name;
    if (!line->sloped)
        tool_note("one-size",
                  "%s: all transfers have one size, so the parsing time per byte is unknown: add "
                  "transfers of another size", name);
    else if (!has_overhead(x, line))
        tool_note("no-overhead", "%s: no transfer takes longer than its bytes / %s: there is no "
                  "overhead to fit", name, NAME_OF(BANDWIDTH));
    else if (line->intercept < 0.0 || line->slope < 0.0)
        tool_note("overhead-below-zero",
                  "%s: the fitted parsing time is below 0 for transfers of %s than %.4g bytes: "
                  "simulate counts it as 0", name, line->slope < 0.0 ? "more" : "less",
                  -line->intercept / line->slope);
}

int calibrate_overhead(const args *a)
{
    transfers x = {0};
    sgdfit_straight line;
    sgdfit_error_statistics errors[POINT_ROLES] = {{0}};
    output out = {.form = args_form(a)};
    double bandwidth = args_number(a, OPTION_BANDWIDTH, 0.0);
    transfers_read(&x, a->files[0]);
    if (x.parsed && bandwidth > 0.0)
        args_fail(OPTION_BANDWIDTH, NULL, "cannot be combined with column 'overhead_s', which "
                  "holds the time of parsing alone");
    if (!x.parsed && !(bandwidth > 0.0))
        args_fail(OPTION_FIT, "overhead", "needs %s: the overhead is the time beyond bytes / "
                  "bandwidth", NAME_OF(BANDWIDTH));
    if (x.parsed) bandwidth = HUGE_VAL;
    if (transfers_fit(x.bytes, x.time_s, x.count, bandwidth, &line) != SGDFIT_OK) {
        if (x.parsed) tool_fail("%s: sizes or times are too large for a number", x.file->name);
        tool_fail("%s: sizes or times are too large for a number, with %s %g B/s", x.file->name,
                  NAME_OF(BANDWIDTH), bandwidth);
    }
    measure_errors(&x, bandwidth, &line, &errors[POINT_FIT]);
    note_line(&x, &line);
    print_found(&out, &x, &line, errors);
    return output_flush(&out, EXIT_DONE);
}
