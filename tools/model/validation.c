/* validation.c - measured rows, predicted by every model that has what it needs */
#include "jobs/parallel.h"
#include "base/progress.h"
#include "model/validation.h"
#include "files/job_fit.h"
#include "files/status.h"

#include <string.h>

/* ---- Models ------------------------------------------------------------------ */

void *validate_scratch(validation *v, size_t bytes)
{
    if (bytes > v->work_bytes) v->work = tool_grow(NULL, 0, &v->work_bytes, bytes, 1);
    return v->work;
}

const char *validate_model_name(size_t model)
{
    if (model >= VALIDATE_REPLAYED) return replay_names[model - VALIDATE_REPLAYED];
    return model < SGDP_MODEL_COUNT ? sgdp_model_text((sgdp_model)model)
                                    : sgdfit_blackbox_text((sgdfit_blackbox)(model
                                                                             - SGDP_MODEL_COUNT));
}

int validate_is_default(const validation *v, const validate_result *r)
{
    const size_t first = v->of_dataset.row[v->of_dataset.start[r->dataset]];
    return r->model == (size_t)mode_usual_model(v->data.row[first].mode);
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
    switch (fit) {
    case FIT_SERVER:
    case FIT_BANDWIDTH: return 1;
    case FIT_LATENCY:   return mode_of_model(model) == MODE_ALLREDUCE;
    case FIT_THRESHOLD: return model == SGDP_ASYNC_HYBRID || model == SGDP_ASYNC_SWITCH;
    case FIT_NONE:
    case FIT_COUNT:     break;
    }
    return 0;
}

static sgdp_input input_of(dataset_fit fit)
{
    switch (fit) {
    case FIT_SERVER:    return SGDP_INPUT_UPDATE;
    case FIT_BANDWIDTH: return SGDP_INPUT_BANDWIDTH;
    case FIT_LATENCY:   return SGDP_INPUT_LATENCY;
    case FIT_THRESHOLD: return SGDP_INPUT_THRESHOLD;
    case FIT_NONE:
    case FIT_COUNT:     break;
    }
    return SGDP_INPUT_COUNT;
}

static sgdp_job with_fitted(const sgdp_job *job, dataset_fit fit, double value)
{
    sgdp_job fitted = *job;
    if (fit != FIT_NONE)
        tool_check(sgdp_set_input(&fitted, input_of(fit), value), "a fitted value");
    return fitted;
}

sgdp_job validate_job(const dataset_row *r, sgdp_model model)
{
    sgdp_job job = r->job;
    if (!r->varies) job.compute.vary.cv = mode_usual_cv(model);
    return job;
}

/* ---- Predictions ------------------------------------------------------------- */

static void predict_row(validation *v, size_t row, sgdp_model model, dataset_fit fit,
                        double value)
{
    const dataset_row *r = &v->data.row[row];
    const sgdp_job plain = validate_job(r, model), job = with_fitted(&plain, fit, value);
    sgdp_prediction point;
    size_t bytes = 0;
    sgdp_status status = sgdp_predict_bytes(&job, model, r->workers, &bytes);
    memset(&point, 0, sizeof point);
    if (status == SGDP_OK)
        status = sgdp_predict(&job, model, r->workers, validate_scratch(v, bytes), bytes, &point);
    if (status == SGDP_NOT_CONVERGED) v->status = status;
    else if (status != SGDP_OK)
        csv_fail(r->file, r->row, CSV_NONE, "model %s: %s", sgdp_model_text(model),
                 sgdp_status_text(status));
    v->predicted[row * VALIDATE_MODELS + (size_t)model] = point.batches_per_s;
}

/* Fits a group's quantity for one model; 0 if its rows do not tell. */
static int calibrate_group(validation *v, size_t group, sgdp_model model, double *value)
{
    const dataset_group *g = &v->data.group[group];
    const size_t from = v->of_group.start[group], to = v->of_group.start[group + 1];
    const sgdp_input unknown = input_of(g->fit);
    sgdp_measurement *point = (sgdp_measurement *)tool_alloc(to - from, sizeof *point);
    sgdp_job *job = (sgdp_job *)tool_alloc(to - from, sizeof *job);
    sgdfit_calibration out;
    job_fit of;
    size_t n = 0, bytes = 0, i;
    sgdp_status status;
    for (i = from; i < to; i++) {
        const dataset_row *r = &v->data.row[v->of_group.row[i]];
        if (r->role != ROLE_FIT) continue;
        if (!has_all_it_needs(model, r)) return 0;
        job[n] = validate_job(r, model);
        point[n].job = &job[n];
        point[n].workers = r->workers;
        point[n++].batches_per_s = r->batches_per_s;
    }
    memset(&of, 0, sizeof of);
    of.runs.model = model;
    of.runs.run = point;
    of.runs.n = n;
    of.runs.unknown = &unknown;
    of.runs.unknowns = 1;
    status = job_fit_open(&of, (double *)tool_alloc(n, sizeof(double)));
    if (status == SGDP_OK) status = (sgdp_status)sgdfit_calibrate_bytes(&of.problem, &bytes);
    if (status == SGDP_OK)
        status = (sgdp_status)sgdfit_calibrate(&of.problem, validate_scratch(v, bytes), bytes,
                                               &out);
    if (status == SGDP_BAD_ARGUMENT) return 0;
    tool_check(status, g->name);
    *value = out.value[0];
    return 1;
}

