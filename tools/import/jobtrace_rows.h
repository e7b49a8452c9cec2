/* jobtrace_rows.h - what the readers of public job traces share, beside jobtrace.h
 *
 * A log that is a table declares its columns and reads a row at a time:
 *
 *     enum { NAME, WIDTH, COLUMNS };
 *     static const jobtrace_field fields[COLUMNS] = {
 *         [NAME] = {{"job_id"}, JOBTRACE_REQUIRED, NULL}, ...
 *     };
 *     jobtrace_load(r, r->text);
 *     jobtrace_open(r, &csv_commas, fields, COLUMNS);
 *     for (row = 0; row < r->in->csv.rows; row++) {
 *         jobtrace_job job = jobtrace_begin(r, row, NAME, 1);
 *         (void)jobtrace_number(r, row, WIDTH, NUMBER_NON_NEGATIVE, &width);
 *         ...
 *         jobtrace_keep(r, &job);
 *     } */
#ifndef TOOLS_IMPORT_JOBTRACE_ROWS_H
#define TOOLS_IMPORT_JOBTRACE_ROWS_H

#include "base/csv.h"
#include "import/jobtrace.h"

enum { JOBTRACE_FIELDS = 12 };

typedef enum jobtrace_need {
    JOBTRACE_OPTIONAL = 0, JOBTRACE_REQUIRED,
    JOBTRACE_EITHER           /* required, and the message names two                */
} jobtrace_need;

/* A column of a table. */
typedef struct jobtrace_field {
    const char   *name[3];    /* the first of these that the file has               */
    jobtrace_need need;
    int         (*blank)(const char *text); /* of a cell that tells no number; NULL: none  */
} jobtrace_field;

typedef struct jobtrace_table {
    csv_table   csv;
    const jobtrace_field *field;
    int         column[JOBTRACE_FIELDS]; /* of each field, or CSV_NONE              */
    const char *name[JOBTRACE_FIELDS]; /* of each, for messages                     */
} jobtrace_table;

/* How long jobs run, where the log does not say. */
typedef struct jobtrace_times {
    name_index  key;          /* curve and nodes                                    */
    double     *value;        /* [key.count]                                        */
    const char *file;         /* NULL: there are none                               */
} jobtrace_times;

typedef struct jobtrace_reader {
    jobtrace   *trace;
    stream     *text;
    const jobtrace_options *options;
    const char *file;         /* whose lines are read                               */
    jobtrace_table table[2], *in; /* the log and what else is read; which of both   */
    jobtrace_times times;
    name_index  components;   /* of heterogeneous jobs                              */
    double      parts;        /* of nodes of the job that is read; 0: none          */
    char       *data;         /* [length + 1] of a table that jobtrace_load has read */
    size_t      length;
} jobtrace_reader;

/* "FILE:LINE: ..."; of a cell "FILE:LINE: column 'NAME': 'TEXT' what". */
TOOL_NORETURN void jobtrace_fail(const jobtrace_reader *r, size_t line, const char *format, ...)
    TOOL_PRINTF(3, 4);
TOOL_NORETURN void jobtrace_fail_cell(const jobtrace_reader *r, size_t row, size_t which,
                                      const char *what);

/* ---- Jobs */

/* The number of a job's name; refuses an empty one, and a second time. */
size_t jobtrace_new_name(jobtrace_reader *r, size_t line, const char *column, const char *text,
                         size_t length);

/* The job of a row, without anything but its name: the field's, or where the file has no such
 * column the row's number, counted from `first`. */
jobtrace_job jobtrace_begin(jobtrace_reader *r, size_t row, size_t which, size_t first);

/* Whole nodes of a number of them, rounded up but for errors of rounding; jobtrace_keep
 * counts it then. */
uint32_t jobtrace_whole_nodes(jobtrace_reader *r, size_t line, const char *column, double nodes);

/* Keeps a job that ran on nodes, and counts one that did not. */
void jobtrace_keep(jobtrace_reader *r, const jobtrace_job *job);

/* ---- Times */

/* "2017-10-07 01:11:39" to seconds since 1970 of a clock that is never changed; 0: it is no
 * date. */
int jobtrace_date(const char *text, size_t length, double *seconds);

/* "2020-06-09T18:41:01.5+02:00", of which all behind the minutes may be missing, to seconds
 * since 1970, of UTC where it has a zone. 0: it is none. */
int jobtrace_stamp(const char *text, double *seconds);

/* "1-02:03:04.5", "1-02:03", "1-02", "02:03:04", "03:04" or "1 days 02:03:04" to
 * seconds. 0: it is none. */
int jobtrace_clock(const char *text, double *seconds);

/* Does this stand for a time that was not recorded: "" or "None"? And what else is written
 * for a number of which nothing is known. */
int jobtrace_is_none(const char *text);
int jobtrace_is_unknown(const char *text);

/* ---- Tables */

/* Fails where the stream has ended before its file. */
void jobtrace_check_end(const stream *text);

/* Reads a table into r->data, with empty lines in place of comments, for jobtrace_open. */
void jobtrace_load(jobtrace_reader *r, stream *text);

/* Brings r->data into *r->in and finds its columns: by name, or where it has no header by their
 * order. */
void jobtrace_open(jobtrace_reader *r, const csv_layout *layout, const jobtrace_field *field,
                   size_t fields);

/* Is there such a column? Its cell; "" where there is none. */
int jobtrace_has(const jobtrace_reader *r, size_t which);
const char *jobtrace_cell(const jobtrace_reader *r, size_t row, size_t which);

/* 1 and the number of a cell; 0 where it is blank, and *value stays. */
int jobtrace_number(const jobtrace_reader *r, size_t row, size_t which, number_rule rule,
                    double *value);

/* Rows curve,nodes and `column` of --trace-times into r->times; what they say of a row's job. */
void jobtrace_read_times(jobtrace_reader *r, const char *column);
double jobtrace_time_of(const jobtrace_reader *r, size_t row, size_t which, uint32_t nodes);

/* ---- Formats: each in a file of its name */

void jobtrace_read_swf(jobtrace_reader *r);
void jobtrace_read_philly(jobtrace_reader *r);
void jobtrace_read_helios(jobtrace_reader *r);
void jobtrace_read_pai(jobtrace_reader *r);
void jobtrace_read_sacct(jobtrace_reader *r);
void jobtrace_read_sia(jobtrace_reader *r);
void jobtrace_read_gavel(jobtrace_reader *r);
void jobtrace_read_csv(jobtrace_reader *r);

#endif /* TOOLS_IMPORT_JOBTRACE_ROWS_H */
