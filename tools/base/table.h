/* table.h - tables of results */
#ifndef TOOLS_BASE_TABLE_H
#define TOOLS_BASE_TABLE_H

#include "base/output.h"

#include <stddef.h>
#include <stdint.h>

/* A table is filled cell by cell, row after row, and printed for a human (aligned,
 * numbers to `digits` significant digits) or as CSV (all digits). */
typedef struct table_column {
    const char *name;
    int         digits;       /* of a number in the human table; 0: 5               */
} table_column;

typedef struct result_table result_table;
result_table *table_new(const table_column *columns, size_t count); /* columns are copied  */
void table_text(result_table *t, const char *text);
void table_number(result_table *t, double value); /* not finite: "-", in CSV empty         */
void table_integer(result_table *t, uint64_t value);
void table_empty(result_table *t);                /* the same                              */

/* Appends it; format is FORMAT_TABLE or FORMAT_CSV. */
void table_print(result_table *t, output *out, output_format format);
void table_free(result_table *t);                 /* its cells, of which there are many     */

/* The next cell is of this column, which there is not yet where its row is the first one. */
void table_head(result_table *t, int first, const char *name, int digits);

/* A cell of CSV. */
void csv_quote(output *out, const char *text);

#endif /* TOOLS_BASE_TABLE_H */
