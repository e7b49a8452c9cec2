/* validation.c - measured rows, predicted by every model that has what it needs: their errors,
 * bounds on these, and bands */
#include "model/validation.h"

#include "base/output.h"
#include "base/progress.h"
#include "files/job_fit.h"
#include "files/status.h"
#include "jobs/parallel.h"
#include "model/job.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Rows -------------------------------------------------------------------- */

/* By its file, and then its name. */
static const char *curve_of(const dataset_row *r)
{
    return tool_text("%s\n%s", r->file->name, r->curve);
}

/* The number of each row's source, and the rows of each curve, in order of appearance. */
static void number_rows(validation *v)
{
    size_t *curve = (size_t *)tool_alloc(v->data.rows, sizeof *curve), i;
    name_index sources = {0}, curves = {0};
    v->source = (size_t *)tool_alloc(v->data.rows, sizeof *v->source);
    for (i = 0; i < v->data.rows; i++) {
        v->source[i] = names_number(&sources, v->data.row[i].source);
        curve[i] = names_number(&curves, curve_of(&v->data.row[i]));
    }
    v->curve = curve;
    v->of_curve = names_rows(curve, v->data.rows, curves.count);
    names_free(&sources);
    names_free(&curves);
}

void validate_read(validation *v, const args *a)
{
    size_t *id, i;
    if (a->file_count > 0) {
        dataset_read(&v->data, a->files, a->file_count);
    } else {
        char **path;
        const size_t files = dataset_files(VALIDATE_FOLDER, &path);
        dataset_read(&v->data, path, files);
    }
    /* Black boxes need no profile and see such rows all the same. */
    dataset_note_foreign(&v->data, MODE_COUNT);
    id = (size_t *)tool_alloc(v->data.rows, sizeof *id);
    for (i = 0; i < v->data.rows; i++) id[i] = v->data.row[i].dataset;
    v->of_dataset = names_rows(id, v->data.rows, v->data.datasets);
    for (i = 0; i < v->data.rows; i++) id[i] = v->data.row[i].group;
    v->of_group = names_rows(id, v->data.rows, v->data.groups);
    number_rows(v);
    v->predicted = (double *)tool_alloc(v->data.rows, VALIDATE_MODELS * sizeof *v->predicted);
    v->replayed = (replay *)tool_alloc(v->data.rows, REPLAY_COUNT * sizeof *v->replayed);
}

int validate_is_predicted(const validation *v, size_t row)
{
    size_t m = 0;
    while (m < VALIDATE_MODELS && !(validate_predicted(v, row, m) > 0.0)) m++;
    return m < VALIDATE_MODELS;
}

int validate_is_scored(const validation *v, size_t row)
{
    return v->data.row[row].role != ROLE_FIT;
}

size_t validate_unpredicted(const validation *v, size_t dataset, const dataset_row **first)
{
    const row_list *rows = &v->of_dataset[dataset];
    size_t count = 0;
    *first = NULL;
    for (size_t i = 0; i < rows->count; i++) {
        const size_t row = rows->row[i];
        if (!validate_is_scored(v, row) || validate_is_predicted(v, row)) continue;
        if (count++ == 0) *first = &v->data.row[row];
    }
    return count;
}

/* Why nothing predicts a row that lacks nothing and is of a kind that models know. */
static const char *reason_of(const dataset_row *r)
{
    if (r->placed) return "no model describes servers that hold whole layers, except replays of "
                          "layers";
    return r->group == DATASET_NONE ? "no model applies to the row"
                                    : "no model can be fitted to the group of the row";
}

const char *validate_why(const dataset_row *r)
{
    output text = {0};
    if (r->lacks) output_print(&text, "column '%s': the cell is empty%c", r->lacks, '\0');
    else if (r->foreign) output_print(&text, "no model of %s%c", r->foreign_is, '\0');
    else return reason_of(r);
    return text.text;
}

/* ---- Models ------------------------------------------------------------------ */

const char *validate_model_name(size_t model)
{
    if (model >= VALIDATE_REPLAYED) return replay_names[model - VALIDATE_REPLAYED];
    return model < SGDP_MODEL_COUNT ? sgdp_model_text((sgdp_model)model)
                                    : sgdfit_blackbox_text((sgdfit_blackbox)(model
                                                                             - SGDP_MODEL_COUNT));
}

