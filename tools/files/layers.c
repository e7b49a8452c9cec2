/* layers.c - a table of layers */
#include "files/layers.h"

#include "options/args.h"

#include <string.h>

int layers_are(const csv_table *t)
{
    int found = 0;
    for (int i = 0; i < t->columns; i++)
        if (strcmp(t->header[i], "layer") == 0 || strcmp(t->header[i], "bytes") == 0) found++;
    return found == 2;
}

const csv_table *layers_read(const char *path, sgdsim_layer **layer, int *column)
{
    const csv_table *t = csv_read(path, 0);
    layers_take(t, layer, column);
    return t;
}

void layers_take(const csv_table *t, sgdsim_layer **layer, int *column)
{
    CSV_REQUIRE(t, "layer", "bytes", "forward_s", "backward_s", "update_s");
    const int name = csv_require(t, "layer"), bytes = csv_require(t, "bytes");
    const int forward = csv_require(t, "forward_s"), backward = csv_require(t, "backward_s");
    const int update = csv_require(t, "update_s");
    if (t->rows > LAYERS_MOST)
        csv_fail(t, LAYERS_MOST, CSV_NONE, "the table has more than %d layers", (int)LAYERS_MOST);
    *layer = tool_alloc(t->rows, sizeof **layer);
    *column = name;
    for (size_t i = 0; i < t->rows; i++) {
        sgdsim_layer *of = *layer + i;
        if (csv_is_empty(t, i, name)) csv_fail(t, i, name, "the cell is empty");
        of->bytes = csv_number(t, i, bytes, NUMBER_NON_NEGATIVE);
        of->forward_s = csv_number(t, i, forward, NUMBER_NON_NEGATIVE);
        of->backward_s = csv_number(t, i, backward, NUMBER_NON_NEGATIVE);
        of->update_s = csv_number(t, i, update, NUMBER_NON_NEGATIVE);
    }
    csv_unique(t, &name, 1);
}

void layers_check_sums(const csv_table *t, const sgdsim_layer *layer)
{
    const double most = 1e280;             /* so many layers, times and micro-batches */
    for (size_t i = 0; i < t->rows; i++) {
        const sgdsim_layer *l = &layer[i];
        if (!(l->forward_s + l->backward_s + l->update_s + l->bytes <= most))
            csv_fail(t, i, CSV_NONE, "a time or size of the layer is too large");
    }
}

/* ---- Tensors --------------------------------------------------------------- */

enum { TENSORS_MOST = 1000000 };

/* The sizes in a cell, in its order; they must be the layer's bytes. */
static size_t read_cell(const csv_table *t, size_t row, int column, double bytes,
                        uint64_t **size)
{
    static const uint64_t most = (uint64_t)1 << 53;
    char **part = NULL;
    uint64_t sum = 0;
    size_t n = 0;
    *size = NULL;
    if (!csv_is_empty(t, row, column)) n = args_split(csv_text(t, row, column), '+', &part);
    if (n > TENSORS_MOST) csv_fail(t, row, column, "has more than %d tensors", (int)TENSORS_MOST);
    *size = tool_alloc(n, sizeof **size);
    for (size_t i = 0; i < n; i++) {
        const char *wrong = number_whole(part[i], 1, most, &(*size)[i]);
        if (wrong) csv_fail(t, row, column, "'%s' %s", part[i], wrong);
        if ((*size)[i] > most - sum) csv_fail(t, row, column, "the sizes sum to more than 2^53 "
                                                              "bytes");
        sum += (*size)[i];
    }
    if ((double)sum < bytes || (double)sum > bytes)
        csv_fail(t, row, column, "the tensors have %llu bytes, but the layer has %.17g",
                 (unsigned long long)sum, bytes);
    return n;
}

sgdpar_tensor *layers_tensors(const csv_table *t, const sgdsim_layer *layer, size_t *count,
                              double *tail_s)
{
    const int column = csv_column(t, "tensors");
    sgdpar_tensor *list = NULL;
    size_t room = 0;
    double open_s = 0.0;
    *count = 0;
    if (column == CSV_NONE)            /* column output_bytes: import wrote the table   */
        tool_fail("%s:%lu: column 'tensors' is missing: %s", t->name,
                  (unsigned long)t->header_line, csv_column(t, "output_bytes") != CSV_NONE
                  ? tool_text("import its source again with %s FILE --whole-layers, which adds "
                              "the column", NAME_OF(LAYERS))
                  : "give the sizes of the tensors of each layer, as 256+256; if only layers are "
                    "known, copy column 'bytes' and leave cells of 0 empty");
    for (size_t row = t->rows; row-- > 0;) {
        uint64_t *size;
        const size_t n = read_cell(t, row, column, layer[row].bytes, &size);
        open_s += layer[row].backward_s;
        if (n == 0) continue;
        list = tool_grow(list, *count, &room, *count + n, sizeof *list);
        for (size_t k = n; k-- > 0;) {
            list[*count].bytes = size[k];
            list[*count].backward_s = open_s;
            open_s = 0.0;
            ++*count;
        }
    }
    if (*count == 0) csv_fail(t, 0, column, "no layer has a tensor");
    *tail_s = open_s;
    return list;
}
