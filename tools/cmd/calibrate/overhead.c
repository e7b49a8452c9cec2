/* overhead.c - calibrate --fit overhead: what parsing adds to transfers [LYPG20, 3.2.1] */
#include "base/columns.h"
#include "cmd/calibrate/calibrate.h"
#include "files/status.h"

#include "sgdperf_sim.h"

#include <string.h>

/* ---- Transfers ------------------------------------------------------------- */

typedef struct transfers {
    const csv_table *file;
    double *bytes, *service_s; /* [count]                                            */
    size_t  count;
} transfers;

/* Rows bytes,duration_s, or a log of phases, of which the transfers count. */
static void read_transfers(transfers *x, const char *path)
{
    const csv_table *t = csv_read(path, 0);
    const int bytes = csv_require(t, "bytes"), phase = csv_column(t, "phase");
    const int timed = csv_column(t, "duration_s") == CSV_NONE;
    const int from = timed ? csv_require(t, "start_s") : CSV_NONE;
    const int to = csv_require(t, timed ? "end_s" : "duration_s");
    x->file = t;
    x->bytes = (double *)tool_alloc(t->rows, sizeof *x->bytes);
    x->service_s = (double *)tool_alloc(t->rows, sizeof *x->service_s);
    for (size_t i = 0; i < t->rows; i++) {
        const char *word = phase == CSV_NONE ? "uplink" : csv_text(t, i, phase);
        if (strcmp(word, "uplink") != 0 && strcmp(word, "downlink") != 0) continue;
        double service_s = csv_number(t, i, to, NUMBER_ANY);
        if (timed) service_s -= csv_number(t, i, from, NUMBER_ANY);
        if (!(service_s > 0.0)) csv_fail(t, i, to, "the transfer takes no time");
        x->bytes[x->count] = csv_number(t, i, bytes, NUMBER_NON_NEGATIVE);
        x->service_s[x->count++] = service_s;
    }
    if (x->count == 0) tool_fail("%s: the file has no transfers", t->name);
}

/* ---- Results --------------------------------------------------------------- */

/* Errors of what a transfer is predicted to take. */
static void measure_errors(const transfers *x, double bandwidth, const sgdsim_overhead *found,
                           sgdfit_error_statistics *errors)
{
    double *predicted = (double *)tool_alloc(x->count, sizeof *predicted);
    const sgdfit_rows rows = {.predicted = predicted, .measured = x->service_s, .n = x->count};
    for (size_t i = 0; i < x->count; i++)
        predicted[i] = x->bytes[i] / bandwidth + found->s_per_byte * x->bytes[i] + found->s;
    *errors = errors_over(&rows, x->file->name);
}

static void print_found(output *out, const transfers *x, const sgdsim_overhead *found,
                        const sgdfit_error_statistics errors[POINT_ROLES])
{
    const char *const name[] = {"overhead_s_per_byte", "overhead_s"};
    const double value[] = {found->s_per_byte, found->s};
    output_print(out, "parsing, fitted to %lu transfer%s\n", COUNTED(x->count));
    json_object(out, NULL);
    json_object(out, "fitted");
    columns c = columns_open(out, TABLES, NULL);
    for (size_t i = 0; i < COUNT_OF(name); i++) {
        json_number(out, name[i], value[i]);
        columns_row(&c);
        column_text(&c, ALL, "fitted", name[i]);
        column_round(&c, ALL, "value", 6, value[i]);
    }
    columns_close(&c);
    json_end(out);
    output_print(out, "\nsimulate --overhead %.6g,%.6g\n\nrelative errors of the times\n",
                 found->s_per_byte, found->s);
    print_errors(out, errors, POINT_FIT + 1);
    json_end(out);
}

/* A line through what the link does not explain needs sizes that differ. */
static void note_sizes(const transfers *x, const sgdsim_overhead *found)
{
    size_t i = 1;
    while (i < x->count && !(x->bytes[i] < x->bytes[0]) && !(x->bytes[i] > x->bytes[0])) i++;
    if (i >= x->count)
        tool_note("one-size",
                  "%s: all transfers have one size, so the parsing time per byte is unknown: add "
                  "transfers of another size", x->file->name);
    else if (!(found->s_per_byte > 0.0) && !(found->s > 0.0))
        tool_note("no-overhead", "%s: no transfer takes longer than its bytes / %s: there is no "
                  "overhead to fit", x->file->name, NAME_OF(BANDWIDTH));
}

int calibrate_overhead(const args *a)
{
    transfers x = {0};
    sgdsim_overhead found = {0};
    sgdfit_error_statistics errors[POINT_ROLES] = {{0}};
    output out = {0};
    const double bandwidth = args_number(a, OPTION_BANDWIDTH, 0.0);
    if (!(bandwidth > 0.0))
        args_fail(OPTION_FIT, "overhead", "needs %s: the overhead is the time beyond bytes / "
                  "bandwidth", NAME_OF(BANDWIDTH));
    read_transfers(&x, a->files[0]);
    if (sgdsim_overhead_fit(x.bytes, x.service_s, x.count, bandwidth, &found) != SGDSIM_OK)
        tool_fail("%s: sizes or times are too large for a number, with %s %g B/s", x.file->name,
                  NAME_OF(BANDWIDTH), bandwidth);
    measure_errors(&x, bandwidth, &found, &errors[POINT_FIT]);
    note_sizes(&x, &found);
    out.form = args_form(a);
    print_found(&out, &x, &found, errors);
    return output_flush(&out, EXIT_DONE);
}
