/* fuzz_measure.c - any points, phases, activities and errors: fits, profiles, bands and what to
 * measure next are told or refused, and what is told keeps to what was measured */
#include "../sgdperf.h"
#include "../sgdperf_fit.h"

#include "fuzz_call.h"

enum { ROWS = 8, COLUMNS = 3, NEXT = 3, ACTIVITIES = 6, BOUNDS = 2, FORMULAS = 2,
       RANGES = FORMULAS * (BOUNDS + 1) };

static struct {
    double   a[ROWS * COLUMNS], b[ROWS];
    size_t   rows, columns, next;
    sgdfit_blackbox    model;
    sgdfit_point point[ROWS], candidate[ROWS];
    size_t   candidates;
    sgdfit_phase_record record[ROWS];
    sgdfit_activity     activity[ACTIVITIES];
    size_t   activities;
    double   start_s, end_s, level, q;
    double   predicted[ROWS], measured[ROWS], sorted[ROWS];
    uint32_t set[ROWS], only;
    int      some;
    sgdfit_step_parts parts;
    sgdfit_curve fit;
    double   size[ROWS], time_s[ROWS], term[FORMULAS * ROWS * COLUMNS], border[BOUNDS];
    size_t   formulas, borders;
    unsigned char extra[ROWS];
    sgdfit_curve left[ROWS];
    sgdfit_epochs epochs;
    int      asynchronous;
} in;

static struct {
    double   x[COLUMNS], residual, spread[NEXT], stalled_s[ACTIVITIES], value;
    size_t   chosen[NEXT], count;
    sgdfit_curve fit;
    sgdfit_phase_statistics phase[SGDFIT_PHASE_COUNT];
    sgdfit_phase_record gap[2 * ROWS];
    sgdfit_step_parts parts;
    sgdfit_traced job;
    sgdfit_error_statistics errors;
    sgdfit_band band;
    sgdfit_coverage_result coverage;
    sgdfit_range range[RANGES];
    double   constant[RANGES * COLUMNS];
    size_t   ranges;
    sgdfit_straight line;
    sgdfit_robust_result robust;
    sgdfit_curve left[ROWS];
    double   left_mean, left_max, left_ratio, low, high, needed;
} out;

static void read_point(fuzz_bytes *b, sgdfit_point *p)
{
    const unsigned code = fuzz_byte(b);
    p->workers = code < 248 ? 1.0 + code % 9 : fuzz_number(b);
    p->servers = code % 16 == 0 ? fuzz_number(b) : code / 16 % 4;
    p->batches_per_s = fuzz_number(b) + (code % 4 ? 0.25 : 0.0);
}

/* Spans one after the other, as a worker has them, or anywhere. */
static void read_spans(fuzz_bytes *b)
{
    double at_s = 0.0;
    for (size_t i = 0; i < ROWS; i++) {
        const unsigned code = fuzz_byte(b);
        sgdfit_phase_record *r = &in.record[i];
        r->step = code / 16 % 4 ? i / 2 : fuzz_byte(b);
        r->phase = (sgdfit_phase)(code >= 250 ? 5 : code % 16 < 12 ? i % 2 * 3 : code % 5);
        r->start_s = at_s += fuzz_number(b);
        r->end_s = at_s += fuzz_number(b);
    }
    for (size_t i = 0; i < ACTIVITIES; i++) {
        sgdfit_activity *a = &in.activity[i];
        a->start_s = fuzz_number(b);
        a->end_s = a->start_s + fuzz_number(b);
        a->kind = (sgdfit_activity_kind)(fuzz_byte(b) % 64 % 7 % 4);
    }
    in.start_s = fuzz_number(b);
    in.end_s = in.start_s + fuzz_number(b);
}

