/* run.c - calibrate: groups fitted, points predicted, runs suggested, all of it printed */
#include "base/columns.h"
#include "cmd/calibrate/calibrate.h"
#include "files/job_fit.h"
#include "files/status.h"
#include "jobs/parallel.h"
#include "model/topology.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Calibration ----------------------------------------------------------- */

int calibrate_finds(const calibration *c, sgdp_input input)
{
    size_t i = 0;
    while (i < c->count && c->input[i] != input) i++;
    return i < c->count;
}

static const char *label_of(const calibrated_group *g) { return g->name ? g->name : ""; }

static int has_prior(const calibrated_group *g, size_t i) { return g->prior[i].spread > 0.0; }

static size_t count_priors(const calibration *c, const calibrated_group *g)
{
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++) count += has_prior(g, i) != 0;
    return count;
}

int calibrate_has_priors(const calibration *c)
{
    for (size_t group = 0; group < c->groups; group++)
        if (count_priors(c, &c->of[group]) > 0) return 1;
    return 0;
}

/* What the parts of a search are dealt with; processes 0: they are not. */
typedef struct search_dealer {
    size_t      processes;
    void       *work;
    sgdfit_part part;
    const void *search;
} search_dealer;

/* parallel_task */
static void part_task(void *ctx, size_t i, void *result)
{
    const search_dealer *d = (const search_dealer *)ctx;
    d->part(d->search, i, d->work, result);
}

/* sgdfit_deal */
static void deal_parts(void *ctx, sgdfit_part part, const void *search, size_t count,
                       void *results, size_t result_bytes)
{
    search_dealer *d = (search_dealer *)ctx;
    d->part = part;
    d->search = search;
    parallel_begin_here();
    parallel_run(count, d->processes, part_task, d, results, result_bytes,
                 "parts of the search");
}

/* The points to be fitted, and what profiles of several workers tell. */
static sgdp_measurement *measurements(const calibration *c, size_t group, size_t *n)
{
    const point_set *points = &c->points;
    const row_list *rows = &c->in_group[group];
    const uint32_t *on = c->jobs.measured_on;
    sgdp_measurement *m = (sgdp_measurement *)tool_alloc(
        rows->count + (on ? c->jobs.count : 0), sizeof *m);
    size_t i;
    *n = 0;
    for (size_t k = 0; k < rows->count; k++) {
        i = rows->row[k];
        if (points->role[i] != POINT_FIT) continue;
        m[*n].job = &c->jobs.job[c->job[i]];
        m[*n].workers = points->workers[i];
        m[(*n)++].batches_per_s = points->batches_per_s[i];
    }
    for (i = 0; on && i < c->jobs.count && calibrate_finds(c, SGDP_INPUT_BANDWIDTH); i++) {
        if (on[i] == 0) continue;      /* a profile of several workers is a point     */
        m[*n].job = &c->jobs.job[i];
        m[*n].workers = on[i];
        m[(*n)++].batches_per_s = on[i] / c->jobs.measured_step_s[i];
    }
    return m;
}

/* "group g: " of a group with a name. */
static const char *group_text(const calibrated_group *g)
{
    if (!g->name) return "";
    char *text = (char *)tool_alloc(strlen(g->name) + sizeof "group : ", 1);
    sprintf(text, "group %s: ", g->name);
    return text;
}

/* What the points' jobs declare of each unknown. One prior is for all of them: where they
 * declare different values, none. */
static void read_priors(const calibration *c, const sgdp_measurement *m, size_t n,
                        calibrated_group *g)
{
    for (size_t k = 0; k < c->count; k++) {
        g->prior[k] = job_fit_prior(m[0].job, c->input[k]);
        for (size_t i = 1; i < n && has_prior(g, k); i++) {
            const sgdfit_prior other = job_fit_prior(m[i].job, c->input[k]);
            const double apart = other.value / g->prior[k].value - 1.0;
            if (apart < 1e-9 && apart > -1e-9) continue;
            g->prior[k].spread = 0.0;
            tool_note("priors-differ",
                      "%sthe points declare two values of %s, %.4g and %.4g: neither value is "
                      "used; give each value its own group", group_text(g),
                      job_input_name(c->input[k]), g->prior[k].value, other.value);
        }
    }
}

