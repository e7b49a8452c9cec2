/* transfers.c - files of single transfers, and the line of what parsing adds */
#include "files/transfers.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-12                 /* of a time                                 */

void transfers_read(transfers *x, const char *path)
{
    const csv_table *t = csv_read(path, 0);
    const int bytes = csv_require(t, "bytes"), phase = csv_column(t, "phase");
    const int parsed = csv_column(t, "overhead_s");
    const int timed = parsed == CSV_NONE && csv_column(t, "duration_s") == CSV_NONE;
    const int from = timed ? csv_require(t, "start_s") : CSV_NONE;
    const int to = parsed != CSV_NONE ? parsed : csv_require(t, timed ? "end_s" : "duration_s");
    x->file = t;
    x->parsed = parsed != CSV_NONE;
    x->bytes = (double *)tool_alloc(t->rows, sizeof *x->bytes);
    x->time_s = (double *)tool_alloc(t->rows, sizeof *x->time_s);
    for (size_t i = 0; i < t->rows; i++) {
        const char *word = phase == CSV_NONE ? "uplink" : csv_text(t, i, phase);
        if (strcmp(word, "uplink") != 0 && strcmp(word, "downlink") != 0) continue;
        double time_s = csv_number(t, i, to, NUMBER_ANY);
        if (timed) time_s -= csv_number(t, i, from, NUMBER_ANY);
        if (!(time_s > 0.0)) csv_fail(t, i, to, x->parsed
                                        ? "the parsing takes no time: leave the row out"
                                        : "the duration of a transfer must be above 0");
        x->bytes[x->count] = csv_number(t, i, bytes, NUMBER_NON_NEGATIVE);
        x->time_s[x->count++] = time_s;
    }
    if (x->count == 0) tool_fail("%s: the file has no transfers", t->name);
}

sgdfit_status transfers_fit(const double *bytes, const double *time_s, size_t n, double bandwidth,
                            sgdfit_straight *line)
{
    double *beyond_s = (double *)tool_alloc(n, sizeof *beyond_s), longest_s = 0.0, most = 0.0;
    for (size_t i = 0; i < n; i++) {
        beyond_s[i] = time_s[i] - bytes[i] / bandwidth;
        longest_s = fmax(longest_s, time_s[i]);
        most = fmax(most, bytes[i]);
    }
    const sgdfit_status status = sgdfit_line(bytes, beyond_s, n, TRANSFERS_LEVEL, line);
    if (status != SGDFIT_OK) return status;
    if (fabs(line->slope) * most < ROUNDING * longest_s) line->slope = 0.0;
    if (fabs(line->intercept) < ROUNDING * longest_s) line->intercept = 0.0;
    return SGDFIT_OK;
}
