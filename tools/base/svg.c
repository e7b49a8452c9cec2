/* svg.c - diagrams as SVG text */
#include "base/svg.h"

#include "base/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const colours[SVG_COLOURS] = {
    "#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7", "#555555"
};
/* Of bands and of what waits: the same, four parts of five white. Not transparent, nor
 * hatched, which not every program that draws SVG knows. */
static const char *const pale_colours[SVG_COLOURS] = {
    "#CCE3F0", "#F7DFCC", "#CCECE3", "#FAECCC", "#DDF0FB", "#F5E4ED", "#DDDDDD"
};
static const char *const dashes[SVG_COLOURS] = {"", "7 3", "2 3", "9 3 2 3", "4 2", "1 2", "12 4"};

/* Around the middle of a mark: disc, square, triangles, diamond and crosses. Moved
 * as a whole: ImageMagick 6 draws no path that begins with two moves. */
static const char *const marks[SVG_COLOURS] = {
    "M-2.8 0a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0-5.6 0z", "M-2.6-2.6h5.2v5.2h-5.2z",
    "M0-3.4l3.2 5.6h-6.4z", "M0-3.6l3 3.6l-3 3.6l-3-3.6z", "M0 3.4l3.2-5.6h-6.4z",
    "M-1-3.2h2v2.2h2.2v2h-2.2v2.2h-2v-2.2h-2.2v-2h2.2z",
    ("M-3-1.6l1.4-1.4l1.6 1.6l1.6-1.6l1.4 1.4l-1.6 1.6l1.6 1.6l-1.4 1.4l-1.6-1.6l-1.6 1.6"
     "l-1.4-1.4l1.6-1.6z")
};

const char *svg_colour(size_t i) { return colours[i % SVG_COLOURS]; }
const char *svg_pale_colour(size_t i) { return pale_colours[i % SVG_COLOURS]; }

/* U+FFFE and U+FFFF, which are no characters of XML. */
static int is_no_character(const char *text)
{
    return strncmp(text, "\xEF\xBF\xBE", 3) == 0 || strncmp(text, "\xEF\xBF\xBF", 3) == 0;
}

void svg_text(output *out, const char *text)
{
    for (; *text != '\0'; text++) {
        size_t left = utf8_length(text);
        if (*text == '&') output_print(out, "&amp;");
        else if (*text == '<') output_print(out, "&lt;");
        else if (*text == '>') output_print(out, "&gt;");
        else if (*text == '"') output_print(out, "&quot;");
        else if (left == 0 || is_no_character(text)) output_print(out, "\xEF\xBF\xBD");
        else output_print(out, "%.*s", (int)left, (unsigned char)*text < ' ' ? " " : text);
        while (left > 1) { left--; text++; }
    }
}

/* ---- Frame and legend ------------------------------------------------------ */

enum { ENTRY_HEIGHT = 18, CHARACTER = 7, SAMPLE = 36 };

void svg_legend(svg_diagram *d, const char *name, svg_mark mark, size_t colour)
{
    if (d->entries == SVG_MOST_LEGEND) return;
    d->entry[d->entries].name = name;
    d->entry[d->entries].mark = mark;
    d->entry[d->entries].colour = colour;
    d->entries++;
}

static void put_dashes(output *out, const char *dash)
{
    if (*dash) output_print(out, " stroke-dasharray=\"%s\"", dash);
}

static void draw_sample(const svg_diagram *d, double x, double y, svg_mark mark, size_t colour)
{
    output *out = d->out;
    const char *c = svg_colour(colour), *dash = dashes[colour % SVG_COLOURS];
    switch (mark) {
    case SVG_LINE:
        output_print(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                     "stroke-width=\"2\"", x, y, x + 24, y, c);
        put_dashes(out, dash);
        output_print(out, "/>\n");
        svg_mark_at(d, x + 12, y, colour);
        break;
    case SVG_BAND:
        output_print(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"24\" height=\"10\" fill=\"%s\" "
                     "stroke=\"none\"/>\n", x, y - 5, pale_colours[colour % SVG_COLOURS]);
        break;
    case SVG_BOX:
    case SVG_PALE_BOX:
        svg_box(d, x + 6, y - 6, 12, 12, colour, mark == SVG_PALE_BOX);
        break;
    case SVG_DOT:
    case SVG_RING:
        svg_dot(d, x + 12, y, mark == SVG_RING);
        break;
    case SVG_MARK:
        svg_mark_at(d, x + 12, y, colour);
        break;
    case SVG_BAR:
        output_print(out, "<path fill=\"none\" stroke=\"black\" stroke-width=\"1.2\" "
                     "d=\"M%.1f %.1fh16m-16-4v8m16-8v8\"/>\n", x + 4, y);
        break;
    }
}