/* With intervals, but to a threshold, which has none: the error is a step function of it. */
static sgdp_status fit(const calibration *c, const sgdp_measurement *m, size_t n,
                       size_t processes, calibrated_group *g)
{
    search_dealer dealer = {.processes = processes};
    job_fit of = {
        .runs = {.model = c->jobs.model, .run = m, .n = n, .unknown = c->input,
                 .unknowns = c->count},
        .problem = {.level = g->intervals ? CALIBRATE_LEVEL : 0.0,
                    .deal = processes > 0 ? deal_parts : NULL, .deal_ctx = &dealer}
    };
    double value[CALIBRATE_MOST];
    size_t bytes = 0;
    memcpy(of.prior, g->prior, sizeof of.prior);
    sgdp_status status = job_fit_open(&of, (double *)tool_alloc(n, sizeof(double)));
    if (status == SGDP_OK) status = (sgdp_status)sgdfit_calibrate_bytes(&of.problem, &bytes);
    if (status != SGDP_OK) return status;
    dealer.work = tool_alloc(bytes, 1);
    status = (sgdp_status)sgdfit_calibrate(&of.problem, dealer.work, bytes, &g->fit);
    for (size_t i = 0; i < c->count; i++) value[i] = g->fit.kept[i] ? g->fit.value[i] : -1.0;
    if (status == SGDP_OK && count_priors(c, g) > 0)
        (void)sgdfit_told(&of.problem, value, dealer.work, bytes, g->told);
    return status;
}

static void fit_group(const calibration *c, size_t group, size_t processes, calibrated_group *g)
{
    char far[400];
    const char *file = c->points.file->name, *group_is = group_text(g);
    size_t n = 0;
    sgdp_measurement *m = measurements(c, group, &n);
    if (n > 0) read_priors(c, m, n, g);
    if (n == 0 || n + count_priors(c, g) < c->count)
        tool_fail("%s: %s%lu point%s to fit, fewer than the inputs that %s names: measure more "
                  "points, or name fewer inputs", file, group_is, COUNTED(n), NAME_OF(FIT));
    g->points = n;
    g->intervals = !calibrate_finds(c, SGDP_INPUT_THRESHOLD);
    sgdp_status status = fit(c, m, n, processes, g);
    if (status == SGDP_BAD_ARGUMENT
        && *job_far_numbers(&c->jobs, (size_t)(m[0].job - c->jobs.job), far, sizeof far))
        tool_fail("%s: %sthe model cannot predict the points with these inputs%s", file, group_is,
                  far);
    if (status == SGDP_BAD_ARGUMENT)
        tool_fail("%s: %sthe prediction of the points does not depend on an input that %s names: "
                  "remove the input", file, group_is, NAME_OF(FIT));
    if (status == SGDP_NOT_CONVERGED)
        tool_fail("%s: %sno value of the inputs of %s makes the model converge at all points",
                  file, group_is, NAME_OF(FIT));
    if (status != SGDP_OK)
        tool_fail("%s: too many workers for %s %s: use another model", file, NAME_OF(MODEL),
                  sgdp_model_text(c->jobs.model));
}

/* What a group's rows do not tell is said, with what is taken instead. */
static void note_left_out(const calibration *c, const calibrated_group *g)
{
    for (size_t i = 0; i < c->count; i++)
        if (!g->fit.kept[i])
            tool_note("not-determined", "%s%s is not fitted, as the points do not determine it "
                      "beside the other inputs of %s: no value is printed for it", group_text(g),
                      c->word[i], NAME_OF(FIT));
}