int validate_is_default(const validation *v, const validate_result *r)
{
    const size_t first = v->of_dataset[r->dataset].row[0];
    return r->model == (size_t)dataset_usual(&v->data.row[first]);
}

static int suits_mode(sgdfit_blackbox model, train_mode mode)
{
    if (model == SGDFIT_OPTIMUS_ASYNC || model == SGDFIT_OPTIMUS_ASYNC_SERVERS)
        return mode == MODE_ASYNC;
    if (model == SGDFIT_OPTIMUS_SYNC || model == SGDFIT_OPTIMUS_SYNC_SERVERS)
        return mode != MODE_ASYNC;
    return 1;
}

/* A curve, or a surface for the forms that know servers. */
static int suits_group(sgdfit_blackbox model, const dataset_group *g)
{
    const int knows_servers =
        model == SGDFIT_OPTIMUS_ASYNC_SERVERS || model == SGDFIT_OPTIMUS_SYNC_SERVERS;
    return suits_mode(model, g->mode) &&
           (knows_servers ? g->one_surface && !g->one_curve : g->one_curve);
}

static int has_all_it_needs(sgdp_model model, const dataset_row *r)
{
    const sgdp_job *job = &r->job;
    if (mode_of_model(model) != r->mode || r->lacks || r->foreign || r->placed) return 0;
    return model != SGDP_ASYNC_CYNTHIA ||
           (job->overlap.rule == SGDP_OVERLAP_NONE && job->workers.types == 0 &&
            job->machine.gpus <= 1);
}

/* Is what a group fits of any effect on the model? */
static int depends_on(sgdp_model model, dataset_fit fit)
{
    if (fit == FIT_LATENCY) return mode_of_model(model) == MODE_ALLREDUCE;
    if (fit == FIT_EXPOSURE) return mode_of_model(model) == MODE_ALLREDUCE;
    if (fit == FIT_THRESHOLD) return model == SGDP_ASYNC_HYBRID || model == SGDP_ASYNC_SWITCH;
    return fit != FIT_NONE;
}

static const sgdp_input inputs[FIT_COUNT] = {
    [FIT_NONE] = SGDP_INPUT_COUNT, [FIT_SERVER] = SGDP_INPUT_UPDATE,
    [FIT_BANDWIDTH] = SGDP_INPUT_BANDWIDTH, [FIT_LATENCY] = SGDP_INPUT_LATENCY,
    [FIT_THRESHOLD] = SGDP_INPUT_THRESHOLD, [FIT_EXPOSURE] = SGDP_INPUT_EXPOSURE
};

enum { FITTED_MOST = 2 };              /* inputs of a group                          */

/* What is fitted to a group with such a job, to input[FITTED_MOST]; returns how many. */
static size_t inputs_of(const sgdp_job *job, dataset_fit fit, sgdp_input *input)
{
    const int machines = job->machine.gpus > 1;
    input[0] = inputs[fit];
    input[1] = machines ? SGDP_INPUT_GROWTH_BETWEEN : SGDP_INPUT_GROWTH;
    return fit == FIT_NONE ? 0 : fit == FIT_EXPOSURE ? 2 : 1;
}

static sgdp_job with_fitted(const sgdp_job *job, dataset_fit fit, const double *value)
{
    sgdp_input input[FITTED_MOST];
    const size_t count = inputs_of(job, fit, input);
    sgdp_job fitted = *job;
    for (size_t i = 0; i < count; i++)
        tool_check(sgdp_set_input(&fitted, input[i], value[i]), "a fitted value");
    return fitted;
}

sgdp_job validate_job(const dataset_row *r, sgdp_model model)
{
    sgdp_job job = r->job;
    if (!r->varies) job.compute.vary.cv = mode_usual_cv(model);
    return job;
}

static double *predicted_at(validation *v, size_t row, size_t model)
{
    return &v->predicted[row * VALIDATE_MODELS + model];
}

/* ---- Predictions ------------------------------------------------------------- */

static void predict_row(validation *v, size_t row, sgdp_model model, dataset_fit fit,
                        const double *value)
{
    const dataset_row *r = &v->data.row[row];
    const sgdp_job plain = validate_job(r, model), job = with_fitted(&plain, fit, value);
    sgdp_prediction point = {0};
    const sgdp_status status = job_answer(&job, model, r->workers, &point);
    if (status == SGDP_NOT_CONVERGED) v->status = status;
    else if (status != SGDP_OK)
        csv_fail(r->file, r->row, CSV_NONE, "model %s: %s", sgdp_model_text(model),
                 sgdp_status_text(status));
    *predicted_at(v, row, (size_t)model) = point.batches_per_s;
}

