/* layers.h - a table of layers: columns layer, bytes, forward_s, backward_s, update_s, and
 * perhaps tensors, what the bytes are made of: "256+256" */
#ifndef TOOLS_FILES_LAYERS_H
#define TOOLS_FILES_LAYERS_H

#include "sgdperf_parallel.h"
#include "sgdperf_sim.h"
#include "base/csv.h"

enum { LAYERS_MOST = 13106 };          /* of sgdsim_trace_layers                       */

/* The layers of the file at `path`, one a row, in its order. Names must be there and
 * differ. *column: that of the names. Fails like all that reads files. */
const csv_table *layers_read(const char *path, sgdsim_layer **layer, int *column);

/* The same of a table that was read. */
void layers_take(const csv_table *t, sgdsim_layer **layer, int *column);

/* Is it a table of layers, and no profile? */
int layers_are(const csv_table *t);

/* The tensors of layers as PyTorch's buckets take them, in the order in which gradients are
 * there: layers from the last to the first, of each the tensors of its cell from the last to
 * the first, all of them when the layer's backward pass has ended. Of layers without any the
 * time is the next one's; *tail_s: that of the first layers, behind the last gradient. Fails
 * without a column tensors, and where a cell's whole numbers do not add up to the bytes. */
sgdpar_tensor *layers_tensors(const csv_table *t, const sgdsim_layer *layer, size_t *count,
                              double *tail_s);

/* Fails over the first layer whose numbers could not be added up. */
void layers_check_sums(const csv_table *t, const sgdsim_layer *layer);

#endif /* TOOLS_FILES_LAYERS_H */
