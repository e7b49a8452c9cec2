/* fit.c - sgdperf fit: black boxes fitted to measured points, and which points to measure */

#include "base/columns.h"
#include "cmd/commands.h"
#include "files/points.h"
#include "files/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct suggested_point {
    sgdfit_point at;
    double           spread;  /* of the prediction, in deviations of a measurement  */
} suggested_point;

typedef struct fit_result {
    sgdfit_blackbox model;
    int       fitted;         /* 0: too few points, so far                          */
    sgdfit_curve  fit;
    point_set points;         /* of count 0: without a file                         */
    sgdfit_error_statistics errors[POINT_ROLES];
    sgdfit_point *curve;      /* [count] batches_per_s 0 where the model has none   */
    size_t    count;
    suggested_point *suggested; /* [wanted]                                         */
    size_t    wanted;
    int       best;           /* --model best: compares the models                  */
    sgdfit_left_out left[SGDFIT_BLACKBOX_COUNT]; /* curve NULL: was not compared    */
} fit_result;

/* ---- Printing ----------------------------------------------------------------- */

/* Names of the parameters, in the order of sgdfit_curve.parameter. */
static const char *const parameter_names[SGDFIT_BLACKBOX_COUNT][SGDFIT_PARAMETERS] = {
    [SGDFIT_ERNEST] = {"constant_s", "parallel_s", "logarithmic_s", "linear_s"},
    [SGDFIT_OPTIMUS_ASYNC] = {"constant_s", "linear_s"},
    [SGDFIT_OPTIMUS_SYNC] = {"parallel_s", "constant_s", "linear_s"},
    [SGDFIT_AMDAHL] = {"rate_per_s", "serial"},
    [SGDFIT_USL] = {"rate_per_s", "contention", "coherency"},
    [SGDFIT_OPTIMUS_ASYNC_SERVERS] = {"constant_s", "shared_s", "linear_s", "servers_s"},
    [SGDFIT_OPTIMUS_SYNC_SERVERS] = {"parallel_s", "constant_s", "shared_s", "linear_s",
                                   "servers_s"},
};

/* Is it a form with p, the number of servers? */
static int knows_servers(sgdfit_blackbox model)
{
    return model == SGDFIT_OPTIMUS_ASYNC_SERVERS || model == SGDFIT_OPTIMUS_SYNC_SERVERS;
}

static int fit_knows_servers(const fit_result *r) { return knows_servers(r->model); }

/* Beyond it the points before say nothing of the prediction. */
static int is_spread(double spread) { return spread < 100.0; }

static void print_configuration(columns *c, const fit_result *r, const sgdfit_point *at)
{
    columns_row(c);
    column_whole(c, ALL, "workers", (uint64_t)at->workers);
    if (fit_knows_servers(r)) column_whole(c, ALL, "servers", (uint64_t)at->servers);
}

/* Do two errors differ by rounding alone? */
static int is_tied(const sgdfit_left_out *a, const sgdfit_left_out *b)
{
    return fabs(a->mean_error - b->mean_error) <= 1e-9 * (1.0 + b->mean_error);
}

/* "; the same: A, B" of the models that are as good as the best, or "". */
static const char *text_of_ties(const fit_result *r)
{
    const char *text = "";
    for (size_t i = 0; i < SGDFIT_BLACKBOX_COUNT; i++)
        if (r->left[i].curve && i != (size_t)r->model && is_tied(&r->left[i], &r->left[r->model]))
            text = tool_text("%s%s%s", text, *text == '\0' ? "; the same: " : ", ",
                             sgdfit_blackbox_text((sgdfit_blackbox)i));
    return text;
}