/* What is known of a row's input beside the rows that are fitted. */
static sgdfit_prior prior_of(const dataset_row *r, sgdp_input input)
{
    static const sgdfit_prior none = {0};
    return r->declared || input >= SGDP_INPUT_EXPOSURE ? job_fit_prior(&r->job, input) : none;
}

/* Fits a group's quantity for one model; 0 if its rows do not tell. */
static int calibrate_group(const validation *v, size_t group, sgdp_model model, double *value)
{
    const dataset_group *g = &v->data.group[group];
    const row_list *rows = &v->of_group[group];
    sgdp_measurement *point = (sgdp_measurement *)tool_alloc(rows->count, sizeof *point);
    sgdp_job *job = (sgdp_job *)tool_alloc(rows->count, sizeof *job);
    sgdfit_calibration out;
    sgdp_input input[FITTED_MOST];
    job_fit of = {.runs = {.model = model, .run = point, .unknown = input}};
    size_t n = 0, bytes = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const dataset_row *r = &v->data.row[rows->row[i]];
        if (r->role != ROLE_FIT) continue;
        if (!has_all_it_needs(model, r)) return 0;
        job[n] = validate_job(r, model);
        point[n].job = &job[n];
        point[n].workers = r->workers;
        if (n == 0) {
            of.runs.unknowns = inputs_of(&job[0], g->fit, input);
            for (size_t k = 0; k < of.runs.unknowns; k++) of.prior[k] = prior_of(r, input[k]);
        }
        point[n++].batches_per_s = r->batches_per_s;
    }
    of.runs.n = n;
    sgdp_status status = job_fit_open(&of, (double *)tool_alloc(n, sizeof(double)));
    if (status == SGDP_OK) status = (sgdp_status)sgdfit_calibrate_bytes(&of.problem, &bytes);
    void *work = status == SGDP_OK ? tool_resize(NULL, bytes, 1) : NULL;
    if (status == SGDP_OK)
        status = (sgdp_status)sgdfit_calibrate(&of.problem, work, bytes, &out);
    tool_free(work);
    if (status == SGDP_BAD_ARGUMENT) return 0;
    tool_check(status, g->name);
    memcpy(value, out.value, of.runs.unknowns * sizeof *value);
    return 1;
}

static void add_fitted(validation *v, size_t group, size_t model, const char *quantity,
                       double value)
{
    v->fitted = tool_one_more(v->fitted, v->fitted_count, &v->fitted_room, sizeof *v->fitted);
    fitted_value *f = &v->fitted[v->fitted_count++];
    f->group = group;
    f->model = model;
    f->quantity = quantity;
    f->value = value;
}

static void predict_group(validation *v, size_t group)
{
    const dataset_group *g = &v->data.group[group];
    const sgdp_job *first = &v->data.row[v->of_group[group].row[0]].job;
    sgdp_input input[FITTED_MOST];
    for (size_t m = 0; m < SGDP_MODEL_COUNT; m++) {
        const sgdp_model model = (sgdp_model)m;
        const dataset_fit fit = depends_on(model, g->fit) ? g->fit : FIT_NONE;
        double value[FITTED_MOST] = {0.0};
        if (mode_of_model(model) != g->mode) continue;
        if (fit != FIT_NONE) {
            if (!calibrate_group(v, group, model, value)) continue;
            add_fitted(v, group, m, dataset_fit_names[fit], value[0]);
            if (inputs_of(first, fit, input) > 1)
                add_fitted(v, group, m, job_input_name(input[1]), value[1]);
        }
        for (size_t i = 0; i < v->of_group[group].count; i++) {
            const size_t row = v->of_group[group].row[i];
            if (has_all_it_needs(model, &v->data.row[row]))
                predict_row(v, row, model, fit, value);
        }
    }
}

/* Mini-batches of row r in the unit of work that a black box speaks of: a step is a step
 * to the models of the step time; those of a rate see the examples, as a mini-batch of a
 * strong scaling (a fixed global batch) is the smaller the more workers there are. */
static double work_of_batch(sgdfit_blackbox model, const dataset_row *r)
{
    const int rate = model == SGDFIT_AMDAHL || model == SGDFIT_USL;
    return rate && r->job.compute.batch > 0.0 ? r->job.compute.batch : 1.0;
}

