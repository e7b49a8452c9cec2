/* command.c - sgdperf report: predictions and measurements as one page of HTML */
#include "base/columns.h"
#include "base/digits.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/svg.h"
#include "cmd/commands.h"
#include "cmd/report/report.h"
#include "files/status.h"
#include "jobs/parallel.h"

#include <float.h>
#include <string.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf report [DATASET.csv ...] --out FILE.html [--processes N]\n"
    "                      [--format table|csv|json]\n"
    "\n"
    "Writes what validate computes as one page of HTML with pictures, which needs no\n"
    "network and no script.\n"
    "\n"
    "For each dataset the page has the errors of every model, each curve with its\n"
    "measured points, predictions and the 90 % interval of predict, residuals, and\n"
    "every row; before them stand a list of contents and summaries. Files and columns\n"
    "are those of validate. Without a file: all of validation/datasets/; - is stdin.\n"
    "Models that predict the same of a whole curve are one line of its picture.\n"
    "Numbers in tables carry all digits, as <data value>. It takes as long as\n"
    "validate; a page has about 15 kB per curve.\n"
    "\n"
    "What to write\n"),
    USE(OUT),
    HEADING("Output"),
    USE_HELP(FORMAT, "output format of the summary: table, csv or json", "table"),
    PARALLEL_USES,
    SECTION("Example: 2 workers, predicted from the profile of one",
    "  $ printf '%s%s\\n' \\\n"
    "      dataset,point,mode,workers,servers,batch,forward_s,backward_s, \\\n"
    "      update_s,model_bytes,bandwidth_bytes_per_s,overlap,batches_per_s \\\n"
    "      mine,two,async,2,1,32,0.01,0.019, 0.018,9e6,125e6,0,8.4 |\n"
    "      sgdperf report - --out mine.html\n"
    "  datasets  models  rows  curves  not_predicted  out\n"
    "         1      11     1       1              0  mine.html\n")
};

static const option_rule rules[] = {MISSING(ONE(OUT))};

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
    ".guide{columns:24rem;gap:2rem;padding-left:1.2rem}.guide li{break-inside:avoid}\n"
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
    "tr.usual th,tr.usual td{font-weight:700}tr.mode th{font-style:italic;color:var(--soft)}\n"
    ".pair{display:flex;flex-wrap:wrap;gap:.5rem 2rem;align-items:start}\n"
    ".pair>*{flex:1 1 22rem}.pair>.wide{flex:0 1 auto}\n"
    ".curves{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));"
    "gap:1rem 1.2rem;margin:.8rem 0}\n"
    "figure{margin:0;break-inside:avoid}figcaption,figure div{font-size:.9rem}\n"
    "svg{display:block;width:100%;max-width:26rem;height:auto;fill:var(--ink)}"
    ".curves svg{max-width:36rem}\n"
    "summary{cursor:pointer;color:var(--link);padding:.25rem 0}\n"
    "@media (max-width:40rem){body{padding:.6rem}"
    "th,td{padding:.15rem .12rem;white-space:normal}table{font-size:.74rem}}\n"
    "@media print{body{max-width:none;font-size:10pt}section{break-before:auto}"
    "a{color:inherit}.curves{grid-template-columns:repeat(2,1fr)}h3,h4{break-after:avoid}}\n";

/* Pictures have the colours of base/svg.c, for paper; on a dark screen each becomes one that
 * is told apart there. */
static void put_dark(report *r)
{
    static const char *const line[] = {"#56B4E9", "#FF8F4D", "#2FC79B", "#E69F00", "#8FD0F5",
                                       "#E29CC3", "#A8AEB4"};
    static const char *const pale[] = {"#17405A", "#57301B", "#0F4A3A", "#54400F", "#23465A",
                                       "#543A4A", "#3A4046"};
    page_put(r, "@media screen and (prefers-color-scheme:dark){\n"
                "svg [fill=\"white\"]{fill:var(--paper)}svg [fill=\"black\"]{fill:var(--ink)}"
                "svg [stroke=\"black\"],svg [stroke=\"#222222\"]{stroke:var(--ink)}"
                "svg [stroke=\"#DDDDDD\"]{stroke:var(--grid)}\n");
    for (size_t i = 0; i < SVG_COLOURS; i++)
        output_print(r->html, "svg [fill=\"%s\"]{fill:%s}svg [stroke=\"%s\"]{stroke:%s}"
                     "svg [fill=\"%s\"]{fill:%s}\n", svg_colour(i), line[i], svg_colour(i),
                     line[i], svg_pale_colour(i), pale[i]);
    page_put(r, "}\n");
}

