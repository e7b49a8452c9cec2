/* output.c - results: JSON, and tables printed for a human or as CSV */
#include "base/inside.h"

#include <float.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int is_finite(double x) { return x >= -DBL_MAX && x <= DBL_MAX; }

/* ---- Text ------------------------------------------------------------------ */

/* Room for `bytes` more at the end, which the caller fills. */
static char *output_room(output *out, size_t bytes)
{
    char *room;
    if (bytes > (size_t)-1 - out->length) tool_fail("out of memory");
    if (out->length + bytes > out->capacity)
        out->text = (char *)tool_grow(out->text, out->length, &out->capacity,
                                      out->length + bytes, 1);
    room = out->text + out->length;
    out->length += bytes;
    return room;
}

static void output_bytes(output *out, const char *bytes, size_t count)
{
    if (count > 0) memcpy(output_room(out, count), bytes, count);
}

static void output_text(output *out, const char *text)
{
    output_bytes(out, text, strlen(text));
}

static void output_char(output *out, char c) { output_bytes(out, &c, 1); }

void output_print(output *out, const char *format, ...)
{
    char brief[256];
    va_list arguments;
    int length;
    va_start(arguments, format);
    length = vsnprintf(brief, sizeof brief, format, arguments);
    va_end(arguments);
    if (length < 0) tool_fail("cannot format the results");
    if ((size_t)length < sizeof brief) {
        output_bytes(out, brief, (size_t)length);
        return;
    }
    va_start(arguments, format);
    vsnprintf(output_room(out, (size_t)length + 1), (size_t)length + 1, format, arguments);
    va_end(arguments);
    out->length--;                     /* vsnprintf's terminator */
}

static char json_schema[64];  /* "schema":"...", or empty                           */

void output_schema(const char *command)
{
    char *p;
    json_schema[0] = '\0';
    if (command)
        snprintf(json_schema, sizeof json_schema, "\"schema\":\"sgdperf.%s/1\"", command);
    for (p = json_schema; *p != '\0'; p++)
        if (*p == ' ') *p = '.';
}

int output_flush(output *out, int exit_status)
{
    const char *text = out->text ? out->text : "";
    size_t length = out->length;
    parallel_check_dealt();
    if (out->is_object && json_schema[0] != '\0') {
        text++;                        /* the opening bracket */
        length--;
        printf("{%s%s", json_schema, *text == '}' ? "" : ",");
    }
    if (fwrite(text, 1, length, stdout) != length || fflush(stdout) != 0)
        tool_fail("cannot write the results to standard output");
    out_rename_all();
    out->length = 0;
    out->is_object = 0;
    csv_note_columns();
    tool_print_notes();
    return exit_status;
}

/* ---- JSON ------------------------------------------------------------------ */

/* Bytes that are not UTF-8 become U+FFFD: a file's name may hold any. */
static void json_quote(output *out, const char *text)
{
    output_char(out, '"');
    while (*text != '\0') {
        const unsigned char c = (unsigned char)*text;
        const size_t length = utf8_length(text);
        if (length == 0) output_text(out, "\\ufffd");
        else if (c == '"' || c == '\\') output_print(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7F) output_print(out, "\\u%04x", (unsigned)c);
        else output_bytes(out, text, length);
        text += length > 0 ? length : 1;
    }
    output_char(out, '"');
}

/* The comma and the key before any value. */
static void json_begin(output *out, const char *key)
{
    if (out->comma) output_char(out, ',');
    out->comma = 1;
    if (key) { json_quote(out, key); output_char(out, ':'); }
}

static void json_open(output *out, const char *key, const char *brackets)
{
    json_begin(out, key);
    if (out->depth == OUTPUT_DEPTH) tool_fail("JSON nested too deeply");
    out->closing[out->depth++] = brackets[1];
    output_char(out, brackets[0]);
    out->comma = 0;
}

void json_object(output *out, const char *key)
{
    if (out->length == 0) out->is_object = 1;
    json_open(out, key, "{}");
}

void json_array(output *out, const char *key) { json_open(out, key, "[]"); }

void json_end(output *out)
{
    output_char(out, out->closing[--out->depth]);
    out->comma = 1;
    if (out->depth == 0) { output_char(out, '\n'); out->comma = 0; }
}

void json_number(output *out, const char *key, double value)
{
    char text[NUMBER_BYTES];
    if (!is_finite(value)) { json_null(out, key); return; }
    json_begin(out, key);
    output_text(out, number_write(value, text));
}

void json_integer(output *out, const char *key, uint64_t value)
{
    json_begin(out, key);
    output_print(out, "%" PRIu64, value);
}

void json_bool(output *out, const char *key, int value)
{
    json_begin(out, key);
    output_text(out, value ? "true" : "false");
}

void json_null(output *out, const char *key)
{
    json_begin(out, key);
    output_text(out, "null");
}

void json_string(output *out, const char *key, const char *text)
{
    if (!text) { json_null(out, key); return; }
    json_begin(out, key);
    json_quote(out, text);
}

void json_numbers(output *out, const char *key, const double *value, size_t count)
{
    size_t i;
    json_array(out, key);
    for (i = 0; i < count; i++) json_number(out, NULL, value[i]);
    json_end(out);
}

/* ---- Tables ---------------------------------------------------------------- */

typedef enum cell_kind { CELL_EMPTY = 0, CELL_TEXT, CELL_NUMBER, CELL_INTEGER } cell_kind;

