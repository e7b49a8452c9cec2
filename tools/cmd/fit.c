/* cmd_fit.c - sgdperf fit: black boxes fitted to measured points */
#include "files/points.h"
#include "files/status.h"
#include "cmd/commands.h"

static const char help[] =
    "usage: sgdperf fit POINTS.csv --model ernest|optimus-async|optimus-sync|amdahl|usl\n"
    "                   [--workers 1-64] [--format table|csv|json]\n"
    "\n"
    "Fits a black box to measured throughputs. POINTS.csv (- is stdin) has one row a point and\n"
    "the columns\n"
    "  workers        number of workers\n"
    "  batches_per_s  mini-batches per second of all workers together, measured\n"
    "  role           fit or score, optional: score rows are not fitted, their errors are\n"
    "                 printed apart [all rows are fitted]\n"
    "\n"
    "Models of n workers, all parameters >= 0; X = n / s batches_per_s, s the step in seconds:\n"
    "  ernest         s = constant_s + parallel_s / n + logarithmic_s ln n + linear_s n\n"
    "  optimus-async  s = constant_s + linear_s n\n"
    "  optimus-sync   s = parallel_s / n + constant_s + linear_s n\n"
    "  amdahl         X = rate_per_s n / (1 + serial (n - 1))\n"
    "  usl            X = rate_per_s n / (1 + contention (n - 1) + coherency n (n - 1))\n"
    "Least squares of the relative errors of the step. At least as many different numbers of\n"
    "workers as parameters.\n"
    "\n"
    "  --model M      one of those above; required\n"
    "  --workers W    where the curve is printed: 8, 1-16, 1-64:4 or 1,2,4 [1-64]\n"
    "  --format F     table, csv (the curve alone) or json [table]\n"
    "\n"
    "Example: three points fitted, with which the fourth is predicted\n"
    "  $ printf '%s\\n' workers,batches_per_s,role 1,10,fit 2,18.5,fit 4,31,fit 8,44,score |\n"
    "      sgdperf fit - --model amdahl --workers 8,16\n"
    "  amdahl, fitted to 3 points\n"
    "  parameter       value\n"
    "  rate_per_s    10.0585\n"
    "  serial      0.0976674\n"
    "\n"
    "  relative errors of batches_per_s\n"
    "  role   rows  mean_error  median_error  max_error      bias\n"
    "  fit       3     0.00632       0.00585    0.00935  9.11e-05\n"
    "  score     1      0.0862        0.0862     0.0862    0.0862\n"
    "\n"
    "  workers  batches_per_s   step_s\n"
    "        8         47.793  0.16739\n"
    "       16         65.288  0.24507\n";

/* Names of the parameters, in the order of sgdp_fit.parameter. */
static const char *const parameter_names[SGDP_BLACKBOX_COUNT][SGDP_FIT_PARAMETERS] = {
    [SGDP_ERNEST] = {"constant_s", "parallel_s", "logarithmic_s", "linear_s"},
    [SGDP_OPTIMUS_ASYNC] = {"constant_s", "linear_s"},
    [SGDP_OPTIMUS_SYNC] = {"parallel_s", "constant_s", "linear_s"},
    [SGDP_AMDAHL] = {"rate_per_s", "serial"},
    [SGDP_USL] = {"rate_per_s", "contention", "coherency"},
};

typedef struct fit_result {
    sgdp_fit  fit;
    point_set points;
    sgdp_error_statistics errors[POINT_ROLES];
    uint32_t *workers;        /* [count] the curve                                  */
    double   *batches_per_s;  /* [count] 0 where the model has none                 */
    size_t    count;
} fit_result;

/* ---- Fitting --------------------------------------------------------------- */

/* Different numbers of workers among the points fitted, counted up to the number of
 * parameters. */
static size_t distinct_workers(const point_set *points)
{
    uint32_t seen[SGDP_FIT_PARAMETERS];
    size_t found = 0, i, k;
    for (i = 0; i < points->count && found < COUNT_OF(seen); i++) {
        if (points->role[i] != POINT_FIT) continue;
        for (k = 0; k < found && seen[k] != points->workers[i]; k++) {}
        if (k == found) seen[found++] = points->workers[i];
    }
    return found;
}

static void fit_points(fit_result *r, sgdp_blackbox model)
{
    const point_set *points = &r->points;
    const size_t n = points->in_role[POINT_FIT], need = sgdp_blackbox_parameters(model);
    const size_t distinct = distinct_workers(points);
    double *workers = (double *)tool_alloc(n, sizeof *workers);
    double *rate = (double *)tool_alloc(n, sizeof *rate);
    size_t bytes = 0, used = 0, i;
    sgdp_status status;
    if (distinct < need)
        tool_fail("%s: %lu different numbers of workers to be fitted, but --model %s has %lu "
                  "parameters", points->file->name, (unsigned long)distinct,
                  sgdp_blackbox_text(model), (unsigned long)need);
    for (i = 0; i < points->count; i++) {
        if (points->role[i] != POINT_FIT) continue;
        workers[used] = points->workers[i];
        rate[used++] = points->batches_per_s[i];
    }
    tool_check(sgdp_fit_curve_bytes(model, n, &bytes), points->file->name);
    status = sgdp_fit_curve(model, workers, rate, n, tool_alloc(bytes, 1), bytes, &r->fit);
    if (status == SGDP_BAD_ARGUMENT)
        tool_fail("%s: --model %s has no fit to these points", points->file->name,
                  sgdp_blackbox_text(model));
    if (status != SGDP_OK)
        tool_fail("%s: %s", points->file->name, sgdp_status_text(status));
}

