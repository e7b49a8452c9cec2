/* read.c - CSV and JSON of the program, as one table */
#include "cmd/plot/plot.h"
#include "base/json.h"
#include "base/names.h"

#include <stdlib.h>
#include <string.h>

int plot_column(const csv_table *t, const char *name)
{
    int i;
    for (i = 0; i < t->columns; i++)
        if (strcmp(t->header[i], name) == 0) return i;
    return CSV_NONE;
}

double plot_number(const csv_table *t, size_t row, int column)
{
    return csv_number(t, row, column, NUMBER_NON_NEGATIVE);
}

/* ---- JSON to a table ------------------------------------------------------- */

typedef struct cell { size_t row, column; const char *text; size_t length; } cell;

typedef struct flattener {
    json_reader json;
    const char *name;
    name_index  columns;
    cell       *list;
    size_t      count, room, rows;
    const char *job;          /* of the points that come, or NULL                   */
    size_t      job_length;
} flattener;

static void wrong(const flattener *f, const char *what)
{
    tool_fail("%s:%lu: %s", f->name, (unsigned long)f->json.line,
              f->json.wrong ? f->json.wrong : what);
}

static void add_cell(flattener *f, const char *key, size_t key_length, const char *text,
                     size_t length)
{
    cell *c;
    if (f->count == f->room)
        f->list = (cell *)tool_grow(f->list, f->count, &f->room, f->count + 1, sizeof *f->list);
    c = &f->list[f->count++];
    if (names_add(&f->columns, key, key_length, &c->column) == NAMES_FULL)
        tool_fail("out of memory");
    c->row = f->rows;
    c->text = text;
    c->length = length;
}

enum { PATH = 160 };

/* The members of an object, behind its bracket: those of objects in it are called by both
 * keys, "time_s_worker_service"; arrays are left out, but for the points of `top`. */
static void read_object(flattener *f, const char *prefix, int top);

static void read_points(flattener *f)
{
    json_token token;
    while ((token = json_next(&f->json)) == JSON_OBJECT) {
        const size_t before = f->count, rows = f->rows;
        read_object(f, "", 1);
        if (f->rows > rows) continue;  /* points of its own                         */
        if (f->job && f->count > before) add_cell(f, "job", 3, f->job, f->job_length);
        f->rows++;
    }
    if (token != JSON_CLOSE) wrong(f, "a point that is no object");
}

static void read_member(flattener *f, const char *path, int top)
{
    const json_token token = json_next(&f->json);
    if (token == JSON_OBJECT) {
        read_object(f, path, 0);
    } else if (token == JSON_ARRAY && top &&
               (strcmp(path, "points") == 0 || strcmp(path, "jobs") == 0)) {
        read_points(f);
    } else if (token == JSON_STRING || token == JSON_NUMBER) {
        if (top && strcmp(path, "job") == 0) {
            f->job = f->json.text;
            f->job_length = f->json.length;
        }
        add_cell(f, path, strlen(path), f->json.text, f->json.length);
    } else if (!json_skip(&f->json, token)) {
        wrong(f, "no value");
    }
}

static void read_object(flattener *f, const char *prefix, int top)
{
    const size_t used = strlen(prefix);
    char path[PATH];
    json_token token;
    while ((token = json_next(&f->json)) == JSON_KEY) {
        const size_t length = f->json.length;
        if (used + length + 2 > PATH) wrong(f, "a key that is too long");
        memcpy(path, prefix, used);
        if (used > 0) path[used] = '_';
        memcpy(path + used + (used > 0), f->json.text, length);
        path[used + (used > 0) + length] = '\0';
        read_member(f, path, top);
    }
    if (token != JSON_CLOSE) wrong(f, "an object that does not end");
}

static void put_cell(output *text, const cell *c)
{
    size_t i;
    output_print(text, "\"");
    for (i = 0; c && i < c->length; i++)
        output_print(text, c->text[i] == '"' ? "\"\"" : "%c", c->text[i]);
    output_print(text, "\"");
}

/* Cells outside of any point are of all the file, and left out where there are points. */
static const csv_table *table_of(flattener *f)
{
    const size_t columns = f->columns.count, rows = f->rows > 0 ? f->rows : 1;
    const cell **grid = (const cell **)tool_alloc(rows * columns, sizeof *grid);
    csv_table *table = (csv_table *)tool_alloc(1, sizeof *table);
    output text = {0};
    char message[256];
    size_t i, j;
    if (columns == 0) tool_fail("%s: holds nothing to plot", f->name);
    for (i = 0; i < f->count; i++)
        if (f->list[i].row < rows) grid[f->list[i].row * columns + f->list[i].column] = &f->list[i];
    for (j = 0; j < columns; j++)
        output_print(&text, "%s\"%s\"", j > 0 ? "," : "", names_text(&f->columns, j));
    for (i = 0; i < rows; i++)
        for (j = 0; j < columns; j++) {
            output_print(&text, j > 0 ? "," : "\n");
            put_cell(&text, grid[i * columns + j]);
        }
    output_print(&text, "\n");
    names_free(&f->columns);
    if (!csv_parse(table, f->name, text.text, text.length, 0, message, sizeof message))
        tool_fail("%s", message);
    return table;
}

static const csv_table *flatten(const char *name, const char *data, size_t length)
{
    flattener f;
    memset(&f, 0, sizeof f);
    f.name = name;
    json_read(&f.json, data, length);
    if (json_next(&f.json) != JSON_OBJECT) wrong(&f, "is no JSON object of sgdperf");
    read_object(&f, "", 1);
    if (json_next(&f.json) != JSON_END) wrong(&f, "something follows the object");
    return table_of(&f);
}

/* ---- Files ----------------------------------------------------------------- */

/* Does a JSON file hold slices? "traceEvents" stands near its beginning. */
static int is_timeline(const char *data, size_t length)
{
    static const char key[] = "\"traceEvents\"";
    const size_t most = length < 4096 ? length : 4096, n = sizeof key - 1;
    size_t i;
    for (i = 0; i + n <= most; i++)
        if (memcmp(data + i, key, n) == 0) return 1;
    return 0;
}

plot_input plot_read(const char *path)
{
    plot_input in;
    csv_table *table;
    char message[256];
    size_t length, at = 0;
    char *data;
    memset(&in, 0, sizeof in);
    data = file_read(path, &in.name, &length);
    while (at < length && strchr(" \t\r\n", data[at])) at++;
    if (at < length && data[at] == '{') {
        if (is_timeline(data, length)) plot_read_timeline(&in, data, length);
        else in.table = flatten(in.name, data, length);
    } else {
        table = (csv_table *)tool_alloc(1, sizeof *table);
        if (!csv_parse(table, in.name, data, length, 0, message, sizeof message))
            tool_fail("%s", message);
        in.table = table;
    }
    free(data);
    return in;
}
