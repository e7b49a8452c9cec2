/* rivals.h - all measured rows by kind of cluster: how far off the usual models are, and how far
 * off simple rivals are at the same rows */
#ifndef TOOLS_MODEL_RIVALS_H
#define TOOLS_MODEL_RIVALS_H

#include "model/validation.h"

/* Linear scaling starts from the smallest configuration, as ours does. Amdahl's law and USL are
 * fitted to that configuration and to the points that calibrated ours. USL needs three points, so
 * it is also fitted to the smaller rows of the curve. Printed: what the source's own model says. */
enum { RIVAL_LINEAR = 0, RIVAL_AMDAHL, RIVAL_USL, RIVAL_PRINTED, RIVALS };

extern const char *const rival_words[RIVALS];

/* Mean errors of ours and of a rival over the rows that both predict. */
typedef struct rival_pair { size_t rows; double ours, theirs; } rival_pair;

typedef struct rival_line {
    const char *kind, *source; /* source NULL: all sources of the kind                      */
    size_t      rows, sources;
    double      error;        /* mean of |predicted - measured| / measured throughput, of  */
                              /*   an all-reduce of its time                               */
    size_t      fast;         /* rows predicted too fast                                   */
    size_t      banded, inside; /* rows with a band, and those of them that lie in it      */
    rival_pair  rival[RIVALS];
} rival_line;

typedef struct rival_table {
    rival_line *line;         /* [lines] of kinds                                          */
    size_t      lines;
    rival_line *by_source;    /* [source_lines] of the sources of each kind                */
    size_t      source_lines;
    size_t      measurements; /* distinct ones                                             */
    size_t      sources;
} rival_table;

/* The scored rows that the usual models predict; everything: also the all-reduces of
 * validation/collectives. */
void rivals_read(rival_table *f, validation *v, int everything);

#endif /* TOOLS_MODEL_RIVALS_H */
