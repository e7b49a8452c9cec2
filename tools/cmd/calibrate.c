/* calibrate.c - sgdperf calibrate: what a profile leaves unknown, from measured points */
#include "files/job.h"
#include "files/status.h"
#include "cmd/commands.h"
#include "files/points.h"

#include <string.h>

static const char usage[] =
    "usage: sgdperf calibrate POINTS.csv --fit threshold|bandwidth|server|latency,...\n"
    "                         --mode async|sync|allreduce [--model NAME]\n"
    "                         [options of the job] [--format table|csv|json]\n"
    "\n"
    "Finds what brings a model closest to measured throughputs, in the mean square of their\n"
    "relative errors. POINTS.csv (- is stdin) has one row a point and the columns\n"
    "  workers        number of workers\n"
    "  batches_per_s  mini-batches per second of all workers together, measured\n"
    "  role           fit or score, optional: score rows are not fitted, their errors are\n"
    "                 printed apart [all rows are fitted]\n"
    "  job            which job of the profile; needed if that has several\n"
    "\n"
    "  --fit NAME,...         required, each at most once, no more than there are points:\n"
    "        threshold        --threshold of --model hybrid or switch\n"
    "        bandwidth        --bandwidth\n"
    "        server           --update, asynchronous or synchronous\n"
    "        latency          --latency of an all-reduce\n"
    "  The options fitted are left out; in a profile their columns are not read.\n"
    "  --format F             table, csv (a row a point) or json [table]\n"
    "Where other values would fit as well, it says so (\"determined\": false).\n"
    "\n";

static const char rest[] =
    "\n"
    "Example: the bandwidth of a link, from 2 and 4 workers, with which 8 are predicted\n"
    "  $ printf '%s\\n' workers,batches_per_s,role 2,8.1,fit 4,10.6,fit 8,12.2,score |\n"
    "      sgdperf calibrate - --fit bandwidth --mode async --model exact --forward 10ms \\\n"
    "      --backward 19ms --update 18ms --model-size 9MB\n"
    "  async, model exact, fitted to 2 points\n"
    "  fitted                       value\n"
    "  bandwidth_bytes_per_s  1.24722e+08\n"
    "\n"
    "  relative errors of batches_per_s\n"
    "  role   rows  mean_error  median_error  max_error      bias\n"
    "  fit       2     0.00205       0.00205    0.00216  -0.00011\n"
    "  score     1     0.00152       0.00152    0.00152  -0.00152\n"
    "\n"
    "  workers  role   batches_per_s  predicted_batches_per_s     error\n"
    "        2  fit              8.1                   8.0825  -0.00216\n"
    "        4  fit             10.6                   10.621   0.00194\n"
    "        8  score           12.2                   12.181  -0.00152\n";

/* ---- Unknowns -------------------------------------------------------------- */

/* By the words of --fit. */
static const struct {
    const char *word;
    const char *name;         /* with its unit, in the results                      */
    sgdp_input  input;
} unknowns[] = {
    {"threshold", "threshold",             SGDP_INPUT_THRESHOLD},
    {"bandwidth", "bandwidth_bytes_per_s", SGDP_INPUT_BANDWIDTH},
    {"server",    "update_s",              SGDP_INPUT_UPDATE},
    {"latency",   "latency_s",             SGDP_INPUT_LATENCY},
};

enum { UNKNOWNS = COUNT_OF(unknowns) };

typedef struct calibration {
    size_t      count;                 /* of unknowns                               */
    size_t      unknown[UNKNOWNS];     /* indices of unknowns[], in order of --fit  */
    sgdp_input  input[UNKNOWNS];
    job_set     jobs;
    point_set   points;
    size_t     *job;                   /* [points] index of each point's job        */
    sgdp_calibration found;
    double     *predicted;             /* [points] batches_per_s with the values    */
    sgdp_error_statistics errors[POINT_ROLES];
} calibration;