/* Models by their errors at points that were left out. */
static void print_models(output *out, const fit_result *r)
{
    output_print(out, "best: %s, off by %.3g %% on average at points left out of its fit%s\n\n",
                 sgdfit_blackbox_text(r->model), 100.0 * r->left[r->model].mean_error,
                 text_of_ties(r));
    columns c = columns_open(out, SCREEN | JSON, "models");
    for (size_t i = 0; i < SGDFIT_BLACKBOX_COUNT; i++) {
        if (!r->left[i].curve) continue;
        columns_row(&c);
        column_text(&c, ALL, "model", sgdfit_blackbox_text((sgdfit_blackbox)i));
        column_round(&c, ALL, "left_out_mean_error", 3, r->left[i].mean_error);
        column_round(&c, ALL, "left_out_max_error", 3, r->left[i].max_error);
    }
    columns_close(&c);
    output_print(out, "\n");
}

/* The least (way < 0) or largest parameter in the fits that leave a configuration out. */
static double extreme_of(const fit_result *r, size_t parameter, double way)
{
    const sgdfit_curve *curve = r->left[r->model].curve;
    double most = curve[0].parameter[parameter];
    for (size_t i = 1; i < r->points.in_role[POINT_FIT]; i++)
        if (way * curve[i].parameter[parameter] > way * most) most = curve[i].parameter[parameter];
    return most;
}

/* The largest number of workers fitted. */
static double most_fitted(const fit_result *r)
{
    double most = 1.0;
    for (size_t i = 0; i < r->points.count; i++)
        if (r->points.role[i] == POINT_FIT) most = fmax(most, r->points.workers[i]);
    return most;
}

/* The workers beyond which usl does not pay; 0: unknown. Beyond twice the largest number fitted it
 * is a guess. */
static double peak_of(const fit_result *r)
{
    const double *p = r->fit.parameter; /* rate_per_s, contention, coherency        */
    if (!r->fitted || r->model != SGDFIT_USL || !(p[2] > 0.0) || !(p[1] < 1.0)) return 0.0;
    const double peak = sqrt((1.0 - p[1]) / p[2]);
    return peak >= 1.0 && peak <= 2.0 * most_fitted(r) ? peak : 0.0;
}

/* CSV has no place for it but a note. */
static void print_peak(output *out, const fit_result *r)
{
    static const char text[] = "the curve peaks at %.3g workers: more workers lower the throughput";
    const double peak = peak_of(r);
    json_number(out, "peak_workers", known_if(peak > 0.0, peak));
    if (!(peak > 0.0)) return;
    if (out->form == CSV) tool_note("found", text, peak);
    output_print(out, "\n%s\n", tool_text(text, peak));
}

static void print_parameters(output *out, const fit_result *r)
{
    output_print(out, "%s, fitted to %lu points\n", sgdfit_blackbox_text(r->model),
                 (unsigned long)r->points.in_role[POINT_FIT]);
    json_object(out, "parameters");
    columns c = columns_open(out, SCREEN, NULL);
    for (size_t i = 0; columns_next(&c, i < r->fit.parameters); i++) {
        const char *name = parameter_names[r->model][i];
        json_number(out, name, r->fit.parameter[i]);
        column_text(&c, ALL, "parameter", name);
        column_round(&c, ALL, "value", 6, r->fit.parameter[i]);
        if (r->best) column_round(&c, ALL, "least_left_out", 6, extreme_of(r, i, -1.0));
        if (r->best) column_round(&c, ALL, "most_left_out", 6, extreme_of(r, i, 1.0));
    }
    json_end(out);
}

/* Beyond the fitted numbers of workers the range of the fits is too narrow. Wider by up to a third,
 * at twice the largest of them, it has 90 % of the rows of each source there is (FINDINGS.md). */
static double widened(const fit_result *r, double workers)
{
    return 1.0 + fmin(fmax(workers / most_fitted(r) - 1.0, 0.0), 1.0) / 3.0;
}

static void print_range(columns *c, const fit_result *r, const sgdfit_point *at)
{
    double low = 0.0, high = 0.0;
    const double by = widened(r, at->workers);
    const int known = sgdfit_left_out_range(&r->left[r->model], r->points.in_role[POINT_FIT],
                                            at->workers, at->servers, &low, &high) == SGDFIT_OK
                          && high * by <= DBL_MAX;
    column_number(c, ALL, "low", known_if(known, low / by));
    column_number(c, ALL, "high", known_if(known, high * by));
}

