/* columns.c - rows of columns, as tables and as JSON: see columns.h */
#include "base/columns.h"

#include <assert.h>
#include <math.h>
#include <string.h>

double known_if(int known, double value) { return known ? value : (double)NAN; }

void columns_open(columns *c, output *out, unsigned in, const char *key)
{
    memset(c, 0, sizeof *c);
    assert(out->form == SCREEN || out->form == CSV || out->form == JSON);
    c->out = out;
    c->in = in & out->form;
    c->key = key;
    if (c->in == JSON && key) json_array(out, key);
    if (c->in & TABLES) c->table = table_new(NULL, 0);
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
    table_print(c->table, c->out, c->in == CSV ? FORMAT_CSV : FORMAT_TABLE);
    table_free(c->table);
}

static int is_member(const columns *c, unsigned in)
{
    return (in & c->in & JSON) != 0 && !c->heading;
}

/* Is there a cell to be filled in a table? */
static int goes_on(const columns *c, unsigned in, const char *name, int digits)
{
    if (!c->table || (in & c->in) == 0) return 0;
    table_head(c->table, c->rows <= 1, name, digits);
    return !c->heading;
}

void column_text(columns *c, unsigned in, const char *name, const char *text)
{
    if (is_member(c, in)) json_string(c->out, name, text);
    if (!goes_on(c, in, name, 0)) return;
    if (text) table_text(c->table, text); else table_empty(c->table);
}

void column_round(columns *c, unsigned in, const char *name, int digits, double value)
{
    if (is_member(c, in)) json_number(c->out, name, value);
    if (goes_on(c, in, name, digits)) table_number(c->table, value);
}

void column_number(columns *c, unsigned in, const char *name, double value)
{
    column_round(c, in, name, 0, value);
}

void column_missing(columns *c, unsigned in, const char *name) { column_text(c, in, name, NULL); }

void column_whole(columns *c, unsigned in, const char *name, uint64_t value)
{
    if (is_member(c, in)) json_integer(c->out, name, value);
    if (goes_on(c, in, name, 0)) table_integer(c->table, value);
}

void column_whole_if(columns *c, unsigned in, const char *name, int known, uint64_t value)
{
    if (known) column_whole(c, in, name, value); else column_missing(c, in, name);
}