/* Places each entry behind the one before, on the next line where it would not fit or all are
 * stacked; returns the lines. With draw 0 it only counts. */
static size_t lay_legend(const svg_diagram *d, int draw)
{
    const double left = d->stacked ? d->right + 14 : d->left;
    double x = left, y = d->stacked ? d->top + ENTRY_HEIGHT / 2 : d->title ? 44 : 20;
    size_t lines = d->entries > 0;
    for (size_t i = 0; i < d->entries; i++) {
        const size_t k = d->stacked ? d->entries - 1 - i : i;
        const double width = SAMPLE + CHARACTER * (double)strlen(d->entry[k].name) + 14;
        if (x > left && (d->stacked || x + width > d->right)) {
            x = left;
            y += ENTRY_HEIGHT;
            lines++;
        }
        if (draw) {
            draw_sample(d, x, y, d->entry[k].mark, d->entry[k].colour);
            svg_label(d, x + 30, y + 4, "start", d->entry[k].name);
        }
        x += width;
    }
    return lines;
}

double svg_top(const svg_diagram *d)
{
    return (d->title ? 44 : 20) + (d->stacked ? 0.0 : ENTRY_HEIGHT * (double)lay_legend(d, 0));
}

void svg_begin(svg_diagram *d, output *out)
{
    const unsigned long number = (unsigned long)d->number;
    d->out = out;
    d->top = svg_top(d);
    output_print(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                 "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, DejaVu Sans, "
                 "sans-serif\" font-size=\"13\" fill=\"#222222\"", d->width, d->height,
                 d->width, d->height);
    output_print(out, " role=\"img\" aria-labelledby=\"t%lu d%lu\">\n<title id=\"t%lu\">", number,
                 number, number);
    svg_text(out, d->name);
    output_print(out, "</title>\n<desc id=\"d%lu\">", number);
    svg_text(out, d->description ? d->description : "");
    output_print(out, "</desc>\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"white\" "
                 "stroke=\"none\"/>\n", d->width, d->height);
    if (d->title) {
        output_print(out, "<text x=\"%.1f\" y=\"22\" font-size=\"15\" stroke=\"none\">", d->left);
        svg_text(out, d->title);
        output_print(out, "</text>\n");
    }
    lay_legend(d, 1);
}

void svg_end(svg_diagram *d) { output_print(d->out, "</svg>\n"); }

/* ---- Axes ------------------------------------------------------------------ */

/* On a scale, where equal distances are as wide. */
static double scaled(svg_scale scale, double x) { return scale == SVG_LOG2 ? log2(x) : x; }

/* Where x lies in the range: 0 at its low end, 1 at its high end. */
static double share(svg_scale scale, double low, double high, double x)
{
    const double from = scaled(scale, low);
    return (scaled(scale, x) - from) / (scaled(scale, high) - from);
}

double svg_x(const svg_diagram *d, double x)
{
    return d->left + (d->right - d->left) * share(d->x_scale, d->x_low, d->x_high, x);
}

double svg_y(const svg_diagram *d, double y)
{
    return d->bottom - (d->bottom - d->top) * share(d->y_scale, d->y_low, d->y_high, y);
}

static const char grid[] = "#DDDDDD", ink[] = "#222222";

/* 1, 2 or 5 times a power of ten, about so many of them in the range [6]. */
static double tick_step(double range, double ticks)
{
    const double wide = range / (ticks > 0.0 ? ticks : 6.0);
    const double power = pow(10.0, floor(log10(wide))), rest = wide / power;
    return power * (rest <= 1.0 ? 1.0 : rest <= 2.0 ? 2.0 : rest <= 5.0 ? 5.0 : 10.0);
}

static void stroke(const svg_diagram *d, double x1, double y1, double x2, double y2,
                   const char *colour)
{
    output_print(d->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
                 "stroke=\"%s\"/>\n", x1, y1, x2, y2, colour);
}