static void evaluate(fit_result *r)
{
    const point_set *points = &r->points;
    double *predicted = (double *)tool_alloc(points->count, sizeof *predicted);
    size_t i;
    for (i = 0; i < points->count; i++)
        predicted[i] = sgdp_fit_eval(&r->fit, points->workers[i]);
    for (i = 0; i < POINT_ROLES; i++)
        points_errors(points, predicted, (point_role)i, &r->errors[i]);
    r->batches_per_s = (double *)tool_alloc(r->count, sizeof *r->batches_per_s);
    for (i = 0; i < r->count; i++)
        r->batches_per_s[i] = sgdp_fit_eval(&r->fit, r->workers[i]);
}

/* ---- Printing -------------------------------------------------------------- */

static void print_json(output *out, const fit_result *r)
{
    const sgdp_fit *fit = &r->fit;
    size_t i;
    json_object(out, NULL);
    json_string(out, "model", sgdp_blackbox_text(fit->model));
    json_object(out, "parameters");
    for (i = 0; i < fit->parameters; i++)
        json_number(out, parameter_names[fit->model][i], fit->parameter[i]);
    json_end(out);
    for (i = 0; i < POINT_ROLES; i++)
        json_errors(out, point_role_text((point_role)i), &r->errors[i]);
    json_array(out, "curve");
    for (i = 0; i < r->count; i++) {
        json_object(out, NULL);
        json_integer(out, "workers", r->workers[i]);
        if (r->batches_per_s[i] > 0.0) json_number(out, "batches_per_s", r->batches_per_s[i]);
        else json_null(out, "batches_per_s");
        json_end(out);
    }
    json_end(out);
    json_end(out);
}

static void print_curve(output *out, const fit_result *r, output_format format)
{
    static const table_column columns[] = {{"workers", 0}, {"batches_per_s", 0}, {"step_s", 0}};
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t i;
    for (i = 0; i < r->count; i++) {
        const double X = r->batches_per_s[i];
        table_integer(t, r->workers[i]);
        if (X > 0.0) table_number(t, X); else table_empty(t);
        if (X > 0.0) table_number(t, r->workers[i] / X); else table_empty(t);
    }
    table_print(t, out, format);
}

static void print_human(output *out, const fit_result *r)
{
    static const table_column columns[] = {{"parameter", 0}, {"value", 6}};
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t i;
    output_print(out, "%s, fitted to %lu points\n", sgdp_blackbox_text(r->fit.model),
                 (unsigned long)r->points.in_role[POINT_FIT]);
    for (i = 0; i < r->fit.parameters; i++) {
        table_text(t, parameter_names[r->fit.model][i]);
        table_number(t, r->fit.parameter[i]);
    }
    table_print(t, out, FORMAT_TABLE);
    output_print(out, "\nrelative errors of batches_per_s\n");
    print_errors(out, r->errors);
    output_print(out, "\n");
    print_curve(out, r, FORMAT_TABLE);
}

/* ---- The command ----------------------------------------------------------- */

int cmd_fit(int argc, char **argv)
{
    static const args_option options[] = {{"--model", ARGS_VALUE}, {"--workers", ARGS_VALUE}};
    static const args_command command = {help, options, COUNT_OF(options), 1, 1};
    const char *models[SGDP_BLACKBOX_COUNT];
    args a;
    fit_result r = {0};
    output out = {0};
    size_t model, i;
    args_parse(&a, &command, argc, argv);
    for (i = 0; i < SGDP_BLACKBOX_COUNT; i++) models[i] = sgdp_blackbox_text((sgdp_blackbox)i);
    if (!args_given(&a, "--model"))
        tool_fail("--model is missing: ernest, optimus-async, optimus-sync, amdahl or usl");
    model = args_choice(&a, "--model", models, SGDP_BLACKBOX_COUNT, 0);
    r.count = args_workers(&a, "--workers", &r.workers);
    if (r.count == 0) {
        r.count = 64;
        r.workers = (uint32_t *)tool_alloc(r.count, sizeof *r.workers);
        for (i = 0; i < r.count; i++) r.workers[i] = (uint32_t)(i + 1);
    }
    points_read(&r.points, a.files[0]);
    fit_points(&r, (sgdp_blackbox)model);
    evaluate(&r);
    if (args_format(&a) == FORMAT_JSON) print_json(&out, &r);
    else if (args_format(&a) == FORMAT_CSV) print_curve(&out, &r, FORMAT_CSV);
    else print_human(&out, &r);
    return output_flush(&out, EXIT_DONE);
}