static unsigned read_unknowns(calibration *c, const args *a)
{
    const char *words[UNKNOWNS];
    char **word, list[80];
    const size_t count = args_words(a, "--fit", &word);
    unsigned fitted = 0;
    size_t i, u;
    for (u = 0; u < UNKNOWNS; u++) words[u] = unknowns[u].word;
    if (count == 0)
        tool_fail("--fit is missing: %s", words_join(words, UNKNOWNS, list, sizeof list));
    for (i = 0; i < count; i++) {
        u = words_find(words, UNKNOWNS, word[i]);
        if (u == UNKNOWNS)
            args_fail("--fit", word[i], "is none of %s",
                      words_join(words, UNKNOWNS, list, sizeof list));
        if ((fitted & JOB_FITTED(unknowns[u].input)) != 0)
            args_fail("--fit", word[i], "is named twice");
        fitted |= JOB_FITTED(unknowns[u].input);
        c->unknown[i] = u;
        c->input[i] = unknowns[u].input;
    }
    c->count = count;
    return fitted;
}

/* Refuses unknowns that the model does not have. */
static void check_unknowns(const calibration *c)
{
    const job_set *jobs = &c->jobs;
    size_t i, k;
    for (i = 0; i < c->count; i++) {
        const char *word = unknowns[c->unknown[i]].word;
        const sgdp_input input = c->input[i];
        if (input == SGDP_INPUT_THRESHOLD && jobs->model != SGDP_ASYNC_HYBRID &&
            jobs->model != SGDP_ASYNC_SWITCH)
            args_fail("--fit", word, "only with --model hybrid or switch");
        if (input == SGDP_INPUT_LATENCY && jobs->mode != MODE_ALLREDUCE)
            args_fail("--fit", word, "only with --mode allreduce");
        if (input == SGDP_INPUT_UPDATE && jobs->mode == MODE_ALLREDUCE)
            args_fail("--fit", word, "not with --mode allreduce");
        if (input != SGDP_INPUT_BANDWIDTH) continue;
        for (k = 0; k < jobs->count; k++)
            if (jobs->job[k].uplink_s > 0.0 || jobs->job[k].downlink_s > 0.0 ||
                !(jobs->job[k].model_bytes > 0.0))
                args_fail("--fit", word, "not with transfer times in place of --model-size");
    }
}

/* ---- Points ---------------------------------------------------------------- */

/* Finds the job of every point: the only one, or the one that its row names. */
static void match_jobs(calibration *c)
{
    const csv_table *t = c->points.file;
    const job_set *jobs = &c->jobs;
    const int column = jobs->name ? csv_column(t, "job") : CSV_NONE;
    size_t i;
    c->job = (size_t *)tool_alloc(c->points.count, sizeof *c->job);
    if (column == CSV_NONE && jobs->count == 1) return;
    if (column == CSV_NONE)
        tool_fail("%s:%lu: no column 'job', but %s has several jobs", t->name,
                  (unsigned long)t->header_line, jobs->file->name);
    for (i = 0; i < c->points.count; i++) {
        c->job[i] = words_find(jobs->name, jobs->count, csv_text(t, i, column));
        if (c->job[i] == jobs->count)
            csv_fail(t, i, column, "'%s' is no job of %s", csv_text(t, i, column),
                     jobs->file->name);
    }
}

/* Unequal workers have one number: that of all types together. */
static void check_workers(const calibration *c)
{
    const int column = csv_require(c->points.file, "workers");
    size_t i, k;
    for (i = 0; i < c->points.count; i++) {
        const sgdp_job *job = &c->jobs.job[c->job[i]];
        uint64_t sum = 0;
        for (k = 0; k < job->types; k++) sum += job->type[k].count;
        if (job->types > 0 && sum != c->points.workers[i])
            csv_fail(c->points.file, i, column, "%lu, but --worker-type makes %lu",
                     (unsigned long)c->points.workers[i], (unsigned long)sum);
    }
}

/* ---- Calibration ----------------------------------------------------------- */

/* Refuses what would take for ever: sgdp_calibrate predicts each point many times. The
 * operations do not depend on the values of what is unknown. */
