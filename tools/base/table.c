/* table.c - tables of results, printed for a human or as CSV */
#include "base/inside.h"

#include <float.h>
#include <string.h>

typedef enum cell_kind { CELL_EMPTY = 0, CELL_TEXT, CELL_NUMBER, CELL_INTEGER } cell_kind;

typedef struct table_cell {
    cell_kind kind;
    union { uint64_t integer; double number; const char *text; } is;
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

/* ---- Cells ----------------------------------------------------------------- */

static table_cell *table_add(result_table *t, cell_kind kind)
{
    table_cell *cell;
    if (t->count == t->capacity) {
        const size_t room = t->capacity < 64 ? 64 : 2 * t->capacity;
        t->cells = (table_cell *)tool_resize(t->cells, room, sizeof *t->cells);
        t->capacity = room;
    }
    cell = &t->cells[t->count++];
    cell->kind = kind;
    cell->is.integer = 0;
    return cell;
}

/* A text that stands in the row above as well is kept once. */
void table_text(result_table *t, const char *text)
{
    const size_t at = t->count;
    table_cell *cell = table_add(t, CELL_TEXT);
    const table_cell *above = at >= t->width ? &t->cells[at - t->width] : NULL;
    if (above && above->kind == CELL_TEXT && strcmp(above->is.text, text) == 0)
        cell->is.text = above->is.text;
    else
        cell->is.text = text_copy(text);
}

void table_number(result_table *t, double value)
{
    if (value >= -DBL_MAX && value <= DBL_MAX) table_add(t, CELL_NUMBER)->is.number = value;
    else table_empty(t);
}

void table_integer(result_table *t, uint64_t value)
{
    table_add(t, CELL_INTEGER)->is.integer = value;
}

void table_empty(result_table *t) { table_add(t, CELL_EMPTY); }

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
static void csv_quote(output *out, const char *text)
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
        if (above->length <= NUMBER_BYTES) memcpy(room, out->text + above->at, above->length);
        else memcpy(output_room(out, above->length), out->text + above->at, above->length);
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

static void table_print_csv(const result_table *t, output *out)
{
    csv_above *above = (csv_above *)tool_alloc(t->width, sizeof *above);
    size_t i, c;
    for (c = 0; c < t->width; c++) {
        if (c > 0) output_bytes(out, ",", 1);
        csv_quote(out, t->columns[c].name);
    }
    output_bytes(out, "\n", 1);
    for (i = c = 0; i < t->count; i++) {
        csv_cell(t, i, out, &above[c]);
        if (++c == t->width) c = 0;
        output_bytes(out, c == 0 ? "\n" : ",", 1);
    }
}

/* ---- For a human ----------------------------------------------------------- */

/* Characters on the screen: UTF-8 continuation bytes take no room. */
static size_t text_width(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

/* A column on the screen: how wide, and what stood in it last. */
typedef struct human_column {
    size_t      width;
    int         left;
    size_t      at, length;            /* of a number's text                            */
    const char *text;
    size_t      text_bytes, text_width;
} human_column;

/* All numbers' texts, one behind the other. */
typedef struct human_numbers {
    char          *text;
    size_t         used, room;
    unsigned char *length;             /* [cells]                                       */
} human_numbers;

static void write_number(const result_table *t, size_t i, human_column *column, int digits,
                         human_numbers *all)
{
    const table_cell *cell = &t->cells[i];
    char *text;
    if (all->room - all->used < NUMBER_BYTES) {
        all->room = 2 * all->room + 4096;
        all->text = (char *)tool_resize(all->text, all->room, 1);
    }
    text = all->text + all->used;
    if (is_as_above(t, i)) memcpy(text, all->text + column->at, column->length);
    else if (cell->kind == CELL_NUMBER)
        column->length = number_round(cell->is.number, digits > 0 ? digits : 5, text);
    else column->length = number_integer(cell->is.integer, text);
    column->at = all->used;
    all->used += column->length;
    all->length[i] = (unsigned char)column->length;
    if (column->width < column->length) column->width = column->length;
}

static void see_text(human_column *column, const char *text)
{
    if (text == column->text) return;
    column->text = text;
    column->text_bytes = strlen(text);
    column->text_width = text_width(text);
    if (column->width < column->text_width) column->width = column->text_width;
}

/* The widths of columns; those of text are aligned left, all others right. */
static void measure(const result_table *t, human_column *column, human_numbers *all)
{
    size_t i, c;
    for (c = 0; c < t->width; c++) see_text(&column[c], t->columns[c].name);
    for (i = c = 0; i < t->count; i++) {
        const cell_kind kind = t->cells[i].kind;
        if (kind == CELL_TEXT) {
            see_text(&column[c], t->cells[i].is.text);
            column[c].left = 1;
        } else if (kind == CELL_EMPTY) {
            if (column[c].width < 1) column[c].width = 1;
        } else {
            write_number(t, i, &column[c], t->columns[c].digits, all);
        }
        if (++c == t->width) c = 0;
    }
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

static void table_print_human(const result_table *t, output *out)
{
    human_column *column = (human_column *)tool_alloc(t->width, sizeof *column);
    human_numbers all = {NULL, 0, 0, NULL};
    const char *number;
    size_t i, c;
    all.length = (unsigned char *)tool_alloc(t->count, 1);
    measure(t, column, &all);
    for (c = 0; c < t->width; c++) {
        see_text(&column[c], t->columns[c].name);
        print_padded(out, column[c].text, column[c].text_bytes, column[c].text_width,
                     &column[c], c + 1 == t->width);
    }
    number = all.text;
    for (i = c = 0; i < t->count; i++) {
        const int last = c + 1 == t->width;
        if (t->cells[i].kind == CELL_TEXT) {
            see_text(&column[c], t->cells[i].is.text);
            print_padded(out, column[c].text, column[c].text_bytes, column[c].text_width,
                         &column[c], last);
        } else if (t->cells[i].kind == CELL_EMPTY) {
            print_padded(out, "-", 1, 1, &column[c], last);
        } else {
            print_padded(out, number, all.length[i], all.length[i], &column[c], last);
            number += all.length[i];
        }
        c = last ? 0 : c + 1;
    }
    tool_free(all.text);
    tool_free(all.length);
}

void table_print(const result_table *t, output *out, output_format format)
{
    if (format == FORMAT_CSV) table_print_csv(t, out);
    else table_print_human(t, out);
}

void table_free(result_table *t)
{
    tool_free(t->cells);
    t->cells = NULL;
    t->count = t->capacity = 0;
}
