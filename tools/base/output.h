/* output.h - results under construction: text, JSON */
#ifndef TOOLS_BASE_OUTPUT_H
#define TOOLS_BASE_OUTPUT_H

#include "base/tool.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Forms of a result, and in which of these there is something. */
enum {
    SCREEN = 1, CSV = 2, JSON = 4, TABLES = SCREEN | CSV, DATA = CSV | JSON, ALL = SCREEN | DATA
};

enum { OUTPUT_DEPTH = 16 };   /* of nested JSON                                     */

/* The result under construction; {0} to begin. */
typedef struct output {
    unsigned form;            /* text for other ones is not appended; 0: all is     */
    char  *text;              /* [length], not terminated                           */
    size_t length, capacity;
    char   closing[OUTPUT_DEPTH]; /* the brackets still open                        */
    size_t depth;
    int    comma;             /* something stands before the next JSON value        */
    int    is_object;         /* JSON, which output_flush gives its schema and notes; */
                              /*   2: its beginning is written                      */
} output;

/* Appends text for a human reader. */
void output_print(output *out, const char *format, ...) TOOL_PRINTF(2, 3);

/* Writes everything to stdout, gives the files of out_commit their names, then writes the
 * notes, and returns exit_status, to be returned by the command. Fails if stdout takes no
 * more, and files then are as they were. */
int output_flush(output *out, int exit_status);

/* What output_flush puts first into a JSON object: "schema":"sgdperf.balance.gpu/1" for
 * the command "balance gpu", which args_parse sets; NULL: nothing. */
void output_schema(const char *command);

/* Appends a text of --help, with its headings: "usage:", and each single line at the margin
 * over lines that are further in. */
void output_help(output *out, const char *help);

/* ---- JSON ----------------------------------------------------------------- */

/* JSON, on one line. key: the member's name; NULL in an array and outermost. */
void json_object(output *out, const char *key);
void json_array(output *out, const char *key);
void json_end(output *out);   /* of the innermost object or array                   */
void json_number(output *out, const char *key, double value); /* not finite: null  */
void json_integer(output *out, const char *key, uint64_t value);
void json_bool(output *out, const char *key, int value);
void json_null(output *out, const char *key);
void json_string(output *out, const char *key, const char *text); /* NULL: null     */
void json_numbers(output *out, const char *key, const double *value, size_t count);

/* ---- Pieces --------------------------------------------------------------- */

/* Room for so many bytes more at least. */
void output_grow(output *out, size_t bytes);

/* The next `bytes` at the end, which the caller fills. */
static inline char *output_room(output *out, size_t bytes)
{
    if (bytes > out->capacity - out->length) output_grow(out, bytes);
    out->length += bytes;
    return out->text + out->length - bytes;
}

static inline void output_bytes(output *out, const char *bytes, size_t count)
{
    if (count > 0) memcpy(output_room(out, count), bytes, count);
}

/* A cell of CSV; a string of JSON; what stands before a value of JSON, if key is not NULL with
 * the key, and 0 where the output is for others. */
void csv_quote(output *out, const char *text);
void json_quote(output *out, const char *text);
int json_begin(output *out, const char *key);

/* Writes what there is so far to stdout, and goes on with nothing; output_flush ends. Fails
 * if stdout takes no more. */
void output_send(output *out);

/* Where it is set: is called before anything is written, and may fail. */
extern void (*output_check)(void);

#endif /* TOOLS_BASE_OUTPUT_H */