/* Ticks from low to high, each so much above the last; one that is nearly 0 is 0. */
static size_t linear_ticks(double low, double high, double step, double tick[SVG_MOST_TICKS])
{
    const double first = ceil(low / step - 1e-9) * step;
    size_t n = 0;
    while (n < SVG_MOST_TICKS && first + (double)n * step <= high + step * 1e-6) {
        const double value = first + (double)n * step;
        tick[n++] = fabs(value) < step * 1e-6 ? 0.0 : value;
    }
    return n;
}

/* On a logarithmic axis powers of two, or of four and so on where these are too many. */
static size_t logarithmic_ticks(double low, double high, double tick[SVG_MOST_TICKS])
{
    const double from = log2(low), to = log2(high);
    const size_t n = linear_ticks(from, to, floor((to - from) / SVG_MOST_TICKS) + 1.0, tick);
    for (size_t i = 0; i < n; i++) tick[i] = exp2(tick[i]);
    return n;
}

size_t svg_ticks_x(const svg_diagram *d, double tick[SVG_MOST_TICKS])
{
    const double low = d->x_low, high = d->x_high, range = high - low;
    if (d->x_scale == SVG_LOG2) return logarithmic_ticks(low, high, tick);
    return linear_ticks(low, high, tick_step(range > 0.0 ? range : 1.0, d->x_ticks), tick);
}

size_t svg_ticks_y(const svg_diagram *d, double tick[SVG_MOST_TICKS])
{
    const double low = d->y_low, high = d->y_high;
    if (d->y_scale == SVG_LOG2) return logarithmic_ticks(low, high, tick);
    return linear_ticks(low, high, tick_step(high - low, d->y_ticks), tick);
}

/* The number of a tick. */
static void number(const svg_diagram *d, double x, double y, const char *anchor, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    svg_label(d, x, y, anchor, text);
}

void svg_whole_x(svg_diagram *d, double low, double high)
{
    const int few = high - low < 3.0, many = high > 8.0;
    d->x_scale = high > 64.0 && high / low > 16.0 ? SVG_LOG2 : SVG_LINEAR;
    if (d->x_scale == SVG_LINEAR) {
        const double room = few ? fmax(2.0, 1e-9 * high) : many ? 0.1 * (high - low) : 0.5;
        d->x_low = (many && 3.0 * low < high) || low < room ? 0.0 : low - room;
        d->x_high = high + (few ? 1.25 * room : many ? 0.03 * high : 0.5);
    } else {
        d->x_low = low / 1.2;
        d->x_high = high * 1.2;
    }
}

void svg_bottom(const svg_diagram *d)
{
    stroke(d, d->left, d->bottom, d->right, d->bottom, ink);
    if (d->x_label)
        svg_label(d, (d->left + d->right) / 2, d->bottom + 38, "middle", d->x_label);
}

void svg_level(const svg_diagram *d, double y)
{
    stroke(d, d->left, svg_y(d, y), d->right, svg_y(d, y), ink);
}

void svg_axis_x(svg_diagram *d)
{
    double value[SVG_MOST_TICKS];
    const size_t ticks = svg_ticks_x(d, value);
    for (size_t i = 0; i < ticks; i++) {
        const double x = svg_x(d, value[i]);
        stroke(d, x, d->top, x, d->bottom, grid);
        number(d, x, d->bottom + 17, "middle", value[i]);
    }
    svg_bottom(d);
}

/* A wider range may have wider ticks: until it stays. */
void svg_round_y(svg_diagram *d)
{
    double step = 0.0, last = -1.0;
    for (int i = 0; i < 4 && (step < last || step > last); i++) {
        last = step;
        step = tick_step(d->y_high - d->y_low, d->y_ticks);
        d->y_high = ceil(d->y_high / step - 1e-9) * step;
        d->y_low = floor(d->y_low / step + 1e-9) * step;
    }
}

void svg_axis_y(svg_diagram *d)
{
    double value[SVG_MOST_TICKS];
    const size_t ticks = svg_ticks_y(d, value);
    for (size_t i = 0; i < ticks; i++) {
        const double y = svg_y(d, value[i]);
        stroke(d, d->left, y, d->right, y, grid);
        number(d, d->left - 7, y + 4.5, "end", value[i]);
    }
    stroke(d, d->left, d->top, d->left, d->bottom, ink);
    if (!d->y_label) return;
    output_print(d->out, "<text transform=\"translate(18 %.1f) rotate(-90)\" "
                 "text-anchor=\"middle\" stroke=\"none\">", (d->top + d->bottom) / 2);
    svg_text(d->out, d->y_label);
    output_print(d->out, "</text>\n");
}

