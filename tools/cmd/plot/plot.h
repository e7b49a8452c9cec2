/* plot.h - sgdperf plot: what its parts share
 *
 * curves.c, rows.c, step.c and timeline.c draw pictures as SVG and describe them as JSON, from
 * which plots/picture.py draws them with matplotlib; engine.c has them drawn and writes them.
 * The table of pictures is that of command.c. */
#ifndef TOOLS_CMD_PLOT_PLOT_H
#define TOOLS_CMD_PLOT_PLOT_H

#include "base/csv.h"
#include "base/output.h"
#include "base/svg.h"
#include "files/flat.h"
#include "files/slices.h"

typedef enum plot_engine { PLOT_MATPLOTLIB = 0, PLOT_OWN, PLOT_ANY } plot_engine;

struct plot_job;

/* A label that ends in a blank is continued by a unit of time, one in % is of fractions. */
typedef struct plot_picture {
    const char *name, *title, *description;
    const char *needs[2];      /* columns, "a|b" the first of two; of curves x and y */
    const char *x_label, *y_label;
    void      (*draw)(struct plot_job *job, output *svg, output *json);
} plot_picture;

typedef struct plot_job {
    const plot_picture *picture;
    const char      *name;     /* of the file                                       */
    const csv_table *table;    /* NULL: a timeline                                  */
    flat_file        flat;
    slice_list       timeline;
    const csv_table *points;   /* measured, or NULL                                 */
    const char      *title;
    double           from_s, to_s; /* of a timeline; to_s 0: not given              */
    size_t           curves, dots, bars, drawn; /* of what was drawn                */
} plot_job;

/* All pictures, in the order of --picture; the one that the content of the file suggests. */
enum { PLOT_PICTURES = 14 };
extern const plot_picture plot_pictures[PLOT_PICTURES];
size_t plot_suggested(const plot_job *in);

/* The first of these columns that is there, or CSV_NONE, without notes about others. */
int plot_column(const csv_table *t, const char *const *names, size_t count);
double plot_number(const csv_table *t, size_t row, int column);
double plot_told(const csv_table *t, size_t row, int column); /* 0: the cell is empty */

/* Fails over more of something than a picture shows. */
void plot_check_count(const char *file, size_t count, const char *what, size_t most);

/* Begins the description of a picture with what all have: title, labels and ticks of its axes,
 * whose ranges are set. */
void plot_describe(output *json, const char *picture, const svg_diagram *d);

/* Columns whose cells together name a row, but for the column x; the name, which may be "". */
enum { PLOT_NAMES = 13 };
void plot_find_names(const csv_table *t, int x, int use[PLOT_NAMES]);
const char *plot_name_of(const csv_table *t, size_t row, const int use[PLOT_NAMES]);
int plot_differs(const csv_table *t, int column); /* not the same in all rows      */

/* Of the columns "a|b" the first that is there; fails if none is. */
int plot_need(const csv_table *t, const char *names);

/* The label with its unit, which suits the largest value in seconds; values are multiplied by
 * *scale. */
const char *plot_label(const char *label, double largest, double *scale);

/* The picture, and what is in it. */
void plot_throughput(plot_job *job, output *svg, output *json);
void plot_curves(plot_job *job, output *svg, output *json);
void plot_predicted(plot_job *job, output *svg, output *json);
void plot_rate(plot_job *job, output *svg, output *json);
void plot_jobs(plot_job *job, output *svg, output *json);
void plot_nodes(plot_job *job, output *svg, output *json);
void plot_rows(plot_job *job, output *svg, output *json);
void plot_step(plot_job *job, output *svg, output *json);
void plot_timeline(plot_job *job, output *svg, output *json);

/* Does the table have the parts of a step? */
int plot_has_parts(const csv_table *t);

/* Writes the picture into the file `path`, whose ending is its format; returns the path of
 * what was written, which ends in .svg, with a note, where another format cannot be made. */
const char *plot_write(const output *svg, const output *json, const char *path,
                       plot_engine engine);

#endif /* TOOLS_CMD_PLOT_PLOT_H */