/* Times of a few sizes, most of them about a sum of terms. */
static void read_times(fuzz_bytes *b)
{
    const unsigned code = fuzz_byte(b);
    in.formulas = code % 8 ? 1 + code / 8 % FORMULAS : 0;
    in.borders = code / 16 % (BOUNDS + 1);
    for (size_t i = 0; i < BOUNDS; i++)
        in.border[i] = (i > 0 ? in.border[i - 1] : 0.0) + fabs(fuzz_number(b));
    for (size_t i = 0; i < FORMULAS * ROWS * COLUMNS; i++)
        in.term[i] = code < 250 ? fabs(fuzz_number(b)) : fuzz_number(b);
    for (size_t i = 0; i < ROWS; i++) {
        in.size[i] = code < 250 ? fabs(fuzz_number(b)) : fuzz_number(b);
        in.time_s[i] = fabs(fuzz_number(b)) + (code % 4 ? 0.25 : 0.0);
        in.extra[i] = (unsigned char)(fuzz_byte(b) % 4 == 0);
    }
}

static void read_all(fuzz_bytes *b)
{
    const unsigned code = fuzz_byte(b);
    in.rows = fuzz_byte(b) % (ROWS + 1);
    in.columns = fuzz_byte(b) % (COLUMNS + 1);
    in.next = fuzz_byte(b) % (NEXT + 1);
    in.candidates = fuzz_byte(b) % (ROWS + 1);
    in.activities = fuzz_byte(b) % (ACTIVITIES + 1);
    in.model = (sgdfit_blackbox)(fuzz_byte(b) % (SGDFIT_BLACKBOX_COUNT + 1));
    in.level = code % 8 ? 0.5 + (double)(code / 8 % 8) / 16.0 : fuzz_number(b);
    in.q = code % 8 ? (double)(code / 8) / 32.0 : fuzz_number(b);
    in.some = code % 4;
    for (size_t i = 0; i < ROWS * COLUMNS; i++) in.a[i] = fuzz_number(b) - fuzz_byte(b) % 3;
    for (size_t i = 0; i < ROWS; i++) {
        in.b[i] = fuzz_number(b);
        read_point(b, &in.point[i]);
        read_point(b, &in.candidate[i]);
        in.predicted[i] = fuzz_number(b) + 0.125;
        in.measured[i] = fuzz_number(b) + 0.125;
        in.set[i] = fuzz_byte(b) % 4;
        in.sorted[i] = (i > 0 ? in.sorted[i - 1] : -1.0) + fabs(fuzz_number(b));
    }
    in.only = fuzz_byte(b) % 4;
    read_spans(b);
    in.parts.compute_s = fuzz_number(b);
    in.parts.communication_s = fuzz_number(b);
    in.parts.overlap_s = fuzz_number(b) / 4.0;
    in.parts.host_s = fuzz_number(b);
    in.parts.exposed_s = fuzz_number(b) / 4.0;
    in.parts.step_s = in.parts.compute_s + in.parts.communication_s - in.parts.overlap_s
        + in.parts.host_s;
    in.fit.model = in.model;
    in.fit.parameters = sgdfit_blackbox_parameters(in.model);
    for (size_t i = 0; i < SGDFIT_PARAMETERS; i++) in.fit.parameter[i] = fuzz_number(b);
    for (size_t i = 0; i < ROWS; i++) in.left[i] = in.fit;
    in.epochs = (sgdfit_epochs){.by = (sgdfit_epochs_by)(fuzz_byte(b) % 4), .at = in.sorted,
                                .epochs = in.predicted, .points = in.rows};
    in.asynchronous = fuzz_byte(b) % 2;
    read_times(b);
}

/* ---- Fits -------------------------------------------------------------------------- */

static sgdfit_system system_of(void)
{
    return (sgdfit_system){.a = in.a, .b = in.b, .rows = in.rows, .columns = in.columns};
}

static unsigned nnls_need(size_t *need)
{
    const sgdfit_system of = system_of();
    return sgdfit_nnls_bytes(&of, need);
}

static unsigned nnls(void *work, size_t bytes)
{
    const sgdfit_system of = system_of();
    return sgdfit_nnls(&of, work, bytes, out.x, &out.residual);
}

