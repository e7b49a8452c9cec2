/* page.c - the page of a report: its head, its style, how to read it, its cells */
#include "base/digits.h"
#include "base/svg.h"
#include "cmd/report/report.h"

#include <float.h>
#include <string.h>

void page_put(report *r, const char *text) { output_print(r->html, "%s", text); }

/* ---- Style ----------------------------------------------------------------- */

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1b1b;--soft:#555;--paper:#fff;--shade:#f2f4f6;"
    "--line:#c9ced3;--grid:#ddd;--link:#00568c}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--ink:#e6e6e6;--soft:#b0b6bc;"
    "--paper:#15181b;--shade:#20252a;--line:#464d54;--grid:#353b41;--link:#7cc4f2}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1rem;max-width:80rem;background:var(--paper);color:var(--ink);"
    "font:1rem/1.5 system-ui,Helvetica,Arial,sans-serif;overflow-wrap:anywhere}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0}\n"
    "h2{font-size:1.3rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}\n"
    "h3{font-size:1.15rem;margin:0 0 .3rem}h4{font-size:1rem;margin:1rem 0 .3rem}\n"
    "p,li{max-width:45rem}p{margin:.4rem 0}a{color:var(--link)}.soft{color:var(--soft)}\n"
    ".contents{columns:17rem;padding:0;list-style:none;margin:.5rem 0}\n"
    ".contents li{break-inside:avoid;display:flex;gap:.7rem;justify-content:space-between;"
    "padding:.25rem .2rem;border-bottom:1px dotted var(--line)}\n"
    ".contents span{white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    "section{margin:1.2rem 0 2.5rem;padding-top:1rem;border-top:3px solid var(--line)}\n"
    ".wide{overflow-x:auto;max-width:100%}\n"
    "table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums;"
    "overflow-wrap:normal;margin:.3rem 0}\n"
    "caption{text-align:left;color:var(--soft);padding:.2rem 0}\n"
    "th,td{padding:.15rem .55rem;text-align:right;vertical-align:top;white-space:nowrap}\n"
    "th[scope=row],thead th:first-child{text-align:left}\n"
    "thead th{border-bottom:1px solid var(--line);vertical-align:bottom}th{font-weight:600}\n"
    "tbody th{font-weight:400}tbody tr:nth-child(even){background:var(--shade)}\n"
    "tr.usual th,tr.usual td{font-weight:700}\n"
    ".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));"
    "gap:.5rem 2rem;align-items:start}\n"
    ".curves{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,23rem),1fr));"
    "gap:1rem 1.2rem;margin:.8rem 0}\n"
    "figure{margin:0;break-inside:avoid}figcaption,figure div{font-size:.9rem}\n"
    "svg{display:block;max-width:100%;height:auto;fill:var(--ink)}\n"
    "summary{cursor:pointer;color:var(--link);padding:.25rem 0}\n"
    "@media (max-width:40rem){body{padding:.6rem}th,td{padding:.15rem .2rem}"
    "table{font-size:.76rem}}\n"
    "@media print{body{max-width:none;font-size:10pt}section{break-before:auto}"
    "a{color:inherit}.curves{grid-template-columns:repeat(3,1fr)}h3,h4{break-after:avoid}}\n";

/* Pictures have the colours of base/svg.c, for paper; on a dark screen each becomes one that
 * is told apart there. */
static void put_dark(report *r)
{
    static const char *const line[] = {"#56B4E9", "#FF8F4D", "#2FC79B", "#E69F00", "#8FD0F5",
                                       "#E29CC3", "#A8AEB4"};
    static const char *const pale[] = {"#17405A", "#57301B", "#0F4A3A", "#54400F", "#23465A",
                                       "#543A4A", "#3A4046"};
    size_t i;
    page_put(r, "@media screen and (prefers-color-scheme:dark){\n"
                "svg [fill=\"white\"]{fill:var(--paper)}svg [fill=\"black\"]{fill:var(--ink)}"
                "svg [stroke=\"black\"],svg [stroke=\"#222222\"]{stroke:var(--ink)}"
                "svg [stroke=\"#DDDDDD\"]{stroke:var(--grid)}\n");
    for (i = 0; i < SVG_COLOURS; i++)
        output_print(r->html, "svg [fill=\"%s\"]{fill:%s}svg [stroke=\"%s\"]{stroke:%s}"
                     "svg [fill=\"%s\"]{fill:%s}\n", svg_colour(i), line[i], svg_colour(i),
                     line[i], svg_pale_colour(i), pale[i]);
    page_put(r, "}\n");
}

/* ---- How to read it -------------------------------------------------------- */

