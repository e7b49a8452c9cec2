/* jobtrace_inside.h - what the readers of public job traces share, beside jobtrace.h */
#ifndef TOOLS_FILES_JOBTRACE_INSIDE_H
#define TOOLS_FILES_JOBTRACE_INSIDE_H

#include "base/tool.h"
#include "files/jobtrace.h"

typedef struct jobtrace_reader {
    jobtrace   *trace;
    const jobtrace_text *text;
    const char *file;         /* whose lines are read                               */
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

/* Whole nodes of a number of them, rounded up but for errors of rounding. */
int jobtrace_whole_nodes(jobtrace_reader *r, size_t line, const char *column, double nodes,
                         uint32_t *whole);

/* "2017-10-07 01:11:39" to seconds since 1970 of a clock that is never changed; 0, and no
 * message, if it is no date. */
int jobtrace_date(const char *text, size_t length, double *seconds);

/* Does this stand for a time that was not recorded? */
int jobtrace_is_none(const char *text, size_t length);

/* ---- Formats: each in a file of its name */

int jobtrace_read_swf(jobtrace_reader *r);
int jobtrace_read_philly(jobtrace_reader *r);
int jobtrace_read_helios(jobtrace_reader *r);
int jobtrace_read_pai(jobtrace_reader *r, const jobtrace_text *submits);

#endif /* TOOLS_FILES_JOBTRACE_INSIDE_H */
