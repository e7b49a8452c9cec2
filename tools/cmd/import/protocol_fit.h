/* protocol_fit.h - constants of collectives (--protocols) from measured times
 *
 * In each range of sizes a row holds for one machine or for several. It is a ring or, for an
 * all-reduce, a double tree, in form streamed: base_s, a latency of each hop and a rate, which
 * times have as a sum. sgdfit_nnls finds the least relative errors. Of the two forms the one that
 * errs less is kept, the other too where it errs hardly more: then the faster one counts, as in a
 * library. Where all times of several machines are of one number of machines, those of one
 * machine tell the latency inside. */
#ifndef TOOLS_CMD_IMPORT_PROTOCOL_FIT_H
#define TOOLS_CMD_IMPORT_PROTOCOL_FIT_H

#include "import/nccl.h"

typedef struct protocol_rows {
    sgdpar_protocol *protocol; /* [count]                                           */
    size_t count, room;
} protocol_rows;

/* Rows from point[count], but those of left_out machines and accelerators each where
 * left_out->machines > 0. */
void protocols_fit(protocol_rows *to, const nccl_points *points, const sgdpar_topology *left_out);

/* The time by these rows; NAN: none holds. */
double protocols_time(const protocol_rows *rows, const nccl_point *at);

#endif /* TOOLS_CMD_IMPORT_PROTOCOL_FIT_H */
