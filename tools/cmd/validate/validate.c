/* cmd_validate.c - sgdperf validate: predictions against measured datasets */
#include "cmd/validate/replay.h"
#include "files/status.h"
#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_FOLDER "validation/datasets"

static const char help[] =
    "usage: sgdperf validate [DATASET.csv ...] [--bounds FILE] [--rows]\n"
    "                        [--format table|csv|json]\n"
    "\n"
    "Predicts measured rows by every model that has what it needs, and prints per dataset and\n"
    "model the relative errors of the throughput. Without a file: all of\n"
    DEFAULT_FOLDER "/ below the current directory. - is stdin. Columns of a dataset:\n"
    "  dataset,point    names; results are per dataset, a point is one of its rows\n"
    "  mode             async, sync or allreduce; one for a dataset\n"
    "  workers,servers  workers, 1 to 1000000, and parameter servers they use\n"
    "  batch            examples of a mini-batch\n"
    "  forward_s,backward_s,update_s          times of one worker alone, seconds\n"
    "  model_bytes,bandwidth_bytes_per_s      sent each way, and over which links\n"
    "  overlap          1: transfers hide behind computation, 0: they do not\n"
    "  batches_per_s    measured: mini-batches per second of all workers together\n"
    "An empty cell is unknown, and keeps the models away that need it: black boxes need\n"
    "none. Optional columns:\n"
    "  fit              what is not known but fitted: server (update_s), bandwidth, latency or\n"
    "                   threshold (of hybrid and switch)\n"
    "  group            rows that share it, over the file; or one curve, for black boxes\n"
    "  role             fit: the row determines what is fitted, or is only an input, and is\n"
    "                   not scored; score: predicted with it; empty: predicted without a fit\n"
    "  one_worker_step_s  measured step of one worker, of which computation is what transfers\n"
    "                   and update leave; forward_s and backward_s then give its proportions\n"
    "  uplink_s,downlink_s  transfer times, in place of size and bandwidth\n"
    "  gpus,local_bandwidth_bytes_per_s,latency_s,flow_cap_bytes_per_s  as predict [gpus 1]\n"
    "  worker_types     COUNT:FORWARD:BACKWARD ..., in place of forward_s and backward_s\n"
    "  layers           file of layers, beside the dataset, with the columns of\n"
    "                   trace-from-layers, which the simulated models replay in place of the\n"
    "                   row's times and size\n"
    "  compute_cv       coefficient of variation of the computation of a step, to the model\n"
    "                   simulated [0; async 0.05 if empty or 0: steps that are all alike would\n"
    "                   keep workers in step]\n"
    "simulated replays the steps of up to 1000 workers of one type on equally shared links (sync:\n"
    "mean with fcfs), simulated-exp with all times exponential (async), simulated-tcp, for rows\n"
    "with layers, on links as --link tcp of simulate, whose two numbers were calibrated on the\n"
    "testbed's rows without; transfers that overlap need layers. None is fitted to the rows that\n"
    "it predicts, nor knows servers, gpus, latency_s or one_worker_step_s.\n"
    "Black boxes: for a group whose rows differ in workers and batch only.\n"
    "\n"
    "  --bounds FILE    columns dataset,model,mean_error,max_error, fractions: status 1 where\n"
    "                   a result is larger\n"
    "  --rows           each row, measured and predicted; with csv in place of the results\n"
    "  --format F       table (errors in percent), csv or json (fractions) [table]\n"
    "\n"
    "Example: 2 and 4 workers, predicted from the profile of one\n"
    "  $ { printf 'dataset,point,mode,workers,servers,batch,forward_s,backward_s,update_s,'\n"
    "      printf 'model_bytes,bandwidth_bytes_per_s,overlap,batches_per_s\\n'\n"
    "      printf 'mine,two,async,2,1,32,0.01,0.019,0.018,9e6,125e6,0,8.4\\n'\n"
    "      printf 'mine,four,async,4,1,32,0.01,0.019,0.018,9e6,125e6,0,10.9\\n'; } |\n"
    "    sgdperf validate -\n";

/* ---- Models: those of a profile, then black boxes, then the simulator -------- */

enum {
    REPLAYED = (int)SGDP_MODEL_COUNT + (int)SGDP_BLACKBOX_COUNT,
    MODELS = REPLAYED + (int)REPLAY_COUNT
};