typedef struct table_cell {
    cell_kind   kind;
    const char *text;
    double      number;
    uint64_t    integer;
} table_cell;

struct result_table {
    table_column *columns;
    size_t        width;               /* number of columns */
    table_cell   *cells;               /* [count], row by row */
    size_t        count, capacity;
};

static char *text_copy(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    return (char *)memcpy(tool_alloc(bytes, 1), text, bytes);
}

result_table *table_new(const table_column *columns, size_t count)
{
    result_table *t = (result_table *)tool_alloc(1, sizeof *t);
    size_t i;
    t->columns = (table_column *)tool_alloc(count, sizeof *columns);
    t->width = count;
    for (i = 0; i < count; i++) {
        t->columns[i] = columns[i];
        t->columns[i].name = text_copy(columns[i].name);
    }
    return t;
}

static table_cell *table_add(result_table *t, cell_kind kind)
{
    if (t->count == t->capacity)
        t->cells = (table_cell *)tool_grow(t->cells, t->count, &t->capacity, t->count + 1,
                                           sizeof *t->cells);
    t->cells[t->count].kind = kind;
    return &t->cells[t->count++];
}

void table_text(result_table *t, const char *text)
{
    table_add(t, CELL_TEXT)->text = text_copy(text);
}

void table_number(result_table *t, double value)
{
    if (is_finite(value)) table_add(t, CELL_NUMBER)->number = value;
    else table_empty(t);
}

void table_integer(result_table *t, uint64_t value)
{
    table_add(t, CELL_INTEGER)->integer = value;
}

void table_empty(result_table *t) { table_add(t, CELL_EMPTY); }

/* The cell's text; numbers are written into `number` to `digits` digits, 0: all. */
static const char *cell_text(const table_cell *cell, int digits, const char *empty,
                             char number[NUMBER_BYTES])
{
    switch (cell->kind) {
    case CELL_EMPTY:
        return empty;
    case CELL_TEXT:
        return cell->text;
    case CELL_NUMBER:
        if (digits == 0) return number_write(cell->number, number);
        snprintf(number, NUMBER_BYTES, "%.*g", digits, cell->number);
        return number;
    case CELL_INTEGER:
        snprintf(number, NUMBER_BYTES, "%" PRIu64, cell->integer);
        return number;
    }
    return empty;
}

/* Bytes that are not UTF-8 become U+FFFD, control characters but a tab and a line's end
 * blanks: a name that was typed, or a file's, may hold any. */
static void csv_quote(output *out, const char *text)
{
    const int quoted = strpbrk(text, ",\"\r\n#") != NULL;
    if (quoted) output_char(out, '"');
    while (*text != '\0') {
        const unsigned char c = (unsigned char)*text;
        const size_t length = utf8_length(text);
        if (c == '"') output_char(out, '"');
        if (length == 0) output_text(out, "\xEF\xBF\xBD");
        else if ((c < 0x20 && c != '\t' && c != '\n') || c == 0x7F) output_char(out, ' ');
        else output_bytes(out, text, length);
        text += length > 0 ? length : 1;
    }
    if (quoted) output_char(out, '"');
}

static void table_print_csv(const result_table *t, output *out)
{
    char number[NUMBER_BYTES];
    size_t i;
    for (i = 0; i < t->width; i++) {
        if (i > 0) output_char(out, ',');
        csv_quote(out, t->columns[i].name);
    }
    output_char(out, '\n');
    for (i = 0; i < t->count; i++) {
        csv_quote(out, cell_text(&t->cells[i], 0, "", number));
        output_char(out, (i + 1) % t->width == 0 ? '\n' : ',');
    }
}

/* Characters on the screen: UTF-8 continuation bytes take no room. */
static size_t text_width(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static void output_padded(output *out, const char *text, size_t width, int left, int last)
{
    const size_t have = text_width(text), pad = have < width ? width - have : 0;
    if (!left) output_print(out, "%*s", (int)pad, "");
    output_text(out, text);
    if (left && !last) output_print(out, "%*s", (int)pad, "");
    output_text(out, last ? "\n" : "  ");
}

static const char *table_cell_text(const result_table *t, size_t i, char *number)
{
    const int digits = t->columns[i % t->width].digits;
    return cell_text(&t->cells[i], digits > 0 ? digits : 5, "-", number);
}

/* Columns of text are aligned left, all others right. */
static void table_print_human(const result_table *t, output *out)
{
    size_t *width = (size_t *)tool_alloc(t->width, sizeof *width);
    int *left = (int *)tool_alloc(t->width, sizeof *left);
    char number[NUMBER_BYTES];
    size_t i;
    for (i = 0; i < t->width; i++) width[i] = text_width(t->columns[i].name);
    for (i = 0; i < t->count; i++) {
        const size_t c = i % t->width, need = text_width(table_cell_text(t, i, number));
        if (width[c] < need) width[c] = need;
        if (t->cells[i].kind == CELL_TEXT) left[c] = 1;
    }
    for (i = 0; i < t->width; i++)
        output_padded(out, t->columns[i].name, width[i], left[i], i + 1 == t->width);
    for (i = 0; i < t->count; i++) {
        const size_t c = i % t->width;
        output_padded(out, table_cell_text(t, i, number), width[c], left[c],
                      c + 1 == t->width);
    }
}

void table_print(const result_table *t, output *out, output_format format)
{
    if (format == FORMAT_CSV) table_print_csv(t, out);
    else table_print_human(t, out);
}