/* Fits a black box to the group's curve, if there are enough different workers. */
static void predict_curve(validation *v, size_t group, sgdfit_blackbox model)
{
    const row_list *rows = &v->of_group[group];
    sgdfit_point *point = (sgdfit_point *)tool_alloc(rows->count, sizeof *point);
    size_t n = 0;
    sgdfit_curve fit;
    for (size_t i = 0; i < rows->count; i++) {
        const dataset_row *r = &v->data.row[rows->row[i]];
        if (r->role != ROLE_FIT) continue;
        point[n].workers = r->workers;
        point[n].servers = r->job.servers.count;
        point[n++].batches_per_s = r->batches_per_s * work_of_batch(model, r);
    }
    if (points_curve(model, point, n, &fit) != SGDFIT_OK) return;
    for (size_t i = 0; i < rows->count; i++) {
        const dataset_row *r = &v->data.row[rows->row[i]];
        if (r->role != ROLE_NONE)
            *predicted_at(v, rows->row[i], SGDP_MODEL_COUNT + (size_t)model) =
                sgdfit_curve_at(&fit, r->workers, r->job.servers.count) / work_of_batch(model, r);
    }
}

/* A row and how to replay it. */
typedef struct replay_task { const dataset_row *row; replay_service service; } replay_task;

/* parallel_task */
static void replay_one(void *ctx, size_t i, void *result)
{
    const replay_task *task = (const replay_task *)ctx + i;
    *(replay *)result = replay_row(task->row, task->service);
}

/* at: [row][REPLAY_COUNT] */
static void keep_replay(validation *v, size_t at, const replay *result)
{
    v->replayed[at] = *result;
    *predicted_at(v, at / REPLAY_COUNT, VALIDATE_REPLAYED + at % REPLAY_COUNT) = result->mean;
}

/* Replays know no server that adds gradients up. */
static void note_updates(const replay_task *task, size_t count)
{
    size_t rows = 0;
    for (size_t i = 0; i < count; i++)
        rows += task[i].service == REPLAY_TCP && replay_repeats_updates(task[i].row);
    if (rows > 0)
        tool_note("replays-too-slow",
                  "%lu row%s of mode sync or allreduce with updates 'queued': models simulated* "
                  "replay one update per worker in a step, other models count one update per step, "
                  "so simulated* is too slow for short steps", COUNTED(rows));
}

static void replay_all(validation *v, size_t processes)
{
    const size_t most = v->data.rows * REPLAY_COUNT;
    replay_task *task = (replay_task *)tool_alloc(most, sizeof *task);
    replay *result = (replay *)tool_alloc(most, sizeof *result);
    size_t *at = (size_t *)tool_alloc(most, sizeof *at), count = 0, i;
    for (i = 0; i < most; i++) {
        const dataset_row *r = &v->data.row[i / REPLAY_COUNT];
        const dataset_fit fit = r->group == DATASET_NONE ? FIT_NONE : v->data.group[r->group].fit;
        const replay_service service = (replay_service)(i % REPLAY_COUNT);
        if (!replay_suits(r, fit, service)) continue;
        replay_ask(r);
        if (service == REPLAY_CHAIN && !replay_is_chained(r)) continue;
        task[count].row = r;
        task[count].service = service;
        at[count++] = i;
    }
    note_updates(task, count);
    parallel_run(count, processes, replay_one, task, result, sizeof *result, "replays");
    for (i = 0; i < count; i++) {
        keep_replay(v, at[i], &result[i]);
        if (task[i].service == REPLAY_TCP && !replay_is_chained(task[i].row))
            keep_replay(v, at[i] + REPLAY_CHAIN - REPLAY_TCP, &result[i]);
    }
}

void validate_predict(validation *v, size_t processes)
{
    for (size_t group = 0; group < v->data.groups; group++) {
        const dataset_group *g = &v->data.group[group];
        tool_progress("groups", group, v->data.groups);
        predict_group(v, group);
        for (size_t m = 0; m < SGDFIT_BLACKBOX_COUNT; m++)
            if (suits_group((sgdfit_blackbox)m, g)) predict_curve(v, group, (sgdfit_blackbox)m);
    }
    tool_progress("groups", v->data.groups, v->data.groups);
    for (size_t row = 0; row < v->data.rows; row++) {
        const dataset_row *r = &v->data.row[row];
        for (size_t m = 0; m < SGDP_MODEL_COUNT && r->group == DATASET_NONE; m++)
            if (has_all_it_needs((sgdp_model)m, r))
                predict_row(v, row, (sgdp_model)m, FIT_NONE, NULL);
    }
    if (processes > 0) replay_all(v, processes);
}