/* The speedup of a point of the curve over one worker; 0: unknown. */
static double speedup_of(const fit_result *r, const sgdfit_point *at)
{
    const double speedup = at->batches_per_s / sgdfit_curve_at(&r->fit, 1.0, at->servers);
    return speedup > 0.0 && speedup <= DBL_MAX ? speedup : 0.0;
}

static void print_curve(output *out, const fit_result *r)
{
    columns c = columns_open(out, r->wanted > 0 ? SCREEN | JSON : ALL, "curve");
    for (size_t i = 0; i < r->count && r->fitted; i++) {
        const double X = r->curve[i].batches_per_s;
        const double speedup = speedup_of(r, &r->curve[i]);
        const int known = speedup > 0.0;
        print_configuration(&c, r, &r->curve[i]);
        column_number(&c, ALL, "batches_per_s", known_if(X > 0.0, X));
        column_number(&c, TABLES, "step_s", known_if(X > 0.0, r->curve[i].workers / X));
        column_number(&c, ALL, "speedup", known_if(known, speedup));
        column_number(&c, ALL, "efficiency", known_if(known, speedup / r->curve[i].workers));
        if (r->best) print_range(&c, r, &r->curve[i]);
    }
    columns_close(&c);
}

static void print_suggested(output *out, const fit_result *r)
{
    output_print(out, "%spoints that would tell most of %s, and how unsure the prediction is\n"
                      "there, in deviations of a measurement (empty: it cannot be told yet)\n",
                 r->fitted ? "\n" : "", sgdfit_blackbox_text(r->model));
    columns c = columns_open(out, ALL, "suggested");
    for (size_t i = 0; i < r->wanted; i++) {
        const double spread = r->suggested[i].spread;
        print_configuration(&c, r, &r->suggested[i].at);
        column_round(&c, ALL, "spread", 3, known_if(is_spread(spread), spread));
    }
    columns_close(&c);
}

static void fit_print(output *out, const fit_result *r)
{
    json_object(out, NULL);
    json_string(out, "model", sgdfit_blackbox_text(r->model));
    if (r->best) print_models(out, r);
    if (r->fitted) print_parameters(out, r);
    else json_null(out, "parameters");
    print_peak(out, r);
    output_print(out, r->fitted ? "\nrelative errors of batches_per_s\n" : "");
    if (r->fitted || out->form == JSON) print_errors(out, r->errors, POINT_ROLES);
    output_print(out, r->fitted ? "\n" : "");
    if (r->fitted || out->form == JSON) print_curve(out, r);
    if (r->wanted > 0) print_suggested(out, r);
    json_end(out);
}