/* No worse than nothing, and the residual that it says. */
static void check_nnls(void)
{
    double squares = 0.0, none = 0.0;
    for (size_t c = 0; c < in.columns; c++) require(fuzz_is_size(out.x[c]));
    for (size_t i = 0; i < in.rows; i++) {
        double r = -in.b[i];
        for (size_t c = 0; c < in.columns; c++) r += in.a[i * in.columns + c] * out.x[c];
        squares += r * r;
        none += in.b[i] * in.b[i];
    }
    if (!(squares <= 1e200 && none <= 1e200)) return;
    require(out.residual * out.residual <= none * (1.0 + 1e-9) + 1e-200);
    require(fabs(out.residual - sqrt(squares)) <= 1e-6 * sqrt(none) + 1e-100);
}

static sgdfit_times times_of(void)
{
    return (sgdfit_times){.points = in.rows, .formulas = in.formulas, .terms = in.columns,
                          .bounds = in.borders, .size = in.size, .time_s = in.time_s,
                          .term = in.term, .bound = in.border,
                          .extra = in.some ? in.extra : NULL};
}

static unsigned ranges_need(size_t *need)
{
    const sgdfit_times of = times_of();
    return sgdfit_ranges_bytes(&of, need);
}

static unsigned ranges(void *work, size_t bytes)
{
    const sgdfit_times of = times_of();
    return sgdfit_ranges(&of, work, bytes, out.range, out.constant, &out.ranges);
}

/* From 0 on, without gaps, each at a bound; the best of a range and what is hardly worse. */
static void check_ranges(void)
{
    require(out.ranges <= in.formulas * (in.borders + 1));
    for (size_t i = 0; i < out.ranges; i++) {
        const sgdfit_range *r = &out.range[i];
        require(r->formula < in.formulas && fuzz_is_size(r->mean_error));
        for (size_t k = 0; k < in.columns; k++)
            require(fuzz_is_size(out.constant[i * in.columns + k]));
        if (i == 0) { require(r->from <= 0.0); continue; }
        if (r->from <= r[-1].from) require(r->formula > r[-1].formula);
        else require(r->from <= r[-1].below && r->from >= r[-1].below);
    }
    if (out.ranges > 0) require(out.range[out.ranges - 1].below <= 0.0);
}

static unsigned fit_need(size_t *need) { return sgdfit_fit_bytes(in.model, in.rows, need); }

static unsigned fit(void *work, size_t bytes)
{
    return sgdfit_fit(in.model, in.point, in.rows, work, bytes, &out.fit);
}

static void check_fit(void)
{
    require(out.fit.parameters == sgdfit_blackbox_parameters(in.model));
    for (size_t i = 0; i < out.fit.parameters; i++) require(fuzz_is_size(out.fit.parameter[i]));
    require(out.fit.mean_error >= 0.0 && out.fit.mean_error <= out.fit.max_error * (1.0 + 1e-12));
    for (size_t i = 0; i < in.rows; i++)
        require(sgdfit_curve_at(&out.fit, in.point[i].workers, in.point[i].servers) >= 0.0);
}

static unsigned eval(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    out.value = sgdfit_curve_at(&in.fit, in.point[0].workers, in.point[0].servers);
    return FUZZ_OK;
}

static unsigned left_need(size_t *need)
{
    return sgdfit_leave_out_bytes(in.model, in.rows, need);
}

static unsigned leave_out(void *work, size_t bytes)
{
    sgdfit_left_out left = {.curve = out.left};
    const unsigned status = sgdfit_leave_out(in.model, in.point, in.rows, work, bytes, &left);
    if (status != FUZZ_OK) return status;
    out.left_mean = left.mean_error;
    out.left_max = left.max_error;
    out.left_ratio = left.ratio;
    return status;
}

static void check_left(void)
{
    require(out.left_mean >= 0.0 && out.left_mean <= out.left_max * (1.0 + 1e-12));
    require(out.left_ratio >= 1.0 && out.left_ratio <= DBL_MAX);
    for (size_t i = 0; i < in.rows; i++) require(out.left[i].model == in.model);
}

static unsigned left_range(void *work, size_t bytes)
{
    const sgdfit_left_out left = {.curve = in.left, .ratio = 1.0 + fabs(in.b[0])};
    (void)work, (void)bytes;
    return sgdfit_left_out_range(&left, in.rows, in.point[0].workers, in.point[0].servers,
                                 &out.low, &out.high);
}

