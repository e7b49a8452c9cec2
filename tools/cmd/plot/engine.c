/* engine.c - who draws: matplotlib by plots/picture.py, or the program's own SVG, which other
 * programs turn into other formats */
#include "base/file.h"
#include "cmd/plot/plot.h"
#include "jobs/process.h"
#include "options/args.h"
#include "options/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 8, NO_MATPLOTLIB = 3 }; /* the latter an exit status of picture.py   */

/* ---- What pictures share --------------------------------------------------- */

int plot_column(const csv_table *t, const char *const *names, size_t count)
{
    int column = CSV_NONE;
    size_t i;
    for (i = 0; i < count && names[i] && column == CSV_NONE; i++) column = csv_find(t, names[i]);
    return column;
}

int plot_need(const csv_table *t, const char *names)
{
    const char *end = strchr(names, '|');
    char first[64];
    snprintf(first, sizeof first, "%.*s", end ? (int)(end - names) : 63, names);
    return end && csv_find(t, first) == CSV_NONE ? csv_require(t, end + 1) : csv_require(t, first);
}

const char *plot_label(const char *label, double largest, double *scale)
{
    static const struct { double below, scale; const char *name; } units[] = {
        {1.0, 1e3, "milliseconds"}, {600.0, 1.0, "seconds"}, {7200.0, 1.0 / 60.0, "minutes"},
        {172800.0, 1.0 / 3600.0, "hours"}, {1e308, 1.0 / 86400.0, "days"}
    };
    const char last = label[strlen(label) - 1];
    output text = {0};
    size_t i = 0;
    *scale = last == '%' ? 100.0 : 1.0;
    if (last != ' ') return label;
    while (!(largest < units[i].below)) i++;
    *scale = units[i].scale;
    output_print(&text, "%s%s%c", label, units[i].name, '\0');
    return text.text;
}

double plot_number(const csv_table *t, size_t row, int column)
{
    const double most = 1e307, value = csv_number(t, row, column, NUMBER_NON_NEGATIVE);
    if (value > most) csv_fail(t, row, column, "%g is too large for a picture", value);
    return value;
}

double plot_told(const csv_table *t, size_t row, int column)
{
    return csv_is_empty(t, row, column) ? 0.0 : plot_number(t, row, column);
}

void plot_check_count(const char *file, size_t count, const char *what, size_t most)
{
    if (count > most)
        tool_fail("%s: %lu %s are too many: a picture shows at most %lu", file,
                  (unsigned long)count, what, (unsigned long)most);
}

void plot_describe(output *json, const char *picture, const svg_diagram *d)
{
    double tick[SVG_MOST_TICKS];
    json_object(json, NULL);
    json_string(json, "picture", picture);
    json_string(json, "title", d->title);
    json_number(json, "width", d->width);
    json_number(json, "height", d->height);
    json_string(json, "x_label", d->x_label);
    if (d->y_label) json_string(json, "y_label", d->y_label);
    if (d->x_high > d->x_low) json_numbers(json, "x_ticks", tick, svg_ticks_x(d, tick));
    if (d->y_label) json_numbers(json, "y_ticks", tick, svg_ticks_y(d, tick));
}

/* ---- Formats --------------------------------------------------------------- */

/* Is it what it should be, and not something that a program says? */
static int is_picture(const process_answer *a, const char *format)
{
    static const char *const begins[][2] = {
        {"svg", "<?xml"}, {"svg", "<svg"}, {"png", "\x89PNG\r\n\x1a\n"}, {"pdf", "%PDF-"}
    };
    for (size_t i = 0; i < COUNT_OF(begins); i++) {
        const size_t n = strlen(begins[i][1]);
        if (strcmp(begins[i][0], format) == 0 && a->length > n &&
            memcmp(a->text, begins[i][1], n) == 0)
            return 1;
    }
    return 0;
}

/* ---- matplotlib ------------------------------------------------------------ */

/* In the tree, of build/sgdperf and of build/test/sgdperf; then installed. */
static const char *find_script(void)
{
    static const char *const places[] = {"../plots/picture.py", "../../plots/picture.py",
                                         "../share/sgdperf/plots/picture.py"};
    const char *path = NULL;
    for (size_t i = 0; i < COUNT_OF(places) && !path; i++) path = process_file(places[i]);
    return path;
}

