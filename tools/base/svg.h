/* svg.h - pictures as SVG text: a plain diagram with two axes, its marks and its legend
 *
 *     svg_diagram d = {0};           sizes, labels and ranges, then
 *     svg_legend(&d, "predicted", SVG_LINE, 0);
 *     svg_begin(&d, &text);
 *     svg_axis_x(&d);  svg_axis_y(&d);
 *     svg_line(&d, x, y, n, 0);
 *     svg_end(&d);
 *
 * Colours are those of Okabe and Ito, which the colour-blind tell apart; lines differ by
 * their dashes and marks too. A picture may hold several areas: ranges, top and bottom are set
 * anew, and the axes drawn again, before svg_end. Coordinates in the file are pixels to a tenth. */
#ifndef TOOLS_BASE_SVG_H
#define TOOLS_BASE_SVG_H

#include "base/output.h"

enum { SVG_COLOURS = 7, SVG_MOST_LEGEND = 32, SVG_MOST_TICKS = 16 };

typedef enum svg_scale { SVG_LINEAR = 0, SVG_LOG2 } svg_scale;

typedef enum svg_mark { SVG_LINE = 0, SVG_BAND, SVG_BOX, SVG_PALE_BOX, SVG_DOT, SVG_RING,
                       SVG_MARK, SVG_BAR } svg_mark;

typedef struct svg_diagram {
    output     *out;
    const char *title, *x_label, *y_label;
    const char *name, *description;       /* for readers of the screen              */
    size_t      number;                   /* of the picture among those of a page   */
    double      width, height;            /* of the picture                         */
    double      left, right, top, bottom; /* of the area between the axes           */
    double      x_low, x_high, y_low, y_high;
    svg_scale   x_scale, y_scale;
    double      x_ticks, y_ticks;         /* about so many [6]                      */
    struct { const char *name; svg_mark mark; size_t colour; } entry[SVG_MOST_LEGEND];
    size_t      entries;
    int         stacked;                  /* a legend right of the area, last entry first */
} svg_diagram;

/* "#0072B2": colour i, again from the first behind the last. */
const char *svg_colour(size_t i);
const char *svg_pale_colour(size_t i);    /* of bands and of what waits            */

/* Text with what XML takes for its own escaped; a byte that is not UTF-8 as U+FFFD. */
void svg_text(output *out, const char *text);

/* Entries of the legend, before svg_begin. The area between the axes is below it. */
void svg_legend(svg_diagram *d, const char *name, svg_mark mark, size_t colour);

/* The top that svg_begin sets, below title and legend. */
double svg_top(const svg_diagram *d);

/* The picture up to its legend; labels may be NULL. */
void svg_begin(svg_diagram *d, output *out);

/* Pixels of a value. */
double svg_x(const svg_diagram *d, double x);
double svg_y(const svg_diagram *d, double y);

/* The range and scale of x for whole numbers from low to high, as of workers: more than 64 on
 * a logarithmic axis, few on one that is wide enough for ticks at whole numbers. The axis begins
 * near low where a third of it or more would be empty. */
void svg_whole_x(svg_diagram *d, double low, double high);

/* Values at round numbers; how many there are. */
size_t svg_ticks_x(const svg_diagram *d, double tick[SVG_MOST_TICKS]);
size_t svg_ticks_y(const svg_diagram *d, double tick[SVG_MOST_TICKS]);

/* Axes with these ticks. svg_round_y moves the ends of y to ticks. */
void svg_axis_x(svg_diagram *d);
void svg_axis_y(svg_diagram *d);
void svg_round_y(svg_diagram *d);
void svg_bottom(const svg_diagram *d);    /* the axis of x without ticks            */
void svg_level(const svg_diagram *d, double y); /* a line through the area          */

void svg_line(const svg_diagram *d, const double *x, const double *y, size_t n, size_t colour);
void svg_band(const svg_diagram *d, const double *x, const double *low, const double *high,
              size_t n, size_t colour);
/* The points of a line with a mark: all, but about 12 of a long line. i is one, n the end. */
size_t svg_next_mark(const svg_diagram *d, const double *x, size_t n, size_t i);
void svg_interval(const svg_diagram *d, double x, double low, double high);
void svg_interval_across(const svg_diagram *d, double low, double high, double top);
/* Pixels, as top above. */
void svg_mark_at(const svg_diagram *d, double x, double y, size_t colour);
void svg_dot(const svg_diagram *d, double x, double y, int hollow);
void svg_box(const svg_diagram *d, double left, double top, double width, double height,
             size_t colour, int pale);
void svg_label(const svg_diagram *d, double x, double y, const char *anchor, const char *text);
void svg_end(svg_diagram *d);

#endif /* TOOLS_BASE_SVG_H */
