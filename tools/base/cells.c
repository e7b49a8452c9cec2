/* cells.c - columns and cells of a CSV table, checked */
#include "base/inside.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Columns --------------------------------------------------------------- */

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

void csv_watch_columns(csv_table *table)
{
    struct csv_wanted *wanted = (struct csv_wanted *)tool_alloc(1, sizeof *wanted);
    wanted->table = table;
    wanted->asked = (char *)tool_alloc((uint64_t)table->columns, 1);
    wanted->next = all_wanted;
    table->wanted = all_wanted = wanted;
}

void csv_forget_columns(void) { all_wanted = NULL; }

enum { PLAIN_BYTES = 48 };

/* A name in small letters, without blanks around it; 0: it is too long. */
static int plain_name(const char *name, char plain[PLAIN_BYTES])
{
    size_t length, i;
    name += strspn(name, " ");
    length = strlen(name);
    while (length > 0 && name[length - 1] == ' ') length--;
    if (length >= PLAIN_BYTES) return 0;
    for (i = 0; i < length; i++) {
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
    size_t stem = length, i;
    for (i = 0; i < COUNT_OF(ours) && stem == length; i++) {
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
    int i;
    for (i = 0; i < wanted->table->columns; i++)
        if (!wanted->asked[i] && is_near(wanted->table->header[i], name, most))
            return wanted->table->header[i];
    return NULL;
}

static void note_columns(const struct csv_wanted *w)
{
    const csv_missing *m;
    for (m = w->missing; m; m = m->next) {
        const char *known = misspelt_column(w, m->name, 2);
        if (known)
            tool_note("%s:%lu: column '%s' is not known; did you mean '%s'?",
                      w->table->name, (unsigned long)w->table->header_line, known, m->name);
    }
}

void csv_note_columns(void)
{
    const struct csv_wanted *w;
    for (w = all_wanted; w; w = w->next) note_columns(w);
    all_wanted = NULL;
}

void csv_leave_columns(const csv_table *table)
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
    (*end)->name = strcpy((char *)tool_alloc(strlen(name) + 1, 1), name);
}

int csv_column(const csv_table *table, const char *name)
{
    int i;
    for (i = 0; i < table->columns; i++) {
        if (strcmp(table->header[i], name) != 0) continue;
        if (table->wanted) table->wanted->asked[i] = 1;
        return i;
    }
    if (table->wanted) want_missing(table->wanted, name);
    return CSV_NONE;
}

int csv_require(const csv_table *table, const char *name)
{
    const int column = csv_column(table, name);
    const char *known;
    if (column != CSV_NONE) return column;
    /* One error only: others may be asked for yet. */
    known = table->wanted ? misspelt_column(table->wanted, name, 1) : NULL;
    if (known)
        tool_fail("%s:%lu: no column '%s': is it '%s'?", table->name,
                  (unsigned long)table->header_line, name, known);
    tool_fail("%s:%lu: no column '%s'", table->name, (unsigned long)table->header_line, name);
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
             number_has_unit(text) ? ": units are in the names of columns" : "");
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
    char list[256];
    if (i < count) return i;
    csv_fail(table, row, column, "'%s' is none of %s", text,
             words_join(words, count, list, sizeof list));
}

/* ---- Distinct rows --------------------------------------------------------- */

/* FNV-1a, of all texts with the zeros behind them. */
static size_t hash_of_key(const csv_table *t, size_t row, const int *column, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    size_t i;
    for (i = 0; i < count; i++) {
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