/* ---- The command -------------------------------------------------------------- */

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf fit POINTS.csv --model amdahl|ernest|optimus-async|...\n"
    "                   [--workers 1-64] [--servers P] [--suggest N]\n"
    "\n"
    "Fits a curve, which knows nothing of the job, to measured throughputs.\n"
    "\n"
    "POINTS.csv (- is stdin) has one row per point and the columns\n"
    "  workers        number of workers\n"
    "  batches_per_s  measured mini-batches per second of all workers together: K of\n"
    "                 them in a synchronous step of K workers; or any other unit:\n"
    "                 with a fixed total batch examples per second\n"
    "  servers        number of parameter servers, optional: where they differ,\n"
    "                 optimus-async and optimus-sync are the forms with servers below\n"
    "  role           fit or score, optional: score rows are not fitted, their errors\n"
    "                 are printed apart [all rows are fitted]\n"
    "  curve          optional: a name, the same in all rows\n"
    "Without POINTS.csv, --suggest N --candidates 1-64 names the points to measure.\n"
    "\n"
    "What to fit\n"),
    USE_AS(MODEL, CHOICE, "M",
         "ernest optimus-async optimus-sync amdahl usl optimus-async-servers "
         "optimus-sync-servers best", "model of the throughput curve, see Models; required", NULL),
    USE_HELP(WORKERS, "numbers of workers at which to print the curve: 1-64:4 (step 4)", "1-64"),
    USE_AS(SERVERS, WORKERS, "P", NULL, "numbers of parameter servers at which to print the curve",
         "the numbers in the file"),
    HEADING("What to measure next"),
    USE_HELP(SUGGEST, "number of points to measure next, chosen to determine the parameters best",
         "0"),
    USE(CANDIDATES), USE(AMONG_SERVERS),
    HEADING("Output"),
    USE_HELP(FORMAT, "output format: table, csv (the curve or suggested points) or json", "table"),
    ABOUT(
    "\n"
    "Models of n workers, all parameters >= 0; X = n / s batches_per_s, s is the step\n"
    "  ernest         s = constant_s + parallel_s / n + logarithmic_s ln n +\n"
    "                     linear_s n\n"
    "  optimus-async  s = constant_s + linear_s n\n"
    "  optimus-sync   s = parallel_s / n + constant_s + linear_s n\n"
    "  amdahl         X = rate_per_s n / (1 + serial (n - 1))\n"
    "  usl            X = rate_per_s n / (1 + contention (n - 1) +\n"
    "                     coherency n (n - 1)); its peak, printed if it is at most\n"
    "                     at twice the largest number fitted, is at\n"
    "                     n = sqrt((1 - contention) / coherency)\n"
    "  best           the model with the least mean error at points left out of its\n"
    "                 fit\n"
    "and of p servers:\n"
    "  optimus-async-servers  s = constant_s + shared_s n/p + linear_s n +\n"
    "                             servers_s p\n"
    "  optimus-sync-servers   s = parallel_s / n + constant_s + shared_s n/p +\n"
    "                             linear_s n + servers_s p\n"),
    SECTION("Notes",
    "  fit          Least squares of the relative errors of the step. It needs at\n"
    "               least as many different numbers of workers as parameters; with\n"
    "               servers as many configurations, none of whose terms is a sum of\n"
    "               the others.\n"
    "  best         leaves out each configuration in turn, and compares the models\n"
    "               that the others determine. least_left_out, most_left_out: range\n"
    "               of a parameter over these fits. low, high: range of their\n"
    "               predictions, widened by their largest error (jackknife-minmax\n"
    "               interval). One more of n configurations, measured among them,\n"
    "               lies in it with a probability of n / (n + 1). Beyond the fitted\n"
    "               numbers of workers it is wider: by a third from twice the largest\n"
    "               of them on.\n"
    "  speedup      against one worker by the same curve, with as many servers;\n"
    "               efficiency: speedup / workers\n"
    "  suggest      is D-optimal; the first point tells most. Without a file, or with\n"
    "               too few points for a fit, all steps count as equally long.\n"),
    SECTION("Example: three points fitted, with which the fourth is predicted",
    "  $ printf '%s\\n' workers,batches_per_s,role 1,10,fit 2,18.5,fit 4,31,fit \\\n"
    "      8,44,score |\n"
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
    "  workers  batches_per_s   step_s  speedup  efficiency\n"
    "        8         47.793  0.16739   4.7515     0.59394\n"
    "       16         65.288  0.24507   6.4908     0.40568\n")
};

static const option_rule rules[] = {
    MISSING(ONE(MODEL)), NEEDS(EACH(OPTION_CANDIDATES, OPTION_AMONG_SERVERS), ONE(SUGGEST))
};

/* ---- The command: the model, and the form of it ------------------------------- */

static uint32_t servers_of(const point_set *points, size_t i)
{
    return points->servers ? points->servers[i] : 1;
}

/* Two rows whose numbers of servers differ: the first row and *other; else 0. */
static int servers_differ(const point_set *points, size_t *other)
{
    for (size_t i = 1; i < points->count; i++)
        if (servers_of(points, i) != servers_of(points, 0)) { *other = i; return 1; }
    return 0;
}