static void check_operations(const calibration *c)
{
    static const double predictions[UNKNOWNS] = {300.0, 1500.0, 3000.0, 3000.0};
    const double most = 1e12;
    double sum = 0.0;
    size_t i, k;
    for (i = 0; i < c->points.count; i++) {
        sgdp_job job = c->jobs.job[c->job[i]];
        double operations = 0.0;
        for (k = 0; k < c->count; k++)
            tool_check(sgdp_set_input(&job, c->input[k], 1.0), "an unknown");
        if (c->points.role[i] == POINT_FIT &&
            sgdp_predict_operations(&job, c->jobs.model, c->points.workers[i],
                                    &operations) == SGDP_OK)
            sum += operations * predictions[c->count - 1];
    }
    if (sum > most)
        tool_fail("%s: too many workers for --model %s: to calibrate it would take about %.1g "
                  "hours", c->points.file->name, sgdp_model_text(c->jobs.model), sum / 3.6e12);
}

static sgdp_status calibrate(calibration *c)
{
    const point_set *points = &c->points;
    const size_t n = points->in_role[POINT_FIT];
    const sgdp_model model = c->jobs.model;
    sgdp_measurement *m = (sgdp_measurement *)tool_alloc(n, sizeof *m);
    size_t bytes = 0, used = 0, i;
    sgdp_status status;
    if (n < c->count)
        tool_fail("%s: %lu point%s to be fitted, fewer than the unknowns of --fit",
                  points->file->name, (unsigned long)n, n == 1 ? "" : "s");
    for (i = 0; i < points->count; i++) {
        if (points->role[i] != POINT_FIT) continue;
        m[used].job = &c->jobs.job[c->job[i]];
        m[used].workers = points->workers[i];
        m[used++].batches_per_s = points->batches_per_s[i];
    }
    status = sgdp_calibrate_bytes(model, c->input, c->count, m, n, &bytes);
    if (status == SGDP_OK)
        status = sgdp_calibrate(model, c->input, c->count, m, n, tool_alloc(bytes, 1), bytes,
                                &c->found);
    if (status == SGDP_BAD_ARGUMENT)
        tool_fail("%s: these points say nothing about an unknown of --fit, or the model cannot "
                  "predict them", points->file->name);
    if (status == SGDP_NOT_CONVERGED && c->found.evaluations == 0)
        tool_fail("%s: the model converges at none of these points", points->file->name);
    if (status == SGDP_OVER_BUDGET || status == SGDP_TOO_LARGE)
        tool_fail("%s: too many workers for --model %s", points->file->name,
                  sgdp_model_text(model));
    return status;
}

/* Predicts all points with the values found. */
static sgdp_status evaluate(calibration *c)
{
    sgdp_status worst = SGDP_OK;
    size_t i, k;
    for (k = 0; k < c->jobs.count; k++)
        for (i = 0; i < c->count; i++)
            tool_check(sgdp_set_input(&c->jobs.job[k], c->input[i], c->found.value[i]),
                       "a fitted value");
    c->predicted = (double *)tool_alloc(c->points.count, sizeof *c->predicted);
    for (i = 0; i < c->points.count; i++) {
        sgdp_prediction point;
        memset(&point, 0, sizeof point);
        if (job_predict(&c->jobs, c->job[i], c->points.workers[i], &point) != SGDP_OK)
            worst = SGDP_NOT_CONVERGED;
        c->predicted[i] = point.batches_per_s;
    }
    for (i = 0; i < POINT_ROLES; i++)
        points_errors(&c->points, c->predicted, (point_role)i, &c->errors[i]);
    return worst;
}

/* ---- Printing -------------------------------------------------------------- */

static void print_json(output *out, const calibration *c, sgdp_status status)
{
    const point_set *points = &c->points;
    size_t i;
    json_object(out, NULL);
    json_string(out, "mode", mode_words[c->jobs.mode]);
    json_string(out, "model", sgdp_model_text(c->jobs.model));
    json_string(out, "status", tool_status_word(status));
    json_object(out, "fitted");
    for (i = 0; i < c->count; i++)
        json_number(out, unknowns[c->unknown[i]].name, c->found.value[i]);
    json_end(out);
    for (i = 0; i < POINT_ROLES; i++)
        json_errors(out, point_role_text((point_role)i), &c->errors[i]);
    json_bool(out, "determined", c->found.determined);
    json_integer(out, "evaluations", c->found.evaluations);
    json_array(out, "points");
    for (i = 0; i < points->count; i++) {
        json_object(out, NULL);
        if (c->jobs.name) json_string(out, "job", c->jobs.name[c->job[i]]);
        json_integer(out, "workers", points->workers[i]);
        json_string(out, "role", point_role_text(points->role[i]));
        json_number(out, "batches_per_s", points->batches_per_s[i]);
        json_number(out, "predicted_batches_per_s", c->predicted[i]);
        json_number(out, "error", point_error(points, i, c->predicted[i]));
        json_end(out);
    }
    json_end(out);
    json_end(out);
}

