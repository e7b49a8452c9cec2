/* csv.c - CSV files: [RFC 4180], comment lines, and their cells, checked
 *
 * The file is parsed once, in place: a cell's text is moved over its quotes to the
 * left and ended by a zero where its separator stood. */
#include "base/csv.h"

#include "base/file.h"
#include "base/words.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Misspelt columns --------------------------------------------------------------- */

/* Names that were asked for and are not there, in order. */
typedef struct csv_missing { struct csv_missing *next; char *name; } csv_missing;

struct csv_wanted {
    struct csv_wanted *next;
    const csv_table   *table;
    char              *asked; /* [columns] 1: by its name                           */
    csv_missing       *missing;
};

/* Of all files, until their notes are printed. */
static struct csv_wanted *all_wanted;

static void forget_columns(void) { all_wanted = NULL; }

static void watch_columns(csv_table *table)
{
    struct csv_wanted *wanted = (struct csv_wanted *)tool_alloc(1, sizeof *wanted);
    wanted->table = table;
    wanted->asked = (char *)tool_alloc((uint64_t)table->columns, 1);
    wanted->next = all_wanted;
    table->wanted = all_wanted = wanted;
    tool_forget = forget_columns;
}

enum { PLAIN_BYTES = 48 };

/* A name in small letters, without blanks around it; 0: it is too long. */
static int plain_name(const char *name, char plain[PLAIN_BYTES])
{
    name += strspn(name, " ");
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] == ' ') length--;
    if (length >= PLAIN_BYTES) return 0;
    for (size_t i = 0; i < length; i++) {
        const char c = name[i];
        plain[i] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c == ' ' ? '_' : c);
    }
    plain[length] = '\0';
    return 1;
}

/* "bandwidth" or "bandwidth_mbps" for "bandwidth_bytes_per_s", "batch_size" for "batch". */
static int is_other_unit(const char *name, const char *known)
{
    static const char *const ours[] = {"_bytes_per_s", "_bytes", "_per_s", "_s"};
    static const char *const others[] = {
        "", "_s", "_sec", "_seconds", "_time", "_ms", "_us", "_ns", "_size", "_bytes", "_b", "_kb",
        "_mb", "_gb", "_bps", "_mbps", "_gbps", "_gbit"
    };
    const size_t length = strlen(known);
    size_t stem = length;
    for (size_t i = 0; i < COUNT_OF(ours) && stem == length; i++) {
        const size_t unit = strlen(ours[i]);
        if (length > unit && strcmp(known + length - unit, ours[i]) == 0) stem = length - unit;
    }
    return stem >= 3 && strncmp(name, known, stem) == 0 &&
           words_find(others, COUNT_OF(others), name + stem) < COUNT_OF(others);
}

/* Is a column of this name, which is another one, meant to be the known one, but for at
 * most so many errors? Of less than three letters every name is like every other. */
static int is_near(const char *name, const char *known, size_t most)
{
    char a[PLAIN_BYTES], b[PLAIN_BYTES];
    if (!plain_name(name, a) || !plain_name(known, b)) return 0;
    if (strcmp(a, b) == 0) return 1;
    if (strlen(b) < 3) return 0;
    if (strlen(b) < 6) most = 1;
    return words_distance(a, b) <= most || is_other_unit(a, b);
}

/* A column that nobody has asked for, called nearly `name`; NULL: none. */
static const char *misspelt_column(const struct csv_wanted *wanted, const char *name,
                                   size_t most)
{
    for (int i = 0; i < wanted->table->columns; i++)
        if (!wanted->asked[i] && is_near(wanted->table->header[i], name, most))
            return wanted->table->header[i];
    return NULL;
}

static void note_columns(const struct csv_wanted *w)
{
    for (const csv_missing *m = w->missing; m; m = m->next) {
        const char *known = misspelt_column(w, m->name, 2);
        if (known)
            tool_note("unknown-column", "%s:%lu: column '%s' is not known; did you mean '%s'?",
                      w->table->name, (unsigned long)w->table->header_line, known, m->name);
    }
}

void csv_note_columns(void)
{
    for (const struct csv_wanted *w = all_wanted; w; w = w->next) note_columns(w);
    all_wanted = NULL;
}

static void leave_columns(const csv_table *table)
{
    struct csv_wanted **at = &all_wanted;
    while (*at && (*at)->table != table) at = &(*at)->next;
    if (!*at) return;
    note_columns(*at);
    *at = (*at)->next;
}

static void want_missing(struct csv_wanted *wanted, const char *name)
{
    csv_missing **end = &wanted->missing;
    while (*end && strcmp((*end)->name, name) != 0) end = &(*end)->next;
    if (*end || tool_in_task()) return;
    *end = (csv_missing *)tool_alloc(1, sizeof **end);
    (*end)->name = tool_text("%s", name);
}