/* Values whose interval is wider than they are. */
static void note_wide(const calibration *c, const calibrated_group *g)
{
    for (size_t i = 0; i < c->count && g->intervals; i++)
        if (g->fit.kept[i] && !has_prior(g, i) && g->fit.high[i] <= DBL_MAX &&
            g->fit.high[i] - g->fit.low[i] >= 2.0 * g->fit.value[i])
            tool_note("wide-interval",
                      "%sthe interval of %s is wider than the value: the points hardly determine "
                      "the value; measure more points", group_text(g), c->word[i]);
}

/* Workers of the first run, twice as many from one to the next, that would tell at least half of
 * an unknown alone; 0: none does, or such runs take long to predict. */
static uint32_t telling_workers(const calibration *c, const calibrated_group *g,
                                const sgdp_measurement *of, size_t i)
{
    const uint32_t most = 1024;
    const double noise = 0.02, value = g->fit.value[i];
    const double moved = g->prior[i].spread / (g->prior[i].normal ? value : 1.0);
    sgdp_measurement run = *of;
    while (run.workers <= most / 2) {
        sgdp_runs runs = {c->jobs.model, &run, 1, c->input, c->count, 0};
        double e[CALIBRATE_MOST], operations = 0.0;
        run.workers *= 2;
        if (sgdp_predict_operations(run.job, runs.model, run.workers, &operations) != SGDP_OK ||
            operations > 1e8 || sgdp_runs_open(&runs, NULL) != SGDP_OK ||
            sgdp_runs_elasticity(&runs, g->fit.value, 0, tool_alloc(runs.work_bytes, 1), e) != 0)
            return 0;
        if (e[i] * moved > noise || -e[i] * moved > noise) return run.workers;
    }
    return 0;
}

/* The first of a group's points, with the most workers of them. */
static sgdp_measurement largest_run(const calibration *c, size_t group)
{
    size_t n = 0;
    const sgdp_measurement *m = measurements(c, group, &n);
    sgdp_measurement largest = m[0];
    for (size_t i = 1; i < n; i++)
        if (m[i].workers > largest.workers) largest = m[i];
    return largest;
}

/* Of one group: what its points decide less than the prior, and which run would tell. */
static void note_untold(const calibration *c, size_t i, const char *is)
{
    const calibrated_group *g = &c->of[0];
    const sgdp_measurement m = largest_run(c, 0);
    const uint32_t workers = telling_workers(c, g, &m, i);
    char run[80] = "a smaller batch would determine it better";
    if (workers > 0)
        snprintf(run, sizeof run, "a run of %lu workers would determine it better",
                 (unsigned long)workers);
    tool_note("hardly-told",
              "the fitted %s is mostly %s, not measured: the points have only %.2g %% of the "
              "weight; %s",
              c->word[i], is, 100.0 * g->told[i], run);
}

/* The unknowns of which the prior decides more than the points. */
static void note_hardly_told(const calibration *c)
{
    for (size_t k = 0; k < c->count; k++) {
        const char *is = c->input[k] < SGDP_INPUT_EXPOSURE ? "the declared value"
                                                               : "the usual value";
        const calibrated_group *first = NULL;
        size_t groups = 0;
        for (size_t i = c->groups; i-- > 0;) {
            if (!has_prior(&c->of[i], k) || !(c->of[i].told[k] < 0.5)) continue;
            first = &c->of[i];
            groups++;
        }
        if (groups > 0 && c->groups == 1) note_untold(c, k, is);
        else if (groups > 0)
            tool_note("hardly-told",
                      "in %lu of %lu groups (the first: %s) the points hardly determine %s: the "
                      "value is mostly %s", (unsigned long)groups, (unsigned long)c->groups,
                      first->name ? first->name : "the rows without a pool", c->word[k], is);
    }
}

/* Are all points of a group of one number of workers and one compute time? */
static int is_one_batch(const calibration *c, size_t group)
{
    size_t n = 0;
    const sgdp_measurement *m = measurements(c, group, &n);
    for (size_t i = 1; i < n; i++) {
        const double apart = points_compute_s(m[i].job) / points_compute_s(m[0].job) - 1.0;
        if (m[i].workers != m[0].workers || apart > 0.1 || apart < -0.1) return 0;
    }
    return 1;
}

