/* csv.c - CSV files: [RFC 4180], comment lines; cells.c reads what is in them
 *
 * The file is parsed once, in place: a cell's text is moved over its quotes to the
 * left and ended by a zero where its separator stood. */
#include "base/inside.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Parser ---------------------------------------------------------------- */

typedef struct csv_parser {
    csv_table *table;
    char      *at, *end;      /* what is left; *end is a zero                       */
    size_t     at_line;       /* line of `at`, from 1                               */
    char     **cell;          /* [cells] header, then rows                          */
    size_t     cells, cell_room;
    size_t     line_room;
    char      *message;
    size_t     message_bytes;
} csv_parser;

/* Notes what is wrong; 0 to be returned. */
TOOL_PRINTF(3, 4)
static int csv_wrong(csv_parser *p, size_t line, const char *format, ...)
{
    const int place = snprintf(p->message, p->message_bytes, "%s:%lu: ", p->table->name,
                               (unsigned long)line);
    va_list arguments;
    va_start(arguments, format);
    if (place >= 0 && (size_t)place < p->message_bytes)
        vsnprintf(p->message + place, p->message_bytes - (size_t)place, format, arguments);
    va_end(arguments);
    return 0;
}

/* An array kept by malloc, with room for one more element; NULL if there is none. */
static void *csv_reserve(csv_parser *p, void *array, size_t count, size_t *room, size_t size)
{
    const size_t more = *room < 64 ? 64 : *room * 2;
    void *grown;
    if (count < *room) return array;
    grown = more <= (size_t)-1 / 2 / size ? realloc(array, more * size) : NULL;
    if (grown) *room = more;
    else csv_wrong(p, p->at_line, "out of memory");
    return grown;
}

/* Refuses what no text file holds: zeros, other control characters, bytes that are
 * not UTF-8. */
static int csv_check_bytes(csv_parser *p)
{
    const char *s = p->at;
    size_t line = 1;
    while (s < p->end) {
        const unsigned char byte = (unsigned char)*s;
        size_t length = 1;
        if (byte >= 0x20 && byte < 0x7F) { s++; continue; }
        length = utf8_length(s);
        if (length == 0) return csv_wrong(p, line, "byte 0x%02x is not UTF-8 text", byte);
        if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F)
            return csv_wrong(p, line, "byte 0x%02x is not text", byte);
        if (byte == '\r' && s[1] != '\n')
            return csv_wrong(p, line, "a carriage return without a line feed");
        line += byte == '\n';
        s += length;
    }
    return 1;
}

/* The quoted cell that starts at p->at: *text receives its beginning, *stop the place
 * of its final zero. */
static int csv_quoted(csv_parser *p, char **text, char **stop)
{
    const size_t opened = p->at_line;
    char *from = p->at + 1, *to = from;
    *text = from;
    for (;; from++) {
        if (from == p->end) return csv_wrong(p, opened, "a quote is not closed");
        if (*from == '\n') p->at_line++;
        if (*from == '"') {
            if (from[1] != '"') break;
            from++;
        }
        *to++ = *from;
    }
    p->at = from + 1;
    *stop = to;
    if (*p->at == ',' || *p->at == '\n' || *p->at == '\r' || p->at == p->end) return 1;
    return csv_wrong(p, p->at_line, "text after a closing quote");
}

static int csv_bare(csv_parser *p, char **text, char **stop)
{
    *text = p->at;
    while (p->at < p->end && *p->at != ',' && *p->at != '\n' && *p->at != '\r') {
        if (*p->at == '"')
            return csv_wrong(p, p->at_line, "a quote inside an unquoted cell");
        p->at++;
    }
    *stop = p->at;
    return 1;
}

/* One line of cells, appended to p->cell; *count is how many. */
static int csv_record(csv_parser *p, size_t *count)
{
    int more = 1;
    *count = 0;
    while (more) {
        char *text = p->at, *stop = p->at;
        void *room = csv_reserve(p, p->cell, p->cells, &p->cell_room, sizeof *p->cell);
        if (!room) return 0;
        p->cell = (char **)room;
        if (!(*p->at == '"' ? csv_quoted(p, &text, &stop) : csv_bare(p, &text, &stop)))
            return 0;
        p->cell[p->cells++] = text;
        ++*count;
        more = *p->at == ',';
        if (*p->at == '\r') p->at++;
        if (*p->at == '\n') p->at_line++;
        if (p->at < p->end) p->at++;
        *stop = '\0';                  /* at or before the separator just passed */
    }
    return 1;
}