static void check_range(void) { require(out.low > 0.0 && out.low <= out.high * (1.0 + 1e-12)); }

static unsigned epochs(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    require(sgdfit_epochs_by_text(in.epochs.by)[0] != '\0');
    return sgdfit_epochs_to_loss(&in.epochs, in.point[0].workers, in.measured[0],
                                 in.asynchronous, &out.needed);
}

/* Between the least and the most of the table, or not known. */
static void check_epochs(void)
{
    double least = HUGE_VAL, most = 0.0;
    for (size_t i = 0; i < in.rows; i++) {
        least = fmin(least, in.predicted[i]);
        most = fmax(most, in.predicted[i]);
    }
    if (!(out.needed > 0.0)) return;
    require(out.needed >= least * (1.0 - 1e-12) && out.needed <= most * (1.0 + 1e-12));
}

static sgdfit_point_design design(void)
{
    return (sgdfit_point_design){.model = in.model, .fit = in.some ? NULL : &in.fit,
                                 .measured = in.point, .n = in.rows,
                                 .candidate = in.candidate, .m = in.candidates};
}

static unsigned suggest_need(size_t *need)
{
    const sgdfit_point_design of = design();
    return sgdfit_suggest_points_bytes(&of, need);
}

static unsigned suggest(void *work, size_t bytes)
{
    const sgdfit_point_design of = design();
    return sgdfit_suggest_points(&of, in.next, work, bytes, out.chosen, out.spread);
}

static void check_suggested(void)
{
    size_t i;
    for (i = 0; i < in.next; i++) require(out.chosen[i] < in.candidates && out.spread[i] >= 0.0);
}

/* ---- Profiles ---------------------------------------------------------------------- */

static unsigned phases_need(size_t *need) { return sgdfit_profile_phases_bytes(in.rows, need); }

static unsigned phases(void *work, size_t bytes)
{
    return sgdfit_profile_phases(in.record, in.rows, work, bytes, out.phase, &out.count);
}

static void require_statistics(const sgdfit_phase_statistics *s)
{
    require(s->steps <= in.rows && s->mean_s >= 0.0 && s->deviation_s >= 0.0);
    require(s->ci95_half_width_s >= 0.0 && (s->steps > 1 || !(s->deviation_s > 0.0)));
}

static void check_phases(void)
{
    require(out.count >= 1 && out.count <= in.rows);
    for (size_t i = 0; i < SGDFIT_PHASE_COUNT; i++) {
        require_statistics(&out.phase[i]);
        require(out.phase[i].steps <= out.count);
    }
}

static unsigned steps(void *work, size_t bytes)
{
    return sgdfit_profile_steps(in.record, in.rows, work, bytes, out.phase, &out.count);
}

static void check_steps(void)
{
    require_statistics(out.phase);
    require(out.count + out.phase[0].steps <= in.rows);
}

static unsigned gaps(void *work, size_t bytes)
{
    return sgdfit_profile_gaps(in.record, in.rows, work, bytes, out.gap, &out.count);
}

static void check_gaps(void)
{
    require(out.count <= 2 * in.rows);
    for (size_t i = 0; i < out.count; i++) {
        require(out.gap[i].end_s >= out.gap[i].start_s);
        require(out.gap[i].phase == SGDFIT_PHASE_FORWARD
                || out.gap[i].phase == SGDFIT_PHASE_UPDATE);
        require(i == 0 || out.gap[i].step >= out.gap[i - 1].step);
    }
}

static sgdfit_traced_step traced_step(void)
{
    return (sgdfit_traced_step){.activity = in.activity, .n = in.activities,
                                .start_s = in.start_s, .end_s = in.end_s};
}

static unsigned activity_need(size_t *need)
{
    const sgdfit_traced_step of = traced_step();
    return sgdfit_profile_activity_bytes(&of, need);
}

static unsigned activity(void *work, size_t bytes)
{
    const sgdfit_traced_step of = traced_step();
    return sgdfit_profile_activity(&of, work, bytes, &out.parts, out.stalled_s);
}