/* Optimus has a form for one number of servers and one for several. */
static void choose_form(fit_result *r, const args *a)
{
    uint32_t *servers = NULL;
    size_t row = 0;
    const int differ = servers_differ(&r->points, &row);
    const int several = differ || args_workers(a, OPTION_AMONG_SERVERS, &servers) > 1;
    if (several && r->model == SGDFIT_OPTIMUS_ASYNC) r->model = SGDFIT_OPTIMUS_ASYNC_SERVERS;
    if (several && r->model == SGDFIT_OPTIMUS_SYNC) r->model = SGDFIT_OPTIMUS_SYNC_SERVERS;
    if (fit_knows_servers(r)) return;
    if (differ)
        csv_fail(r->points.file, row, csv_column(r->points.file, "servers"),
                 "%lu, but %lu in another row: --model %s needs one number of servers; the models "
                 "optimus-*-servers take several",
                 (unsigned long)servers_of(&r->points, row),
                 (unsigned long)servers_of(&r->points, 0), sgdfit_blackbox_text(r->model));
    if (args_given(a, OPTION_SERVERS) || args_given(a, OPTION_AMONG_SERVERS))
        args_fail(args_given(a, OPTION_SERVERS) ? OPTION_SERVERS : OPTION_AMONG_SERVERS, NULL,
                  r->best ? "cannot be combined with --model best, as all points have one number "
                            "of servers"
                          : "cannot be combined with --model %s, which describes one number of "
                            "servers", sgdfit_blackbox_text(r->model));
}

/* ---- The command: fitting ----------------------------------------------------- */

static sgdfit_point point_at(double workers, double servers, double batches_per_s)
{
    return (sgdfit_point){.workers = workers, .servers = servers, .batches_per_s = batches_per_s};
}

/* The points to be fitted, in file order; *n of them. */
static sgdfit_point *fitted_points(const fit_result *r, size_t *n)
{
    const point_set *points = &r->points;
    sgdfit_point *to =
        (sgdfit_point *)tool_alloc(points->in_role[POINT_FIT], sizeof *to);
    *n = 0;
    for (size_t i = 0; i < points->count; i++)
        if (points->role[i] == POINT_FIT)
            to[(*n)++] = point_at(points->workers[i], servers_of(points, i),
                                  points->batches_per_s[i]);
    return to;
}

/* Different numbers of workers among the points, counted up to the number of parameters. */
static size_t distinct_workers(const sgdfit_point *point, size_t n)
{
    double seen[SGDFIT_PARAMETERS];
    size_t found = 0, k;
    for (size_t i = 0; i < n && found < COUNT_OF(seen); i++) {
        for (k = 0; k < found && (seen[k] < point[i].workers || seen[k] > point[i].workers); k++) {}
        if (k == found) seen[found++] = point[i].workers;
    }
    return found;
}

/* Where two errors differ by rounding alone, the model with fewer parameters is better, then the
 * one that stands last: amdahl and usl claim nothing of how workers train, optimus does. */
static int is_better(sgdfit_blackbox model, const sgdfit_left_out *left, sgdfit_blackbox than,
                     const sgdfit_left_out *its)
{
    if (!is_tied(left, its)) return left->mean_error < its->mean_error;
    return sgdfit_blackbox_parameters(model) <= sgdfit_blackbox_parameters(than);
}

/* A model that points without one configuration do not determine, or that has no curve through
 * these: 1 / rate_per_s is then 0 at the least. */
static void note_left_out(sgdfit_blackbox model, const sgdfit_point *point, size_t n)
{
    const size_t parameters = sgdfit_blackbox_parameters(model);
    const int enough = !knows_servers(model) && distinct_workers(point, n) > parameters;
    const int has_rate = model == SGDFIT_AMDAHL || model == SGDFIT_USL;
    const char *why = tool_text("the points without one configuration do not determine its %lu "
                                "parameters; measure more points", (unsigned long)parameters);
    if (enough)
        why = has_rate ? "without one configuration the rate of its fit is infinite: the measured "
                         "throughput falls more steeply than the model can"
                       : "without one configuration its fit has no finite throughput";
    tool_note("left-out", "%s best: %s was not compared: %s", NAME_OF(MODEL),
              sgdfit_blackbox_text(model), why);
}