/* In CSV, where nothing else is printed, every row carries the fitted values. */
static void print_points(output *out, const calibration *c, output_format format)
{
    table_column columns[6 + UNKNOWNS];
    const point_set *points = &c->points;
    const size_t values = format == FORMAT_CSV ? c->count : 0;
    result_table *t;
    size_t n = 0, i, k;
    memset(columns, 0, sizeof columns);
    if (c->jobs.name) columns[n++].name = "job";
    columns[n++].name = "workers";
    columns[n++].name = "role";
    columns[n++].name = "batches_per_s";
    columns[n++].name = "predicted_batches_per_s";
    columns[n].digits = 3;
    columns[n++].name = "error";
    for (i = 0; i < values; i++) columns[n++].name = unknowns[c->unknown[i]].name;
    t = table_new(columns, n);
    for (i = 0; i < points->count; i++) {
        if (c->jobs.name) table_text(t, c->jobs.name[c->job[i]]);
        table_integer(t, points->workers[i]);
        table_text(t, point_role_text(points->role[i]));
        table_number(t, points->batches_per_s[i]);
        table_number(t, c->predicted[i]);
        table_number(t, point_error(points, i, c->predicted[i]));
        for (k = 0; k < values; k++) table_number(t, c->found.value[k]);
    }
    table_print(t, out, format);
}

static void print_human(output *out, const calibration *c, sgdp_status status)
{
    static const table_column columns[] = {{"fitted", 0}, {"value", 6}};
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t i;
    output_print(out, "%s, model %s, fitted to %lu points\n", mode_words[c->jobs.mode],
                 sgdp_model_text(c->jobs.model),
                 (unsigned long)c->points.in_role[POINT_FIT]);
    if (status != SGDP_OK) output_print(out, "not converged: the best that was found\n");
    for (i = 0; i < c->count; i++) {
        table_text(t, unknowns[c->unknown[i]].name);
        table_number(t, c->found.value[i]);
    }
    table_print(t, out, FORMAT_TABLE);
    if (!c->found.determined)
        output_print(out, "these points do not determine them: other values fit as well\n");
    output_print(out, "\nrelative errors of batches_per_s\n");
    print_errors(out, c->errors);
    output_print(out, "\n");
    print_points(out, c, FORMAT_TABLE);
}

/* ---- The command ----------------------------------------------------------- */

int cmd_calibrate(int argc, char **argv)
{
    static const args_option options[] = {{"--fit", ARGS_VALUE}, JOB_OPTIONS};
    args_command command = {NULL, options, COUNT_OF(options), 1, 1};
    args a;
    calibration c = {0};
    output out = {0};
    sgdp_status status;
    unsigned fitted;
    command.help = job_help(usage, rest);
    args_parse(&a, &command, argc, argv);
    fitted = read_unknowns(&c, &a);
    job_read(&c.jobs, &a, fitted);
    check_unknowns(&c);
    points_read(&c.points, a.files[0]);
    match_jobs(&c);
    check_workers(&c);
    check_operations(&c);
    status = calibrate(&c);
    tool_check(status, c.points.file->name);
    if (evaluate(&c) != SGDP_OK) status = SGDP_NOT_CONVERGED;
    if (args_format(&a) == FORMAT_JSON) print_json(&out, &c, status);
    else if (args_format(&a) == FORMAT_CSV) print_points(&out, &c, FORMAT_CSV);
    else print_human(&out, &c, status);
    return output_flush(&out, tool_check(status, c.points.file->name));
}
