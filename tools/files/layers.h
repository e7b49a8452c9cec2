/* layers.h - a table of layers: columns layer, bytes, forward_s, backward_s, update_s */
#ifndef TOOLS_FILES_LAYERS_H
#define TOOLS_FILES_LAYERS_H

#include "sgdperf_sim.h"
#include "base/tool.h"

enum { LAYERS_MOST = 13106 };          /* of sgdsim_trace_layers                       */

/* The layers of the file at `path`, one a row, in its order. Names must be there and
 * differ. *column: that of the names. Fails like all that reads files. */
const csv_table *layers_read(const char *path, sgdsim_layer **layer, int *column);

#endif /* TOOLS_FILES_LAYERS_H */