/* --model best: those that all points but one configuration determine, of one number of servers or
 * of several. */
static void choose_best(fit_result *r)
{
    size_t n, bytes = 0, row;
    const sgdfit_point *point = fitted_points(r, &n);
    const int several = servers_differ(&r->points, &row);
    r->model = SGDFIT_BLACKBOX_COUNT;
    for (size_t i = 0; i < SGDFIT_BLACKBOX_COUNT && n > 0; i++) {
        const sgdfit_blackbox model = (sgdfit_blackbox)i;
        sgdfit_left_out left = {0};
        if (several != knows_servers(model)) continue;
        tool_check_fit(sgdfit_leave_out_bytes(model, n, &bytes), r->points.file->name);
        left.curve = (sgdfit_curve *)tool_alloc(n, sizeof *left.curve);
        if (sgdfit_leave_out(model, point, n, tool_alloc(bytes, 1), bytes, &left) != SGDFIT_OK) {
            note_left_out(model, point, n);
            continue;
        }
        r->left[i] = left;
        if (r->model == SGDFIT_BLACKBOX_COUNT || is_better(model, &left, r->model,
                                                           &r->left[r->model])) r->model = model;
    }
    if (r->model == SGDFIT_BLACKBOX_COUNT && !several && distinct_workers(point, n) > 2)
        tool_fail("%s: %s best: no model can be fitted to these points", r->points.file->name,
                  NAME_OF(MODEL));
    if (r->model == SGDFIT_BLACKBOX_COUNT)
        tool_fail("%s: too few points to leave one out: --model best needs points at 3 numbers of "
                  "workers, or at 5 configurations if numbers of servers differ",
                  r->points.file->name);
}

/* A fit that there is none of ends the program, unless more points are to be suggested. */
static void fit_points(fit_result *r)
{
    const char *name = r->points.file->name, *model = sgdfit_blackbox_text(r->model);
    const size_t need = sgdfit_blackbox_parameters(r->model);
    size_t n, distinct;
    const sgdfit_point *point = fitted_points(r, &n);
    sgdfit_status status = SGDFIT_BAD_ARGUMENT;
    distinct = distinct_workers(point, n);
    if (!fit_knows_servers(r) && distinct < need) {
        if (r->wanted > 0) return;
        tool_fail("%s: points at %lu different numbers of workers, but --model %s has %lu "
                  "parameters: measure at more numbers of workers",
                  name, (unsigned long)distinct, model, (unsigned long)need);
    }
    if (n > 0) status = points_curve(r->model, point, n, &r->fit);
    r->fitted = status == SGDFIT_OK;
    if (r->fitted || (status == SGDFIT_BAD_ARGUMENT && r->wanted > 0)) return;
    if (status == SGDFIT_BAD_ARGUMENT && fit_knows_servers(r))
        tool_fail("%s: %lu points do not determine the %lu parameters of --model %s: measure other "
                  "numbers of workers or servers; --suggest N proposes N",
                  name, (unsigned long)n, (unsigned long)need, model);
    if (status == SGDFIT_BAD_ARGUMENT)
        tool_fail("%s: --model %s cannot be fitted to these points", name, model);
    tool_check_fit(status, name);
}

static void evaluate(fit_result *r)
{
    const point_set *points = &r->points;
    double *predicted = (double *)tool_alloc(points->count, sizeof *predicted);
    for (size_t i = 0; i < points->count; i++)
        predicted[i] = sgdfit_curve_at(&r->fit, points->workers[i], servers_of(points, i));
    points_errors(points, predicted, r->errors);
    for (size_t i = 0; i < r->count; i++)
        r->curve[i].batches_per_s =
            sgdfit_curve_at(&r->fit, r->curve[i].workers, r->curve[i].servers);
}

/* A curve that is off by more than the measurements themselves describes none of them. */
static void note_far_off(const fit_result *r)
{
    const double error = r->best ? r->left[r->model].mean_error : r->errors[POINT_FIT].mean;
    if (error > 1.0)
        tool_note("step-not-explained",
                  "%s: %s is off by %.3g %% on average%s: check the units and decimal points of "
                  "batches_per_s", r->points.file->name, sgdfit_blackbox_text(r->model),
                  100.0 * error, r->best ? " at points left out of its fit" : "");
}

