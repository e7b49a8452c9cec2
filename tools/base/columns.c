/* columns.c - rows of columns, as tables and as JSON: see columns.h */
#include "base/columns.h"

#include "base/digits.h"
#include "base/paint.h"
#include "base/words.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef enum cell_kind { CELL_EMPTY = 0, CELL_TEXT, CELL_NUMBER, CELL_INTEGER } cell_kind;

typedef struct table_cell {
    cell_kind kind;
    union { uint64_t integer; double number; const char *text; } is;
} table_cell;

/* A column of a table: what stood in it last, and on the screen how wide it is. */
typedef struct table_column {
    char       *name;
    int         digits;       /* of a number on the screen; 0: 5                    */
    const char *kept;         /* the last text that it had, or NULL                 */
    size_t      width;
    int         left;
    const char *text;
    size_t      text_bytes, text_width;
    char        number[NUMBER_BYTES];
    size_t      number_length;
} table_column;

struct result_table {
    table_column *column;
    size_t        width, room;         /* number of columns */
    table_cell   *cells;               /* [count], row by row */
    size_t        count, capacity;
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
    if (n == t->room)
        t->column = (table_column *)tool_grow(t->column, n, &t->room, n + 1, sizeof *t->column);
    t->column[n].name = text_copy(name);
    t->column[n].digits = digits;
    t->width++;
}

/* ---- Cells ----------------------------------------------------------------- */

static void add_cell(result_table *t, const table_cell *cell)
{
    if (t->count == t->capacity) {
        const size_t room = t->capacity < 64 ? 64 : 2 * t->capacity;
        t->cells = (table_cell *)tool_resize(t->cells, room, sizeof *t->cells);
        t->capacity = room;
    }
    t->cells[t->count++] = *cell;
}

/* A text that a column had last as well is kept once. */
static void add_text(result_table *t, const char *text)
{
    const char **last = &t->column[t->count % t->width].kept;
    table_cell cell = {CELL_TEXT, {0}};
    if (!*last || strcmp(*last, text) != 0) *last = text_copy(text);
    cell.is.text = *last;
    add_cell(t, &cell);
}

static void add_number(result_table *t, double value)
{
    table_cell cell = {CELL_EMPTY, {0}};
    if (value >= -DBL_MAX && value <= DBL_MAX) {
        cell.kind = CELL_NUMBER;
        cell.is.number = value;
    }
    add_cell(t, &cell);
}

static void add_integer(result_table *t, uint64_t value)
{
    table_cell cell = {CELL_INTEGER, {0}};
    cell.is.integer = value;
    add_cell(t, &cell);
}

static void add_empty(result_table *t)
{
    const table_cell cell = {CELL_EMPTY, {0}};
    add_cell(t, &cell);
}

/* Is it what stands above, to the bit? */
static int is_as_above(const result_table *t, size_t i)
{
    const table_cell *cell = &t->cells[i];
    if (i < t->width) return 0;
    return cell->kind == cell[-(ptrdiff_t)t->width].kind &&
           cell->is.integer == cell[-(ptrdiff_t)t->width].is.integer;
}

/* ---- CSV ------------------------------------------------------------------- */

/* Where in the output the cell above was written. */
typedef struct csv_above { size_t at, length; } csv_above;

static void csv_cell(const result_table *t, size_t i, output *out, csv_above *above)
{
    const table_cell *cell = &t->cells[i];
    const size_t at = out->length;
    char *room = output_room(out, NUMBER_BYTES);
    out->length = at;
    if (is_as_above(t, i)) {
        if (above->length <= NUMBER_BYTES) {
            char text[NUMBER_BYTES];   /* whole: no call of so many bytes             */
            memcpy(text, out->text + above->at, NUMBER_BYTES);
            memcpy(room, text, NUMBER_BYTES);
        } else {
            char *const whole = output_room(out, above->length); /* which may move all    */
            memcpy(whole, out->text + above->at, above->length);
        }
        out->length = at + above->length;
    } else if (cell->kind == CELL_NUMBER) {
        out->length += number_shortest(cell->is.number, room);
    } else if (cell->kind == CELL_INTEGER) {
        out->length += number_integer(cell->is.integer, room);
    } else if (cell->kind == CELL_TEXT) {
        csv_quote(out, cell->is.text);
    }
    above->at = at;
    above->length = out->length - at;
}

static void csv_head(const result_table *t, output *out)
{
    size_t c;
    for (c = 0; c < t->width; c++) {
        if (c > 0) output_bytes(out, ",", 1);
        csv_quote(out, t->column[c].name);
    }
    output_bytes(out, "\n", 1);
}

static void csv_rows(const result_table *t, output *out)
{
    csv_above *above = (csv_above *)tool_alloc(t->width, sizeof *above);
    size_t i, c;
    for (i = c = 0; i < t->count; i++) {
        csv_cell(t, i, out, &above[c]);
        if (++c == t->width) c = 0;
        output_bytes(out, c == 0 ? "\n" : ",", 1);
    }
    tool_free(above);
}

/* ---- For a human ----------------------------------------------------------- */

static void see_text(table_column *column, const char *text)
{
    if (text == column->text) return;
    column->text = text;
    column->text_bytes = strlen(text);
    column->text_width = utf8_width(text);
    if (column->width < column->text_width) column->width = column->text_width;
}

static int digits_of(const result_table *t, size_t c)
{
    return t->column[c].digits > 0 ? t->column[c].digits : 5;
}