/* ---- Marks ----------------------------------------------------------------- */

size_t svg_next_mark(const svg_diagram *d, const double *x, size_t n, size_t i)
{
    const double next = svg_x(d, x[i]) + (n > 12 ? (d->right - d->left) / 13 : 0.0);
    do i++;
    while (i < n && svg_x(d, x[i]) < next);
    return i;
}

/* Undashed piece by piece: ImageMagick 6 closes what it should not. */
void svg_line(const svg_diagram *d, const double *x, const double *y, size_t n, size_t colour)
{
    const char *dash = dashes[colour % SVG_COLOURS];
    output_print(d->out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\"",
                 svg_colour(colour));
    put_dashes(d->out, dash);
    output_print(d->out, " stroke-linecap=\"%s\" d=\"", *dash ? "butt" : "round");
    for (size_t i = 0; i < n; i++) {
        const double left = svg_x(d, x[i]), top = svg_y(d, y[i]);
        output_print(d->out, "%s%.1f %.1f", i > 0 ? "L" : "M", left, top);
        if (!*dash && i > 0 && i + 1 < n) output_print(d->out, "M%.1f %.1f", left, top);
    }
    output_print(d->out, "\"/>\n");
    for (size_t i = 0; i < n; i = svg_next_mark(d, x, n, i))
        svg_mark_at(d, svg_x(d, x[i]), svg_y(d, y[i]), colour);
}

void svg_band(const svg_diagram *d, const double *x, const double *low, const double *high,
              size_t n, size_t colour)
{
    output_print(d->out, "<polygon fill=\"%s\" stroke=\"none\" points=\"",
                 pale_colours[colour % SVG_COLOURS]);
    for (size_t i = 0; i < n; i++)
        output_print(d->out, "%.1f,%.1f ", svg_x(d, x[i]), svg_y(d, high[i]));
    for (size_t i = n; i-- > 0;)
        output_print(d->out, "%.1f,%.1f%s", svg_x(d, x[i]), svg_y(d, low[i]), i > 0 ? " " : "");
    output_print(d->out, "\"/>\n");
}

void svg_mark_at(const svg_diagram *d, double x, double y, size_t colour)
{
    output_print(d->out, "<path fill=\"%s\" stroke=\"none\" transform=\"translate(%.1f %.1f)\" "
                 "d=\"%s\"/>\n", svg_colour(colour), x, y, marks[colour % SVG_COLOURS]);
}

void svg_dot(const svg_diagram *d, double x, double y, int hollow)
{
    output_print(d->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\" stroke=\"black\" "
                 "stroke-width=\"1.5\"/>\n", x, y, hollow ? "white" : "black");
}

void svg_interval(const svg_diagram *d, double x, double low, double high)
{
    const double at = svg_x(d, x), a = svg_y(d, low), b = svg_y(d, high);
    output_print(d->out, "<path fill=\"none\" stroke=\"black\" stroke-width=\"1.2\" "
                 "d=\"M%.1f %.1fV%.1fM%.1f %.1fh8M%.1f %.1fh8\"/>\n", at, a, b, at - 4, a, at - 4,
                 b);
}

void svg_interval_across(const svg_diagram *d, double low, double high, double top)
{
    const double a = svg_x(d, low), b = svg_x(d, high);
    output_print(d->out, "<path fill=\"none\" stroke=\"black\" stroke-width=\"1.2\" "
                 "d=\"M%.1f %.1fH%.1fM%.1f %.1fv8M%.1f %.1fv8\"/>\n", a, top, b, a, top - 4, b,
                 top - 4);
}

void svg_box(const svg_diagram *d, double left, double top, double width, double height,
             size_t colour, int pale)
{
    const char *c = svg_colour(colour);
    output_print(d->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                 "fill=\"%s\" stroke=\"%s\" stroke-width=\"0.5\"/>\n", left, top, width, height,
                 pale ? pale_colours[colour % SVG_COLOURS] : c, c);
}

void svg_label(const svg_diagram *d, double x, double y, const char *anchor, const char *text)
{
    output_print(d->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" stroke=\"none\">", x, y,
                 anchor);
    svg_text(d->out, text);
    output_print(d->out, "</text>\n");
}