/* What no number of workers brings about, but another unit or another model does. */
static void note_shape(const fit_result *r)
{
    const double serial = r->model == SGDFIT_AMDAHL ? r->fit.parameter[1] : 0.0;
    size_t most = 0;
    double efficiency = 0.0;
    for (size_t i = 0; i < r->count; i++) {
        const double of = speedup_of(r, &r->curve[i]) / r->curve[i].workers;
        if (of <= efficiency) continue;
        efficiency = of;
        most = i;
    }
    if (efficiency > 1.25)
        tool_note("more-than-linear",
                  "more than linear: the efficiency is %.3g at %.0f workers: with a fixed total "
                  "batch, give examples/s in place of batches/s", efficiency,
                  r->curve[most].workers);
    if (serial > 1.0)
        tool_note("unusual-value",
                  "serial is %.3g, above 1: the curve falls from one worker on, which the law of "
                  "Amdahl does not describe; compare %s usl", serial, NAME_OF(MODEL));
}

/* What a fit could be taken for and is not. */
static void note_fit(const fit_result *r)
{
    const point_set *points = &r->points;
    const size_t need = sgdfit_blackbox_parameters(r->model), had = points->in_role[POINT_FIT];
    const double most = most_fitted(r);
    size_t beyond = 0;
    for (size_t i = 0; i < r->count; i++) beyond += r->curve[i].workers > most;
    if (had <= need)
        tool_note("few-points", "%lu points for %lu parameters: %s; measure more points",
                  (unsigned long)had, (unsigned long)need,
                  r->fit.max_error < 1e-6
                      ? "the curve passes through all points, so the errors do not show how good "
                        "the curve is"
                      : "no curve of the model passes through all points without negative "
                        "parameters, which are shown as 0");
    if (beyond > 0)
        tool_note("extrapolated",
                  "beyond %.0f workers, the largest number fitted, fitted curves were off by up "
                  "to 29 %% on average in a dataset that comes with sgdperf%s: measure larger "
                  "numbers", most,
                  r->best ? ", so low and high are wider there, by up to a third" : "");
}

/* ---- The command: configurations ---------------------------------------------- */

enum { FIT_MOST = 1000000 };           /* configurations                               */

TOOL_NORETURN static void fail_many(void)
{
    tool_fail("%s: more than a million configurations to choose from: give fewer %s",
              NAME_OF(SUGGEST), NAME_OF(CANDIDATES));
}

/* 1 to `most`. */
static size_t count_up(uint32_t most, uint32_t **list)
{
    if (most > FIT_MOST) fail_many();
    *list = (uint32_t *)tool_alloc(most, sizeof **list);
    for (uint32_t i = 0; i < most; i++) (*list)[i] = i + 1;
    return most;
}

/* The servers of the file, each once, smallest first. */
static size_t servers_of_file(const fit_result *r, uint32_t **list)
{
    size_t n = 0, k;
    *list = (uint32_t *)tool_alloc(r->points.count + 1, sizeof **list);
    for (size_t i = 0; i < r->points.count; i++) {
        const uint32_t p = servers_of(&r->points, i);
        for (k = n; k > 0 && (*list)[k - 1] > p; k--) {}
        if (k > 0 && (*list)[k - 1] == p) continue;
        memmove(*list + k + 1, *list + k, (n++ - k) * sizeof **list);
        (*list)[k] = p;
    }
    if (n == 0) (*list)[n++] = 1;
    return n;
}

static uint32_t most_servers(const point_set *points)
{
    uint32_t most = 1;
    for (size_t i = 0; i < points->count; i++)
        if (servers_of(points, i) > most) most = servers_of(points, i);
    return most;
}

