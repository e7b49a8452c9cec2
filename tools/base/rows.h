/* rows.h - results of many rows, printed in parts
 *
 *     rows_table(&out, fields, COUNT_OF(fields), count);
 *     return output_flush(&out, EXIT_DONE);
 *
 * Few rows stay in `out`, as ever. Many go to stdout in pieces of bounded size, behind what
 * `out` holds, as soon as they are made: page faults cost more than numbers to print. Very
 * many are written by several processes in turn, each as long as none after it. So nothing
 * that is wrong with the input may be left to find, and files are still out_rename_all's. */
#ifndef TOOLS_BASE_ROWS_H
#define TOOLS_BASE_ROWS_H

#include "base/fields.h"
#include "base/output.h"

/* A table of so many rows, as `out` is for; in CSV more may follow, of other memory. */
void rows_table(output *out, const field *fields, size_t width, size_t rows);
void rows_more(output *out, const field *fields, size_t width, size_t rows);

/* A JSON array of so many elements of fields_object, which is given back. */
void rows_json(output *out, const char *key, size_t rows, field_rows *elements);

#endif /* TOOLS_BASE_ROWS_H */
