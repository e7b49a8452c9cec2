/* csv.h - CSV files: what is in them, checked */
#ifndef TOOLS_BASE_CSV_H
#define TOOLS_BASE_CSV_H

#include "base/numbers.h"
#include "base/tool.h"

#include <stddef.h>
#include <stdint.h>

/* A file in memory: UTF-8 (a byte order mark is skipped), RFC 4180 quoting, LF or CRLF,
 * header row, lines starting with '#' and empty ones skipped. All columns are kept. */
typedef struct csv_table {
    const char *name;         /* of the file, for messages                          */
    size_t      rows;         /* without the header                                 */
    int         columns;
    size_t      header_line;  /* in the file, from 1                                */
    char      **header;       /* [columns] names, distinct                          */
    char      **cells;        /* [rows][columns] unquoted text                      */
    size_t     *line;         /* [rows] in the file, from 1                         */
    char       *text;         /* what header and cells point into                   */
    struct csv_wanted *wanted; /* columns asked for, of a file; else NULL           */
} csv_table;

enum {                        /* flags                                              */
    CSV_ALLOW_EMPTY = 1,      /* a table without rows is fine                       */
    CSV_NO_HEADER   = 2,      /* the first line is a row: columns have no names,    */
                              /*   and `header` is its cells                        */
    CSV_WATCH       = 4       /* of csv_parse: columns misspelt are noted, as by    */
};                            /*   csv_read, by csv_free at the latest              */
enum { CSV_NONE = -1 };       /* the column that is not there                       */

/* How a table is written. But for commas, an unquoted cell may hold quotes, and where the
 * header ends in a separator, as sacct -p has it, no cell is behind that, nor in the rows. */
typedef struct csv_layout {
    char        separator;
    int         quotes;       /* those around a cell are no part of it              */
    unsigned    flags;
    const char *hint;         /* but for commas: ends the message over a row with   */
                              /*   more cells than the first                        */
    const char *alone;        /* what is wrong with a header of one cell; NULL:     */
} csv_layout;                 /*   nothing                                          */

extern const csv_layout csv_commas; /* with a header                                */

/* The file at `path`, "-" being stdin; lives until the program ends. */
const csv_table *csv_read(const char *path, unsigned flags);

/* Where it is set: what a file is that is no CSV, as the end of a sentence about it; NULL:
 * nothing is known against it. csv_read fails over such a file. */
extern const char *(*csv_foreign)(const char *data, size_t length);

/* The parser itself: 1 and the table, which csv_free releases, or 0 and in `message`
 * what is wrong and where: "name:3: a row of 4 cells under a header of 6". `name`
 * must outlive the table, `data` need not. */
int csv_parse(csv_table *table, const char *name, const char *data, size_t length,
              unsigned flags, char *message, size_t message_bytes);
int csv_parse_as(csv_table *table, const char *name, const char *data, size_t length,
                 const csv_layout *layout, char *message, size_t message_bytes);
/* The same with data[length + 1] of malloc, which the table owns from now on. */
int csv_take_as(csv_table *table, const char *name, char *data, size_t length,
                const csv_layout *layout, char *message, size_t message_bytes);
void csv_free(csv_table *table);

/* Index or CSV_NONE. Where a column of the file that nobody asks for is called nearly
 * like one that is not there, a note says so in the end. */
int csv_column(const csv_table *table, const char *name);
int csv_find(const csv_table *table, const char *name); /* without such notes        */
int csv_require(const csv_table *table, const char *name); /* index, or fails       */
/* Fails where several of these columns are missing, with all of them. */
void csv_require_all(const csv_table *table, const char *const *name, size_t names);
#define CSV_REQUIRE(table, ...)                                                       \
    csv_require_all(table, (const char *const[]){__VA_ARGS__},                        \
                    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

const char *csv_text(const csv_table *table, size_t row, int column);
size_t csv_line(const csv_table *table, size_t row);

/* True also for a column that is not there (CSV_NONE). */
int csv_is_empty(const csv_table *table, size_t row, int column);

/* A cell as a number, or fails: "FILE:LINE: column 'think_s': -3 is negative". */
double csv_number(const csv_table *table, size_t row, int column, number_rule rule);
uint64_t csv_integer(const csv_table *table, size_t row, int column, uint64_t min,
                     uint64_t max);

/* The same; `fallback` where csv_is_empty. */
double csv_number_or(const csv_table *table, size_t row, int column, number_rule rule,
                     double fallback);
const char *csv_text_or(const csv_table *table, size_t row, int column, const char *fallback);

/* A path given in the table's file, relative to its folder; stdin is in the current one. */
const char *csv_beside(const csv_table *table, const char *path);
uint64_t csv_integer_or(const csv_table *table, size_t row, int column, uint64_t min,
                        uint64_t max, uint64_t fallback);

/* Index of a cell's word among words[count], or fails naming them all. */
size_t csv_choice(const csv_table *table, size_t row, int column,
                  const char *const *words, size_t count);

/* Fails unless the texts in column[count] together differ from row to row. */
void csv_unique(const csv_table *table, const int *column, size_t count);

/* Fails with a reason of the caller's: "FILE:LINE: column 'x': reason"; without the
 * column for CSV_NONE. */
TOOL_NORETURN void csv_fail(const csv_table *table, size_t row, int column,
                            const char *reason, ...) TOOL_PRINTF(4, 5);

/* ---- Misspelt columns ----------------------------------------------------- */

/* csv_read watches what is asked of a table: this notes the columns that are called nearly
 * like a missing one, of all tables so far. */
void csv_note_columns(void);

/* ---- Tasks ---------------------------------------------------------------- */

/* Gives back what csv_read has read in it. */
void csv_end_task(void);

#endif /* TOOLS_BASE_CSV_H */