/* All combinations, the servers of one number of workers after the other. */
static sgdfit_point *combine(const uint32_t *workers, size_t n, const uint32_t *servers,
                             size_t m)
{
    if (n > FIT_MOST / m) fail_many();
    sgdfit_point *to = (sgdfit_point *)tool_alloc(n * m, sizeof *to);
    for (size_t i = 0; i < n * m; i++) to[i] = point_at(workers[i % n], servers[i / n], 0.0);
    return to;
}

static void read_curve(fit_result *r, const args *a)
{
    uint32_t *workers = NULL, *servers = NULL;
    size_t n = args_workers(a, OPTION_WORKERS, &workers);
    size_t m = args_workers(a, OPTION_SERVERS, &servers);
    if (n == 0) n = count_up(64, &workers);
    if (m == 0) m = servers_of_file(r, &servers);
    r->curve = combine(workers, n, servers, m);
    r->count = n * m;
}

/* ---- The command: suggesting -------------------------------------------------- */

static void suggest(fit_result *r, const args *a)
{
    const point_set *points = &r->points;
    uint32_t *workers = NULL, *servers = NULL;
    size_t n, m = args_workers(a, OPTION_AMONG_SERVERS, &servers), bytes = 0, i;
    size_t *chosen = (size_t *)tool_alloc(r->wanted, sizeof *chosen);
    double *spread = (double *)tool_alloc(r->wanted, sizeof *spread);
    sgdfit_point_design of;
    sgdfit_status status;
    if (points->count == 0 && !args_given(a, OPTION_CANDIDATES))
        tool_fail("--candidates is missing");
    n = points_candidates(points, a, &workers);
    if (m == 0) m = count_up(most_servers(points), &servers);
    of.model = r->model;
    of.fit = r->fitted ? &r->fit : NULL;
    of.candidate = combine(workers, n, servers, m);
    of.m = n * m;
    of.measured = fitted_points(r, &of.n);
    tool_check_fit(sgdfit_suggest_points_bytes(&of, &bytes), NAME_OF(SUGGEST));
    status = sgdfit_suggest_points(&of, r->wanted, tool_alloc(bytes, 1), bytes, chosen, spread);
    if (status != SGDFIT_OK)
        args_fail(OPTION_SUGGEST, NULL, "none of the --candidates would narrow the parameters: "
                                        "give other candidates");
    r->suggested = (suggested_point *)tool_alloc(r->wanted, sizeof *r->suggested);
    for (i = 0; i < r->wanted; i++) {
        r->suggested[i].at = of.candidate[chosen[i]];
        r->suggested[i].spread = spread[i];
    }
}

static int run(args *a)
{
    output out = {.form = args_form(a)};
    fit_result r = {.wanted = (size_t)args_integer(a, OPTION_SUGGEST, 1, 1000, 0)};
    if (a->file_count == 0 && r.wanted == 0) tool_fail("fit: a file is missing, see %s",
                                                       NAME_OF(HELP));
    r.model = (sgdfit_blackbox)args_word(a, OPTION_MODEL, 0);
    if (a->file_count > 0) points_read(&r.points, a->files[0]);
    r.best = r.model == SGDFIT_BLACKBOX_COUNT;
    if (r.best && a->file_count == 0)
        args_fail(OPTION_MODEL, "best", "needs measured points: give POINTS.csv");
    if (r.best) choose_best(&r);
    choose_form(&r, a);
    read_curve(&r, a);
    if (a->file_count > 0) fit_points(&r);
    if (r.fitted) {
        evaluate(&r);
        note_far_off(&r);
        note_shape(&r);
        note_fit(&r);
    }
    if (!r.fitted && a->file_count > 0)
        tool_note("few-points", "too few points for a fit: only points to measure are printed");
    if (r.wanted > 0) suggest(&r, a);
    fit_print(&out, &r);
    return output_flush(&out, EXIT_DONE);
}

const args_command command_fit = {"fit", "fit a curve of throughput to measured points", run, uses,
                                  COUNT_OF(uses), rules, COUNT_OF(rules), 0, 1, NULL, 0,
                                  EACH(OPTION_MODEL, OPTION_WORKERS, OPTION_SUGGEST)};
