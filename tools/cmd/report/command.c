/* command.c - sgdperf report: predictions and measurements as one page of HTML */
#include "base/file.h"
#include "base/progress.h"
#include "cmd/commands.h"
#include "cmd/report/report.h"
#include "files/status.h"
#include "jobs/parallel.h"

#include <string.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf report [DATASET.csv ...] --out FILE.html [--processes N]\n"
    "                      [--format table|csv|json]\n"
    "\n"
    "Writes what validate computes as one page that needs no network and no script: for each\n"
    "dataset the errors of every model, each curve with its measured points, predictions and the\n"
    "90 % interval of predict, residuals, and every row; before them a list of contents and\n"
    "summaries. Files and columns are those of validate; without a file: all of\n"
    "validation/datasets/. - is stdin. Takes as long as validate, few\n"
    "seconds for these; their page has 3.6 MB, about 15 kB a curve. Models that predict the same\n"
    "of a whole curve are one line of its picture. Numbers in tables carry all digits, as\n"
    "<data value>.\n"
    "\n"),
    USE(OUT), PARALLEL_USES,
    USE_HELP(FORMAT, "of what is said of the page: table, csv or json", "table"),
    ABOUT(
    "\n"
    "Example: 2 workers, predicted from the profile of one\n"
    "  $ printf '%s%s\\n' dataset,point,mode,workers,servers,batch,forward_s,backward_s, \\\n"
    "      update_s,model_bytes,bandwidth_bytes_per_s,overlap,batches_per_s \\\n"
    "      mine,two,async,2,1,32,0.01,0.019, 0.018,9e6,125e6,0,8.4 |\n"
    "      sgdperf report - --out mine.html\n"
    "  datasets  models  rows  curves  not_predicted  out\n"
    "         1      11     1       1              0  mine.html\n")
};

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

static void write_page(report *r)
{
    const validation *v = r->v;
    size_t d;
    page_begin(r);
    tables_contents(r);
    tables_summary(r);
    tables_not_predicted(r);
    page_put(r, "<h2 id=\"datasets\">Datasets</h2>\n");
    for (d = 0; d < v->data.datasets; d++) {
        tool_progress("datasets", d, v->data.datasets);
        if (r->first[d] == r->first[d + 1]) continue;
        tables_dataset(r, d);
        curves_errors(r, d);
        page_put(r, "</div>\n");
        curves_dataset(r, d);
        tables_rows(r, d);
        page_put(r, "</section>\n");
    }
    tool_progress("datasets", d, v->data.datasets);
    page_end(r);
}

/* How many models have a result, scored rows, and datasets with a result. */
static void count_all(const report *r, size_t *datasets, size_t *models, size_t *rows)
{
    const validation *v = r->v;
    size_t i, m;
    *datasets = *models = *rows = 0;
    for (i = 0; i < v->data.datasets; i++) *datasets += r->first[i] < r->first[i + 1];
    for (m = 0; m < VALIDATE_MODELS; m++) {
        for (i = 0; i < v->results && v->result[i].model != m; i++) {}
        *models += i < v->results;
    }
    for (i = 0; i < v->data.rows; i++)
        *rows += validate_is_scored(v, i) && validate_is_predicted(v, i);
}

static void print_answer(output *out, const report *r, const char *path)
{
    size_t datasets, models, rows;
    columns t;
    count_all(r, &datasets, &models, &rows);
    json_object(out, NULL);
    columns_open(&t, out, ALL, NULL);
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
    validation v;
    report r;
    const char *path;
    out_file *file;
    output html = {0}, out = {0};
    memset(&v, 0, sizeof v);
    memset(&r, 0, sizeof r);
    path = args_text(a, OPTION_OUT, NULL);
    if (!path) tool_fail("--out is missing: the page, FILE.html");
    if (!is_page(path)) args_fail(OPTION_OUT, path, "does not end in .html or .htm");
    validate_read(&v, a);
    file = out_open(option_name(OPTION_OUT), path);
    validate_predict(&v, parallel_read(a));
    validate_score(&v);
    r.v = &v;
    r.html = &html;
    index_results(&r);
    write_page(&r);
    fwrite(html.text, 1, html.length, out_stream(file));
    out_commit(file);
    out.form = args_form(a);
    print_answer(&out, &r, path);
    return output_flush(&out, v.status == SGDP_OK ? EXIT_DONE : EXIT_NOT_REACHED);
}

const args_command command_report = {
    "report", "the same as one page of HTML with pictures", run, uses,
    COUNT_OF(uses), NULL, 0, 0, (size_t)-1, NULL, 0};
