/* rows.h - results of many rows, printed as they are made
 *
 *     static void add_point(void *ctx, size_t i, result_table *t) { table_number(t, ...); }
 *     ...
 *     rows_table(&out, columns, COUNT_OF(columns), count, add_point, ctx, FORMAT_CSV);
 *     return output_flush(&out, EXIT_DONE);
 *
 * Few rows stay in `out`, as ever. Many go to stdout in pieces of bounded size, behind what
 * `out` holds, as soon as they are made: page faults cost more than numbers to print. Very
 * many are written by several processes in turn, each as long as none after it. So nothing
 * that is wrong with the input may be left to find, and files are still out_rename_all's. */
#ifndef TOOLS_BASE_ROWS_H
#define TOOLS_BASE_ROWS_H

#include "base/tool.h"

/* At most so many processes print [1]; what is printed does not depend on it. */
void rows_use(size_t processes);

/* Adds the cells of row i. It is called more than once for each row, in any order. */
typedef void (*rows_cells)(void *ctx, size_t i, result_table *t);

/* A table of so many rows, as of table_new and table_print. */
void rows_table(output *out, const table_column *columns, size_t width, size_t rows,
                rows_cells cells, void *ctx, output_format format);

/* Appends element i of a JSON array. */
typedef void (*rows_element)(void *ctx, size_t i, output *out);

void rows_json(output *out, const char *key, size_t rows, rows_element element, void *ctx);

/* tool_alloc, of what is filled from end to end: in large pages, where the system has them,
 * as there is a fault for each. */
void *rows_alloc(size_t count, size_t size);

#endif /* TOOLS_BASE_ROWS_H */
