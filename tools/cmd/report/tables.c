/* tables.c - the tables of a report */
#include "base/svg.h"
#include "cmd/report/report.h"

const validate_result *tables_usual(const report *r, size_t dataset)
{
    const validation *v = r->v;
    const validate_result *best = NULL;
    size_t i;
    for (i = r->first[dataset]; i < r->first[dataset + 1]; i++) {
        const validate_result *result = &v->result[i];
        if (validate_is_default(v, result)) return result;
        if (!best || result->errors.mean < best->errors.mean) best = result;
    }
    return best;
}

/* ---- Contents -------------------------------------------------------------- */

void tables_contents(report *r)
{
    const validation *v = r->v;
    size_t d;
    page_put(r, "<nav aria-labelledby=\"contents\">\n<h2 id=\"contents\">Contents</h2>\n"
                "<p><a href=\"#summary\">All rows of a mode</a>, <a href=\"#classes\">intervals "
                "and what lies in them</a>, <a href=\"#left\">what is not predicted</a>, and the "
                "datasets, each with the mean error of its first model, percent:</p>\n"
                "<ul class=\"contents\">\n");
    for (d = 0; d < v->data.datasets; d++) {
        const validate_result *result = tables_usual(r, d);
        if (!result) continue;
        output_print(r->html, "<li><a href=\"#set%lu\">", (unsigned long)d);
        svg_text(r->html, v->data.name[d]);
        output_print(r->html, "</a> <span>%s %.3g</span></li>\n",
                     validate_model_name(result->model), 100.0 * result->errors.mean);
    }
    page_put(r, "</ul>\n</nav>\n");
}

/* ---- Summaries ------------------------------------------------------------- */

static void put_errors(report *r, const sgdfit_error_statistics *e)
{
    page_percent(r, e->mean);
    page_percent(r, e->median);
    page_percent(r, e->p95);
    page_percent(r, e->max);
    page_percent(r, e->bias);
}

static const char error_heads[] =
    "<th scope=\"col\">mean</th><th scope=\"col\">median</th><th scope=\"col\">p95</th>"
    "<th scope=\"col\">max</th><th scope=\"col\">bias</th></tr></thead>\n<tbody>\n";

/* Begins a table that may be wider than the page: it is scrolled by keys too. */
static void put_wide(report *r, const char *name)
{
    output_print(r->html, "<div class=\"wide\" role=\"group\" tabindex=\"0\" "
                          "aria-label=\"%s\"><table>\n", name);
}

static void put_pooled(report *r)
{
    size_t mode, m, sets;
    page_put(r, "<h2 id=\"summary\">All rows of a mode</h2>\n");
    put_wide(r, "errors of all rows of a mode");
    page_put(r, "<caption>Errors over all rows of a mode, whatever their datasets, percent"
                "</caption>\n<thead><tr><th scope=\"col\">model</th><th scope=\"col\">mode</th>"
                "<th scope=\"col\">sets</th><th scope=\"col\">rows</th>");
    page_put(r, error_heads);
    for (mode = 0; mode < MODE_COUNT; mode++)
        for (m = 0; m < VALIDATE_MODELS; m++) {
            const sgdfit_error_statistics e = validate_pooled(r->v, (train_mode)mode, m, &sets);
            const int usual = m == (size_t)mode_usual_model((train_mode)mode);
            if (e.rows == 0) continue;
            output_print(r->html, "<tr%s><th scope=\"row\">%s</th><td>%s</td><td>%lu</td>"
                         "<td>%lu</td>", usual ? " class=\"usual\"" : "", validate_model_name(m),
                         mode_words[mode], (unsigned long)sets, (unsigned long)e.rows);
            put_errors(r, &e);
            page_put(r, "</tr>\n");
        }
    page_put(r, "</tbody></table></div>\n");
}

/* Rows of a class that lie in the interval that predict prints. */
static size_t count_inside(const report *r, band_class of, double h)
{
    const validation *v = r->v;
    size_t inside = 0, i;
    for (i = 0; i < v->data.rows; i++) {
        const dataset_row *row = &v->data.row[i];
        const double x = v->predicted[i * VALIDATE_MODELS + (size_t)mode_usual_model(row->mode)];
        if (!validate_is_scored(v, i) || !(x > 0.0) || row->job.collective.jobs > 1 ||
            validate_class(v, row) != of)
            continue;
        inside += row->batches_per_s >= x * (1.0 - h) && row->batches_per_s <= x * (1.0 + h);
    }
    return inside;
}

static void put_class(report *r, band_class of)
{
    const validate_band b = validate_band_of(r->v, of);
    const double h = band_shipped(of);
    if (b.rows == 0) return;
    output_print(r->html, "<tr><th scope=\"row\">%s</th><td>%lu</td><td>%lu</td>",
                 band_words[of], (unsigned long)b.rows, (unsigned long)b.sets);
    if (h > 0.0) {
        page_percent(r, h);
        output_print(r->html, "<td>%lu</td>", (unsigned long)count_inside(r, of, h));
    } else {
        page_put(r, "<td>none</td><td>-</td>");
    }
    if (b.bounded) page_percent(r, b.band.half_width);
    else page_put(r, "<td>too few</td>");
    if (b.tested)
        output_print(r->html, "<td>%lu of %lu</td>", (unsigned long)b.left_out.covered,
                     (unsigned long)b.left_out.rows);
    else page_put(r, "<td>too few</td>");
    page_put(r, "</tr>\n");
}

