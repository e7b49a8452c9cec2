/* transfers.h - files of single transfers, and the line of what parsing adds [LYPG20, 3.2.1] */
#ifndef TOOLS_FILES_TRANSFERS_H
#define TOOLS_FILES_TRANSFERS_H

#include "base/csv.h"
#include "sgdperf_fit.h"

#define TRANSFERS_LEVEL 0.9            /* of the intervals                          */

typedef struct transfers {
    const csv_table *file;
    double *bytes;            /* [count]                                            */
    double *time_s;           /* [count] of a transfer; parsed: of its parsing alone */
    size_t  count;
    int     parsed;           /* the file has a column overhead_s                   */
} transfers;

/* Rows bytes,duration_s or bytes,overhead_s, or a log of phases, of which the transfers count. */
void transfers_read(transfers *x, const char *path);

/* The line through bytes and the seconds beyond bytes / bandwidth; through the seconds
 * themselves if the bandwidth is infinite. What is only rounding of the times is 0. */
sgdfit_status transfers_fit(const double *bytes, const double *time_s, size_t n, double bandwidth,
                            sgdfit_straight *line);

#endif /* TOOLS_FILES_TRANSFERS_H */
