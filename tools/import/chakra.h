/* chakra.h - Chakra execution traces, to be written; import_chakra reads them
 *
 * A trace [mlcommons/chakra] is a graph of nodes that one rank runs: computations on its
 * processor or accelerator, sends, receives and collectives, each behind the nodes that it
 * depends on. It has durations, and mostly no times: which nodes run together is left to
 * the simulator that it is made for. */
#ifndef TOOLS_IMPORT_CHAKRA_H
#define TOOLS_IMPORT_CHAKRA_H

#include "sgdperf_sim.h"

#include <stdio.h>

/* Writes a trace: its steps one after the other, with `json` as JSON. With `rings` an uplink
 * is an all-reduce among the workers, else a send to a parameter server. What the schema has
 * no place for stands in attributes of ours, so that it reads back the same. */
typedef struct chakra_out *chakra_writer;

void chakra_begin(chakra_writer *w, FILE *to, int json, int rings);
void chakra_step(chakra_writer w, const sgdsim_op *op, const char *const *name, size_t ops);
void chakra_end(chakra_writer w);

#endif /* TOOLS_IMPORT_CHAKRA_H */
