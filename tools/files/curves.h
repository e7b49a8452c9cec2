/* curves.h - tables over numbers of nodes: throughputs, or service times */
#ifndef TOOLS_FILES_CURVES_H
#define TOOLS_FILES_CURVES_H

#include "base/csv.h"
#include "base/names.h"
#include "sgdperf_sched.h"

/* Values for 1, 2, ... nodes under each of several names. */
typedef struct curve_set {
    const csv_table *file;    /* NULL: not from a file                              */
    name_index  names;        /* in order of first appearance                       */
    double    **value;        /* [names.count][nodes] > 0                           */
    uint32_t   *nodes;        /* [names.count]                                      */
    size_t     *row;          /* [names.count] the name's first in the file         */
} curve_set;

/* A file of columns `name`, nodes and `value`, rows in any order. The nodes of a name
 * go from 1 up without gaps. It fails like all that reads files. */
void curves_read(curve_set *set, const char *path, unsigned flags, const char *name,
                 const char *value);

/* Curves that need no file, under the name `text`, on 1 .. nodes nodes, one node doing 1:
 *   linear       n nodes do n
 *   amdahl:0.05  the part 0.05 of the work is for one node alone: 1 / (0.05 + 0.95 / n)
 * 1, or 0 where the text is neither; fails over a part that is no number in [0, 1]. */
int curves_built_in(curve_set *set, const char *text, uint32_t nodes);

/* The column curve of a table of jobs, which must be there but for a curve that is built in:
 * CSV_NONE, that is the curve of all. */
int curves_column(const curve_set *set, const csv_table *jobs);

/* The number of the curve that a row names; fails where `from`, --curves, has no such. */
size_t curves_of_row(const curve_set *set, const csv_table *jobs, size_t row, int column,
                     const char *from);

/* What the scheduler takes; service != 0: values are service times. */
sgdsched_curve *curves_list(const curve_set *set, int service);

#endif /* TOOLS_FILES_CURVES_H */