/* Exposure and growth lengthen all points of one batch size alike. */
static void note_one_batch(const calibration *c)
{
    const char *first = NULL;
    size_t groups = 0;
    char of[200] = "";
    if (!calibrate_finds(c, SGDP_INPUT_EXPOSURE) || c->count < 2) return;
    for (size_t i = c->groups; i-- > 0;) {
        if (!is_one_batch(c, i)) continue;
        first = c->of[i].name;
        groups++;
    }
    if (groups == 0) return;
    if (c->groups > 1)
        snprintf(of, sizeof of, " of %lu of %lu groups (the first: %s)", (unsigned long)groups,
                 (unsigned long)c->groups, first ? first : "the rows without a pool");
    tool_note("one-batch",
              "the points%s have one batch size, so exposure and growth cannot be separated: "
              "measure another batch size", of);
}

static void fit_and_note(const calibration *c, size_t group, size_t processes,
                         calibrated_group *g)
{
    g->name = c->of[group].name;
    fit_group(c, group, processes, g);
    note_left_out(c, g);
    note_wide(c, g);
}

/* parallel_task; the name, which is a pointer, is not handed over */
static void fit_task(void *ctx, size_t i, void *result)
{
    calibrated_group *g = (calibrated_group *)result;
    fit_and_note((const calibration *)ctx, i, 0, g);
    g->name = NULL;
}

/* Dealt are groups, or of one alone the parts of its search. */
void calibrate_groups(calibration *c, size_t processes)
{
    calibrated_group *found = (calibrated_group *)tool_alloc(c->groups, sizeof *found);
    if (c->groups == 1) fit_and_note(c, 0, processes, found);
    else parallel_run(c->groups, processes, fit_task, c, found, sizeof *found, "groups");
    for (size_t i = 0; i < c->groups; i++) {
        found[i].name = c->of[i].name;
        c->of[i] = found[i];
    }
}

static void set_values(const calibration *c, const calibrated_group *g, sgdp_job *job)
{
    for (size_t i = 0; i < c->count; i++)
        if (g->fit.kept[i])
            tool_check(sgdp_set_input(job, c->input[i], g->fit.value[i]), "a fitted value");
}

/* Names the fitted point with the largest error. */
static void note_far(const calibration *c)
{
    const point_set *p = &c->points;
    double most = -1.0;
    size_t worst = 0;
    for (size_t i = 0; i < p->count; i++) {
        const double error = fabs(relative_error(c->predicted[i], p->batches_per_s[i]));
        if (p->role[i] != POINT_FIT || error <= most) continue;
        worst = i;
        most = error;
    }
    points_note_far(p->file->name, sgdp_model_text(c->jobs.model), c->errors[POINT_FIT].mean,
                    p->batches_per_s[worst], p->workers[worst], &c->jobs.job[c->job[worst]]);
}

sgdp_status calibrate_evaluate(calibration *c)
{
    sgdp_status worst = SGDP_OK;
    c->predicted = (double *)tool_alloc(c->points.count, sizeof *c->predicted);
    for (size_t i = 0; i < c->points.count; i++) {
        sgdp_prediction point = {0};
        set_values(c, &c->of[c->group[i]], &c->jobs.job[c->job[i]]);
        if (job_predict(&c->jobs, c->job[i], c->points.workers[i], &point) != SGDP_OK)
            worst = SGDP_NOT_CONVERGED;
        c->predicted[i] = point.batches_per_s;
    }
    points_errors(&c->points, c->predicted, c->errors);
    note_far(c);
    return worst;
}

/* ---- Runs to measure next -------------------------------------------------- */

