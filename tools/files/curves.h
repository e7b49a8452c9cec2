/* curves.h - tables over numbers of nodes: throughputs, or service times */
#ifndef TOOLS_FILES_CURVES_H
#define TOOLS_FILES_CURVES_H

#include "base/names.h"
#include "sgdperf.h"
#include "cmd/rules.h"

/* Values for 1, 2, ... nodes under each of several names. */
typedef struct curve_set {
    const csv_table *file;    /* NULL: built in                                     */
    name_index  names;        /* in order of first appearance                       */
    double    **value;        /* [names.count][nodes] > 0                           */
    uint32_t   *nodes;        /* [names.count]                                      */
    size_t     *row;          /* [names.count] the name's first in the file         */
} curve_set;

/* A file of columns `name`, nodes and `value`, rows in any order. The nodes of a name
 * go from 1 up without gaps. It fails like all that reads files. */
void curves_read(curve_set *set, const char *path, unsigned flags, const char *name,
                 const char *value);

/* What the scheduler takes; service != 0: values are service times. */
sgdsched_curve *curves_list(const curve_set *set, int service);

/* The curves of a published workload, "four", "large" or "alexnet", on up to `nodes`
 * nodes, and its kinds of jobs; `links`: how those of a parameter server are shared.
 * Returns 0 for another name, else the number of kinds. */
size_t curves_of_workload(curve_set *set, const char *workload, uint32_t nodes,
                          sgdp_discipline links, int servers_apart, sgdsched_kind **kind);

#endif /* TOOLS_FILES_CURVES_H */