const replay *validate_replays(const validation *v, size_t row, size_t model)
{
    const replay *of = v->replayed + row * REPLAY_COUNT;
    if (model < VALIDATE_REPLAYED || model >= VALIDATE_MODELS) return NULL;
    of += model - VALIDATE_REPLAYED;
    return of->runs > 1 ? of : NULL;
}

/* ---- Errors ------------------------------------------------------------------ */

/* Rows that are scored: what is predicted, what was measured, and the dataset of each. */
typedef struct scored_rows {
    double   *predicted, *measured; /* [count]                                           */
    uint32_t *set;                  /* [count]                                           */
    size_t    count;
} scored_rows;

static scored_rows room_for_rows(const validation *v)
{
    scored_rows rows;
    rows.predicted = (double *)tool_alloc(v->data.rows, sizeof *rows.predicted);
    rows.measured = (double *)tool_alloc(v->data.rows, sizeof *rows.measured);
    rows.set = (uint32_t *)tool_alloc(v->data.rows, sizeof *rows.set);
    rows.count = 0;
    return rows;
}

/* If it is scored, and predicted. */
static void add_row(scored_rows *rows, const validation *v, size_t row, double predicted)
{
    if (!validate_is_scored(v, row) || !(predicted > 0.0)) return;
    rows->predicted[rows->count] = predicted;
    rows->measured[rows->count] = v->data.row[row].batches_per_s;
    rows->set[rows->count++] = (uint32_t)v->data.row[row].dataset;
}

static sgdfit_error_statistics errors_of(const scored_rows *rows, const char *what)
{
    const sgdfit_rows of = {.predicted = rows->predicted, .measured = rows->measured,
                            .n = rows->count};
    return errors_over(&of, what);
}

static void score(validation *v, size_t dataset, size_t model, scored_rows *rows)
{
    const row_list *of = &v->of_dataset[dataset];
    rows->count = 0;
    for (size_t i = 0; i < of->count; i++)
        add_row(rows, v, of->row[i], validate_predicted(v, of->row[i], model));
    if (rows->count == 0) return;
    v->result = tool_one_more(v->result, v->results, &v->result_room, sizeof *v->result);
    validate_result *result = &v->result[v->results++];
    result->dataset = dataset;
    result->model = model;
    result->ok = 1;
    result->errors = errors_of(rows, v->data.name[dataset]);
}

/* One note: of the first dataset whose usual model is far off, by its worst row. */
static void note_far(const validation *v)
{
    size_t i = 0, worst = 0;
    double most = -1.0;
    while (i < v->results && !(validate_is_default(v, &v->result[i]) &&
                               v->result[i].errors.mean > 0.5)) i++;
    if (i == v->results) return;
    const validate_result *result = &v->result[i];
    const row_list *of = &v->of_dataset[result->dataset];
    for (size_t k = 0; k < of->count; k++) {
        const size_t row = of->row[k];
        const double predicted = validate_predicted(v, row, result->model);
        const double error = fabs(relative_error(predicted, v->data.row[row].batches_per_s));
        if (!validate_is_scored(v, row) || !(predicted > 0.0) || error <= most) continue;
        worst = row;
        most = error;
    }
    const dataset_row *r = &v->data.row[worst];
    points_note_far(v->data.name[result->dataset], validate_model_name(result->model),
                    result->errors.mean, r->batches_per_s, r->workers, &r->job);
}

/* Why there is no result at all. */
TOOL_NORETURN static void fail_unscored(const validation *v)
{
    for (size_t row = 0; row < v->data.rows; row++) {
        const dataset_row *r = &v->data.row[row];
        if (!validate_is_scored(v, row)) continue;
        if (r->lacks)
            csv_fail(r->file, r->row, CSV_NONE,
                     "column '%s': the cell is empty, but all models need the value%s", r->lacks,
                     strcmp(r->lacks, "bandwidth_bytes_per_s") == 0
                         ? " (or column 'fit' has bandwidth, to be fitted)" : "");
        if (r->foreign)
            csv_fail(r->file, r->row, CSV_NONE, "column '%s': no model of %s", r->foreign,
                     r->foreign_is);
        csv_fail(r->file, r->row, CSV_NONE, "%s", reason_of(r));
    }
    tool_fail("%s: no row is scored: all rows have role 'fit'", v->data.row[0].file->name);
}