/* ---- How to read it -------------------------------------------------------- */

static void put_key(report *r)
{
    svg_diagram d = {
        .name = "Key of the pictures",
        .description = "Marks and lines as the list below it explains them",
        .number = ++r->pictures, .left = 6, .right = 414, .width = 420, .height = 80
    };
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
        "<h2 id=\"reading\">How to read it</h2>\n<figure>");
    put_key(r);
    page_put(r,
        "</figure>\n<ul class=\"guide\">\n"
        "<li>Throughput is in mini-batches per second of all workers together. An <b>error</b> is "
        "(predicted - measured) / measured. Mean, median, 95th percentile and maximum are those "
        "of its size. The <b>bias</b> is the mean error with its sign: below 0, predictions are "
        "too slow.</li>\n"
        "<li>The <b>usual model</b>, in bold, is the one that <code>sgdperf predict</code> takes "
        "by itself. Where it has no result, the model with the least mean error comes first.</li>"
        "\n<li>A <b>hollow</b> point is an input of the prediction, or something was fitted to "
        "it. It is not scored, and has no error in the pictures.</li>\n"
        "<li>The <b>interval</b> is that of <code>predict</code>: 90 % of unseen rows of the same "
        "class lie in it. Below a curve it is drawn around an error of 0. Replays of layers and "
        "rows of several jobs have none.</li>\n"
        "<li>The picture beside a table has a mark for the error of each row, and a bar for the "
        "bias.</li>\n"
        "<li>Models that predict the same throughputs of a curve are one line: "
        "<code>ring +2</code> stands for ring and two more.</li>\n"
        "<li>A picture shows up to three lines. Further lines and the numbers of each row are "
        "folded below. A printer prints what is open.</li>\n"
        "</ul>\n");
}

static void put_text(report *r, const char *text) { svg_text(r->html, text); }

/* ---- Tables ---------------------------------------------------------------- */

static void put_number(report *r, double value, double seen, int digits)
{
    char all[NUMBER_BYTES];
    if (seen >= -DBL_MAX && seen <= DBL_MAX)
        output_print(r->html, "<td><data value=\"%s\">%.*g</data></td>", number_write(value, all),
                     digits, seen);
    else
        page_put(r, "<td>-</td>");
}

static void put_percent(report *r, double fraction)
{
    put_number(r, fraction, 100.0 * fraction, 3);
}

static void put_quantity(report *r, double value) { put_number(r, value, value, 4); }

/* Begins a table, which may be wider than the page: it is scrolled by keys too. */
static void put_table(report *r, const char *name, const char *caption)
{
    output_print(r->html, "<div class=\"wide\" role=\"group\" tabindex=\"0\" "
                          "aria-label=\"%s\"><table>\n<caption>%s</caption>\n<thead><tr>", name,
                 caption);
}

/* Headings of columns, separated by '|'. */
static void put_heads(report *r, const char *heads)
{
    for (; *heads != '\0'; heads += heads[0] == '|') {
        const size_t length = strcspn(heads, "|");
        output_print(r->html, "<th scope=\"col\">%.*s</th>", (int)length, heads);
        heads += length;
    }
}

static void put_body(report *r) { page_put(r, "</tr></thead>\n<tbody>\n"); }

static void put_whole(report *r, size_t value)
{
    output_print(r->html, "<td>%lu</td>", (unsigned long)value);
}

/* Begins a row with the name of a model. */
static void put_model(report *r, size_t model, int usual)
{
    output_print(r->html, "<tr%s><th scope=\"row\">%s</th>", usual ? " class=\"usual\"" : "",
                 validate_model_name(model));
}

/* The rows and their errors, and the end of a row. */
static void put_errors(report *r, const sgdfit_error_statistics *e)
{
    put_whole(r, e->rows);
    put_percent(r, e->mean);
    put_percent(r, e->median);
    put_percent(r, e->p95);
    put_percent(r, e->max);
    put_percent(r, e->bias);
    page_put(r, "</tr>\n");
}

#define ERROR_HEADS "rows|mean|median|p95|max|bias"