/* ---- Parser ---------------------------------------------------------------- */

const csv_layout csv_commas = {',', 1, 0, "", NULL};

typedef struct csv_parser {
    csv_table *table;
    csv_layout as;
    int        open_end;      /* rows end in a separator                            */
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
    array = tool_room(array, room, count + 1, size);
    if (!array) csv_wrong(p, p->at_line, "out of memory");
    return array;
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
            return csv_wrong(p, line, "a carriage return is not followed by a line feed");
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
    if (*p->at == p->as.separator || *p->at == '\n' || *p->at == '\r' || p->at == p->end)
        return 1;
    return csv_wrong(p, p->at_line, "text follows the closing quote of a cell");
}

static int csv_bare(csv_parser *p, char **text, char **stop)
{
    const char separator = p->as.separator;
    *text = p->at;
    while (p->at < p->end && *p->at != separator && *p->at != '\n' && *p->at != '\r') {
        if (*p->at == '"' && separator == ',')
            return csv_wrong(p, p->at_line, "an unquoted cell contains a quote");
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
        if (!(p->as.quotes && *p->at == '"' ? csv_quoted(p, &text, &stop)
                                            : csv_bare(p, &text, &stop)))
            return 0;
        p->cell[p->cells++] = text;
        ++*count;
        more = *p->at == p->as.separator;
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

/* Takes an empty cell back that was the last one of a row. */
static int csv_take_back(csv_parser *p, size_t *count)
{
    if (p->cell[p->cells - 1][0] != '\0') return 0;
    p->cells--;
    --*count;
    return 1;
}

static int csv_header(csv_parser *p)
{
    size_t count = 0, line, i;
    if (!csv_next_line(p)) return csv_wrong(p, p->at_line, "the file is empty, but needs a header");
    line = p->table->header_line = p->at_line;
    int quoted = *p->at == '"' || p->as.separator != ',';
    if (!csv_record(p, &count)) return 0;
    if (count == 1 && p->as.alone) return csv_wrong(p, line, "%s", p->as.alone);
    p->open_end = count > 1 && p->as.separator != ',' && csv_take_back(p, &count);
    if (count > INT_MAX) return csv_wrong(p, line, "too many columns");
    p->table->columns = (int)count;
    const char *other = count == 1 && !quoted ? other_separator(p->cell[0], 1) : NULL;
    if (other)
        return csv_wrong(p, line, "cells must be separated by commas, not by %s; write decimals "
                                  "with a point%s", other,
                         strcmp(other, "blanks") == 0 ? "; leave out a title above the header"
                                                      : "");
    char **sorted = (char **)malloc(count * sizeof *sorted);
    if (!sorted) return csv_wrong(p, line, "out of memory");
    memcpy(sorted, p->cell, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_texts);
    for (i = 1; i < count && strcmp(sorted[i - 1], sorted[i]) != 0; i++) {}
    if (i < count) csv_wrong(p, line, "column '%s' occurs twice%s", sorted[i], sorted[i][0] != '\0'
                             ? "" : ": name the columns, and leave out a title above the header");
    free(sorted);
    return i >= count;
}

/* Why the row of the last `count` cells may have more or fewer than the others. */
static const char *why_not(const csv_parser *p, size_t count)
{
    const size_t columns = (size_t)p->table->columns;
    if (p->as.separator != ',') return count > columns ? p->as.hint : "";
    if (count == 1 && other_separator(p->cell[p->cells - 1], 0))
        return ": separate cells by commas, and leave out a title above the header";
    if (columns == 1) return ": leave out a title above the header; write decimals with a point";
    return count > columns && count <= 2 * columns ? ": write decimals with a point, as 0.5"
                                                   : "";
}

static int csv_rows(csv_parser *p)
{
    csv_table *t = p->table;
    const int named = !(p->as.flags & CSV_NO_HEADER);
    while (csv_next_line(p)) {
        const size_t line = p->at_line;
        void *room = csv_reserve(p, t->line, t->rows, &p->line_room, sizeof *t->line);
        size_t count = 0;
        if (!room) return 0;
        t->line = (size_t *)room;
        if (!csv_record(p, &count)) return 0;
        if (!named && t->rows == 0 && count <= INT_MAX) t->columns = (int)count;
        if (p->open_end && count == (size_t)t->columns + 1) csv_take_back(p, &count);
        if (count != (size_t)t->columns)
            return csv_wrong(p, line, "the row has %lu cell%s, but %lu are in the %s%s",
                             (unsigned long)count, count == 1 ? "" : "s",
                             (unsigned long)t->columns, named ? "header" : "first row",
                             why_not(p, count));
        t->line[t->rows++] = line;
    }
    if (t->rows == 0 && !(p->as.flags & CSV_ALLOW_EMPTY))
        return csv_wrong(p, p->at_line, "the table has no rows%s",
                         named ? " under the header" : "");
    return 1;
}

int csv_parse(csv_table *table, const char *name, const char *data, size_t length,
              unsigned flags, char *message, size_t message_bytes)
{
    csv_layout layout = csv_commas;
    layout.flags = flags;
    return csv_parse_as(table, name, data, length, &layout, message, message_bytes);
}

int csv_parse_as(csv_table *table, const char *name, const char *data, size_t length,
                 const csv_layout *layout, char *message, size_t message_bytes)
{
    char *text = length < (size_t)-1 ? (char *)malloc(length + 1) : NULL;
    if (text && length > 0) memcpy(text, data, length);
    return csv_take_as(table, name, text, length, layout, message, message_bytes);
}

int csv_take_as(csv_table *table, const char *name, char *data, size_t length,
                const csv_layout *layout, char *message, size_t message_bytes)
{
    const int named = !(layout->flags & CSV_NO_HEADER);
    csv_parser parser = {0}, *p = &parser;
    memset(table, 0, sizeof *table);
    table->name = name;
    p->table = table;
    p->as = *layout;
    p->at_line = 1;
    p->message = message;
    p->message_bytes = message_bytes;
    table->text = data;
    if (!table->text) return csv_wrong(p, 1, "out of memory");
    table->text[length] = '\0';
    p->at = table->text;
    p->end = p->at + length;
    if (length >= 3 && memcmp(p->at, "\xEF\xBB\xBF", 3) == 0) p->at += 3;
    int done = csv_check_bytes(p) && (!named || csv_header(p)) && csv_rows(p);
    table->header = p->cell;
    table->cells = p->cell && named ? p->cell + table->columns : p->cell;
    if (!done) csv_free(table);
    else if (layout->flags & CSV_WATCH) watch_columns(table);
    return done;
}

void csv_free(csv_table *table)
{
    if (table->wanted) leave_columns(table);
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
    data = file_read(path, &name, &length);
    what = csv_foreign ? csv_foreign(data, length) : NULL;
    if (what) tool_fail("%s: %s", name, what);
    if (!(flags & CSV_NO_HEADER) && !tool_in_task()) flags |= CSV_WATCH;
    int parsed = csv_parse(table, name, data, length, flags, message, sizeof message);
    free(data);
    if (!parsed) tool_fail("%s", message);
    if (tool_in_task()) end_with_task(table);
    return table;
}

/* ---- Columns -------------------------------------------------------------- */

int csv_find(const csv_table *table, const char *name)
{
    for (int i = 0; i < table->columns; i++)
        if (strcmp(table->header[i], name) == 0) return i;
    return CSV_NONE;
}

int csv_column(const csv_table *table, const char *name)
{
    const int column = csv_find(table, name);
    if (!table->wanted) return column;
    if (column == CSV_NONE) want_missing(table->wanted, name);
    else table->wanted->asked[column] = 1;
    return column;
}

int csv_require(const csv_table *table, const char *name)
{
    const int column = csv_column(table, name);
    if (column != CSV_NONE) return column;
    /* One error only: others may be asked for yet. */
    const char *known = table->wanted ? misspelt_column(table->wanted, name, 1) : NULL;
    if (known)
        tool_fail("%s:%lu: column '%s' is missing; did you mean '%s'?", table->name,
                  (unsigned long)table->header_line, name, known);
    tool_fail("%s:%lu: column '%s' is missing",
              table->name, (unsigned long)table->header_line, name);
}

void csv_require_all(const csv_table *table, const char *const *name, size_t names)
{
    char text[512] = "";
    size_t missing = 0, used = 0;
    for (size_t i = 0; i < names; i++) (void)csv_column(table, name[i]); /* all are asked for  */
    for (size_t i = 0; i < names && used < sizeof text; i++) {
        if (csv_find(table, name[i]) != CSV_NONE) continue;
        const char *known = table->wanted ? misspelt_column(table->wanted, name[i], 1) : NULL;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s'%s'%s%s%s",
                                 missing++ > 0 ? ", " : "", name[i],
                                 known ? " (did you mean '" : "", known ? known : "",
                                 known ? "'?)" : "");
    }
    if (missing > 1)
        tool_fail("%s:%lu: columns %s are missing", table->name,
                  (unsigned long)table->header_line, text);
}

/* ---- Cells ----------------------------------------------------------------- */

const char *csv_text(const csv_table *table, size_t row, int column)
{
    return table->cells[row * (size_t)table->columns + (size_t)column];
}

size_t csv_line(const csv_table *table, size_t row) { return table->line[row]; }

int csv_is_empty(const csv_table *table, size_t row, int column)
{
    return column == CSV_NONE || *csv_text(table, row, column) == '\0';
}

void csv_fail(const csv_table *table, size_t row, int column, const char *reason, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, reason);
    vsnprintf(text, sizeof text, reason, arguments);
    va_end(arguments);
    if (column == CSV_NONE)
        tool_fail("%s:%lu: %s", table->name, (unsigned long)csv_line(table, row), text);
    tool_fail("%s:%lu: column '%s': %s", table->name, (unsigned long)csv_line(table, row),
              table->header[column], text);
}