static const char *model_name(size_t model)
{
    if (model >= REPLAYED) return replay_names[model - REPLAYED];
    return model < SGDP_MODEL_COUNT ? sgdp_model_text((sgdp_model)model)
                                    : sgdp_blackbox_text((sgdp_blackbox)(model - SGDP_MODEL_COUNT));
}

static int suits_mode(sgdp_blackbox model, train_mode mode)
{
    if (model == SGDP_OPTIMUS_ASYNC) return mode == MODE_ASYNC;
    if (model == SGDP_OPTIMUS_SYNC) return mode != MODE_ASYNC;
    return 1;
}

static int has_all_it_needs(sgdp_model model, const dataset_row *r)
{
    const sgdp_job *job = &r->job;
    if (mode_of_model(model) != r->mode || r->lacks) return 0;
    return model != SGDP_ASYNC_CYNTHIA ||
           (job->overlap == SGDP_OVERLAP_NONE && job->types == 0 && job->gpus <= 1);
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

/* ---- The validation ---------------------------------------------------------- */

/* Rows by dataset or by group: row[start[i]] up to row[start[i + 1]] in file order. */
typedef struct row_index { size_t *start, *row; } row_index;

typedef struct fitted_value {
    size_t group, model;
    double value;
} fitted_value;

typedef struct validate_result {
    size_t dataset, model;
    sgdp_error_statistics errors;
    int    bounded, ok;
    double bound_mean, bound_max;
} validate_result;

typedef struct validation {
    dataset_list     data;
    row_index        of_dataset, of_group;
    double          *predicted; /* [rows][MODELS] batches per second, 0: not         */
    fitted_value    *fitted;
    size_t           fitted_count, fitted_room;
    validate_result *result;
    size_t           results, result_room;
    int              with_bounds;
    sgdp_status      status;    /* SGDP_NOT_CONVERGED if any prediction was          */
    void            *work;
    size_t           work_bytes;
} validation;

/* Scratch of at least `bytes`, which the next call takes back. */
static void *scratch(validation *v, size_t bytes)
{
    if (bytes > v->work_bytes) v->work = tool_grow(NULL, 0, &v->work_bytes, bytes, 1);
    return v->work;
}

/* id[rows] below `count`, or DATASET_NONE. */
static row_index index_rows(const size_t *id, size_t rows, size_t count)
{
    row_index index;
    size_t *next = (size_t *)tool_alloc(count + 1, sizeof *next), i;
    index.start = (size_t *)tool_alloc(count + 1, sizeof *index.start);
    index.row = (size_t *)tool_alloc(rows, sizeof *index.row);
    for (i = 0; i < rows; i++)
        if (id[i] != DATASET_NONE) index.start[id[i] + 1]++;
    for (i = 0; i < count; i++) {
        index.start[i + 1] += index.start[i];
        next[i + 1] = index.start[i + 1];
    }
    for (i = 0; i < rows; i++)
        if (id[i] != DATASET_NONE) index.row[next[id[i]]++] = i;
    return index;
}

static void read_datasets(validation *v, const args *a)
{
    size_t *id, i;
    if (a->file_count > 0) {
        dataset_read(&v->data, a->files, a->file_count);
    } else {
        char **path;
        const size_t files = dataset_files(DEFAULT_FOLDER, &path);
        dataset_read(&v->data, path, files);
    }
    id = (size_t *)tool_alloc(v->data.rows, sizeof *id);
    for (i = 0; i < v->data.rows; i++) id[i] = v->data.row[i].dataset;
    v->of_dataset = index_rows(id, v->data.rows, v->data.datasets);
    for (i = 0; i < v->data.rows; i++) id[i] = v->data.row[i].group;
    v->of_group = index_rows(id, v->data.rows, v->data.groups);
    v->predicted = (double *)tool_alloc(v->data.rows, MODELS * sizeof *v->predicted);
}

/* ---- Predictions ------------------------------------------------------------- */

static void predict_row(validation *v, size_t row, sgdp_model model, dataset_fit fit,
                        double value)
{
    const dataset_row *r = &v->data.row[row];
    const sgdp_job job = with_fitted(&r->job, fit, value);
    sgdp_prediction point;
    size_t bytes = 0;
    sgdp_status status = sgdp_predict_bytes(&job, model, r->workers, &bytes);
    memset(&point, 0, sizeof point);
    if (status == SGDP_OK)
        status = sgdp_predict(&job, model, r->workers, scratch(v, bytes), bytes, &point);
    if (status == SGDP_NOT_CONVERGED) v->status = status;
    else if (status != SGDP_OK)
        csv_fail(r->file, r->row, CSV_NONE, "model %s: %s", sgdp_model_text(model),
                 sgdp_status_text(status));
    v->predicted[row * MODELS + (size_t)model] = point.batches_per_s;
}

/* Fits a group's quantity for one model; 0 if its rows do not tell. */
static int calibrate_group(validation *v, size_t group, sgdp_model model, double *value)
{
    const dataset_group *g = &v->data.group[group];
    const size_t from = v->of_group.start[group], to = v->of_group.start[group + 1];
    const sgdp_input unknown = input_of(g->fit);
    sgdp_measurement *point = (sgdp_measurement *)tool_alloc(to - from, sizeof *point);
    sgdp_calibration out;
    size_t n = 0, bytes = 0, i;
    sgdp_status status;
    for (i = from; i < to; i++) {
        const dataset_row *r = &v->data.row[v->of_group.row[i]];
        if (r->role != ROLE_FIT) continue;
        if (!has_all_it_needs(model, r)) return 0;
        point[n].job = &r->job;
        point[n].workers = r->workers;
        point[n++].batches_per_s = r->batches_per_s;
    }
    memset(&out, 0, sizeof out);
    status = sgdp_calibrate_bytes(model, &unknown, 1, point, n, &bytes);
    if (status == SGDP_OK)
        status = sgdp_calibrate(model, &unknown, 1, point, n, scratch(v, bytes), bytes, &out);
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
static double work_of_batch(sgdp_blackbox model, const dataset_row *r)
{
    const int rate = model == SGDP_AMDAHL || model == SGDP_USL;
    return rate && r->job.batch > 0.0 ? r->job.batch : 1.0;
}

/* Fits a black box to the group's curve, if there are enough different workers. */
static void predict_curve(validation *v, size_t group, sgdp_blackbox model)
{
    const size_t from = v->of_group.start[group], to = v->of_group.start[group + 1];
    double *workers = (double *)tool_alloc(to - from, sizeof *workers);
    double *measured = (double *)tool_alloc(to - from, sizeof *measured);
    size_t n = 0, bytes = 0, i;
    sgdp_fit fit;
    sgdp_status status;
    for (i = from; i < to; i++) {
        const dataset_row *r = &v->data.row[v->of_group.row[i]];
        if (r->role != ROLE_FIT) continue;
        workers[n] = r->workers;
        measured[n++] = r->batches_per_s * work_of_batch(model, r);
    }
    status = sgdp_fit_curve_bytes(model, n, &bytes);
    if (status == SGDP_OK)
        status = sgdp_fit_curve(model, workers, measured, n, scratch(v, bytes), bytes, &fit);
    if (status != SGDP_OK) return;
    for (i = from; i < to; i++) {
        const size_t row = v->of_group.row[i];
        const dataset_row *r = &v->data.row[row];
        if (r->role != ROLE_NONE)
            v->predicted[row * MODELS + SGDP_MODEL_COUNT + (size_t)model] =
                sgdp_fit_eval(&fit, r->workers) / work_of_batch(model, r);
    }
}

static void replay_all(validation *v)
{
    size_t row, m;
    for (row = 0; row < v->data.rows; row++) {
        const dataset_row *r = &v->data.row[row];
        const dataset_fit fit = r->group == DATASET_NONE ? FIT_NONE : v->data.group[r->group].fit;
        tool_progress("rows", row, v->data.rows);
        for (m = 0; m < REPLAY_COUNT; m++)
            if (replay_suits(r, fit, (replay_service)m))
                v->predicted[row * MODELS + REPLAYED + m] = replay_row(r, (replay_service)m);
    }
    tool_progress("rows", v->data.rows, v->data.rows);
}

static void predict_all(validation *v)
{
    size_t group, row, m;
    for (group = 0; group < v->data.groups; group++) {
        const dataset_group *g = &v->data.group[group];
        tool_progress("groups", group, v->data.groups);
        predict_group(v, group);
        for (m = 0; m < SGDP_BLACKBOX_COUNT && g->one_curve; m++)
            if (suits_mode((sgdp_blackbox)m, g->mode)) predict_curve(v, group, (sgdp_blackbox)m);
    }
    tool_progress("groups", v->data.groups, v->data.groups);
    for (row = 0; row < v->data.rows; row++) {
        const dataset_row *r = &v->data.row[row];
        for (m = 0; m < SGDP_MODEL_COUNT && r->group == DATASET_NONE; m++)
            if (has_all_it_needs((sgdp_model)m, r))
                predict_row(v, row, (sgdp_model)m, FIT_NONE, 0.0);
    }
    replay_all(v);
}

static int is_predicted(const validation *v, size_t row)
{
    size_t m;
    for (m = 0; m < MODELS; m++)
        if (v->predicted[row * MODELS + m] > 0.0) return 1;
    return 0;
}

static int is_scored(const validation *v, size_t row)
{
    return v->data.row[row].role != ROLE_FIT;
}

/* ---- Errors ------------------------------------------------------------------ */

static void score(validation *v, size_t dataset, size_t model, double *predicted,
                  double *measured)
{
    size_t n = 0, bytes = 0, i;
    validate_result *result;
    for (i = v->of_dataset.start[dataset]; i < v->of_dataset.start[dataset + 1]; i++) {
        const size_t row = v->of_dataset.row[i];
        const double x = v->predicted[row * MODELS + model];
        if (!is_scored(v, row) || !(x > 0.0)) continue;
        predicted[n] = x;
        measured[n++] = v->data.row[row].batches_per_s;
    }
    if (n == 0) return;
    if (v->results == v->result_room)
        v->result = (validate_result *)tool_grow(v->result, v->results, &v->result_room,
                                                 v->results + 1, sizeof *v->result);
    result = &v->result[v->results++];
    result->dataset = dataset;
    result->model = model;
    result->ok = 1;
    tool_check(sgdp_errors_bytes(n, &bytes), v->data.name[dataset]);
    tool_check(sgdp_errors(predicted, measured, NULL, 0, n, scratch(v, bytes), bytes,
                           &result->errors), v->data.name[dataset]);
}

/* Where there is nothing to print, the first reason is what is wrong. */
static void score_all(validation *v)
{
    double *predicted = (double *)tool_alloc(v->data.rows, sizeof *predicted);
    double *measured = (double *)tool_alloc(v->data.rows, sizeof *measured);
    size_t d, m, row;
    for (d = 0; d < v->data.datasets; d++)
        for (m = 0; m < MODELS; m++) score(v, d, m, predicted, measured);
    for (row = 0; row < v->data.rows && v->results == 0; row++) {
        const dataset_row *r = &v->data.row[row];
        if (!is_scored(v, row)) continue;
        if (r->lacks)
            csv_fail(r->file, r->row, CSV_NONE,
                     "column '%s': the cell is empty, and no model goes without it", r->lacks);
        csv_fail(r->file, r->row, CSV_NONE, "no model can be fitted to group '%s'",
                 v->data.group[r->group].name);
    }
    if (v->results == 0)
        tool_fail("%s: no row is scored: all have the role fit", v->data.row[0].file->name);
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
            strcmp(model_name(v->result[i].model), model) == 0)
            return &v->result[i];
    return NULL;
}

static void apply_bounds(validation *v, const char *path, int all)
{
    const csv_table *t = csv_read(path, 0);
    const int key[] = {csv_require(t, "model"), csv_require(t, "dataset")};
    const int mean = csv_require(t, "mean_error"), max = csv_require(t, "max_error");
    size_t row;
    csv_unique(t, key, COUNT_OF(key));
    v->with_bounds = 1;
    for (row = 0; row < t->rows; row++) {
        const char *model = csv_text(t, row, key[0]), *dataset = csv_text(t, row, key[1]);
        const double bound_mean = csv_number(t, row, mean, NUMBER_NON_NEGATIVE);
        const double bound_max = csv_number(t, row, max, NUMBER_NON_NEGATIVE);
        int replayed;
        validate_result *r = find_result(v, dataset, model, &replayed);
        if (!r && replayed)
            csv_fail(t, row, key[0], "dataset '%s' has no result of '%s'", dataset, model);
        if (!r && all) csv_fail(t, row, key[1], "'%s' is not in " DEFAULT_FOLDER, dataset);
        if (!r) continue;
        r->bounded = 1;
        r->bound_mean = bound_mean;
        r->bound_max = bound_max;
        r->ok = r->errors.mean <= bound_mean && r->errors.max <= bound_max;
    }
}

static size_t count_exceeded(const validation *v)
{
    size_t i, count = 0;
    for (i = 0; i < v->results; i++) count += !v->result[i].ok;
    return count;
}

/* ---- Output: rows ------------------------------------------------------------ */

static double error_of(double predicted, double measured)
{
    return (predicted - measured) / measured;
}

/* One row of the table; model MODELS for a row that nothing predicts. */
static void table_row(result_table *t, const validation *v, size_t row, size_t model,
                      output_format format)
{
    const dataset_row *r = &v->data.row[row];
    table_text(t, v->data.name[r->dataset]);
    table_text(t, r->point);
    table_text(t, mode_words[r->mode]);
    table_integer(t, r->workers);
    if (model < MODELS) table_text(t, model_name(model));
    else table_empty(t);
    table_number(t, r->batches_per_s);
    if (model < MODELS) {
        const double x = v->predicted[row * MODELS + model];
        const double error = error_of(x, r->batches_per_s);
        table_number(t, x);
        table_number(t, format == FORMAT_CSV ? error : 100.0 * error);
    } else {
        table_empty(t);
        table_empty(t);
    }
    table_text(t, dataset_role_names[r->role]);
    table_text(t, r->curve);
}

static void print_rows(output *out, const validation *v, output_format format)
{
    const table_column columns[] = {
        {"dataset", 0}, {"point", 0}, {"mode", 0}, {"workers", 0}, {"model", 0}, {"measured", 0},
        {"predicted", 0}, {format == FORMAT_CSV ? "error" : "error_%", 3}, {"role", 0},
        {"curve", 0}
    };
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t row, m;
    for (row = 0; row < v->data.rows; row++) {
        for (m = 0; m < MODELS; m++)
            if (v->predicted[row * MODELS + m] > 0.0) table_row(t, v, row, m, format);
        if (!is_predicted(v, row)) table_row(t, v, row, MODELS, format);
    }
    table_print(t, out, format);
}

static void json_rows(output *out, const validation *v)
{
    size_t row, m;
    json_array(out, "rows");
    for (row = 0; row < v->data.rows; row++) {
        const dataset_row *r = &v->data.row[row];
        for (m = 0; m < MODELS; m++) {
            const double x = v->predicted[row * MODELS + m];
            if (!(x > 0.0)) continue;
            json_object(out, NULL);
            json_string(out, "dataset", v->data.name[r->dataset]);
            json_string(out, "point", r->point);
            json_string(out, "mode", mode_words[r->mode]);
            json_integer(out, "workers", r->workers);
            json_string(out, "model", model_name(m));
            json_number(out, "measured", r->batches_per_s);
            json_number(out, "predicted", x);
            json_number(out, "error", error_of(x, r->batches_per_s));
            json_string(out, "role", dataset_role_names[r->role]);
            json_string(out, "curve", r->curve);
            json_end(out);
        }
    }
    json_end(out);
}

/* ---- Output: results --------------------------------------------------------- */

/* Rows to be scored that nothing predicts, by dataset, with the first one's reason. */
static void print_unpredicted(output *out, const validation *v, output_format format)
{
    size_t d, i;
    if (format == FORMAT_JSON) json_array(out, "not_predicted");
    for (d = 0; d < v->data.datasets; d++) {
        const dataset_row *first = NULL;
        size_t count = 0;
        for (i = v->of_dataset.start[d]; i < v->of_dataset.start[d + 1]; i++) {
            const size_t row = v->of_dataset.row[i];
            if (!is_scored(v, row) || is_predicted(v, row)) continue;
            if (count++ == 0) first = &v->data.row[row];
        }
        if (!first) continue;
        if (format == FORMAT_JSON) {
            json_object(out, NULL);
            json_string(out, "dataset", v->data.name[d]);
            json_integer(out, "rows", count);
            json_string(out, "file", first->file->name);
            json_integer(out, "line", csv_line(first->file, first->row));
            json_string(out, "column", first->lacks);
            json_end(out);
        } else {
            output_print(out, "\nnot predicted: %lu row%s of %s; %s:%lu: ", (unsigned long)count,
                         count == 1 ? "" : "s", v->data.name[d], first->file->name,
                         (unsigned long)csv_line(first->file, first->row));
            if (first->lacks) output_print(out, "column '%s': the cell is empty\n", first->lacks);
            else output_print(out, "no model can be fitted to its group\n");
        }
    }
    if (format == FORMAT_JSON) json_end(out);
}

static const char *dataset_of_group(const validation *v, size_t group)
{
    const size_t row = v->of_group.row[v->of_group.start[group]];
    return v->data.name[v->data.row[row].dataset];
}

static void print_json(output *out, const validation *v, int with_rows)
{
    size_t i;
    json_object(out, NULL);
    json_string(out, "status", tool_status_word(v->status));
    json_array(out, "results");
    for (i = 0; i < v->results; i++) {
        const validate_result *r = &v->result[i];
        json_object(out, NULL);
        json_string(out, "dataset", v->data.name[r->dataset]);
        json_string(out, "model", model_name(r->model));
        json_integer(out, "rows", r->errors.rows);
        json_number(out, "mean_error", r->errors.mean);
        json_number(out, "median_error", r->errors.median);
        json_number(out, "p95_error", r->errors.p95);
        json_number(out, "max_error", r->errors.max);
        json_number(out, "bias", r->errors.bias);
        if (r->bounded) json_number(out, "bound_mean", r->bound_mean);
        else json_null(out, "bound_mean");
        if (r->bounded) json_number(out, "bound_max", r->bound_max);
        else json_null(out, "bound_max");
        json_bool(out, "ok", r->ok);
        json_end(out);
    }
    json_end(out);
    json_array(out, "fitted");
    for (i = 0; i < v->fitted_count; i++) {
        const fitted_value *f = &v->fitted[i];
        json_object(out, NULL);
        json_string(out, "dataset", dataset_of_group(v, f->group));
        json_string(out, "group", v->data.group[f->group].name);
        json_string(out, "model", model_name(f->model));
        json_string(out, "quantity", dataset_fit_names[v->data.group[f->group].fit]);
        json_number(out, "value", f->value);
        json_end(out);
    }
    json_end(out);
    print_unpredicted(out, v, FORMAT_JSON);
    if (with_rows) json_rows(out, v);
    json_end(out);
}

static void print_csv(output *out, const validation *v)
{
    static const table_column columns[] = {
        {"dataset", 0}, {"model", 0}, {"rows", 0}, {"mean_error", 0}, {"median_error", 0},
        {"p95_error", 0}, {"max_error", 0}, {"bias", 0}, {"bound_mean", 0}, {"bound_max", 0},
        {"ok", 0}
    };
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t i;
    for (i = 0; i < v->results; i++) {
        const validate_result *r = &v->result[i];
        table_text(t, v->data.name[r->dataset]);
        table_text(t, model_name(r->model));
        table_integer(t, r->errors.rows);
        table_number(t, r->errors.mean);
        table_number(t, r->errors.median);
        table_number(t, r->errors.p95);
        table_number(t, r->errors.max);
        table_number(t, r->errors.bias);
        if (r->bounded) table_number(t, r->bound_mean);
        else table_empty(t);
        if (r->bounded) table_number(t, r->bound_max);
        else table_empty(t);
        table_text(t, r->ok ? "true" : "false");
    }
    table_print(t, out, FORMAT_CSV);
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Fitted values, one line for the groups of a dataset. */
static void print_fitted(output *out, const validation *v)
{
    static const char *const units[FIT_COUNT] = {
        "", "server, s", "bandwidth, B/s", "latency, s", "threshold"
    };
    static const table_column columns[] = {
        {"dataset", 0}, {"model", 0}, {"fitted", 0}, {"groups", 0}, {"smallest", 4},
        {"median", 4}, {"largest", 4}
    };
    result_table *t = table_new(columns, COUNT_OF(columns));
    double *value = (double *)tool_alloc(v->fitted_count, sizeof *value);
    unsigned char *printed = (unsigned char *)tool_alloc(v->fitted_count, 1);
    size_t i, j;
    for (i = 0; i < v->fitted_count; i++) {
        const fitted_value *f = &v->fitted[i];
        const char *dataset = dataset_of_group(v, f->group);
        const dataset_fit fit = v->data.group[f->group].fit;
        size_t n = 0;
        if (printed[i]) continue;
        for (j = i; j < v->fitted_count; j++) {
            const fitted_value *other = &v->fitted[j];
            if (other->model != f->model || v->data.group[other->group].fit != fit ||
                strcmp(dataset_of_group(v, other->group), dataset) != 0)
                continue;
            value[n++] = other->value;
            printed[j] = 1;
        }
        qsort(value, n, sizeof *value, compare_numbers);
        table_text(t, dataset);
        table_text(t, model_name(f->model));
        table_text(t, units[fit]);
        table_integer(t, n);
        table_number(t, value[0]);
        table_number(t, sgdp_quantile(value, n, 0.5));
        table_number(t, value[n - 1]);
    }
    if (v->fitted_count == 0) return;
    output_print(out, "\n");
    table_print(t, out, FORMAT_TABLE);
}

static void print_human(output *out, const validation *v)
{
    static const table_column columns[] = {
        {"dataset", 0}, {"model", 0}, {"rows", 0}, {"mean", 3}, {"median", 3}, {"p95", 3},
        {"max", 3}, {"bias", 3}, {"bound_mean", 3}, {"bound_max", 3}, {"ok", 0}
    };
    const size_t bound_columns = 3;
    result_table *t =
        table_new(columns, COUNT_OF(columns) - (v->with_bounds ? 0 : bound_columns));
    size_t bounds = 0, i;
    for (i = 0; i < v->results; i++) {
        const validate_result *r = &v->result[i];
        table_text(t, v->data.name[r->dataset]);
        table_text(t, model_name(r->model));
        table_integer(t, r->errors.rows);
        table_number(t, 100.0 * r->errors.mean);
        table_number(t, 100.0 * r->errors.median);
        table_number(t, 100.0 * r->errors.p95);
        table_number(t, 100.0 * r->errors.max);
        table_number(t, 100.0 * r->errors.bias);
        bounds += r->bounded != 0;
        if (!v->with_bounds) continue;
        if (r->bounded) table_number(t, 100.0 * r->bound_mean);
        else table_empty(t);
        if (r->bounded) table_number(t, 100.0 * r->bound_max);
        else table_empty(t);
        if (r->bounded) table_text(t, r->ok ? "yes" : "NO");
        else table_empty(t);
    }
    output_print(out, "relative errors of the predicted throughput, percent\n\n");
    table_print(t, out, FORMAT_TABLE);
    print_fitted(out, v);
    print_unpredicted(out, v, FORMAT_TABLE);
    if (v->status != SGDP_OK) output_print(out, "\na prediction has not converged\n");
    if (v->with_bounds)
        output_print(out, "\n%lu of %lu bounds exceeded\n", (unsigned long)count_exceeded(v),
                     (unsigned long)bounds);
}

/* ---- The command ------------------------------------------------------------- */

int cmd_validate(int argc, char **argv)
{
    static const args_option options[] = {{"--bounds", ARGS_VALUE}, {"--rows", ARGS_FLAG}};
    static const args_command command = {help, options, COUNT_OF(options), 0, (size_t)-1};
    args a;
    validation v;
    output out = {0};
    output_format format;
    int with_rows;

    args_parse(&a, &command, argc, argv);
    format = args_format(&a);
    with_rows = args_given(&a, "--rows");
    memset(&v, 0, sizeof v);
    read_datasets(&v, &a);
    predict_all(&v);
    score_all(&v);
    if (args_given(&a, "--bounds"))
        apply_bounds(&v, args_text(&a, "--bounds", NULL), a.file_count == 0);
    if (format == FORMAT_JSON) {
        print_json(&out, &v, with_rows);
    } else if (format == FORMAT_CSV) {
        if (with_rows) print_rows(&out, &v, format);
        else print_csv(&out, &v);
    } else {
        if (with_rows) {
            print_rows(&out, &v, format);
            output_print(&out, "\n");
        }
        print_human(&out, &v);
    }
    if (count_exceeded(&v) > 0) return output_flush(&out, EXIT_CHECK);
    return output_flush(&out, v.status == SGDP_OK ? EXIT_DONE : EXIT_NOT_REACHED);
}
