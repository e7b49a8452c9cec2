/* jobtrace_rows.h - what the readers of public job traces share, beside jobtrace.h */
#ifndef TOOLS_IMPORT_JOBTRACE_ROWS_H
#define TOOLS_IMPORT_JOBTRACE_ROWS_H

#include "base/csv.h"
#include "base/numbers.h"
#include "base/tool.h"
#include "import/jobtrace.h"

typedef struct jobtrace_reader {
    jobtrace   *trace;
    const jobtrace_text *text;
    const jobtrace_options *options;
    const char *file;         /* whose lines are read                               */
    double      parts;        /* of nodes of the job that is read; 0: none          */
    char       *message;
    size_t      message_bytes;
} jobtrace_reader;

/* Functions that return int return 1, or 0 with a message. */

/* Writes the message: what is wrong in a line. Always 0, to be returned. */
int jobtrace_wrong(jobtrace_reader *r, size_t line, const char *format, ...) TOOL_PRINTF(3, 4);

/* ---- Jobs */

/* The number of a job's name; refuses an empty one, and a second time. */
int jobtrace_new_name(jobtrace_reader *r, size_t line, const char *column, const char *text,
                      size_t length, size_t *name);

/* Keeps a job that ran on nodes, and counts one that did not. */
int jobtrace_keep(jobtrace_reader *r, const jobtrace_job *job);

/* ---- Cells */

/* Columns by name, each in the file or refused. */
int jobtrace_find_columns(jobtrace_reader *r, const csv_table *t, const char *const *name,
                          int *column, size_t count);

int jobtrace_number(jobtrace_reader *r, size_t line, const char *column, const char *text,
                    number_rule rule, double *value);

/* Whole nodes of a number of them, rounded up but for errors of rounding; jobtrace_keep
 * counts it then. */
int jobtrace_whole_nodes(jobtrace_reader *r, size_t line, const char *column, double nodes,
                         uint32_t *whole);

/* "2017-10-07 01:11:39" to seconds since 1970 of a clock that is never changed; 0, and no
 * message, if it is no date. */
int jobtrace_date(const char *text, size_t length, double *seconds);

/* Does this stand for a time that was not recorded? */
int jobtrace_is_none(const char *text, size_t length);

/* The same, and what else is written for a time of which nothing is known. */
int jobtrace_is_unknown(const char *text);

/* "2020-06-09T18:41:01.5+02:00", of which all behind the minutes may be missing, to seconds
 * since 1970, of UTC where it has a zone. 0: it is none. */
int jobtrace_stamp(const char *text, double *seconds);

/* "1-02:03:04.5", "1-02:03", "1-02", "02:03:04", "03:04" or "1 days 02:03:04" to
 * seconds. 0: it is none. */
int jobtrace_clock(const char *text, double *seconds);

/* ---- Tables */

/* A table of cells between separators, as csv_parse would have it; only of commas, and where
 * `quotes`, quotes around a cell are no part of it. `hint` ends the message over a row with
 * more cells than the first. */
typedef struct jobtrace_layout {
    char        separator;
    int         quotes;
    unsigned    flags;        /* csv_parse's                                        */
    const char *hint;
    const char *alone;        /* what is wrong with a first row of one cell; NULL:  */
} jobtrace_layout;            /*   nothing                                          */

int jobtrace_table(jobtrace_reader *r, const jobtrace_text *text, const jobtrace_layout *layout,
                   csv_table *t);

/* The first of the names, up to NULL, that is a column; CSV_NONE. */
int jobtrace_any_column(const csv_table *t, const char *const *names);

/* ---- How long jobs run, where the log does not say */

typedef struct jobtrace_times {
    name_index  key;          /* curve and nodes                                    */
    double     *value;        /* [key.count]                                        */
    const char *file;
} jobtrace_times;

/* Rows curve,nodes and `column`. */
int jobtrace_read_times(jobtrace_reader *r, const char *column, jobtrace_times *times);
int jobtrace_time_of(jobtrace_reader *r, size_t line, const jobtrace_times *times,
                     const char *curve, uint32_t nodes, double *value);
void jobtrace_free_times(jobtrace_times *times);

/* ---- Formats: each in a file of its name */

int jobtrace_read_swf(jobtrace_reader *r);
int jobtrace_read_philly(jobtrace_reader *r);
int jobtrace_read_helios(jobtrace_reader *r);
int jobtrace_read_pai(jobtrace_reader *r);
int jobtrace_read_sacct(jobtrace_reader *r);
int jobtrace_read_sia(jobtrace_reader *r);
int jobtrace_read_gavel(jobtrace_reader *r);
int jobtrace_read_csv(jobtrace_reader *r);

#endif /* TOOLS_IMPORT_JOBTRACE_ROWS_H */
