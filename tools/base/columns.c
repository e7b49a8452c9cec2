/* columns.c - rows of columns, as tables and as JSON: see columns.h */
#include "base/columns.h"

#include "base/fields.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct table_column {
    char           *name;
    int             digits;            /* of a number on the screen; 0: as others     */
    char           *last;              /* the last text that it had, or NULL          */
    const spelling *spelled;           /*   as it is written                          */
    size_t          longest;           /* bytes of a text                             */
} table_column;

struct result_table {
    table_column *column;              /* [width]                                     */
    size_t        width, room;
    field_cell   *cells;               /* [count], row by row                         */
    size_t        count, capacity;
    output        scratch;             /* of one text                                 */
};

static char *text_copy(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    return (char *)memcpy(tool_alloc(bytes, 1), text, bytes);
}

/* A column more; there is no row yet but the one that it is in. */
static void add_column(result_table *t, const char *name, int digits)
{
    const size_t n = t->width;
    t->column = tool_one_more(t->column, n, &t->room, sizeof *t->column);
    t->column[n].name = text_copy(name);
    t->column[n].digits = digits;
    t->width++;
}

/* The next cell, which is empty. */
static field_cell *add_cell(result_table *t)
{
    const field_cell empty = {FIELD_EMPTY, {0.0}};
    if (t->count == t->capacity) {
        const size_t room = t->capacity < 64 ? 64 : 2 * t->capacity;
        t->cells = (field_cell *)tool_resize(t->cells, room, sizeof *t->cells);
        t->capacity = room;
    }
    t->cells[t->count] = empty;
    return &t->cells[t->count++];
}

/* A text that a column had last as well is kept once. */
static const spelling *spelling_of(result_table *t, const char *text)
{
    table_column *column = &t->column[(t->count - 1) % t->width];
    if (column->last && strcmp(column->last, text) == 0) return column->spelled;
    tool_free(column->last);
    column->last = text_copy(text);
    column->spelled = fields_spell(&t->scratch, text);
    if (column->longest < column->spelled->bytes) column->longest = column->spelled->bytes;
    return column->spelled;
}

static void print_table(const result_table *t, output *out)
{
    field *list = (field *)tool_alloc(t->width, sizeof *list);
    const size_t rows = t->count / t->width;
    for (size_t c = 0; c < t->width; c++) {
        list[c] = field_cells(t->column[c].name, t->cells + c, t->width * sizeof *t->cells,
                              t->column[c].longest);
        list[c].digits = t->column[c].digits;
    }
    field_rows *made = fields_table(list, t->width, rows, out->form);
    fields_head(made, out);
    fields_write(made, 0, rows, out);
    fields_free(made);
    tool_free(list);
}

/* ---- Columns ----------------------------------------------------------------- */

double known_if(int known, double value) { return known ? value : (double)NAN; }

columns columns_open(output *out, unsigned in, const char *key)
{
    columns c = {.out = out, .in = in & out->form, .key = key};
    assert(out->form == SCREEN || out->form == CSV || out->form == JSON);
    if (c.in == JSON && key) json_array(out, key);
    if (!(c.in & TABLES)) return c;
    c.table = (result_table *)tool_alloc(1, sizeof *c.table);
    c.table->scratch.form = c.in;
    return c;
}

void columns_row(columns *c)
{
    if (c->in == JSON && c->key && c->rows > 0) json_end(c->out);
    if (c->in == JSON && c->key) json_object(c->out, NULL);
    c->rows++;
    c->heading = 0;
}

int columns_row_if(columns *c, int is_one)
{
    assert(is_one || c->rows == 0);
    if (is_one) columns_row(c);
    else c->heading = 1;
    return is_one;
}

void columns_close(columns *c)
{
    if (c->in == JSON && c->key && c->rows > 0) json_end(c->out);
    if (c->in == JSON && c->key) json_end(c->out);
    if (!c->table) return;
    assert(c->rows > 0 || c->heading);
    assert(c->table->count % c->table->width == 0);
    print_table(c->table, c->out);
    tool_free(c->table->cells);        /* of which there are many                     */
}

int columns_next(columns *c, int is_one)
{
    if (is_one) columns_row(c);
    else columns_close(c);
    return is_one;
}

static int is_member(const columns *c, unsigned in)
{
    return (in & c->in & JSON) != 0 && !c->heading;
}

/* Is there a cell to be filled in a table? Its first row tells the columns. */
static int goes_on(const columns *c, unsigned in, const char *name, int digits)
{
    result_table *t = c->table;
    if (!t || (in & c->in) == 0) return 0;
    if (c->rows <= 1) add_column(t, name, digits);
    assert(c->heading || strcmp(t->column[t->count % t->width].name, name) == 0);
    return !c->heading;
}

void column_text(columns *c, unsigned in, const char *name, const char *text)
{
    result_table *t = c->table;
    if (is_member(c, in)) json_string(c->out, name, text);
    if (!goes_on(c, in, name, 0)) return;
    field_cell *cell = add_cell(t);
    if (!text) return;
    cell->kind = FIELD_TEXT;
    cell->is.text = spelling_of(t, text);
}

void column_round(columns *c, unsigned in, const char *name, int digits, double value)
{
    if (is_member(c, in)) json_number(c->out, name, value);
    if (!goes_on(c, in, name, digits)) return;
    field_cell *cell = add_cell(c->table);
    cell->kind = FIELD_NUMBER;
    cell->is.number = value;
}

void column_number(columns *c, unsigned in, const char *name, double value)
{
    column_round(c, in, name, 0, value);
}

void column_missing(columns *c, unsigned in, const char *name) { column_text(c, in, name, NULL); }

void column_whole(columns *c, unsigned in, const char *name, uint64_t value)
{
    if (is_member(c, in)) json_integer(c->out, name, value);
    if (!goes_on(c, in, name, 0)) return;
    field_cell *cell = add_cell(c->table);
    cell->kind = FIELD_LONG;
    cell->is.whole = value;
}

void column_whole_if(columns *c, unsigned in, const char *name, int known, uint64_t value)
{
    if (known) column_whole(c, in, name, value); else column_missing(c, in, name);
}