/* Fails over a cell that should be a number; quotes it where it is none. */
TOOL_NORETURN static void csv_fail_number(const csv_table *table, size_t row, int column,
                                          const char *wrong)
{
    const char *text = csv_text(table, row, column);
    double number;
    if (*text == '\0') csv_fail(table, row, column, "the cell is empty");
    if (number_parse(text, NUMBER_ANY, &number) == NULL)
        csv_fail(table, row, column, "%s %s", text, wrong);
    csv_fail(table, row, column, "'%s' %s%s", text, wrong,
             number_has_unit(text) ? ": write the number in the unit of the column, without "
                                     "the unit itself" : "");
}

double csv_number(const csv_table *table, size_t row, int column, number_rule rule)
{
    double value = 0.0;
    const char *wrong = number_parse(csv_text(table, row, column), rule, &value);
    if (wrong) csv_fail_number(table, row, column, wrong);
    return value;
}

uint64_t csv_integer(const csv_table *table, size_t row, int column, uint64_t min,
                     uint64_t max)
{
    uint64_t value = 0;
    const char *wrong = number_whole(csv_text(table, row, column), min, max, &value);
    if (wrong) csv_fail_number(table, row, column, wrong);
    return value;
}

const char *csv_text_or(const csv_table *table, size_t row, int column, const char *fallback)
{
    return csv_is_empty(table, row, column) ? fallback : csv_text(table, row, column);
}

