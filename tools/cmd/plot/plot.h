/* plot.h - sgdperf plot: what its parts share
 *
 * read.c turns CSV and JSON into one table, or finds a timeline; throughput.c, step.c and
 * timeline.c draw; convert.c makes other formats of SVG. */
#ifndef TOOLS_CMD_PLOT_PLOT_H
#define TOOLS_CMD_PLOT_PLOT_H

#include "base/svg.h"

typedef enum plot_kind { PLOT_THROUGHPUT = 0, PLOT_STEP, PLOT_TIMELINE, PLOT_KINDS } plot_kind;

/* A slice of a timeline, on the row of its process and thread. */
typedef struct plot_slice { size_t row; double start_s, end_s; const char *name; } plot_slice;

typedef struct plot_input {
    const char      *name;     /* of the file                                       */
    const csv_table *table;    /* NULL: a timeline                                  */
    plot_slice      *slice;    /* [slices]                                          */
    size_t           slices;
    const char     **row;      /* [rows] "worker 0 uplink"                          */
    size_t           rows;
} plot_input;

typedef struct plot_job {
    plot_input       input;
    const csv_table *points;   /* measured, or NULL                                 */
    const char      *title;
    double           from_s, to_s; /* of a timeline; to_s 0: not given              */
    size_t           curves, dots, bars, drawn; /* of what was drawn                */
} plot_job;

plot_input plot_read(const char *path);

/* Reads the slices of a Chrome trace, of `length` bytes. */
void plot_read_timeline(plot_input *in, const char *data, size_t length);

/* The column, or CSV_NONE, without notes about others. */
int plot_column(const csv_table *t, const char *name);
double plot_number(const csv_table *t, size_t row, int column);

void plot_throughput(plot_job *job, output *svg);
void plot_step(plot_job *job, output *svg);
void plot_timeline(plot_job *job, output *svg);

/* Does the table have the parts of a step? */
int plot_has_parts(const csv_table *t);

/* Writes svg as `format`, "png" or "pdf", by a program that can, or fails. */
void plot_convert(const output *svg, const char *path, const char *format);

#endif /* TOOLS_CMD_PLOT_PLOT_H */