static void put_key(report *r)
{
    svg_diagram d;
    memset(&d, 0, sizeof d);
    d.name = "Key of the pictures";
    d.description = "Marks and lines as the list beside it explains them";
    d.number = ++r->pictures;
    d.left = 6;
    d.right = 374;
    d.width = 380;
    d.height = 92;
    svg_legend(&d, "measured", SVG_DOT, 0);
    svg_legend(&d, "measured, an input", SVG_RING, 0);
    svg_legend(&d, "the usual model", SVG_LINE, 0);
    svg_legend(&d, "its 90 % interval", SVG_BAND, 0);
    svg_legend(&d, "another model", SVG_LINE, 1);
    svg_legend(&d, "another", SVG_LINE, 2);
    svg_legend(&d, "another", SVG_LINE, 3);
    svg_begin(&d, r->html);
    svg_end(&d);
}

static void put_guide(report *r)
{
    page_put(r,
        "<h2 id=\"reading\">How to read it</h2>\n<div class=\"pair\">\n<ul>\n"
        "<li>Throughput is in mini-batches per second of all workers together. An <b>error</b> is "
        "(predicted - measured) / measured. Mean, median, 95th percentile and maximum are of its "
        "size; <b>bias</b> is the mean with its sign: below 0, predictions are too slow.</li>\n"
        "<li>The <b>usual model</b>, in bold, is the one that <code>sgdperf predict</code> takes "
        "by itself. Where it has no result, the one with the least mean error comes first.</li>\n"
        "<li>Rows that determine what is fitted, or are an input, are hollow. They are not "
        "scored, and have no error in the pictures.</li>\n"
        "<li>The <b>interval</b> is that of <code>predict</code>: by what is known of the inputs, "
        "the band that holds 90 % of unseen rows of such a kind. Below a curve, it is the same "
        "band around no error. Replays of layers and rows of several jobs have none.</li>\n"
        "<li>The picture beside a table has a mark for each row and a bar for the bias.</li>\n"
        "<li>Models that predict the same of a whole curve are one line: "
        "<code>ring +2</code>.</li>\n"
        "<li>Pictures have up to three models, further ones are folded below, as are the numbers "
        "of each row. What is folded is printed if it is open.</li>\n"
        "</ul>\n<figure>");
    put_key(r);
    page_put(r, "</figure>\n</div>\n");
}

/* ---- The page -------------------------------------------------------------- */

static void put_text(report *r, const char *text) { svg_text(r->html, text); }

/* The files that rows are of, each once: rows of a file stand together. */
static void put_files(report *r)
{
    const dataset_list *data = &r->v->data;
    const csv_table *last = NULL;
    size_t i;
    page_put(r, "<p class=\"soft\">Of");
    for (i = 0; i < data->rows; i++) {
        if (data->row[i].file == last) continue;
        page_put(r, last ? ", " : " ");
        last = data->row[i].file;
        put_text(r, last->name);
    }
    page_put(r, ".</p>\n");
}

void page_begin(report *r)
{
    page_put(r, "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n"
                "<head>\n<meta charset=\"utf-8\"/>\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                "<title>Predictions and measurements</title>\n<style>\n");
    page_put(r, style);
    put_dark(r);
    page_put(r, "</style>\n</head>\n<body>\n<main>\n"
                "<h1>Predictions and measurements</h1>\n");
    output_print(r->html, "<p>Measured throughputs of distributed SGD, each predicted by every "
                 "model that has what it needs, by sgdperf %d.%d.%d.</p>\n",
                 SGDPERF_VERSION_MAJOR, SGDPERF_VERSION_MINOR, SGDPERF_VERSION_PATCH);
    put_files(r);
    if (r->v->status != SGDP_OK)
        page_put(r, "<p><b>A prediction has not converged.</b></p>\n");
    put_guide(r);
}

void page_end(report *r) { page_put(r, "</main>\n</body>\n</html>\n"); }

/* ---- Cells ----------------------------------------------------------------- */

static void put_number(report *r, double value, double seen, int digits)
{
    char all[NUMBER_BYTES];
    if (seen >= -DBL_MAX && seen <= DBL_MAX)
        output_print(r->html, "<td><data value=\"%s\">%.*g</data></td>", number_write(value, all),
                     digits, seen);
    else
        page_put(r, "<td>-</td>");
}

void page_percent(report *r, double fraction) { put_number(r, fraction, 100.0 * fraction, 3); }
void page_quantity(report *r, double value) { put_number(r, value, value, 4); }

double page_half_width(const report *r, const dataset_row *row)
{
    if (row->job.collective.jobs > 1) return 0.0; /* predict has no interval for several jobs */
    return band_shipped(validate_class(r->v, row));
}
