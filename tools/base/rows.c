/* rows.c - results of many rows, as tables and as arrays: see rows.h */
#include "base/rows.h"

#include "base/printers.h"

static void print_all(output *out, field_rows *fields, size_t rows)
{
    rows_print(fields, rows, out);
    fields_free(fields);
}

void rows_table(output *out, const field *fields, size_t width, size_t rows)
{
    field_rows *made = fields_table(fields, width, rows, out->form);
    fields_head(made, out);
    print_all(out, made, rows);
}

void rows_more(output *out, const field *fields, size_t width, size_t rows)
{
    print_all(out, fields_table(fields, width, rows, CSV), rows);
}

void rows_json(output *out, const char *key, size_t rows, field_rows *elements)
{
    json_array(out, key);
    fields_end(elements);
    print_all(out, elements, rows);
    out->comma = rows > 0;
    json_end(out);
}
