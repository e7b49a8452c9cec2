/* fields.h - rows of values that lie in memory at equal distances, as text: the one writer of
 * tables, on the screen and as CSV, and of long JSON arrays
 *
 *     field list[2];
 *     list[0] = field_whole("workers", &point->workers, sizeof *point);
 *     list[1] = field_number("step_s", &point->step_s, sizeof *point);
 *     rows_table(&out, list, 2, points);
 *
 * Nothing is called for a cell, and a number that stands above to the bit is copied. */
#ifndef TOOLS_BASE_FIELDS_H
#define TOOLS_BASE_FIELDS_H

#include "base/output.h"

typedef enum field_kind {
    FIELD_EMPTY = 0,
    FIELD_NUMBER,             /* double                                             */
    FIELD_WHOLE,              /* uint32_t                                           */
    FIELD_WORD,               /* unsigned or enum, the index of a word              */
    FIELD_LONG,               /* uint64_t; of a cell                                */
    FIELD_TEXT,               /* const spelling *; of a cell                        */
    FIELD_CELL                /* field_cell                                         */
} field_kind;

/* A text as it is written: with quotes, where it needs them. */
typedef struct spelling { size_t bytes, width; char text[1]; } spelling;

/* scratch: of this form, and empty before and behind. */
const spelling *fields_spell(output *scratch, const char *text);

/* A value of a column whose rows differ in kind. */
typedef struct field_cell {
    field_kind kind;
    union { double number; uint64_t whole; const spelling *text; } is;
} field_cell;

/* A column: of row i the value is at `first` + i stride. */
typedef struct field {
    const char        *name;
    field_kind         kind;
    const void        *first;
    size_t             stride; /* bytes; 0: all rows have the same value              */
    const char *const *words;  /* [count]                                             */
    size_t             count;
    size_t             longest; /* bytes of a text in cells                           */
    int                digits; /* of a number on the screen; 0: 5                     */
    const void        *when;   /* of an array: left out of rows where the unsigned or */
    unsigned           never;  /*   enum there, `stride` apart, is this; NULL: of none */
} field;

field field_empty(const char *name);
field field_number(const char *name, const double *first, size_t stride);
field field_whole(const char *name, const uint32_t *first, size_t stride);
field field_word(const char *name, const void *first, size_t stride, const char *const *words,
                 size_t count);

/* The same word in all rows; *word outlives them. */
field field_text(const char *name, const char *const *word);

field field_cells(const char *name, const field_cell *first, size_t stride, size_t longest);

/* Elements of a JSON array, each an object. Members that are the same in all, and objects
 * inside, are added to the output by json_*, in between; rows_json closes the element. */
typedef struct field_rows field_rows;
field_rows *fields_object(void);
output *fields_output(field_rows *r);
void fields_member(field_rows *r, const field *f);

/* ---- For rows.c and columns.c --------------------------------------------------- */

/* Of a table; on the screen its columns are as wide as these rows need. */
field_rows *fields_table(const field *fields, size_t width, size_t rows, unsigned form);

/* Closes an object, to which nothing can be added any more. */
void fields_end(field_rows *r);

/* Appends the names of the columns. */
void fields_head(const field_rows *r, output *out);

/* Appends rows `from` to `to` - 1. */
void fields_write(field_rows *r, size_t from, size_t to, output *out);

void fields_free(field_rows *r);

#endif /* TOOLS_BASE_FIELDS_H */
