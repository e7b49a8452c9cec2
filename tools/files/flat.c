/* flat.c - CSV and JSON of the program, as one table */
#include "files/flat.h"

#include "base/json.h"
#include "base/output.h"
#include "base/words.h"

#include <string.h>

/* ---- Strings --------------------------------------------------------------- */

/* The four hexadecimal digits behind "\u", which the reader has checked. */
static unsigned hexadecimal(const char *text)
{
    unsigned value = 0;
    for (int i = 0; i < 4; i++) {
        const char c = text[i];
        value = value * 16 + (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

/* The character of "\uXXXX" at *text, or of a pair of them; *text moves behind. */
static unsigned long escaped(const char **text, const char *end)
{
    const unsigned high = hexadecimal(*text + 2);
    unsigned low = 0;
    *text += 6;
    if (high < 0xD800 || high > 0xDFFF) return high;
    if (high < 0xDC00 && end - *text >= 6 && (*text)[0] == '\\' && (*text)[1] == 'u')
        low = hexadecimal(*text + 2);
    if (low < 0xDC00 || low > 0xDFFF) return 0xFFFD;
    *text += 6;
    return 0x10000 + ((unsigned long)(high - 0xD800) << 10) + (low - 0xDC00);
}

static char *put_utf8(char *to, unsigned long c)
{
    if (c < 0x20 || (c >= 0x7F && c < 0xA0)) c = ' ';
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xC0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3F));
    } else {
        if (c < 0x10000) {
            *to++ = (char)(0xE0 | c >> 12);
        } else {
            *to++ = (char)(0xF0 | c >> 18);
            *to++ = (char)(0x80 | (c >> 12 & 0x3F));
        }
        *to++ = (char)(0x80 | (c >> 6 & 0x3F));
        *to++ = (char)(0x80 | (c & 0x3F));
    }
    return to;
}

char *flat_string(const char *text, size_t length)
{
    char *plain = tool_alloc((uint64_t)length + 1, 1), *to = plain;
    const char *end = text + length;
    while (text < end) {
        if (*text != '\\') {
            *to++ = *text == 0x7F ? ' ' : *text;   /* the reader refuses other controls */
            text++;
        } else if (text[1] == 'u') {
            to = put_utf8(to, escaped(&text, end));
        } else {
            *to++ = strchr("\"\\/", text[1]) ? text[1] : ' ';
            text += 2;
        }
    }
    return plain;
}

/* ---- JSON to a table ------------------------------------------------------- */

enum { PATH = 160, MOST_ROWS = 100000, MOST_CELLS = 10000000 };

typedef struct cell { size_t row, column; const char *text; } cell;

typedef struct flattener {
    json_reader json;
    const char *name;
    name_index *columns;
    cell       *list;
    size_t      count, room, rows, line_room;
    size_t     *line;         /* [rows] of the objects                              */
    const char *job;          /* of the points that come, or NULL                   */
} flattener;

TOOL_NORETURN static void wrong(const flattener *f, const char *what)
{
    tool_fail("%s:%lu: %s", f->name, (unsigned long)f->json.line,
              f->json.wrong ? f->json.wrong : what);
}

static void add_cell(flattener *f, const char *key, const char *text)
{
    f->list = tool_one_more(f->list, f->count, &f->room, sizeof *f->list);
    cell *c = &f->list[f->count++];
    if (names_add(f->columns, key, strlen(key), &c->column) == NAMES_FULL)
        tool_fail("out of memory");
    c->row = f->rows;
    c->text = text;
}

static void add_row(flattener *f, size_t line)
{
    if (f->rows == MOST_ROWS)
        tool_fail("%s:%lu: the file has more than %d rows",
                  f->name, (unsigned long)line, (int)MOST_ROWS);
    f->line = tool_one_more(f->line, f->rows, &f->line_room, sizeof *f->line);
    f->line[f->rows++] = line;
}

/* The members of an object, behind its bracket. */
static void read_object(flattener *f, const char *prefix, int top);

static void read_points(flattener *f)
{
    json_token token;
    while ((token = json_next(&f->json)) == JSON_OBJECT) {
        const size_t before = f->count, rows = f->rows, line = f->json.line;
        read_object(f, "", 1);
        if (f->rows > rows) continue;  /* points of its own                         */
        if (f->job && f->count > before) add_cell(f, "job", f->job);
        if (f->count > before) add_row(f, line);
    }
    while (token == JSON_STRING || token == JSON_NUMBER || token == JSON_ARRAY ||
           token == JSON_TRUE || token == JSON_FALSE || token == JSON_NULL) {
        if (!json_skip(&f->json, token)) wrong(f, "a value is missing");
        token = json_next(&f->json);
    }
    if (token != JSON_CLOSE) wrong(f, "a point is not an object");
}

static int is_rows(const char *key)
{
    static const char *const keys[] = {"points", "curve", "rows", "jobs", "allocations",
                                       "stages", "results"};
    return words_find(keys, COUNT_OF(keys), key) < COUNT_OF(keys);
}