/* The text of a number, which the column keeps. */
static void write_number(const result_table *t, size_t i, size_t c)
{
    const table_cell *cell = &t->cells[i];
    table_column *column = &t->column[c];
    if (is_as_above(t, i)) return;
    if (cell->kind == CELL_NUMBER)
        column->number_length = number_round(cell->is.number, digits_of(t, c), column->number);
    else
        column->number_length = number_integer(cell->is.integer, column->number);
}

static void see_cell(result_table *t, size_t i, size_t c)
{
    const table_cell *cell = &t->cells[i];
    table_column *column = &t->column[c];
    if (cell->kind == CELL_TEXT) {
        see_text(column, cell->is.text);
        column->left = 1;
    } else if (cell->kind == CELL_EMPTY) {
        if (column->width < 1) column->width = 1;
    } else {
        write_number(t, i, c);
        if (column->width < column->number_length) column->width = column->number_length;
    }
}

/* The widths of columns; those of text are aligned left, all others right. */
static void measure(result_table *t)
{
    size_t i;
    for (i = 0; i < t->width; i++) see_text(&t->column[i], t->column[i].name);
    for (i = 0; i < t->count; i++) see_cell(t, i, i % t->width);
}

static void print_padded(output *out, const char *text, size_t bytes, size_t have,
                         const table_column *column, int last)
{
    const size_t pad = have < column->width ? column->width - have : 0;
    char *room = output_room(out, bytes + pad + 2);
    if (!column->left) { memset(room, ' ', pad); room += pad; }
    memcpy(room, text, bytes);
    room += bytes;
    if (column->left && !last) { memset(room, ' ', pad); room += pad; }
    if (column->left && last) out->length -= pad;
    if (last) {
        *room = '\n';
        out->length--;
    } else {
        room[0] = room[1] = ' ';
    }
}

/* A number, to the right; whole, without calls of so many bytes. */
static void print_number(output *out, const table_column *column, int last)
{
    enum { BLANKS = 16 };
    const size_t pad = column->width - column->number_length;
    const size_t length = column->width + (last ? 1 : 2);
    char *room;
    if (column->left || column->width < column->number_length || pad > BLANKS) {
        print_padded(out, column->number, column->number_length, column->number_length, column,
                     last);
        return;
    }
    room = output_room(out, BLANKS + NUMBER_BYTES + 2);
    out->length -= BLANKS + NUMBER_BYTES + 2 - length;
    memset(room, ' ', BLANKS);
    memcpy(room + pad, column->number, NUMBER_BYTES);
    memcpy(room + column->width, last ? "\n " : "  ", 2);
}

static void human_text(const result_table *t, size_t c, const char *text, output *out)
{
    table_column *column = &t->column[c];
    see_text(column, text);
    print_padded(out, column->text, column->text_bytes, column->text_width, column,
                 c + 1 == t->width);
}

static void human_head(const result_table *t, output *out)
{
    const char *const begin = paint(PAINT_HEADING), *const end = paint_end(PAINT_HEADING);
    size_t c;
    output_bytes(out, begin, strlen(begin));
    for (c = 0; c < t->width; c++) human_text(t, c, t->column[c].name, out);
    assert(out->text[out->length - 1] == '\n');
    out->length--;
    output_bytes(out, end, strlen(end));
    output_bytes(out, "\n", 1);
}

static void human_rows(const result_table *t, output *out)
{
    size_t i, c;
    for (i = c = 0; i < t->count; i++) {
        const table_column *column = &t->column[c];
        const int last = c + 1 == t->width;
        if (t->cells[i].kind == CELL_TEXT) {
            human_text(t, c, t->cells[i].is.text, out);
        } else if (t->cells[i].kind == CELL_EMPTY) {
            print_padded(out, "-", 1, 1, column, last);
        } else {
            write_number(t, i, c);
            print_number(out, column, last);
        }
        c = last ? 0 : c + 1;
    }
}

/* ---- Columns ----------------------------------------------------------------- */

double known_if(int known, double value) { return known ? value : (double)NAN; }

void columns_open(columns *c, output *out, unsigned in, const char *key)
{
    memset(c, 0, sizeof *c);
    assert(out->form == SCREEN || out->form == CSV || out->form == JSON);
    c->out = out;
    c->in = in & out->form;
    c->key = key;
    if (c->in == JSON && key) json_array(out, key);
    if (c->in & TABLES) c->table = (result_table *)tool_alloc(1, sizeof *c->table);
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
    if (c->in == CSV) {
        csv_head(c->table, c->out);
        csv_rows(c->table, c->out);
    } else {
        measure(c->table);
        human_head(c->table, c->out);
        human_rows(c->table, c->out);
    }
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
    if (is_member(c, in)) json_string(c->out, name, text);
    if (!goes_on(c, in, name, 0)) return;
    if (text) add_text(c->table, text); else add_empty(c->table);
}

void column_round(columns *c, unsigned in, const char *name, int digits, double value)
{
    if (is_member(c, in)) json_number(c->out, name, value);
    if (goes_on(c, in, name, digits)) add_number(c->table, value);
}

void column_number(columns *c, unsigned in, const char *name, double value)
{
    column_round(c, in, name, 0, value);
}

void column_missing(columns *c, unsigned in, const char *name) { column_text(c, in, name, NULL); }

void column_whole(columns *c, unsigned in, const char *name, uint64_t value)
{
    if (is_member(c, in)) json_integer(c->out, name, value);
    if (goes_on(c, in, name, 0)) add_integer(c->table, value);
}

void column_whole_if(columns *c, unsigned in, const char *name, int known, uint64_t value)
{
    if (known) column_whole(c, in, name, value); else column_missing(c, in, name);
}