void validate_score(validation *v)
{
    scored_rows rows = room_for_rows(v);
    for (size_t d = 0; d < v->data.datasets; d++)
        for (size_t m = 0; m < VALIDATE_MODELS; m++) score(v, d, m, &rows);
    if (v->results == 0) fail_unscored(v);
    note_far(v);
}

/* ---- Errors over rows of many sets ------------------------------------------- */

/* The architecture of a row, by its inputs alone: mode, several servers, machines of
 * several accelerators, unequal workers, overlap; "sync-servers-overlap" for instance. */
enum { CLASS_CHARS = 64 };

static void class_of(const dataset_row *r, char to[CLASS_CHARS])
{
    snprintf(to, CLASS_CHARS, "%s%s%s%s%s", mode_words[r->mode],
             r->mode != MODE_ALLREDUCE && r->job.servers.count > 1 ? "-servers" : "",
             r->job.machine.gpus > 1 ? "-machines" : "", r->job.workers.types > 0 ? "-types" : "",
             r->job.overlap.rule != SGDP_OVERLAP_NONE ? "-overlap" : "");
}

/* What a model says of row i as if no transfer hid behind computation. */
static double uncorrected(const validation *v, size_t i, size_t model)
{
    const dataset_row *r = &v->data.row[i];
    sgdp_prediction point = {0};
    if (!(validate_predicted(v, i, model) > 0.0)) return 0.0;
    if (model >= SGDP_MODEL_COUNT || r->group != DATASET_NONE) return 0.0;
    sgdp_job job = validate_job(r, (sgdp_model)model);
    job.overlap.rule = SGDP_OVERLAP_NONE;
    return job_answer(&job, (sgdp_model)model, r->workers, &point) == SGDP_OK ? point.batches_per_s
                                                                             : 0.0;
}

int validate_is_usual(const validation *v, train_mode mode, size_t model)
{
    size_t i = 0;
    while (i < v->data.rows &&
           (v->data.row[i].mode != mode || (size_t)dataset_usual(&v->data.row[i]) != model)) i++;
    return i < v->data.rows;
}

sgdfit_error_statistics validate_pooled(const validation *v, const validate_pool *of,
                                        size_t *sets)
{
    unsigned char *seen = (unsigned char *)tool_alloc(v->data.datasets, 1);
    scored_rows rows = room_for_rows(v);
    size_t i;
    for (i = 0; i < v->data.rows; i++) {
        const dataset_row *r = &v->data.row[i];
        const size_t model = of->model == VALIDATE_USUAL ? (size_t)dataset_usual(r) : of->model;
        char own[CLASS_CHARS];
        if (r->mode != of->mode) continue;
        class_of(r, own);
        if (of->class && strcmp(of->class, own) != 0) continue;
        add_row(&rows, v, i, of->uncorrected ? uncorrected(v, i, model)
                                             : validate_predicted(v, i, model));
    }
    for (i = 0, *sets = 0; i < rows.count; i++) *sets += !seen[rows.set[i]]++;
    return errors_of(&rows, "pooled errors");
}

/* ---- Bounds ------------------------------------------------------------------ */

/* The result that a row of the bounds is about. A bound for a dataset that was not
 * replayed means nothing, unless all were. */
static validate_result *find_result(validation *v, const char *dataset, const char *model,
                                    int *replayed)
{
    size_t i;
    *replayed = 0;
    for (i = 0; i < v->data.datasets; i++) *replayed |= strcmp(v->data.name[i], dataset) == 0;
    for (i = 0; i < v->results; i++)
        if (strcmp(v->data.name[v->result[i].dataset], dataset) == 0 &&
            strcmp(validate_model_name(v->result[i].model), model) == 0)
            return &v->result[i];
    return NULL;
}

