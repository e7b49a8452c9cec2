/* nccl.h - logs of nccl-tests (all_reduce_perf and its kin): how long collectives took */
#ifndef TOOLS_IMPORT_NCCL_H
#define TOOLS_IMPORT_NCCL_H

#include "base/stream.h"
#include "sgdperf_parallel.h"

#include <stddef.h>
#include <stdint.h>

/* A row of a log: out of place, or in place where that is all there is. */
typedef struct nccl_point {
    sgdpar_collective collective;
    uint32_t machines, gpus;  /* accelerators of each machine                       */
    double   bytes, time_s;   /* of the whole vector                                */
} nccl_point;

typedef struct nccl_points {
    nccl_point *point;        /* [count] in the order of the files                  */
    size_t count, room;
    size_t alone;             /* left out: of one accelerator                       */
    size_t wrong;             /*   with wrong results                               */
    size_t empty;             /*   of no bytes or no time                           */
    size_t cut;               /*   the last row of a file, of which a part is there */
} nccl_points;

/* Adds the rows of a file, of any number of runs. gpus: accelerators of a machine; 0: as the log
 * names hosts. Fails over a file that holds no table of nccl-tests, and over a row that is not
 * like its header. */
void nccl_read(nccl_points *to, stream *s, uint32_t gpus);

/* Do these first bytes begin such a log? */
int nccl_recognises(const char *head, size_t length);

#endif /* TOOLS_IMPORT_NCCL_H */
