/* run.c - calibrate: groups fitted, points predicted, runs suggested */
#include "cmd/calibrate/calibrate.h"
#include "jobs/parallel.h"
#include "files/job_fit.h"
#include "files/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Calibration ----------------------------------------------------------- */

static int finds_bandwidth(const calibration *c)
{
    size_t i = 0;
    while (i < c->count && c->input[i] != SGDP_INPUT_BANDWIDTH) i++;
    return i < c->count;
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
    const uint32_t *on = c->jobs.measured_on;
    sgdp_measurement *m =
        (sgdp_measurement *)tool_alloc(points->count + c->jobs.count, sizeof *m);
    size_t i;
    *n = 0;
    for (i = 0; i < points->count; i++) {
        if (points->role[i] != POINT_FIT || c->group[i] != group) continue;
        m[*n].job = &c->jobs.job[c->job[i]];
        m[*n].workers = points->workers[i];
        m[(*n)++].batches_per_s = points->batches_per_s[i];
    }
    for (i = 0; on && i < c->jobs.count && finds_bandwidth(c); i++) {
        if (on[i] == 0) continue;      /* a profile of several workers is a point     */
        m[*n].job = &c->jobs.job[i];
        m[*n].workers = on[i];
        m[(*n)++].batches_per_s = on[i] / c->jobs.measured_step_s[i];
    }
    return m;
}

/* With intervals, but to a threshold, which has none: the error is a step function of it. */
static sgdp_status fit(const calibration *c, const sgdp_measurement *m, size_t n,
                       size_t processes, calibrated_group *g)
{
    search_dealer dealer = {0};
    job_fit of;
    size_t bytes = 0;
    sgdp_status status;
    memset(&of, 0, sizeof of);
    of.runs.model = c->jobs.model;
    of.runs.run = m;
    of.runs.n = n;
    of.runs.unknown = c->input;
    of.runs.unknowns = c->count;
    of.problem.level = g->intervals ? CALIBRATE_LEVEL : 0.0;
    of.problem.deal = processes > 0 ? deal_parts : NULL;
    of.problem.deal_ctx = &dealer;
    status = job_fit_open(&of, (double *)tool_alloc(n, sizeof(double)));
    if (status == SGDP_OK) status = (sgdp_status)sgdfit_calibrate_bytes(&of.problem, &bytes);
    if (status != SGDP_OK) return status;
    dealer.processes = processes;
    dealer.work = tool_alloc(bytes, 1);
    return (sgdp_status)sgdfit_calibrate(&of.problem, dealer.work, bytes, &g->fit);
}

static void fit_group(const calibration *c, size_t group, size_t processes, calibrated_group *g)
{
    const char *file = c->points.file->name, *name = g->name ? g->name : "";
    const char *colon = g->name ? ": " : "";
    char far[400];
    size_t n = 0, i;
    sgdp_measurement *m = measurements(c, group, &n);
    sgdp_status status;
    if (n < c->count)
        tool_fail("%s: %s%s%lu point%s to be fitted, fewer than the unknowns of --fit", file,
                  name, colon, (unsigned long)n, n == 1 ? "" : "s");
    g->points = n;
    g->intervals = 1;
    for (i = 0; i < c->count; i++)
        if (c->input[i] == SGDP_INPUT_THRESHOLD) g->intervals = 0;
    status = fit(c, m, n, processes, g);
    if (status == SGDP_BAD_ARGUMENT)
        tool_fail("%s: %s%sthese points say nothing about an unknown of --fit, or the model "
                  "cannot predict them%s", file, name, colon,
                  job_far_numbers(&c->jobs, (size_t)(m[0].job - c->jobs.job), far, sizeof far));
    if (status == SGDP_NOT_CONVERGED)
        tool_fail("%s: %s%sthere is no value with which the model converges at all of these "
                  "points", file, name, colon);
    if (status != SGDP_OK)
        tool_fail("%s: too many workers for --model %s", file, sgdp_model_text(c->jobs.model));
}

/* What a group's rows do not tell is said, with what is taken instead. */
static void note_left_out(const calibration *c, const calibrated_group *g)
{
    size_t i;
    for (i = 0; i < c->count; i++)
        if (!g->fit.kept[i])
            tool_note("not-determined",
                      "%s%s%s is left out: these points do not tell it from what else is "
                      "fitted, or from nothing; what is printed is without it",
                      g->name ? g->name : "", g->name ? ": " : "",
                      calibrate_words[c->unknown[i]].word);
}