void validate_apply_bounds(validation *v, const char *path, int all)
{
    const csv_table *t = csv_read(path, 0);
    const int key[] = {csv_require(t, "model"), csv_require(t, "dataset")};
    const int mean = csv_require(t, "mean_error"), max = csv_require(t, "max_error");
    csv_unique(t, key, COUNT_OF(key));
    v->with_bounds = 1;
    for (size_t row = 0; row < t->rows; row++) {
        const char *model = csv_text(t, row, key[0]), *dataset = csv_text(t, row, key[1]);
        const double bound_mean = csv_number(t, row, mean, NUMBER_NON_NEGATIVE);
        const double bound_max = csv_number(t, row, max, NUMBER_NON_NEGATIVE);
        int replayed;
        validate_result *r = find_result(v, dataset, model, &replayed);
        if (!r && replayed)
            csv_fail(t, row, key[0], "dataset '%s' has no result of '%s'", dataset, model);
        if (!r && all) csv_fail(t, row, key[1], "'%s' is not in " VALIDATE_FOLDER, dataset);
        if (!r) continue;
        r->bounded = 1;
        r->bound_mean = bound_mean;
        r->bound_max = bound_max;
        r->ok = r->errors.mean <= bound_mean && r->errors.max <= bound_max;
    }
}

size_t validate_count_exceeded(const validation *v)
{
    size_t count = 0;
    for (size_t i = 0; i < v->results; i++) count += !v->result[i].ok;
    return count;
}

/* ---- Bands ------------------------------------------------------------------- */

/* What is known of a row's inputs, and where it ran, decides how sure its prediction is. */
band_class validate_class(const validation *v, const dataset_row *r)
{
    if (r->job.collective.jobs > 1) return BAND_CLASSES;
    if (r->layers) return BAND_LAYERED;
    if (r->group != DATASET_NONE && v->data.group[r->group].fit != FIT_NONE)
        return BAND_CALIBRATED;
    if (r->mode != MODE_ALLREDUCE && r->job.servers.count > 1) return BAND_SERVERS;
    if (!r->declared) return BAND_MEASURED;
    if (r->mode != MODE_ALLREDUCE) return BAND_DECLARED;
    if (mode_overlaps(&r->job)) return BAND_CLASSES;
    return r->machines == 1 ? BAND_INSIDE : band_of_links(&r->job, r->workers, r->network);
}

band validate_band_at(const validation *v, size_t row)
{
    const dataset_row *r = &v->data.row[row];
    const double x = validate_predicted(v, row, (size_t)dataset_usual(r));
    const band_class of = validate_class(v, r);
    const band none = {0.0, 0.0};
    const band_point p = {&r->job, r->workers, x, r->mode == MODE_ALLREDUCE, 0.0};
    return x > 0.0 ? band_around(band_shipped(of), of, &p) : none;
}

int validate_in_band(const validation *v, size_t row)
{
    const dataset_row *r = &v->data.row[row];
    const double x = validate_predicted(v, row, (size_t)dataset_usual(r));
    const band b = validate_band_at(v, row);
    return r->batches_per_s >= x * (1.0 - b.low) && r->batches_per_s <= x * (1.0 + b.high);
}

validate_band validate_band_of(validation *v, band_class of)
{
    const char *name = band_words[of];
    scored_rows rows = room_for_rows(v);
    sgdfit_rows all = {.predicted = rows.predicted, .measured = rows.measured, .set = rows.set};
    validate_band b = {0};
    size_t bytes = 0, of_class = 0;
    for (size_t i = 0; i < v->data.rows; i++) {
        const dataset_row *r = &v->data.row[i];
        const size_t before = rows.count;
        const band_class own = validate_class(v, r);
        /* Few rows have several servers: their band is that of all measured inputs. */
        if (own != of && !(of == BAND_SERVERS && own == BAND_MEASURED)) continue;
        add_row(&rows, v, i, validate_predicted(v, i, (size_t)dataset_usual(r)));
        if (rows.count == before) continue;
        rows.set[before] = (uint32_t)v->source[i];
        of_class += own == of;
        b.inside += validate_in_band(v, i) != 0;
    }
    if (of_class == 0) return b;
    b.rows = all.n = rows.count;
    tool_check_fit(sgdfit_conformal_bytes(&all, &bytes), name);
    void *work = tool_alloc(bytes, 1);
    tool_check_fit(sgdfit_conformal(&all, VALIDATE_LEVEL, work, bytes, &b.band), name);
    b.sources = b.band.sets;
    b.bounded = b.band.high <= DBL_MAX;
    b.tested = sgdfit_coverage(&all, VALIDATE_LEVEL, work, bytes, &b.left_out) == SGDFIT_OK;
    if (b.tested) b.covered = (double)b.left_out.covered / (double)b.left_out.rows;
    return b;
}
