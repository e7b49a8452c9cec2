/* report.h - the parts of sgdperf report: what validate computes, as a page of HTML
 *
 * command.c is the page with its tables, curves.c its pictures. Text from files goes through
 * svg_text. The page is XML too: every element is closed. */
#ifndef TOOLS_CMD_REPORT_H
#define TOOLS_CMD_REPORT_H

#include "base/output.h"
#include "model/validation.h"

typedef struct report {
    validation *v;
    output     *html;
    size_t      pictures, curves, not_predicted;
    size_t     *first;        /* [datasets + 1] of a dataset, in v->result              */
} report;

/* Text as it stands. */
static inline void page_put(report *r, const char *text) { output_print(r->html, "%s", text); }

void curves_errors(report *r, size_t dataset); /* every row's, a lane for each model */
void curves_dataset(report *r, size_t dataset);

#endif /* TOOLS_CMD_REPORT_H */