/* Steps over comment lines and empty ones; 0 at the end of the file. */
static int csv_next_line(csv_parser *p)
{
    for (;;) {
        if (p->at == p->end) return 0;
        if (*p->at == '#') while (p->at < p->end && *p->at != '\n') p->at++;
        else if (*p->at == '\r') p->at++;
        else if (*p->at != '\n') return 1;
        if (p->at < p->end) { p->at++; p->at_line++; } /* a line feed: of '\r', too */
    }
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What separates the cells of a line that has no comma; NULL: it is one cell. */
static const char *other_separator(const char *line, int blanks)
{
    if (strchr(line, ';')) return "semicolons";
    if (strchr(line, '\t')) return "tabs";
    if (strchr(line, '|')) return "bars";
    return blanks && strchr(line, ' ') ? "blanks" : NULL;
}

static int csv_header(csv_parser *p)
{
    size_t count = 0, line, i;
    char **sorted;
    const char *other;
    int quoted;
    if (!csv_next_line(p)) return csv_wrong(p, p->at_line, "no header: the file is empty");
    line = p->table->header_line = p->at_line;
    quoted = *p->at == '"';
    if (!csv_record(p, &count)) return 0;
    if (count > INT_MAX) return csv_wrong(p, line, "too many columns");
    p->table->columns = (int)count;
    other = count == 1 && !quoted ? other_separator(p->cell[0], 1) : NULL;
    if (other)
        return csv_wrong(p, line, "cells are separated by commas, not by %s (and decimals are "
                         "behind a point)", other);
    sorted = (char **)malloc(count * sizeof *sorted);
    if (!sorted) return csv_wrong(p, line, "out of memory");
    memcpy(sorted, p->cell, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_texts);
    for (i = 1; i < count && strcmp(sorted[i - 1], sorted[i]) != 0; i++) {}
    if (i < count) csv_wrong(p, line, "column '%s' occurs twice", sorted[i]);
    free(sorted);
    return i >= count;
}

/* Why the row of the last `count` cells may have more or fewer than the others. */
static const char *why_not(const csv_parser *p, size_t count)
{
    const size_t columns = (size_t)p->table->columns;
    if (count == 1 && other_separator(p->cell[p->cells - 1], 0))
        return ": cells are separated by commas";
    return count > columns && count <= 2 * columns ? ": has it decimal commas? 0.5 has a point"
                                                   : "";
}

static int csv_rows(csv_parser *p, unsigned flags)
{
    csv_table *t = p->table;
    const int named = !(flags & CSV_NO_HEADER);
    while (csv_next_line(p)) {
        const size_t line = p->at_line;
        void *room = csv_reserve(p, t->line, t->rows, &p->line_room, sizeof *t->line);
        size_t count = 0;
        if (!room) return 0;
        t->line = (size_t *)room;
        if (!csv_record(p, &count)) return 0;
        if (!named && t->rows == 0 && count <= INT_MAX) t->columns = (int)count;
        if (count != (size_t)t->columns)
            return csv_wrong(p, line, "%lu cell%s in a row, %lu in the %s%s",
                             (unsigned long)count, count == 1 ? "" : "s",
                             (unsigned long)t->columns, named ? "header" : "first",
                             why_not(p, count));
        t->line[t->rows++] = line;
    }
    if (t->rows == 0 && !(flags & CSV_ALLOW_EMPTY))
        return csv_wrong(p, p->at_line, "no rows%s", named ? " under the header" : "");
    return 1;
}

int csv_parse(csv_table *table, const char *name, const char *data, size_t length,
              unsigned flags, char *message, size_t message_bytes)
{
    csv_parser parser = {0}, *p = &parser;
    int done;
    memset(table, 0, sizeof *table);
    table->name = name;
    p->table = table;
    p->at_line = 1;
    p->message = message;
    p->message_bytes = message_bytes;
    table->text = length < (size_t)-1 ? (char *)malloc(length + 1) : NULL;
    if (!table->text) return csv_wrong(p, 1, "out of memory");
    if (length > 0) memcpy(table->text, data, length);
    table->text[length] = '\0';
    p->at = table->text;
    p->end = p->at + length;
    if (length >= 3 && memcmp(p->at, "\xEF\xBB\xBF", 3) == 0) p->at += 3;
    done = csv_check_bytes(p) && ((flags & CSV_NO_HEADER) || csv_header(p)) &&
           csv_rows(p, flags);
    table->header = p->cell;
    table->cells = p->cell && !(flags & CSV_NO_HEADER) ? p->cell + table->columns : p->cell;
    if (!done) csv_free(table);
    else if (flags & CSV_WATCH) csv_watch_columns(table);
    return done;
}

void csv_free(csv_table *table)
{
    if (table->wanted) csv_leave_columns(table);
    free(table->header);
    free(table->line);
    free(table->text);
    memset(table, 0, sizeof *table);
}

/* ---- Files ----------------------------------------------------------------- */

const char *(*csv_foreign)(const char *data, size_t length) = NULL;

/* Tables that the task under way has read: what they own ends with it. */
typedef struct task_table { struct task_table *next; csv_table *table; } task_table;

static task_table *task_tables;

static void end_with_task(csv_table *table)
{
    task_table *t = (task_table *)tool_alloc(1, sizeof *t);
    t->table = table;
    t->next = task_tables;
    task_tables = t;
}

void csv_end_task(void)
{
    for (; task_tables; task_tables = task_tables->next) csv_free(task_tables->table);
}

const csv_table *csv_read(const char *path, unsigned flags)
{
    csv_table *table = (csv_table *)tool_alloc(1, sizeof *table);
    const char *name, *what;
    char message[512], *data;
    size_t length = 0;
    int parsed;
    data = file_read(path, &name, &length);
    what = csv_foreign ? csv_foreign(data, length) : NULL;
    if (what) tool_fail("%s: %s", name, what);
    if (!(flags & CSV_NO_HEADER) && !tool_in_task()) flags |= CSV_WATCH;
    parsed = csv_parse(table, name, data, length, flags, message, sizeof message);
    free(data);
    if (!parsed) tool_fail("%s", message);
    if (tool_in_task()) end_with_task(table);
    return table;
}