static void check_activity(void)
{
    const sgdfit_step_parts *p = &out.parts;
    const double all = in.end_s - in.start_s, near = 1e-9 * (fabs(in.start_s) + fabs(in.end_s));
    require(p->compute_s >= 0.0 && p->overlap_s >= 0.0 && p->host_s >= -near);
    require(p->overlap_s <= p->compute_s + near && p->overlap_s <= p->communication_s + near);
    require(p->exposed_s >= 0.0 && p->exposed_s <= p->communication_s - p->overlap_s + near);
    require(fabs(p->step_s - all) <= near);
    require(sgdfit_profile_bound(p) < SGDFIT_BOUND_COUNT);
}

static unsigned bound(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    out.count = (size_t)sgdfit_profile_bound(&in.parts);
    return FUZZ_OK;
}

static void check_bound(void) { require(out.count < SGDFIT_BOUND_COUNT); }

static unsigned traced(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    sgdfit_traced job = {.forward_s = in.a[0], .backward_s = in.a[1]};
    unsigned status = sgdfit_profile_traced(&in.parts, in.only, in.b[0], &job);
    if (status == SGDFIT_OK) out.job = job;
    return status;
}

static void check_traced(void)
{
    require(fuzz_is_size(out.job.forward_s) && fuzz_is_size(out.job.backward_s));
    require(fuzz_is_size(out.job.model_bytes) && fuzz_is_size(out.job.bandwidth_bytes_per_s));
    require(out.job.overlap_exponent >= 0.0 && out.job.overlap_exponent <= 64.0);
}

/* ---- Errors ------------------------------------------------------------------------ */

/* All rows; in sets; without one of them; of one alone. */
static sgdfit_rows rows(void)
{
    return (sgdfit_rows){.predicted = in.predicted, .measured = in.measured, .n = in.rows,
                         .set = in.some ? in.set : NULL, .only = in.some == 3 ? &in.only : NULL,
                         .without = in.some == 2 ? &in.only : NULL};
}

static unsigned errors_need(size_t *need)
{
    const sgdfit_rows of = rows();
    return sgdfit_errors_bytes(&of, need);
}

static unsigned errors(void *work, size_t bytes)
{
    const sgdfit_rows of = rows();
    return sgdfit_errors(&of, work, bytes, &out.errors);
}

static void check_errors(void)
{
    const sgdfit_error_statistics *e = &out.errors;
    require(e->rows >= 1 && e->rows <= in.rows && e->p5 >= 0.0 && e->p5 <= e->median);
    require(e->median <= e->p95 && e->p95 <= e->max && fabs(e->bias) <= e->mean * (1.0 + 1e-12));
    require(e->mean <= e->max * (1.0 + 1e-12) || e->max > DBL_MAX);
}

static unsigned band_need(size_t *need)
{
    const sgdfit_rows of = rows();
    return sgdfit_conformal_bytes(&of, need);
}

static unsigned conformal(void *work, size_t bytes)
{
    const sgdfit_rows of = rows();
    return sgdfit_conformal(&of, in.level, work, bytes, &out.band);
}

static void check_band(void)
{
    require(out.band.low >= 0.0 && out.band.high >= 0.0);
    require(out.band.rows >= 1 && out.band.rows <= in.rows);
    require(out.band.sets >= 1 && out.band.sets <= out.band.rows);
    require(out.band.level >= in.level && out.band.level <= 1.0);
}

static unsigned coverage(void *work, size_t bytes)
{
    sgdfit_rows of = rows();
    of.set = in.set;
    of.only = of.without = NULL;
    return sgdfit_coverage(&of, in.level, work, bytes, &out.coverage);
}

static void check_coverage(void)
{
    require(out.coverage.rows <= in.rows && out.coverage.covered <= out.coverage.rows);
    require(out.coverage.low >= 0.0 && out.coverage.high >= 0.0);
}

static unsigned quantile(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    out.value = sgdfit_quantile(in.sorted, in.rows, in.q);
    if (in.level > 0.0 && in.level < 1.0) require(sgdfit_student(in.level, in.rows + 1) > 0.0);
    return FUZZ_OK;
}