static const validate_result *usual_of(const report *r, size_t dataset)
{
    const validation *v = r->v;
    const validate_result *best = NULL;
    for (size_t i = r->first[dataset]; i < r->first[dataset + 1]; i++) {
        const validate_result *result = &v->result[i];
        if (validate_is_default(v, result)) return result;
        if (!best || result->errors.mean < best->errors.mean) best = result;
    }
    return best;
}

/* ---- Contents -------------------------------------------------------------- */

static void put_contents(report *r)
{
    const validation *v = r->v;
    page_put(r, "<nav aria-labelledby=\"contents\">\n<h2 id=\"contents\">Contents</h2>\n"
                "<p><a href=\"#summary\">All rows of a mode</a>, <a href=\"#classes\">intervals "
                "and what lies in them</a>, <a href=\"#left\">what is not predicted</a>, and the "
                "datasets, each with the mean error of its first model, percent:</p>\n"
                "<ul class=\"contents\">\n");
    for (size_t d = 0; d < v->data.datasets; d++) {
        const validate_result *result = usual_of(r, d);
        if (!result) continue;
        output_print(r->html, "<li><a href=\"#set%lu\">", (unsigned long)d);
        put_text(r, v->data.name[d]);
        output_print(r->html, "</a> <span>%s %.3g</span></li>\n",
                     validate_model_name(result->model), 100.0 * result->errors.mean);
    }
    page_put(r, "</ul>\n</nav>\n");
}

/* ---- Summaries ------------------------------------------------------------- */

static void put_pooled(report *r)
{
    size_t sets, named;
    page_put(r, "<h2 id=\"summary\">All rows of a mode</h2>\n");
    put_table(r, "errors of all rows of a mode",
              "Errors over all rows of a mode, percent of what was measured");
    put_heads(r, "model|sets|" ERROR_HEADS);
    put_body(r);
    for (size_t mode = 0; mode < MODE_COUNT; mode++) {
        named = 0;
        for (size_t m = 0; m < VALIDATE_MODELS; m++) {
            const validate_pool of = {(train_mode)mode, m, NULL, 0};
            const sgdfit_error_statistics e = validate_pooled(r->v, &of, &sets);
            if (e.rows == 0) continue;
            if (!named++)
                output_print(r->html, "<tr class=\"mode\"><th scope=\"row\" colspan=\"8\">"
                             "%s</th></tr>", mode_words[mode]);
            put_model(r, m, validate_is_usual(r->v, of.mode, m));
            put_whole(r, sets);
            put_errors(r, &e);
        }
    }
    page_put(r, "</tbody></table></div>\n");
}

/* "-22 to +7", percent of the prediction. */
static void put_band(report *r, double low, double high)
{
    output_print(r->html, "<td>-%.3g to +%.3g</td>", 100.0 * low, 100.0 * high);
}

static void put_class(report *r, band_class of)
{
    const validate_band b = validate_band_of(r->v, of);
    const band shown = band_shipped(of);
    if (b.rows == 0) return;
    output_print(r->html, "<tr><th scope=\"row\">%s</th>", band_words[of]);
    put_whole(r, b.rows);
    put_whole(r, b.sources);
    if (band_is_known(shown)) {
        put_band(r, shown.low, shown.high);
        put_whole(r, b.inside);
    } else {
        page_put(r, "<td>none</td><td>-</td>");
    }
    if (b.bounded) put_band(r, b.band.low, b.band.high);
    else page_put(r, "<td>too few</td>");
    if (b.tested)
        output_print(r->html, "<td>%lu of %lu</td>", (unsigned long)b.left_out.covered,
                     (unsigned long)b.left_out.rows);
    else page_put(r, "<td>too few</td>");
    page_put(r, "</tr>\n");
}

static void put_classes(report *r)
{
    size_t i = 0;
    page_put(r, "<h2 id=\"classes\">Intervals and what lies in them</h2>\n"
        "<p>Rows are of one class if their inputs are equally well known and they ran on the same "
        "kind of cluster. The rows are those of the usual models. The interval of "
        "<code>predict</code> is in percent of the prediction. It was chosen on the datasets "
        "that sgdperf ships, so about 90 % of those rows lie in it by construction. The last "
        "column is the test: it counts the rows that lie in the interval made from the other "
        "sources' rows.</p>\n");
    while (i < BAND_CLASSES && validate_band_of(r->v, (band_class)i).rows == 0) i++;
    if (i == BAND_CLASSES) {
        page_put(r, "<p>None of these rows is of a class that has an interval.</p>\n");
        return;
    }
    put_table(r, "classes of rows", "Classes of rows");
    put_heads(r, "class|rows|sources|interval|rows inside|of these rows|inside others'");
    put_body(r);
    for (i = 0; i < BAND_CLASSES; i++) put_class(r, (band_class)i);
    page_put(r, "</tbody></table></div>\n");
}