static void suggest_for(calibration *c, size_t group, const uint32_t *workers, size_t count)
{
    const row_list *rows = &c->in_group[group];
    const size_t most = rows->count * count, k = c->count;
    size_t n = 0, all, i, w, *job = (size_t *)tool_alloc(most, sizeof *job);
    size_t *chosen = (size_t *)tool_alloc(c->wanted, sizeof *chosen);
    double *spread = (double *)tool_alloc(c->wanted, sizeof *spread), *e;
    const sgdp_measurement *had = measurements(c, group, &n);
    sgdp_measurement *run = (sgdp_measurement *)tool_alloc(n + most, sizeof *run);
    sgdp_runs runs = {c->jobs.model, run, 0, c->input, k, 0};
    sgdfit_design design = {k, NULL, n, NULL, 0};
    for (all = 0; all < n; all++) run[all] = had[all];
    for (i = 0; i < rows->count; i++)
        for (w = 0; w < count; w++) {
            run[all].job = &c->jobs.job[c->job[rows->row[i]]];
            if (c->whole && !topology_fills(run[all].job->machine.gpus, workers[w])) continue;
            run[all].workers = workers[w];
            job[all++ - n] = rows->row[i];
        }
    runs.n = all;
    if (sgdp_runs_open(&runs, NULL) != SGDP_OK)
        args_fail(OPTION_SUGGEST, NULL, "%s %s cannot predict so many workers: give smaller %s",
                  NAME_OF(MODEL), sgdp_model_text(c->jobs.model), NAME_OF(CANDIDATES));
    e = (double *)tool_alloc(all, k * sizeof *e);
    design.measured = e;
    design.candidate = e + n * k;
    design.m = all - n;
    if (job_fit_rows(&runs, tool_alloc(runs.work_bytes, 1), e) != 0
        || sgdfit_suggest_runs(&design, c->wanted, chosen, spread) != SGDFIT_OK)
        args_fail(OPTION_SUGGEST, NULL, "none of the --candidates would narrow the prediction: "
                                        "give other candidates");
    for (i = 0; i < c->wanted; i++) {
        suggestion *s = &c->suggested[group * c->wanted + i];
        s->group = group;
        s->job = job[chosen[i]];
        s->workers = run[n + chosen[i]].workers;
        s->spread = spread[i];
    }
}

void calibrate_suggest(calibration *c, const uint32_t *workers, size_t count)
{
    c->suggested = (suggestion *)tool_alloc(c->groups * c->wanted, sizeof *c->suggested);
    for (size_t group = 0; group < c->groups; group++) suggest_for(c, group, workers, count);
}

/* ---- What is printed ------------------------------------------------------- */

static const char *name_of(const calibration *c, size_t i) { return job_input_name(c->input[i]); }

/* An object of a number for each unknown with a prior. */
static void json_told(output *out, const calibration *c, const calibrated_group *g)
{
    json_object(out, "told");
    for (size_t i = 0; i < c->count; i++)
        if (has_prior(g, i)) json_number(out, name_of(c, i), g->told[i]);
    json_end(out);
}

static void json_group(output *out, const calibration *c, const calibrated_group *g)
{
    json_object(out, "fitted");
    for (size_t i = 0; i < c->count; i++)
        if (g->fit.kept[i]) json_number(out, name_of(c, i), g->fit.value[i]);
    json_end(out);
    if (g->intervals) {
        json_object(out, "intervals");
        for (size_t i = 0; i < c->count; i++) {
            json_array(out, name_of(c, i));
            json_number(out, NULL, g->fit.low[i]);
            json_number(out, NULL, g->fit.high[i]);
            json_end(out);
        }
        json_end(out);
        json_number(out, "level", CALIBRATE_LEVEL);
    }
    if (calibrate_has_priors(c)) json_told(out, c, g);
    json_array(out, "left_out");
    for (size_t i = 0; i < c->count; i++)
        if (!g->fit.kept[i]) json_string(out, NULL, name_of(c, i));
    json_end(out);
}

/* The point or job like which a run is suggested. */
static const char *suggested_name(const calibration *c, const suggestion *s)
{
    if (c->name) return c->name[s->job];
    return c->jobs.name ? c->jobs.name[c->job[s->job]] : NULL;
}

/* Is a run suggested that is the one before it? */
static int repeats(const calibration *c, size_t i)
{
    const suggestion *s = &c->suggested[i];
    return i > 0 && s[-1].group == s->group && s[-1].job == s->job && s[-1].workers == s->workers;
}