/* Rows for the times of the steps of each worker. */
static void read_step_ends(flattener *f)
{
    json_token token, inner;
    while ((token = json_next(&f->json)) == JSON_ARRAY) {
        while ((inner = json_next(&f->json)) == JSON_NUMBER) {
            add_cell(f, "end_s", flat_string(f->json.text, f->json.length));
            add_cell(f, "step", "");
            add_row(f, f->json.line);
        }
        if (inner != JSON_CLOSE) wrong(f, "an end of a step is not a number");
    }
    if (token != JSON_CLOSE) wrong(f, "the ends of a worker's steps are not an array");
}

/* What simulate prints of a run over time is all that is asked for: forgets the rest. */
static int is_over_time(flattener *f, const char *path)
{
    if (strcmp(path, "over_time") != 0 && strcmp(path, "step_ends_s") != 0) return 0;
    names_free(f->columns);
    f->count = f->rows = 0;
    return 1;
}

static void read_member(flattener *f, const char *path, int top)
{
    const json_token token = json_next(&f->json);
    if (token == JSON_OBJECT) {
        read_object(f, path, 0);
    } else if (token == JSON_ARRAY && top && is_over_time(f, path)) {
        if (*path == 's') read_step_ends(f);
        else read_points(f);
    } else if (token == JSON_ARRAY && top && is_rows(path)) {
        read_points(f);
    } else if (token == JSON_STRING || token == JSON_NUMBER) {
        const char *text = flat_string(f->json.text, f->json.length);
        if (top && strcmp(path, "job") == 0) f->job = text;
        add_cell(f, path, text);
    } else if (!json_skip(&f->json, token)) {
        wrong(f, "a value is missing");
    }
}

static void read_object(flattener *f, const char *prefix, int top)
{
    const size_t used = strlen(prefix);
    char path[PATH];
    json_token token;
    while ((token = json_next(&f->json)) == JSON_KEY) {
        const size_t length = f->json.length;
        if (used + length + 2 > PATH) wrong(f, "a key is too long");
        memcpy(path, prefix, used);
        if (used > 0) path[used] = '_';
        memcpy(path + used + (used > 0), f->json.text, length);
        path[used + (used > 0) + length] = '\0';
        read_member(f, path, top);
    }
    if (token != JSON_CLOSE) wrong(f, "an object does not end");
}

/* In quotes, and doubled the quotes in it. */
static void put_cell(output *csv, const char *text)
{
    output_print(csv, "\"");
    for (; *text != '\0'; text++) output_print(csv, *text == '"' ? "\"\"" : "%c", *text);
    output_print(csv, "\"");
}

/* Cells outside of any point are of all the file, and left out where there are points. */
static void put_table(flattener *f, output *csv)
{
    const size_t columns = f->columns->count, rows = f->rows > 0 ? f->rows : 1;
    const char **grid = tool_alloc((uint64_t)rows * columns, sizeof *grid);
    for (size_t i = 0; i < f->count; i++)
        if (f->list[i].row < rows)
            grid[f->list[i].row * columns + f->list[i].column] = f->list[i].text;
    for (size_t j = 0; j < columns; j++) {
        output_print(csv, j > 0 ? "," : "");
        put_cell(csv, names_text(f->columns, j));
    }
    for (size_t i = 0; i < rows * columns; i++) {
        output_print(csv, i % columns > 0 ? "," : "\n");
        put_cell(csv, grid[i] ? grid[i] : "");
    }
    output_print(csv, "\n");
}

static void parse(csv_table *table, const char *name, const char *data, size_t length)
{
    char message[256];
    if (!csv_parse(table, name, data, length, 0, message, sizeof message))
        tool_fail("%s", message);
}

/* Through CSV, whose table has all that a row can be asked for. */
static void flatten(flat_file *file, const char *name, const char *data, size_t length)
{
    csv_table *table = file->table;
    flattener f = {.name = name, .columns = &file->columns};
    output csv = {0};
    json_read(&f.json, data, length);
    (void)json_next(&f.json);          /* the object that flat_parse has seen           */
    read_object(&f, "", 1);
    if (json_next(&f.json) != JSON_END) wrong(&f, "text follows the object");
    if (f.columns->count == 0) tool_fail("%s: the file holds nothing to plot", name);
    if (f.columns->count > MOST_CELLS / (f.rows + 1))
        tool_fail("%s: %lu columns in %lu rows are too many for a picture: remove columns or rows",
                  name,
                  (unsigned long)f.columns->count, (unsigned long)f.rows);
    put_table(&f, &csv);
    parse(table, name, csv.text, csv.length);
    table->header_line = 1;
    if (f.rows > 0) memcpy(table->line, f.line, f.rows * sizeof *f.line);
    else table->line[0] = 1;
}

void flat_parse(flat_file *file, const char *name, const char *data, size_t length)
{
    size_t at = 0;
    memset(file, 0, sizeof *file);
    file->table = tool_alloc(1, sizeof *file->table);
    while (at < length && data[at] != '\0' && strchr(" \t\r\n", data[at])) at++;
    if (at < length && data[at] == '{')
        flatten(file, name, data, length);
    else
        parse(file->table, name, data, length);
}

void flat_free(flat_file *file)
{
    names_free(&file->columns);
    if (file->table) csv_free(file->table);
    file->table = NULL;
}