static void put_not_predicted(report *r)
{
    const validation *v = r->v;
    page_put(r, "<h2 id=\"left\">What is not predicted</h2>\n<ul>\n");
    for (size_t d = 0; d < v->data.datasets; d++) {
        const dataset_row *first;
        const size_t rows = validate_unpredicted(v, d, &first);
        if (rows == 0) continue;
        r->not_predicted += rows;
        output_print(r->html, "<li>%lu row%s of ", COUNTED(rows));
        put_text(r, v->data.name[d]);
        page_put(r, "; ");
        put_text(r, first->file->name);
        output_print(r->html, ":%lu: ", (unsigned long)csv_line(first->file, first->row));
        put_text(r, validate_why(first));
        page_put(r, "</li>\n");
    }
    if (r->not_predicted == 0)
        page_put(r, "<li>Every row that is to be scored is predicted.</li>\n");
    page_put(r, "</ul>\n");
}

/* ---- A dataset ------------------------------------------------------------- */

static void put_head(report *r, size_t dataset)
{
    const validation *v = r->v;
    const row_list *rows = &v->of_dataset[dataset];
    const dataset_row *first = &v->data.row[rows->row[0]];
    size_t scored = 0;
    for (size_t i = 0; i < rows->count; i++)
        scored += validate_is_scored(v, rows->row[i]) && validate_is_predicted(v, rows->row[i]);
    output_print(r->html, "<section aria-labelledby=\"set%lu\">\n<h3 id=\"set%lu\">",
                 (unsigned long)dataset, (unsigned long)dataset);
    put_text(r, v->data.name[dataset]);
    output_print(r->html, "</h3>\n<p class=\"soft\">%s; %lu row%s, %lu predicted and scored; ",
                 mode_words[first->mode], COUNTED(rows->count), (unsigned long)scored);
    put_text(r, first->file->name);
    page_put(r, "</p>\n");
}

static void put_errors_of(report *r, size_t dataset)
{
    const validation *v = r->v;
    put_head(r, dataset);
    page_put(r, "<div class=\"pair\">\n");
    put_table(r, "errors", "Errors, percent of what was measured");
    put_heads(r, "model|" ERROR_HEADS);
    put_body(r);
    for (size_t i = r->first[dataset]; i < r->first[dataset + 1]; i++) {
        put_model(r, v->result[i].model, validate_is_default(v, &v->result[i]));
        put_errors(r, &v->result[i].errors);
    }
    page_put(r, "</tbody></table></div>\n");
}

static void put_row(report *r, size_t row, const unsigned char *used)
{
    const dataset_row *at = &r->v->data.row[row];
    page_put(r, "<tr><th scope=\"row\">");
    put_text(r, at->point);
    page_put(r, "</th>");
    put_whole(r, at->workers);
    output_print(r->html, "<td>%s</td>", validate_is_scored(r->v, row) ? "scored" : "input");
    put_quantity(r, at->batches_per_s);
    for (size_t m = 0; m < VALIDATE_MODELS; m++) {
        const double x = validate_predicted(r->v, row, m);
        if (used[m]) put_quantity(r, known_if(x > 0.0, x));
    }
    page_put(r, "</tr>\n");
}

static void put_rows(report *r, size_t dataset)
{
    const row_list *rows = &r->v->of_dataset[dataset];
    unsigned char used[VALIDATE_MODELS] = {0};
    for (size_t i = 0; i < rows->count; i++)
        for (size_t m = 0; m < VALIDATE_MODELS; m++)
            used[m] |= validate_predicted(r->v, rows->row[i], m) > 0.0;
    page_put(r, "<details><summary>Every row</summary>\n");
    put_table(r, "every row", "Mini-batches per second, measured and predicted");
    put_heads(r, "point|workers|is|measured");
    for (size_t m = 0; m < VALIDATE_MODELS; m++)
        if (used[m]) put_heads(r, validate_model_name(m));
    put_body(r);
    for (size_t i = 0; i < rows->count; i++) put_row(r, rows->row[i], used);
    page_put(r, "</tbody></table></div></details>\n");
}

