/* layers.c - a table of layers */
#include "files/layers.h"

const csv_table *layers_read(const char *path, sgdsim_layer **layer, int *column)
{
    const csv_table *t = csv_read(path, 0);
    const int name = csv_require(t, "layer"), bytes = csv_require(t, "bytes");
    const int forward = csv_require(t, "forward_s"), backward = csv_require(t, "backward_s");
    const int update = csv_require(t, "update_s");
    size_t i;
    if (t->rows > LAYERS_MOST)
        csv_fail(t, LAYERS_MOST, CSV_NONE, "more than %d layers", (int)LAYERS_MOST);
    *layer = (sgdsim_layer *)tool_alloc(t->rows, sizeof **layer);
    *column = name;
    for (i = 0; i < t->rows; i++) {
        sgdsim_layer *of = *layer + i;
        if (csv_is_empty(t, i, name)) csv_fail(t, i, name, "the cell is empty");
        of->bytes = csv_number(t, i, bytes, NUMBER_NON_NEGATIVE);
        of->forward_s = csv_number(t, i, forward, NUMBER_NON_NEGATIVE);
        of->backward_s = csv_number(t, i, backward, NUMBER_NON_NEGATIVE);
        of->update_s = csv_number(t, i, update, NUMBER_NON_NEGATIVE);
    }
    csv_unique(t, &name, 1);
    return t;
}