/* Values whose interval is wider than they are. */
static void note_wide(const calibration *c, const calibrated_group *g)
{
    size_t i;
    for (i = 0; i < c->count && g->intervals; i++)
        if (g->fit.kept[i] && g->fit.high[i] <= DBL_MAX &&
            g->fit.high[i] - g->fit.low[i] >= 2.0 * g->fit.value[i])
            tool_note("wide-interval",
                      "%s%sthe interval of %s is wider than its value: these points hardly tell "
                      "it", g->name ? g->name : "", g->name ? ": " : "",
                      calibrate_words[c->unknown[i]].word);
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
    size_t i;
    if (c->groups == 1) fit_and_note(c, 0, processes, found);
    else parallel_run(c->groups, processes, fit_task, c, found, sizeof *found, "groups");
    for (i = 0; i < c->groups; i++) {
        found[i].name = c->of[i].name;
        c->of[i] = found[i];
    }
}

static void set_values(const calibration *c, const calibrated_group *g, sgdp_job *job)
{
    size_t i;
    for (i = 0; i < c->count; i++)
        if (g->fit.kept[i])
            tool_check(sgdp_set_input(job, c->input[i], g->fit.value[i]), "a fitted value");
}

sgdp_status calibrate_evaluate(calibration *c)
{
    sgdp_status worst = SGDP_OK;
    size_t i;
    c->predicted = (double *)tool_alloc(c->points.count, sizeof *c->predicted);
    for (i = 0; i < c->points.count; i++) {
        sgdp_prediction point;
        memset(&point, 0, sizeof point);
        set_values(c, &c->of[c->group[i]], &c->jobs.job[c->job[i]]);
        if (job_predict(&c->jobs, c->job[i], c->points.workers[i], &point) != SGDP_OK)
            worst = SGDP_NOT_CONVERGED;
        c->predicted[i] = point.batches_per_s;
    }
    for (i = 0; i < POINT_ROLES; i++)
        points_errors(&c->points, c->predicted, (point_role)i, &c->errors[i]);
    return worst;
}

/* ---- Runs to measure next -------------------------------------------------- */

static void suggest_for(calibration *c, size_t group, const uint32_t *workers, size_t count)
{
    const size_t most = c->points.count * count, k = c->count;
    size_t n = 0, all, i, w, *job = (size_t *)tool_alloc(most, sizeof *job);
    size_t *chosen = (size_t *)tool_alloc(c->wanted, sizeof *chosen);
    double *spread = (double *)tool_alloc(c->wanted, sizeof *spread), *e;
    const sgdp_measurement *had = measurements(c, group, &n);
    sgdp_measurement *run = (sgdp_measurement *)tool_alloc(n + most, sizeof *run);
    sgdp_runs runs = {c->jobs.model, run, 0, c->input, k, 0};
    sgdfit_design design = {k, NULL, n, NULL, 0};
    for (all = 0; all < n; all++) run[all] = had[all];
    for (i = 0; i < c->points.count; i++)
        for (w = 0; w < count && c->group[i] == group; w++) {
            run[all].job = &c->jobs.job[c->job[i]];
            run[all].workers = workers[w];
            job[all++ - n] = i;
        }
    runs.n = all;
    if (sgdp_runs_open(&runs, NULL) != SGDP_OK)
        args_fail(OPTION_SUGGEST, NULL, "runs of too many workers for --model %s: --candidates",
                  sgdp_model_text(c->jobs.model));
    e = (double *)tool_alloc(all, k * sizeof *e);
    design.measured = e;
    design.candidate = e + n * k;
    design.m = all - n;
    if (job_fit_rows(&runs, tool_alloc(runs.work_bytes, 1), e) != 0
        || sgdfit_suggest_runs(&design, c->wanted, chosen, spread) != SGDFIT_OK)
        args_fail(OPTION_SUGGEST, NULL, "none of these runs would tell more");
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
    size_t group;
    c->suggested = (suggestion *)tool_alloc(c->groups * c->wanted, sizeof *c->suggested);
    for (group = 0; group < c->groups; group++) suggest_for(c, group, workers, count);
}