static void add_fitted(validation *v, size_t group, size_t model, double value)
{
    fitted_value *f;
    if (v->fitted_count == v->fitted_room)
        v->fitted = (fitted_value *)tool_grow(v->fitted, v->fitted_count, &v->fitted_room,
                                              v->fitted_count + 1, sizeof *v->fitted);
    f = &v->fitted[v->fitted_count++];
    f->group = group;
    f->model = model;
    f->value = value;
}

static void predict_group(validation *v, size_t group)
{
    const dataset_group *g = &v->data.group[group];
    size_t m, i;
    for (m = 0; m < SGDP_MODEL_COUNT; m++) {
        const sgdp_model model = (sgdp_model)m;
        const dataset_fit fit = depends_on(model, g->fit) ? g->fit : FIT_NONE;
        double value = 0.0;
        if (mode_of_model(model) != g->mode) continue;
        if (fit != FIT_NONE) {
            if (!calibrate_group(v, group, model, &value)) continue;
            add_fitted(v, group, m, value);
        }
        for (i = v->of_group.start[group]; i < v->of_group.start[group + 1]; i++) {
            const size_t row = v->of_group.row[i];
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
    const size_t from = v->of_group.start[group], to = v->of_group.start[group + 1];
    sgdfit_point *point = (sgdfit_point *)tool_alloc(to - from, sizeof *point);
    size_t n = 0, bytes = 0, i;
    sgdfit_curve fit;
    sgdfit_status status;
    for (i = from; i < to; i++) {
        const dataset_row *r = &v->data.row[v->of_group.row[i]];
        if (r->role != ROLE_FIT) continue;
        point[n].workers = r->workers;
        point[n].servers = r->job.servers.count;
        point[n++].batches_per_s = r->batches_per_s * work_of_batch(model, r);
    }
    status = sgdfit_fit_bytes(model, n, &bytes);
    if (status == SGDFIT_OK)
        status = sgdfit_fit(model, point, n, validate_scratch(v, bytes), bytes, &fit);
    if (status != SGDFIT_OK) return;
    for (i = from; i < to; i++) {
        const size_t row = v->of_group.row[i];
        const dataset_row *r = &v->data.row[row];
        if (r->role != ROLE_NONE)
            v->predicted[row * VALIDATE_MODELS + SGDP_MODEL_COUNT + (size_t)model] =
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
    const size_t row = at / REPLAY_COUNT, model = at % REPLAY_COUNT;
    v->replayed[at] = *result;
    v->predicted[row * VALIDATE_MODELS + VALIDATE_REPLAYED + model] = result->mean;
}

/* Replays know no server that adds gradients up. */
static void note_updates(const replay_task *task, size_t count)
{
    size_t rows = 0, i;
    for (i = 0; i < count; i++)
        rows += task[i].service == REPLAY_TCP && replay_repeats_updates(task[i].row);
    if (rows > 0)
        tool_note("replays-too-slow",
                  "%lu row%s of mode sync or allreduce with updates 'queued': replays (simulated "
                  "and its kin) run one of each worker, one after the other, where models count "
                  "one a step, and are too slow where steps are short", (unsigned long)rows,
                  rows == 1 ? "" : "s");
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
    size_t group, row, m;
    for (group = 0; group < v->data.groups; group++) {
        const dataset_group *g = &v->data.group[group];
        tool_progress("groups", group, v->data.groups);
        predict_group(v, group);
        for (m = 0; m < SGDFIT_BLACKBOX_COUNT; m++)
            if (suits_group((sgdfit_blackbox)m, g)) predict_curve(v, group, (sgdfit_blackbox)m);
    }
    tool_progress("groups", v->data.groups, v->data.groups);
    for (row = 0; row < v->data.rows; row++) {
        const dataset_row *r = &v->data.row[row];
        for (m = 0; m < SGDP_MODEL_COUNT && r->group == DATASET_NONE; m++)
            if (has_all_it_needs((sgdp_model)m, r))
                predict_row(v, row, (sgdp_model)m, FIT_NONE, 0.0);
    }
    if (processes > 0) replay_all(v, processes);
}
