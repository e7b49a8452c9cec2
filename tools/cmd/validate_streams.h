/* validate_streams.h - sgdperf validate: files of recorded streams, columns of errors */
#ifndef TOOLS_CMD_VALIDATE_STREAMS_H
#define TOOLS_CMD_VALIDATE_STREAMS_H

#include "base/columns.h"
#include "options/args.h"
#include "sgdperf_fit.h"

/* Columns of errors: percent on the screen, else fractions. */
void validate_print_errors(columns *t, const sgdfit_error_statistics *e);

/* Columns of bounds, and whether the errors keep them. */
typedef struct validate_bound { int known, ok; double mean, max; } validate_bound;
void validate_print_bound(columns *t, int with_bounds, const validate_bound *b);

/* The bound of a dataset and model; ok without one. */
validate_bound validate_find_bound(const char *path, const char *dataset, const char *model,
                                   const sgdfit_error_statistics *e);

/* Are the files recorded streams? If so, validate_streams predicts their ends, and returns the
 * exit status. */
int validate_has_streams(const args *a);
int validate_streams(const args *a);

#endif /* TOOLS_CMD_VALIDATE_STREAMS_H */
