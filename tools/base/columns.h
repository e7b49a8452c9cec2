/* columns.h - results in rows: each column is said once, for the screen, CSV and JSON
 *
 *     columns c = columns_open(out, ALL, "schemes");
 *     for (i = 0; columns_next(&c, i < count); i++) {
 *         column_text(&c, ALL, "scheme", scheme_names[o[i].scheme]);
 *         column_number(&c, ALL, "iteration_s", o[i].iteration_s);
 *         column_round(&c, TABLES, "waiting", 3, o[i].waiting);
 *         column_whole(&c, DATA, "staleness_max", o[i].staleness_max);
 *     }
 *
 * appends to an output of form SCREEN a table, of form CSV rows, and of form JSON an array
 * `schemes` of objects. What else a JSON object holds is added in between by json_*, which
 * append nothing to outputs of other forms, as output_print does to those for programs. */
#ifndef TOOLS_BASE_COLUMNS_H
#define TOOLS_BASE_COLUMNS_H

#include "base/output.h"

typedef struct result_table result_table;

typedef struct columns {
    output              *out;
    unsigned             in;      /* the form of `out`, or 0: nothing is appended   */
    const char          *key;
    result_table        *table;   /* of the screen and CSV                          */
    size_t               rows;
    int                  heading; /* no row: names alone                            */
} columns;

/* in: the forms that have it at all. key: of the JSON array; NULL: no array, and the
 * members of a row are added to the object that is open. */
columns columns_open(output *out, unsigned in, const char *key);
void columns_row(columns *c);
void columns_close(columns *c);

/* For a loop over rows: a row if there is one, else the end. Returns is_one. */
int columns_next(columns *c, int is_one);

/* Of a table that may have no rows: a row if there is one, else the names of columns alone,
 * whose values are not looked at. Returns is_one. */
int columns_row_if(columns *c, int is_one);

/* A column of the forms `in`, and what stands there in this row. All rows have the same
 * columns in tables; names are copied. What is missing, NULL or not finite, is "-" on the
 * screen, empty in CSV and null in JSON. */
void column_text(columns *c, unsigned in, const char *name, const char *text);
void column_number(columns *c, unsigned in, const char *name, double value);
void column_whole(columns *c, unsigned in, const char *name, uint64_t value);
void column_missing(columns *c, unsigned in, const char *name);

/* With so many digits on the screen, where others have 5. */
void column_round(columns *c, unsigned in, const char *name, int digits, double value);

/* Missing unless it is known. */
double known_if(int known, double value);
void column_whole_if(columns *c, unsigned in, const char *name, int known, uint64_t value);

#endif /* TOOLS_BASE_COLUMNS_H */
