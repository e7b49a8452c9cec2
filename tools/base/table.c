/* table.c - tables of results, printed for a human or as CSV */
#include "base/table.h"

#include "base/digits.h"
#include "base/paint.h"
#include "base/words.h"

#include <assert.h>
#include <float.h>
#include <string.h>

typedef enum cell_kind { CELL_EMPTY = 0, CELL_TEXT, CELL_NUMBER, CELL_INTEGER } cell_kind;

typedef struct table_cell {
    cell_kind kind;
    union { uint64_t integer; double number; const char *text; } is;
} table_cell;

/* A column on the screen: how wide, and what stood in it last. */
typedef struct human_column {
    size_t      width;
    int         left;
    const char *text;
    size_t      text_bytes, text_width;
    char        number[NUMBER_BYTES];
    size_t      number_length;
} human_column;

struct result_table {
    table_column *columns;
    size_t        width, room;         /* number of columns */
    table_cell   *cells;               /* [count], row by row */
    size_t        count, capacity;
    const char  **text;                /* [width] the last that a column had, or NULL */
    human_column *human;               /* [width] */
};

static char *text_copy(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    return (char *)memcpy(tool_alloc(bytes, 1), text, bytes);
}

static void add_column(result_table *t, const char *name, int digits)
{
    const size_t n = t->width;
    if (n == t->room) {
        size_t room = n;
        t->columns = (table_column *)tool_grow(t->columns, n, &t->room, n + 1, sizeof *t->columns);
        t->text = (const char **)tool_grow(t->text, n, &room, n + 1, sizeof *t->text);
        assert(room == t->room);
    }
    t->columns[n].name = text_copy(name);
    t->columns[n].digits = digits;
    t->width++;
}

result_table *table_new(const table_column *named, size_t count)
{
    result_table *t = (result_table *)tool_alloc(1, sizeof *t);
    size_t i;
    for (i = 0; i < count; i++) add_column(t, named[i].name, named[i].digits);
    return t;
}

void table_head(result_table *t, int first, const char *name, int digits)
{
    if (first) add_column(t, name, digits);
    assert(first || strcmp(t->columns[t->count % t->width].name, name) == 0);
}

/* ---- Cells ----------------------------------------------------------------- */

static void table_add(result_table *t, const table_cell *cell)
{
    if (t->count == t->capacity) {
        const size_t room = t->capacity < 64 ? 64 : 2 * t->capacity;
        t->cells = (table_cell *)tool_resize(t->cells, room, sizeof *t->cells);
        t->capacity = room;
    }
    t->cells[t->count++] = *cell;
}

/* A text that a column had last as well is kept once. */
void table_text(result_table *t, const char *text)
{
    const char **last = &t->text[t->count % t->width];
    table_cell cell = {CELL_TEXT, {0}};
    if (!*last || strcmp(*last, text) != 0) *last = text_copy(text);
    cell.is.text = *last;
    table_add(t, &cell);
}

void table_number(result_table *t, double value)
{
    table_cell cell = {CELL_EMPTY, {0}};
    if (value >= -DBL_MAX && value <= DBL_MAX) {
        cell.kind = CELL_NUMBER;
        cell.is.number = value;
    }
    table_add(t, &cell);
}

void table_integer(result_table *t, uint64_t value)
{
    table_cell cell = {CELL_INTEGER, {0}};
    cell.is.integer = value;
    table_add(t, &cell);
}

void table_empty(result_table *t)
{
    const table_cell cell = {CELL_EMPTY, {0}};
    table_add(t, &cell);
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

/* Bytes that are not UTF-8 become U+FFFD, control characters but a tab and a line's end
 * blanks: a name that was typed, or a file's, may hold any. */
void csv_quote(output *out, const char *text)
{
    const int quoted = strpbrk(text, ",\"\r\n#") != NULL;
    if (quoted) output_bytes(out, "\"", 1);
    while (*text != '\0') {
        const unsigned char c = (unsigned char)*text;
        const size_t length = utf8_length(text);
        if (c == '"') output_bytes(out, "\"", 1);
        if (length == 0) output_bytes(out, "\xEF\xBF\xBD", 3);
        else if ((c < 0x20 && c != '\t' && c != '\n') || c == 0x7F) output_bytes(out, " ", 1);
        else output_bytes(out, text, length);
        text += length > 0 ? length : 1;
    }
    if (quoted) output_bytes(out, "\"", 1);
}

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
        csv_quote(out, t->columns[c].name);
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

static void see_text(human_column *column, const char *text)
{
    if (text == column->text) return;
    column->text = text;
    column->text_bytes = strlen(text);
    column->text_width = utf8_width(text);
    if (column->width < column->text_width) column->width = column->text_width;
}

static int digits_of(const result_table *t, size_t c)
{
    return t->columns[c].digits > 0 ? t->columns[c].digits : 5;
}

/* The text of a number, which the column keeps. */
static void write_number(const result_table *t, size_t i, size_t c)
{
    const table_cell *cell = &t->cells[i];
    human_column *column = &t->human[c];
    if (is_as_above(t, i)) return;
    if (cell->kind == CELL_NUMBER)
        column->number_length = number_round(cell->is.number, digits_of(t, c), column->number);
    else
        column->number_length = number_integer(cell->is.integer, column->number);
}

static void see_cell(result_table *t, size_t i, size_t c)
{
    const table_cell *cell = &t->cells[i];
    human_column *column = &t->human[c];
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
    t->human = (human_column *)tool_alloc(t->width, sizeof *t->human);
    for (i = 0; i < t->width; i++) see_text(&t->human[i], t->columns[i].name);
    for (i = 0; i < t->count; i++) see_cell(t, i, i % t->width);
}

static void print_padded(output *out, const char *text, size_t bytes, size_t have,
                         const human_column *column, int last)
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
static void print_number(output *out, const human_column *column, int last)
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
    human_column *column = &t->human[c];
    see_text(column, text);
    print_padded(out, column->text, column->text_bytes, column->text_width, column,
                 c + 1 == t->width);
}

static void human_head(const result_table *t, output *out)
{
    const char *const begin = paint(PAINT_HEADING), *const end = paint_end(PAINT_HEADING);
    size_t c;
    output_bytes(out, begin, strlen(begin));
    for (c = 0; c < t->width; c++) human_text(t, c, t->columns[c].name, out);
    assert(out->text[out->length - 1] == '\n');
    out->length--;
    output_bytes(out, end, strlen(end));
    output_bytes(out, "\n", 1);
}

static void human_rows(const result_table *t, output *out)
{
    size_t i, c;
    for (i = c = 0; i < t->count; i++) {
        const human_column *column = &t->human[c];
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

/* ---- Both ------------------------------------------------------------------ */

void table_print(result_table *t, output *out, output_format format)
{
    assert(t->count % t->width == 0);
    if (format == FORMAT_CSV) {
        csv_head(t, out);
        csv_rows(t, out);
    } else {
        measure(t);
        human_head(t, out);
        human_rows(t, out);
    }
}

void table_free(result_table *t)
{
    tool_free(t->cells);
    t->cells = NULL;
    t->count = t->capacity = 0;
}