static void print_suggestions(output *out, const calibration *c)
{
    size_t again = 0;
    for (size_t i = 0; i < c->groups * c->wanted; i++) again += repeats(c, i) != 0;
    output_print(out, "\nruns that would tell most%s, and how unsure the prediction is there, in "
                      "deviations of a run\n", again > 0 ? " (one that occurs twice: measure it "
                                                            "twice)" : "");
    columns t = columns_open(out, SCREEN | JSON, "suggested");
    for (size_t i = 0; columns_next(&t, i < c->groups * c->wanted); i++) {
        const suggestion *s = &c->suggested[i];
        const char *group = c->of[s->group].name, *like = suggested_name(c, s);
        if (group || c->groups > 1) column_text(&t, group ? ALL : SCREEN, "group", group);
        if (like) column_text(&t, ALL, "like", like);
        column_whole(&t, ALL, "workers", s->workers);
        column_round(&t, ALL, "spread", 3, s->spread);
    }
}

/* In CSV, where nothing else is printed, every row carries the fitted values. */
static void print_points(output *out, const calibration *c)
{
    const point_set *points = &c->points;
    columns t = columns_open(out, ALL, "points");
    for (size_t i = 0; columns_next(&t, i < points->count); i++) {
        const sgdfit_calibration *fit = &c->of[c->group[i]].fit;
        if (c->jobs.name) column_text(&t, ALL, "job", c->jobs.name[c->job[i]]);
        if (c->name) column_text(&t, ALL, "point", c->name[i]);
        column_whole(&t, ALL, "workers", points->workers[i]);
        column_text(&t, ALL, "role", point_role_text(points->role[i]));
        column_number(&t, ALL, "batches_per_s", points->batches_per_s[i]);
        column_number(&t, ALL, "predicted_batches_per_s", c->predicted[i]);
        column_round(&t, ALL, "error", 3,
                     relative_error(c->predicted[i], points->batches_per_s[i]));
        for (size_t k = 0; k < c->count; k++)
            column_number(&t, CSV, name_of(c, k), known_if(fit->kept[k], fit->value[k]));
    }
}

static void print_values(output *out, const calibration *c)
{
    const int priors = calibrate_has_priors(c);
    columns t = columns_open(out, SCREEN, NULL);
    for (size_t group = 0; group < c->groups; group++)
        for (size_t i = 0; i < c->count; i++) {
            const calibrated_group *g = &c->of[group];
            columns_row(&t);
            if (c->groups > 1) column_text(&t, ALL, "group", label_of(g));
            column_text(&t, ALL, "fitted", name_of(c, i));
            column_round(&t, ALL, "value", 6, known_if(g->fit.kept[i], g->fit.value[i]));
            column_round(&t, ALL, "low", 4, known_if(g->intervals, g->fit.low[i]));
            column_round(&t, ALL, "high", 4, known_if(g->intervals, g->fit.high[i]));
            if (priors)
                column_round(&t, ALL, "told", 2, known_if(has_prior(g, i), g->told[i]));
        }
    columns_close(&t);
}

static void json_groups(output *out, const calibration *c)
{
    if (c->groups == 1) {
        json_group(out, c, &c->of[0]);
        return;
    }
    json_array(out, "groups");
    for (size_t i = 0; i < c->groups; i++) {
        json_object(out, NULL);
        json_string(out, "group", label_of(&c->of[i]));
        json_group(out, c, &c->of[i]);
        json_end(out);
    }
    json_end(out);
}