/* 1 and the picture, or 0 and why not: *failed where it should have been possible. */
static int by_matplotlib(const output *json, const char *format, process_answer *a,
                         char why[256], int *failed)
{
    static const char *const pythons[] = {"python3", "/usr/bin/python3"};
    const char *script = find_script();
    *failed = 0;
    snprintf(why, 256, script ? "python3 with matplotlib is not found"
                              : "plots/picture.py is not beside the program");
    for (size_t i = 0; script && !*failed && i < COUNT_OF(pythons); i++) {
        const char *words[] = {pythons[i], "-I", "-B", script, format, NULL};
        const int status = process_run(words, json->text, json->length, a);
        if (status == 0 && is_picture(a, format)) return 1;
        *failed = status != PROCESS_NONE && status != NO_MATPLOTLIB;
        if (*failed)
            snprintf(why, 256, "%s fails over plots/picture.py, status %d%s%s", pythons[i], status,
                     a->said[0] ? ": " : "", a->said);
    }
    return 0;
}

/* ---- Other formats of SVG -------------------------------------------------- */

/* The best first; %F stands for the format. All read SVG and write to their stdout. */
static const char *const converters[][WORDS] = {
    {"rsvg-convert", "-z", "2", "-f", "%F", NULL},
    {"inkscape", "--pipe", "--export-dpi=192", "--export-filename=-", "--export-type", "%F", NULL},
    {"magick", "-density", "192", "svg:-", "%F:-", NULL},
    {"convert", "-density", "192", "svg:-", "%F:-", NULL}
};

static int by_converter(const output *svg, const char *format, process_answer *a)
{
    for (size_t i = 0; i < COUNT_OF(converters); i++) {
        const char *words[WORDS] = {NULL};
        char text[16];
        for (size_t k = 0; converters[i][k]; k++) {
            words[k] = converters[i][k];
            if (words[k][0] != '%') continue;
            snprintf(text, sizeof text, "%s%s", format, words[k] + 2);
            words[k] = text;
        }
        if (process_run(words, svg->text, svg->length, a) == 0 && is_picture(a, format)) return 1;
    }
    return 0;
}

/* ---- Writing --------------------------------------------------------------- */

static void write_file(const char *path, const char *text, size_t length)
{
    out_file *file = out_open(NAME_OF(OUT), path);
    fwrite(text, 1, length, out_stream(file));
    out_commit(file);
}

/* The own SVG in place of what cannot be made; not over a file that nobody named. */
static const char *write_svg_instead(const output *svg, const char *path, const char *format)
{
    static const char needs[] = "python3 with matplotlib, rsvg-convert, inkscape or ImageMagick";
    const size_t stem = strlen(path) - strlen(format);
    char *other = (char *)tool_alloc(stem + 4, 1);
    memcpy(other, path, stem);
    memcpy(other + stem, "svg", 4);
    errno = 0;
    if (file_is_there(other) || errno != ENOENT)
        args_fail(OPTION_OUT, path, "needs %s, which is not found, and %s exists already: give a "
                                    "name that ends in .svg", needs, other);
    tool_note("format-replaced", "%s needs %s, which is not found: the picture is written as %s",
              path, needs, other);
    write_file(other, svg->text, svg->length);
    return other;
}

const char *plot_write(const output *svg, const output *json, const char *path,
                       plot_engine engine)
{
    const char *format = strrchr(path, '.') + 1;
    process_answer a = {0};
    char why[256] = "";
    int failed = 0, drawn = 0;
    if (engine != PLOT_OWN) drawn = by_matplotlib(json, format, &a, why, &failed);
    if (!drawn && engine == PLOT_MATPLOTLIB) args_fail(OPTION_ENGINE, "matplotlib", "%s", why);
    if (failed) tool_note("engine-replaced", "the picture is drawn without matplotlib: %s", why);
    if (!drawn && strcmp(format, "svg") == 0) {
        write_file(path, svg->text, svg->length);
        return path;
    }
    if (!drawn && !by_converter(svg, format, &a)) return write_svg_instead(svg, path, format);
    write_file(path, a.text, a.length);
    return path;
}