static void put_classes(report *r)
{
    size_t i;
    page_put(r, "<h2 id=\"classes\">Intervals and what lies in them</h2>\n"
        "<p>By what is known of a row's inputs, for the usual models. The interval of "
        "<code>predict</code> goes its half-width, percent of the prediction, to either side; it "
        "was chosen on the datasets that sgdperf ships, so that of those rows about 90 % lie in "
        "it by construction. The last column is the test: rows of a dataset that lie in the band "
        "of the other datasets' rows.</p>\n");
    put_wide(r, "classes of rows");
    page_put(r, "<caption>Classes of rows</caption>\n<thead><tr>"
        "<th scope=\"col\">class</th><th scope=\"col\">rows</th><th scope=\"col\">sets</th>"
        "<th scope=\"col\">half-width</th><th scope=\"col\">rows inside</th>"
        "<th scope=\"col\">of these rows</th><th scope=\"col\">inside others'</th></tr></thead>\n"
        "<tbody>\n");
    for (i = 0; i < BAND_CLASSES; i++) put_class(r, (band_class)i);
    page_put(r, "</tbody></table></div>\n");
}

void tables_summary(report *r)
{
    put_pooled(r);
    put_classes(r);
}

void tables_not_predicted(report *r)
{
    const validation *v = r->v;
    size_t d;
    page_put(r, "<h2 id=\"left\">What is not predicted</h2>\n<ul>\n");
    for (d = 0; d < v->data.datasets; d++) {
        const dataset_row *first;
        const size_t rows = validate_unpredicted(v, d, &first);
        if (rows == 0) continue;
        r->not_predicted += rows;
        output_print(r->html, "<li>%lu row%s of ", (unsigned long)rows, rows == 1 ? "" : "s");
        svg_text(r->html, v->data.name[d]);
        page_put(r, "; ");
        svg_text(r->html, first->file->name);
        output_print(r->html, ":%lu: ", (unsigned long)csv_line(first->file, first->row));
        svg_text(r->html, validate_why(first));
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
    const size_t from = v->of_dataset.start[dataset], to = v->of_dataset.start[dataset + 1];
    const dataset_row *first = &v->data.row[v->of_dataset.row[from]];
    size_t scored = 0, i;
    for (i = from; i < to; i++) {
        const size_t row = v->of_dataset.row[i];
        scored += validate_is_scored(v, row) && validate_is_predicted(v, row);
    }
    output_print(r->html, "<section aria-labelledby=\"set%lu\">\n<h3 id=\"set%lu\">",
                 (unsigned long)dataset, (unsigned long)dataset);
    svg_text(r->html, v->data.name[dataset]);
    output_print(r->html, "</h3>\n<p class=\"soft\">%s; %lu row%s, %lu predicted and scored; ",
                 mode_words[first->mode], (unsigned long)(to - from), to - from == 1 ? "" : "s",
                 (unsigned long)scored);
    svg_text(r->html, first->file->name);
    page_put(r, "</p>\n");
}

void tables_dataset(report *r, size_t dataset)
{
    const validation *v = r->v;
    size_t i;
    put_head(r, dataset);
    page_put(r, "<div class=\"pair\">\n");
    put_wide(r, "errors");
    page_put(r, "<caption>Errors, percent</caption>\n<thead><tr>"
                "<th scope=\"col\">model</th><th scope=\"col\">rows</th>");
    page_put(r, error_heads);
    for (i = r->first[dataset]; i < r->first[dataset + 1]; i++) {
        const validate_result *result = &v->result[i];
        output_print(r->html, "<tr%s><th scope=\"row\">%s</th><td>%lu</td>",
                     validate_is_default(v, result) ? " class=\"usual\"" : "",
                     validate_model_name(result->model), (unsigned long)result->errors.rows);
        put_errors(r, &result->errors);
        page_put(r, "</tr>\n");
    }
    page_put(r, "</tbody></table></div>\n");
}

/* ---- Every row ------------------------------------------------------------- */

static void put_row(report *r, size_t row, const unsigned char *used)
{
    const validation *v = r->v;
    const dataset_row *at = &v->data.row[row];
    size_t m;
    page_put(r, "<tr><th scope=\"row\">");
    svg_text(r->html, at->point);
    output_print(r->html, "</th><td>%lu</td><td>%s</td>", (unsigned long)at->workers,
                 validate_is_scored(v, row) ? "scored" : "input");
    page_quantity(r, at->batches_per_s);
    for (m = 0; m < VALIDATE_MODELS; m++) {
        const double x = v->predicted[row * VALIDATE_MODELS + m];
        if (!used[m]) continue;
        if (x > 0.0) page_quantity(r, x);
        else page_put(r, "<td>-</td>");
    }
    page_put(r, "</tr>\n");
}

void tables_rows(report *r, size_t dataset)
{
    const validation *v = r->v;
    unsigned char used[VALIDATE_MODELS] = {0};
    size_t i, m;
    for (i = v->of_dataset.start[dataset]; i < v->of_dataset.start[dataset + 1]; i++)
        for (m = 0; m < VALIDATE_MODELS; m++)
            used[m] |= v->predicted[v->of_dataset.row[i] * VALIDATE_MODELS + m] > 0.0;
    page_put(r, "<details><summary>Every row</summary>\n");
    put_wide(r, "every row");
    page_put(r, "<caption>Mini-batches per second, measured and predicted</caption>\n<thead><tr>"
                "<th scope=\"col\">point</th><th scope=\"col\">workers</th>"
                "<th scope=\"col\">is</th><th scope=\"col\">measured</th>");
    for (m = 0; m < VALIDATE_MODELS; m++)
        if (used[m])
            output_print(r->html, "<th scope=\"col\">%s</th>", validate_model_name(m));
    page_put(r, "</tr></thead>\n<tbody>\n");
    for (i = v->of_dataset.start[dataset]; i < v->of_dataset.start[dataset + 1]; i++)
        put_row(r, v->of_dataset.row[i], used);
    page_put(r, "</tbody></table></div></details>\n");
}