/* Where all points went into the values, none is left to say how far these are off. */
static void note_unsure(const calibration *c)
{
    const calibrated_group *first = NULL;
    char which[128] = "the rows without a pool";
    size_t count = 0;
    for (size_t i = c->groups; i-- > 0;)
        if (c->of[i].intervals && count_priors(c, &c->of[i]) == 0 &&
            c->of[i].points <= c->of[i].fit.fitted) {
            first = &c->of[i];
            count++;
        }
    if (!first) return;
    if (first->name) snprintf(which, sizeof which, "'%s'", first->name);
    if (c->groups == 1)
        tool_note("few-points",
                  "%lu point%s for %lu unknown%s: no point is left to estimate the error, so the "
                  "value may be off by any amount; measure one more point", COUNTED(first->points),
                  COUNTED(first->fit.fitted));
    else
        tool_note("few-points",
                  "%lu of %lu groups (the first: %s) %s no more points than unknowns, so the "
                  "errors of the fitted values are unknown: add a point to each such group",
                  (unsigned long)count,
                  (unsigned long)c->groups, which,
                  count == 1 ? "has" : "have");
}

/* An exposure that no software has had over links as declared: these may not be what they are told
 * to be. */
static void note_unusual(const calibration *c)
{
    const network *kind = c->jobs.kinds ? c->jobs.kinds[0].between : NULL;
    const calibrated_group *first = NULL;
    double least, most, value = 0.0;
    size_t k = 0;
    stacks_exposures(kind, &least, &most);
    while (k < c->count && c->input[k] != SGDP_INPUT_EXPOSURE) k++;
    for (size_t i = c->groups; i-- > 0 && k < c->count;) {
        const sgdfit_calibration *fit = &c->of[i].fit;
        if (!fit->kept[k] || (fit->value[k] >= least && fit->value[k] <= most)) continue;
        first = &c->of[i];
        value = fit->value[k];
    }
    if (!first) return;
    tool_note("unusual-value",
              "%sthe fitted exposure %.3g is unusual, as measured software has %.3g to %.3g: the "
              "links seem to carry %s than is declared; check %s",
              group_text(first), value, least, most, value < least ? "more" : "less",
              kind ? tool_text("the kind, %s %s", NAME_OF(NETWORK), kind->name) : "the bandwidth");
}

/* auto would take another model for the value alone. */
static void note_model(const calibration *c)
{
    const sgdfit_calibration *fit = &c->of[0].fit;
    size_t i = 0;
    if (c->groups > 1 || c->name || c->jobs.model != SGDP_ALLREDUCE_CLUSTER) return;
    while (i < c->count && c->input[i] != SGDP_INPUT_BANDWIDTH) i++;
    if (i < c->count && fit->kept[i])
        tool_note("calibrated-model", "to predict with the fitted bandwidth, use the same model: "
                  "sgdperf predict %s cluster %s calibrated %s %.6gB/s", NAME_OF(MODEL),
                  NAME_OF(INPUTS), NAME_OF(BANDWIDTH), fit->value[i]);
}

void calibrate_print(output *out, const calibration *c, sgdp_status status)
{
    const size_t points = c->groups == 1 ? c->of[0].points : c->points.in_role[POINT_FIT];
    const char *mode = mode_words[c->jobs.mode], *model = sgdp_model_text(c->jobs.model);
    size_t evaluations = 0;
    int determined = 1;
    for (size_t i = 0; i < c->groups; i++) {
        determined = determined && c->of[i].fit.determined;
        evaluations += c->of[i].fit.evaluations;
    }
    note_unsure(c);
    note_model(c);
    note_unusual(c);
    note_one_batch(c);
    note_hardly_told(c);
    json_object(out, NULL);
    json_string(out, "mode", mode);
    json_string(out, "model", model);
    json_string(out, "status", tool_status_word(status));
    json_groups(out, c);
    output_print(out, "%s, model %s, fitted to %lu point%s\n", mode, model, COUNTED(points));
    if (status != SGDP_OK) output_print(out, "not converged: the best that was found\n");
    print_values(out, c);
    if (!determined)
        output_print(out, "these points do not determine them: other values fit as well\n");
    output_print(out, "\nrelative errors of batches_per_s\n");
    print_errors(out, c->errors, POINT_ROLES);
    json_bool(out, "determined", determined);
    json_integer(out, "evaluations", evaluations);
    if (c->wanted > 0) print_suggestions(out, c);
    output_print(out, "\n");
    print_points(out, c);
    json_end(out);
}