/* Between the least and the largest, of numbers that are. */
static void check_quantile(void)
{
    if (in.rows == 0 || !(in.q >= 0.0 && in.q <= 1.0)) require(isnan(out.value));
    else if (in.sorted[in.rows - 1] <= 1e300)
        require(out.value >= in.sorted[0] - 1e-9
                && out.value <= in.sorted[in.rows - 1] * (1.0 + 1e-9) + 1e-9);
}

static unsigned line(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdfit_line(in.predicted, in.measured, in.rows, in.level, &out.line);
}

static void check_line(void)
{
    require(out.line.slope_low <= out.line.slope && out.line.slope <= out.line.slope_high);
    require(out.line.intercept_low <= out.line.intercept_high && out.line.deviation >= 0.0);
    require(out.line.sloped || (!(out.line.slope < 0.0) && !(out.line.slope > 0.0)));
}

/* A row jumps where the unknown passes its size. */
static int respond(const void *ctx, double value, void *work, double *predicted)
{
    (void)work;
    for (size_t i = 0; i < in.rows; i++)
        predicted[i] = in.size[i] > value ? in.measured[i] + value : in.predicted[i];
    return ctx == &in ? SGDFIT_OK : SGDFIT_OVER_BUDGET;
}

static sgdfit_robust_problem problem(uint32_t *set)
{
    for (size_t i = 0; i < ROWS; i++) set[i] = (uint32_t)(in.some ? i / 2 : in.set[i]);
    return (sgdfit_robust_problem){.predict = respond, .ctx = in.some < 3 ? (void *)&in : NULL,
                                   .work_bytes = 8, .measured = in.measured, .set = set,
                                   .n = in.rows, .low = in.size[0], .high = in.size[1],
                                   .level = in.level, .tolerance = in.border[0]};
}

static unsigned robust_need(size_t *bytes)
{
    uint32_t set[ROWS];
    const sgdfit_robust_problem of = problem(set);
    return sgdfit_robust_bytes(&of, bytes);
}

static unsigned robust(void *work, size_t bytes)
{
    uint32_t set[ROWS];
    const sgdfit_robust_problem of = problem(set);
    return sgdfit_robust(&of, work, bytes, &out.robust);
}

static void check_robust(void)
{
    require(out.robust.value >= in.size[0] && out.robust.value <= in.size[1]);
    require(out.robust.low <= out.robust.value && out.robust.value <= out.robust.high);
    require(out.robust.loss >= 0.0 && out.robust.loss <= 1.0 + 1e-9);
}

enum { ITERATE = 1 << SGDP_NOT_CONVERGED };

static fuzz_call calls[] = {
    {"nnls", nnls_need, nnls, check_nnls, ITERATE, 0},
    {"ranges", ranges_need, ranges, check_ranges, 0, 0},
    {"fit_curve", fit_need, fit, check_fit, 0, 0},
    {"fit_eval", NULL, eval, NULL, 0, 0},
    {"leave_out", left_need, leave_out, check_left, 0, 0},
    {"left_out_range", NULL, left_range, check_range, 0, 0},
    {"epochs_to_loss", NULL, epochs, check_epochs, 0, 0},
    {"suggest_points", suggest_need, suggest, check_suggested, 0, 0},
    {"profile_phases", phases_need, phases, check_phases, 0, 0},
    {"profile_steps", phases_need, steps, check_steps, 0, 0},
    {"profile_gaps", phases_need, gaps, check_gaps, 0, 0},
    {"profile_activity", activity_need, activity, check_activity, 0, 0},
    {"profile_bound", NULL, bound, check_bound, 0, 0},
    {"profile_traced", NULL, traced, check_traced, 0, 0},
    {"errors", errors_need, errors, check_errors, 0, 0},
    {"conformal", band_need, conformal, check_band, 0, 0},
    {"coverage", band_need, coverage, check_coverage, 0, 0},
    {"quantile", NULL, quantile, check_quantile, 0, 0},
    {"line", NULL, line, check_line, 0, 0},
    {"robust", robust_need, robust, check_robust, 0, 0},
};
static const fuzz_chapter chapter = FUZZ_CHAPTER(calls, read_all, NULL, in, out);
FUZZ_CALLS("fuzz_measure", chapter);