/* ---- The page -------------------------------------------------------------- */

/* The files that rows are of, each once: rows of a file stand together. */
static void put_files(report *r)
{
    const dataset_list *data = &r->v->data;
    const csv_table *last = NULL;
    page_put(r, "<p class=\"soft\">The rows come from");
    for (size_t i = 0; i < data->rows; i++) {
        if (data->row[i].file == last) continue;
        page_put(r, last ? ", " : " ");
        last = data->row[i].file;
        put_text(r, last->name);
    }
    page_put(r, ".</p>\n");
}

static void put_top(report *r)
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

static void write_page(report *r)
{
    const size_t datasets = r->v->data.datasets;
    size_t d;
    put_top(r);
    put_contents(r);
    put_pooled(r);
    put_classes(r);
    put_not_predicted(r);
    page_put(r, "<h2 id=\"datasets\">Datasets</h2>\n");
    for (d = 0; d < datasets; d++) {
        tool_progress("datasets", d, datasets);
        if (r->first[d] == r->first[d + 1]) continue;
        put_errors_of(r, d);
        curves_errors(r, d);
        page_put(r, "</div>\n");
        curves_dataset(r, d);
        put_rows(r, d);
        page_put(r, "</section>\n");
    }
    tool_progress("datasets", d, datasets);
    page_put(r, "</main>\n</body>\n</html>\n");
}

/* ---- The command ----------------------------------------------------------- */

/* Results stand by dataset. */
static void index_results(report *r)
{
    const validation *v = r->v;
    size_t d, i = 0;
    r->first = (size_t *)tool_alloc(v->data.datasets + 1, sizeof *r->first);
    for (d = 0; d < v->data.datasets; d++) {
        while (i < v->results && v->result[i].dataset < d) i++;
        r->first[d] = i;
    }
    r->first[d] = v->results;
}

/* How many models have a result, scored rows, and datasets with a result. */
static void count_all(const report *r, size_t *datasets, size_t *models, size_t *rows)
{
    const validation *v = r->v;
    size_t i;
    *datasets = *models = *rows = 0;
    for (i = 0; i < v->data.datasets; i++) *datasets += r->first[i] < r->first[i + 1];
    for (size_t m = 0; m < VALIDATE_MODELS; m++) {
        for (i = 0; i < v->results && v->result[i].model != m; i++) {}
        *models += i < v->results;
    }
    for (i = 0; i < v->data.rows; i++)
        *rows += validate_is_scored(v, i) && validate_is_predicted(v, i);
}

static void print_answer(output *out, const report *r, const char *path)
{
    size_t datasets, models, rows;
    count_all(r, &datasets, &models, &rows);
    json_object(out, NULL);
    columns t = columns_open(out, ALL, NULL);
    columns_row(&t);
    column_text(&t, JSON, "status", tool_status_word(r->v->status));
    column_whole(&t, ALL, "datasets", datasets);
    column_whole(&t, ALL, "models", models);
    column_whole(&t, ALL, "rows", rows);
    column_whole(&t, ALL, "curves", r->curves);
    column_whole(&t, ALL, "not_predicted", r->not_predicted);
    column_text(&t, ALL, "out", path);
    columns_close(&t);
    json_end(out);
}

static int is_page(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".html") == 0 || strcmp(dot, ".htm") == 0);
}

static int run(args *a)
{
    validation v = {0};
    output html = {0}, out = {.form = args_form(a)};
    report r = {.v = &v, .html = &html};
    const char *path = args_text(a, OPTION_OUT, NULL);
    if (!is_page(path)) args_fail(OPTION_OUT, path, "does not end in .html or .htm");
    validate_read(&v, a);
    out_file *file = out_open(NAME_OF(OUT), path);
    validate_predict(&v, parallel_read(a));
    validate_score(&v);
    index_results(&r);
    write_page(&r);
    fwrite(html.text, 1, html.length, out_stream(file));
    out_commit(file);
    print_answer(&out, &r, path);
    return output_flush(&out, v.status == SGDP_OK ? EXIT_DONE : EXIT_NOT_REACHED);
}

const args_command command_report = {
    "report", "write what validate computes as a page of HTML", run, uses,
    COUNT_OF(uses), rules, COUNT_OF(rules), 0, (size_t)-1, NULL, 0,
    EACH(OPTION_OUT, OPTION_PROCESSES, OPTION_FORMAT)};
