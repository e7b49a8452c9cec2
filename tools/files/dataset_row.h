/* dataset_row.h - one row of dataset.h: its columns, its job and what it lacks */
#ifndef TOOLS_FILES_DATASET_ROW_H
#define TOOLS_FILES_DATASET_ROW_H

#include "files/dataset.h"

/* Numbers of a job. An empty cell leaves its field 0. */
enum dataset_number {
    FORWARD = 0, BACKWARD, UPDATE, MODEL_BYTES, BANDWIDTH, BATCH, STEP, UPLINK, DOWNLINK,
    LATENCY, FLOW_CAP, LOCAL_BANDWIDTH, WORKER_BANDWIDTH, DELAY,
    PORT_BUFFER, CV, NUMBERS
};

typedef struct dataset_columns { /* of one file */
    const csv_table *file;
    int dataset, point, mode, workers, servers, overlap, measured;
    int fit, group, role, gpus, types, layers, steps, inputs, pool, curve;
    int number[NUMBERS];
} dataset_columns;

/* The columns of a file, or fails. */
dataset_columns dataset_find_columns(const csv_table *t);

/* Row r->row of r->file, all but its dataset and group; returns what its group fits. */
dataset_fit dataset_read_row(dataset_row *r, const dataset_columns *c);

/* Of a row whose job is read: how it was run. */
void dataset_read_run(dataset_row *r);

/* Do two rows differ in workers, servers and batch only, as far as models can tell? */
int dataset_same_surface(const dataset_row *a, const dataset_row *b);

#endif /* TOOLS_FILES_DATASET_ROW_H */
