/* layers.h - a table of layers: columns layer, bytes, forward_s, backward_s, update_s */
#ifndef TOOLS_FILES_LAYERS_H
#define TOOLS_FILES_LAYERS_H

#include "sgdperf_sim.h"
#include "base/tool.h"

enum { LAYERS_MOST = 65535 / 5 };      /* of which a step has five operations each */

/* The layers of the file at `path`, one a row, in its order. Names must be there and
 * differ. *column: that of the names. Fails like all that reads files. */
const csv_table *layers_read(const char *path, sgdsim_layer **layer, int *column);

/* By what the computation of profiled step `step`, as a whole, is longer than the mean: a
 * nearly normal number >= 0 of mean 1 and coefficient of variation cv, of the same bits on
 * every platform. */
double layers_variation(double cv, uint64_t seed, uint64_t step);

#endif /* TOOLS_FILES_LAYERS_H */