const char *csv_beside(const csv_table *table, const char *path)
{
    const char *slash = strrchr(table->name, '/');
    const int folder = slash && *path != '/' ? (int)(slash - table->name) + 1 : 0;
    return tool_text("%.*s%s", folder, table->name, path);
}

double csv_number_or(const csv_table *table, size_t row, int column, number_rule rule,
                     double fallback)
{
    return csv_is_empty(table, row, column) ? fallback
                                            : csv_number(table, row, column, rule);
}

uint64_t csv_integer_or(const csv_table *table, size_t row, int column, uint64_t min,
                        uint64_t max, uint64_t fallback)
{
    return csv_is_empty(table, row, column) ? fallback
                                            : csv_integer(table, row, column, min, max);
}

size_t csv_choice(const csv_table *table, size_t row, int column,
                  const char *const *words, size_t count)
{
    const char *text = csv_text(table, row, column);
    const size_t i = words_find(words, count, text);
    char list[400];
    if (i < count) return i;
    csv_fail(table, row, column, "'%s' is not one of %s", text,
             words_join(words, count, list, sizeof list));
}

/* ---- Distinct rows --------------------------------------------------------- */

/* FNV-1a, of all texts with the zeros behind them. */
static size_t hash_of_key(const csv_table *t, size_t row, const int *column, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++) {
        const char *c = csv_text(t, row, column[i]);
        do {
            hash ^= (unsigned char)*c;
            hash *= UINT64_C(0x100000001b3);
        } while (*c++ != '\0');
    }
    return (size_t)(hash ^ (hash >> 32));
}

static int have_one_key(const csv_table *t, size_t a, size_t b, const int *column, size_t count)
{
    size_t i = 0;
    while (i < count && strcmp(csv_text(t, a, column[i]), csv_text(t, b, column[i])) == 0) i++;
    return i == count;
}

/* A hash table of rows, at most half full. */
void csv_unique(const csv_table *table, const int *column, size_t count)
{
    size_t slots = 64, *slot, row;
    while (slots / 2 < table->rows) slots *= 2;
    slot = (size_t *)tool_alloc(slots, sizeof *slot);
    for (row = 0; row < table->rows; row++) {
        size_t at = hash_of_key(table, row, column, count) & (slots - 1);
        for (; slot[at] > 0; at = (at + 1) & (slots - 1))
            if (have_one_key(table, slot[at] - 1, row, column, count))
                csv_fail(table, row, column[0], "'%s' occurs twice, first in line %lu",
                         csv_text(table, row, column[0]),
                         (unsigned long)csv_line(table, slot[at] - 1));
        slot[at] = row + 1;
    }
    tool_free(slot);
}
