/* report.h - the parts of sgdperf report: what validate computes, as a page of HTML
 *
 * page.c is the page around it and what pages are made of; tables.c its tables; curves.c the
 * pictures of a dataset; area.c what is in one of them. Text from files goes through svg_text.
 * The page is XML too: every element is closed. */
#ifndef TOOLS_CMD_REPORT_H
#define TOOLS_CMD_REPORT_H

#include "base/output.h"
#include "model/validation.h"

enum { REPORT_LINES = 3 };    /* of models in a picture                              */

typedef struct report {
    validation *v;
    output     *html;
    size_t      pictures, curves, not_predicted;
    size_t     *first;        /* [datasets + 1] of a dataset, in v->result              */
} report;

/* Models that predict the same of every row of a curve are one line. */
typedef struct report_line {
    size_t model[VALIDATE_MODELS], models;
    int    usual;             /* one of them is what predict takes by itself         */
    double mean_error;        /* of the first, over the dataset                      */
} report_line;

typedef struct report_curve {
    const char *name;
    size_t     *row, rows;    /* by workers                                          */
    double      half_width;   /* of the interval of its rows; 0: none, or different  */
} report_curve;

/* ---- page.c ---------------------------------------------------------------- */

void page_begin(report *r);
void page_end(report *r);
void page_put(report *r, const char *text);    /* as it stands                      */

/* A cell with a number of all digits behind what is seen: a fraction as a percentage of three
 * digits, or a quantity of four; "-" if it is not finite. */
void page_percent(report *r, double fraction);
void page_quantity(report *r, double value);

/* Of the interval that predict gives such a row, a share of the prediction; 0: none. */
double page_half_width(const report *r, const dataset_row *row);

/* ---- tables.c -------------------------------------------------------------- */

void tables_contents(report *r);
void tables_summary(report *r);
void tables_dataset(report *r, size_t dataset);
void tables_rows(report *r, size_t dataset);
void tables_not_predicted(report *r);

/* Of the results of a dataset the one by the model that predict takes by itself, or, where it
 * has none, the one with the least mean error; NULL: no result. */
const validate_result *tables_usual(const report *r, size_t dataset);

/* ---- curves.c and area.c --------------------------------------------------- */

void curves_errors(report *r, size_t dataset); /* every row's, a lane for each model */
void curves_dataset(report *r, size_t dataset);

/* A picture of a curve: measured, predicted by lines[count], and below it the errors. */
void area_picture(report *r, const report_curve *c, const report_line *lines, size_t count);

/* Of a prediction, percent. */
double area_error(const report *r, size_t row, size_t model);

/* "ring +2": the first of a line's models, and how many there are beside it. */
enum { REPORT_LABEL = 48 };
const char *area_label(const report_line *line, char text[REPORT_LABEL]);

#endif /* TOOLS_CMD_REPORT_H */
